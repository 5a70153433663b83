// SPDX-License-Identifier: BSL-1.0
//
// Graph files: what was read is written, read again and is the same; every graph takes the analyses.
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/io/graph_text.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace simtflow;
  diagnostics why;
  const std::vector<recorded_graph> read =
      read_sound_graphs(std::string_view(reinterpret_cast<const char*>(data), size), why);
  const result<std::vector<recorded_graph>> again = read_graphs(to_graph_text(read));
  if (!again || again->size() != read.size()) std::abort();
  for (const recorded_graph& g : read) {
    const auto order = loop_contiguous_order(g.graph);
    if (loops(g.graph).num_loops() > g.graph.num_blocks()) std::abort();
    (void)post_dominators(g.graph);
    (void)thread_frontiers(g.graph, order);
  }
  return 0;
}
