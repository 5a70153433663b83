// SPDX-License-Identifier: BSL-1.0
//
// Oracles for the analyses on graphs of up to 16 blocks, straight from the definitions: dominance by removing a block
// and searching, loops by mutual reachability, thread frontiers by visiting every state that a warp of any size can
// reach. Sets of blocks are bit masks. Nothing here shares code with the analyses.
#pragma once

#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/order.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/testing/shapes.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace simtflow_tests {

using namespace simtflow;  // NOLINT(google-build-using-namespace): tests read better without prefixes

using block_set = std::uint32_t;

inline block_set only(block_id b) { return block_set{1} << b; }
inline bool has(block_set s, block_id b) { return (s >> b & 1U) != 0; }
inline block_id lowest(block_set s) { return static_cast<block_id>(std::countr_zero(s)); }

template <class R>
block_set to_set(const R& blocks) {
  block_set s = 0;
  for (const block_id b : blocks) s |= only(b);
  return s;
}

inline std::string show(block_set s) {
  std::string text = "{";
  for (; s != 0; s &= s - 1) text += (text.size() > 1 ? "," : "") + std::to_string(lowest(s));
  return text + "}";
}

inline std::string show(const std::vector<block_id>& blocks) {
  std::string text = "(";
  for (const block_id b : blocks) text += (text.size() > 1 ? " " : "") + std::to_string(b);
  return text + ")";
}

/// A graph as successor sets.
struct small_graph {
  std::uint32_t n = 0;
  block_id entry = no_block;
  std::vector<block_set> out;
  std::vector<std::vector<block_id>> slots;
  block_set exits = 0, reachable = 0;

  explicit small_graph(const csr_graph& g) : n(static_cast<std::uint32_t>(g.num_blocks())), entry(g.entry()) {
    REQUIRE(n <= 16);
    for (block_id b = 0; b < n; ++b) {
      slots.emplace_back(g.successors(b).begin(), g.successors(b).end());
      out.push_back(to_set(g.successors(b)));
      if (g.is_exit(b)) exits |= only(b);
    }
    if (n != 0) reachable = reach(only(entry));
    exits &= reachable;
  }

  /// Everything that a path from `from` reaches inside `allowed`, `from` included.
  [[nodiscard]] block_set reach(block_set from, block_set allowed = ~block_set{0}) const {
    return reach(out, from, allowed);
  }

  static block_set reach(const std::vector<block_set>& edges, block_set from, block_set allowed) {
    block_set seen = from & allowed, work = seen;
    while (work != 0) {
      const block_id b = lowest(work);
      work &= work - 1;
      const block_set fresh = edges[b] & allowed & ~seen;
      seen |= fresh;
      work |= fresh;
    }
    return seen;
  }
};

// --- orders ----------------------------------------------------------------------------------------------------------

/// The depth-first search as everybody writes it down: a recursive function.
struct recursive_search {
  const small_graph& g;
  std::vector<block_id> pre, post, parent;
  std::vector<block_set> open_when_entered;  // the block itself included
  block_set seen = 0, open = 0;
  std::vector<std::vector<edge_kind>> kinds;

  explicit recursive_search(const small_graph& graph)
      : g(graph), parent(graph.n, no_block), open_when_entered(graph.n) {
    for (block_id b = 0; b < g.n; ++b) kinds.emplace_back(g.slots[b].size(), edge_kind::unreachable);
    if (g.n != 0) visit(g.entry);
  }
  void visit(block_id b) {
    seen |= only(b);
    open |= only(b);
    open_when_entered[b] = open;
    pre.push_back(b);
    for (std::size_t k = 0; k < g.slots[b].size(); ++k) {
      const block_id s = g.slots[b][k];
      if (!has(seen, s)) {
        kinds[b][k] = edge_kind::tree;
        parent[s] = b;
        visit(s);
      } else if (has(open, s)) {
        kinds[b][k] = edge_kind::back;
      } else {
        kinds[b][k] = has(open_when_entered[s], b) ? edge_kind::forward : edge_kind::cross;
      }
    }
    open &= ~only(b);
    post.push_back(b);
  }
  [[nodiscard]] std::vector<block_id> rpo() const { return {post.rbegin(), post.rend()}; }
};

// --- dominators ------------------------------------------------------------------------------------------------------

/// dominated[a] = the blocks that every path from the entry reaches through a.
inline std::vector<block_set> dominated_sets(const small_graph& g) {
  std::vector<block_set> dominated(g.n, 0);
  for (block_id a = 0; a < g.n; ++a) {
    if (!has(g.reachable, a)) continue;
    const block_set without = a == g.entry ? 0 : g.reach(only(g.entry), ~only(a));
    dominated[a] = g.reachable & ~without;
  }
  return dominated;
}

