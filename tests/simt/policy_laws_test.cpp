// SPDX-License-Identifier: BSL-1.0
//
// The shipped laws, on policies that keep them and on policies that break one each.
#include "simt/oldest_first.hpp"
#include "simt/policy_table.hpp"
#include "support/long_run.hpp"
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/simt/policy_factory.hpp>
#include <simtflow/testing/policy_laws.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace simtflow;
using simtflow_tests::oldest_first;

namespace {

std::string text(const std::optional<testing::broken_law>& f) {
  return f ? testing::describe(*f) : "every law was kept";
}

// A policy of wider scope than a warp: groups of threads wait in line, and up to a warp's worth of the first runs.
template <policy_scope Scope>
class line : public oldest_first {
 public:
  static constexpr policy_scope scope = Scope;
  explicit line(std::uint32_t width) : width_(width) {}
  std::optional<fragment> next() {
    std::optional<fragment> now = oldest_first::next();
    if (!now) return now;
    fragment rest = *now;
    std::uint32_t n = 0;
    rest.lanes.for_each([&](std::uint32_t t) {
      if (n++ >= width_) now->lanes -= lane_mask::lane(t);
    });
    rest.lanes -= now->lanes;
    if (rest.lanes.any()) waiting_.insert(waiting_.begin(), rest);
    return now;
  }

