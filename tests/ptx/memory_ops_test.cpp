// SPDX-License-Identifier: BSL-1.0
//
// Atomics of every operation and type, in every space; addresses of every space; copies, wide accesses. The oracle
// applies the threads' operations one after the other, lowest thread first.
#include "ptx/run_support.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

/// A small whole number in half precision (float: 5 exponent bits; bfloat16: 8).
std::uint32_t half_of(std::uint32_t n, bool brain) {
  if (n == 0) return 0;
  const int top = 31 - std::countl_zero(n);
  const int mantissa = brain ? 7 : 10;
  const std::uint32_t rest = (n & ~(1U << top)) << (mantissa - top);
  return static_cast<std::uint32_t>(top + (brain ? 127 : 15)) << mantissa | rest;
}
std::uint32_t number_of(std::uint32_t half, bool brain) {
  if (half == 0) return 0;
  const int mantissa = brain ? 7 : 10;
  const int top = static_cast<int>(half >> mantissa) - (brain ? 127 : 15);
  return (1U << top) | (half & ((1U << mantissa) - 1)) >> (mantissa - top);
}

struct atomic_case {
  std::string op, type;
};

template <class T>
T applied(const std::string& op, T old, T b, T c) {
  using U = std::make_unsigned_t<T>;
  if (op == "add") return static_cast<T>(static_cast<U>(old) + static_cast<U>(b));
  if (op == "min") return std::min(old, b);
  if (op == "max") return std::max(old, b);
  if (op == "and") return static_cast<T>(old & b);
  if (op == "or") return static_cast<T>(old | b);
  if (op == "xor") return static_cast<T>(old ^ b);
  if (op == "exch") return b;
  if (op == "cas") return old == b ? c : old;
  if (op == "inc") return old >= b ? T{0} : static_cast<T>(old + 1);
  return old == 0 || old > b ? b : static_cast<T>(old - 1);  // dec
}

std::uint64_t applied(const atomic_case& a, std::uint64_t old, std::uint64_t b, std::uint64_t c) {
  const auto as = [&]<class T>(T) {
    return applied<T>(a.op, static_cast<T>(old), static_cast<T>(b), static_cast<T>(c));
  };
  if (a.type == "s32") return static_cast<std::uint32_t>(as(std::int32_t{}));
  if (a.type == "u32" || a.type == "b32") return as(std::uint32_t{});
  if (a.type == "s64") return static_cast<std::uint64_t>(as(std::int64_t{}));
  if (a.type == "u64" || a.type == "b64") return as(std::uint64_t{});
  if (a.type == "b16") return as(std::uint16_t{});
  if (a.type == "f32")
    return std::bit_cast<std::uint32_t>(std::bit_cast<float>(static_cast<std::uint32_t>(old)) +
                                        std::bit_cast<float>(static_cast<std::uint32_t>(b)));
  if (a.type == "f64") return std::bit_cast<std::uint64_t>(std::bit_cast<double>(old) + std::bit_cast<double>(b));
  const bool brain = a.type[0] == 'b';
  const auto one = [&](std::uint32_t x, std::uint32_t y) {
    const std::uint32_t p = number_of(x & 0xFFFF, brain), q = number_of(y & 0xFFFF, brain);
    return half_of(a.op == "add" ? p + q : a.op == "min" ? std::min(p, q) : std::max(p, q), brain);
  };
  const auto x = static_cast<std::uint32_t>(old), y = static_cast<std::uint32_t>(b);
  return a.type.ends_with("x2") ? one(x, y) | one(x >> 16, y >> 16) << 16 : one(x, y);
}

std::uint64_t operand_of(const std::string& type, std::uint64_t random, std::uint32_t n) {
  if (type == "f32") return std::bit_cast<std::uint32_t>(static_cast<float>(n) * 0.37F);
  if (type == "f64") return std::bit_cast<std::uint64_t>(static_cast<double>(n) * 0.37);
  const bool brain = type[0] == 'b' && type[1] == 'f';
  if (type.starts_with("f16") || brain) {
    const std::uint32_t low = half_of(n % 4, brain), high = half_of(n % 3, brain);
    return type.ends_with("x2") ? low | high << 16 : low;
  }
  return type.ends_with("16") ? random & 3U : type.ends_with("32") ? random & 0xFFFF'FFFFU : random;
}

}  // namespace

