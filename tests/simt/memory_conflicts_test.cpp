// SPDX-License-Identifier: BSL-1.0
//
// Conflicts of memory accesses. The oracle runs small random programs under every schedule: if one schedule gives a
// thread another path than the observed run did, the observed run has a conflict.
#include "support/long_run.hpp"
#include <simtflow/simt/observers/memory_conflicts.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

using namespace simtflow;

namespace {

enum class op : unsigned char { load, store, add, barrier, skip_if_odd };
struct instruction {
  op what;
  std::uint32_t cell;
};
using program = std::vector<std::vector<instruction>>;  // by thread

// A machine of a few threads over two words, for schedules chosen from outside.
struct machine {
  explicit machine(const program& p) : text(&p), at(p.size(), 0), value(p.size(), 1), path(p.size()) {}

  [[nodiscard]] bool ended(std::size_t t) const { return at[t] >= (*text)[t].size(); }
  [[nodiscard]] bool waits(std::size_t t) const { return waiting.count(t) != 0; }
  [[nodiscard]] bool runs(std::size_t t) const { return !ended(t) && !waits(t); }

  template <class Observer>
  void step(std::size_t t, Observer& observer) {
    const instruction i = (*text)[t][at[t]];
    path[t].push_back(static_cast<std::uint32_t>(at[t]));
    const auto lane = static_cast<std::uint32_t>(t);
    if (i.what == op::load || i.what == op::store || i.what == op::add) {
      std::array<std::uint64_t, 64> addresses{};
      addresses[t] = 4 * i.cell;
      observer(event::memory_access<lane_mask>{0, 0, memory_space::global, i.what != op::load, 4, lane_mask::lane(lane),
                                               addresses});
    }
    if (i.what == op::store) memory[i.cell] = value[t];
    if (i.what == op::load || i.what == op::add) value[t] = memory[i.cell];
    if (i.what == op::add) ++memory[i.cell];
    if (i.what == op::barrier) {
      waiting.insert(t);
      observer(event::waits<lane_mask>{0, 0, 0, lane_mask::lane(lane), 0});
    }
    at[t] += i.what == op::skip_if_odd && value[t] % 2 == 1 ? 2 : 1;
    if (ended(t) && !waits(t)) observer(event::exited<lane_mask>{0, 0, 0, lane_mask::lane(lane)});
    open(observer);
  }
  template <class Observer>
  void open(Observer& observer) {
    if (waiting.empty()) return;
    for (std::size_t t = 0; t < text->size(); ++t)
      if (runs(t)) return;
    observer(event::released{0, 0, 0});
    for (const std::size_t t : waiting)
      if (ended(t)) observer(event::exited<lane_mask>{0, 0, 0, lane_mask::lane(static_cast<std::uint32_t>(t))});
    waiting.clear();
  }

  const program* text;
  std::vector<std::size_t> at;
  std::vector<std::uint32_t> value;
  std::vector<std::vector<std::uint32_t>> path;  // by thread: what it executed
  std::set<std::size_t> waiting;
  std::array<std::uint32_t, 2> memory{};
};

struct deaf {
  template <class Event>
  void operator()(const Event&) const {}
};

// True if some schedule from here on ends with other paths. At most `budget` runs.
bool differs(const machine& m, const machine& wanted, std::uint32_t& budget) {
  bool any = false;
  for (std::size_t t = 0; t < m.text->size(); ++t) {
    if (!m.runs(t)) continue;
    any = true;
    machine next = m;
    deaf observer;
    next.step(t, observer);
    if (differs(next, wanted, budget)) return true;
    if (budget == 0) return false;
  }
  if (any) return false;
  --budget;
  return m.path != wanted.path;
}

}  // namespace

TEST_CASE("memory conflicts: where there is none, no schedule changes a path") {
  std::uint32_t without = 0, with = 0, changed = 0;
  for (std::uint64_t seed = 0; seed < simtflow_tests::times(3000); ++seed) {
    std::mt19937_64 next(seed);
    program p(2 + next() % 2);
    for (auto& thread : p)
      for (std::uint64_t i = 0, n = next() % 5 + 1; i < n; ++i)
        thread.push_back({static_cast<op>(next() % 5), static_cast<std::uint32_t>(next() % 2)});
    machine serial(p);
    memory_conflicts conflicts;
    conflicts(event::started{static_cast<std::uint32_t>(p.size()), 32, 1});
    for (std::size_t t = 0; t < p.size();) {  // the lowest that can
      t = 0;
      while (t < p.size() && !serial.runs(t)) ++t;
      if (t < p.size()) serial.step(t, conflicts);
    }
    std::uint32_t budget = 4000;
    const bool changes = differs(machine(p), serial, budget);
    CAPTURE(seed);
    if (!conflicts.first()) CHECK_FALSE(changes);
    ++(conflicts.first() ? with : without);
    changed += changes ? 1 : 0;
  }
  CHECK(without > 300);
  CHECK(with > 300);
  CHECK(changed > 100);
}

TEST_CASE("memory conflicts: bytes, spaces, readers and barriers") {
  std::array<std::uint64_t, 64> addresses{};
  const auto access = [&](memory_conflicts& c, std::uint32_t lane, std::uint64_t at, std::uint32_t bytes, bool store,
                          memory_space space = memory_space::global) {
    addresses[lane] = at;
    c(event::memory_access<lane_mask>{1, 7, space, store, bytes, lane_mask::lane(lane), addresses});
  };
  memory_conflicts c;
  c(event::started{64, 32, 2});
  access(c, 0, 4094, 4, false);  // over the edge of a page
  access(c, 1, 4094, 4, false);
  access(c, 2, 4098, 4, true);
  access(c, 2, 4098, 4, false);
  access(c, 3, 4097, 1, true, memory_space::shared);
  CHECK_FALSE(c.first());
  c(event::waits<lane_mask>{0, 0, 0, lane_mask::first_lanes(32), 3});
  c(event::waits<lane_mask>{0, 1, 0, lane_mask::first_lanes(31), 3});
  c(event::exited<lane_mask>{0, 1, 0, lane_mask::lane(31)});
  c(event::released{0, 0, 3});  // all that are alive were there
  access(c, 5, 4097, 1, true);
  CHECK_FALSE(c.first());
  c(event::waits<lane_mask>{0, 0, 0, lane_mask::first_lanes(32), 2});
  c(event::released{0, 0, 2});  // only half
  access(c, 6, 4096, 2, false);
  REQUIRE(c.first());
  CHECK(c.first()->address == 4097);
  CHECK(c.first()->earlier == 37);
  CHECK(c.first()->later == 38);
  CHECK(c.first()->block == 7);
}
