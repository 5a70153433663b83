// SPDX-License-Identifier: BSL-1.0
//
// Reconvergence at thread frontiers with a sorted stack (TF-STACK): the stack keeps waiting lanes by block in priority
// order. The highest priority runs, and lanes that come to a block where others wait join them on arrival.
//
// Follows Diamos et al.: SIMD Re-Convergence At Thread Frontiers (MICRO 2011), sections 4 and 5.2. Right results need
// only a total order; good results need a loop-contiguous order (analysis/priorities.hpp).
//
// Progress: lanes that spin at a block of high priority keep all other lanes from running, so the order decides whether
// a spin lock ends. But lanes never wait for each other, so a barrier opens wherever its lanes come to it.
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

/// The sorted stack of one warp: at most one entry for each block.
template <class Mask>
class basic_thread_frontier {
 public:
  using mask_type = Mask;                                                    ///< lanes of one warp
  static constexpr progress_class progress = progress_class::lockstep_safe;  ///< what it promises

  /// `rank[b]` is the priority of b, 0 the highest, no two alike
  /// (priority_order::ranks()). The span must outlive the policy.
  constexpr explicit basic_thread_frontier(std::span<const std::uint32_t> rank) : rank_(rank) {}

  /// One waiting entry; all counters are zero. O(1).
  constexpr void start(const basic_fragment<Mask>& f) {
    waiting_.assign(1, f);
    insertions_ = merges_ = walked_ = 0;
    longest_walk_ = 0;
    for (std::uint64_t& n : walks_) n = 0;
  }

  /// The waiting entry of highest priority. O(1).
  constexpr std::optional<basic_fragment<Mask>> next() {
    if (waiting_.empty()) return std::nullopt;
    const basic_fragment<Mask> f = waiting_.back();
    waiting_.pop_back();
    return f;
  }

  /// O(entries) for each target; the paper's hardware takes one cycle for each
  /// entry walked.
  constexpr void advance(const basic_fragment<Mask>&, std::span<const basic_fragment<Mask>> out) {
    for (const auto& o : out) insert(o);
  }

  /// Nothing to do: next() has taken the lanes out already.
  constexpr void park(const basic_fragment<Mask>&) {}
  /// Lanes come back at a block and join the lanes that wait there. O(entries).
  constexpr void release(const basic_fragment<Mask>& f) { insert(f); }

  /// Entries, including the entry that next() named last.
  [[nodiscard]] constexpr std::size_t depth() const { return waiting_.size() + 1; }

  /// The waiting entries, lowest priority first.
  [[nodiscard]] constexpr std::span<const basic_fragment<Mask>> waiting() const { return waiting_; }

  /// The same waiting entries; counters do not matter.
  friend constexpr bool operator==(const basic_thread_frontier& a, const basic_thread_frontier& b) {
    return a.waiting_ == b.waiting_;
  }

  // Statistics of the stack since start(). Every group that goes on is inserted, even if it goes on alone.

  /// Groups put into the stack, including groups that merged.
  [[nodiscard]] constexpr std::uint64_t insertions() const { return insertions_; }
  /// Groups that found their block in the stack and joined its entry.
  [[nodiscard]] constexpr std::uint64_t merges() const { return merges_; }
  /// Cycles that all insertions took: the entries that each insertion compared with, at least one for each insertion.
  [[nodiscard]] constexpr std::uint64_t entries_walked() const { return walked_; }
  /// The most cycles that one insertion took; 0 without insertions. Never more than the warp has lanes.
  [[nodiscard]] constexpr std::size_t longest_walk() const { return longest_walk_; }
  /// The insertions that took 1, 2, ..., 7 cycles, and 8 cycles or more.
  [[nodiscard]] constexpr std::span<const std::uint64_t, 8> walks() const { return walks_; }

 private:
  constexpr void insert(const basic_fragment<Mask>& f) {
    SIMTFLOW_EXPECTS(f.block < rank_.size(), "every block that runs has a priority");
    const std::size_t size = waiting_.size();
    std::size_t at = size;
    while (at > 0 && rank_[waiting_[at - 1].block] < rank_[f.block]) --at;
    const std::size_t walk =
        size == 0 ? 1 : size - at + (at > 0 ? 1 : 0);  // the walk compares with the entry that stops it
    ++insertions_;
    walked_ += walk;
    if (walk > longest_walk_) longest_walk_ = walk;
    ++walks_[(walk < 8 ? walk : 8) - 1];
    if (at > 0 && waiting_[at - 1].block == f.block) {
      waiting_[at - 1].lanes |= f.lanes;
      ++merges_;
      return;
    }
    waiting_.push_back(f);
    for (std::size_t i = size; i > at; --i) waiting_[i] = waiting_[i - 1];
    waiting_[at] = f;
  }

  std::span<const std::uint32_t> rank_;
  std::vector<basic_fragment<Mask>> waiting_;  // lowest priority first, so that the next entry is at the back
  std::uint64_t insertions_ = 0, merges_ = 0, walked_ = 0;
  std::uint64_t walks_[8]{};  // insertions by cycles
  std::size_t longest_walk_ = 0;
};

/// The sorted stack of a warp of up to 64 lanes.
using thread_frontier = basic_thread_frontier<lane_mask>;

}  // namespace policies
}  // namespace v0
}  // namespace simtflow
