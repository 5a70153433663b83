// SPDX-License-Identifier: BSL-1.0
//
// The decoder: one pass over a kernel and the functions that it reaches.
#pragma once

#include <simtflow/analysis/components.hpp>
#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/ptx/decode/select_code.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/values/lanes.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/opcode.hpp>
#include <simtflow/ptx/text/verifier.hpp>

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

class decoder : private code_selector<decoder> {
 public:
  decoder(const module& m, const kernel& k) : module_(m), kernel_(k) {}
  explicit decoder(const checked_function& k) : module_(k.owner()), kernel_(k.text()), checked_(&k) {}

  result<decoded_kernel> run() {
    out().from_module = module_.id;
    out().name = kernel_.name;
    out().address_size = kernel_.address_size;
    for (int i = 0; i < 3; ++i) {
      out().max_threads[i] = kernel_.max_threads[i];
      out().required_threads[i] = kernel_.required_threads[i];
    }
    behind_alias_ = resolve_aliases(module_);
    module_places_.assign(module_.variables.size(), {});
    out().function_at.assign(module_.functions.size(), no_index);
    lay_out_parameters();
    add_function(kernel_);
    for (std::size_t f = 0; f < bodies_.size(); ++f) find_names(f);
    if (!found_.empty()) return std::move(found_);
    find_shapes();
    name_what_is_not_callable();
    find_cycles_of_calls();
    if (out().shared_bytes > max_shared_bytes)
      fail(kernel_.where, "kernel '" + kernel_.name + "' has more than 1 MiB of shared memory");
    bool too_much = out().local_bytes > max_local_bytes;
    for (const decoded_function& f : out().functions) too_much = too_much || f.frame_bytes > max_local_bytes;
    if (too_much) fail(kernel_.where, "kernel '" + kernel_.name + "' has more than 512 KiB of local memory");
    if (!found_.empty()) return std::move(found_);
    for (std::size_t f = 0; f < bodies_.size() && found_.empty(); ++f) {
      enter(f);
      find_blocks();
      for (block_id b = body().first_block; b < body().last_block; ++b) decode_block(b);
      leave();
    }
    out().slots32 = next32_;
    out().slots64 = next64_;
    if (!found_.empty()) return std::move(found_);
    return std::move(out_);
  }

 private:
  friend code_selector<decoder>;

  struct place {
    enum class what : std::uint8_t { none, offset, frame, dynamic, global };
    what kind = what::none;
    std::uint64_t offset = 0;  // in its memory, in the frame, or the index of a global
  };

  /// What a call and a function agree on: where in the callee's frame parameters and results lie.
  struct formal {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    friend bool operator==(const formal&, const formal&) = default;
  };
  struct formals {
    std::vector<formal> parameters;
    std::vector<formal> results;
    std::uint64_t bytes = 0;
    friend bool operator==(const formals&, const formals&) = default;
  };

  /// A function while it is decoded.
  struct function_body {
    const function* text = nullptr;
    std::vector<operation> parsed;          // what `operations` shows, unless the caller has verified the function
    std::span<const operation> operations;  // by instruction
    std::vector<place> places;              // by variable
    formals signature;
    std::uint64_t frame_align = 16;
    std::uint32_t first_instruction = 0;
    block_id first_block = 0, last_block = 0;
    std::vector<slot_ref> registers;
  };

  /// What a block is made from. Blocks that stand for no text are needed where several ways must do the same thing.
  enum class block_role : std::uint8_t {
    code,      // instructions
    waits,     // a barrier under a guard, alone: only those for whom the guard holds come here
    reduced,   // reads what a barrier has computed
    prologue,  // parameters to the registers that they are
    end        // where a function returns from, or where a kernel ends if its text does not say so
  };

  struct draft {
    block_role role;
    std::size_t first, last;  // instructions
  };

  decoded_kernel& out() { return out_; }
  void fail(position where, std::string message) { add_finding(found_, where, std::move(message)); }
  function_body& body() { return bodies_[current_body_]; }
  const function_body& body() const { return bodies_[current_body_]; }
  const function& text() const { return *bodies_[current_body_].text; }
  bool in_kernel() const { return current_body_ == 0; }

  static std::uint64_t align_up(std::uint64_t v, std::uint64_t a) { return (v + a - 1) / a * a; }

  // --- functions and variables -----------------------------------------------------------------------------------

  void lay_out_parameters() {
    std::uint64_t at = 0;
    for (const variable& p : kernel_.parameters) {
      at = align_up(at, p.align);
      out().parameters.push_back(p);
      out().parameter_offsets.push_back(at);
      at += p.size;
    }
    out().parameter_bytes = at;
    if (at > 32768) fail(kernel_.where, "kernel '" + kernel_.name + "' has more than 32 KiB of parameters");
  }

  void add_function(const function& f) {
    function_body b;
    b.text = &f;
    bodies_.push_back(std::move(b));
    decoded_function d;
    d.name = f.name;
    out().functions.push_back(std::move(d));
  }

  /// The module's function that has the code of a function: itself or what its name stands for.
  std::uint32_t behind_alias(std::uint32_t f) const { return behind_alias_[f]; }

  /// What names mean in the module; made when the first is asked for.
  struct module_names {
    std::unordered_map<std::string_view, std::uint32_t> variables;
    std::unordered_map<std::string_view, std::uint32_t> functions;
    std::unordered_map<std::string_view, std::uint32_t> in_device_memory;  // how often, inside functions, too
  };
  const module_names& names() {
    if (names_made_) return names_;
    names_made_ = true;
    const auto count = [&](const std::vector<variable>& list) {
      for (const variable& v : list)
        if (is_in_device_memory(v)) ++names_.in_device_memory[v.name];
    };
    for (std::uint32_t i = 0; i < module_.variables.size(); ++i) names_.variables[module_.variables[i].name] = i;
    for (std::uint32_t f = 0; f < module_.functions.size(); ++f) names_.functions.emplace(module_.functions[f].name, f);
    count(module_.variables);
    for (const function& k : module_.kernels) count(k.variables);
    for (const function& k : module_.functions) count(k.variables);
    return names_;
  }
  static bool is_in_device_memory(const variable& v) {
    return v.space == state_space::global || v.space == state_space::constant;
  }

  /// The function here that a function of the module is; decoded with the others from now on.
  std::uint32_t reach(std::uint32_t f) {
    f = behind_alias(f);
    if (!module_.functions[f].has_body) return no_index;
    if (out().function_at[f] == no_index) {
      out().function_at[f] = static_cast<std::uint32_t>(bodies_.size());
      add_function(module_.functions[f]);
    }
    return out().function_at[f];
  }

  static bool is_call(const instruction& i) { return opcode_head(i) == "call"; }
  enum class system_function : std::uint8_t { none, vprintf, assert_fail };
  system_function system_function_of(const function& f) const {
    if (f.has_body) return system_function::none;
    const system_function named = f.name == "vprintf"        ? system_function::vprintf
                                  : f.name == "__assertfail" ? system_function::assert_fail
                                                             : system_function::none;
    return has_system_shape(f, named) ? named : system_function::none;
  }
  /// Whether a function takes and gives what that operation reads and writes: addresses, and the line of an assertion.
  bool has_system_shape(const function& f, system_function named) const {
    const auto scalar = [](const variable& v) { return v.extents.empty() && v.width == 1; };
    const bool asserts = named == system_function::assert_fail;
    if (f.parameters.size() != (asserts ? 5U : 2U) || f.results.size() > 1) return false;
    for (std::size_t n = 0; n < f.parameters.size(); ++n) {
      const variable& v = f.parameters[n];
      const bool line = asserts && n == 2;
      if (!scalar(v) || !(line ? v.size == 4 : v.size == 8 || v.size * 8 == kernel_.address_size)) return false;
    }
    return f.results.empty() || (scalar(f.results[0]) && f.results[0].size == 4);
  }

