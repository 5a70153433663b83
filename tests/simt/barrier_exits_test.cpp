// SPDX-License-Identifier: BSL-1.0
//
// Lanes that end at a barrier: when it opens they do not come back, and no policy may go on counting on them. Random
// programs under every policy that can park lanes, with a look at every mask that a policy shows; and by hand, what
// single policies do when some of what is parked comes back, some ends, and some still waits.
#include "simt/policy_table.hpp"
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/testing/generate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace simtflow;
using policy_table::about;
using policy_table::maker;
using policy_table::material;

namespace {

// A policy that stays with the caller, to be looked at while it runs. One instance only.
template <class Policy>
class watched {
 public:
  using mask_type = lane_mask;
  static constexpr policy_scope scope = scope_of<Policy>;
  explicit watched(Policy& policy) : policy_(&policy) {}
  void start(const fragment& f) { policy_->start(f); }
  std::optional<fragment> next() { return policy_->next(); }
  void advance(const fragment& f, std::span<const fragment> out) { policy_->advance(f, out); }
  void park(const fragment& f) { policy_->park(f); }
  void release(const fragment& f) { policy_->release(f); }
  void ended(const lane_mask& lanes) requires policy_with_ended<Policy> { policy_->ended(lanes); }
  [[nodiscard]] lane_mask blocked() const requires policy_with_blocked<Policy> { return policy_->blocked(); }
  bool let_go() requires policy_that_lets_go<Policy> { return policy_->let_go(); }

 private:
  Policy* policy_;
};

// Every lane that a policy shows to hold anywhere.
template <class Policy>
lane_mask held(const Policy& p, const material& m) {
  lane_mask all;
  if constexpr (policy_with_blocked<Policy>) all |= p.blocked();
  if constexpr (requires { p.participants(0); })
    for (std::uint32_t b = 0; b < m.barriers.num_barriers(); ++b) all |= p.participants(b);
  if constexpr (requires { p.waiting(); })
    for (const auto& f : p.waiting()) all |= f.lanes;
  if constexpr (requires { p.splits(); })
    for (const auto& s : p.splits()) all |= s.lanes;
  if constexpr (requires { p.meetings(); })
    for (const auto& s : p.meetings()) all |= s.lanes | s.pending;
  if constexpr (requires { p.static_warps(); })
    for (const auto& w : p.static_warps()) all |= w.live | w.waiting;
  if constexpr (requires { p.entries()[0].threads; })
    for (const auto& e : p.entries()) all |= e.threads;
  if constexpr (requires { p.pool()[0].threads; })
    for (const auto& w : p.pool()) all |= w.threads;
  return all;
}

struct result {
  verdict how;
  lane_mask ended_at_barriers, still_held;  // held after they had ended, at any time
  std::vector<std::vector<block_id>> paths;
};

// Threads that walk; some end at a barrier instead of going on.
struct program {
  const testing::random_walks* walks;
  std::vector<unsigned char> barriers;
  std::uint64_t seed;
  unsigned percent;  // of threads that end at the first barrier, the second, ...

