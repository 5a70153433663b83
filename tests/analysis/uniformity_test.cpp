// SPDX-License-Identifier: BSL-1.0
//
// Uniformity against other means (uniformity_oracles.hpp), and by hand.
#include "analysis/uniformity_oracles.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace simtflow_tests;

namespace {

// Every reason is a step that the analysis can take, and steps lead to a source.
void check_reasons(const subject& at, const ssa_program& p, const uniformity_analysis<csr_graph>& u,
                   std::size_t (&causes)[6]) {
  const loop_forest<csr_graph> forest(at.graph);
  const auto sound = [&](const divergence_reason& why, block_id where, bool phi) {
    switch (why.cause) {
      case divergence_cause::none:
      case divergence_cause::source:
      case divergence_cause::operand:
        return why.branch == no_block && why.loop == no_loop;
      case divergence_cause::join: {
        bool joins = false;
        for (const block_id x : u.joins(why.branch)) joins = joins || x == where;
        return phi && joins && u.is_divergent_branch(why.branch);
      }
      case divergence_cause::left:
        return u.is_left_apart(why.loop) && u.is_divergent_branch(why.branch) && !forest.contains(why.loop, where) &&
               (u.is_entered_apart(why.loop) || forest.contains(why.loop, why.branch));
      case divergence_cause::entered:
        return u.is_entered_apart(why.loop) && u.is_divergent_branch(why.branch) && forest.contains(why.loop, where) &&
               !forest.contains(why.loop, why.branch);
    }
    return false;
  };
  const auto reaches_source = [&](divergence_reason why) {
    for (std::size_t steps = 0; steps <= p.num_values() + at.graph.num_blocks(); ++steps) {
      if (why.cause == divergence_cause::source) return true;
      why = why.cause == divergence_cause::operand ? u.why(why.value) : u.why_branch(why.branch);
    }
    return false;
  };
  const auto uses = [&](value_id v, value_id x) {
    for (const value_id o : p.operands(v))
      if (o == x) return true;
    for (const auto& in : p.inputs(v))
      if (in.value == x) return true;
    return false;
  };
  for (const value_id v : ids_below<value_id>(p.num_values())) {
    const divergence_reason why = u.why(v);
    ++causes[static_cast<std::size_t>(why.cause)];
    INFO("seed " << at.seed << ", value " << index_of(v));
    REQUIRE((why.cause != divergence_cause::none) == u.is_divergent(v));
    if (!u.is_divergent(v)) continue;
    REQUIRE((why.cause == divergence_cause::source) == p.is_source(v));
    if (why.cause == divergence_cause::operand) REQUIRE((u.is_divergent(why.value) && uses(v, why.value)));
    REQUIRE(sound(why, p.block_of(v), p.is_phi(v)));
    REQUIRE(reaches_source(why));
  }
  for (block_id b = 0; b < at.graph.num_blocks(); ++b) {
    const divergence_reason why = u.why_branch(b);
    INFO("seed " << at.seed << ", branch " << b);
    REQUIRE((why.cause != divergence_cause::none) == u.is_divergent_branch(b));
    if (!u.is_divergent_branch(b)) continue;
    if (why.cause == divergence_cause::operand) REQUIRE((why.value == p.condition(b) && u.is_divergent(why.value)));
    REQUIRE(why.cause != divergence_cause::source);
    REQUIRE(why.cause != divergence_cause::join);
    REQUIRE(sound(why, b, false));
    REQUIRE(reaches_source(why));
  }
}

}  // namespace

TEST_CASE(
    "uniformity: joins of every graph of up to three blocks, and every fifth of four, by flows and by the definition") {
  branch_joins<> joins(csr_graph{});
  std::uint64_t count = 0;
  for_each_small([&](const subject& at) {
    if (at.graph.num_blocks() < 4 || ++count % 5 == 0) check_joins(at, joins);
  });
}

