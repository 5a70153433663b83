// SPDX-License-Identifier: BSL-1.0
//
// Forms of PTX that no compiler writes but ptxas accepts: their results; that they are printed and read back; that
// rewriting keeps them. And forms that ptxas refuses. Expected values are written out; if ptxas is found, it is asked
// about each line.
#include "ptx/module_equality.hpp"
#include "ptx/ptxas_answer.hpp"
#include "ptx/run_support.hpp"
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/printer.hpp>
#include <simtflow/ptx/transform/rewrite.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

/// A kernel with that body for sm_80, which has all of these forms.
std::string text_with(std::string_view body, std::string_view functions) {
  std::string text = with_thread_number(body, functions);
  return text.replace(text.find("sm_75"), 5, "sm_80");
}

words result_of(const ptx::module& m, way w) {
  auto d = ptx::decode(m, m.kernels.front());
  REQUIRE_MESSAGE(d.has_value(), text_of(d.diagnostics()));
  const machine_result r = run_under(w, *d, block_of(40), {words(40, 7), 40});
  REQUIRE_MESSAGE(r.how == outcome::finished, r.fault.describe());
  return r.out;
}

/// The values that a body stores for threads 0, 1, ...: from the text as it stands, printed and read back, and
/// rewritten by a plan that changes nothing. All three must agree.
template <class F>
void computes(std::string_view body, F expected, std::string_view functions = {}) {
  CAPTURE(std::string(body));
  ptx::module m = module_of(text_with(body, functions));
  const std::string printed = ptx::print(m);
  const ptx::module again = module_of(printed);
  std::string why;
  CHECK_MESSAGE(same_module(m, again, why), why << printed);
  const auto code = ptx::verify(m, m.kernels[0]);
  REQUIRE_MESSAGE(code.has_value(), text_of(code.diagnostics()));
  auto r = ptx::rewrite(*code, flow_plan(code->blocks().graph()));
  REQUIRE_MESSAGE(r.has_value(), text_of(r.diagnostics()));
  ptx::module rewritten = m;
  rewritten.kernels[0] = *std::move(r);
  for (const way w : {way::pdom, way::serial}) {
    const words got = result_of(m, w);
    for (std::uint32_t t = 0; t < 40; ++t) CHECK(got[t] == static_cast<std::uint32_t>(expected(t)));
    CHECK(result_of(again, w) == got);
    CHECK(result_of(module_of(ptx::print(rewritten)), w) == got);
  }
}

