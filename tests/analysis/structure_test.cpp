// SPDX-License-Identifier: BSL-1.0
#include "analysis/oracles.hpp"
#include "analysis/structure_rules.hpp"
#include "support/gz.hpp"
#include <simtflow/analysis/structure.hpp>
#include <simtflow/io/graph_text.hpp>

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

using namespace simtflow_tests;

namespace {

// Edges that leave a loop with one entry lead to one node, unless they leave loops around it too; other edges are moved
// there. Then it is moved: the loop's header is split in two, one that is entered and leaves, and after it all the rest
// of it, a node of its own.
void move_breaks(state& s, const small_graph& g) {
  const std::vector<expected_loop> loops = expected_loops(g, recursive_search(g).rpo());
  const state before = s;
  std::vector<bool> moved;
  for (const expected_loop& l : loops) {
    block_set targets = 0;
    bool others_move = true;
    for (block_set rest = l.blocks; rest != 0; rest &= rest - 1)
      for (block_set out = before[lowest(rest)] & ~l.blocks; out != 0; out &= out - 1) {
        bool around = false;
        for (std::size_t i = 0; i < moved.size() && !around; ++i) {
          around = loops[i].depth < l.depth && has(loops[i].blocks, lowest(rest)) && !has(loops[i].blocks, lowest(out));
          if (around) others_move = others_move && moved[i];  // the first is the outermost
        }
        if (!around) targets |= only(lowest(out));
      }
    moved.push_back(std::popcount(l.entries) == 1 && std::popcount(targets) == 1 && others_move);
    if (!moved.back()) continue;
    for (block_set rest = l.blocks; rest != 0; rest &= rest - 1) s[lowest(rest)] &= l.blocks;
    s.push_back(s[l.header]);
    s[l.header] = targets | only(static_cast<block_id>(s.size() - 1));
  }
}

void check_structure(const subject& at, structural_reduction<csr_graph>& made, infinite_loops endless,
                     loop_breaks breaks = loop_breaks::unstructured) {
  const small_graph g(at.graph);
  testing::rng random(at.seed);
  made.recompute(at.graph, {endless, breaks});
  state start = start_of(g, endless);
  if (breaks == loop_breaks::to_one_block) move_breaks(start, g);
  const block_set nodes = only(g.n + 1) - 1;
  const block_set left = g.n == 0 ? 0 : left_of(start, only(g.entry), random) & nodes;
  const block_set got = to_set(made.heads()) | (made.exit_left() ? only(g.n) : 0);
  // The block that is entered gives a node its name, whatever the order.
  if (got != left) return report(at, "nodes left: expected " + show(left) + ", got " + show(got));
  if (made.residue() != static_cast<std::size_t>(std::popcount(left))) return report(at, "residue");
  if (made.is_structured() != (std::popcount(left) <= 1)) return report(at, "is_structured");
  for (block_id b = 0; b < g.n; ++b) {
    const block_id head = made.head_of(b).value_or(no_block);
    if ((head != no_block) != has(g.reachable, b)) return report(at, "node of " + std::to_string(b));
    if (head == no_block) continue;
    if (!has(left, head)) return report(at, "node of " + std::to_string(b) + " is not left");
    // A node is entered at its head only: without it no block of the node is reached.
    if (b != head && head != g.entry && has(g.reach(only(g.entry), ~only(head)), b))
      return report(at, "node of " + std::to_string(b) + " is entered elsewhere");
    if (b != head && b == g.entry) return report(at, "the entry is a head");
  }
}

constexpr bool constant_expression() {
  return is_structured(testing::two_diamonds()) && structural_residue(testing::short_circuit()) == 6 &&
         is_structured(csr_graph{});
}
static_assert(constant_expression());

// g with block x replaced by `part`, which has one exit: edges into x go to the part's entry, edges out of x leave from
// its exit.
csr_graph replaced(const csr_graph& g, block_id x, const csr_graph& part) {
  const std::size_t n = g.num_blocks();
  const auto name = [&](block_id b) { return static_cast<block_id>(b == part.entry() ? x : n + b); };
  csr_builder builder(n + part.num_blocks(), g.entry());
  for (block_id b = 0; b < n; ++b)
    if (b != x)
      for (const block_id s : g.successors(b)) builder.add_edge(b, s);
  for (block_id b = 0; b < part.num_blocks(); ++b) {
    for (const block_id s : part.successors(b)) builder.add_edge(name(b), name(s));
    if (part.successors(b).empty())
      for (const block_id s : g.successors(x)) builder.add_edge(name(b), s);
  }
  return builder.build();
}

}  // namespace