TEST_CASE("uniformity: joins of random graphs and named shapes") {
  branch_joins<> joins(csr_graph{});
  for_each_shape([&](const subject& at) {
    if (at.graph.num_blocks() <= 16) check_joins(at, joins);
  });
  for_each_random(1500, 14, [&](const subject& at) { check_joins(at, joins); });
}

TEST_CASE("uniformity: random programs, against the rules repeated until nothing changes") {
  const csr_graph none;
  uniformity_analysis<csr_graph> u(none, ssa_program{});
  std::size_t divergent = 0, uniform = 0, causes[6] = {};
  for_each_random(1500, 12, [&](const subject& at) {
    testing::rng random(at.seed + 99);
    const ssa_program p = testing::random_ssa_program(
        random, at.graph, {.source_percent = static_cast<unsigned>(random.below(25)), .vote_percent = 10});
    u.recompute(at.graph, p);
    check_result(at, p, u);
    check_reasons(at, p, u, causes);
    for (const value_id v : ids_below<value_id>(p.num_values())) ++(u.is_divergent(v) ? divergent : uniform);
    // The same sources later, the graph being known.
    ssa_program other = p;
    for (testing::ssa_value& v : other.values)
      if (v.kind == ssa_kind::compute && random.chance(10)) v.kind = ssa_kind::source;
    u.update(other);
    check_result(at, other, u);
    for (const value_id v : ids_below<value_id>(p.num_values()))  // monotone
      if (naive_uniformity(at.graph, p).value[index_of(v)]) CHECK(u.is_divergent(v));
  });
  for (const std::size_t n : causes) CHECK(n > 50);
  CHECK(divergent > 1000);
  CHECK(uniform > 1000);
}

TEST_CASE("uniformity: what is said to be uniform is, on threads that run random programs") {
  const csr_graph none;
  uniformity_analysis<csr_graph> u(none, ssa_program{});
  watched_runs runs;
  const auto check = [&](const subject& at) {
    for (std::uint64_t k = 0; k < 3; ++k) {
      testing::rng random(at.seed * 3 + k);
      const ssa_program p = testing::random_ssa_program(random, at.graph,
                                                        {.phis = 3,
                                                         .others = 3,
                                                         .source_percent = static_cast<unsigned>(random.below(20)),
                                                         .vote_percent = 10,
                                                         .undefined_percent = 0});
      u.recompute(at.graph, p);
      runs.check(at, p, u, 8, 60);
    }
  };
  for_each_random(2500, 12, check);
  for_each_shape(check);
  CHECK(runs.shared > 100'000);
}

TEST_CASE("uniformity: the same on graphs of up to three blocks, and some of four") {
  const csr_graph none;
  uniformity_analysis<csr_graph> u(none, ssa_program{});
  watched_runs runs;
  std::uint64_t count = 0;
  for_each_small([&](const subject& at) {
    if (at.graph.num_blocks() == 4 && ++count % 41 != 0) return;
    testing::rng random(at.seed);
    const ssa_program p =
        testing::random_ssa_program(random, at.graph, {.phis = 3, .others = 3, .undefined_percent = 0});
    u.recompute(at.graph, p);
    check_result(at, p, u);
    runs.check(at, p, u, 6, 40);
  });
}

TEST_CASE("uniformity: without a source everything is uniform") {
  for_each_random(300, 16, [&](const subject& at) {
    testing::rng random(at.seed);
    const ssa_program p = testing::random_ssa_program(random, at.graph, {.source_percent = 0});
    const auto u = uniformity(at.graph, p);
    for (const value_id v : ids_below<value_id>(p.num_values())) CHECK(!u.is_divergent(v));
    for (block_id b = 0; b < at.graph.num_blocks(); ++b) {
      CHECK(!u.is_divergent_branch(b));
      CHECK(u.joins(b).empty());
    }
  });
}

TEST_CASE("uniformity: in structured code threads come together at the immediate post-dominator") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    testing::rng random(seed);
    const csr_graph g = testing::random_structured_program(random, {.statements = 12}).graph;
    const post_dominator_tree<csr_graph> post(g);
    const loop_forest<csr_graph> forest(g);
    branch_joins<> joins(g);
    ssa_program p;
    p.conditions.assign(g.num_blocks(), no_value);
    for (block_id b = 0; b < g.num_blocks(); ++b)
      if (g.successors(b).size() > 1) {
        p.conditions[b] = static_cast<value_id>(p.values.size());
        p.values.push_back({ssa_kind::source, b, 0, {}, {}});
      }
    const auto u = uniformity(g, p);
    for (block_id b = 0; b < g.num_blocks(); ++b) {
      const auto out = g.successors(b);
      bool two = false;
      for (const block_id s : out) two = two || s != out[0];
      const std::vector<block_id> expected = two ? std::vector<block_id>{*post.ipdom(b)} : std::vector<block_id>{};
      if (joins.of(b) != expected || u.joins(b) != expected)
        report({"structured", seed, g}, "joins of " + std::to_string(b) + ": " + show(joins.of(b)));
    }
    for (const loop_id l : ids_below<loop_id>(forest.num_loops())) {
      CHECK(u.is_left_apart(l));  // all branches are divergent
      CHECK(!u.is_entered_apart(l));
    }
  }
}

