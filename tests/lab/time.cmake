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
says("costs of branches" 0
  "\npdom, by branch\n;\nbranch +line +executed +diverged +cycles +issues +idle lanes +exited +barrier +memory +code\n;\n\\(converged\\) "
  time ${bfs} --policy pdom --branches)
says("costs of branches as JSON" 0 "\"branches\": \\[[^]]*\"label\": [^]]*\"idle_lanes\": " time ${bfs} --policy pdom --branches --json)

# Issues, waits and waits for memory of branches and lines have the same sums; active and idle lanes fill the slots.
foreach(policy IN ITEMS pdom tbc dwf-majority)
  says("lines, ${policy}" 0 "^kernel," time ${bfs} --policy ${policy} --lines --csv)
  set(lines "${printed}")
  says("branches, ${policy}" 0 "^kernel,policy,block,label,line,kind,executions,divergences,lanes,cycles,issues,idle_lanes,"
    time ${bfs} --policy ${policy} --branches --csv)
  set(branches "${printed}")
  foreach(figure IN ITEMS issues wait_cycles memory_cycles lanes idle_lanes exited_lanes barrier_lanes cycles)
    foreach(table IN ITEMS lines branches)
      string(REGEX MATCHALL "[^\n]+" rows "${${table}}")
      list(POP_FRONT rows names)
      string(REPLACE "," ";" names "${names}")
      list(FIND names ${figure} at)
      set(sum_${table} 0)
      foreach(row IN LISTS rows)
        string(REPLACE "," ";" row "${row}")
        if(at GREATER -1)
          list(GET row ${at} value)
          if(NOT value STREQUAL "")
            math(EXPR sum_${table} "${sum_${table}} + ${value}")
          endif()
        endif()
      endforeach()
      set(${figure}_${table} ${sum_${table}})
    endforeach()
  endforeach()
  math(EXPR slots "${lanes_lines} + ${idle_lanes_branches} + ${exited_lanes_branches} + ${barrier_lanes_branches}")
  math(EXPR width "32 * ${issues_lines}")
  math(EXPR cycles "${issues_lines} + ${wait_cycles_lines}")
  if(NOT issues_lines EQUAL issues_branches OR NOT wait_cycles_lines EQUAL wait_cycles_branches OR
      NOT memory_cycles_lines EQUAL memory_cycles_branches OR NOT slots EQUAL width OR NOT cycles EQUAL cycles_branches)
    string(APPEND failures "\n${policy}: lines and branches have other sums:\n${lines}${branches}")
  endif()
endforeach()

# The trace: one policy, and a file that says what it is.
says("a trace" 0 "^bfs on " time ${bfs} --policy pdom --events trace.json)
file(READ ${WORK_DIR}/trace.json trace)
if(NOT trace MATCHES "\n\"traceEvents\":.\n{\"name\":\"process_name\".*\"name\":\"[0-9]+: ld.param.*\"name\":\"L2\",\"ph\":\"C\".*\n.\n}\n$")
  string(APPEND failures "\ntrace.json is no trace")
endif()
says("a trace as a table" 0 "^bfs on " time ${bfs} --policy pdom --events trace.csv)
file(STRINGS ${WORK_DIR}/trace.csv trace LIMIT_COUNT 1)
if(NOT trace STREQUAL
    "core,scheduler,first,cycles,class,thread_block,warp,block,instruction,lanes,predicated_off,replays,schema,version")
  string(APPEND failures "\ntrace.csv: ${trace}")
endif()

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
    --policy pdom,tbc --jobs ${jobs} --csv=suite${jobs}.csv --svg suite${jobs}.svg)
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

# The picture of many bars has the page's width; panels stand below each other; long bars and names are cut, with marks.
says("a wide picture" 0 "." suite ${KERNELS} --kernels aes,bfs,exception_call,libor,mandelbrot,merge_sort,split_merge --time
  --policy "pdom,tf,tbc,none,pdom:order=larger,pdom:order=smaller,dwf-majority,dwf-barrier,volta,dwf:scheduler=minority"
  --jobs 2 --svg wide.svg)
file(READ ${WORK_DIR}/wide.svg svg)
string(REGEX MATCHALL "<text x=\"[0-9.]+\" y=\"[0-9.]+\" font-weight=\"bold\">" panels "${svg}")
list(LENGTH panels number)
set(ys ${panels})
list(TRANSFORM ys REPLACE ".* y=\"([0-9.]+)\".*" "\\1")
list(REMOVE_DUPLICATES ys)
list(LENGTH ys rows)
if(NOT svg MATCHES "^<svg [^>]* width=\"1000\"" OR NOT number EQUAL 7 OR NOT rows GREATER 1 OR
    NOT svg MATCHES "<title>none: [0-9]+ cycles, [0-9.]+</title>")
  string(APPEND failures "\nwide.svg: ${number} panels in ${rows} rows\n${svg}")
