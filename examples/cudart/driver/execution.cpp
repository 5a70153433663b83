// SPDX-License-Identifier: BSL-1.0
//
// Launches, and what a program asks and says about its kernels (CUDA Driver API, Execution Control, Occupancy, Library
// Management).
#include "cudart/core/device_properties.hpp"
#include "cudart/driver/driver.hpp"

#include <iterator>

using cudart::code;
using cudart::error;
using cudart::handle;
using cudart::in_context;
using cudart::initialised;
using cudart::kernel_of;
using cudart::missing;
using cudart::process_device;
using cudart::registered_kernel;
using cudart::shape_of;
using cudart::stream_of;
using cudart::to_program;
namespace cuda = simtflow::cuda;

namespace {

error launch(handle function, const cuda::launch_shape& shape, handle stream, void** arguments, void** extra) {
  const registered_kernel* kernel = nullptr;
  if (const error e = kernel_of(function, kernel); e != error::success) return e;
  if (const error e = cudart::bind_references(kernel->module); e != error::success) return e;
  if (arguments != nullptr || extra == nullptr)
    return process_device().launch(kernel->handle, shape, arguments, stream_of(stream));
  // A list of keys with values: 1 the packed arguments, 2 the address of their size, 0 the end.
  const unsigned char* bytes = nullptr;
  std::size_t size = 0;
  for (; extra[0] != nullptr; extra += 2) {
    if (reinterpret_cast<std::uintptr_t>(extra[0]) == 1) bytes = static_cast<const unsigned char*>(extra[1]);
    if (reinterpret_cast<std::uintptr_t>(extra[0]) == 2) size = *static_cast<const std::size_t*>(extra[1]);
  }
  return process_device().launch_packed(kernel->handle, shape, {bytes, bytes == nullptr ? 0 : size}, stream_of(stream));
}

error attributes_of(handle function, cuda::kernel_attributes& found) {
  const registered_kernel* kernel = nullptr;
  if (const error e = kernel_of(function, kernel); e != error::success) return e;
  return process_device().attributes(kernel->handle, found);
}

error get_attribute(int* value, int attribute, handle function) {
  cuda::kernel_attributes facts;
  if (value == nullptr) return error::invalid_value;
  if (const error e = attributes_of(function, facts); e != error::success) return e;
  const std::int64_t known[] = {facts.max_threads,
                                static_cast<std::int64_t>(facts.shared_bytes),
                                static_cast<std::int64_t>(facts.constant_bytes),
                                static_cast<std::int64_t>(facts.local_bytes),
                                facts.registers,
                                facts.capability,
                                process_device().how().capability,
                                0,
                                static_cast<std::int64_t>(facts.max_dynamic_shared_bytes),
                                facts.shared_carveout,
                                0,  // nothing about clusters
                                0,
                                0,
                                0,
                                0,
                                0};
  if (attribute < 0 || attribute >= static_cast<int>(std::size(known))) return error::invalid_value;
  *value = static_cast<int>(known[attribute]);
  return error::success;
}

error set_attribute(handle function, int attribute, int value) {
  const registered_kernel* kernel = nullptr;
  if (const error e = kernel_of(function, kernel); e != error::success) return e;
  return cudart::set_kernel_attribute(kernel->handle, attribute, value);
}

// A handle of a kernel that there is; its caches are the machine's.
error check_kernel(handle function) {
  const registered_kernel* kernel = nullptr;
  return kernel_of(function, kernel);
}

error name_of(const char** name, handle function) {
  const registered_kernel* found = cudart::registered_at(function);
  if (name == nullptr) return error::invalid_value;
  if (found == nullptr) return error::invalid_resource_handle;
  *name = found->name.c_str();
  return error::success;
}

error parameter_of(handle function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  cuda::kernel_attributes found;
  if (const error e = attributes_of(function, found); e != error::success) return e;
  if (offset == nullptr || index >= found.parameter_sizes.size()) return error::invalid_value;
  *offset = static_cast<std::size_t>(found.parameter_offsets[index]);
  if (bytes != nullptr) *bytes = static_cast<std::size_t>(found.parameter_sizes[index]);
  return error::success;
}

error find_module(handle* module, handle function) {
  const registered_kernel* kernel = nullptr;
  if (module == nullptr) return error::invalid_value;
  if (const error e = kernel_of(function, kernel); e != error::success) return e;
  *module = to_program(kernel->module);
  return error::success;
}

error occupancy(int* blocks, handle function, int threads, std::size_t shared) {
  if (blocks == nullptr || threads <= 0) return error::invalid_value;
  const registered_kernel* kernel = nullptr;
  if (const error e = kernel_of(function, kernel); e != error::success) return e;
  std::uint32_t found = 0;
  const error e = process_device().occupancy(kernel->handle, static_cast<std::uint32_t>(threads), shared, found);
  *blocks = static_cast<int>(found);
  return e;
}

// The thread blocks of the size that fills a core best, the larger one of equals.
error best_block(int* grid, int* block, handle function, std::size_t (*shared_of)(int), std::size_t shared, int most) {
  cuda::kernel_attributes facts;
  if (missing(grid, block)) return error::invalid_value;
  if (const error e = attributes_of(function, facts); e != error::success) return e;
  const cudart::device_prop_12& device = cudart::device_properties();
  const int limit = static_cast<int>(facts.max_threads);
  if (most <= 0 || most > limit) most = limit;
  int best = 0;
  for (int threads = most; threads > 0;) {
    int blocks = 0;
    const std::size_t bytes = shared_of == nullptr ? shared : shared_of(threads);
    if (const error e = occupancy(&blocks, function, threads, bytes); e != error::success) return e;
    if (blocks * threads > best) {
      best = blocks * threads;
      *block = threads;
      *grid = blocks * device.multiProcessorCount;
    }
    if (best >= device.maxThreadsPerMultiProcessor) break;
    threads = (threads - 1) / device.warpSize * device.warpSize;  // whole warps
  }
  return best == 0 ? error::invalid_value : error::success;
}

}  // namespace

