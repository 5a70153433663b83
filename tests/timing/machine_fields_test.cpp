// SPDX-License-Identifier: BSL-1.0
#include <simtflow/timing/machine_check.hpp>
#include <simtflow/timing/machine_fields.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>

using namespace simtflow;
using namespace simtflow::timing;

namespace {

// Anything that can stand for a member of an aggregate.
struct any_member {
  template <class T>
  operator T() const;
};

template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), any_member{})...}; };
}

// The number of members of an aggregate.
template <class T, std::size_t N = 1>
constexpr std::size_t num_members() {
  if constexpr (takes<T>(std::make_index_sequence<N + 1>{}))
    return num_members<T, N + 1>();
  else
    return N;
}

std::string only(const diagnostics& why) {
  REQUIRE(why.size() == 1);
  return to_string(why[0]);
}

}  // namespace

TEST_CASE("every member of a machine is a field") {
  machine m;
  std::map<std::string, std::size_t> count;
  std::set<std::string> names;
  std::set<const void*> places;
  for (const machine_field& f : fields(m)) {
    CAPTURE(f.name);
    CHECK(names.insert(f.name).second);
    const void* place = f.number != nullptr ? static_cast<const void*>(f.number) : static_cast<const void*>(f.choice);
    if (place == nullptr) place = f.text;
    CHECK(place != nullptr);
    CHECK(places.insert(place).second);
    CHECK((f.number != nullptr) + (f.choice != nullptr) + (f.text != nullptr) == 1);
    const std::size_t dot = f.name.rfind('.');
    ++count[dot == std::string::npos ? f.name : f.name.substr(0, dot)];
  }
  CHECK(count["name"] == 1);
  CHECK(count["core"] == num_members<core_parameters>());
  for (const char* unit : unit_kind_names) CHECK(count["units." + std::string(unit)] == num_members<unit_parameters>());
  for (std::size_t k = 0; k < num_instruction_classes; ++k)
    CHECK(count["operations." + std::string(to_string(static_cast<instruction_class>(k)))] ==
          num_members<operation_timing>());
  CHECK(count["shared"] == num_members<shared_parameters>());
  for (const char* cache : {"l1", "constant", "texture", "instruction", "l2"})
    CHECK(count[cache] == num_members<cache_parameters>());
  CHECK(count["network"] == num_members<interconnect_parameters>());
  CHECK(count["partition"] == num_members<partition_parameters>());
  CHECK(count["dram"] == num_members<dram_parameters>());
  CHECK(count["coherence"] == num_members<coherence_parameters>());
  CHECK(num_members<machine>() == 14);
}

TEST_CASE("every field keeps the text of its own value") {
  machine m;
  for (const machine_field& f : fields(m)) {
    CAPTURE(f.name);
    const machine before = m;
    CHECK(assign(f, value_text(f)) == "");
    CHECK(m == before);
  }
}

TEST_CASE("fields are set by name") {
  machine m;
  CHECK(set(m, "l1.size=16K").empty());
  CHECK(m.l1.size == 16384);
  CHECK(set(m, "l2.size=1M").empty());
  CHECK(m.l2.size == 1048576);
  CHECK(set(m, "core.max_threads=1536").empty());
  CHECK(m.core.max_threads == 1536);
  CHECK(set(m, "core.max_threads=unlimited").empty());
  CHECK(m.core.max_threads == unlimited);
  CHECK(set(m, "core.scheduler=greedy-then-oldest").empty());
  CHECK(m.core.scheduler == scheduler_kind::greedy_then_oldest);
  CHECK(set(m, "operations.int_mul.latency=13").empty());
  CHECK(m.operations[instruction_class::int_mul].latency == 13);
  CHECK(set(m, "operations.dp_add.unit=special").empty());
  CHECK(m.operations[instruction_class::dp_add].unit == unit_kind::special);
  CHECK(set(m, "name=a=b").empty());
  CHECK(m.name == "a=b");
}

