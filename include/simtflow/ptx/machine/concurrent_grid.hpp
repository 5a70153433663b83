// SPDX-License-Identifier: BSL-1.0
//
// A cooperative grid: all thread blocks of a launch side by side under one policy, so that they may wait for each
// other, as `cooperative_groups::this_grid().sync()` does. run_grid (grid.hpp) runs thread blocks one after the other
// and needs less memory: take it for all other launches.
//
// nvcc's code for grid.sync() counts thread blocks in a word of the grid's workspace, by atomics, and spins until all
// have come. So the thread blocks take turns: in a round each warp of each unfinished thread block runs at most 64
// blocks of code, and no thread block waits forever for its turn. One host thread runs them all, and the order is the
// same in every run.
//
// A grid in which thread blocks wait for what never comes is a livelock: the state of all of them and of the memory
// comes back, so it repeats itself forever. The run notes the state after 64, 128, 256, ... rounds and compares.
// It finds a livelock only under policies with comparable states; else the limit on steps ends the run.
//
// Literature: NVIDIA, CUDA C++ Programming Guide, section "Cooperative Groups: Grid Synchronization"; Parallel Thread
// Execution ISA, section "Special Registers: %envreg<32>".
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/machine/arguments.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/grid.hpp>
#include <simtflow/ptx/machine/interpreter.hpp>
#include <simtflow/ptx/machine/kernel_output.hpp>
#include <simtflow/ptx/machine/launch.hpp>
#include <simtflow/ptx/machine/memory.hpp>
#include <simtflow/simt/detail/lockstep.hpp>
#include <simtflow/simt/launch.hpp>
#include <simtflow/simt/policy.hpp>
#include <simtflow/simt/verdict.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// A thread block of a cooperative grid, with all that it runs on.
template <class Policy, class Observer>
struct resident_block {
  using parts = grid_worker<Policy, Observer>;

  template <class Make>
  resident_block(const decoded_kernel& k, const launch_config& launch, device_memory& memory, const arguments& args,
                 const Make& make, const Observer& empty)
      : program(k, launch, memory, args, relay), machine(policy_from(make, program)), observer(empty) {
    if constexpr (parts::observes_accesses) relay.to = &observer;
  }

  typename parts::relay_type relay;
  typename parts::program_type program;
  simtflow::detail::lockstep<Policy> machine;
  Observer observer;
  bool finished = false;
};

/// Brent's search for a state that comes back, over rounds of all thread blocks.
template <class Blocks>
class grid_livelock {
 public:
  /// True if the state after this round is the one that was noted last. \pre not all thread blocks have finished.
  bool state_came_back(Blocks& blocks) {
    ++round_;
    if (round_ > first && is_noted_state(blocks)) return true;
    if (round_ != next_) return false;
    next_ *= 2;
    bool first_of_all = true;
    for (auto& b : blocks) {
      if (b->finished) continue;
      b->program.remember(first_of_all);
      b->machine.remember();
      first_of_all = false;
    }
    finished_ = count_finished(blocks);
    return false;
  }

 private:
  static constexpr std::uint64_t first = 64;

  static std::size_t count_finished(const Blocks& blocks) {
    std::size_t n = 0;
    for (const auto& b : blocks) n += b->finished ? 1 : 0;
    return n;
  }
  bool is_noted_state(const Blocks& blocks) const {
    if (count_finished(blocks) != finished_) return false;
    for (const auto& b : blocks)
      if (!b->finished && !(b->machine.as_remembered() && b->program.as_remembered())) return false;
    return true;
  }

  std::uint64_t round_ = 0, next_ = first;
  std::size_t finished_ = 0;
};

}  // namespace detail

/// Bytes of the workspace of a cooperative grid.
inline constexpr std::uint64_t grid_workspace_bytes = 256;

