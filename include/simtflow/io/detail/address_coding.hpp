// SPDX-License-Identifier: BSL-1.0
//
// Addresses of a trace file as differences from what is expected of them (trace_text.hpp has the rule). In most kernels
// nearly all threads have the same differences, most of them zero.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/io/recording.hpp>
#include <simtflow/timing/recorded_code.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

// Expects addresses. Differences wrap around, so every address can be written.
class address_predictor {
 public:
  // \param accesses of the code
  explicit address_predictor(std::size_t accesses) : last_(accesses) {}

  void begin_thread() { ++thread_; }
  // The address that is expected of the thread's next access.
  [[nodiscard]] std::uint64_t expected(std::size_t access) const {
    const state& s = last_[access];
    return s.thread == thread_ ? s.address + s.step : s.first + s.across;
  }
  // The address that it has.
  void add(std::size_t access, std::uint64_t address) {
    state& s = last_[access];
    if (s.thread == thread_) {
      s.step = address - s.address;
    } else {
      s.across = s.thread == 0 ? 0 : address - s.first;
      s.first = address;
      s.thread = thread_;
    }
    s.address = address;
  }

 private:
  struct state {
    std::uint64_t thread = 0;             // that made it last; 0: none
    std::uint64_t address = 0;            // of the last time
    std::uint64_t step = 0;               // from one time to the next
    std::uint64_t first = 0, across = 0;  // of the thread's first time, and from there to the next thread's
  };
  std::vector<state> last_;  // by access
  std::uint64_t thread_ = 0;
};

// Calls visit(access) for each access that a thread with the path makes or leaves out, in order.
template <class Path, class Visit>
void for_each_access(const timing::recorded_code& code, const Path& path, const Visit& visit) {
  for (const block_id b : path) {
    const std::size_t last = code.first_access[code.first[b + 1]];
    for (std::size_t a = code.first_access[code.first[b]]; a < last; ++a) visit(a);
  }
}

// Words of a `d` line: equal ones in a row become one.
class difference_words {
 public:
  void clear() {
    text_.clear();
    count_ = 0;
  }
  // \param none the access is left out
  void add(bool none, std::uint64_t difference) {
    if (count_ != 0 && none == none_ && (none || difference == difference_)) {
      ++count_;
      return;
    }
    end_run();
    none_ = none;
    difference_ = difference;
    count_ = 1;
  }
  // The words, each with a blank before it.
  [[nodiscard]] const std::string& text() {
    end_run();
    return text_;
  }

 private:
  void end_run() {
    if (count_ == 0) return;
    text_ += ' ';
    const bool negative = difference_ >> 63U != 0;
    if (none_)
      text_ += '-';
    else
      text_ += (negative ? "-" : "") + std::to_string(negative ? 0 - difference_ : difference_);
    if (count_ > 1) text_ += '*' + std::to_string(count_);
    count_ = 0;
  }

  std::string text_;
  bool none_ = false;
  std::uint64_t difference_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace detail

}  // namespace v0
}  // namespace simtflow
