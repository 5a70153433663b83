// SPDX-License-Identifier: BSL-1.0
//
// Dominators of your own control-flow graph. Block a dominates block b if every path from the entry to b passes a; the
// last such block before b is its immediate dominator (idom). Post-dominators are the same, seen from the exit: where
// the arms of a branch must meet. Any range of ranges of integers is a graph as it stands.
#include "write_picture.hpp"
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/io/svg_graph.hpp>

#include <cstdio>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  // [ask]
  // 0: entry  1: while (...)  2: if (...)  3: then  4: else  5: end of the body  6: after the loop  7: never reached
  const std::vector<std::vector<int>> cfg{{1}, {2, 6}, {3, 4}, {5}, {5}, {1}, {}, {6}};
  const auto tree = simtflow::dominators(cfg);
  const auto post = simtflow::post_dominators(cfg);
  for (int b = 0; b < 8; ++b) {
    if (!tree.is_reachable(b)) {
      std::printf("BB%d: not reached\n", b);
      continue;
    }
    const auto up = tree.idom(b), down = post.ipdom(b);
    std::printf("BB%d: idom %d, ipdom %d\n", b, up ? int(*up) : -1, down ? int(*down) : -1);
  }
  const auto nest = simtflow::loops(cfg);
  for (const simtflow::loop_id l : nest.all())
    std::printf("loop at BB%d, %zu blocks\n", int(nest.header(l)), nest.blocks(l).size());
  // [/ask]
  simtflow::dot_style style{
      .title = "what must come before (idom) and after (ipdom)\nyellow: the loop; grey: never reached"};
  style.labels = {"0: entry",           "1: while",          "2: if", "3: then", "4: else",
                  "5: end of the body", "6: after the loop", "7"};
  for (int b = 0; b < 8; ++b) {
    const auto up = tree.idom(b), down = post.ipdom(b);
    style.notes.push_back((up ? "idom " + std::to_string(*up) : "no idom") +
                          (down ? ", ipdom " + std::to_string(*down) : ", no ipdom"));
    if (nest.contains(simtflow::loop_id{0}, b)) style.highlighted.push_back(simtflow::block_id(b));
  }
  return write_picture(argc, argv, simtflow::to_svg(cfg, style));
}
