// SPDX-License-Identifier: BSL-1.0
//
// Streams of whole lines, with one narrow part in an otherwise wide device: after the start every line takes exactly as
// many cycles as the narrow part needs for it.
#include "memory_support.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using namespace memory_support;

constexpr std::uint64_t line = 128;

machine wide(std::uint32_t cores) {
  machine m = plain_machine();
  m.core.cores = cores;
  m.l1.size = 0;
  m.network = {1000, 13, timing::unlimited, 8, timing::unlimited};
  m.partition = {1000, 1, 256, 17, timing::unlimited};
  m.l2 = {1024 * 1024, 128, 0, 8, 19, timing::unlimited, timing::unlimited, timing::unlimited, timing::unlimited};
  m.dram.channels = 1;
  m.dram.queue = 64;
  m.dram.bytes_per_cycle = timing::unlimited;
  m.dram.t_ccd = 0;
  return m;
}

// Cycles between the completions of line `from` and line `to` of a stream dealt out to all cores.
cycle stream(const machine& m, access_kind kind, std::size_t from, std::size_t to, bool warm) {
  device d(m);
  if (warm) d.memory.warm({0, (to + 1) * line});
  std::vector<cycle> when;
  std::size_t next = 0;
  const std::size_t cores = d.units.size();
  while (when.size() <= to + cores) {
    d.advance(d.now + 1);
    for (std::size_t c = 0; c < cores; ++c) {
      if (d.units[c].blocked(d.now) == timing::stall_cause::none && next <= to + 4 * cores) {
        std::vector<std::uint64_t> a;
        for (std::uint64_t lane = 0; lane < 32; ++lane) a.push_back(next * line + 4 * lane);
        d.issue(static_cast<std::uint32_t>(next++), {{address_space::global, kind, false, 4, a}}, c);
      }
      for (const timing::completion& x : d.done[c]) when.push_back(x.at);
      d.done[c].clear();
    }
  }
  std::sort(when.begin(), when.end());
  return when[to] - when[from];
}

TEST_CASE("the core's port: 136 bytes of a reply at 32 a cycle are 5 cycles") {
  machine m = wide(1);
  m.network.bytes_per_cycle = 32;
  CHECK(stream(m, access_kind::load, 100, 300, true) == 200 * 5);
  m.partition.slices = 4;
  CHECK(stream(m, access_kind::load, 100, 300, true) == 200 * 5);
  m.network.mhz = 500;  // the same in cycles of the network
  CHECK(stream(m, access_kind::load, 100, 300, true) == 200 * 10);
}

TEST_CASE(
    "the slice's port: four cores get one line in 5 cycles together, four slices serve each core at its own rate") {
  machine m = wide(4);
  m.network.bytes_per_cycle = 32;
  CHECK(stream(m, access_kind::load, 100, 300, true) == 200 * 5);
  m.partition.slices = 2;
  CHECK(stream(m, access_kind::load, 400, 800, true) == 400 * 5 / 2);
}

TEST_CASE("stores: 136 bytes of a request at 32 a cycle are 5 cycles") {
  machine m = wide(1);
  m.network = {1000, 13, 32, 8, 4};  // a finite queue: the unit waits for the port
  m.l1.miss_queue = 8;
  CHECK(stream(m, access_kind::store, 100, 300, true) == 200 * 5);
}

TEST_CASE("the L2: 128 bytes at 32 a cycle are 4 cycles; a line a cycle; two slices are twice as fast") {
  machine m = wide(4);
  m.l2.bytes_per_cycle = 32;
  CHECK(stream(m, access_kind::load, 100, 300, true) == 200 * 4);
  m.l2.bytes_per_cycle = 0;
  CHECK(stream(m, access_kind::load, 100, 300, true) == 200);
  m.l2.bytes_per_cycle = 32;
  m.partition.slices = 2;
  CHECK(stream(m, access_kind::load, 400, 800, true) == 400 * 4 / 2);
  m.partition.mhz = 500;
  CHECK(stream(m, access_kind::load, 400, 800, true) == 400 * 4);
}

