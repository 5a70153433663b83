# SPDX-License-Identifier: BSL-1.0
#
# add_checked_program(GROUP SOURCE [LIBRARIES ...]): builds NAME.cpp and, where tests are on and NAME.expected stands beside
# it, compares what it prints with that file (test GROUP.NAME).
function(add_checked_program group source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "LIBRARIES")
  cmake_path(GET source STEM name)
  add_executable(${group}-${name} ${source})
  target_link_libraries(${group}-${name} PRIVATE simtflow::simtflow ${arg_LIBRARIES})
  set_target_properties(${group}-${name} PROPERTIES OUTPUT_NAME ${name})
  if(SIMTFLOW_BUILD_TESTS)
    cmake_path(REPLACE_EXTENSION source expected OUTPUT_VARIABLE expected)
    add_test(NAME ${group}.${name} COMMAND ${CMAKE_COMMAND}
      -D "PROGRAM=$<TARGET_FILE:${group}-${name}>" -D "EXPECTED=${expected}"
      -P ${PROJECT_SOURCE_DIR}/cmake/compare_output.cmake)
  endif()
endfunction()
