// SPDX-License-Identifier: BSL-1.0
//
// Textures and surfaces: kernels of nvcc (modules/texture_kinds.cu) against values that follow the CUDA C++ Programming
// Guide's formulas another way. The implementation adds up corners with whole weights in double precision; the
// reference interpolates one axis after another in extended precision, on numbers for which both are exact. So results
// are equal bit for bit; the rounding of sums that are not exact is not fixed by the guide.
#include "ptx/modules_on_disk.hpp"
#include "ptx/run_support.hpp"
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/machine/textures.hpp>
#include <simtflow/ptx/text/printer.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

using ptx::address_mode;
using ptx::channel_kind;
using ptx::filter_mode;
using ptx::image_shape;

constexpr std::uint32_t threads = 64;

const ptx::module& kinds() {
  static const ptx::module m =
      module_of(file(SIMTFLOW_SOURCE_DIR + std::string("/tests/ptx/modules/texture_kinds.ptx")));
  return m;
}
const ptx::decoded_kernel& kernel(const std::string& name) {
  static std::map<std::string, ptx::decoded_kernel> known;
  const auto at = known.find(name);
  if (at != known.end()) return at->second;
  REQUIRE_MESSAGE(kinds().find(name) != nullptr, name);
  auto d = ptx::decode(kinds(), *kinds().find(name));
  REQUIRE_MESSAGE(d.has_value(), text_of(d.diagnostics()));
  return known.emplace(name, *d).first->second;
}

/// Runs one thread block; the fault, or an empty text.
std::string run(const ptx::decoded_kernel& k, ptx::device_memory& memory, const std::vector<std::uint64_t>& values,
                std::uint32_t count = threads) {
  ptx::arguments args(k);
  for (std::uint32_t i = 0; i < values.size(); ++i) REQUIRE(args.set(i, values[i]));
  const ptx::launch_config l{{1, 1, 1}, {count, 1, 1}};
  REQUIRE_MESSAGE(ptx::check_launch(k, l, args).empty(), text_of(ptx::check_launch(k, l, args)));
  ptx::interpreter<> program(k, l, memory, args);
  return run_grid(program, way::pdom).finished() ? "" : program.fault().describe();
}

/// A texture with random texels in a memory, and the same texels as numbers.
struct sampled {
  ptx::device_memory memory;
  ptx::texture state;
  std::uint64_t handle = 0;
  std::vector<long double> numbers;  // slice, row, column, channel
  std::vector<std::uint32_t> bits;   // the same, as they are read without a filter
  long double divisor = 1;

  [[nodiscard]] std::size_t at(std::int64_t x, std::int64_t y, std::int64_t z, std::uint32_t c) const {
    const ptx::texture_image& i = state.image;
    return static_cast<std::size_t>(((z * i.height + y) * i.width + x) * i.format.channels + c);
  }
};

void fill(sampled& s, random_bits& next) {
  const ptx::texel_format f = s.state.image.format;
  const std::uint64_t size = ptx::bytes_of(s.state.image);
  s.state.image.address = s.memory.allocate(size, "texels");
  std::vector<unsigned char> bytes;
  const bool normalized = s.state.normalized_read;
  const long double largest = f.bits == 8 ? 255 : 65535;
  if (normalized) s.divisor = f.kind == channel_kind::signed_integer ? (largest - 1) / 2 : largest;
  for (std::uint64_t n = 0; n < size / (f.bits / 8U); ++n) {
    std::uint32_t raw = static_cast<std::uint32_t>(next()) & (f.bits == 32 ? ~0U : (1U << f.bits) - 1);
    long double v = 0;
    std::uint32_t read = raw;
    if (f.kind == channel_kind::floating && f.bits == 32) {
      const float x = static_cast<float>(static_cast<std::int32_t>(raw % 2000000) - 1000000) / 1024;
      raw = read = std::bit_cast<std::uint32_t>(x);
      v = static_cast<long double>(x);
    } else if (f.kind == channel_kind::floating) {
      raw = (raw & 0x83FF) | (8 + raw % 12) << 10;  // no tiny, huge or strange halves
      const float x = std::ldexp(static_cast<float>(1024 + (raw & 1023)), static_cast<int>(raw >> 10 & 31) - 25) *
                      ((raw >> 15) != 0 ? -1.0F : 1.0F);
      read = std::bit_cast<std::uint32_t>(x);
      v = static_cast<long double>(x);
    } else if (f.kind == channel_kind::signed_integer) {
      const auto x = f.bits == 8    ? static_cast<std::int8_t>(raw)
                     : f.bits == 16 ? static_cast<std::int16_t>(raw)
                                    : static_cast<std::int32_t>(raw);
      read = static_cast<std::uint32_t>(x);
      v = x;
      if (normalized && v < -s.divisor) v = -s.divisor;
    } else {
      v = raw;
    }
    if (normalized) read = std::bit_cast<std::uint32_t>(static_cast<float>(v / s.divisor));
    for (std::uint32_t b = 0; b < f.bits / 8U; ++b) bytes.push_back(static_cast<unsigned char>(raw >> (8 * b)));
    s.numbers.push_back(v);
    s.bits.push_back(read);
  }
  REQUIRE(s.memory.write(s.state.image.address, std::span<const unsigned char>(bytes)));
  s.handle = s.memory.textures().create(s.state);
}

