// SPDX-License-Identifier: BSL-1.0
//
// Loads and stores of 32 lanes. If one window holds what all lanes access, they are checked and moved together, else
// each for itself, from low to high.
#pragma once

#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/units/lane_addresses.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/memory_spaces.hpp>
#include <simtflow/ptx/machine/units/register_file.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class load_store {
 public:
  // ld and st of any vector width.
  template <bool Write>
  bool access(memory_spaces& m, const decoded_kernel& k, const decoded_op& op, const lane_set& s, std::uint32_t mask,
              bool full) {
    const std::uint32_t bytes = std::uint32_t{op.size} * op.count;
    if (!Write && is_constant(op.source[0]) && op.space != state_space::local && op.space != state_space::generic)
      return uniform_load(m, k, op, s, mask, full, bytes);
    const auto first = static_cast<std::size_t>(std::countr_zero(mask));
    const bool wide = is_wide(op.source[0]);
    const void* base = s.source(op.source[0]);
    const std::uint64_t first_address =
        wide ? static_cast<const std::uint64_t*>(base)[first] + op.offset
             : static_cast<const std::uint32_t*>(base)[first] + static_cast<std::uint32_t>(op.offset);
    const memory_spaces::window w = m.likely_window(op, s, first_address, Write);
    if (w.size < bytes || w.size > max_window || (mask & (mask - 1)) == 0)
      return one_by_one<Write>(m, k, op, s, mask, bytes);
    alignas(64) std::uint32_t at[chunk_lanes];
    // Bases of windows are multiples of every access size, so offsets are aligned as addresses are.
    const bool inside =
        wide ? offsets_in<std::uint64_t>(static_cast<const std::uint64_t*>(base), op.offset - w.base, w, bytes, mask,
                                         first, at)
             : offsets_in<std::uint32_t>(static_cast<const std::uint32_t*>(base),
                                         static_cast<std::uint32_t>(op.offset - w.base), w, bytes, mask, first, at);
    if (!inside) return one_by_one<Write>(m, k, op, s, mask, bytes);
    if (w.stride != 0)
      for (std::uint32_t i = 0; i < lanes_per_chunk; ++i) at[i] += static_cast<std::uint32_t>(w.stride) * i;
    const slot_ref* data = k.lists.data() + op.list;
    for (std::uint32_t n = 0; n < op.count; ++n) {
      if (data[n] == no_slot) continue;
      unsigned char* p = w.data + std::size_t{n} * op.size;
      switch (op.size) {
        case 1:
          move_lanes<Write, std::uint8_t>(op, s, p, at, data[n], mask, full);
          break;
        case 2:
          move_lanes<Write, std::uint16_t>(op, s, p, at, data[n], mask, full);
          break;
        case 4:
          move_lanes<Write, std::uint32_t>(op, s, p, at, data[n], mask, full);
          break;
        default:
          move_lanes<Write, std::uint64_t>(op, s, p, at, data[n], mask, full);
          break;
      }
    }
    return true;
  }

 private:
  static constexpr std::uint64_t max_window = 0x7FFF'FFFF;  // offsets fit 32 bits with a bit to spare

  // Offsets of all lanes in a window; false if a lane that counts is outside or misaligned. Lanes that are switched
  // off take the first lane's offset, so they are also inside.
  template <class Word>
  static bool offsets_in(const Word* __restrict base, Word add, const memory_spaces::window& w, std::uint32_t bytes,
                         std::uint32_t mask, std::size_t first, std::uint32_t* __restrict out) {
    alignas(64) Word at[chunk_lanes];
    for (std::size_t i = 0; i < chunk_lanes; ++i) at[i] = base[i] + add;
    if (mask != all_lanes) {
      const Word instead = at[first];
      for (std::size_t i = 0; i < chunk_lanes; ++i) at[i] = (mask & bit_of_lane.at[i]) != 0 ? at[i] : instead;
    }
    const auto limit = static_cast<Word>(w.size - bytes);
    Word outside = 0;
    Word skewed = 0;
    for (std::size_t i = 0; i < chunk_lanes; ++i) {
      outside |= at[i] | (limit - at[i]);  // the top bit: beyond the limit
      skewed |= at[i];
      out[i] = static_cast<std::uint32_t>(at[i]);
    }
    return (outside >> (8 * sizeof(Word) - 1)) == 0 && (skewed & (bytes - 1)) == 0;
  }

  template <class T>
  static std::uint64_t extend(T v, bool sign) {
    if (!sign) return v;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::make_signed_t<T>>(v)));
  }

  template <class T, class Slot>
  static void gather(Slot* __restrict out, const unsigned char* data, const std::uint32_t* __restrict at, bool sign) {
    for (std::size_t i = 0; i < chunk_lanes; ++i) {
      T v;
      std::memcpy(&v, data + at[i], sizeof v);
      if constexpr (sizeof(T) == sizeof(Slot))
        out[i] = v;
      else
        out[i] = static_cast<Slot>(extend(v, sign));
    }
  }
  template <class T, class Slot>
  static void scatter(unsigned char* p, const std::uint32_t* at, const Slot* from, std::size_t i) {
    const T v = static_cast<T>(from[i]);
    std::memcpy(p + at[i], &v, sizeof v);
  }

  template <bool Write, class T>
  void move_lanes(const decoded_op& op, const lane_set& s, unsigned char* p, const std::uint32_t* at, slot_ref data,
                  std::uint32_t mask, bool full) {
    const std::uint32_t start = at[0];
    if (sizeof(T) == 4 && mask == all_lanes && !is_wide(data)) {
      // The common case: neighbours in a row, a plain copy.
      std::uint32_t scattered = 0;
      for (std::uint32_t i = 0; i < lanes_per_chunk; ++i) scattered |= at[i] ^ (start + 4 * i);
      if (scattered == 0) {
        if constexpr (Write)
          std::memcpy(p + start, s.source(data), 4 * chunk_lanes);
        else
          std::memcpy(s.destination(data), p + start, 4 * chunk_lanes);
        return;
      }
    }
    if constexpr (Write) {
      if (is_wide(data)) {
        const auto* from = static_cast<const std::uint64_t*>(s.source(data));
        for (; mask != 0; mask &= mask - 1) scatter<T>(p, at, from, static_cast<std::size_t>(std::countr_zero(mask)));
      } else {
        const auto* from = static_cast<const std::uint32_t*>(s.source(data));
        if (mask == all_lanes)
          for (std::size_t i = 0; i < chunk_lanes; ++i) scatter<T>(p, at, from, i);
        else
          for (; mask != 0; mask &= mask - 1) scatter<T>(p, at, from, static_cast<std::size_t>(std::countr_zero(mask)));
      }
    } else if (is_wide(data)) {
      auto* r = full ? static_cast<std::uint64_t*>(s.destination(data)) : loaded64_;
      gather<T>(r, p, at, op.sign);
      if (!full) s.deliver(data, r, mask, false);
    } else {
      auto* r = full ? static_cast<std::uint32_t*>(s.destination(data)) : loaded32_;
      gather<T>(r, p, at, op.sign);
      if (!full) s.deliver(data, r, mask, false);
    }
  }

  // All lanes load from one address that the text names.
  bool uniform_load(memory_spaces& m, const decoded_kernel& k, const decoded_op& op, const lane_set& s,
                    std::uint32_t mask, bool full, std::uint32_t bytes) {
    const auto first = static_cast<std::size_t>(std::countr_zero(mask));
    const std::uint64_t address = s.read(op.source[0], 0) + op.offset;
    const unsigned char* p = m.resolve(op, s, first, address, bytes, false);
    if (p == nullptr) return false;
    const slot_ref* data = k.lists.data() + op.list;
    for (std::uint32_t n = 0; n < op.count; ++n) {
      if (data[n] == no_slot) continue;
      const std::uint64_t v = load_bytes(p + std::size_t{n} * op.size, op.size, op.sign);
      if (is_wide(data[n])) {
        for (std::size_t i = 0; i < chunk_lanes; ++i) loaded64_[i] = v;
        s.deliver(data[n], loaded64_, mask, full);
      } else {
        for (std::size_t i = 0; i < chunk_lanes; ++i) loaded32_[i] = static_cast<std::uint32_t>(v);
        s.deliver(data[n], loaded32_, mask, full);
      }
    }
    return true;
  }

  // Each lane for itself: different allocations, single lanes, faults.
  template <bool Write>
  static bool one_by_one(memory_spaces& m, const decoded_kernel& k, const decoded_op& op, const lane_set& s,
                         std::uint32_t mask, std::uint32_t bytes) {
    std::uint64_t at[chunk_lanes];
    addresses_of(op, s, at);
    const slot_ref* data = k.lists.data() + op.list;
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      unsigned char* p = m.resolve(op, s, i, at[i], bytes, Write);
      if (p == nullptr) return false;
      for (std::uint32_t n = 0; n < op.count; ++n) {
        if (data[n] == no_slot) continue;
        if constexpr (Write) {
          const std::uint64_t v = s.read(data[n], i);
          std::memcpy(p + std::size_t{n} * op.size, &v, op.size);
        } else {
          s.write(data[n], i, load_bytes(p + std::size_t{n} * op.size, op.size, op.sign));
        }
      }
    }
    return true;
  }

  alignas(64) std::uint32_t loaded32_[chunk_lanes] = {};
  alignas(64) std::uint64_t loaded64_[chunk_lanes] = {};
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
