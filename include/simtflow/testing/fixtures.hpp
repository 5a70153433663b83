// SPDX-License-Identifier: BSL-1.0
//
// Small programs with a story, for teaching and for tests of mechanisms: the worked figures of the papers and the
// classic traps, each with what must happen. A `fixture` is a graph, a path for each thread, and numbers. There is a
// header of fixtures for each paper; `fixtures` lists them all. Two more programs have memory, and so no paths:
// spin_lock and producer_consumer.
//
//   const testing::fixture f = testing::fixture_stack_depth();
//   testing::fixture_threads threads(f);                     // a program for run() or an executor
//   run(policies::ipdom_stack(pdom.ipdoms()), threads, threads.shape(), count);
//
// If a paper gives no number, the number was derived by hand from the rule in the paper; where its figure cannot be
// reconstructed from its text, the story says that the details are ours.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/testing/compaction_fixtures.hpp>
#include <simtflow/testing/fixture.hpp>
#include <simtflow/testing/linearization_fixtures.hpp>
#include <simtflow/testing/progress_programs.hpp>
#include <simtflow/testing/thread_frontier_fixtures.hpp>

namespace simtflow {
inline namespace v0 {
/// Programs and graphs of the literature, random ones, and what is expected of them: for the library's tests and for
/// tests of your own policies and adapters. Needs no test framework.
namespace testing {

/// A fixture by name.
struct fixture_entry {
  const char* name;   ///< of the fixture it makes
  fixture (*make)();  ///< makes it
};

/// Every fixture with paths.
inline constexpr fixture_entry fixtures[] = {
    {"figure_1", fixture_figure_1},
    {"figure_2a", fixture_figure_2a},
    {"figure_2c", fixture_figure_2c},
    {"figure_2d", fixture_figure_2d},
    {"figure_3", fixture_figure_3},
    {"exception_in_conditional", fixture_exception_in_conditional},
    {"exception_in_loop", fixture_exception_in_loop},
    {"exception_in_call", fixture_exception_in_call},
    {"split_merge", fixture_split_merge},
    {"starvation_eddy", fixture_starvation_eddy},
    {"compaction", fixture_compaction},
    {"likely_convergence", fixture_likely_convergence},
    {"short_circuit", fixture_short_circuit},
    {"branch_interleaving", fixture_branch_interleaving},
    {"loop_merging", fixture_loop_merging},
    {"stack_depth", fixture_stack_depth},
};

}  // namespace testing
}  // namespace v0
}  // namespace simtflow
