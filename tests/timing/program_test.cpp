// SPDX-License-Identifier: BSL-1.0
//
// Programs for the cycle model: any weighted program as a timed one.
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/timing/program.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>

namespace {

using namespace simtflow;

block_id step(std::uint32_t thread, block_id b) { return b == 0 ? (thread % 2 == 0 ? 1U : 2U) : no_block; }

struct overlapping : policies::ipdom_stack {
  using policies::ipdom_stack::ipdom_stack;
  static constexpr bool schedules_issue = true;
  std::optional<fragment> take() { return next(); }
};

}  // namespace

TEST_CASE("timed programs: a weighted program takes effect at the last instruction of its block") {
  constexpr std::uint32_t weights[] = {3, 1, 0};
  timing::plain_program program(callable_program(step, weights));
  static_assert(timing::timed_program<decltype(program)>);
  static_assert(!timing::timed_program<callable_program<decltype(&step)>>);
  static_assert(!timing::timed_program_with_collectives<decltype(program)>);
  static_assert(!timing::program_of_grid<decltype(program)>);

  const group g{0, 0, lane_mask::first_lanes(4)};
  partition out;
  timing::issue_effect<lane_mask> effect;
  for (std::uint32_t i = 0; i < 2; ++i) {
    CHECK(program.issue(0, i, g, out, effect) == block_end::next);
    CHECK(out.fragments().empty());
  }
  CHECK(program.issue(0, 2, g, out, effect) == block_end::next);
  partition expected;
  expected.go(1, lane_mask(0b0101));
  expected.go(2, lane_mask(0b1010));
  CHECK(out == expected);
  CHECK(effect.accesses.empty());

  const timing::instruction& add = program.instruction_at(0, 1);
  CHECK(add.kind == timing::instruction_class::int_add);
  CHECK(program.registers()[add.first_register] == program.registers()[add.first_register + add.reads]);
}

TEST_CASE("overlap: a policy says that it overlaps, and that it schedules issue") {
  static_assert(overlapping_policy<overlapping> && schedules_issue<overlapping>);
  static_assert(!overlapping_policy<policies::ipdom_stack> && !schedules_issue<policies::ipdom_stack>);
}
