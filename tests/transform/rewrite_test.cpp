// SPDX-License-Identifier: BSL-1.0
//
// apply() onto a toy in SSA form: blocks with a phi for every variable, each with an operand for every edge that leads
// in: a constant, or the phi of the block that the edge comes from. Threads must execute the same of the original's
// blocks as in the original.
#include "transform/random_plans.hpp"
#include <simtflow/testing/shapes.hpp>
#include <simtflow/transform/rewrite.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace simtflow;

namespace {

struct toy_block {
  block_id executes = no_block;  // of the original; none: it is one of the plan's
  bool tests = false;
  std::uint32_t variable = 0, low = 0, high = 0;
  std::vector<std::uint32_t> to;
};

// An operand of a phi: a constant, or what the phi of the block is in which the edge begins.
struct operand {
  bool constant = false;
  std::uint32_t value = 0;
};

struct toy {
  using block = std::uint32_t;

  block original(block_id b) { return add({b, false, 0, 0, 0, {}}); }
  block copy(block_id b) {
    ++copies;
    return add({b, false, 0, 0, 0, {}});
  }
  block guard(std::uint32_t v, std::uint32_t low, std::uint32_t high) {
    return add({no_block, true, v, low, high, {}});
  }
  block empty() { return add({}); }
  block end() { return add({}); }
  void declare(std::uint32_t v, bool zero) { starts[v] = zero ? 0 : undefined; }
  void connect(block from, std::uint32_t slot, block to, std::span<const plan_assignment> sets) {
    REQUIRE(blocks[from].to.size() == slot);
    blocks[from].to.push_back(to);
    auto& phi = phis[{from, slot}];
    for (const plan_assignment& a : sets) {
      REQUIRE(starts.contains(a.variable));
      REQUIRE(!phi.contains(a.variable));
      phi[a.variable] = {true, a.value};
    }
  }
  void enter(block b) { entry = b; }

  block add(toy_block b) {
    blocks.push_back(std::move(b));
    return static_cast<block>(blocks.size() - 1);
  }

  static constexpr std::uint32_t undefined = 0xDEAD'BEEFU;
  std::vector<toy_block> blocks;
  std::map<std::uint32_t, std::uint32_t> starts;                                     // by variable
  std::map<std::pair<block, std::uint32_t>, std::map<std::uint32_t, operand>> phis;  // by edge and variable
  block entry = 0;
  std::size_t copies = 0;
};
static_assert(code_rewriter<toy>);

// A thread's choice in a block: an outcome of its branch, or one more: it ends.
std::uint32_t choice(const csr_graph& g, std::uint64_t thread, block_id b, std::uint32_t visit) {
  bool ends = g.successors(b).empty();
  for (const block_id e : g.exits()) ends = ends || e == b;
  const std::uint64_t ways = g.successors(b).size() + (ends ? 1 : 0);
  return static_cast<std::uint32_t>(testing::mix_bits(thread * 1000003 + b * 101 + visit) % ways);
}

constexpr std::size_t longest = 60;

std::string path(const csr_graph& g, std::uint64_t thread) {
  std::string s;
  std::map<block_id, std::uint32_t> visits;
  block_id b = g.entry();
  for (std::size_t i = 0; i < longest; ++i) {
    s += std::to_string(b) + " ";
    const std::uint32_t k = choice(g, thread, b, visits[b]++);
    if (k == g.successors(b).size()) return i + 1 < longest ? s + "end" : s;
    b = g.successors(b)[k];
  }
  return s;
}

std::string path(const toy& t, const csr_graph& g, std::uint64_t thread) {
  std::string s;
  std::map<block_id, std::uint32_t> visits;
  std::map<std::uint32_t, std::uint32_t> value = t.starts;
  std::uint32_t b = t.entry;
  for (std::size_t i = 0, steps = 0; i < longest; ++steps) {
    if (steps > 100000) return s + "turns without end";
    const toy_block& at = t.blocks[b];
    std::uint32_t k = 0;
    if (at.executes != no_block) {
      s += std::to_string(at.executes) + " ";
      k = choice(g, thread, at.executes, visits[at.executes]++);
      ++i;
    } else if (at.tests) {
      const std::uint32_t v = value.at(at.variable);
      if (v == toy::undefined) return s + "undefined";
      k = v >= at.low && v <= at.high ? 0 : 1;
    }
    if (k >= at.to.size()) return i < longest ? s + "end" : s;
    for (const auto& [v, o] : t.phis.at({b, k})) value[v] = o.value;
    b = at.to[k];
  }

  return s;
}

void check(const csr_graph& g, const flow_plan& p) {
  toy t;
  apply(p, t);
  for (std::uint64_t thread = 0; thread < 12; ++thread) {
    const std::string want = path(g, thread), got = path(t, g, thread);
    if (want != got)
      FAIL("thread " << thread << ": wanted " << want << ", got " << got << "\n" << plan_test::text_of(p));
  }
}

}  // namespace

