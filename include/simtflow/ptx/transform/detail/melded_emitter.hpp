// SPDX-License-Identifier: BSL-1.0
//
// Writes instructions of the two sides of a branch: one instruction for two, with selects where operands differ, and
// runs of one side under its predicate.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/text/latency.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/operation.hpp>
#include <simtflow/ptx/text/signature.hpp>
#include <simtflow/ptx/transform/detail/meld_draft.hpp>
#include <simtflow/ptx/transform/detail/register_unifier.hpp>
#include <simtflow/ptx/transform/meld_report.hpp>
#include <simtflow/ptx/transform/melding_model.hpp>
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

class melded_emitter {
 public:
  using condition = meld_condition;
  static constexpr std::uint32_t always = condition::always;
  static constexpr std::size_t unlimited = static_cast<std::size_t>(-1);

  // Something that has been selected.
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

  melded_emitter(const melding_model& model, meld_code_options options, register_unifier& registers, meld_draft& draft)
      : text_(model.checked().text()), model_(model), options_(options), reader_(text_), r_(registers), d_(draft) {}

  void select(std::uint32_t to, std::uint32_t bits, const operand& l, const operand& r) {
    const operand all[] = {d_.reg(to), left.negated ? r : l, left.negated ? l : r, d_.reg(left.reg)};
    d_.append("selp.b" + std::to_string(bits), std::span<const operand>(all));
  }

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

  [[nodiscard]] condition guard_of(meld_side side, const instruction& i) const {
    return i.guard == no_index ? condition{no_index, false} : condition{r_.names(side).name(i.guard), i.guard_negated};
  }

