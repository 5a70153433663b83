# SPDX-License-Identifier: BSL-1.0
#
# Draws a shipped kernel as DOT, and as SVG where Graphviz is installed. Variables: TOOL, KERNELS, WORK_DIR.
cmake_minimum_required(VERSION 3.20)

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
execute_process(COMMAND ${TOOL} draw ${KERNELS}/figure1.ptx -o ${WORK_DIR}/figure1.dot COMMAND_ERROR_IS_FATAL ANY)
file(READ ${WORK_DIR}/figure1.dot dot)
# BB3 of the paper is block 2 here (the kernel's first block is the paper's entry and BB1): its frontier is the exit.
foreach(expected IN ITEMS "digraph cfg {" "b0 -> b2" "b1 -> b5" "priority 0" "frontier" "subgraph cluster_0" "crossing"
  "violet: its branch can part threads" "color=\"#8250df\"")
  string(FIND "${dot}" "${expected}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "no \"${expected}\" in\n${dot}")
  endif()
endforeach()

execute_process(COMMAND ${TOOL} draw ${KERNELS}/mandelbrot.ptx --code --order rpo OUTPUT_VARIABLE dot COMMAND_ERROR_IS_FATAL ANY)
if(NOT dot MATCHES "fma\\.rn\\.f32")
  message(FATAL_ERROR "no instructions in\n${dot}")
endif()

find_program(GRAPHVIZ_DOT dot)
execute_process(COMMAND ${TOOL} draw ${KERNELS}/figure1.ptx --svg ${WORK_DIR}/figure1.svg
  RESULT_VARIABLE status ERROR_VARIABLE said)
if(GRAPHVIZ_DOT)
  if(NOT status STREQUAL "0")
    message(FATAL_ERROR "${said}")
  endif()
  file(READ ${WORK_DIR}/figure1.svg svg)
  if(NOT svg MATCHES "<svg")
    message(FATAL_ERROR "no picture: ${svg}")
  endif()
elseif(status STREQUAL "0" OR NOT said MATCHES "dot is not installed" OR EXISTS ${WORK_DIR}/figure1.svg)
  message(FATAL_ERROR "without Graphviz the tool must say so: status ${status}: ${said}")
endif()