 private:
  std::uint32_t width_;
};

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
struct names_the_wrong_block : oldest_first {
  void advance(const fragment& f, std::span<const fragment> out) {
    for (const fragment& o : out) release({out.back().block, o.lanes});
    (void)f;
  }
};
struct forgets_exits : oldest_first {  // as a stack that takes ended lanes out of its top entry only
  void advance(const fragment& f, std::span<const fragment> out) {
    lane_mask left;
    for (const fragment& o : out) left |= o.lanes;
    if (!out.empty() && !(left == f.lanes))
      release({out[0].block, f.lanes});
    else
      oldest_first::advance(f, out);
  }
};
struct invents_a_lane : oldest_first {
  std::optional<fragment> next() {
    auto f = oldest_first::next();
    if (f && f->block == 3) f->lanes.set(63);
    return f;
  }
};
struct runs_who_waits : oldest_first {
  void park(const fragment& f) { oldest_first::release(f); }
};
template <policy_scope Scope>
struct too_many : line<Scope> {
  explicit too_many(std::uint32_t width) : line<Scope>(width + 1) {}
};
template <policy_scope Scope>
struct forgets_a_thread : line<Scope> {
  using line<Scope>::line;
  void advance(const fragment& f, std::span<const fragment> out) {
    for (const fragment& o : out)
      if (!(out.size() > 2 && o == out[2])) this->release(o);
    (void)f;
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
struct unfair_but_says_fair : policies::thread_frontier {
  using policies::thread_frontier::thread_frontier;
  static constexpr progress_class progress = progress_class::fair;
};

// Overlapping policies, broken on purpose.
struct takes_twice : oldest_first {
  std::optional<fragment> take() {
    if (waiting_.empty()) return std::nullopt;
    return waiting_.front();
  }
  void advance(const fragment& f, std::span<const fragment> out) {
    for (auto at = waiting_.begin(); at != waiting_.end();) {
      at->lanes -= f.lanes;
      at = at->lanes.none() ? waiting_.erase(at) : at + 1;
    }
    oldest_first::advance(f, out);
  }
};
struct takes_another : oldest_first {
  std::optional<fragment> take() {
    if (!waiting_.empty()) std::swap(waiting_.front(), waiting_.back());
    return oldest_first::next();
  }
};
struct counts_on_the_last : oldest_first {
  std::optional<fragment> take() { return last_ = oldest_first::next(); }
  void advance(const fragment& f, std::span<const fragment> out) {
    if (!last_ || *last_ == f) oldest_first::advance(f, out);
  }
  std::optional<fragment> last_;
};
struct merges_into_flight : oldest_first {
  std::optional<fragment> take() {
    const auto f = oldest_first::next();
    if (f) flying_.push_back(*f);
    return f;
  }
  void advance(const fragment& f, std::span<const fragment> out) {
    std::erase(flying_, f);
    for (const fragment& o : out) {
      bool joined = false;
      for (const fragment& there : flying_) joined = joined || there.block == o.block;
      if (!joined) oldest_first::release(o);
    }
  }
  std::vector<fragment> flying_;
};

template <class Policy>
std::optional<testing::broken_law> broken() {
  return testing::check_policy_laws([](const testing::law_case&) { return Policy(); }, {.programs = 200});
}

}  // namespace

TEST_CASE("policy_laws: every policy that ships keeps them") {
  const auto options = [](bool merges) {
    return testing::policy_law_options{.programs = static_cast<std::size_t>(simtflow_tests::times(300)),
                                       .merges = merges};
  };
  for (const policy_table::entry& p : policy_table::all_policies()) {
    INFO(std::string(p.what.name));
    const auto make = [&](const testing::law_case& c, auto use) {
      const policy_table::material m(c.graph, c.shape.warp_width);
      if (p.takes(m)) use(p.make(m));
    };
    const auto law = testing::check_policy_laws(make, options(!p.what.is(policy_table::alone)));
    CHECK_MESSAGE(!law, text(law));
  }
  CHECK(policy_table::all_policies().size() > 40);
}

TEST_CASE("policy_laws: every policy that has a name keeps them") {
  std::vector<std::string> names{"dwf-core:pool=2,table=1", "dwf-time:scope=core,pool=1", "dwf-barrier-core:pool=3"};
  for (const policy_info& info : known_policies()) names.emplace_back(info.name);
  for (const std::string& name : names) {
    INFO(name);
    const result<policy_choice> choice = choose_policy(name);
    REQUIRE(choice);
    const auto make = [&](const testing::law_case& c, auto use) {
      const policy_facts facts(c.graph);
      if (const auto policy = make_policy(*choice, facts, c.shape)) use(*policy);
    };
    const auto law = testing::check_policy_laws(make, {.programs = static_cast<std::size_t>(simtflow_tests::times(100)),
                                                       .merges = name != oracle_policy && name != "mimd"});
    CHECK_MESSAGE(!law, text(law));
  }
}

TEST_CASE("policy_laws: policies of thread blocks and of cores") {
  const auto check = [](auto make) {
    const auto law = testing::check_policy_laws(make, {.max_threads = 40});
    CHECK_MESSAGE(!law, text(law));
  };
  check([](const testing::law_case& c) { return line<policy_scope::block>(c.shape.warp_width); });
  check([](const testing::law_case& c) { return line<policy_scope::core>(c.shape.warp_width); });
}

TEST_CASE("policy_laws: a policy that never merges breaks the law of uniform programs, and no other") {
  const auto serial = testing::check_policy_laws([](const testing::law_case&) { return policies::lane_serial(); });
  REQUIRE(serial);
  CHECK(std::string(serial->sentence) == "threads that all go the same way did not run together all the way");
  const auto allowed =
      testing::check_policy_laws([](const testing::law_case&) { return policies::lane_serial(); }, {.merges = false});
  CHECK_MESSAGE(!allowed, text(allowed));
}

TEST_CASE("policy_laws: wide masks, other seeds, no programs") {
  using wide = basic_mask<4>;
  const auto law = testing::check_policy_laws(
      [](const testing::law_case& c, auto use) {
        const auto order = loop_contiguous_order(c.graph);
        use(policies::basic_thread_frontier<wide>(order.ranks()));
      },
      {.first_seed = 1'000'000, .programs = 40, .max_warp_width = 100, .max_threads = 150});
  CHECK_MESSAGE(!law, text(law));
  CHECK(!testing::check_policy_laws([](const testing::law_case&) { return drops_a_lane(); },
                                    {.programs = 0, .max_warp_width = 1}));
}

TEST_CASE("policy_laws: every planted mistake is found and named") {
  const auto says = [](const std::optional<testing::broken_law>& f, const std::string& sentence) {
    CHECK_MESSAGE(f.has_value(), sentence);
    if (!f) return;
    CHECK_MESSAGE(testing::describe(*f).find(sentence) != std::string::npos, sentence << " - " << text(f));
    CHECK(f->program.graph.num_blocks() > 0);
  };
  says(broken<drops_a_lane>(), "named nobody although a thread is live and does not wait: thread ");
  says(broken<duplicates_a_lane>(), "named a thread at a block where it does not stand: thread ");
  says(broken<resurrects_ended_lanes>(), "named a thread that has ended: thread ");
  says(broken<forgets_exits>(), "named a thread that has ended: thread ");
  says(broken<names_the_wrong_block>(), "named a thread at a block where it does not stand: thread ");
  says(broken<invents_a_lane>(), "named a lane that there is not: thread ");
  says(broken<runs_who_waits>(), "named a thread that waits at a barrier: thread ");
  says(broken<never_picks_one>(), "named nobody although a thread is live");
  says(broken<picks_nobody>(), "named a block and no lane");
  says(broken<remembers_the_last_run>(), "start() keeps something");
  says(broken<shares_between_copies>(), "copies of the policy share something");
  says(broken<splits_uniform_lanes>(), "did not run together all the way");
  says(broken<depth_of_zero>(), "depth() was 0");
  says(broken<forgets_the_parked>(), "named nobody although a thread is live");
  says(broken<takes_twice>(), "take() named a thread that is in flight: thread ");
  says(broken<takes_another>(), "take() does not name what next() names");
  says(broken<counts_on_the_last>(), "take() named nobody although nothing is in flight and a thread is live: thread ");
  says(broken<merges_into_flight>(), "take() named nobody although nothing is in flight and a thread is live: thread ");
  const auto wide = [](auto policy) {
    return testing::check_policy_laws(
        [policy](const testing::law_case& c) { return decltype(policy)(c.shape.warp_width); }, {.max_threads = 40});
  };
  says(wide(too_many<policy_scope::block>(1)), "named more threads than a warp has lanes: got ");
  says(wide(too_many<policy_scope::core>(1)), "named more threads than a warp has lanes: got ");
  says(wide(forgets_a_thread<policy_scope::block>(1)), "named nobody although a thread is live");
  says(wide(forgets_a_thread<policy_scope::core>(1)), "named nobody although a thread is live");
  says(testing::check_policy_laws([](const testing::law_case& c, auto use) {
         const auto order = loop_contiguous_order(c.graph);
         use(unfair_but_says_fair(order.ranks()));
       }),
       "calls itself fair");
}

TEST_CASE("policy_laws: a diagnostic in words") {
  const auto found = broken<drops_a_lane>();
  REQUIRE(found);
  REQUIRE(found->thread);
  const std::string words = testing::describe(*found);
  INFO(words);
  const auto has = [&](const std::string& part) { return words.find(part) != std::string::npos; };
  CHECK(has(": thread " + std::to_string(*found->thread) + ", stands at BB" + std::to_string(found->stands) + "\n"));
  CHECK(has("program of seed " + std::to_string(found->program.seed) + ": "));
  CHECK(has(" threads in warps of "));
  CHECK(has("> BB" + std::to_string(found->program.graph.entry()) + " ->"));
  CHECK(has("executed\n  BB" + std::to_string(found->program.graph.entry()) + " threads 0"));
}

TEST_CASE("policy_laws: programs that a policy cannot run are left out, but not all") {
  const auto none = testing::check_policy_laws([](const testing::law_case& c, auto use) {
    if (c.graph.num_blocks() == 1'000'000) use(oldest_first());
  });
  REQUIRE(none);
  CHECK(std::string(none->sentence).find("no program was run") == 0);
  const auto small = testing::check_policy_laws([](const testing::law_case& c, auto use) {
    if (c.graph.num_blocks() < 6) use(oldest_first());
  });
  CHECK_MESSAGE(!small, text(small));
}

TEST_CASE("policy_laws: the seed of a diagnostic brings it back at once") {
  const auto found = broken<never_picks_one>();
  REQUIRE(found);
  const auto again = testing::check_policy_laws([](const testing::law_case&) { return never_picks_one(); },
                                                {.first_seed = found->program.seed, .programs = 1});
  REQUIRE(again);
  CHECK(std::string(again->sentence) == found->sentence);
  CHECK(again->schedule == found->schedule);
  CHECK(to_dot(again->program.graph) == to_dot(found->program.graph));
}
