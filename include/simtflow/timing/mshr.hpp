// SPDX-License-Identifier: BSL-1.0
//
// Miss status holding registers: the lines that a cache has asked the level below for, and who waits for each. An
// access to a line that is already under way waits with the first one and asks for nothing.
//
// Literature: D. Kroft, Lockup-Free Instruction Fetch/Prefetch Cache Organization, ISCA 1981.
#pragma once

#include <simtflow/config.hpp>

#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// The miss status holding registers of one cache. A register is one line under way; an access that waits is a number
/// of the caller's choice and the sectors that it lacks. Registers and places to wait can be limited.
class mshr_file {
 public:
  /// "No register."
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;

  /// `registers` lines can be under way, and `merges` accesses can wait for each; 2^32 - 1 is no limit.
  constexpr mshr_file(std::uint32_t registers, std::uint32_t merges) : registers_(registers), merges_(merges) {}

  /// True if no register is free. O(1).
  [[nodiscard]] bool full() const { return used_ >= registers_; }
  /// True if one more access can wait at register r. O(1). \pre r is open.
  [[nodiscard]] bool accepts(std::uint32_t r) const { return line_[r].waiting < merges_; }
  /// The registers in use. O(1).
  [[nodiscard]] std::uint32_t size() const { return used_; }

  /// Takes a register for a line. \pre !full(). O(1).
  std::uint32_t open() {
    ++used_;
    std::uint32_t r = free_line_;
    if (r == none) {
      r = static_cast<std::uint32_t>(line_.size());
      line_.emplace_back();
    } else {
      free_line_ = line_[r].first;
    }
    line_[r] = {};
    return r;
  }

  /// Lets `who` wait at register r until `sectors` are there. \pre accepts(r), sectors != 0. O(1).
  void wait(std::uint32_t r, std::uint32_t who, std::uint32_t sectors) {
    std::uint32_t w = free_waiter_;
    if (w == none) {
      w = static_cast<std::uint32_t>(waiter_.size());
      waiter_.emplace_back();
    } else {
      free_waiter_ = waiter_[w].next;
    }
    waiter_[w] = {who, sectors, none};
    line& l = line_[r];
    (l.last == none ? l.first : waiter_[l.last].next) = w;
    l.last = w;
    ++l.waiting;
  }

  /// Notes that `sectors` of the line at register r have come, and calls f(who) for each access that lacks nothing now,
  /// in the order of wait(). f must not call the file. \pre r is open. O(accesses that wait at r).
  template <class F>
  void fill(std::uint32_t r, std::uint32_t sectors, F f) {
    line& l = line_[r];
    std::uint32_t* link = &l.first;
    l.last = none;
    while (*link != none) {
      const std::uint32_t w = *link;
      waiter_[w].lacks &= ~sectors;
      if (waiter_[w].lacks != 0) {
        l.last = w;
        link = &waiter_[w].next;
        continue;
      }
      *link = waiter_[w].next;
      waiter_[w].next = free_waiter_;
      free_waiter_ = w;
      --l.waiting;
      f(waiter_[w].who);
    }
  }

  /// Gives register r back. \pre r is open and no access waits there. O(1).
  void close(std::uint32_t r) {
    SIMTFLOW_EXPECTS(line_[r].waiting == 0, "a register is closed once every access has its answer");
    line_[r].first = free_line_;
    free_line_ = r;
    --used_;
  }

 private:
  struct line {
    std::uint32_t first = none;
    std::uint32_t last = none;
    std::uint32_t waiting = 0;
  };
  struct waiter {
    std::uint32_t who = 0;
    std::uint32_t lacks = 0;
    std::uint32_t next = none;
  };
  std::uint32_t registers_;
  std::uint32_t merges_;
  std::uint32_t used_ = 0;
  std::uint32_t free_line_ = none;
  std::uint32_t free_waiter_ = none;
  std::vector<line> line_;
  std::vector<waiter> waiter_;
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow
