// SPDX-License-Identifier: BSL-1.0
//
// Solutions of unit 14: how many guards other conditions need.
#include <simtflow/analysis/unstructured.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/transform/linearize.hpp>

#include <cstdio>
#include <vector>

using namespace simtflow;

int main() {
  const auto print = [](const char* what, const std::vector<std::vector<int>>& graph) {
    const csr_graph cfg = snapshot(graph);
    const linearization flat = linearize(cfg);
    std::printf("%s: %zu unstructured edges, %zu blocks and %zu guards\n", what, unstructured_edges(cfg).size(),
                flat.plan.cost().originals, flat.plan.cost().guards);
  };
  print("1: if (a && b) f(); g();", {{1, 3}, {2, 3}, {3}, {}});
  print("1: if (a && b) f(); else h(); g();", {{1, 3}, {2, 3}, {4}, {4}, {}});
  print("1: if (a && b && c) f(); else h(); g();", {{1, 4}, {2, 4}, {3, 4}, {5}, {5}, {}});
  print("2: while (a) { if (b) break; f(); } g();", {{1, 3}, {3, 2}, {0}, {}});
  print("2: while (a) { if (b) goto out; f(); } h(); out: g();", {{1, 3}, {4, 2}, {0}, {4}, {}});
  return 0;
}
