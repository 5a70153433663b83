# SPDX-License-Identifier: BSL-1.0
#
# Compares the versions that recipes carry with the version of include/simtflow/version.hpp. Variables: SOURCE_DIR,
# VERSION.
cmake_minimum_required(VERSION 3.23)
foreach(recipe IN ITEMS vcpkg.json cmake/vcpkg/ports/simtflow/vcpkg.json)
  file(READ ${SOURCE_DIR}/${recipe} text)
  string(JSON found GET "${text}" version-semver)
  if(NOT found STREQUAL VERSION)
    message(SEND_ERROR "${recipe} says ${found}, version.hpp ${VERSION}")
  endif()
endforeach()
file(READ ${SOURCE_DIR}/conanfile.py text)
if(text MATCHES "\n    version = ")
  message(SEND_ERROR "conanfile.py has a version of its own")
endif()
file(STRINGS ${SOURCE_DIR}/CHANGELOG.md newest REGEX "^## \\[" LIMIT_COUNT 1)
if(NOT newest MATCHES "^## \\[${VERSION}\\]")
  message(SEND_ERROR "CHANGELOG.md begins with \"${newest}\", version.hpp says ${VERSION}")
endif()
