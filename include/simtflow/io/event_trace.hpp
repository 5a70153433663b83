// SPDX-License-Identifier: BSL-1.0
//
// A recorded run (simt/observers/event_trace.hpp) as text: CSV with one line for each record, and Chrome trace-event
// JSON, which opens in Perfetto (ui.perfetto.dev) and in chrome://tracing.
//
// Format of the JSON: Google, Trace Event Format: a flat array of complete events (ph "X") and names of their rows (ph
// "M"); times are in microseconds, here one for each instruction of a warp.
#pragma once

#include <simtflow/block_name.hpp>
#include <simtflow/config.hpp>
#include <simtflow/io/detail/csv.hpp>
#include <simtflow/io/detail/json.hpp>
#include <simtflow/io/detail/trace_events.hpp>
#include <simtflow/simt/observers/event_trace.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The rows of the picture.
enum class trace_rows : unsigned char {
  lanes,  ///< a process for each warp, a row for each lane: lanes that run together show the same block side by side
  warps   ///< a process for each thread block, a row for each warp
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

namespace detail {

// The text of a trace: processes and rows get their names before their first slice.
class event_trace_writer {
 public:
  explicit event_trace_writer(trace_rows rows) : rows_(rows) {}

  // Another thread block begins.
  void thread_block() {
    first_process_ = named_.size();
    ++thread_blocks_;
  }

  template <class Mask>
  void slices(const basic_trace_record<Mask>& r, std::string_view name, std::string_view source) {
    const auto write = [&](std::uint64_t process, std::uint64_t row, const char* kind) {
      name_row(process, row, r.warp, kind);
      next();
      out_ += "{\"name\":";
      out_ += name;
      out_ += ",\"ph\":\"X\",\"ts\":" + std::to_string(r.time) + ",\"dur\":" + std::to_string(r.weight) +
              ",\"pid\":" + std::to_string(process) + ",\"tid\":" + std::to_string(row);
      append_trace_colour(out_, trace_colour(r.block));
      out_ += ",\"args\":{\"step\":" + std::to_string(r.step) + ",\"lanes\":\"";
      append_lanes(out_, r.lanes);
      out_ += '"';
      if (!source.empty()) {
        out_ += ",\"source\":";
        append_json_string(out_, source);
      }
      out_ += "}}";
    };
    if (rows_ == trace_rows::warps)
      write(first_process_, r.warp, "warp ");
    else
      r.lanes.for_each([&](std::uint32_t lane) { write(first_process_ + r.warp, lane, "lane "); });
  }

  std::string finish() {
    out_ += "\n]\n";
    return std::move(out_);
  }

 private:
  void next() {
    out_ += first_ ? "\n" : ",\n";
    first_ = false;
  }
  void name_row(std::uint64_t process, std::uint64_t row, std::uint32_t warp, const char* kind) {
    if (process >= named_.size()) named_.resize(process + 1);
    std::vector<bool>& rows = named_[process];
    if (rows.empty()) {
      next();
      std::string text = "thread block " + std::to_string(thread_blocks_ == 0 ? 0 : thread_blocks_ - 1);
      if (rows_ == trace_rows::lanes) text += ", warp " + std::to_string(warp);
      append_name_event(out_, "process_name", process, 0, text);
    }
    if (row >= rows.size()) rows.resize(row + 1);
    if (rows[row]) return;
    rows[row] = true;
    next();
    append_name_event(out_, "thread_name", process, row, kind + std::to_string(row));
  }

  trace_rows rows_;
  std::string out_ = "[";
  bool first_ = true;
  std::size_t first_process_ = 0, thread_blocks_ = 0;  // of this thread block; so far
  std::vector<std::vector<bool>> named_;               // by process and row
};

}  // namespace detail

/// The executed blocks as a flat JSON array of complete events: name, ts, dur, pid, tid, cname; before the first one of
/// a process or a row stands its name. A block has the same colour everywhere. `name(block)` names a block, in any
/// characters; bytes that are not UTF-8 become question marks. With `source`, the args of a slice have `source(block)`
/// also, if it is not empty: the place in the program's source.
/// Linear in the executed blocks, times lanes if rows are lanes.
template <class Mask, class Name, class Source = detail::no_source>
  requires requires(Name& name, Source& source, block_id b, std::string& s) {
    s += name(b);
    s += source(b);
  }
[[nodiscard]] inline std::string to_trace_json(const basic_event_trace<Mask>& trace, trace_rows rows, Name&& name,
                                               Source&& source = {}) {
  detail::event_trace_writer out(rows);
  std::string label;
  for (const basic_trace_record<Mask>& r : trace.records()) {
    if (r.kind == trace_kind::started) out.thread_block();
    if (r.kind != trace_kind::issued) continue;
    label.clear();
    detail::append_json_string(label, std::string(name(r.block)));
    out.slices(r, label, std::string(source(r.block)));
  }
  return out.finish();
}

/// The same, blocks named BB0, BB1, ...
template <class Mask>
[[nodiscard]] inline std::string to_trace_json(const basic_event_trace<Mask>& trace,
                                               trace_rows rows = trace_rows::lanes) {
  return to_trace_json(trace, rows, [](block_id b) { return block_name(b); });
}

}  // namespace v0
}  // namespace simtflow
