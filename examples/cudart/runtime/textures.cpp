// SPDX-License-Identifier: BSL-1.0
//
// Arrays, textures and surfaces, and copies to and from arrays (CUDA Runtime API, Memory Management, Texture Object
// Management, Surface Object Management, Texture Reference Management).
#include "cudart/core/shared_calls.hpp"

#include <cstdint>
#include <map>
#include <mutex>

using cudart::array_of;
using cudart::box_in;
using cudart::direction;
using cudart::error;
using cudart::facts_of;
using cudart::handle;
using cudart::returned;
using cudart::stream_of;
using cudart::the_device;
namespace cuda = simtflow::cuda;
namespace ptx = simtflow::ptx;
using cuda::address_of;

namespace {

// cudaChannelFormatKind: signed, unsigned, float. The channels that there are have as many bits as the first one.
error format_of(const cudart::channel_format& c, ptx::texel_format& format) {
  if (c.f < 0 || c.f > 2 || c.x <= 0) return error::invalid_channel_descriptor;
  const int bits[] = {c.x, c.y, c.z, c.w};
  int channels = 0;
  while (channels < 4 && bits[channels] == c.x) ++channels;
  for (int i = channels; i < 4; ++i)
    if (bits[i] != 0) return error::invalid_channel_descriptor;
  format.kind = static_cast<ptx::channel_kind>(c.f);
  format.bits = static_cast<decltype(format.bits)>(c.x);
  format.channels = static_cast<decltype(format.channels)>(channels);
  return error::success;
}

cudart::channel_format channels_of(const ptx::texel_format& format) {
  const int bits = static_cast<int>(format.bits);
  const int n = static_cast<int>(format.channels);
  return {bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0, static_cast<int>(format.kind)};
}

error make_array(handle* array, const cudart::channel_format* format, const cudart::extent& size, unsigned levels,
                 unsigned flags) {
  if (array == nullptr || format == nullptr) return error::invalid_value;
  cuda::array_request request;
  if (const error e = format_of(*format, request.format); e != error::success) return e;
  request.width = size.width;
  request.height = size.height;
  request.depth = size.depth;
  request.flags = flags;
  request.levels = levels;
  (void)the_device();
  return cudart::make_array(request, *array);
}

// The descriptions that objects were made from, for programs that ask.
struct described {
  cudart::resource resource;
  cudart::texture texture;
};
struct descriptions {
  std::mutex lock;
  std::map<std::uint64_t, described> all;
};
descriptions& known() {
  static descriptions& one = *new descriptions;
  return one;
}

error source_of(const cudart::resource& r, cuda::texture_source& s) {
  using kind = cuda::texture_source::kind;
  switch (r.resType) {
    case 0:
    case 1:
      s.array = array_of(r.res.array.array);
      return error::success;
    case 2:
      s.what = kind::linear;
      s.address = address_of(r.res.linear.devPtr);
      s.bytes = r.res.linear.sizeInBytes;
      return format_of(r.res.linear.desc, s.format);
    case 3:
      s.what = kind::pitched;
      s.address = address_of(r.res.pitch2D.devPtr);
      s.width = r.res.pitch2D.width;
      s.height = r.res.pitch2D.height;
      s.pitch = r.res.pitch2D.pitchInBytes;
      return format_of(r.res.pitch2D.desc, s.format);
    default:
      return error::invalid_value;
  }
}

cuda::texture_settings settings_of(const cudart::texture& t) {
  cuda::texture_settings s;
  for (int i = 0; i < 3; ++i) s.how.address[i] = static_cast<ptx::address_mode>(t.addressMode[i] & 3);
  s.how.filter = t.filterMode == 1 ? ptx::filter_mode::linear : ptx::filter_mode::point;
  s.how.mipmap_filter = t.mipmapFilterMode == 1 ? ptx::filter_mode::linear : ptx::filter_mode::point;
  s.how.normalized_coordinates = t.normalizedCoords != 0;
  s.how.srgb = t.sRGB != 0;
  for (int i = 0; i < 4; ++i) s.how.border[i] = t.borderColor[i];
  s.how.level_bias = t.mipmapLevelBias;
  s.how.least_level = t.minMipmapLevelClamp;
  s.how.greatest_level = t.maxMipmapLevelClamp;
  s.normalized_read = t.readMode == 1;
  return s;
}

cuda::texture_settings settings_of(const cudart::texture_reference& r) {
  cudart::texture t = {};
  for (int i = 0; i < 3; ++i) t.addressMode[i] = r.addressMode[i];
  t.filterMode = r.filterMode;
  t.sRGB = r.sRGB;
  t.normalizedCoords = r.normalized;
  t.mipmapFilterMode = r.mipmapFilterMode;
  t.mipmapLevelBias = r.mipmapLevelBias;
  t.minMipmapLevelClamp = r.minMipmapLevelClamp;
  t.maxMipmapLevelClamp = r.maxMipmapLevelClamp;
  return settings_of(t);
}

error bind(const void* reference, const cuda::texture_source& source, const cuda::texture_settings& how) {
  cudart::registered_variable variable;
  if (const error e = cudart::find_variable(reference, variable); e != error::success) return error::invalid_texture;
  return the_device().textures([&](cuda::texture_calls& t) { return t.bind(variable.address, source, how); });
}

}  // namespace

