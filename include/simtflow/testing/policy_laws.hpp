// SPDX-License-Identifier: BSL-1.0
//
// The laws that every reconvergence policy must keep, as one function for your own tests, with any test framework:
// seeded random programs (acyclic, structured, with break, continue and return, reducible, irreducible, with switches,
// several exits, unreachable blocks, barriers) run under the policy, and a broken law comes back with everything that
// is needed to see it again.
//
//   const auto broken = testing::check_policy_laws([](const testing::law_case&) { return oldest_first(); });
//   if (broken) std::puts(testing::describe(*broken).c_str());
//
// If building the policy needs an analysis, take a second parameter `use` and call it while the analysis is alive; do
// not call it for programs the policy cannot run:
//
//   testing::check_policy_laws([](const testing::law_case& c, auto use) {
//     const auto code = structured_control(c.graph);
//     if (code) use(policies::predicate_stack(code.blocks));
//   });
//
// The laws, which hold for any mechanism that is right, however good or bad it is:
//
//   1  every thread executes the blocks that it executes alone (and so: the run ends, no live thread is dropped, run
//      twice at once or run again after its end; the executor says which of these happened)
//   2  a block is executed for at least one thread and at most a warp's width of threads
//   3  executed blocks: at least the lower bound, at most the sum of all threads' visits
//   4  not fewer than the best schedule of each warp (small programs, policies of warp scope)
//   5  threads that all go the same way run together all the way
//   6  warps of one thread: as many executed blocks as visits
//   7  start() forgets everything: a second run of the same program is the first over again
//   8  copies share nothing that changes: each warp runs as if it were alone (policies of warp scope)
//   9  at barriers (parking policies): nobody runs on before all live threads have come
//   10 depth() counts the running entry
//   11 a policy that calls itself fair lets a spin lock and a producer-consumer pair end
//   12 take() (overlapping policies): with one fragment in flight it names what next() names; with several, which
//      advance in any order, no thread is in two of them, and laws 1, 2 and 9 hold
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/policy.hpp>
#include <simtflow/simt/program.hpp>
#include <simtflow/testing/detail/law_judge.hpp>
#include <simtflow/testing/detail/overlap_judge.hpp>
#include <simtflow/testing/law_case.hpp>
#include <simtflow/testing/progress_programs.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace testing {

/// Runs the policy that `make` makes on random programs. `make(c)` returns the policy, or `make(c, use)` calls
/// `use(policy)` once, while what the policy refers to lives, or not at all: then the program is left out. A policy of
/// wider scope than a warp takes its warp's width from c.shape.warp_width.
/// \returns the first broken law; empty if all were kept.
/// \pre max_warp_width <= the capacity of the policy's mask; max_blocks, max_warp_width and max_threads are not 0; the
///      policy's class is one and the same in every call; it takes a graph of one block.
/// Complexity: a few runs for each program; for a policy of warp scope also a search over at most
/// options.optimum_states states. Errors: the result; describe() prints it with the program.
/// \snippet reference_test.cpp check_policy_laws
template <class Make>
[[nodiscard]] std::optional<broken_law> check_policy_laws(Make make, const policy_law_options& options = {}) {
  std::optional<broken_law> found;
  bool ran = false;
  const auto judge = [&](const law_case& c) {
    detail::with_policy(make, c, [&](const auto& policy) {
      ran = true;
      using policy_type = std::remove_cvref_t<decltype(policy)>;
      const policy_abilities can = abilities_of(policy);
      found = detail::law_judge<policy_type>(c, options, can).judge(policy);
      if (!found && can.overlaps) found = detail::overlap_judge<policy_type>(c, can).judge(policy);
    });
  };
  // Barriers only where part of a warp can wait: what a whole-warp barrier does depends on where the policy meets.
  bool barriers = false, fair = false, core = false;
  law_case one_block;
  one_block.graph = csr_builder(1).build();
  one_block.uniform.assign(1, 0);
  detail::with_policy(make, one_block, [&](const auto& policy) {
    const policy_abilities can = abilities_of(policy);
    barriers = can.parks;
    fair = can.progress == progress_class::fair;
    core = can.scope == policy_scope::core;
  });
  for (std::size_t i = 0; i < options.programs && !found; ++i)
    judge(detail::make_law_case(options.first_seed + i, options, barriers, core));
  if (!ran && options.programs != 0) {
    found.emplace();
    found->sentence = "no program was run: make() handed on a policy for none of them";
  }

  for (std::uint32_t threads = 2; fair && threads <= options.max_warp_width && !found; ++threads) {
    law_case c;
    c.shape.threads = c.shape.warp_width = threads;
    const auto progress = [&](const csr_graph& graph, const auto& program) {
      if (found) return;
      c.graph = graph;
      c.uniform.assign(graph.num_blocks(), 0);
      detail::with_policy(make, c, [&](const auto& policy) { found = detail::judge_progress(policy, c, program); });
    };
    progress(spin_lock::graph(), spin_lock());
    progress(producer_consumer::graph(), producer_consumer(0));
    progress(producer_consumer::graph(), producer_consumer(threads - 1));
  }
  return found;
}

/// A broken law in words, line by line: the law, the thread, the program, and the executed blocks.
[[nodiscard]] inline std::string describe(const broken_law& f) {
  const auto number = [](std::uint64_t n) { return std::to_string(n); };
  const auto blocks = [&](const std::vector<block_id>& path) {
    std::string all;
    for (const block_id b : path) all += " BB" + number(b);
    return all + "\n";
  };
  std::string text = f.sentence;
  if (f.thread) text += ": thread " + number(*f.thread);
  if (f.named != no_block) text += ", named at BB" + number(f.named);
  if (f.stands != no_block) text += ", stands at BB" + number(f.stands);
  if (f.got != f.expected) text += ": got " + number(f.got) + ", expected " + number(f.expected);
  text += "\n";
  if (!f.path.empty() || !f.alone.empty()) text += "  went   " + blocks(f.path) + "  alone  " + blocks(f.alone);
  const launch& shape = f.program.shape;
  text += "program of seed " + number(f.program.seed) + ": " + number(shape.threads) + " threads in warps of " +
          number(shape.warp_width);
  if (shape.resident_blocks > 1) text += ", " + number(shape.resident_blocks) + " thread blocks";
  text += "\n";
  for (block_id b = 0; b < f.program.graph.num_blocks(); ++b) {
    text += b == shape.entry ? "> BB" : "  BB";
    text += number(b);
    if (b < f.program.barriers.size() && f.program.barriers[b] != 0) text += " (barrier)";
    text += " ->";
    const auto out = f.program.graph.successors(b);
    text += blocks(std::vector<block_id>(out.begin(), out.end()));
  }
  text += "executed\n";
  for (const law_step& s : f.schedule) {
    text += "  BB" + number(s.block) + " threads";
    for (const std::uint32_t t : s.threads) text += " " + number(t);
    text += "\n";
  }
  return text;
}

}  // namespace testing
}  // namespace v0
}  // namespace simtflow
