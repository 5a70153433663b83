// SPDX-License-Identifier: BSL-1.0
//
// A run as one list of plain records, in the order of the events. Code that draws, animates or exports a run reads this
// list and not the machine. io/event_trace.hpp writes the list as CSV and as a trace that opens in Perfetto.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/events.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The kinds of trace records.
enum class trace_kind : unsigned char {
  started,         ///< a thread block; value: its threads
  issued,          ///< a block was executed; value: groups that ran together
  diverged,        ///< lanes went to several places; value: the number of places
  exited,          ///< lanes ended
  waits,           ///< lanes wait at a barrier; value: its number
  released,        ///< a barrier opened; value: its number
  ended,           ///< the thread block; value: overhead operations
  predicated_off,  ///< the guard of an instruction of the block was false for lanes; value: its place in the block
};

/// The kind's name in one word, "issued" for instance.
[[nodiscard]] constexpr const char* to_string(trace_kind kind) {
  switch (kind) {
    case trace_kind::started:
      return "started";
    case trace_kind::issued:
      return "issued";
    case trace_kind::diverged:
      return "diverged";
    case trace_kind::exited:
      return "exited";
    case trace_kind::waits:
      return "waits";
    case trace_kind::released:
      return "released";
    case trace_kind::ended:
      return "ended";
    case trace_kind::predicated_off:
      return "predicated_off";
  }
  return "unknown";
}

/// One event. A member that the event does not have is zero (no_block for blocks).
template <class Mask>
struct basic_trace_record {
  trace_kind kind = trace_kind::started;  ///< which event
  std::uint64_t step = 0;                 ///< blocks executed before, over all warps
  std::uint64_t time = 0;          ///< instructions its warp had issued before; without a warp, the most of all warps
  std::uint32_t warp = 0;          ///< of the warp's events
  std::uint32_t first_thread = 0;  ///< thread of lane 0
  block_id block = no_block;       ///< of the warp's events
  std::uint32_t weight = 0;        ///< instructions of an issued block
  Mask lanes{};                    ///< lanes that run, diverge, end or wait
  Mask live{};                     ///< of an issued block
  std::size_t depth = 0;           ///< of an issued block
  std::uint64_t value = 0;         ///< see trace_kind
};

/// A record of a warp of up to 64 lanes.
using trace_record = basic_trace_record<lane_mask>;

/// Observer: every event as a record. Records of several thread blocks follow one another; time goes on. Memory grows
/// with the run: about 100 bytes for each event.
template <class Mask>
class basic_event_trace {
 public:
  /// The records so far. Valid until the next event.
  [[nodiscard]] constexpr std::span<const basic_trace_record<Mask>> records() const& { return records_; }
  std::span<const basic_trace_record<Mask>> records() const&& = delete;

  /// Forgets all records; time starts at 0 again. Memory is kept.
  constexpr void clear() {
    records_.clear();
    clock_.clear();
  }

  /// Records it. Every warp starts at the time at which the last warp ended.
  constexpr void operator()(const event::started& e) {
    const std::uint64_t now = latest();
    clock_.assign(e.warps, now);
    add(trace_kind::started, 0, now).value = e.threads;
  }
  /// Records it; the warp's time goes on by the weight of the block.
  constexpr void operator()(const event::issued<Mask>& e) {
    basic_trace_record<Mask>& r = add(trace_kind::issued, e.step, clock(e.warp));
    r.warp = e.warp;
    r.first_thread = e.first_thread;
    r.block = e.block;
    r.weight = e.weight;
    r.lanes = e.lanes;
    r.live = e.live;
    r.depth = e.depth;
    r.value = e.groups;
    clock(e.warp) += e.weight;
    weight_ = e.weight;
  }
  /// Records it, at the time of the instruction.
  constexpr void operator()(const event::predicated_off<Mask>& e) {
    const std::uint64_t now = clock(e.warp) - weight_ + e.instruction;
    basic_trace_record<Mask>& r = add_lanes(trace_kind::predicated_off, e);
    r.time = now;
    r.value = e.instruction;
  }
  /// Records it.
  constexpr void operator()(const event::diverged<Mask>& e) { add_lanes(trace_kind::diverged, e).value = e.ways; }
  /// Records it.
  constexpr void operator()(const event::exited<Mask>& e) { add_lanes(trace_kind::exited, e); }
  /// Records it.
  constexpr void operator()(const event::waits<Mask>& e) { add_lanes(trace_kind::waits, e).value = e.barrier; }
  /// Records it. Every warp goes on at the time of the latest warp.
  constexpr void operator()(const event::released& e) {
    const std::uint64_t now = latest();  // no warp goes on before the last warp has arrived
    for (std::uint64_t& c : clock_) c = now;
    add(trace_kind::released, e.step, now).value = e.barrier;
  }
  /// Records it.
  constexpr void operator()(const event::ended& e) { add(trace_kind::ended, e.steps, latest()).value = e.overhead; }

 private:
  constexpr basic_trace_record<Mask>& add(trace_kind kind, std::uint64_t step, std::uint64_t time) {
    basic_trace_record<Mask> r;
    r.kind = kind;
    r.step = step;
    r.time = time;
    records_.push_back(r);
    return records_.back();
  }
  template <class Event>
  constexpr basic_trace_record<Mask>& add_lanes(trace_kind kind, const Event& e) {
    basic_trace_record<Mask>& r = add(kind, e.step, clock(e.warp));
    r.warp = e.warp;
    r.block = e.block;
    r.lanes = e.lanes;
    return r;
  }
  constexpr std::uint64_t& clock(std::uint32_t warp) {
    while (clock_.size() <= warp) clock_.push_back(0);
    return clock_[warp];
  }
  [[nodiscard]] constexpr std::uint64_t latest() const {
    std::uint64_t most = 0;
    for (const std::uint64_t c : clock_)
      if (c > most) most = c;
    return most;
  }

  std::vector<basic_trace_record<Mask>> records_;
  std::vector<std::uint64_t> clock_;  // by warp: instructions issued
  std::uint32_t weight_ = 0;          // of the block issued last
};

/// The trace of warps of up to 64 lanes.
using event_trace = basic_event_trace<lane_mask>;

}  // namespace v0
}  // namespace simtflow
