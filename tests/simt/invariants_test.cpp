// SPDX-License-Identifier: BSL-1.0
//
// The invariants of the machine models, one test case each, numbered as in the models' specification, for every policy
// in the table below: a policy joins with one line. Each check has an oracle that does not look at the policy: threads
// walked alone, bounds from their paths, places where threads stand according to their paths, schedules restricted by
// hand.
//
// 13, 19 and 20 are about one mechanism and are tested with it; 17, 18 and 24 are about transformed programs.
#include "simt/oldest_first.hpp"
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/lower_bound.hpp>
#include <simtflow/simt/maximal_convergence.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/policies/conservative_branch.hpp>
#include <simtflow/simt/policies/convergence_barriers.hpp>
#include <simtflow/simt/policies/dual_path.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/min_pc.hpp>
#include <simtflow/simt/policies/multi_path.hpp>
#include <simtflow/simt/policies/no_reconvergence.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/simt/policies/warp_subdivision.hpp>
#include <simtflow/testing/generate.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace simtflow;
using testing_policies::oldest_first;

namespace {

// --- the table
// ---------------------------------------------------------------------------------------------------------

// What a policy may be built from; it lives as long as the run.
struct material {
  explicit material(const csr_graph& g)
      : graph(g),
        pdom(post_dominators(g)),
        order(loop_contiguous_order(g)),
        depth_first(reverse_post_order(g)),
        frontier(thread_frontiers(g, order)),
        barriers(g.num_blocks(), ipdom_barriers(g, pdom.ipdoms())) {
    for (block_id b = 0; b < g.num_blocks(); ++b) {
      by_id.push_back(b);
      conservative.push_back(frontier.ids().conservative_target(b));
      by_id_backwards.push_back(static_cast<std::uint32_t>(g.num_blocks()) - 1 - b);
    }
  }
  csr_graph graph;
  post_dominator_tree<csr_graph> pdom;
  priority_order<csr_graph> order, depth_first;
  frontier_sets<csr_graph> frontier;
  convergence_table barriers;
  std::vector<std::uint32_t> by_id, by_id_backwards;
  std::vector<block_id> conservative;
};

// What a policy claims beyond what every policy must do.
enum claim : unsigned {
  none = 0,
  least_if_acyclic = 1,      // 9: the lower bound on acyclic graphs
  converged_structured = 2,  // 10: maximal convergence on structured programs
  converged_break = 4,       // 11: ... and with break and continue
  restricts = 8,             // 12: threads run with others as they run without
  shallow_stack = 16,        // 8: at most 2 W - 1 entries
  sorted = 32,               // 5, 6, 7: waiting blocks rank lower, lie in the frontier, one entry a block
  renumbering = 64,          // 14: numbering the lanes the other way costs the same
  alone = 128,               // 15 does not hold: every thread runs alone
};

struct step {
  std::uint32_t first, threads;
  block_id block;
  lane_mask lanes;
  std::size_t depth;
};

struct record {
  verdict how;
  counts count;
  std::vector<step> steps;
  std::vector<std::uint64_t> waited;  // at barriers, by thread
  std::uint64_t opened = 0;           // barriers
  bool early = false;                 // a thread ran on before its barrier had opened
};

using thread_function = std::function<block_id(std::uint32_t, block_id)>;

// A policy of the table, its type forgotten: what a run does is all that the invariants look at.
struct entry {
  template <class Make>
  entry(const char* policy_name, unsigned what, Make make) : name(policy_name), claims(what) {
    using policy_type = decltype(make(std::declval<const material&>()));
    parks = parking_policy<policy_type>;
    run = [make](const material& m, const launch& shape, const thread_function& threads,
                 std::span<const unsigned char> barriers, std::uint64_t limit) {
      record r;
      r.waited.assign(shape.threads, 0);
      overloaded list{
          [&](const event::issued<lane_mask>& e) {
            r.steps.push_back({e.first_thread, e.threads, e.block, e.lanes, e.depth});
            e.lanes.for_each([&](std::uint32_t l) { r.early = r.early || r.waited[e.first_thread + l] != r.opened; });
          },
          [&](const event::waits<lane_mask>& e) {
            e.lanes.for_each([&](std::uint32_t l) { ++r.waited[e.warp * shape.warp_width + l]; });
          },
          [&](const event::released&) { ++r.opened; }};
      both all(r.count, list);
      callable_program p(threads, {}, barriers);
      executor<policy_type> machine(make(m));
      r.how = machine.run(shape, p, all, {.steps = limit});
      return r;
    };
  }

