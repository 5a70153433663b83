// SPDX-License-Identifier: BSL-1.0
//
// Seeded mistakes in plans, and an oracle for check_plan(): lanes that walk through a plan one block after the other,
// by every outcome, with the values of all variables. Nothing is shared with the checker but the plan.
#pragma once

#include <simtflow/graph/csr.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/transform/plan.hpp>
#include <simtflow/transform/plan_fault.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace plan_edits {

using namespace simtflow;

/// A plan with parts that can all be changed.
struct loose_plan {
  struct way {
    block_id to;
    std::vector<plan_assignment> sets;
  };
  struct block {
    plan_block what;
    std::vector<way> ways;
  };
  block_id entry = no_block;
  std::uint32_t variables = 0;
  std::vector<block> blocks;

  explicit loose_plan(const flow_plan& p) : entry(p.entry()), variables(p.num_variables()) {
    for (block_id b = 0; b < p.num_blocks(); ++b) {
      blocks.push_back({p[b], {}});
      for (const flow_plan::edge& e : p.successors(b)) {
        blocks.back().ways.push_back({e.to, {}});
        p.for_each_assignment(e, [&](plan_assignment a) { blocks.back().ways.back().sets.push_back(a); });
      }
    }
  }

  /// The plan of it for g. A copy has as many edges as the block that it executes has outcomes.
  flow_plan make(const csr_graph& g) const {
    flow_plan p(g);
    for (std::uint32_t v = 0; v < variables; ++v) p.add_variable();
    for (block_id b = static_cast<block_id>(g.num_blocks()); b < blocks.size(); ++b) {
      const plan_block& what = blocks[b].what;
      if (what.role == plan_role::guard)
        p.add_guard(what.variable, what.low, what.high);
      else if (what.role == plan_role::empty)
        p.add_empty(blocks[b].ways.empty());
      else
        p.add_copy(what.executes);
    }
    for (block_id b = 0; b < blocks.size(); ++b) {
      if (blocks[b].what.exit_edge && p[b].leaves) p.add_exit_edge(b, 0);
      const std::size_t slots = p.successors(b).size();
      for (std::size_t k = 0; k < slots && k < blocks[b].ways.size(); ++k) {
        p.set_edge(b, k, blocks[b].ways[k].to);
        for (const plan_assignment& a : blocks[b].ways[k].sets) p.assign(b, k, a);
      }
    }
    p.set_entry(entry);
    return p;
  }
};

