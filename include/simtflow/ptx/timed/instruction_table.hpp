// SPDX-License-Identifier: BSL-1.0
//
// The instructions of a decoded kernel as the cycle model sees them: class, memory, registers, operations.
//
// Registers are the registers of the text, numbered from 0: first the general ones, after them the predicates. A
// register of 128 bits counts once. Scratch values of the decoder, special registers and constants are no registers:
// nobody waits for them. Read are operands, guards, elements of vectors, addresses, arguments of a call, the number and
// the count of a barrier. The results of a call are written by the code of the function.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapter "Instruction Set".
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/texture_operation.hpp>
#include <simtflow/ptx/text/isa.hpp>
#include <simtflow/ptx/text/opcode.hpp>
#include <simtflow/ptx/text/operation.hpp>
#include <simtflow/timing/instruction.hpp>
#include <simtflow/timing/instruction_class.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// The timing class of an operation: the kind that its row of the instruction set states (ptx/text/isa.hpp), in the
/// arithmetic of its type. O(1).
///
/// Instructions that the model has no memory or unit for (a fence, a prefetch) are simple. A video instruction counts
/// as what it does to its numbers; a sum of absolute differences is an addition. A product of matrices counts as one
/// multiplication and addition in the arithmetic of its result: the machines have no unit for matrices.
[[nodiscard]] constexpr timing::instruction_class timing_class_of(const operation& o) {
  using kind = timing::instruction_class;
  using from = detail::timing_kind;
  const bool doubles = o.type == scalar_type::f64;
  const auto of = [&](kind integer, kind single, kind full) {
    return doubles ? full : info(o.type).kind == type_class::floating ? single : integer;
  };
  switch (detail::row_of(o).cost.timing) {
    case from::add:
      return of(kind::int_add, kind::fp_add, kind::dp_add);
    case from::extreme:
      return of(kind::int_max, kind::fp_max, kind::dp_max);
    case from::multiply:
      return of(kind::int_mul, kind::fp_mul, kind::dp_mul);
    case from::multiply_add:
      return of(kind::int_mad, kind::fp_mad, kind::dp_mad);
    case from::divide:
      return of(kind::int_div, kind::fp_div, kind::dp_div);
    case from::special:
      return kind::special;
    case from::control:
      return kind::control;
    case from::barrier:
      return kind::barrier;
    case from::exchange:
      return kind::exchange;
    case from::load:
      return kind::load;
    case from::store:
      return kind::store;
    case from::atomic:
      return kind::atomic;
    case from::none:
    case from::simple:
      break;
  }
  return kind::simple;
}

/// The memory of the cycle model for a state space; generic addresses count as global.
[[nodiscard]] constexpr timing::address_space timing_space_of(state_space s) {
  switch (s) {
    case state_space::shared:
      return timing::address_space::shared;
    case state_space::local:
      return timing::address_space::local;
    case state_space::constant:
      return timing::address_space::constant;
    case state_space::param:
      return timing::address_space::parameter;
    default:
      return timing::address_space::global;
  }
}

/// The table. One serves all programs that run the kernel.
class instruction_table {
 public:
  /// Bytes of an instruction in the code.
  static constexpr std::uint64_t code_bytes = 8;

  /// Reads every instruction of the kernel, which must outlive the table. O(instructions + operations + registers).
  explicit instruction_table(const decoded_kernel& k) : kernel_(&k) {
    for (const auto& [name, slot] : k.registers) number_.emplace(slot, num_registers_++);
    predicates_.assign(k.predicates, no_index);
    for (const auto& [name, p] : k.predicate_names) predicates_[p] = num_registers_++;
    rows_.resize(k.opcodes.size());
    for (const decoded_block& b : k.blocks) add_block(b);
    number_ = {};
  }

