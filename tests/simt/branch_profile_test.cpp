// SPDX-License-Identifier: BSL-1.0
//
// The branch profile: worked numbers, and random programs under every policy against an oracle that looks backwards
// through the whole record of a run.
#include "simt/look_back.hpp"
#include "simt/policy_table.hpp"
#include "simt/random_cases.hpp"
#include "support/long_run.hpp"
#include <simtflow/simt/observers/branch_profile.hpp>
#include <simtflow/simt/observers/counts.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

using namespace simtflow;
using namespace policy_table;
using look_back::chronicle;
using look_back::happening;

namespace {

std::uint64_t idle_slots(const counts& c) { return c.lane_slots - c.thread_instructions; }

struct expected_profile {
  std::array<std::uint64_t, 5> idle{};
  std::map<block_id, branch_figures> branches;
  void charge(idle_cause cause, std::uint64_t weight) { idle[static_cast<std::size_t>(cause)] += weight; }
};

// Applies the definition to every idle slot.
expected_profile read_backwards(const chronicle& c, std::uint32_t threads, std::uint32_t width) {
  expected_profile p;
  for (std::size_t now = 0; now < c.all.size(); ++now) {
    const happening& h = c.all[now];
    if (h.kind == happening::parted) ++p.branches[h.block].divergences;
    if (h.kind != happening::issue) continue;
    branch_figures& ran = p.branches[h.block];
    ++ran.executions;
    ran.lanes += h.threads.size();
    for (const std::uint32_t t : c.idle_threads(now, width)) {
      const idle_blame why = c.blame(now, t, threads);
      p.charge(why.cause, h.weight);
      if (why.cause == idle_cause::exited) p.branches[why.block].exited_lanes += h.weight;
      if (why.cause == idle_cause::barrier) p.branches[why.block].barrier_lanes += h.weight;
      if (why.cause == idle_cause::branch) p.branches[why.block].idle_lanes += h.weight;
    }
  }
  return p;
}

// The threads of a case, with a weight for each block.
class weighted_threads {
 public:
  explicit weighted_threads(const random_case& c) : threads_(c) {}
  template <class Mask>
  block_end run(block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) {
    return threads_.run(b, g, out);
  }
  [[nodiscard]] std::uint32_t weight(block_id b) const { return 1 + b % 3; }

 private:
  solo_threads threads_;
};

}  // namespace

TEST_CASE("branch profile: an if with two arms, a loop and an early exit, by hand") {
  // 0: threads 0, 1 to 1, thread 2 to 2, thread 3 ends. 1, 2 -> 3. 3 repeats for thread 0.
  std::vector<int> rounds(4, 0);
  const auto thread = [&](std::uint32_t t, block_id b) -> block_id {
    if (b == 0) return t == 3 ? no_block : t == 2 ? 2 : 1;
    if (b == 3) return t == 0 && rounds[0]++ < 2 ? 3 : no_block;
    return 3;
  };
  branch_profile profile;
  counts sum;
  both all(profile, sum);
  CHECK(
      run(policies::ipdom_stack(std::vector<block_id>{3, 3, 3, no_block}), thread, {.threads = 4, .warp_width = 6}, all)
          .finished());
  // 0: 4 threads; 1: 2; 2: 1; 3: 3, then 1, 1.
  CHECK(profile.idle(idle_cause::ragged_warp) == 2 * 6);
  CHECK(profile.branches()[0].idle_lanes == 1 + 2);    // while 1 and 2 run
  CHECK(profile.branches()[0].exited_lanes == 5);      // thread 3 from then on
  CHECK(profile.branches()[3].exited_lanes == 2 * 2);  // threads 1 and 2, while thread 0 goes round
  CHECK(profile.branches()[3].executions == 3);
  CHECK(profile.branches()[0].divergences == 1);
  CHECK(profile.branches()[0].blamed() == 8);
  CHECK(profile.blocks()[3].issues == 3);
  CHECK(profile.blocks()[3].lanes == 5);
  CHECK(profile.blocks()[3].simd_efficiency() == doctest::Approx(5.0 / 18));
  CHECK(profile.idle() == idle_slots(sum));
}

TEST_CASE("branch profile: nothing has run") {
  const branch_profile profile;
  CHECK(profile.branches().empty());
  CHECK(profile.blocks().empty());
  CHECK(profile.idle() == 0);
  CHECK(block_figures{}.simd_efficiency() == 1.0);
}

