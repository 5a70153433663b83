# SPDX-License-Identifier: BSL-1.0
#
# Checks every fenced code block of README: what stands there is what is compiled and what the commands really print.
#
#   cmake -D README=README.md -D SOURCE_DIR=. -D PATH_DIR=build/test/examples -P cmake/readme_blocks.cmake
#
# The info string says what a block is; a block that says nothing fails.
#
#   ```cpp file=examples/01_dominators.cpp     equal to that file, whose first line may be an SPDX comment that is left out
#   ```cpp file=examples/02_adapt.cpp part=ir  equal to the lines between `// [ir]` and `// [/ir]` (or `# [ir]`, `# [/ir]`)
#   ```text command=simtflow-lab run ...       equal to what the command prints
#   ```console run=yes                         lines `$ command`, each followed by exactly what it prints
#   ```sh run=no reason=...                    not run, for the reason given
#
# Commands run with `sh -c` in SOURCE_DIR, with PATH_DIR first in PATH. Printed is stdout, then stderr. A command must end with
# 0, or with N when `status=N` stands before `command=` or after `run=yes`.
cmake_minimum_required(VERSION 3.23)
set(ENV{PATH} "${PATH_DIR}:$ENV{PATH}")

# Only FIND and SUBSTRING touch the texts: brackets, semicolons and backslashes would not survive in a CMake list.
function(pop_line _line _text)
  string(FIND "${${_text}}" "\n" _end)
  string(SUBSTRING "${${_text}}" 0 ${_end} _head)
  math(EXPR _end "${_end} + 1")
  string(SUBSTRING "${${_text}}" ${_end} -1 _tail)
  set(${_line} "${_head}" PARENT_SCOPE)
  set(${_text} "${_tail}" PARENT_SCOPE)
endfunction()

function(must_equal what actual block)
  if(NOT actual STREQUAL block)
    message(SEND_ERROR "README line ${block_line}: the block is not ${what}\n"
      "--- README\n${block}--- ${what}\n${actual}---")
  endif()
endfunction()

function(check_file path part block)
  file(READ "${SOURCE_DIR}/${path}" text)
  if(NOT part STREQUAL "")
    set(mark "//")
    string(FIND "${text}" "# [${part}]\n" begin)
    if(NOT begin EQUAL -1)
      set(mark "#")
    endif()
    string(FIND "${text}" "${mark} [${part}]\n" begin)
    string(FIND "${text}" "${mark} [/${part}]\n" end)
    if(begin EQUAL -1 OR end EQUAL -1)
      message(SEND_ERROR "README line ${block_line}: ${path} has no part ${part}")
      return()
    endif()
    string(SUBSTRING "${text}" 0 ${end} text)
    string(SUBSTRING "${text}" ${begin} -1 text)
    pop_line(marker text)
    string(REGEX REPLACE "[ ]+$" "" text "${text}") # the indentation of the closing marker
  elseif(text MATCHES "^// SPDX-License-Identifier")
    pop_line(license text)
  endif()
  must_equal("${path} ${part}" "${text}" "${block}")
endfunction()

function(check_command command status block)
  execute_process(COMMAND sh -c "${command}" WORKING_DIRECTORY "${SOURCE_DIR}"
    OUTPUT_VARIABLE printed ERROR_VARIABLE complaint RESULT_VARIABLE result)
  if(NOT result EQUAL status)
    message(SEND_ERROR "README line ${block_line}: `${command}` ended with ${result}: ${complaint}")
  endif()
  must_equal("what `${command}` prints" "${printed}${complaint}" "${block}")
endfunction()

function(check_console status block)
  set(command "")
  set(expected "")
  while(NOT block STREQUAL "")
    pop_line(line block)
    if(line MATCHES "^\\$ (.*)")
      set(next "${CMAKE_MATCH_1}")
      if(NOT command STREQUAL "")
        check_command("${command}" 0 "${expected}")
      endif()
      set(command "${next}")
      set(expected "")
    else()
      string(APPEND expected "${line}\n")
    endif()
  endwhile()
  check_command("${command}" ${status} "${expected}")
endfunction()

function(check_block info block)
  set(status 0)
  if(info MATCHES " status=([0-9]+)")
    set(status ${CMAKE_MATCH_1})
  endif()
  if(info MATCHES "^[a-z]+ file=([^ ]+) part=([^ ]+)$")
    check_file("${CMAKE_MATCH_1}" "${CMAKE_MATCH_2}" "${block}")
  elseif(info MATCHES "^[a-z]+ file=([^ ]+)$")
    check_file("${CMAKE_MATCH_1}" "" "${block}")
  elseif(info MATCHES "^[a-z]+( status=[0-9]+)? command=(.+)$")
    check_command("${CMAKE_MATCH_2}" ${status} "${block}")
  elseif(info MATCHES "^console run=yes( status=[0-9]+)?$")
    check_console(${status} "${block}")
  elseif(NOT info MATCHES "^[a-z]+ run=no reason=.+$")
    message(SEND_ERROR "README line ${block_line}: nothing checks this block (`${info}`); see cmake/readme_blocks.cmake")
  endif()
endfunction()

file(READ "${README}" text)
string(APPEND text "\n")
set(line_number 0)
set(inside FALSE)
set(blocks 0)
while(NOT text STREQUAL "")
  pop_line(line text)
  math(EXPR line_number "${line_number} + 1")
  if(NOT inside AND line MATCHES "^```(.*)$")
    set(inside TRUE)
    set(info "${CMAKE_MATCH_1}")
    set(block "")
    set(block_line ${line_number})
  elseif(inside AND line STREQUAL "```")
    set(inside FALSE)
    math(EXPR blocks "${blocks} + 1")
    check_block("${info}" "${block}")
  elseif(inside)
    string(APPEND block "${line}\n")
  elseif(line MATCHES "^ +```|^~~~")
    message(SEND_ERROR "README line ${line_number}: an indented or ~~~ fence is not checked; use ``` at the margin")
  endif()
endwhile()
if(inside)
  message(SEND_ERROR "README line ${block_line}: the block is not closed")
endif()
message(STATUS "${blocks} code blocks")
