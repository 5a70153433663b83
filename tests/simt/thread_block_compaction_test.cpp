// SPDX-License-Identifier: BSL-1.0
//
// Thread block compaction. Oracles: solo paths; the post-dominator stack of one warp as wide as the thread block: its
// entries packed by hand give the number of fetches; the per-warp stack; the papers' figures step by step.
#include "simt/block_runs.hpp"
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/simt/calls.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/thread_block_compaction.hpp>
#include <simtflow/testing/shapes.hpp>

#include <cstdint>
#include <utility>
#include <vector>

using namespace simtflow;
using namespace block_runs;

namespace {

static_assert(parking_policy<policies::thread_block_compaction> &&
              policy_with_depth<policies::thread_block_compaction>);
static_assert(policies::thread_block_compaction::scope == policy_scope::block);

// WCnt by hand: the most threads that one home lane has.
template <class Mask>
std::size_t fullest_lane(const Mask& threads, const home_lanes& lanes) {
  if (lanes.rule == lane_rule::free) return (threads.count() + lanes.width - 1) / lanes.width;
  std::map<std::uint32_t, std::size_t> used;
  std::size_t most = 0;
  threads.for_each([&](std::uint32_t t) { most = std::max(most, ++used[lanes.lane(t)]); });
  return most;
}

// Checks every packing (invariant 19) and collects the entries that ran. Only without uniform blocks.
template <class Mask>
class watched : public policies::basic_thread_block_compaction<Mask> {
 public:
  using base = policies::basic_thread_block_compaction<Mask>;
  watched(std::span<const block_id> ipdom, const policies::compaction_options& options)
      : base(ipdom, options), options_(options) {}
  void start(const basic_fragment<Mask>& f) {
    base::start(f);
    all_ = f.lanes;
    left_ = 0;
    entries.clear();
    broken.clear();
  }
  std::optional<basic_fragment<Mask>> next() {
    const auto f = base::next();
    if (!f) return f;
    if (left_ == 0) {
      const auto& top = base::entries().back();
      entries.push_back({top.block, top.threads});
      left_ = base::packed().size();
      Mask sum;
      std::size_t n = 0;
      for (const Mask& w : base::packed()) {
        sum |= w;
        n += w.count();
      }
      if (!(sum == top.threads) || n != top.threads.count()) broken = "packed warps are not the threads of the entry";
      if (options_.mode == policies::compaction::always && left_ != fullest_lane(top.threads, options_.lanes))
        broken = "not as many warps as the fullest lane has threads";
      if (base::warp_count() != left_) broken = "WCnt is not the number of packed warps";
      if (top.threads == all_ || options_.mode == policies::compaction::static_warps)
        for (const Mask& w : base::packed())
          w.for_each([&](std::uint32_t t) {
            if (t / options_.lanes.width != w.first() / options_.lanes.width) broken = "not the static warps";
          });
      // An entry's threads wait in each entry below it that ends where it does or later: nested or disjoint.
      const auto stack = base::entries();
      for (std::size_t i = 0; i + 1 < stack.size(); ++i)
        for (std::size_t j = i + 1; j < stack.size(); ++j)
          if (!stack[j].threads.is_subset_of(stack[i].threads) && (stack[j].threads & stack[i].threads).any())
            broken = "entries overlap without being nested";
    }
    --left_;
    return f;
  }
  inline static std::vector<basic_fragment<Mask>> entries;
  inline static std::string broken;

