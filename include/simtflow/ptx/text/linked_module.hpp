// SPDX-License-Identifier: BSL-1.0
//
// Modules to link and the linked module, as plain data. link.hpp says what linking means.
#pragma once

#include <simtflow/ptx/text/module.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// A module to link.
struct link_input {
  const ptx::module* module = nullptr;  ///< never null; it must live while link() runs
  std::string_view name;                ///< for diagnostics: the name of its file
  /// True if the only variables and functions taken are the ones that other modules reach and do not define.
  bool is_library = false;
};

/// The lists of a module that have names.
enum class symbol_kind : std::uint8_t { variable, function, entry };

/// The name of a kind of symbol, for messages.
[[nodiscard]] constexpr std::string_view to_string(symbol_kind e) {
  constexpr std::string_view names[] = {"variable", "function", "kernel"};
  return names[static_cast<std::size_t>(e)];
}

/// A name of an input, and the thing in the linked module that it means.
struct linked_symbol {
  std::string name;                          ///< in the text of the input
  symbol_kind kind = symbol_kind::variable;  ///< the list that it is in
  std::uint32_t index = no_index;            ///< in that list of the linked module; no_index: it was left out
};

/// Modules linked to one.
struct linked_module {
  ptx::module module;                               ///< with a new number
  std::vector<std::vector<linked_symbol>> symbols;  ///< by input: its names, sorted

  /// The meaning of a name in an input: two inputs may have an internal variable of one name each.
  /// \param input its number among the inputs. \param name as its text has it. \returns null if the text does not
  /// declare the name. O(log symbols). \pre input is in range.
  [[nodiscard]] const linked_symbol* find(std::size_t input, std::string_view name) const {
    const std::vector<linked_symbol>& all = symbols[input];
    std::size_t low = 0, high = all.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (all[middle].name < name)
        low = middle + 1;
      else
        high = middle;
    }
    return low < all.size() && all[low].name == name ? &all[low] : nullptr;
  }
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
