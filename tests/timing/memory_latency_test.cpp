// SPDX-License-Identifier: BSL-1.0
//
// Latencies of single accesses: each is the sum of the configured parts, added up by hand.
#include "memory_support.hpp"
#include <simtflow/timing/machines/gtx480.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace {

using namespace memory_support;

cycle load(device& d, std::uint64_t address) { return d.latency({one(access_kind::load, address)}); }

// Request of 8 bytes: 1 flit. Reply of 8 + 128 bytes: 5 flits of 32. Network 13 each way.
constexpr cycle to_l2 = 1 + 13;
constexpr cycle back = 5 + 13 + 17 + 19;  // partition and L2
constexpr cycle l1 = 7;
constexpr cycle burst = 2;         // 32 bytes at 16 a cycle
constexpr cycle data = 4 * burst;  // a line

TEST_CASE("a dependent chain of loads sees the sum of the parts of every level") {
  device d(plain_machine());
  CHECK(load(d, 0) == to_l2 + 8 + 5 + data + 23 + back + l1);  // closed row: tRCD + tCL + data + extra
  CHECK(load(d, 4) == l1);
  CHECK(load(d, 124) == l1);
  CHECK(load(d, 128) == to_l2 + 5 + data + 23 + back + l1);      // the open row
  CHECK(load(d, 2 * 256) == to_l2 + 5 + data + 23 + back + l1);  // the same row: channels alternate by 256 bytes
  CHECK(load(d, 256) == to_l2 + 8 + 5 + data + 23 + back + l1);  // the other channel
  const std::uint64_t row = 2 * 1024;                            // of device addresses in one row of one channel
  CHECK(load(d, row) == to_l2 + 8 + 5 + data + 23 + back + l1);  // the next bank
  CHECK(load(d, 4 * row) == to_l2 + 6 + 8 + 5 + data + 23 + back + l1);  // bank 0, another row: precharge first
}

TEST_CASE("a line that left the L1 comes from the L2") {
  device d(plain_machine());
  // 32 sets of 4 ways: five lines that are 4 KB apart share a set.
  for (std::uint64_t i = 0; i < 5; ++i) load(d, i * 4096);
  CHECK(load(d, 4 * 4096) == l1);
  CHECK(load(d, 0) == to_l2 + back + l1);
  const timing::memory_counts c = d.memory.counts();
  CHECK(c.l2.accesses == 6);
  CHECK(c.l2.misses == 5);
  CHECK(c.l2.hits == 1);
}

TEST_CASE("without an L1, without an L2") {
  machine m = plain_machine();
  m.l1.size = 0;
  device no_l1(m);
  load(no_l1, 0);
  CHECK(load(no_l1, 4) == to_l2 + 13 + 2 + 17 + 19 + l1);  // a sector of 32 bytes: 40 bytes are 2 flits
  m.l2.size = 0;
  device neither(m);
  CHECK(load(neither, 0) == to_l2 + 8 + 5 + burst + 23 + 2 + 13 + 17 + l1);
  CHECK(load(neither, 0) == to_l2 + 5 + burst + 23 + 2 + 13 + 17 + l1);
}

TEST_CASE("stores, atomic operations and volatile loads") {
  device d(plain_machine());
  const std::uint64_t a = 64;
  CHECK(load(d, a) > l1);
  CHECK(d.latency({one(access_kind::store, a)}) == 0);                                // leaves at once
  CHECK(load(d, a) == l1);                                                            // the L1 keeps the line
  CHECK(d.latency({one(access_kind::atomic, a)}) == 2 + 13 + 2 + 13 + 17 + 19 + l1);  // 8 + 32 bytes each way
  CHECK(load(d, a) == to_l2 + back + l1);                                             // the L1 lost it
  access v = one(access_kind::load, a);
  v.bypasses_l1 = true;
  CHECK(d.latency({v}) == to_l2 + 2 + 13 + 17 + 19 + l1);
  CHECK(load(d, a) == to_l2 + back + l1);
  CHECK(d.memory.counts().atomics == 1);
  CHECK(d.units[0].counts().l1.invalidations == 2);
}

