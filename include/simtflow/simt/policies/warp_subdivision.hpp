// SPDX-License-Identifier: BSL-1.0
//
// Dynamic warp subdivision, its part about branches: where lanes diverge, the warp becomes several splits. Each split
// could run at any time, so that one split can go on while another waits for memory. Splits become one split again at
// the branch's immediate post-dominator, or as soon as two splits stand at the same block.
//
// Follows Meng, Tarjan, Skadron: Dynamic Warp Subdivision for Integrated Branch and Memory Divergence Tolerance (ISCA
// 2010). Subdivision on partial cache misses needs a memory model and is not here. The rule for joining is a parameter,
// as in the paper. With post_dominator alone the policy fetches what the IPDOM stack fetches, whatever the selection
// order. With same_block alone and selection_order::lowest_pc it is the sorted stack of thread frontiers.
//
// Progress: none, the class of the post-dominator rules (both is the default): a lane may wait at a post-dominator for
// a lane that spins. With same_block alone the policy is fair if the selection order is fair, and lockstep-safe if not.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policies/selection.hpp>
#include <simtflow/simt/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace policies {

/// When splits of a warp become one.
enum class split_rule : unsigned char {
  post_dominator,  ///< when all lanes of a branch have come to its immediate post-dominator; the first lanes wait there
  same_block,      ///< when two splits stand at the same block; no lane waits
  both             ///< at the post-dominator, and before it when two splits of the same branch stand at the same block
};

/// "post-dominator", "same-block", "both".
[[nodiscard]] constexpr const char* to_string(split_rule rule) {
  switch (rule) {
    case split_rule::post_dominator:
      return "post-dominator";
    case split_rule::same_block:
      return "same-block";
    case split_rule::both:
      return "both";
  }
  return "";
}

/// The warp-split table of one warp. A step is O(splits), plus O(nesting of branches) when lanes end.
template <class Mask>
class basic_warp_subdivision {
 public:
  using mask_type = Mask;                                           ///< lanes of one warp
  static constexpr progress_class progress = progress_class::none;  ///< what it promises

  /// Both spans must outlive the policy.
  ///
  /// \param ipdom  by block: where the paths of a branch that ends it reconverge (post_dominator_tree::ipdoms());
  /// no_block: nowhere. Not read with split_rule::same_block.
  /// \param rule   when splits become one.
  /// \param order  which split runs next.
  /// \param rank   by block: its place in memory, for selection by PC; empty: blocks lie by id.
  constexpr explicit basic_warp_subdivision(std::span<const block_id> ipdom, split_rule rule = split_rule::both,
                                            selection_order order = selection_order::oldest,
                                            std::span<const std::uint32_t> rank = {})
      : ipdom_(ipdom), rule_(rule), ready_(order, rank) {}

  /// One split.
  constexpr void start(const basic_fragment<Mask>& f) {
    ready_.clear();
    meetings_.clear();
    parked_.clear();
    flying_.clear();
    free_ = none;
    num_meetings_ = 0;
    waiting_ = {};
    add(f.block, f.lanes, none);
  }

  /// The split that the selection order chooses.
  constexpr std::optional<basic_fragment<Mask>> next() {
    const auto chosen = ready_.take();
    if (!chosen) return std::nullopt;
    running_ = chosen->tag;
    return basic_fragment<Mask>{chosen->block, chosen->lanes};
  }
  /// As next(): splits run independently of each other, and no split joins a split in flight (overlapping_policy).
  constexpr std::optional<basic_fragment<Mask>> take() {
    const auto f = next();
    if (f) flying_.push_back({f->lanes, running_});
    return f;
  }

  /// \pre next() or take() has named f, and f has not advanced since. O(splits in flight) more.
  constexpr void advance(const basic_fragment<Mask>& f, std::span<const basic_fragment<Mask>> out) {
    Mask gone = f.lanes;
    for (const auto& o : out) gone -= o.lanes;
    std::uint32_t at = meeting_of(f);
    if (gone.any()) leave(gone, at);

    if (out.size() > 1 && rule_ != split_rule::same_block) {
      SIMTFLOW_EXPECTS(f.block < ipdom_.size(), "every block that runs has a place in the table of post-dominators");
      const block_id meet = ipdom_[f.block];
      if (meet != no_block && (at == none || meetings_[at].block != meet)) at = open(meet, f.lanes - gone, at);
    }
    for (const auto& o : out) arrive(o.block, o.lanes, at);
  }

  /// The split that ran waits; lanes at the reconvergence point of its branch still wait for its lanes.
  constexpr void park(const basic_fragment<Mask>& f) { parked_.push_back({f.lanes, meeting_of(f)}); }

