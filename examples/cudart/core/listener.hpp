// SPDX-License-Identifier: BSL-1.0
//
// Writes for each launch of a device rows of the report and the profile, launch files, the text that kernels print and
// remarks; handles the signals that end a program while a kernel runs.
#pragma once

#include "cudart/core/environment.hpp"
#include "cudart/core/recorder.hpp"
#include "cudart/core/report.hpp"
#include <simtflow/cuda/device.hpp>
#include <simtflow/cuda/launch_row.hpp>

#include <string>
#include <string_view>

namespace cudart {

/// Hears of every launch.
class launch_log final : public simtflow::cuda::launch_listener {
 public:
  /// Opens the files. \returns why one cannot be written, with its variable; empty: they are open
  [[nodiscard]] std::string open(const environment& chosen);

  /// From now on SIGINT and SIGTERM end the kernel that runs, and the process after the kernel's row is written. A
  /// signal that the program handles or ignores is left to the program.
  void watch(simtflow::cuda::device& device);

  void started(const simtflow::cuda::launch_start& launch) override;
  void finished(const simtflow::cuda::launch_row& row) override;
  void printed(std::string_view text) override;
  void remark(std::string_view line) override;

 private:
  report_file report_;
  profile_file profile_;
  recorder recorder_;
};

}  // namespace cudart
