// SPDX-License-Identifier: BSL-1.0
//
// Laws of the memory side on random machines and random instructions: every instruction ends once, bytes are conserved
// from level to level, and the way of driving does not matter.
#include "memory_support.hpp"
#include "support/long_run.hpp"
#include <simtflow/testing/random.hpp>
#include <simtflow/timing/detail/timer_wheel.hpp>
#include <simtflow/timing/machine_check.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace {

using namespace memory_support;
using simtflow::testing::rng;

std::uint32_t some(rng& r, std::uint32_t low, std::uint32_t high) {
  return static_cast<std::uint32_t>(r.between(low, high));
}
// A capacity, sometimes without a limit.
std::uint32_t capacity(rng& r, std::uint32_t high) { return r.chance(20) ? timing::unlimited : some(r, 1, high); }

timing::cache_parameters random_cache(rng& r) {
  timing::cache_parameters p;
  p.line = 32U << r.below(4);
  p.sector = r.chance(50) ? 0 : 32;
  p.ways = some(r, 1, 4);
  p.size = r.chance(15) ? 0 : p.line * p.ways * some(r, 1, 16);
  p.latency = some(r, 0, 20);
  p.mshrs = capacity(r, 8);
  p.merges = capacity(r, 4);
  p.miss_queue = capacity(r, 4);
  p.bytes_per_cycle = r.chance(50) ? 0 : 32;
  return p;
}

machine random_machine(rng& r) {
  machine m;
  m.core.cores = some(r, 1, 4);
  m.core.mhz = some(r, 1, 4) * 350;
  m.core.max_threads = 64;
  m.l1 = random_cache(r);
  m.constant = random_cache(r);
  m.texture = random_cache(r);
  m.l2 = random_cache(r);
  m.shared = {some(r, 1, 32), 4, some(r, 0, 9)};
  m.network = {some(r, 1, 4) * 350, some(r, 0, 9), r.chance(20) ? timing::unlimited : some(r, 4, 64), 8,
               capacity(r, 5)};
  m.partition = {some(r, 1, 4) * 350, some(r, 1, 3), m.l2.line * (1U << r.below(3)), some(r, 0, 30), capacity(r, 5)};
  m.dram.channels = some(r, 1, 3);
  m.dram.mhz = some(r, 1, 4) * 333;
  m.dram.queue = capacity(r, 6);
  m.dram.banks = some(r, 1, 6);
  m.dram.row_bytes = 1024;
  m.dram.bytes_per_cycle = r.chance(20) ? timing::unlimited : some(r, 4, 64);
  m.dram.burst_bytes = 16U << r.below(3);
  m.dram.latency = some(r, 0, 30);
  for (std::uint32_t* t : {&m.dram.t_cl, &m.dram.t_wl, &m.dram.t_rp, &m.dram.t_rcd, &m.dram.t_ras, &m.dram.t_rc,
                           &m.dram.t_rrd, &m.dram.t_ccd, &m.dram.t_cdlr, &m.dram.t_wr})
    *t = some(r, 0, 12);
  m.coherence.stores = r.chance(50) ? timing::store_kind::update : timing::store_kind::evict;
  m.coherence.volatiles = r.chance(50) ? timing::volatile_kind::l2 : timing::volatile_kind::l1;
  return m;
}

struct instruction {
  std::size_t core;
  cycle not_before;
  access what;
  std::vector<std::uint64_t> addresses;
};

std::vector<instruction> random_instructions(rng& r, const machine& m, bool loads_only) {
  std::vector<instruction> list;
  cycle at = 0;
  const std::uint64_t spread = 1U << r.between(8, 16);
  for (std::size_t n = r.between(1, 60); n > 0; --n) {
    at += r.below(2) * r.below(40);
    instruction i;
    i.core = r.below(m.core.cores);
    i.not_before = at;
    constexpr address_space spaces[] = {address_space::global,    address_space::global, address_space::global,
                                        address_space::local,     address_space::shared, address_space::constant,
                                        address_space::parameter, address_space::texture};
    i.what.where = spaces[r.below(8)];
    i.what.bytes = 1U << r.below(5);
    const bool plain = i.what.where == address_space::constant || i.what.where == address_space::parameter ||
                       i.what.where == address_space::texture;
    if (!plain && !loads_only)
      i.what.kind = r.chance(50) ? access_kind::load : r.chance(70) ? access_kind::store : access_kind::atomic;
    if (!loads_only) i.what.bypasses_l1 = r.chance(10);
    if (!loads_only) i.what.is_volatile = r.chance(10);
    const std::uint64_t first = r.below(spread);
    const bool linear = r.chance(50);
    for (std::uint64_t lane = r.between(1, 32); lane > 0; --lane) {
      std::uint64_t a = (linear ? first + lane * i.what.bytes : r.below(spread)) / i.what.bytes * i.what.bytes;
      if (i.what.where == address_space::local) a = a % 256 + (lane << 32);
      i.addresses.push_back(a);
    }
    list.push_back(std::move(i));
  }
  for (instruction& i : list) i.what.addresses = i.addresses;
  return list;
}

