// SPDX-License-Identifier: BSL-1.0
//
// The orders of analysis/priorities.hpp in dense ids.
#pragma once

#include <simtflow/analysis/dense/dominators.hpp>
#include <simtflow/analysis/dense/loops.hpp>
#include <simtflow/analysis/dense/order.hpp>
#include <simtflow/analysis/detail/dominance_compact.hpp>
#include <simtflow/analysis/detail/exit_distance.hpp>
#include <simtflow/analysis/detail/loop_contiguous.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The distance below others at which barrier_aware_order puts the blocks that hold a barrier.
enum class barrier_rule : unsigned char {
  below_all,      ///< below every block without a barrier
  below_sources,  ///< below every block without a barrier that can reach the barrier before any other barrier
  below_reaching  ///< below every block that can reach the barrier (the paper's rule), barriers on one cycle excepted
};

/// The name of a rule: "below_all".
[[nodiscard]] constexpr const char* to_string(barrier_rule value) {
  switch (value) {
    case barrier_rule::below_all:
      return "below_all";
    case barrier_rule::below_sources:
      return "below_sources";
    case barrier_rule::below_reaching:
      return "below_reaching";
  }
  return "";
}

namespace detail {

// Calls found(seed, b) for every block b that a path of at least one edge from a seed leads to, once; passes on through
// b if that says so. The seeds are the blocks of an order for which is_seed holds, the last one first, so that every
// block is found from the lowest priority that reaches it. Linear.
template <class Shape, class IsSeed, class Found>
constexpr void from_low_to_high(const Shape& g, std::span<const block_id> order, std::vector<unsigned char>& met,
                                std::vector<block_id>& work, IsSeed&& is_seed, Found&& found) {
  met.assign(g.num_blocks(), 0);
  for (std::size_t i = order.size(); i-- > 0;) {
    if (!is_seed(order[i])) continue;
    work.clear();
    work.push_back(order[i]);
    while (!work.empty()) {
      const block_id b = work.back();
      work.pop_back();
      for (const block_id s : g.successors(b)) {
        if (met[s]) continue;
        met[s] = 1;
        if (found(order[i], s)) work.push_back(s);
      }
    }
  }
}

}  // namespace detail

namespace dense {

/// Makes the orders of priorities.hpp, again and again, for one graph or for many. Each function lists the blocks that
/// the entry reaches, highest priority first, and reuses every buffer: nothing is allocated once they have grown. The
/// next call overwrites the list. The free function of (nearly) the same name tells what each order promises.
template <class Shape = csr_graph>
class basic_order_maker {
 public:
  /// simtflow::reverse_post_order.
  constexpr std::span<const block_id> reverse_post_order(const Shape& g) {
    dfs_.recompute(g);
    listed_.assign(dfs_.rpo().begin(), dfs_.rpo().end());
    return listed();
  }
  /// simtflow::post_order.
  constexpr std::span<const block_id> post_order(const Shape& g) {
    dfs_.recompute(g);
    listed_.assign(dfs_.postorder().begin(), dfs_.postorder().end());
    return listed();
  }
  /// simtflow::loop_contiguous_order.
  constexpr std::span<const block_id> loop_contiguous(const Shape& g) {
    loops_.recompute(g);
    return loop_contiguous(loops_);
  }
  /// The same from existing loops. \pre the loops are of the graph.
  constexpr std::span<const block_id> loop_contiguous(const basic_loop_forest<Shape>& loops) {
    detail::list_loop_contiguous(loops, listed_, next_);
    return listed();
  }

  /// simtflow::dominance_compact_order.
  constexpr std::span<const block_id> dominance_compact(const Shape& g) {
    loops_.recompute(g);
    dominators_.recompute(g);
    dominance_compact_.list(g, loops_, dominators_, listed_);
    return listed();
  }

  /// simtflow::barrier_aware_order.
  constexpr std::span<const block_id> barrier_aware(const Shape& g, std::span<const unsigned char> barriers,
                                                    barrier_rule rule = barrier_rule::below_all) {
    SIMTFLOW_EXPECTS(barriers.empty() || barriers.size() == g.num_blocks(), "one barrier flag per block, or none");
    (void)loop_contiguous(g);
    const auto is_barrier = [&](block_id b) { return !barriers.empty() && barriers[b] != 0; };
    if (rule == barrier_rule::below_all) {
      work_.clear();
      std::size_t kept = 0;
      for (const block_id b : listed_) {
        if (is_barrier(b)) {
          work_.push_back(b);
        } else {
          listed_[kept++] = b;
        }
      }
      for (const block_id b : work_) listed_[kept++] = b;
      return listed();
    }
    // By block: its place, and for barriers the place that they must follow.
    place_.assign(g.num_blocks(), 0);
    for (std::uint32_t i = 0; i < listed_.size(); ++i) place_[listed_[i]] = i;
    next_.assign(place_.begin(), place_.end());
    detail::from_low_to_high(
        g, listed(), met_, work_, [&](block_id seed) { return !is_barrier(seed); },
        [&](block_id seed, block_id b) {
          if (!is_barrier(b)) return true;
          if (place_[seed] > next_[b]) next_[b] = place_[seed];
          return rule == barrier_rule::below_reaching;
        });
    // A barrier that has to leave its place does not come to stand within a loop that is not its own.
    first_.assign(listed_.size(), no_block);
    sibling_.assign(g.num_blocks(), no_block);
    for (std::size_t i = listed_.size(); i-- > 0;) {
      const block_id b = listed_[i];
      if (next_[b] == place_[b]) continue;
      for (loop_id l = loops_.innermost(listed_[next_[b]]); l != no_loop && !loops_.contains(l, b);
           l = loops_.parent(l))
        next_[b] = place_[loops_.header(l)] + static_cast<std::uint32_t>(loops_.blocks(l).size()) - 1;
      sibling_[b] = first_[next_[b]];
      first_[next_[b]] = b;
    }
    work_.clear();
    for (std::uint32_t i = 0; i < listed_.size(); ++i) {
      if (next_[listed_[i]] == i) work_.push_back(listed_[i]);
      for (block_id b = first_[i]; b != no_block; b = sibling_[b]) work_.push_back(b);
    }
    listed_.assign(work_.begin(), work_.end());
    return listed();
  }

  /// simtflow::exit_distance_order.
  constexpr std::span<const block_id> exit_distance(const Shape& g) {
    dfs_.recompute(g);
    dominators_.recompute(g);
    listed_.clear();
    if (g.num_blocks() == 0) return listed();
    exit_distance_.list(g, dfs_, dominators_, listed_);
    return listed();
  }

 private:
  [[nodiscard]] constexpr std::span<const block_id> listed() const { return std::span<const block_id>(listed_); }

  basic_depth_first_order<Shape> dfs_;
  basic_loop_forest<Shape> loops_;
  basic_dominator_tree<Shape> dominators_;
  detail::dominance_compact_lister<Shape> dominance_compact_;
  detail::exit_distance_lister<Shape> exit_distance_;
  std::vector<block_id> listed_, work_, sibling_;
  std::vector<std::uint32_t> next_, place_, first_;
  std::vector<unsigned char> met_;
};

/// Over a csr_graph.
using order_maker = basic_order_maker<>;

}  // namespace dense
}  // namespace v0
}  // namespace simtflow
