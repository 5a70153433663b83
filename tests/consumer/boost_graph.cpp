// SPDX-License-Identifier: BSL-1.0
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/interop/boost_graph.hpp>

#include <boost/graph/adjacency_list.hpp>

#include <utility>

int main() {
  boost::adjacency_list<> diamond(4);
  for (const auto& [from, to] : {std::pair{0U, 1U}, {0U, 2U}, {1U, 3U}, {2U, 3U}}) add_edge(from, to, diamond);
  return simtflow::dominators(diamond).idom(3) == 0U ? 0 : 1;
}