/// The virtual edges of infinite_loops::virtual_edge: of each set of blocks that reach one another, nothing else and no
/// exit, the one that comes first in RPO.
inline block_set virtual_edges(const small_graph& g, const std::vector<block_id>& rpo) {
  block_set chosen = 0, done = 0;
  for (const block_id b : rpo) {
    const block_set ahead = g.reach(only(b));
    if (has(done, b) || (ahead & g.exits) != 0) continue;
    bool closed = true;
    for (block_set rest = ahead; rest != 0; rest &= rest - 1) closed = closed && has(g.reach(only(lowest(rest))), b);
    if (!closed) continue;
    chosen |= only(b);
    done |= ahead;
  }
  return chosen;
}

/// post_dominated[a] = the blocks from which every path to the virtual exit passes through a. Blocks without such a
/// path are in no set.
inline std::vector<block_set> post_dominated_sets(const small_graph& g, block_set ends) {
  std::vector<block_set> post_dominated(g.n, 0);
  block_set inside = 0;
  for (block_id b = 0; b < g.n; ++b)
    if (has(g.reachable, b) && (g.reach(only(b)) & ends) != 0) inside |= only(b);
  for (block_id a = 0; a < g.n; ++a) {
    if (!has(inside, a)) continue;
    for (block_id b = 0; b < g.n; ++b)
      if (has(inside, b) && (b == a || (g.reach(only(b), ~only(a)) & ends) == 0)) post_dominated[a] |= only(b);
  }
  return post_dominated;
}

/// From the sets to the tree: the strict dominator that all other strict dominators dominate. no_block if there is
/// none.
inline block_id immediate(const std::vector<block_set>& dominated, block_id b) {
  block_id best = no_block;
  for (block_id a = 0; a < dominated.size(); ++a)
    if (a != b && has(dominated[a], b) && (best == no_block || has(dominated[best], a))) best = a;
  return best;
}

// --- loops -----------------------------------------------------------------------------------------------------------

struct expected_loop {
  block_set blocks = 0, entries = 0, latches = 0, exiting = 0;
  block_id header = no_block;
  int parent = -1;
  std::uint32_t depth = 1;
};

/// The loop forest by its definition; parents before children.
inline std::vector<expected_loop> expected_loops(const small_graph& g, const std::vector<block_id>& rpo) {
  struct task {
    block_set blocks;
    std::vector<block_set> edges;
    int parent;
    std::uint32_t depth;
  };
  std::vector<expected_loop> found;
  std::vector<task> tasks{{g.reachable, g.out, -1, 1}};
  while (!tasks.empty()) {
    const task now = tasks.back();
    tasks.pop_back();
    block_set done = 0;
    for (block_set rest = now.blocks; rest != 0; rest &= rest - 1) {
      const block_id b = lowest(rest);
      if (has(done, b)) continue;
      block_set cycle = 0;  // blocks that b reaches and that reach b, by at least one edge
      for (block_set c = small_graph::reach(now.edges, now.edges[b], now.blocks); c != 0; c &= c - 1)
        if (has(small_graph::reach(now.edges, now.edges[lowest(c)], now.blocks), b)) cycle |= only(lowest(c));
      if (cycle == 0) continue;
      done |= cycle;
      expected_loop l;
      l.blocks = cycle;
      l.parent = now.parent;
      l.depth = now.depth;
      for (block_id p = 0; p < g.n; ++p) {
        if (!has(g.reachable, p)) continue;
        if (!has(cycle, p)) l.entries |= g.out[p] & cycle;
        if (has(cycle, p) && (g.out[p] & ~cycle) != 0) l.exiting |= only(p);
      }
      if (has(cycle, g.entry)) l.entries |= only(g.entry);
      for (std::size_t i = rpo.size(); i-- > 0;)
        if (has(l.entries, rpo[i])) l.header = rpo[i];
      for (block_id p = 0; p < g.n; ++p)
        if (has(cycle, p) && has(g.out[p], l.header)) l.latches |= only(p);
      found.push_back(l);
      task inner{cycle, now.edges, static_cast<int>(found.size()) - 1, now.depth + 1};
      for (block_id p = 0; p < g.n; ++p)
        if (has(cycle, p)) inner.edges[p] &= ~only(l.header);
      tasks.push_back(inner);
    }
  }
  return found;
}

