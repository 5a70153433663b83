// SPDX-License-Identifier: BSL-1.0
//
// Uniformity by other means: joins by flows in the iteration graph and in the graph of the definition with each branch,
// the result by repeating the rules until nothing changes, and threads that run.
#pragma once

#include "analysis/oracles.hpp"
#include <simtflow/analysis/branch_joins.hpp>
#include <simtflow/analysis/uniformity.hpp>
#include <simtflow/simt/maximal_convergence.hpp>
#include <simtflow/testing/ssa_programs.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace simtflow_tests {

using testing::ssa_kind;
using testing::ssa_program;

// --- joins by flows --------------------------------------------------------------------------------------------------

// A directed graph of up to 32 nodes.
struct flow_network {
  std::vector<block_set> out;

  // Two paths from different successors of `from` to `to` that have no node in common but `to`, neither through `from`:
  // an integral flow of two units where every node but these two lets one pass. Node v is v (in) and v + 32 (out).
  [[nodiscard]] bool two_paths(block_id from, block_id to) const {
    const std::size_t n = out.size();
    int ways_in = 0;
    for (const block_set s : out) ways_in += has(s, to) ? 1 : 0;
    if (ways_in < 2 || std::popcount(out[from]) < 2) return false;
    std::uint64_t rest[64] = {};
    for (block_id v = 0; v < n; ++v) {
      if (v != from && v != to) rest[v] |= bit(v + 32);
      if (v == to) continue;
      for (block_set s = out[v]; s != 0; s &= s - 1)
        if (lowest(s) != from) rest[v + 32] |= bit(lowest(s));
    }
    for (int unit = 0; unit < 2; ++unit) {
      std::uint32_t back[64] = {};
      std::uint64_t work = bit(from + 32), seen = work;
      while (work != 0 && (seen & bit(to)) == 0) {
        const auto v = static_cast<std::uint32_t>(std::countr_zero(work));
        work &= work - 1;
        for (std::uint64_t fresh = rest[v] & ~seen; fresh != 0; fresh &= fresh - 1) {
          const auto w = static_cast<std::uint32_t>(std::countr_zero(fresh));
          back[w] = v;
          seen |= bit(w);
          work |= bit(w);
        }
      }
      if ((seen & bit(to)) == 0) return false;
      for (std::uint32_t w = to; w != from + 32; w = back[w]) {
        rest[back[w]] &= ~bit(w);
        if (w != to) rest[w] |= bit(back[w]);
      }
    }
    return true;
  }
  static std::uint64_t bit(std::uint32_t v) { return std::uint64_t{1} << v; }
};

struct loop_facts {
  block_set blocks;
  block_id header;
  bool irreducible;
};

inline std::vector<loop_facts> facts_of(const csr_graph& g) {
  std::vector<loop_facts> found;
  const loop_forest<csr_graph> forest(g);
  for (const loop_id l : ids_below<loop_id>(forest.num_loops()))
    found.push_back({to_set(forest.blocks(l)), forest.header(l), forest.is_irreducible(l)});
  return found;
}

// The iteration graph: block b, iteration end n + l.
struct naive_iterations {
  small_graph g;
  std::vector<loop_facts> loops;
  flow_network net;

  explicit naive_iterations(const csr_graph& graph) : g(graph), loops(facts_of(graph)) {
    net.out.assign(g.n + loops.size(), 0);
    for (block_id b = 0; b < g.n; ++b) {
      if (!has(g.reachable, b)) continue;
      for (block_set s = g.out[b]; s != 0; s &= s - 1) {
        const block_id to = lowest(s);
        net.out[b] |= only(node(b, to));
        for (block_id l = 0; l < loops.size(); ++l)
          if (has(loops[l].blocks, b) && !has(loops[l].blocks, to)) net.out[g.n + l] |= only(node(b, to));
      }
    }
  }
  [[nodiscard]] block_id node(block_id from, block_id to) const {
    for (block_id l = 0; l < loops.size(); ++l)
      if (loops[l].header == to && has(loops[l].blocks, from)) return g.n + l;
    return to;
  }
  [[nodiscard]] block_id block(block_id node) const { return node < g.n ? node : loops[node - g.n].header; }
  [[nodiscard]] block_set joins(block_id b) const {
    block_set found = 0;
    if (!has(g.reachable, b)) return found;
    for (block_id x = 0; x < net.out.size(); ++x)
      if (x != b && net.two_paths(b, x)) found |= only(x);
    return found;
  }
  // `before` is on every path from the entry to `after`.
  [[nodiscard]] bool comes_first(block_id before, block_id after) const {
    if (before == after || !has(g.reachable, before)) return false;
    if (before == g.entry) return true;
    return !has(small_graph::reach(net.out, only(g.entry), ~only(before)), after);
  }
};

