// SPDX-License-Identifier: BSL-1.0
//
// A neutral opponent of the policies in tests: fair, without an analysis, and no paper's mechanism. The lanes that have
// waited longest run, and lanes that come to a block where others wait join them. examples/18_write_a_policy.cpp
// explains it; this one can also wait at barriers.
#pragma once

#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policy.hpp>

#include <optional>
#include <span>
#include <vector>

namespace simtflow_tests {

using simtflow::fragment;

class oldest_first {
 public:
  using mask_type = simtflow::lane_mask;
  static constexpr simtflow::progress_class progress = simtflow::progress_class::fair;
  void start(const fragment& f) { waiting_.assign(1, f); }
  std::optional<fragment> next() {
    if (waiting_.empty()) return std::nullopt;
    const fragment oldest = waiting_.front();
    waiting_.erase(waiting_.begin());
    return oldest;
  }
  void advance(const fragment&, std::span<const fragment> out) {
    for (const fragment& o : out) release(o);
  }
  void park(const fragment&) {}
  void release(const fragment& o) {
    auto at = waiting_.begin();
    while (at != waiting_.end() && at->block != o.block) ++at;
    if (at == waiting_.end())
      waiting_.push_back(o);
    else
      at->lanes |= o.lanes;
  }
  friend bool operator==(const oldest_first&, const oldest_first&) = default;

 protected:
  std::vector<fragment> waiting_;
};

}  // namespace simtflow_tests
