# SPDX-License-Identifier: BSL-1.0
# simtflow::ptx: the functions on PTX text compiled once instead of in every translation unit that calls them. The
# library is compiled in the project that uses it, with that project's compiler and options. For find_package(simtflow
# COMPONENTS ptx); a project that adds the sources of simtflow includes this file after them.
if(NOT TARGET simtflow::ptx)
  set(simtflow_ptx_sources "")
  foreach(implementation IN ITEMS
      text/detail/link_impl
      text/detail/opcode_impl
      text/detail/parser_impl
      text/detail/printer_impl
      text/detail/verifier_impl
      decode/detail/code_of_impl
      decode/detail/decode_impl
      transform/detail/check_rewrite_impl
      transform/detail/def_use_impl
      transform/detail/melding_model_impl
      transform/detail/register_pressure_impl
      transform/detail/rewrite_impl
      transform/detail/unpredicate_impl
      transform/detail/linear_code_impl
      transform/detail/split_blocks_impl
      transform/detail/interleave_impl
      transform/detail/merge_loops_impl
      transform/detail/meld_impl)
    string(REGEX REPLACE "^.*/" "" name ${implementation})
    set(source "${CMAKE_CURRENT_BINARY_DIR}/simtflow-ptx/${name}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "#include <simtflow/ptx/${implementation}.hpp>\n")
    list(APPEND simtflow_ptx_sources "${source}")
  endforeach()
  add_library(simtflow-ptx STATIC EXCLUDE_FROM_ALL ${simtflow_ptx_sources})
  add_library(simtflow::ptx ALIAS simtflow-ptx)
  target_link_libraries(simtflow-ptx PUBLIC simtflow::simtflow)
  # Headers then declare these functions and leave out their definitions.
  target_compile_definitions(simtflow-ptx PUBLIC SIMTFLOW_COMPILED)
endif()
set(simtflow_ptx_FOUND TRUE)
