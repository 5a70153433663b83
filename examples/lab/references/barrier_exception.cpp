// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/barrier_exception.cu: what each thread leaves once nobody has thrown.
#include "lab/references.hpp"

#include <cstdint>

namespace lab::of_barrier_exception {
namespace {

using std::uint32_t;

void barrier_exception(host_launch& run) {
  const auto in = run.array<uint32_t>(0);
  auto out = run.array<uint32_t>(1);
  for (uint32_t t = 0; t < run.block(0); ++t) {
    const uint32_t v = in.get(t);
    const bool odd = v % 2 == 1;
    out.set(2 * t, (odd ? 1 : 2) + 4);
    if (v <= (odd ? 1000U : 2000U)) out.set(2 * t + 1, in.get(run.block(0) - 1 - t));
  }
}

const reference registered("barrier_exception", barrier_exception);

}  // namespace
}  // namespace lab::of_barrier_exception
