# SPDX-License-Identifier: BSL-1.0
# Toolchain of the preset `playground`: Emscripten as `em-config` finds it. An older Emscripten (3.1.6 in Debian 12)
# comes with libc++ 13, in which std::vector is not constexpr and std::bit_cast is missing: it cannot compile the
# library. Debian has headers of libc++ 16 for WebAssembly. They fit the compiled libc++ of Emscripten, since both have
# ABI version 2.
find_program(EM_CONFIG em-config REQUIRED)
execute_process(COMMAND ${EM_CONFIG} EMSCRIPTEN_ROOT
  OUTPUT_VARIABLE emscripten_root OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
include("${emscripten_root}/cmake/Modules/Platform/Emscripten.cmake")

set(SIMTFLOW_LIBCXX_INCLUDE "" CACHE PATH "Headers of libc++ 16 for an Emscripten with an older one")
file(STRINGS "${emscripten_root}/system/lib/libcxx/include/__config" libcxx_version
  REGEX "^#[ ]*define _LIBCPP_VERSION [0-9]+")
string(REGEX REPLACE "[^0-9]" "" libcxx_version "${libcxx_version}")
if(libcxx_version LESS 15000)
  foreach(version IN ITEMS 16 17 18)
    if(NOT SIMTFLOW_LIBCXX_INCLUDE AND EXISTS "/usr/lib/llvm-${version}/include/wasm32-wasi/c++/v1/__config")
      set(SIMTFLOW_LIBCXX_INCLUDE "/usr/lib/llvm-${version}/include/wasm32-wasi/c++/v1")
    endif()
  endforeach()
  if(NOT SIMTFLOW_LIBCXX_INCLUDE)
    message(FATAL_ERROR "Emscripten in ${emscripten_root} comes with libc++ ${libcxx_version}, in which std::vector is "
      "not constexpr: install the package libc++-16-dev-wasm32, or a newer Emscripten")
  endif()
  # The package is configured for WASI, without threads and files. Emscripten has functions for both.
  set(site "${CMAKE_BINARY_DIR}/libcxx-site")
  file(CONFIGURE OUTPUT "${site}/__config_site" CONTENT [[#pragma once
#define _LIBCPP_ABI_VERSION 2
#define _LIBCPP_ABI_NAMESPACE __2
#define _LIBCPP_HAS_MUSL_LIBC
#define _LIBCPP_HAS_NO_VENDOR_AVAILABILITY_ANNOTATIONS
#define _LIBCPP_ENABLE_ASSERTIONS_DEFAULT 0
]])
  string(APPEND CMAKE_CXX_FLAGS_INIT " -nostdinc++ -isystem ${site} -isystem ${SIMTFLOW_LIBCXX_INCLUDE}")
endif()