CUDART_CALL cudart::channel_format cudaCreateChannelDesc(int x, int y, int z, int w, int f) { return {x, y, z, w, f}; }

CUDART_CALL int cudaMallocArray(handle* array, const cudart::channel_format* format, std::size_t width,
                                std::size_t height, unsigned flags) {
  return returned(make_array(array, format, {width, height, 0}, 1, flags));
}
CUDART_CALL int cudaMalloc3DArray(handle* array, const cudart::channel_format* format, cudart::extent size,
                                  unsigned flags) {
  return returned(make_array(array, format, size, 1, flags));
}
CUDART_CALL int cudaMallocMipmappedArray(handle* array, const cudart::channel_format* format, cudart::extent size,
                                         unsigned levels, unsigned flags) {
  return returned(make_array(array, format, size, levels, flags));
}
CUDART_CALL int cudaFreeArray(handle array) { return returned(cudart::free_array(array)); }
CUDART_ALSO(cudaFreeMipmappedArray, cudaFreeArray)
CUDART_CALL int cudaGetMipmappedArrayLevel(handle* level, handle array, unsigned number) {
  if (level == nullptr) return returned(error::invalid_value);
  return returned(cudart::level_of(array, number, *level));
}
CUDART_CALL int cudaArrayGetInfo(cudart::channel_format* format, cudart::extent* size, unsigned* flags, handle array) {
  cuda::array_facts facts;
  if (const error e = facts_of(array, facts); e != error::success) return returned(e);
  const cuda::array_request& r = facts.request;
  if (format != nullptr) *format = channels_of(r.format);
  if (size != nullptr)
    *size = {static_cast<std::size_t>(r.width), static_cast<std::size_t>(r.height), static_cast<std::size_t>(r.depth)};
  if (flags != nullptr) *flags = r.flags;
  return 0;
}
CUDART_CALL int cudaGetChannelDesc(cudart::channel_format* format, handle array) {
  return cudaArrayGetInfo(format, nullptr, nullptr, array);
}
CUDART_CALL int cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* texels, const cudart::channel_format*, int device) {
  if (texels == nullptr) return returned(error::invalid_value);
  if (device != 0) return returned(error::invalid_device);
  *texels = std::size_t{1} << 28;
  return 0;
}

CUDART_CALL int cudaMemcpy2DToArrayAsync(handle to, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                                         std::size_t width, std::size_t height, int kind, handle stream) {
  cuda::byte_box box;
  if (const error e = box_in(to, x, y, 0, box); e != error::success) return returned(e);
  return returned(
      the_device().copy(box, {address_of(from), pitch, 0}, {width, height, 1}, direction(kind), stream_of(stream)));
}
CUDART_ALSO(cudaMemcpy2DToArrayAsync_ptsz, cudaMemcpy2DToArrayAsync)
CUDART_CALL int cudaMemcpy2DToArray(handle to, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                                    std::size_t width, std::size_t height, int kind) {
  return cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, nullptr);
}
CUDART_ALSO(cudaMemcpy2DToArray_ptds, cudaMemcpy2DToArray)

