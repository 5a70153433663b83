// SPDX-License-Identifier: BSL-1.0
//
// Oracle: iteration vectors from scratch, by looking back along each thread's path for the last block outside each
// loop, and sets of vectors instead of numbered ones.
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/maximal_convergence.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/observers/mixed_iterations.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/testing/fixtures.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/testing/shapes.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

using namespace simtflow;

namespace {

using path = std::vector<block_id>;
using vector_of_laps = std::vector<std::uint64_t>;

// Executions of the headers of the loops around the last block, since the last block outside each of them.
vector_of_laps iteration(const path& p, const loop_forest<csr_graph>& loops) {
  vector_of_laps laps;
  for (const loop_id l : ids_below<loop_id>(loops.num_loops())) {
    if (!loops.contains(l, p.back())) continue;
    std::uint64_t n = 0;
    for (std::size_t i = p.size(); i-- > 0 && loops.contains(l, p[i]);) n += loops.header(l) == p[i] ? 1 : 0;
    laps.push_back(index_of(l));
    laps.push_back(n);
  }
  return laps;
}

struct oracle {
  std::uint64_t executions = 0, mixed = 0, again = 0;
};

// From the schedule of a run of one policy: (first thread, block, lanes).
oracle judge(const std::vector<event::issued<lane_mask>>& schedule, const loop_forest<csr_graph>& loops,
             const launch& shape) {
  oracle o;
  std::vector<path> paths(shape.threads);
  std::set<std::pair<std::uint32_t, vector_of_laps>> seen;  // (warp, (block, iterations))
  for (const auto& e : schedule) {
    std::set<vector_of_laps> here;
    bool again = true;
    e.lanes.for_each([&](std::uint32_t lane) {
      path& p = paths[e.first_thread + lane];
      p.push_back(e.block);
      vector_of_laps v = iteration(p, loops);
      here.insert(v);
      v.push_back(e.block);
      if (seen.insert({(e.first_thread + lane) / shape.warp_width, v}).second) again = false;
    });
    o.mixed += here.size() > 1 ? 1 : 0;
    o.again += again ? 1 : 0;
  }
  o.executions = seen.size();
  return o;
}

template <class Policy>
std::uint64_t check(const Policy& policy, const testing::random_walks& walks, const loop_forest<csr_graph>& loops,
                    launch shape) {
  maximal_convergence m(loops);
  mixed_iterations mixed(loops);
  counts count;
  std::vector<event::issued<lane_mask>> schedule;
  auto record = [&](const event::issued<lane_mask>& e) { schedule.push_back(e); };
  both first(m, mixed);
  both second(count, record);
  both all(first, second);
  CHECK(run(policy, testing::walking_threads(walks, shape.threads), shape, all).finished());
  const oracle o = judge(schedule, loops, shape);
  REQUIRE(m.executions() == o.executions);
  REQUIRE(m.warp_instructions() == o.executions);
  REQUIRE(m.reexecutions() == o.again);
  REQUIRE(mixed.total() == o.mixed);
  if (o.mixed == 0) REQUIRE(count.fetches == o.executions + o.again);
  return o.executions;
}

}  // namespace

TEST_CASE("maximal_convergence: random graphs under three policies, against vectors from scratch") {
  std::uint64_t mixed_somewhere = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    testing::rng random(seed);
    testing::cfg_options options;
    options.blocks = random.between(1, 10);
    options.max_successors = random.between(1, 3);
    options.terminating = true;
    options.reducible = random.chance(50);
    options.unreachable_percent = random.chance(20) ? 20 : 0;
    const csr_graph g = testing::random_cfg(random, options);
    INFO("seed " << seed << "\n" << to_dot(g));
    const testing::random_walks walks(g, {.seed = seed});
    const auto nest = loops(g);
    const launch shape{.threads = static_cast<std::uint32_t>(random.between(1, 9)),
                       .warp_width = static_cast<std::uint32_t>(random.between(1, 5)),
                       .entry = g.entry()};
    const auto pdom = post_dominators(g);
    const auto order = loop_contiguous_order(g);
    launch alone = shape;
    alone.barriers = barrier_model::thread_arrival;
    const std::uint64_t m = check(policies::lane_serial(), walks, nest, alone);
    CHECK(check(policies::ipdom_stack(pdom.ipdoms()), walks, nest, shape) == m);
    CHECK(check(policies::thread_frontier(order.ranks()), walks, nest, shape) == m);
    mixed_iterations mixed(nest);
    run(policies::ipdom_stack(pdom.ipdoms()), testing::walking_threads(walks, shape.threads), shape, mixed);
    mixed_somewhere += mixed.total() != 0 ? 1 : 0;
  }
  CHECK(mixed_somewhere > 2);  // PDOM does mix iterations on arbitrary graphs
}

TEST_CASE("maximal_convergence: every graph of up to three blocks, named shapes") {
  const auto one = [](const csr_graph& g, std::uint64_t seed) {
    if (g.num_blocks() == 0) return;
    const auto pdom = post_dominators(g);
    if (!pdom.reaches_exit(g.entry())) return;
    INFO(to_dot(g));
    const testing::random_walks walks(g, {.seed = seed, .patience = 3});
    const auto nest = loops(g);
    const auto order = reverse_post_order(g);
    check(policies::thread_frontier(order.ranks()), walks, nest, {.threads = 4, .warp_width = 4, .entry = g.entry()});
  };
  for (std::size_t blocks = 1; blocks <= 3; ++blocks) {
    std::uint64_t seed = 0;
    testing::for_each_small_cfg(blocks, [&](const csr_graph& g) { one(g, ++seed); });
  }
  for (const testing::shape& s : testing::shapes) one(s.make(), 7);
}

