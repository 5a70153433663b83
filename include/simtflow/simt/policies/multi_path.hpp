// SPDX-License-Identifier: BSL-1.0
//
// Multi-path execution. Instead of a stack there are two tables. The *splits* are groups of lanes that can all run;
// each knows its reconvergence point. The *meetings* (the papers' reconvergence table) are reconvergence points where
// lanes wait; a meeting knows all lanes that reconverge there, and the lanes that are still to come. A branch replaces
// its split by one split for each path. Unless the split is on its way to the same point, the branch opens a meeting at
// its immediate post-dominator. When the last lane has come or ended, the meeting becomes a split again.
//
// Follows ElTantawy, Ma, O'Connor, Aamodt: A Scalable Multi-Path Microarchitecture for Efficient GPU Control Flow (HPCA
// 2014). The first parameter is the split that runs next. The second is opportunistic early reconvergence (default:
// no): two splits on their way to the same meeting join if they stand at the same block. The third is the time-out of
// AWARE (aware.hpp; default: none): when a meeting has waited longer, the lanes that have come go on without the
// others, which reconverge by themselves. Chosen here: splits on their way to different meetings never join; when no
// split can run, lanes do not wait for the time-out.
//
// Needs immediate post-dominators; any other table also works. Without early joins and time-out the policy fetches the
// blocks that a post-dominator stack fetches. Progress: none.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policies/multi_path_options.hpp>
#include <simtflow/simt/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace policies {

/// The tables of one warp. Lanes that wait at a barrier (park, release) cannot run, but their meeting still expects
/// them.
template <class Mask>
class basic_multi_path {
 public:
  using mask_type = Mask;                                           ///< lanes of one warp
  static constexpr progress_class progress = progress_class::none;  ///< what it promises
  static constexpr std::uint32_t nowhere = 0xFFFF'FFFFU;            ///< in place of a meeting: lanes without one

  /// Lanes that can run `block`, on their way to a meeting (its number, or nowhere).
  struct split {
    block_id block;         ///< the block to run
    std::uint32_t meeting;  ///< the meeting that they are going to
    Mask lanes;             ///< the lanes that can run
    friend constexpr bool operator==(const split&, const split&) = default;
  };
  /// A reconvergence at `block`: all its lanes, and the lanes that are still to come. The lanes then go on to the
  /// meeting `outer`.
  struct meeting {
    block_id block;       ///< where they reconverge; no_block: this row is free
    std::uint32_t outer;  ///< the meeting that they go to then, together; nowhere: there is no further meeting
    Mask lanes;           ///< all lanes of the meeting
    Mask pending;         ///< the lanes that have not come yet
    std::uint64_t since;  ///< the step in which the first waiting lane came
  };

  /// `ipdom[b]` is as for an ipdom_stack. The span must outlive the policy.
  constexpr explicit basic_multi_path(std::span<const block_id> ipdom, multi_path_options options = {})
      : ipdom_(ipdom), options_(options) {}

  /// One split on its way nowhere. O(1).
  constexpr void start(const basic_fragment<Mask>& f) {
    splits_.assign(1, {f.block, nowhere, f.lanes});
    meetings_.clear();
    free_.clear();
    parked_.clear();
    flying_.clear();
    step_ = 0;
    chosen_ = nowhere;
  }

  /// The split that runs next. O(1), O(meetings) with a time-out.
  constexpr std::optional<basic_fragment<Mask>> next() {
    settle();
    if (splits_.empty()) return std::nullopt;
    const split& s = splits_[turn()];
    return basic_fragment<Mask>{s.block, s.lanes};
  }

  /// The split that next() would name. It is in flight until it advances or parks: no split joins it. Splits run
  /// independently of each other (overlapping_policy). As next(), plus O(splits).
  constexpr std::optional<basic_fragment<Mask>> take() {
    settle();
    if (splits_.empty()) return std::nullopt;
    flying_.push_back(remove(turn()));
    return basic_fragment<Mask>{flying_.back().block, flying_.back().lanes};
  }

  /// \pre f is what next() named last, or in flight. O(targets + splits), plus O(meetings) when lanes have ended;
  /// early_join: O(targets * splits).
  constexpr void advance(const basic_fragment<Mask>& f, std::span<const basic_fragment<Mask>> out) {
    split s = running(f);
    Mask ended = f.lanes;
    for (const auto& o : out) ended -= o.lanes;
    const std::uint32_t before = s.meeting;
    if (out.size() > 1) s.meeting = open_meeting(f.block, before, f.lanes - ended);
    if (options_.schedule == split_schedule::depth_first) {
      for (std::size_t i = out.size(); i-- > 0;) place({out[i].block, s.meeting, out[i].lanes});
    } else {
      for (const auto& o : out) place({o.block, s.meeting, o.lanes});
    }
    if (ended.any()) forget(ended, before);
  }

