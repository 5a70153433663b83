// SPDX-License-Identifier: BSL-1.0
//
// The snapshot every algorithm runs on: a graph in compressed sparse row form. Blocks are the dense indices of the
// user's vertices, edges are numbered by source and slot, successors and predecessors are contiguous spans.
//
// `snapshot(g)` copies the shape of any flow_graph once; hand it to many algorithms to copy only once. It visits only
// what the entry reaches: holes and unreachable vertices become blocks without edges. A csr_graph made with csr_builder
// keeps the edges of unreachable blocks as well; every algorithm defines what it answers about them.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/traits.hpp>

#include <compare>
#include <cstddef>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// An edge named by its source and its successor slot; parallel edges differ in the slot.
struct edge {
  block_id from = no_block;
  std::uint32_t slot = 0;
  friend constexpr auto operator<=>(const edge&, const edge&) = default;
};

class csr_builder;

/// An immutable control-flow graph over dense block ids. Also a flow_graph itself (vertex = block_id).
class csr_graph {
 public:
  /// The empty graph: no block, no entry.
  constexpr csr_graph() = default;

  [[nodiscard]] constexpr std::size_t num_blocks() const { return out_.empty() ? 0 : out_.size() - 1; }
  [[nodiscard]] constexpr std::size_t num_edges() const { return target_.size(); }

  /// Where control enters; no_block if there is no block.
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

  /// Id of the edge in slot 0 of b; the edge in slot k has id first_edge(b) + k. O(1).
  [[nodiscard]] constexpr edge_id first_edge(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks(), "edges of a block that is not in the graph");
    return out_[b];
  }

  [[nodiscard]] constexpr block_id target(edge_id e) const {
    SIMTFLOW_EXPECTS(e < num_edges(), "target of an edge that is not in the graph");
    return target_[e];
  }

  /// O(log blocks).
  [[nodiscard]] constexpr block_id source(edge_id e) const {
    SIMTFLOW_EXPECTS(e < num_edges(), "source of an edge that is not in the graph");
    std::size_t low = 0, high = num_blocks();  // the last block whose first edge is <= e
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      (out_[middle] <= e ? low : high) = middle;
    }
    return static_cast<block_id>(low);
  }

  /// (source, slot) of an edge. O(log blocks).
  [[nodiscard]] constexpr edge edge_at(edge_id e) const {
    const block_id from = source(e);
    return {from, e - out_[from]};
  }

  /// Whether threads may end in b: it has no successors, or it was marked (a predicated return).
  [[nodiscard]] constexpr bool is_exit(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks(), "is_exit of a block that is not in the graph");
    return (exit_[b / 32] >> (b % 32) & 1U) != 0;
  }

  friend constexpr bool operator==(const csr_graph&, const csr_graph&) = default;

 private:
  friend class csr_builder;

  block_id entry_ = no_block;
  std::vector<edge_id> out_;      // out_[b] .. out_[b + 1]: edges that leave b
  std::vector<block_id> target_;  // by edge id
  std::vector<edge_id> in_;       // in_[b] .. in_[b + 1]: range of source_
  std::vector<block_id> source_;
  std::vector<std::uint32_t> exit_;  // a bit per block; one element type for all vectors keeps the header cheap
};

