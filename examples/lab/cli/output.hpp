// SPDX-License-Identifier: BSL-1.0
//
// Output of commands: lines to standard error, reports, event traces, a line of progress.
#pragma once

#include "lab/commands.hpp"
#include "lab/files.hpp"
#include "lab/report.hpp"
#include "lab/signals.hpp"
#include "lab/view.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lab::cli {

/// A line to standard error; if nobody can hear it, so be it.
void say(const std::string& line);

// The event trace that was asked for, and the file that it goes to.
class event_file {
 public:
  event_file(lab::policy_options& options, const std::string& path, const std::vector<std::string>& inputs)
      : path_(path) {
    if (path.empty()) return;
    log_.json = path.ends_with(".json");
    if (!log_.json && !path.ends_with(".csv"))
      throw lab::input_error(fmt::format("{}: is neither .csv nor .json", path));
    lab::refuse_to_overwrite(path, inputs);
    options.events = &log_;
  }
  // Writes the file if show() could print the report, and returns what that returned.
  template <class Show>
  int write(Show&& show) const {
    if (path_.empty()) return show();
    lab::draft file(path_, log_.text);
    const int status = show();
    file.commit();
    if (!log_.cut.empty()) say(fmt::format("{}: {}", path_, log_.cut));
    if (log_.left_out != 0)
      say(fmt::format("{}: the first {} events; {} more are left out", path_, log_.most, log_.left_out));
    return status;
  }

 private:
  std::string path_;
  lab::event_log log_;
};

// One line that tells what runs now, where somebody watches; gone when this is.
class progress_line {
 public:
  explicit progress_line(lab::policy_options& options) : progress_line(options.progress) {}
  explicit progress_line(std::function<void(const std::string&)>& progress) {
#if __has_include(<unistd.h>)
    if (isatty(STDERR_FILENO) == 0) return;
    progress = [this](const std::string& what) {
      const std::scoped_lock lock(shows_);
      shown_ = true;
      std::fputs(("\r\x1b[K" + what).c_str(), stderr);
      std::fflush(stderr);
    };
#else
    (void)progress;
#endif
  }
  ~progress_line() {
    if (shown_) std::fputs("\r\x1b[K", stderr);
  }
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

 private:
  std::mutex shows_;
  bool shown_ = false;
};

/// Rows for programs: printed in place of the text, or written to files beside it.
struct row_output {
  std::string csv, json;  ///< empty: not asked for; "true": printed; else a file

  /// The format that is printed.
  [[nodiscard]] lab::report_format format() const;
  [[nodiscard]] bool asked_for_csv() const { return !csv.empty(); }
  /// The same without files.
  [[nodiscard]] row_output printed() const { return {csv == "true" ? csv : "", json == "true" ? json : ""}; }
  /// The files that are written.
  [[nodiscard]] std::vector<std::string> files() const;
  /// \throws input_error if both would be printed, if files are the same one, or one of the inputs
  void check(std::span<const std::string> inputs) const;
};

/// Writes the files, then prints. Remarks go to standard error where what is printed has no place for them.
/// \returns the exit status.
int deliver(const row_output& rows, const std::function<std::string(lab::report_format)>& text_of, bool good,
            const std::vector<std::string>& remarks = {});

/// The last words of a command that a signal ends: what it has so far. Nothing is printed before there is something.
class partial_result {
 public:
  partial_result()
      : stop_([this](int) {
          speak();
          return false;
        }) {}
  /// Sets what is printed from now on.
  void keep(std::function<void()> print) {
    const std::scoped_lock lock(changes_);
    print_ = std::move(print);
  }

 private:
  void speak();
  std::mutex changes_;
  std::function<void()> print_;
  signals::on_stop stop_;
};

/// Keeps each report that it gets as the last words.
template <class Report>
[[nodiscard]] std::function<void(const Report&)> keep_in(partial_result& last, const row_output& rows) {
  return [&last, rows](const Report& r) {
    last.keep([there = std::make_shared<const Report>(r), rows] {
      deliver(
          rows, [&](lab::report_format format) { return to_text(*there, format); }, true);
    });
  };
}

/// Shows or writes what was made, then says what there is to say about it. An empty path is standard output. \returns
/// the exit status
int show_view(const std::string& text, const std::vector<std::string>& remarks, bool good, const std::string& path);

/// \throws input_error if the output is among the inputs
void refuse_to_overwrite_view(const lab::view_options& view, const std::string& output);

}  // namespace lab::cli
