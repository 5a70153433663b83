// SPDX-License-Identifier: BSL-1.0
//
// Each way in which a program in SSA form can contradict its graph, and random mutations of sound programs: what is not
// refused is analysed, and the result is right.
#include "analysis/uniformity_oracles.hpp"
#include <simtflow/analysis/validate_program.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace simtflow_tests;

namespace {

using kind = program_defect_kind;

constexpr value_id no_used = no_value;

// if (0) 1 else 2; 3: phi; 4 is not reached and leads to 3
struct diamond {
  csr_graph g = testing::adjacency({{1, 2}, {3}, {3}, {}, {3}});
  ssa_program p;
  value_id source, one, left, right, phi, user;

  diamond() {
    writer w(5);
    source = w.add(ssa_kind::source, 0);
    one = w.add(ssa_kind::constant, 0);
    left = w.add(ssa_kind::compute, 1, {one});
    right = w.add(ssa_kind::compute, 2, {source});
    phi = w.phi(3, {{1, left}, {2, right}});
    user = w.add(ssa_kind::compute, 3, {phi});
    w.p.conditions[0] = source;
    p = w.p;
  }
  testing::ssa_value& at(value_id v) { return p.values[index_of(v)]; }
  [[nodiscard]] std::vector<program_defect> defects() const { return validate(g, p); }
};

}  // namespace

TEST_CASE("validate_program: a sound program has no defect") {
  diamond d;
  CHECK(d.defects().empty());
  CHECK(validate(csr_graph{}, ssa_program{}).empty());
  SUBCASE("an input for an unreachable block may be there or not, and may be any value") {
    d.at(d.phi).inputs.push_back({4, d.right});
    CHECK(d.defects().empty());
  }
  SUBCASE("an undefined input") {
    d.at(d.phi).inputs[0].value = no_value;
    CHECK(d.defects().empty());
  }
  SUBCASE("a branch without a condition") {
    d.p.conditions[0] = no_value;
    CHECK(d.defects().empty());
  }
  SUBCASE("values of unreachable blocks may use any value") {
    d.p.values.push_back({ssa_kind::compute, 4, 0, {d.left, d.user}, {}});
    d.p.conditions[4] = d.left;
    CHECK(d.defects().empty());
  }
  SUBCASE("a phi of a loop may use itself, and parallel edges are one way") {
    const csr_graph loop = testing::adjacency({{1, 1}, {1, 2}, {}});
    writer w(3);
    const value_id zero = w.add(ssa_kind::constant, 0);
    const value_id phi = w.phi(1, {{0, zero}, {1, value_id{1}}});
    w.p.conditions[1] = phi;
    CHECK(validate(loop, w.p).empty());
  }
}