  const char* name;
  unsigned claims;
  bool parks = false;
  std::function<record(const material&, const launch&, const thread_function&, std::span<const unsigned char>,
                       std::uint64_t)>
      run;
};

// One line a policy: what it claims, and how it is made.
const entry policies[] = {
    {"ipdom_stack", converged_structured | shallow_stack | renumbering,
     [](const material& m) { return ipdom_stack(m.pdom.ipdoms()); }},
    {"thread_frontier", least_if_acyclic | converged_structured | converged_break | restricts | sorted | renumbering,
     [](const material& m) { return thread_frontier(m.order.ranks()); }},
    {"thread_frontier, depth-first order", least_if_acyclic | restricts | renumbering,
     [](const material& m) { return thread_frontier(m.depth_first.ranks()); }},
    {"thread_frontier, by block id", restricts | renumbering,
     [](const material& m) { return thread_frontier(m.by_id); }},
    {"thread_frontier, by block id backwards", restricts | renumbering,
     [](const material& m) { return thread_frontier(m.by_id_backwards); }},
    {"lane_serial", renumbering | alone, [](const material&) { return lane_serial(); }},
    {"dual_path", converged_structured | shallow_stack | renumbering,
     [](const material& m) { return dual_path(m.pdom.ipdoms()); }},
    {"multi_path", converged_structured | renumbering, [](const material& m) { return multi_path(m.pdom.ipdoms()); }},
    {"aware", none, [](const material& m) { return aware(m.pdom.ipdoms()); }},
    {"conservative_branch", least_if_acyclic | converged_structured | converged_break | restricts | renumbering,
     [](const material& m) { return conservative_branch(m.order.ids().order(), m.order.ranks(), m.conservative); }},
    {"min_pc", least_if_acyclic | converged_structured | converged_break | restricts | renumbering,
     [](const material& m) { return min_pc(m.order.ranks()); }},
    {"convergence_barriers", converged_structured, [](const material& m) { return convergence_barriers(m.barriers); }},
    {"warp_subdivision", none, [](const material& m) { return warp_subdivision(m.pdom.ipdoms()); }},
    {"no_reconvergence", none, [](const material&) { return no_reconvergence(); }},
    {"mimd", renumbering | alone, [](const material&) { return mimd(); }},
    {"oldest_first", none, [](const material&) { return oldest_first(); }},
};

template <class F>
void each_policy(F f) {
  for (const entry& policy : policies) f(policy);
}

record observe(const entry& policy, const material& m, const launch& shape, const thread_function& threads,
               std::span<const unsigned char> barriers = {}, std::uint64_t limit = 1'000'000) {
  return policy.run(m, shape, threads, barriers, limit);
}

// --- programs
// ------------------------------------------------------------------------------------------------------------

struct program {
  std::uint64_t seed = 0;
  csr_graph graph{};
  std::vector<unsigned char> uniform{};
  launch shape{};
};

std::string text(const program& p) { return "seed " + std::to_string(p.seed) + "\n" + to_dot(p.graph); }

enum class family { acyclic, structured, break_continue, reducible, any };

program make(family kind, std::uint64_t seed, std::uint32_t width = 8) {
  testing::rng random(seed);
  program p;
  p.seed = seed;
  if (kind == family::structured || kind == family::break_continue) {
    testing::program_options options;
    options.statements = random.between(1, 9);
    options.break_continue = kind == family::break_continue;
    auto made = testing::random_structured_program(random, options);
    p.graph = made.graph;
    p.uniform = made.uniform;
  } else {
    testing::cfg_options options;
    options.blocks = random.between(1, 10);
    options.max_successors = random.between(1, 4);
    options.exits = random.between(1, 3);
    options.loops = kind != family::acyclic;
    options.reducible = kind == family::reducible;
    options.terminating = true;
    options.exit_mark_percent = random.chance(30) ? 20 : 0;
    options.unreachable_percent = random.chance(20) ? 20 : 0;
    p.graph = testing::random_cfg(random, options);
  }
  p.shape.threads = static_cast<std::uint32_t>(random.between(1, 2 * width));
  p.shape.warp_width = static_cast<std::uint32_t>(random.between(1, width));
  p.shape.entry = p.graph.entry();
  return p;
}

constexpr family families[] = {family::acyclic, family::structured, family::break_continue, family::reducible,
                               family::any};

// Calls f(program, walks, material) for `count` programs of a family.
template <class F>
void each_program(family kind, std::uint64_t count, F f) {
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    const program p = make(kind, seed);
    INFO(text(p));
    const testing::random_walks walks(p.graph, {.seed = seed, .patience = 4}, p.uniform);
    const material m(p.graph);
    f(p, walks, m);
  }
}

