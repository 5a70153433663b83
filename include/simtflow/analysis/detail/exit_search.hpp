// SPDX-License-Identifier: BSL-1.0
//
// The search from the virtual exit against the edges, on which post-dominators rest.
#pragma once

#include <simtflow/analysis/detail/reach_without.hpp>
#include <simtflow/analysis/detail/semi_nca.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/views.hpp>

#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// The search that post-dominators make: against the edges, from the virtual exit, which has the id num_blocks().
template <class Shape = csr_graph>
class exit_search {
 public:
  // Recomputes `index` for the blocks that the entry of g reaches. It names its root no_block, which is no block of g.
  template <class Options, class Index>
  constexpr void compute(const Shape& g, const Options& options, Index& index) {
    const block_id n = static_cast<block_id>(g.num_blocks());
    all_reachable_ = g.all_known_reachable();
    block_id reachable = n;
    const Shape* shape = &g;
    if (!all_reachable_) {
      reach_without(g, no_block, reachable_, work_);
      bool stray_edges = false;
      for (block_id b = 0; b < n; ++b) {
        if (reachable_[b]) continue;
        --reachable;
        stray_edges = stray_edges || !g.successors(b).empty();
      }
      // The search would walk them backwards, so the rare graph that has any is copied without them.
      if (stray_edges) shape = &pruned_.take(g);
    }
    if (all_reachable_ && options.roots.empty()) {
      search(*shape, n, g.exits(), index);
    } else {
      list_roots(g, options.roots);
      search(*shape, n, std::span<const block_id>(roots_), index);
    }
    all_leave_ = index.num_reached() == reachable + 1;
    if (all_leave_) return;
    reaches_exit_.assign(n, 0);
    for (block_id b = 0; b < n; ++b) reaches_exit_[b] = index.reached(b);
    if (options.endless == infinite_loops::ignore) return;
    list_roots(g, options.roots);
    for (const block_id b : terminal_loops_.of(*shape))
      if (!reaches_exit_[b]) add_root(b);
    search(*shape, n, std::span<const block_id>(roots_), index);
  }

  [[nodiscard]] constexpr bool is_reachable(block_id b) const { return all_reachable_ || reachable_[b] != 0; }
  [[nodiscard]] constexpr bool reaches_exit(block_id b) const {
    return all_leave_ ? is_reachable(b) : reaches_exit_[b] != 0;
  }

 private:
  constexpr void list_roots(const Shape& g, std::span<const block_id> more) {
    roots_.clear();
    for (const block_id b : g.exits()) add_root(b);
    for (const block_id b : more) {
      SIMTFLOW_EXPECTS(b < g.num_blocks(), "a root of post-dominance is a block of the graph");
      add_root(b);
    }
  }
  constexpr void add_root(block_id b) {
    if (is_reachable(b)) roots_.push_back(b);
  }
  template <class Index>
  constexpr void search(const Shape& shape, block_id n, std::span<const block_id> roots, Index& index) {
    const block_id* const first = roots.data();
    index.recompute(against_edges(shape), search_root<const block_id*>{n + 1, n, no_block, first, first + roots.size()},
                    frames_);
  }

  bool all_reachable_ = true, all_leave_ = true;  // then the columns below are not filled in
  std::vector<unsigned char> reachable_, reaches_exit_;
  std::vector<block_id> roots_, work_;
  std::vector<search_frame<const block_id*>> frames_;
  snapshot_buffer<Shape> pruned_;
  terminal_loop_search terminal_loops_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
