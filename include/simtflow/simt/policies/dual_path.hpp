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
    paths_.clear();  // so that a copy of the state has nothing left over to copy
  }

  /// The path of the top entry that runs next. O(1) amortised.
  constexpr std::optional<basic_fragment<Mask>> next() {
    pop();
    if (stack_.empty()) return std::nullopt;
    return stack_.back().path[side()];
  }

  /// \pre f is what next() named last. O(targets), plus O(depth) when lanes have ended, plus O(targets^2) for an order
  /// by size.
  constexpr void advance(const basic_fragment<Mask>& f, std::span<const basic_fragment<Mask>> out) {
    SIMTFLOW_EXPECTS(!stack_.empty() && stack_.back().path[side()].block == f.block,
                     "the fragment that advances is the one next() named");
    entry& top = stack_.back();
    const std::uint32_t me = side();
    auto& mine = top.path[me];
    const bool other_ready = top.is_ready(me ^ 1U);
    top.turn = turns_ == dual_path_turns::alternating ? me ^ 1U : me;

    Mask ended = f.lanes;
    for (const auto& o : out) ended -= o.lanes;
    if (ended.any())  // they also stand in the paths that wait for them
      for (entry& e : stack_)
        for (auto& p : e.path) p.lanes -= ended;
    if (out.size() <= 1) {
      if (!out.empty()) mine.block = out[0].block;
      return;
    }
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

  /// How many paths could run now: 0 (all lanes have ended), 1 or 2. O(1) amortised.
  [[nodiscard]] constexpr std::size_t num_ready() {
    pop();
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

  /// The same stack. O(entries).
  friend constexpr bool operator==(const basic_dual_path& a, const basic_dual_path& b) { return a.stack_ == b.stack_; }

 private:
  constexpr void pop() {
    while (!stack_.empty() && !stack_.back().is_ready(0) && !stack_.back().is_ready(1)) stack_.pop_back();
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
};

/// The dual-path stack of a warp of up to 64 lanes.
using dual_path = basic_dual_path<lane_mask>;

}  // namespace policies
}  // namespace v0
}  // namespace simtflow
