// SPDX-License-Identifier: BSL-1.0
//
// The DRAM channel: sequences made by hand, and random requests against a controller that steps tick by tick and
// derives what is allowed from the list of all commands so far.
#include "support/long_run.hpp"
#include <simtflow/testing/random.hpp>
#include <simtflow/timing/dram.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace {

namespace timing = simtflow::timing;
using simtflow::testing::rng;
using timing::clock_ratio;
using timing::cycle;
using timing::dram_channel;
using timing::dram_parameters;

struct request {
  cycle at;
  std::uint64_t address;
  std::uint32_t bytes = 32;
  bool write = false;
};

dram_parameters plain() {
  dram_parameters p;
  p.banks = 4;
  p.row_bytes = 1024;
  p.bytes_per_cycle = 16;
  p.burst_bytes = 32;  // 2 ticks
  p.t_cl = 5;
  p.t_wl = 3;
  p.t_rp = 6;
  p.t_rcd = 8;
  p.t_ras = 20;
  p.t_rc = 26;
  p.t_rrd = 4;
  p.t_ccd = 2;
  p.t_cdlr = 2;
  p.t_wr = 9;
  return p;
}

// When each read has its data, by its place in the list; 0 for writes.
std::vector<cycle> run(const dram_parameters& p, const std::vector<request>& list,
                       timing::dram_counts* counts = nullptr, const clock_ratio& clock = {}) {
  dram_channel d(p, clock);
  std::vector<cycle> done(list.size(), 0);
  const auto take = [&] {
    while (!d.replies().empty()) {
      done[d.replies().front().id] = d.replies().front().at;
      d.replies().pop();
    }
  };
  for (std::size_t i = 0; i < list.size(); ++i) {
    while (d.next_event() < list[i].at) d.advance(d.next_event());
    d.push(list[i].at, list[i].address, list[i].bytes, list[i].write, static_cast<std::uint32_t>(i));
  }
  while (d.next_event() != timing::never) d.advance(d.next_event());
  take();
  CHECK(d.idle());
  if (counts != nullptr) *counts = d.counts();
  return done;
}

constexpr std::uint64_t row(std::uint64_t bank, std::uint64_t number) { return (number * 4 + bank) * 1024; }

TEST_CASE("row hits: one activation, then a burst every max(tCCD, burst)") {
  timing::dram_counts n;
  // Activation 10, read 18, data from 23 to 25; then a burst every 2.
  CHECK(run(plain(), {{10, 0}, {10, 32}, {10, 64}, {50, 96}}, &n) == std::vector<cycle>{25, 27, 29, 50 + 5 + 2});
  CHECK(n.activations == 1);
  CHECK(n.precharges == 0);
  CHECK(n.row_hits == 3);
  CHECK(n.row_misses == 1);
  dram_parameters slow = plain();
  slow.t_ccd = 7;
  CHECK(run(slow, {{10, 0}, {10, 32}, {10, 64}}) == std::vector<cycle>{25, 32, 39});
  CHECK(run(slow, {{10, 0, 96}}) == std::vector<cycle>{39});  // three bursts of one request
}

TEST_CASE("row misses of one bank: the row stays open for tRAS, activations are tRC apart") {
  timing::dram_counts n;
  // Activation 0, read 8, data 15. Precharge 20 (tRAS), activation 26 (tRC, tRP), read 34, data 41; and so on.
  CHECK(run(plain(), {{0, row(0, 0)}, {0, row(0, 1)}, {0, row(0, 2)}}, &n) == std::vector<cycle>{15, 41, 67});
  CHECK(n.activations == 3);
  CHECK(n.precharges == 2);
  CHECK(n.row_misses == 3);
  dram_parameters p = plain();
  p.t_rc = 40;
  CHECK(run(p, {{0, row(0, 0)}, {0, row(0, 1)}}) == std::vector<cycle>{15, 40 + 8 + 5 + 2});
  p = plain();
  p.t_ras = 5;  // the burst of the read ends later: read 8, precharge 10, activation 26 (tRC)
  p.t_rc = 5;
  CHECK(run(p, {{0, row(0, 0)}, {0, row(0, 1)}}) == std::vector<cycle>{15, 10 + 6 + 8 + 5 + 2});
}