struct outcome {
  std::map<std::uint32_t, cycle> end;  // by token
  timing::memory_counts memory;
  timing::core_memory_counts cores;
  friend bool operator==(const outcome&, const outcome&) = default;
};

// Issues each core's instructions in order. `every_cycle`: no cycle and no unit is skipped.
outcome run(const machine& m, const std::vector<instruction>& list, bool every_cycle) {
  device d(m);
  d.all = every_cycle;
  outcome o;
  std::vector<std::size_t> next(m.core.cores, 0);
  std::size_t left = list.size();
  const auto skip = [&](std::size_t c) {
    while (next[c] < list.size() && list[next[c]].core != c) ++next[c];
    return next[c] < list.size();
  };
  cycle t = 0;
  for (std::size_t guard = 0;; ++guard) {
    REQUIRE(guard < 1'000'000);
    d.advance(t);
    cycle soon = timing::never;
    for (std::size_t c = 0; c < m.core.cores; ++c) {
      if (!skip(c)) continue;
      const instruction& i = list[next[c]];
      if (i.not_before <= t && d.units[c].blocked(t) == timing::stall_cause::none) {
        d.issue(static_cast<std::uint32_t>(next[c]), {i.what}, c);
        ++next[c];
        --left;
        if (skip(c)) soon = t + 1;
      } else if (i.not_before > t) {
        soon = std::min(soon, i.not_before);
      } else if (d.units[c].ready_at() != timing::never) {
        soon = std::min(soon, std::max(t + 1, d.units[c].ready_at()));
      }
    }
    for (auto& done : d.done) {
      for (const timing::completion& x : done) REQUIRE(o.end.emplace(x.token, x.at).second);  // once
      done.clear();
    }
    const cycle event = d.next();
    if (event == timing::never && left == 0) break;
    t = every_cycle ? t + 1 : std::min(soon, event);
    REQUIRE(t != timing::never);
  }
  CHECK(d.memory.idle());
  for (const auto& u : d.units) {
    CHECK(u.idle());
    o.cores += u.counts();
  }
  o.memory = d.memory.counts();
  return o;
}

TEST_CASE("every instruction ends once; bytes are conserved; skipping cycles changes nothing") {
  for (std::uint64_t seed = 1; seed <= simtflow_tests::times(600); ++seed) {
    CAPTURE(seed);
    rng r(seed);
    const machine m = random_machine(r);
    REQUIRE(timing::diagnose(m).empty());
    const bool loads_only = r.chance(50);
    const std::vector<instruction> list = random_instructions(r, m, loads_only);
    const outcome o = run(m, list, false);
    CHECK(o.end.size() == list.size());
    for (const auto& [token, at] : o.end) CHECK(at >= list[token].not_before);
    CHECK(o == run(m, list, false));
    CHECK(o == run(m, list, true));

    const timing::memory_counts& c = o.memory;
    for (const timing::cache_counts& k : {o.cores.l1, o.cores.constant, o.cores.texture, c.l2})
      CHECK(k.accesses == k.hits + k.merges + k.misses);
    const auto unit = [](const timing::cache_parameters& p) { return p.sector == 0 ? p.line : p.sector; };
    if (m.l2.size != 0) {
      CHECK(c.l2.fills * unit(m.l2) == c.bytes_from_dram);
      CHECK(c.l2.write_backs * unit(m.l2) == c.bytes_to_dram);
    }
    CHECK(c.row_hits + c.row_misses <= c.dram_reads + c.dram_writes);
    CHECK(c.activations >= c.row_misses);
    if (loads_only) {
      CHECK(c.requests == c.replies);
      CHECK(c.bytes_to_partitions == c.requests * m.network.header_bytes);
      const timing::core_memory_counts& k = o.cores;
      CHECK(k.l1.fills == k.l1.misses);
      CHECK(k.constant.fills == k.constant.misses);
      CHECK(k.texture.fills == k.texture.misses);
      CHECK(c.l2.fills == c.l2.misses);
      CHECK(c.l2.write_backs == 0);
      if (m.l1.size != 0 && m.constant.size != 0 && m.texture.size != 0)
        CHECK(k.l1.fills * unit(m.l1) + k.constant.fills * unit(m.constant) + k.texture.fills * unit(m.texture) ==
              c.bytes_to_cores - c.replies * m.network.header_bytes);
      if (m.l2.size == 0) CHECK(c.bytes_from_dram == c.bytes_to_cores - c.replies * m.network.header_bytes);
    }
  }
}

