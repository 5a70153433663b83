// SPDX-License-Identifier: BSL-1.0
//
// `explore`: a page in which a person steps through runs.
#include "lab/cli/command_table.hpp"
#include "lab/cli/options.hpp"
#include "lab/cli/output.hpp"
#include "lab/view.hpp"

#include <memory>
#include <string>

namespace lab::cli {

void add_explore(command_table& table) {
  struct state {
    view_options explore;
    std::string path;
  };
  const auto s = std::make_shared<state>();
  s->explore.policies = {"pdom", "tf", "volta", "min-pc", "multi-path", "none"};
  s->explore.most_events = 20'000;
  CLI::App& command = table.add(
      "explore", "Write an HTML page in which a person steps through the runs, with graph, stack and lanes",
      judges::yes, {"examples/kernels/figure1.ptx --launch examples/kernels/figure1.launch.json -o page.html"});
  add_view(command, s->explore, s->path, "the page", "pdom,tf,volta,min-pc,multi-path,none");
  command.add_option("--most-events", s->explore.most_events, "Events of each run, at most (default 20000)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}))
      ->option_text("N");
  table.runs(command, [s] {
    refuse_to_overwrite_view(s->explore, s->path);
    const lab::explore_page made = lab::explore_runs(s->explore);
    return show_view(made.html, made.remarks, made.good, s->path);
  });
}

}  // namespace lab::cli
