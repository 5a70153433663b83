// SPDX-License-Identifier: BSL-1.0
#include "analysis/oracles.hpp"
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/priority_checks.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/simt/program.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

using namespace simtflow_tests;

namespace {

bool is_permutation_with_reachable_first(const small_graph& g, const priority_order<csr_graph>& order) {
  const std::uint32_t reached = static_cast<std::uint32_t>(std::popcount(g.reachable));
  if (order.blocks().size() != reached || order.ranks().size() != g.n) return false;
  for (std::uint32_t i = 0; i < reached; ++i)
    if (order.rank(order.blocks()[i]) != i || !has(g.reachable, order.blocks()[i])) return false;
  std::uint32_t next = reached;
  for (block_id b = 0; b < g.n; ++b)
    if (!has(g.reachable, b) && order.rank(b) != next++) return false;
  return true;
}

bool loops_are_contiguous(const std::vector<expected_loop>& loops, std::span<const std::uint32_t> ranks) {
  for (const expected_loop& l : loops) {
    std::uint32_t low = ranks[l.header], high = 0;
    for (block_set s = l.blocks; s != 0; s &= s - 1) {
      const std::uint32_t r = ranks[lowest(s)];
      if (r < low) return false;  // the header is first
      if (r > high) high = r;
    }
    if (high - low + 1 != static_cast<std::uint32_t>(std::popcount(l.blocks))) return false;
  }
  return true;
}

void check_orders(const subject& at) {
  const small_graph g(at.graph);
  const std::vector<block_id> rpo = recursive_search(g).rpo();
  const std::vector<expected_loop> nest = expected_loops(g, rpo);
  const auto plain = reverse_post_order(at.graph);
  const auto contiguous = loop_contiguous_order(at.graph);
  if (!is_permutation_with_reachable_first(g, plain) || !is_permutation_with_reachable_first(g, contiguous))
    return report(at, "no permutation with the reachable blocks first");
  if (std::vector<block_id>(plain.blocks().begin(), plain.blocks().end()) != rpo) return report(at, "plain RPO");
  const std::vector<block_id> order(contiguous.blocks().begin(), contiguous.blocks().end());
  if (!loops_are_contiguous(nest, contiguous.ranks())) return report(at, "loops are not contiguous in " + show(order));
  for (block_id b = 0; b < g.n; ++b) {
    if (!has(g.reachable, b)) continue;
    for (block_set s = g.out[b]; s != 0; s &= s - 1) {
      const block_id to = lowest(s);
      bool back = false;
      for (const expected_loop& l : nest) back = back || (l.header == to && has(l.blocks, b));
      if (back != (contiguous.rank(b) >= contiguous.rank(to)))
        return report(at, "edge " + std::to_string(b) + " -> " + std::to_string(to) + " in " + show(order));
    }
  }
  if (loops_are_contiguous(nest, plain.ranks()) && order != rpo)
    return report(at, "the RPO is loop-contiguous, and yet the order is " + show(order));
  // Blocks that lie in the same loops keep their RPO.
  for (std::size_t i = 0; i < rpo.size(); ++i)
    for (std::size_t k = i + 1; k < rpo.size(); ++k) {
      bool together = true;
      for (const expected_loop& l : nest) together = together && has(l.blocks, rpo[i]) == has(l.blocks, rpo[k]);
      if (together && contiguous.rank(rpo[i]) > contiguous.rank(rpo[k])) return report(at, "RPO within a loop");
    }
  const auto again = loop_contiguous_order(at.graph, loops(at.graph));
  if (std::vector<block_id>(again.blocks().begin(), again.blocks().end()) != order)
    return report(at, "from a loop forest");
}

// --- properties, by definition ---------------------------------------------------------------------------------------

std::vector<block_id> listed(const priority_order<csr_graph>& order) {
  return {order.blocks().begin(), order.blocks().end()};
}

// The reachable blocks in the order of their ranks.
std::vector<block_id> by_rank(const small_graph& g, std::span<const std::uint32_t> ranks) {
  std::vector<block_id> blocks;
  for (std::uint32_t r = 0; r < g.n; ++r)
    for (block_id b = 0; b < g.n; ++b)
      if (ranks[b] == r && has(g.reachable, b)) blocks.push_back(b);
  return blocks;
}

// Every window of the order that holds all of the set and nothing else at its ends is the set.
bool are_neighbours(block_set s, const std::vector<block_id>& order) {
  block_set run = 0;
  for (const block_id b : order) {
    if (has(s, b)) run |= only(b);
    if (run != 0 && run != s && !has(s, b)) return false;
  }
  return true;
}

bool is_way_back(const std::vector<expected_loop>& nest, block_id from, block_id to) {
  for (const expected_loop& l : nest)
    if (l.header == to && has(l.blocks, from)) return true;
  return false;
}

bool topological_by_definition(const small_graph& g, const std::vector<expected_loop>& nest,
                               std::span<const std::uint32_t> ranks) {
  for (block_set from = g.reachable; from != 0; from &= from - 1)
    for (block_set to = g.out[lowest(from)]; to != 0; to &= to - 1)
      if (!is_way_back(nest, lowest(from), lowest(to)) && ranks[lowest(from)] >= ranks[lowest(to)]) return false;
  return true;
}

bool contiguous_by_definition(const std::vector<expected_loop>& nest, const std::vector<block_id>& order) {
  for (const expected_loop& l : nest)
    if (!are_neighbours(l.blocks, order)) return false;
  return true;
}

std::vector<std::uint32_t> random_ranks(std::uint32_t n, testing::rng& random) {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t i = 0; i < n; ++i) ranks.push_back(i);
  random.shuffle(ranks);
  return ranks;
}

priority_order<csr_graph> order_with(const csr_graph& g, const std::vector<std::uint32_t>& ranks) {
  std::vector<block_id> order(ranks.size());
  for (block_id b = 0; b < ranks.size(); ++b) order[ranks[b]] = b;
  return priority_order<csr_graph>(g, std::span<const block_id>(order));
}

// The checks against the definitions, and their counterexamples against the graph.
void check_the_checks(const subject& at, const priority_order<csr_graph>& order) {
  const small_graph g(at.graph);
  const std::vector<expected_loop> nest = expected_loops(g, recursive_search(g).rpo());
  const std::vector<block_set> dominated = dominated_sets(g);
  const std::vector<block_id> blocks = by_rank(g, order.ranks());
  const auto rank = [&](block_id b) { return order.rank(b); };

  const topological_check top = is_topological(at.graph, order);
  if (static_cast<bool>(top) != topological_by_definition(g, nest, order.ranks())) return report(at, "topological?");
  if (!top) {
    const block_id to = at.graph.successors(top.broken.from)[top.broken.slot];
    if (rank(to) > rank(top.broken.from) || is_way_back(nest, top.broken.from, to) || !has(g.reachable, to))
      return report(at, "the edge against the order is none");
  }
  const contiguity_check run = is_loop_contiguous(at.graph, order);
  if (static_cast<bool>(run) != contiguous_by_definition(nest, blocks)) return report(at, "loop-contiguous?");
  if (!run) {
    const auto forest = loops(at.graph);
    const block_set inside = to_set(forest.blocks(run.loop));
    bool before = false, behind = false;
    for (block_set s = inside; s != 0; s &= s - 1) {
      before = before || rank(lowest(s)) < rank(run.block);
      behind = behind || rank(lowest(s)) > rank(run.block);
    }
    if (has(inside, run.block) || !has(g.reachable, run.block) || !before || !behind)
      return report(at, "the block that interrupts a loop does not");
  }
  bool compact = true;
  for (const block_set d : dominated) compact = compact && are_neighbours(d, blocks);
  const compactness_check tight = is_dominance_compact(at.graph, order);
  if (static_cast<bool>(tight) != compact) return report(at, "dominance-compact?");
  if (!tight) {
    const block_set d = dominated[tight.dominator];
    bool before = false, behind = false;
    for (block_set s = d; s != 0; s &= s - 1) {
      before = before || rank(lowest(s)) < rank(tight.block);
      behind = behind || rank(lowest(s)) > rank(tight.block);
    }
    if (has(d, tight.block) || !has(g.reachable, tight.block) || !before || !behind)
      return report(at, "the block that interrupts what a block dominates does not");
  }
  block_id alone = no_block;  // the highest one without a predecessor above it
  for (auto b = blocks.rbegin(); b != blocks.rend(); ++b) {
    bool entered = *b == g.entry;
    for (block_set p = g.reachable; p != 0; p &= p - 1)
      entered = entered || (has(g.out[lowest(p)], *b) && rank(lowest(p)) < rank(*b));
    if (!entered) alone = *b;
  }
  if (has_predecessors_above(at.graph, order).block != alone) return report(at, "predecessors above?");
}

// --- dominance-compact -----------------------------------------------------------------------------------------------

void check_compact(const subject& at) {
  const small_graph g(at.graph);
  const std::vector<expected_loop> nest = expected_loops(g, recursive_search(g).rpo());
  const std::vector<block_set> dominated = dominated_sets(g);
  const auto order = dominance_compact_order(at.graph);
  if (!is_permutation_with_reachable_first(g, order))
    return report(at, "no permutation with the reachable blocks first");
  const std::vector<block_id> blocks = listed(order);
  if (!topological_by_definition(g, nest, order.ranks())) return report(at, "not topological: " + show(blocks));
  if (!contiguous_by_definition(nest, blocks)) return report(at, "not loop-contiguous: " + show(blocks));
  bool reducible = true;
  for (const expected_loop& l : nest) reducible = reducible && std::popcount(l.entries) == 1;
  if (!reducible) return;
  for (const block_id b : blocks) {
    // A way out of a loop below b makes b compact only if b's blocks of that loop are its last.
    bool promised = true;
    for (const expected_loop& l : nest) {
      if (!has(l.blocks, b) || l.header == b || (dominated[b] & ~l.blocks) == 0) continue;
      block_set last = 0;
      for (auto x = blocks.rbegin(); x != blocks.rend(); ++x)
        if (has(l.blocks, *x) && std::popcount(last) < std::popcount(dominated[b] & l.blocks)) last |= only(*x);
      promised = promised && last == (dominated[b] & l.blocks);
    }
    if (promised != are_neighbours(dominated[b], blocks))
      return report(at, "what " + std::to_string(b) + " dominates: " + show(dominated[b]) + " in " + show(blocks));
  }
}

// No topological, loop-contiguous order of a reducible graph serves every block if this one does not.
void check_compact_if_possible(const subject& at) {
  const small_graph g(at.graph);
  const std::vector<expected_loop> nest = expected_loops(g, recursive_search(g).rpo());
  for (const expected_loop& l : nest)
    if (std::popcount(l.entries) != 1) return;
  const std::vector<block_set> dominated = dominated_sets(g);
  const auto compact = [&](const std::vector<block_id>& blocks) {
    for (const block_set d : dominated)
      if (!are_neighbours(d, blocks)) return false;
    return true;
  };
  const std::vector<block_id> mine = listed(dominance_compact_order(at.graph));
  if (compact(mine)) return;
  std::vector<block_id> other(mine);
  std::sort(other.begin(), other.end());
  do {
    std::vector<std::uint32_t> ranks(g.n, 0);
    for (std::size_t i = 0; i < other.size(); ++i) ranks[other[i]] = static_cast<std::uint32_t>(i);
    if (topological_by_definition(g, nest, ranks) && contiguous_by_definition(nest, other) && compact(other))
      return report(at, show(mine) + " is not dominance-compact, " + show(other) + " is");
  } while (std::next_permutation(other.begin(), other.end()));
}

// --- exit distance ---------------------------------------------------------------------------------------------------

// The description word for word: trees as nested values, recursion, sets.
struct ocelot_order {
  struct node {
    block_id block = no_block;
    std::vector<node> children;
  };
  const csr_graph& graph;
  const small_graph g;
  std::vector<block_set> dominated;
  std::vector<block_id> rpo, position;
  node root;
  block_set in_tree = 0, waiting = 0;
  std::vector<block_id> numbered;

  explicit ocelot_order(const csr_graph& graph_) : graph(graph_), g(graph_), dominated(dominated_sets(g)) {
    rpo = recursive_search(g).rpo();
    if (g.n != 0) walk_dominators(g.entry);
    grow(no_block);
    number(root);
  }
  std::vector<block_id> order() const {
    std::vector<block_id> all(numbered.rbegin(), numbered.rend());
    for (const block_id b : rpo)
      if (std::find(all.begin(), all.end(), b) == all.end()) all.push_back(b);
    return all;
  }

 private:
  void walk_dominators(block_id b) {
    position.push_back(b);
    for (const block_id c : rpo)
      if (immediate(dominated, c) == b) walk_dominators(c);
  }
  std::vector<block_id> sources(block_id b) const {
    std::vector<block_id> found;
    if (b == no_block) {
      for (block_id e = 0; e < g.n; ++e)
        if (has(g.exits, e)) found.push_back(e);
    } else {
      for (const block_id p : graph.predecessors(b))
        if (has(g.reachable, p)) found.push_back(p);
    }
    return found;
  }
  // The chain of nodes from the root to a block; empty if it is in no tree.
  static bool path_to(node& from, block_id b, std::vector<node*>& path) {
    path.push_back(&from);
    if (from.block == b) return true;
    for (node& c : from.children)
      if (path_to(c, b, path)) return true;
    path.pop_back();
    return false;
  }
  std::vector<node*> path(block_id b) {
    std::vector<node*> p;
    path_to(root, b, p);
    return p;
  }
  void grow(block_id b) {
    for (const block_id p : sources(b)) {
      if (!has(in_tree, p)) {
        in_tree |= only(p);
        path(b).back()->children.push_back({p, {}});
        grow(p);
        continue;
      }
      const std::vector<node*> here = path(b), there = path(p);
      if (there.size() > here.size() || std::find(here.begin(), here.end(), there.back()) != here.end()) continue;
      const node moved = *there.back();
      std::vector<node>& family = there[there.size() - 2]->children;
      for (std::size_t i = 0; i < family.size(); ++i)
        if (family[i].block == p) {
          family.erase(family.begin() + static_cast<std::ptrdiff_t>(i));
          break;
        }
      path(b).back()->children.push_back(moved);
    }
  }
  void number(const node& at) {
    if (at.block != no_block)
      for (auto u = position.rbegin(); u != position.rend(); ++u)
        if (*u != at.block && has(dominated[at.block], *u) && has(waiting, *u)) take(*u);
    if (at.block != no_block) numbered.push_back(at.block);
    std::vector<const node*> children;
    for (const node& c : at.children) {
      const bool branch = g.slots[c.block].size() > 1;
      const bool falls =
          at.block != no_block && g.slots[c.block].back() == at.block && (branch || at.block == c.block + 1);
      children.insert(falls ? children.begin() : children.end(), &c);
      waiting |= only(c.block);
    }
    for (const node* c : children)
      if (has(waiting, c->block)) take(c->block);
  }
  void take(block_id b) {
    waiting &= ~only(b);
    number(*path(b).back());
  }
};

void check_exit_distance(const subject& at) {
  const small_graph g(at.graph);
  const auto order = exit_distance_order(at.graph);
  if (!is_permutation_with_reachable_first(g, order))
    return report(at, "no permutation with the reachable blocks first");
  const std::vector<block_id> expected = ocelot_order(at.graph).order();
  if (listed(order) != expected) report(at, "exit distance: " + show(listed(order)) + ", expected " + show(expected));
}

// --- barriers --------------------------------------------------------------------------------------------------------

// A block from outside the loop lies between two of its blocks that were not moved.
bool is_interrupted(block_set loop, block_set moved, const std::vector<block_id>& order) {
  block_set to_come = loop & ~moved;
  const block_set all = to_come;
  for (const block_id b : order) {
    to_come &= ~only(b);
    if (to_come != all && to_come != 0 && !has(loop, b)) return true;
  }
  return false;
}

std::vector<unsigned char> flags_of(block_set s, std::uint32_t n) {
  std::vector<unsigned char> flags;
  for (block_id b = 0; b < n; ++b) flags.push_back(has(s, b) ? 1 : 0);
  return flags;
}

// above[x]: the blocks that must be above the barrier x.
std::vector<block_set> must_be_above(const small_graph& g, block_set barriers, barrier_rule rule) {
  std::vector<block_set> above(g.n, 0);
  for (block_id x = 0; x < g.n; ++x) {
    if (!has(g.reachable & barriers, x)) continue;
    for (block_set s = g.reachable & ~only(x); s != 0; s &= s - 1) {
      const block_id b = lowest(s);
      const block_set free = g.reach(only(b), ~barriers);  // empty for a barrier
      block_set next = 0;
      for (block_set f = free; f != 0; f &= f - 1) next |= g.out[lowest(f)];
      const bool all = rule == barrier_rule::below_all && !has(barriers, b);
      const bool source = rule == barrier_rule::below_sources && has(next, x);
      const bool reaches = rule == barrier_rule::below_reaching && has(g.reach(only(b)), x);
      if (all || source || reaches) above[x] |= only(b);
    }
  }
  return above;
}

void check_barriers(const subject& at, block_set barriers) {
  const small_graph g(at.graph);
  const std::vector<expected_loop> nest = expected_loops(g, recursive_search(g).rpo());
  const std::vector<unsigned char> flags = flags_of(barriers, g.n);
  const auto plain = loop_contiguous_order(at.graph);
  const std::vector<block_id> before = listed(plain);
  for (const barrier_rule rule : {barrier_rule::below_all, barrier_rule::below_sources, barrier_rule::below_reaching}) {
    const auto order = barrier_aware_order(at.graph, std::span<const unsigned char>(flags), rule);
    const std::vector<block_id> blocks = listed(order);
    const std::string what = "rule " + std::to_string(static_cast<int>(rule)) + ", barriers " + show(barriers) + ": " +
                             show(blocks) + " from " + show(before);
    if (!is_permutation_with_reachable_first(g, order)) return report(at, "no permutation: " + what);
    const std::vector<block_set> above = must_be_above(g, barriers, rule);
    bool was_met = true;
    std::vector<barrier_pair> cyclic;
    for (block_id x = 0; x < g.n; ++x)
      for (block_set s = above[x]; s != 0; s &= s - 1) {
        const block_id b = lowest(s);
        if (has(above[b], x)) {
          if (rule != barrier_rule::below_reaching) return report(at, "unsatisfiable: " + what);
          if (x < b) cyclic.push_back({x, b});
          continue;
        }
        if (order.rank(b) > order.rank(x)) return report(at, std::to_string(b) + " is below a barrier, " + what);
        was_met = was_met && plain.rank(b) < plain.rank(x);
      }
    std::vector<barrier_pair> pairs = unsatisfiable_barrier_pairs(at.graph, std::span<const unsigned char>(flags));
    for (barrier_pair& p : pairs)
      if (p.first > p.second) std::swap(p.first, p.second);
    std::sort(pairs.begin(), pairs.end(), [](const barrier_pair& a, const barrier_pair& b) {
      return a.first != b.first ? a.first < b.first : a.second < b.second;
    });
    if (rule == barrier_rule::below_reaching && pairs != cyclic) return report(at, "cyclic pairs, " + what);

    // The check, on this order and on another.
    for (const auto* tested : {&order, &plain}) {
      const barrier_check found = respects_barriers(at.graph, *tested, std::span<const unsigned char>(flags), rule);
      block_id broken = no_block;
      for (const block_id x : tested->blocks())
        for (block_set s = above[x]; s != 0 && broken == no_block; s &= s - 1)
          if (tested->rank(lowest(s)) > tested->rank(x)) broken = x;
      if (found.barrier != broken) return report(at, "the first broken barrier, " + what);
      if (broken != no_block && (!has(above[broken], found.block) || tested->rank(found.block) < tested->rank(broken)))
        return report(at, "the block below a barrier, " + what);
    }

    // The rest of the loop-contiguous order.
    if (rule != barrier_rule::below_all && was_met && blocks != before) return report(at, "moved for nothing: " + what);
    std::vector<block_id> old_rest, new_rest;
    for (const block_id b : before)
      if (!has(barriers, b)) old_rest.push_back(b);
    for (const block_id b : blocks)
      if (!has(barriers, b)) new_rest.push_back(b);
    if (old_rest != new_rest) return report(at, "blocks without a barrier were moved: " + what);
    if (rule == barrier_rule::below_all) continue;
    block_set moved = 0;
    for (const block_id x : blocks) {
      if (!has(barriers, x)) continue;
      for (const block_id b : blocks)
        if (plain.rank(b) > plain.rank(x) && order.rank(b) < order.rank(x)) moved |= only(x);
    }
    for (const expected_loop& l : nest)
      if (is_interrupted(l.blocks, moved, blocks)) return report(at, "a loop is interrupted: " + what);
  }
}

