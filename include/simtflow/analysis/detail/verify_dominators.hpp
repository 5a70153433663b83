// SPDX-License-Identifier: BSL-1.0
//
// Checks a dominator tree against its graph by searches that share nothing with its construction.
#pragma once

#include <simtflow/analysis/detail/reach_without.hpp>
#include <simtflow/analysis/tree_check.hpp>
#include <simtflow/config.hpp>

#include <cstddef>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

template <class Tree, class Shape>
[[nodiscard]] constexpr tree_check verify_dominators(const Tree& d, const Shape& g, effort how,
                                                     bool nameless_root = false) {
  const std::size_t n = g.num_blocks();
  if (d.num_blocks() != n) return {"the tree has as many blocks as the graph"};
  std::size_t reachable = 0;
  for (block_id b = 0; b < n; ++b) {
    const block_id up = d.parent(b);
    if (d.idom(b) != (nameless_root && up == g.entry() ? no_block : up))
      return {"every other block is called by its id", b, up};
    if (!d.is_reachable(b)) {
      if (up != no_block || d.depth(b) != 0 || d.dominates(b, b) || !d.dominated_by(b).empty())
        return {"an unreachable block is in no tree", b};
      continue;
    }
    ++reachable;
    if ((up == no_block) != (b == g.entry())) return {"exactly the entry has no immediate dominator", b};
    if (!d.dominates(b, b)) return {"a reachable block dominates itself", b};
    if (up != no_block) {
      if (!d.is_reachable(up) || d.depth(b) != d.depth(up) + 1)
        return {"depth grows by one from parent to child", up, b};
      if (!d.dominates(up, b) || d.dominates(b, up)) return {"the intervals of parent and child nest", up, b};
    }
    block_id at = d.position(b) + 1;  // the subtrees of the children fill the run of positions
    for (const block_id end = d.subtree_end(at - 1); at < end; at = d.subtree_end(at))
      if (d.parent(d.at(at)) != b) return {"a child names its parent", b, d.at(at)};
    if (d.at(d.position(b)) != b || at != d.subtree_end(d.position(b)))
      return {"the interval of a block is its own and its children's", b};
  }
  if (d.num_reachable() != reachable) return {"the tree has as many positions as reachable blocks"};
  if (how == effort::quick) return {};

  std::vector<unsigned char> seen;
  std::vector<block_id> work;
  reach_without(g, no_block, seen, work);
  for (block_id b = 0; b < n; ++b)
    if ((seen[b] != 0) != d.is_reachable(b)) return {"the tree holds exactly what the entry reaches", b};
  for (block_id b = 0; b < n; ++b) {
    if (!seen[b]) continue;
    for (const block_id s : g.successors(b))
      if (s != g.entry() && !d.dominates(d.parent(s), b))
        return {"an edge stays below the target's immediate dominator", b, s};
  }
  if (how == effort::normal) return {};

  for (block_id a = 0; a < n; ++a) {
    if (!d.is_reachable(a)) continue;
    reach_without(g, a, seen, work);
    for (block_id b = 0; b < n; ++b)
      if (d.is_reachable(b) && (seen[b] == 0) != d.dominates(a, b))
        return {"dominance is what removing a block shows", a, b};
  }
  return {};
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