  /// Verifies a function, lays out its variables and what it names, and adds the functions that it can reach.
  void find_names(std::size_t f) {
    current_body_ = f;
    const function& t = text();
    const std::size_t before = found_.size();
    if (f == 0 && checked_ != nullptr) {
      body().operations = checked_->operations();
    } else {
      for (diagnostic& d : check(module_, t, body().parsed)) add_finding(found_, d.where, std::move(d.message));
      if (found_.size() != before) return;
      body().operations = body().parsed;
    }
    formals& mine = body().signature;
    if (!in_kernel()) {
      mine = layout(t.parameters, t.results);
      for (const std::vector<variable>* list : {&t.parameters, &t.results})
        for (const variable& v : *list)
          if (v.space == state_space::param && v.align > body().frame_align) body().frame_align = v.align;
    }
    out().functions[f].frame_bytes = mine.bytes;
    body().places.assign(t.variables.size(), {});
    for (std::size_t i = 0; i < t.variables.size(); ++i) {
      refuse_namesake(t.variables[i]);
      lay_out(t.variables[i], bodies_[f].places[i]);
    }
    for (const instruction& i : t.instructions)
      if (is_call(i)) find_callees(i);
    for (const call_target_list& list : t.call_targets)
      for (const std::uint32_t callee : list.targets) reach(callee);
    // Of the module's variables only those that the text names, directly or through an initialiser.
    for (const operand& o : t.operands) name_of_operand(o);
    follow_initialisers();
  }

  void find_callees(const instruction& i) {
    const auto given = text().operands_of(i);
    const operand& callee = given[1];
    if (callee.kind != operand_kind::function) {
      if (given.size() > 3 && given[3].kind == operand_kind::prototype)
        reach_all_like(text().prototypes[given[3].index]);
      return;
    }
    const std::uint32_t f = behind_alias(callee.index);
    if (system_function_of(module_.functions[f]) != system_function::none) return;
    if (reach(f) == no_index) fail(callee.where, no_body(module_.functions[f]));
  }
  static std::string no_body(const function& f) {
    if (f.name == "malloc" || f.name == "free")
      return "'" + f.name + "' is not supported: there is no heap on the device";
    return "function '" + f.name + "' has no body";
  }

  void name_of_operand(const operand& o) {
    const operand_kind kind = o.kind == operand_kind::address ? o.base : o.kind;
    if (kind == operand_kind::module_variable && module_places_[o.index].kind == place::what::none)
      lay_out(module_.variables[o.index], module_places_[o.index]);
  }

  /// A function that a pointer may lead to, and what it takes and returns.
  struct pointee {
    std::uint32_t function = 0;  // of the module
    std::uint32_t shape = 0;
  };

  /// Finds the functions of the module whose address is taken anywhere, also in text that this kernel does not reach:
  /// another kernel, the host or an initialiser may have stored it where this kernel reads it. Called for the first
  /// call through a register. A function without a body has an address, too (a pure virtual function, in a table).
  void find_pointees() {
    if (pointees_known_) return;
    pointees_known_ = true;
    std::vector<unsigned char> taken(module_.functions.size(), 0);
    const auto variables = [&](const std::vector<variable>& list) {
      for (const variable& v : list)
        for (const relocation& r : v.relocations)
          if (const auto f = names().functions.find(r.symbol); f != names().functions.end())
            taken[behind_alias(f->second)] = 1;
    };
    const auto text = [&](const function& f) {
      variables(f.variables);
      std::vector<unsigned char> called(f.operands.size(), 0);
      for (const instruction& i : f.instructions)
        if (is_call(i) && i.num_operands > 1) called[i.first_operand + 1] = 1;
      for (std::size_t o = 0; o < f.operands.size(); ++o)
        if (f.operands[o].kind == operand_kind::function && called[o] == 0)
          taken[behind_alias(f.operands[o].index)] = 1;
    };
    variables(module_.variables);
    for (const function& f : module_.functions) text(f);
    for (const function& k : module_.kernels) text(k);
    for (std::uint32_t f = 0; f < module_.functions.size(); ++f) {
      const function& g = module_.functions[f];
      if (taken[f] != 0 && system_function_of(g) == system_function::none)
        pointees_.push_back({f, shape_of(layout(g.parameters, g.results))});
    }
  }

  /// Reaches all functions that a call with this prototype may enter.
  void reach_all_like(const call_prototype& p) {
    find_pointees();
    const std::uint32_t shape = shape_of(layout(p.parameters, p.results));
    for (const pointee& to : pointees_)
      if (to.shape == shape) reach(to.function);
  }

  /// Names the functions that a call through a register may be given, but cannot enter.
  void name_what_is_not_callable() {
    for (const pointee& to : pointees_)
      if (out().function_at[to.function] == no_index)
        out().not_callable.push_back(
            {to.function, module_.functions[to.function].name, module_.functions[to.function].has_body});
  }

  /// Device memory knows variables by name, so a global one inside a function must be the only one of its name.
  void refuse_namesake(const variable& v) {
    if (is_in_device_memory(v) && names().in_device_memory.at(v.name) > 1)
      fail(v.where, "there is another ." + std::string(to_string(v.space)) + " variable '" + v.name + "'");
  }

  /// Follows the addresses in the initialisers of new globals: lays their variables out and numbers the functions.
  void follow_initialisers() {
    for (; followed_ < out().globals.size(); ++followed_) {
      std::vector<relocation> all = std::move(out().globals[followed_].relocations);
      for (relocation& r : all) follow(out().globals[followed_].where, r);
      out().globals[followed_].relocations = std::move(all);
    }
  }

  void follow(position where, relocation& r) {
    if (laid_out_.count(r.symbol) != 0) return;
    if (const auto found = names().variables.find(r.symbol); found != names().variables.end()) {
      const variable& v = module_.variables[found->second];
      if (!is_in_device_memory(v))
        fail(where,
             "an initialiser takes the address of '" + v.name + "' in ." + std::string(to_string(v.space)) + " memory");
      else
        lay_out(v, module_places_[found->second]);
      return;
    }
    if (const auto found = names().functions.find(r.symbol); found != names().functions.end())
      r.function = behind_alias(found->second);
    else
      fail(where, "unknown name '" + r.symbol + "' in an initialiser");
  }

