// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/odd_even_merge.cu: all keys of a thread block's buckets in order.
#include "lab/references.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lab::of_odd_even_merge {
namespace {

using std::uint32_t;

void odd_even_merge(host_launch& run) {
  auto first = run.array<uint32_t>(0);
  auto more = run.array<uint32_t>(1);
  auto sorted = run.array<uint32_t>(2);
  const std::size_t keys = more.size() / first.size();
  std::vector<uint32_t> all;
  for (std::size_t b = 0; b < run.grid(0); ++b) {
    all.clear();
    for (std::size_t t = b * run.block(0); t < (b + 1) * run.block(0); ++t) {
      uint32_t key = first.get(t);
      for (std::size_t i = 0; i < keys; ++i) all.push_back(key += more.get(t * keys + i));
    }
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < all.size(); ++i) sorted.set(b * all.size() + i, all[i]);
  }
}

const reference registered("odd_even_merge", odd_even_merge);

}  // namespace
}  // namespace lab::of_odd_even_merge
