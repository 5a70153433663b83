# SPDX-License-Identifier: BSL-1.0
#
# Commands that a signal ends: what they print, their exit status, the files that remain; and suites that go on.
# Variables: TOOL, KERNELS, WORK_DIR.
cmake_minimum_required(VERSION 3.20)

find_program(BASH bash)
if(NOT UNIX OR NOT BASH)
  message("skipped: no POSIX signals, or no bash")
  return()
endif()
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
set(failures "")

# stopped(OUT SIGNAL FILE ARGUMENT...): runs the tool, sends the signal when FILE is there (or after half a second if it
# is none), and gives what it printed and its exit status. With -m, bash does not let what runs beside it ignore SIGINT.
function(stopped out signal file)
  string(JOIN "' '" words ${ARGN})
  execute_process(COMMAND bash -c "set -m
'${TOOL}' '${words}' > out.txt 2> err.txt &
i=0
while [ $i -lt 3000 ]; do
  if [ '${file}' = none ]; then [ $i -lt 50 ] || break; elif [ -e '${file}' ]; then break; fi
  i=$((i + 1)); sleep 0.01
done
kill -${signal} $!
wait $!
echo status=$? >> out.txt"
    WORKING_DIRECTORY ${WORK_DIR} TIMEOUT 100 ERROR_QUIET)
  file(READ ${WORK_DIR}/out.txt printed)
  file(READ ${WORK_DIR}/err.txt said)
  set(${out} "${printed}${said}" PARENT_SCOPE)
endfunction()

# A suite, whole and stopped after some kernels and resumed: the same rows and the same text.
set(names figure1,lu_perimeter,sb1,sb2)
foreach(kind IN ITEMS plain tables time)
  set(suite suite ${KERNELS} --kernels ${names} --policy pdom,tf,tbc)
  if(NOT kind STREQUAL "plain")
    list(APPEND suite --${kind})
  endif()
  if(kind STREQUAL "time")
    list(APPEND suite --warp-width 32)
  endif()
  execute_process(COMMAND ${TOOL} ${suite} --jobs 3 --csv=whole.csv WORKING_DIRECTORY ${WORK_DIR}
    RESULT_VARIABLE status OUTPUT_VARIABLE whole ERROR_VARIABLE said)
  if(NOT status EQUAL 0)
    string(APPEND failures "\n${kind}: status ${status}: ${said}")
  endif()
  # On a busy machine the suite may be over before the signal comes: then once more.
  foreach(attempt RANGE 1 10)
    file(REMOVE ${WORK_DIR}/part.csv)
    stopped(printed INT part.csv ${suite} --csv=part.csv)
    if(NOT printed MATCHES "status=0\n")
      break()
    endif()
  endforeach()
  if(NOT printed MATCHES "\nstopped: [1-3] of 4 kernels are there\nstatus=130\n$")
    string(APPEND failures "\n${kind}, stopped: ${printed}")
  endif()
  file(STRINGS ${WORK_DIR}/part.csv part)
  file(STRINGS ${WORK_DIR}/whole.csv all)
  list(LENGTH part part)
  list(LENGTH all all)
  if(NOT part LESS all OR part LESS 2)
    string(APPEND failures "\n${kind}: ${part} of ${all} lines before it was stopped")
  endif()
  execute_process(COMMAND ${TOOL} ${suite} --csv=part.csv --resume WORKING_DIRECTORY ${WORK_DIR}
    RESULT_VARIABLE status OUTPUT_VARIABLE resumed ERROR_VARIABLE said)
  execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files whole.csv part.csv WORKING_DIRECTORY ${WORK_DIR}
    RESULT_VARIABLE differ)
  if(NOT "${status} ${differ}" STREQUAL "0 0" OR NOT resumed STREQUAL whole)
    string(APPEND failures "\n${kind}, resumed: status ${status}, files differ: ${differ}\n${whole}${resumed}${said}")
  endif()
endforeach()
# Nothing runs again: the time of a kernel's runs is not spent.
execute_process(COMMAND ${TOOL} suite ${KERNELS} --kernels ${names} --policy pdom --csv=one.csv WORKING_DIRECTORY ${WORK_DIR}
  RESULT_VARIABLE status OUTPUT_QUIET)
