// SPDX-License-Identifier: BSL-1.0
//
// Names that are taken in a function, and fresh names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// The names of a function and of its module, and new ones.
class name_set {
 public:
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
