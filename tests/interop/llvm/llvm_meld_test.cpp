// SPDX-License-Identifier: BSL-1.0
//
// simtflow::meld() for LLVM functions: what is melded, what is not and why, and that it ends.
#include "interop/llvm/text_module.hpp"
#include <simtflow/interop/llvm.hpp>
#include <simtflow/interop/llvm_branch_facts.hpp>
#include <simtflow/interop/llvm_meld.hpp>
#include <simtflow/transform/meld_options.hpp>

#include <doctest/doctest.h>
#include <llvm/IR/Verifier.h>

#include <string>
#include <vector>

using namespace simtflow;

namespace {
namespace llvm_meld_checks {

using simtflow_tests::text_module;
using simtflow_tests::text_of_all;

// Arms with the same loads, divisions and stores, and a branch with !prof weights.
std::string two_arms(const std::string& weights, const std::string& left_only = "") {
  return R"(
define void @f(i1 %c, ptr %p, ptr %q, i32 %x) {
start:
  br i1 %c, label %left, label %right)" +
         (weights.empty() ? std::string() : ", !prof !0") + R"(
left:
  %a = load i32, ptr %p
  %b = sdiv i32 %a, %x
  )" + left_only +
         R"(
  store i32 %b, ptr %p
  br label %join
right:
  %d = load i32, ptr %q
  %e = sdiv i32 %d, %x
  store i32 %e, ptr %q
  br label %join
join:
  ret void
}
)" + (weights.empty() ? std::string() : "!0 = !{!\"branch_weights\", " + weights + "}\n");
}

std::vector<llvm_branch_facts> facts_of(llvm::Function& f) {
  return branch_facts(f, [](const llvm::BasicBlock&) { return true; });
}

}  // namespace llvm_meld_checks
}  // namespace

TEST_CASE("llvm_meld: a branch is melded, once and for all") {
  using namespace llvm_meld_checks;
  text_module m(two_arms(""));
  const llvm_meld_report report = meld(m.function());
  REQUIRE(report.melded.size() == 1);
  CHECK(report.melded[0].block == "BB0 start");
  CHECK(report.melded[0].figures.pairs == 3);
  CHECK(report.melded[0].figures.left_only + report.melded[0].figures.right_only == 0);
  // Before: 220 for each arm, the branch 3, and 3 more for the half of the warps that diverge. After: a select.
  CHECK(report.melded[0].figures.weight_before == doctest::Approx(220 * 1.5 + 3 + 1.5));
  CHECK(report.melded[0].figures.weight_after == doctest::Approx(223));
  CHECK(report.melded[0].figures.instructions_before == 7);
  CHECK(report.melded[0].figures.instructions_after == 4);
  CHECK(report.complete);
  CHECK(m.function().size() == 1);
  CHECK(!llvm::verifyFunction(m.function(), &llvm::errs()));
  CHECK(describe(report) ==
        "melded: 1 branch, 0 not\n"
        "  round 1: branch of BB0 start: 3 pairs, 0 and 0 instructions alone; weight 334.5 -> 223.0, instructions 7 -> "
        "4\n");
  const std::string once = text_of_all(m.function());
  CHECK(meld(m.function()).melded.empty());
  CHECK(text_of_all(m.function()) == once);
}

TEST_CASE("llvm_meld: facts of branches decide") {
  using namespace llvm_meld_checks;
  text_module uniform(two_arms(""));
  const std::string before = text_of_all(uniform.function());
  const auto none_diverges = [](llvm::Function& f) {
    return branch_facts(f, [](const llvm::BasicBlock&) { return false; });
  };
  const llvm_meld_report stays = meld(uniform.function(), {}, {}, none_diverges);
  REQUIRE(stays.refused.size() == 1);
  CHECK(stays.refused[0].reason == meld_refusal::uniform);
  CHECK(text_of_all(uniform.function()) == before);
  // Warps that nearly always agree gain nothing by it, and pay for the three products of one arm.
  const std::string products =
      "%p1 = mul i32 %b, %b\n  %p2 = mul i32 %p1, %b\n  %p3 = mul i32 %p2, %b\n  store i32 %p3, ptr %q";
  text_module seldom(two_arms("i32 1, i32 1000000", products));
  CHECK(meld(seldom.function(), {}, {}, facts_of).melded.empty());
  text_module often(two_arms("i32 500, i32 500", products));
  CHECK(meld(often.function(), {}, {}, facts_of).melded.size() == 1);
}

TEST_CASE("llvm_meld: likelihood from weights") {
  const branch_likelihood half = likelihood_of_threads(7, 7), unknown = likelihood_of_threads(0, 0);
  CHECK(half.parted == doctest::Approx(0.5).epsilon(1e-6));
  CHECK(half.first == doctest::Approx(0.5));
  CHECK(unknown == branch_likelihood());
  CHECK(likelihood_of_threads(5, 0) == branch_likelihood{0, 1});
  CHECK(likelihood_of_threads(0, 5) == branch_likelihood{0, 0});
  // Two threads a warp: they disagree in half of 2 * 0.25 * 0.75 of the cases.
  CHECK(likelihood_of_threads(1, 3, 2).parted == doctest::Approx(0.1875));
  for (std::uint64_t first = 0; first <= 64; ++first) {
    const branch_likelihood one = likelihood_of_threads(first, 64 - first),
                            other = likelihood_of_threads(64 - first, first);
    CHECK(one.parted == doctest::Approx(other.parted));
    CHECK(one.all_first() == doctest::Approx(other.all_second()));
    // All threads of warps that agree, and half of the others, at least bound the share of the threads.
    CHECK(one.all_first() <= static_cast<double>(first) / 64 + 1e-12);
  }
  using llvm_meld_checks::text_module;
  text_module m(llvm_meld_checks::two_arms("i32 3, i32 9"));
  CHECK(likelihood_of_profile(m.function().getEntryBlock()) == likelihood_of_threads(3, 9));
  CHECK(likelihood_of_profile(m.function().back()) == branch_likelihood());
}

TEST_CASE("llvm_meld: functions with obstacles stay as they are") {
  using namespace llvm_meld_checks;
  struct row {
    const char *text, *why;
  };
  for (const row& r : {
           row{"declare void @f()", "it has no body"},
           row{R"(
declare i32 @setjmp(ptr) returns_twice
define void @f(ptr %p) {
  %a = call i32 @setjmp(ptr %p) returns_twice
  ret void
})",
               "it calls a function that returns twice (setjmp)"},
           row{R"(
define void @f(ptr %to) {
  indirectbr ptr %to, [label %one]
one:
  ret void
})",
               "a block ends with something else than br, switch, ret or unreachable"},
           row{R"(
declare i32 @personality(...)
declare void @may_throw()
define void @f() personality ptr @personality {
  invoke void @may_throw() to label %end unwind label %pad
pad:
  %l = landingpad { ptr, i32 } cleanup
  ret void
end:
  ret void
})",
               "a block ends with something else than br, switch, ret or unreachable"},
       }) {
    text_module m(r.text);
    const std::string before = text_of_all(m.function());
    const llvm_meld_report report = meld(m.function());
    REQUIRE(report.obstacles.size() == 1);
    CHECK(report.obstacles[0].message == r.why);
    CHECK(describe(report) == "melded: none, " + std::string(r.why) + '\n');
    CHECK(text_of_all(m.function()) == before);
  }
}
