// SPDX-License-Identifier: BSL-1.0
//
// Runs a decoded kernel: a lockstep program (simt/program.hpp) over one thread block at a time. The executor says which
// lanes of a warp run which block; the interpreter runs the block's operations for those lanes together, over
// arrays of 32 lanes, and says where each lane goes. Its parts, each with a header of its own:
//
//   thread_block     shape, place in the grid, the fault
//   register_file    registers; lane_set: the lanes that run
//   operation_unit   one operation, by the unit of its kind: arithmetic, memory, exchange between lanes, printf
//   block_runner     operations in their order; lanes wait at an exchange for other lanes (program_with_collectives)
//   block_exits      where lanes go at the end of a block; barrier_unit: which barrier, and what it computes
//   access_reporter  tells an observer of accesses to memory
//
// Memory is sequentially consistent: operations of a warp happen in order, lanes of one operation from low to high.
// Registers, shared and local memory start as zero in every thread block. A fault ends the run and says which thread
// did what.
//
// The clock counts instructions that the thread block has issued, unless set_clock() tells the time; %globaltimer is
// the same number. A kernel that reads it takes paths that depend on the policy.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "State Spaces", "Special Registers", "Parallel
// Synchronization and Communication Instructions".
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/machine/arguments.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/fault.hpp>
#include <simtflow/ptx/machine/kernel_output.hpp>
#include <simtflow/ptx/machine/launch.hpp>
#include <simtflow/ptx/machine/memory.hpp>
#include <simtflow/ptx/machine/units/access_reporter.hpp>
#include <simtflow/ptx/machine/units/barrier_unit.hpp>
#include <simtflow/ptx/machine/units/block_exits.hpp>
#include <simtflow/ptx/machine/units/block_runner.hpp>
#include <simtflow/ptx/machine/units/group_chunks.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/operation_unit.hpp>
#include <simtflow/ptx/machine/units/register_file.hpp>
#include <simtflow/ptx/machine/units/thread_block.hpp>
#include <simtflow/simt/launch.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/program.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// Observes no memory access.
struct no_access_observer {
  template <class Event>
  void operator()(const Event&) const {}  ///< takes whatever happens
};

/// A kernel on a launch, as a program for the executor. Each run executes the thread block that select_block() chose
/// last, the first one of the grid unless another was chosen.
///
/// An Observer is called with an event::memory_access<Mask> (simt/observers/memory_metrics.hpp) for every load, store
/// and atomic to global and shared memory, before it happens: one event for the lanes of a group, two if their generic
/// addresses go to both. Constants, parameters and local memory are not reported. Without an observer it costs nothing.
template <class Mask = lane_mask, class Observer = no_access_observer>
class interpreter {
 public:
  /// \pre check_launch(k, launch, args, Mask::capacity) finds nothing; k, memory and the observer outlive the
  /// interpreter; nobody else allocates in the memory while it lives. Loads the kernel's variables into the memory if
  /// they are not there.
  interpreter(const decoded_kernel& k, const launch_config& launch, device_memory& memory,
              const arguments& args) requires(std::same_as<Observer, no_access_observer>)
      : interpreter(k, launch, memory, args, nothing_observed) {}
  /// The same with an observer of memory accesses.
  interpreter(const decoded_kernel& k, const launch_config& launch, device_memory& memory, const arguments& args,
              Observer& observer)
      : kernel_(&k),
        block_(loaded(k, launch, memory, args), launch),
        registers_(block_, memory),
        barriers_(block_, registers_),
        operations_(block_, barriers_, memory, args),
        runner_(block_, registers_, operations_),
        exits_(block_, registers_, barriers_, operations_.memory().spaces()),
        reporter_(observer, std::size_t{block_.chunks_per_group} * chunk_lanes) {}
  interpreter(const interpreter&) = delete;  // its parts refer to each other
  interpreter& operator=(const interpreter&) = delete;

  /// Chooses the thread block of the grid that the next runs execute.
  /// \pre the coordinates are inside the grid.
  void select_block(std::uint32_t x, std::uint32_t y = 0, std::uint32_t z = 0) {
    const launch_config& l = block_.launch;
    SIMTFLOW_EXPECTS(x < l.grid[0] && y < l.grid[1] && z < l.grid[2], "a thread block of the grid");
    block_.ctaid[0] = x;
    block_.ctaid[1] = y;
    block_.ctaid[2] = z;
  }

  /// Chooses the thread block by its number: x runs fastest. \pre n is less than the launch's num_blocks().
  void select_block_number(std::uint64_t n) {
    SIMTFLOW_EXPECTS(n < block_.launch.num_blocks(), "a thread block of the grid");
    block_.select(n);
  }

  /// Starts the chosen thread block: registers, shared and local memory are zero, every thread is alive. The executor
  /// calls it. \pre shape has the warp width of the launch, and at most the threads of one thread block.
  void begin(const simtflow::launch& shape) {
    SIMTFLOW_EXPECTS(shape.num_threads() <= num_threads() && shape.warp_width == warp_width(),
                     "a kernel runs with the threads and the warps of its launch");
    block_.fault = {};
    registers_.begin_block();
    barriers_.begin_block();
    operations_.memory().begin_block();
    runner_.begin_thread_block();
    exits_.calls().begin_block();
  }