// The definition with each branch: headers of loops around it lead to the exits of the loop instead of its successors;
// whoever comes back to the branch itself has come to its header as well. Node n: back at the branch.
inline block_set joins_with_virtual_edges(const naive_iterations& at, block_id branch) {
  const small_graph& g = at.g;
  if (!has(g.reachable, branch)) return 0;
  flow_network net;
  net.out.assign(g.n + 1, 0);
  const auto to_branch = [&](block_set s) { return has(s, branch) ? (s & ~only(branch)) | only(g.n) : s; };
  for (block_id b = 0; b < g.n; ++b)
    if (has(g.reachable, b)) net.out[b] = to_branch(g.out[b]);
  for (const loop_facts& l : at.loops) {
    if (!has(l.blocks, branch)) continue;
    block_set exits = 0;
    for (block_id b = 0; b < g.n; ++b)
      if (has(l.blocks, b)) exits |= g.out[b] & ~l.blocks;
    net.out[l.header == branch ? g.n : l.header] = to_branch(exits);
  }
  block_set found = 0;
  for (block_id x = 0; x <= g.n; ++x)
    if (x != branch && net.two_paths(branch, x)) found |= only(x == g.n ? branch : x);
  return found;
}

inline block_set joins_of(branch_joins<>& joins, block_id b) {
  block_set s = 0;
  for (const block_id x : joins.of(b)) {
    CHECK(!has(s, x));  // each once
    s |= only(x);
  }
  return s;
}

inline void check_joins(const subject& at, branch_joins<>& joins) {
  joins.recompute(at.graph);
  const naive_iterations naive(at.graph);
  const bool reducible = loop_forest<csr_graph>(at.graph).is_reducible();
  for (block_id b = 0; b < naive.g.n; ++b) {
    block_set expected = 0;
    for (block_set s = naive.joins(b); s != 0; s &= s - 1) expected |= only(naive.block(lowest(s)));
    const block_set found = joins_of(joins, b);
    if (found != expected)
      report(at, "joins of " + std::to_string(b) + ": " + show(found) + ", by flows " + show(expected));
    const block_set defined = joins_with_virtual_edges(naive, b);
    if (reducible ? found != defined : false)
      report(at, "joins of " + std::to_string(b) + ": " + show(found) + ", by definition " + show(defined));
  }
}

// --- the result by repetition ----------------------------------------------------------------------------------------

struct naive_result {
  std::vector<unsigned char> value, branch, left, entered;
};

