// SPDX-License-Identifier: BSL-1.0
#include "linearized.hpp"
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/structure.hpp>
#include <simtflow/analysis/unstructured.hpp>
#include <simtflow/graph/function_graph.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/testing/shapes.hpp>
#include <simtflow/testing/transform_shapes.hpp>
#include <simtflow/transform/linearize.hpp>

#include <chrono>

using namespace simtflow;
using namespace linearized;

namespace {

linearization checked(std::uint64_t seed, const csr_graph& g, const linearize_options& o) {
  linearization made = linearize(g, o);
  const auto all = [&] { return name(o) + "\n" + text(seed, g, made.plan); };
  REQUIRE_MESSAGE(made.structured, all());
  REQUIRE_MESSAGE(made.refused.empty(), all());
  const std::string shape = wrong_shape(made.plan), way = wrong_way(g, made.plan);
  REQUIRE_MESSAGE(shape == "", shape << " " << all());
  REQUIRE_MESSAGE(way == "", way << " " << all());
  REQUIRE_MESSAGE(made.rounds <= 3, all());
  if (is_structured(g)) REQUIRE_MESSAGE(made.plan.num_blocks() == g.num_blocks(), all());  // P6
  return made;
}

// Seeds first .. last - 1 with everything that can be asked for.
void check_random(std::uint64_t first, std::uint64_t last) {
  std::size_t guards[std::size(levels)] = {}, unstructured = 0;
  for (std::uint64_t seed = first; seed < last; ++seed) {
    testing::rng random(seed);
    const csr_graph g = random_graph(random, 4 + seed / 500);
    if (is_structured(g)) {
      (void)checked(seed, g, {});
      continue;
    }
    ++unstructured;
    linearize_options o;
    std::size_t before = 0;
    for (const guard_optimization level : levels) {
      o.optimize = level;
      for (const loop_guards policy : loop_policies) {
        if (policy != loop_guards::component && (seed + static_cast<unsigned>(level)) % 4 != 0) continue;
        o.loops = policy;
        const linearization made = checked(seed, g, o);
        if (policy != loop_guards::component) continue;
        const plan_cost cost = made.plan.cost();
        std::size_t expected = made.endless;  // P4
        for (const linearized_region& r : made.regions) expected += r.parts + r.loops;
        if (level == guard_optimization::none) REQUIRE_MESSAGE(cost.guards == expected, text(seed, g, made.plan));
        if (level != guard_optimization::none)  // P10
          REQUIRE_MESSAGE(cost.guards <= before, text(seed, g, made.plan));
        before = cost.guards;
        guards[static_cast<int>(level)] += cost.guards;
      }
    }
  }
  CHECK(unstructured > (last - first) / 4);
  CHECK(guards[1] == guards[0]);  // o1 and o2 let threads come to fewer of them
  CHECK(guards[2] == guards[1]);
  CHECK(guards[3] < guards[2]);
  CHECK(guards[4] < guards[3]);
}

std::vector<block_id> shuffled(testing::rng& random, std::size_t n) {
  std::vector<block_id> order;
  for (block_id b = 0; b < n; ++b) order.push_back(b);
  random.shuffle(order);
  return order;
}

}  // namespace

