// SPDX-License-Identifier: BSL-1.0
//
// One operation of a decoded kernel: what it does, where its operands are, which lanes it is for.
#pragma once

#include <simtflow/ptx/machine/values/lanes.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/opcode.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// A slot: how many bytes after the first slot of its kind it lies, whether it is 64 bits wide, whether it is a
/// constant (the same in all lanes and warps).
using slot_ref = std::uint32_t;
inline constexpr slot_ref constant_slot = 0x8000'0000U;  ///< bit of a slot: a constant
inline constexpr slot_ref wide_slot = 0x4000'0000U;      ///< bit of a slot: 64 bits wide, else 32
inline constexpr slot_ref no_slot = 0xFFFF'FFFFU;        ///< no slot at all

/// Whether it is 64 bits wide. \pre s is not no_slot (here and below).
[[nodiscard]] constexpr bool is_wide(slot_ref s) { return (s & wide_slot) != 0; }
/// Whether it is the same in all lanes and warps.
[[nodiscard]] constexpr bool is_constant(slot_ref s) { return (s & constant_slot) != 0; }
/// Bytes after the first slot of its kind.
[[nodiscard]] constexpr std::uint32_t slot_offset(slot_ref s) { return s & 0x3FFF'FFFFU; }
/// Bytes of a slot: 32 lanes of it.
[[nodiscard]] constexpr std::uint32_t slot_bytes(bool wide) {
  return static_cast<std::uint32_t>(chunk_lanes) * (wide ? 8 : 4);
}
/// The number of a slot among the slots of its kind.
[[nodiscard]] constexpr std::uint32_t slot_index(slot_ref s) { return slot_offset(s) / slot_bytes(is_wide(s)); }
/// The slot of that number, no constant. \pre index < 2^20.
[[nodiscard]] constexpr slot_ref make_slot(bool wide, std::uint32_t index) {
  return (wide ? wide_slot : 0U) | index * slot_bytes(wide);
}

/// A predicate operand: its number, negated or not; constants are all lanes or none.
struct predicate_ref {
  std::uint32_t index = no_index;  ///< its number among the kernel's predicates; no_index: always true
  bool negated = false;            ///< taken the other way round
};

/// The work of a decoded operation.
enum class op_kind : std::uint8_t {
  copy,              ///< a slot to a slot
  light,             ///< decoded_op::light on all lanes
  each,              ///< decoded_op::each on the lanes that run
  compare,           ///< decoded_op::compare; the result is a predicate
  select,            ///< one of two operands, by a predicate
  predicate,         ///< a predicate of two predicates
  carry,             ///< decoded_op::carry: with a carry in and out
  load,              ///< from memory
  store,             ///< to memory
  atomic,            ///< atom and red
  pack,              ///< several operands into one
  unpack,            ///< one operand into several
  space_test,        ///< isspacep
  copy_memory,       ///< cp.async
  copy_in_bulk,      ///< cp.async.bulk, cp.reduce.async.bulk
  mbarrier,          ///< an instruction on an mbarrier: decoded_op::code is an mbarrier_action
  texture,           ///< reads a texture, a surface, or an attribute of it: texture_operation.hpp
  surface,           ///< sust and sured
  shuffle,           ///< from here to warp_barrier: among lanes of a warp, source[3] says which
  vote,              ///< vote
  match,             ///< match.sync
  reduce,            ///< redux.sync
  elect,             ///< elect.sync
  active_mask,       ///< activemask
  warp_barrier,      ///< bar.warp.sync
  matrix_product,    ///< mma and wmma.mma; from here to matrix_transpose: second_offset is the packed matrix_form
  group_product,     ///< wgmma.mma_async: the rows of one warp; sources 0 and 1 describe A and B in memory
  matrix_load,       ///< ldmatrix and wmma.load
  matrix_store,      ///< stmatrix and wmma.store
  matrix_transpose,  ///< movmatrix
  reduced,           ///< what a barrier has computed
  clock,             ///< %clock and the like
  print,             ///< vprintf
  assert_fail,       ///< __assertfail
  heap,              ///< malloc and free: heap_call
  stack,             ///< alloca, stacksave, stackrestore: stack_call
  nothing            ///< a guarded instruction that does nothing here (a fence, a prefetch): its guard counts
};

/// The function of an operation on the heap.
enum class heap_call : std::uint8_t {
  allocate,  ///< malloc
  release    ///< free
};

/// The function of an operation on a thread's stack in local memory.
enum class stack_call : std::uint8_t {
  allocate,  ///< alloca: decoded_op::second_offset is the alignment
  save,      ///< stacksave
  restore    ///< stackrestore
};

/// The name of a kind of operation.
[[nodiscard]] constexpr std::string_view to_string(op_kind e) {
  constexpr std::string_view names[] = {
      "copy",         "light",          "each",          "compare",     "select",       "predicate",
      "carry",        "load",           "store",         "atomic",      "pack",         "unpack",
      "space_test",   "copy_memory",    "copy_in_bulk",  "mbarrier",    "texture",      "surface",
      "shuffle",      "vote",           "match",         "reduce",      "elect",        "active_mask",
      "warp_barrier", "matrix_product", "group_product", "matrix_load", "matrix_store", "matrix_transpose",
      "reduced",      "clock",          "print",         "assert_fail", "heap",         "stack",
      "nothing"};
  return names[static_cast<std::size_t>(e)];
}

/// True for an operation of all lanes of a warp on matrices.
[[nodiscard]] constexpr bool is_matrix(op_kind e) {
  return e >= op_kind::matrix_product && e <= op_kind::matrix_transpose;
}

/// One decoded operation.
struct decoded_op {
  op_kind kind = op_kind::copy;  ///< what it does
  bool plain = false;      ///< light code, a copy, a comparison and nothing else: no guard, no flush, no saturation
  bool in_place = false;   ///< the result is one of the operands
  bool sat = false;        ///< clamp the floating-point result to [0, 1]
  bool sign = false;       ///< a load extends the sign
  std::uint8_t flush = 0;  ///< operands a, b, c (bits 0, 1, 2) and the result (bit 7) lose subnormals
  std::uint8_t size = 0;   ///< bytes of a memory access or of a part; registers that a matrix operation reads
  /// The one of several: shuffle_mode, vote_mode, barrier_reduction, mbarrier_action, heap_call, stack_call; the shift
  /// of a clock; of a product of a warpgroup, facts about it.
  std::uint8_t code = 0;
  /// Elements of a vector access, parts of pack and unpack, registers that a matrix operation writes.
  std::uint8_t count = 1;
  state_space space = state_space::generic;  ///< of a memory access
  /// How a comparison and predicate[0], or predicate[0] and predicate[1], become one.
  boolean_op combine = boolean_op::none;
  atomic_op atomic = atomic_op::none;                         ///< of an atomic
  scalar_type type = scalar_type::none;                       ///< of an atomic, a reduction
  predicate_ref guard;                                        ///< lanes for which it does not hold do nothing
  slot_ref result = no_slot;                                  ///< or a predicate, for compare and predicate
  std::uint32_t second = no_index;                            ///< the q of p|q
  slot_ref source[4] = {no_slot, no_slot, no_slot, no_slot};  ///< operands
  predicate_ref predicate[2];                                 ///< operands that are predicates
  std::uint32_t list = 0;  ///< first of the slots of a vector; of an atomic on one, of matrices: results, then operands
  std::uint64_t offset = 0;  ///< of an address
  /// The offset of the address source[1]; or the texture_operation, the packed matrix_form, an alignment.
  std::uint64_t second_offset = 0;
  light_code light = nullptr;      ///< computes all lanes (op_kind::light)
  each_code each = nullptr;        ///< computes the lanes that run (op_kind::each)
  compare_code compare = nullptr;  ///< op_kind::compare
  carry_code carry = nullptr;      ///< reads predicate[0], writes `second`
  std::uint32_t instruction = 0;   ///< of the kernel
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