  void lay_out(const variable& v, place& p) {
    switch (v.space) {
      case state_space::shared:
        if (v.size == 0) {
          p.kind = place::what::dynamic;
          out().uses_dynamic_shared = true;
          if (v.align > out().dynamic_shared_align) out().dynamic_shared_align = v.align;
          return;
        }
        out().shared_bytes = align_up(out().shared_bytes, v.align);
        p = {place::what::offset, out().shared_bytes};
        out().shared_bytes += v.size <= max_shared_bytes ? v.size : max_shared_bytes + 1;
        return;
      case state_space::local:
      case state_space::param: {
        std::uint64_t& bytes = out().functions[current_body_].frame_bytes;
        bytes = align_up(bytes, v.align);
        p = {place::what::frame, bytes};
        bytes += v.size <= max_local_bytes ? v.size : max_local_bytes + 1;  // no sum overflows
        if (v.align > body().frame_align) body().frame_align = v.align;
        return;
      }
      case state_space::global:
      case state_space::constant:
        if (v.is_extern) fail(v.where, "variable '" + v.name + "' is extern and defined nowhere");
        p = {place::what::global, out().globals.size()};
        laid_out_.insert(v.name);
        out().globals.push_back(v);
        return;
      default:
        return;
    }
  }

  /// How many bytes a call of the module passes at most for an array without a size, or a function reads by name: every
  /// function that has such a parameter keeps room for so many. What a call did not pass is undefined.
  std::uint64_t largest_rest() {
    if (rest_known_) return largest_rest_;
    rest_known_ = true;
    constexpr std::uint64_t largest_access = 32;
    const auto need = [&](std::uint64_t bytes) {
      if (bytes > largest_rest_) largest_rest_ = bytes;
    };
    const auto see = [&](const function& f, const operand& arguments, const std::vector<variable>& wanted) {
      if (wanted.empty() || !wanted.back().is_open_array() || arguments.count != wanted.size()) return;
      const operand& last = f.elements_of(arguments).back();
      if (last.kind == operand_kind::variable) need(f.variables[last.index].size);
    };
    const auto look = [&](const function& f) {
      if (!f.parameters.empty() && f.parameters.back().is_open_array())
        for (const operand& o : f.operands)
          if (o.kind == operand_kind::address && o.base == operand_kind::parameter &&
              o.index + 1 == f.parameters.size() && o.bits <= max_local_bytes)
            need(o.bits + largest_access);
      for (const instruction& i : f.instructions) {
        const auto given = f.operands_of(i);
        if (!is_call(i) || given.size() < 3 || given[2].kind != operand_kind::list) continue;
        if (given[1].kind == operand_kind::function)
          see(f, given[2], module_.functions[given[1].index].parameters);
        else if (given.size() > 3 && given[3].kind == operand_kind::prototype)
          see(f, given[2], f.prototypes[given[3].index].parameters);
        else if (given.size() > 3 && given[3].kind == operand_kind::call_targets)
          for (const std::uint32_t t : f.call_targets[given[3].index].targets)
            see(f, given[2], module_.functions[t].parameters);
      }
    };
    for (const function& f : module_.functions) look(f);
    for (const function& k : module_.kernels) look(k);
    return largest_rest_;
  }

  /// Bytes of a parameter in a register (for a vector: of each register); a predicate takes one byte, 0 or 1.
  static std::uint32_t register_bytes(const variable& v) { return v.type == scalar_type::pred ? 1 : info(v.type).size; }

  formals layout(const std::vector<variable>& parameters, const std::vector<variable>& results) {
    formals all;
    const auto add = [&](const variable& v, std::vector<formal>& to) {
      std::uint64_t size = v.space == state_space::reg ? std::uint64_t{register_bytes(v)} * v.width
                           : v.is_open_array()         ? largest_rest()
                                                       : v.size;
      if (size > max_local_bytes) size = max_local_bytes + 1;
      all.bytes = align_up(all.bytes, v.space == state_space::reg ? register_bytes(v) : v.align);
      to.push_back({all.bytes, size});
      all.bytes += size;
    };
    for (const variable& v : parameters) add(v, all.parameters);
    for (const variable& v : results) add(v, all.results);
    return all;
  }

  std::uint32_t shape_of(const formals& f) {
    std::uint64_t key = f.parameters.size();
    for (const std::vector<formal>* list : {&f.parameters, &f.results})
      for (const formal& one : *list) key = (key ^ (one.offset * 31 + one.size)) * 0x0000'0100'0000'01B3U;
    for (auto [at, end] = shape_of_key_.equal_range(key); at != end; ++at)
      if (shapes_[at->second] == f) return at->second;
    const auto fresh = static_cast<std::uint32_t>(shapes_.size());
    shapes_.push_back(f);
    shape_of_key_.emplace(key, fresh);
    return fresh;
  }
  void find_shapes() {
    for (std::size_t f = 0; f < bodies_.size(); ++f) out().functions[f].shape = shape_of(bodies_[f].signature);
  }

  /// The functions that a call may enter, and how it passes its arguments.
  call_site site_of(const instruction& i) {
    call_site s;
    s.caller = static_cast<std::uint32_t>(current_body_);
    const auto given = text().operands_of(i);
    if (given[1].kind == operand_kind::function) {
      s.targets.push_back(out().function_at[behind_alias(given[1].index)]);
      s.shape = out().functions[s.targets[0]].shape;
      return s;
    }
    if (given.size() > 3 && given[3].kind == operand_kind::call_targets) {
      for (const std::uint32_t f : text().call_targets[given[3].index].targets)
        if (const std::uint32_t here = out().function_at[behind_alias(f)]; here != no_index) s.targets.push_back(here);
      if (!s.targets.empty()) s.shape = out().functions[s.targets[0]].shape;
      for (const std::uint32_t t : s.targets)
        if (out().functions[t].shape != s.shape)
          fail(given[3].where, "functions '" + out().functions[s.targets[0]].name + "' and '" +
                                   out().functions[t].name + "' of one list take their parameters differently");
      return s;
    }
    if (given.size() > 3 && given[3].kind == operand_kind::prototype) {
      const call_prototype& p = text().prototypes[given[3].index];
      s.shape = shape_of(layout(p.parameters, p.results));
    }
    for (const pointee& to : pointees_)
      if (to.shape == s.shape && out().function_at[to.function] != no_index)
        s.targets.push_back(out().function_at[to.function]);
    return s;
  }

  /// Which functions can be called while they are active, and where the frames of the others lie: behind those of all
  /// their callers.
  void find_cycles_of_calls() {
    csr_builder calls(bodies_.size(), 0);
    for (std::size_t f = 0; f < bodies_.size(); ++f) {
      current_body_ = f;
      for (const instruction& i : text().instructions) {
        if (!is_call(i)) continue;
        const operand& callee = text().operands_of(i)[1];
        if (callee.kind == operand_kind::function &&
            system_function_of(module_.functions[behind_alias(callee.index)]) != system_function::none)
          continue;
        for (const std::uint32_t to : site_of(i).targets) calls.add_edge(static_cast<block_id>(f), to);
      }
    }
    const csr_graph graph = calls.build();
    const strong_components<csr_graph> cycles(graph);
    std::vector<std::uint64_t> begin(bodies_.size(), 0);
    for (const component_id c : cycles.all()) {
      std::uint64_t first = 0;
      for (const block_id f : cycles.ids().blocks(c))
        if (begin[f] > first) first = begin[f];
      for (const block_id f : cycles.ids().blocks(c)) {
        decoded_function& d = out().functions[f];
        d.recursive = cycles.has_cycle(c);
        std::uint64_t end = first;
        if (d.recursive) {
          out().frames_grow = out().frames_grow || d.frame_bytes != 0;
          d.frame_align = bodies_[f].frame_align;
        } else {
          d.frame_offset = align_up(first, bodies_[f].frame_align);
          end = d.frame_offset + d.frame_bytes;
        }
        if (end > out().local_bytes) out().local_bytes = end;
        for (const block_id to : graph.successors(f))
          if (begin[to] < end) begin[to] = end;
      }
    }
  }