/// The texels of one axis, by the guide: T(i) and T(i + 1), and 256 times the weight of the second one.
struct axis {
  std::int64_t i = 0, next = 0;
  std::uint32_t alpha = 0;
};
axis along(float given, std::uint32_t n, address_mode mode, bool normalized, bool linear) {
  auto x = static_cast<long double>(given);
  if (!normalized && mode != address_mode::border) mode = address_mode::clamp;
  if (normalized && mode == address_mode::wrap) x -= std::floor(x);
  if (normalized && mode == address_mode::mirror)
    x = std::fmod(std::floor(x), 2.0L) == 0 ? x - std::floor(x) : 1 - (x - std::floor(x));
  if (normalized) x *= n;
  // The texels for indices -1 to n; further ones are as the nearest of them.
  std::vector<std::int64_t> row(std::size_t{n} + 2);
  for (std::uint32_t k = 0; k < n; ++k) row[k + 1] = k;
  const std::int64_t last = std::int64_t{n} - 1, outside = -1;
  row.front() = mode == address_mode::border ? outside : mode == address_mode::wrap && linear ? last : 0;
  row.back() = mode == address_mode::border ? outside : mode == address_mode::wrap && linear ? 0 : last;
  const auto texel = [&](long double i) { return row[static_cast<std::size_t>(i < -1 ? 0 : i > n ? n + 1 : i + 1)]; };
  if (!linear) return {texel(std::floor(x)), 0, 0};
  const long double shifted = x - 0.5L;
  const long double i = std::floor(shifted);
  return {texel(i), texel(i + 1), static_cast<std::uint32_t>(std::floor((shifted - i) * 256 + 0.5L))};
}

/// A value of the texture: one axis is interpolated after the other.
std::uint32_t expected(const sampled& s, const axis (&a)[3], std::uint32_t axes, std::int64_t slice, std::uint32_t c,
                       bool linear) {
  const ptx::texel_format f = s.state.image.format;
  if (c >= f.channels)
    return c != 3 ? 0U : s.state.normalized_read || f.kind == channel_kind::floating ? 0x3F80'0000U : 1U;
  const auto texel = [&](std::int64_t x, std::int64_t y, std::int64_t z) -> long double {
    return x < 0 || y < 0 || z < 0 ? 0 : s.numbers[s.at(x, y, z, c)];
  };
  if (!linear) {
    const std::int64_t y = axes > 1 ? a[1].i : 0, z = axes > 2 ? a[2].i : slice;
    return a[0].i < 0 || y < 0 || z < 0 ? 0 : s.bits[s.at(a[0].i, y, z, c)];
  }
  const auto mix = [](std::uint32_t alpha, long double one, long double other) {
    return (256 - alpha) * one + alpha * other;
  };
  const auto row = [&](std::int64_t y, std::int64_t z) {
    return mix(a[0].alpha, texel(a[0].i, y, z), texel(a[0].next, y, z));
  };
  const auto plane = [&](std::int64_t z) { return mix(a[1].alpha, row(a[1].i, z), row(a[1].next, z)); };
  long double sum = 0;
  if (axes == 1) sum = row(0, slice);
  if (axes == 2) sum = plane(slice);
  if (axes == 3) sum = mix(a[2].alpha, plane(a[2].i), plane(a[2].next));
  return std::bit_cast<std::uint32_t>(static_cast<float>(std::ldexp(sum, -8 * static_cast<int>(axes)) / s.divisor));
}

float coordinate(random_bits& next, float extent) {
  const auto part = [&](std::uint32_t n) { return static_cast<float>(next() % n); };
  switch (next() % 4) {
    case 0:
      return extent * (part(1024) - 300) / 256;
    case 1:
      return std::floor(extent * (part(1000) / 250 - 1)) + (next() % 2 == 0 ? 0.5F : 0.0F);
    case 2:
      return extent * (part(4096) / 1024 - 1.5F);
    default:
      return extent * (part(1U << 20) / (1U << 18) - 1.25F);
  }
}

struct shape_case {
  const char* kernel;
  image_shape shape;
  std::uint32_t axes;
  bool layered;
};
constexpr shape_case shapes[] = {{"read_1d", image_shape::d1, 1, false},
                                 {"read_2d", image_shape::d2, 2, false},
                                 {"read_3d", image_shape::d3, 3, false},
                                 {"read_layered_1d", image_shape::layered_1d, 1, true},
                                 {"read_layered_2d", image_shape::layered_2d, 2, true},
                                 {"read_cube", image_shape::cube, 2, false},
                                 {"read_layered_cube", image_shape::layered_cube, 2, true},
                                 {"fetch_1d", image_shape::linear, 1, false}};

/// The face of a cube and the coordinates on it: the axes of each face as vectors.
struct face_point {
  std::int64_t face = 0;
  float s = 0, t = 0;
};
face_point on_faces(const float (&v)[3]) {
  constexpr int axes[6][3][3] = {{{1, 0, 0}, {0, 0, -1}, {0, -1, 0}}, {{-1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
                                 {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}},   {{0, -1, 0}, {1, 0, 0}, {0, 0, -1}},
                                 {{0, 0, 1}, {1, 0, 0}, {0, -1, 0}},  {{0, 0, -1}, {-1, 0, 0}, {0, -1, 0}}};
  const auto dot = [&](const int(&w)[3]) {
    return static_cast<float>(w[0]) * v[0] + static_cast<float>(w[1]) * v[1] + static_cast<float>(w[2]) * v[2];
  };
  int best = 0;
  for (int f = 1; f < 6; ++f)
    if (dot(axes[f][0]) > dot(axes[best][0])) best = f;
  const float m = dot(axes[best][0]);
  return {best, (dot(axes[best][1]) / m + 1) / 2, (dot(axes[best][2]) / m + 1) / 2};
}

}  // namespace

