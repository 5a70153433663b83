// SPDX-License-Identifier: BSL-1.0
//
// A check of a policy type. The executor looks for members to see what a policy can do, so a misspelt member is an
// ability that is silently missing. `check_policy<P>()` says at compile time, one sentence each, what P lacks and which
// member is nearly one of the executor's. Name the abilities that you mean P to have, and the check also
// finds the member that has another name:
//
//   static_assert(simtflow::check_policy<my_policy>());
//   static_assert(simtflow::check_policy<my_policy, policy_abilities{.parks = true, .tells_depth = true}>());
//
// The check finds near misses in the members themselves, and not in a nested `traits` that repeats them. A policy
// without `traits` would be as silent as a policy with a misspelt member, and every ability would stand in two places.
//
// Names of abilities are reserved: a public member of a policy with the name of an ability is that ability, or an
// error. The check judges overloaded and templated members by calls only.
#pragma once

#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policy.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

namespace simtflow {
inline namespace v0 {
namespace detail {

// The functions that every policy has. Each condition has a name, because the compiler repeats the condition that
// failed.
template <class P>
consteval bool check_policy_functions() {
  using F = basic_fragment<typename P::mask_type>;
  constexpr bool copyable = std::copyable<P>;
  static_assert(copyable, "simtflow: a policy must be copyable, for it is copied for every warp");
  constexpr bool has_start = requires(P & p, const F& f) { p.start(f); };
  static_assert(has_start, "simtflow: the policy lacks `void start(const basic_fragment<mask_type>&)`");
  constexpr bool has_next = requires(P & p) { p.next(); };
  static_assert(has_next, "simtflow: the policy lacks `std::optional<basic_fragment<mask_type>> next()`");
  if constexpr (has_next) {
    constexpr bool next_returns_fragment = std::same_as<decltype(std::declval<P&>().next()), std::optional<F>>;
    static_assert(next_returns_fragment,
                  "simtflow: next() of the policy must return std::optional<basic_fragment<mask_type>>");
  }
  constexpr bool has_advance = requires(P & p, const F& f, std::span<const F> out) { p.advance(f, out); };
  static_assert(has_advance,
                "simtflow: the policy lacks `void advance(const basic_fragment<mask_type>&, "
                "std::span<const basic_fragment<mask_type>>)`");
  return copyable && has_start && has_next && has_advance;
}

// The constants, the const functions and the small hooks of a policy.
template <class P>
consteval void check_policy_statements() {
  using M = typename P::mask_type;
  if constexpr (requires { P::scope; }) {
    constexpr bool scope_is_one = says_scope<P>;
    static_assert(scope_is_one, "simtflow: scope of the policy must be `static constexpr policy_scope`");
  }
  if constexpr (requires { P::progress; }) {
    constexpr bool progress_is_class = says_progress<P>;
    static_assert(progress_is_class, "simtflow: progress of the policy must be `static constexpr progress_class`");
  }
  if constexpr (requires { &P::depth; }) {
    constexpr bool depth_is_number = policy_with_depth<P>;
    static_assert(depth_is_number, "simtflow: depth of the policy must be `std::size_t depth() const`");
  }
  if constexpr (requires { &P::overhead; }) {
    constexpr bool overhead_is_number = policy_with_overhead<P>;
    static_assert(overhead_is_number, "simtflow: overhead of the policy must be `std::size_t overhead() const`");
  }
  constexpr bool names_blocked = requires { &P::blocked; };
  if constexpr (names_blocked) {
    constexpr bool blocked_is_mask = requires(const P& p) {
      { p.blocked() } -> std::convertible_to<M>;
    };
    static_assert(blocked_is_mask, "simtflow: blocked of the policy must be `mask_type blocked() const`");
  }
  if constexpr (requires { &P::let_go; }) {
    constexpr bool let_go_is_bool = requires(P & p) {
      { p.let_go() } -> std::same_as<bool>;
    };
    static_assert(let_go_is_bool, "simtflow: let_go of the policy must be `bool let_go()`");
    static_assert(names_blocked || !let_go_is_bool,
                  "simtflow: the policy has let_go() and lacks `mask_type blocked() const`");
  }
  if constexpr (requires { &P::first_thread; }) {
    constexpr bool first_thread_takes_id = policy_with_first_thread<P>;
    static_assert(first_thread_takes_id,
                  "simtflow: first_thread of the policy must be `void first_thread(std::uint32_t)`");
  }
  if constexpr (requires { &P::take; }) {
    constexpr bool take_is_like_next = overlapping_policy<P>;
    static_assert(take_is_like_next,
                  "simtflow: take of the policy must be `std::optional<basic_fragment<mask_type>> take()`");
  }
  if constexpr (requires { P::schedules_issue; }) {
    constexpr bool schedules_issue_is_bool = says_schedules_issue<P>;
    static_assert(schedules_issue_is_bool, "simtflow: schedules_issue of the policy must be `static constexpr bool`");
  }
  if constexpr (requires { &P::abilities; }) {
    constexpr bool abilities_are_told = policy_of_run_time_abilities<P>;
    static_assert(abilities_are_told, "simtflow: abilities of the policy must be `policy_abilities abilities() const`");
  }
  if constexpr (requires(P & a) { a == a; }) {
    constexpr bool equality_is_bool = std::equality_comparable<P>;
    static_assert(equality_is_bool, "simtflow: == of the policy must compare const policies and return bool");
  }
}

// park(), release() and the members that need them.
template <class P>
consteval void check_policy_parking() {
  using M = typename P::mask_type;
  using F = basic_fragment<M>;
  constexpr bool parks = requires(P & p, const F& f) { p.park(f); };
  constexpr bool releases = requires(P & p, const F& f) { p.release(f); };
  if constexpr (requires { &P::park; })
    static_assert(parks, "simtflow: park of the policy must be `void park(const basic_fragment<mask_type>&)`");
  if constexpr (requires { &P::release; })
    static_assert(releases, "simtflow: release of the policy must be `void release(const basic_fragment<mask_type>&)`");
  constexpr bool named_both = (parks || requires { &P::park; }) == (releases || requires { &P::release; });
  static_assert(named_both || !parks,
                "simtflow: the policy has park() and lacks `void release(const basic_fragment<mask_type>&)`");
  static_assert(named_both || !releases,
                "simtflow: the policy has release() and lacks `void park(const basic_fragment<mask_type>&)`");
  if constexpr (requires { &P::ended; }) {
    constexpr bool ended_takes_mask = requires(P & p, const M& lanes) { p.ended(lanes); };
    static_assert(ended_takes_mask, "simtflow: ended of the policy must be `void ended(const mask_type&)`");
  }
  if constexpr (requires { &P::never_joins; }) {
    constexpr bool never_joins_is_bool = requires(const P& p) {
      { p.never_joins() } -> std::convertible_to<bool>;
    };
    static_assert(never_joins_is_bool, "simtflow: never_joins of the policy must be `bool never_joins() const`");
    constexpr bool never_joins_of_parked = policy_without_joins<P> || !never_joins_is_bool || !(parks && releases);
    static_assert(never_joins_of_parked,
                  "simtflow: the policy has never_joins(), which only policies of warps may have");
  }
}

template <class P, policy_abilities Meant>
consteval void check_policy_is_as_meant() {
  constexpr policy_abilities found = static_abilities<P>;
  static_assert(found.scope == Meant.scope, "simtflow: the policy has another scope than it is meant to have");
  static_assert(found.progress == Meant.progress,
                "simtflow: the policy has another progress class than it is meant to have");
  static_assert(found.parks || !Meant.parks, "simtflow: the policy is meant to park: it lacks park() and release()");
  static_assert(found.hears_of_ended || !Meant.hears_of_ended, "simtflow: the policy is meant to have ended()");
  static_assert(found.tells_depth || !Meant.tells_depth, "simtflow: the policy is meant to have depth()");
  static_assert(found.tells_overhead || !Meant.tells_overhead, "simtflow: the policy is meant to have overhead()");
  static_assert(found.tells_blocked || !Meant.tells_blocked, "simtflow: the policy is meant to have blocked()");
  static_assert(found.lets_go || !Meant.lets_go, "simtflow: the policy is meant to have let_go()");
  static_assert(found.can_keep_groups || !Meant.can_keep_groups, "simtflow: the policy is meant to have never_joins()");
  static_assert(found.asks_first_thread || !Meant.asks_first_thread,
                "simtflow: the policy is meant to have first_thread()");
  static_assert(found.comparable || !Meant.comparable, "simtflow: the policy is meant to have ==");
  static_assert(found.overlaps || !Meant.overlaps, "simtflow: the policy is meant to have take()");
  static_assert(found.schedules_issue == Meant.schedules_issue,
                "simtflow: the policy has another schedules_issue than it is meant to have");
  // The code above has reported each missing ability: this code reports only abilities that are there in addition.
  constexpr auto count = [](const policy_abilities& a) {
    return a.parks + a.hears_of_ended + a.tells_depth + a.tells_overhead + a.tells_blocked + a.lets_go +
           a.can_keep_groups + a.asks_first_thread + a.comparable + a.overlaps;
  };
  constexpr bool nothing_else = count(found) <= count(Meant);
  static_assert(nothing_else, "simtflow: the policy has an ability that it is not meant to have");
}

}  // namespace detail

/// Explains by static_assert what keeps P from being a reconvergence policy, and which public member is nearly an
/// optional ability; true otherwise. The cause stands in the first ten lines of the compiler's output. The abilities
/// found are static_abilities<P>. executor and run() call it.
/// \pre none: P may be any type. Complexity: nothing happens at run time.
/// Errors: a static_assert that names what is missing or misspelt.
/// \snippet reference_test.cpp check_policy
template <class P>
consteval bool check_policy() {
  constexpr bool names_mask = requires { typename P::mask_type; };
  static_assert(names_mask, "simtflow: the policy names no type `mask_type`");
  if constexpr (names_mask) {
    if constexpr (detail::check_policy_functions<P>()) {
      detail::check_policy_statements<P>();
      detail::check_policy_parking<P>();
    }
  }
  return true;  // the assertions have named what is missing
}

/// The same, and P has the abilities `Meant` and no other.
template <class P, policy_abilities Meant>
consteval bool check_policy() {
  check_policy<P>();
  if constexpr (reconvergence_policy<P>) detail::check_policy_is_as_meant<P, Meant>();
  return true;
}

}  // namespace v0
}  // namespace simtflow