// Every outcome of every block leads where it led, exactly one place for each block, structured, reducible, no more
// guards than promised (P1-P6, P10 of the specification); 10,000 graphs of up to 24 blocks.
TEST_CASE("linearize: random graphs 1 of 4: every way leads where it led, and the result is structured") {
  check_random(0, 3500);
}
TEST_CASE("linearize: random graphs 2 of 4: every way leads where it led, and the result is structured") {
  check_random(3500, 6000);
}
TEST_CASE("linearize: random graphs 3 of 4: every way leads where it led, and the result is structured") {
  check_random(6000, 8200);
}
TEST_CASE("linearize: random graphs 4 of 4: every way leads where it led, and the result is structured") {
  check_random(8200, 10'000);
}

TEST_CASE("linearize: every thread goes as it goes alone, under three policies") {
  for (std::uint64_t seed = 0; seed < 1200; ++seed) {
    testing::rng random(seed + 77'000);
    const csr_graph g = random_graph(random, 14);
    linearize_options o;
    o.optimize = levels[seed % std::size(levels)];
    o.loops = loop_policies[seed / 4 % 3];
    const linearization made = checked(seed, g, o);
    check_same(seed, g, made.plan);
  }
}

TEST_CASE("linearize: any order of the blocks is right") {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    testing::rng random(seed + 5'000'000);
    const csr_graph g = random_graph(random, 14);
    std::vector<block_id> order = shuffled(random, g.num_blocks());
    if (random.chance(30)) order.resize(order.size() / 2);
    linearize_options o;
    o.order = order;
    for (const guard_optimization level : levels) {
      o.optimize = level;
      o.loops = loop_policies[(seed + static_cast<unsigned>(level)) % 3];
      (void)checked(seed, g, o);
    }
  }
}

TEST_CASE("linearize: all graphs of up to three blocks, and some of four") {
  std::uint64_t count = 0;
  for (std::size_t n = 0; n <= 4; ++n)
    for (std::uint64_t code = 0; code < testing::num_small_cfgs(n); code += n < 4 ? 1 : 23) {
      const csr_graph g = testing::small_cfg(n, code);
      if (is_structured(g)) continue;
      linearize_options o;
      o.optimize = levels[++count % std::size(levels)];
      (void)checked(code, g, o);
      o.optimize = guard_optimization::o4;
      (void)checked(code, g, o);
    }
  CHECK(count > 1000);
}

TEST_CASE("linearize: without loops a warp fetches every block at most once") {  // P8
  std::size_t before = 0, after = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    testing::rng random(seed);
    const csr_graph g = testing::random_acyclic(random, {.blocks = 3 + seed / 40, .max_successors = 3, .exits = 2});
    const testing::random_walks walks(g, {.seed = seed});
    for (const std::size_t n : count_fetches(flow_plan(g), walks).of) before += n > 1 ? 1 : 0;
    for (const guard_optimization level : levels) {
      linearize_options o;
      o.optimize = level;
      const linearization made = checked(seed, g, o);
      const fetches f = count_fetches(made.plan, walks);
      for (block_id b = 0; b < g.num_blocks(); ++b) {
        after += f.of[b] > 1 ? 1 : 0;
        CHECK_MESSAGE(f.of[b] <= 1, text(seed, g, made.plan));
      }
    }
  }
  CHECK(before > 50);
  CHECK(after == 0);
}

TEST_CASE("linearize: the stack in a region is as deep as around it, one more, and one for each loop") {  // P11
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    testing::rng random(seed);
    const csr_graph g = testing::random_cfg(random, {.blocks = 3 + seed / 40, .exits = 1, .terminating = true});
    std::vector<block_id> all;  // but the end, which is not part of a region
    block_id end = 0;
    for (block_id b = 0; b < g.num_blocks(); ++b) {
      if (g.successors(b).empty())
        end = b;
      else
        all.push_back(b);
    }
    if (all.empty()) continue;
    (void)end;
    linearize_options o;
    o.optimize = guard_optimization::none;
    const linearization made = linearize_blocks(g, all, o);
    REQUIRE_MESSAGE(wrong_way(g, made.plan) == "", text(seed, g, made.plan));
    REQUIRE_MESSAGE(wrong_shape(made.plan) == "", text(seed, g, made.plan));
    const auto nest = loops(made.plan);
    std::size_t depth = 0;
    for (block_id b = 0; b < made.plan.num_blocks(); ++b)
      if (nest.depth_of(b) > depth) depth = nest.depth_of(b);
    const fetches f = count_fetches(made.plan, testing::random_walks(g, {.seed = seed}));
    CHECK_MESSAGE(f.deepest <= 2 + depth, text(seed, g, made.plan));
  }
}

TEST_CASE("linearize: named shapes") {
  for (const testing::shape& s : testing::shapes)
    for (const guard_optimization level : levels)
      for (const loop_guards policy : loop_policies) {
        linearize_options o;
        o.optimize = level;
        o.loops = policy;
        const csr_graph g = s.make();
        const linearization made = checked(0, g, o);
        if (level == guard_optimization::o4 && g.num_blocks() > 0) check_same(1, g, made.plan);
      }
}

