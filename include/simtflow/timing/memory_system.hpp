// SPDX-License-Identifier: BSL-1.0
//
// Everything that the cores share: interconnect, L2 slices, DRAM channels.
//
//   cores --send--> interconnect --> slice (L2) --> DRAM channel
//   cores <-replies- interconnect <-- slice      <--
//
// The caller drives it: in each core cycle t that matters it calls advance(t) once, then lets the cores send. A cycle
// matters if next_event() names it or if a core has work of its own.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/timing/clock.hpp>
#include <simtflow/timing/machine.hpp>
#include <simtflow/timing/memory_counts.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// The service that a request asks of the memory.
enum class request_kind : unsigned char {
  read,   ///< sends the bytes back
  write,  ///< writes them; there is no reply
  atomic  ///< performs an operation at the L2 and sends the old bytes back
};

/// A packet from a core: bytes of one memory line. The bytes are stated in sectors of memory_system::sector_bytes().
struct memory_request {
  std::uint64_t address = 0;               ///< of the line's first byte
  std::uint32_t core = 0;                  ///< who sends it
  std::uint32_t id = 0;                    ///< comes back with the reply
  std::uint32_t sectors = 1;               ///< bit s: sector s of the line, at least one
  std::uint32_t whole = 0;                 ///< writes: sectors in which every byte is written
  request_kind kind = request_kind::read;  ///< what it asks
};

/// The answer to a read or to an atomic operation.
struct memory_reply {
  std::uint32_t id = 0;  ///< the request's
  cycle at = 0;          ///< when its last byte was at the core
};

/// Interconnect, L2 slices and DRAM channels of a device. Deterministic: what happens in one cycle happens in the order
/// of the parts' numbers. Nothing allocates once the buffers have grown.
class memory_system {
 public:
  /// An idle memory with empty caches. \pre check(m) finds nothing wrong.
  explicit memory_system(const machine& m) : latency_(m.l2.latency), replies_(m.core.cores), sector_(32) {}

  /// Bytes of a sector of requests, a power of two: 32, or less if a cache has smaller lines.
  [[nodiscard]] std::uint32_t sector_bytes() const { return sector_; }
  /// Bytes of the longest request: requests do not cross a multiple of it.
  [[nodiscard]] std::uint32_t line_bytes() const { return 128; }

  /// Why a core cannot send now: none (it can), queue or interconnect. A core that found another answer than none is
  /// among woken() as soon as it can send. O(1).
  [[nodiscard]] stall_cause blocked(std::uint32_t) const { return stall_cause::none; }

  /// Takes a request at cycle `now`. \pre blocked(r.core) == stall_cause::none, advance(now) has been called, and `now`
  /// does not decrease. O(1).
  void send(cycle now, const memory_request& r) {
    ++counts_.requests;
    if (r.kind != request_kind::write) waiting_.push_back({r.core, r.id, now + latency_});
  }

  /// Brings the memory to cycle `now`: afterwards every reply that is at a core by then is in replies().
  /// \pre `now` does not decrease. Time: proportional to the events that happen.
  void advance(cycle now) {
    woken_.clear();
    while (first_ < waiting_.size() && waiting_[first_].at <= now) {
      const answer& a = waiting_[first_++];
      if (replies_[a.core].empty()) woken_.push_back(a.core);
      replies_[a.core].push_back({a.id, a.at});
      ++counts_.replies;
    }
    if (first_ == waiting_.size()) {
      waiting_.clear();
      first_ = 0;
    }
  }

  /// The cycle of the next event, or `never`. advance() before that cycle does nothing. O(1).
  [[nodiscard]] cycle next_event() const { return first_ < waiting_.size() ? waiting_[first_].at : never; }

  /// Cores that got a reply, or that can send again, in the last call of advance(). Each core is there once.
  [[nodiscard]] std::span<const std::uint32_t> woken() const { return woken_; }

  /// The replies that a core has not taken yet, oldest first.
  [[nodiscard]] std::span<const memory_reply> replies(std::uint32_t core) const { return replies_[core]; }
  /// Takes all replies of a core away.
  void clear_replies(std::uint32_t core) { replies_[core].clear(); }

  /// True if nothing is under way: no request, no reply, no write to the DRAM.
  [[nodiscard]] bool idle() const { return waiting_.empty(); }

  /// Fills the L2 with the lines of a buffer, as a copy from the host does. No time passes, nothing is counted.
  void warm(std::uint64_t /*address*/, std::uint64_t /*bytes*/) {}

  /// The counts since the start.
  [[nodiscard]] const memory_counts& counts() const { return counts_; }

 private:
  struct answer {
    std::uint32_t core, id;
    cycle at;
  };
  cycle latency_;
  std::vector<answer> waiting_;
  std::size_t first_ = 0;
  std::vector<std::vector<memory_reply>> replies_;
  std::vector<std::uint32_t> woken_;
  std::uint32_t sector_;
  memory_counts counts_;
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow
