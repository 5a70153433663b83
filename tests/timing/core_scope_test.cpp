// SPDX-License-Identifier: BSL-1.0
//
// Policies of core scope: all thread blocks of a core in one pool of warps, which new thread blocks join.
#include "support/long_run.hpp"
#include "timing/random_programs.hpp"
#include "timing/scripts.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/simt/any_policy.hpp>
#include <simtflow/simt/policies/dynamic_warps.hpp>
#include <simtflow/simt/policies/dynamic_warps_barrier.hpp>
#include <simtflow/timing/device.hpp>
#include <simtflow/timing/instruction_blocks.hpp>
#include <simtflow/timing/machines/ideal.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace simtflow;
using mask = basic_mask<2>;
using box = basic_any_policy<mask>;

// A random program with a block for each instruction, and what dynamic warps ask for.
struct rows_of_code {
  explicit rows_of_code(const random_timing::code& c)
      : code(c),
        rows(weights_of(c)),
        graph(rows.expand(c.program.graph)),
        tree(post_dominators(graph)),
        ranks(loop_contiguous_order(graph)) {
    meets.assign(graph.num_blocks(), 0);
    for (block_id b = 0; b < graph.num_blocks(); ++b)
      if (graph.successors(b).size() > 1 && tree.ipdoms()[b] != no_block) meets[tree.ipdoms()[b]] = 1;
  }
  static std::vector<std::uint32_t> weights_of(const random_timing::code& c) {
    std::vector<std::uint32_t> weights;
    for (const auto& block : c.blocks) weights.push_back(static_cast<std::uint32_t>(block.size()));
    return weights;
  }
  [[nodiscard]] box policy(const policies::dynamic_warp_options& with, bool warp_barriers) const {
    policies::dynamic_warp_options options = with;
    options.pc = ranks.ranks();
    options.reconvergence = meets;
    if (warp_barriers) return box(policies::basic_dynamic_warps_barrier<mask>(tree.ipdoms(), options));
    return box(policies::basic_dynamic_warps<mask>(options));
  }

  const random_timing::code& code;
  timing::instruction_blocks rows;
  csr_graph graph;
  post_dominator_tree<csr_graph> tree;
  priority_order<csr_graph> ranks;
  std::vector<unsigned char> meets;
};
using row_program = timing::instruction_granular<random_timing::program<mask>, mask>;

struct issue {
  timing::cycle at;
  block_id block;
  std::vector<std::uint32_t> threads;
  friend bool operator==(const issue&, const issue&) = default;
};

struct witness {
  std::uint32_t threads, warp_width;
  const timing::instruction_blocks* rows;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> at{};  // (core, place) -> thread block
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<block_id>> paths{};
  std::map<std::pair<std::uint64_t, std::uint32_t>, timing::cycle> last{};
  std::map<std::pair<std::uint64_t, std::uint32_t>, mask> live{}, waiting{};    // by core and place
  std::map<std::pair<std::uint64_t, std::uint32_t>, timing::cycle> complete{};  // barriers all live threads are at
  std::vector<issue> issues{};
  std::string breach{};
  std::uint64_t mixed = 0, ended = 0, opened = 0, lanes = 0;

