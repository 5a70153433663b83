// SPDX-License-Identifier: BSL-1.0
#include <simtflow/simtflow.hpp>

#include <vector>

simtflow::block_id idom_of_join_elsewhere() {
  const std::vector<std::vector<int>> diamond{{1, 2}, {3}, {3}, {}};
  return static_cast<simtflow::block_id>(*simtflow::dominators(diamond).idom(3));
}
