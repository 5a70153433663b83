// SPDX-License-Identifier: BSL-1.0
//
// The post-dominator stack with likely-convergence points (PDOM-LCP). The paths of a branch may probably reconverge at
// a block before its immediate post-dominator (all but the paths through a `break`, say). Such a branch pushes one more
// entry, without lanes, for that likely point. The entry lies between the entry that waits at the post-dominator and
// the paths. A path that comes to the likely point leaves its lanes there; when all paths have left, these lanes go on
// together.
//
// Follows Fung, Aamodt: Thread Block Compaction for Efficient SIMT Control Flow (HPCA 2011), section 4. The paper does
// not give the path order (here a parameter, first target by default), nor these rules, chosen here:
//   - a likely entry to which no lane came is dropped when it surfaces
//   - a branch with the post-dominator and the likely point of the running entry passes the running entry's likely
//     entry on to its paths. So does a branch with that post-dominator and no likely point of its own. A branch with
//     another likely point pushes a new likely entry, which inherits the old entry
//   - lanes that stand at the likely point right after the branch join the likely entry without an entry of their own.
//     If lanes have waited for each other at a post-dominator that is also the likely point of an outer branch, they
//     join there
//
// Needs immediate post-dominators and likely-convergence points (analysis/convergence.hpp makes them from loops or from
// a profile). With any tables threads go the right way; only the places where they reconverge change. Progress: none.
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

/// The stack of one warp. Depth never exceeds three times the number of lanes less two.
template <class Mask>
class basic_likely_convergence_stack {
 public:
  using mask_type = Mask;                                           ///< lanes of one warp
  static constexpr progress_class progress = progress_class::none;  ///< what it promises

  /// Lanes that go on at `block` and stop at `reconvergence`, where an entry below waits for them, or before that at
  /// `likely`, where they join the entry number `likely_entry` (counted from the bottom). no_block: they stop nowhere.
  struct entry {
    block_id block;              ///< where they go on
    block_id reconvergence;      ///< where they stop at the latest
    block_id likely;             ///< where they stop before that
    std::uint32_t likely_entry;  ///< the entry that they join there; means nothing if `likely` is no_block
    Mask lanes;                  ///< the lanes that have not ended
    friend constexpr bool operator==(const entry&, const entry&) = default;
  };

  /// `ipdom[b]` is as for an ipdom_stack; `likely[b]` is where the paths of a branch that ends b probably reconverge
  /// before that, no_block if nowhere. It is ids().points() of a table of likely-convergence points; blocks beyond the
  /// end of the table have no point. The spans must outlive the policy.
  constexpr basic_likely_convergence_stack(std::span<const block_id> ipdom, std::span<const block_id> likely,
                                           path_order order = path_order::first_target)
      : ipdom_(ipdom), likely_(likely), order_(order) {}

  /// One entry that waits nowhere. O(1).
  constexpr void start(const basic_fragment<Mask>& f) { stack_.assign(1, {f.block, no_block, no_block, 0, f.lanes}); }

  /// The top of the stack. O(1) amortised.
  constexpr std::optional<basic_fragment<Mask>> next() {
    while (!stack_.empty()) {
      const entry& top = stack_.back();
      if (top.block != no_block && top.block == top.likely)
        stack_[top.likely_entry].lanes |= top.lanes;
      else if (top.lanes.any())
        break;
      stack_.pop_back();
    }
    if (stack_.empty() || stack_.back().block == no_block) return std::nullopt;
    return basic_fragment<Mask>{stack_.back().block, stack_.back().lanes};
  }

  /// \pre f is what next() named last. O(targets), plus O(depth) when lanes have ended, plus O(targets^2) for an order
  /// by size.
  constexpr void advance(const basic_fragment<Mask>& f, std::span<const basic_fragment<Mask>> out) {
    SIMTFLOW_EXPECTS(!stack_.empty() && stack_.back().block == f.block,
                     "the fragment that advances is the one next() named");
    Mask ended = f.lanes;
    for (const auto& o : out) ended -= o.lanes;
    if (ended.any())
      for (entry& e : stack_) e.lanes -= ended;

    entry path = stack_.back();  // what the paths inherit
    const block_id outer = path.reconvergence;
    if (out.size() <= 1) {
      if (out.empty() || out[0].block == outer) {
        stack_.pop_back();
      } else if (out[0].block == path.likely) {
        stack_[path.likely_entry].lanes |= out[0].lanes;
        stack_.pop_back();
      } else {
        stack_.back().block = out[0].block;
      }
      return;
    }
    SIMTFLOW_EXPECTS(f.block < ipdom_.size(), "every block that runs has a place in the table of post-dominators");
    const block_id meet = ipdom_[f.block];
    const block_id likely = f.block < likely_.size() && likely_[f.block] != meet ? likely_[f.block] : no_block;
    if (meet == outer) {
      stack_.pop_back();  // the entry below waits there already
    } else {
      entry& top = stack_.back();
      top.block = meet;
      for (const auto& o : out)
        if (o.block == outer) top.lanes -= o.lanes;
      path.reconvergence = meet;
      path.likely = no_block;
    }
    if (likely != no_block && likely != path.likely) {
      stack_.push_back({likely, meet, path.likely, path.likely_entry, Mask{}});
      path.likely = likely;
      path.likely_entry = static_cast<std::uint32_t>(stack_.size() - 1);
    }
    const std::size_t paths = stack_.size();
    for (const auto& o : out) {
      if (o.block == meet || o.block == outer) continue;
      if (o.block == path.likely) {
        stack_[path.likely_entry].lanes |= o.lanes;
        continue;
      }
      path.block = o.block;
      path.lanes = o.lanes;
      stack_.push_back(path);
    }
    detail::arrange_paths(stack_, paths, order_);
  }

  /// Entries, including the running entry and entries without lanes. O(1).
  [[nodiscard]] constexpr std::size_t depth() const { return stack_.size(); }

  /// The stack, bottom first.
  [[nodiscard]] constexpr std::span<const entry> entries() const { return std::span<const entry>(stack_); }

  /// The same stack. O(entries).
  friend constexpr bool operator==(const basic_likely_convergence_stack& a, const basic_likely_convergence_stack& b) {
    return a.stack_ == b.stack_;
  }

 private:
  std::span<const block_id> ipdom_, likely_;
  path_order order_;
  std::vector<entry> stack_;
};

/// The stack of a warp of up to 64 lanes.
using likely_convergence_stack = basic_likely_convergence_stack<lane_mask>;

}  // namespace policies
}  // namespace v0
}  // namespace simtflow
