// SPDX-License-Identifier: BSL-1.0
//
// The rules that the modifiers and types of an operation must obey together, beyond the list of each in its row of the
// instruction set. A rule is a function that returns a message, or nothing if the rule is kept. Modifiers that an
// instruction cannot be without are in its row. Headers such as memory_rules.hpp have the rules of their instructions,
// this header the others and the choice among all.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapter "Instruction Set".
#pragma once

#include <simtflow/ptx/text/detail/asynchronous_rules.hpp>
#include <simtflow/ptx/text/detail/conversion_rules.hpp>
#include <simtflow/ptx/text/detail/exchange_rules.hpp>
#include <simtflow/ptx/text/detail/matrix_rules.hpp>
#include <simtflow/ptx/text/detail/memory_rules.hpp>
#include <simtflow/ptx/text/detail/texture_rules.hpp>
#include <simtflow/ptx/text/isa.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

namespace rules {

/// The rules that hold for every instruction.
constexpr std::string_view general(const operation& o) {
  if (o.ftz && o.type != scalar_type::f32 && o.type != scalar_type::f16 && o.type != scalar_type::f16x2)
    return ".ftz needs .f32 or .f16";
  if ((o.type == scalar_type::f64 || is_brain(o.type)) && o.sat) return ".sat needs .f32 or .f16";
  if (is_half(o.type) && o.round != rounding::none && o.round != rounding::rn)
    return "half precision rounds to nearest only";
  return {};
}

/// add, sub, mul, mad
constexpr std::string_view sum(const operation& o) {
  const scalar_info t = info(o.type);
  const bool integer = is_integer(o.type);
  const bool floating = t.kind == type_class::floating;
  if (integer && (o.round != rounding::none || o.ftz)) return "integers are not rounded";
  if (floating && o.part != product_part::none) return ".lo, .hi and .wide belong to integers";
  if ((o.name == mnemonic::mul || o.name == mnemonic::mad) && integer && o.part == product_part::none)
    return "an integer product needs .lo, .hi or .wide";
  if (o.part == product_part::wide && t.size == 8) return ".wide needs 16 or 32 bits";
  if (o.sat && o.name == mnemonic::mad && integer && (o.type != scalar_type::s32 || o.part != product_part::hi))
    return ".sat needs .hi.s32";
  if (o.sat && o.name == mnemonic::mul && integer) return ".sat belongs to floating point";
  if (o.sat && integer && o.type != scalar_type::s32) return ".sat needs .s32";
  if (o.carry_out && (!integer || t.size < 4 || (bit(o.type) & t_pairs) != 0 || o.part == product_part::wide || o.sat))
    return ".cc needs integers of 32 or 64 bits";
  if (o.carry_in && o.part == product_part::wide) return "it needs .lo or .hi";
  return {};
}

/// mul24, mad24
constexpr std::string_view product24(const operation& o) {
  if (o.sat && (o.type != scalar_type::s32 || o.part != product_part::hi)) return ".sat needs .hi.s32";
  return {};
}

/// fma
constexpr std::string_view fma(const operation& o) {
  const bool half = is_half(o.type);
  if (o.relu && !half) return ".relu needs half precision";
  if (o.relu && o.sat) return ".relu and .sat exclude each other";
  return {};
}

/// min, max
constexpr std::string_view extreme(const operation& o) {
  const bool half = is_half(o.type);
  if (o.nan && o.type != scalar_type::f32 && !half) return ".NaN needs .f32 or half precision";
  if (o.xorsign_abs && o.type != scalar_type::f32 && !half) return ".xorsign.abs needs .f32 or half precision";
  if (o.relu && o.type != scalar_type::s32 && o.type != scalar_type::s16x2) return ".relu needs .s32 or .s16x2";
  return {};
}

/// div
constexpr std::string_view quotient(const operation& o) {
  const bool integer = is_integer(o.type);
  if (integer && (o.round != rounding::none || o.ftz || o.approx)) return "integers are not rounded";
  if (o.type == scalar_type::f64 && o.approx) return ".approx needs .f32";
  return {};
}

/// ex2
constexpr std::string_view ex2(const operation& o) {
  const bool half = is_half(o.type);
  const bool brain = is_brain(o.type);
  if (half && !o.approx) return "it needs .approx";
  if (brain && !o.ftz) return "it needs .ftz";
  if (half && !brain && o.ftz) return ".ftz needs .f32 or .bf16";
  return {};
}

/// setp, set
constexpr std::string_view comparison_fits(const operation& o) {
  const bool to_register = o.name == mnemonic::set;
  const scalar_type compared = to_register ? o.source : o.type;
  const type_class kind = info(compared).kind;
  if (to_register) {
    const bool pairs = compared == scalar_type::f16x2 || compared == scalar_type::bf16x2;
    const bool same = o.type == compared && is_half(compared);
    const bool word = o.type == scalar_type::u32 || o.type == scalar_type::s32;
    const bool short_word = (o.type == scalar_type::u16 || o.type == scalar_type::s16) && is_half(compared) && !pairs;
    const bool number =
        (o.type == scalar_type::f32 || o.type == scalar_type::f16 || o.type == scalar_type::bf16) && !is_half(compared);
    if (!same && !word && !short_word && !number) return "that result does not go with these operands";
  }
  if (kind != type_class::floating && o.compare > comparison::hs) return "that comparison needs floating point";
  if (kind == type_class::bits && o.compare > comparison::ne) return "untyped bits are only equal or not";
  if (kind != type_class::unsigned_integer && o.compare >= comparison::lo && o.compare <= comparison::hs)
    return "that comparison needs an unsigned type";
  if (o.ftz && compared != scalar_type::f32 && compared != scalar_type::f16 && compared != scalar_type::f16x2)
    return ".ftz needs .f32 or .f16";
  return {};
}

/// slct
constexpr std::string_view slct(const operation& o) {
  if (o.source != scalar_type::s32 && o.source != scalar_type::f32) return "its condition is .s32 or .f32";
  if (o.ftz && o.source != scalar_type::f32) return ".ftz needs .f32";
  return {};
}

/// cvt.pack
constexpr std::string_view pack(const operation& o) {
  const bool halves = o.type == scalar_type::u16 || o.type == scalar_type::s16;
  const bool bytes = o.type == scalar_type::u8 || o.type == scalar_type::s8;
  if (!o.sat) return "it needs .sat";
  if (o.source != scalar_type::s32) return "it packs .s32";
  if (halves ? o.third != scalar_type::none : !bytes || o.third != scalar_type::b32)
    return "it packs two halves, or two bytes before a .b32";
  return {};
}

/// lop3
constexpr std::string_view lop3(const operation& o) {
  if (o.combine == boolean_op::xor_) return "it combines with .or or .and";
  return {};
}

/// vadd to vset
constexpr std::string_view video(const operation& o) {
  if (o.name == mnemonic::vset && (o.compare == comparison::none || o.compare > comparison::ge))
    return "it needs .eq, .ne, .lt, .le, .gt or .ge";
  if ((o.name == mnemonic::vshl || o.name == mnemonic::vshr) && o.third != scalar_type::u32)
    return "its amounts are .u32";
  if (o.width > 1 && o.sat && o.atomic != atomic_op::none) return "it does not saturate what it adds";
  if (o.atomic != atomic_op::none && o.atomic != atomic_op::add &&
      (o.width > 1 || (o.atomic != atomic_op::min && o.atomic != atomic_op::max)))
    return o.width > 1 ? "it can only .add what it makes" : "its second operation is .add, .min or .max";
  return {};
}

/// mov
constexpr std::string_view vector_move(const operation& o) {
  const scalar_info t = info(o.type);
  if (o.width > 1 && (o.width > 4 || t.size < 2 || t.size * o.width > 16)) return "that vector cannot be moved";
  return {};
}

/// rcp, sqrt, rsqrt: double precision has its own approximate forms.
constexpr std::string_view root(const operation& o) {
  if (o.type != scalar_type::f64) return general(o);
  if (o.approx && o.ftz && o.name != mnemonic::sqrt) return {};
  if (o.approx && o.name != mnemonic::rsqrt) return ".approx.f64 needs .ftz, and is no root";
  return general(o);
}

}  // namespace rules

