// SPDX-License-Identifier: BSL-1.0
//
// The event-driven core equals a naive one that looks at every warp in every cycle: each issue, and each class.
#include "support/long_run.hpp"
#include "timing/naive_core.hpp"
#include "timing/random_programs.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/timing/device.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace simtflow;

struct recorder {
  std::vector<naive::issue>* all;
  void operator()(const timing::instruction_issued<lane_mask>& e) const {
    all->emplace_back(e.at, e.core, e.scheduler, e.thread_block, e.warp, e.block, e.instruction);
  }
};

std::string text(const naive::issue& i) {
  const auto [at, core, scheduler, block, warp, bb, place] = i;
  return "cycle " + std::to_string(at) + ": core " + std::to_string(core) + ", scheduler " + std::to_string(scheduler) +
         ", thread block " + std::to_string(block) + ", warp " + std::to_string(warp) + ", BB" + std::to_string(bb) +
         "." + std::to_string(place);
}

}  // namespace

TEST_CASE("core: issues and classes equal a model that looks at every warp in every cycle") {
  for (std::uint64_t seed = 1; seed <= simtflow_tests::times(150); ++seed) {
    testing::rng r(seed * 2654435761U);
    const random_timing::code c(seed, {.barriers = seed % 3 == 0, .memory = false});
    timing::machine m = random_timing::random_machine(r, r.chance(50) ? 8 : 4);
    m.instruction.size = 0;
    timing::grid g;
    g.blocks = r.between(1, 7);
    g.threads = static_cast<std::uint32_t>(r.between(1, 5 * m.core.warp_width));
    g.entry = c.program.graph.entry();
    const auto tree = post_dominators(c.program.graph);
    const policies::ipdom_stack policy(tree.ipdoms());
    const auto make = [&](std::uint32_t) { return random_timing::program<>(c, g.threads); };

    std::vector<naive::issue> issues;
    const auto timed = timing::run(policy, make, g, m, {}, recorder{&issues});
    REQUIRE(timed);
    REQUIRE(timed->verdict.finished());
    const naive::outcome expected = naive::device<random_timing::program<>, decltype(make)>(policy, make, g, m).run();
    CAPTURE(seed);
    CHECK(timed->cycles == expected.cycles);
    for (std::size_t k = 0; k < timing::num_cycle_classes; ++k) {
      CAPTURE(std::string(timing::to_string(static_cast<timing::cycle_class>(k))));
      CHECK(timed->schedulers.by_class[k] == expected.by_class[k]);
    }
    if (issues == expected.issues) continue;
    std::size_t i = 0;
    while (i < issues.size() && i < expected.issues.size() && issues[i] == expected.issues[i]) ++i;
    FAIL_CHECK("seed " << seed << ", issue " << i << " is "
                       << (i < issues.size() ? text(issues[i]) : std::string("missing")) << "; the naive model has "
                       << (i < expected.issues.size() ? text(expected.issues[i]) : std::string("none")));
  }
}
