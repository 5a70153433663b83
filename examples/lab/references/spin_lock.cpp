// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/spin_lock.cu and spin_lock_flag.cu: each thread adds its input once, and leaves the lock free.
#include "lab/references.hpp"

#include <cstdint>

namespace lab::of_spin_lock {
namespace {

void spin_lock(host_launch& run) {
  auto lock = run.array<std::uint32_t>(0);
  auto sum = run.array<std::uint32_t>(1);
  auto out = run.array<std::uint32_t>(2);
  const auto in = run.array<std::uint32_t>(3);
  std::uint32_t total = sum.get(0);
  for (std::uint32_t t = 0; t < run.threads(); ++t) {
    total += in.get(t);
    out.set(t, in.get(t) ^ 1U);
  }
  sum.set(0, total);
  lock.set(0, 0);
}

const reference registered("spin_lock", spin_lock);

}  // namespace
}  // namespace lab::of_spin_lock
