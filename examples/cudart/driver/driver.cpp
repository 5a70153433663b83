// SPDX-License-Identifier: BSL-1.0
//
// The part of the driver API that programs use which load PTX by themselves (CUDA Driver API). There is one device and
// one context; a context that a program makes is that one. A CUfunction is the address of a registered kernel.
#include "cudart/core/device_properties.hpp"
#include "cudart/core/handles.hpp"

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

using cudart::error;
using cudart::event_of;
using cudart::handle;
using cudart::stream_of;
using cudart::the_device;
using cudart::to_program;
namespace cuda = simtflow::cuda;

namespace {

using device_pointer = std::uint64_t;

int code(error e) { return static_cast<int>(driver_code(e)); }

char the_context;
thread_local handle current_context = nullptr;

cuda::module_handle module_of(handle module) {
  return static_cast<cuda::module_handle>(reinterpret_cast<std::uintptr_t>(module));
}

error kernel_of(handle function, cuda::kernel_handle& kernel) {
  const cudart::registered_kernel* found = nullptr;
  const error e = cudart::find_kernel(function, found);
  if (e == error::success) kernel = found->handle;
  return e == error::invalid_device_function ? error::invalid_resource_handle : e;
}

error launch(handle function, const cuda::launch_shape& shape, handle stream, void** arguments, void** extra) {
  cuda::kernel_handle kernel{};
  if (const error e = kernel_of(function, kernel); e != error::success) return e;
  if (arguments != nullptr || extra == nullptr) return the_device().launch(kernel, shape, arguments, stream_of(stream));
  // A list of keys with values: 1 the packed arguments, 2 the address of their size, 0 the end.
  const unsigned char* bytes = nullptr;
  std::size_t size = 0;
  for (; extra[0] != nullptr; extra += 2) {
    if (reinterpret_cast<std::uintptr_t>(extra[0]) == 1) bytes = static_cast<const unsigned char*>(extra[1]);
    if (reinterpret_cast<std::uintptr_t>(extra[0]) == 2) size = *static_cast<const std::size_t*>(extra[1]);
  }
  return the_device().launch_packed(kernel, shape, {bytes, bytes == nullptr ? 0 : size}, stream_of(stream));
}

int copy(device_pointer to, device_pointer from, std::size_t bytes, cuda::copy_kind kind, handle stream) {
  return code(the_device().copy(to, from, bytes, kind, stream_of(stream)));
}

}  // namespace

CUDART_CALL int cuInit(unsigned flags) {
  (void)the_device();
  return flags == 0 ? 0 : code(error::invalid_value);
}
CUDART_CALL int cuDriverGetVersion(int* version) {
  *version = cudart::runtime_version;
  return 0;
}
CUDART_CALL int cuGetErrorName(int e, const char** text) {
  *text = driver_error_name(static_cast<error>(e));
  return *text == nullptr ? code(error::invalid_value) : 0;
}
CUDART_CALL int cuGetErrorString(int e, const char** text) {
  *text = driver_error_text(static_cast<error>(e));
  return *text == nullptr ? code(error::invalid_value) : 0;
}
CUDART_CALL int cuGetProcAddress_v2(const char* name, void** function, int, std::uint64_t, int* status) {
  if (name == nullptr || function == nullptr) return code(error::invalid_value);
  *function = dlsym(RTLD_DEFAULT, (std::string(name) + "_v2").c_str());
  if (*function == nullptr) *function = dlsym(RTLD_DEFAULT, name);
  if (status != nullptr) *status = *function == nullptr ? 1 : 0;
  return *function == nullptr ? code(error::symbol_not_found) : 0;
}
CUDART_CALL int cuGetProcAddress(const char* name, void** function, int version, std::uint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}

