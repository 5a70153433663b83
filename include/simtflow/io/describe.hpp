// SPDX-License-Identifier: BSL-1.0
//
// A verdict in words: "barrier deadlock: warp 0: lanes 0-3 wait at the barrier that ends BB3; lanes 4-7 stand at BB2".
// Beside the layers because it needs <string>, which a run does not.
#pragma once

#include <simtflow/simt/verdict.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace simtflow {
inline namespace v0 {

/// The outcome's name in words, "barrier deadlock" for instance.
[[nodiscard]] constexpr const char* to_string(outcome how) {
  switch (how) {
    case outcome::finished:
      return "finished";
    case outcome::barrier_deadlock:
      return "barrier deadlock";
    case outcome::lost_threads:
      return "lost threads";
    case outcome::policy_error:
      return "policy error";
    case outcome::step_limit:
      return "step limit reached";
    case outcome::fault:
      return "fault";
  }
  return "unknown outcome";
}

/// "lane 5", "lanes 0-3", "lanes 0-3, 6": the lanes of a mask as ranges; "no lane" for the empty mask.
template <std::size_t Words>
[[nodiscard]] inline std::string describe(const basic_mask<Words>& lanes) {
  if (lanes.none()) return "no lane";
  std::string text = lanes.count() == 1 ? "lane " : "lanes ";
  bool first = true;
  for (std::uint32_t low = 0; low < lanes.capacity; ++low) {
    if (!lanes.test(low)) continue;
    std::uint32_t high = low;
    while (lanes.test(high + 1)) ++high;
    if (!first) text += ", ";
    first = false;
    text += std::to_string(low);
    if (high > low) text += "-" + std::to_string(high);
    low = high;
  }
  return text;
}

/// The verdict in one line; `name(block)` names a block.
template <class Mask, class Name>
  requires requires(Name& name, block_id b, std::string& s) { s += name(b); }
[[nodiscard]] inline std::string describe(const basic_verdict<Mask>& v, Name&& name) {
  std::string text = to_string(v.how);
  if (v.how == outcome::finished) return text;
  if (v.how == outcome::step_limit) text += " after " + std::to_string(v.steps) + " blocks";
  std::uint32_t warp = 0;
  bool first = true;
  for (const auto& s : v.standing) {
    if (first || s.warp != warp)
      text += (first ? ": warp " : " | warp ") + std::to_string(s.warp) + ": ";
    else
      text += "; ";
    first = false;
    warp = s.warp;
    const bool one = s.lanes.count() == 1;
    text += describe(s.lanes);
    switch (s.reason) {
      case standing_reason::ready:
        text += one ? " stands at " : " stand at ";
        break;
      case standing_reason::at_barrier:
        text += one ? " waits at the barrier that ends " : " wait at the barrier that ends ";
        break;
      case standing_reason::faulted:
        text += " faulted in ";
        break;
    }
    text += name(s.block);
  }
  return text;
}

/// The verdict in one line, blocks named BB0, BB1, ...
template <class Mask>
[[nodiscard]] inline std::string describe(const basic_verdict<Mask>& v) {
  return describe(v, [](block_id b) { return "BB" + std::to_string(b); });
}

}  // namespace v0
}  // namespace simtflow
