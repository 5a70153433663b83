// SPDX-License-Identifier: BSL-1.0
//
// Hints for what a person can do about a divergent kernel, each tied to the evidence that speaks for it. No transform
// does these things: they need to know what the work means.
//
// The thresholds decide what is worth a line, and nothing else; no prediction depends on them.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace advice {

/// A thing that a person can do.
enum class hint_kind : unsigned char {
  sort_items,     ///< give lanes of a warp items that take the same path: sort or bin them
  compact_items,  ///< the same, within each thread block
  balance_loop,   ///< lanes leave a loop after very different numbers of iterations: fetch the next item in the loop
  hoist_code,     ///< both arms of a branch have instructions in common: write them once
  split_kernel,   ///< few lanes execute much code: queue their items for a kernel of its own
  change_layout,  ///< lanes of a warp access many lines of memory at once: structure of arrays, shared-memory tiles
  pad_shared,     ///< lanes want the same bank of shared memory: pad rows by one word
  change_size,    ///< the size of the thread block is no multiple of the warp width
  end_later,      ///< lanes have ended while others of their warp go on: fewer threads with several items each
  replace_spin,   ///< lanes wait for one another in a loop: atomics without a lock, one lane of the warp, a barrier
  move_barrier    ///< lanes wait at a barrier that others of their warp do not reach: move it out of divergent code
};
/// The name as an identifier: "sort_items".
[[nodiscard]] constexpr std::string_view to_string(hint_kind h) {
  constexpr std::string_view names[] = {"sort_items",   "compact_items", "balance_loop", "hoist_code",
                                        "split_kernel", "change_layout", "pad_shared",   "change_size",
                                        "end_later",    "replace_spin",  "move_barrier"};
  return names[static_cast<unsigned char>(h)];
}

/// One hint. Its kind decides which figures mean something; the others are 0.
struct hint {
  hint_kind what = hint_kind::sort_items;  ///< which hint it is
  block_id block = no_block;  ///< the branch, the header of the loop, or the block; no_block: the whole kernel
  /// The share of all lane slots that is lost there; change_layout and pad_shared: extra transactions or passes over
  /// warp instructions.
  double weight = 0;
  double saves = 0;   ///< part of the warp instructions that it would save at best; 0: nobody knows
  double figure = 0;  ///< balance_loop: loop_trips::balance; split_kernel: mean share of the lanes; change_layout:
                      ///< transactions for each access; pad_shared: passes for each access; hoist_code: instructions

  friend constexpr bool operator==(const hint&, const hint&) = default;
};

/// The evidence about one block.
struct block_evidence {
  block_id block = no_block;   ///< the block
  double idle = 0;             ///< share of all lane slots that are idle because of the branch that ends it
  double spent = 0;            ///< share of all lane slots that are spent in the block
  double active = 1;           ///< mean share of the lanes that execute it
  bool leaves_loop = false;    ///< its branch leaves a loop
  block_id header = no_block;  ///< of that loop
  double balance = 1;          ///< of that loop: loop_trips::balance
  double global_accesses = 0;  ///< accesses of global memory, over all warp instructions
  double transactions = 0;     ///< transactions of these accesses, over all warp instructions
  double shared_accesses = 0;  ///< accesses of shared memory, over all warp instructions
  double passes = 0;           ///< passes of these accesses over the banks, over all warp instructions
  double alike = 0;            ///< instructions that both arms of its branch have in common
};
/// The evidence about the kernel.
struct kernel_evidence {
  double ragged = 0;               ///< share of all lane slots that no thread has
  double ended = 0;                ///< share of all lane slots that belong to threads that have ended
  double sorted = 1;               ///< work after the items of all thread blocks were sorted, over the work now
  double compacted = 1;            ///< the same after sorting within each thread block
  bool spins = false;              ///< lanes wait for one another in a loop
  bool divergent_barrier = false;  ///< a run ended in a deadlock at a barrier
  block_id spin = no_block;        ///< where, if that is known
};

/// The least weight that makes a hint.
inline constexpr double hint_weight = 0.05;

/// The hints, the weightiest first; none for a kernel that loses nothing.
/// \param kernel the evidence about the kernel
/// \param blocks the evidence about its blocks, in any order
/// \pre shares are from 0 to 1
/// Complexity: O(n log n) for n blocks. Errors: none.
/// \snippet advice/hints_test.cpp hints_for
[[nodiscard]] inline std::vector<hint> hints_for(const kernel_evidence& kernel,
                                                 std::span<const block_evidence> blocks) {
  std::vector<hint> out;
  if (kernel.spins) out.push_back({hint_kind::replace_spin, kernel.spin, 1, 0, 0});
  if (kernel.divergent_barrier) out.push_back({hint_kind::move_barrier, no_block, 1, 0, 0});
  if (1 - kernel.compacted >= hint_weight)
    out.push_back({hint_kind::compact_items, no_block, 1 - kernel.compacted, 1 - kernel.compacted, 0});
  // Sorting all items is more work than sorting within a thread block: it must save more.
  if (std::min(kernel.compacted, 1.0) - kernel.sorted >= hint_weight / 2 && 1 - kernel.sorted >= hint_weight)
    out.push_back({hint_kind::sort_items, no_block, 1 - kernel.sorted, 1 - kernel.sorted, 0});
  if (kernel.ragged >= hint_weight) out.push_back({hint_kind::change_size, no_block, kernel.ragged, 0, 0});
  if (kernel.ended >= hint_weight) out.push_back({hint_kind::end_later, no_block, kernel.ended, 0, 0});
  std::vector<hint> exits;  // of loops, one for each branch that leaves one
  for (const block_evidence& b : blocks) {
    if (b.idle > 0 && b.leaves_loop && b.balance < 0.75)
      exits.push_back({hint_kind::balance_loop, b.header, b.idle, 0, b.balance});
    if (b.idle >= hint_weight / 2 && b.alike >= 2) out.push_back({hint_kind::hoist_code, b.block, b.idle, 0, b.alike});
    if (b.spent >= 2 * hint_weight && b.active <= 0.125)
      out.push_back({hint_kind::split_kernel, b.block, b.spent, 0, b.active});
    if (b.global_accesses > 0 && b.transactions >= 4 * b.global_accesses &&
        b.transactions - b.global_accesses >= hint_weight)
      out.push_back({hint_kind::change_layout, b.block, b.transactions - b.global_accesses, 0,
                     b.transactions / b.global_accesses});
    if (b.shared_accesses > 0 && b.passes >= 2 * b.shared_accesses && b.passes - b.shared_accesses >= hint_weight)
      out.push_back({hint_kind::pad_shared, b.block, b.passes - b.shared_accesses, 0, b.passes / b.shared_accesses});
  }
  // One hint for a loop, whatever the branch by which lanes leave it.
  std::stable_sort(exits.begin(), exits.end(), [](const hint& a, const hint& b) { return a.block < b.block; });
  for (std::size_t i = 0, next = 0; i < exits.size(); i = next) {
    for (next = i + 1; next < exits.size() && exits[next].block == exits[i].block; ++next)
      exits[i].weight += exits[next].weight;
    if (exits[i].weight >= hint_weight) out.push_back(exits[i]);
  }
  std::stable_sort(out.begin(), out.end(), [](const hint& a, const hint& b) { return a.weight > b.weight; });
  return out;
}

}  // namespace advice
}  // namespace v0
}  // namespace simtflow
