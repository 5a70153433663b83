// SPDX-License-Identifier: BSL-1.0
//
// Everything that the cores share: interconnect, L2 slices, DRAM channels.
//
//   cores --send--> crossbar --> slice (L2) --> DRAM channel
//   cores <-replies- crossbar <-- slice      <--
//
// Bytes are dealt out in pieces of partition.interleave bytes: to the channels in turn, then to the slices of each. A
// slice serves one request at a time, in order, and waits while its MSHRs, its miss queue or its reply port are full.
// The delay of a partition (latencies of the partition and of the L2) stands at the end of the way, after the reply
// port: fixed delays can be moved along a path. A load that is alone takes, in core cycles,
//
//   flits of the request + network.latency + (miss: DRAM times + dram.latency) + flits of the reply + network.latency
//   + partition.latency + l2.latency
//
// The caller drives it: in each core cycle t that matters it calls advance(t) once, then lets the cores send. A cycle
// matters if next_event() names it or if a core has work of its own. A memory
// without latencies answers in the cycle of the request; the reply is seen in the next call of advance().
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/timing/cache.hpp>
#include <simtflow/timing/clock.hpp>
#include <simtflow/timing/detail/ring.hpp>
#include <simtflow/timing/detail/timer_wheel.hpp>
#include <simtflow/timing/dram.hpp>
#include <simtflow/timing/interconnect.hpp>
#include <simtflow/timing/machine.hpp>
#include <simtflow/timing/memory_counts.hpp>
#include <simtflow/timing/memory_range.hpp>