// --- thread frontiers ------------------------------------------------------------------------------------------------

/// F(b) = all blocks where threads may wait while b runs: every state (running block, blocks with waiting threads) that
/// a warp with enough threads can reach when the waiting block of smallest rank always runs next.
inline std::vector<block_set> reachable_frontiers(const small_graph& g, std::span<const std::uint32_t> ranks,
                                                  std::span<const unsigned char> uniform = {}) {
  std::vector<block_set> frontier(g.n, 0);
  if (g.n == 0) return frontier;
  REQUIRE(g.n <= 10);
  std::vector<unsigned char> seen((std::size_t{1} << g.n) * g.n, 0);
  std::vector<std::pair<block_id, block_set>> work;
  std::vector<block_id> by_rank(g.n, 0);
  for (block_id b = 0; b < g.n; ++b) by_rank[ranks[b]] = b;
  const auto go = [&](block_set waiting) {
    if (waiting == 0) return;
    for (const block_id b : by_rank)
      if (has(waiting, b)) {
        const block_set others = waiting & ~only(b);
        unsigned char& mark = seen[std::size_t{b} << g.n | others];
        if (!mark) work.emplace_back(b, others);
        mark = 1;
        return;
      }
  };
  go(only(g.entry));
  while (!work.empty()) {
    const auto [b, waiting] = work.back();
    work.pop_back();
    frontier[b] |= waiting;
    if (has(g.exits, b)) go(waiting);
    if (!uniform.empty() && uniform[b]) {
      for (block_set s = g.out[b]; s != 0; s &= s - 1) go(waiting | only(lowest(s)));
    } else {
      for (block_set some = g.out[b]; some != 0; some = (some - 1) & g.out[b]) go(waiting | some);
    }
  }
  return frontier;
}

/// The fixpoint that thread_frontiers.hpp defines, by iterating its rules until nothing changes.
inline std::vector<block_set> iterated_frontiers(const small_graph& g, std::span<const std::uint32_t> ranks,
                                                 std::span<const unsigned char> uniform = {}) {
  std::vector<block_set> frontier(g.n, 0), below(g.n, 0);
  for (block_id a = 0; a < g.n; ++a)
    for (block_id b = 0; b < g.n; ++b)
      if (ranks[b] > ranks[a]) below[a] |= only(b);
  for (bool changed = true; changed;) {
    changed = false;
    for (block_id b = 0; b < g.n; ++b) {
      if (!has(g.reachable, b)) continue;
      const block_set s = g.out[b], f = frontier[b];
      const bool together = std::popcount(s) < 2 || (!uniform.empty() && uniform[b]);
      for (block_id n = 0; n < g.n; ++n) {
        const bool passes_on = has(g.exits, b) || (s & (below[n] | only(n))) != 0;
        if (!has(s, n) && !(has(f, n) && passes_on)) continue;
        const block_set all = together && !has(f, n) ? f : f | s;
        changed = changed || (all & below[n] & ~frontier[n]) != 0;
        frontier[n] |= all & below[n];
      }
    }
  }
  return frontier;
}

// --- reports ---------------------------------------------------------------------------------------------------------

/// The place of a property test: printed with the graph when something is wrong.
struct subject {
  const char* source;
  std::uint64_t seed;
  const csr_graph& graph;
};

inline void report(const subject& at, const std::string& what) {
  static int printed = 0;  // the smallest graphs come first; a thousand more say no more
  if (++printed > 10) {
    FAIL_CHECK("more of the same");
    return;
  }
  const std::string text = what + "\n" + at.source + ", seed " + std::to_string(at.seed) + "\n" + to_dot(at.graph);
  FAIL_CHECK(text);
}

/// Seeded graphs of 5 to `largest` blocks of every kind: f(subject). Smallest first.
template <class F>
void for_each_random(std::uint64_t count, std::size_t largest, F&& f) {
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    testing::rng random(seed);
    testing::cfg_options options;
    options.blocks = 5 + static_cast<std::size_t>(seed * (largest - 4) / count);
    options.max_successors = random.between(2, 4);
    options.exits = random.below(3);
    options.loops = options.exits == 0 || random.chance(80);
    options.reducible = random.chance(40);
    options.exit_mark_percent = random.chance(30) ? 15 : 0;
    options.unreachable_percent = random.chance(20) ? 20 : 0;
    const csr_graph g = testing::random_cfg(random, options);
    f(subject{"random_cfg", seed, g});
  }
}

