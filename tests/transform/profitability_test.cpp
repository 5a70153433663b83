// SPDX-License-Identifier: BSL-1.0
//
// Fingerprints against counting, profitabilities against their formulas, the bound against all alignments.
#include <simtflow/align/sequence.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/transform/profitability.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

using namespace simtflow;

namespace {

// Blocks of instructions, each a class; latency by class or by instruction.
struct toy_code {
  std::vector<std::uint32_t> begin, end, classes, weights;
  std::uint32_t first(block_id b) const { return begin[b]; }
  std::uint32_t last(block_id b) const { return end[b]; }
  std::uint32_t opcode_class(std::uint32_t i) const { return classes[i]; }
  std::uint32_t latency(std::uint32_t i) const { return weights[i]; }
};

toy_code random_code(testing::rng& random, std::size_t blocks, bool by_class, bool with_holes) {
  toy_code c;
  std::vector<std::uint32_t> latency;
  const std::size_t classes = 1 + random.below(6);
  for (std::size_t k = 0; k < classes; ++k) latency.push_back(static_cast<std::uint32_t>(random.below(20)));
  for (std::size_t b = 0; b < blocks; ++b) {
    c.begin.push_back(static_cast<std::uint32_t>(c.classes.size()));
    for (std::size_t k = random.below(8); k > 0; --k) {
      c.classes.push_back(static_cast<std::uint32_t>(random.below(classes)));
      c.weights.push_back(by_class ? latency[c.classes.back()] : static_cast<std::uint32_t>(random.below(20)));
    }
    c.end.push_back(static_cast<std::uint32_t>(c.classes.size()));
    if (with_holes) {  // a branch ends the block
      c.classes.push_back(77);
      c.weights.push_back(1000);
    }
  }
  return c;
}

}  // namespace

TEST_CASE("profitability: fingerprints are what counting gives") {
  code_fingerprints f;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    CAPTURE(seed);
    testing::rng random(seed);
    const std::size_t blocks = random.below(7);
    const toy_code c = random_code(random, blocks, random.chance(50), random.chance(50));
    f.compute(blocks, c);  // the same object each time
    REQUIRE(f.num_blocks() == blocks);
    for (block_id b = 0; b < blocks; ++b) {
      std::map<std::uint32_t, std::uint64_t> count;
      std::uint64_t all = 0;
      for (std::uint32_t i = c.begin[b]; i < c.end[b]; ++i) {
        count[c.classes[i]] += c.weights[i];
        all += c.weights[i];
      }
      std::vector<class_weight> expected;
      for (const auto& [k, w] : count) expected.push_back({k, w});
      REQUIRE(std::vector<class_weight>(f[b].begin(), f[b].end()) == expected);
      REQUIRE(f.weight(b) == all);
    }
  }
}

TEST_CASE("profitability: MP_B and MP_S are what their formulas give") {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    CAPTURE(seed);
    testing::rng random(seed);
    const std::size_t blocks = 2 * (1 + random.below(4));
    const toy_code c = random_code(random, blocks, true, random.chance(50));
    const code_fingerprints f(blocks, c);
    // As published: frequencies of opcodes times the latency of the opcode.
    const auto frequency = [&](block_id b, std::uint32_t k) {
      return std::count(c.classes.begin() + c.begin[b], c.classes.begin() + c.end[b], k);
    };
    const auto latency = [&](block_id b) {
      double sum = 0;
      for (std::uint32_t i = c.begin[b]; i < c.end[b]; ++i) sum += c.weights[i];
      return sum;
    };
    const auto mp_b = [&](block_id x, block_id y) {
      double sum = 0;
      for (std::uint32_t k = 0; k < 6; ++k) {
        const auto at = std::find(c.classes.begin(), c.classes.end(), k);
        if (at == c.classes.end()) continue;
        sum += static_cast<double>(std::min(frequency(x, k), frequency(y, k)) *
                                   c.weights[static_cast<std::size_t>(at - c.classes.begin())]);
      }
      return latency(x) + latency(y) == 0 ? 0 : sum / (latency(x) + latency(y));
    };
    melding_profit whole;
    double upper = 0, lower = 0;
    for (block_id b = 0; b + 1 < blocks; b += 2) {
      const melding_profit p = block_profit(f, b, b + 1);
      REQUIRE(p.value() == doctest::Approx(mp_b(b, b + 1)));
      REQUIRE(block_profit(f, b + 1, b) == p);
      REQUIRE(p.value() <= 0.5);
      const double weight = latency(b) + latency(b + 1);
      upper += mp_b(b, b + 1) * weight;
      lower += weight;
      whole.add(f, b, b + 1);
      REQUIRE(block_profit(f, b, b).value() == (f.weight(b) == 0 ? 0.0 : 0.5));
    }
    REQUIRE(whole.value() == doctest::Approx(lower == 0 ? 0 : upper / lower));
    REQUIRE(whole.reaches(0) == (whole.saved > 0));
    REQUIRE(whole.reaches(0.3) == (whole.saved > 0 && whole.value() >= 0.3));
  }
}