/// The message about types and modifiers that contradict each other; empty if they agree. O(1).
constexpr std::string_view contradiction(const operation& o) {
  std::string_view why;
  switch (row_of(o).check) {
    case rule::general:
      break;
    case rule::sum:
      why = rules::sum(o);
      break;
    case rule::product24:
      why = rules::product24(o);
      break;
    case rule::fma:
      why = rules::fma(o);
      break;
    case rule::extreme:
      why = rules::extreme(o);
      break;
    case rule::quotient:
      why = rules::quotient(o);
      break;
    case rule::root:
      return rules::root(o);
    case rule::ex2:
      return rules::ex2(o);
    case rule::comparison:
      return rules::comparison_fits(o);
    case rule::slct:
      return rules::slct(o);
    case rule::conversion:
      return rules::conversion(o);
    case rule::pack:
      return rules::pack(o);
    case rule::lop3:
      return rules::lop3(o);
    case rule::video:
      return rules::video(o);
    case rule::vector_move:
      return rules::vector_move(o);
    case rule::access:
      return rules::access(o);
    case rule::atomic:
      return rules::atomic(o);
    case rule::barrier:
      return rules::barrier(o);
    case rule::vote:
      return rules::vote(o);
    case rule::match:
      return rules::match(o);
    case rule::redux:
      return rules::redux(o);
    case rule::prefetch:
      return rules::prefetch(o);
    case rule::texture:
      return rules::texture(o);
    case rule::matrix:
      return rules::matrix(o);
    case rule::mbarrier:
      return rules::mbarrier(o);
    case rule::bulk:
      return rules::bulk(o);
    case rule::cluster:
      return rules::cluster(o);
  }
  return why.empty() ? rules::general(o) : why;
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
