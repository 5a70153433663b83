# SPDX-License-Identifier: BSL-1.0
# Stops the configuration when the lists of headers in CMakeLists.txt are not what stands under include/.
file(GLOB_RECURSE headers_found RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" CONFIGURE_DEPENDS include/*.hpp)
set(headers_listed ${simtflow_headers} ${simtflow_interop_headers})

set(headers_unlisted ${headers_found})
list(REMOVE_ITEM headers_unlisted ${headers_listed})
set(headers_missing ${headers_listed})
list(REMOVE_ITEM headers_missing ${headers_found})

if(headers_unlisted OR headers_missing)
  string(REPLACE ";" "\n  " headers_unlisted "${headers_unlisted}")
  string(REPLACE ";" "\n  " headers_missing "${headers_missing}")
  message(FATAL_ERROR "CMakeLists.txt must list exactly the headers under include/.\n"
    "Not listed:\n  ${headers_unlisted}\nListed but absent:\n  ${headers_missing}")
endif()