TEST_CASE("textures: reads of every shape, format, filter and address mode are the guide's formulas bit for bit") {
  for (std::uint64_t seed = 1; seed <= 1200; ++seed) {
    random_bits next{seed};
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(next() % n); };
    const shape_case& shape = shapes[seed % std::size(shapes)];
    sampled s;
    ptx::texture_image& image = s.state.image;
    image.shape = shape.shape;
    const bool cube = shape.shape == image_shape::cube || shape.shape == image_shape::layered_cube;
    image.width = cube ? 4 : 1 + below(9);
    image.height = cube ? 4 : shape.axes > 1 ? 1 + below(7) : 1;
    const std::uint32_t layers = shape.layered ? 1 + below(4) : 1;
    image.slices = cube ? 6 * layers : shape.axes == 3 ? 1 + below(5) : layers;
    const auto kind = static_cast<channel_kind>(next() % 3);
    const std::uint32_t size = kind == channel_kind::floating ? 16U << next() % 2 : 8U << next() % 3;
    image.format = {kind, static_cast<std::uint8_t>(size), static_cast<std::uint8_t>(1U << next() % 3)};
    s.state.normalized_read = image.format.is_normalizable() && next() % 3 != 0;
    const bool numbers = s.state.normalized_read || kind == channel_kind::floating;
    for (address_mode& m : s.state.how.address) m = static_cast<address_mode>(next() % 4);
    s.state.how.normalized_coordinates = next() % 2 == 0;
    s.state.how.filter = numbers && next() % 3 != 0 ? filter_mode::linear : filter_mode::point;
    const bool row = shape.shape == image_shape::linear;
    const bool linear = s.state.how.filter == filter_mode::linear && !row;
    fill(s, next);

    std::vector<float> points;
    for (std::uint32_t i = 0; i < threads; ++i) {
      const bool unit = s.state.how.normalized_coordinates && !row;
      if (cube) {  // a direction with exact coordinates on the face
        const float m = static_cast<float>(1U << next() % 4);
        float v[3];
        for (float& x : v) x = m * (static_cast<float>(next() % 255) - 127) / 128;
        v[next() % 3] = next() % 2 == 0 ? m : -m;
        for (const float x : v) points.push_back(x);
      } else {
        points.push_back(coordinate(next, unit ? 1 : static_cast<float>(image.width)));
        points.push_back(coordinate(next, unit ? 1 : static_cast<float>(image.height)));
        points.push_back(coordinate(next, unit ? 1 : static_cast<float>(image.slices)));
      }
      points.push_back(static_cast<float>(next() % 6) - 1);  // layer
    }
    const std::uint64_t in = s.memory.allocate_copy(std::span<const float>(points), "points");
    const std::uint64_t out = s.memory.allocate(16 * threads, "out");
    REQUIRE(run(kernel(shape.kernel), s.memory, {s.handle, in, out}) == "");
    words got(4 * threads);
    REQUIRE(s.memory.read(out, std::span<std::uint32_t>(got)));

    for (std::uint32_t i = 0; i < threads; ++i) {
      const float* p = points.data() + 4 * i;
      axis a[3];
      const auto layer = static_cast<std::int64_t>(p[3]);
      std::int64_t slice = !shape.layered ? 0 : layer < 0 ? 0 : layer < layers ? layer : layers - 1;
      if (cube) {
        const face_point f = on_faces({p[0], p[1], p[2]});
        a[0] = along(f.s, image.width, address_mode::clamp, true, linear);
        a[1] = along(f.t, image.height, address_mode::clamp, true, linear);
        slice = 6 * slice + f.face;
      } else if (row) {
        a[0] = along(std::trunc(p[0]), image.width, address_mode::border, false, false);
      } else {
        const std::uint32_t extents[3] = {image.width, image.height, image.slices};
        for (std::uint32_t k = 0; k < shape.axes; ++k)
          a[k] = along(p[k], extents[k], s.state.how.address[k], s.state.how.normalized_coordinates, linear);
      }
      for (std::uint32_t c = 0; c < 4; ++c) {
        const std::uint32_t wanted = expected(s, a, shape.axes, slice, c, linear);
        CHECK_MESSAGE(got[4 * i + c] == wanted, "seed ", seed, " ", shape.kernel, " point ", i, " (", p[0], ", ", p[1],
                      ", ", p[2], ", ", p[3], ") channel ", c, ": ", std::bit_cast<float>(got[4 * i + c]), " not ",
                      std::bit_cast<float>(wanted));
        if (got[4 * i + c] != wanted) return;
      }
    }
  }
}

namespace {

/// A 2D image of floats in a memory, texel (x, y) being 100 y + x, and a texture or a surface of it.
struct plain_image {
  ptx::device_memory memory;
  ptx::texture state;
  explicit plain_image(std::uint32_t width, std::uint32_t height, bool surface = false) {
    state.image.shape = image_shape::d2;
    state.image.format = {channel_kind::floating, 32, 1};
    state.image.width = width;
    state.image.height = height;
    state.is_surface = surface;
    std::vector<float> texels;
    for (std::uint32_t y = 0; y < height; ++y)
      for (std::uint32_t x = 0; x < width; ++x) texels.push_back(static_cast<float>(100 * y + x));
    state.image.address = memory.allocate_copy(std::span<const float>(texels), "image");
  }
  std::uint64_t add() { return memory.textures().create(state); }
};

std::vector<float> floats(const ptx::device_memory& m, std::uint64_t at, std::size_t n) {
  std::vector<float> v(n);
  REQUIRE(m.read(at, std::span<float>(v)));
  return v;
}

}  // namespace

