// SPDX-License-Identifier: BSL-1.0
//
// The load/store unit of a core: coalescer, shared memory, L1 data, constant and texture cache, and the port to the
// interconnect. Its first stage holds one instruction. In each cycle the instruction makes one pass over shared memory,
// or one access to a cache or to the port; the unit takes the next instruction in the cycle after the last of them.
//
//   load that hits      the data is there l1.latency after the access
//   load that misses    l1.latency after the reply: the latency of the L1 stands at the end of the way
//   store               writes through: one packet for each line. The L1 takes none in; it keeps the line if it has it,
//                       or loses it (coherence.stores)
//   atomic, volatile    goes to the L2, and the L1 loses the line (volatile: coherence.volatiles)
//   shared              shared.latency after the last pass
//   constant, parameter one access for each distinct address
//   instruction         from a cache of its own, on the same port to the interconnect
//
// The caller drives it. In each core cycle t that matters it calls, in this order:
//
//   memory.advance(t);                       // once for the device
//   unit.advance(t, memory);                 // for cores in memory.woken() and units with next_event() at t
//   if (unit.blocked(t) == stall_cause::none)
//     unit.issue(t, token, accesses, first_thread, memory);
//   for (const completion& c : unit.completions()) ...
//   unit.clear_completions();
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/timing/cache.hpp>
#include <simtflow/timing/clock.hpp>
#include <simtflow/timing/coalescer.hpp>
#include <simtflow/timing/instruction.hpp>
#include <simtflow/timing/machine.hpp>
#include <simtflow/timing/memory_counts.hpp>
#include <simtflow/timing/memory_system.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// The end of a memory instruction.
struct completion {
  std::uint32_t token = 0;  ///< as given to issue()
  cycle at = 0;             ///< when its results are there; often later than the cycle in which this becomes known
};

/// The load/store unit of one core. Loads and atomic operations complete when their last bytes are there; stores when
/// their last packet has left the unit.
class load_store_unit {
 public:
  /// An idle unit with empty caches. \pre diagnose(m) finds nothing wrong; core < m.core.cores; lines of at most 1024
  /// bytes.
  load_store_unit(const machine& m, std::uint32_t core);

  /// Why the unit does not take an instruction at cycle `now`; none: it does. \pre next_event() is later than `now`, or
  /// advance(now, memory) has been called. O(1).
  [[nodiscard]] stall_cause blocked(cycle now) const {
    return now < free_ || next_pass_ < passes_.size() ? cause_ : stall_cause::none;
  }

  /// Takes a memory instruction at cycle `now`, in which it makes its first pass. The addresses are read now and not
  /// kept. Without any access the instruction completes at `now`. `first_thread` is the number of thread 0 of the
  /// instruction's thread block among the resident threads of the core; it places local memory.
  /// \pre blocked(now) == stall_cause::none. Time: O(lanes) and a few steps for each distinct line.
  void issue(cycle now, std::uint32_t token, std::span<const access> accesses, std::uint32_t first_thread,
             memory_system& memory);

  /// Brings the unit to cycle `now`: takes the replies and makes the pass of this cycle.
  /// \pre memory.advance(now) has been called; `now` does not decrease.
  /// \returns true if something changed for the core: there are new completions(), or the first stage is free
  /// now or in the next cycle.
  bool advance(cycle now, memory_system& memory);

  /// Looks up an instruction in the instruction cache: `address` is its byte address in the code. A miss is sent to the
  /// memory once, whoever asks again; memory_system::woken() names the core when the line is there.
  /// \returns true if the instruction can issue at `now`: it is there, or the machine has no instruction cache. O(1).
  [[nodiscard]] bool fetch(cycle now, std::uint64_t address, memory_system& memory);

  /// The next cycle in which the unit does something by itself, the end of a long pass included, or `never`. Replies
  /// and places in the network come beside it: memory_system::woken() names the core then. O(1).
  [[nodiscard]] cycle next_event() const { return next_; }

  /// blocked(t) is not none before this cycle; `never` while the next pass waits for the memory or for an MSHR. O(1).
  [[nodiscard]] cycle ready_at() const { return stalled_ == never ? free_ : never; }

