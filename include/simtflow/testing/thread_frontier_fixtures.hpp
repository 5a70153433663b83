// SPDX-License-Identifier: BSL-1.0
//
// The worked figures of the thread frontiers paper, and its programs with exceptions and shared calls, as fixtures.
//
// Literature: [TF] G. Diamos et al., SIMD Re-Convergence At Thread Frontiers, MICRO 2011.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/testing/fixture.hpp>
#include <simtflow/testing/shapes.hpp>

namespace simtflow {
inline namespace v0 {
namespace testing {

/// [TF] figure 1, with shapes.hpp's figure_1(): the common tails of unstructured branches run twice under PDOM.
[[nodiscard]] constexpr fixture fixture_figure_1() {
  return {
      .name = "thread frontiers, figure 1",
      .source = "Diamos et al. 2011, figure 1 and section 3",
      .story = "every branch post-dominates only at the exit: PDOM runs BB3, BB4 and BB5 twice, thread frontiers once",
      .graph = figure_1(),
      .paths = detail::all_paths({{0, 2, 3, 4, 5}, {0, 1, 5}, {0, 1, 2, 4, 5}, {0, 1, 2, 3, 5}}),
      .warp_width = 4,
      .ranks = detail::ranks_of({0, 1, 2, 3, 4, 5}),
      .ipdom = {.fetches = 9},
      .frontier = {.fetches = 6, .max_depth = 3, .schedule = {0, 1, 2, 3, 4, 5}},
      .least = 6,
      .optimum = 6,
      .converged = 6,
  };
}

/// [TF] figure 2(a) and (b): the barrier stands before the immediate post-dominator.
[[nodiscard]] constexpr fixture fixture_figure_2a() {
  return {
      .name = "thread frontiers, figure 2(a), (b)",
      .source = "Diamos et al. 2011, figure 2(a) and (b), section 4.2",
      .story =
          "exception edges around a barrier: PDOM brings the threads to it one at a time and deadlocks, although no "
          "exception is thrown; thread frontiers meet before it",
      .graph = figure_2a(),
      .paths = detail::all_paths({{0, 1, 3, 4}, {0, 2, 3, 4}}),
      .warp_width = 2,
      .barriers = {0, 0, 0, 1, 0},
      .ranks = detail::ranks_of({0, 1, 2, 3, 4}),
      .ipdom = {.how = outcome::barrier_deadlock},
      .frontier = {.fetches = 5, .max_depth = 2, .schedule = {0, 1, 2, 3, 4}},
      .least = 5,
      .optimum = 5,
      .converged = 5,
  };
}

/// [TF] figure 2(c): an order that lets one thread run ahead to the barrier.
[[nodiscard]] constexpr fixture fixture_figure_2c() {
  return {
      .name = "thread frontiers, figure 2(c)",
      .source = "Diamos et al. 2011, figure 2(c), section 4.2",
      .story = "BB2 outranks BB3, which comes before it: T1 stalls at BB3 and T0 meets the barrier in BB1 alone",
      .graph = figure_2c(),
      .paths = detail::all_paths({{0, 1, 2, 0, 1, 2, 4}, {0, 1, 3, 2, 0, 1, 2, 4}}),
      .warp_width = 2,
      .barriers = {0, 1, 0, 0, 0},
      .ranks = detail::ranks_of({0, 1, 2, 3, 4}),
      .ipdom = {.fetches = 8, .schedule = {0, 1, 3, 2, 0, 1, 2, 4}},
      .frontier = {.how = outcome::barrier_deadlock},
      .least = 8,
      .optimum = 8,
      .converged = 8,
  };
}

/// [TF] figure 2(d): the same program in an order that works.
[[nodiscard]] constexpr fixture fixture_figure_2d() {
  fixture f = fixture_figure_2c();
  f.name = "thread frontiers, figure 2(d)";
  f.source = "Diamos et al. 2011, figure 2(d), section 4.2";
  f.story = "BB3 outranks BB2: both threads meet the barrier together";
  f.ranks = detail::ranks_of({0, 1, 3, 2, 4});
  f.frontier = {.fetches = 8, .max_depth = 2, .schedule = {0, 1, 3, 2, 0, 1, 2, 4}};
  return f;
}

/// [TF] figure 3, with shapes.hpp's figure_3(): what a warp without a list of waiting threads has to sweep.
[[nodiscard]] constexpr fixture fixture_figure_3() {
  return {
      .name = "thread frontiers, figure 3",
      .source = "Diamos et al. 2011, figure 3, section 4.2",
      .story =
          "after BB2 a conservative branch goes to BB3, where T1 may wait; from BB5 on it crosses BB6, where nobody "
          "is",
      .graph = figure_3(),
      .paths = detail::all_paths({{0, 1, 2, 4, 7}, {0, 3, 5, 7}}),
      .warp_width = 2,
      .ranks = detail::ranks_of({0, 1, 2, 3, 4, 5, 6, 7}),
      .ipdom = {.fetches = 7, .schedule = {0, 1, 2, 4, 3, 5, 7}},
      .frontier = {.fetches = 7, .max_depth = 2, .schedule = {0, 1, 2, 3, 4, 5, 7}},
      .least = 7,
      .optimum = 7,
      .converged = 7,
      .no_ops = 1,
  };
}

/// [TF] section 6.4, exception in a divergent conditional. The graph is ours.
[[nodiscard]] constexpr fixture fixture_exception_in_conditional() {
  return {
      .name = "exception in a conditional",
      .source = "Diamos et al. 2011, section 6.4 (exception-cond); graph ours",
      .story =
          "both arms may throw to the handler 5 and nobody does; PDOM runs the rest of the try block 3, 4 once an arm",
      .graph = adjacency({{1, 2}, {5, 3}, {5, 3}, {4}, {6}, {6}, {}}),
      .paths = detail::all_paths({{0, 1, 3, 4, 6}, {0, 2, 3, 4, 6}, {0, 1, 3, 4, 6}, {0, 2, 3, 4, 6}}),
      .warp_width = 4,
      .ranks = detail::ranks_of({0, 1, 2, 3, 4, 5, 6}),
      .ipdom = {.fetches = 8, .schedule = {0, 1, 3, 4, 2, 3, 4, 6}},
      .frontier = {.fetches = 6, .max_depth = 2, .schedule = {0, 1, 2, 3, 4, 6}},
      .least = 6,
      .optimum = 6,
      .converged = 6,
  };
}

/// [TF] section 6.4, exception in a divergent loop. The graph is ours.
[[nodiscard]] constexpr fixture fixture_exception_in_loop() {
  return {
      .name = "exception in a loop",
      .source = "Diamos et al. 2011, section 6.4 (exception-loop); graph ours",
      .story =
          "the loop 1, 2, 3 may throw to 5 and never does; under PDOM every thread runs block 4 after the loop alone",
      .graph = adjacency({{1}, {2, 4}, {5, 3}, {1}, {6}, {6}, {}}),
      .paths = detail::all_paths({{0, 1, 2, 3, 1, 4, 6},
                                  {0, 1, 2, 3, 1, 2, 3, 1, 4, 6},
                                  {0, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 4, 6},
                                  {0, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 4, 6}}),
      .warp_width = 4,
      .ranks = detail::ranks_of({0, 1, 2, 3, 4, 5, 6}),
      .ipdom = {.fetches = 19},
      .frontier = {.fetches = 16, .max_depth = 2},
      .least = 16,
      .optimum = 16,
      .converged = 16,
  };
}

/// [TF] section 6.4, exception in a divergent call, the calls inlined. The graph is ours.
[[nodiscard]] constexpr fixture fixture_exception_in_call() {
  return {
      .name = "exception in a call",
      .source = "Diamos et al. 2011, section 6.4 (exception-call); graph ours",
      .story =
          "a divergent call (1, 2, 3); its callee may throw to 7: PDOM runs the callee's end and the code after it "
          "once for each way through",
      .graph = adjacency({{1, 4}, {2, 3}, {7, 3}, {5}, {5}, {6}, {}, {6}}),
      .paths = detail::all_paths({{0, 1, 2, 3, 5, 6}, {0, 1, 3, 5, 6}, {0, 4, 5, 6}, {0, 4, 5, 6}}),
      .warp_width = 4,
      .ranks = detail::ranks_of({0, 1, 2, 3, 4, 5, 7, 6}),
      .ipdom = {.fetches = 10, .schedule = {0, 1, 2, 3, 5, 3, 5, 4, 5, 6}},
      .frontier = {.fetches = 7, .max_depth = 3, .schedule = {0, 1, 2, 3, 4, 5, 6}},
      .least = 7,
      .optimum = 7,
      .converged = 7,
  };
}

/// [TF] section 6.4, split-merge: divergent calls through a pointer, some to functions that call a shared one.
[[nodiscard]] constexpr fixture fixture_split_merge() {
  return {
      .name = "split-merge calls",
      .source = "Diamos et al. 2011, section 6.4 (split-merge); graph ours",
      .story =
          "an indirect call to 1, 2, 3 or 4; three of them call the shared function 5, which returns to 6, 7 or 8: "
          "PDOM runs it once a caller, thread frontiers once",
      .graph = adjacency({{1, 2, 3, 4}, {5}, {5}, {5}, {9}, {6, 7, 8}, {9}, {9}, {9}, {}}),
      .paths = detail::all_paths({{0, 1, 5, 6, 9}, {0, 2, 5, 7, 9}, {0, 3, 5, 8, 9}, {0, 4, 9}}),
      .warp_width = 4,
      .ranks = detail::ranks_of({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}),
      .ipdom = {.fetches = 12, .schedule = {0, 1, 5, 6, 2, 5, 7, 3, 5, 8, 4, 9}},
      .frontier = {.fetches = 10, .max_depth = 4, .schedule = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
      .least = 10,
      .optimum = 10,
      .converged = 10,
  };
}

}  // namespace testing
}  // namespace v0
}  // namespace simtflow
