// SPDX-License-Identifier: BSL-1.0
#include "linearized.hpp"
#include <simtflow/testing/shapes.hpp>
#include <simtflow/transform/check_plan.hpp>
#include <simtflow/transform/detail/arms.hpp>
#include <simtflow/transform/interleave.hpp>
#include <simtflow/transform/interleave_order.hpp>
#include <simtflow/transform/interleave_phases.hpp>

#include <algorithm>

using namespace simtflow;
using namespace linearized;

TEST_CASE("interleave: puts the arms of a branch in the caller's order") {
  // Figure 2a: if (c1) { 2; if (c2) 3 else 4 } else { 5; if (c3) 6 else 7 }
  const csr_graph g = testing::adjacency({{1}, {2, 5}, {3, 4}, {8}, {8}, {6, 7}, {8}, {8}, {}});
  const std::vector<block_id> order = {2, 5, 3, 6, 4, 7};
  const linearization made = interleave(g, block_id{1}, order);
  CHECK(made.structured);
  CHECK(wrong_way(g, made.plan) == "");
  CHECK(wrong_shape(made.plan) == "");
  check_same(0, g, made.plan, 16);
  // The row of guards is the order.
  std::vector<block_id> row;
  for (block_id at = made.plan.successors(1)[0].to; made.plan[at].role == plan_role::guard;
       at = made.plan.successors(at)[1].to)
    row.push_back(made.plan[at].executes);
  CHECK(row == order);
}

TEST_CASE("interleave_phases: random cuts of random arms") {
  std::size_t cut = 0, in_two = 0;
  for (std::uint64_t seed = 1; seed <= 12'000; ++seed) {
    testing::rng random(seed);
    const csr_graph g = random_nest(random);
    if (g.num_blocks() == 0) continue;
    cfg_facts facts(g);
    simtflow::detail::branch_arms arms;
    arms.compute(facts);
    for (block_id b = 0; b < g.num_blocks(); ++b) {
      if (!facts.ends().is_reachable(b) || g.successors(b).size() != 2 || g.successors(b)[0] == g.successors(b)[1])
        continue;
      if (arms.find(b) != meld_refusal::none) continue;
      std::vector<arm_cut> cuts;
      std::size_t at[2] = {0, 0};
      for (bool more = true; more;) {
        arm_cut next;
        for (unsigned slot = 0; slot < 2; ++slot) {
          const auto places = arms.cuts(arms.exchanged() ? 1 - slot : slot);
          at[slot] += random.between(1, 2);
          next.next[slot] = at[slot] < places.size() ? places[at[slot]] : arms.join();
          more = more && next.next[slot] != arms.join();
        }
        if (next.next[0] != arms.join() || next.next[1] != arms.join()) cuts.push_back(next);
      }
      if (cuts.empty()) continue;
      flow_plan plan(g);
      interleave_phases(plan, facts, b, cuts);
      CHECK(plan.cost().guards == cuts.size());
      REQUIRE_MESSAGE(!check_plan(g, plan), text(seed, g, plan));
      check_same(seed, g, plan);
      ++cut;
      in_two += cuts.size() > 1 ? 1 : 0;
    }
  }
  MESSAGE(cut << " branches, " << in_two << " with several cuts");
  CHECK(cut > 200);
  CHECK(in_two > 20);
}

namespace {

// Straight code: an instruction reads and writes one register each (0: none), and takes so long.
struct toy {
  struct line {
    std::uint32_t reads, writes, delay;
  };
  std::vector<std::vector<line>> blocks;
  std::vector<block_id> convergent, waiting;
  branch_likelihood likely{1, 0.5};
  bool divergent = true;

  std::uint32_t first(block_id b) const { return 100 * b; }
  std::uint32_t last(block_id b) const { return 100 * b + static_cast<std::uint32_t>(blocks[b].size()); }
  const line& at(std::uint32_t i) const { return blocks[i / 100][i % 100]; }
  std::uint32_t delay(std::uint32_t i) const { return at(i).delay; }
  std::size_t num_registers() const { return 32; }
  template <class F>
  void for_each_read(std::uint32_t i, F f) const {
    if (at(i).reads != 0) f(at(i).reads);
  }
  template <class F>
  void for_each_write(std::uint32_t i, F f) const {
    if (at(i).writes != 0) f(at(i).writes);
  }
  bool is_cuttable(std::uint32_t) const { return true; }
  static bool has(const std::vector<block_id>& list, block_id b) {
    return std::find(list.begin(), list.end(), b) != list.end();
  }
  bool is_convergent_block(block_id b) const { return has(convergent, b); }
  bool waits(block_id b) const { return has(waiting, b); }
  bool is_divergent(block_id) const { return divergent; }
  branch_likelihood likelihood(block_id) const { return likely; }
  double frequency(block_id) const { return 1; }
};

}  // namespace

