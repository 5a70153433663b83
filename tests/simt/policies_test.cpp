// SPDX-License-Identifier: BSL-1.0
//
// Laws of the policies, on random graphs and programs with threads that decide at random. The oracle of what a thread
// does is its solo path, walked without any executor; the oracles of how often a block may run are the lower bound and
// the number of distinct (block, loop iterations) pairs. The numbers in the test names are those of the models'
// invariants: path equality, bounds, waiting sets, stack shapes.
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/lower_bound.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/testing/shapes.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace simtflow;

namespace {

constexpr std::uint64_t step_bound = 1'000'000;

// What one run did.
struct record {
  verdict how;
  counts count;
  std::vector<std::vector<block_id>> paths;  // by thread
  std::vector<fragment> schedule;            // of all warps, in order
  std::uint64_t least = 0, visits = 0;
};

template <class Policy>
record observe(const Policy& policy, const testing::random_walks& walks, const launch& shape,
               std::span<const unsigned char> barriers = {}) {
  record r;
  r.paths.resize(shape.threads);
  lower_bound bound(walks.graph().num_blocks());
  overloaded paths{[&r](const event::issued<lane_mask>& e) {
    r.schedule.push_back({e.block, e.lanes});
    e.lanes.for_each([&](std::uint32_t lane) { r.paths[e.first_thread + lane].push_back(e.block); });
  }};
  both counters(r.count, bound);
  both all(paths, counters);
  callable_program program(testing::walking_threads(walks, shape.threads), {}, barriers);
  executor<Policy> machine(policy);
  r.how = machine.run(shape, program, all, {.steps = step_bound});
  r.least = bound.fetches();
  r.visits = bound.visits();
  return r;
}

// A policy that checks its own state after every step; the executor sees nothing of it.
class watched_frontier : public thread_frontier {
 public:
  watched_frontier(const priority_order<csr_graph>& order, const frontier_sets<csr_graph>& sets)
      : thread_frontier(order.ranks()), rank_(order.ranks()), sets_(&sets) {}

  std::optional<fragment> next() {
    const auto f = thread_frontier::next();
    if (!f) return f;
    lane_mask seen = f->lanes;
    for (std::size_t i = 0; i < waiting().size(); ++i) {
      const fragment& w = waiting()[i];
      if (w.lanes.none() || (w.lanes & seen).any()) broken = "entries share lanes or are empty";
      seen |= w.lanes;
      if (rank_[w.block] <= rank_[f->block]) broken = "a waiting block does not rank below the running one";
      if (i > 0 && rank_[waiting()[i - 1].block] <= rank_[w.block]) broken = "entries are not sorted, or not unique";
      if (!sets_->contains(f->block, w.block)) broken = "a waiting block is not in the frontier of the running one";
    }
    return f;
  }
  inline static std::string broken;

 private:
  std::span<const std::uint32_t> rank_;
  const frontier_sets<csr_graph>* sets_;
};

class watched_stack : public ipdom_stack {
 public:
  using ipdom_stack::ipdom_stack;
  std::optional<fragment> next() {
    const auto f = ipdom_stack::next();
    // A path's lanes are among those that wait for it below, and no two paths to one place share a lane.
    const auto all = entries();
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = i + 1; j < all.size(); ++j) {
        const bool nested = all[j].lanes.is_subset_of(all[i].lanes) && all[j].reconvergence != no_block;
        if (!nested && (all[i].lanes & all[j].lanes).any()) broken = "entries overlap without being nested";
      }
    return f;
  }
  inline static std::string broken;
};

struct case_info {
  std::uint64_t seed;
  const csr_graph& graph;
};
std::string doctest_text(const case_info& c) { return "seed " + std::to_string(c.seed) + "\n" + to_dot(c.graph); }

std::string text(const fragment& f) { return "BB" + std::to_string(f.block) + " " + describe(f.lanes) + "\n"; }
std::string text(const std::vector<block_id>& path) {
  std::string all;
  for (const block_id b : path) all += (all.empty() ? "" : " ") + std::to_string(b);
  return all;
}
std::string text(const std::vector<fragment>& schedule) {
  std::string all;
  for (const fragment& f : schedule) all += text(f);
  return all;
}

