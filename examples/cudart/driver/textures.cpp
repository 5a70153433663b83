// SPDX-License-Identifier: BSL-1.0
//
// Textures and surfaces (CUDA Driver API, Texture Object Management, Surface Object Management, Texture Reference
// Management, Surface Reference Management).
#include "cudart/driver/arrays.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <utility>

using cudart::array_of;
using cudart::device_pointer;
using cudart::driver_resource;
using cudart::driver_texture;
using cudart::error;
using cudart::handle;
using cudart::in_context;
using cudart::missing;
using cudart::module_of;
using cudart::process_device;
using cudart::to_program;
namespace cuda = simtflow::cuda;
namespace ptx = simtflow::ptx;

namespace {

enum texture_flag : unsigned { read_as_integer = 1, normalized_coordinates = 2, srgb = 0x10 };

error source_of(const driver_resource& r, cuda::texture_source& s) {
  using kind = cuda::texture_source::kind;
  switch (r.resType) {
    case 0:
    case 1:
      s.array = array_of(r.res.array.hArray);
      return error::success;
    case 2:
      s.what = kind::linear;
      s.address = r.res.linear.devPtr;
      s.bytes = r.res.linear.sizeInBytes;
      return cudart::format_of(r.res.linear.format, r.res.linear.numChannels, s.format);
    case 3:
      s.what = kind::pitched;
      s.address = r.res.pitch2D.devPtr;
      s.width = r.res.pitch2D.width;
      s.height = r.res.pitch2D.height;
      s.pitch = r.res.pitch2D.pitchInBytes;
      return cudart::format_of(r.res.pitch2D.format, r.res.pitch2D.numChannels, s.format);
    default:
      return error::invalid_value;
  }
}

cuda::texture_settings settings_of(const driver_texture& t) {
  cuda::texture_settings s;
  for (int i = 0; i < 3; ++i) s.how.address[i] = static_cast<ptx::address_mode>(t.addressMode[i] & 3);
  s.how.filter = t.filterMode == 1 ? ptx::filter_mode::linear : ptx::filter_mode::point;
  s.how.mipmap_filter = t.mipmapFilterMode == 1 ? ptx::filter_mode::linear : ptx::filter_mode::point;
  s.how.normalized_coordinates = (t.flags & normalized_coordinates) != 0;
  s.how.srgb = (t.flags & srgb) != 0;
  for (int i = 0; i < 4; ++i) s.how.border[i] = t.borderColor[i];
  s.how.level_bias = t.mipmapLevelBias;
  s.how.least_level = t.minMipmapLevelClamp;
  s.how.greatest_level = t.maxMipmapLevelClamp;
  s.normalized_read = (t.flags & read_as_integer) == 0;  // integers of 32 bits are read as they are all the same
  return s;
}

// A texture or surface reference of a module. Its settings hold from the next launch on.
struct reference {
  cuda::module_handle module{};
  device_pointer address = 0;
  bool is_surface = false, is_bound = false, is_changed = false;
  driver_texture texture = {};
  driver_resource resource = {};
};

struct everything {
  std::mutex lock;
  std::map<std::uint64_t, std::pair<driver_resource, driver_texture>> objects;
  std::map<device_pointer, std::unique_ptr<reference>> references;
};
everything& known() {
  static everything& one = *new everything;
  return one;
}

// Calls f on the reference that the program names.
template <class F>
int with_reference(handle named, const F& f) {
  return in_context([&] {
    const std::lock_guard guard(known().lock);
    for (const auto& [address, one] : known().references)
      if (one.get() == named) return f(*one);
    return error::invalid_value;
  });
}

// Changes what a reference is bound to, or how it is read.
template <class F>
int change(handle named, const F& f) {
  return with_reference(named, [&](reference& r) {
    const error e = f(r);
    if (e == error::success) r.is_changed = true;
    return e;
  });
}

template <class Value, class F>
int read(handle named, Value* value, const F& f) {
  return with_reference(named, [&](const reference& r) {
    if (value == nullptr) return error::invalid_value;
    *value = f(r);
    return error::success;
  });
}

error find_reference(handle* found, handle module, const char* name, bool is_surface) {
  if (missing(found, name)) return error::invalid_value;
  cuda::symbol_place place;
  if (const error e = process_device().symbol(module_of(module), name, place); e != error::success)
    return is_sticky(e) ? e : error::symbol_not_found;
  const std::lock_guard guard(known().lock);
  auto& one = known().references[place.address];
  if (one == nullptr) {
    one = std::make_unique<reference>();
    one->module = module_of(module);
    one->address = place.address;
    one->is_surface = is_surface;
    for (int& mode : one->texture.addressMode) mode = 1;  // to the edge
  }
  *found = one.get();
  return error::success;
}

error bind_to_array(reference& r, handle array) {
  cuda::array_facts facts;
  if (const error e = cudart::facts_of(array, facts); e != error::success) return e;
  r.resource = {};
  r.resource.res.array.hArray = array;
  r.is_bound = true;
  return error::success;
}

error bind(const reference& r) {
  cuda::texture_source source;
  if (r.is_surface) {
    const cuda::array_handle array = array_of(r.resource.res.array.hArray);
    return process_device().textures([&](cuda::texture_calls& t) { return t.bind_surface(r.address, array); });
  }
  if (const error e = source_of(r.resource, source); e != error::success) return e;
  return process_device().textures(
      [&](cuda::texture_calls& t) { return t.bind(r.address, source, settings_of(r.texture)); });
}

// The format of linear memory, which a program may set before or after the address.
void set_format(driver_resource& r, int format, unsigned channels) {
  if (r.resType == 3) {
    r.res.pitch2D.format = format;
    r.res.pitch2D.numChannels = channels;
    return;
  }
  r.res.linear.format = format;
  r.res.linear.numChannels = channels;
}

error describe(driver_resource* to, std::uint64_t object) {
  const std::lock_guard guard(known().lock);
  const auto found = known().objects.find(object);
  if (to == nullptr || found == known().objects.end()) return error::invalid_value;
  *to = found->second.first;
  return error::success;
}

}  // namespace

