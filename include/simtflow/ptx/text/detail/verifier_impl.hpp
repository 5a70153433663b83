// SPDX-License-Identifier: BSL-1.0
//
// The implementation of text/verifier.hpp.
#pragma once

#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/opcode.hpp>
#include <simtflow/ptx/text/signature.hpp>
#include <simtflow/ptx/text/verifier.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

namespace detail {

class verifier {
 public:
  verifier(const module& m, const function& f)
      : module_(m), function_(f), architecture_(architecture_of(m.target)), version_(version_number(m.version)) {}

  /// The operations of the function are appended to `operations`; they mean something if nothing is wrong.
  diagnostics run(std::vector<operation>& operations) {
    if (function_.max_threads[0] != 0 && function_.required_threads[0] != 0)
      fail(function_.where, kind() + " has both .maxntid and .reqntid");
    if (function_.is_entry)
      for (const variable& v : function_.parameters)
        if (v.is_open_array()) fail(v.where, "a parameter of a kernel is an array without a size");
    flow_.assign(function_.instructions.size(), flow::on);
    for (std::size_t i = 0; i < function_.instructions.size(); ++i) {
      check_instruction(function_.instructions[i], flow_[i], operations);
      if (found_.size() >= max_diagnostics) return std::move(found_);
    }
    check_end();
    return std::move(found_);
  }

 private:
  /// What a parameter without a size has at most.
  static constexpr std::uint64_t max_rest = std::uint64_t{512} << 10;

  /// Where an instruction goes: on to the next one, to a label, through a table, nowhere. A guard keeps the next one.
  enum class flow : std::uint8_t { on, branch, table, stop };

  std::string kind() const {
    return std::string(function_.is_entry ? "kernel '" : "function '").append(function_.name).append(1, '\'');
  }
  void fail(position where, std::string message) { add_finding(found_, where, std::move(message)); }
  static std::string type_name(scalar_type t) { return std::string(1, '.').append(info(t).name); }
  static std::string plural(std::uint32_t n) { return std::to_string(n) + (n == 1 ? " operand" : " operands"); }

  void check_instruction(const instruction& i, flow& goes, std::vector<operation>& operations) {
    if (i.guard != no_index && function_.registers[i.guard].type != scalar_type::pred)
      fail(i.guard_where, "the guard '" + function_.registers[i.guard].name + "' is " +
                              type_name(function_.registers[i.guard].type) + ", not .pred");
    result<operation> parsed = parse_operation(i.opcode);
    if (!parsed) {
      operations.emplace_back();
      fail(i.where, std::move(std::move(parsed).diagnostics().front().message));
      return;
    }
    operations.push_back(*parsed);
    const operation& o = *parsed;
    const auto operands = function_.operands_of(i);
    target(i, o);
    switch (o.name) {
      case mnemonic::bra:
        goes = flow::branch;
        break;
      case mnemonic::exit:
      case mnemonic::ret:
      case mnemonic::trap:
        goes = flow::stop;
        break;
      case mnemonic::brx:
        goes = flow::table;
        table_branch(i, operands);
        break;
      case mnemonic::call:
        if (call(i, operands)) goes = flow::stop;
        break;
      default:
        break;
    }
    if (o.name == mnemonic::call || o.name == mnemonic::brx) return;
    const signature s = signature_of(o, i.num_operands);
    const operand_range range = operand_count(o);
    if (i.num_operands != s.count || i.num_operands < range.least || i.num_operands > range.most) {
      const std::uint32_t wanted = i.num_operands < range.least  ? range.least
                                   : i.num_operands > range.most ? range.most
                                                                 : s.count;
      wrong_number(i, wanted);
      return;
    }
    if (o.name == mnemonic::mov && o.width == 1 && move_of_vector(i, o, operands)) return;
    for (std::uint32_t n = 0; n < s.count; ++n) {
      const operand& given = operands[n];
      const expected_operand& wanted = s.at[n];
      if (given.kind == operand_kind::unknown) {
        fail(given.where, std::string(wanted.what == role::target ? "unknown label '" : "unknown name '") +
                              function_.names[given.index] + "'");
        continue;
      }
      if (o.name == mnemonic::cp_async) {
        copied(i, o, n, given, wanted);
        continue;
      }
      one_operand(i, o, given, wanted);
    }
    if (o.name == mnemonic::bar) barrier_number(operands, o.barrier == barrier_op::red ? 1 : 0);
    if (o.name == mnemonic::createpolicy) policy(i, operands);
    if (o.name == mnemonic::nop) hint(i, operands);
    if (is_video(o)) video(i, o, operands);
    if (o.name != mnemonic::cp_async) return;
    if (operands.size() < 3)
      wrong_number(i, 3);
    else
      copied_bytes(i, operands[2]);
  }

