// SPDX-License-Identifier: BSL-1.0
//
// The choice among several groups of a warp, for mechanisms that leave it open: independent thread scheduling with
// convergence barriers, dynamic warp subdivision. The order changes the fetched blocks only if groups join by chance.
// It decides whether a lane that spins lets another lane run.
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
namespace policies {

/// The orders in which groups that could run are chosen.
enum class selection_order : unsigned char {
  oldest,       ///< the group that has waited longest; lanes that join a group share its age. Fair
  round_robin,  ///< the group of the next lane, counted upwards from the lane that had the turn before. Fair
  lowest_pc,    ///< the group at the block that lies first in memory. Unfair
  highest_pc    ///< the group at the block that lies last in memory. Unfair
};

/// "oldest", "round-robin", "lowest-pc", "highest-pc".
[[nodiscard]] constexpr const char* to_string(selection_order order) {
  switch (order) {
    case selection_order::oldest:
      return "oldest";
    case selection_order::round_robin:
      return "round-robin";
    case selection_order::lowest_pc:
      return "lowest-pc";
    case selection_order::highest_pc:
      return "highest-pc";
  }
  return "";
}

namespace detail {

// Lanes that could run. Groups with different tags do not join.
template <class Mask>
struct ready_group {
  block_id block;
  std::uint32_t tag;
  bool yielded;  // true if it runs only when every group has yielded
  Mask lanes;
  friend constexpr bool operator==(const ready_group&, const ready_group&) = default;
};

// The groups of one warp that could run, the oldest first: never more groups than lanes.
template <class Mask>
class ready_list {
 public:
  constexpr ready_list(selection_order order, std::span<const std::uint32_t> rank) : order_(order), rank_(rank) {}

  constexpr void clear() {
    groups_.clear();
    turn_ = 0;
    num_yielded_ = 0;
  }

  // Adds lanes to the group that stands there already, if they may join a group, else as the youngest group. A group is
  // yielded only as long as all of its lanes are yielded. O(groups).
  constexpr void add(const ready_group<Mask>& g, bool join) {
    if (join)
      for (ready_group<Mask>& there : groups_)
        if (there.block == g.block && there.tag == g.tag) {
          there.lanes |= g.lanes;
          if (there.yielded && !g.yielded) {
            there.yielded = false;
            --num_yielded_;
          }
          return;
        }
    groups_.push_back(g);
    if (g.yielded) ++num_yielded_;
  }

  // Takes the group that runs next. O(groups).
  constexpr std::optional<ready_group<Mask>> take() {
    if (groups_.empty()) return std::nullopt;
    if (num_yielded_ == groups_.size()) {  // nobody is left to give way to
      for (ready_group<Mask>& g : groups_) g.yielded = false;
      num_yielded_ = 0;
    }
    std::size_t best = groups_.size();
    for (std::size_t i = 0; i < groups_.size(); ++i)
      if (!groups_[i].yielded && (best == groups_.size() || precedes(groups_[i], groups_[best]))) best = i;
    const ready_group<Mask> chosen = groups_[best];
    for (std::size_t i = best + 1; i < groups_.size(); ++i) groups_[i - 1] = groups_[i];
    groups_.pop_back();
    if (order_ == selection_order::round_robin) turn_ = next_lane(chosen.lanes) + 1;
    return chosen;
  }

  [[nodiscard]] constexpr std::span<const ready_group<Mask>> groups() const { return groups_; }

  // The lanes of yielded groups. O(groups).
  [[nodiscard]] constexpr Mask yielded() const {
    Mask lanes;
    if (num_yielded_ != 0)
      for (const ready_group<Mask>& g : groups_)
        if (g.yielded) lanes |= g.lanes;
    return lanes;
  }

  // True if both will answer alike forever, given the same calls.
  friend constexpr bool operator==(const ready_list& a, const ready_list& b) {
    return a.groups_ == b.groups_ && a.turn_ == b.turn_;
  }

 private:
  // The lane of a group that gets the first turn.
  constexpr std::uint32_t next_lane(const Mask& lanes) const {
    const Mask above = lanes - Mask::first_lanes(turn_);
    return above.any() ? above.first() : lanes.first();
  }
  constexpr std::uint32_t turns_until(const Mask& lanes) const {
    const std::uint32_t lane = next_lane(lanes);
    return lane >= turn_ ? lane - turn_ : lane + Mask::capacity - turn_;
  }
  constexpr std::uint32_t place(block_id b) const { return b < rank_.size() ? rank_[b] : b; }

  constexpr bool precedes(const ready_group<Mask>& a, const ready_group<Mask>& b) const {
    switch (order_) {
      case selection_order::round_robin:
        return turns_until(a.lanes) < turns_until(b.lanes);
      case selection_order::lowest_pc:
        return place(a.block) < place(b.block);
      case selection_order::highest_pc:
        return place(a.block) > place(b.block);
      case selection_order::oldest:
        break;
    }
    return false;  // b comes first in the list
  }

  selection_order order_;
  std::span<const std::uint32_t> rank_;  // by block: its place in memory; empty: blocks lie by id
  std::vector<ready_group<Mask>> groups_;
  std::size_t num_yielded_ = 0;
  std::uint32_t turn_ = 0;
};

}  // namespace detail

}  // namespace policies
}  // namespace v0
}  // namespace simtflow