constexpr bool constant_expression() {
  const csr_graph g = testing::while_loop();  // header 1, body 2, exit 3
  const auto plain = reverse_post_order(g);
  const auto contiguous = loop_contiguous_order(g);
  const std::array<unsigned char, 4> barriers{0, 1, 0, 0};
  const auto aware = barrier_aware_order(g, std::span<const unsigned char>(barriers), barrier_rule::below_sources);
  return plain.rank(3) == 2 && contiguous.rank(3) == 3 && contiguous.rank(2) == 2 && post_order(g).rank(0) == 3 &&
         dominance_compact_order(g).rank(2) == 2 && exit_distance_order(g).rank(3) == 3 && aware.rank(1) == 2 &&
         static_cast<bool>(is_topological(g, contiguous)) && !is_loop_contiguous(g, plain) &&
         static_cast<bool>(is_dominance_compact(g, contiguous)) &&
         static_cast<bool>(has_predecessors_above(g, contiguous));
}
static_assert(constant_expression());

}  // namespace

TEST_CASE("priorities: all graphs of up to four blocks: topological, loop-contiguous, RPO within loops") {
  for_each_small(check_orders);
}

TEST_CASE("priorities: shapes and random graphs: topological, loop-contiguous, RPO within loops") {
  for_each_shape(check_orders);
  for_each_random(3000, 14, check_orders);
}

TEST_CASE("priorities: the exit of a loop follows its body") {
  const csr_graph g = testing::while_loop();  // 0 -> 1 -> {2, 3}, 2 -> 1
  const auto plain = reverse_post_order(g), contiguous = loop_contiguous_order(g);
  CHECK(show({plain.blocks().begin(), plain.blocks().end()}) == "(0 1 3 2)");
  CHECK(show({contiguous.blocks().begin(), contiguous.blocks().end()}) == "(0 1 2 3)");
}

TEST_CASE("priorities: unreachable blocks come last, by id") {
  const csr_graph g = testing::adjacency({{3}, {}, {3}, {1}, {}});
  const auto order = reverse_post_order(g);
  const std::vector<std::uint32_t> ranks(order.ranks().begin(), order.ranks().end());
  CHECK(ranks == std::vector<std::uint32_t>{0, 2, 3, 1, 4});
}

TEST_CASE("priorities: a caller's own order is checked") {
  const csr_graph g = testing::adjacency({{3}, {}, {3}, {1}, {}});
  const std::vector<block_id> good{3, 0, 1}, with_unreachable{4, 1, 3, 0}, missing{0, 1}, twice{0, 1, 3, 1},
      beyond{0, 1, 3, 5};
  const auto order = checked_order(g, std::span<const block_id>(good));
  REQUIRE(order.has_value());
  CHECK(order->rank(3) == 0);
  CHECK(order->rank(2) == 3);
  const auto longer = checked_order(g, std::span<const block_id>(with_unreachable));
  REQUIRE(longer.has_value());
  CHECK(longer->rank(4) == 0);
  CHECK(longer->rank(2) == 4);
  CHECK_FALSE(checked_order(g, std::span<const block_id>(missing)).has_value());
  CHECK_FALSE(checked_order(g, std::span<const block_id>(twice)).has_value());
  CHECK_FALSE(checked_order(g, std::span<const block_id>(beyond)).has_value());
  const csr_graph nothing;
  CHECK(checked_order(nothing, std::span<const block_id>()).has_value());
}

