// SPDX-License-Identifier: BSL-1.0
//
// The memory of a thread block as its lanes see it: loads, stores, atomics and copies in every state space, with
// generic
// addresses. Every access is checked for bounds and alignment.
//
//   window  a piece of memory that probably holds what all lanes access: if it does, 32 lanes are checked and moved
//           together, else each for itself
//
// Lanes of one operation access memory from low to high. Shared and local memory start as zero in every thread block.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, section "State Spaces".
#pragma once

#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/fault.hpp>
#include <simtflow/ptx/machine/arguments.hpp>
#include <simtflow/ptx/machine/memory.hpp>
#include <simtflow/ptx/machine/units/atomics.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/register_file.hpp>
#include <simtflow/ptx/machine/units/thread_block.hpp>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// Addresses of all lanes, also of those that are switched off.
inline void addresses_of(const decoded_op& op, const lane_set& s, std::uint64_t* __restrict out) {
  const void* base = s.source(op.source[0]);
  if (is_wide(op.source[0])) {
    const auto* a = static_cast<const std::uint64_t*>(base);
    const std::uint64_t offset = op.offset;
    for (std::size_t i = 0; i < chunk_lanes; ++i) out[i] = a[i] + offset;
  } else {
    const auto* a = static_cast<const std::uint32_t*>(base);
    const auto offset = static_cast<std::uint32_t>(op.offset);
    for (std::size_t i = 0; i < chunk_lanes; ++i) out[i] = a[i] + offset;
  }
}

/// Operations are false, with a fault recorded, if a lane does what cannot be done; lanes before it have done theirs.
class memory_unit {
 public:
  /// \pre the thread block and the memory outlive it, and nobody allocates in the memory meanwhile.
  memory_unit(thread_block& block, device_memory& memory, const arguments& args)
      : block_(&block), kernel_(block.kernel), memory_(&memory), parameters_(args.bytes().begin(), args.bytes().end()) {
    const std::size_t lanes = std::size_t{block.groups} * block.chunks_per_group * chunk_lanes;
    hints_.assign(kernel_->ops.size(), no_hint);
    shared_.assign(static_cast<std::size_t>(block.shared_bytes), 0);
    stack_begin_ = (kernel_->local_bytes + 15) / 16 * 16;
    local_size_ = kernel_->frames_grow ? stack_begin_ + block.launch.stack_bytes : kernel_->local_bytes;
    local_.assign(static_cast<std::size_t>(local_size_) * lanes, 0);
    stack_used_ = local_size_;
  }

  void begin_block() {
    fill_with_zeros(shared_);
    clear_local();
  }

  [[nodiscard]] std::span<const unsigned char> shared() const { return shared_; }
  /// The memory of the device, shared by all thread blocks.
  [[nodiscard]] const device_memory& global() const { return *memory_; }
  /// Local memory of a thread: frames at fixed addresses, then from stack_begin() the frames of recursive functions.
  [[nodiscard]] unsigned char* local(const lane_set& s, std::size_t lane) {
    return local_.data() + (s.first_lane + lane) * static_cast<std::size_t>(local_size_);
  }
  [[nodiscard]] std::uint64_t local_size() const { return local_size_; }
  [[nodiscard]] std::uint64_t stack_begin() const { return stack_begin_; }
  /// Frames reach to that address.
  void use_stack(std::uint64_t end) {
    if (end > stack_used_) stack_used_ = end;
  }

  /// Other host threads access the same global memory.
  void share(bool shared) { memory_is_shared_ = shared; }