  /// The split that ran waits at a barrier. If its lanes diverge after the barrier, they will reconverge as after any
  /// branch. \pre f is what next() named last, or in flight. O(splits).
  constexpr void park(const basic_fragment<Mask>& f) {
    split s = running(f);
    s.meeting = open_meeting(f.block, s.meeting, f.lanes);
    parked_.push_back({s.meeting, f.lanes});
  }
  /// Lanes come back at a block. \pre they were parked together. O(parked splits).
  constexpr void release(const basic_fragment<Mask>& f) { place({f.block, unpark(f.lanes), f.lanes}); }
  /// Lanes that were parked together have ended. O(parked splits + meetings).
  constexpr void ended(const Mask& lanes) { forget(lanes, unpark(lanes)); }

  /// The number of splits that could run now, including the split that next() would name. O(1) to O(meetings), as
  /// next().
  [[nodiscard]] constexpr std::size_t num_ready() {
    settle();
    return splits_.size();
  }
  /// The i-th split that could run now, oldest first. \pre i < num_ready().
  [[nodiscard]] constexpr basic_fragment<Mask> ready(std::size_t i) const {
    SIMTFLOW_EXPECTS(i < splits_.size(), "a split that is ready");
    return {splits_[i].block, splits_[i].lanes};
  }
  /// Makes the i-th ready split the split that next() names, once. \pre i < num_ready().
  constexpr void select(std::size_t i) {
    SIMTFLOW_EXPECTS(i < splits_.size(), "a split that is ready");
    chosen_ = static_cast<std::uint32_t>(i);
  }

  /// Splits, the running splits included, and meetings. O(1).
  [[nodiscard]] constexpr std::size_t depth() const {
    return splits_.size() + flying_.size() + meetings_.size() - free_.size();
  }
  /// The lanes that wait at a meeting. O(meetings).
  [[nodiscard]] constexpr Mask blocked() const {
    Mask lanes;
    for (const meeting& m : meetings_) lanes |= m.lanes - m.pending;
    return lanes;
  }
  /// The splits that can run, oldest first.
  [[nodiscard]] constexpr std::span<const split> splits() const { return std::span<const split>(splits_); }
  /// The meetings by number; rows with the block no_block are free.
  [[nodiscard]] constexpr std::span<const meeting> meetings() const { return std::span<const meeting>(meetings_); }

  /// The same splits and meetings; with a time-out, lanes must also have waited equally long at the meetings. O(lanes).
  friend constexpr bool operator==(const basic_multi_path& a, const basic_multi_path& b) {
    if (a.splits_ != b.splits_ || a.parked_ != b.parked_ || a.free_ != b.free_ || a.chosen_ != b.chosen_ ||
        a.meetings_.size() != b.meetings_.size())
      return false;
    for (std::size_t i = 0; i < a.meetings_.size(); ++i) {
      const meeting &m = a.meetings_[i], &n = b.meetings_[i];
      if (m.block != n.block || m.outer != n.outer || !(m.lanes == n.lanes) || !(m.pending == n.pending)) return false;
      if (a.options_.timeout != 0 && !(m.pending == m.lanes) && a.step_ - m.since != b.step_ - n.since) return false;
    }
    return true;
  }

 private:
  struct parked_split {
    std::uint32_t meeting;
    Mask lanes;
    friend constexpr bool operator==(const parked_split&, const parked_split&) = default;
  };

  [[nodiscard]] constexpr std::size_t turn() const {
    if (chosen_ < splits_.size()) return chosen_;
    return options_.schedule == split_schedule::depth_first ? splits_.size() - 1 : 0;
  }
  // Takes split i out of the splits that can run.
  constexpr split remove(std::size_t i) {
    const split s = splits_[i];
    for (; i + 1 < splits_.size(); ++i) splits_[i] = splits_[i + 1];
    splits_.pop_back();
    chosen_ = nowhere;
    return s;
  }
  // The split of a fragment that has run: the fragment is in flight, or next() has named it.
  constexpr split running(const basic_fragment<Mask>& f) {
    ++step_;
    for (std::size_t i = 0; i < flying_.size(); ++i)
      if ((flying_[i].lanes & f.lanes).any()) {
        const split s = flying_[i];
        flying_[i] = flying_.back();
        flying_.pop_back();
        return s;
      }
    SIMTFLOW_EXPECTS(!splits_.empty() && splits_[turn()].block == f.block,
                     "the fragment that advances is the one next() named");
    return remove(turn());
  }

