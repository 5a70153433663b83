// SPDX-License-Identifier: BSL-1.0
//
// The implementation of transform/check_rewrite.hpp.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/transform/check_rewrite.hpp>
#include <simtflow/ptx/transform/detail/written_code.hpp>
#include <simtflow/transform/rewrite.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class rewrite_checker {
 public:
  rewrite_checker(const checked_function& f, const flow_plan& plan, const function& after)
      : text_(f.text()), blocks_(f.blocks()), plan_(plan), facts_(plan), code_(f.text(), after, plan.num_variables()) {}

  diagnostics check_all() {
    find_changes();
    code_.is_changed = changed_;
    place_.assign(plan_.num_blocks(), no_index);
    std::uint32_t begin = 0;
    for (std::uint32_t v = 0; v < plan_.num_variables(); ++v)
      if (facts_.is_tested(v) && facts_.starts_at_zero(v)) ++begin;
    if (!code_.sets_zeros(begin)) return fault(plan_.entry(), "variables do not begin as zero");
    come(plan_.entry(), begin);
    while (!work_.empty() && why_.empty()) {
      const block_id b = work_.back();
      work_.pop_back();
      check_block(b);
    }
    if (!why_.empty()) return fault(at_, why_);
    if (!code_.zeroes_only_variables()) return fault(plan_.entry(), "a register of the text begins as zero");
    for (std::uint32_t v = 0; v < plan_.num_variables(); ++v)
      if (facts_.is_tested(v) && facts_.starts_at_zero(v) && !code_.begins_as_zero(v))
        return fault(plan_.entry(), "a variable does not begin as zero");
    return {};
  }

 private:
  using outcome = written_code::outcome;

  diagnostics fault(block_id b, const std::string& why) const {
    const plan_block& what = plan_[b];
    const bool executes = what.role == plan_role::original || what.role == plan_role::copy;
    const bool has_text = executes && blocks_[what.executes].first < blocks_[what.executes].last;
    return {{has_text ? text_.instructions[blocks_[what.executes].first].where : position{},
             "the code of block " + std::to_string(b) + " of the plan is not what the plan says: " + why}};
  }

  // A plan that changes nothing keeps every branch.
  void find_changes() {
    changed_ = plan_.entry() != 0;
    for (block_id b = 0; b < plan_.num_blocks() && !changed_; ++b) {
      if (!facts_.is_reached(b)) continue;
      changed_ = plan_[b].role != plan_role::original || plan_[b].exit_edge;
      std::uint32_t slot = 0;
      for (const flow_plan::edge& e : plan_.successors(b)) {
        changed_ = changed_ || !sets_of(e).empty() || blocks_.graph().successors(b)[slot] != e.to;
        ++slot;
      }
    }
  }
  std::vector<plan_assignment> sets_of(const flow_plan::edge& e) const {
    std::vector<plan_assignment> sets;
    plan_.for_each_assignment(e, [&](plan_assignment a) {
      if (facts_.is_tested(a.variable)) sets.push_back(a);
    });
    return sets;
  }

  // The code of block b stands at an instruction.
  void come(block_id b, std::uint32_t at) {
    at = code_.behind_jumps(at);
    if (place_[b] == at) return;
    if (place_[b] != no_index) {
      at_ = b;
      why_ = "it is in two places";
      return;
    }
    place_[b] = at;
    work_.push_back(b);
  }

  void check_block(block_id b) {
    at_ = b;
    opcode_ = "bra";
    const plan_block& what = plan_[b];
    const auto edges = plan_.successors(b);
    std::uint32_t at = place_[b];
    outcomes_.clear();
    switch (what.role) {
      case plan_role::empty:
        if (edges.empty()) return must(code_.is_return(at), "threads do not end");
        add(b, 0, true);
        return go_on(b, at, no_index, nullptr);
      case plan_role::guard: {
        add(b, 0, true);
        add(b, 1, false);
        const bool is_there = edges[0].to != edges[1].to || !outcomes_[0].sets.empty() || !outcomes_[1].sets.empty();
        if (is_there && !code_.tests(at, what.variable, what.low, what.high))
          return must(false, "a guard tests something else");
        return go_on(b, at, code_.pass(), nullptr);
      }
      default:
        return check_text(b, at);
    }
  }
  void must(bool holds, const char* otherwise) {
    if (!holds && why_.empty()) why_ = otherwise;
  }
  // Threads leave b by a slot if its condition is `holds`; of a table, `index`.
  void add(block_id b, std::uint32_t slot, bool holds, std::uint32_t index = no_index) {
    outcomes_.push_back({slot, holds, index, false, sets_of(plan_.successors(b)[slot])});
  }

  void check_text(block_id b, std::uint32_t at) {
    const plan_block& what = plan_[b];
    const text_block& text = blocks_[what.executes];
    const bool ends = text.first != text.last && text.end != text_end::falls && text.end != text_end::stops;
    const instruction* last = ends ? &text_.instructions[text.last - 1] : nullptr;
    for (std::uint32_t i = text.first; i < text.last - (ends ? 1U : 0U); ++i, ++at)
      if (!code_.is_same(text_.instructions[i], at)) return must(false, "an instruction is another one");
    if (last != nullptr) opcode_ = last->opcode;
    const auto ways = static_cast<std::uint32_t>(plan_.successors(b).size());
    const std::uint32_t guard = last == nullptr ? no_index : last->guard;
    const bool negated = last != nullptr && last->guard_negated;
    switch (text.end) {
      case text_end::stops:
        return;
      case text_end::falls:
      case text_end::jumps:
        if (ways == 0) return;
        add(b, 0, true);
        return go_on(b, at, no_index, nullptr);
      case text_end::branches:
        add(b, 0, !negated);
        add(b, 1, negated);
        return go_on(b, at, guard, nullptr);
      case text_end::leaves:
        if (what.exit_edge) {
          if (ways == 2) add(b, 0, negated);
          add(b, ways - 1, !negated);
          return go_on(b, at, ways == 2 ? guard : no_index, nullptr);
        }
        if (ways == 0)
          return must(last == nullptr ? code_.is_return(at) : code_.is_same(*last, at), "threads do not end");
        add(b, 0, true);
        return go_on(b, at, no_index, last);
      case text_end::table: {
        const std::uint32_t of_table = ways - (guard != no_index ? 1 : 0);
        bool one = changed_ && of_table > 0;  // place that all entries lead to
        for (std::uint32_t k = 0; k < of_table; ++k) {
          add(b, k, !negated, k);
          one = one && plan_.successors(b)[k].to == plan_.successors(b)[0].to;
        }
        if (guard != no_index) add(b, of_table, negated);
        code_.take_table(text_.operands_of(*last)[0]);
        if (one || of_table == 0) return go_on(b, at, guard, nullptr);
        if (!set_variables(at, guard)) return;
        std::vector<std::uint32_t> to;
        if (!code_.is_table(at, *last, of_table, to)) return must(false, "a table is another one");
        for (std::uint32_t k = 0; k < of_table; ++k) come(plan_.successors(b)[k].to, to[k]);
        if (guard != no_index) come(plan_.successors(b)[of_table].to, at + 1);
        return;
      }
    }
  }

  bool set_variables(std::uint32_t& at, std::uint32_t condition) {
    const bool right = code_.set_variables(at, std::span<outcome>(outcomes_), condition);
    must(right, "an edge sets something else");
    return right;
  }
  // The variables of all outcomes are set, and each outcome goes to its block. `leaves`: before that, threads may end.
  void go_on(block_id b, std::uint32_t at, std::uint32_t condition, const instruction* leaves) {
    if (!set_variables(at, condition)) return;
    if (leaves != nullptr && !code_.is_same(*leaves, at++)) return must(false, "threads do not end");
    const auto target = [&](const outcome& o) { return plan_.successors(b)[o.slot].to; };
    bool apart = condition != no_index && !changed_;
    for (const outcome& o : outcomes_) apart = apart || target(o) != target(outcomes_[0]);
    if (!apart) return come(target(outcomes_[0]), at);
    bool taken_if = false;
    std::uint32_t to = 0;
    if (!code_.is_branch(at, condition, opcode_, taken_if, to))
      return must(false, "a branch is not there, or is another one");
    for (const outcome& o : outcomes_) come(target(o), o.holds == taken_if ? to : at + 1);
  }

  const function& text_;
  const function_blocks& blocks_;
  const flow_plan& plan_;
  simtflow::detail::plan_facts<> facts_;
  written_code code_;
  bool changed_ = false;
  std::vector<std::uint32_t> place_;  // by block of the plan: the instruction at which it begins
  std::vector<block_id> work_;
  std::vector<outcome> outcomes_;  // of the block that is looked at
  block_id at_ = 0;
  std::string_view opcode_;  // of the instruction that ends that block in the text
  std::string why_;
};

}  // namespace detail

SIMTFLOW_INLINE diagnostics check_rewrite(const checked_function& f, const flow_plan& plan, const function& after) {
  SIMTFLOW_EXPECTS(plan.num_originals() == f.blocks().size(), "code is checked against the plan that it was made of");
  if (plan.num_blocks() == 0) return {};
  return detail::rewrite_checker(f, plan, after).check_all();
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