CUDART_CALL int cuDeviceGetCount(int* count) {
  *count = 1;
  return 0;
}
CUDART_CALL int cuDeviceGet(int* device, int number) {
  if (number != 0) return code(error::invalid_device);
  *device = 0;
  return 0;
}
CUDART_CALL int cuDeviceGetName(char* name, int size, int device) {
  if (device != 0) return code(error::invalid_device);
  std::snprintf(name, static_cast<std::size_t>(size), "%s", cudart::device_properties().name);
  return 0;
}
CUDART_CALL int cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
  if (device != 0) return code(error::invalid_device);
  *bytes = cudart::device_properties().totalGlobalMem;
  return 0;
}
CUDART_ALSO(cuDeviceTotalMem, cuDeviceTotalMem_v2)
CUDART_CALL int cuDeviceGetAttribute(int* value, int attribute, int device) {
  if (device != 0) return code(error::invalid_device);
  return code(cudart::device_attribute(attribute, *value));
}
CUDART_CALL int cuDeviceComputeCapability(int* major, int* minor, int device) {
  if (device != 0) return code(error::invalid_device);
  *major = cudart::device_properties().major;
  *minor = cudart::device_properties().minor;
  return 0;
}
CUDART_CALL int cuDeviceGetUuid(char* bytes, int device) {
  if (device != 0) return code(error::invalid_device);
  std::memcpy(bytes, cudart::device_properties().uuid.bytes, 16);
  return 0;
}
CUDART_ALSO(cuDeviceGetUuid_v2, cuDeviceGetUuid)

CUDART_CALL int cuCtxCreate_v2(handle* context, unsigned, int device) {
  if (device != 0) return code(error::invalid_device);
  *context = current_context = &the_context;
  return 0;
}
CUDART_ALSO(cuCtxCreate, cuCtxCreate_v2)
CUDART_CALL int cuCtxCreate_v4(handle* context, void*, unsigned flags, int device) {
  return cuCtxCreate_v2(context, flags, device);
}
CUDART_CALL int cuDevicePrimaryCtxRetain(handle* context, int device) {
  if (device != 0) return code(error::invalid_device);
  *context = &the_context;
  return 0;
}
CUDART_CALL int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
CUDART_ALSO(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2)
CUDART_CALL int cuDevicePrimaryCtxReset_v2(int) { return code(the_device().reset()); }
CUDART_CALL int cuDevicePrimaryCtxSetFlags_v2(int, unsigned) { return 0; }
CUDART_CALL int cuCtxDestroy_v2(handle) {
  current_context = nullptr;
  return 0;
}
CUDART_ALSO(cuCtxDestroy, cuCtxDestroy_v2)
CUDART_CALL int cuCtxGetCurrent(handle* context) {
  *context = current_context;
  return 0;
}
CUDART_CALL int cuCtxSetCurrent(handle context) {
  current_context = context;
  return 0;
}
CUDART_CALL int cuCtxPushCurrent_v2(handle context) { return cuCtxSetCurrent(context); }
CUDART_CALL int cuCtxPopCurrent_v2(handle* context) {
  if (context != nullptr) *context = current_context;
  return 0;
}
CUDART_CALL int cuCtxGetDevice(int* device) {
  *device = 0;
  return 0;
}
CUDART_CALL int cuCtxSynchronize() { return code(the_device().status()); }

CUDART_CALL int cuModuleLoadData(handle* module, const void* image) {
  if (module == nullptr || image == nullptr) return code(error::invalid_value);
  cuda::module_handle made{};
  const error e = cudart::load_image(image, made);
  if (e == error::success) *module = to_program(made);
  return code(e);
}
CUDART_ALSO(cuModuleLoadFatBinary, cuModuleLoadData)
CUDART_CALL int cuModuleLoadDataEx(handle* module, const void* image, unsigned, int*, void**) {
  return cuModuleLoadData(module, image);
}
CUDART_CALL int cuModuleLoad(handle* module, const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return code(error::file_not_found);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  return cuModuleLoadData(module, bytes.c_str());
}
CUDART_CALL int cuModuleUnload(handle module) { return code(the_device().unload(module_of(module))); }
CUDART_CALL int cuModuleGetFunction(handle* function, handle module, const char* name) {
  const cuda::kernel_handle found = the_device().kernel(module_of(module), name);
  if (found == cuda::kernel_handle{}) return code(error::symbol_not_found);
  *function = const_cast<cudart::registered_kernel*>(cudart::keep_kernel(found, name));
  return 0;
}
CUDART_CALL int cuModuleGetGlobal_v2(device_pointer* pointer, std::size_t* bytes, handle module, const char* name) {
  cuda::symbol_place place;
  if (the_device().symbol(module_of(module), name, place) != error::success) return code(error::symbol_not_found);
  if (pointer != nullptr) *pointer = place.address;
  if (bytes != nullptr) *bytes = static_cast<std::size_t>(place.bytes);
  return 0;
}
CUDART_ALSO(cuModuleGetGlobal, cuModuleGetGlobal_v2)

