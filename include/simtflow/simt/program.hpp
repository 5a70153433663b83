// SPDX-License-Identifier: BSL-1.0
//
// Programs: the actions of a thread. A program executes one basic block for a group of lanes and says where each lane
// goes next; it knows nothing of masks that wait, stacks or priorities. Three kinds ship: any callable
// `(thread, block) -> block` (below), a recorded block trace (simt/trace.hpp), a PTX kernel
// (ptx/machine/interpreter.hpp).
//
// A barrier is always the last thing of its block: a kernel's blocks are split after barriers, so that lanes at a
// barrier wait with nothing left to execute. A thread block has 16 barriers; most programs use number 0 only.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/launch.hpp>
#include <simtflow/simt/mask.hpp>

#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Lanes that execute together: lane i is thread first_thread + i of the thread block.
template <class Mask>
struct basic_group {
  std::uint32_t warp = 0;          ///< index of the warp in its thread block
  std::uint32_t first_thread = 0;  ///< thread of lane 0
  Mask lanes{};                    ///< the lanes that execute; at least one in a run
};

/// A group of a warp of up to 64 lanes.
using group = basic_group<lane_mask>;

/// The targets of a group's lanes after a block: one fragment for each distinct target, in the order in which the
/// program first named the targets. Lanes without a target end there.
template <class Mask>
class basic_partition {
 public:
  /// Removes all fragments; memory is kept.
  constexpr void clear() { out_.clear(); }

  /// Sends lanes to a target; no lanes, or no_block as the target (the thread ends), add nothing. Linear in the number
  /// of distinct targets.
  constexpr void go(block_id target, const Mask& lanes) {
    if (target == no_block || lanes.none()) return;
    for (auto& f : out_)
      if (f.block == target) {
        f.lanes |= lanes;
        return;
      }
    out_.push_back({target, lanes});
  }

  /// One fragment for each distinct target; empty if no lane was sent anywhere. Valid until the next go() or clear().
  [[nodiscard]] constexpr std::span<const basic_fragment<Mask>> fragments() const { return out_; }

  /// The same fragments in the same order.
  friend constexpr bool operator==(const basic_partition&, const basic_partition&) = default;

 private:
  std::vector<basic_fragment<Mask>> out_;
};

/// A partition of a warp of up to 64 lanes.
using partition = basic_partition<lane_mask>;

/// How the execution of a block ended.
enum class block_end : unsigned char {
  next,       ///< lanes go where the partition says
  barrier,    ///< lanes wait at a barrier of the thread block; the partition says where they go once it opens
  arrive,     ///< lanes count as arrived at a barrier and go on at once; the barrier has a count of threads
  fault,      ///< a lane did something impossible (an address out of bounds). The run stops; the program can say why
  collective  ///< lanes wait inside the block for others of their warp; see program_with_collectives
};

/// "next", "barrier", "arrive", "fault", "collective".
[[nodiscard]] constexpr const char* to_string(block_end end) {
  switch (end) {
    case block_end::next:
      return "next";
    case block_end::barrier:
      return "barrier";
    case block_end::arrive:
      return "arrive";
    case block_end::fault:
      return "fault";
    case block_end::collective:
      return "collective";
  }
  return "";
}

/// A program over masks of type Mask: `run(block, group, out)` executes the block for the lanes of the group.
///
/// Semantic requirements: a lane's actions and its target must not depend on the other lanes of its group, unless the
/// lanes communicate; `out` mentions lanes of the group only, each at most once. `weight(b)`, if there, is the number
/// of instructions in b (1 if absent).
template <class P, class Mask = lane_mask>
concept lockstep_program = requires(P& p, block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) {
  { p.run(b, g, out) } -> std::same_as<block_end>;
};

/// A program with a state of its own that each run starts anew. The executor calls `begin(shape)` before the first
/// block, so a program is ready for every run without a call by the user. In a program of several thread blocks the
/// user chooses the next thread block before the run, with a member of the program (interpreter::select_block).
template <class P>
concept program_with_begin = requires(P& p, const launch& shape) {
  p.begin(shape);
};

/// A program that knows how many instructions a block has.
template <class P>
concept weighted_program = requires(P& p, block_id b) {
  { p.weight(b) } -> std::convertible_to<std::uint32_t>;
};

/// The lanes for which the guard of an instruction was false.
template <class Mask>
struct basic_predicated_off {
  std::uint32_t instruction = 0;  ///< its place in the block: 0 is the first
  Mask lanes{};                   ///< lanes that ran the block and for which the instruction did nothing; at least one
};

/// A program with predicated instructions. predicated_off() lists the instructions of the block that run() ran last
/// that had a false guard, first to last, each at most once. A guard that chooses where a lane goes (of a branch, an
/// exit, a call) switches nothing off. In programs without this member every executed instruction counts as predicated
/// on.
template <class P, class Mask = lane_mask>
concept predicated_program = requires(const P& p) {
  { p.predicated_off() } -> std::convertible_to<std::span<const basic_predicated_off<Mask>>>;
};

/// The number of barriers of a thread block: 16 that a program names, the barrier of its cluster, and one for each of
/// its warpgroups.
inline constexpr std::uint32_t named_barriers = 25;
/// The barrier of a cluster. A cluster is one thread block.
inline constexpr std::uint32_t cluster_barrier = 16;
/// The barrier of the first warpgroup: 128 threads. A thread block of 1024 threads has eight warpgroups.
inline constexpr std::uint32_t warpgroup_barrier = 17;

