# SPDX-License-Identifier: BSL-1.0
# Headers, the CMake package `simtflow` with its components, the pkg-config file and the license. Everything is
# architecture independent, hence share/. cpack packs the same as .deb and .tar.gz.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Nothing that is built is installed, so there is nothing to wait for.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

# Consumers on CMake before 3.23 do not read file sets and get their include directory from here.
target_include_directories(simtflow INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

set(package_dir "${CMAKE_INSTALL_DATADIR}/cmake/simtflow")
install(TARGETS simtflow EXPORT simtflow-targets FILE_SET HEADERS FILE_SET interop)
install(EXPORT simtflow-targets NAMESPACE simtflow:: DESTINATION "${package_dir}")
configure_package_config_file(cmake/simtflow-config.cmake.in simtflow-config.cmake
  INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
# While the major version is 0, every minor version may break sources.
write_basic_package_version_file(simtflow-config-version.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES
  "${CMAKE_CURRENT_BINARY_DIR}/simtflow-config.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/simtflow-config-version.cmake"
  cmake/components/simtflow-boost_graph.cmake
  cmake/components/simtflow-llvm.cmake
  cmake/components/simtflow-cuda.cmake
  cmake/components/simtflow-lab.cmake
  cmake/components/simtflow-ptx.cmake
  cmake/components/simtflow-range_v3.cmake
  DESTINATION "${package_dir}")
file(RELATIVE_PATH to_prefix "${CMAKE_INSTALL_FULL_DATADIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" to_prefix "${to_prefix}")
file(RELATIVE_PATH to_includes "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
configure_file(cmake/simtflow.pc.in simtflow.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/simtflow.pc" DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/simtflow")

if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_GENERATOR DEB TGZ)
  set(CPACK_VERBATIM_VARIABLES ON)
  set(CPACK_PACKAGE_NAME libsimtflow-dev)
  # The project has no address of its own: who gives packages away writes his.
  if(NOT DEFINED CPACK_PACKAGE_CONTACT)
    set(CPACK_PACKAGE_CONTACT "The simtflow maintainers <simtflow@simtflow.invalid>")
  endif()
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
  set(CPACK_PACKAGE_DESCRIPTION
"Header-only C++20: dominators, post-dominators, loops, regions and other
analyses of control-flow graphs, transforms of unstructured control flow,
models of how the threads of a GPU's warps part and come together, and an
executor of PTX. Adapters for Boost.Graph, range-v3 and LLVM are included.")
  set(CPACK_PACKAGE_FILE_NAME "simtflow-${PROJECT_VERSION}")
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
  set(CPACK_PROJECT_CONFIG_FILE "${CMAKE_CURRENT_SOURCE_DIR}/cmake/pack.cmake")
  set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_SOURCE_DIR}/cmake/pack_debian.cmake")
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE all)
  set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
  # The core needs a compiler only; these are for the headers under interop/.
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libboost-dev (>= 1.74), librange-v3-dev, llvm-dev")
  include(CPack)
endif()
