// SPDX-License-Identifier: BSL-1.0
//
// Arrays, and copies of boxes between them and linear memory (CUDA Driver API, Memory Management).
#include "cudart/driver/arrays.hpp"

using cudart::array_3d_descriptor;
using cudart::array_descriptor;
using cudart::device_pointer;
using cudart::driver_copy_2d;
using cudart::driver_copy_3d;
using cudart::error;
using cudart::handle;
using cudart::in_context;
using cudart::missing;
using cudart::process_device;
using cudart::stream_of;
namespace cuda = simtflow::cuda;
namespace ptx = simtflow::ptx;
using cuda::address_of;

namespace cudart {

error format_of(int format, unsigned channels, ptx::texel_format& to) {
  constexpr struct {
    int format;
    ptx::channel_kind kind;
    std::uint8_t bits;
  } known[] = {{0x01, ptx::channel_kind::unsigned_integer, 8},  {0x02, ptx::channel_kind::unsigned_integer, 16},
               {0x03, ptx::channel_kind::unsigned_integer, 32}, {0x08, ptx::channel_kind::signed_integer, 8},
               {0x09, ptx::channel_kind::signed_integer, 16},   {0x0A, ptx::channel_kind::signed_integer, 32},
               {0x10, ptx::channel_kind::floating, 16},         {0x20, ptx::channel_kind::floating, 32}};
  for (const auto& one : known) {
    if (one.format != format) continue;
    to = {one.kind, one.bits, static_cast<std::uint8_t>(channels)};
    return channels <= 4 && to.is_valid() ? error::success : error::invalid_value;
  }
  return error::invalid_value;
}

int number_of(const ptx::texel_format& format) {
  if (format.kind == ptx::channel_kind::floating) return format.bits == 16 ? 0x10 : 0x20;
  const int size = format.bits == 8 ? 1 : format.bits == 16 ? 2 : 3;
  return format.kind == ptx::channel_kind::signed_integer ? size + 7 : size;
}

}  // namespace cudart

namespace {

error make_array(handle* array, const array_3d_descriptor* d, unsigned levels) {
  if (missing(array, d)) return error::invalid_value;
  cuda::array_request request;
  if (const error e = cudart::format_of(d->Format, d->NumChannels, request.format); e != error::success) return e;
  request.width = d->Width;
  request.height = d->Height;
  request.depth = d->Depth;
  request.flags = d->Flags;
  request.levels = levels;
  return cudart::make_array(request, *array);
}

// One end of a copy of boxes.
struct copy_end {
  std::size_t x, y, z;
  int type;
  device_pointer address;  // of linear memory
  handle array;
  std::size_t pitch, height;
};

error box_of(copy_end end, const cuda::box_extent& size, cuda::byte_box& box) {
  if (end.type == cudart::array_memory) return cudart::box_in(end.array, end.x, end.y, end.z, box);
  if (end.type < cudart::host_memory || end.type > cudart::unified_memory) return error::invalid_value;
  if (end.pitch == 0) end.pitch = static_cast<std::size_t>(size.width);
  if (end.height == 0) end.height = static_cast<std::size_t>(size.height);
  const std::uint64_t layer = std::uint64_t{end.pitch} * end.height;
  box = {end.address + end.x + end.y * end.pitch + end.z * layer, end.pitch, layer};
  return error::success;
}

error copy(const copy_end& to, const copy_end& from, const cuda::box_extent& size, handle stream) {
  cuda::byte_box a, b;
  if (const error e = box_of(to, size, a); e != error::success) return e;
  if (const error e = box_of(from, size, b); e != error::success) return e;
  cuda::copy_kind kind = cuda::copy_kind::inferred;
  if (to.type != cudart::unified_memory && from.type != cudart::unified_memory) {
    const bool from_host = from.type == cudart::host_memory, to_host = to.type == cudart::host_memory;
    kind = from_host ? to_host ? cuda::copy_kind::host_to_host : cuda::copy_kind::host_to_device
           : to_host ? cuda::copy_kind::device_to_host
                     : cuda::copy_kind::device_to_device;
  }
  return process_device().copy(a, b, size, kind, stream_of(stream));
}

device_pointer linear(int type, const void* host, device_pointer device) {
  return type == cudart::host_memory ? address_of(host) : device;
}

int copy_2d(const driver_copy_2d* c, handle stream) {
  return in_context([&] {
    if (c == nullptr) return error::invalid_value;
    const copy_end from = {
        c->srcXInBytes, c->srcY,     0, c->srcMemoryType, linear(c->srcMemoryType, c->srcHost, c->srcDevice),
        c->srcArray,    c->srcPitch, 0};
    const copy_end to = {
        c->dstXInBytes, c->dstY,     0, c->dstMemoryType, linear(c->dstMemoryType, c->dstHost, c->dstDevice),
        c->dstArray,    c->dstPitch, 0};
    return copy(to, from, {c->WidthInBytes, c->Height, 1}, stream);
  });
}

int copy_3d(const driver_copy_3d* c, handle stream) {
  return in_context([&] {
    if (c == nullptr) return error::invalid_value;
    const copy_end from = {
        c->srcXInBytes, c->srcY,     c->srcZ,     c->srcMemoryType, linear(c->srcMemoryType, c->srcHost, c->srcDevice),
        c->srcArray,    c->srcPitch, c->srcHeight};
    const copy_end to = {
        c->dstXInBytes, c->dstY,     c->dstZ,     c->dstMemoryType, linear(c->dstMemoryType, c->dstHost, c->dstDevice),
        c->dstArray,    c->dstPitch, c->dstHeight};
    return copy(to, from, {c->WidthInBytes, c->Height, c->Depth}, stream);
  });
}

// Bytes of a one-dimensional array. Rows of arrays lie without gaps, so that a run of bytes goes on in the next row.
int copy_run(handle to_array, device_pointer to, handle from_array, device_pointer from, std::size_t bytes,
             cuda::copy_kind kind, handle stream) {
  return in_context([&] {
    cuda::byte_box a{to, 0, 0}, b{from, 0, 0};
    if (to_array != nullptr)
      if (const error e = cudart::box_in(to_array, static_cast<std::size_t>(to), 0, 0, a); e != error::success)
        return e;
    if (from_array != nullptr)
      if (const error e = cudart::box_in(from_array, static_cast<std::size_t>(from), 0, 0, b); e != error::success)
        return e;
    return process_device().copy(a.address, b.address, bytes, kind, stream_of(stream));
  });
}

}  // namespace

