// SPDX-License-Identifier: BSL-1.0
//
// The questions of the playground's page, and the answers as JSON. Nothing here knows of WebAssembly or of a browser.
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
  std::string launch;                 ///< of PTX; empty: as `simtflow-lab init` makes it
  std::vector<std::string> policies;  ///< at least one
};

/// Runs the program under the policies, at most 200000 blocks each.
/// \returns {"data", "lines", "launch", "problems"}, or {"problems"} if nothing ran. "data" is the JSON of `explore`;
///          "lines" has the first and last line of each block; "launch" is the launch file; "problems" is a list of
///          {"in": "program" | "launch" | "policy", "line", "column", "message"}, with 0 for no particular place.
[[nodiscard]] std::string play(const play_request& request);

/// The policies as JSON: [{"name", "what", "parameters": [{"name", "values", "normal", "meaning"}]}].
[[nodiscard]] std::string policies();

/// The line, from 1, in which the value that a JSON pointer names begins; 0 if there is none. O(length).
/// \pre the text is JSON.
[[nodiscard]] unsigned line_of_pointer(std::string_view json, std::string_view pointer);

}  // namespace playground
