// SPDX-License-Identifier: BSL-1.0
//
// A function with shared facts answers as it does with the graph, whatever is known before and whoever asked for it.
#include "plan_runs.hpp"
#include "toy_code.hpp"
#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/analysis/uniformity.hpp>
#include <simtflow/analysis/unstructured.hpp>
#include <simtflow/testing/ssa_programs.hpp>
#include <simtflow/transform/interleave.hpp>
#include <simtflow/transform/limit_stack_depth.hpp>
#include <simtflow/transform/linearize.hpp>
#include <simtflow/transform/meld.hpp>
#include <simtflow/transform/merge_loops.hpp>

using namespace simtflow;
using namespace plan_runs;

namespace {

std::string text(const std::vector<unstructured_edge>& edges) {
  std::string all;
  for (const unstructured_edge& e : edges)
    all += std::to_string(e.where.from) + "." + std::to_string(e.where.slot) + " -> " + std::to_string(e.to) + " " +
           std::to_string(e.why.bits) + "\n";
  return all;
}

std::string text(const closed_blocks& set) {
  return std::to_string(set.dominator) + " " + std::to_string(set.post_dominator) + ": " + plan_runs::text(set.blocks) +
         "\n";
}

// Everything that unstructured_flow can be asked, closures included.
std::string text(unstructured_flow<> flow, const csr_graph& g) {
  std::string all = text(std::vector<unstructured_edge>(flow.edges().begin(), flow.edges().end()));
  for (const unstructured_region& r : flow.regions())
    all += std::to_string(r.dominator) + " " + std::to_string(r.post_dominator) + " " + std::to_string(r.size) + " " +
           std::to_string(r.parts) + " " + std::to_string(r.edges) + " " + std::to_string(r.hidden) + "\n";
  closed_blocks set;
  for (const unstructured_edge& e : flow.edges()) {
    flow.region(e, set);
    all += text(set);
  }
  for (block_id b = 0; b < g.num_blocks(); ++b) {
    all += std::to_string(flow.region_of(b)) + " " + std::to_string(flow.part_of(b).value_or(no_block)) + " ";
    flow.closure(std::span<const block_id>(&b, 1), set);
    all += text(set);
  }
  return all;
}

std::string text(const linearization& made) {
  std::string all = plan_runs::text(made.plan);
  for (const linearized_region& r : made.regions)
    all += std::to_string(r.dominator) + " " + std::to_string(r.after) + " " + std::to_string(r.parts) + " " +
           std::to_string(r.loops) + " " + std::to_string(r.variable) + "\n";
  return all + plan_runs::text(made.refused) + "; " + std::to_string(made.rounds) + " " + std::to_string(made.endless) +
         " " + std::to_string(made.structured) + "\n";
}

std::string text(const uniformity_analysis<>& u, const csr_graph& g) {
  std::string all;
  const auto add = [&all](bool divergent, const divergence_reason& why) {
    all += std::to_string(divergent) + " " + to_string(why.cause) + " " + std::to_string(index_of(why.value)) + " " +
           std::to_string(why.branch) + " " + std::to_string(index_of(why.loop)) + "\n";
  };
  for (std::uint32_t v = 0; v < u.num_values(); ++v) add(u.is_divergent(value_id{v}), u.why(value_id{v}));
  for (block_id b = 0; b < g.num_blocks(); ++b) {
    add(u.is_divergent_branch(b), u.why_branch(b));
    all += "joins " + plan_runs::text(u.joins(b)) + "\n";
  }
  return all;
}

// One question, of a graph or of facts. `seed` makes the options.
template <class G>
std::string answer(unsigned question, G& g, const csr_graph& shape, std::uint64_t seed) {
  testing::rng random(seed + question);
  const bool refuses = random.chance(40);
  const auto convergent = [&](block_id b) { return refuses && (b + seed) % 5 == 0; };
  const block_id some = static_cast<block_id>(random.below(shape.num_blocks()));
  switch (question) {
    case 0:
      return text(find_unstructured(g), shape);
    case 1:
      return text(unstructured_edges(g));
    case 2:
      return text(linearize(g, {}, convergent));
    case 3: {
      unstructured_flow<> flow(shape);
      closed_blocks set;
      flow.closure(std::span<const block_id>(&some, 1), set);
      return text(linearize_blocks(g, std::span<const block_id>(set.blocks), {}, convergent));
    }
    case 4:
      return text(interleave(g, some, {}, guard_optimization::none, convergent));
    case 5:
      return text(merge_loops(g, some, guard_optimization::o4, convergent));
    case 6:
      return text(limit_stack_depth(g, static_cast<std::uint32_t>(random.between(2, 5)), {}, convergent));
    default:
      return text(uniformity(g, testing::random_ssa_program(random, shape)), shape);
  }
}
constexpr unsigned questions = 8;

// Asks for some facts by themselves.
void ask(cfg_facts& facts, testing::rng& random) {
  if (random.chance(30)) (void)facts.loops();
  if (random.chance(30)) (void)facts.structure();
  if (random.chance(30)) (void)facts.dominators();
  if (random.chance(30)) (void)facts.ends();
  if (random.chance(30)) (void)facts.post_dominators();
}

}  // namespace

