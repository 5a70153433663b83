// SPDX-License-Identifier: BSL-1.0
//
// Calls: direct and through pointers, with parameters of every form, recursive, under every policy. The oracles are the
// same functions in C++.
#include "ptx/run_support.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/ptx/decode/decode.hpp>

#include <functional>
#include <string>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

template <class F>
void each_thread(std::string_view functions, std::string_view body, F expected) {
  const ptx::decoded_kernel k = decoded(with_thread_number(body, functions));
  for (const std::uint32_t width : {32U, 64U, 8U, 1U, 20U}) {
    const words got = agreed(k, block_of(70, width), {}, 70);
    for (std::uint32_t t = 0; t < 70; ++t) {
      CAPTURE(body);
      CAPTURE(width);
      CAPTURE(t);
      CHECK(got[t] == static_cast<std::uint32_t>(expected(t)));
    }
  }
}

std::string fault_of(std::string_view functions, std::string_view body, way w = way::frontier,
                     ptx::launch_config l = block_of(40)) {
  const machine_result r = run_under(w, decoded(with_thread_number(body, functions)), l, {{}, 40});
  CHECK(r.how == outcome::fault);
  return r.fault.describe();
}

std::string diagnostics_of(std::string_view functions, std::string_view body) {
  const auto r = ptx::parse(with_thread_number(body, functions));
  REQUIRE_MESSAGE(r.has_value(), text_of(r.diagnostics()));
  return text_of(ptx::decode(*r, r->kernels.front()).diagnostics());
}

/// A call of a function of one .b32 parameter and result: the registers of both.
std::string call1(std::string_view f, std::string_view argument, std::string_view result) {
  return "{ .param .b32 a; .param .b32 r; st.param.b32 [a], " + std::string(argument) + "; call.uni (r), " +
         std::string(f) + ", (a); ld.param.b32 " + std::string(result) + ", [r]; }\n";
}
std::string call_through(std::string_view pointer, std::string_view argument, std::string_view result) {
  return "{ .param .b32 a; .param .b32 r; st.param.b32 [a], " + std::string(argument) +
         "; proto: .callprototype (.param .b32 _) _ (.param .b32 _); call (r), " + std::string(pointer) +
         ", (a), proto; ld.param.b32 " + std::string(result) + ", [r]; }\n";
}
/// A function of one .b32 parameter %x and result %y.
std::string function1(std::string_view name, std::string_view body) {
  return ".func (.param .b32 result) " + std::string(name) +
         "(.param .b32 parameter)\n{\n.reg .b32 %x, %y, %z<8>; .reg .b64 %d<8>; .reg .pred %q<4>;\nld.param.b32 %x, "
         "[parameter];\n" +
         std::string(body) + "\nst.param.b32 [result], %y; ret;\n}\n";
}

}  // namespace

TEST_CASE("calls: a function of a function; registers of a name in each") {
  const std::string functions =
      function1("twice", "add.u32 %y, %x, %x;") +
      function1("more", call1("twice", "%x", "%y") + call1("twice", "%y", "%y") + "add.u32 %y, %y, 3;");
  each_thread(
      functions,
      call1("more", "%t", "%r1") + call1("twice", "5", "%r2") + "add.u32 %r1, %r1, %r2; st.global.u32 [%out], %r1;",
      [](std::uint32_t t) { return 4 * t + 13; });
}

TEST_CASE("calls: parameters of every size, vectors, structures by bytes; several of them") {
  const std::string functions = R"(
.func (.param .align 16 .b8 result[32]) mix(.param .b64 a, .param .b32 b, .param .align 8 .b8 s[24],
  .param .b16 c, .param .b32 d)
{
  .reg .b64 %d<8>; .reg .b32 %r<8>; .reg .b16 %h<2>; .reg .f32 %f<4>;
  ld.param.u64 %d1, [a]; ld.param.u32 %r1, [b]; ld.param.u64 %d2, [s]; ld.param.v2.u32 {%r2, %r3}, [s+8];
  ld.param.s8 %r4, [s+17];
  ld.param.u16 %h1, [c]; ld.param.f32 %f1, [d];
  st.param.b64 [result+8], %d2; add.u64 %d1, %d1, 1; st.param.b64 [result], %d1;
  add.u32 %r1, %r1, %r2; cvt.u32.u16 %r5, %h1; add.f32 %f1, %f1, %f1; cvt.rzi.u32.f32 %r6, %f1;
  st.param.v4.b32 [result+16], {%r1, %r3, %r4, %r5}; add.u32 %r6, %r6, %r6; st.param.b8 [result+8], %r6;
  ret;
}
)";
  const std::string body = R"(
