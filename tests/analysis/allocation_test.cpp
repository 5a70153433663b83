// SPDX-License-Identifier: BSL-1.0
//
// Small graphs matter most, and for them an allocation costs as much as the analysis: an object that is kept allocates
// nothing once it has seen graphs of a size. Every operator new of the program is counted here.
#include "analysis/oracles.hpp"
#include "count_allocations.hpp"
#include <simtflow/analysis/components.hpp>
#include <simtflow/analysis/control_dependence.hpp>
#include <simtflow/analysis/convergence.hpp>
#include <simtflow/analysis/dominance_frontiers.hpp>
#include <simtflow/analysis/frontier_baselines.hpp>
#include <simtflow/analysis/natural_loops.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/regions.hpp>
#include <simtflow/analysis/structure.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/analysis/uniformity.hpp>
#include <simtflow/analysis/unstructured.hpp>
#include <simtflow/analysis/weak_topological_order.hpp>
#include <simtflow/testing/families.hpp>
#include <simtflow/testing/ssa_programs.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

using namespace simtflow_tests;

namespace {

using lists = std::vector<std::vector<int>>;

// Every kind: loops, irreducible ones, several exits, none, endless parts, unreachable blocks, one block, no block.
std::vector<csr_graph> samples() {
  std::vector<csr_graph> all;
  for_each_random(60, 40, [&](const subject& at) { all.push_back(at.graph); });
  for_each_shape([&](const subject& at) { all.push_back(at.graph); });
  testing::rng random(5);
  for (int i = 0; i < 10; ++i)
    all.push_back(testing::random_structured_program(random, {.statements = 40, .break_continue = true}).graph);
  return all;
}

lists to_lists(const csr_graph& g) {
  lists out(g.num_blocks());
  for (block_id b = 0; b < g.num_blocks(); ++b)
    for (const block_id s : g.successors(b)) out[b].push_back(static_cast<int>(s));
  return out;
}

// Runs twice over all samples; the second round must not allocate.
template <class Run>
void check_reuse(const char* what, std::size_t count, const Run& run) {
  for (std::size_t i = 0; i < count; ++i) run(i);
  const std::size_t before = allocations;
  for (std::size_t i = 0; i < count; ++i) run(i);
  const std::size_t again = allocations - before;
  const std::string who = what;
  CAPTURE(who);
  CHECK(again == 0);
}

}  // namespace

TEST_CASE("allocation: the counter counts") {
  const std::size_t before = allocations;
  int* volatile one = new int(1);  // volatile: a compiler may leave out what nobody sees
  delete one;
  std::vector<int> three{1, 2, 3};
  CHECK(allocations == before + 2);
}

TEST_CASE("allocation: every analysis object that is kept allocates nothing the second time") {
  const std::vector<csr_graph> all = samples();
  const csr_graph none;
  const auto check = [&](const char* what, const auto& run) { check_reuse(what, all.size(), run); };

  depth_first_order<csr_graph> search(none);
  check("depth_first_order", [&](std::size_t i) { search.recompute(all[i]); });
  immediate_dominator_map<csr_graph> parents(none);
  check("immediate_dominator_map", [&](std::size_t i) { parents.recompute(all[i]); });
  dominator_tree<csr_graph> tree(none);
  check("dominator_tree", [&](std::size_t i) { tree.recompute(all[i]); });
  immediate_post_dominator_map<csr_graph> post_parents(none);
  check("immediate_post_dominator_map", [&](std::size_t i) { post_parents.recompute(all[i]); });
  post_dominator_tree<csr_graph> post_tree(none);
  check("post_dominator_tree", [&](std::size_t i) { post_tree.recompute(all[i]); });
  dominance_frontier_sets<csr_graph> frontiers(none, dominator_tree<csr_graph>(none));
  check("dominance_frontier_sets", [&](std::size_t i) {
    parents.recompute(all[i]);
    frontiers.recompute(all[i], parents);
    tree.recompute(all[i]);
    frontiers.recompute(all[i], tree);
    post_tree.recompute(all[i]);
    frontiers.recompute(all[i], post_tree);
  });
  iterated_frontier<csr_graph> iterated(none, dominator_tree<csr_graph>(none));
  check("iterated_frontier", [&](std::size_t i) {
    tree.recompute(all[i]);
    iterated.recompute(all[i], tree);
    const block_id some[] = {0, static_cast<block_id>(all[i].num_blocks() / 2)};
    if (all[i].num_blocks() != 0) (void)iterated.of(std::span<const block_id>(some));
  });
  control_dependences<csr_graph> dependences(none, post_dominator_tree<csr_graph>(none));
  check("control_dependences", [&](std::size_t i) {
    post_tree.recompute(all[i]);
    dependences.recompute(all[i], post_tree);
  });
  loop_forest<csr_graph> forest(none);
  check("loop_forest", [&](std::size_t i) { forest.recompute(all[i]); });
  natural_loop_forest<csr_graph> natural(none);
  check("natural_loop_forest", [&](std::size_t i) { natural.recompute(all[i]); });
  strong_components<csr_graph> components(none);
  check("strong_components", [&](std::size_t i) { components.recompute(all[i]); });
  weak_topological_order<csr_graph> hierarchy(none);
  check("weak_topological_order", [&](std::size_t i) { hierarchy.recompute(all[i]); });
  program_structure_tree<csr_graph> regions(none);
  check("program_structure_tree", [&](std::size_t i) { regions.recompute(all[i]); });
  structural_reduction<csr_graph> reduction(none);
  check("structural_reduction", [&](std::size_t i) { reduction.recompute(all[i]); });
  const structure_options breaks{infinite_loops::virtual_edge, loop_breaks::to_one_block};
  check("structural_reduction with breaks", [&](std::size_t i) { reduction.recompute(all[i], breaks); });
  unstructured_flow<csr_graph> unstructured(none);
  closed_blocks closed;
  check("unstructured_flow", [&](std::size_t i) {
    unstructured.recompute(all[i]);
    for (const unstructured_edge& e : unstructured.edges()) unstructured.region(e, closed);
  });
}