TEST_CASE("choose_interleavings: loads of both arms first") {
  // 0: branch; 1 and 2: load, use; 3: join.
  const csr_graph g = testing::adjacency({{1, 2}, {3}, {3}, {}});
  toy code{{{{0, 0, 1}}, {{0, 1, 400}, {1, 2, 4}}, {{0, 3, 400}, {3, 4, 4}}, {}}, {}, {}};
  cfg_facts facts(g);
  interleave_prices prices;
  prices.guard_instructions = 3;
  prices.guard_cycles = 10;
  const auto choice = [&] {
    const auto all = choose_interleavings(facts, code, prices);
    REQUIRE(all.size() == 1);
    return all[0];
  };
  interleaving_choice made = choice();
  REQUIRE(made.pays());
  CHECK(made.before == 802);  // load 0, use 400, load 401, use 801
  CHECK(made.after == 402);   // loads 0 and 1, guard 2 .. 11, use 400, use 401
  REQUIRE(made.cuts[0].size() == 1);
  CHECK(made.cuts[0][0] == phase_begin{1, 101});
  CHECK(made.cuts[1][0] == phase_begin{2, 201});
  // Half of the warps do not diverge: 401 cycles with or without the guard.
  code.likely = {0.5, 0.5};
  CHECK(choice().before == 0.5 * 802 + 0.5 * 401);
  CHECK(choice().after == 0.5 * 402 + 0.5 * 401);
  // None diverges.
  code.likely = {0, 0.5};
  CHECK(choice().reason == interleave_refusal::does_not_pay);
  code.likely = {1, 0.5};
  // With 400 warps that take turns, instructions count and not latency: 4 of them, or 7.
  prices.warps = 400;
  made = choice();
  CHECK(made.reason == interleave_refusal::does_not_pay);
  CHECK(made.before == 4);
  CHECK(made.after == 7);
  prices.warps = 1;
  // The other arm has no load: it runs while the first one waits.
  code.blocks[2] = {{0, 3, 4}, {3, 4, 4}, {4, 5, 4}};
  made = choice();
  REQUIRE(made.pays());
  CHECK(made.cuts[0][0] == phase_begin{1, 101});
  CHECK(made.cuts[1][0] == phase_begin{});
  code.divergent = false;
  CHECK(choice().reason == interleave_refusal::uniform);
  code.divergent = true;
  code.convergent = {2};
  CHECK(choice().reason == interleave_refusal::convergent);
  CHECK(choice().at == 2);
  code.convergent.clear();
  code.blocks[1] = {{0, 1, 4}, {1, 2, 4}};
  CHECK(choice().reason == interleave_refusal::no_stall);
}

TEST_CASE("choose_interleavings: the place of a cut") {
  // 0 -> 1 -> {2, 3} -> 4 -> 6 and 0 -> 5 -> 5, 6: a load that an inner arm uses; a loop.
  const csr_graph g = testing::adjacency({{1, 5}, {2, 3}, {4}, {4}, {6}, {5, 6}, {}});
  toy code{
      {{{0, 0, 1}}, {{0, 1, 400}, {0, 2, 4}, {0, 0, 1}}, {{1, 3, 4}}, {}, {}, {{0, 4, 400}, {4, 5, 4}}, {}}, {}, {}};
  cfg_facts facts(g);
  auto all = choose_interleavings(facts, code);
  REQUIRE(all.size() == 3);
  REQUIRE(all[0].branch == 0);
  // The use is in block 2, which not every path passes; the last place before it is the branch. Loops are not cut.
  REQUIRE(all[0].pays());
  CHECK(all[0].cuts[0][0] == phase_begin{1, 102});
  CHECK(all[0].cuts[1][0] == phase_begin{});
  code.waiting = {5};
  all = choose_interleavings(facts, code);
  CHECK(all[0].reason == interleave_refusal::waits);
  CHECK(all[0].at == 5);
}
