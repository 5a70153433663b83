// SPDX-License-Identifier: BSL-1.0
//
// The words and rules of texture and surface instructions.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "Texture Instructions", "Surface Instructions".
#pragma once

#include <simtflow/ptx/text/isa.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// Takes a word of an opcode for the value of an enumeration that it names. False if it names none; `ok`: no earlier
/// word has set it.
template <class E>
constexpr bool take_value(std::string_view word, E& value, E last, bool& ok) {
  for (auto n = std::uint8_t{1}; n <= static_cast<std::uint8_t>(last); ++n)
    if (to_string(static_cast<E>(n)) == word) {
      ok = value == E::none;
      value = static_cast<E>(n);
      return true;
    }
  return false;
}

/// Takes a word that only texture and surface instructions have. False if it is none; `ok`: it may stand there.
constexpr bool take_texture_word(operation& o, std::string_view word, bool& ok) {
  const bool surface = o.name == mnemonic::suld || o.name == mnemonic::sust || o.name == mnemonic::sured;
  const bool query = o.name == mnemonic::txq;
  if (o.name == mnemonic::istypep) return take_value(word, o.opaque, opaque_type::surfref, ok);
  if (query && take_value(word, o.query, texture_query::memory_layout, ok)) return true;
  if (!surface && take_value(word, o.level, texture_level::grad, ok)) return true;
  if (query) return false;
  if (take_value(word, o.geometry, texture_geometry::acube, ok)) return true;
  if (surface && take_value(word, o.clamp, surface_clamp::zero, ok)) return true;
  if (surface && (word == "b" || word == "p")) {
    ok = o.addressing == 0 && o.geometry == texture_geometry::none && o.atomic == atomic_op::none;
    o.addressing = word[0];
    return true;
  }
  constexpr std::string_view components = "rgba";
  if (o.name == mnemonic::tld4 && word.size() == 1 && components.find(word) != std::string_view::npos) {
    ok = o.component == 0 && o.geometry == texture_geometry::none;
    o.component = static_cast<std::uint8_t>(components.find(word) + 1);
    return true;
  }
  return false;
}

/// Completes what the words of a texture or surface instruction leave unsaid: the memory, and the type of coordinates.
constexpr void complete_texture(operation& o, std::string_view head) {
  o.space = state_space::global;
  if (o.name == mnemonic::suld || o.name == mnemonic::sust || o.name == mnemonic::sured) o.source = scalar_type::s32;
  if (head == "suq") o.opaque = opaque_type::surfref;
}

/// The number of coordinates that a geometry takes at least, the layer included.
[[nodiscard]] constexpr std::uint32_t coordinates_of(texture_geometry g) {
  switch (g) {
    case texture_geometry::d1:
      return 1;
    case texture_geometry::d2:
    case texture_geometry::a1d:
      return 2;
    case texture_geometry::d3:
    case texture_geometry::a2d:
    case texture_geometry::cube:
      return 3;
    case texture_geometry::acube:
      return 4;
    case texture_geometry::none:
      break;
  }
  return 0;
}
/// True if the first coordinate is the layer.
[[nodiscard]] constexpr bool is_layered(texture_geometry g) {
  return g == texture_geometry::a1d || g == texture_geometry::a2d || g == texture_geometry::acube;
}

namespace rules {

/// tex, tld4
constexpr std::string_view fetched(const operation& o) {
  const bool cube = o.geometry == texture_geometry::cube || o.geometry == texture_geometry::acube;
  if (o.geometry == texture_geometry::none) return "it needs .1d, .2d, .3d, .a1d, .a2d, .cube or .acube";
  if (o.source != scalar_type::s32 && o.source != scalar_type::f32) return "coordinates are .s32 or .f32";
  if (o.type == scalar_type::f16x2 ? o.width != 2 : o.width != 4)
    return o.type == scalar_type::f16x2 ? "it needs .v2" : "it needs .v4";
  if (cube && o.source != scalar_type::f32) return "coordinates of cubes are .f32";
  if (o.name == mnemonic::tld4) {
    if (o.component == 0) return "it needs .r, .g, .b or .a";
    if (o.level != texture_level::none) return "it reads no level of detail but the first";
    if (o.source != scalar_type::f32) return "coordinates are .f32";
    if (o.geometry != texture_geometry::d2 && o.geometry != texture_geometry::a2d && !cube)
      return "it needs .2d, .a2d, .cube or .acube";
  }
  if (o.level == texture_level::grad && o.source != scalar_type::f32) return ".grad needs coordinates of .f32";
  return {};
}

/// txq, suq
constexpr std::string_view queried(const operation& o) {
  const bool surface = o.opaque == opaque_type::surfref;
  const bool both = (o.query >= texture_query::width && o.query <= texture_query::channel_order) ||
                    o.query == texture_query::array_size;
  if (o.query == texture_query::none) return "it needs an attribute";
  if (surface ? !both && o.query != texture_query::memory_layout : o.query == texture_query::memory_layout)
    return surface ? "surfaces do not have that" : "textures do not have that";
  if (o.level != texture_level::none && (o.level != texture_level::level || surface || o.query > texture_query::depth))
    return "levels of detail have .width, .height and .depth";
  return {};
}

/// suld, sust, sured
constexpr std::string_view surface(const operation& o) {
  const bool reduces = o.name == mnemonic::sured;
  const bool layered = o.geometry == texture_geometry::a1d || o.geometry == texture_geometry::a2d;
  if (o.geometry == texture_geometry::none || o.geometry > texture_geometry::a2d || (reduces && layered))
    return reduces ? "it needs .1d, .2d or .3d" : "it needs .1d, .2d, .3d, .a1d or .a2d";
  const bool elements = o.addressing == 'p';
  if (o.addressing == 0) return reduces || o.name == mnemonic::sust ? "it needs .b or .p" : "it needs .b";
  if (o.name == mnemonic::suld && elements) return "formatted loads are not supported";
  if (o.name == mnemonic::sust && elements && o.type != scalar_type::b32) return ".p stores .b32";
  if (o.clamp == surface_clamp::none) return "it needs .trap, .clamp or .zero";
  if (o.width > 4) return "vectors are .v2 or .v4";
  if (info(o.type).size * o.width > 16) return "that vector is too large";
  if (!reduces) return {};
  const type_class kind = info(o.type).kind;
  const bool bits = kind == type_class::bits;
  const bool logic = o.atomic == atomic_op::and_ || o.atomic == atomic_op::or_;
  if (!logic && o.atomic != atomic_op::add && o.atomic != atomic_op::min && o.atomic != atomic_op::max)
    return "it needs .add, .min, .max, .and or .or";
  if (elements ? !bits : bits != logic || o.type == scalar_type::b64) return "that type does not go with the operation";
  return {};
}

/// The rules of every texture and surface instruction.
constexpr std::string_view texture(const operation& o) {
  switch (o.name) {
    case mnemonic::txq:
      return queried(o);
    case mnemonic::istypep:
      return o.opaque == opaque_type::none ? std::string_view("it needs .texref, .samplerref or .surfref")
                                           : std::string_view();
    case mnemonic::tex:
    case mnemonic::tld4:
      return fetched(o);
    default:
      return surface(o);
  }
}

}  // namespace rules

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
