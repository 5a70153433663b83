// SPDX-License-Identifier: BSL-1.0
#include <simtflow/advice/hints.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace simtflow;
using advice::block_evidence;
using advice::hint_kind;
using advice::kernel_evidence;

TEST_CASE("hints: a kernel that loses nothing gets none") {
  CHECK(advice::hints_for({}, {}).empty());
  CHECK(advice::hints_for({}, std::vector<block_evidence>(5)).empty());
}

TEST_CASE("hints: the weightiest comes first, each with its evidence") {
  //! [hints_for]
  std::vector<block_evidence> blocks(2);
  blocks[0] = {.block = 3, .idle = 0.31, .leaves_loop = true, .header = 2, .balance = 0.4};
  blocks[1] = {.block = 7, .global_accesses = 0.01, .transactions = 0.16};
  const auto hints = advice::hints_for({.ragged = 0.2}, blocks);
  REQUIRE(hints.size() == 3);
  CHECK(hints[0].what == hint_kind::balance_loop);  // 31 % of the lane slots
  CHECK(hints[0].block == 2);
  CHECK(hints[1].what == hint_kind::change_size);
  CHECK(hints[2].what == hint_kind::change_layout);
  CHECK(hints[2].figure == doctest::Approx(16));  // lines for each access
  //! [hints_for]
}

TEST_CASE("hints: a loop that lanes leave in several places gets one hint, with the sum") {
  const auto exit_of = [](block_id block, block_id header, double idle) {
    return block_evidence{.block = block, .idle = idle, .leaves_loop = true, .header = header, .balance = 0.5};
  };
  const auto hints =
      advice::hints_for({}, std::vector<block_evidence>{exit_of(8, 6, 0.03), exit_of(3, 2, 0.1), exit_of(9, 6, 0.04),
                                                        exit_of(4, 2, 0.2), exit_of(12, 11, 0.04)});
  REQUIRE(hints.size() == 2);
  CHECK(hints[0].block == 2);
  CHECK(hints[0].weight == doctest::Approx(0.3));
  CHECK(hints[1].block == 6);
  CHECK(hints[1].weight == doctest::Approx(0.07));
}

TEST_CASE("hints: each kind has a case with it, and a case just below") {
  const auto only = [](const kernel_evidence& k, const block_evidence& b) {
    const auto all = advice::hints_for(k, std::vector<block_evidence>{b});
    return all.size() == 1 ? to_string(all[0].what) : all.empty() ? "none" : "several";
  };
  CHECK(only({.compacted = 0.9}, {}) == "compact_items");
  CHECK(only({.compacted = 0.96}, {}) == "none");
  CHECK(only({.sorted = 0.8}, {}) == "sort_items");
  CHECK(only({.sorted = 0.79, .compacted = 0.8}, {}) == "compact_items");  // sorting everything adds too little
  CHECK(only({.ended = 0.3}, {}) == "end_later");
  CHECK(only({.spins = true}, {}) == "replace_spin");
  CHECK(only({.divergent_barrier = true}, {}) == "move_barrier");
  CHECK(only({}, {.idle = 0.1, .alike = 4}) == "hoist_code");
  CHECK(only({}, {.idle = 0.1, .alike = 1}) == "none");
  CHECK(only({}, {.spent = 0.2, .active = 0.05}) == "split_kernel");
  CHECK(only({}, {.spent = 0.2, .active = 0.5}) == "none");
  CHECK(only({}, {.shared_accesses = 0.02, .passes = 0.3}) == "pad_shared");
  CHECK(only({}, {.shared_accesses = 0.2, .passes = 0.2}) == "none");
  CHECK(only({}, {.idle = 0.3, .leaves_loop = true, .balance = 0.9}) == "none");
}
