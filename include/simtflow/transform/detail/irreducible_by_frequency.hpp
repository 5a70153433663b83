// SPDX-License-Identifier: BSL-1.0
//
// Hubs of irreducible loops where it is known how often each edge is taken (fix_irreducible.hpp).
//
// In rounds, the outermost irreducible loops first. The entry at which control arrives least often from within the loop
// becomes the header: those ways back, and all ways in, are led through the hub. The other entries keep their ways from
// within the loop, which are the frequent ones. The rest of the loop is then looked at once more, in the next round.
#pragma once

#include <simtflow/analysis/loops.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/transform/hub.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// How often each edge of a plan is taken, by block and slot.
class plan_frequencies {
 public:
  constexpr void clear() {
    first_.clear();
    count_.clear();
  }
  // The next block of the plan.
  constexpr void add_block() { first_.push_back(count_.size()); }
  constexpr void add_edge(std::uint64_t count) { count_.push_back(count); }
  [[nodiscard]] constexpr std::uint64_t operator()(block_id b, std::size_t slot) const {
    return count_[first_[b] + slot];
  }

 private:
  std::vector<std::size_t> first_;    // by block
  std::vector<std::uint64_t> count_;  // by edge
};

// The guards added to a plan that threads test on the edges of the given blocks; `count` has these blocks. O(guards
// that an edge leads to) for each edge.
constexpr std::uint64_t expected_tests(const flow_plan& plan, std::size_t given, const plan_frequencies& count) {
  std::uint64_t sum = 0;
  std::vector<std::uint32_t> value;
  value.assign(plan.num_variables(), 0);
  for (block_id b = 0; b < given; ++b) {
    for (std::size_t k = 0; k < plan.successors(b).size(); ++k) {
      const std::uint64_t taken = count(b, k);
      if (taken == 0) continue;
      const auto follow = [&](const flow_plan::edge& e) {
        plan.for_each_assignment(e, [&](plan_assignment a) { value[a.variable] = a.value; });
        return e.to;
      };
      block_id at = follow(plan.successors(b)[k]);
      while (at >= given && plan[at].role == plan_role::guard) {
        sum += taken;
        const std::uint32_t v = value[plan[at].variable];
        at = follow(plan.successors(at)[v >= plan[at].low && v <= plan[at].high ? 0 : 1]);
      }
    }
  }
  return sum;
}

template <class Plan = flow_plan>
class frequent_irreducible_fixer {
 public:
  // `count` has the edges of the plan, and gets the edges of the guards. The number of hubs.
  constexpr std::size_t apply(Plan& plan, std::span<const unsigned char> convergent, plan_frequencies& count) {
    mended_.clear();
    obstacles_.clear();
    const std::size_t given = plan.num_blocks();
    std::size_t hubs = 0;
    std::uint32_t variable = 0;
    while (true) {
      const csr_graph& g = shape_.of(plan);
      loops_.recompute(g);
      if (loops_.is_reducible()) return hubs;
      table_.assign(convergent.begin(), convergent.end());
      if (!table_.empty()) table_.resize(g.num_blocks(), 0);
      apart_.compute(g, loops_, std::span<const unsigned char>(table_),
                     [&](loop_id l) { return loops_.is_irreducible(l); });
      for (const block_id b : apart_.obstacles())
        if (b < given) obstacles_.push_back(b);
      if (!choose_loops()) return hubs;
      list_ways(g, count);
      if (hubs == 0) variable = plan.add_variable();
      for (const loop_id l : ids_below<loop_id>(loops_.num_loops()))
        if (top_[l] == l) {
          mend(plan, l, variable, count);
          ++hubs;
        }
      lead_ways(plan, variable);
    }
  }
  // The loops with a hub, in the order of the rounds.
  [[nodiscard]] constexpr std::vector<mended_loop>& mended() { return mended_; }
  // Convergent blocks that kept loops as they are; ascending.
  [[nodiscard]] constexpr std::vector<block_id> obstacles() const { return each_once(obstacles_); }

