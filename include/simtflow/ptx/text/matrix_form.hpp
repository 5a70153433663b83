// SPDX-License-Identifier: BSL-1.0
//
// The shape, the elements and the layouts of an instruction on matrices (wmma, mma, wgmma, ldmatrix, stmatrix,
// movmatrix), and how many registers of a thread hold its part of a matrix: its fragment.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "Warp Level Matrix Multiply-Accumulate Instructions",
// "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions".
#pragma once

#include <simtflow/ptx/text/types.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// The types of the elements of matrices.
enum class matrix_element : std::uint8_t { none, f16, bf16, tf32, f32, f64, s8, u8, s4, u4, b1, s32, e4m3, e5m2, b16 };

/// The name of a type of elements, without the dot; empty for none.
[[nodiscard]] constexpr std::string_view to_string(matrix_element e) {
  constexpr std::string_view names[] = {"",   "f16", "bf16", "tf32", "f32",  "f64",  "s8", "u8",
                                        "s4", "u4",  "b1",   "s32",  "e4m3", "e5m2", "b16"};
  return names[static_cast<std::size_t>(e)];
}

/// The bits of an element in memory and in registers; 0 for none.
[[nodiscard]] constexpr std::uint32_t element_bits(matrix_element e) {
  constexpr std::uint8_t bits[] = {0, 16, 16, 32, 32, 64, 8, 8, 4, 4, 1, 32, 8, 8, 16};
  return bits[static_cast<std::size_t>(e)];
}

/// The matrices of D = A B + C.
enum class matrix_role : std::uint8_t { a, b, c, d };

/// The name of a matrix: "a".
[[nodiscard]] constexpr std::string_view to_string(matrix_role r) {
  constexpr std::string_view names[] = {"a", "b", "c", "d"};
  return names[static_cast<std::size_t>(r)];
}

/// The matrices of one instruction. A is m x k, B is k x n, C and D are m x n; ldmatrix, stmatrix and movmatrix move
/// `count` matrices of m x n.
struct matrix_form {
  std::uint16_t m = 0;                      ///< rows of A, C and D
  std::uint16_t n = 0;                      ///< columns of B, C and D
  std::uint16_t k = 0;                      ///< columns of A, rows of B
  matrix_element a = matrix_element::none;  ///< elements of A; of what is loaded, stored or moved
  matrix_element b = matrix_element::none;  ///< elements of B
  matrix_element c = matrix_element::none;  ///< elements of C
  matrix_element d = matrix_element::none;  ///< elements of D
  matrix_role loaded = matrix_role::d;      ///< the matrix of wmma.load and wmma.store
  std::uint8_t count = 0;                   ///< matrices of ldmatrix and stmatrix: 1, 2 or 4
  bool a_by_column = false;                 ///< A lies column by column; also the matrix of wmma.load, wmma.store
  bool b_by_column = false;                 ///< B lies column by column
  bool transposed = false;                  ///< .trans
  bool conjunction = false;                 ///< single bits are combined by "and", not by "xor"
  bool per_warp = false;                    ///< wmma: the fragments are our choice: tiles of fragments of mma
  bool per_warpgroup = false;               ///< wgmma: each of four warps has a quarter of the rows of A, C and D

  /// The elements of a matrix of a product. O(1).
  [[nodiscard]] constexpr matrix_element element(matrix_role r) const {
    return r == matrix_role::a ? a : r == matrix_role::b ? b : r == matrix_role::c ? c : d;
  }
  /// True for mma.m8n8k4 in half precision: four products at once, each by eight threads.
  [[nodiscard]] constexpr bool four_products() const {
    return !per_warp && m == 8 && n == 8 && k == 4 && a == matrix_element::f16;
  }
  /// The registers of a thread that hold different elements of a matrix: of 64 bits for f64, else of 32. O(1).
  [[nodiscard]] constexpr std::uint32_t distinct_registers(matrix_role r) const {
    const std::uint32_t rows = r == matrix_role::b ? k : per_warpgroup ? m / 4U : m;
    const std::uint32_t columns = r == matrix_role::a ? k : n;
    const std::uint32_t bits = element_bits(element(r));
    const std::uint32_t all = rows * columns * bits / (32 * (bits == 64 ? 64U : 32U));
    return four_products() ? (r == matrix_role::a || r == matrix_role::b ? 2 : bits / 4) : all;
  }
  /// The registers of a thread in the text: wmma has eight for A and B in half precision, which hold some elements
  /// twice or more often. O(1).
  [[nodiscard]] constexpr std::uint32_t registers(matrix_role r) const {
    const bool factor = r == matrix_role::a || r == matrix_role::b;
    return per_warp && factor && element(r) == matrix_element::f16 ? 8 : distinct_registers(r);
  }
  /// The type of these registers, as a signature has it. O(1).
  [[nodiscard]] constexpr scalar_type register_type(matrix_role r) const {
    switch (element(r)) {
      case matrix_element::f16:
        return scalar_type::f16x2;
      case matrix_element::bf16:
        return scalar_type::bf16x2;
      case matrix_element::f32:
        return scalar_type::f32;
      case matrix_element::f64:
        return scalar_type::f64;
      case matrix_element::s32:
        return scalar_type::s32;
      case matrix_element::tf32:
        return scalar_type::tf32;
      default:
        return scalar_type::b32;
    }
  }
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
