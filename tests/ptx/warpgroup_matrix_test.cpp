// SPDX-License-Identifier: BSL-1.0
//
// Products of matrices by warpgroups. The oracle has plain matrices. It puts them in shared memory as the manual's
// figures of swizzled atoms show them: it walks through the bytes of each atom and looks up which chunk of the matrix
// stands there. It multiplies the plain matrices exactly and looks up each element of D. The numbers have exact sums,
// so the order of additions does not matter.
#include "ptx/matrix_numbers.hpp"
#include "ptx/module_equality.hpp"
#include "ptx/ptxas_answer.hpp"
#include "ptx/run_support.hpp"
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/opcode.hpp>
#include <simtflow/ptx/text/printer.hpp>
#include <simtflow/ptx/timed/timed_kernel.hpp>
#include <simtflow/ptx/transform/def_use.hpp>
#include <simtflow/ptx/transform/rewrite.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/timing/machines.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

constexpr std::uint32_t warpgroup = 128;

/// One instruction and its operands.
struct group_product {
  int n;
  std::string d, a, b;
  int a_width = 0, b_width = 0;  // bytes of swizzling: 0, 32, 64, 128
  bool a_mn = false, b_mn = false;
  bool a_in_registers = false;
  bool adds = true;
  int a_sign = 1, b_sign = 1;
  bool clamps = false;
  int skip = 0;         // chunks of k before the matrices in their atoms: the start address is not an atom's
  int shift = 0;        // 128-byte rows by which patterns are shifted: the base offset
  bool spread = false;  // other bytes lie between the atoms

  [[nodiscard]] bool floating() const { return d != "s32"; }
  [[nodiscard]] int k() const { return 256 / bits_of_type(a); }
  [[nodiscard]] std::string opcode() const {
    return "wgmma.mma_async.sync.aligned.m64n" + std::to_string(n) + "k" + std::to_string(k()) +
           (clamps ? ".satfinite." : ".") + d + "." + a + "." + b + (a == "b1" ? ".and.popc" : "");
  }
  [[nodiscard]] std::string name() const {
    const auto place = [](int width, bool mn) { return std::to_string(width) + (mn ? " mn" : " k"); };
    return opcode() + " A " + (a_in_registers ? std::string("registers") : place(a_width, a_mn)) + " B " +
           place(b_width, b_mn) + " scale-d " + std::to_string(adds ? 1 : 0) + " signs " + std::to_string(a_sign) +
           " " + std::to_string(b_sign) + " skip " + std::to_string(skip) + " shift " + std::to_string(shift) +
           (spread ? " spread" : "");
  }
};

/// A matrix of `mn` times `k` elements as bits.
struct plain {
  int mn, k;
  std::vector<std::uint32_t> bits;
  std::vector<double> numbers{};  // the same
  [[nodiscard]] std::uint32_t& at(int i, int kk) {
    return bits[static_cast<std::size_t>(i) * static_cast<std::size_t>(k) + static_cast<std::size_t>(kk)];
  }
  [[nodiscard]] const double* row(int i) const {
    return numbers.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(k);
  }
};

/// An element of a type with exact sums.
std::uint32_t random_element(random_bits& next, const std::string& type) {
  const auto quarters = [&] { return static_cast<float>(static_cast<int>(next() % 33) - 16) / 4; };
  if (type == "f16") return half_of(quarters());
  if (type == "bf16") return std::bit_cast<std::uint32_t>(quarters()) >> 16;
  if (type == "f32") return std::bit_cast<std::uint32_t>(quarters());
  if (type == "tf32")  // the lowest bits do not count
    return std::bit_cast<std::uint32_t>(quarters()) | static_cast<std::uint32_t>(next() % 8192);
  if (type == "e4m3" || type == "e5m2") {  // up to 4, in steps of at least 1/16
    for (;;) {
      const auto v = static_cast<std::uint32_t>(next() & 0xFFU);
      const double x = number(type, v);
      if (std::fabs(x) <= 4 && x * 16 == std::floor(x * 16)) return v;
    }
  }
  const int bits = bits_of_type(type);
  const auto v = static_cast<std::uint32_t>(next());
  return bits == 32 ? v : v & ((1U << bits) - 1);
}
plain random_matrix(random_bits& next, const std::string& type, int mn, int k) {
  plain m{mn, k, {}};
  for (int i = 0; i < mn * k; ++i) m.bits.push_back(random_element(next, type));
  for (const std::uint32_t v : m.bits) m.numbers.push_back(number(type, v));
  return m;
}

