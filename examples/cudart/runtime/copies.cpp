// SPDX-License-Identifier: BSL-1.0
//
// Copies and fills of linear memory and of variables (CUDA Runtime API, Memory Management). A copy is done when the
// call returns, also a copy of the asynchronous kind.
#include "cudart/core/handles.hpp"

using cudart::direction;
using cudart::error;
using cudart::handle;
using cudart::returned;
using cudart::stream_of;
using cudart::the_device;
namespace cuda = simtflow::cuda;
using cuda::address_of;

CUDART_CALL int cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind, handle stream) {
  return returned(the_device().copy(address_of(to), address_of(from), bytes, direction(kind), stream_of(stream)));
}
CUDART_ALSO(cudaMemcpyAsync_ptsz, cudaMemcpyAsync)
CUDART_CALL int cudaMemcpy(void* to, const void* from, std::size_t bytes, int kind) {
  return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}
CUDART_ALSO(cudaMemcpy_ptds, cudaMemcpy)

CUDART_CALL int cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                    handle stream) {
  if (to_device != 0 || from_device != 0) return returned(error::invalid_device);
  return cudaMemcpyAsync(to, from, bytes, cudart::by_pointers, stream);
}
CUDART_CALL int cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes) {
  return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, nullptr);
}

CUDART_CALL int cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                  std::size_t width, std::size_t height, int kind, handle stream) {
  return returned(the_device().copy({address_of(to), to_pitch, 0}, {address_of(from), from_pitch, 0},
                                    {width, height, 1}, direction(kind), stream_of(stream)));
}
CUDART_ALSO(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync)
CUDART_CALL int cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                             std::size_t width, std::size_t height, int kind) {
  return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, nullptr);
}
CUDART_ALSO(cudaMemcpy2D_ptds, cudaMemcpy2D)

CUDART_CALL int cudaMemcpyBatchAsync(void* const* to, const void* const* from, const std::size_t* bytes,
                                     std::size_t count, void*, std::size_t*, std::size_t, handle stream) {
  for (std::size_t i = 0; i < count; ++i)
    if (const int e = cudaMemcpyAsync(to[i], from[i], bytes[i], cudart::by_pointers, stream); e != 0) return e;
  return 0;
}
CUDART_ALSO(cudaMemcpyBatchAsync_ptsz, cudaMemcpyBatchAsync)

CUDART_CALL int cudaMemsetAsync(void* to, int value, std::size_t bytes, handle stream) {
  return returned(the_device().fill(address_of(to), static_cast<std::uint32_t>(value), 1, bytes, stream_of(stream)));
}
CUDART_ALSO(cudaMemsetAsync_ptsz, cudaMemsetAsync)
CUDART_CALL int cudaMemset(void* to, int value, std::size_t bytes) {
  return cudaMemsetAsync(to, value, bytes, nullptr);
}
CUDART_ALSO(cudaMemset_ptds, cudaMemset)

CUDART_CALL int cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                                  handle stream) {
  return returned(the_device().fill({address_of(to), pitch, 0}, static_cast<std::uint32_t>(value), 1,
                                    {width, height, 1}, stream_of(stream)));
}
CUDART_ALSO(cudaMemset2DAsync_ptsz, cudaMemset2DAsync)
CUDART_CALL int cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return cudaMemset2DAsync(to, pitch, value, width, height, nullptr);
}
CUDART_ALSO(cudaMemset2D_ptds, cudaMemset2D)

CUDART_CALL int cudaMemset3DAsync(cudart::pitched_pointer to, int value, cudart::extent size, handle stream) {
  return returned(the_device().fill({address_of(to.ptr), to.pitch, to.pitch * to.ysize},
                                    static_cast<std::uint32_t>(value), 1, {size.width, size.height, size.depth},
                                    stream_of(stream)));
}
CUDART_ALSO(cudaMemset3DAsync_ptsz, cudaMemset3DAsync)
CUDART_CALL int cudaMemset3D(cudart::pitched_pointer to, int value, cudart::extent size) {
  return cudaMemset3DAsync(to, value, size, nullptr);
}
CUDART_ALSO(cudaMemset3D_ptds, cudaMemset3D)

CUDART_CALL int cudaGetSymbolAddress(void** pointer, const void* symbol) {
  cudart::registered_variable variable;
  if (pointer == nullptr) return returned(error::invalid_value);
  if (const error e = cudart::find_variable(symbol, variable); e != error::success) return returned(e);
  *pointer = cuda::pointer_to(variable.address);
  return 0;
}
CUDART_CALL int cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  cudart::registered_variable variable;
  if (bytes == nullptr) return returned(error::invalid_value);
  if (const error e = cudart::find_variable(symbol, variable); e != error::success) return returned(e);
  *bytes = static_cast<std::size_t>(variable.bytes);
  return 0;
}

namespace {

// The address of byte `offset` of a variable, if `bytes` from there on lie inside it.
error place_in(const void* symbol, std::size_t bytes, std::size_t offset, std::uint64_t& at) {
  cudart::registered_variable variable;
  if (const error e = cudart::find_variable(symbol, variable); e != error::success) return e;
  if (offset > variable.bytes || bytes > variable.bytes - offset) return error::invalid_value;
  at = variable.address + offset;
  return error::success;
}

}  // namespace

CUDART_CALL int cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                        int kind, handle stream) {
  std::uint64_t at = 0;
  if (const error e = place_in(symbol, bytes, offset, at); e != error::success) return returned(e);
  return returned(the_device().copy(at, address_of(from), bytes, direction(kind), stream_of(stream)));
}
CUDART_ALSO(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync)
CUDART_CALL int cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                   int kind) {
  return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, nullptr);
}
CUDART_ALSO(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol)

CUDART_CALL int cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind,
                                          handle stream) {
  std::uint64_t at = 0;
  if (const error e = place_in(symbol, bytes, offset, at); e != error::success) return returned(e);
  return returned(the_device().copy(address_of(to), at, bytes, direction(kind), stream_of(stream)));
}
CUDART_ALSO(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyFromSymbolAsync)
CUDART_CALL int cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind) {
  return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, nullptr);
}
CUDART_ALSO(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol)
