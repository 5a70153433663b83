// SPDX-License-Identifier: BSL-1.0
#include <simtflow/align/isomorphism.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/io/describe_analyses.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/io/event_trace.hpp>
#include <simtflow/io/timeline_style.hpp>
#include <simtflow/testing/fixtures.hpp>
#include <simtflow/testing/shapes.hpp>
#include <simtflow/testing/ssa_programs.hpp>
#include <simtflow/transform/copy_report.hpp>
#include <simtflow/transform/guard_tree.hpp>
#include <simtflow/transform/meld_options.hpp>
#include <simtflow/transform/partial_linearization.hpp>
#include <simtflow/transform/plan.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace simtflow;

// As in a program that is debugged.
template void simtflow::dump(const simtflow::dominator_tree<std::vector<std::vector<int>>>&);

namespace {

// 0 -> {1, 4}, a loop 1 2 that is left from 1 to 3, an arm 4, the join 3; block 5 is unreachable.
const std::vector<std::vector<int>> cfg{{1, 4}, {2, 3}, {1}, {}, {3}, {3}};

}  // namespace

TEST_CASE("results of analyses as text") {
  const auto tree = dominators(cfg);
  CHECK(describe(tree) == "dominators: 6 blocks\nBB0\n  BB1\n    BB2\n  BB3\n  BB4\nunreachable: BB5\n");
  CHECK(describe(tree, [](block_id b) { return std::string(1, static_cast<char>('a' + b)); }) ==
        "dominators: 6 blocks\na\n  b\n    c\n  d\n  e\nunreachable: f\n");
  const auto ends = post_dominators(cfg);
  CHECK(describe(ends) ==
        "post-dominators: 6 blocks\nend\n  BB3\n    BB1\n      BB2\n    BB0\n    BB4\nunreachable: BB5\n");
  const auto nest = loops(cfg);
  CHECK(describe(nest) == "loops: 1, reducible\nloop at BB1: 2 blocks: BB1 BB2\n  latches: BB2\n  exits: BB1 -> BB3\n");
  const auto order = reverse_post_order(cfg);
  const std::string ranks = describe(order);
  CHECK(ranks.starts_with("priorities: "));
  CHECK(ranks.find("\n0  BB0\n") != std::string::npos);
  const auto frontiers = thread_frontiers(cfg, order);
  const std::string sets = describe(frontiers);
  CHECK(sets.starts_with("thread frontiers: at most "));
  CHECK(sets.find("\nBB5  {}\n") != std::string::npos);
  for (block_id b = 0; b < 6; ++b)
    for (const int x : frontiers.of(static_cast<int>(b)))
      CHECK(sets.find("BB" + std::to_string(x), sets.find("\nBB" + std::to_string(b))) != std::string::npos);
  const auto joins = dominance_frontiers(cfg, tree);
  CHECK(describe(joins) ==
        "dominance frontiers: 4 in all\nBB0  {}\nBB1  {BB1 BB3}\nBB2  {BB1}\nBB3  {}\nBB4  {BB3}\nBB5  {}\n");
  const auto regions = structure_tree(cfg);
  const std::string nested = describe(regions);
  CHECK(nested.starts_with("regions: " + std::to_string(regions.num_regions()) + "\n"));
  const auto components = strong_components(cfg);
  const std::string parts = describe(components);
  CHECK(parts.find(", cycle: BB1 BB2\n") != std::string::npos);
  CHECK(parts.find(", terminal: BB3\n") != std::string::npos);
}

TEST_CASE("results of analyses as text, of graphs without blocks, with several entries to a loop, and deep ones") {
  const csr_graph empty;
  CHECK(describe(dominators(empty)) == "dominators: 0 blocks\n");
  CHECK(describe(post_dominators(empty)) == "post-dominators: 0 blocks\nend\n");
  CHECK(describe(loops(empty)) == "loops: 0, reducible\n");
  CHECK(describe(structure_tree(empty)).starts_with("regions: "));
  CHECK(describe(strong_components(empty)) == "components: 0\n");

  const csr_graph twisted = testing::adjacency({{1, 2}, {2}, {1, 3}, {}});
  CHECK(describe(loops(twisted)) ==
        "loops: 1, irreducible\nloop at BB1: 2 blocks: BB1 BB2\n  entries: BB1 BB2\n  latches: BB2\n  exits: BB2 -> "
        "BB3\n");

  const csr_graph endless = testing::adjacency({{1, 2}, {1}, {}});
  CHECK(describe(post_dominators(endless, {.endless = infinite_loops::ignore})).find("no end: ") != std::string::npos);

  csr_builder row(40);
  for (block_id b = 0; b + 1 < 40; ++b) row.add_edge(b, b + 1);
  const std::string deep = describe(dominators(row.build()));
  CHECK(deep.find(std::string(64, ' ') + "BB32\n") != std::string::npos);
  CHECK(deep.find(std::string(64, ' ') + "(depth 33) BB33\n") != std::string::npos);
}

TEST_CASE("enums of plans, alignments and pictures as words") {
  CHECK(to_string(plan_role::guard) == "guard");
  CHECK(to_string(loop_guards::merge) == "merge");
  CHECK(to_string(guard_optimization::o4) == "o4");
  CHECK(to_string(copy_step::forward_copy) == "forward copy");
  CHECK(to_string(linear_end::repeat) == "repeat");
  CHECK(to_string(meld_side::both) == "both");
  CHECK(to_string(meld_mode::fusion) == "fusion");
  CHECK(to_string(meld_refusal::not_two_way) == "not two-way");
  CHECK(to_string(alignment_mode::semi_global) == "semi-global");
  CHECK(to_string(slot_order::two_way_free) == "two-way free");
  CHECK(to_string(isomorphism_verdict::gave_up) == "gave up");
  CHECK(to_string(dot_role::empty) == "empty");
  CHECK(to_string(trace_rows::warps) == "warps");
  CHECK(to_string(timeline_clock::each_warp) == "each warp");
  CHECK(to_string(testing::ssa_kind::phi) == "phi");
}
