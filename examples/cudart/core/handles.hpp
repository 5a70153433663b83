// SPDX-License-Identifier: BSL-1.0
//
// Between the handles and pointers of a program and what the device takes.
#pragma once

#include "cudart/core/process.hpp"

#include <cstdint>

namespace cudart {

inline cuda::stream_handle stream_of(handle stream) {
  return static_cast<cuda::stream_handle>(reinterpret_cast<std::uintptr_t>(stream));
}
inline cuda::event_handle event_of(handle event) {
  return static_cast<cuda::event_handle>(reinterpret_cast<std::uintptr_t>(event));
}
template <class Handle>
handle to_program(Handle made) {
  return reinterpret_cast<handle>(static_cast<std::uintptr_t>(made));
}

/// The direction of a copy; the device refuses a number that is none.
inline cuda::copy_kind direction(int kind) { return static_cast<cuda::copy_kind>(kind); }

inline cuda::launch_shape shape_of(const dim3& grid, const dim3& block, std::size_t shared, bool cooperative) {
  cuda::launch_shape shape;
  const unsigned blocks[3] = {grid.x, grid.y, grid.z}, threads[3] = {block.x, block.y, block.z};
  for (int i = 0; i < 3; ++i) shape.grid[i] = blocks[i], shape.block[i] = threads[i];
  shape.dynamic_shared_bytes = shared;
  shape.cooperative = cooperative;
  return shape;
}

}  // namespace cudart
