# SPDX-License-Identifier: BSL-1.0
#
# One kernel from LLVM's code to a run: the snapshot SOURCE, as it is and after each of PIPELINES of the pass plugin, is
# compiled for NVPTX, and the tool runs the launch file LAUNCH. Under each policy the memory must be the reference's.
# PTXAS, where it is not empty, must accept the PTX. Variables: SOURCE, LAUNCH, OPAQUE (whether LLVM wants opaque
# pointers), OPT, LLC, PLUGIN, PIPELINES (lists of passes, each joined by '+'), TOOL, PTXAS, WORK.
cmake_minimum_required(VERSION 3.23)
cmake_path(GET SOURCE STEM name)
file(MAKE_DIRECTORY "${WORK}")
set(code "${SOURCE}")
if(OPAQUE)
  set(IN "${SOURCE}")
  set(OUT "${WORK}/${name}.ll")
  include("${CMAKE_CURRENT_LIST_DIR}/opaque.cmake")
  set(code "${OUT}")
endif()

# clang threads the jump over the flag of this lock: then it is the lock of spin_lock, which some policies never leave.
set(policies "pdom,tf,volta,serial")
if(name STREQUAL "spin_lock_flag")
  set(policies "volta,serial")
endif()

function(must_run _output)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE printed ERROR_VARIABLE printed RESULT_VARIABLE result)
  if(NOT result STREQUAL "0")
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "${command}\nended with ${result}\n${printed}")
  endif()
  set(${_output} "${printed}" PARENT_SCOPE)
endfunction()

foreach(pipeline IN ITEMS none ${PIPELINES})
  set(made "${WORK}/${name}.${pipeline}")
  set(input "${code}")
  if(NOT pipeline STREQUAL "none")
    string(REPLACE "+" "," passes "${pipeline}")
    set(input "${made}.bc")
    must_run(ignored "${OPT}" "-load-pass-plugin=${PLUGIN}" "-passes=${passes},verify" "${code}" -o "${input}")
  endif()
  must_run(ignored "${LLC}" -march=nvptx64 -mcpu=sm_75 -mattr=+ptx63 "${input}" -o "${made}.ptx")
  must_run(printed "${TOOL}" run "${made}.ptx" --launch "${LAUNCH}" --policy ${policies})
  if(NOT printed MATCHES "\nmemory: [^\n]* = reference [^\n]*\n$")
    message(FATAL_ERROR "${made}.ptx was not compared with a reference:\n${printed}")
  endif()
  message("${pipeline}: ${printed}")
  if(PTXAS)
    must_run(ignored "${PTXAS}" -arch=sm_75 "${made}.ptx" -o "${made}.cubin")
  endif()
endforeach()