  // --- registers and constants -----------------------------------------------------------------------------------

  /// Makes a function the one that is decoded.
  void enter(std::size_t f) {
    current_body_ = f;
    decoded_function& d = out().functions[f];
    d.first32 = next32_;
    d.first64 = next64_;
    d.first_predicate = out().predicates;
    begin_function();
    if (d.recursive) d.frame = fresh(true);
    body().first_instruction = static_cast<std::uint32_t>(out().positions.size());
    const std::string prefix = in_kernel() ? std::string() : text().name + ":";
    std::vector<slot_ref>& registers = body().registers;
    registers.assign(text().registers.size(), no_slot);
    for (std::size_t i = 0; i < registers.size(); ++i) {
      const register_info& r = text().registers[i];
      if (r.type == scalar_type::pred) {
        registers[i] = out().predicates++;
        out().predicate_names.emplace_back(prefix + r.name, registers[i]);
      } else {
        registers[i] = fresh(info(r.type).size >= 8);
        if (info(r.type).size == 16) fresh(true);  // two of 64 bits
        out().registers.emplace_back(prefix + r.name, registers[i]);
      }
    }
    if (next32_ > 0x000F'FFFFU || next64_ > 0x000F'FFFFU)
      fail(kernel_.where, "kernel '" + kernel_.name + "' has more than 2^20 registers");
  }
  void leave() {
    decoded_function& d = out().functions[current_body_];
    d.count32 = next32_ - d.first32;
    d.count64 = next64_ - d.first64;
    d.predicates = out().predicates - d.first_predicate;
    for (const instruction& i : text().instructions) {
      out().positions.push_back(i.where);
      out().opcodes.push_back(i.opcode);
    }
  }

  slot_ref fresh(bool wide) { return make_slot(wide, wide ? next64_++ : next32_++); }
  std::uint32_t fresh_predicate() { return out().predicates++; }

  static constexpr std::size_t most_constants = std::size_t{1} << 20;  // of a size: see make_slot()
  slot_ref constant(bool wide, decoded_constant c) {
    const std::uint64_t value = wide ? c.value : c.value & 0xFFFF'FFFFU;
    c.value = value;
    const std::uint64_t key = value * 16 + static_cast<std::uint64_t>(c.kind) * 2 + (wide ? 1 : 0) +
                              std::uint64_t{c.index} * 0x9E37'79B9'7F4A'7C15U;
    auto& list = wide ? out().constants64 : out().constants32;
    auto [found, end] = known_.equal_range(key);
    for (; found != end; ++found) {
      const slot_ref s = found->second;
      if (is_wide(s) != wide) continue;
      const decoded_constant& old = list[slot_index(s)];
      if (old.kind == c.kind && old.value == c.value && old.index == c.index) return s;
    }
    if (list.size() >= most_constants) {
      if (list.size() == most_constants)
        fail(kernel_.where, "kernel '" + kernel_.name + "' has more than 2^20 constants");
      list.push_back(c);  // so that this is said once
      return constant_slot | make_slot(wide, 0);
    }
    const slot_ref s = constant_slot | make_slot(wide, static_cast<std::uint32_t>(list.size()));
    list.push_back(c);
    known_.emplace(key, s);
    return s;
  }
  slot_ref literal(bool wide, std::uint64_t value) {
    return constant(wide, {decoded_constant::what::literal, value, 0});
  }

  // --- blocks ----------------------------------------------------------------------------------------------------

  const operation& operation_of(std::size_t i) const { return body().operations[i]; }

  /// A call that ends its block: not one that the interpreter does itself, unless nothing comes after it.
  bool ends_block(const instruction& i) const {
    const operand& callee = text().operands_of(i)[1];
    if (callee.kind != operand_kind::function) return true;
    const function& f = module_.functions[behind_alias(callee.index)];
    return system_function_of(f) == system_function::none || stops(i);
  }
  bool stops(const instruction& i) const { return never_returns(module_, text(), i); }

  static bool is_guarded(const instruction& i) { return i.guard != no_index; }

  block_id new_block(block_role role, std::size_t first) {
    decoded_block b;
    const bool real = first < text().instructions.size();
    b.where = real ? text().instructions[first].where : text().end;
    b.function = static_cast<std::uint32_t>(current_body_);
    b.last_instruction = static_cast<std::uint32_t>(body().first_instruction + (real ? first : 0));
    out().blocks.push_back(std::move(b));
    drafts_.push_back({role, first, first});
    return static_cast<block_id>(out().blocks.size() - 1);
  }

  void find_blocks() {
    const function& t = text();
    const std::size_t n = t.instructions.size();
    std::vector<unsigned char> leader(n + 1, 0);
    leader[0] = 1;
    const auto mark = [&](std::uint32_t l) { leader[t.labels[l].instruction] = 1; };
    std::size_t returns = 0;
    bool needs_end = n == 0;
    for (std::size_t i = 0; i < n; ++i) {
      const instruction& at = t.instructions[i];
      bool ends = false;
      bool falls = true;  // to the next instruction
      switch (operation_of(i).name) {
        case mnemonic::bra:
          mark(t.operands_of(at)[0].index);
          ends = true;
          falls = is_guarded(at);
          break;
        case mnemonic::brx:
          for (const std::uint32_t l : t.branch_tables[t.operands_of(at)[1].index].targets) mark(l);
          ends = true;
          falls = is_guarded(at);
          break;
        case mnemonic::ret:
          ++returns;
          needs_end = needs_end || is_guarded(at);
          [[fallthrough]];
        case mnemonic::exit:
        case mnemonic::trap:
          ends = true;
          falls = is_guarded(at);
          break;
        case mnemonic::bar:
          ends = true;
          break;
        case mnemonic::call:
          ends = ends_block(at);
          falls = !stops(at);
          break;
        default:
          break;
      }
      if (ends) leader[i + 1] = 1;
      if (i + 1 == n && falls) needs_end = true;
    }
    if (in_kernel()) {
      needs_end = n == 0 || (needs_end && falls_off_end());
    } else {
      for (const variable& v : t.results) needs_end = needs_end || v.space == state_space::reg;
      needs_end = needs_end || returns != 1;
    }

    body().first_block = static_cast<block_id>(out().blocks.size());
    out().functions[current_body_].entry = body().first_block;
    drafts_.clear();
    bool registers_given = false;
    for (const variable& v : t.parameters) registers_given = registers_given || v.space == state_space::reg;
    if (registers_given) new_block(block_role::prologue, 0);
    block_at_.assign(n + 1, no_block);
    for (std::size_t i = 0; i < n; ++i) {
      if (leader[i] != 0) new_block(block_role::code, i);
      block_at_[i] = static_cast<block_id>(out().blocks.size() - 1);
      const bool barrier = operation_of(i).name == mnemonic::bar;
      if (barrier && is_guarded(t.instructions[i])) new_block(block_role::waits, i);
      ++out().blocks.back().weight;
      out().blocks.back().last_instruction = static_cast<std::uint32_t>(body().first_instruction + i);
      drafts_[block_at_[i] - body().first_block].last = i;
      if (barrier && reduction_of(operation_of(i)) != barrier_reduction::none) new_block(block_role::reduced, i);
    }
    end_block_ = no_block;
    if (needs_end) end_block_ = new_block(block_role::end, n);
    if (needs_end) block_at_[n] = end_block_;
    body().last_block = static_cast<block_id>(out().blocks.size());
    // A branch's target gives its name; otherwise the first label there does.
    for (const label& l : t.labels)
      if (l.instruction < n && leader[l.instruction] != 0) {
        std::string& name = out().blocks[block_at_[l.instruction]].label;
        if (name.empty()) name = l.name;
      }
  }

