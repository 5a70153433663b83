// SPDX-License-Identifier: BSL-1.0
//
// The classes of the instructions of a function: which can become one, which are pinned, which can be speculated, and
// what their operands hold.
#pragma once

#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/isa.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/operation.hpp>
#include <simtflow/ptx/text/signature.hpp>
#include <simtflow/ptx/text/special_register.hpp>
#include <simtflow/ptx/transform/def_use.hpp>
#include <simtflow/ptx/transform/detail/meldable_tables.hpp>
#include <simtflow/ptx/transform/detail/opcode_modifier.hpp>
#include <simtflow/ptx/transform/detail/operand_classifier.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class instruction_classifier {
 public:
  instruction_classifier(const function& f, const def_use& code, meldable_tables& out)
      : f_(f), code_(code), reader_(f), t_(out) {}

  void classify(const checked_function& checked) {
    const function& f = f_;
    std::unordered_map<std::string, std::uint32_t> groups;
    std::string key;
    t_.facts.assign(f.instructions.size(), {});
    for (std::uint32_t i = 0; i < f.instructions.size(); ++i) {
      const instruction& text = f.instructions[i];
      meldable_tables::facts_of& here = t_.facts[i];
      const operation& o = checked.operation_of(i);
      here.pinned = pinned(text, o) || checked.blocks().is_convergent_instruction(i);
      bool param = o.name == mnemonic::ld && o.space == state_space::param && text.num_operands == 2 &&
                   f.operands_of(text)[1].base == operand_kind::parameter;
      if (param) {  // inside it
        const operand& from = f.operands_of(text)[1];
        param = from.bits + std::uint64_t{info(o.type).size} * o.width <= f.parameters[from.index].size;
      }
      here.speculatable =
          !here.pinned && (param || (o.name != mnemonic::ld && o.name != mnemonic::st && o.name != mnemonic::prefetch &&
                                     o.name != mnemonic::tex && o.name != mnemonic::tld4 && o.name != mnemonic::txq));
      here.first_source = static_cast<std::uint32_t>(t_.sources.size());
      key = text.opcode;
      key += text.guard != no_index ? '@' : ' ';
      if (text.guard != no_index) add_register(i, text.guard, text.guard_negated, 2);
      const bool plain = o.name != mnemonic::call && o.name != mnemonic::brx && o.name != mnemonic::invalid;
      const signature s = plain ? signature_of(o, text.num_operands) : signature();
      std::uint32_t n = 0;
      for (const operand& given : f.operands_of(text)) {
        const auto what =
            n < s.count ? reader_.facts(given, s.at[n], o) : operand_facts{};  // more than there should be
        const bool table = o.name == mnemonic::lop3 && n == 4;
        add_operand(key, i, given, table ? operand_facts{} : what);
        ++n;
      }
      here.sources = static_cast<std::uint32_t>(t_.sources.size()) - here.first_source;
      here.group = groups.try_emplace(key, static_cast<std::uint32_t>(groups.size())).first->second;
    }
  }

 private:
  void add_operand(std::string& key, std::uint32_t i, const operand& o, const operand_facts& what) {
    key += ',';
    key += static_cast<char>('A' + static_cast<int>(what.shape));
    switch (what.shape) {
      case operand_shape::fixed:
        add_text(key, o);
        return;
      case operand_shape::result:
        if (o.kind == operand_kind::reg) key += info(f_.registers[o.index].type).name;
        if (o.second != no_index) key += '|';
        return;
      case operand_shape::value:
        key += std::to_string(what.bits);
        add_value(i, o);
        return;
      case operand_shape::predicate:
        add_register(i, o.index, o.negated, 2);
        return;
      case operand_shape::address: {
        key += std::to_string(what.bits);
        if (o.base == operand_kind::reg)
          add_register(i, o.index, false, 1);
        else
          t_.sources.push_back({static_cast<std::uint32_t>(o.base), o.index, no_block, 1});
        t_.sources.push_back({static_cast<std::uint32_t>(operand_kind::integer), o.bits, no_block, 1});
        return;
      }
      case operand_shape::vector:
        key += std::to_string(o.count);
        for (const operand& e : f_.elements_of(o)) add_operand(key, i, e, reader_.element(e, what));
        return;
    }
  }
  void add_value(std::uint32_t i, const operand& o) {
    if (o.kind == operand_kind::reg)
      add_register(i, o.index, false, 1);
    else
      t_.sources.push_back({static_cast<std::uint32_t>(o.kind), o.bits, no_block, 1});
  }
  void add_register(std::uint32_t i, std::uint32_t reg, bool negated, std::uint32_t selects) {
    value_id v = no_value;
    for (const register_value_ref& r : code_.reads(i))
      if (r.reg == reg) v = r.value;
    if (v == no_value) {  // unreachable
      t_.sources.push_back({0x100, reg, no_block, selects});
      return;
    }
    t_.sources.push_back({0x100, index_of(v) * std::uint64_t{2} + (negated ? 1 : 0), code_.block_of(v), selects});
  }
  // The text of an operand that must be the same.
  void add_text(std::string& key, const operand& o) {
    key += std::to_string(static_cast<int>(o.kind)) + ':' + std::to_string(static_cast<int>(o.base)) + ':';
    key += std::to_string(o.index) + ':' + std::to_string(o.second) + ':' + std::to_string(o.bits);
    if (o.negated) key += '-';
    if (o.selector != no_index) key += f_.names[o.selector];
    if (o.kind == operand_kind::unknown) key += f_.names[o.index];
    for (const operand& e : f_.elements_of(o)) {
      key += '(';
      add_text(key, e);
    }
  }

  [[nodiscard]] bool pinned(const instruction& i, const operation& o) const {
    switch (o.name) {
      case mnemonic::invalid:
      case mnemonic::atom:
      case mnemonic::red:
      case mnemonic::cp_async:
      case mnemonic::cp_async_wait:
      case mnemonic::suld:
      case mnemonic::sust:
      case mnemonic::sured:
      case mnemonic::membar:
      case mnemonic::alloca_:
      case mnemonic::stacksave:
      case mnemonic::stackrestore:
      case mnemonic::mbarrier_init:
      case mnemonic::mbarrier_inval:
      case mnemonic::mbarrier_expect_tx:
      case mnemonic::mbarrier_complete_tx:
      case mnemonic::mbarrier_arrive:
      case mnemonic::mbarrier_arrive_drop:
      case mnemonic::mbarrier_wait:
      case mnemonic::cp_async_arrive:
      case mnemonic::bulk_copy:
      case mnemonic::bulk_reduce:
      case mnemonic::bar:
      case mnemonic::bar_warp:
      case mnemonic::shfl:
      case mnemonic::vote:
      case mnemonic::match:
      case mnemonic::activemask:
      case mnemonic::redux:
      case mnemonic::elect:
      case mnemonic::wmma_load:
      case mnemonic::wmma_store:
      case mnemonic::wmma_mma:
      case mnemonic::mma:
      case mnemonic::ldmatrix:
      case mnemonic::stmatrix:
      case mnemonic::movmatrix:
      case mnemonic::wgmma_mma:
      case mnemonic::wgmma_fence:
      case mnemonic::wgmma_wait:
      case mnemonic::bra:
      case mnemonic::brx:
      case mnemonic::call:
      case mnemonic::exit:
      case mnemonic::ret:
      case mnemonic::trap:
      case mnemonic::brkpt:
      case mnemonic::nanosleep:
      case mnemonic::nop:
        return true;
      case mnemonic::ld:
      case mnemonic::st:
        if (o.space == state_space::param &&
            f_.operands_of(i)[o.name == mnemonic::ld ? 1 : 0].base == operand_kind::variable)
          return true;  // of a call
        for (const std::string_view strong : {".volatile", ".relaxed", ".acquire", ".release", ".mmio", ".sc"})
          if (has_modifier(i.opcode, strong)) return true;
        return false;
      default:
        for (const operand& given : f_.operands_of(i))
          if (given.kind == operand_kind::special && changes(static_cast<special_register>(given.index))) return true;
        return false;
    }
  }
  // True for a special register that is another one each time it is read.
  static bool changes(special_register r) {
    return (r >= special_register::clock && r <= special_register::globaltimer_hi) || r == special_register::warpid ||
           r == special_register::smid || (r >= special_register::pm0 && r < special_register::envreg0);
  }

  const function& f_;
  const def_use& code_;
  operand_classifier reader_;
  meldable_tables& t_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
