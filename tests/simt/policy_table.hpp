// SPDX-License-Identifier: BSL-1.0
//
// Every policy that ships, and what each claims: the one list that tests over all policies go through. A policy joins
// with one line of each_policy(). Tests that need no types take the boxed policies of all_policies(), so that they
// compile the executor once.
#pragma once

#include "simt/oldest_first.hpp"
#include <simtflow/analysis/convergence.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/simt/any_policy.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/home_lanes.hpp>
#include <simtflow/simt/policies/aware.hpp>
#include <simtflow/simt/policies/conservative_branch.hpp>
#include <simtflow/simt/policies/convergence_barriers.hpp>
#include <simtflow/simt/policies/dual_path.hpp>
#include <simtflow/simt/policies/dynamic_warps.hpp>
#include <simtflow/simt/policies/dynamic_warps_barrier.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/large_warps.hpp>
#include <simtflow/simt/policies/likely_convergence_stack.hpp>
#include <simtflow/simt/policies/min_pc.hpp>
#include <simtflow/simt/policies/multi_path.hpp>
#include <simtflow/simt/policies/no_reconvergence.hpp>
#include <simtflow/simt/policies/predicate_stack.hpp>
#include <simtflow/simt/policies/thread_block_compaction.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/simt/policies/warp_subdivision.hpp>
#include <simtflow/simt/structured_control.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace policy_table {

using namespace simtflow;

// A priority order and what follows from it.
struct ranking {
  ranking(const csr_graph& g, priority_order<csr_graph> by)
      : order(std::move(by)),
        frontier(thread_frontiers(g, order)),
        conservative(policies::conservative_targets(frontier.ids())) {}
  priority_order<csr_graph> order;
  frontier_sets<csr_graph> frontier;
  std::vector<block_id> conservative;

  [[nodiscard]] std::span<const std::uint32_t> ranks() const { return order.ranks(); }
  [[nodiscard]] std::span<const block_id> layout() const { return order.ids().order(); }
};

enum rank_by : std::size_t { loop_contiguous, depth_first, block_id_upwards, block_id_downwards };

// The material that policies may be built from; they refer to it.
struct material {
  // Analyses of the graph. `meet`, if given, are other reconvergence points (functions that call each other: each has
  // its own); `depths` are call depths by thread.
  explicit material(const csr_graph& g, std::uint32_t width = 32, std::span<const block_id> meet = {},
                    std::span<const std::uint32_t> call_depths = {})
      : warp_width(width), depths(call_depths) {
    const auto tree = post_dominators(g);
    if (meet.empty()) meet = tree.ipdoms();
    ipdoms.assign(meet.begin(), meet.end());
    const auto points = likely_convergence(g, loops(g), tree);
    likely.assign(points.points().begin(), points.points().end());
    std::vector<block_id> up, down;
    for (block_id b = 0; b < g.num_blocks(); ++b) up.push_back(b);
    down.assign(up.rbegin(), up.rend());
    orders.emplace_back(g, loop_contiguous_order(g));
    orders.emplace_back(g, reverse_post_order(g));
    orders.emplace_back(g, priority_order<csr_graph>(g, up));
    orders.emplace_back(g, priority_order<csr_graph>(g, down));
    meets.assign(g.num_blocks(), 0);
    for (block_id b = 0; b < g.num_blocks(); ++b)
      if (g.successors(b).size() > 1 && ipdoms[b] != no_block) meets[ipdoms[b]] = 1;
    barriers = policies::convergence_table(g.num_blocks(), policies::ipdom_barriers(g, ipdoms));
    code = structured_control(g).blocks;
  }
  material(const material&) = delete;
  material& operator=(const material&) = delete;

  std::uint32_t warp_width;
  std::span<const std::uint32_t> depths;
  std::vector<block_id> ipdoms, likely;
  std::vector<ranking> orders;
  std::vector<unsigned char> meets;
  policies::convergence_table barriers;
  std::vector<policies::structured_block> code;  // empty: unstructured

  [[nodiscard]] std::span<const std::uint32_t> ranks(rank_by by = loop_contiguous) const { return orders[by].ranks(); }
  [[nodiscard]] home_lanes lanes(lane_rule rule = lane_rule::identity) const { return {warp_width, rule}; }
};

// The claims of a policy beyond what every policy must do. The numbers are from the models' invariants.
enum claim : unsigned {
  none = 0,
  sorted = 1,                // 5, 6, 7: waiting blocks rank lower, lie in the frontier, one entry a block
  shallow_stack = 2,         // 8: at most 2 W - 1 entries
  least_if_acyclic = 4,      // 9: the lower bound on acyclic graphs
  converged_structured = 8,  // 10: maximal convergence on structured programs
  converged_break = 16,      // 11: ... and with break and continue
  restricts = 32,            // 12: threads run with others as they run without
  as_pdom = 64,              // 14: fetches what a post-dominator stack fetches, whatever path it prefers
  renumbering = 128,         // 14: numbering the lanes the other way costs the same
  meets_whole = 256,         // brings warps whole to barriers that all their threads reach together
  alone = 512,               // 15 does not hold: every thread runs alone
  refills = 1024,            // 15 holds for full warps only: partial ones take in threads of others
  structured_only = 2048     // takes structured code only
};