cvt.u64.u32 %rd1, %t; shl.b64 %rd1, %rd1, 33; cvt.rn.f32.u32 %f1, %t; cvt.u16.u32 %h1, %t;
{ .param .b64 p0; .param .b32 p1; .param .align 8 .b8 p2[24]; .param .b16 p3; .param .b32 p4;
  .param .align 16 .b8 r[32];
st.param.b64 [p0+0], %rd1; st.param.b32 [p1], 100; st.param.b64 [p2], %rd1; st.param.v2.b32 [p2+8], {%t, 7};
  st.param.b8 [p2+17], 200;
st.param.b16 [p3], %h1; st.param.f32 [p4], %f1;
call.uni (r), mix, (p0, p1, p2, p3, p4);
ld.param.b64 %rd2, [r]; ld.param.b8 %r9, [r+8]; ld.param.b32 %r1, [r+12];
  ld.param.v4.b32 {%r2, %r3, %r4, %r5}, [r+16]; }
shr.u64 %rd3, %rd2, 32; cvt.u32.u64 %r6, %rd3; cvt.u32.u64 %r7, %rd2;
mad.lo.u32 %r8, %r1, 3, %r2; mad.lo.u32 %r8, %r8, 3, %r3; mad.lo.u32 %r8, %r8, 3, %r4; mad.lo.u32 %r8, %r8, 3, %r5;
mad.lo.u32 %r8, %r8, 3, %r6; mad.lo.u32 %r8, %r8, 3, %r7; mad.lo.u32 %r8, %r8, 3, %r9; st.global.u32 [%out], %r8;)";
  each_thread(functions, body, [](std::uint32_t t) {
    std::uint32_t sum = 2 * t;
    for (const std::uint32_t v : {100 + t, 7U, static_cast<std::uint32_t>(-56), t, 2 * t, 1U, (4 * t) & 255U})
      sum = 3 * sum + v;
    return sum;
  });
}

TEST_CASE("calls: old functions with registers as parameters, called with registers and constants") {
  const std::string functions = R"(
.func (.reg .u32 y) scale(.reg .u32 x, .reg .u64 d, .reg .f32 f)
{
  .reg .pred %p; .reg .u32 %r1, %r2;
top: cvt.u32.u64 %r1, d; cvt.rzi.u32.f32 %r2, f; mad.lo.u32 y, x, %r1, %r2;
  setp.lt.u32 %p, y, 100; add.u32 x, x, 10; @%p bra top;
  ret;
}
.func nothing() { ret; }
)";
  each_thread(functions,
              "cvt.rn.f32.u32 %f1, %t; mov.u64 %rd1, 5; call (%r1), scale, (%t, 3, %f1); call nothing; call.uni (%r2), "
              "scale, (7, %rd1, "
              "0f40400000); mad.lo.u32 %r1, %r1, 1000, %r2; call (%r3), scale, (9, 11, 0f00000000); add.u32 %r1, %r1, "
              "%r3; st.global.u32 [%out], %r1;",
              [](std::uint32_t t) {
                const auto scale = [](std::uint32_t x, std::uint32_t d, std::uint32_t f) {
                  std::uint32_t y = 0;
                  do y = x * d + f, x += 10;
                  while (y < 100);
                  return y;
                };
                return scale(t, 3, t) * 1000 + scale(7, 5, 3) + scale(9, 11, 0);
              });
}

TEST_CASE("calls: floating-point constants become the type of the parameter") {
  const std::string functions = R"(
.func (.param .b32 y) same(.param .f32 x) { .reg .f32 %f; ld.param.f32 %f, [x]; st.param.f32 [y], %f; ret; }
.func (.param .b64 y) wide(.param .f64 x) { .reg .f64 %f; ld.param.f64 %f, [x]; st.param.f64 [y], %f; ret; }
.func (.reg .f64 y) old(.reg .f64 x) { mov.f64 y, x; ret; }
)";
  each_thread(
      functions,
      "call (%f1), same, (1.0); call (%f2), same, (0f40000000); mad.rn.f32 %f1, %f1, 10.0, %f2; "
      "cvt.rzi.u32.f32 %r1, %f1; .reg .f64 %d<3>; call (%rd1), wide, (0f40400000); mov.b64 %d1, %rd1; call (%d2), old, "
      "(0f40800000); fma.rn.f64 %d1, %d1, 10.0, %d2; cvt.rzi.u32.f64 %r2, %d1; mad.lo.u32 %r1, %r1, 100, %r2; "
      "st.global.u32 [%out], %r1;",
      [](std::uint32_t) { return 1234; });
}