TEST_CASE("uniformity: the order of successors makes no difference in reducible graphs") {
  std::size_t checked = 0;
  for_each_random(1200, 14, [&](const subject& at) {
    if (!loop_forest<csr_graph>(at.graph).is_reducible()) return;
    ++checked;
    testing::rng random(at.seed);
    const ssa_program p = testing::random_ssa_program(random, at.graph);
    csr_builder builder(at.graph.num_blocks(), at.graph.entry());
    for (block_id b = 0; b < at.graph.num_blocks(); ++b) {
      std::vector<block_id> out(at.graph.successors(b).begin(), at.graph.successors(b).end());
      random.shuffle(out);
      for (const block_id s : out) builder.add_edge(b, s);
    }
    const csr_graph other = builder.build();
    const auto u = uniformity(at.graph, p), w = uniformity(other, p);
    for (const value_id v : ids_below<value_id>(p.num_values()))
      if (u.is_divergent(v) != w.is_divergent(v))
        report(at, "value " + std::to_string(index_of(v)) + "\n" + text_of(p));
    for (block_id b = 0; b < at.graph.num_blocks(); ++b) CHECK(to_set(u.joins(b)) == to_set(w.joins(b)));
  });
  CHECK(checked > 400);
}

TEST_CASE("uniformity: a loop that is left into its sibling") {
  // entry, h, m, m2, x, y. The outer loop h m m2 is left by m, for x, which is a loop of the inner one's depth.
  const csr_graph g = graph_of(6, {{0, 1}, {1, 2}, {2, 3}, {2, 4}, {3, 2}, {3, 1}, {4, 4}, {4, 5}});
  writer w(6);
  const value_id t = w.add(ssa_kind::source, 0), zero = w.add(ssa_kind::constant, 0);
  const value_id i = w.phi(1, {{0, zero}, {3, value_id{3}}});
  const value_id i1 = w.add(ssa_kind::compute, 1, {i});
  REQUIRE(i1 == value_id{3});
  const value_id j = w.phi(2, {{1, zero}, {3, value_id{5}}});
  const value_id j1 = w.add(ssa_kind::compute, 2, {j});
  REQUIRE(j1 == value_id{5});
  const value_id sum = w.add(ssa_kind::compute, 2, {j1, i1});
  const value_id c = w.add(ssa_kind::compute, 2, {sum, t});
  const value_id c2 = w.add(ssa_kind::compute, 3, {j1});
  const value_id u = w.phi(4, {{2, i1}, {4, value_id{9}}});
  REQUIRE(u == value_id{9});
  const value_id k = w.phi(4, {{2, zero}, {4, value_id{11}}});
  const value_id k1 = w.add(ssa_kind::compute, 4, {k});
  const value_id c3 = w.add(ssa_kind::compute, 4, {k1});
  const value_id store = w.add(ssa_kind::compute, 5, {u});
  w.p.conditions = {no_value, no_value, c, c2, c3, no_value};
  const auto r = uniformity(g, w.p);
  for (const value_id v : {i, i1, j, j1, sum, c2, k, k1, c3}) CHECK(!r.is_divergent(v));
  for (const value_id v : {t, c, u, store}) CHECK(r.is_divergent(v));
  CHECK(r.is_divergent_branch(2));
  CHECK(!r.is_divergent_branch(3));
  CHECK(!r.is_divergent_branch(4));
  const loop_forest<csr_graph> forest(g);
  CHECK(r.is_left_apart(*forest.innermost(1)));
  CHECK(!r.is_left_apart(*forest.innermost(2)));
  CHECK(!r.is_left_apart(*forest.innermost(4)));
  CHECK(r.is_temporally_divergent_at(i1, 4));
  CHECK(!r.is_temporally_divergent_at(i1, 3));
}

