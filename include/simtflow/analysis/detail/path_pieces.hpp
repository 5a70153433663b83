// SPDX-License-Identifier: BSL-1.0
//
// Paths up a tree, and the question whose paths a node is on. A target y owns paths: each begins somewhere in the tree
// and goes up to an ancestor of its own. The targets with a path through a node v can be many for many v, so they are
// not written down; here is an index in memory linear in the paths that lists those of one node in O(log) a target.
//
// Dominance frontiers are such a question: y is in the frontier of the blocks on the tree paths from the predecessors
// of y up to, without, the immediate dominator of y.
//
// Take the paths of y by where they begin, in preorder. Where a path comes to a node that the path before it has
// passed, at the nearest common ancestor of both beginnings, the rest of it is known. What is left, the pieces, has no
// node in common, so v is on a path of y if and only if it is on exactly one piece of y:
//
//   the piece begins in the subtree of v   a run of the pieces in preorder of where they begin
//   and it ends at v or above              the depth of its last node is at most that of v
//
// Literature: K. Pingali, G. Bilardi, Optimal control dependence computation and the Roman chariots problem (1997).
#pragma once

#include <simtflow/analysis/detail/low_keys.hpp>
#include <simtflow/config.hpp>

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
  // node in turn, each(node, take) calls take(target, top) for every path from there up to the ancestor, or the node
  // itself, of depth `top`; a top below the node's own depth makes no path. Of a target that a node names twice, the
  // first counts.
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

  // f(target) for every target with a path through the node whose subtree is first .. last - 1, each once, in no
  // particular order. O(log paths), and as much a target.
  template <class F>
  constexpr void for_each(Id first, Id last, Id depth, F f) const {
    top_.for_each(begin_[first], begin_[last], depth, [&](std::size_t i) { f(target_[i]); });
  }

 private:
  static constexpr Id none = static_cast<Id>(-1);

  // above_ holds the nodes above the present one by their depth: the depth below the last of them that has `before` in
  // its subtree. Depth 0 has everything.
  [[nodiscard]] constexpr Id below_common(Id depth, Id before) const {
    Id low = 0, high = depth;  // above_[low] <= before < above_[high]
    while (high - low > 1) {
      const Id middle = low + (high - low) / 2;
      if (above_[middle] <= before)
        low = middle;
      else
        high = middle;
    }
    return low + 1;
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