  /// The kernel.
  [[nodiscard]] const decoded_kernel& kernel() const { return *kernel_; }
  /// Instruction i of block b. \pre i < weight(b) (here and below). O(1).
  [[nodiscard]] const timing::instruction& at(block_id b, std::uint32_t i) const { return row_of(b, i).what; }
  /// The list that instructions point into: timed_program::registers().
  [[nodiscard]] std::span<const std::uint32_t> registers() const { return list_; }
  /// The number of registers: all in the list are smaller.
  [[nodiscard]] std::uint32_t num_registers() const { return num_registers_; }
  /// The operations of an instruction. O(1).
  [[nodiscard]] std::span<const decoded_op> ops(block_id b, std::uint32_t i) const {
    const row& r = row_of(b, i);
    return std::span<const decoded_op>(kernel_->ops).subspan(r.first_op, r.num_ops);
  }
  /// True if the cache operator of the instruction names the L2 or no cache. O(1).
  [[nodiscard]] bool bypasses_l1(block_id b, std::uint32_t i) const { return row_of(b, i).bypasses_l1; }
  /// True if the instruction is volatile or has a memory order: to PTX, volatile means relaxed. O(1).
  [[nodiscard]] bool is_volatile(block_id b, std::uint32_t i) const { return row_of(b, i).is_volatile; }
  /// The byte address of an instruction: functions lie one after the other below global memory. O(1).
  [[nodiscard]] std::uint64_t code_address(block_id b, std::uint32_t i) const {
    return code_window + code_bytes * number_of(b, i);
  }

 private:
  struct row {
    timing::instruction what{};
    std::uint32_t first_op = 0, num_ops = 0;
    bool bypasses_l1 = false;
    bool is_volatile = false;
  };

  // The instruction's number in the kernel.
  [[nodiscard]] std::size_t number_of(block_id b, std::uint32_t i) const {
    const decoded_block& block = kernel_->blocks[b];
    return std::size_t{block.last_instruction} + 1 - block.weight + i;
  }
  [[nodiscard]] const row& row_of(block_id b, std::uint32_t i) const { return rows_[number_of(b, i)]; }

  void add_block(const decoded_block& b) {
    std::uint32_t op = b.first_op;
    const std::uint32_t end = b.first_op + b.num_ops;
    for (std::uint32_t n = b.last_instruction + 1 - b.weight; n <= b.last_instruction && b.weight != 0; ++n) {
      row& r = rows_[n];
      r.first_op = op;
      while (op != end && kernel_->ops[op].instruction == n) ++op;
      r.num_ops = op - r.first_op;
      reads_.clear();
      writes_.clear();
      r.what.kind = kind_of(n);
      r.bypasses_l1 = has_one_of(kernel_->opcodes[n], {".cv", ".cg", ".mmio"});
      r.is_volatile = has_one_of(kernel_->opcodes[n], {".volatile", ".relaxed", ".acquire"});
      for (const decoded_op& o : std::span<const decoded_op>(kernel_->ops).subspan(r.first_op, r.num_ops)) {
        add_operands(o);
        if (accesses_memory(r.what.kind) && accesses_memory(o.kind))
          r.what.where = o.kind == op_kind::copy_memory || o.kind == op_kind::copy_in_bulk
                             ? timing::address_space::global
                             : timing_space_of(o.space);
      }
      if (n == b.last_instruction) add_end(b);
      r.what.reads = static_cast<std::uint16_t>(reads_.size());
      r.what.writes = static_cast<std::uint16_t>(writes_.size());
      r.what.first_register = static_cast<std::uint32_t>(list_.size());
      list_.insert(list_.end(), reads_.begin(), reads_.end());
      list_.insert(list_.end(), writes_.begin(), writes_.end());
    }
    SIMTFLOW_EXPECTS(b.weight == 0 || op == end, "every operation belongs to an instruction of its block");
  }

  [[nodiscard]] timing::instruction_class kind_of(std::uint32_t instruction) const {
    const result<operation> o = parse_operation(kernel_->opcodes[instruction]);
    return o ? timing_class_of(*o) : timing::instruction_class::simple;
  }
  static bool accesses_memory(op_kind kind) {
    return kind == op_kind::load || kind == op_kind::store || kind == op_kind::atomic || kind == op_kind::copy_memory ||
           kind == op_kind::texture || kind == op_kind::surface || kind == op_kind::matrix_load ||
           kind == op_kind::matrix_store || kind == op_kind::copy_in_bulk || kind == op_kind::mbarrier;
  }
  static bool accesses_memory(timing::instruction_class kind) { return timing::accesses_memory(kind); }
  static bool has_one_of(std::string_view opcode, std::initializer_list<const char*> modifiers) {
    for (const char* const word : modifiers) {
      const std::string_view modifier = word;
      for (std::size_t at = opcode.find(modifier); at != opcode.npos; at = opcode.find(modifier, at + 1))
        if (at + modifier.size() == opcode.size() || opcode[at + modifier.size()] == '.') return true;
    }
    return false;
  }

