# SPDX-License-Identifier: BSL-1.0
# Fails when clang-format 14 would change a C++ file under SOURCE_DIR. With -D FIX=ON: changes them instead.
# Other versions lay out requires-clauses differently, so without version 14 the check is skipped.
cmake_minimum_required(VERSION 3.23)
find_program(CLANG_FORMAT NAMES clang-format-14 clang-format)
set(version "")
if(CLANG_FORMAT)
  execute_process(COMMAND ${CLANG_FORMAT} --version OUTPUT_VARIABLE version)
endif()
if(NOT version MATCHES "version 14\\.")
  message(STATUS "skipped: no clang-format 14")
  return()
endif()
file(GLOB_RECURSE files "${SOURCE_DIR}/include/*.hpp" "${SOURCE_DIR}/examples/*.[ch]pp" "${SOURCE_DIR}/tests/*.[ch]pp"
  "${SOURCE_DIR}/bench/*.[ch]pp")
if(FIX)
  set(mode -i)
else()
  set(mode --dry-run -Werror -ferror-limit=3)
endif()
execute_process(COMMAND ${CLANG_FORMAT} --style=file ${mode} ${files} RESULT_VARIABLE result)
if(NOT result STREQUAL "0")
  message(FATAL_ERROR "Not in the layout of .clang-format; to change it: cmake -D SOURCE_DIR=. -D FIX=ON -P cmake/check_format.cmake")
endif()
