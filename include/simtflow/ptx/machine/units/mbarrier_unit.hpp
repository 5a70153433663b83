// SPDX-License-Identifier: BSL-1.0
//
// Instructions on mbarriers, lane after lane: the object lies in shared memory, where copies and other lanes change it.
//
// A wait says at once whether its phase is over; PTX lets try_wait give up after any time. Under a policy that never
// joins lanes, and runs one lane until it ends, a loop around the wait would never end. There the lane stops at the
// wait until its phase is over, or until no other lane can run.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, section "mbarrier".
#pragma once

#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/fault.hpp>
#include <simtflow/ptx/machine/units/lane_addresses.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/memory_spaces.hpp>
#include <simtflow/ptx/machine/units/thread_block.hpp>
#include <simtflow/ptx/machine/values/mbarrier.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class mbarrier_unit {
 public:
  explicit mbarrier_unit(thread_block& block) : block_(&block) {}

  // Sets whether lanes stop at a wait while its phase is not over: run() then returns false without a fault.
  void wait(bool yes) { may_wait_ = yes; }
  // True if run() last returned false because lanes wait. Forgets it.
  [[nodiscard]] bool take_waiting() { return std::exchange(waiting_, false); }

  // True for an operation that asks whether a phase is over.
  static bool is_wait(const decoded_op& op) {
    return op.kind == op_kind::mbarrier &&
           (action_of(op) == mbarrier_action::wait_state || action_of(op) == mbarrier_action::wait_parity);
  }

  // Runs an operation for the lanes of a mask; false if one faults, or if lanes stop.
  bool run(memory_spaces& m, const decoded_op& op, const lane_set& s, std::uint32_t mask) {
    std::uint64_t at[chunk_lanes];
    addresses_of(op, s, at);
    if (may_wait_ && is_wait(op) && waiting(m, op, s, mask) != 0) {
      waiting_ = true;
      return false;
    }
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      unsigned char* const p = object_at(m, op.space, op, s, i, at[i]);
      if (p == nullptr || !act(op, s, i, p)) return false;
    }
    return true;
  }

  // A copy has brought bytes for a lane: the mbarrier at an address of shared memory is told.
  bool bytes_arrive(memory_spaces& m, const decoded_op& op, const lane_set& s, std::size_t lane, std::uint64_t address,
                    std::uint64_t bytes) {
    unsigned char* const p = object_at(m, state_space::shared, op, s, lane, address);
    if (p == nullptr) return false;
    mbarrier b = mbarrier::from(load_bytes(p, 8, false));
    return done(op, s, lane, b.complete(bytes)) && store(p, b.bits());
  }

  // The lanes of a mask that wait for a phase that is not over. \pre is_wait(op)
  [[nodiscard]] std::uint32_t waiting(memory_spaces& m, const decoded_op& op, const lane_set& s,
                                      std::uint32_t mask) const {
    std::uint64_t at[chunk_lanes];
    addresses_of(op, s, at);
    std::uint32_t lanes = 0;
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      if (phase_goes_on(m, op, s, i, at[i])) lanes |= std::uint32_t{1} << i;
    }
    return lanes;
  }
  // Lanes stop waiting although their phase is not over.
  void give_up(const decoded_op& op, const lane_set& s, std::uint32_t mask) const {
    s.write_predicate(op.second, 0, mask);
  }

 private:
  static bool phase_goes_on(memory_spaces& m, const decoded_op& op, const lane_set& s, std::size_t lane,
                            std::uint64_t address) {
    const unsigned char* const p = m.shared_object(op.space, address, 8, 8);
    if (p == nullptr) return false;  // run() says why it cannot wait
    const std::uint64_t bits = load_bytes(p, 8, false);
    return mbarrier::is_here(bits) && !is_over(op, mbarrier::from(bits), s.read(op.source[1], lane));
  }

  static mbarrier_action action_of(const decoded_op& op) { return static_cast<mbarrier_action>(op.code); }

  static bool is_over(const decoded_op& op, const mbarrier& b, std::uint64_t which) {
    if (action_of(op) == mbarrier_action::wait_parity) return b.is_over_with(static_cast<std::uint32_t>(which));
    return !b.is_known(which) || b.is_over(which);
  }

  // The bytes of the object; null and a fault if none can be there, or none is.
  unsigned char* object_at(memory_spaces& m, state_space space, const decoded_op& op, const lane_set& s,
                           std::size_t lane, std::uint64_t address) {
    unsigned char* const p = m.shared_object(space, address, 8, 8);
    if (p == nullptr) {
      done(op, s, lane, "an mbarrier is 8 bytes of shared memory at a multiple of 8, not at ", address);
      return nullptr;
    }
    const bool makes = op.kind == op_kind::mbarrier && action_of(op) == mbarrier_action::init;
    if (!makes && !mbarrier::is_here(load_bytes(p, 8, false))) {
      done(op, s, lane, "no mbarrier has been initialised at ", address);
      return nullptr;
    }
    return p;
  }

  bool act(const decoded_op& op, const lane_set& s, std::size_t lane, unsigned char* p) {
    using action = mbarrier_action;
    const std::uint64_t before = load_bytes(p, 8, false);
    const std::uint64_t given = op.source[1] == no_slot ? 1 : s.read(op.source[1], lane);
    mbarrier b = mbarrier::from(before);
    std::string_view wrong;
    switch (action_of(op)) {
      case action::init:
        wrong = b.init(given);
        break;
      case action::inval:
        return store(p, 0);
      case action::expect:
        wrong = b.expect(given);
        break;
      case action::complete:
        wrong = b.complete(given);
        break;
      case action::arrive:
      case action::drop:
        wrong = b.arrive(given, action_of(op) == action::drop);
        break;
      case action::arrive_expecting:
      case action::drop_expecting:
        wrong = b.expect(given);
        if (wrong.empty()) wrong = b.arrive(1, action_of(op) == action::drop_expecting);
        break;
      case action::arrive_incomplete:
      case action::drop_incomplete:
        wrong = b.arrive_incomplete(given, action_of(op) == action::drop_incomplete);
        break;
      case action::wait_state:
        if (!b.is_known(given))
          return done(op, s, lane, "the state is of no phase, or of one before the phase that was last over");
        [[fallthrough]];
      case action::wait_parity:
        s.write_predicate(op.second, is_over(op, b, given) ? all_lanes : 0, std::uint32_t{1} << lane);
        return true;
      case action::none:
        return true;
    }
    if (!done(op, s, lane, wrong)) return false;
    if (op.result != no_slot) s.write(op.result, lane, before);
    return store(p, b.bits());
  }

  static bool store(unsigned char* p, std::uint64_t bits) {
    std::memcpy(p, &bits, sizeof bits);
    return true;
  }
  // True if nothing is wrong; else a fault.
  bool done(const decoded_op& op, const lane_set& s, std::size_t lane, std::string_view wrong) {
    if (wrong.empty()) return true;
    block_->complain(fault_kind::bad_mbarrier, op.instruction, s.first_thread + static_cast<std::uint32_t>(lane), 0,
                     std::string(wrong));
    return false;
  }
  void done(const decoded_op& op, const lane_set& s, std::size_t lane, std::string_view wrong, std::uint64_t address) {
    block_->complain(fault_kind::bad_mbarrier, op.instruction, s.first_thread + static_cast<std::uint32_t>(lane),
                     address, std::string(wrong) + "address " + hexadecimal(address));
  }

  thread_block* block_;
  bool may_wait_ = false, waiting_ = false;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