TEST_CASE("linearize: the graphs of transform_shapes.hpp, blocks at every level") {
  struct expected {
    const char* name;
    std::size_t none, full;
  };
  // none: one guard for each block of a region, one for each loop.
  const expected table[] = {{"short_circuit", 12, 10}, {"jump_out", 13, 10},       {"jump_in", 13, 9},
                            {"irreducible2", 8, 6},    {"tf_fig1", 11, 9},         {"shared_tail", 11, 8},
                            {"cross_diamond", 12, 9},  {"and_chain8", 21, 13},     {"or_and_chain", 18, 15},
                            {"loop_3exits", 19, 14},   {"break2", 20, 14},         {"continue_outer", 13, 10},
                            {"irr_nested", 14, 12},    {"clique4", 10, 9},         {"statemachine", 19, 15},
                            {"ladder12", 25, 24},      {"structured_nest", 12, 12}};
  std::size_t i = 0;
  for (const testing::transform_shape& s : testing::transform_shapes) {
    CAPTURE(s.name);
    REQUIRE(std::string(table[i].name) == s.name);
    linearize_options o;
    o.optimize = guard_optimization::none;
    const csr_graph g = s.make();
    CHECK(checked(0, g, o).plan.cost().blocks() == table[i].none);
    const linearization made = checked(0, g, {});
    CHECK(made.plan.cost().blocks() == table[i].full);
    check_same(3, g, made.plan, 16);
    ++i;
  }
}

// Table 4 of the paper counts instructions by level. Fetches of the stack with two threads stand for them here.
TEST_CASE("linearize: each level fetches no more blocks than the level before") {
  std::size_t fetched[std::size(levels)] = {};
  for (const testing::transform_shape& s : testing::transform_shapes) {
    const csr_graph g = s.make();
    for (std::size_t i = 0; i < std::size(levels); ++i) {
      linearize_options o;
      o.optimize = levels[i];
      const linearization made = linearize(g, o);
      for (std::uint64_t seed = 0; seed < 8; ++seed)
        for (const std::size_t n : count_fetches(made.plan, testing::random_walks(g, {.seed = seed}), 2).of)
          fetched[i] += n;
    }
  }
  CHECK(fetched[1] < fetched[0]);
  CHECK(fetched[2] < fetched[1]);
  CHECK(fetched[3] < fetched[2]);
  CHECK(fetched[4] <= fetched[3]);
}

// The counter-example to unstructured edges as the criterion: there is none, and the tail is shared all the same.
TEST_CASE("linearize: shared tail") {
  const csr_graph g = testing::transform::shared_tail();
  REQUIRE(unstructured_edges(g).empty());
  REQUIRE(!is_structured(g));
  const linearization made = checked(0, g, {});
  CHECK(made.plan.cost().guards == 1);
}

// Figure 6d of the paper: the last block in the row is the source of a retreating edge, where the algorithm as printed
// gives its guard three successors. Block 0 dominates the region and is an end of both unstructured edges.
TEST_CASE("linearize: figure 6d, an irreducible loop with a back edge from its last block") {
  const csr_graph g = testing::adjacency({{1, 2}, {2, 3}, {1}, {}});
  for (const guard_optimization level : levels) {
    linearize_options o;
    o.optimize = level;
    const linearization made = checked(0, g, o);
    for (block_id b = 0; b < made.plan.num_blocks(); ++b) CHECK(made.plan.successors(b).size() <= 2);
    check_same(0, g, made.plan);
  }
}

// If the paper's algorithm moves a back edge up, nesting by dominance (O2 as printed) takes the test of a block away
// from threads that come round again and want it: block 2 dominates 3, but 4 goes back to 3.
TEST_CASE("linearize: moved back edges do not mislead O2") {
  const csr_graph g = testing::adjacency({{1, 4}, {2, 4}, {3}, {4, 1}, {3, 5}, {}});
  for (const loop_guards policy : loop_policies) {
    linearize_options o;
    o.loops = policy;
    o.optimize = guard_optimization::o2;
    const linearization made = checked(0, g, o);
    check_same(0, g, made.plan);
  }
  std::size_t moved = 0;  // by the definition: two intervals of the source policy that would cross
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    testing::rng random(seed + 9'000);
    const csr_graph h = testing::random_cfg(random, {.blocks = 8, .max_successors = 2, .terminating = true});
    linearize_options o;
    o.loops = loop_guards::source;
    o.optimize = guard_optimization::none;
    const linearization flat = linearize(h, o);
    for (const linearized_region& r : flat.regions) moved += r.loops > 1 ? 1 : 0;
    o.optimize = guard_optimization::o2;
    check_same(seed, h, checked(seed, h, o).plan);
  }
  CHECK(moved > 30);
}

