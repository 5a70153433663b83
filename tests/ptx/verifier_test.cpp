// SPDX-License-Identifier: BSL-1.0
#include "ptx/support.hpp"

using namespace simtflow;
using simtflow_tests::diagnostics_in;
using simtflow_tests::header;
using simtflow_tests::kernel_text;
using simtflow_tests::text_of;

namespace {

/// The diagnostics of one instruction in line 7 of a kernel with a few registers.
std::string about(std::string_view line) {
  return text_of(diagnostics_in(
      kernel_text(".reg .pred %p<4>; .reg .b16 %rs<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<8>; "
                  ".reg .f64 %fd<4>; .shared .b32 s[4];\n" +
                  std::string(line) + "\nret;")));
}

}  // namespace

TEST_CASE("verifier: unknown and unsupported instructions by name") {
  CHECK(about("frobnicate.u32 %r1, %r2;") == "line 7, column 1: unknown instruction 'frobnicate.u32'\n");
  CHECK(about("    shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;") == "");
  CHECK(about("call.uni (%r1), f, (%r2, %r3);") == "line 7, column 17: unknown function 'f'\n");
  CHECK(about("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [s, {%f1, %f2}];") ==
        "line 7, column 42: 'tex.2d.v4.f32.f32' takes a texture here\n");
  CHECK(about("tensormap.replace.tile.rank.b1024.b32 [%rd1], 1;").find("tensors have no memory here") !=
        std::string::npos);
  CHECK(about("mov.u64 %rd1, k;") ==
        "line 7, column 15: 'k' is a kernel: launches from the device are not supported\n");
  CHECK(about("alloca.u64 %rd1, 16, 12;") == "line 7, column 22: an alignment is a power of two\n");
  CHECK(about("vote.sync.any.pred %p1, %p2, -1;") == "");
  CHECK(about("brx.idx %r1, s;") == "line 7, column 14: 'brx.idx' takes a .branchtargets label here\n");
  CHECK(about("bar.red.popc.u32 %r1, 0, %p1;") == "");
}

TEST_CASE("verifier: modifiers must fit together") {
  CHECK(about("mul.s32 %r1, %r2, %r3;") ==
        "line 7, column 1: unsupported instruction 'mul.s32': an integer product needs .lo, .hi or .wide\n");
  CHECK(about("add %r1, %r2, %r3;") == "line 7, column 1: unsupported instruction 'add': it needs a type\n");
  CHECK(about("add.ftz.s32 %r1, %r2, %r3;") ==
        "line 7, column 1: unsupported instruction 'add.ftz.s32': integers are not rounded\n");
  CHECK(about("setp.s32 %p1, %r2, %r3;") ==
        "line 7, column 1: unsupported instruction 'setp.s32': it needs a comparison\n");
  CHECK(about("cvt.s32.f32 %r1, %f1;") ==
        "line 7, column 1: unsupported instruction 'cvt.s32.f32': it needs .rni, .rzi, .rmi or .rpi\n");
  CHECK(about("add.s32.s32 %r1, %r2, %r3;") ==
        "line 7, column 1: unsupported instruction 'add.s32.s32': modifier '.s32'\n");
  CHECK(about("fma.f32 %f1, %f2, %f3, %f4;") ==
        "line 7, column 1: unsupported instruction 'fma.f32': it needs a rounding mode\n");
}

