# SPDX-License-Identifier: BSL-1.0
#
# A program that nvcc compiles checks its own results under several policies; bad variables stop it before any launch
# with one line. Variables: LIBRARIES (folder), NVCC, SOURCE_DIR, WORK_DIR.
cmake_minimum_required(VERSION 3.20)
if(NOT NVCC)
  message("skipped: no nvcc")
  return()
endif()
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
execute_process(COMMAND ${NVCC} -cudart shared -o ${WORK_DIR}/program ${SOURCE_DIR}/tests/cudart/program.cu
  RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(NOT status EQUAL 0)
  message("skipped: nvcc does not compile here: ${said}")
  return()
endif()
set(failures "")

# program(NAME STATUS PATTERN VARIABLE=VALUE...): it ends so with these variables, and says something that matches.
function(program name status pattern)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${LIBRARIES} ${ARGN} ${WORK_DIR}/program
    WORKING_DIRECTORY ${WORK_DIR} TIMEOUT 120 RESULT_VARIABLE ended OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT ended STREQUAL status OR NOT said MATCHES "${pattern}")
    set(failures "${failures}\n${name}: status ${ended}, said: ${said}" PARENT_SCOPE)
  endif()
endfunction()

foreach(policy IN ITEMS pdom tf volta)
  program("${policy}" 0 "passed\n$" SIMTFLOW_POLICY=${policy} SIMTFLOW_REPORT=${policy}.csv)
  file(STRINGS ${WORK_DIR}/${policy}.csv rows)
  list(LENGTH rows number)
  if(NOT number EQUAL 4 OR NOT rows MATCHES ",finished,cudaSuccess,")
    string(APPEND failures "\n${policy}.csv: ${rows}")
  endif()
endforeach()
program("two policies compared" 0 "passed\n$" SIMTFLOW_POLICY=tf SIMTFLOW_CHECK=1)
program("a machine" 0 "passed\n$" SIMTFLOW_MACHINE=ideal SIMTFLOW_REPORT=machine.json)
program("no such policy" 2 "^simtflow: SIMTFLOW_POLICY=pdomm: [^\n]*\n$" SIMTFLOW_POLICY=pdomm)
program("no such machine" 2 "^simtflow: SIMTFLOW_MACHINE=vega: [^\n]*\n$" SIMTFLOW_MACHINE=vega)
program("no number" 2 "^simtflow: SIMTFLOW_JOBS=many: it must be a number from 0 to 1024\n$" SIMTFLOW_JOBS=many)
program("no such transform" 2 "^simtflow: SIMTFLOW_TRANSFORM=melt: [^\n]*\n$" SIMTFLOW_TRANSFORM=melt)
program("no switch" 2 "^simtflow: SIMTFLOW_CHECK=yes: it must be 0 or 1\n$" SIMTFLOW_CHECK=yes)
program("no format" 2 "^simtflow: SIMTFLOW_REPORT=rows.txt: [^\n]*\n$" SIMTFLOW_REPORT=rows.txt)
program("no folder" 2 "^simtflow: SIMTFLOW_REPORT=nowhere/rows.csv: [^\n]*\n$" SIMTFLOW_REPORT=nowhere/rows.csv)
if(failures)
  message(FATAL_ERROR "${failures}")
endif()