  /// Checks what an instruction needs from the target and the PTX version, where these decide what it means or whether
  /// it exists at all.
  void target(const instruction& i, const operation& o) {
    const bool votes = o.name == mnemonic::shfl || o.name == mnemonic::vote;
    if (votes && !o.sync && architecture_.number >= 70 && version_ >= 604)
      fail(i.where, "'" + i.opcode + "' needs .sync: for " + module_.target + " and PTX " + module_.version +
                        " there is no form without it");
    if (o.name == mnemonic::createpolicy && (architecture_.number < 80 || version_ < 704))
      fail(i.where, "'" + i.opcode + "' needs sm_80 and PTX 7.4");
    const bool registers = opcode_head(i) == "setmaxnreg";
    if (registers && (architecture_.number < 90 || !architecture_.specific || version_ < 800))
      fail(i.where, "'" + i.opcode + "' needs a target like sm_90a, and PTX 8.0");
  }

  /// "sm_90a": number 90; specific, because the target is one architecture or its family.
  struct architecture {
    std::uint32_t number = 0;
    bool specific = false;
  };
  static architecture architecture_of(std::string_view target) {
    architecture a;
    if (target.substr(0, 3) != "sm_") return a;
    std::size_t at = 3;
    for (; at < target.size() && target[at] >= '0' && target[at] <= '9' && at < 9; ++at)
      a.number = 10 * a.number + static_cast<std::uint32_t>(target[at] - '0');
    a.specific = at < target.size();
    return a;
  }
  /// "6.4": 604.
  static std::uint32_t version_number(std::string_view version) {
    std::uint32_t parts[2] = {};
    std::size_t part = 0;
    for (const char c : version.substr(0, 8)) {
      if (c == '.' && part == 0)
        part = 1;
      else if (c >= '0' && c <= '9' && parts[part] < 100)
        parts[part] = 10 * parts[part] + static_cast<std::uint32_t>(c - '0');
    }
    return 100 * parts[0] + parts[1];
  }

  /// Checks the fraction of the accesses that a policy is for: more than 0, at most 1.
  void policy(const instruction& i, std::span<const operand> operands) {
    const bool floating = operands[0].kind == operand_kind::reg &&
                          info(function_.registers[operands[0].index].type).kind == type_class::floating;
    if (floating) fail(operands[0].where, "'" + i.opcode + "' makes 64 bits, no number");
    if (operands.size() != 2) return;
    const operand& o = operands[1];
    const bool single = o.kind == operand_kind::single;
    if (!single && o.kind != operand_kind::real) return;
    const double fraction =
        single ? std::bit_cast<float>(static_cast<std::uint32_t>(o.bits)) : std::bit_cast<double>(o.bits);
    if (!(fraction > 0 && fraction <= 1)) fail(o.where, "a fraction is more than 0 and at most 1");
  }
  /// Checks pmevent and setmaxnreg, which take literals.
  void hint(const instruction& i, std::span<const operand> operands) {
    if (operands.empty()) return;
    const operand& o = operands[0];
    if (o.kind != operand_kind::integer) {
      fail(o.where, "'" + i.opcode + "' takes an integer constant");
      return;
    }
    if (opcode_head(i) == "setmaxnreg" && (o.bits < 24 || o.bits > 256 || o.bits % 8 != 0))
      fail(o.where, "'" + i.opcode + "' takes a multiple of 8 from 24 to 256");
  }

