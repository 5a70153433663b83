// SPDX-License-Identifier: BSL-1.0
//
// Launches, and what a program asks and says about its kernels (CUDA Runtime API, Execution Control, Occupancy).
#include "cudart/core/shared_calls.hpp"
#include "cudart/runtime/versioned/shared.hpp"

#include <cstdint>

using cudart::error;
using cudart::handle;
using cudart::returned;
using cudart::shape_of;
using cudart::stream_of;
using cudart::the_device;

namespace {

namespace cuda = simtflow::cuda;

error launch(const void* function, const cuda::launch_shape& shape, void** arguments, handle stream) {
  const cudart::registered_kernel* kernel = nullptr;
  if (const error e = cudart::find_kernel(function, kernel); e != error::success) return e;
  return the_device().launch(kernel->handle, shape, arguments, stream_of(stream));
}

error attributes_of(const void* function, cuda::kernel_attributes& found) {
  const cudart::registered_kernel* kernel = nullptr;
  if (const error e = cudart::find_kernel(function, kernel); e != error::success) return e;
  return the_device().attributes(kernel->handle, found);
}

error set_attribute(const void* function, int attribute, int value) {
  const cudart::registered_kernel* kernel = nullptr;
  if (const error e = cudart::find_kernel(function, kernel); e != error::success) return e;
  return cudart::set_kernel_attribute(kernel->handle, attribute, value);
}

}  // namespace

CUDART_CALL int cudaLaunchKernel(const void* function, cudart::dim3 grid, cudart::dim3 block, void** arguments,
                                 std::size_t shared, handle stream) {
  return returned(launch(function, shape_of(grid, block, shared, false), arguments, stream));
}
CUDART_ALSO(cudaLaunchKernel_ptsz, cudaLaunchKernel)
// From CUDA 13 on <<<>>> launches by the handle that __cudaGetKernel() gives.
CUDART_ALSO(__cudaLaunchKernel, cudaLaunchKernel)
CUDART_ALSO(__cudaLaunchKernel_ptsz, cudaLaunchKernel)

CUDART_CALL int cudaLaunchCooperativeKernel(const void* function, cudart::dim3 grid, cudart::dim3 block,
                                            void** arguments, std::size_t shared, handle stream) {
  return returned(launch(function, shape_of(grid, block, shared, true), arguments, stream));
}
CUDART_ALSO(cudaLaunchCooperativeKernel_ptsz, cudaLaunchCooperativeKernel)

CUDART_CALL int cudaLaunchKernelExC(const cudart::launch_config* config, const void* function, void** arguments) {
  if (config == nullptr) return returned(error::invalid_value);
  const cudart::launch_attributes how = cudart::read_attributes(config->attrs, config->numAttrs, config->stream);
  if (how.clusters)
    return cudart::refuse("cudaLaunchKernelExC with cudaLaunchAttributeClusterDimension",
                          "clusters of more than one thread block are not simulated");
  return returned(launch(function,
                         shape_of(config->gridDim, config->blockDim, config->dynamicSmemBytes, how.cooperative),
                         arguments, config->stream));
}
CUDART_ALSO(cudaLaunchKernelExC_ptsz, cudaLaunchKernelExC)

CUDART_CALL int __cudaGetKernel(handle* kernel, const void* function) {
  const cudart::registered_kernel* found = cudart::registered_at(function);
  if (found == nullptr) return returned(error::invalid_device_function);
  (void)the_device();
  *kernel = const_cast<cudart::registered_kernel*>(found);
  return 0;
}
CUDART_ALSO(cudaGetKernel, __cudaGetKernel)
CUDART_ALSO(cudaGetFuncBySymbol, __cudaGetKernel)

CUDART_CALL int cudaFuncGetName(const char** name, const void* function) {
  const cudart::registered_kernel* found = cudart::registered_at(function);
  if (name == nullptr) return returned(error::invalid_value);
  if (found == nullptr) return returned(error::invalid_device_function);
  *name = found->name.c_str();
  return 0;
}

