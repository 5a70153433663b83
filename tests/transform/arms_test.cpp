// SPDX-License-Identifier: BSL-1.0
//
// The arms of a branch and the cuts of an arm, compared with their definitions on small graphs.
//
// Few small graphs have a branch with arms. Every 11th graph of four blocks, the sample under the address sanitizer,
// has too few of them.
#if defined(__SANITIZE_ADDRESS__)
#define SIMTFLOW_EXHAUSTIVE_STRIDE 4
#endif
#include "analysis/oracles.hpp"
#include "support/gz.hpp"
#include <simtflow/io/graph_text.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/testing/shapes.hpp>
#include <simtflow/transform/detail/arms.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace simtflow_tests;

namespace {

using simtflow::detail::branch_arms;

// A post-dominator c of the arm's first block is a cut if nothing past it goes back to what lies before it.
std::vector<block_id> cuts_by_sets(const small_graph& g, const std::vector<block_set>& post_dominated, block_id from,
                                   block_id join) {
  const block_set inside = ~only(join);
  std::vector<std::pair<int, block_id>> cuts;  // how much is past a cut, and the cut
  for (block_id c = 0; c < g.n; ++c) {
    if (c == join || !has(post_dominated[c], from) || !has(post_dominated[join], c)) continue;
    const block_set past = g.reach(only(c), inside);
    const block_set before = c == from ? 0 : g.reach(only(from), inside & ~only(c));
    if ((past & before) == 0) cuts.emplace_back(-std::popcount(past), c);
  }
  std::sort(cuts.begin(), cuts.end());
  std::vector<block_id> out;
  for (const auto& [size, c] : cuts) out.push_back(c);
  return out;
}

meld_refusal reason_by_sets(const small_graph& g, block_id branch, block_id join, const block_set (&arm)[2]) {
  if (join == no_block) return meld_refusal::no_join;
  if (arm[0] == 0 || arm[1] == 0) return meld_refusal::empty_arm;
  if ((arm[0] & arm[1]) != 0) return meld_refusal::arms_meet;
  if (has(arm[0] | arm[1], branch)) return meld_refusal::returns;
  for (unsigned a = 0; a < 2; ++a) {
    if (has(arm[a], g.entry)) return meld_refusal::not_dominated;
    for (block_id p = 0; p < g.n; ++p)
      if (p != branch && !has(arm[a], p) && (g.out[p] & arm[a]) != 0) return meld_refusal::not_dominated;
  }
  return meld_refusal::none;
}

// Counts the branches with arms, and the pieces of these arms.
struct counted {
  std::size_t branches = 0, pieces = 0, several = 0;
};

void check_arms(const subject& at, counted& sum) {
  const small_graph g(at.graph);
  branch_arms arms;
  cfg_facts facts(at.graph);
  arms.compute(facts);
  const std::vector<block_set> post_dominated =
      post_dominated_sets(g, g.n == 0 ? 0 : g.exits | virtual_edges(g, recursive_search(g).rpo()));
  for (block_id branch = 0; branch < g.n; ++branch) {
    const std::vector<block_id>& to = g.slots[branch];
    if (!has(g.reachable, branch) || to.size() != 2 || to[0] == to[1]) continue;
    const std::string who = "branch of block " + std::to_string(branch);
    const block_id join = immediate(post_dominated, branch);
    const block_id first[2] = {std::min(to[0], to[1]), std::max(to[0], to[1])};
    block_set arm[2] = {0, 0};
    if (join != no_block)
      for (unsigned a = 0; a < 2; ++a) arm[a] = first[a] == join ? 0 : g.reach(only(first[a]), ~only(join));
    const meld_refusal expected = reason_by_sets(g, branch, join, arm), got = arms.find(branch);
    // Arms that meet may also return.
    if ((expected == meld_refusal::none) != (got == meld_refusal::none)) return report(at, who);
    if (expected != meld_refusal::arms_meet && expected != got) return report(at, "reason for " + who);
    if (got != meld_refusal::none) continue;
    ++sum.branches;
    if (arms.join() != join || arms.exchanged() != (to[1] < to[0])) return report(at, "join of " + who);
    for (unsigned a = 0; a < 2; ++a) {
      const std::span<const block_id> blocks = arms.blocks(a), cuts = arms.cuts(a);
      if (to_set(blocks) != arm[a] || blocks.size() != static_cast<std::size_t>(std::popcount(arm[a])) ||
          blocks[0] != first[a])
        return report(at, "blocks of an arm, " + who);
      if (!std::ranges::equal(cuts, cuts_by_sets(g, post_dominated, first[a], join)))
        return report(at, "cuts of an arm, " + who);
      sum.pieces += cuts.size();
      sum.several += cuts.size() > 1 ? 1 : 0;
      // Every edge out of a piece leads to the next cut, so that a piece has one entry and one exit.
      for (std::size_t k = 0; k < cuts.size(); ++k) {
        const block_id next = k + 1 < cuts.size() ? cuts[k + 1] : join;
        const block_set piece = g.reach(only(cuts[k]), ~only(join) & ~only(next));
        for (block_id b = 0; b < g.n; ++b)
          for (const block_id s : g.slots[b]) {
            if (has(piece, b) && !has(piece, s) && s != next) return report(at, "a piece is left elsewhere, " + who);
            if (!has(piece, b) && has(piece, s) && s != cuts[k])
              return report(at, "a piece is entered elsewhere, " + who);
          }
      }
    }
  }
}

}  // namespace