TEST_CASE("uniformity: a divergent branch in the header, a uniform way out after it") {
  // Even and odd threads take turns in going to p, and p leaves when the turns are over: one iteration later for half
  // of them.
  const csr_graph g = graph_of(5, {{0, 1}, {1, 2}, {1, 3}, {2, 4}, {2, 3}, {3, 1}});
  writer w(5);
  const value_id t = w.add(ssa_kind::source, 0), zero = w.add(ssa_kind::constant, 0);
  const value_id i = w.phi(1, {{0, zero}, {3, value_id{3}}});
  const value_id i1 = w.add(ssa_kind::compute, 1, {i});
  const value_id c = w.add(ssa_kind::compute, 1, {t, i});
  const value_id c2 = w.add(ssa_kind::compute, 2, {i});
  const value_id u = w.phi(4, {{2, i}});
  w.p.conditions = {no_value, c, c2, no_value, no_value};
  const auto r = uniformity(g, w.p);
  CHECK(!r.is_divergent(i1));
  CHECK(!r.is_divergent_branch(2));
  CHECK(r.is_divergent_branch(1));
  CHECK(r.is_divergent(u));
  CHECK(r.is_left_apart(loop_id{0}));
}

TEST_CASE("uniformity: out of two loops at once, and out of one by its header and from inside") {
  // 0, outer header 1, inner header 2, 3 (out of both, or on), inner latch 4, outer latch 5, 6 after.
  const csr_graph g = graph_of(7, {{0, 1}, {1, 2}, {2, 3}, {3, 6}, {3, 4}, {4, 2}, {4, 5}, {5, 1}, {5, 6}});
  writer w(7);
  const value_id t = w.add(ssa_kind::source, 0), n = w.add(ssa_kind::constant, 0);
  const value_id i = w.phi(1, {{0, n}, {5, value_id{3}}});
  const value_id i1 = w.add(ssa_kind::compute, 1, {i});
  REQUIRE(i1 == value_id{3});
  const value_id in_both = w.add(ssa_kind::compute, 2, {i1});
  const value_id in_outer = w.add(ssa_kind::compute, 5, {in_both});
  const value_id behind = w.add(ssa_kind::compute, 6, {in_both});
  w.p.conditions = {no_value, no_value, no_value, t, n, n, no_value};
  const auto r = uniformity(g, w.p);
  CHECK(r.joins(3) == std::vector<block_id>{6});
  CHECK(!r.is_divergent(in_outer));  // who is still there is there in one iteration
  CHECK(r.is_divergent(behind));
  CHECK(r.is_temporally_divergent_at(in_both, 6));
  CHECK(!r.is_temporally_divergent_at(in_both, 5));

  // The header leaves the loop in one iteration for all who are left, 2 at any time.
  const csr_graph h = graph_of(4, {{0, 1}, {1, 3}, {1, 2}, {2, 1}, {2, 3}});
  writer v(4);
  const value_id own = v.add(ssa_kind::source, 0), one = v.add(ssa_kind::constant, 0),
                 two = v.add(ssa_kind::constant, 0);
  const value_id same = v.phi(3, {{1, one}, {2, one}}), differs = v.phi(3, {{1, one}, {2, two}});
  v.p.conditions = {no_value, one, own, no_value};
  const auto q = uniformity(h, v.p);
  CHECK(!q.is_divergent_branch(1));
  CHECK(!q.is_divergent(same));
  CHECK(q.is_divergent(differs));
}

