// SPDX-License-Identifier: BSL-1.0
//
// When a dominator tree is to follow a change and when to be computed anew: one edge is put into random programs of
// 1,000 statements, and update() is timed beside recompute() on the same graph. `update/recompute` is the ratio of the
// two, by the share of the program's blocks that update() computes again; above one half it computes the whole tree.
#include "ratio.hpp"
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/testing/generate.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <string>
#include <vector>

namespace {

using namespace simtflow;

struct change {
  csr_graph before, after;
  changed_edge<block_id> edge;
};

// By the share of blocks that have to be looked at, in percent: below 1, 10, 25, 50.
constexpr double bounds[] = {1, 10, 25, 50};

std::vector<std::vector<change>> changes() {
  std::vector<std::vector<change>> by_share(std::size(bounds));
  testing::rng random(3);
  for (int round = 0; round < 30; ++round) {
    const csr_graph program =
        testing::random_structured_program(random, {.statements = 1000, .max_depth = 8, .break_continue = true}).graph;
    const dominator_tree<csr_graph> tree(program);
    const auto any = [&] { return static_cast<block_id>(random.below(program.num_blocks())); };
    for (int k = 0; k < 100; ++k) {
      const auto below = tree.blocks_dominated_by(any());
      if (below.size() < 3) continue;
      const changed_edge<block_id> e{below[random.below(below.size())], below[1 + random.below(below.size() - 1)]};
      csr_builder builder(program.num_blocks(), program.entry());
      for (block_id b = 0; b < program.num_blocks(); ++b)
        for (const block_id s : program.successors(b)) builder.add_edge(b, s);
      change c{program, builder.add_edge(e.from, e.to).build(), e};
      dominator_tree<csr_graph> follows(c.before);
      const std::size_t done = follows.update(c.after, {&e, 1});
      if (done == 0 || done == program.num_blocks()) continue;
      const double share = 100.0 * static_cast<double>(done) / static_cast<double>(program.num_blocks());
      std::size_t i = 0;
      while (share >= bounds[i]) ++i;
      if (by_share[i].size() < 40) by_share[i].push_back(std::move(c));
    }
  }
  return by_share;
}

void compare(benchmark::State& state, const std::vector<change>& all) {
  std::vector<dominator_tree<csr_graph>> trees;
  for (const change& c : all) trees.emplace_back(c.before);
  dominator_tree<csr_graph> anew{csr_graph{}};
  // There and back again, so that every round finds the tree as it was.
  const auto result =
      simtflow_bench::compete({{"recompute",
                                [&](std::size_t i) {
                                  anew.recompute(all[i].after);
                                  anew.recompute(all[i].before);
                                }},
                               {"update",
                                [&](std::size_t i) {
                                  benchmark::DoNotOptimize(trees[i].update(all[i].after, {&all[i].edge, 1}));
                                  benchmark::DoNotOptimize(trees[i].update(all[i].before, {&all[i].edge, 1}));
                                }}},
                              all.size(), all.size(), 20);
  for (auto _ : state) state.SetIterationTime(result[1].seconds);
  state.counters["cases"] = static_cast<double>(all.size());
  state.counters["update/recompute"] = result[1].seconds / result[0].seconds;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  const std::vector<std::vector<change>> all = changes();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!all[i].empty())
      benchmark::RegisterBenchmark(
          ("update/share below " + std::to_string(static_cast<int>(bounds[i])) + " percent").c_str(),
          [&all, i](benchmark::State& state) { compare(state, all[i]); })
          ->UseManualTime()
          ->Iterations(1)
          ->Unit(benchmark::kMicrosecond);
  benchmark::RunSpecifiedBenchmarks();
}
