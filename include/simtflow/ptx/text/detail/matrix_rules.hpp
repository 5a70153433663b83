// SPDX-License-Identifier: BSL-1.0
//
// The matrix products that there are: shapes by the type of the factors, with the first target and the first version of
// PTX that has them.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "wmma.mma", "mma", "ldmatrix", "stmatrix", "movmatrix",
// "wgmma.mma_async", with their paragraphs "Target ISA Notes" and "PTX ISA Notes"; ptxas 13.0.
#pragma once

#include <simtflow/ptx/text/matrix_form.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <cstdint>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// One shape of one instruction.
struct matrix_shape {
  bool per_warp;           ///< wmma, else mma
  matrix_element factors;  ///< u8, u4 and e5m2 count as s8, s4 and e4m3
  std::uint16_t m, n, k;
  std::uint8_t architecture;  ///< sm_80: 80
  std::uint16_t version;      ///< 7.0: 700
};
inline constexpr matrix_shape matrix_shapes[] = {
    {false, matrix_element::f16, 8, 8, 4, 70, 604},    {false, matrix_element::f16, 16, 8, 8, 75, 605},
    {false, matrix_element::f16, 16, 8, 16, 80, 700},  {false, matrix_element::bf16, 16, 8, 8, 80, 700},
    {false, matrix_element::bf16, 16, 8, 16, 80, 700}, {false, matrix_element::tf32, 16, 8, 4, 80, 700},
    {false, matrix_element::tf32, 16, 8, 8, 80, 700},  {false, matrix_element::f64, 8, 8, 4, 80, 700},
    {false, matrix_element::f64, 16, 8, 4, 90, 708},   {false, matrix_element::f64, 16, 8, 8, 90, 708},
    {false, matrix_element::f64, 16, 8, 16, 90, 708},  {false, matrix_element::s8, 8, 8, 16, 75, 605},
    {false, matrix_element::s8, 16, 8, 16, 80, 700},   {false, matrix_element::s8, 16, 8, 32, 80, 700},
    {false, matrix_element::s4, 8, 8, 32, 75, 605},    {false, matrix_element::s4, 16, 8, 32, 80, 700},
    {false, matrix_element::s4, 16, 8, 64, 80, 700},   {false, matrix_element::b1, 8, 8, 128, 75, 700},
    {false, matrix_element::b1, 16, 8, 128, 80, 700},  {false, matrix_element::b1, 16, 8, 256, 80, 700},
    {false, matrix_element::e4m3, 16, 8, 32, 89, 804}, {false, matrix_element::e4m3, 16, 8, 16, 89, 807},
    {true, matrix_element::f16, 16, 16, 16, 70, 600},  {true, matrix_element::f16, 32, 8, 16, 70, 601},
    {true, matrix_element::f16, 8, 32, 16, 70, 601},   {true, matrix_element::bf16, 16, 16, 16, 80, 700},
    {true, matrix_element::bf16, 32, 8, 16, 80, 700},  {true, matrix_element::bf16, 8, 32, 16, 80, 700},
    {true, matrix_element::tf32, 16, 16, 8, 80, 700},  {true, matrix_element::f64, 8, 8, 4, 80, 700},
    {true, matrix_element::s8, 16, 16, 16, 72, 603},   {true, matrix_element::s8, 32, 8, 16, 72, 603},
    {true, matrix_element::s8, 8, 32, 16, 72, 603},    {true, matrix_element::s4, 8, 8, 32, 75, 603},
    {true, matrix_element::b1, 8, 8, 128, 75, 603},
};

/// The row for factors of that type; null if there is none.
constexpr const matrix_shape* find_matrix_shape(const matrix_form& f, matrix_element factors) {
  if (factors == matrix_element::u8) factors = matrix_element::s8;
  if (factors == matrix_element::u4) factors = matrix_element::s4;
  if (factors == matrix_element::e5m2) factors = matrix_element::e4m3;
  for (const matrix_shape& s : matrix_shapes)
    if (s.per_warp == f.per_warp && s.factors == factors && s.m == f.m && s.n == f.n && s.k == f.k) return &s;
  return nullptr;
}

/// The first target and version of an instruction.
struct matrix_target {
  std::uint32_t architecture = 0;
  std::uint32_t version = 0;
};
constexpr matrix_target target_of_matrix(const operation& o) {
  const matrix_form& f = o.matrix;
  switch (o.name) {
    case mnemonic::ldmatrix:
      return {75, 605};
    case mnemonic::stmatrix:
      return {90, 708};
    case mnemonic::movmatrix:
      return {75, 708};
    case mnemonic::wgmma_mma:  // the target sm_90a and no other
      return {90, f.a != f.b && (f.a == matrix_element::s8 || f.a == matrix_element::u8) ? 804U : 800U};
    default:
      break;
  }
  matrix_target least{0xFFFF, 0xFFFF};  // of a matrix that several products have
  for (const matrix_shape& s : matrix_shapes) {
    const matrix_form shape{s.m, s.n, s.k};
    const bool same = s.per_warp == f.per_warp && s.m == f.m && s.n == f.n && s.k == f.k;
    const bool part = o.name != mnemonic::mma && o.name != mnemonic::wmma_mma && f.loaded >= matrix_role::c;
    if (!same || (!part && find_matrix_shape(f, f.a) != &s) || shape.m == 0) continue;
    if (s.architecture < least.architecture) least = {s.architecture, s.version};
  }
  if (f.conjunction) least = {80, 701};
  if (f.a == matrix_element::e4m3 || f.a == matrix_element::e5m2)
    if (f.d == matrix_element::f16) least.version = 807;
  return least;
}