/// Bytes of shared memory, and what a descriptor of a matrix in them says.
struct image {
  std::vector<unsigned char> bytes;
  std::uint64_t descriptor = 0;
};
void put_bits(std::vector<unsigned char>& bytes, std::size_t byte, int element, int bits, std::uint32_t value) {
  for (int i = 0; i < bits; ++i) {
    const std::size_t at =
        static_cast<std::size_t>(element) * static_cast<std::size_t>(bits) + static_cast<std::size_t>(i);
    const auto mask = static_cast<unsigned char>(1U << (at % 8));
    unsigned char& b = bytes[byte + at / 8];
    b = static_cast<unsigned char>((value >> i & 1U) != 0 ? b | mask : b & ~mask);
  }
}

/// Puts a matrix at the address `begin` of shared memory, a multiple of 1024. The bytes between are random.
image put(plain& m, int bits, int width, bool mn_major, const group_product& p, std::uint64_t begin,
          random_bits& next) {
  const int in_chunk = 128 / bits, row_bytes = width == 0 ? 16 : width, chunks = row_bytes / 16;
  const int majors = mn_major ? m.mn : m.k, others = mn_major ? m.k : m.mn;
  const int skip = mn_major || width < 64 ? 0 : p.skip % chunks;
  // Atoms of 8 rows: the first number counts in the major dimension, the second one in the other dimension.
  const int across = (majors / in_chunk + skip + chunks - 1) / chunks, down = others / 8;
  const int atom = 8 * row_bytes, step = atom + (p.spread ? 1024 : 0);
  const int shift = width == 0 ? 0 : 128 * p.shift;
  const auto atom_at = [&](int a, int o) { return shift + step * (mn_major ? a + o * across : a * down + o); };
  image out;
  out.bytes.resize(static_cast<std::size_t>(shift + step * across * down));
  for (unsigned char& b : out.bytes) b = static_cast<unsigned char>(next());
  for (int a = 0; a < across; ++a)
    for (int o = 0; o < down; ++o)
      for (int row = 0; row < 8; ++row)
        for (int slot = 0; slot < chunks; ++slot) {
          // The figures: 128 bytes: another exchange in each row; 64: in every second row; 32: in every fourth row.
          const int exchange = width == 128 ? row : width == 64 ? row / 2 : width == 32 ? row / 4 : 0;
          const int chunk = a * chunks + (slot ^ exchange) - skip;
          if (chunk < 0 || chunk >= majors / in_chunk) continue;
          for (int e = 0; e < in_chunk; ++e) {
            const int major = chunk * in_chunk + e, other = 8 * o + row;
            put_bits(out.bytes, static_cast<std::size_t>(atom_at(a, o) + row * row_bytes + slot * 16), e, bits,
                     mn_major ? m.at(major, other) : m.at(other, major));
          }
        }
  const auto encoded = [](std::uint64_t x) { return (x & 0x3FFFFU) >> 4; };
  const auto next_across = static_cast<std::uint64_t>(atom_at(1, 0) - atom_at(0, 0)),
             next_down = static_cast<std::uint64_t>(atom_at(0, 1) - atom_at(0, 0));
  const bool swapped = mn_major && width == 0;  // "interleaved"
  const std::uint64_t leading = swapped ? next_down : next_across, stride = swapped ? next_across : next_down;
  const std::uint64_t mode = width == 128 ? 1 : width == 64 ? 2 : width == 32 ? 3 : 0;
  out.descriptor = encoded(begin + static_cast<std::uint64_t>(shift + 16 * skip)) |
                   encoded(!mn_major && width != 0 ? 0x1230 : leading) << 16 | encoded(stride) << 32 |
                   std::uint64_t{width == 0 ? 0U : static_cast<std::uint32_t>(p.shift)} << 49 | mode << 62;
  return out;
}

std::string list(const char* stem, int n) {
  std::string s = "{";
  for (int i = 0; i < n; ++i) s += (i == 0 ? "%" : ", %") + std::string(stem) + std::to_string(i);
  return s + "}";
}

