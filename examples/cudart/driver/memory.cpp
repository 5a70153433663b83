// SPDX-License-Identifier: BSL-1.0
//
// Allocations, pointers, pools, managed memory, copies and fills of linear memory (CUDA Driver API, Memory Management,
// Stream Ordered Memory Allocator, Unified Addressing). All memory stands ready at once: advice and prefetches do
// nothing.
#include "cudart/driver/driver.hpp"

#include <cstring>

using cudart::code;
using cudart::device_pointer;
using cudart::error;
using cudart::handle;
using cudart::in_context;
using cudart::initialised;
using cudart::missing;
using cudart::process_device;
using cudart::stream_of;
namespace cuda = simtflow::cuda;
using cuda::address_of;

namespace {

int copy(device_pointer to, device_pointer from, std::size_t bytes, cuda::copy_kind kind, handle stream) {
  return in_context([&] { return process_device().copy(to, from, bytes, kind, stream_of(stream)); });
}

int fill(device_pointer to, unsigned value, unsigned bytes, std::size_t count, handle stream) {
  return in_context([&] { return process_device().fill(to, value, bytes, count, stream_of(stream)); });
}

// A box of so many elements in a row.
int fill(device_pointer to, std::size_t pitch, unsigned value, unsigned bytes, std::size_t width, std::size_t height,
         handle stream) {
  return in_context([&] {
    return process_device().fill({to, pitch, 0}, value, bytes, {width * bytes, height, 1}, stream_of(stream));
  });
}

error allocate(device_pointer* pointer, std::size_t bytes) {
  if (pointer == nullptr || bytes == 0) return error::invalid_value;
  return process_device().allocate(bytes, *pointer);
}

template <class Value>
error store(void* data, Value value) {
  std::memcpy(data, &value, sizeof value);
  return error::success;
}

// CUpointer_attribute. \returns not_supported if the memory has no such attribute
error attribute_of(void* data, int attribute, device_pointer pointer, const cuda::memory_note& note) {
  const bool of_device = note.kind == cuda::memory_kind::device;
  switch (attribute) {
    case 1:  // the context
      return store<handle>(data, cudart::this_thread().contexts.back());
    case 2:  // the kind of memory
      return store<int>(data, note.kind == cuda::memory_kind::host ? cudart::host_memory : cudart::device_memory);
    case 3:  // the pointer on the device
      return store(data, pointer);
    case 4:  // the pointer on the host
      return of_device ? error::invalid_value : store(data, cuda::pointer_to(pointer));
    case 6:   // synchronous copies
    case 13:  // mapped
      return store<int>(data, 1);
    case 7:   // a number of the allocation
    case 11:  // its first byte
    case 19:
    case 20:
      return store(data, note.address);
    case 8:  // managed
      return store<int>(data, note.kind == cuda::memory_kind::managed ? 1 : 0);
    case 9:   // the device
    case 10:  // no other program can have it
    case 15:
    case 21:
      return store<int>(data, 0);
    case 12:  // its bytes
    case 18:
      return store(data, static_cast<std::size_t>(note.bytes));
    case 14:  // handles for other programs
      return store<std::uint64_t>(data, 0);
    case 16:  // read and write
      return store<int>(data, 3);
    case 17:  // the pool
      return store<handle>(data, nullptr);
    default:
      return attribute == 5 ? error::not_supported : error::invalid_value;
  }
}

}  // namespace

