// SPDX-License-Identifier: BSL-1.0
//
// Reads code that was made of a plan, for check_rewrite.hpp: are these the instructions of the text, does this set the
// variables of edges, where does this branch lead? Registers of the code stand for one register of the text or one
// variable of the plan each; which one is learned from the first instruction that has the register.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/text/instruction.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class written_code {
 public:
  // One way out of a block: by which slot, with which value of the condition's register, and for tables which index.
  struct outcome {
    std::uint32_t slot;
    bool holds;
    std::uint32_t index;
    bool passes;                        // the value of pass()
    std::vector<plan_assignment> sets;  // those still to come
  };

  written_code(const function& text, const function& code, std::uint32_t variables) : text_(text), code_(code) {
    known_.assign(text.registers.size() + 2 + variables, no_index);
    owner_.assign(code.registers.size(), no_index);
  }

  // Registers are numbered: registers of the text, pass() and over(), which guards write, variables.
  [[nodiscard]] std::uint32_t pass() const { return static_cast<std::uint32_t>(text_.registers.size()); }
  [[nodiscard]] std::uint32_t over() const { return pass() + 1; }
  [[nodiscard]] std::uint32_t variable(std::uint32_t v) const { return pass() + 2 + v; }

  // The instruction after unconditional jumps; of those that go round the first one.
  [[nodiscard]] std::uint32_t behind_jumps(std::uint32_t at) const {
    std::uint32_t least = at;
    for (std::size_t n = 0; n < 2 * code_.instructions.size(); ++n) {
      if (at >= code_.instructions.size()) return at;
      const instruction& i = code_.instructions[at];
      if (i.guard != no_index || opcode_head(i) != "bra") return at;
      at = code_.labels[code_.operands_of(i)[0].index].instruction;
      if (n == code_.instructions.size()) least = at;
      if (at < least) least = at;
    }
    return least;
  }

  // The first `count` instructions make registers zero.
  bool sets_zeros(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const operand* o = operands(i, "mov.u32", 2);
      if (o == nullptr || guard_of(i) != no_index || !is_number(o[1], 0)) return false;
      zero_.push_back(o[0].index);
    }
    return true;
  }
  [[nodiscard]] bool begins_as_zero(std::uint32_t v) const {
    const std::uint32_t reg = known_[variable(v)];
    for (const std::uint32_t r : zero_)
      if (r == reg) return true;
    return reg == no_index;  // nothing tests it in the end
  }

  // True if no register of the text is made zero: its value may come from the caller.
  [[nodiscard]] bool zeroes_only_variables() const {
    for (const std::uint32_t r : zero_)
      if (owner_[r] != no_index && owner_[r] < variable(0)) return false;
    return true;
  }

  // An instruction of the text; `.uni` may have gone.
  bool is_same(const instruction& old, std::uint32_t at) {
    if (at >= code_.instructions.size()) return false;
    const instruction& now = code_.instructions[at];
    const bool drops = is_changed && old.guard != no_index && !old.opcode.starts_with("vote");
    if (now.opcode != (drops ? without_uni(old.opcode) : std::string_view(old.opcode))) return false;
    return has_same_guard(old, now) && are_same(text_.operands_of(old), code_.operands_of(now));
  }
  [[nodiscard]] bool is_return(std::uint32_t at) const {
    return at < code_.instructions.size() && code_.instructions[at].opcode == "ret" && guard_of(at) == no_index;
  }

  // The test of a guard, which ends before `at` then.
  bool tests(std::uint32_t& at, std::uint32_t v, std::uint32_t low, std::uint32_t high) {
    if (const operand* o = operands(at, "sub.u32", 3)) {
      if (guard_of(at) != no_index || !is_register(o[0], over()) || !is_register(o[1], variable(v)) ||
          !is_number(o[2], low))
        return false;
      o = operands(++at, "setp.le.u32", 3);
      return o != nullptr && guard_of(at++) == no_index && is_register(o[0], pass()) && is_register(o[1], over()) &&
             is_number(o[2], high - low);
    }
    constexpr std::string_view forms[] = {"setp.eq.u32", "setp.le.u32", "setp.ge.u32"};
    const bool fits[] = {low == high, low == 0, high == 0xFFFF'FFFFU};
    const std::uint32_t bounds[] = {low, high, low};
    for (std::size_t k = 0; k < 3; ++k)
      if (const operand* o = operands(at, forms[k], 3); o != nullptr && fits[k])
        return guard_of(at++) == no_index && is_register(o[0], pass()) && is_register(o[1], variable(v)) &&
               is_number(o[2], bounds[k]);
    return false;
  }

  // The index that a table tests.
  void take_table(const operand& index) { index_ = index; }

  // Each outcome's variables are set, and no others, by the fewest instructions from `at` on.
  bool set_variables(std::uint32_t& at, std::span<outcome> outcomes, std::uint32_t condition) {
    is_tested_ = false;
    for (;; ++at) {
      bool done = true;
      for (const outcome& o : outcomes) done = done && o.sets.empty();
      if (done) return true;
      if (at >= code_.instructions.size() || !set_one(at, outcomes, condition)) return false;
    }
  }

  // A branch under the condition: taken where its register has the value `taken_if`, to `to`. A changed branch is no
  // longer uniform, since other threads may come together there.
  bool is_branch(std::uint32_t at, std::uint32_t condition, std::string_view opcode, bool& taken_if,
                 std::uint32_t& to) {
    if (at >= code_.instructions.size()) return false;
    const instruction& i = code_.instructions[at];
    if (i.opcode != (is_changed ? std::string_view("bra") : opcode)) return false;
    if (i.guard == no_index || !bind(condition, i.guard)) return false;
    taken_if = !i.guard_negated;
    to = code_.labels[code_.operands_of(i)[0].index].instruction;
    return true;
  }
  // A table of so many entries; `to` gets where they lead.
  bool is_table(std::uint32_t at, const instruction& old, std::uint32_t entries, std::vector<std::uint32_t>& to) {
    if (at >= code_.instructions.size()) return false;
    const instruction& now = code_.instructions[at];
    if (now.opcode != (is_changed ? without_uni(old.opcode) : std::string_view(old.opcode))) return false;
    if (now.num_operands != 2 || !has_same_guard(old, now)) return false;
    const operand* o = code_.operands_of(now).data();
    if (!are_same(text_.operands_of(old).first(1), code_.operands_of(now).first(1))) return false;
    const branch_table& table = code_.branch_tables[o[1].index];
    for (const std::uint32_t label : table.targets) to.push_back(code_.labels[label].instruction);
    return to.size() == entries;
  }

  bool is_changed = true;  // the plan changes something: threads of another branch may be there

 private:
  static std::string_view without_uni(std::string_view opcode) {
    if (opcode.ends_with(".uni")) opcode.remove_suffix(4);
    return opcode;
  }
  [[nodiscard]] const operand* operands(std::uint32_t at, std::string_view opcode, std::uint32_t count) const {
    if (at >= code_.instructions.size()) return nullptr;
    const instruction& i = code_.instructions[at];
    return i.opcode == opcode && i.num_operands == count ? code_.operands.data() + i.first_operand : nullptr;
  }
  [[nodiscard]] std::uint32_t guard_of(std::uint32_t at) const { return code_.instructions[at].guard; }
  static bool is_number(const operand& o, std::uint64_t n) { return o.kind == operand_kind::integer && o.bits == n; }
  // A register of the code, for one of the numbers above.
  bool is_register(const operand& o, std::uint32_t number) {
    return o.kind == operand_kind::reg && !o.negated && o.second == no_index && bind(number, o.index);
  }

  // True if a register of the code stands for a number; nothing else stands for it, and it stands for nothing else.
  bool bind(std::uint32_t number, std::uint32_t reg) {
    if (known_[number] == no_index && owner_[reg] == no_index) {
      if (number < text_.registers.size() && text_.registers[number].type != code_.registers[reg].type) return false;
      known_[number] = reg;
      owner_[reg] = number;
    }
    return known_[number] == reg;
  }
  bool has_same_guard(const instruction& old, const instruction& now) {
    if ((old.guard == no_index) != (now.guard == no_index) || old.guard_negated != now.guard_negated) return false;
    return old.guard == no_index || bind(old.guard, now.guard);
  }

  bool are_same(std::span<const operand> old, std::span<const operand> now) {
    if (old.size() != now.size()) return false;
    for (std::size_t k = 0; k < old.size(); ++k)
      if (!is_same_operand(old[k], now[k])) return false;
    return true;
  }
  bool is_same_operand(const operand& old, const operand& now) {
    if (!is_same_part(old, now)) return false;
    const auto a = text_.elements_of(old), b = code_.elements_of(now);
    if (a.size() != b.size()) return false;
    for (std::size_t k = 0; k < a.size(); ++k) {  // elements of elements are not nested deeper
      if (!is_same_part(a[k], b[k])) return false;
      const auto c = text_.elements_of(a[k]), d = code_.elements_of(b[k]);
      if (c.size() != d.size()) return false;
      for (std::size_t m = 0; m < c.size(); ++m)
        if (!is_same_part(c[m], d[m])) return false;
    }
    return true;
  }
  // But for elements.
  bool is_same_part(const operand& old, const operand& now) {
    if (old.kind != now.kind || old.base != now.base || old.negated != now.negated || old.count != now.count ||
        old.bits != now.bits || (old.second == no_index) != (now.second == no_index))
      return false;
    if ((old.selector == no_index) != (now.selector == no_index)) return false;
    if (old.selector != no_index && text_.names[old.selector] != code_.names[now.selector]) return false;
    if (old.second != no_index && !bind(old.second, now.second)) return false;
    switch (old.kind == operand_kind::address ? old.base : old.kind) {
      case operand_kind::reg:
        return bind(old.index, now.index);
      case operand_kind::unknown:
        return text_.names[old.index] == code_.names[now.index];
      case operand_kind::vector:
      case operand_kind::list:
      case operand_kind::texture:
      case operand_kind::label:
      case operand_kind::branch_table:
        return true;
      default:
        return old.index == now.index;
    }
  }

  // The value of a register in an outcome. \returns false if it is not known.
  bool value_of(std::uint32_t reg, const outcome& o, std::uint32_t condition, bool& value) {
    if (condition != no_index && (owner_[reg] == condition || (owner_[reg] == no_index && reg != known_[pass()])) &&
        bind(condition, reg)) {
      value = o.holds;
      return true;
    }
    value = o.passes;
    return owner_[reg] == pass() && is_tested_;
  }

  bool set_one(std::uint32_t at, std::span<outcome> outcomes, std::uint32_t condition) {
    const instruction& i = code_.instructions[at];
    if (const operand* o = operands(at, "setp.eq.u32", 3); o != nullptr && i.guard == no_index)
      return test_index(o, outcomes, no_index, condition);
    if (const operand* o = operands(at, "setp.eq.and.u32", 4); o != nullptr && i.guard == no_index)
      return test_index(o, outcomes, 3, condition);
    const operand *moved = operands(at, "mov.u32", 2), *selected = operands(at, "selp.u32", 4);
    const operand* o = moved != nullptr ? moved : selected;
    if (o == nullptr || o[0].kind != operand_kind::reg || o[1].kind != operand_kind::integer) return false;
    if (selected != nullptr && (i.guard != no_index || o[2].kind != operand_kind::integer)) return false;
    bool any = false;
    for (outcome& x : outcomes) {
      bool value = true;
      const std::uint32_t reg = selected != nullptr ? o[3].index : i.guard;
      if (reg != no_index && !value_of(reg, x, condition, value)) return false;
      if (moved != nullptr && i.guard != no_index && value == i.guard_negated) continue;
      any = true;
      if (!takes(x, o[0].index, selected != nullptr && !value ? o[2].bits : o[1].bits)) return false;
    }
    return any;
  }
  // An outcome has still to set the variable that a register stands for.
  bool takes(outcome& x, std::uint32_t reg, std::uint64_t value) {
    for (std::size_t k = 0; k < x.sets.size(); ++k) {
      const std::uint32_t number = variable(x.sets[k].variable);
      if (x.sets[k].value != value || (owner_[reg] == no_index && known_[number] != no_index)) continue;
      if (owner_[reg] != no_index ? owner_[reg] != number : !bind(number, reg)) continue;
      x.sets.erase(x.sets.begin() + static_cast<std::ptrdiff_t>(k));
      return true;
    }
    return false;
  }
  // pass() = the index of the table is k [and its guard holds].
  bool test_index(const operand* o, std::span<outcome> outcomes, std::uint32_t guard, std::uint32_t condition) {
    if (!is_register(o[0], pass()) || !is_same_operand(index_, o[1]) || o[2].kind != operand_kind::integer)
      return false;
    if ((guard == no_index) != (condition == no_index)) return false;
    if (guard != no_index && (o[guard].kind != operand_kind::reg || !bind(condition, o[guard].index))) return false;
    for (outcome& x : outcomes) {
      x.passes = x.index == o[2].bits;
      if (guard != no_index && x.index != no_index && o[guard].negated == x.holds) return false;
    }
    is_tested_ = true;
    return true;
  }

  const function& text_;
  const function& code_;
  std::vector<std::uint32_t> known_;  // by number: the register of the code
  std::vector<std::uint32_t> owner_;  // by register of the code: its number
  std::vector<std::uint32_t> zero_;   // registers that are zero at the beginning
  operand index_;
  bool is_tested_ = false;  // pass() tells the index of a table
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
