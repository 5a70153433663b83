// SPDX-License-Identifier: BSL-1.0
//
// The warps of a thread block and the blocks they run, where solo paths and bounds cannot tell: CAPRI's predictor
// against the lists of what came past each branch; likely convergence points of a thread block of one warp against the
// recursion over groups of lanes; and by hand, rules that decide only about order.
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/policies/dynamic_warps.hpp>
#include <simtflow/simt/policies/dynamic_warps_barrier.hpp>
#include <simtflow/simt/policies/thread_block_compaction.hpp>
#include <simtflow/testing/generate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

using namespace simtflow;

namespace {

constexpr fragment at(block_id b, std::uint64_t lanes) { return {b, lane_mask(lanes)}; }

// Lets what next() names run with these targets; false if it names something else.
template <class Policy>
bool step(Policy& p, const fragment& runs, std::vector<fragment> out) {
  const auto f = p.next();
  if (!f || !(*f == runs)) return false;
  p.advance(*f, std::span<const fragment>(out));
  return true;
}

std::string where(std::uint64_t seed, const csr_graph& g) { return "seed " + std::to_string(seed) + "\n" + to_dot(g); }
std::string text(const std::vector<fragment>& schedule) {
  std::string all;
  for (const fragment& f : schedule) all += "BB" + std::to_string(f.block) + " " + describe(f.lanes) + "\n";
  return all;
}

// As many warps as the fullest home lane has threads.
std::uint32_t packed_warps(const lane_mask& threads, std::uint32_t width) {
  std::map<std::uint32_t, std::uint32_t> used;
  std::uint32_t most = 0;
  threads.for_each([&](std::uint32_t t) { most = std::max(most, ++used[t % width]); });
  return most;
}

// The prediction that must come from the run so far: warps that follow their entry come past a branch; when all threads
// of the entry have, and one of its warps has diverged there, the bit says whether packing would have saved a warp.
class predictor {
 public:
  predictor(std::span<const block_id> ipdom, std::span<const unsigned char> uniform, std::uint32_t width)
      : ipdom_(ipdom), uniform_(uniform), width_(width), bit_(ipdom.size(), 1), past_(ipdom.size()) {}

  void new_entry(std::span<const lane_mask> warps) {
    for (auto& list : past_) list.clear();
    warps_.assign(warps.begin(), warps.end());
    alone_until_.assign(warps.size(), following);
  }
  // A warp has run; gives whether it waits for the others now.
  bool runs(const fragment& f, std::span<const fragment> out, const lane_mask& entry) {
    std::size_t w = 0;
    while ((warps_[w] & f.lanes).none()) ++w;
    if (alone_until_[w] == f.block) alone_until_[w] = following;
    if (uniform_[f.block] != 0 || alone_until_[w] != following) return false;
    const bool waits = bit_[f.block] != 0;
    if (!waits) alone_until_[w] = ipdom_[f.block];  // takes its paths by itself up to there
    auto& list = past_[f.block];
    for (const execution& e : list)
      if ((e.lanes & f.lanes).any()) {  // lapped
        list.clear();
        ++laps;
        break;
      }
    list.push_back({f.lanes, {out.begin(), out.end()}});
    lane_mask all;
    bool diverged = false;
    std::uint32_t stay = 0;
    std::map<block_id, lane_mask> targets;
    for (const execution& e : list) {
      all |= e.lanes;
      diverged = diverged || e.out.size() > 1;
      stay += static_cast<std::uint32_t>(e.out.size());
      for (const fragment& o : e.out) targets[o.block] |= o.lanes;
    }
    if (!(all == entry)) return waits;
    list.clear();
    if (!diverged) return waits;
    std::uint32_t packed = 0;
    for (const auto& [b, threads] : targets) packed += packed_warps(threads, width_);
    changes += (bit_[f.block] != 0) != (packed < stay) ? 1 : 0;
    bit_[f.block] = packed < stay ? 1 : 0;
    return waits;
  }
  [[nodiscard]] const std::vector<unsigned char>& bits() const { return bit_; }

  int changes = 0, laps = 0;