#include <bit>
#include <cstddef>
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
  std::uint64_t address = 0;               ///< a multiple of the sector
  std::uint32_t core = 0;                  ///< who sends it
  std::uint32_t id = 0;                    ///< comes back with the reply
  std::uint32_t sectors = 1;               ///< bit s: sector s from `address` on, at least one
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
  /// An idle memory with empty caches. \pre diagnose(m) finds nothing wrong; lines have at most 1024 bytes.
  explicit memory_system(const machine& m);
  memory_system(const memory_system&) = delete;
  memory_system& operator=(const memory_system&) = delete;

  /// Bytes of a sector of requests, a power of two: 32, or less if a cache has smaller lines or sectors.
  [[nodiscard]] std::uint32_t sector_bytes() const { return sector_; }
  /// The longest request in bytes, a power of two. No request crosses a multiple of it.
  [[nodiscard]] std::uint32_t line_bytes() const { return line_; }

  /// Requests that a core can send now. O(1).
  [[nodiscard]] std::uint32_t places(std::uint32_t core) const { return requests_.places(core); }
  /// Why a core cannot send `packets` requests now: none (it can), queue or interconnect. A core that got another
  /// answer than none is among woken() when it is worth asking again. O(1).
  [[nodiscard]] stall_cause blocked(std::uint32_t core, std::uint32_t packets = 1) {
    if (requests_.places(core) >= packets) return stall_cause::none;
    asked_[core] = 1;
    return requests_.waits_for_output(core) ? stall_cause::queue : stall_cause::interconnect;
  }

  /// Takes a request at cycle `now`. \pre blocked(r.core) == stall_cause::none, advance(now) has been called, and `now`
  /// does not decrease. O(1).
  void send(cycle now, const memory_request& r);

  /// Brings the memory to cycle `now`: afterwards every reply that is at a core by then is in replies().
  /// \pre `now` does not decrease. Time: proportional to the events that happen.
  void advance(cycle now);

  /// advance() before this cycle does nothing; `never`: nothing is under way. A cycle that is no later than the last
  /// call of advance() counts as the next one. O(1).
  [[nodiscard]] cycle next_event() const { return wheel_.next(); }

  /// Cores that got a reply, or that may send again, in the last call of advance(). Each core is there once.
  [[nodiscard]] std::span<const std::uint32_t> woken() const { return woken_; }

  /// The replies that a core has not taken yet, oldest first.
  [[nodiscard]] std::span<const memory_reply> replies(std::uint32_t core) const { return inbox_[core]; }
  /// Takes all replies of a core away.
  void clear_replies(std::uint32_t core) { inbox_[core].clear(); }

  /// True if nothing is under way: no request, no reply, no write to the DRAM. O(channels).
  [[nodiscard]] bool idle() const {
    bool all = live_ == 0;
    for (const dram_channel& c : channels_) all = all && c.idle();
    return all;
  }

  /// Fills the L2 with the lines of a piece of memory, from its first byte on, as a copy from the host does. LRU: the
  /// last lines stay if it is larger than the L2. No time passes, nothing is counted. Complexity: O(bytes / line).
  void warm(const memory_range& copied);

  /// The counts since the start. O(slices + channels).
  [[nodiscard]] memory_counts counts() const;
  /// The DRAM channels of the machine.
  [[nodiscard]] std::uint32_t num_channels() const { return static_cast<std::uint32_t>(channels_.size()); }
  /// The counts of one channel since the start. \pre channel < num_channels(). O(1).
  [[nodiscard]] const dram_counts& channel_counts(std::uint32_t channel) const { return channels_[channel].counts(); }

 private:
  struct dram_request {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    std::uint32_t id = 0;
    bool write = false;
  };
  struct fetch {  // a read of the DRAM under way
    std::uint32_t slice = 0;
    std::uint32_t line = 0;  // of the slice's cache; without an L2 the request
    std::uint32_t sectors = 0;
    std::uint32_t next = none;
  };
  struct packet {
    memory_request request;
    std::uint64_t local = 0;  // address within the slice
    std::uint32_t slice = 0;
    std::uint32_t next = none;
  };
  struct slice {
    explicit slice(const cache_parameters& p) : tags(p) {}
    cache tags;
    detail::ring<std::uint32_t> in;
    detail::ring<dram_request> out;
    tick free = 0;
    std::uint32_t part = 0;  // number among the slices of its channel
    bool stalled = false;    // waits for a register or a place
  };
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;

  [[nodiscard]] std::uint32_t num_slices() const { return static_cast<std::uint32_t>(slices_.size()); }
  [[nodiscard]] std::uint32_t bytes_of(std::uint32_t sectors) const {
    return static_cast<std::uint32_t>(std::popcount(sectors)) * sector_;
  }
  void place(std::uint64_t address, std::uint32_t& slice_number, std::uint64_t& local) const;
  void wake(std::uint32_t core);
  void serve(std::uint32_t s, cycle now);
  [[nodiscard]] bool access(std::uint32_t s, std::uint32_t who, cycle now);
  void to_dram(std::uint32_t s, std::uint64_t local, std::uint32_t bytes, bool write, const fetch& f);
  void drain(std::uint32_t channel, cycle now);
  void fill(std::uint32_t channel, cycle now);
  void answer(std::uint32_t who, cycle now);
  void unstall(std::uint32_t s, cycle now);

  machine m_;
  clock_ratio part_clock_;
  std::uint32_t sector_;
  std::uint32_t line_;
  std::uint32_t l2_group_ = 1;  // request sectors in a sector of the L2
  std::vector<slice> slices_;   // by channel, then part
  std::vector<dram_channel> channels_;
  std::uint32_t t_channel_, t_fill_, t_request_, t_serve_, t_reply_;  // first timers, in the order of a cycle
  detail::timer_wheel wheel_;
  crossbar requests_;
  crossbar replies_;
  std::vector<packet> packets_;
  std::uint32_t free_packet_ = none;
  std::vector<fetch> fetches_;
  std::uint32_t free_fetch_ = none;
  std::vector<std::vector<memory_reply>> inbox_;  // by core
  std::vector<std::uint32_t> woken_;
  std::vector<unsigned char> is_woken_;  // by core
  std::vector<unsigned char> asked_;     // by core
  std::uint64_t live_ = 0;
  memory_counts counts_;  // all but the caches and the channels
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow

#include <simtflow/timing/detail/memory_system_impl.hpp>
