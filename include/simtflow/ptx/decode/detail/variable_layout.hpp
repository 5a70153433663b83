// SPDX-License-Identifier: BSL-1.0
//
// The places of the variables of a kernel and of its functions: in its parameter space, in shared memory, in a frame,
// in device memory.
#pragma once

#include <simtflow/ptx/decode/detail/decode_context.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <cstddef>
#include <cstdint>
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

class variable_layout {
 public:
  using place = decode_context::place;
  using formal = decode_context::formal;
  using formals = decode_context::formals;

  explicit variable_layout(decode_context& in) : in_(in), module_places_(in.owner.variables.size()) {}

  void lay_out_parameters() {
    std::uint64_t at = 0;
    for (const variable& p : in_.kernel.parameters) {
      at = in_.align_up(at, p.align);
      in_.out.parameters.push_back(p);
      in_.out.parameter_offsets.push_back(at);
      at += p.size;
    }
    in_.out.parameter_bytes = at;
    if (at > 32768) in_.fail(in_.kernel.where, "kernel '" + in_.kernel.name + "' has more than 32 KiB of parameters");
  }

  // The names of the module; made when the first is asked for.
  struct module_names {
    std::unordered_map<std::string_view, std::uint32_t> variables;
    std::unordered_map<std::string_view, std::uint32_t> functions;
    std::unordered_map<std::string_view, std::uint32_t> in_device_memory;  // how often, also inside functions
  };
  const module_names& names() {
    if (names_made_) return names_;
    names_made_ = true;
    const auto count = [&](const std::vector<variable>& list) {
      for (const variable& v : list)
        if (is_in_device_memory(v)) ++names_.in_device_memory[v.name];
    };
    for (std::uint32_t i = 0; i < in_.owner.variables.size(); ++i) names_.variables[in_.owner.variables[i].name] = i;
    for (std::uint32_t f = 0; f < in_.owner.functions.size(); ++f)
      names_.functions.emplace(in_.owner.functions[f].name, f);
    count(in_.owner.variables);
    for (const function& k : in_.owner.kernels) count(k.variables);
    for (const function& k : in_.owner.functions) count(k.variables);
    return names_;
  }
  static bool is_in_device_memory(const variable& v) {
    return v.space == state_space::global || v.space == state_space::constant;
  }
  void place_named_by(const operand& o) {
    const operand_kind kind = o.kind == operand_kind::address ? o.base : o.kind;
    if (kind == operand_kind::module_variable && module_places_[o.index].kind == place::what::none)
      lay_out(in_.owner.variables[o.index], module_places_[o.index]);
  }
  // Device memory knows variables by name, so a global one inside a function must be the only one of its name.
  void refuse_namesake(const variable& v) {
    if (is_in_device_memory(v) && names().in_device_memory.at(v.name) > 1)
      in_.fail(v.where, "there is another ." + std::string(to_string(v.space)) + " variable '" + v.name + "'");
  }
  // Follows the addresses in the initialisers of new globals: lays their variables out and numbers the functions.
  void follow_initialisers() {
    for (; followed_ < in_.out.globals.size(); ++followed_) {
      std::vector<relocation> all = std::move(in_.out.globals[followed_].relocations);
      for (relocation& r : all) follow(in_.out.globals[followed_].where, r);
      in_.out.globals[followed_].relocations = std::move(all);
    }
  }
  void lay_out(const variable& v, place& p) {
    switch (v.space) {
      case state_space::shared:
        if (v.size == 0) {
          p.kind = place::what::dynamic;
          in_.out.uses_dynamic_shared = true;
          if (v.align > in_.out.dynamic_shared_align) in_.out.dynamic_shared_align = v.align;
          return;
        }
        in_.out.shared_bytes = in_.align_up(in_.out.shared_bytes, v.align);
        p = {place::what::offset, in_.out.shared_bytes};
        in_.out.shared_bytes += v.size <= max_shared_bytes ? v.size : max_shared_bytes + 1;
        return;
      case state_space::local:
      case state_space::param: {
        std::uint64_t& bytes = in_.out.functions[in_.current].frame_bytes;
        bytes = in_.align_up(bytes, v.align);
        p = {place::what::frame, bytes};
        bytes += v.size <= max_local_bytes ? v.size : max_local_bytes + 1;  // no sum overflows
        if (v.align > in_.body().frame_align) in_.body().frame_align = v.align;
        return;
      }
      case state_space::global:
      case state_space::constant:
        if (v.is_extern) in_.fail(v.where, "variable '" + v.name + "' is extern and defined nowhere");
        p = {place::what::global, in_.out.globals.size()};
        laid_out_.insert(v.name);
        in_.out.globals.push_back(v);
        return;
      default:
        return;
    }
  }
  formals frame_of(const std::vector<variable>& parameters, const std::vector<variable>& results) {
    formals all;
    const auto add = [&](const variable& v, std::vector<formal>& to) {
      std::uint64_t size = v.space == state_space::reg ? std::uint64_t{in_.register_bytes(v)} * v.width
                           : v.is_open_array()         ? largest_rest()
                                                       : v.size;
      if (size > max_local_bytes) size = max_local_bytes + 1;
      all.bytes = in_.align_up(all.bytes, v.space == state_space::reg ? in_.register_bytes(v) : v.align);
      to.push_back({all.bytes, size});
      all.bytes += size;
    };
    for (const variable& v : parameters) add(v, all.parameters);
    for (const variable& v : results) add(v, all.results);
    return all;
  }
  // The place of a variable of the module; none if nothing has named it so far.
  const place& of_module(std::uint32_t variable) const { return module_places_[variable]; }

 private:
  void follow(position where, relocation& r) {
    if (laid_out_.count(r.symbol) != 0) return;
    if (const auto found = names().variables.find(r.symbol); found != names().variables.end()) {
      const variable& v = in_.owner.variables[found->second];
      if (!is_in_device_memory(v))
        in_.fail(where, "an initialiser takes the address of '" + v.name + "' in ." + std::string(to_string(v.space)) +
                            " memory");
      else
        lay_out(v, module_places_[found->second]);
      return;
    }
    if (const auto found = names().functions.find(r.symbol); found != names().functions.end())
      r.function = in_.behind_alias(found->second);
    else
      in_.fail(where, "unknown name '" + r.symbol + "' in an initialiser");
  }
  // The most bytes that a call of the module passes for an array without a size, or a function reads by name. Every
  // function that has such a parameter keeps room for so many. Bytes that a call did not pass are undefined.
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
        if (!in_.is_call(i) || given.size() < 3 || given[2].kind != operand_kind::list) continue;
        if (given[1].kind == operand_kind::function)
          see(f, given[2], in_.owner.functions[given[1].index].parameters);
        else if (given.size() > 3 && given[3].kind == operand_kind::prototype)
          see(f, given[2], f.prototypes[given[3].index].parameters);
        else if (given.size() > 3 && given[3].kind == operand_kind::call_targets)
          for (const std::uint32_t t : f.call_targets[given[3].index].targets)
            see(f, given[2], in_.owner.functions[t].parameters);
      }
    };
    for (const function& f : in_.owner.functions) look(f);
    for (const function& k : in_.owner.kernels) look(k);
    return largest_rest_;
  }

  decode_context& in_;
  std::vector<place> module_places_;
  bool names_made_ = false;
  module_names names_;
  std::unordered_set<std::string_view> laid_out_;  // variables in device memory that the kernel reaches
  std::size_t followed_ = 0;                       // globals with initialisers that have been read
  bool rest_known_ = false;
  std::uint64_t largest_rest_ = 0;  // bytes passed for an array without a size
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
