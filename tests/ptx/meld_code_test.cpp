// SPDX-License-Identifier: BSL-1.0
//
// Melded PTX: what is written for one plan; random plans, sensible or not, compute what the original does.
#include "ptx/module_equality.hpp"
#include "ptx/run_support.hpp"
#include "ptx/two_armed_kernels.hpp"
#include "support/long_run.hpp"
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/warp_profile.hpp>
#include <simtflow/ptx/transform/liveness.hpp>
#include <simtflow/ptx/transform/meld_code.hpp>
#include <simtflow/ptx/transform/melding_model.hpp>
#include <simtflow/ptx/transform/unpredicate.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

/// Branches with two straight arms.
std::vector<block_id> diamonds(const ptx::function_blocks& blocks) {
  std::vector<block_id> found;
  const csr_graph& g = blocks.graph();
  const auto alone = [&](block_id b) {
    return g.predecessors(b).size() == 1 && g.successors(b).size() == 1 &&
           (blocks[b].end == ptx::text_end::falls || blocks[b].end == ptx::text_end::jumps);
  };
  for (block_id b = 0; b < blocks.size(); ++b) {
    if (blocks[b].end != ptx::text_end::branches) continue;
    const block_id l = g.successors(b)[0], r = g.successors(b)[1];
    if (l == r || !alone(l) || !alone(r) || g.successors(l)[0] != g.successors(r)[0] || g.successors(l)[0] == b)
      continue;
    found.push_back(b);
  }
  return found;
}

/// Any pairs of instructions that may become one, in order.
meld_plan random_plan(const ptx::function_blocks& blocks, const ptx::melding_model& model, block_id b,
                      testing::rng& random, std::uint32_t share) {
  const csr_graph& g = blocks.graph();
  meld_plan p;
  p.branch = b;
  meld_block block;
  block.left = g.successors(b)[0];
  block.right = g.successors(b)[1];
  p.join = g.successors(block.left)[0];
  std::uint32_t i = model.first(block.left), j = model.first(block.right);
  while (i < model.last(block.left) || j < model.last(block.right)) {
    if (i < model.last(block.left) && j < model.last(block.right) && random.chance(share)) {
      // The next of the right that goes with i.
      std::uint32_t k = j;
      while (k < model.last(block.right) && (!model.compatible(i, k) || model.is_pinned(i))) ++k;
      if (k < model.last(block.right)) {
        for (; j < k; ++j) p.all_slots.push_back({no_instruction, j});
        p.all_slots.push_back({i++, j++});
        continue;
      }
    }
    const bool left = i < model.last(block.left) && (j == model.last(block.right) || random.chance(50));
    if (left)
      p.all_slots.push_back({i++, no_instruction});
    else
      p.all_slots.push_back({no_instruction, j++});
  }
  block.num_slots = static_cast<std::uint32_t>(p.all_slots.size());
  block.num_successors = 1;
  p.successors.push_back(piece_end);
  p.blocks.push_back(block);
  p.pieces.push_back({meld_side::both, 0, 1, 0.5, 1});
  p.weight_saved = 1;
  return p;
}

std::string text_of(const meld_plan& p) {
  std::string s = "branch " + std::to_string(p.branch) + ":";
  const auto name = [](std::uint32_t i) { return i == no_instruction ? std::string("-") : std::to_string(i); };
  for (const meld_slot& m : p.all_slots) s += " " + name(m.left) + "|" + name(m.right);
  return s + "\n";
}

