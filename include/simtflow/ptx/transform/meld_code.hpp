// SPDX-License-Identifier: BSL-1.0
//
// Writes melded PTX: applies plans (transform/meld_plan.hpp) to a function.
//
// PTX needs no SSA form for that. A thread runs one side only, so what the two sides keep in registers never meets:
// where instructions become one, their results share a register. For each side there is a *renaming* that holds in its
// whole arm, and is one to one on what the side uses there:
//
//   shared register   that of the left result, if threads of the right side have no use for it of their own (they name
//                     it nowhere in the arm, and nobody reads it behind the join); or that of the right result; or a
//                     new one
//   on the way in     a register that goes by another name in the arm and is live at its begin is moved there
//   on the way out    the same for one that is live behind the join
//   otherwise         the instruction writes a new register, and each side takes its result from there
//
//   operands          that differ: selp in front of the instruction. mov becomes selp itself. Predicates and addresses
//                     with different offsets take two instructions: that of the right side, and under the branch's
//                     predicate that of the left
//   one side only     under the predicate of the side, joined with the instruction's own; a run of more than a few
//                     gets a branch around it
//   branches          the condition is selected. Threads that are to take a certain way get a constant
//   predicate         of the melded branch: itself, or a copy if an arm writes it
//
// Two instructions that would need more selects and moves than melding them saves stay two. A plan whose result would
// not be cheaper than both arms one after the other is not applied; by default neither if it had more instructions.
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
        live_(live),
        options_(options),
        reader_(text_),
        draft_(text_),
        fate_(blocks_.size()) {
    SIMTFLOW_EXPECTS(text_.num_scopes == 1, "a function without inner braces");
    draft_.instructions.clear();
    for (arm& a : arms_) a.start(text_.registers.size());
  }

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
  [[nodiscard]] result<function> take() { return detail::melded_text(model_, draft_, made_, fate_).take(); }

 private:
  using condition = detail::meld_condition;
  using made_block = detail::melded_block;
  using way = detail::melded_block::way;
  static constexpr std::uint32_t always = condition::always;
  static constexpr std::size_t unlimited = static_cast<std::size_t>(-1);

  /// What is known of one side of a branch while it is melded.
  struct arm {
    std::vector<std::uint32_t> image;  // by register: how it is called in melded code; no_index: as before
    std::vector<unsigned char> mentioned, written, fixed, taken;  // taken: is an image
    std::vector<std::uint32_t> touched;
    block_id entry = no_block;

    void start(std::size_t registers) {
      image.assign(registers, no_index);
      mentioned.assign(registers, 0);
      written.assign(registers, 0);
      fixed.assign(registers, 0);
      taken.assign(registers, 0);
    }
    void grow(std::size_t registers) {
      if (image.size() >= registers) return;
      image.resize(registers, no_index);
      mentioned.resize(registers, 0);
      written.resize(registers, 0);
      fixed.resize(registers, 0);
      taken.resize(registers, 0);
    }
    void touch(std::uint32_t r) { touched.push_back(r); }
    void forget() {
      for (const std::uint32_t r : touched) image[r] = no_index, mentioned[r] = written[r] = fixed[r] = taken[r] = 0;
      touched.clear();
    }
    void forget_renaming() {
      for (const std::uint32_t r : touched) image[r] = no_index, fixed[r] = taken[r] = 0;
    }
    [[nodiscard]] std::uint32_t name(std::uint32_t r) const {
      return r < image.size() && image[r] != no_index ? image[r] : r;
    }
  };

  // --- one plan ----------------------------------------------------------------------------------------------------

  /// \param most instructions that a pair may become; less than unlimited: and no branches around runs
  meld_figures attempt(const meld_plan& plan, std::size_t most) {
    most_for_pair_ = most;
    const std::size_t blocks = made_.size(), registers = draft_.registers.size(), operands = draft_.operands.size();
    figures_ = {};
    look_at(plan);
    choose_registers(plan);
    write(plan, static_cast<block_id>(blocks_.size() + blocks));
    weigh(plan, blocks);
    for (arm& a : arms_) a.forget();
    const bool may_be = options_.may_grow || figures_.instructions_after <= figures_.instructions_before;
    figures_.pays = figures_.weight_after < figures_.weight_before && may_be && figures_.melded != 0;
    if (figures_.pays) {
      fate_[plan.branch].starts = static_cast<block_id>(blocks_.size() + blocks);
      fate_[plan.branch].ends = static_cast<block_id>(blocks_.size() + made_.size());
      for (const meld_block& b : plan.blocks)
        for (const block_id old : {b.left, b.right})
          if (old != no_block) fate_[old].gone = true;
    } else {
      made_.resize(blocks);
      draft_.registers.resize(registers);
      draft_.operands.resize(operands);
    }
    return figures_;
  }

  /// What each side names, and the branch.
  void look_at(const meld_plan& plan) {
    const instruction& branch = last_of(plan.branch);
    here_ = branch.where;
    join_ = plan.join;
    left_ = {branch.guard, branch.guard_negated};
    copied_ = false;
    const auto to = blocks_.graph().successors(plan.branch);
    SIMTFLOW_EXPECTS(blocks_[plan.branch].end == text_end::branches && to.size() == 2, "a branch of two ways");
    for (std::uint32_t k = 0; k < 2; ++k) arms_[k].entry = to[k];
    for (const meld_block& b : plan.blocks) {
      if (b.left != no_block) mention(arms_[0], b.left);
      if (b.right != no_block) mention(arms_[1], b.right);
    }
    if (copied_) left_.reg = new_register(scalar_type::pred);
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
        copied_ = copied_ || w.reg == left_.reg;
      }
    }
  }
  const instruction& last_of(block_id b) const { return text_.instructions[blocks_[b].last - 1]; }

  /// Each instruction once, and branches of two ways.
  void weigh(const meld_plan& plan, std::size_t from) {
    const std::uint32_t branch = model_.weights()[latency_class::other];
    const auto before = [&](std::uint64_t weight) { figures_.weight_before += weight, ++figures_.instructions_before; };
    const auto after = [&](std::uint64_t weight) { figures_.weight_after += weight, ++figures_.instructions_after; };
    before(branch);
    for (const meld_block& b : plan.blocks) {
      for (const block_id old : {b.left, b.right}) {
        if (old == no_block) continue;
        for (std::uint32_t i = model_.first(old); i < model_.last(old); ++i) before(model_.latency(i));
        if (blocks_[old].end == text_end::branches || blocks_[old].end == text_end::table) before(branch);
      }
    }
    for (std::size_t k = from; k < made_.size(); ++k) {
      for (const instruction& i : made_[k].code) after(model_.weights()(known_.at(i.opcode)));
      if (made_[k].on == way::two || made_[k].on == way::table) after(branch);
    }
    figures_.instructions_before += jumps_in_arms(plan);
    figures_.added =
        figures_.instructions_after > figures_.melded + figures_.left_only + figures_.right_only + branches_
            ? figures_.instructions_after - figures_.melded - figures_.left_only - figures_.right_only - branches_
            : 0;
    figures_.instructions_after += jumps_made(from);
  }

  /// bra without a guard, in both arms.
  [[nodiscard]] std::uint32_t jumps_in_arms(const meld_plan& plan) {
    mark_.resize(blocks_.size() + made_.size(), 0);
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
  /// As few as the best layout needs, or one more: behind each block one of those can stand that it goes on to, and in
  /// front of each one of those that go on to it.
  [[nodiscard]] std::uint32_t jumps_made(std::size_t from) {
    std::uint32_t found = 0;
    const auto stands_behind = [&](block_id b) {
      if (mark_[b] != 0) return false;
      mark_[b] = 1;
      return true;
    };
    for (std::size_t k = from; k < made_.size(); ++k)
      if (made_[k].on == way::one && !stands_behind(made_[k].to[0])) ++found;
    for (std::size_t k = from; k < made_.size(); ++k)
      if (made_[k].on == way::two && !stands_behind(made_[k].to[1]) && !stands_behind(made_[k].to[0])) ++found;
    for (std::size_t k = from; k < made_.size(); ++k)
      for (const block_id b : made_[k].to)
        if (b != no_block) mark_[b] = 0;
    return found;
  }

  // --- registers ---------------------------------------------------------------------------------------------------

  std::uint32_t new_register(scalar_type type) {
    register_info r;
    r.type = type;
    draft_.registers.push_back(std::move(r));
    return static_cast<std::uint32_t>(draft_.registers.size() - 1);
  }
  bool is_new(std::uint32_t r) const { return r >= text_.registers.size(); }
  bool live_at_join(std::uint32_t r) const { return !is_new(r) && join_ != no_block && live_.is_live_in(join_, r); }
  bool live_at_entry(const arm& a, std::uint32_t r) const { return !is_new(r) && live_.is_live_in(a.entry, r); }
  /// Threads of that side need what the register holds, now or later.
  bool occupied(const arm& a, std::uint32_t r) const {
    return (r < a.mentioned.size() && (a.mentioned[r] != 0 || a.taken[r] != 0)) || live_at_join(r);
  }
  void rename(arm& a, std::uint32_t r, std::uint32_t to) {
    a.grow(draft_.registers.size());
    a.fixed[r] = 1;
    if (to == r) return;
    a.image[r] = to;
    a.taken[to] = 1;
    a.touch(to);
  }
  /// Makes two results share a register. False: that cannot be.
  bool unify(std::uint32_t l, std::uint32_t r) {
    arm &a = arms_[0], &b = arms_[1];
    const std::uint32_t x = a.name(l), y = b.name(r);
    if (x != y) {
      const register_info &tl = text_.registers[l], &tr = text_.registers[r];
      if (tl.type != tr.type || tl.width != 1 || tr.width != 1) return false;
      const auto moves = [&](const arm& s, std::uint32_t reg) {
        return (live_at_entry(s, reg) ? 1 : 0) + (live_at_join(reg) ? 1 : 0);
      };
      const bool can_r = b.fixed[r] == 0 && !occupied(b, x), can_l = a.fixed[l] == 0 && !occupied(a, y);
      if (can_r && (!can_l || moves(b, r) <= moves(a, l))) {
        rename(b, r, x);
      } else if (can_l) {
        rename(a, l, y);
      } else if (a.fixed[l] == 0 && b.fixed[r] == 0 && moves(a, l) + moves(b, r) <= 1) {
        const std::uint32_t fresh = new_register(tl.type);
        rename(a, l, fresh);
        rename(b, r, fresh);
      } else {
        return false;
      }
    }
    a.fixed[l] = b.fixed[r] = 1;
    return true;
  }
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
    const std::size_t registers = draft_.registers.size();
    for (int round = 0; round < 4; ++round) {
      for (arm& a : arms_) a.forget_renaming();
      draft_.registers.resize(registers);
      for (std::size_t s = 0; s < plan.all_slots.size(); ++s)
        if (is_pair(plan.all_slots[s]) && apart_[s] == 0)
          for_each_result(plan.all_slots[s].left, plan.all_slots[s].right,
                          [&](std::uint32_t l, std::uint32_t r) { (void)unify(l, r); });
      if (!part_what_does_not_pay(plan)) return;
    }
  }
  /// By writing it all and looking at it: whether a pair has been parted that was none before.
  bool part_what_does_not_pay(const meld_plan& plan) {
    registers_kept_ = draft_.registers.size();
    const std::size_t blocks = made_.size(), operands = draft_.operands.size();
    const meld_figures kept = figures_;
    forget_selections();
    open(add_block());
    front_ = at_;
    bool changed = false;
    for (const meld_piece& p : plan.pieces) {
      if (p.side != meld_side::both) continue;
      in_region_ = p.num_blocks > 1;
      for (std::uint32_t b = p.first_block; b < p.first_block + p.num_blocks; ++b) {
        open(add_block());
        const std::uint32_t end = plan.blocks[b].first_slot + plan.blocks[b].num_slots;
        for (std::uint32_t s = plan.blocks[b].first_slot; s < end; ++s) {
          const meld_slot& slot = plan.all_slots[s];
          if (is_pair(slot) && apart_[s] == 0) {
            if (pays(slot)) continue;
            apart_[s] = 1;
            changed = true;
          }
          if (slot.left != no_instruction) note_writes(meld_side::left, slot.left);
          if (slot.right != no_instruction) note_writes(meld_side::right, slot.right);
        }
      }
    }
    figures_ = kept;
    made_.resize(blocks);
    draft_.registers.resize(registers_kept_);
    draft_.operands.resize(operands);
    forget_selections();
    return changed;
  }
  /// Writes it where it would stand, too.
  bool pays(const meld_slot& s) {
    const std::size_t front = made_[front_].code.size(), here = made_[at_].code.size();
    const std::size_t selections = selections_.size();
    bool good = emit_pair(s.left, s.right);
    std::uint64_t weight = 0;
    std::size_t count = 0;
    const auto add = [&](std::size_t block, std::size_t from) {
      for (std::size_t k = from; k < made_[block].code.size(); ++k, ++count)
        weight += model_.weights()(known_.at(made_[block].code[k].opcode));
    };
    add(at_, here);
    if (front_ != at_) add(front_, front);
    good = good && weight < std::uint64_t{2} * model_.latency(s.left) && count <= most_for_pair_;
    if (!good) selections_.resize(selections);
    return good;
  }

  // --- instructions ------------------------------------------------------------------------------------------------

  block_id add_block() {
    made_.emplace_back();
    return static_cast<block_id>(blocks_.size() + made_.size() - 1);
  }
  void open(block_id b) { at_ = b - blocks_.size(); }
  void jump(block_id to) {
    made_[at_].on = way::one;
    made_[at_].to[0] = to;
  }
  void branch(condition when, block_id taken, block_id other) {
    made_block& b = made_[at_];
    if (when.reg == always) return jump(when.negated ? other : taken);
    b.on = way::two;
    b.when = when;
    b.to[0] = taken;
    b.to[1] = other;
  }

  static operand reg(std::uint32_t r, bool negated = false) {
    operand o;
    o.kind = operand_kind::reg;
    o.index = r;
    o.negated = negated;
    return o;
  }
  static operand number(std::uint64_t n) {
    operand o;
    o.kind = operand_kind::integer;
    o.bits = n;
    return o;
  }
  void append(std::string opcode, std::span<const operand> operands, condition guard = condition{no_index, false}) {
    instruction i;
    i.opcode = std::move(opcode);
    i.where = here_;
    i.guard = guard.reg;
    i.guard_negated = guard.negated;
    i.first_operand = static_cast<std::uint32_t>(draft_.operands.size());
    i.num_operands = static_cast<std::uint32_t>(operands.size());
    for (const operand& o : operands) draft_.operands.push_back(o);
    made_[at_].code.push_back(std::move(i));
  }
  void append(std::string opcode, const operand& a, const operand& b, condition guard = condition{no_index, false}) {
    const operand all[] = {a, b};
    append(std::move(opcode), std::span<const operand>(all), guard);
  }
  void append(std::string opcode, const operand& a, const operand& b, const operand& c,
              condition guard = condition{no_index, false}) {
    const operand all[] = {a, b, c};
    append(std::move(opcode), std::span<const operand>(all), guard);
  }
  void select(std::uint32_t to, std::uint32_t bits, const operand& l, const operand& r) {
    const operand all[] = {reg(to), left_.negated ? r : l, left_.negated ? l : r, reg(left_.reg)};
    append("selp.b" + std::to_string(bits), std::span<const operand>(all));
  }
  void move(std::uint32_t to, std::uint32_t from, condition guard) {
    const register_info& r = draft_.registers[from];
    const std::uint32_t bits = 8 * info(r.type).size;
    append(r.type == scalar_type::pred ? "mov.pred" : "mov.b" + std::to_string(bits), reg(to), reg(from), guard);
  }
  static scalar_type bits_type(std::uint32_t bits) {
    return bits == 16 ? scalar_type::b16 : bits == 32 ? scalar_type::b32 : scalar_type::b64;
  }

  [[nodiscard]] condition of(meld_side side) const { return side == meld_side::left ? left_ : !left_; }
  [[nodiscard]] const arm& names(meld_side side) const { return arms_[side == meld_side::left ? 0 : 1]; }

  /// An operand as the side has it in melded code.
  operand renamed(meld_side side, operand o) {
    const arm& a = names(side);
    if ((o.kind == operand_kind::address ? o.base : o.kind) == operand_kind::reg) o.index = a.name(o.index);
    if (o.second != no_index) o.second = a.name(o.second);
    if (o.kind != operand_kind::vector && o.kind != operand_kind::list && o.kind != operand_kind::texture) return o;
    std::vector<operand> elements;
    for (const operand& e : text_.elements_of(o)) elements.push_back(renamed(side, e));
    o.index = static_cast<std::uint32_t>(draft_.operands.size());
    for (const operand& e : elements) draft_.operands.push_back(e);
    return o;
  }
  [[nodiscard]] condition guard_of(meld_side side, const instruction& i) const {
    return i.guard == no_index ? condition{no_index, false} : condition{names(side).name(i.guard), i.guard_negated};
  }

  /// A predicate that is l in threads of the left side, r in those of the right.
  condition chosen(condition l, condition r) {
    if (l == r) return l;
    if (l.reg == r.reg && l.reg != always) {  // the other way round
      const std::uint32_t t = new_register(scalar_type::pred);
      append("xor.pred", reg(t), reg(l.reg), reg(left_.reg));
      return {t, l.negated == left_.negated};
    }
    if (l.reg == always && r.reg == always) return l.negated ? !left_ : left_;
    if (l.reg == always || r.reg == always) {
      // true for one side: it is of that side, or the other's condition holds; false: it is of the other, and ...
      const condition constant = l.reg == always ? l : r, other = l.reg == always ? r : l;
      const condition mine = l.reg == always ? left_ : !left_;
      return constant.negated ? both_hold(!mine, other) : !both_hold(!mine, !other);
    }
    const std::uint32_t t = new_register(scalar_type::pred);
    append("mov.pred", reg(t), reg(r.reg));
    append(l.negated == r.negated ? "mov.pred" : "not.pred", reg(t), reg(l.reg), left_);
    return {t, r.negated};
  }
  condition both_hold(condition a, condition b) {
    const std::uint32_t t = new_register(scalar_type::pred);
    if (a.negated == b.negated) {
      append(a.negated ? "or.pred" : "and.pred", reg(t), reg(a.reg), reg(b.reg));
      return {t, a.negated};
    }
    const condition plain = a.negated ? b : a, other = a.negated ? a : b;
    append("not.pred", reg(t), reg(other.reg));
    append("and.pred", reg(t), reg(t), reg(plain.reg));
    return {t, false};
  }

  static operand as_bits(operand o) {
    if (o.kind == operand_kind::single || o.kind == operand_kind::real) o.kind = operand_kind::integer;
    return o;
  }
  static bool same(const operand& a, const operand& b) {
    return a.kind == b.kind && a.base == b.base && a.negated == b.negated && a.second == b.second &&
           (a.index == b.index || a.kind == operand_kind::integer || a.kind == operand_kind::single ||
            a.kind == operand_kind::real) &&
           a.bits == b.bits;
  }
  /// Whether operands of the same text are still the same after renaming.
  [[nodiscard]] bool agree(const operand& l, const operand& r) const {
    const arm &a = arms_[0], &b = arms_[1];
    if (names_register(l) && a.name(l.index) != b.name(r.index)) return false;
    if (l.second != no_index && a.name(l.second) != b.name(r.second)) return false;
    const auto x = text_.elements_of(l), y = text_.elements_of(r);
    for (std::size_t k = 0; k < x.size(); ++k)
      if (!agree(x[k], y[k])) return false;
    return true;
  }
  /// The operand of both. Where there is none, agrees_ is false then.
  operand merged(const operand& l, const operand& r, const detail::operand_facts& what) {
    using detail::operand_shape;
    if (what.shape == operand_shape::fixed) {
      agrees_ = agrees_ && agree(l, r);
      return renamed(meld_side::left, l);
    }
    if (what.shape == operand_shape::vector) {
      std::vector<operand> elements;
      const auto x = text_.elements_of(l), y = text_.elements_of(r);
      for (std::size_t k = 0; k < x.size(); ++k) elements.push_back(merged(x[k], y[k], reader_.element(x[k], what)));
      operand o = l;
      o.index = static_cast<std::uint32_t>(draft_.operands.size());
      for (const operand& e : elements) draft_.operands.push_back(e);
      return o;
    }
    if (what.shape == operand_shape::result) return shared_result(l, r);
    const operand x = renamed(meld_side::left, l), y = renamed(meld_side::right, r);
    if (same(x, y)) return x;
    if (what.shape == operand_shape::predicate) {
      const condition c = chosen({x.index, x.negated}, {y.index, y.negated});
      return reg(c.reg, c.negated);
    }
    if (what.shape == operand_shape::value) return reg(selected(what.bits, as_bits(x), as_bits(y)));
    operand o = x;
    o.base = operand_kind::reg;
    if (x.base == operand_kind::reg && y.base == operand_kind::reg && x.bits == y.bits) {
      o.index = selected(what.bits, reg(x.index), reg(y.index));
      return o;
    }
    o.index = selected(what.bits, x, y);
    o.bits = 0;
    return o;
  }
  /// A register that holds l or r by the side. One that was made before in this block will do, if neither was written
  /// since; in pieces of several blocks, what no arm writes is selected once, in front of all.
  std::uint32_t selected(std::uint32_t bits, const operand& l, const operand& r) {
    for (const selection& s : selections_)
      if (s.bits == bits && same(s.left, l) && same(s.right, r) && (s.block == at_ || s.block == front_) &&
          s.left_version == version(l) && s.right_version == version(r))
        return s.to;
    const std::uint32_t t = new_register(bits_type(bits));
    const std::size_t here = at_;
    if (in_region_ && version(l) == 0 && version(r) == 0 && !is_written(l) && !is_written(r)) at_ = front_;
    if (l.kind == operand_kind::address) {
      take_address(t, bits, r, condition{no_index, false});
      take_address(t, bits, l, left_);
    } else {
      select(t, bits, l, r);
    }
    selections_.push_back({bits, l, r, version(l), version(r), at_, t});
    at_ = here;
    return t;
  }
  static bool names_register(const operand& o) {
    return (o.kind == operand_kind::address ? o.base : o.kind) == operand_kind::reg;
  }
  [[nodiscard]] std::uint32_t version(const operand& o) const {
    return names_register(o) && o.index < versions_.size() ? versions_[o.index] : 0;
  }
  [[nodiscard]] bool is_written(const operand& o) const {
    if (!names_register(o)) return false;
    const std::uint32_t r = o.index;
    for (const arm& a : arms_)
      if (r < a.written.size() && (a.written[r] != 0 || a.taken[r] != 0)) return true;
    return false;
  }
  void note_write(std::uint32_t r) {
    if (versions_.size() <= r) versions_.resize(draft_.registers.size(), 0);
    if (versions_[r]++ == 0) written_.push_back(r);
  }
  void note_writes(meld_side side, std::uint32_t i) {
    for (const register_value_ref& w : model_.code().writes(i))
      if (w.reg != model_.code().carry_register()) note_write(names(side).name(w.reg));
  }
  void forget_selections() {
    selections_.clear();
    for (const std::uint32_t r : written_) versions_[r] = 0;
    written_.clear();
  }
  void take_address(std::uint32_t to, std::uint32_t bits, const operand& o, condition guard) {
    const std::string size = std::to_string(bits);
    if (o.base == operand_kind::reg && o.bits != 0)
      return append("add.s" + size, reg(to), reg(o.index), number(o.bits), guard);
    operand from = o;
    from.kind = o.base;
    from.base = operand().base;
    append(o.base == operand_kind::reg ? "mov.b" + size : "mov.u" + size, reg(to), from, guard);
  }

  /// Where the result of both goes; what has to be moved from there is noted in moves_.
  operand shared_result(const operand& l, const operand& r) {
    operand o = l;
    if (l.kind == operand_kind::reg) o.index = shared_result(l.index, r.index);
    if (l.second != no_index) o.second = shared_result(l.second, r.second);
    return o;
  }
  std::uint32_t shared_result(std::uint32_t l, std::uint32_t r) {
    const std::uint32_t x = arms_[0].name(l), y = arms_[1].name(r);
    if (x == y) return x;
    if (!occupied(arms_[1], x)) {
      moves_.push_back({y, x, !left_});
      return x;
    }
    if (!occupied(arms_[0], y)) {
      moves_.push_back({x, y, left_});
      return y;
    }
    const std::uint32_t t = new_register(draft_.registers[x].type);
    moves_.push_back({x, t, left_});
    moves_.push_back({y, t, !left_});
    return t;
  }

  /// One instruction for two. False, and nothing is of use: that cannot be.
  bool emit_pair(std::uint32_t i, std::uint32_t j) {
    const instruction &l = text_.instructions[i], &r = text_.instructions[j];
    const operation& o = model_.operation_of(i);
    const auto x = text_.operands_of(l), y = text_.operands_of(r);
    const detail::signature s = detail::signature_of(o, l.num_operands);
    here_ = l.where;
    moves_.clear();
    agrees_ = true;
    std::vector<operand> operands;
    const condition guard = l.guard == no_index ? condition{no_index, false}
                                                : chosen(guard_of(meld_side::left, l), guard_of(meld_side::right, r));
    for (std::uint32_t k = 0; k < l.num_operands; ++k) {
      const detail::operand_facts what =
          o.name == mnemonic::lop3 && k == 4 ? detail::operand_facts{} : reader_.facts(x[k], s.at[k], o);
      // The last operand of a mov that differs: the mov is the select.
      if (o.name == mnemonic::mov && k == 1 && what.shape == detail::operand_shape::value && guard.reg == no_index) {
        const operand a = renamed(meld_side::left, x[k]), b = renamed(meld_side::right, y[k]);
        if (!same(a, b) && operands[0].kind == operand_kind::reg && moves_.empty()) {
          select(operands[0].index, what.bits, as_bits(a), as_bits(b));
          note_write(operands[0].index);
          ++figures_.melded;
          return true;
        }
      }
      operands.push_back(merged(x[k], y[k], what));
    }
    if (!agrees_) return false;
    // A register that is written twice, or selected into and read: not worth a thought.
    if (guard.reg != no_index && !moves_.empty()) return false;
    if (model_.code().writes(i).size() != model_.code().writes(j).size()) return false;
    append(l.opcode, std::span<const operand>(operands), guard);
    note_writes(meld_side::left, i);
    note_writes(meld_side::right, j);
    for (const pending& m : moves_) move(m.to, m.from, m.guard);
    ++figures_.melded;
    return true;
  }

  /// An instruction of one side. `others`: threads of the other side come here too.
  void emit_one(meld_side side, std::uint32_t i, bool others) {
    const instruction& text = text_.instructions[i];
    here_ = text.where;
    condition guard = guard_of(side, text);
    ++(side == meld_side::left ? figures_.left_only : figures_.right_only);
    if (others) {
      if (guard.reg == no_index)
        guard = of(side);
      else if (!harmless(side, i))
        guard = both_hold(guard, of(side));
    }
    const auto given = text_.operands_of(text);
    std::vector<operand> operands;
    for (const operand& o : given) operands.push_back(renamed(side, o));
    append(text.opcode, std::span<const operand>(operands), guard);
    note_writes(side, i);
  }
  /// Threads of the other side may run it: it does nothing but write registers that they do not need.
  bool harmless(meld_side side, std::uint32_t i) const {
    const arm &mine = names(side), &others = names(side == meld_side::left ? meld_side::right : meld_side::left);
    bool all = model_.is_speculatable(i);
    for (const register_value_ref& w : model_.code().writes(i))
      all = all && w.reg != model_.code().carry_register() && !occupied(others, mine.name(w.reg));
    return all;
  }

  /// Instructions of each side, one side after the other.
  void emit_run(std::span<const std::uint32_t> lefts, std::span<const std::uint32_t> rights, bool left_comes,
                bool right_comes) {
    const bool both = left_comes && right_comes;
    const auto all = [&](meld_side side, std::span<const std::uint32_t> list, bool others) {
      for (const std::uint32_t i : list) emit_one(side, i, others);
    };
    const bool fits = lefts.size() <= options_.most_predicated && rights.size() <= options_.most_predicated;
    if (!both || fits || most_for_pair_ < unlimited) {
      all(meld_side::left, lefts, both);
      all(meld_side::right, rights, both);
      return;
    }
    const block_id behind = add_block();
    const block_id l = lefts.empty() ? behind : add_block(), r = rights.empty() ? behind : add_block();
    branch(left_, l, r);
    ++branches_;
    const auto alone = [&](block_id b, meld_side side, std::span<const std::uint32_t> list) {
      if (b == behind) return;
      open(b);
      all(side, list, false);
      jump(behind);
    };
    alone(l, meld_side::left, lefts);
    alone(r, meld_side::right, rights);
    open(behind);
  }

  // --- blocks ------------------------------------------------------------------------------------------------------

  void write(const meld_plan& plan, block_id first) {
    branches_ = 0;
    forget_selections();
    open(add_block());
    front_ = at_;
    SIMTFLOW_EXPECTS(at_ + blocks_.size() == first, "the code of a plan begins with its first block");
    here_ = last_of(plan.branch).where;
    if (copied_) append("mov.pred", reg(left_.reg), reg(last_of(plan.branch).guard));
    move_all(true);
    // Where each block of the plan stands.
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
    jump(plan.join);
  }
  /// Between a register's name and its name in melded code.
  void move_all(bool in) {
    for (const meld_side side : {meld_side::left, meld_side::right}) {
      const arm& a = names(side);
      for (const std::uint32_t r : a.touched) {
        if (is_new(r) || a.image[r] == no_index || !(in ? live_at_entry(a, r) : live_at_join(r))) continue;
        if (in)
          move(a.image[r], r, of(side));
        else
          move(r, a.image[r], of(side));
      }
    }
  }

  void place(const meld_piece& p) {
    for (std::uint32_t b = p.first_block; b < p.first_block + p.num_blocks; ++b) place_[b] = add_block();
  }
  block_id successor(const meld_plan& plan, const meld_block& b, std::uint32_t k, block_id behind) const {
    const std::uint32_t to = plan.successors[b.first_successor + k];
    return to == piece_end ? behind : place_[to];
  }

  void write_melded(const meld_plan& plan, const meld_piece& p) {
    in_region_ = p.num_blocks > 1;
    place(p);
    jump(place_[p.first_block]);
    const block_id behind = add_block();
    find_visitors(plan, p);
    for (std::uint32_t k = p.first_block; k < p.first_block + p.num_blocks; ++k) {
      const meld_block& b = plan.blocks[k];
      const bool left = (visitors_[k] & 1) != 0, right = (visitors_[k] & 2) != 0;
      open(place_[k]);
      lefts_.clear();
      rights_.clear();
      const auto flush = [&] {
        emit_run(std::span<const std::uint32_t>(lefts_), std::span<const std::uint32_t>(rights_), left, right);
        lefts_.clear();
        rights_.clear();
      };
      for (std::uint32_t s = b.first_slot; s < b.first_slot + b.num_slots; ++s) {
        const meld_slot& slot = plan.all_slots[s];
        if (is_pair(slot) && apart_[s] == 0) {
          flush();
          const bool done = emit_pair(slot.left, slot.right);
          SIMTFLOW_EXPECTS(done, "a pair that cannot be one instruction was parted before");
          continue;
        }
        if (slot.left != no_instruction) lefts_.push_back(slot.left);
        if (slot.right != no_instruction) rights_.push_back(slot.right);
      }
      flush();
      write_end(plan, b, behind, left && right);
    }
    open(behind);
  }

  /// Which sides come to the blocks of a melded piece: 1 left, 2 right.
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
      jump(successor(plan, b, 0, behind));
      return;
    }
    ++branches_;
    const bool alone = b.ends_as != meld_side::both;
    const meld_side side = b.ends_as == meld_side::right ? meld_side::right : meld_side::left;
    const instruction& last = last_of(side == meld_side::left ? b.left : b.right);
    here_ = last.where;
    if (opcode_head(last) == "bra") {
      condition when = guard_of(side, last);
      if (alone && both_come) {
        const condition other{always, b.forced != 0};
        when = side == meld_side::left ? chosen(when, other) : chosen(other, when);
      } else if (!alone) {
        const condition right = guard_of(meld_side::right, last_of(b.right));
        when = chosen(when, b.swapped ? !right : right);
      }
      branch(when, successor(plan, b, 0, behind), successor(plan, b, 1, behind));
      return;
    }
    write_table(plan, b, behind, both_come, side, last);
  }
  /// brx.idx: the index is selected. A guard stays that of a block of one side.
  void write_table(const meld_plan& plan, const meld_block& b, block_id behind, bool both_come, meld_side side,
                   const instruction& last) {
    const operand mine = renamed(side, text_.operands_of(last)[0]);
    std::uint32_t index = mine.index;
    condition guard = guard_of(side, last);
    const std::uint32_t num_slots = b.num_successors - (guard.reg == no_index ? 0 : 1);
    if (b.ends_as == meld_side::both) {
      const operand other = renamed(meld_side::right, text_.operands_of(last_of(b.right))[0]);
      if (other.index != index) {
        index = new_register(scalar_type::b32);
        select(index, 32, mine, other);
      }
    } else if (both_come) {
      if (b.forced == num_slots) {
        guard = both_hold(guard, of(side));
      } else {
        index = new_register(scalar_type::b32);
        const operand other = number(b.forced);
        select(index, 32, side == meld_side::left ? mine : other, side == meld_side::left ? other : mine);
        if (guard.reg != no_index) guard = !both_hold(!guard, of(side));
      }
    }
    made_block& made = made_[at_];
    made.on = way::table;
    made.brx = last;
    made.brx.guard = guard.reg;
    made.brx.guard_negated = guard.negated;
    made.brx.opcode = "brx.idx";
    operand table = text_.operands_of(last)[1];
    made.brx.first_operand = static_cast<std::uint32_t>(draft_.operands.size());
    draft_.operands.push_back(reg(index));
    draft_.operands.push_back(table);
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
      emit_run(std::span<const std::uint32_t>(lefts_), std::span<const std::uint32_t>(rights_), true, true);
      return;
    }
    const std::size_t here = at_;
    const block_id behind = add_block();
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
    at_ = here;
    here_ = last_of(plan.branch).where;
    branch(left_, begin[0], begin[1]);
    ++branches_;
    open(behind);
  }
  void write_alone(const meld_plan& plan, const meld_piece& p, block_id behind) {
    place(p);
    for (std::uint32_t k = p.first_block; k < p.first_block + p.num_blocks; ++k) {
      const meld_block& b = plan.blocks[k];
      open(place_[k]);
      for (std::uint32_t s = b.first_slot; s < b.first_slot + b.num_slots; ++s) {
        const meld_slot& slot = plan.all_slots[s];
        emit_one(p.side, p.side == meld_side::left ? slot.left : slot.right, false);
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
  /// What has been selected.
  struct selection {
    std::uint32_t bits;
    operand left, right;
    std::uint32_t left_version, right_version;
    std::size_t block;
    std::uint32_t to;
  };
  struct pending {
    std::uint32_t to, from;
    condition guard;
  };

  const function& text_;
  const function_blocks& blocks_;
  const melding_model& model_;
  const live_registers& live_;
  meld_code_options options_;
  detail::operand_classifier reader_;
  function draft_;
  std::vector<detail::meld_fate> fate_;  // by block of the text
  std::vector<made_block> made_;
  known_operations known_;
  // Of the plan at hand.
  arm arms_[2];
  condition left_{no_index, false};  // holds in threads of the left side
  bool copied_ = false;
  std::size_t most_for_pair_ = 0;
  block_id join_ = no_block;
  std::vector<unsigned char> apart_;  // by slot: a pair that stays two instructions
  std::vector<unsigned char> mark_;   // by block
  std::vector<block_id> place_;       // by block of the plan
  std::vector<unsigned char> visitors_;
  std::vector<std::uint32_t> lefts_, rights_;
  std::vector<pending> moves_;
  bool agrees_ = true;
  std::size_t at_ = 0, front_ = 0;  // of made_: the block that is being written, that of the branch
  bool in_region_ = false;
  std::vector<selection> selections_;
  std::vector<std::uint32_t> versions_;  // by register: how often it has been written
  std::vector<std::uint32_t> written_;   // those with another version than 0
  std::size_t registers_kept_ = 0;
  std::uint32_t branches_ = 0;
  meld_figures figures_;
  position here_;
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
