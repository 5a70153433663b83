// SPDX-License-Identifier: BSL-1.0
//
// Kernels as nvcc makes them from CUDA, in modules/: what they compute is what CUDA says about the intrinsics in their
// source.
#include "ptx/run_support.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
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

/// Runs a kernel with pointers to buffers of words as parameters.
void run(const std::string& module, const std::string& kernel, std::uint32_t threads, std::vector<words>& buffers) {
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
  const ptx::launch_config l = block_of(threads);
  REQUIRE_MESSAGE(ptx::check_launch(*d, l, args).empty(), text_of(ptx::check_launch(*d, l, args)));
  ptx::interpreter<> program(*d, l, memory, args);
  const auto tree = post_dominators(d->bodies());
  const std::vector<block_id> ipdoms(tree.ipdoms().begin(), tree.ipdoms().end());
  const auto v = executor<policies::ipdom_stack>(policies::ipdom_stack(ipdoms))
                     .run(program, {threads, 32, 0, barrier_model::whole_warp});
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
