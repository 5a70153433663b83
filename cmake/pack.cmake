# SPDX-License-Identifier: BSL-1.0
# Read by CPack for each kind of package: a .deb is installed below /usr, an archive is unpacked where its user wants
# it.
if(CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
else()
  set(CPACK_PACKAGING_INSTALL_PREFIX /)
endif()
