// SPDX-License-Identifier: BSL-1.0
//
// Kernels as nvcc makes them from CUDA, in modules/: what they compute is what CUDA says about the intrinsics in their
// source.
#include "ptx/run_support.hpp"
#include <simtflow/ptx/decode/decode.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

std::string module_text(const std::string& name) {
  std::ifstream in(std::string(SIMTFLOW_SOURCE_DIR) + "/tests/ptx/modules/" + name);
  REQUIRE(in.good());
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Runs a kernel with pointers to buffers of words as parameters, then numbers.
void run(const std::string& module, const std::string& kernel, std::uint32_t threads, std::vector<words>& buffers,
         const words& numbers = {}, way how = way::pdom) {
  const auto r = ptx::parse(module_text(module));
  REQUIRE_MESSAGE(r.has_value(), text_of(r.diagnostics()));
  REQUIRE(r->find(kernel) != nullptr);
  const auto d = ptx::decode(*r, *r->find(kernel));
  REQUIRE_MESSAGE(d.has_value(), text_of(d.diagnostics()));
  ptx::device_memory memory;
  ptx::arguments args(*d);
  std::vector<std::uint64_t> where;
  for (std::uint32_t i = 0; i < buffers.size(); ++i) {
    where.push_back(memory.allocate_copy(std::span<const std::uint32_t>(buffers[i]), std::to_string(i)));
    REQUIRE(args.set(i, where.back()));
  }
  for (std::uint32_t i = 0; i < numbers.size(); ++i)
    REQUIRE(args.set(static_cast<std::uint32_t>(buffers.size()) + i, numbers[i]));
  const ptx::launch_config l = block_of(threads);
  REQUIRE_MESSAGE(ptx::check_launch(*d, l, args).empty(), text_of(ptx::check_launch(*d, l, args)));
  ptx::interpreter<> program(*d, l, memory, args);
  const verdict v = run_grid(program, how);
  REQUIRE_MESSAGE(v.finished(), program.fault().describe());
  for (std::size_t i = 0; i < buffers.size(); ++i) REQUIRE(memory.read(where[i], std::span<std::uint32_t>(buffers[i])));
}

/// A word from what `f` makes of each number of `bits` bits in two words.
template <class F>
std::uint32_t each(std::uint32_t bits, bool is_signed, std::uint32_t a, std::uint32_t b, const F& f) {
  std::uint32_t r = 0;
  const std::uint32_t field = (1U << bits) - 1;
  for (std::uint32_t i = 0; i < 32; i += bits) {
    int x = static_cast<int>((a >> i) & field), y = static_cast<int>((b >> i) & field);
    if (is_signed && x > static_cast<int>(field / 2)) x -= static_cast<int>(field) + 1;
    if (is_signed && y > static_cast<int>(field / 2)) y -= static_cast<int>(field) + 1;
    r |= (static_cast<std::uint32_t>(f(x, y)) & field) << i;
  }
  return r;
}
std::uint32_t sum_of(std::uint32_t bits, std::uint32_t v) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < 32; i += bits) sum += (v >> i) & ((1U << bits) - 1);
  return sum;
}

/// A whole number from -16 to 16 in half precision.
std::uint32_t half_of(int v) {
  const std::uint32_t size = static_cast<std::uint32_t>(v < 0 ? -v : v);
  if (size == 0) return 0;
  const auto exponent = static_cast<std::uint32_t>(std::bit_width(size)) - 1;
  return (v < 0 ? 0x8000U : 0U) | (15 + exponent) << 10 | ((size << (10 - exponent)) & 0x3FFU);
}
/// Small whole numbers as elements of a type, and their bits in words.
struct whole_numbers {
  whole_numbers(const std::string& type, std::size_t n, std::uint64_t seed) {
    random_bits next{seed};
    const auto bits = static_cast<std::size_t>((type == "f64" ? 64 : type == "tf32" ? 32 : type == "s8" ? 8 : 16));
    memory.assign(n * bits / 32, 0);
    for (std::size_t i = 0; i < n; ++i) {
      values.push_back(static_cast<int>(next() % 17) - 8);
      const auto single = std::bit_cast<std::uint32_t>(static_cast<float>(values.back()));
      std::uint64_t b = type == "f16"    ? half_of(values.back())
                        : type == "bf16" ? single >> 16
                        : type == "s8"   ? static_cast<std::uint8_t>(values.back())
                        : type == "f64"  ? std::bit_cast<std::uint64_t>(static_cast<double>(values.back()))
                                         : single;
      for (std::size_t at = i * bits; b != 0; b >>= 32, at += 32)
        memory[at / 32] |= static_cast<std::uint32_t>(b << (at % 32));
    }
  }
  std::vector<int> values;
  words memory;
};

}  // namespace