TEST_CASE("a wrong assignment changes nothing and says why") {
  machine m;
  const machine before = m;
  const std::pair<const char*, const char*> cases[] = {
      {"l1.sze=1", "no field 'l1.sze' (did you mean l1.size?)"},
      {"colour=red", "no field 'colour'"},
      {"l1=16K", "'l1' is a part of a machine: name a field, such as l1.size"},
      {"operations.int_mul=3",
       "'operations.int_mul' is a part of a machine: name a field, such as operations.int_mul.latency"},
      {"l1.size", "'l1.size' is not of the form FIELD=VALUE"},
      {"", "'' is not of the form FIELD=VALUE"},
      {"=", "no field ''"},
      {"l1.size=", "l1.size needs a number, optionally with K or M, not ''"},
      {"l1.size=-1", "l1.size needs a number, optionally with K or M, not '-1'"},
      {"l1.size=16k", "l1.size needs a number, optionally with K or M, not '16k'"},
      {"l1.size=1.5K", "l1.size needs a number, optionally with K or M, not '1.5K'"},
      {"l1.size=unlimited", "l1.size needs a number, not 'unlimited'"},
      {"l1.size=99999999999999999999999", "l1.size is from 0 to 1073741824 bytes, not '99999999999999999999999'"},
      {"l1.size=4096M", "l1.size is from 0 to 1073741824 bytes, not '4096M'"},
      {"core.cores=0", "core.cores is from 1 to 65536, not '0'"},
      {"core.max_warps=0", "core.max_warps is from 1 to 1048576 warps or unlimited, not '0'"},
      {"core.scheduler=fast",
       "core.scheduler is one of loose_round_robin, greedy_then_oldest, oldest, two_level, not 'fast'"}};
  for (const auto& one : cases) {
    const char* const text = one.first;
    const char* const message = one.second;
    CAPTURE(text);
    CHECK(only(set(m, text)) == message);
    CHECK(m == before);
  }
  CHECK(only(set(m, std::string(100000, 'x'))).size() < 200);
  CHECK(only(set(m, std::string(100000, 'x') + "=1")).size() < 200);
  CHECK(only(set(m, "core.scheduler=" + std::string(100000, 'x'))).size() < 200);
}

TEST_CASE("impossible values of a machine are named with the reason") {
  CHECK(diagnose(machine{}).empty());
  // Written past the limits of assign(): as a program that fills the structs can.
  const auto check = [](const char* field, std::uint32_t value, const char* message) {
    CAPTURE(field);
    machine m;
    for (const machine_field& f : fields(m))
      if (f.name == field) *f.number = value;
    CHECK(only(diagnose(m)) == message);
  };
  check("network.bytes_per_cycle", 0, "network.bytes_per_cycle: 0 is less than the lowest value (1)");
  check("dram.bytes_per_cycle", 0, "dram.bytes_per_cycle: 0 is less than the lowest value (1)");
  check("shared.banks", 0, "shared.banks: 0 is less than the lowest value (1)");
  check("dram.banks", 0, "dram.banks: 0 is less than the lowest value (1)");
  check("core.mhz", 0, "core.mhz: 0 is less than the lowest value (1)");
  check("l1.size", unlimited, "l1.size: 4294967295 is more than the highest value (1073741824)");
  check("core.max_threads", 16, "core.max_threads: 16 is less than a warp, core.warp_width (32)");
  check("units.sp.lanes", 5, "units.sp.lanes: 5 does not divide core.warp_width (32)");
  check("units.sp.lanes", 64, "units.sp.lanes: 64 does not divide core.warp_width (32)");
  check("l1.line", 96, "l1.line: 96 is no power of two");
  check("l1.sector", 48, "l1.sector: 48 does not divide the line (128)");
  check("l1.size", 1000, "l1.size: 1000 is no multiple of the line (128)");
  check("partition.interleave", 64, "partition.interleave: 64 is no multiple of l2.line (128)");
  check("dram.row_bytes", 1000, "dram.row_bytes: 1000 is no multiple of dram.burst_bytes (32)");
  check("shared.bank_bytes", 3, "shared.bank_bytes: 3 is no power of two");

  machine m;
  m.l1.size = 16384;
  m.l1.ways = 3;
  CHECK(only(diagnose(m)) == "l1.ways: 3 does not divide the number of lines (128)");
  m = {};
  m.core.max_threads = 512;
  m.core.max_block_threads = 1024;
  CHECK(only(diagnose(m)) == "core.max_block_threads: 1024 is more than the core holds, core.max_threads (512)");
  m = {};
  m.units.special.number = 0;
  CHECK(only(diagnose(m)) == "operations.special.unit: the core has no unit 'special'");
  m = {};
  m.core.scheduler = static_cast<scheduler_kind>(77);
  CHECK(only(diagnose(m)) == "core.scheduler: 77 is no value of the enumeration");
}
