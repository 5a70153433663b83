// SPDX-License-Identifier: BSL-1.0
//
// The parts of a recorded program that only time needs: the instructions of each block without their effects, and the
// address of each access to memory. The paths of the threads are in simt/trace.hpp; io/timed_replay.hpp runs both.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/timing/instruction.hpp>
#include <simtflow/timing/memory_range.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// An access that an instruction can make: everything but the address. Most memory instructions have one; a generic
/// address can point to several memories, and an asynchronous copy loads and stores.
struct recorded_access {
  address_space where = address_space::global;  ///< the memory; never none
  access_kind kind = access_kind::load;         ///< the direction
  bool bypasses_l1 = false;                     ///< True if the access takes its data from the L2
  std::uint32_t bytes = 4;                      ///< bytes of each lane, from 1 to most_bytes
  bool is_volatile = false;                     ///< True if the access has to see what other cores write

  static constexpr std::uint32_t most_bytes = 1024;  ///< the greatest `bytes`
  /// The same access.
  friend constexpr bool operator==(const recorded_access&, const recorded_access&) = default;
};

/// The instructions of all blocks, one block after the other. Empty if time needs were not recorded.
struct recorded_code {
  static constexpr std::uint32_t instruction_bytes = 8;  ///< of an instruction in the code

  std::vector<instruction> instructions;     ///< all of them
  std::vector<std::size_t> first{0};         ///< by block: its first instruction; one more: their number
  std::vector<std::uint32_t> registers;      ///< the list that instructions point into
  std::vector<recorded_access> accesses;     ///< of all instructions, one instruction after the other
  std::vector<std::size_t> first_access{0};  ///< by instruction: its first access; one more: their number
  std::uint64_t address = 0;                 ///< of the first instruction in memory; the other ones follow
  std::uint32_t shared_bytes = 0;            ///< shared memory of a thread block, for the occupancy
  std::vector<memory_range> copied;          ///< what the host copied to global memory before the run, in order

  /// True if nothing was recorded.
  [[nodiscard]] bool empty() const { return instructions.empty(); }

  /// Adds an instruction to the block that is being made.
  /// \param kind its class
  /// \param where the memory, if it accesses memory
  /// \param reads registers that it reads
  /// \param writes registers that it writes
  void add(instruction_class kind, address_space where, std::span<const std::uint32_t> reads,
           std::span<const std::uint32_t> writes) {
    instructions.push_back({kind, where, static_cast<std::uint16_t>(reads.size()),
                            static_cast<std::uint16_t>(writes.size()), static_cast<std::uint32_t>(registers.size())});
    registers.insert(registers.end(), reads.begin(), reads.end());
    registers.insert(registers.end(), writes.begin(), writes.end());
    first_access.push_back(accesses.size());
  }
  /// Adds an access to the instruction that was added last. \pre there is an instruction
  void add(const recorded_access& access) {
    SIMTFLOW_EXPECTS(!instructions.empty(), "an access belongs to an instruction");
    accesses.push_back(access);
    ++first_access.back();
  }
  /// Ends the block that is being made; it may be empty.
  void end_block() { first.push_back(instructions.size()); }

  /// The number of blocks. O(1).
  [[nodiscard]] std::size_t num_blocks() const { return first.size() - 1; }
  /// The number of an instruction among all of them. \pre b is a block of the code, i an instruction of it. O(1).
  [[nodiscard]] std::size_t number_of(block_id b, std::uint32_t i) const {
    SIMTFLOW_EXPECTS(b < num_blocks() && i < first[b + 1] - first[b], "an instruction of the recorded code");
    return first[b] + i;
  }
  /// The number of accesses that a thread makes in a block, or leaves out if a guard does not hold.
  /// \pre b is a block of the code. O(1).
  [[nodiscard]] std::size_t accesses_in(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks(), "a block of the recorded code");
    return first_access[first[b + 1]] - first_access[first[b]];
  }

  /// The same code.
  friend bool operator==(const recorded_code&, const recorded_code&) = default;
};

/// The addresses of a thread's accesses, thread by thread: for each block of its path each access of recorded_code.
struct recorded_addresses {
  static constexpr std::uint64_t none = ~std::uint64_t{0};  ///< in place of an address: the thread made no such access

  std::vector<std::uint64_t> all;     ///< as timing::access has them
  std::vector<std::size_t> first{0};  ///< by thread, over all thread blocks: its first address; one more: their number

  /// The number of threads. O(1).
  [[nodiscard]] std::size_t num_threads() const { return first.size() - 1; }
  /// The addresses of a thread. \pre t < num_threads(). O(1).
  [[nodiscard]] std::span<const std::uint64_t> of_thread(std::size_t t) const {
    SIMTFLOW_EXPECTS(t < num_threads(), "a thread that was recorded");
    return std::span<const std::uint64_t>(all).subspan(first[t], first[t + 1] - first[t]);
  }
  /// Ends the addresses of a thread; the next one that is added belongs to the next thread.
  void end_thread() { first.push_back(all.size()); }

  /// The same addresses.
  friend bool operator==(const recorded_addresses&, const recorded_addresses&) = default;
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow
