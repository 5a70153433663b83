# SPDX-License-Identifier: BSL-1.0
#
# The parameters of simtflow-meld: OPT with PLUGIN takes the right ones for SOURCE without a word, also for functions
# that stay as they are, and refuses wrong ones by name.
cmake_minimum_required(VERSION 3.23)
function(run_meld _result _said parameters)
  execute_process(
    COMMAND "${OPT}" "-load-pass-plugin=${PLUGIN}" "-passes=simtflow-meld${parameters}" -disable-output "${SOURCE}"
    OUTPUT_VARIABLE printed ERROR_VARIABLE printed RESULT_VARIABLE result)
  set(${_result} "${result}" PARENT_SCOPE)
  set(${_said} "${printed}" PARENT_SCOPE)
endfunction()

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
