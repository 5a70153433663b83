# SPDX-License-Identifier: BSL-1.0
# Runs PROGRAM with ARGUMENT; fails unless it ends with 0 and prints exactly the file EXPECTED. With DRAWN in place of
# ARGUMENT, a file to draw into, it also fails unless DRAWN is equal to PICTURE.
cmake_minimum_required(VERSION 3.23)
if(DEFINED DRAWN)
  file(REMOVE "${DRAWN}") # of an earlier run
  set(ARGUMENT "${DRAWN}")
endif()
execute_process(COMMAND "${PROGRAM}" "${ARGUMENT}" OUTPUT_VARIABLE printed RESULT_VARIABLE result)
if(NOT result STREQUAL "0")
  message(FATAL_ERROR "${PROGRAM} ended with ${result}")
endif()
file(READ "${EXPECTED}" expected)
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "Not what ${EXPECTED} says.\n--- printed\n${printed}\n--- expected\n${expected}")
endif()
if(NOT DEFINED DRAWN)
  return()
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files "${DRAWN}" "${PICTURE}" RESULT_VARIABLE differs)
if(differs)
  message(FATAL_ERROR "${DRAWN} is not ${PICTURE}: look at it, and copy it there if it is right")
endif()
