// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/bfs.cu: the search with a queue of nodes.
#include "lab/references.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>

namespace lab::of_bfs {
namespace {

using std::uint32_t;

void bfs(host_launch& run) {
  const auto first_edge = run.array<uint32_t>(0);
  const auto targets = run.array<uint32_t>(1);
  auto depths = run.array<uint32_t>(2);
  auto frontiers = run.array<uint32_t>(3);
  auto reached = run.array<uint32_t>(4);
  const uint32_t nodes = run.size(5);
  for (uint32_t b = 0; b < run.grid(0); ++b) {
    const std::size_t base = std::size_t{b} * nodes;
    for (uint32_t v = 0; v < nodes; ++v) {
      depths.set(base + v, ~0U);
      frontiers.set(base + v, 0);
      reached.set(base + v, 0);
    }
    const uint32_t source = b * 97 % nodes;
    depths.set(base + source, 0);
    for (std::deque<uint32_t> queue{source}; !queue.empty(); queue.pop_front()) {
      const uint32_t v = queue.front();
      for (uint32_t e = first_edge.get(v); e < first_edge.get(v + 1); ++e) {
        const uint32_t to = targets.get(e);
        if (depths.get(base + to) != ~0U) continue;
        depths.set(base + to, depths.get(base + v) + 1);
        queue.push_back(to);
      }
    }
  }
}

const reference registered("bfs", bfs);

}  // namespace
}  // namespace lab::of_bfs
