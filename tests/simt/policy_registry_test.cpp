// SPDX-License-Identifier: BSL-1.0
//
// Policies of users under names. A registered copy of a policy that ships must do what that one does, in a box over
// another mask also: the two ways differ in the registry and in nothing else.
#include <simtflow/graph/csr.hpp>
#include <simtflow/simt/any_policy.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/policies/convergence_barriers.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/thread_block_compaction.hpp>
#include <simtflow/simt/policy_factory.hpp>
#include <simtflow/simt/policy_registry.hpp>
#include <simtflow/simt/policy_state.hpp>
#include <simtflow/testing/policy_laws.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace simtflow;

namespace {

using wide = basic_mask<16>;
constexpr policy_parameter path_order{"order", "first|last|smaller|larger", "first", "which path runs first"};

// A branch to two arms of different length in a loop.
csr_graph loop_of_arms() {
  return csr_builder(6)
      .add_edge(0, 1)
      .add_edge(0, 2)
      .add_edge(1, 3)
      .add_edge(2, 5)
      .add_edge(5, 3)
      .add_edge(3, 0)
      .add_edge(3, 4)
      .build();
}

struct walk {
  std::vector<unsigned> rounds = std::vector<unsigned>(256, 0);
  block_id operator()(std::uint32_t t, block_id b) {
    constexpr block_id next[] = {0, 3, 5, 0, no_block, 3};
    if (b == 0) return (t * 7 + rounds[t]) % 3 == 0 ? 1 : 2;
    if (b == 3) return ++rounds[t] <= t % 5 ? 0 : 4;
    return next[b];
  }
};

template <class Mask>
counts counts_of(std::string_view name, const policy_facts& facts, const launch& shape) {
  auto policy = make_policy<Mask>(name, facts, shape);
  REQUIRE(policy);
  walk steps;
  counts seen;
  CHECK(run(*policy, steps, shape, seen).finished());
  return seen;
}

std::string refused(std::string_view name, policy_description about = {}) {
  const diagnostics wrong = register_policy<policies::lane_serial>(name, std::move(about));
  return wrong.empty() ? std::string() : wrong[0].message;
}

// Both run the same, over masks of one word and of two.
void check_same(std::string_view own, std::string_view shipped, std::uint32_t threads, bool fits_a_word) {
  const csr_graph graph = loop_of_arms();
  const policy_facts facts(graph);
  const auto same = [&](auto mask) {
    using Mask = decltype(mask);
    const launch shape{.threads = threads, .warp_width = 24};
    const counts a = counts_of<Mask>(own, facts, shape), b = counts_of<Mask>(shipped, facts, shape);
    CHECK(a.fetches == b.fetches);
    CHECK(a.warp_instructions == b.warp_instructions);
    CHECK(a.thread_instructions == b.thread_instructions);
    CHECK(a.max_depth == b.max_depth);
    CHECK(a.merges == b.merges);
    CHECK(a.divergent_branches > 0);
  };
  if (fits_a_word) same(lane_mask());
  same(basic_mask<2>());
}

}  // namespace

TEST_CASE("policy_registry: a copy of a policy runs as the original, over any mask") {
  REQUIRE(
      register_policy<policies::ipdom_stack>("own-stack", {.parameters = {path_order}}, [](const policy_inputs& in) {
        return policies::ipdom_stack(in.facts.ipdoms(), in.settings.word<policies::path_order>("order"));
      }).empty());
  check_same("own-stack", "pdom", 100, true);
  check_same("own-stack:order=smaller", "pdom-smaller", 100, true);

  REQUIRE(register_policy<policies::basic_ipdom_stack<wide>>("own-wide", {}, [](const policy_inputs& in) {
            return policies::basic_ipdom_stack<wide>(in.facts.ipdoms());
          }).empty());
  check_same("own-wide", "pdom", 100, true);

  using compaction = policies::basic_thread_block_compaction<wide>;
  REQUIRE(register_policy<compaction>("own-tbc", {}, [](const policy_inputs& in) {
            return compaction(in.facts.ipdoms(), policies::compaction_options{{in.warp_width}});
          }).empty());
  check_same("own-tbc", "tbc", 64, true);
  check_same("own-tbc", "tbc", 128, false);
}

