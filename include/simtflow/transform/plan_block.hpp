// SPDX-License-Identifier: BSL-1.0
//
// The blocks of a plan (plan.hpp) and the variables that its edges set.
//
//   original   executes a block of the graph that the plan was made for
//   copy       also executes such a block: it was duplicated (node splitting)
//   guard      compares a variable with two constants and has two edges: slot 0 if low <= variable <= high, else slot 1
//   empty      does nothing and goes on along its only edge; without an edge it is where threads end
//
// Variables are small unsigned integers, one copy for each thread, zero before they are set.
#pragma once

#include <simtflow/config.hpp>

#include <cstdint>
#include <string_view>

namespace simtflow {
inline namespace v0 {

/// The role of a block of a plan.
enum class plan_role : unsigned char {
  original,  ///< a block of the graph
  copy,      ///< a second block that does what one of the graph does
  guard,     ///< a test of a variable, with two ways to go on
  empty      ///< does nothing and goes on
};

/// The role in a word: "original", "copy", "guard" or "empty".
[[nodiscard]] constexpr std::string_view to_string(plan_role role) {
  switch (role) {
    case plan_role::original:
      return "original";
    case plan_role::copy:
      return "copy";
    case plan_role::guard:
      return "guard";
    case plan_role::empty:
      return "empty";
  }
  return "";
}

/// A block of a plan.
struct plan_block {
  plan_role role = plan_role::original;  ///< which of these
  /// original, copy: the block of the graph that it executes. guard: the block that it lets through, if it is one.
  block_id executes = no_block;
  std::uint32_t variable = 0,  ///< guard: the variable that it tests
      low = 0,                 ///< guard: the smallest value for which slot 0 is taken
      high = 0;                ///< guard: the largest value for which slot 0 is taken
  /// Threads may end here although there are edges (a predicated return), or because there are none.
  bool leaves = false;
  /// The last edge is no outcome of a branch: threads that would end here take it.
  bool exit_edge = false;

  friend constexpr bool operator==(const plan_block&, const plan_block&) = default;
};

/// A variable set to a constant.
struct plan_assignment {
  std::uint32_t variable = 0,  ///< which one
      value = 0;               ///< what it is from then on

  friend constexpr bool operator==(const plan_assignment&, const plan_assignment&) = default;
};

}  // namespace v0
}  // namespace simtflow
