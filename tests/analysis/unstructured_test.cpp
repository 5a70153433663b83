// SPDX-License-Identifier: BSL-1.0
#include "analysis/oracles.hpp"
#include "analysis/structure_rules.hpp"
#include <simtflow/analysis/structure.hpp>
#include <simtflow/analysis/unstructured.hpp>
#include <simtflow/io/describe_structure.hpp>
#include <simtflow/testing/transform_shapes.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

using namespace simtflow_tests;

namespace {

// --- the definitions, on sets ----------------------------------------------------------------------------------------

// Dominance as it is explained to a beginner: on every path without repetition. Block n is the virtual exit.
struct walked_paths {
  std::uint32_t n;
  std::vector<block_set> out;
  std::vector<block_set> common;  // by block: the blocks on all paths to it

  void walk(block_id b, block_set seen) {
    seen |= only(b);
    common[b] &= seen;
    for (block_set s = out[b] & ~seen; s != 0; s &= s - 1) walk(lowest(s), seen);
  }
  walked_paths(std::vector<block_set> edges, block_id from)
      : n(static_cast<std::uint32_t>(edges.size())),
        out(static_cast<std::vector<block_set>&&>(edges)),
        common(n, ~block_set{0}) {
    walk(from, 0);
  }
};

struct definitions {
  small_graph g;
  block_id exit;
  block_set ends = 0;
  std::vector<block_set> out, in;  // of reachable blocks, the virtual exit among them
  std::vector<block_set> dominators, post_dominators;
  std::vector<expected_loop> loops;

  // Up to `enumerate` blocks paths are walked, for more there are too many of them: then blocks are removed.
  explicit definitions(const csr_graph& graph, std::uint32_t enumerate = 7) : g(graph), exit(g.n) {
    if (g.n == 0) return;
    const std::vector<block_id> rpo = recursive_search(g).rpo();
    ends = (g.exits | virtual_edges(g, rpo)) & g.reachable;
    loops = expected_loops(g, rpo);
    out.assign(g.n + 1, 0);
    in.assign(g.n + 1, 0);
    for (block_id b = 0; b < g.n; ++b) {
      if (!has(g.reachable, b)) continue;
      out[b] = g.out[b] | (has(ends, b) ? only(exit) : 0);
      for (block_set s = out[b]; s != 0; s &= s - 1) in[lowest(s)] |= only(b);
    }
    dominators.assign(g.n + 1, 0);
    post_dominators.assign(g.n + 1, 0);
    if (g.n <= enumerate) {
      dominators = walked_paths(out, g.entry).common;
      post_dominators = walked_paths(in, exit).common;
    } else {
      const std::vector<block_set> down = dominated_sets(g), up = post_dominated_sets(g, ends);
      for (block_id a = 0; a < g.n; ++a)
        for (block_id b = 0; b < g.n; ++b) {
          if (has(down[a], b)) dominators[b] |= only(a);
          if (has(up[a], b)) post_dominators[b] |= only(a);
        }
      for (block_id b = 0; b < g.n; ++b) post_dominators[b] |= only(exit);
    }
  }

  [[nodiscard]] unsigned char reasons(block_id u, block_id v) const {
    unsigned char why = 0;
    if (v != exit && !has(dominators[v], u) && !has(dominators[u], v) && !has(post_dominators[v], u) &&
        !has(post_dominators[u], v))
      why |= unstructured_reasons::crosses;
    for (const expected_loop& l : loops) {
      bool all_below_v = true, all_above_u = true;
      for (block_set rest = l.blocks; rest != 0; rest &= rest - 1) {
        all_below_v = all_below_v && v != exit && has(dominators[lowest(rest)], v);
        all_above_u = all_above_u && has(post_dominators[lowest(rest)], u);
      }
      const bool u_in = has(l.blocks, u), v_in = v != exit && has(l.blocks, v);
      if (v_in && !u_in && !all_below_v) why |= unstructured_reasons::enters_loop;
      if (u_in && !v_in && !all_above_u) why |= unstructured_reasons::leaves_loop;
    }
    return why;
  }

