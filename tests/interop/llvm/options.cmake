# SPDX-License-Identifier: BSL-1.0
#
# The parameters of the passes: OPT with PLUGIN takes the right ones for SOURCE without a word, also for functions that
# stay as they are, and refuses wrong ones by name.
cmake_minimum_required(VERSION 3.23)
function(run_pass _result _said pass)
  execute_process(
    COMMAND "${OPT}" "-load-pass-plugin=${PLUGIN}" "-passes=${pass}" -disable-output "${SOURCE}"
    OUTPUT_VARIABLE printed ERROR_VARIABLE printed RESULT_VARIABLE result)
  set(${_result} "${result}" PARENT_SCOPE)
  set(${_said} "${printed}" PARENT_SCOPE)
endfunction()
macro(run_meld _result _said parameters)
  run_pass(${_result} ${_said} "simtflow-meld${parameters}")
endmacro()

foreach(right IN ITEMS "" "<threshold=0>" "<threshold=0.35>" "<fuse>" "<tail>" "<score=paper>" "<score=expected>"
        "<unpredicate=always>" "<unpredicate=never>" "<unpredicate=auto>")
  run_meld(result said "${right}")
  if(NOT result STREQUAL "0" OR NOT said STREQUAL "")
    message(FATAL_ERROR "simtflow-meld${right} ended with ${result}\n${said}")
  endif()
endforeach()
run_meld(result said "<threshold=0.1;fuse;score=paper>")
if(NOT result STREQUAL "0")
  message(FATAL_ERROR "three parameters: ${result}\n${said}")
endif()
foreach(wrong IN ITEMS "treshold=0.1" "threshold" "threshold=" "threshold=-0.1" "threshold=2" "threshold=nan"
        "threshold=0.1x" "fuse=1" "score=best" "unpredicate" "fuse,tail" "")
  run_meld(result said "<${wrong}>")
  string(FIND "${said}" "simtflow-meld: '${wrong}' is none of threshold=0 to 1, fuse, tail, score=" named)
  if(result STREQUAL "0" OR (named EQUAL -1 AND NOT wrong STREQUAL "fuse,tail"))
    message(FATAL_ERROR "simtflow-meld<${wrong}> ended with ${result}\n${said}")
  endif()
endforeach()

foreach(right IN ITEMS "linearize" "linearize<always>" "linearize<guards=none;always>" "linearize<guards=o1>"
        "linearize<guards=o2>" "linearize<guards=o3;no-proof>" "linearize<guards=o4>" "merge-loops"
        "merge-loops<no-proof>" "interleave" "interleave<memory=400;warps=8;no-proof>" "partial" "partial<alone>" "stack-depth<2>" "stack-depth<17;guards=o4;no-proof>" "struct" "struct<blocks=100>"
        "struct<no-proof>" "merge-loops,simtflow-linearize,simtflow-stack-depth<4>,simtflow-meld")
  run_pass(result said "simtflow-${right}")
  if(NOT result STREQUAL "0" OR said MATCHES "none of")
    message(FATAL_ERROR "simtflow-${right} ended with ${result}\n${said}")
  endif()
endforeach()
foreach(wrong IN ITEMS "linearize<guards>" "linearize<guards=o5>" "linearize<guards=full>" "linearize<allways>" "linearize<>"
        "linearize<no-proof=1>" "merge-loops<always>" "merge-loops<guards=o1>" "interleave<memory=0>" "interleave<warps=>" "partial<any>"
        "partial<no-proof>" "stack-depth<1>" "stack-depth<0>" "stack-depth<-3>" "stack-depth<4x>"
        "stack-depth<99999999999>" "struct<blocks=0>" "struct<blocks=>" "struct<guards=o1>")
  run_pass(result said "simtflow-${wrong}")
  string(REGEX MATCH "<(.*)>" ignored "${wrong}")
  string(FIND "${said}" "'${CMAKE_MATCH_1}' is none of " named)
  if(result STREQUAL "0" OR named EQUAL -1)
    message(FATAL_ERROR "simtflow-${wrong} ended with ${result}\n${said}")
  endif()
endforeach()
run_pass(result said "simtflow-stack-depth")
if(result STREQUAL "0" OR NOT said MATCHES "a limit is missing: simtflow-stack-depth<4>")
  message(FATAL_ERROR "simtflow-stack-depth without a limit ended with ${result}\n${said}")
endif()
