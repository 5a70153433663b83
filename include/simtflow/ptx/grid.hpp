// SPDX-License-Identifier: BSL-1.0
//
// A whole grid: every thread block of a launch under one policy, on one host thread or on several.
//
// Thread blocks run each from its beginning to its end, several at a time if there are several host threads, so none
// may wait for another. What comes out does not depend on the number of host threads, if thread blocks do not race
// (write what others read or write, except by atomics):
//
//   memory    as if thread blocks ran in the order of their numbers. Kernels with global atomics whose order shows (one
//             whose old value is used, floating-point sums, exchanges) are therefore run on one host thread
//   observer  one for each run of neighbouring thread blocks, put together in the order of the thread blocks
//   printed   in the order of the thread blocks
//   a fault   (or another end that is none) is that of the first thread block that has one. Thread blocks with smaller
//             numbers have run to their end; of those behind it any number has, so memory may differ then
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/decoded_kernel.hpp>
#include <simtflow/ptx/fault.hpp>
#include <simtflow/ptx/interpreter.hpp>
#include <simtflow/ptx/memory.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/policy.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// How to run a grid.
struct grid_options {
  std::uint32_t threads = 1;  ///< host threads, 0: as many as the host has
  barrier_model barriers = barrier_model::whole_warp;
  simtflow::limits limits{};  ///< of each thread block
};

/// How a grid ended.
template <class Mask>
struct basic_grid_result {
  basic_verdict<Mask> verdict;     ///< of the thread block where it ended; if all finished: steps are those of all
  std::uint64_t thread_block = 0;  ///< the first that did not finish
  fault_info fault;                ///< why, if that is the verdict
  std::vector<printed_text> printed;

  [[nodiscard]] bool finished() const { return verdict.finished(); }
};

/// Adds up counts of thread blocks.
struct add_counts {
  void operator()(counts& sum, const counts& part) const {
    sum.fetches += part.fetches;
    sum.warp_instructions += part.warp_instructions;
    sum.thread_instructions += part.thread_instructions;
    sum.overhead_operations += part.overhead_operations;
    sum.lane_slots += part.lane_slots;
    sum.thread_slots += part.thread_slots;
    sum.divergent_branches += part.divergent_branches;
    sum.merges += part.merges;
    sum.barrier_waits += part.barrier_waits;
    if (part.max_depth > sum.max_depth) sum.max_depth = part.max_depth;
    sum.thread_blocks += part.thread_blocks;
  }
};

/// Whether the order in which thread blocks come to an atomic operation of the kernel can show in its results.
[[nodiscard]] inline bool order_of_blocks_shows(const decoded_kernel& k) {
  for (const decoded_op& op : k.ops) {
    if (op.kind != op_kind::atomic || op.space == state_space::shared) continue;
    const bool exchange = op.atomic == atomic_op::exch || op.atomic == atomic_op::cas;
    const bool wraps = op.atomic == atomic_op::inc || op.atomic == atomic_op::dec;
    if (op.result != no_slot || exchange || wraps || info(op.type).kind == type_class::floating) return true;
  }
  return false;
}

namespace detail {

/// A run of neighbouring thread blocks and what came of it.
template <class Mask, class Observer>
struct grid_part {
  Observer observer;
  basic_verdict<Mask> verdict{};
  std::uint64_t thread_block = 0;
  std::uint64_t steps = 0;
  fault_info fault{};
  std::vector<printed_text> printed{};
};

template <class Make, class Program>
auto policy_from(const Make& make, const Program& program) {
  if constexpr (std::is_invocable_v<const Make&, const Program&>)
    return make(program);
  else
    return make;
}

}  // namespace detail

/// Runs all thread blocks. `policy` is one, of which each thread block gets a copy, or a callable that makes one for an
/// interpreter (one that looks up the call depth: `[&](const auto& program) { return min_pc(ranks, program.depths());
/// }`; its result type must be `Policy`). `observer` must be copyable and is not shared: each part starts with a copy
/// of it as it is at the call, and merge(observer, part) is called for each in order, so it must be one that begins
/// empty.
/// \pre as for interpreter. Memory: that of an interpreter for each host thread.
template <class Policy, class Make, class Observer, class Merge>
  requires(reconvergence_policy<Policy>)
