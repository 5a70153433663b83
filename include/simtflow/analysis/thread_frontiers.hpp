// SPDX-License-Identifier: BSL-1.0
//
// Thread frontiers. A warp always runs the waiting block of highest priority. The frontier of a block b is the set of
// blocks where other threads of the warp may wait while b runs; all of them have lower priority than b. Reconvergence
// checks belong on the edges b -> t with t in the frontier of b.
//
// thread_frontiers(g, order) is the least solution of (S: set of successors, F: frontier, ranks: smaller = higher)
//
//   F(entry) = {}
//   for every reachable b, with C = F(b) u S(b), and every n that can run next:
//     F(n) includes { x in C : rank(x) > rank(n) }
//   where n can run next if   n in S(b), or
//                             n in F(b) and the threads of b may all end there, or go to some s in S(b) with
//                             rank(s) >= rank(n)
//   If the threads of b stay together (one distinct successor, or b is marked uniform), they go to one place: next to
//   an n in S(b) that is not in F(b) no other member of S(b) waits.
//
// The solution is sound for every order: compared with all states (running block, set of blocks where threads wait)
// that a warp of any size can reach, no pair is missing. On reverse post-orders and loop-contiguous orders without
// uniform marks it is also exact. On other orders, and on some graphs with uniform branches (two blocks wait, but never
// at the same time), it may hold too much.
//
// frontier_baselines.hpp has two published one-pass algorithms for comparison.
//
// Literature: G. Diamos et al., SIMD re-convergence at thread frontiers (2011), section 5.1 (conservative branches).
#pragma once

#include <simtflow/analysis/analysis_result.hpp>
#include <simtflow/analysis/dense/thread_frontiers.hpp>
#include <simtflow/analysis/priority_order.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/argument.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

// Asks the predicate about every vertex that the order lists.
template <flow_graph G, class P>
constexpr std::span<const unsigned char> mark_vertices(const G& g, const dense::priority_order& order, const P& uniform,
                                                       std::vector<unsigned char>& marks) {
  const vertex_map<G> map(g);
  marks.assign(order.num_blocks(), 0);
  for (const block_id b : order.order()) marks[b] = uniform(map.at(b)) ? 1 : 0;
  return std::span<const unsigned char>(marks);
}

}  // namespace detail

/// A predicate of vertices: true if the threads of the vertex stay together.
template <class P, class G>
concept uniform_predicate = requires(const P& uniform, const vertex_t<G>& v) {
  { uniform(v) } -> std::convertible_to<bool>;
};

/// A frontier for each block, as defined at the top of this header, or by another rule (frontier_baselines.hpp).
///
/// `uniform` marks the blocks in which threads stay together, in one of two forms: a flag for every dense block id,
/// non-zero = marked, or empty if no block is marked; or a predicate, which is asked once about every vertex that the
/// order lists.
///
/// A branch diverges if it has two or more distinct successors and is not marked in `uniform`. Threads may end where
/// is_exit holds. Blocks that the entry does not reach have empty frontiers and are in no frontier. Parallel edges have
/// no effect.
template <flow_graph G = csr_graph>
class frontier_sets : public analysis_result<G, dense::frontier_sets> {
  using base = analysis_result<G, dense::frontier_sets>;
  using base::map_, base::dense_;

 public:
  using typename base::range;
  using typename base::vertex;

  /// \pre the order was made for g and lists every block that the entry reaches; `uniform` is empty or has an element
  ///      for every block; g outlives the result (a csr_graph need not).
  /// Complexity: as thread_frontiers.
  constexpr frontier_sets(graph_ref<G> g, const priority_order<G>& order, std::span<const unsigned char> uniform = {},
                          frontier_rule rule = frontier_rule::fixpoint) {
    recompute(g, order, uniform, rule);
  }
  /// The same with a predicate in place of flags.
  template <uniform_predicate<G> P>
  constexpr frontier_sets(graph_ref<G> g, const priority_order<G>& order, const P& uniform,
                          frontier_rule rule = frontier_rule::fixpoint) {
    recompute(g, order, uniform, rule);
  }

  /// Computes the frontiers of g (the same graph, changed, or another) and reuses every buffer.
  constexpr void recompute(graph_ref<G> g, const priority_order<G>& order, std::span<const unsigned char> uniform = {},
                           frontier_rule rule = frontier_rule::fixpoint) {
    this->compute(g, order.ids(), uniform, rule);
  }
  /// The same with a predicate in place of flags.
  template <uniform_predicate<G> P>
  constexpr void recompute(graph_ref<G> g, const priority_order<G>& order, const P& uniform,
                           frontier_rule rule = frontier_rule::fixpoint) {
    recompute(g, order, detail::mark_vertices(g.get(), order.ids(), uniform, marks_), rule);
  }