 private:
  struct way {
    block_id from;
    std::uint32_t slot;
    block_id to;
    bool inside;  // from a block of the loop
  };

  // top_[l]: the loop at or around l that gets a hub in this round. Whether there is one.
  constexpr bool choose_loops() {
    bool any = false;
    top_.assign(loops_.num_loops(), no_loop);
    for (const loop_id l : ids_below<loop_id>(loops_.num_loops())) {
      const loop_id up = loops_.parent(l);
      if (up != no_loop) top_[l] = top_[up];
      if (top_[l] != no_loop || !loops_.is_irreducible(l) || !apart_(l)) continue;
      top_[l] = l;
      any = true;
    }
    return any;
  }

  // The edges to the entries of these loops, and how often they are taken.
  constexpr void list_ways(const csr_graph& g, const plan_frequencies& count) {
    ways_.clear();
    inside_.assign(g.num_blocks(), 0);
    outside_.assign(g.num_blocks(), 0);
    for (const block_id x : loops_.rpo())
      for (std::uint32_t k = 0; k < g.successors(x).size(); ++k) {
        const block_id t = g.successors(x)[k];
        const loop_id inner = loops_.innermost(t);
        const loop_id l = inner == no_loop ? no_loop : top_[inner];
        if (l == no_loop || !loops_.is_entry(l, t)) continue;
        const bool in = loops_.contains(l, x);
        (in ? inside_ : outside_)[t] += count(x, k);
        ways_.push_back({x, k, t, in});
      }
    first_.assign(g.num_blocks(), no_block);
    value_.assign(g.num_blocks(), 0);
    is_header_.assign(g.num_blocks(), 0);
  }

  constexpr void mend(Plan& plan, loop_id l, std::uint32_t variable, plan_frequencies& count) {
    mended_loop made;
    made.header = loops_.header(l);
    for (const block_id b : loops_.blocks(l)) {
      if (!loops_.is_entry(l, b)) continue;
      made.entries.push_back(b);
      if (inside_[b] < inside_[made.header]) made.header = b;
    }
    is_header_[made.header] = 1;
    const auto arrivals = [&](block_id b) { return outside_[b] + (b == made.header ? inside_[b] : 0); };
    sort_by_frequency(made.entries, arrivals);
    cases_.clear();
    for (std::uint32_t i = 0; i < made.entries.size(); ++i) {
      cases_.push_back({i, i, made.entries[i]});
      value_[made.entries[i]] = i;
    }
    const block_id first = add_guard_chain(plan, variable, std::span<const hub_case>(cases_));
    for (const block_id b : made.entries) first_[b] = first;
    std::uint64_t later = arrivals(made.entries.back());
    for (std::size_t i = made.entries.size() - 1; i-- > 0;) {  // the guards, in the order in which they were added
      count.add_block();
      count.add_edge(arrivals(made.entries[i]));
      count.add_edge(later);
      later += arrivals(made.entries[i]);
    }
    mended_.push_back(static_cast<mended_loop&&>(made));
  }

  constexpr void lead_ways(Plan& plan, std::uint32_t variable) {
    for (const way& w : ways_) {
      if (w.inside && is_header_[w.to] == 0) continue;
      plan.assign(w.from, w.slot, {variable, value_[w.to]});
      plan.set_edge(w.from, w.slot, first_[w.to]);
    }
  }

  kept_shape<Plan> shape_;
  dense::loop_forest loops_;
  loops_apart<> apart_;
  id_map<loop_id, loop_id> top_;
  std::vector<unsigned char> table_, is_header_;
  std::vector<way> ways_;
  std::vector<std::uint64_t> inside_, outside_;  // by entry: how often control arrives, from within the loop or not
  std::vector<block_id> first_;                  // by entry: the hub
  std::vector<std::uint32_t> value_;             // by entry: what the variable is
  std::vector<hub_case> cases_;
  std::vector<mended_loop> mended_;
  std::vector<block_id> obstacles_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
