// SPDX-License-Identifier: BSL-1.0
//
// Partial control-flow linearization, for machines that execute one path and switch lanes off (vectorized code, SIMD
// with masks): branches on which lanes may disagree go, branches on which they agree stay. One path through the result
// visits the blocks of all lanes; a lane is active in the blocks of its own path and masked off in the others.
//
// Loops have to be of one form: entered at the header, with one latch, the only block with edges out of the loop. The
// latch goes back as long as a lane wants to, whether lanes agree or not, and lanes that are done wait after the loop.
// Graphs that violate this are reported, not repaired (fix_irreducible.hpp, unify_loop_exits.hpp and guards can).
//
// Literature: S. Moll, S. Hack, Partial control-flow linearization (2018).
#pragma once

#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>
#include <simtflow/transform/detail/partial_linear_index.hpp>
#include <simtflow/transform/linear_end.hpp>

#include <cstddef>
#include <optional>
#include <span>

namespace simtflow {
inline namespace v0 {

/// A graph from which the branches are taken on which lanes may disagree, as defined at the top of this header. It has
/// the same vertices; it is a flow_graph itself (over dense block ids), so that it can be drawn and analysed.
///
/// The law: take lanes that all start at the entry and agree wherever `uniform` said they would among those that are
/// together. Then every lane's own sequence of blocks is a subsequence of the path.
///
/// Threads that end in a block (is_exit) are masked off there. Unreachable vertices have no successors.
template <flow_graph G = csr_graph>
class partial_linearization {
 public:
  using vertex = vertex_t<G>;                           ///< the graph's own vertex type
  using range = typename detail::vertex_map<G>::range;  ///< vertex_range<G>; for a csr_graph a span of block ids

  /// `uniform(v)`: lanes that are active at v together always take the same edge out of it; asked about vertices from
  /// which there are two ways to go on.
  /// \pre check_adapter<G>(); g outlives the result (a csr_graph need not).
  /// Complexity: near-linear, times the number of blocks deferred at one place; no recursion.
  template <class Uniform>
  constexpr partial_linearization(const G& g, Uniform uniform) : map_(g) {
    recompute(g, uniform);
  }
  template <class Uniform>
  partial_linearization(const G&&, Uniform) requires detail::keeps_pointer<G>
  = delete;

  /// Computes it for g (the same graph, changed, or another), reusing buffers.
  template <class Uniform>
  constexpr void recompute(const G& g, Uniform uniform) {
    map_ = detail::vertex_map<G>(g);
    index_.compute(shape_.of(g), [&](block_id b) { return static_cast<bool>(uniform(map_.at(b))); });
  }

  /// False if a loop is not of the form that this needs; then nothing else here means anything.
  [[nodiscard]] constexpr bool applies() const { return index_.refused() == no_block; }
  /// The header of such a loop.
  [[nodiscard]] constexpr std::optional<vertex> refused_loop() const { return map_.maybe(index_.refused()); }

  /// The reachable vertices in the order that the path follows, but for ways back.
  [[nodiscard]] constexpr range order() const& { return map_.over(index_.order()); }
  range order() const&& = delete;
  /// How v ends now. O(1).
  [[nodiscard]] constexpr linear_end end(const vertex& v) const { return index_.end(map_.index(v)); }
  /// The blocks to which the path goes from v; end(v) tells what the slots mean.
  [[nodiscard]] constexpr range successors(const vertex& v) const& {
    return map_.over(index_.successors(map_.index(v)));
  }
  range successors(const vertex&) const&& = delete;
  /// Branches that still lead to different blocks. Latches are not counted.
  [[nodiscard]] constexpr std::size_t num_kept_branches() const { return index_.kept(); }
  /// Branches that do not any more. Latches are not counted.
  [[nodiscard]] constexpr std::size_t num_removed_branches() const { return index_.removed(); }
  /// The same in dense block ids.
  [[nodiscard]] constexpr const detail::partial_linear_index<>& ids() const& { return index_; }
  const detail::partial_linear_index<>& ids() const&& = delete;

 private:
  detail::vertex_map<G> map_;
  detail::kept_shape<G> shape_;
  detail::partial_linear_index<> index_;
};

/// `partial_linearization p(g, uniform)`.
template <flow_graph G, class Uniform>
partial_linearization(const G&, Uniform) -> partial_linearization<G>;

/// The linearized graph; empty if it does not apply.
template <flow_graph G>
struct graph_traits<partial_linearization<G>> {
  /// @{
  /// As flow_graph asks; O(1).
  using vertex = block_id;
  using graph = partial_linearization<G>;
  static constexpr std::size_t num_vertices(const graph& g) { return g.applies() ? g.ids().num_blocks() : 0; }
  static constexpr std::size_t index(const graph&, vertex b) { return b; }
  static constexpr vertex vertex_at(const graph&, std::size_t i) { return static_cast<vertex>(i); }
  static constexpr vertex entry(const graph& g) { return g.ids().entry(); }
  static constexpr std::span<const block_id> successors(const graph& g, vertex b) { return g.ids().successors(b); }
  static constexpr bool is_exit(const graph& g, vertex b) { return g.ids().may_end(b); }
  /// @}
};

}  // namespace v0
}  // namespace simtflow