  /// What selectors and signs of a video instruction must agree on.
  void video(const instruction& i, const operation& o, std::span<const operand> operands) {
    if (o.name == mnemonic::vmad) {
      const bool product = operands[1].negated != operands[2].negated;
      if (o.plus_one && (operands[1].negated || operands[2].negated || operands[3].negated))
        fail(i.where, "'" + i.opcode + "' takes no negated operand");
      else if (product && operands[3].negated)
        fail(operands[3].where, "'" + i.opcode + "' negates the product or what is added, not both");
      return;
    }
    const bool merges = o.width == 1 && operands[0].selector != no_index;
    if (merges && o.atomic != atomic_op::none)
      fail(operands[0].where, "'" + i.opcode + "' has a second operation, so its result is a whole register");
    else if (merges && operands.size() < 4)
      wrong_number(i, 4);
    else if (!merges && o.width == 1 && o.atomic == atomic_op::none && operands.size() > 3)
      wrong_number(i, 3);
  }

  void barrier_number(std::span<const operand> operands, std::size_t at) {
    if (at < operands.size() && operands[at].kind == operand_kind::integer && operands[at].bits > 15)
      fail(operands[at].where, "a thread block has barriers 0 to 15");
  }

  /// An operand of cp.async: to shared memory, from global memory; instead of a size, a predicate that ignores it.
  void copied(const instruction& i, operation o, std::uint32_t n, const operand& given, expected_operand wanted) {
    o.space = n == 0 ? state_space::shared : n == 1 ? state_space::global : o.space;
    const bool ignores = n == 3 && wanted.type == scalar_type::u32 && given.kind == operand_kind::reg &&
                         function_.registers[given.index].type == scalar_type::pred;
    if (ignores) wanted.type = scalar_type::pred;
    one_operand(i, o, given, wanted);
  }
  /// cp.async copies 4, 8 or 16 bytes; only .ca, through all caches, the small ones.
  void copied_bytes(const instruction& i, const operand& given) {
    const bool all = i.opcode.find(".cg") == std::string::npos;
    if (given.kind == operand_kind::integer && (given.bits == 16 || (all && (given.bits == 4 || given.bits == 8))))
      return;
    fail(given.where, "'" + i.opcode + "' copies " + (all ? "4, 8 or 16 bytes" : "16 bytes"));
  }

  void one_operand(const instruction& i, const operation& o, const operand& given, const expected_operand& wanted) {
    if (given.selector != no_index && !is_selector(wanted.selector, function_.names[given.selector])) {
      fail(given.where, "unsupported instruction '" + i.opcode + "' with part '" + function_.names[given.selector] +
                            "' of an operand");
      return;
    }
    if (given.kind == operand_kind::reg && given.bits != 0 && !takes_sum(given, wanted)) {
      fail(given.where, "'" + i.opcode + "' takes no sum of a register and a constant here");
      return;
    }
    if (given.negated && !(wanted.negatable && given.kind == operand_kind::reg) && wanted.what != role::predicate &&
        !(wanted.what == role::source && wanted.type == scalar_type::pred)) {
      fail(given.where, "'!' belongs to a predicate");
      return;
    }
    if (given.second != no_index && wanted.what != role::result_predicate &&
        wanted.what != role::result_and_predicate) {
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
      case role::result_and_predicate:
        if (given.kind != operand_kind::reg && given.kind != operand_kind::sink)
          fail(given.where, "the result of '" + i.opcode + "' goes to a register");
        else if (given.kind == operand_kind::reg)
          fits(i, given, wanted);
        if (given.second != no_index && function_.registers[given.second].type != scalar_type::pred)
          fail(given.where, "'" + function_.registers[given.second].name + "' is not .pred");
        return;
      case role::pointer: {
        const scalar_info r =
            info(given.kind == operand_kind::reg ? function_.registers[given.index].type : wanted.type);
        if (given.kind != operand_kind::reg || (r.size != 4 && r.size != 8) || r.kind == type_class::floating)
          fail(given.where, "'" + i.opcode + "' takes a register that holds an address here");
        return;
      }
      case role::result_predicate:
        if (given.kind != operand_kind::reg && !(given.kind == operand_kind::sink && given.second != no_index)) {
          fail(given.where, "the result of '" + i.opcode + "' goes to a predicate");
          return;
        }
        if (given.kind == operand_kind::reg) fits(i, given, wanted);
        if (given.second != no_index && function_.registers[given.second].type != scalar_type::pred)
          fail(given.where, "'" + function_.registers[given.second].name + "' is not .pred");
        return;
      case role::predicate:
        if (given.kind == operand_kind::integer && o.name != mnemonic::lop3) return;  // true unless it is 0
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
      case role::loaded:
      case role::stored:
        if (given.kind == operand_kind::sink && o.name == mnemonic::atom && wanted.what == role::loaded) return;
        data(i, o, given, wanted);
        return;
      case role::source:
        source(i, o, given, wanted);
        return;
    }
  }