TEST_CASE("calls: through pointers, from tables in memory, each thread another function") {
  const std::string functions = function1("zero", "add.u32 %y, %x, 100;") + function1("one", "mul.lo.u32 %y, %x, 3;") +
                                function1("two", call1("one", "%x", "%z1") + "sub.u32 %y, 0, %z1;") +
                                ".global .align 8 .u64 table[3] = {zero, one, two};\n.const .align 8 .b8 vtable[24] = "
                                "{0, 0, 0, 0, 0, 0, 0, 0, 0xFF(two), 0xFF00(two), 0xFF0000(two), 0xFF000000(two), "
                                "0xFF00000000(two), 0, 0, 0};\n";
  const std::string body =
      "rem.u32 %r1, %t, 3; mul.wide.u32 %rd1, %r1, 8; mov.u64 %rd2, table; add.s64 %rd1, %rd1, %rd2; ld.global.u64 "
      "%rd3, "
      "[%rd1];\n" +
      call_through("%rd3", "%t", "%r2") + "mov.u64 %rd4, one;\n" + call_through("%rd4", "%r2", "%r3") +
      "ld.const.u64 %rd5, [vtable+8];\n" + call_through("%rd5", "%r3", "%r4") + "st.global.u32 [%out], %r4;";
  each_thread(functions, body, [](std::uint32_t t) {
    const std::uint32_t first = t % 3 == 0 ? t + 100 : t % 3 == 1 ? 3 * t : 0 - 3 * t;
    return 0 - 9 * first;
  });
}

TEST_CASE("calls: recursion, each thread to a depth of its own, with registers and local memory of each call") {
  // Sum over a list in the frames: each call adds to a variable of the frame that called it, through a pointer.
  const std::string functions =
      R"(
.func down(.param .b32 depth, .param .b64 sum)
{
  .local .align 8 .b8 mine[16]; .reg .b32 %r<8>; .reg .b64 %d<8>; .reg .pred %p<2>;
  ld.param.u32 %r1, [depth]; ld.param.u64 %d1, [sum];
  mov.u64 %d2, mine; cvta.local.u64 %d3, %d2; st.local.u32 [%d2+4], %r1; st.local.u32 [mine], 0;
  setp.eq.u32 %p1, %r1, 0; @%p1 bra leaf;
  sub.u32 %r2, %r1, 1;
  { .param .b32 a; .param .b64 b; st.param.b32 [a], %r2; st.param.b64 [b], %d3; call.uni down, (a, b); }
leaf:
  ld.local.u32 %r3, [mine]; ld.u32 %r4, [%d3+4]; mad.lo.u32 %r5, %r3, 3, %r4; ld.u32 %r6, [%d1];
  add.u32 %r5, %r5, %r6; st.u32 [%d1], %r5;
  ret;
}
)" +
      function1("fib", "setp.lt.u32 %q1, %x, 2; mov.u32 %y, %x; @%q1 bra done; sub.u32 %z1, %x, 1;\n" +
                           call1("fib", "%z1", "%z2") + "sub.u32 %z1, %x, 2;\n" + call1("fib", "%z1", "%z3") +
                           "add.u32 %y, %z2, %z3; done:") +
      ".func (.param .b32 result) odd(.param .b32 parameter);\n" +
      function1("even",
                "mov.u32 %y, 1; setp.eq.u32 %q1, %x, 0; @%q1 bra done; sub.u32 %z1, "
                "%x, 1;\n" +
                    call1("odd", "%z1", "%y") + "done:") +
      function1("odd",
                "mov.u32 %y, 0; setp.ne.u32 %q1, %x, 0; @!%q1 bra done; sub.u32 %z1, "
                "%x, 1;\n" +
                    call1("even", "%z1", "%y") + "done:");
  const std::string body =
      ".local .align 8 .b32 total[2]; rem.u32 %r1, %t, 11; st.local.u32 [total], 5; mov.u64 %rd1, total; "
      "cvta.local.u64 "
      "%rd1, %rd1;\n{ .param .b32 a; .param .b64 b; st.param.b32 [a], %r1; st.param.b64 [b], %rd1; call.uni down, (a, "
      "b); }\n"
      "ld.local.u32 %r2, [total];\n" +
      call1("fib", "%r1", "%r3") + call1("even", "%t", "%r4") +
      "mad.lo.u32 %r5, %r2, 1000, %r3; mad.lo.u32 %r5, %r5, 2, %r4; st.global.u32 [%out], %r5;";
  each_thread(functions, body, [](std::uint32_t t) {
    const std::uint32_t n = t % 11;
    std::uint32_t total = 0;
    for (std::uint32_t d = 0; d <= n; ++d) total = 3 * total + d;
    std::function<std::uint32_t(std::uint32_t)> fib = [&](std::uint32_t x) {
      return x < 2 ? x : fib(x - 1) + fib(x - 2);
    };
    return ((total + 5) * 1000 + fib(n)) * 2 + (t % 2 == 0 ? 1 : 0);
  });
}

