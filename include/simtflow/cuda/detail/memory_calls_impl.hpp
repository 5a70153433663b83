// SPDX-License-Identifier: BSL-1.0
//
// Copies go through device_memory's own read() and write(), which check every address.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/cuda/memory_calls.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace cuda {

namespace detail {

// Bytes from the first one of a box to its end; the largest number if there are more.
inline std::uint64_t bytes_spanned(const byte_box& box, const box_extent& size) {
  constexpr std::uint64_t most = (std::numeric_limits<std::uint64_t>::max)();
  const auto times = [](std::uint64_t a, std::uint64_t b) { return b != 0 && a > most / b ? most : a * b; };
  const auto plus = [](std::uint64_t a, std::uint64_t b) { return a > most - b ? most : a + b; };
  return plus(plus(times(size.depth - 1, box.layer), times(size.height - 1, box.pitch)), size.width);
}

}  // namespace detail

SIMTFLOW_INLINE error memory_calls::allocate(std::uint64_t bytes, any_address& at) {
  at = 0;
  if (bytes == 0) return error::success;
  if (bytes > available() || bytes > (std::numeric_limits<std::size_t>::max)() / 2) return error::memory_allocation;
  at = memory_.allocate(bytes, "allocation " + std::to_string(++made_));
  if (at == 0) return error::memory_allocation;
  used_ += bytes;
  notes_[at] = {at, bytes, memory_kind::device, 0, false};
  return error::success;
}

SIMTFLOW_INLINE error memory_calls::allocate_pitched(box_extent size, std::uint64_t& pitch, any_address& at) {
  constexpr std::uint64_t unit = 512;
  at = 0;
  pitch = 0;
  if (size.width == 0 || size.height == 0 || size.depth == 0) return error::success;
  if (size.width > total_) return error::memory_allocation;
  pitch = (size.width + unit - 1) / unit * unit;
  if (size.height > total_ / pitch || size.depth > total_ / pitch / size.height) return error::memory_allocation;
  return allocate(pitch * size.height * size.depth, at);
}

SIMTFLOW_INLINE error memory_calls::allocate_host(std::uint64_t bytes, memory_kind kind, std::uint32_t flags,
                                                  void*& at) {
  at = nullptr;
  if (bytes == 0) return kind == memory_kind::managed ? error::invalid_value : error::success;
  constexpr std::uint64_t page = 4096;
  if (bytes > (std::numeric_limits<std::size_t>::max)() / 2) return error::memory_allocation;
  // A page of its own at each end, which no other loan touches.
  const std::uint64_t all = (bytes + page - 1) / page * page + 2 * page;
  auto* raw = static_cast<unsigned char*>(std::aligned_alloc(page, static_cast<std::size_t>(all)));
  if (raw == nullptr) return error::memory_allocation;
  unsigned char* host = raw + page;
  std::memset(host, 0, static_cast<std::size_t>(bytes));
  const std::string name = "allocation " + std::to_string(++made_);
  if (!memory_.borrow(std::span<unsigned char>(host, static_cast<std::size_t>(bytes)), name).empty()) {
    std::free(raw);
    return error::memory_allocation;
  }
  at = host;
  notes_[address_of(host)] = {address_of(host), bytes, kind, flags, false};
  return error::success;
}

SIMTFLOW_INLINE error memory_calls::register_host(void* host, std::uint64_t bytes, std::uint32_t flags) {
  if (host == nullptr || bytes == 0) return error::invalid_value;
  const std::string name = "registered memory " + std::to_string(++made_);
  const std::span<unsigned char> loan(static_cast<unsigned char*>(host), static_cast<std::size_t>(bytes));
  if (!memory_.borrow(loan, name).empty()) return error::host_memory_already_registered;
  notes_[address_of(host)] = {address_of(host), bytes, memory_kind::host, flags, true};
  return error::success;
}

SIMTFLOW_INLINE error memory_calls::unregister_host(const void* host) {
  if (host == nullptr) return error::invalid_value;
  const auto at = notes_.find(address_of(host));
  if (at == notes_.end() || !at->second.registered) return error::host_memory_not_registered;
  if (!memory_.free(at->first).empty()) return error::host_memory_not_registered;
  notes_.erase(at);
  return error::success;
}

