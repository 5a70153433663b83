// SPDX-License-Identifier: BSL-1.0
//
// Stack-less reconvergence, min(SP, PC): the deepest call runs first; within it, the block that lies first in memory
// runs first. Lanes at one block of one call depth are one path; the paths are a sorted list.
//
// Follows Collange: Stack-less SIMT reconvergence at low cost (2011), with the path list of Collange: Simty
// (CARRV 2017) and Brunie, Collange: Path list traversal (Inria RR-9073, 2017). The stack pointer stands for the call
// depth: stacks grow downwards, so the smallest stack pointer is the deepest call. Without calls this policy is
// TF-STACK with the layout as priority order, and as unfair. It needs no analysis, only a layout in which a block where
// paths reconverge lies after the code that leads there.
//
// Masks of paths are disjoint, so the list never holds more paths than the warp has lanes; hardware with a slot for
// each lane cannot overflow.
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

/// The path list of one warp: at most one entry for each block and call depth.
template <class Mask>
class basic_min_pc {
 public:
  using mask_type = Mask;                                                    ///< lanes of one warp
  static constexpr progress_class progress = progress_class::lockstep_safe;  ///< what it promises

  /// Lanes that wait at `block` in a call of depth `depth`.
  struct path {
    block_id block;       ///< the block they run next
    std::uint32_t depth;  ///< calls they are in; deeper paths run first
    Mask lanes;           ///< the lanes that wait there
    friend constexpr bool operator==(const path&, const path&) = default;
  };

  /// Both spans must outlive the policy.
  ///
  /// \param rank   by block: its place in memory, no two alike (priority_order::ranks()).
  /// \param depth  by thread: the number of calls that it is in, which the program keeps up to date while blocks run
  ///               (simt/calls.hpp); empty: no calls. Threads beyond its end are in no call.
  constexpr explicit basic_min_pc(std::span<const std::uint32_t> rank, std::span<const std::uint32_t> depth = {})
      : rank_(rank), depth_(depth) {}

  /// Lane i is thread t + i; 0 before the first call.
  constexpr void first_thread(std::uint32_t t) { first_thread_ = t; }

  /// One path. O(1).
  constexpr void start(const basic_fragment<Mask>& f) {
    waiting_.clear();
    insert(f);
  }

  /// The deepest path; among the deepest paths, the first in memory. O(1).
  constexpr std::optional<basic_fragment<Mask>> next() {
    if (waiting_.empty()) return std::nullopt;
    const path p = waiting_.back();
    waiting_.pop_back();
    return basic_fragment<Mask>{p.block, p.lanes};
  }

  /// O(paths) for each target; with calls also O(lanes).
  constexpr void advance(const basic_fragment<Mask>&, std::span<const basic_fragment<Mask>> out) {
    for (const auto& o : out) insert(o);
  }

  /// Nothing to do: next() has taken the lanes out already.
  constexpr void park(const basic_fragment<Mask>&) {}
  /// Lanes come back at a block. As advance().
  constexpr void release(const basic_fragment<Mask>& f) { insert(f); }

  /// Paths, including the path that next() named last.
  [[nodiscard]] constexpr std::size_t depth() const { return waiting_.size() + 1; }

  /// The waiting paths; the path that runs next is last.
  [[nodiscard]] constexpr std::span<const path> waiting() const { return waiting_; }

  /// The same waiting paths.
  friend constexpr bool operator==(const basic_min_pc& a, const basic_min_pc& b) { return a.waiting_ == b.waiting_; }

 private:
  constexpr std::uint32_t depth_of(std::uint32_t lane) const {
    const std::size_t thread = std::size_t{first_thread_} + lane;
    return thread < depth_.size() ? depth_[thread] : 0;
  }

  constexpr void insert(const basic_fragment<Mask>& f) {
    SIMTFLOW_EXPECTS(f.block < rank_.size(), "every block that runs has a place in memory");
    if (depth_.empty()) return insert(path{f.block, 0, f.lanes});
    for (Mask rest = f.lanes; rest.any();) {  // lanes of one depth at a time: nearly always all lanes
      path p{f.block, depth_of(rest.first()), {}};
      rest.for_each([&](std::uint32_t lane) {
        if (depth_of(lane) == p.depth) p.lanes.set(lane);
      });
      insert(p);
      rest -= p.lanes;
    }
  }

  constexpr bool runs_before(const path& a, const path& b) const {
    return a.depth != b.depth ? a.depth > b.depth : rank_[a.block] < rank_[b.block];
  }

  constexpr void insert(const path& p) {
    std::size_t at = waiting_.size();
    while (at > 0 && runs_before(waiting_[at - 1], p)) --at;
    if (at > 0 && waiting_[at - 1].block == p.block && waiting_[at - 1].depth == p.depth) {
      waiting_[at - 1].lanes |= p.lanes;
      return;
    }
    waiting_.push_back(p);
    for (std::size_t i = waiting_.size() - 1; i > at; --i) waiting_[i] = waiting_[i - 1];
    waiting_[at] = p;
  }

  std::span<const std::uint32_t> rank_;
  std::span<const std::uint32_t> depth_;
  std::uint32_t first_thread_ = 0;
  std::vector<path> waiting_;  // last to run first
};

/// The path list of a warp of up to 64 lanes.
using min_pc = basic_min_pc<lane_mask>;

}  // namespace policies
}  // namespace v0
}  // namespace simtflow
