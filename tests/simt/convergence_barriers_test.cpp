// SPDX-License-Identifier: BSL-1.0
//
// Convergence barriers. Oracles: the IPDOM stack on structured programs; a machine that keeps a state for every lane
// and looks at all barriers after every operation, on random tables; hand-made tables for what each operation means.
#include "list_support.hpp"
#include "simt/oldest_first.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/simt/policies/convergence_barriers.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/testing/shapes.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>

using namespace list_tests;
using simtflow_tests::oldest_first;

namespace {

using op = policies::convergence_op;
constexpr policies::selection_order orders[] = {
    policies::selection_order::oldest, policies::selection_order::round_robin, policies::selection_order::lowest_pc,
    policies::selection_order::highest_pc};

// A state for each lane; blocks lie by id. Not for selection_order::oldest.
class lane_machine {
 public:
  using mask_type = lane_mask;
  lane_machine(std::vector<policies::convergence_operation> operations, policies::convergence_options options)
      : operations_(std::move(operations)), options_(options) {}

  void start(const fragment& f) {
    lane_.clear();
    members_.clear();
    turn_ = 0;
    counted = {};
    come(f);
  }
  std::optional<fragment> next() {
    std::set<std::uint32_t> ready;
    for (const auto& [lane, s] : lane_)
      if (s.how == state::ready && !s.yielded) ready.insert(lane);
    if (ready.empty())
      for (auto& [lane, s] : lane_)
        if (s.how == state::ready) {
          s.yielded = false;
          ready.insert(lane);
        }
    if (ready.empty()) return std::nullopt;
    std::uint32_t chosen = *ready.begin();
    if (options_.order == policies::selection_order::round_robin) {
      const auto at = ready.lower_bound(turn_);
      chosen = at == ready.end() ? *ready.begin() : *at;
      turn_ = chosen + 1;
    } else {
      for (const std::uint32_t lane : ready) {
        const block_id b = lane_[lane].block, best = lane_[chosen].block;
        if (options_.order == policies::selection_order::lowest_pc ? b < best : b > best) chosen = lane;
      }
    }
    fragment f{lane_[chosen].block, {}};
    for (auto& [lane, s] : lane_)
      if (s.how == state::ready && s.block == f.block) {
        s.how = state::running;
        f.lanes.set(lane);
      }
    return f;
  }
  void advance(const fragment& f, std::span<const fragment> out) {
    for (const policies::convergence_operation& o : operations_)
      if (o.block == f.block && o.what == op::arm) {
        bool adds = false;
        f.lanes.for_each([&](std::uint32_t lane) { adds = members_[o.barrier].insert(lane).second || adds; });
        counted.arms += adds ? 1 : 0;
      }
    lane_mask ended = f.lanes;
    for (const fragment& o : out) ended -= o.lanes;
    ended.for_each([&](std::uint32_t lane) {
      lane_.erase(lane);
      for (auto& [barrier, lanes] : members_) lanes.erase(lane);
    });
    open_all();
    work();
    for (const fragment& o : out) come(o);
  }
  std::map<std::uint32_t, std::set<std::uint32_t>> waiting() const {  // by lane: the barrier
    std::map<std::uint32_t, std::set<std::uint32_t>> all;
    for (const auto& [lane, s] : lane_)
      if (s.how == state::blocked) all[lane].insert(s.barrier);
    return all;
  }
  policies::convergence_counts counted;

 private:
  enum class state { ready, running, blocked, arriving };
  struct lane_state {
    state how = state::arriving;
    block_id block = 0;
    std::size_t operation = 0;
    std::uint32_t barrier = 0;
    bool yielded = false;
  };
  struct task {
    block_id block;
    std::size_t operation;
    std::set<std::uint32_t> lanes;
  };

