// SPDX-License-Identifier: BSL-1.0
//
// Records what time needs of a kernel's run: the code, and the address of every access of every thread. The program
// recording_kernel fills an access_record; a trace keeps the result (io/trace_text.hpp).
//
//     ptx::instruction_table table(kernel);
//     ptx::access_record record(table);
//     ptx::recording_kernel<> program(record, launch, memory, arguments);
//     // for each thread block in the order of the grid: select_block_number(), run()
//     trace.code = record.code(trace.graph.weights.size());
//     trace.addresses = record.addresses(trace.paths, trace.path_of_thread);
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/machine/arguments.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/interpreter.hpp>
#include <simtflow/ptx/machine/launch.hpp>
#include <simtflow/ptx/machine/memory.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/timed/instruction_table.hpp>
#include <simtflow/ptx/timed/lane_accesses.hpp>
#include <simtflow/simt/launch.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/program.hpp>
#include <simtflow/simt/trace.hpp>
#include <simtflow/timing/instruction.hpp>
#include <simtflow/timing/recorded_code.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// The accesses of the thread blocks of a run, in the order in which they ran. Memory: 24 bytes for each access.
class access_record {
 public:
  /// \pre the table outlives the record.
  explicit access_record(const instruction_table& table) : table_(&table) {}

  /// The table.
  [[nodiscard]] const instruction_table& table() const { return *table_; }

  /// A thread block begins; its threads come after the threads of the thread blocks before.
  void begin_thread_block(std::uint32_t threads) {
    first_ = visits_.size();
    visits_.resize(first_ + threads, 0);
  }
  /// A thread of the thread block begins a block.
  void visit(std::uint32_t thread) { ++visits_[first_ + thread]; }
  /// The thread makes an access.
  /// \param b the block that the thread is in
  /// \param i the instruction of the block
  /// \param op the operation of the instruction
  /// \param a the access
  void add(block_id b, std::uint32_t i, std::uint32_t op, const detail::lane_access& a) {
    const key k{b, i, op, a.where, a.kind, a.bytes};
    if (last_ == known_.end() || last_->first != k)
      last_ = known_.try_emplace(k, static_cast<std::uint32_t>(known_.size())).first;
    const std::size_t thread = first_ + a.thread;
    made_.push_back({static_cast<std::uint32_t>(thread), visits_[thread] - 1, last_->second, a.address});
  }

  /// The code with all accesses that were made. O(instructions + accesses of the code).
  /// \param blocks of the trace: at least as many as the kernel has, the others have no instruction
  /// \param shared_bytes of a thread block, for the occupancy
  [[nodiscard]] timing::recorded_code code(std::size_t blocks, std::uint32_t shared_bytes = 0) const {
    timing::recorded_code all;
    const decoded_kernel& code = table_->kernel();
    all.shared_bytes = shared_bytes;
    auto access = known_.begin();
    for (block_id b = 0; b < blocks; ++b) {
      const std::uint32_t weight = b < code.blocks.size() ? code.weight(b) : 0;
      for (std::uint32_t i = 0; i < weight; ++i) {
        if (all.empty()) all.address = table_->code_address(b, i);
        const timing::instruction& what = table_->at(b, i);
        const auto registers = table_->registers().subspan(what.first_register);
        all.add(what.kind, what.where, registers.first(what.reads), registers.subspan(what.reads, what.writes));
        for (; access != known_.end() && access->first.b == b && access->first.i == i; ++access) {
          const key& k = access->first;
          all.add({k.where, k.kind, table_->bypasses_l1(b, i), k.bytes, table_->is_volatile(b, i)});
        }
      }
      all.end_block();
    }
    return all;
  }

