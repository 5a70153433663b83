# SPDX-License-Identifier: BSL-1.0
#
# Builds the Conan package without options and with all of COMPONENTS, each with its consumers, and checks that
# simtflow.pc is the core alone and nothing is left in the sources. No remote is used: packages in conan/ stand for
# Boost and range-v3. Variables: CONAN, SOURCE_DIR, WORK, COMPONENTS.
cmake_minimum_required(VERSION 3.23)
file(REMOVE_RECURSE "${WORK}")
file(WRITE "${WORK}/profile" "include(default)
[settings]
compiler.cppstd=20
[replace_requires]
boost/*: boost/system
range-v3/*: range-v3/system
")
set(ENV{CONAN_HOME} "${WORK}/home")
function(conan)
  execute_process(COMMAND ${CONAN} ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT status STREQUAL "0")
    list(JOIN ARGN " " arguments)
    message(FATAL_ERROR "conan ${arguments}: ${status}\n${said}")
  endif()
  set(said "${said}" PARENT_SCOPE)
endfunction()
find_program(GIT git)
function(sources_in_git result)
  if(GIT)
    execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} status --porcelain OUTPUT_VARIABLE said ERROR_QUIET)
  endif()
  set(${result} "${said}" PARENT_SCOPE)
endfunction()

sources_in_git(before)
conan(profile detect)
set(create create ${SOURCE_DIR} --no-remote --profile:all ${WORK}/profile
  --conf tools.cmake.cmake_layout:test_folder=${WORK}/test)
conan(${create})
set(options "")
foreach(component IN LISTS COMPONENTS)
  string(REPLACE "_graph" "" recipe ${component})
  conan(create ${SOURCE_DIR}/tests/consumer/conan/${recipe}.py)
  list(APPEND options "--options=&:${component}=True")
endforeach()
conan(${create} ${options})
foreach(component IN LISTS COMPONENTS)
  if(NOT said MATCHES "RUN: [^\n]*consumer-${component}")
    message(FATAL_ERROR "With the option ${component} its consumer is not run:\n${said}")
  endif()
endforeach()

string(REPLACE "=&:" "=simtflow/*:" options "${options}")
conan(install --requires=simtflow/[*] --no-remote --profile:all ${WORK}/profile ${options}
  --generator PkgConfigDeps --output-folder ${WORK}/pkgconfig)
file(READ ${WORK}/pkgconfig/simtflow.pc core)
if(core MATCHES "Requires:|Libs:")
  message(FATAL_ERROR "simtflow.pc is not the core alone:\n${core}")
endif()
sources_in_git(after)
if(NOT before STREQUAL after)
  message(FATAL_ERROR "Files are left in the sources: before\n${before}after\n${after}")
endif()
