// SPDX-License-Identifier: BSL-1.0
//
// Whether a kernel makes sense: instructions that exist and are supported, operands that fit them, names that are
// declared, branches that go somewhere. All findings of a kernel come back at once, each with its line and column.
//
// Operand sizes follow the ISA's table "Operand Size Exceeding Instruction-Type Size": a register fits an instruction
// type of its own size if both are integers, both floating point, or one of them is untyped bits; integer registers
// wider than the type are allowed in ld, st and cvt only.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "Type Checking" and "Operand Size Exceeding
// Instruction-Type Size".
#pragma once

#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/module.hpp>
#include <simtflow/ptx/opcode.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace simtflow {
inline namespace v0 {
namespace ptx {

namespace detail {

/// What an operand is to its instruction.
enum class role : std::uint8_t { result, result_predicate, source, predicate, address, data, target, barrier };

struct expected_operand {
  role what = role::source;
  scalar_type type = scalar_type::none;
  bool relaxed = false;  // wider integer registers fit
};

struct signature {
  expected_operand at[6];
  std::uint32_t count = 0;
  void add(role what, scalar_type type, bool relaxed = false) { at[count++] = {what, type, relaxed}; }
};

constexpr scalar_type twice(scalar_type t) {
  switch (t) {
    case scalar_type::u16:
      return scalar_type::u32;
    case scalar_type::s16:
      return scalar_type::s32;
    case scalar_type::u32:
      return scalar_type::u64;
    default:
      return scalar_type::s64;
  }
}

/// The operands an operation has, in order.
inline signature signature_of(const operation& o, std::uint32_t given) {
  signature s;
  const scalar_type u32 = scalar_type::u32;
  const auto sources = [&](std::uint32_t n) {
    for (std::uint32_t i = 0; i < n; ++i) s.add(role::source, o.type);
  };
  switch (o.name) {
    case mnemonic::add:
    case mnemonic::sub:
    case mnemonic::div:
    case mnemonic::rem:
    case mnemonic::and_:
    case mnemonic::or_:
    case mnemonic::xor_:
    case mnemonic::min:
    case mnemonic::max:
    case mnemonic::copysign:
    case mnemonic::mul24:
      s.add(role::result, o.type);
      sources(2);
      break;
    case mnemonic::mul:
      s.add(role::result, o.part == product_part::wide ? twice(o.type) : o.type);
      sources(2);
      break;
    case mnemonic::mad:
      s.add(role::result, o.part == product_part::wide ? twice(o.type) : o.type);
      sources(2);
      s.add(role::source, o.part == product_part::wide ? twice(o.type) : o.type);
      break;
    case mnemonic::mad24:
    case mnemonic::fma:
    case mnemonic::sad:
      s.add(role::result, o.type);
      sources(3);
      break;
    case mnemonic::prmt:
      s.add(role::result, o.type);
      sources(3);
      break;
    case mnemonic::neg:
    case mnemonic::abs:
    case mnemonic::not_:
    case mnemonic::cnot:
    case mnemonic::mov:
    case mnemonic::rcp:
    case mnemonic::sqrt:
    case mnemonic::rsqrt:
    case mnemonic::ex2:
    case mnemonic::lg2:
    case mnemonic::sin:
    case mnemonic::cos:
    case mnemonic::tanh:
    case mnemonic::brev:
    case mnemonic::cvta:
      s.add(role::result, o.type);
      sources(1);
      break;
    case mnemonic::shl:
    case mnemonic::shr:
      s.add(role::result, o.type);
      sources(1);
      s.add(role::source, u32);
      break;
    case mnemonic::shf:
      s.add(role::result, o.type);
      sources(2);
      s.add(role::source, u32);
      break;
    case mnemonic::lop3:
      s.add(role::result, o.type);
      sources(3);
      s.add(role::source, u32);
      break;
    case mnemonic::setp:
      s.add(role::result_predicate, scalar_type::pred);
      sources(2);
      if (o.combine != boolean_op::none) s.add(role::predicate, scalar_type::pred);
      break;
    case mnemonic::set:
      s.add(role::result, o.type);
      s.add(role::source, o.source);
      s.add(role::source, o.source);
      if (o.combine != boolean_op::none) s.add(role::predicate, scalar_type::pred);
      break;
    case mnemonic::selp:
      s.add(role::result, o.type);
      sources(2);
      s.add(role::predicate, scalar_type::pred);
      break;
    case mnemonic::slct:
      s.add(role::result, o.type);
      sources(2);
      s.add(role::source, o.source);
      break;
    case mnemonic::cvt:
      s.add(role::result, o.type, true);
      s.add(role::source, o.source, true);
      break;
    case mnemonic::clz:
    case mnemonic::popc:
    case mnemonic::bfind:
      s.add(role::result, u32);
      sources(1);
      break;
    case mnemonic::bfe:
      s.add(role::result, o.type);
      sources(1);
      s.add(role::source, u32);
      s.add(role::source, u32);
      break;
    case mnemonic::bfi:
      s.add(role::result, o.type);
      sources(2);
      s.add(role::source, u32);
      s.add(role::source, u32);
      break;
    case mnemonic::ld:
      s.add(role::data, o.type, true);
      s.add(role::address, o.type);
      break;
    case mnemonic::st:
      s.add(role::address, o.type);
      s.add(role::data, o.type, true);
      break;
    case mnemonic::atom:
      s.add(role::result, o.type);
      s.add(role::address, o.type);
      sources(o.atomic == atomic_op::cas ? 2 : 1);
      break;
    case mnemonic::red:
      s.add(role::address, o.type);
      sources(1);
      break;
    case mnemonic::bar:
      for (std::uint32_t i = 0; i < given && i < 2; ++i) s.add(role::barrier, u32);
      break;
    case mnemonic::bra:
      s.add(role::target, scalar_type::none);
      break;
    default:
      break;
  }
  return s;
}

class verifier {
 public:
  verifier(const module& m, const kernel& k) : module_(m), kernel_(k) {}

  diagnostics run() {
    for (const instruction& i : kernel_.instructions) {
      check(i);
      if (found_.size() >= max_diagnostics) return std::move(found_);
    }
    check_end();
    return std::move(found_);
  }

 private:
  void fail(position where, std::string message) { add_finding(found_, where, std::move(message)); }
  static std::string type_name(scalar_type t) { return std::string(1, '.').append(info(t).name); }
  static std::string plural(std::uint32_t n) { return std::to_string(n) + (n == 1 ? " operand" : " operands"); }

  void check(const instruction& i) {
    if (i.guard != no_index && kernel_.registers[i.guard].type != scalar_type::pred)
      fail(i.guard_where, "the guard '" + kernel_.registers[i.guard].name + "' is " +
                              type_name(kernel_.registers[i.guard].type) + ", not .pred");
    const operation_result r = parse_operation(i.opcode);
    if (!r.ok()) {
      fail(i.where, r.problem);
      return;
    }
    const operation& o = r.value;
    const signature s = signature_of(o, i.num_operands);
    const operand_range range = operand_count(i.opcode);
    if (i.num_operands != s.count || i.num_operands < range.least || i.num_operands > range.most) {
      const std::uint32_t wanted = o.name == mnemonic::bar ? 1 : s.count;
      fail(i.where, "'" + i.opcode + "' takes " + plural(wanted) + ", not " + std::to_string(i.num_operands));
      return;
    }
    if (o.name == mnemonic::bar) {
      barrier(i);
      return;
    }
    const auto operands = kernel_.operands_of(i);
    if (o.name == mnemonic::mov && move_of_vector(i, o, operands)) return;
    for (std::uint32_t n = 0; n < s.count; ++n) {
      const operand& given = operands[n];
      const expected_operand& wanted = s.at[n];
      if (given.kind == operand_kind::unknown) {
        fail(given.where, std::string(wanted.what == role::target ? "unknown label '" : "unknown name '") +
                              kernel_.names[given.index] + "'");
        continue;
      }
      one_operand(i, o, given, wanted);
    }
  }

  void one_operand(const instruction& i, const operation& o, const operand& given, const expected_operand& wanted) {
    if (given.negated && wanted.what != role::predicate &&
        !(wanted.what == role::source && wanted.type == scalar_type::pred)) {
      fail(given.where, "'!' belongs to a predicate");
      return;
    }
    if (given.second != no_index && wanted.what != role::result_predicate) {
      fail(given.where, "'p|q' belongs to the result of setp");
      return;
    }
    switch (wanted.what) {
      case role::result:
        if (given.kind == operand_kind::sink && (o.name == mnemonic::atom)) return;
        if (given.kind != operand_kind::reg)
          fail(given.where, "the result of '" + i.opcode + "' goes to a register");
        else
          fits(i, given, wanted);
        return;
      case role::result_predicate:
        if (given.kind != operand_kind::reg && !(given.kind == operand_kind::sink && given.second != no_index)) {
          fail(given.where, "the result of '" + i.opcode + "' goes to a predicate");
          return;
        }
        if (given.kind == operand_kind::reg) fits(i, given, wanted);
        if (given.second != no_index && kernel_.registers[given.second].type != scalar_type::pred)
          fail(given.where, "'" + kernel_.registers[given.second].name + "' is not .pred");
        return;
      case role::predicate:
        if (given.kind != operand_kind::reg)
          fail(given.where, "'" + i.opcode + "' takes a predicate here");
        else
          fits(i, given, wanted);
        return;
      case role::target:
        if (given.kind != operand_kind::label) fail(given.where, "'" + i.opcode + "' goes to a label");
        return;
      case role::address:
        address(i, o, given);
        return;
      case role::data:
        data(i, o, given, wanted);
        return;
      case role::source:
        source(i, o, given, wanted);
        return;
      case role::barrier:
        return;
    }
  }

  bool fits(const instruction& i, const operand& given, const expected_operand& wanted) {
    const register_info& reg = kernel_.registers[given.index];
    const scalar_info r = info(reg.type);
    const scalar_info t = info(wanted.type);
    bool ok = false;
    if (r.kind == type_class::predicate || t.kind == type_class::predicate) {
      ok = r.kind == t.kind;
    } else {
      const bool r_float = r.kind == type_class::floating;
      const bool t_float = t.kind == type_class::floating;
      const bool same_kind = r.kind == type_class::bits || t.kind == type_class::bits || r_float == t_float;
      const bool wider = wanted.relaxed && !t_float && !r_float && r.size > t.size && r.size <= 8;  // .b128 has no slot
      ok = same_kind && (r.size == t.size || wider);
    }
    if (!ok)
      fail(given.where, "register '" + reg.name + "' is " + type_name(reg.type) + ", but '" + i.opcode + "' takes " +
                            type_name(wanted.type) + " here");
    return ok;
  }

  void source(const instruction& i, const operation& o, const operand& given, const expected_operand& wanted) {
    const scalar_info t = info(wanted.type);
    switch (given.kind) {
      case operand_kind::reg:
        fits(i, given, wanted);
        return;
      case operand_kind::integer:
        if (t.kind == type_class::floating)
          fail(given.where, "an integer constant where '" + i.opcode + "' takes " + type_name(wanted.type));
        return;
      case operand_kind::single:
      case operand_kind::real:
        // Untyped bits take the constant of their own size.
        if (t.kind != type_class::floating &&
            !(t.kind == type_class::bits && t.size == (given.kind == operand_kind::single ? 4U : 8U)))
          fail(given.where, "a floating-point constant where '" + i.opcode + "' takes " + type_name(wanted.type));
        return;
      case operand_kind::special:
        // Old PTX reads the 32-bit registers as 16 bits.
        if (t.kind == type_class::floating || t.kind == type_class::predicate || t.size < 2 || t.size > 4)
          fail(given.where,
               "a special register is .u32, but '" + i.opcode + "' takes " + type_name(wanted.type) + " here");
        return;
      case operand_kind::variable:
      case operand_kind::module_variable:
      case operand_kind::parameter: {
        if (o.name != mnemonic::mov && o.name != mnemonic::cvta) {
          fail(given.where, "the address of a variable is taken with mov or cvta, not '" + i.opcode + "'");
          return;
        }
        const variable& v = variable_of(given.kind, given.index);
        const bool narrow = t.size == 4 && (kernel_.address_size == 32 || v.space != state_space::global);
        if (t.kind == type_class::floating || t.kind == type_class::predicate || !(t.size == 8 || narrow))
          fail(given.where, "the address of '" + v.name + "' does not fit " + type_name(wanted.type));
        if (o.name == mnemonic::cvta && v.space != o.space)
          fail(given.where, "'" + v.name + "' is in ." + std::string(name_of(v.space)) + " memory");
        return;
      }
      default:
        fail(given.where, "'" + i.opcode + "' takes a register or a constant here");
        return;
    }
  }

  const variable& variable_of(operand_kind kind, std::uint32_t index) const {
    return kind == operand_kind::variable          ? kernel_.variables[index]
           : kind == operand_kind::module_variable ? module_.variables[index]
                                                   : kernel_.parameters[index];
  }

  void address(const instruction& i, const operation& o, const operand& given) {
    if (given.kind != operand_kind::address) {
      fail(given.where, "'" + i.opcode + "' takes an address in brackets here");
      return;
    }
    switch (given.base) {
      case operand_kind::unknown:
        fail(given.where, "unknown name '" + kernel_.names[given.index] + "'");
        return;
      case operand_kind::reg: {
        const register_info& reg = kernel_.registers[given.index];
        const scalar_info r = info(reg.type);
        if ((r.size != 4 && r.size != 8) || r.kind == type_class::floating)
          fail(given.where, "register '" + reg.name + "' is " + type_name(reg.type) + ": no address");
        return;
      }
      case operand_kind::variable:
      case operand_kind::module_variable:
      case operand_kind::parameter: {
        const variable& v = variable_of(given.base, given.index);
        const bool in_call = v.space == state_space::param && given.base != operand_kind::parameter;
        if (in_call) {
          fail(given.where, "parameter '" + v.name + "' of a call: calls are not supported");
          return;
        }
        const bool generic_ok =
            o.space == state_space::generic && (v.space == state_space::global || v.space == state_space::constant);
        if (v.space != o.space && !generic_ok) {
          fail(given.where, "'" + v.name + "' is in ." + std::string(name_of(v.space)) + " memory, not in ." +
                                std::string(name_of(o.space)));
          return;
        }
        const std::uint64_t size = std::uint64_t{info(o.type).size} * o.width;
        if (v.space == state_space::param && (given.bits > v.size || v.size - given.bits < size))
          fail(given.where, "bytes " + std::to_string(static_cast<std::int64_t>(given.bits)) + " to " +
                                std::to_string(static_cast<std::int64_t>(given.bits + size - 1)) +
                                " lie outside parameter '" + v.name + "' of " + std::to_string(v.size) + " bytes");
        else if (v.space == state_space::param && given.bits % size != 0)
          fail(given.where, "offset " + std::to_string(given.bits) + " in parameter '" + v.name +
                                "' is not a multiple of " + std::to_string(size));
        return;
      }
      case operand_kind::integer:
        return;
      default:
        fail(given.where, "'" + i.opcode + "' cannot take its address from here");
        return;
    }
  }

  void data(const instruction& i, const operation& o, const operand& given, const expected_operand& wanted) {
    const bool store = o.name == mnemonic::st;
    if (o.width == 1 && given.kind != operand_kind::vector) {
      if (store)
        source(i, o, given, wanted);
      else if (given.kind != operand_kind::reg)
        fail(given.where, "the result of '" + i.opcode + "' goes to a register");
      else
        fits(i, given, wanted);
      return;
    }
    if (given.kind != operand_kind::vector || given.count != o.width) {
      fail(given.where, "'" + i.opcode + "' takes " +
                            (o.width == 1 ? std::string("one register") : "a vector of " + std::to_string(o.width)) +
                            " here");
      return;
    }
    for (const operand& e : kernel_.elements_of(given)) element(i, o, e, wanted, store);
  }

  void element(const instruction& i, const operation& o, const operand& e, const expected_operand& wanted, bool read) {
    if (e.kind == operand_kind::unknown)
      fail(e.where, "unknown name '" + kernel_.names[e.index] + "'");
    else if (e.kind == operand_kind::sink && !read)
      return;
    else if (e.negated || e.second != no_index)
      fail(e.where, "a vector holds registers");
    else if (read)
      source(i, o, e, wanted);
    else if (e.kind != operand_kind::reg)
      fail(e.where, "a vector that is written holds registers");
    else
      fits(i, e, wanted);
  }

  /// mov.b64 %rd, {%r1, %r2} and the other way round. Returns whether it was one.
  bool move_of_vector(const instruction& i, const operation& o, std::span<const operand> operands) {
    const bool pack = operands[1].kind == operand_kind::vector;
    const bool unpack = operands[0].kind == operand_kind::vector;
    if (!pack && !unpack) return false;
    const operand& vector = pack ? operands[1] : operands[0];
    const operand& whole = pack ? operands[0] : operands[1];
    const std::uint32_t size = info(o.type).size;
    if ((pack && unpack) || info(o.type).kind != type_class::bits || (vector.count != 2 && vector.count != 4) ||
        size / vector.count < 2) {
      fail(vector.where, "'" + i.opcode + "' does not take this vector");
      return true;
    }
    const std::uint32_t part = size / vector.count;
    const scalar_type t = part == 2 ? scalar_type::b16 : scalar_type::b32;
    for (const operand& e : kernel_.elements_of(vector)) element(i, o, e, {role::source, t, false}, pack);
    if (whole.kind == operand_kind::unknown)
      fail(whole.where, "unknown name '" + kernel_.names[whole.index] + "'");
    else
      one_operand(i, o, whole, {pack ? role::result : role::source, o.type, false});
    return true;
  }

  void barrier(const instruction& i) {
    const auto operands = kernel_.operands_of(i);
    if (i.guard != no_index) fail(i.where, "unsupported instruction '" + i.opcode + "' under a guard");
    if (operands.size() > 1)
      fail(operands[1].where, "unsupported instruction '" + i.opcode + "' with a number of threads");
    else if (operands[0].kind != operand_kind::integer)
      fail(operands[0].where, "unsupported instruction '" + i.opcode + "': only barrier 0, as a constant");
    else if (operands[0].bits != 0)
      fail(operands[0].where, "unsupported instruction '" + i.opcode + "': only barrier 0");
  }

  void check_end() {
    bool ends = false;
    if (!kernel_.instructions.empty()) {
      const instruction& last = kernel_.instructions.back();
      const std::string_view head = std::string_view(last.opcode).substr(0, last.opcode.find('.'));
      ends = last.guard == no_index && (head == "exit" || head == "ret" || head == "bra" || head == "trap");
    }
    if (!ends) {
      fail(kernel_.end, "kernel '" + kernel_.name + "' runs off its end: its last instruction is no exit, ret or bra");
      return;
    }
    // A branch to a label behind the last instruction does the same.
    for (const instruction& i : kernel_.instructions)
      for (const operand& o : kernel_.operands_of(i))
        if (o.kind == operand_kind::label && kernel_.labels[o.index].instruction == kernel_.instructions.size())
          fail(o.where, "label '" + kernel_.labels[o.index].name + "' stands behind the last instruction");
  }

  const module& module_;
  const kernel& kernel_;
  diagnostics found_;
};

}  // namespace detail

/// Every finding about one kernel of a module, in the order of the text; none if it can be decoded and run.
/// \pre k is a kernel of m. Complexity: linear.
[[nodiscard]] inline diagnostics verify(const module& m, const kernel& k) { return detail::verifier(m, k).run(); }

/// The findings about all kernels of a module, together. An empty module has none.
[[nodiscard]] inline diagnostics verify(const module& m) {
  diagnostics all;
  for (const kernel& k : m.kernels)
    for (diagnostic& d : verify(m, k)) {
      if (all.size() >= max_diagnostics) return all;
      all.push_back(std::move(d));
    }
  return all;
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