/// A line of PTX, and whether ptxas 13 accepts it (in a kernel for the target and version of its family).
struct form {
  const char* text;
  bool taken;
};
struct family {
  const char* version;
  const char* target;
  std::vector<form> forms;
};
const family families[] = {
    {"8.0",
     "sm_80",
     {{"ld.global.f32 %rd2, [%rd1];", true},
      {"ld.global.b32 %rd2, [%rd1];", true},
      {"ld.global.b8 %fd1, [%rd1];", true},
      {"ld.global.u8 %hx, [%rd1];", true},
      {"ld.global.f32 %hx, [%rd1];", false},
      {"ld.global.f32 %ud, [%rd1];", false},
      {"ld.global.u32 %fd1, [%rd1];", false},
      {"ld.global.f64 %r1, [%rd1];", false},
      {"st.global.f32 [%rd1], %rd2;", true},
      {"st.global.b16 [%rd1], %f1;", true},
      {"st.global.f32 [%rd1], %fd1;", false},
      {"cvt.rn.f16.f32 %rd2, %f1;", true},
      {"cvt.rn.f32.u32 %rd2, %r1;", true},
      {"cvt.rzi.u32.f32 %r1, %rd2;", true},
      {"cvt.rn.f16x2.f32 %rd2, %f1, %f2;", true},
      {"cvt.rn.bf16.f32 %rd2, %f1;", false},
      {"cvt.rna.tf32.f32 %rd2, %f1;", false},
      {"cvt.rna.tf32.f32 %f2, %f1;", false},
      {"add.u32 %hx, %hx, %r1;", true},
      {"add.f32 %hx, %hx, %hx;", false},
      {"add.f16x2 %f1, %f1, %f1;", false},
      {"ld.b32 %r1, [sh];", true},
      {"ld.b32 %r1, [loc+4];", true},
      {"ld.b32 %r1, [gl];", true},
      {"ld.b32 %r1, [cn];", false},
      {"st.u32 [sh], %r1;", true},
      {"ld.volatile.u32 %r1, [sh];", true},
      {"atom.add.u32 %r1, [sh], 1;", true},
      {"atom.add.u32 %r1, [loc], 1;", true},
      {"red.add.u32 [loc], 1;", true},
      {"mov.v4.u16 {%h1,%h2,%h3,%h4}, {%h2,%h2,%h2,%h2};", true},
      {"mov.v2.b64 {%rd1,%rd2}, {%rd2,%rd1};", true},
      {"mov.v2.f64 {%fd1,%fd2}, {%fd2,1.0};", true},
      {"mov.v2.u32 {%r1,_}, {%tid.x,%r2};", true},
      {"mov.v4.u64 {%rd1,%rd2,%rd3,%rd4}, {%rd1,%rd2,%rd3,%rd4};", false},
      {"mov.v2.u8 {%h1,%h2}, {%h2,%h1};", false},
      {"mov.v2.f16 {%h1,%h2}, {%h2,%h1};", false},
      {"mov.v2.pred {%p1,%p2}, {%p2,%p1};", false},
      {"mov.v2.u32 {%r1,%r2}, {%r1,%r2,%r3};", false},
      {"mov.v2.u32 %r1, {%r1,%r2};", false},
      {"mov.v2.u32 {%r1,%rd1}, {%r1,%r2};", false},
      {"mov.v8.u16 {%h1,%h2,%h3,%h4,%h1,%h2,%h3,%h4}, {%h1,%h2,%h3,%h4,%h1,%h2,%h3,%h4};", false},
      {"selp.u16 %h1, %h2, %h3, 0;", true},
      {"selp.u32 %r1, %r2, %r3, !1;", true},
      {"selp.u32 %r1, %r2, %r3, 1.0;", false},
      {"vote.sync.all.pred %p1, 1, 0xFFFFFFFF;", true},
      {"vote.sync.ballot.b32 %r1, 5, -1;", true},
      {"setp.eq.and.u32 %p1|%p2, %r1, %r2, 1;", true},
      {"set.eq.and.u32.u32 %r1, %r1, %r2, 0;", true},
      {"bar.red.popc.u32 %r1, 0, 1;", true},
      {"lop3.or.b32 %r1|%p1, %r1, %r2, %r3, 1, 1;", false},
      {"st.global.u8 [%rd1], WARP_SZ;", true},
      {"st.global.u64 [%rd1], WARP_SZ;", true},
      {"add.u64 %rd2, %rd1, WARP_SZ;", true},
      {"st.global.f32 [%rd1], WARP_SZ;", false},
      {"mov.f64 %fd1, WARP_SZ;", false},
      {"st.global.u64 [%rd1], %rd2 + 1;", true},
      {"st.global.u8 [%rd1], %h2 + 4*2;", true},
      {"add.u32 %r1, %r2 + 1, %r3 + 2;", true},
      {"shl.b32 %r1, %r2, %r3 + -1;", true},
      {"setp.eq.u64 %p1, %rd1 + 1, %rd2;", true},
      {"st.global.u64 [%rd1], %rd2 + 1.0;", false},
      {"add.u32 %r1 + 1, %r2, %r3;", false},
      {"ld.param.u8 %r1, [p+8];", true},
      {"ld.param.u8 %r1, [p+4000];", true},
      {"st.param.u32 [p], %r1;", false},
      {"createpolicy.fractional.L2::evict_last.b64 %rd2, 1.0;", true},
      {"createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd2;", true},
      {"createpolicy.range.global.L2::evict_first.b64 %rd2, [%rd1], %r1, 128;", true},
      {"createpolicy.cvt.L2.b64 %rd2, %rd1;", true},
      {"createpolicy.fractional.L2::evict_last.b64 %rd2, 1.5;", false},
      {"createpolicy.fractional.L2::evict_last.b64 %rd2, 0.0;", false},
      {"createpolicy.fractional.L2::evict_last.L2::evict_last.b64 %rd2, 0.5;", false},
      {"createpolicy.fractional.L2::evict_last.b64 %fd2, 1.0;", false},
      {"createpolicy.fractional.b64 %rd2, 1.0;", false},
      {"createpolicy.range.shared.L2::evict_last.b64 %rd2, [%rd1], 64, 64;", false},
      {"createpolicy.cvt.b64 %rd2, %rd1;", false},
      {"setmaxnreg.inc.sync.aligned.u32 240;", false},
      {"pmevent.mask 3;", true},
      {"pmevent.often 3;", false},
      {"pmevent %r1;", false},
      {"vote.all.pred %p1, %p2;", false},
      {"shfl.idx.b32 %r1, %r2, 0, 31;", false}}},
    {"8.0",
     "sm_90a",
     {{"setmaxnreg.inc.sync.aligned.u32 240;", true},
      {"setmaxnreg.dec.sync.aligned.u32 24;", true},
      {"@%p1 setmaxnreg.dec.sync.aligned.u32 16+16;", true},
      {"setmaxnreg.dec.sync.aligned.u32 16;", false},
      {"setmaxnreg.dec.sync.aligned.u32 25;", false},
      {"setmaxnreg.inc.sync.aligned.u32 264;", false},
      {"setmaxnreg.inc.sync.aligned.u32 %r1;", false},
      {"setmaxnreg.inc.aligned.u32 40;", false},
      {"setmaxnreg.sync.aligned.u32 40;", false},
      {"setmaxnreg.inc.dec.sync.aligned.u32 40;", false},
      {"alloca.u64 %rd1, 64;", true},
      {"alloca.u64 %rd1, %rd2, 16;", true},
      {"alloca.u32 %r1, %r2, 16;", true},
      {"alloca.u64 %rd1, %r2, 16;", false},
      {"alloca.u64 %rd1, %rd2, 12;", false},
      {"alloca.u64 %rd1, %rd2, %r1;", false},
      {"alloca.b64 %rd1, %rd2;", false},
      {"alloca.u64 _, %rd2;", false},
      {"stacksave.u64 %rd1;", true},
      {"stacksave.u32 %r1;", true},
      {"stacksave.b64 %rd1;", false},
      {"stackrestore.u64 %rd1;", true},
      {"stackrestore.u64 16;", false},
      {"mapa.u64 %rd1, %rd2, %r1;", true},
      {"mapa.u32 %r1, %r2, 3;", true},
      {"mapa.u64 %r1, %rd2, 0;", false},
      {"getctarank.u64 %r1, %rd2;", true},
      {"getctarank.u64 %rd1, %rd2;", false},
      {"getctarank.b64 %r1, %rd2;", false},
      {"griddepcontrol.wait;", true},
      {"griddepcontrol.sleep;", false},
      {"griddepcontrol;", false}}},
    {"8.0",
     "sm_90a",
     {{"wgmma.fence.sync.aligned;", true},
      {"wgmma.fence.sync;", true},
      {"@%p1 wgmma.fence.sync.aligned;", true},
      {"wgmma.fence;", false},
      {"wgmma.fence.aligned;", false},
      {"wgmma.fence.sync.aligned 1;", false},
      {"wgmma.commit_group.sync.aligned;", true},
      {"wgmma.commit_group;", false},
      {"wgmma.wait_group.sync.aligned 0;", true},
      {"wgmma.wait_group.sync.aligned 100;", true},
      {"@!%p1 wgmma.wait_group.sync.aligned 2;", true},
      {"wgmma.wait_group.sync.aligned -1;", false},
      {"wgmma.wait_group.sync.aligned %r1;", false},
      {"wgmma.wait_group.sync.aligned;", false},
      {"wgmma.wait_group.aligned 0;", false},
      {"wgmma.sync.aligned;", false},
      {"wgmma.wait_all.sync.aligned;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 1, 1, 0, 0;", true},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, !%p1, -1, 1, 1, 1;", true},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, 1, 1, -1, 0, 1;", true},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, 0, %rd2, 0, 2-1, 1, 0, 0;", true},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2 + 16, %p1, 1, 1, 0, 0;", true},
      {"@%p2 wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r0,%r1,%r2,%r3}, %rd1, %rd2, %p1, 1, 1, 0, 0;", true},
      {"wgmma.mma_async.sync.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 1, 1, 0, 0;", true},
      {"wgmma.mma_async.m64n8k16.sync.aligned.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 1, 1, 0, 0;", true},
      {"wgmma.mma_async.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 1, 1, 0, 0;", false},
      {"wgmma.sync.aligned.mma_async.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 1, 1, 0, 0;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, {%r4,%r5,%r6,%r7}, %rd2, %p1, 1, 1, 0;",
       true},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, {%hx,%hx,%hx,%hx}, %rd2, %p1, 1, 1, 1;",
       true},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, {%r4,%r5,%r6,%r7}, %rd2, %p1, 1, 1, 0, 0;",
       false},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, {%r4,%r5}, %rd2, %p1, 1, 1, 0;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, {%r4,%r5,%r6,_}, %rd2, %p1, 1, 1, 0;",
       false},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, {%f0,%f1,%f2,%f3}, %rd2, %p1, 1, 1, 0;",
       false},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 1, 1, 0;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 1, 1;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, {%r4,%r5,%r6,%r7}, %p1, 1, 1, 0;",
       false},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %r1, %rd2, %p1, 1, 1, 0, 0;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %r1, 1, 1, 0, 0;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, 5, 1, 1, 0, 0;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 0, 1, 0, 0;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 1, 2, 0, 0;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 1, %r1, 0, 0;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 1, 1, 2, 0;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 1, 1, 0, -1;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 1, 1, 0.0, 0;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,_,_}, %rd1, %rd2, %p1, 1, 1, 0, 0;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1}, %rd1, %rd2, %p1, 1, 1, 0, 0;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 1, 1, 0, 0;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 1, 1, 0, 0;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.bf16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 1, 1, 0, 0;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k8.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 1, 1, 0, 0;", false},
      {"wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 1, 1, 0, 0;", false},
      {"wgmma.mma_async.sync.aligned.m32n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 1, 1, 0, 0;", false},
      {"wgmma.mma_async.sync.aligned.satfinite.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 1, 1, 0, 0;",
       false},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%r0,%r1}, %rd1, %rd2, %p1, 1, 1, 0, 0;", true},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%f0,%f1}, %rd1, %rd2, %p1, 1, 1, 0, 0;", false},
      {"wgmma.mma_async.sync.aligned.m64n40k16.f16.f16.f16 {%r0,%r1,%r2,%r3,%r0,%r1,%r2,%r3,%r0,%r1}, %rd1, %rd2, %p1, "
       "1, 1, 0, 0;",
       true},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 1, 1, 0, 1;", true},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0,%f1,%f2,%f3}, {%r4,%r5,%r6,%r7}, %rd2, %p1, 1, 1, 0;",
       true},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f16.bf16.bf16 {%r0,%r1}, %rd1, %rd2, %p1, 1, 1, 0, 1;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 1, 1;", true},
      {"wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%f0,%f1,%f2,%f3}, {%r4,%r5,%r6,%r7}, %rd2, %p1, 1, -1;",
       true},
      {"wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%f0,%f1,%f2,%f3}, {%f0,%f1,%f2,%f3}, %rd2, %p1, 1, -1;",
       false},
      {"wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 1, 1, 0, 0;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 1, 1;", true},
      {"wgmma.mma_async.sync.aligned.m64n8k32.f16.e5m2.e5m2 {%r0,%r1}, {%r4,%r5,%r6,%r7}, %rd2, %p1, 1, 1;", true},
      {"wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%r0,%r1,%r2,%r3}, %rd1, %rd2, %p1;", true},
      {"wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8 {%r0,%r1,%r2,%r3}, {%r4,%r5,%r6,%r7}, %rd2, 1;", true},
      {"wgmma.mma_async.sync.aligned.m64n8k32.satfinite.s32.u8.u8 {%r0,%r1,%r2,%r3}, %rd1, %rd2, %p1;", true},
      {"wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8.satfinite {%r0,%r1,%r2,%r3}, %rd1, %rd2, %p1;", true},
      {"wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%r0,%r1,%r2,%r3}, {%f0,%f1,%f2,%f3}, %rd2, %p1;", true},
      {"wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%r0,%r1,%r2,%r3}, %rd1, %rd2, %p1, 1, 1;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8 {%r0,%r1,%r2,%r3}, %rd1, %rd2, %p1;", false},
      {"wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 "
       "{%r0,%r1,%r2,%r3,%r0,%r1,%r2,%r3,%r0,%r1,%r2,%r3,%r0,%r1,%r2,%r3,%r0,%r1,%r2,%r3}, %rd1, %rd2, %p1;",
       false},
      {"wgmma.mma_async.sync.aligned.m64n8k64.s32.s4.s4 {%r0,%r1,%r2,%r3}, %rd1, %rd2, %p1;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc {%r0,%r1,%r2,%r3}, %rd1, %rd2, %p1;", true},
      {"wgmma.mma_async.and.popc.sync.aligned.m64n8k256.s32.b1.b1 {%r0,%r1,%r2,%r3}, {%r4,%r5,%r6,%r7}, %rd2, %p1;",
       true},
      {"wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.popc.and {%r0,%r1,%r2,%r3}, %rd1, %rd2, %p1;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.xor.popc {%r0,%r1,%r2,%r3}, %rd1, %rd2, %p1;", false},
      {"wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1 {%r0,%r1,%r2,%r3}, %rd1, %rd2, %p1;", false},
      {"wgmma.mma_async.sync.aligned.satfinite.m64n8k256.s32.b1.b1.and.popc {%r0,%r1,%r2,%r3}, %rd1, %rd2, %p1;",
       false}}},
    {"8.4",
     "sm_90a",
     {{"wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8 {%r0,%r1,%r2,%r3}, %rd1, %rd2, %p1;", true},
      {"wgmma.mma_async.sync.aligned.m64n8k32.satfinite.s32.u8.s8 {%r0,%r1,%r2,%r3}, {%r4,%r5,%r6,%r7}, %rd2, 0;",
       true},
      {"wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8 {%r0,%r1,%r2,%r3}, %rd1, %rd2, %p1, 1, 1;", false}}},
    {"8.0",
     "sm_90",
     {{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 1, 1, 0, 0;", false},
      {"wgmma.fence.sync.aligned;", false},
      {"wgmma.wait_group.sync.aligned 0;", false}}},
    {"8.6",
     "sm_100a",
     {{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 1, 1, 0, 0;", false},
      {"wgmma.fence.sync.aligned;", false}}},
    {"7.0",
     "sm_80",
     {{"mbarrier.init.shared.b64 [mb], 3;", true},
      {"mbarrier.init.b64 [%rd1], %r1;", true},
      {"mbarrier.init.shared::cta.b64 [mb], 3;", false},
      {"mbarrier.inval.shared.b64 [mb];", true},
      {"mbarrier.inval.b64 [%rd1];", true},
      {"mbarrier.inval.b64 [%rd1], 3;", false},
      {"mbarrier.arrive.shared.b64 %rd1, [mb];", true},
      {"mbarrier.arrive.b64 %rd1, [%rd2];", true},
      {"mbarrier.arrive.shared.b64 _, [mb];", false},
      {"mbarrier.arrive.noComplete.shared.b64 %rd1, [mb], 4;", true},
      {"mbarrier.arrive.noComplete.shared.b64 %rd1, [mb];", false},
      {"mbarrier.arrive.noComplete.b64 %rd1, [%rd2], %r1;", true},
      {"mbarrier.arrive_drop.shared.b64 %rd1, [mb];", true},
      {"mbarrier.arrive_drop.noComplete.shared.b64 %rd1, [mb], 2;", true},
      {"mbarrier.test_wait.shared.b64 %p1, [mb], %rd1;", true},
      {"mbarrier.test_wait.b64 %p1, [%rd2], %rd1;", true},
      {"mbarrier.test_wait.parity.shared.b64 %p1, [mb], %r1;", false},
      {"mbarrier.pending_count.b64 %r1, %rd1;", true},
      {"mbarrier.pending_count.b64 %rd2, %rd1;", false},
      {"mbarrier.pending_count.shared.b64 %r1, %rd1;", false},
      {"mbarrier.b64 %r1, %rd1;", false},
      {"mbarrier.foo.b64 %r1, %rd1;", false},
      {"cp.async.mbarrier.arrive.shared.b64 [mb];", true},
      {"cp.async.mbarrier.arrive.b64 [%rd1];", true},
      {"cp.async.mbarrier.arrive.noinc.shared.b64 [mb];", true},
      {"cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r1];", false},
      {"cp.async.mbarrier.arrive.parity.shared.b64 [mb];", false},
      {"cp.async.mbarrier.shared.b64 [mb];", false}}},
    {"8.0",
     "sm_90",
     {{"mbarrier.arrive.shared.b64 _, [mb];", true},
      {"mbarrier.arrive.shared::cluster.b64 _, [%r1];", true},
      {"mbarrier.arrive.shared::cluster.b64 _, [%r1], 2;", true},
      {"mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1], 2;", true},
      {"mbarrier.arrive.release.cta.shared.b64 %rd1, [mb];", true},
      {"mbarrier.arrive.noComplete.release.cta.shared.b64 %rd1, [mb], 4;", true},
      {"mbarrier.arrive.expect_tx.shared.b64 %rd1, [mb], 4;", true},
      {"mbarrier.arrive.expect_tx.shared.b64 %rd1, [mb];", false},
      {"mbarrier.arrive.expect_tx.shared.b64 _, [mb], %r1;", true},
      {"mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r1], %r1;", true},
      {"mbarrier.arrive.parity.shared.b64 %rd1, [mb], 4;", false},
      {"mbarrier.arrive.noinc.shared.b64 %rd1, [mb], 4;", false},
      {"mbarrier.arrive_drop.expect_tx.shared.b64 %rd1, [mb], 2;", true},
      {"mbarrier.arrive_drop.shared::cluster.b64 _, [%r1], 2;", true},
      {"mbarrier.arrive_drop.shared.b64 _, [mb];", true},
      {"mbarrier.expect_tx.shared.b64 [mb], 16;", true},
      {"mbarrier.expect_tx.relaxed.cta.shared.b64 [mb], 16;", true},
      {"mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r1], 16;", true},
      {"mbarrier.expect_tx.b64 [%rd1], %r1;", true},
      {"mbarrier.complete_tx.shared.b64 [mb], 16;", true},
      {"mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [mb], 16;", true},
      {"mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r1], %r2;", true},
      {"mbarrier.complete_tx.parity.shared.b64 [mb], 16;", false},
      {"mbarrier.test_wait.acquire.cta.shared.b64 %p1, [mb], %rd1;", true},
      {"mbarrier.test_wait.parity.acquire.cta.shared.b64 %p1, [mb], 1;", true},
      {"mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%r1], %r2;", true},
      {"mbarrier.try_wait.parity.b64 %p1, [%rd1], %r2;", true},
      {"mbarrier.try_wait.expect_tx.b64 %p1, [%rd1], %r2;", false},
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sh], [%rd1], 16, [mb];", true},
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1+16], %r2, [%r3+8];", true},
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%r1], [%rd1], %r2, [%r3], "
       "%rd2;",
       true},
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], %r2;", false},
      {"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [sh], [%rd1], 16, [mb];", false},
      {"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r1], [sh], 16, [%r3];", true},
      {"cp.async.bulk.shared::cta.shared::cta.mbarrier::complete_tx::bytes [%r1], [sh], 16, [%r3];", false},
      {"cp.async.bulk.global.shared::cta.bulk_group [%rd1], [sh], 16;", true},
      {"cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%rd1], [sh], %r1, %rd2;", true},
      {"cp.async.bulk.global.shared::cta [%rd1], [sh], 16;", false},
      {"cp.async.bulk.global.global.bulk_group [%rd1], [%rd2], 16;", false},
      {"cp.async.bulk.global.shared::cluster.bulk_group [%rd1], [%rd2], 16;", false},
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sh], [%rd1], 17, [mb];", false},
      {"cp.async.bulk.commit_group;", true},
      {"cp.async.bulk.wait_group 0;", true},
      {"cp.async.bulk.wait_group.read 3;", true},
      {"cp.async.bulk.wait_group %r1;", false},
      {"cp.async.bulk.wait_group;", false},
      {"cp.async.bulk.wait_all;", false},
      {"cp.async.bulk.prefetch.L2.global [%rd1], 64;", true},
      {"cp.async.bulk.prefetch.L2.global.L2::cache_hint [%rd1], %r1, %rd2;", true},
      {"cp.async.bulk.prefetch.L2 [%rd1], 64;", false},
      {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r1], [sh], 16, [%r3];",
       true},
      {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.s32 [%r1], [sh], 16, [%r3];",
       true},
      {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u64 [%r1], [sh], 16, [%r3];",
       true},
      {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.s64 [%r1], [sh], 16, [%r3];",
       false},
      {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.f32 [%r1], [sh], 16, [%r3];",
       false},
      {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.min.s32 [%r1], [sh], 16, [%r3];",
       true},
      {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.min.s64 [%r1], [sh], 16, [%r3];",
       false},
      {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.max.u64 [%r1], [sh], 16, [%r3];",
       false},
      {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.and.b32 [%r1], [sh], 16, [%r3];",
       true},
      {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.and.b64 [%r1], [sh], 16, [%r3];",
       false},
      {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.inc.u32 [%r1], [sh], 16, [%r3];",
       true},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [sh], 16;", true},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s64 [%rd1], [sh], 16;", false},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [%rd1], [sh], 16;", true},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1], [sh], 16;", true},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f64 [%rd1], [sh], 16;", true},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%rd1], [sh], 16;", true},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [%rd1], [sh], 16;", true},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f16 [%rd1], [sh], 16;", true},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f32 [%rd1], [sh], 16;", false},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s64 [%rd1], [sh], 16;", true},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.or.b64 [%rd1], [sh], 16;", true},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.or.u32 [%rd1], [sh], 16;", false},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.exch.b32 [%rd1], [sh], 16;", false},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.u32 [%rd1], [sh], 16;", false},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.L2::cache_hint.u32 [%rd1], [sh], 16, %rd2;", true},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.u32 [%rd1], [sh], 16, %rd2;", true},
      {"ld.shared::cluster.u32 %r1, [%r2];", true},
      {"st.shared::cluster.u32 [%r2], %r1;", true},
      {"atom.shared::cluster.add.u32 %r1, [%r2], 1;", true},
      {"red.shared::cluster.add.u32 [%r2], 1;", true},
      {"mapa.shared::cluster.u32 %r1, %r2, 0;", true},
      {"mapa.shared::cluster.u64 %rd1, %rd2, %r2;", true},
      {"mapa.global.u64 %rd1, %rd2, %r2;", false},
      {"getctarank.shared::cluster.u32 %r1, %r2;", true},
      {"getctarank.shared::cluster.u64 %r1, %rd2;", true},
      {"getctarank.global.u64 %r1, %rd2;", false},
      {"cvta.shared::cluster.u64 %rd1, %rd2;", true},
      {"cvta.to.shared::cluster.u64 %rd1, %rd2;", true},
      {"isspacep.shared::cluster %p1, %rd2;", true},
      {"mapa.shared::cluster.u32 %r1, sh, 0;", true},
      {"mapa.u64 %rd1, sh, 0;", true},
      {"fence.mbarrier_init.release.cluster;", true},
      {"fence.proxy.async;", true},
      {"fence.proxy.async.shared::cta;", true},
      {"fence.proxy.async.global;", true},
      {"fence.proxy.async.shared::cluster;", true},
      {"fence.cta;", true},
      {"barrier.cluster.wait.release;", false},
      {"barrier.cluster.sync;", false}}},
    {"8.0",
     "sm_80",
     {{"mbarrier.arrive.release.cta.shared.b64 %rd1, [mb];", true},
      {"mbarrier.arrive.expect_tx.shared.b64 %rd1, [mb], 4;", false},
      {"mbarrier.expect_tx.shared.b64 [mb], 16;", false},
      {"cp.async.bulk.global.shared::cta.bulk_group [%rd1], [sh], 16;", false},
      {"cp.async.bulk.commit_group;", false},
      {"cp.async.wait_group %r1;", false},
      {"cp.async.wait_group 3;", true},
      {"cp.async.wait_group;", false},
      {"cp.async.wait_all;", true},
      {"cp.async.wait_all 3;", false},
      {"cp.async.commit_group;", true},
      {"cp.async.commit_group 3;", false},
      {"ld.shared::cluster.u32 %r1, [%r2];", false},
      {"ld.shared::cta.u32 %r1, [%r2];", true},
      {"fence.proxy.alias;", true},
      {"barrier.cluster.wait;", false}}},
    {"6.3",
     "sm_75",
     {{"vote.all.pred %p1, %p2;", true},
      {"vote.ballot.b32 %r1, %p2;", true},
      {"shfl.idx.b32 %r1, %r2, 0, 31;", true},
      {"createpolicy.cvt.L2.b64 %rd2, %rd1;", false}}},
    {"6.4", "sm_75", {{"vote.all.pred %p1, %p2;", false}, {"shfl.up.b32 %r1|%p1, %r2, 0, 31;", false}}},
};

