// SPDX-License-Identifier: BSL-1.0
//
// Control-flow hubs: chosen edges are led to one place and sorted out again after it. Each of the edges sets a
// variable to the number of its target; the hub is a chain of guards
//
//   guard 0: variable == 0 ? target 0 : guard 1: variable == 1 ? target 1 : ... : target N - 1
//
// N targets need N - 1 guards and one variable, however many edges there are; one target needs nothing. A hub is what
// other transforms are made of: in front of a loop that is entered at several blocks (fix_irreducible.hpp), after a
// loop that is left in several ways (unify_loop_exits.hpp), or on any edges that a user chooses.
//
// Threads that take different edges of a hub meet in it. So a hub adds paths that no thread takes, from the source of
// one edge to the target of another; and where such a path bypasses a barrier, machines that reconverge at
// post-dominators no longer bring threads together before the barrier, but after it. Edges can share a hub without harm
// if they lie in one closed set of blocks (unstructured.hpp) without a convergent block, or lead into it from its D, or
// out of it to its P: then threads meet only between D and P, and they come together at P anyway. If the paths
// from D do not all lead to P, a hub would let threads of the set wait at P for threads of other branches that meet
// there; so no hub is made if such a branch has a convergent block before P. with_hub(), given a predicate `convergent`
// as for linearize() (linearize.hpp), makes one hub for each such set and leaves other edges as they are; so do
// fix_irreducible() and unify_loop_exits() with the hub of each loop. Without the predicate, and in add_hub(), nothing
// is checked.
//
// Literature: the control-flow hubs of LLVM (ControlFlowUtils), which use one boolean less than there are targets.
#pragma once

#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/unstructured.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>
#include <simtflow/transform/detail/convergent.hpp>
#include <simtflow/transform/plan.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The hub that add_hub has made.
struct plan_hub {
  block_id first = no_block;      ///< where the edges lead now: the first guard, or the only target
  std::uint32_t variable = 0;     ///< what the edges set; nothing tests it if there are fewer than two targets
  std::vector<block_id> targets;  ///< by value of the variable
};

/// The result of a transform that makes hubs in a graph with convergent blocks.
struct hubs_made {
  flow_plan plan;        ///< applies to the graph that was asked about
  std::size_t hubs = 0;  ///< with at least two targets
  /// Convergent blocks that prevented a hub, by ascending dense id; at least one for each edge or loop that was left as
  /// it is.
  std::vector<block_id> refused;
};

/// An irreducible loop that fix_irreducible has given one entry.
struct mended_loop {
  block_id header = no_block;     ///< the entry to which ways from within the loop lead through the hub also
  std::vector<block_id> entries;  ///< all entries of the loop, `header` among them, in the order of the tests
};

namespace detail {

/// Puts items in the order of frequency(item), the most frequent first; equal ones keep their order. O(n log n).
template <class Item, class Frequency>
constexpr void sort_by_frequency(std::vector<Item>& items, Frequency frequency) {
  std::vector<Item> merged(items);
  for (std::size_t run = 1; run < items.size(); run *= 2) {
    for (std::size_t low = 0; low < items.size(); low += 2 * run) {
      const std::size_t middle = low + run < items.size() ? low + run : items.size();
      const std::size_t high = middle + run < items.size() ? middle + run : items.size();
      std::size_t a = low, b = middle;
      for (std::size_t i = low; i < high; ++i) {
        const bool first = b == high || (a < middle && frequency(items[a]) >= frequency(items[b]));
        merged[i] = items[first ? a++ : b++];
      }
    }
    items.swap(merged);
  }
}

/// The loops that lie in a closed set without a convergent block; of these sets, those that overlap become one.
template <class Shape = csr_graph>
class loops_apart {
 public:
  /// The loops that chosen(l) asks for. Linear in the blocks of the sets, and of those that are given up.
  template <class Chosen>
  constexpr void compute(const Shape& g, const dense::basic_loop_forest<Shape>& loops,
                         std::span<const unsigned char> convergent, Chosen chosen) {
    apart_.assign(loops.num_loops(), 1);
    obstacles_.clear();
    if (convergent.empty()) return;
    facts_.reset(g);
    sets_.start_sets(facts_, convergent);
    for (const loop_id l : ids_downward<loop_id>(loops.num_loops())) {  // a set around a loop holds the inner sets
      if (apart_[l] != 0 && chosen(l)) {
        const block_id h = loops.header(l);
        ends_.assign(1, h);  // the closure of a header and of the ways back holds the whole loop
        for (const block_id p : g.predecessors(h))
          if (loops.contains(l, p)) ends_.push_back(p);
        if (!sets_.make_set(g, std::span<const block_id>(ends_))) apart_[l] = 0;
      }
      if (const loop_id up = loops.parent(l); apart_[l] == 0 && up != no_loop) apart_[up] = 0;
    }
    obstacles_ = each_once(sets_.obstacles());
  }
  [[nodiscard]] constexpr bool operator()(loop_id l) const { return apart_[l] != 0; }
  [[nodiscard]] constexpr const std::vector<block_id>& obstacles() const { return obstacles_; }