/// Structured programs of at most `largest` blocks with less than `most_extra` edges anywhere: something can be reduced
/// in most of them, and something is left; regions nest or lie side by side.
template <class F>
void for_each_program_with_extra_edges(std::uint64_t count, std::size_t largest, std::size_t most_extra, F&& f) {
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    testing::rng random(seed);
    testing::program_options options;
    options.statements = 2 + random.below(3);
    options.break_continue = random.chance(50);
    options.early_return = random.chance(30);
    const csr_graph program = testing::random_structured_program(random, options).graph;
    const std::size_t n = program.num_blocks();
    if (n > largest) continue;
    csr_builder builder(n);
    for (block_id b = 0; b < n; ++b)
      for (const block_id s : program.successors(b)) builder.add_edge(b, s);
    for (std::size_t extra = random.below(most_extra); extra > 0; --extra)
      builder.add_edge(static_cast<block_id>(random.below(n)), static_cast<block_id>(random.below(n)));
    const csr_graph g = builder.build();
    f(subject{"structured program with extra edges", seed, g});
  }
}

/// All 194,481 graphs of four blocks and all smaller ones. Address sanitizing makes that take minutes, so every 11th
/// (no divisor of the base of the codes) of the largest has to do there.
#if !defined(SIMTFLOW_EXHAUSTIVE_STRIDE)
#if defined(__SANITIZE_ADDRESS__)
#define SIMTFLOW_EXHAUSTIVE_STRIDE 11
#else
#define SIMTFLOW_EXHAUSTIVE_STRIDE 1
#endif
#endif
template <class F>
void for_each_small(F&& f) {
  for (std::size_t n = 0; n <= 4; ++n)
    for (std::uint64_t code = 0; code < testing::num_small_cfgs(n); code += n < 4 ? 1 : SIMTFLOW_EXHAUSTIVE_STRIDE) {
      const csr_graph g = testing::small_cfg(n, code);
      f(subject{"small_cfg", code, g});
    }
}

/// Every graph of up to three blocks with every choice of blocks that threads may leave from.
template <class F>
void for_each_small_with_exits(F&& f) {
  for (std::size_t n = 1; n <= 3; ++n)
    for (std::uint64_t code = 0; code < testing::num_small_cfgs(n); ++code)
      for (block_set marks = 1; marks < block_set{1} << n; ++marks) {
        const csr_graph plain = testing::small_cfg(n, code);
        csr_builder builder(n);
        bool news = true;
        for (block_id b = 0; b < n; ++b) {
          for (const block_id s : plain.successors(b)) builder.add_edge(b, s);
          if (has(marks, b)) {
            builder.mark_exit(b);
            news = news && !plain.is_exit(b);
          }
        }
        if (!news) continue;
        const csr_graph g = builder.build();
        f(subject{"small_cfg with marked exits", code, g});
      }
}

/// The named shapes of testing/shapes.hpp.
template <class F>
void for_each_shape(F&& f) {
  for (const testing::shape& s : testing::shapes) {
    const csr_graph g = s.make();
    f(subject{s.name, 0, g});
  }
}

// --- big graphs ------------------------------------------------------------------------------------------------------

inline csr_graph chain(std::uint32_t n) {
  csr_builder b(n);
  for (block_id i = 0; i + 1 < n; ++i) b.add_edge(i, i + 1);
  return b.build();
}

/// depth loops in one another: headers 0 .. depth - 1, latches depth .. 2 depth - 1, the last block after them.
inline csr_graph nest(std::uint32_t depth) {
  csr_builder b(2 * depth + 1);
  for (block_id i = 0; i + 1 < depth; ++i) b.add_edge(i, i + 1);
  b.add_edge(depth - 1, 2 * depth - 1);
  for (block_id i = 0; i < depth; ++i) {
    b.add_edge(depth + i, i);
    b.add_edge(depth + i, i == 0 ? 2 * depth : depth + i - 1);
  }
  return b.build();
}

/// Rungs of if / else; each arm can go to either arm of the next.
inline csr_graph ladder(std::uint32_t rungs) {
  csr_builder b(2 * rungs + 2);
  b.add_edge(0, 1).add_edge(0, 2);
  for (block_id i = 0; i + 1 < rungs; ++i)
    for (block_id from = 1; from <= 2; ++from) b.add_edge(2 * i + from, 2 * i + 3).add_edge(2 * i + from, 2 * i + 4);
  b.add_edge(2 * rungs - 1, 2 * rungs + 1).add_edge(2 * rungs, 2 * rungs + 1);
  return b.build();
}

}  // namespace simtflow_tests