TEST_CASE("modules: the SIMD intrinsics of CUDA") {
  random_bits next{11};
  std::vector<words> buffers(2);
  for (int i = 0; i < 65; ++i) {
    std::uint32_t v = static_cast<std::uint32_t>(next());
    if (i % 4 == 1) v = v & 0x8080'8080U;                                  // edges
    if (i % 4 == 2) v = (v & 0x0101'0101U) * 255U ^ 0x80U;                 // more of them
    if (i % 8 == 3) v = buffers[0].back() ^ (0xFFU << (8 * (i / 8 % 4)));  // numbers that are equal
    buffers[0].push_back(v);
  }
  buffers[1].assign(64, 0);
  run("video.ptx", "intrinsics", 64, buffers);
  const auto all = [](bool b) { return b ? -1 : 0; };
  for (std::uint32_t t = 0; t < 64; ++t) {
    const std::uint32_t a = buffers[0][t], b = buffers[0][t + 1];
    const auto distance = [](int x, int y) { return x < y ? y - x : x - y; };
    std::uint32_t r = each(16, false, a, b, [](int x, int y) { return x + y; });
    r += 3 * each(8, false, a, b, [](int x, int y) { return x - y; });
    r += 5 * each(8, false, a, b, [](int x, int y) { return std::min(x + y, 255); });
    r += 7 * each(16, true, a, b, [](int x, int y) { return std::clamp(x - y, -32768, 32767); });
    r += 11 * each(8, false, a, b, [](int x, int y) { return (x + y + 1) / 2; });
    r += 13 * each(8, false, a, b, distance);
    r += 17 * each(16, true, a, b, distance);
    r += 19 * sum_of(8, each(8, true, a, b, distance));
    r += 23 * sum_of(16, each(16, false, a, b, distance));
    r += 29 * each(8, true, a, b, [](int x, int y) { return std::max(x, y); });
    r += 31 * each(16, false, a, b, [](int x, int y) { return std::min(x, y); });
    r += 37 * each(8, false, a, b, [&](int x, int y) { return all(x == y); });
    r += 41 * each(16, true, a, b, [&](int x, int y) { return all(x > y); });
    r += 43 * each(8, false, a, b, [](int x, int y) { return x <= y; });
    r += 47 * each(16, false, a, b, [](int x, int y) { return x != y; });
    r += 53 * each(8, true, a, b, [](int x, int) { return x < 0 ? -x : x; });
    r += 59 * each(16, true, a, b, [](int, int y) { return -y; });
    CAPTURE(t);
    CHECK(buffers[1][t] == r);
  }
}

TEST_CASE("modules: atomics on vectors and on 128 bits") {
  std::vector<words> b = {words(4, 0), words(8, 0), words(64, 0), words(128, 0)};
  run("wide_atomics.ptx", "vectors", 32, b);
  const auto number = [](std::uint32_t bits) { return std::bit_cast<float>(bits); };
  float sum = 0;
  for (std::uint32_t t = 0; t < 32; ++t) {
    CHECK(number(b[2][2 * t]) == sum);
    CHECK(number(b[2][2 * t + 1]) == 2 * sum);
    CHECK(number(b[3][4 * t]) == sum);
    CHECK(number(b[3][4 * t + 3]) == 4.0F * static_cast<float>(t));
    sum += static_cast<float>(t);
  }
  CHECK(number(b[0][3]) == 64);
  CHECK(number(b[1][6]) == 96);

  std::vector<words> wide = {words(8, 0), words(256, 0)};
  run("wide_atomics.ptx", "wide", 32, wide);
  for (std::uint32_t t = 1; t < 32; ++t) {
    CHECK(words(wide[1].begin() + 4 * t, wide[1].begin() + 4 * t + 4) == words{t - 1, 0, 7, 0});
    CHECK(words(wide[1].begin() + 128 + 4 * t, wide[1].begin() + 132 + 4 * t) == words{0, 0, 7, 0});
  }
  CHECK(wide[0] == words{31, 0, 7, 0, 0, 0, 7, 0});

  std::vector<words> moved = {words(128), words(128, 0)};
  for (std::uint32_t i = 0; i < 128; ++i) moved[0][i] = 1000 + i;
  run("wide_atomics.ptx", "plain", 32, moved);
  for (std::uint32_t i = 0; i < 128; ++i) CHECK(moved[1][i] == 1000 + (i ^ 2U));

  std::vector<words> halves = {words(4, 0), words(4, 0)};
  run("wide_atomics.ptx", "halves", 1, halves);
  CHECK(halves[0] == words{0x4000'3C00U, 0, 0x3C00'3C00U, 0x4000'4000U});
  CHECK(halves[1] == words{0x4000'3F80U, 0, 0x3C00'3C00U, 0x4000'4000U});
}

TEST_CASE("modules: matrices through the API of wmma, and through mma with ldmatrix") {
  constexpr std::size_t n = 32, depth = 48;
  for (const auto& tiles :
       {std::pair{"half_tiles", "f16"}, {"brain_tiles", "bf16"}, {"byte_tiles", "s8"}, {"single_tiles", "tf32"}})
    for (const way how : {way::pdom, way::frontier, way::serial, way::apart}) {
      const char *const name = tiles.first, *const type = tiles.second;
      CAPTURE(name);
      const whole_numbers a(type, n * depth, 1), b(type, n * depth, 2);
      std::vector<words> buffers = {a.memory, b.memory, words(n * n)};
      run("tensor_cores.ptx", name, 128, buffers, {n, depth}, how);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          int sum = 0;
          for (std::size_t k = 0; k < depth; ++k) sum += a.values[i * depth + k] * b.values[j * depth + k];
          const std::uint32_t got = buffers[2][i * n + j];
          const float single = std::bit_cast<float>(got);
          if (std::string_view(type) == "s8" ? static_cast<int>(got) != 2 * sum + 1
                                             : single != static_cast<float>(2 * sum + 1))
            ++wrong;
        }
      CHECK(wrong == 0);
    }
  const whole_numbers a("f64", 32, 3), b("f64", 32, 4), c("f64", 64, 5);
  std::vector<words> doubles = {a.memory, b.memory, c.memory};
  run("tensor_cores.ptx", "double_tile", 32, doubles);
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t j = 0; j < 8; ++j) {
      int sum = c.values[8 * j + i];
      for (std::size_t k = 0; k < 4; ++k) sum += a.values[4 * i + k] * b.values[4 * j + k];
      const std::uint64_t bits = doubles[2][2 * (8 * j + i)] | std::uint64_t{doubles[2][2 * (8 * j + i) + 1]} << 32;
      CHECK(std::bit_cast<double>(bits) == sum);
    }
  for (const way how : {way::pdom, way::frontier, way::mimd}) {
    const whole_numbers x("f16", 256, 6), y("f16", 128, 7);
    std::vector<words> buffers = {x.memory, y.memory, words(128)};
    constexpr int times = 5;
    run("tensor_cores.ptx", "through_shared", 32, buffers, {times}, how);
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 4; ++i) {
        const int row = lane / 4 + (i < 2 ? 0 : 8), column = lane % 4 * 2 + i % 2;
        int product = 0, sum = i + 1;
        for (int k = 0; k < 16; ++k)
          product +=
              x.values[static_cast<std::size_t>(16 * row + k)] * y.values[static_cast<std::size_t>(8 * k + column)];
        for (int t = 0; t < times; ++t) sum += product + (lane % 3 == t % 3 && (t & 3) == i ? 1 : 0);
        CHECK(std::bit_cast<float>(buffers[2][static_cast<std::size_t>(4 * lane + i)]) == static_cast<float>(sum));
      }
  }
}

TEST_CASE("modules: a warpgroup multiplies what another warp brings") {
  constexpr std::size_t side = 64, depth = 320;
  const whole_numbers a("f16", side * depth, 8), b("f16", side * depth, 9);
  for (const way how : {way::pdom, way::frontier, way::depth_first, way::mimd}) {
    std::vector<words> buffers = {a.memory, b.memory, words(side * side)};
    run("warpgroup.ptx", "pipeline", 160, buffers, {depth}, how);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < side; ++i)
      for (std::size_t j = 0; j < side; ++j) {
        int sum = 0;
        for (std::size_t k = 0; k < depth; ++k) sum += a.values[i * depth + k] * b.values[j * depth + k];
        if (std::bit_cast<float>(buffers[2][i * side + j]) != static_cast<float>(sum)) ++wrong;
      }
    CHECK(wrong == 0);
  }
}
