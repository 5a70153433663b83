// SPDX-License-Identifier: BSL-1.0
//
// `plot`: pictures from rows.
#include "lab/plot.hpp"

#include "lab/cli/command_table.hpp"
#include "lab/cli/options.hpp"
#include "lab/cli/output.hpp"

#include <memory>
#include <string>

namespace lab::cli {

void add_plot(command_table& table) {
  struct state {
    plot_options plot;
    std::string path, kind;
  };
  const auto s = std::make_shared<state>();
  CLI::App& command = table.add(
      "plot", "Draw bars, a heat map or curves from CSV of the other commands, with gnuplot", judges::no,
      {"rows.csv -o rows.svg", "rows.csv --kind bar --x kernel --y warp_instructions --by policy -o rows.png"});
  command.add_option("FILES", s->plot.files, "CSV files of the same kind")->required()->option_text("FILE.csv...");
  add_output(command, "-o,--output", s->path,
             "Write the picture here; .gp writes the script for gnuplot (default: SVG on standard output)")
      ->option_text("OUT.svg|OUT.png|OUT.gp");
  command.add_option("--kind", s->kind, "Bars, a heat map or curves (default: what suits the rows)")
      ->check(one_of({"bar", "heat", "curve"}))
      ->option_text("bar|heat|curve");
  command.add_option("--x", s->plot.x, "The column along the axis")->option_text("COLUMN,...");
  command.add_option("--y", s->plot.y, "The column of the value: the height, or the colour")->option_text("COLUMN");
  command.add_option("--by", s->plot.by, "The column that tells series apart, or the rows of a heat map")
      ->option_text("COLUMN,...");
  command.add_option("--where", s->plot.where, "Only rows with one of these values in the column")
      ->allow_extra_args(false)
      ->option_text("COLUMN=VALUE,...");
  command.add_flag("--log", s->plot.log, "The value on a logarithmic scale");
  command.add_option("--title", s->plot.title, "The title (default: made from the columns)")->option_text("TEXT");
  table.runs(command, [s] {
    using enum plot_kind;
    s->plot.kind = s->kind == "bar" ? bar : s->kind == "heat" ? heat : s->kind == "curve" ? curve : automatic;
    refuse_to_overwrite(s->path, s->plot.files);
    const plot_script made = make_plot(s->plot);
    return show_view(draw_plot(made, s->path), made.remarks, true, s->path);
  });
}

}  // namespace lab::cli
