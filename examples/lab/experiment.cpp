// SPDX-License-Identifier: BSL-1.0
#include "lab/experiment.hpp"

#include "lab/device.hpp"
#include "lab/files.hpp"
#include <simtflow/io/describe.hpp>
#include <simtflow/io/event_trace.hpp>

#include <fmt/core.h>

#include <type_traits>
#include <utility>
#include <variant>

namespace lab {

using namespace simtflow;

namespace {

launch_file read_launch(const std::string& path, std::uint32_t warp_width) {
  launch_file launch = parse_launch_file(read_text(path), path);
  if (warp_width != 0) launch.warp_width = warp_width;
  return launch;
}

std::vector<std::uint32_t> weights_of(const ptx::decoded_kernel& kernel) {
  std::vector<std::uint32_t> weights;
  for (block_id b = 0; b < kernel.blocks.size(); ++b) weights.push_back(kernel.weight(b));
  return weights;
}

}  // namespace

experiment::experiment(const std::string& kernel_path, const std::string& launch_path, const run_conditions& conditions)
    : launch_(read_launch(launch_path, conditions.warp_width)),
      file_(load_kernel(kernel_path, launch_.kernel, launch_path + ": /kernel")),
      conditions_(conditions),
      graph_(file_.kernel.cfg()),
      bodies_(file_.kernel.bodies()),
      has_barrier_(file_.kernel.barriers()),
      loops_(simtflow::loops(bodies_)),
      plan_(graph_, bodies_, conditions.order, has_barrier_, weights_of(file_.kernel), launch_.warp_width),
      memory_(device_memory_for(launch_)) {
  arguments_ = arguments_for(file_.kernel, launch_, memory_);
  for (const diagnostic& d : ptx::check_launch(file_.kernel, config_of(launch_), *arguments_, wide_mask::capacity))
    throw input_error(fmt::format("{}: {}", launch_.path, d.message));
}

template <class Policy, class Program>
void experiment::run_program(Program& program, const chosen_policy& chosen, const watch_list& watch,
                             const std::function<void(std::uint64_t)>& after, grid_run& result) {
  const ptx::decoded_kernel& kernel = file_.kernel;
  plan_.set_depths(program.depths());
  auto policy = std::get<Policy>(make_policy(chosen, plan_));
  plan_.set_depths({});
  const auto work = policy.work();
  const limits limit{.steps = conditions_.most_blocks, .detect_livelock = policy.comparable()};
  {
    executor<Policy> machine(std::move(policy));
    run_watcher<typename Policy::mask_type> observer(result.counts, watch);
    const bool alone = chosen.info->name == oracle_name;  // the oracle's lanes never meet: only its own model fits
    const simtflow::launch shape{.threads = launch_.threads_per_block(),
                                 .warp_width = launch_.warp_width,
                                 .barriers = barriers_for(chosen, alone ? std::nullopt : conditions_.barriers)};
    for (std::uint64_t b = 0; b < launch_.thread_blocks(); ++b) {
      program.begin_block_number(b);
      const auto verdict = machine.run(shape, program, observer, limit);
      if (verdict.finished()) {
        if (after) after(b);
        continue;
      }
      result.how = verdict.how;
      if (verdict.how == outcome::fault) result.where = program.fault().where;
      result.words = verdict.how == outcome::fault
                         ? program.fault().describe()
                         : fmt::format("thread block {}: {}", b,
                                       describe(verdict, [&](block_id at) { return kernel.block_name(at); }));
      break;
    }
    if (watch.events != nullptr) {
      const auto name = [&](block_id b) { return kernel.block_name(b); };
      watch.events->text =
          watch.events->json ? to_trace_json(observer.events(), trace_rows::lanes, name) : to_csv(observer.events());
    }
  }
  result.work = *work;  // complete now that the machine is gone
  for (block_id b = 0; b < kernel.blocks.size(); ++b) {
    const ptx::block_exit end = kernel.blocks[b].end;
    if (end != ptx::block_exit::barrier && end != ptx::block_exit::arrive) continue;
    result.named_barriers = result.named_barriers || end == ptx::block_exit::arrive || program.barrier_id(b) != 0 ||
                            program.barrier_count(b) != 0;
  }
  for (const ptx::printed_text& p : program.printed()) result.printed += p.text;
}

template <class Policy>
grid_run experiment::run_grid(const chosen_policy& chosen, const watch_list& watch,
                              const std::function<void(std::uint64_t)>& after) {
  using mask = typename Policy::mask_type;
  grid_run result;
  result.memory = memory_;
  ptx::launch_config config = config_of(launch_);
  if constexpr (scope_of<Policy> != policy_scope::warp) config.group_width = launch_.threads_per_block();
  if (watch.metrics != nullptr) {
    ptx::interpreter<mask, full_metrics> program(file_.kernel, config, result.memory, *arguments_, *watch.metrics);
    run_program<Policy>(program, chosen, watch, after, result);
  } else {
    ptx::interpreter<mask> program(file_.kernel, config, result.memory, *arguments_);
    run_program<Policy>(program, chosen, watch, after, result);
  }
  return result;
}

grid_run experiment::run(const chosen_policy& chosen, const watch_list& watch,
                         const std::function<void(std::uint64_t)>& after) {
  const any_policy kind = make_policy(chosen, plan_);  // made again when there is a program to look at
  return std::visit(
      [&](const auto& policy) { return run_grid<std::remove_cvref_t<decltype(policy)>>(chosen, watch, after); }, kind);
}

grid_run experiment::run(const chosen_policy& chosen, const watch_list& watch) { return run(chosen, watch, {}); }

const grid_run& experiment::oracle() {
  if (oracle_) return *oracle_;
  bound_.emplace(graph_.num_blocks());
  edge_counter edges(graph_);
  oracle_ = run(parse_policy(oracle_name), {.bound = &*bound_, .edges = &edges});
  plan_.set_profile(edges);
  return *oracle_;
}

std::string experiment::not_applicable(const chosen_policy& chosen) const {
  const auto barriers = chosen.info->name == oracle_name ? std::nullopt : conditions_.barriers;
  return lab::not_applicable(chosen, plan_, launch_.threads_per_block(), barriers);
}

std::string experiment::expected_verdict(const chosen_policy& chosen) const {
  for (const auto& [name, verdict] : launch_.verdicts)
    if (parse_policy(name).identity() == chosen.identity()) return verdict;
  return to_string(outcome::finished);
}

full_metrics experiment::metrics(const machine_model& machine) const {
  return full_metrics(machine, loops_, plan_.frontier_sizes(), launch_.warp_width);
}

}  // namespace lab
