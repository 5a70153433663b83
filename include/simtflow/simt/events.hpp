// SPDX-License-Identifier: BSL-1.0
//
// What a run reports. An observer is anything callable with some of the event structs below: a lambda, an object with
// several operator(), an `overloaded` set of lambdas. Events that it does not take cost nothing; an observer that takes
// none of them does not compile.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/mask.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace simtflow {
inline namespace v0 {

namespace event {

/// A thread block starts, or all resident thread blocks of a core do.
struct started {
  std::uint32_t threads;     ///< of all thread blocks that start
  std::uint32_t warp_width;  ///< lanes of a warp; the last warp of a thread block may have fewer threads
  std::uint32_t warps;       ///< instances of the policy: warps, thread blocks or 1, by its scope
};

/// A block is about to be executed once, for all lanes of the fragment. Under a policy of wider scope than a warp,
/// `warp` here and below is the number of the policy's instance, and lanes are lanes of that.
template <class Mask>
struct issued {
  std::uint64_t step;  ///< number of blocks executed before, over all warps
  std::uint32_t warp;
  std::uint32_t first_thread;  ///< thread of lane 0
  std::uint32_t threads;       ///< threads the warp started with; wider scopes: the most that can be issued together
  block_id block;
  std::uint32_t weight;  ///< instructions in the block
  Mask lanes;            ///< lanes that execute it
  Mask live;             ///< lanes of the warp (of the scope) that have not ended
  std::uint32_t groups;  ///< how many groups that last ran apart run together now; 1: nobody joined
  std::size_t depth;     ///< entries the policy holds, this one included; 0 if the policy does not tell
};

/// The lanes of an executed block go to two or more places.
template <class Mask>
struct diverged {
  std::uint64_t step;
  std::uint32_t warp;
  block_id block;
  Mask lanes;
  std::uint32_t ways;  ///< distinct targets
};

/// Lanes have ended.
template <class Mask>
struct exited {
  std::uint64_t step;
  std::uint32_t warp;
  block_id block;  ///< the block they ended in
  Mask lanes;
};

/// Lanes wait at the barrier that ends a block.
template <class Mask>
struct waits {
  std::uint64_t step;
  std::uint32_t warp;
  block_id block;
  Mask lanes;
  std::uint32_t barrier = 0;  ///< the barrier's number
};

/// All that a barrier waited for have arrived: it opens.
struct released {
  std::uint64_t step;
  std::uint32_t thread_block = 0;  ///< of the resident ones
  std::uint32_t barrier = 0;       ///< the barrier's number
};

/// The thread block has ended, or all resident ones have. `overhead` is the number of operations the mechanisms of its
/// warps executed themselves.
struct ended {
  std::uint64_t steps;
  std::uint64_t overhead;
  std::uint32_t thread_blocks = 1;  ///< that have ended
};

}  // namespace event

/// Something that observes a run: it takes at least one of the events.
template <class O, class Mask = lane_mask>
concept run_observer = (std::invocable<O&, const event::started&> || std::invocable<O&, const event::issued<Mask>&> ||
                        std::invocable<O&, const event::diverged<Mask>&> ||
                        std::invocable<O&, const event::exited<Mask>&> ||
                        std::invocable<O&, const event::waits<Mask>&> || std::invocable<O&, const event::released&> ||
                        std::invocable<O&, const event::ended&>);

/// Observes nothing.
struct no_observer {
  constexpr void operator()(const event::started&) const {}
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
  constexpr both(First& first, Second& second) : first_(&first), second_(&second) {}

  /// Takes an event that at least one of them takes; the first observer hears of it first.
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
