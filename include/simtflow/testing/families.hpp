// SPDX-License-Identifier: BSL-1.0
//
// Families of control-flow graphs: one shape at any size, for questions of scale. Each has made some analysis take more
// than linear time. Block 0 is the entry, the last block ends; random graphs may have unreachable blocks. `families`
// lists them all. Graphs of a fixed size: shapes.hpp.
//
// Literature: L. Georgiadis, R. Werneck, R. Tarjan, S. Triantafyllis, D. August, Finding dominators in practice (2004),
// for families that make algorithms slow.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/testing/generate.hpp>

#include <cstddef>
#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace testing {

namespace detail {

// Every block but the last has two successors that pick(random, block) chooses.
template <class Pick>
constexpr csr_graph two_each(block_id n, std::uint64_t seed, Pick pick) {
  rng random(seed);
  csr_builder g(n);
  for (block_id b = 0; b + 1 < n; ++b) {
    const block_id first = pick(random, b);
    g.add_edge(b, first).add_edge(b, pick(random, b));
  }
  return g.build();
}
constexpr block_id least_of(block_id a, block_id b) { return a < b ? a : b; }

}  // namespace detail

/// @{
/// A graph of about n blocks, \pre n >= 16. O(n).
///
/// Every block has two random successors: nearly all of the graph is one irreducible loop.
[[nodiscard]] constexpr csr_graph random_pairs(block_id n) {
  return detail::two_each(n, 1, [=](rng& r, block_id) { return static_cast<block_id>(r.below(n)); });
}
/// Every block has two random successors with larger numbers.
[[nodiscard]] constexpr csr_graph random_forward(block_id n) {
  return detail::two_each(n, 2, [=](rng& r, block_id b) { return static_cast<block_id>(r.between(b + 1, n - 1)); });
}
/// Every block has two random successors among the next 31.
[[nodiscard]] constexpr csr_graph random_forward_local(block_id n) {
  return detail::two_each(n, 3, [=](rng& r, block_id b) {
    return static_cast<block_id>(r.between(b + 1, detail::least_of(b + 31, n - 1)));
  });
}
/// Every block goes to the next one and to a random one at most 31 away.
[[nodiscard]] constexpr csr_graph random_local(block_id n) {
  rng random(4);
  csr_builder g(n);
  for (block_id b = 0; b + 1 < n; ++b) {
    const std::size_t low = b < 31 ? 0 : b - 31;
    g.add_edge(b, b + 1).add_edge(b, static_cast<block_id>(random.between(low, detail::least_of(b + 31, n - 1))));
  }
  return g.build();
}
/// Two chains side by side; every block goes on in its own chain or in the other.
[[nodiscard]] constexpr csr_graph rails(block_id n) {
  csr_builder g(n);
  block_id b = 1;
  g.add_edge(0, 1).add_edge(0, 2);
  for (; b + 4 < n; b += 2) g.add_edge(b, b + 2).add_edge(b, b + 3).add_edge(b + 1, b + 3).add_edge(b + 1, b + 2);
  for (; b + 1 < n; ++b) g.add_edge(b, n - 1);
  return g.build();
}
/// The same, but no path leads from the second chain to the first.
[[nodiscard]] constexpr csr_graph rails_one_way(block_id n) {
  csr_builder g(n);
  block_id b = 1;
  g.add_edge(0, 1).add_edge(0, 2);
  for (; b + 4 < n; b += 2) g.add_edge(b, b + 2).add_edge(b, b + 3).add_edge(b + 1, b + 3);
  for (; b + 1 < n; ++b) g.add_edge(b, n - 1);
  return g.build();
}
/// A line on which every block goes on to the next and back to the one before, entered at its first two blocks: loops
/// in one another as deep as there are blocks, all with two entries or more.
[[nodiscard]] constexpr csr_graph irreducible_line(block_id n) {
  csr_builder g(n);
  g.add_edge(0, 1).add_edge(0, 2);
  for (block_id b = 1; b + 1 < n; ++b) {
    g.add_edge(b, b + 1);
    if (b > 1) g.add_edge(b, b - 1);
  }
  return g.build();
}
/// Loops of two blocks in a row; each is entered and left at both.
[[nodiscard]] constexpr csr_graph irreducible_row(block_id n) {
  csr_builder g(n);
  block_id b = 1;
  g.add_edge(0, 1).add_edge(0, 2);
  for (; b + 4 < n; b += 2) g.add_edge(b, b + 1).add_edge(b, b + 2).add_edge(b + 1, b).add_edge(b + 1, b + 3);
  for (; b + 1 < n; ++b) g.add_edge(b, n - 1);
  return g.build();
}
/// Two ladders with rungs from one to the other, the last first: the dominators of the second are known late.
[[nodiscard]] constexpr csr_graph late_dominators(block_id n) {
  const block_id k = (n - 2) / 4;
  const auto at = [=](block_id ladder, block_id i) { return 1 + ladder * k + i; };
  csr_builder g(4 * k + 2);
  g.add_edge(0, at(0, 0)).add_edge(0, at(1, 0)).add_edge(0, at(3, k - 1));
  for (block_id i = 0; i < k; ++i) {
    g.add_edge(at(0, i), i + 1 < k ? at(0, i + 1) : 4 * k + 1).add_edge(at(0, i), at(2, i));
    g.add_edge(at(1, i), i + 1 < k ? at(1, i + 1) : at(2, 0));
    g.add_edge(at(2, i), i + 1 < k ? at(2, i + 1) : at(3, 0));
    g.add_edge(at(3, i), i + 1 < k ? at(3, i + 1) : 4 * k + 1);
    if (i > 0) g.add_edge(at(3, i), at(3, i - 1)).add_edge(at(3, i), at(1, k - i));
  }
  return g.build();
}
/// Loops in one another: headers, then latches from the innermost out; each may leave its loop.
[[nodiscard]] constexpr csr_graph loop_nest(block_id n) {
  const block_id k = (n - 1) / 2;
  csr_builder g(2 * k + 1);
  for (block_id i = 0; i < k; ++i)
    g.add_edge(i, i + 1 < k ? i + 1 : 2 * k - 1).add_edge(k + i, i).add_edge(k + i, i == 0 ? 2 * k : k + i - 1);
  return g.build();
}
/// The same, and every header may leave all loops at once.
[[nodiscard]] constexpr csr_graph loop_nest_break_all(block_id n) {
  const block_id k = (n - 1) / 2;
  csr_builder g(2 * k + 1);
  for (block_id i = 0; i < k; ++i)
    g.add_edge(i, i + 1 < k ? i + 1 : 2 * k - 1)
        .add_edge(i, 2 * k)
        .add_edge(k + i, i)
        .add_edge(k + i, i == 0 ? 2 * k : k + i - 1);
  return g.build();
}
/// while in while: each header may leave its loop for the header around it.
[[nodiscard]] constexpr csr_graph while_nest(block_id n) {
  csr_builder g(n);
  for (block_id i = 0; i + 1 < n; ++i) g.add_edge(i, i == 0 ? n - 1 : i - 1).add_edge(i, i + 2 < n ? i + 1 : i);
  return g.build();
}
/// if in if, each with a block where its two ways meet.
[[nodiscard]] constexpr csr_graph if_nest(block_id n) {
  const block_id k = n / 2;
  csr_builder g(2 * k);
  for (block_id i = 0; i < k; ++i) {
    g.add_edge(i, i + 1 < k ? i + 1 : 2 * k - 1 - i).add_edge(i, 2 * k - 1 - i);
    if (i > 0) g.add_edge(2 * k - 1 - i, 2 * k - i);
  }
  return g.build();
}
/// A loop around a switch, as in an interpreter.
[[nodiscard]] constexpr csr_graph interpreter_loop(block_id n) {
  csr_builder g(n);
  for (block_id b = 1; b + 1 < n; ++b) g.add_edge(0, b).add_edge(b, 0);
  g.add_edge(0, n - 1);
  return g.build();
}
/// A switch; each case falls through to the next.
[[nodiscard]] constexpr csr_graph fall_through(block_id n) {
  csr_builder g(n);
  for (block_id b = 1; b < n; ++b) g.add_edge(0, b);
  for (block_id b = 1; b + 1 < n; ++b) g.add_edge(b, b + 1);
  return g.build();
}
/// A chain of conditions; each may jump to the one block at the end.
[[nodiscard]] constexpr csr_graph early_exits(block_id n) {
  csr_builder g(n);
  for (block_id b = 0; b + 1 < n; ++b) g.add_edge(b, b + 1).add_edge(b, n - 1);
  return g.build();
}
/// @}

/// A named family: `make(n)` builds the member of about n blocks.
struct family {
  const char* name;             ///< the name of the function
  csr_graph (*make)(block_id);  ///< makes a member
};

/// Every family of this header.
inline constexpr family families[] = {
    {"random_pairs", random_pairs},
    {"random_forward", random_forward},
    {"random_forward_local", random_forward_local},
    {"random_local", random_local},
    {"rails", rails},
    {"rails_one_way", rails_one_way},
    {"irreducible_line", irreducible_line},
    {"irreducible_row", irreducible_row},
    {"late_dominators", late_dominators},
    {"loop_nest", loop_nest},
    {"loop_nest_break_all", loop_nest_break_all},
    {"while_nest", while_nest},
    {"if_nest", if_nest},
    {"interpreter_loop", interpreter_loop},
    {"fall_through", fall_through},
    {"early_exits", early_exits},
};

}  // namespace testing
}  // namespace v0
}  // namespace simtflow
