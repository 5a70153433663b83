// SPDX-License-Identifier: BSL-1.0
//
// A spin lock among lanes of one warp. Lane 0 takes the lock and leaves the loop. The post-dominator stack holds it at
// the end of the loop until the other lanes come out, and they wait for the lock that lane 0 holds: a livelock. GPUs
// with independent thread scheduling (NVIDIA's from Volta on) let lanes that spin give way. Before them the rule was to
// write the loop so that taking and giving back the lock lie inside one iteration.
#include "beside_schedule.hpp"
#include "write_picture.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/simt/any_policy.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/observers/event_trace.hpp>
#include <simtflow/simt/policies/convergence_barriers.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>

#include <cstdio>
#include <string>
#include <vector>

using namespace simtflow;

// [lock]
// while (!try_lock()) ;  use();  unlock();             0: try   1: use and unlock   2: end
// while (!done) if (try_lock()) { use(); unlock(); done = true; }                   the same blocks, other edges
struct lock_user {
  bool inside_loop;       // the second form
  bool held = false;      // the lock
  lane_mask done = {};    // lanes that have used what it guards
  bool held_before = {};  // as remember() noted it, for the proof of a livelock
  lane_mask done_before = {};

  block_id operator()(unsigned lane, block_id b) {
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
  }
  void remember() { held_before = held, done_before = done; }
  [[nodiscard]] bool as_remembered() const { return held == held_before && done == done_before; }
};
// [/lock]

int main(int argc, char** argv) {
  // [run]
  const std::vector<std::string> names{"try", "use, unlock", "end"};
  const csr_graph textbook = snapshot(std::vector<std::vector<int>>{{0, 1}, {2}, {}});
  const csr_graph rewritten = snapshot(std::vector<std::vector<int>>{{0, 1, 2}, {0}, {}});
  const auto meet = post_dominators(textbook), meet_rewritten = post_dominators(rewritten);
  // Volta: lanes wait for each other at barriers where branches reconverge; in loops that may spin, lanes can yield.
  std::vector<policies::convergence_operation> code = policies::ipdom_barriers(textbook, meet.ipdoms());
  const policies::convergence_table never(3, code);
  code.push_back({0, policies::convergence_op::yield});
  const policies::convergence_table yields(3, code);

  svg_timeline picture({.title = "while (!try_lock()) ; use(); unlock();"});
  const auto use = [&](const char* name, const any_policy& mechanism, bool inside_loop) {
    counts c;
    event_trace events;
    both observer(c, events);
    const auto end = run(mechanism, callable_program(lock_user{inside_loop}), {.threads = 4, .warp_width = 4}, observer,
                         {.detect_livelock = true});
    std::printf("%s: %d blocks fetched, %s\n", name, int(c.fetches), describe(end).c_str());
    picture.add({.title = name, .bad_end = end.finished() ? "" : "livelock"}, events);
  };
  use("PDOM", any_policy(policies::ipdom_stack(meet.ipdoms())), false);
  use("Volta without yields", any_policy(policies::convergence_barriers(never)), false);
  use("Volta", any_policy(policies::convergence_barriers(yields)), false);
  use("PDOM, unlock inside the loop", any_policy(policies::ipdom_stack(meet_rewritten.ipdoms())), true);
  // [/run]
  return write_picture(argc, argv, beside_schedule(textbook, names, picture, {"spins until the lock is free"}));
}
