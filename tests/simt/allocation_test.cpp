// SPDX-License-Identifier: BSL-1.0
//
// An executor that is kept, and the policies in it, allocate nothing once they have seen a program of a size. Every
// operator new of the program is counted here.
#include "count_allocations.hpp"
#include "simt/policy_table.hpp"
#include <simtflow/io/dot.hpp>
#include <simtflow/testing/generate.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using namespace simtflow;
using policy_table::all_policies;
using policy_table::entry;
using policy_table::material;

namespace {

struct sample {
  csr_graph graph;
  std::vector<unsigned char> uniform, barriers;
};

// Structured programs with barriers, and graphs of every kind that comes to an end.
std::vector<sample> samples() {
  std::vector<sample> all;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    testing::rng random(seed);
    sample s;
    if (seed % 2 == 0) {
      auto p = testing::random_structured_program(
          random, {.statements = 10, .break_continue = true, .barriers = true, .uniform_percent = 60});
      s.graph = p.graph;
      s.uniform = p.uniform;
      s.barriers.assign(p.graph.num_blocks(), 0);
      for (const block_id b : p.barriers) s.barriers[b] = 1;
    } else {
      testing::cfg_options options;
      options.blocks = random.between(3, 15);
      options.max_successors = random.between(2, 4);
      options.exits = random.between(1, 3);
      options.reducible = random.chance(50);
      options.terminating = true;
      s.graph = testing::random_cfg(random, options);
      s.barriers.assign(s.graph.num_blocks(), 0);
    }
    all.push_back(std::move(s));
  }
  return all;
}

// Allocations of a second run.
std::size_t second_run(const entry& p, const material& m, const sample& s, std::uint64_t seed, bool detect) {
  const testing::random_walks walks(s.graph, {.seed = seed}, std::span<const unsigned char>(s.uniform));
  const launch shape{.threads = 40, .warp_width = m.warp_width, .entry = s.graph.entry(), .barriers = p.barriers()};
  const std::vector<unsigned char> none(s.graph.num_blocks(), 0);
  const std::span<const unsigned char> barriers(p.can.parks ? s.barriers : none);
  callable_program once(testing::walking_threads(walks, shape.threads), {}, barriers), again = once;
  executor machine(p.make(m));
  const limits limit{.steps = 1'000'000, .detect_livelock = detect};
  REQUIRE(machine.run(once, shape, no_observer{}, limit).finished());
  const std::size_t before = allocations;
  const bool finished = machine.run(again, shape, no_observer{}, limit).finished();
  const std::size_t more = allocations - before;
  REQUIRE(finished);
  return more;
}

}  // namespace

TEST_CASE("allocation: the counter counts") {
  const std::size_t before = allocations;
  ::operator delete(::operator new(1));  // a new-expression could be optimised away
  CHECK(allocations == before + 1);
}

TEST_CASE("allocation: the second run of an executor allocates nothing, whatever the policy") {
  std::uint64_t seed = 0;
  for (const sample& s : samples()) {
    const material m(s.graph, static_cast<std::uint32_t>(++seed % 7 + 2));
    INFO("seed " << seed << "\n" << to_dot(s.graph));
    for (const entry& p : all_policies()) {
      if (!p.takes(m)) continue;
      CAPTURE(std::string(p.what.name));
      CHECK(second_run(p, m, s, seed, false) == 0);
      CHECK(second_run(p, m, s, seed, true) == 0);  // also noting states
    }
  }
}
