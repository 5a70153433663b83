# SPDX-License-Identifier: BSL-1.0
# The cost of including headers as a test. It counts instructions, so it may run beside other tests.
add_test(NAME bench.include_cost
  COMMAND sh ${PROJECT_SOURCE_DIR}/bench/include_cost.sh ${PROJECT_SOURCE_DIR}/include ${CMAKE_CXX_COMPILER} ${include_cost_most})
set_tests_properties(bench.include_cost PROPERTIES LABELS bench SKIP_REGULAR_EXPRESSION "skipped: no valgrind")
