// SPDX-License-Identifier: BSL-1.0
//
// Thread frontiers. A warp always runs the waiting block of highest priority. The frontier of a block b is the set of
// blocks where other threads of the warp may wait while b runs; all of them have lower priority than b. Re-convergence
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
// It is sound for every order: compared with all states (running block, set of blocks where threads wait) that a warp
// of any size can reach, no pair is missing. On reverse post-orders and loop-contiguous orders without uniform marks it
// is also exact; on other orders, and on some graphs with uniform branches (two blocks wait, but never at the same
// time), it may hold too much.
//
// Two published one-pass algorithms are here for comparison only. Both sweep the blocks from high to low priority with
// one running set: take b out of the set; what is left is the frontier of b; put successors of b that come later in.
//
//   thread_frontiers_algorithm_1   as the paper prints it: only the targets of divergent branches are put in. Neither
//                                  sound nor exact: A -> {B, C}, B -> D, C -> D with B before C gives C an empty
//                                  frontier although threads of B wait at D
//   thread_frontiers_ocelot        as the paper's emulator (GPU Ocelot) does it: every block puts its successors in.
//                                  Sound on acyclic graphs in a topological order; unsound on loops, whose back edges
//                                  it leaves out as well: H -> {B, X}, B -> H gives H an empty frontier although
//                                  threads that have left the loop wait at X
//
// Literature: G. Diamos et al., SIMD re-convergence at thread frontiers (2011), sections 4.1 (Algorithm 1) and 5.1
// (conservative branches).
#pragma once

#include <simtflow/analysis/dense/thread_frontiers.hpp>
#include <simtflow/analysis/priority_order.hpp>
#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/config.hpp>
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
constexpr std::span<const unsigned char> mark_vertices(const G& g, const priority_index<>& order, const P& uniform,
                                                       std::vector<unsigned char>& marks) {
  const vertex_map<G> map(g);
  marks.assign(order.num_blocks(), 0);
  for (const block_id b : order.order()) marks[b] = uniform(map.at(b)) ? 1 : 0;
  return std::span<const unsigned char>(marks);
}

}  // namespace detail

/// Something that tells of a vertex whether its threads stay together.
template <class P, class G>
concept uniform_predicate = std::predicate < const P&,
        const vertex_t<G>
& > ;

/// A frontier per block: see the top of this header for what the three ways to make one mean.
///
/// In all of them `uniform` marks blocks whose threads stay together: a flag for every dense block id, non-zero =
/// marked; empty = none is marked.
template <flow_graph G = csr_graph>
class frontier_sets {
 public:
  using vertex = vertex_t<G>;                           ///< the graph's own vertex type
  using range = typename detail::vertex_map<G>::range;  ///< vertex_range<G>; for a csr_graph a span of block ids

  /// As thread_frontiers(g, order, uniform), or by another rule.
  constexpr frontier_sets(const G& g, const priority_order<G>& order, std::span<const unsigned char> uniform = {},
                          frontier_rule rule = frontier_rule::fixpoint)
      : map_(g) {
    index_.compute(shape_.of(g), order.ids(), uniform, rule);
  }
  frontier_sets(const G&&, const priority_order<G>&, std::span<const unsigned char> = {},
                frontier_rule = frontier_rule::fixpoint) requires detail::keeps_pointer<G>
  = delete;
  /// The same with a predicate in place of flags. It is asked once about every vertex that the order lists.
  template <uniform_predicate<G> P>
  constexpr frontier_sets(const G& g, const priority_order<G>& order, const P& uniform,
                          frontier_rule rule = frontier_rule::fixpoint)
      : map_(g) {
    recompute(g, order, uniform, rule);
  }
  template <uniform_predicate<G> P>
  frontier_sets(const G&&, const priority_order<G>&, const P&,
                frontier_rule = frontier_rule::fixpoint) requires detail::keeps_pointer<G>
  = delete;

