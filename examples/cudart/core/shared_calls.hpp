// SPDX-License-Identifier: BSL-1.0
//
// The calls that the runtime and the driver API have in common, and that the device itself has not. All but the
// functions of a pool are thread-safe.
#pragma once

#include "cudart/core/handles.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace cudart {

/// The place of the only device on the bus.
inline constexpr const char* bus_id = "0000:01:00.0";

/// The bytes of a file. \returns false if it cannot be read
CUDART_SHARED bool read_file(const char* path, std::string& bytes);

/// A limit, as the program set it (enum cudaLimit, CUlimit). \returns unsupported_limit if there is no such limit
CUDART_SHARED error get_limit(int limit, std::size_t& value);
/// Sets it. The limit of the kernels' heap holds, and the one of a thread's stack if it is more than a thread has
/// anyway. Kernels have the other memory that they ask for.
CUDART_SHARED error set_limit(int limit, std::size_t value);

/// Sets an attribute of a kernel (enum cudaFuncAttribute, CUfunction_attribute). \returns invalid_value if it cannot be
/// set
CUDART_SHARED error set_kernel_attribute(cuda::kernel_handle kernel, int attribute, int value);
/// The dynamic shared memory that each of so many thread blocks on a core can have.
CUDART_SHARED error available_dynamic_shared(cuda::kernel_handle kernel, int blocks, int threads, std::size_t& bytes);

/// The attributes of a launch that change it.
struct launch_attributes {
  bool cooperative = false;
  bool clusters = false;  ///< True if it asks for clusters of more than one thread block
};
/// Reads the attributes, and records the events that some of them name.
CUDART_SHARED launch_attributes read_attributes(const launch_attribute* attributes, unsigned count, handle stream);

/// Calls a function of the program in the order of the stream: cudaStreamAddCallback(), cuStreamAddCallback().
CUDART_SHARED error call_back(handle stream, void (*function)(handle, int, void*), void* data);

/// There is one pool, and it gives memory back at once. A pool that a program makes is that one under another name.
struct memory_pool {
  std::uint64_t release_threshold = 0;
};
CUDART_SHARED memory_pool& default_pool();
/// Frees a pool that is not the default one.
CUDART_SHARED error destroy_pool(handle pool);
/// Reads an attribute of a pool (enum cudaMemPoolAttr, CUmemPool_attribute): a number of 64 bits or a switch.
CUDART_SHARED error get_pool_attribute(handle pool, int attribute, void* value);
CUDART_SHARED error set_pool_attribute(handle pool, int attribute, const void* value);
/// Reads an attribute of a range of managed memory. No advice is kept.
CUDART_SHARED error get_range_attribute(void* data, std::size_t bytes, std::uint64_t address);

inline cuda::array_handle array_of(handle array) {
  return static_cast<cuda::array_handle>(reinterpret_cast<std::uintptr_t>(array));
}
/// Makes an array. \param array becomes the program's handle
CUDART_SHARED error make_array(const cuda::array_request& request, handle& array);
CUDART_SHARED error free_array(handle array);
/// A level of an array with several.
CUDART_SHARED error level_of(handle array, unsigned number, handle& level);
CUDART_SHARED error facts_of(handle array, cuda::array_facts& facts);
/// The bytes of an array from a place on: x counts bytes.
CUDART_SHARED error box_in(handle array, std::size_t x, std::size_t y, std::size_t z, cuda::byte_box& box);

}  // namespace cudart
