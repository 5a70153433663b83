// SPDX-License-Identifier: BSL-1.0
//
// Overlap: policies that can have several fragments in flight at a time, as hardware has that hides latency. The
// executor runs one fragment after the other and needs none of this; the cycle model (timing/) does.
//
//   in flight   named by take(), and neither advanced nor parked since
//
// Laws of take(), beside the laws of next():
//
//   - A lane is in at most one fragment in flight.
//   - As long as nothing is in flight, take() names what next() would name.
//   - Fragments in flight may be advanced or parked in any order. The order changes no thread's path.
//   - take() names something unless every live lane is in flight, parked or blocked.
#pragma once

#include <simtflow/simt/policy.hpp>

#include <concepts>
#include <optional>

namespace simtflow {
inline namespace v0 {

/// A policy that can have several fragments in flight. take() is next() for the lanes that are not in flight: it names
/// a fragment, which is in flight until advance(f, out) or park(f) is called with exactly that fragment. Empty: nothing
/// more is ready now. A policy without take() has at most one fragment in flight, which next() names.
template <class P>
concept overlapping_policy = reconvergence_policy<P> && requires(P& p) {
  { p.take() } -> std::same_as<std::optional<basic_fragment<typename P::mask_type>>>;
};

namespace detail {

template <class P>
constexpr bool schedules_issue_of() {
  if constexpr (requires {
                  { P::schedules_issue } -> std::convertible_to<bool>;
                })
    return P::schedules_issue;
  else
    return false;
}

}  // namespace detail

/// True if the policy itself picks the warp that issues (dynamic warps), which it says with `static constexpr bool
/// schedules_issue = true`. take() is then called only for a free issue slot, never ahead.
template <class P>
inline constexpr bool schedules_issue = detail::schedules_issue_of<P>();

}  // namespace v0
}  // namespace simtflow
