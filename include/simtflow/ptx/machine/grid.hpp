// SPDX-License-Identifier: BSL-1.0
//
// A whole grid: every thread block of a launch under one policy, on one host thread or on several.
//
// Thread blocks run each from its beginning to its end, several at a time if there are several host threads, so none
// may wait for another: concurrent_grid.hpp runs thread blocks that wait. The result does not depend on the number of
// host threads, if thread blocks do not race (write what others read or write, except by atomics):
//
//   memory    as if thread blocks ran in the order of their numbers. Kernels with global atomics that show their order
//             (a used old value, floating-point sums, exchanges) are therefore run on one host thread
//   observer  one for each run of neighbouring thread blocks, put together in the order of the thread blocks
//   printed   in the order of the thread blocks, cut where one interpreter would cut it (kernel_output). Meanwhile each
//             host thread holds at most as much as that, and all parts that are done hold it once
//   fault     the lowest-numbered thread block that has a fault (or another abnormal end) is reported.
//             Thread blocks with smaller numbers have finished; any of the later ones may have, so memory may differ
//
// Livelock detection compares all of memory, so a run with it is on one host thread.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/fault.hpp>
#include <simtflow/ptx/machine/interpreter.hpp>
#include <simtflow/ptx/machine/kernel_output.hpp>
#include <simtflow/ptx/machine/memory.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/observers/memory_metrics.hpp>
#include <simtflow/simt/policy.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// How to run a grid.
struct grid_options {
  std::uint32_t threads = 1;                           ///< host threads, 0: as many as the host has
  barrier_model barriers = barrier_model::whole_warp;  ///< as for launch::barriers
  simtflow::limits limits{};                           ///< of each thread block
};

/// How a grid ended.
template <class Mask>
struct basic_grid_result {
  basic_verdict<Mask> verdict;        ///< of the thread block where it ended; if all finished: steps of all
  std::uint64_t thread_block = 0;     ///< the first that did not finish
  fault_info fault;                   ///< why, if that is the verdict
  std::vector<printed_text> printed;  ///< by thread block, however many host threads ran
  bool lost_output = false;           ///< more was printed than kernel_output holds: this is the beginning

  /// Every thread of every thread block ran to its end.
  [[nodiscard]] bool finished() const { return verdict.finished(); }
};

/// Adds up counts of thread blocks.
struct add_counts {
  /// max_depth is the larger of the two, everything else the sum.
  void operator()(counts& sum, const counts& part) const {
    sum.fetches += part.fetches;
    sum.warp_instructions += part.warp_instructions;
    sum.thread_instructions += part.thread_instructions;
    sum.predicated_off += part.predicated_off;
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
    if (op.kind == op_kind::heap) return true;  // whether it is full, and the books
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
  kernel_output output{};
};

template <class Make, class Program>
auto policy_from(const Make& make, const Program& program) {
  if constexpr (std::is_invocable_v<const Make&, const Program&>)
    return make(program);
  else
    return make;
}

/// Groups of a policy of wider scope than a warp hold all threads of the thread block, unless the launch says how many.
template <class Policy, class Make>
void widen_groups(const Make& policy, launch_config& launch) {
  policy_scope scope = scope_of<Policy>;
  if constexpr (std::same_as<Make, Policy>) scope = abilities_of(policy).scope;
  if (scope != policy_scope::warp && launch.group_width == 0)
    launch.group_width = static_cast<std::uint32_t>(launch.num_threads());
}

/// Keeps of the output of parts that are done only what can be in the grid's; null: not done yet.
template <class Part>
void cut_output(std::span<const std::unique_ptr<Part>> parts) {
  std::uint64_t bytes = 0;
  std::uint64_t texts = 0;
  for (const std::unique_ptr<Part>& p : parts) {
    if (!p) continue;
    p->output.cut_to(bytes, texts);
    bytes += p->output.bytes();
    texts += p->output.texts().size();
  }
}

/// Tells the observer of the part that runs of memory accesses.
template <class Observer>
struct access_relay {
  template <class Event>
  void operator()(const Event& e) const {
    (*to)(e);
  }
  Observer* to = nullptr;
};

/// The state of one host thread.
template <class Policy, class Observer>
struct grid_worker {
  using mask = typename Policy::mask_type;
  static constexpr bool observes_accesses = std::invocable<Observer&, const event::memory_access<mask>&>;
  using relay_type = std::conditional_t<observes_accesses, access_relay<Observer>, no_access_observer>;
  using program_type = interpreter<mask, relay_type>;

  template <class Make>
  grid_worker(const decoded_kernel& k, const launch_config& launch, device_memory& memory, const arguments& args,
              const Make& make)
      : program(k, launch, memory, args, relay), machine(policy_from(make, program)) {}

  relay_type relay;
  program_type program;
  executor<Policy> machine;
};

/// Threads that the destructor joins. std::jthread would do, but libc++ 19 has none.
struct joined_threads {
  std::vector<std::thread> all{};
  joined_threads() = default;
  joined_threads(const joined_threads&) = delete;
  joined_threads& operator=(const joined_threads&) = delete;
  ~joined_threads() {
    for (std::thread& t : all) t.join();
  }
};

}  // namespace detail

