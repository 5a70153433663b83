// SPDX-License-Identifier: BSL-1.0
//
// Runs a plan: a program with the blocks of the plan. Originals and copies execute the block of the program that
// the plan was made for; guards and empty blocks test and set the variables that every thread has of its own. So any
// transform can be held against the program it started from, under any policy, before any code is written.
//
// Additions of a plan are counted apart from the program's own instructions: its blocks weigh nothing, overhead() says
// how often warps went through them.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/simt/launch.hpp>
#include <simtflow/simt/program.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The cost of the blocks and edges that a plan added, in executions by a group of lanes.
struct plan_overhead {
  std::uint64_t guard_tests = 0;  ///< guards executed
  std::uint64_t empties = 0;      ///< empty blocks executed
  std::uint64_t assignments = 0;  ///< executed blocks after which one lane or more had a variable set
};

/// A program as a plan has it, for masks of type Mask. The plan and the graph must outlive it, and what Program names,
/// if it is a reference. Among edges with one source and one target in the graph it takes the first one.
template <class Program, class Mask = lane_mask>
class planned_program {
 public:
  /// \pre `plan` was made for `graph`, which is the graph of `program`: a lane leaves a block only along its edges.
  constexpr planned_program(const flow_plan& plan, const csr_graph& graph, Program program)
      : plan_(&plan), graph_(&graph), program_(static_cast<Program&&>(program)) {
    SIMTFLOW_EXPECTS(plan.num_originals() == graph.num_blocks(), "a plan runs on the graph that it was made for");
  }

  /// Makes every variable of every thread zero, and begins the program at the entry of its graph. The executor calls
  /// it. O(threads times variables), plus the program's own.
  constexpr void begin(const launch& shape) {
    values_.assign(static_cast<std::size_t>(shape.num_threads()) * plan_->num_variables(), 0);
    if constexpr (program_with_begin<std::remove_reference_t<Program>>) {
      launch original = shape;
      original.entry = graph_->entry();
      program_.begin(original);
    }
  }

  /// One block for a group of lanes. The block_end is the one of the program's block. O(lanes times what edges set),
  /// plus the program's own. \pre the lanes are threads of begin()
  constexpr block_end run(block_id b, const basic_group<Mask>& g, basic_partition<Mask>& out) {
    const plan_block& block = (*plan_)[b];
    runs_program_ = block.role != plan_role::guard && block.role != plan_role::empty;
    switch (block.role) {
      case plan_role::guard: {
        ++overhead_.guard_tests;
        Mask in;
        g.lanes.for_each([&](std::uint32_t lane) {
          const std::uint32_t v = value(g.first_thread + lane, block.variable);
          if (v >= block.low && v <= block.high) in.set(lane);
        });
        bool sets = follow(b, 0, g, in, out);
        sets = follow(b, 1, g, g.lanes - in, out) || sets;
        overhead_.assignments += sets ? 1 : 0;
        return block_end::next;
      }
      case plan_role::empty:
        ++overhead_.empties;
        if (!plan_->successors(b).empty()) overhead_.assignments += follow(b, 0, g, g.lanes, out) ? 1 : 0;
        return block_end::next;
      default:
        break;
    }
    went_.clear();
    const block_end end = program_.run(block.executes, g, went_);
    if (end == block_end::fault) return end;
    Mask left = g.lanes;
    bool sets = false;
    for (const basic_fragment<Mask>& f : went_.fragments()) {
      left -= f.lanes;
      const auto successors = graph_->successors(block.executes);
      std::size_t slot = 0;
      while (slot < successors.size() && successors[slot] != f.block) ++slot;
      SIMTFLOW_EXPECTS(slot < plan_->num_outcomes(b), "a program goes along the edges of its graph");
      sets = follow(b, slot, g, f.lanes, out) || sets;
    }
    if (block.exit_edge && left.any()) sets = follow(b, plan_->num_outcomes(b), g, left, out) || sets;
    overhead_.assignments += sets ? 1 : 0;
    return end;
  }

  /// The program's own instructions in a block; none in what the plan has added.
  [[nodiscard]] constexpr std::uint32_t weight(block_id b) const {
    const plan_role role = (*plan_)[b].role;
    if (role == plan_role::guard || role == plan_role::empty) return 0;
    if constexpr (weighted_program<const std::remove_reference_t<Program>>)
      return static_cast<std::uint32_t>(program_.weight((*plan_)[b].executes));
    else
      return 1;
  }

  /// As the program reports it; nothing for blocks that the plan has added.
  [[nodiscard]] constexpr std::span<const basic_predicated_off<Mask>> predicated_off() const
      requires(predicated_program<std::remove_reference_t<Program>, Mask>) {
    if (!runs_program_) return {};
    return program_.predicated_off();
  }

  /// The state of the program and all variables, for limits::detect_livelock.
  constexpr void remember() requires(program_with_memory<std::remove_reference_t<Program>>) {
    program_.remember();
    remembered_ = values_;
  }
  /// Whether all of it is as it was.
  [[nodiscard]] constexpr bool as_remembered() requires(program_with_memory<std::remove_reference_t<Program>>) {
    return program_.as_remembered() && remembered_ == values_;
  }

  /// Since this program was made.
  [[nodiscard]] constexpr const plan_overhead& overhead() const { return overhead_; }
  /// The value that a variable of a thread has now.
  [[nodiscard]] constexpr std::uint32_t value(std::uint32_t thread, std::uint32_t variable) const {
    return values_[std::size_t{thread} * plan_->num_variables() + variable];
  }
  /// The program that the original blocks run.
  [[nodiscard]] constexpr const std::remove_reference_t<Program>& program() const { return program_; }

 private:
  // Lanes go along an edge. Whether it sets something.
  constexpr bool follow(block_id b, std::size_t slot, const basic_group<Mask>& g, const Mask& lanes,
                        basic_partition<Mask>& out) {
    if (lanes.none()) return false;
    const flow_plan::edge e = plan_->successors(b)[slot];
    sets_.clear();
    plan_->for_each_assignment(e, [&](plan_assignment a) { sets_.push_back(a); });
    if (!sets_.empty())
      lanes.for_each([&](std::uint32_t lane) {
        const std::size_t at = (g.first_thread + lane) * std::size_t{plan_->num_variables()};
        for (const plan_assignment& a : sets_) values_[at + a.variable] = a.value;
      });
    out.go(e.to, lanes);
    return !sets_.empty();
  }

  const flow_plan* plan_;
  const csr_graph* graph_;
  Program program_;
  std::vector<std::uint32_t> values_, remembered_;  // by thread and variable
  std::vector<plan_assignment> sets_;
  basic_partition<Mask> went_;
  plan_overhead overhead_;
  bool runs_program_ = false;  // the block that ran last is the program's
};

}  // namespace v0
}  // namespace simtflow
