// SPDX-License-Identifier: BSL-1.0
//
// The implementation of link.hpp: the linked module is written, part by part, with new numbers and names.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/detail/symbol_resolver.hpp>
#include <simtflow/ptx/text/link.hpp>
#include <simtflow/ptx/text/linked_module.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class linker {
 public:
  explicit linker(std::span<const link_input> inputs) : inputs_(inputs), symbols_(inputs) {}

  result<linked_module> run() {
    head();
    if (simtflow::diagnostics wrong = symbols_.take_diagnostics(); !wrong.empty()) {
      for (diagnostic& d : wrong) add_diagnostic(diagnostics_, d.where, std::move(d.message));
    }
    if (!diagnostics_.empty()) return std::move(diagnostics_);
    place_.assign(symbols_.size(), no_index);
    name_all();
    for (std::uint32_t s = 0; s < symbols_.size(); ++s)
      if (symbols_[s].kind == symbol_kind::variable && symbols_[s].is_taken) place_variable(s);
    std::uint32_t functions = 0, kernels = 0;
    for (std::uint32_t s = 0; s < symbols_.size(); ++s)
      if (symbols_[s].is_taken && symbols_[s].kind != symbol_kind::variable)
        place_[s] = symbols_[s].kind == symbol_kind::function ? functions++ : kernels++;
    join_sources();
    write();
    for (std::uint32_t s = 0; s < symbols_.size(); ++s) widen(s);
    list_names();
    return std::move(out_);
  }

 private:
  // A module or its target by age: "7.8" and "sm_90a" to numbers.
  static std::uint64_t age(std::string_view text) {
    std::uint64_t parts[2] = {0, 0};
    int at = 0;
    for (const char c : text) {
      if (c >= '0' && c <= '9' && parts[at] < 100'000) parts[at] = parts[at] * 10 + static_cast<unsigned>(c - '0');
      if (c == '.' && at == 0) at = 1;
    }
    return parts[0] << 32 | parts[1];
  }

  /// The newest version and target of all. An option of the target counts if any module has it.
  void head() {
    module& m = out_.module;
    const module& first = *inputs_[0].module;
    m.id = new_module_id();
    m.version = first.version;
    m.target = first.target;
    m.address_size = first.address_size;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const module& in = *inputs_[i].module;
      if (age(in.version) > age(m.version)) m.version = in.version;
      if (age(in.target) > age(m.target) || (age(in.target) == age(m.target) && in.target.size() > m.target.size()))
        m.target = in.target;
      for (const std::string& o : in.target_options)
        if (std::find(m.target_options.begin(), m.target_options.end(), o) == m.target_options.end())
          m.target_options.push_back(o);
      const std::string name =
          inputs_[i].name.empty() ? "module " + std::to_string(i + 1) : std::string(inputs_[i].name);
      if (in.address_size != m.address_size)
        add_diagnostic(diagnostics_, {},
                       name + ": addresses have " + std::to_string(in.address_size) + " bits, but " +
                           std::to_string(m.address_size) + " in the modules before");
      if (has_own_samplers(in) != has_own_samplers(first))
        add_diagnostic(diagnostics_, {}, name + ": modules with and without texmode_independent cannot be linked");
    }
  }
  static bool has_own_samplers(const module& m) {
    return std::find(m.target_options.begin(), m.target_options.end(), "texmode_independent") != m.target_options.end();
  }

  /// Names of symbols in the linked module. Global names stay; internal ones stay unless the name is taken.
  void name_all() {
    new_name_.resize(symbols_.size());
    for (std::uint32_t s = 0; s < symbols_.size(); ++s)
      if (symbols_[s].is_taken && symbols_.is_global(symbols_[s])) used_.insert(symbols_.name_of(symbols_[s]));
    for (std::uint32_t s = 0; s < symbols_.size(); ++s)
      if (symbols_[s].is_taken && !symbols_.is_global(symbols_[s])) new_name_[s] = fresh(symbols_.name_of(symbols_[s]));
  }
  /// Empty if the name may stay.
  std::string fresh(const std::string& name) {
    if (used_.insert(name).second) return {};
    if (known_.empty()) know_all_names();
    std::string made;
    for (std::uint32_t n = 2; made.empty() || known_.count(made) != 0 || !used_.insert(made).second; ++n)
      made = name + "__" + std::to_string(n);
    return made;
  }
  /// A name inside a function would hide a new name of the module.
  void know_all_names() {
    const auto know = [this](const auto& list) {
      for (const auto& named : list) known_.insert(named.name);
    };
    for (const link_input& i : inputs_) {
      know(i.module->variables);
      for (const std::vector<function>* list : {&i.module->functions, &i.module->kernels}) {
        know(*list);
        for (const function& f : *list) {
          know(f.results);
          know(f.parameters);
          know(f.variables);
          know(f.registers);
          know(f.labels);
          know(f.prototypes);
          know(f.branch_tables);
          know(f.call_targets);
        }
      }
    }
  }
  const std::string& name_of(std::uint32_t chosen) const {
    return new_name_[chosen].empty() ? symbols_.name_of(symbols_[chosen]) : new_name_[chosen];
  }

  /// The variables in the initialiser come first: text declares before it uses.
  void place_variable(std::uint32_t s) {
    struct step {
      std::uint32_t symbol;
      std::size_t next;
    };
    if (place_[s] != no_index) return;
    std::vector<step> open;
    const auto enter = [&](std::uint32_t v) {
      place_[v] = 0;  // on the way: this ends a circle
      open.push_back({v, 0});
    };
    for (enter(s); !open.empty();) {
      const symbol_resolver::symbol& at = symbols_[open.back().symbol];
      const std::vector<relocation>& all = symbols_.variable_of(at).relocations;
      if (open.back().next < all.size()) {
        const std::uint32_t named = symbols_.named(at.input, all[open.back().next++].symbol);
        if (named == no_index) continue;
        const std::uint32_t chosen = symbols_[named].chosen;
        if (symbols_[chosen].kind == symbol_kind::variable && place_[chosen] == no_index) enter(chosen);
        continue;
      }
      place_[open.back().symbol] = static_cast<std::uint32_t>(order_.size());
      order_.push_back(open.back().symbol);
      open.pop_back();
    }
  }

  void write() {
    for (const std::uint32_t s : order_) {
      variable v = symbols_.variable_of(symbols_[s]);
      v.name = name_of(s);
      rename_addresses(symbols_[s].input, v);
      out_.module.variables.push_back(std::move(v));
    }
    for (std::uint32_t s = 0; s < symbols_.size(); ++s) {
      const symbol_resolver::symbol& from = symbols_[s];
      if (!from.is_taken || from.kind == symbol_kind::variable) continue;
      function f = symbols_.function_of(from);
      f.name = name_of(s);
      renumber(from.input, f);
      for (source_line& l : f.lines) l.place += first_place_[from.input];
      (from.kind == symbol_kind::function ? out_.module.functions : out_.module.kernels).push_back(std::move(f));
    }
  }
  std::uint32_t target(std::uint32_t input, symbol_kind kind, std::uint32_t index) const {
    return place_[symbols_[symbols_.number_of(input, kind, index)].chosen];
  }
  void renumber(std::uint32_t input, function& f) {
    for (operand& o : f.operands) {
      const operand_kind kind = o.kind == operand_kind::address ? o.base : o.kind;
      if (kind == operand_kind::module_variable) o.index = target(input, symbol_kind::variable, o.index);
      if (kind == operand_kind::function) o.index = target(input, symbol_kind::function, o.index);
    }
    for (call_target_list& list : f.call_targets)
      for (std::uint32_t& t : list.targets) t = target(input, symbol_kind::function, t);
    if (f.alias_of != no_index) f.alias_of = target(input, symbol_kind::function, f.alias_of);
    for (variable& v : f.variables) {
      rename_addresses(input, v);
      // Memory of the device knows them by name.
      if (v.space != state_space::global && v.space != state_space::constant) continue;
      if (std::string made = fresh(v.name); !made.empty()) v.name = std::move(made);
    }
  }
  void rename_addresses(std::uint32_t input, variable& v) const {
    for (relocation& r : v.relocations)
      if (const std::uint32_t s = symbols_.named(input, r.symbol); s != no_index)
        r.symbol = name_of(symbols_[s].chosen);
  }

  /// The places in the sources of all inputs. A file that two inputs name is one file.
  void join_sources() {
    source_map& all = out_.module.sources;
    std::unordered_map<std::string_view, std::uint32_t> number_of;
    std::uint32_t last = 0;  // number of a file
    for (const link_input& i : inputs_) {
      const source_map& in = i.module->sources;
      std::unordered_map<std::uint32_t, std::uint32_t> renumbered;
      const auto renumber = [&](std::uint32_t file) {
        const auto [found, fresh] = renumbered.emplace(file, last + 1);
        if (fresh) ++last;
        return found->second;
      };
      for (const source_file& f : in.files) {
        const auto [found, fresh] = number_of.emplace(f.name, last + 1);
        renumbered.emplace(f.number, found->second);
        if (!fresh) continue;
        ++last;
        all.files.push_back(f);
        all.files.back().number = last;
      }
      const auto places = static_cast<std::uint32_t>(all.places.size());
      const auto functions = static_cast<std::uint32_t>(all.functions.size());
      for (source_place p : in.places) {
        p.file = renumber(p.file);
        if (p.function != no_index) p.function += functions;
        if (p.inlined_at != no_index) p.inlined_at += places;
        all.places.push_back(p);
      }
      all.functions.insert(all.functions.end(), in.functions.begin(), in.functions.end());
      first_place_.push_back(places);
    }
  }

  /// Declarations add to the definition: the largest alignment, and that nobody comes back.
  void widen(std::uint32_t s) {
    const symbol_resolver::symbol& from = symbols_[s];
    const std::uint32_t to = place_[from.chosen];
    if (!from.is_reached || to == no_index) return;
    if (from.kind == symbol_kind::variable) {
      variable& v = out_.module.variables[to];
      v.align = (std::max)(v.align, symbols_.variable_of(from).align);
    } else if (from.kind == symbol_kind::function) {
      function& f = out_.module.functions[to];
      f.no_return = f.no_return || symbols_.function_of(from).no_return;
    }
  }

  void list_names() {
    out_.symbols.resize(inputs_.size());
    for (std::uint32_t s = 0; s < symbols_.size(); ++s) {
      const symbol_resolver::symbol& from = symbols_[s];
      out_.symbols[from.input].push_back({symbols_.name_of(from), from.kind, place_[from.chosen]});
    }
    for (std::vector<linked_symbol>& list : out_.symbols)
      std::sort(list.begin(), list.end(),
                [](const linked_symbol& a, const linked_symbol& b) { return a.name < b.name; });
  }

  std::span<const link_input> inputs_;
  symbol_resolver symbols_;
  std::vector<std::uint32_t> place_;        // by symbol, if it is taken: its number in the linked module
  std::vector<std::uint32_t> order_;        // variables, as they are written
  std::vector<std::string> new_name_;       // by symbol; empty: the old one
  std::vector<std::uint32_t> first_place_;  // by input: its first place in the sources
  std::unordered_set<std::string> used_, known_;
  linked_module out_;
  simtflow::diagnostics diagnostics_;
};

}  // namespace detail

SIMTFLOW_INLINE result<linked_module> link(std::span<const link_input> inputs) {
  SIMTFLOW_EXPECTS(!inputs.empty(), "something is to be linked");
  return detail::linker(inputs).run();
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