basic_grid_result<typename Policy::mask_type> run_grid_as(const decoded_kernel& k, launch_config launch,
                                                          device_memory& memory, const arguments& args,
                                                          const Make& policy, Observer& observer, Merge&& merge,
                                                          const grid_options& options = {}) {
  using mask = typename Policy::mask_type;
  using program_type = interpreter<mask>;
  using part_type = detail::grid_part<mask, Observer>;
  if (scope_of<Policy> != policy_scope::warp && launch.group_width == 0)
    launch.group_width = static_cast<std::uint32_t>(launch.num_threads());
  std::uint32_t workers = options.threads == 0 ? std::thread::hardware_concurrency() : options.threads;
  const std::uint64_t blocks = launch.num_blocks();
  if (workers == 0 || order_of_blocks_shows(k)) workers = 1;
  if (workers > blocks) workers = static_cast<std::uint32_t>(blocks);
  const std::uint64_t many = workers == 1 ? 1 : std::uint64_t{workers} * 64;
  const std::uint64_t each = (blocks + many - 1) / many;
  const std::uint64_t parts = (blocks + each - 1) / each;

  std::vector<std::unique_ptr<part_type>> done(static_cast<std::size_t>(parts));
  std::vector<std::unique_ptr<program_type>> programs;  // made one after the other: they load variables into the memory
  for (std::uint32_t w = 0; w < workers; ++w) {
    programs.push_back(std::make_unique<program_type>(k, launch, memory, args));
    programs.back()->share_memory(workers > 1);
  }
  std::atomic<std::uint64_t> next{0};
  std::atomic<std::uint64_t> last{parts};  // parts from here on need not be run: an earlier one has failed
  const Observer empty = observer;
  const auto work = [&](program_type& program) {
    executor<Policy> machine(detail::policy_from(policy, program));
    const simtflow::launch shape{program.num_threads(), program.warp_width(), 0, options.barriers};
    for (std::uint64_t p = next++; p < last.load(); p = next++) {
      auto part = std::make_unique<part_type>(part_type{empty});
      const std::uint64_t end = (p + 1) * each < blocks ? (p + 1) * each : blocks;
      program.forget_output();
      for (std::uint64_t b = p * each; b < end; ++b) {
        program.begin_block_number(b);
        part->thread_block = b;
        part->verdict = machine.run(shape, program, part->observer, options.limits);
        part->steps += part->verdict.steps;
        if (part->verdict.finished()) continue;
        part->fault = program.fault();
        std::uint64_t before = last.load();
        while (before > p + 1 && !last.compare_exchange_weak(before, p + 1)) {
        }
        break;
      }
      part->printed.assign(program.printed().begin(), program.printed().end());
      done[static_cast<std::size_t>(p)] = std::move(part);
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::uint32_t w = 1; w < workers; ++w) others.emplace_back([&work, &programs, w] { work(*programs[w]); });
    if (workers > 0) work(*programs[0]);
  }

  basic_grid_result<mask> result;
  std::uint64_t steps = 0;
  for (std::unique_ptr<part_type>& part : done) {
    if (!part) break;
    merge(observer, part->observer);
    steps += part->steps;
    for (printed_text& t : part->printed) result.printed.push_back(std::move(t));
    if (part->verdict.finished()) continue;
    result.verdict = std::move(part->verdict);
    result.thread_block = part->thread_block;
    result.fault = std::move(part->fault);
    return result;
  }
  result.verdict.steps = steps;
  return result;
}

/// The same with a policy itself; what is counted is added to `sum`.
template <reconvergence_policy Policy>
basic_grid_result<typename Policy::mask_type> run_grid(const decoded_kernel& k, const launch_config& launch,
                                                       device_memory& memory, const arguments& args,
                                                       const Policy& policy, counts& sum,
                                                       const grid_options& options = {}) {
  counts all;  // parts begin with a copy of it, so not with what `sum` holds already
  auto result = run_grid_as<Policy>(k, launch, memory, args, policy, all, add_counts{}, options);
  add_counts{}(sum, all);
  return result;
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
