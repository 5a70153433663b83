// SPDX-License-Identifier: BSL-1.0
// Who forgets check_policy() gets its sentence from run() and from the executor, before anything else.
// FIRST: 10 lines
// REJECT(run): the policy has park() and lacks `void release(const basic_fragment<mask_type>&)`
// REJECT(next): next() of the policy must return std::optional<basic_fragment<mask_type>>
// REJECT(executor): the policy has park() and lacks `void release(const basic_fragment<mask_type>&)`
#include <simtflow/simt/executor.hpp>

#include <cstdint>
#include <optional>
#include <span>

using simtflow::fragment;

class policy {
 public:
  using mask_type = simtflow::lane_mask;
  void start(const fragment&) {}
#if defined(REJECT_next)
  fragment next();
#else
  std::optional<fragment> next() { return std::nullopt; }
#endif
  void advance(const fragment&, std::span<const fragment>) {}
#if defined(REJECT_run) || defined(REJECT_executor)
  void park(const fragment&) {}
  void relaese(const fragment&) {}
#endif
};

void use() {
#if defined(REJECT_executor)
  simtflow::executor<policy> machine{policy()};
#else
  simtflow::run(policy(), [](std::uint32_t, simtflow::block_id) { return simtflow::no_block; }, {.threads = 4});
#endif
}