TEST_CASE("profitability: no alignment saves more than the fingerprints share, and in some order one saves just that") {
  std::size_t reached = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    CAPTURE(seed);
    testing::rng random(seed);
    toy_code c = random_code(random, 2, random.chance(50), false);
    const code_fingerprints f(2, c);
    std::vector<std::uint32_t> a, b;
    for (std::uint32_t i = c.begin[0]; i < c.end[0]; ++i) a.push_back(i);
    for (std::uint32_t i = c.begin[1]; i < c.end[1]; ++i) b.push_back(i);
    const auto saves = [&](std::uint32_t i, std::uint32_t j) {
      return c.classes[i] == c.classes[j] ? static_cast<std::int32_t>(std::min(c.weights[i], c.weights[j]))
                                          : forbidden_pair;
    };
    const auto shared = static_cast<std::int64_t>(block_profit(f, 0, 1).saved);
    REQUIRE(alignment_score(a, b, saves) <= shared);
    // With one latency for each class, sorted code reaches the bound.
    bool by_class = true;
    for (const std::uint32_t i : a)
      for (const std::uint32_t j : b)
        by_class = by_class && (c.classes[i] != c.classes[j] || c.weights[i] == c.weights[j]);
    for (auto* v : {&a, &b}) {
      for (const std::uint32_t i : *v)
        for (const std::uint32_t j : *v)
          by_class = by_class && (c.classes[i] != c.classes[j] || c.weights[i] == c.weights[j]);
      std::sort(v->begin(), v->end(), [&](std::uint32_t i, std::uint32_t j) { return c.classes[i] < c.classes[j]; });
    }
    if (!by_class) continue;
    ++reached;
    REQUIRE(alignment_score(a, b, saves) == shared);
  }
  CHECK(reached > 500);
}

namespace {

struct three_blocks {
  constexpr std::uint32_t first(block_id b) const { return 2 * b; }
  constexpr std::uint32_t last(block_id b) const { return 2 * b + 2; }
  constexpr std::uint32_t opcode_class(std::uint32_t i) const { return i == 5 ? 9 : i % 2; }
  constexpr std::uint32_t latency(std::uint32_t i) const { return i % 2 == 0 ? 3 : 10; }
};
constexpr melding_profit of_three_blocks() {
  const code_fingerprints f(3, three_blocks{});
  melding_profit p = block_profit(f, 0, 1);
  p.add(f, 1, 2);
  return p;
}
static_assert(of_three_blocks() == melding_profit{13 + 3, 4 * 13});

}  // namespace

TEST_CASE("profitability: nothing is worth nothing, and is below every threshold") {
  CHECK(melding_profit{}.value() == 0);
  CHECK(!melding_profit{}.reaches(0));
  CHECK(!melding_profit{0, 10}.reaches(0));
  CHECK(melding_profit{5, 10}.reaches(0.5));
  CHECK(shared_weight({}, {}) == 0);
  CHECK(code_fingerprints().num_blocks() == 0);
}
