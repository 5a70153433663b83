# SPDX-License-Identifier: BSL-1.0
#
# `simtflow-lab analyze` from outside: kernels and graph files in one call, and what it says to input it cannot use: the
# message with its place, exit status 2, and nothing written. Variables: TOOL, KERNELS (the shipped kernels), WORK_DIR.
cmake_minimum_required(VERSION 3.20)

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR}/folder)
set(failures "")

function(refused name expected)
  execute_process(COMMAND ${TOOL} analyze ${ARGN} WORKING_DIRECTORY ${WORK_DIR} TIMEOUT 60
    RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
  if(NOT status STREQUAL "2" OR NOT printed STREQUAL "" OR NOT said MATCHES "${expected}")
    set(failures "${failures}\n${name}: status ${status}, expected 2 and ${expected}\n${printed}${said}" PARENT_SCOPE)
  endif()
endfunction()

file(WRITE ${WORK_DIR}/good.cfg "g f 3 0 K\n0 3 - 1 2\n1 1 - 2\n2 0 x\ng g 1 0 K\n0 1 -\n")
file(WRITE ${WORK_DIR}/bad.cfg "g f 1 0 K\n0 3 -\ng g 2 0 K\n0 3 - 7\n")
file(WRITE ${WORK_DIR}/empty.cfg "# nothing\n")
file(WRITE ${WORK_DIR}/nothing.cfg "")
file(WRITE ${WORK_DIR}/empty.ptx "")
file(WRITE ${WORK_DIR}/header.ptx ".version 8.0\n.target sm_70\n.address_size 64\n")
file(READ ${KERNELS}/figure1.ptx text)
string(REPLACE "and.b32" "nand.b32" text "${text}")
file(WRITE ${WORK_DIR}/opcode.ptx "${text}")

refused("no file given" "FILES is required")
refused("no such file" "^nowhere.cfg: no such file" good.cfg nowhere.cfg)
refused("no such module" "^nowhere.ptx: no such file" good.cfg nowhere.ptx)
refused("a directory" "^folder: is a directory" good.cfg folder)
refused("an edge to nowhere" "^bad.cfg:4:7: " good.cfg bad.cfg)
refused("an edge to nowhere, --csv" "^bad.cfg:4:7: " --csv good.cfg bad.cfg)
refused("a file without a graph" "^empty.cfg:1:1: no graph" empty.cfg)
refused("an empty file" "^nothing.cfg:1:1: no graph" good.cfg nothing.cfg)
refused("an empty module" "^empty.ptx:1:1: " empty.ptx)
refused("a module without a kernel" "^header.ptx:1:1: the module has no kernel" header.ptx)
refused("an unknown opcode" "^opcode.ptx:[0-9]+:[0-9]+: .*nand" good.cfg opcode.ptx)
refused("an unknown graph" "^good.cfg: no kernel or graph is called .h." good.cfg --kernel h)
refused("an unknown kernel" "figure1.ptx: no kernel or graph is called .f." ${KERNELS}/figure1.ptx --kernel f)
refused("a name in none of two files" "^all files: no kernel or graph is called .h." good.cfg ${KERNELS}/figure1.ptx --kernel h)
refused("an unknown order" "--order: there is no \"none\"; there are" good.cfg --order none)
refused("blocks as CSV" "excludes --" good.cfg --csv --blocks)
refused("blocks of transformed graphs" "excludes --" good.cfg --struct --blocks)
refused("jobs of the analyses" "^--jobs: goes with --struct or --linearize" good.cfg --jobs 2)
refused("a limit without copies" "requires --struct" good.cfg --linearize --most-copies 5)
refused("no limit" "--most-copies: " good.cfg --struct --most-copies 0)

# analyzed(NAME EXPECTED ARGUMENT...): the output matches all of the regular expressions.
function(analyzed name expected)
  execute_process(COMMAND ${TOOL} analyze ${ARGN} WORKING_DIRECTORY ${WORK_DIR} TIMEOUT 60
    RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
  if("--csv" IN_LIST ARGN)
    set(said "") # remarks, which the rows have no place for
  endif()
  foreach(expression IN LISTS expected)
    if(NOT status STREQUAL "0" OR NOT said STREQUAL "" OR NOT printed MATCHES "${expression}")
      set(failures "${failures}\n${name}: status ${status}, expected ${expression}\n${printed}${said}" PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# More blocks than fit into one word of bits, and a sentinel that nothing reaches.
set(text "g spin 100 0 K\n0 1 - 0\n")
foreach(b RANGE 1 98)
  string(APPEND text "${b} 1 - 99\n")
endforeach()
file(WRITE ${WORK_DIR}/spin.cfg "${text}99 0 x\n")
analyzed("a sentinel that nothing reaches" "^spin\n  1 block, 1 edge, .*98 unreachable, 1 endless\n" spin.cfg)
analyzed("a graph file" "^f\n  2 blocks, 3 edges, 4 instructions.*;\ng\n  1 block.*;\nall 2 graphs\n" good.cfg)
analyzed("a graph file that says nothing of divergence" "^f\n[^\n]*\n  1 branch, assumed to be divergent: the file does not say" good.cfg --kernel f)
analyzed("why branches are divergent" "6 branches: 3 divergent, 3 uniform;uniformity: 6 branches: 3 divergent, 3 uniform; [0-9]+ values: [0-9]+ divergent, 3 more after a loop\n;BB2 .L__BB0_2 .line 69. divergent: %p2 comes from %r19 = %tid.x .line 42.\n;BB0 .line 54. uniform: %p1 is the same in threads that are together\n;loop at BB2 .L__BB0_2: threads leave it in different iterations, by the branch of BB3 .line 78.; 1 value that is uniform in it is used after it\n"
  ${KERNELS}/mandelbrot.ptx)
analyzed("the same of functions that are called" "1 not known .calls, returns.;function _Z4step.*BB19 .line 33. divergent: %p1 comes from %r12 = ld.param.u32"
  ${KERNELS}/exception_call.ptx --kernel exception_call)
analyzed("one graph of a file" "^g\n  1 block, 0 edges, 1 instruction" good.cfg --kernel g)
foreach(name IN ITEMS figure1 "figure1 (figure1.ptx)" figure1.ptx:figure1 figure1:figure1)
  analyzed("a kernel called ${name}" "^figure1 .figure1.ptx.\n" ${KERNELS}/figure1.ptx --kernel ${name})
endforeach()
analyzed("a graph called by its file" "^g\n  1 block" good.cfg ${KERNELS}/figure1.ptx --kernel good.cfg:g)
analyzed("a module and a file" "^figure1 .figure1.ptx.\n;\n\nf\n  2 blocks;\n\nall 3 graphs\n" ${KERNELS}/figure1.ptx good.cfg)
analyzed("the same as CSV" "^suite,file,[^\n]*,rpohaz,order,schema,version\n,figure1,,figure1,K,6,[^\n]*\n,,,f,K,2,[^\n]*\n,,,g,K,1,[^\n]*\n$"
  ${KERNELS}/figure1.ptx good.cfg --csv)
foreach(order IN ITEMS rpo loop-contiguous dominance-compact barrier-aware exit-distance)
  analyzed("${order}" "priorities: ${order}; ;Algorithm 1;Ocelot's sweep;sound fixpoint"
    ${KERNELS}/barrier_exception.ptx --order ${order} --blocks)
endforeach()

# Transforms: structured, Figure 1 of the thread frontiers paper, irreducible, endless, around a barrier, exponential.
file(WRITE ${WORK_DIR}/shapes.cfg "g figure1 7 0 K
0 1 - 1 2
1 1 - 5 2
2 1 - 3 4
3 1 - 4 5
4 1 - 5
5 1 - 6
6 0 x
g irreducible 4 0 K
0 1 - 1 2
1 4 - 2
2 1 - 1 3
3 0 x
g endless 3 0 K
0 1 - 1 2
1 1 - 1
2 0 x
g barrier 6 0 K
0 1 - 1 3
1 1 - 2 3
2 1 - 4
3 1 b 4
4 1 - 5
5 0 x
")
set(ladder "g ladder 62 0 K\n")
foreach(b RANGE 0 59)
  math(EXPR one "${b} + 1")
  math(EXPR two "${b} + 2")
  if(two GREATER 60)
    set(two 60)
  endif()
  string(APPEND ladder "${b} 1 - ${one} ${two}\n")
endforeach()
file(WRITE ${WORK_DIR}/ladder.cfg "${ladder}60 1 - 61\n61 0 x\n")
set(both shapes.cfg good.cfg ladder.cfg --struct --linearize)
analyzed("transforms of graphs"
  "^graph +transform +result +blocks +after +guards +copies +fwd +back +cuts +edges +expansion +depth +after\n;figure1 +struct +done +6 +11 +0 +5 +2 +0 +0 +[0-9]+ +.83.3 %;figure1 +linearize +done +6 +8 +2 +0 ;irreducible +struct +done +3 +6 +0 +3 +1 +1 +0 ;irreducible +linearize +done ;endless +struct +none +2 +2 +0 +0 ;barrier +struct +barrier ;f +struct +none ;ladder +struct +limit +61 +61 ;all 7 graphs +struct +2 done ;all 7 graphs +linearize +3 done ;struct: 1 graph beyond 65536 blocks .--most-copies., 1 with barriers;ladder: not structured by copies: the forward copy takes more than 65536 blocks, see BB[0-9]+\n"
  ${both})
analyzed("transforms of graphs as CSV"
  "^suite,[^\n]*,depth_after,schema,version\n;,figure1,K,6,9,6,0,[0-9]+,[0-9]+,struct,done,11,0,5,0,0,2,0,0,11,83.333,[0-9]+,simtflow;,ladder,K,61,[0-9]+,61,0,[0-9]+,[0-9]+,struct,limit,61,"
  ${both} --csv)
analyzed("a larger limit" "ladder +struct +limit ;figure1 +struct +limit +6 " ${both} --most-copies 10)
analyzed("a kernel with calls" "exception_call .exception_call.ptx.: left out, its graph leads through functions"
  ${KERNELS}/exception_call.ptx --struct)
execute_process(COMMAND ${TOOL} analyze ${both} WORKING_DIRECTORY ${WORK_DIR} OUTPUT_VARIABLE one)
execute_process(COMMAND ${TOOL} analyze ${both} --jobs 3 WORKING_DIRECTORY ${WORK_DIR} OUTPUT_VARIABLE three)
if(NOT one STREQUAL three)
  set(failures "${failures}\nother rows with --jobs 3:\n${one}${three}")
endif()
if(CORPUS)
  analyzed("the kernels of the thread frontiers paper"
    "mcx_main_loop +struct +done +221 +617 +0 +396 +17 +0 +0 ;renderer_core_loop +struct +done +257 +545 +14 +274 +42 +0 +6 "
    ${CORPUS}/thread-frontiers-kernels.cfg --struct)
  analyzed("thousands of graphs" "all 14143 graphs +struct +3524 done;all 14143 graphs +linearize +3585 done"
    ${CORPUS}/cpu-O0.cfg.gz --struct --linearize --jobs 2)
endif()

if(NOT failures STREQUAL "")
  message(FATAL_ERROR "${failures}")
endif()
