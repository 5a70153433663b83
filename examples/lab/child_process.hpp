// SPDX-License-Identifier: BSL-1.0
//
// Runs other programs, without a shell in between.
#pragma once

#include <spawn.h>

#include <filesystem>
#include <span>
#include <string>

namespace lab {

/// A folder of our own, gone at the end.
class scratch_folder {
 public:
  /// \param what it is for, in messages \throws input_error if there is none to be had.
  explicit scratch_folder(const std::string& what);
  ~scratch_folder();
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Signals as a program finds them that a shell starts: the tool blocks some and ignores one (lab/signals.hpp).
class usual_signals {
 public:
  usual_signals();
  ~usual_signals();
  usual_signals(const usual_signals&) = delete;
  usual_signals& operator=(const usual_signals&) = delete;
  [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

/// How a program ended.
struct child_result {
  bool found = true;   ///< false: there is no such program
  bool good = false;   ///< it ended with status 0
  std::string ending;  ///< "exit status 1", "signal 11"
  std::string output;  ///< standard output and standard error together, at most 64 KiB of them
};

/// Runs a program and waits for it. The first word names it, the others are its arguments.
/// Its standard input is empty. \param folder where it runs; empty: the current one
/// \throws input_error if it cannot be started for another reason than that it is not there.
[[nodiscard]] child_result run_program(std::span<const std::string> words, const std::string& folder = {});

/// The words as a person types them, in quotation marks where they have to be.
[[nodiscard]] std::string command_text(std::span<const std::string> words);

}  // namespace lab
