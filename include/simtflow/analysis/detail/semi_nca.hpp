// SPDX-License-Identifier: BSL-1.0
//
// Immediate dominators by Semi-NCA, the core of dominators.hpp and post_dominators.hpp. Works in *slots*, the preorder
// numbers of one depth-first search. The semidominator of w is the lowest slot from which w can be reached through
// slots above w only; the immediate dominator is the nearest tree ancestor of w that is not above the semidominator.
//
// The speed comes from five things. The semidominator starts as the tree parent and forward edges lower it during the
// search, so the sweep visits only the targets of cross and retreating edges (a bit map finds them). A slot has one
// 16-byte record. The search keeps no frame for a block once it visits its last successor. The columns of a run and its
// caller share one allocation, and small graphs need no allocation. The next run reuses every buffer and clears no
// buffer. The walk to the nearest ancestor has a quadratic worst case: it runs under a budget and changes to
// logarithmic jumps when the budget is spent.
//
// Literature: L. Georgiadis, R. Tarjan, R. Werneck, Finding dominators in practice (2006); T. Lengauer, R. Tarjan,
// A fast algorithm for finding dominators in a flowgraph (1979); jump pointers: E. Myers, An applicative random-access
// stack (1983).
#pragma once

#include <simtflow/analysis/detail/id_columns.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

/// The view of a graph that a search walks: its name for a block (`handle`), the dense id of the handle, and the
/// successors as a pair of iterators that stay valid while the search goes on.
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

/// A block with successors that the search has not visited yet.
template <class Cursor>
struct search_frame {
  Cursor next, end;
  std::uint32_t slot;
};

/// The root of a search.
template <class Cursor>
struct search_root {
  block_id num_ids;  // ids are below this
  block_id id;       // the root's own
  block_id name;     // the answer of idom() for the root: its id, or no_block if it stands for no block
  Cursor next, end;  // its successors
};

// A template so that translation units that never compute dominators do not pay for it.
template <class Id = block_id>
class semi_nca {
 public:
  static constexpr Id no_slot = 0xFFFF'FFFFU;
  static constexpr std::size_t default_budget = 8;

  /// Searches from `root`, with the successors [next, end), and computes the immediate dominators of the blocks that it
  /// reaches. Ids are below `num_ids`; the search does not ask the view for the successors of the root. `frames` is
  /// scratch. `walk_budget`: steps of plain walking per block, on average, before the jumps start. Without Tree, do not
  /// call lay_out() or rpo() afterwards. Calls `found(block, idom)` for every block but the root, dominators first.
  template <bool Tree, class View, class Found>
  constexpr void run(const View& view, Id num_ids, Id root, typename View::cursor next, typename View::cursor end,
                     std::vector<search_frame<typename View::cursor>>& frames, std::size_t walk_budget,
                     const Found& found) {
    search<Tree>(view, num_ids, root, next, end, frames);
    sweep();
    find_idoms<Tree>(walk_budget, found);
  }

  /// Makes room for a graph of `num_ids` blocks; run() does so as well. The contents of the caller's columns stay.
  constexpr void reserve(Id num_ids) {
    const Id before = columns_.rows();
    if (num_ids <= before) return;
    columns_.grow(num_ids);
    for (Id b = before; b < columns_.rows(); ++b) slot_column()[b] = 0;
    for (Id i = 0; i < columns_.rows() / 32 + 1; ++i) swept_bits()[i] = 0;
  }
  /// Columns for the tree that the caller makes, by block: three ids, one, and one. A run does not touch them.
  [[nodiscard]] constexpr Id* tree_nodes() { return columns_.template column<part::tree_node>(); }
  [[nodiscard]] constexpr const Id* tree_nodes() const { return columns_.template column<part::tree_node>(); }
  [[nodiscard]] constexpr Id* tree_parents() { return columns_.template column<part::tree_parent>(); }
  [[nodiscard]] constexpr const Id* tree_parents() const { return columns_.template column<part::tree_parent>(); }
  [[nodiscard]] constexpr Id* tree_order() { return columns_.template column<part::tree_order>(); }
  [[nodiscard]] constexpr const Id* tree_order() const { return columns_.template column<part::tree_order>(); }

  /// The number of blocks that the search reached; slots are 0 (the root) .. size() - 1.
  [[nodiscard]] constexpr Id size() const { return count_; }
  /// By slot.
  [[nodiscard]] constexpr const Id* blocks() const { return columns_.template column<part::block>(); }
  [[nodiscard]] constexpr bool reached(Id block) const {
    return columns_.template column<part::slot>()[block] - base_ < count_;
  }
  /// The immediate dominator of a slot, smaller than the slot; the root is its own immediate dominator.
  [[nodiscard]] constexpr Id idom(Id slot) const {
    return columns_.template column<part::row>()[4 * std::size_t{slot} + 3];
  }