  /// Computes the frontiers of g (the same graph, changed, or another), reusing every buffer.
  constexpr void recompute(const G& g, const priority_order<G>& order, std::span<const unsigned char> uniform = {},
                           frontier_rule rule = frontier_rule::fixpoint) {
    map_ = detail::vertex_map<G>(g);
    index_.compute(shape_.of(g), order.ids(), uniform, rule);
  }
  void recompute(const G&&, const priority_order<G>&, std::span<const unsigned char> = {},
                 frontier_rule = frontier_rule::fixpoint) requires detail::keeps_pointer<G>
  = delete;
  /// The same with a predicate in place of flags. It is asked once about every vertex that the order lists.
  template <uniform_predicate<G> P>
  constexpr void recompute(const G& g, const priority_order<G>& order, const P& uniform,
                           frontier_rule rule = frontier_rule::fixpoint) {
    recompute(g, order, detail::mark_vertices(g, order.ids(), uniform, index_.marks()), rule);
  }
  template <uniform_predicate<G> P>
  void recompute(const G&&, const priority_order<G>&, const P&,
                 frontier_rule = frontier_rule::fixpoint) requires detail::keeps_pointer<G>
  = delete;

  /// The frontier of v, highest priority first; empty for unreachable v. O(1).
  [[nodiscard]] constexpr range of(const vertex& v) const& { return map_.over(index_.of(map_.index(v))); }
  range of(const vertex&) const&& = delete;
  /// Number of blocks in the frontier of v; 0 for unreachable v. O(1).
  [[nodiscard]] constexpr std::size_t size(const vertex& v) const { return index_.size(map_.index(v)); }
  /// x is in the frontier of v. O(log size).
  [[nodiscard]] constexpr bool contains(const vertex& v, const vertex& x) const {
    return index_.contains(map_.index(v), map_.index(x));
  }
  /// The largest frontier; 0 for an empty graph.
  [[nodiscard]] constexpr std::size_t max_size() const { return index_.max_size(); }
  /// Sum of all sizes.
  [[nodiscard]] constexpr std::size_t total_size() const { return index_.total_size(); }
  /// Mean size over the blocks that were considered (fixpoint: reachable; the others: listed); 0 for an empty graph.
  [[nodiscard]] constexpr double average_size() const { return index_.statistics(no_block).average_size; }
  /// The edges whose target is in the frontier of their source, in priority order of the sources: where re-convergence
  /// is checked for. Parallel edges are listed each. In dense block ids.
  [[nodiscard]] constexpr const std::vector<edge>& check_edges() const& { return index_.check_edges(); }
  const std::vector<edge>& check_edges() const&& = delete;
  /// The distinct targets of the check edges, highest priority first: the blocks where threads may join.
  [[nodiscard]] constexpr range join_blocks() const& { return map_.over(index_.join_blocks()); }
  range join_blocks() const&& = delete;
  /// The block of highest priority among the successors and the frontier of v: where a machine without a list of
  /// waiting blocks must go when v has run (a conservative branch), and no thread is passed by. Also for blocks in
  /// which threads end. Empty if there is none: the last thread ends in v, or v was not considered. O(1).
  [[nodiscard]] constexpr std::optional<vertex> conservative_target(const vertex& v) const {
    return map_.maybe(index_.conservative_target(map_.index(v)));
  }
  /// The figures for a report.
  [[nodiscard]] constexpr frontier_statistics statistics() const { return index_.statistics(no_block); }
  /// The same, not counting a block that stands for the end of the program and is no code: it may be a target.
  /// \pre the sentinel has no successors; the block id no_block stands for "there is none".
  [[nodiscard]] constexpr frontier_statistics statistics(const vertex& sentinel) const {
    return index_.statistics(map_.index(sentinel));
  }
  /// The same in dense block ids.
  [[nodiscard]] constexpr const detail::frontier_index<>& ids() const& { return index_; }
  const detail::frontier_index<>& ids() const&& = delete;

 private:
  detail::vertex_map<G> map_;
  detail::kept_shape<G> shape_;
  detail::frontier_index<> index_;
};

