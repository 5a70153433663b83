// SPDX-License-Identifier: BSL-1.0
//
// Policies by name, and the box that they come in. The laws of each name are in policy_laws_test.cpp.
#include <simtflow/graph/csr.hpp>
#include <simtflow/simt/any_policy.hpp>
#include <simtflow/simt/check_policy.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/thread_block_compaction.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/simt/policy_factory.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace simtflow;

namespace {

// Both arms of a branch in a loop, then its end.
csr_graph loop_of_arms() {
  return csr_builder(5)
      .add_edge(0, 1)
      .add_edge(0, 2)
      .add_edge(1, 3)
      .add_edge(2, 3)
      .add_edge(3, 0)
      .add_edge(3, 4)
      .build();
}

struct walk {
  std::vector<unsigned> rounds = std::vector<unsigned>(64, 0);
  block_id operator()(std::uint32_t t, block_id b) {
    switch (b) {
      case 0:
        return (t + rounds[t]) % 3 == 0 ? 1 : 2;
      case 3:
        return ++rounds[t] <= t % 4 ? 0 : 4;
      case 4:
        return no_block;
      default:
        return 3;
    }
  }
};

std::string refusal(std::string_view name, const policy_facts& facts, const launch& shape) {
  const result<any_policy> made = make_policy(name, facts, shape);
  return made ? std::string() : made.diagnostics().at(0).message;
}

}  // namespace

TEST_CASE("policy_factory: every name is made, with the abilities that it tells") {
  const csr_graph graph = loop_of_arms();
  const policy_facts facts(graph);
  std::set<std::string_view> names;
  for (const policy_info& info : known_policies()) {
    CAPTURE(std::string(info.name));
    CHECK(names.insert(info.name).second);
    const result<any_policy> policy = make_policy(info.name, facts, {.threads = 64, .warp_width = 8});
    REQUIRE(policy);
    const result<policy_choice> choice = choose_policy(info.name);
    REQUIRE(choice);
    CHECK(policy->abilities() == abilities_of(*choice));
    CHECK(choice->identity().starts_with(std::string(info.family) + ":"));
    walk steps;
    CHECK(run(*policy, steps, {.threads = 64, .warp_width = 8}).finished());
  }
  CHECK(known_policies().back().name == oracle_policy);
  for (const policy_alias& alias : policy_aliases()) CHECK(names.contains(alias.real));
}

TEST_CASE("policy_factory: the scope and the promise of a policy can depend on its parameters") {
  const auto can = [](std::string_view text) { return abilities_of(*choose_policy(text)); };
  CHECK(can("tf").scope == policy_scope::warp);
  CHECK(can("tbc").scope == policy_scope::block);
  CHECK(can("dwf-core").scope == policy_scope::core);
  CHECK(can("dwf-barrier:scope=core").scope == policy_scope::core);
  CHECK(can("aware").progress == progress_class::fair);
  CHECK_FALSE(can("pdom").parks);
  CHECK(can("dwf:scheduler=time").progress != can("dwf:scheduler=majority").progress);
}

TEST_CASE("policy_factory: what a policy cannot do is said") {
  const csr_graph graph = loop_of_arms();
  const csr_graph two_entries =
      csr_builder(3).add_edge(0, 1).add_edge(0, 2).add_edge(1, 2).add_edge(2, 1).mark_exit(2).build();
  const policy_facts facts(graph), unstructured(two_entries);
  CHECK(refusal("tf", facts, {}).empty());
  CHECK(refusal("tff", facts, {}).find("there is no policy \"tff\" (did you mean tf?); there are pdom, ") == 0);
  CHECK(refusal("pdom:order=up", facts, {}) == "order is one of first, last, smaller, larger, not \"up\"");
  CHECK(refusal("predicate", unstructured, {}) == "predicate: needs structured code");
  CHECK(refusal("tbc", facts, {.threads = 65}) == "tbc: manages at most 64 threads");
  CHECK(refusal("tf", facts, {.threads = 65, .warp_width = 65}) == "tf: manages at most 64 lanes");
  CHECK(refusal("tf", facts, {.threads = 65}).empty());
  CHECK(make_policy<basic_mask<2>>("tbc", facts, {.threads = 65}));
  CHECK(refusal("dwf-core", facts, {.threads = 33, .resident_blocks = 2}) == "dwf-core: manages at most 64 threads");
  CHECK(refusal("pdom", facts, {.barriers = barrier_model::thread_arrival}) ==
        "pdom: its lanes cannot wait one by one");
}