TEST_CASE("calls: predicates of a function that is called again; frames that are given back") {
  // A predicate from before the inner call decides what happens after it.
  const std::string functions = function1(
      "digits",
      "and.b32 %z1, %x, 1; setp.eq.u32 %q1, %z1, 1; mov.u32 %y, 0; setp.eq.u32 %q2, %x, 0; @%q2 bra done; shr.u32 "
      "%z2, %x, 1;\n" +
          call1("digits", "%z2", "%y") + "@%q1 add.u32 %y, %y, 100; @!%q1 add.u32 %y, %y, 1; done:");
  const ptx::decoded_kernel k =
      decoded(with_thread_number("mov.u32 %r5, 0; mov.u32 %r6, 0;\nagain: " + call1("digits", "%t", "%r1") +
                                     "add.u32 %r5, %r5, %r1; add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 50; @%p1 bra "
                                     "again; st.global.u32 [%out], %r5;",
                                 functions));
  ptx::launch_config l = block_of(70);
  l.stack_bytes = 8 * 16;  // for the deepest thread once
  const words got = agreed(k, l, {}, 70);
  for (std::uint32_t t = 0; t < 70; ++t) {
    std::uint32_t sum = 0;
    for (std::uint32_t x = t; x != 0; x /= 2) sum += x % 2 != 0 ? 100 : 1;
    CHECK(got[t] == 50 * sum);
  }
}

TEST_CASE("calls: frames of recursive functions begin as zero in every thread block") {
  const ptx::decoded_kernel k = decoded(with_thread_number(
      call1("look", "%t", "%r1") + "st.global.u32 [%out], %r1;",
      function1("look",
                ".local .b32 l[8]; ld.local.u32 %y, [l+8]; st.local.u32 [l+8], 7; setp.gt.u32 %q1, %x, 1000; @!%q1 "
                "bra done;\n" +
                    call1("look", "%x", "%z1") + "done:")));
  CHECK(agreed(k, block_of(40, 32, 3), {}, 120) == words(120, 0));
}

TEST_CASE("calls: returns and calls under a guard, several returns, exit inside a function") {
  const std::string functions =
      ".func (.param .b32 result) pick(.param .b32 parameter)\n{ .reg .b32 %x; .reg .pred %p<4>;\n"
      "ld.param.b32 %x, [parameter]; st.param.b32 [result], 1; setp.lt.u32 %p1, %x, 10; @%p1 "
      "ret; st.param.b32 [result], 2; setp.gt.u32 %p2, %x, 50; @%p2 bra last; setp.eq.u32 %p3, "
      "%x, 33; @%p3 exit; ret; last: st.param.b32 [result], 3; ret; }\n";
  each_thread(
      functions,
      "mov.u32 %r1, 7; st.global.u32 [%out], 9; and.b32 %r2, %t, 1; setp.eq.u32 %p1, %r2, 1; { .param .b32 a; "
      ".param .b32 r; st.param.b32 [a], %t; st.param.b32 [r], 8; @%p1 call (r), pick, (a); ld.param.b32 %r1, [r]; } "
      "st.global.u32 [%out], %r1;",
      [](std::uint32_t t) {
        if (t % 2 == 0) return 8;
        return t == 33 ? 9 : t < 10 ? 1 : t > 50 ? 3 : 2;
      });
}

TEST_CASE("calls: brx.idx") {
  each_thread(
      "",
      "rem.u32 %r1, %t, 5; setp.eq.u32 %p1, %r1, 4; targets: .branchtargets A, B, A, C;\n@!%p1 brx.idx %r1, "
      "targets; mov.u32 %r2, 50; bra D; A: mov.u32 %r2, 10; bra D; B: mov.u32 %r2, 20; C: add.u32 %r2, %r2, 1; D: "
      "st.global.u32 [%out], %r2;",
      [](std::uint32_t t) {
        constexpr std::uint32_t expected[] = {10, 21, 10, 1, 50};
        return expected[t % 5];
      });
  CHECK(fault_of("", "targets: .branchtargets A, B;\nadd.u32 %r1, %t, 1; brx.idx %r1, targets; A: B: mov.u32 %r1, 1;")
            .ends_with("'brx.idx' goes nowhere: entry 2 of a table of 2"));
}