TEST_CASE("structure: all graphs of up to four blocks against the rules in some order") {
  structural_reduction<csr_graph> made{csr_graph{}};
  for_each_small([&](const subject& at) { check_structure(at, made, infinite_loops::virtual_edge); });
}

TEST_CASE("structure: breaks to one block, all graphs of up to four blocks against the rules in some order") {
  structural_reduction<csr_graph> made{csr_graph{}};
  std::size_t plain = 0, with_breaks = 0;
  for_each_small([&](const subject& at) {
    check_structure(at, made, infinite_loops::virtual_edge, loop_breaks::to_one_block);
    const bool broken = made.is_structured(), strict = is_structured(at.graph);
    if (strict && !broken) report(at, "structured, but not with breaks");
    plain += strict;
    with_breaks += broken;
  });
  CHECK(with_breaks > plain);
}

TEST_CASE("structure: shapes, random graphs, marked exits, endless loops against the rules in some order") {
  structural_reduction<csr_graph> made{csr_graph{}};
  const auto both = [&](const subject& at) {
    for (const loop_breaks breaks : {loop_breaks::unstructured, loop_breaks::to_one_block}) {
      check_structure(at, made, infinite_loops::virtual_edge, breaks);
      check_structure(at, made, infinite_loops::ignore, breaks);
    }
  };
  for_each_shape(both);
  for_each_small_with_exits(both);
  for_each_random(1500, 12, both);
  std::size_t half_reduced = 0;  // the interesting ones: something is reduced, something is left
  for_each_program_with_extra_edges(3000, 14, 3, [&](const subject& at) {
    both(at);
    half_reduced += made.residue() > 1 && made.residue() < at.graph.num_blocks();
  });
  CHECK(half_reduced > 300);
}

TEST_CASE("structure: branches of many arms against the rules in some order") {
  structural_reduction<csr_graph> made{csr_graph{}};
  std::size_t structured = 0;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    // A header 0, a switch 1 -> {2, ..., k + 1}; arms go to one of two joins, back to the header or to the switch, or
    // through a loop of their own. The numbers of the blocks, so the order of the work, are shuffled.
    testing::rng random(seed);
    const std::uint32_t k = static_cast<std::uint32_t>(random.between(2, 6)), join = 2 * k + 2;
    const unsigned other = random.chance(40) ? 0 : 25, back = random.chance(50) ? 0 : 40;
    std::vector<block_id> name;
    for (block_id x = 0; x < join + 2; ++x) name.push_back(x);
    if (random.chance(70)) random.shuffle(name);
    csr_builder b(join + 2, name[0]);
    const auto connect = [&](block_id from, block_id to) { b.add_edge(name[from], name[to]); };
    connect(0, 1);
    for (block_id t = 2; t < k + 2; ++t) {
      connect(1, t);
      const auto next = [&]() -> block_id {
        if (random.chance(back)) return random.chance(70) ? 0 : 1;
        return random.chance(other) ? join + 1 : join;
      };
      if (random.chance(30)) {
        connect(t, k + t);
        if (random.chance(50)) connect(k + t, random.chance(90) ? k + t : t);
        if (random.chance(10)) connect(k + t, t);
        connect(k + t, next());
      } else {
        connect(t, next());
      }
    }
    if (random.chance(20)) connect(1, random.chance(other) ? join + 1 : join);
    if (random.chance(20)) connect(join, random.chance(50) ? 0U : join);
    connect(join, join + 1);
    const csr_graph g = b.build();
    check_structure({"switch", seed, g}, made, infinite_loops::virtual_edge);
    structured += made.is_structured();
  }
  CHECK(structured > 1000);
  CHECK(structured < 5000);
}

