// SPDX-License-Identifier: BSL-1.0
//
// The examples of the reference: `\snippet reference_test.cpp NAME` in a header shows the lines between two marks.
#include <simtflow/align/sequence.hpp>
#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/analysis/components.hpp>
#include <simtflow/analysis/control_dependence.hpp>
#include <simtflow/analysis/dominance_frontiers.hpp>
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/order.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/regions.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/analysis/unstructured.hpp>
#include <simtflow/graph/check.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/io/svg_graph.hpp>
#include <simtflow/simt/check_policy.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/branch_profile.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policy_factory.hpp>
#include <simtflow/simt/policy_registry.hpp>
#include <simtflow/testing/policy_laws.hpp>
#include <simtflow/transform/linearize.hpp>
#include <simtflow/transform/linearize_where_it_pays.hpp>
#include <simtflow/transform/structure_by_copies.hpp>

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

using namespace simtflow;

namespace {

// A loop at 1 with an if inside; 5 follows the loop.
const std::vector<std::vector<int>> cfg{{1}, {2, 3}, {4}, {4}, {1, 5}, {}};

}  // namespace

TEST_CASE("reference: graphs") {
  //! [snapshot]
  const csr_graph g = snapshot(std::vector<std::vector<int>>{{1, 2}, {2}, {}});
  CHECK(g.num_blocks() == 3);
  CHECK(g.successors(0)[1] == 2);
  //! [snapshot]
  //! [check_adapter]
  static_assert(check_adapter<std::vector<std::vector<int>>>());
  //! [check_adapter]
  //! [validate]
  const std::vector<std::vector<int>> bad{{1, 7}, {}};  // there is no block 7
  CHECK(validate(bad).size() == 1);
  //! [validate]
}

TEST_CASE("reference: dominance") {
  //! [dominators]
  const auto tree = dominators(cfg);  // {1}, {2, 3}, {4}, {4}, {1, 5}, {}
  CHECK(tree.idom(4) == 1);
  CHECK(tree.dominates(1, 5));
  //! [dominators]
  //! [immediate_dominators]
  CHECK(immediate_dominators(cfg).idom(4) == 1);  // half the price of the tree
  //! [immediate_dominators]
  //! [post_dominators]
  const auto ends = post_dominators(cfg);
  CHECK(ends.ipdom(1) == 4);  // lanes that diverge at 1 reconverge at 4
  //! [post_dominators]
  //! [dominance_frontiers]
  const auto frontiers = dominance_frontiers(cfg);
  CHECK(frontiers.contains(2, 4));  // 2 dominates a predecessor of 4, and not 4
  //! [dominance_frontiers]
  //! [control_dependence]
  const auto control = control_dependence(cfg);
  CHECK(control.depends(2, 1, 0));  // the branch of 1 decides by its slot 0 whether 2 runs
  //! [control_dependence]
}

TEST_CASE("reference: shape") {
  //! [loops]
  const auto nest = loops(cfg);  // {1}, {2, 3}, {4}, {4}, {1, 5}, {}
  CHECK(nest.num_loops() == 1);
  CHECK(nest.header(loop_id{0}) == 1);
  CHECK(nest.depth_of(5) == 0);
  //! [loops]
  //! [strongly_connected_components]
  const auto components = strongly_connected_components(cfg);
  CHECK(components.are_connected(1, 4));
  //! [strongly_connected_components]
  //! [depth_first]
  const auto search = depth_first(cfg);
  CHECK(search.rpo_number(0) == 0);
  CHECK(search.is_reachable(5));
  //! [depth_first]
  //! [find_unstructured]
  const std::vector<std::vector<int>> shared{{1, 2}, {2, 3}, {4}, {4}, {}};  // 2 is shared by both conditions
  CHECK(!find_unstructured(shared).is_structured());
  CHECK(unstructured_edges(shared).size() == 1);
  //! [find_unstructured]
}

TEST_CASE("reference: thread frontiers") {
  //! [thread_frontiers]
  const auto order = loop_contiguous_order(cfg);
  const auto frontiers = thread_frontiers(cfg, order);
  CHECK(frontiers.contains(3, 2));  // 3 runs first; meanwhile lanes can wait at 2
  //! [thread_frontiers]
  //! [loop_contiguous_order]
  const auto priorities = loop_contiguous_order(cfg);
  CHECK(priorities.ranks()[5] == 5);  // the block after the loop comes last
  //! [loop_contiguous_order]
}