  [[nodiscard]] std::uint32_t num_threads() const { return block_.threads; }  ///< threads of a thread block
  /// Warps of a thread block; the last one may have fewer threads. O(1).
  [[nodiscard]] std::uint32_t num_warps() const { return block_.warps; }
  /// Threads of a warp. O(1).
  [[nodiscard]] std::uint32_t warp_width() const { return block_.launch.warp_width; }
  /// Instructions that block b stands for.
  [[nodiscard]] std::uint32_t weight(block_id b) const { return kernel_->weight(b); }
  /// The kernel that runs. Valid as long as the kernel.
  [[nodiscard]] const decoded_kernel& kernel() const { return *kernel_; }
  /// The launch it runs on. Valid as long as the interpreter.
  [[nodiscard]] const launch_config& launch() const { return block_.launch; }

  /// The lanes with a false guard in the block that ran last, for each instruction that had such lanes. After a fault:
  /// up to the instruction that faulted. Valid until the next block runs.
  [[nodiscard]] std::span<const basic_predicated_off<Mask>> predicated_off() const {
    return operations_.predicated_off();
  }

  /// The barrier that block b ends in. If a register names it, the lanes that ran last decide. \pre b ends in one.
  [[nodiscard]] std::uint32_t barrier_id(block_id b) const { return barriers_.id(exits_.barrier_of(b)); }
  /// A warp counts as a whole at a barrier with a count ("bar, barrier").
  static constexpr bool has_warp_sized_arrivals = true;
  /// For how many threads that barrier opens (0: all of the thread block); as barrier_id().
  [[nodiscard]] std::uint32_t barrier_count(block_id b) const { return barriers_.count(exits_.barrier_of(b)); }

  /// The call depth by thread, for policies that order by it. Valid as long as the interpreter.
  [[nodiscard]] std::span<const std::uint32_t> depths() const& { return exits_.calls().depths(); }
  void depths() && = delete;

  /// The kernel's output so far, in the order in which it ran: for each thread in order; the beginning of it, if that
  /// is more than kernel_output holds (lost_output). O(1).
  [[nodiscard]] std::span<const printed_text> printed() const { return operations_.output().texts(); }
  /// True if more was printed than printed() has.
  [[nodiscard]] bool lost_output() const { return operations_.output().cut(); }
  /// The output so far; forgets it.
  [[nodiscard]] kernel_output take_output() { return std::exchange(operations_.output(), {}); }
  /// Forgets what was printed.
  void forget_output() { operations_.output() = {}; }

  /// Other interpreters run thread blocks on the same memory at the same time: atomics on global memory then are atomic
  /// among them also.
  void share_memory(bool shared) { operations_.memory().share(shared); }

  /// For livelock detection: notes registers, memory, stacks and, if the kernel reads it, the clock. O(all of them).
  /// \param with_memory_of_device false: another interpreter on the same memory notes the memory of the device
  void remember(bool with_memory_of_device = true) {
    operations_.memory().spaces().note_global(with_memory_of_device);
    registers_.remember();
    operations_.remember();
    exits_.calls().remember();
    barriers_.remember();
    runner_.remember();
  }
  /// Whether all of it is as it was. Stops at the first difference; registers come first.
  [[nodiscard]] bool as_remembered() const {
    return registers_.as_remembered() && runner_.as_remembered() && exits_.calls().as_remembered() &&
           barriers_.as_remembered() && operations_.as_remembered();
  }

  /// Sets the clock, as far as the kernel can see it. The cycle model sets it to the core's cycle before each
  /// instruction (timing::program_with_clock). \param now the value that an instruction would read that runs next
  void set_clock(std::uint64_t now) { runner_.set_clock(now); }

  /// The fault, when run() returned block_end::fault.
  [[nodiscard]] const fault_info& fault() const { return block_.fault; }

  /// The shared memory of the thread block, for inspection.
  [[nodiscard]] std::span<const unsigned char> shared_memory() const { return operations_.memory().spaces().shared(); }

  /// A register of a thread, for inspection; its name must be unique in the kernel. Zero if there is none. Other
  /// threads of the warp may overwrite it once the thread has ended. \pre thread is less than num_threads().
  [[nodiscard]] std::uint64_t register_value(std::uint32_t thread, std::string_view name) const {
    return registers_.value_of(thread, name);
  }

  /// Runs a block for the lanes of a group (simt/program.hpp).
  /// \pre b is a block; the lanes are alive; the group is one of the launch: first_thread is warp * warp_width, or with
  ///      a group_width warp * group_width.
  block_end run(block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) {
    return run_from<false>(b, g, out);
  }

