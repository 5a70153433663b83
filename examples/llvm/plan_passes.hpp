// SPDX-License-Identifier: BSL-1.0
//
// The passes that make a plan of a function's graph, prove it and apply it.
#pragma once

#include "parameters.hpp"
#include "report.hpp"
#include "target.hpp"
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/structure.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/interop/llvm.hpp>
#include <simtflow/interop/llvm_latencies.hpp>
#include <simtflow/interop/llvm_linearizing_model.hpp>
#include <simtflow/interop/llvm_rewrite.hpp>
#include <simtflow/io/describe_plan_fault.hpp>
#include <simtflow/transform/check_plan.hpp>
#include <simtflow/transform/limit_stack_depth.hpp>
#include <simtflow/transform/linearize.hpp>
#include <simtflow/transform/linearize_where_it_pays.hpp>
#include <simtflow/transform/merge_loops.hpp>
#include <simtflow/transform/structure_by_copies.hpp>

#include <llvm/IR/PassManager.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace plugin {

// Applies a plan that is right. A plan that is not, or cannot be applied, changes nothing, and the reason is said.
inline llvm::PreservedAnalyses apply_to(llvm::Function& f, const cfg& g, const flow_plan& plan, bool prove) {
  if (const auto fault = prove ? check_plan(snapshot(g), plan) : std::nullopt) {
    llvm::errs() << f.getName() << " stays as it is: " << describe(*fault, plan, block_names(g, f)) << '\n';
    return llvm::PreservedAnalyses::all();
  }
  if (const diagnostics why = rewrite(f, plan); !why.empty()) {
    llvm::errs() << f.getName() << " stays as it is: " << why.front().message << '\n';
    return llvm::PreservedAnalyses::all();
  }
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

// True if threads of different iterations must not meet in a block: it has a convergent call, or reads what other
// threads may write meanwhile. Code with one thread that works for its warp relies on that.
struct must_keep_iterations {
  bool operator()(const llvm::BasicBlock* b) const {
    for (const llvm::Instruction& i : *b)
      if (i.isVolatile() || (llvm::isa<llvm::LoadInst>(i) && i.isAtomic())) return true;
    return llvm_is_convergent{}(b);
  }
};
constexpr const char* or_what = " or a volatile access";

// Each nest of loops becomes one loop if threads may leave an inner loop of it in different iterations.
class merge_loops_pass : public plan_pass<merge_loops_pass> {
 public:
  using plan_pass::plan_pass;

  llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager& known) {
    const llvm_cfg g(f);
    const csr_graph shape = snapshot(g);
    const loop_forest<csr_graph> nest = loops(shape);
    const branch_uniformity threads(f, known);
    std::vector<block_id> headers;
    for (block_id b = 0; b < shape.num_blocks(); ++b) {
      const std::optional<loop_id> own = nest.innermost(b);
      if (!own || shape.successors(b).size() < 2 || !threads.is_divergent(*g.block_at(b))) continue;
      bool leaves = false;
      for (const block_id s : shape.successors(b)) leaves = leaves || !nest.contains(*own, s);
      std::optional<loop_id> top = own;
      while (const std::optional<loop_id> outer = nest.parent(*top)) top = outer;
      if (!leaves || top == own) continue;
      const block_id header = nest.header(*top);
      if (std::find(headers.begin(), headers.end(), header) == headers.end()) headers.push_back(header);
    }
    flow_plan plan(shape);
    bool changes = false;
    for (const block_id h : headers) {
      const auto convergent = [&](block_id b) {
        const block_id text = plan[b].role == plan_role::original ? plan[b].executes : no_block;
        return text != no_block && must_keep_iterations{}(g.block_at(text));
      };
      linearization made = merge_loops(plan, h, how_.guards.value_or(guard_optimization::o4), convergent);
      changes = changes || !made.regions.empty();
      if (!made.refused.empty()) print_refused(llvm::errs(), block_names(g, f), made, or_what);
      plan = std::move(made.plan);
    }
    return changes ? apply_to(f, g, plan, how_.prove) : llvm::PreservedAnalyses::all();
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
      llvm::errs() << f.getName() << ": not copied: " << name_of(b) << " has a convergent call\n";
    if (!made.report.fits)
      llvm::errs() << f.getName() << " stays as it is: copies take more than " << options.max_blocks << " blocks\n";
    return made.report.done() ? apply_to(f, g, made.plan, how_.prove) : llvm::PreservedAnalyses::all();
  }
};

}  // namespace plugin