TEST_CASE("banks work side by side: activations are tRRD apart, bursts share the bus") {
  // Activations 0, 4, 8, 12; reads 8, 12, 16, 20.
  CHECK(run(plain(), {{0, row(0, 0)}, {0, row(1, 0)}, {0, row(2, 0)}, {0, row(3, 0)}}) ==
        std::vector<cycle>{15, 19, 23, 27});
  dram_parameters p = plain();
  p.t_rrd = 1;  // activations 0 .. 3; the bus is the limit: reads 8, 10, 12, 14
  CHECK(run(p, {{0, row(0, 0)}, {0, row(1, 0)}, {0, row(2, 0)}, {0, row(3, 0)}}) == std::vector<cycle>{15, 17, 19, 21});
}

TEST_CASE("first ready, first come: a row hit overtakes an older row miss") {
  // Row 0 is open from 0 on. The miss asks at 9; hits at 10, 11 and 30 overtake it as long as tRAS keeps the row open.
  const std::vector<cycle> t = run(plain(), {{0, row(0, 0)}, {9, row(0, 1)}, {10, 32}, {11, 64}, {30, 96}});
  CHECK(t[2] == 10 + 7);
  CHECK(t[3] == 12 + 7);
  CHECK(t[1] == 20 + 6 + 8 + 7);           // precharge at 20
  CHECK(t[4] == 20 + 6 + 20 + 6 + 8 + 7);  // came too late: the row was closed; it is opened again
}

TEST_CASE("turning the bus round") {
  // Write 8, its data 11 .. 13. A read follows tCDLR after it: 15, data at 22.
  CHECK(run(plain(), {{0, 0, 32, true}, {0, 32}}) == std::vector<cycle>{0, 22});
  // Read 8, data 13 .. 15. A write's data follow at 15: command 12. The next read: 12 + 3 + 2 + 2 = 19. A read of the
  // same bank does not overtake the write, though its command would be possible at 10.
  CHECK(run(plain(), {{0, 0}, {0, 32, 32, true}, {9, 64}}) == std::vector<cycle>{15, 0, 19 + 7});
  CHECK(run(plain(), {{0, 0}, {0, 32, 32, true}, {13, 64}}) == std::vector<cycle>{15, 0, 19 + 7});
  // Write recovery: written by 13, precharge at 13 + 9 = 22, activation 28, read 36.
  CHECK(run(plain(), {{0, 0, 32, true}, {0, row(0, 1)}}) == std::vector<cycle>{0, 43});
}

TEST_CASE("a finite queue: a place is free with the read or write command") {
  dram_parameters p = plain();
  p.queue = 2;
  dram_channel d(p, {});
  CHECK(d.places() == 2);
  d.push(0, 0, 32, false, 0);
  d.push(0, 32, 32, false, 1);
  CHECK(d.places() == 0);
  CHECK(d.next_event() == 0);
  CHECK(d.advance(7) == 0);
  CHECK(d.next_event() == 8);
  CHECK(d.advance(8) == 1);
  CHECK(d.places() == 1);
  CHECK(d.advance(10) == 1);
  CHECK(d.idle());
}

TEST_CASE("the channel has a clock of its own") {
  // Three ticks in two core cycles. Asked at core cycle 3: tick 5 (edge at 3 1/3), data 15 ticks later, at 13 1/3.
  CHECK(run(plain(), {{3, 0}}, nullptr, clock_ratio(1500, 1000)) == std::vector<cycle>{14});
}

// A controller without state of its own: what is allowed follows from the commands so far.
struct naive {
  struct command {
    char kind;  // A, P, R, W
    cycle at;
    std::uint64_t bank, row;
    std::uint32_t bursts = 1;
  };
  dram_parameters p;
  std::vector<command> log;
  cycle burst = 0, step = 0;