struct melded_code {
  std::string text;
  std::vector<ptx::meld_figures> figures;
};
/// Melds all diamonds of the only kernel, pairs as they come, and unpredicates if long runs are to have branches.
melded_code melded(std::string_view body, ptx::meld_code_options options = {}, const ptx::latencies& weights = {}) {
  ptx::module m = module_of(kernel_text(body));
  ptx::function& f = m.kernels.front();
  const auto code = ptx::verify(m, f);
  REQUIRE_MESSAGE(code.has_value(), simtflow_tests::text_of(code.diagnostics()));
  melded_code out;
  const ptx::melding_model model(*code, weights);
  const ptx::live_registers live(*code, model.code());
  ptx::function_melder melder(model, live, options);
  testing::rng random(1);
  for (const block_id b : diamonds(code->blocks()))
    out.figures.push_back(melder.add(random_plan(code->blocks(), model, b, random, 100)));
  auto made = melder.take();
  REQUIRE(made.has_value());
  f = *std::move(made);
  check_well_formed(m, f, "");
  if (options.most_predicated != ptx::meld_code_options().most_predicated) {
    auto again = ptx::unpredicate(*ptx::verify(m, f), {.code = options, .weights = weights});
    REQUIRE(again.has_value());
    f = *std::move(again);
    check_well_formed(m, f, "");
  }
  const std::string printed = ptx::print(m);
  out.text = printed.substr(printed.find("{\n") + 2);
  return out;
}

}  // namespace

TEST_CASE("meld_code: one instruction for two, selects for what differs, a shared register") {
  const melded_code made = melded(R"(
  .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  setp.lt.u32 %p1, %r1, 7;
  @%p1 bra A;
  ld.global.u32 %r2, [%rd1+4];
  add.s32 %r3, %r2, 5;
  st.global.u32 [%rd1+8], %r3;
  bra.uni E;
A:
  ld.global.u32 %r4, [%rd2+4];
  add.s32 %r5, %r4, 6;
  st.global.u32 [%rd2+8], %r5;
E:
  ret;)");
  REQUIRE(made.figures.size() == 1);
  CHECK(made.figures[0].pays);
  CHECK(made.figures[0].melded == 3);
  CHECK(made.text == R"(	.reg .b32 %r<6>;
	.reg .b64 %rd<3>;
	.reg .pred %p<2>;
	.reg .b64 %meld8;
	.reg .b32 %meld9;
	mov.u32 %r1, %tid.x;
	ld.param.u64 %rd1, [in];
	ld.param.u64 %rd2, [out];
	setp.lt.u32 %p1, %r1, 7;
	selp.b64 %meld8, %rd2, %rd1, %p1;
	ld.global.u32 %r4, [%meld8+4];
	selp.b32 %meld9, 6, 5, %p1;
	add.s32 %r5, %r4, %meld9;
	st.global.u32 [%meld8+8], %r5;
	ret;
}
)");
}

TEST_CASE("meld_code: registers of the sides: shared, moved on the way in and out, or apart") {
  // %r2 and %r4 are live at the join; %r5 comes in from before and %p1 is written in an arm.
  const melded_code made = melded(R"(
  .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<2>;
  mov.u32 %r1, %tid.x;
  ld.param.u64 %rd1, [out];
  mov.u32 %r2, 1; mov.u32 %r4, 2; mov.u32 %r5, 3; mov.u32 %r6, 4;
  setp.lt.u32 %p1, %r1, 7;
  @!%p1 bra A;
  ld.global.u32 %r2, [%rd1];
  ld.global.u32 %r5, [%rd1+8];
  @%p1 add.s32 %r5, %r5, %r2;
  setp.eq.u32 %p1, %r5, 3;
  bra.uni E;
A:
  ld.global.u32 %r4, [%rd1];
  ld.global.u32 %r6, [%rd1+8];
  @%p2 add.s32 %r6, %r6, %r4;
  setp.eq.u32 %p2, %r6, 3;
E:
  st.global.u32 [%rd1], %r2;
  st.global.u32 [%rd1+4], %r4;
  ret;)");
  REQUIRE(made.figures.size() == 1);
  CHECK(made.text == R"(	.reg .b32 %r<7>;
	.reg .b64 %rd<2>;
	.reg .pred %p<3>;
	.reg .pred %meldp<9>;
	.reg .b32 %meld<11>;
	mov.u32 %r1, %tid.x;
	ld.param.u64 %rd1, [out];
	mov.u32 %r2, 1;
	mov.u32 %r4, 2;
	mov.u32 %r5, 3;
	mov.u32 %r6, 4;
	setp.lt.u32 %p1, %r1, 7;
	mov.pred %meldp8, %p1;
	@%meldp8 mov.pred %p2, %p1;
	ld.global.u32 %meld9, [%rd1];
	@!%meldp8 mov.b32 %r4, %meld9;
	@%meldp8 mov.b32 %r2, %meld9;
	ld.global.u32 %r6, [%rd1+8];
	selp.b32 %meld10, %r2, %r4, %meldp8;
	@%p2 add.s32 %r6, %r6, %meld10;
	setp.eq.u32 %p2, %r6, 3;
	st.global.u32 [%rd1], %r2;
	st.global.u32 [%rd1+4], %r4;
	ret;
}
)");
}