TEST_CASE("calls: random functions that call each other, directly and through a table, to a limited depth") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    random_bits next{seed};
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(next() % n); };
    struct step {
      std::uint32_t bit, callee, kind, factor;  // if that bit of the value is set: call, 0 directly, 1 by the table
    };
    const std::uint32_t count = 2 + below(4);
    std::vector<std::vector<step>> code(count);
    std::string text, table = ".global .align 8 .u64 table[] = {";
    for (std::uint32_t f = 0; f < count; ++f) {
      text += ".func (.param .b32 result) f" + std::to_string(f) + "(.param .b32 value, .param .b32 depth);\n";
      table += (f == 0 ? "f" : ", f") + std::to_string(f);
    }
    text += table + "};\n";
    const std::string prototype = "P: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);";
    for (std::uint32_t f = 0; f < count; ++f) {
      text +=
          ".func (.param .b32 result) f" + std::to_string(f) +
          "(.param .b32 value, .param .b32 depth)\n{ .reg .b32 %v, %d, %i, %n; .reg .b64 %p<4>; .reg .pred %q<2>;\n"
          "ld.param.b32 %v, [value]; ld.param.b32 %d, [depth]; setp.eq.u32 %q1, %d, 0; @%q1 bra END; sub.u32 %d, %d, "
          "1;\n";
      const std::uint32_t steps = 1 + below(3);
      for (std::uint32_t n = 0; n < steps; ++n) {
        const step s{below(8), below(count), below(2), 2 * below(50) + 3};
        code[f].push_back(s);
        const std::string label = "S" + std::to_string(n);
        text += "and.b32 %n, %v, " + std::to_string(1U << s.bit) + "; setp.eq.u32 %q1, %n, 0; @%q1 bra " + label +
                ";\n{ .param .b32 a; .param .b32 b; .param .b32 r; st.param.b32 [a], %v; st.param.b32 [b], %d;\n";
        if (s.kind == 0)
          text += "call (r), f" + std::to_string(s.callee) + ", (a, b);";
        else
          text += "xor.b32 %i, %v, %d; rem.u32 %i, %i, " + std::to_string(count) +
                  "; mul.wide.u32 %p1, %i, 8; mov.u64 %p2, table; add.u64 %p1, %p1, %p2; ld.global.u64 %p3, [%p1]; " +
                  prototype + " call (r), %p3, (a, b), P;";
        text += " ld.param.b32 %n, [r]; }\nadd.u32 %v, %v, %n;\n" + label + ": mad.lo.u32 %v, %v, " +
                std::to_string(s.factor) + ", %d;\n";
      }
      text += "END: xor.b32 %v, %v, " + std::to_string(f * 77) + "; st.param.b32 [result], %v; ret; }\n";
    }
    std::function<std::uint32_t(std::uint32_t, std::uint32_t, std::uint32_t)> solve =
        [&](std::uint32_t f, std::uint32_t v, std::uint32_t d) {
          if (d != 0) {
            --d;
            for (const step& s : code[f]) {
              if (((v >> s.bit) & 1U) != 0) v += solve(s.kind == 0 ? s.callee : (v ^ d) % count, v, d);
              v = v * s.factor + d;
            }
          }
          return v ^ (f * 77);
        };
    const std::string body =
        "and.b32 %r1, %t, 3; add.u32 %r1, %r1, 2; { .param .b32 a; .param .b32 b; .param .b32 r; st.param.b32 [a], %t; "
        "st.param.b32 [b], %r1; call.uni (r), f0, (a, b); ld.param.b32 %r2, [r]; } st.global.u32 [%out], %r2;";
    CAPTURE(seed);
    CAPTURE(text);
    each_thread(text, body, [&](std::uint32_t t) { return solve(0, t, (t & 3U) + 2); });
  }
}

