// SPDX-License-Identifier: BSL-1.0
//
// What a person may have meant by a word that nothing is called. (CLI11 has no such thing.)
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lab {

/// " (did you mean WORD?)": the known word that is nearest to `word` in letters inserted, left out, changed or swapped
/// with the next one; empty if every one is too far from it. O(words times the product of the lengths).
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> known);

}  // namespace lab