  // The meeting for the paths of a branch: the meeting that its split is going to already, or a new meeting.
  constexpr std::uint32_t open_meeting(block_id branch, std::uint32_t outer, const Mask& lanes) {
    SIMTFLOW_EXPECTS(branch < ipdom_.size(), "every block that runs has a place in the table of post-dominators");
    const block_id meet = ipdom_[branch];
    if (meet == no_block || (outer != nowhere && meetings_[outer].block == meet)) return outer;
    if (free_.empty()) {
      meetings_.push_back({});
      free_.push_back(static_cast<std::uint32_t>(meetings_.size() - 1));
    }
    const std::uint32_t m = free_.back();
    free_.pop_back();
    meetings_[m] = {meet, outer, lanes, lanes, 0};
    return m;
  }

  // Lanes come to a block: to their meeting, to another split, or as a split of their own.
  constexpr void place(const split& s) {
    if (s.meeting != nowhere && meetings_[s.meeting].block == s.block) {
      meeting& m = meetings_[s.meeting];
      if (m.pending == m.lanes) m.since = step_;
      m.pending -= s.lanes;
      close_if_complete(s.meeting);
      return;
    }
    if (options_.early_join)
      for (split& other : splits_)
        if (other.block == s.block && other.meeting == s.meeting) {
          other.lanes |= s.lanes;
          return;
        }
    splits_.push_back(s);
  }
  // Returns true if the meeting has closed.
  constexpr bool close_if_complete(std::uint32_t number) {
    const meeting m = meetings_[number];
    if (m.pending.any()) return false;
    meetings_[number] = {no_block, nowhere, {}, {}, 0};
    free_.push_back(number);
    if (m.lanes.any()) place({m.block, m.outer, m.lanes});
    return true;
  }
  // Lanes on their way to a meeting have ended: nobody waits for them, there or at the meetings after it.
  constexpr void forget(const Mask& ended, std::uint32_t number) {
    while (number != nowhere) {
      meeting& m = meetings_[number];
      const std::uint32_t outer = m.outer;
      m.lanes -= ended;
      m.pending -= ended;
      close_if_complete(number);
      number = outer;
    }
  }

  // Takes lanes of one parked split; returns the meeting that they are going to.
  constexpr std::uint32_t unpark(const Mask& lanes) {
    std::size_t i = 0;
    while (i < parked_.size() && (parked_[i].lanes & lanes).none()) ++i;
    SIMTFLOW_EXPECTS(i < parked_.size() && lanes.is_subset_of(parked_[i].lanes), "lanes come back that were parked");
    const std::uint32_t at = parked_[i].meeting;
    parked_[i].lanes -= lanes;
    if (parked_[i].lanes.none()) {
      parked_[i] = parked_.back();
      parked_.pop_back();
    }
    return at;
  }

  // Between two turns: lets the time of meetings run out.
  constexpr void settle() {
    if (options_.timeout == 0) return;
    for (std::uint32_t m = 0; m < meetings_.size(); ++m)
      if (step_ - meetings_[m].since >= options_.timeout) let_go(m);
    for (std::uint32_t m = 0; m < meetings_.size() && splits_.empty() && flying_.empty(); ++m) let_go(m);
  }
  constexpr void let_go(std::uint32_t number) {
    meeting& m = meetings_[number];
    if (m.block == no_block || m.pending == m.lanes) return;
    const split s{m.block, m.outer, m.lanes - m.pending};
    m.lanes = m.pending;
    place(s);
  }

  std::span<const block_id> ipdom_;
  multi_path_options options_;
  std::vector<split> splits_;  // oldest first
  std::vector<split> flying_;  // named by take(), and not advanced since
  std::vector<meeting> meetings_;
  std::vector<std::uint32_t> free_;
  std::vector<parked_split> parked_;
  std::uint64_t step_ = 0;
  std::uint32_t chosen_ = nowhere;
};

/// The tables of a warp of up to 64 lanes.
using multi_path = basic_multi_path<lane_mask>;

}  // namespace policies
}  // namespace v0
}  // namespace simtflow
