// SPDX-License-Identifier: BSL-1.0
//
// Plans by expected cost, worked out by hand, and plans as the melding paper scores them: its table of techniques and
// its examples.
//
// Literature: C. Saumya, K. Sundararajah, M. Kulkarni, DARM: control-flow melding for SIMT thread divergence reduction
// (2022), Table I, Figures 3 and 6, section IV.
#include "meld_checks.hpp"
#include "toy_code.hpp"
#include <simtflow/transform/meld.hpp>
#include <simtflow/transform/profitability.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

toy_code diamond(const std::vector<toy_instruction>& left, const std::vector<toy_instruction>& right) {
  return code_of({{{1, 2}, {}}, {{3}, left}, {{3}, right}, {{}, {}}});
}
meld_plan plan_of(const toy_code& c, const meld_options& o = {}) {
  meld_plan p;
  REQUIRE(plan_meld(c.graph, c, 0, p, o) == meld_refusal::none);
  check_plan(c, p, o, 1);
  return p;
}
bool melds(const toy_code& c, meld_mode mode) {
  meld_options o;
  o.mode = mode;
  o.score = meld_score::paper;
  meld_plan p;
  if (plan_meld(c.graph, c, 0, p, o) != meld_refusal::none) return false;
  check_plan(c, p, o, 1);
  return true;
}
meld_options as_printed() {
  meld_options o;
  o.score = meld_score::paper;
  return o;
}

// A branch weighs 3 and 3 more for warps that diverge; 4.5 by default.
constexpr double branch = 4.5;

}  // namespace

TEST_CASE("meld by cost: a diamond of equal arms saves what half of the warps executed twice, and the branch") {
  toy_code c = diamond(ops({1, 2, 3}), ops({1, 2, 3}));
  const meld_plan p = plan_of(c);
  CHECK(p.expected_saving == 7.5 + branch);
  CHECK(p.weight_saved == 15 + 6);
  CHECK(p.pieces[0].weight_saved == 15);
  c.likely = {{1, 0.5}};
  CHECK(plan_of(c).expected_saving == 15 + 6);
  // If warps always agree, the branch is all that is saved.
  c.likely = {{0, 0.25}};
  CHECK(plan_of(c).expected_saving == 3);
}

TEST_CASE("meld by cost: all warps pay for selects, warps that diverge save instructions") {
  // Two instructions of 5 with a select of 1 each: half of the warps save 10, all pay 2.
  auto other = ops({1, 2});
  for (toy_instruction& i : other) i.a = 1;
  toy_code c = diamond(ops({1, 2}), other);
  CHECK(plan_of(c).expected_saving == 5 - 2 + branch);
  CHECK(plan_of(c).weight_saved == 10 - 2 + 6);
  // A tenth of the warps diverges: 1 - 2, and 3.3 for the branch. A weightless branch leaves nothing to save.
  c.likely = {{0.125, 0.5}};
  CHECK(plan_of(c).expected_saving == 1.25 - 2 + 3.375);
  meld_options free;
  free.predication_cost = free.divergence_cost = 0;
  meld_plan p;
  CHECK(plan_meld(c.graph, c, 0, p, free) == meld_refusal::nothing_compatible);
}

TEST_CASE("meld by cost: a run of one side costs issues under a predicate, or a branch if that is cheaper") {
  // Two instructions of the left arm alone: the quarter of warps with all threads on the right issues both: 3 each.
  CHECK(plan_of(diamond(ops({1, 9, 9}), ops({1}))).expected_saving == 2.5 + branch - 1.5);
  // An instruction that weighs less than an issue costs its own weight.
  CHECK(plan_of(diamond({op(1), op(9, 1)}, ops({1}))).expected_saving == 2.5 + branch - 0.25);
  // Ten would cost 7.5; a branch costs 4.5.
  meld_options low;
  low.threshold = 0;
  toy_code c = diamond(ops({1, 2, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}), ops({1, 2}));
  CHECK(plan_of(c, low).expected_saving == 5);
  CHECK(plan_of(c, low).weight_saved == 10);
  // If all other warps are on the left, the run costs nothing; on the right, 1.5 an instruction: the branch again.
  c.likely = {{0.5, 1}};
  CHECK(plan_of(c, low).expected_saving == 5 + branch);
  c.likely = {{0.5, 0}};
  CHECK(plan_of(c, low).expected_saving == 5);
}

