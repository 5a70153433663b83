// SPDX-License-Identifier: BSL-1.0
//
// Writes melded PTX: applies plans (transform/meld_plan.hpp) to a function.
//
// PTX needs no SSA form for that. A thread runs one side only, so what the two sides keep in registers never meets:
// where instructions become one, their results share a register. For each side there is a *renaming* that holds in its
// whole arm, and is one to one on what the side uses there:
//
//   shared register   the register of the left result, if threads of the right side have no use for it of their own
//                     (they name it nowhere in the arm, and nobody reads it after the join); or the register of the
//                     right result; or a new one
//   on the way in     a register that goes by another name in the arm and is live at its begin is moved there
//   on the way out    the same for a register that is live after the join
//   otherwise         the instruction writes a new register, and each side takes its result from there
//
//   operands          that differ: selp in front of the instruction. mov becomes selp itself. Predicates and addresses
//                     with different offsets take two instructions: the right side's, and under the branch's
//                     predicate the left side's
//   one side only     under the predicate of the side, joined with the instruction's own; a run of more than a few
//                     gets a branch around it
//   branches          the condition is selected. Threads that are to take a certain way get a constant
//   predicate         of the melded branch: itself, or a copy if an arm writes it
//
// Two instructions that would need more selects and moves than melding them saves stay two. A plan is not
// applied if its result would not be cheaper than both arms one after the other; by default also not if the result had
// more instructions.
//
// The order of memory accesses of one thread stays as it was; between threads of the two sides nothing was promised.
//
// Literature: C. Saumya, K. Sundararajah, M. Kulkarni, DARM: control-flow melding for SIMT thread divergence reduction
// (2022), for selects and unpredication; NVIDIA, Parallel Thread Execution ISA, "Comparison and Selection
// Instructions", "Type Checking"; P. Briggs, K. Cooper, L. Torczon, Improvements to graph coloring register allocation
// (1994), for coalescing.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/latency.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/opcode.hpp>
#include <simtflow/ptx/text/signature.hpp>
#include <simtflow/ptx/transform/detail/meld_draft.hpp>
#include <simtflow/ptx/transform/detail/melded_emitter.hpp>
#include <simtflow/ptx/transform/detail/register_unifier.hpp>
#include <simtflow/ptx/transform/liveness.hpp>
#include <simtflow/ptx/transform/meld_report.hpp>
#include <simtflow/ptx/transform/meld_text.hpp>
#include <simtflow/ptx/transform/melding_model.hpp>
#include <simtflow/transform/meld_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// Melds branches of one function. Everything it is given must outlive it.
class function_melder {
 public:
  /// \pre the function of the model is without inner braces (num_scopes == 1), and `live` was made from it.
  function_melder(const melding_model& model, const live_registers& live, const meld_code_options& options = {})
      : text_(model.checked().text()),
        blocks_(model.blocks()),
        model_(model),
        options_(options),
        d_(text_, blocks_.size()),
        r_(text_, live, d_),
        e_(model, options, r_, d_),
        fate_(blocks_.size()) {
    SIMTFLOW_EXPECTS(text_.num_scopes == 1, "a function without inner braces");
  }
  function_melder(const function_melder&) = delete;  // its parts point to each other
  function_melder& operator=(const function_melder&) = delete;

  /// Writes the code of one plan; keeps it if it pays.
  /// \pre the plan was made for this function, and its arms and its branch are in no other plan that was kept.
  /// Complexity: linear in the plan and its arms.
  meld_figures add(const meld_plan& plan) {
    meld_figures found{};
    for (const std::size_t most : {unlimited, std::size_t{3}, std::size_t{2}}) {
      found = attempt(plan, most);
      if (found.pays || found.weight_after >= found.weight_before || options_.may_grow) break;
    }
    return found;
  }

  /// The function with all plans that were kept. Nothing else may be called any more. Near-linear.
  [[nodiscard]] result<function> take() { return detail::melded_text(model_, d_.code, d_.made, fate_).take(); }