 private:
  basic_cfg_facts<Shape> facts_;
  dense::basic_unstructured_flow<Shape> sets_;
  id_map<loop_id, unsigned char> apart_;  // by loop
  std::vector<block_id> ends_, obstacles_;
};

/// A transform of plans that takes a table of convergent blocks, applied to a graph.
template <class Transform, class G, class Convergent>
constexpr hubs_made make_hubs_by(Transform& work, const G& g, Convergent& convergent) {
  const std::vector<unsigned char> table = block_table(g, convergent);
  hubs_made made;
  if constexpr (std::same_as<G, flow_plan>) {
    made.plan = g;
  } else {
    made.plan.start(kept_shape<G>().of(g));
  }
  made.hubs = work.apply(made.plan, std::span<const unsigned char>(table));
  made.refused = work.obstacles();
  return made;
}
template <class Transform, class G, class Convergent>
constexpr hubs_made make_hubs(const G& g, Convergent& convergent) {
  Transform work;
  return make_hubs_by(work, g, convergent);
}

/// One way on from a hub: for these values of its variable.
struct hub_case {
  std::uint32_t low, high;
  block_id to;
};

constexpr block_id add_guard(flow_plan& plan, std::uint32_t variable, const hub_case& c, block_id otherwise) {
  const plan_block& to = plan[c.to];
  const bool is_block = to.role == plan_role::original || to.role == plan_role::copy;
  const block_id guard = plan.add_guard(variable, c.low, c.high, is_block ? to.executes : no_block);
  plan.set_edge(guard, 0, c.to);
  plan.set_edge(guard, 1, otherwise);
  return guard;
}

/// The guards of a hub; the last case needs none, it is taken for all other values. And the entry of the hub.
constexpr block_id add_guard_chain(flow_plan& plan, std::uint32_t variable, std::span<const hub_case> cases) {
  SIMTFLOW_EXPECTS(!cases.empty(), "a hub leads somewhere");
  std::size_t i = cases.size() - 1;
  block_id next = cases[i].to;
  while (i-- > 0) next = add_guard(plan, variable, cases[i], next);
  return next;
}

}  // namespace detail

/// Leads edges of a plan through a hub. Its targets are the targets of the edges, in the order in which they come
/// first; an edge may be named twice. Edges to a single target, or none at all, are left as they are.
///
/// \pre every edge is one of the plan (the slot after the outcomes is the exit edge, if the block has one).
/// Complexity: O(blocks + edges named).
constexpr plan_hub add_hub(flow_plan& plan, std::span<const edge> edges) {
  plan_hub hub;
  std::vector<std::uint32_t> value;  // by target, plus one
  value.assign(plan.num_blocks(), 0);
  for (const edge& e : edges) {
    SIMTFLOW_EXPECTS(e.from < plan.num_blocks() && e.slot < plan.successors(e.from).size(),
                     "a hub is put on edges of the plan");
    const block_id to = plan.successors(e.from)[e.slot];
    if (value[to] != 0) continue;
    hub.targets.push_back(to);
    value[to] = static_cast<std::uint32_t>(hub.targets.size());
  }
  if (hub.targets.empty()) return hub;
  hub.first = hub.targets[0];
  if (hub.targets.size() == 1) return hub;
  hub.variable = plan.add_variable();
  std::vector<detail::hub_case> cases;
  for (const block_id to : hub.targets) cases.push_back({value[to] - 1, value[to] - 1, to});
  hub.first = detail::add_guard_chain(plan, hub.variable, std::span<const detail::hub_case>(cases));
  for (const edge& e : edges) {
    const block_id to = plan.successors(e.from)[e.slot];
    if (to == hub.first) continue;  // named before
    plan.assign(e.from, e.slot, {hub.variable, value[to] - 1});
    plan.set_edge(e.from, e.slot, hub.first);
  }
  return hub;
}

