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
    shared_flags flags;
  };
  const auto s = std::make_shared<state>();
  CLI::App& command = table.add("accept", "Count the kernels of PTX files that can be executed, by reason", judges::no,
                                {"examples/kernels"});
  command.add_option("PATHS", s->accept.paths, "PTX files (.ptx, .ptx.gz), and folders with such files")->required();
  auto* accept_csv = command.add_flag("--csv", s->flags.csv, "Print comma-separated values, a row a reason");
  command.add_flag("--json", s->flags.json, "Print JSON")->excludes(accept_csv);
  table.runs(command, [s] {
    lab::print_whole(lab::to_text(lab::accept_files(s->accept), s->flags.format()));
    return 0;
  });
}

}  // namespace lab::cli
