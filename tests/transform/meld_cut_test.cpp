// SPDX-License-Identifier: BSL-1.0
//
// Blocks that are cut: a block of one arm melded with several pieces of the other arm.
#include "meld_checks.hpp"
#include "meld_edits.hpp"
#include "toy_code.hpp"
#include <simtflow/transform/meld.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

std::size_t cuts_of(const meld_plan& p) {
  std::size_t found = 0;
  for (const meld_block& b : p.blocks) found += b.left_begins && b.right_begins ? 0 : 1;
  return found;
}
// Plans both ways round: the same pairs.
meld_plan plan_of(const toy_code& c, block_id branch, const meld_options& o, std::uint64_t seed) {
  meld_plan p, q;
  REQUIRE(plan_meld(c.graph, c, branch, p, o) == meld_refusal::none);
  const auto pairs = check_plan(c, p, o, seed);
  const toy_code turned = exchanged(c, branch);
  REQUIRE(plan_meld(turned.graph, turned, branch, q, o) == meld_refusal::none);
  const auto others = check_plan(turned, q, o, seed);
  REQUIRE(p.expected_saving == q.expected_saving);
  REQUIRE(pairs.size() == others.size());
  for (const auto& [i, j] : pairs) REQUIRE(others.count({j, i}) == 1);
  return p;
}

}  // namespace

TEST_CASE("meld: a block is cut around a loop of the other arm") {
  // Left: one block. Right: its first half, a loop, its second half.
  const toy_code c = code_of({{{1, 2}, {}},
                              {{5}, ops({1, 2, 3, 4})},
                              {{3}, ops({1, 2})},
                              {{3, 4}, ops({7, 7})},
                              {{5}, ops({3, 4})},
                              {{}, {}}});
  const meld_plan p = plan_of(c, 0, {}, 1);
  REQUIRE(p.pieces.size() == 3);
  CHECK(p.pieces[0].side == meld_side::both);
  CHECK(p.pieces[1].side == meld_side::right);
  CHECK(p.pieces[2].side == meld_side::both);
  const meld_block &first = p.blocks[0], &last = p.blocks[2];
  CHECK(first.left == 1);
  CHECK(first.right == 2);
  CHECK(first.left_begins);
  CHECK(!first.left_ends);
  CHECK(first.right_ends);
  CHECK(first.ends_as == meld_side::right);
  CHECK(first.forced == 0);
  CHECK(last.left == 1);
  CHECK(last.right == 4);
  CHECK(!last.left_begins);
  CHECK(last.left_ends);
  CHECK(last.right_begins);
  CHECK(last.ends_as == meld_side::both);
  CHECK(p.all_slots ==
        std::vector<meld_slot>{{0, 4}, {1, 5}, {no_instruction, 6}, {no_instruction, 7}, {2, 8}, {3, 9}});
  // Half of the warps save 20; the branch moves to the loop.
  CHECK(p.expected_saving == 10);
}

TEST_CASE("meld: a block is cut for two regions, and led through both") {
  // Right: if (d) { a } then if (e) { b }, with a and b in the left block.
  const toy_code c = code_of({{{1, 2}, {}},
                              {{6}, {op(1, 100), op(2, 100)}},
                              {{3, 4}, {}},
                              {{4}, {op(1, 100)}},
                              {{5, 6}, {}},
                              {{6}, {op(2, 100)}},
                              {{}, {}}});
  const meld_plan p = plan_of(c, 0, {}, 1);
  REQUIRE(p.pieces.size() == 2);
  CHECK(cuts_of(p) == 1);
  CHECK(p.blocks[0].forced == 0);
  CHECK(p.blocks[1].left == 1);
  CHECK(!p.blocks[1].left_ends);
  CHECK(p.blocks[2].forced == 0);
  CHECK(p.blocks[3].left == 1);
  CHECK(p.blocks[3].left_ends);
}

TEST_CASE("meld: a cut that costs more than it saves is not made") {
  // The second half weighs less than the branch that is needed for the loop between.
  const toy_code c = code_of({{{1, 2}, {}},
                              {{5}, ops({1, 2, 3})},
                              {{3}, ops({1, 2})},
                              {{3, 4}, ops({7, 7})},
                              {{5}, ops({8, 8, 8, 8, 8, 8, 8, 3})},
                              {{}, {}}});
  meld_options low;
  low.threshold = 0;
  low.predication_cost = low.divergence_cost = 20;
  CHECK(cuts_of(plan_of(c, 0, low, 1)) == 0);
}

