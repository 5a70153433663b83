// SPDX-License-Identifier: BSL-1.0
//
// The rewriter of PTX functions: function_rewriter is a code_rewriter (transform/rewrite.hpp).
//
//   variables   registers of 32 bits. An edge sets them before its branch, under the branch's predicate or by selp, so
//               no edge needs a block of its own
//   guards      setp and a branch; a range of values takes a subtraction first
//   branches    keep their predicate. A branch becomes a jump if its edges now all lead to one block
//   tables      brx.idx gets a new list of targets
//   exit edges  a ret or exit becomes a branch, under its guard if it has one
//   copies      same instructions, same registers, a label of their own
//   braces      inner braces are removed, so that blocks can be moved; what they declare moves to the beginning of the
//               function, under a new name if its name is taken there
//
// detail/block_layout.hpp orders the blocks. A plan that changes nothing keeps the order of the text. Positions stay
// those in the text that the function came from; new instructions have none. `.uni` is dropped from branches under a
// guard unless nothing changes, because other threads may come together.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "Scoping", "Control Flow Instructions: bra, brx.idx",
// "Comparison and Selection Instructions: setp, selp".
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/transform/detail/declaration_namer.hpp>
#include <simtflow/ptx/transform/detail/function_writer.hpp>
#include <simtflow/ptx/transform/detail/plan_variables.hpp>
#include <simtflow/ptx/transform/detail/rewrite_graph.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// Rewrites one function: a code_rewriter (transform/rewrite.hpp) that numbers blocks as they are made. Blocks are made
/// before edges; edges come block after block, slot after slot. The checked function must outlive it.
class function_rewriter {
 public:
  using block = detail::rewrite_graph::block;  ///< number of a block that was made

  /// Starts without blocks.
  explicit function_rewriter(const checked_function& f)
      : checked_(f), text_(f.text()), blocks_(f.blocks()), graph_(f), w_(f.text()), variables_(text_, graph_, w_) {}
  explicit function_rewriter(const checked_function&& f) = delete;
  function_rewriter(const function_rewriter&) = delete;  // its parts refer to each other
  function_rewriter& operator=(const function_rewriter&) = delete;

  /// Blocks are laid out anew even if the plan changes nothing.
  void lay_out_anew() { graph_.changed = true; }

  /// @{
  /// As code_rewriter asks.
  block original(block_id b) { return graph_.add({node_kind::original, b}); }
  block copy(block_id b) { return graph_.add({node_kind::copy, b}); }
  block guard(std::uint32_t variable, std::uint32_t low, std::uint32_t high) {
    return graph_.add({node_kind::guard, no_block, variable, low, high});
  }
  block empty() { return graph_.add({node_kind::empty, no_block}); }
  block end() { return graph_.add({node_kind::end, no_block}); }

  void declare(std::uint32_t variable, bool zero) { variables_.declare(variable, zero); }

  void connect(block from, std::uint32_t slot, block to, std::span<const plan_assignment> sets) {
    graph_.connect(from, slot, to, sets);
  }
  void enter(block b) { graph_.entry = b; }
  /// @}

  /// The function as it is now. An `exit` in a device function cannot follow an exit edge; it is reported. Nothing else
  /// may be called after this. Near-linear in what is written.
  [[nodiscard]] result<function> take() {
    simtflow::diagnostics refused;
    refuse_exits(refused);
    if (!refused.empty()) return refused;
    graph_.find_changes();
    variables_.make_registers();
    graph_.find_ways(variables_.pass());
    graph_.lay_out();
    name_things();
    write();
    return std::move(w_.code);
  }

 private:
  using graph = detail::rewrite_graph;
  using node = graph::node;
  using node_kind = graph::node_kind;
  using way = graph::way;
  struct table_at {
    std::uint32_t instruction;
    std::vector<block> targets;
    std::string name;
  };

  void refuse_exits(simtflow::diagnostics& found) const {
    if (text_.is_entry) return;
    for (const node& n : graph_.nodes) {
      if (!graph_.has_exit_edge(n)) continue;
      const instruction* last = graph_.last_of(n);
      if (last != nullptr && opcode_head(*last) == "exit")
        add_diagnostic(found, last->where, "in a device function 'exit' cannot become a branch to where others return");
    }
  }

  void name_things() {
    w_.begin();
    detail::declaration_namer names(checked_, graph_, w_);
    names.keep_names();
    names.move_declarations();
    variables_.name_registers();
    names.name_labels();
  }

  // --- instructions ----------------------------------------------------------------------------------------------

  void emit_text(const instruction& i) {
    w_.here = i.where;
    std::string opcode = i.opcode;
    if (graph_.changed && i.guard != no_index && opcode.ends_with(".uni") && !opcode.starts_with("vote"))
      opcode.resize(opcode.size() - 4);
    const auto given = text_.operands_of(i);
    w_.append(std::move(opcode), std::vector<operand>(given.begin(), given.end()), i.guard, i.guard_negated);
    w_.code.instructions.back().guard_where = i.guard_where;
  }
  // Appends a branch; until define_labels(), labels are numbers of blocks.
  void emit_branch(block to, std::uint32_t condition = no_index, bool negated = false, const char* opcode = nullptr) {
    operand o;
    o.kind = operand_kind::label;
    o.index = to;
    graph_.nodes[to].is_target = true;
    w_.append(opcode != nullptr ? opcode : condition == no_index ? "bra.uni" : "bra", {o}, condition, negated);
  }
  void go(block to, block next) {
    if (to != next) emit_branch(to);
  }

  // --- blocks ----------------------------------------------------------------------------------------------------

  void write() {
    w_.here = {};
    variables_.set_zeros();
    for (std::size_t i = 0; i < graph_.order.size(); ++i) {
      node& n = graph_.nodes[graph_.order[i]];
      n.start = static_cast<std::uint32_t>(w_.code.instructions.size());
      write(n, i + 1 < graph_.order.size() ? graph_.order[i + 1] : no_index);
    }
    define_labels();
  }

  void write(const node& n, block next) {
    w_.here = {};
    const instruction* last = nullptr;
    if (graph_.executes_text(n)) {
      const text_block& b = blocks_[n.text];
      last = graph_.last_of(n);
      for (std::uint32_t i = b.first; i < b.last - (last != nullptr ? 1U : 0U); ++i) emit_text(text_.instructions[i]);
      if (last != nullptr) w_.here = last->where;
    }
    const bool leaves = last != nullptr && blocks_[n.text].end == text_end::leaves && !graph_.has_exit_edge(n);
    switch (n.on) {
      case way::none:
        if (leaves)
          emit_text(*last);
        else if (n.kind == node_kind::end || (graph_.executes_text(n) && blocks_[n.text].end == text_end::leaves))
          w_.append("ret", {});
        return;
      case way::one:
        if (last != nullptr && blocks_[n.text].end == text_end::table)
          variables_.set_by_table(n, *last);
        else
          for (const plan_assignment& a : graph_.sets_of(n.other)) variables_.set(a);
        if (leaves) emit_text(*last);  // under a guard: the others go on
        if (!graph_.changed && last != nullptr && !leaves)
          emit_branch(graph_.edges[n.other].to, no_index, false, last->opcode.c_str());
        else
          go(graph_.edges[n.other].to, next);
        return;
      case way::two:
        write_branch(n, last, next);
        return;
      case way::table:
        write_table(n, *last, next);
        return;
    }
  }

  void write_branch(const node& n, const instruction* last, block next) {
    const block taken = graph_.edges[n.taken].to, other = graph_.edges[n.other].to;
    const bool table = last != nullptr && blocks_[n.text].end == text_end::table;
    const bool apart = !graph_.changed || taken != other;
    if (n.kind == node_kind::guard && (apart || graph_.edges[n.taken].sets + graph_.edges[n.other].sets != 0))
      variables_.test(n);
    if (table)
      variables_.set_by_table(n, *last);
    else
      variables_.set_two(n);
    if (!apart) {
      go(other, next);
    } else if (taken == next && graph_.changed) {
      emit_branch(other, n.condition, !n.negated);
    } else {
      emit_branch(taken, n.condition, n.negated, graph_.changed ? nullptr : last->opcode.c_str());
      go(other, next);
    }
  }

  void write_table(const node& n, const instruction& brx, block next) {
    variables_.set_by_table(n, brx);
    const auto given = text_.operands_of(brx);
    table_at t;
    t.instruction = static_cast<std::uint32_t>(w_.code.instructions.size());
    for (std::uint32_t e = n.first_edge; e < n.other; ++e) {
      t.targets.push_back(graph_.edges[e].to);
      graph_.nodes[graph_.edges[e].to].is_target = true;
    }
    t.name = w_.names.fresh(text_.branch_tables[given[1].index].name);
    operand list = given[1];
    list.index = static_cast<std::uint32_t>(tables_.size());
    tables_.push_back(std::move(t));
    std::string opcode = brx.opcode;
    if (graph_.changed && opcode.ends_with(".uni")) opcode.resize(opcode.size() - 4);
    w_.append(std::move(opcode), {given[0], list}, brx.guard, brx.guard_negated);
    if (n.other < n.first_edge + n.edges) go(graph_.edges[n.other].to, next);
  }

  // Makes the labels of the blocks that something branches to, and the lists of targets.
  void define_labels() {
    std::vector<std::uint32_t> label_of(graph_.nodes.size(), no_index);
    std::size_t table = 0;
    for (std::size_t i = 0; i < graph_.order.size(); ++i) {
      const node& n = graph_.nodes[graph_.order[i]];
      if (n.is_target) {
        label_of[graph_.order[i]] = static_cast<std::uint32_t>(w_.code.labels.size());
        w_.code.items.push_back({item_kind::label, label_of[graph_.order[i]], n.start});
        w_.code.labels.push_back(
            {w_.label_names[graph_.order[i]], graph_.executes_text(n) ? where_of(n) : position{}, n.start, 0});
      }
      const std::uint32_t end = i + 1 < graph_.order.size() ? graph_.nodes[graph_.order[i + 1]].start
                                                            : static_cast<std::uint32_t>(w_.code.instructions.size());
      for (; table < tables_.size() && tables_[table].instruction < end; ++table)
        w_.code.items.push_back(
            {item_kind::branch_table, static_cast<std::uint32_t>(table), tables_[table].instruction});
    }
    for (operand& o : w_.code.operands)
      if (o.kind == operand_kind::label) o.index = label_of[o.index];
    for (const table_at& t : tables_) {
      branch_table made{t.name, {}, {}, 0};
      for (const block b : t.targets) made.targets.push_back(label_of[b]);
      w_.code.branch_tables.push_back(std::move(made));
    }
  }
  position where_of(const node& n) const {
    const std::uint32_t label = blocks_[n.text].label;
    return label == no_index ? position{} : text_.labels[label].where;
  }

  const checked_function& checked_;
  const function& text_;
  const function_blocks& blocks_;
  graph graph_;
  detail::function_writer w_;
  detail::plan_variables variables_;
  std::vector<table_at> tables_;
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
