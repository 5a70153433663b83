// SPDX-License-Identifier: BSL-1.0
//
// The coalescer against sets and maps, and bank conflicts of strides in cycles.
#include "memory_support.hpp"
#include "support/long_run.hpp"
#include <simtflow/testing/random.hpp>
#include <simtflow/timing/coalescer.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <vector>

namespace {

using namespace memory_support;
using simtflow::testing::rng;
using timing::coalescer;
using timing::line_access;

access lanes(access_kind kind, address_space where, std::uint32_t bytes, const std::vector<std::uint64_t>& addresses) {
  return {where, kind, false, bytes, addresses};
}

std::vector<std::uint64_t> strided(std::uint64_t stride, std::uint64_t first = 0) {
  std::vector<std::uint64_t> a;
  for (std::uint64_t lane = 0; lane < 32; ++lane) a.push_back(first + lane * stride);
  return a;
}

TEST_CASE("a stride of s words takes gcd(s, banks) passes, and that many cycles") {
  const machine m = plain_machine();
  for (std::uint64_t s = 1; s <= 64; ++s) {
    CAPTURE(s);
    const cycle passes = std::gcd(s, std::uint64_t{32});
    const std::vector<std::uint64_t> a = strided(4 * s);
    const access load = lanes(access_kind::load, address_space::shared, 4, a);
    device d(m);
    CHECK(d.issue(1, {load}) == 0);
    CHECK(d.wait(1) == passes - 1 + m.shared.latency);
    CHECK(d.units[0].blocked(passes - 1) == timing::stall_cause::bank_conflict);
    CHECK(d.units[0].blocked(passes) == timing::stall_cause::none);
    CHECK(d.issue(2, {load}) == passes);  // the unit takes the next instruction after the last pass
    const timing::core_memory_counts c = d.units[0].counts();
    CHECK(c.shared_passes == 2 * passes);
    CHECK(c.stall_cycles[static_cast<std::size_t>(timing::stall_cause::bank_conflict)] == 2 * (passes - 1));
    device stores(m);
    const access store = lanes(access_kind::store, address_space::shared, 4, a);
    stores.issue(1, {store});
    CHECK(stores.wait(1) == passes - 1);
  }
}

TEST_CASE("lanes that read one word share it; atomic operations on one word do not") {
  coalescer c(32);
  const timing::shared_parameters shared;
  const std::vector<std::uint64_t> same(32, 64);
  CHECK(c.shared_passes(lanes(access_kind::load, address_space::shared, 4, same), shared) == 1);
  CHECK(c.shared_passes(lanes(access_kind::store, address_space::shared, 4, same), shared) == 1);
  CHECK(c.shared_passes(lanes(access_kind::atomic, address_space::shared, 4, same), shared) == 32);
  CHECK(c.shared_passes(lanes(access_kind::load, address_space::shared, 8, strided(8)), shared) == 2);
  CHECK(c.shared_passes(lanes(access_kind::load, address_space::shared, 16, strided(16)), shared) == 4);
  CHECK(c.shared_passes(lanes(access_kind::load, address_space::shared, 1, strided(1)), shared) == 1);
}

TEST_CASE("lines, sectors and whole sectors of random accesses") {
  for (std::uint64_t seed = 1; seed <= simtflow_tests::times(2000); ++seed) {
    CAPTURE(seed);
    rng r(seed);
    const std::uint32_t sector = 1U << r.between(2, 5);
    const std::uint32_t line = sector << r.between(0, 5);
    const std::uint32_t bytes = 1U << r.below(5);
    const access_kind kind = r.chance(50) ? access_kind::load : access_kind::store;
    std::vector<std::uint64_t> a;
    const std::uint64_t spread = 1U << r.between(3, 14);
    for (std::size_t n = r.between(1, 32); n > 0; --n)
      a.push_back(r.chance(80) ? r.below(spread) / bytes * bytes : r.below(spread));
    std::map<std::uint64_t, std::set<std::uint64_t>> touched;  // bytes by line
    for (const std::uint64_t at : a)
      for (std::uint64_t b = at; b < at + bytes; ++b) touched[b / line * line].insert(b);
    coalescer c(sector);
    const auto got = c.lines(lanes(kind, address_space::global, bytes, a), line);
    REQUIRE(got.size() == touched.size());
    std::set<std::uint64_t> seen;
    for (const line_access& l : got) {
      CHECK(seen.insert(l.address).second);
      REQUIRE(touched.contains(l.address));
      std::map<std::uint64_t, std::uint32_t> by_sector;
      for (const std::uint64_t b : touched[l.address]) ++by_sector[(b - l.address) / sector];
      std::uint32_t sectors = 0;
      std::uint32_t whole = 0;
      for (const auto& [s, n] : by_sector) {
        sectors |= 1U << s;
        if (n == sector) whole |= 1U << s;
      }
      CHECK(l.sectors == sectors);
      CHECK(l.whole == (kind == access_kind::store ? whole : 0));
    }
  }
}

TEST_CASE("atomic operations: lanes of one line share an access unless they touch the same word") {
  for (std::uint64_t seed = 1; seed <= simtflow_tests::times(500); ++seed) {
    CAPTURE(seed);
    rng r(seed);
    std::vector<std::uint64_t> a;
    const std::size_t words = r.between(1, 128);
    for (std::size_t n = r.between(1, 32); n > 0; --n) a.push_back(4 * r.below(words));
    std::map<std::uint64_t, std::uint64_t> lanes_of;
    for (const std::uint64_t at : a) ++lanes_of[at];
    std::map<std::uint64_t, std::uint64_t> accesses;  // by line: as many as its busiest word has lanes
    for (const auto& [at, n] : lanes_of) accesses[at / 128] = std::max(accesses[at / 128], n);
    std::uint64_t expected = 0;
    for (const auto& [l, n] : accesses) expected += n;
    coalescer c(32);
    CHECK(c.lines(lanes(access_kind::atomic, address_space::global, 4, a), 128).size() == expected);
  }
}

TEST_CASE("passes over shared memory of random accesses") {
  for (std::uint64_t seed = 1; seed <= simtflow_tests::times(1000); ++seed) {
    CAPTURE(seed);
    rng r(seed);
    const timing::shared_parameters shared{static_cast<std::uint32_t>(r.between(1, 40)), 1U << r.between(2, 3), 1};
    const std::uint32_t bytes = 1U << r.below(5);
    std::vector<std::uint64_t> a;
    for (std::size_t n = r.between(1, 32); n > 0; --n) a.push_back(r.below(4096) / bytes * bytes);
    std::map<std::uint64_t, std::set<std::uint64_t>> words;
    for (const std::uint64_t at : a)
      for (std::uint64_t b = at; b < at + bytes; ++b)
        words[b / shared.bank_bytes % shared.banks].insert(b / shared.bank_bytes);
    std::size_t most = 1;
    for (const auto& [bank, of] : words) most = std::max(most, of.size());
    coalescer c(32);
    CHECK(c.shared_passes(lanes(access_kind::load, address_space::shared, bytes, a), shared) == most);
  }
}

TEST_CASE("constants: one access for each distinct address, a cycle each") {
  const machine m = plain_machine();
  device d(m);
  d.units[0].warm(address_space::constant, 0, 1024);
  for (std::uint64_t distinct = 1; distinct <= 32; ++distinct) {
    CAPTURE(distinct);
    std::vector<std::uint64_t> a;
    for (std::uint64_t lane = 0; lane < 32; ++lane) a.push_back(4 * (lane % distinct));
    const access load = lanes(access_kind::load, address_space::constant, 4, a);
    CHECK(d.latency({load}) == distinct - 1 + m.constant.latency);
  }
  CHECK(d.units[0].counts().constant.misses == 0);
  CHECK(d.memory.counts().requests == 0);
}

TEST_CASE("local memory: one variable of 32 threads is one line; threads do not share words") {
  machine m = plain_machine();
  m.core.cores = 2;
  m.core.max_threads = 64;
  std::vector<std::uint64_t> a;
  for (std::uint64_t thread = 0; thread < 32; ++thread) a.push_back((thread << 32) + 8);
  coalescer c(32);
  const access load = lanes(access_kind::load, address_space::local, 4, a);
  CHECK(c.local_lines(load, 128, {128, 64}, 32).size() == 1);
  CHECK(c.local_lines(lanes(access_kind::load, address_space::local, 16, a), 128, {128, 0}, 0).size() == 4);
  std::set<std::uint64_t> seen;
  for (std::uint64_t core = 0; core < 2; ++core)
    for (std::uint64_t thread = 0; thread < 64; ++thread)
      for (std::uint64_t word = 0; word < 10; ++word)
        CHECK(seen.insert(timing::local_layout{128, 64 * core}.address(thread, word)).second);
}

}  // namespace
