// SPDX-License-Identifier: BSL-1.0
//
// Large warps. Oracles: solo paths; one post-dominator stack as wide as a large warp: its entries packed by hand give
// every sub-warp; the per-warp stack and thread block compaction at the two ends of K.
#include "simt/block_runs.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/large_warps.hpp>
#include <simtflow/simt/policies/thread_block_compaction.hpp>

using namespace simtflow;
using namespace block_runs;

namespace {

static_assert(parking_policy<policies::large_warps> && policy_with_depth<policies::large_warps>);
static_assert(policies::large_warps::scope == policy_scope::block);

// A matrix of rows by lanes: each cycle takes the first thread left in each column.
template <class Mask>
std::vector<Mask> columns(const Mask& threads, const home_lanes& lanes) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> column;
  std::uint32_t n = 0;
  threads.for_each([&](std::uint32_t t) {
    column[lanes.rule == lane_rule::free ? n % lanes.width : lanes.lane(t)].push_back(t);
    ++n;
  });
  std::vector<Mask> cycles;
  for (std::size_t c = 0;; ++c) {
    Mask taken;
    for (const auto& [lane, all] : column)
      if (c < all.size()) taken.set(all[c]);
    if (taken.none()) return cycles;
    cycles.push_back(taken);
  }
}

// Sub-warps of each large warp, in order: a stack of its own in an executor of its own.
template <class Mask>
std::vector<std::vector<basic_fragment<Mask>>> expected(const csr_graph& g, const testing::random_walks& walks,
                                                        std::uint32_t threads,
                                                        const policies::large_warp_options& options) {
  const auto pdom = post_dominators(g);
  const std::uint32_t size = options.lanes.width * options.warps;
  std::vector<std::vector<basic_fragment<Mask>>> all;
  for (std::uint32_t first = 0; first < threads; first += size) {
    const std::uint32_t n = std::min(size, threads - first);
    testing::walking_threads step(walks, threads);
    callable_program program([&](std::uint32_t t, block_id b) { return step(first + t, b); });
    executor<policies::basic_ipdom_stack<Mask>> machine(policies::basic_ipdom_stack<Mask>(pdom.ipdoms()));
    all.push_back({});
    machine.run(program, {.threads = n, .warp_width = n, .entry = g.entry()}, [&](const event::issued<Mask>& e) {
      Mask lanes;
      e.lanes.for_each([&](std::uint32_t t) { lanes.set(first + t); });
      for (const Mask& m : columns(lanes, options.lanes)) all.back().push_back({e.block, m});
    });
  }
  return all;
}

}  // namespace

TEST_CASE("large_warps: random graphs, paths and every sub-warp (1-4)") {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    testing::rng random(seed);
    const csr_graph g = random_graph(random);
    INFO(text(seed, g));
    const testing::random_walks walks(g, {.seed = seed});
    const auto n = static_cast<std::uint32_t>(random.between(1, 60));
    const policies::large_warp_options options{.lanes = random_lanes(random),
                                               .warps = static_cast<std::uint32_t>(random.between(1, 6))};
    const std::uint32_t width = options.lanes.width, size = width * options.warps;
    const auto pdom = post_dominators(g);
    const auto r = run_block(policies::large_warps(pdom.ipdoms(), options), walks, n, width);
    check_block_run(r, walks, n, options.lanes);
    // Targets are named in the order of sub-warps here, in the order of threads there, so the same sub-warps may run in
    // another order.
    auto want = expected<lane_mask>(g, walks, n, options);
    std::vector<std::vector<fragment>> got(want.size());
    for (const fragment& f : r.schedule) {
      REQUIRE(f.lanes.first() / size == (63 - static_cast<std::uint32_t>(std::countl_zero(f.lanes.word(0)))) / size);
      got[f.lanes.first() / size].push_back(f);
    }
    for (std::size_t i = 0; i < want.size(); ++i) {
      std::multiset<std::string> a, b;
      for (const fragment& f : want[i]) a.insert(text(std::vector<fragment>{f}));
      for (const fragment& f : got[i]) b.insert(text(std::vector<fragment>{f}));
      REQUIRE(a == b);
    }
    CHECK(r.count.max_depth <= 2 * size);
  }
}

TEST_CASE("large_warps: K = 1 is the per-warp stack, K = all is thread block compaction") {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    testing::rng random(seed);
    const csr_graph g = random_graph(random);
    INFO(text(seed, g));
    const testing::random_walks walks(g, {.seed = seed});
    const auto n = static_cast<std::uint32_t>(random.between(1, 60));
    const home_lanes lanes = random_lanes(random);
    const auto pdom = post_dominators(g);
    counts narrow;
    callable_program program(testing::walking_threads(walks, n));
    executor<policies::ipdom_stack> machine(policies::ipdom_stack(pdom.ipdoms()));
    machine.run(program, {.threads = n, .warp_width = lanes.width, .entry = g.entry()}, narrow);
    const auto one =
        run_block(policies::large_warps(pdom.ipdoms(), {.lanes = lanes, .warps = 1}), walks, n, lanes.width);
    CHECK(one.count.fetches == narrow.fetches);
    const auto all =
        run_block(policies::large_warps(pdom.ipdoms(), {.lanes = lanes, .warps = 64}), walks, n, lanes.width);
    const auto tbc =
        run_block(policies::thread_block_compaction(pdom.ipdoms(), {.lanes = lanes}), walks, n, lanes.width);
    CHECK(text(all.schedule) == text(tbc.schedule));
  }
}

