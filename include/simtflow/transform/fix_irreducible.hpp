// SPDX-License-Identifier: BSL-1.0
//
// Makes every loop a loop with one entry, without a copy of any block: each irreducible loop of the loop nesting forest
// (loops.hpp) gets a hub (hub.hpp). All control that comes from outside, or goes back to the header, enters through it.
// The first guard of the hub is then the only entry. Edges within the loop to its other entries stay.
//
// Why the result is reducible: cut the edges into the new header. The rest of the loop are the blocks without the
// edges into the old header, and the loops among these are by definition the children of the loop in the forest. A
// child has the entries it had, because a block at which control came in from far outside was an entry of the child as
// well; so each irreducible loop, at whatever depth, is mended by its own hub.
//
// All hubs share one variable: the number of the block that a thread wants to go to. Blocks are numbered such that the
// blocks of a loop are a run. So an edge into several loops at once sets one number; each hub tells its own targets by
// equality, and the hub of an inner loop, where that is the way on, by the run of numbers after it.
//
// Convergent blocks: threads that enter the loop in different ways meet in its hub. A loop is left as it is if the
// closed set around it (unstructured.hpp) has a block that the same threads must execute together; see hub.hpp.
//
// Literature: the pass fix-irreducible of LLVM, which leads the edges within the loop to all entries through the hub,
// and looks for loops again in what is left.
#pragma once

#include <simtflow/analysis/detail/loop_contiguous.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>
#include <simtflow/transform/detail/loop_exits.hpp>
#include <simtflow/transform/hub.hpp>
#include <simtflow/transform/plan.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// Plan is flow_plan; a template, so that only who applies it pays for it.
template <class Plan = flow_plan>
class irreducible_fixer {
 public:
  constexpr std::size_t apply(Plan& plan, std::span<const unsigned char> convergent = {}) {
    const csr_graph& g = shape_.of(plan);
    loops_.recompute(g);
    if (loops_.is_reducible()) return 0;
    apart_.compute(g, loops_, convergent, [&](loop_id l) { return loops_.is_irreducible(l); });
    find_hubs(g);
    number_targets();
    if (target_.empty()) return 0;
    const std::uint32_t variable = plan.add_variable();
    first_.assign(near_.size(), no_block);
    std::size_t hubs = 0;
    for (const loop_id l : ids_downward<loop_id>(near_.size())) {  // inner hubs first: outer ones lead there
      if (near_[l] != l) continue;
      ++hubs;
      cases_.clear();
      for (std::uint32_t i = low_[l]; i < high_[l]; ++i) {
        const block_id t = target_[i];
        const loop_id inner = hub_around(t);
        if (inner == l) {
          cases_.push_back({i, i, t});
          continue;
        }
        // The header of an inner loop, which comes first among the targets there.
        if (least_[inner] < loops_.depth(inner)) cases_.push_back({i, high_[inner] - 1, first_[inner]});
        i = high_[inner] - 1;
      }
      first_[l] = add_guard_chain(plan, variable, std::span<const hub_case>(cases_));
    }
    for (block_id x = 0; x < g.num_blocks(); ++x)
      for (std::size_t k = 0; k < g.successors(x).size(); ++k) {
        const block_id t = g.successors(x)[k];
        const loop_id hub = first_hub(x, t);
        if (hub == no_loop) continue;
        plan.assign(x, k, {variable, number_[t]});
        plan.set_edge(x, k, first_[hub]);
      }
    // The program's entry needs no hub: control never comes into a loop around it from anywhere else.
    return hubs;
  }
  // Convergent blocks that kept loops as they are; ascending.
  [[nodiscard]] constexpr const std::vector<block_id>& obstacles() const { return apart_.obstacles(); }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;

  constexpr void find_hubs(const csr_graph& g) {
    const std::size_t loops = loops_.num_loops();
    ladder_.compute(loops_);
    near_.assign(loops, no_loop);
    for (const loop_id l : ids_below<loop_id>(loops)) {
      const loop_id up = loops_.parent(l);
      near_[l] = has_hub(l) ? l : up == no_loop ? no_loop : near_[up];
    }
    number_.assign(g.num_blocks(), none);
    least_.assign(loops, none);
    for (block_id x = 0; x < g.num_blocks(); ++x)
      for (const block_id t : g.successors(x)) {
        const loop_id hub = first_hub(x, t);
        if (hub == no_loop) continue;
        number_[t] = 0;
        std::uint32_t& least = least_[hub_around(t)];
        if (loops_.depth(hub) < least) least = loops_.depth(hub);
      }
  }

