// SPDX-License-Identifier: BSL-1.0
//
// Parts that writers of trace events have in common: names of processes and rows, and colours.
//
// Format: Google, Trace Event Format; the names of colours are from its viewer, catapult (color_scheme.html).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/io/detail/json.hpp>

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace detail {

// A metadata event. what: "process_name", "thread_name"
inline void append_name_event(std::string& out, std::string_view what, std::uint64_t process, std::uint64_t row,
                              std::string_view text) {
  out += "{\"name\":\"";
  out += what;
  out +=
      "\",\"ph\":\"M\",\"pid\":" + std::to_string(process) + ",\"tid\":" + std::to_string(row) + ",\"args\":{\"name\":";
  append_json_string(out, text);
  out += "}}";
}

// A colour for a block: neighbours have different ones.
inline std::string_view trace_colour(block_id block) {
  constexpr std::string_view names[] = {
      "rail_response",       "yellow",  "thread_state_running", "rail_animation",        "olive",
      "thread_state_iowait", "startup", "cq_build_running",     "thread_state_runnable", "detailed_memory_dump"};
  return names[block % std::size(names)];
}

inline void append_trace_colour(std::string& out, std::string_view colour) {
  out += ",\"cname\":\"";
  out += colour;
  out += '"';
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
