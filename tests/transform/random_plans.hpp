// SPDX-License-Identifier: BSL-1.0
//
// Plans that change anything about a graph but what it does: blocks are copied and their ways in shared out, edges go
// through empty blocks, some or all of them through guards that send threads on by a variable, threads that end go to
// one end. No sensible transform; everything that a plan can say comes up.
#pragma once

#include <simtflow/graph/csr.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace plan_test {

using namespace simtflow;

struct plan_edge {
  block_id from;
  std::uint32_t slot;
};

/// All edges of a plan as it is now.
inline std::vector<plan_edge> edges_of(const flow_plan& p) {
  std::vector<plan_edge> all;
  for (block_id b = 0; b < p.num_blocks(); ++b)
    for (std::uint32_t k = 0; k < p.successors(b).size(); ++k) all.push_back({b, k});
  return all;
}

/// Every edge into b has one chance in two to lead to a copy instead.
inline void split(flow_plan& p, testing::rng& random, block_id b) {
  const block_id twin = p.add_copy(b);
  for (const plan_edge& e : edges_of(p))
    if (p.successors(e.from)[e.slot].to == b && random.chance(50)) p.set_edge(e.from, e.slot, twin);
}

/// The edges go to guards, which find out where each thread wanted to go: one after the other, or by halves.
inline void dispatch(flow_plan& p, testing::rng& random, const std::vector<plan_edge>& edges) {
  std::vector<block_id> targets;
  const std::uint32_t v = p.add_variable();
  const std::uint32_t base = random.chance(50) ? 0 : static_cast<std::uint32_t>(random.below(0xFFFF'0000U));
  std::vector<std::uint32_t> number;
  for (const plan_edge& e : edges) {
    const block_id to = p.successors(e.from)[e.slot].to;
    std::uint32_t k = 0;
    while (k < targets.size() && targets[k] != to) ++k;
    if (k == targets.size()) targets.push_back(to);
    number.push_back(k);
  }
  struct range {
    std::size_t low, high;  // of targets
    block_id from;          // what leads there
    std::uint32_t slot;
  };
  const block_id hub = p.add_empty();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    p.assign(edges[i].from, edges[i].slot, {v, base + number[i]});
    p.set_edge(edges[i].from, edges[i].slot, hub);
  }
  std::vector<range> work{{0, targets.size() - 1, hub, 0}};
  while (!work.empty()) {
    const range r = work.back();
    work.pop_back();
    if (r.low == r.high) {
      p.set_edge(r.from, r.slot, targets[r.low]);
      continue;
    }
    const std::size_t last = random.chance(50) ? r.low : (r.low + r.high) / 2;  // of those in slot 0
    const block_id g =
        p.add_guard(v, base + static_cast<std::uint32_t>(r.low), base + static_cast<std::uint32_t>(last));
    p.set_edge(r.from, r.slot, g);
    work.push_back({r.low, last, g, 0});
    work.push_back({last + 1, r.high, g, 1});
  }
}

/// A plan of that seed. \pre the graph has a block
inline flow_plan random_plan(const csr_graph& g, std::uint64_t seed) {
  testing::rng random(seed);
  flow_plan p(g);
  for (std::size_t steps = 1 + random.below(4); steps > 0; --steps) {
    const std::vector<plan_edge> all = edges_of(p);
    switch (random.below(7)) {
      case 0: {
        const auto b = static_cast<block_id>(random.below(p.num_blocks()));
        if (p[b].role != plan_role::empty || !p.successors(b).empty()) split(p, random, b);
        break;
      }
      case 1:
      case 2: {
        std::vector<plan_edge> some;
        const std::uint32_t share = random.chance(30) ? 100 : static_cast<std::uint32_t>(random.below(100));
        for (const plan_edge& e : all)
          if (random.chance(share)) some.push_back(e);
        if (!some.empty()) dispatch(p, random, some);
        break;
      }
      case 3: {  // everybody ends in one place
        const block_id end = p.add_empty(true);
        for (block_id b = 0; b < end; ++b)
          if (p[b].leaves && !p[b].exit_edge && random.chance(80)) p.add_exit_edge(b, end);
        break;
      }
      case 4:
        for (const plan_edge& e : all)
          if (random.chance(30)) {
            const block_id between = p.add_empty();
            p.set_edge(between, 0, p.successors(e.from)[e.slot].to);
            p.set_edge(e.from, e.slot, between);
          }
        break;
      case 5: {  // variables that are set and never tested, or tested and never set
        const std::uint32_t v = p.add_variable();
        for (const plan_edge& e : all)
          if (random.chance(20)) p.assign(e.from, e.slot, {v, static_cast<std::uint32_t>(random.below(3))});
        const std::uint32_t zero = p.add_variable();
        if (all.empty()) break;
        const plan_edge e = all[random.below(all.size())];
        const block_id test = p.add_guard(random.chance(50) ? zero : v, 0, random.chance(50) ? 0xFFFF'FFFFU : 2);
        p.set_edge(test, 0, p.successors(e.from)[e.slot].to);
        p.set_edge(test, 1, p.successors(e.from)[e.slot].to);
        p.set_edge(e.from, e.slot, test);
        break;
      }
      default: {  // the first time round is another copy of the entry: a variable that begins as zero says so
        const std::uint32_t v = p.add_variable();
        const block_id first = p.entry();
        if (p[first].role != plan_role::original) break;
        const block_id twin = p.add_copy(first);
        const block_id test = p.add_guard(v, 0, 0);
        for (const plan_edge& e : edges_of(p))
          if (p.successors(e.from)[e.slot].to == first && e.from != test) p.set_edge(e.from, e.slot, test);
        p.set_edge(test, 0, twin);
        p.set_edge(test, 1, first);
        for (std::uint32_t k = 0; k < p.successors(twin).size(); ++k) p.assign(twin, k, {v, 1});
        for (std::uint32_t k = 0; k < p.successors(first).size(); ++k) p.assign(first, k, {v, 1});
        p.set_entry(test);
        break;
      }
    }
  }
  return p;
}

/// A plan in lines, for messages: "3 guard v0 in 1..2: 4 [v1 = 5], 7".
inline std::string text_of(const flow_plan& p) {
  std::string s = "entry " + std::to_string(p.entry()) + "\n";
  for (block_id b = 0; b < p.num_blocks(); ++b) {
    s += std::to_string(b);
    const plan_block& w = p[b];
    if (w.role == plan_role::original) s += " original";
    if (w.role == plan_role::copy) s += " copy of " + std::to_string(w.executes);
    if (w.role == plan_role::empty) s += " empty";
    if (w.role == plan_role::guard)
      s += " guard v" + std::to_string(w.variable) + " in " + std::to_string(w.low) + ".." + std::to_string(w.high);
    s += w.leaves ? " leaves" : "";
    s += w.exit_edge ? " exit edge:" : ":";
    for (const auto& e : p.successors(b)) {
      s += " " + std::to_string(e.to);
      p.for_each_assignment(e, [&](plan_assignment a) {
        s += " [v" + std::to_string(a.variable) + " = " + std::to_string(a.value) + "]";
      });
    }
    s += "\n";
  }
  return s;
}

}  // namespace plan_test
