// SPDX-License-Identifier: BSL-1.0
//
// How far a run is, for somebody who watches.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace lab {

/// How far a run is. Host threads count into it together.
class progress_meter {
 public:
  /// \param show is called with the blocks executed so far, now and then, by one host thread at a time.
  explicit progress_meter(std::function<void(std::uint64_t)> show) : show_(std::move(show)) {}

  /// Some more blocks.
  void count(std::uint64_t blocks) {
    const std::uint64_t now = blocks_ += blocks;
    if (shows_.test_and_set()) return;  // another one does
    if (const auto time = clock::now(); time - shown_ > std::chrono::milliseconds(200)) {
      show_(now);
      shown_ = time;
    }
    shows_.clear();
  }

 private:
  using clock = std::chrono::steady_clock;
  std::function<void(std::uint64_t)> show_;
  clock::time_point shown_ = clock::now();
  std::atomic<std::uint64_t> blocks_{0};
  std::atomic_flag shows_ = ATOMIC_FLAG_INIT;
};

/// Tells somebody which policy runs, and how far it is: "tf, 12.5 million blocks".
class policy_progress {
 public:
  /// \param tell is told. Nobody is, if it is empty. It must outlive this object.
  explicit policy_progress(const std::function<void(const std::string&)>& tell);
  policy_progress(const policy_progress&) = delete;
  policy_progress& operator=(const policy_progress&) = delete;

  /// A policy runs from now on.
  void begin(const std::string& name);
  /// The meter for its runs; null if nobody is told.
  [[nodiscard]] progress_meter* meter() { return meter_ ? &*meter_ : nullptr; }

 private:
  const std::function<void(const std::string&)>* tell_;
  std::string now_;
  std::optional<progress_meter> meter_;
};

}  // namespace lab