TEST_CASE("large_warps: one thread from each column for each cycle, step by step") {
  // Two large warps of two warps of four. 0 -> {1, 2} -> 3; threads 0, 5, 6 of each eight go to 2.
  const block_id ipdom[] = {3, 3, 3, no_block};
  const auto step = [](std::uint32_t t, block_id b) -> block_id {
    if (b == 0) return t % 8 == 0 || t % 8 == 5 || t % 8 == 6 ? 2 : 1;
    return b == 3 ? no_block : 3;
  };
  const auto r = run_block(policies::large_warps(ipdom, {.lanes = {.width = 4}, .warps = 2}), step, 16, 4, 0);
  const std::vector<std::uint64_t> first{0x0F, 0xF0, 0x61, 0x1E, 0x80, 0x0F, 0xF0};
  const std::vector<block_id> blocks{0, 0, 2, 1, 1, 3, 3};
  std::vector<fragment> expected;
  for (std::size_t i = 0; i < first.size(); ++i) {  // the large warps take turns
    expected.push_back({blocks[i], lane_mask(first[i])});
    expected.push_back({blocks[i], lane_mask(first[i] << 8)});
  }
  CHECK(text(r.schedule) == text(expected));
  CHECK(r.count.max_depth == 3);

  constexpr auto fetches = [] {
    constexpr block_id meet[] = {3, 3, 3, no_block};
    counts count;
    callable_program program([](std::uint32_t t, block_id b) -> block_id {
      if (b == 0) return t % 8 == 0 || t % 8 == 5 || t % 8 == 6 ? 2U : 1U;
      return b == 3 ? no_block : 3;
    });
    executor<policies::large_warps> machine(policies::large_warps(meet, {.lanes = {.width = 4}, .warps = 2}));
    machine.run(program, block_launch(16, 4), count);
    return count.fetches;
  };
  static_assert(fetches() == 14);
  CHECK(fetches() == 14);
}

TEST_CASE("large_warps: every graph of up to four blocks in which threads can end") {
  warp_runs::for_each_small_case(9, [](std::uint64_t n, const csr_graph&, const auto& pdom, const auto& walks) {
    const home_lanes lanes{.width = static_cast<std::uint32_t>(1 + n % 3)};
    const auto r = run_block(policies::large_warps(pdom.ipdoms(), {.lanes = lanes, .warps = 2}), walks, 7, lanes.width);
    check_block_run(r, walks, 7, lanes);
  });
}

TEST_CASE("large_warps: barriers, also with threads that end at one") {
  for_each_barrier_case(300, [](const barrier_case& c, testing::rng& random) {
    const auto k = static_cast<std::uint32_t>(random.between(1, 5));
    const auto r = run_block(policies::large_warps(c.pdom.ipdoms(), {.lanes = c.lanes, .warps = k}), c.walks, 30,
                             c.lanes.width, c.barriers);
    check_block_run(r, c.walks, 30, c.lanes);
    std::vector<std::uint64_t> passed(30, 0);  // nobody is a barrier ahead of anybody when it runs
    for (const fragment& f : r.schedule) {
      const std::uint64_t now = passed[f.lanes.first()];
      f.lanes.for_each([&](std::uint32_t t) { CHECK(passed[t] == now); });
      f.lanes.for_each([&](std::uint32_t t) { passed[t] += c.barriers[f.block]; });
    }
  });
}

TEST_CASE("large_warps: thread blocks of 256 and 1024 threads, warps of any width") {
  for_each_wide_case(40, 8, []<class Mask>(std::uint32_t n, const wide_case& c) {
    const policies::large_warp_options options{.lanes = c.lanes};
    const auto r = run_block(policies::basic_large_warps<Mask>(c.pdom.ipdoms(), options), c.walks, n, c.lanes.width);
    check_block_run(r, c.walks, n, c.lanes);
    std::size_t fetches = 0;
    for (const auto& one : expected<Mask>(c.graph, c.walks, n, options)) fetches += one.size();
    CHECK(r.count.fetches == fetches);
  });
}

TEST_CASE("large_warps: one object runs thread block after thread block alike") {
  const auto pdom = post_dominators(reuse_graph());
  check_reuse(policies::large_warps(pdom.ipdoms(), {.lanes = {.width = 5}, .warps = 2}));
}
