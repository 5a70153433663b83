// SPDX-License-Identifier: BSL-1.0
//
// Two machines that never merge, the lower bounds for comparisons of reconvergence:
//
//   no_reconvergence  groups run together until they split, and then never again. They take turns.
//   mimd              every lane runs alone. The lanes take turns. A fair lane_serial.
//
// A machine without reconvergence executes a block once for every distinct beginning of its lanes' paths; MIMD executes
// it once for every visit. GPGPU-Sim had both until 2010 as models to compare with. Neither machine needs any analysis;
// both are fair.
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

/// Groups of one warp that only ever split: a queue, first come, first served. Every step is O(targets) amortised.
template <class Mask>
class basic_no_reconvergence {
 public:
  using mask_type = Mask;                                           ///< lanes of one warp
  static constexpr progress_class progress = progress_class::fair;  ///< what it promises

  /// One group.
  constexpr void start(const basic_fragment<Mask>& f) {
    queue_.assign(1, f);
    first_ = 0;
  }

  /// The group that has waited longest.
  constexpr std::optional<basic_fragment<Mask>> next() {
    if (first_ == queue_.size()) return std::nullopt;
    const basic_fragment<Mask> f = queue_[first_++];
    if (2 * first_ >= queue_.size()) {  // the queue moves to the front of its memory
      for (std::size_t i = first_; i < queue_.size(); ++i) queue_[i - first_] = queue_[i];
      for (; first_ > 0; --first_) queue_.pop_back();
    }
    return f;
  }

  /// The group's parts queue up.
  constexpr void advance(const basic_fragment<Mask>&, std::span<const basic_fragment<Mask>> out) {
    for (const auto& o : out) queue_.push_back(o);
  }

  /// Nothing to do: next() has taken the lanes out already.
  constexpr void park(const basic_fragment<Mask>&) {}
  /// A group comes back.
  constexpr void release(const basic_fragment<Mask>& f) { queue_.push_back(f); }

  /// True: groups only ever split.
  [[nodiscard]] static constexpr bool never_joins() { return true; }

  /// Groups, including the group that next() named last.
  [[nodiscard]] constexpr std::size_t depth() const { return queue_.size() - first_ + 1; }

  /// The same queue.
  friend constexpr bool operator==(const basic_no_reconvergence& a, const basic_no_reconvergence& b) {
    if (a.depth() != b.depth()) return false;
    for (std::size_t i = a.first_, k = b.first_; i < a.queue_.size(); ++i, ++k)
      if (!(a.queue_[i] == b.queue_[k])) return false;
    return true;
  }

 private:
  std::vector<basic_fragment<Mask>> queue_;
  std::size_t first_ = 0;  // next() has named the entries before it
};

/// Groups of a warp of up to 64 lanes.
using no_reconvergence = basic_no_reconvergence<lane_mask>;

/// Lanes of one warp in turns: the lowest ready lane above the lane that ran last; after the highest ready lane, the
/// lowest. A step is O(mask words).
template <class Mask>
class basic_mimd {
 public:
  using mask_type = Mask;                                           ///< lanes of one warp
  static constexpr progress_class progress = progress_class::fair;  ///< what it promises

  /// Every lane is ready at f.block. O(lanes).
  constexpr void start(const basic_fragment<Mask>& f) {
    block_.assign(Mask::capacity, no_block);
    ready_ = {};
    turn_ = 0;
    release(f);
  }

  /// The lane that runs next.
  constexpr std::optional<basic_fragment<Mask>> next() {
    if (ready_.none()) return std::nullopt;
    const Mask above = ready_ - Mask::first_lanes(turn_);
    const std::uint32_t lane = above.any() ? above.first() : ready_.first();
    turn_ = lane + 1;
    return basic_fragment<Mask>{block_[lane], Mask::lane(lane)};
  }

  /// The lane goes on, or has ended.
  constexpr void advance(const basic_fragment<Mask>& f, std::span<const basic_fragment<Mask>> out) {
    if (out.empty())
      ready_ -= f.lanes;
    else
      block_[f.lanes.first()] = out[0].block;
  }

  /// The lane that ran waits.
  constexpr void park(const basic_fragment<Mask>& f) { ready_ -= f.lanes; }
  /// Lanes come back at a block. O(lanes).
  constexpr void release(const basic_fragment<Mask>& f) {
    ready_ |= f.lanes;
    f.lanes.for_each([&](std::uint32_t lane) { block_[lane] = f.block; });
  }

  /// True: every lane is a group of its own.
  [[nodiscard]] static constexpr bool never_joins() { return true; }

  /// Lanes that do not wait.
  [[nodiscard]] constexpr std::size_t depth() const { return ready_.count(); }

  /// The same lanes at the same blocks, with the same lane to run next.
  friend constexpr bool operator==(const basic_mimd& a, const basic_mimd& b) {
    return a.ready_ == b.ready_ && a.turn_ == b.turn_ && a.block_ == b.block_;
  }

 private:
  std::vector<block_id> block_;  // by lane: where it goes on
  Mask ready_{};
  std::uint32_t turn_ = 0;
};

/// Lanes of a warp of up to 64.
using mimd = basic_mimd<lane_mask>;

}  // namespace policies
}  // namespace v0
}  // namespace simtflow
