// SPDX-License-Identifier: BSL-1.0
//
// Writes the code of one plan: melded pieces block by block, pieces of one side under a predicate or with branches
// around them, and the moves of registers on the way in and out.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/opcode.hpp>
#include <simtflow/ptx/transform/detail/meld_draft.hpp>
#include <simtflow/ptx/transform/detail/meld_pairs.hpp>
#include <simtflow/ptx/transform/detail/meld_weigher.hpp>
#include <simtflow/ptx/transform/detail/melded_block.hpp>
#include <simtflow/ptx/transform/detail/melded_emitter.hpp>
#include <simtflow/ptx/transform/detail/new_operands.hpp>
#include <simtflow/ptx/transform/detail/register_unifier.hpp>
#include <simtflow/ptx/transform/detail/side_selector.hpp>
#include <simtflow/ptx/transform/melding_model.hpp>
#include <simtflow/transform/meld_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class meld_writer {
 public:
  using condition = meld_condition;

  meld_writer(const melding_model& model, register_unifier& registers, meld_draft& draft, side_selector& sides,
              melded_emitter& emitter, const meld_pairs& pairs)
      : text_(model.checked().text()),
        blocks_(model.blocks()),
        model_(model),
        r_(registers),
        d_(draft),
        s_(sides),
        e_(emitter),
        pairs_(pairs) {}

  // Writes the code of a plan from block `first` on. If `copied`, the predicate of the branch is copied first.
  void write(const meld_plan& plan, block_id first, bool copied) {
    e_.branches = 0;
    s_.forget_selections();
    d_.open(d_.add_block());
    s_.front = d_.at;
    d_.made[d_.at].straight = true;
    SIMTFLOW_EXPECTS(d_.at + blocks_.size() == first, "the code of a plan begins with its first block");
    d_.here = d_.branch_where = last_of(plan.branch).where;
    d_.branch_guard = s_.left.reg;
    branch_ = plan.branch;
    if (copied) d_.append("mov.pred", register_operand(s_.left.reg), register_operand(last_of(plan.branch).guard));
    move_all(true);
    // The blocks of the plan get their places as they are written.
    place_.assign(plan.blocks.size(), no_block);
    for (std::size_t k = 0; k < plan.pieces.size();) {
      if (plan.pieces[k].side == meld_side::both) {
        write_melded(plan, plan.pieces[k++]);
        continue;
      }
      std::size_t end = k;
      while (end < plan.pieces.size() && plan.pieces[end].side != meld_side::both) ++end;
      write_apart(plan, std::span<const meld_piece>(plan.pieces).subspan(k, end - k));
      k = end;
    }
    move_all(false);
    d_.jump(plan.join);
  }

 private:
  // Between a register's name and its name in melded code.
  void move_all(bool in) {
    for (const meld_side side : {meld_side::left, meld_side::right}) {
      const register_unifier::arm& a = r_.names(side);
      for (const std::uint32_t r : a.touched) {
        if (r_.is_new(r) || a.image[r] == no_index || !(in ? r_.live_at_entry(a, r) : r_.live_at_join(r))) continue;
        if (in)
          d_.move(a.image[r], r, s_.of(side));
        else
          d_.move(r, a.image[r], s_.of(side));
      }
    }
  }

  void place(const meld_piece& p) {
    for (std::uint32_t b = p.first_block; b < p.first_block + p.num_blocks; ++b) place_[b] = d_.add_block();
  }
  block_id successor(const meld_plan& plan, const meld_block& b, std::uint32_t k, block_id behind) const {
    const std::uint32_t to = plan.successors[b.first_successor + k];
    return to == piece_end ? behind : place_[to];
  }

  void write_melded(const meld_plan& plan, const meld_piece& p) {
    s_.in_region = p.num_blocks > 1;
    place(p);
    d_.jump(place_[p.first_block]);
    const block_id behind = d_.add_block();
    find_visitors(plan, p);
    for (std::uint32_t k = p.first_block; k < p.first_block + p.num_blocks; ++k) {
      const meld_block& b = plan.blocks[k];
      const bool left = (visitors_[k] & 1) != 0, right = (visitors_[k] & 2) != 0;
      d_.open(place_[k]);
      d_.made[d_.at].straight = !s_.in_region;
      d_.made[d_.at].visits[0] = left ? visits(meld_side::left, b.left) : 0;
      d_.made[d_.at].visits[1] = right ? visits(meld_side::right, b.right) : 0;
      lefts_.clear();
      rights_.clear();
      const auto flush = [&] {
        e_.emit_run(std::span<const std::uint32_t>(lefts_), std::span<const std::uint32_t>(rights_), left, right);
        lefts_.clear();
        rights_.clear();
      };
      for (std::uint32_t s = b.first_slot; s < b.first_slot + b.num_slots; ++s) {
        const meld_slot& slot = plan.all_slots[s];
        if (pairs_.is_one(plan, s)) {
          flush();
          const bool done = e_.emit_pair(slot.left, slot.right);
          SIMTFLOW_EXPECTS(done, "a pair that cannot be one instruction was parted before");
          continue;
        }
        if (slot.left != no_instruction) lefts_.push_back(slot.left);
        if (slot.right != no_instruction) rights_.push_back(slot.right);
      }
      flush();
      write_end(plan, b, behind, left && right);
    }
    d_.open(behind);
    d_.made[d_.at].straight = true;
  }

  // Finds the sides that come to the blocks of a melded piece: 1 left, 2 right.
  void find_visitors(const meld_plan& plan, const meld_piece& p) {
    visitors_.assign(plan.blocks.size(), 0);
    std::vector<std::uint32_t> work;
    for (unsigned char side = 1; side <= 2; ++side) {
      const meld_side me = side == 1 ? meld_side::left : meld_side::right;
      const auto visit = [&](std::uint32_t b) {
        if (b == piece_end || (visitors_[b] & side) != 0) return;
        visitors_[b] = static_cast<unsigned char>(visitors_[b] | side);
        work.push_back(b);
      };
      visit(p.first_block);
      while (!work.empty()) {
        const meld_block& b = plan.blocks[work.back()];
        work.pop_back();
        const bool chooses = b.num_successors < 2 || b.ends_as == meld_side::both || b.ends_as == me;
        SIMTFLOW_EXPECTS(chooses || b.forced < b.num_successors, "who comes to a branch goes on from there");
        for (std::uint32_t k = 0; k < b.num_successors; ++k)
          if (chooses || k == b.forced) visit(plan.successors[b.first_successor + k]);
      }
    }
  }

  void write_end(const meld_plan& plan, const meld_block& b, block_id behind, bool both_come) {
    if (b.num_successors < 2) {
      d_.jump(successor(plan, b, 0, behind));
      return;
    }
    ++e_.branches;
    const bool alone = b.ends_as != meld_side::both;
    const meld_side side = b.ends_as == meld_side::right ? meld_side::right : meld_side::left;
    const instruction& last = last_of(side == meld_side::left ? b.left : b.right);
    d_.here = d_.made[d_.at].where = last.where;
    set_parts(b, alone && both_come);
    if (opcode_head(last) == "bra") {
      condition when = s_.guard_of(side, last);
      if (alone && both_come) {
        const condition other{condition::always, b.forced != 0};
        when = side == meld_side::left ? s_.chosen(when, other) : s_.chosen(other, when);
      } else if (!alone) {
        const condition right = s_.guard_of(meld_side::right, last_of(b.right));
        when = s_.chosen(when, b.swapped ? !right : right);
        d_.made[d_.at].known = known_of(b, when.negated);
      }
      d_.branch(when, successor(plan, b, 0, behind), successor(plan, b, 1, behind));
      return;
    }
    write_table(plan, b, behind, both_come, side, last);
  }
  // Notes how likely warps diverge at the end of a block. Threads that are forced go with half of those that agree.
  void set_parts(const meld_block& b, bool forces) {
    double* parts = d_.made[d_.at].parts;
    const double left = b.ends_as == meld_side::right ? 0 : model_.likelihood(b.left).parted,
                 right = b.ends_as == meld_side::left ? 0 : model_.likelihood(b.right).parted;
    parts[1] = left;
    parts[2] = right;
    parts[0] = 1 - (1 - left) * (1 - right) * (forces ? 0.5 : 1.0);
  }
  // The visits to a branch that two have become: threads of both sides come to it together where the warp has diverged.
  [[nodiscard]] warp_visits known_of(const meld_block& b, bool negated) const {
    const warp_visits *x = model_.visits(blocks_[b.left].last - 1), *y = model_.visits(blocks_[b.right].last - 1);
    warp_visits made;
    if (x == nullptr || y == nullptr) return made;
    const branch_likelihood kinds = model_.likelihood(branch_);
    const auto of_both = [&](double alone) { return kinds.parted > 0 ? kinds.parted / (kinds.parted + alone) : 0.0; };
    const double x_both = x->visits * of_both(kinds.all_first()), y_both = y->visits * of_both(kinds.all_second());
    const double both = x_both > y_both ? x_both : y_both, left = x->visits - x_both, right = y->visits - y_both;
    const branch_likelihood l = model_.likelihood(b.left);
    branch_likelihood r = model_.likelihood(b.right);
    if (b.swapped) r.first = 1 - r.first;
    const double first = l.all_first() * r.all_first(), second = l.all_second() * r.all_second();
    made.visits = both + left + right;
    made.lanes = x->lanes + y->lanes;
    made.parted = both * (1 - first - second) + left * l.parted + right * r.parted;
    made.held = negated ? both * second + left * l.all_second() + right * r.all_second()
                        : both * first + left * l.all_first() + right * r.all_first();
    return made;
  }
  // brx.idx: the index is selected. A block of one side keeps its guard.
  void write_table(const meld_plan& plan, const meld_block& b, block_id behind, bool both_come, meld_side side,
                   const instruction& last) {
    const operand mine = s_.renamed(side, text_.operands_of(last)[0]);
    std::uint32_t index = mine.index;
    condition guard = s_.guard_of(side, last);
    const std::uint32_t num_slots = b.num_successors - (guard.reg == no_index ? 0 : 1);
    if (b.ends_as == meld_side::both) {
      const operand other = s_.renamed(meld_side::right, text_.operands_of(last_of(b.right))[0]);
      if (other.index != index) {
        index = d_.new_register(scalar_type::b32);
        s_.select(index, 32, mine, other);
      }
    } else if (both_come) {
      if (b.forced == num_slots) {
        guard = s_.both_hold(guard, s_.of(side));
      } else {
        index = d_.new_register(scalar_type::b32);
        const operand other = number_operand(b.forced);
        s_.select(index, 32, side == meld_side::left ? mine : other, side == meld_side::left ? other : mine);
        if (guard.reg != no_index) guard = !s_.both_hold(!guard, s_.of(side));
      }
    }
    melded_block& made = d_.made[d_.at];
    made.on = melded_block::way::table;
    made.brx = last;
    made.brx.guard = guard.reg;
    made.brx.guard_negated = guard.negated;
    made.brx.opcode = "brx.idx";
    operand table = text_.operands_of(last)[1];
    made.brx.first_operand = static_cast<std::uint32_t>(d_.code.operands.size());
    d_.code.operands.push_back(register_operand(index));
    d_.code.operands.push_back(table);
    for (std::uint32_t k = 0; k < num_slots; ++k) made.targets.push_back(successor(plan, b, k, behind));
    if (num_slots < b.num_successors) made.to[0] = successor(plan, b, num_slots, behind);
  }

  // Pieces of one side each: an if, or an if-else. Short straight ones take predicates.
  void write_apart(const meld_plan& plan, std::span<const meld_piece> pieces) {
    bool straight = true;
    lefts_.clear();
    rights_.clear();
    for (const meld_piece& p : pieces) {
      const meld_block& b = plan.blocks[p.first_block];
      straight = straight && p.num_blocks == 1 && b.num_successors < 2 &&
                 (b.num_successors == 0 || plan.successors[b.first_successor] == piece_end);
      for (std::uint32_t s = b.first_slot; straight && s < b.first_slot + b.num_slots; ++s) {
        const meld_slot& slot = plan.all_slots[s];
        const std::uint32_t i = p.side == meld_side::left ? slot.left : slot.right;
        straight = straight && !model_.is_pinned(i);
        (p.side == meld_side::left ? lefts_ : rights_).push_back(i);
      }
    }
    if (straight) {
      e_.emit_run(std::span<const std::uint32_t>(lefts_), std::span<const std::uint32_t>(rights_), true, true);
      return;
    }
    const std::size_t here = d_.at;
    const block_id behind = d_.add_block();
    block_id begin[2] = {behind, behind};
    for (const meld_side side : {meld_side::left, meld_side::right}) {
      std::size_t next = no_index;
      for (std::size_t k = pieces.size(); k-- > 0;) {
        if (pieces[k].side != side) continue;
        const block_id to = next == no_index ? behind : place_[pieces[next].first_block];
        write_alone(plan, pieces[k], to);
        next = k;
        begin[side == meld_side::left ? 0 : 1] = place_[pieces[k].first_block];
      }
    }
    d_.at = here;
    d_.here = last_of(plan.branch).where;
    d_.branch(s_.left, begin[0], begin[1]);
    d_.made[d_.at].where = d_.here;
    d_.made[d_.at].parts[0] = 1;
    ++e_.branches;
    d_.open(behind);
    d_.made[d_.at].straight = true;
  }
  void write_alone(const meld_plan& plan, const meld_piece& p, block_id behind) {
    place(p);
    for (std::uint32_t k = p.first_block; k < p.first_block + p.num_blocks; ++k) {
      const meld_block& b = plan.blocks[k];
      d_.open(place_[k]);
      d_.made[d_.at].visits[0] = p.side == meld_side::left ? visits(p.side, b.left) : 0;
      d_.made[d_.at].visits[1] = p.side == meld_side::right ? visits(p.side, b.right) : 0;
      for (std::uint32_t s = b.first_slot; s < b.first_slot + b.num_slots; ++s) {
        const meld_slot& slot = plan.all_slots[s];
        e_.emit_one(p.side, p.side == meld_side::left ? slot.left : slot.right, false);
      }
      write_end(plan, b, behind, false);
    }
  }
  // How often threads of a side that come to the branch come to a block of their arm.
  [[nodiscard]] double visits(meld_side side, block_id old) const {
    return old == no_block ? 1 : visits_from(model_, branch_, side, old);
  }
  const instruction& last_of(block_id b) const { return text_.instructions[blocks_[b].last - 1]; }

  const function& text_;
  const function_blocks& blocks_;
  const melding_model& model_;
  register_unifier& r_;
  meld_draft& d_;
  side_selector& s_;
  melded_emitter& e_;
  const meld_pairs& pairs_;
  block_id branch_ = no_block;           // of the plan
  std::vector<block_id> place_;          // by block of the plan
  std::vector<unsigned char> visitors_;  // by block of the plan: sides that come there
  std::vector<std::uint32_t> lefts_, rights_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
