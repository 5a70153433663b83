# SPDX-License-Identifier: BSL-1.0
#
# Writes many headers as one file: for Compiler Explorer, bug reports and vendoring, or as a named module.
#
#   cmake -D INCLUDE_DIR=include -D "HEADERS=simtflow/graph/csr.hpp;..." -D OUTPUT=simtflow.hpp -P cmake/one_file.cmake
#   cmake ... -D OUTPUT=simtflow.cppm -D MODULE=simtflow -P cmake/one_file.cmake
#
# Every header of HEADERS stands in OUTPUT once, after the headers that it includes. The standard library comes first; a
# module includes it in the global module fragment. A module exports everything but macros. A program either imports the
# module or includes the headers, not both.
cmake_minimum_required(VERSION 3.20)

set(body "${OUTPUT}.body")
file(WRITE "${body}" "")

# Appends a header to the body, and before it the headers that it includes.
function(write_header name)
  get_property(seen GLOBAL PROPERTY seen)
  if(name IN_LIST seen)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY seen "${name}")
  file(READ "${INCLUDE_DIR}/${name}" text)
  string(REGEX REPLACE "^// SPDX-License-Identifier: BSL-1.0\n" "" text "${text}")
  string(REPLACE "#pragma once\n" "" text "${text}")

  # The standard headers go to the top of the file, but for those after a condition.
  string(FIND "${text}" "\n#if" condition)
  string(SUBSTRING "${text}" 0 ${condition} front)
  string(REGEX MATCHALL "\n#include <[a-z_0-9.]+>" standard "${front}")
  if(standard)
    set_property(GLOBAL APPEND PROPERTY standard ${standard})
    string(LENGTH "${front}" length)
    string(SUBSTRING "${text}" ${length} -1 rest)
    string(REGEX REPLACE "\n#include <[a-z_0-9.]+>" "" front "${front}")
    set(text "${front}${rest}")
  endif()

  file(APPEND "${body}" "\n// --- ${name}\n")
  string(REGEX MATCHALL "\n#include <simtflow/[a-z_0-9/.]+>" includes "${text}")
  foreach(include IN LISTS includes)
    string(FIND "${text}" "${include}" at)
    string(LENGTH "${include}" length)
    math(EXPR after "${at} + ${length}")
    string(SUBSTRING "${text}" 0 ${at} before)
    string(SUBSTRING "${text}" ${after} -1 text)
    string(REGEX REPLACE "^\n#include <(.*)>$" "\\1" included "${include}")
    file(APPEND "${body}" "${before}")
    write_header("${included}")
  endforeach()
  file(APPEND "${body}" "${text}")
endfunction()

foreach(header IN LISTS HEADERS)
  write_header("${header}")
endforeach()
get_property(standard GLOBAL PROPERTY standard)
list(REMOVE_DUPLICATES standard)
list(SORT standard)
list(JOIN standard "" standard)
file(STRINGS "${INCLUDE_DIR}/simtflow/version.hpp" version REGEX "^#define SIMTFLOW_VERSION_(MAJOR|MINOR|PATCH) [0-9]+$")
string(REGEX REPLACE "[^0-9;]" "" version "${version}")
string(REPLACE ";" "." version "${version}")

set(top "// SPDX-License-Identifier: BSL-1.0\n//\n// simtflow ${version}, written by cmake/one_file.cmake from the headers of the library. Do not edit it.\n")
file(READ "${body}" text)
file(REMOVE "${body}")
string(REGEX REPLACE "\n\n\n+" "\n\n" text "${text}")
if(MODULE)
  file(WRITE "${OUTPUT}" "${top}module;\n${standard}\n\nexport module ${MODULE};\n\nexport {\n")
  file(APPEND "${OUTPUT}" "${text}")
  file(APPEND "${OUTPUT}" "\n}  // export\n")
else()
  file(WRITE "${OUTPUT}" "${top}#pragma once\n${standard}\n")
  file(APPEND "${OUTPUT}" "${text}")
endif()
