// SPDX-License-Identifier: BSL-1.0
//
// Runs a CUDA program on the simulated device, unmodified, once for each policy, and puts the figures of its kernels
// into tables. The program finds the runtime of examples/cudart in place of NVIDIA's.
#pragma once

#include "lab/report.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lab {

/// How a program runs. Texts that are empty leave the environment as it is.
struct cuda_options {
  std::vector<std::string> program;   ///< the program and its arguments; not empty
  std::vector<std::string> policies;  ///< texts for the runtime, one run each; none: pdom
  std::string machine;                ///< a shipped machine, for cycles; empty: none
  std::string jobs;                   ///< host threads for the thread blocks of a grid
  std::string steps;                  ///< most blocks that a thread block may execute
  std::string transforms;             ///< a list with commas
  std::string profile;                ///< where the branches of the one run go; empty: nowhere
  std::string record;                 ///< the folder for launch files; empty: none
  std::string library;                ///< the folder with libcudart.so.13; empty: beside the tool
  bool check = false;                 ///< every launch also runs under the oracle
  bool leaks = false;                 ///< memory that is not freed is listed
  bool launches = false;              ///< a row for each launch instead of each kernel
  std::string tool;                   ///< the path of the tool, to find the library beside it
  /// Told what runs: "tf, 12 launches". Nobody if empty.
  std::function<void(const std::string&)> progress;
};

/// The schema of rows of launches; the CUDA runtime writes the same (examples/cudart).
inline constexpr row_schema cuda_rows = "simtflow.cuda/1";

/// The tables of all runs.
struct cuda_result {
  std::string text;             ///< the tables
  std::vector<table_row> rows;  ///< of each launch of each run
  bool good = false;            ///< True if every run of the program ended with status 0 and every launch finished
};

[[nodiscard]] std::string to_text(const cuda_result& r, report_format format);

/// Runs the program; its output goes where the tool's goes.
/// \throws input_error if the program cannot be started, has NVIDIA's runtime linked into it, or holds no PTX; if a
/// policy is unknown; if the library is not found.
[[nodiscard]] cuda_result run_cuda_program(const cuda_options& options);

}  // namespace lab
