// SPDX-License-Identifier: BSL-1.0
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/interop/boost_graph.hpp>

#include <boost/graph/adjacency_list.hpp>

int main() {
  boost::adjacency_list<> diamond(4);
  for (const auto& [from, to] : {std::pair{0, 1}, {0, 2}, {1, 3}, {2, 3}}) add_edge(from, to, diamond);
  return simtflow::dominators(diamond).idom(3) == 0U ? 0 : 1;
}