// O1 as printed also sends on an edge if it is the only one that lacks the value: that makes the graph unstructured
// again.
TEST_CASE("linearize: the second half of O1 is not done") {
  const csr_graph g = testing::transform::short_circuit();
  linearize_options o;
  o.optimize = guard_optimization::none;
  linearization made = linearize(g, o);
  std::size_t tried = 0, broken = 0;
  for (block_id guard = 0; guard < made.plan.num_blocks(); ++guard) {
    if (made.plan[guard].role != plan_role::guard) continue;
    std::vector<plan_assignment> sets;
    std::vector<std::pair<block_id, std::size_t>> lacking;
    for (block_id b = 0; b < made.plan.num_blocks(); ++b)
      for (std::size_t k = 0; k < made.plan.successors(b).size(); ++k)
        if (const flow_plan::edge e = made.plan.successors(b)[k];
            e.to == guard && made.plan[b].role == plan_role::original &&
            made.plan.value_on(e, made.plan[guard].variable, 0) != made.plan[guard].low)
          lacking.emplace_back(b, k);
    for (const auto& [b, k] : lacking) {
      flow_plan skipped = made.plan;
      skipped.set_edge(b, k, made.plan.successors(guard)[1].to);
      REQUIRE(wrong_way(g, skipped) == "");
      ++tried;
      if (!is_structured(skipped)) ++broken;
    }
  }
  CHECK(tried > 3);
  CHECK(broken > 0);
}

TEST_CASE("linearize: a plan can be linearized once more, and then nothing is left to do") {  // P7
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    testing::rng random(seed + 31);
    const csr_graph g = random_graph(random, 12);
    const linearization made = linearize(g);
    const linearization again = linearize(made.plan);
    CHECK(again.structured);
    CHECK(again.rounds == 0);
    CHECK(again.plan.num_blocks() == made.plan.num_blocks());
    CHECK(text(again.plan) == text(made.plan));
  }
  // A plan that was linearized flat first can be taken as a graph; its guards are blocks like others.
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    testing::rng random(seed + 31);
    const csr_graph g = random_graph(random, 10);
    flow_plan p(g);
    std::vector<block_id> all;
    const csr_graph shape = snapshot(g);
    for (block_id b = 0; b < g.num_blocks(); ++b)
      if (b == g.entry() || !shape.predecessors(b).empty()) all.push_back(b);
    bool exits = false, leads_out = false;
    for (const block_id b : all) exits = exits || g.is_exit(b);
    (void)leads_out;
    const linearization first = linearize_blocks(p, all, {loop_guards::source, guard_optimization::none, {}});
    REQUIRE_MESSAGE(wrong_way(g, first.plan) == "", text(seed, g, first.plan));
    std::vector<block_id> more;
    const csr_graph now = snapshot(first.plan);
    for (block_id b = 0; b < now.num_blocks(); ++b)
      if (b == now.entry() || !now.predecessors(b).empty()) more.push_back(b);
    const linearization second = linearize_blocks(first.plan, more);
    REQUIRE_MESSAGE(wrong_way(g, second.plan) == "", text(seed, g, second.plan));
    check_same(seed, g, second.plan);
  }
}

