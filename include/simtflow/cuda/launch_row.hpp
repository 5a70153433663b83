// SPDX-License-Identifier: BSL-1.0
//
// A launch as the program asks for it, and the row of a report that comes of it. A launch_listener hears of every
// launch of a device.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/cuda/error.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/machine/arguments.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/launch.hpp>
#include <simtflow/ptx/machine/memory.hpp>
#include <simtflow/ptx/text/warp_profile.hpp>
#include <simtflow/simt/observers/branch_profile.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/observers/thread_paths.hpp>
#include <simtflow/simt/verdict.hpp>
#include <simtflow/timing/branch_costs.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace cuda {

/// Names a loaded module. 0: none. Handles are never used again.
enum class module_handle : std::uint64_t {};
/// Names a kernel of a loaded module. 0: none.
enum class kernel_handle : std::uint64_t {};
/// Names a stream. 0: the legacy default stream; 1 and 2 as in CUDA: cudaStreamLegacy, cudaStreamPerThread.
enum class stream_handle : std::uint64_t {};
/// Names an event. 0: none.
enum class event_handle : std::uint64_t {};

/// The shape of a launch as CUDA has it.
struct launch_shape {
  std::uint32_t grid[3] = {1, 1, 1};       ///< thread blocks
  std::uint32_t block[3] = {1, 1, 1};      ///< threads of a thread block
  std::uint64_t dynamic_shared_bytes = 0;  ///< of each thread block
  bool cooperative = false;                ///< True if thread blocks may wait for each other: all are resident
};

/// The row of one launch.
struct launch_row {
  std::uint64_t number = 0;                      ///< of the launch, from 1
  std::string kernel;                            ///< its name in the text
  launch_shape shape;                            ///< as asked for
  std::uint64_t stream = 0;                      ///< the handle of its stream
  std::string policy;                            ///< as in the settings
  std::string machine;                           ///< as in the settings; empty: none
  simtflow::counts counts;                       ///< of the run
  std::uint64_t cycles = 0;                      ///< core cycles; 0 without a machine
  double milliseconds = 0;                       ///< of the device: cycles by its clock; without a machine of the host
  outcome how = outcome::finished;               ///< how the run ended
  error code = error::success;                   ///< the error that the program gets
  std::string fault;                             ///< in words with kernel, place and thread, if it did not finish
  position where;                                ///< of the fault, in the text of the module
  std::string other_order;                       ///< why it ran in another priority order; empty: it did not
  std::string check;                             ///< under settings::check the comparison in words; empty: not compared
  bool differs = false;                          ///< True if the comparison found a difference
  const ptx::warp_profile* profile = nullptr;    ///< under settings::profile on no machine; valid during the call
  const branch_profile* branches = nullptr;      ///< under settings::profile on no machine; valid during the call
  const timing::branch_costs* costs = nullptr;   ///< under settings::profile on a machine; valid during the call
  const ptx::decoded_kernel* decoded = nullptr;  ///< the kernel that ran; valid during the call
};

/// A launch that is about to run. Everything is valid during the call.
struct launch_start {
  std::uint64_t number = 0;          ///< of the launch, from 1
  launch_shape shape;                ///< as asked for
  std::uint64_t stream = 0;          ///< the handle of its stream
  std::string_view text;             ///< PTX of its module, as loaded
  const ptx::decoded_kernel& code;   ///< the kernel
  const ptx::launch_config& config;  ///< the same shape for an interpreter
  const ptx::arguments& arguments;   ///< of the kernel
  const ptx::device_memory& memory;  ///< as the kernel finds it
};

/// Hears of the launches of a device. Calls come one at a time, from the thread that launches, while the device is
/// locked: they must not call the device.
class launch_listener {
 public:
  launch_listener() = default;
  launch_listener(const launch_listener&) = delete;
  launch_listener& operator=(const launch_listener&) = delete;
  virtual ~launch_listener() = default;
  /// A kernel is about to run. \param launch what runs
  virtual void started(const launch_start& launch) { static_cast<void>(launch); }
  /// A kernel has run, or was refused. \param row what came of it
  virtual void finished(const launch_row& row) { static_cast<void>(row); }
  /// Under settings::paths, on no machine: a thread block has run to its end. \param paths the blocks of its threads;
  /// valid during the call
  virtual void thread_block(const thread_paths& paths) { static_cast<void>(paths); }
  /// A kernel has printed. \param text all that the launch printed, by thread block
  virtual void printed(std::string_view text) { static_cast<void>(text); }
  /// Something that the user should know and that is in no row, as one line without an end of line. \param line for
  /// standard error
  virtual void remark(std::string_view line) { static_cast<void>(line); }
};

}  // namespace cuda
}  // namespace v0
}  // namespace simtflow
