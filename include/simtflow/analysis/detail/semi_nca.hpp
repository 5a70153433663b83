// SPDX-License-Identifier: BSL-1.0
//
// Immediate dominators by Semi-NCA, the core of dominators.hpp and post_dominators.hpp. Works in *slots*, the preorder
// numbers of one depth-first search. The semidominator of w is the lowest slot from which w can be reached through
// slots above w only; the immediate dominator is the nearest tree ancestor of w that is not above the semidominator.
//
// What makes it fast: the semidominator starts as the tree parent and forward edges lower it during the search, so only
// the targets of cross and retreating edges are swept (a bit map finds them); one 16-byte record per slot; no frame is
// kept for a block whose last successor is being visited; every buffer is kept for the next run, and none is cleared.
// The walk to the nearest ancestor has a quadratic worst case: it runs under a budget and changes to logarithmic jumps
// when that is spent.
//
// Literature: L. Georgiadis, R. Tarjan, R. Werneck, Finding dominators in practice (2006); T. Lengauer, R. Tarjan,
// A fast algorithm for finding dominators in a flowgraph (1979); jump pointers: E. Myers, An applicative random-access
// stack (1983).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

/// How a search walks a graph: what it calls a block (`handle`), the dense id of that, and the successors as a pair of
/// iterators that stay valid while the search goes on.
struct row_view {
  using handle = block_id;
  using cursor = const block_id*;
  const edge_id* offset;
  const block_id* column;
  constexpr block_id index(block_id b) const { return b; }
  constexpr cursor first(block_id b) const { return column + offset[b]; }
  constexpr cursor last(block_id b) const { return column + offset[b + 1]; }
};
[[nodiscard]] constexpr row_view along_edges(const csr_graph& g) {
  return {g.successor_offsets().data(), g.targets().data()};
}
[[nodiscard]] constexpr row_view against_edges(const csr_graph& g) {
  return {g.predecessor_offsets().data(), g.sources().data()};
}

/// A block whose successors have not all been looked at yet.
template <class Cursor>
struct search_frame {
  Cursor next, end;
  std::uint32_t slot;
};

// A template so that translation units that never compute dominators do not pay for it.
template <class Id = block_id>
class semi_nca {
 public:
  static constexpr Id no_slot = 0xFFFF'FFFFU;
  static constexpr std::size_t default_budget = 8;

  /// Searches from `root`, whose successors are [next, end), and computes the immediate dominators of what it reaches.
  /// Ids are below `num_ids`; the view is not asked for the successors of the root. `frames` is scratch. `walk_budget`:
  /// steps of plain walking per block, on average, before the jumps start. Without Tree, lay_out() and rpo() are not to
  /// be asked for afterwards.
  /// `found(block, idom)` is called for every block but the root, dominators first.
  template <bool Tree, class View, class Found>
  constexpr void run(const View& view, Id num_ids, Id root, typename View::cursor next, typename View::cursor end,
                     std::vector<search_frame<typename View::cursor>>& frames, std::size_t walk_budget,
                     const Found& found) {
    search<Tree>(view, num_ids, root, next, end, frames);
    sweep();
    find_idoms<Tree>(walk_budget, found);
  }

  /// How many blocks the search reached; slots are 0 (the root) .. size() - 1.
  [[nodiscard]] constexpr Id size() const { return count_; }
  /// By slot.
  [[nodiscard]] constexpr const Id* blocks() const { return columns_.data() + room_; }
  [[nodiscard]] constexpr bool reached(Id block) const { return columns_[block] - base_ < count_; }
  /// The immediate dominator of a slot, smaller than it; the root's is itself.
  [[nodiscard]] constexpr Id idom(Id slot) const { return record_[slot].idom; }

  /// What a dominator tree is made of, from slot to slot: `each(slot, position, size, depth)` for every slot, where the
  /// blocks that a slot dominates have the positions [position, position + size), siblings in the order of their slots.
  /// May be called once after a run.
  template <class Each>
  constexpr void lay_out(const Each& each) {
    record* const records = record_.data();
    const Id n = count_;
    // A slot's subtree is complete when the loop comes to it, and its younger siblings stand at the end of the
    // parent's.
    for (Id w = n; w-- > 1;) {
      record& up = records[records[w].idom];
      up.size() += records[w].size();
      records[w].position() = up.size() - 1;  // from the end for now
    }
    records[0].position() = records[0].depth() = 0;
    each(0, 0, records[0].size(), 0);
    for (Id w = 1; w < n; ++w) {
      record& at = records[w];
      record& up = records[at.idom];
      at.position() = up.position() + up.size() - at.position();
      at.depth() = up.depth() + 1;
      each(w, at.position(), at.size(), at.depth());
    }
  }

