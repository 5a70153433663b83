// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/exception_loop.cu: the task with a real exception.
#include "lab/references.hpp"

#include <cstddef>
#include <cstdint>

namespace lab::of_exception_loop {
namespace {

using std::uint32_t;

struct thrown {
  uint32_t iteration;
  uint32_t state;
};

void exception_loop(host_launch& run) {
  const auto trips = run.array<uint32_t>(0);
  const auto data = run.array<uint32_t>(1);
  auto result = run.array<uint32_t>(2);
  auto caught = run.array<uint32_t>(3);
  const uint32_t limit = run.u32(4);
  for (uint32_t t = 0; t < run.threads(); ++t) {
    uint32_t state = t;
    try {
      for (uint32_t i = 0; i < trips.get(t); ++i) {
        const uint32_t value = data.get(std::size_t{i} * run.threads() + t);
        if (value > limit) throw thrown{i + 1, state};
        state = state * 1664525U + value;
      }
      for (int round = 0; round < 8; ++round) state = (state ^ (state >> 15)) * 2654435761U;
      result.set(t, state);
    } catch (const thrown& x) {
      caught.set(t, x.iteration);
      result.set(t, ~x.state);
    }
  }
}

const reference registered("exception_loop", exception_loop);

}  // namespace
}  // namespace lab::of_exception_loop
