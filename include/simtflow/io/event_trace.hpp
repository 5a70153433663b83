// SPDX-License-Identifier: BSL-1.0
//
// A recorded run (simt/observers/event_trace.hpp) as text: CSV with one line for each record, and Chrome trace-event
// JSON, which opens in Perfetto (ui.perfetto.dev) and in chrome://tracing.
//
// Format of the JSON: Google, Trace Event Format: a flat array of complete events (ph "X"); times are in microseconds,
// here one for each instruction of a warp.
#pragma once

#include <simtflow/block_name.hpp>
#include <simtflow/config.hpp>
#include <simtflow/io/detail/json.hpp>
#include <simtflow/simt/observers/event_trace.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace simtflow {
inline namespace v0 {

/// The rows of the picture.
enum class trace_rows : unsigned char {
  lanes,  ///< a process for each warp, a row for each lane: lanes that run together show the same block side by side
  warps   ///< one process, a row for each warp
};

/// The rows in a word: "lanes" or "warps".
[[nodiscard]] constexpr std::string_view to_string(trace_rows rows) {
  switch (rows) {
    case trace_rows::lanes:
      return "lanes";
    case trace_rows::warps:
      return "warps";
  }
  return "";
}

namespace detail {

// The lanes as a hexadecimal number, lane 0 its lowest bit; capacity / 4 digits at most, no leading zeros.
template <class Mask>
inline void append_lanes(std::string& out, const Mask& lanes) {
  bool begun = false;
  for (std::uint32_t digit = lanes.capacity / 4; digit-- > 0;) {
    unsigned value = 0;
    for (unsigned bit = 0; bit < 4; ++bit) value |= lanes.test(4 * digit + bit) ? 1U << bit : 0U;
    begun = begun || value != 0 || digit == 0;
    if (begun) out += "0123456789abcdef"[value];
  }
}

// Says the place of no block.
struct no_source {
  constexpr std::string_view operator()(block_id) const { return {}; }
};

// A word of CSV: in quotes if it has a comma, a quote or an end of line.
inline void append_csv_word(std::string& out, std::string_view word) {
  if (word.find_first_of(",\"\n\r") == std::string_view::npos) {
    out += word;
    return;
  }
  out += '"';
  for (const char c : word) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

}  // namespace detail

/// One line for each record, after a line with the names of the columns: kind, step, time, warp, first_thread, block,
/// weight, lanes, live, depth, value, label. A block has two columns: its number, and `label(block)`, which is empty if
/// the text has no label (block_name.hpp); both are empty in a record without a block. Lanes are hexadecimal, lane 0
/// the lowest bit. With `source`, a last column "source" has `source(block)`, in quotes if it has a comma: the place in
/// the program's source. Linear in the records.
template <class Mask, class Label, class Source = detail::no_source>
  requires requires(Label& label, Source& source, block_id b, std::string& s) {
    s += label(b);
    s += source(b);
  }
[[nodiscard]] inline std::string to_csv(const basic_event_trace<Mask>& trace, Label&& label, Source&& source = {}) {
  constexpr bool sources = !std::is_same_v<std::remove_cvref_t<Source>, detail::no_source>;
  std::string out = "kind,step,time,warp,first_thread,block,weight,lanes,live,depth,value,label";
  out += sources ? ",source\n" : "\n";
  for (const basic_trace_record<Mask>& r : trace.records()) {
    const auto number = [&out](std::uint64_t n) {
      out += ',';
      out += std::to_string(n);
    };
    out += to_string(r.kind);
    number(r.step);
    number(r.time);
    number(r.warp);
    number(r.first_thread);
    out += ',';
    if (r.block != no_block) out += std::to_string(r.block);
    number(r.weight);
    out += ',';
    detail::append_lanes(out, r.lanes);
    out += ',';
    detail::append_lanes(out, r.live);
    number(r.depth);
    number(r.value);
    out += ',';
    if (r.block != no_block) out += label(r.block);
    if constexpr (sources) {
      out += ',';
      if (r.block != no_block) detail::append_csv_word(out, std::string(source(r.block)));
    }
    out += '\n';
  }
  return out;
}

/// As above, for blocks without labels.
template <class Mask>
[[nodiscard]] inline std::string to_csv(const basic_event_trace<Mask>& trace) {
  return to_csv(trace, [](block_id) { return std::string_view(); });
}

/// The executed blocks as a flat JSON array of complete events: name, ts, dur, pid, tid. `name(block)` names a block,
/// in any characters; bytes that are not UTF-8 become question marks. With `source`, the args of a slice have
/// `source(block)` also, if it is not empty: the place in the program's source.
/// Linear in the executed blocks, times lanes if rows are lanes.
template <class Mask, class Name, class Source = detail::no_source>
  requires requires(Name& name, Source& source, block_id b, std::string& s) {
    s += name(b);
    s += source(b);
  }
[[nodiscard]] inline std::string to_trace_json(const basic_event_trace<Mask>& trace, trace_rows rows, Name&& name,
                                               Source&& source = {}) {
  std::string out = "[";
  std::string label, place;
  bool first = true;
  for (const basic_trace_record<Mask>& r : trace.records()) {
    if (r.kind != trace_kind::issued) continue;
    label.clear();
    detail::append_json_string(label, std::string(name(r.block)));
    place.clear();
    if (const std::string words(source(r.block)); !words.empty()) {
      place = ",\"source\":";
      detail::append_json_string(place, words);
    }
    const auto write = [&](std::uint64_t process, std::uint64_t row) {
      out += first ? "\n" : ",\n";
      first = false;
      out += "{\"name\":" + label + ",\"ph\":\"X\",\"ts\":" + std::to_string(r.time) +
             ",\"dur\":" + std::to_string(r.weight) + ",\"pid\":" + std::to_string(process) +
             ",\"tid\":" + std::to_string(row) + ",\"args\":{\"step\":" + std::to_string(r.step) + ",\"lanes\":\"";
      detail::append_lanes(out, r.lanes);
      out += "\"" + place + "}}";
    };
    if (rows == trace_rows::warps)
      write(0, r.warp);
    else
      r.lanes.for_each([&](std::uint32_t lane) { write(r.warp, lane); });
  }
  out += "\n]\n";
  return out;
}

/// The same, blocks named BB0, BB1, ...
template <class Mask>
[[nodiscard]] inline std::string to_trace_json(const basic_event_trace<Mask>& trace,
                                               trace_rows rows = trace_rows::lanes) {
  return to_trace_json(trace, rows, [](block_id b) { return block_name(b); });
}

}  // namespace v0
}  // namespace simtflow
