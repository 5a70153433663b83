// SPDX-License-Identifier: BSL-1.0
//
// The worked figures of the thread block compaction paper, as fixtures.
//
// Literature: [TBC] W. Fung, T. Aamodt, Thread Block Compaction for Efficient SIMT Control Flow, HPCA 2011.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/testing/fixture.hpp>
#include <simtflow/testing/shapes.hpp>

namespace simtflow {
inline namespace v0 {
namespace testing {

/// [TBC] figure 1(a): a hammock with a rare side that falls back. The ways of the lanes are ours.
[[nodiscard]] constexpr fixture fixture_starvation_eddy() {
  return {
      .name = "thread block compaction, figure 1(a)",
      .source = "Fung and Aamodt 2011, figure 1(a); lanes ours",
      .story =
          "one thread of each warp takes C: if it is late at C, dynamic warps run D with it alone (8 fetches, as "
          "many as PDOM); compaction holds everybody at D",
      .graph = diamond(),
      .paths =
          detail::all_paths({{0, 2, 3}, {0, 1, 3}, {0, 1, 3}, {0, 1, 3}, {0, 1, 3}, {0, 1, 3}, {0, 1, 3}, {0, 2, 3}}),
      .warp_width = 4,
      .ranks = detail::ranks_of({0, 1, 2, 3}),
      .ipdom = {.fetches = 8, .max_depth = 3},
      .frontier = {.fetches = 8, .max_depth = 2},
      .least = 8,
      .optimum = 8,
      .converged = 8,
      .compacted_fetches = 7,
  };
}

/// [TBC] figure 7: two warps of four threads; threads 1, 6 and 7 (counted from 1) take C, the others B.
[[nodiscard]] constexpr fixture fixture_compaction() {
  return {
      .name = "thread block compaction, figure 7",
      .source = "Fung and Aamodt 2011, figure 7 and section 3.1",
      .story = "compaction runs C for both warps at once: 7 block executions for 8, the 12.5 % of the paper",
      .graph = diamond(),
      .paths =
          detail::all_paths({{0, 2, 3}, {0, 1, 3}, {0, 1, 3}, {0, 1, 3}, {0, 1, 3}, {0, 2, 3}, {0, 2, 3}, {0, 1, 3}}),
      .warp_width = 4,
      .ranks = detail::ranks_of({0, 1, 2, 3}),
      .ipdom = {.fetches = 8, .max_depth = 3},
      .frontier = {.fetches = 8, .max_depth = 2},
      .least = 8,
      .optimum = 8,
      .converged = 8,
      .compacted_fetches = 7,
  };
}

/// [TBC] figure 10: a loop with a rare break; the latch E (block 4) is the likely convergence point of A and C.
[[nodiscard]] constexpr fixture fixture_likely_convergence() {
  return {
      .name = "thread block compaction, figure 10",
      .source = "Fung and Aamodt 2011, figure 10 and section 4",
      .story =
          "A B C D E F are blocks 0 .. 5; the break D moves the immediate post-dominator of A and C to F, so PDOM "
          "runs E twice; with the likely convergence point E it runs once",
      .graph = adjacency({{1, 2}, {4}, {3, 4}, {5}, {0, 5}, {}}),
      .paths = detail::all_paths({{0, 1, 4, 5}, {0, 2, 4, 5}, {0, 2, 3, 5}, {0, 2, 3, 5}}),
      .warp_width = 4,
      .ranks = detail::ranks_of({0, 1, 2, 3, 4, 5}),
      .likely = {4, no_block, 4, no_block, no_block, no_block},
      .ipdom = {.fetches = 7, .schedule = {0, 1, 4, 2, 4, 3, 5}},
      .frontier = {.fetches = 6, .schedule = {0, 1, 2, 3, 4, 5}},
      .least = 6,
      .optimum = 6,
      .converged = 6,
      .likely_fetches = 6,
  };
}

}  // namespace testing
}  // namespace v0
}  // namespace simtflow
