// SPDX-License-Identifier: BSL-1.0
//
// Instructions on matrices. The oracle builds whole matrices from the registers of a warp by the manual's formulas for
// rows and columns, shape by shape, multiplies them plainly, and looks up each element of the result.
#include "ptx/matrix_numbers.hpp"
#include "ptx/run_support.hpp"
#include <simtflow/ptx/text/opcode.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

constexpr std::uint32_t matrix_threads = 64;  // two warps, with matrices of their own

/// One product: "f16", "s8", ... as the opcode spells its factors.
struct product {
  int m, n, k;
  std::string a, b, c, d;
  std::string more{};  // modifiers after the layouts
  std::string layouts = ".row.col";
};
struct cell {
  int row, column;
};

bool in(int i, int first, int end) { return first <= i && i < end; }

/// The manual's figures "MMA fragment layout for matrix A", element i of a lane.
cell place_in_a(const product& p, int lane, int i) {
  const int group = lane >> 2, thread = lane % 4;
  const int bits = bits_of_type(p.a);
  if (p.m == 8) return {group, thread * std::max(1, 32 / bits) + i};
  const auto row = [&](bool first) { return first ? group : group + 8; };
  switch (bits) {
    case 64:
      return {row(i % 2 == 0), p.k == 16 ? i * 2 - (i % 2) * 2 + thread : i < 2 ? thread : thread + 4};
    case 32:
      return {row(i == 0 || i == 2), i < 2 ? thread : thread + 4};
    case 16:
      if (p.k == 8) return {row(i < 2), thread * 2 + (i & 1)};
      return {row(in(i, 0, 2) || in(i, 4, 6)), thread * 2 + (i & 1) + (i < 4 ? 0 : 8)};
    case 8:
      if (p.k == 16) return {row(i < 4), thread * 4 + (i & 3)};
      return {row(in(i, 0, 4) || in(i, 8, 12)), thread * 4 + (i & 3) + (i < 8 ? 0 : 16)};
    case 4:
      if (p.k == 32) return {row(i < 8), thread * 8 + (i & 7)};
      return {row(in(i, 0, 8) || in(i, 16, 24)), thread * 8 + (i & 7) + (i < 16 ? 0 : 32)};
    default:
      if (p.k == 128) return {row(i < 32), thread * 32 + (i & 31)};
      return {row(in(i, 0, 32) || in(i, 64, 96)), thread * 32 + (i & 31) + (i < 64 ? 0 : 128)};
  }
}
/// The same for matrix B.
cell place_in_b(const product& p, int lane, int i) {
  const int group = lane >> 2, thread = lane % 4;
  switch (bits_of_type(p.b)) {
    case 64:
    case 32:
      return {thread + 4 * i, group};
    case 16:
      return {thread * 2 + (i & 1) + (i < 2 ? 0 : 8), group};
    case 8:
      return {thread * 4 + (i & 3) + (i < 4 ? 0 : 16), group};
    case 4:
      return {thread * 8 + (i & 7) + (i < 8 ? 0 : 32), group};
    default:
      return {thread * 32 + (i & 31) + (i < 32 ? 0 : 128), group};
  }
}
/// And for C and D.
cell place_in_c(int lane, int i) {
  const int group = lane >> 2, thread = lane % 4;
  return {i < 2 ? group : group + 8, thread * 2 + (i & 1)};
}

/// Element i of registers, as bits.
std::uint64_t element(const words& in, std::size_t first, int bits, int i) {
  if (bits == 64)
    return in[first + 2 * static_cast<std::size_t>(i)] | std::uint64_t{in[first + 2 * static_cast<std::size_t>(i) + 1]}
                                                             << 32;
  const int each = 32 / bits;
  const std::uint32_t word = in[first + static_cast<std::size_t>(i / each)];
  return bits == 32 ? word : (word >> (bits * (i % each))) & ((1U << bits) - 1);
}

using table = std::vector<std::vector<double>>;
table zeros(int rows, int columns) {
  return table(static_cast<std::size_t>(rows), std::vector<double>(static_cast<std::size_t>(columns)));
}
double& at(table& t, const cell& c) { return t[static_cast<std::size_t>(c.row)][static_cast<std::size_t>(c.column)]; }

