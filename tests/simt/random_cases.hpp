// SPDX-License-Identifier: BSL-1.0
//
// Random programs for tests over all policies, each with its threads' ways walked alone, without any executor: that is
// the oracle of every run.
#pragma once

#include "simt/policy_table.hpp"
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/simt/calls.hpp>
#include <simtflow/testing/generate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace policy_table {

enum class family { acyclic, structured, break_continue, reducible, irreducible, barriers, calls };
inline constexpr family all_families[] = {family::acyclic,   family::structured,  family::break_continue,
                                          family::reducible, family::irreducible, family::barriers,
                                          family::calls};
// Those that are one function without barriers.
inline constexpr family plain_families[] = {family::acyclic, family::structured, family::break_continue,
                                            family::reducible, family::irreducible};

struct random_case {
  family kind{};
  std::uint64_t seed = 0;
  csr_graph graph{};  // calls: of all functions, with an edge for every call and every return
  std::vector<unsigned char> uniform{}, barriers{};
  std::vector<block_id> meet{}, return_blocks{};  // calls: reconvergence points of each function; see calls.hpp
  launch shape{};
  std::vector<std::vector<block_id>> paths{};    // by thread
  std::vector<std::vector<block_id>> targets{};  // by thread: what it does after each block of its path

  [[nodiscard]] std::uint64_t visits() const {
    std::uint64_t sum = 0;
    for (const auto& p : paths) sum += p.size();
    return sum;
  }
};

inline std::string text(const random_case& c) {
  std::string all = "seed " + std::to_string(c.seed) + ", family " + std::to_string(static_cast<int>(c.kind)) + ", " +
                    std::to_string(c.shape.threads) + " threads in warps of " + std::to_string(c.shape.warp_width) +
                    "\n" + to_dot(c.graph);
  for (std::size_t t = 0; t < c.paths.size(); ++t) {
    all += "thread " + std::to_string(t) + ":";
    for (const block_id b : c.paths[t]) all += " " + std::to_string(b);
    all += "\n";
  }
  return all;
}

// Threads walk at random, every thread in its own way (`alike`: all in the same).
inline void walk(random_case& c, bool alike = false) {
  const std::vector<unsigned char> all(c.graph.num_blocks(), 1);
  const testing::random_walks walks(c.graph, {.seed = c.seed, .patience = 4}, alike ? all : c.uniform);
  c.paths.clear();
  c.targets.clear();
  for (std::uint32_t t = 0; t < c.shape.threads; ++t) {
    c.paths.push_back(walks.path(t));
    c.targets.emplace_back(c.paths[t].begin() + 1, c.paths[t].end());
    c.targets[t].push_back(no_block);
  }
}

namespace detail {

// Functions; each may call functions with higher numbers, directly or through a pointer (by thread).
inline void make_calls(random_case& c, testing::rng& random) {
  std::vector<csr_graph> function(random.between(2, 4));
  std::vector<block_id> first;
  block_id n = 0;
  for (csr_graph& f : function) {
    f = testing::random_cfg(random, {.blocks = random.between(1, 6),
                                     .max_successors = random.between(1, 3),
                                     .reducible = random.chance(60),
                                     .terminating = true,
                                     .exit_mark_percent = random.chance(30) ? 20U : 0U});
    first.push_back(n);
    n += static_cast<block_id>(f.num_blocks());
  }
  first.push_back(n);
  c.return_blocks.assign(n, no_block);
  c.meet.assign(n, no_block);
  std::vector<std::size_t> of(n);
  std::vector<std::vector<std::size_t>> callees(n);  // one: a direct call; more: by thread
  for (std::size_t f = 0; f < function.size(); ++f) {
    const auto pdom = post_dominators(function[f]);
    for (block_id b = 0; b < function[f].num_blocks(); ++b) {
      const block_id at = first[f] + b;
      of[at] = f;
      if (pdom.ipdoms()[b] != no_block) c.meet[at] = first[f] + pdom.ipdoms()[b];
      if (f + 1 == function.size() || function[f].successors(b).size() != 1 || function[f].is_exit(b) ||
          !random.chance(60))
        continue;
      c.return_blocks[at] = c.meet[at] = first[f] + function[f].successors(b)[0];
      for (std::size_t g = f + 1; g < function.size(); ++g) callees[at].push_back(g);
      if (random.chance(50)) callees[at].assign(1, random.between(f + 1, function.size() - 1));
    }
  }
  const bool ends = random.chance(40);  // some threads end inside of a function
  const auto entry = [&](std::size_t f) { return first[f] + function[f].entry(); };

  csr_builder builder(n, entry(0));
  std::vector<std::vector<block_id>> back(function.size());  // where a function may return to
  for (block_id b = 0; b < n; ++b)
    for (const std::size_t g : callees[b]) back[g].push_back(c.return_blocks[b]);
  for (block_id b = 0; b < n; ++b) {
    const csr_graph& f = function[of[b]];
    const block_id local = b - first[of[b]];
    if (!callees[b].empty()) {
      for (const std::size_t g : callees[b]) builder.add_edge(b, entry(g));
      continue;
    }
    for (const block_id s : f.successors(local)) builder.add_edge(b, first[of[b]] + s);
    if (!f.is_exit(local)) continue;
    for (const block_id s : back[of[b]]) builder.add_edge(b, s);
    if (of[b] == 0 || ends) builder.mark_exit(b);
  }
  c.graph = builder.build();

  // The walk: calling in earnest, with a stack.
  std::vector<testing::random_walks> walks;
  for (const csr_graph& f : function) walks.emplace_back(f, testing::walk_options{.seed = c.seed, .patience = 3});
  for (std::uint32_t t = 0; t < c.shape.threads; ++t) {
    std::vector<block_id> stack, path, targets;
    std::vector<std::uint32_t> visits(n, 0);
    block_id b = entry(0);
    while (b != no_block) {
      path.push_back(b);
      const std::size_t f = of[b];
      if (!callees[b].empty()) {
        stack.push_back(c.return_blocks[b]);
        b = entry(callees[b][t % callees[b].size()]);
        targets.push_back(b);
        continue;
      }
      const block_id next = walks[f].next(t, b - first[f], visits[b]++);
      b = next == no_block ? no_block : first[f] + next;
      const bool over = ends && testing::mix_bits(c.seed + 977 * t + path.size()) % 6 == 0;
      targets.push_back(b == no_block && !over ? return_to_caller : b);
      if (b == no_block && !over && !stack.empty()) {
        b = stack.back();
        stack.pop_back();
      }
    }
    c.paths.push_back(path);
    c.targets.push_back(targets);
  }
}

}  // namespace detail

