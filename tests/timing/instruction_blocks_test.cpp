// SPDX-License-Identifier: BSL-1.0
//
// Programs with a block for each instruction: the same threads, the same instructions, the same memory accesses.
#include "support/long_run.hpp"
#include "timing/random_programs.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/simt/policies/dynamic_warps.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/timing/device.hpp>
#include <simtflow/timing/instruction_blocks.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace {

using namespace simtflow;
using program = random_timing::program<>;
using granular = timing::instruction_granular<program>;

std::vector<std::uint32_t> weights_of(const random_timing::code& c) {
  std::vector<std::uint32_t> weights;
  for (const auto& block : c.blocks) weights.push_back(static_cast<std::uint32_t>(block.size()));
  return weights;
}

// The instructions of each thread, as blocks of the program and places in them.
struct paths {
  const timing::instruction_blocks* rows = nullptr;
  std::uint32_t warp_width;
  bool by_block = false;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<std::pair<block_id, std::uint32_t>>> all{};
  void operator()(const timing::instruction_issued<lane_mask>& e) {
    const auto at =
        rows == nullptr ? std::pair(e.block, e.instruction) : std::pair(rows->block(e.block), rows->place(e.block));
    const std::uint32_t first = by_block ? 0 : e.warp * warp_width;
    e.lanes.for_each([&](std::uint32_t lane) { all[{e.thread_block, first + lane}].push_back(at); });
  }
};

}  // namespace

TEST_CASE("instruction blocks: numbers and graph") {
  const std::vector<std::uint32_t> weights{2, 0, 3};
  const timing::instruction_blocks rows(weights);
  CHECK(rows.num_blocks() == 6);
  CHECK(rows.first(1) == 2);
  CHECK(rows.first(2) == 3);
  CHECK(rows.block(5) == 2);
  CHECK(rows.place(5) == 2);
  CHECK(rows.is_last(1));
  CHECK(rows.is_last(2));
  CHECK(!rows.is_last(3));
  const csr_graph g = rows.expand(csr_builder(3).add_edge(0, 1).add_edge(0, 2).add_edge(1, 2).mark_exit(1).build());
  CHECK(g == csr_builder(6)
                 .add_edge(0, 1)
                 .add_edge(1, 2)
                 .add_edge(1, 3)
                 .add_edge(2, 3)
                 .add_edge(3, 4)
                 .add_edge(4, 5)
                 .mark_exit(2)
                 .build());
  CHECK(timing::instruction_blocks({}).expand(csr_graph()).num_blocks() == 0);
}

TEST_CASE("instruction blocks: under a stack, the same cycles; under dynamic warps, the same threads") {
  std::uint64_t fewer = 0;
  for (std::uint64_t seed = 1; seed <= simtflow_tests::times(40); ++seed) {
    testing::rng r(seed * 48611);
    const random_timing::code c(seed, {.barriers = seed % 4 == 0});
    timing::machine m = random_timing::random_machine(r, 8);
    const std::vector<std::uint32_t> weights = weights_of(c);
    const timing::instruction_blocks rows(weights);
    const csr_graph graph = rows.expand(c.program.graph);
    timing::grid whole;
    whole.blocks = r.between(1, 4);
    whole.threads = static_cast<std::uint32_t>(r.between(1, 24));
    whole.entry = c.program.graph.entry();
    timing::grid split = whole;
    split.entry = graph.entry();
    const auto make = [&](std::uint32_t) { return program(c, whole.threads); };
    const auto make_granular = [&](std::uint32_t) { return granular(rows, c, whole.threads); };
    CAPTURE(seed);

    const auto tree = post_dominators(c.program.graph);
    const auto tree_of_rows = post_dominators(graph);
    paths went{nullptr, 8}, went_by_row{&rows, 8};
    const auto a = timing::run(policies::ipdom_stack(tree.ipdoms()), make, whole, m, {}, went);
    const auto b = timing::run(policies::ipdom_stack(tree_of_rows.ipdoms()), make_granular, split, m, {}, went_by_row);
    REQUIRE((a && b));
    CHECK(a->cycles == b->cycles);
    CHECK(a->schedulers == b->schedulers);
    CHECK(a->core_memory == b->core_memory);
    CHECK(a->memory == b->memory);
    CHECK(went.all == went_by_row.all);

    whole.barriers = split.barriers = barrier_model::thread_arrival;
    const auto pc = loop_contiguous_order(graph);
    const policies::dynamic_warps warps({{8, lane_rule::identity}, pc.ranks(), {}, policies::warp_scheduler::majority});
    paths formed{&rows, 8, true};
    const auto d = timing::run(warps, make_granular, split, m, {}, formed);
    REQUIRE(d);
    CHECK(d->verdict.finished());
    CHECK(formed.all == went.all);
    fewer += d->instructions < a->instructions ? 1 : 0;
  }
  CHECK(fewer > 2);
}
