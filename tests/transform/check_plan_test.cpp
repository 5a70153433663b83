// SPDX-License-Identifier: BSL-1.0
#include "linearized.hpp"
#include "plan_edits.hpp"
#include "random_plans.hpp"
#include "support/long_run.hpp"
#include <simtflow/io/describe_plan_fault.hpp>
#include <simtflow/testing/shapes.hpp>
#include <simtflow/testing/transform_shapes.hpp>
#include <simtflow/transform/check_plan.hpp>
#include <simtflow/transform/fix_irreducible.hpp>
#include <simtflow/transform/interleave.hpp>
#include <simtflow/transform/limit_stack_depth.hpp>
#include <simtflow/transform/merge_loops.hpp>
#include <simtflow/transform/structure_by_copies.hpp>
#include <simtflow/transform/unify_loop_exits.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

using namespace simtflow;
using namespace linearized;

namespace {

constexpr bool in_a_constant_expression() {
  const csr_graph g = testing::diamond();
  flow_plan p(g);
  if (check_plan(g, p)) return false;
  p.set_edge(0, 0, 2);
  const std::optional<plan_fault> f = check_plan(g, p);
  return f && f->kind == plan_fault_kind::wrong_way && f->plan_block == 0 && f->slot == 0 && f->wanted == 1 &&
         f->found == 2 && f->path.size() == 2;
}
static_assert(in_a_constant_expression());

linearize_options options_of(std::uint64_t seed) {
  linearize_options o;
  o.optimize = levels[seed % std::size(levels)];
  o.loops = loop_policies[seed / std::size(levels) % 3];
  return o;
}

// The plan of that seed by one of the transforms, or by several, one after the other.
flow_plan transformed(const csr_graph& g, std::uint64_t seed) {
  testing::rng random(seed ^ 0x5EED);
  flow_plan p(g);
  for (std::size_t steps = 1 + random.below(3); steps > 0 && p.num_blocks() < 200; --steps) {
    const linearize_options o = options_of(random.below(1000));
    const auto any = static_cast<block_id>(random.below(p.num_blocks()));
    switch (random.below(8)) {
      case 0:
      case 1:
        p = linearize(p, o).plan;
        break;
      case 2:
        (void)structure_by_copies(p, {.max_blocks = 200});
        break;
      case 3:
        (void)fix_irreducible(p);
        break;
      case 4:
        (void)unify_loop_exits(p);
        break;
      case 5: {
        std::vector<block_id> order;
        for (block_id b = 0; b < p.num_blocks(); ++b) order.push_back(b);
        random.shuffle(order);
        p = interleave(p, any, std::span<const block_id>(order), o.optimize).plan;
        break;
      }
      case 6:
        p = merge_loops(p, any, o.optimize).plan;
        break;
      default:
        p = limit_stack_depth(p, static_cast<std::uint32_t>(random.between(2, 4)), o).plan;
        break;
    }
  }
  return p;
}

std::string wrong(const csr_graph& g, const flow_plan& p) {
  const std::optional<plan_fault> fault = check_plan(g, p);
  return fault ? describe(*fault, p) : std::string();
}

}  // namespace

TEST_CASE("check_plan: every plan of the library is proved") {
  for (std::uint64_t seed = 0; seed < simtflow_tests::times(4000); ++seed) {
    testing::rng random(seed);
    const csr_graph g = seed % 3 == 0 ? random_nest(random) : random_graph(random, 4 + seed % 14);
    const auto check = [&](const char* what, const flow_plan& p) {
      const std::string fault = wrong(g, p);
      REQUIRE_MESSAGE(fault == "", what << ": " << fault << text(seed, g, p));
    };
    check("the graph itself", flow_plan(g));
    if (g.num_blocks() == 0) continue;
    check("linearize", linearize(g, options_of(seed)).plan);
    check("any plan", plan_test::random_plan(g, seed));
    check("transforms", transformed(g, seed));
    if (seed % 50 == 0) check_same(seed, g, transformed(g, seed));
  }
  for (std::size_t n = 0; n <= 3; ++n)
    testing::for_each_small_cfg(n, [&](const csr_graph& g) {
      REQUIRE(wrong(g, linearize(g).plan) == "");
      REQUIRE(wrong(g, structure_by_copies(g).plan) == "");
    });
  CHECK(!check_plan(csr_graph{}, flow_plan{}));
  CHECK(!check_plan(testing::diamond(), flow_plan{}));
}

