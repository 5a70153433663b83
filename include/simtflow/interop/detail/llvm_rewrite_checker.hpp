// SPDX-License-Identifier: BSL-1.0
//
// The implementation of llvm_check_rewrite.hpp. First every block of the plan is found in the code and compared; then
// the values that come from other blocks are followed to where they are made.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/interop/detail/llvm_recorded_code.hpp>
#include <simtflow/interop/llvm.hpp>
#include <simtflow/transform/plan.hpp>
#include <simtflow/transform/rewrite.hpp>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

class llvm_rewrite_checker {
 public:
  llvm_rewrite_checker(const llvm_recorded_code& before, const flow_plan& plan, const llvm::Function& after)
      : before_(before), plan_(plan), facts_(plan), after_(after) {}

  diagnostics check_all() {
    find_edges();
    enter();
    while (why_ == nullptr && !work_.empty()) {
      const block_id q = work_.back();
      work_.pop_back();
      at_ = q;
      match(q);
    }
    for (std::size_t k = 0; why_ == nullptr && k < later_.size(); ++k) {
      at_ = later_[k].at;
      same(later_[k].use, later_[k].x, later_[k].at);
    }
    // Variables and results first: their number is bounded.
    while (why_ == nullptr && (!demands_.empty() || (!values_.empty() && followed_ < most_followed))) {
      std::vector<demand>& next = demands_.empty() ? values_ : demands_;
      const demand d = next.back();
      next.pop_back();
      at_ = d.at;
      follow(d);
    }
    if (why_ == nullptr) return {};
    return {{{}, "the code of block " + std::to_string(at_) + " of the plan is not what the plan says: " + why_}};
  }

 private:
  using value = const llvm::Value*;
  struct edge_in {
    block_id from;
    std::uint32_t slot;
  };
  static constexpr std::size_t most_followed = 100'000;  // edges
  // A value is meant to be a recorded instruction, a variable, or the result of the function.
  enum class kind : std::uint32_t { recorded, variable, result };
  // At the beginning of block `at`, on the way to a block of the graph, x is meant to be something.
  struct demand {
    block_id at;
    kind what;
    std::uint32_t number;
    block_id to;
    value x;
  };
  struct later_use {
    llvm_recorded_use use;
    value x;
    block_id at;
  };
  struct maker {
    std::uint32_t recorded = no_llvm_record;
    block_id at = no_block;
  };

  void fault(const char* why) {
    if (why_ == nullptr) why_ = why;
  }
  bool must(bool holds, const char* otherwise) {
    if (!holds) fault(otherwise);
    return holds;
  }
  [[nodiscard]] bool is_text(block_id q) const {
    return plan_[q].role == plan_role::original || plan_[q].role == plan_role::copy;
  }
  [[nodiscard]] const llvm_recorded_block& text(block_id q) const { return before_.blocks[plan_[q].executes]; }
  static bool is_skipped(const llvm::Instruction& i) { return llvm::isa<llvm::DbgInfoIntrinsic>(i); }

  // --- blocks --------------------------------------------------------------------------------------------------------

