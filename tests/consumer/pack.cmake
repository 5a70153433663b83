# SPDX-License-Identifier: BSL-1.0
#
# Packs the library and unpacks it into OUT, as an installation would into the root. Variables: FORM (DEB or TGZ),
# CONFIG (CPackConfig.cmake), CPACK, DPKG_DEB, LINTIAN (if there is one, it has nothing to say about the .deb), OUT.
cmake_minimum_required(VERSION 3.23)
file(REMOVE_RECURSE "${OUT}")
file(MAKE_DIRECTORY "${OUT}")
execute_process(COMMAND ${CPACK} --config ${CONFIG} -G ${FORM} -B ${OUT}/packages
  RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
file(GLOB packages ${OUT}/packages/libsimtflow-dev_*_all.deb ${OUT}/packages/simtflow-*.tar.gz)
list(LENGTH packages count)
if(NOT status STREQUAL "0" OR NOT count EQUAL 1)
  message(FATAL_ERROR "cpack -G ${FORM}: status ${status}, ${count} packages\n${said}")
endif()
if(FORM STREQUAL "DEB")
  execute_process(COMMAND ${DPKG_DEB} --extract ${packages} ${OUT} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${DPKG_DEB} --field ${packages} Architecture Depends OUTPUT_VARIABLE fields
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  if(NOT fields STREQUAL "Architecture: all") # and no dependency
    message(FATAL_ERROR "The package says\n${fields}")
  endif()
  if(LINTIAN)
    execute_process(COMMAND ${LINTIAN} --fail-on none --allow-root ${packages} OUTPUT_VARIABLE tags ERROR_QUIET)
    if(tags)
      message(FATAL_ERROR "lintian says\n${tags}")
    endif()
  else()
    message(STATUS "without lintian")
  endif()
else()
  # One folder, named as the archive, with include and share in it: what a user unpacks anywhere.
  file(ARCHIVE_EXTRACT INPUT ${packages} DESTINATION ${OUT}/unpacked)
  cmake_path(GET packages FILENAME name)
  string(REPLACE ".tar.gz" "" name ${name})
  file(RENAME ${OUT}/unpacked/${name} ${OUT}/usr)
endif()
if(NOT EXISTS ${OUT}/usr/include/simtflow/simtflow.hpp)
  message(FATAL_ERROR "no headers in ${OUT}/usr")
endif()
