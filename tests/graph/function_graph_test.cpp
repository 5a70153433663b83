// SPDX-License-Identifier: BSL-1.0
#include "support/graphs.hpp"
#include <simtflow/graph/check.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/function_graph.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/testing/shapes.hpp>

#include <doctest/doctest.h>

#include <array>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

TEST_CASE("successors by reference, by value, and as other integers") {
  const std::vector<std::vector<block_id>> succ{{1, 2}, {3}, {3}, {}};
  const auto by_reference = function_graph{succ.size(), [&](block_id b) -> auto& {return succ[b];
}
}
;
static_assert(flow_graph<std::remove_cvref_t<decltype(by_reference)>>);
static_assert(check_adapter<std::remove_cvref_t<decltype(by_reference)>>());
CHECK(snapshot(by_reference) == testing::diamond());
const auto by_value = function_graph{succ.size(), [&](block_id b) { return succ[b]; }};
CHECK(snapshot(by_value) == testing::diamond());
const auto cycle = function_graph{3, [](block_id b) { return std::array<long, 1>{(b + 1) % 3}; }, 2};
CHECK(rows_of(snapshot(cycle)) == rows{{1}, {2}, {0}});
CHECK(snapshot(cycle).entry() == 2);
}

TEST_CASE("blocks that are not reached are not asked about") {
  std::vector<block_id> asked;
  const auto g = function_graph{5, [&](block_id b) {
                                  asked.push_back(b);
                                  return b == 0 ? std::vector<block_id>{4, 4, 0} : std::vector<block_id>{};
                                }};
  CHECK(rows_of(snapshot(g)) == rows{{4, 4, 0}, {}, {}, {}, {}});
  CHECK(asked == std::vector<block_id>{0, 4});
}

TEST_CASE("no blocks") {
  const auto g = function_graph{0, [](block_id) { return std::vector<block_id>{}; }};
  CHECK(snapshot(g) == csr_graph{});
  CHECK(validate(g).empty());
}

constexpr csr_graph at_compile_time() {
  return snapshot(function_graph{2, [](block_id b) {
                                   std::vector<block_id> out;
                                   if (b == 0) out.assign(2, 1);
                                   return out;
                                 }});
}
static_assert(at_compile_time() == testing::parallel_edges());
