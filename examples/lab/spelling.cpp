// SPDX-License-Identifier: BSL-1.0
#include "lab/spelling.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace lab {
namespace {

// The restricted Damerau-Levenshtein distance, by rows.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_up, up(b.size() + 1), row(b.size() + 1);
  std::iota(up.begin(), up.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({up[j] + 1, row[j - 1] + 1, up[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], two_up[j - 2] + 1);
    }
    two_up = up;
    std::swap(up, row);
  }
  return up[b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::string found;
  for (const std::string& one : known)
    if (const std::size_t d = distance(word.substr(0, 64), one); d < least) {
      least = d;
      found = " (did you mean " + one + "?)";
    }
  return found;
}

}  // namespace lab
