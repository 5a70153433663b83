// SPDX-License-Identifier: BSL-1.0
//
// Does a plan do what the graph did? Warps walk through the plan under three policies; what each lane executes of the
// graph must be its own path alone. And random graphs of every kind.
#pragma once

#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/order.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/io/describe_plan_fault.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/min_pc.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/transform/check_plan.hpp>
#include <simtflow/transform/plan.hpp>
#include <simtflow/transform/planned_program.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plan_runs {

using namespace simtflow;

inline std::string text(const std::vector<block_id>& path) {
  std::string all;
  for (const block_id b : path) all += (all.empty() ? "" : " ") + std::to_string(b);
  return all;
}

/// A plan in words: one line for each reachable block.
inline std::string text(const flow_plan& p) {
  static const char* const names[] = {"original", "copy of", "guard", "empty"};
  std::string all = "entry " + std::to_string(p.entry()) + "\n";
  const csr_graph shape = snapshot(p);
  for (block_id b = 0; b < p.num_blocks(); ++b) {
    if (shape.successors(b).empty() && shape.predecessors(b).empty() && b != p.entry()) continue;
    all += std::to_string(b) + " " + names[static_cast<int>(p[b].role)];
    if (p[b].role == plan_role::copy) all += " " + std::to_string(p[b].executes);
    if (p[b].role == plan_role::guard)
      all +=
          " v" + std::to_string(p[b].variable) + " in " + std::to_string(p[b].low) + ".." + std::to_string(p[b].high);
    if (p[b].leaves) all += " leaves";
    for (const flow_plan::edge& e : p.successors(b)) {
      all += " -> " + std::to_string(e.to) + "(";
      p.for_each_assignment(
          e, [&](plan_assignment a) { all += " v" + std::to_string(a.variable) + "=" + std::to_string(a.value); });
      all += ")";
    }
    all += "\n";
  }
  return all;
}
inline std::string text(std::uint64_t seed, const csr_graph& g, const flow_plan& p) {
  return "seed " + std::to_string(seed) + "\n" + to_dot(g) + text(p);
}

inline std::vector<std::uint32_t> ranks(const csr_graph& g) {
  std::vector<std::uint32_t> rank(g.num_blocks(), 0);
  const auto order = depth_first_order(g);
  std::uint32_t next = 0;
  std::vector<unsigned char> seen(g.num_blocks(), 0);
  for (const block_id b : order.rpo()) {
    rank[b] = next++;
    seen[b] = 1;
  }
  for (block_id b = 0; b < g.num_blocks(); ++b)
    if (seen[b] == 0) rank[b] = next++;
  return rank;
}

/// The blocks of the graph that each thread executes, under one policy.
template <class Policy>
std::vector<std::vector<block_id>> run(const Policy& policy, const flow_plan& plan, const testing::random_walks& walks,
                                       std::uint32_t threads, std::uint64_t steps, verdict& how) {
  std::vector<std::vector<block_id>> paths(threads);
  planned_program program(plan, walks.graph(), callable_program(testing::walking_threads(walks, threads)));
  overloaded watch{[&](const event::issued<lane_mask>& e) {
    if (plan[e.block].role != plan_role::original && plan[e.block].role != plan_role::copy) return;
    e.lanes.for_each([&](std::uint32_t lane) { paths[e.first_thread + lane].push_back(plan[e.block].executes); });
  }};
  executor<Policy> machine(policy);
  how = machine.run(program, {.threads = threads, .warp_width = 8, .entry = plan.entry()}, watch, {.steps = steps});
  return paths;
}

