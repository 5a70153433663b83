// SPDX-License-Identifier: BSL-1.0
//
// The cache against a model of lists: a list for each set, most recently used line first.
#include "support/long_run.hpp"
#include <simtflow/testing/random.hpp>
#include <simtflow/timing/cache.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace timing = simtflow::timing;
using simtflow::testing::rng;
using timing::cache;
using timing::cache_parameters;
using timing::lookup;
using timing::lookup_outcome;

struct model_line {
  std::uint64_t number;
  std::uint32_t valid = 0, dirty = 0, pending = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> waiting;  // who, what it lacks
};

struct model {
  explicit model(const cache_parameters& parameters) : p(parameters), sets(p.size / p.line / p.ways) {}
  using list = std::list<model_line>;

  list::iterator find(std::uint64_t number) {
    list& l = sets[number % sets.size()];
    return std::find_if(l.begin(), l.end(), [&](const model_line& x) { return x.number == number; });
  }
  bool has(std::uint64_t number) { return find(number) != sets[number % sets.size()].end(); }
  void front(std::uint64_t number) {
    list& l = sets[number % sets.size()];
    l.splice(l.begin(), l, find(number));
  }
  std::size_t under_way() const {
    std::size_t n = 0;
    for (const list& l : sets)
      n += static_cast<std::size_t>(
          std::count_if(l.begin(), l.end(), [](const model_line& x) { return x.pending != 0; }));
    return n;
  }
  // Makes room: the oldest line that is not under way goes.
  lookup_outcome insert(std::uint64_t number, std::uint32_t places, std::uint32_t more, lookup& a) {
    list& l = sets[number % sets.size()];
    if (l.size() == p.ways) {
      auto victim = std::find_if(l.rbegin(), l.rend(), [](const model_line& x) { return x.pending == 0; });
      if (victim == l.rend()) return lookup_outcome::no_mshr;
      if (places < more + (victim->dirty != 0 ? 1U : 0U)) return lookup_outcome::no_place;
      a.dirty = victim->dirty;
      a.victim = victim->number;
      l.erase(std::next(victim).base());
    } else if (places < more) {
      return lookup_outcome::no_place;
    }
    l.push_front({number, 0, 0, 0, {}});
    return lookup_outcome::hit;
  }
  lookup load(std::uint64_t number, std::uint32_t need, std::uint32_t who, std::uint32_t places, bool writes) {
    lookup a;
    if (has(number)) {
      const model_line& x = *find(number);
      const std::uint32_t lacks = need & ~x.valid;
      if (lacks != 0) {
        if (x.pending == 0 ? under_way() >= p.mshrs : x.waiting.size() >= p.merges) return {lookup_outcome::no_mshr};
        if ((lacks & ~x.pending) != 0 && places == 0) return {lookup_outcome::no_place};
      }
    } else {
      if (under_way() >= p.mshrs) return {lookup_outcome::no_mshr};
      a.outcome = insert(number, places, 1, a);
      if (a.outcome != lookup_outcome::hit) return a;
    }
    front(number);
    model_line& x = *find(number);
    if (writes) x.dirty |= need;
    const std::uint32_t lacks = need & ~x.valid;
    if (lacks == 0) return a;
    a.fetch = lacks & ~x.pending;
    a.outcome = a.fetch != 0 ? lookup_outcome::miss : lookup_outcome::merge;
    x.pending |= a.fetch;
    x.waiting.push_back({who, lacks});
    return a;
  }
  lookup store_back(std::uint64_t number, std::uint32_t whole, std::uint32_t part, std::uint32_t places) {
    lookup a;
    if (!has(number)) {
      a.outcome = insert(number, places, 0, a);
      if (a.outcome != lookup_outcome::hit) return a;
    }
    front(number);
    model_line& x = *find(number);
    if (((whole | part) & ~x.valid) != 0) a.outcome = lookup_outcome::miss;
    x.valid |= whole;
    x.dirty |= whole | part;
    return a;
  }
  std::vector<std::uint32_t> fill(std::uint64_t number, std::uint32_t sectors) {
    model_line& x = *find(number);
    x.valid |= sectors;
    x.pending &= ~sectors;
    std::vector<std::uint32_t> out;
    for (auto w = x.waiting.begin(); w != x.waiting.end();) {
      w->second &= ~sectors;
      if (w->second != 0) {
        ++w;
      } else {
        out.push_back(w->first);
        w = x.waiting.erase(w);
      }
    }
    return out;
  }

