// SPDX-License-Identifier: BSL-1.0
//
// Reconvergence at thread frontiers with a sorted stack (TF-STACK): waiting lanes are kept by block in priority order,
// the highest priority runs, and lanes that come to a block where others wait join them on arrival.
//
// Follows Diamos et al.: SIMD Re-Convergence At Thread Frontiers (MICRO 2011), sections 4 and 5.2. Right results need
// only a total order; good ones need a loop-contiguous order (analysis/priorities.hpp).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/mask.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The sorted stack of one warp: at most one entry for each block.
template <class Mask>
class basic_thread_frontier {
 public:
  using mask_type = Mask;

  /// `rank[b]` is the priority of b, 0 the highest, no two alike (priority_order::ranks()). The span must outlive the
  /// policy.
  constexpr explicit basic_thread_frontier(std::span<const std::uint32_t> rank) : rank_(rank) {}

  /// One waiting entry. O(1).
  constexpr void start(const basic_fragment<Mask>& f) { waiting_.assign(1, f); }

  /// The waiting entry of highest priority. O(1).
  constexpr std::optional<basic_fragment<Mask>> next() {
    if (waiting_.empty()) return std::nullopt;
    const basic_fragment<Mask> f = waiting_.back();
    waiting_.pop_back();
    return f;
  }

  /// O(entries) for each target; the paper's hardware takes one cycle for each entry walked.
  constexpr void advance(const basic_fragment<Mask>&, std::span<const basic_fragment<Mask>> out) {
    for (const auto& o : out) insert(o);
  }

  /// Nothing to do: next() has taken the lanes out already.
  constexpr void park(const basic_fragment<Mask>&) {}
  /// Lanes come back at a block and join those that wait there. O(entries).
  constexpr void release(const basic_fragment<Mask>& f) { insert(f); }

  /// Entries, counting the one that next() handed out last.
  [[nodiscard]] constexpr std::size_t depth() const { return waiting_.size() + 1; }

  /// The waiting entries, lowest priority first.
  [[nodiscard]] constexpr std::span<const basic_fragment<Mask>> waiting() const { return waiting_; }

 private:
  constexpr void insert(const basic_fragment<Mask>& f) {
    SIMTFLOW_EXPECTS(f.block < rank_.size(), "every block that runs has a priority");
    std::size_t at = waiting_.size();
    while (at > 0 && rank_[waiting_[at - 1].block] < rank_[f.block]) --at;
    if (at > 0 && waiting_[at - 1].block == f.block) {
      waiting_[at - 1].lanes |= f.lanes;
      return;
    }
    waiting_.push_back(f);
    for (std::size_t i = waiting_.size() - 1; i > at; --i) waiting_[i] = waiting_[i - 1];
    waiting_[at] = f;
  }

  std::span<const std::uint32_t> rank_;
  std::vector<basic_fragment<Mask>> waiting_;  // lowest priority first, so that the next one is at the back
};

/// The sorted stack of a warp of up to 64 lanes.
using thread_frontier = basic_thread_frontier<lane_mask>;

}  // namespace v0
}  // namespace simtflow
