// SPDX-License-Identifier: BSL-1.0
#include "stacks_support.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/simt/policies/aware.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/multi_path.hpp>

#include <cstdint>
#include <string>
#include <vector>

using namespace simtflow;
using stacks::at;
using stacks::step;

namespace {

// An if inside an if: 0 -> {1, 2}, 1 -> {3, 4}, 3 -> 5, 4 -> 5, 5 -> 6, 2 -> 7 -> 6.
constexpr block_id nested[] = {6, 5, 7, 5, 5, 6, no_block, 6};

constexpr bool all_splits_take_turns() {
  policies::multi_path s{nested, {.schedule = policies::split_schedule::first_in_first_out}};
  s.start(at(0, 0b1111));
  bool good = step(s, at(0, 0b1111), {at(1, 0b0111), at(2, 0b1000)}) && s.num_ready() == 2 && s.depth() == 3;
  good = good && step(s, at(1, 0b0111), {at(3, 0b0001), at(4, 0b0110)}) && s.num_ready() == 3;
  const auto m = s.meetings();
  good = good && m.size() == 2 && m[0].block == 6 && m[0].pending == lane_mask(0b1111) && m[1].block == 5 &&
         m[1].outer == 0 && m[1].lanes == lane_mask(0b0111) && m[1].pending == lane_mask(0b0111);
  good = good && step(s, at(2, 0b1000), {at(7, 0b1000)});  // a dual-path stack would let it wait
  good = good && step(s, at(3, 0b0001), {at(5, 0b0001)}) && s.meetings()[1].pending == lane_mask(0b0110);
  good = good && step(s, at(4, 0b0110), {at(5, 0b0110)}) && s.meetings()[1].block == no_block;
  good = good && step(s, at(7, 0b1000), {at(6, 0b1000)}) && step(s, at(5, 0b0111), {at(6, 0b0111)});
  return good && step(s, at(6, 0b1111), {}) && !s.next() && s.depth() == 0;
}
static_assert(all_splits_take_turns());

// 0 -> {1, 2}, 1 -> {3, 4}, 2 -> 3, 3 -> 4: both paths pass 3, which post-dominates nothing that diverges.
constexpr bool early_joins(bool early) {
  constexpr block_id ipdom[] = {4, 4, 3, 4, no_block};
  policies::multi_path s{ipdom, {.schedule = policies::split_schedule::first_in_first_out, .early_join = early}};
  s.start(at(0, 0b111));
  bool good = step(s, at(0, 0b111), {at(1, 0b011), at(2, 0b100)});
  good = good && step(s, at(1, 0b011), {at(3, 0b001), at(4, 0b010)}) && step(s, at(2, 0b100), {at(3, 0b100)});
  if (early) return good && step(s, at(3, 0b101), {at(4, 0b101)}) && step(s, at(4, 0b111), {}) && !s.next();
  return good && step(s, at(3, 0b001), {at(4, 0b001)}) && step(s, at(3, 0b100), {at(4, 0b100)}) &&
         step(s, at(4, 0b111), {}) && !s.next();
}
static_assert(early_joins(false) && early_joins(true));

// 0 -> {1, 2}, 1 -> 2, 2 -> 3, and 1 takes long: whoever comes to 2 goes on after two steps.
constexpr bool time_runs_out() {
  constexpr block_id ipdom[] = {2, 2, 3, no_block};
  policies::aware s(std::span<const block_id>(ipdom), 2);
  s.start(at(0, 0b111));
  bool good = step(s, at(0, 0b111), {at(1, 0b011), at(2, 0b100)});
  good = good && step(s, at(1, 0b011), {at(1, 0b011)}) && step(s, at(1, 0b011), {at(1, 0b011)});
  good = good && s.num_ready() == 2 && s.meetings()[0].lanes == lane_mask(0b011);
  good = good && step(s, at(1, 0b011), {at(2, 0b001), at(1, 0b010)});
  good = good && step(s, at(2, 0b100), {at(3, 0b100)}) && step(s, at(1, 0b010), {at(2, 0b010)});
  return good && step(s, at(3, 0b100), {}) && step(s, at(2, 0b011), {at(3, 0b011)}) && step(s, at(3, 0b011), {}) &&
         !s.next();
}
static_assert(time_runs_out());

// select() counts once; then it is again the turn of the one that has not run for longest.
constexpr bool selected_once() {
  constexpr block_id ipdom[] = {4, 4, 4, 4, no_block};
  policies::multi_path s{ipdom, {.schedule = policies::split_schedule::first_in_first_out}};
  s.start(at(0, 0b111));
  bool good = step(s, at(0, 0b111), {at(1, 1), at(2, 2), at(3, 4)}) && s.num_ready() == 3;
  s.select(1);
  return good && step(s, at(2, 2), {at(2, 2)}) && step(s, at(1, 1), {at(1, 1)}) && step(s, at(3, 4), {at(3, 4)});
}
static_assert(selected_once());

static_assert(progress_of<policies::multi_path> == progress_class::none);
static_assert(progress_of<policies::aware> == progress_class::fair);
static_assert(parking_policy<policies::multi_path> && parking_policy<policies::aware>);

// Checks the tables whenever they are asked: splits hold every runnable lane once, a meeting holds the lanes on their
// way to it, and every lane on its way to an inner meeting is still to come to the outer.
template <class Base>
class watched : public Base {
 public:
  using Base::Base;
  std::optional<fragment> next() {
    const auto f = Base::next();
    lane_mask run;
    for (const auto& s : this->splits()) {
      if (s.lanes.none() || (s.lanes & run).any()) broken = "splits share lanes or are empty";
      run |= s.lanes;
      if (s.meeting != Base::nowhere && !s.lanes.is_subset_of(this->meetings()[s.meeting].pending))
        broken = "a split is not expected where it goes";
    }
    for (const auto& m : this->meetings()) {
      if (m.block == no_block) continue;
      if (m.pending.none() || !m.pending.is_subset_of(m.lanes)) broken = "a meeting waits for nobody or for strangers";
      if (((m.lanes - m.pending) & run).any()) broken = "a lane waits and runs";
      if (m.outer != Base::nowhere && !m.lanes.is_subset_of(this->meetings()[m.outer].pending))
        broken = "lanes that meet are not expected at the next meeting";
    }
    return f;
  }
  inline static std::string broken;
};

class by_chance : public watched<policies::multi_path> {
 public:
  by_chance(std::span<const block_id> ipdom, policies::multi_path_options options, std::uint64_t seed)
      : watched<policies::multi_path>(ipdom, options), random_(seed) {}
  std::optional<fragment> next() {
    const std::size_t n = num_ready();
    if (n > 0) {
      const std::size_t i = random_.below(n);
      const fragment wanted = ready(i);
      select(i);
      REQUIRE(watched<policies::multi_path>::next() == wanted);
    }
    return watched<policies::multi_path>::next();
  }