TEST_CASE("allocation: orders and thread frontiers allocate nothing the second time") {
  const std::vector<csr_graph> all = samples();
  std::vector<std::vector<unsigned char>> flags;
  for (const csr_graph& g : all) {
    flags.emplace_back(g.num_blocks(), 0);
    for (std::size_t b = 0; b < flags.back().size(); b += 3) flags.back()[b] = 1;
  }
  const auto check = [&](const char* what, const auto& run) { check_reuse(what, all.size(), run); };
  dense::order_maker make;
  priority_order<csr_graph> order(all[0], {});
  check("reverse_post_order", [&](std::size_t i) { order.recompute(all[i], make.reverse_post_order(all[i])); });
  check("loop_contiguous", [&](std::size_t i) { order.recompute(all[i], make.loop_contiguous(all[i])); });
  check("dominance_compact", [&](std::size_t i) { order.recompute(all[i], make.dominance_compact(all[i])); });
  check("barrier_aware", [&](std::size_t i) {
    order.recompute(all[i],
                    make.barrier_aware(all[i], std::span<const unsigned char>(flags[i]), barrier_rule::below_all));
  });
  check("exit_distance", [&](std::size_t i) { order.recompute(all[i], make.exit_distance(all[i])); });
  frontier_sets<csr_graph> sets = thread_frontiers(all[0], loop_contiguous_order(all[0]));
  check("thread frontiers", [&](std::size_t i) {
    order.recompute(all[i], make.loop_contiguous(all[i]));
    sets.recompute(all[i], order);
    sets.recompute(all[i], order, std::span<const unsigned char>(flags[i]));
    sets.recompute(all[i], order, {}, frontier_rule::algorithm_1);
    sets.recompute(all[i], order, {}, frontier_rule::ocelot);
  });
}

TEST_CASE("allocation: graphs that are walked in place or copied allocate nothing the second time either") {
  std::vector<lists> all;
  for (const csr_graph& g : samples()) all.push_back(to_lists(g));
  const lists none;
  const auto check = [&](const char* what, const auto& run) { check_reuse(what, all.size(), run); };
  dominator_tree<lists> tree(none);
  check("dominator_tree", [&](std::size_t i) { tree.recompute(all[i]); });
  post_dominator_tree<lists> post_tree(none);
  check("post_dominator_tree", [&](std::size_t i) { post_tree.recompute(all[i]); });
  loop_forest<lists> forest(none);
  check("loop_forest", [&](std::size_t i) { forest.recompute(all[i]); });
  dominance_frontier_sets<lists> frontiers(none, dominator_tree<lists>(none));
  check("dominance_frontier_sets", [&](std::size_t i) {
    tree.recompute(all[i]);
    frontiers.recompute(all[i], tree);
  });
}

