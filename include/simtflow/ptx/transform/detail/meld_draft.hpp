// SPDX-License-Identifier: BSL-1.0
//
// Melded code while it is written: blocks that are made, with registers and operands that are added to the function's.
// A checkpoint marks a state; roll_back() drops everything that was written since.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/types.hpp>
#include <simtflow/ptx/transform/detail/melded_block.hpp>
#include <simtflow/ptx/transform/detail/new_operands.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class meld_draft {
 public:
  using condition = meld_condition;
  using way = melded_block::way;
  static constexpr std::uint32_t always = condition::always;

  // A state of the draft.
  struct checkpoint {
    std::size_t blocks, registers, operands;
  };

  // Blocks that are made are numbered after the `blocks` of the text.
  meld_draft(const function& text, std::size_t blocks) : code(text), first_(blocks) { code.instructions.clear(); }

  [[nodiscard]] checkpoint mark() const { return {made.size(), code.registers.size(), code.operands.size()}; }
  void roll_back(const checkpoint& to) {
    made.resize(to.blocks);
    code.registers.resize(to.registers);
    code.operands.resize(to.operands);
  }

  block_id add_block() {
    made.emplace_back();
    return static_cast<block_id>(first_ + made.size() - 1);
  }
  void open(block_id b) { at = b - first_; }
  void jump(block_id to) {
    made[at].on = way::one;
    made[at].to[0] = to;
  }
  void branch(condition when, block_id taken, block_id other) {
    melded_block& b = made[at];
    if (when.reg == always) return jump(when.negated ? other : taken);
    b.on = way::two;
    b.when = when;
    b.to[0] = taken;
    b.to[1] = other;
  }

  std::uint32_t new_register(scalar_type type) {
    register_info r;
    r.type = type;
    code.registers.push_back(std::move(r));
    return static_cast<std::uint32_t>(code.registers.size() - 1);
  }
  void append(std::string opcode, std::span<const operand> operands, condition guard = condition{no_index, false}) {
    instruction i;
    i.opcode = std::move(opcode);
    i.where = here;
    i.guard = guard.reg;
    i.guard_negated = guard.negated;
    i.first_operand = static_cast<std::uint32_t>(code.operands.size());
    i.num_operands = static_cast<std::uint32_t>(operands.size());
    for (const operand& o : operands) code.operands.push_back(o);
    if (guard.reg != no_index && guard.reg == branch_guard) i.guard_where = branch_where;
    made[at].code.push_back(std::move(i));
    made[at].uses.push_back(use);
  }
  void append(std::string opcode, const operand& a, const operand& b, condition guard = condition{no_index, false}) {
    const operand all[] = {a, b};
    append(std::move(opcode), std::span<const operand>(all), guard);
  }
  void append(std::string opcode, const operand& a, const operand& b, const operand& c,
              condition guard = condition{no_index, false}) {
    const operand all[] = {a, b, c};
    append(std::move(opcode), std::span<const operand>(all), guard);
  }
  void move(std::uint32_t to, std::uint32_t from, condition guard) {
    const register_info& r = code.registers[from];
    const std::uint32_t bits = 8 * info(r.type).size;
    append(r.type == scalar_type::pred ? "mov.pred" : "mov.b" + std::to_string(bits), register_operand(to),
           register_operand(from), guard);
  }
  static scalar_type bits_type(std::uint32_t bits) {
    return bits == 16 ? scalar_type::b16 : bits == 32 ? scalar_type::b32 : scalar_type::b64;
  }

  function code;                          // registers and operands; no instructions
  std::vector<melded_block> made;         // the blocks
  std::size_t at = 0;                     // in `made`: the block that is being written
  position here;                          // where the instructions that are written come from
  std::uint32_t branch_guard = no_index;  // the predicate of the branch that is melded
  position branch_where;                  // of that branch: whoever asks how often the predicate holds finds it there
  melded_block::use use;                  // who executes what is appended

 private:
  std::size_t first_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
