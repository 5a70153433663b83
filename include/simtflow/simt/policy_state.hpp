// SPDX-License-Identifier: BSL-1.0
//
// The state that a policy shows, in one form for every policy: its stack, its list or its splits, and the counts of its
// mechanism. Both come from public members that policies have in any case (entries(), waiting(), splits(),
// insertions(), ...), so no policy needs code for it. For a policy that shows nothing, only the places of its lanes are
// known.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/mask.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Lanes that stand, wait or are expected at a block.
template <class Mask>
struct policy_state_entry {
  block_id block = no_block;   ///< where they are
  block_id until = no_block;   ///< where they stop because others wait for them there; no_block: nowhere
  block_id likely = no_block;  ///< where they may stop before that; no_block: nowhere
  Mask lanes{};                ///< the lanes
  const char* role = "";       ///< the kind of entry: "meets" in a table beside splits; empty if there is one kind
};

/// The entries that a policy holds.
template <class Mask>
struct policy_state {
  const char* what = "";                            ///< "stack", "sorted list"; empty: the policy shows nothing
  bool with_running = false;                        ///< true if the lanes that run are in one of the entries
  std::vector<policy_state_entry<Mask>> entries{};  ///< the entry that runs first stands first
};

/// The work that mechanisms count. A policy that does not count something has 0 there.
struct policy_work {
  std::uint64_t insertions = 0;       ///< into a sorted list
  std::uint64_t entries_walked = 0;   ///< to find the place for an insertion
  std::uint64_t no_op_fetches = 0;    ///< blocks fetched for no lane
  std::uint64_t merge_conflicts = 0;  ///< threads that found their home lane taken
  std::uint64_t fragmentations = 0;   ///< warps left partly empty
  std::uint64_t pool_stalls = 0;      ///< arrivals of threads for which the warp pool had no room
  std::uint64_t table_evictions = 0;  ///< entries of the PC-warp table that made room while in use
  std::uint64_t unarmed_waits = 0;    ///< at convergence barriers that nobody armed
  /// Insertions by the entries walked: 1, 2, ..., walk_classes - 1, and walk_classes or more.
  std::uint64_t walks[8]{};
  /// The number of elements of `walks`.
  static constexpr std::size_t walk_classes = 8;

  /// Adds each count.
  constexpr policy_work& operator+=(const policy_work& other) {
    insertions += other.insertions;
    entries_walked += other.entries_walked;
    no_op_fetches += other.no_op_fetches;
    merge_conflicts += other.merge_conflicts;
    fragmentations += other.fragmentations;
    pool_stalls += other.pool_stalls;
    table_evictions += other.table_evictions;
    unarmed_waits += other.unarmed_waits;
    for (std::size_t k = 0; k < walk_classes; ++k) walks[k] += other.walks[k];
    return *this;
  }
  /// True if all counts are equal.
  friend constexpr bool operator==(const policy_work&, const policy_work&) = default;
};

/// The policy's counts since start(); of a box, the counts of the policy inside. O(1).
template <class Policy>
[[nodiscard]] constexpr policy_work work_of([[maybe_unused]] const Policy& policy) {
  policy_work work;
  if constexpr (requires {
                  { policy.work() } -> std::same_as<policy_work>;
                })
    return policy.work();
  if constexpr (requires { policy.insertions(); }) work.insertions = policy.insertions();
  if constexpr (requires { policy.entries_walked(); }) work.entries_walked = policy.entries_walked();
  if constexpr (requires { policy.walks(); })
    for (std::size_t n = 0; n < policy_work::walk_classes; ++n) work.walks[n] = policy.walks()[n];
  if constexpr (requires { policy.no_op_fetches(); }) work.no_op_fetches = policy.no_op_fetches();
  if constexpr (requires { policy.merge_conflicts(); }) work.merge_conflicts = policy.merge_conflicts();
  if constexpr (requires { policy.fragmentations(); }) work.fragmentations = policy.fragmentations();
  if constexpr (requires { policy.pool_stalls(); }) work.pool_stalls = policy.pool_stalls();
  if constexpr (requires { policy.table_evictions(); }) work.table_evictions = policy.table_evictions();
  if constexpr (requires { policy.unarmed_waits(); }) work.unarmed_waits = policy.unarmed_waits();
  return work;
}

/// Overwrites `out` with the state that the policy shows; memory is kept. A policy with other members than ours writes
/// its state itself, in `void read(policy_state<mask_type>&) const`. O(entries).
template <class Policy, class Mask>
void read_state(const Policy& policy, policy_state<Mask>& out) {
  out.what = "";
  out.with_running = false;
  out.entries.clear();
  const auto fill = [&out](const auto& all, const char* what, bool top_is_last) {
    out.what = what;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto& from = all[top_is_last ? all.size() - 1 - i : i];
      policy_state_entry<Mask> e;
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
  if constexpr (requires { policy.read(out); }) {
    policy.read(out);
  } else if constexpr (requires { policy.entries(); }) {
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
    policy.for_each_ready([&](block_id block, const Mask& lanes, bool yielded) {
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

}  // namespace v0
}  // namespace simtflow