  /// The data of a dominator tree, slot by slot: calls `each(slot, position, size, depth)` for every slot. The blocks
  /// that a slot dominates have the positions [position, position + size), siblings in the order of their slots. Call
  /// it at most once after a run.
  template <class Each>
  constexpr void lay_out(const Each& each) {
    const record_column records = record_rows();
    const Id n = count_;
    // A slot's subtree is complete when the loop comes to it, and its younger siblings stand at the end of the
    // parent's.
    for (Id w = n; w-- > 1;) {
      const record at = records[w], up = records[at.idom()];
      up.size() += at.size();
      at.position() = up.size() - 1;  // from the end for now
    }
    records[0].position() = records[0].depth() = 0;
    each(0, 0, records[0].size(), 0);
    for (Id w = 1; w < n; ++w) {
      const record at = records[w], up = records[at.idom()];
      at.position() = up.position() + up.size() - at.position();
      at.depth() = up.depth() + 1;
      each(w, at.position(), at.size(), at.depth());
    }
  }

  /// The reached blocks in reverse post-order of the search: a parent, then its subtrees, the last subtree first.
  constexpr void rpo(std::vector<Id>& order) const {
    std::vector<Id> size, place;
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
  }

 private:
  // The columns and their widths.
  // clang-format off
  struct part {
    enum : std::size_t { tree_node, tree_parent, tree_order, slot, block, search_parent, last_edge, path, row, swept,
                         edge };
  };
  using columns = id_columns<Id, 16, 3, 1, 1, 1, 1, 1, 1, 1, 4, 1, 2>;
  // clang-format on
  // Four ids that lie side by side.
  struct record {
    Id* at;
    constexpr Id& ancestor() const { return at[0]; }  // the next slot on the compressed path to the root of the tree
    constexpr Id& label() const { return at[1]; }     // the smallest semidominator on that path
    constexpr Id& semi() const { return at[2]; }
    constexpr Id& idom() const { return at[3]; }  // before find_idoms: the parent in the search tree

    // When the immediate dominators are known, the other fields serve for the tree.
    constexpr Id& size() const { return ancestor(); }
    constexpr Id& position() const { return label(); }
    constexpr Id& depth() const { return semi(); }
  };
  struct record_column {
    Id* first;
    constexpr record operator[](Id slot) const { return {first + 4 * std::size_t{slot}}; }
  };
  // An edge into a slot: where it comes from, and the next edge into the same slot.
  struct in_edge {
    Id* at;
    constexpr Id& from() const { return at[0]; }
    constexpr Id& next() const { return at[1]; }
  };
  struct edge_column {
    Id* first;
    constexpr in_edge operator[](Id edge) const { return {first + 2 * std::size_t{edge}}; }
  };

