// SPDX-License-Identifier: BSL-1.0
#include "lab/experiment.hpp"

#include "lab/device.hpp"
#include "lab/divergence.hpp"
#include "lab/files.hpp"
#include "lab/launches.hpp"
#include "lab/source_text.hpp"
#include <simtflow/io/describe.hpp>
#include <simtflow/io/event_trace.hpp>
#include <simtflow/ptx/machine/grid.hpp>
#include <simtflow/ptx/machine/other_threads.hpp>
#include <simtflow/ptx/text/parser.hpp>

#include <fmt/core.h>

#include <memory>
#include <utility>
#include <variant>

namespace lab {

using namespace simtflow;

namespace {

launch_file with_width(launch_file launch, std::uint32_t warp_width) {
  if (warp_width != 0) launch.warp_width = warp_width;
  return launch;
}

}  // namespace

experiment::experiment(const std::string& kernel_path, const std::string& launch_path, const run_conditions& conditions)
    : experiment(kernel_path, read_launch(kernel_path, launch_path, conditions), conditions) {}

experiment::experiment(const std::string& kernel_path, const launch_file& launch, const run_conditions& conditions)
    : experiment(launch, load_kernel(module_of(launch, kernel_path), launch.kernel, launch.place() + "/kernel"),
                 conditions) {}

experiment::experiment(launch_file launch, kernel_file file, const run_conditions& conditions)
    : launch_(with_width(std::move(launch), conditions.warp_width)),
      file_(std::move(file)),
      conditions_(conditions),
      graph_(file_.kernel.cfg()),
      bodies_(file_.kernel.bodies()),
      has_barrier_(file_.kernel.barriers()),
      loops_(simtflow::loops(bodies_)),
      plan_(graph_, bodies_, conditions.order, has_barrier_, file_.kernel.weights(), launch_.warp_width),
      memory_(device_memory_for(launch_)) {
  plan_.set_strong_reads(ptx::strong_reads(file_.kernel));
  ptx::module again;
  if (!file_.module) again = *ptx::parse(file_.text);  // it has been decoded: nothing is wrong
  const ptx::module& module = file_.module ? file_.module->module : again;
  plan_.set_uniform_branches(uniform_branches(module, *module.find(file_.kernel.name), file_.kernel));
  write_data(memory_, launch_, file_);
  override_arguments(launch_, file_.kernel, conditions_.overrides.arguments);
  arguments_ = arguments_for(file_.kernel, launch_, memory_);
  for (const diagnostic& d : ptx::check_launch(file_.kernel, config_of(launch_), *arguments_, wide_mask::capacity))
    throw input_error(fmt::format("{}: {}", launch_.where.empty() ? launch_.path : launch_.place(), d.message));
}

experiment::experiment(const experiment& other) : experiment(other.launch_, other.file_, other.conditions_) {
  bound_ = other.bound_;
  oracle_ = other.oracle_;
  schedule_matters_ = other.schedule_matters_;
  if (oracle_) plan_.set_profile(other.plan_.profile());
}

template <class Policy, bool Accesses>
grid_run experiment::run_as(const chosen_policy& chosen, const watch_list& watch, std::uint32_t jobs,
                            bool detect_livelock) {
  using watcher = run_watcher<typename Policy::mask_type, Accesses>;
  const ptx::decoded_kernel& kernel = file_.kernel;
  const auto name = [&](block_id b) { return slice_name(b, kernel.blocks[b].label); };
  const auto place = [&](block_id b, bool at_end) { return kernel.block_name_with_source(b, at_end); };
  const auto source = [&](block_id b) { return kernel.source_of_end(b); };
  const auto label = [&](block_id b) { return kernel.blocks[b].label; };
  const bool alone = chosen.info->name == oracle_name;  // the oracle's lanes never meet: only its own model fits
  const ptx::grid_options options{.threads = jobs,
                                  .barriers = barriers_for(chosen, alone ? std::nullopt : conditions_.barriers),
                                  .limits = {.steps = conditions_.most_blocks, .detect_livelock = detect_livelock}};
  std::vector<std::shared_ptr<const policy_work>> work;  // of each host thread
  const auto make = [&](const auto& program) {
    plan_.set_depths(program.depths());
    auto policy = std::get<Policy>(make_policy(chosen, plan_));
    plan_.set_depths({});
    work.push_back(policy.total_work());
    if (watch.history != nullptr) policy.listen(watch.history->listener<typename Policy::mask_type>());
    return policy;
  };
  grid_run result;
  result.memory = memory_;
  const auto report = [&](const watcher&, const watcher& part) {
    part.report(result.counts);
    if (watch.events == nullptr) return;
    const auto& events = part.events();
    watch.events->text = watch.events->json
                             ? trace_with(event_rows, to_trace_json(events, trace_rows::lanes, name, source))
                             : csv_with(event_rows, to_csv(events, label, source));
  };
  watcher nothing(watch, graph_.num_blocks());
  ptx::launch_config config = config_of(launch_);
  if (scope_managed(chosen) != policy_scope::warp)
    config.group_width = static_cast<std::uint32_t>(config.num_threads());
  const auto r = ptx::run_grid_as<Policy>(make, kernel, config, result.memory, *arguments_, nothing, report, options);
  for (const auto& w : work) result.work += *w;
  for (const ptx::printed_text& p : r.printed) result.printed += p.text;
  result.lost_output = r.lost_output;
  result.how = r.verdict.how;
  if (r.finished()) return result;
  if (watch.history != nullptr) watch.history->stopped(r.thread_block, r.verdict);
  if (result.how == outcome::fault) result.where = r.fault.where;
  result.words = result.how == outcome::fault
                     ? r.fault.describe()
                     : fmt::format("thread block {}: {}", r.thread_block, describe(r.verdict, place));
  return result;
}

grid_run experiment::run(const chosen_policy& chosen, const watch_list& watch) {
  const auto run_with = [&]<class Policy>(const Policy& policy) {
    const auto go = [&](const watch_list& list, std::uint32_t jobs, bool detect_livelock) {
      return list.accesses() ? run_as<Policy, true>(chosen, list, jobs, detect_livelock)
                             : run_as<Policy, false>(chosen, list, jobs, detect_livelock);
    };
    if (conditions_.jobs != 1 && !watch.in_order()) {
      watch_list list = watch;
      least_work bound;
      edge_counter edges(graph_);
      if (watch.bound != nullptr) list.bound = &bound;
      if (watch.edges != nullptr) list.edges = &edges;
      branch_profile branches;
      if (watch.branches != nullptr) list.branches = &branches;
      grid_run result = go(list, conditions_.jobs, false);
      if (result.how == outcome::finished) {
        if (watch.bound != nullptr) watch.bound->add(bound);
        if (watch.edges != nullptr) watch.edges->add(edges);
        if (watch.branches != nullptr) *watch.branches += branches;
        return result;
      }
      // The memory of a run that does not finish depends on the host threads: it is done again on one thread.
    }
    return go(watch, 1, policy.abilities().comparable);
  };
  const auto try_out = [&]<class Policy>(const Policy& policy) {
    return run_as<Policy, false>(chosen, {}, 1, policy.abilities().comparable);
  };
  // The policy is made again when there is a program to look at.
  return run_in_safe_order(
      plan_, chosen, barriers_for(chosen, conditions_.barriers),
      [&] { return std::visit(try_out, make_policy(chosen, plan_)); },
      [&] { return std::visit(run_with, make_policy(chosen, plan_)); });
}

const grid_run& experiment::oracle(progress_meter* progress) {
  if (oracle_) return *oracle_;
  edge_counter edges(graph_);
  oracle_ = run(parse_policy(oracle_name), {.bound = &bound_, .edges = &edges, .progress = progress});
  plan_.set_profile(edges.profile());
  return *oracle_;
}

run_setting experiment::setting(const chosen_policy& chosen, const std::string& other_order) const {
  run_setting out;
  out.parameters = chosen.settings.text();
  out.kernel_file = file_.path;
  out.launch_file = launch_.path;
  out.warp_width = plan_.warp_width();
  std::copy(launch_.grid.begin(), launch_.grid.end(), out.grid);
  std::copy(launch_.block.begin(), launch_.block.end(), out.block);
  out.order = to_string(other_order.empty() ? plan_.order() : priority_rule::barrier_aware);
  const bool alone = chosen.info->name == oracle_name;
  out.barriers = to_string(barriers_for(chosen, alone ? std::nullopt : conditions_.barriers));
  return out;
}

const std::string& experiment::schedule_matters() {
  if (schedule_matters_) return *schedule_matters_;
  const ptx::decoded_kernel& k = file_.kernel;
  if (const std::uint32_t i = ptx::first_view_of_company(k); i != ptx::no_index)
    return schedule_matters_.emplace(
        fmt::format("'{}' in line {} depends on which lanes run together, or when", k.opcodes[i], k.positions[i].line));
  if (oracle_spins()) return schedule_matters_.emplace("lanes wait for one another by spinning");
  memory_conflicts conflicts;
  const grid_run again = run(parse_policy(oracle_name), {.conflicts = &conflicts});
  if (!conflicts.first()) return schedule_matters_.emplace();
  const memory_conflict& c = *conflicts.first();
  std::string where = fmt::format("shared memory at {:#x}", c.address);
  if (c.space == memory_space::global) {
    where = fmt::format("{:#x}", c.address);
    for (std::size_t i = 0; i < again.memory.allocations().size(); ++i) {
      const auto& a = again.memory.allocations()[i];
      if (c.address < a.address || c.address - a.address >= a.bytes.size()) continue;
      std::size_t size = 1;
      for (const buffer& b : launch_.buffers)
        if (!a.of_module && b.name == a.name) size = size_of(b.type);
      where = fmt::format("{}[{}]", a.name, (c.address - a.address) / size);
    }
  }
  return schedule_matters_.emplace(
      fmt::format("threads {} and {} of a thread block access {} with no barrier between", c.earlier, c.later, where));
}

std::optional<std::vector<trace_barrier>> experiment::known_barriers() const {
  const ptx::decoded_kernel& k = file_.kernel;
  bool known = true;
  const auto value = [&](ptx::slot_ref s) {
    const bool fixed = ptx::is_constant(s);
    const ptx::decoded_constant c =
        fixed ? (ptx::is_wide(s) ? k.constants64 : k.constants32)[ptx::slot_index(s)] : ptx::decoded_constant{};
    known = known && fixed && c.kind == ptx::decoded_constant::what::literal;
    return static_cast<std::uint32_t>(c.value);
  };
  std::vector<trace_barrier> all(graph_.num_blocks());
  for (std::size_t b = 0; b < k.blocks.size(); ++b) {
    const ptx::block_exit end = k.blocks[b].end;
    if (end != ptx::block_exit::barrier && end != ptx::block_exit::arrive) continue;
    const ptx::decoded_barrier& barrier = k.barrier_list[k.blocks[b].detail];
    known = known && !barrier.of_warpgroup;  // each warpgroup has another one
    all[b] = {value(barrier.id), barrier.count == ptx::no_slot ? 0 : value(barrier.count),
              end == ptx::block_exit::barrier};
  }
  if (!known) return std::nullopt;
  return all;
}

std::string experiment::not_applicable(const chosen_policy& chosen) const {
  const auto barriers = chosen.info->name == oracle_name ? std::nullopt : conditions_.barriers;
  if (chosen.info->name == oracle_name || chosen.info->name == "mimd")
    for (const ptx::decoded_op& op : file_.kernel.ops)
      if (ptx::is_exchange(op) && op.source[3] == ptx::no_slot)
        return fmt::format("'{}' in line {} names no lanes, so each alone would exchange with itself",
                           file_.kernel.opcodes[op.instruction], file_.kernel.positions[op.instruction].line);
  if (scope_managed(chosen) != policy_scope::warp) {
    ptx::launch_config config = config_of(launch_);
    config.group_width = static_cast<std::uint32_t>(config.num_threads());
    for (const diagnostic& d : ptx::check_launch(file_.kernel, config, *arguments_, wide_mask::capacity))
      return d.message;
  }
  return lab::not_applicable(chosen, plan_, launch_.threads_per_block(), barriers);
}

std::string experiment::expected_verdict(const chosen_policy& chosen) const {
  for (const auto& [name, verdict] : launch_.verdicts)
    if (parse_policy(name).identity() == chosen.identity()) return verdict;
  return std::string(to_string(outcome::finished));
}

branch_rows experiment::branch_rows_of(const branch_profile& profile) const {
  ptx::module again;
  if (!file_.module) again = *ptx::parse(file_.text);  // it has been decoded: nothing is wrong
  const ptx::module& module = file_.module ? file_.module->module : again;
  const kernel_divergence said = divergence_of(module, *module.find(file_.kernel.name), file_.kernel);
  source_text sources(kernel().sources, file_.path);
  return lab::branch_rows_of(profile, graph_, said.branches, [&](block_id b) {
    branch_place place{kernel().blocks[b].label, 0, {}, {}, {}};
    const std::vector<written_instruction> text = file_.instructions_of(b);
    if (text.empty()) return place;
    place.line = text.back().line;
    place.code = text.back().code;
    place.source = kernel().source_of_end(b);
    place.source_text = sources.line(kernel().place_of(kernel().blocks[b].last_instruction));
    return place;
  });
}

full_metrics experiment::metrics(const machine_model& machine) const {
  return full_metrics(machine, loops_, plan_.frontier_sizes(), launch_.warp_width, &file_.kernel);
}

}  // namespace lab
