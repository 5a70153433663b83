// SPDX-License-Identifier: BSL-1.0
//
// A graph in compressed sparse row form, on which every algorithm runs. Blocks are dense ids, edges are numbered by
// source and slot, successors and predecessors are contiguous spans. snapshot.hpp makes one of any flow_graph;
// csr_builder makes one edge by edge.
//
// A csr_graph made with csr_builder keeps the edges of unreachable blocks; every algorithm defines its answers about
// them.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/detail/rows.hpp>
#include <simtflow/detail/search.hpp>
#include <simtflow/graph/traits.hpp>

#include <bit>
#include <compare>
#include <cstddef>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// An edge named by its source and its successor slot; parallel edges differ in the slot.
struct edge {
  block_id from = no_block;  ///< the source; no_block: no edge
  std::uint32_t slot = 0;    ///< which successor of the source, from 0
  /// By source, then by slot: the order of edge ids.
  friend constexpr auto operator<=>(const edge&, const edge&) = default;
};

class csr_builder;
namespace detail {
template <class G>
class snapshot_buffer;
}  // namespace detail

/// An immutable control-flow graph over dense block ids. Also a flow_graph itself (vertex = block_id).
class csr_graph {
 public:
  /// The empty graph: no block, no entry.
  constexpr csr_graph() = default;

  /// Blocks that the entry does not reach count too.
  [[nodiscard]] constexpr std::size_t num_blocks() const { return out_.empty() ? 0 : out_.size() - 1; }
  [[nodiscard]] constexpr std::size_t num_edges() const { return target_.size(); }  ///< every parallel edge counts

  /// The block at which control enters; no_block if there is no block.
  [[nodiscard]] constexpr block_id entry() const { return entry_; }

  /// Targets of b in slot order, duplicates kept. O(1).
  [[nodiscard]] constexpr std::span<const block_id> successors(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks(), "successors of a block that is not in the graph");
    return {target_.data() + out_[b], target_.data() + out_[b + 1]};
  }

  /// Sources of the edges into b, one per edge, by ascending edge id. O(1).
  [[nodiscard]] constexpr std::span<const block_id> predecessors(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks(), "predecessors of a block that is not in the graph");
    return {source_.data() + in_[b], source_.data() + in_[b + 1]};
  }

  /// @{
  /// The rows themselves, for searches that look at every edge. The successors of b are the elements of targets() from
  /// successor_offsets()[b] up to, without, successor_offsets()[b + 1]; the same holds for predecessors, sources() and
  /// predecessor_offsets(). Offsets are empty if there is no block.
  [[nodiscard]] constexpr std::span<const edge_id> successor_offsets() const { return std::span<const edge_id>(out_); }
  [[nodiscard]] constexpr std::span<const block_id> targets() const { return std::span<const block_id>(target_); }
  [[nodiscard]] constexpr std::span<const edge_id> predecessor_offsets() const { return std::span<const edge_id>(in_); }
  [[nodiscard]] constexpr std::span<const block_id> sources() const { return std::span<const block_id>(source_); }
  /// @}

  /// True if the entry is known to reach every block; false does not mean that it does not. A snapshot knows. Another
  /// graph knows if its entry is block 0 and every other block has a predecessor of a smaller number, as compilers like
  /// to number. O(1).
  [[nodiscard]] constexpr bool all_known_reachable() const { return all_reachable_; }

  /// The blocks for which is_exit holds, ascending; unreachable ones among them. O(1).
  [[nodiscard]] constexpr std::span<const block_id> exits() const { return std::span<const block_id>(exits_); }

  /// Id of the edge in slot 0 of b; the edge in slot k has id first_edge(b) + k. O(1).
  [[nodiscard]] constexpr edge_id first_edge(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks(), "edges of a block that is not in the graph");
    return out_[b];
  }

  /// The target of edge e. \pre e < num_edges(). O(1).
  [[nodiscard]] constexpr block_id target(edge_id e) const {
    SIMTFLOW_EXPECTS(e < num_edges(), "target of an edge that is not in the graph");
    return target_[e];
  }

  /// The source of edge e. \pre e < num_edges(). O(log blocks).
  [[nodiscard]] constexpr block_id source(edge_id e) const {
    SIMTFLOW_EXPECTS(e < num_edges(), "source of an edge that is not in the graph");
    return static_cast<block_id>(detail::first_without(1, num_blocks(), [&](std::size_t b) { return out_[b] <= e; }) -
                                 1);
  }

  /// Source and slot of edge e. \pre e < num_edges(). O(log blocks).
  [[nodiscard]] constexpr edge edge_at(edge_id e) const {
    const block_id from = source(e);
    return {from, e - out_[from]};
  }

  /// True if threads may end in b: it has no successors, or it was marked (a predicated return). O(1).
  [[nodiscard]] constexpr bool is_exit(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks(), "is_exit of a block that is not in the graph");
    return (exit_[b / 32] >> (b % 32) & 1U) != 0;
  }

  /// The same blocks, edges, entry and exits. O(blocks + edges).
  friend constexpr bool operator==(const csr_graph& a, const csr_graph& b) {
    return a.entry_ == b.entry_ && a.out_ == b.out_ && a.target_ == b.target_ && a.exit_ == b.exit_;
  }

 private:
  friend class csr_builder;
  template <class G>
  friend class detail::snapshot_buffer;

  // out_ (a count of edges in out_[b + 1]) and target_ are there: makes the rest. Counting sort, so that predecessor
  // lists are by ascending edge id.
  constexpr void complete() {
    const std::size_t n = num_blocks();
    in_.assign(n + 1, 0);
    source_.assign(target_.size(), no_block);
    edge_id* const in = in_.data();
    for (const block_id to : target_) ++in[to];
    edge_id before = 0;
    for (std::size_t b = 0; b < n; ++b) {
      const edge_id here = in[b];
      in[b] = before;
      before += here;
    }
    const edge_id* const out = out_.data();
    for (block_id b = 0; b < n; ++b) {
      if (out[b] == out[b + 1]) exit_[b / 32] |= 1U << (b % 32);
      for (edge_id e = out[b]; e < out[b + 1]; ++e) source_[in[target_[e]]++] = b;
    }
    for (std::size_t b = n; b > 0; --b) in[b] = in[b - 1];  // every row was left at its end: the next one's beginning
    in[0] = 0;
    exits_.clear();
    for (block_id first = 0; first < n; first += 32)
      for (std::uint32_t word = exit_[first / 32]; word != 0; word &= word - 1)
        exits_.push_back(first + static_cast<block_id>(std::countr_zero(word)));
    all_reachable_ = entry_ == 0;
    for (std::size_t b = 1; b < n && all_reachable_; ++b) all_reachable_ = in[b] != in[b + 1] && source_[in[b]] < b;
  }

  block_id entry_ = no_block;
  bool all_reachable_ = true;
  std::vector<edge_id> out_;      // out_[b] .. out_[b + 1]: edges that leave b
  std::vector<block_id> target_;  // by edge id
  std::vector<edge_id> in_;       // in_[b] .. in_[b + 1]: range of source_
  std::vector<block_id> source_;
  std::vector<std::uint32_t> exit_;  // a bit per block; one element type for all vectors keeps the header cheap
  std::vector<block_id> exits_;
};

