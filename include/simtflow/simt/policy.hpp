// SPDX-License-Identifier: BSL-1.0
//
// Policies: the choice of the lanes that run next. A reconvergence policy manages the lanes of one warp (or of a wider
// policy_scope) through three functions and never looks at instructions:
//
//   start(f)         all live lanes stand at f.block
//   next()           the fragment that runs now; empty when the policy has no lane that could run
//   advance(f, out)  f ran; `out` holds its surviving lanes by next block (lanes of f that are missing have ended)
//
// The executor holds every policy to two laws. A breach gives the verdict policy_error or lost_threads, never a wrong
// result:
//
//   - next() names lanes that all stand at that block, at least one and no more than a warp has.
//   - As long as a lane is live and does not wait, next() names some fragment.
//
// Only the executor knows where lanes stand, so a thread's path is the same under every policy.
//
// Everything else is optional: a policy has an ability if it has the member of that name (policy_abilities).
// check_policy<P>() in simt/check_policy.hpp finds members that are nearly an ability.
#pragma once

#include <simtflow/simt/mask.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

namespace simtflow {
inline namespace v0 {

/// A type with the three functions above. A policy is copied for every warp, thread block or core (its scope), so
/// copies share no state that changes.
template <class P>
concept reconvergence_policy = std::copyable<P> &&
    requires(P& p, const basic_fragment<typename P::mask_type>& f,
             std::span<const basic_fragment<typename P::mask_type>> out) {
  p.start(f);
  { p.next() } -> std::same_as<std::optional<basic_fragment<typename P::mask_type>>>;
  p.advance(f, out);
};

/// A policy under which some lanes of a warp can wait while others run. park(f) removes lanes that ran and now wait at
/// a barrier; it is called instead of advance(). release(f) puts lanes back at a block.
///
/// barrier_model::thread_arrival needs such a policy. So does every barrier under a policy of wider scope than a warp,
/// because some of its lanes go on.
template <class P>
concept parking_policy = reconvergence_policy<P> && requires(P& p, const basic_fragment<typename P::mask_type>& f) {
  p.park(f);
  p.release(f);
};

/// A parking policy that counts on parked lanes and must know when they do not come back. ended(lanes) says that lanes
/// that were parked together have ended when their barrier opened. The call comes before release() of the lanes that go
/// on; under core scope there is one call for each thread block.
template <class P>
concept policy_with_ended = parking_policy<P> && requires(P& p, const typename P::mask_type& lanes) {
  p.ended(lanes);
};

/// The threads that one instance of a policy manages: the lanes of its fragments. A policy says so with
/// `static constexpr policy_scope scope`; a policy without it manages a warp.
enum class policy_scope : unsigned char {
  warp,   ///< the lanes of one warp
  block,  ///< the threads of one thread block: lane i is thread i
  core    ///< the threads of all thread blocks resident on a core: lane b * threads + i is thread i of resident block b
};

/// "warp", "block", "core".
[[nodiscard]] constexpr const char* to_string(policy_scope scope) {
  switch (scope) {
    case policy_scope::warp:
      return "warp";
    case policy_scope::block:
      return "block";
    case policy_scope::core:
      return "core";
  }
  return "";
}

/// A policy's promise about threads that wait for another thread of its scope. A policy says so with
/// `static constexpr progress_class progress`; a policy without it promises nothing.
enum class progress_class : unsigned char {
  /// A thread may wait forever: for its turn while another thread spins, or at a place that the other threads cannot
  /// reach before it moves (past a barrier).
  none,
  /// Only threads that spin keep others waiting: if threads wait for one another at barriers only, each comes to its
  /// end or to a barrier, however they have diverged (barrier_model::thread_arrival).
  lockstep_safe,
  /// Every live thread that does not wait runs again after finitely many steps, whatever the other threads do.
  fair
};

/// "none", "lockstep-safe", "fair".
[[nodiscard]] constexpr const char* to_string(progress_class progress) {
  switch (progress) {
    case progress_class::none:
      return "none";
    case progress_class::lockstep_safe:
      return "lockstep-safe";
    case progress_class::fair:
      return "fair";
  }
  return "";
}

namespace detail {

// True if P::scope is a policy_scope; check_policy() explains what is wrong with another member of that name.
template <class P>
concept says_scope = std::same_as<decltype(&P::scope), const policy_scope*> && requires {
  typename std::integral_constant<policy_scope, P::scope>;
};

// True if P::progress is a progress_class.
template <class P>
concept says_progress = std::same_as<decltype(&P::progress), const progress_class*> && requires {
  typename std::integral_constant<progress_class, P::progress>;
};

template <class P>
constexpr policy_scope scope_of_policy() {
  if constexpr (says_scope<P>)
    return P::scope;
  else
    return policy_scope::warp;
}

template <class P>
constexpr progress_class progress_of_policy() {
  if constexpr (says_progress<P>)
    return P::progress;
  else
    return progress_class::none;
}

}  // namespace detail

/// The scope that a policy type states, else policy_scope::warp.
template <class P>
inline constexpr policy_scope scope_of = detail::scope_of_policy<P>();

/// The progress class that a policy type states, else progress_class::none.
template <class P>
inline constexpr progress_class progress_of = detail::progress_of_policy<P>();

/// A policy that can tell how many entries it holds, the running one included.
template <class P>
concept policy_with_depth = reconvergence_policy<P> && requires(const P& p) {
  { p.depth() } -> std::convertible_to<std::size_t>;
};

/// A policy with a mechanism that executes operations of its own: inserted jumps, markers, no-op fetches. overhead() is
/// their number since start(). They are counted apart from the program's instructions.
template <class P>
concept policy_with_overhead = reconvergence_policy<P> && requires(const P& p) {
  { p.overhead() } -> std::convertible_to<std::size_t>;
};

/// A policy under which lanes wait for each other at convergence barriers of its own. blocked() returns the lanes that
/// may not run before others have moved. When next() names nothing, the verdict is nothing_runnable if every lane that
/// does not wait at a barrier of the program is blocked, and lost_threads otherwise.
template <class P>
concept policy_with_blocked = reconvergence_policy<P> && requires(const P& p) {
  { p.blocked() } -> std::convertible_to<typename P::mask_type>;
};

/// A policy that can let go of blocked lanes before a run gets stuck. The executor calls let_go() when no warp can run
/// and no barrier can open. It returns true if lanes that were blocked can run now.
template <class P>
concept policy_that_lets_go = policy_with_blocked<P> && requires(P& p) {
  { p.let_go() } -> std::same_as<bool>;
};

namespace detail {

// One instance manages a warp.
template <class P>
concept policy_of_warps = std::bool_constant < scope_of<P>
== policy_scope::warp > ::value;

}  // namespace detail

/// A parking policy of warps that can keep groups apart. If never_joins() is true, the lanes that next() names have
/// reached their block together, in one fragment of start(), advance() or release(). Such lanes can wait for each other
/// in the middle of a block (program_with_collectives).
template <class P>
concept policy_without_joins = parking_policy<P> && detail::policy_of_warps<P> && requires(const P& p) {
  { p.never_joins() } -> std::convertible_to<bool>;
};

/// A policy that looks something up by thread, such as the call depth (simt/calls.hpp). The executor calls
/// first_thread(t) before start(): lane i is thread t + i.
template <class P>
concept policy_with_first_thread = reconvergence_policy<P> && requires(P& p, std::uint32_t t) {
  p.first_thread(t);
};

/// A policy that can have several fragments in flight, as hardware has that hides latency (the cycle model, timing/).
/// take() is next() for the lanes that are not in flight: it names a fragment, which is in flight until advance(f, out)
/// or park(f) is called with exactly that fragment. Empty: nothing more is ready now. A policy without take() has at
/// most one fragment in flight, which next() names. The laws, beside the laws of next():
///
///   - A lane is in at most one fragment in flight.
///   - As long as nothing is in flight, take() names what next() would name. next() is not called while a fragment is
///     in flight.
///   - Fragments in flight may be advanced or parked in any order. The order changes no thread's path.
///   - As long as nothing is in flight, take() names some fragment if next() has to.
template <class P>
concept overlapping_policy = reconvergence_policy<P> && requires(P& p) {
  { p.take() } -> std::same_as<std::optional<basic_fragment<typename P::mask_type>>>;
};

namespace detail {

// True if P::schedules_issue is a bool.
template <class P>
concept says_schedules_issue = std::same_as<decltype(&P::schedules_issue), const bool*> && requires {
  typename std::bool_constant<P::schedules_issue>;
};

template <class P>
constexpr bool schedules_issue_of() {
  if constexpr (says_schedules_issue<P>)
    return P::schedules_issue;
  else
    return false;
}

}  // namespace detail

/// True if the policy itself picks the warp that issues (dynamic warps), which it says with `static constexpr bool
/// schedules_issue = true`. take() is then called only for a free issue slot, never ahead.
template <class P>
inline constexpr bool schedules_issue = detail::schedules_issue_of<P>();

/// A policy with states that can be compared, so that a livelock can be proven (limits::detect_livelock). Two policies
/// are equal only if next() will answer alike forever, given the same calls. operator== therefore compares everything
/// that changes and that next() depends on, and no counters.
template <class P>
concept comparable_policy = reconvergence_policy<P> && std::equality_comparable<P>;

/// The abilities of a policy beyond start(), next() and advance().
struct policy_abilities {
  policy_scope scope = policy_scope::warp;         ///< what one instance manages
  progress_class progress = progress_class::none;  ///< what it promises about waiting
  bool parks = false;                              ///< park() and release(): parking_policy
  bool hears_of_ended = false;                     ///< ended(): policy_with_ended
  bool tells_depth = false;                        ///< depth(): policy_with_depth
  bool tells_overhead = false;                     ///< overhead(): policy_with_overhead
  bool tells_blocked = false;                      ///< blocked(): policy_with_blocked
  bool lets_go = false;                            ///< let_go(): policy_that_lets_go
  bool can_keep_groups = false;                    ///< never_joins(), which may be false: policy_without_joins
  bool asks_first_thread = false;                  ///< first_thread(): policy_with_first_thread
  bool comparable = false;                         ///< ==: comparable_policy
  bool overlaps = false;                           ///< take(): overlapping_policy
  bool schedules_issue = false;                    ///< true: take() only for a free issue slot
  /// True if both name the same scope, progress class and members.
  friend constexpr bool operator==(const policy_abilities&, const policy_abilities&) = default;
};

/// The abilities of a policy type, read off its members. A policy_of_run_time_abilities has every member, and its
/// objects may have other abilities: abilities_of().
template <class P>
inline constexpr policy_abilities static_abilities{scope_of<P>,
                                                   progress_of<P>,
                                                   parking_policy<P>,
                                                   policy_with_ended<P>,
                                                   policy_with_depth<P>,
                                                   policy_with_overhead<P>,
                                                   policy_with_blocked<P>,
                                                   policy_that_lets_go<P>,
                                                   policy_without_joins<P>,
                                                   policy_with_first_thread<P>,
                                                   comparable_policy<P>,
                                                   overlapping_policy<P>,
                                                   schedules_issue<P>};

/// A policy with abilities that depend on the policy that it holds or on its options (simt/any_policy.hpp), so its type
/// does not tell them. abilities() says what this object promises, and which optional members mean something.
template <class P>
concept policy_of_run_time_abilities = reconvergence_policy<P> && requires(const P& p) {
  { p.abilities() } -> std::same_as<policy_abilities>;
};

/// The abilities of a policy object: abilities() of a policy_of_run_time_abilities, else static_abilities.
template <reconvergence_policy P>
[[nodiscard]] constexpr policy_abilities abilities_of([[maybe_unused]] const P& p) {
  if constexpr (policy_of_run_time_abilities<P>)
    return p.abilities();
  else
    return static_abilities<P>;
}

}  // namespace v0
}  // namespace simtflow
