# SPDX-License-Identifier: BSL-1.0
# Runs PROGRAM with the file DRAWN to draw into; fails unless it ends with 0, prints exactly the file EXPECTED and makes
# DRAWN equal to PICTURE.
cmake_minimum_required(VERSION 3.23)
file(REMOVE "${DRAWN}") # of an earlier run
execute_process(COMMAND "${PROGRAM}" "${DRAWN}" OUTPUT_VARIABLE printed RESULT_VARIABLE result)
if(NOT result STREQUAL "0")
  message(FATAL_ERROR "${PROGRAM} ended with ${result}")
endif()
file(READ "${EXPECTED}" expected)
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "Not what ${EXPECTED} says.\n--- printed\n${printed}\n--- expected\n${expected}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files "${DRAWN}" "${PICTURE}" RESULT_VARIABLE differs)
if(differs)
  message(FATAL_ERROR "${DRAWN} is not ${PICTURE}: look at it, and copy it there if it is right")
endif()
