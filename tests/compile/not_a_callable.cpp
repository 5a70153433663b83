// SPDX-License-Identifier: BSL-1.0
// REJECT: function_graph needs a callable that takes a block_id
#include <simtflow/graph/function_graph.hpp>

#include <vector>

void use() {
#if defined(REJECT)
  simtflow::function_graph g{2, [](const char*) { return std::vector<int>{}; }};
#else
  simtflow::function_graph g{2, [](simtflow::block_id) { return std::vector<int>{}; }};
#endif
  static_cast<void>(g);
}