  void find_edges() {
    in_.resize(plan_.num_blocks());
    code_.assign(plan_.num_blocks(), nullptr);
    test_.assign(plan_.num_blocks(), nullptr);
    comes_.assign(plan_.num_blocks() + 1, nullptr);
    places_.assign(before_.blocks.size(), 0);
    for (block_id q = 0; q < plan_.num_blocks(); ++q) {
      if (!facts_.is_reached(q)) continue;
      if (is_text(q)) ++places_[plan_[q].executes];
      std::uint32_t slot = 0;
      for (const flow_plan::edge& e : plan_.successors(q)) in_[e.to].push_back({q, slot++});
    }
  }
  void come(block_id q, const llvm::BasicBlock* b) {
    if (code_[q] == b) return;
    if (!must(code_[q] == nullptr, "it is in two places")) return;
    if (!must(place_.try_emplace(b, q).second, "another block stands there")) return;
    code_[q] = b;
    work_.push_back(q);
  }
  // The stack slots that exist once come first; then a jump, or the first block itself.
  void enter() {
    at_ = plan_.entry();
    if (!must(!after_.empty(), "there is no code")) return;
    start_ = &after_.getEntryBlock();
    auto i = start_->begin();
    fixed_.assign(before_.code.size(), nullptr);
    const llvm_recorded_block& first = before_.blocks[0];
    for (std::uint32_t r = first.first; r < first.last; ++r) {
      if (!before_.code[r].is_fixed) continue;
      while (i != start_->end() && is_skipped(*i)) ++i;
      if (!must(i != start_->end() && is_like(r, *i, no_block), "a stack slot is another one")) return;
      fixed_[r] = &*i++;
    }
    begin_ = i;
    if (in_[plan_.entry()].empty()) return come(plan_.entry(), start_);
    while (i != start_->end() && is_skipped(*i)) ++i;
    if (!must(i != start_->end() && llvm::isa<llvm_jump>(*i) && i->getNumSuccessors() == 1, "it is not entered"))
      return;
    place_[start_] = static_cast<block_id>(plan_.num_blocks());
    come(plan_.entry(), i->getSuccessor(0));
  }

  // An instruction does what the recorded one does, at a block; its operands too.
  bool is_like(std::uint32_t r, const llvm::Instruction& i, block_id q) {
    const llvm_recorded_instruction& like = before_.code[r];
    if (i.getNumOperands() != like.uses || !i.isSameOperationAs(like.like.get()) ||
        i.getRawSubclassOptionalData() != like.like->getRawSubclassOptionalData())
      return false;
    for (std::uint32_t k = 0; k < like.uses; ++k)
      if (!is_used(before_.uses[like.first_use + k], i.getOperand(k), q)) return false;
    return true;
  }
  // Constants are compared at once, values later.
  bool is_used(const llvm_recorded_use& use, value x, block_id q) {
    if (use.made == no_llvm_record) return use.other == x;
    later_.push_back({use, x, q});
    return true;
  }

  void match(block_id q) {
    const llvm::BasicBlock& b = *code_[q];
    auto i = &b == start_ ? begin_ : b.begin();
    while (i != b.end() && (llvm::isa<llvm::PHINode>(*i) || is_skipped(*i))) ++i;
    if (is_text(q)) {
      for (std::uint32_t r = text(q).first; r < text(q).last; ++r) {
        if (before_.code[r].like == nullptr || before_.code[r].is_fixed) continue;
        while (i != b.end() && is_skipped(*i)) ++i;
        if (!must(i != b.end() && is_like(r, *i, q), "an instruction is another one")) return;
        made_[&*i++] = {r, q};
      }
    }
    for (; i != b.end() && !i->isTerminator(); ++i) {
      const bool is_offset = plan_[q].role == plan_role::guard && i->isBinaryOp();
      if (!must(is_offset || is_skipped(*i) || llvm::isa<llvm::SelectInst, llvm::ICmpInst>(*i),
                "an instruction was added"))
        return;
    }
    if (!must(i != b.end(), "it does not end")) return;
    if (is_text(q)) return match_end(q, *i);
    const auto edges = plan_.successors(q);
    if (edges.empty()) {
      if (!must(llvm::isa<llvm::ReturnInst>(*i), "threads do not end")) return;
      if (i->getNumOperands() > 0) ask({q, kind::result, 0, no_block, i->getOperand(0)});
      return;
    }
    if (plan_[q].role == plan_role::guard) match_guard(q, *i);
    lead(q, *i);
  }
  // Each edge leads where the plan says; a jump stands for all edges if they lead to one block.
  void lead(block_id q, const llvm::Instruction& last) {
    if (why_ != nullptr) return;
    const auto edges = plan_.successors(q);
    if (last.getNumSuccessors() == 1 && llvm::isa<llvm_jump>(last)) {
      for (const flow_plan::edge& e : edges)
        if (!must(e.to == edges[0].to, "a branch is not there")) return;
      return come(edges[0].to, last.getSuccessor(0));
    }
    if (!must(last.getNumSuccessors() == edges.size(), "a branch is another one")) return;
    for (unsigned k = 0; k < edges.size(); ++k) come(edges[k].to, last.getSuccessor(k));
  }
  void match_end(block_id q, const llvm::Instruction& last) {
    const llvm_recorded_block& was = text(q);
    const bool is_jump = last.getNumSuccessors() == 1 && llvm::isa<llvm_jump>(last);
    if (plan_.successors(q).empty()) {
      if (!must(last.getOpcode() == was.opcode && last.getNumSuccessors() == 0, "threads do not end")) return;
      if (last.getNumOperands() > 0) must(is_used(was.condition, last.getOperand(0), q), "another value is returned");
      return;
    }
    if (was.targets.empty() || is_jump) {
      must(is_jump, "an exit edge is not taken");
      return lead(q, last);
    }
    if (!must(last.getOpcode() == was.opcode && last.getNumSuccessors() == was.targets.size() &&
                  is_used(was.condition, llvm_recorded_code::tested(last), q),
              "a branch is another one"))
      return;
    if (const auto* table = llvm::dyn_cast<llvm::SwitchInst>(&last))
      for (const auto& one : table->cases())
        if (!must(was.cases[one.getSuccessorIndex()] == one.getCaseValue(), "a case is another one")) return;
    lead(q, last);
  }

