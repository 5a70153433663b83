// SPDX-License-Identifier: BSL-1.0
//
// Dynamic warp formation, without and with warp barriers. Oracles: solo paths; a pool of slots written down as the
// papers tell it, compared warp by warp; for warp barriers, the rule read off the finished schedule.
#include "simt/block_runs.hpp"
#include <simtflow/analysis/control_dependence.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/simt/policies/dynamic_warps.hpp>
#include <simtflow/simt/policies/dynamic_warps_barrier.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>

#include <list>
#include <tuple>
#include <utility>

using namespace simtflow;
using namespace block_runs;

namespace {

static_assert(parking_policy<policies::dynamic_warps> && policy_with_depth<policies::dynamic_warps>);
static_assert(parking_policy<policies::dynamic_warps_barrier> && policy_with_depth<policies::dynamic_warps_barrier>);
static_assert(policies::dynamic_warps({.scheduler = policies::warp_scheduler::time}).abilities().progress ==
              progress_class::fair);
static_assert(policies::dynamic_warps(policies::dynamic_warp_options{}).abilities().progress ==
              progress_class::lockstep_safe);
static_assert(policies::dynamic_warps::scope == policy_scope::block);

template <class F>
void for_each_scheduler(F&& f) {
  f(policies::warp_scheduler::majority);
  f(policies::warp_scheduler::minority);
  f(policies::warp_scheduler::time);
  f(policies::warp_scheduler::pc);
  f(policies::warp_scheduler::post_dominators);
}

// Reconvergence points of branches.
std::vector<unsigned char> meets(const csr_graph& g) {
  std::vector<unsigned char> flags(g.num_blocks(), 0);
  const auto pdom = post_dominators(g);
  for (block_id b = 0; b < g.num_blocks(); ++b)
    if (g.successors(b).size() > 1 && pdom.ipdoms()[b] != no_block) flags[pdom.ipdoms()[b]] = 1;
  return flags;
}

// Checks that each thread that runs is in one warp of the pool, in its home lane (20).
template <class Mask>
class watched : public policies::basic_dynamic_warps<Mask> {
 public:
  using base = policies::basic_dynamic_warps<Mask>;
  using base::base;
  void start(const basic_fragment<Mask>& f) {
    base::start(f);
    ready_ = f.lanes;
    conflicts = fragmentations = 0;
    broken.clear();
  }
  std::optional<basic_fragment<Mask>> next() {
    Mask seen;
    std::set<block_id> open;
    for (const auto& w : base::pool()) {
      if ((seen & w.threads).any()) broken = "a thread is in two warps";
      if (w.threads.none()) broken = "an empty warp";
      if (w.lanes.count() != w.threads.count()) broken = "two threads of a warp have one lane";
      if (w.threads.count() > base::packer().width()) broken = "a warp is too wide";
      seen |= w.threads;
    }
    const bool full = base::pool().size() == room;
    if (room != 0 && base::pool().size() > room) broken = "more warps than the pool holds";
    if (!(seen == ready_) && !(full && seen.is_subset_of(ready_)))
      broken = "the pool does not hold the threads that run";
    conflicts = base::merge_conflicts();
    fragmentations = base::fragmentations();
    stalls = base::pool_stalls();
    evictions = base::table_evictions();
    const auto f = base::next();
    if (f) ready_ -= f->lanes;
    return f;
  }
  void advance(const basic_fragment<Mask>& f, std::span<const basic_fragment<Mask>> out) {
    for (const auto& o : out) ready_ |= o.lanes;
    base::advance(f, out);
  }
  void release(const basic_fragment<Mask>& f) {
    ready_ |= f.lanes;
    base::release(f);
  }
  inline static std::string broken;
  inline static std::uint64_t conflicts = 0, fragmentations = 0, stalls = 0, evictions = 0;
  inline static std::uint32_t room = 0;  // of the pool; 0: no limit

 private:
  Mask ready_{};
};

// The mechanism as told: lists, slots and a table, no masks.
class told {
 public:
  struct warp {
    block_id pc;
    std::vector<int> slot;  // thread or -1
    int number;
    int size() const {
      int n = 0;
      for (const int t : slot) n += t >= 0 ? 1 : 0;
      return n;
    }
  };

  told(policies::warp_scheduler scheduler, const home_lanes& lanes, std::span<const unsigned char> meets,
       std::uint32_t room = 0, std::uint32_t entries = 0)
      : scheduler_(scheduler), lanes_(lanes), meets_(meets), room_(room), entries_(entries) {}