  void operator()(const timing::thread_block_started& e) {
    at[{e.core, e.place}] = e.thread_block;
    live[{e.core, e.place}] = mask::first_lanes(threads);
    waiting[{e.core, e.place}] = mask();
  }
  void operator()(const timing::thread_block_ended& e) {
    ++ended;
    if (at[{e.core, e.place}] != e.thread_block) breach = "another thread block ends";
    if (live[{e.core, e.place}].any()) breach = "a thread block ends with live threads";
    at.erase({e.core, e.place});
  }
  void operator()(const timing::instruction_issued<mask>& e) {
    if (e.lanes.count() > warp_width) breach = "more lanes than a warp";
    lanes += e.lanes.count();
    issues.push_back({e.at, e.block, {}});
    e.lanes.for_each([&](std::uint32_t lane) { issues.back().threads.push_back(lane); });
    std::set<std::uint32_t> homes;
    std::uint64_t first = ~std::uint64_t{0};
    bool several = false;
    e.lanes.for_each([&](std::uint32_t lane) {
      const auto found = at.find({e.core, lane / threads});
      if (found == at.end()) {
        breach = "a lane without thread block";
        return;
      }
      if (!homes.insert(lane % threads % warp_width).second) breach = "two threads of one home lane";
      several = several || (first != ~std::uint64_t{0} && first != found->second);
      first = found->second;
      const std::pair<std::uint64_t, std::uint32_t> thread{found->second, lane % threads};
      if (rows->place(e.block) == 0) paths[thread].push_back(rows->block(e.block));
      if (last.count(thread) != 0 && last[thread] >= e.at) breach = "a thread issues twice in a cycle";
      last[thread] = e.at;
    });
    mixed += several ? 1 : 0;
    // A barrier that all live threads of a thread block have reached opens at the end of that cycle.
    for (auto& [where, since] : complete) {
      if (where.first != e.core) continue;
      if (since == timing::never) since = e.at;
      if (e.at > since) breach = "a barrier waits for threads of another thread block";
    }
  }
  void operator()(std::uint64_t core, const event::waits<mask>& e) {
    e.lanes.for_each([&](std::uint32_t lane) { waiting[{core, lane / threads}].set(lane % threads); });
    e.lanes.for_each([&](std::uint32_t lane) { find_complete(core, lane / threads); });
  }
  void operator()(std::uint64_t core, const event::exited<mask>& e) {
    e.lanes.for_each([&](std::uint32_t lane) { live[{core, lane / threads}] -= mask::lane(lane % threads); });
    e.lanes.for_each([&](std::uint32_t lane) { find_complete(core, lane / threads); });
  }
  void operator()(std::uint64_t core, const event::released& e) {
    const std::pair<std::uint64_t, std::uint32_t> where{core, e.thread_block};
    if (waiting[where] != live[where]) breach = "a barrier opens before all threads have come";
    waiting[where] = mask();
    complete.erase(where);
    ++opened;
  }
  void find_complete(std::uint64_t core, std::uint32_t place) {
    const std::pair<std::uint64_t, std::uint32_t> where{core, place};
    if (live[where].any() && waiting[where] == live[where]) complete.emplace(where, timing::never);
  }
};

// A core with one scheduler and pipelined units under dynamic warps, as told: lists of threads, every cycle. Nothing of
// the model or the policy is in it.
class told_core {
 public:
  told_core(const rows_of_code& code, const timing::grid& g, const timing::machine& m, bool by_age)
      : code_(code), grid_(g), machine_(m), by_age_(by_age), places_(m.core.max_blocks) {}

  std::vector<issue> run() {
    std::vector<issue> all;
    for (timing::cycle now = 0; now < 1'000'000; ++now) {
      for (flight& f : slots_)
        if (f.busy && f.until == now) land(f);
      for (std::uint32_t p = 0; p < places_.size(); ++p) {
        if (places_[p].live != 0 || next_ == grid_.blocks) continue;
        places_[p] = {next_++, grid_.threads, std::vector<std::size_t>(grid_.threads, 0)};
        for (std::uint32_t t = 0; t < grid_.threads; ++t) {
          if (t % 8 == 0) form(grid_.entry);
          put(pool_.back(), p * grid_.threads + t);
        }
      }
      bool live = false;
      for (const place& p : places_) live = live || p.live != 0;
      if (!live) {
        cycles = now;
        return all;
      }
      if (pool_.empty()) continue;
      const warp w = choose();
      const timing::instruction& what = code_.code.blocks[code_.rows.block(w.block)][code_.rows.place(w.block)];
      const timing::cycle latency = machine_.operations[what.kind].latency;
      const bool branch = what.kind == timing::instruction_class::control;
      std::size_t slot = 0;
      while (slot < slots_.size() && slots_[slot].busy) ++slot;
      if (slot == slots_.size()) slots_.emplace_back();
      slots_[slot] = {true, now + latency + (branch ? machine_.core.branch_resolve : 0), w};
      all.push_back({now, w.block, w.threads});
      std::sort(all.back().threads.begin(), all.back().threads.end());
    }
    return all;
  }
  timing::cycle cycles = 0;

 private:
  struct warp {
    block_id block;
    std::uint64_t number;
    std::vector<std::uint32_t> threads{};
  };
  struct flight {
    bool busy = false;
    timing::cycle until = 0;
    warp what{};
  };
  struct place {
    std::uint64_t number = 0;
    std::uint32_t live = 0;
    std::vector<std::size_t> blocks{};  // that each thread has left
  };

