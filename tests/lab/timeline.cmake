# SPDX-License-Identifier: BSL-1.0
#
# Draws the schedules of shipped kernels and of a trace as SVG and counts the shapes. Variables: TOOL, KERNELS,
# WORK_DIR.
cmake_minimum_required(VERSION 3.20)

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
set(failures "")
find_program(XMLLINT xmllint)

# counted(NAME NUMBER TEXT): the last picture holds that text so often.
function(counted name number text)
  string(REGEX REPLACE "[][;]" "_" rest "${svg}")  # brackets and semicolons would make lists
  string(REPLACE "${text}" ";" rest "${rest}")
  list(LENGTH rest found)
  math(EXPR found "${found} - 1")
  if(NOT found EQUAL number)
    set(failures "${failures}\n${name}: ${found} times \"${text}\", not ${number}" PARENT_SCOPE)
  endif()
endfunction()

# drawn(NAME STATUS ARGUMENT...): the picture goes to `svg`, what is said to `said`.
macro(drawn name status)
  execute_process(COMMAND ${TOOL} timeline ${ARGN} -o ${WORK_DIR}/${name}.svg WORKING_DIRECTORY ${WORK_DIR}
    RESULT_VARIABLE result OUTPUT_VARIABLE printed ERROR_VARIABLE said)
  set(svg "")
  if(EXISTS ${WORK_DIR}/${name}.svg)
    file(READ ${WORK_DIR}/${name}.svg svg)
  endif()
  if(NOT result STREQUAL "${status}" OR NOT printed STREQUAL "" OR NOT svg MATCHES "^<svg xmlns")
    string(APPEND failures "\n${name}: status ${result}: ${printed}${said}")
  endif()
  if(XMLLINT)
    execute_process(COMMAND ${XMLLINT} --noout ${WORK_DIR}/${name}.svg RESULT_VARIABLE result ERROR_VARIABLE problem)
    if(NOT result STREQUAL "0")
      string(APPEND failures "\n${name}: not well-formed: ${problem}")
    endif()
  endif()
endmacro()

set(figure1 ${KERNELS}/figure1.ptx --launch ${KERNELS}/figure1.launch.json)
drawn(figure1 0 ${figure1})
counted(figure1 2 "<g class=\"panel\">")
counted(figure1 15 "<path class=\"run\"") # nine blocks under pdom, six under tf
counted(figure1 7 "class=\"legend\"")
counted(figure1 1 ">50 warp instructions, SIMD efficiency 0.67<")
counted(figure1 1 ">39 warp instructions, SIMD efficiency 0.86<")
execute_process(COMMAND ${TOOL} timeline ${figure1} OUTPUT_VARIABLE printed)
if(NOT printed STREQUAL svg)
  string(APPEND failures "\nstandard output: another picture")
endif()

# A range of slots, the graph beside, the end of a deadlock, lanes that wait for their turn.
drawn(part 0 ${figure1} --slots 18:30)
counted(part 7 "<path class=\"run\"") # three blocks under pdom, four under tf
counted(part 1 ">20</text>")
drawn(beside 0 ${figure1} --graph)
counted(beside 3 "<svg")
counted(beside 6 "data-block=")
drawn(ended 0 ${KERNELS}/tree_reduction.ptx --launch ${KERNELS}/tree_reduction.launch.json --policy tbc --slots 900:)
counted(ended 1 "fill=\"url(#turn)\" d=")
counted(ended 0 "class=\"bad-end\"")
foreach(bad IN ITEMS "5:3" "5" ":" "a:b" "1:2:3" "-1:4")
  execute_process(COMMAND ${TOOL} timeline ${figure1} --slots ${bad} RESULT_VARIABLE result OUTPUT_VARIABLE printed ERROR_VARIABLE said)
  if(NOT result EQUAL 2 OR NOT printed STREQUAL "" OR NOT said MATCHES "--slots: '${bad}' is ")
    string(APPEND failures "\n--slots ${bad}: status ${result}: ${printed}${said}")
  endif()
endforeach()

# A thread block of several warps with barriers, beside a policy that forms warps anew; one of its warps; another block.
set(reduction ${KERNELS}/tree_reduction.ptx --launch ${KERNELS}/tree_reduction.launch.json)
drawn(warps 0 ${reduction} --policy pdom,tbc)
counted(warps 9 "class=\"frame\"")
counted(warps 2 "fill=\"url(#waits)\" d=") # one shape for each policy
counted(warps 1 ">warp 7</text>")
counted(warps 1 ">threads</text>")
counted(warps 1 "A column is ")
drawn(one_warp 0 ${reduction} --policy pdom --warp 3)
counted(one_warp 1 "class=\"frame\"")
counted(one_warp 1 ">warp 3</text>")
drawn(block_1 0 ${reduction} --policy pdom --block 1)
counted(block_1 8 "class=\"frame\"")

# A run that ends in a deadlock is drawn as far as it came, and the end is marked.
drawn(deadlock 0 ${KERNELS}/barrier_exception.ptx --launch ${KERNELS}/barrier_exception.launch.json)
counted(deadlock 1 ", barrier deadlock<")
counted(deadlock 1 "class=\"bad-end\"")
if(NOT said MATCHES "pdom: thread block 0: barrier deadlock")
  string(APPEND failures "\ndeadlock: ${said}")
