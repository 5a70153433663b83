// SPDX-License-Identifier: BSL-1.0
//
// A kernel with its launch, ready to run under any policy and to be held against the oracle: what `run`, `record` and
// `suite` have in common.
#pragma once

#include "lab/branch_table.hpp"
#include "lab/conditions.hpp"
#include "lab/kernel_file.hpp"
#include "lab/launch_file.hpp"
#include "lab/policies.hpp"
#include "lab/report.hpp"
#include "lab/schedule.hpp"
#include "lab/watch.hpp"
#include <simtflow/analysis/loops.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/machine/interpreter.hpp>
#include <simtflow/ptx/machine/memory.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace simtflow {
inline namespace v0 {
class branch_profile;
namespace ptx {
class access_record;
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

namespace lab {

struct timed_grid;
struct timed_run;
struct sample_run;

/// One policy's run of the whole grid.
struct grid_run {
  simtflow::counts counts;
  simtflow::outcome how = simtflow::outcome::finished;  ///< of the thread block where the run ended
  std::string words;                                    ///< on that, unless it finished
  std::string
      other_order;  ///< priority order it ran in, and why not in the default order; empty: in the order asked for
  simtflow::position where;  ///< in the PTX text, of a fault
  simtflow::policy_work work;
  std::string printed;       ///< by the kernel, thread after thread
  bool lost_output = false;  ///< that is only the beginning
  simtflow::ptx::device_memory memory;
};

class experiment {
 public:
  /// Reads both files and takes the launch that the conditions name; launches before it are run.
  /// \throws input_error if they cannot be used.
  experiment(const std::string& kernel_path, const std::string& launch_path, const run_conditions& conditions);
  /// The same with the launch file read already.
  experiment(const std::string& kernel_path, const launch_file& launch, const run_conditions& conditions);
  /// The same with both files read already. \throws input_error if they do not fit.
  experiment(launch_file launch, kernel_file file, const run_conditions& conditions);
  /// The same with all that is known of it, for another host thread: an experiment is used by one at a time.
  experiment(const experiment& other);
  experiment& operator=(const experiment&) = delete;

  [[nodiscard]] const launch_file& launch() const { return launch_; }
  [[nodiscard]] const kernel_file& file() const { return file_; }
  [[nodiscard]] const simtflow::ptx::decoded_kernel& kernel() const { return file_.kernel; }
  /// The ways of threads; and functions side by side, a call being an edge over it.
  [[nodiscard]] const simtflow::csr_graph& graph() const { return graph_; }
  [[nodiscard]] const simtflow::csr_graph& bodies() const { return bodies_; }
  [[nodiscard]] const schedule& plan() const { return plan_; }
  [[nodiscard]] const simtflow::loop_forest<simtflow::csr_graph>& loops() const { return loops_; }
  [[nodiscard]] const std::vector<unsigned char>& barrier_blocks() const { return has_barrier_; }

  /// Runs each lane alone, once; later calls return the same.
  const grid_run& oracle(progress_meter* progress = nullptr);
  /// The lower bound of the oracle's run. \pre oracle() was called.
  [[nodiscard]] const least_work& bound() const { return bound_; }

  /// Says why the path of a thread can depend on the schedule; empty: it cannot. It can if an instruction tells a
  /// thread when or with whom it runs (machine/other_threads.hpp); if lanes wait for one another by spinning, so that
  /// the oracle does not finish; or if threads of a thread block access the same memory with no barrier in between
  /// (simt/observers/memory_conflicts.hpp). This check runs the oracle again, once. \pre oracle() was called.
  [[nodiscard]] const std::string& schedule_matters();
  /// True if the oracle did not finish because a lane that spins never lets another one run.
  [[nodiscard]] bool oracle_spins() const { return oracle_ && oracle_->how == simtflow::outcome::livelock; }

  /// Why a policy cannot run this, in words; empty if it can.
  [[nodiscard]] std::string not_applicable(const chosen_policy& chosen) const;

  /// Runs the grid. \pre not_applicable() is empty; oracle() was called, or the policy uses no profile.
  [[nodiscard]] grid_run run(const chosen_policy& chosen, const watch_list& watch = {});

  /// Runs the grid in the cycle model; lab/timed_run.hpp has the types. \pre as for run().
  [[nodiscard]] timed_run run_timed(const chosen_policy& chosen, const timed_grid& how);

  /// Runs the grid once more, thread block by thread block, and records what time needs. Threads take the paths of
  /// run(). \pre as for run(), which finished.
  [[nodiscard]] simtflow::outcome record_accesses(const chosen_policy& chosen, simtflow::ptx::access_record& to);

  /// Policies that ask for a profile of branches get this one. \pre of this kernel
  void learn(const edge_counter& edges) { plan_.set_profile(edges.profile()); }
  /// Replays a sample of paths through this code; lab/sample_run.hpp has the types. \pre as for run().
  /// \param blame sees the replay; may be null
  [[nodiscard]] sample_run replay(const chosen_policy& chosen, const simtflow::advice::path_sample& sample,
                                  simtflow::branch_profile* blame = nullptr);

  /// The barrier that each block ends in, if it does; nothing if a register or the warpgroup decides that in a run.
  [[nodiscard]] std::optional<std::vector<simtflow::trace_barrier>> known_barriers() const;

  /// Device memory as every run finds it.
  [[nodiscard]] const simtflow::ptx::device_memory& memory() const { return memory_; }

  /// The setting of a run of the policy. \param other_order of the run
  [[nodiscard]] run_setting setting(const chosen_policy& chosen, const std::string& other_order) const;

  /// The verdict that the launch file expects of the policy.
  [[nodiscard]] std::string expected_verdict(const chosen_policy& chosen) const;

  /// Observers of every metric, for a run of this kernel.
  [[nodiscard]] full_metrics metrics(const machine_model& machine) const;

  /// The branch profile of a run of this kernel, as rows.
  [[nodiscard]] branch_rows branch_rows_of(const simtflow::branch_profile& profile) const;

 private:
  template <class Policy, bool Accesses>
  grid_run run_as(const chosen_policy& chosen, const watch_list& watch, std::uint32_t jobs, bool detect_livelock);
  template <class Mask>
  timed_run run_timed_as(const chosen_policy& chosen, const timed_grid& how);
  template <class Policy>
  sample_run replay_as(const chosen_policy& chosen, const simtflow::advice::path_sample& sample,
                       const std::vector<simtflow::trace_barrier>& named, simtflow::branch_profile* blame);
  template <class Policy>
  simtflow::outcome record_accesses_as(const chosen_policy& chosen, simtflow::ptx::access_record& to);

  launch_file launch_;
  kernel_file file_;
  run_conditions conditions_;
  simtflow::csr_graph graph_, bodies_;
  std::vector<unsigned char> has_barrier_;
  simtflow::loop_forest<simtflow::csr_graph> loops_;
  schedule plan_;
  simtflow::ptx::device_memory memory_;  // as it is at the start
  std::optional<simtflow::ptx::arguments> arguments_;
  least_work bound_;
  std::optional<grid_run> oracle_;
  std::optional<std::string> schedule_matters_;
};

}  // namespace lab
