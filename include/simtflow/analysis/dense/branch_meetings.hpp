// SPDX-License-Identifier: BSL-1.0
//
// The blocks where the arms of a branch meet, in dense ids. analysis/convergence.hpp tells what they mean.
#pragma once

#include <simtflow/analysis/dense/dominators.hpp>
#include <simtflow/analysis/dense/order.hpp>
#include <simtflow/analysis/dense/post_dominators.hpp>
#include <simtflow/analysis/detail/two_arms.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace dense {

/// The blocks where the arms of one branch can meet, with dense ids in and out.
template <class Shape = csr_graph>
class basic_branch_meetings {
 public:
  /// Finds the meeting blocks of a branch of g and reuses every buffer. \pre the post-dominators are of g; branch
  /// is a block of g. Complexity: near-linear in blocks and edges.
  constexpr void recompute(const Shape& g, const post_dominator_tree& post, block_id branch) {
    const std::size_t n = g.num_blocks();
    SIMTFLOW_EXPECTS(post.num_blocks() == n, "the post-dominators are of this graph");
    SIMTFLOW_EXPECTS(branch < n, "a question about a block that is not in the graph");
    meeting_.clear();
    first_.clear();
    if (!post.is_reachable(branch) || !detail::has_two_arms(g.successors(branch))) return;
    find_region(g, branch, post.ipdom(branch));
    label_arms();
    tree_.recompute(region_);
    for (block_id b = low_; b <= high_; ++b) {
      const std::uint32_t v = local_[b];
      if (v == no_number) continue;
      if (several_[v]) meeting_.push_back(b);
      if (is_first(v)) first_.push_back(b);
    }
  }
  /// The blocks that two different arms reach, ascending. O(1).
  [[nodiscard]] constexpr std::span<const block_id> meeting() const { return std::span<const block_id>(meeting_); }
  /// The meeting blocks to which two paths lead without a block in common, ascending. O(1).
  [[nodiscard]] constexpr std::span<const block_id> first() const { return std::span<const block_id>(first_); }

 private:
  // The part of the graph between the branch and its immediate post-dominator, as a graph of its own with the branch
  // twice: 0 is where paths begin, local_[branch] where they come back. Local numbers by order of discovery.
  constexpr void find_region(const Shape& g, block_id branch, block_id join) {
    local_.assign(g.num_blocks(), no_number);
    block_.clear();
    block_.push_back(branch);
    low_ = no_block;
    high_ = 0;
    for (std::size_t v = 0; v < block_.size(); ++v) {
      if (v != 0 && (block_[v] == branch || block_[v] == join)) continue;
      for (const block_id s : g.successors(block_[v])) {
        if (local_[s] != no_number) continue;
        local_[s] = static_cast<std::uint32_t>(block_.size());
        block_.push_back(s);
        if (s < low_) low_ = s;
        if (s > high_) high_ = s;
      }
    }
    csr_builder builder(block_.size());
    for (std::uint32_t v = 0; v < block_.size(); ++v) {
      if (v != 0 && (block_[v] == branch || block_[v] == join)) continue;
      for (const block_id s : g.successors(block_[v])) builder.add_edge(v, local_[s]);
    }
    region_ = builder.build();
  }

  // arm_: one arm that reaches the block; several_: two or more do. A block changes at most twice.
  constexpr void label_arms() {
    arm_.assign(block_.size(), no_number);
    several_.assign(block_.size(), 0);
    work_.clear();
    for (const std::uint32_t a : region_.successors(0)) label(a, a, false);
    while (!work_.empty()) {
      const std::uint32_t v = work_.back();
      work_.pop_back();
      for (const std::uint32_t s : region_.successors(v)) label(s, arm_[v], several_[v] != 0);
    }
  }
  constexpr void label(std::uint32_t v, std::uint32_t arm, bool several) {
    if (arm_[v] == no_number) {
      arm_[v] = arm;
      several_[v] = several;
    } else if (!several_[v] && (several || arm_[v] != arm)) {
      several_[v] = 1;
    } else {
      return;
    }
    work_.push_back(v);
  }

  // No block lies on all paths to v, and the branch's own edge to it, if any, is not the only way.
  [[nodiscard]] constexpr bool is_first(std::uint32_t v) const {
    if (tree_.idom(v) != 0) return false;
    bool arm = false, other = false;
    for (const std::uint32_t p : region_.predecessors(v)) {
      arm = arm || p == 0;
      other = other || (p != 0 && !tree_.dominates(v, p));
    }
    return !arm || other;
  }

  std::vector<block_id> meeting_, first_;
  // Workspace, kept for the next computation.
  csr_graph region_;
  std::vector<std::uint32_t> local_, arm_, work_;
  std::vector<block_id> block_;
  std::vector<unsigned char> several_;
  dominator_tree tree_;
  block_id low_ = 0, high_ = 0;
};

/// Over a csr_graph.
using branch_meetings = basic_branch_meetings<>;

}  // namespace dense
}  // namespace v0
}  // namespace simtflow
