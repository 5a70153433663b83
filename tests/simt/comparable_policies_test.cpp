// SPDX-License-Identifier: BSL-1.0
//
// Whether two policies are equal decides whether a livelock is proven, so it must be right in one direction and useful
// in the other. Right: what compares equal answers alike forever, given the same calls; tried on pairs of equal states
// that random runs come to. Useful: the same calls lead to equal states, whatever was before start(); and a run that
// goes round comes back to an equal state (progress_test.cpp).
#include "simt/policy_table.hpp"
#include <simtflow/io/dot.hpp>
#include <simtflow/testing/generate.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace simtflow;
using policy_table::about;
using policy_table::maker;
using policy_table::material;

namespace {

// Lanes at a barrier, and where they will go on.
struct parked_lanes {
  fragment at;
  std::vector<fragment> targets;
  friend bool operator==(const parked_lanes&, const parked_lanes&) = default;
};

// A policy with everything around it that calls depend on.
template <class Policy>
struct moment {
  Policy policy;
  std::vector<parked_lanes> parked{};
};

// One run: random targets, parks, releases and selections. Calls are drawn from `random` alone, so two runs that answer
// alike get the same calls.
template <class Policy>
class driver {
 public:
  driver(const csr_graph& g, testing::rng random) : graph_(&g), random_(random) {}

  // One call of next() and what follows; false at the end of the run.
  bool step(moment<Policy>& m) {
    if constexpr (requires { m.policy.select(0); })
      if (const std::size_t n = m.policy.num_ready(); n > 0 && random_.chance(30)) m.policy.select(random_.below(n));
    if constexpr (parking_policy<Policy>)
      if (!m.parked.empty() && random_.chance(20)) release(m, random_.below(m.parked.size()));
    const std::optional<fragment> f = m.policy.next();
    named.push_back(f ? *f : fragment{});
    if (!f) {
      if (m.parked.empty()) return false;
      if constexpr (parking_policy<Policy>) release(m, random_.below(m.parked.size()));
      return true;
    }
    const std::vector<fragment> out = targets(*f);
    if constexpr (parking_policy<Policy>) {
      if (random_.chance(15)) {
        m.policy.park(*f);
        m.parked.push_back({*f, out});
        return true;
      }
    }
    m.policy.advance(*f, std::span<const fragment>(out));
    return true;
  }

  std::vector<fragment> named;

 private:
  std::vector<fragment> targets(const fragment& f) {
    partition out;
    const auto successors = graph_->successors(f.block);
    const bool together = random_.chance(50);
    const std::uint64_t common = random_.below(1000);
    f.lanes.for_each([&](std::uint32_t l) {
      const std::uint64_t way = together ? common : random_.below(1000);
      if (successors.empty() || (graph_->is_exit(f.block) && way < 300)) return;
      out.go(successors[way % successors.size()], lane_mask::lane(l));
    });
    return {out.fragments().begin(), out.fragments().end()};
  }
  void release(moment<Policy>& m, std::size_t i) {
    const parked_lanes p = m.parked[i];
    m.parked.erase(m.parked.begin() + static_cast<std::ptrdiff_t>(i));
    lane_mask gone = p.at.lanes;
    for (const fragment& t : p.targets) gone -= t.lanes;
    if constexpr (policy_with_ended<Policy>)
      if (gone.any()) m.policy.ended(gone);
    for (const fragment& t : p.targets) m.policy.release(t);
  }

