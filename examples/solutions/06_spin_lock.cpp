// SPDX-License-Identifier: BSL-1.0
//
// Solutions of unit 6: more lanes, and other mechanisms.
#include "count.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/simt/policies/convergence_barriers.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/no_reconvergence.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>

#include <cstdio>
#include <string>
#include <vector>

using namespace simtflow;

int main() {
  // 0: try   1: use and unlock   2: end
  const auto print = [](const char* what, const any_policy& policy, unsigned lanes, bool inside_loop) {
    const thread_function thread = [=, held = false, done = lane_mask()](unsigned lane,
                                                                         block_id b) mutable -> block_id {
      if (b == 2) return no_block;
      if (b == 1) {
        held = false;
        done.set(lane);
        return inside_loop ? 0U : 2U;
      }
      if (done.test(lane)) return 2;
      if (held) return 0;
      held = true;
      return 1;
    };
    counts c;
    const auto end = run(policy, callable_program(thread), {.threads = lanes}, c, {.steps = 10000});
    std::printf("%s: %s", what, to_string(end.how));
    if (end.finished()) std::printf(", %d blocks fetched", int(c.fetches));
    std::printf("\n");
  };
  const csr_graph textbook = snapshot(std::vector<std::vector<int>>{{0, 1}, {2}, {}});
  const csr_graph rewritten = snapshot(std::vector<std::vector<int>>{{0, 1, 2}, {0}, {}});
  const auto meet = post_dominators(textbook), meet_rewritten = post_dominators(rewritten);
  std::vector<policies::convergence_operation> code = policies::ipdom_barriers(textbook, meet.ipdoms());
  code.push_back({0, policies::convergence_op::yield});
  const policies::convergence_table table(3, code);
  const std::vector<std::uint32_t> in_order{0, 1, 2}, unlock_first{1, 0, 2};
  for (const unsigned lanes : {8U, 32U}) {
    const std::string n = std::to_string(lanes) + " lanes, ";
    print(("1: " + n + "Volta").c_str(), any_policy(policies::convergence_barriers(table)), lanes, false);
    print(("1: " + n + "PDOM, unlock inside the loop").c_str(),
          any_policy(policies::ipdom_stack(meet_rewritten.ipdoms())), lanes, true);
  }
  print("2: thread frontiers, try first", any_policy(policies::thread_frontier(in_order)), 4, false);
  print("2: thread frontiers, unlock first", any_policy(policies::thread_frontier(unlock_first)), 4, false);
  print("2: lanes that never reconverge", any_policy(policies::no_reconvergence()), 4, false);
  return 0;
}
