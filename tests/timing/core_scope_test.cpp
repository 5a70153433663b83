// SPDX-License-Identifier: BSL-1.0
//
// Policies of core scope: all thread blocks of a core in one pool of warps, which new thread blocks join.
#include "support/long_run.hpp"
#include "timing/random_programs.hpp"
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/simt/any_policy.hpp>
#include <simtflow/simt/policies/dynamic_warps.hpp>
#include <simtflow/timing/device.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace simtflow;
using mask = basic_mask<2>;

// Dynamic warps over everything that is resident in a core.
struct pooled_warps : policies::basic_dynamic_warps<mask> {
  using policies::basic_dynamic_warps<mask>::basic_dynamic_warps;
  static constexpr policy_scope scope = policy_scope::core;
  [[nodiscard]] constexpr policy_abilities abilities() const { return static_abilities<pooled_warps>; }
};

struct witness {
  std::uint32_t threads, warp_width;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> at{};  // (core, place) -> thread block
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<block_id>> paths{};
  std::map<std::pair<std::uint64_t, std::uint32_t>, timing::cycle> last{};
  std::string breach{};
  std::uint64_t mixed = 0, ended = 0;

  void operator()(const timing::thread_block_started& e) { at[{e.core, e.place}] = e.thread_block; }
  void operator()(const timing::thread_block_ended& e) {
    ++ended;
    if (at[{e.core, e.place}] != e.thread_block) breach = "another thread block ends";
    at.erase({e.core, e.place});
  }
  void operator()(const timing::instruction_issued<mask>& e) {
    if (e.lanes.count() > warp_width) breach = "more lanes than a warp";
    std::uint64_t first = ~std::uint64_t{0};
    bool several = false;
    e.lanes.for_each([&](std::uint32_t lane) {
      const auto found = at.find({e.core, lane / threads});
      if (found == at.end()) {
        breach = "a lane without thread block";
        return;
      }
      several = several || (first != ~std::uint64_t{0} && first != found->second);
      first = found->second;
      const std::pair<std::uint64_t, std::uint32_t> thread{found->second, lane % threads};
      if (e.instruction == 0) paths[thread].push_back(e.block);
      if (last.count(thread) != 0 && last[thread] >= e.at) breach = "a thread issues twice in a cycle";
      last[thread] = e.at;
    });
    mixed += several ? 1 : 0;
  }
};

}  // namespace

TEST_CASE("core scope: threads of several thread blocks run together, each goes its own way, and thread blocks join") {
  std::uint64_t mixed = 0;
  for (std::uint64_t seed = 1; seed <= simtflow_tests::times(40); ++seed) {
    testing::rng r(seed * 65537);
    const bool barriers = seed % 3 == 0;
    const random_timing::code c(seed, {.barriers = barriers, .empty_blocks = false});
    timing::machine m = random_timing::random_machine(r, 8);
    timing::grid g;
    g.blocks = r.between(1, 8);
    g.threads = static_cast<std::uint32_t>(r.between(1, 24));
    g.entry = c.program.graph.entry();
    g.barriers = barrier_model::thread_arrival;
    g.shared_bytes = 1000;
    const auto order = loop_contiguous_order(c.program.graph);
    const pooled_warps policy({{8, lane_rule::identity}, order.ranks(), {}, policies::warp_scheduler::majority});
    witness w{g.threads, 8};
    const auto make = [&](std::uint32_t) { return random_timing::program<mask>(c, g.threads); };
    const auto timed = timing::run(policy, make, g, m, {.cycles = 10'000'000}, w);
    REQUIRE(timed);
    CAPTURE(seed);
    CHECK(std::string(to_string(timed->verdict.how)) == "finished");
    CHECK(w.breach == "");
    CHECK(w.ended == g.blocks);
    CHECK(timed->thread_blocks == g.blocks);
    for (std::uint64_t b = 0; b < g.blocks; ++b)
      for (std::uint32_t t = 0; t < g.threads; ++t)
        if (w.paths[{b, t}] != c.walks.path(b * 1024 + t))
          FAIL_CHECK("seed " << seed << ": thread " << t << " of thread block " << b << " goes another way");
    mixed += w.mixed;
    if (seed % 8 != 0) continue;
    const auto boxed = timing::run(basic_any_policy<mask>(policy), make, g, m);
    REQUIRE(boxed);
    CHECK(*boxed == *timed);
  }
  CHECK(mixed > 1000);
}
