// SPDX-License-Identifier: BSL-1.0
//
// Two programs with memory that tell fair mechanisms from unfair ones: a spin lock, and a producer with consumers.
//
// Literature: [AWARE] A. ElTantawy, T. Aamodt, MIMD Synchronization on SIMT Architectures, MICRO 2016.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/testing/shapes.hpp>

#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace testing {

/// Every thread takes one lock, works, and frees it: block 0 tries and comes back if the lock is taken, block 1 works
/// and frees it. A callable for run(); make a new one for every run.
///
/// A mechanism that prefers the threads that spin (block 0) never runs the one that holds the lock: PDOM reconverges
/// the branch at block 1 and hangs ([AWARE] section 2), and so does a frontier order with block 0 above block 1. The
/// other order ends, with one warp in 2 * threads steps; so does every fair mechanism, though not always in so few.
class spin_lock {
 public:
  /// \returns {{0, 1}, {}}.
  [[nodiscard]] static constexpr csr_graph graph() { return adjacency({{0, 1}, {}}); }

  /// Runs block b for one thread. \pre b < 2.
  constexpr block_id operator()(std::uint32_t thread, block_id b) {
    if (b == 0) {
      if (holder_ != nobody) return 0;
      holder_ = thread;
      return 1;
    }
    broken_ = broken_ || holder_ != thread;
    holder_ = nobody;
    ++done_;
    return no_block;
  }

  /// Threads that have freed the lock.
  [[nodiscard]] constexpr std::uint32_t done() const { return done_; }
  /// Whether somebody worked without holding the lock.
  [[nodiscard]] constexpr bool broken() const { return broken_; }

 private:
  static constexpr std::uint32_t nobody = 0xFFFF'FFFFU;
  std::uint32_t holder_ = nobody, done_ = 0;
  bool broken_ = false;
};

/// One thread of a warp produces what the others wait for: block 0 sends the producer to block 1 and the others to
/// block 2, which spins until block 1 has run; block 3 ends. A callable for run(); make a new one for every run.
///
/// Whether a stack hangs depends on which path it takes first: PDOM that takes the path of the lowest lane ends if the
/// producer is lane 0 and hangs otherwise. A frontier order with block 1 above block 2, and every fair mechanism, ends.
class producer_consumer {
 public:
  /// The number of the thread that produces.
  constexpr explicit producer_consumer(std::uint32_t producer) : producer_(producer) {}

  /// \returns {{1, 2}, {3}, {2, 3}, {}}.
  [[nodiscard]] static constexpr csr_graph graph() { return adjacency({{1, 2}, {3}, {2, 3}, {}}); }

  /// Runs block b for one thread.
  constexpr block_id operator()(std::uint32_t thread, block_id b) {
    switch (b) {
      case 0:
        return thread == producer_ ? 1U : 2U;
      case 1:
        ready_ = true;
        return 3;
      case 2:
        return ready_ ? 3U : 2U;
      default:
        return no_block;
    }
  }

  /// Whether the producer has run.
  [[nodiscard]] constexpr bool ready() const { return ready_; }

 private:
  std::uint32_t producer_;
  bool ready_ = false;
};

}  // namespace testing
}  // namespace v0
}  // namespace simtflow