CUDART_CALL int cudaFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  cuda::kernel_attributes found;
  if (const error e = attributes_of(function, found); e != error::success) return returned(e);
  if (index >= found.parameter_sizes.size() || offset == nullptr) return returned(error::invalid_value);
  *offset = static_cast<std::size_t>(found.parameter_offsets[index]);
  if (bytes != nullptr) *bytes = static_cast<std::size_t>(found.parameter_sizes[index]);
  return 0;
}

namespace cudart {

/// The common part of the versions of cudaFuncGetAttributes.
error get_function_attributes(function_attributes& to, const void* function) {
  cuda::kernel_attributes found;
  if (const error e = attributes_of(function, found); e != error::success) return e;
  to.sharedSizeBytes = static_cast<std::size_t>(found.shared_bytes);
  to.constSizeBytes = static_cast<std::size_t>(found.constant_bytes);
  to.localSizeBytes = static_cast<std::size_t>(found.local_bytes);
  to.maxThreadsPerBlock = static_cast<int>(found.max_threads);
  to.numRegs = static_cast<int>(found.registers);
  to.ptxVersion = static_cast<int>(found.capability);
  to.binaryVersion = static_cast<int>(the_device().how().capability);
  to.cacheModeCA = 0;
  to.maxDynamicSharedSizeBytes = static_cast<int>(found.max_dynamic_shared_bytes);
  to.preferredShmemCarveout = found.shared_carveout;
  return error::success;
}

}  // namespace cudart

CUDART_CALL int cudaFuncSetAttribute(const void* function, int attribute, int value) {
  return returned(set_attribute(function, attribute, value));
}
CUDART_CALL int cudaKernelSetAttributeForDevice(handle kernel, int attribute, int value, int device) {
  if (device != 0) return returned(error::invalid_device);
  return returned(set_attribute(kernel, attribute, value));
}
// How the memory of a core is split between shared memory and L1 is the machine's.
CUDART_CALL int cudaFuncSetCacheConfig(const void* function, int) {
  const cudart::registered_kernel* kernel = nullptr;
  return returned(cudart::find_kernel(function, kernel));
}
CUDART_ALSO(cudaFuncSetSharedMemConfig, cudaFuncSetCacheConfig)

CUDART_CALL int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int threads,
                                                                       std::size_t shared, unsigned) {
  if (blocks == nullptr || threads <= 0) return returned(error::invalid_value);
  const cudart::registered_kernel* kernel = nullptr;
  if (const error e = cudart::find_kernel(function, kernel); e != error::success) return returned(e);
  std::uint32_t found = 0;
  const error e = the_device().occupancy(kernel->handle, static_cast<std::uint32_t>(threads), shared, found);
  *blocks = static_cast<int>(found);
  return returned(e);
}
CUDART_CALL int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                              std::size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}

CUDART_CALL int cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function, int blocks,
                                                          int threads) {
  if (bytes == nullptr) return returned(error::invalid_value);
  const cudart::registered_kernel* kernel = nullptr;
  if (const error e = cudart::find_kernel(function, kernel); e != error::success) return returned(e);
  return returned(cudart::available_dynamic_shared(kernel->handle, blocks, threads, *bytes));
}

CUDART_CALL int cudaLaunchHostFunc(handle stream, void (*function)(void*), void* data) {
  if (function == nullptr) return returned(error::invalid_value);
  return returned(the_device().call_host(stream_of(stream), function, data));
}
CUDART_ALSO(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc)

CUDART_CALL int cudaStreamAddCallback(handle stream, void (*function)(handle, int, void*), void* data, unsigned) {
  return returned(cudart::call_back(stream, function, data));
}
CUDART_ALSO(cudaStreamAddCallback_ptsz, cudaStreamAddCallback)
