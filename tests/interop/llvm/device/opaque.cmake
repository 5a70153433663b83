# SPDX-License-Identifier: BSL-1.0
#
# opaque.cmake: writes the snapshot IN to OUT with opaque pointers, as LLVM 17 and later read it. Types are replaced
# from the inside outwards: names, arrays, structures and functions, until none is left.
cmake_minimum_required(VERSION 3.23)
file(READ "${IN}" code)
string(REPLACE "inrange " "" code "${code}")
string(REGEX REPLACE "( addrspace\\([0-9]+\\))\\*" "*\\1" code "${code}")
set(before "")
while(NOT before STREQUAL code)
  set(before "${code}")
  string(REGEX REPLACE "[A-Za-z0-9_.%]+\\*" "ptr" code "${code}")
  string(REGEX REPLACE "(\\[[0-9]+ x )+[A-Za-z0-9_.%]+\\]+\\*" "ptr" code "${code}")
  string(REGEX REPLACE "{ [^{}]* }\\*" "ptr" code "${code}")
  string(REGEX REPLACE "[A-Za-z0-9_.%]+ \\([^()]*\\)\\*" "ptr" code "${code}")
endwhile()
file(WRITE "${OUT}" "${code}")
