// SPDX-License-Identifier: BSL-1.0
//
// The device, errors and versions (CUDA Runtime API, Device Management, Error Handling, Peer Device Memory Access,
// Version Management, Profiler Control).
#include "cudart/core/contexts.hpp"
#include "cudart/core/device_properties.hpp"
#include "cudart/core/shared_calls.hpp"

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

using cudart::error;
using cudart::handle;
using cudart::returned;
using cudart::the_device;
using cudart::this_thread;
namespace cuda = simtflow::cuda;

namespace {
// Chooses the device: then the primary context is current.
error chosen(int device) {
  if (device != 0) return error::invalid_device;
  (void)the_device();
  return error::success;
}
}  // namespace

CUDART_CALL int cudaGetLastError() {
  const error last = this_thread().last_error;
  // An error that has ended the context stays until the device is reset.
  this_thread().last_error = is_sticky(last) ? the_device().status() : error::success;
  return static_cast<int>(last);
}
CUDART_CALL int cudaPeekAtLastError() { return static_cast<int>(this_thread().last_error); }
CUDART_CALL const char* cudaGetErrorName(int e) { return error_name(static_cast<error>(e)); }
CUDART_CALL const char* cudaGetErrorString(int e) { return error_text(static_cast<error>(e)); }

CUDART_CALL int cudaGetDeviceCount(int* count) {
  if (count == nullptr) return returned(error::invalid_value);
  cudart::begin_driver();
  *count = 1;
  return 0;
}
CUDART_CALL int cudaGetDevice(int* device) {
  if (device == nullptr) return returned(error::invalid_value);
  *device = 0;
  return 0;
}
CUDART_CALL int cudaSetDevice(int device) { return returned(chosen(device)); }
CUDART_CALL int cudaInitDevice(int device, unsigned, unsigned) { return returned(chosen(device)); }
CUDART_CALL int cudaSetValidDevices(int* devices, int count) {
  if (count < 0 || (count > 0 && devices == nullptr)) return returned(error::invalid_value);
  for (int i = 0; i < count; ++i)
    if (devices[i] != 0) return returned(error::invalid_device);
  return 0;
}
CUDART_CALL int cudaChooseDevice(int* device, const void*) { return cudaGetDevice(device); }
CUDART_CALL int cudaSetDeviceFlags(unsigned) { return 0; }
CUDART_CALL int cudaGetDeviceFlags(unsigned* flags) {
  if (flags == nullptr) return returned(error::invalid_value);
  *flags = 8;  // cudaDeviceMapHost
  return 0;
}
CUDART_CALL int cudaDeviceReset() { return returned(the_device().reset()); }
CUDART_ALSO(cudaThreadExit, cudaDeviceReset)
CUDART_CALL int cudaDeviceSynchronize() { return returned(the_device().status()); }
CUDART_ALSO(cudaThreadSynchronize, cudaDeviceSynchronize)

CUDART_CALL int cudaDeviceGetAttribute(int* value, int attribute, int device) {
  if (value == nullptr) return returned(error::invalid_value);
  if (device != 0) return returned(error::invalid_device);
  cudart::begin_driver();
  return returned(cudart::device_attribute(attribute, *value));
}

CUDART_CALL int cudaDeviceGetLimit(std::size_t* value, int limit) {
  if (value == nullptr) return returned(error::invalid_value);
  return returned(cudart::get_limit(limit, *value));
}
CUDART_CALL int cudaDeviceSetLimit(int limit, std::size_t value) { return returned(cudart::set_limit(limit, value)); }
CUDART_ALSO(cudaThreadGetLimit, cudaDeviceGetLimit)
CUDART_ALSO(cudaThreadSetLimit, cudaDeviceSetLimit)
CUDART_CALL int cudaDeviceGetCacheConfig(int* config) {
  if (config == nullptr) return returned(error::invalid_value);
  *config = 0;  // no preference
  return 0;
}
CUDART_CALL int cudaDeviceSetCacheConfig(int config) {
  return returned(config < 0 || config > 3 ? error::invalid_value : error::success);
}
CUDART_ALSO(cudaThreadGetCacheConfig, cudaDeviceGetCacheConfig)
CUDART_ALSO(cudaThreadSetCacheConfig, cudaDeviceSetCacheConfig)
CUDART_CALL int cudaDeviceGetSharedMemConfig(int* config) {
  if (config == nullptr) return returned(error::invalid_value);
  *config = 1;  // banks of four bytes
  return 0;
}
CUDART_CALL int cudaDeviceSetSharedMemConfig(int) { return 0; }
CUDART_CALL int cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = cuda::least_stream_priority;
  if (greatest != nullptr) *greatest = cuda::greatest_stream_priority;
  return 0;
}
CUDART_CALL int cudaCtxResetPersistingL2Cache() { return 0; }
CUDART_CALL int cudaDeviceFlushGPUDirectRDMAWrites(int, int) { return 0; }

