// SPDX-License-Identifier: BSL-1.0
//
// The units that each register of a function takes: the number of 32-bit registers that hold it; and whether it is a
// scalar, which needs none of the registers that each thread has.
//
//   scalar   all its values are uniform wherever they are read, and each comes from an instruction that reads scalars
//            only and is of a kind that the constant bank or the uniform unit serves: kernel parameters, moves, and
//            integer sums, products, shifts, logic, selections and conversions, without a guard
#pragma once

#include <simtflow/analysis/uniformity.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/operation.hpp>
#include <simtflow/ptx/text/types.hpp>
#include <simtflow/ptx/transform/def_use.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class register_units {
 public:
  // \pre code was made from f. Complexity: the uniformity analysis, and linear in the text.
  register_units(const checked_function& f, const def_use& code)
      : units_(code.carry_register() + 1, 0), predicate_(units_.size(), 0), vector_(units_.size(), 0) {
    const function& text = f.text();
    for (std::uint32_t r = 0; r < text.registers.size(); ++r) {
      const scalar_type type = text.registers[r].type;
      predicate_[r] = type == scalar_type::pred ? 1 : 0;
      if (predicate_[r] == 0) units_[r] = std::max(1U, (info(type).size + 3) / 4);
    }
    find_vectors(f, code);
  }

  // The 32-bit registers that it takes; 0 for predicates and the carry flag. O(1).
  [[nodiscard]] std::uint32_t units(std::uint32_t reg) const { return units_[reg]; }
  // The same in the registers that each thread has: 0 for scalars as well. O(1).
  [[nodiscard]] std::uint32_t thread_units(std::uint32_t reg) const { return vector_[reg] != 0 ? units_[reg] : 0; }
  // 1 for a predicate. O(1).
  [[nodiscard]] std::uint32_t predicates(std::uint32_t reg) const { return predicate_[reg]; }

 private:
  // Everything is a scalar until a reason is found; the reasons spread from what is read to what is written.
  void find_vectors(const checked_function& f, const def_use& code) {
    const function& text = f.text();
    const uniformity_analysis<csr_graph> uniform(f.blocks().graph(), code);
    std::vector<std::uint32_t> writes(units_.size(), 0), reads(units_.size() + 1, 0);
    for (std::uint32_t i = 0; i < text.instructions.size(); ++i) {
      for (const register_value_ref& w : code.writes(i)) ++writes[w.reg];
      for (const register_value_ref& r : code.reads(i)) ++reads[r.reg + 1];
    }
    for (std::uint32_t r = 0; r < units_.size(); ++r) {
      reads[r + 1] += reads[r];
      if (writes[r] == 0) reject(r);  // a parameter in a register, or what nothing writes
    }
    std::vector<std::uint32_t> reader(reads.back()), next(reads.begin(), reads.end() - 1);
    for (std::uint32_t i = 0; i < text.instructions.size(); ++i) {
      const block_id here = f.blocks().block_of(i);
      for (const register_value_ref& r : code.reads(i)) {
        reader[next[r.reg]++] = i;
        if (r.value != no_value && uniform.is_divergent_at(r.value, here)) reject(r.reg);
      }
      const bool serves = text.instructions[i].guard == no_index && is_scalar_kind(text, f.operation_of(i));
      const bool once = is_floating(f.operation_of(i));  // a constant or a parameter: two of them need a place to meet
      for (const register_value_ref& w : code.writes(i)) {
        const bool divergent = w.value != no_value && uniform.is_divergent(w.value);
        if (divergent || !serves || (once && writes[w.reg] != 1)) reject(w.reg);
      }
    }
    while (!work_.empty()) {
      const std::uint32_t at = work_.back();
      work_.pop_back();
      if (units_[at] == 0) continue;  // a predicate says nothing: if it is divergent, so is what it chooses
      for (std::uint32_t k = reads[at]; k < reads[at + 1]; ++k)
        for (const register_value_ref& w : code.writes(reader[k])) reject(w.reg);
    }
  }
  void reject(std::uint32_t reg) {
    if (vector_[reg] != 0) return;
    vector_[reg] = 1;
    work_.push_back(reg);
  }

  static bool is_floating(const operation& o) {
    return info(o.type).kind == type_class::floating || info(o.source).kind == type_class::floating;
  }
  static bool is_scalar_kind(const function& text, const operation& o) {
    switch (o.name) {
      case mnemonic::ld:
        return o.space == state_space::param && text.is_entry;
      case mnemonic::mov:
      case mnemonic::cvta:
        return true;
      case mnemonic::add:
      case mnemonic::sub:
      case mnemonic::mul:
      case mnemonic::mad:
      case mnemonic::shl:
      case mnemonic::shr:
      case mnemonic::and_:
      case mnemonic::or_:
      case mnemonic::xor_:
      case mnemonic::not_:
      case mnemonic::selp:
      case mnemonic::cvt:
        return !is_floating(o);
      default:
        return false;
    }
  }

  std::vector<std::uint32_t> units_;      // by register; the last one is the carry flag
  std::vector<unsigned char> predicate_;  // by register
  std::vector<unsigned char> vector_;     // by register: 1: no scalar
  std::vector<std::uint32_t> work_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
