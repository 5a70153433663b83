// SPDX-License-Identifier: BSL-1.0
//
// mapa and getctarank: a cluster is one thread block, of rank 0.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "mapa", "getctarank".
#pragma once

#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// The address in the thread block of that rank; addresses of other ranks than 0 are outside all memory.
template <class T>
constexpr T address_in_cluster(T address, std::uint32_t rank) {
  return rank == 0 ? address : static_cast<T>(~T{0});
}
// The rank of the thread block that an address belongs to.
template <class T>
constexpr std::uint32_t rank_in_cluster(T) {
  return 0;
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