  void come(const fragment& f) {
    task t{f.block, 0, {}};
    f.lanes.for_each([&](std::uint32_t lane) {
      t.lanes.insert(lane);
      lane_[lane] = lane_state{state::arriving, f.block, 0, 0, false};
    });
    tasks_.push_back(t);
    work();
  }
  void work() {
    while (!tasks_.empty()) {
      task t = tasks_.back();
      tasks_.pop_back();
      execute(t);
    }
  }
  void execute(task& t) {
    std::vector<policies::convergence_operation> here;
    for (const policies::convergence_operation& o : operations_)
      if (o.block == t.block && o.what != op::arm) here.push_back(o);
    bool yields = false;
    for (; t.operation < here.size() && !t.lanes.empty(); ++t.operation) {
      const policies::convergence_operation& o = here[t.operation];
      std::set<std::uint32_t>& members = members_[o.barrier];
      if (o.what == op::yield) {
        ++counted.yields;
        yields = true;
      } else if (o.what == op::leave) {
        ++counted.leaves;
        for (const std::uint32_t lane : t.lanes) members.erase(lane);
      } else {
        ++counted.waits;
        for (auto it = t.lanes.begin(); it != t.lanes.end();)
          if (members.contains(*it)) {
            lane_[*it] = lane_state{state::blocked, t.block, t.operation + 1, o.barrier, false};
            it = t.lanes.erase(it);
          } else {
            ++it;
          }
      }
      open_all();
    }
    bool there = false, there_yielded = true;
    for (const auto& [lane, s] : lane_)
      if (s.how == state::ready && s.block == t.block) {
        there = true;
        there_yielded = there_yielded && s.yielded;
      }
    if (t.lanes.empty()) return;
    const bool yielded = yields && (!there || there_yielded);
    for (const std::uint32_t lane : t.lanes) lane_[lane] = lane_state{state::ready, t.block, 0, 0, false};
    for (auto& [lane, s] : lane_)
      if (s.how == state::ready && s.block == t.block) s.yielded = yielded;
    open_all();
  }
  void open_all() {
    for (auto& [barrier, lanes] : members_) {
      bool some = false, all = true;
      for (const std::uint32_t lane : lanes) {
        const lane_state& s = lane_[lane];
        const bool waits = s.how == state::blocked && s.barrier == barrier;
        some = some || waits;
        all = all && (waits || (options_.yielded_count && s.how == state::ready && s.yielded));
      }
      if (!some || !all) continue;
      lanes.clear();
      std::map<std::pair<block_id, std::size_t>, std::set<std::uint32_t>> places;
      for (auto& [lane, s] : lane_)
        if (s.how == state::blocked && s.barrier == barrier) {
          s.how = state::arriving;
          places[{s.block, s.operation}].insert(lane);
        }
      for (const auto& [place, who] : places) tasks_.push_back({place.first, place.second, who});
    }
  }

  std::vector<policies::convergence_operation> operations_;
  policies::convergence_options options_;
  std::map<std::uint32_t, lane_state> lane_;
  std::map<std::uint32_t, std::set<std::uint32_t>> members_;
  std::deque<task> tasks_;
  std::uint32_t turn_ = 0;
};
static_assert(reconvergence_policy<lane_machine>);

std::string text(const std::vector<policies::convergence_operation>& operations) {
  const char* const names[] = {"arm", "wait", "leave", "yield"};
  std::string all;
  for (const policies::convergence_operation& o : operations)
    all += "BB" + std::to_string(o.block) + " " + names[static_cast<int>(o.what)] + " B" + std::to_string(o.barrier) +
           "\n";
  return all;
}

// Runs paths through a table, one warp.
struct by_hand {
  policies::convergence_table table;
  policies::convergence_barriers policy;
  record result;

  by_hand(std::size_t blocks, const std::vector<policies::convergence_operation>& operations,
          const std::vector<std::vector<block_id>>& paths, const policies::convergence_options& options = {})
      : table(blocks, operations), policy(table, options) {
    callable_program program{path_walker(paths)};
    const auto lanes = static_cast<std::uint32_t>(paths.size());
    result = observe_program(referenced<policies::convergence_barriers>(policy), program, blocks,
                             {.threads = lanes, .warp_width = lanes});
  }
};

}  // namespace

TEST_CASE("convergence_barriers: barriers at post-dominators on every kind of graph, in every order") {
  for_each_random_case(500, [](std::uint64_t, const csr_graph& g, const testing::random_walks& walks,
                               const launch& shape) {
    const auto pdom = post_dominators(g);
    const policies::convergence_table table(g.num_blocks(), policies::ipdom_barriers(g, pdom.ipdoms()));
    for (const policies::selection_order order : orders) {
      INFO("order " << static_cast<int>(order));
      const record r = observe(policies::convergence_barriers(table, {.order = order}), walks, shape);
      check_run(r, walks, shape);
      CHECK(r.count.max_depth <= shape.warp_width + 1);
      // One register is as good as many, but for the moves.
      const record one = observe(policies::convergence_barriers(table, {.order = order, .registers = 1}), walks, shape);
      CHECK(text(one.schedule) == text(r.schedule));
      CHECK(one.count.overhead_operations >= r.count.overhead_operations);
    }
  });
}

TEST_CASE(
    "convergence_barriers: barriers at post-dominators fetch what the IPDOM stack fetches on structured programs") {
  for_each_random_program(
      400, false,
      [](std::uint64_t, const testing::structured_program& p, const testing::random_walks& walks, const launch& shape) {
        const auto pdom = post_dominators(p.graph);
        const record stack = observe(policies::ipdom_stack(pdom.ipdoms()), walks, shape);
        const auto all = policies::ipdom_barriers(p.graph, pdom.ipdoms());
        const auto divergent = policies::ipdom_barriers(p.graph, pdom.ipdoms(), p.uniform);
        CHECK(divergent.size() <= all.size());
        for (const auto& operations : {all, divergent}) {
          const policies::convergence_table table(p.graph.num_blocks(), operations);
          for (const policies::selection_order order : orders) {
            const record r = observe(policies::convergence_barriers(table, {.order = order}), walks, shape);
            check_run(r, walks, shape);
            CHECK(r.count.fetches == stack.count.fetches);
          }
        }
      });
}

TEST_CASE("convergence_barriers: random tables do what a machine with a state for every lane does") {
  std::uint64_t deadlocks = 0, finished = 0;
  for_each_random_case(4000, [&](std::uint64_t seed, const csr_graph& g, const testing::random_walks& walks,
                                 launch shape) {
    shape.warp_width = 8;
    shape.threads = std::min(shape.threads, 8U);
    testing::rng random(seed + 1'000'000);
    std::vector<policies::convergence_operation> operations;
    const std::size_t barriers = random.between(1, 4);
    for (std::size_t i = random.between(1, 3 * g.num_blocks()); i > 0; --i)
      operations.push_back(
          {static_cast<block_id>(random.below(g.num_blocks())),
           std::array{op::arm, op::arm, op::arm, op::wait, op::wait, op::wait, op::leave, op::yield}[random.below(8)],
           static_cast<std::uint32_t>(random.below(barriers))});
    INFO(text(operations));
    const policies::convergence_table table(g.num_blocks(), operations);
    for (const policies::selection_order order : orders) {
      if (order == policies::selection_order::oldest) continue;
      const policies::convergence_options options{.order = order, .yielded_count = random.chance(50)};
      INFO("order " << static_cast<int>(order) << ", yielded count: " << options.yielded_count);
      policies::convergence_barriers policy(table, options);
      lane_machine machine(operations, options);
      const record a = observe(referenced<policies::convergence_barriers>(policy), walks, shape);
      const record b = observe(referenced<lane_machine>(machine), walks, shape);
      REQUIRE(text(a.schedule) == text(b.schedule));
      REQUIRE(a.how.how == b.how.how);
      REQUIRE((a.how.how == outcome::finished || a.how.how == outcome::lost_threads));
      if (a.how.finished()) {
        ++finished;
        check_run(a, walks, shape);
        REQUIRE(policy.blocked_groups().empty());
      } else {
        ++deadlocks;
        std::map<std::uint32_t, std::set<std::uint32_t>> blocked;
        for (const auto& group : policy.blocked_groups())
          group.lanes.for_each([&](std::uint32_t lane) {
            blocked[lane].insert(group.barrier);
            REQUIRE(policy.participants(group.barrier).test(lane));
          });
        REQUIRE(blocked == machine.waiting());
      }
      CHECK(policy.operations().arms == machine.counted.arms);
      CHECK(policy.operations().waits == machine.counted.waits);
      CHECK(policy.operations().leaves == machine.counted.leaves);
      CHECK(policy.operations().yields == machine.counted.yields);
      CHECK(policy.overhead() == policy.operations().all());
    }
  });
  CHECK(deadlocks > 100);
  CHECK(finished > 2000);
}

TEST_CASE("convergence_barriers: one arm and one wait for each loop that diverges") {
  const csr_graph g = testing::while_loop();  // header 1, body 2, exit 3
  const auto pdom = post_dominators(g);
  const auto operations = policies::ipdom_barriers(g, pdom.ipdoms());
  CHECK(text(operations) == "BB3 wait B0\nBB1 arm B0\n");
  const by_hand run(4, operations, {{0, 1, 3}, {0, 1, 2, 1, 3}, {0, 1, 2, 1, 2, 1, 3}});
  CHECK(run.result.how.finished());
  CHECK(run.result.count.fetches == 7);  // 0; 1 three times; 2 twice; 3
  CHECK(run.policy.operations().arms == 1);
  CHECK(run.policy.operations().waits == 3);  // the lanes come one by one
  CHECK(run.policy.operations().moves == 0);
  CHECK(run.policy.overhead() == 4);
  CHECK(run.policy.unarmed_waits() == 0);
}

TEST_CASE("convergence_barriers: a lane that waits at one barrier is missing at every other") {
  // Lanes 0 and 1 arm B1 in block 1; lane 2 goes on to block 4 at once, where B0 waits.
  const std::vector<policies::convergence_operation> operations{
      {0, op::arm, 0}, {1, op::arm, 1}, {3, op::wait, 1}, {4, op::wait, 0}};
  // Lane 1 ends in block 2: B1 opens for lane 0 alone, and then B0 for lanes 0 and 2.
  const by_hand ends(5, operations, {{0, 1, 3, 4}, {0, 1, 2}, {0, 4}});
  CHECK(ends.result.how.finished());
  CHECK(ends.result.schedule.back() == fragment{4, lane_mask(0b101)});
  // Lane 1 passes B1 by: all three wait, but not at the same barrier.
  const by_hand stuck(5, operations, {{0, 1, 3, 4}, {0, 1, 2, 4}, {0, 4}});
  CHECK(stuck.result.how.how == outcome::lost_threads);
  REQUIRE(stuck.policy.blocked_groups().size() == 3);
  for (const auto& group : stuck.policy.blocked_groups()) CHECK(group.barrier == (group.lanes == lane_mask(1) ? 1 : 0));
  CHECK(stuck.policy.participants(0) == lane_mask(0b111));
  CHECK(stuck.policy.participants(1) == lane_mask(0b011));
  // If it leaves B1 on its way, all is well.
  auto mended = operations;
  mended.push_back({2, op::leave, 1});
  const by_hand well(5, mended, {{0, 1, 3, 4}, {0, 1, 2, 4}, {0, 4}});
  CHECK(well.result.how.finished());
  CHECK(well.result.schedule.back() == fragment{4, lane_mask(0b111)});
  CHECK(well.policy.operations().leaves == 1);
}

TEST_CASE("convergence_barriers: dissolved is not never armed, and both let lanes pass") {
  // Lane 1 does not arm; lane 0 waits in block 3, finds itself alone and waits there again.
  const std::vector<policies::convergence_operation> operations{{1, op::arm, 0}, {3, op::wait, 0}};
  const by_hand run(5, operations, {{0, 1, 3, 4, 3}, {0, 2, 3}});
  CHECK(run.result.how.finished());
  CHECK(run.policy.operations().waits == 3);
  CHECK(run.policy.unarmed_waits() == 1);  // lane 1's, not lane 0's second
}

TEST_CASE("convergence_barriers: several waits at one block are made one after the other") {
  // All arm both; lane 1 ends before, lanes 0 and 2 come apart. B1 is first in the table.
  const std::vector<policies::convergence_operation> operations{
      {0, op::arm, 0}, {0, op::arm, 1}, {3, op::wait, 1}, {3, op::wait, 0}};
  const by_hand run(4, operations, {{0, 1, 3}, {0, 1}, {0, 2, 3}});
  CHECK(run.result.how.finished());
  CHECK(run.result.schedule.back() == fragment{3, lane_mask(0b101)});
  CHECK(run.policy.operations().waits == 3);  // B1 by lane 0, by lane 2; B0 by both
}

TEST_CASE("convergence_barriers: the holder of a lock waits for lanes that spin, unless those yield and count") {
  const csr_graph g = spin_lock_graph();
  const auto pdom = post_dominators(g);
  const auto barriers = policies::ipdom_barriers(g, pdom.ipdoms());
  const policies::convergence_operation yield{1, op::yield, 0};
  auto yielding = barriers;
  yielding.push_back(yield);
  const std::vector<policies::convergence_operation> none, only_yield{yield};
  const launch shape{.threads = 8, .warp_width = 8};
  const auto ends = [&](const std::vector<policies::convergence_operation>& operations, policies::selection_order order,
                        bool count) {
    const policies::convergence_table table(4, operations);
    spin_lock lock;
    const verdict v = run(policies::convergence_barriers(table, {.order = order, .yielded_count = count}), lock, shape,
                          no_observer{}, {.steps = 10'000});
    CHECK((v.how == outcome::finished || v.how == outcome::step_limit));
    return v.finished();
  };
  for (const policies::selection_order order : orders) {
    INFO("order " << static_cast<int>(order));
    CHECK(ends(yielding, order, true));
    CHECK_FALSE(ends(yielding, order, false));
    CHECK_FALSE(ends(barriers, order, true));
    CHECK(ends(none, order, true) == (order != policies::selection_order::lowest_pc));  // block 1 is the lower one
    CHECK(ends(only_yield, order, false));
  }
}

TEST_CASE("convergence_barriers: with patience a loop that yields reconverges, and a lock still finishes") {
  const auto with_yield = [](const csr_graph& g) {
    const auto pdom = post_dominators(g);
    auto operations = policies::ipdom_barriers(g, pdom.ipdoms());
    operations.push_back({1, op::yield, 0});
    return policies::convergence_table(g.num_blocks(), operations);
  };
  const csr_graph loop = testing::while_loop();
  const policies::convergence_table table = with_yield(loop);
  const auto steps = [&](std::uint32_t patience) {  // lane i makes i iterations
    std::vector<std::uint32_t> rounds(8, 0);
    const auto step = [&](std::uint32_t t, block_id b) -> block_id {
      if (b == 1) return rounds[t]++ < t ? 2 : 3;
      return b == 3 ? no_block : 1;
    };
    return run(policies::convergence_barriers(table, {.patience = patience}), step, {.threads = 8, .warp_width = 8})
        .steps;
  };
  CHECK(steps(1'000) == 1 + 8 + 7 + 1);  // as under the post-dominator stack
  CHECK(steps(0) > steps(1'000));
  CHECK(steps(4) > steps(1'000));

  const policies::convergence_table locked = with_yield(spin_lock_graph());
  for (const policies::selection_order order :
       {policies::selection_order::oldest, policies::selection_order::round_robin})
    for (const std::uint32_t patience : {1U, 50U}) {
      spin_lock lock;
      const verdict v = run(policies::convergence_barriers(locked, {.order = order, .patience = patience}), lock,
                            {.threads = 8, .warp_width = 8}, no_observer{}, {.steps = 10'000});
      CHECK(v.finished());
      CHECK(v.steps > 7 * patience);
    }
  spin_lock lock;
  const verdict hopeless = run(policies::convergence_barriers(locked, {.yielded_count = false, .patience = 50}), lock,
                               {.threads = 8, .warp_width = 8}, no_observer{}, {.steps = 10'000});
  CHECK_FALSE(hopeless.finished());
}

TEST_CASE("convergence_barriers: what a policy shows of its groups and barriers") {
  const csr_graph g = testing::while_loop();
  const auto pdom = post_dominators(g);
  const policies::convergence_table table(4, policies::ipdom_barriers(g, pdom.ipdoms()));
  CHECK(table.meeting(0) == 3);
  policies::convergence_barriers policy(table);
  policy.start({0, lane_mask(0b111)});
  CHECK(policy.armed().empty());
  const fragment first = *policy.next();
  const fragment header{1, lane_mask(0b111)};
  policy.advance(first, std::array{header});
  policy.advance(*policy.next(), std::array{fragment{2, lane_mask(0b110)}, fragment{3, lane_mask(0b001)}});
  REQUIRE(policy.armed().size() == 1);
  CHECK(policy.meeting(policy.armed()[0]) == 3);
  CHECK(policy.participants(policy.armed()[0]) == lane_mask(0b111));
  CHECK(policy.blocked() == lane_mask(0b001));
  std::vector<fragment> ready;
  policy.for_each_ready([&](block_id b, const lane_mask& lanes, bool yielded) {
    ready.push_back({b, lanes});
    CHECK_FALSE(yielded);
  });
  CHECK(ready == std::vector<fragment>{{2, lane_mask(0b110)}});
}

TEST_CASE("convergence_barriers: speculative reconvergence collects lanes at an expensive block of a loop") {
  // 0 -> 1; 1 -> {2, 3}: in one of eight iterations, another one for each lane, 2 is executed; 3 -> {1, 4}.
  const csr_graph g =
      csr_builder(5).add_edge(0, 1).add_edge(1, 2).add_edge(1, 3).add_edge(2, 3).add_edge(3, 1).add_edge(3, 4).build();
  const auto pdom = post_dominators(g);
  const policies::convergence_table at_ipdoms(5, policies::ipdom_barriers(g, pdom.ipdoms()));
  // Armed before the loop and again after the block, left at the loop's exit.
  const std::vector<policies::convergence_operation> predicted{
      {0, op::arm, 0}, {2, op::wait, 0}, {2, op::arm, 0}, {4, op::leave, 0}};
  const policies::convergence_table speculative(5, predicted);
  const auto fetches_of_2 = [&](const policies::convergence_table& table, policies::selection_order order) {
    const auto lanes = [lap = std::vector<std::uint32_t>(8, 0)](std::uint32_t t, block_id b) mutable -> block_id {
      if (b == 1) return (lap[t] + t) % 8 == 0 ? 2 : 3;
      if (b == 3) return ++lap[t] < 16 ? 1 : 4;
      return b == 4 ? no_block : b == 2 ? 3 : 1;
    };
    auto threads = lanes;
    std::uint64_t count = 0;
    CHECK(run(policies::convergence_barriers(table, {.order = order}), threads, {.threads = 8, .warp_width = 8},
              [&](const event::issued<lane_mask>& e) { count += e.block == 2 ? 1 : 0; })
              .finished());
    return count;
  };
  for (const policies::selection_order order : orders) {
    CHECK(fetches_of_2(at_ipdoms, order) == 16);
    CHECK(fetches_of_2(speculative, order) == 2);
  }
}

TEST_CASE("convergence_barriers: more barriers than registers are moved out and in") {
  // Branch i goes to branch i + 1 or to its meeting place; lane i leaves at branch i, the last one at the innermost.
  for (const std::uint32_t nest : {1U, 16U, 17U, 20U, 32U}) {
    csr_builder builder(2 * nest + 2);
    std::vector<std::vector<block_id>> paths(nest + 1);
    for (block_id i = 0; i < nest; ++i) {
      builder.add_edge(i, i + 1).add_edge(i, 2 * nest - i);
      builder.add_edge(2 * nest - i, 2 * nest - i + 1);
    }
    builder.add_edge(nest, nest + 1);
    for (block_id lane = 0; lane <= nest; ++lane) {
      for (block_id b = 0; b <= lane; ++b) paths[lane].push_back(b);
      for (block_id b = lane == nest ? nest + 1 : 2 * nest - lane; b < 2 * nest + 2; ++b) paths[lane].push_back(b);
    }
    const csr_graph g = builder.build();
    const auto pdom = post_dominators(g);
    const auto operations = policies::ipdom_barriers(g, pdom.ipdoms());
    const by_hand few(2 * nest + 2, operations, paths), many(2 * nest + 2, operations, paths, {.registers = 32});
    CHECK(few.result.how.finished());
    CHECK(few.result.count.fetches == 2 * nest + 2);
    CHECK(text(few.result.schedule) == text(many.result.schedule));
    CHECK(many.policy.operations().moves == 0);
    CHECK(few.policy.operations().moves == (nest > 16 ? 2 * (nest - 16) : 0));
    CHECK(few.policy.operations().arms == nest);
  }
}

TEST_CASE("convergence_barriers: barriers of the thread block, whole warps and thread arrival") {
  for_each_barrier_program(150, [](const testing::structured_program& p, const testing::random_walks& walks,
                                   launch shape, std::span<const unsigned char> barriers) {
    const auto pdom = post_dominators(p.graph);
    const policies::convergence_table table(p.graph.num_blocks(), policies::ipdom_barriers(p.graph, pdom.ipdoms()));
    for (const policies::selection_order order : orders) {
      shape.barriers = barrier_model::thread_arrival;
      check_run(observe(policies::convergence_barriers(table, {.order = order}), walks, shape, barriers), walks, shape);
    }
  });
}

TEST_CASE("convergence_barriers: lanes that end after a barrier of the thread block leave every convergence barrier") {
  const std::vector<policies::convergence_operation> operations{{0, op::arm, 0}, {3, op::wait, 0}};
  const policies::convergence_table table(4, operations);
  policies::convergence_barriers machine(table);
  machine.start({0, lane_mask(0b11)});
  const fragment out[] = {{1, lane_mask(0b01)}, {2, lane_mask(0b10)}};
  machine.advance(*machine.next(), out);
  machine.park(*machine.next());  // block 1, lane 0
  machine.park(*machine.next());
  CHECK(!machine.next());
  machine.release({3, lane_mask(0b10)});
  CHECK(machine.blocked() == lane_mask(0b10));
  CHECK(!machine.next());
  machine.ended(lane_mask(0b01));
  CHECK(*machine.next() == fragment{3, lane_mask(0b10)});
  CHECK(machine.blocked().none());
}

TEST_CASE("convergence_barriers: without operations, oldest is a queue in which lanes join those at their block") {
  const policies::convergence_table none;
  for_each_random_case(400,
                       [&](std::uint64_t, const csr_graph&, const testing::random_walks& walks, const launch& shape) {
                         const record a = observe(policies::convergence_barriers(none), walks, shape);
                         check_run(a, walks, shape);
                         REQUIRE(text(a.schedule) == text(observe(oldest_first(), walks, shape).schedule));
                       });
}

TEST_CASE("convergence_barriers: equal states compare equal") {
  const std::vector<policies::convergence_operation> operations{{0, op::arm, 0}, {1, op::wait, 0}};
  const policies::convergence_table table(2, operations);
  check_comparable(policies::convergence_barriers(table));
}

TEST_CASE("convergence_barriers: a table keeps the order of one block's operations; blocks beyond it have none") {
  const std::vector<policies::convergence_operation> operations{
      {1, op::wait, 3}, {0, op::arm, 7}, {1, op::arm, 0}, {1, op::leave, 1}, {1, op::yield, 99}};
  const policies::convergence_table table(2, operations);
  REQUIRE(table.at_start(1).size() == 3);
  CHECK(table.at_start(1)[0] == operations[0]);
  CHECK(table.at_start(1)[1] == operations[3]);
  CHECK(table.at_start(1)[2] == operations[4]);
  CHECK(table.at_start(0).empty());
  REQUIRE(table.at_end(0).size() == 1);
  REQUIRE(table.at_end(1).size() == 1);
  CHECK(table.at_start(2).empty());
  CHECK(table.at_end(1'000'000).empty());
  CHECK(table.num_barriers() == 8);
  CHECK(policies::convergence_table().num_barriers() == 0);
  CHECK(policies::convergence_table().at_start(0).empty());
}

namespace {
constexpr bool in_a_constant() {
  // if / else: lane 2 ends in block 1.
  const policies::convergence_operation operations[] = {{0, op::arm, 0}, {3, op::wait, 0}};
  const policies::convergence_table table(4, operations);
  policies::convergence_barriers machine(table);
  machine.start({0, lane_mask(0b111)});
  const fragment arms[] = {{1, lane_mask(0b101)}, {2, lane_mask(0b010)}};
  const fragment meet[] = {{3, lane_mask(0b001)}, {3, lane_mask(0b010)}};
  machine.advance(*machine.next(), arms);
  bool right = machine.participants(0) == lane_mask(0b111);
  machine.advance(*machine.next(), std::span<const fragment>(meet).first(1));
  right = right && machine.blocked() == lane_mask(0b001) && machine.participants(0) == lane_mask(0b011);
  const auto other = machine.next();
  right = right && *other == arms[1];
  machine.advance(*other, std::span<const fragment>(meet).last(1));
  const auto together = machine.next();
  return right && *together == fragment{3, lane_mask(0b011)} && machine.participants(0).none() &&
         machine.overhead() == 3 && !machine.next();
}
static_assert(in_a_constant());
}  // namespace
