// SPDX-License-Identifier: BSL-1.0
//
// Random PTX kernels that know what they compute: straight code or a random control-flow graph over registers of every
// kind, memory of each thread's own, and a counter that ends every loop. A kernel is a list of operations; one table
// says how an operation is written in PTX and what it computes, thread by thread, in host arithmetic that shares
// nothing with the interpreter. (A GPU is the other oracle: hardware_test.cpp.)
//
// A NaN's bits are left open by many instructions, so registers of floating-point kind never turn into bits of another
// kind, and results are compared with same_result().
#pragma once

#include "ptx/support.hpp"
#include <simtflow/testing/generate.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace simtflow_tests {

using bits = std::uint64_t;

inline float single(bits b) { return std::bit_cast<float>(static_cast<std::uint32_t>(b)); }
inline double real(bits b) { return std::bit_cast<double>(b); }
inline bits raw(float f) { return std::bit_cast<std::uint32_t>(f); }
inline bits raw(double d) { return std::bit_cast<bits>(d); }

/// One instruction: its PTX spelling, the kinds of its result and operands (r 32 bits, d 64 bits, f single, g double,
/// p predicate), and what it computes.
struct instruction_row {
  const char* spelling;
  const char* kinds;
  bits (*compute)(bits a, bits b, bits c);
};

namespace meaning {

inline std::uint32_t u(bits x) { return static_cast<std::uint32_t>(x); }
inline std::int32_t s(bits x) { return static_cast<std::int32_t>(u(x)); }
inline bits back(std::int64_t x) { return static_cast<std::uint32_t>(x); }

// Bit by bit, as the manual's pseudo code has them.
inline bits extract(bits value, bits position, bits length, unsigned width, bool sign) {
  const unsigned pos = position & 0xFF, len = length & 0xFF;
  bits out = 0;
  bits top = 0;
  if (sign && len != 0) top = (value >> (pos + len - 1 < width - 1 ? pos + len - 1 : width - 1)) & 1;
  for (unsigned i = 0; i < width; ++i) {
    const bits bit = i < len && pos + i < width ? (value >> (pos + i)) & 1 : top;
    out |= bit << i;
  }
  return out;
}

// By halves, as on paper.
inline bits high_product(bits a, bits b) {
  const bits low = 0xFFFF'FFFFU;
  const bits ll = (a & low) * (b & low), lh = (a & low) * (b >> 32), hl = (a >> 32) * (b & low);
  const bits middle = (ll >> 32) + (lh & low) + (hl & low);
  return (a >> 32) * (b >> 32) + (lh >> 32) + (hl >> 32) + (middle >> 32);
}

template <class T>
bits smaller(T x, T y) {
  if (std::isnan(x)) return raw(y);
  if (std::isnan(y)) return raw(x);
  if (x == y) return raw(std::signbit(x) ? x : y);
  return raw(x < y ? x : y);
}
template <class T>
bits larger(T x, T y) {
  if (std::isnan(x)) return raw(y);
  if (std::isnan(y)) return raw(x);
  if (x == y) return raw(std::signbit(x) ? y : x);
  return raw(x > y ? x : y);
}
// A number to an integer of a type: cut, and clamped to the type's range. NaN gives 0, or as 64 bits the top bit alone.
template <class Int>
bits clamped(double x) {
  if (std::isnan(x)) return sizeof(Int) == 8 ? bits{1} << 63 : 0;
  using limits = std::numeric_limits<Int>;
  const long double cut = std::trunc(static_cast<long double>(x));  // holds 64 bits exactly
  if (cut <= static_cast<long double>(limits::min())) return static_cast<bits>(limits::min());
  if (cut >= static_cast<long double>(limits::max())) return static_cast<bits>(limits::max());
  return static_cast<bits>(static_cast<Int>(cut));
}

}  // namespace meaning

