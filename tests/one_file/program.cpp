// SPDX-License-Identifier: BSL-1.0
//
// A program with the whole core in one file, or as a module: analyses, a run under a policy, an alignment, a
// linearization and a picture. Ends with 0 if all is as it must be.
#include <cstdint>
#include <string>
#include <vector>
#if defined(SIMTFLOW_USE_MODULE)
import simtflow;
#else
#include "simtflow.hpp"
#endif

int main() {
  using namespace simtflow;
  const std::vector<std::vector<std::uint32_t>> cfg{{1, 2}, {3}, {3}, {}};
  const auto tree = dominators(cfg);
  const auto ends = post_dominators(cfg);
  counts sum;
  const auto program = [](std::uint32_t thread, block_id b) {
    return b == 0 ? 1 + thread % 2 : b == 3 ? no_block : block_id{3};
  };
  const bool finished = run(policies::ipdom_stack(ends.ids().ipdoms()), program, {.threads = 4}, sum).finished();
  const std::string picture = to_svg(cfg);
  const auto plan = linearize(snapshot(cfg));
  const std::vector<int> a{1, 2, 3}, b{1, 3};
  const alignment found = align(a, b, [](int x, int y) { return x == y ? 2 : forbidden_pair; });
  return *tree.idom(3) == 0 && finished && sum.fetches == 4 && picture.starts_with("<svg") &&
                 plan.plan.num_blocks() >= 4 && found.score > 0
             ? 0
             : 1;
}
