// SPDX-License-Identifier: BSL-1.0
//
// Output of commands: lines to standard error, reports, event traces, a line of progress.
#pragma once

#include "lab/commands.hpp"
#include "lab/files.hpp"
#include "lab/report.hpp"
#include "lab/view.hpp"

#include <fmt/format.h>

#include <functional>
#include <string>
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
  bool shown_ = false;
};

/// Prints a report; \returns the exit status.
int show(const lab::report& r, lab::report_format format);

/// Shows or writes what was made, then says what there is to say about it. An empty path is standard output. \returns
/// the exit status
int show_view(const std::string& text, const std::vector<std::string>& remarks, bool good, const std::string& path);

/// \throws input_error if the output is among the inputs
void refuse_to_overwrite_view(const lab::view_options& view, const std::string& output);

}  // namespace lab::cli