  template <bool Tree, class View>
  constexpr void search(const View& view, Id num_ids, Id root, typename View::cursor next, typename View::cursor end,
                        std::vector<search_frame<typename View::cursor>>& frames) {
    reserve(num_ids);
    using frame = search_frame<typename View::cursor>;
    constexpr Id few = std::is_trivially_default_constructible_v<frame> ? 64 : 1;
    frame few_frames[few];
    if (num_ids > few && frames.size() < num_ids) frames.assign(num_ids, {});
    frame* const bottom = num_ids > few ? frames.data() : few_frames;
    frame* top = bottom;
    Id* const slot_of = slot_column();
    Id* const swept = swept_bits();
    base_ += count_;  // above every number of an earlier run
    if (base_ > no_slot - num_ids) {
      for (Id b = 0; b < columns_.rows(); ++b) slot_of[b] = 0;
      base_ = 1;
    }
    const Id base = base_;
    Id* const last_edges = last_edge_into();
    Id* const blocks = block_column();
    Id* const parents = parent_column();
    const record_column records = record_rows();
    edge_column edges = edge_rows();
    Id num_edges = 0, edge_room = num_edge_rows();
    slot_of[root] = base;
    blocks[0] = root;
    put_record(records[0], 0);
    Id count = 1, at = 0;
    while (true) {
      while (next != end) {
        const typename View::handle to = static_cast<typename View::handle>(*next);
        ++next;
        const Id b = view.index(to);
        const Id s = slot_of[b] - base;
        if (s >= count) [[likely]] {  // new
          if (next != end) *top++ = {next, end, at};
          slot_of[b] = base + count;
          blocks[count] = b;
          if constexpr (Tree) parents[count] = at;
          put_record(records[count], at);
          at = count++;
          next = view.first(to);
          end = view.last(to);
        } else if (s > at) {  // a forward edge
          if (at < records[s].semi()) records[s].semi() = records[s].label() = at;
        } else if (s != at) [[unlikely]] {  // a cross or a retreating edge
          Id& word = swept[s / 32];
          const Id bit = Id{1} << (s % 32);
          if (num_edges == edge_room) {
            double_edge_rows();
            edges = edge_rows();
            edge_room = num_edge_rows();
          }
          edges[num_edges].from() = at;
          edges[num_edges].next() = (word & bit) != 0 ? last_edges[s] : no_slot;
          last_edges[s] = num_edges++;
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
    const record_column records = record_rows();
    const edge_column edges = edge_rows();
    Id* const path = path_column();
    const Id* const last_edges = last_edge_into();
    Id* const swept = swept_bits();
    for (Id i = (count_ - 1) / 32 + 1; i-- > 0;) {
      Id word = swept[i];
      swept[i] = 0;
      while (word != 0) {
        const Id bit = 31 - static_cast<Id>(std::countl_zero(word));
        word ^= Id{1} << bit;
        const Id w = 32 * i + bit;
        Id semi = records[w].semi();
        for (Id e = last_edges[w]; e != no_slot; e = edges[e].next()) {
          const Id from = edges[e].from();
          const Id reached = records[from].ancestor() <= w ? records[from].label() : compress(records, path, from, w);
          if (reached < semi) semi = reached;
        }
        records[w].semi() = records[w].label() = semi;
      }
    }
  }

  // The smallest label on the path from v up to the last slot above `last`; later questions find it in one step.
  static constexpr Id compress(record_column records, Id* path, Id v, Id last) {
    Id length = 0;
    do {
      path[length++] = v;
      v = records[v].ancestor();
    } while (records[v].ancestor() > last);
    const Id ancestor = records[v].ancestor();
    Id label = records[v].label();
    while (length != 0) {
      const record r = records[path[--length]];
      if (label < r.label()) r.label() = label;
      label = r.label();
      r.ancestor() = ancestor;
    }
    return label;
  }

  template <bool Tree, class Found>
  constexpr void find_idoms(std::size_t walk_budget, const Found& found) {
    const record_column records = record_rows();
    const Id* const blocks = block_column();
    std::size_t budget = walk_budget * count_ + 1;
    records[0].size() = 1;
    Id w = 1;
    for (const Id n = count_; w < n && budget != 0; ++w) {
      const Id semi = records[w].semi();
      Id d = records[w].idom();
      if (d > semi) {
        std::size_t steps = 0;
        for (; d > semi; d = records[d].idom()) ++steps;
        records[w].idom() = d;
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
    const record_column records = record_rows();
    jump_.assign(count_, 0);
    level_.assign(count_, 0);
    for (Id w = 1; w < start; ++w) set_jump(w);
    for (Id w = start; w < count_; ++w) {
      const Id semi = records[w].semi();
      Id d = records[w].idom();
      while (d > semi) d = jump_[d] > semi ? jump_[d] : records[d].idom();
      records[w].idom() = d;
      records[w].size() = 1;
      found(blocks()[w], blocks()[d]);
      set_jump(w);
    }
  }
  constexpr void set_jump(Id w) {
    const Id up = record_rows()[w].idom(), jump = jump_[up];
    level_[w] = level_[up] + 1;
    jump_[w] = level_[up] - level_[jump] == level_[jump] - level_[jump_[jump]] ? jump_[jump] : up;
  }

  static constexpr void put_record(record r, Id parent) { r.ancestor() = r.label() = r.semi() = r.idom() = parent; }

  // Edges lie in their column until there are more than one for each block.
  [[nodiscard]] constexpr bool edges_moved() const { return more_edges_.size() > 2 * std::size_t{columns_.rows()}; }
  [[nodiscard]] constexpr edge_column edge_rows() {
    return {edges_moved() ? more_edges_.data() : columns_.template column<part::edge>()};
  }
  [[nodiscard]] constexpr Id num_edge_rows() const {
    return edges_moved() ? static_cast<Id>(more_edges_.size() / 2) : columns_.rows();
  }
  constexpr void double_edge_rows() {
    const std::size_t ids = 2 * std::size_t{num_edge_rows()};
    const Id* const edges = edge_rows().first;
    std::vector<Id> larger(2 * ids);
    for (std::size_t i = 0; i < ids; ++i) larger[i] = edges[i];
    more_edges_.swap(larger);
  }

  // By block: base_ + its slot, or something smaller.
  [[nodiscard]] constexpr Id* slot_column() { return columns_.template column<part::slot>(); }
  [[nodiscard]] constexpr Id* block_column() { return columns_.template column<part::block>(); }
  [[nodiscard]] constexpr Id* parent_column() { return columns_.template column<part::search_parent>(); }
  [[nodiscard]] constexpr const Id* parent_column() const { return columns_.template column<part::search_parent>(); }
  [[nodiscard]] constexpr Id* last_edge_into() { return columns_.template column<part::last_edge>(); }
  [[nodiscard]] constexpr Id* path_column() { return columns_.template column<part::path>(); }
  [[nodiscard]] constexpr record_column record_rows() { return {columns_.template column<part::row>()}; }
  [[nodiscard]] constexpr Id* swept_bits() { return columns_.template column<part::swept>(); }  // a bit for each slot

  Id count_ = 0, base_ = 1;
  columns columns_;
  std::vector<Id> jump_, level_;
  std::vector<Id> more_edges_;  // of more edges than blocks
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