TEST_CASE("meld_code: runs of one side under its predicate or after a branch") {
  constexpr std::string_view text = R"(
  .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<2>;
  mov.u32 %r1, %tid.x;
  ld.param.u64 %rd1, [out];
  setp.lt.u32 %p1, %r1, 7;
  setp.lt.u32 %p2, %r1, 3;
  @%p1 bra A;
  ld.global.u32 %r2, [%rd1+4];
  not.b32 %r3, %r2;
  @%p2 st.global.u32 [%rd1+8], %r3;
  bra.uni E;
A:
  ld.global.u32 %r4, [%rd1+4];
  @!%p2 popc.b32 %r5, %r4;
  st.global.u8 [%rd1+8], %r5;
  clz.b32 %r4, %r4;
  st.global.u8 [%rd1+9], %r4;
E:
  ret;)";
  CHECK(melded(text).text == R"(	.reg .b32 %r<6>;
	.reg .b64 %rd<2>;
	.reg .pred %p<3>;
	.reg .pred %meldp<9>;
	mov.u32 %r1, %tid.x;
	ld.param.u64 %rd1, [out];
	setp.lt.u32 %p1, %r1, 7;
	setp.lt.u32 %p2, %r1, 3;
	ld.global.u32 %r4, [%rd1+4];
	@!%p2 popc.b32 %r5, %r4;
	@%p1 st.global.u8 [%rd1+8], %r5;
	@%p1 clz.b32 %r4, %r4;
	@%p1 st.global.u8 [%rd1+9], %r4;
	@!%p1 not.b32 %r3, %r4;
	not.pred %meldp8, %p1;
	and.pred %meldp8, %meldp8, %p2;
	@%meldp8 st.global.u32 [%rd1+8], %r3;
	ret;
}
)");
  CHECK(melded(text, {.most_predicated = 2, .may_grow = true}).text == R"(	.reg .b32 %r<6>;
	.reg .b64 %rd<2>;
	.reg .pred %p<3>;
	.reg .pred %meldp<9>;
	mov.u32 %r1, %tid.x;
	ld.param.u64 %rd1, [out];
	setp.lt.u32 %p1, %r1, 7;
	setp.lt.u32 %p2, %r1, 3;
	ld.global.u32 %r4, [%rd1+4];
	@!%p2 popc.b32 %r5, %r4;
	@!%p1 bra $skip0;
	st.global.u8 [%rd1+8], %r5;
	clz.b32 %r4, %r4;
	st.global.u8 [%rd1+9], %r4;
$skip0:
	@!%p1 not.b32 %r3, %r4;
	not.pred %meldp8, %p1;
	and.pred %meldp8, %meldp8, %p2;
	@%meldp8 st.global.u32 [%rd1+8], %r3;
	ret;
}
)");
}

