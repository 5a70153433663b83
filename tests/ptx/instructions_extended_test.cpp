// SPDX-License-Identifier: BSL-1.0
//
// Carry chains, dot products, packed integers, masks, saturated packing, video instructions: against wide integers and
// the manual's bit-by-bit definitions.
#include "ptx/instruction_check.hpp"

#include <algorithm>

using namespace simtflow_tests;

namespace {

s64 signed_part(u64 v, u32 bits) {
  const u64 sign = u64{1} << (bits - 1);
  const u64 field = bits == 64 ? v : v & ((u64{1} << bits) - 1);
  return static_cast<s64>((field ^ sign) - sign);
}
i128 part(u32 v, u32 at, u32 bits, bool is_signed) {
  const u64 field = (v >> at) & ((u64{1} << bits) - 1);
  return is_signed ? i128(signed_part(field, bits)) : i128(field);
}
u128 join(u64 high, u64 low) { return (u128(high) << 64) | low; }

}  // namespace

TEST_CASE("instructions: carry chains of 32 bits") {
  // Two words added are one of 64 bits.
  check<u64, u64, u64>(
      "mov.b64 {%x0, %x1}, $a; mov.b64 {%x2, %x3}, $b; add.cc.u32 %x4, %x0, %x2; addc.u32 %x5, %x1, %x3; "
      "mov.b64 $r, {%x4, %x5};",
      [](u64 a, u64 b) { return a + b; });
  check<u64, u64, u64>(
      "mov.b64 {%x0, %x1}, $a; mov.b64 {%x2, %x3}, $b; sub.cc.s32 %x4, %x0, %x2; subc.s32 %x5, %x1, %x3; "
      "mov.b64 $r, {%x4, %x5};",
      [](u64 a, u64 b) { return a - b; });
  // The carry out of the second word.
  check<u32, u64, u64>(
      "mov.b64 {%x0, %x1}, $a; mov.b64 {%x2, %x3}, $b; add.cc.u32 %x4, %x0, %x2; addc.cc.u32 %x5, %x1, %x3; "
      "addc.u32 $r, 0, 0;",
      [](u64 a, u64 b) { return static_cast<u32>((u128(a) + b) >> 64); });
  check<u32, u64, u64>(
      "mov.b64 {%x0, %x1}, $a; mov.b64 {%x2, %x3}, $b; sub.cc.u32 %x4, %x0, %x2; subc.cc.u32 %x5, %x1, %x3; "
      "subc.u32 $r, 7, 7;",
      [](u64 a, u64 b) { return a < b ? 0xFFFF'FFFFU : 0U; });
  // The second word is all ones, so that a carry runs through it; an add.cc does not read the carry before it.
  check<u64, u32, u32>(
      "add.cc.u32 %x0, $a, $b; not.b32 %x1, $a; addc.cc.u32 %x2, $a, %x1; addc.u32 %x3, 0, 0; mov.b64 $r, {%x2, %x3};",
      [](u32 a, u32 b) { return ((u64{a} + b) >> 32) != 0 ? u64{1} << 32 : u64{0xFFFF'FFFFU}; });
  check<u64, u32, u32>("sub.cc.u32 %x0, $a, $b; subc.cc.u32 %x2, $a, $a; subc.u32 %x3, 0, 0; mov.b64 $r, {%x2, %x3};",
                       [](u32 a, u32 b) { return a < b ? ~u64{0} : u64{0}; });
  check<u64, u32, u32, u32, u32>(
      "add.cc.u32 %x0, $a, $b; add.cc.u32 %x1, $c, $d; addc.u32 %x2, 0, 0; mov.b64 $r, {%x1, %x2};",
      [](u32, u32, u32 c, u32 d) { return u64{c} + d; });
  check<u64, u32, u32, u32, u32>(
      "sub.cc.u32 %x0, $a, $b; mad.lo.cc.u32 %x1, $c, $d, 7; addc.u32 %x2, 0, 0; mov.b64 $r, {%x1, %x2};",
      [](u32, u32, u32 c, u32 d) { return u64{c * d} + 7; });
  // A product of 64 bits, by the schoolbook, plus c.
  check<u64, u32, u32, u64>(
      "mov.b64 {%x0, %x1}, $c; mad.lo.cc.u32 %x2, $a, $b, %x0; madc.hi.u32 %x3, $a, $b, %x1; mov.b64 $r, {%x2, %x3};",
      [](u32 a, u32 b, u64 c) { return u64{a} * b + c; });
  check<u64, s32, s32, s64>(
      "mov.b64 {%x0, %x1}, $c; mad.lo.cc.s32 %x2, $a, $b, %x0; madc.hi.cc.s32 %x3, $a, $b, %x1; "
      "mov.b64 $r, {%x2, %x3};",
      [](s32 a, s32 b, s64 c) { return static_cast<u64>(i128(a) * b + c); });
  check<u32, u32, u32, u32, u32>("add.cc.u32 %x0, $a, $b; madc.lo.cc.u32 %x1, $c, $d, $a; addc.u32 $r, 0, 0;",
                                 [](u32 a, u32 b, u32 c, u32 d) {
                                   const u64 carry = (u64{a} + b) >> 32;
                                   return static_cast<u32>((u64{static_cast<u32>(c * d)} + a + carry) >> 32);
                                 });
  // A carry outlives other instructions; the last .cc decides.
  check<u32, u32, u32>("add.cc.u32 %x0, $a, $b; mul.lo.u32 %x1, $a, $b; add.u32 %x2, $a, $b; addc.u32 $r, %x1, 0;",
                       [](u32 a, u32 b) { return a * b + static_cast<u32>((u64{a} + b) >> 32); });
}

TEST_CASE("instructions: carry chains of 64 bits") {
  check<u64, u64, u64, u64, u64>("add.cc.u64 %y0, $a, $b; addc.u64 $r, $c, $d;", [](u64 a, u64 b, u64 c, u64 d) {
    return static_cast<u64>((join(c, a) + join(d, b)) >> 64);
  });
  check<u64, u64, u64, u64, u64>("sub.cc.s64 %y0, $a, $b; subc.s64 $r, $c, $d;", [](u64 a, u64 b, u64 c, u64 d) {
    return static_cast<u64>((join(c, a) - join(d, b)) >> 64);
  });
  check<u64, u64, u64, u64, u64>(
      "mad.lo.cc.u64 %y0, $a, $b, $c; madc.hi.u64 $r, $a, $b, $d;",
      [](u64 a, u64 b, u64 c, u64 d) { return static_cast<u64>((u128(a) * b + join(d, c)) >> 64); });
  check<u64, s64, s64, u64, u64>(
      "mad.lo.cc.s64 %y0, $a, $b, $c; madc.hi.s64 $r, $a, $b, $d;",
      [](s64 a, s64 b, u64 c, u64 d) { return static_cast<u64>((static_cast<u128>(i128(a) * b) + join(d, c)) >> 64); });
}

TEST_CASE("instructions: dot products") {
  const auto dot4 = [](bool sa, bool sb) {
    return [=](u32 a, u32 b, u32 c) {
      i128 sum = c;
      for (u32 i = 0; i < 4; ++i) sum += part(a, 8 * i, 8, sa) * part(b, 8 * i, 8, sb);
      return static_cast<u32>(static_cast<u128>(sum));
    };
  };
  check<u32, u32, u32, u32>("dp4a.u32.u32", dot4(false, false));
  check<u32, u32, u32, u32>("dp4a.s32.s32", dot4(true, true));
  check<u32, u32, u32, u32>("dp4a.u32.s32", dot4(false, true));
  check<u32, u32, u32, u32>("dp4a.s32.u32", dot4(true, false));
  const auto dot2 = [](bool sa, bool sb, u32 from) {
    return [=](u32 a, u32 b, u32 c) {
      i128 sum = c;
      for (u32 i = 0; i < 2; ++i) sum += part(a, 16 * i, 16, sa) * part(b, from + 8 * i, 8, sb);
      return static_cast<u32>(static_cast<u128>(sum));
    };
  };
  check<u32, u32, u32, u32>("dp2a.lo.u32.u32", dot2(false, false, 0));
  check<u32, u32, u32, u32>("dp2a.hi.u32.u32", dot2(false, false, 16));
  check<u32, u32, u32, u32>("dp2a.lo.s32.s32", dot2(true, true, 0));
  check<u32, u32, u32, u32>("dp2a.hi.s32.s32", dot2(true, true, 16));
  check<u32, u32, u32, u32>("dp2a.lo.s32.u32", dot2(true, false, 0));
  check<u32, u32, u32, u32>("dp2a.hi.u32.s32", dot2(false, true, 16));
  check<u32, u32, u32, u32>("dp2a.lo.u32.s32", dot2(false, true, 0));
  check<u32, u32, u32, u32>("dp2a.hi.s32.u32", dot2(true, false, 16));
}

TEST_CASE("instructions: masks, extensions, the n-th set bit") {
  const auto mask = [](bool wrap) {
    return [=](u32 a, u32 b) {
      if (wrap) a &= 31, b &= 31;
      u32 r = 0;
      for (u64 i = a; i < 32 && i < u64{a} + b; ++i) r |= 1U << i;
      return r;
    };
  };
  check<u32, u32, u32>("bmsk.clamp.b32", mask(false));
  check<u32, u32, u32>("bmsk.wrap.b32", mask(true));
  const auto extend = [](bool wrap, bool is_signed) {
    return [=](u32 a, u32 b) {
      if (wrap) b &= 31;
      if (b >= 32) return a;
      if (b == 0) return 0U;
      return is_signed ? static_cast<u32>(signed_part(a, b)) : static_cast<u32>(a & ((u64{1} << b) - 1));
    };
  };
  check<u32, u32, u32>("szext.clamp.u32", extend(false, false));
  check<u32, u32, u32>("szext.clamp.s32", extend(false, true));
  check<u32, u32, u32>("szext.wrap.u32", extend(true, false));
  check<u32, u32, u32>("szext.wrap.s32", extend(true, true));
  // Section "fns", literally.
  const auto nth = [](u32 v, u32 base, s32 offset) -> u32 {
    base &= 31;
    offset = offset % 40;
    if (offset == 0) return ((v >> base) & 1U) != 0 ? base : 0xFFFF'FFFFU;
    s32 pos = static_cast<s32>(base);
    s32 count = std::abs(offset) - 1;
    const s32 inc = offset > 0 ? 1 : -1;
    while (pos >= 0 && pos < 32) {
      if (((v >> pos) & 1U) != 0) {
        if (count == 0) return static_cast<u32>(pos);
        --count;
      }
      pos += inc;
    }
    return 0xFFFF'FFFFU;
  };
  check<u32, u32, u32, s32>("and.b32 %x0, $b, 31; rem.s32 %x1, $c, 40; fns.b32 $r, $a, %x0, %x1;", nth);
}

TEST_CASE("instructions: addresses in a cluster of one thread block") {
  const auto mapped = [](auto address, u32 rank) { return rank == 0 ? address : static_cast<decltype(address)>(-1); };
  check<u64, u64, u32>("mapa.u64", mapped);
  check<u32, u32, u32>("mapa.u32", mapped);
  check<u64, u64>("mov.u32 %x0, %cluster_ctarank; mapa.u64 $r, $a, %x0;", [](u64 address) { return address; });
  check<u32, u64>("getctarank.u64", [](u64) { return u32{0}; });
  check<u32, u32>("getctarank.u32", [](u32) { return u32{0}; });
}

TEST_CASE("instructions: pairs of integers, relu") {
  const auto pairs = [](auto f, bool is_signed) {
    return [=](u32 a, u32 b) {
      u32 r = 0;
      for (u32 i = 0; i < 32; i += 16)
        r |= (static_cast<u32>(static_cast<u64>(f(part(a, i, 16, is_signed), part(b, i, 16, is_signed)))) & 0xFFFFU)
             << i;
      return r;
    };
  };
  const auto add = [](i128 a, i128 b) { return a + b; };
  const auto least = [](i128 a, i128 b) { return std::min(a, b); };
  const auto most = [](i128 a, i128 b) { return std::max(a, b); };
  check<u32, u32, u32>("add.u16x2", pairs(add, false));
  check<u32, u32, u32>("add.s16x2", pairs(add, true));
  check<u32, u32, u32>("min.u16x2", pairs(least, false));
  check<u32, u32, u32>("min.s16x2", pairs(least, true));
  check<u32, u32, u32>("max.u16x2", pairs(most, false));
  check<u32, u32, u32>("max.s16x2", pairs(most, true));
  check<u32, u32, u32>("max.relu.s16x2", pairs([](i128 a, i128 b) { return std::max<i128>(0, std::max(a, b)); }, true));
  check<s32, s32, s32>("min.relu.s32", [](s32 a, s32 b) { return std::max(0, std::min(a, b)); });
}

TEST_CASE("instructions: saturated packing") {
  const auto clamp = [](s32 v, s64 low, s64 high) { return static_cast<u64>(std::clamp<s64>(v, low, high)); };
  check<u32, s32, s32>("cvt.pack.sat.u16.s32",
                       [&](s32 a, s32 b) { return static_cast<u32>((clamp(a, 0, 65535) << 16) | clamp(b, 0, 65535)); });
  check<u32, s32, s32>("cvt.pack.sat.s16.s32", [&](s32 a, s32 b) {
    return static_cast<u32>((clamp(a, -32768, 32767) << 16) | (clamp(b, -32768, 32767) & 0xFFFFU));
  });
  check<u32, s32, s32, u32>("cvt.pack.sat.u8.s32.b32", [&](s32 a, s32 b, u32 c) {
    return static_cast<u32>((c << 16) | (clamp(a, 0, 255) << 8) | clamp(b, 0, 255));
  });
  check<u32, s32, s32, u32>("cvt.pack.sat.s8.s32.b32", [&](s32 a, s32 b, u32 c) {
    return static_cast<u32>((c << 16) | ((clamp(a, -128, 127) & 0xFFU) << 8) | (clamp(b, -128, 127) & 0xFFU));
  });
}

TEST_CASE("instructions: video") {
  check<u32, u32, u32, u32>("vabsdiff4.u32.u32.u32.add", [](u32 a, u32 b, u32 c) {
    for (u32 i = 0; i < 32; i += 8) {
      const u32 x = (a >> i) & 255U, y = (b >> i) & 255U;
      c += x < y ? y - x : x - y;
    }
    return c;
  });
  const auto lanes = [](u32 bits, bool is_signed, auto f) {
    return [=](u32 a, u32 b, u32) {
      u32 r = 0;
      for (u32 i = 0; i < 32; i += bits)
        r |= (static_cast<u32>(static_cast<u64>(f(part(a, i, bits, is_signed), part(b, i, bits, is_signed)))) &
              static_cast<u32>((u64{1} << bits) - 1))
             << i;
      return r;
    };
  };
  check<u32, u32, u32, u32>("vadd2.u32.u32.u32.sat",
                            lanes(16, false, [](i128 a, i128 b) { return std::min<i128>(a + b, 65535); }));
  check<u32, u32, u32, u32>("vadd4.s32.s32.s32.sat",
                            lanes(8, true, [](i128 a, i128 b) { return std::clamp<i128>(a + b, -128, 127); }));
  check<u32, u32, u32, u32>("vsub4.u32.u32.u32", lanes(8, false, [](i128 a, i128 b) { return a - b; }));
  check<u32, u32, u32, u32>("vsub2.s32.s32.s32.sat",
                            lanes(16, true, [](i128 a, i128 b) { return std::clamp<i128>(a - b, -32768, 32767); }));
  check<u32, u32, u32, u32>("vavrg4.u32.u32.u32", lanes(8, false, [](i128 a, i128 b) { return (a + b + 1) / 2; }));
  for (const u32 bits : {8U, 16U})
    check<u32, u32, u32, u32>(bits == 8 ? "vavrg4.s32.s32.s32" : "vavrg2.s32.s32.s32",
                              lanes(bits, true, [](i128 a, i128 b) { return (a + b + (a + b >= 0 ? 1 : 0)) >> 1; }));
  check<u32, u32, u32, u32>("vmin2.s32.s32.s32", lanes(16, true, [](i128 a, i128 b) { return std::min(a, b); }));
  check<u32, u32, u32, u32>("vmax4.u32.u32.u32", lanes(8, false, [](i128 a, i128 b) { return std::max(a, b); }));
  const auto clamp32 = [](i128 v) {
    return static_cast<u32>(static_cast<u64>(std::clamp<i128>(v, -2147483648LL, 2147483647)));
  };
  check<u32, s32, s32>("vadd.s32.s32.s32.sat", [&](s32 a, s32 b) { return clamp32(i128(a) + b); });
  check<u32, u32, u32>("vadd.u32.u32.u32", [](u32 a, u32 b) { return a + b; });
  check<u32, u32, u32, u32>("vabsdiff.u32.u32.u32.add",
                            [](u32 a, u32 b, u32 c) { return (a < b ? b - a : a - b) + c; });
  check<u32, s32, s32, u32>("vmin.s32.s32.s32.max", [](s32 a, s32 b, u32 c) {
    return static_cast<u32>(std::max(std::min(a, b), static_cast<s32>(c)));
  });
  check<u32, u32, u32>("vshl.u32.u32.u32.clamp", [](u32 a, u32 b) { return b >= 32 ? 0U : a << b; });
  check<u32, u32, u32>("vshl.u32.u32.u32.sat.clamp", [](u32 a, u32 b) {
    const u128 v = u128(a) << std::min(b, 32U);
    return static_cast<u32>(std::min<u128>(v, 0xFFFF'FFFFU));
  });
  check<u32, s32, u32>("vshr.s32.s32.u32.wrap", [](s32 a, u32 b) { return static_cast<u32>(a >> (b & 31U)); });
  // Parts of operands.
  check<u32, u32, u32>("vadd.s32.u32.s32 $r, $a.b1, $b.h1;",
                       [](u32 a, u32 b) { return ((a >> 8) & 255U) + static_cast<u32>(signed_part(b >> 16, 16)); });
  check<u32, u32, u32>("vsub.s32.s32.u32 $r, $a.b3, $b.h0;",
                       [](u32 a, u32 b) { return static_cast<u32>(signed_part(a >> 24, 8)) - (b & 0xFFFFU); });
}

TEST_CASE("instructions: video, where the result goes") {
  // A part of the result; the rest is the third operand's.
  const auto into = [](u32 c, i128 z, u32 at, u32 bits) {
    const u32 field = static_cast<u32>((u64{1} << bits) - 1) << at;
    return (c & ~field) | (static_cast<u32>(static_cast<u64>(z)) << at & field);
  };
  const auto at_of = [](const std::string& part) {
    return static_cast<u32>(part[2] - '0') * (part[1] == 'b' ? 8U : 16U);
  };
  for (const std::string target : {".b0", ".b1", ".b2", ".b3", ".h0", ".h1"}) {
    const u32 bits = target[1] == 'b' ? 8 : 16;
    const u32 at = at_of(target);
    check<u32, u32, u32, u32>("vadd.u32.u32.s32 $r" + target + ", $a.h1, $b.b2, $c;", [&](u32 a, u32 b, u32 c) {
      return into(c, i128(a >> 16) + signed_part(b >> 16, 8), at, bits);
    });
    check<u32, s32, s32, u32>("vsub.s32.s32.s32.sat $r" + target + ", $a, $b, $c;", [&](s32 a, s32 b, u32 c) {
      const i128 half = i128(1) << (bits - 1);
      return into(c, std::clamp<i128>(i128(a) - b, -half, half - 1), at, bits);
    });
    check<u32, u32, u32, u32>("vshl.u32.u32.u32.sat.clamp $r" + target + ", $a.b0, $b.b1, $c;",
                              [&](u32 a, u32 b, u32 c) {
                                const u128 v = u128(a & 255U) << std::min((b >> 8) & 255U, 32U);
                                return into(c, static_cast<i128>(std::min<u128>(v, (u64{1} << bits) - 1)), at, bits);
                              });
    check<u32, u32, u32, u32>("vset.u32.u32.gt $r" + target + ", $a.b0, $b.b1, $c;", [&](u32 a, u32 b, u32 c) {
      return into(c, (a & 255U) > ((b >> 8) & 255U) ? 1 : 0, at, bits);
    });
  }
  // Bytes and halves that the mask names; the operands' come from both.
  const auto lane = [](u32 a, u32 b, char c, u32 bits) {
    return static_cast<u32>(((u64{b} << 32 | a) >> (static_cast<u32>(c - '0') * bits)) & ((u64{1} << bits) - 1));
  };
  const struct {
    std::string mask, from_a, from_b;
  } halves[] = {{"", "", ""}, {".h0", "", ""}, {".h1", ".h32", ""}, {".h10", ".h03", ".h21"}, {".h0", ".h22", ".h10"}};
  for (const auto& h : halves)
    for (const bool adds : {false, true}) {
      const std::string from_a = h.from_a.empty() ? ".h10" : h.from_a, from_b = h.from_b.empty() ? ".h32" : h.from_b;
      const std::string mask = h.mask.empty() ? ".h10" : h.mask;
      check<u32, u32, u32, u32>(std::string("vsub2.s32.u32.s32") + (adds ? ".add $r" : " $r") + h.mask + ", $a" +
                                    h.from_a + ", $b" + h.from_b + ", $c;",
                                [&](u32 a, u32 b, u32 c) {
                                  u32 r = c;
                                  for (u32 i = 0; i < 2; ++i) {
                                    if (mask.find(static_cast<char>('0' + i), 2) == std::string::npos) continue;
                                    const i128 z = i128(lane(a, b, from_a[3 - i], 16)) -
                                                   signed_part(lane(a, b, from_b[3 - i], 16), 16);
                                    r = adds ? r + static_cast<u32>(static_cast<u64>(z)) : into(r, z, 16 * i, 16);
                                  }
                                  return r;
                                });
    }
  const struct {
    std::string mask, from_a, from_b;
  } bytes[] = {
      {"", "", ""}, {".b0", "", ""}, {".b31", ".b7654", ""}, {".b3210", ".b0123", ".b4040"}, {".b210", "", ".b7171"}};
  for (const auto& q : bytes)
    for (const bool adds : {false, true}) {
      const std::string from_a = q.from_a.empty() ? ".b3210" : q.from_a,
                        from_b = q.from_b.empty() ? ".b7654" : q.from_b;
      const std::string mask = q.mask.empty() ? ".b3210" : q.mask;
      check<u32, u32, u32, u32>(
          std::string("vabsdiff4.u32.s32.u32") + (adds ? ".add $r" : " $r") + q.mask + ", $a" + q.from_a + ", $b" +
              q.from_b + ", $c;",
          [&](u32 a, u32 b, u32 c) {
            u32 r = c;
            for (u32 i = 0; i < 4; ++i) {
              if (mask.find(static_cast<char>('0' + i), 2) == std::string::npos) continue;
              const i128 z = i128(signed_part(lane(a, b, from_a[5 - i], 8), 8)) - lane(a, b, from_b[5 - i], 8);
              r = adds ? r + static_cast<u32>(static_cast<u64>(z < 0 ? -z : z)) : into(r, z < 0 ? -z : z, 8 * i, 8);
            }
            return r;
          });
    }
}

TEST_CASE("instructions: video comparisons") {
  const struct {
    const char* name;
    bool less, equal, greater;
  } tests[] = {{"eq", false, true, false}, {"ne", true, false, true},  {"lt", true, false, false},
               {"le", true, true, false},  {"gt", false, false, true}, {"ge", false, true, true}};
  for (const auto& t : tests) {
    const auto holds = [&](i128 x, i128 y) { return x < y ? t.less : x == y ? t.equal : t.greater; };
    const std::string name = t.name;
    check<u32, s32, u32>("vset.s32.u32." + name, [&](s32 a, u32 b) { return holds(a, b) ? 1U : 0U; });
    check<u32, u32, u32, u32>("vset.u32.u32." + name + ".max",
                              [&](u32 a, u32 b, u32 c) { return std::max(holds(a, b) ? 1U : 0U, c); });
    check<u32, u32, u32, u32>("vset.u32.u32." + name + ".min $r, $a.b0, $b.b0, $c;",
                              [&](u32 a, u32 b, u32 c) { return std::min(holds(a & 255U, b & 255U) ? 1U : 0U, c); });
    for (const u32 bits : {8U, 16U})
      for (const bool adds : {false, true})
        check<u32, u32, u32, u32>((bits == 8 ? "vset4.s32.u32." : "vset2.s32.u32.") + name + (adds ? ".add" : ""),
                                  [&](u32 a, u32 b, u32 c) {
                                    u32 r = 0;
                                    for (u32 i = 0; i < 32; i += bits)
                                      if (holds(part(a, i, bits, true), part(b, i, bits, false)))
                                        r += adds ? 1U : 1U << i;
                                    return adds ? c + r : r;
                                  });
  }
}

TEST_CASE("instructions: video multiply-add") {
  for (const std::string at : {"u32", "s32"})
    for (const std::string bt : {"u32", "s32"})
      for (int sign = 0; sign < 4; ++sign)  // none, a, b, c negated
        for (const std::string more : {"", ".sat", ".shr7", ".sat.shr15", ".shr15"})
          for (const bool parts : {false, true}) {
            if (parts && (sign == 1 || more == ".shr15")) continue;
            const auto minus = [&](int n) { return std::string(sign == n ? "-" : ""); };
            const bool is_signed = at == "s32" || bt == "s32" || sign != 0;
            const u32 shift = more.ends_with("15") ? 15 : more.ends_with("7") ? 7 : 0;
            check<u32, u32, u32, u32>(
                "vmad." + std::string(is_signed ? "s32" : "u32") + "." + at + "." + bt + more + " $r, " + minus(1) +
                    (parts ? "$a.h1, " : "$a, ") + minus(2) + (parts ? "$b.b3, " : "$b, ") + minus(3) + "$c;",
                [&](u32 a, u32 b, u32 c) {
                  const i128 x = parts ? part(a, 16, 16, at == "s32") : part(a, 0, 32, at == "s32");
                  const i128 y = parts ? part(b, 24, 8, bt == "s32") : part(b, 0, 32, bt == "s32");
                  const i128 z = is_signed ? i128(static_cast<s32>(c)) : i128(c);
                  i128 r = (sign == 1 || sign == 2 ? -(x * y) : x * y) + (sign == 3 ? -z : z);
                  r >>= shift;
                  if (more.starts_with(".sat"))
                    r = is_signed ? std::clamp<i128>(r, -2147483648LL, 2147483647)
                                  : std::clamp<i128>(r, 0, 0xFFFF'FFFF);
                  return static_cast<u32>(static_cast<u64>(r));
                });
          }
  check<u32, u32, u32, u32>("vmad.u32.u32.u32.po.sat.shr7", [](u32 a, u32 b, u32 c) {
    return static_cast<u32>(std::min<u128>((u128(a) * b + c + 1) >> 7, 0xFFFF'FFFFU));
  });
  check<u32, s32, s32, s32>("vmad.s32.s32.s32.po", [](s32 a, s32 b, s32 c) {
    return static_cast<u32>(static_cast<u64>(i128(a) * b + c + 1));
  });
  check<u32, u32, u32>("vmad.s32.u32.u32 $r, -$a, -$b, 5;",
                       [](u32 a, u32 b) { return static_cast<u32>(u64{a} * b + 5); });
}

TEST_CASE("instructions: video operands that do not fit") {
  const auto about = [](const std::string& line) { return diagnostics_of(line, {"u32", "u32", "u32", "u32"}); };
  CHECK(about("vset2.u32.u32.eq $r.h10, $a.h33, $b.h00, $c;") == "");
  CHECK(about("vset4.u32.u32.eq $r.b310, $a.b7000, $b.b0007, $c;") == "");
  for (const char* line :
       {"vset2.u32.u32.eq $r.h01, $a, $b, $c;", "vset4.u32.u32.eq $r.b02, $a, $b, $c;",
        "vset4.u32.u32.eq $r.b00, $a, $b, $c;", "vset4.u32.u32.eq $r, $a.b8000, $b, $c;",
        "vset2.u32.u32.eq $r, $a.h4, $b, $c;", "vset2.u32.u32.eq $r, $a.h400, $b, $c;",
        "vset2.u32.u32.eq $r.b0, $a, $b, $c;", "vadd.s32.s32.s32 $r, $a.b4, $b;", "vadd.s32.s32.s32 $r, $a.h10, $b;",
        "vmad.s32.s32.s32 $r.b0, $a, $b, $c;", "vmad.s32.s32.s32 $r, $a, $b, $c.b0;"}) {
    CAPTURE(line);
    CHECK(about(line).find("of an operand") != std::string::npos);
  }
  CHECK(about("vmad.s32.s32.s32 $r, -$a, $b, -$c;").find("not both") != std::string::npos);
  CHECK(about("vmad.s32.s32.s32.po $r, -$a, $b, $c;").find("takes no negated operand") != std::string::npos);
  CHECK(about("vmad.s32.s32.s32 $r, !$a, $b, $c;").find("'!' belongs to a predicate") != std::string::npos);
  CHECK(about("vadd.s32.s32.s32 $r, -$a, $b;").find("belongs to a predicate") != std::string::npos);
  CHECK(about("vadd.s32.s32.s32.add $r.b0, $a, $b, $c;").find("its result is a whole register") != std::string::npos);
  CHECK(about("vadd.s32.s32.s32 $r.b0, $a, $b;").find("takes 4 operands, not 3") != std::string::npos);
  CHECK(about("vadd.s32.s32.s32 $r, $a, $b, $c;").find("takes 3 operands, not 4") != std::string::npos);
  CHECK(about("vset.s32.s32.lo $r, $a, $b;").find("it needs .eq") != std::string::npos);
  CHECK(about("vset.s32.s32 $r, $a, $b;").find("it needs .eq") != std::string::npos);
  CHECK(about("vset2.u32.u32.eq $r, $a, $b;").find("takes 4 operands, not 3") != std::string::npos);
  CHECK(about("vset2.u32.u32.eq.min $r, $a, $b, $c;").find("it can only .add what it makes") != std::string::npos);
  CHECK(about("vshl.u32.u32.s32.wrap $r, $a, $b;").find("its amounts are .u32") != std::string::npos);
  CHECK(about("vadd2.u32.u32.u32.sat.add $r, $a, $b, $c;").find("it does not saturate what it adds") !=
        std::string::npos);
  CHECK(about("vmad.u32.u32.u32.shr8 $r, $a, $b, $c;").find("modifier '.shr8'") != std::string::npos);
}

TEST_CASE("instructions: lop3 that also compares") {
  const auto both = [](bool use_or) {
    return [=](u32 a, u32 b, u32 c, u32 d) {
      const u32 v = (a & b) ^ c;
      const bool q = (d & 1U) != 0;
      const bool p = use_or ? v != 0 || q : v != 0 && q;
      return v ^ (p ? 0x8000'0000U : 0U);
    };
  };
  const std::string begin = "and.b32 %x0, $d, 1; setp.eq.u32 %p1, %x0, 1; ";
  const std::string end = "selp.b32 %x2, 0x80000000, 0, %p0; xor.b32 $r, %x1, %x2;";
  check<u32, u32, u32, u32, u32>(begin + "lop3.or.b32 %x1|%p0, $a, $b, $c, 0x6a, %p1; " + end, both(true));
  check<u32, u32, u32, u32, u32>(begin + "lop3.and.b32 %x1|%p0, $a, $b, $c, 0x6a, %p1; " + end, both(false));
  check<u32, u32, u32, u32>(
      "setp.eq.u32 %p1, $a, $a; lop3.and.b32 _|%p0, $a, $b, $c, 0x80, %p1; selp.u32 $r, 1, 0, %p0;",
      [](u32 a, u32 b, u32 c) { return (a & b & c) != 0 ? 1U : 0U; });
}

TEST_CASE("instructions: constant selectors and tables") {
  const auto permuted = [](u32 a, u32 b, u32 c) {
    u32 r = 0;
    for (u32 i = 0; i < 4; ++i) {
      const u32 s = (c >> (4 * i)) & 15U;
      const u32 byte = ((s & 7U) < 4 ? a >> (8 * (s & 7U)) : b >> (8 * ((s & 7U) - 4))) & 255U;
      r |= (s < 8 ? byte : byte >= 128 ? 255U : 0U) << (8 * i);
    }
    return r;
  };
  for (const u32 c : {0x3210U, 0x7654U, 0x5410U, 0x7632U, 0x0123U, 0xBA98U, 0xFEDCU, 0x8888U, 0x7440U, 0xFFFF'3021U})
    check<u32, u32, u32>("prmt.b32 $r, $a, $b, " + std::to_string(c) + ";",
                         [&](u32 a, u32 b) { return permuted(a, b, c); });
  // The other modes, as the selectors of the general one.
  const struct {
    const char* mode;
    u32 selectors[4];
  } modes[] = {{"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
               {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
               {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}}};
  for (const auto& m : modes)
    for (u32 c = 0; c < 4; ++c)
      check<u32, u32, u32>("prmt.b32." + std::string(m.mode) + " $r, $a, $b, " + std::to_string(c) + ";",
                           [&](u32 a, u32 b) { return permuted(a, b, m.selectors[c]); });
  for (u32 table = 0; table < 256; table += 5)
    check<u32, u32, u32, u32>("lop3.b32 $r, $a, $b, $c, " + std::to_string(table) + ";", [table](u32 a, u32 b, u32 c) {
      u32 r = 0;
      for (u32 i = 0; i < 32; ++i)
        r |= ((table >> ((((a >> i) & 1U) << 2) | (((b >> i) & 1U) << 1) | ((c >> i) & 1U))) & 1U) << i;
      return r;
    });
}

TEST_CASE("instructions: saturated 24-bit products") {
  check<s32, s32, s32, s32>("mad24.hi.sat.s32", [](s32 a, s32 b, s32 c) {
    const i128 p = (i128(signed_part(static_cast<u32>(a), 24)) * signed_part(static_cast<u32>(b), 24)) >> 16;
    // The product's upper 32 of 48 bits.
    return static_cast<s32>(
        std::clamp<i128>(i128(static_cast<s32>(static_cast<s64>(p))) + c, -2147483648LL, 2147483647));
  });
}
