# SPDX-License-Identifier: BSL-1.0
# simtflow::llvm: what interop/llvm.hpp needs beside the library: the LLVM that LLVM_DIR names, or the first that CMake
# finds, from 14 to 23. Newer ones are refused here, so that no user meets them as errors in our headers: LLVM takes
# classes and headers away from version to version (AtomicMemIntrinsic in 21, a header in 22, BranchInst in 24).
# For find_package(simtflow COMPONENTS llvm); who adds the sources includes this file after them.
if(NOT LLVM_FOUND)
  get_property(simtflow_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT "C" IN_LIST simtflow_languages)
    enable_language(C) # LLVM's own package compiles checks in it
  endif()
  find_package(LLVM CONFIG QUIET)
endif()
if(LLVM_FOUND AND LLVM_VERSION_MAJOR LESS 14)
  set(simtflow_llvm_FOUND FALSE)
  set(simtflow_llvm_REASON "LLVM ${LLVM_PACKAGE_VERSION} was found, 14 is the oldest supported: set LLVM_DIR")
elseif(LLVM_FOUND AND LLVM_VERSION_MAJOR GREATER 23)
  set(simtflow_llvm_FOUND FALSE)
  set(simtflow_llvm_REASON
    "LLVM ${LLVM_PACKAGE_VERSION} was found, 23 is the newest that this version of simtflow was compiled with: set LLVM_DIR")
elseif(LLVM_FOUND)
  if(NOT TARGET simtflow::llvm)
    add_library(simtflow::llvm INTERFACE IMPORTED)
    target_include_directories(simtflow::llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
    separate_arguments(simtflow_llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
    target_compile_options(simtflow::llvm INTERFACE ${simtflow_llvm_definitions})
    if(TARGET LLVM)
      set(simtflow_llvm_libraries LLVM)
    else()
      llvm_map_components_to_libnames(simtflow_llvm_libraries core analysis transformutils)
    endif()
    target_link_libraries(simtflow::llvm INTERFACE simtflow::simtflow ${simtflow_llvm_libraries})
  endif()
  set(simtflow_llvm_FOUND TRUE)
else()
  set(simtflow_llvm_FOUND FALSE)
  set(simtflow_llvm_REASON "LLVM with its CMake package was not found: set LLVM_DIR")
endif()