/// Makes one mistake. \returns what was done, in words; empty if nothing could be.
inline std::string edit(loose_plan& p, testing::rng& random) {
  const auto any_block = [&] { return static_cast<block_id>(random.below(p.blocks.size())); };
  const auto any_variable = [&] { return static_cast<std::uint32_t>(random.below(p.variables)); };
  struct place {
    block_id b;
    std::size_t k, i;
  };
  std::vector<place> edges, sets, guards, copies, ends;
  for (block_id b = 0; b < p.blocks.size(); ++b) {
    const plan_block& what = p.blocks[b].what;
    if (what.role == plan_role::guard) guards.push_back({b, 0, 0});
    if (what.role == plan_role::copy) copies.push_back({b, 0, 0});
    if (what.exit_edge) ends.push_back({b, 0, 0});
    for (std::size_t k = 0; k < p.blocks[b].ways.size(); ++k) {
      edges.push_back({b, k, 0});
      for (std::size_t i = 0; i < p.blocks[b].ways[k].sets.size(); ++i) sets.push_back({b, k, i});
    }
  }
  const auto pick = [&](const std::vector<place>& from) { return from[random.below(from.size())]; };
  const auto at = [](place x) { return " of block " + std::to_string(x.b) + " slot " + std::to_string(x.k); };
  const auto near = [&](std::uint32_t x) {
    return random.chance(50) ? x + 1 : random.chance(50) ? x - 1 : static_cast<std::uint32_t>(random.below(5));
  };
  switch (random.below(13)) {
    case 0:
    case 1: {
      if (edges.empty()) return {};
      const place e = pick(edges);
      p.blocks[e.b].ways[e.k].to = any_block();
      return "target" + at(e);
    }
    case 2: {
      if (sets.empty()) return {};
      const place s = pick(sets);
      std::uint32_t& value = p.blocks[s.b].ways[s.k].sets[s.i].value;
      value = near(value);
      return "value" + at(s);
    }
    case 3: {
      if (sets.empty()) return {};
      const place s = pick(sets);
      auto& list = p.blocks[s.b].ways[s.k].sets;
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(s.i));
      return "dropped assignment" + at(s);
    }
    case 4: {
      if (sets.empty()) return {};
      const place s = pick(sets);
      p.blocks[s.b].ways[s.k].sets[s.i].variable = any_variable();
      return "variable" + at(s);
    }
    case 5: {
      if (edges.empty() || p.variables == 0) return {};
      const place e = pick(edges);
      p.blocks[e.b].ways[e.k].sets.push_back({any_variable(), static_cast<std::uint32_t>(random.below(4))});
      return "new assignment" + at(e);
    }
    case 6:
    case 7: {
      if (guards.empty()) return {};
      plan_block& g = p.blocks[pick(guards).b].what;
      if (random.chance(30)) {
        g.variable = any_variable();
        return "variable of a guard";
      }
      std::uint32_t& bound = random.chance(50) ? g.low : g.high;
      bound = near(bound);
      if (g.low > g.high) std::swap(g.low, g.high);
      return "range of a guard";
    }
    case 8: {
      if (edges.empty()) return {};
      const place e = pick(edges);
      auto& ways = p.blocks[e.b].ways;
      const std::size_t other = random.below(ways.size());
      if (random.chance(50)) {
        std::swap(ways[e.k], ways[other]);
        return "swapped slots" + at(e);
      }
      std::swap(ways[e.k].to, ways[other].to);
      return "swapped targets" + at(e);
    }
    case 9: {
      if (copies.empty()) return {};
      const place c = pick(copies);
      std::size_t originals = 0;
      while (originals < p.blocks.size() && p.blocks[originals].what.role == plan_role::original) ++originals;
      p.blocks[c.b].what.executes = static_cast<block_id>(random.below(originals));
      return "what copy " + std::to_string(c.b) + " executes";
    }
    case 10:
      p.entry = any_block();
      return "entry";
    case 11: {
      if (ends.empty()) return {};
      const place e = pick(ends);
      p.blocks[e.b].what.exit_edge = false;
      return "no exit edge of block " + std::to_string(e.b);
    }
    default: {
      if (edges.empty()) return {};
      const place e = pick(edges);
      p.blocks[e.b].ways[e.k] = pick(edges).b == e.b ? p.blocks[e.b].ways[0] : p.blocks[pick(edges).b].ways[0];
      return "way" + at(e);
    }
  }
}

/// g, but a block has an outcome more or less, or threads may end in another one.
inline csr_graph other_outcomes(const csr_graph& g, testing::rng& random) {
  const auto changed = static_cast<block_id>(random.below(g.num_blocks()));
  const std::uint64_t how = random.below(3);
  csr_builder builder(g.num_blocks(), g.entry());
  for (block_id b = 0; b < g.num_blocks(); ++b) {
    const auto out = g.successors(b);
    for (std::size_t k = b == changed && how == 0 ? 1 : 0; k < out.size(); ++k) builder.add_edge(b, out[k]);
    if (b == changed && how == 1) builder.add_edge(b, g.entry());
    if (!out.empty() && g.is_exit(b) != (b == changed && how == 2)) builder.mark_exit(b);
  }
  return builder.build();
}

/// The outcome of an exhaustive walk.
enum class answer { right, wrong, too_large };

/// Lanes that walk by every outcome.
class all_lanes {
 public:
  all_lanes(const csr_graph& g, const flow_plan& p) : g_(g), p_(p) {}