TEST_CASE("policy_facts: of no graph every table is empty") {
  const policy_facts nothing;
  CHECK(nothing.ipdoms().empty());
  CHECK(nothing.ranks(priority_rule::rpo).empty());
  CHECK(nothing.layout(priority_rule::rpo).empty());
  CHECK(nothing.conservative(priority_rule::rpo, frontier_rule::fixpoint).empty());
  CHECK(nothing.likely(likely_source::loops).empty());
  CHECK(nothing.text_ranks().empty());
  CHECK(nothing.code().empty());
  CHECK(nothing.frontier_sizes().empty());
  CHECK_FALSE(nothing.may_split_at_barriers());
}

// Block 3 ends in the branch of the loop.
TEST_CASE("policy_facts: uniform branches come from jumps, from an analysis, or from a profile") {
  const csr_graph g = loop_of_arms();
  using table = std::vector<unsigned char>;
  const auto of = [](const policy_facts& facts, uniform_source which) {
    const auto t = facts.uniform(which);
    return table(t.begin(), t.end());
  };
  const policy_facts plain(g);
  CHECK(of(plain, uniform_source::none).empty());
  CHECK(of(plain, uniform_source::jumps) == table{0, 1, 1, 0, 1});
  CHECK(of(plain, uniform_source::analysis) == table{0, 1, 1, 0, 1});
  policy_facts told(g);
  told.set_uniform_branches({0, 0, 0, 1});
  CHECK(of(told, uniform_source::jumps) == table{0, 1, 1, 0, 1});
  CHECK(of(told, uniform_source::analysis) == table{0, 1, 1, 1, 1});
}

TEST_CASE("policy_factory: warps under thread block compaction do not wait at branches that are proved uniform") {
  const csr_graph g = loop_of_arms();
  policy_facts facts(g);
  facts.set_uniform_branches({1, 0, 0, 1});
  for (const bool proved : {true, false}) {
    CAPTURE(proved);
    result<any_policy> made = make_policy(proved ? "tbc" : "tbc:uniform=jumps", facts, {.threads = 8, .warp_width = 4});
    REQUIRE(made);
    any_policy& policy = *made;
    policy.start({0, lane_mask(0b11111111)});
    const auto first = policy.take();
    REQUIRE(first);
    const fragment out[] = {{1, first->lanes}};
    policy.advance(*first, out);
    REQUIRE(policy.take());  // the other warp
    CHECK(policy.take() == (proved ? std::optional(fragment{1, first->lanes}) : std::nullopt));
  }
}

TEST_CASE("any_policy: a box does what the policy inside does") {
  const csr_graph graph = loop_of_arms();
  const policy_facts facts(graph);
  const launch shape{.threads = 48, .warp_width = 16};
  const auto steps = [&](auto policy) {
    walk program;
    return run(policy, program, shape).steps;
  };
  const policies::ipdom_stack stack(facts.ipdoms());
  const policies::thread_block_compaction compacted(facts.ipdoms(), policies::compaction_options{{16}});
  CHECK(steps(any_policy(stack)) == steps(stack));
  CHECK(steps(any_policy(policies::lane_serial())) == steps(policies::lane_serial()));
  CHECK(steps(any_policy(compacted)) == steps(compacted));
  CHECK(any_policy(compacted).abilities() == static_abilities<policies::thread_block_compaction>);
  static_assert(check_policy<any_policy>());
}

TEST_CASE("any_policy: copies are independent, and equal if the policies inside are") {
  const std::vector<std::uint32_t> ranks{0, 1, 2};
  any_policy a{policies::thread_frontier(ranks)};
  a.start({0, lane_mask(0b11)});
  any_policy b = a;
  CHECK(a == b);
  REQUIRE(b.next());
  CHECK_FALSE(a == b);
  b = a;  // the same type: the box stays
  CHECK(a == b);
  b = any_policy(policies::lane_serial());
  CHECK_FALSE(a == b);
  b = a;  // another type: the box is replaced
  CHECK(a == b);
  CHECK(b.next() == a.next());
}
