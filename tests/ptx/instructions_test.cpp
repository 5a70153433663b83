// SPDX-License-Identifier: BSL-1.0
//
// Every instruction on edge values and random ones, against plain C++ that computes it another way: under a full mask, with
// part of the lanes switched off (their registers must not change), under a guard, and with the result in place of an
// operand.
#include "ptx/run_support.hpp"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

using namespace simtflow;
using ptx_test::random_bits;

namespace {

constexpr std::uint32_t threads = 512;

struct lane_values {
  std::uint64_t a, b, c, d;
};

/// Values that sit on edges, mixed with random ones; also as floating point.
std::vector<lane_values> values(std::uint64_t seed) {
  const auto f = [](float v) { return std::uint64_t{std::bit_cast<std::uint32_t>(v)}; };
  const auto g = [](double v) { return std::bit_cast<std::uint64_t>(v); };
  const std::vector<std::uint64_t> edges = {0,
                                            1,
                                            2,
                                            3,
                                            7,
                                            8,
                                            15,
                                            16,
                                            24,
                                            31,
                                            32,
                                            33,
                                            63,
                                            64,
                                            65,
                                            127,
                                            128,
                                            255,
                                            256,
                                            0x7FFF,
                                            0x8000,
                                            0xFFFF,
                                            0x10000,
                                            0x7FFFFFFF,
                                            0x80000000,
                                            0x80000001,
                                            0xFFFFFFFE,
                                            0xFFFFFFFF,
                                            0x100000000,
                                            0x7FFFFFFFFFFFFFFF,
                                            0x8000000000000000,
                                            0xFFFFFFFFFFFFFFFF,
                                            0x7F800000,
                                            0xFF800000,
                                            0x7FC00000,
                                            0xFFC00001,
                                            0x00000001,
                                            0x807FFFFF,
                                            0x00800000,
                                            0x7F7FFFFF,
                                            f(0.5F),
                                            f(-0.5F),
                                            f(1.0F),
                                            f(-1.0F),
                                            f(1.5F),
                                            f(2.5F),
                                            f(-2.5F),
                                            f(3.0F),
                                            f(0.99999994F),
                                            f(2147483648.0F),
                                            f(-2147483648.0F),
                                            f(2147483520.0F),
                                            f(4294967296.0F),
                                            f(65535.5F),
                                            f(-32769.0F),
                                            f(9.2233720368547758e18F),
                                            f(1e20F),
                                            f(-1e20F),
                                            f(1e-30F),
                                            f(0.1F),
                                            g(0.5),
                                            g(-0.5),
                                            g(1.0),
                                            g(-1.5),
                                            g(2.5),
                                            g(1e300),
                                            g(-1e300),
                                            g(1e-310),
                                            g(2147483647.5),
                                            g(-2147483649.0),
                                            g(1e19),
                                            g(0.1),
                                            g(std::numeric_limits<double>::infinity()),
                                            g(std::numeric_limits<double>::quiet_NaN()),
                                            g(-0.0),
                                            g(1.0 / 3.0)};
  random_bits random{seed};
  const auto pick = [&]() -> std::uint64_t {
    switch (random() % 4) {
      case 0:
        return random();
      case 1:
        return f(static_cast<float>(static_cast<std::int64_t>(random() >> 40)) / 4096.0F - 1000.0F);
      default:
        return edges[random() % edges.size()];
    }
  };
  std::vector<lane_values> v;
  for (std::uint32_t i = 0; i < threads; ++i) v.push_back({pick(), pick(), pick(), pick()});
  return v;
}

std::string reg(char what, std::string_view type) {
  const bool f = type[0] == 'f';
  const std::string size(type.substr(1));
  return std::string("%") + (f ? "f" : "") + what + size;
}

/// The result of an instruction for all threads. `types`: of the result and the sources.
std::vector<std::uint64_t> run(const std::string& opcode, const std::vector<std::string>& types,
                               const std::vector<lane_values>& in, int variant, const std::vector<std::uint64_t>& old) {
  std::string body =
      ".reg .pred %p<2>; .reg .b64 %in, %out, %t; .reg .b32 %lane;\n"
      ".reg .b16 %a16, %b16, %c16, %d16, %r16; .reg .b32 %a32, %b32, %c32, %d32, %r32, %a8, %b8, %c8, %r8; .reg .b64 "
      "%a64, %b64, %c64, %d64, %r64;\n"
      ".reg .f32 %fa32, %fb32, %fc32, %fr32; .reg .f64 %fa64, %fb64, %fc64, %fr64;\n"
      "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %lane, %tid.x;\n"
      "mul.wide.u32 %t, %lane, 40; add.s64 %in, %in, %t; mul.wide.u32 %t, %lane, 8; add.s64 %out, %out, %t;\n";
  std::string call = opcode + " ";
  const std::string result = reg('r', types[0]);
  std::string destination = result;
  std::string loads;
  for (std::size_t n = 1; n < types.size(); ++n) {
    const std::string r = reg(static_cast<char>('a' + n - 1), types[n]);
    loads += "ld.global." + types[n] + " " + r + ", [%in+" + std::to_string(8 * (n - 1)) + "];\n";
  }
  // In place: the result takes the first operand's register.
  const bool in_place = variant == 3 && types.size() > 1 && types[0].substr(1) == types[1].substr(1) &&
                        (types[0][0] == 'f') == (types[1][0] == 'f');
  if (in_place) destination = reg('a', types[1]);
  call += destination;
  for (std::size_t n = 1; n < types.size(); ++n) call += ", " + reg(static_cast<char>('a' + n - 1), types[n]);
  call += ";\n";
  body += loads;
  if (!in_place) body += "ld.global." + types[0] + " " + result + ", [%in+32];\n";
  body += "and.b32 %lane, %lane, 5; setp.eq.s32 %p1, %lane, 1;\n";
  switch (variant) {
    case 1:
      body += "@!%p1 bra skip;\n" + call + "skip:\n";
      break;
    case 2:
      body += "@%p1 " + call;
      break;
    default:
      body += call;
      break;
  }
  body += "st.global." + types[0] + " [%out], " + destination + ";\nret;";

  std::vector<std::uint64_t> memory;
  for (std::size_t i = 0; i < in.size(); ++i) memory.insert(memory.end(), {in[i].a, in[i].b, in[i].c, in[i].d, old[i]});
  const ptx::decoded_kernel k = ptx_test::decoded(ptx_test::kernel_text(body));
  ptx::device_memory device;
  const std::uint64_t from = device.allocate_copy(std::span<const std::uint64_t>(memory), "in");
  const std::uint64_t to = device.allocate(8 * in.size(), "out");
  ptx::arguments args(k);
  args.set(0, from);
  args.set(1, to);
  args.set(2, 0U);
  ptx::launch_config launch;
  launch.block[0] = static_cast<std::uint32_t>(in.size());
  ptx::interpreter<> program(k, launch, device, args);
  const verdict v = ptx_test::run_grid(program, ptx_test::schedule::thread_frontier);
  REQUIRE_MESSAGE(v.finished(), program.fault().describe());
  std::vector<std::uint64_t> out(in.size());
  REQUIRE(device.read(to, std::span<std::uint64_t>(out)));
  return out;
}

template <class T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, float>) return "f32";
  if constexpr (std::is_same_v<T, double>) return "f64";
  if constexpr (std::is_same_v<T, std::uint8_t>) return "u8";
  if constexpr (std::is_same_v<T, std::int8_t>) return "s8";
  if constexpr (std::is_same_v<T, std::uint16_t>) return "u16";
  if constexpr (std::is_same_v<T, std::int16_t>) return "s16";
  if constexpr (std::is_same_v<T, std::uint32_t>) return "u32";
  if constexpr (std::is_same_v<T, std::int32_t>) return "s32";
  if constexpr (std::is_same_v<T, std::uint64_t>) return "u64";
  if constexpr (std::is_same_v<T, std::int64_t>) return "s64";
}

