// SPDX-License-Identifier: BSL-1.0
//
// Partial linearization in dense ids: what partial_linearization.hpp says of vertices, for blocks.
//
// Blocks are taken in a topological order in which every dominator subtree is a run (so is every loop then). A set of
// *deferred* targets comes with each block: blocks that some lanes wait for, and that the path has to visit after it.
//
//   lanes agree      each edge leads to the first, in this order, of its target and the deferred ones; the others are
//                    deferred further, on this side
//   lanes may not    the block jumps to the first of all its targets and the deferred ones; the others are deferred
#pragma once

#include <simtflow/analysis/dense/immediate_dominators.hpp>
#include <simtflow/analysis/dense/loops.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/transform/linear_end.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// Shape is csr_graph or has its members.
template <class Shape = csr_graph>
class partial_linear_index {
 public:
  // `uniform(b)` is asked about blocks with two or more edges, or with edges and a way to end.
  template <class Uniform>
  constexpr void compute(const Shape& g, Uniform uniform) {
    const std::size_t n = g.num_blocks();
    clear(n);
    loops_.recompute(g);
    if (!check_loops(g)) return;
    if (n == 0) return;
    arrange(g);
    for (const block_id b : order_) {
      waiting_.clear();
      swap(waiting_, deferred_[b]);
      const loop_id l = loops_.innermost(b);
      const bool latch = l != no_loop && latch_[l] == b;
      const std::span<const block_id> out = g.successors(b);
      row& r = row_[b];
      r.first = static_cast<std::uint32_t>(target_.size());
      if (latch) {
        target_.push_back(loops_.header(l));
        r.end = linear_end::repeat;
        for (const block_id s : out)
          if (s != loops_.header(l)) insert(waiting_, s);
        go_on(waiting_);
      } else if (out.size() + (g.is_exit(b) ? 1U : 0U) < 2 || !uniform(b)) {
        // Also without a branch: then there is one target, or none.
        const bool decides = differ(out) || (g.is_exit(b) && !out.empty());
        removed_ += decides ? 1 : 0;
        for (const block_id s : out) insert(waiting_, s);
        r.end = waiting_.empty() ? linear_end::stop : linear_end::jump;
        go_on(waiting_);
      } else {
        r.end = linear_end::branch;
        for (const block_id s : out) {
          set_ = waiting_;
          insert(set_, s);
          go_on(set_);
        }
        if (g.is_exit(b)) {
          set_ = waiting_;
          if (l != no_loop) insert(set_, latch_[l]);  // lanes that are done may wait after the loop
          r.ends = set_.empty();
          go_on(set_);
        }
        const auto made = std::span<const block_id>(target_).subspan(r.first);
        (r.ends || differ(made) ? kept_ : removed_) += differ(out) || g.is_exit(b) ? 1 : 0;
      }
      r.count = static_cast<std::uint32_t>(target_.size()) - r.first;
      if (r.end == linear_end::repeat && r.count == 1) r.ends = true;
      if (r.end == linear_end::stop) r.ends = true;
    }
  }

  [[nodiscard]] constexpr std::size_t num_blocks() const { return row_.size(); }
  [[nodiscard]] constexpr block_id entry() const { return entry_; }
  [[nodiscard]] constexpr block_id refused() const { return refused_; }
  [[nodiscard]] constexpr std::span<const block_id> order() const { return std::span<const block_id>(order_); }
  [[nodiscard]] constexpr std::span<const block_id> successors(block_id b) const {
    return std::span<const block_id>(target_).subspan(row_[checked(b)].first, row_[b].count);
  }
  [[nodiscard]] constexpr linear_end end(block_id b) const { return row_[checked(b)].end; }
  [[nodiscard]] constexpr bool may_end(block_id b) const { return row_[checked(b)].ends; }
  [[nodiscard]] constexpr std::size_t kept() const { return kept_; }
  [[nodiscard]] constexpr std::size_t removed() const { return removed_; }

 private:
  struct row {
    std::uint32_t first = 0, count = 0;
    linear_end end = linear_end::stop;
    bool ends = false;
  };

  [[nodiscard]] constexpr block_id checked(block_id b) const {
    SIMTFLOW_EXPECTS(b < row_.size(), "a question about a block that is not in the graph of this result");
    return b;
  }
  static constexpr void swap(std::vector<block_id>& a, std::vector<block_id>& b) { a.swap(b); }
  static constexpr bool differ(std::span<const block_id> blocks) {
    for (const block_id b : blocks)
      if (b != blocks[0]) return true;
    return false;
  }

