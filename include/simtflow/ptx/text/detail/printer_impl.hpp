// SPDX-License-Identifier: BSL-1.0
//
// The implementation of printer.hpp: the module, its functions, what stands between instructions.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/text/detail/instruction_printer.hpp>
#include <simtflow/ptx/text/detail/register_printer.hpp>
#include <simtflow/ptx/text/detail/source_printer.hpp>
#include <simtflow/ptx/text/detail/text_writer.hpp>
#include <simtflow/ptx/text/detail/variable_printer.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/printer.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class printer {
 public:
  explicit printer(const module& m)
      : out_{m}, variables_(out_), registers_(out_), instructions_(out_), sources_(out_) {}

  std::string run() {
    header();
    for (const function& f : out_.module.functions) {
      signature(f);
      out_.text += ";\n";
    }
    for (const variable& v : out_.module.variables) {
      variables_.declaration(v);
      out_.text += ";\n";
    }
    for (const function& f : out_.module.functions)
      if (f.has_body) definition(f);
    for (const function& f : out_.module.functions)
      if (f.alias_of != no_index)
        out_.text += ".alias " + f.name + ", " + out_.module.functions[f.alias_of].name + ";\n";
    for (const kernel& k : out_.module.kernels) definition(k);
    sources_.tables();
    return std::move(out_.text);
  }

 private:
  void header() {
    out_.text = ".version " + out_.module.version + "\n.target " + out_.module.target;
    for (const std::string& o : out_.module.target_options) out_.text += ", " + o;
    // The directive came with PTX 2.3; before that addresses have 32 bits.
    if (out_.module.address_size != 32) out_.text += "\n.address_size " + std::to_string(out_.module.address_size);
    out_.text += "\n\n";
  }

  /// All of a function but its body.
  void signature(const function& f) {
    variables_.link(f.link, f.is_extern);
    out_.text += f.is_entry ? ".entry " : ".func ";
    if (!f.results.empty()) {
      variables_.list(f.results);
      out_.text += ' ';
    }
    out_.text += f.name;
    variables_.list(f.parameters);
    if (f.no_return) out_.text += " .noreturn";
    sizes(" .maxntid ", f.max_threads);
    sizes(" .reqntid ", f.required_threads);
    for (const performance_directive& d : f.performance) {
      out_.text += " ." + d.name;
      for (std::size_t i = 0; i < d.values.size(); ++i)
        out_.text += (i == 0 ? " " : ", ") + std::to_string(d.values[i]);
    }
  }
  void sizes(const char* directive, const std::uint32_t (&n)[3]) {
    if (n[0] == 0) return;
    out_.text += directive + std::to_string(n[0]) + ", " + std::to_string(n[1]) + ", " + std::to_string(n[2]);
  }

  void definition(const function& f) {
    out_.current = &f;
    out_.text += '\n';
    signature(f);
    out_.text += "\n{\n";
    registers_.begin_function();
    sources_.begin_function();
    out_.depth = 1;
    registers_.body();
    std::size_t next = 0;
    for (std::size_t i = 0; i <= f.instructions.size(); ++i) {
      for (; next < f.items.size() && f.items[next].instruction == i; ++next) print(f.items[next]);
      if (i == f.instructions.size()) break;
      sources_.before(f.instructions[i]);
      instructions_.print(f.instructions[i]);
    }
    out_.text += "}\n";
  }

  void print(const item& i) {
    switch (i.kind) {
      case item_kind::open:
        out_.indent();
        out_.text += "{\n";
        ++out_.depth;
        return;
      case item_kind::close:
        --out_.depth;
        out_.indent();
        out_.text += "}\n";
        return;
      case item_kind::registers:
        registers_.item(i.index);
        return;
      case item_kind::label:
        out_.text += out_.current->labels[i.index].name + ":\n";
        if (!out_.current->labels[i.index].no_unroll) return;
        out_.indent();
        out_.text += ".pragma \"nounroll\";\n";
        return;
      case item_kind::variable:
        out_.indent();
        variables_.declaration(out_.current->variables[i.index]);
        break;
      case item_kind::prototype: {
        const call_prototype& p = out_.current->prototypes[i.index];
        out_.text += p.name + ": .callprototype ";
        if (!p.results.empty()) {
          variables_.list(p.results);
          out_.text += ' ';
        }
        out_.text += "_ ";
        variables_.list(p.parameters);
        if (p.no_return) out_.text += " .noreturn";
        break;
      }
      case item_kind::branch_table: {
        const branch_table& t = out_.current->branch_tables[i.index];
        out_.text += t.name + ": .branchtargets ";
        for (std::size_t k = 0; k < t.targets.size(); ++k)
          out_.text += (k == 0 ? "" : ", ") + out_.current->labels[t.targets[k]].name;
        break;
      }
      case item_kind::call_targets: {
        const call_target_list& t = out_.current->call_targets[i.index];
        out_.text += t.name + ": .calltargets ";
        for (std::size_t k = 0; k < t.targets.size(); ++k)
          out_.text += (k == 0 ? "" : ", ") + out_.module.functions[t.targets[k]].name;
        break;
      }
    }
    out_.text += ";\n";
  }

  text_writer out_;
  variable_printer variables_;
  register_printer registers_;
  instruction_printer instructions_;
  source_printer sources_;
};

}  // namespace detail

SIMTFLOW_INLINE std::string print(const module& m) { return detail::printer(m).run(); }

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
