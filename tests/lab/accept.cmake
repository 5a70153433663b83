# SPDX-License-Identifier: BSL-1.0
#
# `simtflow-lab accept`: kernels of a folder that are executable, refused by the parser, the verifier and the decoder,
# as text, CSV and JSON. Variables: TOOL, KERNELS, WORK_DIR.
cmake_minimum_required(VERSION 3.20)
include(${CMAKE_CURRENT_LIST_DIR}/says.cmake)

file(REMOVE_RECURSE ${WORK_DIR})
set(head ".version 7.0\n.target sm_75\n.address_size 64\n")
file(WRITE ${WORK_DIR}/some/a.ptx "${head}.entry good() { ret; }\n.entry wrong() { frobnicate.b32 %x; ret; }\n")
file(WRITE ${WORK_DIR}/some/deeper/b.ptx
  "${head}.extern .func elsewhere();\n.entry calls() { call elsewhere; ret; }\n.entry too() { frobnicate.f16 %y; ret; }\n")
file(WRITE ${WORK_DIR}/some/c.ptx "${head}.entry k() { ret; }\n.entry m() { ret; }\n.wrong\n")
file(WRITE ${WORK_DIR}/some/notes.txt "no PTX\n")
set(failures "")
says("a table" 0 "^1 of 6 kernels accepted, 16.7 % .3 files.\n;\n +2 +33.3% +parse +[^\n]*'.wrong' +some/c.ptx:6:1\n;\n +2 +33.3% +verify +[^\n]*'frobnicate' +some/a.ptx:5:18\n;\n +1 +16.7% +decode +[^\n]*some/deeper/b.ptx:5:23\n"
  accept some)
says("CSV" 0 "^kernels,share,step,reason,file,line,column,message,schema,version\n1,0.1667,accepted,,,,,,simtflow.accept/1,[0-9.]+\n;\n2,0.3333,verify,[^\n]*,some/a.ptx,5,18,[^\n]*frobnicate.b32"
  accept some --csv)
says("JSON" 0 "\"kernels\": 6,;\"accepted\": 1,;\"step\": \"decode\"" accept some --json)
says("files" 0 "^1 of 2 kernels accepted, 50.0 % .1 file.\n" accept some/a.ptx)
says("the shipped kernels" 0 "^([0-9]+) of ([0-9]+) kernels accepted, 100.0 % .[0-9]+ files.\n$" accept ${KERNELS})
if(NOT failures STREQUAL "")
  message(FATAL_ERROR "${failures}")
endif()
