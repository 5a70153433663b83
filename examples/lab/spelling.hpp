// SPDX-License-Identifier: BSL-1.0
//
// Suggests a known word for an unknown one. (CLI11 has no such function.)
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lab {

/// " (did you mean WORD?)" with the known word nearest to `word`, counted in letters inserted, left out, changed or
/// swapped with the next one; empty if every known word is too far. O(words times the product of the lengths).
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> known);

}  // namespace lab
