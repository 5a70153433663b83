// SPDX-License-Identifier: BSL-1.0
//
// simtflow as a plugin of LLVM's `opt` (new pass manager): two passes over functions.
//
//   simtflow-report      prints thread frontiers, what is unstructured and the plan that would linearize it; then for
//                        every branch how its arms could be melded, or why not
//   simtflow-linearize   applies the plan that linearizes
//
//   opt -load-pass-plugin ./libsimtflow-llvm-plugin-14.so -passes=simtflow-report -disable-output in.ll
//   opt -load-pass-plugin ./libsimtflow-llvm-plugin-14.so -passes=simtflow-linearize,verify -S in.ll -o out.ll
//
// On a target with branch divergence (NVPTX, AMDGPU) LLVM's own analysis tells divergent branches from uniform
// ones, which are left alone. On any other target every branch counts as divergent. Calls that are convergent stay out
// of linearized regions and of arms that are melded.
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/analysis/unstructured.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/interop/llvm.hpp>
#include <simtflow/interop/llvm_melding.hpp>
#include <simtflow/interop/llvm_rewrite.hpp>
#include <simtflow/io/describe_meld_plan.hpp>
#include <simtflow/io/describe_structure.hpp>
#include <simtflow/transform/linearize.hpp>

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/ModuleSlotTracker.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
#if LLVM_VERSION_MAJOR >= 17
#include <llvm/Analysis/UniformityAnalysis.h>
#else
#include <llvm/Analysis/DivergenceAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>
#endif
#if LLVM_VERSION_MAJOR >= 22
#include <llvm/Plugins/PassPlugin.h>
#else
#include <llvm/Passes/PassPlugin.h>
#endif

#include <cstddef>
#include <optional>
#include <string>

namespace {

using namespace simtflow;
using cfg = llvm_cfg<llvm::Function>;

// LLVM's analysis of divergent branches. If the target has no divergence, all branches count as divergent: the code may
// be for a SIMT machine that LLVM does not know.
class branch_uniformity {
 public:
  branch_uniformity(llvm::Function& f, llvm::FunctionAnalysisManager& known) {
    const llvm::TargetTransformInfo& target = known.getResult<llvm::TargetIRAnalysis>(f);
#if LLVM_VERSION_MAJOR >= 17
    if (target.hasBranchDivergence(&f)) info_ = &known.getResult<llvm::UniformityInfoAnalysis>(f);
#else
    if (!target.hasBranchDivergence()) return;
    info_.emplace(f, known.getResult<llvm::DominatorTreeAnalysis>(f),
                  known.getResult<llvm::PostDominatorTreeAnalysis>(f), known.getResult<llvm::LoopAnalysis>(f), target,
                  false);
#endif
  }

  // True if the branch that ends the block is divergent.
  bool is_divergent(const llvm::BasicBlock& b) const {
    if (!info_) return true;
#if LLVM_VERSION_MAJOR >= 17
    return info_->hasDivergentTerminator(b);
#else
    const llvm::Instruction& last = *b.getTerminator();
    for (const llvm::Use& used : last.operands())
      if (!llvm::isa<llvm::BasicBlock>(used) && info_->isDivergentUse(used)) return true;
    return info_->isDivergent(last);
#endif
  }
  // The same as a predicate that refers to this.
  auto predicate() const {
    return [this](const llvm::BasicBlock* b) { return is_divergent(*b); };
  }

 private:
#if LLVM_VERSION_MAJOR >= 17
  llvm::UniformityInfo* info_ = nullptr;
#else
  std::optional<llvm::DivergenceInfo> info_;
#endif
};

// Names of a graph's blocks, by block or by number. Those without a name are counted once, not at every question.
class block_names {
 public:
  explicit block_names(const cfg& g, const llvm::Function& f) : cfg_(g), slots_(f.getParent()) {
    slots_.incorporateFunction(f);
  }
  std::string operator()(const llvm::BasicBlock* b) const {
    std::string text;
    llvm::raw_string_ostream out(text);
    b->printAsOperand(out, false, slots_);
    return out.str();
  }
  std::string operator()(block_id b) const { return (*this)(cfg_.block_at(b)); }