  std::vector<fragment> run(testing::walking_threads step, std::uint32_t n, block_id entry) {
    for (std::uint32_t t = 0; t < n;) {
      arrival a{entry, {}, true};
      do a.threads.push_back(t++);
      while (t < n && t % lanes_.width != 0);
      come(a);
    }
    std::vector<fragment> schedule;
    while (!pool_.empty()) {
      const auto at = choose();
      const warp w = *at;
      if (accepts_.count(w.pc) && accepts_[w.pc] == w.number) {
        accepts_.erase(w.pc);
        used_.remove(w.pc);
      }
      pool_.erase(at);
      while (!waiting_.empty() && place(waiting_.front())) waiting_.pop_front();
      lane_mask m;
      for (const int t : w.slot)
        if (t >= 0) m.set(static_cast<std::uint32_t>(t));
      schedule.push_back({w.pc, m});
      std::vector<std::pair<block_id, std::vector<std::uint32_t>>> targets;
      m.for_each([&](std::uint32_t t) {
        const block_id to = step(t, w.pc);
        if (to == no_block) return;
        for (auto& [b, list] : targets)
          if (b == to) {
            list.push_back(t);
            return;
          }
        targets.push_back({to, {t}});
      });
      for (const auto& [to, list] : targets) {
        if (to < meets_.size() && meets_[to])
          for (const std::uint32_t t : list) ++passed_[t];
        come({to, list, false});
      }
    }
    return schedule;
  }
  std::uint64_t conflicts = 0, fragmentations = 0, stalls = 0, evictions = 0;

 private:
  // Threads that come to a block; as a warp of their own, or to the warp that accepts threads there.
  struct arrival {
    block_id to;
    std::vector<std::uint32_t> threads;
    bool apart;
    bool counted = false;
  };

  warp fresh(block_id pc) { return {pc, std::vector<int>(lanes_.width, -1), number_++}; }
  bool put(warp& w, std::uint32_t t) {
    std::size_t lane = lanes_.lane(t);
    if (lanes_.rule == lane_rule::free)
      for (lane = 0; lane < w.slot.size() && w.slot[lane] >= 0;) ++lane;
    if (lane == w.slot.size() || w.slot[lane] >= 0) return false;
    w.slot[lane] = static_cast<int>(t);
    return true;
  }
  void come(arrival a) {
    if (waiting_.empty() && place(a)) return;
    ++stalls;
    waiting_.push_back(a);
  }
  bool place(arrival& a) {
    std::vector<std::uint32_t> rest = a.threads;
    if (!a.apart && accepts_.count(a.to)) {
      used_.remove(a.to);
      used_.push_back(a.to);
      for (warp& w : pool_)
        if (w.number == accepts_[a.to]) {
          const int room = static_cast<int>(lanes_.width) - w.size();
          rest.clear();
          for (const std::uint32_t t : a.threads)
            if (!put(w, t)) rest.push_back(t);
          if (!a.counted && !rest.empty() && room > 0) ++conflicts;
          if (!a.counted && !rest.empty() && room >= static_cast<int>(a.threads.size())) ++fragmentations;
        }
    }
    a.counted = true;
    a.threads = rest;
    if (rest.empty()) return true;
    if (room_ != 0 && pool_.size() == room_) return false;
    pool_.push_back(fresh(a.to));
    for (const std::uint32_t t : rest) put(pool_.back(), t);
    if (a.apart) return true;
    if (!accepts_.count(a.to) && entries_ != 0 && accepts_.size() == entries_) {
      ++evictions;
      accepts_.erase(used_.front());
      used_.pop_front();
    }
    accepts_[a.to] = pool_.back().number;
    used_.remove(a.to);
    used_.push_back(a.to);
    return true;
  }
  std::list<warp>::iterator choose() {
    std::map<block_id, int> warps;
    for (const warp& w : pool_) ++warps[w.pc];
    if (scheduler_ == policies::warp_scheduler::majority && !warps.count(current_)) {
      current_ = warps.begin()->first;
      for (const auto& [b, k] : warps)
        if (k > warps[current_]) current_ = b;
    }
    if (scheduler_ == policies::warp_scheduler::minority) {
      current_ = warps.begin()->first;
      for (const auto& [b, k] : warps)
        if (k < warps[current_]) current_ = b;
    }
    if (scheduler_ == policies::warp_scheduler::pc) current_ = warps.begin()->first;
    auto best = pool_.end();
    std::tuple<int, int> least;
    for (auto w = pool_.begin(); w != pool_.end(); ++w) {  // in the order in which they were formed
      if (scheduler_ == policies::warp_scheduler::time) return w;
      if (scheduler_ != policies::warp_scheduler::post_dominators) {
        if (w->pc == current_) return w;
        continue;
      }
      int most = 0;
      for (const int t : w->slot)
        if (t >= 0) most = std::max(most, passed_[static_cast<std::uint32_t>(t)]);
      const std::tuple<int, int> key{most, -w->size()};
      if (best == pool_.end() || key < least) {
        best = w;
        least = key;
      }
    }
    return best;
  }