  cache_parameters p;
  std::vector<list> sets;
};

TEST_CASE("random loads, stores, fills and invalidations: the same as lists") {
  for (std::uint64_t seed = 1; seed <= simtflow_tests::times(400); ++seed) {
    CAPTURE(seed);
    rng r(seed);
    cache_parameters p;
    p.line = 128;
    p.sector = r.chance(50) ? 0 : 32;
    p.ways = static_cast<std::uint32_t>(r.between(1, r.chance(10) ? 64 : 12));
    const std::uint32_t sets = static_cast<std::uint32_t>(r.between(1, 9));
    p.size = sets * p.ways * p.line;
    p.mshrs = static_cast<std::uint32_t>(r.between(1, 6));
    p.merges = static_cast<std::uint32_t>(r.between(1, 3));
    const bool write_back = r.chance(50);
    cache c(p);
    model naive(p);
    struct fetch {
      std::uint64_t number;
      std::uint32_t line, sectors;
    };
    std::vector<fetch> fetches;
    std::uint64_t asked = 0, answered = 0;
    const std::size_t lines = sets * p.ways + r.between(1, 20);
    for (int step = 0; step < 400; ++step) {
      CAPTURE(step);
      const std::uint64_t number = r.below(lines);
      const std::uint32_t need = static_cast<std::uint32_t>(r.between(1, c.all_sectors()));
      const std::uint32_t places = static_cast<std::uint32_t>(r.below(4));
      const std::size_t what = r.below(10);
      if (what < 5) {
        const std::uint32_t who = static_cast<std::uint32_t>(step);
        const bool writes = write_back && r.chance(10);
        const lookup got = c.load(number, need, who, places, writes);
        const lookup want = naive.load(number, need, who, places, writes);
        REQUIRE(got.outcome == want.outcome);
        REQUIRE(got.fetch == want.fetch);
        REQUIRE(got.dirty == want.dirty);
        if (got.dirty != 0) REQUIRE(got.victim == want.victim);
        if (got.fetch != 0) fetches.push_back({number, got.line, got.fetch});
        if (got.outcome == lookup_outcome::miss || got.outcome == lookup_outcome::merge) ++asked;
      } else if (what < 7) {
        if (write_back) {
          const std::uint32_t whole = static_cast<std::uint32_t>(r.next()) & need;
          const lookup got = c.store_back(number, whole, need & ~whole, places);
          const lookup want = naive.store_back(number, whole, need & ~whole, places);
          REQUIRE(got.outcome == want.outcome);
          REQUIRE(got.dirty == want.dirty);
          if (got.dirty != 0) REQUIRE(got.victim == want.victim);
        } else {
          const bool there = naive.has(number) && (naive.find(number)->valid & need) != 0;
          const bool hit = there && (need & ~naive.find(number)->valid) == 0;
          REQUIRE((c.store_through(number, need) == lookup_outcome::hit) == hit);
          if (there) naive.front(number);
        }
      } else if (what == 7 && !write_back) {
        c.invalidate(number);
        if (naive.has(number)) {
          naive.find(number)->valid = 0;
          if (naive.find(number)->pending == 0) naive.sets[number % sets].erase(naive.find(number));
        }
      } else if (!fetches.empty()) {
        const std::size_t at = r.below(fetches.size());
        const fetch f = fetches[at];
        fetches.erase(fetches.begin() + static_cast<std::ptrdiff_t>(at));
        std::vector<std::uint32_t> got;
        c.fill(f.line, f.sectors, [&](std::uint32_t who) { got.push_back(who); });
        REQUIRE(got == naive.fill(f.number, f.sectors));
        answered += got.size();
      }
      REQUIRE(c.under_way() == naive.under_way());
    }
    for (const fetch& f : fetches) c.fill(f.line, f.sectors, [&](std::uint32_t) { ++answered; });
    CHECK(asked == answered);
    const timing::cache_counts n = c.counts();
    CHECK(n.accesses == n.hits + n.merges + n.misses);
  }
}