  void form(block_id b) { pool_.push_back({b, formed_++}); }
  [[nodiscard]] bool fits(const warp& w, std::uint32_t t) const {
    for (const std::uint32_t other : w.threads)
      if (other % grid_.threads % 8 == t % grid_.threads % 8) return false;
    return true;
  }
  static void put(warp& w, std::uint32_t t) { w.threads.push_back(t); }
  void land(flight& f) {
    f.busy = false;
    std::vector<std::pair<block_id, std::vector<std::uint32_t>>> targets;
    std::sort(f.what.threads.begin(), f.what.threads.end());
    for (const std::uint32_t t : f.what.threads) {
      const block_id to = after(f.what.block, t);
      if (to == no_block) continue;
      std::size_t k = 0;
      while (k < targets.size() && targets[k].first != to) ++k;
      if (k == targets.size()) targets.push_back({to, {}});
      targets[k].second.push_back(t);
    }
    for (const auto& [to, threads] : targets) {
      std::vector<std::uint32_t> rest;
      const auto open = accepts_.find(to);
      for (const std::uint32_t t : threads) {
        bool in = false;
        for (warp& w : pool_)
          if (open != accepts_.end() && w.number == open->second && fits(w, t)) {
            put(w, t);
            in = true;
          }
        if (!in) rest.push_back(t);
      }
      if (rest.empty()) continue;
      form(to);
      accepts_[to] = pool_.back().number;
      for (const std::uint32_t t : rest) put(pool_.back(), t);
    }
  }
  block_id after(block_id b, std::uint32_t t) {
    if (!code_.rows.is_last(b)) return b + 1;
    place& p = places_[t / grid_.threads];
    const auto path = code_.code.walks.path(p.number * 1024 + t % grid_.threads);
    const std::size_t next = ++p.blocks[t % grid_.threads];
    if (next < path.size()) return code_.rows.first(path[next]);
    --p.live;
    return no_block;
  }
  warp choose() {
    std::size_t found = 0;  // the oldest
    if (!by_age_) {
      std::map<std::uint32_t, int> warps;  // by program counter
      const auto pc = [&](const warp& w) { return code_.ranks.ranks()[w.block]; };
      for (const warp& w : pool_) ++warps[pc(w)];
      if (warps.count(majority_) == 0) {
        majority_ = warps.begin()->first;
        for (const auto& [at, n] : warps)
          if (n > warps[majority_]) majority_ = at;
      }
      while (pc(pool_[found]) != majority_) ++found;
    }
    const warp w = pool_[found];
    pool_.erase(pool_.begin() + static_cast<std::ptrdiff_t>(found));
    if (const auto open = accepts_.find(w.block); open != accepts_.end() && open->second == w.number)
      accepts_.erase(open);
    return w;
  }

  const rows_of_code& code_;
  timing::grid grid_;
  timing::machine machine_;
  bool by_age_;
  std::vector<place> places_;
  std::vector<warp> pool_;  // by age
  std::vector<flight> slots_;
  std::map<block_id, std::uint64_t> accepts_;
  std::uint64_t next_ = 0, formed_ = 0;
  std::uint32_t majority_ = no_block;
};

constexpr policies::warp_scheduler schedulers[] = {
    policies::warp_scheduler::majority, policies::warp_scheduler::minority, policies::warp_scheduler::time,
    policies::warp_scheduler::pc, policies::warp_scheduler::post_dominators};

}  // namespace