TEST_CASE("maximal_convergence: structured programs reach it under PDOM and frontiers, and never mix") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    testing::rng random(seed);
    const auto p = testing::random_structured_program(random);
    INFO("seed " << seed << "\n" << to_dot(p.graph));
    const testing::random_walks walks(p.graph, {.seed = seed}, p.uniform);
    const auto nest = loops(p.graph);
    const auto pdom = post_dominators(p.graph);
    maximal_convergence m(nest);
    mixed_iterations mixed(nest);
    counts count;
    both two(m, mixed);
    both all(two, count);
    run(policies::ipdom_stack(pdom.ipdoms()), testing::walking_threads(walks, 20), {.threads = 20, .warp_width = 8},
        all);
    CHECK(count.fetches == m.executions());
    CHECK(m.reexecutions() == 0);
    CHECK(mixed.total() == 0);
    CHECK(mixed.first() == no_block);
  }
}

TEST_CASE("maximal_convergence: loop merging mixes iterations and beats it") {
  const testing::fixture f = testing::fixture_loop_merging();
  const auto nest = loops(f.graph);
  maximal_convergence m(nest);
  mixed_iterations mixed(nest);
  counts count;
  both two(m, mixed);
  both all(two, count);
  testing::fixture_threads threads(f);
  run(policies::thread_frontier(f.ranks), threads, threads.shape(), all);
  CHECK(m.executions() == 71);
  CHECK(count.fetches == 65);
  CHECK(mixed.total() > 0);
  CHECK(mixed.of(4) > 0);
  CHECK(mixed.of(1) == 0);
  const std::vector<unsigned char> inner{0, 0, 0, 1, 1};
  CHECK(mixed.of_marked(inner) == mixed.total());
  CHECK((mixed.first() == 3 || mixed.first() == 4));
}

TEST_CASE("maximal_convergence: weights, several thread blocks, a run that is cut off") {
  const csr_graph g = testing::while_loop();  // 0 -> 1 -> {2, 3}, 2 -> 1
  const auto nest = loops(g);
  const auto pdom = post_dominators(g);
  const std::vector<std::uint32_t> weights{1, 10, 100, 1000};
  maximal_convergence m(nest);
  const auto go = [&](std::uint64_t steps) {
    callable_program p(
        [laps = std::vector<unsigned>(4)](std::uint32_t t, block_id b) mutable -> block_id {
          if (b == 1) return laps[t]++ < t ? 2U : 3U;
          return b == 3 ? no_block : 1U;
        },
        weights);
    executor machine{policies::ipdom_stack(pdom.ipdoms())};
    return machine.run(p, {.threads = 4, .warp_width = 4}, m, {.steps = steps});
  };
  CHECK(go(1000).finished());
  CHECK(m.executions() == 1 + 4 + 3 + 1);
  CHECK(m.warp_instructions() == 1 + 40 + 300 + 1000);
  CHECK(!go(3).finished());
  CHECK(m.executions() == 9);
  CHECK(go(1000).finished());
  CHECK(m.executions() == 18);
  CHECK(m.warp_instructions() == 2 * 1341);
}

TEST_CASE("maximal_convergence: deep nests and long runs stay near-linear") {
  // 2,000 loops in one another, each run through once; then one loop of a million iterations.
  const std::uint32_t depth = 2000;
  csr_builder builder(2 * depth + 1);
  for (block_id d = 0; d < depth; ++d) builder.add_edge(d, d + 1);
  for (block_id d = 0; d < depth; ++d) {
    const block_id latch = depth + d;  // latch d closes loop depth - 1 - d
    if (d > 0) builder.add_edge(latch, latch + 1);
    builder.add_edge(latch, depth - 1 - d);
    if (d == 0) builder.add_edge(latch, latch + 1);
  }
  const csr_graph g = builder.build();
  const auto nest = loops(g);
  CHECK(nest.num_loops() == depth);
  maximal_convergence m(nest);
  const auto order = reverse_post_order(g);
  const auto out = [&](std::uint32_t, block_id b) -> block_id {
    const auto s = g.successors(b);
    return s.empty() ? no_block : s[0] > b ? s[0] : s[1];
  };
  CHECK(run(policies::thread_frontier(order.ranks()), out, {.threads = 2}, m).finished());
  CHECK(m.executions() == 2 * depth + 1);

  const csr_graph one = testing::self_loop();
  const auto nest_one = loops(one);
  maximal_convergence many(nest_one);
  const auto order_one = reverse_post_order(one);
  auto spin = [n = 0](std::uint32_t, block_id b) mutable -> block_id {
    return b == 0 ? 1U : b == 2 ? no_block : ++n < 300'000 ? 1U : 2U;
  };
  CHECK(run(policies::thread_frontier(order_one.ranks()), spin, {.threads = 1}, many).finished());
  CHECK(many.executions() == 300'002);
}

namespace {
constexpr std::uint64_t m_of_loop_merging() {
  const testing::fixture f = testing::fixture_short_circuit();
  const loop_forest<csr_graph> nest(f.graph);
  maximal_convergence m(nest);
  mixed_iterations mixed(nest);
  both all(m, mixed);
  testing::fixture_threads threads(f);
  run(policies::thread_frontier(f.ranks), threads, threads.shape(), all);
  return m.executions() + 100 * mixed.total();
}
static_assert(m_of_loop_merging() == 6);
}  // namespace
