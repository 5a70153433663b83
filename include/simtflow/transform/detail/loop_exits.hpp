// SPDX-License-Identifier: BSL-1.0
//
// Leads what leaves a loop, in however many ways, through one block (unify_loop_exits.hpp, structure_by_copies.hpp).
#pragma once

#include <simtflow/analysis/loops.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/transform/hub.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// The outermost loop that an edge leaves or enters, of all loops or of chosen ones, in O(log depth): jumps skip 1, 3,
// 7, ... loops.
template <class Loops = dense::loop_forest>
class loop_ladder {
 public:
  constexpr void compute(const Loops& loops) {
    compute(loops, [&](loop_id l) { return loops.parent(l); });
  }
  // `up(l)` is the next loop around l that counts, a smaller number, or no_loop.
  template <class Up>
  constexpr void compute(const Loops& loops, Up up) {
    step_.assign(loops.num_loops(), step{});
    for (const loop_id l : ids_below<loop_id>(loops.num_loops())) {
      step& here = step_[l];
      here.up = here.jump = up(l);
      if (here.up == no_loop) continue;
      const step& next = step_[here.up];
      here.depth = next.depth + 1;
      if (next.jump == no_loop || step_[next.jump].jump == no_loop) continue;
      const step& leap = step_[next.jump];
      if (next.depth - leap.depth == leap.depth - step_[leap.jump].depth) here.jump = leap.jump;
    }
  }
  [[nodiscard]] constexpr std::uint32_t depth(loop_id l) const { return step_[l].depth; }
  // The outermost loop around l, or l itself, without b. \pre l is without b
  [[nodiscard]] constexpr loop_id outermost_without(const Loops& loops, loop_id l, block_id b) const {
    while (step_[l].up != no_loop && !loops.contains(step_[l].up, b))
      l = loops.contains(step_[l].jump, b) ? step_[l].up : step_[l].jump;
    return l;
  }
  // The outermost loop around l.
  [[nodiscard]] constexpr loop_id root(loop_id l) const {
    while (step_[l].up != no_loop) l = step_[l].jump;
    return l;
  }

 private:
  struct step {
    loop_id up = no_loop, jump = no_loop;
    std::uint32_t depth = 1;
  };
  id_map<loop_id, step> step_;
};