TEST_CASE("verifier: operands") {
  CHECK(about("add.s32 %r1, %r2;") == "line 7, column 1: 'add.s32' takes 3 operands, not 2\n");
  CHECK(about("ret %r1;") == "line 7, column 1: 'ret' takes 0 operands, not 1\n");
  CHECK(about("add.s32 %r1, %r2, %r9;") == "line 7, column 19: unknown name '%r9'\n");
  CHECK(about("@%p9 add.s32 %r1, %r2, %r3;") == "line 7, column 2: unknown register '%p9'\n");
  CHECK(about("@%r1 add.s32 %r1, %r2, %r3;") == "line 7, column 2: the guard '%r1' is .b32, not .pred\n");
  CHECK(about("add.s32 %r1, %rd2, %f3;") ==
        "line 7, column 14: register '%rd2' is .b64, but 'add.s32' takes .s32 here\n"
        "line 7, column 20: register '%f3' is .f32, but 'add.s32' takes .s32 here\n");
  CHECK(about("add.s32 5, %r2, %r3;") == "line 7, column 9: the result of 'add.s32' goes to a register\n");
  CHECK(about("add.f32 %f1, %f2, 1;") == "line 7, column 19: an integer constant where 'add.f32' takes .f32\n");
  CHECK(about("add.s32 %r1, %r2, 0f3F800000;") ==
        "line 7, column 19: a floating-point constant where 'add.s32' takes .s32\n");
  CHECK(about("setp.eq.s32 %r1, %r2, %r3;") ==
        "line 7, column 13: register '%r1' is .b32, but 'setp.eq.s32' takes .pred here\n");
  CHECK(about("setp.eq.and.s32 %p1, %r2, %r3;") == "line 7, column 1: 'setp.eq.and.s32' takes 4 operands, not 3\n");
  CHECK(about("selp.b32 %r1, %r2, %r3, %r4;") ==
        "line 7, column 25: register '%r4' is .b32, but 'selp.b32' takes .pred here\n");
  CHECK(about("add.s32 %r1, %r2, !%p1;") == "line 7, column 19: '!' belongs to a predicate\n");
  CHECK(about("add.s32 %r1, [%r2], %r1;") == "line 7, column 14: 'add.s32' takes a register or a constant here\n");
  CHECK(about("ld.global.u32 %r1, %rd1;") == "line 7, column 20: 'ld.global.u32' takes an address in brackets here\n");
  CHECK(about("mov.f32 %f1, s;") == "line 7, column 14: the address of 's' does not fit .f32\n");
  CHECK(about("add.s32 %r1, %r2, s;") ==
        "line 7, column 19: the address of a variable is taken with mov or cvta, not 'add.s32'\n");
  CHECK(about("mul.wide.s32 %r1, %r2, %r3;") ==
        "line 7, column 14: register '%r1' is .b32, but 'mul.wide.s32' takes .s64 here\n");
}

TEST_CASE("verifier: wider registers fit loads, stores and conversions only") {
  CHECK(about("ld.global.u8 %rd1, [%rd2];") == "");
  CHECK(about("st.global.u8 [%rd2], %r1;") == "");
  CHECK(about("cvt.u16.u32 %rd1, %r2;") == "");
  CHECK(about("ld.global.f32 %fd1, [%rd2];") ==
        "line 7, column 15: register '%fd1' is .f64, but 'ld.global.f32' takes .f32 here\n");
  CHECK(about("ld.global.u64 %r1, [%rd2];") ==
        "line 7, column 15: register '%r1' is .b32, but 'ld.global.u64' takes .u64 here\n");
  CHECK(about("and.b32 %f1, %f2, %r1;") == "");
  CHECK(about("mov.b32 %r1, %f1;") == "");
  CHECK(about("mov.u32 %r1, %f1;") == "line 7, column 14: register '%f1' is .f32, but 'mov.u32' takes .u32 here\n");
}

TEST_CASE("verifier: memory operands") {
  CHECK(about("ld.shared.u32 %r1, [s];") == "");
  CHECK(about("ld.global.u32 %r1, [s];") == "line 7, column 20: 's' is in .shared memory, not in .global\n");
  CHECK(about("ld.global.u32 %r1, [nowhere];") == "line 7, column 21: unknown name 'nowhere'\n");
  CHECK(about("ld.param.u32 %r1, [n];") == "");
  CHECK(about("ld.param.u64 %rd1, [n];") == "line 7, column 20: bytes 0 to 7 lie outside parameter 'n' of 4 bytes\n");
  CHECK(about("ld.param.u32 %r1, [n+4];") == "");  // as ptxas; a fault when it runs
  CHECK(about("ld.param.u32 %r1, [in+-4];") ==
        "line 7, column 19: bytes -4 to -1 lie outside parameter 'in' of 8 bytes\n");
  CHECK(about("ld.param.u32 %r1, [in+2];") == "line 7, column 19: offset 2 in parameter 'in' is not a multiple of 4\n");
  CHECK(about("st.param.u32 [n], %r1;") == "line 7, column 14: parameter 'n' is only read, not written\n");
  CHECK(about("ld.global.v2.u32 {%r1, %r2, %r3}, [%rd1];") ==
        "line 7, column 18: 'ld.global.v2.u32' takes a vector of 2 here\n");
  CHECK(about("ld.global.u32 %r1, [%rs1];") == "line 7, column 20: register '%rs1' is .b16: no address\n");
}

