// SPDX-License-Identifier: BSL-1.0
//
// The post-dominator stack (PDOM): a divergent branch pushes one entry for each path. Below them it leaves an entry
// that waits at the branch's immediate post-dominator with all their lanes. A path that reaches that block is popped;
// when all paths are popped, the lanes below go on together.
//
// Follows Fung, Sham, Yuan, Aamodt: Dynamic Warp Formation and Scheduling (MICRO 2007), section 2, and reuses the entry
// below a branch if it waits at the same block already, so that loops do not grow the stack. The order of the paths is
// a parameter (path_order); the default is the first target.
//
// Needs immediate post-dominators. With any other table threads still go the right way, but reconverge elsewhere.
// Progress: none; lanes that wait for lanes of the same warp to release a lock may wait forever.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policies/path_order.hpp>
#include <simtflow/simt/policy.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace policies {

/// The post-dominator stack of one warp. Depth never exceeds twice the number of lanes less one.
template <class Mask>
class basic_ipdom_stack {
 public:
  using mask_type = Mask;                                           ///< lanes of one warp
  static constexpr progress_class progress = progress_class::none;  ///< what it promises

  /// Lanes that go on at `block` and stop at `reconvergence`, where an entry below waits for them (no_block: nowhere).
  struct entry {
    block_id block;          ///< where they go on; no_block: nowhere, they end before
    block_id reconvergence;  ///< where they stop; no_block: nowhere
    Mask lanes;              ///< the lanes that have not ended
    friend constexpr bool operator==(const entry&, const entry&) = default;
  };

  /// `ipdom[b]` is the reconvergence point of a branch that ends b; no_block: its paths reconverge only at the exit
  /// (post_dominator_tree::ipdoms()). The span must outlive the policy.
  constexpr explicit basic_ipdom_stack(std::span<const block_id> ipdom, path_order order = path_order::first_target)
      : ipdom_(ipdom), order_(order) {}

  /// One entry that waits nowhere. O(1).
  constexpr void start(const basic_fragment<Mask>& f) { stack_.assign(1, {f.block, no_block, f.lanes}); }

  /// The lanes on top of the stack. O(1) amortised.
  constexpr std::optional<basic_fragment<Mask>> next() {
    while (!stack_.empty() && stack_.back().lanes.none()) stack_.pop_back();
    if (stack_.empty() || stack_.back().block == no_block) return std::nullopt;
    return basic_fragment<Mask>{stack_.back().block, stack_.back().lanes};
  }

  /// \pre f is what next() named last. O(targets), plus O(depth) when lanes have ended, plus O(targets^2) for an order
  /// by size.
  constexpr void advance(const basic_fragment<Mask>& f, std::span<const basic_fragment<Mask>> out) {
    SIMTFLOW_EXPECTS(!stack_.empty() && stack_.back().block == f.block,
                     "the fragment that advances is the one next() named");
    Mask gone = f.lanes;
    for (const auto& o : out) gone -= o.lanes;
    if (gone.any()) ended(gone);

    entry& top = stack_.back();
    if (out.size() <= 1) {
      if (out.empty() || out[0].block == top.reconvergence)
        stack_.pop_back();
      else
        top.block = out[0].block;
      return;
    }
    SIMTFLOW_EXPECTS(f.block < ipdom_.size(), "every block that runs has a place in the table of post-dominators");
    const block_id meet = ipdom_[f.block];
    const block_id outer = top.reconvergence;
    if (meet == outer) {
      stack_.pop_back();  // the entry below waits there already
    } else {
      top.block = meet;
      for (const auto& o : out)
        if (o.block == outer) top.lanes -= o.lanes;
    }
    const std::size_t paths = stack_.size();
    for (const auto& o : out)
      if (o.block != meet && o.block != outer) stack_.push_back({o.block, meet, o.lanes});
    detail::arrange_paths(stack_, paths, order_);
  }

  /// Lanes have ended: removes them also from the entries that wait for them. For mechanisms that run an entry in
  /// parts; advance() does it by itself. O(entries).
  constexpr void ended(const Mask& lanes) {
    for (entry& e : stack_) e.lanes -= lanes;
  }

  /// Entries, the running entry included. O(1).
  [[nodiscard]] constexpr std::size_t depth() const { return stack_.size(); }

  /// The stack, bottom first.
  [[nodiscard]] constexpr std::span<const entry> entries() const { return std::span<const entry>(stack_); }

  /// The same stack. O(entries).
  friend constexpr bool operator==(const basic_ipdom_stack& a, const basic_ipdom_stack& b) {
    return a.stack_ == b.stack_;
  }

 private:
  std::span<const block_id> ipdom_;
  path_order order_;
  std::vector<entry> stack_;
};

/// The stack of a warp of up to 64 lanes.
using ipdom_stack = basic_ipdom_stack<lane_mask>;

}  // namespace policies
}  // namespace v0
}  // namespace simtflow
