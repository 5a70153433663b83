// SPDX-License-Identifier: BSL-1.0
//
// An LLVM function as code that can be melded (transform/meld.hpp), LLVM 14 to 23: which instructions of two arms can
// become one, what they cost, and which must stay where they are. Nothing of the IR is copied or changed.
//
//   const llvm_cfg cfg(f);
//   const llvm_melding_model code(cfg);
//   const meld_search found = find_meld(snapshot(cfg), code);
//   if (found.found) llvm::errs() << cfg.block_at(found.plan.branch)->getName() << " can be melded\n";
//
//   instructions  all but phis, br, switch, ret and the like, and what is only for a debugger. invoke and callbr count,
//                 since they do something; so do the ends of exception handlers and indirectbr, which cannot be led
//                 elsewhere
//   class         two are of one class if they have the same opcode, type, types of operands, predicate, mask and
//                 indices; calls also the callee, convention, attributes and kind of tail call; and if each operand
//                 that must be a constant, or that no select can give, is the same in both: which field of a struct,
//                 an immediate of an intrinsic, what stands in a bundle, constants of inline assembly. So class alone
//                 decides. The melded one may promise what both promise: the smaller alignment,
//                 nuw, nsw, exact, inbounds, fast-math flags and metadata that both have
//   alone         allocas, ends and begins of lifetimes, calls that must not be merged: never paired, never in the way
//   pinned        atomic and volatile accesses and fences; calls that may synchronize (neither nosync nor without
//                 writes), that must not be copied, and assembly with side effects
//   not in arms   convergent calls; tokens, exceptions, returns_twice and musttail, and jumps to computed places: no
//                 branch with one in an arm is melded
//   overhead      a select where operands differ that both sides have before the branch, and for other constants.
//                 Values that the sides compute themselves cost nothing: one phi or one register may hold either
//
// A plan has every instruction of a side in the order in which it stood in its block, and a thread executes the
// instructions of its side only, so that nothing has to be known of dependences, in registers or in memory.
//
// Phis are not in plans. They say what happens on edges, and stay with the edges: melded blocks have the phis of both,
// and from where the other side comes the value is poison, which nothing of this side looks at. A block of an arm that
// has nothing but phis and a br is in no piece, like an empty one; its phis belong to the edges that lead through it.
// At the join the phis have for the arms one value: the value of a pair, or a select of the two.
//
// Branches: two conditional br can become one, two switches if they have more than one case, and the same cases in the
// same order.
//
// Literature: LLVM Language Reference; C. Saumya, K. Sundararajah, M. Kulkarni, DARM: control-flow melding for SIMT
// thread divergence reduction (2022); R. Rocha et al., Function merging by sequence alignment (2019), for what two
// instructions of LLVM must share.
#pragma once

#include <simtflow/analysis/dominators.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/interop/detail/llvm_operation.hpp>
#include <simtflow/interop/llvm.hpp>
#include <simtflow/interop/llvm_branch_facts.hpp>
#include <simtflow/interop/llvm_latencies.hpp>
#include <simtflow/transform/branch_likelihood.hpp>

#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Intrinsics.h>

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

/// True if the first two operands of an instruction may be exchanged. O(1)
inline bool llvm_is_commutative(const llvm::Instruction& i) {
  const auto* compare = llvm::dyn_cast<llvm::CmpInst>(&i);
  return compare != nullptr ? compare->isCommutative() : i.isCommutative();
}

}  // namespace detail

/// A function as meldable_code (transform/meld.hpp) over the snapshot of an llvm_cfg. Instructions are numbered block
/// by block, in the order of the blocks; phis and what else the top of this header leaves out have no number.
template <class Function>
class llvm_melding_model {
 public:
  /// Numbers and classifies the instructions.
  /// \pre g, the function and the numbers of its blocks stay as they are while the model is in use; the function is
  /// valid (llvm::verifyFunction). Complexity: dominators of the graph, and linear in the function.
  /// `branches` says what is known of the branches, by block; empty: all are divergent, as likely as any.
  explicit llvm_melding_model(const llvm_cfg<Function>& g, const llvm_latencies& weights = {},
                              std::vector<llvm_branch_facts> branches = {})
      : cfg_(&g), weights_(weights), branches_(std::move(branches)) {
    SIMTFLOW_EXPECTS(branches_.empty() || branches_.size() == g.num_blocks(), "facts for each block, or none");
    tree_.recompute(snapshot(g));
    begin_.push_back(0);
    std::unordered_map<std::size_t, std::uint32_t> newest;  // instruction by hash
    std::vector<std::uint32_t> before;                      // the one before it with that hash, and another class
    for (std::size_t b = 0; b < g.num_blocks(); ++b) {
      for (const llvm::Instruction& i : *g.block_at(b)) {
        if (!is_numbered(i)) continue;
        facts here;
        here.text = &i;
        here.block = static_cast<block_id>(b);
        here.weight = weights_(i);
        here.banned = is_banned(i);
        here.pinned = here.banned || is_pinned(i);
        const auto number = static_cast<std::uint32_t>(facts_.size());
        before.push_back(none);
        if (stands_alone(i)) {
          here.group = groups_++;
        } else {
          const auto [at, is_new] = newest.try_emplace(detail::llvm_operation_hash(i), number);
          std::uint32_t like = is_new ? none : at->second;
          while (like != none && !detail::llvm_same_operation(*facts_[like].text, i)) like = before[like];
          here.group = like != none ? facts_[like].group : groups_++;
          if (like == none && !is_new) {
            before[number] = at->second;
            at->second = number;
          }
        }
        facts_.push_back(here);
      }
      begin_.push_back(static_cast<std::uint32_t>(facts_.size()));
    }
  }