 private:
  using condition = detail::meld_condition;
  using made_block = detail::melded_block;
  using way = detail::melded_block::way;
  using arm = detail::register_unifier::arm;
  static constexpr std::uint32_t always = condition::always;
  static constexpr std::size_t unlimited = detail::melded_emitter::unlimited;

  // --- one plan ----------------------------------------------------------------------------------------------------

  /// \param most instructions that a pair may become; less than unlimited: and no branches around runs
  meld_figures attempt(const meld_plan& plan, std::size_t most) {
    e_.most_for_pair = most;
    const detail::meld_draft::checkpoint before = d_.mark();
    const std::size_t blocks = before.blocks;
    e_.figures = {};
    look_at(plan);
    choose_registers(plan);
    write(plan, static_cast<block_id>(blocks_.size() + blocks));
    weigh(plan, blocks);
    for (arm& a : r_.arms) a.forget();
    const bool may_be = options_.may_grow || e_.figures.instructions_after <= e_.figures.instructions_before;
    e_.figures.pays = e_.figures.weight_after < e_.figures.weight_before && may_be && e_.figures.melded != 0;
    if (e_.figures.pays) {
      fate_[plan.branch].starts = static_cast<block_id>(blocks_.size() + blocks);
      fate_[plan.branch].ends = static_cast<block_id>(blocks_.size() + d_.made.size());
      for (const meld_block& b : plan.blocks)
        for (const block_id old : {b.left, b.right})
          if (old != no_block) fate_[old].gone = true;
    } else {
      d_.roll_back(before);
    }
    return e_.figures;
  }

  // Notes the registers that each side names, and the branch.
  void look_at(const meld_plan& plan) {
    const instruction& branch = last_of(plan.branch);
    d_.here = branch.where;
    r_.join = plan.join;
    e_.left = {branch.guard, branch.guard_negated};
    copied_ = false;
    const auto to = blocks_.graph().successors(plan.branch);
    SIMTFLOW_EXPECTS(blocks_[plan.branch].end == text_end::branches && to.size() == 2, "a branch of two ways");
    for (std::uint32_t k = 0; k < 2; ++k) r_.arms[k].entry = to[k];
    for (const meld_block& b : plan.blocks) {
      if (b.left != no_block) mention(r_.arms[0], b.left);
      if (b.right != no_block) mention(r_.arms[1], b.right);
    }
    if (copied_) e_.left.reg = d_.new_register(scalar_type::pred);
  }
  void mention(arm& a, block_id b) {
    const auto note = [&](std::uint32_t r) {
      if (r == model_.code().carry_register() || a.mentioned[r] != 0) return;
      a.mentioned[r] = 1;
      a.touch(r);
    };
    for (std::uint32_t i = blocks_[b].first; i < blocks_[b].last; ++i) {
      for (const register_value_ref& r : model_.code().reads(i)) note(r.reg);
      for (const register_value_ref& w : model_.code().writes(i)) {
        note(w.reg);
        if (w.reg != model_.code().carry_register()) a.written[w.reg] = 1;
        copied_ = copied_ || w.reg == e_.left.reg;
      }
    }
  }
  const instruction& last_of(block_id b) const { return text_.instructions[blocks_[b].last - 1]; }

  /// Each instruction once, and branches of two ways.
  void weigh(const meld_plan& plan, std::size_t from) {
    const std::uint32_t branch = model_.weights()[latency_class::other];
    const auto before = [&](std::uint64_t weight) {
      e_.figures.weight_before += weight;
      ++e_.figures.instructions_before;
    };
    const auto after = [&](std::uint64_t weight) {
      e_.figures.weight_after += weight;
      ++e_.figures.instructions_after;
    };
    before(branch);
    for (const meld_block& b : plan.blocks) {
      for (const block_id old : {b.left, b.right}) {
        if (old == no_block) continue;
        for (std::uint32_t i = model_.first(old); i < model_.last(old); ++i) before(model_.latency(i));
        if (blocks_[old].end == text_end::branches || blocks_[old].end == text_end::table) before(branch);
      }
    }
    for (std::size_t k = from; k < d_.made.size(); ++k) {
      for (const instruction& i : d_.made[k].code) after(model_.weights()(known_.at(i.opcode)));
      if (d_.made[k].on == way::two || d_.made[k].on == way::table) after(branch);
    }
    e_.figures.instructions_before += jumps_in_arms(plan);
    e_.figures.added =
        e_.figures.instructions_after > e_.figures.melded + e_.figures.left_only + e_.figures.right_only + e_.branches
            ? e_.figures.instructions_after - e_.figures.melded - e_.figures.left_only - e_.figures.right_only -
                  e_.branches
            : 0;
    e_.figures.instructions_after += jumps_made(from);
  }

