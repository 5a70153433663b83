// SPDX-License-Identifier: BSL-1.0
//
// Suggests a known word for an unknown one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// The restricted Damerau-Levenshtein distance, by rows.
inline std::size_t spelling_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_up, up, row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) up.push_back(j);
  const auto least = [](std::size_t x, std::size_t y) { return x < y ? x : y; };
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = least(least(up[j] + 1, row[j - 1] + 1), up[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = least(row[j], two_up[j - 2] + 1);
    }
    two_up = up;
    std::swap(up, row);
  }
  return up[b.size()];
}

// " (did you mean WORD?)" with the known word nearest to `word`, counted in letters that are inserted, left out,
// changed or swapped with the next letter; empty if every known word is too far. O(words times the product of the
// lengths).
inline std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  std::size_t least = (word.size() / 3 > 1 ? word.size() / 3 : 1) + 1;
  std::string found;
  for (const std::string& one : known)
    if (const std::size_t d = spelling_distance(word.substr(0, 64), one); d < least) {
      least = d;
      found = " (did you mean " + one + "?)";
    }
  return found;
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
