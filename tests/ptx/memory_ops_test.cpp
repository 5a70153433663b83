// SPDX-License-Identifier: BSL-1.0
//
// Atomics of every operation and type, in every space; addresses of every space; copies, wide accesses. The oracle
// applies the threads' operations one after the other, lowest thread first.
#include "ptx/machine_support.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

using namespace simtflow;
using namespace ptx_test;

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

TEST_CASE("ptx memory operations: atomics of every operation and type, in global, shared and generic memory") {
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
      // Old values go to out, then thread 0 puts the final one behind; red applies everything once more.
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

TEST_CASE("ptx memory operations: sums of singles flush subnormal numbers in global memory, not in shared memory") {
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

TEST_CASE("ptx memory operations: addresses say which space they are in") {
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

TEST_CASE("ptx memory operations: cp.async copies at once, and fills up with zeros") {
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
}

TEST_CASE("ptx memory operations: what no memory has is refused by name") {
  const auto about = [](std::string_view body) { return text_of(findings(with_thread_number(body))); };
  CHECK(about("atom.global.v2.f32.add {%f1, %f2}, [%out], {%f1, %f2};")
            .find("unsupported instruction 'atom.global.v2.f32.add'") != std::string::npos);
  CHECK(about("red.async.relaxed.cluster.global.shared.add.u32 [%out], %r1, [%out];").find("unsupported instruction") !=
        std::string::npos);
  CHECK(about("mapa.u64 %rd1, %rd2, 0;").find("unsupported instruction 'mapa.u64'") != std::string::npos);
}
