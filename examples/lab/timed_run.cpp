// SPDX-License-Identifier: BSL-1.0
#include "lab/timed_run.hpp"

#include "lab/device.hpp"
#include "lab/experiment.hpp"
#include "lab/timed_code.hpp"
#include <simtflow/ptx/timed/timed_kernel.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace lab {

using namespace simtflow;

template <class Mask>
timed_run experiment::run_timed_as(const chosen_policy& chosen, const timed_grid& how) {
  const ptx::decoded_kernel& kernel = file_.kernel;
  ptx::launch_config config = config_of(launch_);
  if (scope_managed(chosen) != policy_scope::warp)
    config.group_width = static_cast<std::uint32_t>(config.num_threads());
  ptx::device_memory memory = memory_;
  const std::vector<timing::memory_range> copied = ptx::copied_ranges(memory);
  timed_code code{{},
                  kernel.barriers(),
                  graph_,
                  bodies_,
                  plan_,
                  ptx::grid_of(kernel, config, how.registers, barriers_for(chosen, conditions_.barriers)),
                  conditions_.most_blocks,
                  launch_.path};
  code.grid.copied = copied;
  for (block_id b = 0; b < kernel.blocks.size(); ++b) code.weights.push_back(kernel.weight(b));

  const ptx::instruction_table table(kernel);
  ptx::timed_output told;
  const auto make = [&]<class Program>(std::type_identity<Program>, const auto&... rows) {
    return Program(rows..., table, config, memory, *arguments_, &told);
  };
  timed_run result = run_on_machine<Mask, ptx::timed_kernel<Mask>>(
      chosen, code, how, make, [&](block_id b, bool at_end) { return kernel.block_name_with_source(b, at_end); });
  if (result.how == outcome::fault) result.words = told.fault.describe();
  result.memory = std::move(memory);
  return result;
}

timed_run experiment::run_timed(const chosen_policy& chosen, const timed_grid& how) {
  std::optional<timed_run> last;  // the last run, and the order that it ran in
  priority_rule order{};
  const auto run = [&] {
    last = with_mask_of(chosen, plan_, [&]<class Mask>(const Mask&) { return run_timed_as<Mask>(chosen, how); });
    order = plan_.order();
  };
  struct ending {
    outcome how;
    std::string words;
  };
  return run_in_safe_order(
      plan_, chosen, barriers_for(chosen, conditions_.barriers),
      [&] {
        run();
        return ending{last->how, last->words};
      },
      [&] {
        if (!last || order != plan_.order()) run();  // a run in this order gives the same again
        return *std::move(last);
      });
}

}  // namespace lab
