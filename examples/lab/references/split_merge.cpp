// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/split_merge.cu: the classes as plain functions of an object's seed and the input.
#include "lab/references.hpp"

#include <bitset>
#include <cstdint>

namespace lab::of_split_merge {
namespace {

using std::uint32_t;

uint32_t stretch(uint32_t state) {
  for (int round = 0; round < 8; ++round) {
    state = (state ^ (state >> 15)) * 2246822519U;
    state ^= state >> 13;
  }
  return state;
}

uint32_t next(uint32_t kind, uint32_t seed, uint32_t input) {
  switch (kind) {
    case 0:
      return stretch(input + seed) + 1;
    case 1:
      return stretch(input ^ seed) * 3;
    case 2:
      return ~stretch(input * (seed | 1));
    case 3:
      return input % 4 == 0 ? seed : stretch(input - seed) / 2;
    case 4:
      return seed + input % 16;
    default:
      return seed + static_cast<uint32_t>(std::bitset<32>(input).count());
  }
}

void split_merge(host_launch& run) {
  const auto kinds = run.array<uint32_t>(0);
  const auto seeds = run.array<uint32_t>(1);
  auto result = run.array<uint32_t>(2);
  const uint32_t per_thread = run.u32(3);
  for (uint32_t t = 0; t < run.threads(); ++t) {
    uint32_t state = t;
    for (uint32_t i = 0; i < per_thread; ++i) state += next(kinds.get(t), seeds.get(t), state + i);
    result.set(t, state);
  }
}

const reference registered("split_merge", split_merge);

}  // namespace
}  // namespace lab::of_split_merge