 private:
  static constexpr block_id following = no_block - 1;
  struct execution {
    lane_mask lanes;
    std::vector<fragment> out;
  };
  std::span<const block_id> ipdom_;
  std::span<const unsigned char> uniform_;
  std::uint32_t width_;
  std::vector<unsigned char> bit_;
  std::vector<std::vector<execution>> past_;  // by branch: of the entry that runs
  std::vector<lane_mask> warps_;              // of the entry
  std::vector<block_id> alone_until_;
};

// One warp under a stack with likely convergence points, as a recursion over groups of lanes: no stack, no entries.
struct groups {
  std::span<const block_id> ipdom, likely_points;
  testing::walking_threads walk;
  std::vector<fragment> schedule{};
  bool met = false;  // some lanes at a likely point

  // The lanes' way from a block to where they stop; gives those that come there. Lanes that come to the likely point
  // before are added to at_likely.
  lane_mask go(block_id b, lane_mask lanes, block_id stop, block_id likely, lane_mask& at_likely) {
    lane_mask stopped;
    while (lanes.any() && b != stop) {
      if (b == likely) {
        at_likely |= lanes;
        return stopped;
      }
      schedule.push_back({b, lanes});
      partition out;
      lanes.for_each([&](std::uint32_t l) { out.go(walk(l, b), lane_mask::lane(l)); });
      const std::vector<fragment> ways(out.fragments().begin(), out.fragments().end());
      if (ways.empty()) return stopped;
      if (ways.size() == 1) {
        b = ways[0].block;
        lanes = ways[0].lanes;
        continue;
      }
      const block_id meet = ipdom[b];
      const block_id own = likely_points[b] == meet ? no_block : likely_points[b];
      const bool same_stop = meet == stop, inherits = same_stop && (own == no_block || own == likely);
      lane_mask here, come, nobody;
      for (const fragment& w : ways) {
        if (w.block == stop)
          stopped |= w.lanes;
        else if (w.block == likely)
          at_likely |= w.lanes;
        else
          come |= go(w.block, w.lanes, meet, inherits ? likely : own, inherits ? at_likely : here);
      }
      if (here.any()) {
        met = true;
        come |= go(own, here, meet, same_stop ? likely : no_block, same_stop ? at_likely : nobody);
      }
      b = meet;
      lanes = come;
    }
    return lanes | stopped;
  }
};

}  // namespace

TEST_CASE("block_scope_schedules: CAPRI's bits, random programs with loops, breaks and exits at the end only") {
  int changes = 0, laps = 0, steps = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    testing::rng random(seed);
    csr_graph g;
    const bool endless = random.chance(15);
    if (endless) {  // a loop without exit, in which warps iteration each other
      g = csr_builder(5)
              .add_edge(0, 1)
              .add_edge(0, 2)
              .add_edge(1, 3)
              .add_edge(2, 4)
              .add_edge(4, 3)
              .add_edge(3, 0)
              .build();
    } else if (random.chance(50)) {
      g = testing::random_structured_program(random,
                                             {.statements = random.between(2, 8), .break_continue = random.chance(50)})
              .graph;
    } else {
      testing::cfg_options options;
      options.blocks = random.between(3, 9);
      options.reducible = random.chance(50);
      options.terminating = true;
      g = testing::random_cfg(random, options);
    }
    std::vector<unsigned char> uniform(g.num_blocks(), 0);
    for (block_id b = 0; b < g.num_blocks(); ++b) uniform[b] = g.successors(b).size() == 1 ? 1 : 0;
    const auto pdom = post_dominators(g);
    std::vector<block_id> ipdom(pdom.ipdoms().begin(), pdom.ipdoms().end());
    if (endless) ipdom = {3, 3, 4, 0, 3};
    const auto width = static_cast<std::uint32_t>(random.between(2, 5));
    const auto threads = static_cast<std::uint32_t>(random.between(width, 6 * width));
    const testing::random_walks walks(g, {.seed = seed});
    testing::walking_threads walk(walks, threads);
    policies::thread_block_compaction policy(
        std::span<const block_id>(ipdom),
        policies::compaction_options{.lanes = {.width = width},
                                     .mode = policies::compaction::predicted,
                                     .uniform = std::span<const unsigned char>(uniform)});
    predictor model(ipdom, uniform, width);
    INFO(where(seed, g));
    policy.start({g.entry(), lane_mask::first_lanes(threads)});
    model.new_entry(policy.packed());
    for (int i = 0; i < 1000; ++i, ++steps) {
      const bool over = policy.warp_count() == 0;
      const auto f = policy.next();
      if (!f) break;
      if (over) model.new_entry(policy.packed());
      partition out;
      f->lanes.for_each([&](std::uint32_t t) { out.go(walk(t, f->block), lane_mask::lane(t)); });
      const lane_mask entry = policy.entries().back().threads;
      const std::size_t running = policy.warp_count();
      policy.advance(*f, out.fragments());
      if (out.fragments().empty()) break;  // from here on the entry's threads change
      if (model.runs(*f, out.fragments(), entry)) REQUIRE(policy.warp_count() == running - 1);
      for (block_id b = 0; b < g.num_blocks(); ++b) REQUIRE(policy.compacts(b) == (model.bits()[b] != 0));
    }
    changes += model.changes;
    laps += model.laps;
  }
  CHECK(steps > 5000);
  CHECK(changes > 200);
  CHECK(laps > 20);
}

