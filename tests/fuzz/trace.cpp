// SPDX-License-Identifier: BSL-1.0
//
// Trace files: what was read runs under a policy to its end, block for block, or is refused.
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/io/trace_text.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace simtflow;
  diagnostics why;
  for (const recorded_trace& t :
       read_sound_traces(std::string_view(reinterpret_cast<const char*>(data), size), {}, why)) {
    const csr_graph& g = t.graph.graph;
    const auto tree = post_dominators(g);
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
    }
  }
  return 0;
}
