// SPDX-License-Identifier: BSL-1.0
//
// The functions that a kernel reaches by calls and pointers: each is verified once, its variables are laid out, and its
// frame is placed after the frames of all its callers.
#pragma once

#include <simtflow/analysis/components.hpp>
#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/ptx/decode/detail/decode_context.hpp>
#include <simtflow/ptx/decode/detail/variable_layout.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/verifier.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class call_graph {
 public:
  using formal = decode_context::formal;
  using formals = decode_context::formals;
  using system_function = decode_context::system_function;

  // `kernel` is the kernel if it has been verified before, else null.
  call_graph(decode_context& in, variable_layout& lay, const checked_function* kernel)
      : in_(in), lay_(lay), checked_(kernel) {}

  void add_function(const function& f) {
    decode_context::function_body b;
    b.text = &f;
    in_.bodies.push_back(std::move(b));
    decoded_function d;
    d.name = f.name;
    in_.out.functions.push_back(std::move(d));
  }

  // The number in the result of a function of the module, which is decoded with the others from now on.
  std::uint32_t reach(std::uint32_t f) {
    f = in_.behind_alias(f);
    if (!in_.owner.functions[f].has_body) return no_index;
    if (in_.out.function_at[f] == no_index) {
      in_.out.function_at[f] = static_cast<std::uint32_t>(in_.bodies.size());
      add_function(in_.owner.functions[f]);
    }
    return in_.out.function_at[f];
  }

  // Verifies a function, lays out its variables and the variables that it names, and adds the functions that it can
  // reach.
  void explore(std::size_t f) {
    in_.current = f;
    const function& t = in_.text();
    const std::size_t before = in_.found.size();
    if (f == 0 && checked_ != nullptr) {
      in_.body().operations = checked_->operations();
    } else {
      for (diagnostic& d : diagnose_function(in_.owner, t, in_.body().parsed))
        add_diagnostic(in_.found, d.where, std::move(d.message));
      if (in_.found.size() != before) return;
      in_.body().operations = in_.body().parsed;
    }
    formals& mine = in_.body().signature;
    if (!in_.in_kernel()) {
      mine = lay_.frame_of(t.parameters, t.results);
      for (const std::vector<variable>* list : {&t.parameters, &t.results})
        for (const variable& v : *list)
          if (v.space == state_space::param && v.align > in_.body().frame_align) in_.body().frame_align = v.align;
    }
    in_.out.functions[f].frame_bytes = mine.bytes;
    in_.body().places.assign(t.variables.size(), {});
    for (std::size_t i = 0; i < t.variables.size(); ++i) {
      lay_.refuse_namesake(t.variables[i]);
      lay_.lay_out(t.variables[i], in_.bodies[f].places[i]);
    }
    for (const instruction& i : t.instructions)
      if (in_.is_call(i)) find_callees(i);
    for (const call_target_list& list : t.call_targets)
      for (const std::uint32_t callee : list.targets) reach(callee);
    // A variable of the module is laid out only if the text names it, directly or through an initialiser.
    for (const operand& o : t.operands) lay_.place_named_by(o);
    lay_.follow_initialisers();
  }

  // Names the functions that a call through a register may be given, but cannot enter.
  void name_what_is_not_callable() {
    for (const pointee& to : pointees_)
      if (in_.out.function_at[to.function] == no_index)
        in_.out.not_callable.push_back(
            {to.function, in_.owner.functions[to.function].name, in_.owner.functions[to.function].has_body});
  }
  void find_shapes() {
    for (std::size_t f = 0; f < in_.bodies.size(); ++f) in_.out.functions[f].shape = shape_of(in_.bodies[f].signature);
  }

  // The functions that a call may enter, and how it passes its arguments.
  call_site site_of(const instruction& i) {
    call_site s;
    s.caller = static_cast<std::uint32_t>(in_.current);
    const auto given = in_.text().operands_of(i);
    if (given[1].kind == operand_kind::function) {
      s.targets.push_back(in_.out.function_at[in_.behind_alias(given[1].index)]);
      s.shape = in_.out.functions[s.targets[0]].shape;
      return s;
    }
    if (given.size() > 3 && given[3].kind == operand_kind::call_targets) {
      for (const std::uint32_t f : in_.text().call_targets[given[3].index].targets)
        if (const std::uint32_t here = in_.out.function_at[in_.behind_alias(f)]; here != no_index)
          s.targets.push_back(here);
      if (!s.targets.empty()) s.shape = in_.out.functions[s.targets[0]].shape;
      for (const std::uint32_t t : s.targets)
        if (in_.out.functions[t].shape != s.shape)
          in_.fail(given[3].where, "functions '" + in_.out.functions[s.targets[0]].name + "' and '" +
                                       in_.out.functions[t].name + "' of one list take their parameters differently");
      return s;
    }
    if (given.size() > 3 && given[3].kind == operand_kind::prototype) {
      const call_prototype& p = in_.text().prototypes[given[3].index];
      s.shape = shape_of(lay_.frame_of(p.parameters, p.results));
    }
    for (const pointee& to : pointees_)
      if (to.shape == s.shape && in_.out.function_at[to.function] != no_index)
        s.targets.push_back(in_.out.function_at[to.function]);
    return s;
  }

  // Finds the functions that can be called while they are active. The frame of every other function lies after the
  // frames of all its callers.
  void find_cycles_of_calls() {
    csr_builder calls(in_.bodies.size(), 0);
    for (std::size_t f = 0; f < in_.bodies.size(); ++f) {
      in_.current = f;
      for (const instruction& i : in_.text().instructions) {
        if (!in_.is_call(i)) continue;
        const operand& callee = in_.text().operands_of(i)[1];
        if (callee.kind == operand_kind::function &&
            in_.system_function_of(in_.owner.functions[in_.behind_alias(callee.index)]) !=
                decode_context::system_function::none)
          continue;
        for (const std::uint32_t to : site_of(i).targets) calls.add_edge(static_cast<block_id>(f), to);
      }
    }
    const csr_graph graph = calls.build();
    const strong_components<csr_graph> cycles(graph);
    std::vector<std::uint64_t> begin(in_.bodies.size(), 0);
    for (const component_id c : cycles.all()) {
      std::uint64_t first = 0;
      for (const block_id f : cycles.ids().blocks(c))
        if (begin[f] > first) first = begin[f];
      for (const block_id f : cycles.ids().blocks(c)) {
        decoded_function& d = in_.out.functions[f];
        const bool allocates = in_.allocates(f);
        // The kernel's own code never returns, so its frame stays where it is.
        d.recursive = cycles.has_cycle(c) || (allocates && f != 0);
        in_.out.frames_grow = in_.out.frames_grow || allocates || (d.recursive && d.frame_bytes != 0);
        std::uint64_t end = first;
        if (d.recursive) {
          d.frame_align = in_.bodies[f].frame_align;
        } else {
          d.frame_offset = in_.align_up(first, in_.bodies[f].frame_align);
          end = d.frame_offset + d.frame_bytes;
        }
        if (end > in_.out.local_bytes) in_.out.local_bytes = end;
        for (const block_id to : graph.successors(f))
          if (begin[to] < end) begin[to] = end;
      }
    }
  }
  // The places where a call with that shape passes its arguments.
  const formals& formals_of(std::uint32_t shape) const { return shapes_[shape]; }

 private:
  // A function that a pointer may lead to, and what it takes and returns.
  struct pointee {
    std::uint32_t function = 0;  // of the module
    std::uint32_t shape = 0;
  };

  void find_callees(const instruction& i) {
    const auto given = in_.text().operands_of(i);
    const operand& callee = given[1];
    if (callee.kind != operand_kind::function) {
      if (given.size() > 3 && given[3].kind == operand_kind::prototype)
        reach_all_like(in_.text().prototypes[given[3].index]);
      return;
    }
    const std::uint32_t f = in_.behind_alias(callee.index);
    if (in_.system_function_of(in_.owner.functions[f]) != decode_context::system_function::none) return;
    if (reach(f) == no_index) in_.fail(callee.where, no_body(in_.owner.functions[f]));
  }
  static std::string no_body(const function& f) {
    if (f.name == "malloc" || f.name == "free")
      return "'" + f.name + "' is not supported: there is no heap on the device";
    if (f.name.rfind("cudaLaunchDevice", 0) == 0 || f.name.rfind("cudaGetParameterBuffer", 0) == 0 ||
        f.name.rfind("__cudaCDP", 0) == 0)
      return "'" + f.name + "' is not supported: kernels are launched by the host only";
    return "function '" + f.name + "' has no body";
  }

  // Finds the functions of the module that have their address taken anywhere, also in text that this kernel does not
  // reach: another kernel, the host or an initialiser may have stored it where this kernel reads it. Called for the
  // first call through a register. A function without a body also has an address (a pure virtual function, in a table).
  void find_pointees() {
    if (pointees_known_) return;
    pointees_known_ = true;
    std::vector<unsigned char> taken(in_.owner.functions.size(), 0);
    const auto variables = [&](const std::vector<variable>& list) {
      for (const variable& v : list)
        for (const relocation& r : v.relocations)
          if (const auto f = lay_.names().functions.find(r.symbol); f != lay_.names().functions.end())
            taken[in_.behind_alias(f->second)] = 1;
    };
    const auto text = [&](const function& f) {
      variables(f.variables);
      std::vector<unsigned char> called(f.operands.size(), 0);
      for (const instruction& i : f.instructions)
        if (in_.is_call(i) && i.num_operands > 1) called[i.first_operand + 1] = 1;
      for (std::size_t o = 0; o < f.operands.size(); ++o)
        if (f.operands[o].kind == operand_kind::function && called[o] == 0)
          taken[in_.behind_alias(f.operands[o].index)] = 1;
    };
    variables(in_.owner.variables);
    for (const function& f : in_.owner.functions) text(f);
    for (const function& k : in_.owner.kernels) text(k);
    for (std::uint32_t f = 0; f < in_.owner.functions.size(); ++f) {
      const function& g = in_.owner.functions[f];
      if (taken[f] != 0 && in_.system_function_of(g) == decode_context::system_function::none)
        pointees_.push_back({f, shape_of(lay_.frame_of(g.parameters, g.results))});
    }
  }

  // Reaches all functions that a call with this prototype may enter.
  void reach_all_like(const call_prototype& p) {
    find_pointees();
    const std::uint32_t shape = shape_of(lay_.frame_of(p.parameters, p.results));
    for (const pointee& to : pointees_)
      if (to.shape == shape) reach(to.function);
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

  decode_context& in_;
  variable_layout& lay_;
  const checked_function* checked_;
  bool pointees_known_ = false;
  std::vector<pointee> pointees_;  // empty until pointees_known_
  std::vector<formals> shapes_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> shape_of_key_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