CUDART_CALL int cuLaunchKernel(handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                               unsigned block_y, unsigned block_z, unsigned shared, handle stream, void** arguments,
                               void** extra) {
  return in_context([&] {
    const auto shape = shape_of({grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, false);
    return launch(function, shape, stream, arguments, extra);
  });
}
CUDART_ALSO(cuLaunchKernel_ptsz, cuLaunchKernel)
CUDART_CALL int cuLaunchCooperativeKernel(handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                          unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                          handle stream, void** arguments) {
  return in_context([&] {
    const auto shape = shape_of({grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, true);
    return launch(function, shape, stream, arguments, nullptr);
  });
}
CUDART_ALSO(cuLaunchCooperativeKernel_ptsz, cuLaunchCooperativeKernel)
CUDART_CALL int cuLaunchKernelEx(const cudart::driver_launch_config* c, handle function, void** arguments,
                                 void** extra) {
  return in_context([&] {
    if (c == nullptr) return error::invalid_value;
    const cudart::launch_attributes how = cudart::read_attributes(c->attrs, c->numAttrs, c->hStream);
    if (how.clusters)
      return cudart::refused_by_driver("cuLaunchKernelEx with CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION",
                                       "clusters of more than one thread block are not simulated");
    const auto shape = shape_of({c->gridDimX, c->gridDimY, c->gridDimZ}, {c->blockDimX, c->blockDimY, c->blockDimZ},
                                c->sharedMemBytes, how.cooperative);
    return launch(function, shape, c->hStream, arguments, extra);
  });
}
CUDART_ALSO(cuLaunchKernelEx_ptsz, cuLaunchKernelEx)
CUDART_CALL int cuLaunchHostFunc(handle stream, void (*function)(void*), void* data) {
  return in_context([&] {
    return function == nullptr ? error::invalid_value : process_device().call_host(stream_of(stream), function, data);
  });
}
CUDART_ALSO(cuLaunchHostFunc_ptsz, cuLaunchHostFunc)

CUDART_CALL int cuFuncGetAttribute(int* value, int attribute, handle function) {
  return in_context([&] { return get_attribute(value, attribute, function); });
}
CUDART_CALL int cuFuncSetAttribute(handle function, int attribute, int value) {
  return in_context([&] { return set_attribute(function, attribute, value); });
}
CUDART_CALL int cuFuncSetCacheConfig(handle function, int) {
  return in_context([&] { return check_kernel(function); });
}
CUDART_ALSO(cuFuncSetSharedMemConfig, cuFuncSetCacheConfig)
CUDART_CALL int cuFuncGetModule(handle* module, handle function) {
  return in_context([&] { return find_module(module, function); });
}
CUDART_CALL int cuFuncGetName(const char** name, handle function) {
  return initialised([&] { return name_of(name, function); });
}
CUDART_CALL int cuFuncGetParamInfo(handle function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  return initialised([&] { return parameter_of(function, index, offset, bytes); });
}
CUDART_CALL int cuFuncIsLoaded(int* state, handle function) {
  return initialised([&] {
    if (state == nullptr) return error::invalid_value;
    *state = 1;  // CU_FUNCTION_LOADING_STATE_LOADED
    return check_kernel(function);
  });
}
CUDART_CALL int cuFuncLoad(handle function) {
  return in_context([&] { return check_kernel(function); });
}

CUDART_CALL int cuKernelGetFunction(handle* function, handle kernel) {
  return in_context([&] {
    if (function == nullptr) return error::invalid_value;
    *function = kernel;
    return check_kernel(kernel);
  });
}
CUDART_CALL int cuKernelGetLibrary(handle* library, handle kernel) {
  return initialised([&] { return find_module(library, kernel); });
}
CUDART_CALL int cuKernelGetAttribute(int* value, int attribute, handle kernel, int device) {
  return initialised([&] { return device != 0 ? error::invalid_device : get_attribute(value, attribute, kernel); });
}
CUDART_CALL int cuKernelSetAttribute(int attribute, int value, handle kernel, int device) {
  return initialised([&] { return device != 0 ? error::invalid_device : set_attribute(kernel, attribute, value); });
}
CUDART_CALL int cuKernelSetCacheConfig(handle kernel, int, int device) {
  return initialised([&] { return device != 0 ? error::invalid_device : check_kernel(kernel); });
}
CUDART_ALSO(cuKernelGetName, cuFuncGetName)
CUDART_ALSO(cuKernelGetParamInfo, cuFuncGetParamInfo)

CUDART_CALL int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, handle function, int threads,
                                                                     std::size_t shared, unsigned) {
  return in_context([&] { return occupancy(blocks, function, threads, shared); });
}
CUDART_CALL int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, handle function, int threads,
                                                            std::size_t shared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}
CUDART_CALL int cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, handle function,
                                                          std::size_t (*shared_of)(int), std::size_t shared, int most,
                                                          unsigned) {
  return in_context([&] { return best_block(grid, block, function, shared_of, shared, most); });
}
CUDART_CALL int cuOccupancyMaxPotentialBlockSize(int* grid, int* block, handle function, std::size_t (*shared_of)(int),
                                                 std::size_t shared, int most) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared_of, shared, most, 0);
}
CUDART_CALL int cuOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, handle function, int blocks, int threads) {
  return in_context([&] {
    const registered_kernel* kernel = nullptr;
    if (bytes == nullptr) return error::invalid_value;
    if (const error e = kernel_of(function, kernel); e != error::success) return e;
    return cudart::available_dynamic_shared(kernel->handle, blocks, threads, *bytes);
  });
}
