// SPDX-License-Identifier: BSL-1.0
//
// The rules of cvt: which types it converts to which, and with which roundings.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, section "Data Movement and Conversion Instructions: cvt".
#pragma once

#include <simtflow/ptx/text/isa.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

constexpr bool is_integer(scalar_type t) {
  return info(t).kind == type_class::signed_integer || info(t).kind == type_class::unsigned_integer;
}
constexpr bool is_brain(scalar_type t) { return t == scalar_type::bf16 || t == scalar_type::bf16x2; }

namespace rules {

/// cvt
constexpr std::string_view conversion(const operation& o) {
  const scalar_info t = info(o.type);
  const bool floating = t.kind == type_class::floating;
  const bool half = is_half(o.type);
  const bool brain = is_brain(o.type);
  const scalar_type source = o.source;
  const bool from_float = info(source).kind == type_class::floating;
  const bool int_round = o.round >= rounding::rni && o.round <= rounding::rpi;
  if (o.type == scalar_type::tf32) {
    if (source != scalar_type::f32) return ".tf32 is made of .f32";
    if (o.ftz || o.sat) return ".tf32 knows neither .ftz nor .sat";
    if (o.relu && o.round == rounding::rna) return ".relu needs .rn or .rz";
    if (o.round != rounding::rna && o.round != rounding::rn && o.round != rounding::rz)
      return "it needs .rn, .rna or .rz";
    return {};
  }
  if (source == scalar_type::tf32) return ".tf32 is used as it is";
  if (((bit(o.type) | bit(source)) & t_fp8) != 0) {
    if (o.round != rounding::rn) return "it needs .rn";
    if (o.ftz || o.sat) return "8-bit numbers know neither .ftz nor .sat";
    if ((bit(source) & t_fp8) != 0) {
      if (o.type != scalar_type::f16x2) return "8-bit numbers become .f16x2";
      if (o.satfinite) return "widening is exact";
    } else if (source != scalar_type::f32 && source != scalar_type::f16x2) {
      return "8-bit numbers are made of .f32 or .f16x2";
    } else if (!o.satfinite) {
      return "it needs .satfinite";
    }
    return {};
  }
  if (o.round == rounding::rna) return ".rna needs .tf32";
  if (t.kind == type_class::bits || info(source).kind == type_class::bits) return "it needs typed operands";
  if (o.type == scalar_type::f16x2 || o.type == scalar_type::bf16x2) {
    if (source != scalar_type::f32) return "halves are packed from .f32";
    if (o.ftz || o.sat) return "packed halves know neither .ftz nor .sat";
    if (o.round != rounding::rn && o.round != rounding::rz) return "it needs .rn or .rz";
    return {};
  }
  if (source == scalar_type::f16x2 || source == scalar_type::bf16x2) return "pairs cannot be converted";
  if ((o.relu || o.satfinite) && (!half || source != scalar_type::f32))
    return ".relu and .satfinite need a half made of .f32";
  if ((o.relu || o.satfinite) && ((o.round != rounding::rn && o.round != rounding::rz) || o.sat || o.ftz))
    return ".relu and .satfinite need .rn or .rz, no .sat, no .ftz";
  if (o.sat && (brain || source == scalar_type::bf16)) return ".sat needs other types";
  if (!floating && !from_float && o.round != rounding::none) return "integers are not rounded";
  if (!floating && from_float && !int_round) return "it needs .rni, .rzi, .rmi or .rpi";
  if (floating && !from_float && (o.round == rounding::none || int_round)) return "it needs .rn, .rz, .rm or .rp";
  if (floating && from_float && o.type != source) {
    const bool exact = t.size > info(source).size;
    if (!exact && (o.round == rounding::none || int_round)) return "it needs .rn, .rz, .rm or .rp";
    if (exact && o.round != rounding::none && source != scalar_type::bf16) return "widening is exact";
  }
  if (floating && o.type == source && o.round != rounding::none && !int_round)
    return "it needs .rni, .rzi, .rmi or .rpi";
  if (o.ftz && o.type != scalar_type::f32 && source != scalar_type::f32) return ".ftz needs .f32";
  return {};
}

}  // namespace rules

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
