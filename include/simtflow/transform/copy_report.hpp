// SPDX-License-Identifier: BSL-1.0
//
// Limits and report of structure_by_copies.hpp.
#pragma once

#include <simtflow/config.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Limits of structure_by_copies.
struct copy_options {
  /// The result may not have more blocks that the entry reaches.
  std::size_t max_blocks = 65'536;
};

/// A step of structure_by_copies.
enum class copy_step : unsigned char {
  backward_copy,  ///< loops get one entry
  cut,            ///< loops get one test
  forward_copy    ///< arms get blocks of their own
};

/// The step in words: "backward copy", "cut" or "forward copy".
[[nodiscard]] constexpr std::string_view to_string(copy_step step) {
  switch (step) {
    case copy_step::backward_copy:
      return "backward copy";
    case copy_step::cut:
      return "cut";
    case copy_step::forward_copy:
      return "forward copy";
  }
  return "";
}

/// How often the three structural transforms are applied, innermost regions first. One application eliminates one
/// branch, whatever number of blocks it copies; copies of a region that has been structured need no further one.
///
/// Literature: G. Diamos et al., SIMD re-convergence at thread frontiers (2011), Figure 5, which counts applications;
/// F. Zhang, E. D'Hollander (2004), algorithms 2 to 4, which eliminate one branch after the other.
struct structural_transforms {
  std::size_t forward_copies = 0;   ///< branches into an acyclic region, less one for each region
  std::size_t backward_copies = 0;  ///< branches into a loop that lead to a copy of its blocks in front of it
  /// Branches out of loops that lead to a new test, less the way out that each loop may have; at least one for each
  /// loop with a new test. A branch out of several loops counts once.
  std::size_t cuts = 0;

  /// True if all three numbers are equal.
  friend constexpr bool operator==(const structural_transforms&, const structural_transforms&) = default;
};

/// The report of structure_by_copies: what it did, or what stopped it.
struct copy_report {
  bool fits = true;                 ///< false: nothing was done, because there would be more blocks than allowed
  std::size_t blocks = 0;           ///< done: blocks of the result that the entry reaches
  std::size_t backward_copies = 0;  ///< blocks copied in front of loops
  std::size_t cuts = 0;             ///< loops with a new test
  std::size_t forward_copies = 0;   ///< blocks copied into arms
  structural_transforms applied{};  ///< how often each step was applied: by branches
  // If it does not fit:
  copy_step step = copy_step::backward_copy;  ///< the step that needs too many blocks
  /// The block of the graph where that was found: backward_copy: an entry of the loop in question; forward_copy: a
  /// branch that alone needs too many, or no_block if the sum of all is too large. no_block for blocks a plan had added
  /// before.
  block_id at = no_block;
  /// Convergent blocks that would have been copied, or lie in the closed set around a loop that needs a new test, by
  /// ascending dense id. If there are any, nothing was done.
  std::vector<block_id> refused{};

  /// The graph is structured now.
  [[nodiscard]] constexpr bool done() const { return fits && refused.empty(); }
};

}  // namespace v0
}  // namespace simtflow
