// SPDX-License-Identifier: BSL-1.0
//
// Integer instructions against 128-bit arithmetic and bit-by-bit definitions.
#include "ptx/instruction_check.hpp"

#include <algorithm>
#include <string_view>

using namespace simtflow_tests;

namespace {

template <class T>
using huge = std::conditional_t<std::is_signed_v<T>, i128, u128>;

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

}  // namespace

TEST_CASE("instructions: 16-bit integers") {
  integer_arithmetic<u16>();
  integer_arithmetic<s16>();
  wide_arithmetic<u16, u32>();
  wide_arithmetic<s16, s32>();
  bitwise<u16>(".b16");
}
TEST_CASE("instructions: 32-bit integers") {
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
TEST_CASE("instructions: 64-bit integers") {
  integer_arithmetic<u64>();
  integer_arithmetic<s64>();
  bitwise<u64>(".b64");
}

TEST_CASE("instructions: 24-bit products") {
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

TEST_CASE("instructions: bit fields, permutations, counts") {
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