TEST_CASE("uniformity: a loop with two entries") {
  // 0 sends threads to 1 or 2, which are a loop; 2 leaves it by a uniform condition of the loop.
  const csr_graph g = graph_of(4, {{0, 1}, {0, 2}, {1, 2}, {2, 1}, {2, 3}});
  writer w(4);
  const value_id t = w.add(ssa_kind::source, 0), n = w.add(ssa_kind::constant, 0);
  const value_id a = w.phi(1, {{0, n}, {2, value_id{4}}});
  const value_id vote = w.add(ssa_kind::vote, 1);
  const value_id b = w.phi(2, {{0, n}, {1, a}});
  REQUIRE(b == value_id{4});
  const value_id c = w.add(ssa_kind::compute, 2, {b});
  const value_id behind = w.add(ssa_kind::compute, 3, {b});
  w.p.conditions = {t, no_value, c, no_value};
  const auto r = uniformity(g, w.p);
  CHECK(r.is_entered_apart(loop_id{0}));
  CHECK(r.is_left_apart(loop_id{0}));
  for (const value_id v : {a, b, c, behind}) CHECK(r.is_divergent(v));
  CHECK(!r.is_divergent(vote));
  w.p.conditions[0] = n;
  const auto s = uniformity(g, w.p);
  CHECK(!s.is_entered_apart(loop_id{0}));
  for (const value_id v : {a, b, c, behind}) CHECK(!s.is_divergent(v));
}

TEST_CASE("uniformity: inputs of a phi that say the same, and ways that nobody parted takes") {
  // 0 goes round the loop or into it; 1 is the loop, left at different times.
  const csr_graph g = graph_of(3, {{0, 1}, {0, 2}, {1, 1}, {1, 2}});
  writer w(3);
  const value_id t = w.add(ssa_kind::source, 0), n = w.add(ssa_kind::constant, 0), one = w.add(ssa_kind::constant, 0);
  const value_id inside = w.add(ssa_kind::constant, 1);
  const value_id found = w.phi(2, {{0, n}, {1, one}});  // came by the loop or not: all or none
  const value_id carried = w.phi(2, {{0, n}, {1, inside}});
  w.p.conditions = {n, t, no_value};
  const auto r = uniformity(g, w.p);
  CHECK(r.is_divergent_branch(1));
  CHECK(r.joins(1) == std::vector<block_id>{2});
  CHECK(!r.is_divergent(found));
  CHECK(r.is_divergent(carried));
  w.p.conditions[0] = t;
  CHECK(uniformity(g, w.p).is_divergent(found));
  w.p.values[index_of(found)].inputs[1].value = no_value;
  CHECK(!uniformity(g, w.p).is_divergent(found));
}

