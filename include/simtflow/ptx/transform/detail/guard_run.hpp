// SPDX-License-Identifier: BSL-1.0
//
// Runs of instructions under one predicate, and what they cost: left under the predicate, or with a branch around them.
// A second run under the opposite predicate may follow directly; then one branch can serve both.
//
// The cost is expected: the sum over warps with lanes on both sides, on the first one's alone, on the second one's
// alone. An instruction that no lane executes costs one issue, a branch costs one issue and the price of divergence
// where the warp diverges.
#pragma once

#include <simtflow/ptx/text/latency.hpp>
#include <simtflow/ptx/transform/meld_report.hpp>

#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// How often warps come with lanes for which the predicate holds and lanes for which it does not, with the first only,
// with the second only.
struct warp_kinds {
  double parted = 0, first = 0, second = 0;
};

// Instructions under one predicate.
struct guard_run {
  std::uint32_t size = 0;
  std::uint64_t on = 0;   // the weight of all of them
  std::uint64_t off = 0;  // the weight if no lane executes them

  void add(std::uint32_t weight, std::uint32_t issue) {
    ++size;
    on += weight;
    off += weight < issue ? weight : issue;
  }
};

// The code that is written for two runs: which of them have branches around them, and whether one branch serves both.
struct guard_run_form {
  bool first = false, second = false, together = false;
  double cost = 0;
};

// The prices of a run, and what is to be done with it.
struct guard_run_prices {
  std::uint32_t issue = 3;       // of an instruction that no lane executes, of a branch, of a jump
  std::uint32_t divergence = 3;  // of a branch at which the warp diverges, besides
  meld_unpredication how = meld_unpredication::automatic;
  std::uint32_t most_predicated = 0xFFFF'FFFFU;

  // The cheapest form of two runs; the second one may be empty.
  [[nodiscard]] guard_run_form choose(const warp_kinds& w, const guard_run& a, const guard_run& b) const {
    const auto price = static_cast<double>(issue);
    const double all = w.parted + w.first + w.second, branch = all * price + w.parted * divergence;
    const auto alone = [&](const guard_run& r, double on, double off) {
      const double work = on * static_cast<double>(r.on), idle = off * static_cast<double>(r.off);
      const bool around = r.size != 0 && how != meld_unpredication::never &&
                          (how == meld_unpredication::always || r.size > most_predicated || branch < idle);
      return guard_run_form{around, false, false, work + (around ? branch : idle)};
    };
    const guard_run_form x = alone(a, w.parted + w.first, w.second), y = alone(b, w.parted + w.second, w.first);
    guard_run_form out{x.first, y.first, false, x.cost + y.cost};
    if (how == meld_unpredication::never || a.size == 0 || b.size == 0) return out;
    // The lanes of the first run jump over the second one.
    const double both = branch + (w.parted + w.first) * (static_cast<double>(a.on) + price) +
                        (w.parted + w.second) * static_cast<double>(b.on);
    if (both < out.cost || (x.first && y.first)) return {true, true, true, both};
    return out;
  }
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
