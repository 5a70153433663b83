// SPDX-License-Identifier: BSL-1.0
//
// Operands and predicates that are not the same on the two sides of a branch: their names in melded code, and selects
// between them.
#pragma once

#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/transform/detail/meld_draft.hpp>
#include <simtflow/ptx/transform/detail/new_operands.hpp>
#include <simtflow/ptx/transform/detail/register_unifier.hpp>
#include <simtflow/transform/meld_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class side_selector {
 public:
  using condition = meld_condition;
  static constexpr std::uint32_t always = condition::always;

  // Something that has been selected.
  struct selection {
    std::uint32_t bits;
    operand left, right;
    std::uint32_t left_version, right_version;
    std::size_t block;
    std::uint32_t to;
  };

  side_selector(const function& text, register_unifier& registers, meld_draft& draft)
      : text_(text), r_(registers), d_(draft) {}

  // The predicate of a side.
  [[nodiscard]] condition of(meld_side side) const { return side == meld_side::left ? left : !left; }

  // An operand as the side has it in melded code.
  operand renamed(meld_side side, operand o) {
    const register_unifier::arm& a = r_.names(side);
    if ((o.kind == operand_kind::address ? o.base : o.kind) == operand_kind::reg) o.index = a.name(o.index);
    if (o.second != no_index) o.second = a.name(o.second);
    if (o.kind != operand_kind::vector && o.kind != operand_kind::list && o.kind != operand_kind::texture) return o;
    std::vector<operand> elements;
    for (const operand& e : text_.elements_of(o)) elements.push_back(renamed(side, e));
    o.index = static_cast<std::uint32_t>(d_.code.operands.size());
    for (const operand& e : elements) d_.code.operands.push_back(e);
    return o;
  }

  // The guard of an instruction, as the side has it in melded code.
  [[nodiscard]] condition guard_of(meld_side side, const instruction& i) const {
    return i.guard == no_index ? condition{no_index, false} : condition{r_.names(side).name(i.guard), i.guard_negated};
  }

  // A predicate that is l in threads of the left side and r in threads of the right side.
  condition chosen(condition l, condition r) {
    if (l == r) return l;
    if (const join* known = find_join(true, l, r)) return known->to;
    return note_join(true, l, r, newly_chosen(l, r));
  }

  // A predicate that holds if both do.
  condition both_hold(condition a, condition b) {
    if (const join* known = find_join(false, a, b)) return known->to;
    return note_join(false, a, b, newly_joined(a, b));
  }

  // A predicate that is l in threads of the left side and r in threads of the right side, written anew.
  condition newly_chosen(condition l, condition r) {
    if (l.reg == r.reg && l.reg != always) {  // the other way round
      const std::uint32_t t = d_.new_register(scalar_type::pred);
      d_.append("xor.pred", register_operand(t), register_operand(l.reg), register_operand(left.reg));
      return {t, l.negated == left.negated};
    }
    if (l.reg == always && r.reg == always) return l.negated ? !left : left;
    if (l.reg == always || r.reg == always) {
      // true for one side: it is of that side, or the other's condition holds; false: it is of the other, and ...
      const condition constant = l.reg == always ? l : r, other = l.reg == always ? r : l;
      const condition mine = l.reg == always ? left : !left;
      return constant.negated ? both_hold(!mine, other) : !both_hold(!mine, !other);
    }
    const std::uint32_t t = d_.new_register(scalar_type::pred);
    d_.append("mov.pred", register_operand(t), register_operand(r.reg));
    d_.append(l.negated == r.negated ? "mov.pred" : "not.pred", register_operand(t), register_operand(l.reg), left);
    return {t, r.negated};
  }

  // A predicate that holds if both do, written anew.
  condition newly_joined(condition a, condition b) {
    const std::uint32_t t = d_.new_register(scalar_type::pred);
    if (a.negated == b.negated) {
      d_.append(a.negated ? "or.pred" : "and.pred", register_operand(t), register_operand(a.reg),
                register_operand(b.reg));
      return {t, a.negated};
    }
    const condition plain = a.negated ? b : a, other = a.negated ? a : b;
    d_.append("not.pred", register_operand(t), register_operand(other.reg));
    d_.append("and.pred", register_operand(t), register_operand(t), register_operand(plain.reg));
    return {t, false};
  }

  // Writes l to the register in threads of the left side, r in the others.
  void select(std::uint32_t to, std::uint32_t bits, const operand& l, const operand& r) {
    const operand all[] = {register_operand(to), left.negated ? r : l, left.negated ? l : r,
                           register_operand(left.reg)};
    d_.append("selp.b" + std::to_string(bits), std::span<const operand>(all));
  }

  // A register that holds l or r by the side. One that was made before will do, if all threads have passed it since and
  // neither was written; in pieces of several blocks, what no arm writes is selected once, in front of all.
  std::uint32_t selected(std::uint32_t bits, const operand& l, const operand& r) {
    const bool unwritten = is_unwritten(l, r);
    for (const selection& s : selections)
      if (s.bits == bits && same(s.left, l) && same(s.right, r) && still_holds(s, l, r, unwritten)) return s.to;
    const std::uint32_t t = d_.new_register(d_.bits_type(bits));
    const std::size_t here = d_.at;
    if (in_region && unwritten) d_.at = front;
    if (l.kind == operand_kind::address) {
      take_address(t, bits, r, condition{no_index, false});
      take_address(t, bits, l, left);
    } else {
      select(t, bits, l, r);
    }
    selections.push_back({bits, l, r, version(l), version(r), d_.at, t});
    d_.at = here;
    return t;
  }

  // The same for addresses. Addresses that lie as far apart as two that were selected need the difference only: it is
  // left in `offset`, else 0.
  std::uint32_t selected_address(std::uint32_t bits, const operand& l, const operand& r, std::uint64_t& offset) {
    const bool unwritten = is_unwritten(l, r);
    for (const selection& s : selections) {
      if (s.bits != bits || s.left.bits - l.bits != s.right.bits - r.bits) continue;
      if (!same_base(s.left, l) || !same_base(s.right, r) || !still_holds(s, l, r, unwritten)) continue;
      const auto apart = static_cast<std::int64_t>(l.bits - s.left.bits);
      if (apart < -0x4000'0000 || apart > 0x4000'0000) continue;  // no offset of an address
      offset = l.bits - s.left.bits;
      return s.to;
    }
    offset = 0;
    return selected(bits, l, r);
  }

  // Notes that a register is written: what was selected from it before is stale.
  void note_write(std::uint32_t r) {
    if (versions_.size() <= r) versions_.resize(d_.code.registers.size(), 0);
    if (versions_[r]++ == 0) written_.push_back(r);
  }
  void forget_selections() {
    selections.clear();
    joins.clear();
    for (const std::uint32_t r : written_) versions_[r] = 0;
    written_.clear();
  }

  static bool same(const operand& a, const operand& b) {
    return a.kind == b.kind && a.base == b.base && a.negated == b.negated && a.second == b.second &&
           (a.index == b.index || a.kind == operand_kind::integer || a.kind == operand_kind::single ||
            a.kind == operand_kind::real) &&
           a.bits == b.bits;
  }
  // A constant without its type, as selp takes it.
  static operand as_bits(operand o) {
    if (o.kind == operand_kind::single || o.kind == operand_kind::real) o.kind = operand_kind::integer;
    return o;
  }
  static bool names_register(const operand& o) {
    return (o.kind == operand_kind::address ? o.base : o.kind) == operand_kind::reg;
  }

  condition left{no_index, false};  // holds in threads of the left side
  std::size_t front = 0;            // in the draft: the block of the branch
  bool in_region = false;           // a piece of several blocks is being written
  std::vector<selection> selections;

  // A predicate that was made of two: chosen by the side, or true if both are.
  struct join {
    bool by_side;
    condition a, b, to;
    std::uint32_t a_version, b_version;
    std::size_t block;
  };
  std::vector<join> joins;

 private:
  static bool same_base(const operand& a, const operand& b) {
    return a.kind == operand_kind::address && b.kind == operand_kind::address && a.base == b.base && a.index == b.index;
  }
  [[nodiscard]] bool is_unwritten(const operand& l, const operand& r) const {
    return version(l) == 0 && version(r) == 0 && !is_written(l) && !is_written(r);
  }
  // True if what was selected from operands like these is there, and they are as they were.
  [[nodiscard]] bool still_holds(const selection& s, const operand& l, const operand& r, bool unwritten) const {
    const bool there =
        s.block == d_.at || s.block == front || (is_straight(s.block) && (is_straight(d_.at) || unwritten));
    return there && s.left_version == version(l) && s.right_version == version(r);
  }
  [[nodiscard]] bool is_straight(std::size_t block) const { return d_.made[block].straight; }
  [[nodiscard]] const join* find_join(bool by_side, condition a, condition b) const {
    for (const join& j : joins)
      if (j.by_side == by_side && j.a == a && j.b == b && j.a_version == version(a.reg) &&
          j.b_version == version(b.reg) && (j.block == d_.at || (is_straight(j.block) && is_straight(d_.at))))
        return &j;
    return nullptr;
  }
  condition note_join(bool by_side, condition a, condition b, condition to) {
    joins.push_back({by_side, a, b, to, version(a.reg), version(b.reg), d_.at});
    return to;
  }
  [[nodiscard]] std::uint32_t version(std::uint32_t reg) const { return reg < versions_.size() ? versions_[reg] : 0; }
  [[nodiscard]] std::uint32_t version(const operand& o) const { return names_register(o) ? version(o.index) : 0; }
  [[nodiscard]] bool is_written(const operand& o) const {
    if (!names_register(o)) return false;
    const std::uint32_t r = o.index;
    for (const register_unifier::arm& a : r_.arms)
      if (r < a.written.size() && (a.written[r] != 0 || a.taken[r] != 0)) return true;
    return false;
  }
  void take_address(std::uint32_t to, std::uint32_t bits, const operand& o, condition guard) {
    const std::string size = std::to_string(bits);
    if (o.base == operand_kind::reg && o.bits != 0)
      return d_.append("add.s" + size, register_operand(to), register_operand(o.index), number_operand(o.bits), guard);
    operand from = o;
    from.kind = o.base;
    from.base = operand().base;
    d_.append(o.base == operand_kind::reg ? "mov.b" + size : "mov.u" + size, register_operand(to), from, guard);
  }

  const function& text_;
  register_unifier& r_;
  meld_draft& d_;
  std::vector<std::uint32_t> versions_;  // by register: how often it has been written
  std::vector<std::uint32_t> written_;   // registers with another version than 0
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