 private:
  policies::compaction_options options_;
  Mask all_{};
  std::size_t left_ = 0;
};

template <class Mask>
std::multiset<std::string> each(const std::vector<basic_fragment<Mask>>& schedule) {
  std::multiset<std::string> all;
  for (const auto& f : schedule) all.insert(text(std::vector<basic_fragment<Mask>>{f}));
  return all;
}

// The run of one warp as wide as the thread block: the oracle's stack.
template <class Mask>
auto wide_stack(const csr_graph& g, const testing::random_walks& walks, std::uint32_t threads) {
  const auto pdom = post_dominators(g);
  std::vector<basic_fragment<Mask>> schedule;
  callable_program program(testing::walking_threads(walks, threads));
  executor<policies::basic_ipdom_stack<Mask>> machine(policies::basic_ipdom_stack<Mask>(pdom.ipdoms()));
  machine.run(program, {.threads = threads, .warp_width = threads, .entry = g.entry()},
              [&](const event::issued<Mask>& e) {
                schedule.push_back({e.block, e.lanes});
              });
  return schedule;
}

template <class Mask>
std::uint64_t narrow_stack_fetches(const csr_graph& g, const testing::random_walks& walks, std::uint32_t threads,
                                   std::uint32_t width) {
  const auto pdom = post_dominators(g);
  counts count;
  callable_program program(testing::walking_threads(walks, threads));
  executor<policies::basic_ipdom_stack<Mask>> machine(policies::basic_ipdom_stack<Mask>(pdom.ipdoms()));
  machine.run(program, {.threads = threads, .warp_width = width, .entry = g.entry()}, count);
  return count.fetches;
}

// Example 1 of the paper, with the threads of its text: blocks A B C D are 0 1 2 3, thread t of the paper is t - 1.
constexpr block_id hammock_step(std::uint32_t thread, block_id b) {
  const std::uint32_t t = thread + 1;
  if (b == 0) return t == 1 || t == 6 || t == 7 ? 2 : 1;
  return b == 3 ? no_block : 3;
}

}  // namespace

TEST_CASE("thread_block_compaction: figure 7, step by step") {
  policies::thread_block_compaction tbc(hammock_ipdom, {.lanes = {.width = 4}});
  const auto ran = run_block(tbc, hammock_step, 8, 4, 0);
  CHECK(ran.how.finished());
  const std::vector<fragment> expected{
      {0, threads({1, 2, 3, 4})}, {0, threads({5, 6, 7, 8})},  // two warps
      {2, threads({1, 6, 7})},                                 // C: one warp
      {1, threads({2, 3, 4, 5})}, {1, threads({8})},           // B: two; 4 and 8 have the same home lane
      {3, threads({1, 2, 3, 4})}, {3, threads({5, 6, 7, 8})}   // as they were
  };
  CHECK(text(ran.schedule) == text(expected));
  counts baseline;
  run(policies::ipdom_stack(hammock_ipdom), hammock_step, {.threads = 8, .warp_width = 4}, baseline);
  CHECK(baseline.fetches == 8);
  CHECK(ran.count.fetches == 7);
  CHECK(1000 * (baseline.fetches - ran.count.fetches) / baseline.fetches == 125);  // 12.5 %

  // The stack and WCnt as the figure numbers them, driven by hand.
  tbc.start({0, threads({1, 2, 3, 4, 5, 6, 7, 8})});
  CHECK(tbc.depth() == 1);
  CHECK(tbc.warp_count() == 2);
  const auto step = [&] {
    const auto f = tbc.next();
    basic_partition<lane_mask> out;
    f->lanes.for_each([&](std::uint32_t t) { out.go(hammock_step(t, f->block), lane_mask::lane(t)); });
    tbc.advance(*f, out.fragments());
  };
  step();
  CHECK(tbc.warp_count() == 1);  // one warp has arrived at the branch
  step();
  CHECK(tbc.next() == fragment{2, threads({1, 6, 7})});
  CHECK(tbc.depth() == 3);
  CHECK(tbc.warp_count() == 1);
  CHECK(tbc.entries()[0].block == 3);
  CHECK(tbc.entries()[0].threads == lane_mask::first_lanes(8));
  CHECK(tbc.entries()[1].block == 1);
  CHECK(tbc.entries()[1].reconvergence == 3);
  CHECK(tbc.entries()[1].threads == threads({2, 3, 4, 5, 8}));
  step();
  CHECK(tbc.next() == fragment{1, threads({2, 3, 4, 5})});
  CHECK(tbc.depth() == 2);
  CHECK(tbc.warp_count() == 2);
  step();
  step();
  CHECK(tbc.next() == fragment{3, threads({1, 2, 3, 4})});
  CHECK(tbc.depth() == 1);
  CHECK(tbc.warp_count() == 2);
  step();
  step();
  CHECK_FALSE(tbc.next());
}

TEST_CASE("thread_block_compaction: figure 7 in a constant expression") {
  constexpr auto fetches = [] {
    return fetches_of_two_warps(policies::thread_block_compaction(hammock_ipdom, {.lanes = {.width = 4}}),
                                hammock_step);
  };
  static_assert(fetches() == 7);
  CHECK(fetches() == 7);
}

