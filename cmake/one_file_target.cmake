# SPDX-License-Identifier: BSL-1.0
#
# The target simtflow-one-file writes into the folder one_file of the build:
#
#   simtflow.hpp      graphs, analyses, policies, transformations, alignment, pictures and text
#   simtflow_all.hpp  the same, and PTX; not the parts of a CUDA runtime
#   simtflow.cppm     the first as the module `simtflow`
set(simtflow_one_file_all ${simtflow_headers})
list(TRANSFORM simtflow_one_file_all REPLACE "^include/" "")
list(FILTER simtflow_one_file_all EXCLUDE REGEX "/(cuda/|testing/|fwd\\.hpp)")
set(simtflow_one_file_core ${simtflow_one_file_all})
list(FILTER simtflow_one_file_core EXCLUDE REGEX "/(ptx/|io/describe_meld\\.hpp)")

set(one_file_outputs "")
function(simtflow_add_one_file name headers)
  set(output "${PROJECT_BINARY_DIR}/one_file/${name}")
  add_custom_command(OUTPUT "${output}"
    COMMAND ${CMAKE_COMMAND} -D "INCLUDE_DIR=${PROJECT_SOURCE_DIR}/include" -D "HEADERS=${headers}"
      -D "OUTPUT=${output}" ${ARGN} -P "${PROJECT_SOURCE_DIR}/cmake/one_file.cmake"
    DEPENDS ${simtflow_headers} cmake/one_file.cmake
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    COMMENT "Writing one_file/${name}"
    VERBATIM)
  set(one_file_outputs ${one_file_outputs} "${output}" PARENT_SCOPE)
endfunction()
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/one_file")
simtflow_add_one_file(simtflow.hpp "${simtflow_one_file_core}")
simtflow_add_one_file(simtflow_all.hpp "${simtflow_one_file_all}")
simtflow_add_one_file(simtflow.cppm "${simtflow_one_file_core}" -D MODULE=simtflow)
add_custom_target(simtflow-one-file DEPENDS ${one_file_outputs})