struct about {
  std::string_view name;
  unsigned claims = none;
  rank_by order = loop_contiguous;  // if sorted

  [[nodiscard]] bool is(claim c) const { return (claims & c) != 0; }
};

/// Makes a policy from the material, for warps of material::warp_width.
template <class Policy>
using maker = Policy (*)(const material&);

// Calls visit(about, maker) for each policy. Policies of one type have makers of one type, so a visitor is compiled
// once for each type.
template <class Visit>
void each_policy(Visit visitor) {
  const auto visit = [&](const about& what, auto make) {
    visitor(what, maker<decltype(make(std::declval<const material&>()))>(make));
  };
  constexpr unsigned pdom = shallow_stack | converged_structured | as_pdom | renumbering | meets_whole;
  constexpr unsigned frontier = restricts | renumbering;
  constexpr unsigned contiguous = frontier | least_if_acyclic | converged_structured | converged_break | meets_whole;
  using m = const material&;

  visit(about{"ipdom_stack", pdom}, [](m a) { return policies::ipdom_stack(a.ipdoms); });
  visit(about{"ipdom_stack, last target first", pdom},
        [](m a) { return policies::ipdom_stack(a.ipdoms, policies::path_order::last_target); });
  visit(about{"ipdom_stack, smaller first", pdom},
        [](m a) { return policies::ipdom_stack(a.ipdoms, policies::path_order::smaller_first); });
  visit(about{"ipdom_stack, larger first", pdom},
        [](m a) { return policies::ipdom_stack(a.ipdoms, policies::path_order::larger_first); });
  visit(about{"likely_convergence_stack", converged_structured | renumbering | meets_whole},
        [](m a) { return policies::likely_convergence_stack(a.ipdoms, a.likely); });
  visit(about{"predicate_stack",
              converged_structured | converged_break | restricts | renumbering | meets_whole | structured_only},
        [](m a) { return policies::predicate_stack(a.code); });
  visit(about{"dual_path", pdom}, [](m a) { return policies::dual_path(a.ipdoms); });
  visit(about{"dual_path, one path then the other", pdom}, [](m a) {
    return policies::dual_path(a.ipdoms, policies::dual_path_turns::one_then_other, policies::path_order::last_target);
  });
  visit(about{"multi_path", pdom}, [](m a) { return policies::multi_path(a.ipdoms); });
  visit(about{"multi_path, first in first out", pdom},
        [](m a) { return policies::multi_path(a.ipdoms, {.schedule = policies::split_schedule::first_in_first_out}); });
  visit(about{"multi_path, early joins", meets_whole}, [](m a) {
    return policies::multi_path(a.ipdoms,
                                {.schedule = policies::split_schedule::first_in_first_out, .early_join = true});
  });
  visit(about{"aware"}, [](m a) { return policies::aware(a.ipdoms, 5); });
  visit(about{"convergence_barriers", converged_structured | meets_whole},
        [](m a) { return policies::convergence_barriers(a.barriers); });
  visit(about{"convergence_barriers, round robin", converged_structured | meets_whole}, [](m a) {
    return policies::convergence_barriers(a.barriers, {.order = policies::selection_order::round_robin});
  });
  visit(about{"convergence_barriers, lowest PC", converged_structured | meets_whole}, [](m a) {
    return policies::convergence_barriers(a.barriers, {.order = policies::selection_order::lowest_pc}, a.ranks());
  });
  visit(about{"convergence_barriers, highest PC", converged_structured | meets_whole}, [](m a) {
    return policies::convergence_barriers(a.barriers, {.order = policies::selection_order::highest_pc}, a.ranks());
  });
  visit(about{"warp_subdivision"}, [](m a) { return policies::warp_subdivision(a.ipdoms); });

  visit(about{"thread_frontier", contiguous | sorted}, [](m a) { return policies::thread_frontier(a.ranks()); });
  visit(about{"thread_frontier, depth-first order", frontier | sorted | least_if_acyclic, depth_first},
        [](m a) { return policies::thread_frontier(a.ranks(depth_first)); });
  visit(about{"thread_frontier, by block id", frontier | sorted, block_id_upwards},
        [](m a) { return policies::thread_frontier(a.ranks(block_id_upwards)); });
  visit(about{"thread_frontier, by block id downwards", frontier | sorted, block_id_downwards},
        [](m a) { return policies::thread_frontier(a.ranks(block_id_downwards)); });
  visit(about{"conservative_branch", contiguous}, [](m a) {
    const ranking& r = a.orders[loop_contiguous];
    return policies::conservative_branch(r.layout(), r.ranks(), r.conservative);
  });
  visit(about{"conservative_branch, by block id", frontier, block_id_upwards}, [](m a) {
    const ranking& r = a.orders[block_id_upwards];
    return policies::conservative_branch(r.layout(), r.ranks(), r.conservative);
  });
  visit(about{"min_pc", contiguous}, [](m a) { return policies::min_pc(a.ranks(), a.depths); });
  visit(about{"min_pc, by block id downwards", frontier},
        [](m a) { return policies::min_pc(a.ranks(block_id_downwards), a.depths); });

  visit(about{"dynamic_warps, majority", refills}, [](m a) {
    return policies::dynamic_warps({a.lanes(), a.ranks(), {}, policies::warp_scheduler::majority});
  });
  visit(about{"dynamic_warps, minority", refills}, [](m a) {
    return policies::dynamic_warps({a.lanes(), a.ranks(), {}, policies::warp_scheduler::minority});
  });
  visit(about{"dynamic_warps, time", refills}, [](m a) {
    return policies::dynamic_warps({a.lanes(), a.ranks(), {}, policies::warp_scheduler::time});
  });
  visit(about{"dynamic_warps, PC", refills}, [](m a) {
    return policies::dynamic_warps({a.lanes(), a.ranks(), {}, policies::warp_scheduler::pc});
  });
  visit(about{"dynamic_warps, post-dominators", refills}, [](m a) {
    return policies::dynamic_warps({a.lanes(), a.ranks(), a.meets, policies::warp_scheduler::post_dominators});
  });
  visit(about{"dynamic_warps_barrier, majority"}, [](m a) {
    return policies::dynamic_warps_barrier(a.ipdoms, {a.lanes(), a.ranks(), {}, policies::warp_scheduler::majority});
  });
  visit(about{"dynamic_warps_barrier, time"}, [](m a) {
    return policies::dynamic_warps_barrier(a.ipdoms, {a.lanes(), a.ranks(), {}, policies::warp_scheduler::time});
  });
  visit(about{"dynamic_warps_barrier, post-dominators"}, [](m a) {
    return policies::dynamic_warps_barrier(a.ipdoms,
                                           {a.lanes(), a.ranks(), a.meets, policies::warp_scheduler::post_dominators});
  });
  visit(about{"thread_block_compaction"}, [](m a) {
    return policies::thread_block_compaction(a.ipdoms, policies::compaction_options{.lanes = a.lanes()});
  });
  visit(about{"thread_block_compaction, likely points"}, [](m a) {
    return policies::thread_block_compaction(a.ipdoms,
                                             policies::compaction_options{.lanes = a.lanes(), .likely = a.likely});
  });
  visit(about{"thread_block_compaction, permuted lanes"}, [](m a) {
    return policies::thread_block_compaction(a.ipdoms,
                                             policies::compaction_options{.lanes = a.lanes(lane_rule::permuted)});
  });
  visit(about{"thread_block_compaction, static warps"}, [](m a) {
    return policies::thread_block_compaction(
        a.ipdoms, policies::compaction_options{.lanes = a.lanes(), .mode = policies::compaction::static_warps});
  });
  visit(about{"thread_block_compaction, CAPRI"}, [](m a) {
    return policies::thread_block_compaction(
        a.ipdoms, policies::compaction_options{.lanes = a.lanes(), .mode = policies::compaction::predicted});
  });
  visit(about{"large_warps of 1", converged_structured | as_pdom | renumbering}, [](m a) {
    return policies::large_warps(a.ipdoms, {a.lanes(), 1});
  });
  visit(about{"large_warps of 3"}, [](m a) { return policies::large_warps(a.ipdoms, {a.lanes(), 3}); });

  visit(about{"no_reconvergence"}, [](m) { return policies::no_reconvergence(); });
  visit(about{"mimd", renumbering | alone}, [](m) { return policies::mimd(); });
  visit(about{"lane_serial", renumbering | alone}, [](m) { return policies::lane_serial(); });
  visit(about{"oldest_first"}, [](m) { return simtflow_tests::oldest_first(); });
}

