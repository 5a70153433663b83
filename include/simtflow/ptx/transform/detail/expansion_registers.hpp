// SPDX-License-Identifier: BSL-1.0
//
// The registers that an instruction takes for itself because the machine has no such instruction: some steps of
// Newton's method, partly in a subroutine, compute quotients, remainders, reciprocals and roots that round correctly.
//
// The numbers are measured: a kernel that loads operands, runs one instruction and stores its result, compiled by ptxas
// 13.0 for sm_75, sm_80 and sm_90 (which agree within one), minus the same kernel with a sum in its place.
#pragma once

#include <simtflow/ptx/text/operation.hpp>
#include <simtflow/ptx/text/types.hpp>

#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// The registers beside operands and result. 0 for all other instructions. O(1).
constexpr std::uint32_t expansion_registers(const operation& o) {
  if (o.approx) return 0;
  const bool wide = info(o.type).size == 8;
  const bool floating = info(o.type).kind == type_class::floating;
  switch (o.name) {
    case mnemonic::div:
      if (floating) return wide ? 14 : 6;
      return wide ? 8 : 3;
    case mnemonic::rem:
      return wide ? 8 : 5;
    case mnemonic::rcp:
      return wide ? 5 : 7;
    case mnemonic::sqrt:
      return wide ? 10 : 4;
    default:
      return 0;
  }
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
