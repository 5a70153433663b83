// SPDX-License-Identifier: BSL-1.0
//
// Operations on registers alone: arithmetic, copies, comparisons, selections, carry chains, packing. The code for 32
// lanes comes with the operation (ptx/machine/values/lanes.hpp); here it gets its operands, and its result goes to the
// lanes that run.
#pragma once

#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/values/comparisons.hpp>
#include <simtflow/ptx/machine/values/float_selection.hpp>
#include <simtflow/ptx/machine/values/lanes.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class arithmetic_unit {
 public:
  /// Runs an operation that is plain: most are. Inline, because a call would cost as much as the choice of the code.
  [[gnu::always_inline]] inline void run_plain(const decoded_op& op, const lane_set& s, bool full) {
    const void* a = s.source(op.source[0]);
    if (op.kind == op_kind::copy) {
      if (!op.in_place) s.deliver(op.result, a, s.mask, full);
      return;
    }
    const void* b = s.source(op.source[1]);
    if (op.kind == op_kind::compare) {
      s.write_predicate(op.result, op.compare(a, b), s.mask);
      return;
    }
    const void* c = s.source(op.source[2]);
    const void* d = s.source(op.source[3]);
    void* to = s.destination(op.result);
    if (full && !op.in_place) {
      op.light(to, a, b, c, d);
    } else if (is_wide(op.result)) {
      op.light(result64_, a, b, c, d);
      s.deliver(op.result, result64_, s.mask, full);
    } else {
      op.light(result32_, a, b, c, d);
      if (full)
        std::memcpy(to, result32_, sizeof result32_);
      else
        merge32(static_cast<std::uint32_t*>(to), result32_, s.mask);
    }
  }

  /// Runs an operation of light code for the lanes of a mask; here and below that is s.mask less those that the guard
  /// switches off.
  void run_light(const decoded_op& op, const lane_set& s, std::uint32_t mask, bool full) {
    const bool plain = op.flush == 0 && !op.sat;
    if (full && plain && !op.in_place) {
      op.light(s.destination(op.result), s.source(op.source[0]), s.source(op.source[1]), s.source(op.source[2]),
               s.source(op.source[3]));
      return;
    }
    const void* in[4] = {s.source(op.source[0]), s.source(op.source[1]), s.source(op.source[2]),
                         s.source(op.source[3])};
    if (!plain) flush_operands(op, in);
    void* r = result_of(op);
    op.light(r, in[0], in[1], in[2], in[3]);
    finish(op, s, r, mask, full);
  }

  void copy(const decoded_op& op, const lane_set& s, std::uint32_t mask, bool full) {
    const void* from = s.source(op.source[0]);
    if (op.flush == 0 && !op.sat) {
      if (!op.in_place) s.deliver(op.result, from, mask, full);
      return;
    }
    void* r = result_of(op);
    std::memcpy(r, from, chunk_lanes * (is_wide(op.result) ? 8 : 4));
    if ((op.flush & 1U) != 0) flush_lanes(result32_);
    finish(op, s, r, mask, full);
  }

  /// Lane by lane.
  void run_each(const decoded_op& op, const lane_set& s, std::uint32_t mask) {
    const void* in[4] = {s.source(op.source[0]), s.source(op.source[1]), s.source(op.source[2]),
                         s.source(op.source[3])};
    if (op.flush == 0 && !op.sat) {
      op.each(s.destination(op.result), in[0], in[1], in[2], in[3], mask);
      return;
    }
    flush_operands(op, in);
    void* r = result_of(op);
    op.each(r, in[0], in[1], in[2], in[3], mask);
    finish(op, s, r, mask, false);
  }

  void compare(const decoded_op& op, const lane_set& s, std::uint32_t mask) {
    const void* in[4] = {s.source(op.source[0]), s.source(op.source[1]), nullptr, nullptr};
    if (op.flush != 0) flush_operands(op, in);
    const std::uint32_t holds = op.compare(in[0], in[1]);
    const std::uint32_t with = s.where(op.predicate[0]);
    if (op.result != no_slot) s.write_predicate(op.result, combine(op.combine, holds, with), mask);
    if (op.second != no_index) s.write_predicate(op.second, combine(op.combine, ~holds, with), mask);
  }

  void select(const decoded_op& op, const lane_set& s, std::uint32_t mask, bool full) {
    const std::uint32_t first = s.where(op.predicate[0]);
    const bool direct = full && !op.in_place;
    if (is_wide(op.result)) {
      const auto* a = static_cast<const std::uint64_t*>(s.source(op.source[0]));
      const auto* b = static_cast<const std::uint64_t*>(s.source(op.source[1]));
      auto* r = static_cast<std::uint64_t*>(s.destination(op.result));
      for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(rest));
        r[i] = ((first >> i) & 1U) != 0 ? a[i] : b[i];
      }
      return;
    }
    select32(direct ? static_cast<std::uint32_t*>(s.destination(op.result)) : result32_,
             static_cast<const std::uint32_t*>(s.source(op.source[0])),
             static_cast<const std::uint32_t*>(s.source(op.source[1])), first);
    if (!direct) s.deliver(op.result, result32_, mask, full);
  }

  /// Predicates alone.
  static void combine_predicates(const decoded_op& op, const lane_set& s, std::uint32_t mask) {
    s.write_predicate(op.result, combine(op.combine, s.where(op.predicate[0]), s.where(op.predicate[1])), mask);
  }

  void carry(const decoded_op& op, const lane_set& s, std::uint32_t mask, bool full) {
    void* r = result_of(op);
    const std::uint32_t carries =
        op.carry(r, s.source(op.source[0]), s.source(op.source[1]), s.source(op.source[2]), s.where(op.predicate[0]));
    s.deliver(op.result, r, mask, full);
    if (op.second != no_index) s.write_predicate(op.second, carries, mask);
  }

  /// A register from its parts, or the other way round.
  static void move_parts(const decoded_op& op, const slot_ref* parts, const lane_set& s, std::uint32_t mask) {
    const std::uint32_t bits = 8U * op.size;
    const std::uint64_t part_mask = (std::uint64_t{1} << bits) - 1;  // a part has at most 32 bits
    for (; mask != 0; mask &= mask - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(mask));
      if (op.kind == op_kind::pack) {
        std::uint64_t whole = 0;
        for (std::uint32_t n = 0; n < op.count; ++n) whole |= (s.read(parts[n], lane) & part_mask) << (bits * n);
        s.write(op.result, lane, whole);
      } else {
        const std::uint64_t whole = s.read(op.source[0], lane);
        for (std::uint32_t n = 0; n < op.count; ++n)
          if (parts[n] != no_slot) s.write(parts[n], lane, (whole >> (bits * n)) & part_mask);
      }
    }
  }

 private:
  static void select32(std::uint32_t* __restrict r, const std::uint32_t* __restrict a,
                       const std::uint32_t* __restrict b, std::uint32_t first) {
    for (std::size_t i = 0; i < chunk_lanes; ++i) {
      const std::uint32_t yes = a[i];
      const std::uint32_t no = b[i];
      r[i] = (first & bit_of_lane.at[i]) != 0 ? yes : no;
    }
  }

  void* result_of(const decoded_op& op) { return is_wide(op.result) ? static_cast<void*>(result64_) : result32_; }

  static void flush_lanes(std::uint32_t* v) {
    for (std::size_t i = 0; i < chunk_lanes; ++i) v[i] = flush(v[i]);
  }
  template <class T>
  static void saturate_lanes(slot<T>* v) {
    for (std::size_t i = 0; i < chunk_lanes; ++i) v[i] = to_slot<T>(saturate(from_slot<T>(v[i])));
  }
  // Operands without subnormals, in buffers of our own.
  void flush_operands(const decoded_op& op, const void* (&in)[4]) {
    for (std::size_t n = 0; n < 3; ++n) {
      if (((op.flush >> n) & 1U) == 0) continue;
      std::memcpy(flushed_[n], in[n], sizeof flushed_[n]);
      flush_lanes(flushed_[n]);
      in[n] = flushed_[n];
    }
  }
  void finish(const decoded_op& op, const lane_set& s, void* r, std::uint32_t mask, bool full) {
    if ((op.flush & 0x80U) != 0) flush_lanes(result32_);
    if (op.sat) {
      if (is_wide(op.result))
        saturate_lanes<double>(result64_);
      else
        saturate_lanes<float>(result32_);
    }
    s.deliver(op.result, r, mask, full);
  }
  static std::uint32_t combine(boolean_op how, std::uint32_t a, std::uint32_t b) {
    switch (how) {
      case boolean_op::and_:
        return a & b;
      case boolean_op::or_:
        return a | b;
      case boolean_op::xor_:
        return a ^ b;
      default:
        return a;
    }
  }

  alignas(64) std::uint32_t result32_[chunk_lanes] = {};
  alignas(64) std::uint64_t result64_[chunk_lanes] = {};
  alignas(64) std::uint32_t flushed_[3][chunk_lanes] = {};
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