TEST_CASE("verifier: 128-bit registers fit nothing but .b128") {
  CHECK(about(".reg .b128 %q; cvt.s64.s32 %q, %r1;") ==
        "line 7, column 28: register '%q' is .b128, but 'cvt.s64.s32' takes .s64 here\n");
  CHECK(about(".reg .b128 %q; ld.global.u64 %q, [%rd1];") ==
        "line 7, column 30: register '%q' is .b128, but 'ld.global.u64' takes .u64 here\n");
}

TEST_CASE("verifier: control flow") {
  CHECK(about("bra nowhere;") == "line 7, column 5: unknown label 'nowhere'\n");
  CHECK(about("bra %r1;") == "line 7, column 5: 'bra' goes to a label\n");
  CHECK(about("@%p1 bar.sync 0;") == "");
  CHECK(about("bar.sync 1;") == "");
  CHECK(about("bar.sync 0, 64;") == "");
  CHECK(about("bar.sync %r1;") == "");
  CHECK(about("barrier.sync.aligned 0;") == "");
  CHECK(text_of(diagnostics_in(kernel_text("bar.sync 0;"))) ==
        "line 7, column 1: kernel 'k' runs off its end: its last instruction is no exit, ret or bra\n");
  CHECK(text_of(diagnostics_in(kernel_text(""))) ==
        "line 7, column 1: kernel 'k' runs off its end: its last instruction is no exit, ret or bra\n");
  CHECK(text_of(diagnostics_in(kernel_text(".reg .pred %p; @%p ret;"))) ==
        "line 7, column 1: kernel 'k' runs off its end: its last instruction is no exit, ret or bra\n");
  CHECK(text_of(diagnostics_in(kernel_text("bra end;\nret;\nend:"))) ==
        "line 6, column 5: label 'end' stands after the last instruction\n");
}

TEST_CASE("verifier: registers that read all four ages of syntax") {
  CHECK(about("mov.u16 %rs1, %tid.x;") == "");
  CHECK(about("cvt.u32.u16 %r1, %tid.x;") == "");
  CHECK(about("mov.u64 %rd1, %tid.x;") ==
        "line 7, column 15: a special register is .u32, but 'mov.u64' takes .u64 here\n");
  CHECK(about("mov.u32 %r1, %clock;") == "");
  CHECK(about("mov.u32 %r1, %tid.w;") == "line 7, column 14: unknown name '%tid.w'\n");
  CHECK(about("mov.u32 %r1, WARP_SZ;") == "");
  CHECK(about("mov.b64 {%r1, _}, %rd1;") == "");
  CHECK(about("mov.b64 %rd1, {%r1, %r2};") == "");
  CHECK(about("mov.b64 %rd1, {%r1, %rd2};") ==
        "line 7, column 21: register '%rd2' is .b64, but 'mov.b64' takes .b32 here\n");
  CHECK(about("mov.b64 {%r1, %r2}, {%r3, %r4};") == "line 7, column 21: 'mov.b64' does not take this vector\n");
  CHECK(about("setp.lt.or.f32 %p1|%p2, %f1, %f2, !%p3;") == "");
  CHECK(about("setp.lt.or.f32 _|%p2, %f1, %f2, !%p3;") == "");
  CHECK(about("and.pred %p1, %p2, !%p3;") == "");
}

// --- calls and tables ----------------------------------------------------------------------------------------------

namespace {

/// The diagnostics of lines in a kernel after a few device functions: line 10 is the first.
std::string of_call(std::string_view lines) {
  return text_of(
      diagnostics_in(std::string(header) +
                     ".func (.param .b32 r) f(.param .b32 a, .param .b64 b) { ret; }\n"
                     ".func big(.param .align 8 .b8 a[16]) { ret; }\n"
                     ".func never() .noreturn { L: bra L; }\n"
                     ".entry k(.param .u64 in, .param .u32 n)\n{\n"
                     ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<8>; .shared .b32 s[4];\n" +
                     std::string(lines) + "\nret;\n}\n"));
}

}  // namespace