/// The product: registers %d and %a, descriptors %da and %db, D counts if %p2 holds.
std::string product_text(const group_product& p, int registers) {
  std::string s = p.opcode() + " " + list("d", registers) + ", " + (p.a_in_registers ? list("a", 4) : "%da");
  s += ", %db, %p2";
  if (p.floating()) s += ", " + std::to_string(p.a_sign) + ", " + std::to_string(p.b_sign);
  if (bits_of_type(p.a) == 16)
    s += std::string(p.a_in_registers ? "" : p.a_mn ? ", 1" : ", 0") + (p.b_mn ? ", 1" : ", 0");
  return s + ";\n";
}

/// A kernel that copies `shared` bytes to shared memory, reads the descriptors of its warpgroup and the registers of
/// its thread, multiplies, and writes D.
std::string group_kernel(const group_product& p, std::uint32_t threads, std::size_t shared, int registers) {
  std::string s = ".version 8.7\n.target sm_90a\n.address_size 64\n";
  s += ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n.reg .pred %p<4>; .reg .b32 %t, %i, %v, "
       "%s; .reg .b32 %a<4>; .reg .b32 %d<128>; .reg .b64 %in, %out, %w, %x, %da, %db;\n";
  s += ".shared .align 1024 .b8 sh[" + std::to_string(shared) + "];\n";
  s += "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mov.u32 %i, %t;\n";
  s += "COPY: setp.ge.u32 %p1, %i, " + std::to_string(shared / 4) + "; @%p1 bra COPIED;\n";
  s += "mul.wide.u32 %w, %i, 4; add.s64 %x, %in, %w; ld.global.b32 %v, [%x]; shl.b32 %s, %i, 2; mov.u32 %a0, sh; "
       "add.u32 %s, %s, %a0; st.shared.b32 [%s], %v; add.u32 %i, %i, " +
       std::to_string(threads) + "; bra COPY;\n";
  s += "COPIED: fence.proxy.async; bar.sync 0;\n";
  s += "add.s64 %in, %in, " + std::to_string(shared) + "; shr.u32 %v, %t, 7; mul.wide.u32 %w, %v, 16;\n";
  s += "add.s64 %x, %in, %w; ld.global.b64 %da, [%x]; ld.global.b64 %db, [%x+8];\n";
  s += "mov.u64 %w, sh; shr.u64 %w, %w, 4; add.s64 %da, %da, %w; add.s64 %db, %db, %w;\n";
  s += "add.s64 %in, %in, " + std::to_string(16 * (threads / warpgroup)) + ";\n";
  s += "mul.wide.u32 %w, %t, " + std::to_string(4 * (4 + registers)) + "; add.s64 %in, %in, %w;\n";
  s += "mul.wide.u32 %w, %t, " + std::to_string(4 * registers) + "; add.s64 %out, %out, %w;\n";
  for (int i = 0; i < 4; ++i) s += "ld.global.b32 %a" + std::to_string(i) + ", [%in+" + std::to_string(4 * i) + "];\n";
  for (int i = 0; i < registers; ++i)
    s += "ld.global.b32 %d" + std::to_string(i) + ", [%in+" + std::to_string(16 + 4 * i) + "];\n";
  s += "setp.lt.u32 %p2, %t, " + std::string(p.adds ? "9999" : "0") + ";\nwgmma.fence.sync.aligned;\n";
  s += product_text(p, registers);
  s += "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
  for (int i = 0; i < registers; ++i)
    s += "st.global.b32 [%out+" + std::to_string(4 * i) + "], %d" + std::to_string(i) + ";\n";
  return s + "ret;\n}\n";
}

/// D of plain matrices, as bits.
std::uint32_t expected_element(const group_product& p, const plain& a, const plain& b, plain& c, int i, int j) {
  const double *const x = a.row(i), *const y = b.row(j);
  if (!p.floating()) {
    long long sum = p.adds ? static_cast<std::int32_t>(c.at(i, j)) : 0;
    for (int k = 0; k < p.k(); ++k) sum += static_cast<long long>(x[k]) * static_cast<long long>(y[k]);
    if (p.clamps) sum = std::clamp(sum, -2147483648LL, 2147483647LL);
    return static_cast<std::uint32_t>(sum);
  }
  double sum = p.adds ? number(p.d, c.at(i, j)) : 0;
  for (int k = 0; k < p.k(); ++k) sum += p.a_sign * x[k] * (p.b_sign * y[k]);
  const auto single = static_cast<float>(sum);
  if (single != sum) CHECK(single == sum);  // exact
  return p.d == "f16" ? half_of(single) : std::bit_cast<std::uint32_t>(single + 0.0F);
}