CUDART_CALL int cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, handle from, std::size_t x, std::size_t y,
                                           std::size_t width, std::size_t height, int kind, handle stream) {
  cuda::byte_box box;
  if (const error e = box_in(from, x, y, 0, box); e != error::success) return returned(e);
  return returned(
      the_device().copy({address_of(to), pitch, 0}, box, {width, height, 1}, direction(kind), stream_of(stream)));
}
CUDART_ALSO(cudaMemcpy2DFromArrayAsync_ptsz, cudaMemcpy2DFromArrayAsync)
CUDART_CALL int cudaMemcpy2DFromArray(void* to, std::size_t pitch, handle from, std::size_t x, std::size_t y,
                                      std::size_t width, std::size_t height, int kind) {
  return cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, nullptr);
}
CUDART_ALSO(cudaMemcpy2DFromArray_ptds, cudaMemcpy2DFromArray)

CUDART_CALL int cudaMemcpy2DArrayToArray(handle to, std::size_t to_x, std::size_t to_y, handle from, std::size_t from_x,
                                         std::size_t from_y, std::size_t width, std::size_t height, int kind) {
  cuda::byte_box a, b;
  if (const error e = box_in(to, to_x, to_y, 0, a); e != error::success) return returned(e);
  if (const error e = box_in(from, from_x, from_y, 0, b); e != error::success) return returned(e);
  return returned(the_device().copy(a, b, {width, height, 1}, direction(kind)));
}
CUDART_ALSO(cudaMemcpy2DArrayToArray_ptds, cudaMemcpy2DArrayToArray)

// Rows of arrays lie without gaps, so that a run of bytes goes on in the next row.
CUDART_CALL int cudaMemcpyToArrayAsync(handle to, std::size_t x, std::size_t y, const void* from, std::size_t bytes,
                                       int kind, handle stream) {
  cuda::byte_box box;
  if (const error e = box_in(to, x, y, 0, box); e != error::success) return returned(e);
  return returned(the_device().copy(box.address, address_of(from), bytes, direction(kind), stream_of(stream)));
}
CUDART_ALSO(cudaMemcpyToArrayAsync_ptsz, cudaMemcpyToArrayAsync)
CUDART_CALL int cudaMemcpyToArray(handle to, std::size_t x, std::size_t y, const void* from, std::size_t bytes,
                                  int kind) {
  return cudaMemcpyToArrayAsync(to, x, y, from, bytes, kind, nullptr);
}
CUDART_ALSO(cudaMemcpyToArray_ptds, cudaMemcpyToArray)
CUDART_CALL int cudaMemcpyFromArrayAsync(void* to, handle from, std::size_t x, std::size_t y, std::size_t bytes,
                                         int kind, handle stream) {
  cuda::byte_box box;
  if (const error e = box_in(from, x, y, 0, box); e != error::success) return returned(e);
  return returned(the_device().copy(address_of(to), box.address, bytes, direction(kind), stream_of(stream)));
}
CUDART_ALSO(cudaMemcpyFromArrayAsync_ptsz, cudaMemcpyFromArrayAsync)
CUDART_CALL int cudaMemcpyFromArray(void* to, handle from, std::size_t x, std::size_t y, std::size_t bytes, int kind) {
  return cudaMemcpyFromArrayAsync(to, from, x, y, bytes, kind, nullptr);
}
CUDART_ALSO(cudaMemcpyFromArray_ptds, cudaMemcpyFromArray)
CUDART_CALL int cudaMemcpyArrayToArray(handle to, std::size_t to_x, std::size_t to_y, handle from, std::size_t from_x,
                                       std::size_t from_y, std::size_t bytes, int kind) {
  cuda::byte_box a, b;
  if (const error e = box_in(to, to_x, to_y, 0, a); e != error::success) return returned(e);
  if (const error e = box_in(from, from_x, from_y, 0, b); e != error::success) return returned(e);
  return returned(the_device().copy(a.address, b.address, bytes, direction(kind)));
}
CUDART_ALSO(cudaMemcpyArrayToArray_ptds, cudaMemcpyArrayToArray)