/// D as bits, from whole matrices.
std::vector<std::vector<std::uint64_t>> multiplied(const product& p, table& a, table& b, table& c) {
  std::vector<std::vector<std::uint64_t>> d(static_cast<std::size_t>(p.m));
  const bool clamps = p.more.find(".satfinite") != std::string::npos;
  for (int i = 0; i < p.m; ++i)
    for (int j = 0; j < p.n; ++j) {
      const double from = at(c, {i, j});
      std::uint64_t result = 0;
      if (p.d == "s32") {
        long long sum = static_cast<long long>(from);
        for (int k = 0; k < p.k; ++k) {
          const auto x = static_cast<long long>(at(a, {i, k})), y = static_cast<long long>(at(b, {k, j}));
          sum += p.a != "b1" ? x * y : p.more.find(".and") != std::string::npos ? (x & y) : (x ^ y);
        }
        if (clamps) sum = std::clamp(sum, -2147483648LL, 2147483647LL);
        result = static_cast<std::uint32_t>(sum);
      } else if (p.d == "f64") {
        double sum = from;
        for (int k = 0; k < p.k; ++k) sum = std::fma(at(a, {i, k}), at(b, {k, j}), sum);
        result = std::isnan(sum) ? 0x7FFF'FFFF'FFFF'FFFF : std::bit_cast<std::uint64_t>(sum);
      } else {
        auto sum = static_cast<float>(from);
        for (int k = 0; k < p.k; ++k)
          sum = std::fma(static_cast<float>(at(a, {i, k})), static_cast<float>(at(b, {k, j})), sum);
        result = p.d == "f16" ? half_of(sum) : std::isnan(sum) ? 0x7FFF'FFFF : std::bit_cast<std::uint32_t>(sum);
      }
      d[static_cast<std::size_t>(i)].push_back(result);
    }
  return d;
}

/// Registers of a lane for a matrix of so many elements.
std::size_t registers(const std::string& type, int elements) {
  const int bits = bits_of_type(type);
  return static_cast<std::size_t>(elements / 32 * bits / (bits == 64 ? 64 : 32));
}
std::string list(const char* stem, std::size_t n) {
  std::string s = "{";
  for (std::size_t i = 0; i < n; ++i) s += (i == 0 ? "%" : ", %") + std::string(stem) + std::to_string(i);
  return s + "}";
}
constexpr std::string_view matrix_header = ".version 8.7\n.target sm_90\n.address_size 64\n";

/// A kernel that reads the registers of A, B and C of a thread one after the other, runs `opcode`, and writes D.
std::string product_kernel(const std::string& opcode, const std::string& type, std::size_t d, std::size_t a,
                           std::size_t b, std::size_t c) {
  const bool wide = type == "f64";
  const std::size_t size = wide ? 8 : 4;
  std::string s(matrix_header);
  s += ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n.reg .b32 %t; .reg .b64 %in, %out, %w;\n";
  const std::string reg = std::string(".reg .") + (wide ? "b64" : "b32");
  s += reg + " %d<16>; " + reg + " %a<16>; " + reg + " %b<16>; " + reg + " %c<16>;\n";
  s += "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x;\n";
  s += "mul.wide.u32 %w, %t, " + std::to_string(size * (a + b + c)) + "; add.s64 %in, %in, %w;\n";
  s += "mul.wide.u32 %w, %t, " + std::to_string(size * d) + "; add.s64 %out, %out, %w;\n";
  std::size_t offset = 0;
  const auto load = [&](const char* stem, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i, offset += size)
      s += std::string("ld.global.") + (wide ? "b64" : "b32") + " %" + stem + std::to_string(i) + ", [%in+" +
           std::to_string(offset) + "];\n";
  };
  load("a", a);
  load("b", b);
  load("c", c);
  s += opcode + " " + list("d", d) + ", " + list("a", a) + ", " + list("b", b) + ", " + list("c", c) + ";\n";
  for (std::size_t i = 0; i < d; ++i)
    s += std::string("st.global.") + (wide ? "b64" : "b32") + " [%out+" + std::to_string(size * i) + "], %d" +
         std::to_string(i) + ";\n";
  return s + "ret;\n}\n";
}

