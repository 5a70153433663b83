# SPDX-License-Identifier: BSL-1.0
#
# For the tests of simtflow-lab from outside. Variables: TOOL, WORK_DIR; failures, to which says() appends.

# says(NAME STATUS EXPECTED ARGUMENT...): output or message matches all of the regular expressions, and no progress is
# shown without a terminal. The output is in `printed` afterwards.
function(says name expected_status expected)
  execute_process(COMMAND ${TOOL} ${ARGN} WORKING_DIRECTORY ${WORK_DIR} TIMEOUT 120
    RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
  foreach(expression IN LISTS expected)
    if(NOT status STREQUAL expected_status OR NOT "${printed}${said}" MATCHES "${expression}")
      string(APPEND failures "\n${name}: status ${status}, expected ${expression}\n${printed}${said}")
    endif()
  endforeach()
  if(said MATCHES "\r|million blocks|\\[[0-9]+/[0-9]+\\]")
    string(APPEND failures "\n${name}: progress without a terminal: ${said}")
  endif()
  set(printed "${printed}" PARENT_SCOPE)
  set(failures "${failures}" PARENT_SCOPE)
endfunction()