TEST_CASE("memory operations: atomics of every operation and type, in global, shared and generic memory") {
  std::vector<atomic_case> cases;
  for (const std::string op : {"add", "min", "max"})
    for (const std::string type : {"u32", "s32", "u64", "s64", "f16", "f16x2", "bf16", "bf16x2"})
      cases.push_back({op, type});
  cases.push_back({"add", "f32"});
  cases.push_back({"add", "f64"});
  for (const std::string op : {"and", "or", "xor", "exch", "cas"})
    for (const std::string type : {"b32", "b64"}) cases.push_back({op, type});
  cases.push_back({"inc", "u32"});
  cases.push_back({"dec", "u32"});
  cases.push_back({"cas", "b16"});
  random_bits next{7};
  constexpr std::uint32_t threads = 12;
  for (const atomic_case& a : cases)
    for (const std::string space : {"global", "shared", "generic", "generic shared"}) {
      if (a.op == "add" && a.type == "s64") continue;  // .u64 does it
      const bool wide = a.type.ends_with("64"), narrow = a.type.ends_with("16");
      const bool half = a.type.starts_with("f16") || a.type.starts_with("bf16");
      const std::string reg = wide ? "%rd" : narrow ? "%h" : "%r";
      const bool small = a.op == "inc" || a.op == "dec" || a.op == "cas";
      const std::string place = space.find("shared") != std::string::npos ? "shared" : "global";
      const std::string size = wide ? "b64" : narrow ? "b16" : "b32";
      const std::string noftz = half && a.op == "add" ? ".noftz" : "";
      const std::string full = (space.starts_with("generic") ? "" : "." + space) + "." + a.op + noftz + "." + a.type;
      const std::string operands = ", " + reg + "1" + (a.op == "cas" ? ", " + reg + "2" : "");
      // Old values go to out, then thread 0 appends the final one; red applies everything once more.
      std::string body =
          "shr.u64 %word, %word, 2; shl.b64 %word, %word, 4; ld.param.u64 %in, [in]; add.s64 %in, %in, "
          "%word; ld.param.u64 %out, [out]; add.s64 %rd9, %out, %word; .shared .align 8 .b8 cell[8]; ";
      body += place == "shared"
                  ? "mov.u64 %rd8, cell; " + std::string(space == "shared" ? "" : "cvta.shared.u64 %rd8, %rd8; ")
                  : "add.s64 %rd8, %out, 1024; ";
      const std::string direct = place == "shared" ? "[cell]" : "[%rd8]";
      body += "ld.global." + size + " " + reg + "1, [%in]; ld.global." + size + " " + reg + "2, [%in+8];\natom" + full +
              " " + reg + "3, [%rd8]" + operands + "; st.global." + size + " [%rd9], " + reg + "3; ";
      const bool has_red = a.op != "exch" && a.op != "cas";
      if (has_red) body += "bar.sync 0; red" + full + " [%rd8]" + operands + "; ";
      body += "bar.sync 0; setp.ne.u32 %p1, %t, 0; @%p1 bra done; ld." + place + "." + size + " " + reg + "4, " +
              direct + "; st.global." + size + " [%out+1032], " + reg + "4; done:";
      CAPTURE(a.op);
      CAPTURE(a.type);
      CAPTURE(space);
      machine_setup setup{std::vector<std::uint32_t>(4 * threads), 300};
      std::vector<std::uint64_t> b(threads), c(threads);
      for (std::uint32_t t = 0; t < threads; ++t) {
        b[t] = operand_of(a.type, small ? next() % 3 : next(), t);
        c[t] = operand_of(a.type, small ? next() % 3 : next(), t + 1);
        for (std::uint32_t w = 0; w < 2; ++w) {
          setup.in[4 * t + w] = static_cast<std::uint32_t>(b[t] >> (32 * w));
          setup.in[4 * t + 2 + w] = static_cast<std::uint32_t>(c[t] >> (32 * w));
        }
      }
      const machine_result r = run_under(way::pdom, decoded(with_thread_number(body)), block_of(threads, 4), setup);
      REQUIRE_MESSAGE(r.how == outcome::finished, r.fault.describe());
      std::uint64_t cell = 0;
      const auto word = [&](std::size_t at) {
        const std::uint64_t v = r.out[at] | (wide ? std::uint64_t{r.out[at + 1]} << 32 : 0);
        return narrow ? v & 0xFFFFU : v;
      };
      for (std::uint32_t t = 0; t < threads; ++t) {
        CHECK(word(4 * t) == cell);
        cell = applied(a, cell, b[t], c[t]);
      }
      if (has_red)
        for (std::uint32_t t = 0; t < threads; ++t) cell = applied(a, cell, b[t], c[t]);
      CHECK(word(258) == cell);
    }
}