CUDART_CALL int cuMemAlloc_v2(device_pointer* pointer, std::size_t bytes) {
  return in_context([&] { return allocate(pointer, bytes); });
}
CUDART_ALSO(cuMemAlloc, cuMemAlloc_v2)
CUDART_CALL int cuMemAllocAsync(device_pointer* pointer, std::size_t bytes, handle) {
  return cuMemAlloc_v2(pointer, bytes);
}
CUDART_ALSO(cuMemAllocAsync_ptsz, cuMemAllocAsync)
CUDART_CALL int cuMemAllocFromPoolAsync(device_pointer* pointer, std::size_t bytes, handle pool, handle) {
  return pool == nullptr ? code(error::invalid_value) : cuMemAlloc_v2(pointer, bytes);
}
CUDART_ALSO(cuMemAllocFromPoolAsync_ptsz, cuMemAllocFromPoolAsync)
CUDART_CALL int cuMemAllocPitch_v2(device_pointer* pointer, std::size_t* pitch, std::size_t width, std::size_t height,
                                   unsigned element) {
  return in_context([&] {
    if (missing(pointer, pitch) || width == 0 || height == 0) return error::invalid_value;
    if (element != 4 && element != 8 && element != 16) return error::invalid_value;
    std::uint64_t distance = 0;
    const error e = process_device().allocate_pitched({width, height, 1}, distance, *pointer);
    if (e == error::success) *pitch = static_cast<std::size_t>(distance);
    return e;
  });
}
CUDART_ALSO(cuMemAllocPitch, cuMemAllocPitch_v2)
CUDART_CALL int cuMemAllocManaged(device_pointer* pointer, std::size_t bytes, unsigned flags) {
  return in_context([&] {
    void* at = nullptr;
    if (pointer == nullptr || bytes == 0 || (flags != 1 && flags != 2)) return error::invalid_value;
    const error e = process_device().allocate_host(bytes, cuda::memory_kind::managed, flags, at);
    if (e == error::success) *pointer = address_of(at);
    return e;
  });
}
CUDART_CALL int cuMemFree_v2(device_pointer pointer) {
  return in_context([&] { return process_device().free(pointer); });
}
CUDART_ALSO(cuMemFree, cuMemFree_v2)
CUDART_CALL int cuMemFreeAsync(device_pointer pointer, handle) { return cuMemFree_v2(pointer); }
CUDART_ALSO(cuMemFreeAsync_ptsz, cuMemFreeAsync)
CUDART_CALL int cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return in_context([&] {
    if (pointer == nullptr || bytes == 0 || flags > 7) return error::invalid_value;
    return process_device().allocate_host(bytes, cuda::memory_kind::host, flags, *pointer);
  });
}
CUDART_CALL int cuMemAllocHost_v2(void** pointer, std::size_t bytes) { return cuMemHostAlloc(pointer, bytes, 0); }
CUDART_ALSO(cuMemAllocHost, cuMemAllocHost_v2)
CUDART_CALL int cuMemFreeHost(void* pointer) {
  return in_context([&] { return process_device().free_host(pointer); });
}
CUDART_CALL int cuMemHostRegister_v2(void* pointer, std::size_t bytes, unsigned flags) {
  return in_context([&] { return process_device().register_host(pointer, bytes, flags); });
}
CUDART_ALSO(cuMemHostRegister, cuMemHostRegister_v2)
CUDART_CALL int cuMemHostUnregister(void* pointer) {
  return in_context([&] { return process_device().unregister_host(pointer); });
}
CUDART_CALL int cuMemHostGetDevicePointer_v2(device_pointer* pointer, void* host, unsigned flags) {
  return in_context([&] {
    const cuda::memory_note note = process_device().pointer(address_of(host));
    if (pointer == nullptr || flags != 0 || note.address == 0 || note.kind == cuda::memory_kind::device)
      return error::invalid_value;
    *pointer = address_of(host);
    return error::success;
  });
}
CUDART_ALSO(cuMemHostGetDevicePointer, cuMemHostGetDevicePointer_v2)
CUDART_CALL int cuMemHostGetFlags(unsigned* flags, void* host) {
  return in_context([&] {
    const cuda::memory_note note = process_device().pointer(address_of(host));
    if (flags == nullptr || note.kind != cuda::memory_kind::host) return error::invalid_value;
    *flags = note.flags;
    return error::success;
  });
}
CUDART_CALL int cuMemGetInfo_v2(std::size_t* available, std::size_t* all) {
  return in_context([&] {
    std::uint64_t total = 0;
    const std::uint64_t left = process_device().available_memory(total);
    if (missing(available, all)) return error::invalid_value;
    *available = static_cast<std::size_t>(left);
    *all = static_cast<std::size_t>(total);
    return process_device().status();
  });
}
CUDART_ALSO(cuMemGetInfo, cuMemGetInfo_v2)
CUDART_CALL int cuMemGetAddressRange_v2(device_pointer* base, std::size_t* bytes, device_pointer pointer) {
  return in_context([&] {
    const cuda::memory_note note = process_device().pointer(pointer);
    if (note.address == 0) return error::symbol_not_found;
    if (base != nullptr) *base = note.address;
    if (bytes != nullptr) *bytes = static_cast<std::size_t>(note.bytes);
    return error::success;
  });
}
CUDART_ALSO(cuMemGetAddressRange, cuMemGetAddressRange_v2)

