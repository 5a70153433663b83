// SPDX-License-Identifier: BSL-1.0
//
// Paths up a tree, and one question: which targets have a path through a given node? A target y owns paths; each begins
// at some node and goes up to an ancestor of that node. Many targets can have paths through many nodes, so the answers
// are not stored. This index uses memory linear in the paths and lists the targets of a node in O(log) for each.
//
// Dominance frontiers are an example: y is in the frontier of the blocks on the tree paths from the predecessors of y
// up to the immediate dominator of y, which is excluded.
//
// Sort the paths of y by their first nodes, in preorder. A path joins the path before it at the nearest common ancestor
// of both first nodes; from there on its nodes are known already. The remaining parts, the pieces, have no node in
// common, so v is on a path of y if and only if it is on exactly one piece of y:
//
//   the piece begins in the subtree of v   these are contiguous if pieces are sorted by first node in preorder
//   and it ends at v or above              the depth of its last node is at most the depth of v
//
// Literature: K. Pingali, G. Bilardi, Optimal control dependence computation and the Roman chariots problem (1997).
#pragma once

#include <simtflow/analysis/detail/low_keys.hpp>
#include <simtflow/config.hpp>
#include <simtflow/detail/search.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

template <class Id = std::uint32_t>
class path_pieces {
 public:
  // Nodes are named by their place in preorder, 0 .. num_nodes - 1; the roots of a forest may have depth 1. For each
  // node in turn, each(node, take) calls take(target, top) for every path from the node up to its ancestor, or the node
  // itself, of depth `top`; if `top` is below the node's own depth, there is no path. If a node names a target twice,
  // the first call counts.
  template <class Depth, class Each>
  constexpr void compute(Id num_nodes, std::size_t num_targets, const Depth& depth_of, const Each& each) {
    begin_.clear();
    target_.clear();
    top_.clear();
    last_.assign(num_targets, none);
    above_.assign(std::size_t{num_nodes} + 1, 0);
    for (Id node = 0; node < num_nodes; ++node) {
      const Id depth = depth_of(node);
      above_[depth] = node;
      begin_.push_back(static_cast<Id>(target_.size()));
      each(node, [&](Id target, Id top) {
        const Id last = last_[target];
        if (last == node) return;
        last_[target] = node;
        if (last != none)
          if (const Id fresh = below_common(depth, last); top < fresh) top = fresh;
        if (top > depth) return;
        target_.push_back(target);
        top_.push(top);
      });
    }
    begin_.push_back(static_cast<Id>(target_.size()));
    top_.finish();
  }

  // Calls f(target) once for every target with a path through the node with the subtree first .. last - 1, in no
  // particular order. O(log paths), and as much for each target.
  template <class F>
  constexpr void for_each(Id first, Id last, Id depth, F f) const {
    top_.for_each(begin_[first], begin_[last], depth, [&](std::size_t i) { f(target_[i]); });
  }

 private:
  static constexpr Id none = static_cast<Id>(-1);

  // above_ holds the nodes above the current one by depth. Returns one more than the depth of the deepest of them that
  // has `before` in its subtree. Depth 0 has every node.
  [[nodiscard]] constexpr Id below_common(Id depth, Id before) const {
    return static_cast<Id>(first_without(1, depth, [&](std::size_t i) { return above_[i] <= before; }));
  }

  std::vector<Id> begin_;  // by node: in target_
  std::vector<Id> target_;
  low_keys<Id> top_;  // by place in target_: the least depth of the piece
  // Workspace, kept for the next computation.
  std::vector<Id> last_, above_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
