// SPDX-License-Identifier: BSL-1.0
//
// The memory that matrix loads and stores access, lane by lane.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "wmma.load", "wmma.store", "ldmatrix", "stmatrix".
#pragma once

#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/units/lane_addresses.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/values/matrix_fragment.hpp>
#include <simtflow/ptx/text/matrix_form.hpp>

#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// The bytes of a row of ldmatrix and stmatrix.
inline constexpr std::uint32_t matrix_row_bytes = 16;

/// Calls see(lane, address) for each row that ldmatrix and stmatrix access, until it returns false.
/// \returns true if all calls did not.
template <class See>
bool for_each_row_access(const decoded_op& op, const matrix_form& f, const lane_set& s, const See& see) {
  std::uint64_t at[chunk_lanes];
  addresses_of(op, s, at);
  for (std::uint32_t lane = 0; lane < 8U * f.count; ++lane)
    if (!see(lane, at[lane])) return false;
  return true;
}

/// Calls see(reg, e, lane, address, bytes) for each access of wmma.load and wmma.store, until it returns false: `bytes`
/// bytes from element e of a register on, at most 8. Lanes of one (reg, e) follow one another.
/// \returns true if all calls did not.
template <class See>
bool for_each_cell_access(const decoded_op& op, const matrix_form& f, const lane_set& s, const See& see) {
  std::uint64_t at[chunk_lanes];
  addresses_of(op, s, at);
  const matrix_role role = f.loaded;
  const std::uint32_t bits = element_bits(f.element(role));
  const std::uint32_t each = elements_of_register(f, role);
  const bool joined = each == 1 || f.a_by_column == (role == matrix_role::b);  // neighbours in memory
  const std::uint32_t step = joined ? each : 1;
  for (std::uint32_t reg = 0; reg < f.distinct_registers(role); ++reg)
    for (std::uint32_t e = 0; e < each; e += step) {
      const matrix_cell first = first_cell(f, role, reg, e);
      for (std::uint32_t lane = 0; lane < chunk_lanes; ++lane) {
        const matrix_cell off = lane_offset(f, role, lane);
        const std::uint64_t row = first.row + off.row;
        const std::uint64_t column = first.column + off.column;
        const std::uint64_t stride = s.read(op.source[1], lane) & 0xFFFF'FFFFU;
        const std::uint64_t number = f.a_by_column ? column * stride + row : row * stride + column;
        if (!see(reg, e, lane, at[lane] + number * bits / 8, step * bits / 8)) return false;
      }
    }
  return true;
}

/// Calls see(part, lane, address, bytes) for each access of any operation on matrices in memory. Lanes of one part
/// follow one another; they access as many bytes each.
template <class See>
void for_each_matrix_access(const decoded_op& op, const lane_set& s, const See& see) {
  const matrix_form f = unpacked(op.second_offset);
  if (f.count != 0)
    for_each_row_access(op, f, s, [&](std::uint32_t lane, std::uint64_t address) {
      see(0U, lane, address, matrix_row_bytes);
      return true;
    });
  else
    for_each_cell_access(
        op, f, s,
        [&](std::uint32_t reg, std::uint32_t e, std::uint32_t lane, std::uint64_t address, std::uint32_t bytes) {
          see(32 * reg + e, lane, address, bytes);
          return true;
        });
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