TEST_CASE("calls: graphs: where threads can go, and bodies side by side") {
  const std::string functions = function1("leaf", "add.u32 %y, %x, 1;") + function1("other", "mov.u32 %y, 2;");
  const ptx::decoded_kernel k =
      decoded(with_thread_number("setp.eq.u32 %p1, %t, 0; @%p1 bra A;\n" + call1("leaf", "%t", "%r1") +
                                     "bra.uni B;\nA: mov.u64 %rd1, leaf; mov.u64 "
                                     "%rd2, other; selp.b64 %rd1, %rd1, %rd2, %p1;\n" +
                                     call_through("%rd1", "%t", "%r1") + "B: st.global.u32 [%out], %r1;",
                                 functions));
  // 0 entry; 1 call leaf; 2 after; 3 A: call; 4 after (B is 5); then leaf and other, a block each.
  REQUIRE(k.functions.size() == 3);
  REQUIRE(k.blocks.size() == 8);
  const csr_graph where = k.cfg(), bodies = k.bodies();
  const auto edges = [](const csr_graph& g, block_id b) {
    return std::vector<block_id>(g.successors(b).begin(), g.successors(b).end());
  };
  using list = std::vector<block_id>;
  CHECK(edges(where, 1) == list{6});
  CHECK(edges(where, 3) == list{6, 7});
  CHECK(edges(where, 6) == list{2, 4});
  CHECK(edges(where, 7) == list{4});
  CHECK(bodies.num_blocks() == 9);
  CHECK(bodies.entry() == 8);
  CHECK(edges(bodies, 8) == list{0, 6, 7});
  CHECK(edges(bodies, 1) == list{2});
  CHECK(edges(bodies, 3) == list{4});
  CHECK(edges(bodies, 6).empty());
  CHECK(bodies.is_exit(6));
  const auto tree = post_dominators(bodies);
  CHECK(tree.ipdoms()[0] == 5);
  CHECK(tree.ipdoms()[3] == 4);
  const auto order = loop_contiguous_order(where);
  CHECK(order.ranks()[6] < order.ranks()[2]);
  CHECK(order.ranks()[6] < order.ranks()[4]);
  CHECK(order.ranks()[6] > order.ranks()[1]);
  CHECK(order.ranks()[6] > order.ranks()[3]);
}

TEST_CASE("calls: threads that call one function from two functions run it together under thread frontiers, not PDOM") {
  const std::string functions = function1("shared", "mul.lo.u32 %y, %x, 5;") +
                                function1("f", "add.u32 %x, %x, 1;\n" + call1("shared", "%x", "%y")) +
                                function1("g", "add.u32 %x, %x, 2;\n" + call1("shared", "%x", "%y")) +
                                ".global .align 8 .u64 table[2] = {f, g};\n";
  const ptx::decoded_kernel k =
      decoded(with_thread_number("and.b32 %r1, %t, 1; mul.wide.u32 %rd1, %r1, 8; mov.u64 %rd2, table; add.s64 %rd1, "
                                 "%rd1, %rd2; ld.global.u64 %rd3, "
                                 "[%rd1];\n" +
                                     call_through("%rd3", "%t", "%r2") + "st.global.u32 [%out], %r2;",
                                 functions));
  const auto runs = [&](way w) {
    const machine_result r = run_under(w, k, block_of(32), {{}, 32});
    REQUIRE(r.how == outcome::finished);
    for (std::uint32_t t = 0; t < 32; ++t) CHECK(r.out[t] == (t + 1 + t % 2) * 5);
    for (const ptx::decoded_function& f : k.functions)
      if (f.name == "shared") return r.runs[f.entry];
    return std::uint64_t{0};
  };
  CHECK(runs(way::pdom) == 2);
  CHECK(runs(way::frontier) == 1);
  CHECK(runs(way::serial) == 32);
}

