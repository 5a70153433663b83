// SPDX-License-Identifier: BSL-1.0
#include "support/archetypes.hpp"
#include "support/graphs.hpp"
#include <simtflow/graph/check.hpp>
#include <simtflow/graph/discovered_graph.hpp>
#include <simtflow/graph/function_graph.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/testing/shapes.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;
using kind = graph_diagnostic_kind;

static_assert(check_adapter<csr_graph>());
static_assert(check_adapter<std::vector<std::vector<int>>>());
static_assert(check_adapter<bare_graph>());
static_assert(check_adapter<discovered_graph<const int*>>());
static_assert(validate(testing::switch_parallel()).empty());

// A graph that can lie in every way there is. Vertices are names; the table says what each name answers.
struct liar {
  struct answers {
    std::size_t index;
    std::vector<char> successors;
    std::vector<char> predecessors;
  };
  std::size_t size = 0;
  char first = 'a';
  std::vector<answers> table;     // of 'a', 'b', ...
  std::vector<char> at;           // vertex_at
  mutable std::size_t asked = 0;  // how often a successor was asked for
  std::size_t changes_after = ~std::size_t{0};

  [[nodiscard]] const answers& of(char v) const { return table[static_cast<std::size_t>(v - 'a')]; }
};
template <>
struct simtflow::graph_traits<liar> {
  using vertex = char;
  static std::size_t num_vertices(const liar& g) { return g.size; }
  static std::size_t index(const liar& g, char v) { return g.of(v).index; }
  static char vertex_at(const liar& g, std::size_t i) { return g.at[i]; }
  static char entry(const liar& g) { return g.first; }
  static std::vector<char> successors(const liar& g, char v) {
    if (++g.asked > g.changes_after) return {};
    return g.of(v).successors;
  }
  static const std::vector<char>& predecessors(const liar& g, char v) { return g.of(v).predecessors; }
};

// a -> {b, b}, b -> {b, c}, c; d is not reached and jumps to c.
static liar honest() {
  return {.size = 4,
          .table = {{0, {'b', 'b'}, {}}, {1, {'b', 'c'}, {'a', 'a', 'b'}}, {2, {}, {'d', 'b'}}, {3, {'c'}, {}}},
          .at = {'a', 'b', 'c', 'd'}};
}

TEST_CASE("an honest graph has no diagnostics") {
  CHECK(validate(honest()).empty());
  for (const testing::shape& s : testing::shapes) {
    CAPTURE(s.name);
    CHECK(validate(s.make()).empty());
  }
  const bare_graph bare({{1, 1}, {0, 1}, {7}});
  CHECK(validate(bare).empty());  // the broken row belongs to a block that nothing reaches
  CHECK(validate(std::vector<std::vector<int>>{}).empty());
}

TEST_CASE("validate names an entry out of range") {
  liar g = honest();
  g.table[0].index = 9;
  CHECK(validate(g) == std::vector<graph_diagnostic>{{kind::entry_out_of_range, 9, 0, 9}});
  const std::vector<std::vector<int>> far{{3}, {-1}};
  CHECK(validate(far) == std::vector<graph_diagnostic>{{kind::index_out_of_range, 0, 0, 3}});
  const auto loop = function_graph{1, [](block_id) { return std::vector<block_id>{0, 5, 0, 6}; }};
  CHECK(validate(loop) ==
        std::vector<graph_diagnostic>{{kind::index_out_of_range, 0, 1, 5}, {kind::index_out_of_range, 0, 3, 6}});
}

TEST_CASE("validate names a negative successor") {
  const std::vector<std::vector<int>> g{{0, -1}};
  const auto found = validate(g);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == kind::index_out_of_range);
  CHECK(found[0].slot == 1);
}

TEST_CASE("validate names a broken round trip") {
  liar g = honest();
  g.at[2] = 'd';
  CHECK(validate(g) == std::vector<graph_diagnostic>{{kind::round_trip_broken, 2, 0, 2}});
}

TEST_CASE("validate names two vertices with one index") {
  liar g = honest();
  g.table[2].index = 1;
  bool named = false;
  for (const graph_diagnostic& d : validate(g)) named = named || d.kind == kind::duplicate_index;
  CHECK(named);
}

TEST_CASE("validate names successors that change") {
  liar g = honest();
  g.changes_after = 1;  // the second call for the entry gives nothing
  const auto found = validate(g);
  REQUIRE(!found.empty());
  CHECK(found[0] == graph_diagnostic{kind::unstable_successors, 0, 0, 0});
}

TEST_CASE("validate names predecessors that disagree") {
  liar g = honest();
  g.table[1].predecessors = {'a', 'b', 'b'};
  CHECK(validate(g) ==
        std::vector<graph_diagnostic>{{kind::missing_predecessor, 1, 0, 0}, {kind::surplus_predecessor, 1, 0, 1}});
  g = honest();
  g.table[2].predecessors = {};
  CHECK(validate(g) == std::vector<graph_diagnostic>{{kind::missing_predecessor, 2, 0, 1}});
  g = honest();
  g.table[0].predecessors = {'c'};
  CHECK(validate(g) == std::vector<graph_diagnostic>{{kind::surplus_predecessor, 0, 0, 2}});
}

TEST_CASE("validate refuses sizes that block ids cannot number") {
  liar g = honest();
  g.size = ~std::size_t{0};
  CHECK(validate(g) == std::vector<graph_diagnostic>{{kind::too_many_vertices, 0, 0, ~std::size_t{0}}});
}

TEST_CASE("every kind of diagnostic has a sentence of its own") {
  std::vector<const char*> sentences;
  for (int k = 0; k <= static_cast<int>(kind::surplus_predecessor); ++k)
    sentences.push_back(describe(static_cast<kind>(k)));
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    CHECK(std::strlen(sentences[i]) > 20);
    for (std::size_t j = 0; j < i; ++j) CHECK(std::strcmp(sentences[i], sentences[j]) != 0);
  }
}
