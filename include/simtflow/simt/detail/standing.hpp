// SPDX-License-Identifier: BSL-1.0
//
// The verdict on a run that has ended early: every live thread, and why it stands where it stands.
#pragma once

#include <simtflow/simt/detail/instances.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policy.hpp>
#include <simtflow/simt/verdict.hpp>

#include <cstddef>
#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace detail {

// \param halted the lanes that ran the block that ended the run; no lanes if no block ended it.
template <class Policy, class Mask = typename Policy::mask_type>
constexpr basic_verdict<Mask> verdict_on(outcome how, std::uint64_t steps, const instances<Policy>& crew,
                                         const basic_standing<Mask>& halted) {
  basic_verdict<Mask> v{how, steps, {}};
  v.scope = crew.scope();
  const bool is_halted = how == outcome::fault || how == outcome::barrier_misaligned ||
                         how == outcome::barrier_misuse || how == outcome::barrier_deadlock;
  for (const instance<Policy>& me : crew.all()) {
    if (me.state == instance_state::done) continue;
    const std::size_t first = v.standing.size();
    const auto add = [&](block_id block, const Mask& lanes, standing_reason reason, std::uint32_t barrier = 0) {
      if (lanes.none()) return;
      for (std::size_t i = first; i < v.standing.size(); ++i) {
        basic_standing<Mask>& s = v.standing[i];
        if (s.block != block || s.reason != reason || s.barrier != barrier) continue;
        s.lanes |= lanes;
        return;
      }
      v.standing.push_back({me.index, block, lanes, reason, barrier});
    };
    if (is_halted && halted.warp == me.index) add(halted.block, halted.lanes, halted.reason, halted.barrier);
    for (const parked_lanes<Mask>& p : me.waiting)
      add(p.at.block, p.at.lanes, p.inside ? standing_reason::at_collective : standing_reason::at_barrier, p.barrier);
    Mask blocked{}, spinning{};
    if constexpr (policy_with_blocked<Policy>) blocked = me.policy.blocked();
    if (how == outcome::livelock) spinning = me.ran;
    for (const basic_fragment<Mask>& place : me.places) {
      add(place.block, place.lanes & spinning, standing_reason::spinning);
      add(place.block, (place.lanes & blocked) - spinning, standing_reason::blocked);
      add(place.block, place.lanes - blocked - spinning, standing_reason::ready);
    }
  }
  return v;
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