TEST_CASE("block_scope_schedules: likely points in a thread block of one warp, against the recursion over groups") {
  std::size_t met = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    testing::rng random(seed);
    testing::cfg_options options;
    options.blocks = random.between(1, 12);
    options.max_successors = random.between(1, 4);
    options.exits = random.between(1, 3);
    options.reducible = random.chance(50);
    options.terminating = true;
    options.exit_mark_percent = random.chance(30) ? 20 : 0;
    const csr_graph g = testing::random_cfg(random, options);
    const auto threads = static_cast<std::uint32_t>(random.between(1, 24));
    std::vector<block_id> likely(g.num_blocks(), no_block);
    for (block_id& b : likely)
      if (random.chance(60)) b = static_cast<block_id>(random.below(g.num_blocks()));
    const auto pdom = post_dominators(g);
    const testing::random_walks walks(g, {.seed = seed});
    INFO(where(seed, g));
    const policies::thread_block_compaction policy(
        pdom.ipdoms(),
        policies::compaction_options{.lanes = {.width = threads}, .likely = std::span<const block_id>(likely)});
    std::vector<fragment> schedule;
    const verdict v =
        run(policy, testing::walking_threads(walks, threads),
            {.threads = threads, .warp_width = threads, .entry = g.entry()}, [&](const event::issued<lane_mask>& e) {
              schedule.push_back({e.block, e.lanes});
            });
    REQUIRE_MESSAGE(v.finished(), describe(v));
    groups oracle{pdom.ipdoms(), likely, testing::walking_threads(walks, threads)};
    lane_mask nobody{};
    oracle.go(g.entry(), lane_mask::first_lanes(threads), no_block, no_block, nobody);
    REQUIRE_MESSAGE(schedule == oracle.schedule, text(schedule) << "expected\n" << text(oracle.schedule));
    met += oracle.met ? 1U : 0U;
  }
  CHECK(met > 150);
}

TEST_CASE("block_scope_schedules: warps that wait at different branches meet where their entry ends, by hand") {
  // 0 -> {1, 2}, said to be uniform; 1 -> {3, 4} -> 5 -> 8; 2 -> {6, 7} -> 8. Warp 0 goes to 1, warp 1 to 2.
  const block_id ipdom[] = {8, 5, 8, 5, 5, 8, 8, 8, no_block};
  const unsigned char uniform[] = {1, 0, 0, 0, 0, 0, 0, 0, 0};
  policies::thread_block_compaction p(ipdom, policies::compaction_options{.lanes = {.width = 2}, .uniform = uniform});
  p.start(at(0, 0b1111));
  CHECK(step(p, at(0, 0b0011), {at(1, 0b0011)}));
  CHECK(step(p, at(0, 0b1100), {at(2, 0b1100)}));
  CHECK(step(p, at(1, 0b0011), {at(3, 0b0001), at(4, 0b0010)}));
  CHECK(step(p, at(2, 0b1100), {at(6, 0b0100), at(7, 0b1000)}));
  for (const auto& e : p.entries()) CHECK(e.reconvergence == no_block);
  CHECK(step(p, at(3, 0b0001), {at(5, 0b0001)}));
  CHECK(step(p, at(5, 0b0001), {at(8, 0b0001)}));  // the other way to 5 is not waited for
  CHECK(step(p, at(8, 0b0001), {}));
  CHECK(step(p, at(4, 0b0010), {at(5, 0b0010)}));
  CHECK(step(p, at(5, 0b0010), {at(8, 0b0010)}));
  CHECK(step(p, at(8, 0b0010), {}));
  CHECK(step(p, at(6, 0b0100), {at(8, 0b0100)}));
}

