// SPDX-License-Identifier: BSL-1.0
//
// Compares the fast path for classes with the general one, which has an oracle of its own. Every vector unit of this
// machine is forced, with both widths of cells.
#include <simtflow/align/classes.hpp>
#include <simtflow/align/sequence.hpp>
#include <simtflow/testing/generate.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <vector>

using namespace simtflow;
using detail::vector_unit;

namespace {

using sequence = std::vector<std::uint16_t>;
constexpr alignment_mode modes[] = {alignment_mode::global, alignment_mode::local, alignment_mode::semi_global};

sequence random_sequence(testing::rng& random, std::size_t length, std::size_t classes) {
  sequence s;
  for (std::size_t k = length; k > 0; --k) s.push_back(static_cast<std::uint16_t>(random.below(classes)));
  return s;
}

// The vector units of this machine.
std::vector<vector_unit> units() {
  std::vector<vector_unit> all;
  for (const vector_unit u : {vector_unit::bytes_16, vector_unit::bytes_32, vector_unit::bytes_64})
    if (u <= detail::widest_vector_unit()) all.push_back(u);
  return all;
}

// How many runs took the fast path with cells of 16 and of 32 bits.
struct taken {
  int narrow = 0, wide = 0;
};

template <class Cell>
int check_width(const sequence& a, const sequence& b, const class_scores& scores, const alignment_options& o,
                const alignment& expected) {
  int runs = 0;
  for (const vector_unit unit : units()) {
    CAPTURE(static_cast<int>(unit));
    CAPTURE(sizeof(Cell));
    std::int32_t score = 0;
    if (detail::score_in_strips<Cell>(unit, a, b, scores, o, score)) {
      ++runs;
      REQUIRE(score == expected.score);
    }
    alignment found;
    if (detail::pairs_in_strips<Cell>(unit, a, b, scores, o, found)) {
      ++runs;
      REQUIRE(found.score == expected.score);
      REQUIRE(found.pairs == expected.pairs);
      REQUIRE(found.first_end == expected.first_end);
      REQUIRE(found.second_end == expected.second_end);
    }
  }
  return runs;
}

// Compares all units, both widths and the public functions with the general alignment.
void check(const sequence& a, const sequence& b, const class_scores& scores, alignment_options o, taken& runs) {
  const auto general = [&](std::uint16_t x, std::uint16_t y) { return x == y ? scores.weight[x] : scores.mismatch; };
  for (const alignment_mode mode : modes) {
    CAPTURE(static_cast<int>(mode));
    CAPTURE(a.size());
    CAPTURE(b.size());
    o.mode = mode;
    const alignment expected = align(a, b, general, o);
    runs.narrow += check_width<std::int16_t>(a, b, scores, o, expected);
    runs.wide += check_width<std::int32_t>(a, b, scores, o, expected);
    REQUIRE(alignment_score(a, b, scores, o) == expected.score);
    const alignment found = align(a, b, scores, o);
    REQUIRE(found.score == expected.score);
    REQUIRE(found.first_begin == expected.first_begin);
    REQUIRE(found.second_end == expected.second_end);
    REQUIRE(found.pairs == expected.pairs);
  }
}

}  // namespace

TEST_CASE("classes: score and pairs as the general alignment has them, at any magnitude, on every vector unit") {
  // The last magnitudes are too great for 16 bits.
  for (const std::int32_t magnitude : {1, 12, 100, 700, 100'000, 2'000'000}) {
    taken runs;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      CAPTURE(seed);
      CAPTURE(magnitude);
      testing::rng random(seed);
      const std::size_t classes = random.chance(10) ? 200 : random.between(1, 8);
      const sequence a = random_sequence(random, random.below(100), classes),
                     b = random_sequence(random, random.below(100), classes);
      const auto number = [&] {
        return static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(magnitude) + 1));
      };
      std::vector<std::int32_t> weight;
      for (std::size_t c = 0; c < classes; ++c) weight.push_back(random.chance(10) ? -number() : number());
      const std::int32_t mismatch = random.chance(15) ? number() / 3 : -number() / 2;
      const class_scores scores{weight, random.chance(40) ? forbidden_pair : mismatch};
      alignment_options o{.first = {number() / 2, number() / 8}, .second = {number() / 2, number() / 8}};
      if (random.chance(20)) o.first.open = o.second.open = 0;
      if (random.chance(20)) o.first.extend = o.second.extend = 0;
      check(a, b, scores, o, runs);
      o.matrix_bytes = 10;  // left to the general one
      REQUIRE(align(a, b, scores, o).score == alignment_score(a, b, scores, o));
    }
    const int units_here = static_cast<int>(units().size());
    CHECK(runs.wide >= 300 * units_here);
    CHECK((magnitude > 100 || runs.narrow >= 150 * units_here));
    CHECK((magnitude < 100'000 || runs.narrow == 0));
  }
}

