// SPDX-License-Identifier: BSL-1.0
//
// Limits how deep a reconvergence stack gets: branches that are nested too deeply are linearized, and a linearized
// region takes one entry however many blocks it has.
//
// Literature: J. Anantpur, R. Govindarajan, Taming control divergence in GPUs through control flow linearization
// (2014), section 5.3.
#pragma once

#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/unstructured.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>
#include <simtflow/transform/detail/convergent.hpp>
#include <simtflow/transform/linearize.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

template <class Shape = csr_graph>
class stack_depth_index {
 public:
  // Sets region[b] for each block (none: it stays as it is) and returns the number of regions. \pre the graph has a
  // block
  constexpr std::uint32_t find(basic_cfg_facts<Shape>& facts, std::uint32_t limit,
                               std::span<const unsigned char> convergent, std::vector<std::uint32_t>& region) {
    const Shape& g = facts.graph();
    const std::size_t n = g.num_blocks();
    const dense::basic_dominator_tree<Shape>& up = facts.dominators();
    const dense::basic_post_dominator_tree<Shape>& down = facts.post_dominators();
    nest_.assign(n, 0);
    deepest_.assign(n, 0);
    const auto branches = [&](block_id b) {
      block_id first = no_block;
      bool two = g.is_exit(b) && !g.successors(b).empty();
      for (const block_id s : g.successors(b)) {
        two = two || (first != no_block && s != first);
        first = s;
      }
      return two;
    };
    const block_id count = static_cast<block_id>(up.num_reachable());  // parents before children
    for (block_id i = 0; i < count; ++i) {
      const block_id b = up.at(i);
      const block_id d = up.idom(b);
      if (d != no_block) nest_[b] = nest_[d] + (branches(d) && down.ipdom(d) != b ? 1 : 0);
      deepest_[b] = branches(b) ? nest_[b] + 1 : nest_[b];
    }
    for (block_id i = count; i-- > 1;) {
      const block_id b = up.at(i), d = up.idom(b);
      if (deepest_[d] < deepest_[b]) deepest_[d] = deepest_[b];
    }
    flow_.start_sets(facts, convergent);
    // A region is what lies under a branch nested `level` deep, before its immediate post-dominator. In a structured
    // graph it is closed. If it cannot be closed without a convergent block, the next level further in is tried.
    open_.assign(n, 1);
    bool again = true;
    for (std::uint32_t level = (limit - 2) / 2; again; ++level) {
      region.assign(n, none);
      most_.assign(n, 0);
      first_.assign(n + 1, 0);
      for (block_id i = 1; i < count; ++i) {
        const block_id b = up.at(i), d = up.idom(b);
        if (open_[b] == 0 || nest_[b] <= level) continue;
        region[b] = nest_[d] == level ? d : region[d];  // its branch is its name
        const block_id r = region[b];
        if (r == none) continue;
        ++first_[r + std::size_t{1}];
        if (most_[r] < deepest_[b]) most_[r] = deepest_[b];
      }
      for (std::size_t r = 0; r < n; ++r) first_[r + 1] += first_[r];
      list_.assign(first_[n], no_block);
      next_.assign(first_.begin(), first_.end());
      for (block_id b = 0; b < n; ++b)
        if (region[b] != none) list_[next_[region[b]]++] = b;
      open_.assign(n, 0);
      again = false;
      for (block_id r = 0; r < n; ++r) {
        if (first_[r] == first_[r + std::size_t{1}] || 1 + 2 * most_[r] <= limit) continue;
        const auto of = std::span<const block_id>(list_).subspan(first_[r], first_[r + std::size_t{1}] - first_[r]);
        if (flow_.make_set(g, of)) continue;
        for (const block_id b : of) open_[b] = 1;
        again = true;
      }
    }
    return flow_.list_sets(region);
  }
  // Convergent blocks that keep branches nested too deeply; in no particular order.
  [[nodiscard]] constexpr std::span<const block_id> obstacles() const { return flow_.obstacles(); }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;
  dense::basic_unstructured_flow<Shape> flow_;
  std::vector<std::uint32_t> nest_, deepest_, most_;  // by block
  std::vector<unsigned char> open_;                   // by block: not in a closed set yet
  std::vector<std::uint32_t> first_, next_;
  std::vector<block_id> list_;
};

}  // namespace detail

/// Limits the depth of a reconvergence stack (entries, the running one included) by linearizing what is nested too
/// deeply under branches. A branch that is nested d deep has a stack of 1 + 2 (d + 1) entries in its arms. Linearized
/// code has one entry more than the branch that leads to it, and one more for each loop around it in the region: with
/// such loops the limit can be missed by their depth.
///
/// Any graph will do, but the limit is promised only if g is structured, as linearize() leaves it. In an unstructured
/// graph each region is extended to a closed set first (unstructured.hpp), so blocks entangled with it become part of
/// it, and regions that overlap then become one.
///
/// A region with a convergent block is left as it is (so is a region after which its threads would have to wait for
/// others that are at a convergent block), but inner branches without one under them are still linearized if
/// nested too deeply; `refused` of the result has at least one convergent block for each branch that is left. For
/// `convergent` and complexity see linearize_blocks(). An empty graph, and unreachable blocks, stay as they are.
/// \pre limit >= 2
template <graph_or_facts G, class Convergent = detail::nothing_convergent>
[[nodiscard]] constexpr linearization limit_stack_depth(
    G&& g, std::uint32_t limit, const linearize_options& options = {loop_guards::merge, guard_optimization::none, {}},
    Convergent convergent = {}) {
  SIMTFLOW_EXPECTS(limit >= 2, "a branch needs two entries of a stack");
  return detail::linearize_with(
      g, convergent, [&](cfg_facts& facts, std::span<const unsigned char> table, linearization& result) {
        detail::stack_depth_index<> depths;
        std::vector<std::uint32_t> region;
        const std::uint32_t regions = facts.graph().num_blocks() == 0 ? 0 : depths.find(facts, limit, table, region);
        detail::linearizer<> work;
        work.run_blocks(facts, std::span<const std::uint32_t>(region), regions, true, options, table, result);
        result.refused = detail::each_once(depths.obstacles());  // convergent blocks: no region has one
        if (!result.refused.empty()) result.structured = false;
      });
}

}  // namespace v0
}  // namespace simtflow