CUDART_CALL int cuPointerGetAttribute(void* data, int attribute, device_pointer pointer) {
  return in_context([&] {
    const cuda::memory_note note = process_device().pointer(pointer);
    if (data == nullptr || note.kind == cuda::memory_kind::unregistered) return error::invalid_value;
    return attribute_of(data, attribute, pointer, note);
  });
}
// A pointer that CUDA does not know has attributes that are zero, and an attribute that it lacks leaves the value.
CUDART_CALL int cuPointerGetAttributes(unsigned count, const int* attributes, void** data, device_pointer pointer) {
  return in_context([&] {
    if (missing(attributes, data)) return error::invalid_value;
    const cuda::memory_note note = process_device().pointer(pointer);
    const bool known = note.kind != cuda::memory_kind::unregistered;
    for (unsigned i = 0; i < count; ++i) {
      if (data[i] == nullptr || attributes[i] <= 0 || attributes[i] > 21) return error::invalid_value;
      if (known) {
        (void)attribute_of(data[i], attributes[i], pointer, note);
        continue;
      }
      // The attributes that are pointers or sizes have eight bytes.
      constexpr unsigned long_ones = 1U << 1 | 1U << 3 | 1U << 4 | 1U << 7 | 1U << 11 | 1U << 12 | 1U << 14 | 1U << 17 |
                                     1U << 18 | 1U << 19 | 1U << 20;
      if (attributes[i] == 9)
        store<int>(data[i], -2);  // no device
      else if ((long_ones >> attributes[i] & 1U) != 0)
        store<std::uint64_t>(data[i], 0);
      else if (attributes[i] != 5)
        store<int>(data[i], 0);
    }
    return error::success;
  });
}
// The only attribute that can be set makes copies synchronous, as they are.
CUDART_CALL int cuPointerSetAttribute(const void* value, int attribute, device_pointer) {
  return in_context([&] { return value == nullptr || attribute != 6 ? error::invalid_value : error::success; });
}

CUDART_CALL int cuDeviceGetDefaultMemPool(handle* pool, int device) {
  return initialised([&] {
    if (pool == nullptr) return error::invalid_value;
    if (device != 0) return error::invalid_device;
    *pool = &cudart::default_pool();
    return error::success;
  });
}
CUDART_ALSO(cuDeviceGetMemPool, cuDeviceGetDefaultMemPool)
CUDART_CALL int cuDeviceSetMemPool(int device, handle) {
  return initialised([&] { return device == 0 ? error::success : error::invalid_device; });
}
CUDART_CALL int cuMemGetDefaultMemPool(handle* pool, cudart::memory_location*, int) {
  return cuDeviceGetDefaultMemPool(pool, 0);
}
CUDART_ALSO(cuMemGetMemPool, cuMemGetDefaultMemPool)
CUDART_CALL int cuMemSetMemPool(cudart::memory_location*, int, handle) {
  return initialised([] { return error::success; });
}
CUDART_CALL int cuMemPoolCreate(handle* pool, const cudart::pool_properties*) {
  return initialised([&] {
    if (pool == nullptr) return error::invalid_value;
    *pool = new cudart::memory_pool;
    return error::success;
  });
}
CUDART_CALL int cuMemPoolDestroy(handle pool) {
  return initialised([&] { return cudart::destroy_pool(pool); });
}
CUDART_CALL int cuMemPoolTrimTo(handle pool, std::size_t) {
  return initialised([&] { return pool == nullptr ? error::invalid_value : error::success; });
}
CUDART_CALL int cuMemPoolGetAttribute(handle pool, int attribute, void* value) {
  return initialised([&] { return cudart::get_pool_attribute(pool, attribute, value); });
}
CUDART_CALL int cuMemPoolSetAttribute(handle pool, int attribute, void* value) {
  return initialised([&] { return cudart::set_pool_attribute(pool, attribute, value); });
}
CUDART_CALL int cuMemPoolSetAccess(handle pool, const cudart::pool_access*, std::size_t) {
  return initialised([&] { return pool == nullptr ? error::invalid_value : error::success; });
}
CUDART_CALL int cuMemPoolGetAccess(int* flags, handle pool, cudart::memory_location*) {
  return initialised([&] {
    if (missing(flags, pool)) return error::invalid_value;
    *flags = 3;  // CU_MEM_ACCESS_FLAGS_PROT_READWRITE
    return error::success;
  });
}

