// SPDX-License-Identifier: BSL-1.0
//
// Every number that a fixture states, against the machines and oracles that exist.
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/lower_bound.hpp>
#include <simtflow/simt/maximal_convergence.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/optimal_schedule.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/testing/fixtures.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

using namespace simtflow;

namespace {

template <class Policy>
void check(const Policy& policy, const testing::fixture& f, const testing::fixture_result& expected) {
  counts count;
  std::vector<block_id> schedule;
  auto record = [&](const event::issued<lane_mask>& e) { schedule.push_back(e.block); };
  both all(count, record);
  testing::fixture_threads threads(f);
  const verdict v = run(policy, threads, threads.shape(), all, {.steps = 10'000});
  CHECK_MESSAGE(v.how == expected.how, describe(v));
  if (expected.fetches != 0) CHECK(count.fetches == expected.fetches);
  if (expected.max_depth != 0) CHECK(count.max_depth == expected.max_depth);
  if (!expected.schedule.empty()) CHECK(schedule == expected.schedule);
}

std::uint64_t optimum(const testing::fixture& f) {
  optimal_schedule search;
  std::uint64_t sum = 0;
  for (std::uint32_t first = 0; first < f.paths.size(); first += f.warp_width) {
    std::vector<std::uint32_t> lanes;
    for (std::uint32_t t = first; t < f.paths.size() && t < first + f.warp_width; ++t) lanes.push_back(t);
    CHECK(search.find(f.paths, lanes) == schedule_status::optimal);
    sum += search.cost();
  }
  return sum;
}

}  // namespace

TEST_CASE("fixtures: the numbers they state") {
  std::set<std::string> names;
  for (const testing::fixture_entry& entry : testing::fixtures) {
    const testing::fixture f = entry.make();
    INFO(entry.name << ": " << f.name);
    CHECK(names.insert(f.name).second);
    CHECK(std::string(f.source) != "");
    CHECK(std::string(f.story) != "");
    REQUIRE(f.ranks.size() == f.graph.num_blocks());
    CHECK(std::set<std::uint32_t>(f.ranks.begin(), f.ranks.end()).size() == f.ranks.size());
    // The paths are paths of the graph.
    for (std::size_t t = 0; t < f.paths.size(); ++t) {
      const auto path = f.paths[t];
      REQUIRE(!path.empty());
      CHECK(path[0] == f.graph.entry());
      CHECK(f.graph.is_exit(path.back()));
      for (std::size_t i = 0; i + 1 < path.size(); ++i) {
        bool edge = false;
        for (const block_id s : f.graph.successors(path[i])) edge = edge || s == path[i + 1];
        CHECK(edge);
      }
    }
    const auto pdom = post_dominators(f.graph);
    check(ipdom_stack(pdom.ipdoms()), f, f.ipdom);
    check(thread_frontier(f.ranks), f, f.frontier);

    const auto nest = loops(f.graph);
    lower_bound least(f.graph.num_blocks());
    maximal_convergence m(nest);
    both all(least, m);
    testing::fixture_threads threads(f);
    CHECK(run(lane_serial(), threads, threads.shape(barrier_model::thread_arrival), all).finished());
    CHECK(least.fetches() == f.least);
    CHECK(m.executions() == f.converged);
    CHECK(optimum(f) == f.optimum);
    CHECK(f.least <= f.optimum);
    if (f.likely_fetches != 0) CHECK(f.likely.size() == f.graph.num_blocks());
  }
  CHECK(names.size() == 16);
}

TEST_CASE("fixtures: how often PDOM runs the blocks that the papers name") {
  const auto times = [](const testing::fixture& f, block_id block) {
    const auto pdom = post_dominators(f.graph);
    int n = 0;
    testing::fixture_threads threads(f);
    run(ipdom_stack(pdom.ipdoms()), threads, threads.shape(),
        [&](const event::issued<lane_mask>& e) { n += e.block == block ? 1 : 0; });
    return n;
  };
  for (const block_id twice : {2U, 3U, 4U}) CHECK(times(testing::fixture_figure_1(), twice) == 2);
  CHECK(times(testing::fixture_short_circuit(), 2) == 2);
  CHECK(times(testing::fixture_short_circuit(), 4) == 3);
  CHECK(times(testing::fixture_loop_merging(), 4) == 30);
  CHECK(times(testing::fixture_exception_in_loop(), 4) == 4);
  CHECK(times(testing::fixture_split_merge(), 5) == 3);
}

TEST_CASE("fixtures: the stack of the linearization paper's figure 3, entry by entry") {
  const testing::fixture f = testing::fixture_stack_depth();
  const auto pdom = post_dominators(f.graph);
  ipdom_stack stack(pdom.ipdoms());
  stack.start({0, lane_mask(0xF)});
  const fragment steps[][2] = {{{1, lane_mask(7)}, {2, lane_mask(8)}},
                               {{3, lane_mask(3)}, {4, lane_mask(4)}},
                               {{5, lane_mask(1)}, {6, lane_mask(2)}}};
  for (const auto& out : steps) {
    const auto f2 = stack.next();
    REQUIRE(f2);
    stack.advance(*f2, out);
  }
  REQUIRE(stack.next() == fragment{5, lane_mask(1)});
  const auto entries = stack.entries();
  REQUIRE(entries.size() == 7);
  for (std::size_t i = 0; i < 7; ++i) {
    const testing::stack_entry_fact& fact = testing::stack_depth_entries[i];
    const auto& e = entries[6 - i];
    CHECK(e.block == fact.block);
    CHECK(e.lanes == lane_mask(fact.lanes));
    CHECK(e.reconvergence == fact.reconvergence);
  }
}

TEST_CASE("fixtures: a spin lock hangs PDOM and one of two frontier orders") {
  const csr_graph g = testing::spin_lock::graph();
  const auto pdom = post_dominators(g);
  const std::vector<std::uint32_t> spin_first{0, 1}, work_first{1, 0};
  const launch shape{.threads = 4, .warp_width = 4};
  testing::spin_lock a, b, c;
  CHECK(run(ipdom_stack(pdom.ipdoms()), a, shape, no_observer{}, {.steps = 1000}).how == outcome::step_limit);
  CHECK(a.done() == 0);
  CHECK(run(thread_frontier(spin_first), b, shape, no_observer{}, {.steps = 1000}).how == outcome::step_limit);
  CHECK(b.done() == 0);
  const verdict v = run(thread_frontier(work_first), c, shape, no_observer{}, {.steps = 1000});
  CHECK(v.finished());
  CHECK(v.steps == 8);
  CHECK(c.done() == 4);
  CHECK(!(a.broken() || b.broken() || c.broken()));
}

TEST_CASE("fixtures: producer and consumers in one warp") {
  const csr_graph g = testing::producer_consumer::graph();
  const auto pdom = post_dominators(g);
  const std::vector<std::uint32_t> right{0, 1, 2, 3}, wrong{0, 2, 1, 3};
  const launch shape{.threads = 4, .warp_width = 4};
  for (std::uint32_t producer = 0; producer < 4; ++producer) {
    testing::producer_consumer a(producer), b(producer), c(producer);
    const bool first = producer == 0;
    CHECK(run(ipdom_stack(pdom.ipdoms()), a, shape, no_observer{}, {.steps = 1000}).finished() == first);
    CHECK(a.ready() == first);
    CHECK(run(thread_frontier(right), b, shape, no_observer{}, {.steps = 1000}).steps == 4);
    CHECK(!run(thread_frontier(wrong), c, shape, no_observer{}, {.steps = 1000}).finished());
  }
}

namespace {
constexpr std::uint64_t fetches_of(const testing::fixture& f) {
  counts count;
  testing::fixture_threads threads(f);
  run(thread_frontier(f.ranks), threads, threads.shape(), count);
  return count.fetches;
}
static_assert(fetches_of(testing::fixture_figure_1()) == 6);
static_assert(fetches_of(testing::fixture_loop_merging()) == 65);
}  // namespace
