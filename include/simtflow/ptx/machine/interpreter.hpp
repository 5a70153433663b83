// SPDX-License-Identifier: BSL-1.0
//
// Runs a decoded kernel: a lockstep program (simt/program.hpp) over one thread block at a time. The executor says which
// lanes of a warp run which block; the interpreter runs the block's operations for those lanes together, over
// arrays of 32 lanes, and says where each lane goes. Its parts, each with a header of its own:
//
//   thread_block     shape, place in the grid, the fault
//   register_file    registers; lane_set: the lanes that run
//   arithmetic_unit  operations on registers alone
//   memory_unit      loads, stores, atomics
//   exchange_unit    shuffles, votes and the like; lanes can wait there for others (program_with_collectives)
//   call_stack       calls and returns
//   barrier_unit     which barrier, and what it computes
//   kernel_output    printf
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
#include <simtflow/ptx/machine/fault.hpp>
#include <simtflow/ptx/machine/kernel_output.hpp>
#include <simtflow/ptx/machine/launch.hpp>
#include <simtflow/ptx/machine/memory.hpp>
#include <simtflow/ptx/machine/printf.hpp>
#include <simtflow/ptx/machine/units/arithmetic_unit.hpp>
#include <simtflow/ptx/machine/units/barrier_unit.hpp>
#include <simtflow/ptx/machine/units/call_stack.hpp>
#include <simtflow/ptx/machine/units/exchange_unit.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/memory_unit.hpp>
#include <simtflow/ptx/machine/units/register_file.hpp>
#include <simtflow/ptx/machine/units/thread_block.hpp>
#include <simtflow/ptx/machine/values/lanes.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/simt/launch.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/observers/memory_metrics.hpp>
#include <simtflow/simt/program.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

static_assert(std::endian::native == std::endian::little, "device memory is little-endian");

