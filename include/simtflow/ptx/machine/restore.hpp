// SPDX-License-Identifier: BSL-1.0
//
// Brings a memory back to an earlier state. Assigning a copy would not do: a copy owns its bytes, so the memory would
// lose the host's bytes.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/machine/allocation.hpp>
#include <simtflow/ptx/machine/memory.hpp>

#include <cstring>
#include <utility>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// Makes a memory what its copy is: the same allocations with the same values, and the same next address. Borrowed
/// bytes stay borrowed, so the host's memory gets its values back; the host must still lend all that it lent then.
/// \param memory is changed
/// \param was a copy of the memory, from earlier. Complexity: O(bytes).
inline void restore(device_memory& memory, const device_memory& was) {
  device_memory again = was;
  for (allocation& a : again.allocations()) {
    allocation* lent = memory.holding(a.address, a.bytes.size());
    if (lent == nullptr || lent->address != a.address || !lent->bytes.is_borrowed()) continue;
    std::memcpy(lent->bytes.data(), a.bytes.data(), a.bytes.size());
    std::swap(a.bytes, lent->bytes);
  }
  memory = std::move(again);
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
