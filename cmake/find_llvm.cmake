# SPDX-License-Identifier: BSL-1.0
# For tests and examples: the installed versions of LLVM to be used, in SIMTFLOW_LLVM_FOUND, each with a target
# simtflow-llvm-VERSION to link and its programs under SIMTFLOW_LLVM_BIN_VERSION. One build can have several, which
# LLVM's own CMake package cannot (and it wants a C compiler). Users link the component simtflow::llvm instead.
include_guard(GLOBAL)
set(SIMTFLOW_LLVM_VERSIONS "oldest" CACHE STRING "LLVM to build the plugin and tests with: oldest, all (14 to 23 that are installed), none, or a list")
set(wanted 14 15 16 17 18 19 20 21 22 23)
if(SIMTFLOW_LLVM_VERSIONS MATCHES "[0-9]")
  set(wanted ${SIMTFLOW_LLVM_VERSIONS})
elseif(SIMTFLOW_LLVM_VERSIONS STREQUAL "none")
  set(wanted "")
endif()
set(found "")
foreach(version IN LISTS wanted)
  find_path(SIMTFLOW_LLVM_INCLUDE_${version} llvm/IR/Function.h HINTS /usr/lib/llvm-${version}/include
    NO_DEFAULT_PATH NO_CACHE)
  find_library(SIMTFLOW_LLVM_LIBRARY_${version} NAMES LLVM-${version} HINTS /usr/lib/llvm-${version}/lib
    NO_DEFAULT_PATH NO_CACHE)
  find_path(SIMTFLOW_LLVM_BIN_${version} opt HINTS /usr/lib/llvm-${version}/bin NO_DEFAULT_PATH NO_CACHE)
  if(NOT SIMTFLOW_LLVM_INCLUDE_${version} OR NOT SIMTFLOW_LLVM_LIBRARY_${version} OR NOT SIMTFLOW_LLVM_BIN_${version})
    continue()
  endif()
  add_library(simtflow-llvm-${version} INTERFACE IMPORTED GLOBAL)
  target_include_directories(simtflow-llvm-${version} SYSTEM INTERFACE ${SIMTFLOW_LLVM_INCLUDE_${version}})
  target_link_libraries(simtflow-llvm-${version} INTERFACE ${SIMTFLOW_LLVM_LIBRARY_${version}})
  set_property(GLOBAL PROPERTY SIMTFLOW_LLVM_BIN_${version} "${SIMTFLOW_LLVM_BIN_${version}}")
  list(APPEND found ${version})
  if(SIMTFLOW_LLVM_VERSIONS STREQUAL "oldest")
    break()
  endif()
endforeach()
set_property(GLOBAL PROPERTY SIMTFLOW_LLVM_FOUND "${found}")
