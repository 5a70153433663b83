// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/short_circuit.cu: C++ evaluates && and || from left to right too.
#include "lab/references.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace lab::of_short_circuit {
namespace {

using std::uint32_t;

void short_circuit(host_launch& run) {
  const auto records = run.array<uint32_t>(0);
  auto hits = run.array<uint32_t>(1);
  auto tallies = run.array<uint32_t>(2);
  const uint32_t per_thread = run.u32(3);
  for (uint32_t t = 0; t < run.threads(); ++t) {
    std::array<uint32_t, 8> asked{};
    uint32_t found = 0;
    for (uint32_t i = 0; i < per_thread; ++i) {
      const uint32_t record = records.get(std::size_t{i} * run.threads() + t);
      const auto yes = [&](uint32_t which) {
        ++asked[which];
        return ((((record ^ (record >> (which + 3))) * (2654435761U + 2 * which)) >> 17) & 1) != 0;
      };
      bool all = true;
      for (uint32_t rung = 0; all && rung < 4; ++rung) all = yes(2 * rung) || yes(2 * rung + 1);
      if (all) found += record | 1;
    }
    hits.set(t, found);
    for (uint32_t which = 0; which < 8; ++which) {
      const std::size_t at = std::size_t{8} * t + which;
      tallies.set(at, tallies.get(at) + asked[which]);
    }
  }
}

const reference registered("short_circuit", short_circuit);

}  // namespace
}  // namespace lab::of_short_circuit
