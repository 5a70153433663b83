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
#include <llvm/IR/Verifier.h>

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
