// SPDX-License-Identifier: BSL-1.0
//
// Solutions of unit 18: the lanes that came last go first, and lanes that never join.
#include "count.hpp"
#include <simtflow/simt/check_policy.hpp>

#include <cstdio>
#include <optional>
#include <span>
#include <vector>

using namespace simtflow;

namespace {

// 1: a stack of fragments; with `joins`, lanes that come to a block where others wait join them.
class newest_first {
 public:
  using mask_type = lane_mask;
  explicit newest_first(bool joins) : joins_(joins) {}

  void start(const fragment& f) { waiting_.assign(1, f); }
  std::optional<fragment> next() {
    if (waiting_.empty()) return std::nullopt;
    const fragment newest = waiting_.back();
    waiting_.pop_back();
    return newest;
  }
  void advance(const fragment&, std::span<const fragment> out) {
    for (const fragment& o : out) {
      fragment arrived = o;
      for (std::size_t at = 0; joins_ && at < waiting_.size(); ++at)
        if (waiting_[at].block == o.block) {
          arrived.lanes |= waiting_[at].lanes;
          waiting_.erase(waiting_.begin() + std::ptrdiff_t(at));
        }
      waiting_.push_back(arrived);
    }
  }

 private:
  bool joins_;
  std::vector<fragment> waiting_;
};
static_assert(check_policy<newest_first>());

}  // namespace

int main() {
  const auto thread = [laps = std::vector<unsigned>(32)](unsigned lane, block_id b) mutable -> block_id {
    if (b == 1) return laps[lane]++ < lane % 5 + 1 ? 2U : 5U;
    if (b == 2) return (lane + laps[lane]) % 3 == 0 ? 3U : 4U;
    return b == 5 ? no_block : b == 3 ? 4U : 1U;
  };
  for (const bool joins : {true, false}) {
    const counts c = count(any_policy(newest_first(joins)), thread, {});
    std::printf("%s: %d fetches, SIMD efficiency %.2f\n", joins ? "1: newest first" : "2: never join  ", int(c.fetches),
                c.simd_efficiency());
  }
  return 0;
}
