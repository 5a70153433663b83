// SPDX-License-Identifier: BSL-1.0
//
// Writes instructions of the two sides of a branch: one instruction for two, and runs of one side under its predicate.
// side_selector.hpp selects what differs between the sides.
#pragma once

#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/operation.hpp>
#include <simtflow/ptx/text/signature.hpp>
#include <simtflow/ptx/transform/detail/meld_draft.hpp>
#include <simtflow/ptx/transform/detail/new_operands.hpp>
#include <simtflow/ptx/transform/detail/operand_classifier.hpp>
#include <simtflow/ptx/transform/detail/register_unifier.hpp>
#include <simtflow/ptx/transform/detail/side_selector.hpp>
#include <simtflow/ptx/transform/meld_report.hpp>
#include <simtflow/ptx/transform/melding_model.hpp>
#include <simtflow/transform/meld_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class melded_emitter {
 public:
  using condition = meld_condition;
  static constexpr std::size_t unlimited = static_cast<std::size_t>(-1);

  melded_emitter(const melding_model& model, register_unifier& registers, meld_draft& draft, side_selector& sides)
      : text_(model.checked().text()), model_(model), reader_(text_), r_(registers), d_(draft), s_(sides) {}

  // Writes one instruction for two. False if that cannot be; the code that was written is then of no use.
  bool emit_pair(std::uint32_t i, std::uint32_t j) {
    const instruction &l = text_.instructions[i], &r = text_.instructions[j];
    const operation& o = model_.operation_of(i);
    const auto x = text_.operands_of(l), given = text_.operands_of(r);
    std::vector<operand> y(given.begin(), given.end());
    const signature s = signature_of(o, l.num_operands);
    if (commutes(o) && are_alike(reader_.facts(x[1], s.at[1], o), reader_.facts(x[2], s.at[2], o)) &&
        selects(x[1], y[1]) + selects(x[2], y[2]) > selects(x[1], y[2]) + selects(x[2], y[1]))
      std::swap(y[1], y[2]);
    d_.here = l.where;
    moves_.clear();
    agrees_ = true;
    std::vector<operand> operands;
    const condition guard = l.guard == no_index
                                ? condition{no_index, false}
                                : s_.chosen(s_.guard_of(meld_side::left, l), s_.guard_of(meld_side::right, r));
    for (std::uint32_t k = 0; k < l.num_operands; ++k) {
      const operand_facts what = o.name == mnemonic::lop3 && k == 4 ? operand_facts{} : reader_.facts(x[k], s.at[k], o);
      // The last operand of a mov that differs: the mov is the select.
      if (o.name == mnemonic::mov && k == 1 && what.shape == operand_shape::value && guard.reg == no_index) {
        const operand a = s_.renamed(meld_side::left, x[k]), b = s_.renamed(meld_side::right, y[k]);
        if (!s_.same(a, b) && operands[0].kind == operand_kind::reg && moves_.empty()) {
          s_.select(operands[0].index, what.bits, s_.as_bits(a), s_.as_bits(b));
          s_.note_write(operands[0].index);
          ++figures.melded;
          return true;
        }
      }
      operands.push_back(merged(x[k], y[k], what));
    }
    if (!agrees_) return false;
    // A register that is written twice, or selected into and read: not worth a thought.
    if (guard.reg != no_index && !moves_.empty()) return false;
    if (model_.code().writes(i).size() != model_.code().writes(j).size()) return false;
    const double left_idle = model_.idle(i), right_idle = model_.idle(j);
    d_.use.idle = left_idle < right_idle ? left_idle : right_idle;
    d_.append(l.opcode, std::span<const operand>(operands), guard);
    if (guard == s_.guard_of(meld_side::left, l)) d_.made[d_.at].code.back().guard_where = l.guard_where;
    d_.use = {};
    note_writes(meld_side::left, i);
    note_writes(meld_side::right, j);
    for (const pending& m : moves_) d_.move(m.to, m.from, m.guard);
    ++figures.melded;
    return true;
  }

  // Writes an instruction of one side. `others`: threads of the other side come here also.
  void emit_one(meld_side side, std::uint32_t i, bool others) {
    const instruction& text = text_.instructions[i];
    d_.here = text.where;
    condition guard = s_.guard_of(side, text);
    ++(side == meld_side::left ? figures.left_only : figures.right_only);
    melded_block::use use{meld_side::both, model_.idle(i)};
    if (others) {
      if (guard.reg == no_index)
        guard = s_.of(side);
      else if (!harmless(side, i))
        guard = s_.both_hold(guard, s_.of(side));
      use.side = side;
    }
    const auto given = text_.operands_of(text);
    std::vector<operand> operands;
    for (const operand& o : given) operands.push_back(s_.renamed(side, o));
    d_.use = use;
    d_.append(text.opcode, std::span<const operand>(operands), guard);
    if (guard == s_.guard_of(side, text)) d_.made[d_.at].code.back().guard_where = text.guard_where;
    d_.use = {};
    note_writes(side, i);
  }

  // Writes instructions of each side, one side after the other.
  void emit_run(std::span<const std::uint32_t> lefts, std::span<const std::uint32_t> rights, bool left_comes,
                bool right_comes) {
    const bool both = left_comes && right_comes;
    for (const std::uint32_t i : lefts) emit_one(meld_side::left, i, both);
    for (const std::uint32_t i : rights) emit_one(meld_side::right, i, both);
  }

  void note_writes(meld_side side, std::uint32_t i) {
    for (const register_value_ref& w : model_.code().writes(i))
      if (w.reg != model_.code().carry_register()) s_.note_write(r_.names(side).name(w.reg));
  }

  std::size_t most_for_pair = 0;  // instructions that a pair may become
  std::uint32_t branches = 0;     // that were written
  meld_figures figures;

 private:
  // True if the first two sources of an operation can be exchanged: the result has the same bits, a NaN included.
  static bool commutes(const operation& o) {
    const bool floating = info(o.type).kind == type_class::floating;
    switch (o.name) {
      case mnemonic::add:
      case mnemonic::mul:
      case mnemonic::mad:
      case mnemonic::fma:
        return o.width == 1 && (!floating || o.type == scalar_type::f32);
      case mnemonic::and_:
      case mnemonic::or_:
      case mnemonic::xor_:
        return true;
      case mnemonic::min:
      case mnemonic::max:
        return o.width == 1 && !floating;
      default:
        return false;
    }
  }
  static bool are_alike(const operand_facts& a, const operand_facts& b) {
    return a.shape == b.shape && a.bits == b.bits &&
           (a.shape == operand_shape::value || a.shape == operand_shape::predicate);
  }
  // 1 if a source of the left side and one of the right side have to be selected.
  int selects(const operand& l, const operand& r) {
    return s_.same(s_.renamed(meld_side::left, l), s_.renamed(meld_side::right, r)) ? 0 : 1;
  }

  // A move from the register of a result to the register in which one side expects it.
  struct pending {
    std::uint32_t to, from;
    condition guard;
  };

  // True if operands of the same text are still the same after renaming.
  [[nodiscard]] bool agree(const operand& l, const operand& r) const {
    const register_unifier::arm &a = r_.arms[0], &b = r_.arms[1];
    if (s_.names_register(l) && a.name(l.index) != b.name(r.index)) return false;
    if (l.second != no_index && a.name(l.second) != b.name(r.second)) return false;
    const auto x = text_.elements_of(l), y = text_.elements_of(r);
    for (std::size_t k = 0; k < x.size(); ++k)
      if (!agree(x[k], y[k])) return false;
    return true;
  }

  // The operand of both. Clears agrees_ if there is none.
  operand merged(const operand& l, const operand& r, const operand_facts& what) {
    if (what.shape == operand_shape::fixed) {
      agrees_ = agrees_ && agree(l, r);
      return s_.renamed(meld_side::left, l);
    }
    if (what.shape == operand_shape::vector) {
      std::vector<operand> elements;
      const auto x = text_.elements_of(l), y = text_.elements_of(r);
      for (std::size_t k = 0; k < x.size(); ++k) elements.push_back(merged(x[k], y[k], reader_.element(x[k], what)));
      operand o = l;
      o.index = static_cast<std::uint32_t>(d_.code.operands.size());
      for (const operand& e : elements) d_.code.operands.push_back(e);
      return o;
    }
    if (what.shape == operand_shape::result) return shared_result(l, r);
    const operand x = s_.renamed(meld_side::left, l), y = s_.renamed(meld_side::right, r);
    if (s_.same(x, y)) return x;
    if (what.shape == operand_shape::predicate) {
      const condition c = s_.chosen({x.index, x.negated}, {y.index, y.negated});
      return register_operand(c.reg, c.negated);
    }
    if (what.shape == operand_shape::value)
      return register_operand(s_.selected(what.bits, s_.as_bits(x), s_.as_bits(y)));
    operand o = x;
    o.base = operand_kind::reg;
    if (x.base == operand_kind::reg && y.base == operand_kind::reg && x.bits == y.bits) {
      o.index = s_.selected(what.bits, register_operand(x.index), register_operand(y.index));
      return o;
    }
    std::uint64_t offset = 0;
    o.index = s_.selected_address(what.bits, x, y, offset);
    o.bits = offset;
    return o;
  }

  // The register for the result of both; notes in moves_ what has to be moved from there.
  operand shared_result(const operand& l, const operand& r) {
    operand o = l;
    if (l.kind == operand_kind::reg) o.index = shared_result(l.index, r.index);
    if (l.second != no_index) o.second = shared_result(l.second, r.second);
    return o;
  }

  std::uint32_t shared_result(std::uint32_t l, std::uint32_t r) {
    const std::uint32_t x = r_.arms[0].name(l), y = r_.arms[1].name(r);
    if (x == y) return x;
    if (!r_.occupied(r_.arms[1], x)) {
      moves_.push_back({y, x, !s_.left});
      return x;
    }
    if (!r_.occupied(r_.arms[0], y)) {
      moves_.push_back({x, y, s_.left});
      return y;
    }
    const std::uint32_t t = d_.new_register(d_.code.registers[x].type);
    moves_.push_back({x, t, s_.left});
    moves_.push_back({y, t, !s_.left});
    return t;
  }

  // True if threads of the other side may run it: it only writes registers that they do not need.
  bool harmless(meld_side side, std::uint32_t i) const {
    const register_unifier::arm &mine = r_.names(side),
                                &others = r_.names(side == meld_side::left ? meld_side::right : meld_side::left);
    bool all = model_.is_speculatable(i);
    for (const register_value_ref& w : model_.code().writes(i))
      all = all && w.reg != model_.code().carry_register() && !r_.occupied(others, mine.name(w.reg));
    return all;
  }

  const function& text_;
  const melding_model& model_;
  operand_classifier reader_;
  register_unifier& r_;
  meld_draft& d_;
  side_selector& s_;
  std::vector<pending> moves_;
  bool agrees_ = true;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
