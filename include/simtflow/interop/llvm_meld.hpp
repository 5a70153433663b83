// SPDX-License-Identifier: BSL-1.0
//
// Control-flow melding of LLVM functions: threads that diverge at a branch execute together what both arms have in
// common. meld() looks for such branches (transform/meld.hpp), writes their code anew (llvm_meld_rewrite.hpp), and
// looks again at the result until it finds nothing: an outer branch may be melded once the inner ones have become
// straight code.
//
//   for (const llvm_melded_branch& b : meld(f).melded) llvm::errs() << f.getName() << ' ' << b.block << '\n';
//   llvm_latencies weights;
//   const auto facts = [&](llvm::Function& g) { return branch_facts(g, is_divergent); };  // of g as it is then
//   const llvm_meld_report report = meld(f, {}, weights, facts);
//
// A plan does not know everything that writing it costs: selects for phis, branches around runs, conditions that are
// selected. So each plan is written into a copy of the function first. The function gets it only if both are cheaper in
// the copy: the cost expected for all kinds of warps (detail/llvm_meld_weigher.hpp), and the sum of all weights, each
// instruction once. That sum falls with every branch that is melded, so that meld() ends by itself, and a second meld()
// finds nothing to do. Only `score = paper` writes each plan without looking at that, as the paper does.
//
// Literature: C. Saumya, K. Sundararajah, M. Kulkarni, DARM: control-flow melding for SIMT thread divergence reduction
// (2022); B. Coutinho et al., Divergence analysis and optimizations (2011), for branch fusion.
#pragma once

#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/block_name.hpp>
#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/interop/detail/llvm_copied_function.hpp>
#include <simtflow/interop/detail/llvm_meld_weigher.hpp>
#include <simtflow/interop/llvm.hpp>
#include <simtflow/interop/llvm_branch_facts.hpp>
#include <simtflow/interop/llvm_debug_place.hpp>
#include <simtflow/interop/llvm_latencies.hpp>
#include <simtflow/interop/llvm_meld_report.hpp>
#include <simtflow/interop/llvm_meld_rewrite.hpp>
#include <simtflow/interop/llvm_melding.hpp>
#include <simtflow/transform/check_meld_plan.hpp>
#include <simtflow/transform/meld.hpp>
#include <simtflow/transform/meld_options.hpp>
#include <simtflow/transform/meld_plan.hpp>
#include <simtflow/transform/meld_plan_fault.hpp>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/ValueHandle.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Options: what to meld, and how it is written.
struct llvm_meld_options {
  simtflow::meld_options search{};  ///< what to meld
  llvm_meld_code_options code{};    ///< how it is written
  std::uint32_t most_rounds = 64;   ///< so many branches of a function are melded at most
  bool prove = true;                ///< every plan is proved (transform/check_meld_plan.hpp) before it is written
};

/// Nothing is known of the branches of a function: all are divergent, as likely as any.
struct llvm_no_branch_facts {
  /// No facts.
  std::vector<llvm_branch_facts> operator()(llvm::Function&) const { return {}; }
};

namespace detail {

/// Melds one branch after the other.
class llvm_melder {
 public:
  llvm_melder(llvm::Function& f, const llvm_meld_options& options, const llvm_latencies& weights)
      : f_(f),
        options_(options),
        weights_(weights),
        before_(weights, options.search),
        after_(weights, options.search) {}

  /// Melds the first branch that pays, and reports on those before it. Returns false if there is none.
  bool meld_one(std::vector<llvm_branch_facts> branches, llvm_meld_report& report) {
    if (melded_one(branches, report)) return true;
    if (!has_changed_) return false;
    tried_.clear();  // branches that did not pay may pay now
    has_changed_ = false;
    return melded_one(branches, report);
  }

 private:
  bool melded_one(const std::vector<llvm_branch_facts>& branches, llvm_meld_report& report) {
    report.refused.clear();
    llvm::SmallPtrSet<const llvm::Value*, 8> tried;
    for (const llvm::WeakVH& b : tried_)
      if (b != nullptr) tried.insert(b);
    const llvm_cfg<llvm::Function> g(f_);
    const llvm_melding_model code(g, weights_, branches);
    const csr_graph shape = snapshot(g);
    cfg_facts facts(shape);
    meld_planner<llvm_melding_model<llvm::Function>> planner(facts, code, options_.search);
    for (;;) {
      meld_search found;
      planner.search(found, [&](block_id b) { return !can_be_written(g, b) || tried.count(g.block_at(b)) != 0; });
      for (const meld_refused& r : found.refused)
        report.refused.push_back({name_of(g, r.branch), r.reason, {}, {}, place_of(g, r.branch)});
      if (!found.found) return false;
      const meld_plan& plan = found.plan;
      llvm_meld_figures figures = count(plan);
      std::string name = name_of(g, plan.branch), source = place_of(g, plan.branch);
      std::string obstacle;
      if (options_.prove)
        if (const std::optional<meld_plan_fault> fault = check_meld_plan(shape, code, plan)) {
          obstacle = "its plan is wrong: " + std::string(to_string(fault->kind));
          ++report.wrong_plans;
        }
      if (!obstacle.empty() || !pays(g, facts, code, plan, figures, obstacle)) {
        tried_.emplace_back(g.block_at(plan.branch));
        trial_.reset();
        report.refused.push_back(
            {std::move(name), meld_refusal::none, std::move(obstacle), figures, std::move(source)});
        continue;
      }
      const diagnostics why = rewrite(f_, code, plan, options_.code);
      SIMTFLOW_EXPECTS(why.empty(), "a plan that its copy has taken can be written into the function");
      has_changed_ = has_changed_ || !tried_.empty();
      report.melded.push_back(
          {static_cast<std::uint32_t>(report.melded.size() + 1), std::move(name), figures, std::move(source)});
      return true;
    }
  }

