// SPDX-License-Identifier: BSL-1.0
//
// Small control-flow graphs with names, for tests: one for every shape that has broken somebody's algorithm. Use them
// as sub-cases of your own tests too; `shapes` lists them all, smallest ideas first.
//
//   Terms: an *island* is a set of blocks that the entry does not reach; an *endless* block or loop cannot reach an
//   exit; a loop with two entries is *irreducible*. Slot 0 is the taken target, slot 1 the fall-through.
//
// Literature: Diamos et al., SIMD Re-Convergence At Thread Frontiers, MICRO 2011 (figures 1, 2 and 3).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <initializer_list>

namespace simtflow {
inline namespace v0 {
namespace testing {

/// A graph from the successor list of each block: `adjacency({{1, 2}, {3}, {3}, {}})` is a diamond.
/// \pre every successor is a block of the list; entry is one too unless the list is empty.
[[nodiscard]] constexpr csr_graph adjacency(std::initializer_list<std::initializer_list<block_id>> successors,
                                            block_id entry = 0) {
  csr_builder builder(successors.size(), entry);
  block_id from = 0;
  for (const std::initializer_list<block_id>& list : successors) {
    for (const block_id to : list) builder.add_edge(from, to);
    ++from;
  }
  return builder.build();
}

// --- structured ------------------------------------------------------------------------------------------------------

/// No block at all.
[[nodiscard]] constexpr csr_graph empty_graph() { return csr_graph{}; }
/// One block that ends.
[[nodiscard]] constexpr csr_graph one_block() { return adjacency({{}}); }
/// Three blocks in a row.
[[nodiscard]] constexpr csr_graph straight_line() { return adjacency({{1}, {2}, {}}); }
/// if / else: 0 -> {1, 2} -> 3.
[[nodiscard]] constexpr csr_graph diamond() { return adjacency({{1, 2}, {3}, {3}, {}}); }
/// if without else: 0 -> {1, 2}, 1 -> 2.
[[nodiscard]] constexpr csr_graph triangle() { return adjacency({{1, 2}, {2}, {}}); }
/// while: header 1, body 2, exit 3.
[[nodiscard]] constexpr csr_graph while_loop() { return adjacency({{1}, {2, 3}, {1}, {}}); }
/// The while loop of three blocks with the entry as its header (a counterexample to the printed frontier algorithm).
[[nodiscard]] constexpr csr_graph while_at_entry() { return adjacency({{2, 1}, {0}, {}}); }
/// do / while of one block: 1 -> {1, 2}.
[[nodiscard]] constexpr csr_graph self_loop() { return adjacency({{1}, {1, 2}, {}}); }
/// The entry is its own loop: 0 -> {0, 1}.
[[nodiscard]] constexpr csr_graph self_loop_at_entry() { return adjacency({{0, 1}, {}}); }
/// Outer loop 1..4 with latch 4, inner loop 2, 3, exit 5.
[[nodiscard]] constexpr csr_graph nested_loops() { return adjacency({{1}, {2, 5}, {3, 4}, {2}, {1}, {}}); }
/// Two loops that share the header 1: latches 2 and 3.
[[nodiscard]] constexpr csr_graph shared_header() { return adjacency({{1}, {2, 4}, {1, 3}, {1}, {}}); }
/// A ladder of if / else: two diamonds in a row.
[[nodiscard]] constexpr csr_graph two_diamonds() { return adjacency({{1, 2}, {3}, {3}, {4, 5}, {6}, {6}, {}}); }
/// Two blocks that end: 0 -> {1, 2}.
[[nodiscard]] constexpr csr_graph two_exits() { return adjacency({{1, 2}, {}, {}}); }

// --- unstructured ----------------------------------------------------------------------------------------------------

/// A loop {1, 2} entered at both blocks, left from 2.
[[nodiscard]] constexpr csr_graph two_entry_loop() { return adjacency({{1, 2}, {2}, {1, 3}, {}}); }
/// The inner loop 2, 3 leaves both loops from 3 (to 6), next to the ordinary exits (2 to 4, 1 to 5).
[[nodiscard]] constexpr csr_graph break_two_loops() { return adjacency({{1}, {2, 5}, {3, 4}, {6, 2}, {1}, {6}, {}}); }
/// Two conditions jump to one shared tail 3: 0 -> {1, 2}, 1 -> {3, 4}, 2 -> {3, 4}.
[[nodiscard]] constexpr csr_graph shared_tail() { return adjacency({{1, 2}, {3, 4}, {3, 4}, {5}, {5}, {}}); }
/// if (a && b && c) then 3 else 4, short-circuited: every condition jumps to the same else block.
[[nodiscard]] constexpr csr_graph short_circuit() { return adjacency({{1, 4}, {2, 4}, {3, 4}, {5}, {5}, {}}); }
/// A switch with two cases in one block: 0 -> {1, 2, 2, 3}, and a case that falls into the next.
[[nodiscard]] constexpr csr_graph switch_parallel() { return adjacency({{1, 2, 2, 3}, {4}, {3}, {4}, {}}); }
/// Both targets of a branch are one block: 0 -> {1, 1}.
[[nodiscard]] constexpr csr_graph parallel_edges() { return adjacency({{1, 1}, {}}); }
/// Blocks 2 and 3 are not reached; 3 jumps into the reached part, 2 is a loop of its own with 3.
[[nodiscard]] constexpr csr_graph unreachable_island() { return adjacency({{1}, {}, {3}, {2, 1}}); }
/// The entry is not block 0, and block 0 is the exit.
[[nodiscard]] constexpr csr_graph entry_last() { return adjacency({{}, {0}, {1, 0}}, 2); }
/// Nothing ends: 0 -> 1 -> {1, 0}.
[[nodiscard]] constexpr csr_graph infinite_loop() { return adjacency({{1}, {1, 0}}); }
/// One arm never ends: 0 -> {1, 2}, 1 -> 1, 2 -> 3. With a virtual edge from 1 the branch meets only at the exit.
[[nodiscard]] constexpr csr_graph infinite_loop_arm() { return adjacency({{1, 2}, {1}, {3}, {}}); }
/// Some threads leave from block 1 (a predicated return), the others go on: 0 -> 1 -> {2}, 1 is an exit.
[[nodiscard]] constexpr csr_graph predicated_exit() {
  return csr_builder(3).add_edge(0, 1).add_edge(1, 2).mark_exit(1).build();
}
/// Reducible, in reverse post-order, and yet thread frontiers fetch 6 blocks where the IPDOM stack fetches 5 (threads
/// 0,1,1,0,2 and 0,1,0,2): the inner loop leaves to the outer header, which outranks it.
[[nodiscard]] constexpr csr_graph frontier_loses() { return adjacency({{1, 2}, {0, 1}, {}}); }

// --- the thread frontiers paper --------------------------------------------------------------------------------------

/// Figure 1: BB1..BB5 are blocks 0..4, Exit is block 5. Every branch has Exit as its immediate post-dominator, so PDOM
/// fetches BB3, BB4 and BB5 twice for the four threads of figure_1_paths, thread frontiers once.
[[nodiscard]] constexpr csr_graph figure_1() { return adjacency({{1, 2}, {5, 2}, {3, 4}, {4, 5}, {5}, {}}); }

/// The paths of threads T0..T3 through figure_1(), padded with no_block past the end.
inline constexpr block_id figure_1_paths[4][6] = {{0, 2, 3, 4, 5, no_block},
                                                  {0, 1, 5, no_block, no_block, no_block},
                                                  {0, 1, 2, 4, 5, no_block},
                                                  {0, 1, 2, 3, 5, no_block}};

/// Figure 2(a): an exception edge around the barrier in block 3 moves the immediate post-dominator to block 4, so PDOM
/// brings the threads to the barrier one arm at a time.
[[nodiscard]] constexpr csr_graph figure_2a() { return adjacency({{1, 2}, {3, 4}, {3, 4}, {4}, {}}); }

/// Figure 2(c) and (d): a loop 0..3 with the barrier in block 1 and an optional block 3 on the way to the latch 2,
/// which is left to block 4. An order that puts 2 before 3 lets a thread run ahead to the barrier.
[[nodiscard]] constexpr csr_graph figure_2c() { return adjacency({{1}, {3, 2}, {0, 4}, {2}, {}}); }

/// A region in the manner of figure 3 (block ids are priorities): with T0 on 0,1,2,4,7 and T1 on 0,3,5,7, a
/// conservative branch after block 2 goes to block 3 and then crosses blocks that nobody runs.
[[nodiscard]] constexpr csr_graph figure_3() {
  return adjacency({{1, 3}, {2}, {4, 3}, {5, 6}, {7, 5}, {7, 6}, {7}, {}});
}

/// A named shape: `make` builds it; `barrier` is the block that ends in a barrier, no_block where there is none.
struct shape {
  const char* name;             ///< the name of the function
  csr_graph (*make)();          ///< makes it
  block_id barrier = no_block;  ///< the block that ends in a barrier; no_block: none
};

/// Every shape of this header. No two have the same graph.
inline constexpr shape shapes[] = {
    {"empty_graph", empty_graph},
    {"one_block", one_block},
    {"straight_line", straight_line},
    {"triangle", triangle},
    {"diamond", diamond},
    {"two_exits", two_exits},
    {"parallel_edges", parallel_edges},
    {"self_loop_at_entry", self_loop_at_entry},
    {"self_loop", self_loop},
    {"while_at_entry", while_at_entry},
    {"while_loop", while_loop},
    {"nested_loops", nested_loops},
    {"shared_header", shared_header},
    {"two_diamonds", two_diamonds},
    {"two_entry_loop", two_entry_loop},
    {"break_two_loops", break_two_loops},
    {"shared_tail", shared_tail},
    {"short_circuit", short_circuit},
    {"switch_parallel", switch_parallel},
    {"unreachable_island", unreachable_island},
    {"entry_last", entry_last},
    {"infinite_loop", infinite_loop},
    {"infinite_loop_arm", infinite_loop_arm},
    {"predicated_exit", predicated_exit},
    {"frontier_loses", frontier_loses},
    {"figure_1", figure_1},
    {"figure_2a", figure_2a, 3},
    {"figure_2c", figure_2c, 1},
    {"figure_3", figure_3},
};

}  // namespace testing
}  // namespace v0
}  // namespace simtflow
