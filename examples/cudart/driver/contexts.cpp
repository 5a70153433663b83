// SPDX-License-Identifier: BSL-1.0
//
// Initialisation, errors, versions, the device and contexts (CUDA Driver API, Initialization, Error Handling, Device
// Management, Primary Context Management, Context Management, Peer Context Memory Access, Profiler Control).
#include "cudart/core/device_properties.hpp"
#include "cudart/driver/driver.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

using cudart::code;
using cudart::context;
using cudart::error;
using cudart::handle;
using cudart::in_context;
using cudart::initialised;
using cudart::missing;
using cudart::process_device;
using cudart::this_thread;
namespace cuda = simtflow::cuda;

namespace {

// Calls f if the driver is initialised and there is such a device.
template <class F>
int on_device(int device, const F& f) {
  return initialised([&] { return device == 0 ? f() : error::invalid_device; });
}

// The name in this library of a function of cuda.h, for a program that was compiled with that version of CUDA.
std::string exported_name(std::string_view name, int version) {
  // The functions with more than two forms, or with a second form that takes other parameters; the latest form first.
  constexpr struct {
    const char* name;
    int since;
    const char* exported;
  } forms[] = {
      {"cuCtxCreate", 12050, "cuCtxCreate_v4"},
      {"cuCtxCreate", 11040, "cuCtxCreate_v3"},
      {"cuCtxGetDevice", 13000, "cuCtxGetDevice_v2"},
      {"cuCtxGetDevice", 0, "cuCtxGetDevice"},
      {"cuCtxSynchronize", 13000, "cuCtxSynchronize_v2"},
      {"cuCtxSynchronize", 0, "cuCtxSynchronize"},
      {"cuGetProcAddress", 12000, "cuGetProcAddress_v2"},
      {"cuGetProcAddress", 0, "cuGetProcAddress"},
      {"cuMemAdvise", 12020, "cuMemAdvise_v2"},
      {"cuMemAdvise", 0, "cuMemAdvise"},
      {"cuMemPrefetchAsync", 12020, "cuMemPrefetchAsync_v2"},
      {"cuMemPrefetchAsync", 0, "cuMemPrefetchAsync"},
      {"cuStreamGetCtx", 12050, "cuStreamGetCtx_v2"},
      {"cuStreamGetCtx", 0, "cuStreamGetCtx"},
      {"cuTexRefSetAddress2D", 4010, "cuTexRefSetAddress2D_v3"},
  };
  for (const auto& form : forms)
    if (name == form.name && version >= form.since) return form.exported;
  return {};
}

int find_function(const char* name, void** function, int version, int* status) {
  if (missing(name, function)) return code(error::invalid_value);
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  void* const here = driver == nullptr ? RTLD_DEFAULT : driver;
  if (const std::string exact = exported_name(name, version); !exact.empty()) {
    *function = dlsym(here, exact.c_str());
  } else {
    *function = dlsym(here, (std::string(name) + "_v2").c_str());
    if (*function == nullptr) *function = dlsym(here, name);
  }
  if (status != nullptr) *status = *function == nullptr ? 1 : 0;  // CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND
  return *function == nullptr ? code(error::symbol_not_found) : 0;
}

// The current context, or the one that is named.
error context_of(handle named, context*& found) {
  if (named == nullptr) {
    if (const error e = cudart::why_no_context(); e != error::success) return e;
    found = this_thread().contexts.back();
    return error::success;
  }
  if (!cudart::is_driver_begun()) return error::initialization_error;
  found = cudart::find_context(named);
  return found == nullptr ? error::device_uninitialized : error::success;
}

}  // namespace

CUDART_CALL int cuInit(unsigned flags) {
  if (flags != 0) return code(error::invalid_value);
  (void)process_device();
  cudart::begin_driver();
  return 0;
}
CUDART_CALL int cuDriverGetVersion(int* version) {
  if (version == nullptr) return code(error::invalid_value);
  *version = cudart::runtime_version;
  return 0;
}
CUDART_CALL int cuGetErrorName(int e, const char** text) {
  if (text == nullptr) return code(error::invalid_value);
  *text = driver_error_name(static_cast<error>(e));
  return *text == nullptr ? code(error::invalid_value) : 0;
}
CUDART_CALL int cuGetErrorString(int e, const char** text) {
  if (text == nullptr) return code(error::invalid_value);
  *text = driver_error_text(static_cast<error>(e));
  return *text == nullptr ? code(error::invalid_value) : 0;
}
CUDART_CALL int cuGetProcAddress_v2(const char* name, void** function, int version, std::uint64_t, int* status) {
  return find_function(name, function, version, status);
}
CUDART_ALSO(cuGetProcAddress_v2_ptsz, cuGetProcAddress_v2)
CUDART_CALL int cuGetProcAddress(const char* name, void** function, int version, std::uint64_t) {
  return find_function(name, function, version, nullptr);
}
// NVIDIA's libraries ask for private tables. NVRTC does without if it hears that there is none.
CUDART_CALL int cuGetExportTable(const void** table, const void*) {
  if (table == nullptr) return code(error::invalid_value);
  *table = nullptr;
  return code(error::not_supported);
}