// Managed memory is never elsewhere.
CUDART_CALL int cuMemAdvise(device_pointer, std::size_t, int, int) {
  return in_context([] { return error::success; });
}
CUDART_CALL int cuMemAdvise_v2(device_pointer, std::size_t, int, cudart::memory_location) {
  return in_context([] { return error::success; });
}
CUDART_CALL int cuMemPrefetchAsync(device_pointer, std::size_t, int, handle) {
  return in_context([] { return error::success; });
}
CUDART_ALSO(cuMemPrefetchAsync_ptsz, cuMemPrefetchAsync)
CUDART_CALL int cuMemPrefetchAsync_v2(device_pointer, std::size_t, cudart::memory_location, unsigned, handle) {
  return in_context([] { return error::success; });
}
CUDART_ALSO(cuMemPrefetchAsync_v2_ptsz, cuMemPrefetchAsync_v2)
CUDART_CALL int cuMemPrefetchBatchAsync(device_pointer*, std::size_t*, std::size_t, void*, std::size_t*, std::size_t,
                                        unsigned long long, handle) {
  return in_context([] { return error::success; });
}
CUDART_ALSO(cuMemPrefetchBatchAsync_ptsz, cuMemPrefetchBatchAsync)
CUDART_ALSO(cuMemDiscardAndPrefetchBatchAsync, cuMemPrefetchBatchAsync)
CUDART_ALSO(cuMemDiscardAndPrefetchBatchAsync_ptsz, cuMemPrefetchBatchAsync)
CUDART_CALL int cuMemDiscardBatchAsync(device_pointer*, std::size_t*, std::size_t, unsigned long long, handle) {
  return in_context([] { return error::success; });
}
CUDART_ALSO(cuMemDiscardBatchAsync_ptsz, cuMemDiscardBatchAsync)
CUDART_CALL int cuMemRangeGetAttribute(void* data, std::size_t bytes, int, device_pointer pointer, std::size_t) {
  return in_context([&] { return cudart::get_range_attribute(data, bytes, pointer); });
}
CUDART_CALL int cuMemRangeGetAttributes(void** data, std::size_t* bytes, int*, std::size_t count,
                                        device_pointer pointer, std::size_t) {
  return in_context([&] {
    if (missing(data, bytes)) return error::invalid_value;
    for (std::size_t i = 0; i < count; ++i)
      if (const error e = cudart::get_range_attribute(data[i], bytes[i], pointer); e != error::success) return e;
    return error::success;
  });
}
CUDART_CALL int cuStreamAttachMemAsync(handle, device_pointer, std::size_t, unsigned) {
  return in_context([] { return error::success; });
}
CUDART_ALSO(cuStreamAttachMemAsync_ptsz, cuStreamAttachMemAsync)