/// Runs all thread blocks side by side.
/// \param policy,k,memory,args,observer,merge as for run_grid_as()
/// \param launch as for run_grid_as(). If it has no grid_workspace, one is allocated and freed again
/// \param options as for run_grid_as(): one host thread runs all; the limit on steps is of each thread block; livelocks
/// are looked for whether or not it asks
/// \returns how it ended: all thread blocks have finished, or why the first one could not go on: its fault, its
/// barriers, its limit. livelock: unfinished thread blocks wait for each other, or for finished ones, forever; the
/// verdict is of the unfinished one with the smallest number.
/// \pre as for interpreter. Memory: an interpreter and an executor for each thread block.
template <class Policy, class Make, class Observer, class Merge>
  requires(reconvergence_policy<Policy>)
basic_grid_result<typename Policy::mask_type> run_concurrent_grid_as(const Make& policy, const decoded_kernel& k,
                                                                     launch_config launch, device_memory& memory,
                                                                     const arguments& args, Observer& observer,
                                                                     Merge&& merge, const grid_options& options = {}) {
  using block_type = detail::resident_block<Policy, Observer>;
  using blocks_type = std::vector<std::unique_ptr<block_type>>;
  detail::widen_groups<Policy>(policy, launch);
  const std::uint64_t workspace =
      launch.grid_workspace != 0 ? 0 : memory.allocate(grid_workspace_bytes, "workspace of the grid");
  if (workspace != 0) launch.grid_workspace = workspace;

  basic_grid_result<typename Policy::mask_type> result;
  blocks_type blocks;
  const Observer empty = observer;
  for (std::uint64_t n = 0; n < launch.num_blocks(); ++n) {
    blocks.push_back(std::make_unique<block_type>(k, launch, memory, args, policy, empty));
    block_type& b = *blocks.back();
    b.program.select_block_number(n);
    const simtflow::launch shape{b.program.num_threads(), b.program.warp_width(), 0, options.barriers};
    b.machine.start(b.program, shape, true, b.observer);
  }
  const bool compares = comparable_policy<Policy> && !blocks.empty() && blocks.front()->machine.can_compare();
  detail::grid_livelock<blocks_type> livelock;
  std::uint64_t steps = 0;
  const auto ends = [&](std::size_t n, basic_verdict<typename Policy::mask_type> v) {
    result.thread_block = n;
    result.verdict = std::move(v);
    result.fault = blocks[n]->program.fault();
  };
  for (std::size_t left = blocks.size(); left != 0 && result.finished();) {
    for (std::size_t n = 0; n < blocks.size() && result.finished(); ++n) {
      block_type& b = *blocks[n];
      if (b.finished) continue;
      auto v = b.machine.round(b.program, b.observer, options.limits);
      if (!v) continue;
      if (v->finished()) {
        b.finished = true;
        --left;
        steps += v->steps;
      } else {
        ends(n, *std::move(v));
      }
    }
    if constexpr (comparable_policy<Policy>) {
      if (!compares || left == 0 || !result.finished() || !livelock.state_came_back(blocks)) continue;
      std::size_t n = 0;
      while (blocks[n]->finished) ++n;
      ends(n, blocks[n]->machine.verdict(outcome::livelock));
    }
  }
  if (result.finished()) result.verdict.steps = steps;

  kernel_output output;
  for (std::unique_ptr<block_type>& b : blocks) {
    merge(observer, b->observer);
    output.append(b->program.take_output());
  }
  result.lost_output = output.cut();
  result.printed = output.take_texts();
  if (workspace != 0) static_cast<void>(memory.free(workspace));
  return result;
}

/// The same with a policy itself; what is counted is added to `sum`.
template <reconvergence_policy Policy>
basic_grid_result<typename Policy::mask_type> run_concurrent_grid(const Policy& policy, const decoded_kernel& k,
                                                                  const launch_config& launch, device_memory& memory,
                                                                  const arguments& args, counts& sum,
                                                                  const grid_options& options = {}) {
  counts all;
  auto result = run_concurrent_grid_as<Policy>(policy, k, launch, memory, args, all, add_counts{}, options);
  add_counts{}(sum, all);
  return result;
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