TEST_CASE("rewrite: a plan that changes nothing") {
  const csr_graph g = testing::unreachable_island();
  toy t;
  apply(flow_plan(g), t);
  CHECK(t.blocks.size() == 2);  // what the entry does not reach is not asked for
  CHECK(t.starts.empty());
  check(g, flow_plan(g));
  toy nothing;
  apply(flow_plan(csr_graph{}), nothing);
  CHECK(nothing.blocks.empty());
}

TEST_CASE("rewrite: which variables begin as zero") {
  // Through a guard that tests v: along slot 0 of block 0 it is set to 1, along slot 1 it is or is not.
  for (const bool both : {false, true}) {
    flow_plan p(testing::diamond());
    const std::uint32_t unused = p.add_variable(), v = p.add_variable();
    const block_id guard = p.add_guard(v, 1, 1);
    p.set_edge(0, 0, guard);
    p.set_edge(0, 1, guard);
    p.assign(0, 0, {v, 1});
    if (both) p.assign(0, 1, {v, 2});
    p.assign(0, 1, {unused, 7});
    p.set_edge(guard, 0, 1);
    p.set_edge(guard, 1, 2);
    toy t;
    apply(p, t);
    CHECK(t.starts.size() == 1);
    CHECK(t.starts.at(v) == (both ? toy::undefined : 0));
    check(testing::diamond(), p);
  }
}

TEST_CASE("rewrite: of two assignments of one variable the first one counts") {
  flow_plan p(testing::diamond());
  const std::uint32_t v = p.add_variable();
  const block_id guard = p.add_guard(v, 1, 1);
  p.set_edge(0, 0, guard);
  p.assign(0, 0, {v, 2});
  p.assign(0, 0, {v, 1});
  p.set_edge(0, 1, guard);
  p.assign(0, 1, {v, 1});
  p.assign(0, 1, {v, 2});
  p.set_edge(guard, 0, 1);
  p.set_edge(guard, 1, 2);
  check(testing::diamond(), p);
}

TEST_CASE("rewrite: random plans of random graphs") {
  std::size_t copies = 0, from_zero = 0, set = 0, exits = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    CAPTURE(seed);
    testing::rng random(seed);
    const csr_graph g =
        testing::random_cfg(random, {.blocks = 1 + seed % 14, .exit_mark_percent = 20, .unreachable_percent = 10});
    const flow_plan p = plan_test::random_plan(g, seed);
    check(g, p);
    toy t;
    apply(p, t);
    copies += t.copies;
    for (const auto& [v, start] : t.starts) ++(start == 0 ? from_zero : set);
    for (block_id b = 0; b < p.num_blocks(); ++b) exits += p[b].exit_edge ? 1 : 0;
    CHECK(t.blocks.size() == p.cost().blocks());
  }
  CHECK(copies > 500);
  CHECK(from_zero > 500);
  CHECK(set > 500);
  CHECK(exits > 500);
}

TEST_CASE("rewrite: a long chain of guards takes linear time and no stack") {
  const std::uint32_t n = 200'000;
  flow_plan p(testing::diamond());
  const std::uint32_t v = p.add_variable();
  block_id next = 1;
  for (std::uint32_t i = 0; i < n; ++i) {
    const block_id guard = p.add_guard(v, i, i);
    p.set_edge(guard, 0, 2);
    p.set_edge(guard, 1, next);
    next = guard;
  }
  p.set_edge(0, 0, next);
  p.assign(0, 0, {v, n});
  struct counter {
    using block = std::uint32_t;
    block original(block_id) { return made++; }
    block copy(block_id) { return made++; }
    block guard(std::uint32_t, std::uint32_t, std::uint32_t) { return made++; }
    block empty() { return made++; }
    block end() { return made++; }
    void declare(std::uint32_t, bool zero) { zeros += zero ? 1 : 0; }
    void connect(block, std::uint32_t, block, std::span<const plan_assignment>) { ++edges; }
    void enter(block) {}
    block made = 0;
    std::size_t edges = 0, zeros = 0;
  } c;
  apply(p, c);
  CHECK(c.made == n + 4);
  CHECK(c.edges == 2 * n + 4);
  CHECK(c.zeros == 0);
}