TEST_CASE("verifier: calls that fit") {
  for (const char* lines :
       {"call (%r1), f, (%r2, %rd1);", "call (%f1), f, (5, 1.0);", "call (_), f, (%f1, %rd1);",
        "@!%p1 call.uni (%r1), f, (%r2, 7);", "{ .param .f32 a; .param .u64 b; .param .s32 r; call (r), f, (a, b); }",
        "{ .param .align 8 .b8 a[16]; call big, (a); }", "{ .param .b64 a[2]; call big, (a); }", "call never;",
        "call never, ();", "pt: .callprototype _ (.param .b32 _); call %rd1, (%r1), pt;",
        "pt: .callprototype (.param .f32 _) _ (); call (%f1), %rd1, (), pt;",
        "ct: .calltargets f; call (%r1), %rd1, (%r1, %rd1), ct;", "mov.u64 %rd1, f;",
        "t: .branchtargets A, B; brx.idx %r1, t; A: bra A; B:"}) {
    CAPTURE(lines);
    CHECK(of_call(lines) == "");
  }
}

TEST_CASE("verifier: calls that do not") {
  struct row {
    const char* text;
    const char* said;
  };
  constexpr row rows[] = {
      {"call f, (%r1);", "line 10, column 6: 'f' takes 1 result, not 0\n"},
      {"call (%r1), f;", "line 10, column 14: 'f' takes 2 arguments, not 0\n"},
      {"call (%r1, %r2), f, (%r1, %rd1);", "line 10, column 6: 'f' takes 1 result, not 2\n"},
      {"call (%rd1), f, (%r1, %rd1);", "line 10, column 7: register '%rd1' is .b64, but 'call' takes .b32 here\n"},
      {"call (%r1), f, (%f1, %r1);", "line 10, column 22: register '%r1' is .b32, but 'call' takes .b64 here\n"},
      {"call (%r1), f, (_, %rd1);", "line 10, column 17: 'call' takes a .param variable or a register here\n"},
      {"call (%r1), f, (!%p1, %rd1);", "line 10, column 18: expected a constant instead of '%p1'\n"},
      {"call (%r1), f, (%p1, %rd1);", "line 10, column 17: register '%p1' is .pred, but 'call' takes .b32 here\n"},
      {"{ .param .b32 a; .param .b32 b; .param .b64 r; call (r), f, (a, b); }",
       "line 10, column 54: result 'r' is .b64, but 'f' takes .b32 here\nline 10, column 65: argument 'b' is .b32, but "
       "'f' takes .b64 here\n"},
      {"{ .param .f32 a; .param .align 4 .b64 b; .param .b32 r; call (r), f, (a, b); }",
       "line 10, column 74: argument 'b' is aligned to 4 bytes, but 'f' wants 8\n"},
      {"{ .param .b8 a[4]; .param .u64 b; .param .b32 r; call (r), f, (a, b); }",
       "line 10, column 64: argument 'a' is aligned to 1 byte, but 'f' wants 4\n"},
      {"call (n), f, (%r1, %rd1);", "line 10, column 7: 'call' takes a .param variable or a register here\n"},
      {"call (%r1), f, (s, %rd1);", "line 10, column 17: 'call' takes a .param variable or a register here\n"},
      {"{ .param .b64 b; .param .b32 r; call (r+4), f, (%r1, b); }",
       "line 10, column 39: 'call' passes whole registers and parameters\n"},
      {"call big, (%r1);", "line 10, column 12: 'big' takes 16 bytes here\n"},
      {"{ .param .align 8 .b8 a[12]; call big, (a); }",
       "line 10, column 41: argument 'a' is 12 bytes, but 'big' takes 16 bytes here\n"},
      {"pt: .callprototype _ (.param .b32 _); call %rd1, (%rd1), pt;",
       "line 10, column 51: register '%rd1' is .b64, but 'call' takes .b32 here\n"},
      {"pt: .callprototype _ (.param .b32 _); call %r1, (%r1), pt;",
       "line 10, column 44: register '%r1' is .b32: no address of a function\n"},
      {"ct: .calltargets f, big; call (%r1), %rd1, (%r1, %rd1), ct;",
       "line 10, column 31: 'big' takes no results, not 1\n"},
      {"call (%r1), f, (%r1, %rd1), s;", "line 10, column 29: 'call' takes a prototype or a list of targets here\n"},
      {"call (%r1), %rd1, (%r1, %rd1);",
       "line 10, column 13: a call through a register needs a prototype or a list of targets\n"},
      {"mov.u64 %rd1, f; mov.u32 %r1, f; add.u64 %rd1, %rd1, f;",
       "line 10, column 31: the address of 'f' does not fit .u32\nline 10, column 54: the address of a function is "
       "taken with mov, not 'add.u64'\n"},
      {"call nope, (%r1);", "line 10, column 6: unknown function 'nope'\n"},
      {"call 5;", "line 10, column 6: 'call' takes a function or a register here\n"},
      {"call s;", "line 10, column 6: 'call' takes a function or a register here\n"},
      {"call %rd1, (), nope;", "line 10, column 16: unknown prototype 'nope'\n"},
      {"brx.idx %r1, ts;", "line 10, column 14: unknown branch table 'ts'\n"},
      {"brx.idx %r1;", "line 10, column 1: 'brx.idx' takes 2 operands, not 1\n"},
      {"brx.idx 5, s;",
       "line 10, column 9: 'brx.idx' takes a register here\nline 10, column 12: 'brx.idx' takes a .branchtargets label "
       "here\n"},
      {"t: .branchtargets A; A: brx.idx %f1, t;",
       "line 10, column 33: register '%f1' is .f32, but 'brx.idx' takes .u32 here\n"},
      {"t: .branchtargets A; A: brx.idx %rd1, t;",
       "line 10, column 33: register '%rd1' is .b64, but 'brx.idx' takes .u32 here\n"},
      {"call f, %r1;", "line 10, column 9: 'call' takes a prototype or a list of targets here\n"},
      {"call k;", "line 10, column 6: unknown function 'k'\n"},
  };
  for (const row& r : rows) {
    CAPTURE(r.text);
    CHECK(of_call(r.text) == r.said);
  }
}