  policies::warp_scheduler scheduler_;
  home_lanes lanes_;
  std::span<const unsigned char> meets_;
  std::list<warp> pool_;
  std::size_t room_, entries_;
  std::list<arrival> waiting_;
  std::list<block_id> used_;  // entries of the table, the one used least recently first
  std::map<block_id, int> accepts_;
  std::map<std::uint32_t, int> passed_;
  int number_ = 0;
  block_id current_ = no_block;
};

// Reads warp barriers off a schedule. `how` is where each thread went after each of its steps: its path says so.
template <class Record>
std::string check_barriers(const Record& r, std::uint32_t threads, std::uint32_t width,
                           std::span<const block_id> ipdom) {
  struct state {
    block_id armed = no_block;
    bool loose = false;
  };
  std::vector<state> warps((threads + width - 1) / width);
  std::vector<std::size_t> at(threads, 0);  // blocks run
  for (std::size_t i = 0; i < r.schedule.size(); ++i) {
    const auto& f = r.schedule[i];
    for (std::uint32_t w = 0; w < warps.size(); ++w) {
      std::set<std::uint32_t> live, here;
      std::set<block_id> to;
      for (std::uint32_t t = w * width; t < threads && t < (w + 1) * width; ++t) {
        if (r.live[i].test(t)) live.insert(t);
        if (f.lanes.test(t)) here.insert(t);
      }
      if (here.empty()) continue;
      for (const std::uint32_t t : here)
        if (at[t] + 1 < r.paths[t].size()) to.insert(r.paths[t][at[t] + 1]);
      state& me = warps[w];
      if (me.armed == f.block) {
        if (here != live) return "part of static warp " + std::to_string(w) + " passed its barrier";
        me.armed = no_block;
      }
      if (me.armed == no_block && !me.loose) {
        if (here != live) return "static warp " + std::to_string(w) + " runs in parts without having diverged";
        if (here.size() != f.lanes.count()) return "static warp " + std::to_string(w) + " has company";
      }
      if (me.armed == no_block && here == live) {
        if (to.size() > 1) {
          me.armed = ipdom[f.block];
          me.loose = me.armed == no_block;
        } else {
          me.loose = false;
        }
      }
    }
    f.lanes.for_each([&](std::uint32_t t) { ++at[t]; });
  }
  return "";
}

constexpr unsigned char hammock_meets[] = {0, 0, 0, 1};

// A hammock of blocks A B C D in which threads 4 and 5 of two warps of four, counted from 1, go to C.
constexpr block_id eddy_step(std::uint32_t thread, block_id b) {
  if (b == 0) return thread + 1 == 4 || thread + 1 == 5 ? 2 : 1;
  return b == 3 ? no_block : 3;
}

}  // namespace

TEST_CASE("home_lanes: every rule is one to one within a warp, for any width") {
  for (std::uint32_t width = 1; width <= 70; ++width)
    for (const lane_rule rule : {lane_rule::identity, lane_rule::permuted, lane_rule::free}) {
      const home_lanes lanes{.width = width, .rule = rule};
      for (std::uint32_t warp = 0; warp < 9; ++warp) {
        std::set<std::uint32_t> used;
        for (std::uint32_t i = 0; i < width; ++i) {
          const std::uint32_t lane = lanes.lane(warp * width + i);
          CHECK(lane < width);
          used.insert(lane);
        }
        CHECK(used.size() == width);
      }
    }
  // Odd threads, and the first thread of each warp: one home lane or half of them; permuted, all.
  for (const std::uint32_t width : {2U, 4U, 8U, 32U}) {
    basic_mask<16> odd, firsts;
    for (std::uint32_t t = 1; t < 8 * width; t += 2) odd.set(t);
    for (std::uint32_t w = 0; w < width && w * width < 1024; ++w) firsts.set(w * width);
    warp_packer<basic_mask<16>> own({.width = width}), permuted({.width = width, .rule = lane_rule::permuted});
    CHECK(own.count(odd) == 8);
    CHECK(permuted.count(odd) == 4);
    CHECK(own.count(firsts) == width);
    CHECK(permuted.count(firsts) == 1);
  }
}