TEST_CASE("thread_block_compaction: figure 9, warps arrive at the branch one by one") {
  // Three warps of four. The paper's text says that thread 5 goes to C and thread 6 to B; its masks are in the drawing
  // only, so the other threads' ways, and the order of the warps (the paper's second one comes first), are ours.
  const auto step = [](std::uint32_t thread, block_id b) -> block_id {
    const std::uint32_t t = thread + 1;
    if (b == 0) return t == 5 || t == 2 || t == 11 || t == 8 || t == 9 ? 2 : 1;
    return b == 3 ? no_block : 3;
  };
  policies::thread_block_compaction tbc(hammock_ipdom, {.lanes = {.width = 4}});
  const auto ran = run_block(tbc, step, 12, 4, 0);
  const std::vector<fragment> expected{
      {0, threads({1, 2, 3, 4})},  {0, threads({5, 6, 7, 8})}, {0, threads({9, 10, 11, 12})},
      {1, threads({1, 6, 3, 4})},  {1, threads({10, 7, 12})},  // lanes: 1 | 6 10 | 3 7 | 4 12
      {2, threads({5, 2, 11, 8})}, {2, threads({9})},          // lanes: 5 9 | 2 | 11 | 8
      {3, threads({1, 2, 3, 4})},  {3, threads({5, 6, 7, 8})}, {3, threads({9, 10, 11, 12})}};
  CHECK(text(ran.schedule) == text(expected));
  CHECK(ran.count.max_depth == 3);
}

TEST_CASE("thread_block_compaction: likely convergence, example 2 and figure 10") {
  // A B C D E F are 0 .. 5. The loop is left at C (by way of D) or at its end.
  const csr_graph g = [] {
    csr_builder b(6);
    for (const auto& [from, to] :
         std::vector<std::pair<block_id, block_id>>{{0, 1}, {0, 2}, {1, 4}, {2, 3}, {2, 4}, {3, 5}, {4, 0}, {4, 5}})
      b.add_edge(from, to);
    return b.build();
  }();
  const auto pdom = post_dominators(g);
  CHECK(pdom.ipdoms()[0] == 5);
  CHECK(pdom.ipdoms()[2] == 5);
  const std::vector<block_id> likely{4, no_block, 4, no_block, no_block, no_block};
  const auto step = [](std::uint32_t thread, block_id b) -> block_id {
    const std::uint32_t t = thread + 1;
    switch (b) {
      case 0:
        return t == 1 ? 1 : 2;
      case 1:
        return 4;
      case 2:
        return t == 2 ? 4 : 3;
      case 3:
      case 4:
        return 5;
      default:
        return no_block;
    }
  };
  const std::span<const block_id> ipdoms = pdom.ipdoms();
  const auto plain = run_block(policies::thread_block_compaction(ipdoms, {.lanes = {.width = 4}}), step, 4, 4, 0);
  const auto early =
      run_block(policies::thread_block_compaction(ipdoms, {.lanes = {.width = 4}, .likely = likely}), step, 4, 4, 0);
  CHECK(text(early.schedule) == text(std::vector<fragment>{{0, threads({1, 2, 3, 4})},
                                                           {1, threads({1})},
                                                           {2, threads({2, 3, 4})},
                                                           {3, threads({3, 4})},
                                                           {4, threads({1, 2})},
                                                           {5, threads({1, 2, 3, 4})}}));
  CHECK(early.count.fetches == 6);
  CHECK(plain.count.fetches == 7);    // E runs for 1 and for 2
  CHECK(early.count.max_depth == 4);  // F; E; B and C, later F; E; D
}

