# SPDX-License-Identifier: BSL-1.0
#
# Fails when comments, messages or pages use a word that the rules of tests/README.md replace. check_prose.awk says what
# counts as prose and prints the places; for some files only: awk -f cmake/check_prose.awk FILE...
#
#   cmake -D SOURCE_DIR=. -P cmake/check_prose.cmake
cmake_minimum_required(VERSION 3.23)
find_program(AWK NAMES awk gawk mawk)
if(NOT AWK)
  message(STATUS "skipped: no awk")
  return()
endif()
cmake_path(ABSOLUTE_PATH SOURCE_DIR NORMALIZE)
set(checked README.md bench cmake examples include tests)
set(files "")
foreach(path IN LISTS checked)
  if(IS_DIRECTORY "${SOURCE_DIR}/${path}")
    foreach(ending IN ITEMS hpp cpp cu js md cmake txt sh py in)
      file(GLOB_RECURSE found RELATIVE "${SOURCE_DIR}" "${SOURCE_DIR}/${path}/*.${ending}")
      list(APPEND files ${found})
    endforeach()
  else()
    list(APPEND files "${path}")
  endif()
endforeach()
execute_process(COMMAND ${AWK} -f cmake/check_prose.awk ${files} WORKING_DIRECTORY "${SOURCE_DIR}"
  OUTPUT_VARIABLE places COMMAND_ERROR_IS_FATAL ANY)
if(places)
  message(FATAL_ERROR "The rules are in tests/README.md, section Prose:\n${places}")
endif()
