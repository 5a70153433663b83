// SPDX-License-Identifier: BSL-1.0
//
// Trace files: what was read runs under a policy to its end, block for block, or is refused. A trace with addresses
// also runs in the cycle model, twice in the same cycles.
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/io/timed_replay.hpp>
#include <simtflow/io/trace_text.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/trace.hpp>
#include <simtflow/timing/device.hpp>
#include <simtflow/timing/machines.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

namespace {

using namespace simtflow;

// Visits are the instructions of all threads.
void run_timed(const recorded_trace& t, std::uint64_t visits) {
  const auto tree = post_dominators(t.graph.graph);
  const auto make = [&](std::uint32_t) { return timed_replay<>(t); };
  const auto once = [&] {
    return timing::run(policies::ipdom_stack(tree.ipdoms()), make, grid_of(t), timing::machines::gtx480(),
                       {.cycles = 1'000'000});
  };
  const auto first = once(), second = once();
  if (first.has_value() != second.has_value()) std::abort();
  if (!first) return;  // too large for a core
  if (first->cycles != second->cycles) std::abort();
  if (first->verdict.finished() && first->schedulers.lanes != visits) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  diagnostics why;
  for (const recorded_trace& t :
       read_sound_traces(std::string_view(reinterpret_cast<const char*>(data), size), {}, why)) {
    const csr_graph& g = t.graph.graph;
    const auto tree = post_dominators(g);
    std::uint64_t all_visits = 0;
    trace_program program(t.paths, t.graph.weights);
    for (std::size_t b = 0; b + 1 < t.first_thread.size(); ++b) {
      const auto threads = std::span<const std::uint32_t>(t.path_of_thread)
                               .subspan(t.first_thread[b], t.first_thread[b + 1] - t.first_thread[b]);
      if (!program.select_block(threads, g.entry())) std::abort();
      std::uint64_t visits = 0;
      for (const std::uint32_t p : threads)
        for (const block_id block : t.paths[p]) visits += t.graph.weights[block];
      counts c;
      if (!run(policies::ipdom_stack(tree.ipdoms()), program,
               {.threads = static_cast<std::uint32_t>(threads.size()), .entry = g.entry()}, c)
               .finished() ||
          c.thread_instructions != visits)
        std::abort();
      all_visits += visits;
    }
    if (is_timed(t) && !has_unequal_thread_blocks(t)) run_timed(t, all_visits);
  }
  return 0;
}
