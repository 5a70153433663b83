// SPDX-License-Identifier: BSL-1.0
// A type that is no policy, a policy that nobody can make, and a maker of something else are refused in a sentence.
// FIRST: 12 lines
// AT MOST: 20 lines
// REJECT(next): the policy lacks `std::optional<basic_fragment<mask_type>> next()`
// REJECT(make): register_policy needs a third argument, a function that takes a `const policy_inputs&`
// REJECT(maker): the third argument of register_policy must be a function that takes a `const
#include <simtflow/simt/policy_registry.hpp>

#include <optional>
#include <span>

class policy {
 public:
  using mask_type = simtflow::lane_mask;
#if defined(REJECT_make)
  explicit policy(int entries);
#endif
  void start(const simtflow::fragment&) {}
#if !defined(REJECT_next)
  std::optional<simtflow::fragment> next() { return std::nullopt; }
#endif
  void advance(const simtflow::fragment&, std::span<const simtflow::fragment>) {}
};

#if defined(REJECT_maker)
const auto wrong = simtflow::register_policy<policy>("mine", {}, [](int) { return policy(); });
#else
const auto wrong = simtflow::register_policy<policy>("mine");
#endif