  /// The addresses of all threads, as code() lists the accesses. O(accesses + visits).
  /// \param paths distinct paths
  /// \param path_of_thread the path of each thread, over all thread blocks
  /// \pre they are the paths of the run that was recorded
  [[nodiscard]] timing::recorded_addresses addresses(const block_paths& paths,
                                                     std::span<const std::uint32_t> path_of_thread) const {
    SIMTFLOW_EXPECTS(path_of_thread.size() == visits_.size(), "the threads of the run that was recorded");
    timing::recorded_addresses all;
    std::vector<std::uint32_t> place(known_.size());  // by access: among the accesses of its block
    std::vector<std::uint32_t> in_block;              // by block: accesses
    for (const auto& [k, number] : known_) {
      if (in_block.size() <= k.b) in_block.resize(std::size_t{k.b} + 1, 0);
      place[number] = in_block[k.b]++;
    }
    std::vector<std::size_t> first(visits_.size() + 1, 0);  // by thread: its accesses in `sorted`
    for (const made& m : made_) ++first[m.thread + 1];
    for (std::size_t t = 0; t < visits_.size(); ++t) first[t + 1] += first[t];
    std::vector<std::size_t> sorted(made_.size()), next(first);
    for (std::size_t m = 0; m < made_.size(); ++m) sorted[next[made_[m].thread]++] = m;
    for (std::size_t t = 0; t < visits_.size(); ++t) {
      std::size_t at = first[t];
      std::uint32_t visit = 0;
      for (const block_id b : paths[path_of_thread[t]]) {
        const std::size_t begin = all.all.size();
        all.all.resize(begin + (b < in_block.size() ? in_block[b] : 0), timing::recorded_addresses::none);
        for (; at < first[t + 1] && made_[sorted[at]].visit == visit; ++at)
          all.all[begin + place[made_[sorted[at]].access]] = made_[sorted[at]].address;
        ++visit;
      }
      SIMTFLOW_EXPECTS(at == first[t + 1] && visit == visits_[t], "the paths of the run that was recorded");
      all.end_thread();
    }
    return all;
  }

 private:
  // In the order of code().
  struct key {
    block_id b;
    std::uint32_t i, op;
    timing::address_space where;
    timing::access_kind kind;
    std::uint32_t bytes;
    friend auto operator<=>(const key&, const key&) = default;
  };
  struct made {
    std::uint32_t thread, visit, access;
    std::uint64_t address;
  };

  const instruction_table* table_;
  std::size_t first_ = 0;              // thread of the thread block that runs
  std::vector<std::uint32_t> visits_;  // by thread, over all thread blocks: blocks that it has begun
  std::map<key, std::uint32_t> known_;
  std::map<key, std::uint32_t>::iterator last_ = known_.end();
  std::vector<made> made_;
};

/// A kernel that records its accesses while it runs as any interpreter does. Runs one instruction at a time.
template <class Mask = lane_mask>
class recording_kernel : public interpreter<Mask> {
  using base = interpreter<Mask>;

 public:
  /// \pre as for interpreter; the record outlives the program
  recording_kernel(access_record& record, const launch_config& launch, device_memory& memory, const arguments& args)
      : base(record.table().kernel(), launch, memory, args), record_(&record) {}

  /// Begins the thread block, in the record also.
  /// \param shape as for interpreter
  void begin(const simtflow::launch& shape) {
    base::begin(shape);
    record_->begin_thread_block(this->num_threads());
  }
  /// Runs a block. \pre as for interpreter
  block_end run(block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) {
    g.lanes.for_each([&](std::uint32_t lane) { record_->visit(g.first_thread + lane); });
    return this->weight(b) == 0 ? base::run(b, g, out) : run_from(0, b, g, out);
  }
  /// Runs the rest of a block. \pre as for interpreter
  block_end resume(block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) {
    return run_from(this->stopped_at(b, g), b, g, out);
  }

 private:
  block_end run_from(std::uint32_t i, block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) {
    block_end end = block_end::next;
    for (const std::uint32_t weight = this->weight(b); i < weight && end == block_end::next; ++i) {
      const std::span<const decoded_op> ops = record_->table().ops(b, i);
      const bool accesses = timing::accesses_memory(record_->table().at(b, i).kind);
      const auto look = [&](const decoded_op& op, const detail::lane_set* sets, std::uint32_t n) {
        if (!accesses) return;
        const auto number = static_cast<std::uint32_t>(&op - ops.data());
        detail::for_each_access(op, std::span<const detail::lane_set>(sets, n),
                                [&](const detail::lane_access& a) { record_->add(b, i, number, a); });
      };
      end = this->run_instruction(b, i, ops, g, out, look);
    }
    return end;
  }

  access_record* record_;
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
