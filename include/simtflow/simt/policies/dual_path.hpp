// SPDX-License-Identifier: BSL-1.0
//
// The dual-path stack: an entry of the post-dominator stack holds both paths of a branch, and both may run in turns (so
// that one path hides the other path's latency). A path that diverges waits at the branch's immediate post-dominator
// while the new entry above runs. An entry goes when both its paths have come to their common reconvergence point. The
// policy fetches the blocks that a post-dominator stack fetches; only the order differs.
//
// Follows Rhu, Erez: The Dual-Path Execution Model for Efficient GPU Control Flow (HPCA 2013). Parameters: the path
// that runs next (default: alternately; a layer that knows latencies chooses among the ready paths itself) and the path
// that is first. Chosen here: a branch of more than two ways pushes an entry for every two paths; the paths that run
// first are on top.
//
// Needs immediate post-dominators. Progress: none; lanes below the top entry wait for the lanes in it.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policies/path_order.hpp>
#include <simtflow/simt/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace policies {

/// The path of the top entry that runs next.
enum class dual_path_turns : unsigned char {
  alternating,     ///< the path that did not run last, if it can
  one_then_other,  ///< the second path when the first has come to its end, as on a post-dominator stack
};

/// "alternating", "one-then-other".
[[nodiscard]] constexpr const char* to_string(dual_path_turns turns) {
  switch (turns) {
    case dual_path_turns::alternating:
      return "alternating";
    case dual_path_turns::one_then_other:
      return "one-then-other";
  }
  return "";
}

/// The dual-path stack of one warp. Depth never exceeds twice the number of lanes less one.
template <class Mask>
class basic_dual_path {
 public:
  using mask_type = Mask;                                           ///< lanes of one warp
  static constexpr progress_class progress = progress_class::none;  ///< what it promises

  /// Two paths that reconverge at `reconvergence`, where an entry below waits for their lanes (no_block: nowhere). A
  /// path without lanes, or a path at `reconvergence`, has come to its end.
  struct entry {
    block_id reconvergence;        ///< where both end
    std::uint32_t turn;            ///< 0 or 1: the path to run next, if it can
    basic_fragment<Mask> path[2];  ///< the two paths

    /// True if that path can run. \pre side < 2.
    [[nodiscard]] constexpr bool is_ready(std::uint32_t side) const {
      return path[side].lanes.any() && path[side].block != reconvergence && path[side].block != no_block;
    }
    friend constexpr bool operator==(const entry&, const entry&) = default;
  };

  /// `ipdom[b]` is as for an ipdom_stack. The span must outlive the policy.
  constexpr explicit basic_dual_path(std::span<const block_id> ipdom,
                                     dual_path_turns turns = dual_path_turns::alternating,
                                     path_order order = path_order::first_target)
      : ipdom_(ipdom), turns_(turns), order_(order) {}

  /// One entry with one path that waits nowhere. O(1).
  constexpr void start(const basic_fragment<Mask>& f) {
    stack_.assign(1, {no_block, 0, {f, {}}});
    flights_.clear();
    paths_.clear();  // so that a copy of the state has nothing left over to copy
  }

  /// The path of the top entry that runs next. O(1) amortised.
  constexpr std::optional<basic_fragment<Mask>> next() {
    settle();
    if (stack_.empty()) return std::nullopt;
    return stack_.back().path[side()];
  }

  /// The path that next() would name, or the other path of the top entry if that one is in flight
  /// (overlapping_policy). A path in flight that diverges after the other path has done so waits until its entry is on
  /// top again, as no path of a lower entry runs. O(1) amortised.
  constexpr std::optional<basic_fragment<Mask>> take() {
    settle();
    if (stack_.empty()) return std::nullopt;
    const entry& top = stack_.back();
    const std::size_t at = stack_.size() - 1;
    for (const std::uint32_t side : {top.turn, top.turn ^ 1U})
      if (top.is_ready(side) && !is_away(at, side)) {
        flights_.push_back({at, side, false, top.path[side], {}});
        return top.path[side];
      }
    return std::nullopt;
  }

  /// \pre f is what next() named last, or in flight. O(targets), plus O(depth) when lanes have ended, plus O(targets^2)
  /// for an order by size.
  constexpr void advance(const basic_fragment<Mask>& f, std::span<const basic_fragment<Mask>> out) {
    if (!flights_.empty()) return land(f, out);
    SIMTFLOW_EXPECTS(!stack_.empty() && stack_.back().path[side()].block == f.block,
                     "the fragment that advances is the one next() named");
    const std::uint32_t me = side();
    end_of_turn(stack_.back(), me, f, out);
    if (out.size() > 1) diverge(me, f, out);
  }

  /// How many paths could run now: 0 (all lanes have ended), 1 or 2. \pre nothing is in flight, here and below.
  /// O(1) amortised.
  [[nodiscard]] constexpr std::size_t num_ready() {
    settle();
    return stack_.empty() ? 0 : std::size_t{stack_.back().is_ready(0)} + stack_.back().is_ready(1);
  }
  /// The i-th path that could run now. \pre i < num_ready().
  [[nodiscard]] constexpr basic_fragment<Mask> ready(std::size_t i) const { return stack_.back().path[ready_side(i)]; }
  /// Makes the i-th ready path the path that next() names. \pre i < num_ready().
  constexpr void select(std::size_t i) { stack_.back().turn = ready_side(i); }

  /// Entries, the running entry included. O(1).
  [[nodiscard]] constexpr std::size_t depth() const { return stack_.size(); }
  /// The stack, bottom first.
  [[nodiscard]] constexpr std::span<const entry> entries() const { return std::span<const entry>(stack_); }

  /// The same stack. O(entries). \pre nothing is in flight.
  friend constexpr bool operator==(const basic_dual_path& a, const basic_dual_path& b) { return a.stack_ == b.stack_; }

 private:
  // A path that take() has named. It is in flight, or it has landed: it has run and diverged, and waits with its
  // targets until its entry is on top.
  struct flight {
    std::size_t at;  // its entry, counted from the bottom
    std::uint32_t side;
    bool landed;
    basic_fragment<Mask> fragment;
    std::vector<basic_fragment<Mask>> out;
  };

  [[nodiscard]] constexpr bool is_away(std::size_t at, std::uint32_t side) const {
    for (const flight& f : flights_)
      if (f.at == at && f.side == side) return true;
    return false;
  }
  constexpr void forget_flight(std::size_t i) {
    if (i + 1 != flights_.size()) flights_[i] = std::move(flights_.back());
    flights_.pop_back();
  }

  // A path in flight has run f.
  [[gnu::noinline]] constexpr void land(const basic_fragment<Mask>& f, std::span<const basic_fragment<Mask>> out) {
    std::size_t i = 0;
    while (i < flights_.size() && (flights_[i].landed || (flights_[i].fragment.lanes & f.lanes).none())) ++i;
    SIMTFLOW_EXPECTS(i < flights_.size(), "the fragment that advances is in flight");
    const std::size_t at = flights_[i].at;
    const std::uint32_t me = flights_[i].side;
    forget_flight(i);
    end_of_turn(stack_[at], me, f, out);
    if (out.size() <= 1) return;
    if (at + 1 == stack_.size())
      diverge(me, f, out);
    else
      flights_.push_back({at, me, true, f, std::vector<basic_fragment<Mask>>(out.begin(), out.end())});
  }
  // Paths that have landed diverge if their entry is on top. Returns true if one has done so.
  [[gnu::noinline]] constexpr bool diverge_landed() {
    std::size_t i = 0;
    while (i < flights_.size() && !(flights_[i].landed && flights_[i].at + 1 == stack_.size())) ++i;
    if (i == flights_.size()) return false;
    const flight f = std::move(flights_[i]);
    forget_flight(i);
    diverge(f.side, f.fragment, std::span<const basic_fragment<Mask>>(f.out));
    return true;
  }

  // A path of an entry has run f: who has the next turn, who has ended, and where a path goes that has not diverged.
  [[gnu::always_inline]] constexpr void end_of_turn(entry& here, std::uint32_t me, const basic_fragment<Mask>& f,
                                                    std::span<const basic_fragment<Mask>> out) {
    here.turn = turns_ == dual_path_turns::alternating ? me ^ 1U : me;
    Mask ended = f.lanes;
    for (const auto& o : out) ended -= o.lanes;
    if (ended.any())  // they also stand in the paths that wait for them
      for (entry& e : stack_)
        for (auto& p : e.path) p.lanes -= ended;
    if (out.size() == 1) here.path[me].block = out[0].block;
  }

  // A path of the top entry has run f and diverged.
  constexpr void diverge(std::uint32_t me, const basic_fragment<Mask>& f, std::span<const basic_fragment<Mask>> out) {
    entry& top = stack_.back();
    auto& mine = top.path[me];
    const bool other_ready = top.is_ready(me ^ 1U);
    SIMTFLOW_EXPECTS(f.block < ipdom_.size(), "every block that runs has a place in the table of post-dominators");
    const block_id meet = ipdom_[f.block], outer = top.reconvergence;
    paths_.clear();
    for (const auto& o : out) {
      if (o.block == outer) mine.lanes -= o.lanes;  // an entry below waits for them
      if (o.block != meet && o.block != outer) paths_.push_back(o);
    }
    mine.block = meet;
    if (meet == outer) {
      // An entry below waits at this place already: the new paths take the room of the path that ends here.
      mine.lanes = Mask{};
      if (paths_.size() == 1) {
        mine = paths_[0];
        return;
      }
      if (!other_ready) stack_.pop_back();
    }
    detail::arrange_paths(paths_, 0, order_);
    std::size_t i = 0;
    if (paths_.size() % 2 != 0) stack_.push_back({meet, 0, {paths_[i++], {}}});
    for (; i < paths_.size(); i += 2) stack_.push_back({meet, 0, {paths_[i + 1], paths_[i]}});
  }

  // Pops entries with paths that have all come to their end, and lets paths that have landed diverge once their entry
  // is on top.
  constexpr void settle() {
    do {
      while (!stack_.empty() && !stack_.back().is_ready(0) && !stack_.back().is_ready(1)) stack_.pop_back();
    } while (!flights_.empty() && diverge_landed());
  }
  [[nodiscard]] constexpr std::uint32_t side() const {
    const entry& top = stack_.back();
    return top.is_ready(top.turn) ? top.turn : top.turn ^ 1U;
  }
  [[nodiscard]] constexpr std::uint32_t ready_side(std::size_t i) const {
    SIMTFLOW_EXPECTS(!stack_.empty() && i < std::size_t{stack_.back().is_ready(0)} + stack_.back().is_ready(1),
                     "a path that is ready");
    return i == 1 || !stack_.back().is_ready(0) ? 1 : 0;
  }

  std::span<const block_id> ipdom_;
  dual_path_turns turns_;
  path_order order_;
  std::vector<entry> stack_;
  std::vector<basic_fragment<Mask>> paths_;
  std::vector<flight> flights_;
};

/// The dual-path stack of a warp of up to 64 lanes.
using dual_path = basic_dual_path<lane_mask>;

}  // namespace policies
}  // namespace v0
}  // namespace simtflow