// --- boxed policies --------------------------------------------------------------------------------------------------

struct step {
  std::uint32_t first, threads;  // lane i is thread first + i; at most so many lanes
  block_id block;
  lane_mask lanes, live;
  std::size_t depth;
};

struct record {
  verdict how;
  std::vector<step> steps;
  std::uint64_t overhead = 0;
  std::vector<std::uint64_t> waited;  // at barriers, by thread
  std::uint64_t opened = 0;           // barriers
  bool early = false;                 // a thread ran on before its barrier had opened
};

using any_program = std::function<block_end(block_id, const group&, partition&)>;

struct entry {
  about what;
  policy_abilities can;
  std::function<any_policy(const material&)> make;

  // True if the policy can be made from it.
  [[nodiscard]] bool takes(const material& m) const { return !m.code.empty() || !what.is(structured_only); }
  // Barriers at which this policy brings all threads of a program together that reach them together.
  [[nodiscard]] barrier_model barriers() const {
    return can.parks ? barrier_model::thread_arrival : barrier_model::whole_warp;
  }
  [[nodiscard]] record run(const material&, const launch&, const any_program&, std::uint64_t steps) const;
};

// All of each_policy(), in its order (policy_table_test.cpp).
std::span<const entry> all_policies();
const entry& policy(std::string_view name);

}  // namespace policy_table
