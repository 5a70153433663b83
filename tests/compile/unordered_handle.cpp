// SPDX-License-Identifier: BSL-1.0
// REJECT: discovered_graph needs handles with == and an order
#include <simtflow/graph/discovered_graph.hpp>

#include <compare>
#include <vector>

struct handle {
  int number;
#if defined(REJECT)
  bool operator==(const handle&) const = default;
#else
  auto operator<=>(const handle&) const = default;
#endif
};

void use() {
  simtflow::discovered_graph g(handle{0}, [](handle) { return std::vector<handle>{}; });
  static_cast<void>(g);
}
