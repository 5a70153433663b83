// SPDX-License-Identifier: BSL-1.0
//
// The heap that kernels allocate from with malloc(), new, free() and delete: what is in use, by whom it was allocated,
// how much there may be. The bytes lie in allocations of the device memory.
//
// An address depends only on the number of the thread in the grid and on what threads of that number have allocated
// before, never on the order of the threads. So kernels that allocate do the same under every policy, unless the heap
// becomes full. Addresses are not given again: an access after free() faults.
//
// Literature: NVIDIA, CUDA C++ Programming Guide, section "Dynamic Global Memory Allocation and Operations".
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// A block of the heap that is in use.
struct heap_block {
  std::string kernel;                         ///< that allocated it
  position where;                             ///< of the call, in the PTX text
  std::string source;                         ///< the source line, such as "my.cu:17"; empty: the text does not say it
  std::uint32_t thread[3] = {0, 0, 0};        ///< that allocated it: %tid
  std::uint32_t thread_block[3] = {0, 0, 0};  ///< likewise: %ctaid
  std::uint64_t bytes = 0;                    ///< its size

  /// \returns "thread (1, 0, 0) of thread block (0, 0, 0) of kernel 'k', line 3, column 5, at my.cu:17".
  [[nodiscard]] std::string owner() const {
    const auto three = [](const std::uint32_t(&s)[3]) {
      return "(" + std::to_string(s[0]) + ", " + std::to_string(s[1]) + ", " + std::to_string(s[2]) + ")";
    };
    return "thread " + three(thread) + " of thread block " + three(thread_block) + " of kernel '" + kernel + "', " +
           to_string(where) + (source.empty() ? "" : ", at " + source);
  }
};

/// The books of a heap.
class device_heap {
 public:
  /// Addresses of the heap are not less than this.
  static constexpr std::uint64_t first_address = std::uint64_t{1} << 62;

  /// \returns the bytes that may be in use; CUDA's default is 8 MiB.
  [[nodiscard]] std::uint64_t limit() const { return limit_; }
  /// Sets the limit for later allocations. \param bytes that may be in use
  void set_limit(std::uint64_t bytes) { limit_ = bytes; }
  /// \returns the bytes in use.
  [[nodiscard]] std::uint64_t in_use() const { return in_use_; }

  /// Enters a block.
  /// \param number of the thread in the grid
  /// \param block the block
  /// \returns its address; 0 if the limit does not allow it, or the thread has used up its 4 GiB of addresses. O(1) on
  /// average.
  [[nodiscard]] std::uint64_t enter(std::uint64_t number, heap_block block) {
    if (block.bytes > limit_ || in_use_ > limit_ - block.bytes || number >= threads) return 0;
    std::uint64_t& next = next_[number];
    const std::uint64_t offset = next, taken = (block.bytes + 2 * granularity - 1) / granularity * granularity;
    if (taken > span - offset) return 0;
    next += taken;
    in_use_ += block.bytes;
    const std::uint64_t address = first_address + number * span + offset;
    blocks_.emplace(address, std::move(block));
    return address;
  }
  /// Strikes a block out. \param address where it begins \returns false if no block begins there. O(1) on average.
  bool strike(std::uint64_t address) {
    const auto found = blocks_.find(address);
    if (found == blocks_.end()) return false;
    in_use_ -= found->second.bytes;
    blocks_.erase(found);
    return true;
  }

  /// The blocks that were never freed: a diagnostic for each instruction that allocated some, with their number, their
  /// bytes and one of the threads. Unordered. O(blocks).
  [[nodiscard]] simtflow::diagnostics leaks() const {
    struct group {
      const heap_block* one = nullptr;
      std::uint64_t address = 0, number = 0, bytes = 0;
    };
    std::unordered_map<std::string, group> groups;
    for (const auto& [address, b] : blocks_) {
      group& g = groups[b.kernel + '\n' + to_string(b.where)];
      if (g.one == nullptr || address < g.address) {
        g.one = &b;
        g.address = address;
      }
      ++g.number;
      g.bytes += b.bytes;
    }
    simtflow::diagnostics all;
    for (const auto& [name, g] : groups)
      add_diagnostic(all, g.one->where,
                     std::to_string(g.number) + (g.number == 1 ? " block of " : " blocks of ") +
                         std::to_string(g.bytes) + " bytes in all not freed; the first is of " + g.one->owner());
    return all;
  }

 private:
  static constexpr std::uint64_t granularity = 256, span = std::uint64_t{1} << 32, threads = std::uint64_t{1} << 29;
  std::unordered_map<std::uint64_t, heap_block> blocks_;   // by address
  std::unordered_map<std::uint64_t, std::uint64_t> next_;  // by number of the thread: the next offset
  std::uint64_t limit_ = std::uint64_t{8} << 20, in_use_ = 0;
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