TEST_CASE("priorities: speak the vertices of any graph") {
  const std::vector<std::vector<int>> g{{1}, {2, 3}, {1}, {}};
  const auto order = loop_contiguous_order(g);
  CHECK(order.blocks()[2] == 2);
  CHECK(order.rank(3) == 3);
  CHECK(reverse_post_order(g).rank(3) == 2);
}

TEST_CASE("priorities: deep nests and long chains") {
  const csr_graph deep = nest(200'000);
  const auto order = loop_contiguous_order(deep);
  CHECK(order.rank(0) == 0);
  CHECK(order.rank(199'999) == 199'999);
  CHECK(order.rank(400'000) == 400'000);
  CHECK(loop_contiguous_order(chain(1'000'000)).rank(999'999) == 999'999);
}

TEST_CASE("priorities: post-order is the reverse of RPO, and everything is a permutation") {
  const auto check = [](const subject& at) {
    const small_graph g(at.graph);
    const auto post = post_order(at.graph);
    if (!is_permutation_with_reachable_first(g, post) || listed(post) != recursive_search(g).post)
      report(at, "post-order");
  };
  for_each_shape(check);
  for_each_random(500, 14, check);
}

TEST_CASE("priorities: dominance-compact order on all graphs of up to four blocks") { for_each_small(check_compact); }

TEST_CASE("priorities: dominance-compact order on shapes and random graphs") {
  for_each_shape(check_compact);
  for_each_random(6000, 14, check_compact);
}

TEST_CASE("priorities: dominance-compact order is compact wherever any order is") {
  for_each_small(check_compact_if_possible);
  for_each_shape(check_compact_if_possible);
  for_each_random(4000, 7, check_compact_if_possible);
}

TEST_CASE("priorities: dominance-compact order of a loop with several exits") {
  // 1 -> 2 -> 3 -> 1; 1 leaves to 4, 2 to 5, 3 to 6: 3 dominates 6 only if what follows the loop begins with it.
  const csr_graph g = testing::adjacency({{1}, {2, 4}, {3, 5}, {1, 6}, {7}, {7}, {7}, {}});
  const auto order = dominance_compact_order(g);
  CHECK(show(listed(order)) == "(0 1 2 3 6 5 4 7)");
  CHECK(static_cast<bool>(is_dominance_compact(g, order)));
  CHECK_FALSE(static_cast<bool>(is_dominance_compact(g, loop_contiguous_order(g))));
  // The one that no order can serve: both ends of the loop dominate an exit.
  const csr_graph forked = testing::adjacency({{1, 2}, {0, 3}, {0, 4}, {}, {}});
  const compactness_check flaw = is_dominance_compact(forked, dominance_compact_order(forked));
  CHECK_FALSE(static_cast<bool>(flaw));
  CHECK((flaw.dominator == 1 || flaw.dominator == 2));
}

TEST_CASE("priorities: frontiers on dominance-compact orders are exact") {
  for_each_random(1500, 9, [](const subject& at) {
    const small_graph g(at.graph);
    const auto order = dominance_compact_order(at.graph);
    const auto sets = thread_frontiers(at.graph, order);
    const std::vector<block_set> exact = reachable_frontiers(g, order.ranks());
    for (block_id b = 0; b < g.n; ++b)
      if (to_set(sets.of(b)) != exact[b]) return report(at, "frontier of " + std::to_string(b));
  });
}

TEST_CASE("priorities: exit distance as described") {
  for_each_shape(check_exit_distance);
  for (std::uint64_t code = 0; code < testing::num_small_cfgs(3); ++code) {
    const csr_graph g = testing::small_cfg(3, code);
    check_exit_distance({"small_cfg", code, g});
  }
  for_each_random(3000, 14, check_exit_distance);
}

TEST_CASE("priorities: exit distance puts what reaches no exit last") {
  const csr_graph g = testing::adjacency({{1, 2}, {1}, {3}, {}});
  CHECK(show(listed(exit_distance_order(g))) == "(0 2 3 1)");
  const csr_graph endless = testing::adjacency({{1}, {0}});
  CHECK(show(listed(exit_distance_order(endless))) == "(0 1)");
}

TEST_CASE("priorities: the checks agree with the definitions") {
  const auto check = [](const subject& at) {
    check_the_checks(at, reverse_post_order(at.graph));
    check_the_checks(at, loop_contiguous_order(at.graph));
    check_the_checks(at, dominance_compact_order(at.graph));
    check_the_checks(at, exit_distance_order(at.graph));
    testing::rng random(at.seed + 77);
    check_the_checks(at, order_with(at.graph, random_ranks(static_cast<std::uint32_t>(at.graph.num_blocks()), random)));
  };
  for_each_shape(check);
  for (std::size_t n = 0; n <= 3; ++n)
    for (std::uint64_t code = 0; code < testing::num_small_cfgs(n); ++code) {
      const csr_graph g = testing::small_cfg(n, code);
      check({"small_cfg", code, g});
    }
  for_each_random(2000, 12, check);
}

TEST_CASE("priorities: in topological orders every block has a predecessor above it") {
  for_each_random(1000, 14, [](const subject& at) {
    if (!has_predecessors_above(at.graph, reverse_post_order(at.graph))) report(at, "RPO");
    if (!has_predecessors_above(at.graph, loop_contiguous_order(at.graph))) report(at, "loop-contiguous");
    if (!has_predecessors_above(at.graph, dominance_compact_order(at.graph))) report(at, "dominance-compact");
  });
  const csr_graph g = testing::diamond();
  const std::vector<block_id> upside_down{3, 2, 1, 0};
  const auto order = checked_order(g, std::span<const block_id>(upside_down));
  CHECK(has_predecessors_above(g, *order).block == 3);
  const topological_check flaw = is_topological(g, *order);
  CHECK(flaw.broken.from == 2);
  CHECK(flaw.broken.slot == 0);
}

TEST_CASE("priorities: barrier rules by their definition") {
  for (std::size_t n = 1; n <= 3; ++n)
    for (std::uint64_t code = 0; code < testing::num_small_cfgs(n); ++code) {
      const csr_graph g = testing::small_cfg(n, code);
      for (block_set barriers = 0; barriers < block_set{1} << n; ++barriers)
        check_barriers({"small_cfg", code, g}, barriers);
    }
  for_each_shape([](const subject& at) {
    for (block_set barriers = 0; barriers < 256; barriers += 5)
      if (at.graph.num_blocks() != 0) check_barriers(at, barriers & ((block_set{1} << at.graph.num_blocks()) - 1));
  });
  for_each_random(3000, 14, [](const subject& at) {
    testing::rng random(at.seed);
    check_barriers(at, static_cast<block_set>(random.next() & random.next() & ((1U << at.graph.num_blocks()) - 1)));
  });
}

TEST_CASE("priorities: barriers of a user's graph, and the paper's Figure 2") {
  // Figure 2 (a): the barrier in 3 before the join 4.
  const std::vector<std::vector<int>> g{{1, 2}, {3, 4}, {3, 4}, {4}, {}};
  const auto order = barrier_aware_order(g, [](int v) { return v == 3; });
  CHECK(order.rank(3) == 4);
  const auto near = barrier_aware_order(
      g, [](int v) { return v == 3; }, barrier_rule::below_sources);
  CHECK(near.rank(3) == 3);
  CHECK(near.rank(4) == 4);
  // Two barriers in one loop: neither order of them is below everything that reaches it.
  const csr_graph loop = testing::adjacency({{1}, {2}, {3, 1}, {}});
  const std::vector<unsigned char> both{0, 1, 1, 0};
  const auto pairs = unsatisfiable_barrier_pairs(loop, std::span<const unsigned char>(both));
  REQUIRE(pairs.size() == 1);
  CHECK(pairs[0] == barrier_pair{1, 2});
  CHECK(unsatisfiable_barrier_pairs(loop, {}).empty());
  CHECK(show(listed(barrier_aware_order(loop, std::span<const unsigned char>()))) == "(0 1 2 3)");
}

// Threads that all come to the same barriers, on graphs with side exits that no thread ever takes: the order is all
// that decides whether they arrive together.
TEST_CASE("priorities: no program with aligned barriers gets stuck under a barrier-aware order") {
  std::array<int, 5> stuck{};
  int programs = 0;
  for (std::uint64_t seed = 0; programs < 1000; ++seed) {
    testing::rng random(seed);
    testing::program_options options;
    options.statements = random.between(3, 12);
    options.barriers = true;
    options.uniform_percent = 60;
    testing::structured_program p = testing::random_structured_program(random, options);
    if (p.barriers.empty()) continue;
    ++programs;
    const testing::random_walks walks(p.graph, {.seed = seed}, std::span<const unsigned char>(p.uniform));
    // A copy with edges added from anywhere to anywhere after, and slots in random order.
    const std::size_t n = p.graph.num_blocks();
    csr_builder builder(n);
    for (block_id b = 0; b < n; ++b) {
      std::vector<block_id> out(p.graph.successors(b).begin(), p.graph.successors(b).end());
      if (!out.empty() && random.chance(40)) out.push_back(static_cast<block_id>(random.below(n)));
      random.shuffle(out);
      for (const block_id s : out) builder.add_edge(b, s);
    }
    const csr_graph g = builder.build();
    std::vector<unsigned char> flags(n, 0);
    for (const block_id b : p.barriers) flags[b] = 1;
    const std::span<const unsigned char> barriers(flags);
    const std::array<priority_order<csr_graph>, 5> orders{
        reverse_post_order(g), loop_contiguous_order(g), barrier_aware_order(g, barriers),
        barrier_aware_order(g, barriers, barrier_rule::below_sources),
        barrier_aware_order(g, barriers, barrier_rule::below_reaching)};
    for (std::size_t i = 0; i < orders.size(); ++i) {
      testing::walking_threads threads(walks, 32);
      callable_program program([&threads](std::uint32_t thread, block_id b) { return threads(thread, b); }, {},
                               barriers);
      executor<policies::thread_frontier> machine{policies::thread_frontier(orders[i].ranks())};
      const verdict v = machine.run(program, launch{.threads = 32, .warp_width = 32});
      if (v.how == outcome::barrier_deadlock) {
        ++stuck[i];
        if (i >= 2) report({"structured program with side edges", seed, g}, "stuck at a barrier");
      } else {
        CHECK(v.finished());
      }
    }
  }
  MESSAGE("stuck of 1000: RPO " << stuck[0] << ", loop-contiguous " << stuck[1] << ", barrier-aware " << stuck[2]
                                << ", " << stuck[3] << ", " << stuck[4]);
  CHECK(stuck[0] > 0);  // or the programs show nothing
  CHECK(stuck[2] + stuck[3] + stuck[4] == 0);
}

TEST_CASE("priorities: a maker used again gives the same orders") {
  dense::order_maker make;
  priority_order<csr_graph> again(csr_graph{}, {});
  std::vector<unsigned char> flags;
  const auto same = [&](const subject& at, std::span<const block_id> order, const priority_order<csr_graph>& b) {
    again.recompute(at.graph, order);
    const priority_order<csr_graph>& a = again;
    if (listed(a) != listed(b) || !std::equal(a.ranks().begin(), a.ranks().end(), b.ranks().begin(), b.ranks().end()))
      report(at, "a maker used again: " + show(listed(a)) + ", alone: " + show(listed(b)));
  };
  const auto check = [&](const subject& at) {
    const csr_graph& g = at.graph;
    flags.assign(g.num_blocks(), 0);
    for (std::size_t b = 0; b < flags.size(); ++b) flags[b] = (at.seed + b) % 3 == 0;
    const std::span<const unsigned char> barriers(flags);
    same(at, make.reverse_post_order(g), reverse_post_order(g));
    same(at, make.exit_distance(g), exit_distance_order(g));
    same(at, make.dominance_compact(g), dominance_compact_order(g));
    same(at, make.barrier_aware(g, barriers), barrier_aware_order(g, barriers));
    same(at, make.loop_contiguous(g), loop_contiguous_order(g));
    same(at, make.barrier_aware(g, barriers, barrier_rule::below_sources),
         barrier_aware_order(g, barriers, barrier_rule::below_sources));
    const loop_forest<csr_graph> forest(g);
    same(at, make.loop_contiguous(forest.ids()), loop_contiguous_order(g));
    CHECK(listed(loop_contiguous_order(g, forest)) == listed(loop_contiguous_order(g)));
    same(at, make.post_order(g), post_order(g));
  };
  for_each_shape(check);
  for_each_random(500, 14, check);
  const std::vector<std::vector<int>> mine{{1}, {2, 3}, {1}, {}};
  CHECK(loop_contiguous_order(mine).rank(3) == 3);
  CHECK(reverse_post_order(mine).rank(3) == 2);
  CHECK(loop_contiguous_order(mine, loops(mine)).rank(3) == 3);
}

// depth loops in one another; the innermost block leaves to every level: block depth is the innermost latch, then a
// landing block for each level, the innermost first, which goes back to the header of the level above it.
csr_graph exits_from_the_bottom(std::uint32_t depth) {
  csr_builder b(2 * depth + 2);
  for (block_id i = 0; i < depth; ++i) b.add_edge(i, i + 1);
  b.add_edge(depth, depth - 1);
  for (block_id level = 0; level < depth; ++level) b.add_edge(depth, depth + 1 + level);
  for (block_id level = 0; level + 1 < depth; ++level) b.add_edge(depth + 1 + level, depth - 2 - level);
  b.add_edge(2 * depth, 2 * depth + 1);
  return b.build();
}

TEST_CASE("priorities: large graphs, every order") {
  dense::order_maker make;
  for (const csr_graph& g : {chain(300'000), nest(100'000), ladder(100'000), exits_from_the_bottom(100'000)}) {
    std::vector<unsigned char> flags(g.num_blocks(), 0);
    for (std::size_t b = 0; b < flags.size(); b += 1000) flags[b] = 1;
    const auto forest = loops(g);
    const priority_order<csr_graph> compact(g, make.dominance_compact(g));
    CHECK(static_cast<bool>(is_topological(g, compact, forest)));
    CHECK(static_cast<bool>(is_loop_contiguous(g, compact, forest)));
    CHECK(compact.blocks().size() == g.num_blocks());
    const std::span<const unsigned char> barriers(flags);
    CHECK(static_cast<bool>(respects_barriers(g, barrier_aware_order(g, barriers), barriers)));
    for (const barrier_rule rule : {barrier_rule::below_sources})
      CHECK(static_cast<bool>(respects_barriers(g, barrier_aware_order(g, barriers, rule), barriers, rule)));
  }
  for (const csr_graph& g : {chain(3'000), nest(3'000), ladder(3'000), exits_from_the_bottom(3'000)})
    CHECK(make.exit_distance(g).size() == g.num_blocks());
}
