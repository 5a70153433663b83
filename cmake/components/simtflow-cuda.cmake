# SPDX-License-Identifier: BSL-1.0
# simtflow::cuda: the parts of a CUDA runtime (include/simtflow/cuda) compiled once: they contain every policy. As
# simtflow::ptx, which it needs, it is compiled in the project that uses it. Who links simtflow::ptx and includes a
# header of cuda/ links this also.
if(NOT TARGET simtflow::cuda)
  include("${CMAKE_CURRENT_LIST_DIR}/simtflow-ptx.cmake")
  set(simtflow_cuda_sources "")
  foreach(implementation IN ITEMS
      device_impl
      kernel_runner_impl
      kernel_transforms_impl
      memory_calls_impl
      module_table_impl
      texture_impl
      timed_runner_impl)
    set(source "${CMAKE_CURRENT_BINARY_DIR}/simtflow-cuda/${implementation}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "#include <simtflow/cuda/detail/${implementation}.hpp>\n")
    list(APPEND simtflow_cuda_sources "${source}")
  endforeach()
  add_library(simtflow-cuda STATIC EXCLUDE_FROM_ALL ${simtflow_cuda_sources})
  add_library(simtflow::cuda ALIAS simtflow-cuda)
  find_package(Threads REQUIRED)
  target_link_libraries(simtflow-cuda PUBLIC simtflow::ptx Threads::Threads)
endif()
set(simtflow_cuda_FOUND TRUE)