CUDART_CALL int cuDeviceGetCount(int* count) {
  return initialised([&] {
    if (count == nullptr) return error::invalid_value;
    *count = 1;
    return error::success;
  });
}
CUDART_CALL int cuDeviceGet(int* device, int number) {
  return on_device(number, [&] {
    if (device == nullptr) return error::invalid_value;
    *device = 0;
    return error::success;
  });
}
CUDART_CALL int cuDeviceGetName(char* name, int size, int device) {
  return on_device(device, [&] {
    if (name == nullptr || size <= 0) return error::invalid_value;
    std::snprintf(name, static_cast<std::size_t>(size), "%s", cudart::device_properties().name);
    return error::success;
  });
}
CUDART_CALL int cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
  return on_device(device, [&] {
    if (bytes == nullptr) return error::invalid_value;
    *bytes = cudart::device_properties().totalGlobalMem;
    return error::success;
  });
}
CUDART_ALSO(cuDeviceTotalMem, cuDeviceTotalMem_v2)
CUDART_CALL int cuDeviceGetAttribute(int* value, int attribute, int device) {
  return on_device(
      device, [&] { return value == nullptr ? error::invalid_value : cudart::device_attribute(attribute, *value); });
}
CUDART_CALL int cuDeviceComputeCapability(int* major, int* minor, int device) {
  return on_device(device, [&] {
    if (missing(major, minor)) return error::invalid_value;
    *major = cudart::device_properties().major;
    *minor = cudart::device_properties().minor;
    return error::success;
  });
}
CUDART_CALL int cuDeviceGetProperties(cudart::driver_properties* to, int device) {
  return on_device(device, [&] {
    if (to == nullptr) return error::invalid_value;
    const cudart::device_prop_12& p = cudart::device_properties();
    *to = {};
    to->maxThreadsPerBlock = p.maxThreadsPerBlock;
    std::memcpy(to->maxThreadsDim, p.maxThreadsDim, sizeof to->maxThreadsDim);
    std::memcpy(to->maxGridSize, p.maxGridSize, sizeof to->maxGridSize);
    to->sharedMemPerBlock = static_cast<int>(p.sharedMemPerBlock);
    to->totalConstantMemory = static_cast<int>(p.totalConstMem);
    to->SIMDWidth = p.warpSize;
    to->memPitch = static_cast<int>(p.memPitch);
    to->regsPerBlock = p.regsPerBlock;
    to->clockRate = p.clockRate;
    to->textureAlign = static_cast<int>(p.textureAlignment);
    return error::success;
  });
}
CUDART_CALL int cuDeviceGetUuid(char* bytes, int device) {
  return on_device(device, [&] {
    if (bytes == nullptr) return error::invalid_value;
    std::memcpy(bytes, cudart::device_properties().uuid.bytes, 16);
    return error::success;
  });
}
CUDART_ALSO(cuDeviceGetUuid_v2, cuDeviceGetUuid)
CUDART_CALL int cuDeviceGetPCIBusId(char* text, int size, int device) {
  return on_device(device, [&] {
    if (text == nullptr || size < 13) return error::invalid_value;
    std::snprintf(text, static_cast<std::size_t>(size), "%s", cudart::bus_id);
    return error::success;
  });
}
CUDART_CALL int cuDeviceGetByPCIBusId(int* device, const char* text) {
  return initialised([&] {
    if (missing(device, text)) return error::invalid_value;
    if (std::strcmp(text, cudart::bus_id) != 0) return error::invalid_device;
    *device = 0;
    return error::success;
  });
}
CUDART_CALL int cuDeviceGetTexture1DLinearMaxWidth(std::size_t* texels, int, unsigned, int device) {
  return on_device(device, [&] {
    if (texels == nullptr) return error::invalid_value;
    *texels = static_cast<std::size_t>(cudart::device_properties().maxTexture1DLinear);
    return error::success;
  });
}
CUDART_CALL int cuDeviceGetExecAffinitySupport(int* supported, int, int device) {
  return on_device(device, [&] {
    if (supported == nullptr) return error::invalid_value;
    *supported = 0;
    return error::success;
  });
}
CUDART_CALL int cuDeviceGetHostAtomicCapabilities(unsigned* capabilities, const int*, unsigned count, int device) {
  return on_device(device, [&] {
    if (capabilities == nullptr) return error::invalid_value;
    for (unsigned i = 0; i < count; ++i) capabilities[i] = 0;
    return error::success;
  });
}
CUDART_CALL int cuFlushGPUDirectRDMAWrites(int, int) {
  return in_context([] { return error::success; });
}

