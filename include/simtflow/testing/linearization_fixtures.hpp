// SPDX-License-Identifier: BSL-1.0
//
// The worked figures of the paper on control flow linearization, as fixtures.
//
// Literature: [CFL] J. Anantpur, R. Govindarajan, Taming Control Divergence in GPUs through Control Flow Linearization,
// CC 2014.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/testing/fixture.hpp>
#include <simtflow/testing/shapes.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace testing {

/// [CFL] figure 1: if ((c1() || c2()) && c3()) S1; else S2; S3. B1 .. B6 are blocks 0 .. 5.
[[nodiscard]] constexpr fixture fixture_short_circuit() {
  return {
      .name = "linearization, figure 1",
      .source = "Anantpur and Govindarajan 2014, figure 1 and section 2.1",
      .story = "under PDOM B3 runs twice (for T1 and T2, then for T3) and B5 three times (for T2, T3 and T4)",
      .graph = adjacency({{2, 1}, {2, 4}, {3, 4}, {5}, {5}, {}}),
      .paths = detail::all_paths({{0, 2, 3, 5}, {0, 2, 4, 5}, {0, 1, 2, 4, 5}, {0, 1, 4, 5}}),
      .warp_width = 4,
      .ranks = detail::ranks_of({0, 1, 2, 3, 4, 5}),
      .ipdom = {.fetches = 9, .schedule = {0, 2, 3, 4, 1, 2, 4, 4, 5}},
      .frontier = {.fetches = 6, .schedule = {0, 1, 2, 3, 4, 5}},
      .least = 6,
      .optimum = 6,
      .converged = 6,
  };
}

/// [CFL] figure 2(a): a branch in both arms of a branch. B1 .. B7 are blocks 0 .. 6, block 7 is the end.
[[nodiscard]] constexpr fixture fixture_branch_interleaving() {
  return {
      .name = "linearization, figure 2(a)",
      .source = "Anantpur and Govindarajan 2014, figure 2(a), section 2.2 and figure 7",
      .story =
          "PDOM runs B1 B2 B3 B4 B5 B6 B7; the order B1 B2 B5 B3 B6 B4 B7 puts another block between a load in B2 and "
          "its use in B3",
      .graph = adjacency({{1, 4}, {2, 3}, {7}, {7}, {5, 6}, {7}, {7}, {}}),
      .paths = detail::all_paths({{0, 1, 2, 7}, {0, 1, 3, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}}),
      .warp_width = 4,
      .ranks = detail::ranks_of({0, 1, 4, 2, 5, 3, 6, 7}),
      .ipdom = {.fetches = 8, .schedule = {0, 1, 2, 3, 4, 5, 6, 7}},
      .frontier = {.fetches = 8, .max_depth = 4, .schedule = {0, 1, 4, 2, 5, 3, 6, 7}},
      .least = 8,
      .optimum = 8,
      .converged = 8,
  };
}

/// [CFL] figure 2(b) and (c): an inner loop with trip counts 10, 15 for one thread and 15, 10 for the other. Blocks:
/// outer header 1, S1 2, inner header 3, S2 4, S3 5, end 6.
[[nodiscard]] constexpr fixture fixture_loop_merging() {
  fixture f{
      .name = "linearization, figure 2(b)",
      .source = "Anantpur and Govindarajan 2014, figure 2(b), section 2.3 and figure 8",
      .story =
          "reconvergence after the inner loop runs S2 30 times; if a thread that leaves it may go round the outer "
          "loop and come back, 25 times. It mixes iterations, so it beats maximal convergence",
      .graph = adjacency({{1}, {2, 6}, {3}, {4, 5}, {3}, {1}, {}}),
      .warp_width = 2,
      .ranks = detail::ranks_of({0, 1, 2, 5, 3, 4, 6}),
      .ipdom = {.fetches = 71},
      .frontier = {.fetches = 65, .max_depth = 2},
      .least = 61,
      .optimum = 65,
      .converged = 71,
  };
  for (const std::uint32_t first : {10U, 15U}) {
    std::vector<block_id> path;
    path.assign(1, 0);
    for (const std::uint32_t laps : {first, 25 - first}) {
      path.push_back(1);
      path.push_back(2);
      for (std::uint32_t i = 0; i < laps; ++i) {
        path.push_back(3);
        path.push_back(4);
      }
      path.push_back(3);
      path.push_back(5);
    }
    path.push_back(1);
    path.push_back(6);
    f.paths.add(std::span<const block_id>(path));
  }
  return f;
}

/// [CFL] figure 3: three nested branches. B1 .. B10 are blocks 0 .. 9.
[[nodiscard]] constexpr fixture fixture_stack_depth() {
  return {
      .name = "linearization, figure 3",
      .source = "Anantpur and Govindarajan 2014, figure 3, sections 2.4 and 5.3",
      .story = "when S1 (B6, block 5) runs, the post-dominator stack holds seven entries; see stack_depth_entries",
      .graph = adjacency({{1, 2}, {3, 4}, {9}, {5, 6}, {8}, {7}, {7}, {8}, {9}, {}}),
      .paths = detail::all_paths({{0, 1, 3, 5, 7, 8, 9}, {0, 1, 3, 6, 7, 8, 9}, {0, 1, 4, 8, 9}, {0, 2, 9}}),
      .warp_width = 4,
      .ranks = detail::ranks_of({0, 1, 3, 5, 6, 7, 4, 8, 2, 9}),
      .ipdom = {.fetches = 10, .max_depth = 7, .schedule = {0, 1, 3, 5, 6, 7, 4, 8, 2, 9}},
      .frontier = {.fetches = 10, .max_depth = 4, .schedule = {0, 1, 3, 5, 6, 7, 4, 8, 2, 9}},
      .least = 10,
      .optimum = 10,
      .converged = 10,
  };
}

/// An entry of a post-dominator stack: where its lanes (lane 0 the lowest bit) go on, and where they stop.
struct stack_entry_fact {
  block_id block;          ///< where they go on
  std::uint32_t lanes;     ///< a bit for each
  block_id reconvergence;  ///< where they stop; no_block: nowhere
};

/// The stack of fixture_stack_depth() while block 5 runs, top first, as [CFL] figure 3(b) prints it.
inline constexpr stack_entry_fact stack_depth_entries[] = {{5, 0b0001, 7},       {6, 0b0010, 7}, {7, 0b0011, 8},
                                                           {4, 0b0100, 8},       {8, 0b0111, 9}, {2, 0b1000, 9},
                                                           {9, 0b1111, no_block}};

}  // namespace testing
}  // namespace v0
}  // namespace simtflow
