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

if(CORPUS)
  set(traces ${CORPUS}/traces)
  replayed(_Z16Mandelbrot0 4614814 1587591 ${traces}/mandelbrot-ptx23.trace.gz --order rpo)
  replayed(_Z20needle_cuda_shared_1 37116 37116 ${CORPUS}/rodinia.llvm.cfg.gz ${traces}/nw.trace.gz)
  replayed(_Z20needle_cuda_shared_2 28924 28924 ${CORPUS}/rodinia.llvm.cfg.gz ${traces}/nw.trace.gz)
endif()

if(NOT failures STREQUAL "")
  message(FATAL_ERROR "${failures}")
endif()
