// SPDX-License-Identifier: BSL-1.0
#include "lab/policies.hpp"

#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>

#include <algorithm>

namespace lab {

std::string_view to_string(order_choice order) {
  switch (order) {
    case order_choice::loop_contiguous:
      return "loop-contiguous";
    case order_choice::rpo:
      return "rpo";
    case order_choice::dominance_compact:
      return "dominance-compact";
    case order_choice::barrier_aware:
      return "barrier-aware";
    case order_choice::exit_distance:
      return "exit-distance";
  }
  return "";
}

const simtflow::priority_order<simtflow::csr_graph>& priorities(simtflow::priority_maker<simtflow::csr_graph>& maker,
                                                                const simtflow::csr_graph& graph, order_choice order,
                                                                std::span<const unsigned char> barriers) {
  switch (order) {
    case order_choice::rpo:
      return maker.reverse_post_order(graph);
    case order_choice::dominance_compact:
      return maker.dominance_compact(graph);
    case order_choice::barrier_aware:
      return maker.barrier_aware(graph, barriers);
    case order_choice::exit_distance:
      return maker.exit_distance(graph);
    case order_choice::loop_contiguous:
      break;
  }
  return maker.loop_contiguous(graph);
}

schedule schedule_for(const simtflow::csr_graph& graph, order_choice order, std::span<const unsigned char> barriers) {
  const auto tree = simtflow::post_dominators(graph);
  simtflow::priority_maker<simtflow::csr_graph> maker;
  const auto& order_of_blocks = priorities(maker, graph, order, barriers);
  schedule s;
  s.ipdoms.assign(tree.ipdoms().begin(), tree.ipdoms().end());
  s.ranks.assign(order_of_blocks.ranks().begin(), order_of_blocks.ranks().end());
  return s;
}

std::vector<std::string_view> chosen_policies(std::span<const std::string> names) {
  const auto asked = [&](std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  std::vector<std::string_view> chosen;
  for (const std::string_view name : policy_names())
    if (names.empty() || asked("all") || asked(name)) chosen.push_back(name);
  return chosen;
}

}  // namespace lab
