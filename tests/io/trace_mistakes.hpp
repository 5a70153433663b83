// SPDX-License-Identifier: BSL-1.0
//
// Trace files with a mistake: what the readers say of them.
#pragma once

#include <simtflow/io/trace_text.hpp>

#include <doctest/doctest.h>

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace simtflow_tests {

using namespace simtflow;

inline std::string said(const diagnostics& found) {
  std::string all;
  for (const diagnostic& d : found) all += to_string(d) + '\n';
  return all;
}

// The traces of a text that are sound, and what is wrong with the others.
struct sound_traces {
  std::vector<recorded_trace> traces;
  diagnostics found;
};

inline sound_traces traces_in(std::string_view text, std::span<const recorded_graph> graphs = {}) {
  sound_traces out;
  out.traces = read_sound_traces(text, graphs, out.found);
  const result<std::vector<recorded_trace>> all = read_traces(text, graphs);
  CHECK(all.has_value() == out.found.empty());
  CHECK(all.diagnostics() == out.found);
  if (all) CHECK(all->size() == out.traces.size());
  return out;
}

// A good trace file with its first `from` replaced by `to`, and what the readers say.
struct mistake {
  const char* from;
  const char* to;
  const char* said;
};

// The readers name each mistake as it says, and read the good trace that follows.
inline void check_mistakes(const std::string& good, std::initializer_list<mistake> mistakes) {
  for (const mistake& m : mistakes) {
    CAPTURE(m.from);
    CAPTURE(m.to);
    std::string text = good;
    const std::size_t at = text.find(m.from);
    REQUIRE(at != std::string::npos);
    text.replace(at, std::string(m.from).size(), m.to);
    const sound_traces file = traces_in(text + good);
    CHECK(said(file.found) == m.said);
    CHECK(file.traces.size() == 1);
  }
}

}  // namespace simtflow_tests
