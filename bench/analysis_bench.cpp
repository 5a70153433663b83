// SPDX-License-Identifier: BSL-1.0
//
// What an analysis costs per block and edge: on random programs of 10, 300 and 10,000 statements (about three blocks
// each), and on every function of the corpus where there is one. `floor` is one depth-first search over the same graph:
// read the others as a multiple of it.
#include "../tests/support/gz.hpp"
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/order.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/io/cfg_text.hpp>
#include <simtflow/testing/generate.hpp>

#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace simtflow;
using graphs = std::vector<csr_graph>;

// Programs of sequences, conditions and loops with break and continue: what compilers hand over, not random tangles.
graphs random_programs(std::size_t statements) {
  graphs all;
  testing::rng random(statements);
  for (std::size_t total = 0; total < 10'000; total += statements)
    all.push_back(
        testing::random_structured_program(random, {.statements = statements, .max_depth = 8, .break_continue = true})
            .graph);
  return all;
}

graphs corpus_graphs() {
  graphs all;
  const std::string corpus = simtflow_tests::corpus_directory();
  if (corpus.empty()) {
    std::puts("no corpus (SIMTFLOW_CORPUS is empty): its functions are left out");
    return all;
  }
  const auto text = simtflow_tests::read_file(corpus + "/cpu-O0.cfg.gz");
  if (text)
    for (recorded_graph& g : read_graphs(*text).graphs) all.push_back(std::move(g.graph));
  return all;
}

template <class F>
void per_block_and_edge(benchmark::State& state, const graphs& all, F analyse) {
  std::size_t size = 0;
  for (const csr_graph& g : all) size += g.num_blocks() + g.num_edges();
  for (auto _ : state)
    for (const csr_graph& g : all) analyse(g);
  state.counters["per_block+edge"] = benchmark::Counter(
      static_cast<double>(size), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <class F>
void add(const std::string& name, const std::vector<std::pair<std::string, graphs>>& sets, F analyse) {
  for (const auto& [set, all] : sets)
    benchmark::RegisterBenchmark((name + "/" + set).c_str(), [&all = all, analyse](benchmark::State& state) {
      per_block_and_edge(state, all, analyse);
    })->Unit(benchmark::kMillisecond);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::pair<std::string, graphs>> sets{
      {"10", random_programs(10)}, {"300", random_programs(300)}, {"10000", random_programs(10'000)}};
  graphs corpus = corpus_graphs();
  if (!corpus.empty()) sets.emplace_back("corpus", std::move(corpus));

  add("floor", sets, [order = depth_first_order<csr_graph>(csr_graph{})](const csr_graph& g) mutable {
    order.recompute(g);
    benchmark::DoNotOptimize(order);
  });
  add("snapshot", sets, [](const csr_graph& g) { benchmark::DoNotOptimize(snapshot(g)); });
  add("dominators", sets, [tree = dominator_tree<csr_graph>(csr_graph{})](const csr_graph& g) mutable {
    tree.recompute(g);
    benchmark::DoNotOptimize(tree);
  });
  add("post_dominators", sets, [tree = post_dominator_tree<csr_graph>(csr_graph{})](const csr_graph& g) mutable {
    tree.recompute(g);
    benchmark::DoNotOptimize(tree);
  });
  add("loops", sets, [forest = loop_forest<csr_graph>(csr_graph{})](const csr_graph& g) mutable {
    forest.recompute(g);
    benchmark::DoNotOptimize(forest);
  });
  add("reverse_post_order", sets, [](const csr_graph& g) { benchmark::DoNotOptimize(reverse_post_order(g)); });
  add("loop_contiguous_order", sets, [](const csr_graph& g) { benchmark::DoNotOptimize(loop_contiguous_order(g)); });
  add("thread_frontiers", sets,
      [](const csr_graph& g) { benchmark::DoNotOptimize(thread_frontiers(g, loop_contiguous_order(g))); });
  add("thread_frontiers_algorithm_1", sets,
      [](const csr_graph& g) { benchmark::DoNotOptimize(thread_frontiers_algorithm_1(g, reverse_post_order(g))); });

  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
