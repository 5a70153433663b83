# SPDX-License-Identifier: BSL-1.0
#
# The consumer project by every way that this machine has the tools for; which ones are left out is said when the build
# is configured. Conan and vcpkg are no parts of Debian 12.
set(components "")
if(TARGET Boost::headers AND SIMTFLOW_HAS_EXCEPTIONS)
  list(APPEND components boost_graph)
endif()
find_package(range-v3 CONFIG QUIET)
if(TARGET range-v3::range-v3 AND SIMTFLOW_HAS_EXCEPTIONS)
  list(APPEND components range_v3)
endif()
string(REPLACE ";" "\\;" components "${components}")

# consumer_way(NAME OPTION...): builds and runs the consumer. After LONG only in the long run.
function(consumer_way name)
  set(only "")
  if(ARGV1 STREQUAL "LONG")
    list(POP_FRONT ARGN)
    set(only ${CMAKE_COMMAND} -P ${PROJECT_SOURCE_DIR}/cmake/long_only.cmake --)
  endif()
  add_test(NAME consumer.${name}
    COMMAND ${only} ${CMAKE_CTEST_COMMAND}
    --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/consumer ${CMAKE_CURRENT_BINARY_DIR}/consumer-${name}
    --build-generator "${CMAKE_GENERATOR}"
    --build-options "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}" "-DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS}"
    "-DEXPECTED_VERSION=${PROJECT_VERSION}" ${ARGN}
    --test-command ${CMAKE_CTEST_COMMAND} --output-on-failure)
  if(only)
    set_tests_properties(consumer.${name} PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: SIMTFLOW_LONG is not set")
  endif()
endfunction()

set(stage ${CMAKE_CURRENT_BINARY_DIR}/stage)
add_test(NAME consumer.unstage COMMAND ${CMAKE_COMMAND} -E rm -rf ${stage}) # nothing of an earlier run may help
set_tests_properties(consumer.unstage PROPERTIES FIXTURES_SETUP unstaged)
add_test(NAME consumer.install COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${stage}/here)
set_tests_properties(consumer.install PROPERTIES FIXTURES_REQUIRED unstaged FIXTURES_SETUP stage)
consumer_way(installed "-DCMAKE_PREFIX_PATH=${stage}/here" "-DCOMPONENTS=${components}")
# The same copy under another name: nothing in it may say where it was installed.
add_test(NAME consumer.move COMMAND ${CMAKE_COMMAND} -E copy_directory ${stage}/here ${stage}/there)
set_tests_properties(consumer.move PROPERTIES FIXTURES_REQUIRED stage FIXTURES_SETUP moved)
consumer_way(moved "-DCMAKE_PREFIX_PATH=${stage}/there")
set_tests_properties(consumer.installed PROPERTIES FIXTURES_REQUIRED stage)
set_tests_properties(consumer.moved PROPERTIES FIXTURES_REQUIRED "stage;moved")

# The component that is compiled in the user's project.
consumer_way(ptx "-DCMAKE_PREFIX_PATH=${stage}/here" "-DCOMPONENTS=ptx")
set_tests_properties(consumer.ptx PROPERTIES FIXTURES_REQUIRED stage)
consumer_way(ptx-sources LONG "-DCOMES_AS=sources" "-DSIMTFLOW_SOURCES=${PROJECT_SOURCE_DIR}" "-DCOMPONENTS=ptx")
consumer_way(cuda LONG "-DCMAKE_PREFIX_PATH=${stage}/here" "-DCOMPONENTS=cuda")
set_tests_properties(consumer.cuda PROPERTIES FIXTURES_REQUIRED stage)

# The tool with parts of a user's own, from the objects that are built anyway.
if(TARGET simtflow-lab-library)
  foreach(component IN ITEMS Unspecified lab)
    string(TOLOWER ${component} name)
    add_test(NAME consumer.install-${name}
      COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${stage}/lab --component ${component})
    set_tests_properties(consumer.install-${name} PROPERTIES FIXTURES_REQUIRED unstaged FIXTURES_SETUP stage-lab)
  endforeach()
  add_test(NAME consumer.lab COMMAND ${CMAKE_COMMAND} -D "PREFIX=${stage}/lab" -D "SOURCE_DIR=${PROJECT_SOURCE_DIR}"
    -D "PARTS=${PROJECT_SOURCE_DIR}/examples/my_lab/my_policy.hpp" -D "COMPILER=${CMAKE_CXX_COMPILER}"
    -D "FLAGS=${CMAKE_CXX_FLAGS}" -D "GENERATOR=${CMAKE_GENERATOR}" -D "WORK_DIR=${CMAKE_CURRENT_BINARY_DIR}/consumer-lab"
    -P ${CMAKE_CURRENT_SOURCE_DIR}/consumer/lab/check.cmake)
  set_tests_properties(consumer.lab PROPERTIES FIXTURES_REQUIRED stage-lab)
endif()

# The usage text of the vcpkg port, held against the installed copy: vcpkg itself is not needed for that.
add_test(NAME consumer.vcpkg-usage COMMAND ${CMAKE_COMMAND}
  -D "USAGE=${PROJECT_SOURCE_DIR}/cmake/vcpkg/ports/simtflow/usage" -D "PREFIX=${stage}/here" -D "COMPONENTS=${components}"
  -D "GENERATOR=${CMAKE_GENERATOR}" -D "COMPILER=${CMAKE_CXX_COMPILER}" -D "WORK=${CMAKE_CURRENT_BINARY_DIR}/consumer-usage"
  -P ${CMAKE_CURRENT_SOURCE_DIR}/consumer/usage.cmake)
set_tests_properties(consumer.vcpkg-usage PROPERTIES FIXTURES_REQUIRED stage)

consumer_way(sources "-DCOMES_AS=sources" "-DSIMTFLOW_SOURCES=${PROJECT_SOURCE_DIR}" "-DCOMPONENTS=${components}"
  -DSIMTFLOW_INSTALL=ON)
consumer_way(fetched "-DCOMES_AS=fetched" "-DSIMTFLOW_SOURCES=${PROJECT_SOURCE_DIR}")

# The component for LLVM with each LLVM that is here.
file(GLOB llvm_packages /usr/lib/llvm-*/lib/cmake/llvm)
foreach(llvm IN LISTS llvm_packages)
  string(REGEX REPLACE "^/usr/lib/llvm-([0-9]+)/.*" "\\1" version ${llvm})
  if(version VERSION_GREATER_EQUAL 14 AND version VERSION_LESS 24 AND SIMTFLOW_HAS_EXCEPTIONS)
    consumer_way(llvm-${version} "-DCMAKE_PREFIX_PATH=${stage}/here" "-DLLVM_DIR=${llvm}" "-DCOMPONENTS=llvm")
    set_tests_properties(consumer.llvm-${version} PROPERTIES FIXTURES_REQUIRED stage)
  endif()
endforeach()
if(NOT llvm_packages)
  message(STATUS "consumer of the component llvm: skipped, no LLVM")
endif()

add_test(NAME consumer.llvm-versions COMMAND ${CMAKE_COMMAND} -D "PREFIX=${stage}/here"
  -D "GENERATOR=${CMAKE_GENERATOR}" -D "COMPILER=${CMAKE_CXX_COMPILER}" -D "WORK=${CMAKE_CURRENT_BINARY_DIR}/consumer-versions"
  -P ${CMAKE_CURRENT_SOURCE_DIR}/consumer/llvm_versions.cmake)
set_tests_properties(consumer.llvm-versions PROPERTIES FIXTURES_REQUIRED stage)

find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  consumer_way(pkg-config "-DCOMES_AS=pkg-config" "-DCMAKE_PREFIX_PATH=${stage}/there")
  set_tests_properties(consumer.pkg-config PROPERTIES FIXTURES_REQUIRED "stage;moved")
else()
  message(STATUS "consumer by pkg-config: skipped, no pkg-config")
endif()

find_program(DPKG_DEB dpkg-deb)
find_program(CPACK_PROGRAM cpack)
find_program(LINTIAN lintian)
if(NOT LINTIAN)
  message(STATUS "what lintian says of the DEB package: skipped, no lintian")
endif()
foreach(form IN ITEMS DEB TGZ)
  if(NOT CPACK_PROGRAM OR (form STREQUAL "DEB" AND NOT DPKG_DEB))
    message(STATUS "consumer of a ${form} package: skipped, no cpack or dpkg-deb")
    continue()
  endif()
  string(TOLOWER ${form} name)
  add_test(NAME consumer.pack-${name} COMMAND ${CMAKE_COMMAND}
    -D FORM=${form} -D "CONFIG=${PROJECT_BINARY_DIR}/CPackConfig.cmake" -D "CPACK=${CPACK_PROGRAM}"
    -D "DPKG_DEB=${DPKG_DEB}" -D "LINTIAN=${LINTIAN}" -D "OUT=${stage}/${name}" -P ${CMAKE_CURRENT_SOURCE_DIR}/consumer/pack.cmake)
  set_tests_properties(consumer.pack-${name} PROPERTIES FIXTURES_REQUIRED unstaged FIXTURES_SETUP packed-${name}
    RESOURCE_LOCK cpack)
  consumer_way(${name} "-DCMAKE_PREFIX_PATH=${stage}/${name}/usr")
  set_tests_properties(consumer.${name} PROPERTIES FIXTURES_REQUIRED packed-${name})
endforeach()

find_program(CONAN conan)
if(CONAN)
  add_test(NAME consumer.conan COMMAND ${CMAKE_COMMAND} -D "CONAN=${CONAN}" -D "SOURCE_DIR=${PROJECT_SOURCE_DIR}"
    -D "WORK=${CMAKE_CURRENT_BINARY_DIR}/consumer-conan" -D "COMPONENTS=${components}"
    -P ${CMAKE_CURRENT_SOURCE_DIR}/consumer/conan.cmake)
else()
  message(STATUS "consumer by Conan: skipped, no conan")
endif()
find_program(VCPKG vcpkg)
if(VCPKG)
  add_test(NAME consumer.vcpkg-install COMMAND ${VCPKG} install simtflow --classic
    --overlay-ports=${PROJECT_SOURCE_DIR}/cmake/vcpkg/ports --x-install-root=${stage}/vcpkg
    --binarysource=clear) # what it knows of the port does not change with the headers
  set_tests_properties(consumer.vcpkg-install PROPERTIES FIXTURES_REQUIRED unstaged FIXTURES_SETUP vcpkg)
  set(triplet x64-linux)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "arm64|aarch64")
    set(triplet arm64-linux)
  endif()
  consumer_way(vcpkg "-DCMAKE_PREFIX_PATH=${stage}/vcpkg/${triplet}")
  set_tests_properties(consumer.vcpkg PROPERTIES FIXTURES_REQUIRED vcpkg)
else()
  message(STATUS "consumer by vcpkg: skipped, no vcpkg")
endif()

# Recipes that carry a version of their own carry the header's.
add_test(NAME consumer.versions COMMAND ${CMAKE_COMMAND} -D "SOURCE_DIR=${PROJECT_SOURCE_DIR}"
  -D VERSION=${PROJECT_VERSION} -P ${CMAKE_CURRENT_SOURCE_DIR}/consumer/versions.cmake)
