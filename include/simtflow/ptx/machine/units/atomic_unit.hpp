// SPDX-License-Identifier: BSL-1.0
//
// Atomic operations on memory: lane after lane, and one step that other host threads see whole if they share the
// memory.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, section "Parallel Synchronization and Communication Instructions".
#pragma once

#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/units/atomics.hpp>
#include <simtflow/ptx/machine/units/lane_addresses.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/memory_spaces.hpp>
#include <simtflow/ptx/machine/units/register_file.hpp>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class atomic_unit {
 public:
  // Other host threads access the same global memory.
  void share(bool shared) { memory_is_shared_ = shared; }

  // atom and red.
  bool run(memory_spaces& m, const decoded_kernel& k, const decoded_op& op, const lane_set& s, std::uint32_t mask) {
    std::uint64_t at[chunk_lanes];
    addresses_of(op, s, at);
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      unsigned char* p = m.resolve(op, s, i, at[i], std::uint32_t{op.size} * op.count, true);
      if (p == nullptr) return false;
      const bool flushes = is_global(op.space, at[i]);
      if (op.size == 16) {
        exchange_128_bits(op, s, i, p);
        continue;
      }
      if (op.count > 1) {
        update_vector(k, op, s, i, p, flushes);
        continue;
      }
      const std::uint64_t b = s.read(op.source[1], i);
      const std::uint64_t c = op.source[2] == no_slot ? 0 : s.read(op.source[2], i);
      const std::uint64_t old = update(op, p, b, c, flushes);
      if (op.result != no_slot) s.write(op.result, i, old);
    }
    return true;
  }

  // One number of a reduction in global memory: op.atomic and op.type say which, and op.size its bytes.
  void reduce(const decoded_op& op, unsigned char* p, std::uint64_t b, bool flushes) { update(op, p, b, 0, flushes); }

  // One number of an atomic: its new value to memory; returns the old one.
  std::uint64_t update(const decoded_op& op, unsigned char* p, std::uint64_t b, std::uint64_t c, bool flushes) {
    // Local memory may lie anywhere on the host, but no other host thread sees it.
    if (memory_is_shared_ && reinterpret_cast<std::uintptr_t>(p) % op.size == 0)
      return exchange_among_threads(op, p, b, c, flushes);
    const std::uint64_t old = load_bytes(p, op.size, false);
    const std::uint64_t fresh = updated(op.atomic, op.type, old, b, c, flushes);
    std::memcpy(p, &fresh, op.size);
    return old;
  }

 private:
  static bool is_global(state_space space, std::uint64_t address) {
    if (space != state_space::generic) return space == state_space::global;
    return address - shared_window >= window_bytes && address - local_window >= window_bytes;
  }

  // Each number of a vector is an atomic operation of its own. A result may be an operand.
  void update_vector(const decoded_kernel& k, const decoded_op& op, const lane_set& s, std::size_t lane,
                     unsigned char* p, bool flushes) {
    const slot_ref* results = k.lists.data() + op.list;
    std::uint64_t operands[8];
    for (std::uint32_t n = 0; n < op.count; ++n) operands[n] = s.read(results[op.count + n], lane);
    for (std::uint32_t n = 0; n < op.count; ++n) {
      const std::uint64_t old = update(op, p + std::size_t{n} * op.size, operands[n], 0, flushes);
      if (results[n] != no_slot) s.write(results[n], lane, old);
    }
  }

  // exch and cas of 128 bits: no processor is sure to have them, so host threads take turns.
  void exchange_128_bits(const decoded_op& op, const lane_set& s, std::size_t lane, unsigned char* p) {
    static std::atomic_flag busy;
    const auto halves = [&](slot_ref from, std::uint64_t(&to)[2]) {
      to[0] = s.read(from, lane);
      to[1] = s.read(from + slot_bytes(true), lane);
    };
    std::uint64_t old[2], b[2], c[2] = {};
    halves(op.source[1], b);
    if (op.atomic == atomic_op::cas) halves(op.source[2], c);
    while (memory_is_shared_ && busy.test_and_set(std::memory_order_acquire))
      busy.wait(true, std::memory_order_relaxed);
    std::memcpy(old, p, 16);
    if (op.atomic == atomic_op::exch)
      std::memcpy(p, b, 16);
    else if (old[0] == b[0] && old[1] == b[1])
      std::memcpy(p, c, 16);
    if (memory_is_shared_) {
      busy.clear(std::memory_order_release);
      busy.notify_one();
    }
    if (op.result == no_slot) return;
    s.write(op.result, lane, old[0]);
    s.write(op.result + slot_bytes(true), lane, old[1]);
  }

  // An atomic as one step that other host threads see whole: the old value.
  static std::uint64_t exchange_among_threads(const decoded_op& op, unsigned char* p, std::uint64_t b, std::uint64_t c,
                                              bool flushes) {
    const auto exchange = [&]<class T>(T* at) {
      const auto next = [&](T old) { return static_cast<T>(updated(op.atomic, op.type, old, b, c, flushes)); };
#if defined(__cpp_lib_atomic_ref)
      const std::atomic_ref<T> word(*at);
      T old = word.load();
      while (!word.compare_exchange_weak(old, next(old))) {
      }
#else  // libc++ before 19
      T old = __atomic_load_n(at, __ATOMIC_SEQ_CST);
      while (!__atomic_compare_exchange_n(at, &old, next(old), true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
      }
#endif
      return std::uint64_t{old};
    };
    switch (op.size) {
      case 2:
        return exchange(reinterpret_cast<std::uint16_t*>(p));
      case 4:
        return exchange(reinterpret_cast<std::uint32_t*>(p));
      default:
        return exchange(reinterpret_cast<std::uint64_t*>(p));
    }
  }

  bool memory_is_shared_ = false;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
