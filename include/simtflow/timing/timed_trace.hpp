// SPDX-License-Identifier: BSL-1.0
//
// A timed run as two lists of plain records: the slices of time of each warp scheduler, and the traffic of the memory
// in periods. io/timed_trace.hpp writes them as a trace that opens in Perfetto.
//
// Bounded: a trace has at most about as many records as it is made for. If there are more, it ends at a cycle, the same
// for all schedulers and for the memory; the cycles from there on are left out.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/timing/accounting.hpp>
#include <simtflow/timing/clock.hpp>
#include <simtflow/timing/dram.hpp>
#include <simtflow/timing/events.hpp>
#include <simtflow/timing/memory_counts.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// Cycles of one class that a scheduler spent one after the other; an issue has a slice of its own.
struct timed_slice {
  cycle first = 0;                       ///< the first cycle
  cycle count = 0;                       ///< the number of cycles
  std::uint32_t core = 0;                ///< number of the core
  std::uint32_t scheduler = 0;           ///< number of the scheduler in the core
  cycle_class kind = cycle_class::idle;  ///< their class
  bool replays = false;                  ///< issued: true if the instruction has issued before
  block_id block = no_block;             ///< issued: the block; no_block for an operation of the policy's own
  std::uint32_t instruction = 0;         ///< issued: its place in the block
  std::uint32_t warp = 0;                ///< issued: as in instruction_issued
  std::uint64_t thread_block = 0;        ///< issued: as in instruction_issued
  std::uint32_t lanes = 0;               ///< issued: number of active lanes
  std::uint32_t predicated_off = 0;      ///< issued: number of active lanes with a false guard
};

/// Accesses of one kind of cache in a period, in sectors.
struct cache_traffic {
  std::uint64_t hits = 0;    ///< as in cache_counts
  std::uint64_t merges = 0;  ///< as in cache_counts
  std::uint64_t misses = 0;  ///< as in cache_counts
  friend constexpr bool operator==(const cache_traffic&, const cache_traffic&) = default;
};

/// Bursts of a DRAM channel in a period, and the requests that did not find their row open.
struct dram_traffic {
  std::uint64_t reads = 0;       ///< bursts read
  std::uint64_t writes = 0;      ///< bursts written
  std::uint64_t row_misses = 0;  ///< requests for which a row was opened
  friend constexpr bool operator==(const dram_traffic&, const dram_traffic&) = default;
};

/// The traffic of a period in which there was some.
struct memory_traffic {
  cycle first = 0;            ///< the first cycle
  cycle count = 0;            ///< the number of cycles
  cache_traffic l1;           ///< data caches of all cores
  cache_traffic constant;     ///< constant caches of all cores
  cache_traffic instruction;  ///< instruction caches of all cores
  cache_traffic l2;           ///< all slices
};

/// Observer of a timed run: its slices and the traffic of its memory. O(1) for each event, O(channels) for a period.
/// Memory: about 64 bytes a slice, 120 a period and 24 for each channel of a period.
class timed_trace {
 public:
  /// An empty trace. \param most slices and periods before it ends; the last slice of each scheduler may come on top.
  /// \param period cycles of a period of the memory, at least 1
  explicit timed_trace(std::size_t most = 1'000'000, cycle period = 256) : most_(most), period_(period) {}

  /// The slices in the order in which they began to be known: each scheduler's in order of time, without overlap.
  [[nodiscard]] std::span<const timed_slice> slices() const { return slices_; }
  /// The periods in order of time; periods without traffic are left out.
  [[nodiscard]] std::span<const memory_traffic> periods() const { return periods_; }
  /// The traffic of each DRAM channel in a period. \pre period < periods().size()
  [[nodiscard]] std::span<const dram_traffic> channels(std::size_t period) const {
    return std::span<const dram_traffic>(channels_).subspan(period * before_.size(), before_.size());
  }
  /// The number of DRAM channels; 0 before the first period.
  [[nodiscard]] std::size_t num_channels() const { return before_.size(); }
  /// The first cycle that is left out; `never`: all cycles of the run are there.
  [[nodiscard]] cycle ends_at() const { return ends_at_; }