  /// ld and st of any vector width.
  template <bool Write>
  bool access(const decoded_op& op, const lane_set& s, std::uint32_t mask, bool full) {
    const std::uint32_t bytes = std::uint32_t{op.size} * op.count;
    if (!Write && is_constant(op.source[0]) && op.space != state_space::local && op.space != state_space::generic)
      return uniform_load(op, s, mask, full, bytes);
    const auto first = static_cast<std::size_t>(std::countr_zero(mask));
    const bool wide = is_wide(op.source[0]);
    const void* base = s.source(op.source[0]);
    const std::uint64_t first_address =
        wide ? static_cast<const std::uint64_t*>(base)[first] + op.offset
             : static_cast<const std::uint32_t*>(base)[first] + static_cast<std::uint32_t>(op.offset);
    const window w = likely_window(op, s, first_address, Write);
    if (w.size < bytes || w.size > max_window || (mask & (mask - 1)) == 0) return one_by_one<Write>(op, s, mask, bytes);
    alignas(64) std::uint32_t at[chunk_lanes];
    // Bases of windows are multiples of every access size, so offsets are aligned as addresses are.
    const bool inside =
        wide ? offsets_in<std::uint64_t>(static_cast<const std::uint64_t*>(base), op.offset - w.base, w, bytes, mask,
                                         first, at)
             : offsets_in<std::uint32_t>(static_cast<const std::uint32_t*>(base),
                                         static_cast<std::uint32_t>(op.offset - w.base), w, bytes, mask, first, at);
    if (!inside) return one_by_one<Write>(op, s, mask, bytes);
    if (w.stride != 0)
      for (std::uint32_t i = 0; i < lanes_per_chunk; ++i) at[i] += static_cast<std::uint32_t>(w.stride) * i;
    const slot_ref* data = kernel_->lists.data() + op.list;
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

  /// atom and red.
  bool atomic(const decoded_op& op, const lane_set& s, std::uint32_t mask) {
    std::uint64_t at[chunk_lanes];
    addresses_of(op, s, at);
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      unsigned char* p = resolve(op, s, i, at[i], std::uint32_t{op.size} * op.count, true);
      if (p == nullptr) return false;
      const bool flushes = is_global(op.space, at[i]);
      if (op.size == 16) {
        exchange_128_bits(op, s, i, p);
        continue;
      }
      if (op.count > 1) {
        update_vector(op, s, i, p, flushes);
        continue;
      }
      const std::uint64_t b = s.read(op.source[1], i);
      const std::uint64_t c = op.source[2] == no_slot ? 0 : s.read(op.source[2], i);
      const std::uint64_t old = update(op, p, b, c, flushes);
      if (op.result != no_slot) s.write(op.result, i, old);
    }
    return true;
  }

