// SPDX-License-Identifier: BSL-1.0
//
// `timeline`: what each lane did in each issue slot.
#include "lab/cli/command_table.hpp"
#include "lab/cli/options.hpp"
#include "lab/cli/output.hpp"
#include "lab/view.hpp"

#include <memory>
#include <string>

namespace lab::cli {

void add_timeline(command_table& table) {
  struct state {
    timeline_options timeline;
    std::string path;
  };
  const auto s = std::make_shared<state>();
  s->timeline.policies = {"pdom", "tf"};
  CLI::App& command = table.add(
      "timeline", "Draw what each lane did in each issue slot, one policy under the other, as SVG", judges::yes,
      {"examples/kernels/figure1.ptx --launch examples/kernels/figure1.launch.json --policy pdom,tf -o timeline.svg"});
  add_view(command, s->timeline, s->path, "the picture", "pdom,tf");
  command.add_option("--warp", s->timeline.warp, "Only this warp of the thread block (default: all)")
      ->check(CLI::Range(0, 1'000'000))
      ->option_text("N");
  table.runs(command, [s] {
    refuse_to_overwrite_view(s->timeline, s->path);
    const lab::timeline_picture made = lab::draw_timeline(s->timeline);
    return show_view(made.svg, made.remarks, made.good, s->path);
  });
}

}  // namespace lab::cli
