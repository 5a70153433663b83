// SPDX-License-Identifier: BSL-1.0
//
// Chooses the pairs of a plan that become one instruction, and the registers that the two sides share: writes the pairs
// and looks at what they cost.
#pragma once

#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/transform/detail/meld_draft.hpp>
#include <simtflow/ptx/transform/detail/meld_weigher.hpp>
#include <simtflow/ptx/transform/detail/melded_emitter.hpp>
#include <simtflow/ptx/transform/detail/register_unifier.hpp>
#include <simtflow/ptx/transform/detail/side_selector.hpp>
#include <simtflow/ptx/transform/meld_report.hpp>
#include <simtflow/ptx/transform/melding_model.hpp>
#include <simtflow/transform/meld_options.hpp>
#include <simtflow/transform/meld_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class meld_pairs {
 public:
  meld_pairs(const melding_model& model, register_unifier& registers, meld_draft& draft, side_selector& sides,
             melded_emitter& emitter, meld_weigher& weigher, meld_score score)
      : model_(model), r_(registers), d_(draft), s_(sides), e_(emitter), weigher_(weigher), score_(score) {}

  // Chooses the renamings, and the pairs that stay apart because they would cost more than they save. Other pairs may
  // share registers then, so this is done anew until nothing changes, a few times at most.
  void choose_registers(const meld_plan& plan) {
    parted_ = model_.likelihood(plan.branch).parted;
    apart_.assign(plan.all_slots.size(), 0);
    const std::size_t registers = d_.code.registers.size();
    for (int round = 0; round < 4; ++round) {
      for (register_unifier::arm& a : r_.arms) a.forget_renaming();
      d_.code.registers.resize(registers);
      for (std::size_t s = 0; s < plan.all_slots.size(); ++s)
        if (is_one(plan, s))
          for_each_result(plan.all_slots[s].left, plan.all_slots[s].right,
                          [&](std::uint32_t l, std::uint32_t r) { (void)r_.unify(l, r); });
      if (!part_what_does_not_pay(plan)) return;
    }
  }

  // True if slot s of the plan becomes one instruction.
  [[nodiscard]] bool is_one(const meld_plan& plan, std::size_t s) const {
    return is_pair(plan.all_slots[s]) && apart_[s] == 0;
  }

 private:
  static bool is_pair(const meld_slot& s) { return s.left != no_instruction && s.right != no_instruction; }
  template <class F>
  void for_each_result(std::uint32_t i, std::uint32_t j, const F& f) const {
    const auto x = model_.code().writes(i), y = model_.code().writes(j);
    if (x.size() != y.size()) return;  // one names a register twice
    for (std::size_t k = 0; k < x.size(); ++k)
      if (x[k].reg != model_.code().carry_register()) f(x[k].reg, y[k].reg);
  }

  // Writes everything and looks at it: parts the pairs that cost more than they save. True if a pair was parted now.
  bool part_what_does_not_pay(const meld_plan& plan) {
    const meld_draft::checkpoint before = d_.mark();
    const meld_figures kept = e_.figures;
    s_.forget_selections();
    d_.open(d_.add_block());
    d_.made[d_.at].straight = true;
    s_.front = d_.at;
    bool changed = false;
    for (const meld_piece& p : plan.pieces) {
      if (p.side != meld_side::both) continue;
      s_.in_region = p.num_blocks > 1;
      for (std::uint32_t b = p.first_block; b < p.first_block + p.num_blocks; ++b) {
        d_.open(d_.add_block());
        d_.made[d_.at].straight = p.num_blocks == 1;
        const std::uint32_t end = plan.blocks[b].first_slot + plan.blocks[b].num_slots;
        for (std::uint32_t s = plan.blocks[b].first_slot; s < end; ++s) {
          const meld_slot& slot = plan.all_slots[s];
          if (is_one(plan, s)) {
            if (pays(slot)) continue;
            apart_[s] = 1;
            changed = true;
          }
          if (slot.left != no_instruction) e_.note_writes(meld_side::left, slot.left);
          if (slot.right != no_instruction) e_.note_writes(meld_side::right, slot.right);
        }
      }
    }
    e_.figures = kept;
    d_.roll_back(before);
    s_.forget_selections();
    return changed;
  }
  // Writes the pair where it would stand. True if it saves more than its selects and moves cost: where a warp diverges
  // it saves one of the two, else the issue of the other side's. By the paper's score selects cost nothing.
  bool pays(const meld_slot& s) {
    const std::size_t front = d_.made[s_.front].code.size(), here = d_.made[d_.at].code.size();
    const std::size_t selections = s_.selections.size(), joins = s_.joins.size();
    bool good = e_.emit_pair(s.left, s.right);
    std::uint64_t weight = 0;
    std::size_t count = 0;
    const auto add = [&](std::size_t block, std::size_t from) {
      for (std::size_t k = from; k < d_.made[block].code.size(); ++k, ++count)
        weight += weigher_.latency(d_.made[block].code[k]);
    };
    add(d_.at, here);
    if (s_.front != d_.at) add(s_.front, front);
    const double one = model_.latency(s.left), idle = one < weigher_.issue() ? one : weigher_.issue();
    const double two = one + parted_ * one + (1 - parted_) * idle;
    good = good && (score_ == meld_score::paper || static_cast<double>(weight) < two) && count <= e_.most_for_pair;
    if (!good) {
      s_.selections.resize(selections);
      s_.joins.resize(joins);
    }
    return good;
  }

  const melding_model& model_;
  register_unifier& r_;
  meld_draft& d_;
  side_selector& s_;
  melded_emitter& e_;
  meld_weigher& weigher_;
  meld_score score_;
  double parted_ = 0.5;               // how likely a warp diverges at the branch
  std::vector<unsigned char> apart_;  // by slot: a pair that stays two instructions
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