TEST_CASE("allocation: following changes allocates nothing the second time") {
  const csr_graph before = testing::nested_loops();
  csr_builder builder(before.num_blocks());
  for (block_id b = 0; b < before.num_blocks(); ++b)
    for (const block_id s : before.successors(b)) builder.add_edge(b, s);
  const csr_graph after = builder.add_edge(2, 4).build();
  const changed_edge<block_id> changes[] = {{2, 4}};
  dominator_tree<csr_graph> tree(before);
  check_reuse("update", 2, [&](std::size_t i) { (void)tree.update(i == 0 ? after : before, changes); });
}

// Anything quadratic takes hundreds of megabytes here, or minutes.
TEST_CASE("uniformity: every family of graphs in linear memory, divergent or not") {
  for (const testing::family& f : testing::families) {
    const csr_graph g = f.make(16'384);
    // Each branch chooses by a constant, a source, or the value by which the branch before it chose.
    testing::ssa_program none, all, chain;
    for (testing::ssa_program* p : {&none, &all, &chain}) p->conditions.assign(g.num_blocks(), no_value);
    std::uint32_t v = 0;
    for (block_id b = 0; b < g.num_blocks(); ++b) {
      if (g.successors(b).size() < 2) continue;
      for (testing::ssa_program* p : {&none, &all, &chain}) {
        const bool source = p == &all || (p == &chain && v == 0);
        p->conditions[b] = value_id{v};
        p->values.push_back({source ? testing::ssa_kind::source : testing::ssa_kind::compute, b, 0, {}, {}});
      }
      if (v != 0) chain.values.back().operands.push_back(value_id{v - 1});
      ++v;
    }
    for (const testing::ssa_program* p : {&none, &all, &chain}) {
      const std::size_t before = allocated_bytes;
      const auto u = uniformity(g, *p);
      const std::size_t each = (allocated_bytes - before) / (g.num_blocks() + g.num_edges());
      CAPTURE(f.name);
      CAPTURE(each);
      CHECK(each < 700);
      std::size_t divergent = 0;
      for (block_id b = 0; b < g.num_blocks(); ++b) divergent += u.is_divergent_branch(b);
      CHECK((divergent == 0) == (p == &none));
    }
  }
}

// The table has 2 x 10^9 dependences.
TEST_CASE("control dependence: a nest of 65,536 loops is asked in linear memory") {
  const csr_graph g = testing::loop_nest(131'073);
  const post_dominator_tree<csr_graph> tree(g);
  const std::size_t before = allocated_bytes;
  const control_dependence_query<csr_graph> query(g, tree);
  CHECK((allocated_bytes - before) / g.num_blocks() < 100);
  // The header of loop k, from 0 on, depends on the latches of the loops 0 .. k.
  for (const block_id k : {0U, 1U, 100U, 65'535U}) CHECK(query.dependences_of(k).size() == k + std::size_t{1});
}

TEST_CASE("thread frontiers: the statistics of a single pass need no sets") {
  const csr_graph g = testing::if_nest(40'000);  // 4 x 10^8 members
  const auto order = reverse_post_order(g);
  const std::size_t before = allocated_bytes;
  const frontier_statistics s = one_pass_statistics(g, order);
  CHECK((allocated_bytes - before) / g.num_blocks() < 100);
  CHECK(s.max_size == 19'999);
}

// Blocks of up to 16 and up to 64 are small: see id_columns and the frames of semi_nca.
TEST_CASE("dominators: a fresh tree allocates nothing for a small graph and twice for a large one") {
  std::vector<csr_graph> all = samples();
  testing::rng random(9);
  all.push_back(testing::random_structured_program(random, {.statements = 300, .break_continue = true}).graph);
  std::size_t seen[3] = {};
  for (const csr_graph& g : all) {
    const std::size_t n = g.num_blocks(), before = allocations;
    const dominator_tree<csr_graph> tree(g);
    const std::size_t now = allocations - before;
    // Edges that are not in the search tree have room for one for each block.
    if (g.num_edges() + 1 > tree.ids().num_reachable() + std::max(n, std::size_t{16})) continue;
    const std::size_t limit = n <= 16 ? 0 : n <= 64 ? 1 : 2;
    ++seen[limit];
    CAPTURE(n);
    CHECK(now == limit);
  }
  for (const std::size_t graphs : seen) CHECK(graphs > 0);
}