TEST_CASE("registers: merges up to the limit, then none; a full file refuses other lines and lets hits pass") {
  cache_parameters p{4096, 128, 0, 4, 1, 2, 3, 8, 0};
  cache c(p);
  const lookup first = c.load(1, 1, 10, 1);
  CHECK(first.outcome == lookup_outcome::miss);
  CHECK(c.load(1, 1, 11, 0).outcome == lookup_outcome::merge);  // sends nothing, needs no place
  CHECK(c.load(1, 1, 12, 0).outcome == lookup_outcome::merge);
  CHECK(c.load(1, 1, 13, 1).outcome == lookup_outcome::no_mshr);
  const lookup second = c.load(2, 1, 20, 1);
  CHECK(second.outcome == lookup_outcome::miss);
  CHECK(c.load(3, 1, 30, 1).outcome == lookup_outcome::no_mshr);
  std::vector<std::uint32_t> who;
  c.fill(first.line, 1, [&](std::uint32_t w) { who.push_back(w); });
  CHECK(who == std::vector<std::uint32_t>{10, 11, 12});
  CHECK(c.load(1, 1, 14, 0).outcome == lookup_outcome::hit);
  CHECK(c.load(3, 1, 30, 0).outcome == lookup_outcome::no_place);
  CHECK(c.load(3, 1, 30, 1).outcome == lookup_outcome::miss);
}

TEST_CASE("sectors: a line that is there can lack some; each is fetched once") {
  cache_parameters p{4096, 128, 32, 4, 1, 8, 8, 8, 0};
  cache c(p);
  const lookup a = c.load(5, 0b0001, 1, 1);
  CHECK(a.fetch == 0b0001);
  const lookup b = c.load(5, 0b0011, 2, 1);  // waits for both, fetches the second
  CHECK(b.outcome == lookup_outcome::miss);
  CHECK(b.fetch == 0b0010);
  std::vector<std::uint32_t> who;
  c.fill(a.line, 0b0001, [&](std::uint32_t w) { who.push_back(w); });
  CHECK(who == std::vector<std::uint32_t>{1});
  c.fill(b.line, 0b0010, [&](std::uint32_t w) { who.push_back(w); });
  CHECK(who == std::vector<std::uint32_t>{1, 2});
  CHECK(c.counts().misses == 2);
  CHECK(c.counts().merges == 1);
  CHECK(c.counts().sector_misses == 1);
}

TEST_CASE("write-back: dirty sectors leave with their line; a sector written in part is fetched when it is read") {
  cache_parameters p{256, 128, 32, 2, 1, 8, 8, 8, 0};  // one set of two lines
  cache c(p);
  CHECK(c.store_back(1, 0b0001, 0b0100, 0).outcome == lookup_outcome::miss);
  CHECK(c.load(1, 0b0001, 1, 0).outcome == lookup_outcome::hit);
  const lookup part = c.load(1, 0b0100, 2, 1);
  CHECK(part.fetch == 0b0100);
  c.fill(part.line, 0b0100, [](std::uint32_t) {});
  CHECK(c.store_back(2, 0b1111, 0, 0).dirty == 0);
  CHECK(c.store_back(3, 0b0001, 0, 0).outcome == lookup_outcome::no_place);  // line 1 has to be written back first
  const lookup out = c.store_back(3, 0b0001, 0, 1);
  CHECK(out.victim == 1);
  CHECK(out.dirty == 0b0101);
  CHECK(c.counts().write_backs == 2);
}

}  // namespace
