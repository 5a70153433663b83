# SPDX-License-Identifier: BSL-1.0
#
# cmake -P long_only.cmake -- COMMAND...: runs the command if the environment variable SIMTFLOW_LONG is set. A test that
# compiles what another test has compiled already is run so.
if("$ENV{SIMTFLOW_LONG}" STREQUAL "")
  message("skipped: SIMTFLOW_LONG is not set")
  return()
endif()
set(command "")
set(found OFF)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(n RANGE 1 ${last})
  if(found)
    string(REPLACE ";" "\\;" argument "${CMAKE_ARGV${n}}")
    list(APPEND command "${argument}")
  elseif(CMAKE_ARGV${n} STREQUAL "--")
    set(found ON)
  endif()
endforeach()
execute_process(COMMAND ${command} COMMAND_ERROR_IS_FATAL ANY)