// Every rule, everywhere, until nothing changes.
inline naive_result naive_uniformity(const csr_graph& graph, const ssa_program& p) {
  const naive_iterations laps(graph);
  const small_graph& g = laps.g;
  const std::size_t num = p.num_values();
  naive_result r{std::vector<unsigned char>(num, 0), std::vector<unsigned char>(g.n, 0),
                 std::vector<unsigned char>(laps.loops.size(), 0), std::vector<unsigned char>(laps.loops.size(), 0)};
  std::vector<block_set> joins;
  for (block_id b = 0; b < g.n; ++b) joins.push_back(laps.joins(b));
  bool changed = true;
  const auto set = [&](unsigned char& flag) {
    changed = changed || flag == 0;
    flag = 1;
  };
  const auto value = [&](value_id v) {
    if (!p.is_always_uniform(v) && has(g.reachable, p.block_of(v))) set(r.value[index_of(v)]);
  };
  const auto branch = [&](block_id b) {
    if (has(g.reachable, b) && std::popcount(g.out[b]) > 1) set(r.branch[b]);
  };
  const auto seen_at = [&](value_id v, block_id b) {
    if (r.value[index_of(v)]) return true;
    for (std::size_t l = 0; l < laps.loops.size(); ++l)
      if (r.left[l] && has(laps.loops[l].blocks, p.block_of(v)) && !has(laps.loops[l].blocks, b)) return true;
    return false;
  };
  while (changed) {
    changed = false;
    for (const value_id v : ids_below<value_id>(num)) {
      if (p.is_source(v)) value(v);
      for (const value_id o : p.operands(v))
        if (!p.is_phi(v) && seen_at(o, p.block_of(v))) value(v);
      if (p.is_phi(v))
        for (const auto& in : p.inputs(v))
          if (in.value != no_value && seen_at(in.value, p.block_of(v))) value(v);
    }
    for (block_id b = 0; b < g.n; ++b) {
      if (p.condition(b) != no_value && seen_at(p.condition(b), b)) branch(b);
      if (!r.branch[b]) continue;
      for (block_set s = joins[b]; s != 0; s &= s - 1) {
        const block_id x = lowest(s), y = laps.block(x);
        for (std::size_t l = 0; l < laps.loops.size(); ++l) {
          const loop_facts& f = laps.loops[l];
          const bool inside = has(f.blocks, y);
          if (!inside || has(f.blocks, b) || !f.irreducible) continue;
          set(r.entered[l]);
          set(r.left[l]);
        }
        block_set out = 0;
        for (const loop_facts& l : laps.loops)
          if (has(l.blocks, b) && !has(l.blocks, y) && std::popcount(l.blocks) > std::popcount(out)) out = l.blocks;
        for (std::size_t l = 0; l < laps.loops.size(); ++l)
          if (out != 0 && laps.loops[l].blocks == out) set(r.left[l]);
        for (const value_id v : ids_below<value_id>(num)) {
          if (!p.is_phi(v) || p.block_of(v) != y) continue;
          std::vector<value_id> given;
          for (const auto& in : p.inputs(v)) {
            if (in.value == no_value || !has(g.reachable, in.from) || laps.node(in.from, y) != x) continue;
            if (laps.comes_first(in.from, b) && !has(out, in.from)) continue;
            given.push_back(in.value);
          }
          for (const value_id o : given)
            if (o != given[0]) value(v);
        }
      }
    }
    for (std::size_t l = 0; l < laps.loops.size(); ++l) {
      if (!r.entered[l]) continue;
      const block_set in = laps.loops[l].blocks;
      for (const value_id v : ids_below<value_id>(num))
        if (has(in, p.block_of(v))) value(v);
      for (block_id b = 0; b < g.n; ++b)
        if (p.condition(b) != no_value && has(in, b) && has(in, p.block_of(p.condition(b))) &&
            p.is_always_uniform(p.condition(b)))
          branch(b);
    }
  }
  return r;
}

inline std::string text_of(const ssa_program& p) {
  std::string s;
  for (const value_id v : ids_below<value_id>(p.num_values())) {
    static const char* const kinds[] = {"constant", "source", "vote", "compute", "phi"};
    s += "  " + std::to_string(p.block_of(v)) + ": %" + std::to_string(index_of(v)) + " = " +
         kinds[static_cast<int>(p.values[index_of(v)].kind)];
    for (const value_id o : p.operands(v)) s += " %" + std::to_string(index_of(o));
    for (const auto& in : p.inputs(v))
      s += " [" + (in.value == no_value ? "undef" : "%" + std::to_string(index_of(in.value))) + ", " +
           std::to_string(in.from) + "]";
    s += "\n";
  }
  for (block_id b = 0; b < p.conditions.size(); ++b)
    if (p.conditions[b] != no_value)
      s += "  " + std::to_string(b) + ": branch %" + std::to_string(index_of(p.conditions[b])) + "\n";
  return s;
}