  /// True if "register + constant" is allowed: where an integer of 16, 32 or 64 bits is read.
  bool takes_sum(const operand& given, const expected_operand& wanted) const {
    const scalar_info r = info(function_.registers[given.index].type);
    return (wanted.what == role::source || wanted.what == role::stored) && wanted.selector == selector_kind::none &&
           !given.negated && info(wanted.type).kind != type_class::floating &&
           info(wanted.type).kind != type_class::predicate && r.kind != type_class::floating &&
           (r.size == 2 || r.size == 4 || r.size == 8);
  }

  bool fits(const instruction& i, const operand& given, const expected_operand& wanted) {
    const register_info& reg = function_.registers[given.index];
    const scalar_info r = info(reg.type);
    const scalar_info t = info(wanted.type);
    bool ok = false;
    if (r.kind == type_class::predicate || t.kind == type_class::predicate) {
      ok = r.kind == t.kind;
    } else {
      // ptxas takes a register of two halves as .b32, where no single is wanted.
      const bool pair = reg.type == scalar_type::f16x2 || reg.type == scalar_type::bf16x2;
      const bool t_pair = wanted.type == scalar_type::f16x2 || wanted.type == scalar_type::bf16x2;
      const bool t_float = t.kind == type_class::floating;
      const bool r_float = r.kind == type_class::floating && (!pair || t_float);
      const bool same_kind = r.kind == type_class::bits || t.kind == type_class::bits ||
                             (r_float == t_float && (!t_float || pair == t_pair));
      const bool wider = wanted.relaxed && r.size > t.size && r.size <= 8;  // .b128 has no slot
      const bool any = r.kind == type_class::bits || t.kind == type_class::bits || (!r_float && !t_float);
      ok = (wider ? any : same_kind && r.size == t.size) && !(r_float && wanted.type == scalar_type::tf32);
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
        if (t.size == 16)
          fail(given.where, "a constant where '" + i.opcode + "' takes a register of 128 bits");
        else if (t.kind == type_class::floating)
          fail(given.where, "an integer constant where '" + i.opcode + "' takes " + type_name(wanted.type));
        return;
      case operand_kind::single:
      case operand_kind::real:
        // Untyped bits take the constant of their own size.
        if (is_half(wanted.type) ||
            (t.kind != type_class::floating &&
             !(t.kind == type_class::bits && t.size == (given.kind == operand_kind::single ? 4U : 8U))))
          fail(given.where, "a floating-point constant where '" + i.opcode + "' takes " + type_name(wanted.type));
        return;
      case operand_kind::special:
        special(i, given, wanted);
        return;
      case operand_kind::function:
        if (o.name != mnemonic::mov)
          fail(given.where, "the address of a function is taken with mov, not '" + i.opcode + "'");
        else if (!holds_code_address(t))
          fail(given.where,
               "the address of '" + module_.functions[given.index].name + "' does not fit " + type_name(wanted.type));
        return;
      case operand_kind::variable:
      case operand_kind::module_variable:
      case operand_kind::parameter:
      case operand_kind::result: {
        if (o.name != mnemonic::mov && o.name != mnemonic::cvta) {
          fail(given.where, "the address of a variable is taken with mov or cvta, not '" + i.opcode + "'");
          return;
        }
        const variable& v = variable_of(given.kind, given.index);
        if (v.space == state_space::param && function_.is_entry && given.kind != operand_kind::parameter) {
          fail(given.where, "the address of '" + v.name + "', a parameter of a call in a kernel, is not supported");
          return;
        }
        const bool narrow = t.size == 4 && (function_.address_size == 32 || v.space != state_space::global);
        if (t.kind == type_class::floating || t.kind == type_class::predicate || !(t.size == 8 || narrow))
          fail(given.where, "the address of '" + v.name + "' does not fit " + type_name(wanted.type));
        if (o.name == mnemonic::cvta && v.space != o.space)
          fail(given.where, "'" + v.name + "' is in ." + std::string(to_string(v.space)) + " memory");
        return;
      }
      default:
        fail(given.where, "'" + i.opcode + "' takes a register or a constant here");
        return;
    }
  }