/// Observes no memory access.
struct no_access_observer {
  /// Takes whatever happens.
  template <class Event>
  void operator()(const Event&) const {}
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
      : interpreter(k, launch, memory, args, nothing_observed()) {}
  /// The same with an observer of memory accesses.
  interpreter(const decoded_kernel& k, const launch_config& launch, device_memory& memory, const arguments& args,
              Observer& observer)
      : kernel_(&k),
        observer_(&observer),
        block_(checked(k, launch, args), launch),
        registers_(block_, loaded(memory, k)),
        memory_(block_, memory, args),
        exchange_(block_),
        calls_(block_, memory_.spaces()),
        barriers_(block_, registers_),
        chunks_per_group_(block_.chunks_per_group) {}
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
    const launch_config& l = block_.launch;
    SIMTFLOW_EXPECTS(n < l.num_blocks(), "a thread block of the grid");
    select_block(static_cast<std::uint32_t>(n % l.grid[0]), static_cast<std::uint32_t>(n / l.grid[0] % l.grid[1]),
                 static_cast<std::uint32_t>(n / l.grid[0] / l.grid[1]));
  }

  /// Starts the chosen thread block: registers, shared and local memory are zero, every thread is alive. The executor
  /// calls it. \pre shape has the warp width of the launch, and at most the threads of one thread block.
  void begin(const simtflow::launch& shape) {
    SIMTFLOW_EXPECTS(shape.num_threads() <= num_threads() && shape.warp_width == warp_width(),
                     "a kernel runs with the threads and the warps of its launch");
    block_.fault = {};
    registers_.begin_block();
    memory_.begin_block();
    calls_.begin_block();
    barriers_.begin_block();
    stopped_.assign(stopped_.size(), no_index);
    unserved_.assign(unserved_.size(), 0);
    clock_ = 0;
  }

  /// Threads of a thread block. O(1).
  [[nodiscard]] std::uint32_t num_threads() const { return block_.threads; }
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
    return std::span(off_).first(num_off_);
  }

  /// The barrier that block b ends in. If a register names it, the lanes that ran last decide. \pre block b
  /// ends in a barrier.
  [[nodiscard]] std::uint32_t barrier_id(block_id b) const { return barriers_.id(barrier_of(b)); }
  /// A warp counts as a whole at a barrier with a count ("bar, barrier").
  static constexpr bool has_warp_sized_arrivals = true;
  /// For how many threads that barrier opens (0: all of the thread block); as barrier_id().
  [[nodiscard]] std::uint32_t barrier_count(block_id b) const { return barriers_.count(barrier_of(b)); }

  /// The call depth by thread, for policies that order by it. Valid as long as the interpreter.
  [[nodiscard]] std::span<const std::uint32_t> depths() const& { return calls_.depths(); }
  void depths() && = delete;

  /// The kernel's output so far, in the order in which it ran: for each thread in order; the beginning of it, if that
  /// is more than kernel_output holds (lost_output). O(1).
  [[nodiscard]] std::span<const printed_text> printed() const { return output_.texts(); }
  [[nodiscard]] bool lost_output() const { return output_.cut(); }  ///< more was printed than printed() has
  /// The output so far; forgets it.
  [[nodiscard]] kernel_output take_output() { return std::exchange(output_, {}); }
  /// Forgets what was printed.
  void forget_output() { output_ = {}; }

  /// Other interpreters run thread blocks on the same memory at the same time: atomics on global memory then are atomic
  /// among them also.
  void share_memory(bool shared) { memory_.share(shared); }

  /// For livelock detection: notes registers, memory, stacks and, if the kernel reads it, the clock. O(all of them).
  void remember() {
    registers_.remember();
    memory_.remember();
    calls_.remember();
    barriers_.remember();
    noted_stopped_ = stopped_;
    noted_unserved_ = unserved_;
    noted_printed_ = output_.bytes();
    noted_clock_ = clock_;
  }
  /// Whether all of it is as it was. Stops at the first difference; registers come first.
  [[nodiscard]] bool as_remembered() const {
    if (kernel_->reads_clock && clock_ != noted_clock_) return false;
    return registers_.as_remembered() && unserved_ == noted_unserved_ && stopped_ == noted_stopped_ &&
           output_.bytes() == noted_printed_ && calls_.as_remembered() && barriers_.as_remembered() &&
           memory_.as_remembered();
  }

  /// Sets the clock, as far as the kernel can see it. The cycle model sets it to the core's cycle before each
  /// instruction (timing::program_with_clock). \param now the value that an instruction would read that runs next
  void set_clock(std::uint64_t now) { clock_ = now; }

  /// The fault, when run() returned block_end::fault.
  [[nodiscard]] const fault_info& fault() const { return block_.fault; }

  /// The shared memory of the thread block, for inspection.
  [[nodiscard]] std::span<const unsigned char> shared_memory() const { return memory_.spaces().shared(); }

  /// A register of a thread, for inspection; its name must be unique in the kernel. Zero if there is none. Other
  /// threads of the warp may overwrite it once the thread has ended.
  /// \pre thread is less than num_threads().
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
  /// \param look called as look(op, sets, n) before each operation:
  /// the lanes that run it lie in n sets.
  /// \pre as for run(); i < weight(b); a thread block runs its instructions in this way only, or only by run().
  template <class Look>
  block_end run_instruction(block_id b, std::uint32_t i, std::span<const decoded_op> ops, const basic_group<Mask>& g,
                            basic_partition<Mask>& out, const Look& look) {
    std::uint32_t masks[max_chunks] = {};
    const decoded_block& block = start_in(b, g, masks);
    const std::size_t first = std::size_t{g.warp} * chunks_per_group_;
    clock_at_ = clock_ - (first_instruction(block) + i);
    const decoded_op* const last = ops.data() + ops.size();
    const decoded_op* op = ops.data();
    if (!stopped_.empty() && stopped_[first_lane(g)] != no_index) {
      op = kernel_->ops.data() + taken_up(first, masks);
      g.lanes.for_each([&](std::uint32_t lane) { stopped_[first * chunk_lanes + lane] = no_index; });
    }
    if (const block_end end = run_ops(op, last, b, g, masks, look); end != block_end::next) return end;
    ++clock_;
    return i + 1 == block.weight ? leave_block(b, block, first, masks, g, out) : block_end::next;
  }
  /// The instruction of block b at which the lanes of a group stopped, from 0. \pre run_instruction() ended there as
  /// block_end::collective for all of them.
  [[nodiscard]] std::uint32_t stopped_at(block_id b, const basic_group<Mask>& g) const {
    const decoded_op& op = kernel_->ops[stopped_[first_lane(g)]];
    return static_cast<std::uint32_t>(op.instruction - first_instruction(kernel_->blocks[b]));
  }

  /// Sets whether lanes that reach an exchange without all lanes of their member mask wait there for the others
  /// (program_with_collectives). If they do not, which is the default, it is a fault.
  void wait_at_collectives(bool yes) {
    exchange_.wait(yes);
    if (yes) stopped_.resize(std::size_t{block_.groups} * chunks_per_group_ * chunk_lanes, no_index);
    if (yes) unserved_.resize(std::size_t{block_.groups} * chunks_per_group_, 0);
  }

  /// Executes each exchange that all live lanes of its member mask have reached, for lanes of a warp that wait at
  /// exchanges, and returns the lanes that can continue. \pre run() or resume() ended as block_end::collective for
  /// these lanes, and they have not continued since.
  [[nodiscard]] Mask gather(const basic_group<Mask>& g) {
    const std::size_t first = std::size_t{g.warp} * chunks_per_group_;
    std::uint32_t go[max_chunks] = {};
    for (std::uint32_t c = 0; c < chunks_per_group_; ++c) {
      const auto waits = static_cast<std::uint32_t>(g.lanes.word(c / 2) >> (32 * (c % 2)));
      if (waits != 0) gather_chunk(first + c, g.first_thread + c * lanes_per_chunk);
      go[c] = waits & ~unserved_[first + c];
    }
    return mask_from(go);
  }

  /// Runs the rest of a block for lanes that stopped in it together and that gather() returned. \pre as for run().
  [[gnu::noinline]] block_end resume(block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) {
    return run_from<true>(b, g, out);
  }

 private:
  using lane_set = detail::lane_set;
  static constexpr std::uint32_t lanes_per_chunk = detail::lanes_per_chunk;
  static constexpr std::uint32_t max_chunks = Mask::capacity / lanes_per_chunk;
  static constexpr bool observed = !std::same_as<Observer, no_access_observer>;
  static Observer& nothing_observed() {
    static Observer nothing;
    return nothing;
  }

  // The place in stopped_ of the first lane of a group.
  std::size_t first_lane(const basic_group<Mask>& g) const {
    return std::size_t{g.warp} * chunks_per_group_ * chunk_lanes + g.lanes.first();
  }

  static const decoded_kernel& checked(const decoded_kernel& k, const launch_config& launch, const arguments& args) {
    SIMTFLOW_EXPECTS(check_launch(k, launch, args, Mask::capacity).empty(), "the launch fits the kernel");
    return k;
  }
  static device_memory& loaded(device_memory& memory, const decoded_kernel& k) {
    memory.load(k);
    return memory;
  }

  const decoded_barrier& barrier_of(block_id b) const {
    SIMTFLOW_EXPECTS(b < kernel_->blocks.size() && (kernel_->blocks[b].end == block_exit::barrier ||
                                                    kernel_->blocks[b].end == block_exit::arrive),
                     "a block that ends in a barrier");
    return kernel_->barrier_list[kernel_->blocks[b].detail];
  }

  // Runs a block for a group; or, if Resumed, the part after the exchange at which its lanes stopped.
  template <bool Resumed>
  block_end run_from(block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) {
    std::uint32_t masks[max_chunks] = {};
    const decoded_block& block = start_in(b, g, masks);
    const std::size_t first = std::size_t{g.warp} * chunks_per_group_;
    if (kernel_->reads_clock) clock_at_ = clock_ - first_instruction(block);
    const decoded_op* op = kernel_->ops.data() + block.first_op;
    const decoded_op* const last = op + block.num_ops;
    if constexpr (Resumed) op = kernel_->ops.data() + taken_up(first, masks);
    const auto look = [](const decoded_op&, const lane_set*, std::uint32_t) {};
    if (const block_end end = run_ops(op, last, b, g, masks, look); end != block_end::next) return end;
    clock_ += block.weight;
    return leave_block(b, block, first, masks, g, out);
  }

  // The number, in the kernel, of a block's first instruction; modulo 2^64 if the block has none.
  static std::uint64_t first_instruction(const decoded_block& block) {
    return std::uint64_t{block.last_instruction} + 1 - block.weight;
  }

  const decoded_block& start_in(block_id b, const basic_group<Mask>& g, std::uint32_t* masks) {
    SIMTFLOW_EXPECTS(b < kernel_->blocks.size() && g.warp < block_.groups,
                     "a block of the kernel and a warp of the thread block");
    for (std::uint32_t c = 0; c < chunks_per_group_; ++c)
      masks[c] = static_cast<std::uint32_t>(g.lanes.word(c / 2) >> (32 * (c % 2)));
    running_ = &kernel_->blocks[b];
    num_off_ = 0;
    return *running_;
  }

  // Runs operations one after the other. Returns block_end::next, or how they stopped.
  template <class Look>
  [[gnu::always_inline]] block_end run_ops(const decoded_op* op, const decoded_op* last, block_id b,
                                           const basic_group<Mask>& g, const std::uint32_t* masks, const Look& look) {
    const std::size_t first = std::size_t{g.warp} * chunks_per_group_;
    if (chunks_per_group_ == 1) {
      const lane_set s = registers_.lanes_of(first, masks[0], g.first_thread);
      const bool full = (s.live & ~s.mask) == 0;
      for (; op != last; ++op) {
        if constexpr (observed) observe(*op, &s, 1, b, g);
        look(*op, &s, 1);
        if (op->plain)
          arithmetic_.run_plain(*op, s, full);
        else if (!execute(*op, s))
          return stopped_in(b, *op, first, masks, 0);
      }
    } else {
      const std::uint32_t n = sets_of(first, masks, g);
      for (; op != last; ++op) {
        if constexpr (observed) observe(*op, sets_, n, b, g);
        look(*op, sets_, n);
        for (std::uint32_t i = 0; i < n; ++i) {
          const lane_set& s = sets_[i];
          if (op->plain)
            arithmetic_.run_plain(*op, s, (s.live & ~s.mask) == 0);
          else if (!execute(*op, s))
            return stopped_in(b, *op, first, masks, s.first_lane / chunk_lanes - first);
        }
      }
    }
    return block_end::next;
  }

  // --- exchanges at which lanes wait --------------------------------------------------------------------------------

  // An operation has failed in one chunk of a group: lanes wait, or it is a fault. Earlier chunks have executed it.
  [[gnu::noinline]] block_end stopped_in(block_id b, const decoded_op& op, std::size_t first,
                                         const std::uint32_t* masks, std::size_t failed) {
    if (!exchange_.take_waiting()) return fault_in(b);
    const auto number = static_cast<std::uint32_t>(&op - kernel_->ops.data());
    for (std::size_t c = 0; c < chunks_per_group_; ++c) {
      if (c >= failed) unserved_[first + c] |= masks[c];
      if (c > failed && op.guard.index != no_index)  // these lanes have not reached the guard yet
        if (const std::uint32_t off = masks[c] & ~registers_.where(first + c, op.guard); off != 0)
          note_off(op, registers_.lanes_of(first + c, masks[c], 0), off);
      for (std::uint32_t rest = masks[c]; rest != 0; rest &= rest - 1)
        stopped_[(first + c) * chunk_lanes + static_cast<std::size_t>(std::countr_zero(rest))] = number;
    }
    return block_end::collective;
  }

  void gather_chunk(std::size_t chunk, std::uint32_t first_thread) {
    const std::uint32_t* const at = stopped_.data() + chunk * chunk_lanes;
    std::uint32_t& unserved = unserved_[chunk];
    const lane_set s = registers_.lanes_of(chunk, unserved, first_thread);
    for (std::uint32_t left = unserved; left != 0;) {  // lanes at one operation at a time
      const auto i = static_cast<std::uint32_t>(std::countr_zero(left));
      const decoded_op& op = kernel_->ops[at[i]];
      std::uint32_t here = 0;
      for (std::uint32_t rest = left; rest != 0; rest &= rest - 1)
        if (const auto k = static_cast<std::uint32_t>(std::countr_zero(rest)); at[k] == at[i])
          here |= std::uint32_t{1} << k;
      left &= ~here;
      std::uint32_t come = op.guard.index == no_index ? here : here & s.where(op.guard);
      unserved &= ~(here & ~come);  // a false guard: these lanes need not wait
      while (come != 0) {
        const auto k = static_cast<std::uint32_t>(std::countr_zero(come));
        const std::uint32_t together = exchange_.gathered(op, s, come, k);
        come &= ~(together | std::uint32_t{1} << k);
        if (together == 0) continue;
        exchange_.run(op, s, together, (s.live & ~together) == 0);
        unserved &= ~together;
      }
    }
  }

  // The operation at which lanes that stopped together continue.
  [[nodiscard]] std::size_t taken_up(std::size_t first, const std::uint32_t* masks) const {
    std::uint32_t number = no_index;
    for (std::size_t c = 0; c < chunks_per_group_; ++c)
      for (std::uint32_t rest = masks[c]; rest != 0; rest &= rest - 1) {
        const std::uint32_t mine =
            stopped_[(first + c) * chunk_lanes + static_cast<std::size_t>(std::countr_zero(rest))];
        SIMTFLOW_EXPECTS(number == no_index || mine == number, "lanes that go on together stopped together");
        number = mine;
      }
    return std::size_t{number} + 1;
  }

  // The chunks of a group that have lanes, in sets_: how many.
  std::uint32_t sets_of(std::size_t first, const std::uint32_t* masks, const basic_group<Mask>& g) {
    std::uint32_t n = 0;
    for (std::uint32_t c = 0; c < chunks_per_group_; ++c)
      if (masks[c] != 0) sets_[n++] = registers_.lanes_of(first + c, masks[c], g.first_thread + c * lanes_per_chunk);
    return n;
  }

  // --- operations ------------------------------------------------------------------------------------------------

  /// Runs one operation; false if it faults.
  bool execute(const decoded_op& op, const lane_set& s) {
    std::uint32_t mask = s.mask;
    if (op.guard.index != no_index) {
      mask &= s.where(op.guard);
      if (mask != s.mask) note_off(op, s, s.mask & ~mask);
      if (mask == 0) return true;
    }
    const bool full = (s.live & ~mask) == 0;
    switch (op.kind) {
      case op_kind::light:
        arithmetic_.run_light(op, s, mask, full);
        return true;
      case op_kind::copy:
        arithmetic_.copy(op, s, mask, full);
        return true;
      case op_kind::each:
        arithmetic_.run_each(op, s, mask);
        return true;
      case op_kind::compare:
        arithmetic_.compare(op, s, mask);
        return true;
      case op_kind::select:
        arithmetic_.select(op, s, mask, full);
        return true;
      case op_kind::predicate:
        arithmetic_.combine_predicates(op, s, mask);
        return true;
      case op_kind::carry:
        arithmetic_.carry(op, s, mask, full);
        return true;
      case op_kind::pack:
      case op_kind::unpack:
        arithmetic_.move_parts(op, kernel_->lists.data() + op.list, s, mask);
        return true;
      case op_kind::load:
        return memory_.template access<false>(op, s, mask, full);
      case op_kind::store:
        return memory_.template access<true>(op, s, mask, full);
      case op_kind::atomic:
        return memory_.atomic(op, s, mask);
      default:
        return execute_rare(op, s, mask, full);
    }
  }

  /// Notes lanes with a false guard. All operations of one instruction note the same lanes.
  [[gnu::noinline]] void note_off(const decoded_op& op, const lane_set& s, std::uint32_t lanes) {
    const std::uint32_t instruction = op.instruction + running_->weight - (running_->last_instruction + 1);
    if (num_off_ == 0 || off_[num_off_ - 1].instruction != instruction) {
      if (num_off_ == off_.size()) off_.emplace_back();
      off_[num_off_++] = {instruction, Mask{}};
    }
    std::uint32_t words[max_chunks] = {};
    words[s.first_lane / lanes_per_chunk % chunks_per_group_] = lanes;
    off_[num_off_ - 1].lanes |= mask_from(words);
  }

  [[gnu::noinline]] bool execute_rare(const decoded_op& op, const lane_set& s, std::uint32_t mask, bool full) {
    switch (op.kind) {
      case op_kind::nothing:
        return true;
      case op_kind::space_test:
        memory_.test_space(op, s, mask);
        return true;
      case op_kind::copy_memory:
        return memory_.copy(op, s, mask);
      case op_kind::reduced:
        barriers_.read_reduction(op, s, mask);
        return true;
      case op_kind::clock: {
        const std::uint64_t now = (clock_at_ + op.instruction) >> op.code;
        for (; mask != 0; mask &= mask - 1) s.write(op.result, static_cast<std::size_t>(std::countr_zero(mask)), now);
        return true;
      }
      case op_kind::print:
        return detail::print(op, s, mask, memory_.spaces(), block_, output_);
      case op_kind::assert_fail:
        detail::fail_assertion(op, s, mask, memory_.spaces(), block_);
        return false;
      default:
        return exchange_.run(op, s, mask, full);
    }
  }

  /// Tells the observer of an access to global or shared memory by the lanes of `count` chunks.
  void observe(const decoded_op& op, const lane_set* sets, std::uint32_t count, block_id b,
               const basic_group<Mask>& g) {
    if (op.kind == op_kind::copy_memory) return observe_copy(op, sets, count, b, g);
    if (op.kind != op_kind::load && op.kind != op_kind::store && op.kind != op_kind::atomic) return;
    if (op.space != state_space::global && op.space != state_space::shared && op.space != state_space::generic) return;
    Mask global{}, shared{};
    std::uint64_t at[chunk_lanes];
    seen_.resize(std::size_t{chunks_per_group_} * chunk_lanes);
    for (const lane_set& s : std::span<const lane_set>(sets, count)) {
      const std::uint32_t mask = s.mask & s.where(op.guard);
      detail::addresses_of(op, s, at);
      for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<std::uint32_t>(std::countr_zero(rest));
        const std::uint32_t lane = s.first_thread - g.first_thread + i;
        seen_[lane] = at[i];
        if (op.space == state_space::shared) {
          shared.set(lane);
        } else if (op.space == state_space::global || at[i] - shared_window >= code_window - shared_window) {
          global.set(lane);
        } else if (at[i] - shared_window < window_bytes) {
          seen_[lane] -= shared_window;
          shared.set(lane);
        }
      }
    }
    const bool store = op.kind != op_kind::load;
    const std::uint32_t bytes = std::uint32_t{op.size} * op.count;
    const std::span<const std::uint64_t> addresses_seen(seen_);
    if (global.any())
      (*observer_)(event::memory_access<Mask>{g.warp, b, memory_space::global, store, bytes, global, addresses_seen});
    if (shared.any())
      (*observer_)(event::memory_access<Mask>{g.warp, b, memory_space::shared, store, bytes, shared, addresses_seen});
  }

  /// cp.async is a load from global memory and a store to shared memory.
  void observe_copy(const decoded_op& op, const lane_set* sets, std::uint32_t count, block_id b,
                    const basic_group<Mask>& g) {
    seen_.resize(std::size_t{chunks_per_group_} * chunk_lanes);
    for (const bool store : {false, true}) {
      Mask lanes{};
      std::uint64_t at[chunk_lanes];
      for (const lane_set& s : std::span<const lane_set>(sets, count)) {
        detail::addresses_of(op, s, at);
        for (std::uint32_t rest = s.mask & s.where(op.guard); rest != 0; rest &= rest - 1) {
          const auto i = static_cast<std::uint32_t>(std::countr_zero(rest));
          if (!store && decltype(memory_)::copied_bytes(op, s, i) == 0) continue;
          const std::uint32_t lane = s.first_thread - g.first_thread + i;
          seen_[lane] = store ? at[i] : s.read(op.source[1], i) + op.second_offset;
          lanes.set(lane);
        }
      }
      if (lanes.any())
        (*observer_)(event::memory_access<Mask>{g.warp, b, store ? memory_space::shared : memory_space::global, store,
                                                op.size, lanes, std::span<const std::uint64_t>(seen_)});
    }
  }

  // --- ends of blocks --------------------------------------------------------------------------------------------

  Mask mask_from(const std::uint32_t* words) const {
    if constexpr (Mask::capacity == 64) {
      std::uint64_t bits = words[0];
      if (chunks_per_group_ > 1) bits |= std::uint64_t{words[1]} << 32;
      return Mask(bits);
    } else {
      Mask m;
      for (std::uint32_t c = 0; c < chunks_per_group_; ++c)
        for (std::uint32_t rest = words[c]; rest != 0; rest &= rest - 1)
          m.set(c * lanes_per_chunk + static_cast<std::uint32_t>(std::countr_zero(rest)));
      return m;
    }
  }

  block_end leave_block(block_id b, const decoded_block& block, std::size_t first, const std::uint32_t* masks,
                        const basic_group<Mask>& g, basic_partition<Mask>& out) {
    if (block.end == block_exit::fall) {
      out.go(block.next, g.lanes);
      return block_end::next;
    }
    if (block.end == block_exit::barrier || block.end == block_exit::arrive) {
      if (!arrive_at_barrier(block, first, masks, g)) return fault_in(b);
      out.go(block.next, g.lanes);
      return block.end == block_exit::barrier ? block_end::barrier : block_end::arrive;
    }
    std::uint32_t taken[max_chunks] = {};
    std::uint32_t rest[max_chunks] = {};
    for (std::uint32_t c = 0; c < chunks_per_group_; ++c) {
      const std::uint32_t holds =
          block.guard.index == no_index ? detail::all_lanes : registers_.where(first + c, block.guard);
      taken[c] = masks[c] & holds;
      rest[c] = masks[c] & ~holds;
      if (block.end == block_exit::leave) registers_.end_lanes(first + c, taken[c]);
      if (block.end == block_exit::trap && taken[c] != 0) {
        const std::uint32_t lane = c * lanes_per_chunk + static_cast<std::uint32_t>(std::countr_zero(taken[c]));
        block_.complain(fault_kind::trap, block.last_instruction, g.first_thread + lane, 0, {});
        return fault_in(b);
      }
    }
    switch (block.end) {
      case block_exit::branch:
        out.go(block.target, mask_from(taken));
        break;
      case block_exit::leave:
        if (kernel_->functions.size() > 1)
          mask_from(taken).for_each([&](std::uint32_t lane) { calls_.end_thread(g.first_thread + lane); });
        break;
      case block_exit::table:
      case block_exit::call:
      case block_exit::ret:
        if (!go_by_lane(block, first, taken, g, out)) return fault_in(b);
        break;
      default:
        break;
    }
    if (block.next != no_block) out.go(block.next, mask_from(rest));
    return block_end::next;
  }

  [[gnu::noinline]] bool arrive_at_barrier(const decoded_block& block, std::size_t first, const std::uint32_t* masks,
                                           const basic_group<Mask>& g) {
    if (barriers_.arrive_at_plain(block)) return true;
    const std::uint32_t n = sets_of(first, masks, g);
    return barriers_.arrive(block, std::span<const lane_set>(sets_, n));
  }

  /// Each lane goes its own way.
  [[gnu::noinline]] bool go_by_lane(const decoded_block& block, std::size_t first, const std::uint32_t* taken,
                                    const basic_group<Mask>& g, basic_partition<Mask>& out) {
    const std::uint32_t n = sets_of(first, taken, g);
    for (const lane_set& s : std::span<const lane_set>(sets_, n)) {
      const std::uint32_t chunk = s.first_thread - g.first_thread;
      const auto go = [&](block_id to, std::uint32_t lane) { out.go(to, Mask::lane(chunk + lane)); };
      const bool moved = block.end == block_exit::table  ? jump(block, s, go)
                         : block.end == block_exit::call ? calls_.call(block, s, go)
                                                         : calls_.come_back(block, s, go);
      if (!moved) return false;
    }
    return true;
  }

  /// brx.idx: each lane to the entry of the table that its index names.
  template <class Go>
  bool jump(const decoded_block& block, const lane_set& s, Go&& go) {
    const decoded_table& table = kernel_->tables[block.detail];
    for (std::uint32_t rest = s.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      const std::uint64_t index = s.read(table.index, lane);
      if (index >= table.targets.size()) {
        block_.complain(fault_kind::bad_target, block.last_instruction, s.first_thread + lane, index,
                        "entry " + std::to_string(index) + " of a table of " + std::to_string(table.targets.size()));
        return false;
      }
      go(table.targets[static_cast<std::size_t>(index)], lane);
    }
    return true;
  }

  block_end fault_in(block_id b) {
    block_.fault_in(b);
    return block_end::fault;
  }

  const decoded_kernel* kernel_;
  Observer* observer_;
  detail::thread_block block_;
  detail::register_file registers_;
  detail::arithmetic_unit arithmetic_;
  detail::memory_unit memory_;
  detail::exchange_unit exchange_;
  detail::call_stack calls_;
  detail::barrier_unit barriers_;
  kernel_output output_;
  std::uint32_t chunks_per_group_;
  std::uint64_t clock_ = 0, clock_at_ = 0;  // instructions issued; the same less the number of the block's first
  std::uint64_t noted_printed_ = 0, noted_clock_ = 0;
  std::vector<std::uint32_t> stopped_, noted_stopped_;    // by lane: the operation at which it stopped last
  std::vector<std::uint32_t> unserved_, noted_unserved_;  // by chunk: lanes that wait at an exchange
  lane_set sets_[max_chunks];                             // the group that runs, if it has several chunks
  std::vector<std::uint64_t> seen_;                       // by lane: addresses, for the observer
  std::vector<basic_predicated_off<Mask>> off_;           // in the block that runs: the first num_off_
  std::size_t num_off_ = 0;
  const decoded_block* running_ = nullptr;
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
