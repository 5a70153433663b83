// SPDX-License-Identifier: BSL-1.0
//
// Ways to take unstructured control flow away, compared on the 17 graphs of testing/transform_shapes.hpp: blocks,
// guards, constants that edges set, and blocks that one warp of 16 lanes fetches under a post-dominator stack. Which
// way a lane goes is a hash of (lane, visit, number of the block), so that every column sees the same 16 paths.
//
// The columns for LLVM 19 (opt: fix-irreducible, unify-loop-exits, structurizecfg) and for its guard linearization are
// figures that were measured before with another hash; for fetches that hash and this one agree in the sum over the
// original graphs (545 and 546) and in 11 of the 17 rows. Blocks depend on no hash.
//
// Then the time of linearization beside that of a dominator tree of the same graph.
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/testing/transform_shapes.hpp>
#include <simtflow/transform/linearize.hpp>
#include <simtflow/transform/plan.hpp>
#include <simtflow/transform/planned_program.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

namespace {

using namespace simtflow;

constexpr std::uint64_t seed = 216'084;

struct walkers {
  const csr_graph* graph;
  std::span<const std::uint32_t> calls;
  std::vector<std::uint32_t> visits;

  walkers(const csr_graph& g, std::span<const std::uint32_t> numbers) : graph(&g), calls(numbers) {
    visits.assign(16 * g.num_blocks(), 0);
  }
  block_id operator()(std::uint32_t lane, block_id b) {
    const auto out = graph->successors(b);
    if (out.size() < 2) return out.empty() ? no_block : out[0];
    const std::uint32_t visit = visits[lane * graph->num_blocks() + b]++;
    const std::uint64_t hash = testing::mix_bits(testing::mix_bits(testing::mix_bits(seed + lane) + visit) + calls[b]);
    return out[(hash >> 32 & 1) != 0 ? 0 : 1];  // slot 0: true
  }
};

std::uint64_t fetches(const flow_plan& plan, const csr_graph& g, std::span<const std::uint32_t> calls) {
  const csr_graph shape = snapshot(plan);
  const auto pdom = post_dominators(shape);
  planned_program program(plan, g, callable_program(walkers(g, calls)));
  program.begin_block(16);
  executor<ipdom_stack> machine(ipdom_stack(pdom.ids().ipdoms()));
  return machine.run({.threads = 16, .warp_width = 16, .entry = plan.entry()}, program).steps;
}

struct figures {
  std::size_t original, llvm_blocks, llvm, before_blocks, before;  // measured before; see above
};
constexpr figures known[] = {{12, 11, 11, 10, 10},  {11, 11, 15, 11, 15}, {22, 11, 52, 11, 40},    {15, 7, 39, 8, 33},
                             {12, 10, 10, 9, 9},    {8, 10, 10, 8, 8},    {10, 11, 11, 10, 10},    {8, 20, 9, 13, 7},
                             {25, 17, 17, 14, 14},  {10, 19, 18, 15, 14}, {22, 18, 35, 15, 34},    {22, 14, 40, 11, 33},
                             {64, 14, 137, 14, 86}, {44, 9, 146, 9, 96},  {165, 17, 239, 16, 234}, {77, 24, 24, 24, 24},
                             {19, 16, 27, 12, 19}};

void print_table() {
  std::printf("                  |  original     |  LLVM 19      | linearized    | optimized\n");
  std::printf("graph             | blocks  fetch | blocks  fetch | blocks  fetch | blocks  fetch  guards  sets\n");
  std::size_t sum[8] = {}, i = 0;
  for (const testing::transform_shape& s : testing::transform_shapes) {
    const csr_graph g = s.make();
    const flow_plan same(g);
    linearize_options plain;
    plain.optimize = guard_optimization::none;
    const flow_plan flat = linearize(g, plain).plan, best = linearize(g).plan;
    const plan_cost cost = best.cost();
    const std::size_t row[8] = {g.num_blocks(), fetches(same, g, s.calls), known[i].llvm_blocks,
                                known[i].llvm,  flat.cost().blocks(),      fetches(flat, g, s.calls),
                                cost.blocks(),  fetches(best, g, s.calls)};
    std::printf("%-17s | %6zu %6zu | %6zu %6zu | %6zu %6zu | %6zu %6zu %7zu %5zu\n", s.name, row[0], row[1], row[2],
                row[3], row[4], row[5], row[6], row[7], cost.guards, cost.assignments);
    for (int k = 0; k < 8; ++k) sum[k] += row[k];
    ++i;
  }
  std::printf("%-17s | %6zu %6zu | %6zu %6zu | %6zu %6zu | %6zu %6zu\n\n", "total", sum[0], sum[1], sum[2], sum[3],
              sum[4], sum[5], sum[6], sum[7]);
}

csr_graph irreducible(std::size_t blocks) {
  testing::rng random(7);
  return testing::random_cfg(random, {.blocks = blocks, .exits = 2, .terminating = true});
}

void dominator_tree_time(benchmark::State& state) {
  const csr_graph g = irreducible(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(dominators(g));
}
void linearize_time(benchmark::State& state) {
  const csr_graph g = irreducible(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(linearize(g));
}
BENCHMARK(dominator_tree_time)->Arg(1000)->Arg(100'000);
BENCHMARK(linearize_time)->Arg(1000)->Arg(100'000)->Unit(benchmark::kMicrosecond);

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  print_table();
  benchmark::RunSpecifiedBenchmarks();
}