  /// Old PTX with 64-bit addresses does not say so.
  bool holds_code_address(const scalar_info& t) const {
    const bool integer = t.kind != type_class::floating && t.kind != type_class::predicate;
    return integer && (t.size == 8 || (t.size == 4 && function_.address_size == 32));
  }

  void special(const instruction& i, const operand& given, const expected_operand& wanted) {
    const auto r = static_cast<special_register>(given.index);
    const scalar_info has = info(type_of(r));
    const scalar_info t = info(wanted.type);
    // Old PTX reads the first special registers as 16 bits, and %gridid as 32.
    const bool old = r <= special_register::warp_size || r == special_register::gridid;
    const bool constant = r == special_register::warp_size && t.kind != type_class::predicate;  // of any size
    const bool ok =
        constant ? t.kind != type_class::floating
        : has.kind == type_class::predicate || t.kind == type_class::predicate || t.kind == type_class::floating
            ? has.kind == t.kind
            : t.size == has.size || (old && (t.size == 2 || t.size == 4));
    if (!ok)
      fail(given.where, "a special register is " + type_name(type_of(r)) + ", but '" + i.opcode + "' takes " +
                            type_name(wanted.type) + " here");
  }

  const variable& variable_of(operand_kind kind, std::uint32_t index) const {
    return kind == operand_kind::variable          ? function_.variables[index]
           : kind == operand_kind::module_variable ? module_.variables[index]
           : kind == operand_kind::result          ? function_.results[index]
                                                   : function_.parameters[index];
  }