testing::walking_threads walk(const testing::random_walks& walks, const launch& shape) {
  return testing::walking_threads(walks, shape.threads);
}

std::uint64_t least_of(const testing::random_walks& walks, const launch& shape, std::uint64_t& visits) {
  std::uint64_t sum = 0;
  visits = 0;
  for (std::uint32_t first = 0; first < shape.threads; first += shape.warp_width) {
    std::map<block_id, std::uint64_t> most;
    for (std::uint32_t t = first; t < shape.threads && t < first + shape.warp_width; ++t) {
      std::map<block_id, std::uint64_t> mine;
      for (const block_id b : walks.path(t)) most[b] = std::max(most[b], ++mine[b]);
      visits += walks.path(t).size();
    }
    for (const auto& [b, n] : most) sum += n;
  }
  return sum;
}

}  // namespace

TEST_CASE("invariants 1-4: paths, active sets, disjoint masks, bounds") {
  for (const family kind : families)
    each_program(kind, 150, [&](const program& p, const testing::random_walks& walks, const material& m) {
      std::uint64_t visits = 0;
      const std::uint64_t least = least_of(walks, p.shape, visits);
      each_policy([&](const entry& policy) {
        INFO(policy.name);
        const record r = observe(policy, m, p.shape, walk(walks, p.shape));
        REQUIRE_MESSAGE(r.how.finished(), describe(r.how));
        std::vector<std::vector<block_id>> paths(p.shape.threads);
        for (const step& s : r.steps) {
          REQUIRE(s.lanes.any());                                            // 2
          REQUIRE(s.lanes.is_subset_of(lane_mask::first_lanes(s.threads)));  // 3: the executor sees to the rest
          s.lanes.for_each([&](std::uint32_t lane) { paths[s.first + lane].push_back(s.block); });
        }
        for (std::uint32_t t = 0; t < p.shape.threads; ++t) REQUIRE(paths[t] == walks.path(t));  // 1
        REQUIRE(least <= r.count.fetches);                                                       // 4
        REQUIRE(r.count.fetches <= visits);
        REQUIRE(r.count.thread_instructions == visits);
      });
    });
}

TEST_CASE("invariants 5-7: waiting blocks rank lower, lie in the running block's frontier, one entry each") {
  for (const family kind : families)
    each_program(kind, 80, [&](const program& p, const testing::random_walks& walks, const material& m) {
      each_policy([&](const entry& policy) {
        if ((policy.claims & sorted) == 0) return;
        INFO(policy.name);
        const auto rank = m.order.ranks();
        const record r = observe(policy, m, p.shape, walk(walks, p.shape));
        std::vector<std::vector<block_id>> path;
        for (std::uint32_t t = 0; t < p.shape.threads; ++t) path.push_back(walks.path(t));
        std::vector<std::size_t> done(p.shape.threads, 0);
        for (const step& s : r.steps) {
          std::set<block_id> standing;  // by the threads' paths, not by the policy's state
          for (std::uint32_t t = s.first; t < s.first + s.threads; ++t)
            if (done[t] < path[t].size()) standing.insert(path[t][done[t]]);
          REQUIRE(s.depth == standing.size());  // 7
          for (const block_id b : standing) {
            if (b == s.block) continue;
            REQUIRE(rank[b] > rank[s.block]);          // 5
            REQUIRE(m.frontier.contains(s.block, b));  // 6
          }
          // Everybody who stands at the block runs.
          for (std::uint32_t t = s.first; t < s.first + s.threads; ++t)
            if (done[t] < path[t].size() && path[t][done[t]] == s.block) REQUIRE(s.lanes.test(t - s.first));
          s.lanes.for_each([&](std::uint32_t lane) { ++done[s.first + lane]; });
        }
      });
    });
}