  /// Sees every combination of a block, all values and what must come next.
  answer walk(std::size_t most = 60'000) {
    std::set<lane> seen;
    std::vector<lane> work;
    const auto go = [&](lane next) {
      if (seen.insert(next).second) work.push_back(std::move(next));
    };
    go(first());
    while (!work.empty()) {
      if (seen.size() > most) return answer::too_large;
      const lane now = work.back();
      work.pop_back();
      if (goes_wrong(now)) return answer::wrong;
      if (!executes(now.at)) {
        lane next = step(now);
        if (next.at != no_block) go(std::move(next));
        continue;
      }
      for (std::size_t k = 0; k < p_.successors(now.at).size(); ++k)
        if (k < p_.num_outcomes(now.at) || g_.is_exit(p_[now.at].executes)) go(outcome(now, k));
    }
    return answer::right;
  }

  /// True if a lane can go this way, and goes wrong at its end and nowhere before.
  bool replay(const std::vector<block_id>& path) {
    std::set<lane> here{first()};
    for (std::size_t i = 0; i < path.size(); ++i) {
      std::set<lane> next;
      for (const lane& l : here) {
        if (l.at != path[i]) continue;
        if (i + 1 == path.size()) {
          if (goes_wrong(l) || (!executes(l.at) && is_lost(l))) return true;
          continue;
        }
        if (executes(l.at)) {
          if (goes_wrong(l)) continue;
          for (std::size_t k = 0; k < p_.successors(l.at).size(); ++k)
            if (k < p_.num_outcomes(l.at) || g_.is_exit(p_[l.at].executes)) next.insert(outcome(l, k));
        } else if (!p_.successors(l.at).empty()) {
          next.insert(step(l));
        }
      }
      here.swap(next);
    }
    return false;
  }

 private:
  struct lane {
    block_id at, wanted;
    std::vector<std::uint32_t> value;
    friend auto operator<=>(const lane&, const lane&) = default;
  };

  bool executes(block_id b) const { return p_[b].role == plan_role::original || p_[b].role == plan_role::copy; }
  lane first() const {
    return {p_.entry(), g_.num_blocks() == 0 ? no_block : g_.entry(), std::vector<std::uint32_t>(p_.num_variables())};
  }
  lane along(lane l, std::size_t slot) const {
    const flow_plan::edge e = p_.successors(l.at)[slot];
    p_.for_each_assignment(e, [&](plan_assignment a) { l.value[a.variable] = a.value; });
    l.at = e.to;
    return l;
  }
  // A lane in a guard or an empty block goes on; at no_block it has ended.
  lane step(const lane& l) const {
    const plan_block& b = p_[l.at];
    if (b.role != plan_role::guard) {
      if (!p_.successors(l.at).empty()) return along(l, 0);
      lane ended = l;
      ended.at = no_block;
      return ended;
    }
    const std::uint32_t x = l.value[b.variable];
    return along(l, x < b.low || x > b.high ? 1 : 0);
  }
  lane outcome(lane l, std::size_t slot) const {
    const block_id b = p_[l.at].executes;
    l.wanted = slot < p_.num_outcomes(l.at) ? g_.successors(b)[slot] : no_block;
    return along(l, slot);
  }
  // The lane is in a block in which it must not be.
  bool goes_wrong(const lane& l) const {
    const plan_block& b = p_[l.at];
    if (!executes(l.at)) return p_.successors(l.at).empty() ? l.wanted != no_block : is_lost(l);
    if (b.executes != l.wanted || p_.num_outcomes(l.at) != g_.successors(b.executes).size()) return true;
    return g_.is_exit(b.executes) && !b.leaves && !b.exit_edge;
  }
  bool is_lost(lane l) const {
    std::set<lane> seen;
    while (l.at != no_block && !executes(l.at)) {
      if (!seen.insert(l).second) return true;
      l = step(l);
    }
    return false;
  }

  const csr_graph& g_;
  const flow_plan& p_;
};

}  // namespace plan_edits
