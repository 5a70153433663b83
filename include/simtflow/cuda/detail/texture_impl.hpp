// SPDX-License-Identifier: BSL-1.0
//
// The implementation of texture.hpp.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/cuda/texture.hpp>

#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <utility>

namespace simtflow {
inline namespace v0 {
namespace cuda {

namespace detail {

/// The image of an array, without an address. \returns false if the extents do not go together.
inline bool image_of_request(const array_request& r, ptx::texture_image& image) {
  using shape = ptx::image_shape;
  constexpr std::uint64_t most = 0xFFFF'FFFF;
  const bool layered = (r.flags & array_layered) != 0;
  const bool cube = (r.flags & array_cubemap) != 0;
  if (r.width == 0 || r.width > most || r.height > most || r.depth > most || r.levels == 0) return false;
  if (cube)
    image.shape = layered ? shape::layered_cube : shape::cube;
  else if (layered)
    image.shape = r.height == 0 ? shape::layered_1d : shape::layered_2d;
  else
    image.shape = r.depth != 0 ? shape::d3 : r.height != 0 ? shape::d2 : shape::d1;
  if ((cube || layered) && r.depth == 0) return false;
  if ((cube || image.shape == shape::d3) && r.height == 0) return false;
  image.format = r.format;
  image.width = static_cast<std::uint32_t>(r.width);
  image.height = r.height == 0 ? 1 : static_cast<std::uint32_t>(r.height);
  image.slices = r.depth == 0 ? 1 : static_cast<std::uint32_t>(r.depth);
  image.levels = r.levels;
  return ptx::is_valid(image);
}

}  // namespace detail

SIMTFLOW_INLINE const texture_calls::entry* texture_calls::find(array_handle a) const {
  const auto found = arrays_.find(static_cast<std::uint64_t>(a));
  return found == arrays_.end() ? nullptr : &found->second;
}

SIMTFLOW_INLINE array_handle texture_calls::add(entry e) {
  constexpr std::uint64_t stride = 16;  // programs take handles for pointers
  const std::uint64_t handle = stride * ++made_;
  arrays_.emplace(handle, std::move(e));
  return static_cast<array_handle>(handle);
}

SIMTFLOW_INLINE error texture_calls::create_array(const array_request& r, array_handle& made) {
  if (!r.format.is_valid()) return error::invalid_channel_descriptor;
  entry e;
  e.facts.request = r;
  if (!detail::image_of_request(r, e.facts.image)) return error::invalid_value;
  const error wrong = memory_->allocate(ptx::bytes_of(e.facts.image), e.facts.image.address);
  if (wrong != error::success) return wrong;
  made = add(std::move(e));
  return error::success;
}

SIMTFLOW_INLINE error texture_calls::free_array(array_handle a) {
  if (a == array_handle{}) return error::success;
  const entry* e = find(a);
  if (e == nullptr || !e->owns) return error::invalid_resource_handle;
  const any_address texels = e->facts.image.address;
  const std::uint64_t end = texels + ptx::bytes_of(e->facts.image);
  for (auto at = arrays_.begin(); at != arrays_.end();) {  // its levels also
    const any_address first = at->second.facts.image.address;
    at = first >= texels && first < end ? arrays_.erase(at) : std::next(at);
  }
  std::string why;
  return memory_->free(texels, false, why);
}

SIMTFLOW_INLINE error texture_calls::level(array_handle a, std::uint32_t level, array_handle& made) {
  const entry* e = find(a);
  if (e == nullptr) return error::invalid_resource_handle;
  if (level >= e->facts.image.levels) return error::invalid_value;
  const ptx::image_level l = ptx::level_of(e->facts.image, level);
  entry part = *e;
  part.owns = false;
  part.facts.image.address += l.offset;
  part.facts.image.width = l.width;
  part.facts.image.height = l.height;
  part.facts.image.slices = l.slices;
  part.facts.image.levels = 1;
  part.facts.request.levels = 1;
  part.facts.request.width = l.width;
  if (part.facts.request.height != 0) part.facts.request.height = l.height;
  if (part.facts.request.depth != 0) part.facts.request.depth = l.slices;
  for (const auto& [handle, known] : arrays_)  // the same handle each time
    if (!known.owns && known.facts.image == part.facts.image) {
      made = static_cast<array_handle>(handle);
      return error::success;
    }
  made = add(std::move(part));
  return error::success;
}

SIMTFLOW_INLINE error texture_calls::find_array(array_handle a, array_facts& found) const {
  const entry* e = find(a);
  if (e == nullptr) return error::invalid_resource_handle;
  found = e->facts;
  return error::success;
}

SIMTFLOW_INLINE error texture_calls::box_of(array_handle a, std::uint64_t x, std::uint64_t y, std::uint64_t z,
                                            byte_box& found) const {
  const entry* e = find(a);
  if (e == nullptr) return error::invalid_resource_handle;
  const ptx::texture_image& i = e->facts.image;
  const ptx::image_level l = ptx::level_of(i, 0);
  if (x >= std::uint64_t{i.width} * i.format.bytes() || y >= i.height || z >= i.slices) return error::invalid_value;
  found = {i.address + l.at(0, y, z, i.format.bytes()) + x, l.row_bytes, l.slice_bytes};
  return error::success;
}

SIMTFLOW_INLINE error texture_calls::image_of(const texture_source& s, ptx::texture_image& image) const {
  if (s.what == texture_source::kind::array) {
    const entry* e = find(s.array);
    if (e == nullptr) return error::invalid_resource_handle;
    image = e->facts.image;
    return error::success;
  }
  if (!s.format.is_valid()) return error::invalid_channel_descriptor;
  const bool linear = s.what == texture_source::kind::linear;
  const std::uint64_t width = linear ? s.bytes / s.format.bytes() : s.width;
  if (width == 0 || width > 0xFFFF'FFFF || s.height > 0xFFFF'FFFF) return error::invalid_value;
  image.shape = linear ? ptx::image_shape::linear : ptx::image_shape::d2;
  image.format = s.format;
  image.address = s.address;
  image.width = static_cast<std::uint32_t>(width);
  if (!linear) {
    if (s.height == 0 || s.pitch < width * s.format.bytes()) return error::invalid_value;
    image.height = static_cast<std::uint32_t>(s.height);
    image.pitch = s.pitch;
  }
  if (!ptx::is_valid(image)) return error::invalid_value;
  const ptx::allocation* from = std::as_const(*memory_).memory().holding(s.address, ptx::bytes_of(image));
  return from == nullptr ? error::invalid_value : error::success;
}

SIMTFLOW_INLINE error texture_calls::create_texture(const texture_source& s, const texture_settings& how,
                                                    std::uint64_t& made) {
  ptx::texture t;
  if (const error wrong = image_of(s, t.image); wrong != error::success) return wrong;
  t.how = how.how;
  t.normalized_read = how.normalized_read && t.image.format.is_normalizable();
  const bool numbers = t.normalized_read || t.image.format.kind == ptx::channel_kind::floating;
  if (!numbers && t.how.filter == ptx::filter_mode::linear && t.image.shape != ptx::image_shape::linear)
    return error::invalid_filter_setting;
  made = memory_->memory().textures().create(t);
  return error::success;
}

SIMTFLOW_INLINE error texture_calls::create_surface(array_handle a, std::uint64_t& made) {
  const entry* e = find(a);
  if (e == nullptr) return error::invalid_resource_handle;
  if ((e->facts.request.flags & array_surface) == 0) return error::invalid_value;
  ptx::texture t;
  t.image = e->facts.image;
  t.is_surface = true;
  made = memory_->memory().textures().create(t);
  return error::success;
}

SIMTFLOW_INLINE error texture_calls::destroy(std::uint64_t object) {
  return object == 0 || memory_->memory().textures().destroy(object) ? error::success : error::invalid_value;
}

SIMTFLOW_INLINE error texture_calls::store(any_address reference, std::uint64_t object) {
  std::uint64_t old = 0;
  if (!memory_->memory().read(reference, std::span<std::uint64_t>(&old, 1))) return error::invalid_texture;
  (void)memory_->memory().textures().destroy(old);
  const bool stored = memory_->memory().write(reference, std::span<const std::uint64_t>(&object, 1));
  return stored ? error::success : error::invalid_texture;
}

SIMTFLOW_INLINE error texture_calls::bind(any_address reference, const texture_source& s, const texture_settings& how) {
  std::uint64_t object = 0;
  const error wrong = create_texture(s, how, object);
  return wrong != error::success ? wrong : store(reference, object);
}

SIMTFLOW_INLINE error texture_calls::bind_surface(any_address reference, array_handle a) {
  std::uint64_t object = 0;
  const error wrong = create_surface(a, object);
  if (wrong != error::success) return wrong;
  return store(reference, object) == error::success ? error::success : error::invalid_surface;
}

SIMTFLOW_INLINE error texture_calls::unbind(any_address reference) { return store(reference, 0); }

}  // namespace cuda
}  // namespace v0
}  // namespace simtflow