/// The thread frontiers of g under a priority order: the least fixpoint at the top of this header.
///
/// A branch diverges if it has two or more distinct successors and is not marked in `uniform`. Threads may end where
/// is_exit holds. Blocks that the entry does not reach have empty frontiers and are in none. Parallel edges have no
/// effect.
/// \pre the order was made for g and lists every block that the entry reaches; `uniform` is empty or has an element for
///      every block.
/// Complexity: every block is looked at again only when its frontier grew. On orders that follow the loops this takes
///             (loop depth + 2) sweeps at most in practice; a look costs frontier size / 64 per edge at best. Space:
///             the result, which can be quadratic: n blocks may all be in one another's frontiers. It has 4 bytes a
///             member, up to 8 as the buffer grows by doubling, and bits or chunks of bits while it is computed: 12
///             bytes a member at most where frontiers are large.
template <flow_graph G>
[[nodiscard]] constexpr frontier_sets<G> thread_frontiers(const G& g, const priority_order<G>& order,
                                                          std::span<const unsigned char> uniform = {}) {
  return frontier_sets<G>(g, order, uniform);
}
template <detail::keeps_pointer G>
frontier_sets<G> thread_frontiers(const G&&, const priority_order<G>&, std::span<const unsigned char> = {}) = delete;

/// The same with a predicate: uniform(v) tells whether the threads of vertex v stay together.
template <flow_graph G, uniform_predicate<G> P>
[[nodiscard]] constexpr frontier_sets<G> thread_frontiers(const G& g, const priority_order<G>& order,
                                                          const P& uniform) {
  return frontier_sets<G>(g, order, uniform);
}
template <detail::keeps_pointer G, uniform_predicate<G> P>
frontier_sets<G> thread_frontiers(const G&&, const priority_order<G>&, const P&) = delete;

/// The paper's Algorithm 1 as printed; a block of two or more successor slots that is not marked in `uniform` is a
/// divergent branch. For comparison with published numbers; unsound, see the top of this header.
/// \pre the order was made for g. Complexity: linear in edges and result.
template <flow_graph G>
[[nodiscard]] constexpr frontier_sets<G> thread_frontiers_algorithm_1(const G& g, const priority_order<G>& order,
                                                                      std::span<const unsigned char> uniform = {}) {
  return frontier_sets<G>(g, order, uniform, frontier_rule::algorithm_1);
}
template <detail::keeps_pointer G>
frontier_sets<G> thread_frontiers_algorithm_1(const G&&, const priority_order<G>&,
                                              std::span<const unsigned char> = {}) = delete;

/// The statistics of the paper's Algorithm 1, or of GPU Ocelot's variant, without the sets, which may be quadratic: the
/// result of thread_frontiers_algorithm_1(g, order, uniform).statistics(sentinel). The sentinel is a dense block id.
/// \pre as there; `rule` is not the fixpoint. Complexity: linear in blocks and edges, in time and memory.
template <flow_graph G>
[[nodiscard]] constexpr frontier_statistics one_pass_statistics(const G& g, const priority_order<G>& order,
                                                                std::span<const unsigned char> uniform = {},
                                                                frontier_rule rule = frontier_rule::algorithm_1,
                                                                block_id sentinel = no_block) {
  detail::kept_shape<G> shape;
  detail::frontier_index<> index;
  return index.count(shape.of(g), order.ids(), uniform, rule, sentinel);
}

/// GPU Ocelot's variant. Ocelot itself knows no marks; here the threads of a marked block leave nothing behind where
/// nobody waits already, which keeps it sound on acyclic graphs in a topological order. For comparison with its
/// numbers; unsound on loops, see the top of this header.
/// \pre the order was made for g. Complexity: linear in edges and result.
template <flow_graph G>
[[nodiscard]] constexpr frontier_sets<G> thread_frontiers_ocelot(const G& g, const priority_order<G>& order,
                                                                 std::span<const unsigned char> uniform = {}) {
  return frontier_sets<G>(g, order, uniform, frontier_rule::ocelot);
}
template <detail::keeps_pointer G>
frontier_sets<G> thread_frontiers_ocelot(const G&&, const priority_order<G>&,
                                         std::span<const unsigned char> = {}) = delete;

}  // namespace v0
}  // namespace simtflow
