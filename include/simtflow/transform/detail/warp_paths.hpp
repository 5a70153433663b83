// SPDX-License-Identifier: BSL-1.0
//
// Paths of the threads of a warp through a graph, drawn from the likelihoods of its branches, and their execution under
// the stack of post-dominators: of the graph, or of a plan for it.
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

  // Draws the path of each thread: the slots that it takes, block after block. Threads that end where others go on take
  // the slot after the last one. `share`: by block, how likely agreeing warps go to it from a branch of more than two
  // ways, in proportion. The numbers depend on `seed`, the block and the visit only.
  constexpr void draw(const csr_graph& g, std::span<const path_choice> choice, std::span<const double> share,
                      std::uint64_t seed) {
    slot_.clear();
    if (visits_.size() < g.num_blocks()) visits_.assign(g.num_blocks(), 0);
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      first_[lane] = static_cast<std::uint32_t>(slot_.size());
      been_.clear();
      block_id b = g.entry();
      for (std::uint32_t step = 0; step < longest; ++step) {
        const auto successors = g.successors(b);
        const std::size_t ways = successors.size() + (g.is_exit(b) && !successors.empty() ? 1 : 0);
        std::size_t slot = 0;
        if (ways > 1) {
          been_.push_back(b);
          const std::uint64_t draw = mixed(mixed(seed + b) + ++visits_[b]);
          slot = choose(choice[b], successors, ways, share, draw, lane);
        }
        slot_.push_back(static_cast<std::uint32_t>(slot));
        if (slot >= successors.size()) break;
        b = successors[slot];
      }
      for (const block_id at : been_) visits_[at] = 0;
    }
    first_[lanes] = static_cast<std::uint32_t>(slot_.size());
  }

  // The weight of the warp's execution of p. weight: by block of p; a fetch that ends in divergence weighs `divergence`
  // more. \pre p was made for the graph of draw(), with blocks of its own after the graph's; ipdom is the table of p
  constexpr std::uint64_t execute(const Plan& p, std::span<const block_id> ipdom, std::span<const std::uint32_t> weight,
                                  std::uint32_t divergence) {
    values_.assign(std::size_t{p.num_variables()} * lanes, 0);
    for (std::uint32_t lane = 0; lane < lanes; ++lane) next_[lane] = first_[lane];
    policies::ipdom_stack stack(ipdom);
    stack.start({p.entry(), lane_mask::first_lanes(lanes)});
    std::uint64_t all = 0;
    while (const std::optional<fragment> f = stack.next()) {
      all += weight[f->block];
      out_.clear();
      step(p, *f);
      if (out_.fragments().size() > 1) all += divergence;
      stack.advance(*f, out_.fragments());
    }
    return all;
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

  static constexpr std::size_t choose(const path_choice& choice, std::span<const block_id> successors, std::size_t ways,
                                      std::span<const double> share, std::uint64_t draw, std::uint32_t lane) {
    if (choice.divergent && part(draw) < choice.how.parted) {
      const double own = part(mixed(draw + lane));
      return static_cast<std::size_t>(own * static_cast<double>(ways));
    }
    const double agreed = part(mixed(draw + lanes));
    if (ways == 2) return agreed < choice.how.first ? 0 : 1;
    double sum = 0;
    for (const block_id s : successors) sum += share.empty() ? 1 : share[s];
    if (!(sum > 0)) return static_cast<std::size_t>(agreed * static_cast<double>(ways));
    double left = agreed * sum;
    std::size_t slot = 0;
    while (slot + 1 < successors.size() && left >= (share.empty() ? 1 : share[successors[slot]]))
      left -= share.empty() ? 1 : share[successors[slot++]];
    return slot;
  }

  // Sends the lanes of a fragment on. A lane at the end of its path ends.
  constexpr void step(const Plan& p, const fragment& f) {
    const auto edges = p.successors(f.block);
    const plan_block& what = p[f.block];
    f.lanes.for_each([&](std::uint32_t lane) {
      std::size_t slot = 0;
      if (what.role == plan_role::guard) {
        const std::uint32_t v = values_[std::size_t{what.variable} * lanes + lane];
        slot = v >= what.low && v <= what.high ? 0 : 1;
      } else if (what.role != plan_role::empty) {
        if (next_[lane] == first_[lane + 1]) return;
        slot = slot_[next_[lane]++];
      }
      if (slot >= edges.size()) return;
      p.for_each_assignment(edges[slot],
                            [&](plan_assignment a) { values_[std::size_t{a.variable} * lanes + lane] = a.value; });
      out_.go(edges[slot].to, lane_mask::lane(lane));
    });
  }

  std::vector<std::uint32_t> slot_;  // of all lanes, one after the other
  std::uint32_t first_[lanes + 1] = {}, next_[lanes] = {};
  std::vector<std::uint32_t> visits_, values_;  // by block; by variable and lane
  std::vector<block_id> been_;
  partition out_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