/// The plan of any graph with a hub on edges that are named by dense block ids.
/// \pre every edge is one of the graph, and the entry reaches its source.
template <flow_graph G>
  requires(!std::same_as<G, flow_plan>)
[[nodiscard]] constexpr flow_plan with_hub(const G& g, std::span<const edge> edges) {
  detail::kept_shape<G> shape;
  flow_plan plan(shape.of(g));
  (void)add_hub(plan, edges);
  return plan;
}

/// As above, but only edges of a closed set without a convergent block get a hub, one for each set; sets that overlap
/// become one. In a graph without a convergent block all edges share one hub. Targets of a hub are in the order of the
/// edges. If g is a flow_plan, the result is for the graph that g was made for.
/// Edges from blocks that the entry does not reach may be left as they are.
/// \pre every edge is one of the graph.
/// Complexity: as for the dominators of g, and for each edge that is left as it is a search for a convergent block, at
/// worst O(edges of the set).
template <flow_graph G, class Convergent>
[[nodiscard]] constexpr hubs_made with_hub(const G& g, std::span<const edge> edges, Convergent convergent) {
  const std::vector<unsigned char> table = detail::block_table(g, convergent);
  hubs_made made;
  detail::kept_shape<G> buffer;
  const csr_graph& shape = buffer.of(g);
  if constexpr (std::same_as<G, flow_plan>) {
    made.plan = g;
  } else {
    made.plan.start(shape);
  }
  const auto add = [&](std::span<const edge> list) {
    made.hubs += add_hub(made.plan, list).targets.size() > 1 ? 1 : 0;
  };
  bool any = false;
  for (const unsigned char c : table) any = any || c != 0;
  if (!any) {
    add(edges);
    return made;
  }
  cfg_facts facts(shape);
  dense::unstructured_flow sets;
  sets.start_sets(facts, std::span<const unsigned char>(table));
  std::vector<block_id> inside;  // by edge: a block of its set
  inside.reserve(edges.size());
  for (const edge& e : edges) {
    SIMTFLOW_EXPECTS(e.from < shape.num_blocks() && e.slot < shape.successors(e.from).size(),
                     "a hub is put on edges of the graph");
    const bool reached = facts.ends().is_reachable(e.from);
    inside.push_back(reached ? sets.make_set_around(shape, e) : no_block);
  }
  std::vector<std::uint32_t> set;
  std::vector<std::vector<edge>> of(sets.list_sets(set));
  for (std::size_t i = 0; i < edges.size(); ++i)
    if (inside[i] != no_block) of[set[inside[i]]].push_back(edges[i]);
  for (const std::vector<edge>& list : of) add(std::span<const edge>(list));
  made.refused = detail::each_once(sets.obstacles());
  return made;
}

/// As above, but each hub tests its most frequent target first: `frequency(edge)` says how often an edge is taken, and
/// a target is as frequent as the named edges to it. Equally frequent targets stay in the order of the edges.
/// \pre frequency(edge) is a std::uint64_t, and the sum over the edges is one. O(edges log edges) more.
template <flow_graph G, class Convergent, class Frequency>
[[nodiscard]] constexpr hubs_made with_hub(const G& g, std::span<const edge> edges, Convergent convergent,
                                           Frequency frequency) {
  detail::kept_shape<G> buffer;
  const csr_graph& shape = buffer.of(g);
  std::vector<std::uint64_t> arrivals;  // by target
  arrivals.assign(shape.num_blocks(), 0);
  std::vector<edge> sorted(edges.begin(), edges.end());
  for (const edge& e : sorted) {
    SIMTFLOW_EXPECTS(e.from < shape.num_blocks() && e.slot < shape.successors(e.from).size(),
                     "a hub is put on edges of the graph");
    arrivals[shape.successors(e.from)[e.slot]] += frequency(e);
  }
  detail::sort_by_frequency(sorted, [&](const edge& e) { return arrivals[shape.successors(e.from)[e.slot]]; });
  return with_hub(g, std::span<const edge>(sorted), convergent);
}

}  // namespace v0
}  // namespace simtflow
