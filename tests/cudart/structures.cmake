# SPDX-License-Identifier: BSL-1.0
#
# The declarations of the ABI against NVIDIA's headers: sizes and offsets. Variables: COMPILER, NVCC, SOURCE_DIR.
cmake_minimum_required(VERSION 3.20)
get_filename_component(toolkit "${NVCC}" DIRECTORY)
if(NOT NVCC OR NOT EXISTS ${toolkit}/../include/cuda_runtime_api.h)
  message("skipped: no headers of the CUDA Toolkit")
  return()
endif()
execute_process(COMMAND ${COMPILER} -std=c++20 -fsyntax-only -I${SOURCE_DIR}/examples -isystem ${toolkit}/../include
  ${SOURCE_DIR}/tests/cudart/structures.cpp COMMAND_ERROR_IS_FATAL ANY)
