# SPDX-License-Identifier: BSL-1.0
#
# `simtflow-lab time` and `suite --time` from outside. Variables: TOOL, KERNELS (the shipped kernels), WORK_DIR.
cmake_minimum_required(VERSION 3.20)

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
set(failures "")

include(${CMAKE_CURRENT_LIST_DIR}/says.cmake)

set(kernel ${KERNELS}/figure1.ptx --launch ${KERNELS}/figure1.launch.json)
set(bfs ${KERNELS}/bfs.ptx --launch ${KERNELS}/bfs.launch.json)

says("a table" 0
  "^bfs on gtx480: [0-9]+ thread blocks? a core \\([0-9]+ warps resident\\), limited by ;\npolicy +cycles +IPC +x pdom ;\npdom +[0-9]+ +[0-9.]+ +1.000 ;\npolicy +L1 acc. ;\nmemory: pdom = tbc = serial\n$"
  time ${bfs} --policy pdom,tbc)
says("costs of lines" 0 "\npdom, by line of the PTX text\nline +issues +lanes +wait +memory +code\n;\n184 +36 +32.0 +[0-9]+ +[0-9]+  @%p15 bra "
  time ${bfs} --policy pdom --lines)
says("costs of lines as CSV" 0 "^kernel,policy,line,issues,;\nbfs,pdom,184,36,1152,0,[0-9]+,[0-9]+,@%p15 bra "
  time ${bfs} --policy pdom --lines --csv)
says("speed-ups need pdom" 0 "\ntf +[0-9]+ +[0-9.]+ +- "
  time ${bfs} --policy tf)
says("machines" 0 "^ideal ;\ngtx480 " time --list-machines)

# Two runs are the same, byte for byte; the classes of a row sum up to its scheduler-cycles.
says("CSV" 0 "^kernel,machine,policy,cycles,ipc,speedup," time ${bfs} --policy pdom,tbc,dwf-majority --csv)
set(csv "${printed}")
says("CSV again" 0 "." time ${bfs} --policy pdom,tbc,dwf-majority --csv)
if(NOT csv STREQUAL printed)
  string(APPEND failures "\ntwo runs differ:\n${csv}${printed}")
endif()
string(REGEX MATCHALL "[^\n]+" lines "${csv}")
list(POP_FRONT lines names)
string(REPLACE "," ";" names "${names}")
list(FIND names scheduler_cycles at)
list(LENGTH lines rows)
if(NOT rows EQUAL 3)
  string(APPEND failures "\nthree rows expected:\n${csv}")
endif()
foreach(row IN LISTS lines)
  string(REPLACE "," ";" row "${row}")
  list(GET row ${at} total)
  math(EXPR first "${at} + 1")
  list(SUBLIST row ${first} 12 classes)
  string(REPLACE ";" " + " sum "${classes}")
  math(EXPR sum "${sum}")
  if(NOT sum EQUAL total)
    string(APPEND failures "\nclasses sum up to ${sum}, not ${total}: ${row}")
  endif()
endforeach()

# JSON and the picture.
says("JSON" 0 "\"good\": true" time ${bfs} --policy pdom,tbc --json --svg bars.svg)
string(JSON cycles ERROR_VARIABLE problem GET "${printed}" rows 1 cycles)
string(JSON policy ERROR_VARIABLE problem GET "${printed}" rows 1 policy)
if(NOT cycles GREATER 0 OR NOT policy STREQUAL tbc)
  string(APPEND failures "\nJSON: ${problem}\n${printed}")
endif()
file(READ ${WORK_DIR}/bars.svg svg)
if(NOT svg MATCHES "^<svg .*>W25-32</text>.*>W0 memory<.*</svg>\n$|^<svg .*>W0 memory<.*>W25-32</text>.*</svg>\n$")
  string(APPEND failures "\nbars.svg:\n${svg}")
endif()

# Output and files are the same for any number of jobs.
foreach(jobs IN ITEMS 1 3)
  says("--jobs ${jobs}" 0 "." time ${bfs} --policy pdom,tbc,volta --jobs ${jobs} --svg jobs${jobs}.svg)
  set(table${jobs} "${printed}")
  foreach(format IN ITEMS csv json)
    says("--jobs ${jobs} --${format}" 0 "." time ${bfs} --policy pdom,tbc,volta --jobs ${jobs} --${format} --lines)
    set(${format}${jobs} "${printed}")
  endforeach()
  says("suite --jobs ${jobs}" 0 "figure1: left out, " suite ${KERNELS} --kernels aes,bfs,figure1,spin_lock --time
    --policy pdom,tbc --jobs ${jobs} --csv suite${jobs}.csv --svg suite${jobs}.svg)
  set(suite${jobs} "${printed}")
endforeach()
foreach(what IN ITEMS table csv json suite)
  if(NOT ${what}1 STREQUAL ${what}3)
    string(APPEND failures "\n--jobs changes the ${what}:\n${${what}1}\n${${what}3}")
  endif()