TEST_CASE("branch profile: random programs under every policy against a look backwards") {
  std::array<std::uint64_t, 5> seen{};
  for (const family kind : all_families)
    for (std::uint64_t seed = 1; seed <= simtflow_tests::times(12); ++seed) {
      const random_case c = make_case(kind, seed);
      INFO(text(c));
      material m(c.graph, c.shape.warp_width, c.meet);
      for (const entry& policy : all_policies()) {
        if (!takes(policy, c, m)) continue;
        INFO(policy.what.name);
        launch shape = c.shape;
        shape.barriers = policy.barriers();
        m.warp_width = shape.warp_width;
        branch_profile profile, again;
        chronicle record;
        counts sum;
        both two(profile, record);
        std::array<std::uint64_t, 5> one_by_one{};
        const auto ask = [&](const event::issued<lane_mask>& e) {
          if (policy.can.scope != policy_scope::warp) return;
          for (std::uint32_t lane = 0; lane < shape.warp_width; ++lane)
            if (!e.lanes.test(lane)) one_by_one[static_cast<std::size_t>(profile.blame(e, lane).cause)] += e.weight;
        };
        both three(two, ask);
        both all(three, sum);
        weighted_threads threads(c);
        if (kind == family::calls) {
          call_program program(threads, c.return_blocks, shape.threads);
          m.depths = program.depths();
          executor machine{policy.make(m)};
          REQUIRE(machine.run(program, shape, all).finished());
          m.depths = {};
        } else {
          executor machine{policy.make(m)};
          REQUIRE(machine.run(threads, shape, all).finished());
        }
        const expected_profile expected = read_backwards(record, shape.threads, shape.warp_width);
        std::uint64_t here = 0, blamed = 0;
        for (std::size_t b = 0; b < profile.branches().size(); ++b) {
          const auto found = expected.branches.find(static_cast<block_id>(b));
          INFO("block " << b);
          const branch_figures want = found == expected.branches.end() ? branch_figures{} : found->second;
          const branch_figures& got = profile.branches()[b];
          CHECK(got.executions == want.executions);
          CHECK(got.divergences == want.divergences);
          CHECK(got.lanes == want.lanes);
          CHECK(got.idle_lanes == want.idle_lanes);
          CHECK(got.exited_lanes == want.exited_lanes);
          CHECK(got.barrier_lanes == want.barrier_lanes);
          here += profile.blocks()[b].idle_lanes;
          blamed += got.blamed();
        }
        for (const idle_cause cause : idle_causes) {
          INFO(to_string(cause));
          CHECK(profile.idle(cause) == expected.idle[static_cast<std::size_t>(cause)]);
          if (policy.can.scope == policy_scope::warp)
            CHECK(profile.idle(cause) == one_by_one[static_cast<std::size_t>(cause)]);
          seen[static_cast<std::size_t>(cause)] += profile.idle(cause);
        }
        CHECK(profile.idle() == idle_slots(sum));
        CHECK(here == idle_slots(sum));
        CHECK(blamed + profile.idle(idle_cause::ragged_warp) + profile.idle(idle_cause::schedule) == profile.idle());
        again += profile;
        again += profile;
        CHECK(again.idle() == 2 * profile.idle());
        CHECK(again.branches().size() == profile.branches().size());
      }
    }
  for (const idle_cause cause : idle_causes) {
    INFO(to_string(cause));
    CHECK(seen[static_cast<std::size_t>(cause)] > 0);
  }
}

TEST_CASE("branch profile: thread blocks one after the other add up, and resident ones keep their warps") {
  // Three resident thread blocks of five threads in warps of four: the second warp has one thread.
  const auto thread = [](std::uint32_t t, block_id b) -> block_id { return b == 0 ? 1 + t % 2 : b < 3 ? 3 : no_block; };
  branch_profile profile;
  counts sum;
  both all(profile, sum);
  launch shape{.threads = 5, .warp_width = 4};
  shape.resident_blocks = 3;
  const std::vector<block_id> meets{3, 3, 3, no_block};
  CHECK(run(policies::ipdom_stack(meets), thread, shape, all).finished());
  CHECK(profile.idle() == idle_slots(sum));
  CHECK(profile.idle(idle_cause::ragged_warp) == 3 * 3 * 3);  // blocks 0, one arm, 3
  CHECK(profile.branches()[0].idle_lanes == 3 * 4);
  CHECK(profile.idle(idle_cause::exited) == 0);
  const std::uint64_t once = profile.idle();
  CHECK(run(policies::ipdom_stack(meets), thread, shape, all).finished());
  CHECK(profile.idle() == 2 * once);
}

TEST_CASE("branch profile: a warp of 100 threads, more than a word of lanes") {
  // 0: threads 0 .. 69 to 1, the others to 2; 1 and 2 -> 3, where every third thread ends; 3 -> 4.
  const auto thread = [](std::uint32_t t, block_id b) -> block_id {
    if (b == 0) return t < 70 ? 1 : 2;
    if (b == 3) return t % 3 == 0 ? no_block : 4;
    return b == 4 ? no_block : 3;
  };
  branch_profile profile;
  counts sum;
  both all(profile, sum);
  CHECK(run(policies::basic_ipdom_stack<basic_mask<2>>(std::vector<block_id>{3, 3, 3, no_block, no_block}), thread,
            {.threads = 100, .warp_width = 128}, all)
            .finished());
  CHECK(profile.idle(idle_cause::ragged_warp) == 5 * 28);
  CHECK(profile.branches()[0].idle_lanes == 30 + 70);  // while 1 and 2 run
  CHECK(profile.branches()[3].exited_lanes == 34);     // while 4 runs
  CHECK(profile.idle() == idle_slots(sum));
}