TEST_CASE("home_lanes: packing makes as few warps as the fullest lane has threads, keeping makes static warps") {
  using mask = basic_mask<4>;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    testing::rng random(seed);
    const home_lanes lanes = random_lanes(random, 300);
    mask some;
    const unsigned percent = static_cast<unsigned>(random.below(101));
    for (std::uint32_t t = 0; t < 256; ++t)
      if (random.chance(percent)) some.set(t);
    warp_packer<mask> packer(lanes);
    std::vector<mask> packed{mask::lane(7)}, kept;  // appends
    packer.pack(some, packed);
    packer.keep(some, kept);
    CHECK(packed[0] == mask::lane(7));
    mask sum;
    std::uint32_t n = 0;
    std::map<std::uint32_t, std::uint32_t> by_lane;
    some.for_each([&](std::uint32_t t) { n = std::max(n, ++by_lane[lanes.lane(t)]); });
    if (lanes.rule == lane_rule::free) n = (some.count() + lanes.width - 1) / lanes.width;
    CHECK(packed.size() == n + 1);
    CHECK(packer.count(some) == n);
    for (std::size_t i = 1; i < packed.size(); ++i) {
      CHECK((sum & packed[i]).none());
      CHECK(packed[i].count() <= lanes.width);
      mask taken;
      CHECK(packer.claim(packed[i], taken) == packed[i]);
      CHECK(taken.count() == packed[i].count());
      sum |= packed[i];
    }
    CHECK(sum == some);
    mask all;
    for (const mask& w : kept) {
      CHECK(w.any());
      w.for_each([&](std::uint32_t t) { CHECK(t / lanes.width == w.first() / lanes.width); });
      all |= w;
    }
    CHECK(all == some);
  }
}

TEST_CASE("dynamic_warps: random graphs, paths, lanes, pool, and the mechanism as told, warp by warp (1-4, 20)") {
  for_each_random_case(500, 40, [](const random_case& c, testing::rng&) {
    const std::uint32_t n = c.threads;
    const auto flags = meets(c.graph);
    for_each_scheduler([&](policies::warp_scheduler scheduler) {
      using policy = watched<lane_mask>;
      const auto r = run_block(policy({.lanes = c.lanes, .reconvergence = flags, .scheduler = scheduler}), c.walks, n,
                               c.lanes.width);
      check_block_run(r, c.walks, n, c.lanes);
      CHECK(policy::broken == "");
      told oracle(scheduler, c.lanes, flags);
      CHECK(text(r.schedule) == text(oracle.run(testing::walking_threads(c.walks, n), n, c.graph.entry())));
      CHECK(policy::conflicts == oracle.conflicts);
      CHECK(policy::fragmentations == oracle.fragmentations);
      if (c.lanes.rule == lane_rule::free) CHECK(policy::fragmentations == 0);
      if (c.lanes.width == 1) CHECK(r.count.fetches == all_visits(c.walks, n));  // 16
    });
  });
}

TEST_CASE("dynamic_warps: pools and tables of any size, and the mechanism as told, warp by warp") {
  std::uint64_t stalls = 0, evictions = 0;
  for_each_random_case(500, 40, [&](const random_case& c, testing::rng& random) {
    const std::uint32_t n = c.threads;
    const auto flags = meets(c.graph);
    for_each_scheduler([&](policies::warp_scheduler scheduler) {
      using policy = watched<lane_mask>;
      policies::dynamic_warp_options options{.lanes = c.lanes, .reconvergence = flags, .scheduler = scheduler};
      options.pool = static_cast<std::uint32_t>(random.below(6));
      options.table = static_cast<std::uint32_t>(random.below(4));
      policy::room = options.pool;
      CAPTURE(options.pool);
      CAPTURE(options.table);
      const auto r = run_block(policy(options), c.walks, n, c.lanes.width);
      policy::room = 0;
      check_block_run(r, c.walks, n, c.lanes);
      CHECK(policy::broken == "");
      told oracle(scheduler, c.lanes, flags, options.pool, options.table);
      CHECK(text(r.schedule) == text(oracle.run(testing::walking_threads(c.walks, n), n, c.graph.entry())));
      CHECK(policy::conflicts == oracle.conflicts);
      CHECK(policy::fragmentations == oracle.fragmentations);
      CHECK(policy::stalls == oracle.stalls);
      CHECK(policy::evictions == oracle.evictions);
      stalls += oracle.stalls;
      evictions += oracle.evictions;
      // As many entries as threads and as blocks are as good as no limit.
      options.pool = n;
      options.table = static_cast<std::uint32_t>(c.graph.num_blocks());
      const auto large = run_block(policy(options), c.walks, n, c.lanes.width);
      CHECK(policy::stalls == 0);
      CHECK(policy::evictions == 0);
      options.pool = options.table = 0;
      CHECK(text(large.schedule) == text(run_block(policy(options), c.walks, n, c.lanes.width).schedule));
    });
  });
  CHECK(stalls > 1000);
  CHECK(evictions > 1000);
}

