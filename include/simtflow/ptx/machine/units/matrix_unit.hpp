// SPDX-License-Identifier: BSL-1.0
//
// Matrix instructions, for all 32 lanes of a warp at once: products, and matrices that are loaded, stored and
// transposed. exchange_unit.hpp brings the lanes together.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, section "Warp Level Matrix Multiply-Accumulate Instructions".
#pragma once

#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/units/lane_addresses.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/matrix_accesses.hpp>
#include <simtflow/ptx/machine/units/memory_spaces.hpp>
#include <simtflow/ptx/machine/values/half.hpp>
#include <simtflow/ptx/machine/values/matrix_fragment.hpp>
#include <simtflow/ptx/machine/values/matrix_product.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class matrix_unit {
 public:
  // \pre the memory outlives it.
  matrix_unit(const decoded_kernel& k, memory_spaces& memory) : kernel_(&k), memory_(&memory) {}

  // Runs an operation for all lanes; false if it faults. \pre no lane of s has ended or is missing.
  bool run(const decoded_op& op, const lane_set& s) {
    const matrix_form f = unpacked(op.second_offset);
    const slot_ref* const list = kernel_->lists.data() + op.list;
    switch (op.kind) {
      case op_kind::matrix_product:
        multiply(op, f, s, list);
        return true;
      case op_kind::matrix_load:
        return f.count != 0 ? load_rows(op, f, s, list) : load_fragment(op, f, s, list);
      case op_kind::matrix_store:
        return f.count != 0 ? store_rows(op, f, s, list) : store_fragment(op, f, s, list);
      default:
        transpose(s, list);
        return true;
    }
  }

 private:
  static constexpr std::uint32_t most_registers = 8;  // of a fragment

  static std::uint32_t word(const lane_set& s, slot_ref r, std::uint32_t lane) {
    return static_cast<const std::uint32_t*>(s.source(r))[lane];
  }
  static void set(const lane_set& s, slot_ref r, std::uint32_t lane, std::uint64_t value) {
    if (r != no_slot) s.write(r, lane, value);
  }

  // --- products -----------------------------------------------------------------------------------------------------

  // Calls visit(reg, e, lane, row, column) for each element of a fragment that differs from those before.
  template <class Visit>
  static void for_each_cell(const matrix_form& f, matrix_role role, const Visit& visit) {
    matrix_cell off[chunk_lanes];
    for (std::uint32_t lane = 0; lane < chunk_lanes; ++lane) off[lane] = lane_offset(f, role, lane);
    const std::uint32_t each = elements_of_register(f, role);
    for (std::uint32_t reg = 0; reg < f.distinct_registers(role); ++reg)
      for (std::uint32_t e = 0; e < each; ++e) {
        const matrix_cell first = first_cell(f, role, reg, e);
        for (std::uint32_t lane = 0; lane < chunk_lanes; ++lane)
          visit(reg, e, lane, first.row + off[lane].row, first.column + off[lane].column);
      }
  }

  static void multiply(const decoded_op& op, const matrix_form& f, const lane_set& s, const slot_ref* list) {
    const slot_ref* const d = list;
    const slot_ref* const a = d + f.registers(matrix_role::d);
    const slot_ref* const b = a + f.registers(matrix_role::a);
    const slot_ref* const c = b + f.registers(matrix_role::b);
    if (f.four_products()) {
      for (std::uint32_t n = 0; n < 4; ++n) multiply_one_of_four(f, s, n, d, a, b, c);
    } else if (f.a == matrix_element::f64) {
      multiply_doubles(f, s, d, a, b, c, static_cast<rounding>(op.code));
    } else if (f.d == matrix_element::s32) {
      multiply_integers(f, s, d, a, b, c, op.sat);
    } else {
      float x[32 * 16], y[32 * 16], sum[256];
      for_each_cell(f, matrix_role::a, [&](auto reg, auto e, auto lane, auto row, auto column) {
        x[row * f.k + column] = matrix_single(f.a, word(s, a[reg], lane), e);
      });
      for_each_cell(f, matrix_role::b, [&](auto reg, auto e, auto lane, auto row, auto column) {
        y[row * f.n + column] = matrix_single(f.b, word(s, b[reg], lane), e);
      });
      for_each_cell(f, matrix_role::c, [&](auto reg, auto e, auto lane, auto row, auto column) {
        sum[row * f.n + column] = matrix_single(f.c, word(s, c[reg], lane), e);
      });
      multiply_singles({f.m, f.n, f.k}, x, y, sum);
      for_each_cell(f, matrix_role::d, [&](auto reg, auto e, auto lane, auto row, auto column) {
        give(f, s, d[reg], lane, e, sum[row * f.n + column]);
      });
    }
  }

  // A result in single or half precision.
  static void give(const matrix_form& f, const lane_set& s, slot_ref r, std::uint32_t lane, std::uint32_t e, float v) {
    if (r == no_slot) return;
    if (f.d == matrix_element::f32) {
      s.write(r, lane, v != v ? 0x7FFF'FFFFU : std::bit_cast<std::uint32_t>(v));
      return;
    }
    const std::uint32_t half = f16_format::narrow(v) << (16 * e);
    s.write(r, lane, (s.read(r, lane) & (0xFFFF'0000U >> (16 * e))) | half);
  }

  // Lanes 4 n .. 4 n + 3 and 16 + 4 n .. 16 + 4 n + 3 multiply matrices of their own.
  static void multiply_one_of_four(const matrix_form& f, const lane_set& s, std::uint32_t n, const slot_ref* d,
                                   const slot_ref* a, const slot_ref* b, const slot_ref* c) {
    float x[32], y[32], sum[64];
    const auto each_cell = [&](matrix_role role, const auto& visit) {
      for (std::uint32_t reg = 0; reg < f.registers(role); ++reg)
        for (std::uint32_t e = 0; e < elements_of_register(f, role); ++e)
          for (std::uint32_t i = 0; i < 8; ++i) {
            const std::uint32_t lane = 4 * n + (i & 3U) + (i < 4 ? 0 : 16);
            visit(reg, e, lane, cell_of_four(f, role, lane, reg, e));
          }
    };
    each_cell(matrix_role::a, [&](auto reg, auto e, auto lane, const matrix_cell& at) {
      x[at.row * 4 + at.column] = matrix_single(f.a, word(s, a[reg], lane), e);
    });
    each_cell(matrix_role::b, [&](auto reg, auto e, auto lane, const matrix_cell& at) {
      y[at.row * 8 + at.column] = matrix_single(f.b, word(s, b[reg], lane), e);
    });
    each_cell(matrix_role::c, [&](auto reg, auto e, auto lane, const matrix_cell& at) {
      sum[at.row * 8 + at.column] = matrix_single(f.c, word(s, c[reg], lane), e);
    });
    multiply_singles({8, 8, 4}, x, y, sum);
    each_cell(matrix_role::d, [&](auto reg, auto e, auto lane, const matrix_cell& at) {
      give(f, s, d[reg], lane, e, sum[at.row * 8 + at.column]);
    });
  }

  static void multiply_doubles(const matrix_form& f, const lane_set& s, const slot_ref* d, const slot_ref* a,
                               const slot_ref* b, const slot_ref* c, rounding how) {
    double x[256], y[128], sum[128];
    const auto number = [&](slot_ref r, std::uint32_t lane) { return std::bit_cast<double>(s.read(r, lane)); };
    for_each_cell(f, matrix_role::a, [&](auto reg, auto, auto lane, auto row, auto column) {
      x[row * f.k + column] = number(a[reg], lane);
    });
    for_each_cell(f, matrix_role::b, [&](auto reg, auto, auto lane, auto row, auto column) {
      y[row * f.n + column] = number(b[reg], lane);
    });
    for_each_cell(f, matrix_role::c, [&](auto reg, auto, auto lane, auto row, auto column) {
      sum[row * f.n + column] = number(c[reg], lane);
    });
    detail::multiply_doubles({f.m, f.n, f.k}, x, y, sum, how);
    for_each_cell(f, matrix_role::d, [&](auto reg, auto, auto lane, auto row, auto column) {
      set(s, d[reg], lane, std::bit_cast<std::uint64_t>(sum[row * f.n + column]));
    });
  }

  static void multiply_integers(const matrix_form& f, const lane_set& s, const slot_ref* d, const slot_ref* a,
                                const slot_ref* b, const slot_ref* c, bool clamps) {
    std::int32_t x[16 * 64], y[64 * 32], sum[256];
    const bool single_bits = f.a == matrix_element::b1;
    const matrix_sides sides{f.m, f.n, single_bits ? f.k / 32U : f.k};
    for_each_cell(f, matrix_role::a, [&](auto reg, auto e, auto lane, auto row, auto column) {
      if (single_bits && e != 0) return;
      x[row * sides.k + (single_bits ? column / 32 : column)] = matrix_integer(f.a, word(s, a[reg], lane), e);
    });
    for_each_cell(f, matrix_role::b, [&](auto reg, auto e, auto lane, auto row, auto column) {
      if (single_bits && e != 0) return;
      y[(single_bits ? row / 32 : row) * f.n + column] = matrix_integer(f.b, word(s, b[reg], lane), e);
    });
    if (single_bits)
      multiply_bits(sides, x, y, sum, f.conjunction);
    else
      detail::multiply_integers(sides, x, y, sum);
    std::uint32_t results[most_registers][chunk_lanes];  // D may be C: it is read before it is written
    for_each_cell(f, matrix_role::c, [&](auto reg, auto, auto lane, auto row, auto column) {
      results[reg][lane] =
          integer_sum(std::bit_cast<std::int32_t>(word(s, c[reg], lane)), sum[row * f.n + column], clamps);
    });
    for (std::uint32_t reg = 0; reg < f.registers(matrix_role::d); ++reg)
      for (std::uint32_t lane = 0; lane < chunk_lanes; ++lane) set(s, d[reg], lane, results[reg][lane]);
  }

  // --- memory -------------------------------------------------------------------------------------------------------

  // wmma.load. Results are written when all is read: an address may be one of them.
  bool load_fragment(const decoded_op& op, const matrix_form& f, const lane_set& s, const slot_ref* list) {
    std::uint64_t loaded[most_registers][chunk_lanes] = {};
    const std::uint32_t bits = element_bits(f.element(f.loaded));
    const bool all = for_each_cell_access(
        op, f, s,
        [&](std::uint32_t reg, std::uint32_t e, std::uint32_t lane, std::uint64_t address, std::uint32_t bytes) {
          const unsigned char* p = memory_->resolve(op, s, lane, address, bytes, false);
          if (p != nullptr) loaded[reg][lane] |= load_bytes(p, bytes, false) << (e * bits);
          return p != nullptr;
        });
    if (!all) return false;
    const std::uint32_t distinct = f.distinct_registers(f.loaded);
    for (std::uint32_t reg = 0; reg < f.registers(f.loaded); ++reg)
      for (std::uint32_t lane = 0; lane < chunk_lanes; ++lane) set(s, list[reg], lane, loaded[reg % distinct][lane]);
    return true;
  }

  // wmma.store
  bool store_fragment(const decoded_op& op, const matrix_form& f, const lane_set& s, const slot_ref* list) {
    const std::uint32_t bits = element_bits(f.element(f.loaded));
    return for_each_cell_access(
        op, f, s,
        [&](std::uint32_t reg, std::uint32_t e, std::uint32_t lane, std::uint64_t address, std::uint32_t bytes) {
          unsigned char* p = memory_->resolve(op, s, lane, address, bytes, true);
          if (p == nullptr) return false;
          const std::uint64_t value = s.read(list[reg], lane) >> (e * bits);
          std::memcpy(p, &value, bytes);
          return true;
        });
  }

  // ldmatrix: lanes 8 j .. 8 j + 7 have the addresses of the rows of matrix j.
  bool load_rows(const decoded_op& op, const matrix_form& f, const lane_set& s, const slot_ref* list) {
    std::uint16_t rows[4][8][8];
    const bool all = for_each_row_access(op, f, s, [&](std::uint32_t lane, std::uint64_t address) {
      const unsigned char* p = memory_->resolve(op, s, lane, address, matrix_row_bytes, false);
      if (p != nullptr) std::memcpy(rows[lane / 8][lane % 8], p, matrix_row_bytes);
      return p != nullptr;
    });
    if (!all) return false;
    for (std::uint32_t j = 0; j < f.count; ++j)
      for (std::uint32_t lane = 0; lane < chunk_lanes; ++lane) {
        const std::uint32_t i = lane / 4;
        const std::uint32_t k = 2 * (lane % 4);
        const std::uint32_t low = f.transposed ? rows[j][k][i] : rows[j][i][k];
        const std::uint32_t high = f.transposed ? rows[j][k + 1][i] : rows[j][i][k + 1];
        set(s, list[j], lane, low | high << 16);
      }
    return true;
  }

  // stmatrix
  bool store_rows(const decoded_op& op, const matrix_form& f, const lane_set& s, const slot_ref* list) {
    std::uint16_t rows[4][8][8];
    for (std::uint32_t j = 0; j < f.count; ++j)
      for (std::uint32_t lane = 0; lane < chunk_lanes; ++lane) {
        const std::uint32_t i = lane / 4;
        const std::uint32_t k = 2 * (lane % 4);
        const std::uint32_t two = word(s, list[j], lane);
        (f.transposed ? rows[j][k][i] : rows[j][i][k]) = static_cast<std::uint16_t>(two);
        (f.transposed ? rows[j][k + 1][i] : rows[j][i][k + 1]) = static_cast<std::uint16_t>(two >> 16);
      }
    return for_each_row_access(op, f, s, [&](std::uint32_t lane, std::uint64_t address) {
      unsigned char* p = memory_->resolve(op, s, lane, address, matrix_row_bytes, true);
      if (p != nullptr) std::memcpy(p, rows[lane / 8][lane % 8], matrix_row_bytes);
      return p != nullptr;
    });
  }

  // movmatrix
  static void transpose(const lane_set& s, const slot_ref* list) {
    std::uint16_t rows[8][8];
    for (std::uint32_t lane = 0; lane < chunk_lanes; ++lane) {
      const std::uint32_t two = word(s, list[1], lane);
      rows[lane / 4][2 * (lane % 4)] = static_cast<std::uint16_t>(two);
      rows[lane / 4][2 * (lane % 4) + 1] = static_cast<std::uint16_t>(two >> 16);
    }
    for (std::uint32_t lane = 0; lane < chunk_lanes; ++lane)
      set(s, list[0], lane,
          rows[2 * (lane % 4)][lane / 4] | static_cast<std::uint32_t>(rows[2 * (lane % 4) + 1][lane / 4]) << 16);
  }

  const decoded_kernel* kernel_;
  memory_spaces* memory_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
