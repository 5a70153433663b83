// SPDX-License-Identifier: BSL-1.0
//
// Limits how deep a reconvergence stack gets: branches that are nested too deeply are linearized, and a linearized
// region takes one entry however many blocks it has.
//
// Literature: J. Anantpur, R. Govindarajan, Taming control divergence in GPUs through control flow linearization (2014),
// section 5.3.
#pragma once

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
  // region[b] for each block, none if it stays as it is; the number of regions.
  constexpr std::uint32_t find(const Shape& g, std::uint32_t limit, std::vector<std::uint32_t>& region) {
    const std::size_t n = g.num_blocks();
    region.assign(n, none);
    if (n == 0) return 0;
    flow_.compute_trees(g);
    const dominator_index<Shape>& up = flow_.dominators();
    const post_dominator_index<Shape>& down = flow_.post_dominators();
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
    // Under a branch that is nested `last` deep, and between it and its immediate post-dominator. In a structured graph
    // that is closed.
    const std::uint32_t last = (limit - 2) / 2;
    std::uint32_t regions = 0;
    for (block_id i = 1; i < count; ++i) {
      const block_id b = up.at(i), d = up.idom(b);
      if (nest_[b] == last + 1 && nest_[d] == last) {
        // One region for each branch: named by it until all are known.
        region[b] = d;
      } else if (nest_[b] > last) {
        region[b] = region[d];
      }
    }
    name_.assign(n, none);
    most_.assign(n, 0);
    for (block_id b = 0; b < n; ++b)
      if (region[b] != none && most_[region[b]] < deepest_[b]) most_[region[b]] = deepest_[b];
    for (block_id b = 0; b < n; ++b) {
      if (region[b] == none) continue;
      const block_id d = region[b];
      if (1 + 2 * most_[d] <= limit) {
        region[b] = none;
        continue;
      }
      if (name_[d] == none) name_[d] = regions++;
      region[b] = name_[d];
    }
    return flow_.close_groups(g, region, regions);
  }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;
  unstructured_index<Shape> flow_;
  std::vector<std::uint32_t> nest_, deepest_, name_, most_;  // by block
};

}  // namespace detail

/// Limits the depth of a reconvergence stack (entries, the running one included) by linearizing what is nested too
/// deeply under branches. A branch nested d deep in others has a stack of 1 + 2 (d + 1) entries in its arms; linearized
/// code one of 1 more than the branch that leads to it, and one more for each loop around it in the region: where there
/// are such loops the limit can be missed by their depth.
///
/// Any graph will do, but the limit is promised only if g is structured, as linearize() leaves it. In an unstructured
/// graph what is nested too deeply is closed first (unstructured.hpp): the blocks with which it is entangled become part
/// of the region, and regions that overlap then become one.
///
/// For `convergent` and complexity see linearize_blocks(). Empty graph: nothing. Unreachable blocks stay as they are.
/// \pre limit >= 2
template <flow_graph G, class Convergent = detail::nothing_convergent>
[[nodiscard]] constexpr linearization limit_stack_depth(
    const G& g, std::uint32_t limit,
    const linearize_options& options = {loop_guards::merge, guard_optimization::none, {}}, Convergent convergent = {}) {
  SIMTFLOW_EXPECTS(limit >= 2, "a branch needs two entries of a stack");
  return detail::linearize_with(
      g, convergent, [&](const csr_graph& shape, std::span<const unsigned char> table, linearization& result) {
        detail::stack_depth_index<> depths;
        std::vector<std::uint32_t> region;
        const std::uint32_t regions = depths.find(shape, limit, region);
        detail::linearizer<> work;
        work.run_blocks(shape, std::span<const std::uint32_t>(region), regions, true, options, table, result);
      });
}

}  // namespace v0
}  // namespace simtflow