TEST_CASE("meld_code: the expected cost, by hand") {
  constexpr std::string_view text = R"(
  .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<3>;
  mov.u32 %r1, %tid.x;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [in];
  setp.lt.u32 %p1, %r1, 7;
  @%p1 bra A;
  ld.global.u32 %r2, [%rd1];
  mul.lo.u32 %r2, %r2, %r1;
  not.b32 %r2, %r2;
  bra.uni E;
A:
  ld.global.u32 %r2, [%rd2];
E:
  st.global.u32 [%rd1], %r2;
  ret;)";
  const ptx::module m = module_of(kernel_text(text));
  const ptx::function& f = m.kernels.front();
  const auto code = ptx::verify(m, f);
  REQUIRE(code.has_value());
  const position branch = f.instructions[4].where;
  const auto figures = [&](const ptx::warp_profile& profile, const ptx::meld_code_options& options,
                           std::uint32_t divergence) {
    const ptx::melding_model model(*code, {}, profile);
    const ptx::live_registers live(*code, model.code());
    ptx::function_melder melder(model, live, options, {.divergence_cost = divergence});
    testing::rng random(1);
    return melder.add(random_plan(code->blocks(), model, diamonds(code->blocks()).at(0), random, 100));
  };
  // Left, the taken arm: 100. Right: 100 + 10 + 3, and a jump of 3. Nothing known: half of the warps diverge, a quarter
  // goes left. The branch: 3, and 3 / 2 for divergence.
  ptx::meld_figures found = figures({}, {}, 3);
  CHECK(found.cost_before == 3 + 1.5 + 0.75 * 100 + 0.75 * 116);
  // selp 3, ld 100; then the right side's mul and not. Under the predicate: 13 for 3 / 4 of the warps, two issues for
  // the others, which is as much as a branch around them.
  CHECK(found.cost_after == 103 + 0.75 * 13 + 0.25 * 6);
  CHECK(found.melded == 1);
  CHECK(found.pays);
  found = figures({}, {.unpredicate = meld_unpredication::always}, 3);
  CHECK(found.cost_after == 103 + 0.75 * 13 + 3 + 1.5);
  // All of ten warps go left: the pair would save one issue and take a select. The left side stays under its predicate,
  // the right one gets a branch.
  ptx::warp_profile left;
  left.set(branch, {10, 0, 10});
  found = figures(left, {}, 3);
  CHECK(found.cost_before == 3 + 100);
  CHECK(found.cost_after == 100 + 3);
  CHECK(found.melded == 0);
  CHECK(!found.pays);
  // All diverge, and nothing is paid for that.
  ptx::warp_profile apart;
  apart.set(branch, {10, 10, 0});
  for (std::size_t i = 5; i < 10; ++i) apart.set(f.instructions[i].where, {10, 0, 10});
  found = figures(apart, {}, 0);
  CHECK(found.cost_before == 3 + 100 + 116);
  CHECK(found.cost_after == 103 + 13);
  // Half of the warps execute the left arm, the others the right one.
  ptx::warp_profile half;
  half.set(branch, {10, 0, 5});
  for (std::size_t i = 5; i < 10; ++i) half.set(f.instructions[i].where, {5, 0, 5});
  found = figures(half, {.unpredicate = meld_unpredication::never}, 3);
  CHECK(found.cost_before == 3 + 0.5 * 100 + 0.5 * 116);
  CHECK(found.cost_after == 103 + 0.5 * 13 + 0.5 * 6);
  CHECK(!found.pays);
}

