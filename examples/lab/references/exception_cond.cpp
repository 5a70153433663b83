// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/exception_cond.cu: the task with a real exception.
#include "lab/references.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace lab::of_exception_cond {
namespace {

using std::uint32_t;

struct too_large {};

struct task {
  uint32_t state;
  uint32_t limit;
  std::array<uint32_t, 4> tally{};

  void check(uint32_t value) const {
    if (value > limit) throw too_large();
  }
  void arm(uint32_t record) {
    switch (record % 4) {
      case 3:
        ++tally[0];
        check(record);
        state = (state + record / 8) * 2654435761U;
        tally[2] = state;
        break;
      case 1:
        tally[1] += record;
        check(record / 3);
        state = (state ^ record) * 2654435761U;
        tally[2] = state;
        break;
      default:
        ++tally[3];
        check(record / 5);
        state -= record;
    }
  }
};

void exception_cond(host_launch& run) {
  const auto records = run.array<uint32_t>(0);
  auto result = run.array<uint32_t>(1);
  auto tallies = run.array<uint32_t>(2);
  auto caught = run.array<uint32_t>(3);
  const uint32_t per_thread = run.u32(4);
  for (uint32_t t = 0; t < run.threads(); ++t) {
    task its{t, run.u32(5)};
    for (uint32_t i = 0; i < per_thread; ++i) try {
        its.arm(records.get(std::size_t{i} * run.threads() + t));
        for (int round = 0; round < 4; ++round) its.state = (its.state ^ (its.state >> 15)) * 2246822519U;
      } catch (const too_large&) {
        caught.set(t, i + 1);
        its.state = ~its.state;
      }
    result.set(t, its.state);
    for (std::size_t i = 0; i < its.tally.size(); ++i) tallies.set(4 * std::size_t{t} + i, its.tally[i]);
  }
}

const reference registered("exception_cond", exception_cond);

}  // namespace
}  // namespace lab::of_exception_cond
