// SPDX-License-Identifier: BSL-1.0
//
// Every figure of a run that the library can take (simt/observers/), put together for `--metrics` and `suite`.
#pragma once

#include "lab/own_columns.hpp"
#include <simtflow/analysis/loops.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/instruction_figures.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/lower_bound.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/observers/instruction_profile.hpp>
#include <simtflow/simt/observers/memory_metrics.hpp>
#include <simtflow/simt/observers/metrics.hpp>
#include <simtflow/simt/observers/mixed_iterations.hpp>
#include <simtflow/simt/policy_state.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lab {

/// The shape of memory, and the unit that a warp runs on.
struct machine_model {
  std::uint32_t line_bytes = 128;
  bool half_warps = false;  ///< halves of a warp access memory one after the other, as before compute capability 2.0
  std::uint32_t unit = 16;  ///< lanes of the execution unit, for temporal SIMT
};

/// The least work of any policy: totals of lower_bound over thread blocks.
struct least_work {
  std::uint64_t fetches = 0;
  std::uint64_t warp_instructions = 0;

  void add(const least_work& part) {
    fetches += part.fetches;
    warp_instructions += part.warp_instructions;
  }
};

/// Takes them all: an observer.
class full_metrics {
 public:
  /// \param frontier_sizes by block. Graph, loops and table must outlive the observer.
  /// \param kernel the kernel that runs, which must outlive the observer; null if only its blocks are known
  full_metrics(const machine_model& machine, const simtflow::loop_forest<simtflow::csr_graph>& loops,
               std::span<const std::uint32_t> frontier_sizes, std::uint32_t warp_width,
               const simtflow::ptx::decoded_kernel* kernel)
      : temporal_(machine.unit), frontiers_(frontier_sizes), mixed_(loops), kernel_(kernel), warp_width_(warp_width) {
    if (kernel != nullptr) profile_.emplace(kernel->weights());
    memory_.lines.line_bytes = machine.line_bytes;
    memory_.lines.together = memory_.banks.together = machine.half_warps ? (warp_width + 1) / 2 : 0;
  }

  /// The events it takes: those that one of its parts takes.
  template <class Event>
  void operator()(const Event& e) {
    tell(e, widths_, activity_, temporal_, depth_, places_, frontiers_, mixed_, memory_);
    for (const auto& own : own_) tell(e, *own);
    if (profile_) tell(e, *profile_);
  }

  /// The figures that are not in `counts` already, in the order in which they are shown. Figures that mean nothing for
  /// a policy of that scope are left out. `bound` is null if there is none for the run; `work` is the mechanism's.
  ///
  ///   fetches                    blocks executed; reexecuted_blocks: beyond the lower bound
  ///   activity_of_live           lanes used, over the lanes of the warp that have not ended
  ///   activity_of_thread_block   over the threads of the thread block: the thread frontiers paper's activity factor,
  ///                              where the warp is the thread block (--warp-width 1024)
  ///   wN_M                       instructions issued for N to M lanes
  ///   depth_mean                 entries the policy held, over executed blocks
  ///   places_max, places_mean    blocks at which lanes of a warp stood: unique entries; converged_fetches: all at one
  ///   insertions, entries_walked into a sorted list, and what it cost to find the place
  ///   branches_diverged          static branches that did; frontier_*: their static frontiers
  ///   mixed_iterations           blocks executed for lanes in different iterations of a loop
  ///   temporal_*                 issue slots on a unit narrower than the warp
  ///   memory_efficiency          global accesses over transactions; bank_conflicts: extra passes over shared memory
  ///   weighted                   latency-weighted warp instructions, by simtflow/ptx/machine/instruction_figures.hpp
  ///                              like the next two lines; these three only if the kernel is known
  ///   alu_utilization            lanes used by ALU instructions; alu_utilization_on: lanes with an effect
  ///   vector_loads, ...          instructions that access global or local memory, and shared memory
  ///
  /// and the columns of registered observers (lab/lab.hpp). \throws input_error if one has the name of another column.
  [[nodiscard]] std::vector<metric> values(const simtflow::counts& c, simtflow::policy_scope scope,
                                           const least_work* bound, const simtflow::policy_work& work) const;
  [[nodiscard]] const simtflow::memory_metrics& memory() const { return memory_; }
  /// \pre the kernel is known.
  [[nodiscard]] simtflow::ptx::instruction_figures figures() const { return figures_of(*kernel_, *profile_); }

 private:
  template <class Event, class... Parts>
  static void tell(const Event& e, Parts&... parts) {
    const auto one = [&](auto& part) {
      if constexpr (std::invocable<decltype(part), const Event&>) part(e);
    };
    (one(parts), ...);
  }

  simtflow::issue_widths widths_;
  simtflow::lane_activity activity_;
  simtflow::temporal_issues temporal_;
  simtflow::entry_depth depth_;
  simtflow::standing_places places_;
  simtflow::frontier_sizes frontiers_;
  simtflow::mixed_iterations mixed_;
  simtflow::memory_metrics memory_;
  std::optional<simtflow::instruction_profile> profile_;
  std::vector<std::unique_ptr<own_columns>> own_ = columns_of_one_run();
  const simtflow::ptx::decoded_kernel* kernel_;
  std::uint32_t warp_width_;
};

}  // namespace lab