/// Runs a product in thread blocks of two warpgroups with matrices of their own, and compares every element.
void check(const group_product& p, std::uint64_t seed, std::span<const way> ways) {
  const std::string name = p.name();
  CAPTURE(name);
  CAPTURE(seed);
  constexpr std::uint32_t groups = 2, threads = groups * warpgroup;
  const int d_bits = bits_of_type(p.d), registers = 64 * p.n * d_bits / 32 / 128;
  random_bits next{seed};
  std::vector<plain> a, b, c;
  std::vector<unsigned char> shared;
  std::vector<std::uint64_t> descriptors;
  const auto place = [&](plain& m, const std::string& type, int width, bool mn) {
    shared.resize((shared.size() + 1023) / 1024 * 1024);
    const image one = put(m, bits_of_type(type), width, mn, p, shared.size(), next);
    shared.insert(shared.end(), one.bytes.begin(), one.bytes.end());
    descriptors.push_back(one.descriptor);
  };
  for (std::uint32_t g = 0; g < groups; ++g) {
    a.push_back(random_matrix(next, p.a, 64, p.k()));
    b.push_back(random_matrix(next, p.b, p.n, p.k()));
    c.push_back(random_matrix(next, p.d, 64, p.n));
    if (p.clamps)
      for (std::uint32_t& v : c.back().bits) v = next() % 2 == 0 ? 0x7FFF'FFFFU - v % 4096 : 0x8000'0000U + v % 4096;
    place(a.back(), p.a, p.a_width, p.a_mn);
    place(b.back(), p.b, p.b_width, p.b_mn);
  }
  shared.resize((shared.size() + 1023) / 1024 * 1024);
  words in;
  for (std::size_t i = 0; i < shared.size(); i += 4)
    in.push_back(static_cast<std::uint32_t>(shared[i] | shared[i + 1] << 8 | shared[i + 2] << 16) |
                 static_cast<std::uint32_t>(shared[i + 3]) << 24);
  for (const std::uint64_t d : descriptors) {
    in.push_back(static_cast<std::uint32_t>(d));
    in.push_back(static_cast<std::uint32_t>(d >> 32));
  }
  // The manual's figures of the fragments of A and D.
  const auto place_in_d = [](std::uint32_t t, int i) {
    const int lane = static_cast<int>(t % 32), warp = static_cast<int>(t % 128 / 32);
    return std::pair(16 * warp + lane / 4 + 8 * (i / 2 % 2), 8 * (i / 4) + lane % 4 * 2 + i % 2);
  };
  const auto place_in_a = [&](std::uint32_t t, int i) {
    const int lane = static_cast<int>(t % 32), warp = static_cast<int>(t % 128 / 32);
    const int each = std::max(1, 32 / bits_of_type(p.a)), reg = i / each;
    return std::pair(16 * warp + lane / 4 + 8 * (reg % 2), lane % 4 * each + i % each + 4 * each * (reg / 2));
  };
  for (std::uint32_t t = 0; t < threads; ++t) {
    std::vector<unsigned char> mine(static_cast<std::size_t>(16 + 4 * registers));
    for (int i = 0; i < 128 / bits_of_type(p.a); ++i) {
      const auto [row, k] = place_in_a(t, i);
      put_bits(mine, 0, i, bits_of_type(p.a), a[t / warpgroup].at(row, k));
    }
    for (int i = 0; i < 32 * registers / d_bits; ++i) {
      const auto [row, column] = place_in_d(t, i);
      put_bits(mine, 16, i, d_bits, c[t / warpgroup].at(row, column));
    }
    for (std::size_t i = 0; i < mine.size(); i += 4)
      in.push_back(static_cast<std::uint32_t>(mine[i] | mine[i + 1] << 8 | mine[i + 2] << 16) |
                   static_cast<std::uint32_t>(mine[i + 3]) << 24);
  }
  const words out = simtflow_tests::agreed(group_kernel(p, threads, shared.size(), registers), block_of(threads), in,
                                           static_cast<std::size_t>(registers) * threads, ways);
  for (std::uint32_t t = 0; t < threads; ++t)
    for (int i = 0; i < 32 * registers / d_bits; ++i) {
      const std::uint32_t whole =
          out[std::size_t{t} * static_cast<std::size_t>(registers) + static_cast<std::size_t>(i * d_bits / 32)];
      const std::uint32_t got = d_bits == 32 ? whole : whole >> (16 * (i % 2)) & 0xFFFFU;
      const std::pair<int, int> element = place_in_d(t, i);
      const int row = element.first, column = element.second;
      const std::uint32_t want = expected_element(p, a[t / warpgroup], b[t / warpgroup], c[t / warpgroup], row, column);
      if (got == want || (p.floating() && number(p.d, got) == number(p.d, want))) continue;
      CAPTURE(t);
      CAPTURE(row);
      CAPTURE(column);
      CHECK(got == want);
      return;
    }
}
constexpr way one_way[] = {way::pdom};