TEST_CASE("a store can take its line out of the L1, a volatile access can find its line there") {
  machine m = plain_machine();
  m.coherence.stores = timing::store_kind::evict;
  device d(m);
  const std::uint64_t a = 64;
  CHECK(load(d, a) > l1);
  CHECK(d.latency({one(access_kind::store, a)}) == 0);
  CHECK(load(d, a) == to_l2 + back + l1);  // the line left the L1
  CHECK(load(d, a) == l1);
  CHECK(d.latency({one(access_kind::store, a + 128)}) == 0);  // another line
  CHECK(load(d, a) == l1);
  const auto local = [&](access_kind kind) { return d.latency({one(kind, a, address_space::local)}); };
  CHECK(local(access_kind::load) > l1);
  CHECK(local(access_kind::store) == 0);
  CHECK(local(access_kind::load) == l1);  // nobody else reads local memory: the line stays
  CHECK(d.units[0].counts().l1.invalidations == 1);

  const auto latency = [&](device& on, access_kind kind, bool is_volatile, bool bypasses) {
    access v = one(kind, a);
    v.is_volatile = is_volatile;
    v.bypasses_l1 = bypasses;
    return on.latency({v});
  };
  const cycle from_l2 = to_l2 + 2 + 13 + 17 + 19 + l1;  // a sector
  device bypasses(plain_machine());
  CHECK(load(bypasses, a) > l1);
  CHECK(latency(bypasses, access_kind::load, true, false) == from_l2);
  CHECK(load(bypasses, a) == to_l2 + back + l1);
  m.coherence = {timing::store_kind::update, timing::volatile_kind::l1, timing::copy_kind::dram};
  device caches(m);
  CHECK(load(caches, a) > l1);
  CHECK(latency(caches, access_kind::load, true, false) == l1);
  CHECK(latency(caches, access_kind::store, true, false) == 0);
  CHECK(latency(caches, access_kind::load, true, false) == l1);
  CHECK(latency(caches, access_kind::load, true, true) == from_l2);  // a cache operator that names the L2
  CHECK(load(caches, a) == to_l2 + back + l1);
}

TEST_CASE("a copy from the host leaves its last lines in the L2, as far as they fit") {
  machine m = plain_machine();  // two slices of 64 KB: 1024 lines
  m.l1.size = 0;
  const cycle hit = to_l2 + 2 + 13 + 17 + 19 + l1;
  const std::uint64_t all = 128 * 1024, line = 128;
  device small(m);
  small.memory.warm({1000, 4 * line});  // begins and ends within a line
  for (const std::uint64_t at : {std::uint64_t{1000}, 1000 + 4 * line - 4}) CHECK(load(small, at / 4 * 4) == hit);
  CHECK(load(small, 1000 / line * line - 4) > hit);
  CHECK(load(small, 1000 / line * line + 5 * line) > hit);
  CHECK(small.memory.counts().l2.accesses == 4);

  device large(m);
  large.memory.warm({0, 2 * all});
  for (std::uint64_t at = 2 * all; at > all; at -= line) CHECK(load(large, at - line) == hit);
  CHECK(load(large, all - line) > hit);
  CHECK(large.memory.counts().l2.misses == 1);
  large.drain();
  CHECK(large.memory.counts().bytes_to_dram == 0);  // the lines are clean

  device ordered(m);  // the last copies stay, whatever their addresses; a copy again makes a line young
  for (const std::uint64_t half : {4U, 1U, 0U, 1U, 3U}) ordered.memory.warm({half * all / 2, all / 2});
  CHECK(load(ordered, all / 2) == hit);
  CHECK(load(ordered, 3 * all / 2) == hit);
  CHECK(load(ordered, 0) > hit);
  CHECK(load(ordered, 2 * all + line) > hit);

  m.l2.size = 0;
  device none(m);
  none.memory.warm({0, all});
  CHECK(load(none, 0) > hit - 19);
}

TEST_CASE("instructions: a line is asked for once, and is there for every warp when it has come") {
  machine m = plain_machine();
  device d(m);
  CHECK(d.units[0].fetch(0, 1 << 20, d.memory));  // without a cache every fetch hits
  m.instruction = {512, 128, 0, 2, 0, 2, 8, 4, 0};
  device cold(m);
  timing::load_store_unit& unit = cold.units[0];
  const auto arrives = [&](std::uint64_t address) {
    const cycle start = cold.now;
    CHECK_FALSE(unit.fetch(cold.now, address, cold.memory));
    CHECK_FALSE(unit.fetch(cold.now, address + 8, cold.memory));
    CHECK_FALSE(unit.idle());
    while (!unit.fetch(cold.now, address, cold.memory)) {
      REQUIRE(cold.next() != timing::never);
      cold.advance(cold.next());
    }
    CHECK(unit.idle());
    return cold.now - start;
  };
  CHECK(arrives(0) == to_l2 + 8 + 5 + data + 23 + back);
  CHECK(unit.fetch(cold.now, 120, cold.memory));
  CHECK(arrives(128) == to_l2 + 5 + data + 23 + back);
  CHECK(arrives(1024) > to_l2 + back);  // two lines of the set of line 0: it leaves the cache
  CHECK(arrives(2048) > to_l2 + back);
  CHECK(arrives(0) == to_l2 + back);  // from the L2
  CHECK(unit.counts().instruction.fills == 5);
  CHECK(cold.memory.counts().requests == 5);
}