  // The compare of a guard holds from low to high, modulo 2^32.
  void match_guard(block_id q, const llvm::Instruction& last) {
    const plan_block& guard = plan_[q];
    const auto edges = plan_.successors(q);
    const auto* branch = last.getNumSuccessors() == 2 ? llvm::dyn_cast<llvm_two_way_branch>(&last) : nullptr;
    const llvm::ICmpInst* compare = nullptr;
    if (branch != nullptr)
      compare = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
    else  // the first one that is left, for what the edges set
      for (const llvm::Instruction& i : *code_[q])
        if (compare == nullptr && !made_.count(&i)) compare = llvm::dyn_cast<llvm::ICmpInst>(&i);
    if (compare == nullptr) {
      for (std::size_t k = 0; k < edges.size(); ++k) must(edges[k].to == edges[0].to, "a guard does not compare");
      return;
    }
    const auto* with = llvm::dyn_cast<llvm::ConstantInt>(compare->getOperand(1));
    if (!must(with != nullptr && with->getBitWidth() == 32 && compare->getParent() == code_[q],
              "a guard tests something else"))
      return;
    const auto c = static_cast<std::uint32_t>(with->getZExtValue());
    std::uint32_t low = 0, high = 0xFFFF'FFFFU;
    switch (compare->getPredicate()) {
      case llvm::CmpInst::ICMP_EQ:
        low = high = c;
        break;
      case llvm::CmpInst::ICMP_ULE:
        high = c;
        break;
      case llvm::CmpInst::ICMP_UGE:
        low = c;
        break;
      default:
        return fault("a guard tests something else");
    }
    value x = compare->getOperand(0);
    if (const auto* offset = llvm::dyn_cast<llvm::BinaryOperator>(x);
        offset != nullptr && offset->getParent() == code_[q]) {
      const auto* by = llvm::dyn_cast<llvm::ConstantInt>(offset->getOperand(1));
      if (!must(offset->getOpcode() == llvm::Instruction::Sub && by != nullptr, "a guard tests something else")) return;
      low += static_cast<std::uint32_t>(by->getZExtValue());
      high += static_cast<std::uint32_t>(by->getZExtValue());
      x = offset->getOperand(0);
    }
    if (!must(low == guard.low && high == guard.high, "a guard tests something else")) return;
    test_[q] = compare;
    ask({q, kind::variable, guard.variable, no_block, x});
  }

