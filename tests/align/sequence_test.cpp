// SPDX-License-Identifier: BSL-1.0
//
// Alignments against all alignments, tried one after the other, and against what their pairs add up to.
#include <simtflow/align/sequence.hpp>
#include <simtflow/testing/generate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace simtflow;

namespace {

using sequence = std::vector<int>;
using pairs = std::vector<aligned_pair>;

// A table of scores; what an element is depends on the sequence it is in, so that mixing the two up is noticed.
struct table {
  std::vector<std::vector<std::int32_t>> value;
  std::int32_t operator()(int a, int b) const {
    return value[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
  }
};

std::string text(const pairs& p) {
  std::string out;
  for (const aligned_pair& x : p) {
    out += x.first == no_element ? "-" : std::to_string(x.first);
    out += ":";
    out += x.second == no_element ? "-" : std::to_string(x.second);
    out += " ";
  }
  return out;
}

// Every way to align a[i..) with b[j..), as pairs; calls f for each.
template <class F>
void every_alignment(std::uint32_t i, std::uint32_t n, std::uint32_t j, std::uint32_t m, pairs& done, const F& f) {
  if (i == n && j == m) {
    f(done);
    return;
  }
  const auto step = [&](std::uint32_t x, std::uint32_t y, std::uint32_t di, std::uint32_t dj) {
    done.push_back({x, y});
    every_alignment(i + di, n, j + dj, m, done, f);
    done.pop_back();
  };
  if (i < n && j < m) step(i, j, 1, 1);
  if (i < n) step(i, no_element, 1, 0);
  if (j < m) step(no_element, j, 0, 1);
}

// The best score by definition. Local: of all stretches. Semi-global: alone at either end costs nothing.
std::int64_t best_by_trying(const sequence& a, const sequence& b, const table& score, const alignment_options& o) {
  std::int64_t best = o.mode == alignment_mode::local ? 0 : -(std::int64_t{1} << 40);
  pairs done;
  every_alignment(
      0, static_cast<std::uint32_t>(a.size()), 0, static_cast<std::uint32_t>(b.size()), done, [&](const pairs& p) {
        const auto worth = [&](std::size_t from, std::size_t to) {
          const alignment x{
              0, 0, 0,
              0, 0, pairs(p.begin() + static_cast<std::ptrdiff_t>(from), p.begin() + static_cast<std::ptrdiff_t>(to))};
          return std::int64_t{score_of(x, a, b, score, o)};
        };
        if (o.mode == alignment_mode::global) best = std::max(best, worth(0, p.size()));
        if (o.mode == alignment_mode::local)
          for (std::size_t from = 0; from <= p.size(); ++from)
            for (std::size_t to = from; to <= p.size(); ++to) best = std::max(best, worth(from, to));
        if (o.mode == alignment_mode::semi_global) {
          // Free at each end: elements of one sequence only, as many as there are.
          const auto alone = [&](std::size_t k) {
            return p[k].first == no_element ? 2 : p[k].second == no_element ? 1 : 0;
          };
          std::size_t from = 0, to = p.size();
          while (from < p.size() && alone(from) != 0 && alone(from) == alone(0)) ++from;
          while (to > from && alone(to - 1) != 0 && alone(to - 1) == alone(p.size() - 1)) --to;
          best = std::max(best, worth(from, to));
        }
      });
  return best;
}

struct problem {
  sequence a, b;
  table score;
  alignment_options options;
};

problem random_problem(testing::rng& random, std::size_t longest, std::int32_t greatest) {
  problem p;
  constexpr std::size_t letters = 4;
  for (std::size_t k = random.below(longest + 1); k > 0; --k) p.a.push_back(static_cast<int>(random.below(letters)));
  for (std::size_t k = random.below(longest + 1); k > 0; --k) p.b.push_back(static_cast<int>(random.below(letters)));
  const bool forbids = random.chance(40);
  for (std::size_t x = 0; x < letters; ++x) {
    p.score.value.emplace_back();
    for (std::size_t y = 0; y < letters; ++y) {
      const auto worth =
          static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(2 * greatest))) - greatest / 2;
      p.score.value.back().push_back(x != y && forbids && random.chance(70) ? forbidden_pair : worth);
    }
  }
  const auto cost = [&] {
    return static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(greatest) / 2 + 1));
  };
  p.options.first = {random.chance(20) ? 0 : cost(), random.chance(30) ? 0 : cost()};
  p.options.second = random.chance(50) ? p.options.first : gap_cost{cost(), cost()};
  return p;
}

