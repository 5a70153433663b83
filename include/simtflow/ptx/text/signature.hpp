// SPDX-License-Identifier: BSL-1.0
//
// The operands an operation has, in order: what each is to the instruction and which type it has there.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapter "Instruction Set".
#pragma once

#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/opcode.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// What an operand is to its instruction.
enum class role : std::uint8_t {
  result,                ///< a register
  result_predicate,      ///< a predicate, or two: p|q
  result_and_predicate,  ///< a register or _, with or without a predicate: d|p
  source,                ///< a register, a constant, the address of a variable
  predicate,             ///< a predicate, negated or not
  pointer,               ///< a register that holds an address of 32 or 64 bits
  address,               ///< [base + offset]
  loaded,                ///< what comes from memory: a register or a vector of them
  stored,                ///< what goes to memory: a source or a vector of them
  target                 ///< a label
};

/// What may stand behind an operand of a video instruction.
enum class selector_kind : std::uint8_t {
  none,
  part,          ///< .b0 to .b3, .h0, .h1
  mask_of_two,   ///< .h0, .h1, .h10
  mask_of_four,  ///< .b and some of 3, 2, 1, 0
  two,           ///< .h and two of 0 to 3
  four           ///< .b and four of 0 to 7
};

struct expected_operand {
  role what = role::source;
  scalar_type type = scalar_type::none;
  bool relaxed = false;  // wider integer registers fit
  selector_kind selector = selector_kind::none;
  bool negatable = false;  // - may stand before it
};

