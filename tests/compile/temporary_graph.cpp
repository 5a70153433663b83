// SPDX-License-Identifier: BSL-1.0
// A result keeps a pointer to the graph, so a temporary is refused: by functions, constructors and recompute().
// AT MOST: 24 lines
// REJECT(function): a result keeps a pointer to the graph: give the graph a name
// REJECT(constructor): a result keeps a pointer: give the graph a name
// REJECT(recompute): a result keeps a pointer: give the graph a name
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/graph/snapshot.hpp>

#include <vector>

using lists = std::vector<std::vector<int>>;

simtflow::block_id use(const lists& g) {
#if defined(REJECT_function)
  auto tree = simtflow::dominators(lists{{1}, {}});
#elif defined(REJECT_constructor)
  simtflow::dominator_tree<lists> tree(lists{{1}, {}});
#else
  auto tree = simtflow::dominators(g);
#endif
#if defined(REJECT_recompute)
  tree.recompute(lists{{1}, {}});
#endif
  tree.recompute(g);
  const auto copied = simtflow::dominators(simtflow::snapshot(g));  // no pointer to a csr_graph is kept
  return copied.ids().entry() + tree.ids().entry();
}