TEST_CASE("linearize: convergent blocks are left where they are") {
  // A shared tail twice, one after the other; the first one has a barrier in an arm.
  const csr_graph g = testing::adjacency({{1, 2}, {3, 4}, {3}, {5}, {5}, {6, 7}, {8, 9}, {8}, {10}, {10}, {}});
  const linearization all = linearize(g);
  REQUIRE(all.regions.size() == 2);
  const linearization some = linearize(g, {}, [](block_id b) { return b == 4; });
  CHECK(some.regions.size() == 1);
  CHECK(some.refused == std::vector<block_id>{4});
  CHECK(!some.structured);
  CHECK(wrong_way(g, some.plan) == "");
  for (const block_id b : {0U, 1U, 2U, 3U, 4U})
    for (std::size_t k = 0; k < g.successors(b).size(); ++k) CHECK(some.plan.successors(b)[k].to == g.successors(b)[k]);
  // The branch in front of a region and the block after it are not in it.
  const linearization outside = linearize(g, {}, [](block_id b) { return b == 0 || b == 5 || b == 10; });
  CHECK(outside.structured);
  CHECK(outside.refused.empty());
  const linearization none = linearize(g, {}, [](block_id) { return true; });
  CHECK(none.regions.empty());
  CHECK(none.plan.cost().blocks() == g.num_blocks());
  std::size_t refused = 0;
  for (std::uint64_t seed = 0; seed < 800; ++seed) {
    testing::rng random(seed);
    const csr_graph h = random_graph(random, 20);
    const auto convergent = [&](block_id b) { return testing::mix_bits(seed * 1000 + b) % 8 == 0; };
    const linearization made = linearize(h, {}, convergent);
    REQUIRE_MESSAGE(wrong_way(h, made.plan) == "", text(seed, h, made.plan));
    CHECK(made.structured == is_structured(made.plan));
    CHECK((made.structured || !made.refused.empty()));
    if (!made.structured) ++refused;
    for (const block_id b : made.refused) CHECK(convergent(b));
    if (h.num_blocks() != 0 && always_ends(h))
      REQUIRE_MESSAGE(wrong_meeting(h, made.plan, convergent) == "", text(seed, h, made.plan));
  }
  CHECK(refused > 50);
}

namespace {

// Marks the blocks of the regions that no divergent branch matters to. They are the outermost unstructured regions of g
// reduced to nodes. A divergent branch matters if it leads to two nodes of the region, or to one and out of it.
std::vector<unsigned char> blocks_without_parting(const csr_graph& g, const std::vector<unsigned char>& divergent,
                                                  std::uint32_t& regions) {
  const auto reduced = reduce_structure(g);
  const auto node = [&](block_id b) { return reduced.head_of(b).value_or(b); };
  csr_builder builder(g.num_blocks(), g.entry());
  for (block_id b = 0; b < g.num_blocks(); ++b) {
    if (!reduced.head_of(b)) continue;
    if (g.is_exit(b)) builder.mark_exit(node(b));
    for (const block_id s : g.successors(b))
      if (node(s) != node(b)) builder.add_edge(node(b), node(s));
  }
  const csr_graph nodes = builder.build();
  const auto flow = find_unstructured(nodes);
  std::vector<unsigned char> marked(g.num_blocks(), 0);
  regions = 0;
  for (std::uint32_t r = 0; r < flow.regions().size(); ++r) {
    const auto in = [&](block_id b) { return flow.region_of(node(b)) == r; };
    bool apart = false;
    for (block_id b = 0; b < g.num_blocks(); ++b) {
      if (divergent[b] == 0 || !reduced.head_of(b)) continue;
      std::vector<block_id> to;  // no_block: out of the region
      if (in(b) && g.is_exit(b)) to.push_back(no_block);
      for (const block_id s : g.successors(b)) {
        if (in(s) && node(s) != node(b)) to.push_back(node(s));
        if (in(b) && !in(s)) to.push_back(no_block);
      }
      for (const block_id t : to) apart = apart || t != to[0];
    }
    if (apart || flow.regions()[r].size < 2) continue;
    ++regions;
    for (block_id b = 0; b < g.num_blocks(); ++b)
      if (in(b)) marked[b] = 1;
  }
  return marked;
}

}  // namespace

