# SPDX-License-Identifier: BSL-1.0
# simtflow::lab: the tool simtflow-lab as a library, and
#
#   simtflow_add_lab(NAME HEADER... [SOURCES FILE...])
#
# which adds an executable: the tool with the policies, columns, machines and reference programs that the headers and
# sources register (lab/lab.hpp). Paths are relative to the folder that calls it.
#
# For find_package(simtflow COMPONENTS lab), once `cmake --install BUILD --component lab` has added the tool.
# A project that adds the sources of simtflow includes this file after them and compiles the tool itself.

# The library as the sources make it. CLI11, fmt and the others are the tool's own: no header of lab/lab.hpp needs them.
function(simtflow_compile_lab sources)
  set(CMAKE_CXX_STANDARD 20)
  set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
  set(lab "${sources}/examples/lab")
  file(GLOB lab_sources CONFIGURE_DEPENDS "${lab}/*.cpp" "${lab}/references/*.cpp")
  file(GLOB cli_sources CONFIGURE_DEPENDS "${lab}/cli/*.cpp")
  list(FILTER lab_sources EXCLUDE REGEX "/main\\.cpp$")
  # The page of `simtflow-lab explore` is embedded.
  foreach(part IN ITEMS html css js)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${lab}/explore/page.${part}")
    file(READ "${lab}/explore/page.${part}" page_${part})
  endforeach()
  configure_file("${lab}/explore/page.hpp.in" lab-explore/explore_page.hpp @ONLY)

  # An object library, because from an archive the linker takes only objects that are named, and no code names the
  # reference programs.
  add_library(simtflow-lab-parts OBJECT EXCLUDE_FROM_ALL ${lab_sources})
  target_include_directories(simtflow-lab-parts
    PUBLIC "${sources}/examples" PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/lab-explore")
  target_link_libraries(simtflow-lab-parts
    PUBLIC simtflow::ptx CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json ZLIB::ZLIB)
  # The parts share what they instantiate. The named ones stand alone: they are long, or have a name of another part.
  if(NOT DEFINED CMAKE_UNITY_BUILD)
    set_target_properties(simtflow-lab-parts PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
    foreach(part IN ITEMS advise advise_code advise_text cuda launch_file policies program_file report sample_run source_listing source_listing_text source_text time_bars time_runs timed_run transform)
      set_source_files_properties("${lab}/${part}.cpp" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endforeach()
  endif()
  # The command line: a file for each command, compiled as one, because each alone would take half as long (CLI11).
  add_library(simtflow-lab-cli OBJECT EXCLUDE_FROM_ALL ${cli_sources})
  target_link_libraries(simtflow-lab-cli PUBLIC simtflow-lab-parts)
  if(NOT DEFINED CMAKE_UNITY_BUILD)
    set_target_properties(simtflow-lab-cli PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  endif()

  add_library(simtflow-lab-library STATIC EXCLUDE_FROM_ALL
    $<TARGET_OBJECTS:simtflow-lab-cli> $<TARGET_OBJECTS:simtflow-lab-parts>)
  set_target_properties(simtflow-lab-library PROPERTIES
    LINKER_LANGUAGE CXX OUTPUT_NAME simtflow-lab EXPORT_NAME lab_library)
  add_library(simtflow-lab-interface INTERFACE)
  target_include_directories(simtflow-lab-interface INTERFACE "${sources}/examples")
  add_library(simtflow::lab ALIAS simtflow-lab-interface)
endfunction()

set(simtflow_lab_FOUND TRUE)
if(NOT TARGET simtflow::lab)
  get_filename_component(simtflow_lab_sources "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
  if(NOT EXISTS "${simtflow_lab_sources}/examples/lab/lab.hpp")
    set(simtflow_lab_sources "")
  endif()
  set(simtflow_lab_missing "")
  foreach(package IN ITEMS fmt ZLIB CLI11 nlohmann_json)
    if(simtflow_lab_sources OR package MATCHES "fmt|ZLIB") # the others are headers of the tool's own sources
      find_package(${package} QUIET)
      if(NOT ${package}_FOUND)
        string(APPEND simtflow_lab_missing " ${package}")
      endif()
    endif()
  endforeach()
  if(CMAKE_VERSION VERSION_LESS 3.24)
    set(simtflow_lab_FOUND FALSE)
    set(simtflow_lab_REASON "CMake 3.24 is the oldest that can link it, this is ${CMAKE_VERSION}")
  elseif(simtflow_lab_missing)
    set(simtflow_lab_FOUND FALSE)
    set(simtflow_lab_REASON "the tool needs, and CMake has not found:${simtflow_lab_missing}")
  elseif(simtflow_lab_sources)
    include("${CMAKE_CURRENT_LIST_DIR}/simtflow-ptx.cmake")
    simtflow_compile_lab("${simtflow_lab_sources}")
    target_link_libraries(simtflow-lab-interface INTERFACE
      "$<LINK_LIBRARY:WHOLE_ARCHIVE,simtflow-lab-library>" simtflow::ptx fmt::fmt ZLIB::ZLIB)
  else()
    include("${CMAKE_CURRENT_LIST_DIR}/simtflow-lab-targets.cmake" OPTIONAL RESULT_VARIABLE simtflow_lab_targets)
    if(simtflow_lab_targets)
      if(NOT TARGET simtflow::ptx) # the component ptx, if it is asked for also, is the same functions
        add_library(simtflow::ptx ALIAS simtflow::lab_ptx)
      endif()
      add_library(simtflow::lab INTERFACE IMPORTED)
      get_target_property(simtflow_lab_includes simtflow::simtflow INTERFACE_INCLUDE_DIRECTORIES)
      list(GET simtflow_lab_includes 0 simtflow_lab_includes)
      target_include_directories(simtflow::lab INTERFACE "${simtflow_lab_includes}/simtflow-lab")
      target_link_libraries(simtflow::lab INTERFACE
        "$<LINK_LIBRARY:WHOLE_ARCHIVE,simtflow::lab_library>" simtflow::ptx fmt::fmt ZLIB::ZLIB)
    else()
      set(simtflow_lab_FOUND FALSE)
      set(simtflow_lab_REASON "this copy is without the tool: cmake --install BUILD --component lab adds it")
    endif()
  endif()
endif()

function(simtflow_add_lab name)
  cmake_parse_arguments(PARSE_ARGV 1 lab "" "" "SOURCES")
  if(NOT lab_UNPARSED_ARGUMENTS AND NOT lab_SOURCES)
    message(FATAL_ERROR "simtflow_add_lab(${name}): name a header that registers something, or SOURCES")
  endif()
  set(text "// simtflow_add_lab(${name}) has written this.\n")
  foreach(header IN LISTS lab_UNPARSED_ARGUMENTS)
    get_filename_component(path "${header}" ABSOLUTE)
    if(NOT EXISTS "${path}")
      message(FATAL_ERROR "simtflow_add_lab(${name}): there is no file ${path}")
    endif()
    string(APPEND text "#include \"${path}\"\n")
  endforeach()
  string(APPEND text "#include <lab/cli/tool.hpp>\nint main(int argc, char** argv) { return lab::tool_main(argc, argv); }\n")
  set(main "${CMAKE_CURRENT_BINARY_DIR}/${name}.lab/main.cpp")
  file(CONFIGURE OUTPUT "${main}" CONTENT "${text}" @ONLY)
  add_executable(${name} "${main}" ${lab_SOURCES})
  target_link_libraries(${name} PRIVATE simtflow::lab)
endfunction()
