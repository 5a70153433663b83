// SPDX-License-Identifier: BSL-1.0
//
// The passes that make a plan of a function's graph, prove it, apply it and prove what was written.
#pragma once

#include "parameters.hpp"
#include "report.hpp"
#include "target.hpp"
#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/structure.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/interop/llvm.hpp>
#include <simtflow/interop/llvm_check_rewrite.hpp>
#include <simtflow/interop/llvm_interleave.hpp>
#include <simtflow/interop/llvm_latencies.hpp>
#include <simtflow/interop/llvm_linearizing_model.hpp>
#include <simtflow/interop/llvm_partial.hpp>
#include <simtflow/interop/llvm_rewrite.hpp>
#include <simtflow/io/describe_plan_fault.hpp>
#include <simtflow/transform/check_plan.hpp>
#include <simtflow/transform/limit_stack_depth.hpp>
#include <simtflow/transform/linearize.hpp>
#include <simtflow/transform/linearize_where_it_pays.hpp>
#include <simtflow/transform/merge_iterations.hpp>
#include <simtflow/transform/structure_by_copies.hpp>

#include <llvm/ADT/Twine.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace plugin {

// Ends the compiler: code was written that is not what its plan says.
[[noreturn]] inline void give_up(const llvm::Function& f, const diagnostics& faults) {
  llvm::report_fatal_error(llvm::Twine(f.getName()) + ": " + faults.front().message, false);
}

// Applies a plan that is right. A plan that is not, or cannot be applied, changes nothing, and the reason is said. Code
// that is not its plan ends the compiler.
inline llvm::PreservedAnalyses apply_to(llvm::Function& f, const cfg& g, const flow_plan& plan, bool prove) {
  if (const auto fault = prove ? check_plan(snapshot(g), plan) : std::nullopt) {
    llvm::errs() << f.getName() << " stays as it is: " << describe(*fault, plan, block_names(g, f)) << '\n';
    return llvm::PreservedAnalyses::all();
  }
  std::optional<llvm_code_record> before;
  if (prove) before.emplace(f);
  if (const diagnostics why = rewrite(f, plan); !why.empty()) {
    llvm::errs() << f.getName() << " stays as it is: " << why.front().message << '\n';
    return llvm::PreservedAnalyses::all();
  }
  if (prove)
    if (const diagnostics faults = check_rewrite(*before, plan, f); !faults.empty()) give_up(f, faults);
  return llvm::PreservedAnalyses::none();
}

// A pass with parameters, which find `plan_parameters` under its name.
template <class Pass>
class plan_pass : public llvm::PassInfoMixin<Pass> {
 public:
  explicit plan_pass(const plan_parameters& how) : how_(how) {}

 protected:
  plan_parameters how_;
};

// The plan of simtflow-linearize.
inline linearization linearize_as(const plan_parameters& how, const cfg& g, llvm::FunctionAnalysisManager& known) {
  linearize_options options;
  options.optimize = how.guards.value_or(options.optimize);
  llvm::Function& f = g.function();
  if (how.always) {
    const branch_uniformity threads(f, known);
    return linearize(g, options, llvm_is_convergent{}, threads.predicate());
  }
  const auto is_free = free_on(known.getResult<llvm::TargetIRAnalysis>(f));
  llvm_latencies weights;
  weights.is_free = is_free;
  const llvm_linearizing_model code(g, weights, asks_llvm(known)(f));
  return linearize_where_it_pays(g, code, options, llvm_is_convergent{});
}

class linearize_pass : public plan_pass<linearize_pass> {
 public:
  using plan_pass::plan_pass;

  llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager& known) {
    // [pass]
    const llvm_cfg g(f);
    if (is_structured(g)) return llvm::PreservedAnalyses::all();
    const linearization made = linearize_as(how_, g, known);
    if (!made.refused.empty()) print_refused(llvm::errs(), block_names(g, f), made);
    if (made.regions.empty()) return llvm::PreservedAnalyses::all();
    return apply_to(f, g, made.plan, how_.prove);
    // [/pass]
  }
};

// True if threads of different iterations must not meet in a block: it has a convergent call, or a thread may wait
// there for what others do. Code with one thread that works for its warp relies on that.
struct must_keep_iterations {
  bool operator()(const llvm::BasicBlock* b) const {
    for (const llvm::Instruction& i : *b)
      if (llvm_may_wait(i)) return true;
    return llvm_is_convergent{}(b);
  }
};
constexpr const char* or_what = " or may wait for other threads";

// Inner loops are merged with the loops around them where that pays, nests that save most first.
class merge_loops_pass : public plan_pass<merge_loops_pass> {
 public:
  using plan_pass::plan_pass;

  llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager& known) {
    const llvm_cfg g(f);
    const csr_graph shape = snapshot(g);
    cfg_facts facts(shape);
    const dense::loop_forest& nest = facts.loops();
    std::vector<saving> found;
    bool is_nested = false;
    for (const loop_id l : nest.all()) is_nested = is_nested || nest.parent(l) != no_loop;
    if (!is_nested) return llvm::PreservedAnalyses::all();
    const branch_uniformity threads(f, known);
    const auto is_free = free_on(known.getResult<llvm::TargetIRAnalysis>(f));
    llvm_latencies weights;
    weights.is_free = is_free;
    const llvm_linearizing_model code(g, weights);
    for (const loop_id l : nest.all()) {
      const auto keeps = [&](block_id b) { return must_keep_iterations{}(g.block_at(b)); };
      block_id at = no_block;
      if (refusal_to_merge(facts, l, keeps, keeps, at) != merge_refusal::none) continue;
      bool diverges = false;
      nest.for_each_exit(l, [&](const loop_exit<block_id>& e) {
        diverges = diverges || threads.is_divergent(*g.block_at(e.from));
        return !diverges;
      });
      const double saves = diverges ? saved(nest, l, code, 3.0 * weights.other) : 0;
      if (saves > 0) found.push_back({l, saves});
    }
    std::stable_sort(found.begin(), found.end(), [](const saving& a, const saving& b) { return a.weight > b.weight; });
    flow_plan plan(shape);
    std::vector<unsigned char> taken(shape.num_blocks(), 0);
    bool changes = false;
    for (const saving& s : found) {
      const auto blocks = nest.blocks(nest.parent(s.loop));
      if (std::any_of(blocks.begin(), blocks.end(), [&](block_id b) { return taken[b] != 0; })) continue;
      for (const block_id b : blocks) taken[b] = 1;
      merge_iterations(plan, facts, s.loop);
      changes = true;
    }
    return changes ? apply_to(f, g, plan, how_.prove) : llvm::PreservedAnalyses::all();
  }

 private:
  struct saving {
    loop_id loop;
    double weight;
  };
  // The weight that a warp saves, for the trips of an unknown nest.
  static double saved(const dense::loop_forest& nest, loop_id inner, const llvm_linearizing_model& code, double guard) {
    const merged_nest_trips trips;
    const loop_id outer = nest.parent(inner);
    double inside = 0, beside = 0;
    for (const block_id b : nest.blocks(outer)) {
      double visits = trips.outer;
      for (loop_id l = nest.innermost(b); l != outer; l = nest.parent(l)) visits *= trips.most;
      (nest.contains(inner, b) ? inside : beside) += visits * code.weight(b);
    }
    const double merged = trips.inner_merged(), before = trips.outer * trips.most;
    return inside + beside - (merged * guard + beside * trips.outer_merged() / trips.outer + inside * merged / before);
  }
};

class interleave_pass : public plan_pass<interleave_pass> {
 public:
  using plan_pass::plan_pass;

  llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager& known) {
    const auto is_free = free_on(known.getResult<llvm::TargetIRAnalysis>(f));
    llvm_latencies cycles;
    cycles.is_free = is_free;
    if (how_.memory != 0) cycles.memory = how_.memory;
    llvm_interleave_options options;
    options.prices.warps = how_.warps;
    options.prove = how_.prove;
    const llvm_interleaving made = interleave(f, options, cycles, asks_llvm(known)(f));
    if (!made.faults.empty()) give_up(f, made.faults);
    for (const diagnostic& why : made.obstacles)
      llvm::errs() << f.getName() << " stays as it is: " << why.message << '\n';
    return made.interleaved == 0 ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
  }
};

class stack_depth_pass : public plan_pass<stack_depth_pass> {
 public:
  using plan_pass::plan_pass;

  llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager&) {
    const llvm_cfg g(f);
    const linearize_options options{loop_guards::merge, how_.guards.value_or(guard_optimization::none), {}};
    const linearization made = limit_stack_depth(g, how_.number, options, must_keep_iterations{});
    if (!made.refused.empty()) print_refused(llvm::errs(), block_names(g, f), made, or_what);
    return made.regions.empty() ? llvm::PreservedAnalyses::all() : apply_to(f, g, made.plan, how_.prove);
  }
};

class struct_pass : public plan_pass<struct_pass> {
 public:
  using plan_pass::plan_pass;

  llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager&) {
    const llvm_cfg g(f);
    if (is_structured(g)) return llvm::PreservedAnalyses::all();
    copy_options options;
    if (how_.number != 0) options.max_blocks = how_.number;
    const copied_plan made = structure_by_copies(g, options, llvm_is_convergent{});
    const block_names name_of(g, f);
    for (const block_id b : made.report.refused)
      llvm::errs() << f.getName() << ": not copied: " << name_of.branch(b) << " has a convergent call\n";
    if (!made.report.fits)
      llvm::errs() << f.getName() << " stays as it is: copies take more than " << options.max_blocks << " blocks\n";
    return made.report.done() ? apply_to(f, g, made.plan, how_.prove) : llvm::PreservedAnalyses::all();
  }
};

// Straight code with masks where lanes diverge. The pass adds the hook and F.masked.* functions to the module, and
// leaves these alone.
class partial_pass : public plan_pass<partial_pass> {
 public:
  using plan_pass::plan_pass;

  llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager& known) {
    if (f.getName() == "simtflow.any" || f.getName().contains(".masked.")) return llvm::PreservedAnalyses::all();
    const branch_uniformity threads(f, known);
    const auto made = linearize_partially(f, threads.predicate());
    if (!made) {
      llvm::errs() << f.getName() << " stays as it is: " << made.diagnostics().front().message << '\n';
      return llvm::PreservedAnalyses::all();
    }
    llvm::Function& any = any_lane_hook(*f.getParent());
    if (how_.alone && any.isDeclaration()) {
      any.setLinkage(llvm::GlobalValue::InternalLinkage);
      llvm::IRBuilder<>(llvm::BasicBlock::Create(f.getContext(), "", &any)).CreateRet(any.getArg(0));
    }
    return llvm::PreservedAnalyses::none();
  }
};

}  // namespace plugin
