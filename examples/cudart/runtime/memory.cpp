// SPDX-License-Identifier: BSL-1.0
//
// Allocations, pointers, memory pools and what concerns managed memory (CUDA Runtime API, Memory Management, Stream
// Ordered Memory Allocator, Unified Addressing). All memory stands ready at once: advice and prefetches do nothing.
#include "cudart/core/shared_calls.hpp"
#include "cudart/runtime/versioned/shared.hpp"

using cudart::error;
using cudart::handle;
using cudart::returned;
using cudart::the_device;
namespace cuda = simtflow::cuda;

namespace {

error allocate(void** pointer, std::size_t bytes) {
  if (pointer == nullptr) return error::invalid_value;
  cuda::any_address at = 0;
  const error e = the_device().allocate(bytes, at);
  if (e == error::success) *pointer = cuda::pointer_to(at);
  return e;
}

error allocate_host(void** pointer, std::size_t bytes, cuda::memory_kind kind, unsigned flags) {
  if (pointer == nullptr) return error::invalid_value;
  return the_device().allocate_host(bytes, kind, flags, *pointer);
}

}  // namespace

CUDART_CALL int cudaMalloc(void** pointer, std::size_t bytes) { return returned(allocate(pointer, bytes)); }
CUDART_CALL int cudaMallocAsync(void** pointer, std::size_t bytes, handle) {
  return returned(allocate(pointer, bytes));
}
CUDART_ALSO(cudaMallocAsync_ptsz, cudaMallocAsync)

CUDART_CALL int cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  if (pointer == nullptr || pitch == nullptr) return returned(error::invalid_value);
  cuda::any_address at = 0;
  std::uint64_t distance = 0;
  const error e = the_device().allocate_pitched({width, height, 1}, distance, at);
  if (e == error::success) *pointer = cuda::pointer_to(at), *pitch = static_cast<std::size_t>(distance);
  return returned(e);
}

CUDART_CALL int cudaMalloc3D(cudart::pitched_pointer* pointer, cudart::extent size) {
  if (pointer == nullptr) return returned(error::invalid_value);
  cuda::any_address at = 0;
  std::uint64_t distance = 0;
  const error e = the_device().allocate_pitched({size.width, size.height, size.depth}, distance, at);
  if (e == error::success)
    *pointer = {cuda::pointer_to(at), static_cast<std::size_t>(distance), size.width, size.height};
  return returned(e);
}

CUDART_CALL int cudaFree(void* pointer) { return returned(the_device().free(cuda::address_of(pointer))); }
CUDART_CALL int cudaFreeAsync(void* pointer, handle) { return returned(the_device().free(cuda::address_of(pointer))); }
CUDART_ALSO(cudaFreeAsync_ptsz, cudaFreeAsync)

CUDART_CALL int cudaMallocHost(void** pointer, std::size_t bytes) {
  return returned(allocate_host(pointer, bytes, cuda::memory_kind::host, 0));
}
CUDART_CALL int cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  if (flags > 7) return returned(error::invalid_value);
  return returned(allocate_host(pointer, bytes, cuda::memory_kind::host, flags));
}
CUDART_CALL int cudaFreeHost(void* pointer) { return returned(the_device().free_host(pointer)); }
CUDART_CALL int cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  if (bytes == 0 || (flags != 1 && flags != 2)) return returned(error::invalid_value);
  return returned(allocate_host(pointer, bytes, cuda::memory_kind::managed, flags));
}
CUDART_CALL int cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return returned(the_device().register_host(pointer, bytes, flags));
}
CUDART_CALL int cudaHostUnregister(void* pointer) { return returned(the_device().unregister_host(pointer)); }

CUDART_CALL int cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  if (device == nullptr || flags != 0) return returned(error::invalid_value);
  const cuda::memory_note note = the_device().pointer(cuda::address_of(host));
  if (note.address == 0 || note.kind == cuda::memory_kind::device) return returned(error::invalid_value);
  *device = host;
  return 0;
}
CUDART_CALL int cudaHostGetFlags(unsigned* flags, void* host) {
  const cuda::memory_note note = the_device().pointer(cuda::address_of(host));
  if (flags == nullptr || note.kind != cuda::memory_kind::host) return returned(error::invalid_value);
  *flags = note.flags;
  return 0;
}

CUDART_CALL int cudaMemGetInfo(std::size_t* available, std::size_t* all) {
  std::uint64_t total = 0;
  const std::uint64_t left = the_device().available_memory(total);
  if (available != nullptr) *available = static_cast<std::size_t>(left);
  if (all != nullptr) *all = static_cast<std::size_t>(total);
  return returned(the_device().status());
}