TEST_CASE("calls: too deep, no stack left, no function, another kind of function") {
  const std::string endless = function1("again", "add.u32 %x, %x, 1;\n" + call1("again", "%x", "%y"));
  ptx::launch_config l = block_of(40);
  l.max_call_depth = 100;
  CHECK(fault_of(endless, call1("again", "%t", "%r1"), way::frontier, l) ==
        "kernel 'k', function 'again', line 9, column 55, BB2, thread (0, 0, 0) of thread block (0, 0, 0): "
        "'call.uni' "
        "nests calls too deep: the thread is in 100 calls, which is the limit");
  l.max_call_depth = 1000000;
  l.stack_bytes = 512;
  CHECK(fault_of(endless, call1("again", "%t", "%r1"), way::serial, l)
            .ends_with("'call.uni' nests calls too deep: the thread has 512 bytes of local memory for the frames of "
                       "recursive functions"));
  CHECK(fault_of("", "cvt.u64.u32 %rd1, %t;\n" + call_through("%rd1", "%t", "%r1"))
            .ends_with("'call' goes nowhere: address 0x0 belongs to no function"));
  CHECK(fault_of(".extern .func (.param .b32 r) pure(.param .b32 x);\n.global .u64 table[1] = {pure};\n" +
                     function1("real", "mov.u32 %y, 1;"),
                 "mov.u64 %rd2, real; ld.global.u64 %rd1, [table];\n" + call_through("%rd1", "%t", "%r1"))
            .ends_with("belongs to function 'pure', which has no body"));
  const std::string functions = function1("good", "mov.u32 %y, %x;") + ".func bad(.param .b64 x) { ret; }\n";
  const std::string other = fault_of(
      functions, "mov.u64 %rd1, good; mov.u64 %rd2, bad; setp.eq.u32 %p1, %t, 7; selp.b64 %rd1, %rd2, %rd1, %p1;\n" +
                     call_through("%rd1", "%t", "%r1"));
  CHECK(other.find("thread (7, 0, 0) of thread block (0, 0, 0): 'call' goes nowhere: address 0x") != std::string::npos);
  CHECK(other.ends_with("belongs to function 'bad', which takes or returns something else than this call passes"));
  CHECK(fault_of(".func stop() .noreturn { ret; }\n", "call stop;")
            .ends_with("'ret' goes nowhere: the function was called as one that does not return"));
  CHECK(fault_of(function1("load", "cvt.u64.u32 %d1, %x; ld.global.u32 %y, [%d1];"), call1("load", "%t", "%r1"))
            .starts_with("kernel 'k', function 'load', line 8, column"));
  CHECK(diagnostics_of(".extern .func gone();\n", "call gone;").find("function 'gone' has no body") !=
        std::string::npos);
}

TEST_CASE("calls: more registers to put away than a thread may have") {
  std::string body;
  for (int i = 0; i < 300; ++i) body += "mov.u64 %w" + std::to_string(i) + ", 1;\n";
  ptx::launch_config l = block_of(1);
  l.max_call_depth = 1000000;
  l.stack_bytes = 512U << 10;
  const std::string endless = function1("again", ".reg .b64 %w<300>;\n" + body + call1("again", "%x", "%y"));
  CHECK(fault_of(endless, call1("again", "%t", "%r1"), way::serial, l)
            .ends_with("nests calls too deep: the thread has 1 MiB of registers of functions that are called again"));
}

TEST_CASE("calls: a frame is aligned as its parameters are") {
  each_thread(
      ".func (.param .b32 r) wide(.param .align 32 .b8 x[32])\n{ .reg .b64 %a<5>; .reg .b32 %b;\n"
      "mov.b64 %a2, x; and.b64 %a2, %a2, 31; ld.param.u64 %a1, [x]; ld.param.u64 %a4, [x+24]; add.u64 %a1, %a1, %a4; "
      "add.u64 %a1, %a1, %a2; cvt.u32.u64 %b, %a1; st.param.b32 [r], %b; ret; }\n",
      "cvt.u64.u32 %rd1, %t; { .param .align 32 .b8 p[32]; .param .b32 q; st.param.b64 [p], %rd1; st.param.b64 [p+24], "
      "5; call (q), wide, (p); ld.param.b32 %r1, [q]; } st.global.u32 [%out], %r1;",
      [](std::uint32_t t) { return t + 5; });
}

TEST_CASE("calls: vprintf and __assertfail of another shape are functions without a body") {
  const auto has_no_body = [](std::string_view functions, std::string_view body) {
    return diagnostics_of(functions, body).find("has no body") != std::string::npos;
  };
  CHECK(has_no_body(".extern .func (.param .b32 r) vprintf(.param .b64 f);\n",
                    "{ .param .b64 p; .param .b32 r; call (r), vprintf, (p); }"));
  CHECK(has_no_body(".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b32 a);\n",
                    "{ .param .b64 p; .param .b32 r; call (r), vprintf, (p, %t); }"));
  CHECK(has_no_body(".extern .func (.reg .b64 r) vprintf(.param .b64 f, .param .b64 a);\n",
                    "call (%rd1), vprintf, (%rd2, %rd3);"));
  CHECK(has_no_body(".extern .func __assertfail(.param .b64 a, .param .b64 b);\n", "call __assertfail, (%rd2, %rd3);"));
  CHECK(diagnostics_of(".extern .func (.reg .b32 r) vprintf(.param .b64 f, .param .b64 a);\n",
                       "call (%r1), vprintf, (%rd2, %rd3);") == "");
}

