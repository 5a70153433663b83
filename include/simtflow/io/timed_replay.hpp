// SPDX-License-Identifier: BSL-1.0
//
// A recorded trace in the cycle model: each thread follows its path, and its accesses go to the addresses that were
// recorded (trace_text.hpp says how).
//
//     const auto make = [&](std::uint32_t) { return timed_replay<>(trace); };
//     const auto report = timing::run(policy, make, grid_of(trace), machine);
//
// If the paths and the addresses of the kernel do not depend on the order in which its threads run, the trace takes the
// cycles that the kernel takes, under every policy that does not wait at collectives. Guards of instructions that
// access no memory were not recorded: all lanes count as predicated on there, which costs nothing in the model.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/io/recording.hpp>
#include <simtflow/simt/barrier_model.hpp>
#include <simtflow/simt/launch.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/ordered_trace.hpp>
#include <simtflow/simt/program.hpp>
#include <simtflow/timing/device.hpp>
#include <simtflow/timing/instruction.hpp>
#include <simtflow/timing/program.hpp>
#include <simtflow/timing/recorded_code.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// True if the thread blocks of a trace differ in their number of threads. timing::run() has no grid for them. O(thread
/// blocks).
[[nodiscard]] inline bool has_unequal_thread_blocks(const recorded_trace& t) {
  for (std::size_t i = 1; i < t.num_thread_blocks(); ++i)
    if (t.thread_block(i).size() != t.thread_block(0).size()) return true;
  return false;
}

/// The grid of a trace for timing::run(). O(1).
/// \param t the trace; it outlives the grid
/// \param registers registers of a thread, for the occupancy; 0: no limit
/// \param barriers when lanes that come to a barrier wait
/// \pre has_unequal_thread_blocks(t) is false
[[nodiscard]] inline timing::grid grid_of(const recorded_trace& t, std::uint32_t registers = 0,
                                          barrier_model barriers = barrier_model::whole_warp) {
  const std::size_t threads = t.num_thread_blocks() == 0 ? 0 : t.thread_block(0).size();
  timing::grid g;
  g.blocks = t.num_thread_blocks();
  g.threads = static_cast<std::uint32_t>(threads);
  g.entry = t.graph.graph.entry();
  g.barriers = barriers;
  g.registers_per_thread = registers;
  g.shared_bytes = t.code.shared_bytes;
  g.copied = t.code.copied;
  return g;
}

/// A trace with code, and with addresses if the code makes accesses, as a timed_program and program_of_grid. All
/// programs of a run share the trace.
template <class Mask = lane_mask>
class timed_replay : public ordered_trace<Mask> {
  using base = ordered_trace<Mask>;

 public:
  /// \pre the trace outlives the program; is_timed() holds for it
  explicit timed_replay(const recorded_trace& t) : timed_replay(t, t.graph.graph, t.graph.graph) {}
  /// The same with other graphs.
  /// \param t the trace
  /// \param graph the ways of threads, as for ordered_trace
  /// \param bodies functions side by side, as for ordered_trace
  timed_replay(const recorded_trace& t, const csr_graph& graph, const csr_graph& bodies)
      : base(trace_program(t.paths, t.graph.weights, t.graph.barriers, t.graph.named), graph, bodies, most_threads(t)),
        trace_(&t) {
    SIMTFLOW_EXPECTS(is_timed(t), "a trace that was recorded with its instructions and addresses");
  }

  /// Chooses the thread block that the next begin() starts. O(threads). \pre n < num_thread_blocks() of the trace.
  void select_block_number(std::uint64_t n) {
    first_thread_ = trace_->first_thread[static_cast<std::size_t>(n)];
    const bool known =
        this->select_block(trace_->thread_block(static_cast<std::size_t>(n)), trace_->graph.graph.entry());
    SIMTFLOW_EXPECTS(known, "paths of the trace, from its entry");
    (void)known;
  }
  /// Puts each thread at the beginning of its path. O(threads). \pre as for trace_program.
  void begin(const launch& shape) {
    base::begin(shape);
    next_.assign(static_cast<std::size_t>(shape.num_threads()), 0);
    if (trace_->code.accesses.empty()) return;
    for (std::size_t t = 0; t < next_.size(); ++t) next_[t] = trace_->addresses.first[first_thread_ + t];
  }

  /// Instruction i of block b. \pre i < weight(b) (here and below).
  [[nodiscard]] const timing::instruction& instruction_at(block_id b, std::uint32_t i) const {
    return trace_->code.instructions[trace_->code.number_of(b, i)];
  }
  /// The list that instructions point into.
  [[nodiscard]] std::span<const std::uint32_t> registers() const { return trace_->code.registers; }
  /// The byte address of an instruction.
  [[nodiscard]] std::uint64_t code_address(block_id b, std::uint32_t i) const {
    return trace_->code.address +
           std::uint64_t{timing::recorded_code::instruction_bytes} * trace_->code.number_of(b, i);
  }

  /// Runs a block at once: its accesses are passed over. \pre as for trace_program.
  block_end run(block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) {
    const std::size_t n = trace_->code.accesses_in(b);
    g.lanes.for_each([&](std::uint32_t lane) { next_[g.first_thread + lane] += n; });
    return base::run(b, g, out);
  }
  /// Runs instruction i of block b for the lanes of a group: timing::timed_program.
  block_end issue(block_id b, std::uint32_t i, const basic_group<Mask>& g, basic_partition<Mask>& out,
                  timing::issue_effect<Mask>& effect) {
    if (const timing::instruction& what = instruction_at(b, i); timing::accesses_memory(what.kind))
      access(trace_->code.number_of(b, i), g, effect);
    return i + 1 == this->weight(b) ? base::run(b, g, out) : block_end::next;
  }

 private:
  static std::size_t most_threads(const recorded_trace& t) {
    std::size_t most = 0;
    for (std::size_t i = 0; i < t.num_thread_blocks(); ++i) most = std::max(most, t.thread_block(i).size());
    return most;
  }

  // The accesses of an instruction, in the order in which the lanes make them.
  void access(std::size_t number, const basic_group<Mask>& g, timing::issue_effect<Mask>& effect) {
    const timing::recorded_code& code = trace_->code;
    const std::size_t first = code.first_access[number], n = code.first_access[number + 1] - first;
    order_.clear();
    if (made_.size() < n) made_.resize(n);
    for (std::size_t k = 0; k < n; ++k) made_[k].clear();
    g.lanes.for_each([&](std::uint32_t lane) {
      std::size_t& next = next_[g.first_thread + lane];
      bool any = false;
      for (std::size_t k = 0; k < n; ++k) {
        const std::uint64_t address = trace_->addresses.all[next++];
        if (address == timing::recorded_addresses::none) continue;
        any = true;
        if (made_[k].empty()) order_.push_back(k);
        made_[k].push_back(address);
      }
      if (!any) effect.on -= Mask::lane(lane);
    });
    list_.clear();
    for (const std::size_t k : order_) {
      const timing::recorded_access& a = code.accesses[first + k];
      list_.push_back({a.where, a.kind, a.bypasses_l1, a.bytes, made_[k], a.is_volatile});
    }
    effect.accesses = list_;
  }

  const recorded_trace* trace_;
  std::size_t first_thread_ = 0;                  // of the thread block, among all threads
  std::vector<std::size_t> next_;                 // by thread: its next address
  std::vector<std::vector<std::uint64_t>> made_;  // by access of the instruction that issues: addresses
  std::vector<std::size_t> order_;                // the accesses that lanes make, in the order of the first lane
  std::vector<timing::access> list_;
};

}  // namespace v0
}  // namespace simtflow
