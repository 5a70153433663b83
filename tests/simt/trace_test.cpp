// SPDX-License-Identifier: BSL-1.0
#include "../support/gz.hpp"
#include "trace_graphs.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/io/trace_text.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/lower_bound.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/simt/trace.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

using namespace simtflow;

namespace {

struct totals {
  counts count;
  std::uint64_t bound = 0;
};

template <class Policy>
totals replay(const recorded_trace& trace, const Policy& policy, barrier_model barriers = barrier_model::whole_warp) {
  totals sum;
  lower_bound bound(trace.graph.graph.num_blocks());
  both observer(sum.count, bound);
  trace_program program(trace.paths, trace.graph.weights, trace.graph.barriers);
  executor<Policy> machine(policy);
  for (std::size_t i = 0; i < trace.num_thread_blocks(); ++i) {
    const auto threads = trace.thread_block(i);
    REQUIRE(program.select_block(threads, trace.graph.graph.entry()));
    const verdict v = machine.run(program,
                                  {.threads = static_cast<std::uint32_t>(threads.size()),
                                   .entry = trace.graph.graph.entry(),
                                   .barriers = barriers},
                                  observer);
    REQUIRE_MESSAGE(v.finished(), describe(v));
  }
  sum.bound = bound.warp_instructions();
  return sum;
}

}  // namespace

TEST_CASE("a recorded path is replayed step by step") {
  block_paths paths;
  paths.add(std::vector<block_id>{0, 1, 1, 2});
  paths.add(std::vector<block_id>{0, 2});
  paths.add(std::vector<block_id>{2});
  paths.add({});
  const std::array<std::uint32_t, 3> weights{1, 10, 100};
  trace_program program(paths, weights);
  const std::array<std::uint32_t, 3> threads{0, 1, 0};
  REQUIRE(program.select_block(threads, 0));
  counts c;
  const std::array<std::uint32_t, 3> rank{0, 1, 2};
  CHECK(run(policies::thread_frontier(rank), program, {.threads = 3, .warp_width = 4}, c).finished());
  CHECK(c.warp_instructions == 1 + 10 + 10 + 100);
  CHECK(c.thread_instructions == 3 + 40 + 300);

  const std::array<std::uint32_t, 1> elsewhere{2}, empty{3}, missing{4};
  CHECK_FALSE(program.select_block(elsewhere, 0));
  CHECK_FALSE(program.select_block(empty, 0));
  CHECK_FALSE(program.select_block(missing, 0));
  CHECK(program.select_block({}, 0));
}

TEST_CASE("barriers of a trace have numbers and thread counts") {
  block_paths paths;
  paths.add(std::vector<block_id>{0, 1, 3});
  paths.add(std::vector<block_id>{0, 2, 3});
  const std::vector<std::uint32_t> weights(4, 1);
  const std::vector<unsigned char> barriers{0, 1, 1, 0};
  const auto run = [&](const std::vector<trace_barrier>& named) {
    trace_program program(paths, weights, barriers, named);
    CHECK(program.select_block(std::vector<std::uint32_t>{0, 0, 1, 1}, 0));
    executor machine(policies::ipdom_stack(std::vector<block_id>{3, 3, 3, no_block}));
    return machine.run(program, {.threads = 4, .warp_width = 2}).how;
  };
  CHECK(run({}) == outcome::finished);
  CHECK(run({{}, {1}, {2}, {}}) == outcome::barrier_deadlock);  // each for all threads: a warp waits for the other
  CHECK(run({{}, {1, 2}, {2, 2}, {}}) == outcome::finished);
  CHECK(run({{}, {1, 4, false}, {1, 4}, {}}) == outcome::finished);
  CHECK(run({{}, {2, 4, false}, {1, 4}, {}}) == outcome::barrier_deadlock);
}

TEST_CASE("the corpus' traces replay with exactly the listed warp instructions") {
  const std::string corpus = simtflow_tests::corpus_directory();
  if (corpus.empty()) {
    MESSAGE("skipped: no corpus (SIMTFLOW_CORPUS is empty)");
    return;
  }
  result<std::vector<recorded_graph>> graphs = read_graphs(simtflow_tests::graphs_of_traces);
  REQUIRE(graphs);
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    const std::string path = entry.path().string();
    if (path.find(".cfg") == std::string::npos || path.find("cpu-") != std::string::npos) continue;
    const auto text = simtflow_tests::read_file(path);
    REQUIRE(text.has_value());
    result<std::vector<recorded_graph>> more = read_graphs(*text);
    REQUIRE_MESSAGE(more, path);
    for (recorded_graph& g : *more) graphs->push_back(std::move(g));
  }

  struct expected {
    std::string file, kernel;
    std::size_t thread_blocks, threads;
    std::uint64_t thread_instructions, pdom, frontier;
  };
  const std::vector<expected> table{
      {"mandelbrot-ptx23", "_Z16Mandelbrot0_sm13IfLi16EEvP6uchar4iiiT_S2_S2_S2_S2_S0_iiiib", 8, 2048, 10774010, 4614814,
       1587591},
      {"mergesort", "_Z13gpu_mergesortPlS_lllP4dim3S1_", 96, 3072, 1239236, 222591, 221367},
      {"nqueen", "_Z24solve_nqueen_cuda_kerneliiPjS_S_S_i", 1, 96, 2099438, 160957, 160957},
      {"nw", "_Z20needle_cuda_shared_1PiS_iiii", 36, 576, 418356, 37116, 37116},
      {"nw", "_Z20needle_cuda_shared_2PiS_iiii", 28, 448, 326284, 28924, 28924}};
  std::size_t found = 0;
  for (const std::string file : {"mandelbrot-ptx23", "mergesort", "nqueen", "nw"}) {
    const auto text = simtflow_tests::read_file(corpus + "/traces/" + file + ".trace.gz");
    REQUIRE(text.has_value());
    const result<std::vector<recorded_trace>> traces = read_traces(*text, *graphs);
    REQUIRE_MESSAGE(traces, traces.diagnostics()[0].message);
    for (const recorded_trace& trace : *traces)
      for (const expected& e : table) {
        if (e.file != file || e.kernel != trace.graph.symbol) continue;
        CAPTURE(e.kernel);
        ++found;
        CHECK(trace.num_thread_blocks() == e.thread_blocks);
        CHECK(trace.path_of_thread.size() == e.threads);
        const csr_graph& g = trace.graph.graph;
        const auto pdom = post_dominators(g);
        const auto listed = reverse_post_order(g);
        const auto contiguous = loop_contiguous_order(g);
        const totals stack = replay(trace, policies::ipdom_stack(pdom.ipdoms()));
        const totals frontier = replay(trace, policies::thread_frontier(listed.ranks()));
        const totals best = replay(trace, policies::thread_frontier(contiguous.ranks()));
        const totals serial = replay(trace, policies::lane_serial(), barrier_model::thread_arrival);
        CHECK(stack.count.warp_instructions == e.pdom);
        CHECK(frontier.count.warp_instructions == e.frontier);
        CHECK(best.count.warp_instructions <= e.pdom);
        for (const totals& t : {stack, frontier, best, serial}) {
          CHECK(t.count.thread_instructions == e.thread_instructions);
          CHECK(t.bound == stack.bound);
          CHECK(t.count.warp_instructions >= t.bound);
        }
        MESSAGE(e.kernel << ": PDOM " << stack.count.warp_instructions << ", TF listed RPO "
                         << frontier.count.warp_instructions << ", TF loop-contiguous " << best.count.warp_instructions
                         << ", lower bound " << stack.bound);
      }
  }
  CHECK(found == table.size());
}
