// SPDX-License-Identifier: BSL-1.0
//
// A timed run (timing/timed_trace.hpp) as text: Chrome trace-event JSON, which opens in Perfetto (ui.perfetto.dev) and
// in chrome://tracing, and CSV.
//
// Format of the JSON: Google, Trace Event Format: a flat array of metadata (ph "M"), complete events (ph "X") and
// counters (ph "C"); times are in microseconds, here one for each cycle.
#pragma once

#include <simtflow/block_name.hpp>
#include <simtflow/config.hpp>
#include <simtflow/io/detail/json.hpp>
#include <simtflow/io/detail/trace_events.hpp>
#include <simtflow/timing/timed_trace.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// The text of a timed trace.
class timed_trace_writer {
 public:
  // A process is a core, a thread of it a scheduler.
  void name_rows(const timing::timed_trace& trace) {
    std::uint32_t cores = 0;
    for (const timing::timed_slice& s : trace.slices()) {
      if (s.core >= cores) cores = s.core + 1;
      if (s.core >= schedulers_.size()) schedulers_.resize(std::size_t{s.core} + 1);
      schedulers_[s.core] = std::max(schedulers_[s.core], s.scheduler + 1);
    }
    memory_ = cores;
    for (std::uint32_t c = 0; c < cores; ++c) {
      name("process_name", c, 0, "core " + std::to_string(c));
      for (std::uint32_t s = 0; s < schedulers_[c]; ++s) name("thread_name", c, s, "scheduler " + std::to_string(s));
    }
    name("process_name", memory_, 0, "memory");
  }

  template <class Name>
  void slice(const timing::timed_slice& s, Name& of_instruction) {
    next();
    out_ += "{\"name\":";
    if (s.kind != timing::cycle_class::issued)
      append_json_string(out_, to_string(s.kind));
    else if (s.block == no_block)
      out_ += "\"operation of the policy\"";
    else
      append_json_string(out_, std::string(of_instruction(s.block, s.instruction)));
    out_ += ",\"cat\":\"";
    out_ += to_string(s.kind);
    out_ += "\",\"ph\":\"X\"";
    number("ts", s.first);
    number("dur", s.count);
    number("pid", s.core);
    number("tid", s.scheduler);
    append_trace_colour(out_, s.block != no_block ? trace_colour(s.block) : "grey");
    if (s.block != no_block) {
      out_ += ",\"args\":{\"thread block\":" + std::to_string(s.thread_block);
      number("warp", s.warp);
      number("lanes", s.lanes);
      number("predicated off", s.predicated_off);
      if (s.replays) out_ += ",\"replays\":true";
      out_ += '}';
    }
    out_ += '}';
  }

  // The counters of each period; zeros follow it if the next one with traffic comes later.
  void counters(const timing::timed_trace& trace) {
    const auto periods = trace.periods();
    for (const timing::memory_traffic& p : periods)
      for (std::size_t c = 0; c < num_caches; ++c) used_[c] = used_[c] || p.*caches[c].of != timing::cache_traffic{};
    for (std::size_t i = 0; i < periods.size(); ++i) {
      const timing::memory_traffic& p = periods[i];
      counters_at(p.first, p, trace.channels(i).data(), trace.num_channels());
      if (i + 1 != periods.size() && periods[i + 1].first == p.first + p.count) continue;
      counters_at(p.first + p.count, {}, nullptr, trace.num_channels());
    }
  }

  std::string finish() {
    out_ += "\n]\n";
    return std::move(out_);
  }

 private:
  struct cache_track {
    const char* name;
    timing::cache_traffic timing::memory_traffic::*of;
  };
  static constexpr std::size_t num_caches = 4;
  static constexpr cache_track caches[num_caches] = {{"L1", &timing::memory_traffic::l1},
                                                     {"constant cache", &timing::memory_traffic::constant},
                                                     {"instruction cache", &timing::memory_traffic::instruction},
                                                     {"L2", &timing::memory_traffic::l2}};