TEST_CASE("textures: gathers, levels of detail and derivatives") {
  plain_image p(8, 8);
  const std::vector<float> points = {2, 3, 0, 0, 2.5F, 3.5F, 0, 0};
  std::uint64_t in = p.memory.allocate_copy(std::span<const float>(points), "points");
  const std::uint64_t out = p.memory.allocate(64, "out");
  const std::uint64_t t = p.add();
  REQUIRE(run(kernel("gather_r"), p.memory, {t, in, out}, 2) == "");
  CHECK(floats(p.memory, out, 8) == std::vector<float>{301, 302, 202, 201, 402, 403, 303, 302});
  REQUIRE(run(kernel("gather_a"), p.memory, {t, in, out}, 1) == "");
  CHECK(floats(p.memory, out, 4) == std::vector<float>{1, 1, 1, 1});
  REQUIRE(run(kernel("resident"), p.memory, {t, in, out}, 2) == "");
  CHECK(floats(p.memory, out, 2) == std::vector<float>{302, 0});

  // Level l of a 16 x 16 image holds l everywhere.
  ptx::device_memory m;
  ptx::texture s;
  s.image.shape = image_shape::d2;
  s.image.format = {channel_kind::floating, 32, 1};
  s.image.width = s.image.height = 16;
  s.image.levels = 5;
  s.how.normalized_coordinates = true;
  s.how.greatest_level = 4;
  s.image.address = m.allocate(ptx::bytes_of(s.image), "levels");
  CHECK(ptx::bytes_of(s.image) == 4 * (256 + 64 + 16 + 4 + 1));
  for (std::uint32_t l = 0; l < 5; ++l) {
    const ptx::image_level level = ptx::level_of(s.image, l);
    CHECK(level.width == 16U >> l);
    const std::vector<float> same(level.width * level.height, static_cast<float>(l));
    REQUIRE(m.write(s.image.address + level.offset, std::span<const float>(same)));
  }
  const std::vector<float> levels = {-1, 0, 0.25F, 0.5F, 0.75F, 1, 2.5F, 3.125F, 4, 9};
  std::vector<float> at;
  for (const float l : levels) at.insert(at.end(), {0.4F, 0.6F, 0, l});
  in = m.allocate_copy(std::span<const float>(at), "points");
  const std::uint64_t to = m.allocate(16 * levels.size(), "out");
  for (const bool between : {false, true})
    for (const filter_mode f : {filter_mode::point, filter_mode::linear}) {
      s.how.filter = f;
      s.how.mipmap_filter = between ? filter_mode::linear : filter_mode::point;
      REQUIRE(run(kernel("level_2d"), m, {m.textures().create(s), in, to}, static_cast<std::uint32_t>(levels.size())) ==
              "");
      const std::vector<float> got = floats(m, to, 4 * levels.size());
      for (std::size_t i = 0; i < levels.size(); ++i) {
        const float inside = levels[i] < 0 ? 0 : levels[i] > 4 ? 4 : levels[i];
        CHECK(got[4 * i] == (between ? inside : std::floor(inside + 0.5F)));
      }
    }
  // Derivatives of 4 and 2 texels: the longer one is level 2.
  s.how.mipmap_filter = filter_mode::point;
  const std::vector<float> slope = {0.5F, 0.5F, 4.0F / 16, 2.0F / 16, 0.5F, 0.5F, 1.0F / 16, 8.0F / 16};
  in = m.allocate_copy(std::span<const float>(slope), "slopes");
  REQUIRE(run(kernel("grad_2d"), m, {m.textures().create(s), in, to}, 2) == "");
  CHECK(floats(m, to, 5)[0] == 2);
  CHECK(floats(m, to, 5)[4] == 3);
  s.how.level_bias = 1;
  s.how.greatest_level = 2.75F;
  s.how.mipmap_filter = filter_mode::linear;
  REQUIRE(run(kernel("grad_2d"), m, {m.textures().create(s), in, to}, 2) == "");
  CHECK(floats(m, to, 5)[4] == 2.75F);
}

