// SPDX-License-Identifier: BSL-1.0
//
// The ratio estimator: its example, the cases without knowledge, and its error against the spread over all samples of
// small populations.
#include <simtflow/advice/estimate.hpp>
#include <simtflow/testing/random.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

using namespace simtflow;
using advice::confidence;
using advice::estimate_ratio;

TEST_CASE("estimate: two of four thread blocks tell the ratio and how sure it is") {
  //! [estimate_ratio]
  const std::vector<std::uint64_t> before{100, 200}, after{50, 110};
  const advice::ratio_estimate e = estimate_ratio(before, after, 4);
  CHECK(e.ratio == doctest::Approx(160.0 / 300));
  CHECK(e.gain() == doctest::Approx(0.4667).epsilon(0.001));
  CHECK(e.error > 0);
  CHECK(estimate_ratio(before, after, 2).error == 0);  // nothing is left out
  //! [estimate_ratio]
  CHECK(e.known);
}

TEST_CASE("estimate: without work, or with one thread block of several, nothing is known") {
  CHECK_FALSE(estimate_ratio({}, {}, 0).known);
  CHECK_FALSE(estimate_ratio({}, {}, 5).known);
  const std::vector<std::uint64_t> none{0, 0}, one{7};
  CHECK_FALSE(estimate_ratio(none, none, 3).known);
  CHECK(estimate_ratio(none, none, 3).ratio == 1);
  CHECK_FALSE(estimate_ratio(one, one, 2).known);
  CHECK(estimate_ratio(one, one, 1).known);
  CHECK(advice::confidence_of(estimate_ratio(one, one, 2)) == confidence::low);
}

TEST_CASE("estimate: equal changes in every thread block leave no doubt") {
  const std::vector<std::uint64_t> before{10, 40, 90}, after{5, 20, 45};
  const advice::ratio_estimate e = estimate_ratio(before, after, 1000);
  CHECK(e.ratio == doctest::Approx(0.5));
  CHECK(e.error == doctest::Approx(0));
  CHECK(advice::confidence_of(e) == confidence::high);
  CHECK(advice::confidence_of({0.9, 0.03, true}) == confidence::medium);
  CHECK(advice::confidence_of({0.9, 0.2, true}) == confidence::low);
  CHECK(to_string(confidence::medium) == "medium");
}

TEST_CASE("estimate: twice the standard error holds the true ratio in most samples") {
  std::uint32_t held = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    testing::rng random(seed);
    constexpr std::size_t population = 60, sampled = 16;
    std::vector<std::uint64_t> before, after;
    double x = 0, y = 0;
    for (std::size_t i = 0; i < population; ++i) {
      before.push_back(100 + random.below(100));
      after.push_back(before.back() / 2 + random.below(60));
      x += static_cast<double>(before.back());
      y += static_cast<double>(after.back());
    }
    for (std::size_t i = 0; i < sampled; ++i) {  // the first ones of a shuffle
      const std::size_t k = i + random.below(population - i);
      std::swap(before[i], before[k]);
      std::swap(after[i], after[k]);
    }
    before.resize(sampled);
    after.resize(sampled);
    const advice::ratio_estimate e = estimate_ratio(before, after, population);
    held += std::abs(e.ratio - y / x) <= 2 * e.error ? 1 : 0;
    ++all;
  }
  CAPTURE(held);
  CHECK(held >= all * 9 / 10);  // 95 % for a normal distribution
  CHECK(held < all);            // an error that always holds the truth is too large
}
