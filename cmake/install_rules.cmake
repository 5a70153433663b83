# SPDX-License-Identifier: BSL-1.0
# Headers, the CMake package `simtflow` and the license. Everything is architecture independent, hence share/.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

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
  DESTINATION "${package_dir}")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/simtflow")
