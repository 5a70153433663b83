# SPDX-License-Identifier: BSL-1.0
#
# Checks a file that one_file.cmake writes of HEADERS: with COMPILER, the program SOURCE compiles against it and ends
# well. FOLDER is for everything that is written; NAME is the file that SOURCE includes. With MODULE, SOURCE imports it.
cmake_minimum_required(VERSION 3.20)
file(MAKE_DIRECTORY "${FOLDER}")
execute_process(COMMAND ${CMAKE_COMMAND} -D "INCLUDE_DIR=${INCLUDE_DIR}" -D "HEADERS=${HEADERS}" -D "OUTPUT=${FOLDER}/${NAME}"
  -D "MODULE=${MODULE}" -P "${CMAKE_CURRENT_LIST_DIR}/one_file.cmake" COMMAND_ERROR_IS_FATAL ANY)

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${FOLDER}" RESULT_VARIABLE result ERROR_VARIABLE said)
  if(NOT result STREQUAL "0")
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${said}")
  endif()
endfunction()

if(MODULE)
  run(${COMPILER} -std=c++20 --precompile ${NAME} -o ${MODULE}.pcm)
  run(${COMPILER} -std=c++20 -DSIMTFLOW_USE_MODULE -fmodule-file=${MODULE}=${MODULE}.pcm "${SOURCE}" ${MODULE}.pcm -o program)
else()
  run(${COMPILER} -std=c++20 ${FLAGS} "-I${FOLDER}" "${SOURCE}" -o program)
endif()
run("${FOLDER}/program")
