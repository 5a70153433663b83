// SPDX-License-Identifier: BSL-1.0
#include <simtflow/interop/range_v3.hpp>

#include <vector>

int main() {
  // 0 -> 1 -> 0 is a loop.
  const std::vector<std::vector<int>> loop{{1}, {0, 2}, {}};
  return ranges::distance(simtflow::edges(loop)) == 3 && ranges::distance(simtflow::back_edges(loop)) == 1 ? 0 : 1;
}
