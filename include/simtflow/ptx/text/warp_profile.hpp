// SPDX-License-Identifier: BSL-1.0
//
// A profile of a run, by positions of instructions in the text: how often warps came to an instruction, and what its
// guard was then. The observer warp_profiler (ptx/machine/warp_profiler.hpp) takes one.
//
// Positions survive rewriting, so a profile of the text as it was given also tells about code that was made of it.
#pragma once

#include <simtflow/detail/search.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/transform/branch_likelihood.hpp>

#include <cstddef>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// The visits of warps to one instruction. At each visit its predicate register differs between the lanes, or it is
/// true in all of them, or false in all of them. An instruction without a guard counts as one with a true guard.
struct warp_visits {
  double visits = 0;  ///< fetches by groups of lanes
  double parted = 0;  ///< of these, fetches with a guard that differs between the lanes
  double held = 0;    ///< of these, fetches with a predicate register, without its negation, that is true in all lanes
  double lanes = 0;   ///< lanes of these fetches, summed up; 0: not counted

  /// How likely warps diverge here and how likely all lanes pass the guard; the default if no warp came.
  /// \param negated True if the guard is negated
  [[nodiscard]] constexpr branch_likelihood likelihood(bool negated) const {
    if (!(visits > 0)) return {};
    const double agree = visits - parted, first = negated ? agree - held : held;
    return {parted / visits, agree > 0 ? first / agree : 0.5};
  }
  friend constexpr bool operator==(const warp_visits&, const warp_visits&) = default;
};

/// The visits to every instruction of a module, by position. Empty: nothing is known.
class warp_profile {
 public:
  /// True if no position has visits.
  [[nodiscard]] bool empty() const { return all_.empty(); }

  /// The visits to the instruction at a position; null if nothing is known of it. O(log size)
  /// \param where the position in the text; line 0 is nowhere
  [[nodiscard]] const warp_visits* find(position where) const {
    const std::size_t at = place(where);
    return at < all_.size() && all_[at].where == where ? &all_[at].visits : nullptr;
  }

  /// Sets the visits to the instruction at a position. O(1) if positions ascend, else O(size).
  /// \param where  the position in the text
  /// \param visits what is known of it from now on
  void set(position where, const warp_visits& visits) {
    const std::size_t at = place(where);
    if (at < all_.size() && all_[at].where == where)
      all_[at].visits = visits;
    else
      all_.insert(all_.begin() + static_cast<std::ptrdiff_t>(at), {where, visits});
  }

 private:
  struct entry {
    position where;
    warp_visits visits;
  };

  static bool before(position a, position b) { return a.line != b.line ? a.line < b.line : a.column < b.column; }
  // The first entry that does not stand before the position.
  [[nodiscard]] std::size_t place(position where) const {
    if (all_.empty() || before(all_.back().where, where)) return all_.size();
    return simtflow::detail::first_without(0, all_.size(), [&](std::size_t i) { return before(all_[i].where, where); });
  }

  std::vector<entry> all_;  // positions ascend
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
