// SPDX-License-Identifier: BSL-1.0
#include <simtflow/simt/mask.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <set>

using namespace simtflow;

// The oracle: a std::set of lanes.
template <std::size_t Words>
static void against_sets() {
  using mask = basic_mask<Words>;
  std::uint64_t state = 0x9E3779B97F4A7C15U + Words;
  const auto random = [&state] {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
  };
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    mask a, b;
    std::set<std::uint32_t> sa, sb;
    for (std::uint64_t n = random() % 40; n > 0; --n) {
      const auto x = static_cast<std::uint32_t>(random() % mask::capacity);
      const auto y = static_cast<std::uint32_t>(random() % mask::capacity);
      a.set(x);
      sa.insert(x);
      b.set(y);
      sb.insert(y);
    }
    REQUIRE(a.count() == sa.size());
    REQUIRE(a.any() == !sa.empty());
    REQUIRE(a.none() == sa.empty());
    REQUIRE(a.first() == (sa.empty() ? mask::capacity : *sa.begin()));
    std::set<std::uint32_t> walked;
    std::uint32_t last = 0;
    a.for_each([&](std::uint32_t lane) {
      REQUIRE((walked.empty() || lane > last));
      last = lane;
      walked.insert(lane);
    });
    REQUIRE(walked == sa);
    bool subset = true;
    for (std::uint32_t lane = 0; lane < mask::capacity + 3; ++lane) {
      const bool in_a = sa.count(lane) != 0, in_b = sb.count(lane) != 0;
      REQUIRE(a.test(lane) == in_a);
      REQUIRE((a | b).test(lane) == (in_a || in_b));
      REQUIRE((a & b).test(lane) == (in_a && in_b));
      REQUIRE((a - b).test(lane) == (in_a && !in_b));
      if (in_a && !in_b) subset = false;
    }
    REQUIRE(a.is_subset_of(b) == subset);
    REQUIRE((a == b) == (sa == sb));
    mask words;
    for (std::size_t w = 0; w < Words; ++w) words.add_word(w, a.word(w));
    REQUIRE(words == a);
    for (std::size_t w = 0; w < Words; ++w) words.add_word(w, b.word(w));
    REQUIRE(words == (a | b));
  }
  for (std::uint32_t n = 0; n <= mask::capacity; ++n) {
    const mask m = mask::first_lanes(n);
    REQUIRE(m.count() == n);
    REQUIRE(m.first() == (n == 0 ? mask::capacity : 0));
    REQUIRE(!m.test(n));
  }
}

TEST_CASE("masks agree with sets of lanes") {
  against_sets<1>();
  against_sets<2>();
  against_sets<16>();
}

TEST_CASE("masks work in constant expressions") {
  static_assert(lane_mask(0b1011).count() == 3);
  static_assert(lane_mask::first_lanes(64).count() == 64);
  static_assert(basic_mask<3>::lane(130).first() == 130);
  static_assert(sizeof(lane_mask) == sizeof(std::uint64_t));
}
