# SPDX-License-Identifier: BSL-1.0
#
# The solutions of the exercises of the course. Each is a program with a main() of its own. They share most of what they
# instantiate, so they are compiled as one unit: all includes first, then each file in a namespace. A main() of the unit
# calls the one that its argument names.
file(GLOB solutions CONFIGURE_DEPENDS solutions/[0-9][0-9]_*.cpp)
set(includes "#include <cstdio>" "#include <string_view>")
set(bodies "")
set(calls "")
foreach(file IN LISTS solutions)
  cmake_path(GET file STEM name)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(STRINGS "${file}" lines REGEX "^#include ")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^#include \"(.*)\"$" "#include \"${CMAKE_CURRENT_SOURCE_DIR}/solutions/\\1\"" line "${line}")
    list(APPEND includes "${line}")
  endforeach()
  string(APPEND bodies "namespace in_${name} {\n#include \"${file}\"\n}\n")
  string(APPEND calls "  if (name == \"${name}\") return in_${name}::main();\n")
  add_test(NAME solution.${name} COMMAND ${CMAKE_COMMAND} -D "PROGRAM=$<TARGET_FILE:course-solutions>"
    -D "ARGUMENT=${name}" -D "EXPECTED=${CMAKE_CURRENT_SOURCE_DIR}/solutions/${name}.expected"
    -P ${PROJECT_SOURCE_DIR}/cmake/compare_output.cmake)
endforeach()
list(REMOVE_DUPLICATES includes)
list(JOIN includes "\n" includes)
file(CONFIGURE OUTPUT solutions/all.cpp CONTENT "${includes}\n${bodies}
int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : \"\";
${calls}  std::fprintf(stderr, \"no solution has that name\\n\");
  return 2;
}
" @ONLY)
add_executable(course-solutions "${CMAKE_CURRENT_BINARY_DIR}/solutions/all.cpp")
target_link_libraries(course-solutions PRIVATE course-kernel)
