// SPDX-License-Identifier: BSL-1.0
//
// Arrays, texture objects, surface objects and texture references as CUDA's calls see them.
//
// An array is device memory that a program knows by a handle only. Its texels lie packed, row by row, slice by slice,
// so a copy to or from an array is a copy of boxes: box_of() says where. Linear and pitched memory is read where it is.
// An object is a 64-bit number that kernels take; a reference is a variable of a module that holds one.
//
//   cuda::array_handle a{};
//   textures.create_array({.format = {ptx::channel_kind::floating, 32, 1}, .width = 64, .height = 64}, a);
//   cuda::byte_box to;
//   textures.box_of(a, 0, 0, 0, to);
//   memory.copy(to, {cuda::address_of(host), 256, 0}, {256, 64, 1}, cuda::copy_kind::host_to_device);
//   std::uint64_t object = 0;
//   textures.create_texture(cuda::texture_source::of_array(a), {}, object);
//
// Literature: NVIDIA, CUDA Runtime API, sections "Texture Object Management", "Surface Object Management", "Memory
// Management", "Texture Reference Management" (until CUDA 11).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/cuda/error.hpp>
#include <simtflow/cuda/memory_calls.hpp>
#include <simtflow/ptx/machine/texture_image.hpp>
#include <simtflow/ptx/machine/textures.hpp>
#include <simtflow/ptx/machine/values/sampler.hpp>
#include <simtflow/ptx/machine/values/texel.hpp>

#include <cstdint>
#include <string>
#include <unordered_map>