TEST_CASE("unpredicate: runs under a guard get branches where that pays") {
  const std::string text = kernel_text(R"(
  .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<3>;
  mov.u32 %r1, %tid.x;
  ld.param.u64 %rd1, [out];
  setp.lt.u32 %p1, %r1, 7;
  @%p1 add.u32 %r2, %r1, 1;
  @%p1 st.global.u32 [%rd1], %r2;
  @!%p1 add.u32 %r3, %r1, 2;
  @!%p1 st.global.u32 [%rd1+4], %r3;
  @%p1 atom.global.add.u32 %r4, [%rd1], 1;
  @%p1 setp.lt.u32 %p1, %r1, 3;
  @%p1 not.b32 %r5, %r1;
  add.cc.u32 %r6, %r1, %r1;
  @%p1 not.b32 %r6, %r1;
  mov.u32 %r8, 5;
  @%p1 add.cc.u32 %r8, %r1, %r1;
  addc.u32 %r7, %r1, %r1;
  st.global.u32 [%rd1+8], %r7;
  ret;)");
  const ptx::module m = module_of(text);
  const auto code = ptx::verify(m, m.kernels.front());
  REQUIRE(code.has_value());
  const auto body = [&](const ptx::melding_options& options) {
    ptx::module made = m;
    auto now = ptx::unpredicate(*code, options);
    REQUIRE(now.has_value());
    made.kernels.front() = *std::move(now);
    check_well_formed(made, made.kernels.front(), "");
    const std::string printed = ptx::print(made);
    return printed.substr(printed.find("\tsetp"));
  };
  const std::string as_it_was = body({.code = {.unpredicate = meld_unpredication::never}});
  CHECK(as_it_was == body({}));  // runs are short, and half of the warps would diverge
  // One branch for both sides; the atomic stays, a predicate's writer ends its run, a carry is not cut, also where a
  // guard may keep it.
  CHECK(body({.code = {.unpredicate = meld_unpredication::always}}) == R"(	setp.lt.u32 %p1, %r1, 7;
	@!%p1 bra $skip1;
	add.u32 %r2, %r1, 1;
	st.global.u32 [%rd1], %r2;
	bra.uni $skip0;
$skip1:
	add.u32 %r3, %r1, 2;
	st.global.u32 [%rd1+4], %r3;
$skip0:
	@%p1 atom.global.add.u32 %r4, [%rd1], 1;
	@!%p1 bra $skip2;
	setp.lt.u32 %p1, %r1, 3;
$skip2:
	@!%p1 bra $skip3;
	not.b32 %r5, %r1;
$skip3:
	add.cc.u32 %r6, %r1, %r1;
	@%p1 not.b32 %r6, %r1;
	mov.u32 %r8, 5;
	@%p1 add.cc.u32 %r8, %r1, %r1;
	addc.u32 %r7, %r1, %r1;
	st.global.u32 [%rd1+8], %r7;
	ret;
}
)");
  // By a profile: the first guard holds in no warp, and nothing is known of the others.
  ptx::melding_options known;
  for (std::size_t i = 3; i < 5; ++i) known.profile.set(m.kernels.front().instructions[i].where, {10, 0, 0});
  CHECK(body(known).find("\t@!%p1 bra $skip0;\n\tadd.u32 %r2, %r1, 1;\n\tst.global.u32 [%rd1], %r2;\n$skip0:\n"
                         "\t@!%p1 add.u32 %r3, %r1, 2;") != std::string::npos);
}

TEST_CASE("meld_code: addresses, constants and predicates that differ") {
  CHECK(melded(R"(
  .reg .pred %p<4>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<3>; .shared .b32 s[4]; .global .b32 g[4];
  mov.u32 %r1, %tid.x;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [in];
  setp.lt.u32 %p1, %r1, 7;
  setp.lt.u32 %p2, %r1, 3;
  @%p1 bra A;
  ld.global.f32 %f1, [%rd1];
  ld.global.f32 %f2, [g+4];
  @%p2 st.global.f32 [%rd1+4], %f1;
  fma.rn.f32 %f3, %f1, %f2, 0f3F800000;
  st.global.v2.f32 [%rd1+8], {%f1, %f3};
  bra.uni E;
A:
  ld.global.f32 %f4, [%rd2+4];
  ld.global.f32 %f5, [%rd1];
  @!%p2 st.global.f32 [%rd1+4], 0f40000000;
  fma.rn.f32 %f6, %f4, %f5, %f5;
  st.global.v2.f32 [%rd1+8], {%f4, %f4};
E:
  ret;)",
               {.may_grow = true})
            .text == R"(	.reg .b32 %r<2>;
	.reg .b64 %rd<3>;
	.reg .pred %p<3>;
	.reg .f32 %f<7>;
	.reg .pred %meldp<14>;
	.reg .b64 %meld11, %meld12;
	.reg .b32 %meld14, %meld15, %meld16;
	.shared .b32 s[4];
	.global .b32 g[4];
	mov.u32 %r1, %tid.x;
	ld.param.u64 %rd1, [out];
	ld.param.u64 %rd2, [in];
	setp.lt.u32 %p1, %r1, 7;
	setp.lt.u32 %p2, %r1, 3;
	mov.b64 %meld11, %rd1;
	@%p1 add.s64 %meld11, %rd2, 4;
	ld.global.f32 %f4, [%meld11];
	mov.u64 %meld12, g+4;
	@%p1 mov.b64 %meld12, %rd1;
	ld.global.f32 %f5, [%meld12];
	xor.pred %meldp13, %p2, %p1;
	selp.b32 %meld14, 1073741824, %f4, %p1;
	@%meldp13 st.global.f32 [%rd1+4], %meld14;
	selp.b32 %meld15, %f5, 1065353216, %p1;
	fma.rn.f32 %f6, %f4, %f5, %meld15;
	selp.b32 %meld16, %f4, %f6, %p1;
	st.global.v2.f32 [%rd1+8], {%f4, %meld16};
	ret;
}
)");
}