/// Runs all thread blocks.
///
/// `policy` is a policy (each thread block gets a copy), or a callable that makes one for an interpreter. A policy that
/// looks up the call depth needs a callable: `[&](const auto& program) { return min_pc(ranks, program.depths()); }`. It
/// returns a `Policy` and is called on the calling thread. A callable that makes any_policy of wider scope than a warp
/// needs launch.group_width: the scope in the box is not known before there is a program.
///
/// `observer` is copyable and not shared. Each part starts with a copy of it as it is at the call, and merge(observer,
/// part) is called for each part in order, so it must be an observer that begins empty. An observer that takes
/// event::memory_access is also told of memory accesses.
///
/// \pre as for interpreter. Memory: an interpreter for each host thread.
template <class Policy, class Make, class Observer, class Merge>
  requires(reconvergence_policy<Policy>)
basic_grid_result<typename Policy::mask_type> run_grid_as(const Make& policy, const decoded_kernel& k,
                                                          launch_config launch, device_memory& memory,
                                                          const arguments& args, Observer& observer, Merge&& merge,
                                                          const grid_options& options = {}) {
  using mask = typename Policy::mask_type;
  using part_type = detail::grid_part<mask, Observer>;
  using worker_type = detail::grid_worker<Policy, Observer>;
  detail::widen_groups<Policy>(policy, launch);
  std::uint32_t workers = options.threads == 0 ? std::thread::hardware_concurrency() : options.threads;
  const std::uint64_t blocks = launch.num_blocks();
  if (workers == 0 || options.limits.detect_livelock || order_of_blocks_shows(k)) workers = 1;
  if (workers > blocks) workers = static_cast<std::uint32_t>(blocks);
  const std::uint64_t many = workers == 1 ? 1 : std::uint64_t{workers} * 64;
  const std::uint64_t each = (blocks + many - 1) / many;
  const std::uint64_t parts = (blocks + each - 1) / each;

  std::vector<std::unique_ptr<worker_type>> team;  // made one after the other: they load variables into the memory
  for (std::uint32_t w = 0; w < workers; ++w) {
    team.push_back(std::make_unique<worker_type>(k, launch, memory, args, policy));
    team.back()->program.share_memory(workers > 1);
  }
  std::vector<std::unique_ptr<part_type>> done(static_cast<std::size_t>(parts));
  std::mutex done_changes;
  std::atomic<std::uint64_t> next{0};
  std::atomic<std::uint64_t> last{parts};  // parts from here on need not be run: an earlier one has failed
  const Observer empty = observer;
  const auto work = [&](worker_type& me) {
    const simtflow::launch shape{me.program.num_threads(), me.program.warp_width(), 0, options.barriers};
    for (std::uint64_t p = next++; p < last.load(); p = next++) {
      auto part = std::make_unique<part_type>(part_type{empty});
      if constexpr (worker_type::observes_accesses) me.relay.to = &part->observer;
      const std::uint64_t end = (p + 1) * each < blocks ? (p + 1) * each : blocks;
      for (std::uint64_t b = p * each; b < end; ++b) {
        me.program.select_block_number(b);
        part->thread_block = b;
        part->verdict = me.machine.run(me.program, shape, part->observer, options.limits);
        part->steps += part->verdict.steps;
        if (part->verdict.finished()) continue;
        part->fault = me.program.fault();
        std::uint64_t before = last.load();
        while (before > p + 1 && !last.compare_exchange_weak(before, p + 1)) {
        }
        break;
      }
      part->output = me.program.take_output();
      const std::scoped_lock lock(done_changes);
      const bool printed = !part->output.texts().empty();
      done[static_cast<std::size_t>(p)] = std::move(part);
      if (printed) detail::cut_output(std::span<const std::unique_ptr<part_type>>(done));
    }
  };
  {
    detail::joined_threads others;
    for (std::uint32_t w = 1; w < workers; ++w) others.all.emplace_back([&work, &team, w] { work(*team[w]); });
    if (workers > 0) work(*team[0]);
  }

  basic_grid_result<mask> result;
  kernel_output output;
  std::uint64_t steps = 0;
  for (std::unique_ptr<part_type>& part : done) {
    if (!part) break;
    merge(observer, part->observer);
    steps += part->steps;
    output.append(std::move(part->output));
    if (part->verdict.finished()) continue;
    result.verdict = std::move(part->verdict);
    result.thread_block = part->thread_block;
    result.fault = std::move(part->fault);
    break;
  }
  if (result.finished()) result.verdict.steps = steps;
  result.lost_output = output.cut();
  result.printed = output.take_texts();
  return result;
}

/// The same with a policy itself; what is counted is added to `sum`.
template <reconvergence_policy Policy>
basic_grid_result<typename Policy::mask_type> run_grid(const Policy& policy, const decoded_kernel& k,
                                                       const launch_config& launch, device_memory& memory,
                                                       const arguments& args, counts& sum,
                                                       const grid_options& options = {}) {
  counts all;  // parts begin with a copy of it, so not with what `sum` holds already
  auto result = run_grid_as<Policy>(policy, k, launch, memory, args, all, add_counts{}, options);
  add_counts{}(sum, all);
  return result;
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
