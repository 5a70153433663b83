// SPDX-License-Identifier: BSL-1.0
//
// Every number that a fixture states, against the machines and oracles that exist; the papers' figures step by step;
// and what every policy makes of every fixture.
#include "simt/policy_table.hpp"
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/lower_bound.hpp>
#include <simtflow/simt/maximal_convergence.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/optimal_schedule.hpp>
#include <simtflow/simt/policies/conservative_branch.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/likely_convergence_stack.hpp>
#include <simtflow/simt/policies/thread_block_compaction.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/testing/fixtures.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

using namespace simtflow;
using namespace policy_table;

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

// The fixture's own order in the place of the first one.
void use_order(material& m, const testing::fixture& f) {
  std::vector<block_id> order(f.ranks.size());
  for (block_id b = 0; b < order.size(); ++b) order[f.ranks[b]] = b;
  m.orders[loop_contiguous] = ranking(f.graph, priority_order<csr_graph>(f.graph, order));
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
    check(policies::ipdom_stack(pdom.ipdoms()), f, f.ipdom);
    check(policies::thread_frontier(f.ranks), f, f.frontier);

    const auto nest = loops(f.graph);
    lower_bound least(f.graph.num_blocks());
    maximal_convergence m(nest);
    both all(least, m);
    testing::fixture_threads threads(f);
    CHECK(run(policies::lane_serial(), threads, threads.shape(barrier_model::thread_arrival), all).finished());
    CHECK(least.fetches() == f.least);
    CHECK(m.executions() == f.converged);
    CHECK(optimum(f) == f.optimum);
    CHECK(f.least <= f.optimum);

    // The papers' own mechanisms.
    material own(f.graph, f.warp_width);
    use_order(own, f);
    if (!f.likely.empty()) {
      CHECK(f.likely_fetches != 0);
      for (const policies::path_order order : {policies::path_order::first_target, policies::path_order::last_target})
        check(policies::likely_convergence_stack(pdom.ipdoms(), f.likely, order), f,
              {outcome::finished, f.likely_fetches, 0, {}});
    }
    if (f.compacted_fetches != 0)
      check(policies::thread_block_compaction(pdom.ipdoms(), policies::compaction_options{.lanes = own.lanes()}), f,
            {outcome::finished, f.compacted_fetches, 0, {}});
    if (f.no_ops != 0) {
      const auto& by = own.orders[loop_contiguous];
      counts swept;
      testing::fixture_threads again(f);
      CHECK(run(policies::conservative_branch(by.layout(), by.ranks(), by.conservative), again, again.shape(), swept)
                .finished());
      CHECK(swept.fetches == f.frontier.fetches);
      CHECK(swept.overhead_operations == f.no_ops);
    }
  }
  CHECK(names.size() == 16);
}

TEST_CASE("fixtures: how often PDOM runs the blocks that the papers name") {
  const auto times = [](const testing::fixture& f, block_id block) {
    const auto pdom = post_dominators(f.graph);
    int n = 0;
    testing::fixture_threads threads(f);
    run(policies::ipdom_stack(pdom.ipdoms()), threads, threads.shape(),
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

TEST_CASE("fixtures: thread frontiers, figure 1: who runs which block when, under PDOM and at thread frontiers") {
  const testing::fixture f = testing::fixture_figure_1();
  const auto pdom = post_dominators(f.graph);
  const auto schedule = [&](const auto& policy) {
    std::vector<fragment> all;
    testing::fixture_threads threads(f);
    run(policy, threads, threads.shape(), [&](const event::issued<lane_mask>& e) {
      all.push_back({e.block, e.lanes});
    });
    return all;
  };
  const auto at = [](block_id b, std::uint64_t lanes) { return fragment{b, lane_mask(lanes)}; };
  // The figure's scheduler takes BB2 (block 1) first: the target that lane 0 does not name. BB3, BB4 and BB5 run twice.
  CHECK(schedule(policies::ipdom_stack(pdom.ipdoms(), policies::path_order::last_target)) ==
        std::vector<fragment>{at(0, 0b1111), at(1, 0b1110), at(2, 0b1100), at(3, 0b1000), at(4, 0b0100), at(2, 0b0001),
                              at(3, 0b0001), at(4, 0b0001), at(5, 0b1111)});
  CHECK(schedule(policies::thread_frontier(f.ranks)) == std::vector<fragment>{at(0, 0b1111), at(1, 0b1110),
                                                                              at(2, 0b1101), at(3, 0b1001),
                                                                              at(4, 0b0101), at(5, 0b1111)});
}

TEST_CASE("fixtures: the stack of the linearization paper's figure 3, entry by entry") {
  const testing::fixture f = testing::fixture_stack_depth();
  const auto pdom = post_dominators(f.graph);
  policies::ipdom_stack stack(pdom.ipdoms());
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
  CHECK(run(policies::ipdom_stack(pdom.ipdoms()), a, shape, no_observer{}, {.steps = 1000}).how == outcome::step_limit);
  CHECK(a.done() == 0);
  CHECK(run(policies::thread_frontier(spin_first), b, shape, no_observer{}, {.steps = 1000}).how ==
        outcome::step_limit);
  CHECK(b.done() == 0);
  const verdict v = run(policies::thread_frontier(work_first), c, shape, no_observer{}, {.steps = 1000});
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
    CHECK(run(policies::ipdom_stack(pdom.ipdoms()), a, shape, no_observer{}, {.steps = 1000}).finished() == first);
    CHECK(a.ready() == first);
    CHECK(run(policies::thread_frontier(right), b, shape, no_observer{}, {.steps = 1000}).steps == 4);
    CHECK(!run(policies::thread_frontier(wrong), c, shape, no_observer{}, {.steps = 1000}).finished());
  }
}

namespace {
constexpr std::uint64_t fetches_of(const testing::fixture& f) {
  counts count;
  testing::fixture_threads threads(f);
  run(policies::thread_frontier(f.ranks), threads, threads.shape(), count);
  return count.fetches;
}
static_assert(fetches_of(testing::fixture_figure_1()) == 6);
static_assert(fetches_of(testing::fixture_loop_merging()) == 65);
}  // namespace

namespace {

// The run of every fixture under every policy, in the order of testing::fixtures, with the fixture's own priorities as
// the loop-contiguous order; then the lock, and the producer as lane 0 and lane 3. Blocks executed; D barrier deadlock,
// N nothing can run, S spins forever, - code it does not take. A fixture with a barrier: the whole warp waits / each
// thread waits for itself, "." where the policy cannot.
//
// Independent checks of this table: fixtures.hpp's own numbers (rows ipdom_stack and thread_frontier, by hand from the
// papers), the bounds and the equalities below, the worked figures of thread block compaction (7 for 8) and of dynamic
// warp formation in their tests.
//
// Columns: TF figures 1, 2(a), 2(c), 2(d), 3; exception in a conditional, loop, call; split merge; TBC figures 1, 7,
// 10; CFL figures 1, 2(a), 2(b), 3.
constexpr const char* all_results =
    R"(
ipdom_stack                               9  D/.  8/.  8/.  7  8 19 10 12  8  8  7  9  8 71 10 |  S  4  S
ipdom_stack, last target first            9  D/.  8/.  8/.  7  8 19 10 12  8  8  7  9  8 71 10 |  S  S  4
ipdom_stack, smaller first                9  D/.  8/.  8/.  7  8 19 10 12  8  8  7  9  8 71 10 |  S  4  4
ipdom_stack, larger first                 9  D/.  8/.  8/.  7  8 19 10 12  8  8  7  9  8 71 10 |  S  S  S
likely_convergence_stack                  9  D/.  8/.  8/.  7  8 19 10 12  8  8  6  9  8 71 10 |  S  4  S
predicate_stack                           -  -  8/.  8/.  -  - 19  -  -  8  8  6  -  8 71 10 |  S  4  4
dual_path                                 9  D/.  8/.  8/.  7  8 19 10 12  8  8  7  9  8 71 10 |  S  4  5
dual_path, one path then the other        9  D/.  8/.  8/.  7  8 19 10 12  8  8  7  9  8 71 10 |  S  S  4
multi_path                                9  D/6  8/8  8/8  7  8 19 10 12  8  8  7  9  8 71 10 |  S  4  S
multi_path, first in first out            9  D/6  8/8  8/8  7  8 19 10 12  8  8  7  9  8 71 10 |  S  4  5
multi_path, early joins                   8  5/5  8/8  8/8  7  6 19  7 10  8  8  6  8  8 71 10 |  S  4  5
aware                                     9  D/6  8/8  8/8  7  8 20 10 13  8  8  7  9  8 98 11 | 26  4  5
convergence_barriers                      8  5/5  8/8  8/8  7  6 19  7 10  8  8  6  8  8 71 10 |  S  4  5
convergence_barriers, round robin         6  5/5  8/8  8/8  7  6 18  8 10  8  8  6  8  8 71 10 |  S  7  6
convergence_barriers, lowest PC           6  5/5  8/8  8/8  7  6 16  7 10  8  8  6  6  8 71 10 |  S  S  S
convergence_barriers, highest PC          9  D/6  8/8  8/8  7  8 19 10 12  8  8  7  9  8 71 10 |  S  4  4
warp_subdivision                          8  5/5  8/11  8/11  7  6 19  7 10  8  8  6  8  8 71 10 |  S  4  5
thread_frontier                           6  5/5  D/11  8/8  7  6 16  7 10  8  8  6  6  8 65 10 |  S  S  S
thread_frontier, depth-first order        6  5/5  8/8  8/8  7  6 19  7 10  8  8  6  6  8 65 10 |  S  S  S
thread_frontier, by block id              6  5/5  D/11  D/11  7  6 16  7 10  8  8  6  6  8 71 10 |  S  4  4
thread_frontier, by block id downwards   12  D/6  8/8  8/8  8  9 22 12 15 10 10  9 12 11 73 16 |  8  S  S
conservative_branch                       6  5/.  D/.  8/.  7  6 16  7 10  8  8  6  6  8 65 10 |  S  S  S
conservative_branch, by block id          6  5/.  D/.  D/.  7  6 16  7 10  8  8  6  6  8 71 10 |  S  4  4
min_pc                                    6  5/5  D/11  8/8  7  6 16  7 10  8  8  6  6  8 65 10 |  S  S  S
min_pc, by block id downwards            12  D/6  8/8  8/8  8  9 22 12 15 10 10  9 12 11 73 16 |  8  S  S
dynamic_warps, majority                   6  ./5  ./12  ./12  7  6 16  7 10  8  8  6  6  8 65 10 |  S  S  S
dynamic_warps, minority                   6  ./5  ./12  ./12  7  6 16  7 10  8  8  6  6  8 65 10 |  S  S  S
dynamic_warps, time                       9  ./5  ./12  ./12  7  6 22  7 11  7  7  6  9  8 67 13 |  8  4  5
dynamic_warps, PC                         6  ./5  ./12  ./12  7  6 16  7 10  7  7  6  6  8 65 10 |  S  S  S
dynamic_warps, post-dominators            6  ./5  ./12  ./12  7  6 18  8 11  7  7  6  8  8 71 11 |  S  S  S
dynamic_warps_barrier, majority           6  ./5  ./12  ./12  7  6 16  7 10  7  7  6  6  8 71 10 |  S  S  S
dynamic_warps_barrier, time               8  ./5  ./12  ./12  7  6 19  7 10  7  7  6  8  8 71 11 |  S  4  5
dynamic_warps_barrier, post-dominators    6  ./5  ./12  ./12  7  6 18  8 11  7  7  6  8  8 71 10 |  S  S  S
thread_block_compaction                   9  ./N  ./8  ./8  7  8 19 10 12  7  7  7  9  8 71 10 |  S  4  S
thread_block_compaction, likely points    9  ./N  ./8  ./8  7  8 19 10 12  7  7  6  9  8 71 10 |  S  4  S
thread_block_compaction, permuted lanes   9  ./N  ./8  ./8  7  8 19 10 12  8  7  7  9  8 71 10 |  S  4  S
thread_block_compaction, static warps     9  ./N  ./8  ./8  7  8 19 10 12  8  8  7  9  8 71 10 |  S  4  S
thread_block_compaction, CAPRI            9  ./N  ./8  ./8  7  8 19 10 12  7  7  7  9  8 71 10 |  S  4  S
large_warps of 1                          9  ./N  ./8  ./8  7  8 19 10 12  8  8  7  9  8 71 10 |  S  4  S
large_warps of 3                          9  ./N  ./8  ./8  7  8 19 10 12  7  7  7  9  8 71 10 |  S  4  S
no_reconvergence                         12  D/7  D/13  D/13  8  9 22 12 15 10 10  9 12 11 98 16 |  8  5  6
mimd                                     18  D/8  D/15  D/15  9 20 46 19 18 24 24 16 17 16 122 22 | 14 12 15
lane_serial                              18  D/8  D/15  D/15  9 20 46 19 18 24 24 16 17 16 122 22 |  8 12  S
oldest_first                              9  5/5  D/11  D/11  7  6 22  7 11  8  8  6  9  8 67 13 |  8  4  5
)";

std::string result(const record& r, const char* format) {
  char text[16] = {};
  const char* word = r.how.how == outcome::barrier_deadlock   ? "D"
                     : r.how.how == outcome::nothing_runnable ? "N"
                     : r.how.how == outcome::step_limit       ? "S"
                                                              : "?";
  const std::string number = std::to_string(r.steps.size());
  std::snprintf(text, sizeof text, format, r.how.finished() ? number.c_str() : word);
  return text;
}

}  // namespace

TEST_CASE("fixtures: what every policy makes of each") {
  std::string all = "\n";
  for (const entry& policy : all_policies()) {
    std::string line(policy.what.name);
    INFO(line);
    line.resize(40, ' ');
    for (const testing::fixture_entry& listed : testing::fixtures) {
      const testing::fixture f = listed.make();
      INFO(f.name);
      material m(f.graph, f.warp_width);
      use_order(m, f);
      if (!f.likely.empty()) m.likely = f.likely;
      if (policy.what.is(structured_only) && m.code.empty()) {
        line += "  -";
        continue;
      }
      const auto go = [&](barrier_model barriers) {
        testing::fixture_threads threads(f);
        const record r = policy.run(
            m, threads.shape(barriers),
            [&](block_id b, const group& g, partition& out) { return threads.run(b, g, out); }, 10'000);
        std::uint64_t visits = 0;
        for (std::size_t t = 0; t < f.paths.size(); ++t) visits += f.paths[t].size();
        if (!r.how.finished()) return r;
        if (policy.can.scope == policy_scope::warp) CHECK(r.steps.size() >= f.optimum);
        CHECK(r.steps.size() <= visits);
        if (policy.what.is(alone)) CHECK(r.steps.size() == visits);
        if (policy.what.is(as_pdom) && f.barriers.empty()) CHECK(r.steps.size() == f.ipdom.fetches);
        return r;
      };
      if (f.barriers.empty()) {
        line += result(go(barrier_model::whole_warp), " %2s");
      } else {
        line += policy.can.scope == policy_scope::warp ? result(go(barrier_model::whole_warp), " %2s") : "  .";
        line += policy.can.parks ? result(go(barrier_model::thread_arrival), "/%s") : "/.";
      }
    }
    const auto memory = [&](auto program, const csr_graph& g) {
      const material m(g, 4);
      if (policy.what.is(structured_only) && m.code.empty()) {
        line += "  -";
        return;
      }
      const auto step = [&](block_id b, const group& which, partition& out) {
        which.lanes.for_each(
            [&](std::uint32_t lane) { out.go(program(which.first_thread + lane, b), lane_mask::lane(lane)); });
        return block_end::next;
      };
      const record r = policy.run(m, {.threads = 4, .warp_width = 4}, step, 1000);
      line += result(r, " %2s");
      if (policy.can.progress == progress_class::fair) CHECK(r.how.finished());
    };
    line += " |";
    memory(testing::spin_lock(), testing::spin_lock::graph());
    memory(testing::producer_consumer(0), testing::producer_consumer::graph());
    memory(testing::producer_consumer(3), testing::producer_consumer::graph());
    all += line + "\n";
  }
  CHECK_MESSAGE(all == std::string(all_results), all);
}