TEST_CASE("dynamic_warps: a full pool makes threads wait, a full table closes warps, by hand") {
  policies::dynamic_warps one({.lanes = {.width = 4}, .scheduler = policies::warp_scheduler::time, .pool = 1});
  one.start({0, lane_mask(0xFF)});  // threads 4 to 7 wait
  CHECK(one.pool_stalls() == 1);
  const fragment a = *one.next();
  CHECK(a == fragment{0, lane_mask(0x0F)});
  CHECK(one.pool().size() == 1);  // they have taken the room
  const fragment out[] = {{1, lane_mask(0x03)}, {2, lane_mask(0x0C)}};
  one.advance(a, out);
  CHECK(one.pool_stalls() == 3);
  const fragment b = *one.next();
  CHECK(b == fragment{0, lane_mask(0xF0)});
  CHECK(one.pool().size() == 1);  // threads 0 and 1 at block 1; 2 and 3 wait
  const fragment to_1[] = {{1, lane_mask(0xF0)}};
  one.advance(b, to_1);  // 6 and 7 fit to 0 and 1, but 2 and 3 came before them
  CHECK(*one.next() == fragment{1, lane_mask(0x03)});
  CHECK(*one.next() == fragment{2, lane_mask(0x0C)});
  CHECK(*one.next() == fragment{1, lane_mask(0xF0)});
  CHECK_FALSE(one.next());
  CHECK(one.pool_stalls() == 4);

  policies::dynamic_warps two({.lanes = {.width = 4}, .scheduler = policies::warp_scheduler::time, .table = 2});
  two.start({0, lane_mask(0xFF)});
  const fragment c = *two.next(), d = *two.next();
  const fragment three[] = {{1, lane_mask(0x01)}, {2, lane_mask(0x02)}, {3, lane_mask(0x04)}};  // 3 closes 1
  two.advance(c, three);
  CHECK(two.table_evictions() == 1);
  const fragment back[] = {{2, lane_mask(0x10)}, {1, lane_mask(0x20)}};  // 4 joins 1; the new warp at 1 closes 3
  two.advance(d, back);
  CHECK(two.table_evictions() == 2);
  CHECK(*two.next() == fragment{1, lane_mask(0x01)});
  CHECK(*two.next() == fragment{2, lane_mask(0x12)});
  CHECK(*two.next() == fragment{3, lane_mask(0x04)});
  CHECK(*two.next() == fragment{1, lane_mask(0x20)});
}

TEST_CASE("dynamic_warps: every graph of up to four blocks in which threads can end") {
  warp_runs::for_each_small_case(9, [](std::uint64_t n, const csr_graph&, const auto& pdom, const auto& walks) {
    const home_lanes lanes{.width = static_cast<std::uint32_t>(1 + n % 3)};
    using policy = watched<lane_mask>;
    check_block_run(run_block(policy({.lanes = lanes}), walks, 5, lanes.width), walks, 5, lanes);
    REQUIRE(policy::broken == "");
    const auto r = run_block(policies::dynamic_warps_barrier(pdom.ipdoms(), {.lanes = lanes}), walks, 5, lanes.width);
    check_block_run(r, walks, 5, lanes);
    REQUIRE(check_barriers(r, 5, lanes.width, pdom.ipdoms()) == "");
  });
}

TEST_CASE("dynamic_warps: program counters other than block numbers") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    testing::rng random(seed);
    const csr_graph g = random_graph(random);
    INFO(text(seed, g));
    const testing::random_walks walks(g, {.seed = seed});
    const auto order = loop_contiguous_order(g);
    // One warp as wide as the thread block: the lowest program counter first is the thread frontier order.
    const auto r =
        run_block(policies::dynamic_warps(
                      {.lanes = {.width = 16}, .pc = order.ranks(), .scheduler = policies::warp_scheduler::pc}),
                  walks, 16, 16);
    for (std::size_t i = 0; i + 1 < r.schedule.size(); ++i) {
      std::set<block_id> waiting;  // where threads that do not run stand
      std::vector<std::size_t> at(16, 0);
      for (std::size_t j = 0; j < i; ++j) r.schedule[j].lanes.for_each([&](std::uint32_t t) { ++at[t]; });
      for (std::uint32_t t = 0; t < 16; ++t)
        if (at[t] < r.paths[t].size() && !r.schedule[i].lanes.test(t)) waiting.insert(r.paths[t][at[t]]);
      for (const block_id b : waiting) CHECK(order.ranks()[b] > order.ranks()[r.schedule[i].block]);
    }
  }
}

