// SPDX-License-Identifier: BSL-1.0
//
// Partial control-flow linearization, for machines that execute one path and switch lanes off (vectorized code, SIMD
// with masks): branches on which lanes may disagree go, branches on which they agree stay. One path through the result
// visits the blocks of all lanes; a lane is active in the blocks of its own path and masked off in the others. Machines
// that bring divergent threads together again take guards instead (linearize.hpp).
//
// Each loop goes on as long as a lane wants to, whether lanes agree or not; lanes that are done wait after it. One
// block decides: the latch, if the loop is left there only and has no other latch; the header, if the loop is left
// there only; else a *turn*, a block that is added after all blocks of the loop. Lanes that go back wait at the turn
// for the others, and lanes that leave wait there until the loop ends.
//
//   while (a) { x; if (b) break; if (c) continue; y; }      with a turn T
//     x  ->  y  ->  T: if a lane waits for the header, to the header, else on
//
// Irreducible loops are reported, not repaired (fix_irreducible.hpp can).
//
// Code is made of it by ptx/transform/linear_code.hpp and interop/llvm_partial.hpp.
//
// Literature: S. Moll, S. Hack, Partial control-flow linearization (2018). There, loops are brought into the form with
// one latch and one exit first; turns and the decision at headers do without new phis.
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

/// A graph from which the branches are taken on which lanes may disagree, as defined at the top of this header. It is a
/// flow_graph itself, so that it can be drawn and analysed. Its blocks are numbers: those below the number of vertices
/// of g are the dense ids of its vertices, those from there on are turns.
///
/// The law: take lanes that all start at the entry and agree wherever `uniform` said they would among those that are
/// together. Then every lane's own sequence of blocks is a subsequence of the path. A lane alone never disagrees: the
/// law holds for it whatever `uniform` says.
///
/// Threads that end in a block (is_exit) are masked off there. Unreachable vertices have no successors.
template <flow_graph G = csr_graph>
class partial_linearization {
 public:
  using vertex = vertex_t<G>;  ///< the graph's own vertex type

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
    num_vertices_ = static_cast<std::size_t>(graph_traits<G>::num_vertices(g));
    index_.compute(shape_.of(g), [&](block_id b) { return static_cast<bool>(uniform(map_.at(b))); });
  }

  /// False if a loop is irreducible; then nothing else here means anything.
  [[nodiscard]] constexpr bool applies() const { return index_.refused() == no_block; }
  /// The header of such a loop; nullopt if there is none.
  [[nodiscard]] constexpr std::optional<vertex> refused_loop() const { return map_.maybe(index_.refused()); }

  /// The blocks that the entry reaches in the order that the path follows, but for ways back.
  [[nodiscard]] constexpr std::span<const block_id> order() const& { return index_.order(); }
  std::span<const block_id> order() const&& = delete;
  /// How block b ends now. O(1), here and below. \pre b is a block of the result, here and below
  [[nodiscard]] constexpr linear_end end(block_id b) const { return index_.end(b); }
  /// The blocks to which the path goes from b; end(b) tells what the slots mean.
  [[nodiscard]] constexpr std::span<const block_id> successors(block_id b) const& { return index_.successors(b); }
  std::span<const block_id> successors(block_id) const&& = delete;
  /// The vertex that b executes; nullopt for a turn.
  [[nodiscard]] constexpr std::optional<vertex> executes(block_id b) const {
    return map_.maybe(b < num_vertices_ ? b : no_block);
  }
  /// The header of the loop of a turn; nullopt for the vertices of the graph.
  [[nodiscard]] constexpr std::optional<vertex> turns(block_id b) const { return map_.maybe(index_.turns(b)); }

  /// True if all lanes are active whenever the path visits b: none waits for another block, and none has ended.
  [[nodiscard]] constexpr bool is_full(block_id b) const { return index_.is_full(b); }
  /// The same for paths that one lane follows alone: true if the lane is active whenever it comes to b. Lanes alone do
  /// not stay in a loop for others.
  [[nodiscard]] constexpr bool is_full_alone(block_id b) const { return index_.is_full_alone(b); }

  /// Branches that still lead to different blocks. Blocks that decide about loops are not counted.
  [[nodiscard]] constexpr std::size_t num_kept_branches() const { return index_.kept(); }
  /// Branches that do not any more. Blocks that decide about loops are not counted.
  [[nodiscard]] constexpr std::size_t num_removed_branches() const { return index_.removed(); }
  /// The same in dense block ids.
  [[nodiscard]] constexpr const detail::partial_linear_index<>& ids() const& { return index_; }
  const detail::partial_linear_index<>& ids() const&& = delete;

 private:
  detail::vertex_map<G> map_;
  detail::kept_shape<G> shape_;
  std::size_t num_vertices_ = 0;
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
