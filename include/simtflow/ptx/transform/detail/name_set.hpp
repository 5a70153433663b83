// SPDX-License-Identifier: BSL-1.0
//
// Names that are taken in a function, and fresh names.
#pragma once

#include <simtflow/ptx/text/module.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// The names of a function and of its module, and new ones.
class name_set {
 public:
  // No name is taken.
  name_set() = default;
  // The names of a function without inner braces, and of its module.
  name_set(const function& text, const module& owner) {
    for (const register_info& r : text.registers) add(r.width > 1 ? r.name.substr(0, r.name.size() - 2) : r.name);
    for (const std::vector<variable>* list : {&text.variables, &text.parameters, &text.results})
      for (const variable& v : *list) add(v.name);
    for (const label& l : text.labels) add(l.name);
    for (const call_prototype& p : text.prototypes) add(p.name);
    for (const branch_table& t : text.branch_tables) add(t.name);
    for (const call_target_list& l : text.call_targets) add(l.name);
    for (const variable& v : owner.variables) add_outside(v.name);
    for (const std::vector<function>* list : {&owner.functions, &owner.kernels})
      for (const function& f : *list) add_outside(f.name);
  }

  // Adds a name of the function. Returns false if the function already has it.
  bool add(std::string_view name) { return here_.insert(std::string(name)).second; }
  // Adds a name of the module, which the function may hide where it always did.
  void add_outside(std::string_view name) { outside_.insert(std::string(name)); }
  // The name itself, or with a number appended: a name that nothing else has.
  std::string fresh(const std::string& name) {
    std::string made = name;
    while (outside_.contains(made) || !add(made)) made = name + "_" + std::to_string(++tried_[name]);
    return made;
  }

 private:
  std::unordered_set<std::string> here_, outside_;
  std::unordered_map<std::string, std::uint32_t> tried_;  // by name: the last number
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