TEST_CASE("structure: no order of the rules leaves anything else") {
  const auto every_order = [](const subject& at) {
    const small_graph g(at.graph);
    if (g.n == 0) return;
    std::set<state> seen;
    std::set<block_set> ends;
    std::vector<state> work{start_of(g, infinite_loops::virtual_edge)};
    while (!work.empty()) {
      const state s = work.back();
      work.pop_back();
      if (!seen.insert(s).second) continue;
      const std::vector<state> next = steps(s, only(g.entry));
      if (next.empty()) ends.insert(alive(s));
      work.insert(work.end(), next.begin(), next.end());
    }
    if (ends.size() != 1) report(at, "the order of the rules matters");
  };
  for (std::size_t n = 1; n <= 3; ++n)
    for (std::uint64_t code = 0; code < testing::num_small_cfgs(n); ++code) {
      const csr_graph g = testing::small_cfg(n, code);
      every_order({"small_cfg", code, g});
    }
  for (std::uint64_t code = 0; code < testing::num_small_cfgs(4); code += 97) {
    const csr_graph g = testing::small_cfg(4, code);
    every_order({"small_cfg", code, g});
  }
  for_each_shape(every_order);
}

TEST_CASE("structure: the residue of every GPU kernel") {
  if (corpus_directory().empty()) {
    MESSAGE("skipped: no corpus");
    return;
  }
  const auto split = [](const std::string& line) {
    std::vector<std::string> fields(1);
    for (const char c : line) {
      if (c == ',')
        fields.emplace_back();
      else
        fields.back() += c;
    }
    return fields;
  };
  const auto table = read_file(corpus_directory() + "/expected.csv.gz");
  REQUIRE(table.has_value());
  std::map<std::string, std::size_t> expected;
  std::size_t column = 0;
  for (std::size_t at = 0; at < table->size();) {
    std::size_t end = table->find('\n', at);
    if (end == std::string::npos) end = table->size();
    const std::vector<std::string> fields = split(table->substr(at, end - at));
    at = end + 1;
    if (column == 0) {
      while (fields.at(column) != "resid") ++column;
      continue;
    }
    expected[fields.at(0) + "/" + fields.at(1) + "/" + fields.at(2) + "/" + fields.at(3)] =
        std::stoul(fields.at(column));
  }
  CHECK(expected.size() == 320);
  std::size_t compared = 0, wrong = 0;
  structural_reduction<csr_graph> made{csr_graph{}};
  for (const char* name :
       {"rodinia.nvcc.cfg.gz", "parboil.nvcc.cfg.gz", "polybench.nvcc.cfg.gz", "rodinia.llvm.cfg.gz"}) {
    const auto text = read_file(corpus_directory() + "/" + name);
    REQUIRE_MESSAGE(text.has_value(), name);
    const result<std::vector<recorded_graph>> file = read_graphs(*text);
    REQUIRE(file);
    for (const recorded_graph& r : *file) {
      const auto found = expected.find(r.suite + "/" + r.stem + "/" + r.variant + "/" + r.symbol);
      if (found == expected.end()) continue;
      ++compared;
      for (const infinite_loops endless : {infinite_loops::virtual_edge, infinite_loops::ignore}) {
        made.recompute(r.graph, {endless});
        wrong += made.residue() != found->second;
      }
    }
  }
  CHECK(compared == expected.size());
  CHECK(wrong == 0);
}