  // The bounds of s if it is closed: D (g.n if it is missing), then P (g.n is the virtual exit).
  [[nodiscard]] bool bounds(block_set s, block_id& d, block_id& p) const {
    block_set above = ~s & g.reachable, below = (~s & g.reachable) | only(exit), enter = 0, leave = 0;
    for (block_set rest = s; rest != 0; rest &= rest - 1) {
      const block_id b = lowest(rest);
      above &= dominators[b];
      below &= post_dominators[b];
      enter |= in[b] & ~s;
      leave |= out[b] & ~s;
    }
    d = p = exit;
    for (block_set rest = above; rest != 0; rest &= rest - 1)  // the one that all others dominate
      if ((above & ~dominators[lowest(rest)]) == 0) d = lowest(rest);
    for (block_set rest = below; rest != 0; rest &= rest - 1)
      if ((below & ~post_dominators[lowest(rest)]) == 0) p = lowest(rest);
    if (has(s, g.entry) != (d == exit)) return false;
    return (enter & ~(d == exit ? 0 : only(d))) == 0 && (leave & ~only(p)) == 0;
  }

  struct closed {
    block_set blocks = 0;
    block_id d = no_block, p = no_block;
  };
  // By trying all sets: the smallest closed one, which has to lie in all others.
  [[nodiscard]] closed closure(block_set seeds, std::string& wrong) const {
    closed best;
    block_set in_all = ~block_set{0};
    const block_set free = g.reachable & ~seeds;
    for (block_set more = free;; more = (more - 1) & free) {
      const block_set s = seeds | more;
      block_id d = no_block, p = no_block;
      if (s != 0 && bounds(s, d, p)) {
        in_all &= s;
        if (best.blocks == 0 || std::popcount(s) < std::popcount(best.blocks)) best = {s, d, p};
      }
      if (more == 0) break;
    }
    if (best.blocks != in_all) wrong = "no least closed set around " + show(seeds);
    return best;
  }
  [[nodiscard]] closed region(block_id u, block_id v, unsigned char why, std::string& wrong) const {
    if (why == unstructured_reasons::leaves_loop)
      if (const closed c = closure(only(u), wrong); c.p == v) return c;
    if (why == unstructured_reasons::enters_loop)
      if (const closed c = closure(only(v), wrong); c.d == u) return c;
    return closure(only(u) | (v == exit ? 0 : only(v)), wrong);
  }
  [[nodiscard]] std::string same(const closed& want, const closed_blocks& got) const {
    const auto name = [&](block_id b) { return b == no_block ? exit : b; };
    if (to_set(got.blocks) == want.blocks && name(got.dominator) == want.d && name(got.post_dominator) == want.p) {
      for (std::size_t i = 1; i < got.blocks.size(); ++i)
        if (got.blocks[i - 1] >= got.blocks[i]) return "blocks do not ascend";
      return "";
    }
    return "expected " + show(want.blocks) + " between " + std::to_string(want.d) + " and " + std::to_string(want.p) +
           ", got " + show(to_set(got.blocks)) + " between " + std::to_string(name(got.dominator)) + " and " +
           std::to_string(name(got.post_dominator));
  }
};

// g with every region but one in place of one block that D leads to and that leads to P.
csr_graph with_regions_as_blocks(const csr_graph& g, const unstructured_flow<csr_graph>& found,
                                 std::uint32_t but = no_unstructured_region) {
  const std::size_t n = g.num_blocks();
  const auto region = [&](block_id b) {
    const std::uint32_t r = found.region_of(b);
    return r == but ? no_unstructured_region : r;
  };
  const auto name = [&](block_id b) {
    const std::uint32_t r = region(b);
    return r == no_unstructured_region ? b : found.blocks(found.regions()[r])[0];
  };
  csr_builder builder(n, n == 0 ? 0 : name(g.entry()));
  for (block_id b = 0; b < n; ++b) {
    const std::uint32_t r = region(b);
    if (r == no_unstructured_region) {
      for (const block_id s : g.successors(b)) builder.add_edge(b, name(s));
      if (g.is_exit(b)) builder.mark_exit(b);
    } else if (b == name(b)) {
      const block_id p = found.regions()[r].post_dominator;
      if (p != no_block) builder.add_edge(b, name(p));
    }
  }
  return builder.build();
}

// The blocks that the reduction of a region leaves, by the rules in some order; blocks that are entered from outside
// and the exit stay.
block_set parts_left(const definitions& g, block_set region, testing::rng& random) {
  state s(g.g.n + 1, dead);
  block_set pinned = only(g.exit);
  for (block_set rest = region; rest != 0; rest &= rest - 1) {
    const block_id b = lowest(rest);
    s[b] = (g.out[b] & region) | ((g.out[b] & ~region) != 0 ? only(g.exit) : 0);
    if ((g.in[b] & ~region) != 0 || b == g.g.entry) pinned |= only(b);
  }
  s[g.exit] = 0;
  return left_of(s, pinned, random) & ~only(g.exit);
}

struct counts {
  std::size_t edges = 0, regions = 0, hidden = 0, nested = 0, unstructured = 0, without_edges = 0, parts = 0;
};

std::string list(std::span<const unstructured_edge> edges) {
  std::string text;
  for (const unstructured_edge& e : edges)
    text += " " + std::to_string(e.where.from) + "." + std::to_string(e.where.slot) + "(" + std::to_string(e.why.bits) +
            ")";
  return text;
}

void check(const subject& at, unstructured_flow<csr_graph>& made, counts& seen, std::uint32_t enumerate = 7) {
  const definitions should(at.graph, enumerate);
  const small_graph& g = should.g;
  made.recompute(at.graph);
  std::string wrong;
  std::vector<unstructured_edge> edges;
  for (block_id u = 0; u < g.n; ++u) {
    if (!has(g.reachable, u)) continue;
    std::uint32_t slot = 0;
    for (const block_id v : g.slots[u]) {
      if (const unsigned char why = should.reasons(u, v); why != 0) edges.push_back({{u, slot}, v, {why}});
      ++slot;
    }
    if (has(should.ends, u))
      if (const unsigned char why = should.reasons(u, should.exit); why != 0)
        edges.push_back({{u, slot}, no_block, {why}});
  }
  if (!(edges == std::vector<unstructured_edge>(made.edges().begin(), made.edges().end())))
    return report(at, "edges: expected" + list(edges) + ", got" + list(made.edges()));
  closed_blocks got;
  std::vector<definitions::closed> regions;
  for (const unstructured_edge& e : edges) {
    const block_id v = e.to == no_block ? should.exit : e.to;
    regions.push_back(should.region(e.where.from, v, e.why.bits, wrong));
    made.region(e, got);
    if (wrong.empty()) wrong = should.same(regions.back(), got);
    if (!wrong.empty())
      return report(at, "region of " + std::to_string(e.where.from) + " -> " + std::to_string(v) + ": " + wrong);
    for (const definitions::closed& other : regions) {
      const block_set both = other.blocks & regions.back().blocks;
      seen.nested += both != 0 && other.blocks != regions.back().blocks;
      if (both != 0 && both != other.blocks && both != regions.back().blocks)
        return report(at, "regions neither nest nor are disjoint: " + show(other.blocks) + show(regions.back().blocks));
    }
  }
  seen.edges += edges.size();
  // Closures of everything else.
  testing::rng random(at.seed);
  for (int i = 0; i < 3 && g.n != 0; ++i) {
    const block_set seeds =
        static_cast<block_set>(random.next()) & ((block_set{1} << g.n) - 1) & static_cast<block_set>(random.next());
    std::vector<block_id> list;
    for (block_set rest = seeds; rest != 0; rest &= rest - 1) list.push_back(lowest(rest));
    random.shuffle(list);
    made.closure(list, got);
    if ((seeds & g.reachable) == 0) {
      if (!got.blocks.empty()) return report(at, "closure of nothing");
      continue;
    }
    wrong = should.same(should.closure(seeds & g.reachable, wrong), got);
    if (!wrong.empty()) return report(at, "closure of " + show(seeds) + ": " + wrong);
  }
  // Outermost regions.
  const bool structured = is_structured(at.graph);
  seen.unstructured += !structured;
  seen.without_edges += !structured && edges.empty();
  if (structured && !edges.empty()) return report(at, "unstructured edges of a structured graph");
  if (structured != made.is_structured()) return report(at, "is_structured");
  block_set covered = 0;
  std::uint32_t before = ~0U;
  for (const unstructured_region& r : made.regions()) {
    const block_set s = to_set(made.blocks(r));
    if ((s & covered) != 0) return report(at, "outermost regions overlap");
    covered |= s;
    if (r.size > before || r.size != made.blocks(r).size()) return report(at, "sizes");
    before = r.size;
    block_id d = no_block, p = no_block;
    if (!should.bounds(s, d, p) || d != (r.dominator == no_block ? should.exit : r.dominator) ||
        p != (r.post_dominator == no_block ? should.exit : r.post_dominator))
      return report(at, "a region that is not closed: " + show(s));
    ++seen.regions;
    seen.hidden += r.hidden;
    const std::uint32_t place = static_cast<std::uint32_t>(&r - made.regions().data());
    if (is_structured(with_regions_as_blocks(at.graph, made, place)))
      return report(at, "a region without need: " + show(s));
    block_set heads = 0;
    for (block_set rest = s; rest != 0; rest &= rest - 1) {
      const block_id b = lowest(rest), head = made.part_of(b).value_or(no_block);
      if (made.region_of(b) != place) return report(at, "region_of a block");
      if (head == no_block || !has(s, head)) return report(at, "part_of");
      heads |= only(head);
    }
    if (heads != parts_left(should, s, random) || r.parts != static_cast<std::uint32_t>(std::popcount(heads)))
      return report(at, "parts " + show(heads));
    for (block_set rest = heads; rest != 0; rest &= rest - 1) {
      const block_id head = lowest(rest);
      block_set part = 0, sources = 0, targets = 0;
      for (block_set other = s; other != 0; other &= other - 1)
        if (made.part_of(lowest(other)) == head) part |= only(lowest(other));
      seen.parts += std::popcount(part) > 1;
      for (block_set other = part; other != 0; other &= other - 1) {
        const block_id b = lowest(other);
        if (b != head && ((should.in[b] & ~part) != 0 || b == g.entry)) return report(at, "a part is entered twice");
        if ((should.out[b] & ~part) != 0) sources |= only(b);
        targets |= should.out[b] & ~part;
      }
      if (std::popcount(sources) > 1 && std::popcount(targets) > 1)
        return report(at, "a part " + show(part) + " is left twice");
    }
    std::uint32_t own = 0, outermost = 0;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if ((regions[i].blocks & ~s) == 0) {
        ++own;
        if (&made.regions()[made.region_of(edges[i])] != &r) return report(at, "region_of an edge");
        if (regions[i].blocks == s) ++outermost;
      }
    }
    if (own != r.edges) return report(at, "edges of a region");
    if (!r.hidden && outermost == 0) return report(at, "a region of no edge");
  }
  for (const definitions::closed& r : regions)
    if ((r.blocks & ~covered) != 0) return report(at, "an edge without region");
  for (block_id b = 0; b < g.n; ++b)
    if (!has(covered, b) && (made.region_of(b) != no_unstructured_region || made.part_of(b)))
      return report(at, "a block outside all regions");
  if (!is_structured(with_regions_as_blocks(at.graph, made))) return report(at, "the regions do not explain it all");
}

