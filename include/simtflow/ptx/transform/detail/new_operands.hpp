// SPDX-License-Identifier: BSL-1.0
//
// Operands of instructions that a transformation writes.
#pragma once

#include <simtflow/ptx/text/instruction.hpp>

#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

inline operand register_operand(std::uint32_t r, bool negated = false) {
  operand o;
  o.kind = operand_kind::reg;
  o.index = r;
  o.negated = negated;
  return o;
}
inline operand number_operand(std::uint64_t n) {
  operand o;
  o.kind = operand_kind::integer;
  o.bits = n;
  return o;
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