TEST_CASE("the arms of a branch and their cuts, on small graphs by trying all blocks") {
  counted sum;
  for_each_small([&](const subject& at) { check_arms(at, sum); });
  for_each_small_with_exits([&](const subject& at) { check_arms(at, sum); });
  for_each_shape([&](const subject& at) { check_arms(at, sum); });
  CHECK(sum.branches > 100);
}

TEST_CASE("the arms of a branch and their cuts, on random graphs by trying all blocks") {
  counted sum;
  for_each_random(300, 9, [&](const subject& at) { check_arms(at, sum); });
  for_each_program_with_extra_edges(400, 16, 3, [&](const subject& at) { check_arms(at, sum); });
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    testing::rng random(seed);
    testing::program_options options;
    options.statements = 3;
    options.break_continue = random.chance(30);
    const csr_graph g = testing::random_structured_program(random, options).graph;
    if (g.num_blocks() <= 16) check_arms({"structured program", seed, g}, sum);
  }
  CHECK(sum.branches > 100);
  CHECK(sum.several > 20);
}

TEST_CASE("the arms of a branch as DARM cuts them") {
  // 0 -> {1, 6}; left arm: block 1, a loop 2 3 that is left from 3, block 4; right arm: a diamond 6 7 8 9; join 10.
  const csr_graph g = testing::adjacency({{1, 6}, {2}, {3}, {2, 4}, {10}, {}, {7, 8}, {9}, {9}, {10}, {}});
  branch_arms arms;
  cfg_facts facts(g);
  arms.compute(facts);
  REQUIRE(arms.find(0) == meld_refusal::none);
  CHECK(arms.join() == 10);
  CHECK(std::ranges::equal(arms.cuts(0), std::vector<block_id>{1, 2, 4}));
  CHECK(std::ranges::equal(arms.cuts(1), std::vector<block_id>{6, 9}));
  CHECK(arms.find(6) == meld_refusal::none);
  CHECK(arms.cuts(0).size() == 1);
  CHECK(arms.find(3) == meld_refusal::empty_arm);
}

TEST_CASE("the arms of real programs") {
  if (corpus_directory().empty()) {
    MESSAGE("skipped: no corpus");
    return;
  }
  branch_arms arms;
  std::size_t branches = 0, several = 0;
  for (const char* name : {"rodinia.nvcc.cfg.gz", "parboil.nvcc.cfg.gz", "rodinia.llvm.cfg.gz", "cpu-O0.cfg.gz"}) {
    const auto text = read_file(corpus_directory() + "/" + name);
    REQUIRE_MESSAGE(text.has_value(), name);
    const result<std::vector<recorded_graph>> file = read_graphs(*text);
    REQUIRE(file);
    for (const recorded_graph& r : *file) {
      if (r.graph.num_blocks() == 0) continue;
      cfg_facts facts(r.graph);
      arms.compute(facts);
      const depth_first_order order = depth_first(r.graph);
      for (const block_id b : order.rpo()) {
        const std::span<const block_id> to = r.graph.successors(b);
        if (to.size() != 2 || to[0] == to[1] || arms.find(b) != meld_refusal::none) continue;
        ++branches;
        for (unsigned a = 0; a < 2; ++a) several += arms.cuts(a).size() > 1 ? 1 : 0;
      }
    }
  }
  CHECK(branches > 1'000);
  CHECK(several > 100);
}

TEST_CASE("arms of a million blocks") {
  constexpr block_id n = 1'000'000;
  csr_builder b(n);
  b.add_edge(0, 1);
  b.add_edge(0, n / 2);
  for (block_id i = 1; i + 1 < n; ++i) b.add_edge(i, i + 1 == n / 2 ? n - 1 : i + 1);
  const csr_graph g = b.build();
  branch_arms arms;
  cfg_facts facts(g);
  arms.compute(facts);
  REQUIRE(arms.find(0) == meld_refusal::none);
  CHECK(arms.cuts(0).size() == n / 2 - 1);
  CHECK(arms.cuts(1).size() == n / 2 - 1);
}