CUDART_CALL int cudaDeviceGetPCIBusId(char* text, int size, int device) {
  if (text == nullptr || size < 13) return returned(error::invalid_value);
  if (device != 0) return returned(error::invalid_device);
  std::snprintf(text, static_cast<std::size_t>(size), "%s", cudart::bus_id);
  return 0;
}
CUDART_CALL int cudaDeviceGetByPCIBusId(int* device, const char* text) {
  if (device == nullptr || text == nullptr) return returned(error::invalid_value);
  if (std::strcmp(text, cudart::bus_id) != 0) return returned(error::invalid_device);
  *device = 0;
  return 0;
}

// There is no second device.
CUDART_CALL int cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (can == nullptr) return returned(error::invalid_value);
  if (device != 0 || peer != 0) return returned(error::invalid_device);
  *can = 0;
  return 0;
}
CUDART_CALL int cudaDeviceEnablePeerAccess(int, unsigned) { return returned(error::invalid_device); }
CUDART_CALL int cudaDeviceDisablePeerAccess(int) { return returned(error::peer_access_not_enabled); }
CUDART_CALL int cudaDeviceGetP2PAttribute(int*, int, int, int) { return returned(error::invalid_device); }
CUDART_CALL int cudaDeviceGetP2PAtomicCapabilities(unsigned*, const int*, unsigned, int, int) {
  return returned(error::invalid_device);
}
CUDART_CALL int cudaDeviceGetHostAtomicCapabilities(unsigned* capabilities, const int*, unsigned count, int device) {
  if (device != 0) return returned(error::invalid_device);
  for (unsigned i = 0; i < count; ++i) capabilities[i] = 0;
  return 0;
}

CUDART_CALL int cudaDriverGetVersion(int* version) {
  if (version == nullptr) return returned(error::invalid_value);
  *version = cudart::runtime_version;
  return 0;
}

CUDART_CALL int cudaProfilerStart() { return 0; }
CUDART_CALL int cudaProfilerStop() { return 0; }
CUDART_CALL int cudaProfilerInitialize(const char*, const char*, int) { return 0; }
CUDART_CALL int cudaSetDoubleForDevice(double*) { return 0; }
CUDART_CALL int cudaSetDoubleForHost(double*) { return 0; }

// The driver's functions are in the library beside this one.
namespace {
int driver_entry(const char* name, void** function, unsigned version, int* status) {
  using find_function = int (*)(const char*, void**, int, std::uint64_t, int*);
  if (name == nullptr || function == nullptr) return returned(error::invalid_value);
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  static void* const find = driver == nullptr ? nullptr : dlsym(driver, "cuGetProcAddress_v2");
  *function = nullptr;
  if (find != nullptr)
    (void)reinterpret_cast<find_function>(find)(name, function, static_cast<int>(version), 0, nullptr);
  if (status != nullptr) *status = *function == nullptr ? 1 : 0;  // cudaDriverEntryPointSymbolNotFound
  return *function == nullptr && status == nullptr ? returned(error::symbol_not_found) : 0;
}
}  // namespace
// CUDA 13 has no form without the version.
CUDART_CALL int cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long, int* status) {
  return driver_entry(name, function, 12000, status);
}
CUDART_ALSO(cudaGetDriverEntryPoint_ptsz, cudaGetDriverEntryPoint)
CUDART_CALL int cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version,
                                                 unsigned long long, int* status) {
  return driver_entry(name, function, version, status);
}
CUDART_ALSO(cudaGetDriverEntryPointByVersion_ptsz, cudaGetDriverEntryPointByVersion)