  // --- operands -----------------------------------------------------------------------------------------------------

  void read(slot_ref s) {
    if (s == no_slot || is_constant(s)) return;
    if (const auto found = number_.find(s); found != number_.end()) add(found->second, true);
  }
  void write(slot_ref s) {
    if (s == no_slot) return;
    if (const auto found = number_.find(s); found != number_.end()) add(found->second, false);
  }
  void read(const predicate_ref& p) {
    if (p.index != no_index && predicates_[p.index] != no_index) add(predicates_[p.index], true);
  }
  void write_predicate(std::uint32_t p) {
    if (p != no_index && predicates_[p] != no_index) add(predicates_[p], false);
  }
  // An instruction does not read a register that it has written itself.
  void add(std::uint32_t number, bool is_read) {
    const auto in = [&](const std::vector<std::uint32_t>& all) {
      return std::find(all.begin(), all.end(), number) != all.end();
    };
    if (in(writes_) || (is_read && in(reads_))) return;
    (is_read ? reads_ : writes_).push_back(number);
  }

  void add_operands(const decoded_op& o) {
    read(o.guard);
    read(o.predicate[0]);
    read(o.predicate[1]);
    for (const slot_ref s : o.source) read(s);
    const std::span<const slot_ref> list = std::span<const slot_ref>(kernel_->lists).subspan(o.list);
    if (o.kind == op_kind::texture || o.kind == op_kind::surface)
      for (const slot_ref s : list.subspan(o.count, texture_of(o).sources())) read(s);
    const bool vector = o.kind == op_kind::atomic && o.count > 1;
    if (o.kind == op_kind::store || o.kind == op_kind::pack || o.kind == op_kind::surface)
      for (const slot_ref s : list.first(o.count)) read(s);
    if (vector)
      for (const slot_ref s : list.subspan(o.count, o.count)) read(s);
    if (o.kind == op_kind::load || o.kind == op_kind::unpack || o.kind == op_kind::texture || vector)
      for (const slot_ref s : list.first(o.count)) write(s);
    if (is_matrix(o.kind)) {
      for (const slot_ref s : list.subspan(o.count, o.size)) read(s);
      for (const slot_ref s : list.first(o.count)) write(s);
    }
    if (gives_predicate(o))
      write_predicate(o.result);
    else
      write(o.result);
    write_predicate(o.second);
  }
  static bool gives_predicate(const decoded_op& o) {
    switch (o.kind) {
      case op_kind::compare:
      case op_kind::predicate:
      case op_kind::space_test:
        return true;
      case op_kind::reduced:
        return static_cast<barrier_reduction>(o.code) != barrier_reduction::popc;
      default:
        return false;
    }
  }

  // The operands of the end of a block.
  void add_end(const decoded_block& b) {
    read(b.guard);
    if (b.end == block_exit::table) read(kernel_->tables[b.detail].index);
    if (b.end == block_exit::call) {
      const call_site& site = kernel_->sites[b.detail];
      read(site.callee);
      for (const call_copy& c : site.arguments) {
        read(c.slot);
        read(predicate_ref{c.predicate, false});
      }
    }
    if (b.end == block_exit::barrier || b.end == block_exit::arrive) {
      const decoded_barrier& barrier = kernel_->barrier_list[b.detail];
      read(barrier.id);
      read(barrier.count);
      if (barrier.reduction == barrier_reduction::none) return;
      read(barrier.value);
      const decoded_block& after = kernel_->blocks[b.next];  // the result: a block without instructions
      for (const decoded_op& o : std::span<const decoded_op>(kernel_->ops).subspan(after.first_op, after.num_ops))
        gives_predicate(o) ? write_predicate(o.result) : write(o.result);
    }
  }

  const decoded_kernel* kernel_;
  std::vector<row> rows_;            // by instruction of the kernel
  std::vector<std::uint32_t> list_;  // registers
  std::uint32_t num_registers_ = 0;
  std::unordered_map<slot_ref, std::uint32_t> number_;  // of a register; while the table is made
  std::vector<std::uint32_t> predicates_;               // by predicate: the number, no_index for scratch
  std::vector<std::uint32_t> reads_, writes_;           // of the instruction that is read
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
