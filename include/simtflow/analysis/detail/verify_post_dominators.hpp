// SPDX-License-Identifier: BSL-1.0
//
// Checks a post-dominator tree against its graph.
#pragma once

#include <simtflow/analysis/detail/reach_without.hpp>
#include <simtflow/analysis/detail/verify_dominators.hpp>
#include <simtflow/analysis/tree_check.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/views.hpp>

#include <cstddef>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// Compares with the dominators of a reversed graph that is built here and shares nothing with the construction.
template <class Tree, class Options>
[[nodiscard]] constexpr tree_check verify_post_dominators(const Tree& tree, const csr_graph& g, const Options& options,
                                                          effort how) {
  const std::size_t n = g.num_blocks();
  if (tree.num_blocks() != n) return {"the tree has as many blocks as the graph"};
  std::vector<unsigned char> reachable, ends;
  std::vector<block_id> work;
  reach_without(g, no_block, reachable, work);
  csr_builder forward(n + 1, n == 0 ? 0 : g.entry());  // what the entry reaches, with the virtual exit
  const block_id exit = tree.virtual_exit();
  ends.assign(n, 0);
  for (block_id b = 0; b < n; ++b)
    if (reachable[b] && g.is_exit(b)) ends[b] = 1;
  for (const block_id b : options.roots)
    if (reachable[b]) ends[b] = 1;
  for (block_id b = 0; b < n; ++b) {
    if (!reachable[b]) continue;
    for (const block_id s : g.successors(b)) forward.add_edge(b, s);
    if (ends[b]) forward.add_edge(b, exit);
  }
  const csr_graph way_out = reversed(forward.build(), infinite_loops::ignore);  // its entry leads to `exit` alone
  std::vector<unsigned char> leaves;
  reach_without(way_out, no_block, leaves, work);
  csr_builder backward(n + 1, exit);
  for (block_id b = 0; b < n; ++b) {
    if (!reachable[b]) continue;
    if (ends[b]) backward.add_edge(exit, b);
    for (const block_id s : g.successors(b)) backward.add_edge(s, b);
  }
  if (options.endless == infinite_loops::virtual_edge)
    for (const block_id b : terminal_loops(g))
      if (reachable[b] && !leaves[b]) backward.add_edge(exit, b);
  for (block_id b = 0; b < n; ++b) {
    if (tree.is_reachable(b) != (reachable[b] != 0)) return {"reachable is what the entry reaches", b};
    if (tree.reaches_exit(b) != (reachable[b] && leaves[b]))
      return {"reaches_exit is what a search from the exits finds", b};
  }
  return verify_dominators(tree.tree(), backward.build(), how, true);
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
