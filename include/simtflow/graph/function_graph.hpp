// SPDX-License-Identifier: BSL-1.0
//
// A graph from a number of blocks and a callable that gives the successors of each block, for code with numbered
// blocks. For blocks without numbers (pointers into an IR) use discovered_graph.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/traits.hpp>

#include <concepts>
#include <cstddef>
#include <utility>

namespace simtflow {
inline namespace v0 {

/// A flow_graph over blocks 0 .. n - 1 with a callable that gives the successors:
///
///   auto g = function_graph{p.size(), [&](block_id b) -> auto& { return p.successors[b]; }};
///
/// The callable is kept by value and called as const; it may return any range of integers, by value or by reference. It
/// is asked about reached blocks only, and must give the same answer each time.
/// \pre entry < num_blocks, unless there is no block. A successor that is no block of the graph is found by
/// validate(g).
template <class F>
class function_graph {
  static_assert(std::invocable<const F&, block_id>, "simtflow: function_graph needs a callable that takes a block_id");

 public:
  /// O(1): the callable is not called yet.
  constexpr function_graph(std::size_t num_blocks, F successors, block_id entry = 0)
      : size_(num_blocks), successors_(std::move(successors)), entry_(entry) {
    SIMTFLOW_EXPECTS(num_blocks < no_block, "a graph has fewer than 2^32 - 1 blocks");
    SIMTFLOW_EXPECTS(num_blocks == 0 || entry < num_blocks, "the entry is a block of the graph");
  }

  [[nodiscard]] constexpr std::size_t num_blocks() const { return size_; }  ///< unreachable blocks among them
  [[nodiscard]] constexpr block_id entry() const { return entry_; }         ///< means nothing if there is no block
  [[nodiscard]] constexpr decltype(auto) successors(block_id b) const { return successors_(b); }  ///< calls F

 private:
  std::size_t size_;
  F successors_;
  block_id entry_;
};

/// A function_graph is a flow_graph; block ids are its vertices.
template <class F>
struct graph_traits<function_graph<F>> : integer_vertices<function_graph<F>> {
  /// @{
  /// As flow_graph asks.
  using vertex = block_id;
  static constexpr std::size_t num_vertices(const function_graph<F>& g) { return g.num_blocks(); }
  static constexpr vertex entry(const function_graph<F>& g) { return g.entry(); }
  static constexpr decltype(auto) successors(const function_graph<F>& g, vertex b) { return g.successors(b); }
  /// @}
};

}  // namespace v0
}  // namespace simtflow
