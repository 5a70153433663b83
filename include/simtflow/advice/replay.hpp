// SPDX-License-Identifier: BSL-1.0
//
// The cost of a sample of a run under any policy: the executor replays its paths (simt/ordered_trace.hpp). It is exact
// for the sampled thread blocks if the paths do not depend on the schedule.
#pragma once

#include <simtflow/advice/path_sample.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/launch.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/ordered_trace.hpp>
#include <simtflow/simt/trace.hpp>
#include <simtflow/simt/verdict.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace advice {

/// The code that paths lead through. Everything it refers to outlives it.
struct sampled_code {
  const csr_graph& graph;                   ///< the ways of threads
  const csr_graph& bodies;                  ///< functions side by side; the same graph if nothing is called
  std::span<const std::uint32_t> weights;   ///< instructions, by block
  std::span<const unsigned char> barriers;  ///< by block; empty: none
  std::span<const trace_barrier> named;     ///< by block; empty: barrier 0 of all threads
  std::uint32_t warp_width = 32;            ///< lanes of a warp
};

/// The work of each sampled thread block, in the order of the sample.
struct sample_work {
  std::vector<std::uint64_t> work;  ///< warp instructions and overhead operations
  counts total;                     ///< of all of them
  outcome how = outcome::finished;  ///< of the thread block where the replay ended
};

/// Replays the sample. An empty sample has no work.
/// \param sample the paths of the threads
/// \param code that they lead through
/// \param barriers how threads wait
/// \param make called as make(program) with the ordered_trace that runs; returns the policy
/// \param observer sees all thread blocks, one after the other
/// \param limit of each thread block's run
/// \pre the paths are paths of code.graph that begin at its entry, and every block has a weight
/// Complexity: as executor::run for each thread block. Errors: a verdict that is not `finished` in `how`.
/// \snippet advice/path_sample_test.cpp replay_sample
template <class Mask, class Make, class Observer = no_observer>
[[nodiscard]] sample_work replay_sample(const path_sample& sample, const sampled_code& code, barrier_model barriers,
                                        Make make, Observer&& observer = {}, const limits& limit = {}) {
  sample_work out;
  std::size_t most_threads = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) most_threads = std::max(most_threads, sample.thread_block(i).size());
  ordered_trace<Mask> program(trace_program(sample.paths, code.weights, code.barriers, code.named), code.graph,
                              code.bodies, most_threads);
  executor machine(make(std::as_const(program)));
  const auto both = [&](const auto& e) {
    if constexpr (std::invocable<counts&, decltype(e)>) out.total(e);
    if constexpr (std::invocable<Observer&, decltype(e)>) observer(e);
  };
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const auto threads = sample.thread_block(i);
    const bool there = program.select_block(threads, code.graph.entry());
    SIMTFLOW_EXPECTS(there, "paths of the sample begin at the entry of the graph");
    const std::uint64_t before = out.total.warp_instructions + out.total.overhead_operations;
    const launch shape{.threads = static_cast<std::uint32_t>(threads.size()),
                       .warp_width = code.warp_width,
                       .entry = code.graph.entry(),
                       .barriers = barriers};
    const auto verdict = machine.run(program, shape, both, limit);
    out.work.push_back(out.total.warp_instructions + out.total.overhead_operations - before);
    if (verdict.finished()) continue;
    out.how = verdict.how;
    break;
  }
  return out;
}

/// The same threads in another order: with equal paths side by side, so that warps agree as far as they can. It is what
/// sorting the work items of each thread block would do, at best. O(threads log threads * path)
/// \param sample the paths of the threads
/// \param across all thread blocks of the sample are sorted together; their sizes stay
[[nodiscard]] inline path_sample sorted_sample(const path_sample& sample, bool across) {
  path_sample out = sample;
  // Longer paths first, then by the blocks: paths of the same shape come together.
  std::vector<std::uint32_t> rank(sample.paths.size());
  for (std::uint32_t p = 0; p < rank.size(); ++p) rank[p] = p;
  std::sort(rank.begin(), rank.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto x = sample.paths[a], y = sample.paths[b];
    if (x.size() != y.size()) return x.size() > y.size();
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
  });
  std::vector<std::uint32_t> place(rank.size());
  for (std::uint32_t i = 0; i < rank.size(); ++i) place[rank[i]] = i;
  const auto sort = [&](std::size_t first, std::size_t last) {
    std::sort(out.path_of_thread.begin() + static_cast<std::ptrdiff_t>(first),
              out.path_of_thread.begin() + static_cast<std::ptrdiff_t>(last),
              [&](std::uint32_t a, std::uint32_t b) { return place[a] < place[b]; });
  };
  if (across)
    sort(0, out.path_of_thread.size());
  else
    for (std::size_t i = 0; i < sample.size(); ++i) sort(sample.first_thread[i], sample.first_thread[i + 1]);
  return out;
}

}  // namespace advice
}  // namespace v0
}  // namespace simtflow