TEST_CASE("meld by cost: pairs in the middle of long runs have to pay for another branch") {
  // Pairs of 1: with a free branch both are made; the second one costs a branch on each side.
  const auto nines = ops({9, 9, 9, 9, 9, 9, 9, 9, 9, 9}), eights = ops({8, 8, 8, 8, 8, 8, 8, 8, 8, 8});
  std::vector<toy_instruction> left{op(1, 40)}, right{op(1, 40)};
  left.insert(left.end(), nines.begin(), nines.end());
  right.insert(right.end(), eights.begin(), eights.end());
  left.push_back(op(2, 5));
  right.push_back(op(2, 5));
  left.insert(left.end(), nines.begin(), nines.end());
  right.insert(right.end(), eights.begin(), eights.end());
  meld_options low;
  low.threshold = 0;
  CHECK(plan_of(diamond(left, right), low).expected_saving == 20 + branch - 2 * branch);
  for (toy_instruction* i : {&left[11], &right[11]}) i->latency = 30;
  CHECK(plan_of(diamond(left, right), low).expected_saving == 20 + 15 + branch - 4 * branch);
}

TEST_CASE("meld by cost: blocks count as often as warps execute them") {
  // if (d) { work } on both sides, where the work is done four times, and once, for each time that an arm is entered.
  toy_code c =
      code_of({{{1, 3}, {}}, {{2, 5}, ops({1})}, {{5}, ops({2, 2})}, {{4, 5}, ops({1})}, {{5}, ops({2, 2})}, {{}, {}}});
  CHECK(plan_of(c).expected_saving == 2.5 + 5 + branch);
  c.often = {8, 4, 16, 2, 2, 8};
  // Both are there in half of the warps: once of the four times.
  CHECK(plan_of(c).expected_saving == 2.5 + 5 + branch);
  c.often = {8, 4, 1, 2, 2, 8};
  CHECK(plan_of(c).expected_saving == 2.5 + 1.25 + branch);
}

TEST_CASE("meld as printed: the paper's table of techniques and patterns") {
  // Diamond with identical sequences, diamond with distinct ones, and two if-thens as arms.
  auto other = ops({1, 2, 3, 4});
  other[1].a = 3;
  const toy_code identical = diamond(ops({1, 2, 3, 4}), other);
  const toy_code distinct = diamond(ops({1, 2, 3, 4, 5}), ops({1, 6, 3, 4, 7}));
  const toy_code complex = code_of(
      {{{1, 3}, {}}, {{2, 5}, ops({1, 2})}, {{5}, ops({3, 4})}, {{4, 5}, ops({1, 2})}, {{5}, ops({3, 4})}, {{}, {}}});
  CHECK(melds(identical, meld_mode::tail));
  CHECK(melds(identical, meld_mode::fusion));
  CHECK(melds(identical, meld_mode::full));
  CHECK(!melds(distinct, meld_mode::tail));
  CHECK(melds(distinct, meld_mode::fusion));
  CHECK(melds(distinct, meld_mode::full));
  CHECK(!melds(complex, meld_mode::tail));
  CHECK(!melds(complex, meld_mode::fusion));
  CHECK(melds(complex, meld_mode::full));
  // A tail has to reach the threshold.
  CHECK(!melds(diamond(ops({1, 2, 3, 4, 9}), ops({5, 6, 7, 8, 9})), meld_mode::tail));
}

TEST_CASE("meld as printed: two blocks with equal profiles have MP_B = 0.5, whatever their order") {
  const toy_code c = diamond({op(1, 5), op(2, 10), op(3, 3)}, {op(3, 3), op(2, 10), op(1, 5)});
  const code_fingerprints f(c.graph.num_blocks(), c);
  CHECK(block_profit(f, 1, 2).value() == 0.5);
  const meld_plan p = plan_of(c, as_printed());
  CHECK(p.pieces[0].profit == 0.5);
  CHECK(p.pieces[0].weight_saved == 10);  // the order allows for one pair
}

