// SPDX-License-Identifier: BSL-1.0
//
// The two arms of a branch, and how an arm is cut into pieces.
#pragma once

#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/transform/meld_options.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

/// The two arms of a branch and their pieces. Arm 0 is the arm with the smaller number of its first block.
///
/// An arm is what one successor reaches before the join, the branch's immediate post-dominator. A *cut* of an arm is a
/// block that every path along the arm passes, and past which no path leads back to what lies before it. The cuts are
/// the first blocks of the pieces; a piece ends at the next cut, the last piece at the join.
class branch_arms {
 public:
  branch_arms() = default;

  /// Takes up branches of a graph. Facts and graph must outlive the questions. Complexity: as for both dominator trees.
  constexpr void compute(cfg_facts& facts) {
    const csr_graph& g = facts.graph();
    g_ = &g;
    up_ = &facts.dominators();
    down_ = &facts.post_dominators();
    arm_of_.assign(g.num_blocks(), 0);
    level_.assign(g.num_blocks(), none);
  }

  /// Finds both arms of a branch and cuts them. Returns meld_refusal::none, or why the branch has no such arms.
  /// \pre the branch has two different successors, and the entry reaches it.
  /// Complexity: O(blocks and edges of the arms).
  constexpr meld_refusal find(block_id branch) {
    const meld_refusal reason = find_blocks(branch);
    if (reason == meld_refusal::none)
      for (unsigned a = 0; a < 2; ++a) cut(a);
    for (const std::vector<block_id>& arm : arm_)
      for (const block_id b : arm) {
        arm_of_[b] = 0;
        level_[b] = none;
      }
    return reason;
  }

  /// The join of the last branch.
  [[nodiscard]] constexpr block_id join() const { return join_; }
  /// True if arm 0 is the one that slot 1 leads to.
  [[nodiscard]] constexpr bool exchanged() const { return exchanged_; }
  /// The blocks of an arm, its first block first. \pre find() returned none, here and below
  [[nodiscard]] constexpr std::span<const block_id> blocks(unsigned arm) const { return arm_[arm]; }
  /// The cuts of an arm in the order in which threads pass them, its first block first.
  [[nodiscard]] constexpr std::span<const block_id> cuts(unsigned arm) const { return cut_[arm]; }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;

  constexpr meld_refusal find_blocks(block_id branch) {
    const std::span<const block_id> out = g_->successors(branch);
    for (std::vector<block_id>& arm : arm_) arm.clear();
    join_ = down_->ipdom(branch);
    if (join_ == no_block) return meld_refusal::no_join;
    if (out[0] == join_ || out[1] == join_) return meld_refusal::empty_arm;
    exchanged_ = out[1] < out[0];
    for (unsigned a = 0; a < 2; ++a) {
      const block_id first = out[exchanged_ ? 1 - a : a];
      arm_[a].clear();
      if (arm_of_[first] != 0) return meld_refusal::arms_meet;
      arm_of_[first] = static_cast<unsigned char>(a + 1);
      arm_[a].push_back(first);
      for (std::size_t k = 0; k < arm_[a].size(); ++k)
        for (const block_id s : g_->successors(arm_[a][k])) {
          if (s == join_ || arm_of_[s] == a + 1) continue;
          if (s == branch) return meld_refusal::returns;
          if (arm_of_[s] != 0) return meld_refusal::arms_meet;
          arm_of_[s] = static_cast<unsigned char>(a + 1);
          arm_[a].push_back(s);
        }
    }
    for (unsigned a = 0; a < 2; ++a)
      for (const block_id b : arm_[a]) {
        if (b == g_->entry()) return meld_refusal::not_dominated;
        for (const block_id p : g_->predecessors(b))
          if (arm_of_[p] != a + 1 && p != branch) return meld_refusal::not_dominated;
      }
    return meld_refusal::none;
  }

  // The chain of post-dominators dominates what follows it in the arm, so that each block has a level: the last member
  // of the chain that dominates it. An edge to a lower level is a loop across the cuts between.
  constexpr void cut(unsigned a) {
    chain_.clear();
    for (block_id c = arm_[a][0]; c != join_; c = down_->ipdom(c)) {
      level_[c] = static_cast<std::uint32_t>(chain_.size());
      chain_.push_back(c);
    }
    for (const block_id b : arm_[a]) {
      work_.clear();
      block_id above = b;
      for (; level_[above] == none; above = up_->idom(above)) work_.push_back(above);
      for (const block_id below : work_) level_[below] = level_[above];
    }
    spanned_.assign(chain_.size() + 1, 0);
    for (const block_id b : arm_[a])
      for (const block_id s : g_->successors(b))
        if (s != join_ && level_[s] < level_[b]) {
          ++spanned_[level_[s] + 1];
          --spanned_[level_[b] + 1];
        }
    cut_[a].clear();
    std::int32_t spans = 0;
    for (std::uint32_t c = 0; c < chain_.size(); ++c) {
      spans += spanned_[c];
      if (c == 0 || spans == 0) cut_[a].push_back(chain_[c]);
    }
  }

  const csr_graph* g_ = nullptr;
  const dense::dominator_tree* up_ = nullptr;
  const dense::post_dominator_tree* down_ = nullptr;
  block_id join_ = no_block;
  bool exchanged_ = false;
  std::vector<block_id> arm_[2], cut_[2];  // blocks
  std::vector<unsigned char> arm_of_;      // by block: 0, or the arm and 1; 0 between branches
  std::vector<std::uint32_t> level_;       // by block of an arm, see cut(); none between branches
  std::vector<block_id> chain_, work_;
  std::vector<std::int32_t> spanned_;  // by member of the chain: how many more loops span it than the one before
};

}  // namespace detail

}  // namespace v0
}  // namespace simtflow