TEST_CASE("meld_code: what was selected is selected again once it has been written") {
  const melded_code made = melded(R"(
  .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  setp.lt.u32 %p1, %r1, 7;
  @%p1 bra A;
  ld.global.u32 %r2, [%rd1];
  ld.global.u32 %r3, [%rd1];
  add.s64 %rd1, %rd1, 8;
  ld.global.u32 %r4, [%rd1];
  bra.uni E;
A:
  ld.global.u32 %r5, [%rd2];
  ld.global.u32 %r6, [%rd2];
  add.s64 %rd2, %rd2, 4;
  ld.global.u32 %r7, [%rd2];
E:
  st.global.u32 [%rd1], %r1;
  st.global.u32 [%rd2], %r1;
  ret;)");
  std::size_t selects = 0;
  for (std::size_t at = made.text.find("selp.b64"); at != std::string::npos; at = made.text.find("selp.b64", at + 1))
    ++selects;
  CHECK_MESSAGE(selects == 2, made.text);
}

TEST_CASE("meld_code: random plans of random kernels compute the same") {
  std::size_t applied = 0, pairs = 0;
  for (std::uint64_t seed = 1; seed <= simtflow_tests::times(200); ++seed) {
    CAPTURE(seed);
    const two_armed_options shape{.statements = 1 + seed % 3,
                                  .depth = seed % 3,
                                  .arm_length = 4 + seed % 5,
                                  .style = seed % 2 == 0 ? register_style::few : register_style::single};
    const two_armed_kernel kernel(seed, shape);
    ptx::module before = module_of(kernel.text());
    ptx::module m = before;
    ptx::function& f = m.kernels.front();
    testing::rng random(seed);
    std::string says;
    for (int round = 0; round < 2; ++round) {
      const auto code = ptx::verify(m, f);
      REQUIRE_MESSAGE(code.has_value(), simtflow_tests::text_of(code.diagnostics()) << kernel.text());
      const ptx::melding_model model(*code);
      const ptx::live_registers live(*code, model.code());
      ptx::function_melder melder(model, live,
                                  {.most_predicated = static_cast<std::uint32_t>(random.below(6)), .may_grow = true});
      for (const block_id b : diamonds(code->blocks())) {
        const meld_plan plan = random_plan(code->blocks(), model, b, random, seed % 2 == 0 ? 40 : 100);
        const ptx::meld_figures got = melder.add(plan);
        says += text_of(plan);
        applied += got.pays ? 1 : 0;
        pairs += got.pays ? got.melded : 0;
      }
      auto made = melder.take();
      REQUIRE(made.has_value());
      f = *std::move(made);
    }
    says += kernel.text() + "\nmelded:\n" + ptx::print(m);
    check_well_formed(m, f, says);
    const bytes_result want = run_two_armed(before, before.kernels.front(), way::serial, says);
    for (const way how : {way::pdom, way::frontier, way::serial}) {
      const bytes_result got = run_two_armed(m, f, how, says);
      if (got.out != want.out) {
        std::size_t k = 0;
        while (got.out[k] == want.out[k]) ++k;
        FAIL("seed " << seed << ", thread " << k / two_armed_kernel::out_bytes << ", byte "
                     << k % two_armed_kernel::out_bytes << ": another one\n"
                     << says);
      }
    }
  }
  MESSAGE(applied << " plans applied, " << pairs << " pairs melded");
  CHECK(applied > 100);
}
