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
    case outcome::barrier_misaligned:
      return "barrier misaligned";
    case outcome::barrier_misuse:
      return "barrier misuse";
    case outcome::nothing_runnable:
      return "nothing runnable";
    case outcome::livelock:
      return "livelock";
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
  if (v.how == outcome::livelock)
    text += v.period == 1 ? ": the same state comes back after every block"
                          : ": the same state comes back every " + std::to_string(v.period) + " blocks";
  if (v.how == outcome::barrier_misaligned) text += ": lanes came to a barrier that their warp had passed without them";
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
        text += one ? " waits at " : " wait at ";
        text += s.barrier == 0 ? "the barrier that ends " : "barrier " + std::to_string(s.barrier) + " that ends ";
        break;
      case standing_reason::faulted:
        text += " faulted in ";
        break;
      case standing_reason::blocked:
        text += one ? " is held for other lanes at " : " are held for other lanes at ";
        break;
      case standing_reason::spinning:
        text += one ? " goes round, now at " : " go round, now at ";
        break;
    }
    text += name(s.block);
    if (v.how == outcome::livelock && s.reason == standing_reason::ready)
      text += one ? " and never runs" : " and never run";
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
