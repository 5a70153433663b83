// SPDX-License-Identifier: BSL-1.0
//
// Calls. The return addresses of a thread are on a stack of its own, whatever group it runs in. A function has one set
// of registers for each thread; when it is called while it is active in the thread, the old values are put away until
// the call returns. Frames of recursive functions lie in local memory one above the other, other frames at fixed
// addresses. A kernel that calls nothing pays nothing.
#pragma once

#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/fault.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/memory_spaces.hpp>
#include <simtflow/ptx/machine/units/register_file.hpp>
#include <simtflow/ptx/machine/units/thread_block.hpp>

#include <bit>
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

class call_stack {
 public:
  /// \pre both outlive it.
  call_stack(thread_block& block, memory_spaces& memory)
      : block_(&block), kernel_(block.kernel), memory_(&memory), threads_(block.threads) {
    depth_.assign(threads_, 0);
    bool recursive = false;
    for (const decoded_function& f : kernel_->functions) recursive = recursive || f.recursive;
    if (!recursive) return;
    active_.assign(kernel_->functions.size() * threads_, 0);
    put_away_.assign(threads_, {});
  }

  /// Every thread is in the kernel's own code.
  void begin_block() {
    fill_with_zeros(depth_);
    fill_with_zeros(active_);
    for (std::vector<std::uint64_t>& p : put_away_) p.clear();
  }

  /// By thread: calls it is in.
  [[nodiscard]] std::span<const std::uint32_t> depths() const { return depth_; }
  void end_thread(std::uint32_t thread) { depth_[thread] = 0; }

  /// Lanes go into the function that the block calls: go(block, lane) for each; false and a fault if one cannot.
  template <class Go>
  bool call(const decoded_block& block, const lane_set& s, Go&& go) {
    const call_site& site = kernel_->sites[block.detail];
    const decoded_function& caller = kernel_->functions[site.caller];
    for (std::uint32_t rest = s.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      const std::uint32_t thread = s.first_thread + lane;
      const std::uint32_t f = site.callee == no_slot ? site.targets[0] : called_function(block, site, s, lane);
      if (f == no_index) return false;
      const decoded_function& callee = kernel_->functions[f];
      if (depth_[thread] >= block_->launch.max_call_depth)
        return overflow(block, thread,
                        "the thread is in " + std::to_string(depth_[thread]) + " calls, which is the limit");
      unsigned char* memory = memory_->local(s, lane);
      const std::uint64_t here = frame_of(caller, s, lane);
      std::uint64_t there = callee.frame_offset;
      if (callee.recursive) {
        there = (memory_->stack_end(thread) + callee.frame_align - 1) / callee.frame_align * callee.frame_align;
        if (callee.frame_bytes != 0 && there + callee.frame_bytes > memory_->local_size())
          return overflow(block, thread,
                          "the thread has " + std::to_string(block_->launch.stack_bytes) +
                              " bytes of local memory for the frames of recursive functions");
        if (active_[std::size_t{f} * threads_ + thread] != 0 &&
            8 * (put_away_[thread].size() + words_of(callee)) > max_saved_bytes)
          return overflow(block, thread, "the thread has 1 MiB of registers of functions that are called again");
      }
      for (const call_copy& a : site.arguments) {
        if (a.predicate != no_index) {
          memory[there + a.there] = static_cast<unsigned char>(s.where({a.predicate, false}) >> lane & 1U);
        } else if (a.slot == no_slot) {
          copy_bytes(memory + there + a.there, memory + here + a.here, a.size);
        } else {
          const std::uint64_t v = s.read(a.slot, lane);
          copy_bytes(memory + there + a.there, &v, a.size);
        }
      }
      if (callee.recursive) {
        if (active_[std::size_t{f} * threads_ + thread]++ != 0) put_away(callee, s, lane, thread);
        s.write(callee.frame, lane, there);
        memory_->set_stack_end(thread, there + callee.frame_bytes);
      }
      const std::size_t at = std::size_t{depth_[thread]++} * threads_ + thread;
      if (at >= returns_.size()) returns_.insert(returns_.end(), threads_, 0);
      returns_[at] = block.detail;
      go(callee.entry, lane);
    }
    return true;
  }

  /// Lanes come back from the block's function: the same.
  template <class Go>
  bool come_back(const decoded_block& block, const lane_set& s, Go&& go) {
    const decoded_function& callee = kernel_->functions[block.function];
    for (std::uint32_t rest = s.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      const std::uint32_t thread = s.first_thread + lane;
      const call_site& site = kernel_->sites[returns_[std::size_t{--depth_[thread]} * threads_ + thread]];
      if (site.next == no_block) {
        block_->complain(fault_kind::bad_target, block.last_instruction, thread, 0,
                         "the function was called as one that does not return");
        return false;
      }
      unsigned char* memory = memory_->local(s, lane);
      const std::uint64_t there = frame_of(callee, s, lane);
      if (callee.recursive) {
        memory_->set_stack_end(thread, there);
        if (--active_[std::size_t{block.function} * threads_ + thread] != 0) bring_back(callee, s, lane, thread);
      }
      const std::uint64_t here = frame_of(kernel_->functions[site.caller], s, lane);
      for (const call_copy& r : site.results) {
        if (r.predicate != no_index) {
          s.write_predicate(r.predicate, memory[there + r.there] != 0 ? all_lanes : 0, std::uint32_t{1} << lane);
        } else if (r.slot == no_slot) {
          copy_bytes(memory + here + r.here, memory + there + r.there, r.size);
        } else {
          std::uint64_t v = 0;
          copy_bytes(&v, memory + there + r.there, r.size < 8 ? r.size : 8);
          s.write(r.slot, lane, v);
        }
      }
      go(site.next, lane);
    }
    return true;
  }