  /// Runs one instruction of a block for the lanes of a group. All instructions of a block in their order, with one
  /// group, are run(). The last one leaves the block as run() does; an earlier one leaves `out` alone and returns
  /// block_end::next, unless it faults or lanes wait at it. For lanes that stopped in the instruction, and that
  /// gather() returned, it runs what is left of it. The clock goes on by one instruction.
  ///
  /// \param b the block
  /// \param i the number of the instruction in the block, from 0
  /// \param g the lanes
  /// \param out where they go, after the last instruction
  /// \param ops the operations of the instruction
  /// \param look called as look(op, sets, n) before each operation: the lanes that run it lie in n sets
  /// \pre as for run(); i < weight(b); a thread block runs its instructions in this way only, or only by run().
  template <class Look>
  block_end run_instruction(block_id b, std::uint32_t i, std::span<const decoded_op> ops, const basic_group<Mask>& g,
                            basic_partition<Mask>& out, const Look& look) {
    const decoded_block& block = entered(b, g);
    const detail::group_chunks<Mask> c(g, block_.chunks_per_group);
    const block_end end = runner_.run_instruction(block, i, ops, c, reported(b, g, look));
    return told(b, end == block_end::next && i + 1 == block.weight ? exits_.leave(block, c, out) : end);
  }
  /// The instruction of block b at which the lanes of a group stopped, from 0. \pre run_instruction() ended there as
  /// block_end::collective for all of them.
  [[nodiscard]] std::uint32_t stopped_at(block_id b, const basic_group<Mask>& g) const {
    return runner_.stopped_at(kernel_->blocks[b], g);
  }

  /// Sets whether lanes that reach an exchange without all lanes of their member mask wait there for the others
  /// (program_with_collectives). If they do not, which is the default, it is a fault.
  void wait_at_collectives(bool yes) { runner_.wait_at_exchanges(yes); }

  /// Executes each exchange that all live lanes of its member mask have reached, for lanes of a warp that wait at
  /// exchanges, and returns the lanes that can continue. \pre run() or resume() ended as block_end::collective for
  /// these lanes, and they have not continued since.
  [[nodiscard]] Mask gather(const basic_group<Mask>& g) {
    return runner_.serve(detail::group_chunks<Mask>(g, block_.chunks_per_group));
  }

  /// True if the kernel waits for phases of mbarriers, so that lanes can stop for what another warp does
  /// (program_with_phase_waits). O(1).
  [[nodiscard]] bool waits_for_phases() const { return kernel_->waits_for_phases; }
  /// Lets lanes of a warp that wait for the end of a phase go on although it is not over, and returns them. PTX lets a
  /// wait end at any time. \pre as for gather().
  [[nodiscard]] Mask give_up(const basic_group<Mask>& g) {
    return runner_.give_up(detail::group_chunks<Mask>(g, block_.chunks_per_group));
  }

  /// Runs the rest of a block for lanes that stopped in it together and that gather() returned. \pre as for run().
  [[gnu::noinline]] block_end resume(block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) {
    return run_from<true>(b, g, out);
  }

 private:
  static inline Observer nothing_observed{};

  // The kernel. Its variables are in the memory from now on.
  static const decoded_kernel& loaded(const decoded_kernel& k, const launch_config& launch, device_memory& memory,
                                      const arguments& args) {
    SIMTFLOW_EXPECTS(check_launch(k, launch, args, Mask::capacity).empty(), "the launch fits the kernel");
    memory.load(k);
    return k;
  }

  const decoded_block& entered(block_id b, const basic_group<Mask>& g) const {
    SIMTFLOW_EXPECTS(b < kernel_->blocks.size() && g.warp < block_.groups,
                     "a block of the kernel and a warp of the thread block");
    return kernel_->blocks[b];
  }

  // Runs a block for a group; or, if Resumed, the part after the exchange at which its lanes stopped.
  template <bool Resumed>
  block_end run_from(block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) {
    const decoded_block& block = entered(b, g);
    const detail::group_chunks<Mask> c(g, block_.chunks_per_group);
    const auto nothing = [](const decoded_op&, const detail::lane_set*, std::uint32_t) {};
    const block_end end = runner_.template run<Resumed>(block, c, reported(b, g, nothing));
    return told(b, end == block_end::next ? exits_.leave(block, c, out) : end);
  }

  // Calls the observer, if there is one, and `look` before each operation. All arguments must outlive the result.
  template <class Look>
  auto reported(const block_id& b, const basic_group<Mask>& g, const Look& look) {
    return [&](const decoded_op& op, const detail::lane_set* sets, std::uint32_t n) {
      if constexpr (!std::same_as<Observer, no_access_observer>)
        reporter_.report(op, std::span<const detail::lane_set>(sets, n), b, g,
                         std::as_const(operations_).memory().spaces().global(), *kernel_);
      look(op, sets, n);
    };
  }
  // The same end; a fault says that it happened in block b.
  block_end told(block_id b, block_end end) {
    if (end == block_end::fault) block_.fault_in(b);
    return end;
  }

  const decoded_kernel* kernel_;
  detail::thread_block block_;
  detail::register_file registers_;
  detail::barrier_unit barriers_;
  detail::operation_unit<Mask> operations_;
  detail::block_runner<Mask> runner_;
  detail::block_exits<Mask> exits_;
  detail::access_reporter<Mask, Observer> reporter_;
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