TEST_CASE("verifier: a register does not stand for a parameter wider than any") {
  CHECK(
      text_of(diagnostics_in(std::string(header) +
                             ".func wide(.param .b128 a) { ret; }\n"
                             ".entry k() { .reg .b128 %q; .reg .b64 %r; call wide, (%q); call wide, (%r); ret; }\n")) ==
      "line 5, column 55: 'wide' takes .b128 here\nline 5, column 72: 'wide' takes .b128 here\n");
}

TEST_CASE("verifier: cp.async copies 4, 8 or 16 bytes") {
  CHECK(about("cp.async.ca.shared.global [%r1], [%rd1], 8;") == "");
  CHECK(about("cp.async.cg.shared.global [%r1], [%rd1], 16;") == "");
  CHECK(about("cp.async.ca.shared.global [%r1], [%rd1], 3;") ==
        "line 7, column 42: 'cp.async.ca.shared.global' copies 4, 8 or 16 bytes\n");
  CHECK(about("cp.async.ca.shared.global [%r1], [%rd1];") ==
        "line 7, column 1: 'cp.async.ca.shared.global' takes 3 operands, not 2\n");
  CHECK(about("cp.async.ca.shared.global [%r1], [%rd1], %r2;") ==
        "line 7, column 42: 'cp.async.ca.shared.global' copies 4, 8 or 16 bytes\n");
  CHECK(about("cp.async.cg.shared.global [%r1], [%rd1], 8;") ==
        "line 7, column 42: 'cp.async.cg.shared.global' copies 16 bytes\n");
  CHECK(about("cp.async.ca.shared.global [s+4], [%rd1], 4;") == "");
  CHECK(about("cp.async.ca.shared.global [%r1], [%rd1], 4, %p1;") == "");
  CHECK(about("cp.async.ca.shared.global [%r1], [s], 4;") ==
        "line 7, column 34: 's' is in .shared memory, not in .global\n");
}

TEST_CASE("verifier: parameters and results of functions") {
  const auto of_function = [](std::string_view body) {
    return text_of(diagnostics_in(std::string(header) +
                                  ".func (.param .b32 r) f(.param .b64 a, .param .align 4 .b8 c[12]) {\n" +
                                  ".reg .b32 %r<4>; .reg .b64 %rd<4>;\n" + std::string(body) + "\n}\n"));
  };
  CHECK(of_function("ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [c+8]; st.param.b32 [r], %r1; ret;") == "");
  CHECK(of_function("ld.param.u32 %r1, [r]; ret;") == "line 6, column 19: result 'r' is only written, not read\n");
  CHECK(of_function("st.param.u64 [a], %rd1; ret;") == "line 6, column 14: parameter 'a' is only read, not written\n");
  CHECK(of_function("ld.param.u32 %r1, [c+12]; ret;") ==
        "line 6, column 19: bytes 12 to 15 lie outside parameter 'c' of 12 bytes\n");
  CHECK(of_function("st.param.b64 [r], %rd1; ret;") ==
        "line 6, column 14: bytes 0 to 7 lie outside parameter 'r' of 4 bytes\n");
  CHECK(of_function("{ .param .b32 x; st.param.b32 [x+4], %r1; } ret;") ==
        "line 6, column 31: bytes 4 to 7 lie outside parameter 'x' of 4 bytes\n");
  CHECK(of_function("mov.u64 %rd1, c; { .param .b32 x; mov.u64 %rd1, x; } mov.u64 %rd1, r; ret;") == "");
  CHECK(of_call("mov.u64 %rd1, in; { .param .b32 x; mov.u64 %rd1, x; }") ==
        "line 10, column 50: the address of 'x', a parameter of a call in a kernel, is not supported\n");
  CHECK(of_function("mov.u32 %r1, %r2;") ==
        "line 7, column 1: function 'f' runs off its end: its last instruction is no exit, ret or bra\n");
}

