// SPDX-License-Identifier: BSL-1.0
//
// What the playground's page asks, and the answers as JSON. The page is page.js; nothing here knows of WebAssembly.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace playground {

enum class notation : unsigned char {
  flow,  ///< flow_program.hpp
  ptx    ///< a module with one kernel, and a launch file (lab/launch_file.hpp)
};

struct play_request {
  notation kind = notation::flow;
  std::string text;
  std::string launch;                 ///< of PTX; empty: as launch_for() makes it
  std::vector<std::string> policies;  ///< at least one
};

/// Runs the program under the policies, at most 200000 blocks each.
/// \returns {"data": the JSON of `explore`, "lines": by block, its first and last line in the text, "launch": the launch
///          file, "problems": faults}; or {"problems": [{"in": "program" | "launch" |
///          "policy", "line": from 1 or 0, "column": from 1 or 0, "message"}]}. 0: no particular place.
[[nodiscard]] std::string play(const play_request& request);

/// The policies as JSON: [{"name", "what", "parameters": [{"name", "values", "normal", "meaning"}]}].
[[nodiscard]] std::string policies();

/// The line, from 1, in which the value that a JSON pointer names begins; 0 if there is none. O(length).
/// \pre the text is JSON.
[[nodiscard]] unsigned line_of_pointer(std::string_view json, std::string_view pointer);

}  // namespace playground