TEST_CASE("calls: the functions of one list of targets take their parameters alike") {
  const std::string functions =
      ".func A(.param .b32 x, .param .align 64 .b32 y) { ret; }\n.func B(.param .b32 x, .param .b32 y) { ret; }\n";
  CHECK(diagnostics_of(functions, "mov.u64 %rd1, B;\nT: .calltargets A, B;\ncall %rd1, (%t, %t), T;") ==
        "line 15, column 22: functions 'A' and 'B' of one list take their parameters differently\n");
  CHECK(diagnostics_of(functions, "mov.u64 %rd1, B;\nT: .calltargets B;\ncall %rd1, (%t, %t), T;") == "");
}

TEST_CASE("calls: alloca gives memory that stays until its function returns, in recursive functions and others") {
  // %y = 0 + ... + %x from an array of the thread, kept over a call that has an array of its own.
  const std::string fill = R"(
mul.wide.u32 %d1, %x, 4; add.u64 %d1, %d1, 4; alloca.u64 %d2, %d1, 16; mov.u64 %d3, %d2; mov.u32 %z1, 0;
FILL: st.local.u32 [%d3], %z1; add.u64 %d3, %d3, 4; add.u32 %z1, %z1, 1; setp.le.u32 %q1, %z1, %x; @%q1 bra FILL;
)";
  const std::string sum = R"(
mov.u64 %d3, %d2; mov.u32 %z1, 0;
SUM: ld.local.u32 %z2, [%d3]; add.u32 %y, %y, %z2; add.u64 %d3, %d3, 4; add.u32 %z1, %z1, 1;
setp.le.u32 %q1, %z1, %x; @%q1 bra SUM;
)";
  const std::string functions =
      function1("flat", fill + "mov.u32 %y, 0;" + sum) +
      function1("nested", fill + "mov.u32 %y, 0; setp.eq.u32 %q2, %x, 0; @%q2 bra SKIP;\n" + "shr.u32 %z3, %x, 1;\n" +
                              call1("nested", "%z3", "%y") + call1("flat", "%x", "%z4") +
                              "add.u32 %y, %y, %z4;\nSKIP:" + sum);
  each_thread(functions, call1("nested", "%t", "%r1") + "st.global.u32 [%out], %r1;", [](std::uint32_t t) {
    std::uint32_t all = 0;
    for (std::uint32_t x = t; x != 0; x /= 2) all += x * (x + 1);  // once in nested, once in flat
    return all;
  });
  // 1000 calls of 4 KiB each need no more than one of them, and neither do 1000 turns that give their memory back.
  const std::string four = function1("four",
                                     "alloca.u64 %d1, 4096; st.local.u32 [%d1+4092], %x; "
                                     "ld.local.u32 %y, [%d1+4092];");
  each_thread(four,
              "mov.u32 %r3, 0; mov.u32 %r2, 0;\nLOOP:" + call1("four", "%t", "%r1") +
                  "stacksave.u64 %rd1; alloca.u64 %rd2, 4096, 64; st.local.u32 [%rd2], %r1;\n"
                  "ld.local.u32 %r1, [%rd2]; stackrestore.u64 %rd1;\n"
                  "add.u32 %r2, %r2, %r1; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 1000; @%p1 bra LOOP;\n"
                  "st.global.u32 [%out], %r2;",
              [](std::uint32_t t) { return 1000 * t; });
}

TEST_CASE("calls: alloca of too much, and stackrestore of what stacksave has not given, are faults") {
  CHECK(fault_of("", "alloca.u64 %rd1, 10000; alloca.u64 %rd2, 10000;")
            .ends_with("'alloca.u64' leaves the stack: 10000 bytes where 6384 of the thread's 16384 are left"));
  CHECK(fault_of("", "mov.u64 %rd3, -1; alloca.u64 %rd1, %rd3;").find("18446744073709551615 bytes where 16384 of") !=
        std::string::npos);
  CHECK(fault_of("", "alloca.u64 %rd1, 64; mov.u64 %rd2, 70000; stackrestore.u64 %rd2;")
            .ends_with("'stackrestore.u64' leaves the stack: no stacksave has given 70000 since the function was "
                       "called"));
  ptx::launch_config l = block_of(40);
  l.stack_bytes = 32U << 10;
  const machine_result r = run_under(
      way::frontier, decoded(with_thread_number("alloca.u64 %rd1, 10000; alloca.u64 %rd2, 10000;")), l, {{}, 40});
  CHECK(r.how == outcome::finished);
}
