// SPDX-License-Identifier: BSL-1.0
//
// Functions with an array without a size as last parameter, and prototypes with registers as parameters. The oracles
// are the same functions in C++.
#include "ptx/run_support.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

/// The words that 40 threads write, the same under every policy.
words agreed(const std::string& functions, const std::string& body) {
  return simtflow_tests::agreed(with_thread_number(body, functions), block_of(40), {}, 40);
}

/// sum(n, rest): the first n words of the rest.
constexpr std::string_view sum_function =
    ".func (.param .b32 r) sum(.param .b32 n, .param .align 4 .b8 rest[])\n"
    "{ .reg .b32 %n, %s, %x; .reg .b64 %a; .reg .pred %p; ld.param.b32 %n, [n]; mov.u32 %s, 0; mov.b64 %a, rest;\n"
    "cvta.local.u64 %a, %a;\n"
    "next: setp.eq.u32 %p, %n, 0; @%p bra done; ld.u32 %x, [%a]; add.u32 %s, %s, %x; add.u64 %a, %a, 4; sub.u32 %n, "
    "%n, 1; bra next;\n"
    "done: st.param.b32 [r], %s; ret; }\n";

}  // namespace

TEST_CASE("calls: each call passes as many bytes as it likes for an array without a size") {
  const std::string body =
      "rem.u32 %r1, %t, 3; setp.eq.u32 %p1, %r1, 0; @%p1 bra none; setp.eq.u32 %p1, %r1, 1; @%p1 bra one;\n"
      "{ .param .b32 n; .param .align 4 .b8 b[12]; .param .b32 s; st.param.b32 [n], 3; st.param.b32 [b], %t; "
      "st.param.b32 [b+4], 100; st.param.b32 [b+8], 1000; call (s), sum, (n, b); ld.param.b32 %r2, [s]; } bra store;\n"
      "one: { .param .b32 n; .param .align 4 .b8 b[4]; .param .b32 s; st.param.b32 [n], 1; st.param.b32 [b], %t; call "
      "(s), sum, (n, b); ld.param.b32 %r2, [s]; } bra store;\n"
      "none: { .param .b32 n; .param .b32 s; st.param.b32 [n], 0; call (s), sum, (n); ld.param.b32 %r2, [s]; }\n"
      "store: st.global.u32 [%out], %r2;";
  const std::vector<std::uint32_t> got = agreed(std::string(sum_function), body);
  for (std::uint32_t t = 0; t < 40; ++t) CHECK(got[t] == (t % 3 == 0 ? 0 : t % 3 == 1 ? t : t + 1100));
}

TEST_CASE("calls: an array without a size through a pointer, by name, in a function that calls itself") {
  const std::string through =
      "mov.u64 %rd1, sum; { .param .b32 n; .param .align 4 .b8 b[8]; .param .b32 s; st.param.b32 [n], 2; st.param.b32 "
      "[b], %t; st.param.b32 [b+4], 7; p: .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 4 .b8 _[]); "
      "call (s), %rd1, (n, b), p; ld.param.b32 %r2, [s]; } st.global.u32 [%out], %r2;";
  const std::vector<std::uint32_t> pointed = agreed(std::string(sum_function), through);
  for (std::uint32_t t = 0; t < 40; ++t) CHECK(pointed[t] == t + 7);

  // down(n, rest): rest[0] if n is 0, else 10 * down(n - 1, {rest[1], rest[0]}) + n.
  const std::string functions =
      ".func (.param .b32 r) down(.param .b32 n, .param .align 4 .b8 rest[])\n"
      "{ .reg .b32 %n, %x, %y; .reg .pred %p; .param .b32 m; .param .align 4 .b8 b[8]; .param .b32 s; ld.param.b32 %n, "
      "[n]; ld.param.b32 %x, [rest]; ld.param.b32 %y, [rest+4]; setp.eq.u32 %p, %n, 0; @%p bra done; sub.u32 %n, %n, "
      "1; st.param.b32 [m], %n; st.param.b32 [b], %y; st.param.b32 [b+4], %x; call (s), down, (m, b); ld.param.b32 "
      "%x, [s]; ld.param.b32 %n, [n]; mad.lo.u32 %x, %x, 10, %n;\n"
      "done: st.param.b32 [r], %x; ret; }\n";
  const std::string body =
      "{ .param .b32 n; .param .align 4 .b8 b[8]; .param .b32 s; rem.u32 %r1, %t, 5; st.param.b32 [n], %r1; "
      "st.param.b32 [b], 3; st.param.b32 [b+4], %t; call (s), down, (n, b); ld.param.b32 %r2, [s]; } st.global.u32 "
      "[%out], %r2;";
  const std::vector<std::uint32_t> got = agreed(functions, body);
  for (std::uint32_t t = 0; t < 40; ++t) {
    std::uint32_t v = t % 5 % 2 == 0 ? 3 : t;
    for (std::uint32_t n = 1; n <= t % 5; ++n) v = 10 * v + n;
    CHECK(got[t] == v);
  }
}