namespace cudart {

error bind_references(cuda::module_handle module) {
  const std::lock_guard guard(known().lock);
  for (const auto& [address, one] : known().references) {
    if (one->module != module || !one->is_changed || !one->is_bound) continue;
    if (const error e = bind(*one); e != error::success) return e;
    one->is_changed = false;
  }
  return error::success;
}

}  // namespace cudart

CUDART_CALL int cuTexObjectCreate(std::uint64_t* object, const driver_resource* resource, const driver_texture* texture,
                                  const cudart::resource_view* view) {
  return in_context([&] {
    if (missing(object, resource, texture)) return error::invalid_value;
    if (view != nullptr && view->format != 0)
      return cudart::refused_by_driver("cuTexObjectCreate with a resource view",
                                       "texels are read as the array has them");
    cuda::texture_source source;
    if (const error e = source_of(*resource, source); e != error::success) return e;
    const error e = process_device().textures(
        [&](cuda::texture_calls& t) { return t.create_texture(source, settings_of(*texture), *object); });
    if (e != error::success) return e;
    const std::lock_guard guard(known().lock);
    known().objects[*object] = {*resource, *texture};
    return error::success;
  });
}
CUDART_CALL int cuSurfObjectCreate(std::uint64_t* object, const driver_resource* resource) {
  return in_context([&] {
    if (missing(object, resource) || resource->resType != 0) return error::invalid_value;
    const cuda::array_handle array = array_of(resource->res.array.hArray);
    const error e = process_device().textures([&](cuda::texture_calls& t) { return t.create_surface(array, *object); });
    if (e != error::success) return e;
    const std::lock_guard guard(known().lock);
    known().objects[*object] = {*resource, {}};
    return error::success;
  });
}
CUDART_CALL int cuTexObjectDestroy(std::uint64_t object) {
  return in_context([&] {
    {
      const std::lock_guard guard(known().lock);
      known().objects.erase(object);
    }
    return process_device().textures([&](cuda::texture_calls& t) { return t.destroy(object); });
  });
}
CUDART_ALSO(cuSurfObjectDestroy, cuTexObjectDestroy)
CUDART_CALL int cuTexObjectGetResourceDesc(driver_resource* to, std::uint64_t object) {
  return in_context([&] { return describe(to, object); });
}
CUDART_ALSO(cuSurfObjectGetResourceDesc, cuTexObjectGetResourceDesc)
CUDART_CALL int cuTexObjectGetTextureDesc(driver_texture* to, std::uint64_t object) {
  return in_context([&] {
    const std::lock_guard guard(known().lock);
    const auto found = known().objects.find(object);
    if (to == nullptr || found == known().objects.end()) return error::invalid_value;
    *to = found->second.second;
    return error::success;
  });
}

