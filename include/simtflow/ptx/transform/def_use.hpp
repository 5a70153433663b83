// SPDX-License-Identifier: BSL-1.0
//
// A function of a module as a program in SSA form: who computes a register's value and who uses it, for the uniformity
// analysis (analysis/uniformity.hpp; a ptx::def_use is a def_use_program over function_blocks::graph()).
//
//   value      what an instruction writes to one register; what a phi chooses for a register where definitions meet;
//              what registers hold at the beginning; the choice of a brx.idx under a guard
//   partial    an instruction under a guard writes to some threads' registers. Its value depends on the guard and on
//              what the register held before
//   carry      the flag that add.cc leaves for addc is one more register
//
// SSA form is made by the book: phis at the iterated dominance frontier of a register's definitions, where it is live.
//
// A *source* differs between threads that are together. The sources, and why they differ:
//
//   %tid, %laneid, %lanemask_*    of the thread. %warpid too: groups may span warps, and it may change
//   %clock*, %globaltimer*, %pm*  of the moment
//   atom                          threads take turns
//   shfl, match                   of other lanes, seen from this one; the predicate of elect holds for one lane
//   calls                         nothing is known of results, nor of the parameters of a device function
//   ld.local                      each thread has its own memory. ld without a space may read it if the function has
//                                 local variables (in a device function, always)
//   ld.volatile, .relaxed, ...    who else writes is seen at different moments by different threads
//
// and what does not:
//
//   vote, redux, activemask, bar.red   the same for all threads that run it together, if the member mask is (a thread
//                                 that is named must be there) or the barrier; they depend on nothing else
//   other loads                   threads that are together read one place at one time, if the address is uniform.
//                                 Without a data race nobody writes it then. Parameters of a kernel and constants
//                                 nobody writes
//   %ctaid, %ntid, ...            the same in a thread block
//   bra.uni, brx.idx.uni          threads that are together go the same way, says the program
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapters "Instruction Operands", "Memory Consistency Model",
// "Instruction Set", "Special Registers"; R. Cytron et al., Efficiently computing static single assignment form and the
// control dependence graph (1991); P. Briggs, K. Cooper, T. Harvey, L. Simpson, Practical improvements to the
// construction and destruction of static single assignment form (1998).
#pragma once

#include <simtflow/analysis/dense/dominators.hpp>
#include <simtflow/analysis/dense/iterated_frontier.hpp>
#include <simtflow/analysis/uniformity.hpp>
#include <simtflow/config.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/opcode.hpp>
#include <simtflow/ptx/text/signature.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// The registers that an instruction reads or writes, each once, with the values.
struct register_value_ref {
  std::uint32_t reg = no_index;  ///< of the function; carry_register(): the carry flag
  value_id value = no_value;     ///< no_value in unreachable blocks, as what is read
};

/// The values of a function. Nothing of what it was made from is kept.
class def_use {
 public:
  /// Complexity: instructions, plus for each register that lives over blocks the blocks in which it does; no recursion.
  explicit def_use(const checked_function& f) {
    carry_ = static_cast<std::uint32_t>(f.text().registers.size());
    read_text(f);
    build(f.text(), f.blocks().graph());
  }

  /// @{
  /// As def_use_program asks. \pre v < num_values(), b is a block of the graph. O(1).
  [[nodiscard]] std::size_t num_values() const { return values_.size(); }
  [[nodiscard]] block_id block_of(value_id v) const { return at(v).block; }
  [[nodiscard]] bool is_phi(value_id v) const { return at(v).phi; }
  [[nodiscard]] std::span<const value_id> operands(value_id v) const {
    return std::span<const value_id>(operands_).subspan(at(v).first, at(v).phi ? 0 : at(v).count);
  }
  [[nodiscard]] std::span<const phi_input<block_id>> inputs(value_id v) const {
    return std::span<const phi_input<block_id>>(inputs_).subspan(at(v).phi ? at(v).first : 0,
                                                                 at(v).phi ? at(v).count : 0);
  }
  [[nodiscard]] value_id condition(block_id b) const { return conditions_[b]; }
  [[nodiscard]] bool is_source(value_id v) const { return at(v).source; }
  /// @}
  /// Votes depend on their member mask, so nothing here is uniform whatever its operands are.
  [[nodiscard]] bool is_always_uniform(value_id) const { return false; }