namespace {

// One end of a copy of boxes. Positions count the elements of the object: texels of an array, bytes of plain memory.
error end_of_copy(handle array, const cudart::position& at, const cudart::pitched_pointer& plain, std::uint64_t& texel,
                  cuda::byte_box& box) {
  if (array == nullptr) {
    const std::uint64_t layer = std::uint64_t{plain.pitch} * plain.ysize;
    box = {address_of(plain.ptr) + at.x + at.y * plain.pitch + at.z * layer, plain.pitch, layer};
    return error::success;
  }
  cuda::array_facts facts;
  if (const error e = facts_of(array, facts); e != error::success) return e;
  texel = facts.request.format.bytes();
  return box_in(array, at.x * texel, at.y, at.z, box);
}

error copy_boxes(const cudart::copy_3d& c, handle stream) {
  std::uint64_t texel = 1;  // an extent counts the texels of the array that takes part, else bytes
  cuda::byte_box from, to;
  if (const error e = end_of_copy(c.srcArray, c.srcPos, c.srcPtr, texel, from); e != error::success) return e;
  if (const error e = end_of_copy(c.dstArray, c.dstPos, c.dstPtr, texel, to); e != error::success) return e;
  return the_device().copy(to, from, {c.extent.width * texel, c.extent.height, c.extent.depth}, direction(c.kind),
                           stream_of(stream));
}

}  // namespace

CUDART_CALL int cudaMemcpy3DAsync(const cudart::copy_3d* copy, handle stream) {
  return returned(copy == nullptr ? error::invalid_value : copy_boxes(*copy, stream));
}
CUDART_ALSO(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync)
CUDART_CALL int cudaMemcpy3D(const cudart::copy_3d* copy) { return cudaMemcpy3DAsync(copy, nullptr); }
CUDART_ALSO(cudaMemcpy3D_ptds, cudaMemcpy3D)
CUDART_CALL int cudaMemcpy3DPeerAsync(const cudart::peer_copy_3d* c, handle stream) {
  if (c == nullptr) return returned(error::invalid_value);
  if (c->srcDevice != 0 || c->dstDevice != 0) return returned(error::invalid_device);
  return returned(copy_boxes(
      {c->srcArray, c->srcPos, c->srcPtr, c->dstArray, c->dstPos, c->dstPtr, c->extent, cudart::by_pointers}, stream));
}
CUDART_ALSO(cudaMemcpy3DPeerAsync_ptsz, cudaMemcpy3DPeerAsync)
CUDART_CALL int cudaMemcpy3DPeer(const cudart::peer_copy_3d* copy) { return cudaMemcpy3DPeerAsync(copy, nullptr); }
CUDART_ALSO(cudaMemcpy3DPeer_ptds, cudaMemcpy3DPeer)

CUDART_CALL int cudaCreateTextureObject(std::uint64_t* object, const cudart::resource* resource,
                                        const cudart::texture* texture, const cudart::resource_view* view) {
  if (object == nullptr || resource == nullptr || texture == nullptr) return returned(error::invalid_value);
  if (view != nullptr && view->format != 0)
    return cudart::refuse("cudaCreateTextureObject with a resource view", "texels are read as the array has them");
  cuda::texture_source source;
  if (const error e = source_of(*resource, source); e != error::success) return returned(e);
  const error e = the_device().textures(
      [&](cuda::texture_calls& t) { return t.create_texture(source, settings_of(*texture), *object); });
  if (e != error::success) return returned(e);
  const std::lock_guard guard(known().lock);
  known().all[*object] = {*resource, *texture};
  return 0;
}
CUDART_ALSO(cudaCreateTextureObject_v2, cudaCreateTextureObject)
CUDART_CALL int cudaCreateSurfaceObject(std::uint64_t* object, const cudart::resource* resource) {
  if (object == nullptr || resource == nullptr || resource->resType != 0) return returned(error::invalid_value);
  const cuda::array_handle array = array_of(resource->res.array.array);
  const error e = the_device().textures([&](cuda::texture_calls& t) { return t.create_surface(array, *object); });
  if (e != error::success) return returned(e);
  const std::lock_guard guard(known().lock);
  known().all[*object] = {*resource, {}};
  return 0;
}
CUDART_CALL int cudaDestroyTextureObject(std::uint64_t object) {
  {
    const std::lock_guard guard(known().lock);
    known().all.erase(object);
  }
  return returned(the_device().textures([&](cuda::texture_calls& t) { return t.destroy(object); }));
}
CUDART_ALSO(cudaDestroySurfaceObject, cudaDestroyTextureObject)
CUDART_CALL int cudaGetTextureObjectResourceDesc(cudart::resource* resource, std::uint64_t object) {
  const std::lock_guard guard(known().lock);
  const auto found = known().all.find(object);
  if (resource == nullptr || found == known().all.end()) return returned(error::invalid_value);
  *resource = found->second.resource;
  return 0;
}
CUDART_ALSO(cudaGetSurfaceObjectResourceDesc, cudaGetTextureObjectResourceDesc)
CUDART_CALL int cudaGetTextureObjectTextureDesc(cudart::texture* texture, std::uint64_t object) {
  const std::lock_guard guard(known().lock);
  const auto found = known().all.find(object);
  if (texture == nullptr || found == known().all.end()) return returned(error::invalid_value);
  *texture = found->second.texture;
  return 0;
}
CUDART_ALSO(cudaGetTextureObjectTextureDesc_v2, cudaGetTextureObjectTextureDesc)

