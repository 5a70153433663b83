// SPDX-License-Identifier: BSL-1.0
//
// The implementation of verifier.hpp: each instruction, then the ways through the function.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/detail/call_checker.hpp>
#include <simtflow/ptx/text/detail/instruction_checker.hpp>
#include <simtflow/ptx/text/detail/operand_checker.hpp>
#include <simtflow/ptx/text/detail/texture_checker.hpp>
#include <simtflow/ptx/text/detail/value_checker.hpp>
#include <simtflow/ptx/text/detail/verifier_context.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/opcode.hpp>
#include <simtflow/ptx/text/signature.hpp>
#include <simtflow/ptx/text/verifier.hpp>

#include <cstddef>
#include <cstdint>
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
      : c_{m, f},
        values_(c_),
        operands_(c_, values_),
        calls_(c_, values_),
        instructions_(c_, operands_),
        textures_(c_, operands_) {}

  /// The operations of the function are appended to `operations`; they mean something if nothing is wrong.
  diagnostics run(std::vector<operation>& operations) {
    if (c_.function.max_threads[0] != 0 && c_.function.required_threads[0] != 0)
      c_.fail(c_.function.where, kind() + " has both .maxntid and .reqntid");
    if (c_.function.is_entry)
      for (const variable& v : c_.function.parameters)
        if (v.is_open_array()) c_.fail(v.where, "a parameter of a kernel is an array without a size");
    for (const performance_directive& d : c_.function.performance) {
      std::uint64_t blocks = d.name == "reqnctapercluster" ? 1 : 0;
      for (const std::uint64_t n : d.values) blocks *= n < max_cluster ? n : max_cluster;
      if (blocks > 1)
        c_.fail(c_.function.where, kind() + " needs clusters of " + std::to_string(blocks) +
                                       " thread blocks: clusters of more than one are not supported");
    }
    flow_.assign(c_.function.instructions.size(), flow::on);
    for (std::size_t i = 0; i < c_.function.instructions.size(); ++i) {
      check_instruction(c_.function.instructions[i], flow_[i], operations);
      if (c_.found.size() >= max_diagnostics) return std::move(c_.found);
    }
    check_end();
    return std::move(c_.found);
  }

 private:
  static constexpr std::uint64_t max_cluster = 1024;  // in a message

  /// The way on from an instruction: to the next one, to a label, through a table, none. A guard keeps the next one.
  enum class flow : std::uint8_t { on, branch, table, stop };

  std::string unknown(const expected_operand& wanted, const std::string& name) const {
    if (c_.module.find(name) != nullptr)
      return "'" + name + "' is a kernel: launches from the device are not supported";
    return (wanted.what == role::target ? "unknown label '" : "unknown name '") + name + "'";
  }

  std::string kind() const {
    return std::string(c_.function.is_entry ? "kernel '" : "function '").append(c_.function.name).append(1, '\'');
  }

  void check_instruction(const instruction& i, flow& goes, std::vector<operation>& operations) {
    if (i.guard != no_index && c_.function.registers[i.guard].type != scalar_type::pred)
      c_.fail(i.guard_where, "the guard '" + c_.function.registers[i.guard].name + "' is " +
                                 type_name(c_.function.registers[i.guard].type) + ", not .pred");
    result<operation> parsed = parse_operation(i.opcode);
    if (!parsed) {
      operations.emplace_back();
      c_.fail(i.where, std::move(std::move(parsed).diagnostics().front().message));
      return;
    }
    operations.push_back(*parsed);
    const operation& o = *parsed;
    const auto operands = c_.function.operands_of(i);
    instructions_.target(i, o);
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
        calls_.table_branch(i, operands);
        break;
      case mnemonic::call:
        if (calls_.call(i, operands)) goes = flow::stop;
        break;
      default:
        break;
    }
    if (o.name == mnemonic::call || o.name == mnemonic::brx) return;
    const signature s = signature_of(o, i.num_operands);
    const operand_range range = operand_count(o);
    if ((o.name == mnemonic::tex || o.name == mnemonic::tld4) && i.num_operands > s.count) {
      c_.fail(i.where, "unsupported instruction '" + i.opcode + "': offsets and depth comparisons");
      return;
    }
    if (i.num_operands != s.count || i.num_operands < range.least || i.num_operands > range.most) {
      const std::uint32_t wanted = i.num_operands < range.least  ? range.least
                                   : i.num_operands > range.most ? range.most
                                                                 : s.count;
      c_.wrong_number(i, wanted);
      return;
    }
    if (o.name == mnemonic::mov && o.width == 1 && operands_.move_of_vector(i, o, operands)) return;
    for (std::uint32_t n = 0; n < s.count; ++n) {
      const operand& given = operands[n];
      const expected_operand& wanted = s.at[n];
      if (given.kind == operand_kind::unknown) {
        c_.fail(given.where, unknown(wanted, c_.function.names[given.index]));
        continue;
      }
      if (o.name == mnemonic::cp_async) {
        instructions_.copied(i, o, n, given, wanted);
        continue;
      }
      if (is_bulk(o)) {
        instructions_.copied_in_bulk(i, o, n, given, wanted);
        continue;
      }
      operands_.one_operand(i, o, given, wanted);
      if (wanted.what == role::texture) textures_.texture(i, o, given);
      if (wanted.what == role::coordinates) textures_.gradient(i, o, given);
    }
    if (o.name == mnemonic::bar) instructions_.barrier_number(operands, o.barrier == barrier_op::red ? 1 : 0);
    if (o.name == mnemonic::alloca_ || o.name == mnemonic::stackrestore) instructions_.stack(i, o, operands);
    if (o.name == mnemonic::createpolicy) instructions_.policy(i, operands);
    if (o.name == mnemonic::nop) instructions_.hint(i, operands);
    if (o.name == mnemonic::cp_async_wait) instructions_.groups(i, operands);
    if (o.name == mnemonic::wgmma_wait) instructions_.warpgroup_groups(i, operands[0]);
    if (o.name == mnemonic::wgmma_mma) instructions_.warpgroup_product(i, o, operands);
    if (o.form == mbarrier_form::expect_tx || o.form == mbarrier_form::no_complete) instructions_.arrivals(i, operands);
    if (is_video(o)) instructions_.video(i, o, operands);
    if (o.name != mnemonic::cp_async) return;
    if (operands.size() < 3)
      c_.wrong_number(i, 3);
    else
      instructions_.copied_bytes(i, operands[2]);
  }

  /// Checks that no way leads past the last instruction.
  void check_end() {
    const auto n = static_cast<std::uint32_t>(c_.function.instructions.size());
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
      const instruction& i = c_.function.instructions[at];
      const auto operands = c_.function.operands_of(i);
      if (flow_[at] == flow::branch && !operands.empty() && operands[0].kind == operand_kind::label)
        reach(c_.function.labels[operands[0].index].instruction);
      if (flow_[at] == flow::table && operands.size() == 2 && operands[1].kind == operand_kind::branch_table)
        for (const std::uint32_t l : c_.function.branch_tables[operands[1].index].targets)
          reach(c_.function.labels[l].instruction);
      if (flow_[at] == flow::on || i.guard != no_index) {
        falls_off = falls_off || at + 1 == n;
        reach(at + 1);
      }
    }
    if (falls_off) {
      c_.fail(c_.function.end, kind() + " runs off its end: its last instruction is no exit, ret or bra");
      return;
    }
    // A branch to a label after the last instruction does the same, reached or not.
    const auto behind = [&](std::uint32_t l, position where) {
      if (c_.function.labels[l].instruction == n)
        c_.fail(where, "label '" + c_.function.labels[l].name + "' stands after the last instruction");
    };
    for (const instruction& i : c_.function.instructions)
      for (const operand& o : c_.function.operands_of(i))
        if (o.kind == operand_kind::label) behind(o.index, o.where);
    for (const branch_table& t : c_.function.branch_tables)
      for (const std::uint32_t l : t.targets) behind(l, t.where);
  }

  verifier_context c_;
  value_checker values_;
  operand_checker operands_;
  call_checker calls_;
  instruction_checker instructions_;
  texture_checker textures_;
  std::vector<flow> flow_;
};

SIMTFLOW_INLINE diagnostics diagnose_function(const module& m, const function& f, std::vector<operation>& operations) {
  operations.reserve(operations.size() + f.instructions.size());
  return f.is_entry || f.has_body ? verifier(m, f).run(operations) : diagnostics{};
}

}  // namespace detail

SIMTFLOW_INLINE result<checked_function>(verify)(const module& m, const function& f) {
  std::vector<operation> operations;
  diagnostics found = detail::diagnose_function(m, f, operations);
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
        add_diagnostic(all, v.where, "unknown name '" + r.symbol + "' in the initialiser of '" + v.name + "'");
  };
  const auto add = [&](const function& f) {
    name_set inside;
    for (const variable& v : f.variables) inside.insert(v.name);
    for (const variable& v : f.variables) symbols(v, inside);
    operations.clear();
    for (diagnostic& d : detail::diagnose_function(m, f, operations)) {
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