 private:
  const cfg& cfg_;
  mutable llvm::ModuleSlotTracker slots_;
};

void print_indented(llvm::raw_ostream& out, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    out << "  " << text.substr(at, end - at) << '\n';
    at = end == std::string::npos ? text.size() : end + 1;
  }
}

void print_frontiers(llvm::raw_ostream& out, const cfg& g, const block_names& name_of) {
  const auto order = loop_contiguous_order(g);
  const auto frontiers = thread_frontiers(g, order);
  out << "  thread frontiers: largest " << frontiers.max_size() << ", checks on " << frontiers.check_edges().size()
      << " edges\n";
  for (llvm::BasicBlock* b : order.blocks()) {
    if (frontiers.of(b).empty()) continue;
    out << "    " << name_of(b) << ':';
    for (llvm::BasicBlock* waits : frontiers.of(b)) out << ' ' << name_of(waits);
    out << '\n';
  }
}

std::string name_in(const block_names& name_of, const flow_plan& plan, block_id b) {
  switch (plan[b].role) {
    case plan_role::original:
      return name_of(b);
    case plan_role::copy:
      return "copy " + std::to_string(b) + " of " + name_of(plan[b].executes);
    case plan_role::guard:
      return "guard " + std::to_string(b);
    case plan_role::empty:
      return (plan[b].leaves ? "end " : "join ") + std::to_string(b);
  }
  return "";
}

// The changes of the plan: guards, and edges that lead elsewhere or set something.
void print_plan(llvm::raw_ostream& out, const cfg& g, const block_names& name_of, const linearization& made) {
  const flow_plan& plan = made.plan;
  const plan_cost cost = plan.cost();
  out << "  linearization: " << made.regions.size() << (made.regions.size() == 1 ? " region, " : " regions, ")
      << cost.guards << (cost.guards == 1 ? " guard, " : " guards, ") << cost.assignments << " assignments, "
      << (made.structured ? "then structured" : "still unstructured") << '\n';
  const csr_graph before = snapshot(g);
  const csr_graph after = snapshot(plan);
  const depth_first_order<csr_graph> search(after);
  for (const block_id b : search.rpo()) {
    const bool is_new = plan[b].role != plan_role::original;
    std::size_t slot = 0;
    for (const flow_plan::edge& e : plan.successors(b)) {
      const std::size_t k = slot++;
      if (!is_new && k < before.successors(b).size() && before.successors(b)[k] == e.to &&
          e.sets == flow_plan::edge{}.sets)
        continue;
      out << "    " << name_in(name_of, plan, b);
      if (plan[b].role == plan_role::guard && k == 0) {
        out << ", v" << plan[b].variable << " = " << plan[b].low;
        if (plan[b].high != plan[b].low) out << ".." << plan[b].high;
      } else if (plan[b].role == plan_role::guard) {
        out << ", else";
      } else if (plan.successors(b).size() > 1) {
        out << ", slot " << k;
      }
      out << " -> " << name_in(name_of, plan, e.to);
      plan.for_each_assignment(e, [&](plan_assignment a) { out << ", v" << a.variable << " := " << a.value; });
      out << '\n';
    }
  }
}

// The branches that are not divergent.
void print_uniform(llvm::raw_ostream& out, const cfg& g, const block_names& name_of, const branch_uniformity& threads) {
  std::string names;
  for (llvm::BasicBlock& b : g.function())
    if (b.getTerminator()->getNumSuccessors() > 1 && !threads.is_divergent(b)) names += ' ' + name_of(&b);
  if (!names.empty()) out << "  uniform branches:" << names << '\n';
}

// The reasons, in words, for regions that the linearization refused.
void print_refused(llvm::raw_ostream& out, const block_names& name_of, const linearization& made) {
  for (const block_id b : made.refused) out << "  not linearized: " << name_of(b) << " has a convergent call\n";
}

// The instructions of a branch's two arms that could become one.
void print_melding(llvm::raw_ostream& out, const cfg& g, const block_names& name_of) {
  const llvm_melding_model code(g);
  print_indented(out, describe_melding(snapshot(g), code, name_of));
}

class report_pass : public llvm::PassInfoMixin<report_pass> {
 public:
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
    print_melding(out, g, name_of);
    return llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
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

bool add_pass(llvm::StringRef name, llvm::FunctionPassManager& passes,
              llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
  if (name == "simtflow-report")
    passes.addPass(report_pass());
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