/// Random registers: bits of any kind, or numbers with exact sums.
words random_registers(random_bits& next, const std::string& type, std::size_t n, bool exact) {
  words all;
  const std::size_t count = type == "f64" ? 2 * n : n;
  for (std::size_t i = 0; i < count; ++i) {
    auto v = static_cast<std::uint32_t>(next());
    if (!exact && next() % 4 == 0)  // near infinity, near zero
      v = next() % 2 == 0 ? v | 0x7F00'7F00U : v & 0x80FF'80FFU;
    if (exact) {  // -4 .. 4 in quarters
      const auto value = [&](int bits) { return static_cast<double>(static_cast<int>(next() % 33) - 16) / bits; };
      if (type == "f64") {
        const auto b = std::bit_cast<std::uint64_t>(value(4));
        all.push_back(static_cast<std::uint32_t>(b));
        all.push_back(static_cast<std::uint32_t>(b >> 32));
        ++i;
        continue;
      }
      if (type == "f32" || type == "tf32") v = std::bit_cast<std::uint32_t>(static_cast<float>(value(4)));
      if (type == "f16") v = half_of(static_cast<float>(value(4))) | half_of(static_cast<float>(value(4))) << 16;
      if (type == "bf16")
        v = std::bit_cast<std::uint32_t>(static_cast<float>(value(4))) >> 16 |
            (std::bit_cast<std::uint32_t>(static_cast<float>(value(4))) & 0xFFFF'0000U);
      if (type == "e5m2" || type == "e4m3") v &= 0x4747'4747U;  // few exponents
    }
    all.push_back(v);
  }
  return all;
}

const std::vector<product> products = {
    {8, 8, 4, "f64", "f64", "f64", "f64"},
    {16, 8, 4, "f64", "f64", "f64", "f64"},
    {16, 8, 8, "f64", "f64", "f64", "f64"},
    {16, 8, 16, "f64", "f64", "f64", "f64"},
    {16, 8, 8, "f16", "f16", "f32", "f32"},
    {16, 8, 8, "f16", "f16", "f16", "f16"},
    {16, 8, 16, "f16", "f16", "f32", "f32"},
    {16, 8, 16, "f16", "f16", "f16", "f16"},
    {16, 8, 8, "bf16", "bf16", "f32", "f32"},
    {16, 8, 16, "bf16", "bf16", "f32", "f32"},
    {16, 8, 4, "tf32", "tf32", "f32", "f32"},
    {16, 8, 8, "tf32", "tf32", "f32", "f32"},
    {16, 8, 16, "e4m3", "e5m2", "f32", "f32"},
    {16, 8, 16, "e5m2", "e5m2", "f16", "f16"},
    {16, 8, 32, "e4m3", "e4m3", "f32", "f32"},
    {16, 8, 32, "e5m2", "e4m3", "f32", "f32"},
    {16, 8, 32, "e4m3", "e5m2", "f16", "f16"},
    {8, 8, 16, "s8", "u8", "s32", "s32"},
    {16, 8, 16, "u8", "u8", "s32", "s32"},
    {16, 8, 32, "s8", "s8", "s32", "s32"},
    {16, 8, 32, "u8", "s8", "s32", "s32", ".satfinite"},
    {8, 8, 32, "s4", "s4", "s32", "s32"},
    {16, 8, 32, "u4", "s4", "s32", "s32", ".satfinite"},
    {16, 8, 64, "s4", "u4", "s32", "s32"},
    {8, 8, 128, "b1", "b1", "s32", "s32", ".xor.popc"},
    {8, 8, 128, "b1", "b1", "s32", "s32", ".and.popc"},
    {16, 8, 128, "b1", "b1", "s32", "s32", ".xor.popc"},
    {16, 8, 256, "b1", "b1", "s32", "s32", ".and.popc"},
};
std::string shape_of(const product& p) {
  return ".m" + std::to_string(p.m) + "n" + std::to_string(p.n) + "k" + std::to_string(p.k);
}
std::string opcode_of(const product& p) {
  return "mma.sync.aligned" + shape_of(p) + p.layouts + "." + p.d + "." + p.a + "." + p.b + "." + p.c + p.more;
}

}  // namespace

TEST_CASE("matrix: mma of every shape and type, against the manual's fragments and plain products") {
  for (const product& p : products) {
    const std::string opcode = opcode_of(p);
    CAPTURE(opcode);
    const std::size_t a = registers(p.a, p.m * p.k), b = registers(p.b, p.k * p.n), c = registers(p.c, p.m * p.n),
                      d = registers(p.d, p.m * p.n);
    const std::size_t size = p.a == "f64" ? 2 : 1, each = size * (a + b + c);
    const ptx::decoded_kernel kernel = decoded(product_kernel(opcode, p.a, d, a, b, c));
    for (const bool exact : {false, true})
      for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        CAPTURE(seed);
        CAPTURE(exact);
        random_bits next{seed * 1000 + static_cast<std::uint64_t>(p.k)};
        words in;
        for (std::uint32_t t = 0; t < matrix_threads; ++t)
          for (const auto& [type, n] : {std::pair{p.a, a}, std::pair{p.b, b}, std::pair{p.c, c}})
            for (const std::uint32_t w : random_registers(next, type, n, exact)) in.push_back(w);
        const words out =
            simtflow_tests::agreed(kernel, block_of(matrix_threads), in, size * d * matrix_threads, all_ways);
        for (std::size_t warp = 0; warp < matrix_threads; warp += 32) {
          table ma = zeros(p.m, p.k), mb = zeros(p.k, p.n), mc = zeros(p.m, p.n);
          const auto fill = [&](table& t, const std::string& type, int elements, std::size_t first, auto place) {
            for (int lane = 0; lane < 32; ++lane)
              for (int i = 0; i < elements / 32; ++i)
                at(t, place(lane, i)) = number(
                    type, element(in, (warp + static_cast<std::size_t>(lane)) * each + first, bits_of_type(type), i));
          };
          fill(ma, p.a, p.m * p.k, 0, [&](int lane, int i) { return place_in_a(p, lane, i); });
          fill(mb, p.b, p.k * p.n, size * a, [&](int lane, int i) { return place_in_b(p, lane, i); });
          fill(mc, p.c, p.m * p.n, size * (a + b), [](int lane, int i) { return place_in_c(lane, i); });
          const auto expected = multiplied(p, ma, mb, mc);
          for (int lane = 0; lane < 32; ++lane)
            for (int i = 0; i < p.m * p.n / 32; ++i) {
              const cell at = place_in_c(lane, i);
              const std::uint64_t got =
                  element(out, (warp + static_cast<std::size_t>(lane)) * size * d, bits_of_type(p.d), i);
              const std::uint64_t want =
                  expected[static_cast<std::size_t>(at.row)][static_cast<std::size_t>(at.column)];
              const bool nan = p.d == "f64" && std::isnan(number(p.d, got)) && std::isnan(number(p.d, want));
              if (got == want || nan) continue;
              CAPTURE(lane);
              CAPTURE(i);
              CHECK(got == want);
              return;
            }
        }
      }
  }
}