std::string text_of_form(const family& g, std::string_view line) {
  return std::string(".version ") + g.version + "\n.target " + g.target +
         "\n.address_size 64\n.global .align 16 .b8 gl[64];\n.const .align 16 .b8 cn[64];\n.visible .entry k(.param "
         ".u64 p) {\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .f16x2 %hx; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .u64 "
         "%ud; .reg .f32 %f<4>; .reg .f64 %fd<4>; .shared .align 16 .b8 sh[64]; .local .align 16 .b8 loc[64]; .shared "
         ".align 8 .b64 mb;\n" +
         std::string(line) + "\nret;\n}\n";
}

}  // namespace

TEST_CASE("forms: what ptxas takes is taken, what it refuses is refused with its position") {
  for (const family& g : families)
    for (const form& f : g.forms) {
      CAPTURE(f.text);
      CAPTURE(g.target);
      const auto r = ptx::parse(text_of_form(g, f.text));
      diagnostics found = r.diagnostics();
      if (r.has_value()) found = ptx::decode(*r, r->kernels[0]).diagnostics();
      CHECK_MESSAGE(found.empty() == f.taken, std::string(f.text)
                                                  << " for " << std::string(g.target) << ": " << text_of(found));
      for (const diagnostic& d : found) CHECK(d.where.line == 8);
      if (!f.taken) continue;
      const std::string printed = ptx::print(*r);
      const auto again = ptx::parse(printed);
      std::string why;
      CHECK_MESSAGE((again.has_value() && same_module(*r, *again, why)), why << printed);
    }
}