  /// Whether the last instruction of a kernel goes on to nothing.
  bool falls_off_end() const {
    const instruction& last = text().instructions.back();
    switch (body().operations.back().name) {
      case mnemonic::bra:
      case mnemonic::brx:
      case mnemonic::ret:
      case mnemonic::exit:
      case mnemonic::trap:
        return is_guarded(last);
      case mnemonic::call:
        return !stops(last);
      default:
        return true;
    }
  }

  block_id block_after(std::size_t i) const { return block_at_[i + 1]; }

  void decode_block(block_id id) {
    const draft mine = drafts_[id - body().first_block];
    decoded_block& b = out().blocks[id];
    b.first_op = static_cast<std::uint32_t>(out().ops.size());
    guard_ = {};
    current_ = b.last_instruction;
    switch (mine.role) {
      case block_role::code:
        decode_code(id, mine);
        break;
      case block_role::waits:
        end_in_barrier(id, mine.first);
        break;
      case block_role::reduced:
        current_ = body().first_instruction + static_cast<std::uint32_t>(mine.first);
        read_reduction(mine.first);
        out().blocks[id].next = block_after(mine.first);
        break;
      case block_role::prologue:
        for (std::size_t n = 0; n < text().parameters.size(); ++n)
          if (text().parameters[n].space == state_space::reg)
            formal_register(op_kind::load, body().signature.parameters[n], text().parameters[n]);
        out().blocks[id].next = id + 1;
        break;
      case block_role::end:
        for (std::size_t n = 0; n < text().results.size(); ++n)
          if (text().results[n].space == state_space::reg)
            formal_register(op_kind::store, body().signature.results[n], text().results[n]);
        end_function(id);
        break;
    }
    out().blocks[id].num_ops = static_cast<std::uint32_t>(out().ops.size()) - out().blocks[id].first_op;
  }

  void end_function(block_id id) {
    out().blocks[id].end = in_kernel() ? block_exit::leave : block_exit::ret;
    out().functions[current_body_].return_block = id;
  }

  void decode_code(block_id id, const draft& mine) {
    block_id next = mine.last + 1 <= text().instructions.size() ? block_after(mine.last) : no_block;
    block_exit end = block_exit::fall;
    for (std::size_t n = mine.first; n <= mine.last; ++n) {
      const instruction& i = text().instructions[n];
      const operation& o = operation_of(n);
      const bool always = !is_guarded(i);
      current_ = body().first_instruction + static_cast<std::uint32_t>(n);
      guard_ = always ? predicate_ref{} : predicate_ref{registers()[i.guard], i.guard_negated};
      switch (o.name) {
        case mnemonic::bra:
          end = block_exit::branch;
          out().blocks[id].target = block_at_[text().labels[text().operands_of(i)[0].index].instruction];
          if (always) next = no_block;
          break;
        case mnemonic::brx: {
          end = block_exit::table;
          decoded_table table;
          table.index = value(text().operands_of(i)[0], scalar_type::u32);
          for (const std::uint32_t l : text().branch_tables[text().operands_of(i)[1].index].targets)
            table.targets.push_back(block_at_[text().labels[l].instruction]);
          out().blocks[id].detail = static_cast<std::uint32_t>(out().tables.size());
          out().tables.push_back(std::move(table));
          if (always) next = no_block;
          break;
        }
        case mnemonic::ret:
          if (!in_kernel() && end_block_ != no_block) {
            end = block_exit::branch;
            out().blocks[id].target = end_block_;
          } else if (!in_kernel()) {
            end_function(id);
            end = block_exit::ret;
          } else {
            end = block_exit::leave;
          }
          if (always) next = no_block;
          break;
        case mnemonic::exit:
          end = block_exit::leave;
          if (always) next = no_block;
          break;
        case mnemonic::trap:
          end = block_exit::trap;
          if (always) next = no_block;
          break;
        case mnemonic::bar:
          if (always) {
            end_in_barrier(id, n);
            return;
          }
          end = block_exit::branch;
          guard_.negated = !guard_.negated;
          out().blocks[id].target = next;
          next = id + 1;
          break;
        case mnemonic::call:
          if (call_system(i)) {
            if (stops(i)) {
              end = block_exit::trap;
              next = no_block;
            }
          } else {
            end = block_exit::call;
            if (stops(i)) next = no_block;
            const predicate_ref guard = std::exchange(guard_, {});  // it guards the call, not its operands
            call(id, i, next);
            guard_ = guard;
          }
          break;
        default: {
          const std::size_t before = out().ops.size();
          decode(i, o);
          if (!always && out().ops.size() == before) append(start(op_kind::nothing));
          break;
        }
      }
    }
    decoded_block& b = out().blocks[id];
    b.end = end;
    b.next = next;
    if (end != block_exit::fall) b.guard = guard_;
  }

  // --- calls -----------------------------------------------------------------------------------------------------

  void call(block_id id, const instruction& i, block_id next) {
    const auto given = text().operands_of(i);
    call_site s = site_of(i);
    s.next = next;
    if (given[1].kind != operand_kind::function) s.callee = value(given[1], address_type());
    const formals& shape = shapes_[s.shape];
    const auto copies = [&](const operand& list, const std::vector<formal>& there, std::vector<call_copy>& to) {
      std::size_t n = 0;
      for (const operand& o : text().elements_of(list)) {
        if (n == there.size()) return;
        const formal& f = there[n++];
        if (o.kind == operand_kind::sink) continue;
        call_copy c;
        c.there = f.offset;
        c.size = static_cast<std::uint32_t>(f.size);
        if (o.kind == operand_kind::vector) {
          c.size /= o.count;
          for (const operand& e : text().elements_of(o)) {
            c.slot = registers()[e.index];
            to.push_back(c);
            c.there += c.size;
          }
          continue;
        }
        if (is_predicate(o)) {
          c.predicate = registers()[o.index];
          to.push_back(c);
          continue;
        }
        if (const place* p = frame_place(o.kind, o.index); p != nullptr) {
          c.here = p->offset + o.bits;
          const std::uint64_t passed = o.kind == operand_kind::variable ? text().variables[o.index].size : f.size;
          if (passed < f.size) c.size = static_cast<std::uint32_t>(passed);  // to an array without a size
        } else {
          const bool real = o.kind == operand_kind::single || o.kind == operand_kind::real;
          c.slot = value(o, !real ? bits_of(f.size) : f.size == 8 ? scalar_type::f64 : scalar_type::f32);
        }
        to.push_back(c);
      }
    };
    copies(given[0], shape.results, s.results);
    copies(given[2], shape.parameters, s.arguments);
    out().blocks[id].detail = static_cast<std::uint32_t>(out().sites.size());
    out().sites.push_back(std::move(s));
  }

