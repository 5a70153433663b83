# SPDX-License-Identifier: BSL-1.0
#
# Launches that a program records run from their launch files, with the memory that the program found afterwards.
# Launches that a launch file cannot have are left out with a line. Variables: COMPILER, FLAGS, LIBRARIES (folder),
# PROCESSOR, SOURCE_DIR, TOOL, WORK_DIR.
cmake_minimum_required(VERSION 3.20)
if(NOT PROCESSOR STREQUAL "x86_64")
  message("skipped: the objects are for x86-64")
  return()
endif()
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
separate_arguments(FLAGS)
set(failures "")

# recorded(PROGRAM FILES PATTERN): it writes so many launch files, which run, and says something that matches.
function(recorded program number pattern)
  execute_process(COMMAND ${COMPILER} ${FLAGS} -o ${WORK_DIR}/${program}
    ${SOURCE_DIR}/examples/cudart/programs/objects/${program}.o ${LIBRARIES}/libcudart.so.13 COMMAND_ERROR_IS_FATAL ANY)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${LIBRARIES} SIMTFLOW_RECORD=${program}.launches ./${program}
    WORKING_DIRECTORY ${WORK_DIR} TIMEOUT 120 RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE said)
  if(NOT status EQUAL 0 OR NOT said MATCHES "${pattern}")
    string(APPEND failures "\n${program}: status ${status}, said: ${said}")
  endif()
  file(GLOB launches ${WORK_DIR}/${program}.launches/*.launch.json)
  list(LENGTH launches written)
  if(NOT written EQUAL number)
    string(APPEND failures "\n${program}: ${written} launch files")
  endif()
  foreach(launch IN LISTS launches)
    execute_process(COMMAND ${TOOL} run --launch ${launch} --policy pdom,tf,volta
      RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
    if(NOT status EQUAL 0 OR NOT out MATCHES "= the values given")
      string(APPEND failures "\n${launch}: status ${status}: ${out}")
    endif()
  endforeach()
  set(failures "${failures}" PARENT_SCOPE)
endfunction()

recorded(constant_filter 1 "^$")
recorded(grid_sync 0 "SIMTFLOW_RECORD: launch [0-9]+, [a-z_]+, is not recorded: it is cooperative")
recorded(shapes 1 "^simtflow: SIMTFLOW_RECORD: launch [0-9]+, [a-z_]+, is not recorded: kernels before it have taken")
recorded(texture_filter 0 "SIMTFLOW_RECORD: launch [0-9]+, [a-z_]+, is not recorded: it uses textures or surfaces")
if(failures)
  message(FATAL_ERROR "${failures}")
endif()