TEST_CASE("thread_block_compaction: random graphs, paths and packing (1-4, 19)") {
  for_each_random_case(1200, 40, [](const random_case& c, testing::rng&) {
    const auto& [g, pdom, walks, n, lanes] = c;
    const auto wide = wide_stack<lane_mask>(g, walks, n);

    const auto r = run_block(watched<lane_mask>(pdom.ipdoms(), {.lanes = lanes}), walks, n, lanes.width);
    check_block_run(r, walks, n, lanes);
    CHECK(watched<lane_mask>::broken == "");
    CHECK(each(watched<lane_mask>::entries) == each(wide));
    std::uint64_t fetches = 0;
    for (const fragment& f : wide) fetches += fullest_lane(f.lanes, lanes);
    CHECK(r.count.fetches == fetches);
    CHECK(r.count.max_depth <= 2 * n);
    if (lanes.width == 1) CHECK(r.count.fetches == all_visits(walks, n));  // 16

    const auto stay =
        run_block(watched<lane_mask>(pdom.ipdoms(), {.lanes = lanes, .mode = policies::compaction::static_warps}),
                  walks, n, lanes.width);
    check_block_run(stay, walks, n, {.width = lanes.width});
    CHECK(watched<lane_mask>::broken == "");
    CHECK(each(watched<lane_mask>::entries) == each(wide));
    CHECK(stay.count.fetches >= r.count.fetches);
    const auto ideal =
        run_block(watched<lane_mask>(pdom.ipdoms(), {.lanes = {.width = lanes.width, .rule = lane_rule::free}}), walks,
                  n, lanes.width);
    CHECK(ideal.count.fetches <= r.count.fetches);

    const auto capri = run_block(
        policies::thread_block_compaction(pdom.ipdoms(), {.lanes = lanes, .mode = policies::compaction::predicted}),
        walks, n, lanes.width);
    check_block_run(capri, walks, n, lanes);
  });
}

TEST_CASE("thread_block_compaction: a thread block of one warp is the post-dominator stack, step by step") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    testing::rng random(seed);
    const csr_graph g = random_graph(random);
    INFO(text(seed, g));
    const testing::random_walks walks(g, {.seed = seed});
    const auto n = static_cast<std::uint32_t>(random.between(1, 64));
    const auto pdom = post_dominators(g);
    const std::uint32_t width = n + static_cast<std::uint32_t>(random.below(65 - n));
    const auto r =
        run_block(policies::thread_block_compaction(pdom.ipdoms(), {.lanes = {.width = width}}), walks, n, width);
    CHECK(text(r.schedule) == text(wide_stack<lane_mask>(g, walks, n)));
  }
}

TEST_CASE("thread_block_compaction: every graph of up to four blocks in which threads can end") {
  warp_runs::for_each_small_case(5, [](std::uint64_t n, const csr_graph& g, const auto& pdom, const auto& walks) {
    const home_lanes lanes{.width = static_cast<std::uint32_t>(1 + n % 3)};
    const auto r = run_block(watched<lane_mask>(pdom.ipdoms(), {.lanes = lanes}), walks, 5, lanes.width);
    check_block_run(r, walks, 5, lanes);
    REQUIRE(watched<lane_mask>::broken == "");
    REQUIRE(each(watched<lane_mask>::entries) == each(wide_stack<lane_mask>(g, walks, 5)));
  });
}

TEST_CASE("thread_block_compaction: uniform blocks save waiting, not warps; broken promises lose no thread") {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    testing::rng random(seed);
    testing::program_options options;
    options.statements = random.between(1, 12);
    options.uniform_percent = 50;
    const auto program = testing::random_structured_program(random, options);
    const csr_graph& g = program.graph;
    INFO(text(seed, g));
    const testing::random_walks walks(g, {.seed = seed}, program.uniform);
    const auto n = static_cast<std::uint32_t>(random.between(1, 40));
    const home_lanes lanes = random_lanes(random);
    const auto pdom = post_dominators(g);
    std::vector<unsigned char> uniform = program.uniform;
    for (block_id b = 0; b < g.num_blocks(); ++b)
      if (g.successors(b).size() < 2) uniform[b] = 1;
    const auto plain =
        run_block(policies::thread_block_compaction(pdom.ipdoms(), {.lanes = lanes}), walks, n, lanes.width);
    const auto marked = run_block(
        policies::thread_block_compaction(pdom.ipdoms(), {.lanes = lanes, .uniform = uniform}), walks, n, lanes.width);
    check_block_run(marked, walks, n, lanes);
    CHECK(marked.count.fetches == plain.count.fetches);

    // Nobody ever waits: every warp for itself.
    const std::vector<unsigned char> all(g.num_blocks(), 1);
    const auto alone = run_block(policies::thread_block_compaction(pdom.ipdoms(), {.lanes = lanes, .uniform = all}),
                                 walks, n, lanes.width);
    check_block_run(alone, walks, n, {.width = lanes.width});
    CHECK(alone.count.fetches == narrow_stack_fetches<lane_mask>(g, walks, n, lanes.width));
  }
  // Any table of promises and likely points, on any graph: no thread is lost or runs where it should not.
  for_each_random_case(1500, 30, [](const random_case& c, testing::rng& random) {
    const auto& [g, pdom, walks, n, lanes] = c;
    std::vector<unsigned char> uniform(random.between(0, g.num_blocks()), 0);
    for (auto& u : uniform) u = random.chance(40) ? 1 : 0;
    std::vector<block_id> likely(random.between(0, g.num_blocks()), no_block);
    for (auto& l : likely)
      if (random.chance(70)) l = static_cast<block_id>(random.below(g.num_blocks()));
    const auto mode = static_cast<policies::compaction>(random.below(3));
    const policies::thread_block_compaction tbc(pdom.ipdoms(),
                                                {.lanes = lanes, .mode = mode, .uniform = uniform, .likely = likely});
    const auto r = run_block(tbc, walks, n, lanes.width);
    check_block_run(r, walks, n, mode == policies::compaction::static_warps ? home_lanes{.width = lanes.width} : lanes);
  });
}