TEST_CASE("dynamic_warps: a starvation eddy, as in figure 1 of Thread Block Compaction") {
  // The figure's own masks are in its drawing only; these threads fall back in the way its caption tells.
  const home_lanes lanes{.width = 4};
  counts stack;
  run(policies::ipdom_stack(hammock_ipdom), eddy_step, {.threads = 8, .warp_width = 4}, stack);
  CHECK(stack.fetches == 8);
  const auto ahead = run_block(
      policies::dynamic_warps({.lanes = lanes, .scheduler = policies::warp_scheduler::majority}), eddy_step, 8, 4, 0);
  CHECK(text(ahead.schedule) ==
        text(std::vector<fragment>{{0, threads({1, 2, 3, 4})},
                                   {0, threads({5, 6, 7, 8})},
                                   {1, threads({1, 2, 3, 8})},  // 6 and 7 find their lanes taken
                                   {1, threads({6, 7})},
                                   {3, threads({1, 2, 3, 8})},
                                   {3, threads({6, 7})},
                                   {2, threads({4, 5})},  // too late
                                   {3, threads({4, 5})}}));
  const auto together = run_block(
      policies::dynamic_warps(
          {.lanes = lanes, .reconvergence = hammock_meets, .scheduler = policies::warp_scheduler::post_dominators}),
      eddy_step, 8, 4, 0);
  CHECK(together.count.fetches == 7);
  CHECK(text(std::vector<fragment>{together.schedule.back()}) ==
        text(std::vector<fragment>{{3, threads({4, 5, 6, 7})}}));
  const auto bound = run_block(policies::dynamic_warps_barrier(hammock_ipdom, {.lanes = lanes}), eddy_step, 8, 4, 0);
  CHECK(bound.count.fetches == 7);  // both static warps are whole again at D
  CHECK(text(std::vector<fragment>(bound.schedule.end() - 2, bound.schedule.end())) ==
        text(std::vector<fragment>{{3, threads({1, 2, 3, 4})}, {3, threads({5, 6, 7, 8})}}));
}

TEST_CASE("dynamic_warps: the eddy in a constant expression") {
  static_assert(fetches_of_two_warps(policies::dynamic_warps({.lanes = {.width = 4}}), eddy_step) == 8);
  static_assert(
      fetches_of_two_warps(policies::dynamic_warps_barrier(hammock_ipdom, {.lanes = {.width = 4}}), eddy_step) == 7);
  CHECK(fetches_of_two_warps(policies::dynamic_warps({.lanes = {.width = 4}}), eddy_step) == 8);
}

TEST_CASE("dynamic_warps: conflicts and fragmentation, counted by hand") {
  // Threads 0 .. 3 are warp 0. All threads meet at block 3, by way of 1 or 2.
  policies::dynamic_warps dwf({.lanes = {.width = 4}, .scheduler = policies::warp_scheduler::time});
  dwf.start({0, lane_mask(0xFF)});
  const auto a = *dwf.next();
  CHECK(a == fragment{0, lane_mask(0x0F)});
  const fragment first[] = {{1, lane_mask(0x03)}, {2, lane_mask(0x0C)}};
  dwf.advance(a, first);
  const auto b = *dwf.next();
  const fragment second[] = {{1, lane_mask(0x10)}, {2, lane_mask(0xE0)}};
  dwf.advance(b, second);
  // 4 has the lane of 0: two threads wait, one comes, all would fit. 6 and 7 have the lanes of 2 and 3, 5 fits: two
  // wait, three come.
  CHECK(dwf.merge_conflicts() == 2);
  CHECK(dwf.fragmentations() == 1);
  CHECK(dwf.pool().size() == 4);
  CHECK(*dwf.next() == fragment{1, lane_mask(0x03)});
  CHECK(*dwf.next() == fragment{2, lane_mask(0x2C)});
  CHECK(*dwf.next() == fragment{1, lane_mask(0x10)});
  CHECK(*dwf.next() == fragment{2, lane_mask(0xC0)});
  CHECK_FALSE(dwf.next());
}