// A load is one request here. Several requests at a time can change places in the queues when one gets faster: less
// latency of one part can cost cycles then.
TEST_CASE("a single dependent stream: less latency or more bandwidth of one part never costs cycles") {
  for (std::uint64_t seed = 1; seed <= simtflow_tests::times(300); ++seed) {
    CAPTURE(seed);
    rng r(seed);
    machine m = random_machine(r);
    m.core.cores = 1;
    m.l1.line = 32;
    m.l1.sector = 0;
    m.l1.size = 32 * m.l1.ways * some(r, 0, 16);
    std::vector<std::uint64_t> chain;
    for (int i = 0; i < 40; ++i) chain.push_back(r.below(1U << 14) / 4 * 4);
    const auto length = [&](const machine& with) {
      device d(with);
      cycle t = 0;
      std::uint32_t token = 0;
      for (const std::uint64_t a : chain) {
        while (d.now < t) d.advance(std::min(t, d.next()));
        d.issue(++token, {one(access_kind::load, a)});
        t = d.wait(token);
      }
      return t;
    };
    const cycle before = length(m);
    std::uint32_t* const shorter[] = {&m.l1.latency,   &m.l2.latency, &m.network.latency, &m.partition.latency,
                                      &m.dram.latency, &m.dram.t_cl,  &m.dram.t_rcd,      &m.dram.t_rp,
                                      &m.dram.t_ras,   &m.dram.t_rc,  &m.dram.t_ccd};
    std::uint32_t* const wider[] = {&m.network.bytes_per_cycle, &m.dram.bytes_per_cycle};
    for (std::uint32_t* const p : shorter) {
      const std::uint32_t kept = *p;
      *p = kept / 2;
      CAPTURE(p - shorter[0]);
      CHECK(length(m) <= before);
      *p = kept;
    }
    for (std::uint32_t* const p : wider) {
      if (*p == timing::unlimited) continue;
      const std::uint32_t kept = *p;
      *p = kept * 2;
      CHECK(length(m) <= before);
      *p = kept;
    }
  }
}

TEST_CASE("timers are taken in the order of cycle and number, near and far") {
  for (std::uint64_t seed = 1; seed <= simtflow_tests::times(200); ++seed) {
    CAPTURE(seed);
    rng r(seed);
    const std::uint32_t timers = some(r, 1, 20);
    timing::detail::timer_wheel wheel(timers);
    std::map<std::uint32_t, cycle> naive;
    cycle now = 0;
    for (int step = 0; step < 200; ++step) {
      const std::uint32_t t = some(r, 0, timers - 1);
      const cycle at = now + r.below(r.chance(10) ? 5000 : 40);
      if (r.chance(50)) {
        wheel.set(t, at);
        naive[t] = at;
      } else {
        wheel.set_by(t, at);
        if (!naive.contains(t) || naive[t] > at) naive[t] = at;
      }
      if (r.chance(50)) continue;
      const cycle until = now + r.below(r.chance(10) ? 4000 : 30);
      for (;;) {
        std::pair<cycle, std::uint32_t> first{timing::never, timers};
        for (const auto& [n, when] : naive) first = std::min(first, {when, n});
        CHECK(wheel.next() <= first.first);
        cycle due = 0;
        const std::uint32_t got = wheel.take(until, due);
        if (first.first > until) {
          REQUIRE(got == timing::detail::timer_wheel::none);
          break;
        }
        REQUIRE(got == first.second);
        REQUIRE(due == first.first);
        naive.erase(got);
      }
      now = until;
    }
  }
}

}  // namespace