TEST_CASE("thread_block_compaction: likely convergence at latches never costs paths and pays in loops with breaks") {
  int better = 0, worse = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    testing::rng random(seed);
    testing::program_options options;
    options.statements = random.between(4, 14);
    options.break_continue = true;
    options.early_return = random.chance(50);
    const auto program = testing::random_structured_program(random, options);
    const csr_graph& g = program.graph;
    INFO(text(seed, g));
    const testing::random_walks walks(g, {.seed = seed}, program.uniform);
    const auto pdom = post_dominators(g);
    const auto forest = loops(g);
    std::vector<block_id> likely(g.num_blocks(), no_block);  // the latch of the innermost loop
    std::vector<std::size_t> size(g.num_blocks(), g.num_blocks() + 1);
    for (const loop_id l : forest.all()) {
      std::size_t blocks = 0;
      block_id latch = no_block;
      for (block_id b = 0; b < g.num_blocks(); ++b) {
        if (!forest.contains(l, b)) continue;
        ++blocks;
        for (const block_id s : g.successors(b))
          if (s == forest.header(l) && g.successors(b).size() == 1) latch = b;
      }
      for (block_id b = 0; b < g.num_blocks(); ++b)
        if (forest.contains(l, b) && blocks < size[b]) {
          size[b] = blocks;
          likely[b] = latch == b ? no_block : latch;
        }
    }
    const home_lanes lanes{.width = 4};
    const auto plain = run_block(watched<lane_mask>(pdom.ipdoms(), {.lanes = lanes}), walks, 16, 4);
    const auto early = run_block(watched<lane_mask>(pdom.ipdoms(), {.lanes = lanes, .likely = likely}), walks, 16, 4);
    check_block_run(early, walks, 16, lanes);
    CHECK(watched<lane_mask>::broken == "");
    better += early.count.fetches < plain.count.fetches ? 1 : 0;
    worse += early.count.fetches > plain.count.fetches ? 1 : 0;
  }
  CHECK(better > 20);
  CHECK(worse < better / 4);
}