CUDART_CALL int cuLaunchKernel(handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                               unsigned block_y, unsigned block_z, unsigned shared, handle stream, void** arguments,
                               void** extra) {
  const cuda::launch_shape shape =
      cudart::shape_of({grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, false);
  return code(launch(function, shape, stream, arguments, extra));
}
CUDART_ALSO(cuLaunchKernel_ptsz, cuLaunchKernel)
CUDART_CALL int cuLaunchCooperativeKernel(handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                          unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                          handle stream, void** arguments) {
  const cuda::launch_shape shape =
      cudart::shape_of({grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, true);
  return code(launch(function, shape, stream, arguments, nullptr));
}
CUDART_CALL int cuFuncGetAttribute(int* value, int attribute, handle function) {
  cuda::kernel_handle kernel{};
  cuda::kernel_attributes facts;
  if (const error e = kernel_of(function, kernel); e != error::success) return code(e);
  if (const error e = the_device().attributes(kernel, facts); e != error::success) return code(e);
  const std::uint64_t known[] = {facts.max_threads,
                                 facts.shared_bytes,
                                 facts.constant_bytes,
                                 facts.local_bytes,
                                 facts.registers,
                                 facts.capability,
                                 facts.capability,
                                 0,
                                 facts.max_dynamic_shared_bytes};
  if (attribute < 0 || attribute >= static_cast<int>(std::size(known))) return code(error::invalid_value);
  *value = static_cast<int>(known[attribute]);
  return 0;
}
CUDART_CALL int cuFuncSetAttribute(handle function, int attribute, int value) {
  cuda::kernel_handle kernel{};
  if (const error e = kernel_of(function, kernel); e != error::success) return code(e);
  if (attribute != 8) return 0;  // the others are hints
  return code(the_device().set_max_dynamic_shared(kernel, value < 0 ? 0 : static_cast<std::uint64_t>(value)));
}
CUDART_CALL int cuFuncSetCacheConfig(handle, int) { return 0; }
CUDART_CALL int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, handle function, int threads,
                                                            std::size_t shared) {
  cuda::kernel_handle kernel{};
  if (const error e = kernel_of(function, kernel); e != error::success) return code(e);
  std::uint32_t found = 0;
  const error e = the_device().occupancy(kernel, static_cast<std::uint32_t>(threads), shared, found);
  *blocks = static_cast<int>(found);
  return code(e);
}

CUDART_CALL int cuMemAlloc_v2(device_pointer* pointer, std::size_t bytes) {
  return code(bytes == 0 ? error::invalid_value : the_device().allocate(bytes, *pointer));
}
CUDART_ALSO(cuMemAlloc, cuMemAlloc_v2)
CUDART_CALL int cuMemAllocAsync(device_pointer* pointer, std::size_t bytes, handle) {
  return cuMemAlloc_v2(pointer, bytes);
}
CUDART_CALL int cuMemAllocManaged(device_pointer* pointer, std::size_t bytes, unsigned flags) {
  void* at = nullptr;
  const error e = the_device().allocate_host(bytes, cuda::memory_kind::managed, flags, at);
  *pointer = cuda::address_of(at);
  return code(e);
}
CUDART_CALL int cuMemFree_v2(device_pointer pointer) { return code(the_device().free(pointer)); }
CUDART_ALSO(cuMemFree, cuMemFree_v2)
CUDART_CALL int cuMemFreeAsync(device_pointer pointer, handle) { return cuMemFree_v2(pointer); }
CUDART_CALL int cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return code(the_device().allocate_host(bytes, cuda::memory_kind::host, flags, *pointer));
}
CUDART_CALL int cuMemAllocHost_v2(void** pointer, std::size_t bytes) { return cuMemHostAlloc(pointer, bytes, 0); }
CUDART_ALSO(cuMemAllocHost, cuMemAllocHost_v2)
CUDART_CALL int cuMemFreeHost(void* pointer) { return code(the_device().free_host(pointer)); }
CUDART_CALL int cuMemGetInfo_v2(std::size_t* available, std::size_t* all) {
  std::uint64_t total = 0;
  *available = static_cast<std::size_t>(the_device().available_memory(total));
  *all = static_cast<std::size_t>(total);
  return 0;
}
CUDART_ALSO(cuMemGetInfo, cuMemGetInfo_v2)

