// SPDX-License-Identifier: BSL-1.0
//
// A piece of a control-flow graph: what an entry block reaches without passing an exit block.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// No block is passed over; see graph_piece.
struct no_block_is_empty {
  constexpr bool operator()(block_id) const { return false; }  ///< no block is empty
};

/// The blocks that an entry block reaches without passing an exit block, numbered anew: the entry is 0, and every other
/// block has an edge from one with a smaller number.
///
/// Blocks that `is_empty` holds for and that only go on, along one edge, are passed over: they are no blocks of the
/// piece, and an edge to one leads on to where it leads. (If a cycle has only such blocks, one of them stays.) If
/// all are, the piece has no block.
class graph_piece {
 public:
  /// The piece without blocks.
  constexpr graph_piece() = default;
  /// See compute().
  template <class IsEmpty = no_block_is_empty>
  constexpr graph_piece(const csr_graph& g, block_id entry, block_id exit, const IsEmpty& is_empty = {}) {
    compute(g, entry, exit, is_empty);
  }

  /// Makes this the piece of g between two blocks. exit = no_block: all that the entry reaches.
  /// \pre both are blocks of g, and differ. O(blocks + edges of the piece); O(blocks of g) when first used on a graph
  /// of its size. Memory is kept.
  template <class IsEmpty = no_block_is_empty>
  constexpr void compute(const csr_graph& g, block_id entry, block_id exit, const IsEmpty& is_empty = {}) {
    SIMTFLOW_EXPECTS(entry < g.num_blocks() && (exit < g.num_blocks() || exit == no_block) && entry != exit,
                     "a piece lies between two different blocks of its graph");
    while (number_.size() < g.num_blocks()) {
      number_.push_back(none);
      leads_to_.push_back(none);
    }
    block_.clear();
    row_.clear();
    target_.clear();
    ends_.clear();
    work_.clear();
    passed_.clear();
    const auto through = [&](block_id b) {
      const std::size_t first = passed_.size();
      while (b != exit && leads_to_[b] == none && g.successors(b).size() == 1 && !g.is_exit(b) && is_empty(b)) {
        leads_to_[b] = b;  // until more is known: who comes back here has walked a cycle of empty blocks
        passed_.push_back(b);
        b = g.successors(b)[0];
      }
      if (b != exit && leads_to_[b] != none) b = leads_to_[b];
      for (std::size_t k = first; k < passed_.size(); ++k) leads_to_[passed_[k]] = b;
      return b;
    };
    const block_id start = through(entry);
    if (start != exit) {
      work_.push_back(start);
      number_[start] = found;
    }
    while (!work_.empty()) {
      const block_id b = work_.back();
      work_.pop_back();
      number_[b] = static_cast<std::uint32_t>(block_.size());
      block_.push_back(b);
      ends_.push_back(g.is_exit(b) ? 1 : 0);
      const std::span<const block_id> out = g.successors(b);
      for (std::size_t k = out.size(); k-- > 0;) {
        const block_id to = through(out[k]);
        if (to == exit || number_[to] != none) continue;
        number_[to] = found;
        work_.push_back(to);
      }
    }
    const std::uint32_t n = static_cast<std::uint32_t>(block_.size());
    for (const block_id b : block_) {
      row_.push_back(static_cast<std::uint32_t>(target_.size()));
      for (const block_id s : g.successors(b)) {
        const block_id to = through(s);
        target_.push_back(to == exit ? n : number_[to]);
      }
    }
    row_.push_back(static_cast<std::uint32_t>(target_.size()));
    for (const block_id b : block_) number_[b] = none;
    for (const block_id b : passed_) leads_to_[b] = none;
  }

  /// The same piece without the memory for further calls of compute(), which is as large as the graph.
  [[nodiscard]] constexpr graph_piece packed() const {
    graph_piece p;
    p.block_ = block_;
    p.row_ = row_;
    p.target_ = target_;
    p.ends_ = ends_;
    return p;
  }

  /// Its blocks; 0: all of them are passed over. O(1).
  [[nodiscard]] constexpr std::uint32_t size() const { return static_cast<std::uint32_t>(block_.size()); }
  /// How many edges it has, those to the exit among them. O(1).
  [[nodiscard]] constexpr std::uint32_t num_edges() const { return static_cast<std::uint32_t>(target_.size()); }
  /// The number of the exit in successors(): size().
  [[nodiscard]] constexpr std::uint32_t exit() const { return size(); }
  /// The block of the graph that has number i. \pre i < size(), here and below
  [[nodiscard]] constexpr block_id operator[](std::uint32_t i) const {
    SIMTFLOW_EXPECTS(i < size(), "a block of the piece");
    return block_[i];
  }
  /// By number, the entry first.
  [[nodiscard]] constexpr std::span<const block_id> blocks() const { return std::span<const block_id>(block_); }
  /// The targets of the edges of block i, as numbers, in slot order.
  [[nodiscard]] constexpr std::span<const std::uint32_t> successors(std::uint32_t i) const {
    SIMTFLOW_EXPECTS(i < size(), "a block of the piece");
    return std::span<const std::uint32_t>(target_).subspan(row_[i], row_[i + 1] - row_[i]);
  }
  /// Edges are numbered by block, then by slot: the number of the one in slot 0 of block i.
  [[nodiscard]] constexpr std::uint32_t first_edge(std::uint32_t i) const {
    SIMTFLOW_EXPECTS(i < size(), "a block of the piece");
    return row_[i];
  }
  /// Whether threads may end in block i.
  [[nodiscard]] constexpr bool is_end(std::uint32_t i) const {
    SIMTFLOW_EXPECTS(i < size(), "a block of the piece");
    return ends_[i] != 0;
  }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU, found = 0xFFFF'FFFEU;

  std::vector<block_id> block_, work_, passed_;
  std::vector<std::uint32_t> row_, target_;
  std::vector<std::uint32_t> number_;  // by block of the graph; none between calls, as in the next one
  std::vector<block_id> leads_to_;     // by block passed over: the block after it
  std::vector<unsigned char> ends_;
};

}  // namespace v0
}  // namespace simtflow
