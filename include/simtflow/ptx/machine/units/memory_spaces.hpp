// SPDX-License-Identifier: BSL-1.0
//
// The memories of a thread block: shared and local memory, which start as zero in every thread block, parameters, and
// the memory of the device. memory_spaces says which bytes an address names; an access to other bytes is a fault.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, section "State Spaces".
#pragma once

#include <simtflow/ptx/machine/arguments.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/fault.hpp>
#include <simtflow/ptx/machine/memory.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/register_file.hpp>
#include <simtflow/ptx/machine/units/thread_block.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class memory_spaces {
 public:
  // \pre the thread block and the memory outlive it, and nobody allocates in the memory meanwhile.
  memory_spaces(thread_block& block, device_memory& memory, const arguments& args)
      : block_(&block), kernel_(block.kernel), memory_(&memory), parameters_(args.bytes().begin(), args.bytes().end()) {
    const std::size_t lanes = std::size_t{block.groups} * block.chunks_per_group * chunk_lanes;
    hints_.assign(kernel_->ops.size(), no_hint);
    shared_.assign(static_cast<std::size_t>(block.shared_bytes), 0);
    stack_begin_ = (kernel_->local_bytes + 15) / 16 * 16;
    local_size_ = kernel_->frames_grow ? stack_begin_ + block.launch.stack_bytes : kernel_->local_bytes;
    local_.assign(static_cast<std::size_t>(local_size_) * lanes, 0);
    stack_used_ = local_size_;
    if (kernel_->frames_grow) stack_ends_.assign(block.threads, stack_begin_);
  }

  void begin_block() {
    fill_with_zeros(shared_);
    clear_local();
    for (std::uint64_t& end : stack_ends_) end = stack_begin_;
  }

  [[nodiscard]] std::span<const unsigned char> shared() const { return shared_; }
  // The memory of the device, shared by all thread blocks.
  [[nodiscard]] const device_memory& global() const { return *memory_; }
  // Local memory of a thread: frames at fixed addresses, then its stack.
  [[nodiscard]] unsigned char* local(const lane_set& s, std::size_t lane) {
    return local_.data() + (s.first_lane + lane) * static_cast<std::size_t>(local_size_);
  }
  [[nodiscard]] std::uint64_t local_size() const { return local_size_; }
  [[nodiscard]] std::uint64_t stack_begin() const { return stack_begin_; }
  // The end of a thread's stack: frames of recursive functions and what alloca has given lie below.
  [[nodiscard]] std::uint64_t stack_end(std::uint32_t thread) const {
    return stack_ends_.empty() ? stack_begin_ : stack_ends_[thread];
  }
  void set_stack_end(std::uint32_t thread, std::uint64_t end) {
    if (stack_ends_.empty()) return;
    stack_ends_[thread] = end;
    if (end > stack_used_) stack_used_ = end;
  }

  // A piece of memory that all lanes may access: lane i's bytes begin at data + i * stride.
  struct window {
    unsigned char* data = nullptr;
    std::uint64_t base = 0;
    std::uint64_t size = 0;
    std::uint64_t stride = 0;
  };

  // A window that probably holds what all lanes access; size 0 if there is none.
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
    if (a->address % largest_access != 0) return {};  // borrowed: offsets are not aligned as addresses are
    return {a->bytes.data(), a->address, a->bytes.size(), 0};
  }

  // The allocation an address lies in, tried first where the operation found the last one.
  allocation* allocation_at(const decoded_op& op, std::uint64_t address) {
    std::uint32_t& hint = hints_[static_cast<std::size_t>(&op - kernel_->ops.data())];
    const std::span<allocation> list = memory_->places();
    if (hint == no_hint || address - list[hint].address >= list[hint].bytes.size()) {
      const allocation* found = memory_->holding(address, 1);
      if (found == nullptr) return nullptr;
      hint = static_cast<std::uint32_t>(found - list.data());
    }
    return &list[hint];
  }

  // The bytes of one lane's access; null and a fault if there are none.
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

  // The bytes of an object in shared memory, at an address there or a generic one; null if they are not all in shared
  // memory, or the address is no multiple of `align`.
  unsigned char* shared_object(state_space space, std::uint64_t address, std::uint64_t bytes, std::uint64_t align) {
    if (space == state_space::generic) address -= shared_window;
    const bool inside = address <= shared_.size() && bytes <= shared_.size() - address && address % align == 0;
    return inside ? shared_.data() + address : nullptr;
  }

  // Reports an access that is a fault.
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

  // Reports a texture or surface operation that is a fault.
  [[gnu::noinline]] void record_texture(const decoded_op& op, const lane_set& s, std::size_t lane, std::uint64_t handle,
                                        std::string hint) {
    block_->record(fault_kind::bad_texture, op.instruction, s.first_thread + static_cast<std::uint32_t>(lane), handle,
                   0, state_space::global, std::move(hint));
  }

  // Whether remember() notes the memory of the device also, as it does unless told otherwise.
  void note_global(bool yes) { notes_global_ = yes; }
  // For livelock detection: notes what it holds; whether it holds that again.
  void remember() {
    noted_shared_ = shared_;
    noted_local_ = local_;
    noted_stack_ends_ = stack_ends_;
    if (!notes_global_) return;
    const std::span<const allocation> list = std::as_const(*memory_).places();
    noted_global_.resize(list.size());
    for (std::size_t i = 0; i < list.size(); ++i)
      if (!list[i].constant) noted_global_[i].assign(list[i].bytes.begin(), list[i].bytes.end());
  }
  [[nodiscard]] bool as_remembered() const {
    if (shared_ != noted_shared_ || local_ != noted_local_ || stack_ends_ != noted_stack_ends_) return false;
    if (!notes_global_) return true;
    const std::span<const allocation> list = std::as_const(*memory_).places();
    if (list.size() != noted_global_.size()) return false;
    for (std::size_t i = 0; i < list.size(); ++i)
      if (!list[i].constant && !same_bytes(list[i].bytes, noted_global_[i])) return false;
    return true;
  }

 private:
  static constexpr std::uint32_t no_hint = 0xFFFF'FFFFU;
  static constexpr std::uint64_t largest_access = 32;  // bytes of a vector

  static bool same_bytes(const memory_bytes& now, const std::vector<unsigned char>& noted) {
    return now.size() == noted.size() && (noted.empty() || std::memcmp(now.data(), noted.data(), noted.size()) == 0);
  }

  // The stacks are cleared only as far as they were used.
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

  // The allocations within 64 KiB of an address that no allocation holds.
  std::string nearby(std::uint64_t address) const {
    constexpr std::uint64_t range = 0x1'0000;
    if (std::string gone = memory_->freed_at(address); !gone.empty()) return gone;
    if (memory_->module_at(address) != module_id{}) return "that is the address of a function";
    const allocation* below = memory_->at_or_below(address);
    // Past the end, or across it.
    if (below != nullptr && address - below->address < below->bytes.size() + range)
      return "byte " + std::to_string(address - below->address) + " of '" + below->name + "', which has " +
             std::to_string(below->bytes.size());
    const allocation* above = memory_->above(address);
    if (above != nullptr && above->address - address < range)
      return std::to_string(above->address - address) + " bytes before '" + above->name + "'";
    return "no allocation is near";
  }

  thread_block* block_;
  const decoded_kernel* kernel_;
  device_memory* memory_;
  std::vector<unsigned char> parameters_;
  std::vector<std::uint32_t> hints_;  // by operation: the allocation it accessed last
  std::vector<unsigned char> shared_, local_;
  std::uint64_t local_size_ = 0, stack_begin_ = 0, stack_used_ = 0;
  std::vector<std::uint64_t> stack_ends_, noted_stack_ends_;  // by thread; empty if no stack grows
  std::vector<unsigned char> noted_shared_, noted_local_;
  std::vector<std::vector<unsigned char>> noted_global_;
  bool notes_global_ = true;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