  // Numbers the targets; those in loop l get low_[l] .. high_[l] - 1.
  constexpr void number_targets() {
    list_loop_contiguous(loops_, order_, next_);
    target_.clear();
    low_.assign(near_.size(), none);
    high_.assign(near_.size(), 0);
    for (const block_id b : order_) {
      if (number_[b] == none) continue;
      number_[b] = static_cast<std::uint32_t>(target_.size());
      target_.push_back(b);
      const loop_id l = hub_around(b);
      if (low_[l] == none) low_[l] = number_[b];
      high_[l] = number_[b] + 1;
    }
    for (const loop_id l : ids_downward<loop_id>(near_.size())) {
      const loop_id up = near_[l] == l ? around(l) : no_loop;
      if (up == no_loop) continue;
      if (low_[l] < low_[up]) low_[up] = low_[l];
      if (high_[l] > high_[up]) high_[up] = high_[l];
      if (least_[l] < least_[up]) least_[up] = least_[l];
    }
  }

  [[nodiscard]] constexpr loop_id hub_around(block_id b) const {
    const loop_id l = loops_.innermost(b);
    return l == no_loop ? no_loop : near_[l];
  }
  [[nodiscard]] constexpr loop_id around(loop_id l) const {
    const loop_id up = loops_.parent(l);
    return up == no_loop ? no_loop : near_[up];
  }
  [[nodiscard]] constexpr bool has_hub(loop_id l) const { return loops_.is_irreducible(l) && apart_(l); }
  // The first hub on the way from x to t: the hub of the outermost loop that the edge enters, if that loop has one. (If
  // it has none, either it is entered at the header, so no inner loop is entered, or it is left as it is: then so are
  // the inner loops that the edge enters, because the closed set around one of these holds all of the outer loop.)
  [[nodiscard]] constexpr loop_id first_hub(block_id x, block_id t) const {
    const loop_id l = loops_.innermost(t);
    if (l == no_loop) return no_loop;
    if (loops_.contains(l, x)) return has_hub(l) && loops_.header(l) == t ? l : no_loop;
    const loop_id outer = ladder_.outermost_without(loops_, l, x);
    return has_hub(outer) ? outer : no_loop;
  }

  kept_shape<Plan> shape_;
  dense::loop_forest loops_;
  loop_ladder<> ladder_;
  loops_apart<> apart_;
  id_map<loop_id, loop_id> near_;              // by loop: the innermost one with a hub at or around it
  std::vector<std::uint32_t> number_;          // by block: as a target
  id_map<loop_id, std::uint32_t> low_, high_;  // by irreducible loop: numbers of the targets in it
  id_map<loop_id, std::uint32_t> least_;  // by irreducible loop: the least depth at which an edge into it has come in
  std::vector<block_id> order_, target_;
  std::vector<std::uint32_t> next_;
  id_map<loop_id, block_id> first_;  // by irreducible loop: the first guard
  std::vector<hub_case> cases_;
};

}  // namespace detail

/// Makes a plan reducible, in place: no loop of it has two entries afterwards. That costs one variable, one assignment
/// on each edge that is led elsewhere, and for every irreducible loop of the loop nesting forest at most as many guards
/// as it has entries but one. A reducible plan is left as it is.
///
/// \returns the number of hubs: of irreducible loops there were.
/// Unreachable blocks are left alone. Complexity: near-linear in blocks and edges; no recursion.
template <std::same_as<flow_plan> Plan>
constexpr std::size_t fix_irreducible(Plan& plan) {
  return detail::irreducible_fixer<Plan>().apply(plan);
}

/// The same for any graph: the plan that makes it reducible.
template <flow_graph G>
  requires(!std::same_as<G, flow_plan>)
[[nodiscard]] constexpr flow_plan fix_irreducible(const G& g) {
  detail::kept_shape<G> shape;
  flow_plan plan(shape.of(g));
  (void)fix_irreducible(plan);
  return plan;
}

/// As above, but only loops in a closed set without a convergent block are changed; see the top of this header.
/// `convergent(v)` says which vertices are convergent, as for linearize(). If g is a flow_plan, the result is for the
/// graph that g was made for. Complexity: O(edges of its closed set) more for each irreducible loop left as it is.
template <flow_graph G, class Convergent>
[[nodiscard]] constexpr hubs_made fix_irreducible(const G& g, Convergent convergent) {
  return detail::make_hubs<detail::irreducible_fixer<>>(g, convergent);
}

}  // namespace v0
}  // namespace simtflow