struct signature {
  expected_operand at[8];
  std::uint32_t count = 0;
  void add(role what, scalar_type type, bool relaxed = false, selector_kind selector = selector_kind::none) {
    at[count++] = {what, type, relaxed, selector, false};
  }
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

/// The operands an operation has, in order; those of call and brx depend on what is called and are not here. `given` is
/// how many stand there: some may be left out.
inline signature signature_of(const operation& o, std::uint32_t given) {
  signature s;
  const scalar_type u32 = scalar_type::u32;
  const auto sources = [&](std::uint32_t n) {
    for (std::uint32_t i = 0; i < n; ++i) s.add(role::source, o.type);
  };
  switch (o.name) {
    case mnemonic::add:
    case mnemonic::sub:
    case mnemonic::div:
    case mnemonic::rem:
    case mnemonic::and_:
    case mnemonic::or_:
    case mnemonic::xor_:
    case mnemonic::min:
    case mnemonic::max:
    case mnemonic::copysign:
    case mnemonic::mul24:
    case mnemonic::szext:
      s.add(role::result, o.type);
      sources(2);
      break;
    case mnemonic::mul:
      s.add(role::result, o.part == product_part::wide ? twice(o.type) : o.type);
      sources(2);
      break;
    case mnemonic::mad:
      s.add(role::result, o.part == product_part::wide ? twice(o.type) : o.type);
      sources(2);
      s.add(role::source, o.part == product_part::wide ? twice(o.type) : o.type);
      break;
    case mnemonic::mad24:
    case mnemonic::fma:
    case mnemonic::sad:
      s.add(role::result, o.type);
      sources(3);
      break;
    case mnemonic::prmt:
      s.add(role::result, o.type);
      sources(3);
      break;
    case mnemonic::neg:
    case mnemonic::abs:
    case mnemonic::not_:
    case mnemonic::cnot:
    case mnemonic::rcp:
    case mnemonic::sqrt:
    case mnemonic::rsqrt:
    case mnemonic::ex2:
    case mnemonic::lg2:
    case mnemonic::sin:
    case mnemonic::cos:
    case mnemonic::tanh:
    case mnemonic::brev:
    case mnemonic::cvta:
      s.add(role::result, o.type);
      sources(1);
      break;
    case mnemonic::mov:
      s.add(o.width > 1 ? role::loaded : role::result, o.type);
      s.add(o.width > 1 ? role::stored : role::source, o.type);
      break;
    case mnemonic::createpolicy:
      s.add(role::result, scalar_type::b64);
      if (o.policy == policy_source::fraction && given > 1) s.add(role::source, scalar_type::f32);
      if (o.policy == policy_source::property) s.add(role::source, scalar_type::b64);
      if (o.policy == policy_source::range) {
        s.add(role::address, scalar_type::b8);
        s.add(role::source, u32);
        s.add(role::source, u32);
      }
      break;
    case mnemonic::shl:
    case mnemonic::shr:
      s.add(role::result, o.type);
      sources(1);
      s.add(role::source, u32);
      break;
    case mnemonic::shf:
      s.add(role::result, o.type);
      sources(2);
      s.add(role::source, u32);
      break;
    case mnemonic::lop3:
      s.add(o.combine == boolean_op::none ? role::result : role::result_and_predicate, o.type);
      sources(3);
      s.add(role::source, u32);
      if (o.combine != boolean_op::none) s.add(role::predicate, scalar_type::pred);
      break;
    case mnemonic::bmsk:
      s.add(role::result, o.type);
      s.add(role::source, u32);
      s.add(role::source, u32);
      break;
    case mnemonic::fns:
      s.add(role::result, o.type);
      s.add(role::source, o.type);
      s.add(role::source, o.type);
      s.add(role::source, scalar_type::s32);
      break;
    case mnemonic::dp2a:
    case mnemonic::dp4a: {
      const bool is_signed = o.type == scalar_type::s32 || o.source == scalar_type::s32;
      const scalar_type sum = is_signed ? scalar_type::s32 : u32;
      s.add(role::result, sum);
      s.add(role::source, scalar_type::b32);
      s.add(role::source, scalar_type::b32);
      s.add(role::source, sum);
      break;
    }
    case mnemonic::vadd:
    case mnemonic::vsub:
    case mnemonic::vavrg:
    case mnemonic::vabsdiff:
    case mnemonic::vmin:
    case mnemonic::vmax:
    case mnemonic::vshl:
    case mnemonic::vshr:
    case mnemonic::vset: {
      const selector_kind from = o.width == 1   ? selector_kind::part
                                 : o.width == 2 ? selector_kind::two
                                                : selector_kind::four;
      s.add(role::result, o.type, false,
            o.width == 1   ? selector_kind::part
            : o.width == 2 ? selector_kind::mask_of_two
                           : selector_kind::mask_of_four);
      s.add(role::source, o.source, false, from);
      s.add(role::source, o.third, false, from);
      if (o.width > 1 || o.atomic != atomic_op::none || given > 3) s.add(role::source, o.type);
      break;
    }
    case mnemonic::vmad:
      s.add(role::result, o.type);
      s.add(role::source, o.source, false, selector_kind::part);
      s.add(role::source, o.third, false, selector_kind::part);
      s.add(role::source, o.type);
      for (std::uint32_t i = 1; i < 4; ++i) s.at[i].negatable = true;
      break;
    case mnemonic::testp:
      s.add(role::result_predicate, scalar_type::pred);
      sources(1);
      break;
    case mnemonic::setp:
      s.add(role::result_predicate, scalar_type::pred);
      sources(2);
      if (o.combine != boolean_op::none) s.add(role::predicate, scalar_type::pred);
      break;
    case mnemonic::set:
      s.add(role::result, o.type);
      s.add(role::source, o.source);
      s.add(role::source, o.source);
      if (o.combine != boolean_op::none) s.add(role::predicate, scalar_type::pred);
      break;
    case mnemonic::selp:
      s.add(role::result, o.type);
      sources(2);
      s.add(role::predicate, scalar_type::pred);
      break;
    case mnemonic::slct:
      s.add(role::result, o.type);
      sources(2);
      s.add(role::source, o.source);
      break;
    case mnemonic::cvt: {
      const bool pair = o.type == scalar_type::f16x2 || o.type == scalar_type::bf16x2 ||
                        o.type == scalar_type::e4m3x2 || o.type == scalar_type::e5m2x2;
      s.add(role::result, o.type, o.type != scalar_type::tf32 && o.type != scalar_type::bf16);
      s.add(role::source, o.source, true);
      if (pair && o.source == scalar_type::f32) s.add(role::source, o.source);
      break;
    }
    case mnemonic::cvt_pack:
      s.add(role::result, scalar_type::b32);
      s.add(role::source, o.source);
      s.add(role::source, o.source);
      if (o.third != scalar_type::none) s.add(role::source, o.third);
      break;
    case mnemonic::clz:
    case mnemonic::popc:
    case mnemonic::bfind:
      s.add(role::result, u32);
      sources(1);
      break;
    case mnemonic::bfe:
      s.add(role::result, o.type);
      sources(1);
      s.add(role::source, u32);
      s.add(role::source, u32);
      break;
    case mnemonic::bfi:
      s.add(role::result, o.type);
      sources(2);
      s.add(role::source, u32);
      s.add(role::source, u32);
      break;
    case mnemonic::isspacep:
      s.add(role::result_predicate, scalar_type::pred);
      s.add(role::pointer, scalar_type::u64);
      break;
    case mnemonic::ld:
      s.add(role::loaded, o.type, true);
      s.add(role::address, o.type);
      if (o.cache_hint) s.add(role::source, scalar_type::b64);
      break;
    case mnemonic::st:
      s.add(role::address, o.type);
      s.add(role::stored, o.type, true);
      if (o.cache_hint) s.add(role::source, scalar_type::b64);
      break;
    case mnemonic::atom:
    case mnemonic::red:
      if (o.name == mnemonic::atom) s.add(o.width > 1 ? role::loaded : role::result, o.type);
      s.add(role::address, o.type);
      s.add(o.width > 1 ? role::stored : role::source, o.type);
      if (o.atomic == atomic_op::cas) sources(1);
      if (o.cache_hint) s.add(role::source, scalar_type::b64);
      break;
    case mnemonic::prefetch:
      s.add(role::address, scalar_type::b8);
      if (given == 2) s.add(role::source, u32);
      break;
    case mnemonic::cp_async:
      s.add(role::address, scalar_type::b32);
      s.add(role::address, scalar_type::b32);
      for (std::uint32_t i = 2; i < given && i < (o.cache_hint ? 4U : 5U); ++i)
        s.add(role::source, o.cache_hint && i + 1 == given ? scalar_type::b64 : u32);
      break;
    case mnemonic::cp_async_wait:
      if (given == 1) s.add(role::source, u32);
      break;
    case mnemonic::bar: {
      // barrier[, threads]; .red puts its result in front and a predicate behind.
      const bool reduces = o.barrier == barrier_op::red;
      const std::uint32_t ids = given - (reduces && given > 1 ? 2U : 0U);
      if (reduces) s.add(o.type == scalar_type::pred ? role::result_predicate : role::result, o.type);
      s.add(role::source, u32);
      if (ids > 1 || o.barrier == barrier_op::arrive) s.add(role::source, u32);
      if (reduces) s.add(role::predicate, scalar_type::pred);
      break;
    }
    case mnemonic::bar_warp:
      s.add(role::source, u32);
      break;
    case mnemonic::shfl:
      s.add(role::result_and_predicate, o.type);
      sources(1);
      s.add(role::source, u32);
      s.add(role::source, u32);
      if (o.sync) s.add(role::source, u32);
      break;
    case mnemonic::vote:
      s.add(o.type == scalar_type::pred ? role::result_predicate : role::result, o.type);
      s.add(role::predicate, scalar_type::pred);
      if (o.sync) s.add(role::source, u32);
      break;
    case mnemonic::match:
      s.add(o.vote == vote_mode::all ? role::result_and_predicate : role::result, scalar_type::b32);
      sources(1);
      s.add(role::source, u32);
      break;
    case mnemonic::activemask:
      s.add(role::result, o.type);
      break;
    case mnemonic::redux:
      s.add(role::result, o.type);
      sources(1);
      s.add(role::source, u32);
      break;
    case mnemonic::elect:
      s.add(role::result_and_predicate, scalar_type::b32);
      s.add(role::source, u32);
      break;
    case mnemonic::nanosleep:
      sources(1);
      break;
    case mnemonic::nop:
      for (std::uint32_t i = 0; i < given; ++i) s.add(role::source, u32);
      break;
    case mnemonic::bra:
      s.add(role::target, scalar_type::none);
      break;
    default:
      break;
  }
  return s;
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