/// Makes a csr_graph edge by edge. Slots of a block are numbered in the order of its add_edge calls; calls for different
/// blocks may interleave. O(blocks + edges) time and space in all.
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

  constexpr csr_builder& add_edge(block_id from, block_id to) {
    SIMTFLOW_EXPECTS(from < num_blocks_ && to < num_blocks_, "an edge joins two blocks of the graph");
    from_.push_back(from);
    to_.push_back(to);
    return *this;
  }

  /// Threads may end in b although it has successors.
  constexpr csr_builder& mark_exit(block_id b) {
    SIMTFLOW_EXPECTS(b < num_blocks_, "an exit is a block of the graph");
    marked_[b / 32] |= 1U << (b % 32);
    return *this;
  }

  [[nodiscard]] constexpr csr_graph build() const {
    SIMTFLOW_EXPECTS(from_.size() < no_block, "a graph has fewer than 2^32 - 1 edges");
    const std::size_t n = num_blocks_;
    csr_graph g;
    if (n == 0) return g;  // one empty graph, however it was made
    g.entry_ = entry_;
    g.exit_ = marked_;
    g.out_.assign(n + 1, 0);
    g.in_.assign(n + 1, 0);
    for (std::size_t e = 0; e < from_.size(); ++e) {
      ++g.out_[from_[e] + 1];
      ++g.in_[to_[e] + 1];
    }
    for (std::size_t b = 0; b < n; ++b) {
      if (g.out_[b + 1] == 0) g.exit_[b / 32] |= 1U << (b % 32);
      g.out_[b + 1] += g.out_[b];
      g.in_[b + 1] += g.in_[b];
    }
    g.target_.assign(from_.size(), no_block);
    g.source_.assign(from_.size(), no_block);
    std::vector<edge_id> cursor(g.out_);
    for (std::size_t e = 0; e < from_.size(); ++e) g.target_[cursor[from_[e]]++] = to_[e];
    cursor = g.in_;
    for (block_id b = 0; b < n; ++b)  // in edge order, so that predecessor lists are by ascending edge id
      for (edge_id e = g.out_[b]; e < g.out_[b + 1]; ++e) g.source_[cursor[g.target_[e]]++] = b;
    return g;
  }

 private:
  std::size_t num_blocks_ = 0;
  block_id entry_;
  std::vector<block_id> from_, to_;
  std::vector<std::uint32_t> marked_;
};

template <>
struct graph_traits<csr_graph> : integer_vertices<csr_graph> {
  static constexpr std::size_t num_vertices(const csr_graph& g) { return g.num_blocks(); }
  static constexpr vertex entry(const csr_graph& g) { return g.entry(); }
  static constexpr std::span<const block_id> successors(const csr_graph& g, vertex v) { return g.successors(v); }
  static constexpr std::span<const block_id> predecessors(const csr_graph& g, vertex v) { return g.predecessors(v); }
  static constexpr bool is_exit(const csr_graph& g, vertex v) { return g.is_exit(v); }
};

/// The shape of g as seen from `root`: block i is vertex_at(g, i), the entry is the root, blocks that the root does not
/// reach have no edges and are exits of nothing that runs.
/// \pre check_adapter<G>() holds and every index is in range (validate(g) tells), root is a vertex of g.
/// Complexity: O(num_vertices + reachable edges) time and space. No recursion.
template <flow_graph G>
[[nodiscard]] constexpr csr_graph snapshot(const G& g, const vertex_t<G>& root) {
  using traits = graph_traits<G>;
  const std::size_t n = static_cast<std::size_t>(traits::num_vertices(g));
  const std::size_t start = static_cast<std::size_t>(traits::index(g, root));
  SIMTFLOW_EXPECTS(start < n, "the root is a vertex of the graph");
  csr_builder builder(n, static_cast<block_id>(start));
  std::vector<unsigned char> seen;
  seen.assign(n, 0);
  std::vector<vertex_t<G>> work{root};  // vertices, not ids: vertex_at may cost more than a copy
  seen[start] = 1;
  while (!work.empty()) {
    const vertex_t<G> v = work.back();
    work.pop_back();
    const block_id b = static_cast<block_id>(traits::index(g, v));
    if constexpr (has_exit_predicate<G>)
      if (traits::is_exit(g, v)) builder.mark_exit(b);
    auto&& out = traits::successors(g, v);
    for (auto&& s : out) {
      const vertex_t<G> to = static_cast<vertex_t<G>>(s);
      const std::size_t i = static_cast<std::size_t>(traits::index(g, to));
      SIMTFLOW_EXPECTS(i < n, "a successor's index is below num_vertices (validate(g) names the edge)");
      builder.add_edge(b, static_cast<block_id>(i));
      if (!seen[i]) {
        seen[i] = 1;
        work.push_back(to);
      }
    }
  }
  return builder.build();
}

/// The shape of g as seen from its entry. An empty graph gives an empty snapshot.
template <flow_graph G>
[[nodiscard]] constexpr csr_graph snapshot(const G& g) {
  if (static_cast<std::size_t>(graph_traits<G>::num_vertices(g)) == 0) return csr_graph{};
  return snapshot(g, graph_traits<G>::entry(g));
}

}  // namespace v0
}  // namespace simtflow