TEST_CASE("reference: runs") {
  //! [run]
  const auto ends = post_dominators(cfg);
  const auto thread = [](std::uint32_t lane, block_id b) -> block_id {  // odd lanes go to 3, no lane goes round
    return b == 0 ? 1 : b == 1 ? 2 + lane % 2 : b < 4 ? 4 : b == 4 ? 5 : no_block;
  };
  counts c;
  const auto verdict = run(policies::ipdom_stack(ends.ipdoms()), thread, {.threads = 32}, c);
  CHECK(verdict.finished());
  CHECK(c.fetches == 6);
  //! [run]
  //! [branch_profile]
  branch_profile profile;  // of the same run
  (void)run(policies::ipdom_stack(ends.ipdoms()), thread, {.threads = 32}, profile);
  CHECK(profile.branches()[1].divergences == 1);
  CHECK(profile.branches()[1].idle_lanes == 16 + 16);  // half of the warp in block 2, the other half in 3
  CHECK(profile.idle() == c.lane_slots - c.thread_instructions);
  //! [branch_profile]
  //! [check_policy]
  static_assert(check_policy<policies::ipdom_stack>());
  //! [check_policy]
  //! [describe]
  CHECK(describe(verdict) == "finished");
  //! [describe]
  //! [make_policy]
  const csr_graph g = snapshot(cfg);
  const policy_facts facts(g);
  const auto frontier = make_policy("tf", facts, {.threads = 32});
  CHECK(run(*frontier, thread, {.threads = 32}).finished());
  //! [make_policy]
  //! [register_policy]
  const diagnostics wrong = register_policy<policies::ipdom_stack>(
      "my-stack", {.what = "post-dominator stack"},
      [](const policy_inputs& in) { return policies::ipdom_stack(in.facts.ipdoms()); });
  CHECK(wrong.empty());
  CHECK(run(*make_policy("my-stack", facts), thread, {.threads = 32}).finished());
  //! [register_policy]
}

TEST_CASE("reference: transforms") {
  //! [linearize]
  const std::vector<std::vector<int>> shared{{1, 2}, {2, 3}, {4}, {4}, {}};  // 2 is shared by both conditions
  const linearization flat = linearize(shared);
  CHECK(flat.structured);
  CHECK(flat.plan.cost().guards == 1);
  //! [linearize]
  //! [linearize_where_it_pays]
  struct heavy_blocks {  // code in which warps always diverge
    bool is_divergent(block_id) const { return true; }
    std::uint32_t weight(block_id) const { return 100; }
    branch_likelihood likelihood(block_id) const { return {.parted = 1}; }
  };
  const linearization paid = linearize_where_it_pays(shared, heavy_blocks{});
  CHECK(paid.regions.size() == 1);
  CHECK(paid.regions[0].cost.after < paid.regions[0].cost.before);
  //! [linearize_where_it_pays]
  //! [structure_by_copies]
  CHECK(structure_by_copies(shared).plan.cost().copies >= 1);
  //! [structure_by_copies]
}

TEST_CASE("reference: shared facts") {
  // [facts]
  const std::vector<std::vector<int>> shared{{1, 2}, {2, 3}, {4}, {4}, {}};  // 2 is shared by both conditions
  const csr_graph shape = snapshot(shared);
  cfg_facts facts(shape);                       // nothing is computed yet
  const auto flow = find_unstructured(facts);   // dominators, post-dominators, loops, structure
  const linearization flat = linearize(facts);  // finds the structure there
  const auto& joins = facts.post_dominators();  // there already: block 4 is where both conditions end
  // [/facts]
  CHECK(flow.edges().size() == 1);
  CHECK(flat.structured);
  CHECK(joins.ipdom(0) == 4);
}

TEST_CASE("reference: align") {
  //! [align]
  const std::string_view one = "load mul store", other = "load add store";
  const alignment best = align(one, other, [](char a, char b) { return a == b ? 2 : -1; });
  CHECK(best.score > 0);
  //! [align]
}

TEST_CASE("reference: texts and pictures") {
  const csr_graph g = snapshot(cfg);
  //! [to_dot]
  CHECK(to_dot(g).starts_with("digraph"));
  //! [to_dot]
  //! [to_svg]
  CHECK(to_svg(g).starts_with("<svg"));
  //! [to_svg]
}

TEST_CASE("reference: laws") {
  //! [check_policy_laws]
  const auto broken = testing::check_policy_laws([](const testing::law_case& c, const auto& use) {
    const auto ends = post_dominators(c.graph);  // the policy refers to it, so use() runs while it lives
    use(policies::ipdom_stack(ends.ipdoms()));
  });
  CHECK(!broken);
  //! [check_policy_laws]
}
