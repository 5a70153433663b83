// SPDX-License-Identifier: BSL-1.0
//
// A verdict in words: "barrier deadlock: warp 0: lanes 0-3 wait at the barrier that ends BB3; lanes 4-7 stand at BB2".
// Under a policy of block scope the text names "thread block 0" and its threads; under a policy of core scope it names
// threads. A header of its own because it needs <string>, and a run does not.
#pragma once

#include <simtflow/block_name.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policy.hpp>
#include <simtflow/simt/verdict.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

// A name of one thing or several of a scope: "lane", "threads".
inline std::string name_of_lanes(policy_scope scope, bool one) {
  std::string name = scope == policy_scope::warp ? "lane" : "thread";
  if (!one) name += 's';
  return name;
}

}  // namespace detail

/// "lane 5", "lanes 0-3", "lanes 0-3, 6": the lanes of a mask as ranges; five and more ranges of one length at equal
/// distances are shortened, "lanes 0, 2, 4, ..., 30" or "lanes 0-1, 8-9, 16-17, ..., 56-57". "no lane" for the empty
/// mask. They are called threads under a wider scope than a warp.
template <std::size_t Words>
[[nodiscard]] inline std::string describe(const basic_mask<Words>& lanes, policy_scope scope = policy_scope::warp) {
  if (lanes.none()) return "no " + detail::name_of_lanes(scope, true);
  struct range {
    std::uint32_t low, high;
  };
  std::vector<range> ranges;
  for (std::uint32_t low = 0; low < lanes.capacity; ++low) {
    if (!lanes.test(low)) continue;
    std::uint32_t high = low;
    while (lanes.test(high + 1)) ++high;
    ranges.push_back({low, high});
    low = high;
  }
  std::string text = detail::name_of_lanes(scope, lanes.count() == 1);
  const auto add = [&](const char* before, const range& r) {
    text += before;
    text += std::to_string(r.low);
    if (r.high > r.low) text += "-" + std::to_string(r.high);
  };
  for (std::size_t i = 0; i < ranges.size();) {
    std::size_t last = i;  // of the ranges that go on as the first two do
    while (last + 1 < ranges.size() && ranges[last + 1].low - ranges[last].low == ranges[i + 1].low - ranges[i].low &&
           ranges[last + 1].high - ranges[last + 1].low == ranges[i].high - ranges[i].low)
      ++last;
    const char* before = i == 0 ? " " : ", ";
    if (last - i < 4) {
      add(before, ranges[i++]);
      continue;
    }
    add(before, ranges[i]);
    add(", ", ranges[i + 1]);
    add(", ", ranges[i + 2]);
    add(", ..., ", ranges[last]);
    i = last + 1;
  }
  return text;
}

namespace detail {

// The name of a block where lanes stand, by name(block, at its end) if the caller's function takes that.
template <class Name>
std::string standing_name(Name& name, block_id b, bool at_end) {
  if constexpr (requires { name(b, at_end); })
    return std::string(name(b, at_end));
  else
    return std::string(name(b));
}

// Tells what the lanes of one warp do, beginning at entry `i` of the verdict's list, and moves `i` past them.
template <class Mask, class Name>
std::string standing_of_warp(const basic_verdict<Mask>& v, std::size_t& i, Name& name) {
  std::string text;
  for (const std::uint32_t warp = v.standing[i].warp; i < v.standing.size() && v.standing[i].warp == warp; ++i) {
    const auto& s = v.standing[i];
    if (!text.empty()) text += "; ";
    const bool one = s.lanes.count() == 1;
    text += describe(s.lanes, v.scope);
    switch (s.reason) {
      case standing_reason::ready:
        text += one ? " stands at " : " stand at ";
        break;
      case standing_reason::at_barrier:
        text += one ? " waits at " : " wait at ";
        text += s.barrier == 0 ? "the barrier that ends " : "barrier " + std::to_string(s.barrier) + " that ends ";
        break;
      case standing_reason::at_collective:
        text += one ? " waits for others of the warp inside " : " wait for others of the warp inside ";
        break;
      case standing_reason::faulted:
        text += " faulted in ";
        break;
      case standing_reason::blocked:
        text += (one ? " is held for other " : " are held for other ") + name_of_lanes(v.scope, false) + " at ";
        break;
      case standing_reason::spinning:
        text += one ? " goes round, now at " : " go round, now at ";
        break;
    }
    text += standing_name(name, s.block, s.reason == standing_reason::at_barrier);
    if (v.how == outcome::livelock && s.reason == standing_reason::ready)
      text += one ? " and never runs" : " and never run";
  }
  return text;
}

}  // namespace detail

/// The verdict in one line; `name(block)` names a block, or `name(block, at_end)` with true for lanes that stand at the
/// barrier that ends it. Neighbouring warps with lanes that stand alike share one
/// sentence; after eight such groups only the number of the others follows. v.standing has all groups.
template <class Mask, class Name>
  requires requires(Name& name, block_id b) { detail::standing_name(name, b, true); }
[[nodiscard]] inline std::string describe(const basic_verdict<Mask>& v, Name&& name) {
  std::string text(to_string(v.how));
  if (v.how == outcome::finished) return text;
  if (v.how == outcome::step_limit) text += " after " + std::to_string(v.steps) + " blocks";
  if (v.how == outcome::livelock)
    text += v.period == 1 ? ": the same state comes back after every block"
                          : ": the same state comes back every " + std::to_string(v.period) + " blocks";
  if (v.how == outcome::barrier_misaligned)
    text += ": " + detail::name_of_lanes(v.scope, false) + " came to a barrier that their warp had passed without them";
  struct alike {
    std::uint32_t first = 0, warps = 0;
    std::string how;
  };
  constexpr std::size_t most_groups = 8;
  std::vector<alike> groups;
  std::size_t warps = 0, said = 0;
  for (std::size_t i = 0; i < v.standing.size(); ++warps) {
    const std::uint32_t warp = v.standing[i].warp;
    std::string how = detail::standing_of_warp(v, i, name);
    if (!groups.empty() && groups.back().first + groups.back().warps == warp && groups.back().how == how) {
      ++groups.back().warps;
    } else {
      groups.push_back({warp, 1, std::move(how)});
    }
  }
  const auto scope = [&](std::size_t n) {
    return std::string(v.scope == policy_scope::warp ? "warp" : "thread block") + (n > 1 ? "s " : " ");
  };
  for (std::size_t i = 0; i < groups.size() && i < most_groups; ++i) {
    const alike& g = groups[i];
    text += i == 0 ? ": " : " | ";
    if (v.scope != policy_scope::core) {
      text += scope(g.warps) + std::to_string(g.first);
      if (g.warps > 1) text += "-" + std::to_string(g.first + g.warps - 1);
      text += ": ";
    }
    text += g.how;
    said += g.warps;
  }
  if (warps > said) {
    text += " | and " + std::to_string(warps - said) + " more " + scope(warps - said);
    text.pop_back();
  }
  return text;
}

/// The verdict in one line, blocks named BB0, BB1, ... A run that finished is "finished"; otherwise the line says which
/// lanes stand where and why, for at most eight groups of warps.
/// \pre none. Complexity: linear in the standing lanes. Errors: none.
/// \snippet reference_test.cpp describe
template <class Mask>
[[nodiscard]] inline std::string describe(const basic_verdict<Mask>& v) {
  return describe(v, [](block_id b) { return block_name(b); });
}

}  // namespace v0
}  // namespace simtflow
