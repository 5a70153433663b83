// SPDX-License-Identifier: BSL-1.0
//
// Machines with round numbers, and one core's load/store unit that issues accesses by hand.
#pragma once

#include <simtflow/timing/load_store_unit.hpp>
#include <simtflow/timing/machine.hpp>
#include <simtflow/timing/memory_system.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace memory_support {

namespace timing = simtflow::timing;
using timing::access;
using timing::access_kind;
using timing::address_space;
using timing::cycle;
using timing::machine;

/// A machine in which every latency is another number, so that sums tell the parts apart.
inline machine plain_machine() {
  machine m;
  m.l1 = {16 * 1024, 128, 0, 4, 7, 32, 8, 8, 0};
  m.constant = {2 * 1024, 64, 0, 2, 3, 8, 8, 8, 0};
  m.texture = {4 * 1024, 128, 0, 4, 5, 8, 8, 8, 0};
  m.shared = {32, 4, 11};
  m.network = {1000, 13, 32, 8, 8};
  m.partition = {1000, 1, 256, 17, 8};
  m.l2 = {64 * 1024, 128, 0, 8, 19, 32, 8, 8, 32};
  m.dram.channels = 2;
  m.dram.queue = 16;
  m.dram.banks = 4;
  m.dram.row_bytes = 1024;
  m.dram.bytes_per_cycle = 16;
  m.dram.burst_bytes = 32;
  m.dram.latency = 23;
  m.dram.t_cl = 5;
  m.dram.t_wl = 3;
  m.dram.t_rp = 6;
  m.dram.t_rcd = 8;
  m.dram.t_ras = 20;
  m.dram.t_rc = 26;
  m.dram.t_rrd = 4;
  m.dram.t_ccd = 2;
  m.dram.t_cdlr = 2;
  m.dram.t_wr = 9;
  return m;
}

/// Units and memory of a device, driven cycle by cycle or event by event.
class device {
 public:
  explicit device(const machine& m) : memory(m) {
    for (std::uint32_t c = 0; c < m.core.cores; ++c) units.emplace_back(m, c);
    done.resize(units.size());
  }

  /// Brings everything to cycle t: units that the memory wakes, and units with an event. If `all`, every unit.
  void advance(cycle t) {
    now = t;
    memory.advance(t);
    due.assign(units.size(), all);
    for (const std::uint32_t c : memory.woken()) due[c] = true;
    for (std::size_t c = 0; c < units.size(); ++c) {
      if (!due[c] && units[c].next_event() > t) continue;
      units[c].advance(t, memory);
      collect(c);
    }
  }
  /// The next cycle in which something happens, at least now + 1.
  cycle next() const {
    cycle n = memory.next_event();
    for (const auto& u : units) {
      if (u.next_event() < n) n = u.next_event();
    }
    return n <= now ? now + 1 : n;
  }
  /// Issues at the first possible cycle from `now` on, and returns it.
  cycle issue(std::uint32_t token, const std::vector<access>& accesses, std::size_t core = 0) {
    while (units[core].blocked(now) != timing::stall_cause::none) advance(now + 1);
    units[core].issue(now, token, accesses, 0, memory);
    collect(core);
    return now;
  }
  /// Runs until nothing happens any more.
  void drain() {
    while (next() != timing::never) advance(next());
  }
  /// Runs until the token of a core is done, and returns when.
  cycle wait(std::uint32_t token, std::size_t core = 0) {
    for (;;) {
      for (const timing::completion& d : done[core])
        if (d.token == token) return d.at;
      const cycle n = next();
      if (n == timing::never) return timing::never;
      advance(n);
    }
  }
  /// The latency of one access that is issued when everything is idle.
  cycle latency(const std::vector<access>& accesses) {
    drain();
    advance(now + 1000);
    const cycle t = issue(++last_token, accesses);
    return wait(last_token) - t;
  }

  timing::memory_system memory;
  std::vector<timing::load_store_unit> units;
  std::vector<std::vector<timing::completion>> done;  // by core
  std::vector<bool> due;                              // by core
  bool all = false;
  cycle now = 0;
  std::uint32_t last_token = 1'000'000;

 private:
  void collect(std::size_t c) {
    for (const timing::completion& d : units[c].completions()) done[c].push_back(d);
    units[c].clear_completions();
  }
};

/// One lane's access.
inline access one(access_kind kind, const std::uint64_t& address, address_space where = address_space::global) {
  return {where, kind, false, 4, {&address, 1}};
}

}  // namespace memory_support
