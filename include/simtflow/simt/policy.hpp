// SPDX-License-Identifier: BSL-1.0
//
// Policies: who runs next. A reconvergence policy manages the lanes of one warp (or of more: policy_scope) through
// three functions and never looks at instructions:
//
//   start(f)         all live lanes stand at f.block
//   next()           the fragment that runs now; empty when no lane is left that it could run
//   advance(f, out)  f ran; `out` holds its surviving lanes by next block (lanes of f that are missing have ended)
//
// Laws the executor holds every policy to (a breach is the verdict policy_error or lost_threads, never a wrong result):
// next() names lanes that all stand at that block, at least one and no more than a warp has; as long as a lane is live
// and does not wait, next() names some fragment. The executor alone knows where lanes stand, so a thread's path is the
// same under every policy by construction.
#pragma once

#include <simtflow/simt/mask.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace simtflow {
inline namespace v0 {

/// A type with the three functions above. A policy is copied for every warp (every thread block, every core: its
/// scope), so a copy shares no state that changes.
template <class P>
concept reconvergence_policy = std::copyable<P> &&
    requires(P& p, const basic_fragment<typename P::mask_type>& f,
             std::span<const basic_fragment<typename P::mask_type>> out) {
  p.start(f);
  { p.next() } -> std::same_as<std::optional<basic_fragment<typename P::mask_type>>>;
  p.advance(f, out);
};

/// A policy from which part of a warp can be taken away to wait: park(f) removes lanes that ran and wait at a barrier
/// (instead of advance), release(f) puts lanes back at a block. Needed by barrier_model::thread_arrival, and at every
/// barrier by policies of wider scope than a warp, because part of their lanes goes on.
template <class P>
concept parking_policy = reconvergence_policy<P> && requires(P& p, const basic_fragment<typename P::mask_type>& f) {
  p.park(f);
  p.release(f);
};

/// A parking policy that must hear of lanes that never come back from a barrier, because something of it counts on
/// them: ended(lanes) says that lanes which were parked together have ended when their barrier opened. It is called
/// before release() for those of them that go on; under core scope for each thread block of the fragment by itself.
template <class P>
concept policy_with_ended = parking_policy<P> && requires(P& p, const typename P::mask_type& lanes) {
  p.ended(lanes);
};

/// What one instance of a policy manages, and so what its fragments' lanes are. A policy says it with
/// `static constexpr policy_scope scope`; one that says nothing manages a warp.
enum class policy_scope : unsigned char {
  warp,   ///< the lanes of one warp
  block,  ///< the threads of one thread block: lane i is thread i
  core    ///< the threads of all thread blocks resident on a core: lane b * threads + i is thread i of resident block b
};

/// What a policy promises about waiting for another thread of its scope. It says so with
/// `static constexpr progress_class progress`; one that says nothing promises nothing.
enum class progress_class : unsigned char {
  /// A thread may be kept waiting for ever: by one that spins for it, or because it waits for others at a place where
  /// these cannot come before it moves (behind a barrier).
  none,
  /// Only threads that spin keep others waiting: if threads wait for one another at barriers only, each comes to its
  /// end or to a barrier, however they have diverged (barrier_model::thread_arrival).
  lockstep_safe,
  /// Every live thread that does not wait runs again after finitely many steps, whatever the others do.
  fair
};

namespace detail {

template <class P>
constexpr policy_scope scope_of_policy() {
  if constexpr (requires { P::scope; })
    return P::scope;
  else
    return policy_scope::warp;
}

template <class P>
constexpr progress_class progress_of_policy() {
  if constexpr (requires { P::progress; })
    return P::progress;
  else
    return progress_class::none;
}

}  // namespace detail

/// The scope of a policy: what it says itself, else policy_scope::warp.
template <class P>
inline constexpr policy_scope scope_of = detail::scope_of_policy<P>();

/// The progress class of a policy: what it says itself, else progress_class::none.
template <class P>
inline constexpr progress_class progress_of = detail::progress_of_policy<P>();

/// A policy that can tell how many entries it holds, the running one included.
template <class P>
concept policy_with_depth = reconvergence_policy<P> && requires(const P& p) {
  { p.depth() } -> std::convertible_to<std::size_t>;
};

/// A policy whose mechanism executes operations of its own (inserted jumps, markers, no-op fetches): overhead() is
/// their number since start(). They are counted apart from the program's instructions.
template <class P>
concept policy_with_overhead = reconvergence_policy<P> && requires(const P& p) {
  { p.overhead() } -> std::convertible_to<std::size_t>;
};

/// A policy under which lanes wait for each other (at a convergence barrier of its own): blocked() are the lanes that
/// may not run before others have moved. When next() names nothing, that is the verdict nothing_runnable if every lane
/// that does not wait at a barrier is blocked, and lost_threads otherwise.
template <class P>
concept policy_with_blocked = reconvergence_policy<P> && requires(const P& p) {
  { p.blocked() } -> std::convertible_to<typename P::mask_type>;
};

/// A policy with blocked lanes that can let go of some before a run gets stuck. let_go() is called when nothing in any
/// warp can run and no barrier can open; it returns whether lanes that were blocked can run now.
template <class P>
concept policy_that_lets_go = policy_with_blocked<P> && requires(P& p) {
  { p.let_go() } -> std::same_as<bool>;
};

/// A policy of warps that parks and, if never_joins() is true, never joins groups: the lanes that next() names have
/// reached their block together, in one fragment of start(), advance() or release(). Its lanes can wait for each other
/// in the middle of a block (program_with_collectives).
template <class P>
concept policy_without_joins = parking_policy<P> && scope_of<P>
== policy_scope::warp&& requires(const P& p) {
  { p.never_joins() } -> std::convertible_to<bool>;
};

/// A policy that asks which threads its lanes are, because it looks something up by thread (simt/calls.hpp: the call
/// depth). The executor calls first_thread(t) before start(): lane i is thread t + i.
template <class P>
concept policy_with_first_thread = reconvergence_policy<P> && requires(P& p, std::uint32_t t) {
  p.first_thread(t);
};

/// A policy whose states can be compared, so that a livelock can be proven (limits::detect_livelock). Two policies are
/// equal only if next() will answer alike for ever, given the same calls: operator== compares all that changes and that
/// next() depends on; counters that it does not depend on are left out.
template <class P>
concept comparable_policy = reconvergence_policy<P> && std::equality_comparable<P>;

}  // namespace v0
}  // namespace simtflow