endif()

# A machine that is written, read again and changed gives the same cycles; a smaller L1 is another machine.
says("a machine file" 0 "^$" time --write-machine same.json)
says("a run on a machine file" 0 "." time ${bfs} --policy pdom,tbc,dwf-majority --csv --machine same.json)
if(NOT csv STREQUAL printed)
  string(APPEND failures "\nthe machine file gives other cycles:\n${csv}${printed}")
endif()
says("a change" 0 "\nbfs,gtx480,pdom," time ${bfs} --policy pdom --csv --set l1.size=512 --set l1.ways=4)

# The L2 begins with the buffers of the launch, unless copies go to the DRAM alone.
foreach(copies IN ITEMS l2 dram)
  says("copies to ${copies}" 0 "." time ${bfs} --policy pdom --json --set coherence.copies=${copies})
  string(JSON ${copies}_cycles ERROR_VARIABLE problem GET "${printed}" rows 0 cycles)
  string(JSON ${copies}_bytes ERROR_VARIABLE problem GET "${printed}" rows 0 bytes_dram_to_l2)
endforeach()
if(NOT l2_cycles LESS dram_cycles OR NOT l2_bytes LESS dram_bytes)
  string(APPEND failures "\ncopies through the L2: ${l2_cycles} cycles, ${l2_bytes} bytes from DRAM; "
    "else ${dram_cycles} cycles, ${dram_bytes} bytes")
endif()

# The counts of `ideal` are the counts of `run`.
says("ideal" 0 "\nbfs,ideal,pdom,[0-9]+,[0-9.]+,1.000000,([0-9]+),"
  time ${bfs} --policy pdom --csv --machine ideal)
string(REGEX MATCH "\nbfs,ideal,pdom,[0-9]+,[0-9.]+,1.000000,([0-9]+)," found "${printed}")
says("counts" 0 "\nbfs,pdom,${CMAKE_MATCH_1}," run ${bfs} --policy pdom --csv)

# Policies look up call depths in timed runs also.
set(calls ${KERNELS}/split_merge.ptx --launch ${KERNELS}/split_merge.launch.json)
says("ideal with calls" 0 "\nsplit_merge,ideal,min-pc,[0-9]+,[0-9.]+,[0-9.]+,([0-9]+),"
  time ${calls} --policy min-pc --csv --machine ideal)
string(REGEX MATCH "\nsplit_merge,ideal,min-pc,[0-9]+,[0-9.]+,[0-9.]+,([0-9]+)," found "${printed}")
says("counts with calls" 0 "\nsplit_merge,min-pc,${CMAKE_MATCH_1}," run ${calls} --policy min-pc --csv)

# A trace that was recorded with addresses takes the cycles of its kernel. A trace does not say which branches are
# proved uniform, so tbc knows only jumps to be.
foreach(name IN ITEMS bfs split_merge)
  set(kernel_of_trace ${KERNELS}/${name}.ptx --launch ${KERNELS}/${name}.launch.json)
  says("record ${name}" 0 "^$" record ${kernel_of_trace} --addresses -o ${name}.trace.gz --graph ${name}.cfg)
  says("time ${name}" 0 "\n${name},gtx480,min-pc," time ${kernel_of_trace}
    --policy pdom,tbc:uniform=jumps,min-pc --csv)
  string(REGEX REPLACE "\n([^,\n]*,[^,\n]*,[^,\n]*,[0-9]+)[^\n]*" "\n\\1" of_kernel "${printed}")
  says("time the trace of ${name}" 0 "\n${name},gtx480,min-pc,"
    time ${name}.cfg ${name}.trace.gz --policy pdom,tbc:uniform=jumps,min-pc --csv)
  string(REGEX REPLACE "\n([^,\n]*,[^,\n]*,[^,\n]*,[0-9]+)[^\n]*" "\n\\1" of_trace "${printed}")
  if(NOT of_kernel STREQUAL of_trace)
    string(APPEND failures "\n${name} takes\n${of_kernel}, and its trace\n${of_trace}")
  endif()
endforeach()
says("record without addresses" 0 "^$" record ${bfs} -o plain.trace)
says("a table of a trace" 0
  "^bfs on gtx480: ;\npdom +[0-9]+ +[0-9.]+ +1.000 ;\nbfs: warp width 32 \\(from the trace\\), barriers as fits each policy"
  time bfs.trace.gz --policy pdom)

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
refused("a trace of two policies" "--events records one policy: name it with --policy" ${bfs} --policy pdom,tf
  --events no.trace.json)