SIMTFLOW_INLINE error memory_calls::free(any_address at, bool of_host, std::string& why) {
  why.clear();
  if (at == 0) return error::success;
  const auto found = notes_.find(at);
  if (found == notes_.end()) {
    why = memory_.free(at);
    if (why.empty()) why = "address was not allocated";
    return error::invalid_value;
  }
  const memory_note note = found->second;
  if (note.registered || of_host != (note.kind == memory_kind::host)) {
    why = of_host ? "the address is not pinned memory" : "the address is pinned memory";
    return error::invalid_value;
  }
  why = memory_.free(at);
  if (!why.empty()) return error::invalid_value;
  notes_.erase(found);
  if (note.kind == memory_kind::device)
    used_ -= note.bytes;
  else
    std::free(static_cast<unsigned char*>(pointer_to(at)) - 4096);
  return error::success;
}

SIMTFLOW_INLINE memory_note memory_calls::find(any_address at) const {
  const auto after = notes_.upper_bound(at);
  if (after != notes_.begin())
    if (const memory_note& note = std::prev(after)->second; at - note.address < note.bytes) return note;
  const ptx::allocation* variable = memory_.holding(at, 1);
  if (variable == nullptr || !variable->of_module) return {};
  return {variable->address, variable->bytes.size(), memory_kind::device, 0, false};
}

SIMTFLOW_INLINE memory_calls::side memory_calls::side_of(any_address at, std::uint64_t bytes) const {
  if (memory_.holding(at, bytes) != nullptr) return side::device;
  if (memory_.holding(at, 1) != nullptr) return side::wrong;
  constexpr any_address device_has_at_most = any_address{1} << 40;
  return at < device_has_at_most && !memory_.freed_at(at).empty() ? side::wrong : side::host;
}

// Whether bytes on that side can stand in a copy from or to the device, or the host. Borrowed bytes are on both.
SIMTFLOW_INLINE bool memory_calls::fits(side s, bool device_wanted, any_address at) const {
  if (s == side::wrong) return false;
  if (device_wanted) return s == side::device;
  return s == side::host || find(at).kind != memory_kind::device;
}

SIMTFLOW_INLINE error memory_calls::move(any_address to, side to_side, any_address from, side from_side,
                                         std::uint64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  if (to_side == side::host && from_side == side::host) {
    std::memmove(pointer_to(to), pointer_to(from), size);
    return error::success;
  }
  if (from_side == side::host) {
    const std::span<const unsigned char> source(static_cast<const unsigned char*>(pointer_to(from)), size);
    return memory_.write(to, source) ? error::success : error::invalid_value;
  }
  if (to_side == side::host) {
    const std::span<unsigned char> target(static_cast<unsigned char*>(pointer_to(to)), size);
    return memory_.read(from, target) ? error::success : error::invalid_value;
  }
  ptx::allocation* target = memory_.holding(to, bytes);
  const ptx::allocation* source = memory_.holding(from, bytes);
  if (target == nullptr || source == nullptr) return error::invalid_value;
  std::memmove(target->bytes.data() + (to - target->address), source->bytes.data() + (from - source->address), size);
  return error::success;
}

SIMTFLOW_INLINE error memory_calls::copy(any_address to, any_address from, std::uint64_t bytes, copy_kind kind) {
  return copy({to, bytes, bytes}, {from, bytes, bytes}, {bytes, 1, 1}, kind);
}