TEST_CASE("meld as printed: the alignment of Figure 3a, five pairs and two gaps") {
  enum : std::uint32_t { add, sub, divide, shr, shl, mul, and_, or_, xor_ };
  const auto a = std::vector<toy_instruction>{op(add, 5), op(sub, 3),  op(divide, 20), op(shr, 3),
                                              op(shl, 3), op(mul, 10), op(and_, 3)};
  auto b = std::vector<toy_instruction>{op(add, 5),     op(sub, 3),  op(or_, 3), op(xor_, 3),
                                        op(divide, 20), op(mul, 10), op(and_, 3)};
  for (toy_instruction& i : b) i.a = 1;  // operands differ
  const toy_code c = diamond(a, b);
  const std::vector<meld_slot> expected{
      {0, 7},  {1, 8}, {no_instruction, 9}, {no_instruction, 10}, {2, 11}, {3, no_instruction}, {4, no_instruction},
      {5, 12}, {6, 13}};
  const meld_plan printed = plan_of(c, as_printed());
  CHECK(printed.all_slots == expected);
  CHECK(printed.pieces[0].weight_saved == 41);
  CHECK(printed.pieces[0].profit == doctest::Approx(41.0 / 94));
  // By expected cost the same.
  CHECK(plan_of(c).all_slots == expected);
}

TEST_CASE("meld as printed: the alignment of Figure 6b, all but the two compares") {
  enum : std::uint32_t { compare, store };
  auto less = op(compare, 3), greater = op(compare, 3);
  greater.odd = true;  // another predicate
  const toy_code c = code_of({{{1, 3}, {}},
                              {{2, 5}, {less}},                         // C
                              {{5}, {op(store, 100), op(store, 100)}},  // E
                              {{4, 5}, {greater}},                      // D
                              {{5}, {op(store, 100), op(store, 100)}},  // F
                              {{}, {}}});
  for (const meld_options& o : {as_printed(), meld_options{}}) {
    const meld_plan p = plan_of(c, o);
    REQUIRE(p.pieces.size() == 1);
    REQUIRE(p.blocks.size() == 2);
    CHECK(p.blocks[0].left == 1);
    CHECK(p.blocks[0].right == 3);
    CHECK(p.blocks[1].left == 2);
    CHECK(p.blocks[1].right == 4);
    CHECK(p.all_slots == std::vector<meld_slot>{{0, no_instruction}, {no_instruction, 3}, {1, 4}, {2, 5}});
  }
}

TEST_CASE("meld as printed: pieces are scored by profiles, and pairs below the threshold are left out") {
  // Two blocks on each side: equal profiles 1 with 1, little in common 2 with 2.
  const toy_code c = code_of({{{1, 3}, {}},
                              {{2}, ops({1, 2, 3})},
                              {{5}, ops({4, 5, 6, 7, 8})},
                              {{4}, ops({3, 2, 1})},
                              {{5}, ops({4, 9, 10, 11, 12})},
                              {{}, {}}});
  const meld_plan p = plan_of(c, as_printed());
  REQUIRE(p.pieces.size() == 3);
  CHECK(p.pieces[0].profit == 0.5);
  CHECK(p.pieces[1].side == meld_side::left);
  CHECK(p.pieces[2].side == meld_side::right);
  meld_options low = as_printed();
  low.threshold = 0.1;
  CHECK(plan_of(c, low).pieces.size() == 2);
}

TEST_CASE("meld as printed: a block and a region are scored by the best pair of blocks") {
  // The else of the region is like the block; with the whole region the block has 20 of 90 in common.
  const toy_code c = code_of({{{1, 2}, {}},
                              {{5}, ops({1, 2, 3, 4})},
                              {{3, 4}, ops({7, 7, 7, 7})},
                              {{5}, ops({8, 8, 8, 8, 8, 8})},
                              {{5}, ops({1, 2, 3, 4})},
                              {{}, {}}});
  const meld_plan p = plan_of(c, as_printed());
  REQUIRE(p.pieces.size() == 1);
  CHECK(p.pieces[0].profit == 0.5);
  CHECK(p.blocks[2].left == 1);
  CHECK(p.blocks[2].right == 4);
}

TEST_CASE("meld as printed: random plans do what the code did") {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    CAPTURE(seed);
    testing::rng random(seed + 700'000);
    toy_generator generator(random);
    block_id at = no_block;
    const toy_code c = generator.function(at);
    meld_options o = as_printed();
    o.threshold = 0.05 * static_cast<double>(random.below(9));
    o.mode = random.chance(70) ? meld_mode::full : modes[random.below(3)];
    meld_plan p;
    if (plan_meld(c.graph, c, at, p, o) != meld_refusal::none) continue;
    ++found;
    check_plan(c, p, o, seed);
  }
  CHECK(found > 300);
}