endforeach()
foreach(file IN ITEMS jobs%.svg suite%.csv suite%.svg)
  string(REPLACE "%" "1" one ${file})
  string(REPLACE "%" "3" three ${file})
  execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${one} ${three} WORKING_DIRECTORY ${WORK_DIR}
    RESULT_VARIABLE differ)
  if(differ)
    string(APPEND failures "\n--jobs changes ${file}")
  endif()
endforeach()

# A machine that is written, read again and changed gives the same cycles; a smaller L1 is another machine.
says("a machine file" 0 "^$" time --write-machine same.json)
says("a run on a machine file" 0 "." time ${bfs} --policy pdom,tbc,dwf-majority --csv --machine same.json)
if(NOT csv STREQUAL printed)
  string(APPEND failures "\nthe machine file gives other cycles:\n${csv}${printed}")
endif()
says("a change" 0 "\nbfs,gtx480,pdom," time ${bfs} --policy pdom --csv --set l1.size=512 --set l1.ways=4)

# The counts of `ideal` are the counts of `run`.
says("ideal" 0 "\nbfs,ideal,pdom,[0-9]+,[0-9.]+,1.000000,([0-9]+),"
  time ${bfs} --policy pdom --csv --machine ideal)
string(REGEX MATCH "\nbfs,ideal,pdom,[0-9]+,[0-9.]+,1.000000,([0-9]+)," found "${printed}")
says("counts" 0 "\nbfs,pdom,${CMAKE_MATCH_1}," run ${bfs} --policy pdom --csv)

# Input that cannot be used.
function(refused name expected)
  says("${name}" 2 "^${expected}" time ${ARGN})
  set(failures "${failures}" PARENT_SCOPE)
endfunction()
file(WRITE ${WORK_DIR}/bad.json "{\"l1\": {\"sze\": 4}}")
file(WRITE ${WORK_DIR}/no.json "{")
refused("no machine" "--machine gtx48: no machine 'gtx48' \\(did you mean gtx480\\?\\)" ${bfs} --machine gtx48)
refused("no machine file" "nowhere.json: no such file" ${bfs} --machine nowhere.json)
refused("an unknown field in a file" "bad.json:1:[0-9]+: .*did you mean l1.size" ${bfs} --machine bad.json)
refused("no JSON" "no.json:1:[0-9]+: " ${bfs} --machine no.json)
refused("an unknown field" "--set l1.sze=1: no field 'l1.sze' \\(did you mean l1.size\\?\\)" ${bfs} --set l1.sze=1)
refused("a wrong value" "--set l1.size=x: l1.size needs a number" ${bfs} --set l1.size=x)
refused("values that do not fit" "machine gtx480: l1.ways: 7 does not divide" ${bfs} --set l1.ways=7)
refused("no bandwidth" "--set network.bytes_per_cycle=0: " ${bfs} --set network.bytes_per_cycle=0)
refused("a thread block larger than a core" "[^\n]*bfs.launch.json: a thread block "
  ${bfs} --set core.max_threads=32 --set core.max_block_threads=32)
refused("warps of another width" "[^\n]*figure1.launch.json: warps of 4 threads, but the machine 'gtx480' has warps of 32"
  ${kernel})
refused("too many jobs" "[^\n]*--jobs: Value 257 not in range" ${bfs} --jobs 257)
says("--jobs without --time" 2 "--jobs requires --time" suite ${KERNELS} --jobs 2)
refused("no kernel" "KERNEL.ptx is required" --policy pdom)
says("warps of the launch" 0 "\npdom +[0-9]+ " time ${kernel} --policy pdom --machine ideal --set core.warp_width=4)

# A kernel that does not finish under a policy has no cycles there.
says("a livelock" 0 "pdom: left out, the launch file expects: livelock;\nvolta +[0-9]+"
  time ${KERNELS}/spin_lock.ptx --launch ${KERNELS}/spin_lock.launch.json --policy pdom,volta)
says("a suite" 0
  "^Cycles under pdom on gtx480, and speed-ups over pdom\n +kernel +cycles +pdom +tbc\n +aes +[0-9]+ +1.000 +[0-9.]+\n;\n +harmonic mean +1.000 +[0-9.]+\n;figure1: left out, "
  suite ${KERNELS} --kernels aes,bfs,figure1 --time --policy pdom,tbc --csv suite.csv)
file(READ ${WORK_DIR}/suite.csv csv)
if(NOT csv MATCHES "^kernel,machine,policy,cycles,.*\naes,gtx480,pdom,.*\nbfs,gtx480,tbc,")
  string(APPEND failures "\nthe suite as CSV:\n${csv}")
endif()

if(NOT failures STREQUAL "")
  message(FATAL_ERROR "simtflow-lab time:${failures}")
endif()
