// SPDX-License-Identifier: BSL-1.0
//
// The meaning of an opcode: "setp.lt.and.s32" to an instruction, types and modifiers. The instruction set (isa.hpp)
// holds the instructions with the modifiers and types that each may have; everything else is refused by name.
//
// Not supported, each with its reason: tensors, multisampled textures, sparse matrices, matrices in tensor memory
// (tcgen05), asynchronous copies of tensors, clusters of more than one thread block.
// Modifiers that do not change the results of a sequentially consistent machine are accepted and ignored: cache hints,
// memory order and scope (.relaxed, .acquire, .gpu, ...), .volatile, .weak, .uni.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapter "Instruction Set".
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/isa.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <cstdint>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// Reads an opcode.
///
///     const auto o = ptx::parse_operation("ld.global.v4.f32");
///     // o->name == mnemonic::ld, o->space == state_space::global, o->width == 4, o->type == scalar_type::f32
///
/// \returns the operation; or one diagnostic without a place that names the opcode in full, if there is no such
/// instruction, it cannot have these modifiers and types, or they contradict each other. Complexity: linear in the
/// spelling, with the instruction set as a factor.
[[nodiscard]] SIMTFLOW_INLINE result<operation> parse_operation(std::string_view spelling);

/// How many operands an instruction takes, at least and at most.
struct operand_range {
  std::uint32_t least = 0;  ///< without those that may be left out
  std::uint32_t most = 0;   ///< with them
};
/// The operands that the instruction of an operation takes, whatever its modifiers; {0, 0} for call and brx. O(1).
[[nodiscard]] constexpr operand_range operand_count(const operation& o) {
  const detail::operand_pattern& p = detail::row_of(o).operands;
  return {p.least, p.count};
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

#if !defined(SIMTFLOW_COMPILED)
#include <simtflow/ptx/text/detail/opcode_impl.hpp>
#endif