// Invariants 1, 2 (by the executor), 3, 4 and the oracle.
void check_run(const record& r, const testing::random_walks& walks, const launch& shape) {
  REQUIRE_MESSAGE(r.how.finished(), describe(r.how));
  std::uint64_t visits = 0;
  for (std::uint32_t t = 0; t < shape.threads; ++t) {
    const std::vector<block_id> alone = walks.path(t);
    visits += alone.size();
    REQUIRE_MESSAGE(r.paths[t] == alone, "thread " << t << " went " << text(r.paths[t]) << ", alone " << text(alone));
  }
  REQUIRE(r.visits == visits);
  REQUIRE(r.count.thread_instructions == visits);
  REQUIRE(r.least <= r.count.fetches);
  REQUIRE(r.count.fetches <= visits);
}

// Distinct (block, iteration of each loop around it) of all threads of each warp: what a machine executes that keeps
// threads of one iteration together always (LLVM's maximal convergence).
std::uint64_t converged_executions(const testing::random_walks& walks, const loop_forest<csr_graph>& loops,
                                   const launch& shape) {
  std::uint64_t sum = 0;
  for (std::uint32_t first = 0; first < shape.threads; first += shape.warp_width) {
    std::set<std::vector<std::uint64_t>> seen;
    for (std::uint32_t t = first; t < shape.threads && t < first + shape.warp_width; ++t) {
      std::vector<std::uint64_t> laps(loops.num_loops(), 0);
      for (const block_id b : walks.path(t)) {
        for (std::uint32_t l = 0; l < loops.num_loops(); ++l) {
          if (!loops.contains(l, b))
            laps[l] = 0;
          else if (loops.header(l) == b)
            ++laps[l];
        }
        std::vector<std::uint64_t> instance{b};
        for (std::uint32_t l = 0; l < loops.num_loops(); ++l)
          if (loops.contains(l, b)) instance.push_back(laps[l]);
        seen.insert(instance);
      }
    }
    sum += seen.size();
  }
  return sum;
}

}  // namespace

TEST_CASE("random graphs: paths, bounds and waiting sets under every policy (1-8)") {
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    testing::rng random(seed);
    testing::cfg_options options;
    options.blocks = random.between(1, 12);
    options.max_successors = random.between(1, 4);
    options.exits = random.between(1, 3);
    options.loops = random.chance(70);
    options.reducible = random.chance(50);
    options.terminating = true;
    options.exit_mark_percent = random.chance(30) ? 20 : 0;
    options.unreachable_percent = random.chance(20) ? 20 : 0;
    const csr_graph g = testing::random_cfg(random, options);
    INFO(doctest_text({seed, g}));
    const testing::random_walks walks(g, {.seed = seed});
    const auto width = static_cast<std::uint32_t>(random.between(1, 12));
    const launch shape{
        .threads = static_cast<std::uint32_t>(random.between(1, 24)), .warp_width = width, .entry = g.entry()};
    launch alone = shape;
    alone.barriers = barrier_model::thread_arrival;

    const auto pdom = post_dominators(g);
    watched_stack::broken.clear();
    const record stack = observe(watched_stack(pdom.ipdoms()), walks, shape);
    check_run(stack, walks, shape);
    CHECK(watched_stack::broken == "");
    CHECK(stack.count.max_depth <= std::max(1U, 2 * width - 1));

    for (const auto& order : {reverse_post_order(g), loop_contiguous_order(g)}) {
      const auto sets = thread_frontiers(g, order);
      watched_frontier::broken.clear();
      const record frontier = observe(watched_frontier(order, sets), walks, shape);
      check_run(frontier, walks, shape);
      CHECK(watched_frontier::broken == "");
      CHECK(frontier.count.max_depth <= width);
      if (!options.loops) CHECK(frontier.count.fetches == frontier.least);   // 9
      if (width == 1) CHECK(frontier.count.fetches == stack.count.fetches);  // 16
    }
    const record serial = observe(lane_serial(), walks, alone);
    check_run(serial, walks, alone);
    CHECK(serial.count.fetches == serial.visits);
    CHECK(serial.least == stack.least);
  }
}

