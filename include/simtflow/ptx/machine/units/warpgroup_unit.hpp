// SPDX-License-Identifier: BSL-1.0
//
// Products of matrices by a warpgroup (wgmma.mma_async). A warpgroup is four warps; each warp has 16 of the 64 rows of
// A, C and D in its registers, as fragments of mma.
//
// A warp computes its rows when it issues the instruction. That is the result at any later time: until
// wgmma.wait_group returns, nobody may change the registers or the matrices in shared memory. wgmma.wait_group lets no
// warp pass before all four warps have come, because a product is done when all of its rows are
// (ptx/machine/units/barrier_unit.hpp).
//
// A GPU adds products of 8-bit numbers with fewer bits than a single has; matrix_product.hpp says what is done here.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, section "Asynchronous Warpgroup Level Matrix Multiply-Accumulate
// Instructions".
#pragma once

#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/fault.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/memory_spaces.hpp>
#include <simtflow/ptx/machine/units/thread_block.hpp>
#include <simtflow/ptx/machine/values/half.hpp>
#include <simtflow/ptx/machine/values/matrix_descriptor.hpp>
#include <simtflow/ptx/machine/values/matrix_fragment.hpp>
#include <simtflow/ptx/machine/values/matrix_product.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class warpgroup_unit {
 public:
  // \pre both outlive it.
  warpgroup_unit(thread_block& block, memory_spaces& memory) : block_(&block), memory_(&memory) {}

  // Computes the rows of one warp; false if it faults. \pre no lane of s has ended or is missing.
  bool run(const decoded_op& op, const lane_set& s) {
    const std::uint32_t warpgroup = s.first_thread / warpgroup_threads;
    if (std::string why = block_->lack_of_warpgroup(warpgroup); !why.empty()) return fail(op, s, 0, std::move(why));
    const matrix_form f = unpacked(op.second_offset);
    const bool registers = (op.code & a_in_registers) != 0;
    if ((!registers && !same_in_all(op, s, op.source[0])) || !same_in_all(op, s, op.source[1])) return false;
    const std::uint32_t adds = s.where(op.predicate[0]);
    if (adds != 0 && adds != all_lanes)
      return fail(op, s, static_cast<std::uint32_t>(std::countr_zero(~adds)), "its lanes differ in whether D is added");
    return f.d == matrix_element::s32 ? multiply_integers(op, f, s, adds != 0) : multiply_floats(op, f, s, adds != 0);
  }

 private:
  static std::uint32_t word(const lane_set& s, slot_ref r, std::uint32_t lane) {
    return static_cast<const std::uint32_t*>(s.source(r))[lane];
  }

  bool fail(const decoded_op& op, const lane_set& s, std::uint32_t lane, std::string why) {
    block_->complain(fault_kind::bad_exchange, op.instruction, s.first_thread + lane, 0, std::move(why));
    return false;
  }
  bool same_in_all(const decoded_op& op, const lane_set& s, slot_ref descriptor) {
    const std::uint64_t first = s.read(descriptor, 0);
    for (std::uint32_t lane = 1; lane < chunk_lanes; ++lane)
      if (const std::uint64_t mine = s.read(descriptor, lane); mine != first)
        return fail(op, s, lane,
                    "a descriptor is " + hexadecimal(mine) + ", but " + hexadecimal(first) + " in another lane");
    return true;
  }

  // Calls visit(reg, e, lane, row, column) for each element of a fragment.
  template <class Visit>
  static void for_each_cell(const matrix_form& f, matrix_role role, const Visit& visit) {
    const std::uint32_t each = elements_of_register(f, role);
    for (std::uint32_t reg = 0; reg < f.distinct_registers(role); ++reg)
      for (std::uint32_t e = 0; e < each; ++e) {
        const matrix_cell first = first_cell(f, role, reg, e);
        for (std::uint32_t lane = 0; lane < chunk_lanes; ++lane) {
          const matrix_cell off = lane_offset(f, role, lane);
          visit(reg, e, lane, first.row + off.row, first.column + off.column);
        }
      }
  }

  // Calls visit(i, k, word, e) for element e of a word of places [first, first + count) of a matrix in shared memory: i
  // counts from `first`, e is 0 for single bits, and k then counts words. False if an access faults.
  template <class Visit>
  bool for_each_described(const decoded_op& op, const lane_set& s, const matrix_descriptor& d, matrix_element type,
                          bool k_major, std::uint32_t first, std::uint32_t count, const Visit& visit) {
    const std::uint32_t bits = element_bits(type);
    const std::uint32_t each = bits == 1 ? 1 : 32 / bits;              // elements of a word
    const std::uint32_t in_chunk = each * (matrix_chunk_bytes / 4);    // elements of a chunk
    const std::uint32_t depth = 32 / matrix_chunk_bytes * in_chunk;    // of k: 32 bytes
    const std::uint32_t chunks = k_major ? 2 : count / in_chunk;       // in the major dimension
    const std::uint32_t first_chunk = k_major ? 0 : first / in_chunk;  // likewise
    const std::uint32_t places = k_major ? count : depth;              // in the other dimension
    for (std::uint32_t place = 0; place < places; ++place)
      for (std::uint32_t c = 0; c < chunks; ++c) {
        const std::uint32_t at = d.chunk(k_major, first_chunk + c, (k_major ? first : 0) + place);
        const unsigned char* const p = memory_->resolve(op, s, 0, at, matrix_chunk_bytes, false);
        if (p == nullptr) return false;
        std::uint32_t all[matrix_chunk_bytes / 4];
        std::memcpy(all, p, matrix_chunk_bytes);
        for (std::uint32_t e = 0; e < in_chunk; ++e) {
          const std::uint32_t number = c * in_chunk + e;
          visit(k_major ? place : number, k_major ? number : place, all[e / each], e % each);
        }
      }
    return true;
  }
  // The same for all of A in registers or in shared memory, as visit(row, k, word, e).
  template <class Visit>
  bool for_each_of_a(const decoded_op& op, const matrix_form& f, const lane_set& s, const Visit& visit) {
    if ((op.code & a_in_registers) == 0) {
      const std::uint32_t first = s.first_thread % warpgroup_threads / lanes_per_chunk * rows_of_warp;
      return for_each_described(op, s, matrix_descriptor(s.read(op.source[0], 0)), f.a, !f.a_by_column, first,
                                rows_of_warp, visit);
    }
    const slot_ref* const a = list(op) + op.count;
    const bool single_bits = f.a == matrix_element::b1;
    for_each_cell(f, matrix_role::a, [&](auto reg, auto e, auto lane, auto row, auto column) {
      if (!single_bits || e == 0) visit(row, single_bits ? column / 32 : column, word(s, a[reg], lane), e);
    });
    return true;
  }
  template <class Visit>
  bool for_each_of_b(const decoded_op& op, const matrix_form& f, const lane_set& s, const Visit& visit) {
    return for_each_described(op, s, matrix_descriptor(s.read(op.source[1], 0)), f.b, f.b_by_column, 0, f.n, visit);
  }

  bool multiply_floats(const decoded_op& op, const matrix_form& f, const lane_set& s, bool adds) {
    const bool negative = (op.code & negative_product) != 0;
    a_.resize(std::size_t{rows_of_warp} * f.k);
    b_.resize(std::size_t{f.k} * f.n);
    sums_.assign(std::size_t{rows_of_warp} * f.n, 0.0F);
    const bool there =
        for_each_of_a(op, f, s,
                      [&](auto row, auto k, auto w, auto e) {
                        const float v = matrix_single(f.a, w, e);
                        a_[row * f.k + k] = negative ? -v : v;
                      }) &&
        for_each_of_b(op, f, s, [&](auto n, auto k, auto w, auto e) { b_[k * f.n + n] = matrix_single(f.b, w, e); });
    if (!there) return false;
    const slot_ref* const d = list(op);
    const std::uint32_t elements = elements_of_register(f, matrix_role::d);
    if (adds)
      for_each_cell(f, matrix_role::d, [&](auto reg, auto e, auto lane, auto row, auto column) {
        sums_[row * f.n + column] = matrix_single(f.d, word(s, d[reg], lane), e);
      });
    multiply_singles({rows_of_warp, f.n, f.k}, a_.data(), b_.data(), sums_.data());
    for_each_cell(f, matrix_role::d, [&](auto reg, auto e, auto lane, auto row, auto column) {
      const float v = sums_[row * f.n + column];
      if (elements == 1) {
        s.write(d[reg], lane, v != v ? 0x7FFF'FFFFU : std::bit_cast<std::uint32_t>(v));
        return;
      }
      const std::uint32_t half = f16_format::narrow(v) << (16 * e);
      s.write(d[reg], lane, (s.read(d[reg], lane) & (0xFFFF'0000U >> (16 * e))) | half);
    });
    return true;
  }

  bool multiply_integers(const decoded_op& op, const matrix_form& f, const lane_set& s, bool adds) {
    const bool single_bits = f.a == matrix_element::b1;
    const matrix_sides sides{rows_of_warp, f.n, single_bits ? f.k / 32U : f.k};
    whole_a_.resize(std::size_t{sides.m} * sides.k);
    whole_b_.resize(std::size_t{sides.k} * sides.n);
    whole_sums_.resize(std::size_t{sides.m} * sides.n);
    const bool there =
        for_each_of_a(
            op, f, s,
            [&](auto row, auto k, auto w, auto e) { whole_a_[row * sides.k + k] = matrix_integer(f.a, w, e); }) &&
        for_each_of_b(op, f, s,
                      [&](auto n, auto k, auto w, auto e) { whole_b_[k * sides.n + n] = matrix_integer(f.b, w, e); });
    if (!there) return false;
    if (single_bits)
      multiply_bits(sides, whole_a_.data(), whole_b_.data(), whole_sums_.data(), f.conjunction);
    else
      detail::multiply_integers(sides, whole_a_.data(), whole_b_.data(), whole_sums_.data());
    const slot_ref* const d = list(op);
    for_each_cell(f, matrix_role::d, [&](auto reg, auto, auto lane, auto row, auto column) {
      const std::int32_t c = adds ? std::bit_cast<std::int32_t>(word(s, d[reg], lane)) : 0;
      s.write(d[reg], lane, integer_sum(c, whole_sums_[row * sides.n + column], op.sat));
    });
    return true;
  }

  [[nodiscard]] const slot_ref* list(const decoded_op& op) const { return block_->kernel->lists.data() + op.list; }

  thread_block* block_;
  memory_spaces* memory_;
  // The matrices of one product, rows one after the other.
  std::vector<float> a_, b_, sums_;
  std::vector<std::int32_t> whole_a_, whole_b_, whole_sums_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
