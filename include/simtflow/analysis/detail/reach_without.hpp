// SPDX-License-Identifier: BSL-1.0
//
// The plainest search: the blocks that the entry reaches, with one block removed.
#pragma once

#include <simtflow/config.hpp>

#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

/// Blocks that the entry reaches without passing through `removed` (no_block removes none).
template <class Shape>
constexpr void reach_without(const Shape& g, block_id removed, std::vector<unsigned char>& seen,
                             std::vector<block_id>& work) {
  seen.assign(g.num_blocks(), 0);
  work.clear();
  if (g.num_blocks() == 0 || g.entry() == removed) return;
  seen[g.entry()] = 1;
  work.push_back(g.entry());
  while (!work.empty()) {
    const block_id b = work.back();
    work.pop_back();
    for (const block_id s : g.successors(b))
      if (s != removed && !seen[s]) {
        seen[s] = 1;
        work.push_back(s);
      }
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
