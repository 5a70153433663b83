// SPDX-License-Identifier: BSL-1.0
//
// PTX kernels in the cycle model: an interpreter that also runs one instruction at a time and tells its accesses to
// memory (timing/program.hpp).
//
//     const ptx::instruction_table table(kernel);
//     const auto make = [&](std::uint32_t) { return ptx::timed_kernel<>(table, launch, memory, arguments); };
//     const auto report = timing::run(policy, make, ptx::grid_of(kernel, launch), machine);
//
// %clock, %clock64 and %globaltimer tell the core's cycle at the issue of the instruction that reads them
// (timing::program_with_clock).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/machine/arguments.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/fault.hpp>
#include <simtflow/ptx/machine/interpreter.hpp>
#include <simtflow/ptx/machine/kernel_output.hpp>
#include <simtflow/ptx/machine/launch.hpp>
#include <simtflow/ptx/machine/memory.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/thread_block.hpp>
#include <simtflow/ptx/timed/instruction_table.hpp>
#include <simtflow/ptx/timed/lane_accesses.hpp>
#include <simtflow/simt/launch.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/program.hpp>
#include <simtflow/timing/device.hpp>
#include <simtflow/timing/instruction.hpp>
#include <simtflow/timing/program.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// The words that the programs of a timed run leave when they are destroyed, besides memory.
struct timed_output {
  fault_info fault;      ///< of the program that faulted last
  kernel_output output;  ///< by program; printed_text::thread_block says the thread block
};

/// The grid of a launch for timing::run().
/// \param k the kernel
/// \param l its launch
/// \param registers registers of a thread, for the occupancy; 0: no limit. PTX has registers without end, so the kernel
///                  does not say how many a compiler takes.
/// \param barriers when lanes that come to a barrier wait
[[nodiscard]] inline timing::grid grid_of(const decoded_kernel& k, const launch_config& l, std::uint32_t registers = 0,
                                          barrier_model barriers = barrier_model::whole_warp) {
  const detail::thread_block one(k, l);
  return {l.num_blocks(), one.threads, 0, barriers, registers, static_cast<std::uint32_t>(one.shared_bytes)};
}

/// The buffers of a memory, for timing::grid::copied: every allocation of global memory, in the order of allocation.
/// Complexity: linear in the allocations.
[[nodiscard]] inline std::vector<timing::memory_range> copied_ranges(const device_memory& memory) {
  std::vector<timing::memory_range> all;
  for (const allocation& a : memory.allocations())
    if (!a.constant) all.push_back({a.address, a.bytes.size()});
  return all;
}

/// A kernel on a launch, as a timed_program_with_collectives and program_of_grid. All programs of a run share the
/// table, the memory and the arguments.
///
/// A policy of wider scope than a warp needs launch_config::group_width as in an interpreter, also one of core scope.
template <class Mask = lane_mask, class Observer = no_access_observer>
class timed_kernel : public interpreter<Mask, Observer> {
  using base = interpreter<Mask, Observer>;

 public:
  /// \pre as for interpreter; the table and what `told` points to, if anything, outlive it.
  timed_kernel(const instruction_table& table, const launch_config& launch, device_memory& memory,
               const arguments& args, timed_output* told = nullptr) requires(std::same_as<Observer, no_access_observer>)
      : base(table.kernel(), launch, memory, args), table_(&table), told_(told) {}
  /// The same with an observer of memory accesses.
  timed_kernel(const instruction_table& table, const launch_config& launch, device_memory& memory,
               const arguments& args, Observer& observer, timed_output* told = nullptr)
      : base(table.kernel(), launch, memory, args, observer), table_(&table), told_(told) {}
  timed_kernel(const timed_kernel&) = delete;
  timed_kernel& operator=(const timed_kernel&) = delete;
  /// Leaves fault and output.
  ~timed_kernel() {
    if (told_ == nullptr) return;
    if (this->fault().kind != fault_kind::none) told_->fault = this->fault();
    told_->output.append(this->take_output());
  }

  /// Instruction i of block b. \pre i < weight(b) (here and below).
  [[nodiscard]] const timing::instruction& instruction_at(block_id b, std::uint32_t i) const {
    return table_->at(b, i);
  }
  /// The list that instructions point into.
  [[nodiscard]] std::span<const std::uint32_t> registers() const { return table_->registers(); }
  /// The byte address of an instruction.
  [[nodiscard]] std::uint64_t code_address(block_id b, std::uint32_t i) const { return table_->code_address(b, i); }

  /// Runs instruction i of block b for the lanes of a group: timing::timed_program.
  block_end issue(block_id b, std::uint32_t i, const basic_group<Mask>& g, basic_partition<Mask>& out,
                  timing::issue_effect<Mask>& effect) {
    num_seen_ = 0;
    const bool accesses = timing::accesses_memory(table_->at(b, i).kind);
    const auto look = [&](const decoded_op& op, const detail::lane_set* sets, std::uint32_t n) {
      if (!accesses) return;
      const std::size_t first = num_seen_;
      detail::for_each_access(op, std::span<const detail::lane_set>(sets, n),
                              [&](const detail::lane_access& a) { add(first, a); });
    };
    const block_end end = this->run_instruction(b, i, table_->ops(b, i), g, out, look);
    for (const basic_predicated_off<Mask>& off : this->predicated_off()) effect.on -= off.lanes;
    if (end == block_end::fault) num_seen_ = 0;
    list_.clear();
    for (std::size_t k = 0; k < num_seen_; ++k) {
      list_.push_back(seen_[k].what);
      list_.back().addresses = seen_[k].addresses;
      list_.back().bypasses_l1 = table_->bypasses_l1(b, i);
      list_.back().is_volatile = table_->is_volatile(b, i);
    }
    effect.accesses = list_;
    return end;
  }
  /// The instruction of block b at which lanes of a group stopped: timing::timed_program_with_collectives.
  [[nodiscard]] std::uint32_t resumed_at(block_id b, const basic_group<Mask>& g) const {
    return this->stopped_at(b, g);
  }

 private:
  struct seen {
    timing::access what{};
    std::vector<std::uint64_t> addresses{};
  };

  // Adds an address to the access of that memory and direction, from number `first` on.
  void add(std::size_t first, const detail::lane_access& a) {
    std::size_t k = first;
    while (k < num_seen_ && (seen_[k].what.where != a.where || seen_[k].what.kind != a.kind)) ++k;
    if (k == num_seen_) {
      if (num_seen_++ == seen_.size()) seen_.emplace_back();
      seen_[k].what = {a.where, a.kind, false, a.bytes, {}};
      seen_[k].addresses.clear();
    }
    seen_[k].addresses.push_back(a.address);
  }

  const instruction_table* table_;
  timed_output* told_;
  std::vector<seen> seen_;  // by the instruction that issues: the first num_seen_
  std::size_t num_seen_ = 0;
  std::vector<timing::access> list_;
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
