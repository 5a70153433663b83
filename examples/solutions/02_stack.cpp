// SPDX-License-Identifier: BSL-1.0
//
// Solutions of unit 2: the depth of the stack in nested branches and in a loop.
#include "count.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>

#include <cstdio>
#include <vector>

using namespace simtflow;

int main() {
  std::printf("1: nested ifs, deepest stack:");
  for (unsigned depth = 1; depth <= 5; ++depth) {
    // Block k < depth is an if: half of its lanes go on to k + 1, the others to the arm depth + 1 + k. Block depth is
    // the innermost arm. The join of if k is 2 depth + 1 + k, and it goes on to the join of if k - 1.
    std::vector<std::vector<int>> cfg(3 * depth + 1);
    const auto join = [=](unsigned k) { return int(2 * depth + 1 + k); };
    for (unsigned k = 0; k < depth; ++k) {
      cfg[k] = {int(k) + 1, int(depth + 1 + k)};
      cfg[depth + 1 + k] = {join(k)};
      if (k > 0) cfg[unsigned(join(k))] = {join(k - 1)};
    }
    cfg[depth] = {join(depth - 1)};
    const auto meet = post_dominators(cfg);
    const auto thread = [&](unsigned lane, block_id b) -> block_id {
      if (b < depth) return block_id(cfg[b][(lane >> b) % 2]);
      return cfg[b].empty() ? no_block : block_id(cfg[b][0]);
    };
    std::printf(" %d", int(count(any_policy(policies::ipdom_stack(meet.ipdoms())), thread, {}).max_depth));
  }
  const std::vector<std::vector<int>> loop{{1, 2}, {0}, {}};
  const auto meet = post_dominators(loop);
  const auto thread = [turns = std::vector<unsigned>(32)](unsigned lane, block_id b) mutable -> block_id {
    if (b == 0) return turns[lane]++ < lane ? 1U : 2U;
    return b == 1 ? 0U : no_block;
  };
  const counts c = count(any_policy(policies::ipdom_stack(meet.ipdoms())), thread, {});
  std::printf("\n2: a loop of 31 iterations that lanes leave one by one: deepest stack %d\n", int(c.max_depth));
  return 0;
}
