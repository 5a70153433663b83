// SPDX-License-Identifier: BSL-1.0
//
// A reconvergence mechanism of your own: three functions over fragments (a block and the lanes that stand there). The
// executor keeps every promise to the threads; a policy decides only who runs next and who runs together.
#include "beside_schedule.hpp"
#include "write_picture.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/observers/event_trace.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/testing/policy_laws.hpp>

#include <cstdio>
#include <optional>
#include <span>
#include <vector>

using namespace simtflow;

// [policy]
// The lanes that have waited longest run; lanes that come to a block where others wait join them. Fair, and without any
// analysis.
class oldest_first {
 public:
  using mask_type = lane_mask;

  void start(const fragment& f) { waiting_.assign(1, f); }

  std::optional<fragment> next() {
    if (waiting_.empty()) return std::nullopt;
    const fragment oldest = waiting_.front();
    waiting_.erase(waiting_.begin());
    return oldest;
  }

  void advance(const fragment&, std::span<const fragment> out) {
    for (const fragment& o : out) {
      auto at = waiting_.begin();
      while (at != waiting_.end() && at->block != o.block) ++at;
      if (at == waiting_.end())
        waiting_.push_back(o);
      else
        at->lanes |= o.lanes;
    }
  }

 private:
  std::vector<fragment> waiting_;
};
static_assert(reconvergence_policy<oldest_first>);
// [/policy]

int main(int argc, char** argv) {
  // Lanes turn in a loop with a branch in it, each a different number of times.
  const std::vector<std::vector<int>> cfg{{1}, {2, 5}, {3, 4}, {4}, {1}, {}};
  const auto threads = [laps = std::vector<unsigned>(32)](unsigned lane, block_id b) mutable -> block_id {
    switch (b) {
      case 0:
        return 1;
      case 1:
        return laps[lane]++ < lane % 5 + 1 ? 2U : 5U;
      case 2:
        return (lane + laps[lane]) % 3 == 0 ? 3U : 4U;
      case 3:
        return 4;
      case 4:
        return 1;
      default:
        return no_block;
    }
  };
  const auto pdom = post_dominators(cfg);
  const auto order = loop_contiguous_order(cfg);
  svg_timeline picture({.title = "a loop with an if, each lane as often as it wants", .width = 720});
  const auto compare = [&](const char* name, const auto& policy) {
    auto fresh = threads;
    counts c;
    event_trace events;
    both observer(c, events);
    run(policy, fresh, {.threads = 32}, observer);
    picture.add({.title = name}, events);
    std::printf("%-16s %3d fetches, SIMD efficiency %.2f\n", name, static_cast<int>(c.fetches), c.simd_efficiency());
  };
  compare("PDOM", policies::ipdom_stack(pdom.ipdoms()));
  compare("thread frontiers", policies::thread_frontier(order.ranks()));
  compare("oldest first", oldest_first());

  // [laws]
  // Random programs of every kind: the first that breaks a law comes back with what went wrong, for your own tests.
  const auto broken = testing::check_policy_laws([](const testing::law_case&) { return oldest_first(); });
  std::puts(broken ? testing::describe(*broken).c_str() : "oldest first keeps the laws of every policy");
  // [/laws]
  return write_picture(argc, argv, beside_schedule(cfg, {"start", "loop", "if", "then", "next", "end"}, picture));
}