TEST_CASE("thread_block_compaction: CAPRI stops waiting where lanes collide, and starts where they fit") {
  // A loop with a branch that odd threads take; identical lanes collide in every warp, permuted lanes fit.
  // 0 -> 1; 1 -> {2, 5}; 2 -> {3, 4}; 3 -> 4; 4 -> 1
  const block_id ipdom[] = {1, 5, 4, 4, 1, no_block};
  const auto program = [] {
    return [laps = std::vector<std::uint32_t>(16)](std::uint32_t t, block_id b) mutable -> block_id {
      if (b == 1) return laps[t]++ < 6 ? 2 : 5;
      if (b == 2) return t % 2 == 1 ? 3 : 4;
      if (b == 5) return no_block;
      return b == 4 ? 1 : b + 1;
    };
  };
  policies::thread_block_compaction collide(ipdom, {.lanes = {.width = 4}, .mode = policies::compaction::predicted});
  policies::thread_block_compaction fit(
      ipdom, {.lanes = {.width = 4, .rule = lane_rule::permuted}, .mode = policies::compaction::predicted});
  const auto each_lap = [&](policies::thread_block_compaction& tbc) {
    auto step = program();
    tbc.start({0, lane_mask::first_lanes(16)});
    std::vector<int> at_three(1, 0);
    std::size_t steps = 0;
    while (const auto f = tbc.next()) {
      basic_partition<lane_mask> out;
      f->lanes.for_each([&](std::uint32_t t) { out.go(step(t, f->block), lane_mask::lane(t)); });
      tbc.advance(*f, out.fragments());
      ++steps;
    }
    return steps;
  };
  // Each iteration: 1, 2, 4 by four warps; 3 by four warps, or by two when odd threads fit together.
  CHECK(each_lap(collide) == 4 * (1 + 7 + 6 * 3 + 1));
  CHECK_FALSE(collide.compacts(2));
  CHECK(collide.compacts(1));  // no warp ever diverged there
  CHECK(each_lap(fit) == 4 * (1 + 7 + 6 * 2 + 1) + 6 * 2);
  CHECK(fit.compacts(2));
  CHECK(run_block(collide, program(), 16, 4, 0).count.fetches == 4 * (1 + 7 + 6 * 3 + 1));

  // The bit is set again when packing would have paid: the first iteration picks even lanes of all warps, later ones do
  // not.
  const auto turn = [laps = std::vector<std::uint32_t>(16)](std::uint32_t t, block_id b) mutable -> block_id {
    if (b == 1) return laps[t]++ < 6 ? 2 : 5;
    if (b == 2) return (laps[t] == 1 ? t % 2 == 0 : (t / 4) == t % 4) ? 3 : 4;
    if (b == 5) return no_block;
    return b == 4 ? 1 : b + 1;
  };
  const auto r = run_block(collide, turn, 16, 4, 0);
  std::vector<std::uint32_t> at_three;
  for (const auto& f : r.schedule)
    if (f.block == 3) at_three.push_back(f.lanes.count());
  // iteration 1: 4 x 2 threads, the bit goes; iteration 2: 4 x 1, the bit is back; then 1 x 4 threads an iteration
  CHECK(at_three == std::vector<std::uint32_t>{2, 2, 2, 2, 1, 1, 1, 1, 4, 4, 4, 4});
}

TEST_CASE(
    "thread_block_compaction: CAPRI with every bit clear is the per-warp stack; paths hold with loops and exits") {
  int pays = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    testing::rng random(seed);
    testing::program_options options;
    options.statements = random.between(1, 12);
    options.break_continue = random.chance(50);
    options.early_return = random.chance(50);
    const auto program = testing::random_structured_program(random, options);
    INFO(text(seed, program.graph));
    const testing::random_walks walks(program.graph, {.seed = seed}, program.uniform);
    const auto pdom = post_dominators(program.graph);
    const home_lanes lanes{.width = 8};
    const auto capri = run_block(
        policies::thread_block_compaction(pdom.ipdoms(), {.lanes = lanes, .mode = policies::compaction::predicted}),
        walks, 40, 8);
    check_block_run(capri, walks, 40, lanes);
    pays += capri.count.fetches < narrow_stack_fetches<lane_mask>(program.graph, walks, 40, 8) ? 1 : 0;
  }
  CHECK(pays > 100);
}

TEST_CASE("thread_block_compaction: barriers, also with threads that end at one") {
  for_each_barrier_case(400, [](const barrier_case& c, testing::rng& random) {
    const auto mode = static_cast<policies::compaction>(random.below(3));
    std::vector<unsigned char> uniform;
    if (random.chance(50)) uniform = c.program.uniform;
    const auto r = run_block(
        policies::thread_block_compaction(c.pdom.ipdoms(), {.lanes = c.lanes, .mode = mode, .uniform = uniform}),
        c.walks, 20, c.lanes.width, c.barriers);
    check_block_run(r, c.walks, 20,
                    mode == policies::compaction::static_warps ? home_lanes{.width = c.lanes.width} : c.lanes);
  });
  // A barrier block that is a branch as well, from which some threads end.
  const block_id ipdom[] = {no_block, 2, no_block};
  const unsigned char barrier[] = {1, 0, 0};
  const auto r = run_block(
      policies::thread_block_compaction(ipdom, {.lanes = {.width = 3}}),
      [](std::uint32_t t, block_id b) -> block_id {
        if (b == 0) return t % 3 == 0 ? no_block : t % 3;
        return b == 1 ? 2 : no_block;
      },
      9, 3, 0, barrier);
  CHECK(r.how.finished());
  CHECK(r.schedule.size() == 3 + 3 + 3 + 3);
}

