// SPDX-License-Identifier: BSL-1.0
//
// The two one-pass algorithms of analysis/frontier_baselines.hpp: one sweep from high to low priority with one running
// set.
#pragma once

#include <simtflow/analysis/dense/frontier_rules.hpp>
#include <simtflow/analysis/detail/frontier_fixpoint.hpp>
#include <simtflow/analysis/detail/frontier_table.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// True if threads of rank r are put into the running set.
template <class Shape>
constexpr bool puts_in(const frontier_table<Shape>& t, std::uint32_t r, bool nobody_waits,
                       std::span<const unsigned char> uniform, frontier_rule rule) {
  const bool marked = !uniform.empty() && uniform[t.order[r]];
  const bool branch = t.out_begin[r + 1] - t.out_begin[r] > 1;
  return rule == frontier_rule::algorithm_1 ? !marked && branch : !marked || !nobody_waits;
}

// Writes the frontiers by a one-pass rule. `running` is the running set.
template <class Shape>
constexpr void sweep_once(frontier_table<Shape>& t, std::vector<rank_chunk>& running,
                          std::span<const unsigned char> uniform, frontier_rule rule) {
  const std::uint32_t n = static_cast<std::uint32_t>(t.order.size());
  running.clear();
  for (std::uint32_t r = 0; r < n; ++r) {
    t.met[r / 64] |= rank_bit(r);
    // No member has a higher priority than r, so r is the first bit or not a member.
    if (!running.empty() && running[0].index == r / 64) {
      running[0].bits &= ~rank_bit(r);
      if (running[0].bits == 0) running.erase(running.begin());
    }
    write_row(t, r, std::span<const rank_chunk>(running));
    if (!puts_in(t, r, running.empty(), uniform, rule)) continue;
    for (std::uint32_t e = t.out_begin[r]; e < t.out_begin[r + 1]; ++e)
      if (t.out[e] > r && t.out[e] < n) insert_rank(running, t.out[e]);
  }
}

// Computes only the statistics of a one-pass rule; table.met is the running set, and there are no frontiers.
// \pre table.start(g, order) was called.
template <class Shape>
constexpr frontier_statistics count_once(frontier_table<Shape>& t, std::span<const unsigned char> uniform,
                                         frontier_rule rule, block_id sentinel) {
  SIMTFLOW_EXPECTS(rule != frontier_rule::fixpoint, "the fixpoint is more than one pass");
  SIMTFLOW_EXPECTS(uniform.empty() || uniform.size() == t.rank.size(), "one uniformity flag per block, or none");
  const std::uint32_t n = static_cast<std::uint32_t>(t.order.size());
  t.joined.assign(t.met.size(), 0);
  frontier_statistics s;
  std::size_t total = 0, size = 0;
  for (std::uint32_t r = 0; r < n; ++r) {
    if (has_rank(t.met, r)) {
      t.met[r / 64] &= ~rank_bit(r);
      --size;
    }
    if (t.order[r] != sentinel) {
      ++s.blocks;
      total += size;
      if (size > s.max_size) s.max_size = size;
    }
    const std::span<const std::uint32_t> out(t.out.data() + t.out_begin[r], t.out_begin[r + 1] - t.out_begin[r]);
    for (const std::uint32_t to : out) {
      if (to <= r || to >= n || !has_rank(t.met, to)) continue;
      ++s.check_edges;
      if (!has_rank(t.joined, to)) ++s.join_blocks;
      t.joined[to / 64] |= rank_bit(to);
    }
    if (!puts_in(t, r, size == 0, uniform, rule)) continue;
    for (const std::uint32_t to : out) {
      if (to <= r || to >= n || has_rank(t.met, to)) continue;
      t.met[to / 64] |= rank_bit(to);
      ++size;
    }
  }
  if (s.blocks != 0) s.average_size = static_cast<double>(total) / static_cast<double>(s.blocks);
  return s;
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