TEST_CASE("textures: attributes, sRGB, and a border with a color") {
  plain_image p(8, 4);
  const std::uint64_t t = p.add();
  p.state.is_surface = true;
  const std::uint64_t s = p.add();
  const std::uint64_t out = p.memory.allocate(52, "out");
  REQUIRE(run(kernel("attributes"), p.memory, {t, s, out}, 1) == "");
  words got(13);
  REQUIRE(p.memory.read(out, std::span<std::uint32_t>(got)));
  CHECK(got == words{8, 4, 1, 0x10DE, 0x10B0, 0, 1, 8, 4, 0x10B0, 1, 0, 1});

  ptx::texture color;
  color.image.shape = image_shape::d1;
  color.image.format = {channel_kind::unsigned_integer, 8, 4};
  color.normalized_read = true;
  color.how.srgb = true;
  const unsigned char bytes[] = {0, 255, 188, 188};
  const ptx::texel v = ptx::fetch(color, bytes, {});
  CHECK(std::bit_cast<float>(v.at[0]) == 0);
  CHECK(std::bit_cast<float>(v.at[1]) == 1);
  CHECK(std::abs(std::bit_cast<float>(v.at[2]) - 0.5029F) < 0.0001F);
  CHECK(std::bit_cast<float>(v.at[3]) == 188.0F / 255);  // alpha is linear

  color.how.srgb = false;
  color.how.border[0] = 0.25F;
  for (ptx::address_mode& m : color.how.address) m = address_mode::border;
  ptx::texture_coordinates outside;
  outside.at[0] = -1;
  CHECK(std::bit_cast<float>(ptx::fetch(color, bytes, outside).at[0]) == 0.25F);
  color.how.filter = filter_mode::linear;
  outside.at[0] = 0;  // half border, half texel 0
  CHECK(std::bit_cast<float>(ptx::fetch(color, bytes, outside).at[0]) == 0.125F);
  CHECK(std::bit_cast<float>(ptx::fetch(color, bytes, outside).at[1]) == 0.5F);
}