template <class T>
T as(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<double>(bits);
  else
    return static_cast<T>(bits);
}

template <class T>
std::uint64_t raw(T v) {
  if constexpr (std::is_same_v<T, float>)
    return std::isnan(v) ? 0x7FFF'FFFFU : std::bit_cast<std::uint32_t>(v);
  else if constexpr (std::is_same_v<T, double>)
    return std::isnan(v) ? 0x7FFF'FFFF'FFFF'FFFFU : std::bit_cast<std::uint64_t>(v);
  else
    return static_cast<std::make_unsigned_t<T>>(v);
}
/// The bits that count, all NaN alike.
template <class T>
std::uint64_t canonical(std::uint64_t bits) {
  return raw<T>(as<T>(bits));
}

/// What one instruction should compute, and how.
struct experiment {
  std::string opcode;
  std::vector<std::string> types;
  std::vector<lane_values> in;
  std::vector<std::uint64_t> expected;
  std::uint64_t (*canonical)(std::uint64_t);
};

/// Runs an instruction in all variants.
void compare(const experiment& e) {
  std::vector<std::uint64_t> old;
  random_bits random{7};
  for (std::uint32_t i = 0; i < threads; ++i) old.push_back(random());
  for (int variant = 0; variant < 4; ++variant) {
    const std::vector<std::uint64_t> out = run(e.opcode, e.types, e.in, variant, old);
    std::uint32_t wrong = 0;
    for (std::uint32_t i = 0; i < threads && wrong < 3; ++i) {
      const bool runs = variant == 0 || variant == 3 || (i & 5U) == 1;
      const std::uint64_t expected = runs ? e.expected[i] : e.canonical(old[i]);
      const std::uint64_t got = e.canonical(out[i]);
      if (got == expected) continue;
      ++wrong;
      const lane_values& v = e.in[i];
      FAIL_CHECK(e.opcode << " variant " << variant << " lane " << i << ": operands " << v.a << ", " << v.b << ", "
                          << v.c << ", " << v.d << ": expected " << expected << ", got " << got);
    }
  }
  CHECK(true);
}