constexpr bool constant_expression() {
  unstructured_flow<csr_graph> found(testing::short_circuit());
  closed_blocks c;
  const block_id of[] = {3};
  found.closure(of, c);
  return found.edges().size() == 2 && found.regions().size() == 1 && found.regions()[0].size == 4 &&
         c.blocks.size() == 1 && c.dominator == 2 && c.post_dominator == 5 && unstructured_edges(csr_graph{}).empty();
}
static_assert(constant_expression());

}  // namespace

TEST_CASE("unstructured: all graphs of up to four blocks against the definitions") {
  unstructured_flow<csr_graph> made{csr_graph{}};
  counts seen;
  for_each_small([&](const subject& at) { check(at, made, seen); });
#if SIMTFLOW_EXHAUSTIVE_STRIDE == 1
  // A fifth of the unstructured graphs of this size has no unstructured edge.
  CHECK(seen.unstructured == 49'328);
  CHECK(seen.without_edges == 10'480);
#endif
  CHECK(seen.edges > 1000);
  CHECK(seen.hidden > 500);
}

TEST_CASE("unstructured: shapes, random graphs, marked exits against the definitions") {
  unstructured_flow<csr_graph> made{csr_graph{}};
  counts seen;
  const auto look = [&](const subject& at) { check(at, made, seen); };
  for_each_shape(look);
  for (const testing::transform_shape& s : testing::transform_shapes) {
    const csr_graph g = s.make();
    look({s.name, 0, g});
  }
  for_each_small_with_exits(look);
  for_each_random(3000, 9, look);
  for_each_program_with_extra_edges(3000, 12, 4, look);
  CHECK(seen.nested > 300);
  CHECK(seen.hidden > 100);
  CHECK(seen.parts > 100);
}

namespace {

// Edges as pairs of the numbers in the paper's figures, which are transform_shape::calls; X is 0.
struct by_number {
  std::vector<std::vector<std::uint32_t>> edges;    // from, to, reasons
  std::vector<std::vector<std::uint32_t>> regions;  // D, P, blocks
};

by_number in_numbers(const char* name) {
  by_number all;
  for (const testing::transform_shape& s : testing::transform_shapes) {
    if (std::string(s.name) != name) continue;
    const csr_graph g = s.make();
    REQUIRE(s.calls.size() == g.num_blocks());
    const auto found = find_unstructured(g);
    for (const unstructured_edge& e : found.edges())
      all.edges.push_back({s.calls[e.where.from], s.calls[e.to], e.why.bits});
    for (const unstructured_region& r : found.regions()) {
      block_set blocks = 0;
      for (const block_id b : found.blocks(r)) blocks |= only(s.calls[b]);
      all.regions.push_back({s.calls[r.dominator], s.calls[r.post_dominator]});
      for (; blocks != 0; blocks &= blocks - 1) all.regions.back().push_back(lowest(blocks));
    }
  }
  return all;
}

}  // namespace

TEST_CASE("unstructured: the figures of the papers") {
  using lists = std::vector<std::vector<std::uint32_t>>;
  // Figure 1 of the linearization paper.
  CHECK(in_numbers("short_circuit").edges == lists{{2, 3, 1}, {2, 5, 1}, {3, 5, 1}});
  CHECK(in_numbers("short_circuit").regions == lists{{1, 6, 2, 3, 4, 5}});
  // Figure 5: out of a loop. Figure 6b: into a loop. Figures 6c and 6d: two entries; D is an end of both edges.
  CHECK(in_numbers("jump_out").edges == lists{{2, 5, 4}, {3, 6, 4}});
  CHECK(in_numbers("jump_in").edges == lists{{1, 5, 2}, {2, 3, 2}});
  CHECK(in_numbers("irreducible2").edges == lists{{1, 2, 2}, {1, 3, 2}});
  CHECK(in_numbers("irreducible2").regions == lists{{1, 0, 2, 3}});
  // Nothing is unstructured by definition 1, and yet a block is shared.
  CHECK(in_numbers("shared_tail").edges.empty());
  CHECK(in_numbers("shared_tail").regions == lists{{1, 0, 2, 3, 4, 5}});
  // An exit of a loop beside its ordinary one: the target of one leads on and does not reach the target of the other.
  CHECK(in_numbers("continue_outer").edges == lists{{2, 6, 4}, {3, 1, 4}});
  CHECK(in_numbers("continue_outer").regions == lists{{1, 1, 2, 3, 4, 5, 6}});
  CHECK(in_numbers("structured_nest").regions.empty());
}

TEST_CASE("unstructured: what dominance round a loop hides") {
  // while (true) { if (a) if (b) break; c; }: 1 is on every path to the exit, so it post-dominates the loop.
  const csr_graph latch = testing::adjacency({{1, 2}, {2, 3}, {0}, {}});
  const auto found = find_unstructured(latch);
  CHECK(found.edges().empty());
  REQUIRE(found.regions().size() == 1);
  CHECK(found.regions()[0].hidden);
  CHECK(to_set(found.blocks(found.regions()[0])) == 0b0111);
  CHECK(found.regions()[0].dominator == no_block);
  CHECK(is_structured(latch, {infinite_loops::virtual_edge, loop_breaks::to_one_block}));
}

TEST_CASE("unstructured: every hidden region by itself") {
  // Two shared tails in a row, one more in an arm of a branch around them: 0 {1 .. 5} {6 .. 10}, each r b c d X.
  const csr_graph g = testing::adjacency({{1, 11},
                                          {2, 3},  // r, b
                                          {6},     // r
                                          {4, 5},  // b: c, d
                                          {2},     // c
                                          {6},     // d
                                          {7, 8},
                                          {12},
                                          {9, 10},
                                          {7},
                                          {12},
                                          {12},
                                          {}});
  const auto found = find_unstructured(g);
  CHECK(found.edges().empty());
  REQUIRE(found.regions().size() == 2);
  CHECK(to_set(found.blocks(found.regions()[0])) == (only(2) | only(3) | only(4) | only(5)));
  CHECK(found.regions()[0].dominator == 1);
  CHECK(found.regions()[0].post_dominator == 6);
  CHECK(to_set(found.blocks(found.regions()[1])) == (only(7) | only(8) | only(9) | only(10)));
  // A shared tail that has another one inside: d of the outer is 5 {6, 7 {8, 9}}.
  const csr_graph nested = testing::adjacency({{1, 2}, {4}, {3, 5}, {1}, {}, {6, 7}, {10}, {8, 9}, {6}, {10}, {4}});
  const auto outer = find_unstructured(nested);
  REQUIRE(outer.regions().size() == 1);
  CHECK(outer.regions()[0].size == 9);
  CHECK(outer.regions()[0].hidden);
}

TEST_CASE("unstructured: larger graphs: the regions explain everything and none is without need") {
  unstructured_flow<csr_graph> found{csr_graph{}};
  std::size_t hidden = 0, several = 0;
  const auto look = [&](const subject& at) {
    found.recompute(at.graph);
    if (found.is_structured() != is_structured(at.graph)) return report(at, "is_structured");
    if (!is_structured(with_regions_as_blocks(at.graph, found))) return report(at, "the regions do not explain it all");
    for (std::uint32_t r = 0; r < found.regions().size(); ++r) {
      hidden += found.regions()[r].hidden;
      if (is_structured(with_regions_as_blocks(at.graph, found, r))) return report(at, "a region without need");
    }
    several += found.regions().size() > 1;
  };
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    testing::rng random(seed);
    testing::program_options options;
    options.statements = 5 + random.below(30);
    options.break_continue = random.chance(30);
    options.early_return = random.chance(20);
    const csr_graph program = testing::random_structured_program(random, options).graph;
    const std::size_t n = program.num_blocks();
    csr_builder builder(n);
    for (block_id b = 0; b < n; ++b)
      for (const block_id s : program.successors(b)) builder.add_edge(b, s);
    for (std::size_t extra = random.below(4); extra > 0; --extra) {
      const std::size_t from = random.below(n), near = from + random.below(9);  // short ones keep regions apart
      builder.add_edge(static_cast<block_id>(from), static_cast<block_id>(near < 4       ? 0
                                                                          : near - 4 < n ? near - 4
                                                                                         : n - 1));
    }
    const csr_graph g = builder.build();
    look({"structured program with short extra edges", seed, g});
  }
  for_each_random(2000, 60, look);
  CHECK(hidden > 100);
  CHECK(several > 100);
}

TEST_CASE("unstructured: a region may begin where the program does") {
  const csr_graph g = testing::adjacency({{1, 2}, {0, 3}, {3, 1}, {}});
  const auto found = find_unstructured(g);
  REQUIRE(found.regions().size() == 1);
  CHECK(found.regions()[0].dominator == no_block);
  CHECK(found.regions()[0].post_dominator == 3);
}

TEST_CASE("unstructured: a hundred thousand blocks") {
  unstructured_flow<csr_graph> found{csr_graph{}};
  found.recompute(ladder(60'000));
  REQUIRE(found.regions().size() == 1);
  CHECK(found.regions()[0].size == 120'000);
  CHECK(found.regions()[0].parts == 120'000);
  found.recompute(chain(300'000));
  CHECK(found.is_structured());
  found.recompute(nest(60'000));
  CHECK(found.is_structured());
  const std::uint32_t k = 20'000;
  {
    csr_builder b(6 * k + 1);  // shared tails in a row
    for (block_id i = 0; i < 6 * k; i += 6) {
      b.add_edge(i, i + 1).add_edge(i, i + 2).add_edge(i + 2, i + 3).add_edge(i + 2, i + 4).add_edge(i + 3, i + 1);
      b.add_edge(i + 4, i + 5).add_edge(i + 1, i + 5).add_edge(i + 5, i + 6);
    }
    found.recompute(b.build());
    CHECK(found.edges().empty());
    CHECK(found.regions().size() == k);
  }
  {
    csr_builder b(2 * k + 5);  // one shared tail under k conditions
    for (block_id i = 0; i < k; ++i) b.add_edge(i, i + 1).add_edge(i, k + 5 + i);
    b.add_edge(k, k + 1).add_edge(k, k + 2).add_edge(k + 2, k + 3).add_edge(k + 2, k + 4).add_edge(k + 3, k + 1);
    for (const block_id end : {k + 1, k + 4}) b.add_edge(end, 2 * k + 4);
    for (block_id i = 1; i < k; ++i) b.add_edge(k + 5 + i, k + 4 + i);
    const csr_graph g = b.build();
    found.recompute(g);
    REQUIRE(found.regions().size() == 1);
    CHECK(found.regions()[0].size == 4);
    CHECK(is_structured(with_regions_as_blocks(g, found)));
  }
  for (const bool inner_first : {false, true}) {  // k conditions of two parts in one another
    csr_builder b(4 * k + 1, inner_first ? 4 * k : 0);
    const auto name = [&](block_id x) { return inner_first ? 4 * k - x : x; };
    const auto connect = [&](block_id from, block_id to) { b.add_edge(name(from), name(to)); };
    for (block_id i = 0; i < k; ++i) {  // a, b, else, after; then is the next one
      const block_id a = 4 * i, then = a + 4;
      connect(a, a + 1);
      connect(a, a + 2);
      connect(a + 1, then);
      connect(a + 1, a + 2);
      connect(a + 2, a + 3);
      if (i > 0) connect(a + 3, a - 1);
    }
    connect(4 * k, 4 * k - 1);
    found.recompute(b.build());
    REQUIRE(found.regions().size() == 1);
    CHECK(found.regions()[0].size == 4 * k - 1);
    CHECK(found.edges().size() == k);
  }
  {
    csr_builder b(4 * k + 2);  // k cases, each falls into the next or leaves the switch; then k entries of one loop
    for (block_id i = 1; i < k; ++i) b.add_edge(0, i).add_edge(i, i + 1).add_edge(i, k + 1);
    b.add_edge(k, k + 1);
    for (block_id i = k + 2; i < 4 * k; ++i) b.add_edge(k + 1, i).add_edge(i, i + 1);
    b.add_edge(4 * k, k + 2).add_edge(4 * k, 4 * k + 1);
    found.recompute(b.build());
    REQUIRE(found.regions().size() == 2);
    CHECK(found.regions()[0].size == 3 * k - 1);
    CHECK(found.regions()[1].size == k);
  }
  testing::rng random(1);
  testing::cfg_options options;
  options.blocks = 50'000;
  options.reducible = false;
  found.recompute(testing::random_cfg(random, options));
  CHECK_FALSE(found.is_structured());
}

TEST_CASE("unstructured: speaks the vertices of any graph") {
  const std::vector<std::vector<int>> g{{1, 4}, {2, 4}, {3, 4}, {5}, {5}, {6}, {}, {5}};
  auto found = find_unstructured(g);
  REQUIRE(found.regions().size() == 1);
  std::vector<int> blocks;
  for (const int b : found.blocks(found.regions()[0])) blocks.push_back(b);
  CHECK(blocks == std::vector<int>{1, 2, 3, 4});
  CHECK(found.region_of(3) == 0);
  CHECK(found.region_of(0) == no_unstructured_region);
  CHECK(found.region_of(7) == no_unstructured_region);
  CHECK(found.part_of(2) == 2);
  CHECK_FALSE(found.part_of(5).has_value());
  CHECK(found.region_of(found.edges()[0]) == 0);
  closed_blocks c;
  found.region(found.edges()[1], c);
  CHECK(c.blocks == std::vector<block_id>{1, 2, 3, 4});
  CHECK(unstructured_edges(g).size() == 2);
}

TEST_CASE("unstructured: the report in words") {
  const csr_graph jump_out = testing::transform::jump_out();
  const auto name = [](block_id b) { return "B" + std::to_string(testing::transform::jump_out_calls[b]); };
  CHECK(describe(find_unstructured(jump_out), name) ==
        "unstructured: 2 unstructured edges, 1 region of 4 blocks\n"
        "region 1: 4 blocks between B1 and B6: B2 B5 B3 B4\n"
        "  B2 -> B5  out of a loop: leaves the loop at B2 (3 blocks), but B2 does not post-dominate all of it\n"
        "  B3 -> B6  out of a loop: leaves the loop at B2 (3 blocks), but B3 does not post-dominate all of it\n");
  CHECK(describe(find_unstructured(testing::two_entry_loop())) ==
        "unstructured: 2 unstructured edges, 1 region of 2 blocks\n"
        "region 1: 2 blocks between BB0 and BB3: BB1 BB2\n"
        "  BB0 -> BB1  into a loop: enters the loop at BB1 (2 blocks), but BB1 does not dominate all of it\n"
        "  BB0 -> BB2  into a loop: enters the loop at BB1 (2 blocks), but BB2 does not dominate all of it\n");
  CHECK(describe(find_unstructured(testing::switch_parallel())) ==
        "unstructured: 0 unstructured edges, 1 region of 3 blocks\n"
        "region 1: 3 blocks between BB0 and BB4: BB1 BB2 BB3\n"
        "  no edge of it is unstructured, but its ways share blocks and do not reduce\n");
  CHECK(describe(find_unstructured(testing::diamond())) == "structured\n");
  const std::string ladder_of_50 = describe(find_unstructured(ladder(50)));
  CHECK(ladder_of_50.find("BB16 and 84 more\n") != std::string::npos);
  CHECK(ladder_of_50.find("  and 180 more\n") != std::string::npos);
  CHECK(describe(unstructured_reasons{7}) == "crossing, into a loop, out of a loop");
  // A return from within a loop.
  const csr_graph returns =
      csr_builder(4).add_edge(0, 1).add_edge(1, 2).add_edge(1, 3).add_edge(2, 1).mark_exit(2).build();
  CHECK(describe(find_unstructured(returns)).find("BB2 -> end  out of a loop") != std::string::npos);
}