  // A condition that the threads of two sides can be told apart by.
  static bool can_be_written(const llvm_cfg<llvm::Function>& g, block_id b) {
    const auto* branch = llvm::dyn_cast<llvm_two_way_branch>(g.block_at(b)->getTerminator());
    return branch != nullptr && branch->getNumSuccessors() == 2 && !llvm::isa<llvm::Constant>(branch->getCondition());
  }
  static llvm::Value* condition_of(const llvm_cfg<llvm::Function>& g, block_id b) {
    return llvm::cast<llvm_two_way_branch>(g.block_at(b)->getTerminator())->getCondition();
  }
  static std::string name_of(const llvm_cfg<llvm::Function>& g, block_id b) {
    const llvm::StringRef name = g.block_at(b)->getName();
    return simtflow::block_name(b, std::string_view(name.data(), name.size()));
  }
  static std::string place_of(const llvm_cfg<llvm::Function>& g, block_id b) {
    return debug_place(*g.block_at(b)->getTerminator());
  }
  static llvm_meld_figures count(const meld_plan& plan) {
    llvm_meld_figures out;
    for (const meld_slot& s : plan.all_slots) {
      const bool left = s.left != no_instruction, right = s.right != no_instruction;
      ++(left && right ? out.pairs : left ? out.left_only : out.right_only);
    }
    return out;
  }

  // Writes the plan into a copy, and weighs both.
  bool pays(const llvm_cfg<llvm::Function>& g, cfg_facts& facts, const llvm_melding_model<llvm::Function>& code,
            const meld_plan& plan, llvm_meld_figures& figures, std::string& obstacle) {
    const llvm::Value* condition = condition_of(g, plan.branch);
    const branch_likelihood share = code.likelihood(plan.branch);
    // A copy that has taken every plan so far is still one.
    if (!trial_ || !trial_->is_copy_of(f_)) trial_.emplace(f_);
    llvm_cfg<llvm::Function> made(**trial_);
    const llvm::WeakVH copied(condition_of(made, plan.branch));  // null once it is there no more
    {
      const llvm_melding_model same(code, made);
      if (const diagnostics why = rewrite(**trial_, same, plan, options_.code); !why.empty()) {
        obstacle = why.front().message;
        return false;
      }
    }
    const llvm_weight old = before_.weigh(g, facts, condition, share);
    made.renumber();
    const csr_graph shape = snapshot(made);
    cfg_facts made_facts(shape);
    const llvm_weight now = after_.weigh(made, made_facts, copied, share);
    llvm_weight arms = arms_of(facts.graph(), plan);
    const double visits = before_.visits(plan.branch);
    figures.weight_before = arms.expected / visits;
    figures.weight_after = (arms.expected + now.expected - old.expected) / visits;
    figures.instructions_before = arms.instructions;
    figures.instructions_after = arms.instructions + now.instructions - old.instructions;
    if (options_.search.score == meld_score::paper) return true;
    return now.once < old.once && now.expected < old.expected * (1 - 1e-12);
  }
  // The weight of the branch and its arms before.
  llvm_weight arms_of(const csr_graph& shape, const meld_plan& plan) {
    llvm_weight out = before_.of_branch(plan.branch);
    std::vector<block_id> work{plan.branch};
    seen_.assign(shape.num_blocks(), 0);
    for (std::size_t k = 0; k < work.size(); ++k)
      for (const block_id s : shape.successors(work[k])) {
        if (s == plan.join || seen_[s] != 0) continue;
        seen_[s] = 1;
        work.push_back(s);
        out.expected += before_.of(s).expected;
        out.once += before_.of(s).once;
        out.instructions += before_.of(s).instructions;
      }
    return out;
  }

  llvm::Function& f_;
  const llvm_meld_options& options_;
  const llvm_latencies& weights_;
  llvm_meld_weigher before_, after_;
  std::optional<llvm_copied_function> trial_;
  std::vector<llvm::WeakVH> tried_;  // blocks with branches that did not pay
  bool has_changed_ = false;         // something has been melded since
  std::vector<unsigned char> seen_;  // by block
};

}  // namespace detail

/// Melds f in place. Functions with obstacles_to_melding() stay as they are, and the report says why.
///
/// `facts(f)` says what is known of the branches of f as it is then, by block, or nothing; it is asked again after each
/// change.
/// \pre f is valid (llvm::verifyFunction). Complexity: for each round the planner's cost, and for each plan a copy of
/// the function.
/// \returns what was melded, what was not and why.
/// Errors: none but obstacles.
template <class Facts = llvm_no_branch_facts>
llvm_meld_report meld(llvm::Function& f, const llvm_meld_options& options = {}, const llvm_latencies& weights = {},
                      Facts facts = {}) {
  llvm_meld_report report;
  report.obstacles = obstacles_to_melding(f);
  if (!report.obstacles.empty()) return report;
  detail::llvm_melder melder(f, options, weights);
  while (melder.meld_one(facts(f), report)) {
    if (report.melded.size() < options.most_rounds) continue;
    report.complete = false;
    break;
  }
  return report;
}

}  // namespace v0
}  // namespace simtflow
