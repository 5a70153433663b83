// SPDX-License-Identifier: BSL-1.0
//
// SSA form of a function from what its instructions read and write: the second phase of def_use. Phis are placed at the
// iterated dominance frontier of a register's definitions, where the register is live. Every use then gets the value
// that reaches it, down the dominator tree.
#pragma once

#include <simtflow/analysis/def_use_program.hpp>
#include <simtflow/analysis/dense/dominators.hpp>
#include <simtflow/analysis/dense/iterated_frontier.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/transform/detail/def_use_tables.hpp>
#include <simtflow/ptx/transform/detail/opcode_modifier.hpp>
#include <simtflow/ptx/transform/detail/register_mentions.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class ssa_builder {
 public:
  ssa_builder(def_use_tables& out, const register_mentions& mentions) : t_(out), mentions_(mentions) {}

  void build(const function& f, const csr_graph& g) {
    const std::uint32_t registers = t_.carry + 1;
    current_.assign(registers, value_id{0});
    for (const variable& p : f.parameters)
      for (std::uint32_t c = 0; p.reg != no_index && c < p.width; ++c) current_[p.reg + c] = value_id{1};
    dense::dominator_tree tree;
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
      for (std::uint32_t v = first_phi_[b]; v < first_phi_[b] + num_phis_[b]; ++v)
        define(t_.values[v].reg, value_id{v});
      for (std::uint32_t n = first_instruction_[b]; n < first_instruction_[b + 1]; ++n) run(f, g, n, b, define);
      // A phi's inputs by their order: as the blocks with an edge here, each once.
      block_id before = no_block;
      for (const block_id s : g.successors(b)) {
        if (s == before) continue;
        before = s;
        for (std::uint32_t v = first_phi_[s]; v < first_phi_[s] + num_phis_[s]; ++v) {
          const def_use_tables::value& phi = t_.values[v];
          for (std::uint32_t k = phi.first; k < phi.first + phi.count; ++k)
            if (t_.inputs[k].from == b) t_.inputs[k].value = current_[phi.reg];
        }
      }
    }
  }

 private:
  template <class Define>
  void run(const function& f, const csr_graph& g, std::uint32_t n, block_id b, const Define& define) {
    const instruction& i = f.instructions[n];
    const def_use_tables::row& r = t_.rows[n];
    for (std::uint32_t k = r.first; k < r.first + r.reads; ++k) t_.refs[k].value = current_[t_.refs[k].reg];
    const bool chooses =
        g.successors(b).size() > 1 && n + 1 == first_instruction_[b + 1] && !has_modifier(i.opcode, ".uni");
    if (chooses && r.reads == 1) t_.conditions[b] = t_.refs[r.first].value;
    if (chooses && r.reads > 1) {
      def_use_tables::value v;
      v.block = b;
      v.instruction = n;
      take_operands(v, r);
      t_.conditions[b] = static_cast<value_id>(t_.values.size());
      t_.values.push_back(v);
    }
    for (std::uint32_t k = r.first + r.reads; k < r.first + r.reads + r.writes; ++k) {
      def_use_tables::value& v = t_.values[index_of(t_.refs[k].value)];
      take_operands(v, r);
      if (i.guard != no_index) {  // who is left out keeps what was there
        t_.operands.push_back(current_[v.reg]);
        ++v.count;
      }
    }
    for (std::uint32_t k = r.first + r.reads; k < r.first + r.reads + r.writes; ++k)
      define(t_.refs[k].reg, t_.refs[k].value);
  }
  // Lists the needed operands of an instruction as the operands of its result.
  void take_operands(def_use_tables::value& v, const def_use_tables::row& r) {
    v.first = static_cast<std::uint32_t>(t_.operands.size());
    v.count = r.needed;
    for (std::uint32_t k = r.first; k < r.first + r.needed; ++k) t_.operands.push_back(t_.refs[k].value);
  }

  void place_phis(const csr_graph& g, const dense::dominator_tree& tree, std::uint32_t registers) {
    const block_id n = static_cast<block_id>(g.num_blocks());
    // Blocks are runs of instructions in the order of the text.
    first_instruction_.assign(n + std::size_t{1}, static_cast<std::uint32_t>(t_.rows.size()));
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
    for (std::uint32_t i = static_cast<std::uint32_t>(t_.rows.size()); i-- > 0;)
      first_instruction_[mentions_.block_of[i]] = i;
    for (block_id b = n; b-- > 0;)
      if (first_instruction_[b] > first_instruction_[b + 1]) first_instruction_[b] = first_instruction_[b + 1];
    for (std::uint32_t i = 0; i < t_.rows.size(); ++i) {
      const block_id b = mentions_.block_of[i];
      if (!tree.is_reachable(b)) continue;
      const def_use_tables::row& r = t_.rows[i];
      const auto defined_here = [&](std::uint32_t reg) {
        return defines[reg] != no_index && mentions[defines[reg]].block == b;
      };
      for (const register_value_ref& x : t_.reads(i))
        if (!defined_here(x.reg)) note(needs[x.reg], b);
      for (std::uint32_t k = r.first + r.reads; k < r.first + r.reads + r.writes; ++k) {
        const std::uint32_t reg = t_.refs[k].reg;
        if (mentions_.guarded[i] && !defined_here(reg)) note(needs[reg], b);
        note(defines[reg], b);
      }
    }
    dense::iterated_frontier frontier;
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
    std::uint32_t next = static_cast<std::uint32_t>(t_.values.size());
    for (block_id b = 0; b < n; ++b) {
      first_phi_[b] = next;
      next += num_phis_[b];
      num_phis_[b] = 0;
    }
    t_.values.resize(next);
    for (const placed& p : found) {
      def_use_tables::value& v = t_.values[first_phi_[p.block] + num_phis_[p.block]++];
      v.phi = true;
      v.block = p.block;
      v.reg = p.reg;
      v.first = static_cast<std::uint32_t>(t_.inputs.size());
      for (const block_id from : g.predecessors(p.block))
        if (t_.inputs.size() == v.first || t_.inputs.back().from != from) t_.inputs.push_back({from, no_value});
      v.count = static_cast<std::uint32_t>(t_.inputs.size()) - v.first;
    }
  }

  def_use_tables& t_;
  const register_mentions& mentions_;
  std::vector<value_id> current_;                    // by register
  std::vector<std::uint32_t> first_instruction_;     // by block
  std::vector<std::uint32_t> first_phi_, num_phis_;  // by block
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
