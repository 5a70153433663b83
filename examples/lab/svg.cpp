// SPDX-License-Identifier: BSL-1.0
//
// Runs Graphviz's `dot`.
#include "lab/child_process.hpp"
#include "lab/commands.hpp"
#include "lab/files.hpp"

#include <optional>
#include <string>

namespace lab {

std::optional<std::string> graphviz_svg(const std::string& dot) {
  const scratch_folder folder("dot");
  const std::string in = folder.file("graph.dot"), out = folder.file("graph.svg");
  draft(in, dot).commit();
  const std::string words[] = {"dot", "-Tsvg", "-o", out, in};
  const child_result ran = run_program(words);
  if (!ran.found) return std::nullopt;
  if (!ran.good) throw input_error("dot failed to draw the graph");
  return read_text(out);
}

}  // namespace lab
