// SPDX-License-Identifier: BSL-1.0
//
// The blocks of a function that is decoded. A call or a barrier ends a block here, unlike in text/function_blocks.hpp.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/decode/detail/decode_context.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class block_finder {
 public:
  // The source of a block. Blocks without text of their own are needed where several paths must do the same thing.
  enum class block_role : std::uint8_t {
    code,      // instructions
    waits,     // a barrier under a guard, alone: only those for whom the guard holds come here
    reduced,   // reads what a barrier has computed
    prologue,  // parameters to the registers that they are
    end        // where a function returns from, or where a kernel ends if its text does not say so
  };

  struct draft {
    block_role role;
    std::size_t first, last;  // instructions
  };

  explicit block_finder(decode_context& in) : in_(in) {}

  void find() {
    const function& t = in_.text();
    const std::size_t n = t.instructions.size();
    std::vector<unsigned char> leader(n + 1, 0);
    leader[0] = 1;
    const auto mark = [&](std::uint32_t l) { leader[t.labels[l].instruction] = 1; };
    std::size_t returns = 0;
    bool needs_end = n == 0;
    for (std::size_t i = 0; i < n; ++i) {
      const instruction& at = t.instructions[i];
      bool ends = false;
      bool falls = true;  // to the next instruction
      switch (in_.operation_of(i).name) {
        case mnemonic::bra:
          mark(t.operands_of(at)[0].index);
          ends = true;
          falls = in_.is_guarded(at);
          break;
        case mnemonic::brx:
          for (const std::uint32_t l : t.branch_tables[t.operands_of(at)[1].index].targets) mark(l);
          ends = true;
          falls = in_.is_guarded(at);
          break;
        case mnemonic::ret:
          ++returns;
          needs_end = needs_end || in_.is_guarded(at);
          [[fallthrough]];
        case mnemonic::exit:
        case mnemonic::trap:
          ends = true;
          falls = in_.is_guarded(at);
          break;
        case mnemonic::bar:
        case mnemonic::wgmma_wait:
          ends = true;
          break;
        case mnemonic::call:
          ends = ends_block(at);
          falls = !in_.stops(at);
          break;
        default:
          break;
      }
      if (ends) leader[i + 1] = 1;
      if (i + 1 == n && falls) needs_end = true;
    }
    if (in_.in_kernel()) {
      needs_end = n == 0 || (needs_end && falls_off_end());
    } else {
      for (const variable& v : t.results) needs_end = needs_end || v.space == state_space::reg;
      needs_end = needs_end || returns != 1;
    }

    in_.body().first_block = static_cast<block_id>(in_.out.blocks.size());
    in_.out.functions[in_.current].entry = in_.body().first_block;
    drafts_.clear();
    bool registers_given = false;
    for (const variable& v : t.parameters) registers_given = registers_given || v.space == state_space::reg;
    if (registers_given) new_block(block_role::prologue, 0);
    block_at_.assign(n + 1, no_block);
    for (std::size_t i = 0; i < n; ++i) {
      if (leader[i] != 0) new_block(block_role::code, i);
      block_at_[i] = static_cast<block_id>(in_.out.blocks.size() - 1);
      const mnemonic name = in_.operation_of(i).name;
      const bool barrier = name == mnemonic::bar || name == mnemonic::wgmma_wait;
      if (barrier && in_.is_guarded(t.instructions[i])) new_block(block_role::waits, i);
      ++in_.out.blocks.back().weight;
      in_.out.blocks.back().last_instruction = static_cast<std::uint32_t>(in_.body().first_instruction + i);
      drafts_[block_at_[i] - in_.body().first_block].last = i;
      if (barrier && reduction_of(in_.operation_of(i)) != barrier_reduction::none) new_block(block_role::reduced, i);
    }
    end_block_ = no_block;
    if (needs_end) end_block_ = new_block(block_role::end, n);
    if (needs_end) block_at_[n] = end_block_;
    in_.body().last_block = static_cast<block_id>(in_.out.blocks.size());
    // A branch's target gives its name; otherwise the first label there does.
    for (const label& l : t.labels)
      if (l.instruction < n && leader[l.instruction] != 0) {
        std::string& name = in_.out.blocks[block_at_[l.instruction]].label;
        if (name.empty()) name = l.name;
      }
  }

  block_id block_after(std::size_t i) const { return block_at_[i + 1]; }
  // The block of an instruction of the function; of one past the last instruction, the block where it ends.
  block_id block_at(std::size_t i) const { return block_at_[i]; }
  // The source of a block of the function.
  const draft& draft_of(block_id b) const { return drafts_[b - in_.body().first_block]; }
  // The block where the function returns from, if that is a block without text; else no_block.
  block_id end_block() const { return end_block_; }
  static barrier_reduction reduction_of(const operation& o) {
    if (o.barrier != barrier_op::red) return barrier_reduction::none;
    return o.atomic == atomic_op::popc   ? barrier_reduction::popc
           : o.atomic == atomic_op::and_ ? barrier_reduction::and_
                                         : barrier_reduction::or_;
  }

 private:
  // True if a call ends its block. A call that the interpreter executes itself does so only if nothing follows it.
  bool ends_block(const instruction& i) const {
    const operand& callee = in_.text().operands_of(i)[1];
    if (callee.kind != operand_kind::function) return true;
    const function& f = in_.owner.functions[in_.behind_alias(callee.index)];
    return in_.system_function_of(f) == decode_context::system_function::none || in_.stops(i);
  }

  block_id new_block(block_role role, std::size_t first) {
    decoded_block b;
    const bool real = first < in_.text().instructions.size();
    b.where = real ? in_.text().instructions[first].where : in_.text().end;
    b.function = static_cast<std::uint32_t>(in_.current);
    b.last_instruction = static_cast<std::uint32_t>(in_.body().first_instruction + (real ? first : 0));
    in_.out.blocks.push_back(std::move(b));
    drafts_.push_back({role, first, first});
    return static_cast<block_id>(in_.out.blocks.size() - 1);
  }

  // True if control runs past the last instruction of a kernel.
  bool falls_off_end() const {
    const instruction& last = in_.text().instructions.back();
    switch (in_.body().operations.back().name) {
      case mnemonic::bra:
      case mnemonic::brx:
      case mnemonic::ret:
      case mnemonic::exit:
      case mnemonic::trap:
        return in_.is_guarded(last);
      case mnemonic::call:
        return !in_.stops(last);
      default:
        return true;
    }
  }

  decode_context& in_;
  std::vector<draft> drafts_;       // of the function's blocks
  std::vector<block_id> block_at_;  // by instruction
  block_id end_block_ = no_block;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