CUDART_CALL int cuModuleGetTexRef(handle* found, handle module, const char* name) {
  return in_context([&] { return find_reference(found, module, name, false); });
}
CUDART_CALL int cuModuleGetSurfRef(handle* found, handle module, const char* name) {
  return in_context([&] { return find_reference(found, module, name, true); });
}
CUDART_CALL int cuTexRefSetArray(handle named, handle array, unsigned) {
  return change(named, [&](reference& r) { return bind_to_array(r, array); });
}
CUDART_ALSO(cuTexRefSetMipmappedArray, cuTexRefSetArray)
CUDART_ALSO(cuSurfRefSetArray, cuTexRefSetArray)
CUDART_CALL int cuTexRefGetArray(handle* array, handle named) {
  return with_reference(named, [&](const reference& r) {
    if (array == nullptr || !r.is_bound || r.resource.resType != 0) return error::invalid_value;
    *array = r.resource.res.array.hArray;
    return error::success;
  });
}
CUDART_ALSO(cuTexRefGetMipmappedArray, cuTexRefGetArray)
CUDART_ALSO(cuSurfRefGetArray, cuTexRefGetArray)
// The offset is 0: texels need no alignment here. Address 0 unbinds the reference.
CUDART_CALL int cuTexRefSetAddress_v2(std::size_t* offset, handle named, device_pointer pointer, std::size_t bytes) {
  return change(named, [&](reference& r) {
    const auto old = r.resource.resType == 2 ? r.resource.res.linear : decltype(r.resource.res.linear){};
    r.resource.resType = 2;
    r.resource.res.linear = {pointer, old.format, old.numChannels, bytes};
    r.is_bound = pointer != 0;
    if (offset != nullptr) *offset = 0;
    return error::success;
  });
}
CUDART_CALL int cuTexRefSetAddress2D_v3(handle named, const cudart::array_descriptor* d, device_pointer pointer,
                                        std::size_t pitch) {
  return change(named, [&](reference& r) {
    if (d == nullptr) return error::invalid_value;
    r.resource.resType = 3;
    r.resource.res.pitch2D = {pointer, d->Format, d->NumChannels, d->Width, d->Height, pitch};
    r.is_bound = true;
    return error::success;
  });
}
CUDART_ALSO(cuTexRefSetAddress2D_v2, cuTexRefSetAddress2D_v3)
CUDART_CALL int cuTexRefGetAddress_v2(device_pointer* pointer, handle named) {
  return with_reference(named, [&](const reference& r) {
    if (pointer == nullptr || !r.is_bound || r.resource.resType < 2) return error::invalid_value;
    *pointer = r.resource.res.linear.devPtr;
    return error::success;
  });
}
// An array knows its format.
CUDART_CALL int cuTexRefSetFormat(handle named, int format, int channels) {
  return change(named, [&](reference& r) {
    ptx::texel_format known_format;
    if (const error e = cudart::format_of(format, static_cast<unsigned>(channels), known_format); e != error::success)
      return e;
    if (r.is_bound && r.resource.resType == 0) return error::success;
    if (!r.is_bound) r.resource.resType = 2;
    set_format(r.resource, format, static_cast<unsigned>(channels));
    return error::success;
  });
}
CUDART_CALL int cuTexRefGetFormat(int* format, int* channels, handle named) {
  return with_reference(named, [&](const reference& r) {
    if (missing(format, channels)) return error::invalid_value;
    ptx::texel_format found;
    if (r.is_bound && r.resource.resType == 0) {
      cuda::array_facts facts;
      if (const error e = cudart::facts_of(r.resource.res.array.hArray, facts); e != error::success) return e;
      found = facts.request.format;
    } else {
      const auto& linear = r.resource.res.linear;  // which begins as pitched memory does
      if (const error e = cudart::format_of(linear.format, linear.numChannels, found); e != error::success) return e;
    }
    *format = cudart::number_of(found);
    *channels = found.channels;
    return error::success;
  });
}
CUDART_CALL int cuTexRefSetAddressMode(handle named, int dimension, int mode) {
  return change(named, [&](reference& r) {
    if (dimension < 0 || dimension > 2 || mode < 0 || mode > 3) return error::invalid_value;
    r.texture.addressMode[dimension] = mode;
    return error::success;
  });
}
CUDART_CALL int cuTexRefGetAddressMode(int* mode, handle named, int dimension) {
  return with_reference(named, [&](const reference& r) {
    if (mode == nullptr || dimension < 0 || dimension > 2) return error::invalid_value;
    *mode = r.texture.addressMode[dimension];
    return error::success;
  });
}
CUDART_CALL int cuTexRefSetBorderColor(handle named, const float* color) {
  return change(named, [&](reference& r) {
    if (color == nullptr) return error::invalid_value;
    for (int i = 0; i < 4; ++i) r.texture.borderColor[i] = color[i];
    return error::success;
  });
}
CUDART_CALL int cuTexRefGetBorderColor(float* color, handle named) {
  return with_reference(named, [&](const reference& r) {
    if (color == nullptr) return error::invalid_value;
    for (int i = 0; i < 4; ++i) color[i] = r.texture.borderColor[i];
    return error::success;
  });
}
CUDART_CALL int cuTexRefSetMipmapLevelClamp(handle named, float least, float greatest) {
  return change(named, [&](reference& r) {
    r.texture.minMipmapLevelClamp = least;
    r.texture.maxMipmapLevelClamp = greatest;
    return error::success;
  });
}
CUDART_CALL int cuTexRefGetMipmapLevelClamp(float* least, float* greatest, handle named) {
  return with_reference(named, [&](const reference& r) {
    if (missing(least, greatest)) return error::invalid_value;
    *least = r.texture.minMipmapLevelClamp;
    *greatest = r.texture.maxMipmapLevelClamp;
    return error::success;
  });
}
// A setting that is one number.
#define SETTING(name, type, member)                                                 \
  CUDART_CALL int cuTexRefSet##name(handle named, type value) {                     \
    return change(named, [&](reference& r) {                                        \
      r.texture.member = value;                                                     \
      return error::success;                                                        \
    });                                                                             \
  }                                                                                 \
  CUDART_CALL int cuTexRefGet##name(type* value, handle named) {                    \
    return read(named, value, [](const reference& r) { return r.texture.member; }); \
  }
SETTING(FilterMode, int, filterMode)
SETTING(Flags, unsigned, flags)
SETTING(MaxAnisotropy, unsigned, maxAnisotropy)
SETTING(MipmapFilterMode, int, mipmapFilterMode)
SETTING(MipmapLevelBias, float, mipmapLevelBias)