/// Holds an instruction against `reference`.
template <class D, class... S, class F>
void check(const std::string& opcode, F reference) {
  experiment e{
      opcode, {type_name<D>(), type_name<S>()...}, values(std::hash<std::string>{}(opcode)), {}, &canonical<D>};
  for (const lane_values& v : e.in) {
    const std::uint64_t bits[] = {v.a, v.b, v.c, v.d};
    const D d = [&]<std::size_t... N>(std::index_sequence<N...>) {
      return static_cast<D>(reference(as<S>(bits[N])...));
    }
    (std::index_sequence_for<S...>{});
    e.expected.push_back(raw<D>(d));
  }
  compare(e);
}

using u16 = std::uint16_t;
using s16 = std::int16_t;
using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;

__extension__ using i128 = __int128;
__extension__ using u128 = unsigned __int128;
template <class T>
using huge = std::conditional_t<std::is_signed_v<T>, i128, u128>;

template <class T>
std::string typed(const char* stem) {
  return std::string(stem) + "." + type_name<T>();
}

template <class T>
void integer_arithmetic() {
  using U = std::make_unsigned_t<T>;
  constexpr int bits = 8 * sizeof(T);
  check<T, T, T>(typed<T>("add"), [](T a, T b) { return static_cast<T>(huge<T>(a) + b); });
  check<T, T, T>(typed<T>("sub"), [](T a, T b) { return static_cast<T>(huge<T>(a) - b); });
  check<T, T, T>(typed<T>("mul.lo"),
                 [](T a, T b) { return static_cast<T>(static_cast<u128>(a) * static_cast<u128>(b)); });
  check<T, T, T>(typed<T>("mul.hi"), [](T a, T b) { return static_cast<T>((huge<T>(a) * huge<T>(b)) >> bits); });
  check<T, T, T, T>(typed<T>("mad.lo"), [](T a, T b, T c) {
    return static_cast<T>(static_cast<u128>(a) * static_cast<u128>(b) + static_cast<u128>(c));
  });
  check<T, T, T, T>(typed<T>("mad.hi"), [](T a, T b, T c) {
    return static_cast<T>(static_cast<U>((huge<T>(a) * huge<T>(b)) >> bits) + static_cast<U>(c));
  });
  check<T, T, T, T>(typed<T>("sad"), [](T a, T b, T c) {
    return static_cast<T>(static_cast<u128>(c) + static_cast<u128>(a < b ? huge<T>(b) - a : huge<T>(a) - b));
  });
  check<T, T, T>(typed<T>("div"),
                 [](T a, T b) { return b == 0 ? static_cast<T>(-1) : static_cast<T>(huge<T>(a) / b); });
  check<T, T, T>(typed<T>("rem"), [](T a, T b) { return b == 0 ? a : static_cast<T>(huge<T>(a) % b); });
  check<T, T, T>(typed<T>("min"), [](T a, T b) { return std::min(a, b); });
  check<T, T, T>(typed<T>("max"), [](T a, T b) { return std::max(a, b); });
  check<T, T, u32>(typed<T>("shr"),
                   [](T a, u32 n) { return n >= bits ? static_cast<T>(a < 0 ? -1 : 0) : static_cast<T>(a >> n); });
  if constexpr (std::is_signed_v<T>) {
    check<T, T>(typed<T>("neg"), [](T a) { return static_cast<T>(-huge<T>(a)); });
    check<T, T>(typed<T>("abs"), [](T a) { return static_cast<T>(a < 0 ? -huge<T>(a) : huge<T>(a)); });
  }
}

template <class T, class W>
void wide_arithmetic() {
  check<W, T, T>(typed<T>("mul.wide"), [](T a, T b) { return static_cast<W>(huge<T>(a) * huge<T>(b)); });
  check<W, T, T, W>(typed<T>("mad.wide"),
                    [](T a, T b, W c) { return static_cast<W>(huge<T>(a) * huge<T>(b) + huge<T>(c)); });
}

template <class T>
void bitwise(const char* suffix) {
  constexpr u32 bits = 8 * sizeof(T);
  const auto op = [&](const char* stem) { return std::string(stem) + suffix; };
  check<T, T, T>(op("and"), [](T a, T b) { return a & b; });
  check<T, T, T>(op("or"), [](T a, T b) { return a | b; });
  check<T, T, T>(op("xor"), [](T a, T b) { return a ^ b; });
  check<T, T>(op("not"), [](T a) { return static_cast<T>(std::numeric_limits<T>::max() - a); });
  check<T, T>(op("cnot"), [](T a) { return a == 0; });
  check<T, T, u32>(op("shl"), [](T a, u32 n) { return n >= bits ? T{0} : static_cast<T>(static_cast<u128>(a) << n); });
  check<T, T>(op("mov"), [](T a) { return a; });
}

