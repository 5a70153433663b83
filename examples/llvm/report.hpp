// SPDX-License-Identifier: BSL-1.0
//
// The plugin's report on a function.
#pragma once

#include "target.hpp"
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/interop/detail/llvm_copied_function.hpp>
#include <simtflow/interop/llvm.hpp>
#include <simtflow/interop/llvm_debug_place.hpp>
#include <simtflow/interop/llvm_meld.hpp>
#include <simtflow/interop/llvm_melding.hpp>
#include <simtflow/interop/llvm_register_pressure.hpp>
#include <simtflow/io/describe_meld_plan.hpp>
#include <simtflow/transform/linearize.hpp>

#include <llvm/IR/ModuleSlotTracker.h>
#include <llvm/Support/Format.h>
#include <llvm/Support/raw_ostream.h>

#include <cstddef>
#include <string>

namespace plugin {

using cfg = llvm_cfg<llvm::Function>;

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
  // With the place in the source of the branch that ends the block: "%out (my.cu:17:5)".
  std::string branch(const llvm::BasicBlock* b) const {
    const std::string place = debug_place(*b->getTerminator());
    return place.empty() ? (*this)(b) : (*this)(b) + " (" + place + ")";
  }
  std::string branch(block_id b) const { return branch(cfg_.block_at(b)); }

 private:
  const cfg& cfg_;
  mutable llvm::ModuleSlotTracker slots_;
};

inline void print_indented(llvm::raw_ostream& out, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    out << "  " << text.substr(at, end - at) << '\n';
    at = end == std::string::npos ? text.size() : end + 1;
  }
}

// The most live values, with the blocks where they are reached.
inline void print_registers(llvm::raw_ostream& out, const llvm::Function& f, const block_names& name_of) {
  const llvm_register_pressure p = register_pressure_of(f);
  const auto in = [&](const llvm::Instruction* at) {
    return at == nullptr ? std::string() : " (" + name_of(at->getParent()) + ")";
  };
  out << "  registers: " << p.live << " live at most" << in(p.live_at) << ", " << p.predicates
      << (p.predicates == 1 ? " predicate" : " predicates") << in(p.predicates_at) << '\n';
}

inline void print_frontiers(llvm::raw_ostream& out, const cfg& g, const block_names& name_of) {
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

inline std::string name_in(const block_names& name_of, const flow_plan& plan, block_id b) {
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
inline void print_plan(llvm::raw_ostream& out, const cfg& g, const block_names& name_of, const linearization& made) {
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
inline void print_uniform(llvm::raw_ostream& out, const cfg& g, const block_names& name_of,
                          const branch_uniformity& threads) {
  std::string names;
  for (llvm::BasicBlock& b : g.function())
    if (b.getTerminator()->getNumSuccessors() > 1 && !threads.is_divergent(b)) names += ' ' + name_of.branch(&b);
  if (!names.empty()) out << "  uniform branches:" << names << '\n';
}

// The reasons, in words, for regions that the linearization refused.
inline void print_refused(llvm::raw_ostream& out, const block_names& name_of, const linearization& made,
                          const char* or_what = "") {
  for (const block_id b : made.refused)
    out << "  not linearized: " << name_of.branch(b) << " has a convergent call" << or_what << '\n';
}

// The regions that would not become cheaper.
inline void print_kept(llvm::raw_ostream& out, const block_names& name_of, const linearization& made) {
  for (const kept_region& r : made.kept) {
    const bool is_block = r.first != no_block && r.first < made.plan.num_originals();
    out << "  does not pay: " << r.parts << " parts" << (is_block ? " from " + name_of.branch(r.first) : "")
        << ", weight " << llvm::format("%.1f -> %.1f\n", r.cost.before, r.cost.after);
  }
}

// The instructions of a branch's two arms that could become one; and what simtflow-meld makes of that, tried on a copy.
inline void print_melding(llvm::raw_ostream& out, const cfg& g, const block_names& name_of,
                          llvm::FunctionAnalysisManager& known, const llvm_meld_options& options) {
  llvm::Function& f = g.function();
  const auto is_free = free_on(known.getResult<llvm::TargetIRAnalysis>(f));
  llvm_latencies weights;
  weights.is_free = is_free;
  auto facts = asks_llvm(known);
  print_indented(out, describe_melding(snapshot(g), llvm_melding_model(g, weights, facts(f)), name_of, options.search));
  if (const diagnostics why = obstacles_to_melding(f); !why.empty()) {
    out << "  nothing is melded: " << why.front().message << '\n';
    return;
  }
  const detail::llvm_copied_function copy(f);
  auto other = (*copy).begin();
  for (const llvm::BasicBlock& b : f) (other++)->setName(b.getName());
  if (is_nvptx_kernel(f)) (*copy).setCallingConv(llvm::CallingConv::PTX_Kernel);
  const llvm_meld_report report = meld(*copy, options, weights, facts);
  bool was_tried = !report.melded.empty();
  for (const llvm_unmelded_branch& b : report.refused) was_tried = was_tried || b.reason == meld_refusal::none;
  if (was_tried) print_indented(out, describe(report));
  known.clear(*copy, "");
}

}  // namespace plugin
