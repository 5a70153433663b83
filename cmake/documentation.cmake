# SPDX-License-Identifier: BSL-1.0
#
# Reference documentation by Doxygen: the target `docs` writes <build>/docs/html and fails if a public name has no
# documentation; the test `docs` (label docs) does the same. README.md is the main page, the other pages are beside it.
# Namespaces `detail` are left out. A folder is a group (documentation_groups.dox); the examples of functions are parts
# of tests (`\snippet reference_test.cpp NAME`), so they are compiled and run.
find_package(Doxygen QUIET)
find_program(SIMTFLOW_AWK NAMES awk gawk mawk DOC "Prepares headers for Doxygen")
mark_as_advanced(SIMTFLOW_AWK)
if(NOT TARGET Doxygen::doxygen OR NOT SIMTFLOW_AWK)
  message(STATUS "simtflow: no Doxygen (or no awk): the target and the test `docs` are skipped")
  return()
endif()

set(DOXYGEN_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/docs")
set(DOXYGEN_USE_MDFILE_AS_MAINPAGE "${CMAKE_CURRENT_SOURCE_DIR}/README.md")
set(DOXYGEN_IMAGE_PATH examples examples/lab bench)  # the pictures that the pages show: copied beside them
set(DOXYGEN_EXAMPLE_PATH tests tests/cuda tests/ptx)  # for \snippet
set(DOXYGEN_GENERATE_TREEVIEW YES)
set(DOXYGEN_FILE_PATTERNS *.hpp)
set(DOXYGEN_STRIP_FROM_PATH include)
set(DOXYGEN_STRIP_FROM_INC_PATH include)
set(DOXYGEN_EXCLUDE_SYMBOLS detail *::detail *::detail::* *::node_column*)
set(DOXYGEN_FILTER_PATTERNS "*.hpp=\"${SIMTFLOW_AWK} -f cmake/documentation.awk\""
  "*.md=\"${SIMTFLOW_AWK} -v root=${CMAKE_CURRENT_SOURCE_DIR} -f cmake/documentation_page.awk\"")
set(DOXYGEN_ALIASES "complexity=@par Complexity^^")
set(DOXYGEN_VERBATIM_VARS DOXYGEN_FILTER_PATTERNS)
set(DOXYGEN_JAVADOC_AUTOBRIEF YES)
set(DOXYGEN_DISTRIBUTE_GROUP_DOC YES)  # a comment above a group @{ ... @} is that of all its members
set(DOXYGEN_EXTRACT_ALL NO)
set(DOXYGEN_EXTRACT_STATIC YES)
set(DOXYGEN_HAVE_DOT NO)
set(DOXYGEN_QUIET YES)
set(DOXYGEN_WARN_AS_ERROR FAIL_ON_WARNINGS)
doxygen_add_docs(docs include/simtflow ${simtflow_pages} cmake/documentation_groups.dox COMMENT "Writing the reference documentation")

if(SIMTFLOW_BUILD_TESTS)
  # The configuration that doxygen_add_docs has written; not the target, so that tests never build.
  add_test(NAME docs COMMAND Doxygen::doxygen "${CMAKE_CURRENT_BINARY_DIR}/Doxyfile.docs"
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  add_test(NAME docs.pictures COMMAND ${CMAKE_COMMAND} -D "HTML=${DOXYGEN_OUTPUT_DIRECTORY}/html"
    -D "PAGES=${simtflow_pages}" -D "SOURCE_DIR=${CMAKE_CURRENT_SOURCE_DIR}"
    -P "${CMAKE_CURRENT_SOURCE_DIR}/cmake/check_pictures.cmake")
  set_tests_properties(docs PROPERTIES LABELS docs FIXTURES_SETUP docs)
  set_tests_properties(docs.pictures PROPERTIES LABELS docs FIXTURES_REQUIRED docs)
endif()
