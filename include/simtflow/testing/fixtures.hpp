// SPDX-License-Identifier: BSL-1.0
//
// Small programs with a story, for teaching and for tests of mechanisms: the worked figures of the papers and the
// classic traps, each with what must happen. A `fixture` is a graph, a path for each thread, and numbers; `fixtures`
// lists them all. Two more programs have memory, and so no paths: spin_lock and producer_consumer.
//
//   const testing::fixture f = testing::fixture_stack_depth();
//   testing::fixture_threads threads(f);                     // a program for run() or an executor
//   run(policies::ipdom_stack(pdom.ipdoms()), threads, threads.shape(), count);
//
// If a paper gives no number, the number was derived by hand from the rule in the paper; where its figure cannot be
// reconstructed from its text, the story says that the details are ours.
//
// Literature: [TF] G. Diamos et al., SIMD Re-Convergence At Thread Frontiers, MICRO 2011; [TBC] W. Fung, T. Aamodt,
// Thread Block Compaction for Efficient SIMT Control Flow, HPCA 2011; [CFL] J. Anantpur, R. Govindarajan, Taming
// Control Divergence in GPUs through Control Flow Linearization, CC 2014; [AWARE] A. ElTantawy, T. Aamodt, MIMD
// Synchronization on SIMT Architectures, MICRO 2016.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/testing/fixture.hpp>
#include <simtflow/testing/progress_programs.hpp>
#include <simtflow/testing/shapes.hpp>

#include <cstdint>

namespace simtflow {
inline namespace v0 {
/// Programs and graphs of the literature, random ones, and what is expected of them: for the library's tests and for
/// tests of your own policies and adapters. Needs no test framework.
namespace testing {

// --- [TF] ------------------------------------------------------------------------------------------------------------

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

// --- [TBC] -----------------------------------------------------------------------------------------------------------

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

// --- [CFL] -----------------------------------------------------------------------------------------------------------

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

/// A fixture by name.
struct fixture_entry {
  const char* name;   ///< of the fixture it makes
  fixture (*make)();  ///< makes it
};

/// Every fixture with paths.
inline constexpr fixture_entry fixtures[] = {
    {"figure_1", fixture_figure_1},
    {"figure_2a", fixture_figure_2a},
    {"figure_2c", fixture_figure_2c},
    {"figure_2d", fixture_figure_2d},
    {"figure_3", fixture_figure_3},
    {"exception_in_conditional", fixture_exception_in_conditional},
    {"exception_in_loop", fixture_exception_in_loop},
    {"exception_in_call", fixture_exception_in_call},
    {"split_merge", fixture_split_merge},
    {"starvation_eddy", fixture_starvation_eddy},
    {"compaction", fixture_compaction},
    {"likely_convergence", fixture_likely_convergence},
    {"short_circuit", fixture_short_circuit},
    {"branch_interleaving", fixture_branch_interleaving},
    {"loop_merging", fixture_loop_merging},
    {"stack_depth", fixture_stack_depth},
};

}  // namespace testing
}  // namespace v0
}  // namespace simtflow
