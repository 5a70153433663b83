// SPDX-License-Identifier: BSL-1.0
#include "memory_support.hpp"
#include <simtflow/timing/machine_check.hpp>
#include <simtflow/timing/machine_fields.hpp>
#include <simtflow/timing/machines.hpp>

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace simtflow;
using namespace simtflow::timing;

TEST_CASE("every shipped machine is possible and found by its name") {
  std::set<std::string> names;
  for (const shipped_machine& one : shipped_machines()) {
    CAPTURE(one.name);
    const machine m = one.make();
    CHECK(m.name == one.name);
    CHECK(names.insert(one.name).second);
    CHECK(diagnose(m).empty());
    const result<machine> found = machine_named(one.name);
    REQUIRE(found);
    CHECK(*found == m);
  }
  CHECK(names.size() == 5);
}

TEST_CASE("an unknown machine is answered with the names that exist") {
  const result<machine> none = machine_named("gtx48");
  REQUIRE(!none);
  CHECK(to_string(none.diagnostics()[0]) ==
        "no machine 'gtx48' (did you mean gtx480?): the machines are ideal, quadro_fx5800_plus_caches, "
        "quadro_fx5800_plus_caches_small_l2, gtx480, volta");
  CHECK(to_string(machine_named(std::string(5000, 'x')).diagnostics()[0]).size() < 300);
}

// The values of a table, by name of a field.
static void has(machine m, std::initializer_list<std::pair<const char*, const char*>> table) {
  for (const auto& row : table) {
    const std::string name = row.first;
    CAPTURE(name);
    std::string value = "no such field";
    for (const machine_field& f : fields(m))
      if (f.name == name) value = value_text(f);
    CHECK(value == row.second);
  }
}

TEST_CASE("quadro_fx5800_plus_caches is Table 2 of the thread block compaction paper") {
  has(machines::quadro_fx5800_plus_caches(), {{"core.cores", "30"},
                                              {"core.warp_width", "32"},
                                              {"units.sp.lanes", "8"},
                                              {"core.max_threads", "1024"},
                                              {"core.registers", "16384"},
                                              {"core.shared_bytes", "16384"},
                                              {"constant.size", "8192"},
                                              {"texture.size", "32768"},
                                              {"texture.line", "64"},
                                              {"texture.ways", "16"},
                                              {"dram.channels", "8"},
                                              {"l1.size", "32768"},
                                              {"l1.line", "64"},
                                              {"l1.ways", "8"},
                                              {"partition.slices", "1"},
                                              {"l2.size", "1048576"},
                                              {"l2.line", "64"},
                                              {"l2.ways", "64"},
                                              {"core.mhz", "1300"},
                                              {"network.mhz", "650"},
                                              {"dram.mhz", "800"},
                                              {"dram.queue", "32"},
                                              {"core.scheduler", "loose_round_robin"},
                                              {"dram.t_cl", "10"},
                                              {"dram.t_rp", "10"},
                                              {"dram.t_rc", "35"},
                                              {"dram.t_ras", "25"},
                                              {"dram.t_rcd", "12"},
                                              {"dram.t_rrd", "8"},
                                              {"dram.bytes_per_cycle", "8"},
                                              // sections 2.2, 6.2
                                              {"core.scoreboard", "one_in_flight"},
                                              {"core.block_priority", "age"}});
}

TEST_CASE("the variant with a small L2 differs in the L2 only") {
  machine m = machines::quadro_fx5800_plus_caches_small_l2();
  has(m, {{"l2.size", "131072"}, {"l2.ways", "8"}});
  const machine large = machines::quadro_fx5800_plus_caches();
  m.name = large.name;
  m.l2.size = large.l2.size;
  m.l2.ways = large.l2.ways;
  CHECK(m == large);
}

TEST_CASE("gtx480 has the sums of the real card") {
  const machine m = machines::gtx480();
  CHECK(m.l1.num_sets() == 32);
  CHECK(m.l2.num_sets() == 64);
  CHECK(m.l2.size * m.partition.slices * m.dram.channels == 768 * 1024);
  CHECK(m.dram.bytes_per_cycle * m.dram.mhz * m.dram.channels == 177'408);  // MB/s
  CHECK(m.core.max_warps * m.core.warp_width == m.core.max_threads);
}

TEST_CASE("volta has the sums of the real card") {
  const machine m = machines::volta();
  CHECK(m.l1.num_sets() == 4);
  CHECK(m.l2.size * m.partition.slices * m.dram.channels == 6144 * 1024);
  CHECK(m.dram.bytes_per_cycle * m.dram.mhz * m.dram.channels == 898'048);  // MB/s
  CHECK(m.units.sp.number * m.units.sp.lanes * m.core.cores == 5120);
}

TEST_CASE("volta has the latencies that Jia et al. measured with a pointer chase") {
  const machine m = machines::volta();
  const auto load = [](memory_support::device& d) { return d.latency({memory_support::one(access_kind::load, 0)}); };
  memory_support::device cold(m);
  const cycle from_dram = load(cold);
  CHECK(from_dram >= 380);  // about 400
  CHECK(from_dram <= 420);
  CHECK(load(cold) == 28);  // L1
  memory_support::device warm(m);
  warm.memory.warm({0, 4096});
  CHECK(load(warm) == 193);  // L2
}
