// SPDX-License-Identifier: BSL-1.0
//
// The places in the sources that the instructions of a kernel come from: a part of the places of its module.
#pragma once

#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class source_copier {
 public:
  source_copier(const source_map& from, decoded_kernel& to) : from_(from), to_(to) {}

  /// The instructions of a function, which are the last ones of the kernel so far.
  void add(const function& f) {
    if (f.lines.empty() && to_.places.empty()) return;
    if (to_.sources.files.empty()) to_.sources.files = from_.files;
    to_.places.resize(to_.positions.size(), no_index);
    const std::size_t first = to_.positions.size() - f.instructions.size();
    for (std::size_t i = 0; i < f.instructions.size(); ++i)
      to_.places[first + i] = copy(place_at(f.lines, f.instructions[i].where));
  }

 private:
  /// The number of a place in the kernel; the calls around inlined code are copied before it.
  std::uint32_t copy(std::uint32_t place) {
    chain_.clear();
    std::uint32_t known = no_index;  // the number of the innermost call that was copied before
    for (; place < from_.places.size(); place = from_.places[place].inlined_at) {
      if (const auto found = number_of_.find(place); found != number_of_.end()) {
        known = found->second;
        break;
      }
      chain_.push_back(place);
      if (from_.places[place].inlined_at >= place) break;
    }
    for (std::size_t n = chain_.size(); n-- > 0;) {
      source_place p = from_.places[chain_[n]];
      p.inlined_at = known;
      if (p.function < from_.functions.size()) {
        const auto [name, fresh] =
            name_of_.emplace(p.function, static_cast<std::uint32_t>(to_.sources.functions.size()));
        if (fresh) to_.sources.functions.push_back(from_.functions[p.function]);
        p.function = name->second;
      }
      known = static_cast<std::uint32_t>(to_.sources.places.size());
      to_.sources.places.push_back(p);
      number_of_.emplace(chain_[n], known);
    }
    return known;
  }

  const source_map& from_;
  decoded_kernel& to_;
  std::unordered_map<std::uint32_t, std::uint32_t> number_of_;  // places, in the module and here
  std::unordered_map<std::uint32_t, std::uint32_t> name_of_;    // functions, in the module and here
  std::vector<std::uint32_t> chain_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