  // A predicate that is l in threads of the left side and r in threads of the right side.
  condition chosen(condition l, condition r) {
    if (l == r) return l;
    if (l.reg == r.reg && l.reg != always) {  // the other way round
      const std::uint32_t t = d_.new_register(scalar_type::pred);
      d_.append("xor.pred", d_.reg(t), d_.reg(l.reg), d_.reg(left.reg));
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
    d_.append("mov.pred", d_.reg(t), d_.reg(r.reg));
    d_.append(l.negated == r.negated ? "mov.pred" : "not.pred", d_.reg(t), d_.reg(l.reg), left);
    return {t, r.negated};
  }

  condition both_hold(condition a, condition b) {
    const std::uint32_t t = d_.new_register(scalar_type::pred);
    if (a.negated == b.negated) {
      d_.append(a.negated ? "or.pred" : "and.pred", d_.reg(t), d_.reg(a.reg), d_.reg(b.reg));
      return {t, a.negated};
    }
    const condition plain = a.negated ? b : a, other = a.negated ? a : b;
    d_.append("not.pred", d_.reg(t), d_.reg(other.reg));
    d_.append("and.pred", d_.reg(t), d_.reg(t), d_.reg(plain.reg));
    return {t, false};
  }

  // One instruction for two. False, and nothing is of use: that cannot be.
  bool emit_pair(std::uint32_t i, std::uint32_t j) {
    const instruction &l = text_.instructions[i], &r = text_.instructions[j];
    const operation& o = model_.operation_of(i);
    const auto x = text_.operands_of(l), y = text_.operands_of(r);
    const signature s = signature_of(o, l.num_operands);
    d_.here = l.where;
    moves_.clear();
    agrees_ = true;
    std::vector<operand> operands;
    const condition guard = l.guard == no_index ? condition{no_index, false}
                                                : chosen(guard_of(meld_side::left, l), guard_of(meld_side::right, r));
    for (std::uint32_t k = 0; k < l.num_operands; ++k) {
      const operand_facts what = o.name == mnemonic::lop3 && k == 4 ? operand_facts{} : reader_.facts(x[k], s.at[k], o);
      // The last operand of a mov that differs: the mov is the select.
      if (o.name == mnemonic::mov && k == 1 && what.shape == operand_shape::value && guard.reg == no_index) {
        const operand a = renamed(meld_side::left, x[k]), b = renamed(meld_side::right, y[k]);
        if (!same(a, b) && operands[0].kind == operand_kind::reg && moves_.empty()) {
          select(operands[0].index, what.bits, as_bits(a), as_bits(b));
          note_write(operands[0].index);
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
    d_.append(l.opcode, std::span<const operand>(operands), guard);
    note_writes(meld_side::left, i);
    note_writes(meld_side::right, j);
    for (const pending& m : moves_) d_.move(m.to, m.from, m.guard);
    ++figures.melded;
    return true;
  }

  // An instruction of one side. `others`: threads of the other side come here too.
  void emit_one(meld_side side, std::uint32_t i, bool others) {
    const instruction& text = text_.instructions[i];
    d_.here = text.where;
    condition guard = guard_of(side, text);
    ++(side == meld_side::left ? figures.left_only : figures.right_only);
    if (others) {
      if (guard.reg == no_index)
        guard = of(side);
      else if (!harmless(side, i))
        guard = both_hold(guard, of(side));
    }
    const auto given = text_.operands_of(text);
    std::vector<operand> operands;
    for (const operand& o : given) operands.push_back(renamed(side, o));
    d_.append(text.opcode, std::span<const operand>(operands), guard);
    note_writes(side, i);
  }

  // Instructions of each side, one side after the other.
  void emit_run(std::span<const std::uint32_t> lefts, std::span<const std::uint32_t> rights, bool left_comes,
                bool right_comes) {
    const bool both = left_comes && right_comes;
    const auto all = [&](meld_side side, std::span<const std::uint32_t> list, bool others) {
      for (const std::uint32_t i : list) emit_one(side, i, others);
    };
    const bool fits = lefts.size() <= options_.most_predicated && rights.size() <= options_.most_predicated;
    if (!both || fits || most_for_pair < unlimited) {
      all(meld_side::left, lefts, both);
      all(meld_side::right, rights, both);
      return;
    }
    const block_id behind = d_.add_block();
    const block_id l = lefts.empty() ? behind : d_.add_block(), r = rights.empty() ? behind : d_.add_block();
    d_.branch(left, l, r);
    ++branches;
    const auto alone = [&](block_id b, meld_side side, std::span<const std::uint32_t> list) {
      if (b == behind) return;
      d_.open(b);
      all(side, list, false);
      d_.jump(behind);
    };
    alone(l, meld_side::left, lefts);
    alone(r, meld_side::right, rights);
    d_.open(behind);
  }

  void note_writes(meld_side side, std::uint32_t i) {
    for (const register_value_ref& w : model_.code().writes(i))
      if (w.reg != model_.code().carry_register()) note_write(r_.names(side).name(w.reg));
  }
  void forget_selections() {
    selections.clear();
    for (const std::uint32_t r : written_) versions_[r] = 0;
    written_.clear();
  }

  condition left{no_index, false};  // holds in threads of the left side
  std::size_t most_for_pair = 0;    // instructions that a pair may become
  std::size_t front = 0;            // in the draft: the block of the branch
  bool in_region = false;           // a piece of several blocks is being written
  std::uint32_t branches = 0;       // that were written
  meld_figures figures;
  std::vector<selection> selections;

 private:
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

  // Whether operands of the same text are still the same after renaming.
  [[nodiscard]] bool agree(const operand& l, const operand& r) const {
    const register_unifier::arm &a = r_.arms[0], &b = r_.arms[1];
    if (names_register(l) && a.name(l.index) != b.name(r.index)) return false;
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
      return renamed(meld_side::left, l);
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
    const operand x = renamed(meld_side::left, l), y = renamed(meld_side::right, r);
    if (same(x, y)) return x;
    if (what.shape == operand_shape::predicate) {
      const condition c = chosen({x.index, x.negated}, {y.index, y.negated});
      return d_.reg(c.reg, c.negated);
    }
    if (what.shape == operand_shape::value) return d_.reg(selected(what.bits, as_bits(x), as_bits(y)));
    operand o = x;
    o.base = operand_kind::reg;
    if (x.base == operand_kind::reg && y.base == operand_kind::reg && x.bits == y.bits) {
      o.index = selected(what.bits, d_.reg(x.index), d_.reg(y.index));
      return o;
    }
    o.index = selected(what.bits, x, y);
    o.bits = 0;
    return o;
  }

  // A register that holds l or r by the side. One that was made before in this block will do, if neither was written
  // since; in pieces of several blocks, what no arm writes is selected once, in front of all.
  std::uint32_t selected(std::uint32_t bits, const operand& l, const operand& r) {
    for (const selection& s : selections)
      if (s.bits == bits && same(s.left, l) && same(s.right, r) && (s.block == d_.at || s.block == front) &&
          s.left_version == version(l) && s.right_version == version(r))
        return s.to;
    const std::uint32_t t = d_.new_register(d_.bits_type(bits));
    const std::size_t here = d_.at;
    if (in_region && version(l) == 0 && version(r) == 0 && !is_written(l) && !is_written(r)) d_.at = front;
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

  static bool names_register(const operand& o) {
    return (o.kind == operand_kind::address ? o.base : o.kind) == operand_kind::reg;
  }

  [[nodiscard]] std::uint32_t version(const operand& o) const {
    return names_register(o) && o.index < versions_.size() ? versions_[o.index] : 0;
  }

  [[nodiscard]] bool is_written(const operand& o) const {
    if (!names_register(o)) return false;
    const std::uint32_t r = o.index;
    for (const register_unifier::arm& a : r_.arms)
      if (r < a.written.size() && (a.written[r] != 0 || a.taken[r] != 0)) return true;
    return false;
  }

  void note_write(std::uint32_t r) {
    if (versions_.size() <= r) versions_.resize(d_.code.registers.size(), 0);
    if (versions_[r]++ == 0) written_.push_back(r);
  }

  void take_address(std::uint32_t to, std::uint32_t bits, const operand& o, condition guard) {
    const std::string size = std::to_string(bits);
    if (o.base == operand_kind::reg && o.bits != 0)
      return d_.append("add.s" + size, d_.reg(to), d_.reg(o.index), d_.number(o.bits), guard);
    operand from = o;
    from.kind = o.base;
    from.base = operand().base;
    d_.append(o.base == operand_kind::reg ? "mov.b" + size : "mov.u" + size, d_.reg(to), from, guard);
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
      moves_.push_back({y, x, !left});
      return x;
    }
    if (!r_.occupied(r_.arms[0], y)) {
      moves_.push_back({x, y, left});
      return y;
    }
    const std::uint32_t t = d_.new_register(d_.code.registers[x].type);
    moves_.push_back({x, t, left});
    moves_.push_back({y, t, !left});
    return t;
  }

  // Threads of the other side may run it: it does nothing but write registers that they do not need.
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
  meld_code_options options_;
  operand_classifier reader_;
  register_unifier& r_;
  meld_draft& d_;
  std::vector<pending> moves_;
  bool agrees_ = true;
  std::vector<std::uint32_t> versions_;  // by register: how often it has been written
  std::vector<std::uint32_t> written_;   // registers with another version than 0
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