  /// The instruction that computes v; no_index for phis and what is there at the beginning.
  [[nodiscard]] std::uint32_t instruction_of(value_id v) const { return at(v).instruction; }
  /// The register that holds v; no_index for what is there at the beginning and for the choice of a brx.idx.
  [[nodiscard]] std::uint32_t register_of(value_id v) const { return at(v).reg; }
  /// The registers that the instruction reads: operands, bases of addresses, the guard. O(1).
  [[nodiscard]] std::span<const register_value_ref> reads(std::uint32_t instruction) const {
    return refs_.row(rows_[instruction].first, rows_[instruction].reads);
  }
  /// The registers that it writes. O(1).
  [[nodiscard]] std::span<const register_value_ref> writes(std::uint32_t instruction) const {
    return refs_.row(rows_[instruction].first + rows_[instruction].reads, rows_[instruction].writes);
  }
  /// The number of the carry flag, one past the registers.
  [[nodiscard]] std::uint32_t carry_register() const { return carry_; }

 private:
  struct value {
    block_id block = 0;
    std::uint32_t instruction = no_index;
    std::uint32_t reg = no_index;
    std::uint32_t first = 0, count = 0;  // in operands_ or inputs_
    bool phi = false;
    bool source = false;
  };
  struct row {
    std::uint32_t first = 0, reads = 0, writes = 0;  // in refs_: what is read, then what is written
    std::uint32_t needed = 0;                        // of what is read, as many from the first on are operands
  };
  struct ref_pool {
    std::vector<register_value_ref> all;
    [[nodiscard]] std::span<const register_value_ref> row(std::uint32_t first, std::uint32_t count) const {
      return std::span<const register_value_ref>(all).subspan(first, count);
    }
  };

  [[nodiscard]] const value& at(value_id v) const {
    SIMTFLOW_EXPECTS(index_of(v) < values_.size(), "a value of the function");
    return values_[index_of(v)];
  }

  // --- what instructions read and write --------------------------------------------------------------------------

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
  static bool names(std::string_view opcode, std::string_view modifier) {
    const std::size_t found = opcode.find(modifier);
    return found != std::string_view::npos &&
           (found + modifier.size() == opcode.size() || opcode[found + modifier.size()] == '.');
  }
  /// Threads that read one address together may see different things.
  static bool is_private_load(const function& f, const instruction& i, const operation& o) {
    for (const std::string_view strong : {".volatile", ".relaxed", ".acquire", ".mmio"})
      if (names(i.opcode, strong)) return true;
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
  /// Whether operand n of `count`, which is read, says something about what is written.
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
    if ((o.kind == operand_kind::reg || o.kind == operand_kind::sink) && o.second != no_index) write(o.second);
    for (const operand& e : f.elements_of(o)) write_all(f, e);
  }
  static bool is_result(const operation& o, const detail::signature& s, std::size_t n) {
    if (o.name == mnemonic::call) return n == 0;
    if (n >= s.count) return false;
    switch (s.at[n].what) {
      case detail::role::result:
      case detail::role::result_predicate:
      case detail::role::result_and_predicate:
        return true;
      case detail::role::source:
      case detail::role::predicate:
      case detail::role::pointer:
      case detail::role::address:
      case detail::role::target:
        return false;
      default:  // what is loaded comes first, what is stored does not
        return n == 0;
    }
  }

  /// One row and its values for each instruction.
  void read_text(const checked_function& code) {
    const function& f = code.text();
    const function_blocks& blocks = code.blocks();
    values_.push_back({});  // registers at the beginning
    value argument;
    argument.source = true;
    values_.push_back(argument);  // those that are parameters
    conditions_.assign(blocks.size(), no_value);
    for (std::uint32_t n = 0; n < f.instructions.size(); ++n) {
      const instruction& i = f.instructions[n];
      const operation& o = code.operation_of(n);
      block_of_.push_back(blocks.block_of(n));
      guarded_.push_back(i.guard != no_index ? 1 : 0);
      const auto given = f.operands_of(i);
      const detail::signature s = o.name == mnemonic::call || o.name == mnemonic::brx
                                      ? detail::signature()
                                      : detail::signature_of(o, i.num_operands);
      reading_.clear();
      writing_.clear();
      source_ = o.name == mnemonic::call || o.name == mnemonic::atom || o.name == mnemonic::shfl ||
                o.name == mnemonic::match || (o.name == mnemonic::ld && is_private_load(f, i, o));
      if (i.guard != no_index) read(i.guard);
      for (int needed = 1; needed >= 0; --needed) {
        for (std::size_t k = 0; k < given.size(); ++k) {
          if (is_result(o, s, k)) {
            if (needed == 1) write_all(f, given[k]);
          } else if (is_needed(o, k, given.size()) == (needed == 1)) {
            read_all(f, given[k]);
          }
        }
        if (needed == 0) break;
        if (o.carry_in) read(carry_);
        if (o.carry_out) write(carry_);
        rows_.push_back({static_cast<std::uint32_t>(refs_.all.size()), 0, static_cast<std::uint32_t>(writing_.size()),
                         static_cast<std::uint32_t>(reading_.size())});
      }
      row& r = rows_.back();
      r.reads = static_cast<std::uint32_t>(reading_.size());
      for (const register_value_ref& x : reading_) refs_.all.push_back(x);
      for (const register_value_ref& x : writing_) {
        value v;
        v.block = blocks.block_of(n);
        v.instruction = n;
        v.reg = x.reg;
        v.source = source_ || (o.name == mnemonic::elect && f.operands_of(i)[0].second == x.reg);
        refs_.all.push_back({x.reg, static_cast<value_id>(values_.size())});
        values_.push_back(v);
      }
    }
  }

  // --- SSA form --------------------------------------------------------------------------------------------------

  void build(const function& f, const csr_graph& g) {
    const std::uint32_t registers = carry_ + 1;
    current_.assign(registers, value_id{0});
    for (const variable& p : f.parameters)
      for (std::uint32_t c = 0; p.reg != no_index && c < p.width; ++c) current_[p.reg + c] = value_id{1};
    simtflow::dense::dominator_tree tree;
    tree.recompute(g);
    place_phis(g, tree, registers);
    // Down the dominator tree: what a block defines holds in its subtree.
    struct open_block {
      std::size_t end, undo;
    };
    struct replaced {
      std::uint32_t reg;
      value_id value;
    };
    std::vector<open_block> open;
    std::vector<replaced> undo;
    const auto define = [&](std::uint32_t reg, value_id v) {
      undo.push_back({reg, current_[reg]});
      current_[reg] = v;
    };
    const std::span<const block_id> order = tree.dominated_by(g.entry());
    for (std::size_t at = 0; at < order.size(); ++at) {
      const block_id b = order[at];
      while (!open.empty() && open.back().end <= at) {
        for (; undo.size() > open.back().undo; undo.pop_back()) current_[undo.back().reg] = undo.back().value;
        open.pop_back();
      }
      open.push_back({tree.subtree_end(static_cast<block_id>(at)), undo.size()});
      for (std::uint32_t v = first_phi_[b]; v < first_phi_[b] + num_phis_[b]; ++v) define(values_[v].reg, value_id{v});
      for (std::uint32_t n = first_instruction_[b]; n < first_instruction_[b + 1]; ++n) run(f, g, n, b, define);
      // A phi's inputs by their order: as the blocks with an edge here, each once.
      block_id before = no_block;
      for (const block_id s : g.successors(b)) {
        if (s == before) continue;
        before = s;
        for (std::uint32_t v = first_phi_[s]; v < first_phi_[s] + num_phis_[s]; ++v) {
          const value& phi = values_[v];
          for (std::uint32_t k = phi.first; k < phi.first + phi.count; ++k)
            if (inputs_[k].from == b) inputs_[k].value = current_[phi.reg];
        }
      }
    }
  }

  template <class Define>
  void run(const function& f, const csr_graph& g, std::uint32_t n, block_id b, const Define& define) {
    const instruction& i = f.instructions[n];
    const row& r = rows_[n];
    for (std::uint32_t k = r.first; k < r.first + r.reads; ++k) refs_.all[k].value = current_[refs_.all[k].reg];
    const bool chooses = g.successors(b).size() > 1 && n + 1 == first_instruction_[b + 1] && !names(i.opcode, ".uni");
    if (chooses && r.reads == 1) conditions_[b] = refs_.all[r.first].value;
    if (chooses && r.reads > 1) {
      value v;
      v.block = b;
      v.instruction = n;
      take_operands(v, r);
      conditions_[b] = static_cast<value_id>(values_.size());
      values_.push_back(v);
    }
    for (std::uint32_t k = r.first + r.reads; k < r.first + r.reads + r.writes; ++k) {
      value& v = values_[index_of(refs_.all[k].value)];
      take_operands(v, r);
      if (i.guard != no_index) {  // who is left out keeps what was there
        operands_.push_back(current_[v.reg]);
        ++v.count;
      }
    }
    for (std::uint32_t k = r.first + r.reads; k < r.first + r.reads + r.writes; ++k)
      define(refs_.all[k].reg, refs_.all[k].value);
  }
  void take_operands(value& v, const row& r) {
    v.first = static_cast<std::uint32_t>(operands_.size());
    v.count = r.needed;
    for (std::uint32_t k = r.first; k < r.first + r.needed; ++k) operands_.push_back(refs_.all[k].value);
  }

