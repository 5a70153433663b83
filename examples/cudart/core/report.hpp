// SPDX-License-Identifier: BSL-1.0
//
// The report of a program: a row for each launch of a kernel, as CSV or JSON. The file is whole after each row, so that
// a program that is killed leaves what there is.
#pragma once

#include <simtflow/cuda/launch_row.hpp>

#include <cstdio>
#include <string>

namespace cudart {

/// A report that is being written.
class report_file {
 public:
  report_file() = default;
  report_file(const report_file&) = delete;
  report_file& operator=(const report_file&) = delete;
  ~report_file();

  /// Opens the file and writes its head. \param path ends in .csv or .json \returns why it cannot be written; empty: it
  /// can. An older file is overwritten.
  [[nodiscard]] std::string open(const std::string& path);

  /// Adds a row and flushes. Nothing without a file.
  void add(const simtflow::cuda::launch_row& row);

 private:
  std::FILE* file_ = nullptr;
  bool is_json_ = false;
  bool is_empty_ = true;
};

/// The branches of each launch that executed them: a row for each branch, as CSV.
class profile_file {
 public:
  profile_file() = default;
  profile_file(const profile_file&) = delete;
  profile_file& operator=(const profile_file&) = delete;
  ~profile_file();

  /// Opens the file and writes its head. \param path ends in .csv \returns why it cannot be written; empty: it can.
  [[nodiscard]] std::string open(const std::string& path);

  /// Adds the rows of a launch and flushes. Nothing without a file or without a profile of the launch.
  void add(const simtflow::cuda::launch_row& row);

 private:
  std::FILE* file_ = nullptr;
};

/// The name of a C++ function without its parameters, or `symbol` if it is no name of C++.
[[nodiscard]] std::string readable_name(const std::string& symbol);

}  // namespace cudart