namespace rules {

constexpr bool is_matrix_integer(matrix_element e) {
  return e == matrix_element::s8 || e == matrix_element::u8 || e == matrix_element::s4 || e == matrix_element::u4;
}
constexpr bool is_small_float(matrix_element e) { return e == matrix_element::e4m3 || e == matrix_element::e5m2; }

/// True if the accumulators can have these types.
constexpr bool sums_fit(const matrix_form& f) {
  const bool both = f.c == f.d;
  const bool half = f.d == matrix_element::f16 || f.d == matrix_element::f32;
  const bool half_c = f.c == matrix_element::f16 || f.c == matrix_element::f32;
  if (f.a == matrix_element::f16)
    return half && half_c && (f.per_warp || both || (f.four_products() && f.d == matrix_element::f32));
  if (is_small_float(f.a)) return both && half;
  if (f.a == matrix_element::bf16 || f.a == matrix_element::tf32) return both && f.d == matrix_element::f32;
  if (f.a == matrix_element::f64) return both && f.d == matrix_element::f64;
  return both && f.d == matrix_element::s32;
}

/// mma, wmma.mma
constexpr std::string_view product(const operation& o) {
  const matrix_form& f = o.matrix;
  const bool mixed =
      is_matrix_integer(f.a) && is_matrix_integer(f.b) && element_bits(f.a) == element_bits(f.b) && !f.per_warp;
  if (f.a != f.b && !mixed && !(is_small_float(f.a) && is_small_float(f.b))) return "its factors do not go together";
  if (find_matrix_shape(f, f.a) == nullptr) return "there is no such shape for these types";
  if (!sums_fit(f)) return "its sums do not go with its factors";
  const bool free_layouts = f.four_products() || (f.per_warp && element_bits(f.a) >= 8);
  if (!free_layouts && (f.a_by_column || !f.b_by_column)) return "it needs .row.col";
  if (o.satfinite && !is_matrix_integer(f.a)) return ".satfinite needs integers";
  if (o.round != rounding::none && f.a != matrix_element::f64) return "a rounding mode needs .f64";
  if ((o.atomic == atomic_op::popc) != (f.a == matrix_element::b1)) return ".popc goes with .b1";
  return {};
}

/// wgmma.mma_async
constexpr std::string_view warpgroup_product(const operation& o) {
  const matrix_form& f = o.matrix;
  const bool bytes = is_matrix_integer(f.a) && is_matrix_integer(f.b);
  const bool whole = bytes || f.a == matrix_element::b1;
  const bool floating =
      is_small_float(f.a) || f.a == matrix_element::f16 || f.a == matrix_element::bf16 || f.a == matrix_element::tf32;
  if (f.a != f.b && !bytes && !(is_small_float(f.a) && is_small_float(f.b))) return "its factors do not go together";
  if ((!floating && !whole) || element_bits(f.a) == 4 || element_bits(f.b) == 4)
    return "there is no such shape for these types";
  if (f.m != 64 || f.n % 8 != 0 || f.k * element_bits(f.a) != 256 || (whole && f.n > 24 && f.n % 16 != 0))
    return "there is no such shape for these types";
  if (!sums_fit(f)) return "its sums do not go with its factors";
  if (o.satfinite && !bytes) return ".satfinite needs integers";
  if (o.round != rounding::none) return "a rounding mode needs .f64";
  if ((o.atomic == atomic_op::popc) != (f.a == matrix_element::b1)) return ".popc goes with .b1";
  if (f.a == matrix_element::b1 && !f.conjunction) return "it needs .and";
  return {};
}

/// wmma.load, wmma.store
constexpr std::string_view fragment(const operation& o) {
  const matrix_form& f = o.matrix;
  const bool factor = f.loaded == matrix_role::a || f.loaded == matrix_role::b;
  if (o.space != state_space::generic && o.space != state_space::global && o.space != state_space::shared)
    return "matrices are in global and shared memory";
  if (factor) {
    if (find_matrix_shape(f, f.a) == nullptr) return "there is no such shape for this type";
    if (element_bits(f.a) < 8 && f.a_by_column != (f.loaded == matrix_role::b))
      return "that layout needs larger elements";
    return {};
  }
  bool found = false;
  for (const matrix_shape& s : matrix_shapes) {
    matrix_form sum{s.m, s.n, s.k, s.factors, s.factors, f.c, f.d};
    sum.per_warp = true;
    found = found || (s.per_warp && s.m == f.m && s.n == f.n && s.k == f.k && sums_fit(sum));
  }
  return found ? std::string_view() : "there is no such shape for this type";
}

/// ldmatrix, stmatrix, movmatrix
constexpr std::string_view moved_matrix(const operation& o) {
  const matrix_form& f = o.matrix;
  if (f.m != 8 || f.n != 8 || f.k != 0 || f.a != matrix_element::b16) return "only .m8n8 with .b16 is supported";
  if (o.name == mnemonic::movmatrix) return f.transposed ? std::string_view() : "it needs .trans";
  if (f.count == 0) return "it needs .x1, .x2 or .x4";
  if (o.space != state_space::generic && o.space != state_space::shared) return "its matrices are in shared memory";
  return {};
}

/// All matrix instructions.
constexpr std::string_view matrix(const operation& o) {
  switch (o.name) {
    case mnemonic::mma:
    case mnemonic::wmma_mma:
      return product(o);
    case mnemonic::wgmma_mma:
      return warpgroup_product(o);
    case mnemonic::wmma_load:
    case mnemonic::wmma_store:
      return fragment(o);
    default:
      return moved_matrix(o);
  }
}

}  // namespace rules

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