  struct walker {
    block_id at;
    std::vector<std::uint32_t> visits;
    unsigned passed = 0;
    bool ends_here = false;
  };
  [[nodiscard]] block_id go_on(std::uint32_t t, walker& w) const {
    const block_id b = w.at;
    w.at = walks->next(t, b, w.visits[b]++);
    w.ends_here = barriers[b] != 0 && testing::mix_bits(seed ^ testing::mix_bits(64 * t + ++w.passed)) % 100 < percent;
    if (w.ends_here) w.at = no_block;
    return w.at;
  }
  [[nodiscard]] walker begin() const {
    return {walks->graph().entry(), std::vector<std::uint32_t>(walks->graph().num_blocks(), 0)};
  }
};

// `held_now` is what the policy in the box shows to hold.
result run_watched(any_policy box, const std::function<lane_mask()>& held_now, const launch& shape,
                   const program& text) {
  result r;
  r.paths.resize(shape.threads);
  std::vector<program::walker> threads(shape.threads, text.begin());
  struct {
    const program* text;
    std::vector<program::walker>* threads;
    lane_mask* ended;
    block_end run(block_id b, const group& g, partition& out) {
      g.lanes.for_each([&](std::uint32_t l) {
        out.go(text->go_on(l, (*threads)[l]), lane_mask::lane(l));
        if ((*threads)[l].ends_here) ended->set(l);
      });
      return text->barriers[b] != 0 ? block_end::barrier : block_end::next;
    }
  } steps{&text, &threads, &r.ended_at_barriers};
  lane_mask gone;
  overloaded look{[&](const event::exited<lane_mask>& e) { gone |= e.lanes; },
                  [&](const event::issued<lane_mask>& e) {
                    e.lanes.for_each([&](std::uint32_t l) { r.paths[l].push_back(e.block); });
                    r.still_held |= held_now() & gone;
                  }};
  executor machine{std::move(box)};
  r.how = machine.run(steps, shape, look, {.steps = 100'000});
  if (r.how.finished()) r.still_held |= held_now() & gone;
  return r;
}

template <class Policy>
result run_exits(Policy policy, const material& m, const launch& shape, const program& text) {
  return run_watched(
      any_policy(watched(policy)), [&] { return held(policy, m); }, shape, text);
}

struct parking {
  about what;
  policy_scope scope;
  progress_class progress;
  std::function<result(const material&, const launch&, const program&)> run;
};
const std::vector<parking>& parking_policies() {
  static const std::vector<parking> all = [] {
    std::vector<parking> list;
    policy_table::each_policy([&]<class Policy>(const about& what, maker<Policy> make) {
      if constexpr (parking_policy<Policy>)
        list.push_back({what, scope_of<Policy>, progress_of<Policy>,
                        [make](const material& m, const launch& shape, const program& text) {
                          return run_exits(make(m), m, shape, text);
                        }});
    });
    return list;
  }();
  return all;
}

// Each thread goes where it goes alone.
void check_paths(const program& text, const result& r) {
  for (std::uint32_t t = 0; t < r.paths.size(); ++t) {
    program::walker w = text.begin();
    std::vector<block_id> alone;
    while (w.at != no_block) {
      alone.push_back(w.at);
      (void)text.go_on(t, w);
    }
    CHECK(r.paths[t] == alone);
  }
}

// Runs a program under all policies; the launch's warps are as wide as the thread block for policies of warp scope.
template <class Check>
void under_all(const csr_graph& g, const program& text, std::uint32_t threads, std::uint32_t width, Check check) {
  const material m(g, width);
  for (const parking& p : parking_policies()) {
    const launch shape{.threads = threads,
                       .warp_width = p.scope == policy_scope::warp ? threads : width,
                       .entry = g.entry(),
                       .barriers = barrier_model::thread_arrival};
    const result r = p.run(m, shape, text);
    CAPTURE(std::string(p.what.name));
    CHECK_MESSAGE(r.still_held.none(), describe(r.still_held));
    check(p, r);
    if (r.how.finished()) check_paths(text, r);
  }
}

}  // namespace

TEST_CASE("barrier_exits: threads end at barriers that all reach together, the others finish under every policy") {
  std::uint32_t ended = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    testing::rng random(seed);
    testing::program_options options;
    options.statements = random.between(3, 10);
    options.barriers = true;
    options.uniform_percent = 60;
    options.break_continue = random.chance(50);
    const auto code = testing::random_structured_program(random, options);
    if (code.barriers.empty()) continue;
    const testing::random_walks walks(code.graph, {.seed = seed}, code.uniform);
    program text{&walks, std::vector<unsigned char>(code.graph.num_blocks(), 0), seed,
                 static_cast<unsigned>(random.between(5, 60))};
    for (const block_id b : code.barriers) text.barriers[b] = 1;
    INFO("seed " << seed << "\n" << to_dot(code.graph));
    const auto threads = static_cast<std::uint32_t>(random.between(1, 24));
    under_all(code.graph, text, threads, static_cast<std::uint32_t>(random.between(1, 8)),
              [&](const parking&, const result& r) {
                CHECK_MESSAGE(r.how.finished(), describe(r.how));
                ended += r.ended_at_barriers.count();
                all += threads;
              });
  }
  CHECK(ended > all / 10);
}

TEST_CASE("barrier_exits: the same at barriers anywhere; who cannot go on is held by the policy, not lost") {
  int finished = 0, stuck = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    testing::rng random(seed);
    testing::cfg_options options;
    options.blocks = random.between(3, 10);
    options.max_successors = random.between(2, 4);
    options.exits = random.between(1, 2);
    options.reducible = random.chance(50);
    options.terminating = true;
    const csr_graph g = testing::random_cfg(random, options);
    const testing::random_walks walks(g, {.seed = seed});
    program text{&walks, std::vector<unsigned char>(g.num_blocks(), 0), seed,
                 static_cast<unsigned>(random.between(5, 60))};
    for (unsigned char& b : text.barriers) b = random.chance(30) ? 1 : 0;
    INFO("seed " << seed << "\n" << to_dot(g));
    under_all(g, text, static_cast<std::uint32_t>(random.between(1, 24)),
              static_cast<std::uint32_t>(random.between(1, 8)), [&](const parking& p, const result& r) {
                ++(r.how.finished() ? finished : stuck);
                if (r.how.finished()) return;
                CHECK_MESSAGE(r.how.how == outcome::nothing_runnable, describe(r.how));
                CHECK(p.progress == progress_class::none);
              });
  }
  CHECK(finished > 2000);
  CHECK(stuck > 20);
}

