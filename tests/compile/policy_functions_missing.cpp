// SPDX-License-Identifier: BSL-1.0
// One function at a time is left out of a policy, or is another one: the error is short and names it.
// FIRST: 10 lines
// AT MOST: 12 lines
// REJECT(mask_type): the policy names no type `mask_type`
// REJECT(copy): a policy must be copyable, for it is copied for every warp
// REJECT(start): the policy lacks `void start(const basic_fragment<mask_type>&)`
// REJECT(next): the policy lacks `std::optional<basic_fragment<mask_type>> next()`
// REJECT(next_type): next() of the policy must return std::optional<basic_fragment<mask_type>>
// REJECT(advance): the policy lacks `void advance(const basic_fragment<mask_type>&,
#include <simtflow/simt/check_policy.hpp>

#include <optional>
#include <span>

class policy {
 public:
#if !defined(REJECT_mask_type)
  using mask_type = simtflow::lane_mask;
#endif
#if defined(REJECT_copy)
  policy(const policy&) = delete;
#endif
#if defined(REJECT_start)
  void start();
#else
  void start(const simtflow::fragment&);
#endif
#if defined(REJECT_next_type)
  simtflow::fragment next();
#elif !defined(REJECT_next)
  std::optional<simtflow::fragment> next();
#endif
#if !defined(REJECT_advance)
  void advance(const simtflow::fragment&, std::span<const simtflow::fragment>);
#endif
};
static_assert(simtflow::check_policy<policy>());