  /// The blocks that were reached in reverse post-order of the search: a parent, then its subtrees, the last one first.
  [[nodiscard]] constexpr std::vector<Id> rpo() const {
    std::vector<Id> order, size, place;
    const Id n = count_;
    const Id* const parents = parent_column();
    order.assign(n, 0);
    size.assign(n, 1);
    place.assign(n, 0);
    for (Id w = n; w-- > 1;) {
      place[w] = size[parents[w]];
      size[parents[w]] += size[w];
    }
    for (Id w = 0; w < n; ++w) {
      if (w != 0) place[w] += place[parents[w]];
      order[place[w]] = blocks()[w];
    }
    return order;
  }

 private:
  struct record {
    Id ancestor;  // the next slot on the compressed path to the root of the slot's tree
    Id label;     // the smallest semidominator on that path
    Id semi;
    Id idom;  // before find_idoms: the parent in the search tree

    // When the immediate dominators are known, the other fields serve for the tree.
    constexpr Id& size() { return ancestor; }
    constexpr Id& position() { return label; }
    constexpr Id& depth() { return semi; }
  };
  struct in_edge {
    Id from, next;
  };

  // Buffers only ever grow; what a run did not write it does not read. (Half of all control-flow graphs have ten blocks
  // or fewer: fitting the size of a few vectors would cost as much as the search.)
  template <class Frame>
  constexpr void reserve(Id n, std::vector<Frame>& frames) {
    if (frames.size() < n) frames.assign(n, {});
    if (record_.size() >= n) return;
    record_.assign(n, {});
    room_ = n;
    columns_.assign(5 * std::size_t{n} + n / 32 + 1, 0);
    if (n > 2) edge_.reserve(n);  // about as many as there are where blocks have two successors
  }

  template <bool Tree, class View>
  constexpr void search(const View& view, Id num_ids, Id root, typename View::cursor next, typename View::cursor end,
                        std::vector<search_frame<typename View::cursor>>& frames) {
    reserve(num_ids, frames);
    edge_.clear();
    Id* const slot_of = slots();
    Id* const swept = swept_bits();
    base_ += count_;  // above every number of an earlier run
    if (base_ > no_slot - num_ids) {
      for (Id b = 0; b < room_; ++b) slot_of[b] = 0;
      base_ = 1;
    }
    const Id base = base_;
    Id* const edges_into = edge_column();
    Id* const blocks = block_column();
    Id* const parents = parent_column();
    record* const records = record_.data();
    search_frame<typename View::cursor>* const bottom = frames.data();
    search_frame<typename View::cursor>* top = bottom;
    slot_of[root] = base;
    blocks[0] = root;
    records[0] = {0, 0, 0, 0};
    Id count = 1, at = 0;
    while (true) {
      while (next != end) {
        const typename View::handle to = static_cast<typename View::handle>(*next);
        ++next;
        const Id b = view.index(to);
        const Id s = slot_of[b] - base;
        if (s >= count) {  // new
          if (next != end) *top++ = {next, end, at};
          slot_of[b] = base + count;
          blocks[count] = b;
          if constexpr (Tree) parents[count] = at;
          records[count] = {at, at, at, at};
          at = count++;
          next = view.first(to);
          end = view.last(to);
        } else if (s > at) {  // a forward edge
          if (at < records[s].semi) records[s].semi = records[s].label = at;
        } else if (s != at) {  // a cross or a retreating edge
          Id& word = swept[s / 32];
          const Id bit = Id{1} << (s % 32);
          edge_.push_back({at, (word & bit) != 0 ? edges_into[s] : no_slot});
          edges_into[s] = static_cast<Id>(edge_.size() - 1);
          word |= bit;
        }
      }
      if (top == bottom) break;
      --top;
      next = top->next;
      end = top->end;
      at = top->slot;
    }
    count_ = count;
  }