  llvm_melding_model(const llvm_cfg<Function>&&, const llvm_latencies& = {},
                     std::vector<llvm_branch_facts> = {}) = delete;  // g is kept

  /// The model of a copy: a function with the same blocks and instructions in the same order. Plans for one are plans
  /// for the other. \pre as above. Complexity: linear in the function, and cheap.
  llvm_melding_model(const llvm_melding_model& of, const llvm_cfg<Function>& copy) : llvm_melding_model(of) {
    cfg_ = &copy;
    std::size_t next = 0;
    for (std::size_t b = 0; b < copy.num_blocks(); ++b)
      for (const llvm::Instruction& i : *copy.block_at(b))
        if (is_numbered(i)) facts_[next++].text = &i;
    SIMTFLOW_EXPECTS(next == facts_.size(), "a copy has the instructions of the function");
  }
  llvm_melding_model(const llvm_melding_model&, const llvm_cfg<Function>&&) = delete;  // the copy is kept

  /// @{
  /// As meldable_code asks. O(1).
  [[nodiscard]] std::uint32_t first(block_id b) const { return begin_[b]; }
  [[nodiscard]] std::uint32_t last(block_id b) const { return begin_[b + std::size_t{1}]; }
  [[nodiscard]] std::uint32_t opcode_class(std::uint32_t i) const { return facts_[i].group; }
  [[nodiscard]] std::uint32_t latency(std::uint32_t i) const { return facts_[i].weight; }
  [[nodiscard]] bool compatible(std::uint32_t i, std::uint32_t j) const { return facts_[i].group == facts_[j].group; }
  [[nodiscard]] bool is_pinned(std::uint32_t i) const { return facts_[i].pinned; }
  /// Whether no branch may be melded that has i in an arm: not only for what LLVM calls convergent.
  [[nodiscard]] bool is_convergent(std::uint32_t i) const { return facts_[i].banned; }
  /// True if a value decides the choice of the block: not for invoke, callbr and computed jumps.
  [[nodiscard]] bool is_divergent(block_id b) const {
    if (!branches_.empty() && !branches_[b].divergent) return false;
    const llvm::Instruction* last = cfg_->block_at(b)->getTerminator();
    return llvm::isa<detail::llvm_two_way_branch, llvm::SwitchInst>(last) && last->getNumSuccessors() > 1;
  }
  [[nodiscard]] branch_likelihood likelihood(block_id b) const {
    return branches_.empty() ? branch_likelihood{} : branches_[b].likelihood;
  }
  [[nodiscard]] double frequency(block_id b) const { return branches_.empty() ? 1.0 : branches_[b].frequency; }
  /// @}
  /// Commutative operands are in the order that takes fewer selects. \pre compatible(i, j). O(operands), squared where
  /// many differ.
  [[nodiscard]] std::uint32_t overhead(std::uint32_t i, std::uint32_t j) const {
    const facts &a = facts_[i], &b = facts_[j];
    const std::uint32_t as_written = selects(a, b, false);
    if (as_written == 0 || !detail::llvm_is_commutative(*a.text)) return as_written;
    const std::uint32_t exchanged = selects(a, b, true);
    return exchanged < as_written ? exchanged : as_written;
  }
  /// Whether the branches that end two blocks, of as many successors, can become one. O(successors).
  [[nodiscard]] bool compatible_branches(block_id b, block_id c) const {
    const llvm::Instruction *x = cfg_->block_at(b)->getTerminator(), *y = cfg_->block_at(c)->getTerminator();
    if (is_jump_or_two_way(*x) && is_jump_or_two_way(*y)) return true;
    const auto *s = llvm::dyn_cast<llvm::SwitchInst>(x), *t = llvm::dyn_cast<llvm::SwitchInst>(y);
    if (s == nullptr || t == nullptr || s->getNumCases() != t->getNumCases()) return false;
    if (s->getNumCases() < 2) return false;  // of two successors: the plan may want them the other way round
    for (auto p = s->case_begin(), q = t->case_begin(); p != s->case_end(); ++p, ++q)
      if (p->getCaseValue() != q->getCaseValue()) return false;  // there is one of each value and type
    return true;
  }
  /// Whether the branch that ends a block can be made to take any slot by a value of its condition. O(1).
  [[nodiscard]] bool can_force_branch(block_id b) const {
    const llvm::Instruction* last = cfg_->block_at(b)->getTerminator();
    if (is_jump_or_two_way(*last)) return true;
    const auto* table = llvm::dyn_cast<llvm::SwitchInst>(last);
    if (table == nullptr) return false;
    const unsigned bits = table->getCondition()->getType()->getIntegerBitWidth();
    return bits >= 32 || table->getNumCases() < (1U << bits);  // the default takes a value of its own
  }