TEST_CASE("linearize: a region stays as it is if no divergent branch matters to it") {
  // A shared tail twice, one after the other.
  const csr_graph g = testing::adjacency({{1, 2}, {3, 4}, {3}, {5}, {5}, {6, 7}, {8, 9}, {8}, {10}, {10}, {}});
  const auto only = [&](block_id wanted) {
    return linearize(g, {}, detail::nothing_convergent{}, [=](block_id b) { return b == wanted; });
  };
  CHECK(only(0).regions.size() == 1);  // it enters the first region at 1 and 2
  CHECK(only(0).uniform == 1);
  CHECK(only(1).regions.size() == 1);
  CHECK(only(6).regions.at(0).dominator == 5);
  CHECK(!only(6).structured);
  CHECK(only(2).regions.empty());  // no branch
  CHECK(only(2).uniform == 2);
  const auto barrier_in_uniform = linearize(
      g, {}, [](block_id b) { return b == 4; }, [](block_id b) { return b == 5; });
  CHECK(barrier_in_uniform.refused.empty());
  CHECK(barrier_in_uniform.regions.size() == 1);

  std::size_t left = 0, done = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    testing::rng random(seed + 17'000'000);
    const csr_graph h = seed % 2 == 0 ? random_graph(random, 24) : random_nest(random);
    std::vector<unsigned char> divergent;
    for (block_id b = 0; b < h.num_blocks(); ++b) divergent.push_back(random.below(8) == 0 ? 1 : 0);
    const auto is_divergent = [&](block_id b) { return divergent[b] != 0; };
    const linearization made = linearize(h, {}, detail::nothing_convergent{}, is_divergent);
    REQUIRE_MESSAGE(wrong_way(h, made.plan) == "", text(seed, h, made.plan));
    CHECK(made.structured == is_structured(made.plan));
    CHECK(made.structured == (made.uniform == 0));
    std::uint32_t regions = 0;
    const auto stays = blocks_without_parting(h, divergent, regions);
    if (made.rounds > 1 || made.endless != 0) continue;
    // Convergent blocks keep their regions by other means.
    const linearization other = linearize(h, {}, [&](block_id b) { return stays[b] != 0; });
    if (other.rounds > 1 || other.endless != 0) continue;
    CHECK_MESSAGE(made.uniform == regions, text(seed, h, made.plan));
    CHECK_MESSAGE(made.regions.size() == other.regions.size(), text(seed, h, made.plan));
    CHECK(text(seed, h, made.plan) == text(seed, h, other.plan));
    left += regions;
    done += made.regions.size();
  }
  CHECK(left > 200);
  CHECK(done > 200);
}

TEST_CASE("linearize: only what is around a convergent block stays as it is") {
  // A shared tail, 0 to 9, with another one in an arm, 2 to 7; the other arm, 1, has a barrier.
  const csr_graph g = testing::adjacency({{1, 2}, {7, 8}, {3, 4}, {5, 6}, {5}, {7}, {7}, {8, 9}, {9}, {}});
  const auto barrier = [](block_id b) { return b == 1; };
  REQUIRE(linearize(g).regions.size() == 1);
  const linearization made = linearize(g, {}, barrier);
  REQUIRE(made.regions.size() == 1);
  CHECK(made.regions[0].dominator == 2);
  CHECK(made.regions[0].after == 7);
  CHECK(made.refused == std::vector<block_id>{1});
  CHECK(!made.structured);
  CHECK(wrong_way(g, made.plan) == "");
  CHECK(wrong_meeting(g, made.plan, barrier) == "");
  check_same(1, g, made.plan);

  // In the results for random graphs no unstructured edge is left without a convergent block in its region.
  std::size_t partly = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    testing::rng random(seed + 9'000'000);
    const csr_graph h = random_nest(random);
    const auto convergent = [&](block_id b) {
      return b < h.num_blocks() && testing::mix_bits(seed * 99 + b) % 12 == 0;
    };
    const linearization done = linearize(h, {}, convergent);
    REQUIRE_MESSAGE(wrong_way(h, done.plan) == "", text(seed, h, done.plan));
    if (done.structured) continue;
    partly += done.regions.empty() ? 0 : 1;
    const csr_graph now = snapshot(done.plan);
    unstructured_flow<> left(now);
    closed_blocks region;
    for (const unstructured_edge& e : left.edges()) {
      left.region(e, region);
      bool has = false;
      for (const block_id b : region.blocks) has = has || convergent(b);
      CHECK_MESSAGE(has, "edge from " << e.where.from << "\n" << text(seed, h, done.plan));
    }
    if (seed % 8 == 0 && h.num_blocks() != 0) check_same(seed, h, done.plan);
  }
  CHECK(partly > 100);
}

