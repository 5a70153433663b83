// SPDX-License-Identifier: BSL-1.0
//
// Thread frontiers on a machine that cannot look for waiting lanes (TF-SANDY): every lane has a program counter, and so
// has the warp. The warp runs the lanes with a counter equal to its own. Blocks lie in memory by priority. After a
// block the warp branches conservatively, to the first place where lanes may wait. From there on it falls through
// blocks where nobody stands; overhead() counts these no-op fetches.
//
// Follows Diamos et al.: SIMD Re-Convergence At Thread Frontiers (MICRO 2011), sections 4.2 and 5.1. A table gives the
// target of the warp: the block of highest priority among the frontier and *all* static successors of a block. With a
// frontier that holds every block where lanes may wait (analysis/thread_frontiers.hpp) the warp passes no waiting lane,
// whatever the order. With a smaller frontier, from the paper's Algorithm 1 for example, the warp may pass waiting
// lanes, and the run ends as outcome::lost_threads.
//
// A barrier needs all live lanes (barrier_model::whole_warp or the like): the machine has no way to put part of a warp
// aside. Blocks contain their explicit jumps already (a trace and a graph have no fall-through), so overhead() counts
// no jumps.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace policies {

/// The table of conservative branches for basic_conservative_branch, by block, from anything that has num_blocks() and
/// conservative_target(block): `conservative_targets(sets.ids())` after `auto sets = thread_frontiers(g, order)`.
/// O(blocks).
template <class Frontiers>
[[nodiscard]] constexpr std::vector<block_id> conservative_targets(const Frontiers& frontiers) {
  std::vector<block_id> targets;
  targets.assign(frontiers.num_blocks(), no_block);
  for (block_id b = 0; b < targets.size(); ++b) targets[b] = frontiers.conservative_target(b);
  return targets;
}

/// Program counters of one warp and its lanes. The schedule is the schedule of thread frontiers. Progress: none,
/// because part of a warp cannot be put aside at a barrier.
template <class Mask>
class basic_conservative_branch {
 public:
  using mask_type = Mask;                                           ///< lanes of one warp
  static constexpr progress_class progress = progress_class::none;  ///< what it promises

  /// All spans must outlive the policy.
  ///
  /// \param layout  the blocks as they lie in memory, highest priority first (priority_order::ids().order()).
  /// \param rank    by block: its position in the layout (priority_order::ranks()).
  /// \param target  by block: where the warp branches after it; no_block: past the end of the code.
  /// \param weight  by block: its instructions, for overhead(); blocks beyond the end of the table have one.
  constexpr basic_conservative_branch(std::span<const block_id> layout, std::span<const std::uint32_t> rank,
                                      std::span<const block_id> target, std::span<const std::uint32_t> weight = {})
      : layout_(layout), rank_(rank), target_(target), weight_(weight) {}

  /// All lanes and the warp stand at f.block. O(blocks).
  constexpr void start(const basic_fragment<Mask>& f) {
    here_.assign(layout_.size(), Mask{});
    live_ = f.lanes;
    no_ops_ = overhead_ = 0;
    position_ = position(f.block);
    here_[position_] = f.lanes;
  }

  /// Fetches blocks in memory order until lanes stand at the fetched block; empty if the code ends before. O(1) for
  /// each no-op.
  constexpr std::optional<basic_fragment<Mask>> next() {
    for (; position_ < layout_.size(); ++position_) {
      const block_id b = layout_[position_];
      if (here_[position_].any()) return basic_fragment<Mask>{b, here_[position_]};
      ++no_ops_;
      overhead_ += b < weight_.size() ? weight_[b] : 1;
    }
    return std::nullopt;
  }

  /// Sets the lanes' counters. The warp follows the lanes if all live lanes have run the block and go to one place;
  /// otherwise it takes the conservative branch. O(targets).
  constexpr void advance(const basic_fragment<Mask>& f, std::span<const basic_fragment<Mask>> out) {
    SIMTFLOW_EXPECTS(position_ < layout_.size() && layout_[position_] == f.block,
                     "the fragment that advances is the one next() named");
    const bool together = f.lanes == live_ && out.size() == 1;
    here_[position_] -= f.lanes;
    live_ -= f.lanes;
    for (const auto& o : out) {
      here_[position(o.block)] |= o.lanes;
      live_ |= o.lanes;
    }
    if (together) {
      position_ = position(out[0].block);
    } else {
      SIMTFLOW_EXPECTS(f.block < target_.size(), "every block that runs has a conservative target");
      const block_id to = target_[f.block];
      position_ = to == no_block ? layout_.size() : position(to);
    }
  }

  /// Blocks fetched since start() at which no lane stood. Their instructions are overhead(), executed for nobody.
  [[nodiscard]] constexpr std::uint64_t no_op_fetches() const { return no_ops_; }
  /// Instructions of those blocks.
  [[nodiscard]] constexpr std::size_t overhead() const { return static_cast<std::size_t>(overhead_); }

  /// The same program counters. O(blocks).
  friend constexpr bool operator==(const basic_conservative_branch& a, const basic_conservative_branch& b) {
    return a.position_ == b.position_ && a.here_ == b.here_;
  }

 private:
  constexpr std::size_t position(block_id b) const {
    SIMTFLOW_EXPECTS(b < rank_.size() && rank_[b] < layout_.size(), "every block that runs lies in the layout");
    return rank_[b];
  }

  std::span<const block_id> layout_;
  std::span<const std::uint32_t> rank_;
  std::span<const block_id> target_;
  std::span<const std::uint32_t> weight_;
  std::size_t position_ = 0;  // of the warp
  std::vector<Mask> here_;    // by position: the lanes with counters that point there
  Mask live_{};
  std::uint64_t no_ops_ = 0, overhead_ = 0;
};

/// Program counters of a warp of up to 64 lanes.
using conservative_branch = basic_conservative_branch<lane_mask>;

}  // namespace policies
}  // namespace v0
}  // namespace simtflow