TEST_CASE("calls: a function reads more of an array without a size than any call passes") {
  // The value read is undefined; it lies in the function's own frame, and nothing else is harmed.
  const std::string functions =
      ".func (.param .b32 r) f(.param .align 16 .b8 rest[])\n"
      "{ .reg .b32 %x<4>; ld.param.v4.b32 {%x0, %x1, %x2, %x3}, [rest+4096]; ld.param.b32 %x0, [rest]; st.param.b32 "
      "[r], %x0; ret; }\n";
  const std::string body =
      ".local .b32 l; st.local.b32 [l], 9; { .param .align 16 .b8 b[4]; .param .b32 s; st.param.b32 [b], %t; call (s), "
      "f, (b); ld.param.b32 %r2, [s]; } ld.local.b32 %r3, [l]; mad.lo.u32 %r2, %r2, 10, %r3; st.global.u32 [%out], "
      "%r2;";
  const std::vector<std::uint32_t> got = agreed(functions, body);
  for (std::uint32_t t = 0; t < 40; ++t) CHECK(got[t] == 10 * t + 9);
}

TEST_CASE("calls: prototypes with registers as parameters") {
  const std::string functions =
      ".func (.reg .u32 r) add_up(.reg .u32 a, .reg .u64 b) { .reg .b32 %b; cvt.u32.u64 %b, b; add.u32 r, a, %b; ret; "
      "}\n";
  for (const std::string prototype :
       {"(.reg .u32 _) _ (.reg .u32 _, .reg .u64 _)", "(.reg .u32 x) _ (.reg .u32 a, .reg .u64 b)",
        "(.param .u32 _) _ (.param .u32 _, .param .u64 _)"}) {
    CAPTURE(prototype);
    const std::vector<std::uint32_t> got =
        agreed(functions, "mov.u64 %rd1, add_up; cvt.u64.u32 %rd2, %t;\np: .callprototype " + prototype +
                              ";\ncall (%r1), %rd1, (%t, %rd2), p; st.global.u32 [%out], %r1;");
    for (std::uint32_t t = 0; t < 40; ++t) CHECK(got[t] == 2 * t);
  }
}

TEST_CASE("calls: arrays without a size that make no sense") {
  const auto about = [](std::string_view module, std::string_view body = "ret;") {
    return text_of(diagnostics_in(std::string(header) + std::string(module) + "\n.visible .entry k() {\n" +
                                  std::string(body) + " ret; }\n"));
  };
  const std::string f = ".func f(.param .b32 n, .param .align 4 .b8 rest[]) { ret; }";
  CHECK(about(f, ".param .b32 n; .param .align 4 .b8 b[3]; call f, (n, b); call f, (n);") == "");
  CHECK(about(".func f(.param .b8 rest[], .param .b32 n) { ret; }") ==
        "line 4, column 20: an array without a size is the last parameter\n");
  CHECK(about(".func (.param .b8 r[]) f() { ret; }") == "line 4, column 19: a result is an array without a size\n");
  CHECK(about(".visible .entry k2(.param .b8 r[]) { ret; }") ==
        "line 4, column 31: a parameter of a kernel is an array without a size\n");
  CHECK(about(f, "call f;") == "line 6, column 7: 'f' takes 2 arguments, not 0\n");
  CHECK(about(f, ".param .b32 n; call f, (n, n, n);").find("takes 2 arguments, not 3") != std::string::npos);
  CHECK(about(f, ".param .b32 n; .param .align 8 .b8 b[8]; call f, (n, b);").find("is aligned to 8 bytes") !=
        std::string::npos);
  CHECK(about(f, ".param .b32 n; .reg .b32 b; call f, (n, b);").find("takes 0 bytes here") != std::string::npos);
  CHECK(about(".func f(.param .b8 rest[]) { .reg .b32 x; ld.param.b32 x, [rest+-4]; ret; }")
            .find("bytes -4 to -1 lie outside parameter 'rest'") != std::string::npos);
  CHECK(about(".func f(.param .b8 rest[]) { .reg .b32 x; st.param.b32 [rest], x; ret; }")
            .find("parameter 'rest' is only read, not written") != std::string::npos);
  CHECK(about("", "p: .callprototype (.param .b8 _[]) _ ();").find("a result is an array without a size") !=
        std::string::npos);
  CHECK(about("", "p: .callprototype _ (.reg .b128 _);").find("parameter '_' does not fit a register") !=
        std::string::npos);
}