/// A program that uses more than barrier 0: `barrier_id(b)`, below named_barriers, is the barrier that block b ends in.
template <class P>
concept program_with_named_barriers = requires(P& p, block_id b) {
  { p.barrier_id(b) } -> std::convertible_to<std::uint32_t>;
};

/// A program with barriers that open for a part of the thread block. `barrier_count(b)` is the number of threads that
/// the barrier at the end of b opens for; 0: all threads of the thread block.
template <class P>
concept program_with_barrier_counts = requires(P& p, block_id b) {
  { p.barrier_count(b) } -> std::convertible_to<std::uint32_t>;
};

/// A program where a warp that comes to a barrier with a count counts as warp_width threads, as in PTX ("bar, barrier":
/// the arrival count rises by the warp size): `P::has_warp_sized_arrivals` is true. Lanes that have ended or never
/// existed then arrive with the last of the warp's live lanes, as far as the count needs them.
template <class P>
concept program_with_warp_sized_arrivals = program_with_barrier_counts<P> && requires {
  requires P::has_warp_sized_arrivals;
};

/// A program with collectives in its blocks: operations inside a block that lanes of a warp execute together (PTX:
/// shfl.sync, bar.warp.sync). Lanes that arrive before other lanes that take part cannot execute it; usually that is a
/// fault. Under a policy that never joins groups (policy_without_joins) the lanes wait for the others instead:
///
///   wait_at_collectives(yes)   called when a run begins; yes: lanes wait for the others; no: it is a fault
///   run(b, g, out)             ends as block_end::collective if the lanes of g wait; `out` is not read then
///   gather(g)                  executes each collective that all its live lanes have reached. g: lanes of a warp that
///                              wait. Returns the lanes that wait no longer
///   resume(b, g, out)          runs the rest of block b for lanes that stopped there together and wait no longer; ends
///                              like run()
template <class P, class Mask = lane_mask>
concept program_with_collectives = requires(P& p, block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) {
  p.wait_at_collectives(true);
  { p.gather(g) } -> std::same_as<Mask>;
  { p.resume(b, g, out) } -> std::same_as<block_end>;
};

/// A program with collectives in which lanes also wait for what other warps do (PTX: mbarrier.try_wait), so that
/// gather() may let them go although no lane of their warp has come or ended:
///
///   waits_for_phases()   true if some lanes may wait for other warps in this run
///   give_up(g)           called when nothing else can run: lanes of g that wait for other warps, and may stop waiting,
///                        do so. Returns the lanes that wait no longer
template <class P, class Mask = lane_mask>
concept program_with_phase_waits = program_with_collectives<P, Mask> && requires(P& p, const basic_group<Mask>& g) {
  { p.waits_for_phases() } -> std::convertible_to<bool>;
  { p.give_up(g) } -> std::same_as<Mask>;
};

/// A program that can tell whether its own state (memory, registers, visit counters) is the same as before, so that the
/// run can prove a livelock (limits::detect_livelock). `remember()` notes the state; `as_remembered()` is true only if
/// the state equals the noted state. A version number that every change increases is enough, and so is a copy.
template <class P>
concept program_with_memory = requires(P& p) {
  p.remember();
  { p.as_remembered() } -> std::convertible_to<bool>;
};

/// A callable that says where one thread goes from a block; no_block ends the thread.
template <class F>
concept thread_step = std::is_invocable_r_v<block_id, F&, std::uint32_t, block_id>;

/// Any callable `(thread, block) -> block` as a program. `weights` and `barriers` are optional tables by block: the
/// instruction count (default 1), and whether the block ends in a barrier (default no); blocks beyond the end of a
/// table take the default. The tables must outlive the program.
///
/// The search for livelocks takes a callable that can be called as const and has no remember() for a pure function of
/// thread and block. A callable that changes what it refers to (a lambda that captures by reference) is no such
/// function.
template <thread_step F>
class callable_program {
 public:
  /// The callable is kept by value.
  constexpr explicit callable_program(F step, std::span<const std::uint32_t> weights = {},
                                      std::span<const unsigned char> barriers = {})
      : step_(std::move(step)), weights_(weights), barriers_(barriers) {}

  /// Asks the callable once for each lane, lowest first. O(lanes times distinct targets), plus the calls.
  template <class Mask>
  constexpr block_end run(block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) {
    g.lanes.for_each(
        [&](std::uint32_t lane) { out.go(static_cast<block_id>(step_(g.first_thread + lane, b)), Mask::lane(lane)); });
    return b < barriers_.size() && barriers_[b] != 0 ? block_end::barrier : block_end::next;
  }

  /// Instructions in b.
  [[nodiscard]] constexpr std::uint32_t weight(block_id b) const { return b < weights_.size() ? weights_[b] : 1; }

  /// Calls the callable's remember(); does nothing for a pure callable.
  constexpr void remember() requires(program_with_memory<F> || std::is_invocable_v<const F&, std::uint32_t, block_id>) {
    if constexpr (program_with_memory<F>) step_.remember();
  }
  /// True if the callable's state is as remembered; always true for a pure callable, which has no state.
  [[nodiscard]] constexpr bool as_remembered() requires(program_with_memory<F> ||
                                                        std::is_invocable_v<const F&, std::uint32_t, block_id>) {
    if constexpr (program_with_memory<F>)
      return static_cast<bool>(step_.as_remembered());
    else
      return true;
  }

 private:
  F step_;
  std::span<const std::uint32_t> weights_;
  std::span<const unsigned char> barriers_;
};

}  // namespace v0
}  // namespace simtflow