// For chosen loops, puts one block after all edges that leave the loop, or are to: the hub of the loop. Threads that
// end inside of a loop leave it too, to one empty block, the end. A *tested* hub takes the ways back to the header as
// well: its first guard is the only block with an edge to the header and the only one that leaves.
//
// All hubs share one variable, the number of the block that a thread wants to go to. A hub tells the blocks in the next
// chosen loop around; everything else goes on to the hub of that loop.
template <class Plan = flow_plan>
class loop_exit_router {
 public:
  // \pre g is the shape of the plan and `loops` are its loops; hub(l) says which ones are chosen. The number of hubs.
  template <class Chosen>
  constexpr std::size_t route(Plan& plan, const csr_graph& g, const dense::loop_forest& loops, bool tested,
                              Chosen chosen) {
    const std::uint32_t n = static_cast<std::uint32_t>(g.num_blocks());
    const std::uint32_t count = static_cast<std::uint32_t>(loops.num_loops());
    near_.assign(count, no_loop);
    least_.assign(count, none);
    size_.assign(count + std::size_t{1}, 0);
    way_.clear();
    number_.assign(n + std::size_t{1}, none);
    std::uint32_t numbers = 0;
    root_.assign(count, no_loop);
    ends_.assign(count, 0);
    bool any = false, ends = false;
    for (const loop_id l : ids_below<loop_id>(count)) {
      near_[l] = chosen(l) ? l : around(loops, l);
      any = any || near_[l] == l;
      root_[l] = loops.parent(l) == no_loop ? l : root_[loops.parent(l)];
    }
    ways_out_ = 0;
    if (!any) return 0;
    ladder_.compute(loops, [&](loop_id l) { return around(loops, l); });
    for (block_id x = 0; x < n; ++x) {
      const loop_id inner = loops.innermost(x) == no_loop ? no_loop : near_[loops.innermost(x)];
      if (inner == no_loop) continue;
      const std::span<const block_id> out = g.successors(x);
      for (std::uint32_t k = 0; k < out.size() + (g.is_exit(x) ? 1U : 0U); ++k) {
        const block_id t = k < out.size() ? out[k] : n;
        loop_id last = no_loop;
        if (t == n) {
          last = ladder_.root(inner);
          ++ways_out_;
        } else {
          if (!loops.contains(inner, t)) last = ladder_.outermost_without(loops, inner, t);
          const loop_id next = last == no_loop ? inner : around(loops, last);
          ways_out_ += last != no_loop ? 1 : 0;
          if (tested && next != no_loop && loops.header(next) == t) last = next;
        }
        if (last == no_loop) continue;
        if (t == n) ends_[root_[inner]] = 1;
        if (number_[t] == none) number_[t] = numbers++;
        way_.push_back({x, k, t, last});
        ++size_[last];
        ends = ends || t == n;
        if (ladder_.depth(last) < least_[inner]) least_[inner] = ladder_.depth(last);
      }
    }
    for (const loop_id l : ids_downward<loop_id>(count))
      if (const loop_id up = around(loops, l); near_[l] == l && up != no_loop && least_[l] < least_[up])
        least_[up] = least_[l];
    const block_id end = ends ? plan.add_empty(true) : no_block;

    // By the outermost chosen loop that they leave; there the targets are blocks, further in they are hubs.
    std::uint32_t at = 0;
    for (std::uint32_t l = 0; l <= count; ++l) {
      const std::uint32_t own = size_[l];
      size_[l] = at;
      at += own;
    }
    order_.assign(at, 0);
    for (std::uint32_t i = 0; i < way_.size(); ++i) order_[size_[way_[i].last]++] = i;
    stamp_.assign(n + std::size_t{1}, 0);
    first_.assign(count, no_block);
    const std::uint32_t variable = plan.add_variable();
    std::size_t hubs = 0;
    for (const loop_id l : ids_below<loop_id>(count)) {
      if (near_[l] != l) continue;
      ++hubs;
      cases_.clear();
      if (tested) stamp_[loops.header(l)] = index_of(l) + 1;
      for (std::uint32_t i = index_of(l) == 0 ? 0 : size_[index_of(l) - 1]; i < size_[l]; ++i) {
        const block_id t = way_[order_[i]].to;
        if (stamp_[t] == index_of(l) + 1) continue;
        stamp_[t] = index_of(l) + 1;
        cases_.push_back({number_[t], number_[t], t == n ? end : t});
      }
      if (least_[l] < ladder_.depth(l)) cases_.push_back({0, 0, first_[around(loops, l)]});
      first_[l] = add_guard_chain(plan, variable, std::span<const hub_case>(cases_));
      if (!tested) continue;
      const block_id h = loops.header(l);
      first_[l] = add_guard(plan, variable, {number_[h], number_[h], h}, first_[l]);
    }
    for (const way& w : way_) {
      const block_id to = first_[near_[loops.innermost(w.from)]];
      const std::size_t slot = w.to == n ? plan.add_exit_edge(w.from, to) : w.slot;
      plan.assign(w.from, slot, {variable, number_[w.to]});
      plan.set_edge(w.from, slot, to);
    }
    // If threads get to the end by an edge from somewhere in a loop, they do from everywhere: one target.
    for (block_id x = 0; ends && !tested && x < n; ++x) {
      const loop_id l = loops.innermost(x);
      if (l != no_loop && near_[l] == no_loop && g.is_exit(x) && ends_[root_[l]] != 0) plan.add_exit_edge(x, end);
    }
    return hubs;
  }

  // Edges, and ends of threads, that left a chosen loop before.
  [[nodiscard]] constexpr std::size_t ways_out() const { return ways_out_; }

 private:
  // A way out of chosen loops: the successor in that slot, or the end.
  struct way {
    block_id from;
    std::uint32_t slot;
    block_id to;
    loop_id last;  // the outermost of them
  };
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;

  [[nodiscard]] constexpr loop_id around(const dense::loop_forest& loops, loop_id l) const {
    const loop_id up = loops.parent(l);
    return up == no_loop ? no_loop : near_[up];
  }

  id_map<loop_id, loop_id> root_;         // by loop: the outermost one around it
  id_map<loop_id, unsigned char> ends_;   // by outermost loop: threads that end in it go through a hub
  id_map<loop_id, loop_id> near_;         // by loop: the innermost chosen one at or around it
  loop_ladder<> ladder_;                  // of chosen loops
  id_map<loop_id, std::uint32_t> least_;  // by chosen loop: the least depth of one that something in it leaves
  id_map<loop_id, std::uint32_t> size_;
  std::vector<std::uint32_t> order_, stamp_;
  std::vector<std::uint32_t> number_;  // by block, and of the end: as a target
  id_map<loop_id, block_id> first_;    // by chosen loop: its hub
  std::vector<hub_case> cases_;
  std::vector<way> way_;
  std::size_t ways_out_ = 0;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