TEST_CASE("core scope: threads of several thread blocks run together, each goes its own way, and thread blocks join") {
  std::uint64_t mixed = 0, opened = 0;
  policy_work work;
  for (std::uint64_t seed = 1; seed <= simtflow_tests::times(120); ++seed) {
    testing::rng r(seed * 65537);
    const random_timing::code c(seed, {.barriers = seed % 3 != 0, .agree_at_barriers = seed % 2 == 0});
    const rows_of_code code(c);
    const timing::machine m = random_timing::random_machine(r, 8);
    timing::grid g;
    g.blocks = r.between(1, 8);
    g.threads = static_cast<std::uint32_t>(r.between(1, 24));
    g.entry = code.graph.entry();
    g.barriers = barrier_model::thread_arrival;
    g.shared_bytes = 1000;
    policies::dynamic_warp_options with;
    with.lanes = {.width = 8, .threads = g.threads};
    with.scheduler = schedulers[seed % 5];
    with.scope = policy_scope::core;
    if (seed % 7 < 4) with.pool = static_cast<std::uint32_t>(r.between(1, 9));
    if (seed % 7 > 2) with.table = static_cast<std::uint32_t>(r.between(1, 9));
    CAPTURE(with.pool);
    CAPTURE(with.table);
    // Threads that spread over barriers can hang under warp barriers.
    const bool warp_barriers = seed % 4 < 2 && (seed % 3 == 0 || seed % 2 == 0);
    const box policy = code.policy(with, warp_barriers);
    CAPTURE(seed);
    CAPTURE(warp_barriers);
    witness w{g.threads, 8, &code.rows};
    const auto make = [&](std::uint32_t) { return row_program(code.rows, c, g.threads); };
    const auto timed = timing::run(policy, make, g, m, {.cycles = 10'000'000}, w);
    REQUIRE(timed);
    CHECK(std::string(to_string(timed->verdict.how)) == "finished");
    CHECK(w.breach == "");
    CHECK(w.ended == g.blocks);
    CHECK(timed->thread_blocks == g.blocks);
    for (std::uint64_t b = 0; b < g.blocks; ++b)
      for (std::uint32_t t = 0; t < g.threads; ++t) {
        std::vector<block_id> alone;  // blocks without instructions do not issue
        for (const block_id at : c.walks.path(b * 1024 + t))
          if (!c.blocks[at].empty()) alone.push_back(at);
        if (w.paths[{b, t}] != alone)
          FAIL_CHECK("seed " << seed << ": thread " << t << " of thread block " << b << " goes another way");
      }
    CHECK(timed->schedulers[timing::cycle_class::issued] == timed->instructions);
    CHECK(timed->schedulers.lanes == w.lanes);
    if (seed % 8 == 0) {
      witness unused{g.threads, 8, &code.rows};
      const auto again = timing::run(policy, make, g, m, {}, unused);
      CHECK((again && *again == *timed));
    }
    mixed += w.mixed;
    opened += w.opened;
    CHECK((with.pool != 0 || timed->work.pool_stalls == 0));
    CHECK((with.table != 0 || timed->work.table_evictions == 0));
    work += timed->work;
  }
  CHECK(mixed > 1000);
  CHECK(opened > 100);
  CHECK(work.pool_stalls > 1000);
  CHECK(work.table_evictions > 1000);
}

TEST_CASE("core scope: with one resident thread block every figure is as under block scope") {
  for (std::uint64_t seed = 1; seed <= simtflow_tests::times(60); ++seed) {
    testing::rng r(seed * 7919);
    const random_timing::code c(seed, {.barriers = seed % 3 == 0});
    const rows_of_code code(c);
    timing::machine m = seed % 2 == 0 ? random_timing::random_machine(r, 8) : timing::machines::ideal();
    m.core.warp_width = 8;
    m.core.max_blocks = 1;
    timing::grid g;
    g.blocks = r.between(1, 6);
    g.threads = static_cast<std::uint32_t>(r.between(1, 24));
    g.entry = code.graph.entry();
    g.barriers = barrier_model::thread_arrival;
    policies::dynamic_warp_options with;
    with.lanes.width = 8;
    with.scheduler = schedulers[seed % 5];
    with.pool = static_cast<std::uint32_t>(r.below(4));
    with.table = static_cast<std::uint32_t>(r.below(4));
    const auto make = [&](std::uint32_t) { return row_program(code.rows, c, g.threads); };
    witness w{g.threads, 8, &code.rows}, v = w;
    const auto block = timing::run(code.policy(with, seed % 4 == 0), make, g, m, {}, w);
    with.scope = policy_scope::core;
    with.lanes.threads = g.threads;
    const auto core = timing::run(code.policy(with, seed % 4 == 0), make, g, m, {}, v);
    CAPTURE(seed);
    REQUIRE((block && core));
    CHECK(block->verdict.finished());
    CHECK(block->verdict.scope == policy_scope::block);
    CHECK(core->verdict.scope == policy_scope::core);
    CHECK(*core == *block);
  }
}

