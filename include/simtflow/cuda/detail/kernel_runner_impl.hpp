// SPDX-License-Identifier: BSL-1.0
//
// Runs of launches without time; timed ones are in timed_runner_impl.hpp.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/cuda/kernel_runner.hpp>
#include <simtflow/ptx/machine/concurrent_grid.hpp>
#include <simtflow/ptx/machine/grid.hpp>
#include <simtflow/ptx/machine/restore.hpp>
#include <simtflow/ptx/machine/warp_profiler.hpp>
#include <simtflow/simt/any_policy.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policy_factory.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace simtflow {
inline namespace v0 {
namespace cuda {
namespace detail {

// Masks of thread blocks.
using wide_mask = basic_mask<16>;

// The observer of all runs: counts always, the rest if somebody wants it. Thread blocks that run side by side have a
// copy each.
struct launch_watcher {
  simtflow::counts counts{};
  std::optional<branch_profile> branches{};
  ptx::warp_profiler* warps = nullptr;
  thread_paths* paths = nullptr;
  path_listener* heard_by = nullptr;

  void operator()(const event::started& e) {
    counts(e);
    if (warps != nullptr) (*warps)(e);
    if (branches) (*branches)(e);
    if (paths != nullptr) (*paths)(e);
  }
  template <class Mask>
  void operator()(const event::issued<Mask>& e) {
    counts(e);
    if (warps != nullptr) (*warps)(e);
    if (branches) (*branches)(e);
    if (paths != nullptr) (*paths)(e);
  }
  template <class Mask>
  void operator()(const event::predicated_off<Mask>& e) {
    counts(e);
    if (warps != nullptr) (*warps)(e);
  }
  template <class Mask>
  void operator()(const event::diverged<Mask>& e) {
    counts(e);
    if (warps != nullptr) (*warps)(e);
    if (branches) (*branches)(e);
  }
  template <class Mask>
  void operator()(const event::exited<Mask>& e) {
    if (branches) (*branches)(e);
  }
  template <class Mask>
  void operator()(const event::waits<Mask>& e) {
    counts(e);
    if (branches) (*branches)(e);
  }
  void operator()(const event::released& e) {
    if (branches) (*branches)(e);
  }
  void operator()(const event::ended& e) {
    counts(e);
    if (paths == nullptr) return;
    (*paths)(e);
    heard_by->thread_block(*paths);
  }
};

// "thread block 3: barrier deadlock; at barrier at BB2 (line 31, my.cu:17)"; without the outcome if somebody asked the
// kernel to stop, since it reached no limit.
template <class Mask>
std::string end_in_words(const ptx::decoded_kernel& k, std::uint64_t thread_block, const basic_verdict<Mask>& v,
                         bool stopped, position& where) {
  std::string words = "kernel '" + k.name + "', thread block " + std::to_string(thread_block);
  if (!stopped) words += std::string(": ") + to_string(v.how);
  for (const basic_standing<Mask>& s : v.standing) {
    if (s.block >= k.blocks.size()) continue;
    if (where.line == 0) where = k.blocks[s.block].where;
    const std::string source =
        s.reason == standing_reason::at_barrier ? k.source_of_end(s.block) : k.source_of_begin(s.block);
    words += std::string("; ") + to_string(s.reason) + " at " + k.block_name(s.block) + " (" +
             to_string(k.blocks[s.block].where) + (source.empty() ? ")" : ", " + source + ")");
    if (&s - v.standing.data() == 3) break;
  }
  return words;
}

inline bool asked_to_stop(const void* flag) {
  return static_cast<const std::atomic<bool>*>(flag)->load(std::memory_order_relaxed);
}

template <class Mask>
run_result run_untimed(runnable_kernel& kernel, const ptx::launch_config& config, ptx::device_memory& memory,
                       const ptx::arguments& args, const run_conditions& how) {
  using policy_type = basic_any_policy<Mask>;
  const ptx::decoded_kernel& code = kernel.code();
  const auto make = [&](const auto& program) {
    kernel.facts().set_depths(program.depths());
    policy_type policy = boxed_policy<Mask>(*how.policy, kernel.facts(), config.warp_width);
    kernel.facts().set_depths({});
    return policy;
  };
  ptx::grid_options options{how.threads, how.policy->info->barriers, {.steps = how.steps}};
  if (how.stop != nullptr) {
    options.limits.give_up = asked_to_stop;
    options.limits.asked = how.stop;
  }
  run_result result;
  launch_watcher nothing;
  std::optional<ptx::warp_profiler> warps;
  thread_paths paths;
  const bool follows = !how.cooperative;  // profiles of warps and paths follow one thread block at a time
  if (how.profile) nothing.branches.emplace();
  if (how.profile && follows) nothing.warps = &warps.emplace(code);
  if (how.paths != nullptr && follows) {
    nothing.paths = &paths;
    nothing.heard_by = how.paths;
  }
  if (how.profile || how.paths != nullptr) options.threads = 1;
  const auto add = [&](const launch_watcher&, const launch_watcher& part) {
    ptx::add_counts{}(result.counts, part.counts);
    if (part.branches) result.branches += *part.branches;
  };
  auto r = config.grid_workspace != 0
               ? ptx::run_concurrent_grid_as<policy_type>(make, code, config, memory, args, nothing, add, options)
               : ptx::run_grid_as<policy_type>(make, code, config, memory, args, nothing, add, options);
  result.how = r.verdict.how;
  result.steps = r.verdict.steps;
  for (ptx::printed_text& p : r.printed) result.printed += p.text;
  result.lost_output = r.lost_output;
  result.stopped = how.stop != nullptr && result.how == outcome::step_limit && asked_to_stop(how.stop);
  if (warps) result.profile = warps->profile();
  if (r.finished()) return result;
  result.thread_block = r.thread_block;
  if (result.how == outcome::fault) {
    result.words = r.fault.describe();
    result.where = r.fault.where;
    result.fault = std::move(r.fault);
  } else {
    result.words = end_in_words(code, r.thread_block, r.verdict, result.stopped, result.where);
  }
  return result;
}

// Whether a run may have to take another priority order than the default one.
inline bool may_need_other_order(const run_conditions& how, policy_facts& facts) {
  if (facts.order() != priority_rule::loop_contiguous || how.policy->info->barriers != barrier_model::whole_warp)
    return false;
  for (const policy_parameter& p : how.policy->info->parameters)
    if (p.name == "priority" && how.policy->settings.word<std::size_t>(p.name) == 0)
      return facts.may_split_at_barriers();
  return false;
}

inline run_result run_in_order(runnable_kernel& kernel, ptx::launch_config config, ptx::device_memory& memory,
                               const ptx::arguments& args, const run_conditions& how, policy_scope scope) {
  if (how.cooperative) config.grid_workspace = memory.allocate(ptx::grid_workspace_bytes, "workspace of the grid");
  run_result result = how.machine != nullptr ? run_timed(kernel, config, memory, args, how)
                      : scope == policy_scope::warp && config.warp_width <= lane_mask::capacity
                          ? run_untimed<lane_mask>(kernel, config, memory, args, how)
                          : run_untimed<wide_mask>(kernel, config, memory, args, how);
  if (how.cooperative) static_cast<void>(memory.free(config.grid_workspace));
  return result;
}

}  // namespace detail

SIMTFLOW_INLINE std::string why_not_run(runnable_kernel& kernel, const ptx::launch_config& config,
                                        const run_conditions& how) {
  const simtflow::launch shape{.threads = static_cast<std::uint32_t>(config.num_threads()),
                               .warp_width = config.warp_width,
                               .barriers = how.policy->info->barriers};
  return why_not(*how.policy, kernel.facts(), shape, detail::wide_mask::capacity);
}

SIMTFLOW_INLINE run_result run_kernel(runnable_kernel& kernel, ptx::launch_config config, ptx::device_memory& memory,
                                      const ptx::arguments& args, const run_conditions& how) {
  const policy_scope scope = abilities_of(*how.policy).scope;
  if (scope != policy_scope::warp) config.group_width = static_cast<std::uint32_t>(config.num_threads());
  if (!detail::may_need_other_order(how, kernel.facts()))
    return detail::run_in_order(kernel, config, memory, args, how, scope);
  const ptx::device_memory before = memory;
  run_result first = detail::run_in_order(kernel, config, memory, args, how, scope);
  if (first.how != outcome::barrier_deadlock && first.how != outcome::barrier_misaligned) return first;
  const ptx::device_memory after = memory;
  ptx::restore(memory, before);
  kernel.facts().set_order(priority_rule::barrier_aware);
  run_result second = detail::run_in_order(kernel, config, memory, args, how, scope);
  kernel.facts().set_order(priority_rule::loop_contiguous);
  if (second.how != outcome::finished) {
    ptx::restore(memory, after);
    return first;
  }
  second.other_order = "ran in the barrier-aware priority order; in the loop-contiguous one, " + first.words;
  return second;
}

}  // namespace cuda
}  // namespace v0
}  // namespace simtflow
