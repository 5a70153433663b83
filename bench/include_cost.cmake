# SPDX-License-Identifier: BSL-1.0
# The cost of including headers as a test; alone on the machine, because it measures.
add_test(NAME bench.include_cost
  COMMAND sh ${PROJECT_SOURCE_DIR}/bench/include_cost.sh ${PROJECT_SOURCE_DIR}/include ${CMAKE_CXX_COMPILER})
set_tests_properties(bench.include_cost PROPERTIES RUN_SERIAL ON LABELS bench)