// There is no second device.
CUDART_CALL int cuDeviceCanAccessPeer(int* can, int device, int peer) {
  return on_device(device, [&] {
    if (can == nullptr) return error::invalid_value;
    if (peer != 0) return error::invalid_device;
    *can = 0;
    return error::success;
  });
}
CUDART_CALL int cuDeviceGetP2PAttribute(int*, int, int, int) {
  return initialised([] { return error::invalid_device; });
}
CUDART_CALL int cuDeviceGetP2PAtomicCapabilities(unsigned*, const int*, unsigned, int, int) {
  return initialised([] { return error::invalid_device; });
}
CUDART_CALL int cuCtxEnablePeerAccess(handle, unsigned) {
  return in_context([] { return error::device_uninitialized; });
}
CUDART_CALL int cuCtxDisablePeerAccess(handle) {
  return in_context([] { return error::peer_access_not_enabled; });
}

CUDART_CALL int cuDevicePrimaryCtxRetain(handle* primary, int device) {
  return on_device(device, [&] {
    if (primary == nullptr) return error::invalid_value;
    ++cudart::primary_context().uses;
    *primary = &cudart::primary_context();
    return error::success;
  });
}
CUDART_CALL int cuDevicePrimaryCtxRelease_v2(int device) {
  return on_device(device, [] { return cudart::release_primary_context(); });
}
CUDART_ALSO(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2)
CUDART_CALL int cuDevicePrimaryCtxReset_v2(int device) {
  return on_device(device, [] { return process_device().reset(); });
}
CUDART_ALSO(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2)
CUDART_CALL int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
  return on_device(device, [&] {
    cudart::primary_context().flags = flags;
    return error::success;
  });
}
CUDART_ALSO(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2)
CUDART_CALL int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
  return on_device(device, [&] {
    if (missing(flags, active)) return error::invalid_value;
    *flags = cudart::primary_context().flags;
    *active = cudart::is_primary_active() ? 1 : 0;
    return error::success;
  });
}

