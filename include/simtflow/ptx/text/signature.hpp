// SPDX-License-Identifier: BSL-1.0
//
// The operands of an operation in the order of the text: what each is to the instruction, and its type there. The
// pattern of the instruction set's row, with the types and modifiers of one operation filled in.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapter "Instruction Set".
#pragma once

#include <simtflow/ptx/text/isa.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// The selectors that an operand of a video instruction may have.
enum class selector_kind : std::uint8_t {
  none,
  part,          ///< .b0 to .b3, .h0, .h1
  mask_of_two,   ///< .h0, .h1, .h10
  mask_of_four,  ///< .b and some of 3, 2, 1, 0
  two,           ///< .h and two of 0 to 3
  four           ///< .b and four of 0 to 7
};

/// One operand of a signature.
struct expected_operand {
  role what = role::source;
  scalar_type type = scalar_type::none;
  bool relaxed = false;  // wider integer registers fit
  selector_kind selector = selector_kind::none;
  bool negatable = false;     // - may stand before it
  std::uint8_t fragment = 0;  // registers of a matrix; 0: it is none
};

/// The operands of an operation.
struct signature {
  expected_operand at[8];
  std::uint32_t count = 0;
};

constexpr scalar_type twice(scalar_type t) {
  switch (t) {
    case scalar_type::u16:
      return scalar_type::u32;
    case scalar_type::s16:
      return scalar_type::s32;
    case scalar_type::u32:
      return scalar_type::u64;
    default:
      return scalar_type::s64;
  }
}

constexpr bool is_selector(selector_kind kind, std::string_view name) {
  const bool bytes = name.size() > 2 && name[1] == 'b';
  if (kind == selector_kind::none || name.size() < 3 || (!bytes && name[1] != 'h')) return false;
  const std::string_view digits = name.substr(2);
  const bool masks = kind == selector_kind::mask_of_two || kind == selector_kind::mask_of_four;
  const bool four = kind == selector_kind::mask_of_four || kind == selector_kind::four;
  char most = bytes ? '3' : '1';  // of the numbers
  if (kind == selector_kind::part) {
    if (digits.size() != 1) return false;
  } else {
    if (bytes != four) return false;
    if (!masks) {
      if (digits.size() != (four ? 4U : 2U)) return false;
      most = four ? '7' : '3';
    }
  }
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (digits[i] < '0' || digits[i] > most) return false;
    if (masks && i > 0 && digits[i] >= digits[i - 1]) return false;
  }
  return true;
}

/// True if an operand is in the text of an operation with `given` operands; it would be the one of index `n`.
constexpr bool is_present(presence when, const operation& o, std::uint32_t given, std::uint32_t n) {
  switch (when) {
    case presence::always:
      return true;
    case presence::given:
      return given > n;
    case presence::combined:
      return o.combine != boolean_op::none;
    case presence::hinted:
      return o.cache_hint;
    case presence::sync:
      return o.sync;
    case presence::cas:
      return o.atomic == atomic_op::cas;
    case presence::pair:
      return o.source == scalar_type::f32 && (o.type == scalar_type::f16x2 || o.type == scalar_type::bf16x2 ||
                                              o.type == scalar_type::e4m3x2 || o.type == scalar_type::e5m2x2);
    case presence::third:
      return o.third != scalar_type::none;
    case presence::merged:
      return given > n || o.width > 1 || o.atomic != atomic_op::none;
    case presence::reduced:
      return o.barrier == barrier_op::red;
    case presence::counted:
      // bar.red has its result in front and a predicate at the end; barrier[, threads] is between them.
      return o.barrier == barrier_op::arrive || given - (o.barrier == barrier_op::red && given > 1 ? 2 : 0) > 1;
    case presence::size:
      return given > n && (n < 4 || !o.cache_hint);
    case presence::fraction:
      return o.policy == policy_source::fraction && given > n;
    case presence::range:
      return o.policy == policy_source::range;
    case presence::property:
      return o.policy == policy_source::property;
    case presence::level:
      return o.level == texture_level::level;
    case presence::grad:
      return o.level == texture_level::grad;
    case presence::reporting:
      return o.reports;
    case presence::scaled:
      return element_bits(o.matrix.d) != 32 || o.matrix.d == matrix_element::f32;
    case presence::major:
      return element_bits(o.matrix.a) == 16;
    case presence::majors:
      return element_bits(o.matrix.a) == 16 && given > n;
  }
  return false;
}

