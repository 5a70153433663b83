// SPDX-License-Identifier: BSL-1.0
//
// Partial linearization of PTX (transform/linear_code.hpp): what the code looks like, what is refused and where, and
// random kernels, which leave the same memory under policies of every kind, under full and partial warps; under
// whole_warp no branch diverges. (random_kernels_transformed_test.cpp has kernels with barriers.)
#include "ptx/random_kernels.hpp"
#include "ptx/run_support.hpp"
#include "support/long_run.hpp"
#include <simtflow/ptx/text/printer.hpp>
#include <simtflow/ptx/transform/linear_code.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace simtflow;
using ptx::linear_branching;
using simtflow_tests::random_kernel;
using simtflow_tests::way;

namespace {

constexpr linear_branching all_branchings[] = {linear_branching::each_thread, linear_branching::whole_warp};

ptx::linear_code linearized(const ptx::module& m, linear_branching branching) {
  auto made = ptx::linearize_partially(*ptx::verify(m, m.kernels.front()), {branching});
  REQUIRE_MESSAGE(made.has_value(), simtflow_tests::text_of(made.diagnostics()));
  return *std::move(made);
}
diagnostics refused(std::string_view body, linear_branching branching = linear_branching::each_thread) {
  const ptx::module m = simtflow_tests::module_of(simtflow_tests::kernel_text(body));
  const auto made = ptx::linearize_partially(*ptx::verify(m, m.kernels.front()), {branching});
  return made.has_value() ? diagnostics() : made.diagnostics();
}

// The module with new code for its first kernel, read back from its text.
ptx::module read_back(const ptx::module& m, ptx::function code) {
  ptx::module changed = m;
  changed.kernels.front() = std::move(code);
  const std::string text = ptx::print(changed);
  auto back = ptx::parse(text);
  REQUIRE_MESSAGE(back.has_value(), simtflow_tests::text_of(back.diagnostics()) << text);
  const auto valid = ptx::verify(*back, back->kernels.front());
  REQUIRE_MESSAGE(valid.has_value(), simtflow_tests::text_of(valid.diagnostics()) << text);
  return *std::move(back);
}
ptx::decoded_kernel kernel_of(const ptx::module& m) {
  auto r = ptx::decode(m, m.kernels.front());
  REQUIRE_MESSAGE(r.has_value(), simtflow_tests::text_of(r.diagnostics()) << ptx::print(m));
  return *std::move(r);
}

struct tally {
  std::size_t linearized = 0, masked = 0, turns = 0, kept = 0, removed = 0, votes = 0;
  std::uint64_t before = 0, each = 0, whole = 0;  // warp instructions under pdom
};

void check(std::uint64_t seed, tally& all) {
  CAPTURE(seed);
  const random_kernel made(seed, 2 + seed % 14, 4);
  std::string with_in = made.text();  // the parameters that run_under gives
  with_in.replace(with_in.find("(.param"), 1, "(.param .u64 in, ");
  const ptx::module m = simtflow_tests::module_of(with_in);
  if (!ptx::linearize_partially(*ptx::verify(m, m.kernels.front())).has_value()) return;  // irreducible
  ++all.linearized;
  const ptx::decoded_kernel before = kernel_of(m);
  const auto launch = simtflow_tests::block_of(random_kernel::threads, static_cast<std::uint32_t>(1 + seed * 7 % 32));
  const simtflow_tests::machine_setup setup{.out_words = random_kernel::out_words * random_kernel::threads,
                                            .limits = {.steps = 400'000}};
  const auto wanted = simtflow_tests::run_under(way::pdom, before, launch, setup);
  REQUIRE_MESSAGE(wanted.how == outcome::finished, wanted.text << wanted.fault.describe());
  all.before += wanted.count.warp_instructions;
  for (const linear_branching branching : all_branchings) {
    ptx::linear_code linear = linearized(m, branching);
    all.masked += linear.report.masked_blocks;
    all.turns += linear.report.turns;
    all.kept += linear.report.kept_branches;
    all.removed += linear.report.removed_branches;
    all.votes += linear.report.votes;
    REQUIRE(linear.report.instructions_after == linear.code.instructions.size());
    const ptx::module changed = read_back(m, std::move(linear.code));
    const ptx::decoded_kernel after = kernel_of(changed);
    for (const way how : {way::pdom, way::frontier, way::serial, way::compaction, way::mimd, way::apart}) {
      if (branching == linear_branching::whole_warp && how == way::compaction) continue;  // warps are formed anew
      const auto got = simtflow_tests::run_under(how, after, launch, setup);
      const bool apart =
          branching == linear_branching::whole_warp && how == way::pdom && got.count.divergent_branches != 0;
      if (how == way::pdom)
        (branching == linear_branching::each_thread ? all.each : all.whole) += got.count.warp_instructions;
      if (got.how == outcome::finished && got.out == wanted.out && !apart) continue;
      FAIL("seed " << seed << ", " << to_string(branching) << ", " << name_of(how) << ": " << got.text << ", "
                   << got.count.divergent_branches << " divergent branches\n"
                   << ptx::print(m) << "\n--- becomes\n"
                   << ptx::print(changed));
    }
  }
}

constexpr std::string_view diamond = R"(
.reg .pred %p, %q; .reg .b32 %t, %x; .reg .b64 %out;
ld.param.u64 %out, [out];
mov.u32 %t, %tid.x;
setp.lt.u32 %p, %t, 2;
setp.eq.u32 %q, %t, 1;
@%p bra LEFT;
@!%q st.global.u32 [%out], %t;
bra JOIN;
LEFT:
@%q add.u32 %t, %t, 5;
st.global.u32 [%out+4], %t;
JOIN:
st.global.u32 [%out+8], %t;
ret;
)";

}  // namespace

TEST_CASE("linear code: a diamond under masks") {
  const ptx::module m = simtflow_tests::module_of(simtflow_tests::kernel_text(diamond));
  const ptx::linear_code made = linearized(m, linear_branching::each_thread);
  CHECK(made.report.removed_branches == 1);
  CHECK(made.report.kept_branches == 0);
  CHECK(made.report.masked_blocks == 2);
  CHECK(made.report.masked_instructions == 3);
  CHECK(made.report.votes == 0);
  CHECK(made.report.blocks == 4);
  const std::string text = ptx::print(read_back(m, made.code));
  CHECK_MESSAGE(text.find(" bra") == std::string::npos, text);
  CHECK_MESSAGE(text.find("selp.u32 %pending, 2, 1, %p;") != std::string::npos, text);
  CHECK_MESSAGE(text.find("@%mask st.global.u32 [%out+4], %t;") != std::string::npos, text);
  CHECK_MESSAGE(text.find("and.pred %both, %q, %mask;\n\t@%both add.u32 %t, %t, 5;") != std::string::npos, text);
  CHECK_MESSAGE(text.find("\tst.global.u32 [%out+8], %t;") != std::string::npos, text);
  for (const linear_branching branching : all_branchings) {
    const std::string again = ptx::print(read_back(m, linearized(m, branching).code));
    CHECK((again.find("activemask") != std::string::npos) == (branching == linear_branching::whole_warp));
  }
}

TEST_CASE("linear code: branches on which threads agree stay, loops are decided at one place") {
  constexpr std::string_view body = R"(
.reg .pred %p; .reg .b32 %t, %n, %i; .reg .b64 %out;
ld.param.u64 %out, [out];
ld.param.u32 %n, [n];
mov.u32 %t, %tid.x;
mov.u32 %i, 0;
setp.eq.u32 %p, %n, 0;
@%p bra END;
LOOP:
setp.ge.u32 %p, %i, %t;
@%p bra END;
add.u32 %i, %i, 1;
setp.gt.u32 %p, %i, %n;
@%p bra END;
bra LOOP;
END:
st.global.u32 [%out], %i;
ret;
)";
  const ptx::module m = simtflow_tests::module_of(simtflow_tests::kernel_text(body));
  const ptx::linear_code each = linearized(m, linear_branching::each_thread);
  CHECK(each.report.kept_branches == 2);
  CHECK(each.report.loops == 1);
  CHECK(each.report.turns == 1);
  CHECK(each.report.masked_blocks == 2);  // after the way out of the middle
  const ptx::linear_code whole = linearized(m, linear_branching::whole_warp);
  CHECK(whole.report.votes == 2);  // the branch on %n above the loop needs none
  CHECK(whole.report.masked_blocks == 3);
}