TEST_CASE("core scope: each issue and all cycles equal a core as told, cycle by cycle") {
  std::uint64_t issues = 0;
  for (std::uint64_t seed = 1; seed <= simtflow_tests::times(80); ++seed) {
    testing::rng r(seed * 31337);
    const random_timing::code c(seed, {.memory = false, .empty_blocks = false});
    const rows_of_code code(c);
    timing::machine m;
    m.core.warp_width = 8;
    m.core.max_blocks = static_cast<std::uint32_t>(r.between(1, 4));
    m.core.branch_resolve = static_cast<std::uint32_t>(r.below(4));
    for (timing::operation_timing& op : m.operations.of) op.latency = static_cast<std::uint32_t>(r.between(1, 9));
    timing::grid g;
    g.blocks = r.between(1, 9);
    g.threads = static_cast<std::uint32_t>(r.between(1, 32));
    g.entry = code.graph.entry();
    g.barriers = barrier_model::thread_arrival;
    policies::dynamic_warp_options with;
    with.lanes = {.width = 8, .threads = g.threads};
    with.scheduler = seed % 2 == 0 ? policies::warp_scheduler::time : policies::warp_scheduler::majority;
    with.scope = policy_scope::core;
    witness w{g.threads, 8, &code.rows};
    const auto make = [&](std::uint32_t) { return row_program(code.rows, c, g.threads); };
    const auto timed = timing::run(code.policy(with, false), make, g, m, {}, w);
    const std::vector<issue>& seen = w.issues;
    REQUIRE(timed);
    told_core told(code, g, m, seed % 2 == 0);
    const auto expected = told.run();
    CAPTURE(seed);
    CHECK(timed->cycles == told.cycles);
    CHECK(seen.size() == expected.size());
    std::size_t i = 0;
    while (i < seen.size() && i < expected.size() && seen[i] == expected[i]) ++i;
    if (i < seen.size() && i < expected.size())
      FAIL_CHECK("seed " << seed << ", issue " << i << ": cycle " << seen[i].at << " BB" << seen[i].block << " for "
                         << seen[i].threads.size() << " threads; as told cycle " << expected[i].at << " BB"
                         << expected[i].block << " for " << expected[i].threads.size());
    issues += seen.size();
  }
  CHECK(issues > 10'000);
}

TEST_CASE("core scope: by hand, half warps of two thread blocks become one warp") {
  using scripts::instruction_class;
  const scripts::script::line branch{instruction_class::control, {}, {}};
  std::vector<scripts::script::line> path = scripts::independent(3);
  path.push_back(branch);
  scripts::script s;  // 0 leads to 1 and 2, which lead to 3
  s.add({branch}).add(path).add(path).add({branch});
  s.step = [](std::uint64_t block, std::uint32_t t, block_id b) {
    return b == 0 ? ((t < 2) == (block == 0) ? block_id{1} : block_id{2}) : b < 3 ? block_id{3} : no_block;
  };
  timing::machine m;
  m.core.warp_width = 4;
  m.core.max_blocks = 2;
  m.core.max_warps = 2;
  const timing::grid g{.blocks = 2, .threads = 4, .barriers = barrier_model::thread_arrival};
  policies::dynamic_warp_options with;
  with.lanes = {.width = 4, .threads = 4};
  const auto scripted = [&](std::uint32_t) { return scripts::scripted<mask>(s); };
  const auto run = [&] {
    const auto r = timing::run(box(policies::basic_dynamic_warps<mask>(with)), scripted, g, m);
    REQUIRE(r);
    REQUIRE(r->verdict.finished());
    return *r;
  };
  // Each thread block alone: branch, two paths of four instructions for two threads each, exit.
  const auto apart = run();
  CHECK(apart.instructions == 2 * (1 + 4 + 4 + 1));
  CHECK(apart.cycles == 20);
  // Branches at 0 and 1. Threads 0 and 1 of thread block 0 and threads 2 and 3 of thread block 1 have distinct lanes:
  // path 1 takes cycles 2 to 5 for all four, path 2 cycles 6 to 9 for the others, exits at 10 and 11.
  with.scope = policy_scope::core;
  const auto together = run();
  CHECK(together.instructions == 1 + 1 + 4 + 4 + 1 + 1);
  CHECK(together.cycles == 12);
  CHECK(together.schedulers.by_lanes[3] == 12);
  // If both thread blocks send the same lanes to path 1, no two threads fit together there. At the exit the half warp
  // that comes first has been closed by the second one, to which the third one fits.
  s.step = [](std::uint64_t, std::uint32_t t, block_id b) {
    return b == 0 ? (t < 2 ? block_id{1} : block_id{2}) : b < 3 ? block_id{3} : no_block;
  };
  CHECK(run().instructions == 1 + 1 + 4 * 4 + 3);

  // Thread blocks without instructions end in the cycle in which they come.
  s = scripts::script().add({});
  const auto ended =
      timing::run(box(policies::basic_dynamic_warps<mask>(with)), scripted, {.blocks = 9, .threads = 4}, m);
  REQUIRE(ended);
  CHECK(ended->thread_blocks == 9);
  CHECK(ended->instructions == 0);

  // 33 thread blocks of four threads are more than the masks have.
  m.core.max_blocks = m.core.max_warps = 33;
  const auto refused =
      timing::run(box(policies::basic_dynamic_warps<mask>(with)), scripted, {.blocks = 33, .threads = 4}, m);
  REQUIRE(!refused);
  CHECK(refused.diagnostics()[0].message ==
        "a policy of core scope manages at most 128 threads here; a core holds 132");
}
