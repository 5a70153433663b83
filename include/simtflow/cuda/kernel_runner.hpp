// SPDX-License-Identifier: BSL-1.0
//
// Runs the grid of one launch under a policy that is known by its name only: with masks as wide as the policy's scope,
// without time or on a machine. Policies of the default priority order that deadlock at a barrier run again in the
// barrier-aware order, on memory as it was.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/ptx/machine/arguments.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/fault.hpp>
#include <simtflow/ptx/machine/launch.hpp>
#include <simtflow/ptx/machine/memory.hpp>
#include <simtflow/ptx/machine/other_threads.hpp>
#include <simtflow/ptx/text/warp_profile.hpp>
#include <simtflow/simt/observers/branch_profile.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/observers/thread_paths.hpp>
#include <simtflow/simt/policy_facts.hpp>
#include <simtflow/simt/policy_names.hpp>
#include <simtflow/simt/verdict.hpp>
#include <simtflow/timing/branch_costs.hpp>
#include <simtflow/timing/machine.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace cuda {

/// A kernel with all that its launches share. It stays at its place.
class runnable_kernel {
 public:
  /// Takes a kernel. Complexity: linear in its blocks.
  explicit runnable_kernel(ptx::decoded_kernel code);
  runnable_kernel(const runnable_kernel&) = delete;
  runnable_kernel& operator=(const runnable_kernel&) = delete;

  /// The kernel.
  [[nodiscard]] const ptx::decoded_kernel& code() const { return code_; }
  /// The facts that policies are made from.
  [[nodiscard]] policy_facts& facts() { return facts_; }
  /// The control-flow graph: the ways of threads.
  [[nodiscard]] const csr_graph& graph() const { return graph_; }
  /// The functions side by side.
  [[nodiscard]] const csr_graph& bodies() const { return bodies_; }
  /// By block: its instructions.
  [[nodiscard]] const std::vector<std::uint32_t>& weights() const { return weights_; }
  /// By block: non-zero if it ends in a barrier.
  [[nodiscard]] const std::vector<unsigned char>& barriers() const { return barriers_; }

 private:
  ptx::decoded_kernel code_;
  csr_graph graph_, bodies_;
  std::vector<unsigned char> barriers_;
  std::vector<std::uint32_t> weights_;
  policy_facts facts_;
};

/// Hears of the threads' paths, thread block by thread block.
class path_listener {
 public:
  path_listener() = default;
  path_listener(const path_listener&) = delete;
  path_listener& operator=(const path_listener&) = delete;
  virtual ~path_listener() = default;
  /// A thread block has run to its end. \param paths the blocks of each of its threads; valid during the call
  virtual void thread_block(const thread_paths& paths) = 0;
};

/// The conditions of a run.
struct run_conditions {
  const policy_choice* policy = nullptr;     ///< the policy
  const timing::machine* machine = nullptr;  ///< takes cycles; null: no time
  std::uint32_t registers = 0;               ///< of a thread, for the occupancy; 0: no limit
  std::uint32_t threads = 1;                 ///< host threads; 0: as many as the host has. Time takes one
  std::uint64_t steps = ~std::uint64_t{0};   ///< blocks that a thread block may execute
  const std::atomic<bool>* stop = nullptr;   ///< ends the run soon after it becomes true; null: nobody stops it
  /// True if thread blocks may wait for each other: they run side by side, without paths.
  bool cooperative = false;
  bool profile = false;            ///< True if the branch profile is taken, on one host thread
  path_listener* paths = nullptr;  ///< hears of paths; then one host thread runs; null: nobody
};

/// The result of a run.
struct run_result {
  outcome how = outcome::finished;  ///< how it ended
  simtflow::counts counts;  ///< of all thread blocks that ran; a policy of core scope on a machine fetches instructions
  std::uint64_t cycles = 0;        ///< core cycles, on a machine
  std::uint64_t steps = 0;         ///< blocks executed
  ptx::fault_info fault;           ///< if the run ended in a fault
  std::uint64_t thread_block = 0;  ///< where it ended, unless it finished
  std::string words;               ///< the end in words, unless it finished
  position where;                  ///< the place in the text; line 0: none
  std::string printed;             ///< all that threads printed
  bool lost_output = false;        ///< True if more was printed
  bool stopped = false;            ///< True if run_conditions::stop ended it
  std::string other_order;         ///< why it ran in another priority order; empty: it did not
  ptx::warp_profile profile;  ///< if it was asked for, on no machine and without thread blocks that wait for each other
  branch_profile branches;    ///< if the profile was asked for, on no machine
  std::optional<timing::branch_costs> costs;  ///< if the profile was asked for, on a machine
};

/// The reason, in words, why a policy cannot run a launch of a kernel; empty: it can.
/// \param kernel the kernel
/// \param config the launch
/// \param how the policy, and the machine if there is one
[[nodiscard]] SIMTFLOW_INLINE std::string why_not_run(runnable_kernel& kernel, const ptx::launch_config& config,
                                                      const run_conditions& how);

/// Runs all thread blocks of a launch.
/// \param kernel the kernel
/// \param config its shape; group_width is set as the policy needs it
/// \param memory is changed
/// \param args its arguments
/// \param how policy, machine and limits
/// \returns how it ended. Memory written before a fault stays written. \pre why_not_run() is empty, and
/// ptx::check_launch() finds nothing.
[[nodiscard]] SIMTFLOW_INLINE run_result run_kernel(runnable_kernel& kernel, ptx::launch_config config,
                                                    ptx::device_memory& memory, const ptx::arguments& args,
                                                    const run_conditions& how);

namespace detail {

// As run_kernel(), on how.machine and in the priority order that the kernel's facts have.
[[nodiscard]] SIMTFLOW_INLINE run_result run_timed(runnable_kernel& kernel, const ptx::launch_config& config,
                                                   ptx::device_memory& memory, const ptx::arguments& args,
                                                   const run_conditions& how);

}  // namespace detail

inline runnable_kernel::runnable_kernel(ptx::decoded_kernel code)
    : code_(std::move(code)),
      graph_(code_.cfg()),
      bodies_(code_.bodies()),
      barriers_(code_.barriers()),
      weights_(code_.weights()),
      facts_(graph_, {.bodies = &bodies_, .barriers = barriers_, .weights = weights_}) {
  facts_.set_strong_reads(ptx::strong_reads(code_));
}

}  // namespace cuda
}  // namespace v0
}  // namespace simtflow

#if !defined(SIMTFLOW_COMPILED)
#include <simtflow/cuda/detail/kernel_runner_impl.hpp>
#include <simtflow/cuda/detail/timed_runner_impl.hpp>
#endif
