// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/exception_call.cu: the task with a real exception that passes through a function.
#include "lab/references.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace lab::of_exception_call {
namespace {

using std::uint32_t;

struct too_large {};
using tally = std::array<uint32_t, 4>;

uint32_t step(uint32_t record, uint32_t limit, tally& counts) {
  const bool high = record / 8 % 2 == 1;
  counts[high ? 0 : 1] += high ? 1 : record;
  if ((high ? record : record / 3) > limit) throw too_large();
  uint32_t state = high ? record + 12345 : record ^ 54321;
  for (int round = 0; round < 4; ++round) state = (state ^ (state >> 15)) * 2246822519U;
  return state;
}

void exception_call(host_launch& run) {
  const auto records = run.array<uint32_t>(0);
  auto result = run.array<uint32_t>(1);
  auto tallies = run.array<uint32_t>(2);
  auto caught = run.array<uint32_t>(3);
  const uint32_t per_thread = run.u32(4), limit = run.u32(5);
  for (uint32_t t = 0; t < run.threads(); ++t) {
    tally counts{};
    uint32_t state = t;
    for (uint32_t i = 0; i < per_thread; ++i) try {
        const uint32_t record = records.get(std::size_t{i} * run.threads() + t);
        if (record / 16 % 2 == 1) {
          ++counts[2];
          state += step(record, limit, counts);
        } else {
          counts[3] += record;
          state ^= step(record / 2, limit, counts);
        }
        for (int round = 0; round < 4; ++round) state = (state ^ (state >> 13)) * 3266489917U;
      } catch (const too_large&) {
        caught.set(t, i + 1);
        state = ~state;
      }
    result.set(t, state);
    for (std::size_t i = 0; i < counts.size(); ++i) tallies.set(4 * std::size_t{t} + i, counts[i]);
  }
}

const reference registered("exception_call", exception_call);

}  // namespace
}  // namespace lab::of_exception_call