// Texture references, which programs of CUDA 11 and earlier have.
CUDART_CALL void __cudaRegisterTexture(void** binary, const cudart::texture_reference* host, const void**,
                                       const char* name, int, int, int) {
  cudart::register_variable(reinterpret_cast<cudart::registered_binary*>(binary), host, name, 8, nullptr);
}
CUDART_CALL void __cudaRegisterSurface(void** binary, const cudart::surface_reference* host, const void**,
                                       const char* name, int, int) {
  cudart::register_variable(reinterpret_cast<cudart::registered_binary*>(binary), host, name, 8, nullptr);
}
CUDART_CALL int cudaBindTexture(std::size_t* offset, const cudart::texture_reference* reference, const void* pointer,
                                const cudart::channel_format* format, std::size_t bytes) {
  if (reference == nullptr || format == nullptr) return returned(error::invalid_value);
  cuda::texture_source source;
  source.what = cuda::texture_source::kind::linear;
  source.address = address_of(pointer);
  const cuda::memory_note note = the_device().pointer(source.address);
  const std::uint64_t left = note.address + note.bytes - source.address;
  source.bytes = bytes < left ? bytes : left;  // the usual size is "all that there is"
  if (const error e = format_of(*format, source.format); e != error::success) return returned(e);
  if (offset != nullptr) *offset = 0;
  return returned(bind(reference, source, settings_of(*reference)));
}
CUDART_CALL int cudaBindTexture2D(std::size_t* offset, const cudart::texture_reference* reference, const void* pointer,
                                  const cudart::channel_format* format, std::size_t width, std::size_t height,
                                  std::size_t pitch) {
  if (reference == nullptr || format == nullptr) return returned(error::invalid_value);
  cuda::texture_source source;
  source.what = cuda::texture_source::kind::pitched;
  source.address = address_of(pointer);
  source.width = width;
  source.height = height;
  source.pitch = pitch;
  if (const error e = format_of(*format, source.format); e != error::success) return returned(e);
  if (offset != nullptr) *offset = 0;
  return returned(bind(reference, source, settings_of(*reference)));
}
CUDART_CALL int cudaBindTextureToArray(const cudart::texture_reference* reference, handle array,
                                       const cudart::channel_format*) {
  if (reference == nullptr) return returned(error::invalid_value);
  return returned(bind(reference, cuda::texture_source::of_array(array_of(array)), settings_of(*reference)));
}
CUDART_ALSO(cudaBindTextureToMipmappedArray, cudaBindTextureToArray)
CUDART_CALL int cudaUnbindTexture(const cudart::texture_reference* reference) {
  cudart::registered_variable variable;
  if (cudart::find_variable(reference, variable) != error::success) return returned(error::invalid_texture);
  return returned(the_device().textures([&](cuda::texture_calls& t) { return t.unbind(variable.address); }));
}
CUDART_CALL int cudaGetTextureAlignmentOffset(std::size_t* offset, const cudart::texture_reference*) {
  if (offset == nullptr) return returned(error::invalid_value);
  *offset = 0;
  return 0;
}
CUDART_CALL int cudaBindSurfaceToArray(const cudart::surface_reference* reference, handle array,
                                       const cudart::channel_format*) {
  cudart::registered_variable variable;
  if (cudart::find_variable(reference, variable) != error::success) return returned(error::invalid_surface);
  const cuda::array_handle to = array_of(array);
  return returned(the_device().textures([&](cuda::texture_calls& t) { return t.bind_surface(variable.address, to); }));
}
CUDART_CALL int cudaGetTextureReference(const cudart::texture_reference** reference, const void* symbol) {
  if (reference == nullptr) return returned(error::invalid_value);
  *reference = static_cast<const cudart::texture_reference*>(symbol);
  return 0;
}
CUDART_ALSO(cudaGetSurfaceReference, cudaGetTextureReference)