  /// How many bytes cp.async reads for a lane.
  static std::uint64_t copied_bytes(const decoded_op& op, const lane_set& s, std::size_t i) {
    if ((s.where(op.predicate[0]) >> i & 1U) != 0) return 0;
    const std::uint64_t bytes = op.source[2] == no_slot ? op.size : s.read(op.source[2], i);
    return bytes < op.size ? bytes : op.size;
  }
  /// cp.async: a copy from global to shared memory; bytes after the bytes that are read become zero.
  bool copy(const decoded_op& op, const lane_set& s, std::uint32_t mask) {
    std::uint64_t to[chunk_lanes];
    addresses_of(op, s, to);
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      unsigned char* p = resolve(op, s, i, to[i], op.size, true);
      if (p == nullptr) return false;
      const std::uint64_t bytes = copied_bytes(op, s, i);
      std::memset(p, 0, op.size);
      if (bytes == 0) continue;
      const std::uint64_t address = s.read(op.source[1], i) + op.second_offset;
      if ((address & (op.size - 1U)) != 0) {
        record(fault_kind::misaligned, op, s, i, address, op.size, state_space::global);
        return false;
      }
      allocation* a = allocation_at(op, address);
      if (a == nullptr || address - a->address + bytes > a->bytes.size()) {
        record(fault_kind::out_of_bounds, op, s, i, address, static_cast<std::uint32_t>(bytes), state_space::global);
        return false;
      }
      std::memcpy(p, a->bytes.data() + (address - a->address), static_cast<std::size_t>(bytes));
    }
    return true;
  }

  /// isspacep
  void test_space(const decoded_op& op, const lane_set& s, std::uint32_t mask) const {
    std::uint32_t yes = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(rest));
      const std::uint64_t address = s.read(op.source[0], i);
      bool in = false;
      switch (op.space) {
        case state_space::shared:
          in = address - shared_window < window_bytes;
          break;
        case state_space::local:
          in = address - local_window < window_bytes;
          break;
        case state_space::param:
          in = address - param_window < window_bytes;
          break;
        default: {
          const std::size_t a = memory_->index_of(address, 1);
          const bool constant = a != device_memory::none && std::as_const(*memory_).allocations()[a].constant;
          in = op.space == state_space::constant ? constant : address >= first_global_address && !constant;
          break;
        }
      }
      if (in) yes |= std::uint32_t{1} << i;
    }
    s.write_predicate(op.result, yes, mask);
  }

  /// The bytes of one lane's access; null and a fault if there are none.
  unsigned char* resolve(const decoded_op& op, const lane_set& s, std::size_t lane, std::uint64_t address,
                         std::uint32_t bytes, bool write) {
    state_space space = op.space;
    std::uint64_t offset = address;
    if (space == state_space::generic) {
      if (address - shared_window < window_bytes) {
        space = state_space::shared;
        offset = address - shared_window;
      } else if (address - local_window < window_bytes) {
        space = state_space::local;
        offset = address - local_window;
      } else if (address - param_window < window_bytes) {
        space = state_space::param;
        offset = address - param_window;
      } else {
        space = state_space::global;
      }
    }
    const auto inside = [&](std::uint64_t size) { return offset <= size && bytes <= size - offset; };
    unsigned char* p = nullptr;
    fault_kind problem = fault_kind::out_of_bounds;
    switch (space) {
      case state_space::shared:
        if (inside(shared_.size())) p = shared_.data() + offset;
        break;
      case state_space::local:
        if (inside(local_size_)) p = local(s, lane) + offset;
        break;
      case state_space::param:
        if (write)
          problem = fault_kind::read_only;
        else if (inside(parameters_.size()))
          p = parameters_.data() + offset;
        break;
      default: {
        allocation* a = allocation_at(op, address);
        if (a == nullptr) break;
        offset = address - a->address;
        if (!inside(a->bytes.size()) || (space == state_space::constant && !a->constant)) break;
        if (write && a->constant)
          problem = fault_kind::read_only;
        else
          p = a->bytes.data() + offset;
        break;
      }
    }
    if (p != nullptr && (address & (bytes - 1)) != 0) {
      problem = fault_kind::misaligned;
      p = nullptr;
    }
    if (p == nullptr) record(problem, op, s, lane, address, bytes, op.space);
    return p;
  }

  /// For livelock detection: notes what it holds; whether it holds that again.
  void remember() {
    noted_shared_ = shared_;
    noted_local_ = local_;
    const std::span<const allocation> list = std::as_const(*memory_).allocations();
    noted_global_.resize(list.size());
    for (std::size_t i = 0; i < list.size(); ++i)
      if (!list[i].constant) noted_global_[i] = list[i].bytes;
  }
  [[nodiscard]] bool as_remembered() const {
    if (shared_ != noted_shared_ || local_ != noted_local_) return false;
    const std::span<const allocation> list = std::as_const(*memory_).allocations();
    if (list.size() != noted_global_.size()) return false;
    for (std::size_t i = 0; i < list.size(); ++i)
      if (!list[i].constant && list[i].bytes != noted_global_[i]) return false;
    return true;
  }

 private:
  static constexpr std::uint32_t no_hint = 0xFFFF'FFFFU;
  static constexpr std::uint64_t max_window = 0x7FFF'FFFF;  // offsets fit 32 bits with a bit to spare

  /// A piece of memory that all lanes may access: lane i's bytes begin at data + i * stride.
  struct window {
    unsigned char* data = nullptr;
    std::uint64_t base = 0;
    std::uint64_t size = 0;
    std::uint64_t stride = 0;
  };

  // The frames of recursive functions are cleared only as far as they were used.
  void clear_local() {
    if (local_.empty()) return;
    if (stack_used_ >= local_size_) {
      fill_with_zeros(local_);
    } else {
      for (std::size_t at = 0; at < local_.size(); at += static_cast<std::size_t>(local_size_))
        std::memset(local_.data() + at, 0, static_cast<std::size_t>(stack_used_));
    }
    stack_used_ = kernel_->frames_grow ? stack_begin_ : local_size_;
  }

  window local_of(const lane_set& s, std::uint64_t base) { return {local(s, 0), base, local_size_, local_size_}; }

  // Size 0 if there is none.
  window likely_window(const decoded_op& op, const lane_set& s, std::uint64_t address, bool write) {
    switch (op.space) {
      case state_space::shared:
        return {shared_.data(), 0, shared_.size(), 0};
      case state_space::param:
        return write ? window{} : window{parameters_.data(), 0, parameters_.size(), 0};
      case state_space::local:
        return local_of(s, 0);
      default:
        break;
    }
    if (op.space == state_space::generic) {
      if (address - shared_window < window_bytes) return {shared_.data(), shared_window, shared_.size(), 0};
      if (address - local_window < window_bytes) return local_of(s, local_window);
      if (!write && address - param_window < window_bytes)
        return {parameters_.data(), param_window, parameters_.size(), 0};
    }
    allocation* a = allocation_at(op, address);
    if (a == nullptr || (write && a->constant) || (op.space == state_space::constant && !a->constant)) return {};
    return {a->bytes.data(), a->address, a->bytes.size(), 0};
  }

  // The allocation an address lies in, tried first where the operation found the last one.
  allocation* allocation_at(const decoded_op& op, std::uint64_t address) {
    std::uint32_t& hint = hints_[static_cast<std::size_t>(&op - kernel_->ops.data())];
    const std::span<allocation> list = memory_->allocations();
    if (hint == no_hint || address - list[hint].address >= list[hint].bytes.size()) {
      const std::size_t found = memory_->index_of(address, 1);
      if (found == device_memory::none) return nullptr;
      hint = static_cast<std::uint32_t>(found);
    }
    return &list[hint];
  }

  // Offsets of all lanes in a window; false if a lane that counts is outside or misaligned. Lanes that are switched
  // off take the first lane's offset, so they are also inside.
  template <class Word>
  static bool offsets_in(const Word* __restrict base, Word add, const window& w, std::uint32_t bytes,
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

  static std::uint64_t load_bytes(const unsigned char* p, std::uint32_t size, bool sign) {
    std::uint64_t v = 0;
    std::memcpy(&v, p, size);
    if (sign && size < 8) {
      const std::uint64_t top = std::uint64_t{1} << (8 * size - 1);
      v = (v ^ top) - top;
    }
    return v;
  }

  // All lanes load from one address that the text names.
  bool uniform_load(const decoded_op& op, const lane_set& s, std::uint32_t mask, bool full, std::uint32_t bytes) {
    const auto first = static_cast<std::size_t>(std::countr_zero(mask));
    const std::uint64_t address = s.read(op.source[0], 0) + op.offset;
    const unsigned char* p = resolve(op, s, first, address, bytes, false);
    if (p == nullptr) return false;
    const slot_ref* data = kernel_->lists.data() + op.list;
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
  bool one_by_one(const decoded_op& op, const lane_set& s, std::uint32_t mask, std::uint32_t bytes) {
    std::uint64_t at[chunk_lanes];
    addresses_of(op, s, at);
    const slot_ref* data = kernel_->lists.data() + op.list;
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      unsigned char* p = resolve(op, s, i, at[i], bytes, Write);
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

  static bool is_global(state_space space, std::uint64_t address) {
    if (space != state_space::generic) return space == state_space::global;
    return address - shared_window >= window_bytes && address - local_window >= window_bytes;
  }

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

  // Each number of a vector is an atomic operation of its own. A result may be an operand.
  void update_vector(const decoded_op& op, const lane_set& s, std::size_t lane, unsigned char* p, bool flushes) {
    const slot_ref* results = kernel_->lists.data() + op.list;
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

  [[gnu::noinline]] void record(fault_kind kind, const decoded_op& op, const lane_set& s, std::size_t lane,
                                std::uint64_t address, std::uint32_t size, state_space space) {
    std::string hint;
    if (kind == fault_kind::out_of_bounds) {
      if (space == state_space::shared)
        hint = "shared memory has " + std::to_string(shared_.size()) + " bytes";
      else if (space == state_space::local)
        hint = "a thread's local memory has " + std::to_string(local_size_) + " bytes";
      else if (space == state_space::param)
        hint = "the parameters have " + std::to_string(parameters_.size()) + " bytes";
      else
        hint = nearby(address);
    }
    block_->record(kind, op.instruction, s.first_thread + static_cast<std::uint32_t>(lane), address, size, space,
                   std::move(hint));
  }

  // The allocations within 64 KiB of an address that no allocation holds.
  std::string nearby(std::uint64_t address) const {
    constexpr std::uint64_t range = 0x1'0000;
    const std::span<const allocation> list = std::as_const(*memory_).allocations();
    if (std::string gone = memory_->freed_at(address); !gone.empty()) return gone;
    if (memory_->module_at(address) != module_id{}) return "that is the address of a function";
    const std::size_t below = memory_->at_or_below(address);
    // Behind the end, or across it.
    if (below != device_memory::none && address - list[below].address < list[below].bytes.size() + range)
      return "byte " + std::to_string(address - list[below].address) + " of '" + list[below].name + "', which has " +
             std::to_string(list[below].bytes.size());
    const std::size_t above = below == device_memory::none ? 0 : below + 1;
    if (above < list.size() && list[above].address - address < range)
      return std::to_string(list[above].address - address) + " bytes before '" + list[above].name + "'";
    return "no allocation is near";
  }

  thread_block* block_;
  const decoded_kernel* kernel_;
  device_memory* memory_;
  std::vector<unsigned char> parameters_;
  std::vector<std::uint32_t> hints_;  // by operation: the allocation it accessed last
  std::vector<unsigned char> shared_, local_;
  std::uint64_t local_size_ = 0, stack_begin_ = 0, stack_used_ = 0;
  bool memory_is_shared_ = false;
  std::vector<unsigned char> noted_shared_, noted_local_;
  std::vector<std::vector<unsigned char>> noted_global_;
  alignas(64) std::uint32_t loaded32_[chunk_lanes] = {};
  alignas(64) std::uint64_t loaded64_[chunk_lanes] = {};
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