TEST_CASE("block_scope_schedules: one entry for a likely point, however many branches name it, by hand") {
  // Figure 10 of Thread Block Compaction: 0 -> {1, 2}; 1 -> 4; 2 -> {3, 4}; 3 -> 5; 4 -> 5 here; 4 is likely.
  const block_id ipdom[] = {5, 4, 5, 5, 5, no_block};
  const block_id likely[] = {4, no_block, 4, no_block, no_block, no_block};
  const unsigned char uniform[] = {0, 1, 0, 1, 1, 0};
  policies::thread_block_compaction p(
      ipdom, policies::compaction_options{.lanes = {.width = 2}, .uniform = uniform, .likely = likely});
  p.start(at(0, 0b1111));
  CHECK(step(p, at(0, 0b0011), {at(2, 0b0011)}));
  CHECK(step(p, at(0, 0b1100), {at(1, 0b0100), at(2, 0b1000)}));
  CHECK(p.next() == at(2, 0b0011));
  CHECK(p.depth() == 4);  // those that wait at 5 and at 4, and the paths at 1 and at 2
  CHECK(step(p, at(2, 0b0011), {at(3, 0b0001), at(4, 0b0010)}));
  CHECK(step(p, at(2, 0b1000), {at(4, 0b1000)}));
  CHECK(p.next() == at(3, 0b0001));
  CHECK(p.depth() == 4);  // the path at 3 for the one at 2; those that stand at 4 wait there already
  CHECK(p.entries()[1].threads == lane_mask(0b1010));
  CHECK(step(p, at(3, 0b0001), {at(5, 0b0001)}));
  CHECK(step(p, at(1, 0b0100), {at(4, 0b0100)}));
  CHECK(step(p, at(4, 0b0110), {at(5, 0b0110)}));

  p.start(at(0, 0b11));
  CHECK(step(p, at(0, 0b11), {at(1, 0b01), at(4, 0b10)}));
  CHECK(p.next() == at(1, 0b01));
  CHECK(p.depth() == 3);  // no entry for the path that stands at 4 already
  CHECK(p.entries()[1].threads == lane_mask(0b10));
}

TEST_CASE("block_scope_schedules: CAPRI forgets an entry's part of a pass when another entry comes, by hand") {
  // 0 -> {1, 2}, said to be uniform; 1 -> {3, 4}; 2 -> 1. Warp 0 comes past 1 with warp 1 still at 2, which comes past
  // it with an entry of its own: packing that would have saved nothing, had it not been for warp 0.
  const block_id ipdom[] = {no_block, no_block, no_block, no_block, no_block};
  const unsigned char uniform[] = {1, 0, 0, 0, 0};
  policies::thread_block_compaction p(
      ipdom,
      policies::compaction_options{.lanes = {.width = 2}, .mode = policies::compaction::predicted, .uniform = uniform});
  p.start(at(0, 0b1111));
  CHECK(step(p, at(0, 0b0011), {at(1, 0b0011)}));
  CHECK(step(p, at(0, 0b1100), {at(2, 0b1100)}));
  CHECK(step(p, at(1, 0b0011), {at(3, 0b0001), at(4, 0b0010)}));
  CHECK(step(p, at(2, 0b1100), {at(1, 0b1100)}));
  CHECK(step(p, at(3, 0b0001), {}));
  CHECK(step(p, at(4, 0b0010), {}));
  CHECK(p.compacts(1));
  CHECK(step(p, at(1, 0b1100), {at(3, 0b1000), at(4, 0b0100)}));
  CHECK_FALSE(p.compacts(1));
}

