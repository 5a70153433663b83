// SPDX-License-Identifier: BSL-1.0
//
// Calls: a program of several functions over one numbering of blocks, with a return stack for each thread.
//
//   call block     a block that threads leave by entering a function. The program says which function (an indirect
//                  call: another one for each thread); the table of return blocks says where the thread goes on
//                  afterwards
//   return_to_caller  the target of a thread that returns; it goes on at the block on top of its stack
//   call depth     the number of calls that a thread is in: the entries of its stack
//
// The thread keeps its return addresses, not the policy. So threads that called one function from different places can
// run it together (Diamos et al., SIMD Re-Convergence At Thread Frontiers, MICRO 2011, section 6.4.2, split merge);
// under the post-dominator stack they never do. Policies that order by call depth (Collange, Stack-less SIMT
// Reconvergence at Low Cost, 2011) read it from depths().
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/launch.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/program.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The target of threads that return from a function. A thread that returns with no caller left ends.
inline constexpr block_id return_to_caller = no_block - 1;

/// A thread with calls that are nested too deep.
struct call_overflow {
  std::uint32_t thread;  ///< of the run, as event::issued counts them
  block_id block;        ///< the block that ends in the call that was one too many
};

/// A program with functions, made of a program that knows targets only. Threads that the inner program sends from a
/// call block to another block enter a function there; threads that it sends to return_to_caller return.
template <class Program, class Mask = lane_mask>
  requires lockstep_program<Program, Mask>
class call_program {
 public:
  /// `return_blocks[b]` is the block where threads go on after the call that ends b. If it is no_block, or b is beyond
  /// the end of the table, b ends in no call. A thread that the program sends from a call block directly to its return
  /// block has not called (a predicated call). The program and the table must outlive this object.
  /// \param program executes blocks and names targets.
  /// \param return_blocks the table, by block.
  /// \param threads the number of threads of all thread blocks that run at the same time.
  /// \param max_depth a call beyond this depth is a fault.
  constexpr call_program(Program& program, std::span<const block_id> return_blocks, std::uint32_t threads,
                         std::uint32_t max_depth = 1024)
      : program_(&program), return_blocks_(return_blocks), max_depth_(max_depth) {
    depth_.assign(threads, 0);
  }
  call_program(Program&&, std::span<const block_id>, std::uint32_t, std::uint32_t = 1024) = delete;

  /// Forgets all calls, so every thread is at depth 0, and begins the program. The executor calls it. O(threads).
  constexpr void begin(const launch& shape) {
    depth_.assign(depth_.size(), 0);
    overflow_.reset();
    if constexpr (program_with_begin<Program>) program_->begin(shape);
  }

  /// Runs the block and does its calls and returns. A thread that ends leaves all functions that it is in. O(lanes
  /// times distinct targets) on top of the program's own.
  /// \pre the lanes are threads below the number given to the constructor.
  constexpr block_end run(block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) {
    targets_.clear();
    const block_end end = program_->run(b, g, targets_);
    if (end == block_end::fault) return end;
    const block_id behind = b < return_blocks_.size() ? return_blocks_[b] : no_block;
    Mask ended = g.lanes;
    for (const basic_fragment<Mask>& o : targets_.fragments()) {
      ended -= o.lanes;
      if (o.block == return_to_caller) {
        o.lanes.for_each([&](std::uint32_t lane) { out.go(pop(g.first_thread + lane), Mask::lane(lane)); });
        continue;
      }
      if (behind != no_block && o.block != behind) {
        o.lanes.for_each([&](std::uint32_t lane) {
          if (!push(g.first_thread + lane, behind) && !overflow_) overflow_ = call_overflow{g.first_thread + lane, b};
        });
        if (overflow_) return block_end::fault;
      }
      out.go(o.block, o.lanes);
    }
    ended.for_each([&](std::uint32_t lane) { depth_[g.first_thread + lane] = 0; });
    return end;
  }

  /// The call depth by thread, up to date whenever the executor calls a policy. Valid as long as this program.
  [[nodiscard]] constexpr std::span<const std::uint32_t> depths() const& {
    return std::span<const std::uint32_t>(depth_);
  }
  void depths() && = delete;

  /// The call that made run() end in a fault; empty if it was the program's own fault.
  [[nodiscard]] constexpr std::optional<call_overflow> overflow() const { return overflow_; }

  /// The program's own answer: instructions in b.
  [[nodiscard]] constexpr std::uint32_t weight(block_id b) const requires weighted_program<Program> {
    return static_cast<std::uint32_t>(program_->weight(b));
  }
  /// The program's own answer: the barrier that ends b.
  [[nodiscard]] constexpr std::uint32_t barrier_id(block_id b) const requires program_with_named_barriers<Program> {
    return static_cast<std::uint32_t>(program_->barrier_id(b));
  }
  /// The program's own answer: the number of threads that a warp counts for at a barrier with a count.
  static constexpr bool has_warp_sized_arrivals = program_with_warp_sized_arrivals<Program>;
  /// The program's own answer: the number of threads that the barrier at the end of b opens for; 0: all.
  [[nodiscard]] constexpr std::uint32_t barrier_count(block_id b) const requires program_with_barrier_counts<Program> {
    return static_cast<std::uint32_t>(program_->barrier_count(b));
  }

  /// Notes all stacks and the program's state. O(threads times the deepest call so far).
  constexpr void remember() requires program_with_memory<Program> {
    noted_depth_ = depth_;
    noted_stack_ = stack_;
    program_->remember();
  }
  /// True if all stacks and the program's state are as remember() noted them. O(threads + calls).
  [[nodiscard]] constexpr bool as_remembered() requires program_with_memory<Program> {
    if (depth_ != noted_depth_) return false;
    for (std::size_t t = 0; t < depth_.size(); ++t)
      for (std::size_t level = 0; level < depth_[t]; ++level)
        if (stack_[level * depth_.size() + t] != noted_stack_[level * depth_.size() + t]) return false;
    return static_cast<bool>(program_->as_remembered());
  }

 private:
  constexpr bool push(std::size_t thread, block_id behind) {
    SIMTFLOW_EXPECTS(thread < depth_.size(), "a thread of those the call program was made for");
    if (depth_[thread] == max_depth_) return false;
    const std::size_t at = depth_[thread]++ * depth_.size() + thread;
    if (at >= stack_.size()) stack_.insert(stack_.end(), depth_.size(), no_block);
    stack_[at] = behind;
    return true;
  }

  constexpr block_id pop(std::size_t thread) {
    SIMTFLOW_EXPECTS(thread < depth_.size(), "a thread of those the call program was made for");
    if (depth_[thread] == 0) return no_block;
    return stack_[--depth_[thread] * depth_.size() + thread];
  }

  Program* program_;
  std::span<const block_id> return_blocks_;
  std::uint32_t max_depth_;
  std::vector<std::uint32_t> depth_;  // by thread
  std::vector<block_id> stack_;       // by level, then thread; levels are added when a thread first gets there
  basic_partition<Mask> targets_;     // as the program names them
  std::vector<std::uint32_t> noted_depth_;
  std::vector<block_id> noted_stack_;
  std::optional<call_overflow> overflow_;
};

}  // namespace v0
}  // namespace simtflow