  // --- values from elsewhere -----------------------------------------------------------------------------------------

  void ask(const demand& d) {
    const auto* made = llvm::dyn_cast<llvm::Instruction>(d.x);
    if (made != nullptr && made->getParent() == code_[d.at] && !llvm::isa<llvm::PHINode>(made))
      return fault("a value is another one");
    const std::pair<std::pair<std::uint64_t, std::uint64_t>, value> key{
        {(std::uint64_t{d.at} << 32) | d.to, (std::uint64_t{static_cast<std::uint32_t>(d.what)} << 32) | d.number},
        d.x};
    if (seen_.insert(key).second) (d.what == kind::recorded ? values_ : demands_).push_back(d);
  }
  // After the instructions of a block, x is what the use names.
  void same(const llvm_recorded_use& use, value x, block_id q) {
    if (use.made == no_llvm_record)  // a phi may have what it likes for an undefined value
      return void(must(use.other == x || llvm::isa<llvm::UndefValue>(use.other), "a value is another one"));
    const llvm_recorded_instruction& r = before_.code[use.made];
    if (r.is_fixed) return void(must(fixed_[use.made] == x, "a stack slot is another one"));
    const maker m = made_.lookup(x);
    if (r.like != nullptr && r.block == plan_[q].executes)
      return void(must(m.recorded == use.made && m.at == q, "a value is another one"));
    if (r.like != nullptr && m.recorded == use.made && places_[r.block] == 1) return;
    ask({q, kind::recorded, use.made, plan_[q].executes, x});
  }

  void follow(const demand& d) {
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(d.x);
    if (phi != nullptr && phi->getParent() != code_[d.at]) phi = nullptr;
    if (phi != nullptr)
      for (unsigned k = 0; k < phi->getNumIncomingValues(); ++k)
        if (const auto at = place_.find(phi->getIncomingBlock(k)); at != place_.end())
          comes_[at->second] = phi->getIncomingValue(k);
    const auto value_from = [&](block_id p) { return phi == nullptr ? d.x : comes_[p]; };
    if (d.at == plan_.entry() && d.what == kind::variable && facts_.starts_at_zero(d.number)) {
      const auto* zero =
          llvm::dyn_cast_or_null<llvm::ConstantInt>(value_from(static_cast<block_id>(plan_.num_blocks())));
      must(zero != nullptr && zero->isZero(), "a variable does not begin as zero");
    }
    if (d.what == kind::recorded) followed_ += in_[d.at].size();
    for (const edge_in& e : in_[d.at]) {
      if (why_ != nullptr) return;
      value x = value_from(e.from);
      if (!must(x != nullptr, "a phi misses an edge")) return;
      if (is_taken(e)) follow_edge(d, e, choose(e, x));
    }
  }
  void follow_edge(const demand& d, const edge_in& e, value x) {
    const block_id p = e.from;
    const bool is_exit = plan_[p].exit_edge && e.slot + 1 == plan_.successors(p).size();
    switch (d.what) {
      case kind::variable: {
        constexpr std::uint32_t unset = 0xFFFF'FFFFU;
        bool is_set = false;
        std::uint32_t to = unset;
        plan_.for_each_assignment(plan_.successors(p)[e.slot], [&](plan_assignment a) {
          if (a.variable != d.number) return;
          is_set = true;
          to = a.value;
        });
        if (!is_set) return ask({p, d.what, d.number, d.to, x});
        const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(x);
        return void(must(constant != nullptr && constant->getZExtValue() == to, "an edge sets something else"));
      }
      case kind::result:
        if (!is_text(p)) return ask({p, d.what, d.number, d.to, x});
        if (is_exit && text(p).opcode == llvm::Instruction::Ret) same(text(p).condition, x, p);
        return;
      case kind::recorded: {
        if (!is_text(p)) return ask({p, d.what, d.number, d.to, x});
        const llvm_recorded_block& was = text(p);
        if (is_exit || e.slot >= was.targets.size() || was.targets[e.slot] != d.to) return;  // lanes go elsewhere
        const llvm_recorded_instruction& r = before_.code[d.number];
        if (r.like != nullptr || r.block != d.to) return same({d.number, nullptr}, x, p);
        for (std::uint32_t k = r.first_use; k < r.first_use + r.uses; ++k)
          if (before_.from[k] == plan_[p].executes) return same(before_.uses[k], x, p);
        return;
      }
    }
  }