CUDART_CALL int cuArray3DCreate_v2(handle* array, const array_3d_descriptor* descriptor) {
  return in_context([&] { return make_array(array, descriptor, 1); });
}
CUDART_CALL int cuArrayCreate_v2(handle* array, const array_descriptor* d) {
  if (d == nullptr) return cuArray3DCreate_v2(array, nullptr);
  const array_3d_descriptor all = {d->Width, d->Height, 0, d->Format, d->NumChannels, 0};
  return cuArray3DCreate_v2(array, &all);
}
CUDART_CALL int cuArrayDestroy(handle array) {
  return in_context([&] { return array == nullptr ? error::invalid_resource_handle : cudart::free_array(array); });
}
CUDART_CALL int cuArray3DGetDescriptor_v2(array_3d_descriptor* to, handle array) {
  return in_context([&] {
    cuda::array_facts facts;
    if (to == nullptr) return error::invalid_value;
    if (const error e = cudart::facts_of(array, facts); e != error::success) return e;
    const cuda::array_request& r = facts.request;
    *to = {static_cast<std::size_t>(r.width),
           static_cast<std::size_t>(r.height),
           static_cast<std::size_t>(r.depth),
           cudart::number_of(r.format),
           r.format.channels,
           r.flags};
    return error::success;
  });
}
CUDART_CALL int cuArrayGetDescriptor_v2(array_descriptor* to, handle array) {
  array_3d_descriptor all{};
  if (const int e = cuArray3DGetDescriptor_v2(to == nullptr ? nullptr : &all, array); e != 0) return e;
  *to = {all.Width, all.Height, all.Format, all.NumChannels};
  return 0;
}
CUDART_CALL int cuMipmappedArrayCreate(handle* array, const array_3d_descriptor* descriptor, unsigned levels) {
  return in_context([&] { return make_array(array, descriptor, levels); });
}
CUDART_CALL int cuMipmappedArrayGetLevel(handle* level, handle array, unsigned number) {
  return in_context([&] { return level == nullptr ? error::invalid_value : cudart::level_of(array, number, *level); });
}
CUDART_ALSO(cuMipmappedArrayDestroy, cuArrayDestroy)