inline random_case make_case(family kind, std::uint64_t seed, std::uint32_t width = 8) {
  testing::rng random(testing::mix_bits(seed) + static_cast<std::uint64_t>(kind));
  random_case c;
  c.kind = kind;
  c.seed = seed;
  c.shape.threads = static_cast<std::uint32_t>(random.between(1, 2 * width));
  c.shape.warp_width = static_cast<std::uint32_t>(random.between(1, width));
  if (kind == family::calls) {
    detail::make_calls(c, random);
  } else if (kind == family::structured || kind == family::break_continue || kind == family::barriers) {
    testing::program_options options;
    options.statements = random.between(1, 9);
    options.break_continue = kind == family::break_continue || (kind == family::barriers && random.chance(50));
    options.barriers = kind == family::barriers;
    if (options.barriers) options.uniform_percent = 60;
    auto made = testing::random_structured_program(random, options);
    c.graph = made.graph;
    c.uniform = made.uniform;
    if (options.barriers) c.barriers.assign(c.graph.num_blocks(), 0);
    for (const block_id b : made.barriers) c.barriers[b] = 1;
    if (options.barriers && random.chance(30)) c.barriers.back() = 1;  // all threads end at one
  } else {
    testing::cfg_options options;
    options.exits = random.between(1, 3);
    options.loops = kind != family::acyclic;
    options.reducible = kind == family::reducible;
    options.terminating = true;
    options.exit_mark_percent = random.chance(30) ? 20 : 0;
    options.unreachable_percent = random.chance(20) ? 20 : 0;
    do {  // about every second graph with two ways or more is irreducible
      options.blocks = random.between(kind == family::irreducible ? 4 : 1, 10);
      options.max_successors = random.between(kind == family::irreducible ? 2 : 1, 4);
      c.graph = testing::random_cfg(random, options);
    } while (kind == family::irreducible && loops(c.graph).is_reducible());
  }
  c.shape.entry = c.graph.entry();
  if (kind != family::calls) walk(c);
  return c;
}

// The threads of a case as a program: each goes its own way, whoever goes with it.
class solo_threads {
 public:
  explicit solo_threads(const random_case& c) : case_(&c), at_(c.targets.size(), 0) {}
  template <class Mask>
  block_end run(block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) {
    g.lanes.for_each([&](std::uint32_t lane) {
      const std::vector<block_id>& mine = case_->targets[g.first_thread + lane];
      std::size_t& at = at_[g.first_thread + lane];
      out.go(at < mine.size() ? mine[at] : no_block, Mask::lane(lane));
      ++at;
    });
    return b < case_->barriers.size() && case_->barriers[b] != 0 ? block_end::barrier : block_end::next;
  }

 private:
  const random_case* case_;
  std::vector<std::size_t> at_;
};

// Runs a case under a policy.
inline record run_case(const entry& policy, const random_case& c, material& m, const launch& shape,
                       std::uint64_t steps = 1'000'000) {
  m.warp_width = shape.warp_width;
  solo_threads threads(c);
  if (c.kind != family::calls)
    return policy.run(
        m, shape, [&](block_id b, const group& g, partition& out) { return threads.run(b, g, out); }, steps);
  call_program program(threads, c.return_blocks, shape.threads);
  m.depths = program.depths();
  record r = policy.run(
      m, shape, [&](block_id b, const group& g, partition& out) { return program.run(b, g, out); }, steps);
  m.depths = {};
  return r;
}

inline record run_case(const entry& policy, const random_case& c, material& m) {
  launch shape = c.shape;
  shape.barriers = policy.barriers();
  return run_case(policy, c, m, shape);
}

// Whether a policy can run the case to its end, as far as its claims go.
inline bool takes(const entry& policy, const random_case& c, const material& m) {
  if (policy.what.is(structured_only) && m.code.empty()) return false;
  return c.barriers.empty() || policy.can.parks || policy.what.is(meets_whole);
}

// Fetches that no schedule of the warps can do without: for each warp and block the most visits of one thread; where
// warps are formed anew, for each block, and no more threads in a fetch than a warp has lanes.
inline std::uint64_t least_fetches(const random_case& c, const launch& shape, policy_scope scope) {
  std::uint64_t least = 0;
  const std::uint32_t group = scope == policy_scope::warp ? shape.warp_width : shape.threads;
  for (std::uint32_t first = 0; first < shape.threads; first += group) {
    std::map<block_id, std::uint64_t> most, all;
    for (std::uint32_t t = first; t < shape.threads && t < first + group; ++t) {
      std::map<block_id, std::uint64_t> mine;
      for (const block_id b : c.paths[t]) {
        most[b] = std::max(most[b], ++mine[b]);
        ++all[b];
      }
    }
    for (const auto& [b, n] : all) least += std::max(most[b], (n + shape.warp_width - 1) / shape.warp_width);
  }
  return least;
}

}  // namespace policy_table