// The pairs are all elements of the stretches once, in order.
bool well_formed(const alignment& x, const sequence& a, const sequence& b, alignment_mode mode) {
  std::uint32_t i = x.first_begin, j = x.second_begin;
  for (const aligned_pair& p : x.pairs) {
    if (p.first == no_element && p.second == no_element) return false;
    if (p.first != no_element && p.first != i++) return false;
    if (p.second != no_element && p.second != j++) return false;
  }
  if (i != x.first_end || j != x.second_end || i > a.size() || j > b.size()) return false;
  if (mode == alignment_mode::global)
    return x.first_begin == 0 && x.second_begin == 0 && i == a.size() && j == b.size();
  if (mode == alignment_mode::semi_global)
    return (x.first_begin == 0 || x.second_begin == 0) && (i == a.size() || j == b.size());
  return true;
}

constexpr alignment_mode modes[] = {alignment_mode::global, alignment_mode::local, alignment_mode::semi_global};
constexpr const char* mode_names[] = {"global", "local", "semi-global"};

}  // namespace

TEST_CASE("sequence: the best of all alignments, tried one after the other") {
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    testing::rng random(seed);
    problem p = random_problem(random, 5, 12);
    for (std::size_t m = 0; m < 3; ++m) {
      p.options.mode = modes[m];
      CAPTURE(seed);
      CAPTURE(std::string(mode_names[m]));
      const std::int64_t best = best_by_trying(p.a, p.b, p.score, p.options);
      REQUIRE(alignment_score(p.a, p.b, p.score, p.options) == best);
      for (const std::size_t bytes : {std::size_t{1} << 20, std::size_t{0}, std::size_t{3}}) {
        p.options.matrix_bytes = bytes;
        CAPTURE(bytes);
        const alignment x = align(p.a, p.b, p.score, p.options);
        CAPTURE(text(x.pairs));
        REQUIRE(x.score == best);
        REQUIRE(well_formed(x, p.a, p.b, modes[m]));
        REQUIRE(score_of(x, p.a, p.b, p.score, p.options) == best);
      }
    }
  }
}

TEST_CASE("sequence: long ones: what the pairs add up to is the score, in a matrix and in linear memory") {
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    testing::rng random(seed);
    problem p = random_problem(random, 300, 60);
    for (std::size_t m = 0; m < 3; ++m) {
      p.options.mode = modes[m];
      CAPTURE(seed);
      CAPTURE(std::string(mode_names[m]));
      p.options.matrix_bytes = std::size_t{1} << 20;
      const alignment whole = align(p.a, p.b, p.score, p.options);
      REQUIRE(well_formed(whole, p.a, p.b, modes[m]));
      REQUIRE(score_of(whole, p.a, p.b, p.score, p.options) == whole.score);
      REQUIRE(alignment_score(p.a, p.b, p.score, p.options) == whole.score);
      for (const std::size_t bytes : {std::size_t{0}, std::size_t{50}, std::size_t{1000}}) {
        CAPTURE(bytes);
        p.options.matrix_bytes = bytes;
        const alignment parts = align(p.a, p.b, p.score, p.options);
        REQUIRE(parts.score == whole.score);
        REQUIRE(well_formed(parts, p.a, p.b, modes[m]));
        REQUIRE(score_of(parts, p.a, p.b, p.score, p.options) == whole.score);
      }
    }
  }
}