// The checker and lanes that walk by every outcome agree; the checker's way is a way on which a lane goes wrong.
TEST_CASE("check_plan: seeded mistakes are caught, or do no harm") {
  std::size_t edits = 0, caught = 0, large = 0, kinds[6] = {};
  for (std::uint64_t seed = 0; edits < simtflow_tests::times(10'000); ++seed) {
    testing::rng random(seed);
    const csr_graph g = random_graph(random, 3 + seed % 8);
    if (g.num_blocks() == 0) continue;
    const flow_plan right = seed % 4 == 0 ? plan_test::random_plan(g, seed) : transformed(g, seed);
    plan_edits::loose_plan loose(right);
    std::string what = plan_edits::edit(loose, random);
    if (what.empty()) continue;
    while (random.chance(20)) what += "; " + plan_edits::edit(loose, random);
    const flow_plan p = loose.make(random.chance(90) ? g : plan_edits::other_outcomes(g, random));
    if (text(p) == text(right)) continue;
    ++edits;
    const std::optional<plan_fault> fault = check_plan(g, p);
    const auto all = [&] { return what + "\n" + (fault ? describe(*fault, p) : "proved\n") + text(seed, g, p); };
    plan_edits::all_lanes lanes(g, p);
    if (fault) {
      ++caught;
      ++kinds[static_cast<std::size_t>(fault->kind)];
      REQUIRE_MESSAGE(fault->kind != plan_fault_kind::undecided, all());
      REQUIRE_MESSAGE(lanes.replay(fault->path), all());
    } else {
      const plan_edits::answer found = lanes.walk();
      large += found == plan_edits::answer::too_large ? 1 : 0;
      REQUIRE_MESSAGE(found != plan_edits::answer::wrong, all());
      if (seed % 8 == 0) check_same(seed, g, p);
    }
  }
  MESSAGE(edits << " mistakes: " << caught << " caught, " << edits - caught << " harmless");
  CHECK(caught * 3 > edits * 2);
  CHECK(large == 0);
  for (const plan_fault_kind kind : {plan_fault_kind::wrong_way, plan_fault_kind::wrong_outcomes,
                                     plan_fault_kind::no_way_out, plan_fault_kind::lost})
    CHECK(kinds[static_cast<std::size_t>(kind)] > 0);
}

TEST_CASE("check_plan: rows of ten thousand guards take no more than a second") {
  // b(i) -> b(i + 1), any block after it: no block dominates many others, and a row has a guard for each.
  constexpr block_id n = 10'000;
  testing::rng random(1);
  csr_builder ladder(n);
  for (block_id b = 0; b + 1 < n; ++b) {
    ladder.add_edge(b, b + 1);
    ladder.add_edge(b, static_cast<block_id>(random.between(b + 1, n - 1)));
    if (b > 0 && b % 5 == 0) ladder.add_edge(b, static_cast<block_id>(random.between(1, b)));
  }
  const csr_graph g = ladder.build();
  for (const guard_optimization level : levels) {
    linearize_options o;
    o.optimize = level;
    const flow_plan p = linearize(g, o).plan;
    const auto begin = std::chrono::steady_clock::now();
    CHECK(wrong(g, p) == "");
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    MESSAGE(p.cost().guards << " guards: " << taken.count() << " s");
    CHECK(taken.count() < 10);  // quadratic it would take minutes
    plan_edits::loose_plan loose(p);
    loose.blocks[n - 2].ways[0].to = n / 2;
    CHECK(wrong(g, loose.make(g)) != "");
  }
}

TEST_CASE("check_plan: what is wrong, in words") {
  const csr_graph g = testing::diamond();
  const auto name = [](block_id b) { return std::string(1, static_cast<char>('a' + b)); };
  flow_plan p(g);
  const block_id end = p.add_empty(true), round = p.add_empty(), copy = p.add_copy(1);
  const std::uint32_t v = p.add_variable();
  const block_id test = p.add_guard(v, 1, 2);
  p.set_edge(0, 0, test);
  p.assign(0, 0, {v, 2});
  p.set_edge(test, 0, copy);
  p.set_edge(test, 1, 2);
  CHECK(!check_plan(g, p));

  flow_plan other = p;
  other.assign(0, 0, {v, 3});
  CHECK(describe(*check_plan(g, other), other, name) ==
        "wrong way: after slot 0 of a a thread must execute b, but executes c\n  its way: a -> guard 7 -> c\n");
  other = p;
  other.set_edge(copy, 0, end);
  CHECK(describe(*check_plan(g, other), other, name) ==
        "wrong way: after slot 0 of copy 6 of b a thread must execute d, but ends\n"
        "  its way: a -> guard 7 -> copy 6 of b -> empty 4\n");
  other = p;
  other.add_exit_edge(3, 1);
  CHECK(describe(*check_plan(g, other), other, name) ==
        "wrong way: after slot 0 of d a thread must end, but executes b\n"
        "  its way: a -> guard 7 -> copy 6 of b -> d -> b\n");
  other = p;
  other.set_edge(0, 1, round);
  CHECK(describe(*check_plan(g, other), other) ==
        "lost: after slot 1 of BB0 a thread must execute BB2, but goes round through guards and empty blocks forever\n"
        "  its way: BB0 -> empty 5 -> empty 5\n");
  other = p;
  other.set_entry(2);
  CHECK(describe(*check_plan(g, other), other) ==
        "wrong way: after the entry a thread must execute BB0, but executes BB2\n  its way: BB2\n");
  CHECK(describe(*check_plan(testing::triangle(), p), p) == "other graph: the plan is for a graph of 4 blocks\n");

  const csr_graph leaving = csr_builder(2).add_edge(0, 1).mark_exit(0).build();
  const flow_plan staying(testing::adjacency({{1}, {}}));
  CHECK(describe(*check_plan(leaving, staying), staying) ==
        "no way out: a thread that ends in BB0 can neither end there nor go on\n  its way: BB0\n");
  const flow_plan fewer(testing::adjacency({{1}, {}}));
  CHECK(describe(*check_plan(testing::parallel_edges(), fewer), fewer) ==
        "wrong outcomes: BB0 has not as many as the block that it executes\n  its way: BB0\n");
}