TEST_CASE("linearize: linearize_blocks takes any set with one way out") {
  std::size_t done = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    testing::rng random(seed);
    const csr_graph g = random_graph(random, 12);
    const csr_graph shape = snapshot(g);
    std::vector<block_id> some;
    std::vector<unsigned char> in(g.num_blocks(), 0);
    for (block_id b = 0; b < g.num_blocks(); ++b)
      if ((b == g.entry() || !shape.predecessors(b).empty()) && random.chance(60)) {
        some.push_back(b);
        in[b] = 1;
      }
    std::vector<block_id> out;
    for (const block_id b : some) {
      for (const block_id s : g.successors(b))
        if (in[s] == 0) out.push_back(s);
      if (g.is_exit(b)) out.push_back(no_block);
    }
    bool one = true;
    for (const block_id b : out) one = one && b == out[0];
    if (!one || some.empty()) continue;
    ++done;
    linearize_options o;
    o.optimize = levels[seed % std::size(levels)];
    o.loops = loop_policies[seed / 4 % 3];
    const linearization made = linearize_blocks(g, some, o);
    REQUIRE_MESSAGE(wrong_way(g, made.plan) == "", name(o) << "\n" << text(seed, g, made.plan));
    check_same(seed, g, made.plan);
  }
  CHECK(done > 500);
}

TEST_CASE("linearize: an adapter's graph, the empty graph, a constant expression") {
  const csr_graph shape = testing::adjacency({{1, 2}, {2, 3}, {1}, {}});
  const function_graph g(4, [&](block_id b) { return shape.successors(b); });
  const linearization made = linearize(g, {}, [](block_id b) { return b == 3; });
  CHECK(made.structured);
  CHECK(made.regions.size() == 1);
  CHECK(linearize(csr_graph{}).structured);
  CHECK(linearize(csr_graph{}).plan.num_blocks() == 0);
  constexpr auto guards = [] { return linearize(testing::adjacency({{1, 2}, {2, 3}, {1}, {}})).plan.cost().guards; };
  static_assert(guards() == 2);
}

namespace {

// Structured afterwards, in reasonable time (about a second for 100,000 blocks when optimised; machines are shared).
void check_large(const csr_graph& g, const std::string& what, guard_optimization level) {
  linearize_options o;
  o.optimize = level;
  const auto began = std::chrono::steady_clock::now();
  const linearization made = linearize(g, o);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  CHECK_MESSAGE(made.structured, what);
  CHECK_MESSAGE(is_structured(made.plan), what);
  CHECK_MESSAGE(seconds < 20, what << " " << seconds << " s");
}

}  // namespace

TEST_CASE("linearize: large graphs without recursion: a ladder of 100,000 rungs") {
  constexpr block_id n = 100'000;
  csr_builder ladder(n + 2);
  for (block_id b = 0; b < n; ++b) ladder.add_edge(b, b + 1).add_edge(b, b + 2);
  check_large(ladder.build(), "ladder", guard_optimization::o4);
}

TEST_CASE("linearize: large graphs without recursion: many regions") {
  constexpr block_id n = 60'000;
  csr_builder tails(n + 1);  // shared tails in a row: a region each
  for (block_id b = 0; b < n; b += 6)
    tails.add_edge(b, b + 1)
        .add_edge(b, b + 2)
        .add_edge(b + 1, b + 3)
        .add_edge(b + 1, b + 4)
        .add_edge(b + 2, b + 3)
        .add_edge(b + 3, b + 5)
        .add_edge(b + 4, b + 5)
        .add_edge(b + 5, b + 6);
  check_large(tails.build(), "shared tails", guard_optimization::o4);
}

TEST_CASE("linearize: large graphs without recursion: random ones") {
  testing::rng random(1);
  const csr_graph g = testing::random_cfg(random, {.blocks = 20'000, .exits = 3, .terminating = true});
  check_large(g, "irreducible", guard_optimization::none);
  check_large(g, "irreducible", guard_optimization::o4);
  check_large(testing::random_acyclic(random, {.blocks = 20'000, .max_successors = 3, .exits = 3}), "acyclic",
              guard_optimization::o4);
}

TEST_CASE("linearize: large graphs without recursion: loops in loops, a switch in a loop") {
  check_large(nest(20'000, true, true), "nest", guard_optimization::o4);
  constexpr block_id n = 30'000;
  csr_builder dispatch(n + 2);  // a state machine: from everywhere to anywhere, through one switch
  for (block_id b = 1; b <= n; ++b) dispatch.add_edge(0, b).add_edge(b, 0).add_edge(b, b == n ? 1 : b + 1);
  dispatch.add_edge(0, n + 1);
  check_large(dispatch.build(), "state machine", guard_optimization::o4);
}