  /// The frontier of v, highest priority first; empty for unreachable v. O(1).
  [[nodiscard]] constexpr range of(const vertex& v) const& { return map_.over(dense_.of(map_.index(v))); }
  range of(const vertex&) const&& = delete;
  /// Number of blocks in the frontier of v; 0 for unreachable v. O(1).
  [[nodiscard]] constexpr std::size_t size(const vertex& v) const { return dense_.size(map_.index(v)); }
  /// True if x is in the frontier of v. O(log size).
  [[nodiscard]] constexpr bool contains(const vertex& v, const vertex& x) const {
    return dense_.contains(map_.index(v), map_.index(x));
  }
  /// The size of the largest frontier; 0 for an empty graph. O(1).
  [[nodiscard]] constexpr std::size_t max_size() const { return dense_.max_size(); }
  /// The sum of all sizes. O(1).
  [[nodiscard]] constexpr std::size_t total_size() const { return dense_.total_size(); }
  /// Mean size over the blocks that were considered (fixpoint: reachable; other rules: listed); 0 for an empty graph.
  [[nodiscard]] constexpr double average_size() const { return dense_.statistics(no_block).average_size; }
  /// The edges with a target in the frontier of their source, in priority order of the sources: the places of
  /// reconvergence checks. Each parallel edge is listed. In dense block ids.
  [[nodiscard]] constexpr const std::vector<edge>& check_edges() const& { return dense_.check_edges(); }
  const std::vector<edge>& check_edges() const&& = delete;
  /// The distinct targets of the check edges, highest priority first: the blocks where threads may join.
  [[nodiscard]] constexpr range join_blocks() const& { return map_.over(dense_.join_blocks()); }
  range join_blocks() const&& = delete;
  /// The block of highest priority among the successors and the frontier of v, also if threads end in v. A machine
  /// without a list of waiting blocks goes there after v (a conservative branch), and then passes no thread by. Empty
  /// if there is no such block: the last thread ends in v, or v was not considered. O(1).
  [[nodiscard]] constexpr std::optional<vertex> conservative_target(const vertex& v) const {
    return map_.maybe(dense_.conservative_target(map_.index(v)));
  }
  /// The figures for a report.
  [[nodiscard]] constexpr frontier_statistics statistics() const { return dense_.statistics(no_block); }
  /// The same without a block that stands for the end of the program and is no code: it may be a target.
  /// \pre the sentinel has no successors.
  [[nodiscard]] constexpr frontier_statistics statistics(const vertex& sentinel) const {
    return dense_.statistics(map_.index(sentinel));
  }

 private:
  std::vector<unsigned char> marks_;  // the answers of a predicate
};

/// The thread frontiers of g under a priority order: the least solution at the top of this header. Unreachable blocks
/// have empty frontiers, and an empty graph has none.
///
/// \pre check_adapter<G>() holds; the order is of g and lists the blocks that the entry reaches; `uniform` is empty or
/// has a flag for each block; g outlives the result (a csr_graph need not).
/// Complexity: every block is looked at again only when its frontier grew. On orders that follow the loops this takes
///             (loop depth + 2) sweeps at most in practice; a look costs frontier size / 64 per edge at best. Space:
///             the result, which can be quadratic: n blocks may all be in one another's frontiers. It has 4 bytes for
///             each member, up to 8 as the buffer grows by doubling, and bits or chunks of bits during the computation:
///             at most 12 bytes for each member where frontiers are large.
/// Errors: an order of another graph, or flags of another number, is a contract violation.
/// \snippet reference_test.cpp thread_frontiers
template <graph_argument G>
[[nodiscard]] constexpr frontier_sets<graph_t<G>> thread_frontiers(G&& g, const priority_order<graph_t<G>>& order,
                                                                   std::span<const unsigned char> uniform = {}) {
  return frontier_sets<graph_t<G>>(g, order, uniform);
}
/// The same with a predicate: uniform(v) tells whether the threads of vertex v stay together.
template <graph_argument G, uniform_predicate<graph_t<G>> P>
[[nodiscard]] constexpr frontier_sets<graph_t<G>> thread_frontiers(G&& g, const priority_order<graph_t<G>>& order,
                                                                   const P& uniform) {
  return frontier_sets<graph_t<G>>(g, order, uniform);
}

}  // namespace v0
}  // namespace simtflow