TEST_CASE("barrier_exits: lanes that return early end where others wait at a barrier, under convergence barriers") {
  // if (i % 2) return; __syncthreads();   The branch reconverges at the return.
  const csr_graph early = snapshot(std::vector<std::vector<int>>{{2, 1}, {2}, {}});
  const std::vector<block_id> meet{2, 2, no_block};
  const policies::convergence_table table(3, policies::ipdom_barriers(early, meet));
  struct {
    block_end run(block_id b, const group& g, partition& out) {
      g.lanes.for_each([&](std::uint32_t l) {
        out.go(b == 2 ? no_block : b == 0 && l % 2 == 0 ? block_id{1} : block_id{2}, lane_mask::lane(l));
      });
      return b == 1 ? block_end::barrier : block_end::next;
    }
  } returns_early;
  for (const bool parked_count : {false, true}) {
    executor machine{policies::convergence_barriers(table, {.parked_count = parked_count})};
    const verdict v =
        machine.run(returns_early, {.threads = 8, .warp_width = 4, .barriers = barrier_model::thread_arrival});
    CHECK_MESSAGE(v.how == (parked_count ? outcome::finished : outcome::nothing_runnable), describe(v));
  }

  // Threads that finish when each runs alone also finish together: a lane that is not at a barrier continues.
  int stuck = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    testing::rng random(seed);
    const csr_graph g = testing::random_cfg(random, {.blocks = random.between(3, 10),
                                                     .max_successors = random.between(2, 4),
                                                     .exits = random.between(1, 2),
                                                     .reducible = random.chance(50),
                                                     .terminating = true});
    const testing::random_walks walks(g, {.seed = seed});
    program text{&walks, std::vector<unsigned char>(g.num_blocks(), 0), seed,
                 static_cast<unsigned>(random.between(5, 60))};
    for (unsigned char& b : text.barriers) b = random.chance(30) ? 1 : 0;
    INFO("seed " << seed << "\n" << to_dot(g));
    const auto threads = static_cast<std::uint32_t>(random.between(1, 24));
    const material m(g, threads);
    const launch shape{.threads = threads,
                       .warp_width = static_cast<std::uint32_t>(random.between(1, 24)),
                       .entry = g.entry(),
                       .barriers = barrier_model::thread_arrival};
    if (shape.warp_width < threads) continue;  // one instance is looked at
    // Parked lanes that count: in the end convergence barriers open although lanes wait at one of the thread block.
    if (!run_exits(policies::convergence_barriers(m.barriers), m, shape, text).how.finished()) ++stuck;
    const result r = run_exits(policies::convergence_barriers(m.barriers, {.parked_count = true}), m, shape, text);
    CHECK_MESSAGE(r.how.finished(), describe(r.how));
    CHECK(r.still_held.none());
    if (r.how.finished()) check_paths(text, r);
  }
  CHECK(stuck > 20);
}

