// SPDX-License-Identifier: BSL-1.0
#include "lab/schedule.hpp"

namespace lab {

using namespace simtflow;

std::span<const block_id> priorities(dense::order_maker& make, cfg_facts& facts, priority_rule order,
                                     std::span<const unsigned char> barriers) {
  const csr_graph& graph = facts.graph();
  switch (order) {
    case priority_rule::rpo:
      return make.reverse_post_order(graph);
    case priority_rule::dominance_compact:
      return make.dominance_compact(graph);
    case priority_rule::barrier_aware:
      return make.barrier_aware(graph, barriers);
    case priority_rule::exit_distance:
      return make.exit_distance(graph);
    case priority_rule::loop_contiguous:
      break;
  }
  return make.loop_contiguous(facts.loops());
}

edge_counter::edge_counter(const csr_graph& graph) : graph_(&graph) {
  edges_.assign(graph.num_edges(), 0);
  exits_.assign(graph.num_blocks(), 0);
}

void edge_counter::operator()(const event::ended&) {
  for (const block_id b : last_)
    if (b != no_block) ++exits_[b];
}

void edge_counter::add(const edge_counter& other) {
  for (std::size_t e = 0; e < edges_.size(); ++e) edges_[e] += other.edges_[e];
  for (std::size_t b = 0; b < exits_.size(); ++b) exits_[b] += other.exits_[b];
}

void edge_counter::visit(std::uint32_t thread, block_id b) {
  const block_id from = last_[thread];
  last_[thread] = b;
  if (from == no_block) return;
  const auto targets = graph_->successors(from);
  for (std::size_t slot = 0; slot < targets.size(); ++slot)
    if (targets[slot] == b) {
      ++edges_[graph_->first_edge(from) + slot];
      return;
    }
}

}  // namespace lab
