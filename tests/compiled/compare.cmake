# SPDX-License-Identifier: BSL-1.0
#
# Checks that the programs FIRST and SECOND print the same for FILES, and that they print something.
cmake_minimum_required(VERSION 3.23)
foreach(program IN ITEMS FIRST SECOND)
  execute_process(COMMAND "${${program}}" ${FILES} OUTPUT_VARIABLE "said_${program}" RESULT_VARIABLE status)
  if(NOT status STREQUAL "0")
    message(FATAL_ERROR "${${program}} ends with ${status}")
  endif()
endforeach()
if(said_FIRST STREQUAL "" OR NOT said_FIRST STREQUAL said_SECOND)
  message(FATAL_ERROR "${FIRST} and ${SECOND} print different texts, or none")
endif()