struct factors {
  const char *d, *a, *b;
};
constexpr factors all_factors[] = {{"f32", "f16", "f16"},   {"f16", "f16", "f16"},   {"f32", "bf16", "bf16"},
                                   {"f32", "tf32", "tf32"}, {"f32", "e4m3", "e4m3"}, {"f32", "e4m3", "e5m2"},
                                   {"f32", "e5m2", "e4m3"}, {"f16", "e5m2", "e5m2"}, {"f16", "e4m3", "e4m3"},
                                   {"s32", "s8", "s8"},     {"s32", "u8", "u8"},     {"s32", "s8", "u8"},
                                   {"s32", "u8", "s8"},     {"s32", "b1", "b1"}};

}  // namespace

TEST_CASE("warpgroup matrices: every type, A in memory and in registers, under every policy") {
  std::uint64_t seed = 1;
  for (const factors& f : all_factors)
    for (const bool registers : {false, true}) {
      group_product p{8, f.d, f.a, f.b};
      p.a_in_registers = registers;
      p.a_width = p.b_width = 128;
      check(p, seed++, all_ways);
    }
}

TEST_CASE("warpgroup matrices: every number of columns") {
  for (int n = 8; n <= 256; n += 8)
    for (const factors& f :
         {all_factors[0], all_factors[1], all_factors[3], all_factors[5], all_factors[9], all_factors[13]}) {
      const bool whole = std::string(f.d) == "s32", there = !whole || n <= 24 || n % 16 == 0;
      group_product p{n, f.d, f.a, f.b};
      CAPTURE(n);
      CHECK_MESSAGE(ptx::parse_operation(p.opcode()).has_value() == there, p.opcode());
      p.b_width = 32;
      if (there && (n % 48 == 0 || n == 8 || n == 40 || n == 256)) check(p, static_cast<std::uint64_t>(n), one_way);
    }
}

TEST_CASE("warpgroup matrices: every layout in shared memory") {
  std::uint64_t seed = 100;
  for (const int width : {0, 32, 64, 128})
    for (const int skip : {0, 2, 4, 6})
      for (const int shift : {0, 3, 7})
        for (const factors& f : {all_factors[0], all_factors[2], all_factors[3], all_factors[11], all_factors[13]})
          for (const unsigned majors : {0U, 1U, 2U, 3U}) {
            if (majors != 0 && bits_of_type(f.a) != 16) continue;
            if ((skip + 2) * 16 > std::max(width, 32) || (shift != 0 && width == 0)) continue;
            group_product p{32, f.d, f.a, f.b};
            p.a_mn = (majors & 1U) != 0;
            p.b_mn = (majors & 2U) != 0;
            p.a_width = width;
            p.b_width = seed % 2 == 0 && (width != 128 || !p.b_mn) ? 64 : width;
            if (p.b_mn) p.b_width = std::min(p.b_width, 64);  // an atom of 32 columns
            p.skip = skip;
            p.shift = shift;
            p.spread = seed % 3 == 0;
            check(p, seed++, one_way);
          }
  // Matrices wider than an atom, both with the other dimension as the major one.
  for (const int width : {0, 32, 64, 128})
    for (const bool spread : {false, true}) {
      group_product p{width == 0 ? 40 : 2 * std::max(width / 2, 16), "f32", "f16", "f16", width, width, true, true};
      p.spread = spread;
      check(p, seed++, one_way);
    }
}