TEST_CASE("matrix: mma.m8n8k4 in half precision is four products") {
  for (const std::string layouts : {".row.col", ".col.row", ".row.row", ".col.col"})
    for (const auto& [d_type, c_type] : {std::pair{"f32", "f32"}, std::pair{"f32", "f16"}, std::pair{"f16", "f16"}}) {
      const product p{8, 8, 4, "f16", "f16", c_type, d_type, "", layouts};
      const std::string opcode = opcode_of(p);
      CAPTURE(opcode);
      const std::size_t c = p.c == "f32" ? 8 : 4, d = p.d == "f32" ? 8 : 4, each = 4 + c;
      random_bits next{7};
      words in;
      for (std::uint32_t t = 0; t < matrix_threads; ++t)
        for (const auto& [type, n] : {std::pair{p.a, std::size_t{4}}, std::pair{p.c, c}})
          for (const std::uint32_t w : random_registers(next, type, n, t < 32)) in.push_back(w);
      const words out = simtflow_tests::agreed(product_kernel(opcode, "f16", d, 2, 2, c), block_of(matrix_threads), in,
                                               d * matrix_threads);
      const auto row_of_sum = [](int lane, int i) { return (lane & 1) + (i & 2) + (lane < 16 ? 0 : 4); };
      const auto place_of_sum = [&](const std::string& type, int lane, int i) {
        return type == "f16" ? cell{lane % 4 + (lane < 16 ? 0 : 4), i}
                             : cell{row_of_sum(lane, i), (i & 4) + (lane & 2) + (i & 1)};
      };
      for (std::size_t warp = 0; warp < matrix_threads; warp += 32)
        for (int quad = 0; quad < 4; ++quad) {  // computed by lanes 4 q .. 4 q + 3 and 16 more
          table ma = zeros(8, 4), mb = zeros(4, 8), mc = zeros(8, 8);
          std::vector<int> lanes;
          for (int lane = 0; lane < 32; ++lane)
            if (lane % 16 / 4 == quad) lanes.push_back(lane);
          for (const int lane : lanes) {
            const std::size_t first = (warp + static_cast<std::size_t>(lane)) * each;
            const int half = lane < 16 ? 0 : 4;
            for (int i = 0; i < 4; ++i) {
              const cell of_a = layouts[1] == 'r' ? cell{lane % 4 + half, i} : cell{i + half, lane % 4};
              const cell of_b = layouts[5] == 'r' ? cell{lane % 4, i + half} : cell{i, lane % 4 + half};
              at(ma, of_a) = number("f16", element(in, first, 16, i));
              at(mb, of_b) = number("f16", element(in, first + 2, 16, i));
            }
            for (int i = 0; i < 8; ++i)
              at(mc, place_of_sum(p.c, lane, i)) = number(p.c, element(in, first + 4, bits_of_type(p.c), i));
          }
          const auto expected = multiplied(p, ma, mb, mc);
          for (const int lane : lanes)
            for (int i = 0; i < 8; ++i) {
              const cell at = place_of_sum(p.d, lane, i);
              const std::uint64_t got = element(out, (warp + static_cast<std::size_t>(lane)) * d, bits_of_type(p.d), i);
              const std::uint64_t want =
                  expected[static_cast<std::size_t>(at.row)][static_cast<std::size_t>(at.column)];
              if (got == want) continue;
              CAPTURE(lane);
              CAPTURE(i);
              CHECK(got == want);
              return;
            }
        }
    }
}

