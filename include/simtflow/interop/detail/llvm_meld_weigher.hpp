// SPDX-License-Identifier: BSL-1.0
//
// The expected cost of an LLVM function for warps of three kinds: those that agree on one side of a condition, those
// that agree on the other side, and those that diverge. Melding compares it before and after a plan has been written.
//
// A branch on the condition, and on anything that follows from it (freeze, not, and, or, select), goes one way for one
// kind of warp. At any other branch threads are taken to diverge in half of the cases. So the cost of code
// that melding leaves alone is the same before and after, and only the difference counts.
//
//   visits   of a block by warps of one side: the visits of its immediate dominator if all ways from there lead through
//            the block, else the visits of its predecessors by the likelihood of their edges. Edges back in a loop add
//            nothing: each loop counts as one iteration
//   parted   warps have threads of both sides: they visit a block as often as the side that visits it more often
//   branch   with several successors weighs as much as any plain operation, and divergence_cost more if threads diverge
#pragma once

#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/interop/llvm.hpp>
#include <simtflow/interop/llvm_latencies.hpp>
#include <simtflow/transform/branch_likelihood.hpp>
#include <simtflow/transform/meld_options.hpp>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

/// The value that an i1 comes to if the condition is known: a constant, or a value that is not known.
struct llvm_outcome {
  bool known = false;                 ///< `value` says what it is
  bool value = false;                 ///< if known; else true if it is the opposite of `leaf`
  const llvm::Value* leaf = nullptr;  ///< if not known
};

/// The outcome of v if the condition is `holds`. O(1): deep expressions count as unknown.
inline llvm_outcome llvm_outcome_of(const llvm::Value* v, const llvm::Value* condition, bool holds,
                                    unsigned depth = 8) {
  namespace match = llvm::PatternMatch;
  if (v == nullptr) return {};
  if (v == condition) return {true, holds, nullptr};
  if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(v); known != nullptr && known->getBitWidth() == 1)
    return {true, known->isOne(), nullptr};
  const llvm_outcome unknown{false, false, v};
  if (depth == 0) return unknown;
  const auto of = [&](const llvm::Value* x) { return llvm_outcome_of(x, condition, holds, depth - 1); };
  const llvm::Value *x = nullptr, *y = nullptr, *z = nullptr;
  if (match::match(v, match::m_Freeze(match::m_Value(x)))) return of(x);
  if (match::match(v, match::m_Not(match::m_Value(x)))) {
    llvm_outcome out = of(x);
    out.value = !out.value;
    return out;
  }
  if (match::match(v, match::m_Select(match::m_Value(x), match::m_Value(y), match::m_Value(z)))) {
    const llvm_outcome by = of(x);
    return by.known ? of(by.value ? y : z) : unknown;
  }
  const bool both = match::match(v, match::m_And(match::m_Value(x), match::m_Value(y)));
  if (both || match::match(v, match::m_Or(match::m_Value(x), match::m_Value(y)))) {
    const llvm_outcome a = of(x), b = of(y);
    if (a.known) return a.value == both ? b : a;
    return b.known ? (b.value == both ? a : b) : unknown;
  }
  if (const auto* equal = llvm::dyn_cast<llvm::ICmpInst>(v);
      equal != nullptr && equal->isEquality() && equal->getOperand(0)->getType()->isIntegerTy(1)) {
    const llvm_outcome a = of(equal->getOperand(0)), b = of(equal->getOperand(1));
    if (!a.known && !b.known) return unknown;
    const bool opposite = (a.known ? a.value : b.value) != (equal->getPredicate() == llvm::CmpInst::ICMP_EQ);
    llvm_outcome out = a.known ? b : a;
    out.value = out.value != opposite;
    return out;
  }
  return unknown;
}

/// The weight of a function.
struct llvm_weight {
  double expected = 0;             ///< by all kinds of warps
  std::uint64_t once = 0;          ///< each instruction once, and each branch as if threads diverged
  std::uint32_t instructions = 0;  ///< without phis, jumps and what weighs nothing
};

/// Weighs functions before and after a branch is melded.
class llvm_meld_weigher {
 public:
  llvm_meld_weigher(const llvm_latencies& weights, const meld_options& options)
      : weights_(weights), divergence_(options.divergence_cost) {}

