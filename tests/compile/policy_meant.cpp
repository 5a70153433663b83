// SPDX-License-Identifier: BSL-1.0
// A member with the name of no ability is found when the author says which abilities are meant.
// FIRST: 10 lines
// AT MOST: 12 lines
// REJECT(dephts): the policy is meant to have depth()
// REJECT(parks): the policy is meant to park: it lacks park() and release()
// REJECT(warp): the policy has another scope than it is meant to have
// REJECT(fair): the policy has another progress class than it is meant to have
// REJECT(surplus): the policy has an ability that it is not meant to have
#include <simtflow/simt/check_policy.hpp>

#include <cstddef>
#include <optional>
#include <span>

using simtflow::fragment;

class policy {
 public:
  using mask_type = simtflow::lane_mask;
#if !defined(REJECT_warp)
  static constexpr simtflow::policy_scope scope = simtflow::policy_scope::block;
#endif
#if defined(REJECT_fair)
  static constexpr simtflow::progress_class progess = simtflow::progress_class::fair;
#else
  static constexpr simtflow::progress_class progress = simtflow::progress_class::fair;
#endif
  void start(const fragment&);
  std::optional<fragment> next();
  void advance(const fragment&, std::span<const fragment>);
#if defined(REJECT_parks)
  void prak(const fragment&);
  void relaese(const fragment&);
#else
  void park(const fragment&);
  void release(const fragment&);
#endif
#if defined(REJECT_dephts)
  std::size_t dephts() const;
#else
  std::size_t depth() const;
#endif
#if defined(REJECT_surplus)
  std::size_t overhead() const;
#endif
};
constexpr simtflow::policy_abilities meant{.scope = simtflow::policy_scope::block,
                                           .progress = simtflow::progress_class::fair,
                                           .parks = true,
                                           .tells_depth = true};
static_assert(simtflow::check_policy<policy, meant>());