namespace simtflow {
inline namespace v0 {
namespace cuda {

/// An array: cudaArray_t, cudaMipmappedArray_t. 0: none.
enum class array_handle : std::uint64_t {};

/// The request for an array. Extents count texels; 0: the array does not have that dimension.
struct array_request {
  ptx::texel_format format{};  ///< of its texels
  std::uint64_t width = 0;     ///< of a row
  std::uint64_t height = 0;    ///< rows
  std::uint64_t depth = 0;     ///< planes, layers, or faces: six times the cubes
  std::uint32_t flags = 0;     ///< cudaArrayLayered and so on
  std::uint32_t levels = 1;    ///< of detail
};
inline constexpr std::uint32_t array_layered = 1;  ///< cudaArrayLayered: depth counts layers
inline constexpr std::uint32_t array_surface = 2;  ///< cudaArraySurfaceLoadStore: surfaces may be made of it
inline constexpr std::uint32_t array_cubemap = 4;  ///< cudaArrayCubemap: six faces, or six times as many as layers
inline constexpr std::uint32_t array_gather = 8;   ///< cudaArrayTextureGather: means nothing here

/// The facts about an array.
struct array_facts {
  array_request request;     ///< as it was made; a level of another array has its own extents
  ptx::texture_image image;  ///< its texels
};

/// The texels of a texture: cudaResourceDesc.
struct texture_source {
  /// The kinds of resources.
  enum class kind : std::uint8_t {
    array,   ///< an array, with all its levels
    linear,  ///< a row of plain device memory
    pitched  ///< rows of plain device memory
  };
  kind what = kind::array;     ///< which of them
  array_handle array{};        ///< of array
  any_address address = 0;     ///< of the first texel, of the others (so are the rest)
  ptx::texel_format format{};  ///< of a texel
  std::uint64_t bytes = 0;     ///< of linear memory
  std::uint64_t width = 0;     ///< texels of a pitched row
  std::uint64_t height = 0;    ///< pitched rows
  std::uint64_t pitch = 0;     ///< bytes from a pitched row to the next one

  /// All texels of an array. \param a the array
  [[nodiscard]] static texture_source of_array(array_handle a) {
    texture_source s;
    s.array = a;
    return s;
  }
};

/// The way a texture is read: cudaTextureDesc.
struct texture_settings {
  ptx::sampler how{};            ///< address modes, filters, coordinates
  bool normalized_read = false;  ///< cudaReadModeNormalizedFloat; integers of 32 bits are read as they are
};

/// Arrays, textures and surfaces of a device memory. Not thread-safe.
class texture_calls {
 public:
  /// \param memory where texels lie and kernels find objects; outlives this
  explicit texture_calls(memory_calls& memory) : memory_(&memory) {}

  /// Makes an array, all zero: cudaMallocArray, cudaMalloc3DArray, cudaMallocMipmappedArray. \param r the request
  /// \param made becomes its handle \returns invalid_channel_descriptor: no such format; invalid_value: extents that do
  /// not go together; memory_allocation. O(1).
  SIMTFLOW_INLINE error create_array(const array_request& r, array_handle& made);
  /// Frees an array; textures of it cannot be read from now on. \param a the array; 0 is no error
  /// \returns invalid_resource_handle: there is none, or it is a level of another array
  SIMTFLOW_INLINE error free_array(array_handle a);
  /// A level of an array, as an array that shares its texels: cudaGetMipmappedArrayLevel. \param a the array
  /// \param level which \param made becomes its handle
  SIMTFLOW_INLINE error level(array_handle a, std::uint32_t level, array_handle& made);
  /// The facts about an array. \param a the array \param found becomes them
  SIMTFLOW_INLINE error find_array(array_handle a, array_facts& found) const;
  /// The bytes of an array from a place on, for copies. \param a the array \param x bytes from the beginning of a row
  /// \param y row \param z slice \param found becomes the box \returns invalid_value: the place lies outside
  SIMTFLOW_INLINE error box_of(array_handle a, std::uint64_t x, std::uint64_t y, std::uint64_t z,
                               byte_box& found) const;

  /// Makes a texture object. \param s its texels \param how it is read \param made becomes the object
  /// \returns invalid_filter_setting: a linear filter on integers that are not read normalized;
  /// invalid_channel_descriptor, invalid_value, invalid_resource_handle. O(1).
  SIMTFLOW_INLINE error create_texture(const texture_source& s, const texture_settings& how, std::uint64_t& made);
  /// Makes a surface object of an array with array_surface. \param a the array \param made becomes the object
  SIMTFLOW_INLINE error create_surface(array_handle a, std::uint64_t& made);
  /// Destroys a texture or surface object; 0 is no error. \param object as it was made
  SIMTFLOW_INLINE error destroy(std::uint64_t object);

  /// Binds a texture reference: cudaBindTexture, cudaBindTexture2D, cudaBindTextureToArray. The offset that they report
  /// is 0: texels need no alignment here. \param reference the address of the module's .texref variable \param s its
  /// texels \param how it is read
  SIMTFLOW_INLINE error bind(any_address reference, const texture_source& s, const texture_settings& how);
  /// Binds a surface reference. \param reference the address of the module's .surfref variable \param a the array
  SIMTFLOW_INLINE error bind_surface(any_address reference, array_handle a);
  /// Unbinds a texture or surface reference. \param reference its address
  SIMTFLOW_INLINE error unbind(any_address reference);

  /// Forgets all arrays and objects: a reset of the device, which frees the memory itself.
  void reset() {
    arrays_.clear();
    memory_->memory().textures().destroy_all();
  }

 private:
  struct entry {
    array_facts facts;
    bool owns = true;  // its texels
  };
  [[nodiscard]] SIMTFLOW_INLINE const entry* find(array_handle a) const;
  [[nodiscard]] SIMTFLOW_INLINE array_handle add(entry e);
  [[nodiscard]] SIMTFLOW_INLINE error image_of(const texture_source& s, ptx::texture_image& image) const;
  SIMTFLOW_INLINE error store(any_address reference, std::uint64_t object);

  memory_calls* memory_;
  std::unordered_map<std::uint64_t, entry> arrays_;
  std::uint64_t made_ = 0;  // handles that were given
};

}  // namespace cuda
}  // namespace v0
}  // namespace simtflow

#if !defined(SIMTFLOW_COMPILED)
#include <simtflow/cuda/detail/texture_impl.hpp>
#endif
