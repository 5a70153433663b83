// SPDX-License-Identifier: BSL-1.0
//
// The parameters of caches that hold lines which somebody else writes. L1 caches of GPUs are not coherent: machines
// differ in the accesses that pass an L1 by, and in the writes that the L2 sees.
#pragma once

#include <simtflow/config.hpp>

#include <cstddef>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// The effect of a store to global memory on a line that the L1 of the core has. PTX ISA, cache operators, st.wb: a
/// device of sm_20 discards the line.
enum class store_kind : unsigned char {
  update,  ///< the line stays, with the new bytes
  evict    ///< the line leaves the L1
};

/// The level from which a volatile access takes its data. PTX ISA, ld.volatile: it sees what other threads wrote, so
/// an L1 that is not coherent is no place for it. GPGPU-Sim treats it as any other access.
enum class volatile_kind : unsigned char {
  l2,  ///< the L2; the L1 loses the line
  l1   ///< the L1, as every other access
};

/// The way of copies from the host to the device. GPGPU-Sim, option gpgpu_perf_sim_memcpy, has both.
enum class copy_kind : unsigned char {
  dram,  ///< to the DRAM: a launch begins with an empty L2
  l2     ///< through the L2: a launch finds the last lines there
};

/// The words of store_kind, in its order.
inline constexpr const char* store_kind_names[] = {"update", "evict"};
/// The words of volatile_kind, in its order.
inline constexpr const char* volatile_kind_names[] = {"l2", "l1"};
/// The words of copy_kind, in its order.
inline constexpr const char* copy_kind_names[] = {"dram", "l2"};

/// The word of an enumerator, as it is spelled. \pre `kind` is an enumerator; so for the functions below.
[[nodiscard]] constexpr const char* to_string(store_kind kind) {
  return store_kind_names[static_cast<std::size_t>(kind)];
}
/// The word of an enumerator.
[[nodiscard]] constexpr const char* to_string(volatile_kind kind) {
  return volatile_kind_names[static_cast<std::size_t>(kind)];
}
/// The word of an enumerator.
[[nodiscard]] constexpr const char* to_string(copy_kind kind) {
  return copy_kind_names[static_cast<std::size_t>(kind)];
}

/// Stores, volatile accesses, and copies from the host.
struct coherence_parameters {
  store_kind stores = store_kind::update;       ///< stores of the core to global memory
  volatile_kind volatiles = volatile_kind::l2;  ///< volatile accesses to global and local memory
  copy_kind copies = copy_kind::dram;           ///< copies before the launch: grid::copied (timing/device.hpp)
  friend constexpr bool operator==(const coherence_parameters&, const coherence_parameters&) = default;
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow
