// SPDX-License-Identifier: BSL-1.0
#include "lab/timed_run.hpp"

#include "lab/device.hpp"
#include "lab/experiment.hpp"
#include "lab/files.hpp"
#include <simtflow/io/describe.hpp>
#include <simtflow/ptx/timed/timed_kernel.hpp>
#include <simtflow/timing/device.hpp>

#include <fmt/core.h>

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lab {

using namespace simtflow;

namespace {

// Tells the progress meter of basic blocks.
struct block_meter {
  progress_meter* to = nullptr;
  std::uint32_t unsaid = 0;

  template <class Mask>
  void operator()(std::uint64_t /*thread_block*/, const event::issued<Mask>& /*block*/) {
    if (to == nullptr || ++unsaid < (1U << 14)) return;
    to->count(unsaid);
    unsaid = 0;
  }
};

}  // namespace

// A watched policy has no take() of its own and would hide the box's, so the box is cut out of it.
template <class Mask>
timed_run experiment::run_timed_as(const chosen_policy& chosen, const timed_grid& how) {
  const ptx::decoded_kernel& kernel = file_.kernel;
  const basic_any_policy<Mask> policy = std::get<watched_policy<Mask>>(make_policy(chosen, plan_));
  ptx::launch_config config = config_of(launch_);
  if (policy.abilities().scope != policy_scope::warp)
    config.group_width = static_cast<std::uint32_t>(config.num_threads());
  timing::grid grid = ptx::grid_of(kernel, config, how.registers, barriers_for(chosen, conditions_.barriers));
  const bool many = conditions_.most_blocks > std::numeric_limits<std::uint64_t>::max() / grid.blocks;
  const timing::limits limits{.steps = many ? std::numeric_limits<std::uint64_t>::max()
                                            : conditions_.most_blocks * grid.blocks};

  timed_run result;
  result.memory = memory_;
  const std::vector<timing::memory_range> copied = ptx::copied_ranges(result.memory);
  grid.copied = copied;
  const ptx::instruction_table table(kernel);
  ptx::timed_output told;
  const auto make = [&](std::uint32_t) {
    return ptx::timed_kernel<Mask>(table, config, result.memory, *arguments_, &told);
  };
  const auto policy_for = [&](const ptx::timed_kernel<Mask>& program) {
    if (!policy.abilities().asks_first_thread) return policy;
    plan_.set_depths(program.depths());  // the policy looks up the call depths of this program's threads
    basic_any_policy<Mask> own = std::get<watched_policy<Mask>>(make_policy(chosen, plan_));
    plan_.set_depths({});
    return own;
  };
  block_meter meter{how.progress};
  auto made = timing::run(policy_for, make, grid, how.machine, limits, meter);
  if (!made) throw input_error(fmt::format("{}: {}", launch_.path, made.diagnostics().front().message));
  const basic_verdict<Mask>& verdict = made->verdict;
  result.how = verdict.how;
  if (result.how == outcome::fault)
    result.words = told.fault.describe();
  else if (result.how != outcome::finished)
    result.words = fmt::format("thread block {}: {}", made->stopped_block,
                               describe(verdict, [&](block_id b) { return kernel.block_name(b); }));
  result.report = std::move(static_cast<timing::report&>(*made));
  return result;
}

timed_run experiment::run_timed(const chosen_policy& chosen, const timed_grid& how) {
  std::optional<timed_run> last;  // the last run, and the order that it ran in
  priority_rule order{};
  const auto run = [&] {
    last = make_policy(chosen, plan_).index() == 0 ? run_timed_as<lane_mask>(chosen, how)
                                                   : run_timed_as<wide_mask>(chosen, how);
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