refused("a trace of no kind" "no.trace.txt: is neither .csv nor .json" ${bfs} --policy pdom --events no.trace.txt)
refused("a trace of no run" "--events: there is no run: pdom: left out, the launch file expects: livelock"
  ${KERNELS}/spin_lock.ptx --launch ${KERNELS}/spin_lock.launch.json --policy pdom --events no.trace.json)
refused("a trace and a picture in one file" "[^\n]*cannot take both the picture and the events" ${bfs} --policy pdom
  --events no.trace.json --svg ./no.trace.json)
file(WRITE ${WORK_DIR}/a.trace "")
refused("jobs of a trace" "a.trace: is no .ptx; a trace runs on one host thread, without --jobs" a.trace --jobs 2)
refused("registers of a trace" "a.trace: is no .ptx; a trace does not tell registers, so --registers takes a number"
  a.trace --registers estimate)
refused("registers by another word" "--registers: .*few not in {estimate}" ${bfs} --registers few)
refused("two tables" "--csv prints one table: --lines or --branches" ${bfs} --policy pdom --lines --branches --csv)
says("rows and a picture in one file" 2 "^./no.trace.txt: cannot take both rows and the picture" suite ${KERNELS}
  --kernels bfs --time --csv=no.trace.txt --svg ./no.trace.txt)
file(COPY ${KERNELS}/bfs.ptx ${KERNELS}/bfs.launch.json DESTINATION ${WORK_DIR}/inputs)
file(READ ${WORK_DIR}/inputs/bfs.launch.json launch)
says("a picture over an input" 2 "^inputs/bfs.launch.json: is the input, not written" suite inputs --time --policy pdom
  --svg inputs/bfs.launch.json)
says("a picture over the machine" 2 "^same.json: is the input, not written" suite inputs --time --policy pdom
  --machine same.json --svg same.json)
file(READ ${WORK_DIR}/inputs/bfs.launch.json left)
if(NOT left STREQUAL launch)
  string(APPEND failures "\nan input was written")
endif()
foreach(file IN ITEMS no.trace.json no.trace.txt)
  if(EXISTS ${WORK_DIR}/${file})
    string(APPEND failures "\n${file} was written")
  endif()
endforeach()
refused("too many jobs" "[^\n]*--jobs: Value 257 not in range" ${bfs} --jobs 257)
refused("a trace without addresses"
  "plain.trace: kernel bfs cannot be timed: the trace has no instructions and addresses; `record --addresses` writes"
  plain.trace)
refused("lines of a trace" "bfs.trace.gz: is no .ptx; a trace has no --lines, --branches and --events" bfs.trace.gz --lines)
refused("a kernel without launch" "--launch is required" ${KERNELS}/bfs.ptx)
refused("two kernels" "[^\n]*bfs.ptx: one kernel at a time; other.ptx is too many" ${bfs} other.ptx)
refused("warps of the trace" "bfs.trace.gz: kernel bfs cannot be timed: warps of 4 threads, but the machine 'gtx480'"
  bfs.trace.gz --warp-width 4)
refused("no kernel" "KERNEL.ptx is required" --policy pdom)
says("warps of the launch" 0 "\npdom +[0-9]+ " time ${kernel} --policy pdom --machine ideal --set core.warp_width=4)

# A kernel that does not finish under a policy has no cycles there.
says("a livelock" 0 "pdom: left out, the launch file expects: livelock;\nvolta +[0-9]+"
  time ${KERNELS}/spin_lock.ptx --launch ${KERNELS}/spin_lock.launch.json --policy pdom,volta)
says("a suite" 0
  "^Cycles under pdom on gtx480, and speed-ups over pdom\n +kernel +cycles +pdom +tbc\n +aes +[0-9]+ +1.000 +[0-9.]+\n;\n +harmonic mean +1.000 +[0-9.]+\n;figure1: left out, "
  suite ${KERNELS} --kernels aes,bfs,figure1 --time --policy pdom,tbc --csv=suite.csv)
file(READ ${WORK_DIR}/suite.csv csv)
if(NOT csv MATCHES "^kernel,machine,policy,cycles,.*\naes,gtx480,pdom,.*\nbfs,gtx480,tbc,")
  string(APPEND failures "\nthe suite as CSV:\n${csv}")
endif()

if(NOT failures STREQUAL "")
  message(FATAL_ERROR "simtflow-lab time:${failures}")
endif()
