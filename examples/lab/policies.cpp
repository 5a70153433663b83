// SPDX-License-Identifier: BSL-1.0
#include "lab/policies.hpp"

#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>

#include <algorithm>

namespace lab {

simtflow::priority_order<simtflow::csr_graph> priorities(const simtflow::csr_graph& graph, order_choice order) {
  return order == order_choice::rpo ? simtflow::reverse_post_order(graph) : simtflow::loop_contiguous_order(graph);
}

schedule schedule_for(const simtflow::csr_graph& graph, order_choice order) {
  const auto tree = simtflow::post_dominators(graph);
  const auto order_of_blocks = priorities(graph, order);
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
