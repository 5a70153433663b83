// SPDX-License-Identifier: BSL-1.0
//
// `papers`: figures of the papers beside ours.
#include "lab/papers.hpp"

#include "lab/cli/command_table.hpp"
#include "lab/cli/options.hpp"
#include "lab/cli/output.hpp"
#include "lab/cli/terminal.hpp"

#include <memory>
#include <string>

namespace lab::cli {

void add_papers(command_table& table) {
  struct state {
    papers_options papers;
    row_output rows;
  };
  const auto s = std::make_shared<state>();
  CLI::App& command = table.add("papers", "Print figures and tables of the papers beside ours", judges::yes,
                                {"--only figure-2,figure-3"});
  command.add_option("FOLDER", s->papers.folder, "Kernels with launch files (default examples/kernels)");
  command
      .add_option("--graphs", s->papers.graphs,
                  "A graph file with the kernels of the thread frontiers paper, for its Figure 5")
      ->option_text("FILE");
  command
      .add_option("--only", s->papers.only, fmt::format("Only these tables: {}", fmt::join(lab::paper_tables(), ", ")))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("TABLE,...");
  add_rows(command, s->rows, "a row for each figure");
  table.runs(command, [s] {
    s->rows.check(std::vector<std::string>{s->papers.graphs});
    const lab::papers_result result = [&] {
      const progress_line line(s->papers.progress);
      return lab::compare_with_papers(s->papers);
    }();
    return deliver(
        s->rows, [&](report_format format) { return lab::to_text(result, format); }, result.good);
  });
}

}  // namespace lab::cli
