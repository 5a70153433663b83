// SPDX-License-Identifier: BSL-1.0
//
// Lanes that have stopped inside a block because an exchange lacks lanes of its member mask, or because a phase of an
// mbarrier is not over: where they stopped, and which of them still wait. Once all live lanes of the member mask have
// stopped at the exchange, or the phase is over, the operation is executed for them, and they can continue after it.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/thread_block.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class stopped_lanes {
 public:
  // Makes room for the chunks of a thread block. Without room no lane may stop.
  void resize(std::size_t chunks) {
    at_.resize(chunks * chunk_lanes, no_index);
    waiting_.resize(chunks, 0);
  }
  void begin_block() {
    at_.assign(at_.size(), no_index);
    waiting_.assign(waiting_.size(), 0);
    failed_ = false;
  }

  // The operation at which a lane stopped last, no_index if it has continued one instruction at a time. \pre lane is
  // the lane's number over all chunks; lanes may stop.
  [[nodiscard]] std::uint32_t operation(std::size_t lane) const { return at_[lane]; }
  [[nodiscard]] bool has_stopped(std::size_t lane) const { return !at_.empty() && at_[lane] != no_index; }
  // The lanes of a chunk that wait.
  [[nodiscard]] std::uint32_t waiting(std::size_t chunk) const { return waiting_[chunk]; }

  // Lanes of a chunk stop at an operation; the lanes `waits` wait for others.
  void stop(std::size_t chunk, std::uint32_t lanes, std::uint32_t waits, std::uint32_t op) {
    waiting_[chunk] |= waits;
    for (; lanes != 0; lanes &= lanes - 1)
      at_[chunk * chunk_lanes + static_cast<std::size_t>(std::countr_zero(lanes))] = op;
  }
  // A lane continues.
  void forget(std::size_t lane) { at_[lane] = no_index; }

  // The operation at which the lanes of a mask by chunk stopped. \pre they stopped together.
  [[nodiscard]] std::uint32_t common_operation(std::size_t first_chunk, const std::uint32_t* lanes,
                                               std::uint32_t chunks) const {
    std::uint32_t number = no_index;
    for (std::size_t c = 0; c < chunks; ++c)
      for (std::uint32_t rest = lanes[c]; rest != 0; rest &= rest - 1) {
        const std::uint32_t mine =
            at_[(first_chunk + c) * chunk_lanes + static_cast<std::size_t>(std::countr_zero(rest))];
        SIMTFLOW_EXPECTS(number == no_index || mine == number, "lanes that go on together stopped together");
        number = mine;
      }
    return number;
  }

  // Executes each exchange that all live lanes of its member mask have reached. \pre s holds the lanes of the chunk
  // that wait.
  template <class Operations>
  void serve(std::size_t chunk, const lane_set& s, const decoded_op* ops, Operations& operations) {
    const std::uint32_t* const at = at_.data() + chunk * chunk_lanes;
    std::uint32_t& waiting = waiting_[chunk];
    for (std::uint32_t left = waiting; left != 0;) {  // lanes at one operation at a time
      const auto i = static_cast<std::uint32_t>(std::countr_zero(left));
      const decoded_op& op = ops[at[i]];
      std::uint32_t here = 0;
      for (std::uint32_t rest = left; rest != 0; rest &= rest - 1)
        if (const auto k = static_cast<std::uint32_t>(std::countr_zero(rest)); at[k] == at[i])
          here |= std::uint32_t{1} << k;
      left &= ~here;
      std::uint32_t come = op.guard.index == no_index ? here : here & s.where(op.guard);
      waiting &= ~(here & ~come);  // a false guard: these lanes need not wait
      while (come != 0) {
        const auto k = static_cast<std::uint32_t>(std::countr_zero(come));
        const std::uint32_t together = operations.gathered(op, s, come, k);
        come &= ~(together | std::uint32_t{1} << k);
        if (together == 0) continue;
        failed_ = !operations.execute_gathered(op, s, together) || failed_;
        waiting &= ~together;
      }
    }
  }

  // True if an exchange that was served has faulted: the thread block is at its end.
  [[nodiscard]] bool failed() const { return failed_; }
  // Lets the lanes of a chunk go that wait for no other lane of their warp, but for the end of a phase.
  template <class Operations>
  void give_up(std::size_t chunk, const lane_set& s, const decoded_op* ops, Operations& operations) {
    for (std::uint32_t rest = waiting_[chunk]; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<std::uint32_t>(std::countr_zero(rest));
      waiting_[chunk] &= ~operations.give_up(ops[at_[chunk * chunk_lanes + i]], s, std::uint32_t{1} << i);
    }
  }

  // For livelock detection: notes who stopped where; whether it is that again.
  void remember() {
    noted_at_ = at_;
    noted_waiting_ = waiting_;
  }
  [[nodiscard]] bool as_remembered() const { return waiting_ == noted_waiting_ && at_ == noted_at_; }

 private:
  std::vector<std::uint32_t> at_, noted_at_;            // by lane: the operation at which it stopped last
  std::vector<std::uint32_t> waiting_, noted_waiting_;  // by chunk: lanes that wait at an exchange
  bool failed_ = false;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
