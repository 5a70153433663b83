// SPDX-License-Identifier: BSL-1.0
//
// Writes launches as launch files, for `simtflow-lab run`: the module, the arguments, and memory before and after.
#pragma once

#include "lab/launch_writer.hpp"
#include <simtflow/cuda/launch_row.hpp>
#include <simtflow/ptx/machine/memory.hpp>

#include <optional>
#include <string>
#include <vector>

namespace cudart {

/// Writes every launch of a device that finishes. A launch file has neither textures nor the kernels' heap, and its
/// thread blocks do not wait for each other: launches that need that are left out.
class recorder {
 public:
  /// \param folder for the files \returns why it cannot be made; empty: it is there
  [[nodiscard]] std::string open(const std::string& folder);
  /// Keeps what the kernel finds. Nothing without a folder.
  void before(const simtflow::cuda::launch_start& launch);
  /// Writes the launch with what the kernel leaves. \returns why it cannot be written; empty: it is
  [[nodiscard]] std::string after(const simtflow::cuda::launch_row& row);

 private:
  std::string folder_;
  lab::recorded_launch launch_;
  std::vector<unsigned char> arguments_;
  std::optional<simtflow::ptx::device_memory> before_;
  std::string left_out_;                                  // why the launch that runs is not written; empty: it is
  const simtflow::ptx::device_memory* memory_ = nullptr;  // of the launch that runs
};

}  // namespace cudart
