// SPDX-License-Identifier: BSL-1.0
//
// Solutions of unit 1: edges are added, and the answers that change are printed.
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/post_dominators.hpp>

#include <cstdio>
#include <vector>

int main() {
  using graph = std::vector<std::vector<int>>;
  const graph before{{1}, {2, 6}, {3, 4}, {5}, {5}, {1}, {}, {6}};
  const auto compare = [&](const char* what, const graph& after) {
    const auto up = simtflow::dominators(before), new_up = simtflow::dominators(after);
    const auto down = simtflow::post_dominators(before), new_down = simtflow::post_dominators(after);
    std::printf("%s:", what);
    for (int b = 0; b < 7; ++b) {
      if (up.idom(b) != new_up.idom(b)) std::printf(" idom of BB%d is BB%d;", b, *new_up.idom(b));
      if (down.ipdom(b) != new_down.ipdom(b)) std::printf(" ipdom of BB%d is BB%d;", b, *new_down.ipdom(b));
    }
    const auto nest = simtflow::loops(after);
    for (const simtflow::loop_id l : nest.all())
      std::printf(" loop at BB%d, %zu blocks", int(nest.header(l)), nest.blocks(l).size());
    std::printf("\n");
  };
  graph leaves = before, enters = before;
  leaves[3].push_back(6);
  enters[0].push_back(5);
  compare("1: a break in the arm 'then'", leaves);
  compare("2: a jump from the entry to the end of the body", enters);
  return 0;
}