TEST_CASE("validate_program: each defect") {
  diamond d;
  const auto one = [&](program_defect expected) {
    const std::vector<program_defect> found = d.defects();
    REQUIRE(found.size() == 1);
    CHECK(std::string_view(to_string(found[0].kind)) == to_string(expected.kind));
    CHECK(found[0] == expected);
  };
  constexpr value_id far{77};
  SUBCASE("a value in a block that the graph does not have") {
    d.at(d.user).block = 9;
    one({kind::block_out_of_range, d.user, 9, no_used});
  }
  SUBCASE("an input from a block that the graph does not have") {
    d.at(d.phi).inputs.push_back({9, d.one});
    one({kind::block_out_of_range, d.phi, 9, no_used});
  }
  SUBCASE("an operand that is no value") {
    d.at(d.user).operands[0] = far;
    one({kind::value_out_of_range, d.user, 3, far});
  }
  SUBCASE("an operand that is undefined") {
    d.at(d.user).operands[0] = no_value;
    one({kind::value_out_of_range, d.user, 3, no_value});
  }
  SUBCASE("an input that is no value") {
    d.at(d.phi).inputs[1].value = far;
    one({kind::value_out_of_range, d.phi, 2, far});
  }
  SUBCASE("a condition that is no value") {
    d.p.conditions[0] = far;
    one({kind::value_out_of_range, no_value, 0, far});
  }
  SUBCASE("a phi without an input for an edge") {
    d.at(d.phi).inputs.pop_back();
    one({kind::missing_input, d.phi, 2, no_used});
  }
  SUBCASE("a phi without inputs") {
    d.at(d.phi).inputs.clear();
    CHECK(d.defects() == std::vector<program_defect>{{kind::missing_input, d.phi, 1, no_used},
                                                     {kind::missing_input, d.phi, 2, no_used}});
  }
  SUBCASE("two inputs for one block") {
    d.at(d.phi).inputs.push_back({2, d.one});
    one({kind::repeated_input, d.phi, 2, no_used});
  }
  SUBCASE("an input for a block without an edge") {
    d.at(d.phi).inputs.push_back({0, d.one});
    one({kind::surplus_input, d.phi, 0, no_used});
  }
  SUBCASE("an operand that only one of two ways computes") {
    d.at(d.user).operands[0] = d.left;
    one({kind::not_dominating, d.user, 3, d.left});
  }
  SUBCASE("an input that is not computed where it comes from") {
    d.at(d.phi).inputs[0].value = d.right;
    one({kind::not_dominating, d.phi, 1, d.right});
  }
  SUBCASE("a condition that is computed later") {
    d.p.conditions[0] = d.phi;
    one({kind::not_dominating, no_value, 0, d.phi});
  }
  SUBCASE("a value of an unreachable block, used where control comes") {
    d.p.values.push_back({ssa_kind::constant, 4, 0, {}, {}});
    d.at(d.user).operands[0] = value_id{6};
    one({kind::not_dominating, d.user, 3, value_id{6}});
  }
  SUBCASE("an operand of itself, directly and by another value") {
    d.at(d.user).operands[0] = d.user;
    one({kind::operand_of_itself, d.user, 3, d.user});
    d.p.values.push_back({ssa_kind::compute, 3, 0, {d.user}, {}});
    d.at(d.user).operands[0] = value_id{6};
    one({kind::operand_of_itself, value_id{6}, 3, d.user});
  }
}

