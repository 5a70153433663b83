# SPDX-License-Identifier: BSL-1.0
# Run by CPack on the tree that it is going to pack: what Debian's policy wants of a package beside its files, in
# share/doc: the license as `copyright`, and a changelog in Debian's form. simtflow.pc need not ask where it stands.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
set(doc "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/doc/${CPACK_PACKAGE_NAME}")
file(READ "${CPACK_RESOURCE_FILE_LICENSE}" license)
string(STRIP "${license}" license)
string(REPLACE "\n\n" "\n.\n" license "${license}")
string(REPLACE "\n" "\n " license "${license}")
string(TIMESTAMP year "%Y" UTC) # SOURCE_DATE_EPOCH counts, if it is set
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE "${doc}/copyright" "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: simtflow

Files: *
Copyright: ${year} the authors of simtflow
License: BSL-1.0

License: BSL-1.0
 ${license}
")
file(WRITE "${doc}/changelog" "simtflow (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Packed from the sources of version ${CPACK_PACKAGE_VERSION}.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}
")
find_program(GZIP gzip REQUIRED) # a part of every Debian
execute_process(COMMAND ${GZIP} -9n "${doc}/changelog" COMMAND_ERROR_IS_FATAL ANY)
# The license stands in `copyright`.
file(REMOVE_RECURSE "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/licenses")
set(pc "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/pkgconfig/simtflow.pc")
file(READ "${pc}" text)
string(REGEX REPLACE "^prefix=[^\n]*" "prefix=/usr" text "${text}")
file(WRITE "${pc}" "${text}")
