// SPDX-License-Identifier: BSL-1.0
//
// The time that a warp alone takes for a sequence of instructions on a core that issues in order and waits when a
// register is needed before it is there (stall on use): one instruction a cycle at most, and an instruction that reads
// or writes a register waits until the last write of this register is done. Memory answers in fixed time, and units
// are never busy.
#pragma once

#include <simtflow/config.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Code with registers and latencies: block b has the instructions [first(b), last(b)), its branch included.
/// `delay(i)` is the number of cycles from the issue of i until an instruction that needs its result can issue.
/// `for_each_read(i, f)` and `for_each_write(i, f)` call f with the number of each register, below num_registers().
template <class M>
concept latency_code = requires(const M& m, block_id b, std::uint32_t i, void (*f)(std::uint32_t)) {
  { m.first(b) } -> std::convertible_to<std::uint32_t>;
  { m.last(b) } -> std::convertible_to<std::uint32_t>;
  { m.delay(i) } -> std::convertible_to<std::uint32_t>;
  { m.num_registers() } -> std::convertible_to<std::size_t>;
  m.for_each_read(i, f);
  m.for_each_write(i, f);
};

/// A clock that instructions are issued on.
class issue_clock {
 public:
  /// Cycle 0, with all registers there. O(registers) the first time, then O(registers written since the last time).
  constexpr void start(std::size_t registers) {
    for (const std::uint32_t r : written_) ready_[r] = 0;
    written_.clear();
    if (ready_.size() < registers) ready_.resize(registers, std::uint64_t{0});
    now_ = issues_ = 0;
  }
  /// The first cycle in which nothing has been issued yet.
  [[nodiscard]] constexpr std::uint64_t now() const { return now_; }
  /// The instructions that were issued.
  [[nodiscard]] constexpr std::uint64_t issues() const { return issues_; }

  /// The first cycle in which instruction i could issue. O(registers of i).
  template <latency_code M>
  [[nodiscard]] constexpr std::uint64_t earliest(const M& code, std::uint32_t i) const {
    std::uint64_t at = now_;
    const auto wait = [&](std::uint32_t r) {
      if (ready_[r] > at) at = ready_[r];
    };
    code.for_each_read(i, wait);
    code.for_each_write(i, wait);
    return at;
  }
  /// Issues instruction i as early as it can be. O(registers of i).
  template <latency_code M>
  constexpr void issue(const M& code, std::uint32_t i) {
    const std::uint64_t at = earliest(code, i);
    code.for_each_write(i, [&](std::uint32_t r) {
      if (ready_[r] == 0) written_.push_back(r);
      ready_[r] = at + code.delay(i);
    });
    now_ = at + 1;
    ++issues_;
  }
  /// Other instructions: so many of them, so many cycles from the first one on.
  constexpr void spend(std::uint64_t instructions, std::uint64_t cycles) {
    issues_ += instructions;
    now_ += cycles;
  }

 private:
  std::vector<std::uint64_t> ready_;    // by register: the cycle from which on it is there
  std::vector<std::uint32_t> written_;  // registers with another value than 0 there
  std::uint64_t now_ = 0, issues_ = 0;
};

}  // namespace v0
}  // namespace simtflow
