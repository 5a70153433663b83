// SPDX-License-Identifier: BSL-1.0
//
// Writes a function in which branches have been melded. Its blocks keep the order of the text, and melded code stands
// where its branch was. Then jumps to jumps become short, unreachable blocks are left out, and function_rewriter.hpp
// lays out the rest.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/opcode.hpp>
#include <simtflow/ptx/transform/detail/melded_block.hpp>
#include <simtflow/ptx/transform/detail/name_set.hpp>
#include <simtflow/ptx/transform/function_rewriter.hpp>
#include <simtflow/ptx/transform/melding_model.hpp>
#include <simtflow/transform/plan.hpp>
#include <simtflow/transform/rewrite.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// Used once.
class melded_text {
 public:
  // `draft` has the registers and operands of what was made, no instructions; `fate` is by block of the text.
  melded_text(const melding_model& model, function& draft, std::span<melded_block> made,
              std::span<const meld_fate> fate)
      : module_(model.checked().owner()),
        text_(model.checked().text()),
        blocks_(model.blocks()),
        model_(model),
        draft_(draft),
        made_(made),
        fate_(fate) {}

  [[nodiscard]] result<function> take() {
    write_draft();
    return tidy();
  }

 private:
  // Writes every block with a label, every edge as a branch.
  void write_draft() {
    draft_.items.clear();
    draft_.labels.clear();
    draft_.branch_tables.clear();
    name_set names(text_, module_);
    for (std::size_t r = text_.registers.size(); r < draft_.registers.size(); ++r) {
      const bool predicate = draft_.registers[r].type == scalar_type::pred;
      draft_.registers[r].name = names.fresh((predicate ? "%meldp" : "%meld") + std::to_string(r));
    }
    for (std::uint32_t k = 0; k < text_.variables.size(); ++k) draft_.items.push_back({item_kind::variable, k, 0});
    for (std::uint32_t k = 0; k < text_.prototypes.size(); ++k) draft_.items.push_back({item_kind::prototype, k, 0});
    for (std::uint32_t k = 0; k < text_.call_targets.size(); ++k)
      draft_.items.push_back({item_kind::call_targets, k, 0});

    for (block_id b = 0; b < blocks_.size(); ++b) {
      const std::uint32_t l = blocks_[b].label;
      draft_.labels.push_back({l != no_index ? text_.labels[l].name : names.fresh("$block" + std::to_string(b)),
                               l != no_index ? text_.labels[l].where : position{}, 0, 0});
    }
    for (std::size_t k = 0; k < made_.size(); ++k)
      draft_.labels.push_back({names.fresh("$meld" + std::to_string(k)), {}, 0, 0});
    const std::vector<unsigned char> runs = reached();
    for (block_id b = 0; b < blocks_.size(); ++b) {
      if (runs[b] == 0) continue;
      SIMTFLOW_EXPECTS(!fate_[b].gone, "nothing leads into an arm but its branch");
      write_text(b);
      if (fate_[b].starts == no_block) continue;
      for (block_id k = fate_[b].starts; k < fate_[b].ends; ++k)
        if (runs[k] != 0) write_made(k);
    }
    keep_placed_labels();
  }
  // The blocks that are still reachable, by number.
  [[nodiscard]] std::vector<unsigned char> reached() const {
    std::vector<unsigned char> runs(blocks_.size() + made_.size(), 0);
    std::vector<block_id> work;
    const auto visit = [&](block_id b) {
      if (b == no_block || runs[b] != 0) return;
      runs[b] = 1;
      work.push_back(b);
    };
    visit(blocks_.graph().entry());
    while (!work.empty()) {
      const block_id b = work.back();
      work.pop_back();
      if (b >= blocks_.size()) {
        const melded_block& m = made_[b - blocks_.size()];
        for (const block_id to : m.to) visit(to);
        for (const block_id to : m.targets) visit(to);
      } else if (fate_[b].starts != no_block) {
        visit(fate_[b].starts);
      } else {
        for (const block_id to : blocks_.graph().successors(b)) visit(to);
      }
    }
    return runs;
  }
  void here(block_id b) {
    draft_.labels[b].instruction = static_cast<std::uint32_t>(draft_.instructions.size());
    draft_.items.push_back({item_kind::label, b, static_cast<std::uint32_t>(draft_.instructions.size())});
  }
  void go(block_id to) {
    instruction i;
    i.opcode = "bra.uni";
    put_label(i, to);
    draft_.instructions.push_back(std::move(i));
  }
  void put_label(instruction& i, block_id to) {
    operand o;
    o.kind = operand_kind::label;
    o.index = to;
    i.first_operand = static_cast<std::uint32_t>(draft_.operands.size());
    i.num_operands = 1;
    draft_.operands.push_back(o);
  }
  void go_if(const instruction& like, meld_condition when, block_id to) {
    instruction i;
    i.opcode = "bra";
    i.where = like.where;
    i.guard = when.reg;
    i.guard_negated = when.negated;
    i.guard_where = like.guard_where;
    put_label(i, to);
    draft_.instructions.push_back(std::move(i));
  }
  void put_table(instruction brx, std::span<const block_id> targets) {
    const std::uint32_t at = static_cast<std::uint32_t>(draft_.branch_tables.size());
    const operand index = draft_.operands[brx.first_operand], table = draft_.operands[brx.first_operand + 1];
    branch_table t = text_.branch_tables[table.index];
    t.targets.assign(targets.begin(), targets.end());
    draft_.branch_tables.push_back(std::move(t));
    draft_.items.push_back({item_kind::branch_table, at, static_cast<std::uint32_t>(draft_.instructions.size())});
    brx.first_operand = static_cast<std::uint32_t>(draft_.operands.size());
    draft_.operands.push_back(index);
    draft_.operands.push_back(table);
    draft_.operands.back().index = at;
    draft_.instructions.push_back(std::move(brx));
  }
  void write_text(block_id b) {
    here(b);
    const auto to = blocks_.graph().successors(b);
    const text_block& t = blocks_[b];
    for (std::uint32_t i = model_.first(b); i < model_.last(b); ++i)
      draft_.instructions.push_back(text_.instructions[i]);
    if (fate_[b].starts != no_block) return go(fate_[b].starts);
    switch (t.end) {
      case text_end::falls:
      case text_end::jumps:
        return go(to[0]);
      case text_end::branches:
        go_if(last_of(b), {last_of(b).guard, last_of(b).guard_negated}, to[0]);
        return go(to[1]);
      case text_end::table: {
        const bool guarded = last_of(b).guard != no_index;
        put_table(last_of(b), to.subspan(0, to.size() - (guarded ? 1U : 0U)));
        if (guarded) go(to.back());
        return;
      }
      case text_end::leaves:
        if (t.first != t.last) draft_.instructions.push_back(last_of(b));
        if (!to.empty()) go(to[0]);
        return;
      case text_end::stops:
        return;
    }
  }
  void write_made(block_id k) {
    here(k);
    melded_block& b = made_[k - blocks_.size()];
    for (instruction& i : b.code) draft_.instructions.push_back(std::move(i));
    switch (b.on) {
      case melded_block::way::open:  // a side of a branch that has nothing there
        break;
      case melded_block::way::one:
        return go(b.to[0]);
      case melded_block::way::two: {
        instruction like{};
        like.where = b.where;
        go_if(like, b.when, b.to[0]);
      }
        return go(b.to[1]);
      case melded_block::way::table:
        put_table(std::move(b.brx), std::span<const block_id>(b.targets));
        if (b.to[0] != no_block) go(b.to[0]);
        return;
    }
  }
  void keep_placed_labels() {
    std::vector<std::uint32_t> number(draft_.labels.size(), no_index);
    std::vector<label> kept;
    for (item& i : draft_.items) {
      if (i.kind != item_kind::label) continue;
      number[i.index] = static_cast<std::uint32_t>(kept.size());
      kept.push_back(std::move(draft_.labels[i.index]));
      i.index = number[i.index];
    }
    draft_.labels = std::move(kept);
    for (const instruction& i : draft_.instructions) {
      if (opcode_head(i) != "bra") continue;
      operand& o = draft_.operands[i.first_operand];
      o.index = number[o.index];
    }
    for (branch_table& t : draft_.branch_tables)
      for (std::uint32_t& l : t.targets) l = number[l];
  }

  // Makes jumps to jumps short, leaves out unreachable blocks, and lays out the rest.
  [[nodiscard]] result<function> tidy() const {
    const checked_function written = checked_maker::written(module_, draft_);
    const function_blocks& blocks = written.blocks();
    flow_plan plan(blocks.graph());
    const auto only_jumps = [&](block_id b) {
      return blocks[b].end == text_end::jumps && blocks[b].last == blocks[b].first + 1;
    };
    for (block_id b = 0; b < blocks.size(); ++b) {
      std::uint32_t slot = 0;
      for (block_id to : blocks.graph().successors(b)) {
        for (std::size_t hops = 0; only_jumps(to) && hops < 64; ++hops) to = blocks.graph().successors(to)[0];
        plan.set_edge(b, slot++, to);
      }
    }
    function_rewriter code(written);
    code.lay_out_anew();
    apply(plan, code);
    return code.take();
  }

  const instruction& last_of(block_id b) const { return text_.instructions[blocks_[b].last - 1]; }

  const module& module_;
  const function& text_;
  const function_blocks& blocks_;
  const melding_model& model_;
  function& draft_;
  std::span<melded_block> made_;
  std::span<const meld_fate> fate_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
