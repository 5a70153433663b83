// SPDX-License-Identifier: BSL-1.0
//
// Helpers for tests about graphs.
#pragma once

#include <simtflow/graph/csr.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace simtflow_tests {

using rows = std::vector<std::vector<simtflow::block_id>>;

/// The successor lists of a graph.
inline rows rows_of(const simtflow::csr_graph& g) {
  rows out(g.num_blocks());
  for (simtflow::block_id b = 0; b < g.num_blocks(); ++b) out[b].assign(g.successors(b).begin(), g.successors(b).end());
  return out;
}

/// The successor lists of the blocks that the entry of a graph reaches.
inline rows reached_rows(const simtflow::csr_graph& g) {
  rows out(g.num_blocks());
  std::vector<unsigned char> seen(g.num_blocks(), 0);
  std::vector<simtflow::block_id> work;
  if (g.num_blocks() > 0) work.push_back(g.entry());
  while (!work.empty()) {
    const simtflow::block_id b = work.back();
    work.pop_back();
    if (seen[b]) continue;
    seen[b] = 1;
    out[b].assign(g.successors(b).begin(), g.successors(b).end());
    for (const simtflow::block_id s : g.successors(b)) work.push_back(s);
  }
  return out;
}

inline std::vector<simtflow::block_id> list(std::span<const simtflow::block_id> blocks) {
  return {blocks.begin(), blocks.end()};
}

}  // namespace simtflow_tests