TEST_CASE("invariant 6: frontiers are minimal: a small set of threads witnesses each pair") {
  // Acyclic graphs with all ways taken by many random threads: every block of a frontier is met waiting.
  std::uint64_t pairs = 0, met = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const program p = make(family::any, seed);
    INFO(text(p));
    const material m(p.graph);
    std::set<std::pair<block_id, block_id>> seen;
    for (std::uint64_t walk_seed = 1; walk_seed <= 40; ++walk_seed) {
      const testing::random_walks walks(p.graph, {.seed = walk_seed});
      launch shape{.threads = 24, .warp_width = 3, .entry = p.graph.entry()};
      const record r = observe(policies[1], m, shape, walk(walks, shape));
      std::vector<std::size_t> done(shape.threads, 0);
      std::vector<std::vector<block_id>> path;
      for (std::uint32_t t = 0; t < shape.threads; ++t) path.push_back(walks.path(t));
      for (const step& s : r.steps) {
        for (std::uint32_t t = s.first; t < s.first + s.threads; ++t)
          if (done[t] < path[t].size() && path[t][done[t]] != s.block) seen.insert({s.block, path[t][done[t]]});
        s.lanes.for_each([&](std::uint32_t lane) { ++done[s.first + lane]; });
      }
    }
    for (block_id b = 0; b < p.graph.num_blocks(); ++b)
      for (block_id c = 0; c < p.graph.num_blocks(); ++c)
        if (m.frontier.contains(b, c)) {
          ++pairs;
          met += seen.count({b, c});
        }
  }
  CHECK(pairs > 200);
  CHECK(met * 100 >= pairs * 90);  // random threads find nearly all; none is known to be wrong (5-7)
}

TEST_CASE("invariant 8: a post-dominator stack holds at most 2 W - 1 entries") {
  std::size_t deepest = 0;
  for (const family kind : families)
    each_program(kind, 100, [&](const program& p, const testing::random_walks& walks, const material& m) {
      each_policy([&](const entry& policy) {
        if ((policy.claims & shallow_stack) == 0) return;
        INFO(policy.name);
        const record r = observe(policy, m, p.shape, walk(walks, p.shape));
        for (const step& s : r.steps) REQUIRE(s.depth <= std::max(1U, 2 * p.shape.warp_width - 1));
        deepest = std::max(deepest, static_cast<std::size_t>(r.count.max_depth));
      });
    });
  CHECK(deepest >= 5);
}

TEST_CASE("invariant 9: acyclic and in topological order: the lower bound") {
  each_program(family::acyclic, 200, [&](const program& p, const testing::random_walks& walks, const material& m) {
    std::uint64_t visits = 0;
    const std::uint64_t least = least_of(walks, p.shape, visits);
    each_policy([&](const entry& policy) {
      if ((policy.claims & least_if_acyclic) == 0) return;
      INFO(policy.name);
      CHECK(observe(policy, m, p.shape, walk(walks, p.shape)).count.fetches == least);
    });
  });
}

TEST_CASE("invariants 10, 11: maximal convergence on structured programs, with break and continue") {
  for (const family kind : {family::structured, family::break_continue})
    each_program(kind, 200, [&](const program& p, const testing::random_walks& walks, const material& m) {
      const auto nest = loops(p.graph);
      maximal_convergence ideal(nest);
      run(lane_serial(), walk(walks, p.shape), p.shape, ideal);
      each_policy([&](const entry& policy) {
        INFO(policy.name);
        const std::uint64_t fetches = observe(policy, m, p.shape, walk(walks, p.shape)).count.fetches;
        const unsigned claimed = kind == family::structured ? converged_structured : converged_break;
        if ((policy.claims & claimed) != 0) CHECK(fetches == ideal.executions());
        if ((policy.claims & (converged_structured | converged_break)) != 0) CHECK(fetches >= ideal.executions());
      });
    });
}