  scalar_type address_type() const { return kernel_.address_size == 32 ? scalar_type::u32 : scalar_type::u64; }
  static scalar_type bits_of(std::uint64_t size) {
    return size == 1 ? scalar_type::b8 : size == 2 ? scalar_type::b16 : size == 8 ? scalar_type::b64 : scalar_type::b32;
  }

  /// Where in the frame something lies; null if it does not.
  const place* frame_place(operand_kind kind, std::uint32_t index) {
    if (kind == operand_kind::variable) {
      const place& p = body().places[index];
      return p.kind == place::what::frame ? &p : nullptr;
    }
    if (in_kernel() || (kind != operand_kind::parameter && kind != operand_kind::result)) return nullptr;
    const formal& f =
        kind == operand_kind::parameter ? body().signature.parameters[index] : body().signature.results[index];
    formal_place_ = {place::what::frame, f.offset};
    return &formal_place_;
  }

  /// The address of something in the frame, as an operand of a memory operation.
  void frame_address(decoded_op& op, std::uint64_t offset) {
    const decoded_function& f = out().functions[current_body_];
    op.space = state_space::local;
    if (f.recursive) {
      op.source[0] = f.frame;
      op.offset = offset;
    } else {
      op.source[0] = literal(true, f.frame_offset + offset);
    }
  }
  /// The same as a value.
  slot_ref frame_value(std::uint64_t offset, bool wide) {
    const decoded_function& f = out().functions[current_body_];
    if (!f.recursive) return literal(wide, f.frame_offset + offset);
    operation sum;
    sum.name = mnemonic::add;
    sum.type = scalar_type::u64;
    decoded_op op = start(op_kind::light);
    op.light = code_of(sum).light;
    op.result = fresh(true);
    op.source[0] = f.frame;
    op.source[1] = literal(true, offset);
    append(op);
    if (wide) return op.result;
    const slot_ref low = fresh(false);
    convert(low, scalar_type::u32, op.result, scalar_type::u64);
    return low;
  }

  /// A register that is a parameter or a result, from or to its place in the frame.
  void formal_register(op_kind kind, const formal& f, const variable& v) {
    const std::uint32_t size = register_bytes(v);
    for (std::uint32_t c = 0; c < v.width; ++c) {
      const slot_ref reg = registers()[v.reg + c];
      if (v.type != scalar_type::pred) {
        move_in_frame(kind, f.offset + std::uint64_t{c} * size, size, reg);
        continue;
      }
      const slot_ref byte = fresh(false);
      if (kind == op_kind::store) predicate_to(byte, {reg, false});
      move_in_frame(kind, f.offset + c, 1, byte);
      if (kind == op_kind::load) predicate_from(reg, byte);
    }
  }
  void move_in_frame(op_kind kind, std::uint64_t offset, std::uint64_t size, slot_ref slot) {
    decoded_op op = start(kind);
    op.size = static_cast<std::uint8_t>(size);
    frame_address(op, offset);
    op.list = static_cast<std::uint32_t>(out().lists.size());
    out().lists.push_back(slot);
    append(op);
  }

  /// vprintf(format, arguments) and __assertfail(message, file, line, function, size): false if it is another call.
  bool call_system(const instruction& i) {
    const auto given = text().operands_of(i);
    if (given[1].kind != operand_kind::function) return false;
    const system_function which = system_function_of(module_.functions[behind_alias(given[1].index)]);
    if (which == system_function::none) return false;
    decoded_op op = start(which == system_function::vprintf ? op_kind::print : op_kind::assert_fail);
    const scalar_type address = address_type();
    std::size_t n = 0;
    for (const operand& o : text().elements_of(given[2])) {
      if (n == 4) break;
      const scalar_type type = which == system_function::assert_fail && n == 2 ? scalar_type::u32 : address;
      if (const place* p = frame_place(o.kind, o.index); p != nullptr) {
        op.source[n] = fresh(is_wide_type(type));
        move_in_frame(op_kind::load, p->offset + o.bits, info(type).size, op.source[n]);
      } else {
        op.source[n] = value(o, type);
      }
      ++n;
    }
    const auto results = text().elements_of(given[0]);
    op.result = fresh(false);
    append(op);
    if (results.empty()) return true;
    if (const place* p = frame_place(results[0].kind, results[0].index); p != nullptr)
      move_in_frame(op_kind::store, p->offset + results[0].bits, 4, op.result);
    else if (results[0].kind == operand_kind::reg)
      copy(registers()[results[0].index], op.result);
    return true;
  }

  // --- barriers --------------------------------------------------------------------------------------------------

  static barrier_reduction reduction_of(const operation& o) {
    if (o.barrier != barrier_op::red) return barrier_reduction::none;
    return o.atomic == atomic_op::popc   ? barrier_reduction::popc
           : o.atomic == atomic_op::and_ ? barrier_reduction::and_
                                         : barrier_reduction::or_;
  }

  void end_in_barrier(block_id id, std::size_t n) {
    const operation& o = operation_of(n);
    const auto given = text().operands_of(text().instructions[n]);
    decoded_barrier barrier;
    barrier.reduction = reduction_of(o);
    const std::size_t first = barrier.reduction == barrier_reduction::none ? 0 : 1;  // behind the result
    const std::size_t last = given.size() - first;                                   // before the predicate
    if (first < given.size())
      barrier.id = value(given[first], scalar_type::u32);
    else
      barrier.id = literal(false, 0);
    if (last > first + 1) barrier.count = value(given[first + 1], scalar_type::u32);
    if (first != 0) {
      barrier.value = predicate(given.back());
      barrier.ticket = fresh(false);
    }
    decoded_block& b = out().blocks[id];
    b.end = o.barrier == barrier_op::arrive ? block_exit::arrive : block_exit::barrier;
    b.detail = static_cast<std::uint32_t>(out().barrier_list.size());
    b.next = first != 0 ? id + 1 : block_after(n);
    out().barrier_list.push_back(barrier);
  }

  void read_reduction(std::size_t n) {
    const auto given = text().operands_of(text().instructions[n]);
    decoded_op op = start(op_kind::reduced);
    const decoded_barrier& barrier = out().barrier_list.back();
    op.code = static_cast<std::uint8_t>(barrier.reduction);
    op.source[0] = barrier.ticket;
    op.result = registers()[given[0].index];
    append(op);
  }

  // --- operands --------------------------------------------------------------------------------------------------

  const std::vector<slot_ref>& registers() const { return body().registers; }

  decoded_op start(op_kind kind) const {
    decoded_op op;
    op.kind = kind;
    op.guard = guard_;
    op.instruction = current_;
    return op;
  }
  void append(decoded_op op) {
    if (op.kind == op_kind::light || op.kind == op_kind::each || op.kind == op_kind::carry)
      for (slot_ref& s : op.source)
        if (s == no_slot) s = op.source[0];  // code never looks at operands it does not have
    if (op.kind == op_kind::light || op.kind == op_kind::copy || op.kind == op_kind::select)
      for (const slot_ref s : op.source) op.in_place = op.in_place || s == op.result;
    const bool simple = op.kind == op_kind::light || op.kind == op_kind::copy ||
                        (op.kind == op_kind::compare && op.combine == boolean_op::none && op.result != no_slot &&
                         op.second == no_index);
    op.plain = simple && op.guard.index == no_index && op.flush == 0 && !op.sat;
    out().ops.push_back(op);
  }

