// SPDX-License-Identifier: BSL-1.0
//
// The source files that a PTX text was compiled from (.file), and the text of their lines for reports.
#pragma once

#include <simtflow/ptx/text/source_lines.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lab {

/// "my.cu:17" with the text of the line, if there is one: "my.cu:17: while (n != 1) {".
[[nodiscard]] std::string with_text(const std::string& place, const std::string& text);

/// Sorts places as they stand in the files: file and line of each call around a place, the outermost first, then its
/// own. Places of one line with the same calls have the same key; no_index and line 0 have an empty one.
[[nodiscard]] std::vector<std::uint32_t> line_key(const simtflow::ptx::source_map& map, std::uint32_t place);

/// Reads source files when they are asked for, each once. A relative name is looked for in the folder of the PTX. A
/// file that is not there is looked for without its folders in that folder, then from where the tool runs.
class source_text {
 public:
  /// \param map of a kernel or a module; outlives this. \param ptx_path the file with the PTX text
  source_text(const simtflow::ptx::source_map& map, const std::string& ptx_path) : map_(map), ptx_path_(ptx_path) {}

  /// The lines of a file; null if it cannot be read. \param file its number in .file
  [[nodiscard]] const std::vector<std::string>* lines(std::uint32_t file);
  /// The line of a place without blanks around it; empty if there is none, or it cannot be read.
  [[nodiscard]] std::string line(std::uint32_t place);
  /// source_map::describe(place), then the text of its line: "my.cu:17: while (n != 1) {".
  [[nodiscard]] std::string describe(std::uint32_t place) { return with_text(map_.describe(place), line(place)); }

 private:
  struct one_file {
    std::uint32_t number;
    std::optional<std::vector<std::string>> lines;
  };
  const simtflow::ptx::source_map& map_;
  std::string ptx_path_;
  std::vector<one_file> files_;
};

}  // namespace lab