TEST_CASE("every graph of up to four blocks in which threads can end: paths, bounds and waiting sets (1-8)") {
  std::uint64_t ran = 0;
  for (std::size_t blocks = 1; blocks <= 4; ++blocks)
    testing::for_each_small_cfg(blocks, [&](const csr_graph& g) {
      const auto pdom = post_dominators(g);
      if (!pdom.reaches_exit(0)) return;
      ++ran;
      INFO(doctest_text({ran, g}));
      const testing::random_walks walks(g, {.seed = ran, .patience = 3});
      const launch shape{.threads = 4, .warp_width = 4};
      const auto order = loop_contiguous_order(g);
      const auto sets = thread_frontiers(g, order);
      watched_stack::broken.clear();
      watched_frontier::broken.clear();
      check_run(observe(watched_stack(pdom.ipdoms()), walks, shape), walks, shape);
      check_run(observe(watched_frontier(order, sets), walks, shape), walks, shape);
      REQUIRE(watched_stack::broken == "");
      REQUIRE(watched_frontier::broken == "");
    });
  CHECK(ran > 26'000);
}

TEST_CASE("programs: thread frontiers reach maximal convergence; PDOM does if they are structured (10, 11)") {
  int dearer = 0;  // programs with break or continue for which PDOM falls short
  for (const bool break_continue : {false, true})
    for (std::uint64_t seed = 1; seed <= 600; ++seed) {
      testing::rng random(seed);
      testing::program_options options;
      options.statements = random.between(1, 10);
      options.break_continue = break_continue;
      const auto program = testing::random_structured_program(random, options);
      INFO(doctest_text({seed, program.graph}));
      const testing::random_walks walks(program.graph, {.seed = seed}, program.uniform);
      const launch shape{.threads = 12, .warp_width = 8};
      const auto order = loop_contiguous_order(program.graph);
      const auto pdom = post_dominators(program.graph);
      const record frontier = observe(thread_frontier(order.ranks()), walks, shape);
      const record stack = observe(ipdom_stack(pdom.ipdoms()), walks, shape);
      check_run(frontier, walks, shape);
      check_run(stack, walks, shape);
      const std::uint64_t ideal = converged_executions(walks, loops(program.graph), shape);
      CHECK(frontier.count.fetches == ideal);
      CHECK(stack.count.fetches >= ideal);
      if (break_continue)
        dearer += stack.count.fetches > ideal ? 1 : 0;
      else
        CHECK(stack.count.fetches == ideal);
    }
  CHECK(dearer > 10);
}

TEST_CASE("a schedule restricted to some threads is the schedule of those threads alone (12)") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    testing::rng random(seed);
    const csr_graph g = testing::random_cfg(random, {.blocks = random.between(2, 9), .terminating = true});
    INFO(doctest_text({seed, g}));
    const testing::random_walks walks(g, {.seed = seed});
    const auto order = loop_contiguous_order(g);
    const launch shape{.threads = 8, .warp_width = 8, .entry = g.entry()};
    const lane_mask some(random.next() & 0xFF);
    if (some.none()) continue;
    // The threads alone: a policy that starts with just these lanes would need holes in the warp, so map them down.
    std::vector<std::uint32_t> chosen;
    some.for_each([&](std::uint32_t lane) { chosen.push_back(lane); });
    testing::walking_threads threads(walks, 8);
    std::vector<fragment> alone, within;
    run(
        thread_frontier(order.ranks()), [&](std::uint32_t t, block_id b) { return threads(chosen[t], b); },
        {.threads = static_cast<std::uint32_t>(chosen.size()), .warp_width = 8, .entry = g.entry()},
        [&](const event::issued<lane_mask>& e) {
          lane_mask lanes;
          e.lanes.for_each([&](std::uint32_t lane) { lanes.set(chosen[lane]); });
          alone.push_back({e.block, lanes});
        });
    for (const fragment& f : observe(thread_frontier(order.ranks()), walks, shape).schedule)
      if ((f.lanes & some).any()) within.push_back({f.block, f.lanes & some});
    CHECK(text(within) == text(alone));
  }
}

TEST_CASE("the order in which PDOM takes the paths does not change what it fetches (14)") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    testing::rng random(seed);
    const csr_graph g =
        testing::random_cfg(random, {.blocks = random.between(2, 10), .max_successors = 3, .terminating = true});
    INFO(doctest_text({seed, g}));
    const testing::random_walks walks(g, {.seed = seed});
    const auto pdom = post_dominators(g);
    const launch shape{.threads = 8, .warp_width = 8, .entry = g.entry()};
    const record forward = observe(ipdom_stack(pdom.ipdoms()), walks, shape);
    // The same threads, lanes numbered the other way: targets are then named in another order.
    testing::walking_threads threads(walks, 8);
    counts backward;
    run(
        ipdom_stack(pdom.ipdoms()), [&](std::uint32_t t, block_id b) { return threads(7 - t, b); }, shape, backward);
    CHECK(forward.count.fetches == backward.fetches);
  }
}

TEST_CASE("uniform programs cost the same under every policy (15)") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    testing::rng random(seed);
    const csr_graph g = testing::random_cfg(random, {.blocks = random.between(1, 10), .terminating = true});
    INFO(doctest_text({seed, g}));
    const std::vector<unsigned char> uniform(g.num_blocks(), 1);
    const testing::random_walks walks(g, {.seed = seed}, uniform);
    const launch shape{.threads = 8, .warp_width = 8, .entry = g.entry()};
    const auto pdom = post_dominators(g);
    const auto order = reverse_post_order(g);
    const std::size_t length = walks.path(0).size();
    CHECK(observe(ipdom_stack(pdom.ipdoms()), walks, shape).count.fetches == length);
    CHECK(observe(thread_frontier(order.ranks()), walks, shape).count.fetches == length);
  }
}

TEST_CASE("programs with barriers: every thread passes the same barriers, none early (21)") {
  int with_barriers = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    testing::rng random(seed);
    testing::program_options options;
    options.barriers = true;
    options.uniform_percent = 60;
    options.break_continue = random.chance(50);
    const auto program = testing::random_structured_program(random, options);
    const csr_graph& g = program.graph;
    INFO(doctest_text({seed, g}));
    std::vector<unsigned char> barriers(g.num_blocks(), 0);
    for (const block_id b : program.barriers) barriers[b] = 1;
    if (!program.barriers.empty()) ++with_barriers;
    const testing::random_walks walks(g, {.seed = seed}, program.uniform);
    launch shape{.threads = 12, .warp_width = 5};
    const auto pdom = post_dominators(g);
    const auto order = loop_contiguous_order(g);
    check_run(observe(ipdom_stack(pdom.ipdoms()), walks, shape, barriers), walks, shape);
    const record whole = observe(thread_frontier(order.ranks()), walks, shape, barriers);
    check_run(whole, walks, shape);
    shape.barriers = barrier_model::thread_arrival;
    check_run(observe(thread_frontier(order.ranks()), walks, shape, barriers), walks, shape);
    const record serial = observe(lane_serial(), walks, shape, barriers);
    check_run(serial, walks, shape);

    // Between two barriers no thread runs ahead: replay the schedule and count barriers passed by each lane.
    std::vector<std::uint64_t> passed(shape.threads, 0);
    for (const std::vector<block_id>& path : serial.paths) {
      std::uint64_t n = 0;
      for (const block_id b : path) n += barriers[b];
      passed[static_cast<std::size_t>(&path - serial.paths.data())] = n;
    }
    for (const std::uint64_t n : passed) CHECK(n == passed[0]);
  }
  CHECK(with_barriers > 100);
}

TEST_CASE("thread frontiers may lose: three blocks where they fetch six and PDOM five") {
  const csr_graph g = testing::frontier_loses();
  const std::vector<std::vector<block_id>> paths{{0, 1, 1, 0, 2}, {0, 1, 0, 2}};
  const auto program = [&] {
    return [&, at = std::vector<std::size_t>(2, 0)](std::uint32_t t, block_id) mutable {
      ++at[t];
      return at[t] < paths[t].size() ? paths[t][at[t]] : no_block;
    };
  };
  counts stack, frontier;
  const auto pdom = post_dominators(g);
  const auto order = loop_contiguous_order(g);
  CHECK(run(ipdom_stack(pdom.ipdoms()), program(), {.threads = 2}, stack).finished());
  CHECK(run(thread_frontier(order.ranks()), program(), {.threads = 2}, frontier).finished());
  CHECK(stack.fetches == 5);
  CHECK(frontier.fetches == 6);
}

TEST_CASE("an infinite arm does not hold up the threads that end") {
  // The other arm must not wait at a post-dominator that the endless arm never reaches.
  const csr_graph g = testing::infinite_loop_arm();
  const auto pdom = post_dominators(g);
  std::uint32_t ended = 0;
  const verdict v = run(
      ipdom_stack(pdom.ipdoms()),
      [&g](std::uint32_t t, block_id b) -> block_id {
        const auto out = g.successors(b);
        return out.empty() ? no_block : out[out.size() == 2 ? 1 - t % 2 : 0];
      },
      {.threads = 2, .entry = g.entry()}, [&](const event::exited<lane_mask>& e) { ended += e.lanes.count(); },
      {.steps = 1000});
  CHECK(v.how == outcome::step_limit);
  CHECK(ended == 1);
}
