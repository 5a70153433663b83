// SPDX-License-Identifier: BSL-1.0
//
// Unstructured control flow, found and taken away: a short-circuited condition with parts that share code. The plan
// that linearization makes is data; here it is run under the post-dominator stack, beside the graph it was made of.
#include "write_picture.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/unstructured.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/io/svg_timeline.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/observers/event_trace.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/transform/linearize.hpp>
#include <simtflow/transform/planned_program.hpp>

#include <cstdio>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  using namespace simtflow;
  // [plan]
  // if ((a && b) || (c && d)) f(); g();   Blocks 0-3 test a, b, c, d; block 4 is f, block 5 is g.
  const csr_graph cfg = snapshot(std::vector<std::vector<int>>{{1, 2}, {4, 2}, {3, 5}, {4, 5}, {5}, {}});
  for (const unstructured_edge& e : unstructured_edges(cfg))
    std::printf("unstructured: BB%u -> BB%u\n", e.where.from, e.to);

  const auto step = [&cfg](unsigned lane, unsigned block) {  // every lane takes a path of its own
    if (block == 5) return no_block;
    return cfg.successors(block)[block < 4 ? (lane >> block) % 2 : 0];
  };
  counts before, after;
  event_trace before_events, after_events;
  both watch_before(before, before_events), watch_after(after, after_events);
  const auto pdom = post_dominators(cfg);
  run(policies::ipdom_stack(pdom.ipdoms()), step, {.threads = 32}, watch_before);

  const linearization flat = linearize(cfg);
  planned_program planned(flat.plan, cfg, callable_program(step));
  const auto planned_pdom = post_dominators(flat.plan);
  run(policies::ipdom_stack(planned_pdom.ipdoms()), planned, {.threads = 32}, watch_after);

  const plan_cost cost = flat.plan.cost();
  std::printf("%zu blocks and %zu guards, %s\n", cost.originals, cost.guards,
              flat.structured ? "structured" : "still unstructured");
  std::printf("warp instructions: %d before; %d and %d guard tests after\n", int(before.warp_instructions),
              int(after.warp_instructions), int(planned.overhead().guard_tests));
  // [/plan]
  svg_timeline picture({.title = "if ((a && b) || (c && d)) f(); g();"});
  picture.add({.title = "PDOM"}, before_events);
  picture.add({.title = "linearized, PDOM", .note = "guard tests are no instructions here"}, after_events);
  const char* const names[] = {"a", "b", "c", "d", "f", "g"};
  return write_picture(argc, argv, picture.text([&](block_id b) {
    return b < cfg.num_blocks() ? std::string(names[b]) : "guard " + std::to_string(b);
  }));
}