  /// Instructions with an end that has become known since clear_completions(). The order is the order of becoming
  /// known, not the order of `at`.
  [[nodiscard]] std::span<const completion> completions() const { return done_; }
  /// Empties completions().
  void clear_completions() { done_.clear(); }

  /// True if no instruction is in the unit and no reply is under way.
  [[nodiscard]] bool idle() const { return live_ == 0; }

  /// Empties the caches, as the start of a kernel does. \pre idle().
  void invalidate() {
    for (side& s : sides_) s.tags.clear();
  }
  /// Puts constants or parameters into the constant cache, as the launch of a kernel does. No time passes, nothing is
  /// counted. \pre `where` is constant or parameter. O(bytes / line).
  void warm(address_space where, std::uint64_t address, std::uint64_t bytes);

  /// The counts since the start.
  [[nodiscard]] core_memory_counts counts() const {
    core_memory_counts all = counts_;
    all.l1 = sides_[0].tags.counts();
    all.constant = sides_[1].tags.counts();
    all.texture = sides_[2].tags.counts();
    all.instruction = sides_[3].tags.counts();
    return all;
  }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;
  static constexpr std::uint32_t fetcher = none - 1;  // waits for a line of instructions, in the place of a record
  enum class path : unsigned char { shared, data, constant, texture, store, direct, atomic };
  struct side {  // a cache of the core
    explicit side(const cache_parameters& c) : parameters(c), tags(c) {}
    cache_parameters parameters;
    cache tags;
    std::uint32_t shift = 0;   // line == 2^shift
    std::uint32_t group = 1;   // request sectors in a sector of the cache
    std::uint32_t pieces = 1;  // requests for a whole line
  };
  struct pass {
    line_access line;
    std::uint32_t cycles = 1;  // that it keeps the first stage
    path way = path::shared;
    bool keeps = true;  // false if the L1 loses the line
    bool loads = true;  // shared: false for a store
  };
  struct record {  // an instruction under way
    std::uint32_t token = 0;
    std::uint32_t outstanding = 0;  // lines that have yet to come
    std::uint32_t next = none;
    bool whole = false;  // every pass has been made
    cycle latest = 0;    // the end, as far as known
  };
  struct transfer {            // requests to the memory
    std::uint32_t who = none;  // the record; none: a line of a cache
    std::uint32_t cache = 0;
    std::uint32_t line = 0;
    std::uint32_t sectors = 0;
    std::uint32_t left = 0;  // replies that have yet to come
    std::uint32_t next = none;
  };

  void add_passes(const access& a, std::uint32_t first_thread);
  void make_passes(cycle now, memory_system& memory);
  [[nodiscard]] stall_cause make(const pass& p, cycle now, memory_system& memory);
  [[nodiscard]] stall_cause load(const pass& p, std::uint32_t which, cycle now, memory_system& memory);
  void ask(std::uint64_t address, std::uint32_t which, const lookup& found, cycle now, memory_system& memory);
  void send(const pass& p, request_kind kind, std::uint32_t id, cycle now, memory_system& memory);
  void take(const memory_reply& r);
  void arrive(std::uint32_t who, cycle at);
  void finish(std::uint32_t who);
  [[nodiscard]] std::uint32_t new_transfer(const transfer& f);
  void stand(cycle now);

  std::uint32_t core_;
  shared_parameters shared_;
  coherence_parameters coherence_;
  local_layout local_;
  std::uint32_t sector_;
  std::uint32_t request_line_;
  std::uint32_t packet_line_;  // of stores, atomic operations and loads without a cache
  coalescer coalesce_;
  side sides_[4];  // data, constant, texture, instruction

  std::vector<pass> passes_;  // of the instruction in the first stage
  std::size_t next_pass_ = 0;
  std::uint32_t current_ = none;
  cycle free_ = 0;  // the first stage is free from then on, if no pass is left
  cycle next_ = never;
  cycle stalled_ = never;  // since when the next pass has been waiting
  stall_cause cause_ = stall_cause::none;
  bool first_pass_ = true;

  std::vector<record> records_;
  std::uint32_t free_record_ = none;
  std::vector<transfer> transfers_;
  std::uint32_t free_transfer_ = none;
  std::uint32_t live_ = 0;
  std::vector<completion> done_;
  core_memory_counts counts_;
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow

#include <simtflow/timing/detail/load_store_unit_impl.hpp>