TEST_CASE("linear code: tables, with and without a guard") {
  for (const std::string guard : {"", "@%q ", "@!%q "})
    for (const std::string of : {"%t", "%n"}) {
      const std::string body = R"(
.reg .pred %p, %q; .reg .b32 %t, %n, %i, %x, %o; .reg .b64 %out, %at;
ld.param.u64 %out, [out];
ld.param.u32 %n, [n];
mov.u32 %t, %tid.x;
and.b32 %x, )" + of + R"(, 4;
setp.eq.u32 %q, %x, 0;
and.b32 %i, )" + of + R"(, 3;
mov.u32 %o, 0;
LOOP:
TABLE: .branchtargets A, B, A, C;
)" + guard + R"(brx.idx %i, TABLE;
add.u32 %o, %o, 1000;
A:
add.u32 %o, %o, 1;
bra JOIN;
B:
add.u32 %o, %o, 10;
setp.gt.u32 %p, %o, 50;
@%p bra JOIN;
bra LOOP;
C:
add.u32 %o, %o, 100;
JOIN:
mul.wide.u32 %at, %t, 4;
add.u64 %at, %at, %out;
st.global.u32 [%at], %o;
ret;
)";
      const ptx::module m = simtflow_tests::module_of(simtflow_tests::kernel_text(body));
      for (const std::uint32_t n : {0U, 1U, 2U, 3U, 5U}) {
        const simtflow_tests::machine_setup setup{.out_words = 16, .n = n};
        const auto launch = simtflow_tests::block_of(16, 8);
        const auto want = simtflow_tests::run_under(way::pdom, kernel_of(m), launch, setup);
        for (const linear_branching branching : all_branchings) {
          const ptx::module changed = read_back(m, linearized(m, branching).code);
          const auto got = simtflow_tests::run_under(way::pdom, kernel_of(changed), launch, setup);
          CHECK_MESSAGE(got.how == outcome::finished, got.text);
          CHECK_MESSAGE(got.out == want.out, ptx::print(changed));
          CHECK((branching == linear_branching::each_thread || got.count.divergent_branches == 0));
          CHECK((ptx::print(changed).find("brx.idx") != std::string::npos) == (of == "%n"));
        }
      }
    }
}

