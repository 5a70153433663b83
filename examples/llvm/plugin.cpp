// SPDX-License-Identifier: BSL-1.0
//
// simtflow as a plugin of LLVM's `opt` (new pass manager): passes over functions. They compose in one list of -passes.
//
//   simtflow-report          prints thread frontiers, what is unstructured and the plan of simtflow-linearize; then for
//                            every branch how its arms could be melded, or why not
//   simtflow-linearize       puts unstructured regions in a row, after guards, if they become cheaper by it
//                            (transform/linearize_where_it_pays.hpp)
//   simtflow-merge-loops     lets threads that have left an inner loop begin the next iteration of the outer one, where
//                            that is expected to pay (transform/merge_iterations.hpp)
//   simtflow-interleave      cuts both arms of a branch where they wait for loads, where that is expected to pay
//                            (interop/llvm_interleave.hpp)
//   simtflow-stack-depth<N>  linearizes what is nested too deeply for a reconvergence stack of N entries
//                            (transform/limit_stack_depth.hpp)
//   simtflow-struct          structures by copies of blocks (transform/structure_by_copies.hpp)
//   simtflow-partial         straight code under masks where lanes diverge, for SIMD hosts (interop/llvm_partial.hpp)
//   simtflow-meld            melds branches with two arms that do much the same (interop/llvm_meld.hpp)
//
//   opt -load-pass-plugin ./libsimtflow-llvm-plugin-14.so -passes=simtflow-report -disable-output in.ll
//   opt -load-pass-plugin ./libsimtflow-llvm-plugin-14.so -passes=simtflow-linearize,verify -S in.ll -o out.ll
//   opt -load-pass-plugin ./libsimtflow-llvm-plugin-14.so
//     '-passes=simtflow-merge-loops,simtflow-linearize<guards=o2>,simtflow-meld<threshold=0.1>' in.bc -o out.bc
//
// Parameters, with ; between them. All passes but simtflow-meld, simtflow-report and simtflow-partial take no-proof.
//   guards=none|o1|o2|o3|o4   simtflow-linearize, simtflow-stack-depth: what is done to have few guards
//                             (transform/guard_tree.hpp)
//   always                    simtflow-linearize: all regions, whether or not it pays (transform/linearize.hpp)
//   no-proof                  neither plans (transform/check_plan.hpp) nor the code written of them
//                             (interop/llvm_check_rewrite.hpp) are checked; else wrong code ends opt
//   memory=CYCLES, warps=N    simtflow-interleave: the time of a load (default 100), warps that take turns (default 1)
//   alone                     simtflow-partial: one lane runs the result, so the hook simtflow.any gets a body
//   blocks=N                  simtflow-struct: a function that would have more blocks stays as it is
// simtflow-meld, and simtflow-report for what it says about melding:
//   threshold=X               the least part of two pieces' weight that melding them saves, 0 to 1 (default 0.2)
//   fuse, tail                only arms of one block; only what both arms end with
//   score=expected|paper      by expected cost (default), or as the paper prints it, whether or not it is cheaper
//   unpredicate=auto|always|never   branches around instructions of one side: where they pay (default), all, none
//
// On a target with branch divergence (NVPTX, AMDGPU) LLVM's own analysis tells divergent branches from uniform ones.
// Linearization, loop merging and melding leave uniform ones alone. On any other target every branch counts as
// divergent. Convergent calls stay out of what is linearized, copied and melded. Expected costs take the weights of
// interop/llvm_latencies.hpp, likelihoods by !prof branch weights (without them every second warp diverges) and the
// frequencies of LLVM's BlockFrequencyInfo.
#include "parameters.hpp"
#include "plan_passes.hpp"
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
    print_registers(out, f, name_of);
    print_frontiers(out, g, name_of);
    print_indented(out, describe(find_unstructured(g), name_of));
    const linearization made = linearize_as({}, g, known);
    if (!made.regions.empty()) {
      print_plan(out, g, name_of, made);
      for (const diagnostic& why : obstacles_to_rewriting(f, made.plan))
        out << "  cannot be applied: " << why.message << '\n';
    }
    print_refused(out, name_of, made);
    print_kept(out, name_of, made);
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

bool add_stack_depth(const plan_parameters& how, llvm::FunctionPassManager& passes) {
  if (how.number == 0) {
    llvm::errs() << "simtflow-stack-depth: a limit is missing: simtflow-stack-depth<4>\n";
    return false;
  }
  passes.addPass(stack_depth_pass(how));
  return true;
}

// Parameters as messages name them.
constexpr const char* known_proof = "no-proof";
constexpr const char* known_interleave = "memory=CYCLES, warps=N, no-proof";
constexpr const char* known_linearize = "guards=none|o1|o2|o3|o4, always, no-proof";
constexpr const char* known_depth = "the limit (from 2 on), guards=none|o1|o2|o3|o4, no-proof";
constexpr const char* known_struct = "blocks=N, no-proof";
constexpr const char* known_meld = "threshold=0 to 1, fuse, tail, score=expected|paper, unpredicate=auto|always|never";

bool add_pass(llvm::StringRef name, llvm::FunctionPassManager& passes,
              llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
  const auto plan = [name](const char* pass, const char* known, const auto& take) {
    return parameters<plan_parameters>(name, pass, known, take);
  };
  if (const auto options = parameters<llvm_meld_options>(name, "simtflow-report", known_meld, take_meld))
    passes.addPass(report_pass(*options));
  else if (const auto meld = parameters<llvm_meld_options>(name, "simtflow-meld", known_meld, take_meld))
    passes.addPass(meld_pass(*meld));
  else if (const auto linear = plan("simtflow-linearize", known_linearize, take_linearize))
    passes.addPass(linearize_pass(*linear));
  else if (const auto merge = plan("simtflow-merge-loops", known_proof, take_proof))
    passes.addPass(merge_loops_pass(*merge));
  else if (const auto phases = plan("simtflow-interleave", known_interleave, take_interleave))
    passes.addPass(interleave_pass(*phases));
  else if (const auto depth = plan("simtflow-stack-depth", known_depth, take_depth))
    return add_stack_depth(*depth, passes);
  else if (const auto lanes = plan("simtflow-partial", "alone", take_partial))
    passes.addPass(partial_pass(*lanes));
  else if (const auto copies = plan("simtflow-struct", known_struct, take_struct))
    passes.addPass(struct_pass(*copies));
  else
    return false;
  return true;
}

}  // namespace

extern "C" [[gnu::visibility("default"), gnu::weak]] llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "simtflow", LLVM_VERSION_STRING,
          [](llvm::PassBuilder& builder) { builder.registerPipelineParsingCallback(add_pass); }};
}
