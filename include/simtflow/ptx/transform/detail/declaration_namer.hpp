// SPDX-License-Identifier: BSL-1.0
//
// Names the declarations of a rewritten function. They all stand at its beginning, because blocks move out of inner
// braces. Declarations that stood there before keep their names. Declarations that move there get new names if their
// names are taken.
#pragma once

#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/transform/detail/function_writer.hpp>
#include <simtflow/ptx/transform/detail/rewrite_graph.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class declaration_namer {
 public:
  declaration_namer(const checked_function& f, const rewrite_graph& graph, function_writer& w)
      : module_(f.owner()), text_(f.text()), blocks_(f.blocks()), graph_(graph), w_(w) {}

  // Notes the names of the module, and of what the function declares outside inner braces.
  void keep_names() {
    for (const variable& v : module_.variables) w_.names.add_outside(v.name);
    for (const function& f : module_.functions) w_.names.add_outside(f.name);
    for (const function& f : module_.kernels) w_.names.add_outside(f.name);
    for (const std::vector<variable>* list : {&text_.results, &text_.parameters})
      for (const variable& v : *list) w_.names.add(v.name);
    find_variables_inside();
    for (const register_info& r : text_.registers)
      if (!inner(r.scope)) w_.names.add(base_name(r));
    for (std::size_t i = 0; i < text_.variables.size(); ++i)
      if (inside_[i] == 0) w_.names.add(text_.variables[i].name);
    const auto keep = [&](const auto& list) {
      for (const auto& named : list)
        if (!inner(named.scope)) w_.names.add(named.name);
    };
    keep(text_.labels);
    keep(text_.prototypes);
    keep(text_.call_targets);
  }
  // Moves registers, variables, prototypes and lists of targets to the beginning.
  void move_declarations() {
    move_registers();
    for (std::size_t i = 0; i < text_.variables.size(); ++i) {
      if (inside_[i] != 0) w_.code.variables[i].name = w_.names.fresh(text_.variables[i].name);
      add_item(item_kind::variable, static_cast<std::uint32_t>(i));
    }
    for (std::size_t i = 0; i < text_.prototypes.size(); ++i) {
      if (inner(text_.prototypes[i].scope)) w_.code.prototypes[i].name = w_.names.fresh(text_.prototypes[i].name);
      w_.code.prototypes[i].scope = 0;
      add_item(item_kind::prototype, static_cast<std::uint32_t>(i));
    }
    for (std::size_t i = 0; i < text_.call_targets.size(); ++i) {
      if (inner(text_.call_targets[i].scope)) w_.code.call_targets[i].name = w_.names.fresh(text_.call_targets[i].name);
      w_.code.call_targets[i].scope = 0;
      add_item(item_kind::call_targets, static_cast<std::uint32_t>(i));
    }
  }
  void name_labels() {
    w_.label_names.assign(graph_.nodes.size(), {});
    for (rewrite_graph::block b = 0; b < graph_.nodes.size(); ++b) {
      const rewrite_graph::node& n = graph_.nodes[b];
      const std::uint32_t own = graph_.executes_text(n) ? blocks_[n.text].label : no_index;
      if (own != no_index && n.kind == rewrite_graph::node_kind::original)
        w_.label_names[b] =
            inner(text_.labels[own].scope) ? w_.names.fresh(text_.labels[own].name) : text_.labels[own].name;
      else
        w_.label_names[b] = w_.names.fresh((n.kind == rewrite_graph::node_kind::guard   ? "$guard"
                                            : n.kind == rewrite_graph::node_kind::copy  ? "$copy"
                                            : n.kind == rewrite_graph::node_kind::empty ? "$join"
                                            : n.kind == rewrite_graph::node_kind::end   ? "$end"
                                                                                        : "$block") +
                                           std::to_string(b));
    }
  }

 private:
  static bool inner(std::uint32_t scope) { return scope != 0; }

  void find_variables_inside() {
    inside_.assign(text_.variables.size(), 0);
    std::uint32_t depth = 0;
    for (const item& i : text_.items) {
      if (i.kind == item_kind::open) ++depth;
      if (i.kind == item_kind::close) --depth;
      if (i.kind == item_kind::variable) inside_[i.index] = depth != 0 ? 1 : 0;
    }
  }
  void move_registers() {
    for (std::size_t i = 0; i < w_.registers.size(); ++i) {
      register_info& r = w_.registers[i];
      if (i >= text_.registers.size() || !inner(r.scope)) continue;
      const std::string component = r.width > 1 ? r.name.substr(r.name.size() - 2) : std::string();
      if (r.width > 1 && component != ".x") {
        r.name = base_name(w_.registers[i - 1]) + component;
      } else {
        r.name = w_.names.fresh(base_name(r)) + component;
      }
      r.scope = 0;
      r.declaration = no_index;
    }
  }
  static std::string base_name(const register_info& r) {
    return r.width > 1 ? r.name.substr(0, r.name.size() - 2) : r.name;
  }
  void add_item(item_kind kind, std::uint32_t index) {
    w_.code.items.push_back({kind, index, static_cast<std::uint32_t>(w_.code.instructions.size())});
  }

  const module& module_;
  const function& text_;
  const function_blocks& blocks_;
  const rewrite_graph& graph_;
  function_writer& w_;
  std::vector<unsigned char> inside_;  // by variable: it is declared in inner braces
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
