// SPDX-License-Identifier: BSL-1.0
#include "lab/commands.hpp"
#include "lab/compare.hpp"
#include "lab/device.hpp"
#include "lab/files.hpp"
#include "lab/kernel_file.hpp"
#include "lab/launch_file.hpp"
#include <simtflow/io/describe.hpp>
#include <simtflow/ptx/interpreter.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/lower_bound.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lab {
namespace {

using namespace simtflow;

// What every run of one kernel shares.
struct experiment {
  const ptx::decoded_kernel& kernel;
  const launch_file& launch;
  const ptx::arguments& arguments;
  const ptx::device_memory& memory;  // as it is at the start
  std::uint64_t most_blocks;
};

// One policy's run of the whole grid.
struct grid_run {
  simtflow::counts counts;
  outcome how = outcome::finished;  // of the thread block where the run ended
  std::string words;                // on that, unless it finished
  ptx::fault_info fault;
  ptx::device_memory memory;
};

template <class Policy, class Observer>
grid_run run_grid(const experiment& e, Policy policy, barrier_model barriers, Observer& bound) {
  grid_run result;
  result.memory = e.memory;
  ptx::launch_config config = config_of(e.launch);
  if constexpr (scope_of<Policy> != policy_scope::warp) config.group_width = e.launch.threads_per_block();
  ptx::interpreter<typename Policy::mask_type> program(e.kernel, config, result.memory, e.arguments);
  executor<Policy> machine(std::move(policy));
  both observer(result.counts, bound);
  const simtflow::launch shape{
      .threads = e.launch.threads_per_block(), .warp_width = e.launch.warp_width, .barriers = barriers};
  for (std::uint64_t b = 0; b < e.launch.thread_blocks(); ++b) {
    program.begin_block_number(b);
    const auto verdict = machine.run(shape, program, observer, {.steps = e.most_blocks});
    if (verdict.finished()) continue;
    result.how = verdict.how;
    result.fault = program.fault();
    result.words = verdict.how == outcome::fault
                       ? result.fault.describe()
                       : fmt::format("thread block {}: {}", b,
                                     describe(verdict, [&](block_id at) { return e.kernel.block_name(at); }));
    break;
  }
  return result;
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
  return fmt::format("{}", fmt::join(parts, between));
}

}  // namespace

report run_kernel(const run_options& options) {
  const launch_file launch = parse_launch_file(read_text(options.launch_path), options.launch_path);
  const kernel_file file = load_kernel(options.kernel_path, launch.kernel, options.launch_path + ": /kernel");
  const ptx::decoded_kernel& kernel = file.kernel;
  const ptx::device_memory memory = device_memory_for(launch);
  const ptx::arguments args = arguments_for(kernel, launch, memory);
  for (const diagnostic& d : ptx::check_launch(kernel, config_of(launch), args))
    throw input_error(fmt::format("{}: {}", launch.path, d.message));

  const experiment e{kernel, launch, args, memory, options.most_blocks};
  const csr_graph cfg = kernel.cfg();
  std::vector<unsigned char> has_barrier;
  for (const ptx::decoded_block& block : kernel.blocks) has_barrier.push_back(block.end == ptx::block_exit::barrier);
  const schedule plan = schedule_for(cfg, options.order, has_barrier, launch.warp_width);
  lower_bound bound(cfg.num_blocks());
  no_observer nothing;
  const grid_run oracle = run_grid(e, lane_serial(), barrier_model::thread_arrival, bound);
  if (oracle.how == outcome::fault)
    throw input_error(
        fmt::format("{}:{}:{}: {}", file.path, oracle.fault.where.line, oracle.fault.where.column, oracle.words));
  if (oracle.how != outcome::finished)
    throw input_error(fmt::format("{}: each lane alone: {}", file.path, oracle.words));

  report out;
  std::vector<std::string> agree;  // policies whose memory is the oracle's
  for (const policy_info& info : chosen_policies(options.policies)) {
    const std::string_view name = info.name;
    if (const std::string reason = not_applicable(info, plan, launch.threads_per_block()); !reason.empty()) {
      out.remarks.push_back(fmt::format("{}: left out, {}", name, reason));
      continue;
    }
    const grid_run run =
        name == oracle_name ? oracle : with_policy(info, plan, [&](auto policy, barrier_model barriers) {
          return run_grid(e, std::move(policy), barriers, nothing);
        });
    const auto special = launch.verdicts.find(std::string(name));
    const std::string expected = special == launch.verdicts.end() ? to_string(outcome::finished) : special->second;
    const std::string verdict = to_string(run.how);
    const auto wrong = [&](const std::string& message) {
      out.good = false;
      out.remarks.push_back(fmt::format("WRONG  {}: {}", name, message));
    };
    out.rows.push_back(
        {kernel.name, std::string(name), run.counts,
         run.how == outcome::finished && scope_managed(info) == policy_scope::warp ? bound.warp_instructions() : 0,
         verdict});
    if (run.how != outcome::finished && verdict == expected)
      out.remarks.push_back(fmt::format("{}, as the launch file expects: {}", name, run.words));
    else if (verdict != expected)
      wrong(run.how == outcome::finished ? fmt::format("finished, but the launch file expects: {}", expected)
                                         : run.words);
    if (run.how != outcome::finished) continue;

    if (run.counts.thread_instructions != oracle.counts.thread_instructions)
      wrong(fmt::format("{} thread instructions, {} has {}", run.counts.thread_instructions, oracle_name,
                        oracle.counts.thread_instructions));
    const std::string difference = first_difference(run.memory, oracle.memory, launch);
    if (!difference.empty())
      wrong(fmt::format("memory is not that of {}: {}", oracle_name, difference));
    else
      agree.emplace_back(name);
  }
  const expectation_result expected = check_expectations(oracle.memory, launch);
  if (agree.empty() || agree.back() != oracle_name) agree.emplace_back(oracle_name);
  std::string line = fmt::format("memory: {}", joined(agree, " = "));
  line += expected.met.empty() ? std::string() : fmt::format("; {}", joined(expected.met, "; "));
  out.remarks.push_back(line);
  for (const std::string& broken : expected.broken) {
    out.good = false;
    out.remarks.push_back(fmt::format("WRONG  {}", broken));
  }
  if (launch.expect.empty()) out.remarks.emplace_back("the launch file expects nothing of the result");
  return out;
}

}  // namespace lab