  void address(const instruction& i, const operation& o, const operand& given) {
    if (given.kind != operand_kind::address) {
      fail(given.where, "'" + i.opcode + "' takes an address in brackets here");
      return;
    }
    switch (given.base) {
      case operand_kind::unknown:
        fail(given.where, "unknown name '" + function_.names[given.index] + "'");
        return;
      case operand_kind::reg: {
        const register_info& reg = function_.registers[given.index];
        const scalar_info r = info(reg.type);
        if ((r.size != 4 && r.size != 8) || r.kind == type_class::floating)
          fail(given.where, "register '" + reg.name + "' is " + type_name(reg.type) + ": no address");
        return;
      }
      case operand_kind::variable:
      case operand_kind::module_variable:
      case operand_kind::parameter:
      case operand_kind::result: {
        const variable& v = variable_of(given.base, given.index);
        if (given.base == operand_kind::parameter && o.name != mnemonic::ld && v.space == o.space) {
          fail(given.where, "parameter '" + v.name + "' is only read, not written");
          return;
        }
        if (given.base == operand_kind::result && o.name == mnemonic::ld && v.space == o.space) {
          fail(given.where, "result '" + v.name + "' is only written, not read");
          return;
        }
        // The name says which memory is meant, also for an instruction that accepts any memory. Constants have no
        // generic address.
        const bool generic_ok =
            o.space == state_space::generic && v.space != state_space::param && v.space != state_space::constant;
        if (v.space != o.space && !generic_ok) {
          fail(given.where, "'" + v.name + "' is in ." + std::string(to_string(v.space)) + " memory, not in ." +
                                std::string(to_string(o.space)));
          return;
        }
        const std::uint64_t size = std::uint64_t{info(o.type).size} * o.width;
        // A kernel may read past the end of a parameter: what lies there is known only when it runs.
        const bool past = function_.is_entry && given.bits >= v.size;
        const bool any = given.base == operand_kind::parameter && (v.is_open_array() || past) && given.bits < max_rest;
        if (v.space == state_space::param && !any && (given.bits > v.size || v.size - given.bits < size))
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
    const bool store = wanted.what == role::stored;
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
    for (const operand& e : function_.elements_of(given)) element(i, o, e, wanted, store);
  }

  void element(const instruction& i, const operation& o, const operand& e, const expected_operand& wanted, bool read) {
    if (e.kind == operand_kind::unknown)
      fail(e.where, "unknown name '" + function_.names[e.index] + "'");
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
    const scalar_type t = part == 2 ? scalar_type::b16 : part == 4 ? scalar_type::b32 : scalar_type::b64;
    for (const operand& e : function_.elements_of(vector)) element(i, o, e, {role::source, t, false}, pack);
    if (whole.kind == operand_kind::unknown)
      fail(whole.where, "unknown name '" + function_.names[whole.index] + "'");
    else
      one_operand(i, o, whole, {pack ? role::result : role::source, o.type, false});
    return true;
  }

  // --- control flow ----------------------------------------------------------------------------------------------

  void wrong_number(const instruction& i, std::uint32_t wanted) {
    fail(i.where, "'" + i.opcode + "' takes " + plural(wanted) + ", not " + std::to_string(i.num_operands));
  }

  /// brx.idx %r, table
  void table_branch(const instruction& i, std::span<const operand> operands) {
    if (operands.size() != 2) {
      wrong_number(i, 2);
      return;
    }
    const expected_operand index{role::source, scalar_type::u32, false};
    if (operands[0].kind != operand_kind::reg || operands[0].bits != 0)
      fail(operands[0].where, "'" + i.opcode + "' takes a register here");
    else
      fits(i, operands[0], index);
    if (operands[1].kind == operand_kind::unknown)
      fail(operands[1].where, "unknown branch table '" + function_.names[operands[1].index] + "'");
    else if (operands[1].kind != operand_kind::branch_table)
      fail(operands[1].where, "'" + i.opcode + "' takes a .branchtargets label here");
  }

  /// Whether a call never comes back.
  bool call(const instruction& i, std::span<const operand> operands) {
    if (operands.size() < 3 || operands[0].kind != operand_kind::list || operands[2].kind != operand_kind::list) {
      fail(i.where, "'" + i.opcode + "' takes results, a function and arguments");
      return false;
    }
    if (operands.size() > 3 && operands[3].kind == operand_kind::unknown) {
      fail(operands[3].where, "unknown prototype '" + function_.names[operands[3].index] + "'");
      return false;
    }
    if (operands.size() > 3 && operands[3].kind != operand_kind::prototype &&
        operands[3].kind != operand_kind::call_targets) {
      fail(operands[3].where, "'" + i.opcode + "' takes a prototype or a list of targets here");
      return false;
    }
    const operand& callee = operands[1];
    if (callee.kind == operand_kind::unknown) {
      fail(callee.where, "unknown function '" + function_.names[callee.index] + "'");
      return false;
    }
    if (callee.kind == operand_kind::function) {
      const function& f = module_.functions[callee.index];
      passes(i, "'" + f.name + "'", operands[0], f.results, operands[2], f.parameters);
      return i.guard == no_index && f.no_return;
    }
    if (callee.kind != operand_kind::reg) {
      fail(callee.where, "'" + i.opcode + "' takes a function or a register here");
      return false;
    }
    const register_info& reg = function_.registers[callee.index];
    if (!holds_code_address(info(reg.type)))
      fail(callee.where, "register '" + reg.name + "' is " + type_name(reg.type) + ": no address of a function");
    if (operands.size() < 4) {
      fail(callee.where, "a call through a register needs a prototype or a list of targets");
      return false;
    }
    const operand& shape = operands[3];
    if (shape.kind == operand_kind::prototype) {
      const call_prototype& p = function_.prototypes[shape.index];
      passes(i, "prototype '" + p.name + "'", operands[0], p.results, operands[2], p.parameters);
      return i.guard == no_index && p.no_return;
    }
    for (const std::uint32_t t : function_.call_targets[shape.index].targets) {
      const function& f = module_.functions[t];
      if (!passes(i, "'" + f.name + "'", operands[0], f.results, operands[2], f.parameters)) break;
    }
    return false;
  }

  /// Whether what a call gives and takes fits what it calls.
  bool passes(const instruction& i, const std::string& callee, const operand& results,
              const std::vector<variable>& formal_results, const operand& arguments,
              const std::vector<variable>& formal_arguments) {
    const bool open = !formal_arguments.empty() && formal_arguments.back().is_open_array();
    const auto number = [&](const operand& given, std::size_t wanted, const char* what) {
      if (given.count == wanted || (open && &given == &arguments && given.count + 1 == wanted)) return true;
      fail(given.where, callee + (wanted == 0 ? " takes no " : " takes " + std::to_string(wanted) + " ") + what +
                            (wanted == 1 ? "" : "s") + ", not " + std::to_string(given.count));
      return false;
    };
    if (!number(results, formal_results.size(), "result") || !number(arguments, formal_arguments.size(), "argument"))
      return false;
    const std::size_t before = found_.size();
    const auto given_results = function_.elements_of(results);
    for (std::size_t n = 0; n < given_results.size(); ++n)
      if (given_results[n].kind != operand_kind::sink) passed(i, callee, given_results[n], formal_results[n], true);
    const auto given_arguments = function_.elements_of(arguments);
    for (std::size_t n = 0; n < given_arguments.size(); ++n)
      passed(i, callee, given_arguments[n], formal_arguments[n], false);
    return found_.size() == before;
  }

  /// One argument or result against its formal parameter.
  void passed(const instruction& i, const std::string& callee, const operand& given, const variable& formal,
              bool result) {
    const std::string what = result ? "result '" : "argument '";
    if (given.kind == operand_kind::unknown) {
      fail(given.where, "unknown name '" + function_.names[given.index] + "'");
      return;
    }
    const bool offset = given.kind == operand_kind::variable && given.bits != 0;
    if (given.negated || given.second != no_index || given.selector != no_index || offset) {
      fail(given.where, "'" + i.opcode + "' passes whole registers and parameters");
      return;
    }
    if (given.kind == operand_kind::variable && function_.variables[given.index].space == state_space::param) {
      const variable& v = function_.variables[given.index];
      // Of arrays only the bytes count; an array of any size stands for more arguments (".b8 rest[]").
      const bool variadic = formal.is_open_array();
      const bool arrays = !formal.extents.empty() || !v.extents.empty();
      if (formal.space != state_space::param || (!variadic && formal.size != v.size) ||
          (!arrays && !compatible(info(v.type), info(formal.type))))
        fail(given.where, what + v.name + "' is " + shape(v) + ", but " + callee + " takes " + shape(formal) + " here");
      else if (v.align != formal.align)
        fail(given.where, what + v.name + "' is aligned to " + std::to_string(v.align) +
                              (v.align == 1 ? " byte, but " : " bytes, but ") + callee + " wants " +
                              std::to_string(formal.align));
      return;
    }
    if (formal.space == state_space::reg && (given.kind == operand_kind::vector || formal.width != 1)) {
      const auto elements = function_.elements_of(given);
      if (given.kind != operand_kind::vector || elements.size() != formal.width) {
        fail(given.where, callee + " takes " + shape(formal) + " here");
        return;
      }
      for (const operand& e : elements)
        if (!fits(i, e, {role::source, formal.type, false})) return;
      return;
    }
    const bool constant =
        given.kind == operand_kind::integer || given.kind == operand_kind::single || given.kind == operand_kind::real;
    if (given.kind != operand_kind::reg && (!constant || result)) {
      fail(given.where, "'" + i.opcode + "' takes a .param variable or a register here");
      return;
    }
    const std::uint32_t size = info(formal.type).size;
    const bool predicate = formal.type == scalar_type::pred && formal.space == state_space::reg;
    if (!formal.extents.empty() || formal.width != 1 || (size == 0 && !predicate) || size > 8 ||
        (predicate && constant)) {
      fail(given.where, callee + " takes " + shape(formal) + " here");
      return;
    }
    operation mov;
    mov.name = mnemonic::mov;
    source(i, mov, given, {role::source, formal.type, size < 4});
  }
  static std::string shape(const variable& v) {
    const std::string vector = v.width == 1 ? std::string() : ".v" + std::to_string(v.width) + " ";
    const std::string type = vector + type_name(v.type) + (v.space == state_space::reg ? " in a register" : "");
    return v.extents.empty() ? type : std::to_string(v.size) + " bytes";
  }
  static bool compatible(const scalar_info& a, const scalar_info& b) {
    const bool bits = a.kind == type_class::bits || b.kind == type_class::bits;
    return a.size == b.size && (bits || (a.kind == type_class::floating) == (b.kind == type_class::floating));
  }

  /// No way leads behind the last instruction.
  void check_end() {
    const auto n = static_cast<std::uint32_t>(function_.instructions.size());
    std::vector<unsigned char> seen(std::size_t{n} + 1, 0);
    std::vector<std::uint32_t> work;
    const auto reach = [&](std::uint32_t i) {
      if (seen[i] != 0) return;
      seen[i] = 1;
      if (i < n) work.push_back(i);
    };
    bool falls_off = n == 0;
    reach(0);
    while (!work.empty()) {
      const std::uint32_t at = work.back();
      work.pop_back();
      const instruction& i = function_.instructions[at];
      const auto operands = function_.operands_of(i);
      if (flow_[at] == flow::branch && !operands.empty() && operands[0].kind == operand_kind::label)
        reach(function_.labels[operands[0].index].instruction);
      if (flow_[at] == flow::table && operands.size() == 2 && operands[1].kind == operand_kind::branch_table)
        for (const std::uint32_t l : function_.branch_tables[operands[1].index].targets)
          reach(function_.labels[l].instruction);
      if (flow_[at] == flow::on || i.guard != no_index) {
        falls_off = falls_off || at + 1 == n;
        reach(at + 1);
      }
    }
    if (falls_off) {
      fail(function_.end, kind() + " runs off its end: its last instruction is no exit, ret or bra");
      return;
    }
    // A branch to a label behind the last instruction does the same, reached or not.
    const auto behind = [&](std::uint32_t l, position where) {
      if (function_.labels[l].instruction == n)
        fail(where, "label '" + function_.labels[l].name + "' stands behind the last instruction");
    };
    for (const instruction& i : function_.instructions)
      for (const operand& o : function_.operands_of(i))
        if (o.kind == operand_kind::label) behind(o.index, o.where);
    for (const branch_table& t : function_.branch_tables)
      for (const std::uint32_t l : t.targets) behind(l, t.where);
  }

  const module& module_;
  const function& function_;
  architecture architecture_;
  std::uint32_t version_;
  diagnostics found_;
  std::vector<flow> flow_;
};

SIMTFLOW_INLINE diagnostics check(const module& m, const function& f, std::vector<operation>& operations) {
  operations.reserve(operations.size() + f.instructions.size());
  return f.is_entry || f.has_body ? verifier(m, f).run(operations) : diagnostics{};
}

}  // namespace detail

SIMTFLOW_INLINE result<checked_function>(verify)(const module& m, const function& f) {
  std::vector<operation> operations;
  diagnostics found = detail::check(m, f, operations);
  if (!found.empty()) return found;
  return detail::checked_maker::verified(m, f, std::move(operations));
}
SIMTFLOW_INLINE diagnostics diagnose(const module& m) {
  diagnostics all;
  using name_set = std::unordered_set<std::string_view>;
  name_set names;
  std::vector<operation> operations;
  for (const function& f : m.functions) names.insert(f.name);
  for (const variable& v : m.variables) names.insert(v.name);
  const auto symbols = [&](const variable& v, const name_set& inside) {
    for (const relocation& r : v.relocations)
      if (names.count(r.symbol) == 0 && inside.count(r.symbol) == 0)
        add_finding(all, v.where, "unknown name '" + r.symbol + "' in the initialiser of '" + v.name + "'");
  };
  const auto add = [&](const function& f) {
    name_set inside;
    for (const variable& v : f.variables) inside.insert(v.name);
    for (const variable& v : f.variables) symbols(v, inside);
    operations.clear();
    for (diagnostic& d : detail::check(m, f, operations)) {
      if (all.size() >= max_diagnostics) return;
      all.push_back(std::move(d));
    }
  };
  for (const variable& v : m.variables) symbols(v, {});
  for (const function& f : m.functions) add(f);
  for (const kernel& k : m.kernels) add(k);
  return all;
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
