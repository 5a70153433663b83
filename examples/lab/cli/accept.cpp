// SPDX-License-Identifier: BSL-1.0
//
// `accept`: which kernels can be executed.
#include "lab/accept.hpp"

#include "lab/cli/command_table.hpp"
#include "lab/cli/options.hpp"
#include "lab/cli/output.hpp"

#include <memory>
#include <string>

namespace lab::cli {

void add_accept(command_table& table) {
  struct state {
    accept_options accept;
    row_output rows;
  };
  const auto s = std::make_shared<state>();
  CLI::App& command = table.add("accept", "Count the kernels of PTX files that can be executed, by reason", judges::no,
                                {"examples/kernels"});
  command.add_option("PATHS", s->accept.paths, "PTX files (.ptx, .ptx.gz), and folders with such files")->required();
  add_rows(command, s->rows, "a row for each reason");
  table.runs(command, [s] {
    s->rows.check(s->accept.paths);
    const lab::acceptance result = [&] {
      const progress_line line(s->accept.progress);
      partial_result last;
      s->accept.so_far = keep_in<lab::acceptance>(last, s->rows);
      return lab::accept_files(s->accept);
    }();
    return deliver(
        s->rows, [&](report_format format) { return lab::to_text(result, format); }, true);
  });
}

}  // namespace lab::cli