CUDART_CALL int cuMemcpy2DAsync_v2(const driver_copy_2d* c, handle stream) { return copy_2d(c, stream); }
CUDART_ALSO(cuMemcpy2DAsync_v2_ptsz, cuMemcpy2DAsync_v2)
CUDART_CALL int cuMemcpy2D_v2(const driver_copy_2d* c) { return copy_2d(c, nullptr); }
CUDART_ALSO(cuMemcpy2D_v2_ptds, cuMemcpy2D_v2)
CUDART_ALSO(cuMemcpy2DUnaligned_v2, cuMemcpy2D_v2)
CUDART_ALSO(cuMemcpy2DUnaligned_v2_ptds, cuMemcpy2D_v2)
CUDART_CALL int cuMemcpy3DAsync_v2(const driver_copy_3d* c, handle stream) { return copy_3d(c, stream); }
CUDART_ALSO(cuMemcpy3DAsync_v2_ptsz, cuMemcpy3DAsync_v2)
CUDART_ALSO(cuMemcpy3DPeerAsync, cuMemcpy3DAsync_v2)
CUDART_ALSO(cuMemcpy3DPeerAsync_ptsz, cuMemcpy3DAsync_v2)
CUDART_CALL int cuMemcpy3D_v2(const driver_copy_3d* c) { return copy_3d(c, nullptr); }
CUDART_ALSO(cuMemcpy3D_v2_ptds, cuMemcpy3D_v2)
CUDART_ALSO(cuMemcpy3DPeer, cuMemcpy3D_v2)
CUDART_ALSO(cuMemcpy3DPeer_ptds, cuMemcpy3D_v2)

CUDART_CALL int cuMemcpyHtoAAsync_v2(handle to, std::size_t x, const void* from, std::size_t bytes, handle stream) {
  return copy_run(to, x, nullptr, address_of(from), bytes, cuda::copy_kind::host_to_device, stream);
}
CUDART_ALSO(cuMemcpyHtoAAsync_v2_ptsz, cuMemcpyHtoAAsync_v2)
CUDART_CALL int cuMemcpyHtoA_v2(handle to, std::size_t x, const void* from, std::size_t bytes) {
  return cuMemcpyHtoAAsync_v2(to, x, from, bytes, nullptr);
}
CUDART_ALSO(cuMemcpyHtoA_v2_ptds, cuMemcpyHtoA_v2)
CUDART_CALL int cuMemcpyAtoHAsync_v2(void* to, handle from, std::size_t x, std::size_t bytes, handle stream) {
  return copy_run(nullptr, address_of(to), from, x, bytes, cuda::copy_kind::device_to_host, stream);
}
CUDART_ALSO(cuMemcpyAtoHAsync_v2_ptsz, cuMemcpyAtoHAsync_v2)
CUDART_CALL int cuMemcpyAtoH_v2(void* to, handle from, std::size_t x, std::size_t bytes) {
  return cuMemcpyAtoHAsync_v2(to, from, x, bytes, nullptr);
}
CUDART_ALSO(cuMemcpyAtoH_v2_ptds, cuMemcpyAtoH_v2)
CUDART_CALL int cuMemcpyDtoA_v2(handle to, std::size_t x, device_pointer from, std::size_t bytes) {
  return copy_run(to, x, nullptr, from, bytes, cuda::copy_kind::device_to_device, nullptr);
}
CUDART_ALSO(cuMemcpyDtoA_v2_ptds, cuMemcpyDtoA_v2)
CUDART_CALL int cuMemcpyAtoD_v2(device_pointer to, handle from, std::size_t x, std::size_t bytes) {
  return copy_run(nullptr, to, from, x, bytes, cuda::copy_kind::device_to_device, nullptr);
}
CUDART_ALSO(cuMemcpyAtoD_v2_ptds, cuMemcpyAtoD_v2)
CUDART_CALL int cuMemcpyAtoA_v2(handle to, std::size_t to_x, handle from, std::size_t from_x, std::size_t bytes) {
  return copy_run(to, to_x, from, from_x, bytes, cuda::copy_kind::device_to_device, nullptr);
}
CUDART_ALSO(cuMemcpyAtoA_v2_ptds, cuMemcpyAtoA_v2)