endif()

file(WRITE ${WORK_DIR}/figure1.trace "k paper/figure1 - figure1
g figure1 6 0 K
0 1 - 2 1
1 1 - 2 5
2 1 - 4 3
3 1 - 4 5
4 1 - 5
5 1 -
t 0 0 2 3 4 5
t 1 0 1 5
t 2 0 1 2 4 5
t 3 0 1 2 3 5
c 0 1 2 3
")
drawn(trace 0 figure1.trace --policy pdom,tf,serial)
counted(trace 33 "<path class=\"run\"") # 9, 6 and 18
drawn(left_out 0 figure1.trace --policy pdom,predicate)
if(NOT said MATCHES "predicate: left out, needs structured code")
  string(APPEND failures "\nleft out: ${said}")
endif()

# refused(NAME MESSAGE ARGUMENT...): exit status 2, nothing printed, nothing written.
file(COPY ${KERNELS}/figure1.ptx ${KERNELS}/figure1.launch.json DESTINATION ${WORK_DIR}/own)
file(READ ${WORK_DIR}/figure1.trace trace)
string(REPLACE "k paper" "# \nk paper" second "${trace}")
string(REPLACE "figure1 6" "figure2 6" second "${second}")
string(REPLACE "- figure1" "- figure2" second "${second}")
file(WRITE ${WORK_DIR}/two.trace "${trace}${second}")
function(refused name expected)
  foreach(command IN ITEMS timeline explore)
    execute_process(COMMAND ${TOOL} ${command} ${ARGN} WORKING_DIRECTORY ${WORK_DIR}
      RESULT_VARIABLE result OUTPUT_VARIABLE printed ERROR_VARIABLE said)
    if(NOT result STREQUAL "2" OR NOT printed STREQUAL "" OR NOT said MATCHES "${expected}" OR EXISTS ${WORK_DIR}/out)
      string(APPEND failures "\n${command}, ${name}: status ${result}: ${printed}${said}")
      file(REMOVE ${WORK_DIR}/out)
    endif()
  endforeach()
  set(failures "${failures}" PARENT_SCOPE)
endfunction()
set(kernel own/figure1.ptx)
set(launch --launch own/figure1.launch.json)
refused("no file" "FILES is required" -o out)
refused("no such kernel" "^nowhere.ptx: no such file" nowhere.ptx ${launch} -o out)
refused("no launch file" "^own/figure1.ptx: a kernel needs --launch" ${kernel} -o out)
refused("no such launch file" "^nowhere.json: no such file" ${kernel} --launch nowhere.json -o out)
refused("a launch file for a trace" "a trace has no --launch" figure1.trace ${launch} -o out)
refused("two kernels" "one kernel at a time" ${kernel} ${kernel} ${launch} -o out)
refused("two kernels in a trace" "2 kernels; a picture shows one" two.trace -o out)
refused("an unknown policy" "there is no policy \"fastest\"" ${kernel} ${launch} --policy fastest -o out)
refused("a policy that cannot run it" "no policy ran.*predicate: left out" ${kernel} ${launch} --policy predicate -o out)
refused("no such thread block" "--block 1: the launch has thread blocks 0 to 0" ${kernel} ${launch} --block 1 -o out)
refused("no such thread block in a trace" "--block 9: the trace has" figure1.trace --block 9 -o out)
refused("a thread block before the first" "--block" ${kernel} ${launch} --block -1 -o out)
refused("output into nowhere" "^nowhere/out: cannot be written" ${kernel} ${launch} -o nowhere/out)
refused("output over the kernel" "is the input, not written" ${kernel} ${launch} -o own/figure1.ptx)
refused("output over the launch file" "is the input, not written" ${kernel} ${launch} -o own/figure1.launch.json)
refused("output over the trace" "is the input, not written" figure1.trace -o figure1.trace)
execute_process(COMMAND ${TOOL} timeline ${reduction} --policy pdom,tbc --warp 1 RESULT_VARIABLE result OUTPUT_VARIABLE printed
  ERROR_VARIABLE said)
if(NOT result STREQUAL "2" OR NOT printed STREQUAL "" OR NOT said MATCHES "^--warp: tbc forms warps")
  string(APPEND failures "\na warp of tbc: status ${result}: ${said}")
endif()
execute_process(COMMAND ${TOOL} timeline ${reduction} --warp 8 RESULT_VARIABLE result OUTPUT_VARIABLE printed ERROR_VARIABLE said)
if(NOT result STREQUAL "2" OR NOT printed STREQUAL "" OR NOT said MATCHES "^--warp 8: thread block 0 has no such warp")
  string(APPEND failures "\nno such warp: status ${result}: ${said}")
endif()
foreach(file IN ITEMS figure1.ptx figure1.launch.json)
  file(SHA256 ${WORK_DIR}/own/${file} now)
  file(SHA256 ${KERNELS}/${file} before)
  if(NOT now STREQUAL before)
    string(APPEND failures "\n${file} was written over")
  endif()
endforeach()

if(NOT failures STREQUAL "")
  message(FATAL_ERROR "${failures}")
endif()