TEST_CASE("shared facts: every function answers as it does with the graph") {
  cfg_facts facts;
  std::size_t unstructured = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    testing::rng random(seed);
    const csr_graph g = random_graph(random, 4 + seed / 150);
    facts.reset(g);
    ask(facts, random);
    const unsigned first = static_cast<unsigned>(random.below(questions));
    for (unsigned k = 0; k < questions; ++k) {
      const unsigned question = (first + k) % questions;
      const std::string alone = answer(question, g, g, seed), shared = answer(question, facts, g, seed);
      REQUIRE_MESSAGE(alone == shared, "question " << question << ", seed " << seed << "\n"
                                                   << to_dot(g) << "with the graph:\n"
                                                   << alone << "with facts:\n"
                                                   << shared);
      if (question == 1 && !alone.empty()) ++unstructured;
    }
  }
  CHECK(unstructured > 1000);
}

TEST_CASE("shared facts: melding plans what it plans with the graph") {
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    testing::rng random(seed);
    simtflow_tests::toy_generator writer(random);
    block_id branch = no_block;
    const simtflow_tests::toy_code code = writer.function(branch);
    cfg_facts facts(code.graph);
    ask(facts, random);
    const meld_search alone = find_meld(code.graph, code), shared = find_meld(facts, code);
    const std::string at = "seed " + std::to_string(seed) + "\n" + to_dot(code.graph);
    REQUIRE_MESSAGE(alone.found == shared.found, at);
    REQUIRE_MESSAGE(alone.refused == shared.refused, at);
    REQUIRE_MESSAGE(alone.plan == shared.plan, at);
    meld_plan by_graph, by_facts;
    REQUIRE_MESSAGE(plan_meld(code.graph, code, branch, by_graph) == plan_meld(facts, code, branch, by_facts), at);
    REQUIRE_MESSAGE(by_graph == by_facts, at);
    found += alone.found ? 1 : 0;
  }
  CHECK(found > 300);
}

TEST_CASE("shared facts: what a function computes is there for the next one") {
  testing::rng random(7);
  const csr_graph g = random_graph(random, 30);
  cfg_facts facts(g);
  (void)find_unstructured(facts);
  const cfg_facts& known = facts;  // a question about a fact that is not there is a contract violation
  CHECK(known.dominators().num_blocks() == g.num_blocks());
  CHECK(known.post_dominators().num_blocks() == g.num_blocks());
  CHECK(known.loops().num_blocks() == g.num_blocks());
  CHECK(known.ends().is_reachable(g.entry()));
}

TEST_CASE("shared facts: copies of a result, of its graph and of facts answer alike") {
  testing::rng random(11);
  csr_graph g = random_graph(random, 40);
  const std::string expected = text(find_unstructured(g), g);
  unstructured_flow<> copy{csr_graph{}};
  {
    const unstructured_flow<> first(g);  // by its own facts
    copy = first;
  }
  CHECK(text(copy, g) == expected);

  cfg_facts facts(g);
  (void)facts.post_dominators();
  const csr_graph moved = std::move(g);
  facts.relocate(moved);
  cfg_facts others = facts;
  CHECK(text(find_unstructured(facts), moved) == expected);
  CHECK(text(find_unstructured(others), moved) == expected);
}
