// SPDX-License-Identifier: BSL-1.0
//
// How far a run is, for somebody who watches.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

/// Estimates when work in equal pieces is done.
class time_left {
 public:
  /// ", 3 min left" by the pace so far; empty in the first two seconds, and before a piece is done.
  [[nodiscard]] std::string words(std::size_t done, std::size_t all) const;

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// Tells somebody which policies run, and how far they are: "[3/8, 2 min left] tf + tbc, 12.5 million blocks". Host
/// threads share it.
class policy_progress {
 public:
  /// \param tell is told, by one host thread at a time. Nobody is, if it is empty. It must outlive this object.
  /// \param runs that there are in all; 0: that is not told
  explicit policy_progress(const std::function<void(const std::string&)>& tell, std::size_t runs = 0);
  policy_progress(const policy_progress&) = delete;
  policy_progress& operator=(const policy_progress&) = delete;

  /// A policy runs from now on.
  void begin(const std::string& name);
  /// The policy does not run any more.
  void end(const std::string& name);
  /// One more of all runs is over, or is left out.
  void finish_one();
  /// The meter for all runs; null if nobody is told.
  [[nodiscard]] progress_meter* meter() { return meter_ ? &*meter_ : nullptr; }

 private:
  void show(const std::string& how_far) const;

  const std::function<void(const std::string&)>* tell_;
  std::size_t runs_, finished_ = 0;
  time_left clock_;
  std::mutex changes_;
  std::vector<std::string> now_;
  std::optional<progress_meter> meter_;
};

}  // namespace lab