  /// How many instructions have numbers.
  [[nodiscard]] std::uint32_t num_instructions() const { return static_cast<std::uint32_t>(facts_.size()); }
  /// The instruction of a number. \pre i < num_instructions(), here and below. O(1).
  [[nodiscard]] const llvm::Instruction& instruction(std::uint32_t i) const {
    SIMTFLOW_EXPECTS(i < facts_.size(), "a number of an instruction of the LLVM function");
    return *facts_[i].text;
  }
  /// The block that it is in. O(1).
  [[nodiscard]] block_id block_of(std::uint32_t i) const {
    SIMTFLOW_EXPECTS(i < facts_.size(), "a number of an instruction of the LLVM function");
    return facts_[i].block;
  }
  /// As given.
  [[nodiscard]] const llvm_cfg<Function>& cfg() const { return *cfg_; }
  /// As given.
  [[nodiscard]] const llvm_latencies& weights() const { return weights_; }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;

  struct facts {
    const llvm::Instruction* text = nullptr;
    block_id block = no_block;
    std::uint32_t group = 0, weight = 0;
    bool pinned = false;
    bool banned = false;  // from arms
  };

  // The weight of the selects for operands; `exchanged`: the first two of b in the other order.
  [[nodiscard]] std::uint32_t selects(const facts& a, const facts& b, bool exchanged) const {
    const auto other = [&](unsigned k) { return b.text->getOperand(exchanged && k < 2 ? 1 - k : k); };
    std::uint32_t sum = 0;
    for (unsigned k = 0; k < a.text->getNumOperands(); ++k) {
      const llvm::Value *x = a.text->getOperand(k), *y = other(k);
      if (x == y || !is_known(x, b.block) || !is_known(y, a.block)) continue;
      bool again = false;  // as in a square: one select for both operands
      for (unsigned n = 0; n < k && !again; ++n) again = a.text->getOperand(n) == x && other(n) == y;
      if (!again) sum += weights_.of_select(x->getType());
    }
    return sum;
  }
  static bool is_jump_or_two_way(const llvm::Instruction& i) {
    return llvm::isa<detail::llvm_jump, detail::llvm_two_way_branch>(i);
  }
  static bool is_numbered(const llvm::Instruction& i) {
    return !is_jump_or_two_way(i) && !i.isDebugOrPseudoInst() &&
           !llvm::isa<llvm::PHINode, llvm::SwitchInst, llvm::ReturnInst, llvm::UnreachableInst, llvm::ResumeInst>(i);
  }

  static bool is_banned(const llvm::Instruction& i) {
    if (i.isTerminator() || i.isEHPad() || i.getType()->isTokenTy()) return true;
    for (const llvm::Value* x : i.operand_values())
      if (x->getType()->isTokenTy()) return true;
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
    return call != nullptr &&
           (call->isConvergent() || call->isMustTailCall() || call->hasFnAttr(llvm::Attribute::ReturnsTwice));
  }
  static bool is_pinned(const llvm::Instruction& i) {
    if (i.isAtomic() || i.isVolatile()) return true;
    if (const auto* known = llvm::dyn_cast<llvm::IntrinsicInst>(&i)) {
      const llvm::Intrinsic::ID id = known->getIntrinsicID();
      if (id == llvm::Intrinsic::memcpy_element_unordered_atomic ||
          id == llvm::Intrinsic::memmove_element_unordered_atomic ||
          id == llvm::Intrinsic::memset_element_unordered_atomic)
        return true;
    }
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
    if (call == nullptr) return false;
    if (call->cannotDuplicate()) return true;
    if (const auto* text = llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand());
        text != nullptr && text->hasSideEffects())
      return true;
    // A volatile one has gone already.
    if (llvm::isa<llvm::MemIntrinsic>(i)) return false;
    return !call->onlyReadsMemory() && !call->hasFnAttr(llvm::Attribute::NoSync);
  }
  static bool stands_alone(const llvm::Instruction& i) {
    if (llvm::isa<llvm::AllocaInst>(i) || i.isLifetimeStartOrEnd() || is_banned(i)) return true;
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
    return call != nullptr && call->cannotMerge();
  }

  /// Whether a value is there already when block b, of an arm that it is not computed in, begins.
  [[nodiscard]] bool is_known(const llvm::Value* x, block_id b) const {
    const auto* made = llvm::dyn_cast<llvm::Instruction>(x);
    return made == nullptr || tree_.dominates(static_cast<block_id>(cfg_->index(made->getParent())), b);
  }

  const llvm_cfg<Function>* cfg_;
  llvm_latencies weights_;
  std::vector<llvm_branch_facts> branches_;  // by block; empty: nothing is known
  dense::dominator_tree tree_;
  std::vector<facts> facts_;          // by instruction
  std::vector<std::uint32_t> begin_;  // by block
  std::uint32_t groups_ = 0;
};

}  // namespace v0
}  // namespace simtflow
