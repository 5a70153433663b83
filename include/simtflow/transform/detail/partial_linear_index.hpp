// SPDX-License-Identifier: BSL-1.0
//
// Partial linearization in dense ids: what partial_linearization.hpp says of vertices, for blocks.
//
// Blocks are taken in a topological order of the graph with its loops cut (unfolded_loops.hpp) in which every dominator
// subtree is a run (so is every loop then). A set of *deferred* targets comes with each block: blocks that some lanes
// wait for, and that the path has to visit after it. The end is a target as well, the last one.
//
//   lanes agree      each edge leads to the first, in this order, of its target and the deferred ones; the others are
//                    deferred further, on this side
//   lanes may not    the block jumps to the first of all its targets and the deferred ones; the others are deferred
//
// Lanes that come to a loop to wait for blocks after it are deferred to the last block of the loop at once.
#pragma once

#include <simtflow/analysis/dense/immediate_dominators.hpp>
#include <simtflow/analysis/dense/order.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/transform/detail/unfolded_loops.hpp>
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
  // `uniform(b)` is asked once about each block with two or more edges, or with edges and a way to end.
  template <class Uniform>
  constexpr void compute(const Shape& g, Uniform uniform) {
    clear();
    blocks_ = g.num_blocks();
    if (!cut_.compute(g)) return;
    row_.assign(blocks_ + cut_.num_turns(), row{});
    if (blocks_ == 0) return;
    arrange();
    agrees_.assign(blocks_, 1);
    for (const block_id b : cut_.loops().rpo()) agrees_[b] = ways(g, b) < 2 || static_cast<bool>(uniform(b)) ? 1 : 0;
    for (const block_id b : listed_) {
      waiting_.clear();
      waiting_.swap(deferred_[b]);
      if (b < row_.size()) {
        order_.push_back(b);
        begin_row(b);
      }
      if (b < blocks_)
        visit(g, b);
      else
        visit_cut(b);
      if (b < row_.size()) end_row(b);
    }
    resolve_cuts();
    find_full(g);
  }

  // Blocks of the graph, then turns.
  [[nodiscard]] constexpr std::size_t num_blocks() const { return row_.size(); }
  // The header of a turn's loop; no_block for blocks of the graph.
  [[nodiscard]] constexpr block_id turns(block_id b) const {
    return checked(b) < blocks_ ? no_block : cut_.loops().header(cut_.loop_of_cut(b));
  }
  [[nodiscard]] constexpr block_id entry() const { return entry_; }
  [[nodiscard]] constexpr block_id refused() const { return cut_.refused(); }
  [[nodiscard]] constexpr std::span<const block_id> order() const { return std::span<const block_id>(order_); }
  [[nodiscard]] constexpr std::span<const block_id> successors(block_id b) const {
    return std::span<const block_id>(target_).subspan(row_[checked(b)].first, row_[b].count);
  }
  [[nodiscard]] constexpr linear_end end(block_id b) const { return row_[checked(b)].end; }
  [[nodiscard]] constexpr bool may_end(block_id b) const { return row_[checked(b)].ends; }
  [[nodiscard]] constexpr bool is_full(block_id b) const { return row_[checked(b)].full; }
  [[nodiscard]] constexpr bool is_full_alone(block_id b) const { return row_[checked(b)].full_alone; }
  [[nodiscard]] constexpr std::size_t kept() const { return kept_; }
  [[nodiscard]] constexpr std::size_t removed() const { return removed_; }

 private:
  struct row {
    std::uint32_t first = 0, count = 0;
    linear_end end = linear_end::stop;
    bool ends = false, full = false, full_alone = false;
  };

  [[nodiscard]] constexpr block_id checked(block_id b) const {
    SIMTFLOW_EXPECTS(b < row_.size(), "a question about a block that is not in the graph of this result");
    return b;
  }
  static constexpr bool differ(std::span<const block_id> blocks) {
    for (const block_id b : blocks)
      if (b != blocks[0]) return true;
    return false;
  }
  static constexpr std::size_t ways(const Shape& g, block_id b) {
    return g.successors(b).size() + (g.is_exit(b) ? 1U : 0U);
  }

  constexpr void clear() {
    entry_ = no_block;
    blocks_ = kept_ = removed_ = 0;
    row_.clear();
    order_.clear();
    listed_.clear();
    target_.clear();
  }

  // Preorder of the dominator tree, children in RPO. An edge leads from the subtree of a child, or from the parent, to
  // a later child.
  constexpr void arrange() {
    const csr_graph& u = cut_.graph();
    const std::size_t n = u.num_blocks();
    entry_ = u.entry();
    end_ = static_cast<block_id>(n);
    tree_.recompute(u);
    dfs_.recompute(u);
    child_.assign(n, no_block);
    sibling_.assign(n, no_block);
    place_.assign(n + 1, 0);
    place_[end_] = end_;
    const std::span<const block_id> post = dfs_.postorder();
    for (std::size_t i = post.size();
         i-- > 0;) {  // the last one becomes the first child here, and is pushed first below
      const block_id b = post[i], up = tree_.idom(b);
      if (up == no_block) continue;
      sibling_[b] = child_[up];
      child_[up] = b;
    }
    work_.clear();
    work_.push_back(entry_);
    while (!work_.empty()) {
      const block_id b = work_.back();
      work_.pop_back();
      place_[b] = static_cast<std::uint32_t>(listed_.size());
      listed_.push_back(b);
      for (block_id c = child_[b]; c != no_block; c = sibling_[c]) work_.push_back(c);
    }
    if (deferred_.size() < n + 1) deferred_.assign(n + 1, {});
    for (std::vector<block_id>& d : deferred_) d.clear();
    leave_.assign(cut_.loops().num_loops(), no_block);
    crowded_.assign(cut_.loops().num_loops(), 0);
  }

  constexpr void begin_row(block_id b) {
    row_[b].first = static_cast<std::uint32_t>(target_.size());
    row_[b].full_alone = waiting_.empty();
  }
  constexpr void end_row(block_id b) {
    row& r = row_[b];
    r.count = static_cast<std::uint32_t>(target_.size()) - r.first;
    if (r.count == 0) r.end = linear_end::stop;
    if (r.end == linear_end::stop || (r.end == linear_end::repeat && r.count == 1)) r.ends = true;
  }

  constexpr void visit(const Shape& g, block_id b) {
    const loop_id l = cut_.loops().innermost(b);
    const bool is_header = l != no_loop && cut_.loops().header(l) == b;
    if (is_header && !waiting_.empty()) {
      crowded_[l] = 1;
      if (cut_.last(l) != b) defer(cut_.last(l), waiting_);
    }
    row& r = row_[b];
    const std::span<const block_id> out = cut_.graph().successors(b);
    if (l != no_loop && cut_.decider(l) == b) {
      r.end = linear_end::repeat;
      if (cut_.cut(l) == no_block) {
        target_.push_back(cut_.loops().header(l));
        for (const block_id s : out) insert(waiting_, s);
        if (g.is_exit(b)) insert(waiting_, end_);
        go_on(waiting_);
        return;
      }
      for (const block_id s : out)
        if (s != cut_.cut(l)) set_.assign(1, s);
      go_on(set_);
      target_.push_back(cut_.cut(l));
      if (!g.is_exit(b)) return;
      set_.assign(1, end_);
      defer(cut_.cut(l), set_);
      return;
    }
    const bool decides = differ(g.successors(b)) || (g.is_exit(b) && !out.empty());
    if (ways(g, b) < 2 || agrees_[b] == 0) {
      removed_ += decides ? 1 : 0;  // also without a branch: then there is one target, or none
      for (const block_id s : out) insert(waiting_, s);
      if (g.is_exit(b)) insert(waiting_, end_);
      r.end = linear_end::jump;
      go_on(waiting_);
      return;
    }
    r.end = linear_end::branch;
    for (const block_id s : out) {
      set_ = waiting_;
      insert(set_, s);
      go_on(set_);
    }
    if (g.is_exit(b)) {
      set_ = waiting_;
      insert(set_, end_);
      if (l != no_loop) insert(set_, cut_.last(l));  // lanes that are done may wait after the loop
      r.ends = set_.back() == end_;
      go_on(set_);
    }
    const auto made = std::span<const block_id>(target_).subspan(r.first);
    (r.ends || differ(made) ? kept_ : removed_) += decides ? 1 : 0;
  }

  constexpr void visit_cut(block_id c) {
    const loop_id l = cut_.loop_of_cut(c);
    if (c >= row_.size() && !waiting_.empty()) row_[cut_.loops().header(l)].full_alone = false;
    for (const block_id s : cut_.graph().successors(c)) insert(waiting_, s);
    if (c < row_.size()) {
      row_[c].end = linear_end::repeat;
      target_.push_back(cut_.loops().header(l));
      go_on(waiting_);
      return;
    }
    const std::size_t before = target_.size();
    go_on(waiting_);
    if (target_.size() == before) return;
    leave_[l] = target_.back();
    target_.pop_back();
  }

  // Cuts that are no turns are no blocks: what leads there leads to the header, which goes on for the cut.
  constexpr void resolve_cuts() {
    for (const block_id b : order_) {
      row& r = row_[b];
      for (std::uint32_t k = 0; k < r.count; ++k) {
        block_id& to = target_[r.first + k];
        if (to < row_.size()) continue;
        const loop_id l = cut_.loop_of_cut(to);
        if (b != cut_.loops().header(l)) {
          to = cut_.loops().header(l);
          continue;
        }
        to = leave_[l];
        if (to == no_block) {
          r.count = 1;
          r.ends = true;
        } else if (to >= row_.size()) {
          to = cut_.loops().header(cut_.loop_of_cut(to));
        }
      }
    }
  }

  // A loop is *left apart* if lanes that leave it, or end in it, may leave others there.
  constexpr void find_full(const Shape& g) {
    const auto& loops = cut_.loops();
    apart_.assign(loops.num_loops(), 0);
    ends_in_.assign(loops.num_loops(), 0);
    for (const block_id b : loops.rpo()) {
      const loop_id l = loops.innermost(b);
      if (l == no_loop) continue;
      bool leaves = g.is_exit(b);
      if (leaves) ends_in_[l] = 1;
      for (const block_id s : g.successors(b)) leaves = leaves || !loops.contains(l, s);
      if (leaves && (agrees_[b] == 0 || !row_[b].full_alone)) apart_[l] = 1;
    }
    for (const loop_id l : ids_downward<loop_id>(loops.num_loops())) {
      const loop_id up = loops.parent(l);
      if (up == no_loop) continue;
      if ((apart_[l] != 0 || crowded_[l] != 0) && (ends_in_[l] != 0 || cut_.leaves_parent(l))) apart_[up] = 1;
      if (ends_in_[l] != 0) ends_in_[up] = 1;
    }
    for (const loop_id l : loops.all()) {
      if (crowded_[l] != 0) apart_[l] = 1;
      // A lane that waits for others does not come further than to the header, if that decides.
      if (cut_.decider(l) == loops.header(l)) crowded_[l] = 0;
      if (const loop_id up = loops.parent(l); up != no_loop) {
        crowded_[l] |= crowded_[up];
        apart_[l] |= apart_[up];
      }
    }
    for (const block_id b : order_) {
      const loop_id l = b < blocks_ ? loops.innermost(b) : cut_.loop_of_cut(b);
      row& r = row_[b];
      r.full_alone = r.full_alone && (l == no_loop || crowded_[l] == 0);
      r.full = r.full_alone && (l == no_loop || apart_[l] == 0);
    }
  }

  // Sets are sorted with the first block, in the order, at the back; what comes in is mostly near.
  constexpr void insert(std::vector<block_id>& set, block_id b) const {
    std::size_t i = set.size();
    while (i > 0 && place_[set[i - 1]] < place_[b]) --i;
    if (i > 0 && set[i - 1] == b) return;
    set.insert(set.begin() + static_cast<std::ptrdiff_t>(i), b);
  }
  // The next successor: the first block of the set, none if that is the end. The others are deferred there.
  constexpr void go_on(std::vector<block_id>& set) {
    if (set.empty() || set.back() == end_) return;
    const block_id next = set.back();
    set.pop_back();
    target_.push_back(next);
    defer(next, set);
  }
  // Adds a set to what is deferred at a block; the set is used up.
  constexpr void defer(block_id b, std::vector<block_id>& set) {
    std::vector<block_id>& there = deferred_[b];
    if (there.empty()) {
      there.swap(set);
      return;
    }
    merged_.clear();
    std::size_t i = 0, j = 0;
    while (i < set.size() || j < there.size()) {
      const bool second = i == set.size() || (j < there.size() && place_[there[j]] > place_[set[i]]);
      const block_id x = second ? there[j] : set[i];
      i += i < set.size() && set[i] == x ? 1 : 0;
      j += j < there.size() && there[j] == x ? 1 : 0;
      merged_.push_back(x);
    }
    there.swap(merged_);
    set.clear();
  }

  block_id entry_ = no_block;
  std::size_t blocks_ = 0, kept_ = 0, removed_ = 0;
  std::vector<block_id> order_, target_;
  std::vector<row> row_;
  unfolded_loops<Shape> cut_;
  // Workspace.
  dense::immediate_dominator_map tree_;
  dense::depth_first_order dfs_;
  block_id end_ = no_block;  // as a target
  std::vector<unsigned char> agrees_;
  std::vector<block_id> listed_, child_, sibling_, work_, waiting_, set_, merged_;
  std::vector<std::uint32_t> place_;
  std::vector<std::vector<block_id>> deferred_;
  id_map<loop_id, block_id> leave_;  // where the path goes on after a loop that is cut at its header
  id_map<loop_id, unsigned char> crowded_, apart_, ends_in_;  // crowded_: lanes come to the loop that wait for others
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
