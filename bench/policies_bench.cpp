// SPDX-License-Identifier: BSL-1.0
//
// How fast policies run: replay of the threads of random programs with break and continue, 256 threads of a thread
// block in warps of 32. `steps` are executed blocks (group steps) a second, the executor and the replay included; the
// replay alone moves 256 positions. `counts` is the same with an observer attached. After the benchmarks comes the cost
// of observers, all in one run in alternating order (ratio.hpp): `deaf` are two that listen to no step.
#include "ratio.hpp"
#include <simtflow/simt/any_policy.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/policies/conservative_branch.hpp>
#include <simtflow/simt/policies/convergence_barriers.hpp>
#include <simtflow/simt/policies/dual_path.hpp>
#include <simtflow/simt/policies/dynamic_warps.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/large_warps.hpp>
#include <simtflow/simt/policies/likely_convergence_stack.hpp>
#include <simtflow/simt/policies/min_pc.hpp>
#include <simtflow/simt/policies/multi_path.hpp>
#include <simtflow/simt/policies/thread_block_compaction.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/simt/policies/warp_subdivision.hpp>
#include <simtflow/simt/policy_facts.hpp>
#include <simtflow/simt/trace.hpp>
#include <simtflow/testing/generate.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace simtflow;
using wide = basic_mask<4>;

constexpr std::uint32_t threads = 256;

// A program, the recorded paths of its threads, and the facts that policies are made from.
struct workload {
  csr_graph graph;
  block_paths paths;
  std::vector<std::uint32_t> path_of_thread, weights;
  policy_facts facts;

  explicit workload(std::uint64_t seed) : graph(make_graph(seed)), facts(graph) {
    const testing::random_walks walks(graph, {.seed = seed});
    for (std::uint32_t t = 0; t < threads; ++t) {
      paths.add(walks.path(t));
      path_of_thread.push_back(t);
    }
    weights.assign(graph.num_blocks(), 1);
  }
  workload(const workload&) = delete;
  workload& operator=(const workload&) = delete;

  static csr_graph make_graph(std::uint64_t seed) {
    testing::rng random(seed);
    return testing::random_structured_program(random, {.statements = 60, .max_depth = 5, .break_continue = true}).graph;
  }
  [[nodiscard]] std::span<const std::uint32_t> ranks() const { return facts.ranks(priority_rule::loop_contiguous); }
};

// The threads of every workload under one policy.
template <class Policy>
class replayer {
 public:
  template <class Make>
  replayer(const std::deque<workload>& all, const Make& make) : all_(&all) {
    for (const workload& w : all) {
      machines_.emplace_back(make(w));
      programs_.emplace_back(w.paths, w.weights);
    }
  }

  // Workload i; returns the executed blocks.
  template <class Observer>
  std::uint64_t run(std::size_t i, Observer& observer) {
    const workload& w = (*all_)[i];
    if (!programs_[i].select_block(w.path_of_thread, w.graph.entry())) std::abort();
    const auto verdict = machines_[i].run(
        programs_[i],
        {.threads = threads, .warp_width = 32, .entry = w.graph.entry(), .barriers = barrier_model::whole_warp},
        observer);
    if (!verdict.finished()) {
      std::fputs("policies_bench: a replay did not finish\n", stderr);
      std::exit(1);
    }
    return verdict.steps;
  }

 private:
  const std::deque<workload>* all_;
  std::vector<executor<Policy>> machines_;
  std::vector<trace_program> programs_;
};

template <class Make>
replayer<std::invoke_result_t<const Make&, const workload&>> replay_of(const std::deque<workload>& all,
                                                                       const Make& make) {
  return {all, make};
}

template <class Make, class Observer>
void replay(benchmark::State& state, const std::deque<workload>& all, const Make& make, Observer observer) {
  auto threads_of_all = replay_of(all, make);
  std::uint64_t steps = 0;
  for (auto _ : state)
    for (std::size_t i = 0; i < all.size(); ++i) steps += threads_of_all.run(i, observer);
  state.counters["steps"] = benchmark::Counter(static_cast<double>(steps), benchmark::Counter::kIsRate);
}

