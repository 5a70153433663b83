// SPDX-License-Identifier: BSL-1.0
//
// The promises of each policy about threads that wait for others of their warp or thread block, held against programs
// in which they do: a spin lock, a producer that others spin for, barriers in divergent flow. A policy that is not fair
// is caught in a livelock, one that is not even lockstep-safe in a deadlock.
#include "simt/policy_table.hpp"
#include <simtflow/io/describe.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/testing/generate.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

using namespace simtflow;
using policy_table::all_policies;
using policy_table::entry;
using policy_table::material;

namespace {

// A program with memory and an erased type: a step of a thread, flags of blocks that end in a barrier, and the state as
// numbers.
struct any_threads {
  std::function<block_id(std::uint32_t, block_id)> step;
  std::vector<unsigned char> barriers{};
  std::function<std::vector<std::uint32_t>()> state{};
  std::vector<std::uint32_t> noted{};

  block_end run(block_id b, const group& g, partition& out) {
    g.lanes.for_each([&](std::uint32_t l) { out.go(step(g.first_thread + l, b), lane_mask::lane(l)); });
    return b < barriers.size() && barriers[b] != 0 ? block_end::barrier : block_end::next;
  }
  void remember() { noted = state(); }
  [[nodiscard]] bool as_remembered() { return noted == state(); }
};

// One run of a policy of the table.
verdict run_one(const entry& p, const material& m, const launch& shape, any_threads& threads, const limits& limit) {
  return executor(p.make(m)).run(threads, shape, no_observer{}, limit);
}

constexpr limits find{.steps = 100'000, .detect_livelock = true};
constexpr std::uint32_t nobody = no_block;

// Block 0 tries to take the lock, block 1 works and gives it back. Worked: threads that have.
struct lock {
  std::uint32_t holder = nobody, worked = 0;
  bool broken = false;
  static csr_graph graph() { return csr_builder(2).add_edge(0, 0).add_edge(0, 1).build(); }
  any_threads threads() {
    return {[this](std::uint32_t t, block_id b) -> block_id {
              if (b == 0) {
                if (holder != nobody) return 0;
                holder = t;
                return 1;
              }
              broken = broken || holder != t;
              holder = nobody;
              ++worked;
              return no_block;
            },
            {},
            [this] { return std::vector<std::uint32_t>{holder}; }};
  }
};

// The producer goes to block 1, the others spin at block 2 until it has been there.
struct flag {
  std::uint32_t producer = 0;
  bool up = false;
  static csr_graph graph() {
    return csr_builder(4).add_edge(0, 1).add_edge(0, 2).add_edge(1, 3).add_edge(2, 2).add_edge(2, 3).build();
  }
  any_threads threads() {
    return {[this](std::uint32_t t, block_id b) -> block_id {
              if (b == 0) return t == producer ? 1 : 2;
              if (b == 1) up = true;
              if (b == 2 && !up) return 2;
              return b == 3 ? no_block : 3;
            },
            {},
            [this] { return std::vector<std::uint32_t>{up}; }};
  }
};

}  // namespace

TEST_CASE("progress: whoever is not fair lets lanes spin forever, and that is proven") {
  // One warp of four threads under every policy; of orders by block id, the one upwards prefers block 0, the one
  // downwards block 1.
  for (const entry& p : all_policies()) {
    CAPTURE(std::string(p.what.name));
    std::string found;
    const auto attempt = [&](const csr_graph& g, any_threads threads, const std::string& how) {
      const material m(g, 4);
      const verdict v = run_one(p, m, {.threads = 4, .warp_width = 4}, threads, find);
      INFO(how << ": " << describe(v));
      if (v.finished()) return;
      CHECK(p.can.progress != progress_class::fair);
      REQUIRE(v.how == outcome::livelock);
      CHECK(v.steps < 200);
      bool spins = false, waits = false;
      for (const auto& s : v.standing) {
        spins = spins || s.reason == standing_reason::spinning;
        waits = waits || s.reason == standing_reason::ready || s.reason == standing_reason::blocked;
      }
      CHECK(spins);
      CHECK(waits);
      found += how;
    };
    lock l;
    attempt(lock::graph(), l.threads(), "lock ");
    CHECK(!l.broken);
    CHECK((l.worked == 4) == found.empty());
    for (std::uint32_t producer = 0; producer < 4; ++producer) {
      flag f{producer};
      attempt(flag::graph(), f.threads(), "producer " + std::to_string(producer) + " ");
    }
    CHECK((p.can.progress == progress_class::fair) == found.empty());
  }
}

TEST_CASE("progress: fair policies end a spin lock and a producer with any number of threads") {
  int fair = 0;
  for (const entry& p : all_policies()) {
    if (p.can.progress != progress_class::fair) continue;
    ++fair;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      testing::rng random(seed);
      const auto width = static_cast<std::uint32_t>(random.between(1, p.can.scope == policy_scope::warp ? 64 : 16));
      launch shape{.threads = static_cast<std::uint32_t>(random.between(1, 64)), .warp_width = width};
      CAPTURE(std::string(p.what.name));
      CAPTURE(seed);
      lock l;
      any_threads all = l.threads();
      const verdict v = run_one(p, material(lock::graph(), width), shape, all, find);
      CHECK_MESSAGE(v.finished(), describe(v));
      CHECK((l.worked == shape.threads && !l.broken));
      flag f{static_cast<std::uint32_t>(random.below(shape.threads))};
      any_threads waiting = f.threads();
      const verdict w = run_one(p, material(flag::graph(), width), shape, waiting, find);
      CHECK_MESSAGE(w.finished(), describe(w));
    }
  }
  CHECK(fair >= 4);
}

