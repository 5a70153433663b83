// SPDX-License-Identifier: BSL-1.0
#include <simtflow/simtflow.hpp>

#include <vector>

simtflow::block_id idom_of_join_elsewhere();

int main() {
  // The diamond 0 -> 1, 2 -> 3, asked in two translation units of one program.
  const std::vector<std::vector<int>> diamond{{1, 2}, {3}, {3}, {}};
  const auto tree = simtflow::dominators(diamond);
  return tree.idom(3) == 0 && idom_of_join_elsewhere() == 0 ? 0 : 1;
}