template <class T>
T field(u128 v, u32 from, u32 len, bool sign) {  // bit by bit, as the manual says
  constexpr u32 msb = 8 * sizeof(T) - 1;
  using U = std::make_unsigned_t<T>;
  const auto bit = [&](u32 i) { return static_cast<U>((v >> i) & 1U); };
  const U fill = !sign || len == 0 ? U{0} : bit(std::min(from + len - 1, msb));
  U d = 0;
  for (u32 i = 0; i <= msb; ++i) d |= static_cast<U>((i < len && from + i <= msb ? bit(from + i) : fill) << i);
  return static_cast<T>(d);
}

template <class F>
float rounded(int mode, F f) {
  std::fesetround(mode);
  volatile float r = f();
  std::fesetround(FE_TONEAREST);
  return r;
}

float flushed(float v) { return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0F, v) : v; }

}  // namespace

TEST_CASE("ptx instructions: 16-bit integers") {
  integer_arithmetic<u16>();
  integer_arithmetic<s16>();
  wide_arithmetic<u16, u32>();
  wide_arithmetic<s16, s32>();
  bitwise<u16>(".b16");
}
TEST_CASE("ptx instructions: 32-bit integers") {
  integer_arithmetic<u32>();
  integer_arithmetic<s32>();
  wide_arithmetic<u32, u64>();
  wide_arithmetic<s32, s64>();
  bitwise<u32>(".b32");
  const auto clamp = [](i128 v) {
    return static_cast<s32>(std::clamp<i128>(v, std::numeric_limits<s32>::min(), std::numeric_limits<s32>::max()));
  };
  check<s32, s32, s32>("add.sat.s32", [&](s32 a, s32 b) { return clamp(i128(a) + b); });
  check<s32, s32, s32>("sub.sat.s32", [&](s32 a, s32 b) { return clamp(i128(a) - b); });
  check<s32, s32, s32, s32>("mad.hi.sat.s32", [&](s32 a, s32 b, s32 c) { return clamp(((i128(a) * b) >> 32) + c); });
}
TEST_CASE("ptx instructions: 64-bit integers") {
  integer_arithmetic<u64>();
  integer_arithmetic<s64>();
  bitwise<u64>(".b64");
}

TEST_CASE("ptx instructions: 24-bit products") {
  const auto s24 = [](s32 v) { return i128((v & 0x7F'FFFF) - (v & 0x80'0000)); };
  check<u32, u32, u32>("mul24.lo.u32",
                       [](u32 a, u32 b) { return static_cast<u32>(u64(a % (1U << 24)) * (b % (1U << 24))); });
  check<u32, u32, u32>("mul24.hi.u32",
                       [](u32 a, u32 b) { return static_cast<u32>((u64(a % (1U << 24)) * (b % (1U << 24))) >> 16); });
  check<s32, s32, s32>("mul24.lo.s32", [&](s32 a, s32 b) { return static_cast<s32>(s24(a) * s24(b)); });
  check<s32, s32, s32>("mul24.hi.s32", [&](s32 a, s32 b) { return static_cast<s32>((s24(a) * s24(b)) >> 16); });
  check<s32, s32, s32, s32>("mad24.lo.s32", [&](s32 a, s32 b, s32 c) { return static_cast<s32>(s24(a) * s24(b) + c); });
  check<u32, u32, u32, u32>("mad24.hi.u32", [](u32 a, u32 b, u32 c) {
    return static_cast<u32>(((u64(a % (1U << 24)) * (b % (1U << 24))) >> 16) + c);
  });
}