 private:
  testing::rng random_;
};

}  // namespace

TEST_CASE("multi_path: depth first it is the post-dominator stack, in turns or at random it fetches as much") {
  int fewer = 0, differ = 0;
  for (std::uint64_t seed = 1; seed <= 1200; ++seed) {
    testing::rng random(seed);
    const auto c = stacks::make_case(random);
    INFO(stacks::text(seed, c.graph));
    const testing::random_walks walks(c.graph, {.seed = seed});
    const auto pdom = post_dominators(c.graph);
    const auto check = [&](const auto& policy) {
      watched<policies::multi_path>::broken.clear();
      watched<policies::aware>::broken.clear();
      auto r = stacks::observe(policy, walks, c.shape);
      stacks::check_run(r, walks, c.shape);
      CHECK(watched<policies::multi_path>::broken == "");
      CHECK(watched<policies::aware>::broken == "");
      CHECK(r.count.max_depth <= std::max(1U, 2 * c.shape.warp_width - 1));
      return r;
    };
    const auto stack = stacks::observe(policies::ipdom_stack(pdom.ipdoms()), walks, c.shape);
    const auto deep = check(watched<policies::multi_path>(pdom.ipdoms()));
    CHECK(stacks::text(deep.schedule) == stacks::text(stack.schedule));
    const policies::multi_path_options turns{.schedule = policies::split_schedule::first_in_first_out};
    const auto wide = check(watched<policies::multi_path>(pdom.ipdoms(), turns));
    CHECK(wide.count.fetches == stack.count.fetches);
    CHECK(check(by_chance(pdom.ipdoms(), {}, seed)).count.fetches == stack.count.fetches);
    differ += wide.schedule != stack.schedule ? 1 : 0;
    // With early joins and time-outs the paths stay what they are; more or fewer blocks may be fetched.
    const auto early = check(watched<policies::multi_path>(
        pdom.ipdoms(), {.schedule = policies::split_schedule::first_in_first_out, .early_join = true}));
    fewer += early.count.fetches < stack.count.fetches ? 1 : 0;
    check(by_chance(pdom.ipdoms(), {.early_join = true, .timeout = random.between(1, 9)}, seed));
    check(watched<policies::aware>(pdom.ipdoms(), random.between(1, 20), random.chance(50)));
    CHECK(check(watched<policies::aware>(pdom.ipdoms(), 1'000'000)).count.fetches == stack.count.fetches);
  }
  CHECK(differ > 300);
  CHECK(fewer > 50);
}