TEST_CASE("invariant 12: a schedule restricted to some threads is their own") {
  for (const family kind : families)
    each_program(kind, 60, [&](const program& p, const testing::random_walks& walks, const material& m) {
      launch shape = p.shape;
      shape.warp_width = shape.threads;
      std::vector<std::uint32_t> chosen;
      for (std::uint32_t t = 0; t < shape.threads; ++t)
        if (testing::mix_bits(p.seed + t) % 2 != 0) chosen.push_back(t);
      if (chosen.empty()) return;
      lane_mask some;
      for (const std::uint32_t t : chosen) some.set(t);
      each_policy([&](const entry& policy) {
        if ((policy.claims & restricts) == 0) return;
        INFO(policy.name);
        std::vector<std::pair<block_id, std::uint32_t>> within, alone;
        for (const step& s : observe(policy, m, shape, walk(walks, shape)).steps)
          if ((s.lanes & some).any()) within.emplace_back(s.block, (s.lanes & some).count());
        launch few = shape;
        few.threads = static_cast<std::uint32_t>(chosen.size());
        auto threads = walk(walks, shape);
        for (const step& s :
             observe(policy, m, few, [&](std::uint32_t t, block_id b) { return threads(chosen[t], b); }).steps)
          alone.emplace_back(s.block, s.lanes.count());
        CHECK(within == alone);
      });
    });
}

TEST_CASE("invariant 14: the order of the paths does not change what is fetched") {
  for (const family kind : families)
    each_program(kind, 60, [&](const program& p, const testing::random_walks& walks, const material& m) {
      launch shape = p.shape;
      shape.warp_width = shape.threads;
      each_policy([&](const entry& policy) {
        if ((policy.claims & renumbering) == 0) return;
        INFO(policy.name);
        // Lanes numbered the other way: targets are named in another order.
        auto threads = walk(walks, shape);
        const record backwards =
            observe(policy, m, shape, [&](std::uint32_t t, block_id b) { return threads(shape.threads - 1 - t, b); });
        CHECK(observe(policy, m, shape, walk(walks, shape)).count.fetches == backwards.count.fetches);
      });
    });
}

TEST_CASE("invariant 15: uniform programs cost the length of the path under every policy that merges") {
  for (const family kind : families)
    each_program(kind, 40, [&](const program& p, const testing::random_walks&, const material& m) {
      const std::vector<unsigned char> alike(p.graph.num_blocks(), 1);
      const testing::random_walks walks(p.graph, {.seed = p.seed}, alike);
      const std::size_t warps = (p.shape.threads - 1) / p.shape.warp_width + 1;
      each_policy([&](const entry& policy) {
        if ((policy.claims & alone) != 0) return;
        INFO(policy.name);
        CHECK(observe(policy, m, p.shape, walk(walks, p.shape)).count.fetches == warps * walks.path(0).size());
      });
    });
}

TEST_CASE("invariant 16: one thread a warp: every policy runs the same") {
  for (const family kind : families)
    each_program(kind, 30, [&](const program& p, const testing::random_walks& walks, const material& m) {
      launch shape = p.shape;
      shape.warp_width = 1;
      std::vector<std::pair<std::uint32_t, block_id>> first;
      each_policy([&](const entry& policy) {
        INFO(policy.name);
        std::vector<std::pair<std::uint32_t, block_id>> schedule;
        for (const step& s : observe(policy, m, shape, walk(walks, shape)).steps)
          schedule.emplace_back(s.first, s.block);
        if (first.empty()) first = schedule;
        CHECK(schedule == first);
      });
    });
}

TEST_CASE("invariant 21: barriers: nobody passes early, all pass the same number") {
  int with_barriers = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    testing::rng random(seed);
    testing::program_options options;
    options.barriers = true;
    options.uniform_percent = 60;
    options.break_continue = random.chance(50);
    const auto made = testing::random_structured_program(random, options);
    INFO("seed " << seed << "\n" << to_dot(made.graph));
    std::vector<unsigned char> barriers(made.graph.num_blocks(), 0);
    for (const block_id b : made.barriers) barriers[b] = 1;
    with_barriers += made.barriers.empty() ? 0 : 1;
    const testing::random_walks walks(made.graph, {.seed = seed}, made.uniform);
    const material m(made.graph);
    const launch shape{.threads = 11, .warp_width = 4, .barriers = barrier_model::thread_arrival};
    each_policy([&](const entry& policy) {
      if (!policy.parks) return;
      INFO(policy.name);
      const record r = observe(policy, m, shape, walk(walks, shape), barriers);
      CHECK(r.how.finished());
      CHECK(!r.early);
      for (const std::uint64_t n : r.waited) CHECK(n == r.opened);
    });
  }
  CHECK(with_barriers > 30);
}

