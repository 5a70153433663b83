// SPDX-License-Identifier: BSL-1.0
//
// Each lane alone: the lowest live lane runs until it ends or waits at a barrier, then the next. No lane ever runs
// together with another, so nothing can reconverge wrongly: this is the oracle for the results of every other policy.
// Run it with barrier_model::thread_arrival. At a collective of the warp (program_with_collectives) a lane waits until
// the other lanes that take part have come, one after the other. They execute the collective together and separate
// again.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policy.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace policies {

/// Lanes of one warp, one after the other. Progress: a lane that spins for another lane never lets the other lane run;
/// lanes that wait at barriers do.
template <class Mask>
class basic_lane_serial {
 public:
  using mask_type = Mask;                                                    ///< lanes of one warp
  static constexpr progress_class progress = progress_class::lockstep_safe;  ///< what it promises

  /// Every lane is ready at f.block. O(lanes).
  constexpr void start(const basic_fragment<Mask>& f) {
    ready_.clear();
    release(f);
  }

  /// The lowest lane that does not wait. O(1).
  constexpr std::optional<basic_fragment<Mask>> next() {
    if (ready_.empty()) return std::nullopt;
    return ready_.back();
  }

  /// The lane goes on, or has ended. O(1).
  constexpr void advance(const basic_fragment<Mask>&, std::span<const basic_fragment<Mask>> out) {
    if (out.empty())
      ready_.pop_back();
    else
      ready_.back() = out[0];
  }

  /// The lane that ran waits. O(1).
  constexpr void park(const basic_fragment<Mask>&) { ready_.pop_back(); }

  /// Lanes come back at a block; the lowest lane of all is always the next to run. O(lanes of f times ready lanes).
  constexpr void release(const basic_fragment<Mask>& f) {
    f.lanes.for_each([&](std::uint32_t lane) {
      std::size_t at = ready_.size();
      ready_.push_back({f.block, Mask::lane(lane)});
      for (; at > 0 && ready_[at - 1].lanes.first() < lane; --at) ready_[at] = ready_[at - 1];
      ready_[at] = {f.block, Mask::lane(lane)};
    });
  }

  /// True: every lane is a group of its own.
  [[nodiscard]] static constexpr bool never_joins() { return true; }

  /// The same lanes at the same blocks. O(lanes).
  friend constexpr bool operator==(const basic_lane_serial& a, const basic_lane_serial& b) {
    return a.ready_ == b.ready_;
  }

 private:
  std::vector<basic_fragment<Mask>> ready_;  // one entry a lane, highest lane first
};

/// Lanes of a warp of up to 64.
using lane_serial = basic_lane_serial<lane_mask>;

}  // namespace policies
}  // namespace v0
}  // namespace simtflow