/// The instructions that random kernels are made of.
inline std::span<const instruction_row> instruction_rows() {
  using namespace meaning;
  static const instruction_row rows[] = {
      {"add.u32", "rrr", [](bits a, bits b, bits) { return bits{u(a + b)}; }},
      {"sub.s32", "rrr", [](bits a, bits b, bits) { return bits{u(a - b)}; }},
      {"mul.lo.s32", "rrr", [](bits a, bits b, bits) { return bits{u(a * b)}; }},
      {"mul.hi.u32", "rrr", [](bits a, bits b, bits) { return (bits{u(a)} * u(b)) >> 32; }},
      {"mul.hi.s32", "rrr", [](bits a, bits b, bits) { return back((std::int64_t{s(a)} * s(b)) >> 32); }},
      {"mul.wide.u32", "drr", [](bits a, bits b, bits) { return bits{u(a)} * u(b); }},
      {"mul.wide.s32", "drr", [](bits a, bits b, bits) { return static_cast<bits>(std::int64_t{s(a)} * s(b)); }},
      {"mad.lo.u32", "rrrr", [](bits a, bits b, bits c) { return bits{u(a * b + c)}; }},
      {"mad.wide.u32", "drrd", [](bits a, bits b, bits c) { return bits{u(a)} * u(b) + c; }},
      {"min.s32", "rrr", [](bits a, bits b, bits) { return bits{u(s(a) < s(b) ? a : b)}; }},
      {"max.u32", "rrr", [](bits a, bits b, bits) { return bits{u(u(a) > u(b) ? a : b)}; }},
      {"abs.s32", "rr", [](bits a, bits, bits) { return bits{s(a) < 0 ? u(0) - u(a) : u(a)}; }},
      {"neg.s32", "rr", [](bits a, bits, bits) { return bits{u(0) - u(a)}; }},
      {"and.b32", "rrr", [](bits a, bits b, bits) { return a & b; }},
      {"or.b32", "rrr", [](bits a, bits b, bits) { return a | b; }},
      {"xor.b32", "rrr", [](bits a, bits b, bits) { return a ^ b; }},
      {"not.b32", "rr", [](bits a, bits, bits) { return bits{~u(a)}; }},
      {"shl.b32", "rrr", [](bits a, bits b, bits) { return u(b) > 31 ? 0 : bits{u(a << u(b))}; }},
      {"shr.u32", "rrr", [](bits a, bits b, bits) { return u(b) > 31 ? 0 : a >> u(b); }},
      {"shr.s32", "rrr", [](bits a, bits b, bits) { return back(s(a) >> (u(b) > 31 ? 31 : u(b))); }},
      {"popc.b32", "rr",
       [](bits a, bits, bits) {
         bits n = 0;
         for (int i = 0; i < 32; ++i) n += (a >> i) & 1;
         return n;
       }},
      {"clz.b32", "rr",
       [](bits a, bits, bits) {
         bits n = 0;
         for (int i = 31; i >= 0 && ((a >> i) & 1) == 0; --i) ++n;
         return n;
       }},
      {"brev.b32", "rr",
       [](bits a, bits, bits) {
         bits out = 0;
         for (int i = 0; i < 32; ++i) out |= ((a >> i) & 1) << (31 - i);
         return out;
       }},
      {"bfe.u32", "rrrr", [](bits a, bits b, bits c) { return extract(a, b, c, 32, false); }},
      {"bfe.s32", "rrrr", [](bits a, bits b, bits c) { return extract(a, b, c, 32, true); }},
      {"prmt.b32", "rrrr",
       [](bits a, bits b, bits c) {
         bits out = 0;
         for (int i = 0; i < 4; ++i) {
           const unsigned pick = (c >> (4 * i)) & 15;
           bits byte = ((pick & 4) != 0 ? b : a) >> (8 * (pick & 3)) & 0xFF;
           if ((pick & 8) != 0) byte = (byte & 0x80) != 0 ? 0xFF : 0;
           out |= byte << (8 * i);
         }
         return out;
       }},
      {"div.u32", "rrr", [](bits a, bits b, bits) { return u(b) == 0 ? bits{0xFFFF'FFFF} : bits{u(a) / u(b)}; }},
      {"rem.u32", "rrr", [](bits a, bits b, bits) { return u(b) == 0 ? a : bits{u(a) % u(b)}; }},
      {"sad.u32", "rrrr", [](bits a, bits b, bits c) { return bits{u(c + (u(a) < u(b) ? b - a : a - b))}; }},
      {"add.s64", "ddd", [](bits a, bits b, bits) { return a + b; }},
      {"sub.u64", "ddd", [](bits a, bits b, bits) { return a - b; }},
      {"mul.lo.u64", "ddd", [](bits a, bits b, bits) { return a * b; }},
      {"mul.hi.u64", "ddd", [](bits a, bits b, bits) { return high_product(a, b); }},
      {"xor.b64", "ddd", [](bits a, bits b, bits) { return a ^ b; }},
      {"shl.b64", "ddr", [](bits a, bits b, bits) { return u(b) > 63 ? 0 : a << u(b); }},
      {"shr.u64", "ddr", [](bits a, bits b, bits) { return u(b) > 63 ? 0 : a >> u(b); }},
      {"bfe.u64", "ddrr", [](bits a, bits b, bits c) { return extract(a, b, c, 64, false); }},
      {"cvt.u32.u64", "rd", [](bits a, bits, bits) { return bits{u(a)}; }},
      {"cvt.s64.s32", "dr", [](bits a, bits, bits) { return static_cast<bits>(std::int64_t{s(a)}); }},
      {"cvt.u32.u8", "rr", [](bits a, bits, bits) { return a & 0xFF; }},
      {"cvt.s32.s16", "rr", [](bits a, bits, bits) { return back(static_cast<std::int16_t>(a)); }},
      {"add.rn.f32", "fff", [](bits a, bits b, bits) { return raw(single(a) + single(b)); }},
      {"sub.rn.f32", "fff", [](bits a, bits b, bits) { return raw(single(a) - single(b)); }},
      {"mul.rn.f32", "fff", [](bits a, bits b, bits) { return raw(single(a) * single(b)); }},
      {"fma.rn.f32", "ffff", [](bits a, bits b, bits c) { return raw(std::fma(single(a), single(b), single(c))); }},
      {"div.rn.f32", "fff", [](bits a, bits b, bits) { return raw(single(a) / single(b)); }},
      {"sqrt.rn.f32", "ff", [](bits a, bits, bits) { return raw(std::sqrt(single(a))); }},
      {"min.f32", "fff", [](bits a, bits b, bits) { return smaller(single(a), single(b)); }},
      {"max.f32", "fff", [](bits a, bits b, bits) { return larger(single(a), single(b)); }},
      {"neg.f32", "ff", [](bits a, bits, bits) { return a ^ 0x8000'0000U; }},
      {"abs.f32", "ff", [](bits a, bits, bits) { return a & 0x7FFF'FFFFU; }},
      {"cvt.rn.f32.u32", "fr", [](bits a, bits, bits) { return raw(static_cast<float>(u(a))); }},
      {"cvt.rn.f32.s32", "fr", [](bits a, bits, bits) { return raw(static_cast<float>(s(a))); }},
      {"cvt.rzi.s32.f32", "rf", [](bits a, bits, bits) { return bits{u(clamped<std::int32_t>(single(a)))}; }},
      {"cvt.rzi.u32.f32", "rf", [](bits a, bits, bits) { return bits{u(clamped<std::uint32_t>(single(a)))}; }},
      {"cvt.rni.s32.f32", "rf",
       [](bits a, bits,
          bits) { return bits{u(clamped<std::int32_t>(std::nearbyint(static_cast<double>(single(a)))))}; }},
      {"add.rn.f64", "ggg", [](bits a, bits b, bits) { return raw(real(a) + real(b)); }},
      {"mul.rn.f64", "ggg", [](bits a, bits b, bits) { return raw(real(a) * real(b)); }},
      {"fma.rn.f64", "gggg", [](bits a, bits b, bits c) { return raw(std::fma(real(a), real(b), real(c))); }},
      {"div.rn.f64", "ggg", [](bits a, bits b, bits) { return raw(real(a) / real(b)); }},
      {"max.f64", "ggg", [](bits a, bits b, bits) { return larger(real(a), real(b)); }},
      {"cvt.f64.f32", "gf", [](bits a, bits, bits) { return raw(static_cast<double>(single(a))); }},
      {"cvt.rn.f32.f64", "fg", [](bits a, bits, bits) { return raw(static_cast<float>(real(a))); }},
      {"cvt.rn.f64.s32", "gr", [](bits a, bits, bits) { return raw(static_cast<double>(s(a))); }},
      {"cvt.rzi.s64.f64", "dg", [](bits a, bits, bits) { return clamped<std::int64_t>(real(a)); }},
      {"setp.lt.u32", "prr", [](bits a, bits b, bits) { return bits{u(a) < u(b)}; }},
      {"setp.ge.s32", "prr", [](bits a, bits b, bits) { return bits{s(a) >= s(b)}; }},
      {"setp.ne.u64", "pdd", [](bits a, bits b, bits) { return bits{a != b}; }},
      {"setp.gt.f32", "pff", [](bits a, bits b, bits) { return bits{single(a) > single(b)}; }},
      {"setp.leu.f32", "pff", [](bits a, bits b, bits) { return bits{!(single(a) > single(b))}; }},
      {"setp.nan.f64", "pgg", [](bits a, bits b, bits) { return bits{std::isnan(real(a)) || std::isnan(real(b))}; }},
      {"selp.b32", "rrrp", [](bits a, bits b, bits c) { return c != 0 ? a : b; }},
      {"selp.f32", "fffp", [](bits a, bits b, bits c) { return c != 0 ? a : b; }},
      {"and.pred", "ppp", [](bits a, bits b, bits) { return a & b; }},
      {"xor.pred", "ppp", [](bits a, bits b, bits) { return a ^ b; }},
  };
  return rows;
}

/// Registers of one thread, and its words of global memory.
struct thread_state {
  static constexpr std::size_t per_kind = 6, words = 8;
  std::array<std::array<bits, per_kind>, 5> registers{};
  std::array<std::uint32_t, words> memory{};

  static constexpr std::size_t kind(char k) { return k == 'r' ? 0 : k == 'd' ? 1 : k == 'f' ? 2 : k == 'g' ? 3 : 4; }
};

inline bits value_in(const thread_state& t, char kind, std::size_t i) {
  return kind == 'm' ? t.memory[i] : t.registers[thread_state::kind(kind)][i];
}

/// Equal, or both NaN.
inline bool same_result(char kind, bits a, bits b) {
  if (kind == 'f' && std::isnan(single(a))) return std::isnan(single(b));
  if (kind == 'g' && std::isnan(real(a))) return std::isnan(real(b));
  return a == b;
}

/// A kernel `random(.param .u64 out)`: every thread starts with registers made from its number and leaves them in
/// `out`.
class random_kernel {
 public:
  static constexpr std::uint32_t threads = 96;
  static constexpr std::size_t out_words = 8 * thread_state::per_kind + thread_state::words;

  random_kernel(std::uint64_t seed, std::size_t blocks, std::size_t operations_each) {
    simtflow::testing::rng random(seed);
    simtflow::testing::cfg_options shape;
    shape.blocks = blocks;
    shape.max_successors = 2;
    shape.exit_mark_percent = 10;
    graph_ = blocks > 1 ? simtflow::testing::random_cfg(random, shape) : simtflow::csr_graph();
    code_.resize(blocks);
    for (auto& list : code_)
      for (std::size_t i = 0; i < operations_each; ++i) list.push_back(random_operation(random));
    for (std::size_t b = 0; b < blocks; ++b) {
      tested_.push_back(static_cast<std::uint32_t>(random.below(thread_state::per_kind)));
      negated_.push_back(random.chance(50));
    }
  }

  [[nodiscard]] std::string text() const {
    std::string s = std::string(header) +
                    ".visible .entry random(.param .u64 out)\n{\n.reg .b32 %r<7>;\n.reg .b64 %d<8>;\n.reg .f32 %f<6>;\n"
                    ".reg .f64 %g<6>;\n.reg .pred %p<7>;\n.reg .b32 %t, %fuel;\n.reg .b64 %out;\n"
                    "mov.u32 %t, %tid.x;\nld.param.u64 %out, [out];\nmul.wide.u32 %d6, %t, " +
                    std::to_string(4 * out_words) + ";\nadd.u64 %out, %out, %d6;\nmov.u32 %fuel, 40;\n";
    for (std::size_t i = 0; i < thread_state::per_kind; ++i) {
      const std::string n = std::to_string(i);
      s += "mad.lo.u32 %r" + n + ", %t, " + std::to_string(multiplier(i)) + ", " + std::to_string(17 * i) + ";\n";
      s += "mul.wide.u32 %d" + n + ", %r" + n + ", %r" + n + ";\n";
      s += "cvt.rn.f32.s32 %f" + n + ", %r" + n + ";\ncvt.rn.f64.s32 %g" + n + ", %r" + n + ";\n";
      s += "setp.lt.u32 %p" + n + ", %r" + n + ", 1000000;\n";
    }
    s += "bra B" + std::to_string(entry()) + ";\n";
    for (std::size_t b = 0; b < code_.size(); ++b) {
      s += "B" + std::to_string(b) + ":\n";
      for (const operation& o : code_[b]) s += text_of(o);
      s += "sub.u32 %fuel, %fuel, 1;\nsetp.eq.u32 %p6, %fuel, 0;\n@%p6 bra DONE;\n";
      const auto next = successors(b);
      if (next.empty() || exits(b)) {
        if (!next.empty()) s += guard(b) + "bra B" + std::to_string(next[0]) + ";\n";
        s += "bra DONE;\n";
        continue;
      }
      if (next.size() > 1) s += guard(b) + "bra B" + std::to_string(next[1]) + ";\n";
      s += "bra B" + std::to_string(next[0]) + ";\n";
    }
    s += "DONE:\n";
    std::size_t at = 0;
    const auto store = [&](const std::string& type, const std::string& reg, std::size_t size) {
      s += "st.global." + type + " [%out+" + std::to_string(at) + "], " + reg + ";\n";
      at += size;
    };
    for (std::size_t i = 0; i < thread_state::per_kind; ++i) {
      const std::string n = std::to_string(i);
      store("u64", "%d" + n, 8);
      store("f64", "%g" + n, 8);
      store("u32", "%r" + n, 4);
      store("f32", "%f" + n, 4);
      s += "selp.u32 %r6, 1, 0, %p" + n + ";\n";
      store("u32", "%r6", 4);
      at += 4;
    }
    return s + "ret;\n}\n";
  }

  /// Calls f(kind, index, value) for each word that thread t left in `out`; kind m: its memory.
  template <class F>
  static void each_word(std::uint32_t t, std::span<const unsigned char> out, F&& f) {
    std::size_t at = std::size_t{4} * out_words * t;
    const auto take = [&](char kind, std::size_t index, std::size_t size) {
      bits value = 0;
      for (std::size_t i = 0; i < size; ++i) value |= bits{out[at + i]} << (8 * i);
      at += size;
      f(kind, index, value);
    };
    for (std::size_t i = 0; i < thread_state::per_kind; ++i) {
      take('d', i, 8);
      take('g', i, 8);
      take('r', i, 4);
      take('f', i, 4);
      take('p', i, 4);
      at += 4;
    }
    for (std::size_t i = 0; i < thread_state::words; ++i) take('m', i, 4);
  }

  /// The results of thread t, by the table of meanings.
  [[nodiscard]] thread_state run(std::uint32_t thread) const {
    thread_state t;
    for (std::size_t i = 0; i < thread_state::per_kind; ++i) {
      const std::uint32_t r = thread * multiplier(i) + static_cast<std::uint32_t>(17 * i);
      t.registers[0][i] = r;
      t.registers[1][i] = bits{r} * r;
      t.registers[2][i] = raw(static_cast<float>(static_cast<std::int32_t>(r)));
      t.registers[3][i] = raw(static_cast<double>(static_cast<std::int32_t>(r)));
      t.registers[4][i] = r < 1'000'000 ? 1 : 0;
    }
    std::size_t b = entry();
    for (std::uint32_t fuel = 40;;) {
      for (const operation& o : code_[b]) apply(o, t);
      if (--fuel == 0) return t;
      const auto next = successors(b);
      const bool taken = (t.registers[4][tested_[b]] != 0) != (negated_[b] != 0);
      if (next.empty() || (exits(b) && !taken)) return t;
      b = !exits(b) && next.size() > 1 && taken ? next[1] : next[0];
    }
  }

 private:
  struct operand {
    bool immediate = false;
    std::uint32_t index = 0;
    bits value = 0;
  };
  struct operation {
    enum class what { compute, load, store } kind = what::compute;
    const instruction_row* table = nullptr;
    std::uint32_t result = 0;
    std::array<operand, 3> from{};
    bool guarded = false;
    std::uint32_t guard = 0;
  };

  static std::uint32_t multiplier(std::size_t i) {
    return static_cast<std::uint32_t>(2654435761U * (i + 1)) >> (4 * i);
  }

  static operation random_operation(simtflow::testing::rng& random) {
    operation o;
    o.guarded = random.chance(15);
    o.guard = static_cast<std::uint32_t>(random.below(thread_state::per_kind));
    if (random.chance(10)) {
      o.kind = random.chance(50) ? operation::what::load : operation::what::store;
      o.result = static_cast<std::uint32_t>(random.below(thread_state::per_kind));
      o.from[0].index = static_cast<std::uint32_t>(random.below(thread_state::words));
      return o;
    }
    const auto rows = instruction_rows();
    o.table = &rows[random.below(rows.size())];
    o.result = static_cast<std::uint32_t>(random.below(thread_state::per_kind));
    for (std::size_t i = 0; o.table->kinds[i + 1] != '\0'; ++i) {
      o.from[i].index = static_cast<std::uint32_t>(random.below(thread_state::per_kind));
      if (o.table->kinds[i + 1] == 'r' && i > 0 && random.chance(30)) {
        o.from[i].immediate = true;
        const bool field = std::string_view(o.table->spelling).starts_with("bfe");  // ptxas wants a byte
        o.from[i].value = field || random.chance(60) ? random.below(40) : random.below(0x1'0000'0000U);
      }
    }
    return o;
  }

  [[nodiscard]] std::size_t entry() const { return code_.size() > 1 ? graph_.entry() : 0; }
  [[nodiscard]] std::vector<std::size_t> successors(std::size_t b) const {
    std::vector<std::size_t> next;
    if (code_.size() > 1)
      for (const simtflow::block_id s : graph_.successors(static_cast<simtflow::block_id>(b))) next.push_back(s);
    return next;
  }
  [[nodiscard]] bool exits(std::size_t b) const {
    if (code_.size() == 1) return true;
    for (const simtflow::block_id e : graph_.exits())
      if (e == b) return true;
    return false;
  }
  [[nodiscard]] std::string guard(std::size_t b) const {
    return std::string(negated_[b] != 0 ? "@!%p" : "@%p") + std::to_string(tested_[b]) + " ";
  }

  static std::string name(char kind, std::uint32_t i) { return std::string("%") + kind + std::to_string(i); }

  static std::string text_of(const operation& o) {
    std::string s = o.guarded ? "@%p" + std::to_string(o.guard) + " " : "";
    const std::string place = "[%out+" + std::to_string(4 * (out_words - thread_state::words + o.from[0].index)) + "]";
    if (o.kind == operation::what::load) return s + "ld.global.u32 " + name('r', o.result) + ", " + place + ";\n";
    if (o.kind == operation::what::store) return s + "st.global.u32 " + place + ", " + name('r', o.result) + ";\n";
    s += std::string(o.table->spelling) + " " + name(o.table->kinds[0], o.result);
    for (std::size_t i = 0; o.table->kinds[i + 1] != '\0'; ++i)
      s +=
          ", " + (o.from[i].immediate ? std::to_string(o.from[i].value) : name(o.table->kinds[i + 1], o.from[i].index));
    return s + ";\n";
  }

  static void apply(const operation& o, thread_state& t) {
    if (o.guarded && t.registers[4][o.guard] == 0) return;
    if (o.kind == operation::what::load) {
      t.registers[0][o.result] = t.memory[o.from[0].index];
      return;
    }
    if (o.kind == operation::what::store) {
      t.memory[o.from[0].index] = static_cast<std::uint32_t>(t.registers[0][o.result]);
      return;
    }
    bits in[3] = {};
    for (std::size_t i = 0; o.table->kinds[i + 1] != '\0'; ++i)
      in[i] = o.from[i].immediate ? o.from[i].value
                                  : t.registers[thread_state::kind(o.table->kinds[i + 1])][o.from[i].index];
    t.registers[thread_state::kind(o.table->kinds[0])][o.result] = o.table->compute(in[0], in[1], in[2]);
  }

  simtflow::csr_graph graph_;
  std::vector<std::vector<operation>> code_;
  std::vector<std::uint32_t> tested_;
  std::vector<unsigned char> negated_;  // the branch of a block
};

}  // namespace simtflow_tests
