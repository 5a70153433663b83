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
  "violet: divergent branch" "color=\"#8250df\"")
  string(FIND "${dot}" "${expected}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "no \"${expected}\" in\n${dot}")
  endif()
endforeach()

execute_process(COMMAND ${TOOL} draw ${KERNELS}/mandelbrot.ptx --code --order rpo OUTPUT_VARIABLE dot COMMAND_ERROR_IS_FATAL ANY)
if(NOT dot MATCHES "fma\\.rn\\.f32")
  message(FATAL_ERROR "no instructions in\n${dot}")
endif()

find_program(XMLLINT xmllint)
# is_picture(FILE): well-formed SVG.
function(is_picture file)
  file(READ ${file} svg)
  if(NOT svg MATCHES "<svg")
    message(FATAL_ERROR "no picture: ${svg}")
  endif()
  if(XMLLINT)
    execute_process(COMMAND ${XMLLINT} --noout --nonet ${file} COMMAND_ERROR_IS_FATAL ANY)
  endif()
endfunction()
execute_process(COMMAND ${TOOL} draw ${KERNELS}/figure1.ptx --svg ${WORK_DIR}/figure1.svg COMMAND_ERROR_IS_FATAL ANY)
is_picture(${WORK_DIR}/figure1.svg)

# Without Graphviz: a layout of our own, with every block and every edge once. The same input, the same text.
foreach(kernel IN ITEMS figure1 mandelbrot short_circuit tree_reduction split_merge)
  foreach(time IN ITEMS first second)
    execute_process(COMMAND ${CMAKE_COMMAND} -E env PATH=${WORK_DIR}/empty ${TOOL} draw ${KERNELS}/${kernel}.ptx --code
      --svg ${WORK_DIR}/${kernel}.${time}.svg -o ${WORK_DIR}/${kernel}.dot COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  is_picture(${WORK_DIR}/${kernel}.first.svg)
  file(READ ${WORK_DIR}/${kernel}.first.svg svg)
  file(READ ${WORK_DIR}/${kernel}.second.svg again)
  if(NOT svg STREQUAL again)
    message(FATAL_ERROR "${kernel}: two pictures of one graph")
  endif()
  file(READ ${WORK_DIR}/${kernel}.dot dot)
  string(REPLACE "[" "(" dot "${dot}")  # brackets would make one list element of many
  string(REGEX MATCHALL "\n  b[0-9]+ .label" nodes "${dot}")
  string(REGEX MATCHALL "\n  b[0-9]+ -> b[0-9]+" edges "${dot}")
  foreach(kind IN ITEMS block edge)
    string(REGEX MATCHALL "<g class=.${kind}. data-${kind}=.[0-9]+" shapes "${svg}")
    list(LENGTH shapes all)
    list(REMOVE_DUPLICATES shapes)
    list(LENGTH shapes different)
    set(expected ${nodes})
    if(kind STREQUAL "edge")
      set(expected ${edges})
    endif()
    list(LENGTH expected expected)
    if(NOT all EQUAL expected OR NOT different EQUAL expected)
      message(FATAL_ERROR "${kernel}: ${all} shapes, ${different} different, of ${expected} ${kind}s")
    endif()
  endforeach()
endforeach()