TEST_CASE("invariant 22: the order of the schedule does not change the memory of a race-free program") {
  for (const family kind : families)
    each_program(kind, 40, [&](const program& p, const testing::random_walks& walks, const material& m) {
      // Each thread writes a cell of its own, all add to a cell for each block.
      std::vector<std::uint64_t> first;
      each_policy([&](const entry& policy) {
        INFO(policy.name);
        std::vector<std::uint64_t> memory(p.shape.threads + p.graph.num_blocks(), 1);
        auto threads = walk(walks, p.shape);
        const record r = observe(policy, m, p.shape, [&](std::uint32_t t, block_id b) {
          memory[t] = testing::mix_bits(memory[t] + b);
          memory[p.shape.threads + b] += memory[t];
          return threads(t, b);
        });
        CHECK(r.how.finished());
        if (first.empty()) first = memory;
        CHECK(memory == first);
      });
    });
}

TEST_CASE("invariant 23: a verdict lists every live thread once, where it stands") {
  for (const family kind : families)
    each_program(kind, 40, [&](const program& p, const testing::random_walks& walks, const material& m) {
      each_policy([&](const entry& policy) {
        INFO(policy.name);
        for (const std::uint64_t limit : {0U, 1U, 3U, 8U}) {
          const record r = observe(policy, m, p.shape, walk(walks, p.shape), {}, limit);
          if (r.how.finished()) continue;
          REQUIRE(r.how.how == outcome::step_limit);
          REQUIRE(r.how.steps == limit);
          std::vector<std::size_t> done(p.shape.threads, 0);
          for (const step& s : r.steps) s.lanes.for_each([&](std::uint32_t lane) { ++done[s.first + lane]; });
          std::vector<int> listed(p.shape.threads, 0);
          for (const auto& s : r.how.standing)
            s.lanes.for_each([&](std::uint32_t lane) {
              const std::uint32_t t = s.warp * p.shape.warp_width + lane;
              ++listed[t];
              const auto path = walks.path(t);
              REQUIRE(done[t] < path.size());
              REQUIRE(s.block == path[done[t]]);
            });
          for (std::uint32_t t = 0; t < p.shape.threads; ++t)
            REQUIRE(listed[t] == (done[t] < walks.path(t).size() ? 1 : 0));
        }
      });
    });
}

TEST_CASE("invariant 25: irreducible graphs, whichever entry is taken for the header") {
  int irreducible = 0;
  each_program(family::any, 300, [&](const program& p, const testing::random_walks& walks, const material& m) {
    if (loops(p.graph).is_reducible()) return;
    ++irreducible;
    // The same graph with successors listed the other way: another depth-first search, other headers, another order.
    csr_builder builder(p.graph.num_blocks(), p.graph.entry());
    for (block_id b = 0; b < p.graph.num_blocks(); ++b) {
      const auto out = p.graph.successors(b);
      for (std::size_t i = out.size(); i-- > 0;) builder.add_edge(b, out[i]);
      if (p.graph.is_exit(b) && !out.empty()) builder.mark_exit(b);
    }
    const csr_graph turned = builder.build();
    const material other(turned);
    std::uint64_t visits = 0;
    const std::uint64_t least = least_of(walks, p.shape, visits);
    each_policy([&](const entry& policy) {
      INFO(policy.name);
      for (const material* from : {&m, &other}) {
        const record r = observe(policy, *from, p.shape, walk(walks, p.shape));
        REQUIRE(r.how.finished());
        std::vector<std::vector<block_id>> paths(p.shape.threads);
        for (const step& s : r.steps)
          s.lanes.for_each([&](std::uint32_t lane) { paths[s.first + lane].push_back(s.block); });
        for (std::uint32_t t = 0; t < p.shape.threads; ++t) REQUIRE(paths[t] == walks.path(t));
        REQUIRE(least <= r.count.fetches);
        REQUIRE(r.count.fetches <= visits);
      }
    });
  });
  CHECK(irreducible > 30);
}