TEST_CASE("dynamic_warps: threads that have passed a barrier run before all others and are not merged") {
  for_each_scheduler([&](policies::warp_scheduler scheduler) {
    policies::dynamic_warps dwf({.lanes = {.width = 4}, .scheduler = scheduler});
    dwf.start({0, lane_mask(0xFF)});
    const fragment f = *dwf.next();
    dwf.park(f);
    dwf.release({5, lane_mask(0x03)});
    dwf.release({5, lane_mask(0x0C)});
    // By time the older warp goes first whatever it has passed: else a warp might never run.
    if (scheduler == policies::warp_scheduler::time) CHECK(*dwf.next() == fragment{0, lane_mask(0xF0)});
    CHECK(*dwf.next() == fragment{5, lane_mask(0x03)});
    CHECK(*dwf.next() == fragment{5, lane_mask(0x0C)});
    if (scheduler != policies::warp_scheduler::time) CHECK(*dwf.next() == fragment{0, lane_mask(0xF0)});
    CHECK_FALSE(dwf.next());
  });
}

TEST_CASE("dynamic_warps: only the time scheduler lets the lock holder run") {
  // 0 -> {1, 2}; 1 spins until thread 0 has run 2.
  const auto spin = [] {
    return [open = false](std::uint32_t t, block_id b) mutable -> block_id {
      if (b == 0) return t == 0 ? 2 : 1;
      if (b == 1) return open ? 3 : 1;
      if (b == 2) open = true;
      return b == 2 ? 3 : no_block;
    };
  };
  const home_lanes lanes{.width = 4};
  CHECK(run_block(policies::dynamic_warps({.lanes = lanes, .scheduler = policies::warp_scheduler::time}), spin(), 8, 4,
                  0, {}, 1000)
            .how.finished());
  CHECK(run_block(policies::dynamic_warps({.lanes = lanes, .scheduler = policies::warp_scheduler::majority}), spin(), 8,
                  4, 0, {}, 1000)
            .how.how == outcome::step_limit);
  CHECK(run_block(policies::dynamic_warps({.lanes = lanes, .scheduler = policies::warp_scheduler::pc}), spin(), 8, 4, 0,
                  {}, 1000)
            .how.how == outcome::step_limit);
}

TEST_CASE("dynamic_warps_barrier: random graphs, paths, and the rule of the barriers read off the schedule") {
  std::uint64_t mixed = 0;
  for_each_random_case(600, 40, [&](const random_case& c, testing::rng&) {
    const std::uint32_t n = c.threads;
    const auto flags = meets(c.graph);
    for_each_scheduler([&](policies::warp_scheduler scheduler) {
      const policies::dynamic_warps_barrier policy(c.pdom.ipdoms(),
                                                   {.lanes = c.lanes, .reconvergence = flags, .scheduler = scheduler});
      const auto r = run_block(policy, c.walks, n, c.lanes.width);
      check_block_run(r, c.walks, n, c.lanes);
      REQUIRE(check_barriers(r, n, c.lanes.width, c.pdom.ipdoms()) == "");
      for (const fragment& f : r.schedule) {
        std::set<std::uint32_t> warps;
        f.lanes.for_each([&](std::uint32_t t) { warps.insert(t / c.lanes.width); });
        mixed += warps.size() > 1 ? 1 : 0;
      }
    });
  });
  CHECK(mixed > 1000);
}

TEST_CASE("dynamic_warps_barrier: branches that are top-level in the program text") {
  std::uint64_t fewer = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    testing::rng random(seed);
    testing::program_options options;
    options.statements = random.between(1, 12);
    options.early_return = random.chance(30);
    const auto program = testing::random_structured_program(random, options);
    const csr_graph& g = program.graph;
    INFO(text(seed, g));
    const testing::random_walks walks(g, {.seed = seed}, program.uniform);
    const auto pdom = post_dominators(g);
    const auto control = control_dependence(g);
    std::vector<unsigned char> top(g.num_blocks(), 0);
    for (block_id b = 0; b < g.num_blocks(); ++b) {
      bool controlled = false;  // a loop's own test does not count: it is the first of its iterations that diverges
      for (const auto& e : control.dependences_of(b)) controlled = controlled || e.from != b;
      top[b] = controlled ? 0 : 1;
    }
    const home_lanes lanes{.width = 4};
    const auto all = run_block(policies::dynamic_warps_barrier(pdom.ipdoms(), {.lanes = lanes}), walks, 24, 4);
    const auto text_only =
        run_block(policies::dynamic_warps_barrier(pdom.ipdoms(), {.lanes = lanes}, top), walks, 24, 4);
    check_block_run(all, walks, 24, lanes);
    check_block_run(text_only, walks, 24, lanes);
    const auto none = run_block(
        policies::dynamic_warps_barrier(pdom.ipdoms(), {.lanes = lanes}, std::vector<unsigned char>(g.num_blocks(), 0)),
        walks, 24, 4);
    check_block_run(none, walks, 24, lanes);
    fewer += text(all.schedule) != text(text_only.schedule) ? 1 : 0;
  }
  CHECK(fewer > 10);
}