  /// For livelock detection: notes the stacks; whether they are so again.
  void remember() {
    noted_depth_ = depth_;
    noted_returns_ = returns_;
    noted_put_away_ = put_away_;
  }
  [[nodiscard]] bool as_remembered() const {
    if (depth_ != noted_depth_) return false;
    for (std::size_t t = 0; t < depth_.size(); ++t)
      for (std::size_t level = 0; level < depth_[t]; ++level)
        if (returns_[level * threads_ + t] != noted_returns_[level * threads_ + t]) return false;
    return put_away_ == noted_put_away_;
  }

 private:
  static constexpr std::size_t max_saved_bytes = std::size_t{1} << 20;  // of a thread

  static std::uint64_t frame_of(const decoded_function& f, const lane_set& s, std::size_t lane) {
    return f.frame == no_slot ? f.frame_offset : s.read(f.frame, lane);
  }

  static void copy_bytes(void* to, const void* from, std::uint32_t size) {
    if (size == 4)
      std::memcpy(to, from, 4);
    else if (size == 8)
      std::memcpy(to, from, 8);
    else
      std::memmove(to, from, size);
  }

  [[gnu::noinline]] bool overflow(const decoded_block& block, std::uint32_t thread, std::string why) {
    block_->complain(fault_kind::call_overflow, block.last_instruction, thread, 0, std::move(why));
    return false;
  }

  // The function that a lane calls through a register; no_index, having complained, if that is not to be called here.
  std::uint32_t called_function(const decoded_block& block, const call_site& site, const lane_set& s,
                                std::uint32_t lane) {
    const std::uint64_t address = s.read(site.callee, lane);
    const auto complain_of = [&](const std::string& what) {
      block_->complain(fault_kind::bad_target, block.last_instruction, s.first_thread + lane, address, what);
      return no_index;
    };
    const device_memory& memory = memory_->global();
    const std::uint32_t number = memory.function_at(kernel_->from_module, address);
    const std::uint32_t f = number == no_index ? no_index : kernel_->function_at[number];
    for (const std::uint32_t t : site.targets)
      if (t == f) return f;
    const std::string begin = "address " + hexadecimal(address) + " belongs to ";
    if (f != no_index) return complain_of(begin + "function '" + kernel_->functions[f].name + "', " + other_shape);
    for (const function_pointee& p : kernel_->not_callable)
      if (p.function == number)
        return complain_of(begin + "function '" + p.name + "', " + (p.has_body ? other_shape : "which has no body"));
    if (number != no_index)
      return complain_of(begin + "function " + std::to_string(number) +
                         " of the module; no code takes the function's address");
    if (memory.module_at(address) != module_id{}) return complain_of(begin + "a function of another module");
    return complain_of(begin + "no function");
  }
  static constexpr const char* other_shape = "which takes or returns something else than this call passes";

  // Registers of a function for one thread, as put_away keeps them.
  static std::size_t words_of(const decoded_function& f) {
    return std::size_t{f.count32} + f.count64 + (f.predicates + std::size_t{63}) / 64;
  }
  // A lane's registers of a function, to be brought back when the call has returned.
  void put_away(const decoded_function& f, const lane_set& s, std::uint32_t lane, std::uint32_t thread) {
    std::vector<std::uint64_t>& to = put_away_[thread];
    for (std::uint32_t n = 0; n < f.count32; ++n) to.push_back(s.read(make_slot(false, f.first32 + n), lane));
    for (std::uint32_t n = 0; n < f.count64; ++n) to.push_back(s.read(make_slot(true, f.first64 + n), lane));
    for (std::uint32_t n = 0; n < f.predicates; n += 64) {
      std::uint64_t bits = 0;
      for (std::uint32_t k = 0; k < 64 && n + k < f.predicates; ++k)
        bits |= std::uint64_t{(s.predicates[f.first_predicate + n + k] >> lane) & 1U} << k;
      to.push_back(bits);
    }
  }
  void bring_back(const decoded_function& f, const lane_set& s, std::uint32_t lane, std::uint32_t thread) {
    std::vector<std::uint64_t>& from = put_away_[thread];
    const std::size_t size = words_of(f);
    const std::uint64_t* next = from.data() + (from.size() - size);
    for (std::uint32_t n = 0; n < f.count32; ++n) s.write(make_slot(false, f.first32 + n), lane, *next++);
    for (std::uint32_t n = 0; n < f.count64; ++n) s.write(make_slot(true, f.first64 + n), lane, *next++);
    for (std::uint32_t n = 0; n < f.predicates; n += 64, ++next)
      for (std::uint32_t k = 0; k < 64 && n + k < f.predicates; ++k)
        s.write_predicate(f.first_predicate + n + k, (*next >> k & 1U) != 0 ? all_lanes : 0, std::uint32_t{1} << lane);
    from.resize(from.size() - size);
  }

  thread_block* block_;
  const decoded_kernel* kernel_;
  memory_spaces* memory_;
  std::uint32_t threads_;
  std::vector<std::uint32_t> depth_;                  // by thread: calls it is in
  std::vector<std::uint32_t> returns_;                // by level, then thread: the call site; a level comes when needed
  std::vector<std::uint32_t> active_;                 // by function, then thread: how often a recursive one is active
  std::vector<std::vector<std::uint64_t>> put_away_;  // by thread: registers of functions that were called again
  std::vector<std::uint32_t> noted_depth_, noted_returns_;
  std::vector<std::vector<std::uint64_t>> noted_put_away_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