TEST_CASE("the DRAM: 128 bytes at 16 a cycle are 8 cycles; activations hide while other banks transfer") {
  machine m = wide(2);
  m.dram.bytes_per_cycle = 16;
  m.dram.t_ccd = 2;
  CHECK(stream(m, access_kind::load, 200, 600, false) == 400 * 8);
  m.dram.channels = 2;
  CHECK(stream(m, access_kind::load, 200, 600, false) == 400 * 8 / 2);
  m.dram.channels = 1;
  m.dram.t_ccd = 5;  // four bursts of a line, 5 cycles apart
  CHECK(stream(m, access_kind::load, 200, 600, false) == 400 * 20);
}

TEST_CASE("MSHRs: n lines in flight are n lines in one latency") {
  for (const std::uint32_t n : {1U, 2U, 3U, 5U}) {
    CAPTURE(n);
    machine m = wide(1);
    m.l1 = {16 * 1024, 128, 0, 4, 7, n, 8, 8, 0};
    // The register is free with the reply, before the data has passed the L1: the L2's way, without l1.latency. The
    // retry of the access falls into the cycle of the reply.
    const cycle latency = 13 + 13 + 17 + 19;
    CHECK(stream(m, access_kind::load, 100, 100 + 30 * n, true) == 30 * latency);
  }
}

TEST_CASE("the L1: one line a cycle, and an instruction of 32 lines takes 32") {
  machine m = plain_machine();
  device d(m);
  std::vector<std::uint64_t> a;
  for (std::uint64_t lane = 0; lane < 32; ++lane) a.push_back(lane * line);
  const access load{address_space::global, access_kind::load, false, 4, a};
  d.latency({load});
  CHECK(d.latency({load}) == 31 + m.l1.latency);
  d.drain();
  const cycle t = d.issue(1, {load});
  CHECK(d.units[0].blocked(t + 1) == timing::stall_cause::coalescing);
  CHECK(d.issue(2, {load}) == t + 32);
  m.l1.bytes_per_cycle = 32;
  device narrow(m);
  const access whole{address_space::global, access_kind::load, false, 16, std::span(a).first(1)};
  narrow.latency({whole});
  CHECK(narrow.latency({whole}) == m.l1.latency);
}

TEST_CASE("back-pressure: a full partition shows as queue, a slow port as interconnect, a full file as mshr") {
  const auto stalls = [](const machine& m, access_kind kind) {
    device d(m);
    for (std::uint32_t i = 0; i < 300; ++i) {
      std::vector<std::uint64_t> a;
      for (std::uint64_t lane = 0; lane < 32; ++lane) a.push_back((std::uint64_t{i} * 32 + lane) * 4096);
      d.issue(i, {{address_space::global, kind, false, 4, a}});
    }
    d.drain();
    CHECK(d.memory.idle());
    const timing::core_memory_counts c = d.units[0].counts();
    std::size_t most = 1;
    for (std::size_t k = 1; k < timing::num_stall_causes; ++k)
      if (c.stall_cycles[k] > c.stall_cycles[most]) most = k;
    return static_cast<timing::stall_cause>(most);
  };
  machine m = plain_machine();
  m.l1.mshrs = 2;
  CHECK(stalls(m, access_kind::load) == timing::stall_cause::mshr);
  m = plain_machine();  // row misses in every bank: the DRAM is slow, its queues fill
  CHECK(stalls(m, access_kind::store) == timing::stall_cause::queue);
  m = wide(1);
  m.network.bytes_per_cycle = 4;
  m.network.queue = 4;
  m.l1.miss_queue = 4;
  CHECK(stalls(m, access_kind::store) == timing::stall_cause::interconnect);
}

}  // namespace