TEST_CASE("multi_path: every graph of up to four blocks in which threads can end") {
  stacks::for_each_small_case(1, [](std::uint64_t n, const csr_graph&, const auto& pdom, const auto& walks) {
    const launch shape{.threads = 5, .warp_width = 5};
    watched<policies::multi_path>::broken.clear();
    const auto wide = stacks::observe(
        watched<policies::multi_path>(pdom.ipdoms(), {.schedule = policies::split_schedule::first_in_first_out}), walks,
        shape);
    stacks::check_run(wide, walks, shape);
    REQUIRE(watched<policies::multi_path>::broken == "");
    REQUIRE(wide.count.fetches == stacks::observe(policies::ipdom_stack(pdom.ipdoms()), walks, shape).count.fetches);
    if (n % 3 == 0)
      stacks::check_run(stacks::observe(policies::aware(pdom.ipdoms(), 1 + n % 5), walks, shape), walks, shape);
  });
}

TEST_CASE("multi_path: any table of reconvergence points lets threads go their ways") {
  stacks::for_each_random_table(1500, [](auto& random, const auto& c, const auto& table, const auto& walks) {
    const policies::multi_path policy(table, {.early_join = random.chance(50)});
    stacks::check_run(stacks::observe(policy, walks, c.shape), walks, c.shape);
    stacks::check_run(stacks::observe(policies::aware(table, random.between(1, 30)), walks, c.shape), walks, c.shape);
  });
}