TEST_CASE("progress: barriers in divergent flow deadlock nobody who is lockstep-safe, and somebody under each other") {
  struct tally {
    int runs = 0, stuck = 0;
  };
  std::vector<tally> seen(all_policies().size());
  for (std::uint64_t seed = 1; seed <= 250; ++seed) {
    testing::rng random(seed);
    csr_graph g;
    const bool structured = random.chance(40);
    if (structured) {
      g = testing::random_structured_program(random, {.statements = random.between(2, 6)}).graph;
    } else {
      testing::cfg_options options;
      options.blocks = random.between(3, 10);
      options.exits = random.between(1, 2);
      options.reducible = random.chance(50);
      options.terminating = true;
      g = testing::random_cfg(random, options);
    }
    std::vector<unsigned char> barriers(g.num_blocks(), 0);
    for (unsigned char& b : barriers) b = random.chance(30) ? 1 : 0;
    const testing::random_walks walks(g, {.seed = seed});
    const auto width = static_cast<std::uint32_t>(random.between(2, 6));
    launch shape{.threads = static_cast<std::uint32_t>(random.between(2, 2 * width)),
                 .warp_width = width,
                 .entry = g.entry(),
                 .barriers = barrier_model::thread_arrival};
    const material m(g, width);
    for (std::size_t i = 0; i < all_policies().size(); ++i) {
      const entry& p = all_policies()[i];
      if (!p.can.parks || !p.takes(m)) continue;
      testing::walking_threads walk(walks, shape.threads);
      any_threads threads{[&](std::uint32_t t, block_id b) { return walk(t, b); }, barriers};
      const verdict v = run_one(p, m, shape, threads, {.steps = 100'000});
      ++seen[i].runs;
      if (v.finished()) continue;
      ++seen[i].stuck;
      CAPTURE(std::string(p.what.name));
      CHECK_MESSAGE(p.can.progress == progress_class::none, describe(v) << " seed " << seed << "\n" << to_dot(g));
      CHECK(v.how == outcome::nothing_runnable);
    }
  }
  int safe = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const entry& p = all_policies()[i];
    if (p.can.parks && p.can.progress != progress_class::none) ++safe;
    if (!p.can.parks || p.can.progress != progress_class::none) continue;
    CAPTURE(std::string(p.what.name));
    CAPTURE(seen[i].runs);
    CHECK(seen[i].stuck > 0);
  }
  CHECK(safe >= 10);
}

TEST_CASE("progress: what the options of convergence barriers and warp subdivision make of it") {
  // Yields at every loop, a fair order, and yielded lanes count: fair. Without any one of them: not.
  const csr_graph g = lock::graph();
  const material m(g, 4);
  const auto locks = [&](auto policy) {
    lock l;
    any_threads threads = l.threads();
    return executor(policy).run(threads, {.threads = 4, .warp_width = 4}, no_observer{}, find).how;
  };
  std::vector<policies::convergence_operation> operations =
      policies::ipdom_barriers(g, std::span<const block_id>(m.ipdoms));
  const policies::convergence_table silent(g.num_blocks(), operations);
  operations.push_back({0, policies::convergence_op::yield, 0});
  const policies::convergence_table yields(g.num_blocks(), operations);
  const policies::convergence_table nothing(g.num_blocks(), {});
  for (const policies::selection_order fair :
       {policies::selection_order::oldest, policies::selection_order::round_robin}) {
    CHECK(locks(policies::convergence_barriers(yields, {.order = fair})) == outcome::finished);
    CHECK(locks(policies::convergence_barriers(nothing, {.order = fair})) == outcome::finished);
    CHECK(locks(policies::convergence_barriers(yields, {.order = fair, .yielded_count = false})) == outcome::livelock);
    CHECK(locks(policies::convergence_barriers(silent, {.order = fair})) == outcome::livelock);
    CHECK(locks(policies::warp_subdivision(m.ipdoms, policies::split_rule::same_block, fair)) == outcome::finished);
    CHECK(locks(policies::warp_subdivision(m.ipdoms, policies::split_rule::post_dominator, fair)) == outcome::livelock);
    CHECK(locks(policies::warp_subdivision(m.ipdoms, policies::split_rule::both, fair)) == outcome::livelock);
  }
  CHECK(locks(policies::convergence_barriers(nothing, {.order = policies::selection_order::lowest_pc})) ==
        outcome::livelock);
  CHECK(locks(policies::warp_subdivision(m.ipdoms, policies::split_rule::same_block,
                                         policies::selection_order::lowest_pc)) == outcome::livelock);
  static_assert(progress_of<policies::convergence_barriers> == progress_class::none);  // its default options
  static_assert(progress_of<policies::warp_subdivision> == progress_class::none);
}

TEST_CASE("progress: the oldest warp is not overtaken forever by warps that pass barriers") {
  // Thread 0 has ten rounds to go; all others meet barriers that open for one thread until it is done. Warps of one
  // thread: more of them are released at once than the executor runs before it opens barriers again.
  struct program {
    std::vector<unsigned> rounds = std::vector<unsigned>(128);
    bool done = false;
    block_end run(block_id b, const basic_group<basic_mask<2>>& g, basic_partition<basic_mask<2>>& out) {
      g.lanes.for_each([&](std::uint32_t t) {
        block_id next = no_block;
        if (b == 0) next = t == 0 ? 1U : 2U;
        if (b == 1) next = ++rounds[t] < 10 ? 1U : no_block;
        if (b == 1 && next == no_block) done = true;
        if (b == 2) next = done ? no_block : 2U;
        out.go(next, basic_mask<2>::lane(t));
      });
      return b == 2 ? block_end::barrier : block_end::next;
    }
    std::uint32_t barrier_id(block_id) const { return 0; }
    std::uint32_t barrier_count(block_id) const { return 1; }
  } threads;
  executor machine(policies::basic_dynamic_warps<basic_mask<2>>(
      {.lanes = {.width = 1}, .scheduler = policies::warp_scheduler::time}));
  const auto how = machine.run(threads, {.threads = 128, .warp_width = 1, .barriers = barrier_model::thread_arrival},
                               no_observer{}, {.steps = 20'000});
  CHECK_MESSAGE(how.finished(), describe(how));
}
