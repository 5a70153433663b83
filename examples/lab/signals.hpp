// SPDX-License-Identifier: BSL-1.0
//
// What happens when a signal asks the tool to end (SIGINT, SIGTERM, SIGHUP): what is there is printed, parts of files
// are removed, and the exit status is 128 and the number of the signal, as shells have it: 130 for SIGINT. Where there
// are no POSIX signals, nothing of this happens.
#pragma once

#include <functional>

namespace lab::signals {

/// From now on a thread of its own waits for these signals, and a reader of standard output that goes away is an error
/// of writing. Called once, before other threads begin.
void watch();

/// The last words of a command, as long as this lives. One at a time.
class on_stop {
 public:
  /// \param last_words is called with the number of the signal on another thread, while the command goes on; it
  /// returns false if the tool is to end now, true if the command ends soon by itself. A second signal ends the tool.
  explicit on_stop(std::function<bool(int)> last_words);
  /// Waits until last words that have begun are over.
  ~on_stop();
  on_stop(const on_stop&) = delete;
  on_stop& operator=(const on_stop&) = delete;
};

/// The signal that has come; 0: none.
[[nodiscard]] int caught();

/// Ends as a program ends whose reader has gone away: by SIGPIPE.
[[noreturn]] void end_without_reader();

}  // namespace lab::signals