  /// bra without a guard, in both arms.
  [[nodiscard]] std::uint32_t jumps_in_arms(const meld_plan& plan) {
    mark_.resize(blocks_.size() + d_.made.size(), 0);
    std::uint32_t found = 0;
    std::vector<block_id> arms;
    const auto visit = [&](block_id b) {
      if (b == plan.join || mark_[b] != 0) return;
      mark_[b] = 1;
      arms.push_back(b);
    };
    for (const block_id b : blocks_.graph().successors(plan.branch)) visit(b);
    for (std::size_t k = 0; k < arms.size(); ++k) {
      found += blocks_[arms[k]].end == text_end::jumps ? 1 : 0;
      for (const block_id b : blocks_.graph().successors(arms[k])) visit(b);
    }
    for (const block_id b : arms) mark_[b] = 0;
    return found;
  }
  // As few as the best layout needs, or one more: each block can be followed by one of its successors, and preceded by
  // one of its predecessors.
  [[nodiscard]] std::uint32_t jumps_made(std::size_t from) {
    std::uint32_t found = 0;
    const auto stands_behind = [&](block_id b) {
      if (mark_[b] != 0) return false;
      mark_[b] = 1;
      return true;
    };
    for (std::size_t k = from; k < d_.made.size(); ++k)
      if (d_.made[k].on == way::one && !stands_behind(d_.made[k].to[0])) ++found;
    for (std::size_t k = from; k < d_.made.size(); ++k)
      if (d_.made[k].on == way::two && !stands_behind(d_.made[k].to[1]) && !stands_behind(d_.made[k].to[0])) ++found;
    for (std::size_t k = from; k < d_.made.size(); ++k)
      for (const block_id b : d_.made[k].to)
        if (b != no_block) mark_[b] = 0;
    return found;
  }

  // --- registers ---------------------------------------------------------------------------------------------------

  template <class F>
  void for_each_result(std::uint32_t i, std::uint32_t j, const F& f) const {
    const auto x = model_.code().writes(i), y = model_.code().writes(j);
    if (x.size() != y.size()) return;  // one names a register twice
    for (std::size_t k = 0; k < x.size(); ++k)
      if (x[k].reg != model_.code().carry_register()) f(x[k].reg, y[k].reg);
  }
  static bool is_pair(const meld_slot& s) { return s.left != no_instruction && s.right != no_instruction; }