TEST_CASE("block_scope_schedules: keys of permuted lanes, by hand") {
  // Warps 0, 1, 2, 3 have the keys 0, ~0, 1, ~1.
  const home_lanes four{.width = 4, .rule = lane_rule::permuted};
  const std::uint32_t expected[] = {0, 1, 2, 3, 3, 2, 1, 0, 1, 0, 3, 2, 2, 3, 0, 1};
  for (std::uint32_t t = 0; t < 16; ++t) CHECK(four.lane(t) == expected[t]);
  // No power of two: a lane that would fall outside stays.
  const home_lanes three{.width = 3, .rule = lane_rule::permuted};
  const std::uint32_t odd[] = {0, 1, 2, 0, 2, 1, 1, 0, 2};  // warp 1: 3, 2, 1; warp 2: 1, 0, 3
  for (std::uint32_t t = 0; t < 9; ++t) CHECK(three.lane(t) == odd[t]);
}

TEST_CASE("block_scope_schedules: reconvergence points passed, by hand") {
  const unsigned char points[] = {0, 1, 0};
  using pool = policies::dynamic_warps;
  constexpr auto by_points = policies::warp_scheduler::post_dominators;
  pool p(policies::dynamic_warp_options{.lanes = {.width = 1}, .reconvergence = points, .scheduler = by_points});
  // A thread that comes from a barrier to such a point has passed it, and is after one that has not.
  p.start(at(0, 0b11));
  const auto first = p.next();
  REQUIRE(first == at(0, 0b01));
  p.park(*first);
  p.release(at(1, 0b01));
  CHECK(step(p, at(1, 0b01), {at(2, 0b01)}));
  CHECK(step(p, at(0, 0b10), {at(2, 0b10)}));
  CHECK(p.next() == at(2, 0b10));

  // Equal: the same, and one more point passed by all who are live. Points passed by ended threads do not matter.
  pool q(policies::dynamic_warp_options{.lanes = {.width = 2}, .reconvergence = points, .scheduler = by_points});
  q.start(at(0, 0b11));
  CHECK(step(q, at(0, 0b11), {at(1, 0b01)}));
  const pool once = q;
  CHECK(step(q, at(1, 0b01), {at(1, 0b01)}));
  CHECK(q == once);
  CHECK(step(q, at(1, 0b01), {at(2, 0b01)}));
  CHECK_FALSE(q == once);

  // A static warp that re-forms after its barrier has passed that point as well.
  const block_id ipdom[] = {3, 3, 3, no_block};
  const unsigned char meets[] = {0, 0, 0, 1};
  policies::dynamic_warps_barrier w(ipdom, {.lanes = {.width = 4}, .reconvergence = meets, .scheduler = by_points});
  w.start(at(0, 0b1111));
  CHECK(step(w, at(0, 0b1111), {at(1, 0b0101), at(2, 0b1010)}));
  CHECK(step(w, at(1, 0b0101), {at(3, 0b0101)}));
  CHECK(step(w, at(2, 0b1010), {at(3, 0b1010)}));
  REQUIRE(w.pool().pool().size() == 1);
  CHECK(w.pool().pool()[0].passed == 1);
}

TEST_CASE("block_scope_schedules: a warp barrier stays where it is when the warp meets and parts inside, by hand") {
  // 0 -> {1, 2} -> 3 -> {4, 5} -> 6 -> 7. The table lets 0 meet at 7 only.
  const block_id ipdom[] = {7, 3, 3, 6, 6, 6, 7, no_block};
  policies::dynamic_warps_barrier p(
      ipdom, policies::dynamic_warp_options{.lanes = {.width = 2}, .scheduler = policies::warp_scheduler::time});
  p.start(at(0, 0b11));
  CHECK(step(p, at(0, 0b11), {at(1, 0b01), at(2, 0b10)}));
  CHECK(p.static_warps()[0].armed == 7);
  CHECK(step(p, at(1, 0b01), {at(3, 0b01)}));
  CHECK(step(p, at(2, 0b10), {at(3, 0b10)}));
  CHECK(step(p, at(3, 0b11), {at(4, 0b01), at(5, 0b10)}));
  CHECK(p.static_warps()[0].armed == 7);
  CHECK(step(p, at(4, 0b01), {at(6, 0b01)}));
  CHECK(step(p, at(5, 0b10), {at(7, 0b10)}));
  CHECK(p.blocked() == lane_mask(0b10));
  CHECK(step(p, at(6, 0b01), {at(7, 0b01)}));
  CHECK(step(p, at(7, 0b11), {}));
  CHECK(!p.next());
}