CUDART_CALL int cuCtxCreate_v2(handle* made, unsigned flags, int device) {
  return on_device(device, [&] {
    if (made == nullptr) return error::invalid_value;
    context& one = cudart::make_context(flags);
    this_thread().contexts.push_back(&one);
    *made = &one;
    return error::success;
  });
}
CUDART_ALSO(cuCtxCreate, cuCtxCreate_v2)
CUDART_CALL int cuCtxCreate_v3(handle* made, void*, int, unsigned flags, int device) {
  return cuCtxCreate_v2(made, flags, device);
}
CUDART_CALL int cuCtxCreate_v4(handle* made, void*, unsigned flags, int device) {
  return cuCtxCreate_v2(made, flags, device);
}
CUDART_CALL int cuCtxDestroy_v2(handle of_program) {
  return initialised([&] {
    context* const one = cudart::find_context(of_program);
    if (one == nullptr || one == &cudart::primary_context()) return error::device_uninitialized;
    cudart::end_context(*one);
    return error::success;
  });
}
CUDART_ALSO(cuCtxDestroy, cuCtxDestroy_v2)
CUDART_CALL int cuCtxAttach(handle* current, unsigned flags) {
  return in_context([&] {
    if (current == nullptr || flags != 0) return error::invalid_value;
    context* const one = this_thread().contexts.back();
    ++one->uses;
    *current = one;
    return error::success;
  });
}
CUDART_CALL int cuCtxDetach(handle of_program) {
  return in_context([&] {
    context* const one = cudart::find_context(of_program);
    if (one == nullptr) return error::device_uninitialized;
    if (one == &cudart::primary_context()) return cudart::release_primary_context();
    if (--one->uses == 0) cudart::end_context(*one);
    return error::success;
  });
}
CUDART_CALL int cuCtxGetCurrent(handle* current) {
  return initialised([&] {
    if (current == nullptr) return error::invalid_value;
    const auto& all = this_thread().contexts;
    *current = all.empty() ? nullptr : all.back();
    return error::success;
  });
}
CUDART_CALL int cuCtxSetCurrent(handle of_program) {
  return initialised([&] {
    context* const one = of_program == nullptr ? nullptr : cudart::find_context(of_program);
    if (one == nullptr && of_program != nullptr) return error::device_uninitialized;
    auto& all = this_thread().contexts;
    if (!all.empty()) all.pop_back();
    if (one != nullptr) all.push_back(one);
    return error::success;
  });
}
CUDART_CALL int cuCtxPushCurrent_v2(handle of_program) {
  return initialised([&] {
    context* const one = cudart::find_context(of_program);
    if (one == nullptr) return error::device_uninitialized;
    this_thread().contexts.push_back(one);
    return error::success;
  });
}
CUDART_ALSO(cuCtxPushCurrent, cuCtxPushCurrent_v2)
CUDART_CALL int cuCtxPopCurrent_v2(handle* popped) {
  return initialised([&] {
    auto& all = this_thread().contexts;
    if (all.empty()) return error::device_uninitialized;
    if (popped != nullptr) *popped = all.back();
    all.pop_back();
    return error::success;
  });
}
CUDART_ALSO(cuCtxPopCurrent, cuCtxPopCurrent_v2)
CUDART_CALL int cuCtxGetDevice(int* device) {
  return in_context([&] {
    if (device == nullptr) return error::invalid_value;
    *device = 0;
    return error::success;
  });
}
CUDART_CALL int cuCtxGetDevice_v2(int* device, handle of_program) {
  context* one = nullptr;
  if (const error e = context_of(of_program, one); e != error::success) return code(e);
  if (device == nullptr) return code(error::invalid_value);
  *device = 0;
  return 0;
}
CUDART_CALL int cuCtxGetFlags(unsigned* flags) {
  return in_context([&] {
    if (flags == nullptr) return error::invalid_value;
    *flags = this_thread().contexts.back()->flags;
    return error::success;
  });
}
CUDART_CALL int cuCtxSetFlags(unsigned flags) {
  return in_context([&] {
    this_thread().contexts.back()->flags = flags;
    return error::success;
  });
}
CUDART_CALL int cuCtxGetId(handle of_program, unsigned long long* id) {
  context* one = nullptr;
  if (const error e = context_of(of_program, one); e != error::success) return code(e);
  if (id == nullptr) return code(error::invalid_value);
  *id = one->id;
  return 0;
}
CUDART_CALL int cuCtxGetApiVersion(handle of_program, unsigned* version) {
  context* one = nullptr;
  if (const error e = context_of(of_program, one); e != error::success) return code(e);
  if (version == nullptr) return code(error::invalid_value);
  *version = 3020;  // contexts have been as they are since CUDA 3.2
  return 0;
}
CUDART_CALL int cuCtxSynchronize() {
  return in_context([] { return process_device().status(); });
}
CUDART_CALL int cuCtxSynchronize_v2(handle of_program) {
  context* one = nullptr;
  const error e = context_of(of_program, one);
  return code(e == error::success ? process_device().status() : e);
}
CUDART_CALL int cuCtxGetLimit(std::size_t* value, int limit) {
  return in_context([&] { return value == nullptr ? error::invalid_value : cudart::get_limit(limit, *value); });
}
CUDART_CALL int cuCtxSetLimit(int limit, std::size_t value) {
  return in_context([&] { return cudart::set_limit(limit, value); });
}
CUDART_CALL int cuCtxGetCacheConfig(int* config) {
  return in_context([&] {
    if (config == nullptr) return error::invalid_value;
    *config = 0;  // no preference
    return error::success;
  });
}
CUDART_CALL int cuCtxSetCacheConfig(int config) {
  return in_context([&] { return config < 0 || config > 3 ? error::invalid_value : error::success; });
}
CUDART_CALL int cuCtxGetSharedMemConfig(int* config) {
  return in_context([&] {
    if (config == nullptr) return error::invalid_value;
    *config = 1;  // banks of four bytes
    return error::success;
  });
}
CUDART_CALL int cuCtxSetSharedMemConfig(int) {
  return in_context([] { return error::success; });
}
CUDART_CALL int cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return in_context([&] {
    if (least != nullptr) *least = cuda::least_stream_priority;
    if (greatest != nullptr) *greatest = cuda::greatest_stream_priority;
    return error::success;
  });
}
CUDART_CALL int cuCtxResetPersistingL2Cache() {
  return in_context([] { return error::success; });
}

CUDART_CALL int cuProfilerInitialize(const char*, const char*, int) {
  return initialised([] { return error::success; });
}
CUDART_CALL int cuProfilerStart() {
  return in_context([] { return error::success; });
}
CUDART_CALL int cuProfilerStop() {
  return in_context([] { return error::success; });
}
