// SPDX-License-Identifier: BSL-1.0
//
// The checks of analysis/priority_checks.hpp in dense ids.
#pragma once

#include <simtflow/analysis/dense/dominators.hpp>
#include <simtflow/analysis/dense/loops.hpp>
#include <simtflow/analysis/dense/order.hpp>
#include <simtflow/analysis/dense/priorities.hpp>
#include <simtflow/analysis/dense/priority_order.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The first edge, by priority of its source, that leads to a higher priority and is no way back to a header. (A check
/// is true if the property holds.)
struct topological_check {
  edge broken{no_block, 0};  ///< that edge; from no_block if there is none
  /// True if the order is topological.
  [[nodiscard]] constexpr explicit operator bool() const { return broken.from == no_block; }
};
/// The outermost first loop that is interrupted, and the first block that interrupts it.
struct contiguity_check {
  loop_id loop = no_loop;     ///< that loop; no_loop if there is none
  block_id block = no_block;  ///< outside the loop, between two of its blocks
  [[nodiscard]] constexpr explicit operator bool() const {
    return loop == no_loop;
  }  ///< true if no loop is interrupted
};
/// The block of highest priority with interrupted dominated blocks, and the first block that interrupts them.
struct compactness_check {
  block_id dominator = no_block,  ///< that block; no_block if there is none
      block = no_block;           ///< not dominated by it, between two blocks that are
  [[nodiscard]] constexpr explicit operator bool() const {
    return dominator == no_block;
  }  ///< true if nothing is interrupted
};
/// The block of highest priority that is not the entry and has no predecessor above it.
struct precedence_check {
  block_id block = no_block;  ///< that block; no_block if there is none
  /// True if every block has a predecessor above it.
  [[nodiscard]] constexpr explicit operator bool() const { return block == no_block; }
};
/// The barrier of highest priority that breaks the rule, and a block that it should be below.
struct barrier_check {
  block_id barrier = no_block,  ///< that barrier; no_block if there is none
      block = no_block;         ///< stands below the barrier, and the rule wants it above
  [[nodiscard]] constexpr explicit operator bool() const {
    return barrier == no_block;
  }  ///< true if the order keeps the rule
};
/// Two barriers that reach each other.
struct barrier_pair {
  block_id first,  ///< one of the two
      second;      ///< the other
  friend constexpr bool operator==(const barrier_pair&, const barrier_pair&) = default;
};

namespace detail {

// The reachable blocks by priority, and where each of them is in that list.
template <class Shape = csr_graph>
struct reachable_places {
  std::vector<block_id> order;
  std::vector<std::uint32_t> place;

  constexpr reachable_places(const dense::basic_priority_order<Shape>& priorities,
                             std::span<const block_id> reachable) {
    const std::size_t n = priorities.num_blocks();
    std::vector<block_id> by_rank;
    by_rank.assign(n, no_block);
    for (const block_id b : reachable) by_rank[priorities.rank(b)] = b;
    place.assign(n, no_number);
    for (const block_id b : by_rank) {
      if (b == no_block) continue;
      place[b] = static_cast<std::uint32_t>(order.size());
      order.push_back(b);
    }
  }
};

// The places that a set of blocks covers.
struct covered {
  std::uint32_t low = no_number, high = 0, count = 0;
  constexpr void add(const covered& other) {
    if (other.low < low) low = other.low;
    if (other.high > high) high = other.high;
    count += other.count;
  }
  [[nodiscard]] constexpr bool is_run() const { return count == 0 || high - low + 1 == count; }
};

}  // namespace detail

