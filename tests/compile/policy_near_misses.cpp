// SPDX-License-Identifier: BSL-1.0
// A policy with every optional ability. One member at a time is misspelt or has another type: the error is short and
// names it.
// FIRST: 10 lines
// AT MOST: 12 lines
// REJECT(relaese): the policy has park() and lacks `void release(const basic_fragment<mask_type>&)`
// REJECT(pakr): the policy has release() and lacks `void park(const basic_fragment<mask_type>&)`
// REJECT(park_of_two): park of the policy must be `void park(const basic_fragment<mask_type>&)`
// REJECT(release_by_ref): release of the policy must be `void release(const basic_fragment<mask_type>&)`
// REJECT(ended_of_one): ended of the policy must be `void ended(const mask_type&)`
// REJECT(scope_of_int): scope of the policy must be `static constexpr policy_scope`
// REJECT(scope_of_object): scope of the policy must be `static constexpr policy_scope`
// REJECT(progress_of_bool): progress of the policy must be `static constexpr progress_class`
// REJECT(depth_not_const): depth of the policy must be `std::size_t depth() const`
// REJECT(overhead_of_text): overhead of the policy must be `std::size_t overhead() const`
// REJECT(blocked_of_number): blocked of the policy must be `mask_type blocked() const`
// REJECT(bloked): the policy has let_go() and lacks `mask_type blocked() const`
// REJECT(let_go_of_void): let_go of the policy must be `bool let_go()`
// REJECT(never_joins_of_void): never_joins of the policy must be `bool never_joins() const`
// REJECT(first_thread_of_text): first_thread of the policy must be `void first_thread(std::uint32_t)`
// REJECT(equal_of_int): == of the policy must compare const policies and return bool
#include <simtflow/simt/check_policy.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

using simtflow::fragment;
using simtflow::lane_mask;

class policy {
 public:
  using mask_type = lane_mask;
#if defined(REJECT_scope_of_int)
  static constexpr int scope = 1;
#elif defined(REJECT_scope_of_object)
  simtflow::policy_scope scope = simtflow::policy_scope::warp;
#else
  static constexpr simtflow::policy_scope scope = simtflow::policy_scope::warp;
#endif
#if defined(REJECT_progress_of_bool)
  static constexpr bool progress = true;
#else
  static constexpr simtflow::progress_class progress = simtflow::progress_class::fair;
#endif
  void start(const fragment&);
  std::optional<fragment> next();
  void advance(const fragment&, std::span<const fragment>);
#if defined(REJECT_park_of_two)
  void park(const fragment&, int);
#elif defined(REJECT_pakr)
  void pakr(const fragment&);
#else
  void park(const fragment&);
#endif
#if defined(REJECT_relaese)
  void relaese(const fragment&);
#elif defined(REJECT_release_by_ref)
  void release(fragment&);
#else
  void release(const fragment&);
#endif
#if defined(REJECT_ended_of_one)
  void ended(const fragment&);
#else
  void ended(const lane_mask&);
#endif
#if defined(REJECT_depth_not_const)
  std::size_t depth();
#else
  std::size_t depth() const;
#endif
#if defined(REJECT_overhead_of_text)
  const char* overhead() const;
#else
  std::size_t overhead() const;
#endif
#if defined(REJECT_blocked_of_number)
  std::uint64_t blocked() const;
#elif defined(REJECT_bloked)
  lane_mask bloked() const;
#else
  lane_mask blocked() const;
#endif
#if defined(REJECT_let_go_of_void)
  void let_go();
#else
  bool let_go();
#endif
#if defined(REJECT_never_joins_of_void)
  void never_joins() const;
#else
  bool never_joins() const;
#endif
#if defined(REJECT_first_thread_of_text)
  void first_thread(const char*);
#else
  void first_thread(std::uint32_t);
#endif
#if defined(REJECT_equal_of_int)
  friend void operator==(const policy&, const policy&);
#else
  friend bool operator==(const policy&, const policy&);
#endif
};
static_assert(simtflow::check_policy<policy>());
