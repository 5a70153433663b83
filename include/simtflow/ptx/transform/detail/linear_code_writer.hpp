// SPDX-License-Identifier: BSL-1.0
//
// Writes the path of a partial linearization as a function (linear_code.hpp says what the code looks like).
//
// Each block tests its mask (linear_predicates.hpp), writes its instructions under it, notes where active threads go,
// and goes on. An *outcome* of a block is a slot of its edges, and after these the end.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/transform/detail/declaration_namer.hpp>
#include <simtflow/ptx/transform/detail/function_writer.hpp>
#include <simtflow/ptx/transform/detail/linear_predicates.hpp>
#include <simtflow/ptx/transform/detail/new_operands.hpp>
#include <simtflow/ptx/transform/detail/rewrite_graph.hpp>
#include <simtflow/transform/partial_linearization.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class linear_code_writer {
 public:
  // \pre nothing in the function is refused. `agrees(b)` is what the path was made with.
  template <class Agrees>
  linear_code_writer(const checked_function& f, const partial_linearization<>& path, bool vote, Agrees agrees)
      : checked_(f),
        text_(f.text()),
        blocks_(f.blocks()),
        path_(path),
        order_(path.order()),
        vote_(vote),
        graph_(f),
        w_(f.text()),
        predicates_(f.text(), w_, vote_) {
    const std::size_t n = path.ids().num_blocks();
    for (block_id b = 0; b < n; ++b) {
      const auto kind = path.executes(b) ? rewrite_graph::node_kind::original : rewrite_graph::node_kind::empty;
      graph_.add({kind, path.executes(b) ? b : no_block});
    }
    ended_ = static_cast<std::uint32_t>(n);
    agrees_.assign(n, 0);
    for (const block_id b : order_)
      if (path.executes(b)) agrees_[b] = agrees(b) ? 1 : 0;
  }
  linear_code_writer(const linear_code_writer&) = delete;  // its parts refer to each other
  linear_code_writer& operator=(const linear_code_writer&) = delete;

  [[nodiscard]] function take() {
    add_registers();
    w_.begin();
    declaration_namer names(checked_, graph_, w_);
    names.keep_names();
    names.move_declarations();
    for (const made_register& r : made_) w_.registers[r.number].name = w_.names.fresh(r.name);
    names.name_labels();
    begin();
    for (std::size_t i = 0; i < order_.size(); ++i) write(order_[i], i + 1 < order_.size() ? order_[i + 1] : no_block);
    define_labels();
    return std::move(w_.code);
  }

  // Counts of what take() wrote.
  [[nodiscard]] std::size_t num_blocks() const { return order_.size(); }
  [[nodiscard]] std::size_t num_loops() const { return loops_; }
  [[nodiscard]] std::size_t num_turns() const { return turns_; }
  [[nodiscard]] std::size_t num_masked_blocks() const { return masked_blocks_; }
  [[nodiscard]] std::size_t num_masked_instructions() const { return masked_instructions_; }
  [[nodiscard]] std::size_t num_votes() const { return predicates_.votes; }

 private:
  struct made_register {
    std::uint32_t number;
    const char* name;
  };
  std::uint32_t add(scalar_type type, const char* name) {
    made_.push_back({w_.add_register(type), name});
    return made_.back().number;
  }
  void add_registers() {
    pending_ = add(scalar_type::b32, "%pending");
    next_ = add(scalar_type::b32, "%next");
    predicates_.mask = add(scalar_type::pred, "%mask");
    predicates_.both = add(scalar_type::pred, "%both");
    predicates_.way = add(scalar_type::pred, "%way");
    if (vote_) predicates_.group = add(scalar_type::b32, "%group");
  }
  void begin() {
    w_.here = {};
    if (vote_) w_.append("activemask.b32", {register_operand(predicates_.group)});
    if (!order_.empty() && is_masked(order_[0])) set_pending(order_[0], {});
  }

  [[nodiscard]] bool is_masked(block_id b) const { return vote_ ? !path_.is_full(b) : !path_.is_full_alone(b); }
  [[nodiscard]] const instruction* last_of(block_id b) const { return graph_.last_of(graph_.nodes[b]); }

  void set_pending(std::uint32_t value, linear_literal when) {
    w_.append("mov.u32", {register_operand(pending_), number_operand(value)}, when.reg, when.negated);
  }

  // --- blocks ------------------------------------------------------------------------------------------------------

  void write(block_id b, block_id next) {
    w_.here = {};
    graph_.nodes[b].start = static_cast<std::uint32_t>(w_.code.instructions.size());
    masked_ = false;
    predicates_.begin(false);
    loops_ += path_.end(b) == linear_end::repeat ? 1 : 0;
    if (path_.turns(b)) {
      ++turns_;
      const block_id header = path_.successors(b)[0];
      w_.append("setp.eq.u32", {register_operand(predicates_.way), register_operand(pending_), number_operand(header)});
      return repeat(b, predicates_.asked({predicates_.way, false}, false), next);
    }
    masked_ = is_masked(b);
    predicates_.begin(masked_);
    if (masked_) {
      ++masked_blocks_;
      w_.append("setp.eq.u32", {register_operand(predicates_.mask), register_operand(pending_), number_operand(b)});
    }
    const instruction* last = last_of(b);
    const text_block& text = blocks_[b];
    for (std::uint32_t i = text.first; i < text.last - (last != nullptr ? 1U : 0U); ++i)
      write_text(text_.instructions[i]);
    if (last != nullptr) w_.here = last->where;
    const linear_ways w = ways_of(b, last);
    set_targets(b, w);
    go_on(b, w, next);
  }

  void write_text(const instruction& i) {
    w_.here = i.where;
    const auto given = text_.operands_of(i);
    const linear_literal guard = predicates_.under_mask({i.guard, i.guard_negated});
    w_.append(i.opcode, std::vector<operand>(given.begin(), given.end()), guard.reg, guard.negated);
    w_.code.instructions.back().guard_where = i.guard_where;
    if (masked_) ++masked_instructions_;
    predicates_.wrote(i);
  }
  [[nodiscard]] linear_ways ways_of(block_id b, const instruction* last) const {
    const auto num_ways = static_cast<std::uint32_t>(blocks_.graph().successors(b).size());
    linear_ways w;
    w.outcomes = num_ways + (blocks_.graph().is_exit(b) ? 1 : 0);
    if (w.outcomes < 2) return w;
    w.taken = {last->guard, last->guard_negated};
    if (blocks_[b].end == text_end::table) {
      w.by = linear_choice::table;
      w.second = num_ways - 1;
      return w;
    }
    w.by = linear_choice::predicate;
    w.first = blocks_[b].end == text_end::leaves ? num_ways : 0;
    w.second = 1 - w.first;
    return w;
  }

  // The block that a thread waits for after an outcome; ended_: none.
  [[nodiscard]] std::uint32_t target(block_id b, std::uint32_t outcome) const {
    const auto out = blocks_.graph().successors(b);
    return outcome < out.size() ? out[outcome] : ended_;
  }
  // The block to which the path goes after an outcome of active threads; ended_: none.
  [[nodiscard]] std::uint32_t path_after(block_id b, std::uint32_t outcome) const {
    const auto out = path_.successors(b);
    switch (path_.end(b)) {
      case linear_end::stop:
        return ended_;
      case linear_end::jump:
        return out[0];
      case linear_end::branch:
        return outcome < out.size() ? out[outcome] : ended_;
      case linear_end::repeat:
        break;
    }
    return stays(b, target(b, outcome)) ? out[0] : no_block;  // who leaves may have to wait for others
  }
  // At a block that decides about a loop: true if threads that go to this block stay in the loop.
  [[nodiscard]] bool stays(block_id b, std::uint32_t to) const { return path_.successors(b)[0] == to; }

  // True if pending_ must say where threads go by this outcome: the path goes elsewhere, or asks there.
  [[nodiscard]] bool is_noted(block_id b, std::uint32_t outcome) const {
    const std::uint32_t to = target(b, outcome), next = path_after(b, outcome);
    if (path_.end(b) == linear_end::repeat && !vote_ && next == no_block) {  // a thread that leaves goes on at once
      const auto out = path_.successors(b);
      return (out.size() > 1 ? out[1] : ended_) != to || (to != ended_ && is_masked(to));
    }
    return next != to || (to != ended_ && is_masked(to));
  }

  // Sets pending_ in active threads.
  void set_targets(block_id b, const linear_ways& w) {
    std::uint32_t noted = 0;
    for (std::uint32_t k = 0; k < w.outcomes; ++k) noted += is_noted(b, k) ? 1 : 0;
    if (noted == 0) return;
    switch (w.by) {
      case linear_choice::none:
        return set_pending(target(b, 0), predicates_.under_mask({}));
      case linear_choice::predicate:
        if (noted == 2 && target(b, 0) == target(b, 1)) return set_pending(target(b, 0), predicates_.under_mask({}));
        if (noted == 2) {
          const std::uint32_t yes = target(b, w.taken.negated ? w.second : w.first);
          const std::uint32_t no = target(b, w.taken.negated ? w.first : w.second);
          const std::uint32_t to = masked_ ? next_ : pending_;
          w_.append("selp.u32",
                    {register_operand(to), number_operand(yes), number_operand(no), register_operand(w.taken.reg)});
          if (masked_) w_.append("mov.u32", {register_operand(pending_), register_operand(next_)}, predicates_.mask);
          return;
        }
        return set_pending(target(b, is_noted(b, w.first) ? w.first : w.second),
                           predicates_.under_mask({w.taken.reg, w.taken.negated != is_noted(b, w.second)}));
      case linear_choice::table:
        break;
    }
    const instruction& brx = *last_of(b);
    for (std::uint32_t k = 0; k < w.outcomes; ++k) {
      if (!is_noted(b, k)) continue;
      if (brx.guard != no_index && k == w.second) {
        set_pending(target(b, k), predicates_.under_mask({brx.guard, !brx.guard_negated}));
      } else {
        predicates_.test_entry(brx, k);
        set_pending(target(b, k), {predicates_.way, false});
      }
    }
  }

  void go_on(block_id b, const linear_ways& w, block_id next) {
    const auto out = path_.successors(b);
    const bool agreed = path_.is_full(b) && agrees_[b] != 0;
    const auto decided = [&](auto wanted) {
      return predicates_.asked(predicates_.test(last_of(b), w, wanted), agreed);
    };
    switch (path_.end(b)) {
      case linear_end::stop:
        return w_.append("ret", {});
      case linear_end::jump:
        return go(out[0], next);
      case linear_end::repeat:
        return repeat(b, decided([&](std::uint32_t k) { return stays(b, target(b, k)); }), next);
      case linear_end::branch:
        break;
    }
    if (w.by == linear_choice::table && !masked_ && agreed) return write_table(b, w, next);
    // The last way on is for all that take no other; then two ways are one if they lead to the same block.
    const auto way_on = [&](std::uint32_t k) { return k < out.size() ? out[k] : no_block; };
    std::uint32_t otherwise = w.outcomes - 1;
    if (w.outcomes == 2 && way_on(otherwise) != next && way_on(0) == next) otherwise = 0;
    std::vector<block_id> done(1, way_on(otherwise));
    for (std::uint32_t k = 0; k < w.outcomes; ++k) {
      const block_id to = way_on(k);
      bool is_new = true;
      for (const block_id d : done) is_new = is_new && d != to;
      if (!is_new) continue;
      done.push_back(to);
      branch(to, decided([&](std::uint32_t j) { return way_on(j) == to; }));
    }
    go(way_on(otherwise), next);
  }
  // A table with its targets as they are now.
  void write_table(block_id b, const linear_ways& w, block_id next) {
    const instruction& brx = *last_of(b);
    const auto given = text_.operands_of(brx);
    const auto out = path_.successors(b);
    const bool guarded = brx.guard != no_index;
    branch_table made{w_.names.fresh(text_.branch_tables[given[1].index].name), {}, {}, 0};
    for (std::uint32_t k = 0; k < w.outcomes - (guarded ? 1 : 0); ++k) {
      made.targets.push_back(out[k]);  // until define_labels()
      graph_.nodes[out[k]].is_target = true;
    }
    operand list = given[1];
    list.index = static_cast<std::uint32_t>(w_.code.branch_tables.size());
    tables_.push_back(static_cast<std::uint32_t>(w_.code.instructions.size()));
    w_.code.branch_tables.push_back(std::move(made));
    w_.append(brx.opcode, {given[0], list}, brx.guard, brx.guard_negated);
    if (guarded) go(out[w.second], next);
  }
  // Goes to the first successor where the literal holds, else to the second.
  void repeat(block_id b, linear_literal on, block_id next) {
    const auto out = path_.successors(b);
    const block_id left = out.size() > 1 ? out[1] : no_block;
    if (on.reg == no_index) return go(out[0], next);
    if (out[0] == next) {
      branch(left, {on.reg, !on.negated});
      return;
    }
    branch(out[0], on);
    go(left, next);
  }

  // A branch, or a return if there is no block.
  void branch(block_id to, linear_literal on) {
    if (to == no_block) return w_.append("ret", {}, on.reg, on.negated);
    operand o;
    o.kind = operand_kind::label;
    o.index = to;  // until define_labels()
    graph_.nodes[to].is_target = true;
    w_.append(on.reg == no_index ? "bra.uni" : "bra", {o}, on.reg, on.negated);
  }
  void go(block_id to, block_id next) {
    if (to == no_block || to != next) branch(to, {});
  }

  void define_labels() {
    std::vector<std::uint32_t> label_of(graph_.nodes.size(), no_index);
    std::uint32_t table = 0;
    const auto add_tables = [&](std::uint32_t before) {
      for (; table < tables_.size() && tables_[table] < before; ++table)
        w_.code.items.push_back({item_kind::branch_table, table, tables_[table]});
    };
    for (const block_id b : order_) {
      const rewrite_graph::node& n = graph_.nodes[b];
      add_tables(n.start);
      if (!n.is_target) continue;
      const std::uint32_t own = path_.executes(b) ? blocks_[b].label : no_index;
      label_of[b] = static_cast<std::uint32_t>(w_.code.labels.size());
      w_.code.items.push_back({item_kind::label, label_of[b], n.start});
      w_.code.labels.push_back({w_.label_names[b], own == no_index ? position{} : text_.labels[own].where, n.start, 0});
    }
    add_tables(no_index);
    for (operand& o : w_.code.operands)
      if (o.kind == operand_kind::label) o.index = label_of[o.index];
    for (branch_table& t : w_.code.branch_tables)
      for (std::uint32_t& to : t.targets) to = label_of[to];
  }

  const checked_function& checked_;
  const function& text_;
  const function_blocks& blocks_;
  const partial_linearization<>& path_;
  std::span<const block_id> order_;
  bool vote_;
  rewrite_graph graph_;
  function_writer w_;
  linear_predicates predicates_;
  std::size_t loops_ = 0;
  std::size_t turns_ = 0;
  std::size_t masked_blocks_ = 0;
  std::size_t masked_instructions_ = 0;
  std::vector<made_register> made_;
  std::vector<std::uint32_t> tables_;  // by table: its brx.idx
  std::vector<unsigned char> agrees_;  // by block
  std::uint32_t ended_ = 0;            // what pending_ holds in threads that have ended
  std::uint32_t pending_ = no_index, next_ = no_index;
  bool masked_ = false;  // the block that is written
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