TEST_CASE("surfaces: loads, stores and reductions of every shape, inside and outside") {
  struct surface_case {
    const char* kernel;
    image_shape shape;
    std::uint32_t bytes, width, height, slices;
    bool clamps;
  };
  constexpr surface_case cases[] = {{"move_1d", image_shape::d1, 4, 11, 1, 1, false},
                                    {"move_2d", image_shape::d2, 8, 5, 6, 1, false},
                                    {"move_3d", image_shape::d3, 1, 5, 3, 4, true},
                                    {"move_layered_1d", image_shape::layered_1d, 2, 9, 1, 5, false},
                                    {"move_layered_2d", image_shape::layered_2d, 4, 4, 3, 3, true},
                                    {"move_cube", image_shape::cube, 4, 3, 3, 6, false}};
  for (const surface_case& c : cases) {
    CAPTURE(c.kernel);
    random_bits next{c.bytes * 100 + c.width};
    ptx::device_memory m;
    ptx::texture s;
    s.is_surface = true;
    s.image.shape = c.shape;
    s.image.format = {channel_kind::unsigned_integer, static_cast<std::uint8_t>(c.bytes == 8 ? 32 : 8 * c.bytes),
                      static_cast<std::uint8_t>(c.bytes == 8 ? 2 : 1)};
    s.image.width = c.width;
    s.image.height = c.height;
    s.image.slices = c.slices;
    const std::size_t texels = std::size_t{c.width} * c.height * c.slices;
    std::vector<std::uint64_t> model(texels);
    std::vector<unsigned char> bytes;
    for (std::uint64_t& v : model) {
      v = next() & (c.bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * c.bytes)) - 1);
      for (std::uint32_t b = 0; b < c.bytes; ++b) bytes.push_back(static_cast<unsigned char>(v >> (8 * b)));
    }
    s.image.address = m.allocate_copy(std::span<const unsigned char>(bytes), "surface");
    const std::uint64_t handle = m.textures().create(s);
    // Each texel at most once: threads of one warp load before any of them stores.
    std::vector<std::int32_t> points;
    std::vector<std::uint64_t> wanted;
    std::vector<std::uint64_t> after = model;
    for (std::uint32_t i = 0; i < 32; ++i) {
      std::int64_t at[3] = {static_cast<std::int64_t>(i * 7 % (c.width + 2)) - 1,
                            static_cast<std::int64_t>(i * 5 / 2 % (c.height + 2)) - 1,
                            static_cast<std::int64_t>(i * 3 / 4 % (c.slices + 2)) - 1};
      if (c.shape == image_shape::d1 || c.shape == image_shape::layered_1d) at[1] = 0;
      if (c.slices == 1) at[2] = 0;
      for (const std::int64_t x : {at[0] * c.bytes, at[1], at[2], std::int64_t{0}})
        points.push_back(static_cast<std::int32_t>(x));
      const std::uint32_t extent[3] = {c.width, c.height, c.slices};
      bool inside = true;
      std::size_t near = 0;
      for (int a = 2; a >= 0; --a) {
        const std::int64_t most = std::int64_t{extent[a]} - 1;
        inside = inside && at[a] >= 0 && at[a] <= most;
        near = near * extent[a] + static_cast<std::size_t>(at[a] < 0 ? 0 : at[a] > most ? most : at[a]);
      }
      wanted.push_back(inside || c.clamps ? model[near] : 0);
      if (inside) after[near] = (model[near] + 1) & (c.bytes == 8 ? ~std::uint64_t{0} : (1ULL << (8 * c.bytes)) - 1);
    }
    const std::uint64_t in = m.allocate_copy(std::span<const std::int32_t>(points), "points");
    const std::uint64_t out = m.allocate(32 * c.bytes, "out");
    REQUIRE(run(kernel(c.kernel), m, {handle, in, out}, 32) == "");
    std::vector<unsigned char> got(32 * c.bytes), now(bytes.size());
    REQUIRE(m.read(out, std::span<unsigned char>(got)));
    REQUIRE(m.read(s.image.address, std::span<unsigned char>(now)));
    for (std::uint32_t i = 0; i < 32; ++i) {
      std::uint64_t v = 0;
      std::memcpy(&v, got.data() + i * c.bytes, c.bytes);
      CHECK_MESSAGE(v == wanted[i], "thread ", i);
    }
    for (std::size_t i = 0; i < texels; ++i) {
      std::uint64_t v = 0;
      std::memcpy(&v, now.data() + i * c.bytes, c.bytes);
      CHECK_MESSAGE(v == after[i], "texel ", i);
    }
  }
  plain_image p(32, 4, true);
  p.state.image.format = {channel_kind::signed_integer, 32, 1};
  REQUIRE(p.memory.write(p.state.image.address, std::span<const std::int32_t>(std::vector<std::int32_t>(128, -1))));
  REQUIRE(run(kernel("reduce"), p.memory, {p.add()}, 32) == "");
  std::vector<std::int32_t> now(128);
  REQUIRE(p.memory.read(p.state.image.address, std::span<std::int32_t>(now)));
  CHECK(now[0] == 15 * 16 - 1);  // the even numbers below 32
  CHECK(now[1] == 16 * 16 - 1);
  CHECK(now[32] == 31);
  CHECK(now[64 + 7] == 21);
  CHECK(now[96 + 1] == -5);
  CHECK(now[96 + 2] == -1);
}

