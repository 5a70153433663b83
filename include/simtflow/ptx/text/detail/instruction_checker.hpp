// SPDX-License-Identifier: BSL-1.0
//
// The demands of single instructions beyond the types of their operands: the target, literals, selectors.
#pragma once

#include <simtflow/ptx/text/detail/matrix_rules.hpp>
#include <simtflow/ptx/text/detail/operand_checker.hpp>
#include <simtflow/ptx/text/detail/target_rules.hpp>
#include <simtflow/ptx/text/detail/verifier_context.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/operation.hpp>
#include <simtflow/ptx/text/signature.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// "sm_90a": number 90; specific, because the target is one architecture or its family.
struct architecture {
  std::uint32_t number = 0;
  bool specific = false;
};
inline architecture architecture_of(std::string_view target) {
  architecture a;
  if (target.substr(0, 3) != "sm_") return a;
  std::size_t at = 3;
  for (; at < target.size() && target[at] >= '0' && target[at] <= '9' && at < 9; ++at)
    a.number = 10 * a.number + static_cast<std::uint32_t>(target[at] - '0');
  a.specific = at < target.size();
  return a;
}
/// "6.4": 604.
inline std::uint32_t version_number(std::string_view version) {
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

class instruction_checker {
 public:
  instruction_checker(verifier_context& c, operand_checker& operands)
      : c_(c),
        operands_(operands),
        architecture_(architecture_of(c.module.target)),
        version_(version_number(c.module.version)) {}

  /// Checks what an instruction needs from the target and the PTX version, where these decide what it means or whether
  /// it exists at all.
  void target(const instruction& i, const operation& o) {
    const bool votes = o.name == mnemonic::shfl || o.name == mnemonic::vote;
    if (votes && !o.sync && architecture_.number >= 70 && version_ >= 604)
      c_.fail(i.where, "'" + i.opcode + "' needs .sync: for " + c_.module.target + " and PTX " + c_.module.version +
                           " there is no form without it");
    const auto given = c_.function.operands_of(i);
    const bool discards = !given.empty() && given[0].kind == operand_kind::sink;
    const target_need need = need_of(o, i.opcode, i.num_operands, discards);
    if (architecture_.number < need.architecture || version_ < need.version)
      c_.fail(i.where,
              "'" + i.opcode + "' needs " +
                  (need.architecture == 0 ? std::string() : "sm_" + std::to_string(need.architecture) + " and ") +
                  "PTX " + version_text(need.version));
    if (o.name == mnemonic::wgmma_mma || o.name == mnemonic::wgmma_fence || o.name == mnemonic::wgmma_wait) {
      const std::uint32_t least = o.name == mnemonic::wgmma_mma ? target_of_matrix(o).version : 800;
      if (architecture_.number != 90 || !architecture_.specific || version_ < least)
        c_.fail(i.where, "'" + i.opcode + "' needs sm_90a and PTX " + version_text(least));
    } else if (row_of(o).check == rule::matrix) {
      const matrix_target least = target_of_matrix(o);
      if (architecture_.number < least.architecture || version_ < least.version)
        c_.fail(i.where, "'" + i.opcode + "' needs sm_" + std::to_string(least.architecture) + " and PTX " +
                             std::to_string(least.version / 100) + "." + std::to_string(least.version % 100));
    }
    const bool registers = opcode_head(i) == "setmaxnreg";
    if (registers && (architecture_.number < 90 || !architecture_.specific || version_ < 800))
      c_.fail(i.where, "'" + i.opcode + "' needs a target like sm_90a, and PTX 8.0");
  }

  /// Checks the fraction of the accesses that a policy is for: more than 0, at most 1.
  void policy(const instruction& i, std::span<const operand> operands) {
    const bool floating = operands[0].kind == operand_kind::reg &&
                          info(c_.function.registers[operands[0].index].type).kind == type_class::floating;
    if (floating) c_.fail(operands[0].where, "'" + i.opcode + "' makes 64 bits, no number");
    if (operands.size() != 2) return;
    const operand& o = operands[1];
    const bool single = o.kind == operand_kind::single;
    if (!single && o.kind != operand_kind::real) return;
    const double fraction =
        single ? std::bit_cast<float>(static_cast<std::uint32_t>(o.bits)) : std::bit_cast<double>(o.bits);
    if (!(fraction > 0 && fraction <= 1)) c_.fail(o.where, "a fraction is more than 0 and at most 1");
  }
  /// Checks that an alignment is a power of two, and that a stack is restored from a register.
  void stack(const instruction& i, const operation& o, std::span<const operand> operands) {
    const operand& last = operands.back();
    if (o.name == mnemonic::stackrestore && last.kind != operand_kind::reg)
      c_.fail(last.where, "'" + i.opcode + "' takes a register here");
    if (operands.size() == 3 && (last.kind != operand_kind::integer || !std::has_single_bit(last.bits)))
      c_.fail(last.where, "an alignment is a power of two");
  }
  /// Checks the number of groups that a thread does not wait for: wait_group has one, the other forms have none.
  void groups(const instruction& i, std::span<const operand> operands) {
    const std::uint32_t wanted = i.opcode.find(".wait_group") != std::string::npos ? 1 : 0;
    if (operands.size() != wanted)
      c_.wrong_number(i, wanted);
    else if (wanted == 1 && operands[0].kind != operand_kind::integer)
      c_.fail(operands[0].where, "'" + i.opcode + "' takes an integer constant");
  }
  /// Checks the number of groups of products that a warpgroup does not wait for.
  void warpgroup_groups(const instruction& i, const operand& given) {
    if (given.kind != operand_kind::integer)
      c_.fail(given.where, "'" + i.opcode + "' takes an integer constant");
    else if (static_cast<std::int64_t>(given.bits) < 0)
      c_.fail(given.where, "a number of groups is not negative");
  }
  /// Checks a product of a warpgroup: registers of D that are read and written, literals for whether D is added, for
  /// signs and for layouts, as many as A and the types need.
  void warpgroup_product(const instruction& i, const operation& o, std::span<const operand> operands) {
    for (const operand& e : c_.function.elements_of(operands[0]))
      if (e.kind == operand_kind::sink) c_.fail(e.where, "'" + i.opcode + "' also reads its result: it takes no '_'");
    const operand& adds = operands[3];
    if (adds.kind == operand_kind::integer && adds.bits > 1)
      c_.fail(adds.where, "'" + i.opcode + "' takes 0 or 1 here");
    for (std::size_t n = 4; n < operands.size(); ++n) {
      const operand& given = operands[n];
      const auto value = static_cast<std::int64_t>(given.bits);
      const bool sign = n < 6;
      if (given.kind != operand_kind::integer || !(value == 1 || value == (sign ? -1 : 0)))
        c_.fail(given.where, "'" + i.opcode + "' takes " + (sign ? "1 or -1" : "0 or 1") + " here");
    }
    const bool registers = operands[1].kind == operand_kind::vector;
    const std::uint32_t wanted = registers ? 7 : 8;
    if (element_bits(o.matrix.a) == 16 && operands.size() != wanted) c_.wrong_number(i, wanted);
  }
  /// Checks pmevent and setmaxnreg, which take literals.
  void hint(const instruction& i, std::span<const operand> operands) {
    if (operands.empty()) return;
    const operand& o = operands[0];
    if (o.kind != operand_kind::integer) {
      c_.fail(o.where, "'" + i.opcode + "' takes an integer constant");
      return;
    }
    const bool registers = opcode_head(i) == "setmaxnreg";
    if (registers && (o.bits < 24 || o.bits > 256 || o.bits % 8 != 0))
      c_.fail(o.where, "'" + i.opcode + "' takes a multiple of 8 from 24 to 256");
  }

  /// Checks that selectors and signs of a video instruction agree.
  void video(const instruction& i, const operation& o, std::span<const operand> operands) {
    if (o.name == mnemonic::vmad) {
      const bool product = operands[1].negated != operands[2].negated;
      if (o.plus_one && (operands[1].negated || operands[2].negated || operands[3].negated))
        c_.fail(i.where, "'" + i.opcode + "' takes no negated operand");
      else if (product && operands[3].negated)
        c_.fail(operands[3].where, "'" + i.opcode + "' negates the product or what is added, not both");
      return;
    }
    const bool merges = o.width == 1 && operands[0].selector != no_index;
    if (merges && o.atomic != atomic_op::none)
      c_.fail(operands[0].where, "'" + i.opcode + "' has a second operation, so its result is a whole register");
    else if (merges && operands.size() < 4)
      c_.wrong_number(i, 4);
    else if (!merges && o.width == 1 && o.atomic == atomic_op::none && operands.size() > 3)
      c_.wrong_number(i, 3);
  }

  void barrier_number(std::span<const operand> operands, std::size_t at) {
    if (at < operands.size() && operands[at].kind == operand_kind::integer && operands[at].bits > 15)
      c_.fail(operands[at].where, "a thread block has barriers 0 to 15");
  }

  /// Checks an operand of cp.async: to shared memory, from global memory; a predicate may stand for the size of the
  /// source.
  void copied(const instruction& i, operation o, std::uint32_t n, const operand& given, expected_operand wanted) {
    o.space = n == 0 ? state_space::shared : n == 1 ? state_space::global : o.space;
    const bool ignores = n == 3 && wanted.type == scalar_type::u32 && given.kind == operand_kind::reg &&
                         c_.function.registers[given.index].type == scalar_type::pred;
    if (ignores) wanted.type = scalar_type::pred;
    operands_.one_operand(i, o, given, wanted);
  }
  /// cp.async copies 4, 8 or 16 bytes; only .ca, through all caches, the small ones.
  void copied_bytes(const instruction& i, const operand& given) {
    const bool all = i.opcode.find(".cg") == std::string::npos;
    if (given.kind == operand_kind::integer && (given.bits == 16 || (all && (given.bits == 4 || given.bits == 8))))
      return;
    c_.fail(given.where, "'" + i.opcode + "' copies " + (all ? "4, 8 or 16 bytes" : "16 bytes"));
  }

  /// Checks an operand of a copy in bulk: to one memory, from another, to the mbarrier that it reports to.
  void copied_in_bulk(const instruction& i, operation o, std::uint32_t n, const operand& given,
                      const expected_operand& wanted) {
    if (n == 1) o.space = o.from;
    if (n == 3) o.space = state_space::shared;
    operands_.one_operand(i, o, given, wanted);
    if (n == 2 && given.kind == operand_kind::integer && given.bits % 16 != 0)
      c_.fail(given.where, "'" + i.opcode + "' copies a multiple of 16 bytes");
  }
  /// Checks an arrival that says how many transactions it expects, or how often it arrives.
  void arrivals(const instruction& i, std::span<const operand> operands) {
    if (operands.size() < 3) c_.wrong_number(i, 3);
  }

 private:
  verifier_context& c_;
  operand_checker& operands_;
  architecture architecture_;
  std::uint32_t version_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