TEST_CASE("meld: random blocks beside sequences of pieces") {
  std::size_t found = 0, cut = 0, regions = 0, three = 0;
  edits_tally mistakes;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    CAPTURE(seed);
    testing::rng random(seed + 900'000);
    // Right: blocks, ifs and loops with code of their own and code that the left block also has.
    toy_writer w;
    const block_id leave = w.block({}), join = w.block({}, {leave});
    std::vector<toy_instruction> all;
    block_id next = join;
    const auto some = [&] {
      std::vector<toy_instruction> out;
      for (std::size_t k = random.below(3); k > 0; --k) {
        toy_instruction i = op(20 + static_cast<std::uint32_t>(random.below(5)), 3);
        i.to = static_cast<std::uint32_t>(random.below(8));
        out.push_back(i);
      }
      return out;
    };
    // Made from the end on.
    const auto common = [&] {
      std::vector<toy_instruction> out = some(), also;
      for (std::size_t k = 1 + random.below(4); k > 0; --k) {
        toy_instruction i =
            op(static_cast<std::uint32_t>(random.below(8)), 5 + static_cast<std::uint32_t>(random.below(4)) * 10);
        i.to = static_cast<std::uint32_t>(random.below(8));
        i.a = static_cast<std::uint32_t>(random.below(8));
        out.push_back(i);
        if (random.chance(30)) i.a = static_cast<std::uint32_t>(random.below(8));
        if (random.chance(90)) also.push_back(i);
      }
      all.insert(all.begin(), also.begin(), also.end());
      return out;
    };
    for (std::size_t k = 2 + random.below(4); k > 0; --k) {
      const std::vector<toy_instruction> shared = common();
      switch (random.below(5)) {
        case 0:
          next = w.block(shared, {next});
          break;
        case 1: {
          const block_id then = w.block(shared, {next});
          next = w.block(some(), {then, next});
          break;
        }
        case 2: {
          const block_id then = w.block(some(), {next});
          next = w.block(shared, {next, then});
          break;
        }
        case 3: {
          const block_id self = w.block(shared);
          w.successors(self) = {self, next};
          next = self;
          break;
        }
        default: {
          const block_id l = w.block(some(), {next}), r = w.block(shared, {next});
          next = w.block(some(), {l, r});
          break;
        }
      }
    }
    const block_id one = w.block(all, {join});
    const bool left = random.chance(50);
    const block_id branch = left ? w.block({}, {one, next}) : w.block({}, {next, one});
    toy_code c = w.finish(branch);
    if (random.chance(70)) c.likely.assign(branch + 1, {static_cast<double>(4 + random.below(13)) / 16, 0.5});
    meld_options o;
    o.threshold = random.chance(50) ? 0 : 0.2;
    o.predication_cost = static_cast<std::uint32_t>(random.below(6));
    meld_plan p;
    if (plan_meld(c.graph, c, branch, p, o) != meld_refusal::none) continue;
    ++found;
    p = plan_of(c, branch, o, seed);
    check_edits(c, p, random, 4, mistakes);
    const std::size_t parts = cuts_of(p);
    cut += parts > 0 ? 1 : 0;
    three += parts > 1 ? 1 : 0;
    for (const meld_piece& x : p.pieces)
      if (x.side == meld_side::both && x.num_blocks > 1 && parts > 0) {
        ++regions;
        break;
      }
  }
  MESSAGE("of " << found << " plans " << cut << " cut a block, " << three << " into three parts or more, " << regions
                << " place parts in regions");
  MESSAGE("of " << mistakes.edits << " mistakes " << mistakes.caught << " are caught, " << mistakes.way
                << " on the way of a thread, and " << mistakes.shown << " seen");
  CHECK(mistakes.caught * 10 > mistakes.edits * 8);
  CHECK(mistakes.shown * 100 >= mistakes.way * 98);
  CHECK(cut > 300);
  CHECK(three > 50);
  CHECK(regions > 100);
}