TEST_CASE("dynamic_warps: programs with barriers; threads that have passed one run first (21)") {
  for_each_barrier_case(200, [](const barrier_case& c, testing::rng&) {
    const auto flags = meets(c.graph);
    for_each_scheduler([&](policies::warp_scheduler scheduler) {
      const policies::dynamic_warp_options with{.lanes = c.lanes, .reconvergence = flags, .scheduler = scheduler};
      const auto r = run_block(watched<lane_mask>(with), c.walks, 20, c.lanes.width, c.barriers);
      check_block_run(r, c.walks, 20, c.lanes);
      CHECK(watched<lane_mask>::broken == "");
      const auto bound =
          run_block(policies::dynamic_warps_barrier(c.pdom.ipdoms(), with), c.walks, 20, c.lanes.width, c.barriers);
      check_block_run(bound, c.walks, 20, c.lanes);
      REQUIRE(check_barriers(bound, 20, c.lanes.width, c.pdom.ipdoms()) == "");
    });
  });
  // A thread that ends at a barrier inside a divergent region is not waited for at the warp's own barrier.
  const block_id ipdom[] = {3, 3, 3, no_block};
  const unsigned char barrier[] = {0, 1, 1, 0};
  const auto r = run_block(
      policies::dynamic_warps_barrier(ipdom, {.lanes = {.width = 4}}),
      [](std::uint32_t t, block_id b) -> block_id {
        if (b == 0) return 1 + t % 2;
        return b == 3 || t == 1 ? no_block : 3;
      },
      8, 4, 0, barrier);
  CHECK(r.how.finished());
  CHECK(text(std::vector<fragment>(r.schedule.end() - 2, r.schedule.end())) ==
        text(std::vector<fragment>{{3, lane_mask(0x0D)}, {3, lane_mask(0xF0)}}));
}

TEST_CASE("dynamic_warps: thread blocks of 256 and 1024 threads, warps of any width") {
  for_each_wide_case(12, 6, []<class Mask>(std::uint32_t n, const wide_case& c) {
    const auto flags = meets(c.graph);
    for_each_scheduler([&](policies::warp_scheduler scheduler) {
      const policies::dynamic_warp_options with{.lanes = c.lanes, .reconvergence = flags, .scheduler = scheduler};
      const auto r = run_block(watched<Mask>(with), c.walks, n, c.lanes.width);
      check_block_run(r, c.walks, n, c.lanes);
      CHECK(watched<Mask>::broken == "");
      const auto bound =
          run_block(policies::basic_dynamic_warps_barrier<Mask>(c.pdom.ipdoms(), with), c.walks, n, c.lanes.width);
      check_block_run(bound, c.walks, n, c.lanes);
      CHECK(check_barriers(bound, n, c.lanes.width, c.pdom.ipdoms()) == "");
    });
  });
}

TEST_CASE("dynamic_warps: uniform programs keep their static warps (15)") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    testing::rng random(seed);
    const csr_graph g = random_graph(random);
    INFO(text(seed, g));
    const std::vector<unsigned char> uniform(g.num_blocks(), 1);
    const testing::random_walks walks(g, {.seed = seed}, uniform);
    const auto pdom = post_dominators(g);
    const std::uint64_t length = walks.path(0).size();
    for_each_scheduler([&](policies::warp_scheduler scheduler) {
      // Full warps: a partial one would take in threads of another warp on the way.
      const auto r = run_block(policies::dynamic_warps({.lanes = {.width = 5}, .scheduler = scheduler}), walks, 20, 5);
      CHECK(r.count.fetches == 4 * length);
      const auto b =
          run_block(policies::dynamic_warps_barrier(pdom.ipdoms(), {.lanes = {.width = 5}, .scheduler = scheduler}),
                    walks, 18, 5);
      CHECK(b.count.fetches == 4 * length);
    });
  }
}

TEST_CASE("dynamic_warps: one object runs thread block after thread block alike") {
  const auto pdom = post_dominators(reuse_graph());
  const auto flags = meets(reuse_graph());
  for_each_scheduler([&](policies::warp_scheduler scheduler) {
    const policies::dynamic_warp_options with{.lanes = {.width = 5}, .reconvergence = flags, .scheduler = scheduler};
    check_reuse(policies::dynamic_warps(with));
    check_reuse(policies::dynamic_warps_barrier(pdom.ipdoms(), with));
  });
}