TEST_CASE("multi_path: AWARE ends the spin lock on which the post-dominator stack hangs") {
  const auto pdom = post_dominators(stacks::spin_lock::graph());
  const launch shape{.threads = 16, .warp_width = 8};
  const auto ends = [&](const auto& policy) {
    return run(policy, stacks::spin_lock{}, shape, no_observer{}, {.steps = 100'000}).how;
  };
  CHECK(ends(policies::ipdom_stack(pdom.ipdoms())) == outcome::step_limit);
  CHECK(ends(policies::multi_path(pdom.ipdoms(), {.schedule = policies::split_schedule::first_in_first_out})) ==
        outcome::step_limit);
  for (const std::uint64_t timeout : {1U, 2U, 7U, 100U})
    CHECK(ends(policies::aware(pdom.ipdoms(), timeout)) == outcome::finished);
  // Reconvergence delayed past the release of the lock needs turns only.
  const block_id delayed[] = {2, 2, no_block};
  CHECK(ends(policies::multi_path(delayed, {.schedule = policies::split_schedule::first_in_first_out})) ==
        outcome::finished);
}

TEST_CASE("multi_path: under AWARE an endless arm holds nobody up") {
  // 0 -> {1, 2}, 1 -> 1, 2 -> 3: one lane stays in 1; and its end is made the meeting point of all, wrongly.
  const block_id meet[] = {3, 3, 3, no_block};
  std::uint32_t ended = 0;
  run(
      policies::aware(meet, 10),
      [](std::uint32_t t, block_id b) -> block_id {
        return b == 0 ? (t == 0 ? 1U : 2U) : b == 1 ? 1U : b == 2 ? 3U : no_block;
      },
      {.threads = 8, .warp_width = 8}, [&](const event::exited<lane_mask>& e) { ended += e.lanes.count(); },
      {.steps = 1000});
  CHECK(ended == 7);
}

TEST_CASE("multi_path: barriers at which each thread arrives for itself") {
  int with_ends = 0, stuck = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    testing::rng random(seed);
    auto c = stacks::make_case(random);
    c.shape.barriers = barrier_model::thread_arrival;
    INFO(stacks::text(seed, c.graph));
    std::vector<unsigned char> barriers;
    for (block_id b = 0; b < c.graph.num_blocks(); ++b) {
      barriers.push_back(random.chance(25));
      with_ends += barriers[b] && c.graph.is_exit(b) ? 1 : 0;
    }
    const testing::random_walks walks(c.graph, {.seed = seed});
    const auto pdom = post_dominators(c.graph);
    // Any barrier matches any other, in whatever divergence: AWARE gets every thread there, because nobody waits for a
    // lane that waits at a barrier.
    watched<policies::aware>::broken.clear();
    stacks::check_run(
        stacks::observe(watched<policies::aware>(pdom.ipdoms(), random.between(1, 50)), walks, c.shape, barriers),
        walks, c.shape);
    CHECK(watched<policies::aware>::broken == "");
    stacks::check_run(stacks::observe(policies::lane_serial(), walks, c.shape, barriers), walks, c.shape);
    // Without time-out lanes may wait for such a lane, and the executor says so.
    const auto r = stacks::observe(policies::multi_path(pdom.ipdoms()), walks, c.shape, barriers);
    if (!r.how.finished()) {
      ++stuck;
      CHECK(r.how.how == outcome::nothing_runnable);
    } else {
      stacks::check_run(r, walks, c.shape);
    }
  }
  CHECK(with_ends > 300);
  CHECK(stuck > 20);
}

TEST_CASE("multi_path: nobody waits for lanes that have ended at a barrier") {
  // 0 -> {1, 2}, 1 -> 3, 2 -> 3; 1 and 2 end in a barrier, and threads may end there.
  const block_id ipdom[] = {3, 3, 3, no_block};
  const unsigned char barriers[] = {0, 1, 1, 0};
  // By thread: through 1 or 2, and whether it ends there.
  const auto finishes = [&](std::vector<std::pair<block_id, bool>> threads) {
    std::uint64_t last = 0;
    callable_program program(
        [&](std::uint32_t t, block_id b) {
          return b == 0 ? threads[t].first : b == 3 || threads[t].second ? no_block : 3U;
        },
        {}, barriers);
    executor<policies::multi_path> machine{policies::multi_path(ipdom)};
    const launch shape{.threads = static_cast<std::uint32_t>(threads.size()),
                       .warp_width = 4,
                       .barriers = barrier_model::thread_arrival};
    const verdict v = machine.run(
        program, shape, [&](const event::issued<lane_mask>& e) { last += e.block == 3 ? 1 : 0; }, {.steps = 100});
    return v.finished() && last == 1;
  };
  CHECK(finishes({{1, false}, {2, false}}));
  CHECK(finishes({{1, true}, {2, false}}));  // the whole of a split ends
  CHECK(finishes({{1, true}, {1, false}}));  // a part of it
  CHECK(finishes({{1, true}, {1, false}, {2, false}, {2, true}}));
}

TEST_CASE("multi_path: barriers that all threads reach together cost nothing") {
  int with_barriers = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    testing::rng random(seed);
    const auto made = stacks::random_barrier_program(random);
    INFO(stacks::text(seed, made.graph()));
    with_barriers += made.program.barriers.empty() ? 0 : 1;
    const testing::random_walks walks = made.walks(seed);
    launch shape{.threads = 12, .warp_width = 5};
    const auto pdom = post_dominators(made.graph());
    const auto stack = stacks::observe(policies::ipdom_stack(pdom.ipdoms()), walks, shape, made.flags);
    stacks::check_run(stack, walks, shape);
    for (const barrier_model model : {barrier_model::whole_warp, barrier_model::thread_arrival}) {
      shape.barriers = model;
      for (const auto schedule :
           {policies::split_schedule::depth_first, policies::split_schedule::first_in_first_out}) {
        const auto r =
            stacks::observe(policies::multi_path(pdom.ipdoms(), {.schedule = schedule}), walks, shape, made.flags);
        stacks::check_run(r, walks, shape);
        CHECK(r.count.fetches == stack.count.fetches);
      }
    }
  }
  CHECK(with_barriers > 100);
}