template <class Make>
void print_observer_cost(const char* name, const std::deque<workload>& all, const Make& make) {
  auto without = replay_of(all, make), unheard = replay_of(all, make), counted = replay_of(all, make);
  no_observer nobody, other;
  both listener(nobody, other);
  counts count;
  const auto table = simtflow_bench::compete({{"none", [&](std::size_t i) { without.run(i, nobody); }},
                                              {"deaf", [&](std::size_t i) { unheard.run(i, listener); }},
                                              {"counts", [&](std::size_t i) { counted.run(i, count); }}},
                                             all.size(), 1, 60);
  std::printf("%-40s deaf %.3f, counts %.3f of the time without observer\n", name, table[1].seconds / table[0].seconds,
              table[2].seconds / table[0].seconds);
}

template <class Make>
void add(const std::string& name, const std::deque<workload>& all, const Make& make) {
  benchmark::RegisterBenchmark(name.c_str(), [&all, make](benchmark::State& state) {
    replay(state, all, make, no_observer{});
  })->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark((name + "/counts").c_str(), [&all, make](benchmark::State& state) {
    replay(state, all, make, counts{});
  })->Unit(benchmark::kMillisecond);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  std::deque<workload> all;  // policies refer to the facts
  for (std::uint64_t seed = 1; seed <= 8; ++seed) all.emplace_back(seed);

  add("warp/ipdom_stack", all, [](const workload& w) { return policies::ipdom_stack(w.facts.ipdoms()); });
  add("warp/any_policy of ipdom_stack", all,
      [](const workload& w) { return any_policy(policies::ipdom_stack(w.facts.ipdoms())); });
  add("warp/likely_convergence_stack", all, [](const workload& w) {
    return policies::likely_convergence_stack(w.facts.ipdoms(), w.facts.likely(likely_source::loops));
  });
  add("warp/dual_path", all, [](const workload& w) { return policies::dual_path(w.facts.ipdoms()); });
  add("warp/multi_path", all, [](const workload& w) { return policies::multi_path(w.facts.ipdoms()); });
  add("warp/thread_frontier", all, [](const workload& w) { return policies::thread_frontier(w.ranks()); });
  add("warp/conservative_branch", all, [](const workload& w) {
    return policies::conservative_branch(w.facts.layout(priority_rule::loop_contiguous), w.ranks(),
                                         w.facts.conservative(priority_rule::loop_contiguous, frontier_rule::fixpoint));
  });
  add("warp/min_pc", all, [](const workload& w) { return policies::min_pc(w.ranks()); });
  add("warp/convergence_barriers", all, [](const workload& w) {
    return policies::convergence_barriers(w.facts.barriers(yield_rule::never), {}, w.ranks());
  });
  add("warp/warp_subdivision", all, [](const workload& w) { return policies::warp_subdivision(w.facts.ipdoms()); });
  add("block/thread_block_compaction", all, [](const workload& w) {
    return policies::basic_thread_block_compaction<wide>(w.facts.ipdoms(), policies::compaction_options{});
  });
  add("block/large_warps", all,
      [](const workload& w) { return policies::basic_large_warps<wide>(w.facts.ipdoms(), {}); });
  add("block/dynamic_warps, time", all, [](const workload& w) {
    return policies::basic_dynamic_warps<wide>({home_lanes{}, w.ranks(), {}, policies::warp_scheduler::time});
  });
  add("block/dynamic_warps, majority", all, [](const workload& w) {
    return policies::basic_dynamic_warps<wide>({home_lanes{}, w.ranks(), {}, policies::warp_scheduler::majority});
  });
  benchmark::RunSpecifiedBenchmarks();
  print_observer_cost("warp/ipdom_stack", all,
                      [](const workload& w) { return policies::ipdom_stack(w.facts.ipdoms()); });
  print_observer_cost("warp/thread_frontier", all,
                      [](const workload& w) { return policies::thread_frontier(w.ranks()); });
  print_observer_cost("block/thread_block_compaction", all, [](const workload& w) {
    return policies::basic_thread_block_compaction<wide>(w.facts.ipdoms(), policies::compaction_options{});
  });
}
