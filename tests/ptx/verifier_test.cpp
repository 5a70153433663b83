// SPDX-License-Identifier: BSL-1.0
#include "ptx/support.hpp"

using namespace simtflow;
using ptx_test::findings;
using ptx_test::header;
using ptx_test::kernel_text;
using ptx_test::text_of;

namespace {

/// The findings of one instruction in line 7 of a kernel with a few registers.
std::string about(std::string_view line) {
  return text_of(
      findings(kernel_text(".reg .pred %p<4>; .reg .b16 %rs<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<8>; "
                           ".reg .f64 %fd<4>; .shared .b32 s[4];\n" +
                           std::string(line) + "\nret;")));
}

}  // namespace

TEST_CASE("ptx verifier: unknown and unsupported instructions by name") {
  CHECK(about("frobnicate.u32 %r1, %r2;") == "line 7, column 1: unknown instruction 'frobnicate.u32'\n");
  CHECK(about("    shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;") ==
        "line 7, column 5: unsupported instruction 'shfl.sync.bfly.b32'\n");
  CHECK(about("call.uni (%r1), f, (%r2, %r3);") == "line 7, column 1: unsupported instruction 'call.uni'\n");
  CHECK(about("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [s, {%f1, %f2}];") ==
        "line 7, column 1: unsupported instruction 'tex.2d.v4.f32.f32'\n");
  CHECK(about("vote.sync.any.pred %p1, %p2, -1;") ==
        "line 7, column 1: unsupported instruction 'vote.sync.any.pred'\n");
  CHECK(about("add.f16 %rs1, %rs2, %rs3;") == "line 7, column 1: unsupported instruction 'add.f16': type '.f16'\n");
  CHECK(about("add.cc.u32 %r1, %r2, %r3;") ==
        "line 7, column 1: unsupported instruction 'add.cc.u32': modifier '.cc'\n");
  CHECK(about("brx.idx %r1, s;") == "line 7, column 1: unsupported instruction 'brx.idx'\n");
  CHECK(about("add.rz.f64 %fd1, %fd2, %fd3;") ==
        "line 7, column 1: unsupported instruction 'add.rz.f64': f64 arithmetic rounds to nearest only\n");
  CHECK(about("bar.red.popc.u32 %r1, 0, %p1;") ==
        "line 7, column 1: unsupported instruction 'bar.red.popc.u32': modifier '.red'\n");
}

TEST_CASE("ptx verifier: modifiers must fit together") {
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

TEST_CASE("ptx verifier: operands") {
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

TEST_CASE("ptx verifier: wider registers fit loads, stores and conversions only") {
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

TEST_CASE("ptx verifier: memory operands") {
  CHECK(about("ld.shared.u32 %r1, [s];") == "");
  CHECK(about("ld.global.u32 %r1, [s];") == "line 7, column 20: 's' is in .shared memory, not in .global\n");
  CHECK(about("ld.global.u32 %r1, [nowhere];") == "line 7, column 21: unknown name 'nowhere'\n");
  CHECK(about("ld.param.u32 %r1, [n];") == "");
  CHECK(about("ld.param.u64 %rd1, [n];") == "line 7, column 20: bytes 0 to 7 lie outside parameter 'n' of 4 bytes\n");
  CHECK(about("ld.param.u32 %r1, [n+4];") == "line 7, column 19: bytes 4 to 7 lie outside parameter 'n' of 4 bytes\n");
  CHECK(about("ld.param.u32 %r1, [in+-4];") ==
        "line 7, column 19: bytes -4 to -1 lie outside parameter 'in' of 8 bytes\n");
  CHECK(about("ld.param.u32 %r1, [in+2];") == "line 7, column 19: offset 2 in parameter 'in' is not a multiple of 4\n");
  CHECK(about("st.param.u32 [n], %r1;") ==
        "line 7, column 1: unsupported instruction 'st.param.u32': kernel parameters cannot be stored to\n");
  CHECK(about("ld.global.v2.u32 {%r1, %r2, %r3}, [%rd1];") ==
        "line 7, column 18: 'ld.global.v2.u32' takes a vector of 2 here\n");
  CHECK(about("ld.global.u32 %r1, [%rs1];") == "line 7, column 20: register '%rs1' is .b16: no address\n");
}

TEST_CASE("ptx verifier: 128-bit registers fit nothing") {
  CHECK(about(".reg .b128 %q; cvt.s64.s32 %q, %r1;") ==
        "line 7, column 28: register '%q' is .b128, but 'cvt.s64.s32' takes .s64 here\n");
  CHECK(about(".reg .b128 %q; ld.global.u64 %q, [%rd1];") ==
        "line 7, column 30: register '%q' is .b128, but 'ld.global.u64' takes .u64 here\n");
}

TEST_CASE("ptx verifier: control flow") {
  CHECK(about("bra nowhere;") == "line 7, column 5: unknown label 'nowhere'\n");
  CHECK(about("bra %r1;") == "line 7, column 5: 'bra' goes to a label\n");
  CHECK(about("@%p1 bar.sync 0;") == "line 7, column 6: unsupported instruction 'bar.sync' under a guard\n");
  CHECK(about("bar.sync 1;") == "line 7, column 10: unsupported instruction 'bar.sync': only barrier 0\n");
  CHECK(about("bar.sync 0, 64;") == "line 7, column 13: unsupported instruction 'bar.sync' with a number of threads\n");
  CHECK(about("bar.sync %r1;") ==
        "line 7, column 10: unsupported instruction 'bar.sync': only barrier 0, as a constant\n");
  CHECK(about("barrier.sync.aligned 0;") == "");
  CHECK(text_of(findings(kernel_text("bar.sync 0;"))) ==
        "line 7, column 1: kernel 'k' runs off its end: its last instruction is no exit, ret or bra\n");
  CHECK(text_of(findings(kernel_text(""))) ==
        "line 7, column 1: kernel 'k' runs off its end: its last instruction is no exit, ret or bra\n");
  CHECK(text_of(findings(kernel_text(".reg .pred %p; @%p ret;"))) ==
        "line 7, column 1: kernel 'k' runs off its end: its last instruction is no exit, ret or bra\n");
  CHECK(text_of(findings(kernel_text("bra end;\nret;\nend:"))) ==
        "line 6, column 5: label 'end' stands behind the last instruction\n");
}

TEST_CASE("ptx verifier: registers that read all four ages of syntax") {
  CHECK(about("mov.u16 %rs1, %tid.x;") == "");
  CHECK(about("cvt.u32.u16 %r1, %tid.x;") == "");
  CHECK(about("mov.u64 %rd1, %tid.x;") ==
        "line 7, column 15: a special register is .u32, but 'mov.u64' takes .u64 here\n");
  CHECK(about("mov.u32 %r1, %clock;") == "line 7, column 14: unknown name '%clock'\n");
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