  /// The slot that holds an operand of a type.
  slot_ref value(const operand& o, scalar_type type) {
    const bool wide = is_wide_type(type);
    switch (o.kind) {
      case operand_kind::reg:
        return o.bits == 0 ? registers()[o.index] : sum_of(registers()[o.index], o);
      case operand_kind::integer:
        return literal(wide, o.bits);
      case operand_kind::single:
        if (type == scalar_type::f64)
          return literal(true, std::bit_cast<std::uint64_t>(
                                   static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(o.bits)))));
        return literal(wide, o.bits);
      case operand_kind::real:
        if (type == scalar_type::f32)
          return literal(false, std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(o.bits))));
        return literal(wide, o.bits);
      case operand_kind::special:
        return special(static_cast<special_register>(o.index), wide);
      case operand_kind::function:
        return constant(wide, {decoded_constant::what::code, o.bits, behind_alias(o.index)});
      case operand_kind::variable:
      case operand_kind::module_variable:
      case operand_kind::parameter:
      case operand_kind::result:
        if (const place* p = frame_place(o.kind, o.index); p != nullptr) return frame_value(p->offset + o.bits, wide);
        return address_of(o.kind, o.index, o.bits, wide);
      default:
        return no_slot;
    }
  }

  /// A register and a constant, modulo the register's size.
  slot_ref sum_of(slot_ref reg, const operand& o) {
    const std::uint32_t size = info(text().registers[o.index].type).size;
    operation sum;
    sum.name = mnemonic::add;
    sum.type = size == 2 ? scalar_type::u16 : size == 4 ? scalar_type::u32 : scalar_type::u64;
    decoded_op op = start(op_kind::light);
    op.light = code_of(sum).light;
    op.result = fresh(is_wide(reg));
    op.source[0] = reg;
    op.source[1] = literal(is_wide(reg), o.bits);
    append(op);
    return op.result;
  }

  slot_ref special(special_register r, bool wide) {
    if (r >= special_register::clock && r <= special_register::globaltimer_hi) {
      decoded_op op = start(op_kind::clock);
      op.code = r == special_register::clock_hi || r == special_register::globaltimer_hi ? 32 : 0;
      op.result = fresh(wide);
      append(op);
      out().reads_clock = true;
      return op.result;
    }
    const bool per_thread = r == special_register::tid_x || r == special_register::tid_y ||
                            r == special_register::tid_z || r == special_register::laneid ||
                            r == special_register::warpid ||
                            (r >= special_register::lanemask_eq && r <= special_register::lanemask_gt);
    if (!per_thread) return constant(wide, {decoded_constant::what::special, static_cast<std::uint64_t>(r), 0});
    for (const auto& [known, s] : out().specials)
      if (known == r) return s;
    const slot_ref s = fresh(false);
    out().specials.emplace_back(r, s);
    return s;
  }

  /// The address of what lies in no frame.
  slot_ref address_of(operand_kind kind, std::uint32_t index, std::uint64_t offset, bool wide) {
    if (kind == operand_kind::parameter) return literal(wide, out().parameter_offsets[index] + offset);
    const place& p = kind == operand_kind::variable ? body().places[index] : module_places_[index];
    switch (p.kind) {
      case place::what::dynamic:
        return constant(wide, {decoded_constant::what::dynamic_shared, offset, 0});
      case place::what::global:
        return constant(wide, {decoded_constant::what::address, offset, static_cast<std::uint32_t>(p.offset)});
      default:
        return literal(wide, p.offset + offset);
    }
  }

  /// The address that a memory operation accesses, and its space: parameters of functions are in their frames.
  void address(decoded_op& op, const operand& o) {
    if (o.base == operand_kind::reg) {
      op.source[0] = registers()[o.index];
      op.offset = o.bits;
      if (op.space == state_space::param && !in_kernel()) op.space = state_space::local;
    } else if (o.base == operand_kind::integer) {
      op.source[0] = literal(true, o.bits);
    } else if (const place* p = frame_place(o.base, o.index); p != nullptr) {
      frame_address(op, p->offset + o.bits);
    } else {
      const variable* v = o.base == operand_kind::variable          ? &text().variables[o.index]
                          : o.base == operand_kind::module_variable ? &module_.variables[o.index]
                                                                    : nullptr;
      if (op.space == state_space::generic && v != nullptr && v->space == state_space::shared) op.space = v->space;
      op.source[0] = address_of(o.base, o.index, o.bits, true);
    }
  }

  bool is_predicate(const operand& o) const {
    return o.kind == operand_kind::reg && text().registers[o.index].type == scalar_type::pred;
  }
  predicate_ref predicate(const operand& o) const {
    if (o.kind == operand_kind::integer) return {no_index, (o.bits != 0) == o.negated};
    if (o.kind == operand_kind::special) return {no_index, !o.negated};  // %is_explicit_cluster: never
    return {registers()[o.index], o.negated};
  }

  // --- what the selection of code asks for ------------------------------------------------------------------------

  std::span<const operand> operands_of(const instruction& i) const { return text().operands_of(i); }
  std::span<const operand> elements_of(const operand& o) const { return text().elements_of(o); }
  slot_ref register_slot(const operand& o) const { return registers()[o.index]; }
  scalar_type register_type(const operand& o) const { return text().registers[o.index].type; }
  std::string_view selector_of(const operand& o) const {
    return o.selector == no_index ? std::string_view() : std::string_view(text().names[o.selector]);
  }
  std::uint32_t add_list(std::span<const slot_ref> list) {
    const auto at = static_cast<std::uint32_t>(out().lists.size());
    out().lists.insert(out().lists.end(), list.begin(), list.end());
    return at;
  }

  // --- instructions ----------------------------------------------------------------------------------------------

  static std::uint64_t window_of(state_space s) {
    return s == state_space::shared ? shared_window : s == state_space::local ? local_window : param_window;
  }

  /// The registers of a load or store: one, or those of a vector; one of 128 bits is two.
  void add_data(decoded_op& op, const operand& data, scalar_type type) {
    op.list = static_cast<std::uint32_t>(out().lists.size());
    const bool two = info(type).size == 16;
    const auto add = [&](const operand& e) {
      const slot_ref s = e.kind == operand_kind::sink ? no_slot : value(e, type);
      lists_.push_back(s);
      if (two) lists_.push_back(s == no_slot ? no_slot : upper_half(s));
    };
    lists_.clear();  // values may emit operations that have lists
    if (data.kind == operand_kind::vector)
      for (const operand& e : text().elements_of(data)) add(e);
    else
      add(data);
    op.list = add_list(std::span<const slot_ref>(lists_));
    if (two) {
      op.size = 8;
      op.count = static_cast<std::uint8_t>(2 * op.count);
    }
  }

  /// Of an atomic on a vector: the registers of the old values (no_slot: dropped), then the operands.
  void add_cells(decoded_op& op, const operand& olds, const operand& operands, scalar_type type) {
    lists_.clear();
    if (olds.kind == operand_kind::vector)
      for (const operand& e : text().elements_of(olds))
        lists_.push_back(e.kind == operand_kind::reg ? registers()[e.index] : no_slot);
    else
      lists_.assign(op.count, no_slot);
    for (const operand& e : text().elements_of(operands)) lists_.push_back(value(e, type));
    op.list = add_list(std::span<const slot_ref>(lists_));
  }

  /// An operation among lanes of a warp; `members` says which, null: those that run it.
  decoded_op start_talk(op_kind kind, const operand& result, const operand* members) {
    decoded_op op = start(kind);
    if (result.kind == operand_kind::reg) op.result = registers()[result.index];
    if (result.second != no_index) op.second = registers()[result.second];
    if (members != nullptr) op.source[3] = value(*members, scalar_type::u32);
    out().talks = true;
    return op;
  }

  void decode(const instruction& i, const operation& o) {
    const auto given = text().operands_of(i);
    switch (o.name) {
      case mnemonic::cvta: {
        if (o.space != state_space::shared && o.space != state_space::local && o.space != state_space::param) {
          copy(registers()[given[0].index], value(given[1], o.type));
          return;
        }
        operation sum;
        sum.name = o.to ? mnemonic::sub : mnemonic::add;
        sum.type = o.type;
        decoded_op op = start(op_kind::light);
        op.light = code_of(sum).light;
        op.result = registers()[given[0].index];
        op.source[0] = value(given[1], o.type);
        op.source[1] = literal(is_wide_type(o.type), window_of(o.space));
        append(op);
        return;
      }
      case mnemonic::ld:
      case mnemonic::st: {
        const bool load = o.name == mnemonic::ld;
        decoded_op op = start(load ? op_kind::load : op_kind::store);
        op.space = o.space;
        op.size = static_cast<std::uint8_t>(info(o.type).size);
        op.sign = info(o.type).kind == type_class::signed_integer;
        op.count = o.width;
        address(op, given[load ? 1 : 0]);
        add_data(op, given[load ? 0 : 1], o.type);
        append(op);
        return;
      }
      case mnemonic::atom:
      case mnemonic::red: {
        const bool result = o.name == mnemonic::atom;
        const std::size_t at = result ? 1 : 0;
        decoded_op op = start(op_kind::atomic);
        op.space = o.space;
        op.atomic = o.atomic;
        op.type = o.type;
        op.size = static_cast<std::uint8_t>(info(o.type).size);
        op.count = o.width;
        address(op, given[at]);
        if (o.width > 1) {
          add_cells(op, result ? given[0] : operand{}, given[at + 1], o.type);
          append(op);
          return;
        }
        if (result && given[0].kind == operand_kind::reg) op.result = registers()[given[0].index];
        op.source[1] = value(given[at + 1], o.type);
        if (o.atomic == atomic_op::cas) op.source[2] = value(given[at + 2], o.type);
        append(op);
        return;
      }
      case mnemonic::isspacep: {
        decoded_op op = start(op_kind::space_test);
        op.space = o.space;
        op.result = registers()[given[0].index];
        op.source[0] = value(given[1], address_type());
        append(op);
        return;
      }
      case mnemonic::cp_async: {  // to shared memory, at once
        decoded_op op = start(op_kind::copy_memory);
        op.space = state_space::shared;
        op.size = static_cast<std::uint8_t>(given[2].bits);
        address(op, given[0]);
        decoded_op from = start(op_kind::copy_memory);
        from.space = state_space::global;
        address(from, given[1]);
        op.source[1] = from.source[0];
        const bool partly = given.size() > (o.cache_hint ? 4U : 3U);
        const bool ignores = partly && is_predicate(given[3]);
        op.source[2] = partly && !ignores ? value(given[3], scalar_type::u32) : no_slot;
        op.predicate[0] = ignores ? predicate(given[3]) : predicate_ref{no_index, true};
        op.second_offset = from.offset;
        append(op);
        return;
      }
      case mnemonic::shfl: {
        decoded_op op = start_talk(op_kind::shuffle, given[0], o.sync ? &given[4] : nullptr);
        op.code = static_cast<std::uint8_t>(o.shuffle);
        for (std::size_t n = 0; n < 3; ++n) op.source[n] = value(given[n + 1], n == 0 ? o.type : scalar_type::u32);
        append(op);
        return;
      }
      case mnemonic::vote: {
        decoded_op op = start_talk(op_kind::vote, given[0], o.sync ? &given[2] : nullptr);
        op.code = static_cast<std::uint8_t>(o.vote);
        op.predicate[0] = predicate(given[1]);
        if (o.vote != vote_mode::ballot) {
          op.second = op.result;
          op.result = no_slot;
        }
        append(op);
        return;
      }
      case mnemonic::match: {
        decoded_op op = start_talk(op_kind::match, given[0], &given[2]);
        op.code = static_cast<std::uint8_t>(o.vote);
        op.source[0] = value(given[1], o.type);
        append(op);
        return;
      }
      case mnemonic::redux: {
        decoded_op op = start_talk(op_kind::reduce, given[0], &given[2]);
        op.atomic = o.atomic;
        op.type = o.type;
        op.source[0] = value(given[1], o.type);
        append(op);
        return;
      }
      case mnemonic::elect:
        append(start_talk(op_kind::elect, given[0], &given[1]));
        return;
      case mnemonic::activemask:
        append(start_talk(op_kind::active_mask, given[0], nullptr));
        return;
      case mnemonic::bar_warp: {
        const operand nowhere{};
        append(start_talk(op_kind::warp_barrier, nowhere, &given[0]));
        return;
      }
      case mnemonic::createpolicy:
        copy(registers()[given[0].index], literal(true, 0));
        return;
      case mnemonic::membar:
      case mnemonic::prefetch:
      case mnemonic::cp_async_wait:
      case mnemonic::nanosleep:
      case mnemonic::brkpt:
      case mnemonic::nop:
        return;
      default:
        select(i, o);
        return;
    }
  }

  const module& module_;
  const kernel& kernel_;
  const checked_function* checked_ = nullptr;  // the kernel, if it has been verified before
  decoded_kernel out_;
  simtflow::diagnostics found_;
  std::vector<function_body> bodies_;  // by function of the result
  std::size_t current_body_ = 0;
  std::vector<place> module_places_;
  bool pointees_known_ = false;
  std::vector<pointee> pointees_;            // empty until pointees_known_
  std::vector<std::uint32_t> behind_alias_;  // by function of the module
  bool names_made_ = false;
  module_names names_;
  std::unordered_set<std::string_view> laid_out_;  // variables in device memory that the kernel reaches
  std::vector<formals> shapes_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> shape_of_key_;
  std::size_t followed_ = 0;  // globals whose initialisers have been read
  bool rest_known_ = false;
  std::uint64_t largest_rest_ = 0;  // bytes passed for an array without a size
  place formal_place_;
  std::uint32_t next32_ = 0;
  std::uint32_t next64_ = 0;
  std::unordered_multimap<std::uint64_t, slot_ref> known_;
  std::vector<draft> drafts_;       // of its blocks
  std::vector<block_id> block_at_;  // by instruction
  block_id end_block_ = no_block;
  std::vector<slot_ref> lists_;
  predicate_ref guard_;
  std::uint32_t current_ = 0;
};

}  // namespace detail

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
