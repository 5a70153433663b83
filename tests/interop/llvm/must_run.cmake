# SPDX-License-Identifier: BSL-1.0
#
# must_run(OUTPUT COMMAND...): runs a command and sets OUTPUT to what it printed. A command that fails ends the script,
# with all that it said.
function(must_run _output)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE printed ERROR_VARIABLE said RESULT_VARIABLE result)
  if(NOT result STREQUAL "0")
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "${command}\nended with ${result}\n${printed}${said}")
  endif()
  set(${_output} "${printed}" PARENT_SCOPE)
endfunction()
