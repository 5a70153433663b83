// SPDX-License-Identifier: BSL-1.0
#include <simtflow/analysis/barrier_order.hpp>
#include <simtflow/testing/shapes.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace simtflow;

TEST_CASE("barrier order: lanes that are overtaken at a barrier") {
  // A loop: 1 goes on to the barrier in 2, or to 3, and both lead back; 2 leaves to 4.
  const csr_graph g = testing::adjacency({{1}, {3, 2}, {1, 4}, {1}, {}});
  const std::vector<unsigned char> barrier{0, 0, 1, 0, 0}, none(5, 0), at_end{0, 0, 0, 0, 1};
  const auto usual = loop_contiguous_order(g);
  REQUIRE(usual.rank(2) < usual.rank(3));
  const overtaken found = find_overtaken(g, usual, barrier);
  REQUIRE(found);
  CHECK(found.barrier == 2);
  CHECK(found.waits == 3);
  CHECK(barrier_safe_order(g, barrier).rank(2) > barrier_safe_order(g, barrier).rank(3));
  // Once all lanes have reached the end, none waits elsewhere.
  for (const auto& flags : {none, at_end, std::vector<unsigned char>()}) {
    CHECK(!find_overtaken(g, usual, flags));
    const auto order = barrier_safe_order(g, flags);
    for (block_id b = 0; b < 5; ++b) CHECK(order.rank(b) == usual.rank(b));
  }
  const csr_graph empty;
  CHECK(!find_overtaken(empty, loop_contiguous_order(empty), {}));
}
