// SPDX-License-Identifier: BSL-1.0
#include <simtflow/graph/csr.hpp>
#include <simtflow/io/describe_uniformity.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/testing/shapes.hpp>
#include <simtflow/testing/ssa_programs.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace simtflow;
using testing::ssa_kind;

namespace {

std::string block_name(block_id b) { return "BB" + std::to_string(b); }
std::string value_name(value_id v) { return "v" + std::to_string(index_of(v)); }
constexpr value_id x0{0}, x1{1}, x2{2}, x3{3}, x4{4}, x5{5};

std::string report(const csr_graph& g, const testing::ssa_program& p, std::size_t most = 16) {
  return describe(g, uniformity(g, p), p, block_name, value_name, most);
}

// Values one after the other; conditions by block.
testing::ssa_program program(std::vector<testing::ssa_value> values, std::vector<value_id> conditions) {
  testing::ssa_program p;
  p.values = std::move(values);
  p.conditions = std::move(conditions);
  return p;
}

}  // namespace

TEST_CASE("describe_uniformity: a source, a join and what is uniform") {
  // if (v1) 1 else 2; 3: v2 = phi; if (v3(v2)) 4; 5: if (v4) 6; 7
  const csr_graph g = testing::adjacency({{1, 2}, {3}, {3}, {4, 5}, {5}, {6, 7}, {7}, {}});
  const auto p = program({{ssa_kind::source, 0},
                          {ssa_kind::compute, 0, 0, {x0}},
                          {ssa_kind::constant, 0},
                          {ssa_kind::phi, 3, 0, {}, {{1, x2}, {2, x4}}},
                          {ssa_kind::constant, 0},
                          {ssa_kind::compute, 3, 0, {x3}}},
                         {x1, no_value, no_value, x5, no_value, x2, no_value, no_value});
  CHECK(report(g, p) ==
        "3 branches: 2 divergent, 1 uniform; 6 values: 4 divergent\n"
        "BB0 divergent: v1 comes from v0\n"
        "BB3 divergent: v5 comes, by the way that threads take at BB0, from v0\n"
        "BB5 uniform: v2 is the same in threads that are together\n");
  CHECK(report(g, p, 1) ==
        "3 branches: 2 divergent, 1 uniform; 6 values: 4 divergent\n"
        "BB0 divergent: v1 comes from v0\n"
        "and 2 more branches\n");
}

TEST_CASE("describe_uniformity: a value that is uniform in its loop and not after it") {
  // 1: v2 = phi(v0, v3); v3 = f(v2); if (v1) -> 1 else 2: if (v3) 3; 4
  const csr_graph g = testing::adjacency({{1}, {1, 2}, {3, 4}, {4}, {}});
  const auto p = program({{ssa_kind::constant, 0},
                          {ssa_kind::source, 1},
                          {ssa_kind::phi, 1, 0, {}, {{0, x0}, {1, x3}}},
                          {ssa_kind::compute, 1, 0, {x2}}},
                         {no_value, x1, x3, no_value, no_value});
  CHECK(report(g, p) ==
        "2 branches: 2 divergent, 0 uniform; 4 values: 1 divergent, 1 more after a loop\n"
        "BB1 divergent: v1 is a source\n"
        "BB2 divergent: v3 comes, as threads leave the loop at BB1 in different iterations by the branch of BB1, from "
        "v1\n"
        "loop at BB1: threads leave it in different iterations, by the branch of BB1; 1 value that is uniform in it is "
        "used "
        "after it\n");
  const uniformity_counts c = count_uniformity(g, uniformity(g, p), p);
  CHECK(c.branches == 2);
  CHECK(c.temporal_values == 1);
}

TEST_CASE("describe_uniformity: a loop that threads enter in different places, and branches without a condition") {
  // 0: if (v0) 1 else 2; 1 -> 2; 2: if (v1) 1 else 3
  const csr_graph g = testing::adjacency({{1, 2}, {2}, {1, 3}, {4, 5}, {5}, {}});
  const auto p =
      program({{ssa_kind::source, 0}, {ssa_kind::constant, 2}}, {x0, no_value, x1, no_value, no_value, no_value});
  CHECK(
      report(g, p) ==
      "3 branches: 2 divergent, 1 uniform; 2 values: 2 divergent\n"
      "BB0 divergent: v0 is a source\n"
      "BB2 divergent: v1 comes, as threads enter the loop at BB1 in different places because of the branch of BB0, "
      "from v0\n"
      "BB3 uniform: the program says so\n"
      "loop at BB1: threads enter it in different places and leave it in different iterations, by the branch of BB0\n");
}

TEST_CASE("describe_uniformity: a branch has a name of its own, and what is shortened is said") {
  // Ten if-elses one after the other; each condition is a phi of the one before.
  csr_builder builder(31, 0);
  std::vector<testing::ssa_value> values{{ssa_kind::source, 0}};
  std::vector<value_id> conditions;
  value_id condition = x0;
  for (int k = 0; k < 10; ++k) {
    conditions.insert(conditions.end(), {condition, no_value, no_value});
    const auto at = static_cast<block_id>(3 * k);
    for (const block_id arm : {at + 1, at + 2}) {
      builder.add_edge(at, arm);
      builder.add_edge(arm, at + 3);
    }
    const auto next = static_cast<std::uint32_t>(values.size());
    values.push_back({ssa_kind::constant, at});
    values.push_back({ssa_kind::constant, at});
    values.push_back({ssa_kind::phi, at + 3, 0, {}, {{at + 1, value_id{next}}, {at + 2, value_id{next + 1}}}});
    condition = value_id{next + 2};
  }
  conditions.push_back(no_value);
  const csr_graph g = builder.build();
  const auto p = program(std::move(values), std::move(conditions));
  struct names {
    std::string operator()(block_id b) const { return block_name(b); }
    std::string branch(block_id b) const { return block_name(b) + " (line " + std::to_string(10 * b) + ")"; }
  };
  const std::string text = describe(g, uniformity(g, p), p, names{}, value_name);
  CHECK(text.find("\nBB3 (line 30) divergent: v3 comes, by the way that threads take at BB0 (line 0), from v0\n") !=
        std::string::npos);
  CHECK(text.find(
            "\nBB27 (line 270) divergent: v27 comes, by the way that threads take at BB24 (line 240) and by the way "
            "that threads take at BB21 (line 210) and by the way that threads take at BB18 (line 180) and by the way "
            "that threads take at BB15 (line 150) and 5 more steps, from v0\n") != std::string::npos);
}

TEST_CASE("describe_uniformity: counts and lines of random programs agree") {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    testing::rng random(seed);
    const csr_graph g = testing::random_cfg(random, {.blocks = 2 + seed % 12, .max_successors = 3});
    const testing::ssa_program p = testing::random_ssa_program(random, g, {.source_percent = 10});
    const auto u = uniformity(g, p);
    const uniformity_counts c = count_uniformity(g, u, p);
    const std::string text = describe(g, u, p, block_name, value_name, 1000);
    std::size_t divergent = 0, uniform = 0;
    for (std::size_t at = 0; (at = text.find(" divergent: ", at)) != std::string::npos; ++at) ++divergent;
    for (std::size_t at = 0; (at = text.find(" uniform: ", at)) != std::string::npos; ++at) ++uniform;
    INFO("seed " << seed << "\n" << text);
    CHECK(divergent == c.divergent_branches);
    CHECK(uniform == c.branches - c.divergent_branches);
  }
  CHECK(report(csr_graph{}, testing::ssa_program{}) == "0 branches: 0 divergent, 0 uniform; 0 values: 0 divergent\n");
}
