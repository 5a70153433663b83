// SPDX-License-Identifier: BSL-1.0
//
// `draw`: a control-flow graph.
#include "lab/cli/command_table.hpp"
#include "lab/cli/options.hpp"
#include "lab/cli/output.hpp"
#include "lab/commands.hpp"
#include "lab/files.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>

namespace lab::cli {

namespace {

// To all the places that were asked for, or to none.
void write_drawing(const lab::draw_options& draw, const std::string& dot_path, const std::string& svg_path) {
  for (const std::string& path : {dot_path, svg_path}) lab::refuse_to_overwrite(path, std::span(&draw.path, 1));
  if (!dot_path.empty() && !svg_path.empty() && lab::same_file(dot_path, svg_path))
    throw lab::input_error(fmt::format("{}: cannot take both DOT and SVG", svg_path));
  const lab::drawing drawn = lab::draw_graph(draw);
  const std::string dot = simtflow::to_dot(drawn.graph, drawn.style);
  if (dot_path.empty() && svg_path.empty()) return lab::print_whole(dot);
  std::optional<lab::draft> picture, text;
  if (!svg_path.empty()) picture.emplace(svg_path, lab::to_svg(drawn));
  if (!dot_path.empty()) text.emplace(dot_path, dot);
  if (picture) picture->commit();
  if (text) text->commit();
}

}  // namespace

void add_draw(command_table& table) {
  struct state {
    draw_options draw;
    std::string dot_path, svg_path;
  };
  const auto s = std::make_shared<state>();
  CLI::App& command = table.add("draw", "Draw a control-flow graph with priorities and thread frontiers", judges::no,
                                {"examples/kernels/figure1.ptx --svg figure1.svg"});
  command.add_option("FILE", s->draw.path, "PTX module (.ptx) or graph file (.cfg, .cfg.gz)")->required();
  command.add_option("--kernel", s->draw.kernel, "The kernel or graph, if there are several")->option_text("NAME");
  add_output(command, "-o,--output", s->dot_path, "Write DOT text here (default: standard output)")
      ->option_text("OUT.dot");
  add_output(command, "--svg", s->svg_path, "Write a picture here, laid out by Graphviz if that is installed")
      ->option_text("OUT.svg");
  command.add_flag("--code", s->draw.code, "Show the instructions of each block");
  add_order(command, s->draw.order);
  table.runs(command, [s] {
    write_drawing(s->draw, s->dot_path, s->svg_path);
    return 0;
  });
}

}  // namespace lab::cli