TEST_CASE("verifier: barriers, fences and vectors that there are") {
  CHECK(about("bar.sync 15; bar.red.popc.u32 %r1, 15, %p1; barrier.arrive 15, 64;") == "");
  CHECK(about("bar.sync 16;") == "line 7, column 10: a thread block has barriers 0 to 15\n");
  CHECK(about("bar.red.popc.u32 %r1, 16, %p1;") == "line 7, column 23: a thread block has barriers 0 to 15\n");
  CHECK(about("fence.proxy.async; fence.proxy.alias; fence.proxy.async::global;") == "");
  CHECK(about("ld.global.v4.f64 {%fd0, %fd1, %fd2, %fd3}, [%rd1];") == "");
  CHECK(about("ld.shared.v4.f64 {%fd0, %fd1, %fd2, %fd3}, [s];").find("vectors of 32 bytes are in global memory") !=
        std::string::npos);
}

TEST_CASE("verifier: an end that nothing reaches is no end") {
  const std::string h = std::string(header) + ".func never() .noreturn;\n.func sometimes();\n";
  const auto end_of = [&](std::string_view body) {
    return text_of(diagnostics_in(h + ".entry k() { .reg .pred %p; .reg .b32 %r; " + std::string(body) + " }\n"));
  };
  CHECK(end_of("call never;") == "");
  CHECK(end_of("trap;") == "");
  CHECK(end_of("L: bra L; bar.sync 0;") == "");
  CHECK(end_of("exit; mov.b32 %r, 1;") == "");
  CHECK(end_of("t: .branchtargets L; L: brx.idx %r, t;") == "");
  CHECK(end_of("p: .callprototype _ .noreturn; .reg .b64 %rd; call %rd, p;") == "");
  for (const char* body : {"@%p call never;", "call sometimes;", "@%p trap;", "bra L; L: mov.b32 %r, 1;",
                           "t: .branchtargets L; L: @%p brx.idx %r, t;"}) {
    CAPTURE(body);
    CHECK(end_of(body).find("kernel 'k' runs off its end") != std::string::npos);
  }
  CHECK(end_of("t: .branchtargets L, E; L: brx.idx %r, t; E:") ==
        "line 6, column 43: label 'E' stands after the last instruction\n");
}

TEST_CASE("verifier: names in initialisers, directives that exclude each other") {
  CHECK(text_of(diagnostics_in(std::string(header) +
                               ".global .u64 x[2] = {x, y};\n.func f() { ret; }\n.global .u64 z = f;\n")) ==
        "line 4, column 14: unknown name 'y' in the initialiser of 'x'\n");
  CHECK(text_of(diagnostics_in(std::string(header) + ".entry k() .maxntid 32 .reqntid 32 { ret; }\n")) ==
        "line 4, column 8: kernel 'k' has both .maxntid and .reqntid\n");
}

TEST_CASE("verifier: special registers have types") {
  CHECK(about("mov.u64 %rd1, %clock64;") == "");
  CHECK(about("mov.u64 %rd1, %globaltimer;") == "");
  CHECK(about("mov.u32 %r1, %gridid;") == "");
  CHECK(about("mov.pred %p1, %is_explicit_cluster;") == "");
  CHECK(about("mov.u32 %r1, %clock64;") ==
        "line 7, column 14: a special register is .u64, but 'mov.u32' takes .u32 here\n");
  CHECK(about("mov.u16 %rs1, %clock;") ==
        "line 7, column 15: a special register is .u32, but 'mov.u16' takes .u16 here\n");
}