TEST_CASE("ptx instructions: bit fields, permutations, counts") {
  check<u32, u32, u32, u32>("bfe.u32", [](u32 a, u32 b, u32 c) { return field<u32>(a, b & 255, c & 255, false); });
  check<s32, s32, u32, u32>(
      "bfe.s32", [](s32 a, u32 b, u32 c) { return field<s32>(static_cast<u32>(a), b & 255, c & 255, true); });
  check<u64, u64, u32, u32>("bfe.u64", [](u64 a, u32 b, u32 c) { return field<u64>(a, b & 255, c & 255, false); });
  check<s64, s64, u32, u32>(
      "bfe.s64", [](s64 a, u32 b, u32 c) { return field<s64>(static_cast<u64>(a), b & 255, c & 255, true); });
  const auto insert = [](u64 a, u64 b, u32 from, u32 len, u32 msb) {
    for (u32 i = 0; i < (len & 255) && (from & 255) + i <= msb; ++i) {
      const u64 at = u64{1} << ((from & 255) + i);
      b = ((a >> i) & 1U) != 0 ? b | at : b & ~at;
    }
    return b;
  };
  check<u32, u32, u32, u32, u32>("bfi.b32",
                                 [&](u32 a, u32 b, u32 c, u32 d) { return static_cast<u32>(insert(a, b, c, d, 31)); });
  check<u64, u64, u64, u32, u32>("bfi.b64", [&](u64 a, u64 b, u32 c, u32 d) { return insert(a, b, c, d, 63); });
  check<u32, u32>("popc.b32", [](u32 a) {
    u32 n = 0;
    for (; a != 0; a &= a - 1) ++n;
    return n;
  });
  check<u32, u64>("popc.b64", [](u64 a) {
    u32 n = 0;
    for (; a != 0; a &= a - 1) ++n;
    return n;
  });
  check<u32, u32>("clz.b32", [](u32 a) {
    u32 n = 0;
    while (n < 32 && ((a >> (31 - n)) & 1U) == 0) ++n;
    return n;
  });
  check<u32, u64>("clz.b64", [](u64 a) {
    u32 n = 0;
    while (n < 64 && ((a >> (63 - n)) & 1U) == 0) ++n;
    return n;
  });
  check<u32, u32>("brev.b32", [](u32 a) {
    u32 r = 0;
    for (u32 i = 0; i < 32; ++i)
      if (((a >> i) & 1U) != 0) r |= 1U << (31 - i);
    return r;
  });
  check<u64, u64>("brev.b64", [](u64 a) {
    u64 r = 0;
    for (u32 i = 0; i < 64; ++i)
      if (((a >> i) & 1U) != 0) r |= u64{1} << (63 - i);
    return r;
  });
  const auto highest = [](u64 v) {
    u32 r = 0xFFFF'FFFFU;
    for (u32 i = 0; i < 64; ++i)
      if (((v >> i) & 1U) != 0) r = i;
    return r;
  };
  check<u32, u32>("bfind.u32", [&](u32 a) { return highest(a); });
  check<u32, s32>("bfind.s32", [&](s32 a) { return highest(static_cast<u32>(a < 0 ? ~a : a)); });
  check<u32, u64>("bfind.u64", [&](u64 a) { return highest(a); });
  check<u32, s64>("bfind.shiftamt.s64", [&](s64 a) {
    const u32 h = highest(static_cast<u64>(a < 0 ? ~a : a));
    return h == 0xFFFF'FFFFU ? h : 63 - h;
  });
  check<u32, u32, u32, u32>("prmt.b32", [](u32 a, u32 b, u32 c) {
    u32 r = 0;
    for (u32 i = 0; i < 4; ++i) {
      const u32 s = (c >> (4 * i)) & 15U;
      const u32 byte = ((s & 7U) < 4 ? a >> (8 * (s & 7U)) : b >> (8 * ((s & 7U) - 4))) & 255U;
      r |= (s < 8 ? byte : byte >= 128 ? 255U : 0U) << (8 * i);
    }
    return r;
  });
  const auto table = [](std::string_view picks) {  // bytes 3 2 1 0 for selectors 0 to 3, as in the manual's table
    return [picks](u32 a, u32 b, u32 c) {
      u32 r = 0;
      for (u32 i = 0; i < 4; ++i) {
        const u32 p = static_cast<u32>(picks[5 * (c & 3U) + 3 - i] - '0');
        r |= ((p < 4 ? a >> (8 * p) : b >> (8 * (p - 4))) & 255U) << (8 * i);
      }
      return r;
    };
  };
  check<u32, u32, u32, u32>("prmt.b32.f4e", table("3210 4321 5432 6543"));
  check<u32, u32, u32, u32>("prmt.b32.b4e", table("5670 6701 7012 0123"));
  check<u32, u32, u32, u32>("prmt.b32.rc8", table("0000 1111 2222 3333"));
  check<u32, u32, u32, u32>("prmt.b32.ecl", table("3210 3211 3222 3333"));
  check<u32, u32, u32, u32>("prmt.b32.ecr", table("0000 1110 2210 3210"));
  check<u32, u32, u32, u32>("prmt.b32.rc16", table("1010 3232 1010 3232"));
  check<u32, u32, u32, u32>("shf.l.wrap.b32", [](u32 a, u32 b, u32 c) {
    const u32 n = c & 31U;
    return n == 0 ? b : (b << n) | (a >> (32 - n));
  });
  check<u32, u32, u32, u32>("shf.l.clamp.b32", [](u32 a, u32 b, u32 c) {
    const u32 n = std::min(c, 32U);
    return n == 0 ? b : n == 32 ? a : (b << n) | (a >> (32 - n));
  });
  check<u32, u32, u32, u32>("shf.r.wrap.b32", [](u32 a, u32 b, u32 c) {
    const u32 n = c & 31U;
    return n == 0 ? a : (b << (32 - n)) | (a >> n);
  });
  check<u32, u32, u32, u32>("shf.r.clamp.b32", [](u32 a, u32 b, u32 c) {
    const u32 n = std::min(c, 32U);
    return n == 0 ? a : n == 32 ? b : (b << (32 - n)) | (a >> n);
  });
  check<u32, u32, u32, u32, u32>("lop3.b32", [](u32 a, u32 b, u32 c, u32 lut) {
    u32 r = 0;
    for (u32 i = 0; i < 32; ++i)
      r |= ((lut >> ((((a >> i) & 1U) << 2) | (((b >> i) & 1U) << 1) | ((c >> i) & 1U))) & 1U) << i;
    return r;
  });
}