TEST_CASE("textures: handles that mean nothing, and accesses outside, are faults that say so") {
  plain_image p(8, 4);
  const std::vector<float> points(16, 1);
  const std::uint64_t in = p.memory.allocate_copy(std::span<const float>(points), "points");
  const std::uint64_t out = p.memory.allocate(64, "out");
  const auto fault = [&](const char* name, std::uint64_t handle) {
    const std::string s = run(kernel(name), p.memory, {handle, in, out}, 2);
    const std::size_t at = s.find("reaches no texel: ");
    return at == std::string::npos ? s : s.substr(at + 18);
  };
  const std::uint64_t t = p.add();
  CHECK(fault("read_2d", t) == "");
  CHECK(fault("read_3d", t) == "the image is 2D, not .3d");
  CHECK(fault("read_2d", 0) == "0x0 is neither a texture object nor a reference");
  CHECK(fault("read_2d", 77) == "0x4d is neither a texture object nor a reference");
  CHECK(fault("read_2d", p.memory.allocate(8, "reference")) == "nothing is bound to the reference");
  p.state.is_surface = true;
  const std::uint64_t s = p.add();
  CHECK(fault("read_2d", s) == "the object is a surface, no texture");
  CHECK(fault("move_trap", t) == "the object is a texture, no surface");
  CHECK(p.memory.textures().destroy(t));
  CHECK(!p.memory.textures().destroy(t));
  CHECK(fault("read_2d", t).find(" was destroyed") != std::string::npos);
  const std::vector<std::int32_t> far = {0, 0, 0, 0, 16, 4, 0, 0};
  REQUIRE(p.memory.write(in, std::span<const std::int32_t>(far)));
  CHECK(fault("move_trap", s) ==
        "16 bytes at (16, 4) lie outside the surface of 32 bytes in a row, 4 rows and 1 slices");
  CHECK(p.memory.free(p.state.image.address).empty());
  CHECK(fault("move_trap", s) == "its texels are not in memory: byte 0 of 'image', which was freed");
}

TEST_CASE("textures: references of old PTX, samplers of their own, a texture parameter") {
  const std::string text =
      ".version 4.0\n.target sm_30, texmode_independent\n.address_size 64\n"
      ".global .texref tr;\n.global .samplerref sr;\n.tex .u32 old;\n"
      ".visible .entry k(.param .u64 out, .param .texref given)\n{\n"
      ".reg .f32 %f<9>; .reg .b64 %d<4>; .reg .b32 %r<4>;\n"
      "ld.param.u64 %d1, [out];\nmov.f32 %f5, 0f40200000;\nmov.f32 %f6, 0f3F800000;\nmov.u32 %r1, 3;\n"
      "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tr, sr, {%f5, %f6}];\nst.global.f32 [%d1], %f1;\n"
      "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tr, {%f5, %f6}];\nst.global.f32 [%d1+4], %f1;\n"
      "tex.1d.v4.f32.s32 {%f1, _, _, _}, [old, {%r1, %r1, %r1, %r1}];\nst.global.f32 [%d1+8], %f1;\n"
      "tex.2d.v4.f32.f32 {%f1, _, _, _}, [given, {%f5, %f6}];\nst.global.f32 [%d1+12], %f1;\n"
      "mov.u64 %d2, tr;\ntex.2d.v4.f32.f32 {%f1, _, _, _}, [%d2, {%f5, %f6}];\nst.global.f32 [%d1+16], %f1;\n"
      "txq.width.b32 %r2, [tr];\nst.global.u32 [%d1+20], %r2;\n"
      "txq.filter_mode.b32 %r2, [sr];\nst.global.u32 [%d1+24], %r2;\nret;\n}\n";
  const ptx::module m = module_of(text);
  CHECK(ptx::print(module_of(ptx::print(m))) == ptx::print(m));
  const ptx::decoded_kernel k = decoded(text);
  plain_image p(8, 4);
  const std::uint64_t out = p.memory.allocate(28, "out");
  p.memory.load(k);
  ptx::sampler linear;
  linear.filter = filter_mode::linear;
  const auto put = [&](const char* name, std::uint64_t v) {
    REQUIRE(p.memory.write(p.memory.symbol(k.from_module, name), std::span<const std::uint64_t>(&v, 1)));
  };
  put("tr", p.add());
  put("sr", ptx::sampler_word(linear));
  const std::uint64_t given = p.add();
  p.state.image.shape = image_shape::linear;
  p.state.image.height = 1;
  put("old", p.add());
  REQUIRE(run(k, p.memory, {out, given}, 1) == "");
  CHECK(floats(p.memory, out, 5) == std::vector<float>{52, 102, 3, 102, 102});
  words numbers(2);
  REQUIRE(p.memory.read(out + 20, std::span<std::uint32_t>(numbers)));
  CHECK(numbers == words{8, 1});
}
