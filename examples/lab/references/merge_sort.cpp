// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/merge_sort.cu: a stable sort of each tile.
#include "lab/references.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lab::of_merge_sort {
namespace {

using std::uint32_t;

void merge_sort(host_launch& run) {
  auto keys = run.array<uint32_t>(0);
  auto values = run.array<uint32_t>(1);
  std::vector<std::pair<uint32_t, uint32_t>> tile(run.block(0));
  for (std::size_t first = 0; first < run.threads(); first += tile.size()) {
    for (std::size_t i = 0; i < tile.size(); ++i) tile[i] = {keys.get(first + i), values.get(first + i)};
    std::stable_sort(tile.begin(), tile.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < tile.size(); ++i) {
      keys.set(first + i, tile[i].first);
      values.set(first + i, tile[i].second);
    }
  }
}

const reference registered("merge_sort", merge_sort);

}  // namespace
}  // namespace lab::of_merge_sort