/// The matrix that the registers of an operand hold part of.
constexpr matrix_role fragment_of(const pattern_operand& p, const operation& o) {
  const bool moved = o.name != mnemonic::mma && o.name != mnemonic::wmma_mma && o.name != mnemonic::wgmma_mma;
  return moved ? o.matrix.loaded : p.matrix;
}
/// The registers of an operand that are part of a matrix.
constexpr std::uint8_t fragment_size(const pattern_operand& p, const operation& o) {
  return static_cast<std::uint8_t>(o.matrix.count != 0 ? o.matrix.count : o.matrix.registers(fragment_of(p, o)));
}

/// The type of an operand of an operation; `last`: no operand follows it in the text.
constexpr scalar_type type_of(const pattern_operand& p, const operation& o, bool last) {
  switch (p.type) {
    case type_choice::own:
      return o.type;
    case type_choice::second:
      return o.source;
    case type_choice::third:
      return o.third;
    case type_choice::wide:
      return o.part == product_part::wide ? twice(o.type) : o.type;
    case type_choice::sum:
      return o.type == scalar_type::s32 || o.source == scalar_type::s32 ? scalar_type::s32 : scalar_type::u32;
    case type_choice::size:
      return o.cache_hint && last ? scalar_type::b64 : scalar_type::u32;
    case type_choice::matrix:
      return o.matrix.count != 0 ? scalar_type::b32 : o.matrix.register_type(fragment_of(p, o));
    case type_choice::fixed:
      break;
  }
  return p.fixed;
}

constexpr role role_of(const pattern_operand& p, const operation& o) {
  switch (p.choice) {
    case role_choice::vector:
      if (o.width > 1) return p.what == role::result ? role::loaded : role::stored;
      break;
    case role_choice::by_type:
      if (o.type == scalar_type::pred) return role::result_predicate;
      break;
    case role_choice::predicates:
      if (o.combine != boolean_op::none || o.vote == vote_mode::all) return role::result_and_predicate;
      break;
    case role_choice::fixed:
      break;
  }
  return p.what;
}

/// The selectors of a result or of a source of a video instruction, by the numbers in a word.
constexpr selector_kind selector_of(role what, std::uint8_t width) {
  if (width == 1) return selector_kind::part;
  if (what == role::result) return width == 2 ? selector_kind::mask_of_two : selector_kind::mask_of_four;
  return width == 2 ? selector_kind::two : selector_kind::four;
}

/// The operands of an operation that has `given` operands in the text: some may be left out. None for call and brx:
/// their operands depend on the callee and on the table. O(1).
constexpr signature signature_of(const operation& o, std::uint32_t given) {
  signature s;
  const operand_pattern& pattern = row_of(o).operands;
  for (std::uint32_t i = 0; i < pattern.count; ++i) {
    const pattern_operand& p = pattern.at[i];
    if (!is_present(p.when, o, given, s.count)) continue;
    expected_operand& e = s.at[s.count];
    e.what = role_of(p, o);
    e.type = type_of(p, o, s.count + 1 == given);
    // The results of cvt that are no number of their register's width fit exactly.
    e.relaxed = p.relaxed && !(p.what == role::result && (o.type == scalar_type::tf32 || o.type == scalar_type::bf16));
    if (p.selected) e.selector = selector_of(p.what, o.width);
    e.negatable = p.negatable;
    if (p.type == type_choice::matrix) e.fragment = fragment_size(p, o);
    ++s.count;
  }
  return s;
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
