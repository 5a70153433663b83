# SPDX-License-Identifier: BSL-1.0
#
# The refused functions of the driver API say so once and return CUDA_ERROR_NOT_SUPPORTED. NVRTC compiles beside our
# libcuda.so.1, where it is installed. Variables: COMPILER, FLAGS, LIBRARIES (folder), NVCC, SOURCE_DIR, WORK_DIR.
cmake_minimum_required(VERSION 3.20)
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
separate_arguments(FLAGS)
get_filename_component(toolkit "${NVCC}" DIRECTORY)
find_library(nvrtc nvrtc PATHS ${toolkit}/../lib64 NO_DEFAULT_PATH NO_CACHE)
set(options "")
set(last "")
if(NVCC AND nvrtc AND EXISTS ${toolkit}/../include/nvrtc.h)
  set(options -DHAS_NVRTC -isystem ${toolkit}/../include ${nvrtc} -Wl,-rpath,${toolkit}/../lib64)
  set(last "nvrtc 0\n")
endif()
execute_process(COMMAND ${COMPILER} -std=c++20 ${FLAGS} -o ${WORK_DIR}/driver ${SOURCE_DIR}/tests/cudart/driver.cpp
  ${LIBRARIES}/libcuda.so.1 ${options} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${LIBRARIES} ${WORK_DIR}/driver TIMEOUT 60
  RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
set(refused "is not served and returns CUDA_ERROR_NOT_SUPPORTED")
if(NOT status EQUAL 0
   OR NOT printed STREQUAL "table 801 1\ninit 0\ngraph 801\ngraph 801\ngraph 801\ncapture 801\n${last}"
   OR NOT said STREQUAL "simtflow: cuGraphCreate ${refused}: graphs are not simulated\nsimtflow: cuStreamBeginCapture_v2 ${refused}: streams cannot be captured: graphs are not simulated\n")
  message(FATAL_ERROR "status ${status}, printed:\n${printed}said:\n${said}")
endif()