TEST_CASE("structure: structured programs reduce to one node, with an unstructured part they do not") {
  std::size_t spoiled = 0, tries = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    testing::rng random(seed);
    testing::program_options options;
    options.statements = 1 + seed / 4;
    const csr_graph g = testing::random_structured_program(random, options).graph;
    const std::size_t n = g.num_blocks();
    const auto made = reduce_structure(g);
    if (!made.is_structured() || made.heads().size() != 1 || made.heads()[0] != g.entry() || made.exit_left())
      report({"structured program", seed, g}, "not reduced to one node");
    for (block_id b = 0; b < n; ++b)
      if (made.head_of(b) != g.entry()) report({"structured program", seed, g}, "a block outside the one node");

    // In place of any block: a part cannot be reduced by what is around it, so at least its own residue is left.
    for (csr_graph (*part)() :
         {testing::short_circuit, testing::shared_tail, testing::two_entry_loop, testing::break_two_loops,
          testing::figure_1, testing::switch_parallel, testing::diamond, testing::nested_loops}) {
      const csr_graph inner = part();
      const csr_graph whole = replaced(g, static_cast<block_id>(random.below(n)), inner);
      const std::size_t left = structural_residue(inner), got = structural_residue(whole);
      if (left == 1 ? got != 1 : got < left) report({"structured program with a part", seed, whole}, "residue");
    }
    // An edge from anywhere to anywhere usually jumps into something.
    csr_builder builder(n);
    for (block_id b = 0; b < n; ++b)
      for (const block_id s : g.successors(b)) builder.add_edge(b, s);
    builder.add_edge(static_cast<block_id>(random.below(n)), static_cast<block_id>(random.below(n)));
    ++tries;
    spoiled += !is_structured(builder.build());
  }
  CHECK(spoiled * 2 > tries);
}

TEST_CASE("structure: named shapes, and a sentinel of one's own makes no difference") {
  CHECK(structural_residue(testing::empty_graph()) == 0);
  for (csr_graph (*make)() :
       {testing::one_block, testing::straight_line, testing::diamond, testing::triangle, testing::while_loop,
        testing::while_at_entry, testing::self_loop, testing::self_loop_at_entry, testing::nested_loops,
        testing::two_diamonds, testing::two_exits, testing::parallel_edges, testing::unreachable_island,
        testing::entry_last, testing::infinite_loop, testing::infinite_loop_arm, testing::predicated_exit})
    CHECK(is_structured(make()));
  CHECK(structural_residue(testing::two_entry_loop()) == 4);
  CHECK(structural_residue(testing::shared_tail()) == 6);
  CHECK(structural_residue(testing::figure_1()) == 6);
  CHECK_FALSE(is_structured(testing::short_circuit()));
  CHECK_FALSE(is_structured(testing::switch_parallel()));
  CHECK_FALSE(is_structured(testing::infinite_loop_arm(), {infinite_loops::ignore}));
  const auto same_with_sentinel = [](const subject& at) {
    if (at.graph.num_blocks() == 0) return;
    const csr_graph closed = with_virtual_exit(at.graph);
    if (structural_residue(at.graph) != structural_residue(closed)) report(at, "residue with a sentinel");
  };
  for_each_shape(same_with_sentinel);
  for_each_random(500, 30, same_with_sentinel);
}

TEST_CASE("structure: breaks by name") {
  const structure_options breaks{infinite_loops::virtual_edge, loop_breaks::to_one_block};
  const auto structured = [&](const csr_graph& g) { return is_structured(g, breaks); };
  // while (a) { if (b) break; c; }
  CHECK(structured(testing::adjacency({{1}, {2, 4}, {3, 4}, {1}, {}})));
  CHECK_FALSE(is_structured(testing::adjacency({{1}, {2, 4}, {3, 4}, {1}, {}})));
  // while (a) { if (b) { f(); break; } c; } leaves to f and to what is after the loop
  CHECK_FALSE(structured(testing::adjacency({{1}, {2, 5}, {3, 4}, {5}, {1}, {}})));
  // while (a) { if (b) return; }
  CHECK(structured(
      csr_builder(3).add_edge(0, 1).add_edge(1, 0).mark_exit(0).mark_exit(1).add_edge(1, 2).add_edge(2, 0).build()));
  // Two loops in one another, the inner one breaks out of both: 1 {2 {3}}; 4 is after the inner loop, 5 after both.
  CHECK(structured(testing::adjacency({{1}, {2, 5}, {3, 4}, {2, 5}, {1}, {}})));
  // The same with a different place to go from each.
  CHECK_FALSE(structured(testing::break_two_loops()));
  CHECK_FALSE(structured(testing::two_entry_loop()));
}