TEST_CASE(
    "dirty lines of the L2 go to the DRAM when they lose their place; a part of a sector is fetched when it is read") {
  machine m = plain_machine();
  m.l1.size = 0;
  m.dram.channels = 1;
  m.l2 = {2 * 128, 128, 32, 2, 19, 32, 8, 8, 32};  // one set of two lines
  device d(m);
  std::vector<std::uint64_t> whole;  // a sector
  for (std::uint64_t lane = 0; lane < 8; ++lane) whole.push_back(lane * 4);
  d.latency({{address_space::global, access_kind::store, false, 4, whole}});
  d.latency({one(access_kind::store, 64)});  // 4 bytes of sector 2
  d.drain();
  CHECK(d.memory.counts().bytes_from_dram == 0);
  CHECK(load(d, 0) == to_l2 + 2 + 13 + 17 + 19 + l1);                        // the store left the whole sector
  CHECK(load(d, 64) == to_l2 + 8 + 5 + burst + 23 + 2 + 13 + 17 + 19 + l1);  // the rest of the sector from the DRAM
  CHECK(d.memory.counts().bytes_from_dram == 32);
  CHECK(d.memory.counts().bytes_to_dram == 0);
  load(d, 128);
  load(d, 256);  // the third line: line 0 leaves with two dirty sectors
  d.drain();
  CHECK(d.memory.counts().bytes_from_dram == 96);
  CHECK(d.memory.counts().bytes_to_dram == 64);
  CHECK(d.memory.counts().l2.write_backs == 2);
  CHECK(d.memory.idle());
}

TEST_CASE("gtx480: the plateaus of a pointer chase") {
  const machine m = timing::machines::gtx480();
  device d(m);
  // The reply of a line is 136 bytes, 4 flits of 40. The network takes 5 cycles, the partition 120, the L2 1, the L1
  // 35.
  const cycle from_l2 = 1 + 5 + 4 + 5 + 120 + 1 + 35;
  // tRCD 12, tCL 12, two bursts of 2: 28 DRAM cycles at 924 MHz are 22 core cycles at 700 MHz, rounded up; then 100.
  // The request meets an edge of the DRAM clock somewhat later.
  const cycle dram = load(d, 0) - from_l2;
  CHECK(dram >= 22 + 100);
  CHECK(dram <= 24 + 100);
  CHECK(load(d, 0) == 35);
  for (std::uint64_t i = 1; i <= 64; ++i) load(d, i * 4096);
  CHECK(load(d, 0) == from_l2);
  CHECK(from_l2 == 171);
  device warm(m);
  warm.memory.warm({0, 4096});
  CHECK(load(warm, 0) == from_l2);
}

TEST_CASE("clocks of their own: the parts are counted in their own cycles") {
  machine m = plain_machine();
  m.core.mhz = 2000;  // network, L2 and DRAM at half the core clock
  device d(m);
  // 23 is odd: the reply waits for a network edge
  CHECK(load(d, 0) == 2 * (to_l2 + 8 + 5 + data + back) + 23 + 1 + l1);
  CHECK(load(d, 128) == 2 * (to_l2 + 5 + data + back) + 23 + 1 + l1);
  CHECK(load(d, 0) == l1);
}

TEST_CASE("a machine without latencies answers in the cycle of the request") {
  machine m;
  m.l1.latency = 0;
  m.l2.latency = 0;
  device d(m);
  CHECK(load(d, 0) == 0);
  CHECK(load(d, 0) == 0);
  CHECK(d.now > 0);
  m.l1 = {1024, 128, 0, 2, 0, 4, 4, 4, 0};
  m.l2 = {4096, 128, 0, 2, 0, 4, 4, 4, timing::unlimited};
  device cached(m);
  for (std::uint64_t i = 0; i < 100; ++i) CHECK(load(cached, i * 64) == 0);
}

}  // namespace