TEST_CASE("uniformity: a user's graph, and an analysis in a constant expression") {
  std::vector<std::vector<int>> lists{{1, 2}, {3}, {3}, {}};
  struct program {
    std::size_t num_values() const { return 2; }
    int block_of(value_id v) const { return v == value_id{0} ? 0 : 3; }
    bool is_phi(value_id v) const { return v == value_id{1}; }
    std::vector<phi_input<int>> inputs(value_id) const { return {{1, value_id{0}}, {2, no_value}}; }
    std::vector<value_id> operands(value_id) const { return {}; }
    value_id condition(int b) const { return b == 0 ? value_id{0} : no_value; }
    bool is_source(value_id v) const { return v == value_id{0}; }
    bool is_always_uniform(value_id) const { return false; }
  };
  const auto u = uniformity(lists, program{});
  CHECK(u.is_divergent_branch(0));
  CHECK(u.is_divergent(value_id{1}));
  CHECK(u.joins(0) == std::vector<int>{3});
  constexpr bool ok = [] {
    csr_builder b(4);
    b.add_edge(0, 1).add_edge(0, 2).add_edge(1, 3).add_edge(2, 3);
    const csr_graph g = b.build();
    testing::rng random(1);
    const ssa_program p = testing::random_ssa_program(random, g, {.source_percent = 100});
    const auto r = uniformity(g, p);
    return r.is_divergent_branch(0) && r.joins(0).size() == 1 && r.joins(0)[0] == 3 && r.is_divergent(value_id{0});
  }();
  static_assert(ok);
}

TEST_CASE("uniformity: large graphs take time in proportion") {
  const auto diamonds = [](std::uint32_t n) {
    csr_builder b(3 * n + 1);
    for (block_id i = 0; i < n; ++i)
      b.add_edge(3 * i, 3 * i + 1)
          .add_edge(3 * i, 3 * i + 2)
          .add_edge(3 * i + 1, 3 * i + 3)
          .add_edge(3 * i + 2, 3 * i + 3);
    return b.build();
  };
  const auto exits = [](std::uint32_t n) {  // each block may go to the last but one
    csr_builder b(n);
    for (block_id i = 0; i + 2 < n; ++i) b.add_edge(i, i + 1).add_edge(i, n - 2);
    b.add_edge(n - 2, n - 1);
    return b.build();
  };
  const auto returns = [](std::uint32_t n) {  // each has a tail of its own
    csr_builder b(3 * n);
    for (block_id i = 0; i + 1 < n; ++i) b.add_edge(i, n + 2 * i).add_edge(i, i + 1).add_edge(n + 2 * i, n + 2 * i + 1);
    return b.build();
  };
  const auto breaks = [](std::uint32_t n) {  // every block may leave this loop
    csr_builder b(n + 2);
    for (block_id i = 0; i < n; ++i) b.add_edge(i, i + 1).add_edge(i, n + 1);
    b.add_edge(n, 0);
    return b.build();
  };
  const std::pair<const char*, csr_graph> all[] = {
      {"diamonds", diamonds(33'333)}, {"nest", nest(50'000)},  {"exits", exits(100'000)}, {"returns", returns(33'333)},
      {"breaks", breaks(100'000)},    {"ladder", ladder(300)}, {"chain", chain(100'000)}};
  for (const auto& [name, g] : all) {
    const std::string who = name;
    CAPTURE(who);
    ssa_program p;
    p.conditions.assign(g.num_blocks(), no_value);
    for (block_id b = 0; b < g.num_blocks(); ++b) {
      p.conditions[b] = static_cast<value_id>(p.values.size());
      p.values.push_back({ssa_kind::source, b, 0, {}, {}});
    }
    using clock = std::chrono::steady_clock;
    const auto begin = clock::now();
    const auto u = uniformity(g, p);
    const double seconds = std::chrono::duration<double>(clock::now() - begin).count();
    std::size_t joins = 0;
    for (block_id b = 0; b < g.num_blocks(); ++b) joins += u.joins(b).size();
    MESSAGE(who << ": " << seconds << " s, joins " << joins);
    CHECK(joins <= (who == "ladder" ? 300 : 4) * g.num_blocks());  // of a ladder, all rungs below
    CHECK(seconds < 20);
  }
}

TEST_CASE("uniformity: a cause has a name") {
  CHECK(std::string(to_string(divergence_cause::none)) == "none");
  CHECK(std::string(to_string(divergence_cause::entered)) == "entered");
}
