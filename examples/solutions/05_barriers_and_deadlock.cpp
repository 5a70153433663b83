// SPDX-License-Identifier: BSL-1.0
//
// Solutions of unit 5: another place for the barrier, another order for thread frontiers.
#include "count.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>

#include <cstdio>
#include <vector>

using namespace simtflow;

int main() {
  const std::vector<std::vector<int>> cfg{{1, 2}, {3, 4}, {3}, {4}, {}};
  const auto meet = post_dominators(cfg);
  const auto verdict = [&](const char* what, const any_policy& policy, const std::vector<unsigned char>& barriers) {
    const thread_function thread = [](unsigned lane, block_id b) -> block_id {
      const block_id next[] = {lane % 2 == 0 ? 1U : 2U, 3, 3, 4, no_block};
      return next[b];
    };
    const auto end = run(policy, callable_program(thread, {}, barriers), {.threads = 4});
    std::printf("%s: %s\n", what, describe(end).c_str());
  };
  const std::vector<std::uint32_t> order{0, 1, 3, 2, 4};  // by block: its place; BB3 comes before BB2
  verdict("1: PDOM, the barrier at the end of BB4", any_policy(policies::ipdom_stack(meet.ipdoms())), {0, 0, 0, 0, 1});
  verdict("2: thread frontiers, BB3 before BB2", any_policy(policies::thread_frontier(order)), {0, 0, 0, 1, 0});
  return 0;
}
