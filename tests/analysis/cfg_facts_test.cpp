// SPDX-License-Identifier: BSL-1.0
#include "analysis/oracles.hpp"
#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/structure.hpp>

#include <doctest/doctest.h>

#include <algorithm>

using namespace simtflow_tests;

namespace {

// Every fact is what the analysis alone finds, in whatever order facts are asked for.
void check_facts(const subject& at, cfg_facts& facts, unsigned first) {
  facts.reset(at.graph);
  const csr_graph& g = at.graph;
  if (&facts.graph() != &g) return report(at, "the graph of the facts");
  for (unsigned k = 0; k < 4; ++k) switch ((first + k) % 4) {
      case 0: {
        const dominator_tree<> alone(g);
        if (!std::ranges::equal(facts.dominators().idoms(), alone.idoms())) return report(at, "dominators");
        break;
      }
      case 1: {
        const post_dominator_tree<> alone(g);
        if (!std::ranges::equal(facts.post_dominators().ipdoms(), alone.ipdoms())) return report(at, "post-dominators");
        break;
      }
      case 2: {
        const loop_forest<> alone(g);
        if (facts.loops().num_loops() != alone.num_loops()) return report(at, "number of loops");
        for (block_id b = 0; b < g.num_blocks(); ++b)
          if (facts.loops().innermost(b) != alone.ids().innermost(b)) return report(at, "loop of " + show(only(b)));
        break;
      }
      default:
        if (facts.structure().residue() != structural_residue(g)) return report(at, "structure");
    }
}

constexpr bool constant_expression() {
  csr_builder builder(4);
  builder.add_edge(0, 1).add_edge(1, 2).add_edge(2, 1).add_edge(1, 3);
  const csr_graph g = builder.build();
  cfg_facts facts(g);
  return facts.loops().num_loops() == 1 && facts.dominators().idom(3) == 1 && facts.post_dominators().ipdom(2) == 1 &&
         facts.structure().residue() == 1;
}
static_assert(constant_expression());
static_assert(!std::is_constructible_v<cfg_facts, csr_graph>);  // they refer to the graph

}  // namespace

TEST_CASE("cfg_facts are what each analysis finds alone") {
  cfg_facts facts;
  unsigned first = 0;
  for_each_shape([&](const subject& at) { check_facts(at, facts, first++); });
  for_each_random(500, 12, [&](const subject& at) { check_facts(at, facts, first++); });
}

TEST_CASE("cfg_facts are computed once: the same objects answer again, and copies of their own") {
  const csr_graph g = nest(3);
  cfg_facts facts(g);
  const auto* const tree = &facts.dominators();
  CHECK(tree == &facts.dominators());
  CHECK(tree->idoms().data() == facts.dominators().idoms().data());
  cfg_facts copy = facts;
  CHECK(&copy.dominators() != tree);
  CHECK(std::ranges::equal(copy.dominators().idoms(), tree->idoms()));
  CHECK(copy.loops().num_loops() == facts.loops().num_loops());

  const csr_graph other = chain(5);
  facts.reset(other);
  CHECK(facts.dominators().num_blocks() == 5);
  CHECK(facts.loops().num_loops() == 0);
}

TEST_CASE("cfg_facts of the empty graph") {
  const csr_graph g;
  cfg_facts facts(g);
  CHECK(facts.dominators().entry() == no_block);
  CHECK(facts.post_dominators().num_blocks() == 0);
  CHECK(facts.loops().num_loops() == 0);
  CHECK(facts.structure().residue() == 0);
}
