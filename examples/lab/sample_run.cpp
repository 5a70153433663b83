// SPDX-License-Identifier: BSL-1.0
#include "lab/sample_run.hpp"

#include "lab/experiment.hpp"
#include "lab/files.hpp"
#include <simtflow/simt/observers/branch_profile.hpp>

#include <concepts>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace lab {

using namespace simtflow;

template <class Policy>
sample_run experiment::replay_as(const chosen_policy& chosen, const advice::path_sample& sample,
                                 const std::vector<trace_barrier>& named, branch_profile* blame) {
  std::vector<std::uint32_t> weights(graph_.num_blocks(), 0);
  std::vector<unsigned char> barriers(graph_.num_blocks(), 0);
  for (block_id b = 0; b < file_.kernel.blocks.size(); ++b) {
    weights[b] = file_.kernel.weight(b);
    barriers[b] = has_barrier_[b] != 0 || !named[b].waits ? 1 : 0;
  }
  const bool same = bodies_.num_blocks() == graph_.num_blocks();
  const advice::sampled_code code{graph_, same ? graph_ : bodies_, weights, barriers, named, launch_.warp_width};
  const auto make = [&](const auto& program) {
    plan_.set_depths(program.depths());
    auto policy = std::get<Policy>(make_policy(chosen, plan_));
    plan_.set_depths({});
    return policy;
  };
  const auto watch = [&](const auto& e) {
    if constexpr (std::invocable<branch_profile&, decltype(e)>)
      if (blame != nullptr) (*blame)(e);
  };
  sample_run out;
  static_cast<advice::sample_work&>(out) = advice::replay_sample<typename Policy::mask_type>(
      sample, code, barriers_for(chosen, conditions_.barriers), make, watch, {.steps = conditions_.most_blocks});
  if (out.how != outcome::finished) out.words = std::string(to_string(out.how));
  return out;
}

sample_run experiment::replay(const chosen_policy& chosen, const advice::path_sample& sample, branch_profile* blame) {
  const std::optional<std::vector<trace_barrier>> named = known_barriers();
  if (!named) throw input_error("a barrier's number or thread count is known only in a run");
  const auto once = [&](branch_profile* to) {
    return std::visit([&]<class Policy>(const Policy&) { return replay_as<Policy>(chosen, sample, *named, to); },
                      make_policy(chosen, plan_));
  };
  return run_in_safe_order(
      plan_, chosen, barriers_for(chosen, conditions_.barriers), [&] { return once(nullptr); },
      [&] { return once(blame); });
}

}  // namespace lab
