// SPDX-License-Identifier: BSL-1.0
//
// Gives every loop one block at which control continues, however the loop is left: the exit edges of a loop with
// several targets are led through a hub (hub.hpp) after the loop. A machine that reconverges at immediate
// post-dominators then waits for all threads right after the loop.
//
// Loops are seen from outside to inside. An edge out of several loops at once is, for the inner loop, one more target:
// the hub of the outer one, or the outer one's only target. So a loop has a hub if it has two of these: distinct blocks
// of the next outer loop that its exit edges lead to, and "further out". All hubs share one variable, the number of the
// block that a thread wants to go to. Threads that end inside of a loop (a predicated return) leave all loops around
// it, to one common end.
//
// Convergent blocks: threads that leave the loop in different ways meet in its hub. A loop is left as it is if the
// closed set around it (unstructured.hpp) has a block that the same threads must execute together; see hub.hpp. All
// exit edges of the loop lie in this set or lead out of it.
//
// Literature: the pass unify-loop-exits of LLVM.
#pragma once

#include <simtflow/analysis/loops.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>
#include <simtflow/transform/detail/loop_exits.hpp>
#include <simtflow/transform/plan.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

template <class Plan = flow_plan>
class loop_exit_unifier {
 public:
  constexpr std::size_t apply(Plan& plan, std::span<const unsigned char> convergent = {}) {
    const csr_graph& g = shape_.of(plan);
    loops_.recompute(g);
    if (loops_.num_loops() == 0) return 0;
    ladder_.compute(loops_);
    count_targets(g);
    apart_.compute(g, loops_, convergent, [&](loop_id l) { return targets_[l] >= 2; });
    return router_.route(plan, g, loops_, false, [&](loop_id l) { return targets_[l] >= 2 && apart_(l); });
  }
  // Convergent blocks that kept loops as they are; ascending.
  [[nodiscard]] constexpr const std::vector<block_id>& obstacles() const { return apart_.obstacles(); }

 private:
  struct way {
    loop_id last;  // the outermost loop that it leaves
    block_id to;
  };

  // targets_[l]: distinct targets of the edges for which l is the outermost loop that they leave, and one more if
  // others leave the loop around l too.
  constexpr void count_targets(const csr_graph& g) {
    const std::uint32_t n = static_cast<std::uint32_t>(g.num_blocks());
    const std::uint32_t count = static_cast<std::uint32_t>(loops_.num_loops());
    way_.clear();
    least_.assign(count, 0xFFFF'FFFFU);
    targets_.assign(count, 0);
    start_.assign(count + std::size_t{1}, 0);
    const auto note = [&](loop_id inner, loop_id last, block_id to) {
      if (loops_.depth(last) < least_[inner]) least_[inner] = loops_.depth(last);
      way_.push_back({last, to});
      ++start_[last];
    };
    for (block_id x = 0; x < n; ++x) {
      const loop_id l = loops_.innermost(x);
      if (l == no_loop) continue;
      for (const block_id t : g.successors(x))
        if (!loops_.contains(l, t)) note(l, ladder_.outermost_without(loops_, l, t), t);
      if (g.is_exit(x)) note(l, ladder_.root(l), n);
    }
    std::uint32_t at = 0;
    for (std::uint32_t l = 0; l <= count; ++l) {
      const std::uint32_t own = start_[l];
      start_[l] = at;
      at += own;
    }
    sorted_.assign(at, no_block);
    for (const way& w : way_) sorted_[start_[w.last]++] = w.to;
    stamp_.assign(n + std::size_t{1}, 0);
    for (const loop_id l : ids_downward<loop_id>(count)) {
      for (std::uint32_t i = index_of(l) == 0 ? 0 : start_[index_of(l) - 1]; i < start_[l]; ++i) {
        if (stamp_[sorted_[i]] == index_of(l) + 1) continue;
        stamp_[sorted_[i]] = index_of(l) + 1;
        ++targets_[l];
      }
      if (least_[l] < loops_.depth(l)) ++targets_[l];
      if (const loop_id up = loops_.parent(l); up != no_loop && least_[l] < least_[up]) least_[up] = least_[l];
    }
  }
  kept_shape<Plan> shape_;
  dense::loop_forest loops_;
  loop_ladder<> ladder_;
  loop_exit_router<Plan> router_;
  loops_apart<> apart_;
  std::vector<way> way_;
  id_map<loop_id, std::uint32_t> least_;  // by loop: the least depth of a loop that something in it leaves
  id_map<loop_id, std::uint32_t> targets_, start_;
  std::vector<std::uint32_t> stamp_;
  std::vector<block_id> sorted_;
};

}  // namespace detail

/// Gives every loop of a plan one exit target, in place: afterwards all edges that leave a loop lead to one block, and
/// if a loop had two ways out, no thread ends inside of it. Loops of irreducible graphs are the loops of the loop
/// nesting forest.
///
/// \returns the number of hubs: of loops with several targets. Each costs a guard for each target but one, all of them
///          one variable; loops with one target, or none, are left as they are.
/// Unreachable blocks are left alone. Complexity: near-linear in blocks and edges; no recursion.
template <std::same_as<flow_plan> Plan>
constexpr std::size_t unify_loop_exits(Plan& plan) {
  return detail::loop_exit_unifier<Plan>().apply(plan);
}

/// The same for any graph: the plan that gives its loops one exit target each.
template <flow_graph G>
  requires(!std::same_as<G, flow_plan>)
[[nodiscard]] constexpr flow_plan unify_loop_exits(const G& g) {
  detail::kept_shape<G> shape;
  flow_plan plan(shape.of(g));
  (void)unify_loop_exits(plan);
  return plan;
}

/// As above, but only loops in a closed set without a convergent block are changed; see the top of this header.
/// `convergent(v)` says which vertices are convergent, as for linearize(). If g is a flow_plan, the result is for the
/// graph that g was made for. Complexity: for each loop that is left as it is, O(edges of its closed set) more.
template <flow_graph G, class Convergent>
[[nodiscard]] constexpr hubs_made unify_loop_exits(const G& g, Convergent convergent) {
  return detail::make_hubs<detail::loop_exit_unifier<>>(g, convergent);
}

}  // namespace v0
}  // namespace simtflow