TEST_CASE("classes: lengths around the widths of vectors and chunks") {
  testing::rng random(7);
  const std::int32_t weight[] = {3, 10, 20, 1};
  taken runs;
  for (const std::size_t n : {0U, 1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 15U, 16U, 17U, 31U, 32U, 33U, 63U, 64U, 65U, 129U})
    for (const std::size_t m :
         {0U, 1U, 3U, 4U, 5U, 8U, 15U, 16U, 17U, 33U, 63U, 64U, 65U, 71U, 72U, 96U, 97U, 127U, 128U, 129U, 200U})
      check(random_sequence(random, n, 4), random_sequence(random, m, 4), class_scores{weight, -2},
            {.first = {5, 1}, .second = {4, 2}}, runs);
  CHECK(runs.narrow == static_cast<int>(18 * 20 * 4 * units().size()));
  CHECK(runs.wide == runs.narrow);
}

TEST_CASE("classes: 16 bits hold scores of any size, and costs up to where the next one is left to 32") {
  // Sequences of one class, shifted against each other: all pairs, all gaps, and scores that rise and fall.
  const auto blocks = [](std::size_t length, std::size_t run) {
    sequence s;
    for (std::size_t k = 0; k < length; ++k) s.push_back(static_cast<std::uint16_t>(k / run % 3));
    return s;
  };
  const std::vector<sequence> shapes = {sequence(300, 0), sequence(270, 1), blocks(310, 100), blocks(290, 64),
                                        blocks(90, 7)};
  for (const std::int32_t weight : {20, 100, 140, 160, 200, 300, 400}) {
    taken runs;
    const std::vector<std::int32_t> weights = {weight, weight, weight};
    for (const std::int32_t gap : {0, 1, weight / 3})
      for (const sequence& a : shapes)
        for (const sequence& b : shapes) {
          CAPTURE(weight);
          CAPTURE(gap);
          check(a, b, class_scores{weights, gap == 1 ? forbidden_pair : -weight},
                {.first = {gap, gap}, .second = {gap, 1}}, runs);
        }
    CHECK((runs.narrow > 0) == (weight < 400 && !units().empty()));
    CHECK(runs.wide == static_cast<int>(3 * 25 * 4 * units().size()));
  }
}

TEST_CASE("classes: a score that outgrows 16 bits only in the end is right, and so is one just below") {
  for (const unsigned n : {200U, 320U, 326U, 327U, 328U, 330U, 400U, 1000U}) {
    const sequence same(n, 0);
    const std::int32_t weight[] = {100};
    for (const alignment_mode mode : modes) {
      CAPTURE(n);
      CHECK(alignment_score(same, same, class_scores{weight}, {.mode = mode, .first = {5, 1}, .second = {5, 1}}) ==
            static_cast<std::int32_t>(100 * n));
    }
    CHECK(align(same, same, class_scores{weight}, {.first = {5, 1}, .second = {5, 1}}).pairs.size() == n);
  }
}

TEST_CASE("classes: long gaps go below 16 bits") {
  const sequence none, many(40'000, 0), one{1};
  const std::int32_t weight[] = {1, 1};
  const alignment_options o{.first = {3, 1}, .second = {3, 1}};
  CHECK(alignment_score(many, none, class_scores{weight}, o) == -40'003);
  CHECK(alignment_score(none, many, class_scores{weight}, o) == -40'003);
  CHECK(alignment_score(many, one, class_scores{weight}, o) == -40'003 - 4);
  CHECK(alignment_score(one, many, class_scores{weight}, o) == -40'003 - 4);
  CHECK(alignment_score(none, none, class_scores{weight}, o) == 0);
}

static_assert([] {
  const std::uint16_t a[] = {0, 1, 2, 3}, b[] = {1, 2};
  const std::int32_t weight[] = {3, 3, 3, 3};
  const auto x = align(std::span<const std::uint16_t>(a), std::span<const std::uint16_t>(b), class_scores{weight},
                       {.first = {1, 1}, .second = {1, 1}});
  return x.score == 2 && x.pairs.size() == 4 && x.pairs[1] == aligned_pair{1, 0};
}());