  /// Records the cycles; with the ones before, if they are of one class.
  void operator()(const cycles_passed& e) {
    if (e.first >= ends_at_) return;
    const cycle count = std::min(e.count, ends_at_ - e.first);
    std::size_t& before = last(e.core, e.scheduler);
    if (before != none && e.kind != cycle_class::issued && slices_[before].kind == e.kind &&
        slices_[before].first + slices_[before].count == e.first) {
      slices_[before].count += count;
      return;
    }
    if (is_full()) return end_at(e.first);
    before = slices_.size();
    timed_slice s;
    s.first = e.first;
    s.count = count;
    s.core = e.core;
    s.scheduler = e.scheduler;
    s.kind = e.kind;
    slices_.push_back(s);
  }
  /// Says which instruction the last cycle of its scheduler issued.
  template <class Mask>
  void operator()(const instruction_issued<Mask>& e) {
    if (e.at >= ends_at_) return;
    timed_slice& s = slices_[last(e.core, e.scheduler)];
    s.replays = e.replays;
    s.block = e.block;
    s.instruction = e.instruction;
    s.warp = e.warp;
    s.thread_block = e.thread_block;
    s.lanes = e.lanes.count();
    s.predicated_off = s.lanes - e.on.count();
  }
  /// The cycles of a period, for the run.
  [[nodiscard]] cycle counts_every() const { return period_; }
  /// Records the traffic since the last counts.
  void operator()(const memory_counted& e) {
    before_.resize(e.channels.size());
    if (e.at >= ends_at_) return;
    memory_traffic p;
    p.first = counted_until_;
    p.count = e.at + 1 - counted_until_;
    counted_until_ = e.at + 1;
    p.l1 = since(l1_, e.cores.l1);
    p.constant = since(constant_, e.cores.constant);
    p.instruction = since(instruction_, e.cores.instruction);
    p.l2 = since(l2_, e.partitions.l2);
    bool any = p.l1 != cache_traffic{} || p.constant != cache_traffic{} || p.instruction != cache_traffic{} ||
               p.l2 != cache_traffic{};
    for (std::size_t c = 0; c < e.channels.size(); ++c) {
      const dram_counts &now = e.channels[c], &then = before_[c];
      channels_.push_back({now.reads - then.reads, now.writes - then.writes, now.row_misses - then.row_misses});
      any = any || channels_.back() != dram_traffic{};
      before_[c] = now;
    }
    if (any && is_full()) end_at(p.first);
    if (any && ends_at_ == never) periods_.push_back(p);
    channels_.resize(periods_.size() * before_.size());
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  // The last slice of a scheduler; `none` if it has none.
  std::size_t& last(std::uint32_t core, std::uint32_t scheduler) {
    if (core >= last_.size()) last_.resize(std::size_t{core} + 1);
    std::vector<std::size_t>& row = last_[core];
    if (scheduler >= row.size()) row.resize(std::size_t{scheduler} + 1, none);
    return row[scheduler];
  }

  [[nodiscard]] bool is_full() const { return ends_at_ == never && slices_.size() + periods_.size() >= most_; }

  // Leaves out all from cycle `at` on. Other cores, and the memory, can have come further.
  void end_at(cycle at) {
    ends_at_ = at;
    for (timed_slice& s : slices_)
      if (s.first + s.count > at) s.count = s.first >= at ? 0 : at - s.first;
    std::erase_if(slices_, [](const timed_slice& s) { return s.count == 0; });
    while (!periods_.empty() && periods_.back().first + periods_.back().count > at) periods_.pop_back();
    channels_.resize(periods_.size() * before_.size());
    last_.clear();
    for (std::size_t i = 0; i < slices_.size(); ++i) last(slices_[i].core, slices_[i].scheduler) = i;
  }

  static cache_traffic since(cache_counts& then, const cache_counts& now) {
    const cache_traffic t{now.hits - then.hits, now.merges - then.merges, now.misses - then.misses};
    then = now;
    return t;
  }

  std::size_t most_;
  cycle period_;
  cycle ends_at_ = never, counted_until_ = 0;
  std::vector<timed_slice> slices_;
  std::vector<std::vector<std::size_t>> last_;  // by core and scheduler
  std::vector<memory_traffic> periods_;
  std::vector<dram_traffic> channels_;  // by period, then channel
  cache_counts l1_, constant_, instruction_, l2_;
  std::vector<dram_counts> before_;
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow
