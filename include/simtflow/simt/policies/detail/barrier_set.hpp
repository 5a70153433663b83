// SPDX-License-Identifier: BSL-1.0
//
// The convergence barriers of one warp: their participants, the rule by which a barrier opens, and the registers that
// hold them. A machine has few registers: if more barriers are armed, the barrier that was used longest ago is moved
// out, and moved in again at its next use.
#pragma once

#include <simtflow/config.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace policies {
namespace detail {

template <class Mask>
struct barrier_state {
  Mask lanes{}, waiting{};                // participants; the participants that wait here
  Mask armed_once{};                      // lanes that have ever been participants
  std::uint64_t last_use = 0, since = 0;  // since: blocks when the first one began to wait
  bool in_register = false, moved_out = false;
};

template <class Mask>
class barrier_set {
 public:
  // Options is convergence_options. \pre options.registers > 0.
  template <class Options>
  constexpr explicit barrier_set(const Options& options)
      : registers_(options.registers), patience_(options.patience), yielded_count_(options.yielded_count) {}

  // No barrier is armed. O(num_barriers).
  constexpr void start(std::uint32_t num_barriers) {
    state_.assign(num_barriers, {});
    armed_.clear();
    in_registers_ = 0;
    clock_ = 0;
    blocks_ = 0;
  }

  // The warp executes a block: lanes that wait at a barrier have waited for one block more.
  constexpr void count_block() { ++blocks_; }

  [[nodiscard]] constexpr barrier_state<Mask>& operator[](std::uint32_t barrier) { return state_[barrier]; }
  [[nodiscard]] constexpr const barrier_state<Mask>& operator[](std::uint32_t barrier) const { return state_[barrier]; }

  // The barriers with participants.
  [[nodiscard]] constexpr const std::vector<std::uint32_t>& armed() const { return armed_; }

  // The lanes become participants. Returns as use(). O(armed barriers).
  constexpr std::uint64_t arm(std::uint32_t barrier, const Mask& lanes) {
    barrier_state<Mask>& x = state_[barrier];
    if (x.lanes.none()) armed_.push_back(barrier);
    x.lanes |= lanes;
    x.armed_once |= lanes;
    return use(x);
  }

  // Nobody participates any more; the register is free. O(armed barriers). \pre the barrier is armed.
  constexpr void disarm(std::uint32_t barrier) {
    barrier_state<Mask>& x = state_[barrier];
    x.lanes = x.waiting = {};
    if (x.in_register) --in_registers_;
    x.in_register = x.moved_out = false;
    for (std::size_t i = 0; i < armed_.size(); ++i)
      if (armed_[i] == barrier) {
        armed_[i] = armed_.back();
        armed_.pop_back();
        return;
      }
  }

  // Participants begin to wait. O(1).
  constexpr void wait(barrier_state<Mask>& x, const Mask& lanes) {
    if (x.waiting.none()) x.since = blocks_;
    x.waiting |= lanes;
  }

  // True if a yield takes effect: lanes have waited long enough at some barrier. O(armed barriers).
  [[nodiscard]] constexpr bool impatient() const {
    if (patience_ == 0) return true;
    for (const std::uint32_t id : armed_)
      if (waited(state_[id]) >= patience_) return true;
    return false;
  }

  // True if lanes wait at the barrier and no participant is missing. O(1).
  [[nodiscard]] constexpr bool opens(const barrier_state<Mask>& x, const Mask& yielded) const {
    Mask missing = x.lanes - x.waiting;
    if (yielded_count_ && waited(x) >= patience_) missing -= yielded;
    return missing.none() && x.waiting.any();
  }

  // Brings an armed barrier into a register; the barrier that was used longest ago makes room. Returns the number of
  // moves out of registers and back. O(armed barriers).
  constexpr std::uint64_t use(barrier_state<Mask>& x) {
    x.last_use = ++clock_;
    if (x.in_register) return 0;
    std::uint64_t moves = 0;
    if (in_registers_ < registers_) {
      ++in_registers_;
    } else {
      barrier_state<Mask>* oldest = nullptr;
      for (const std::uint32_t id : armed_)
        if (state_[id].in_register && (oldest == nullptr || state_[id].last_use < oldest->last_use))
          oldest = &state_[id];
      oldest->in_register = false;
      oldest->moved_out = true;
      ++moves;
    }
    x.in_register = true;
    if (x.moved_out) ++moves;
    x.moved_out = false;
    return moves;
  }

  // True if both have the same participants, who have waited equally long as far as it matters. Registers do not
  // matter, and neither do the lanes that wait: the policy compares its waiting groups. O(armed barriers).
  friend constexpr bool operator==(const barrier_set& a, const barrier_set& b) {
    if (a.armed_ != b.armed_) return false;
    for (const std::uint32_t id : a.armed_)
      if (!(a.state_[id].lanes == b.state_[id].lanes) || a.waited(a.state_[id]) != b.waited(b.state_[id])) return false;
    return true;
  }

 private:
  // The number of blocks for which lanes have waited at a barrier, as far as it matters.
  constexpr std::uint64_t waited(const barrier_state<Mask>& x) const {
    const std::uint64_t blocks = x.waiting.none() ? 0 : blocks_ - x.since;
    return blocks < patience_ ? blocks : patience_;
  }

  std::uint32_t registers_, patience_;
  bool yielded_count_;
  std::vector<barrier_state<Mask>> state_;  // by number
  std::vector<std::uint32_t> armed_;
  std::uint32_t in_registers_ = 0;
  std::uint64_t clock_ = 0;   // uses of barriers
  std::uint64_t blocks_ = 0;  // executed blocks
};

}  // namespace detail
}  // namespace policies
}  // namespace v0
}  // namespace simtflow