TEST_CASE("thread_block_compaction: thread blocks of 256 and 1024 threads, warps of any width") {
  for_each_wide_case(40, 8, []<class Mask>(std::uint32_t n, const wide_case& c) {
    const auto r = run_block(watched<Mask>(c.pdom.ipdoms(), {.lanes = c.lanes}), c.walks, n, c.lanes.width);
    check_block_run(r, c.walks, n, c.lanes);
    CHECK(watched<Mask>::broken == "");
    std::uint64_t fetches = 0;
    for (const auto& f : wide_stack<Mask>(c.graph, c.walks, n)) fetches += fullest_lane(f.lanes, c.lanes);
    CHECK(r.count.fetches == fetches);
    const auto capri = run_block(policies::basic_thread_block_compaction<Mask>(
                                     c.pdom.ipdoms(), {.lanes = c.lanes, .mode = policies::compaction::predicted}),
                                 c.walks, n, c.lanes.width);
    check_block_run(capri, c.walks, n, c.lanes);
  });
}

TEST_CASE("thread_block_compaction: threads that end where the table does not know of an exit") {
  const auto step = [](std::uint32_t t, block_id b) { return b == 2 && t == 5 ? no_block : hammock_step(t, b); };
  const auto r = run_block(policies::thread_block_compaction(hammock_ipdom, {.lanes = {.width = 4}}), step, 8, 4, 0);
  CHECK(r.how.finished());
  CHECK(text(std::vector<fragment>(r.schedule.end() - 2, r.schedule.end())) ==
        text(std::vector<fragment>{{3, threads({1, 2, 3, 4})}, {3, threads({5, 7, 8})}}));
}

TEST_CASE("thread_block_compaction: a loop does not grow the stack") {
  const block_id ipdom[] = {1, 4, 3, 1, no_block};  // 0 -> 1; 1 -> {2, 4}; 2 -> {3, 3}; 3 -> 1
  const auto r = run_block(
      policies::thread_block_compaction(ipdom, {.lanes = {.width = 4}}),
      [laps = std::vector<std::uint32_t>(16)](std::uint32_t t, block_id b) mutable -> block_id {
        if (b == 1) return laps[t]++ < 1 + 500 * t / 16 ? 2 : 4;
        if (b == 3) return 1;
        return b == 4 ? no_block : b + 1;
      },
      16, 4, 0);
  CHECK(r.how.finished());
  CHECK(r.count.max_depth == 2);
}

TEST_CASE("thread_block_compaction: one object runs thread block after thread block alike") {
  const auto pdom = post_dominators(reuse_graph());
  for (const auto mode :
       {policies::compaction::always, policies::compaction::static_warps, policies::compaction::predicted})
    check_reuse(policies::thread_block_compaction(pdom.ipdoms(), {.lanes = {.width = 5}, .mode = mode}));
}

TEST_CASE("thread_block_compaction: a warp on its own reconverges after a call") {
  // A loop; in it lanes call a function (block 6) or do not. One warp never gains from packing, so CAPRI lets it go on
  // by itself from the second round on, and it must cost what the stack costs: the return has no post-dominator of its
  // own.
  static constexpr block_id ipdom[] = {5, 4, 4, 4, 0, no_block, no_block};
  static constexpr block_id behind[] = {no_block, no_block, 4, no_block, no_block, no_block, no_block};
  const auto threads = [](auto policy) {
    const auto step = [laps = std::vector<unsigned>(8)](std::uint32_t t, block_id b) mutable -> block_id {
      switch (b) {
        case 0:
          return laps[t]++ < 5 ? 1U : 5U;
        case 1:
          return t % 2 == 0 ? 2U : 3U;
        case 2:
          return 6;
        case 3:
          return 4;
        case 4:
          return 0;
        case 6:
          return return_to_caller;
        default:
          return no_block;
      }
    };
    callable_program inner(step);
    call_program program(inner, behind, 8);
    counts c;
    REQUIRE(run(std::move(policy), program, {.threads = 8, .warp_width = 8}, c).finished());
    return c.fetches;
  };
  CHECK(threads(policies::ipdom_stack(ipdom)) == 5 * 6 + 2);
  CHECK(threads(policies::thread_block_compaction(
            ipdom, {.lanes = {.width = 8}, .mode = policies::compaction::predicted})) == 5 * 6 + 2);
}
