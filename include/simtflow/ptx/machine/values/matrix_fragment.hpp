// SPDX-License-Identifier: BSL-1.0
//
// Fragments: which element of a matrix lies where in the registers of the lanes of a warp. A register of 32 bits holds
// 32 / bits elements, the first one in the lowest bits; a register of 64 bits holds one.
//
//   lane   4 g + t: groups g of four neighbours
//   mma    a register of A has elements of row g, or g + 8, from column t * elements on; a register of B has the same
//          with rows and columns exchanged; C and D have two neighbours of a row in a lane
//   wmma   the manual leaves the places open. Here larger matrices are tiles of 16 or 8 rows and 8 columns, each as in
//          mma, in their order; the eight registers of a factor in half precision repeat the distinct registers
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "Matrix Fragments for mma.m16n8k16" and its neighbours.
#pragma once

#include <simtflow/ptx/text/matrix_form.hpp>

#include <bit>
#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// A place in a matrix.
struct matrix_cell {
  std::uint32_t row = 0;
  std::uint32_t column = 0;
};

/// The elements in a register of a fragment.
constexpr std::uint32_t elements_of_register(const matrix_form& f, matrix_role r) {
  const std::uint32_t bits = element_bits(f.element(r));
  return bits >= 32 ? 1 : 32 / bits;
}

/// The place of element e of a register in lane 0. \pre not f.four_products().
constexpr matrix_cell first_cell(const matrix_form& f, matrix_role role, std::uint32_t reg, std::uint32_t e) {
  const std::uint32_t each = elements_of_register(f, role);
  const std::uint32_t distinct = f.distinct_registers(role);
  reg %= distinct;
  if (role == matrix_role::a) {
    const bool tall = f.m >= 16;
    const std::uint32_t in_tile = tall ? distinct / (f.m / 16U) : distinct;
    const std::uint32_t r = reg % in_tile;
    if (!tall) return {0, e + 4 * each * r};
    return {16 * (reg / in_tile) + 8 * (r & 1U), e + 4 * each * (r >> 1)};
  }
  if (role == matrix_role::b) {
    const std::uint32_t in_tile = distinct / (f.n / 8U);
    return {e + 4 * each * (reg % in_tile), 8 * (reg / in_tile)};
  }
  const std::uint32_t in_tile = f.m >= 16 ? 4 : 2;
  const std::uint32_t number = reg * each + e;
  const std::uint32_t tile = number / in_tile;
  const std::uint32_t i = number % in_tile;
  const bool down = f.m > 16;  // m32n8k16: tiles one below the other
  return {8 * (i >> 1) + (down ? 16 * tile : 0), (i & 1U) + (down ? 0 : 8 * tile)};
}

/// The rows of A, C and D that a warp has in a product of a warpgroup: the rows of a fragment of mma.
inline constexpr std::uint16_t rows_of_warp = 16;

/// Facts about a product of a warpgroup, as bits of decoded_op::code: A is in registers, not described; D = C - A B.
inline constexpr std::uint8_t a_in_registers = 1, negative_product = 2;

/// How far the place of a lane is from the place of lane 0.
constexpr matrix_cell lane_offset(const matrix_form& f, matrix_role role, std::uint32_t lane) {
  const std::uint32_t group = lane >> 2;
  const std::uint32_t in_group = lane & 3U;
  if (role == matrix_role::a) return {group, in_group * elements_of_register(f, role)};
  if (role == matrix_role::b) return {in_group * elements_of_register(f, role), group};
  return {group, 2 * in_group};
}

/// The place of element e of a register of a lane in its product of 8 x 8 x 4. \pre f.four_products().
constexpr matrix_cell cell_of_four(const matrix_form& f, matrix_role role, std::uint32_t lane, std::uint32_t reg,
                                   std::uint32_t e) {
  const std::uint32_t half = lane < 16 ? 0 : 4;
  const std::uint32_t in_group = lane & 3U;
  const std::uint32_t i = reg * elements_of_register(f, role) + e;
  switch (role) {
    case matrix_role::a:
      return f.a_by_column ? matrix_cell{i + half, in_group} : matrix_cell{in_group + half, i};
    case matrix_role::b:
      return f.b_by_column ? matrix_cell{i, in_group + half} : matrix_cell{in_group, i + half};
    default:
      if (f.element(role) == matrix_element::f16) return {in_group + half, i};
      return {(lane & 1U) + (i & 2U) + half, (i & 4U) + (lane & 2U) + (i & 1U)};
  }
}
/// The one of the four products that a lane takes part in.
constexpr std::uint32_t product_of_lane(std::uint32_t lane) { return (lane >> 2) & 3U; }

/// A form in 64 bits, for decoded_op. \pre its sides are at most 256; m and k are powers of two, or 0.
constexpr std::uint64_t packed(const matrix_form& f) {
  std::uint64_t v = 0;
  const auto add = [&](std::uint32_t value, std::uint32_t bits) { v = v << bits | value; };
  for (const std::uint16_t side : {f.m, f.k}) add(static_cast<std::uint32_t>(std::bit_width(side)), 4);
  add(f.n, 9);
  for (const matrix_element e : {f.a, f.b, f.c, f.d}) add(static_cast<std::uint32_t>(e), 4);
  add(static_cast<std::uint32_t>(f.loaded), 2);
  add(f.count, 3);
  for (const bool b : {f.a_by_column, f.b_by_column, f.transposed, f.conjunction, f.per_warp}) add(b ? 1 : 0, 1);
  return v;
}
/// And back.
constexpr matrix_form unpacked(std::uint64_t v) {
  matrix_form f;
  const auto take = [&](std::uint32_t bits) {
    const auto value = static_cast<std::uint32_t>(v & ((std::uint64_t{1} << bits) - 1));
    v >>= bits;
    return value;
  };
  const auto side = [&] {
    const std::uint32_t width = take(4);
    return static_cast<std::uint16_t>(width == 0 ? 0 : 1U << (width - 1));
  };
  f.per_warp = take(1) != 0;
  f.conjunction = take(1) != 0;
  f.transposed = take(1) != 0;
  f.b_by_column = take(1) != 0;
  f.a_by_column = take(1) != 0;
  f.count = static_cast<std::uint8_t>(take(3));
  f.loaded = static_cast<matrix_role>(take(2));
  f.d = static_cast<matrix_element>(take(4));
  f.c = static_cast<matrix_element>(take(4));
  f.b = static_cast<matrix_element>(take(4));
  f.a = static_cast<matrix_element>(take(4));
  f.n = static_cast<std::uint16_t>(take(9));
  f.k = side();
  f.m = side();
  return f;
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
