// SPDX-License-Identifier: BSL-1.0
//
// The sample: its bounds, the same probability for every thread block, and paths that are the run's.
#include <simtflow/advice/loop_trips.hpp>
#include <simtflow/advice/path_sample.hpp>
#include <simtflow/advice/replay.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/no_reconvergence.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace simtflow;
using advice::path_sample;
using advice::path_sampler;

namespace {

// A loop at 1: thread t of thread block n leaves it after (t + n) % 5 + 1 iterations.
const csr_graph graph = snapshot(std::vector<std::vector<int>>{{1}, {1, 2}, {}});

struct looping {
  std::uint32_t number = 0;
  std::vector<std::uint32_t> done;
  void begin(const launch& shape) { done.assign(shape.num_threads(), 0); }
  block_end run(block_id b, const group& g, partition& out) {
    g.lanes.for_each([&](std::uint32_t lane) {
      const std::uint32_t t = g.first_thread + lane;
      lane_mask one{};
      one.set(lane);
      if (b == 0)
        out.go(1, one);
      else if (b == 1)
        out.go(++done[t] > (t + number) % 5 ? 2 : 1, one);
      else
        out.go(no_block, one);
    });
    return block_end::next;
  }
  static std::uint32_t weight(block_id b) { return b == 1 ? 4 : 2; }
};

const auto tree = post_dominators(graph);

template <class Observer>
counts run_blocks(std::uint32_t blocks, Observer& observer) {
  counts all;
  executor machine(policies::ipdom_stack(tree.ipdoms()));
  looping program;
  for (program.number = 0; program.number < blocks; ++program.number) {
    const auto both = [&](const auto& e) {
      if constexpr (std::invocable<counts&, decltype(e)>) all(e);
      if constexpr (std::invocable<Observer&, decltype(e)>) observer(e);
    };
    REQUIRE(machine.run(program, {.threads = 48, .warp_width = 32}, both).finished());
  }
  return all;
}

const std::vector<std::uint32_t> weights{2, 4, 2};
const advice::sampled_code code{graph, graph, weights, {}, {}, 32};

}  // namespace

TEST_CASE("path_sample: a sample of all thread blocks replays to the counts of the run") {
  //! [replay_sample]
  path_sampler sampler({.thread_blocks = 10});
  const counts run = run_blocks(7, sampler);
  const path_sample sample = sampler.sample();
  CHECK(sample.is_whole());
  const auto pdom = [&](const auto&) { return policies::ipdom_stack(tree.ipdoms()); };
  const advice::sample_work again = advice::replay_sample<lane_mask>(sample, code, barrier_model::whole_warp, pdom);
  CHECK(again.total.warp_instructions == run.warp_instructions);
  //! [replay_sample]
  CHECK(again.total.divergent_branches == run.divergent_branches);
  CHECK(again.work.size() == 7);
  CHECK(sample.paths.size() == 5);
}

TEST_CASE("path_sample: every thread block is chosen as often as others, and never more than the bound") {
  std::vector<std::uint32_t> chosen(20, 0);
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    path_sampler sampler({.thread_blocks = 4, .seed = seed});
    run_blocks(20, sampler);
    const path_sample s = sampler.sample();
    REQUIRE(s.size() == 4);
    REQUIRE(s.population == 20);
    for (const std::uint64_t n : s.numbers) ++chosen[n];
  }
  for (std::size_t n = 0; n < chosen.size(); ++n) {  // 80 each; five standard deviations are 40
    CAPTURE(n);
    CHECK(chosen[n] > 40);
    CHECK(chosen[n] < 120);
  }
}

TEST_CASE("path_sample: thread blocks that are too long are left out and counted; one seed, one sample") {
  path_sampler none({.thread_blocks = 4, .visits = 10});
  run_blocks(6, none);
  CHECK(none.sample().size() == 0);
  CHECK(none.sample().population == 6);
  CHECK(none.sample().too_long >= 4);
  path_sampler a({.thread_blocks = 3, .seed = 9}), b({.thread_blocks = 3, .seed = 9});
  run_blocks(30, a);
  run_blocks(30, b);
  CHECK(a.sample().numbers == b.sample().numbers);
  CHECK(path_sampler().sample().size() == 0);
}

TEST_CASE("path_sample: sorted threads diverge less, and no thread is lost") {
  path_sampler sampler({.thread_blocks = 10});
  run_blocks(7, sampler);
  const path_sample sample = sampler.sample();
  const auto pdom = [&](const auto&) { return policies::ipdom_stack(tree.ipdoms()); };
  const auto work = [&](const path_sample& s) {
    return advice::replay_sample<lane_mask>(s, code, barrier_model::whole_warp, pdom).total;
  };
  const counts now = work(sample), compact = work(advice::sorted_sample(sample, false)),
               sorted = work(advice::sorted_sample(sample, true));
  CHECK(compact.thread_instructions == now.thread_instructions);
  CHECK(sorted.thread_instructions == now.thread_instructions);
  CHECK(compact.warp_instructions < now.warp_instructions);
  CHECK(sorted.warp_instructions < compact.warp_instructions);
}

TEST_CASE("path_sample: trips of loops, and how the busiest lane compares") {
  //! [trips_of]
  path_sampler sampler;
  run_blocks(1, sampler);
  const auto trips = advice::trips_of(sampler.sample(), loops(graph), 32);
  REQUIRE(trips.size() == 1);
  CHECK(trips[0].header == 1);
  CHECK(trips[0].threads == 48);
  CHECK(trips[0].longest == 5);
  CHECK(trips[0].balance == doctest::Approx(0.6).epsilon(0.05));  // 1, 2, 3, 4, 5 iterations by turns
  //! [trips_of]
  std::uint64_t sum = 0;
  for (std::uint32_t t = 0; t < 48; ++t) sum += t % 5 + 1;
  CHECK(trips[0].iterations == sum);
  CHECK(advice::trips_of(path_sample(), loops(graph), 32)[0].balance == 1);
  CHECK(advice::trips_of(path_sample(), loops(csr_graph()), 32).empty());
}