  void place_phis(const csr_graph& g, const simtflow::dense::dominator_tree& tree, std::uint32_t registers) {
    const block_id n = static_cast<block_id>(g.num_blocks());
    // Blocks are runs of instructions in the order of the text.
    first_instruction_.assign(n + std::size_t{1}, static_cast<std::uint32_t>(rows_.size()));
    // By register: blocks that define it, and blocks that read what comes in. Lists in the order of blocks.
    struct mention {
      std::uint32_t next = no_index;
      block_id block = 0;
    };
    std::vector<mention> mentions;
    std::vector<std::uint32_t> defines, needs;
    defines.assign(registers, no_index);
    needs.assign(registers, no_index);
    const auto note = [&](std::uint32_t& list, block_id b) {
      if (list != no_index && mentions[list].block == b) return;
      mentions.push_back({list, b});
      list = static_cast<std::uint32_t>(mentions.size() - 1);
    };
    for (std::uint32_t i = static_cast<std::uint32_t>(rows_.size()); i-- > 0;) first_instruction_[block_of_[i]] = i;
    for (block_id b = n; b-- > 0;)
      if (first_instruction_[b] > first_instruction_[b + 1]) first_instruction_[b] = first_instruction_[b + 1];
    for (std::uint32_t i = 0; i < rows_.size(); ++i) {
      const block_id b = block_of_[i];
      if (!tree.is_reachable(b)) continue;
      const row& r = rows_[i];
      const auto defined_here = [&](std::uint32_t reg) {
        return defines[reg] != no_index && mentions[defines[reg]].block == b;
      };
      for (const register_value_ref& x : reads(i))
        if (!defined_here(x.reg)) note(needs[x.reg], b);
      for (std::uint32_t k = r.first + r.reads; k < r.first + r.reads + r.writes; ++k) {
        const std::uint32_t reg = refs_.all[k].reg;
        if (guarded_[i] && !defined_here(reg)) note(needs[reg], b);
        note(defines[reg], b);
      }
    }
    simtflow::dense::iterated_frontier frontier;
    frontier.recompute(g, tree);
    struct placed {
      block_id block;
      std::uint32_t reg;
    };
    std::vector<placed> found;
    std::vector<std::uint32_t> live, defined;  // by block: the last register that it was
    live.assign(n, no_index);
    defined.assign(n, no_index);
    std::vector<block_id> work;
    for (std::uint32_t reg = 0; reg < registers; ++reg) {
      if (needs[reg] == no_index || defines[reg] == no_index) continue;
      work.clear();
      for (std::uint32_t m = defines[reg]; m != no_index; m = mentions[m].next) {
        work.push_back(mentions[m].block);
        defined[mentions[m].block] = reg;
      }
      const std::size_t definitions = work.size();
      const auto come_in = [&](block_id b) {
        if (live[b] == reg) return;
        live[b] = reg;
        work.push_back(b);
      };
      for (std::uint32_t m = needs[reg]; m != no_index; m = mentions[m].next) come_in(mentions[m].block);
      for (std::size_t k = definitions; k < work.size(); ++k)
        for (const block_id p : g.predecessors(work[k]))
          if (tree.is_reachable(p) && defined[p] != reg) come_in(p);
      for (const block_id b : frontier.find(
               definitions, [&](std::size_t k) { return work[k]; }, [&](block_id b) { return live[b] == reg; }))
        found.push_back({b, reg});
    }
    // Phis of a block get neighbouring numbers.
    first_phi_.assign(n + std::size_t{1}, 0);
    num_phis_.assign(n, 0);
    for (const placed& p : found) ++num_phis_[p.block];
    std::uint32_t next = static_cast<std::uint32_t>(values_.size());
    for (block_id b = 0; b < n; ++b) {
      first_phi_[b] = next;
      next += num_phis_[b];
      num_phis_[b] = 0;
    }
    values_.resize(next);
    for (const placed& p : found) {
      value& v = values_[first_phi_[p.block] + num_phis_[p.block]++];
      v.phi = true;
      v.block = p.block;
      v.reg = p.reg;
      v.first = static_cast<std::uint32_t>(inputs_.size());
      for (const block_id from : g.predecessors(p.block))
        if (inputs_.size() == v.first || inputs_.back().from != from) inputs_.push_back({from, no_value});
      v.count = static_cast<std::uint32_t>(inputs_.size()) - v.first;
    }
  }

  std::uint32_t carry_ = 0;
  std::vector<value> values_;
  std::vector<value_id> operands_, conditions_;
  std::vector<phi_input<block_id>> inputs_;
  std::vector<row> rows_;
  ref_pool refs_;
  // Workspace of the construction.
  std::vector<register_value_ref> reading_, writing_;
  bool source_ = false;
  std::vector<value_id> current_;                    // by register
  std::vector<std::uint32_t> first_instruction_;     // by block
  std::vector<std::uint32_t> first_phi_, num_phis_;  // by block
  std::vector<block_id> block_of_;                   // by instruction
  std::vector<unsigned char> guarded_;               // by instruction
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
