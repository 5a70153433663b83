// SPDX-License-Identifier: BSL-1.0
//
// The graphs on which ways to structure control flow are compared: short-circuited conditions, jumps into and out of
// loops, irreducible cycles, state machines. Each begins in a block E and ends in a block X that do nothing else.
//
// `calls` numbers the blocks as their authors did: what a block does and which way it goes depends on that number. 0 is
// for E and X. Slot 0 is the outcome `true`.
//
//   short_circuit, jump_out, jump_in   J. Anantpur, R. Govindarajan, Taming control divergence in GPUs through control
//                                      flow linearization (2014), figures 1, 5 and 6
//   tf_fig1                            G. Diamos et al., SIMD re-convergence at thread frontiers (2011), figure 1
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/testing/shapes.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace simtflow {
inline namespace v0 {
namespace testing {
/// The graphs of testing/transform_shapes.hpp, each with the numbers of its blocks.
namespace transform {

/// A condition of two parts that share both outcomes: the first figure of the paper.
/// Blocks: E B1 B2 B3 B5 B4 B6 X.
[[nodiscard]] constexpr csr_graph short_circuit() {
  return adjacency({{1}, {3, 2}, {3, 4}, {5, 4}, {6}, {6}, {7}, {}});
}
/// Its `calls`, by block.
inline constexpr std::uint32_t short_circuit_calls[] = {0, 1, 2, 3, 5, 4, 6, 0};

/// A loop B2, B3, B4 that is left in the middle, to two places.
/// Blocks: E B1 B2 B5 B3 B6 X B4.
[[nodiscard]] constexpr csr_graph jump_out() { return adjacency({{1}, {2}, {4, 3}, {5}, {7, 5}, {6}, {}, {2}}); }
/// Its `calls`, by block.
inline constexpr std::uint32_t jump_out_calls[] = {0, 1, 2, 5, 3, 6, 0, 4};

/// A loop B3, B4, B5 that is entered in the middle as well.
/// Blocks: E B1 B2 B5 B3 B6 X B4.
[[nodiscard]] constexpr csr_graph jump_in() { return adjacency({{1}, {3, 2}, {4}, {4}, {7, 5}, {6}, {}, {3}}); }
/// Its `calls`, by block.
inline constexpr std::uint32_t jump_in_calls[] = {0, 1, 2, 5, 3, 6, 0, 4};

/// A loop of two blocks, entered at both.
/// Blocks: E B1 B2 B3 X.
[[nodiscard]] constexpr csr_graph irreducible2() { return adjacency({{1}, {2, 3}, {3}, {2, 4}, {}}); }
/// Its `calls`, by block.
inline constexpr std::uint32_t irreducible2_calls[] = {0, 1, 2, 3, 0};

/// Figure 1 of the thread frontiers paper between an entry and an exit.
/// Blocks: E B1 B2 B3 B4 B5 X.
[[nodiscard]] constexpr csr_graph tf_fig1() { return adjacency({{1}, {3, 2}, {6, 3}, {4, 5}, {5, 6}, {6}, {}}); }
/// Its `calls`, by block.
inline constexpr std::uint32_t tf_fig1_calls[] = {0, 1, 2, 3, 4, 5, 0};

/// Two arms share the block r, one of them through the block c: no edge is unstructured, the graph is.
/// Blocks: E a b d c r X.
[[nodiscard]] constexpr csr_graph shared_tail() { return adjacency({{1}, {5, 2}, {4, 3}, {6}, {5}, {6}, {}}); }
/// Its `calls`, by block.
inline constexpr std::uint32_t shared_tail_calls[] = {0, 1, 2, 4, 3, 5, 0};

/// Two arms that branch once more, each to both of two blocks.
/// Blocks: E a c b e d f X.
[[nodiscard]] constexpr csr_graph cross_diamond() {
  return adjacency({{1}, {3, 2}, {5, 4}, {5, 4}, {6}, {6}, {7}, {}});
}
/// Its `calls`, by block.
inline constexpr std::uint32_t cross_diamond_calls[] = {0, 1, 3, 2, 5, 4, 6, 0};

/// if (t0 && ... && t7): every part jumps to one else block.
/// Blocks: E t0 t1 t2 t3 t4 t5 t6 t7 body fail X.
[[nodiscard]] constexpr csr_graph and_chain8() {
  return adjacency({{1}, {10, 2}, {10, 3}, {10, 4}, {10, 5}, {10, 6}, {10, 7}, {10, 8}, {10, 9}, {11}, {11}, {}});
}
/// Its `calls`, by block.
inline constexpr std::uint32_t and_chain8_calls[] = {0, 4, 5, 6, 7, 8, 9, 10, 11, 2, 3, 0};

/// if ((c0 || c1) && (c2 || c3) && (c4 || c5)).
/// Blocks: E c0 c1 c2 c3 c4 c5 els thn j X.
[[nodiscard]] constexpr csr_graph or_and_chain() {
  return adjacency({{1}, {3, 2}, {3, 7}, {5, 4}, {5, 7}, {8, 6}, {8, 7}, {9}, {9}, {10}, {}});
}
/// Its `calls`, by block.
inline constexpr std::uint32_t or_and_chain_calls[] = {0, 1, 2, 3, 4, 5, 6, 8, 7, 9, 0};

/// A loop with three exits: one to done, one each to e1 and e2.
/// Blocks: E pre h done b1 b2 b3 e2 e1 j X.
[[nodiscard]] constexpr csr_graph loop_3exits() {
  return adjacency({{1}, {2}, {4, 3}, {9}, {8, 5}, {7, 6}, {2}, {9}, {9}, {10}, {}});
}
/// Its `calls`, by block.
inline constexpr std::uint32_t loop_3exits_calls[] = {0, 1, 2, 8, 3, 4, 5, 7, 6, 9, 0};

/// An inner loop that breaks out of both loops.
/// Blocks: E o i il ib ic id oend ret X.
[[nodiscard]] constexpr csr_graph break2() {
  return adjacency({{1}, {2, 7}, {4, 3}, {1}, {8, 5}, {7, 6}, {2}, {9}, {9}, {}});
}
/// Its `calls`, by block.
inline constexpr std::uint32_t break2_calls[] = {0, 1, 2, 6, 3, 4, 5, 7, 8, 0};

/// An inner loop that goes on with the outer one from two places.
/// Blocks: E o X i olatch b1 b2 b3.
[[nodiscard]] constexpr csr_graph continue_outer() {
  return adjacency({{1}, {3, 2}, {}, {5, 4}, {1}, {1, 6}, {3, 7}, {3}});
}
/// Its `calls`, by block.
inline constexpr std::uint32_t continue_outer_calls[] = {0, 1, 0, 2, 6, 3, 4, 5};

/// An irreducible cycle in a loop.
/// Blocks: E s p q u r v X.
[[nodiscard]] constexpr csr_graph irr_nested() {
  return adjacency({{1}, {2, 3}, {3, 5}, {2, 4}, {5, 6}, {4, 6}, {1, 7}, {}});
}
/// Its `calls`, by block.
inline constexpr std::uint32_t irr_nested_calls[] = {0, 1, 2, 3, 5, 4, 6, 0};

/// A cycle of b, c and d, entered at two of them.
/// Blocks: E a b c d X.
[[nodiscard]] constexpr csr_graph clique4() { return adjacency({{1}, {2, 3}, {3, 4}, {4, 2}, {2, 5}, {}}); }
/// Its `calls`, by block.
inline constexpr std::uint32_t clique4_calls[] = {0, 1, 2, 3, 4, 0};

/// A dispatcher of four states; each goes to another one directly or back to the dispatcher.
/// Blocks: E d d1 d2 s2 s0 s1 s3 l X.
[[nodiscard]] constexpr csr_graph statemachine() {
  return adjacency({{1}, {5, 2}, {6, 3}, {4, 7}, {5, 8}, {6, 8}, {7, 8}, {9, 8}, {1}, {}});
}
/// Its `calls`, by block.
inline constexpr std::uint32_t statemachine_calls[] = {0, 1, 2, 3, 6, 4, 5, 7, 8, 0};

/// Twelve rungs: every block goes to the next or jumps over it; copying blocks apart doubles them again and again.
/// Blocks: E b0 b1 b2 b3 b4 b5 b6 b7 b8 b9 b10 b11 X.
[[nodiscard]] constexpr csr_graph ladder12() {
  return adjacency({{1},
                    {2, 3},
                    {3, 4},
                    {4, 5},
                    {5, 6},
                    {6, 7},
                    {7, 8},
                    {8, 9},
                    {9, 10},
                    {10, 11},
                    {11, 12},
                    {12, 13},
                    {13, 13},
                    {}});
}
/// Its `calls`, by block.
inline constexpr std::uint32_t ladder12_calls[] = {0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0};

/// Nested conditions, then a loop: structured.
/// Blocks: E a c b e d f g h k X h2.
[[nodiscard]] constexpr csr_graph structured_nest() {
  return adjacency({{1}, {3, 2}, {7}, {5, 4}, {6}, {6}, {7}, {8}, {11, 9}, {10}, {}, {8}});
}
/// Its `calls`, by block.
inline constexpr std::uint32_t structured_nest_calls[] = {0, 1, 6, 2, 4, 3, 5, 7, 8, 10, 0, 9};

}  // namespace transform

/// A graph of this header.
struct transform_shape {
  const char* name;                      ///< the name of the function
  csr_graph (*make)();                   ///< makes it
  std::span<const std::uint32_t> calls;  ///< by block
};

/// Every graph of this header, in the order in which they are reported.
inline constexpr transform_shape transform_shapes[] = {
    {"short_circuit", transform::short_circuit, transform::short_circuit_calls},
    {"jump_out", transform::jump_out, transform::jump_out_calls},
    {"jump_in", transform::jump_in, transform::jump_in_calls},
    {"irreducible2", transform::irreducible2, transform::irreducible2_calls},
    {"tf_fig1", transform::tf_fig1, transform::tf_fig1_calls},
    {"shared_tail", transform::shared_tail, transform::shared_tail_calls},
    {"cross_diamond", transform::cross_diamond, transform::cross_diamond_calls},
    {"and_chain8", transform::and_chain8, transform::and_chain8_calls},
    {"or_and_chain", transform::or_and_chain, transform::or_and_chain_calls},
    {"loop_3exits", transform::loop_3exits, transform::loop_3exits_calls},
    {"break2", transform::break2, transform::break2_calls},
    {"continue_outer", transform::continue_outer, transform::continue_outer_calls},
    {"irr_nested", transform::irr_nested, transform::irr_nested_calls},
    {"clique4", transform::clique4, transform::clique4_calls},
    {"statemachine", transform::statemachine, transform::statemachine_calls},
    {"ladder12", transform::ladder12, transform::ladder12_calls},
    {"structured_nest", transform::structured_nest, transform::structured_nest_calls},
};

}  // namespace testing
}  // namespace v0
}  // namespace simtflow