CUDART_CALL int cuMemcpyHtoDAsync_v2(device_pointer to, const void* from, std::size_t bytes, handle stream) {
  return copy(to, cuda::address_of(from), bytes, cuda::copy_kind::host_to_device, stream);
}
CUDART_ALSO(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2)
CUDART_CALL int cuMemcpyHtoD_v2(device_pointer to, const void* from, std::size_t bytes) {
  return cuMemcpyHtoDAsync_v2(to, from, bytes, nullptr);
}
CUDART_ALSO(cuMemcpyHtoD, cuMemcpyHtoD_v2)
CUDART_CALL int cuMemcpyDtoHAsync_v2(void* to, device_pointer from, std::size_t bytes, handle stream) {
  return copy(cuda::address_of(to), from, bytes, cuda::copy_kind::device_to_host, stream);
}
CUDART_ALSO(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2)
CUDART_CALL int cuMemcpyDtoH_v2(void* to, device_pointer from, std::size_t bytes) {
  return cuMemcpyDtoHAsync_v2(to, from, bytes, nullptr);
}
CUDART_ALSO(cuMemcpyDtoH, cuMemcpyDtoH_v2)
CUDART_CALL int cuMemcpyAsync(device_pointer to, device_pointer from, std::size_t bytes, handle stream) {
  return copy(to, from, bytes, cuda::copy_kind::inferred, stream);
}
CUDART_ALSO(cuMemcpyDtoDAsync_v2, cuMemcpyAsync)
CUDART_ALSO(cuMemcpyDtoDAsync, cuMemcpyAsync)
CUDART_CALL int cuMemcpy(device_pointer to, device_pointer from, std::size_t bytes) {
  return cuMemcpyAsync(to, from, bytes, nullptr);
}
CUDART_ALSO(cuMemcpyDtoD_v2, cuMemcpy)
CUDART_ALSO(cuMemcpyDtoD, cuMemcpy)

CUDART_CALL int cuMemsetD8_v2(device_pointer to, unsigned char value, std::size_t count) {
  return code(the_device().fill(to, value, 1, count));
}
CUDART_ALSO(cuMemsetD8, cuMemsetD8_v2)
CUDART_CALL int cuMemsetD16_v2(device_pointer to, unsigned short value, std::size_t count) {
  return code(the_device().fill(to, value, 2, count));
}
CUDART_ALSO(cuMemsetD16, cuMemsetD16_v2)
CUDART_CALL int cuMemsetD32_v2(device_pointer to, unsigned value, std::size_t count) {
  return code(the_device().fill(to, value, 4, count));
}
CUDART_ALSO(cuMemsetD32, cuMemsetD32_v2)

CUDART_CALL int cuStreamCreateWithPriority(handle* stream, unsigned flags, int priority) {
  cuda::stream_handle made{};
  const error e = the_device().create_stream(flags, priority, made);
  if (e == error::success) *stream = to_program(made);
  return code(e);
}
CUDART_CALL int cuStreamCreate(handle* stream, unsigned flags) { return cuStreamCreateWithPriority(stream, flags, 0); }
CUDART_CALL int cuStreamDestroy_v2(handle stream) { return code(the_device().destroy_stream(stream_of(stream))); }
CUDART_ALSO(cuStreamDestroy, cuStreamDestroy_v2)
CUDART_CALL int cuStreamSynchronize(handle stream) { return code(the_device().synchronize(stream_of(stream))); }
CUDART_ALSO(cuStreamQuery, cuStreamSynchronize)
CUDART_CALL int cuStreamWaitEvent(handle stream, handle event, unsigned) {
  return code(the_device().wait(stream_of(stream), event_of(event)));
}
CUDART_CALL int cuEventCreate(handle* event, unsigned flags) {
  cuda::event_handle made{};
  const error e = the_device().create_event(flags, made);
  if (e == error::success) *event = to_program(made);
  return code(e);
}
CUDART_CALL int cuEventDestroy_v2(handle event) { return code(the_device().destroy_event(event_of(event))); }
CUDART_ALSO(cuEventDestroy, cuEventDestroy_v2)
CUDART_CALL int cuEventRecord(handle event, handle stream) {
  return code(the_device().record(event_of(event), stream_of(stream)));
}
CUDART_CALL int cuEventSynchronize(handle event) { return code(the_device().synchronize(event_of(event))); }
CUDART_ALSO(cuEventQuery, cuEventSynchronize)
CUDART_CALL int cuEventElapsedTime_v2(float* milliseconds, handle from, handle to) {
  return code(the_device().elapsed(event_of(from), event_of(to), *milliseconds));
}
CUDART_ALSO(cuEventElapsedTime, cuEventElapsedTime_v2)
