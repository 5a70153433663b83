# SPDX-License-Identifier: BSL-1.0
# simtflow::range_v3: what interop/range_v3.hpp needs beside the library. For find_package(simtflow COMPONENTS
# range_v3); who adds the sources includes this file after them. No version is asked for: range-v3's package takes exact
# ones only.
if(NOT TARGET range-v3::range-v3)
  find_package(range-v3 CONFIG QUIET)
endif()
if(TARGET range-v3::range-v3)
  if(NOT TARGET simtflow::range_v3)
    add_library(simtflow::range_v3 INTERFACE IMPORTED)
    target_link_libraries(simtflow::range_v3 INTERFACE simtflow::simtflow range-v3::range-v3)
  endif()
  set(simtflow_range_v3_FOUND TRUE)
else()
  set(simtflow_range_v3_FOUND FALSE)
  set(simtflow_range_v3_REASON "range-v3 with its CMake package was not found")
endif()
