# SPDX-License-Identifier: BSL-1.0
#
# `OPT -passes=simtflow-report` must print for SOURCE the text in EXPECTED.
cmake_minimum_required(VERSION 3.23)
execute_process(COMMAND "${OPT}" "-load-pass-plugin=${PLUGIN}" -passes=simtflow-report -disable-output "${SOURCE}"
  OUTPUT_VARIABLE printed ERROR_VARIABLE said RESULT_VARIABLE result)
if(NOT result STREQUAL "0")
  message(FATAL_ERROR "${OPT} ended with ${result}\n${printed}${said}")
endif()
file(READ "${EXPECTED}" expected)
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "Not what ${EXPECTED} says.\n--- printed\n${printed}\n--- expected\n${expected}")
endif()