/// The plan is proved, and each thread goes as it goes alone under all three policies. In graphs where threads may
/// never end, as far as they came. \pre the graph has a block
inline void check_same(std::uint64_t seed, const csr_graph& g, const flow_plan& plan, std::uint32_t threads = 8) {
  const std::optional<plan_fault> fault = check_plan(g, plan);
  REQUIRE_MESSAGE(!fault, describe(*fault, plan) << text(seed, g, plan));
  const testing::random_walks walks(g, {.seed = seed, .patience = 4});
  const csr_graph shape = snapshot(plan);
  const auto pdom = post_dominators(shape);
  const bool ends = post_dominators(g).reaches_exit(g.entry());
  const std::uint64_t steps = ends ? 1'000'000 : 400;
  const std::vector<std::uint32_t> rank = ranks(shape);
  std::vector<std::vector<block_id>> alone;
  for (std::uint32_t t = 0; t < threads; ++t) alone.push_back(walks.path(t, ends ? 100'000 : 500));
  const auto check = [&](const char* name, const std::vector<std::vector<block_id>>& paths, const verdict& how) {
    if (ends) REQUIRE_MESSAGE(how.finished(), name << ": " << describe(how) << "\n" << text(seed, g, plan));
    for (std::uint32_t t = 0; t < threads; ++t) {
      std::vector<block_id> expected = alone[t];
      if (!ends && paths[t].size() < expected.size()) expected.resize(paths[t].size());
      REQUIRE_MESSAGE(paths[t] == expected, name << ": thread " << t << " went " << text(paths[t]) << ", alone "
                                                 << text(expected) << "\n"
                                                 << text(seed, g, plan));
    }
  };
  verdict how;
  const auto stack = run(policies::ipdom_stack(pdom.ids().ipdoms()), plan, walks, threads, steps, how);
  check("ipdom_stack", stack, how);
  const auto frontier = run(policies::thread_frontier(rank), plan, walks, threads, steps, how);
  check("thread_frontier", frontier, how);
  const auto least = run(policies::min_pc(rank), plan, walks, threads, steps, how);
  check("min_pc", least, how);
}

/// Checks that after a plan each convergent block dominates and post-dominates the blocks that it did before, so that
/// threads come together there as before. Returns what is wrong.
template <class Convergent>
std::string wrong_meeting(const csr_graph& g, const flow_plan& plan, const Convergent& convergent) {
  const csr_graph now = snapshot(plan);
  const auto up = dominators(g), up_now = dominators(now);
  const auto down = post_dominators(g), down_now = post_dominators(now);
  for (block_id c = 0; c < g.num_blocks(); ++c) {
    if (!convergent(c) || !up.is_reachable(c)) continue;
    for (block_id b = 0; b < g.num_blocks(); ++b) {
      if (!up.is_reachable(b)) continue;
      const auto differ = [&](const char* what) {
        return std::string(what) + " of block " + std::to_string(b) + " and convergent block " + std::to_string(c);
      };
      if (up.dominates(c, b) != up_now.dominates(c, b)) return differ("dominance");
      if (down.post_dominates(c, b) != down_now.post_dominates(c, b)) return differ("post-dominance");
    }
  }
  return {};
}

/// Every block reaches an exit.
inline bool always_ends(const csr_graph& g) {
  const auto pdom = post_dominators(g);
  for (block_id b = 0; b < g.num_blocks(); ++b)
    if (dominators(g).is_reachable(b) && !pdom.reaches_exit(b)) return false;
  return true;
}

/// Random graphs of any kind: acyclic, reducible, irreducible, switches, parallel edges, self loops, several exits and
/// none, exits in the middle, unreachable blocks, endless loops.
inline csr_graph random_graph(testing::rng& random, std::size_t blocks = 12) {
  testing::cfg_options options;
  options.blocks = random.between(1, blocks);
  options.max_successors = random.between(1, 4);
  options.loops = random.chance(80);
  options.reducible = random.chance(35);
  options.exits = options.loops && random.chance(8) ? 0 : random.between(1, 3);
  options.terminating = options.exits > 0 && random.chance(70);
  options.exit_mark_percent = random.chance(30) ? 20 : 0;
  options.unreachable_percent = random.chance(20) ? 20 : 0;
  return testing::random_cfg(random, options);
}

/// Random graphs inside the blocks of a random graph: a block becomes a small graph of its own, followed by a block
/// that has the branch of the old one.
inline csr_graph random_nest(testing::rng& random) {
  const csr_graph outer = random_graph(random, 8);
  std::vector<std::vector<block_id>> out(outer.num_blocks());
  for (block_id b = 0; b < outer.num_blocks(); ++b)
    out[b].assign(outer.successors(b).begin(), outer.successors(b).end());
  std::vector<unsigned char> ends(outer.num_blocks(), 0);
  for (block_id b = 0; b < outer.num_blocks(); ++b) ends[b] = outer.is_exit(b) ? 1 : 0;
  for (block_id b = 0; b < outer.num_blocks(); ++b) {
    if (random.chance(40)) continue;
    const csr_graph inner = random_graph(random, 7);
    const block_id first = static_cast<block_id>(out.size()), last = first + static_cast<block_id>(inner.num_blocks());
    if (inner.num_blocks() == 0) continue;
    out.resize(last + std::size_t{1});
    ends.resize(out.size(), 0);
    out[last].swap(out[b]);
    std::swap(ends[last], ends[b]);
    out[b].assign(1, first + inner.entry());
    for (block_id i = 0; i < inner.num_blocks(); ++i) {
      for (const block_id s : inner.successors(i)) out[first + i].push_back(first + s);
      if (inner.is_exit(i)) out[first + i].push_back(last);
    }
  }
  csr_builder builder(out.size(), outer.num_blocks() == 0 ? 0 : outer.entry());
  for (block_id b = 0; b < out.size(); ++b) {
    for (const block_id s : out[b]) builder.add_edge(b, s);
    if (ends[b] != 0) builder.mark_exit(b);
  }
  return builder.build();
}

/// Random nests made over with make(graph, convergent), which returns hubs_made: whatever a convergent block dominates
/// and post-dominates stays, what is refused is convergent, and threads go as before. Counts hubs, graphs with a
/// refusal, and graphs with both.
struct hubs_tally {
  std::size_t hubs = 0, refused = 0, both = 0;
};
template <class Make>
hubs_tally check_hubs_around_convergent(const Make& make) {
  hubs_tally all;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    testing::rng random(seed);
    const csr_graph h = random_nest(random);
    if (h.num_blocks() == 0 || !always_ends(h)) continue;
    const auto convergent = [&](block_id b) { return testing::mix_bits(seed * 1000 + b) % 16 == 0; };
    const auto done = make(h, convergent);
    REQUIRE_MESSAGE(wrong_meeting(h, done.plan, convergent) == "", text(seed, h, done.plan));
    for (const block_id b : done.refused) CHECK(convergent(b));
    all.hubs += done.hubs;
    all.refused += done.refused.empty() ? 0 : 1;
    all.both += done.refused.empty() || done.hubs == 0 ? 0 : 1;
    if (seed % 8 == 0) check_same(seed, h, done.plan);
  }
  return all;
}

/// Loops in loops, `depth` of them: h(0) -> h(1) -> ... -> inner -> t(depth - 1) -> ... -> t(0) -> end, each t(i) ->
/// h(i) too. With `side`, the end is also entered from every t(i), and with `entries` there is a way in at every t(i).
inline csr_graph nest(block_id depth, bool side, bool entries) {
  const block_id inner = depth + 1, end = 2 * depth + 2;
  csr_builder builder(end + std::size_t{1});
  for (block_id i = 0; i < depth; ++i) {
    const block_id h = 1 + i, t = end - 1 - i;
    builder.add_edge(h - 1, h);
    builder.add_edge(t, h);
    builder.add_edge(t, t + 1);
    if (side && i > 0) builder.add_edge(t, end);
    if (entries) builder.add_edge(h - 1, t);
  }
  builder.add_edge(depth, inner);
  builder.add_edge(inner, inner + 1);
  return builder.build();
}

}  // namespace plan_runs