TEST_CASE("warpgroup matrices: signs, results that are not added to, results that are clamped") {
  std::uint64_t seed = 1000;
  for (const factors& f : all_factors)
    for (const bool adds : {false, true})
      for (const bool registers : {false, true}) {
        group_product p{16, f.d, f.a, f.b};
        p.a_in_registers = registers;
        p.adds = adds;
        check(p, seed++, one_way);
        if (p.floating())
          for (const auto& [a, b] : {std::pair{-1, 1}, std::pair{1, -1}, std::pair{-1, -1}}) {
            p.a_sign = a;
            p.b_sign = b;
            check(p, seed++, one_way);
          }
        else if (bits_of_type(f.a) == 8) {
          p.clamps = true;
          check(p, seed++, one_way);
        }
      }
}

namespace {

/// A kernel that multiplies two matrices of ones and stores the first element of D of each thread. %a and %b hold the
/// descriptors.
///
/// \param before code before the product, after the barrier that lets all threads see the ones
/// \param adds   the operand scale-d
/// \param after  code after wait_group
std::string of_ones(const std::string& before, const std::string& adds = "0", const std::string& after = {}) {
  std::string text = with_thread_number(
      ".reg .b64 %a, %b; .reg .b32 %s; .shared .align 1024 .b8 ones[2304]; .shared .align 8 .b64 done;\n"
      "mov.u32 %r1, %t;\nFILL: setp.ge.u32 %p1, %r1, 576; @%p1 bra FILLED; mov.u32 %s, ones; shl.b32 %r2, %r1, 2; "
      "add.u32 %s, %s, %r2; st.shared.b32 [%s], 0x3C003C00; add.u32 %r1, %r1, %ntid.x; bra FILL;\n"
      "FILLED: setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared.b64 [done], 1; fence.proxy.async; bar.sync 0;\n"
      "mov.u64 %b, ones; shr.u64 %b, %b, 4; or.b64 %b, %b, 0x1000080000; add.u64 %a, %b, 16;\n" +
      before +
      "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %a, %b, " +
      adds + ", 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n" + after +
      "mov.b32 %r1, %f1; st.global.u32 [%out], %r1;");
  return text.replace(text.find("sm_75"), 5, "sm_90a");
}

}  // namespace