  void next() {
    out_ += first_ ? "\n" : ",\n";
    first_ = false;
  }
  void number(const char* key, std::uint64_t n) {
    out_ += ",\"";
    out_ += key;
    out_ += "\":" + std::to_string(n);
  }
  void name(const char* what, std::uint64_t process, std::uint64_t row, const std::string& text) {
    next();
    append_name_event(out_, what, process, row, text);
  }
  void counter(const std::string& track, timing::cycle at, const std::string& values) {
    next();
    out_ += "{\"name\":\"" + track + "\",\"ph\":\"C\"";
    number("ts", at);
    number("pid", memory_);
    out_ += ",\"args\":{" + values + "}}";
  }
  void counters_at(timing::cycle at, const timing::memory_traffic& t, const timing::dram_traffic* channels,
                   std::size_t num_channels) {
    for (std::size_t i = 0; i < num_caches; ++i) {
      if (!used_[i]) continue;
      const timing::cache_traffic& c = t.*caches[i].of;
      counter(caches[i].name, at,
              "\"hits\":" + std::to_string(c.hits) + ",\"merges\":" + std::to_string(c.merges) +
                  ",\"misses\":" + std::to_string(c.misses));
    }
    for (std::size_t c = 0; c < num_channels; ++c) {
      const timing::dram_traffic d = channels == nullptr ? timing::dram_traffic{} : channels[c];
      counter("DRAM channel " + std::to_string(c), at,
              "\"reads\":" + std::to_string(d.reads) + ",\"writes\":" + std::to_string(d.writes) +
                  ",\"row misses\":" + std::to_string(d.row_misses));
    }
  }

  std::string out_ = "[";
  bool first_ = true;
  std::uint32_t memory_ = 0;               // the process of the memory
  std::vector<std::uint32_t> schedulers_;  // by core
  bool used_[num_caches]{};                // caches with traffic
};

}  // namespace detail

/// The trace as JSON: a row of slices for each scheduler of each core, and below them counters for each period. A slice
/// is named by name(block, instruction) where an instruction issued, in any characters, else by its class. The class is
/// the category. A block has one colour. Counters: hits, merges and misses of each kind of cache in use; reads,
/// writes and row misses of each DRAM channel. An empty trace has the name of the memory only. Linear in the records,
/// times channels for the periods; a slice takes about 150 characters.
template <class Name>
  requires requires(Name& name, block_id b, std::uint32_t i, std::string& s) { s += name(b, i); }
[[nodiscard]] inline std::string to_trace_json(const timing::timed_trace& trace, Name&& name) {
  detail::timed_trace_writer out;
  out.name_rows(trace);
  for (const timing::timed_slice& s : trace.slices()) out.slice(s, name);
  out.counters(trace);
  return out.finish();
}

/// The same, instructions named BB0:0, BB0:1, ...
[[nodiscard]] inline std::string to_trace_json(const timing::timed_trace& trace) {
  return to_trace_json(trace, [](block_id b, std::uint32_t i) { return block_name(b) + ':' + std::to_string(i); });
}

/// The slices as CSV: one line for each, after a line with the names of the columns: core, scheduler, first, cycles,
/// class, thread_block, warp, block, instruction, lanes, predicated_off, replays. The last seven are empty where no
/// instruction of the program issued. Linear in the slices.
[[nodiscard]] inline std::string to_csv(const timing::timed_trace& trace) {
  std::string out =
      "core,scheduler,first,cycles,class,thread_block,warp,block,instruction,lanes,predicated_off,replays\n";
  for (const timing::timed_slice& s : trace.slices()) {
    const auto number = [&out](std::uint64_t n) { out += ',' + std::to_string(n); };
    out += std::to_string(s.core);
    number(s.scheduler);
    number(s.first);
    number(s.count);
    out += ',';
    out += to_string(s.kind);
    if (s.block == no_block) {
      out += ",,,,,,,\n";
      continue;
    }
    number(s.thread_block);
    number(s.warp);
    number(s.block);
    number(s.instruction);
    number(s.lanes);
    number(s.predicated_off);
    number(s.replays ? 1 : 0);
    out += '\n';
  }
  return out;
}

}  // namespace v0
}  // namespace simtflow
