# SPDX-License-Identifier: BSL-1.0
# simtflow::boost_graph: what interop/boost_graph.hpp needs beside the library. Headers of Boost only, nothing is
# linked. For find_package(simtflow COMPONENTS boost_graph); who adds the sources includes this file after them.
if(NOT TARGET Boost::headers)
  find_package(Boost 1.74 CONFIG QUIET)
endif()
if(TARGET Boost::headers)
  if(NOT TARGET simtflow::boost_graph)
    add_library(simtflow::boost_graph INTERFACE IMPORTED)
    target_link_libraries(simtflow::boost_graph INTERFACE simtflow::simtflow Boost::headers)
  endif()
  set(simtflow_boost_graph_FOUND TRUE)
else()
  set(simtflow_boost_graph_FOUND FALSE)
  set(simtflow_boost_graph_REASON "Boost 1.74 or later with its CMake package was not found")
endif()
