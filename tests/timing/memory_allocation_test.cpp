// SPDX-License-Identifier: BSL-1.0
//
// The memory side allocates nothing once its buffers have grown.
#include "count_allocations.hpp"
#include "memory_support.hpp"
#include <simtflow/testing/random.hpp>
#include <simtflow/timing/machines/gtx480.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace {

using namespace memory_support;

TEST_CASE("the second pass of a stream of random accesses allocates nothing") {
  const machine m = timing::machines::gtx480();
  timing::memory_system memory(m);
  timing::load_store_unit unit(m, 3);
  std::vector<std::uint64_t> addresses(32);
  std::uint32_t ended = 0;
  cycle t = 0;
  const auto pass = [&] {
    simtflow::testing::rng r(1);
    for (std::uint32_t i = 0; i < 3000; ++i) {
      access a;
      a.kind = r.chance(60) ? access_kind::load : r.chance(70) ? access_kind::store : access_kind::atomic;
      a.where = r.chance(20) ? address_space::shared : r.chance(20) ? address_space::constant : address_space::global;
      if (a.where == address_space::constant) a.kind = access_kind::load;
      const std::uint64_t first = r.below(1U << 22) * 4;
      const std::uint64_t step = r.chance(70) ? 4 : 4 * r.below(64);
      for (std::uint64_t lane = 0; lane < 32; ++lane) addresses[lane] = first + lane * step;
      a.addresses = addresses;
      while (unit.blocked(t) != timing::stall_cause::none) {
        memory.advance(++t);
        unit.advance(t, memory);
      }
      unit.issue(t, i, {&a, 1}, 0, memory);
      ended += static_cast<std::uint32_t>(unit.completions().size());
      unit.clear_completions();
    }
    while (!unit.idle() || !memory.idle()) {
      memory.advance(++t);
      unit.advance(t, memory);
      ended += static_cast<std::uint32_t>(unit.completions().size());
      unit.clear_completions();
    }
  };
  pass();
  CHECK(ended == 3000);
  pass();  // caches in another state: other queues are the longest
  const std::size_t before = allocations;
  pass();
  CHECK(allocations - before == 0);
  CHECK(ended == 9000);
}

}  // namespace
