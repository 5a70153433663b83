// SPDX-License-Identifier: BSL-1.0
//
// The shipped laws, on policies that keep them and on policies that break one each.
#include "simt/oldest_first.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/testing/policy_laws.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>

using namespace simtflow;
using testing_policies::oldest_first;

namespace {

std::string text(const std::optional<testing::policy_finding>& f) {
  if (!f) return "every law was kept";
  return std::string(f->sentence) + "\nseed " + std::to_string(f->program.seed) + ", " +
         std::to_string(f->program.shape.threads) + " threads in warps of " +
         std::to_string(f->program.shape.warp_width) + ", got " + std::to_string(f->got) + ", expected " +
         std::to_string(f->expected) + "\n" + to_dot(f->program.graph);
}

// Broken on purpose, each in one way.
struct drops_a_lane : oldest_first {
  void advance(const fragment& f, std::span<const fragment> out) {
    oldest_first::advance(f, out);
    if (out.size() > 1 && !waiting_.empty() && waiting_.back().lanes.count() > 1)
      waiting_.back().lanes -= lane_mask::lane(waiting_.back().lanes.first());
  }
};
struct duplicates_a_lane : oldest_first {
  void advance(const fragment& f, std::span<const fragment> out) {
    oldest_first::advance(f, out);
    if (out.size() > 1) waiting_.push_back(out[0]);
  }
};
struct resurrects_ended_lanes : oldest_first {
  void advance(const fragment& f, std::span<const fragment> out) {
    for (const fragment& o : out) release({o.block, out.size() == 1 ? f.lanes : o.lanes});
  }
};
struct never_picks_one : oldest_first {
  std::optional<fragment> next() {
    if (waiting_.size() == 1 && waiting_[0].lanes.test(3) && waiting_[0].lanes.count() == 1) return std::nullopt;
    return oldest_first::next();
  }
};
struct picks_nobody : oldest_first {
  std::optional<fragment> next() {
    auto f = oldest_first::next();
    if (f && ++picked_ == 5) f->lanes = lane_mask();
    return f;
  }
  void start(const fragment& f) {
    oldest_first::start(f);
    picked_ = 0;
  }
  int picked_ = 0;
};
struct remembers_the_last_run : oldest_first {
  std::optional<fragment> next() {
    if (waiting_.size() > 1 && ++turns_ % 3 == 0) std::swap(waiting_.front(), waiting_.back());
    return oldest_first::next();
  }
  int turns_ = 0;
};
struct shares_between_copies : oldest_first {
  void start(const fragment& f) {
    oldest_first::start(f);
    turns() = 0;
  }
  std::optional<fragment> next() {
    if (waiting_.size() > 1 && ++turns() % 3 == 0) std::swap(waiting_.front(), waiting_.back());
    return oldest_first::next();
  }
  static int& turns() {
    static int all = 0;
    return all;
  }
};
struct splits_uniform_lanes : oldest_first {
  std::optional<fragment> next() {
    auto f = oldest_first::next();
    if (!f || f->lanes.count() < 2) return f;
    const lane_mask first = lane_mask::lane(f->lanes.first());
    waiting_.insert(waiting_.begin(), fragment{f->block, f->lanes - first});
    f->lanes = first;
    return f;
  }
};
struct depth_of_zero : oldest_first {
  [[nodiscard]] std::size_t depth() const { return waiting_.size(); }
};
struct forgets_the_parked : oldest_first {
  void release(const fragment& f) { oldest_first::release({f.block, lane_mask::lane(f.lanes.first())}); }
  void advance(const fragment&, std::span<const fragment> out) {
    for (const fragment& o : out) oldest_first::release(o);
  }
};
struct unfair_but_says_fair : thread_frontier {
  using thread_frontier::thread_frontier;
  static constexpr progress_class progress = progress_class::fair;
};

template <class Policy>
std::optional<testing::policy_finding> broken() {
  return testing::check_policy_laws([](const testing::law_case&) { return Policy(); }, {.programs = 200});
}

}  // namespace

