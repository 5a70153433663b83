// SPDX-License-Identifier: BSL-1.0
//
// What a policy holds, as far as it tells: its stack, its list, its splits. Nothing is asked of a policy but what it
// shows to everybody; one that shows nothing is described by where its lanes stand.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/mask.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace lab {

/// Lanes that stand, wait or are expected at a block.
template <class Mask>
struct state_entry {
  simtflow::block_id block = simtflow::no_block;
  simtflow::block_id until = simtflow::no_block;   ///< where they stop and others wait for them; no_block: nowhere
  simtflow::block_id likely = simtflow::no_block;  ///< where they may stop before that
  Mask lanes{};
  const char* role = "";  ///< the kind of entry, if there are several: "meets" in a table beside splits; else empty
};

template <class Mask>
struct policy_state {
  const char* what = "";                   ///< "stack", "list"; empty: the policy does not tell
  bool with_running = false;               ///< the lanes that run are in one of the entries
  std::uint32_t first_thread = 0;          ///< the instance: the first thread that it manages
  bool has_named = false;                  ///< the policy has named a fragment, and has not been told what became of it
  std::vector<state_entry<Mask>> entries;  ///< what runs first stands first
};

/// Called with what a policy holds when it has named a fragment, and when it has been told where lanes went.
template <class Mask>
using state_listener = std::function<void(const policy_state<Mask>&)>;

/// Reads what the policy shows. O(entries).
template <class Policy, class Mask>
void read_state(const Policy& policy, policy_state<Mask>& out) {
  using simtflow::no_block;
  out.what = "";
  out.with_running = false;
  out.entries.clear();
  const auto fill = [&out](const auto& all, const char* what, bool top_is_last) {
    out.what = what;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto& from = all[top_is_last ? all.size() - 1 - i : i];
      state_entry<Mask> e;
      if constexpr (requires { from.path[1].lanes; }) {  // two paths in an entry
        for (const auto& path : from.path)
          if (path.lanes.any() && path.block != no_block)
            out.entries.push_back({path.block, from.reconvergence, no_block, path.lanes, ""});
        continue;
      } else {
        e.block = from.block;
        if constexpr (requires { from.reconvergence; }) e.until = from.reconvergence;
        if constexpr (requires { from.likely; }) e.likely = from.likely;
        if constexpr (requires { from.threads; })
          e.lanes = from.threads;
        else
          e.lanes = from.lanes;
        out.entries.push_back(e);
      }
    }
  };
  if constexpr (requires { policy.entries(); }) {
    fill(policy.entries(), "stack", true);
    out.with_running = true;
  } else if constexpr (requires { policy.waiting()[0].lanes; }) {
    fill(policy.waiting(), "sorted list", true);
  } else if constexpr (requires {
                         policy.splits();
                         policy.meetings();
                       }) {
    for (const auto& split : policy.splits()) {
      const bool meets = split.meeting < policy.meetings().size();
      out.entries.push_back(
          {split.block, meets ? policy.meetings()[split.meeting].block : no_block, no_block, split.lanes, ""});
    }
    for (const auto& m : policy.meetings())
      if (m.block != no_block) out.entries.push_back({m.block, no_block, no_block, m.pending, "meets"});
    out.what = "splits and where they meet";
    out.with_running = true;
  } else if constexpr (requires { policy.blocked_groups(); }) {  // convergence barriers
    policy.for_each_ready([&](simtflow::block_id block, const Mask& lanes, bool yielded) {
      out.entries.push_back({block, no_block, no_block, lanes, yielded ? "gives way" : "ready"});
    });
    for (const auto& b : policy.blocked_groups())
      out.entries.push_back({b.block, no_block, no_block, b.lanes, "waits at the barrier here"});
    for (const std::uint32_t barrier : policy.armed())
      if (policy.meeting(barrier) != no_block)
        out.entries.push_back({policy.meeting(barrier), no_block, no_block, policy.participants(barrier),
                               "participants of the barrier here"});
    out.what = "groups and barriers";
  } else if constexpr (requires { policy.pool().pool(); }) {
    fill(policy.pool().pool(), "pool of warps", false);
  } else if constexpr (requires { policy.pool()[0].threads; }) {
    fill(policy.pool(), "pool of warps", false);
  }
}

}  // namespace lab
