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
// Each of them takes cfg_facts in place of the graph, shares what is known already, and leaves what it finds there.
// Further uses have headers of their own: interleave.hpp, merge_loops.hpp, limit_stack_depth.hpp.
// linearize_where_it_pays.hpp takes only the regions where the expected cost falls. Partial linearization, which is for
// machines with masks and has no guards, is something else: partial_linearization.hpp.
//
// Convergent operations: within a region threads meet that did not meet before (that is what it is for), and threads of
// different iterations may with merged loops. A block that must be executed by the same threads together as before (a
// barrier, a vote, a shuffle) therefore must not be in a region; which threads did meet is not provable in general. A
// region with such a block is left as it is, but the regions inside it that have none are linearized, the outermost of
// them as a whole; the result says which blocks prevented the rest. The branch that dominates a region and the block
// after it are not in it.
//
// Divergent branches: as long as threads stay together, it costs nothing that code is unstructured. A region is left as
// it is if every divergent branch in it, and the branch before it, leads to one part of the region only.
//
// Literature: J. Anantpur, R. Govindarajan, Taming control divergence in GPUs through control flow linearization
// (2014), with other regions, loop guards and optimizations; see plan.hpp for what comes out.
#pragma once

#include <simtflow/analysis/cfg_facts.hpp>
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

// The same for facts. Their blocks are numbers.
template <class Predicate>
constexpr std::vector<unsigned char> block_table(cfg_facts& facts, Predicate& predicate) {
  return block_table(facts.graph(), predicate);
}

// Calls run(facts, table, result) with the facts of g, or with g if it is facts, and a plan that begins with the graph.
template <class G, class Convergent, class Run>
constexpr linearization linearize_with(G& g, Convergent& convergent, Run run) {
  linearization result;
  const std::vector<unsigned char> table = block_table(g, convergent);
  facts_in<G> facts(g);
  if constexpr (std::is_same_v<graph_t<G>, flow_plan>)
    result.plan = g;
  else
    result.plan.start(facts.get().graph());
  run(facts.get(), std::span<const unsigned char>(table), result);
  return result;
}

// Linearizes one set of blocks. Shape is csr_graph: a template costs nothing to include.
template <class Shape>
constexpr void linearize_set(basic_cfg_facts<Shape>& facts, std::span<const block_id> blocks,
                             const linearize_options& options, std::span<const unsigned char> convergent,
                             linearization& result) {
  std::vector<std::uint32_t> region;
  region.assign(facts.graph().num_blocks(), 0xFFFF'FFFFU);
  for (const block_id b : blocks) {
    SIMTFLOW_EXPECTS(b < region.size(), "a block that is linearized is in the graph");
    region[b] = 0;
  }
  linearizer<Shape> work;
  work.run_blocks(facts, std::span<const std::uint32_t>(region), 1, false, options, convergent, result);
}

}  // namespace detail

/// Linearizes the outermost unstructured regions of g until it is structured. A structured graph stays as it is.
///
/// `convergent(v)` says which vertices must be executed by the same threads together as before; see the top of this
/// header for what that means. `divergent(v)` says at which branches threads may part; without it, at all of them. If g
/// is a flow_plan, the result is for the graph that g was made for: the plan is transformed once more.
///
/// Empty graph: nothing. Unreachable blocks stay as they are. Endless loops count as loops with an edge to the end.
/// Complexity: O((blocks + edges) log blocks) in each round, and for each unstructured edge that has to stay a search
/// for a convergent block, at worst O(edges of the region); except for rare graphs one round is enough. No recursion.
/// \pre check_adapter<G>() holds; the plan keeps nothing of g.
/// Errors: none; linearization::refused lists the convergent blocks that keep a region unstructured, and
/// linearization::uniform counts the regions that no divergent branch matters to.
/// \snippet reference_test.cpp linearize
template <graph_or_facts G, class Convergent = detail::nothing_convergent,
          class Divergent = detail::everything_divergent>
[[nodiscard]] constexpr linearization linearize(G&& g, const linearize_options& options = {},
                                                Convergent convergent = {}, Divergent divergent = {}) {
  const std::vector<unsigned char> parting = detail::block_table(g, divergent);
  return detail::linearize_with(g, convergent,
                                [&](cfg_facts& facts, std::span<const unsigned char> table, linearization& result) {
                                  detail::linearizer<> work;
                                  work.run(facts, options, table, std::span<const unsigned char>(parting), result);
                                });
}

/// Linearizes a set of blocks (dense ids), structured or not, each block by itself. Control may enter at several blocks
/// and from anywhere.
/// \pre all edges that leave the set lead to one block, or no edge does and threads may end in it
template <graph_or_facts G, class Convergent = detail::nothing_convergent>
[[nodiscard]] constexpr linearization linearize_blocks(G&& g, std::span<const block_id> blocks,
                                                       const linearize_options& options = {},
                                                       Convergent convergent = {}) {
  return detail::linearize_with(g, convergent,
                                [&](cfg_facts& facts, std::span<const unsigned char> table, linearization& result) {
                                  detail::linearize_set(facts, blocks, options, table, result);
                                });
}

}  // namespace v0
}  // namespace simtflow