  // Semidominators, from the last slot to the first.
  constexpr void sweep() {
    record* const records = record_.data();
    const in_edge* const edges = edge_.data();
    const Id* const edges_into = edge_column();
    Id* const swept = swept_bits();
    for (Id i = (count_ - 1) / 32 + 1; i-- > 0;) {
      Id word = swept[i];
      swept[i] = 0;
      while (word != 0) {
        const Id bit = 31 - static_cast<Id>(std::countl_zero(word));
        word ^= Id{1} << bit;
        const Id w = 32 * i + bit;
        Id semi = records[w].semi;
        for (Id e = edges_into[w]; e != no_slot; e = edges[e].next) {
          const Id from = edges[e].from;
          const Id reached = records[from].ancestor <= w ? records[from].label : compress(from, w);
          if (reached < semi) semi = reached;
        }
        records[w].semi = records[w].label = semi;
      }
    }
  }

  // The smallest label on the path from v up to the last slot above `last`; later questions find it in one step.
  constexpr Id compress(Id v, Id last) {
    record* const records = record_.data();
    Id* const path = path_column();
    Id length = 0;
    do {
      path[length++] = v;
      v = records[v].ancestor;
    } while (records[v].ancestor > last);
    const Id ancestor = records[v].ancestor;
    Id label = records[v].label;
    while (length != 0) {
      record& r = records[path[--length]];
      if (label < r.label) r.label = label;
      label = r.label;
      r.ancestor = ancestor;
    }
    return label;
  }

  template <bool Tree, class Found>
  constexpr void find_idoms(std::size_t walk_budget, const Found& found) {
    record* const records = record_.data();
    const Id* const blocks = block_column();
    std::size_t budget = walk_budget * count_ + 1;
    records[0].size() = 1;
    Id w = 1;
    for (const Id n = count_; w < n && budget != 0; ++w) {
      const Id semi = records[w].semi;
      Id d = records[w].idom;
      if (d > semi) {
        std::size_t steps = 0;
        for (; d > semi; d = records[d].idom) ++steps;
        records[w].idom = d;
        budget -= steps < budget ? steps : budget;
      }
      if constexpr (Tree) records[w].size() = 1;
      found(blocks[w], blocks[d]);
    }
    if (w < count_) jump_idoms(w, found);
  }

  // The rest of find_idoms with jump pointers that skip 1, 3, 7, ... levels of the dominator tree, so that any ancestor
  // is O(log depth) jumps away.
  template <class Found>
  constexpr void jump_idoms(Id start, const Found& found) {
    jump_.assign(count_, 0);
    level_.assign(count_, 0);
    for (Id w = 1; w < start; ++w) set_jump(w);
    for (Id w = start; w < count_; ++w) {
      const Id semi = record_[w].semi;
      Id d = record_[w].idom;
      while (d > semi) d = jump_[d] > semi ? jump_[d] : record_[d].idom;
      record_[w].idom = d;
      record_[w].size() = 1;
      found(blocks()[w], blocks()[d]);
      set_jump(w);
    }
  }
  constexpr void set_jump(Id w) {
    const Id up = record_[w].idom, jump = jump_[up];
    level_[w] = level_[up] + 1;
    jump_[w] = level_[up] - level_[jump] == level_[jump] - level_[jump_[jump]] ? jump_[jump] : up;
  }

  Id count_ = 0, base_ = 1;
  std::vector<record> record_;
  // One allocation for five columns of room_ elements each, and a bit for each slot.
  [[nodiscard]] constexpr Id* slots() { return columns_.data(); }  // by block: base_ + its slot, or something smaller
  [[nodiscard]] constexpr Id* block_column() { return columns_.data() + room_; }
  [[nodiscard]] constexpr Id* parent_column() { return columns_.data() + 2 * std::size_t{room_}; }
  [[nodiscard]] constexpr const Id* parent_column() const { return columns_.data() + 2 * std::size_t{room_}; }
  [[nodiscard]] constexpr Id* edge_column() { return columns_.data() + 3 * std::size_t{room_}; }
  [[nodiscard]] constexpr Id* path_column() { return columns_.data() + 4 * std::size_t{room_}; }

  [[nodiscard]] constexpr Id* swept_bits() { return columns_.data() + 5 * std::size_t{room_}; }

  Id room_ = 0;
  std::vector<Id> columns_;
  std::vector<Id> jump_, level_;
  std::vector<in_edge> edge_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
