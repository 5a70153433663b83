// SPDX-License-Identifier: BSL-1.0
//
// Paths of the threads of a warp through a graph, and what they cost under the stack of post-dominators. The graph is
// executed first: at each fetch of a branch the lanes that are together diverge or agree on a way, as likelihoods tell,
// which count fetches as well. A plan for the graph is then executed along the same paths.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/program.hpp>
#include <simtflow/transform/branch_likelihood.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// The cost of a fetch, or of many.
template <class Number>
struct fetch_cost {
  Number weight = 0, instructions = 0;
};

// How warps leave a block with several ways.
struct path_choice {
  branch_likelihood how;
  bool divergent = true;  // false: the threads of a warp agree
};

// Plan is flow_plan: a template costs nothing to include.
template <class Plan = flow_plan>
class warp_paths {
 public:
  static constexpr std::uint32_t lanes = 32, longest = 256;

  // Executes the graph and keeps the path of each lane. \returns the cost. cost: by block; a fetch that ends in
  // divergence weighs `divergence` more. choice: by block. share: by block, how likely it is chosen at a branch of more
  // than two ways, in proportion; empty: all are equally likely. The paths depend on the graph, the choices and the
  // warp only: at each visit of a block, 8 warps draw each from an eighth of its own. ipdom is the table of g
  constexpr fetch_cost<std::uint64_t> draw(const csr_graph& g, std::span<const block_id> ipdom,
                                           std::span<const fetch_cost<std::uint32_t>> cost, std::uint32_t divergence,
                                           std::span<const path_choice> choice, std::span<const double> share,
                                           std::uint32_t warp) {
    visits_.assign(g.num_blocks(), 0);
    for (std::vector<std::uint32_t>& path : slot_) path.clear();
    return run(g.entry(), ipdom, cost, divergence, [&](const fragment& f) {
      const auto successors = g.successors(f.block);
      const std::size_t ways = successors.size() + (g.is_exit(f.block) && !successors.empty() ? 1 : 0);
      const std::uint64_t bits = mixed(mixed(f.block) + ++visits_[f.block]);
      bool diverges = false;
      std::size_t agreed = 0;
      if (ways > 1) {
        diverges = choice[f.block].divergent && eighth(bits, warp) < choice[f.block].how.parted;
        agreed = chosen(eighth(mixed(bits + 1), warp), choice[f.block].how.first, successors, ways, share);
      }
      const std::uint64_t apart = mixed(mixed(bits + 2) + warp);
      f.lanes.for_each([&](std::uint32_t lane) {
        if (slot_[lane].size() == longest) return;
        const std::size_t slot = diverges ? chosen(part(mixed(apart + lane)), 0.5, successors, ways, share) : agreed;
        slot_[lane].push_back(static_cast<std::uint32_t>(slot));
        if (slot < successors.size()) out_.go(successors[slot], lane_mask::lane(lane));
      });
    });
  }

  // Executes a plan for the graph along the paths that were drawn last. \returns the cost, as above.
  constexpr fetch_cost<std::uint64_t> follow(const Plan& p, std::span<const block_id> ipdom,
                                             std::span<const fetch_cost<std::uint32_t>> cost,
                                             std::uint32_t divergence) {
    values_.assign(std::size_t{p.num_variables()} * lanes, 0);
    for (std::uint32_t& at : next_) at = 0;
    return run(p.entry(), ipdom, cost, divergence, [&](const fragment& f) {
      const auto edges = p.successors(f.block);
      const plan_block& what = p[f.block];
      f.lanes.for_each([&](std::uint32_t lane) {
        std::size_t slot = 0;
        if (what.role == plan_role::guard) {
          const std::uint32_t v = values_[std::size_t{what.variable} * lanes + lane];
          slot = v >= what.low && v <= what.high ? 0 : 1;
        } else if (what.role != plan_role::empty) {
          if (next_[lane] == slot_[lane].size()) return;
          slot = slot_[lane][next_[lane]++];
        }
        if (slot >= edges.size()) return;
        p.for_each_assignment(edges[slot],
                              [&](plan_assignment a) { values_[std::size_t{a.variable} * lanes + lane] = a.value; });
        out_.go(edges[slot].to, lane_mask::lane(lane));
      });
    });
  }

 private:
  static constexpr std::uint64_t mixed(std::uint64_t x) {  // splitmix64
    x += 0x9E37'79B9'7F4A'7C15U;
    x = (x ^ (x >> 30)) * 0xBF58'476D'1CE4'E5B9U;
    x = (x ^ (x >> 27)) * 0x94D0'49BB'1331'11EBU;
    return x ^ (x >> 31);
  }
  // Between 0 and 1.
  static constexpr double part(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }
  // The same in the eighth of the warp. The order of the eighths depends on the bits.
  static constexpr double eighth(std::uint64_t bits, std::uint32_t warp) {
    const std::uint64_t place = ((bits & 3) * 2 + 1) * warp + (bits >> 2);
    return (static_cast<double>(place % 8) + part(mixed(bits + warp))) / 8;
  }

  // The slot for a number between 0 and 1.
  static constexpr std::size_t chosen(double way, double first, std::span<const block_id> successors, std::size_t ways,
                                      std::span<const double> share) {
    if (ways == 2) return way < first ? 0 : 1;
    double sum = 0;
    if (!share.empty())
      for (const block_id s : successors) sum += share[s];
    if (!(sum > 0)) return static_cast<std::size_t>(way * static_cast<double>(ways));
    double left = way * sum;
    std::size_t slot = 0;
    while (slot + 1 < successors.size() && left >= share[successors[slot]]) left -= share[successors[slot++]];
    return slot;
  }

  // Runs the warp under the stack. send(fragment) puts into out_ where its lanes go; lanes that go nowhere end.
  template <class Send>
  constexpr fetch_cost<std::uint64_t> run(block_id entry, std::span<const block_id> ipdom,
                                          std::span<const fetch_cost<std::uint32_t>> cost, std::uint32_t divergence,
                                          Send send) {
    policies::ipdom_stack stack(ipdom);
    stack.start({entry, lane_mask::first_lanes(lanes)});
    fetch_cost<std::uint64_t> all;
    while (const std::optional<fragment> f = stack.next()) {
      all.weight += cost[f->block].weight;
      all.instructions += cost[f->block].instructions;
      out_.clear();
      send(*f);
      if (out_.fragments().size() > 1) all.weight += divergence;
      stack.advance(*f, out_.fragments());
    }
    return all;
  }

  std::vector<std::uint32_t> slot_[lanes];      // by lane: the slots that it takes, block after block
  std::uint32_t next_[lanes] = {};              // by lane: its place in slot_
  std::vector<std::uint32_t> visits_, values_;  // by block; by variable and lane
  partition out_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
