// SPDX-License-Identifier: BSL-1.0
//
// The boxed policies of policy_table.hpp, and how they run.
#include "simt/policy_table.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace policy_table {
namespace {

struct program_reference {
  const any_program* step;
  block_end run(block_id b, const group& g, partition& out) { return (*step)(b, g, out); }
};

std::vector<entry> list_policies() {
  const csr_graph one_block = csr_builder(1).build();
  const material smallest(one_block);
  std::vector<entry> all;
  each_policy([&]<class Policy>(const about& what, maker<Policy> make) {
    all.push_back({what, abilities_of(make(smallest)), [make](const material& m) { return any_policy(make(m)); }});
  });
  return all;
}

}  // namespace

record entry::run(const material& m, const launch& shape, const any_program& step, std::uint64_t steps) const {
  record r;
  r.waited.assign(shape.threads, 0);
  overloaded list{
      [&](const event::issued<lane_mask>& e) {
        r.steps.push_back({e.first_thread, e.threads, e.block, e.lanes, e.live, e.depth});
        e.lanes.for_each([&](std::uint32_t l) { r.early = r.early || r.waited[e.first_thread + l] != r.opened; });
      },
      [&](const event::waits<lane_mask>& e) {
        e.lanes.for_each([&](std::uint32_t l) { ++r.waited[e.warp * shape.warp_width + l]; });
      },
      [&](const event::released&) { ++r.opened; }, [&](const event::ended& e) { r.overhead = e.overhead; }};
  program_reference program{&step};
  executor machine(make(m));
  r.how = machine.run(program, shape, list, {.steps = steps});
  return r;
}

std::span<const entry> all_policies() {
  static const std::vector<entry> all = list_policies();
  return all;
}

const entry& policy(std::string_view name) {
  for (const entry& e : all_policies())
    if (e.what.name == name) return e;
  FAIL("no policy of this name: " << std::string(name));
  return all_policies()[0];
}

}  // namespace policy_table

TEST_CASE("policy_table: names are unique, every scope and promise occurs") {
  std::set<std::string_view> names;
  int block = 0, fair = 0;
  for (const policy_table::entry& e : policy_table::all_policies()) {
    CHECK(names.insert(e.what.name).second);
    CHECK(e.can.comparable);
    block += e.can.scope == simtflow::policy_scope::block ? 1 : 0;
    fair += e.can.progress == simtflow::progress_class::fair ? 1 : 0;
  }
  CHECK(block >= 15);
  CHECK(fair >= 4);
}
