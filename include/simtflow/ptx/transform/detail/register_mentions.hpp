// SPDX-License-Identifier: BSL-1.0
//
// The registers that the instructions of a function read and write: the first phase of def_use. It also decides that a
// value is a source, and that an operand says something about a result.
#pragma once

#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/operation.hpp>
#include <simtflow/ptx/text/signature.hpp>
#include <simtflow/ptx/text/special_register.hpp>
#include <simtflow/ptx/transform/detail/def_use_tables.hpp>
#include <simtflow/ptx/transform/detail/opcode_modifier.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class register_mentions {
 public:
  explicit register_mentions(def_use_tables& out) : t_(out) {}

  // Makes one row and its values for each instruction, and the values that registers have at the beginning.
  void read_text(const checked_function& code) {
    const function& f = code.text();
    const function_blocks& blocks = code.blocks();
    t_.values.push_back({});  // registers at the beginning
    def_use_tables::value argument;
    argument.source = true;
    t_.values.push_back(argument);  // those that are parameters
    t_.conditions.assign(blocks.size(), no_value);
    for (std::uint32_t n = 0; n < f.instructions.size(); ++n) {
      const instruction& i = f.instructions[n];
      const operation& o = code.operation_of(n);
      block_of.push_back(blocks.block_of(n));
      guarded.push_back(i.guard != no_index ? 1 : 0);
      const auto given = f.operands_of(i);
      const signature s =
          o.name == mnemonic::call || o.name == mnemonic::brx ? signature() : signature_of(o, i.num_operands);
      reading_.clear();
      writing_.clear();
      source_ = o.name == mnemonic::call || o.name == mnemonic::atom || o.name == mnemonic::shfl ||
                o.name == mnemonic::match || o.name == mnemonic::alloca_ || o.name == mnemonic::stacksave ||
                row_of(o).check == rule::matrix || (o.name == mnemonic::ld && is_private_load(f, i, o));
      if (i.guard != no_index) read(i.guard);
      for (int needed = 1; needed >= 0; --needed) {
        for (std::size_t k = 0; k < given.size(); ++k) {
          if (is_result(o, s, k)) {
            if (needed == 1) write_all(f, given[k]);
            if (needed == 1 && o.name == mnemonic::wgmma_mma) read_all(f, given[k]);  // D is added to
          } else if (is_needed(o, k, given.size()) == (needed == 1)) {
            read_all(f, given[k]);
          }
        }
        if (needed == 0) break;
        if (o.carry_in) read(t_.carry);
        if (o.carry_out) write(t_.carry);
        t_.rows.push_back({static_cast<std::uint32_t>(t_.refs.size()), 0, static_cast<std::uint32_t>(writing_.size()),
                           static_cast<std::uint32_t>(reading_.size())});
      }
      def_use_tables::row& r = t_.rows.back();
      r.reads = static_cast<std::uint32_t>(reading_.size());
      for (const register_value_ref& x : reading_) t_.refs.push_back(x);
      for (const register_value_ref& x : writing_) {
        def_use_tables::value v;
        v.block = blocks.block_of(n);
        v.instruction = n;
        v.reg = x.reg;
        v.source = source_ || (o.name == mnemonic::elect && f.operands_of(i)[0].second == x.reg);
        t_.refs.push_back({x.reg, static_cast<value_id>(t_.values.size())});
        t_.values.push_back(v);
      }
    }
  }

  std::vector<block_id> block_of;      // by instruction
  std::vector<unsigned char> guarded;  // by instruction

 private:
  // True if threads that are together read different values.
  static bool differs(special_register r) {
    switch (r) {
      case special_register::tid_x:
      case special_register::tid_y:
      case special_register::tid_z:
      case special_register::laneid:
      case special_register::warpid:
      case special_register::lanemask_eq:
      case special_register::lanemask_le:
      case special_register::lanemask_lt:
      case special_register::lanemask_ge:
      case special_register::lanemask_gt:
      case special_register::clock:
      case special_register::clock_hi:
      case special_register::clock64:
      case special_register::globaltimer:
      case special_register::globaltimer_lo:
      case special_register::globaltimer_hi:
      case special_register::current_graph_exec:
        return true;
      default:
        return r >= special_register::pm0 && r < special_register::envreg0;
    }
  }
  // True if threads that read one address together may see different things.
  static bool is_private_load(const function& f, const instruction& i, const operation& o) {
    for (const std::string_view strong : {".volatile", ".relaxed", ".acquire", ".mmio"})
      if (has_modifier(i.opcode, strong)) return true;
    const operand& address = f.operands_of(i)[1];
    switch (o.space) {
      case state_space::local:
        return true;
      case state_space::param:  // of the kernel, or what a call has left
        return !f.is_entry || address.base == operand_kind::variable;
      case state_space::generic: {
        if (address.base == operand_kind::module_variable) return false;
        bool local = !f.is_entry;
        for (const variable& v : f.variables) local = local || v.space == state_space::local;
        return local;
      }
      default:
        return false;
    }
  }
  // True if operand n of `count`, which is read, says something about what is written.
  static bool is_needed(const operation& o, std::size_t n, std::size_t count) {
    switch (o.name) {
      case mnemonic::vote:
      case mnemonic::redux:
        return n == 2;  // the member mask
      case mnemonic::bar:
        return n + 1 != count;  // which barrier, but not the predicate
      default:
        return true;
    }
  }

  void read(std::uint32_t reg) {
    for (const register_value_ref& known : reading_)
      if (known.reg == reg) return;
    reading_.push_back({reg, no_value});
  }
  void write(std::uint32_t reg) {
    for (const register_value_ref& known : writing_)
      if (known.reg == reg) return;
    writing_.push_back({reg, no_value});
  }
  void read_all(const function& f, const operand& o) {
    if (o.kind == operand_kind::special && differs(static_cast<special_register>(o.index))) source_ = true;
    if (o.kind == operand_kind::reg || (o.kind == operand_kind::address && o.base == operand_kind::reg)) read(o.index);
    for (const operand& e : f.elements_of(o)) read_all(f, e);
  }
  void write_all(const function& f, const operand& o) {
    if (o.kind == operand_kind::reg) write(o.index);
    const bool pair = o.kind == operand_kind::reg || o.kind == operand_kind::sink || o.kind == operand_kind::vector;
    if (pair && o.second != no_index) write(o.second);
    for (const operand& e : f.elements_of(o)) write_all(f, e);
  }
  static bool is_result(const operation& o, const signature& s, std::size_t n) {
    if (o.name == mnemonic::call) return n == 0;
    if (n >= s.count) return false;
    switch (s.at[n].what) {
      case role::result:
      case role::result_predicate:
      case role::result_and_predicate:
        return true;
      case role::source:
      case role::predicate:
      case role::pointer:
      case role::address:
      case role::texture:
      case role::coordinates:
      case role::factor:
      case role::target:
        return false;
      default:  // what is loaded comes first, what is stored does not
        return n == 0;
    }
  }

  def_use_tables& t_;
  // State of the instruction at hand.
  std::vector<register_value_ref> reading_, writing_;
  bool source_ = false;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