  // False if the condition is a constant that leads elsewhere.
  [[nodiscard]] bool is_taken(const edge_in& e) const {
    if (!is_text(e.from) || text(e.from).targets.size() < 2) return true;
    const llvm_recorded_block& was = text(e.from);
    const value c = was.condition.other;
    if (c == nullptr || !llvm::isa<llvm::Constant>(c)) return true;
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(c);
    if (number == nullptr) return false;
    if (was.cases.empty()) return e.slot == (number->isZero() ? 1U : 0U);
    std::size_t slot = 0;
    for (std::size_t k = 1; k < was.cases.size(); ++k)
      if (was.cases[k] == number) slot = k;
    return e.slot == slot;
  }
  // The value on an edge: selects by the condition of its block are decided.
  value choose(const edge_in& e, value x) {
    for (const auto* pick = llvm::dyn_cast<llvm::SelectInst>(x);
         pick != nullptr && pick->getParent() == code_[e.from] && !made_.count(pick) && why_ == nullptr;
         pick = llvm::dyn_cast<llvm::SelectInst>(x)) {
      const value condition = pick->getCondition();
      bool holds = e.slot == 0;
      if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(condition)) {
        holds = !known->isZero();
      } else if (!is_text(e.from)) {
        must(condition == test_[e.from], "a select has another condition");
      } else if (const llvm_recorded_block& was = text(e.from); was.cases.empty()) {
        must(was.targets.size() == 2, "a select has another condition");
        same(was.condition, condition, e.from);
      } else {
        const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(condition);
        if (!must(compare != nullptr && compare->getPredicate() == llvm::CmpInst::ICMP_EQ,
                  "a select has another condition"))
          return x;
        same(was.condition, compare->getOperand(0), e.from);
        const value c = compare->getOperand(1);
        holds = was.cases[e.slot] == c;
        must(holds || llvm::is_contained(was.cases, c), "a select has another condition");
      }
      x = holds ? pick->getTrueValue() : pick->getFalseValue();
    }
    return x;
  }

  const llvm_recorded_code& before_;
  const flow_plan& plan_;
  plan_facts<> facts_;
  const llvm::Function& after_;
  const llvm::BasicBlock* start_ = nullptr;
  llvm::BasicBlock::const_iterator begin_;     // after the stack slots that exist once
  std::vector<value> fixed_;                   // by recorded instruction: such a slot
  std::vector<std::vector<edge_in>> in_;       // by block of the plan, here and below
  std::vector<const llvm::BasicBlock*> code_;  // where it stands
  std::vector<value> test_;                    // a guard's compare
  std::vector<value> comes_;                   // what a phi brings from there; the last one: from the start
  std::vector<std::uint32_t> places_;          // by block of the graph: how often it stands in the plan
  llvm::DenseMap<const llvm::BasicBlock*, block_id> place_;
  llvm::DenseMap<value, maker> made_;  // by instruction of the code
  std::vector<block_id> work_;
  std::vector<later_use> later_;
  std::vector<demand> demands_, values_;
  std::size_t followed_ = 0;  // edges
  llvm::DenseSet<std::pair<std::pair<std::uint64_t, std::uint64_t>, value>> seen_;
  block_id at_ = 0;
  const char* why_ = nullptr;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
