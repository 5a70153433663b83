// SPDX-License-Identifier: BSL-1.0
//
// How the blocks of a linearized region are nested: the shape that linearize.hpp writes down, without the writing.
// Think of it as a program in which the guard variable says what runs next:
//
//   sequence   choices, one after the other
//   choice     items; a thread runs at most one of them: if (gv is x) x else if (gv is y) y ...
//   item       a block and then the sequence after it, which only threads see that ran the block; or a loop, which
//              repeats its sequence as long as gv is a block of the loop
//
// Blocks are numbered by the order in which they are linearized; loops are intervals of it, nested or disjoint. Flat,
// as in the paper, each item is a choice of its own in the sequence of its loop. A thread that wants block 7 then tests
// 1 to 6 on the way. Nested, an item goes where all threads that want it come by and as few others as possible:
//
//   Let the *arrivals* of an item be the places where some thread starts to want it: after each block with an edge to
//   it, after an inner loop with such a block, or at the start of its own loop's sequence, if threads come to it from
//   outside the loop or by a retreating edge. The item goes into the deepest sequence that all arrivals are part of,
//   into the first choice that comes after them.
//
// That is what O2 of the paper is about: a block nested under one that dominates it. O1, no test for threads that
// cannot want the block, stays in the flat row: each item goes into the first choice of the sequence of its loop that
// comes after all arrivals, and may share it with other blocks. Both are right for all orders and loops, because
// arrivals follow the value of gv rather than edges of the graph; the result is structured, because it is made so.
//
// A choice is *passed* if threads come by that want none of its items; if not, one test less does.
//
// Complexity: O((blocks + edges) log blocks). No recursion.
//
// Literature: J. Anantpur, R. Govindarajan, Taming control divergence in GPUs through control flow linearization
// (2014); N. Ramsey, Beyond relooper: recursive translation of unstructured control flow to structured control flow
// (2022), which nests by dominance where a language has break; E. Myers, An applicative random-access stack (1983) for
// ancestors.
#pragma once

#include <simtflow/config.hpp>

#include <string_view>

namespace simtflow {
inline namespace v0 {

/// The blocks of a linearized region that repeat together.
enum class loop_guards : unsigned char {
  component,  ///< for each target of a retreating edge, from there to the last source: the loops of the graph
  source,     ///< for each source of a retreating edge, from the first target to there: the paper's algorithm
  merge       ///< as source, but outermost ones alone: threads in different iterations of an outer loop share the inner
};

/// The choice in a word: "component", "source" or "merge".
[[nodiscard]] constexpr std::string_view to_string(loop_guards loops) {
  switch (loops) {
    case loop_guards::component:
      return "component";
    case loop_guards::source:
      return "source";
    case loop_guards::merge:
      return "merge";
  }
  return "";
}

/// How much is done to have few guards. Each level includes those before it; they are the paper's levels.
enum class guard_optimization : unsigned char {
  none,  ///< a guard for each block in one row, as published
  o1,    ///< blocks share a choice if no thread can want two of them: who has run one is not tested for the others
  o2,    ///< also: blocks are nested where only threads come by that may want them
  o3,    ///< also: the first choice after a block is made by the block's own branch
  o4     ///< also: tests with a known outcome, loop guards that a branch of the loop can stand for, dead assignments
};

/// The level in a word: "none", "o1", "o2", "o3" or "o4".
[[nodiscard]] constexpr std::string_view to_string(guard_optimization level) {
  switch (level) {
    case guard_optimization::none:
      return "none";
    case guard_optimization::o1:
      return "o1";
    case guard_optimization::o2:
      return "o2";
    case guard_optimization::o3:
      return "o3";
    case guard_optimization::o4:
      return "o4";
  }
  return "";
}

}  // namespace v0
}  // namespace simtflow