  /// The renamings, and which pairs stay apart because they would cost more than they save. Without those, others may
  /// share registers, so this is done anew until nothing changes, a few times at most.
  void choose_registers(const meld_plan& plan) {
    apart_.assign(plan.all_slots.size(), 0);
    const std::size_t registers = d_.code.registers.size();
    for (int round = 0; round < 4; ++round) {
      for (arm& a : r_.arms) a.forget_renaming();
      d_.code.registers.resize(registers);
      for (std::size_t s = 0; s < plan.all_slots.size(); ++s)
        if (is_pair(plan.all_slots[s]) && apart_[s] == 0)
          for_each_result(plan.all_slots[s].left, plan.all_slots[s].right,
                          [&](std::uint32_t l, std::uint32_t r) { (void)r_.unify(l, r); });
      if (!part_what_does_not_pay(plan)) return;
    }
  }
  // Writes everything and looks at it: parts the pairs that cost more than they save. True if a pair was parted now.
  bool part_what_does_not_pay(const meld_plan& plan) {
    const detail::meld_draft::checkpoint before = d_.mark();
    const meld_figures kept = e_.figures;
    e_.forget_selections();
    d_.open(d_.add_block());
    e_.front = d_.at;
    bool changed = false;
    for (const meld_piece& p : plan.pieces) {
      if (p.side != meld_side::both) continue;
      e_.in_region = p.num_blocks > 1;
      for (std::uint32_t b = p.first_block; b < p.first_block + p.num_blocks; ++b) {
        d_.open(d_.add_block());
        const std::uint32_t end = plan.blocks[b].first_slot + plan.blocks[b].num_slots;
        for (std::uint32_t s = plan.blocks[b].first_slot; s < end; ++s) {
          const meld_slot& slot = plan.all_slots[s];
          if (is_pair(slot) && apart_[s] == 0) {
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
    e_.forget_selections();
    return changed;
  }
  // Writes the pair where it would stand. True if it saves more than its selects and moves cost.
  bool pays(const meld_slot& s) {
    const std::size_t front = d_.made[e_.front].code.size(), here = d_.made[d_.at].code.size();
    const std::size_t selections = e_.selections.size();
    bool good = e_.emit_pair(s.left, s.right);
    std::uint64_t weight = 0;
    std::size_t count = 0;
    const auto add = [&](std::size_t block, std::size_t from) {
      for (std::size_t k = from; k < d_.made[block].code.size(); ++k, ++count)
        weight += model_.weights()(known_.at(d_.made[block].code[k].opcode));
    };
    add(d_.at, here);
    if (e_.front != d_.at) add(e_.front, front);
    good = good && weight < std::uint64_t{2} * model_.latency(s.left) && count <= e_.most_for_pair;
    if (!good) e_.selections.resize(selections);
    return good;
  }

  // --- blocks ------------------------------------------------------------------------------------------------------

  void write(const meld_plan& plan, block_id first) {
    e_.branches = 0;
    e_.forget_selections();
    d_.open(d_.add_block());
    e_.front = d_.at;
    SIMTFLOW_EXPECTS(d_.at + blocks_.size() == first, "the code of a plan begins with its first block");
    d_.here = last_of(plan.branch).where;
    if (copied_) d_.append("mov.pred", d_.reg(e_.left.reg), d_.reg(last_of(plan.branch).guard));
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
  /// Between a register's name and its name in melded code.
  void move_all(bool in) {
    for (const meld_side side : {meld_side::left, meld_side::right}) {
      const arm& a = r_.names(side);
      for (const std::uint32_t r : a.touched) {
        if (r_.is_new(r) || a.image[r] == no_index || !(in ? r_.live_at_entry(a, r) : r_.live_at_join(r))) continue;
        if (in)
          d_.move(a.image[r], r, e_.of(side));
        else
          d_.move(r, a.image[r], e_.of(side));
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
    e_.in_region = p.num_blocks > 1;
    place(p);
    d_.jump(place_[p.first_block]);
    const block_id behind = d_.add_block();
    find_visitors(plan, p);
    for (std::uint32_t k = p.first_block; k < p.first_block + p.num_blocks; ++k) {
      const meld_block& b = plan.blocks[k];
      const bool left = (visitors_[k] & 1) != 0, right = (visitors_[k] & 2) != 0;
      d_.open(place_[k]);
      lefts_.clear();
      rights_.clear();
      const auto flush = [&] {
        e_.emit_run(std::span<const std::uint32_t>(lefts_), std::span<const std::uint32_t>(rights_), left, right);
        lefts_.clear();
        rights_.clear();
      };
      for (std::uint32_t s = b.first_slot; s < b.first_slot + b.num_slots; ++s) {
        const meld_slot& slot = plan.all_slots[s];
        if (is_pair(slot) && apart_[s] == 0) {
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
    d_.here = last.where;
    if (opcode_head(last) == "bra") {
      condition when = e_.guard_of(side, last);
      if (alone && both_come) {
        const condition other{always, b.forced != 0};
        when = side == meld_side::left ? e_.chosen(when, other) : e_.chosen(other, when);
      } else if (!alone) {
        const condition right = e_.guard_of(meld_side::right, last_of(b.right));
        when = e_.chosen(when, b.swapped ? !right : right);
      }
      d_.branch(when, successor(plan, b, 0, behind), successor(plan, b, 1, behind));
      return;
    }
    write_table(plan, b, behind, both_come, side, last);
  }
  // brx.idx: the index is selected. A block of one side keeps its guard.
  void write_table(const meld_plan& plan, const meld_block& b, block_id behind, bool both_come, meld_side side,
                   const instruction& last) {
    const operand mine = e_.renamed(side, text_.operands_of(last)[0]);
    std::uint32_t index = mine.index;
    condition guard = e_.guard_of(side, last);
    const std::uint32_t num_slots = b.num_successors - (guard.reg == no_index ? 0 : 1);
    if (b.ends_as == meld_side::both) {
      const operand other = e_.renamed(meld_side::right, text_.operands_of(last_of(b.right))[0]);
      if (other.index != index) {
        index = d_.new_register(scalar_type::b32);
        e_.select(index, 32, mine, other);
      }
    } else if (both_come) {
      if (b.forced == num_slots) {
        guard = e_.both_hold(guard, e_.of(side));
      } else {
        index = d_.new_register(scalar_type::b32);
        const operand other = d_.number(b.forced);
        e_.select(index, 32, side == meld_side::left ? mine : other, side == meld_side::left ? other : mine);
        if (guard.reg != no_index) guard = !e_.both_hold(!guard, e_.of(side));
      }
    }
    made_block& made = d_.made[d_.at];
    made.on = way::table;
    made.brx = last;
    made.brx.guard = guard.reg;
    made.brx.guard_negated = guard.negated;
    made.brx.opcode = "brx.idx";
    operand table = text_.operands_of(last)[1];
    made.brx.first_operand = static_cast<std::uint32_t>(d_.code.operands.size());
    d_.code.operands.push_back(d_.reg(index));
    d_.code.operands.push_back(table);
    for (std::uint32_t k = 0; k < num_slots; ++k) made.targets.push_back(successor(plan, b, k, behind));
    if (num_slots < b.num_successors) made.to[0] = successor(plan, b, num_slots, behind);
  }

  /// Pieces of one side each: an if, or an if-else. Short straight ones take predicates.
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
    d_.branch(e_.left, begin[0], begin[1]);
    ++e_.branches;
    d_.open(behind);
  }
  void write_alone(const meld_plan& plan, const meld_piece& p, block_id behind) {
    place(p);
    for (std::uint32_t k = p.first_block; k < p.first_block + p.num_blocks; ++k) {
      const meld_block& b = plan.blocks[k];
      d_.open(place_[k]);
      for (std::uint32_t s = b.first_slot; s < b.first_slot + b.num_slots; ++s) {
        const meld_slot& slot = plan.all_slots[s];
        e_.emit_one(p.side, p.side == meld_side::left ? slot.left : slot.right, false);
      }
      write_end(plan, b, behind, false);
    }
  }

  /// Operations by spelling, as far as this header makes them or the model knows them.
  struct known_operations {
    std::unordered_map<std::string, operation> list;
    const operation& at(const std::string& opcode) {
      const auto found = list.find(opcode);
      if (found != list.end()) return found->second;
      return list.emplace(opcode, *parse_operation(opcode)).first->second;
    }
  };

  const function& text_;
  const function_blocks& blocks_;
  const melding_model& model_;
  meld_code_options options_;
  detail::meld_draft d_;
  detail::register_unifier r_;
  detail::melded_emitter e_;
  std::vector<detail::meld_fate> fate_;  // by block of the text
  known_operations known_;
  // State of the plan at hand.
  bool copied_ = false;               // an arm writes the predicate of the branch
  std::vector<unsigned char> apart_;  // by slot: a pair that stays two instructions
  std::vector<unsigned char> mark_;   // by block
  std::vector<block_id> place_;       // by block of the plan
  std::vector<unsigned char> visitors_;
  std::vector<std::uint32_t> lefts_, rights_;
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