namespace dense {

/// simtflow::is_topological. \pre the order and the loops are of g; so below. Linear.
template <class Shape>
constexpr topological_check check_topological(const Shape& g, const priority_order& order,
                                              const basic_loop_forest<Shape>& loops) {
  const detail::reachable_places<> at(order, loops.rpo());
  for (const block_id b : at.order) {
    const std::span<const block_id> out = g.successors(b);
    for (std::uint32_t k = 0; k < out.size(); ++k) {
      if (at.place[b] < at.place[out[k]]) continue;
      const loop_id l = loops.innermost(out[k]);
      if (l == no_loop || loops.header(l) != out[k] || !loops.contains(l, b)) return {{b, k}};
    }
  }
  return {};
}

/// simtflow::is_loop_contiguous. Linear.
template <class Shape>
constexpr contiguity_check check_contiguity(const priority_order& order, const basic_loop_forest<Shape>& loops) {
  const detail::reachable_places<> at(order, loops.rpo());
  id_map<loop_id, detail::covered> run;
  run.assign(loops.num_loops(), detail::covered{});
  for (const block_id b : at.order)
    if (const loop_id l = loops.innermost(b); l != no_loop) run[l].add({at.place[b], at.place[b], 1});
  for (const loop_id l : ids_downward<loop_id>(run.size()))
    if (const loop_id up = loops.parent(l); up != no_loop) run[up].add(run[l]);
  for (const loop_id l : ids_below<loop_id>(run.size())) {
    if (run[l].is_run()) continue;
    std::uint32_t i = run[l].low;
    while (loops.contains(l, at.order[i])) ++i;
    return {l, at.order[i]};
  }
  return {};
}

/// simtflow::is_dominance_compact. Linear.
template <class Index>
constexpr compactness_check check_compactness(const priority_order& order, const Index& tree, block_id entry) {
  const std::span<const block_id> walk = tree.dominated_by(entry);  // a dominator comes before what it dominates
  const detail::reachable_places<> at(order, walk);
  id_map<loop_id, detail::covered> run;
  run.assign(order.num_blocks(), detail::covered{});
  for (std::size_t i = walk.size(); i-- > 0;) {
    const std::uint32_t place = at.place[walk[i]];
    run[walk[i]].add({place, place, 1});
    if (const block_id up = tree.idom(walk[i]); up != no_block) run[up].add(run[walk[i]]);
  }
  for (const block_id b : at.order) {
    if (run[b].is_run()) continue;
    std::uint32_t i = run[b].low;
    while (tree.dominates(b, at.order[i])) ++i;
    return {b, at.order[i]};
  }
  return {};
}

/// simtflow::has_predecessors_above. Linear.
template <class Shape>
constexpr precedence_check check_precedence(const Shape& g, const priority_order& order,
                                            const basic_depth_first_order<Shape>& dfs) {
  const detail::reachable_places<> at(order, dfs.rpo());
  for (const block_id b : at.order) {
    bool entered = b == g.entry();
    for (const block_id p : g.predecessors(b))
      entered = entered || at.place[p] < at.place[b];  // unreachable: no_number
    if (!entered) return {b};
  }
  return {};
}

/// simtflow::respects_barriers. Linear.
template <class Shape>
constexpr barrier_check check_barriers(const Shape& g, const priority_order& order,
                                       std::span<const unsigned char> barriers, barrier_rule rule,
                                       const basic_depth_first_order<Shape>& dfs) {
  const detail::reachable_places<> at(order, dfs.rpo());
  const auto is_barrier = [&](block_id b) { return !barriers.empty() && barriers[b] != 0; };
  barrier_check worst;
  const auto blame = [&](block_id barrier, block_id b) {
    if (at.place[b] > at.place[barrier] && (worst || at.place[barrier] < at.place[worst.barrier])) worst = {barrier, b};
  };
  if (rule == barrier_rule::below_all) {
    block_id first = no_block;
    for (const block_id b : at.order) {
      if (is_barrier(b)) {
        if (first == no_block) first = b;
      } else if (first != no_block) {
        blame(first, b);
      }
    }
    return worst;
  }
  const bool all = rule == barrier_rule::below_reaching;
  std::vector<unsigned char> met;
  std::vector<block_id> work;
  detail::from_low_to_high(
      g, std::span<const block_id>(at.order), met, work, [&](block_id seed) { return all || !is_barrier(seed); },
      [&](block_id seed, block_id b) {
        if (is_barrier(b)) blame(b, seed);
        return all || !is_barrier(b);
      });
  return worst;
}

}  // namespace dense
}  // namespace v0
}  // namespace simtflow