TEST_CASE("forms: ptxas says the same") {
#ifdef SIMTFLOW_PTXAS
  const auto run = [](const char* target, const std::string& text) {
    return ptxas_answer(SIMTFLOW_PTXAS, target, text);
  };
  for (const family& g : families) {
    // All accepted lines in one text, each of the others alone.
    std::string all;
    for (const form& f : g.forms)
      if (f.taken) all += "{ " + std::string(f.text) + " }\n";
    const std::string said = run(g.target, text_of_form(g, all));
    if (said.find("is not defined for option 'gpu-name'") != std::string::npos) {
      MESSAGE("skipped: this ptxas does not know " << g.target);
      continue;
    }
    CHECK_MESSAGE(said.empty(), said);
    for (const form& f : g.forms)
      if (!f.taken) CHECK_MESSAGE(!run(g.target, text_of_form(g, f.text)).empty(), f.text);
  }
#else
  MESSAGE("skipped: no ptxas");
#endif
}

TEST_CASE("forms: registers that are wider than what is loaded, stored or converted") {
  // %in holds 7 for each thread.
  computes(
      "mov.u64 %rd1, -1; ld.global.f32 %rd1, [%in]; shr.u64 %rd2, %rd1, 32; cvt.u32.u64 %r2, %rd2; "
      "cvt.u32.u64 %r1, %rd1; sub.u32 %r1, %r1, %r2; st.global.u32 [%out], %r1;",
      [](std::uint32_t) { return 7; });
  computes(
      "mov.u64 %rd1, 0x1234567800000009; cvt.u64.u32 %rd2, %t; add.u64 %rd1, %rd1, %rd2; st.global.f32 [%out], %rd1;",
      [](std::uint32_t t) { return 9 + t; });
  computes(
      ".reg .f64 %d; .reg .b64 %b; ld.global.b8 %d, [%in]; mov.b64 %b, %d; st.global.u32 [%out], %b; "
      "st.global.b8 [%out+1], %d;",
      [](std::uint32_t) { return 0x0707; });
  computes(
      "mov.u64 %rd1, -1; cvt.rn.f32.u32 %rd1, %t; mov.b64 {%r1, %r2}, %rd1; mov.b32 %f1, %r1; cvt.rzi.u32.f32 %r3, "
      "%f1; mad.lo.u32 %r3, %r2, 100, %r3; st.global.u32 [%out], %r3;",
      [](std::uint32_t t) { return t; });
  computes("mov.u64 %rd1, 0xFFFFFFFF40400000; cvt.rzi.u32.f32 %r1, %rd1; st.global.u32 [%out], %r1;",
           [](std::uint32_t) { return 3; });
  computes(
      "mov.u64 %rd1, -1; cvt.rn.f32.u32 %f1, %t; cvt.rn.f16.f32 %rd1, %f1; cvt.f32.f16 %f2, %rd1; cvt.rzi.u32.f32 "
      "%r1, %f2; shr.u64 %rd1, %rd1, 16; cvt.u32.u64 %r2, %rd1; add.u32 %r1, %r1, %r2; st.global.u32 [%out], %r1;",
      [](std::uint32_t t) { return t; });
  computes(".reg .f16x2 %x; mov.b32 %x, %t; add.u32 %x, %x, 5; st.global.u32 [%out], %x;",
           [](std::uint32_t t) { return t + 5; });
}

