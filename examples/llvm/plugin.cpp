// SPDX-License-Identifier: BSL-1.0
//
// simtflow as a plugin of LLVM's `opt` (new pass manager): three passes over functions.
//
//   simtflow-report      prints thread frontiers, what is unstructured and the plan that would linearize it; then for
//                        every branch how its arms could be melded, or why not
//   simtflow-linearize   applies the plan that linearizes
//   simtflow-meld        melds branches with two arms that do much the same (interop/llvm_meld.hpp)
//
//   opt -load-pass-plugin ./libsimtflow-llvm-plugin-14.so -passes=simtflow-report -disable-output in.ll
//   opt -load-pass-plugin ./libsimtflow-llvm-plugin-14.so -passes=simtflow-linearize,verify -S in.ll -o out.ll
//   opt -load-pass-plugin ./libsimtflow-llvm-plugin-14.so '-passes=simtflow-meld<threshold=0.1>,verify' in.bc -o out.bc
//
// Parameters of simtflow-meld, and of simtflow-report for what it says about melding, with ; between them:
//   threshold=X           the least part of two pieces' weight that melding them saves, 0 to 1 (default 0.2)
//   fuse, tail            only arms of one block; only what both arms end with
//   score=expected|paper  by expected cost (default), or as the paper prints it, whether or not it is cheaper
//   unpredicate=auto|always|never   branches around instructions of one side: where they pay (default), all, none
//
// On a target with branch divergence (NVPTX, AMDGPU) LLVM's own analysis tells divergent branches from uniform
// ones, which are left alone. On any other target every branch counts as divergent. Calls that are convergent stay out
// of linearized regions and of arms that are melded.
#include "report.hpp"
#include "target.hpp"
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/unstructured.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/interop/llvm.hpp>
#include <simtflow/interop/llvm_meld.hpp>
#include <simtflow/interop/llvm_rewrite.hpp>
#include <simtflow/io/describe_structure.hpp>
#include <simtflow/transform/linearize.hpp>

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
#if LLVM_VERSION_MAJOR >= 22
#include <llvm/Plugins/PassPlugin.h>
#else
#include <llvm/Passes/PassPlugin.h>
#endif

#include <optional>

namespace {

using namespace plugin;

class report_pass : public llvm::PassInfoMixin<report_pass> {
 public:
  explicit report_pass(const llvm_meld_options& options) : options_(options) {}

  llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager& known) {
    const cfg g(f);
    const branch_uniformity threads(f, known);
    const auto nest = loops(g);
    llvm::raw_ostream& out = llvm::outs();
    out << "function " << f.getName() << ": " << g.num_blocks() << " blocks, " << snapshot(g).num_edges() << " edges, "
        << nest.num_loops() << (nest.num_loops() == 1 ? " loop" : " loops")
        << (nest.is_reducible() ? "\n" : ", irreducible\n");
    block_names name_of(g, f);
    print_uniform(out, g, name_of, threads);
    print_frontiers(out, g, name_of);
    print_indented(out, describe(find_unstructured(g), name_of));
    const linearization made = linearize(g, {}, llvm_is_convergent{}, threads.predicate());
    if (!made.regions.empty()) {
      print_plan(out, g, name_of, made);
      for (const diagnostic& why : obstacles_to_rewriting(f, made.plan))
        out << "  cannot be applied: " << why.message << '\n';
    }
    print_refused(out, name_of, made);
    if (made.uniform != 0)
      out << "  not linearized: " << made.uniform << (made.uniform == 1 ? " region" : " regions")
          << " without divergent branches\n";
    print_melding(out, g, name_of, known, options_);
    return llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }

 private:
  llvm_meld_options options_;
};

class linearize_pass : public llvm::PassInfoMixin<linearize_pass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager& known) {
    // [pass]
    const llvm_cfg g(f);
    const branch_uniformity threads(f, known);
    const linearization made = linearize(g, {}, llvm_is_convergent{}, threads.predicate());
    if (!made.refused.empty()) print_refused(llvm::errs(), block_names(g, f), made);
    if (made.regions.empty()) return llvm::PreservedAnalyses::all();
    if (const diagnostics why = rewrite(f, made.plan); !why.empty()) {
      llvm::errs() << f.getName() << " stays as it is: " << why.front().message << '\n';
      return llvm::PreservedAnalyses::all();
    }
    return llvm::PreservedAnalyses::none();
    // [/pass]
  }
};

class meld_pass : public llvm::PassInfoMixin<meld_pass> {
 public:
  explicit meld_pass(const llvm_meld_options& options) : options_(options) {}

  llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager& known) {
    const auto is_free = free_on(known.getResult<llvm::TargetIRAnalysis>(f));
    llvm_latencies weights;
    weights.is_free = is_free;
    const llvm_meld_report report = meld(f, options_, weights, asks_llvm(known));
    return report.melded.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
  }

 private:
  llvm_meld_options options_;
};

// One parameter of simtflow-meld. Returns false if there is no such parameter, or no such value of it.
bool take_parameter(llvm::StringRef text, llvm_meld_options& options) {
  const auto [name, value] = text.split('=');
  const auto choose = [value = value](auto& out, const auto&... choices) {
    return ((value == llvm::StringRef(to_string(choices).data(), to_string(choices).size()) && (out = choices, true)) ||
            ...);
  };
  if (text == "fuse") {
    options.search.mode = meld_mode::fusion;
  } else if (text == "tail") {
    options.search.mode = meld_mode::tail;
  } else if (name == "threshold") {
    return !value.getAsDouble(options.search.threshold) && options.search.threshold >= 0 &&
           options.search.threshold <= 1;
  } else if (name == "score") {
    return choose(options.search.score, meld_score::expected, meld_score::paper);
  } else if (name == "unpredicate") {
    return choose(options.code.unpredicate, meld_unpredication::automatic, meld_unpredication::always,
                  meld_unpredication::never);
  } else {
    return false;
  }
  return true;
}

// The parameters in `pass<...>`; nothing if `text` is another pass, or is wrong, which is said.
std::optional<llvm_meld_options> parameters(llvm::StringRef text, llvm::StringRef pass) {
  llvm_meld_options options;
  if (!text.consume_front(pass)) return std::nullopt;
  if (text.empty()) return options;
  if (!text.consume_front("<") || !text.consume_back(">")) return std::nullopt;
  llvm::SmallVector<llvm::StringRef, 4> list;
  text.split(list, ';');
  for (const llvm::StringRef one : list) {
    if (take_parameter(one, options)) continue;
    llvm::errs() << pass << ": '" << one
                 << "' is none of threshold=0 to 1, fuse, tail, score=expected|paper, unpredicate=auto|always|never\n";
    return std::nullopt;
  }
  return options;
}

bool add_pass(llvm::StringRef name, llvm::FunctionPassManager& passes,
              llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
  if (const auto options = parameters(name, "simtflow-report"))
    passes.addPass(report_pass(*options));
  else if (const auto how = parameters(name, "simtflow-meld"))
    passes.addPass(meld_pass(*how));
  else if (name == "simtflow-linearize")
    passes.addPass(linearize_pass());
  else
    return false;
  return true;
}

}  // namespace

extern "C" [[gnu::visibility("default"), gnu::weak]] llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "simtflow", LLVM_VERSION_STRING,
          [](llvm::PassBuilder& builder) { builder.registerPipelineParsingCallback(add_pass); }};
}