CUDART_CALL int cuMemcpyHtoDAsync_v2(device_pointer to, const void* from, std::size_t bytes, handle stream) {
  return copy(to, address_of(from), bytes, cuda::copy_kind::host_to_device, stream);
}
CUDART_ALSO(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2)
CUDART_ALSO(cuMemcpyHtoDAsync_v2_ptsz, cuMemcpyHtoDAsync_v2)
CUDART_CALL int cuMemcpyHtoD_v2(device_pointer to, const void* from, std::size_t bytes) {
  return cuMemcpyHtoDAsync_v2(to, from, bytes, nullptr);
}
CUDART_ALSO(cuMemcpyHtoD, cuMemcpyHtoD_v2)
CUDART_ALSO(cuMemcpyHtoD_v2_ptds, cuMemcpyHtoD_v2)
CUDART_CALL int cuMemcpyDtoHAsync_v2(void* to, device_pointer from, std::size_t bytes, handle stream) {
  return copy(address_of(to), from, bytes, cuda::copy_kind::device_to_host, stream);
}
CUDART_ALSO(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2)
CUDART_ALSO(cuMemcpyDtoHAsync_v2_ptsz, cuMemcpyDtoHAsync_v2)
CUDART_CALL int cuMemcpyDtoH_v2(void* to, device_pointer from, std::size_t bytes) {
  return cuMemcpyDtoHAsync_v2(to, from, bytes, nullptr);
}
CUDART_ALSO(cuMemcpyDtoH, cuMemcpyDtoH_v2)
CUDART_ALSO(cuMemcpyDtoH_v2_ptds, cuMemcpyDtoH_v2)
CUDART_CALL int cuMemcpyAsync(device_pointer to, device_pointer from, std::size_t bytes, handle stream) {
  return copy(to, from, bytes, cuda::copy_kind::inferred, stream);
}
CUDART_ALSO(cuMemcpyAsync_ptsz, cuMemcpyAsync)
CUDART_ALSO(cuMemcpyDtoDAsync_v2, cuMemcpyAsync)
CUDART_ALSO(cuMemcpyDtoDAsync_v2_ptsz, cuMemcpyAsync)
CUDART_ALSO(cuMemcpyDtoDAsync, cuMemcpyAsync)
CUDART_CALL int cuMemcpy(device_pointer to, device_pointer from, std::size_t bytes) {
  return cuMemcpyAsync(to, from, bytes, nullptr);
}
CUDART_ALSO(cuMemcpy_ptds, cuMemcpy)
CUDART_ALSO(cuMemcpyDtoD_v2, cuMemcpy)
CUDART_ALSO(cuMemcpyDtoD_v2_ptds, cuMemcpy)
CUDART_ALSO(cuMemcpyDtoD, cuMemcpy)
CUDART_CALL int cuMemcpyPeerAsync(device_pointer to, handle, device_pointer from, handle, std::size_t bytes,
                                  handle stream) {
  return cuMemcpyAsync(to, from, bytes, stream);
}
CUDART_ALSO(cuMemcpyPeerAsync_ptsz, cuMemcpyPeerAsync)
CUDART_CALL int cuMemcpyPeer(device_pointer to, handle, device_pointer from, handle, std::size_t bytes) {
  return cuMemcpyAsync(to, from, bytes, nullptr);
}
CUDART_ALSO(cuMemcpyPeer_ptds, cuMemcpyPeer)
// The second form of the function has one parameter less, past the ones that are used.
CUDART_CALL int cuMemcpyBatchAsync(device_pointer* to, device_pointer* from, std::size_t* bytes, std::size_t count) {
  return in_context([&] {
    if (missing(to, from, bytes)) return error::invalid_value;
    for (std::size_t i = 0; i < count; ++i)
      if (const error e = process_device().copy(to[i], from[i], bytes[i]); e != error::success) return e;
    return error::success;
  });
}
CUDART_ALSO(cuMemcpyBatchAsync_ptsz, cuMemcpyBatchAsync)
CUDART_ALSO(cuMemcpyBatchAsync_v2, cuMemcpyBatchAsync)
CUDART_ALSO(cuMemcpyBatchAsync_v2_ptsz, cuMemcpyBatchAsync)

// cuMemsetD8, cuMemsetD16, cuMemsetD32, and the same for boxes.
#define FILLS(bits, type)                                                                                       \
  CUDART_CALL int cuMemsetD##bits##Async(device_pointer to, type value, std::size_t count, handle stream) {     \
    return fill(to, value, bits / 8, count, stream);                                                            \
  }                                                                                                             \
  CUDART_ALSO(cuMemsetD##bits##Async_ptsz, cuMemsetD##bits##Async)                                              \
  CUDART_CALL int cuMemsetD##bits##_v2(device_pointer to, type value, std::size_t count) {                      \
    return fill(to, value, bits / 8, count, nullptr);                                                           \
  }                                                                                                             \
  CUDART_ALSO(cuMemsetD##bits, cuMemsetD##bits##_v2)                                                            \
  CUDART_ALSO(cuMemsetD##bits##_v2_ptds, cuMemsetD##bits##_v2)                                                  \
  CUDART_CALL int cuMemsetD2D##bits##Async(device_pointer to, std::size_t pitch, type value, std::size_t width, \
                                           std::size_t height, handle stream) {                                 \
    return fill(to, pitch, value, bits / 8, width, height, stream);                                             \
  }                                                                                                             \
  CUDART_ALSO(cuMemsetD2D##bits##Async_ptsz, cuMemsetD2D##bits##Async)                                          \
  CUDART_CALL int cuMemsetD2D##bits##_v2(device_pointer to, std::size_t pitch, type value, std::size_t width,   \
                                         std::size_t height) {                                                  \
    return fill(to, pitch, value, bits / 8, width, height, nullptr);                                            \
  }                                                                                                             \
  CUDART_ALSO(cuMemsetD2D##bits, cuMemsetD2D##bits##_v2)                                                        \
  CUDART_ALSO(cuMemsetD2D##bits##_v2_ptds, cuMemsetD2D##bits##_v2)
FILLS(8, unsigned char)
FILLS(16, unsigned short)
FILLS(32, unsigned)