  constexpr void clear(std::size_t n) {
    entry_ = refused_ = no_block;
    kept_ = removed_ = 0;
    order_.clear();
    target_.clear();
    row_.assign(n, row{});
    if (deferred_.size() < n) deferred_.assign(n, {});
    for (std::vector<block_id>& d : deferred_) d.clear();
  }

  constexpr bool check_loops(const Shape& g) {
    const std::size_t count = loops_.num_loops();
    latch_.assign(count, no_block);
    for (const loop_id l : ids_below<loop_id>(count)) {
      const std::span<const block_id> latches = loops_.latches(l);
      if (loops_.is_irreducible(l) || latches.size() != 1 || loops_.innermost(latches[0]) != l) return refuse(l);
      latch_[l] = latches[0];
    }
    // An edge that leaves loops comes from the latch of each of them, and that is in one only.
    for (const block_id b : loops_.rpo()) {
      const loop_id l = loops_.innermost(b);
      if (l == no_loop) continue;
      for (const block_id s : g.successors(b)) {
        if (loops_.contains(l, s)) continue;
        const loop_id up = loops_.parent(l);
        if (latch_[l] != b) return refuse(l);
        if (up != no_loop && !loops_.contains(up, s)) return refuse(up);
      }
    }
    return true;
  }
  constexpr bool refuse(loop_id l) {
    refused_ = loops_.header(l);
    return false;
  }

  // Preorder of the dominator tree, children in RPO. An edge that goes forward leads from the subtree of a child, or
  // from the parent, to a later child.
  constexpr void arrange(const Shape& g) {
    const std::size_t n = g.num_blocks();
    entry_ = g.entry();
    tree_.recompute(g);
    child_.assign(n, no_block);
    sibling_.assign(n, no_block);
    place_.assign(n, 0);
    const std::span<const block_id> rpo = loops_.rpo();
    for (const block_id b : rpo) {  // the last one becomes the first child here, and is pushed first below
      const block_id up = tree_.idom(b);
      if (up == no_block) continue;
      sibling_[b] = child_[up];
      child_[up] = b;
    }
    work_.clear();
    work_.push_back(entry_);
    while (!work_.empty()) {
      const block_id b = work_.back();
      work_.pop_back();
      place_[b] = static_cast<std::uint32_t>(order_.size());
      order_.push_back(b);
      for (block_id c = child_[b]; c != no_block; c = sibling_[c]) work_.push_back(c);
    }
  }

  // Sets are sorted with the first block, in the order, at the back; what comes in is mostly near.
  constexpr void insert(std::vector<block_id>& set, block_id b) const {
    std::size_t i = set.size();
    while (i > 0 && place_[set[i - 1]] < place_[b]) --i;
    if (i > 0 && set[i - 1] == b) return;
    set.insert(set.begin() + static_cast<std::ptrdiff_t>(i), b);
  }
  // The next successor: the first block of the set. The others are deferred there.
  constexpr void go_on(std::vector<block_id>& set) {
    if (set.empty()) return;
    const block_id next = set.back();
    set.pop_back();
    target_.push_back(next);
    std::vector<block_id>& there = deferred_[next];
    if (there.empty()) {
      swap(there, set);
      return;
    }
    merged_.clear();
    std::size_t i = 0, j = 0;
    while (i < set.size() || j < there.size()) {
      const bool second = i == set.size() || (j < there.size() && place_[there[j]] > place_[set[i]]);
      const block_id b = second ? there[j] : set[i];
      i += i < set.size() && set[i] == b ? 1 : 0;
      j += j < there.size() && there[j] == b ? 1 : 0;
      merged_.push_back(b);
    }
    swap(there, merged_);
  }

  block_id entry_ = no_block, refused_ = no_block;
  std::size_t kept_ = 0, removed_ = 0;
  std::vector<block_id> order_, target_;
  std::vector<row> row_;
  // Workspace.
  dense::basic_loop_forest<Shape> loops_;
  dense::immediate_dominator_map tree_;
  id_map<loop_id, block_id> latch_;
  std::vector<block_id> child_, sibling_, work_, waiting_, set_, merged_;
  std::vector<std::uint32_t> place_;
  std::vector<std::vector<block_id>> deferred_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