TEST_CASE("policy_registry: scope, abilities and the barrier model come from the type") {
  const auto make = [](const policy_inputs& in) {
    return policies::convergence_barriers(in.facts.barriers(yield_rule::loops), {}, in.facts.text_ranks());
  };
  REQUIRE(register_policy<policies::convergence_barriers>("own-barriers", {.what = "mine"}, make).empty());
  REQUIRE(register_policy<policies::lane_serial>("own-serial").empty());
  using compaction = policies::basic_thread_block_compaction<lane_mask>;
  REQUIRE(register_policy<compaction>("own-small", {}, [](const policy_inputs& in) {
            return compaction(in.facts.ipdoms(), policies::compaction_options{{in.warp_width}});
          }).empty());

  const result<policy_choice> barriers = choose_policy("own-barriers"), serial = choose_policy("own-serial");
  REQUIRE(barriers);
  REQUIRE(serial);
  CHECK(abilities_of(*barriers) == static_abilities<policies::convergence_barriers>);
  CHECK(abilities_of(*serial) == static_abilities<policies::lane_serial>);
  CHECK(barriers->info->barriers == barrier_model::thread_arrival);
  CHECK(barriers->info->what == "mine");
  CHECK(barriers->identity() == "own-barriers:");

  const csr_graph graph = loop_of_arms();
  const policy_facts facts(graph);
  const auto refusal = [&](const launch& shape) {
    const auto made = make_policy<basic_mask<2>>("own-small", facts, shape);
    return made ? std::string() : made.diagnostics()[0].message;
  };
  CHECK(refusal({.threads = 64}).empty());
  CHECK(refusal({.threads = 65}) == "own-small: manages at most 64 threads");

  const std::vector<const policy_info*> all = registered_policies();
  REQUIRE(all.size() == 3);
  CHECK(all[0]->name == "own-barriers");
  CHECK(all[2]->name == "own-small");
  CHECK(choose_policy("own-serail").diagnostics()[0].message.find("(did you mean own-serial?)") != std::string::npos);
}

TEST_CASE("policy_registry: a policy over another mask keeps the laws, and tells what it holds") {
  REQUIRE(register_policy<policies::basic_convergence_barriers<wide>>("own-barriers", {}, [](const policy_inputs& in) {
            return policies::basic_convergence_barriers<wide>(in.facts.barriers(yield_rule::loops), {},
                                                              in.facts.text_ranks());
          }).empty());
  const auto make = [](const testing::law_case& c, auto use) {
    const policy_facts facts(c.graph);
    if (const auto policy = make_policy("own-barriers", facts, c.shape)) use(*policy);
  };
  const auto broken = testing::check_policy_laws(make, {.programs = 40});
  CHECK_MESSAGE(!broken, (broken ? testing::describe(*broken) : std::string()));

  const csr_graph graph = loop_of_arms();
  const policy_facts facts(graph);
  auto policy = make_policy("own-barriers", facts);
  REQUIRE(policy);
  policy->start({0, lane_mask::first_lanes(5)});
  policy_state<lane_mask> state;
  read_state(*policy, state);
  REQUIRE(state.entries.size() == 1);
  CHECK(std::string(state.what) == "groups and barriers");
  CHECK(state.entries[0].lanes == lane_mask::first_lanes(5));
}

TEST_CASE("policy_registry: what cannot be registered is said, and is not there afterwards") {
  CHECK(refused("").find("the name is empty") != std::string::npos);
  CHECK(refused("a b") ==
        "a policy cannot be registered as \"a b\": the name holds other characters than letters, digits, - and _");
  CHECK(refused("a:b").find("other characters") != std::string::npos);
  CHECK(refused("-a").find("begins with -") != std::string::npos);
  CHECK(refused("all").find("stands for all policies") != std::string::npos);
  CHECK(refused("tf").find("a policy that ships has this name") != std::string::npos);
  CHECK(refused("dwf").find("a policy that ships has this name") != std::string::npos);  // an alias
  CHECK(refused("mine").empty());
  CHECK(refused("mine").find("another registered policy has this name") != std::string::npos);
  const auto parameter = [](std::string_view name, std::string_view values, std::string_view normal) {
    return refused("other", {.parameters = {{name, values, normal, ""}}});
  };
  CHECK(parameter("", "a|b", "a").find("parameter \"\": the name is empty") != std::string::npos);
  CHECK(parameter("p", "", "a").find("neither words with | between them nor a range") != std::string::npos);
  CHECK(parameter("p", "a|b,c", "a").find("neither words") != std::string::npos);
  CHECK(parameter("p", "7..3", "5").find("\"7..3\" is no range of whole numbers") != std::string::npos);
  CHECK(parameter("p", "1..x", "5").find("\"1..x\" is no range of whole numbers") != std::string::npos);
  CHECK(parameter("p", "1..3", "4").find("of its normal value: p is a whole number from 1 to 3, not \"4\"") !=
        std::string::npos);
  CHECK(parameter("p", "a|b", "c").find("of its normal value: p is one of a, b, not \"c\"") != std::string::npos);
  CHECK(refused("other", {.parameters = {path_order, path_order}}).find("it stands twice") != std::string::npos);
  CHECK(registered_policies().size() == 1);
  CHECK(parameter("p", "1..3", "2").empty());
  CHECK(choose_policy("other:p=3")->settings.number("p") == 3);
}