namespace {
template <class T>
void float_arithmetic() {
  const auto op = [](const char* stem) { return typed<T>(stem); };
  check<T, T, T>(op("add"), [](T a, T b) {
    volatile T r = a;
    r = r + b;
    return T(r);
  });
  check<T, T, T>(op("sub.rn"), [](T a, T b) {
    volatile T r = a;
    r = r - b;
    return T(r);
  });
  check<T, T, T>(op("mul"), [](T a, T b) {
    volatile T r = a;
    r = r * b;
    return T(r);
  });
  check<T, T, T>(op("div.rn"), [](T a, T b) {
    volatile T r = a;
    r = r / b;
    return T(r);
  });
  check<T, T, T, T>(op("fma.rn"), [](T a, T b, T c) { return std::fma(a, b, c); });
  check<T, T, T, T>(op("mad.rn"), [](T a, T b, T c) { return std::fma(a, b, c); });
  check<T, T>(op("neg"), [](T a) { return std::isnan(a) ? a : std::copysign(a, std::signbit(a) ? T{1} : T{-1}); });
  check<T, T>(op("abs"), [](T a) { return std::fabs(a); });
  check<T, T>(op("sqrt.rn"), [](T a) { return std::sqrt(a); });
  check<T, T>(op("rcp.rn"), [](T a) { return 1 / a; });
  check<T, T, T>(op("copysign"), [](T a, T b) { return std::isnan(b) ? b : std::copysign(b, a); });
  const auto smaller = [](T a, T b) {
    return std::isnan(a) ? b : std::isnan(b) ? a : a == b ? (std::signbit(a) ? a : b) : a < b ? a : b;
  };
  const auto larger = [](T a, T b) {
    return std::isnan(a) ? b : std::isnan(b) ? a : a == b ? (std::signbit(a) ? b : a) : a < b ? b : a;
  };
  check<T, T, T>(op("min"), smaller);
  check<T, T, T>(op("max"), larger);
}
}  // namespace

TEST_CASE("ptx instructions: single precision") {
  float_arithmetic<float>();
  check<float, float, float, float>("mad.f32", [](float a, float b, float c) { return std::fma(a, b, c); });
  check<float, float, float>("div.approx.f32", [](float a, float b) { return a / b; });
  check<float, float, float>("div.full.f32", [](float a, float b) { return a / b; });
  check<float, float>("sqrt.approx.f32", [](float a) { return std::sqrt(a); });
  check<float, float>("rcp.approx.f32", [](float a) { return 1 / a; });
  check<float, float>("rsqrt.approx.f32",
                      [](float a) { return static_cast<float>(1 / std::sqrt(static_cast<double>(a))); });
  check<float, float>("ex2.approx.f32", [](float a) { return std::exp2(a); });
  check<float, float>("lg2.approx.f32", [](float a) { return std::log2(a); });
  check<float, float>("sin.approx.f32", [](float a) { return std::sin(a); });
  check<float, float>("cos.f32", [](float a) { return std::cos(a); });
  check<float, float>("tanh.approx.f32", [](float a) { return std::tanh(a); });
}
TEST_CASE("ptx instructions: fused multiply-add without the processor's own") {
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    std::uint32_t wrong = 0;
    for (const lane_values& v : values(seed)) {
      const float a = as<float>(v.a), b = as<float>(v.b), c = as<float>(v.c);
      wrong += raw<float>(ptx::detail::fma32(a, b, c)) != raw<float>(std::fma(a, b, c)) ? 1U : 0U;
    }
    CAPTURE(seed);
    CHECK(wrong == 0);
  }
}
TEST_CASE("ptx instructions: double precision") {
  float_arithmetic<double>();
  check<double, double>("rsqrt.approx.f64", [](double a) { return 1 / std::sqrt(a); });
}

