// SPDX-License-Identifier: BSL-1.0
//
// simtflow::meld() for LLVM functions: what is melded, what is not and why, and that it ends.
#include "interop/llvm/text_module.hpp"
#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/interop/detail/llvm_meld_weigher.hpp>
#include <simtflow/interop/llvm.hpp>
#include <simtflow/interop/llvm_branch_facts.hpp>
#include <simtflow/interop/llvm_meld.hpp>
#include <simtflow/testing/random.hpp>
#include <simtflow/transform/meld_options.hpp>

#include <doctest/doctest.h>
#include <llvm/IR/Verifier.h>

#include <algorithm>
#include <cstdint>
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

// Random structured functions, and their weights by recursion over the structure: the weigher sees blocks only. Warps
// of each side come to a statement with a likelihood; a branch hands on to its arms what goes there.
class weighed_writer {
 public:
  weighed_writer(testing::rng& random, const branch_likelihood& share) : random_(random), share_(share) {}

  // The text of f with the condition %c; `expected` and `once` are what it weighs.
  std::string text() {
    body_ = "define void @f(i1 %c, i1 %u, i1 %v, i32 %x) {\nstart:\n";
    statements(3, 1, 1);
    return body_ + "  ret void\n}\n";
  }
  double expected = 0;
  std::uint64_t once = 0;

 private:
  // A condition for threads of one side: true, false, or a value that is not known.
  enum truth { yes, no, u, v };
  struct condition {
    std::string value;
    truth of[2];
  };

  std::string name(const char* kind) { return kind + std::to_string(next_++); }
  [[nodiscard]] double warps(double left, double right) const {
    return share_.all_first() * left + share_.all_second() * right + share_.parted * std::max(left, right);
  }
  void instruction(const std::string& text, std::uint64_t weight, double left, double right) {
    body_ += "  " + text + "\n";
    expected += warps(left, right) * static_cast<double>(weight);
    once += weight;
  }
  condition make_condition(double left, double right) {
    const std::string at = "%" + name("t");
    switch (random_.below(7)) {
      case 0:
        return {"%c", {yes, no}};
      case 1:
        instruction(at + " = xor i1 %c, true", 3, left, right);
        return {at, {no, yes}};
      case 2:
        instruction(at + " = and i1 %u, %c", 3, left, right);
        return {at, {u, no}};
      case 3:
        instruction(at + " = select i1 %c, i1 true, i1 %v", 3, left, right);
        return {at, {yes, v}};
      case 4:
        instruction(at + " = select i1 %c, i1 %u, i1 %v", 3, left, right);
        return {at, {u, v}};
      case 5:
        instruction(at + " = freeze i1 %c", 0, left, right);
        return {at, {yes, no}};
      default:
        return {"%u", {u, u}};
    }
  }
  // How likely the threads of one side go: all one way, all the other way, both ways.
  static double all(truth t, bool taken) { return t == yes ? (taken ? 1 : 0) : t == no ? (taken ? 0 : 1) : 0.25; }
  static double apart(truth t) { return t == yes || t == no ? 0 : 0.5; }

  void branch(const condition& c, const std::string& then, const std::string& other, double left, double right) {
    instruction("br i1 " + c.value + ", label %" + then + ", label %" + other, 3, left, right);
    once += 3;
    const double here[2] = {left, right};
    double parts = share_.all_first() * left * apart(c.of[0]) + share_.all_second() * right * apart(c.of[1]);
    const double both = std::min(left, right);
    const bool is_one = c.of[0] == c.of[1];  // one value for both sides
    const double agree = all(c.of[0], true) * all(c.of[1], true) + all(c.of[0], false) * all(c.of[1], false);
    parts += share_.parted * both * (is_one ? 0.5 : 1 - agree);
    for (const int k : {0, 1}) parts += share_.parted * (here[k] - both) * apart(c.of[k]);
    expected += 3 * parts;
  }
  void statements(unsigned depth, double left, double right) {
    for (std::size_t n = 1 + random_.below(3); n > 0; --n) {
      instruction("%" + name("t") + " = mul i32 %x, %x", 10, left, right);
      if (depth == 0) continue;
      const std::string then = name("then"), other = name("other"), join = name("join");
      if (random_.below(3) == 0) {  // a loop: its head, its body, and on
        body_ += "  br label %" + then + "\n" + then + ":\n";
        branch({"%v", {v, v}}, other, join, left, right);
        body_ += other + ":\n";
        statements(depth - 1, left * 0.75, right * 0.75);
        body_ += "  br label %" + then + "\n" + join + ":\n";
        continue;
      }
      const condition c = make_condition(left, right);
      const bool has_else = random_.below(2) == 0;
      branch(c, then, has_else ? other : join, left, right);
      body_ += then + ":\n";
      statements(depth - 1, left * (1 - all(c.of[0], false)), right * (1 - all(c.of[1], false)));
      body_ += "  br label %" + join + "\n";
      if (has_else) {
        body_ += other + ":\n";
        statements(depth - 1, left * (1 - all(c.of[0], true)), right * (1 - all(c.of[1], true)));
        body_ += "  br label %" + join + "\n";
      }
      body_ += join + ":\n";
    }
  }

  testing::rng& random_;
  branch_likelihood share_;
  std::string body_;
  unsigned next_ = 0;
};

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

TEST_CASE("llvm_meld: functions weigh what their structure says") {
  using namespace llvm_meld_checks;
  double heaviest = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    testing::rng random(seed);
    branch_likelihood share{static_cast<double>(random.below(5)) / 4, static_cast<double>(random.below(5)) / 4};
    weighed_writer writer(random, share);
    const std::string text = writer.text();
    text_module m(text);
    const llvm_cfg<llvm::Function> g(m.function());
    const csr_graph shape = snapshot(g);
    cfg_facts facts(shape);
    detail::llvm_meld_weigher weigher({}, {});
    const detail::llvm_weight weight = weigher.weigh(g, facts, m.function().getArg(0), share);
    CHECK_MESSAGE(weight.expected == doctest::Approx(writer.expected), "seed " << seed << "\n" << text);
    CHECK_MESSAGE(weight.once == writer.once, "seed " << seed << "\n" << text);
    heaviest = std::max(heaviest, weight.expected);
  }
  CHECK(heaviest > 500);
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
