// SPDX-License-Identifier: BSL-1.0
//
// Slots: the places of registers, scratch values and constants.
#pragma once

#include <simtflow/ptx/decode/detail/decode_context.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class slot_allocator {
 public:
  explicit slot_allocator(decode_context& in) : in_(in) {}

  // Starts a function: it is decoded now.
  void enter(std::size_t f) {
    in_.current = f;
    decoded_function& d = in_.out.functions[f];
    d.first32 = next32_;
    d.first64 = next64_;
    d.first_predicate = in_.out.predicates;
    if (d.recursive) d.frame = fresh(true);
    in_.body().first_instruction = static_cast<std::uint32_t>(in_.out.positions.size());
    const std::string prefix = in_.in_kernel() ? std::string() : in_.text().name + ":";
    std::vector<slot_ref>& registers = in_.body().registers;
    registers.assign(in_.text().registers.size(), no_slot);
    for (std::size_t i = 0; i < registers.size(); ++i) {
      const register_info& r = in_.text().registers[i];
      if (r.type == scalar_type::pred) {
        registers[i] = in_.out.predicates++;
        in_.out.predicate_names.emplace_back(prefix + r.name, registers[i]);
      } else {
        registers[i] = fresh(info(r.type).size >= 8);
        if (info(r.type).size == 16) fresh(true);  // two of 64 bits
        in_.out.registers.emplace_back(prefix + r.name, registers[i]);
      }
    }
    if (next32_ > 0x000F'FFFFU || next64_ > 0x000F'FFFFU)
      in_.fail(in_.kernel.where, "kernel '" + in_.kernel.name + "' has more than 2^20 registers");
  }
  void leave() {
    decoded_function& d = in_.out.functions[in_.current];
    d.count32 = next32_ - d.first32;
    d.count64 = next64_ - d.first64;
    d.predicates = in_.out.predicates - d.first_predicate;
    for (const instruction& i : in_.text().instructions) {
      in_.out.positions.push_back(i.where);
      in_.out.opcodes.push_back(i.opcode);
    }
  }

  slot_ref fresh(bool wide) { return make_slot(wide, wide ? next64_++ : next32_++); }
  std::uint32_t fresh_predicate() { return in_.out.predicates++; }
  slot_ref constant(bool wide, decoded_constant c) {
    const std::uint64_t value = wide ? c.value : c.value & 0xFFFF'FFFFU;
    c.value = value;
    const std::uint64_t key = value * 16 + static_cast<std::uint64_t>(c.kind) * 2 + (wide ? 1 : 0) +
                              std::uint64_t{c.index} * 0x9E37'79B9'7F4A'7C15U;
    auto& list = wide ? in_.out.constants64 : in_.out.constants32;
    auto [found, end] = known_.equal_range(key);
    for (; found != end; ++found) {
      const slot_ref s = found->second;
      if (is_wide(s) != wide) continue;
      const decoded_constant& old = list[slot_index(s)];
      if (old.kind == c.kind && old.value == c.value && old.index == c.index) return s;
    }
    if (list.size() >= most_constants) {
      if (list.size() == most_constants)
        in_.fail(in_.kernel.where, "kernel '" + in_.kernel.name + "' has more than 2^20 constants");
      list.push_back(c);  // so that this is said once
      return constant_slot | make_slot(wide, 0);
    }
    const slot_ref s = constant_slot | make_slot(wide, static_cast<std::uint32_t>(list.size()));
    list.push_back(c);
    known_.emplace(key, s);
    return s;
  }
  slot_ref literal(bool wide, std::uint64_t value) {
    return constant(wide, {decoded_constant::what::literal, value, 0});
  }
  // Writes how many slots there are. Called once, at the end.
  void finish() {
    in_.out.slots32 = next32_;
    in_.out.slots64 = next64_;
  }

 private:
  static constexpr std::size_t most_constants = std::size_t{1} << 20;  // of a size: see make_slot()

  decode_context& in_;
  std::uint32_t next32_ = 0;
  std::uint32_t next64_ = 0;
  std::unordered_multimap<std::uint64_t, slot_ref> known_;  // constants
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