  const csr_graph* graph_;
  testing::rng random_;
};

struct tally {
  std::uint64_t equal = 0, different = 0;
};

struct comparer {
  about what;
  std::function<void(const material&, const csr_graph&, std::uint64_t seed, tally&)> run;
};

constexpr fragment all_lanes(const csr_graph& g) { return {g.entry(), lane_mask(0b1111)}; }

template <class Policy>
void compare_states(maker<Policy> make, const material& m, const csr_graph& g, std::uint64_t seed, tally& seen) {
  std::vector<moment<Policy>> states;
  Policy used = make(m);
  for (std::uint64_t run = 0; run < 4; ++run) {
    moment<Policy> fresh{make(m)};
    fresh.policy.start(all_lanes(g));
    used.start(all_lanes(g));
    REQUIRE(used == fresh.policy);  // start() forgets
    moment<Policy> again{used};
    driver<Policy> first(g, testing::rng(8 * seed + run)), second = first;
    for (int i = 0; i < 40; ++i) {
      states.push_back(fresh);
      const bool goes_on = first.step(fresh);
      REQUIRE(second.step(again) == goes_on);
      REQUIRE(again.policy == fresh.policy);  // the same calls, equal states
      if (!goes_on) break;
    }
    used = fresh.policy;
  }
  int tried = 0;
  for (std::size_t i = 0; i < states.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      if (!(states[i].policy == states[k].policy)) {
        ++seen.different;
        continue;
      }
      if (states[i].parked != states[k].parked || ++tried > 150) continue;
      ++seen.equal;
      for (std::uint64_t way = 0; way < 3; ++way) {
        moment<Policy> a = states[i], b = states[k];
        driver<Policy> left(g, testing::rng(testing::mix_bits((seed << 32) + 1000 * (i << 8) + 8 * k + way))),
            right = left;
        for (int n = 0; n < 25; ++n) {
          const bool goes_on = left.step(a);
          REQUIRE(right.step(b) == goes_on);
          REQUIRE(left.named.back() == right.named.back());
          if (!goes_on) break;
        }
      }
    }
}

}  // namespace

TEST_CASE("comparable_policies: equal states answer alike forever, and the same calls make equal states") {
  std::vector<comparer> all;
  policy_table::each_policy([&]<class Policy>(const about& what, maker<Policy> make) {
    all.push_back({what, [make](const material& m, const csr_graph& g, std::uint64_t seed, tally& seen) {
                     compare_states(make, m, g, seed, seen);
                   }});
  });
  std::vector<tally> seen(all.size());
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    testing::rng random(seed);
    csr_graph g;
    if (random.chance(40)) {
      g = testing::random_structured_program(random, {.statements = random.between(1, 4), .max_depth = 2}).graph;
    } else {
      testing::cfg_options options;
      options.blocks = random.between(2, 5);
      options.max_successors = random.between(2, 3);
      options.exits = random.between(1, 2);
      options.terminating = true;
      g = testing::random_cfg(random, options);
    }
    const material m(g, static_cast<std::uint32_t>(random.between(2, 4)));
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (m.code.empty() && all[i].what.is(policy_table::structured_only)) continue;
      CAPTURE(std::string(all[i].what.name));
      INFO("seed " << seed << "\n" << to_dot(g));
      all[i].run(m, g, seed, seen[i]);
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(std::string(all[i].what.name));
    CHECK(seen[i].equal > 300);
    CHECK(seen[i].different > 300);
  }
}

TEST_CASE("comparable_policies: what is rare in random runs, by hand") {
  const auto at = [](block_id b, std::uint64_t lanes) { return fragment{b, lane_mask(lanes)}; };
  const auto step = [](auto& p, const fragment& runs, const std::vector<fragment>& out) {
    REQUIRE(p.next() == runs);
    p.advance(runs, std::span<const fragment>(out));
  };
  // A split that was chosen.
  const block_id ipdom[] = {3, 3, 3, no_block};
  policies::multi_path p{std::span<const block_id>(ipdom)};
  p.start(at(0, 0b11));
  step(p, at(0, 0b11), {at(1, 0b01), at(2, 0b10)});
  policies::multi_path q = p;
  CHECK(q == p);
  q.select(0);
  CHECK_FALSE(q == p);
  CHECK_FALSE(q.next() == p.next());

  // The same pool, but the majority that runs until it is exhausted is another.
  policies::dynamic_warps a(policies::dynamic_warp_options{.lanes = {.width = 1}}), b = a;
  a.start(at(0, 0b11));
  step(a, at(0, 0b01), {at(0, 0b01)});
  step(a, at(0, 0b10), {at(1, 0b10)});
  b.start(at(1, 0b11));
  step(b, at(1, 0b01), {at(0, 0b01)});
  step(b, at(1, 0b10), {at(1, 0b10)});
  CHECK_FALSE(a == b);
  CHECK(a.next() == at(0, 0b01));
  CHECK(b.next() == at(1, 0b10));
}