TEST_CASE("linear code: what is refused, with its place") {
  const auto barrier = refused(R"(
.reg .pred %p; .reg .b32 %t;
mov.u32 %t, %tid.x;
setp.lt.u32 %p, %t, 2;
@%p bra OUT;
bar.sync 0;
OUT:
bar.sync 0;
ret;
)");
  REQUIRE(barrier.size() == 1);
  CHECK(to_string(barrier[0]) ==
        "line 11, column 1: not linearized: 'bar.sync' is for threads that are together, and here some of them may be "
        "masked off");
  const auto twice = refused(R"(
.reg .pred %p; .reg .b32 %t;
mov.u32 %t, %tid.x;
setp.lt.u32 %p, %t, 2;
@%p bra B;
A:
add.u32 %t, %t, 1;
B:
add.u32 %t, %t, 1;
setp.lt.u32 %p, %t, 20;
@%p bra A;
ret;
)");
  REQUIRE(twice.size() == 1);
  CHECK(twice[0].message.find("several entries; fix_irreducible") != std::string::npos);
  CHECK(refused(diamond).empty());
  ptx::module old = simtflow_tests::module_of(simtflow_tests::kernel_text(diamond));
  old.version = "6.1";
  const auto votes = ptx::linearize_partially(*ptx::verify(old, old.kernels.front()), {linear_branching::whole_warp});
  REQUIRE(!votes.has_value());
  CHECK(votes.diagnostics()[0].message == "not linearized: the votes of a whole warp need .version 6.2 or later");
}

TEST_CASE("linear code: random kernels") {
  tally all;
  for (std::uint64_t seed = 1; seed <= simtflow_tests::times(600); ++seed)
    if (simtflow_tests::in_shard(seed)) check(seed, all);
  CHECK(all.linearized > 200);
  CHECK(all.masked > 1000);
  CHECK(all.turns > 100);
  CHECK(all.kept > 100);
  CHECK(all.removed > 1000);
  CHECK(all.votes > 100);
  MESSAGE(all.linearized << " kernels, " << all.masked << " blocks with masks, " << all.turns << " turns, " << all.kept
                         << " branches kept, " << all.removed << " removed, " << all.votes
                         << " votes; warp instructions " << all.before << " before, " << all.each
                         << " for each thread, " << all.whole << " for whole warps");
}
