// SPDX-License-Identifier: BSL-1.0
//
// The fast path for classes against the general one, which has an oracle of its own.
#include <simtflow/align/classes.hpp>
#include <simtflow/align/sequence.hpp>
#include <simtflow/testing/generate.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <vector>

using namespace simtflow;

namespace {

using sequence = std::vector<std::uint16_t>;
constexpr alignment_mode modes[] = {alignment_mode::global, alignment_mode::local, alignment_mode::semi_global};

sequence random_sequence(testing::rng& random, std::size_t longest, std::size_t classes) {
  sequence s;
  for (std::size_t k = random.below(longest + 1); k > 0; --k)
    s.push_back(static_cast<std::uint16_t>(random.below(classes)));
  return s;
}

}  // namespace

TEST_CASE("classes: score and pairs are those of the general alignment, at any magnitude") {
  // The last magnitudes are too great for 16 bits: at once, or only after some diagonals.
  for (const std::int32_t magnitude : {1, 12, 100, 700, 100'000, 2'000'000})
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
      testing::rng random(seed);
      const std::size_t classes = random.between(1, 8);
      const sequence a = random_sequence(random, 90, classes), b = random_sequence(random, 90, classes);
      const auto number = [&] {
        return static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(magnitude) + 1));
      };
      std::vector<std::int32_t> weight;
      for (std::size_t c = 0; c < classes; ++c) weight.push_back(random.chance(10) ? -number() : number());
      const std::int32_t mismatch = random.chance(15) ? number() / 3 : -number() / 2;
      const class_scores scores{weight, random.chance(40) ? forbidden_pair : mismatch};
      alignment_options o{.first = {number() / 2, number() / 8}, .second = {number() / 2, number() / 8}};
      const auto general = [&](std::uint16_t x, std::uint16_t y) { return x == y ? weight[x] : scores.mismatch; };
      for (const alignment_mode mode : modes) {
        o.mode = mode;
        o.matrix_bytes = std::size_t{1} << 20;
        CAPTURE(seed);
        CAPTURE(magnitude);
        CAPTURE(static_cast<int>(mode));
        const alignment expected = align(a, b, general, o);
        REQUIRE(alignment_score(a, b, scores, o) == expected.score);
        const alignment found = align(a, b, scores, o);
        REQUIRE(found.score == expected.score);
        REQUIRE(found.first_begin == expected.first_begin);
        REQUIRE(found.second_end == expected.second_end);
        REQUIRE(found.pairs == expected.pairs);
        o.matrix_bytes = 10;  // left to the general one
        REQUIRE(align(a, b, scores, o).score == expected.score);
      }
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
  CHECK(alignment_score(none, none, class_scores{weight}, o) == 0);
}

static_assert([] {
  const std::uint16_t a[] = {0, 1, 2, 3}, b[] = {1, 2};
  const std::int32_t weight[] = {3, 3, 3, 3};
  const auto x = align(std::span<const std::uint16_t>(a), std::span<const std::uint16_t>(b), class_scores{weight},
                       {.first = {1, 1}, .second = {1, 1}});
  return x.score == 2 && x.pairs.size() == 4 && x.pairs[1] == aligned_pair{1, 0};
}());
