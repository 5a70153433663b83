// SPDX-License-Identifier: BSL-1.0
//
// Partial linearization of LLVM functions (interop/llvm_partial.hpp), run by LLVM's interpreter: random functions, for
// one lane and widened to several (interop/llvm_widen.hpp), return what each lane returned alone; a kernel of a SIMD
// host; what is refused.
#include "interop/llvm/random_function.hpp"
#include "interop/llvm/text_module.hpp"
#include "support/long_run.hpp"
#include <simtflow/interop/llvm_partial.hpp>
#include <simtflow/interop/llvm_rewrite.hpp>
#include <simtflow/interop/llvm_widen.hpp>
#include <simtflow/transform/fix_irreducible.hpp>

#include <doctest/doctest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace simtflow;

namespace {
namespace llvm_partial_checks {

using simtflow_tests::random_function;
using simtflow_tests::text_module;
using simtflow_tests::text_of_all;

constexpr auto all_divergent = [](const llvm::BasicBlock*) { return true; };

// The hook for one lane.
void define_any(llvm::Function& any) {
  llvm::IRBuilder<> at(llvm::BasicBlock::Create(any.getContext(), "", &any));
  at.CreateRet(any.getArg(0));
}

std::unique_ptr<llvm::ExecutionEngine> interpreter(std::unique_ptr<llvm::Module> code) {
  std::unique_ptr<llvm::ExecutionEngine> machine(
      llvm::EngineBuilder(std::move(code)).setEngineKind(llvm::EngineKind::Interpreter).create());
  REQUIRE(machine != nullptr);
  return machine;
}

void require_valid(const llvm::Module& m, const llvm::Function& f) {
  std::string why;
  llvm::raw_string_ostream out(why);
  REQUIRE_MESSAGE(!llvm::verifyModule(m, &out), out.str() << text_of_all(f));
}

void make_reducible(llvm::Function& f) {
  const flow_plan plan = fix_irreducible(llvm_cfg(f));
  REQUIRE(rewrite(f, plan).empty());
}

struct figures {
  std::size_t written = 0, kept = 0, removed = 0, turns = 0, accesses = 0, calls = 0, selects = 0;
};

// One lane: branches are called uniform at random, which holds for a lane alone.
void check_one_lane(std::uint64_t seed, figures& all) {
  CAPTURE(seed);
  random_function original(seed), changed(seed);
  make_reducible(*changed.f);
  testing::rng random(seed);
  llvm::DenseMap<const llvm::BasicBlock*, bool> divergent;
  const std::uint64_t percent = random.below(101);
  for (const llvm::BasicBlock& b : *changed.f) divergent[&b] = random.below(100) < percent;
  const auto made = linearize_partially(*changed.f, [&](const llvm::BasicBlock* b) { return divergent[b]; });
  ++all.written;
  REQUIRE_MESSAGE(made.has_value(), made.diagnostics()[0].message);
  all.kept += made->kept_branches;
  all.removed += made->removed_branches;
  all.turns += made->turns;
  all.accesses += made->masked_accesses;
  all.calls += made->masked_calls;
  all.selects += made->selects;
  define_any(any_lane_hook(*changed.code));
  require_valid(*changed.code, *changed.f);
  const std::string text = text_of_all(*changed.f), before = text_of_all(*original.f);
  const auto wanted = original.run();
  const auto got = changed.run();
  REQUIRE_MESSAGE(got == wanted, before << "\n--- becomes\n" << text);
}

// Several lanes with memory of their own; `same`: they have the same argument, so that any branch is uniform.
void check_lanes(std::uint64_t seed, unsigned lanes, bool same) {
  CAPTURE(seed);
  CAPTURE(lanes);
  random_function original(seed), changed(seed);
  testing::rng random(seed);
  llvm::StripDebugInfo(*changed.code);
  make_reducible(*changed.f);
  llvm::DenseMap<const llvm::BasicBlock*, bool> divergent;
  for (const llvm::BasicBlock& b : *changed.f) divergent[&b] = !same || random.chance(50);
  const auto made = linearize_partially(*changed.f, [&](const llvm::BasicBlock* b) { return divergent[b]; });
  REQUIRE_MESSAGE(made.has_value(), made.diagnostics()[0].message);
  llvm::Module& m = *changed.code;
  llvm::Type* bit = llvm::Type::getInt1Ty(m.getContext());
  auto* apart = new llvm::GlobalVariable(m, bit, false, llvm::GlobalValue::InternalLinkage,
                                         llvm::ConstantInt::getFalse(m.getContext()), "apart");
  std::vector<std::vector<llvm::GlobalVariable*>> own(lanes);
  std::vector<llvm::GlobalVariable*> shared;
  for (llvm::GlobalVariable& g : m.globals())
    if (&g != apart) shared.push_back(&g);
  for (unsigned l = 0; l < lanes; ++l)
    for (const llvm::GlobalVariable* g : shared)
      own[l].push_back(new llvm::GlobalVariable(m, g->getValueType(), false, llvm::GlobalValue::InternalLinkage,
                                                const_cast<llvm::Constant*>(g->getInitializer()), g->getName()));
  llvm::Function& wide =
      widen(*changed.f, any_lane_hook(m), lanes, apart, [&](const llvm::GlobalVariable& g, unsigned l) -> llvm::Value* {
        for (std::size_t k = 0; k < shared.size(); ++k)
          if (shared[k] == &g) return own[l][k];
        return nullptr;
      });
  define_any(any_lane_hook(m));
  require_valid(m, wide);
  const std::string text = text_of_all(*changed.f);
  const std::vector<std::uint64_t> wanted = original.run();  // of the arguments below
  constexpr std::uint64_t given[] = {0U, 1U, 2U, 3U, 77U, 123'456U, 99U, 1'000'003U};
  std::vector<std::uint64_t> arguments(lanes, given[seed % 8]), results(lanes, 0);
  for (unsigned l = 0; !same && l < lanes; ++l) arguments[l] = given[l % 8];
  const auto machine = interpreter(std::move(changed.code));
  machine->runFunction(&wide, {llvm::GenericValue(arguments.data()), llvm::GenericValue(results.data())});
  for (unsigned l = 0; l < lanes; ++l)
    REQUIRE_MESSAGE(results[l] == wanted[same ? seed % 8 : l % 8], "lane " << l << "\n" << text);
  REQUIRE(*static_cast<bool*>(machine->getPointerToGlobal(apart)) == false);
}

// The reason why a function is refused; empty if it is not.
std::string refusal(const std::string& text) {
  text_module m(text);
  const auto made = linearize_partially(m.function(), all_divergent);
  require_valid(*m.code, m.function());
  return made ? "" : made.diagnostics()[0].message;
}

// The kernel of examples/llvm, and a run of one of its functions for 8 lanes.
std::unique_ptr<llvm::Module> collatz(llvm::LLVMContext& context) {
#if LLVM_VERSION_MAJOR == 14
  context.enableOpaquePointers();
#endif
  llvm::SMDiagnostic error;
  auto m = llvm::parseAssemblyFile(SIMTFLOW_SOURCE_DIR "/examples/llvm/collatz.ll", error, context);
  REQUIRE_MESSAGE(m != nullptr, error.getMessage().str());
  return m;
}
struct collatz_data {
  static constexpr unsigned lanes = 8;
  std::uint32_t in[lanes] = {27, 1, 6, 7, 97, 2, 871, 5}, divisors[lanes] = {3, 0, 0, 5, 7, 0, 2, 1};
  std::uint32_t rest[lanes] = {}, results[lanes] = {};
  [[nodiscard]] std::uint32_t* rest_of(unsigned l) { return l % 3 == 1 ? nullptr : rest; }
};

}  // namespace llvm_partial_checks
}  // namespace

TEST_CASE("llvm_partial: random functions for one lane, any choice of uniform branches") {
  using namespace llvm_partial_checks;
  figures all;
  for (std::uint64_t seed = 1; seed <= simtflow_tests::times(150); ++seed)
    if (simtflow_tests::in_shard(seed)) check_one_lane(seed, all);
  CHECK(all.written > 100);
  CHECK(all.kept > 100);
  CHECK(all.removed > 100);
  CHECK(all.accesses > 100);
  CHECK(all.calls > 50);
  CHECK(all.selects > 100);
  MESSAGE(all.written << " written, " << all.kept << " branches kept, " << all.removed << " removed, " << all.turns
                      << " turns, " << all.accesses << " accesses, " << all.calls << " calls, " << all.selects
                      << " selects");
}

TEST_CASE("llvm_partial: random functions widened") {
  using namespace llvm_partial_checks;
  for (std::uint64_t seed = 1; seed <= simtflow_tests::times(60); ++seed) {
    if (!simtflow_tests::in_shard(seed)) continue;
    check_lanes(seed, 1 + static_cast<unsigned>(seed % 8), false);
    check_lanes(seed, 4, true);
  }
}

TEST_CASE("llvm_partial: a kernel for a SIMD host, linearized, widened and interpreted") {
  using namespace llvm_partial_checks;
  using llvm::GenericValue;
  for (const std::uint32_t most : {1000U, 20U, 0U}) {
    collatz_data wanted, got;
    llvm::LLVMContext for_scalar, for_lanes;
    auto scalar = collatz(for_scalar);
    llvm::Function* kernel = scalar->getFunction("collatz");
    const auto one_lane = interpreter(std::move(scalar));
    for (unsigned l = 0; l < collatz_data::lanes; ++l) {
      GenericValue lane, limit;
      lane.IntVal = llvm::APInt(32, l);
      limit.IntVal = llvm::APInt(32, most);
      wanted.results[l] =
          static_cast<std::uint32_t>(one_lane
                                         ->runFunction(kernel, {GenericValue(wanted.in), GenericValue(wanted.divisors),
                                                                GenericValue(wanted.rest_of(l)), lane, limit})
                                         .IntVal.getZExtValue());
    }
    auto m = collatz(for_lanes);
    llvm::Function& linear = *m->getFunction("collatz");
    const auto made = linearize_partially(linear, [](const llvm::BasicBlock* b) { return b->getName() != "start"; });
    REQUIRE(made.has_value());
    CHECK(made->kept_branches == 1);
    CHECK(made->turns == 1);
    CHECK(made->masked_calls == 0);
    std::size_t branches = 0;
    for (const llvm::BasicBlock& b : linear) branches += b.getTerminator()->getNumSuccessors() > 1 ? 1 : 0;
    CHECK(branches == 2);  // on %most, and at the turn
    auto* apart =
        new llvm::GlobalVariable(*m, llvm::Type::getInt1Ty(for_lanes), false, llvm::GlobalValue::InternalLinkage,
                                 llvm::ConstantInt::getFalse(for_lanes), "apart");
    llvm::Function& wide = widen(linear, any_lane_hook(*m), collatz_data::lanes, apart,
                                 [](const llvm::GlobalVariable&, unsigned) -> llvm::Value* { return nullptr; });
    require_valid(*m, wide);
    std::uint32_t *in[collatz_data::lanes], *divisors[collatz_data::lanes], *rest[collatz_data::lanes];
    std::uint32_t lane[collatz_data::lanes], limit[collatz_data::lanes];
    for (unsigned l = 0; l < collatz_data::lanes; ++l) {
      in[l] = got.in;
      divisors[l] = got.divisors;
      rest[l] = got.rest_of(l);
      lane[l] = l;
      limit[l] = most;
    }
    const auto machine = interpreter(std::move(m));
    machine->runFunction(&wide, {GenericValue(in), GenericValue(divisors), GenericValue(rest), GenericValue(lane),
                                 GenericValue(limit), GenericValue(got.results)});
    CHECK(*static_cast<bool*>(machine->getPointerToGlobal(apart)) == false);
    for (unsigned l = 0; l < collatz_data::lanes; ++l) {
      CHECK(got.results[l] == wanted.results[l]);
      CHECK(got.rest[l] == wanted.rest[l]);
    }
    if (most == 1000) CHECK(got.results[0] == 111);
  }
}

TEST_CASE("llvm_partial: what is refused, and what is not touched") {
  using namespace llvm_partial_checks;
  const auto arm = [](const std::string& what) {
    return "declare void @meet() convergent\ndeclare void @g()\ndefine void @f(i1 %c, i32 %n) {\nstart:\n  br i1 %c, "
           "label %arm, label %join\narm:\n" +
           what + "  br label %join\njoin:\n  ret void\n}\n";
  };
  CHECK(refusal(arm("")).empty());
  CHECK(refusal(arm("  call void @g()\n")).empty());
  CHECK(refusal(arm("  call void @meet()\n")) ==
        "an operation that the same threads must execute together cannot be under a mask");
  CHECK(refusal(arm("  %s = alloca i32, i32 %n\n")) ==
        "a stack slot that is not made at the beginning cannot be under a mask");
  CHECK(refusal("define void @f(i1 %c) {\nstart:\n  br i1 %c, label %a, label %b\na:\n  br i1 %c, label %b, label "
                "%end\nb:\n  br i1 %c, label %a, label %end\nend:\n  ret void\n}\n") ==
        "a loop has several entries; fix_irreducible gives it one");
  CHECK(refusal("declare void @f()\n") == "it has no body");
  // Without a divergent branch nothing needs a mask or the hook.
  text_module m(arm("  call void @meet()\n"));
  const auto made = linearize_partially(m.function(), [](const llvm::BasicBlock*) { return false; });
  REQUIRE(made.has_value());
  CHECK(made->masked_blocks == 0);
  CHECK(made->questions == 0);
  CHECK(made->kept_branches == 1);
}