  explicit naive(const dram_parameters& q) : p(q) {
    burst = (p.burst_bytes + p.bytes_per_cycle - 1) / p.bytes_per_cycle;
    step = std::max<cycle>(p.t_ccd, burst);
  }
  bool open(std::uint64_t bank, std::uint64_t& r) const {
    for (auto c = log.rbegin(); c != log.rend(); ++c) {
      if (c->bank != bank) continue;
      if (c->kind == 'P') return false;
      r = c->row;
      return true;
    }
    return false;
  }
  bool allowed(char kind, std::uint64_t bank, cycle t) const {
    for (const command& c : log) {
      const cycle last = c.at + (c.bursts - 1) * step;
      const bool same = c.bank == bank;
      if (kind == 'A' && c.kind == 'A' && t < c.at + (same ? std::max(p.t_rc, p.t_rrd) : p.t_rrd)) return false;
      if (kind == 'A' && c.kind == 'P' && same && t < c.at + p.t_rp) return false;
      if (kind == 'P' && same && c.kind == 'A' && t < c.at + p.t_ras) return false;
      if (kind == 'P' && same && c.kind == 'R' && t < last + burst) return false;
      if (kind == 'P' && same && c.kind == 'W' && t < last + p.t_wl + burst + p.t_wr) return false;
      if ((kind == 'R' || kind == 'W') && same && c.kind == 'A' && t < c.at + p.t_rcd) return false;
      if ((kind == 'R' || kind == 'W') && (c.kind == 'R' || c.kind == 'W') && t < last + step) return false;
      if (kind == 'R' && c.kind == 'W' && t < last + p.t_wl + burst + p.t_cdlr) return false;
      if (kind == 'W' && c.kind == 'R' && t + p.t_wl < last + p.t_cl + burst) return false;
    }
    return true;
  }
  std::vector<cycle> run(const std::vector<request>& list) {
    std::vector<cycle> done(list.size(), 0);
    std::vector<bool> served(list.size(), false);
    std::size_t left = list.size();
    for (cycle t = 0; left > 0; ++t) {
      for (bool again = true; again;) {
        again = false;
        // First pass: reads and writes of open rows, oldest first; second: precharges and activations for the oldest
        // request of each bank that has no request for its open row.
        for (int pass = 0; pass < 2 && !again; ++pass)
          for (std::size_t i = 0; i < list.size() && !again; ++i) {
            if (served[i] || list[i].at > t) continue;
            const std::uint64_t bank = list[i].address / p.row_bytes % p.banks;
            const std::uint64_t r = list[i].address / p.row_bytes / p.banks;
            std::uint64_t current = 0;
            const bool is_open = open(bank, current);
            const auto first = [&](bool of_row) {  // the oldest request of the bank (for the open row)
              for (std::size_t j = 0; j < list.size(); ++j) {
                if (served[j] || list[j].at > t || list[j].address / p.row_bytes % p.banks != bank) continue;
                if (of_row && list[j].address / p.row_bytes / p.banks != current) continue;
                return j;
              }
              return list.size();
            };
            if (pass == 0) {
              if (!is_open || current != r || first(true) != i) continue;
              const char kind = list[i].write ? 'W' : 'R';
              if (!allowed(kind, bank, t)) continue;
              const std::uint32_t n = (list[i].bytes + p.burst_bytes - 1) / p.burst_bytes;
              log.push_back({kind, t, bank, r, n});
              if (!list[i].write) done[i] = t + (n - 1) * step + p.t_cl + burst;
              served[i] = true;
              --left;
              again = true;
            } else {
              if (first(false) != i) continue;
              if (is_open && first(true) != list.size()) continue;
              const char kind = is_open ? 'P' : 'A';
              if (!allowed(kind, bank, t)) continue;
              log.push_back({kind, t, bank, r});
              again = true;
            }
          }
      }
    }
    return done;
  }
};

TEST_CASE("random requests: the same as stepping through every tick") {
  for (std::uint64_t seed = 1; seed <= simtflow_tests::times(150); ++seed) {
    CAPTURE(seed);
    rng r(seed);
    dram_parameters p;
    p.banks = static_cast<std::uint32_t>(r.between(1, 5));
    p.row_bytes = 256;
    p.burst_bytes = 32;
    p.bytes_per_cycle = 8U << r.below(3);
    for (std::uint32_t* t :
         {&p.t_cl, &p.t_wl, &p.t_rp, &p.t_rcd, &p.t_ras, &p.t_rc, &p.t_rrd, &p.t_ccd, &p.t_cdlr, &p.t_wr})
      *t = static_cast<std::uint32_t>(r.below(12));
    p.t_rcd += 1;
    std::vector<request> list;
    cycle at = 0;
    for (std::size_t n = r.between(1, 40); n > 0; --n) {
      at += r.below(2) * r.below(12);
      list.push_back({at, r.below(p.banks * 3 * 8) * 32, r.chance(20) ? 64U : 32U, r.chance(30)});
    }
    const std::vector<cycle> got = run(p, list);
    const std::vector<cycle> want = naive(p).run(list);
    CHECK(got == want);
  }
}

}  // namespace