inline void check_result(const subject& at, const ssa_program& p, const uniformity_analysis<csr_graph>& u) {
  const naive_result r = naive_uniformity(at.graph, p);
  for (const value_id v : ids_below<value_id>(p.num_values()))
    if (u.is_divergent(v) != (r.value[index_of(v)] != 0))
      report(at, "value %" + std::to_string(index_of(v)) +
                     (r.value[index_of(v)] ? " is divergent\n" : " is uniform\n") + text_of(p));
  for (block_id b = 0; b < at.graph.num_blocks(); ++b)
    if (u.is_divergent_branch(b) != (r.branch[b] != 0))
      report(at, "branch " + std::to_string(b) + (r.branch[b] ? " is divergent\n" : " is uniform\n") + text_of(p));
  for (const loop_id l : ids_below<loop_id>(r.left.size()))
    if (u.is_left_apart(l) != (r.left[index_of(l)] != 0) || u.is_entered_apart(l) != (r.entered[index_of(l)] != 0))
      report(at, "loop " + std::to_string(index_of(l)) + "\n" + text_of(p));
}

// --- threads ---------------------------------------------------------------------------------------------------------

// Runs threads and compares those that are together: every value that is said to be uniform there must be equal, every
// uniform branch must send them the same way. Counts what was divergent and never seen to differ.
struct watched_runs {
  std::uint64_t instances = 0, shared = 0;

  void check(const subject& at, const ssa_program& p, const uniformity_analysis<csr_graph>& u, std::size_t threads,
             std::size_t steps) {
    const csr_graph& g = at.graph;
    const loop_forest<csr_graph> forest(g);
    detail::iteration_tracker<> tracker(forest.ids());
    tracker.start();
    struct first_visit {
      std::vector<std::uint64_t> values;
      block_id next;
    };
    std::map<std::pair<block_id, std::uint32_t>, first_visit> seen;
    std::vector<std::uint64_t> values;
    bool wrong = false;
    for (std::size_t t = 0; t < threads && !wrong; ++t) {
      std::uint32_t instance = 0;
      testing::run_ssa_thread(
          g, p, t, steps, values,
          [&](block_id b) {
            instance = tracker.enter(t, b, 0);
            return instance * std::uint64_t{64} + b;
          },
          [&](block_id b, std::span<const std::uint64_t> now, block_id next) {
            if (wrong) return;
            const auto entry =
                seen.try_emplace({b, instance}, first_visit{std::vector<std::uint64_t>(now.begin(), now.end()), next});
            ++instances;
            if (entry.second) return;
            ++shared;
            const first_visit& first = entry.first->second;
            const auto same = [&](value_id v) { return first.values[index_of(v)] == now[index_of(v)]; };
            std::string what;
            for (std::uint32_t k = p.first_of_block[b]; k < p.first_of_block[b + 1]; ++k) {
              const value_id v{k};
              if (!u.is_divergent(v) && !same(v)) what += " value %" + std::to_string(index_of(v));
              for (const value_id o : p.operands(v))
                if (!u.is_divergent_at(o, b) && !same(o)) what += " operand %" + std::to_string(index_of(o));
            }
            if (const value_id c = p.condition(b); c != no_value && !u.is_divergent_at(c, b) && !same(c))
              what += " condition %" + std::to_string(index_of(c));
            if (!u.is_divergent_branch(b) && next != first.next) what += " branch";
            if (what.empty()) return;
            wrong = true;
            report(at, "not uniform in block " + std::to_string(b) + ":" + what + "\n" + text_of(p));
          });
    }
  }
};

inline csr_graph graph_of(std::size_t n, std::initializer_list<std::pair<block_id, block_id>> edges) {
  csr_builder b(n);
  for (const auto& [from, to] : edges) b.add_edge(from, to);
  return b.build();
}

// Values by hand: they must come by block.
struct writer {
  ssa_program p;
  explicit writer(std::size_t blocks) {
    p.conditions.assign(blocks, no_value);
    p.first_of_block.assign(blocks + 1, 0);
  }
  value_id add(ssa_kind kind, block_id b, std::vector<value_id> operands = {}) {
    p.values.push_back({kind, b, 0, std::move(operands), {}});
    return static_cast<value_id>(p.values.size() - 1);
  }
  value_id phi(block_id b, std::vector<phi_input<block_id>> inputs) {
    p.values.push_back({ssa_kind::phi, b, 0, {}, std::move(inputs)});
    return static_cast<value_id>(p.values.size() - 1);
  }
};

}  // namespace simtflow_tests