namespace {

constexpr fragment at(block_id b, std::uint64_t lanes) { return {b, lane_mask(lanes)}; }

// Lets what next() names run; false if it names something else.
template <class Policy>
constexpr bool step(Policy& p, const fragment& runs, std::vector<fragment> out) {
  const auto f = p.next();
  if (!f || !(*f == runs)) return false;
  p.advance(*f, std::span<const fragment>(out));
  return true;
}
template <class Policy>
constexpr bool park(Policy& p, const fragment& runs) {
  const auto f = p.next();
  if (!f || !(*f == runs)) return false;
  p.park(*f);
  return true;
}

constexpr block_id diamond_ipdoms[] = {3, 3, 3, no_block};
constexpr block_id chain_ipdoms[] = {1, 2, no_block};

// Splits 0b0011 and 0b1100 of a diamond wait at barriers; the first comes back and meets, the other comes back later.
constexpr bool multi_path_waits_for_the_parked() {
  policies::multi_path p{std::span<const block_id>(diamond_ipdoms)};
  p.start(at(0, 0b1111));
  if (!step(p, at(0, 0b1111), {at(1, 0b0011), at(2, 0b1100)})) return false;
  if (!park(p, at(1, 0b0011)) || !park(p, at(2, 0b1100)) || p.next()) return false;
  p.release(at(3, 0b0011));
  if (p.next() || !(p.blocked() == lane_mask(0b0011))) return false;  // they wait for the others, who are not lost
  p.ended(lane_mask(0b1000));
  if (p.next()) return false;
  p.release(at(3, 0b0100));
  if (!step(p, at(3, 0b0111), {})) return false;
  return !p.next() && p.depth() == 0;
}
static_assert(multi_path_waits_for_the_parked());

// Both ways of a branch of the only static warp wait; its barrier is at 3.
constexpr bool warp_barrier_waits_for_the_parked() {
  policies::dynamic_warps_barrier p(std::span<const block_id>(diamond_ipdoms),
                                    policies::dynamic_warp_options{.lanes = {.width = 4}});
  p.start(at(0, 0b1111));
  if (!step(p, at(0, 0b1111), {at(1, 0b0011), at(2, 0b1100)})) return false;
  if (!park(p, at(1, 0b0011)) || !park(p, at(2, 0b1100)) || p.next()) return false;
  p.release(at(3, 0b0011));
  if (p.next() || !(p.blocked() == lane_mask(0b0011))) return false;
  p.ended(lane_mask(0b1100));
  return step(p, at(3, 0b0011), {}) && !p.next() && p.static_warps()[0].live.none();
}
static_assert(warp_barrier_waits_for_the_parked());

// One warp of a thread block goes on when it has come back; the other's threads are still away, then one of them ends.
constexpr bool compaction_waits_for_the_parked() {
  constexpr unsigned char uniform[] = {1, 1, 1};
  policies::thread_block_compaction p(
      std::span<const block_id>(chain_ipdoms),
      policies::compaction_options{.lanes = {.width = 2}, .uniform = std::span<const unsigned char>(uniform)});
  p.start(at(0, 0b1111));
  if (!park(p, at(0, 0b0011)) || !park(p, at(0, 0b1100)) || p.next() || p.warp_count() != 2) return false;
  p.release(at(1, 0b0011));
  if (!step(p, at(1, 0b0011), {at(2, 0b0011)})) return false;
  p.ended(lane_mask(0b1000));
  if (!step(p, at(2, 0b0011), {})) return false;
  if (p.next() || !(p.blocked() == lane_mask(0b0100))) return false;
  p.release(at(1, 0b0100));
  return step(p, at(1, 0b0100), {at(2, 0b0100)}) && step(p, at(2, 0b0100), {}) && !p.next() && p.depth() == 0;
}
static_assert(compaction_waits_for_the_parked());

// Sub-warps of one large warp: it goes on when none of them is away.
constexpr bool large_warp_waits_for_the_parked() {
  policies::large_warps p(std::span<const block_id>(chain_ipdoms), {.lanes = {.width = 2}, .warps = 2});
  p.start(at(0, 0b1111));
  if (!park(p, at(0, 0b0011)) || !park(p, at(0, 0b1100)) || p.next()) return false;
  p.release(at(1, 0b0011));
  if (p.next()) return false;
  p.ended(lane_mask(0b1000));
  if (p.next() || !(p.blocked() == lane_mask(0b0111))) return false;
  p.release(at(1, 0b0100));
  if (!step(p, at(1, 0b0011), {at(2, 0b0011)})) return false;
  return step(p, at(1, 0b0100), {at(2, 0b0100)}) && step(p, at(2, 0b0011), {}) && step(p, at(2, 0b0100), {}) &&
         !p.next() && p.blocked().none();
}
static_assert(large_warp_waits_for_the_parked());

// All that were parked end, and lanes that waited for them go on.
constexpr bool everybody_parked_ends() {
  policies::multi_path p{std::span<const block_id>(diamond_ipdoms)};
  p.start(at(0, 0b1111));
  if (!step(p, at(0, 0b1111), {at(1, 0b0011), at(2, 0b1100)})) return false;
  if (!park(p, at(1, 0b0011)) || !step(p, at(2, 0b1100), {at(3, 0b1100)}) || p.next()) return false;
  p.ended(lane_mask(0b0011));
  if (!step(p, at(3, 0b1100), {})) return false;

  policies::large_warps w(std::span<const block_id>(chain_ipdoms), {.lanes = {.width = 2}, .warps = 2});
  w.start(at(0, 0b1111));
  if (!park(w, at(0, 0b0011)) || !step(w, at(0, 0b1100), {at(1, 0b1100)}) || w.next()) return false;
  w.ended(lane_mask(0b0011));
  if (!step(w, at(1, 0b1100), {})) return false;

  policies::thread_block_compaction c(std::span<const block_id>(chain_ipdoms),
                                      policies::compaction_options{.lanes = {.width = 2}});
  c.start(at(0, 0b1111));
  if (!park(c, at(0, 0b0011)) || !step(c, at(0, 0b1100), {at(1, 0b1100)}) || c.next()) return false;
  c.ended(lane_mask(0b0011));
  return step(c, at(1, 0b1100), {}) && !c.next();
}
static_assert(everybody_parked_ends());

}  // namespace

TEST_CASE("barrier_exits: policies that count on parked lanes are told of their end, the others need not be") {
  static_assert(policy_with_ended<policies::multi_path> && policy_with_ended<policies::aware> &&
                policy_with_ended<policies::convergence_barriers> && policy_with_ended<policies::warp_subdivision> &&
                policy_with_ended<policies::large_warps> && policy_with_ended<policies::thread_block_compaction> &&
                policy_with_ended<policies::dynamic_warps_barrier>);
  static_assert(!policy_with_ended<policies::thread_frontier> && !policy_with_ended<policies::min_pc> &&
                !policy_with_ended<policies::lane_serial> && !policy_with_ended<policies::mimd> &&
                !policy_with_ended<policies::no_reconvergence>);
  CHECK(multi_path_waits_for_the_parked());
  CHECK(warp_barrier_waits_for_the_parked());
  CHECK(compaction_waits_for_the_parked());
  CHECK(large_warp_waits_for_the_parked());
  CHECK(everybody_parked_ends());
}