TEST_CASE("validate_program: a source that is always uniform, and too many values") {
  struct program {
    std::size_t values = 1;
    [[nodiscard]] std::size_t num_values() const { return values; }
    [[nodiscard]] block_id block_of(value_id) const { return 0; }
    [[nodiscard]] bool is_phi(value_id) const { return false; }
    [[nodiscard]] std::vector<phi_input<block_id>> inputs(value_id) const { return {}; }
    [[nodiscard]] std::vector<value_id> operands(value_id) const { return {}; }
    [[nodiscard]] value_id condition(block_id) const { return no_value; }
    [[nodiscard]] bool is_source(value_id) const { return true; }
    [[nodiscard]] bool is_always_uniform(value_id) const { return true; }
  };
  const csr_graph g = testing::adjacency({{}});
  CHECK(validate(g, program{}) == std::vector<program_defect>{{kind::uniform_source, value_id{0}, 0, no_value}});
  CHECK(validate(g, program{0xFFFF'FFFE}) ==
        std::vector<program_defect>{{kind::too_many_values, no_value, no_block, no_value}});
}

TEST_CASE("validate_program: every kind has a name and a sentence of its own") {
  std::vector<std::string_view> said;
  for (unsigned char k = 0; k <= static_cast<unsigned char>(kind::uniform_source); ++k) {
    said.push_back(to_string(static_cast<kind>(k)));
    said.push_back(describe(static_cast<kind>(k)));
  }
  for (const std::string_view s : said) CHECK(!s.empty());
  std::sort(said.begin(), said.end());
  CHECK(std::adjacent_find(said.begin(), said.end()) == said.end());
}

TEST_CASE("validate_program: a user's graph, and a constant expression") {
  const std::vector<std::vector<int>> lists{{1, 2}, {3}, {3}, {}};
  struct program {
    [[nodiscard]] std::size_t num_values() const { return 2; }
    [[nodiscard]] int block_of(value_id v) const { return v == value_id{0} ? 0 : 3; }
    [[nodiscard]] bool is_phi(value_id v) const { return v == value_id{1}; }
    [[nodiscard]] std::vector<phi_input<int>> inputs(value_id) const { return {{1, value_id{0}}}; }
    [[nodiscard]] std::vector<value_id> operands(value_id) const { return {}; }
    [[nodiscard]] value_id condition(int b) const { return b == 0 ? value_id{0} : no_value; }
    [[nodiscard]] bool is_source(value_id v) const { return v == value_id{0}; }
    [[nodiscard]] bool is_always_uniform(value_id) const { return false; }
  };
  static_assert(check_def_use<program, std::vector<std::vector<int>>>());
  CHECK(validate(lists, program{}) == std::vector<program_defect>{{kind::missing_input, value_id{1}, 2, no_value}});
  static_assert([] {
    const csr_graph g = testing::adjacency({{1, 2}, {3}, {3}, {}});
    testing::rng random(1);
    return validate(g, testing::random_ssa_program(random, g)).empty();
  }());
}

TEST_CASE("validate_program: random programs are sound") {
  const auto check = [](const subject& at) {
    testing::rng random(at.seed);
    const ssa_program p = testing::random_ssa_program(random, at.graph, {.phis = 3, .others = 3});
    for (const program_defect& d : validate(at.graph, p))
      report(at,
             std::string(to_string(d.kind)) + " of value %" + std::to_string(index_of(d.value)) + "\n" + text_of(p));
  };
  for_each_random(1500, 14, check);
  for_each_shape(check);
}

namespace {

// Changes one thing in a program; the result may still be sound.
void mutate(ssa_program& p, std::size_t blocks, testing::rng& random) {
  const auto any_value = [&] {
    const std::size_t dice = random.below(p.values.size() + 2);
    return dice < p.values.size()    ? value_id{static_cast<std::uint32_t>(dice)}
           : dice == p.values.size() ? no_value
                                     : value_id{static_cast<std::uint32_t>(p.values.size() + random.below(9))};
  };
  const auto any_block = [&] { return static_cast<block_id>(random.below(blocks + (random.chance(10) ? 1 : 0))); };
  testing::ssa_value& v = p.values[random.below(p.values.size())];
  const bool phi = v.kind == ssa_kind::phi;
  switch (random.below(7)) {
    case 0:
      p.conditions[random.below(blocks)] = any_value();
      return;
    case 1:
      if (phi && !v.inputs.empty())
        v.inputs.erase(v.inputs.begin() + static_cast<std::ptrdiff_t>(random.below(v.inputs.size())));
      if (!phi && !v.operands.empty())
        v.operands.erase(v.operands.begin() + static_cast<std::ptrdiff_t>(random.below(v.operands.size())));
      return;
    case 2:
      if (phi) {
        v.inputs.push_back({any_block(), any_value()});
      } else {
        v.operands.push_back(any_value());
      }
      return;
    case 3:
      if (phi && !v.inputs.empty()) v.inputs[random.below(v.inputs.size())].value = any_value();
      if (!phi && !v.operands.empty()) v.operands[random.below(v.operands.size())] = any_value();
      return;
    case 4:
      if (phi && !v.inputs.empty()) v.inputs[random.below(v.inputs.size())].from = any_block();
      return;
    case 5:
      v.block = any_block();
      return;
    default:
      v.kind = static_cast<ssa_kind>(random.below(5));
  }
}

}  // namespace

TEST_CASE("validate_program: a mutated program is refused, or analysed as the rules say") {
  const csr_graph none;
  uniformity_analysis<csr_graph> u(none, ssa_program{});
  std::size_t refused = 0, sound = 0, kinds[9] = {};
  for_each_random(1500, 10, [&](const subject& at) {
    testing::rng random(at.seed + 7);
    const ssa_program original = testing::random_ssa_program(random, at.graph, {.phis = 3, .others = 3});
    if (original.values.empty()) return;
    for (int k = 0; k < 6; ++k) {
      ssa_program p = original;
      mutate(p, at.graph.num_blocks(), random);
      const std::vector<program_defect> defects = validate(at.graph, p);
      for (const program_defect& d : defects) ++kinds[static_cast<std::size_t>(d.kind)];
      ++(defects.empty() ? sound : refused);
      if (!defects.empty()) continue;
      u.recompute(at.graph, p);
      check_result(at, p, u);
    }
  });
  MESSAGE(refused << " refused, " << sound << " sound");
  CHECK(refused > 1000);
  CHECK(sound > 1000);
  for (const kind k : {kind::block_out_of_range, kind::value_out_of_range, kind::missing_input, kind::repeated_input,
                       kind::surplus_input, kind::not_dominating, kind::operand_of_itself}) {
    CAPTURE(to_string(k));
    CHECK(kinds[static_cast<std::size_t>(k)] > 20);
  }
}
