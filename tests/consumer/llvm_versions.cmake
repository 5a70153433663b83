# SPDX-License-Identifier: BSL-1.0
#
# Checks that the component llvm refuses an LLVM that is too old or too new, says which one it found, and accepts those
# in between. The LLVMs here are packages with a version and nothing else. Variables: PREFIX (an installed copy),
# COMPILER, GENERATOR, WORK.
cmake_minimum_required(VERSION 3.23)
file(REMOVE_RECURSE "${WORK}")
file(WRITE "${WORK}/CMakeLists.txt" "cmake_minimum_required(VERSION 3.23)
project(user LANGUAGES CXX)
set(LLVM_FOUND TRUE) # as if the project itself had looked for it
set(LLVM_PACKAGE_VERSION \${LLVM_VERSION_MAJOR}.1.0)
add_library(LLVM INTERFACE)
find_package(simtflow CONFIG REQUIRED COMPONENTS llvm)
")
foreach(version IN ITEMS 13 14 23 24)
  execute_process(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${WORK} -B ${WORK}/${version}
    "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_PREFIX_PATH=${PREFIX}" -DLLVM_VERSION_MAJOR=${version}
    RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(version LESS 14 OR version GREATER 23)
    if(status STREQUAL "0" OR NOT said MATCHES "LLVM ${version}\\.1\\.0[ \n]+was[ \n]+found")
      message(FATAL_ERROR "LLVM ${version} is not refused, or without saying so:\n${said}")
    endif()
  elseif(NOT status STREQUAL "0")
    message(FATAL_ERROR "LLVM ${version} is refused:\n${said}")
  endif()
endforeach()