TEST_CASE("forms: a name says which memory a generic access means") {
  computes(
      ".shared .align 4 .b8 first[64]; .shared .align 4 .b8 sh[256]; .local .align 4 .b8 below[4]; .local .align 4 .b8 "
      "loc[8]; "
      "mov.u64 %rd1, sh; cvt.u64.u32 %rd2, %t; shl.b64 %rd2, %rd2, 2; add.u64 %rd1, %rd1, %rd2; st.shared.u32 [%rd1], "
      "%t; bar.sync 0; ld.u32 %r1, [sh+12]; st.u32 [loc+4], %t; ld.local.u32 %r2, [loc+4]; mad.lo.u32 %r1, %r1, 100, "
      "%r2; st.global.u32 [%out], %r1;",
      [](std::uint32_t t) { return 300 + t; });
  computes(
      ".shared .u32 pad; .shared .u32 count; atom.add.u32 %r1, [count], 2; bar.sync 0; ld.shared.u32 %r2, [count]; "
      "ld.shared.u32 %r3, [pad]; add.u32 %r2, %r2, %r3; st.global.u32 [%out], %r2;",
      [](std::uint32_t) { return 80; });
  computes(
      ".local .align 4 .b8 loc[4]; st.local.u32 [loc], %t; atom.add.u32 %r1, [loc], 3; red.add.u32 [loc], 4; "
      "ld.u32 %r2, [loc]; mad.lo.u32 %r2, %r1, 1000, %r2; st.global.u32 [%out], %r2;",
      [](std::uint32_t t) { return 1001 * t + 7; });
}

