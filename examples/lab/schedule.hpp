// SPDX-License-Identifier: BSL-1.0
//
// The facts that the tool's policies are made from, the priority orders, and a profile of a run.
#pragma once

#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/policy_facts.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace lab {

/// The order of the graph of `facts`, by the loops that are known.
/// \param barriers by block, non-zero: holds a barrier; for priority_rule::barrier_aware.
[[nodiscard]] std::span<const simtflow::block_id> priorities(simtflow::dense::order_maker& make,
                                                             simtflow::cfg_facts& facts, simtflow::priority_rule order,
                                                             std::span<const unsigned char> barriers);

/// How often threads went along each edge: an observer. O(lanes * successors) for each executed block.
class edge_counter {
 public:
  explicit edge_counter(const simtflow::csr_graph& graph);

  /// By edge id; and by block, threads that ended there. Valid while the counter lives.
  [[nodiscard]] simtflow::edge_profile profile() const { return {edges_, exits_}; }
  /// Adds the counts of another counter. \pre on the same graph.
  void add(const edge_counter& other);

  /// The events it takes.
  void operator()(const simtflow::event::started& e) { last_.assign(e.threads, simtflow::no_block); }
  template <class Mask>
  void operator()(const simtflow::event::issued<Mask>& e) {
    e.lanes.for_each([&](std::uint32_t lane) { visit(e.first_thread + lane, e.block); });
  }
  void operator()(const simtflow::event::ended&);

 private:
  void visit(std::uint32_t thread, simtflow::block_id b);
  const simtflow::csr_graph* graph_;
  std::vector<std::uint64_t> edges_, exits_;
  std::vector<simtflow::block_id> last_;  // by thread
};

/// The facts about one graph on one machine. Their tables live as long as the schedule, and policies refer to them. A
/// schedule of no graph has empty tables.
class schedule : public simtflow::policy_facts {
 public:
  schedule() = default;
  /// \param graph   where threads can go; for priorities and frontiers.
  /// \param bodies  functions side by side, a call being an edge over it; the same graph if nothing is called.
  /// Both graphs must outlive the schedule. \param barriers, weights by block.
  schedule(const simtflow::csr_graph& graph, const simtflow::csr_graph& bodies, simtflow::priority_rule order,
           std::span<const unsigned char> barriers, std::span<const std::uint32_t> weights, std::uint32_t warp_width)
      : policy_facts(graph, {.bodies = &bodies, .order = order, .barriers = barriers, .weights = weights}),
        warp_width_(warp_width) {}

  [[nodiscard]] std::uint32_t warp_width() const { return warp_width_; }

 private:
  std::uint32_t warp_width_ = 32;
};

}  // namespace lab