TEST_CASE("ptx instructions: single precision, directed rounding") {
  const struct {
    const char* name;
    int mode;
  } modes[] = {{"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};
  for (const auto& m : modes) {
    const std::string r = m.name;
    const int mode = m.mode;
    check<float, float, float>("add." + r + ".f32", [=](float a, float b) {
      volatile float x = a, y = b;
      return rounded(mode, [&] { return x + y; });
    });
    check<float, float, float>("sub." + r + ".f32", [=](float a, float b) {
      volatile float x = a, y = b;
      return rounded(mode, [&] { return x - y; });
    });
    check<float, float, float>("mul." + r + ".f32", [=](float a, float b) {
      volatile float x = a, y = b;
      return rounded(mode, [&] { return x * y; });
    });
    check<float, float, float>("div." + r + ".f32", [=](float a, float b) {
      volatile float x = a, y = b;
      return rounded(mode, [&] { return x / y; });
    });
    check<float, float>("rcp." + r + ".f32", [=](float a) {
      volatile float x = a, one = 1;
      return rounded(mode, [&] { return one / x; });
    });
    check<float, float>("sqrt." + r + ".f32", [=](float a) {
      volatile float x = a;
      return rounded(mode, [&] { return std::sqrt(x); });
    });
    check<float, float, float, float>("fma." + r + ".f32", [=](float a, float b, float c) {
      volatile float x = a, y = b, z = c;
      return rounded(mode, [&] { return std::fma(x, y, z); });
    });
    check<float, s32>("cvt." + r + ".f32.s32", [=](s32 a) {
      volatile s32 x = a;
      return rounded(mode, [&] { return static_cast<float>(x); });
    });
    check<float, s64>("cvt." + r + ".f32.s64", [=](s64 a) {
      volatile s64 x = a;
      return rounded(mode, [&] { return static_cast<float>(x); });
    });
    check<float, double>("cvt." + r + ".f32.f64", [=](double a) {
      volatile double x = a;
      return rounded(mode, [&] { return static_cast<float>(x); });
    });
  }
}

TEST_CASE("ptx instructions: flushing subnormals and saturation") {
  check<float, float, float>("add.ftz.f32", [](float a, float b) { return flushed(flushed(a) + flushed(b)); });
  check<float, float, float>("mul.ftz.f32", [](float a, float b) { return flushed(flushed(a) * flushed(b)); });
  check<float, float, float, float>("fma.rn.ftz.f32", [](float a, float b, float c) {
    return flushed(std::fma(flushed(a), flushed(b), flushed(c)));
  });
  check<float, float>("abs.ftz.f32", [](float a) { return flushed(std::fabs(a)); });
  check<float, float>("sqrt.rn.ftz.f32", [](float a) { return flushed(std::sqrt(flushed(a))); });
  const auto sat = [](float v) { return std::isnan(v) ? 0.0F : v <= 0 ? 0.0F : v >= 1 ? 1.0F : v; };
  check<float, float, float>("add.sat.f32", [&](float a, float b) { return sat(a + b); });
  check<float, float, float, float>("fma.rn.sat.f32",
                                    [&](float a, float b, float c) { return sat(std::fma(a, b, c)); });
  check<float, float>("cvt.sat.f32.f32", [&](float a) { return sat(a); });
  check<float, float>("cvt.ftz.f32.f32", [&](float a) { return flushed(a); });
  const auto sat64 = [](double v) { return std::isnan(v) || v <= 0 ? 0.0 : std::min(v, 1.0); };
  check<double, double>("cvt.sat.f64.f64", sat64);
  check<double, double>("cvt.rni.sat.f64.f64", [&](double a) { return sat64(std::rint(a)); });
  check<double, float>("cvt.sat.f64.f32", [&](float a) { return sat64(a); });
  check<double, s32>("cvt.rn.sat.f64.s32", [&](s32 a) { return sat64(a); });
}

namespace {
template <class D, class S>
D clamped(S v) {  // v is integral, infinite or NaN
  if (std::isnan(v)) return sizeof(S) == 4 && sizeof(D) < 8 ? D{0} : static_cast<D>(u64{1} << (8 * sizeof(D) - 1));
  if (v >= std::ldexp(S{1}, 8 * sizeof(D) - (std::is_signed_v<D> ? 1 : 0))) return std::numeric_limits<D>::max();
  if (v < static_cast<S>(std::numeric_limits<D>::min())) return std::numeric_limits<D>::min();
  return static_cast<D>(v);
}
template <class D, class S>
void float_to_int() {
  const std::string tail = std::string(".") + type_name<D>() + "." + type_name<S>();
  check<D, S>("cvt.rzi" + tail, [](S v) { return clamped<D, S>(std::trunc(v)); });
  check<D, S>("cvt.rni" + tail, [](S v) { return clamped<D, S>(std::rint(v)); });
  check<D, S>("cvt.rmi" + tail, [](S v) { return clamped<D, S>(std::floor(v)); });
  check<D, S>("cvt.rpi" + tail, [](S v) { return clamped<D, S>(std::ceil(v)); });
}
template <class D, class S>
void int_to_int() {
  const std::string tail = std::string(".") + type_name<D>() + "." + type_name<S>();
  check<D, S>("cvt" + tail, [](S v) { return static_cast<D>(v); });
  check<D, S>("cvt.sat" + tail, [](S v) {
    return static_cast<D>(
        std::clamp<i128>(i128(v), i128(std::numeric_limits<D>::min()), i128(std::numeric_limits<D>::max())));
  });
}
}  // namespace

TEST_CASE("ptx instructions: conversions") {
  int_to_int<u16, s32>();
  int_to_int<s16, s32>();
  int_to_int<s32, s16>();
  int_to_int<u32, s64>();
  int_to_int<s32, u64>();
  int_to_int<u64, s32>();
  int_to_int<s64, u32>();
  int_to_int<s64, u64>();
  float_to_int<s32, float>();
  float_to_int<u32, float>();
  float_to_int<s16, float>();
  float_to_int<s64, float>();
  float_to_int<u64, float>();
  float_to_int<s32, double>();
  float_to_int<u64, double>();
  check<float, s32>("cvt.rn.f32.s32", [](s32 v) { return static_cast<float>(v); });
  check<float, u32>("cvt.rn.f32.u32", [](u32 v) { return static_cast<float>(v); });
  check<float, u64>("cvt.rn.f32.u64", [](u64 v) { return static_cast<float>(v); });
  check<float, s16>("cvt.rn.f32.s16", [](s16 v) { return static_cast<float>(v); });
  check<double, s64>("cvt.rn.f64.s64", [](s64 v) { return static_cast<double>(v); });
  check<double, float>("cvt.f64.f32", [](float v) { return static_cast<double>(v); });
  check<float, double>("cvt.rn.f32.f64", [](double v) { return static_cast<float>(v); });
  check<float, float>("cvt.rni.f32.f32", [](float v) { return std::rint(v); });
  check<float, float>("cvt.rzi.f32.f32", [](float v) { return std::trunc(v); });
  check<float, float>("cvt.rmi.f32.f32", [](float v) { return std::floor(v); });
  check<float, float>("cvt.rpi.f32.f32", [](float v) { return std::ceil(v); });
}

namespace {
template <class T, class F>
void comparison(const char* name, F holds) {
  const auto op = [&](const char* stem) { return std::string(stem) + "." + name; };
  check<u32, T, T>(op("set") + ".u32." + type_name<T>(), [=](T a, T b) { return holds(a, b) ? 0xFFFF'FFFFU : 0U; });
  check<float, T, T>(op("set") + ".f32." + type_name<T>(), [=](T a, T b) { return holds(a, b) ? 1.0F : 0.0F; });
}
template <class T>
void ordered() {
  comparison<T>("eq", [](T a, T b) { return a == b; });
  comparison<T>("ne", [](T a, T b) { return a < b || a > b; });
  comparison<T>("lt", [](T a, T b) { return a < b; });
  comparison<T>("le", [](T a, T b) { return a <= b; });
  comparison<T>("gt", [](T a, T b) { return a > b; });
  comparison<T>("ge", [](T a, T b) { return a >= b; });
}
template <class T>
void unordered() {
  const auto nan = [](T a, T b) { return std::isnan(a) || std::isnan(b); };
  comparison<T>("equ", [=](T a, T b) { return nan(a, b) || a == b; });
  comparison<T>("neu", [=](T a, T b) { return nan(a, b) || a != b; });
  comparison<T>("ltu", [=](T a, T b) { return nan(a, b) || a < b; });
  comparison<T>("leu", [=](T a, T b) { return nan(a, b) || a <= b; });
  comparison<T>("gtu", [=](T a, T b) { return nan(a, b) || a > b; });
  comparison<T>("geu", [=](T a, T b) { return nan(a, b) || a >= b; });
  comparison<T>("num", [=](T a, T b) { return !nan(a, b); });
  comparison<T>("nan", nan);
}
}  // namespace

TEST_CASE("ptx instructions: comparisons") {
  ordered<u16>();
  ordered<s16>();
  ordered<u32>();
  ordered<s32>();
  ordered<u64>();
  ordered<s64>();
  ordered<float>();
  ordered<double>();
  unordered<float>();
  unordered<double>();
  comparison<u32>("lo", [](u32 a, u32 b) { return a < b; });
  comparison<u32>("hs", [](u32 a, u32 b) { return a >= b; });
  check<u32, float, float>("set.lt.ftz.u32.f32",
                           [](float a, float b) { return flushed(a) < flushed(b) ? 0xFFFF'FFFFU : 0U; });
}

TEST_CASE("ptx instructions: selection") {
  check<u32, u32, u32, s32>("slct.u32.s32", [](u32 a, u32 b, s32 c) { return c >= 0 ? a : b; });
  check<float, float, float, float>("slct.f32.f32", [](float a, float b, float c) { return c >= 0 ? a : b; });
  check<u64, u64, u64, s32>("slct.u64.s32", [](u64 a, u64 b, s32 c) { return c >= 0 ? a : b; });
}
