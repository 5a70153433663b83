# SPDX-License-Identifier: BSL-1.0
#
# Checks that CMake accepts what vcpkg tells users to write: each indented paragraph of the port's file `usage`, in a
# project with a program `main`. Variables: USAGE, PREFIX (an installed copy), COMPONENTS (others' paragraphs are left
# out), WORK.
cmake_minimum_required(VERSION 3.23)
file(REMOVE_RECURSE "${WORK}")
file(READ "${USAGE}" text)
string(REGEX MATCHALL "(    [^\n]*\n)+" paragraphs "${text}")
set(tried 0)
foreach(paragraph IN LISTS paragraphs)
  if(paragraph MATCHES "COMPONENTS ([a-z_0-9]+)\\)" AND NOT CMAKE_MATCH_1 IN_LIST COMPONENTS)
    message(STATUS "left out, not installed: ${CMAKE_MATCH_1}")
    continue()
  endif()
  math(EXPR tried "${tried} + 1")
  file(WRITE "${WORK}/${tried}/CMakeLists.txt"
    "cmake_minimum_required(VERSION 3.23)\nproject(user LANGUAGES CXX)\nadd_executable(main main.cpp)\n${paragraph}")
  file(WRITE "${WORK}/${tried}/main.cpp" "#include <simtflow/simtflow.hpp>\nint main() {}\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${WORK}/${tried} -B ${WORK}/${tried}/build
    "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_PREFIX_PATH=${PREFIX}"
    RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT status STREQUAL "0")
    message(FATAL_ERROR "CMake refuses\n${paragraph}\n${said}")
  endif()
endforeach()
if(tried EQUAL 0)
  message(FATAL_ERROR "${USAGE} shows nothing that can be tried")
endif()
