// SPDX-License-Identifier: BSL-1.0
//
// Signals that ask the tool to end (SIGINT, SIGTERM, SIGHUP): it prints what is there and removes parts of files. The
// exit status is 128 and the number of the signal, as shells have it: 130 for SIGINT. Nothing of this happens on
// systems without POSIX signals.
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

/// Ends by SIGPIPE, as programs do when their reader has gone away.
[[noreturn]] void end_without_reader();

}  // namespace lab::signals
