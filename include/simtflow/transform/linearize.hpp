// SPDX-License-Identifier: BSL-1.0
//
// Guard linearization: takes unstructured control flow away without copying code. The blocks of a region are put in a
// row, each after a *guard*: a test of a variable gv, set where a block of the region ends, that says which of them
// comes next. A retreating edge becomes a *loop guard* at the end of an interval of the row: as long as gv is one of
// its blocks, back to its beginning.
//
//   if (gv == 1) { a; gv = c ? 2 : 3; }      Blocks that the paths from a branch share are fetched once for all
//   if (gv == 2) { b; gv = d ? 3 : none; }   threads; what is irreducible becomes reducible; the result is structured.
//   if (gv == 3) { c; gv = none; }           The price is the tests.
//
// It linearizes the outermost unstructured regions (unstructured.hpp) of the graph in which everything
// structured has been reduced to one node each: a structured part of a region is entered through one guard and left as
// it is. By default few guards are left (guard_tree.hpp); gv is set on edges that lead to a guard, and
// only there.
//
//   linearize(g)                  until the graph is structured
//   linearize_blocks(g, blocks)   one set of blocks with one way out, structured or not
//
// Further uses have headers of their own: interleave.hpp, merge_loops.hpp, limit_stack_depth.hpp.
//
// Convergent operations: within a region threads meet that did not meet before (that is what it is for), and threads of
// different iterations may with merged loops. A block that must be executed by the same threads together as before (a
// barrier, a vote, a shuffle) therefore must not be in a region; which threads did meet is not provable in general. A
// region with such a block is left as it is, but the regions inside it that have none are linearized, the outermost of
// them as a whole; the result says which blocks prevented the rest. The branch that dominates a region and the block
// after it are not in it.
//
// Literature: J. Anantpur, R. Govindarajan, Taming control divergence in GPUs through control flow linearization
// (2014), with other regions, loop guards and optimizations; see plan.hpp for what comes out.
#pragma once

#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>
#include <simtflow/transform/detail/convergent.hpp>
#include <simtflow/transform/detail/linearizer.hpp>
#include <simtflow/transform/linearization.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

template <class G, class Convergent, class Run>
constexpr linearization linearize_with(const G& g, Convergent& convergent, Run run) {
  linearization result;
  const std::vector<unsigned char> table = convergent_table(g, convergent);
  const std::span<const unsigned char> view(table);
  if constexpr (std::is_same_v<G, flow_plan>) {
    result.plan = g;
    run(snapshot(g), view, result);
  } else {
    const csr_graph& shape = shape_of(g);
    result.plan.start(shape);
    run(shape, view, result);
  }
  return result;
}

// Linearizes one set of blocks of a graph with its ends and loops. Shape is csr_graph: a template costs nothing to
// include.
template <class Shape>
constexpr void linearize_set(const Shape& shape, const end_index<>& ends, const dense::loop_forest& loops,
                             std::span<const block_id> blocks, const linearize_options& options,
                             std::span<const unsigned char> convergent, linearization& result) {
  std::vector<std::uint32_t> region;
  region.assign(shape.num_blocks(), 0xFFFF'FFFFU);
  for (const block_id b : blocks) {
    SIMTFLOW_EXPECTS(b < region.size(), "a block that is linearized is in the graph");
    region[b] = 0;
  }
  linearizer<Shape> work;
  work.run_blocks(shape, ends, loops, std::span<const std::uint32_t>(region), 1, false, options, convergent, result);
}

}  // namespace detail

/// Linearizes the outermost unstructured regions of g until it is structured. A structured graph stays as it is.
///
/// `convergent(v)` says which vertices must be executed by the same threads together as before; see the top of this
/// header for what that means. If g is a flow_plan, the result is for the graph that g was made for: the plan
/// is transformed once more.
///
/// Empty graph: nothing. Unreachable blocks stay as they are. Endless loops count as loops with an edge to the end.
/// Complexity: O((blocks + edges) log blocks) in each round, and for each unstructured edge that has to stay a search
/// for a convergent block, at worst O(edges of the region); except for rare graphs one round is enough. No recursion.
/// \snippet reference_test.cpp linearize
template <flow_graph G, class Convergent = detail::nothing_convergent>
[[nodiscard]] constexpr linearization linearize(const G& g, const linearize_options& options = {},
                                                Convergent convergent = {}) {
  return detail::linearize_with(
      g, convergent, [&](const csr_graph& shape, std::span<const unsigned char> table, linearization& result) {
        detail::linearizer<> work;
        work.run(shape, options, table, result);
      });
}

/// Linearizes a set of blocks (dense ids), structured or not, each block by itself. Control may enter at several blocks
/// and from anywhere.
/// \pre all edges that leave the set lead to one block, or no edge does and threads may end in it
template <flow_graph G, class Convergent = detail::nothing_convergent>
[[nodiscard]] constexpr linearization linearize_blocks(const G& g, std::span<const block_id> blocks,
                                                       const linearize_options& options = {},
                                                       Convergent convergent = {}) {
  return detail::linearize_with(
      g, convergent, [&](const csr_graph& shape, std::span<const unsigned char> table, linearization& result) {
        detail::end_index<> ends;
        ends.compute(shape, infinite_loops::virtual_edge);
        dense::loop_forest loops;
        loops.recompute(shape);
        detail::linearize_set(shape, ends, loops, blocks, options, table, result);
      });
}

}  // namespace v0
}  // namespace simtflow