/// Makes a csr_graph edge by edge. Slots of a block are numbered in the order of its add_edge calls; calls for
/// different blocks may interleave. O(blocks + edges) time and space in all.
class csr_builder {
 public:
  /// \pre entry < num_blocks, unless there is no block (then the entry is ignored).
  constexpr explicit csr_builder(std::size_t num_blocks, block_id entry = 0)
      : entry_(num_blocks == 0 ? no_block : entry) {
    SIMTFLOW_EXPECTS(num_blocks < no_block, "a graph has fewer than 2^32 - 1 blocks");
    SIMTFLOW_EXPECTS(num_blocks == 0 || entry < num_blocks, "the entry is a block of the graph");
    num_blocks_ = num_blocks;
    marked_.assign((num_blocks + 31) / 32, 0);
  }

  /// Adds an edge, in the next slot of `from`. \pre both are blocks of the graph.
  constexpr csr_builder& add_edge(block_id from, block_id to) {
    SIMTFLOW_EXPECTS(from < num_blocks_ && to < num_blocks_, "an edge joins two blocks of the graph");
    from_.push_back(from);
    to_.push_back(to);
    return *this;
  }

  /// Says that threads may end in b although it has successors. \pre b is a block of the graph.
  constexpr csr_builder& mark_exit(block_id b) {
    SIMTFLOW_EXPECTS(b < num_blocks_, "an exit is a block of the graph");
    marked_[b / 32] |= 1U << (b % 32);
    return *this;
  }

  /// Makes the graph of everything added so far; the builder stays as it is. O(blocks + edges).
  [[nodiscard]] constexpr csr_graph build() const {
    SIMTFLOW_EXPECTS(from_.size() < no_block, "a graph has fewer than 2^32 - 1 edges");
    const std::size_t n = num_blocks_;
    csr_graph g;
    if (n == 0) return g;  // one empty graph, however it was made
    g.entry_ = entry_;
    g.exit_ = marked_;
    g.out_.assign(n + 1, 0);
    for (const block_id from : from_) ++g.out_[from];
    detail::begin_rows(g.out_);
    g.target_.assign(to_.size(), no_block);
    for (std::size_t e = 0; e < from_.size(); ++e) g.target_[g.out_[from_[e]]++] = to_[e];
    detail::end_rows(g.out_);
    g.complete();
    return g;
  }

 private:
  std::size_t num_blocks_ = 0;
  block_id entry_;
  std::vector<block_id> from_, to_;
  std::vector<std::uint32_t> marked_;
};

/// A csr_graph is a flow_graph; block ids are its vertices.
template <>
struct graph_traits<csr_graph> : integer_vertices<csr_graph> {
  /// @{
  /// As flow_graph asks; O(1).
  static constexpr std::size_t num_vertices(const csr_graph& g) { return g.num_blocks(); }
  static constexpr vertex entry(const csr_graph& g) { return g.entry(); }
  static constexpr std::span<const block_id> successors(const csr_graph& g, vertex v) { return g.successors(v); }
  static constexpr std::span<const block_id> predecessors(const csr_graph& g, vertex v) { return g.predecessors(v); }
  static constexpr bool is_exit(const csr_graph& g, vertex v) { return g.is_exit(v); }
  /// @}
};

}  // namespace v0
}  // namespace simtflow