TEST_CASE("forms: moves of vectors, literals as predicates, WARP_SZ of any size, sums of a register and a constant") {
  computes(
      "add.u32 %r1, %t, 10; add.u32 %r2, %t, 20; mov.v2.u32 {%r1,%r2}, {%r2,%r1}; mad.lo.u32 %r1, %r1, 1000, %r2; "
      "st.global.u32 [%out], %r1;",
      [](std::uint32_t t) { return 1000 * (t + 20) + t + 10; });
  computes(
      "mov.u32 %r1, %t; mov.v4.u32 {%r1,%r2,_,%r3}, {5,%r1,%r1,%r1}; mad.lo.u32 %r1, %r1, 1000, %r2; add.u32 %r1, %r1, "
      "%r3; st.global.u32 [%out], %r1;",
      [](std::uint32_t t) { return 5000 + 2 * t; });
  computes(
      "cvt.u64.u32 %rd1, %t; mov.v2.u64 {%rd2,%rd1}, {%rd1,2}; sub.u64 %rd2, %rd2, %rd1; st.global.u32 [%out], %rd2;",
      [](std::uint32_t t) { return t - 2; });
  computes(
      "selp.u32 %r1, 5, 6, 0; selp.u32 %r2, %t, 6, 3; setp.ge.and.u32 %p1|%p2, %t, 0, 1; setp.ge.and.u32 %p3, %t, 0, "
      "0; selp.u32 %r3, 100, 0, %p1; @%p2 add.u32 %r3, %r3, 1000; @%p3 add.u32 %r3, %r3, 10000; add.u32 %r1, %r1, %r2; "
      "add.u32 %r1, %r1, %r3; st.global.u32 [%out], %r1;",
      [](std::uint32_t t) { return 6 + t + 100; });
  computes(
      "bar.red.popc.u32 %r1, 0, 1; bar.red.popc.u32 %r2, 0, 0; shl.b32 %r2, %r2, 8; add.u32 %r1, %r1, %r2; "
      "st.global.u32 [%out], %r1;",
      [](std::uint32_t) { return 40; });
  computes(
      "st.global.u32 [%out], 0; st.global.u8 [%out], WARP_SZ; mov.u64 %rd1, WARP_SZ; st.global.u16 [%out+2], %rd1;",
      [](std::uint32_t) { return 32 * 0x1'0001; });
  computes(
      "cvt.u64.u32 %rd1, %t; cvt.u16.u32 %h1, %t; cvt.u32.u16 %r1, %h1 + 65535; add.u32 %r2, %t + 3, %r1 + -1; "
      "st.global.u32 [%out], %r2; setp.eq.u64 %p1, %rd1 + 2, 7; @%p1 st.global.u32 [%out], %t + 4*25;",
      [](std::uint32_t t) { return t == 5 ? 105 : t + 3 + ((t + 65535) % 65536) - 1; });
  computes(
      "createpolicy.fractional.L2::evict_last.b64 %rd1, 0.5; ld.global.L2::cache_hint.u32 %r1, [%in], %rd1; "
      "st.global.L2::cache_hint.u32 [%out], %r1, %rd1;",
      [](std::uint32_t) { return 7; });
}

TEST_CASE("forms: a vote on a literal") {
  const ptx::module m = module_of(
      text_with("vote.sync.all.pred %p1, 1, 0xFF; vote.sync.any.pred %p2, 0, 0xFF; vote.sync.ballot.b32 %r1, 1, 0xFF; "
                "@%p1 add.u32 %r1, %r1, 0x100; @%p2 add.u32 %r1, %r1, 0x1000; st.global.u32 [%out], %r1;",
                ""));
  const auto d = ptx::decode(m, m.kernels[0]);
  REQUIRE_MESSAGE(d.has_value(), text_of(d.diagnostics()));
  const machine_result r = run_under(way::pdom, *d, block_of(8), {words(8, 0), 8});
  REQUIRE_MESSAGE(r.how == outcome::finished, r.fault.describe());
  CHECK(r.out == words(8, 0x1FF));
}

TEST_CASE("forms: functions with vector registers and predicates as parameters and results") {
  computes(
      ".reg .v2 .u32 a; .reg .v2 .u32 b; add.u32 a.x, %t, 1; mov.u32 a.y, 7; call (b), swap, (a); mad.lo.u32 %r1, b.x, "
      "1000, b.y; st.global.u32 [%out], %r1;",
      [](std::uint32_t t) { return 7000 + t + 1; },
      ".func (.reg .v2 .u32 o) swap(.reg .v2 .u32 x) { mov.u32 o.x, x.y; mov.u32 o.y, x.x; ret; }\n");
  computes(
      "setp.gt.u32 %p1, %t, 9; call (%r1, %p2), f, (%t, %p1); @%p2 add.u32 %r1, %r1, 1000; st.global.u32 [%out], %r1;",
      [](std::uint32_t t) { return t + (t > 9 ? 5 : 0) + (t % 2 == 0 ? 1000 : 0); },
      ".func (.reg .u32 a, .reg .pred b) f(.reg .u32 x, .reg .pred p) { .reg .u32 y; @p add.u32 x, x, 5; mov.u32 a, x; "
      "@p sub.u32 x, x, 5; and.b32 y, x, 1; setp.eq.u32 b, y, 0; ret; }\n");
  computes(
      "setp.gt.u32 %p1, %t, 9; call (%r1, %r2), f, (%t); add.u32 %r1, %r1, %r2; st.global.u32 [%out], %r1;",
      [](std::uint32_t t) { return 2 * t + 3; },
      ".func (.reg .u32 a, .reg .u32 b) f(.reg .u32 x) { add.u32 a, x, 1; add.u32 b, x, 2; ret; }\n");
  // Recursive: predicates of outer calls come back.
  computes(
      "setp.eq.u32 %p1, %t, %t; and.b32 %r3, %t, 7; call (%r1, %p2), odd, (%r3, %p1); @!%p2 add.u32 %r1, %r1, 100; "
      "st.global.u32 [%out], %r1;",
      [](std::uint32_t t) { return t % 8 + ((t % 8) % 2 == 0 ? 0 : 100); },
      ".func (.reg .u32 n, .reg .pred r) odd(.reg .u32 x, .reg .pred p) { .reg .pred %q, %z; .reg .u32 %y, %w; "
      "setp.eq.u32 "
      "%q, x, 0; mov.u32 n, 0; mov.pred r, p; @%q ret; sub.u32 %y, x, 1; not.pred %z, p; call (%w, r), odd, (%y, %z); "
      "add.u32 n, %w, 1; ret; }\n");
}

TEST_CASE("forms: .param in the body of a kernel is a parameter of calls since PTX 2.0, of the kernel before") {
  const auto parameters = [](const std::string& version) {
    const ptx::module m = module_of(
        ".version " + version + "\n.target sm_20\n.entry k {\n.param .u32 p; .reg .u32 %r; mov.u32 %r, 3; ret;\n}\n");
    return m.kernels[0].parameters.size();
  };
  CHECK(parameters("1.4") == 1);
  CHECK(parameters("2.0") == 0);
  const ptx::module m = module_of(
      ".version 2.3\n.target sm_20\n.entry k {\n.param .u32 p; .reg .u32 %r; mov.u32 %r, 3; st.param.u32 [p], %r;\n"
      "ld.param.u32 %r, [p]; ret;\n}\n");
  CHECK(text_of(ptx::diagnose(m)) == "");
}

TEST_CASE("forms: a kernel that reads past its parameters faults where nothing lies there") {
  const auto run = [](std::string_view body) {
    const ptx::module m = module_of(text_with(body, ""));
    const auto d = ptx::decode(m, m.kernels[0]);
    REQUIRE_MESSAGE(d.has_value(), text_of(d.diagnostics()));
    return run_under(way::pdom, *d, block_of(8), {words(8, 0), 8, 5});
  };
  // in, out and n: 20 bytes; in + 16 is n.
  const machine_result inside = run("ld.param.u32 %r1, [in+16]; st.global.u32 [%out], %r1;");
  REQUIRE(inside.how == outcome::finished);
  CHECK(inside.out == words(8, 5));
  const machine_result past = run("ld.param.u8 %r1, [n+4]; st.global.u32 [%out], %r1;");
  CHECK(past.how == outcome::fault);
  CHECK(past.fault.describe().ends_with(
      "is out of bounds: 1 byte at .param address 0x14 (the parameters have 20 bytes)"));
}
