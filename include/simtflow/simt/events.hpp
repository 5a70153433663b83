// SPDX-License-Identifier: BSL-1.0
//
// The events that a run reports. An observer is anything callable with some of the event structs below: a lambda, an
// object with several operator(), an `overloaded` set of lambdas. Events that an observer does not take cost nothing;
// an observer that takes no event does not compile.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/mask.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace simtflow {
inline namespace v0 {

/// The events that a run reports to its observers.
namespace event {

/// A thread block starts, or all resident thread blocks of a core start.
struct started {
  std::uint32_t threads;            ///< threads of all thread blocks that start
  std::uint32_t warp_width;         ///< lanes of a warp; the last warp of a thread block may have fewer threads
  std::uint32_t warps;              ///< instances of the policy: warps, thread blocks or 1, by its scope
  std::uint32_t thread_blocks = 1;  ///< thread blocks that start; each has as many threads as the others
};

/// A block is about to be executed once, for all lanes of the fragment. Under a policy of wider scope than a warp,
/// `warp` here and below is the number of the policy's instance, and lanes are lanes of that instance.
template <class Mask>
struct issued {
  std::uint64_t step;          ///< number of blocks executed before, over all warps
  std::uint32_t warp;          ///< number of the warp in its thread block (of the instance, in a wider scope)
  std::uint32_t first_thread;  ///< thread of lane 0
  std::uint32_t threads;       ///< threads the warp started with; wider scopes: the most that can be issued together
  block_id block;              ///< the block that runs now
  std::uint32_t weight;        ///< instructions in the block
  Mask lanes;                  ///< lanes that execute it
  Mask live;                   ///< lanes of the warp (of the scope) that have not ended
  std::uint32_t groups;        ///< groups that last ran apart and run together now; 1: nobody joined
  std::size_t depth;           ///< entries the policy holds, this one included; 0 if the policy does not tell
};

/// The guard of one instruction of the block issued last was false for some lanes: they executed it, and it did
/// nothing. Programs that report this (predicated_program) give one event for each such instruction when the block has
/// run. If lanes have waited inside a block (program_with_collectives), events come again when the rest of the block
/// has run. Then `step` is the step of the block issued last in the run, and the other members describe the lanes that
/// continued.
template <class Mask>
struct predicated_off {
  std::uint64_t step;         ///< of the block issued last
  std::uint32_t warp;         ///< as in issued
  block_id block;             ///< as in issued
  std::uint32_t instruction;  ///< its place in the block: 0 .. weight - 1
  Mask lanes;                 ///< lanes of the block with a false guard; at least one
};

/// The lanes of an executed block go to two or more places.
template <class Mask>
struct diverged {
  std::uint64_t step;  ///< of the block issued last
  std::uint32_t warp;  ///< as in issued
  block_id block;      ///< the block that they come from
  Mask lanes;          ///< all lanes that ran it, including lanes that ended
  std::uint32_t ways;  ///< distinct targets
  /// The targets, each with the lanes that go there; other lanes ended. Valid during the call. Empty in events that a
  /// file or a copy holds.
  std::span<const basic_fragment<Mask>> to = {};
};

/// Lanes have ended.
template <class Mask>
struct exited {
  std::uint64_t step;  ///< of the block issued last
  std::uint32_t warp;  ///< as in issued
  block_id block;      ///< the block they ended in
  Mask lanes;          ///< the lanes that ended
};

/// Lanes wait at the barrier that ends a block.
template <class Mask>
struct waits {
  std::uint64_t step;         ///< of the block issued last
  std::uint32_t warp;         ///< as in issued
  block_id block;             ///< the block that ends in the barrier
  Mask lanes;                 ///< the lanes that wait
  std::uint32_t barrier = 0;  ///< the barrier's number
};

/// All that a barrier waited for have arrived: it opens.
struct released {
  std::uint64_t step;              ///< blocks executed before it opens
  std::uint32_t thread_block = 0;  ///< number among the resident thread blocks
  std::uint32_t barrier = 0;       ///< the barrier's number
};

/// The thread block has ended, or all resident thread blocks have ended. `overhead` is the number of operations that
/// the mechanisms of its warps executed themselves.
struct ended {
  std::uint64_t steps;              ///< blocks executed, over all warps
  std::uint64_t overhead;           ///< not counted in `steps`; 0 under policies without overhead()
  std::uint32_t thread_blocks = 1;  ///< thread blocks that have ended
};

}  // namespace event

/// Something that observes a run: it takes at least one of the events.
template <class O, class Mask = lane_mask>
concept run_observer = (std::invocable<O&, const event::started&> || std::invocable<O&, const event::issued<Mask>&> ||
                        std::invocable<O&, const event::predicated_off<Mask>&> ||
                        std::invocable<O&, const event::diverged<Mask>&> ||
                        std::invocable<O&, const event::exited<Mask>&> ||
                        std::invocable<O&, const event::waits<Mask>&> || std::invocable<O&, const event::released&> ||
                        std::invocable<O&, const event::ended&>);

/// Observes nothing.
struct no_observer {
  constexpr void operator()(const event::started&) const {}  ///< one event, so that it is a run_observer
};

/// Several lambdas as one observer.
template <class... F>
struct overloaded : F... {
  using F::operator()...;
};
/// Deduces the lambdas' types.
template <class... F>
overloaded(F...) -> overloaded<F...>;

/// Passes each event to two observers; nest for more. Both must outlive it.
template <class First, class Second>
class both {
 public:
  constexpr both(First& first, Second& second) : first_(&first), second_(&second) {}  ///< keeps pointers to both

  /// Takes an event that at least one observer takes; the first observer gets it first.
  template <class Event>
    requires(std::invocable<First&, const Event&> || std::invocable<Second&, const Event&>)
  constexpr void operator()(const Event& e) {
    if constexpr (std::invocable<First&, const Event&>) (*first_)(e);
    if constexpr (std::invocable<Second&, const Event&>) (*second_)(e);
  }

 private:
  First* first_;
  Second* second_;
};

}  // namespace v0
}  // namespace simtflow
