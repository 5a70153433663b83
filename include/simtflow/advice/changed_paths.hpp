// SPDX-License-Identifier: BSL-1.0
//
// The paths that threads would take through code that was made of other code, without running it.
//
// A transform moves, copies and joins instructions. Each block of the new code is described by its *pieces*: the
// instructions of old blocks that it has. A thread that went through old blocks b0, b1, ... must come to these
// instructions in the same order, and pass guards and empty blocks on the way. From where it stands, the follower looks
// for the way to the rest of the current old block, or to the next one, on which the thread executes the least foreign
// code: instructions of old blocks that it was not in. That finds
//
//   guards               they have no instructions of the old code: passing them costs nothing
//   copies               only one of them lies on a way of that kind
//   cut blocks           their pieces come in order
//   instructions of two  a melded instruction belongs to both old blocks
//   code under a mask    both arms of a branch that is gone are on every way: foreign code is passed
//
// Old blocks without an instruction in the new code are left out. The decision at each branch is the thread's own, so
// code in which threads vote on their way is followed only as if each were alone.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace advice {

/// Instructions of an old block in a new one.
struct code_piece {
  block_id block = no_block;  ///< the new one
  block_id old = no_block;    ///< the old one
  std::uint32_t first = 0;    ///< the lowest of them, counted in the old block
  std::uint32_t last = 0;     ///< the highest of them, counted in the old block
  std::uint32_t place = 0;    ///< where they begin in the new block
  std::uint32_t size = 0;     ///< how many they are

  friend constexpr bool operator==(const code_piece&, const code_piece&) = default;
};

/// Follows paths of the old code through the new one. Keeps the ways that it has found.
class path_follower {
 public:
  /// \param graph of the new code. \param pieces at most one for each pair of a new and an old block
  /// \param old_blocks of the old code
  /// \pre the graph outlives the follower; blocks of pieces are blocks of the graph, old ones below old_blocks
  path_follower(const csr_graph& graph, std::vector<code_piece> pieces, std::size_t old_blocks)
      : graph_(&graph), pieces_(std::move(pieces)), begin_(old_blocks, nowhere), known_(graph.num_blocks()) {
    std::sort(pieces_.begin(), pieces_.end(), [](const code_piece& a, const code_piece& b) {
      return a.block != b.block ? a.block < b.block : a.place != b.place ? a.place < b.place : a.old < b.old;
    });
    row_.assign(graph.num_blocks() + 1, 0);
    for (const code_piece& p : pieces_) {
      SIMTFLOW_EXPECTS(p.block < graph.num_blocks() && p.old < old_blocks, "pieces of blocks that there are");
      ++row_[p.block + 1];
      begin_[p.old] = std::min(begin_[p.old], p.first);
    }
    for (std::size_t b = 0; b < graph.num_blocks(); ++b) row_[b + 1] += row_[b];
    cost_.assign(graph.num_blocks(), {});
  }

  /// Appends the thread's path through the new code.
  /// \param path of the old code, from its entry
  /// \param out gets the path; if there is no way, the path up to there
  /// \returns false if there is no way
  /// \pre blocks of the path are below old_blocks
  /// Complexity: O(path), and O((blocks + edges) log blocks) for every pair of places that was not asked for before.
  /// Errors: none but that there is no way.
  /// \snippet advice/changed_paths_test.cpp follow
  [[nodiscard]] bool follow(std::span<const block_id> path, std::vector<block_id>& out) {
    if (graph_->num_blocks() == 0) return path.empty();
    block_id at = graph_->entry();
    out.push_back(at);
    block_id old = no_block;
    for (std::size_t i = 0; i <= path.size(); ++i) {
      const block_id target = i < path.size() ? path[i] : no_block;
      if (target != no_block && begin_[target] == nowhere) continue;  // nothing is left of it
      for (;;) {
        const way& w = way_of(at, old, target);
        if (!w.found) return false;
        out.insert(out.end(), through_.begin() + static_cast<std::ptrdiff_t>(w.first),
                   through_.begin() + static_cast<std::ptrdiff_t>(w.last));
        if (w.first != w.last) at = through_[w.last - 1];
        if (w.arrived) break;
      }
      old = target;
    }
    return true;
  }

 private:
  static constexpr std::uint32_t nowhere = 0xFFFF'FFFFU;
  // From a new block, in an old one, to the next old one: the new blocks on the way.
  struct way {
    block_id old = no_block, target = no_block;
    std::size_t first = 0, last = 0;  // in through_
    bool found = false;
    bool arrived = false;  // at the target; false: at the rest of the old block
  };
  struct label {
    std::uint64_t foreign = 0;
    std::uint32_t steps = 0;
    block_id before = no_block;
    bool seen = false, done = false;
  };

  [[nodiscard]] std::span<const code_piece> pieces_in(block_id b) const {
    return std::span<const code_piece>(pieces_).subspan(row_[b], row_[b + 1] - row_[b]);
  }
  [[nodiscard]] const code_piece* piece(block_id b, block_id old) const {
    for (const code_piece& p : pieces_in(b))
      if (p.old == old) return &p;
    return nullptr;
  }

  const way& way_of(block_id at, block_id old, block_id target) {
    for (const way& w : known_[at])
      if (w.old == old && w.target == target) return w;
    way w = search(at, old, target, true);
    if (!w.found && target != no_block) w = search(at, old, target, false);
    w.old = old;
    w.target = target;
    known_[at].push_back(w);
    return known_[at].back();
  }

  // \param in_order the target's first instruction comes first, and after what the thread has done; false: melding has
  // put instructions of several blocks side by side, in an order that the pieces do not tell.
  way search(block_id at, block_id old, block_id target, bool in_order) {
    way out;
    const auto begins = [&](const code_piece* p) { return p != nullptr && (!in_order || p->first == begin_[target]); };
    const code_piece* here = old == no_block ? nullptr : piece(at, old);
    const std::uint32_t place = here == nullptr ? 0 : here->place;
    // The target follows in the same block, or the thread stands at its very beginning.
    if (target != no_block)
      if (const code_piece* next = piece(at, target);
          begins(next) && target != old && (!in_order || here == nullptr || next->place > place))
        return {no_block, no_block, 0, 0, true, true};
    const bool has_rest = here != nullptr;
    for (label& l : cost_) l = {};
    heap_.clear();
    const auto reach = [&](block_id b, block_id from) {
      const label& was = from == at ? label{} : cost_[from];
      std::uint64_t foreign = was.foreign;
      if (from != at)
        for (const code_piece& p : pieces_in(from)) foreign += p.size;
      const std::uint32_t steps = was.steps + 1;
      label& l = cost_[b];
      if (l.done || (l.seen && (l.foreign < foreign || (l.foreign == foreign && l.steps <= steps)))) return;
      l = {foreign, steps, from, true, false};
      heap_.push_back({foreign, steps, b});
      std::push_heap(heap_.begin(), heap_.end());
    };
    for (const block_id s : graph_->successors(at)) reach(s, at);
    block_id goal = no_block;
    // Ways with equal costs: the rest of the block comes before the target.
    if (target == no_block && graph_->is_exit(at)) goal = at;
    std::uint64_t least = goal == at ? 0 : static_cast<std::uint64_t>(-1);
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end());
      const block_id b = heap_.back().block;
      heap_.pop_back();
      if (cost_[b].done) continue;
      cost_[b].done = true;
      if (cost_[b].foreign > least) break;
      if (const code_piece* rest = has_rest ? piece(b, old) : nullptr; rest != nullptr && rest->first > here->last)
        return found(at, b, false);
      if (goal == no_block) {
        const code_piece* next = target == no_block ? nullptr : piece(b, target);
        if (target == no_block ? graph_->is_exit(b) : begins(next)) {
          goal = b;
          least = cost_[b].foreign;
          continue;
        }
      }
      if (b != goal)
        for (const block_id s : graph_->successors(b)) reach(s, b);
    }
    if (goal == at && target == no_block) return {no_block, no_block, 0, 0, true, true};
    return goal == no_block ? out : found(at, goal, true);
  }

  way found(block_id at, block_id goal, bool arrived) {
    way out{no_block, no_block, through_.size(), 0, true, arrived};
    for (block_id b = goal;; b = cost_[b].before) {
      through_.push_back(b);
      if (cost_[b].before == at) break;
    }
    std::reverse(through_.begin() + static_cast<std::ptrdiff_t>(out.first), through_.end());
    out.last = through_.size();
    return out;
  }

  // An element of the heap: the cheapest is the greatest.
  struct reached {
    std::uint64_t foreign;
    std::uint32_t steps;
    block_id block;
    bool operator<(const reached& b) const {
      return foreign != b.foreign ? foreign > b.foreign : steps != b.steps ? steps > b.steps : block > b.block;
    }
  };

  const csr_graph* graph_;
  std::vector<code_piece> pieces_;    // by block and place
  std::vector<std::size_t> row_;      // by block
  std::vector<std::uint32_t> begin_;  // by old block: its first instruction that is still there
  std::vector<std::vector<way>> known_;
  std::vector<block_id> through_;  // of all ways
  std::vector<label> cost_;
  std::vector<reached> heap_;
};

}  // namespace advice
}  // namespace v0
}  // namespace simtflow
