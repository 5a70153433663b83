// SPDX-License-Identifier: BSL-1.0
//
// examples/insight/walk.cu.
#include "lab/references.hpp"

#include <cstddef>
#include <cstdint>

namespace lab::of_walk {
namespace {

using std::uint32_t;

uint32_t mix(uint32_t x, uint32_t key) {
  x = (x ^ key) * 0x85EBCA6BU;
  x ^= x >> 13;
  return (x * 0xC2B2AE35U) ^ (x >> 16);
}

void walk(host_launch& run) {
  const auto steps = run.array<uint32_t>(0), odd = run.array<uint32_t>(1), even = run.array<uint32_t>(2);
  auto ends = run.array<uint32_t>(3);
  const uint32_t items = run.u32(4);
  for (uint32_t item = 0; item < items && item < run.threads(); ++item) {
    uint32_t at = item;
    for (uint32_t left = steps.get(item); left != 0; --left)
      at = (at >> 3 & 1) == 1 ? mix(odd.get(at % 256), at) + left : mix(even.get(at % 256), left) ^ at;
    ends.set(item, at);
  }
}

const reference registered("walk", walk);

}  // namespace
}  // namespace lab::of_walk
