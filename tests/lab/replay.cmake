# SPDX-License-Identifier: BSL-1.0
#
# Replays the graph of the thread frontiers paper's Figure 1 with an inline graph, and the recorded traces of real
# kernels where they are at hand. Variables: TOOL, CORPUS (may be empty), WORK_DIR.
cmake_minimum_required(VERSION 3.20)

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
set(failures "")

# replayed(KERNEL PDOM TF ARGUMENT...): warp instructions under both policies.
function(replayed kernel pdom tf)
  execute_process(COMMAND ${TOOL} replay ${ARGN} --csv
    RESULT_VARIABLE status OUTPUT_VARIABLE csv ERROR_VARIABLE said)
  if(NOT status STREQUAL "0" OR NOT csv MATCHES "\n${kernel}[^,\n]*,pdom,${pdom}," OR
      NOT csv MATCHES "\n${kernel}[^,\n]*,tf,${tf},")
    set(failures "${failures}\n${kernel}: expected ${pdom} and ${tf}, status ${status}\n${csv}${said}" PARENT_SCOPE)
  endif()
endfunction()

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
replayed(figure1 9 6 ${WORK_DIR}/figure1.trace)
file(WRITE ${WORK_DIR}/loop.trace "k own/loop - loop
g loop 5 0 K
0 1 - 1 2
1 1 - 3 2
2 1 - 1 4
3 1 - 1
4 1 -
t 0 0 1 3 1 3 1 3 1 2 4
t 1 0 2 4
c 0 1 0 0
")

# transformed(NAME EXPECTED ARGUMENT...): the output matches all of the regular expressions.
function(transformed name expected)
  execute_process(COMMAND ${TOOL} replay ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
  foreach(expression IN LISTS expected)
    if(NOT status STREQUAL "0" OR NOT said STREQUAL "" OR NOT printed MATCHES "${expression}")
      set(failures "${failures}\n${name}: status ${status}, expected ${expression}\n${printed}${said}" PARENT_SCOPE)
    endif()
  endforeach()
endfunction()
function(refused name expected)
  execute_process(COMMAND ${TOOL} replay ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
  if(NOT status STREQUAL "2" OR NOT printed STREQUAL "" OR NOT said MATCHES "${expected}")
    set(failures "${failures}\n${name}: status ${status}, expected ${expected}\n${printed}${said}" PARENT_SCOPE)
  endif()
endfunction()

# Copies execute what pdom executed, and no instruction is added; guards are two instructions each.
transformed("copies" "figure1: 6 blocks, after that 11: 0 guards, 5 copies;  pdom +9 +9 +9 +9 +1.000\n;  tf +6 +[0-9]+ +6 "
  ${WORK_DIR}/figure1.trace --transform struct --policy pdom,tf)
transformed("guards" "figure1 --linearize\n;2 guards, 0 copies;  pdom +9 +8 +9 "
  ${WORK_DIR}/figure1.trace --transform linearize --policy pdom)
transformed("one after the other" "figure1 --linearize=none --struct\n"
  ${WORK_DIR}/figure1.trace --transform linearize=none,struct --policy pdom)
transformed("the profile chooses" "irreducible loop with the entries BB1, BB2: BB1 is the header|irreducible loop with the entries BB2, BB1: BB[12] is the header;hubs: [0-9]+ tests"
  ${WORK_DIR}/loop.trace --transform fix-irreducible --policy pdom)
refused("a transform that there is not" "^--transform: .linearise. is no transform of a graph; there are linearize"
  ${WORK_DIR}/figure1.trace --transform linearise)
refused("a block that there is not" "^BB9 of merge-loops: the graph has no such block"
  ${WORK_DIR}/figure1.trace --transform merge-loops=9)
refused("a limit without copies" "requires --transform" ${WORK_DIR}/figure1.trace --most-copies 5)
execute_process(COMMAND ${TOOL} replay ${WORK_DIR}/figure1.trace --transform struct --most-copies 8
  RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
if(NOT status STREQUAL "1" OR NOT printed MATCHES "figure1: not transformed: not structured by copies: the forward copy takes more than 8 blocks")
  set(failures "${failures}\na limit that is too low: status ${status}\n${printed}${said}")
endif()

if(CORPUS)
  transformed("mandelbrot" "  pdom +818274 +374371 +4614814 +1887610 +0.409\n"
    ${CORPUS}/traces/mandelbrot-ptx23.trace.gz --transform struct --policy pdom)
  set(traces ${CORPUS}/traces)
  replayed(_Z16Mandelbrot0 4614814 1587591 ${traces}/mandelbrot-ptx23.trace.gz --order rpo)
  replayed(_Z20needle_cuda_shared_1 37116 37116 ${CORPUS}/rodinia.llvm.cfg.gz ${traces}/nw.trace.gz)
  replayed(_Z20needle_cuda_shared_2 28924 28924 ${CORPUS}/rodinia.llvm.cfg.gz ${traces}/nw.trace.gz)
endif()

if(NOT failures STREQUAL "")
  message(FATAL_ERROR "${failures}")
endif()