namespace {

/// One product of the warp-level API.
struct warp_product {
  int m, n, k;
  std::string factors, c, d;
  std::string more{};
};
const std::vector<warp_product> warp_products = {{16, 16, 16, "f16", "f32", "f32"},
                                                 {32, 8, 16, "f16", "f32", "f16"},
                                                 {8, 32, 16, "f16", "f16", "f32"},
                                                 {16, 16, 16, "f16", "f16", "f16"},
                                                 {16, 16, 16, "bf16", "f32", "f32"},
                                                 {32, 8, 16, "bf16", "f32", "f32"},
                                                 {8, 32, 16, "bf16", "f32", "f32"},
                                                 {16, 16, 8, "tf32", "f32", "f32"},
                                                 {8, 8, 4, "f64", "f64", "f64"},
                                                 {16, 16, 16, "s8", "s32", "s32"},
                                                 {32, 8, 16, "u8", "s32", "s32", ".satfinite"},
                                                 {8, 32, 16, "s8", "s32", "s32"},
                                                 {8, 8, 32, "s4", "s32", "s32"},
                                                 {8, 8, 32, "u4", "s32", "s32", ".satfinite"},
                                                 {8, 8, 128, "b1", "s32", "s32", ".xor.popc"},
                                                 {8, 8, 128, "b1", "s32", "s32", ".and.popc"}};

/// A matrix in memory: so many elements from one row (by rows) or column to the next.
struct in_memory {
  std::string type;
  int rows, columns;
  bool by_column;
  int stride;
  [[nodiscard]] int bits() const { return bits_of_type(type); }
  [[nodiscard]] int number_of(const cell& c) const {
    return by_column ? c.column * stride + c.row : c.row * stride + c.column;
  }
  [[nodiscard]] std::size_t words() const {
    return static_cast<std::size_t>((by_column ? columns : rows) * stride * bits() / 32);
  }
};
in_memory placed(const std::string& type, int rows, int columns, bool by_column, bool gap) {
  const int minor = by_column ? rows : columns;
  return {type, rows, columns, by_column, gap ? minor + std::max(16, 128 / bits_of_type(type)) : minor};
}
std::size_t warp_registers(const warp_product& p, char matrix) {
  if ((matrix == 'a' || matrix == 'b') && p.factors == "f16") return 8;
  return registers(matrix == 'c'   ? p.c
                   : matrix == 'd' ? p.d
                                   : p.factors,
                   matrix == 'a'   ? p.m * p.k
                   : matrix == 'b' ? p.k * p.n
                                   : p.m * p.n);
}

std::string warp_kernel(const warp_product& p, const in_memory (&at)[4], std::size_t warp_in, std::size_t warp_out,
                        bool gap) {
  const std::string shape = "m" + std::to_string(p.m) + "n" + std::to_string(p.n) + "k" + std::to_string(p.k);
  const bool wide = p.factors == "f64";
  const std::string reg = std::string(".reg .") + (wide ? "b64" : "b32");
  std::string s(matrix_header);
  s += ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n.reg .b32 %t, %s; .reg .b64 %in, %out, "
       "%w;\n";
  for (const char* stem : {"a", "b", "c", "d"}) s += reg + " %" + std::string(stem) + "<8>;\n";
  s += "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; shr.u32 %t, %t, 5;\n";
  s += "mul.wide.u32 %w, %t, " + std::to_string(4 * warp_in) + "; add.s64 %in, %in, %w;\n";
  s += "mul.wide.u32 %w, %t, " + std::to_string(4 * warp_out) + "; add.s64 %out, %out, %w;\n";
  std::size_t offset = 0;
  for (int i = 0; i < 3; ++i) {
    const std::string name(1, "abc"[i]);
    const in_memory& m = at[i];
    s += "mov.u32 %s, " + std::to_string(m.stride) + ";\n";
    s += "wmma.load." + name + ".sync.aligned." + (m.by_column ? "col." : "row.") + shape + ".global." + m.type + " " +
         list(name.c_str(), warp_registers(p, name[0])) + ", [%in+" + std::to_string(offset) + "]" +
         (gap ? ", %s" : "") + ";\n";
    offset += 4 * m.words();
  }
  const auto layout = [](const in_memory& m) { return std::string(m.by_column ? ".col" : ".row"); };
  s += "wmma.mma" + (p.factors == "b1" ? p.more : "") + ".sync.aligned" + layout(at[0]) + layout(at[1]) + "." + shape;
  s += p.factors == "f16" ? "." + p.d + "." + p.c : "." + p.d + "." + p.factors + "." + p.factors + "." + p.c;
  s += (p.factors == "b1" ? "" : p.more) + " " + list("d", warp_registers(p, 'd'));
  for (const char* stem : {"a", "b", "c"}) s += ", " + list(stem, warp_registers(p, stem[0]));
  s += ";\nwmma.store.d.sync.aligned" + layout(at[3]) + "." + shape + "." + p.d + " [%out], " +
       list("d", warp_registers(p, 'd')) + (gap ? ", " + std::to_string(at[3].stride) : "") + ";\nret;\n}\n";
  return s;
}

}  // namespace