namespace cudart {

/// The common part of the versions of cudaPointerGetAttributes.
error get_pointer_attributes(pointer_attributes& to, const void* pointer) {
  const cuda::memory_note note = the_device().pointer(cuda::address_of(pointer));
  to = {};
  to.device = -1;
  to.type = static_cast<int>(note.kind);
  // A pointer that CUDA does not know is no error: it is memory of the host.
  to.hostPointer = note.kind == cuda::memory_kind::device ? nullptr : const_cast<void*>(pointer);
  if (note.kind == cuda::memory_kind::unregistered) return error::success;
  to.device = 0;
  to.devicePointer = const_cast<void*>(pointer);
  return error::success;
}

}  // namespace cudart

// Managed memory is never elsewhere.
CUDART_CALL int cudaStreamAttachMemAsync(handle, void*, std::size_t, unsigned) { return 0; }
CUDART_ALSO(cudaStreamAttachMemAsync_ptsz, cudaStreamAttachMemAsync)
CUDART_CALL int cudaMemPrefetchBatchAsync(void**, std::size_t*, std::size_t, void*, std::size_t*, std::size_t,
                                          unsigned long long, handle) {
  return 0;
}
CUDART_ALSO(cudaMemPrefetchBatchAsync_ptsz, cudaMemPrefetchBatchAsync)
CUDART_ALSO(cudaMemDiscardAndPrefetchBatchAsync, cudaMemPrefetchBatchAsync)
CUDART_ALSO(cudaMemDiscardAndPrefetchBatchAsync_ptsz, cudaMemPrefetchBatchAsync)
CUDART_CALL int cudaMemDiscardBatchAsync(void**, std::size_t*, std::size_t, unsigned long long, handle) { return 0; }
CUDART_ALSO(cudaMemDiscardBatchAsync_ptsz, cudaMemDiscardBatchAsync)

CUDART_CALL int cudaMemRangeGetAttribute(void* data, std::size_t bytes, int, const void* pointer, std::size_t) {
  return returned(cudart::get_range_attribute(data, bytes, cuda::address_of(pointer)));
}
CUDART_CALL int cudaMemRangeGetAttributes(void** data, std::size_t* bytes, int* attributes, std::size_t count,
                                          const void* pointer, std::size_t size) {
  for (std::size_t i = 0; i < count; ++i)
    if (const int e = cudaMemRangeGetAttribute(data[i], bytes[i], attributes[i], pointer, size); e != 0) return e;
  return 0;
}

CUDART_CALL int cudaDeviceGetDefaultMemPool(handle* pool, int device) {
  if (pool == nullptr) return returned(error::invalid_value);
  if (device != 0) return returned(error::invalid_device);
  *pool = &cudart::default_pool();
  return 0;
}
CUDART_ALSO(cudaDeviceGetMemPool, cudaDeviceGetDefaultMemPool)
CUDART_CALL int cudaDeviceSetMemPool(int device, handle) {
  return returned(device == 0 ? error::success : error::invalid_device);
}
CUDART_CALL int cudaMemGetDefaultMemPool(handle* pool, cudart::memory_location*, int) {
  return cudaDeviceGetDefaultMemPool(pool, 0);
}
CUDART_ALSO(cudaMemGetMemPool, cudaMemGetDefaultMemPool)
CUDART_CALL int cudaMemSetMemPool(cudart::memory_location*, int, handle) { return 0; }
CUDART_CALL int cudaMemPoolCreate(handle* pool, const cudart::pool_properties*) {
  if (pool == nullptr) return returned(error::invalid_value);
  *pool = new cudart::memory_pool;
  return 0;
}
CUDART_CALL int cudaMemPoolDestroy(handle pool) { return returned(cudart::destroy_pool(pool)); }
CUDART_CALL int cudaMemPoolTrimTo(handle, std::size_t) { return 0; }
CUDART_CALL int cudaMemPoolGetAttribute(handle pool, int attribute, void* value) {
  return returned(cudart::get_pool_attribute(pool, attribute, value));
}
CUDART_CALL int cudaMemPoolSetAttribute(handle pool, int attribute, void* value) {
  return returned(cudart::set_pool_attribute(pool, attribute, value));
}
CUDART_CALL int cudaMemPoolSetAccess(handle, const cudart::pool_access*, std::size_t) { return 0; }
CUDART_CALL int cudaMemPoolGetAccess(int* flags, handle, cudart::memory_location*) {
  if (flags == nullptr) return returned(error::invalid_value);
  *flags = 3;  // cudaMemAccessFlagsProtReadWrite
  return 0;
}
CUDART_CALL int cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, handle, handle) {
  return returned(allocate(pointer, bytes));
}
CUDART_ALSO(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync)
