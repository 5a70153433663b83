// SPDX-License-Identifier: BSL-1.0
//
// One operation of a decoded kernel: what it does, where its operands are, which lanes it is for.
#pragma once

#include <simtflow/ptx/lanes.hpp>
#include <simtflow/ptx/module.hpp>
#include <simtflow/ptx/opcode.hpp>

#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// A slot: how many bytes behind the first of its kind it lies, whether it is 64 bits wide, whether it is a constant
/// (the same in all lanes and warps).
using slot_ref = std::uint32_t;
inline constexpr slot_ref constant_slot = 0x8000'0000U;
inline constexpr slot_ref wide_slot = 0x4000'0000U;
inline constexpr slot_ref no_slot = 0xFFFF'FFFFU;
[[nodiscard]] constexpr bool is_wide(slot_ref s) { return (s & wide_slot) != 0; }
[[nodiscard]] constexpr bool is_constant(slot_ref s) { return (s & constant_slot) != 0; }
[[nodiscard]] constexpr std::uint32_t slot_offset(slot_ref s) { return s & 0x3FFF'FFFFU; }
/// Bytes of a slot.
[[nodiscard]] constexpr std::uint32_t slot_bytes(bool wide) {
  return static_cast<std::uint32_t>(chunk_lanes) * (wide ? 8 : 4);
}
/// The number of a slot among those of its kind, and the other way round. Numbers are below 2^20.
[[nodiscard]] constexpr std::uint32_t slot_index(slot_ref s) { return slot_offset(s) / slot_bytes(is_wide(s)); }
[[nodiscard]] constexpr slot_ref make_slot(bool wide, std::uint32_t index) {
  return (wide ? wide_slot : 0U) | index * slot_bytes(wide);
}

/// A predicate operand: its number, negated or not; constants are all lanes or none.
struct predicate_ref {
  std::uint32_t index = no_index;
  bool negated = false;
};

/// What a decoded operation does.
enum class op_kind : std::uint8_t {
  copy,
  light,
  each,
  compare,
  select,
  predicate,
  carry,
  load,
  store,
  atomic,
  pack,
  unpack,
  space_test,   ///< isspacep
  copy_memory,  ///< cp.async
  shuffle,      ///< from here to warp_barrier: among lanes of a warp, source[3] says which
  vote,
  match,
  reduce,
  elect,
  active_mask,
  warp_barrier,
  reduced,  ///< what a barrier has computed
  clock,
  print,  ///< vprintf
  assert_fail
};

/// One decoded operation.
struct decoded_op {
  op_kind kind = op_kind::copy;
  bool plain = false;      ///< light code, a copy, a comparison and nothing else: no guard, no flush, no saturation
  bool in_place = false;   ///< the result is one of the operands
  bool sat = false;        ///< clamp the floating-point result to [0, 1]
  bool sign = false;       ///< a load extends the sign
  std::uint8_t flush = 0;  ///< operands a, b, c (bits 0, 1, 2) and the result (bit 7) lose subnormals
  std::uint8_t size = 0;   ///< bytes of a memory access or of a part
  std::uint8_t code =
      0;  ///< which of several: shuffle_mode, vote_mode, barrier_reduction; bits that a clock is shifted by
  std::uint8_t count = 1;  ///< elements of a vector access, parts of pack and unpack
  state_space space = state_space::generic;
  boolean_op combine = boolean_op::none;
  atomic_op atomic = atomic_op::none;
  scalar_type type = scalar_type::none;  ///< of an atomic, a reduction
  predicate_ref guard;
  slot_ref result = no_slot;        ///< or a predicate, for compare and predicate
  std::uint32_t second = no_index;  ///< the q of p|q
  slot_ref source[4] = {no_slot, no_slot, no_slot, no_slot};
  predicate_ref predicate[2];
  std::uint32_t list = 0;           ///< first of the slots of a vector; of an atomic on one: results, then operands
  std::uint64_t offset = 0;         ///< of an address
  std::uint64_t second_offset = 0;  ///< of the address source[1]
  light_code light = nullptr;
  each_code each = nullptr;
  compare_code compare = nullptr;
  carry_code carry = nullptr;     ///< reads predicate[0], writes `second`
  std::uint32_t instruction = 0;  ///< of the kernel
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