TEST_CASE("structure: a million blocks, deep nests, wide branches") {
  CHECK(structural_residue(chain(1'000'000)) == 1);
  {
    testing::rng random(1);
    testing::program_options options;
    options.statements = 300'000;
    options.max_depth = 64;
    csr_graph big;
    std::vector<csr_graph> parts;
    std::size_t blocks = 0;
    while (blocks < 300'000) {  // one program is a few statements long: put many after one another
      parts.push_back(testing::random_structured_program(random, options).graph);
      blocks += parts.back().num_blocks();
    }
    csr_builder b(blocks);
    block_id first = 0;
    for (const csr_graph& p : parts) {
      const block_id size = static_cast<block_id>(p.num_blocks());
      for (block_id x = 0; x < size; ++x)
        for (const block_id s : p.successors(x)) b.add_edge(first + x, first + s);
      if (first + size < blocks) b.add_edge(first + size - 1, first + size);
      first += size;
    }
    CHECK(structural_residue(b.build()) == 1);
  }
  CHECK(structural_residue(nest(200'000)) == 1);
  CHECK(structural_residue(nest(200'000), {infinite_loops::virtual_edge, loop_breaks::to_one_block}) == 1);
  CHECK(structural_residue(ladder(100'000)) == 200'002);
  const std::uint32_t k = 100'000;
  {
    csr_builder b(3 * k + 2);  // a switch with loops as arms, each in its turn ready later than the one before
    for (block_id t = 1; t <= k; ++t) {
      b.add_edge(0, t).add_edge(t, k + t).add_edge(k + t, k + t).add_edge(k + t, 3 * k + 1);
      b.add_edge(k + t, 2 * k + t).add_edge(2 * k + t, k + t);
    }
    CHECK(structural_residue(b.build()) == 1);
  }
  {
    csr_builder b(2 * k + 2);  // a switch of k arms in k joins: nothing to reduce but looked at again and again
    for (block_id t = 1; t <= k; ++t) {
      b.add_edge(0, t).add_edge(t, k + t / 2 + 1);
      if (t % 2 == 0) b.add_edge(k + t / 2 + 1, 2 * k + 1);
    }
    CHECK(structural_residue(b.build()) > k);
  }
  {
    csr_builder b(2 * k + 1);  // k ways into a row of k blocks that is merged from its first on
    for (block_id t = 1; t <= k; ++t) b.add_edge(0, t).add_edge(t, 2 * k);
    for (block_id x = 2 * k; x > k + 1; --x) b.add_edge(x, x - 1);
    CHECK(structural_residue(b.build()) == 1);
  }
  {
    csr_builder b(3 * k);  // a row of k blocks that is merged from its last on, with k ways on that stay
    for (block_id x = 0; x + 1 < k; ++x) b.add_edge(x, x + 1);
    for (block_id t = k; t + 1 < 3 * k; t += 2) b.add_edge(k - 1, t).add_edge(t, t + 1).add_edge(t, 3 * k - 1);
    CHECK(structural_residue(b.build()) == 2 * k + 2);
  }
  {
    csr_builder b(k + 1);  // headers in a row, all with the last block as their latch
    for (block_id h = 0; h < k; ++h) b.add_edge(h, h + 1).add_edge(k, h);
    CHECK(structural_residue(b.build()) == 1);
  }
  {
    csr_builder b(k + 1);  // the same after one header: k loops, each of two neighbours in a row
    for (block_id h = 0; h < k; ++h) b.add_edge(h, h + 1).add_edge(h + 1, h);
    CHECK(structural_residue(b.build()) == 1);
  }
}

TEST_CASE("structure: speaks the vertices of any graph") {
  const std::vector<std::vector<int>> g{{1, 4}, {2, 4}, {3, 4}, {5}, {5}, {6}, {}, {5}};
  const auto made = reduce_structure(g);
  CHECK(made.residue() == 6);
  CHECK_FALSE(is_structured(g));
  std::vector<int> heads;
  for (const int h : made.heads()) heads.push_back(h);
  CHECK(heads == std::vector<int>{0, 1, 2, 3, 4, 5});
  CHECK(made.head_of(3) == 3);
  CHECK(made.head_of(6) == 5);
  CHECK_FALSE(made.head_of(7).has_value());
}