TEST_CASE("memory operations: sums of singles flush subnormal numbers in global memory, not in shared memory") {
  for (const std::string space : {".global", ".shared", "", " shared"}) {
    const bool shared = space.find("shared") != std::string::npos;
    const std::string of = space.starts_with(".") ? space : "";
    std::string body = ".shared .b32 cell; add.s64 %rd1, %out, 8;\n";
    if (shared) body += of.empty() ? "cvta.shared.u64 %rd1, cell;\n" : "mov.u64 %rd1, cell;\n";
    body += "mov.f32 %f1, 0f00C00000; st" + of + ".f32 [%rd1], %f1; atom" + of +
            ".add.f32 %f2, [%rd1], 0f80800000; ld" + of +
            ".f32 %f3, [%rd1]; st.global.f32 [%out], %f3;\n"
            "mov.f32 %f1, 0f80000000; st" +
            of + ".f32 [%rd1], %f1; red" + of + ".add.f32 [%rd1], 0f80400000; ld" + of +
            ".f32 %f3, [%rd1]; st.global.f32 [%out+4], %f3;";
    const machine_result r = run_under(way::pdom, decoded(with_thread_number(body)), block_of(1), {{}, 3});
    REQUIRE_MESSAGE(r.how == outcome::finished, r.fault.describe());
    CAPTURE(space);
    CHECK(r.out[0] == (shared ? 0x0040'0000U : 0U));
    CHECK(r.out[1] == (shared ? 0x8040'0000U : 0x8000'0000U));
  }
}

TEST_CASE("memory operations: atomics on vectors do each number for itself") {
  struct shape {
    std::string type;
    std::uint32_t width;
  };
  std::vector<shape> shapes = {{"f32", 2}, {"f32", 4}};
  for (const std::string type : {"f16x2", "bf16x2"})
    for (const std::uint32_t width : {2U, 4U}) shapes.push_back({type, width});
  for (const std::string type : {"f16", "bf16"})
    for (const std::uint32_t width : {2U, 4U, 8U}) shapes.push_back({type, width});
  constexpr std::uint32_t threads = 40;
  for (const shape& v : shapes)
    for (const std::string op : {"add", "min", "max"})
      for (const std::string space : {".global", ""}) {
        if (v.type == "f32" && op != "add") continue;
        CAPTURE(v.type);
        CAPTURE(v.width);
        CAPTURE(op);
        const bool narrow = v.type.ends_with("16");
        const std::uint32_t size = narrow ? 2 : 4;
        const std::string reg = narrow ? "%h" : "%r";
        // The old values go where the operands were, in another order; one is dropped.
        std::string operands, results, save, load;
        for (std::uint32_t n = 0; n < v.width; ++n) {
          const std::string name = reg + std::to_string(10 + n);
          const std::uint32_t other = (n + 1) % v.width;
          const std::string into = n == 1 ? std::string("_") : reg + std::to_string(10 + other);
          operands += (n == 0 ? "" : ", ") + name;
          results += (n == 0 ? "" : ", ") + into;
          load += "ld.global.b" + std::to_string(8 * size) + " " + name + ", [%rd2+" + std::to_string(size * n) + "]; ";
          if (n != 1)
            save +=
                "st.global.b" + std::to_string(8 * size) + " [%rd3+" + std::to_string(size * n) + "], " + into + "; ";
        }
        const std::string full =
            space + ".v" + std::to_string(v.width) + "." + v.type + "." + op + (v.type == "f32" ? "" : ".noftz");
        const std::string body =
            ".reg .b16 %h<20>; .reg .b32 %r<20>; shl.b64 %rd1, %word, 2; ld.param.u64 %rd2, [in]; add.s64 %rd2, %rd2, "
            "%rd1; ld.param.u64 %rd4, [out]; add.s64 %rd3, %rd4, %rd1;\n" +
            load + "\natom" + full + " {" + results + "}, [%rd4+1024], {" + operands + "};\n" + save + load +
            "bar.sync 0; red" + full + " [%rd4+1024], {" + operands + "}; bar.sync 0; atom" + full +
            " _, [%rd4+1040], {" + operands + "};";
        const std::string text = with_thread_number("{ " + body + " }");
        machine_setup setup{std::vector<std::uint32_t>(4 * threads), 300};
        const auto cell_of = [&](const std::vector<std::uint32_t>& words, std::uint32_t byte) {
          const std::uint32_t w = words[byte / 4];
          return size == 4 ? w : (w >> (8 * (byte % 4))) & 0xFFFFU;
        };
        std::vector<std::uint32_t> given(std::size_t{threads} * v.width);
        for (std::uint32_t t = 0; t < threads; ++t)
          for (std::uint32_t n = 0; n < v.width; ++n) {
            const auto value = static_cast<std::uint32_t>(operand_of(v.type, 0, t * 5 + n * 3));
            given[t * v.width + n] = value;
            setup.in[(16 * t + size * n) / 4] |= value << (8 * (size * n % 4));
          }
        const machine_result r = run_under(way::pdom, decoded(text), block_of(threads, 4), setup);
        REQUIRE_MESSAGE(r.how == outcome::finished, r.fault.describe());
        for (std::uint32_t n = 0; n < v.width; ++n) {
          std::uint64_t cell = 0;
          const atomic_case a{op, v.type};
          for (std::uint32_t t = 0; t < threads; ++t) {
            if (n != 1) CHECK(cell_of(r.out, 16 * t + size * n) == cell);
            cell = applied(a, cell, given[t * v.width + n], 0);
          }
          std::uint64_t dropped = 0;
          for (std::uint32_t t = 0; t < threads; ++t) {
            cell = applied(a, cell, given[t * v.width + n], 0);
            dropped = applied(a, dropped, given[t * v.width + n], 0);
          }
          CHECK(cell_of(r.out, 1024 + size * n) == cell);
          CHECK(cell_of(r.out, 1040 + size * n) == dropped);
        }
      }
  // The vector is aligned as a whole, and lies in one piece of memory.
  const auto fault_of = [&](const std::string& offset) {
    return run_under(way::frontier,
                     decoded(with_thread_number("red.global.v4.f32.add [%out+" + offset + "], {%f1, %f2, %f3, %f4};")),
                     block_of(1), {{}, 7})
        .fault;
  };
  CHECK(fault_of("8").kind == ptx::fault_kind::misaligned);
  CHECK(fault_of("16").kind == ptx::fault_kind::out_of_bounds);
  CHECK(fault_of("16").size == 16);
}

TEST_CASE("memory operations: 128 bits at once") {
  constexpr std::uint32_t threads = 40;
  const std::string begin =
      ".reg .b128 %q<8>; .local .align 16 .b8 l[32]; .shared .align 16 .b8 s[16]; .shared .align 16 .b8 a[1024]; "
      "shl.b64 "
      "%rd1, %word, 2; ld.param.u64 %rd2, [in]; add.s64 %rd2, %rd2, %rd1; ld.param.u64 %rd3, [out]; add.s64 %rd4, "
      "%rd3, "
      "%rd1;\n";
  machine_setup setup{std::vector<std::uint32_t>(4 * threads), 4 * threads + 4};
  random_bits next{5};
  for (std::uint32_t& w : setup.in) w = static_cast<std::uint32_t>(next());
  const auto run = [&](const std::string& body, const std::string& before = "") {
    machine_result r =
        run_under(way::pdom, decoded(with_thread_number(begin + body, before)), block_of(threads), setup);
    REQUIRE_MESSAGE(r.how == outcome::finished, r.fault.describe());
    return r.out;
  };
  const auto given = [&](std::uint32_t t, std::uint32_t word) { return setup.in[4 * t + word]; };

  // Moved through every space, the halves exchanged on the way; lanes that are switched off keep what they have.
  const std::vector<std::uint32_t> moved = run(
      "ld.global.b128 %q1, [%rd2]; st.local.b128 [l+16], %q1; ld.local.b128 %q2, [l+16]; cvt.u32.u64 %r1, %rd1; "
      "mov.u32 "
      "%r2, a; add.u32 %r1, %r1, %r2; st.shared.b128 [%r1], %q2; ld.shared.b128 %q3, [%r1]; mov.b128 {%rd5, %rd6}, "
      "%q3; "
      "mov.b128 %q4, {%rd6, %rd5}; mov.b128 {_, %rd7}, %q3; mov.b128 %q5, {%rd7, 7};\nand.b32 %r3, %t, 1; setp.ne.u32 "
      "%p1, %r3, 0; @%p1 mov.b128 %q4, %q5; st.global.b128 [%rd4], %q4;");
  for (std::uint32_t t = 0; t < threads; ++t) {
    const std::vector<std::uint32_t> out(moved.begin() + 4 * t, moved.begin() + 4 * t + 4);
    CHECK(out == (t % 2 != 0 ? std::vector<std::uint32_t>{given(t, 2), given(t, 3), 7, 0}
                             : std::vector<std::uint32_t>{given(t, 2), given(t, 3), given(t, 0), given(t, 1)}));
  }
  const std::vector<std::uint32_t> parts = run(
      "ld.global.b128 %q1, [%rd2]; mov.b128 {%r1, %r2, _, %r4}, %q1; mov.b128 %q2, {%r4, %r2, 9, %r1}; st.b128 [%rd4], "
      "%q2;");
  for (std::uint32_t t = 0; t < threads; ++t) {
    const std::vector<std::uint32_t> out(parts.begin() + 4 * t, parts.begin() + 4 * t + 4);
    CHECK(out == std::vector<std::uint32_t>{given(t, 3), given(t, 1), 9, given(t, 0)});
  }
  const std::vector<std::uint32_t> constant =
      run("ld.const.b128 %q1, [c]; st.global.b128 [%rd4], %q1;", ".const .align 16 .b64 c[2] = {1, 0x300000002};\n");
  CHECK(std::vector<std::uint32_t>(constant.begin(), constant.begin() + 5) ==
        std::vector<std::uint32_t>{1, 0, 2, 3, 1});
  // As a parameter, and in registers of a function that calls itself.
  const std::vector<std::uint32_t> called = run(
      ".param .b128 p; .param .b128 q; ld.global.b128 %q1, [%rd2]; st.param.b128 [p], %q1; call (q), f, (p); "
      "ld.param.b128 %q2, [q]; st.global.b128 [%rd4], %q2;",
      ".func (.param .b128 r) f(.param .b128 a)\n{ .reg .b128 %q<4>; .reg .b64 %rd<4>; .reg .pred %p; .param .b128 p; "
      ".param .b128 q; ld.param.b128 %q1, [a]; mov.b128 {%rd1, %rd2}, %q1; and.b64 %rd3, %rd1, 3; setp.eq.u64 %p, "
      "%rd3, "
      "0; @%p bra done; add.u64 %rd3, %rd1, 1; mov.b128 %q2, {%rd3, %rd2}; st.param.b128 [p], %q2; call (q), f, (p); "
      "done: st.param.b128 [r], %q1; ret; }\n");
  CHECK(std::vector<std::uint32_t>(called.begin(), called.begin() + 4 * threads) == setup.in);

  // exch and cas, one thread after the other.
  for (const std::string space : {"global", "shared", "generic"}) {
    CAPTURE(space);
    const std::string where = space == "shared" ? "[s]" : "[%rd3+640]";
    const std::string at = space == "generic" ? "" : "." + space;
    const std::vector<std::uint32_t> swapped = run("ld.global.b128 %q1, [%rd2]; atom" + at + ".exch.b128 %q2, " +
                                                   where + ", %q1; st.global.b128 [%rd4], %q2;");
    for (std::uint32_t t = 0; t < threads; ++t)
      for (std::uint32_t w = 0; w < 4; ++w) CHECK(swapped[4 * t + w] == (t == 0 ? 0 : given(t - 1, w)));
    // Only if all 128 bits agree: thread t expects {t / 2, t % 3 != 0}, and puts {t / 2 + 1, 0} or {t / 2, 1}.
    const std::vector<std::uint32_t> compared = run(
        "cvt.u64.u32 %rd5, %t; shr.u64 %rd5, %rd5, 1; rem.u64 %rd6, %rd5, 3; mov.b128 %q1, {%rd5, %rd6}; add.u64 "
        "%rd7, %rd5, 1; rem.u64 %rd8, %rd7, 3; mov.b128 %q2, {%rd7, %rd8}; and.b32 %r1, %t, 3; setp.eq.u32 %p1, %r1, "
        "1; xor.b64 %rd6, %rd6, 64; @%p1 mov.b128 %q1, {%rd5, %rd6};\natom" +
        at + ".cas.b128 %q1, " + where + ", %q1, %q2; st.global.b128 [%rd4], %q1;");
    std::uint64_t low = 0, high = 0;
    for (std::uint32_t t = 0; t < threads; ++t) {
      CHECK((compared[4 * t] | std::uint64_t{compared[4 * t + 1]} << 32) == low);
      CHECK((compared[4 * t + 2] | std::uint64_t{compared[4 * t + 3]} << 32) == high);
      const std::uint64_t n = t / 2;
      if (low == n && high == (n % 3 ^ (t % 4 == 1 ? 64U : 0U))) {
        low = n + 1;
        high = (n + 1) % 3;
      }
    }
    CHECK(low > 0);
  }
  const auto fault_of = [&](const std::string& line) {
    return run_under(way::frontier, decoded(with_thread_number(begin + line)), block_of(1), {{}, 7}).fault.kind;
  };
  CHECK(fault_of("ld.global.b128 %q1, [%out+8];") == ptx::fault_kind::misaligned);
  CHECK(fault_of("atom.global.exch.b128 _, [%out+8], %q1;") == ptx::fault_kind::misaligned);
  CHECK(fault_of("atom.global.exch.b128 _, [%out+16], %q1;") == ptx::fault_kind::out_of_bounds);
  CHECK(fault_of("st.global.b128 [%out+16], %q1;") == ptx::fault_kind::out_of_bounds);
}

TEST_CASE("memory operations: addresses say which space they are in") {
  const auto code_of = [](std::string_view space) {
    return "isspacep." + std::string(space) +
           " %p1, %rd1; selp.u32 %r2, 1, 0, %p1; shl.b32 %r1, %r1, 1; or.b32 %r1, %r1, %r2; ";
  };
  const std::string ask =
      code_of("global") + code_of("shared") + code_of("local") + code_of("const") + code_of("param");
  const std::vector<std::pair<std::string, std::uint32_t>> spaces = {
      {"mov.u64 %rd1, %out;", 16},
      {"cvta.shared.u64 %rd1, s;", 8},
      {"mov.u64 %rd1, l; cvta.local.u64 %rd1, %rd1;", 4},
      {"cvta.const.u64 %rd1, c;", 2},
      {"mov.u64 %rd1, n; cvta.param.u64 %rd1, %rd1;", 1},
      {"mov.u64 %rd1, 0;", 0},
  };
  for (const auto& space : spaces) {
    const std::string& make = space.first;  // clang 14 captures no structured binding
    const machine_result r = run_under(way::frontier,
                                       decoded(with_thread_number(".shared .b32 s; .local .b32 l; mov.u32 %r1, 0; " +
                                                                      make + ask + "st.global.u32 [%out], %r1;",
                                                                  ".const .b32 c = 7;\n")),
                                       block_of(3), {{}, 3});
    REQUIRE_MESSAGE(r.how == outcome::finished, r.fault.describe());
    CAPTURE(make);
    CHECK(r.out == std::vector<std::uint32_t>(3, space.second));
  }
  // A generic load reads each of them.
  const machine_result r =
      run_under(way::frontier,
                decoded(with_thread_number(
                    ".shared .b32 s; .local .b32 l; st.shared.u32 [s], 1; st.local.u32 [l], 20; cvta.shared.u64 "
                    "%rd1, s; mov.u64 %rd2, l; cvta.local.u64 %rd2, %rd2; cvta.const.u64 %rd3, c; mov.u64 %rd4, "
                    "n; cvta.param.u64 %rd4, %rd4; rem.u32 %r1, %t, 4; setp.eq.u32 %p1, %r1, 1; selp.b64 %rd1, "
                    "%rd2, %rd1, %p1; setp.eq.u32 %p1, %r1, 2; selp.b64 %rd1, %rd3, %rd1, %p1; setp.eq.u32 "
                    "%p1, %r1, 3; selp.b64 %rd1, %rd4, %rd1, %p1; ldu.u32 %r2, [%rd1]; st.global.u32 [%out], %r2;",
                    ".const .b32 c = 300;\n")),
                block_of(40), {{}, 40, 4000});
  REQUIRE_MESSAGE(r.how == outcome::finished, r.fault.describe());
  constexpr std::uint32_t wanted[] = {1, 20, 300, 4000};
  for (std::uint32_t t = 0; t < 40; ++t) CHECK(r.out[t] == wanted[t % 4]);
  const machine_result stored = run_under(
      way::frontier, decoded(with_thread_number("mov.u64 %rd4, n; cvta.param.u64 %rd4, %rd4; st.u32 [%rd4], 1;")),
      block_of(1), {{}, 1});
  CHECK(stored.fault.kind == ptx::fault_kind::read_only);
}

TEST_CASE("memory operations: cp.async copies at once, and fills up with zeros") {
  machine_setup setup{{}, 40};
  for (std::uint32_t i = 0; i < 160; ++i) setup.in.push_back(i);
  const auto copies = [&](std::uint32_t from) {
    return run_under(
        way::frontier,
        decoded(with_thread_number(
            ".shared .align 16 .b8 s[640]; mov.u32 %r1, s; shl.b32 %r2, %t, 4; add.u32 %r1, %r1, %r2; mul.wide.u32 "
            "%rd1, %t, "
            "4; sub.s64 %in, %in, %rd1; cvt.u64.u32 %rd2, %r2; add.s64 %in, %in, %rd2; cp.async.cg.shared.global "
            "[%r1], "
            "[%in], 16; cp.async.commit_group; cp.async.wait_all; ld.shared.u32 %r3, [%r1+8]; rem.u32 %r5, %t, 3; "
            "shl.b32 "
            "%r5, %r5, 2; cp.async.ca.shared.global [%r1+8], [%in+" +
            std::to_string(from) +
            "], 8, %r5; ld.shared.u32 %r4, [%r1+12]; mad.lo.u32 %r3, %r3, 1000, %r4; st.global.u32 [%out], %r3; "
            "prefetch.global.L2 [%in]; membar.gl; fence.acq_rel.gpu;")),
        block_of(40), setup);
  };
  const machine_result r = copies(8);
  REQUIRE_MESSAGE(r.how == outcome::finished, r.fault.describe());
  for (std::uint32_t t = 0; t < 40; ++t) CHECK(r.out[t] == (4 * t + 2) * 1000 + (t % 3 == 2 ? 4 * t + 3 : 0));
  CHECK(copies(4).fault.kind == ptx::fault_kind::misaligned);
  // To a variable by name; threads with an odd number ignore what they would copy.
  const machine_result named =
      run_under(way::serial,
                decoded(with_thread_number(
                    ".shared .align 16 .b8 s[16]; and.b32 %r1, %t, 1; setp.ne.u32 %p1, %r1, 0; mov.u32 %r2, "
                    "7; st.shared.u32 [s+4], %r2; cp.async.ca.shared.global [s+4], [%in], 4, %p1; "
                    "cp.async.wait_all; ld.shared.u32 %r3, [s+4]; st.global.u32 [%out], %r3;")),
                block_of(1), {{99}, 1});
  REQUIRE_MESSAGE(named.how == outcome::finished, named.fault.describe());
  CHECK(named.out[0] == 99);
  const machine_result ignored = run_under(
      way::serial,
      decoded(with_thread_number(".shared .align 16 .b8 s[16]; setp.eq.u32 %p1, %t, 0; mov.u32 %r2, 7; st.shared.u32 "
                                 "[s+4], %r2; cp.async.ca.shared.global [s+4], [%in], 4, %p1; ld.shared.u32 %r3, "
                                 "[s+4]; add.u32 %r3, %r3, 5; st.global.u32 [%out], %r3;")),
      block_of(1), {{99}, 1});
  REQUIRE_MESSAGE(ignored.how == outcome::finished, ignored.fault.describe());
  CHECK(ignored.out[0] == 5);
}

TEST_CASE("memory operations: what no memory has is refused by name") {
  const auto about = [](std::string_view body) { return text_of(diagnostics_in(with_thread_number(body))); };
  CHECK(about("atom.global.v2.f64.add {%rd1, %rd2}, [%out], {%rd1, %rd2};")
            .find("unsupported instruction 'atom.global.v2.f64.add': vectors are of .f32 or half precision") !=
        std::string::npos);
  CHECK(about("red.shared.v2.f32.add [%out], {%f1, %f2};").find("vectors are in global memory") != std::string::npos);
  CHECK(about("red.global.v8.f32.add [%out], {%f1, %f2};").find("that vector is too large") != std::string::npos);
  CHECK(about("atom.global.v2.f32.min {%f1, %f2}, [%out], {%f1, %f2};").find("floating point can only be added") !=
        std::string::npos);
  CHECK(about("atom.global.v4.f32.add {%f1, %f2}, [%out], {%f1, %f2, %f3, %f4};")
            .find("'atom.global.v4.f32.add' takes a vector of 4 here") != std::string::npos);
  CHECK(about("red.global.v2.f32.add [%out], %f1;").find("takes a vector of 2 here") != std::string::npos);
  CHECK(about("red.global.v2.f32.add [%out], {%f1, %rd1};").find("register '%rd1' is .b64") != std::string::npos);
  const auto wide = [&](const std::string& line) { return about(".reg .b128 %q<4>;\n" + line); };
  CHECK(
      wide("atom.global.add.b128 %q1, [%out], %q2;").find("128 bits can only be exchanged, or compared and swapped") !=
      std::string::npos);
  CHECK(wide("red.global.add.b128 [%out], %q2;").find("type '.b128'") != std::string::npos);
  CHECK(wide("selp.b128 %q1, %q2, %q3, %p1;").find("type '.b128'") != std::string::npos);
  CHECK(wide("xor.b128 %q1, %q2, %q3;").find("type '.b128'") != std::string::npos);
  CHECK(wide("setp.eq.b128 %p1, %q2, %q3;").find("type '.b128'") != std::string::npos);
  CHECK(wide("shfl.sync.idx.b128 %q1, %q2, 0, 31, -1;").find("type '.b128'") != std::string::npos);
  CHECK(wide("ld.global.v2.b128 {%q1, %q2}, [%out];").find("that vector is too large") != std::string::npos);
  CHECK(wide("mov.b128 %q1, 5;").find("a constant where 'mov.b128' takes a register of 128 bits") != std::string::npos);
  CHECK(wide("st.global.b128 [%out], -1;").find("a constant where") != std::string::npos);
  CHECK(wide("mov.b128 %q1, 1.0;").find("a floating-point constant where") != std::string::npos);
  CHECK(wide("mov.b128 %q1, %tid.x;").find("a special register is .u32") != std::string::npos);
  CHECK(wide("mov.b128 %q1, {%r1, %r2};").find("register '%r1' is .b32, but 'mov.b128' takes .b64") !=
        std::string::npos);
  CHECK(wide("mov.b128 %q1, {%rd1, %rd2, %rd3, %rd4};").find("'mov.b128' takes .b32") != std::string::npos);
  CHECK(wide("mov.b64 %rd1, %q1;").find("register '%q1' is .b128") != std::string::npos);
  CHECK(wide("ld.global.b128 %rd1, [%out];").find("register '%rd1' is .b64") != std::string::npos);
  CHECK(wide("call f, (%q1);").find("unknown function") != std::string::npos);
  CHECK(about("red.async.relaxed.cluster.global.shared.add.u32 [%out], %r1, [%out];").find("unsupported instruction") !=
        std::string::npos);
  CHECK(about("mapa.shared::cluster.u64 %rd1, %rd2, 0;").find("'mapa.shared::cluster.u64' needs sm_90 and PTX 7.8") !=
        std::string::npos);
}