file(READ ${WORK_DIR}/one.csv text)
string(REGEX REPLACE "figure1,pdom,50," "figure1,pdom,51," changed "${text}")
file(WRITE ${WORK_DIR}/one.csv "${changed}")
execute_process(COMMAND ${TOOL} suite ${KERNELS} --kernels ${names} --policy pdom --csv=one.csv --resume
  WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE status OUTPUT_QUIET)
file(READ ${WORK_DIR}/one.csv text)
if(NOT status EQUAL 0 OR changed STREQUAL "" OR NOT text STREQUAL changed OR NOT text MATCHES "figure1,pdom,51,")
  string(APPEND failures "\na kept row was not kept: status ${status}")
endif()
# Other settings run again; another version and another kind of rows are refused.
execute_process(COMMAND ${TOOL} suite ${KERNELS} --kernels ${names} --policy pdom --warp-width 16 --csv=one.csv --resume
  WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE status OUTPUT_QUIET)
file(READ ${WORK_DIR}/one.csv text)
if(NOT status EQUAL 0 OR text MATCHES "figure1,pdom,51,")
  string(APPEND failures "\nanother warp width: status ${status}, the row was kept")
endif()
foreach(change IN ITEMS "run/1,[0-9.]+;run/1,9.9.9;of version 9.9.9; this is simtflow.run/1 of version"
    "simtflow.run/1;simtflow.run/7;is simtflow.run/7 of version")
  list(GET change 0 from)
  list(GET change 1 to)
  list(GET change 2 expected)
  string(REGEX REPLACE "${from}" "${to}" other "${text}")
  file(WRITE ${WORK_DIR}/other.csv "${other}")
  execute_process(COMMAND ${TOOL} suite ${KERNELS} --kernels ${names} --csv=other.csv --resume
    WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
  if(NOT status EQUAL 2 OR NOT said MATCHES "${expected}")
    string(APPEND failures "\n${to}: status ${status}: ${printed}${said}")
  endif()
endforeach()

# Long runs: they end at once with what there is. SIGTERM gives 143.
set(long ${KERNELS}/mandelbrot.ptx --launch ${KERNELS}/mandelbrot.bench.launch.json)
stopped(printed INT none run ${long} --policy all --metrics)
if(NOT printed MATCHES "status=130\n" OR NOT printed MATCHES "\nstopped: these are the runs that were over\n|stopped before there was a result\n")
  string(APPEND failures "\nrun: ${printed}")
endif()
stopped(printed TERM none run ${long} --policy all --metrics --json)
if(NOT printed MATCHES "status=143\n")
  string(APPEND failures "\nrun, SIGTERM: ${printed}")
endif()
stopped(printed INT none time ${long} --policy all)
if(NOT printed MATCHES "status=130\n")
  string(APPEND failures "\ntime: ${printed}")
endif()
stopped(printed INT none laws --programs 100000 --policy tf)
if(NOT printed MATCHES "status=130\n" OR NOT printed MATCHES "stopped before there was a result\n")
  string(APPEND failures "\nlaws: ${printed}")
endif()

# A reader that goes away: the tool ends as others do, by SIGPIPE, and leaves no part of a file.
execute_process(COMMAND sh -c "{ sleep 0.3; '${TOOL}' suite '${KERNELS}' --kernels figure1 --policy pdom --csv=pipe.csv
  echo $? > pipe.status; } | true" WORKING_DIRECTORY ${WORK_DIR} ERROR_VARIABLE said)
file(READ ${WORK_DIR}/pipe.status status)
if(NOT status STREQUAL "141\n" OR NOT said STREQUAL "")
  string(APPEND failures "\nno reader: status ${status}, ${said}")
endif()
file(GLOB parts ${WORK_DIR}/*.part)
if(NOT parts STREQUAL "")
  string(APPEND failures "\nleft behind: ${parts}")
endif()

if(NOT failures STREQUAL "")
  message(FATAL_ERROR "${failures}")
endif()