TEST_CASE("warpgroup matrices: no warp passes wait_group before the warpgroup has multiplied") {
  // Warp 0 tells warp 4 that B is free, while the other warps of its warpgroup still count.
  const std::string text = of_ones(
      "setp.ge.u32 %p2, %t, 128; @%p2 bra OTHER; setp.lt.u32 %p2, %t, 32; @%p2 bra READY; mov.u32 %r1, 0;\n"
      "COUNT: add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 500; @%p2 bra COUNT;\nREADY:\n",
      "0",
      "@%p1 mbarrier.arrive.shared.b64 %rd1, [done];\nbra STORE;\n"
      "OTHER: mbarrier.test_wait.parity.shared.b64 %p3, [done], 0; @!%p3 bra OTHER;\n"
      "mov.u32 %s, ones; and.b32 %r1, %t, 31; shl.b32 %r1, %r1, 3; add.u32 %s, %s, %r1; st.shared.b64 [%s], 0;\n"
      "STORE:\n");
  for (const way w : {way::pdom, way::frontier, way::depth_first}) {
    const machine_result r = run_under(w, decoded(text), block_of(160), {words(160), 160});
    REQUIRE_MESSAGE(r.how == outcome::finished, r.fault.describe());
    for (std::uint32_t t = 0; t < 128; ++t) CHECK(r.out[t] == 0x4180'0000);  // 16
  }
  // A warp that never comes: the others wait for it.
  const machine_result r =
      run_under(way::pdom, decoded(of_ones("setp.lt.u32 %p2, %t, 32; @%p2 exit;\n")), block_of(128), {words(128), 128});
  CHECK(r.how == outcome::barrier_deadlock);
}

TEST_CASE("warpgroup matrices: addresses that are wrong, threads that are missing, lanes that differ") {
  const auto fault = [](const std::string& text, std::uint32_t threads) {
    const machine_result r = run_under(way::pdom, decoded(text), block_of(threads), {words(threads), threads});
    CHECK(r.how == outcome::fault);
    return r.fault;
  };
  const ptx::fault_info outside = fault(of_ones("or.b64 %b, %b, 0x0000000000001000;\n"), 128);
  CHECK(outside.kind == ptx::fault_kind::out_of_bounds);
  CHECK(outside.describe().find("16 bytes at .shared address 0x10000 (shared memory has 2312 bytes)") !=
        std::string::npos);
  CHECK(outside.opcode == "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16");
  CHECK(outside.where.line > 8);
  CHECK(fault(of_ones("or.b64 %a, %a, 0x3000000000000000; or.b64 %a, %a, 0x200000000000;\n"), 128).kind ==
        ptx::fault_kind::out_of_bounds);
  const auto says = [&](const std::string& text, std::uint32_t threads, std::string_view what) {
    const ptx::fault_info f = fault(text, threads);
    CHECK(f.kind == ptx::fault_kind::bad_exchange);
    CHECK_MESSAGE(f.describe().find(what) != std::string::npos, f.describe());
  };
  says(of_ones({}), 96, "warpgroup 0 has 96 threads in this thread block, but it needs 128");
  says(of_ones("setp.lt.u32 %p2, %t, 128; @%p2 exit;\n"), 192, "warpgroup 1 has 64 threads");
  says(of_ones("setp.lt.u32 %p2, %t, 8; @%p2 exit;\n"), 128, "lanes 0-7 have ended");
  says(of_ones("cvt.u64.u32 %rd1, %t; add.u64 %a, %a, %rd1;\n"), 128, "a descriptor is 0x");
  says(of_ones("setp.lt.u32 %p2, %t, 8;\n", "%p2"), 128, "its lanes differ in whether D is added");
  std::string wait = of_ones({});
  for (const char* word : {"wgmma.mma_async", "wgmma.fence", "wgmma.commit_group"}) {
    const std::size_t at = wait.find(word);
    wait.erase(at, wait.find(';', at) + 1 - at);
  }
  says(wait, 64, "warpgroup 0 has 64 threads");
  const ptx::decoded_kernel kernel = decoded(of_ones({}));
  CHECK(text_of(ptx::check_launch(kernel, block_of(128, 16), ptx::arguments(kernel), 64))
            .find("fragments lie in 32 lanes") != std::string::npos);
}

TEST_CASE("warpgroup matrices: guards, loops, several products in flight") {
  // Four products, two groups: D = 4 * 16. The guard holds for all lanes of one warpgroup and none of the other.
  const std::string product =
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %a, %b, %p4, 1, 1, 0, 0;\n";
  const std::string text = of_ones(
      "mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1; setp.lt.u32 %p2, %t, 128;\n"
      "mov.u32 %r1, 0;\nAGAIN: setp.ne.u32 %p4, %r1, 0; @%p2 wgmma.fence.sync.aligned; @%p2 " +
          product +
          "@%p2 wgmma.commit_group.sync.aligned; @%p2 wgmma.wait_group.sync.aligned 1;\n"
          "add.u32 %r1, %r1, 1; setp.lt.u32 %p3, %r1, 3; @%p3 bra AGAIN;\n",
      "%p2");
  for (const std::span<const way> ways : {std::span<const way>(all_ways), std::span<const way>(never_joining)}) {
    const words out = agreed(text, block_of(256), words(256), 256, ways);
    for (std::uint32_t t = 0; t < 256; ++t) CHECK(out[t] == (t < 128 ? 0x4280'0000U : 0x4180'0000U));  // 64, 16
  }
}

TEST_CASE("warpgroup matrices: printed, read back, rewritten; D is read and written") {
  group_product p{16, "f16", "e4m3", "e5m2"};
  p.a_in_registers = true;
  const ptx::module m = module_of(group_kernel(p, 256, 4096, 4));
  const std::string printed = ptx::print(m);
  std::string why;
  CHECK_MESSAGE(same_module(m, module_of(printed), why), why << printed);
  const auto code = ptx::verify(m, m.kernels[0]);
  REQUIRE_MESSAGE(code.has_value(), text_of(code.diagnostics()));
  auto rewritten = ptx::rewrite(*code, flow_plan(code->blocks().graph()));
  REQUIRE_MESSAGE(rewritten.has_value(), text_of(rewritten.diagnostics()));
  ptx::module other = m;
  other.kernels[0] = *std::move(rewritten);
  CHECK(ptx::decode(other, other.kernels[0]).has_value());
  const ptx::def_use values(*code);
  const ptx::function& f = code->text();
  std::size_t products = 0;
  for (std::uint32_t i = 0; i < f.instructions.size(); ++i) {
    const bool product = code->operation_of(i).name == ptx::mnemonic::wgmma_mma;
    CHECK(code->blocks().is_convergent_instruction(i) ==
          (f.instructions[i].opcode.substr(0, 6) == "wgmma." || f.instructions[i].opcode == "bar.sync"));
    if (!product) continue;
    ++products;
    CHECK(values.writes(i).size() == 4);
    CHECK(values.reads(i).size() == 4 + 4 + 1 + 1);  // A, D, the descriptor of B, the predicate
    for (const ptx::register_value_ref& w : values.writes(i))
      CHECK(std::any_of(values.reads(i).begin(), values.reads(i).end(),
                        [&](const ptx::register_value_ref& r) { return r.reg == w.reg; }));
  }
  CHECK(products == 1);
}

TEST_CASE("warpgroup matrices: in the cycle model a product is a multiplication and addition, wait_group a barrier") {
  const auto class_of = [](const std::string& opcode) { return ptx::timing_class_of(*ptx::parse_operation(opcode)); };
  CHECK(class_of("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16") == timing::instruction_class::fp_mad);
  CHECK(class_of("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8") == timing::instruction_class::int_mad);
  CHECK(class_of("wgmma.fence.sync.aligned") == timing::instruction_class::simple);
  CHECK(class_of("wgmma.wait_group.sync.aligned") == timing::instruction_class::barrier);
  const ptx::decoded_kernel kernel = decoded(of_ones({}));
  const ptx::instruction_table table(kernel);
  for (const timing::machine& machine : {timing::machines::ideal(), timing::machines::volta()}) {
    ptx::device_memory memory;
    ptx::arguments arguments(kernel);
    const std::uint64_t out = memory.allocate(1024, "out");
    arguments.set(0, out);
    arguments.set(1, out);
    arguments.set(2, std::uint32_t{0});
    const ptx::launch_config launch = block_of(256);
    const auto report = timing::run(
        policies::lane_serial(), [&](std::uint32_t) { return ptx::timed_kernel<>(table, launch, memory, arguments); },
        ptx::grid_of(kernel, launch, 0, barrier_model::thread_arrival), machine);
    REQUIRE(report.has_value());
    CHECK(report->verdict.finished());
    std::vector<std::uint32_t> got(256);
    REQUIRE(memory.read(out, std::span<std::uint32_t>(got)));
    for (const std::uint32_t one : got) CHECK(one == 0x4180'0000);
  }
}

TEST_CASE("warpgroup matrices: ptxas takes every shape") {
  std::string text =
      ".version 8.7\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %p2; .reg .b32 %a<4>; "
      ".reg .b32 %d<128>; .reg .b64 %da, %db;\n";
  std::size_t shapes = 0;
  for (const factors& f : all_factors)
    for (int n = 8; n <= 256; n += 8)
      for (const bool registers : {false, true}) {
        group_product p{n, f.d, f.a, f.b};
        p.a_in_registers = registers;
        if (!ptx::parse_operation(p.opcode()).has_value()) continue;
        ++shapes;
        text += product_text(p, 64 * n * bits_of_type(p.d) / 32 / 128);
      }
  text += "ret;\n}\n";
  CHECK(shapes == 2 * (9 * 32 + 5 * 18));
  CHECK_MESSAGE(diagnostics_in(text).empty(), text_of(diagnostics_in(text)));
#ifdef SIMTFLOW_PTXAS
  const std::string said = ptxas_answer(SIMTFLOW_PTXAS, "sm_90a", text);
  if (said.find("is not defined for option 'gpu-name'") != std::string::npos)
    MESSAGE("skipped: this ptxas does not know sm_90a");
  else
    CHECK_MESSAGE(said.empty(), said);
#else
  MESSAGE("skipped: no ptxas");
#endif
}