TEST_CASE("policy_laws: the policies that exist keep them") {
  const auto stack = testing::check_policy_laws([](const testing::law_case& c, auto use) {
    const auto pdom = post_dominators(c.graph);
    use(ipdom_stack(pdom.ipdoms()));
  });
  CHECK_MESSAGE(!stack, text(stack));
  for (const bool contiguous : {true, false}) {
    const auto frontier = testing::check_policy_laws([&](const testing::law_case& c, auto use) {
      const auto order = contiguous ? loop_contiguous_order(c.graph) : reverse_post_order(c.graph);
      use(thread_frontier(order.ranks()));
    });
    CHECK_MESSAGE(!frontier, text(frontier));
  }
  const auto oldest = testing::check_policy_laws([](const testing::law_case&) { return oldest_first(); });
  CHECK_MESSAGE(!oldest, text(oldest));
}

TEST_CASE("policy_laws: a policy that never merges breaks the law of uniform programs, and no other") {
  const auto serial = testing::check_policy_laws([](const testing::law_case&) { return lane_serial(); });
  REQUIRE(serial);
  CHECK(std::string(serial->sentence) == "threads that all go the same way did not run together all the way");
  const auto allowed =
      testing::check_policy_laws([](const testing::law_case&) { return lane_serial(); }, {.merges = false});
  CHECK_MESSAGE(!allowed, text(allowed));
}

TEST_CASE("policy_laws: wide masks, other seeds, no programs") {
  using wide = basic_mask<4>;
  const auto finding = testing::check_policy_laws(
      [](const testing::law_case& c, auto use) {
        const auto order = loop_contiguous_order(c.graph);
        use(basic_thread_frontier<wide>(order.ranks()));
      },
      {.first_seed = 1'000'000, .programs = 40, .max_warp_width = 100, .max_threads = 150});
  CHECK_MESSAGE(!finding, text(finding));
  CHECK(!testing::check_policy_laws([](const testing::law_case&) { return drops_a_lane(); },
                                    {.programs = 0, .max_warp_width = 1}));
}

TEST_CASE("policy_laws: every planted mistake is found and named") {
  const auto says = [](const std::optional<testing::policy_finding>& f, const std::string& sentence) {
    CHECK_MESSAGE(f.has_value(), sentence);
    if (!f) return;
    CHECK_MESSAGE(std::string(f->sentence).find(sentence) != std::string::npos, sentence << " - " << text(f));
    CHECK(f->program.graph.num_blocks() > 0);
  };
  says(broken<drops_a_lane>(), "named nobody although threads are live");
  says(broken<duplicates_a_lane>(), "named lanes that do not stand");
  says(broken<resurrects_ended_lanes>(), "named lanes that do not stand");
  says(broken<never_picks_one>(), "named nobody although threads are live");
  says(broken<picks_nobody>(), "named lanes that do not stand at the block it named, or no lane");
  says(broken<remembers_the_last_run>(), "start() keeps something");
  says(broken<shares_between_copies>(), "copies of the policy share something");
  says(broken<splits_uniform_lanes>(), "did not run together all the way");
  says(broken<depth_of_zero>(), "depth() was 0");
  says(broken<forgets_the_parked>(), "named nobody although threads are live");
  says(testing::check_policy_laws([](const testing::law_case& c, auto use) {
         const auto order = loop_contiguous_order(c.graph);
         use(unfair_but_says_fair(order.ranks()));
       }),
       "calls itself fair");
}

TEST_CASE("policy_laws: the seed of a finding brings it back at once") {
  const auto found = broken<never_picks_one>();
  REQUIRE(found);
  const auto again = testing::check_policy_laws([](const testing::law_case&) { return never_picks_one(); },
                                                {.first_seed = found->program.seed, .programs = 1});
  REQUIRE(again);
  CHECK(std::string(again->sentence) == found->sentence);
  CHECK(again->schedule == found->schedule);
  CHECK(to_dot(again->program.graph) == to_dot(found->program.graph));
}