SIMTFLOW_INLINE error memory_calls::copy(const byte_box& to, const byte_box& from, const box_extent& size,
                                         copy_kind kind) {
  if (kind < copy_kind::host_to_host || kind > copy_kind::inferred) return error::invalid_memcpy_direction;
  if (size.width == 0 || size.height == 0 || size.depth == 0) return error::success;
  if (to.address == 0 || from.address == 0) return error::invalid_value;
  if (size.height > 1 && (to.pitch < size.width || from.pitch < size.width)) return error::invalid_pitch_value;
  const std::uint64_t to_bytes = detail::bytes_spanned(to, size), from_bytes = detail::bytes_spanned(from, size);
  constexpr std::uint64_t most = (std::numeric_limits<std::size_t>::max)() / 2;
  if (to_bytes > most || from_bytes > most) return error::invalid_value;
  const side into = side_of(to.address, to_bytes), out_of = side_of(from.address, from_bytes);
  if (into == side::wrong || out_of == side::wrong) return error::invalid_value;
  if (kind != copy_kind::inferred) {
    const bool to_device = kind == copy_kind::host_to_device || kind == copy_kind::device_to_device;
    const bool from_device = kind == copy_kind::device_to_host || kind == copy_kind::device_to_device;
    if (!fits(into, to_device, to.address) || !fits(out_of, from_device, from.address)) return error::invalid_value;
  }
  const bool one_piece = size.height == 1 || (to.pitch == size.width && from.pitch == size.width);
  const std::uint64_t rows = one_piece ? 1 : size.height, width = one_piece ? size.width * size.height : size.width;
  for (std::uint64_t z = 0; z < size.depth; ++z)
    for (std::uint64_t y = 0; y < rows; ++y)
      if (const error e = move(to.address + z * to.layer + y * to.pitch, into,
                               from.address + z * from.layer + y * from.pitch, out_of, width);
          e != error::success)
        return e;
  return error::success;
}

SIMTFLOW_INLINE error memory_calls::fill(any_address at, std::uint32_t value, std::uint32_t bytes,
                                         std::uint64_t count) {
  if (count > (std::numeric_limits<std::uint64_t>::max)() / 8) return error::invalid_value;
  return fill({at, count * bytes, count * bytes}, value, bytes, {count * bytes, 1, 1});
}

SIMTFLOW_INLINE error memory_calls::fill(const byte_box& to, std::uint32_t value, std::uint32_t bytes,
                                         const box_extent& size) {
  if (size.width == 0 || size.height == 0 || size.depth == 0) return error::success;
  if (bytes != 1 && bytes != 2 && bytes != 4) return error::invalid_value;
  if (to.address % bytes != 0 || size.width % bytes != 0) return error::invalid_value;
  if (size.height > 1 && to.pitch < size.width) return error::invalid_pitch_value;
  ptx::allocation* target = memory_.holding(to.address, detail::bytes_spanned(to, size));
  if (target == nullptr) return error::invalid_value;
  unsigned char* first = target->bytes.data() + (to.address - target->address);
  for (std::uint64_t z = 0; z < size.depth; ++z)
    for (std::uint64_t y = 0; y < size.height; ++y) {
      unsigned char* row = first + z * to.layer + y * to.pitch;
      if (bytes == 1) {
        std::memset(row, static_cast<int>(value & 0xFF), static_cast<std::size_t>(size.width));
        continue;
      }
      for (std::uint64_t x = 0; x < size.width; ++x) row[x] = static_cast<unsigned char>(value >> (8 * (x % bytes)));
    }
  return error::success;
}

SIMTFLOW_INLINE diagnostics memory_calls::leaks() const {
  diagnostics all;
  for (const auto& [address, note] : notes_) {
    if (note.registered) continue;
    const char* const kind = note.kind == memory_kind::managed ? "managed memory"
                             : note.kind == memory_kind::host  ? "memory of the host"
                                                               : "device memory";
    add_diagnostic(
        all, {},
        std::to_string(note.bytes) + " bytes of " + kind + " at " + ptx::detail::hexadecimal(address) + " not freed");
  }
  for (diagnostic& d : memory_.heap().leaks()) all.push_back(std::move(d));
  return all;
}

SIMTFLOW_INLINE void memory_calls::reset() {
  std::string why;
  while (!notes_.empty()) {
    const memory_note note = notes_.begin()->second;
    if (note.registered)
      static_cast<void>(unregister_host(pointer_to(note.address)));
    else
      static_cast<void>(free(note.address, note.kind == memory_kind::host, why));
  }
}

}  // namespace cuda
}  // namespace v0
}  // namespace simtflow