TEST_CASE("matrix: wmma of every shape, type and layout, from memory to memory") {
  for (const warp_product& p : warp_products)
    for (unsigned layouts = 0; layouts < 16; layouts += p.factors == "f16" || p.factors == "s8" ? 3 : 5) {
      const bool packed = bits_of_type(p.factors) < 8;
      const bool gap = (layouts & 1U) != 0;
      const in_memory places[] = {placed(p.factors, p.m, p.k, !packed && (layouts & 1U) != 0, gap),
                                  placed(p.factors, p.k, p.n, packed || (layouts & 2U) != 0, gap),
                                  placed(p.c, p.m, p.n, (layouts & 4U) != 0, gap),
                                  placed(p.d, p.m, p.n, (layouts & 8U) != 0, gap)};
      const std::size_t warp_in = places[0].words() + places[1].words() + places[2].words(),
                        warp_out = places[3].words();
      const std::string text = warp_kernel(p, places, warp_in, warp_out, gap);
      CAPTURE(text);
      random_bits next{layouts + 100};
      words in;
      for (int warp = 0; warp < 2; ++warp)
        for (int i = 0; i < 3; ++i)
          for (const std::uint32_t w :
               random_registers(next, places[i].type, places[i].words() / (places[i].type == "f64" ? 2 : 1), warp == 0))
            in.push_back(w);
      const words out = simtflow_tests::agreed(text, block_of(matrix_threads), in, 2 * warp_out);
      for (std::size_t warp = 0; warp < 2; ++warp) {
        const product plain{p.m, p.n, p.k, p.factors, p.factors, p.c, p.d, p.more};
        table all[3] = {zeros(p.m, p.k), zeros(p.k, p.n), zeros(p.m, p.n)};
        std::size_t first = warp * warp_in;
        for (int i = 0; i < 3; ++i) {
          for (int row = 0; row < places[i].rows; ++row)
            for (int column = 0; column < places[i].columns; ++column)
              at(all[i], {row, column}) =
                  number(places[i].type, element(in, first, places[i].bits(), places[i].number_of({row, column})));
          first += places[i].words();
        }
        const auto expected = multiplied(plain, all[0], all[1], all[2]);
        for (int row = 0; row < p.m; ++row)
          for (int column = 0; column < p.n; ++column) {
            const std::uint64_t got =
                element(out, warp * warp_out, places[3].bits(), places[3].number_of({row, column}));
            const std::uint64_t want = expected[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
            const bool nan = p.d == "f64" && std::isnan(number(p.d, got)) && std::isnan(number(p.d, want));
            if (got == want || nan) continue;
            CAPTURE(row);
            CAPTURE(column);
            CHECK(got == want);
            return;
          }
      }
    }
}

TEST_CASE("matrix: ldmatrix, stmatrix and movmatrix, against the manual's rows and columns") {
  // Lane l stores 16 bytes to a row of shared memory; rows are then named in another order.
  const auto row_of = [](std::uint32_t lane) { return (5 * lane + 3) % 32; };
  for (const std::uint32_t count : {1U, 2U, 4U})
    for (const bool transposed : {false, true})
      for (const bool generic : {false, true})
        for (const bool stores : {false, true}) {
          const std::string opcode = std::string(stores ? "stmatrix" : "ldmatrix") + ".sync.aligned.m8n8.x" +
                                     std::to_string(count) + (transposed ? ".trans" : "") + (generic ? "" : ".shared") +
                                     ".b16";
          CAPTURE(opcode);
          const std::string data = list("r", count);
          std::string s(matrix_header);
          s += ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n.reg .b32 %r<4>, %t, %w, %x; "
               ".reg .b64 %in, %out, %at, %s, %own;\n.shared .align 16 .b8 rows[1024];\n"
               "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x;\n"
               "mul.wide.u32 %at, %t, 16; add.s64 %in, %in, %at; add.s64 %out, %out, %at;\n"
               "mov.u64 %s, rows; add.s64 %own, %s, %at;\n"
               "and.b32 %w, %t, 31; mad.lo.u32 %w, %w, 5, 3; and.b32 %w, %w, 31; and.b32 %x, %t, 32; add.u32 %w, %w, "
               "%x;\n"
               "mul.wide.u32 %at, %w, 16; add.s64 %at, %s, %at;\n" +
               std::string(generic ? "cvta.shared.u64 %at, %at;\n" : "") +
               "ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%in];\n" +
               (stores ? opcode + " [%at], " + data +
                             ";\nbar.warp.sync -1;\nld.shared.v4.b32 {%r0, %r1, %r2, %r3}, "
                             "[%own];\n"
                       : "st.shared.v4.b32 [%own], {%r0, %r1, %r2, %r3};\nbar.warp.sync -1;\n" + opcode + " " + data +
                             ", [%at];\n") +
               "st.global.v4.b32 [%out], {%r0, %r1, %r2, %r3};\nret;\n}\n";
          random_bits next{count};
          words in;
          for (std::uint32_t i = 0; i < 4 * matrix_threads; ++i) in.push_back(static_cast<std::uint32_t>(next()));
          const words out = simtflow_tests::agreed(s, block_of(matrix_threads), in, in.size());
          const auto half = [](const words& w, std::size_t first, std::size_t i) {
            return (w[first + i / 2] >> (16 * (i % 2))) & 0xFFFFU;
          };
          std::size_t wrong = 0;
          for (std::size_t warp = 0; warp < matrix_threads; warp += 32)
            for (std::uint32_t j = 0; j < count; ++j)
              for (std::uint32_t row = 0; row < 8; ++row)
                for (std::uint32_t column = 0; column < 8; ++column) {
                  const std::size_t place = 4 * (warp + row_of(8 * j + row));  // of the row in shared memory
                  const std::uint32_t r = transposed ? column : row, c = transposed ? row : column;
                  const std::size_t lane = 4 * r + c / 2;
                  const words& memory = stores ? out : in;
                  const words& fragment = stores ? in : out;
                  if (half(memory, place, column) != half(fragment, 4 * (warp + lane) + j, c % 2)) ++wrong;
                }
          CHECK(wrong == 0);
        }
  words in;
  for (std::uint32_t i = 0; i < 32; ++i) in.push_back((2 * i + 1) << 16 | 2 * i);  // element (i, j) is 8 i + j
  std::string text = with_thread_number(
      "ld.global.u32 %r1, [%in]; movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r1; st.global.u32 [%out], %r1;");
  const words out = agreed(text, block_of(32), in, 32);
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    for (std::uint32_t i = 0; i < 2; ++i)
      CHECK(((out[lane] >> (16 * i)) & 0xFFFFU) == 8 * (2 * (lane % 4) + i) + lane / 4);
}

TEST_CASE("matrix: lanes that arrive apart, lanes that are missing, addresses that are wrong") {
  const std::string product =
      "mov.b32 %r1, 0x3c003c00; mov.f32 %f1, 0f40000000; setp.lt.u32 %p1, %t, 7;\n"
      "@%p1 bra LEFT;\nmov.f32 %f1, 0f3F800000;\nbra JOIN;\nLEFT:\nadd.f32 %f1, %f1, %f1;\nJOIN:\n"
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r1}, {%r1}, {%f1, %f1, %f1, "
      "%f1};\n"
      "cvt.rzi.u32.f32 %r2, %f1; st.global.u32 [%out], %r2;";
  const auto for_80 = [](std::string text) { return text.replace(text.find("sm_75"), 5, "sm_90"); };
  const std::string text = for_80(with_thread_number(product));
  for (const std::span<const way> ways : {std::span<const way>(all_ways), std::span<const way>(never_joining)}) {
    const words out = agreed(text, block_of(64), words(64), 64, ways);
    for (std::uint32_t t = 0; t < 64; ++t) CHECK(out[t] == 8U + (t < 7 ? 4U : 1U));
  }
  const ptx::decoded_kernel kernel = decoded(text);
  for (const way w : {way::pdom, way::serial}) {
    const machine_result short_warp = run_under(w, kernel, block_of(50), {words(64), 64});
    CHECK(short_warp.how == outcome::fault);
    CHECK(short_warp.fault.describe().find("lanes 18-31 have ended or never ran") != std::string::npos);
    const std::string loads = for_80(with_thread_number(
        ".shared .align 16 .b8 s[512]; cvt.u32.u64 %r1, %word; mul.lo.u32 %r1, %r1, 4; add.u32 %r1, %r1, 8;\n"
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1]; st.global.u32 [%out], %r2;"));
    const machine_result skewed = run_under(w, decoded(loads), block_of(32), {words(64), 64});
    CHECK(skewed.how == outcome::fault);
    CHECK(skewed.fault.kind == ptx::fault_kind::misaligned);
  }
  ptx::arguments arguments(kernel);
  for (std::uint32_t i = 0; i < 3; ++i) arguments.set(i, std::uint64_t{0});
  for (const std::uint32_t width : {16U, 64U})
    CHECK(text_of(ptx::check_launch(kernel, block_of(64, width), arguments, 64)).find("fragments lie in 32 lanes") !=
          std::string::npos);
  const std::string guarded = for_80(with_thread_number(
      "setp.lt.u32 %p1, %t, 16; @%p1 movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r1; st.global.u32 [%out], %r1;"));
  CHECK(run_under(way::pdom, decoded(guarded), block_of(32), {words(64), 64}).how == outcome::fault);
}

TEST_CASE("matrix: opcodes that ptxas takes, and opcodes that it refuses") {
  for (const char* good :
       {"mma.aligned.sync.row.col.m16n8k8.f32.tf32.tf32.f32",
        "mma.and.popc.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32",
        "mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32.satfinite", "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f16",
        "mma.sync.aligned.m8n8k4.row.col.rz.f64.f64.f64.f64", "ldmatrix.sync.aligned.x4.m8n8.b16",
        "ldmatrix.sync.aligned.m8n8.x2.shared::cta.trans.b16", "wmma.load.a.sync.aligned.m16n16k16.row.f16",
        "wmma.mma.sync.aligned.row.row.m8n8k4.f64.f64.f64.f64.rn", "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f32",
        "wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32"})
    CHECK_MESSAGE(ptx::parse_operation(good).has_value(), good);
  for (const char* bad : {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f32",
                          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16",
                          "mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f32",
                          "mma.sync.aligned.m16n8k16.row.col.s32.s8.u4.s32",
                          "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.popc",
                          "mma.sync.m16n8k8.row.col.f32.tf32.tf32.f32",
                          "mma.sync.aligned.m16n8k256.row.col.satfinite.s32.b1.b1.s32.and.popc",
                          "mma.sync.aligned.m16n8k8.f32.tf32.tf32.f32",
                          "mma.sync.aligned.m16n8k8.row.row.f32.tf32.tf32.f32",
                          "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f32",
                          "ldmatrix.sync.aligned.m8n8.x4.global.b16",
                          "movmatrix.sync.aligned.m8n8.b16",
                          "wmma.load.d.sync.aligned.col.m16n16k16.global.f32",
                          "wmma.load.a.sync.aligned.row.m16n16k16.local.f16",
                          "wmma.load.a.sync.aligned.col.m8n8k32.s4",
                          "wmma.load.c.sync.aligned.row.m16n16k8.f16",
                          "wmma.store.c.sync.aligned.row.m16n16k16.f32",
                          "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16.f16.f32",
                          "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32.satfinite",
                          "wmma.mma.sync.aligned.col.row.m16n16k16.s32.s8.u8.s32",
                          "mma.sync",
                          "wmma",
                          "ldmatrix",
                          "mma.sync.aligned.m0n8k8"})
    CHECK_MESSAGE(!ptx::parse_operation(bad).has_value(), bad);
  const auto says = [](const char* opcode) { return ptx::parse_operation(opcode).diagnostics().front().message; };
  CHECK(says("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32").find("sparse matrices are not supported") !=
        std::string::npos);
  CHECK(says("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16").find("sparse matrices are not supported") !=
        std::string::npos);
  CHECK(says("tcgen05.fence::before_thread_sync").find("tensor memory are not supported") != std::string::npos);
  const auto target = [](std::string_view version, std::string_view sm, std::string_view line) {
    return text_of(diagnostics_in(std::string(".version ") + std::string(version) + "\n.target " + std::string(sm) +
                                  "\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<8>; .reg .f32 %f<8>;\n" +
                                  std::string(line) + "\nret;\n}\n"));
  };
  const char* product =
      "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1}, {%r2}, "
      "{%f0, %f1, %f2, %f3};";
  CHECK(target("7.0", "sm_80", product).empty());
  CHECK(target("7.0", "sm_75", product).find("needs sm_80 and PTX 7.0") != std::string::npos);
  CHECK(target("7.8", "sm_80", "stmatrix.sync.aligned.m8n8.x1.b16 [%r0], {%r1};").find("needs sm_90") !=
        std::string::npos);
  CHECK(target("7.0", "sm_80", "ldmatrix.sync.aligned.m8n8.x2.b16 {%r0}, [%r1];").find("a vector of 2") !=
        std::string::npos);
  CHECK(target("7.0", "sm_80", "ldmatrix.sync.aligned.m8n8.x1.b16 %r0, [%r1];").find("a vector of 1") !=
        std::string::npos);
}