TEST_CASE("sequence: symmetric: with the sequences and their gap costs exchanged the score is the same") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    testing::rng random(seed);
    problem p = random_problem(random, 60, 30);
    const auto turned = [&](int b, int a) { return p.score(a, b); };
    for (const alignment_mode mode : modes) {
      p.options.mode = mode;
      alignment_options o = p.options;
      o.first = p.options.second;
      o.second = p.options.first;
      REQUIRE(alignment_score(p.b, p.a, turned, o) == alignment_score(p.a, p.b, p.score, p.options));
    }
    // Dearer gaps never make an alignment better.
    alignment_options dear = p.options;
    dear.first.open += 3;
    dear.second.extend += 1;
    REQUIRE(alignment_score(p.a, p.b, p.score, dear) <= alignment_score(p.a, p.b, p.score, p.options));
  }
}

namespace {

constexpr auto equal = [](char a, char b) { return a == b ? 2 : -1; };

constexpr std::uint32_t paired(std::string_view a, std::string_view b, const alignment_options& o) {
  std::uint32_t n = 0;
  for (const aligned_pair& p : align(a, b, equal, o).pairs)
    if (p.first != no_element && p.second != no_element) ++n;
  return n;
}

}  // namespace

static_assert(alignment_score(std::string_view("GATTACA"), std::string_view("GCATGCU"), equal,
                              {.first = {0, 1}, .second = {0, 1}}) == 4);
static_assert(paired("abcde", "bcd", {.mode = alignment_mode::local, .first = {1, 1}, .second = {1, 1}}) == 3);

TEST_CASE("sequence: empty ones, one that is all gap, and nothing worth aligning") {
  const sequence none, some{1, 2, 3};
  const table score{{{0, 0, 0, 0}, {0, 5, 0, 0}, {0, 0, 5, 0}, {0, 0, 0, 5}}};
  alignment_options o{.first = {4, 1}, .second = {2, 3}};
  CHECK(align(none, none, score, o).pairs.empty());
  CHECK(alignment_score(none, none, score, o) == 0);
  CHECK(alignment_score(some, none, score, o) == -7);
  CHECK(alignment_score(none, some, score, o) == -11);
  CHECK(align(some, none, score, o).pairs == pairs{{0, no_element}, {1, no_element}, {2, no_element}});
  CHECK(align(none, some, score, o).pairs == pairs{{no_element, 0}, {no_element, 1}, {no_element, 2}});
  o.mode = alignment_mode::semi_global;
  CHECK(alignment_score(some, none, score, o) == 0);
  o.mode = alignment_mode::local;
  const table bad{{{-1, -1, -1, -1}, {-1, -1, -1, -1}, {-1, -1, -1, -1}, {-1, -1, -1, -1}}};
  const alignment nothing = align(some, some, bad, o);
  CHECK(nothing.score == 0);
  CHECK(nothing.pairs.empty());
  CHECK(nothing.first_begin == nothing.first_end);
}

TEST_CASE("sequence: a local alignment does not run on to the border of the matrix") {
  // A published subgraph aligner stops only there: the poor pairs in front would be taken along.
  const auto score = [](char a, char b) { return a == b ? 3 : -2; };
  const alignment x = align(std::string_view("xxabc"), std::string_view("yyabc"), score,
                            {.mode = alignment_mode::local, .first = {5, 1}, .second = {5, 1}});
  CHECK(x.score == 9);
  CHECK(x.pairs == pairs{{2, 2}, {3, 3}, {4, 4}});
}

TEST_CASE("sequence: a gap's cost is its own, however the path is found: one of three is cheaper than three of one") {
  // Greedy tracebacks that forget how long a gap was leave it early.
  const auto score = [](char a, char b) { return a == b ? 10 : forbidden_pair; };
  const alignment x =
      align(std::string_view("aXXXb"), std::string_view("ab"), score, {.first = {5, 0}, .second = {5, 0}});
  CHECK(x.score == 15);
  CHECK(x.pairs == pairs{{0, 0}, {1, no_element}, {2, no_element}, {3, no_element}, {4, 1}});
}
