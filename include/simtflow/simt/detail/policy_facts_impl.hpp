// SPDX-License-Identifier: BSL-1.0
//
// The tables of simt/policy_facts.hpp, each made by the analysis that its comment there names.
#pragma once

#include <simtflow/analysis/barrier_order.hpp>
#include <simtflow/analysis/control_dependence.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/simt/policies/conservative_branch.hpp>
#include <simtflow/simt/policy_facts.hpp>
#include <simtflow/simt/structured_control.hpp>

namespace simtflow {
inline namespace v0 {

inline policy_facts::policy_facts(const csr_graph& graph, const policy_fact_options& options)
    : graph_(&graph),
      bodies_(options.bodies != nullptr ? options.bodies : &graph),
      order_(options.order),
      has_barrier_(options.barriers.begin(), options.barriers.end()),
      weights_(options.weights.begin(), options.weights.end()),
      tree_(post_dominators(*bodies_)) {
  edges_.assign(graph.num_edges(), 0);
  exits_.assign(graph.num_blocks(), 0);
}

inline void policy_facts::set_profile(const edge_profile& run) {
  edges_.assign(run.edges.begin(), run.edges.end());
  exits_.assign(run.exits.begin(), run.exits.end());
}

inline priority_order<csr_graph> policy_facts::make_order(priority_rule order) const {
  switch (order) {
    case priority_rule::rpo:
      return reverse_post_order(*graph_);
    case priority_rule::dominance_compact:
      return dominance_compact_order(*graph_);
    case priority_rule::barrier_aware:
      return barrier_aware_order(*graph_, std::span<const unsigned char>(has_barrier_));
    case priority_rule::exit_distance:
      return exit_distance_order(*graph_);
    case priority_rule::loop_contiguous:
      break;
  }
  return loop_contiguous_order(*graph_);
}

inline bool policy_facts::may_split_at_barriers() const {
  return graph_ != nullptr &&
         static_cast<bool>(find_overtaken(*graph_, make_order(order_), std::span<const unsigned char>(has_barrier_)));
}

inline std::span<const block_id> policy_facts::ipdoms() const {
  if (!tree_) return {};
  return tree_->ipdoms();
}

inline std::span<const block_id> policy_facts::likely(likely_source from, std::uint64_t threshold) const {
  if (graph_ == nullptr || from == likely_source::none) return {};
  if (from == likely_source::loops) threshold = 0;
  const auto [at, fresh] = likely_.try_emplace({from, threshold});
  if (fresh) {
    // The profile counts the edges that threads took. Edges over a call have no count, and need no count.
    std::vector<std::uint64_t> body_edges(bodies_->num_edges(), 0);
    std::vector<std::uint64_t> body_exits(bodies_->num_blocks(), 0);
    for (block_id b = 0; b < graph_->num_blocks(); ++b) {
      body_exits[b] = exits_[b];
      const auto ways = graph_->successors(b);
      const auto body_ways = bodies_->successors(b);
      for (std::size_t i = 0; i < body_ways.size(); ++i)
        for (std::size_t k = 0; k < ways.size(); ++k)
          if (ways[k] == body_ways[i]) {
            body_edges[bodies_->first_edge(b) + i] = edges_[graph_->first_edge(b) + k];
            break;
          }
    }
    const auto points = from == likely_source::loops
                            ? likely_convergence(*bodies_, loops(*bodies_), *tree_)
                            : likely_convergence(*bodies_, *tree_, edge_profile{body_edges, body_exits},
                                                 static_cast<double>(threshold) / 100);
    at->second.assign(points.points().begin(), points.points().end());
  }
  return at->second;
}

inline policy_facts::priority_tables& policy_facts::tables(priority_rule order) const {
  const auto [at, fresh] = priorities_.try_emplace(order);
  if (fresh && graph_ != nullptr) at->second.order = make_order(order);
  return at->second;
}

inline std::span<const block_id> policy_facts::layout(priority_rule order) const {
  const auto& made = tables(order).order;
  return made ? std::span<const block_id>(made->ids().order()) : std::span<const block_id>();
}

inline std::span<const std::uint32_t> policy_facts::ranks(priority_rule order) const {
  const auto& made = tables(order).order;
  return made ? std::span<const std::uint32_t>(made->ranks()) : std::span<const std::uint32_t>();
}

inline std::span<const block_id> policy_facts::conservative(priority_rule order, frontier_rule rule) const {
  priority_tables& of = tables(order);
  const auto [at, fresh] = of.conservative.try_emplace(rule);
  if (fresh && of.order) {
    const frontier_sets<csr_graph> sets(*graph_, *of.order, {}, rule);
    at->second = policies::conservative_targets(sets.ids());
  }
  return at->second;
}

inline std::span<const std::uint32_t> policy_facts::frontier_sizes() const {
  priority_tables& of = tables(order_);
  if (of.order && of.frontier_sizes.empty()) {
    const frontier_sets<csr_graph> sets(*graph_, *of.order);
    for (block_id b = 0; b < graph_->num_blocks(); ++b)
      of.frontier_sizes.push_back(static_cast<std::uint32_t>(sets.ids().size(b)));
  }
  return of.frontier_sizes;
}

inline std::span<const std::uint32_t> policy_facts::text_ranks() const {
  if (graph_ != nullptr)
    while (text_ranks_.size() < graph_->num_blocks())
      text_ranks_.push_back(static_cast<std::uint32_t>(text_ranks_.size()));
  return text_ranks_;
}

inline std::span<const unsigned char> policy_facts::reconvergence() const {
  if (graph_ != nullptr && reconvergence_.empty()) {
    reconvergence_.assign(bodies_->num_blocks(), 0);
    for (block_id b = 0; b < graph_->num_blocks(); ++b)
      if (bodies_->successors(b).size() > 1 && ipdoms()[b] != no_block) reconvergence_[ipdoms()[b]] = 1;
  }
  return reconvergence_;
}

inline std::span<const unsigned char> policy_facts::top_level() const {
  if (graph_ != nullptr && top_level_.empty()) {
    top_level_.assign(bodies_->num_blocks(), 0);
    const auto dependences = control_dependence(*bodies_, *tree_);
    for (const block_id b : dependences.ids().entry_region()) top_level_[b] = 1;
  }
  return top_level_;
}

inline std::span<const unsigned char> policy_facts::uniform(uniform_source which) const {
  if (graph_ == nullptr || which == uniform_source::none) return {};
  const auto [at, fresh] = uniform_.try_emplace(which);
  if (fresh)
    for (block_id b = 0; b < graph_->num_blocks(); ++b) {
      const bool counts = which == uniform_source::profile;
      std::size_t ways = (counts ? exits_[b] != 0 : graph_->is_exit(b)) ? 1 : 0;
      for (std::size_t slot = 0; slot < graph_->successors(b).size(); ++slot)
        ways += !counts || edges_[graph_->first_edge(b) + slot] != 0 ? 1 : 0;
      const bool proved =
          which == uniform_source::analysis && b < uniform_branches_.size() && uniform_branches_[b] != 0;
      at->second.push_back(ways <= 1 || proved ? 1 : 0);
    }
  return at->second;
}

inline const policies::convergence_table& policy_facts::barriers(yield_rule yields) const {
  const auto [at, fresh] = barriers_.try_emplace(yields);
  if (fresh && graph_ != nullptr) {
    std::vector<policies::convergence_operation> operations = policies::ipdom_barriers(*bodies_, ipdoms());
    if (yields != yield_rule::never) {
      const auto forest = loops(*bodies_);
      id_map<loop_id, unsigned char> chosen;
      chosen.assign(forest.num_loops(), yields == yield_rule::loops ? 1 : 0);
      for (block_id b = 0; b < strong_reads_.size(); ++b)  // a loop waits if a loop inside it does
        if (strong_reads_[b] != 0)
          for (loop_id l = forest.ids().innermost(b); l != no_loop; l = forest.ids().parent(l)) chosen[l] = 1;
      for (const loop_id l : ids_below<loop_id>(forest.num_loops()))
        if (chosen[l] != 0) operations.push_back({forest.ids().header(l), policies::convergence_op::yield, 0});
    }
    at->second = policies::convergence_table(bodies_->num_blocks(), operations);
  }
  return at->second;
}

inline std::span<const policies::structured_block> policy_facts::code() const {
  // The mask stack knows no calls.
  if (graph_ != nullptr && !code_)
    code_ = bodies_->num_blocks() == graph_->num_blocks() ? structured_control(*bodies_).blocks
                                                          : std::vector<policies::structured_block>();
  return code_ ? std::span<const policies::structured_block>(*code_) : std::span<const policies::structured_block>();
}

}  // namespace v0
}  // namespace simtflow