  /// Weighs a function for warps that decide on the condition as `share` says. The facts are about the snapshot of g.
  /// O(n log n) in blocks, linear in instructions.
  llvm_weight weigh(const llvm_cfg<llvm::Function>& g, cfg_facts& facts, const llvm::Value* condition,
                    const branch_likelihood& share) {
    const auto& tree = facts.dominators();
    const auto& back = facts.post_dominators();
    share_ = share;
    coming_.assign(g.num_blocks(), {});
    visits_.assign(g.num_blocks(), {});
    cost_.assign(g.num_blocks(), {});
    llvm_weight out;
    tree.rpo(order_);
    for (const block_id b : order_) {
      const block_id d = tree.idom(b);
      const two_sides above = d == no_block ? two_sides{{1, 1}} : visits_[d];
      two_sides here = coming_[b];
      const bool always = d == no_block || back.post_dominates(b, d);
      for (int k = 0; k < 2; ++k) here[k] = always || here[k] > above[k] ? above[k] : here[k];
      visits_[b] = here;
      llvm_weight& cost = cost_[b];
      for (const llvm::Instruction& i : *g.block_at(b)) {
        if (i.isTerminator() || llvm::isa<llvm::PHINode>(i) || i.isDebugOrPseudoInst()) continue;
        const std::uint32_t w = weights_(i);
        cost.once += w;
        cost.instructions += w > 0 ? 1 : 0;
      }
      cost.expected = warps(here) * static_cast<double>(cost.once);
      leave(g, facts.graph(), b, condition, cost);
      out.expected += cost.expected;
      out.once += cost.once;
      out.instructions += cost.instructions;
    }
    return out;
  }

  /// The weight of a block, the last time.
  [[nodiscard]] const llvm_weight& of(block_id b) const { return cost_[b]; }
  /// The weight of the branch that ends a block, the last time, if it is a branch on the condition.
  [[nodiscard]] llvm_weight of_branch(block_id b) const {
    return {warps(visits_[b]) * (weights_.other + share_.parted * divergence_),
            std::uint64_t{weights_.other} + divergence_, 1};
  }
  /// How often warps visited a block the last time.
  [[nodiscard]] double visits(block_id b) const { return warps(visits_[b]); }

 private:
  struct two_sides {
    double of[2] = {0, 0};
    double& operator[](int k) { return of[k]; }
    double operator[](int k) const { return of[k]; }
    [[nodiscard]] double most() const { return of[0] > of[1] ? of[0] : of[1]; }
    [[nodiscard]] double least() const { return of[0] > of[1] ? of[1] : of[0]; }
  };
  // How likely the threads of one side in a warp take both ways, only the first one, only the second one.
  struct ways {
    double both, first, second;
  };
  static ways ways_of(const llvm_outcome& o) {
    if (o.known) return {0, o.value ? 1.0 : 0.0, o.value ? 0.0 : 1.0};
    constexpr branch_likelihood unknown;
    return {unknown.parted, unknown.all_first(), unknown.all_second()};
  }
  [[nodiscard]] double warps(const two_sides& v) const {
    return share_.all_first() * v[0] + share_.all_second() * v[1] + share_.parted * v.most();
  }

  // Adds the branch that ends b, and what its successors are visited.
  void leave(const llvm_cfg<llvm::Function>& g, const csr_graph& shape, block_id b, const llvm::Value* condition,
             llvm_weight& cost) {
    const auto to = shape.successors(b);
    const two_sides here = visits_[b];
    if (to.size() < 2) {
      for (const block_id s : to) come(s, here, {0, 1, 0}, {0, 1, 0}, true);
      return;
    }
    ++cost.instructions;
    cost.once += weights_.other;
    cost.expected += warps(here) * weights_.other;
    const auto* branch = llvm::dyn_cast<llvm_two_way_branch>(g.block_at(b)->getTerminator());
    const llvm::Value* by = branch == nullptr ? nullptr : branch->getCondition();
    const llvm_outcome outcome[2] = {llvm_outcome_of(by, condition, true), llvm_outcome_of(by, condition, false)};
    const ways of[2] = {ways_of(outcome[0]), ways_of(outcome[1])};
    for (std::size_t k = 0; k < to.size(); ++k) come(to[k], here, of[0], of[1], k == 0);
    if (is_one(to)) return;
    cost.once += divergence_;
    const bool same = !outcome[0].known && !outcome[1].known && outcome[0].leaf == outcome[1].leaf &&
                      outcome[0].value == outcome[1].value;
    const double apart = same ? of[0].both : 1 - of[0].first * of[1].first - of[0].second * of[1].second;
    cost.expected +=
        divergence_ * (share_.all_first() * here[0] * of[0].both + share_.all_second() * here[1] * of[1].both +
                       share_.parted * (here.least() * apart + (here[0] - here.least()) * of[0].both +
                                        (here[1] - here.least()) * of[1].both));
  }
  void come(block_id s, const two_sides& from, const ways& one, const ways& other, bool first) {
    coming_[s][0] += from[0] * (one.both + (first ? one.first : one.second));
    coming_[s][1] += from[1] * (other.both + (first ? other.first : other.second));
  }
  template <class Blocks>
  static bool is_one(const Blocks& to) {
    for (const block_id s : to)
      if (s != to[0]) return false;
    return true;
  }

  llvm_latencies weights_;
  std::uint32_t divergence_;
  branch_likelihood share_;
  std::vector<block_id> order_;
  std::vector<two_sides> coming_, visits_;  // by block: what its predecessors bring; how often it is visited
  std::vector<llvm_weight> cost_;           // by block
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
