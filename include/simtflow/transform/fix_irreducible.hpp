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
// The header: control that goes back to it from within the loop takes the tests of the hub, control that goes to
// another entry does not. Without a profile it is the entry that comes first in reverse post-order (the header in the
// forest), and tests are in the order of the numbers. Given a frequency of each edge, it is the entry at which control
// arrives least often from within the loop, and a hub tests its most frequent target first; if that needs more tests
// than the choice without a profile, then the latter is made. The result says which entry it was.
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
#include <simtflow/transform/detail/irreducible_by_frequency.hpp>
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
    mended_.clear();
    std::size_t hubs = 0;
    for (const loop_id l : ids_downward<loop_id>(near_.size())) {  // inner hubs first: outer ones lead there
      if (near_[l] != l) continue;
      ++hubs;
      cases_.clear();
      mended_.push_back({loops_.header(l), {}});
      for (std::uint32_t i = low_[l]; i < high_[l]; ++i)
        if (loops_.is_entry(l, target_[i])) mended_.back().entries.push_back(target_[i]);
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
  // The loops with a hub, inner ones first.
  [[nodiscard]] constexpr std::vector<mended_loop>& mended() { return mended_; }

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
  std::vector<mended_loop> mended_;
};

}  // namespace detail

/// A reducible plan, and what was chosen.
struct irreducible_fix : hubs_made {
  /// The loops with a hub, one for each hub; blocks are blocks of the graph. If a plan was fixed, they are its blocks.
  std::vector<mended_loop> loops;
  /// True if headers and tests were chosen by frequency; false without a frequency, or because that was no better.
  bool by_frequency = false;
  std::uint64_t tests = 0;         ///< given a frequency: guards that threads test, one thread by one
  std::uint64_t static_tests = 0;  ///< given a frequency: the same, had the choice been made without it
};

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
[[nodiscard]] constexpr irreducible_fix fix_irreducible(const G& g, Convergent convergent) {
  irreducible_fix made;
  detail::irreducible_fixer<> work;
  static_cast<hubs_made&>(made) = detail::make_hubs_by(work, g, convergent);
  if (made.hubs != 0) made.loops.swap(work.mended());
  return made;
}

/// As above, with headers and the order of tests chosen by `frequency(v, k)`: how often edge k of vertex v is taken.
/// Unreachable edges do not matter. Without a convergent block pass a predicate that is always false.
/// \pre frequency(v, k) is a std::uint64_t, and the sum over all edges times the number of entries is one.
/// Complexity: rounds, each near-linear; at worst as many as irreducible loops are nested. No recursion.
template <flow_graph G, class Convergent, class Frequency>
[[nodiscard]] constexpr irreducible_fix fix_irreducible(const G& g, Convergent convergent, Frequency frequency) {
  irreducible_fix made = fix_irreducible(g, convergent);
  if (made.hubs == 0) return made;
  detail::kept_shape<G> shape;
  const csr_graph& dense = shape.of(g);
  const std::size_t given = dense.num_blocks();
  detail::plan_frequencies count;
  for (block_id b = 0; b < given; ++b) {
    count.add_block();
    for (std::size_t k = 0; k < dense.successors(b).size(); ++k)
      count.add_edge(frequency(graph_traits<G>::vertex_at(g, b), k));
  }
  made.tests = made.static_tests = detail::expected_tests(made.plan, given, count);
  irreducible_fix other;
  if constexpr (std::same_as<G, flow_plan>) {
    other.plan = g;
  } else {
    other.plan.start(dense);
  }
  const std::vector<unsigned char> table = detail::block_table(g, convergent);
  detail::frequent_irreducible_fixer<> work;
  other.hubs = work.apply(other.plan, std::span<const unsigned char>(table), count);
  other.refused = work.obstacles();
  other.tests = detail::expected_tests(other.plan, given, count);
  if (other.tests >= made.tests || other.refused != made.refused) return made;
  other.static_tests = made.static_tests;
  other.by_frequency = true;
  other.loops.swap(work.mended());
  return other;
}

}  // namespace v0
}  // namespace simtflow
