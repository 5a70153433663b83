# SPDX-License-Identifier: BSL-1.0
#
# SIMTFLOW_REPORT and SIMTFLOW_PROFILE of programs, without time and on a machine, of cooperative launches also: their
# columns are those that the tool's page documents, and the rows of a profile sum up to the report. With nvcc, one of
# them is compiled with line information, and rows have source lines. Variables: COMPILER, FLAGS, LIBRARIES (folder),
# NVCC, PROCESSOR, SOURCE_DIR, WORK_DIR.
cmake_minimum_required(VERSION 3.20)
if(NOT PROCESSOR STREQUAL "x86_64")
  message("skipped: the objects are for x86-64")
  return()
endif()
find_program(AWK awk)
if(NOT AWK)
  message("skipped: no awk")
  return()
endif()
include(${SOURCE_DIR}/tests/lab/documented.cmake)
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
separate_arguments(FLAGS)
set(failures "")

# The sums by launch of both files; a line for each launch that differs. No field of these has a comma.
file(WRITE ${WORK_DIR}/sums.awk [==[
BEGIN { FS = "," }
FNR == 1 { split("", at); for (i = 1; i <= NF; ++i) at[$i] = i; ++file; next }
file == 1 {
  idle[$at["launch"]] = $at["lane_slots"] - $at["thread_instructions"]
  issues[$at["launch"]] = $at["warp_instructions"]
  timed = $at["machine"] != ""
  next
}
{
  idle[$at["launch"]] -= $at["idle_lanes"] + $at["exited_lanes"] + $at["barrier_lanes"]
  issues[$at["launch"]] -= $at["issues"]
  if ($at["source"] ~ /\.cu:[0-9]/) ++placed
  if (timed != ($at["wait_cycles"] != "")) print "cycles in the row " $0
}
END {
  for (n in idle) if (idle[n] != 0) print "launch " n ": " idle[n] " idle lanes are left"
  if (timed) for (n in issues) if (issues[n] != 0) print "launch " n ": " issues[n] " issues are left"
  if (wants_source && placed == 0) print "no row has a source line"
}
]==])

documented(wanted ${SOURCE_DIR}/examples/lab/README.md cuda)
foreach(program IN ITEMS breadth_first grid_sync histogram)
  set(object ${SOURCE_DIR}/examples/cudart/programs/objects/${program}.o)
  set(wants_source 0)
  if(NVCC AND program STREQUAL "breadth_first")
    execute_process(COMMAND ${NVCC} -lineinfo -arch=compute_75 -code=compute_75 -c -o ${WORK_DIR}/${program}.o
      ${SOURCE_DIR}/examples/cudart/programs/${program}.cu COMMAND_ERROR_IS_FATAL ANY)
    set(object ${WORK_DIR}/${program}.o)
    set(wants_source 1)
  endif()
  execute_process(COMMAND ${COMPILER} ${FLAGS} -o ${WORK_DIR}/${program} ${object} ${LIBRARIES}/libcudart.so.13
    COMMAND_ERROR_IS_FATAL ANY)
  foreach(how IN ITEMS "pdom" "volta" "tbc" "tf;gtx480" "dwf;gtx480")
    list(GET how 0 policy)
    set(machine "")
    if(how MATCHES ";(.*)")
      set(machine SIMTFLOW_MACHINE=${CMAKE_MATCH_1})
    endif()
    execute_process(
      COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${LIBRARIES} SIMTFLOW_POLICY=${policy} ${machine}
        SIMTFLOW_REPORT=report.csv SIMTFLOW_PROFILE=profile.csv ./${program}
      WORKING_DIRECTORY ${WORK_DIR} TIMEOUT 120 RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
    if(NOT status EQUAL 0)
      string(APPEND failures "\n${program}, ${how}: status ${status}: ${out}")
      continue()
    endif()
    execute_process(COMMAND ${AWK} -v wants_source=${wants_source} -f sums.awk report.csv profile.csv WORKING_DIRECTORY ${WORK_DIR}
      OUTPUT_VARIABLE out ERROR_VARIABLE out)
    if(NOT out STREQUAL "")
      string(APPEND failures "\n${program}, ${how}: ${out}")
    endif()
    set(written "")
    foreach(file IN ITEMS report profile)
      file(READ ${WORK_DIR}/${file}.csv csv)
      columns_of(columns "${csv}")
      list(APPEND written ${columns})
    endforeach()
    list(REMOVE_DUPLICATES written)
    list(REMOVE_ITEM written schema version)
    set(missing ${written})
    list(REMOVE_ITEM missing ${wanted})
    set(unknown ${wanted})
    list(REMOVE_ITEM unknown ${written})
    if(NOT "${missing}${unknown}" STREQUAL "")
      string(APPEND failures "\n${program}, ${how}: not documented: ${missing}; not written: ${unknown}")
    endif()
  endforeach()
endforeach()
if(failures)
  message(FATAL_ERROR "${failures}")
endif()