  /// Lanes come back at a block. \pre they were parked together. O(parked splits).
  constexpr void release(const basic_fragment<Mask>& f) { arrive(f.block, f.lanes, unpark(parked_, f.lanes)); }
  /// Lanes that were parked together have ended. O(parked splits + nesting of branches).
  constexpr void ended(const Mask& lanes) { leave(lanes, unpark(parked_, lanes)); }

  /// Splits, including the splits in flight (at least the running split), and branches with lanes that have yet to
  /// reconverge.
  [[nodiscard]] constexpr std::size_t depth() const {
    return ready_.groups().size() + num_meetings_ + (flying_.empty() ? 1 : flying_.size());
  }

  /// The lanes that wait at a post-dominator.
  [[nodiscard]] constexpr Mask blocked() const { return waiting_; }

  /// The same splits and reconvergence points.
  friend constexpr bool operator==(const basic_warp_subdivision& a, const basic_warp_subdivision& b) {
    return a.ready_ == b.ready_ && a.meetings_ == b.meetings_ && a.parked_ == b.parked_ && a.free_ == b.free_;
  }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;

  // The lanes of a divergent branch will reconverge at `block`.
  struct meeting {
    block_id block;
    std::uint32_t outer;  // the meeting that the lanes come to afterwards, or none; in the free list, its next row
    Mask lanes, arrived;
    friend constexpr bool operator==(const meeting&, const meeting&) = default;
  };
  struct parked_split {
    Mask lanes;
    std::uint32_t meeting;
    friend constexpr bool operator==(const parked_split&, const parked_split&) = default;
  };

  // The meeting of a split that has run: next() has named it, or it is in flight.
  constexpr std::uint32_t meeting_of(const basic_fragment<Mask>& f) {
    return flying_.empty() ? running_ : unpark(flying_, f.lanes);
  }

  // Takes lanes of one split that is parked or in flight; returns their meeting.
  static constexpr std::uint32_t unpark(std::vector<parked_split>& away, const Mask& lanes) {
    std::size_t i = 0;
    while (i < away.size() && (away[i].lanes & lanes).none()) ++i;
    SIMTFLOW_EXPECTS(i < away.size() && lanes.is_subset_of(away[i].lanes),
                     "lanes come back that were parked or in flight");
    const std::uint32_t at = away[i].meeting;
    away[i].lanes -= lanes;
    if (away[i].lanes.none()) {
      away[i] = away.back();
      away.pop_back();
    }
    return at;
  }

  constexpr std::uint32_t open(block_id block, const Mask& lanes, std::uint32_t outer) {
    ++num_meetings_;
    if (free_ == none) {
      meetings_.push_back({block, outer, lanes, {}});
      return static_cast<std::uint32_t>(meetings_.size() - 1);
    }
    const std::uint32_t m = free_;
    free_ = meetings_[m].outer;
    meetings_[m] = {block, outer, lanes, {}};
    return m;
  }

  constexpr void add(block_id block, const Mask& lanes, std::uint32_t at) {
    ready_.add({block, at, false, lanes}, rule_ != split_rule::post_dominator);
  }

  constexpr void arrive(block_id block, const Mask& lanes, std::uint32_t at) {
    if (at == none || meetings_[at].block != block) return add(block, lanes, at);
    meetings_[at].arrived |= lanes;
    waiting_ |= lanes;
    complete(at);
  }

  // Lanes of a split have ended: no lane waits for them any more.
  constexpr void leave(const Mask& lanes, std::uint32_t at) {
    for (std::uint32_t m = at; m != none; m = meetings_[m].outer) meetings_[m].lanes -= lanes;
    complete(at);
  }

  // Ends a meeting if all its lanes have come, and the meetings around it that its lanes complete or leave empty.
  constexpr void complete(std::uint32_t at) {
    while (at != none && meetings_[at].arrived == meetings_[at].lanes) {
      const meeting met = meetings_[at];
      meetings_[at] = {no_block, free_, {}, {}};
      free_ = at;
      --num_meetings_;
      waiting_ -= met.lanes;
      if (met.lanes.any()) return add(met.block, met.lanes, met.outer);
      at = met.outer;
    }
  }

  std::span<const block_id> ipdom_;
  split_rule rule_;
  detail::ready_list<Mask> ready_;  // tags are meetings
  std::vector<meeting> meetings_;
  std::vector<parked_split> parked_, flying_;
  std::uint32_t free_ = none, running_ = none;
  std::size_t num_meetings_ = 0;
  Mask waiting_{};  // at any meeting
};

/// The warp-split table of a warp of up to 64 lanes.
using warp_subdivision = basic_warp_subdivision<lane_mask>;

}  // namespace policies
}  // namespace v0
}  // namespace simtflow
