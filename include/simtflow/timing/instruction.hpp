// SPDX-License-Identifier: BSL-1.0
//
// An instruction as the core of the cycle model sees it: its class, its registers, and the memory that it accesses. The
// effect of an instruction is the business of the program (timing/program.hpp).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/timing/instruction_class.hpp>

#include <cstdint>
#include <span>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// The memories that an instruction can access, by the path that the access takes.
enum class address_space : unsigned char {
  none,       ///< registers only
  global,     ///< L1 data cache, L2, DRAM
  shared,     ///< banks of the core
  constant,   ///< constant cache
  parameter,  ///< kernel parameters, by way of the constant cache
  local,      ///< memory of one thread, on the path of global memory
  texture     ///< texture cache
};

/// "none", "global", "shared", "constant", "parameter", "local", "texture".
[[nodiscard]] constexpr const char* to_string(address_space where) {
  constexpr const char* names[] = {"none", "global", "shared", "constant", "parameter", "local", "texture"};
  return names[static_cast<unsigned char>(where)];
}

/// The direction of an access.
enum class access_kind : unsigned char {
  load,   ///< brings data to registers
  store,  ///< brings data to memory
  atomic  ///< reads and writes memory in one step, and brings back the old value
};

/// "load", "store", "atomic".
[[nodiscard]] constexpr const char* to_string(access_kind kind) {
  return kind == access_kind::load ? "load" : kind == access_kind::store ? "store" : "atomic";
}

/// One access to memory by the lanes of a warp. A warp instruction makes no access, one, or several: a generic address
/// can point to two memories, and an asynchronous copy loads and stores.
struct access {
  address_space where = address_space::global;  ///< the memory; never none
  access_kind kind = access_kind::load;         ///< the direction
  bool bypasses_l1 = false;                     ///< True if the access takes its data from the L2
  std::uint32_t bytes = 4;                      ///< bytes of each lane, at least 1
  /// The byte address of each lane that takes part, lowest lane first; at least one. Local memory: the offset in the
  /// thread's own memory, plus 2^32 times the number of the thread in its thread block. The load/store unit
  /// interleaves.
  std::span<const std::uint64_t> addresses{};
  bool is_volatile = false;  ///< True if the access has to see what other cores write: coherence_parameters::volatiles
};

/// The facts that the core knows of an instruction before it issues. Registers are numbers that the program chooses;
/// predicates count as registers. The list is in timed_program::registers(): first the registers that the instruction
/// reads, after them the registers that it writes.
struct instruction {
  instruction_class kind = instruction_class::int_add;  ///< latency and unit
  address_space where = address_space::none;            ///< memory instructions: the memory; generic counts as global
  std::uint16_t reads = 0;                              ///< registers that it reads, its guard included
  std::uint16_t writes = 0;                             ///< registers that it writes
  std::uint32_t first_register = 0;                     ///< place of the first register in the program's list
  friend constexpr bool operator==(const instruction&, const instruction&) = default;
};

/// True if an instruction of the class goes to a memory.
[[nodiscard]] constexpr bool accesses_memory(instruction_class kind) {
  return kind == instruction_class::load || kind == instruction_class::store || kind == instruction_class::atomic;
}

}  // namespace timing
}  // namespace v0
}  // namespace simtflow
