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
#include <simtflow/graph/csr.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/transform/detail/block_layout.hpp>
#include <simtflow/ptx/transform/detail/name_set.hpp>
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
  using block = std::uint32_t;  ///< number of a block that was made

  /// Starts without blocks.
  explicit function_rewriter(const checked_function& f)
      : module_(f.owner()), text_(f.text()), blocks_(f.blocks()), registers_(f.text().registers) {}
  explicit function_rewriter(const checked_function&& f) = delete;

  /// Blocks are laid out anew even if the plan changes nothing.
  void lay_out_anew() { changed_ = true; }

  /// @{
  /// As code_rewriter asks.
  block original(block_id b) { return add({node_kind::original, b}); }
  block copy(block_id b) { return add({node_kind::copy, b}); }
  block guard(std::uint32_t variable, std::uint32_t low, std::uint32_t high) {
    return add({node_kind::guard, no_block, variable, low, high});
  }
  block empty() { return add({node_kind::empty, no_block}); }
  block end() { return add({node_kind::end, no_block}); }

  void declare(std::uint32_t variable, bool zero) { variables_.push_back({variable, no_index, zero}); }

  void connect(block from, std::uint32_t slot, block to, std::span<const plan_assignment> sets) {
    node& n = nodes_[from];
    if (slot == 0) n.first_edge = static_cast<std::uint32_t>(edges_.size());
    SIMTFLOW_EXPECTS(n.first_edge + slot == edges_.size(), "edges come block after block, slot after slot");
    ++n.edges;
    edges_.push_back({to, static_cast<std::uint32_t>(sets_.size()), static_cast<std::uint32_t>(sets.size())});
    for (const plan_assignment& a : sets) sets_.push_back(a);
  }
  void enter(block b) { entry_ = b; }
  /// @}

  /// The function as it is now. An `exit` in a device function cannot follow an exit edge; it is reported. Nothing else
  /// may be called after this. Near-linear in what is written.
  [[nodiscard]] result<function> take() {
    simtflow::diagnostics refused;
    refuse_exits(refused);
    if (!refused.empty()) return refused;
    start();
    for (node& n : nodes_) find_ways(n);
    lay_out();
    name_things();
    write();
    return std::move(out_);
  }

 private:
  enum class node_kind : std::uint8_t { original, copy, guard, empty, end };
  // How a block goes on: by no edge; by one; by a branch that takes edge `taken` if `condition` holds (or not), else
  // `other`; by a table.
  enum class way : std::uint8_t { none, one, two, table };
  struct node {
    node_kind kind = node_kind::original;
    block_id text = no_block;
    std::uint32_t variable = 0, low = 0, high = 0;
    std::uint32_t first_edge = 0, edges = 0;
    way on = way::none;
    std::uint32_t taken = 0, other = 0;  // edges; of one way: `other`
    std::uint32_t condition = no_index;  // a register
    bool negated = false;
    std::uint32_t start = 0;  // where it stands
    bool is_target = false;
  };
  struct edge {
    block to;
    std::uint32_t first_set, sets;
  };
  struct table_at {
    std::uint32_t instruction;
    std::vector<block> targets;
    std::string name;
  };
  struct plan_variable {
    std::uint32_t number;
    std::uint32_t reg;
    bool zero;
  };

  block add(node n) {
    nodes_.push_back(n);
    return static_cast<block>(nodes_.size() - 1);
  }
  bool executes_text(const node& n) const { return n.kind == node_kind::original || n.kind == node_kind::copy; }
  std::span<const plan_assignment> sets_of(std::uint32_t e) const {
    return std::span<const plan_assignment>(sets_).subspan(edges_[e].first_set, edges_[e].sets);
  }
  // The instruction that ends a block of the text; null if none does.
  const instruction* last_of(const node& n) const {
    const text_block& b = blocks_[n.text];
    const bool ends = b.first != b.last && b.end != text_end::falls && b.end != text_end::stops;
    return ends ? &text_.instructions[b.last - 1] : nullptr;
  }
  bool has_exit_edge(const node& n) const {
    return executes_text(n) && n.edges > blocks_.graph().successors(n.text).size();
  }

  void refuse_exits(simtflow::diagnostics& found) const {
    if (text_.is_entry) return;
    for (const node& n : nodes_) {
      if (!has_exit_edge(n)) continue;
      const instruction* last = last_of(n);
      if (last != nullptr && opcode_head(*last) == "exit")
        add_diagnostic(found, last->where, "in a device function 'exit' cannot become a branch to where others return");
    }
  }

  // --- how blocks go on ------------------------------------------------------------------------------------------

  // Finds whether anything changes, and makes the registers that guards need.
  void start() {
    std::vector<block> at(blocks_.size(), no_index);
    for (block b = 0; b < nodes_.size(); ++b) {
      changed_ = changed_ || nodes_[b].kind != node_kind::original;
      if (nodes_[b].kind == node_kind::original) at[nodes_[b].text] = b;
    }
    changed_ = changed_ || !sets_.empty() || (!nodes_.empty() && (nodes_[entry_].text != 0));
    for (const node& n : nodes_) {
      if (changed_) break;
      const auto successors = blocks_.graph().successors(n.text);
      changed_ = successors.size() != n.edges;
      for (std::uint32_t k = 0; k < n.edges && !changed_; ++k)
        changed_ = edges_[n.first_edge + k].to != at[successors[k]];
    }
    pass_ = add_register(scalar_type::pred);
    over_ = add_register(scalar_type::b32);
    for (plan_variable& v : variables_) v.reg = add_register(scalar_type::b32);
  }
  std::uint32_t add_register(scalar_type type) {
    register_info r;
    r.type = type;
    registers_.push_back(std::move(r));
    return static_cast<std::uint32_t>(registers_.size() - 1);
  }

  void find_ways(node& n) const {
    const auto one = [&](std::uint32_t e) {
      n.on = way::one;
      n.other = e;
    };
    const auto two = [&](std::uint32_t reg, bool negated, std::uint32_t taken, std::uint32_t other) {
      n.on = way::two;
      n.condition = reg;
      n.negated = negated;
      n.taken = taken;
      n.other = other;
    };
    const std::uint32_t e = n.first_edge;
    if (n.kind == node_kind::end) return;
    if (n.kind == node_kind::empty) return one(e);
    if (n.kind == node_kind::guard) return two(pass_, false, e, e + 1);
    const instruction* last = last_of(n);
    switch (blocks_[n.text].end) {
      case text_end::falls:
      case text_end::jumps:
        return one(e);
      case text_end::branches:
        return two(last->guard, last->guard_negated, e, e + 1);
      case text_end::leaves:
        if (n.edges == 2) return two(last->guard, last->guard_negated, e + 1, e);
        if (n.edges == 1) one(e);
        return;
      case text_end::table: {
        const std::uint32_t num_slots = n.edges - (last->guard != no_index ? 1 : 0);
        bool all = changed_ && num_slots > 0;
        for (std::uint32_t k = 1; k < num_slots; ++k) all = all && edges_[e + k].to == edges_[e].to;
        if (!all) {
          n.on = way::table;
          n.other = e + num_slots;
        } else if (num_slots == n.edges) {
          one(e);
        } else {
          two(last->guard, last->guard_negated, e, e + num_slots);
        }
        return;
      }
      case text_end::stops:
        return;
    }
  }

  void lay_out() {
    csr_builder g(nodes_.size(), entry_);
    std::vector<detail::block_layout::ways> on(nodes_.size());
    for (block b = 0; b < nodes_.size(); ++b) {
      const node& n = nodes_[b];
      for (std::uint32_t k = 0; k < n.edges; ++k) g.add_edge(b, edges_[n.first_edge + k].to);
      auto& w = on[b];
      if (n.on == way::one) w = {1, {edges_[n.other].to, no_block}};
      if (n.on == way::two) w = {2, {edges_[n.taken].to, edges_[n.other].to}};
      if (w.count == 2 && w.to[0] == w.to[1]) w.count = 1;
      if (n.on == way::table && n.other < n.first_edge + n.edges) w = {1, {edges_[n.other].to, no_block}};
    }
    if (changed_)
      order_ = detail::block_layout::order(g.build(), std::span<const detail::block_layout::ways>(on));
    else
      for (block b = 0; b < nodes_.size(); ++b) order_.push_back(b);
  }

  // --- names -----------------------------------------------------------------------------------------------------

  // Names everything that is declared at the beginning of the function.
  void name_things() {
    copy_head();
    detail::name_set here;
    for (const variable& v : module_.variables) here.add_outside(v.name);
    for (const function& f : module_.functions) here.add_outside(f.name);
    for (const function& f : module_.kernels) here.add_outside(f.name);
    for (const std::vector<variable>* list : {&text_.results, &text_.parameters})
      for (const variable& v : *list) here.add(v.name);
    const auto inner = [&](std::uint32_t scope) { return scope != 0; };
    // Names in the body itself stay.
    std::vector<unsigned char> variable_inside(text_.variables.size(), 0);
    std::uint32_t depth = 0;
    for (const item& i : text_.items) {
      if (i.kind == item_kind::open) ++depth;
      if (i.kind == item_kind::close) --depth;
      if (i.kind == item_kind::variable) variable_inside[i.index] = depth != 0 ? 1 : 0;
    }
    for (const register_info& r : text_.registers)
      if (!inner(r.scope)) here.add(base_name(r));
    for (std::size_t i = 0; i < text_.variables.size(); ++i)
      if (variable_inside[i] == 0) here.add(text_.variables[i].name);
    const auto keep = [&](const auto& list) {
      for (const auto& named : list)
        if (!inner(named.scope)) here.add(named.name);
    };
    keep(text_.labels);
    keep(text_.prototypes);
    keep(text_.call_targets);
    // The rest is moved there.
    for (std::size_t i = 0; i < registers_.size(); ++i) {
      register_info& r = registers_[i];
      if (i >= text_.registers.size() || !inner(r.scope)) continue;
      const std::string component = r.width > 1 ? r.name.substr(r.name.size() - 2) : std::string();
      if (r.width > 1 && component != ".x") {
        r.name = base_name(registers_[i - 1]) + component;
      } else {
        r.name = here.fresh(base_name(r)) + component;
      }
      r.scope = 0;
      r.declaration = no_index;
    }
    for (std::size_t i = 0; i < text_.variables.size(); ++i) {
      if (variable_inside[i] != 0) out_.variables[i].name = here.fresh(text_.variables[i].name);
      add_item(item_kind::variable, static_cast<std::uint32_t>(i));
    }
    for (std::size_t i = 0; i < text_.prototypes.size(); ++i) {
      if (inner(text_.prototypes[i].scope)) out_.prototypes[i].name = here.fresh(text_.prototypes[i].name);
      out_.prototypes[i].scope = 0;
      add_item(item_kind::prototype, static_cast<std::uint32_t>(i));
    }
    for (std::size_t i = 0; i < text_.call_targets.size(); ++i) {
      if (inner(text_.call_targets[i].scope)) out_.call_targets[i].name = here.fresh(text_.call_targets[i].name);
      out_.call_targets[i].scope = 0;
      add_item(item_kind::call_targets, static_cast<std::uint32_t>(i));
    }
    registers_[pass_].name = here.fresh("%pass");
    registers_[over_].name = here.fresh("%over");
    for (const plan_variable& v : variables_) registers_[v.reg].name = here.fresh("%guard" + std::to_string(v.number));
    label_name_.assign(nodes_.size(), {});
    for (block b = 0; b < nodes_.size(); ++b) {
      const node& n = nodes_[b];
      const std::uint32_t own = executes_text(n) ? blocks_[n.text].label : no_index;
      if (own != no_index && n.kind == node_kind::original)
        label_name_[b] = inner(text_.labels[own].scope) ? here.fresh(text_.labels[own].name) : text_.labels[own].name;
      else
        label_name_[b] = here.fresh((n.kind == node_kind::guard   ? "$guard"
                                     : n.kind == node_kind::copy  ? "$copy"
                                     : n.kind == node_kind::empty ? "$join"
                                     : n.kind == node_kind::end   ? "$end"
                                                                  : "$block") +
                                    std::to_string(b));
    }
    names_ = std::move(here);
  }
  void copy_head() {
    out_ = text_;
    out_.registers.clear();
    out_.labels.clear();
    out_.branch_tables.clear();
    out_.items.clear();
    out_.instructions.clear();
    out_.operands.clear();
    out_.names.clear();
    out_.num_scopes = 1;
    new_register_.assign(registers_.size(), no_index);
    for (std::vector<variable>* list : {&out_.results, &out_.parameters})
      for (variable& v : *list)
        if (v.reg != no_index) v.reg = use(v.reg);
  }
  static std::string base_name(const register_info& r) {
    return r.width > 1 ? r.name.substr(0, r.name.size() - 2) : r.name;
  }
  void add_item(item_kind kind, std::uint32_t index) {
    out_.items.push_back({kind, index, static_cast<std::uint32_t>(out_.instructions.size())});
  }

  // --- registers and operands, in the order in which a reader of the text meets them -------------------------------

  std::uint32_t use(std::uint32_t r) {
    if (new_register_[r] != no_index) return new_register_[r];
    const std::uint32_t width = registers_[r].width;
    std::uint32_t first = r;
    if (width > 1) first -= component_of(registers_[r].name.back());
    for (std::uint32_t c = 0; c < width; ++c) {
      new_register_[first + c] = static_cast<std::uint32_t>(out_.registers.size());
      out_.registers.push_back(registers_[first + c]);
    }
    return new_register_[r];
  }
  static std::uint32_t component_of(char c) { return c == 'x' ? 0 : c == 'y' ? 1 : c == 'z' ? 2 : 3; }

  operand translated(operand o) {
    const operand_kind of = o.kind == operand_kind::address ? o.base : o.kind;
    if (of == operand_kind::reg) o.index = use(o.index);
    if (o.second != no_index) o.second = use(o.second);
    if (of == operand_kind::unknown) o.index = name(text_.names[o.index]);
    if (of == operand_kind::label) name(label_name_[o.index]);  // a name of nothing known until the text is read
    if (o.selector != no_index) o.selector = name(text_.names[o.selector]);
    if (o.kind != operand_kind::vector && o.kind != operand_kind::list && o.kind != operand_kind::texture) return o;
    std::vector<operand> elements;
    for (const operand& e : text_.elements_of(o)) elements.push_back(translated(e));
    o.index = static_cast<std::uint32_t>(out_.operands.size());
    for (const operand& e : elements) out_.operands.push_back(e);
    return o;
  }
  std::uint32_t name(const std::string& n) {
    out_.names.push_back(n);
    return static_cast<std::uint32_t>(out_.names.size() - 1);
  }

  // --- instructions ----------------------------------------------------------------------------------------------

  static operand reg(std::uint32_t r) {
    operand o;
    o.kind = operand_kind::reg;
    o.index = r;
    return o;
  }
  static operand number(std::uint32_t n) {
    operand o;
    o.kind = operand_kind::integer;
    o.bits = n;
    return o;
  }

  // Appends an instruction; its register operands are numbers in registers_.
  void append(std::string opcode, std::vector<operand> operands, std::uint32_t guard = no_index, bool negated = false) {
    instruction i;
    i.opcode = std::move(opcode);
    i.where = here_;
    if (guard != no_index) {
      i.guard = use(guard);
      i.guard_negated = negated;
    }
    for (operand& o : operands) o = translated(o);
    i.first_operand = static_cast<std::uint32_t>(out_.operands.size());
    i.num_operands = static_cast<std::uint32_t>(operands.size());
    for (const operand& o : operands) out_.operands.push_back(o);
    out_.instructions.push_back(std::move(i));
  }
  void emit_text(const instruction& i) {
    here_ = i.where;
    std::string opcode = i.opcode;
    if (changed_ && i.guard != no_index && opcode.ends_with(".uni") && !opcode.starts_with("vote"))
      opcode.resize(opcode.size() - 4);
    const auto given = text_.operands_of(i);
    append(std::move(opcode), std::vector<operand>(given.begin(), given.end()), i.guard, i.guard_negated);
    out_.instructions.back().guard_where = i.guard_where;
  }
  // Appends a branch; until define_labels(), labels are numbers of blocks.
  void emit_branch(block to, std::uint32_t condition = no_index, bool negated = false, const char* opcode = nullptr) {
    operand o;
    o.kind = operand_kind::label;
    o.index = to;
    nodes_[to].is_target = true;
    append(opcode != nullptr ? opcode : condition == no_index ? "bra.uni" : "bra", {o}, condition, negated);
  }
  void go(block to, block next) {
    if (to != next) emit_branch(to);
  }

  std::uint32_t register_of(std::uint32_t variable) const {
    std::size_t low = 0, high = variables_.size();  // ascending numbers
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      (variables_[middle].number <= variable ? low : high) = middle;
    }
    return variables_[low].reg;
  }
  void set(plan_assignment a, std::uint32_t condition = no_index, bool negated = false) {
    append("mov.u32", {reg(register_of(a.variable)), number(a.value)}, condition, negated);
  }
  static const plan_assignment* find(std::span<const plan_assignment> list, std::uint32_t variable) {
    for (const plan_assignment& a : list)
      if (a.variable == variable) return &a;
    return nullptr;
  }

  // Sets the variables of the two edges of a branch.
  void set_two(const node& n) {
    const auto taken = sets_of(n.taken), other = sets_of(n.other);
    for (const plan_assignment& a : taken) {
      const plan_assignment* b = find(other, a.variable);
      if (b == nullptr)
        set(a, n.condition, n.negated);
      else if (b->value == a.value)
        set(a);
      else
        append("selp.u32", {reg(register_of(a.variable)), number(n.negated ? b->value : a.value),
                            number(n.negated ? a.value : b->value), reg(n.condition)});
    }
    for (const plan_assignment& b : other)
      if (find(taken, b.variable) == nullptr) set(b, n.condition, !n.negated);
  }

  // Sets the variables of the edges of a table: once where all edges agree, else slot by slot where the index is the
  // slot.
  void set_by_table(const node& n, const instruction& brx) {
    const std::uint32_t num_slots = n.edges - (brx.guard != no_index ? 1 : 0);
    const operand index = text_.operands_of(brx)[0];
    std::vector<plan_assignment> common;
    if (num_slots > 0)
      for (const plan_assignment& a : sets_of(n.first_edge)) common.push_back(a);
    for (std::uint32_t k = 1; k < num_slots && !common.empty(); ++k) {
      std::size_t kept = 0;
      for (const plan_assignment& a : common) {
        const plan_assignment* b = find(sets_of(n.first_edge + k), a.variable);
        if (b != nullptr && b->value == a.value) common[kept++] = a;
      }
      common.resize(kept);
    }
    for (const plan_assignment& a : common) set(a, brx.guard, brx.guard_negated);
    for (std::uint32_t k = 0; k < num_slots; ++k) {
      bool tested = false;
      for (const plan_assignment& a : sets_of(n.first_edge + k)) {
        if (find(common, a.variable) != nullptr) continue;
        if (!tested && brx.guard == no_index) {
          append("setp.eq.u32", {reg(pass_), index, number(k)});
        } else if (!tested) {
          operand p = reg(brx.guard);
          p.negated = brx.guard_negated;
          append("setp.eq.and.u32", {reg(pass_), index, number(k), p});
        }
        tested = true;
        set(a, pass_);
      }
    }
    if (num_slots < n.edges)
      for (const plan_assignment& a : sets_of(n.first_edge + num_slots)) set(a, brx.guard, !brx.guard_negated);
  }

  void test(const node& n) {
    const operand value = reg(register_of(n.variable));
    if (n.low == n.high) return append("setp.eq.u32", {reg(pass_), value, number(n.low)});
    if (n.low == 0) return append("setp.le.u32", {reg(pass_), value, number(n.high)});
    if (n.high == 0xFFFF'FFFFU) return append("setp.ge.u32", {reg(pass_), value, number(n.low)});
    append("sub.u32", {reg(over_), value, number(n.low)});
    append("setp.le.u32", {reg(pass_), reg(over_), number(n.high - n.low)});
  }

  // --- blocks ----------------------------------------------------------------------------------------------------

  void write() {
    here_ = {};
    for (const plan_variable& v : variables_)
      if (v.zero) set({v.number, 0});
    for (std::size_t i = 0; i < order_.size(); ++i) {
      node& n = nodes_[order_[i]];
      n.start = static_cast<std::uint32_t>(out_.instructions.size());
      write(n, i + 1 < order_.size() ? order_[i + 1] : no_index);
    }
    define_labels();
  }

  void write(const node& n, block next) {
    here_ = {};
    const instruction* last = nullptr;
    if (executes_text(n)) {
      const text_block& b = blocks_[n.text];
      last = last_of(n);
      for (std::uint32_t i = b.first; i < b.last - (last != nullptr ? 1U : 0U); ++i) emit_text(text_.instructions[i]);
      if (last != nullptr) here_ = last->where;
    }
    const bool leaves = last != nullptr && blocks_[n.text].end == text_end::leaves && !has_exit_edge(n);
    switch (n.on) {
      case way::none:
        if (leaves)
          emit_text(*last);
        else if (n.kind == node_kind::end || (executes_text(n) && blocks_[n.text].end == text_end::leaves))
          append("ret", {});
        return;
      case way::one:
        if (last != nullptr && blocks_[n.text].end == text_end::table)
          set_by_table(n, *last);
        else
          for (const plan_assignment& a : sets_of(n.other)) set(a);
        if (leaves) emit_text(*last);  // under a guard: the others go on
        if (!changed_ && last != nullptr && !leaves)
          emit_branch(edges_[n.other].to, no_index, false, last->opcode.c_str());
        else
          go(edges_[n.other].to, next);
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
    const block taken = edges_[n.taken].to, other = edges_[n.other].to;
    const bool table = last != nullptr && blocks_[n.text].end == text_end::table;
    const bool apart = !changed_ || taken != other;
    if (n.kind == node_kind::guard && (apart || edges_[n.taken].sets + edges_[n.other].sets != 0)) test(n);
    if (table)
      set_by_table(n, *last);
    else
      set_two(n);
    if (!apart) {
      go(other, next);
    } else if (taken == next && changed_) {
      emit_branch(other, n.condition, !n.negated);
    } else {
      emit_branch(taken, n.condition, n.negated, changed_ ? nullptr : last->opcode.c_str());
      go(other, next);
    }
  }

  void write_table(const node& n, const instruction& brx, block next) {
    set_by_table(n, brx);
    const auto given = text_.operands_of(brx);
    table_at t;
    t.instruction = static_cast<std::uint32_t>(out_.instructions.size());
    for (std::uint32_t e = n.first_edge; e < n.other; ++e) {
      t.targets.push_back(edges_[e].to);
      nodes_[edges_[e].to].is_target = true;
    }
    t.name = names_.fresh(text_.branch_tables[given[1].index].name);
    operand list = given[1];
    list.index = static_cast<std::uint32_t>(tables_.size());
    tables_.push_back(std::move(t));
    std::string opcode = brx.opcode;
    if (changed_ && opcode.ends_with(".uni")) opcode.resize(opcode.size() - 4);
    append(std::move(opcode), {given[0], list}, brx.guard, brx.guard_negated);
    if (n.other < n.first_edge + n.edges) go(edges_[n.other].to, next);
  }

  // Makes the labels of the blocks that something branches to, and the lists of targets.
  void define_labels() {
    std::vector<std::uint32_t> label_of(nodes_.size(), no_index);
    std::size_t table = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const node& n = nodes_[order_[i]];
      if (n.is_target) {
        label_of[order_[i]] = static_cast<std::uint32_t>(out_.labels.size());
        out_.items.push_back({item_kind::label, label_of[order_[i]], n.start});
        out_.labels.push_back({label_name_[order_[i]], executes_text(n) ? where_of(n) : position{}, n.start, 0});
      }
      const std::uint32_t end =
          i + 1 < order_.size() ? nodes_[order_[i + 1]].start : static_cast<std::uint32_t>(out_.instructions.size());
      for (; table < tables_.size() && tables_[table].instruction < end; ++table)
        out_.items.push_back({item_kind::branch_table, static_cast<std::uint32_t>(table), tables_[table].instruction});
    }
    for (operand& o : out_.operands)
      if (o.kind == operand_kind::label) o.index = label_of[o.index];
    for (const table_at& t : tables_) {
      branch_table made{t.name, {}, {}, 0};
      for (const block b : t.targets) made.targets.push_back(label_of[b]);
      out_.branch_tables.push_back(std::move(made));
    }
  }
  position where_of(const node& n) const {
    const std::uint32_t label = blocks_[n.text].label;
    return label == no_index ? position{} : text_.labels[label].where;
  }

  const module& module_;
  const function& text_;
  const function_blocks& blocks_;
  std::vector<node> nodes_;
  std::vector<edge> edges_;
  std::vector<plan_assignment> sets_;
  std::vector<plan_variable> variables_;
  block entry_ = 0;
  bool changed_ = false;
  std::vector<block> order_;
  std::vector<register_info> registers_;  // of the text under their new names, then of guards
  std::uint32_t pass_ = no_index, over_ = no_index;
  std::vector<std::uint32_t> new_register_;
  std::vector<std::string> label_name_;
  std::vector<table_at> tables_;
  detail::name_set names_;
  position here_;
  function out_;
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
