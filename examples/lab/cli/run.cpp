// SPDX-License-Identifier: BSL-1.0
//
// `run`: a kernel under each policy.
#include "lab/cli/command_table.hpp"
#include "lab/cli/options.hpp"
#include "lab/cli/output.hpp"
#include "lab/commands.hpp"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace lab::cli {

void add_run(command_table& table) {
  struct state {
    run_options run;
    shared_flags flags;
  };
  const auto s = std::make_shared<state>();
  CLI::App& command =
      table.add("run", "Run a PTX kernel under each policy and compare the results", judges::yes,
                {"examples/kernels/figure1.ptx --launch examples/kernels/figure1.launch.json",
                 "examples/kernels/figure1.ptx --launch examples/kernels/figure1.launch.json --policy all --metrics",
                 "examples/kernels/figure1.ptx --launch examples/kernels/figure1.launch.json --policy tf --json"});
  command.add_option("KERNEL.ptx", s->run.kernel_path,
                     "PTX module, or CUDA source for nvcc; may be left out if the launch file names it");
  command.add_option("--launch", s->run.launch_path, "Launch file: grid, data, parameters, checks")
      ->required()
      ->option_text("LAUNCH.json");
  add_policy_runs(command, s->run, s->flags, launch_says);
  add_launch(command, s->run);
  command
      .add_option("--dump", s->run.dumps,
                  "Write a buffer or a variable of the module as it is at the end: .npy, .csv, .txt, or raw")
      ->allow_extra_args(false)
      ->option_text("NAME=FILE");
  add_jobs(command, s->run.jobs,
           "Host threads that run thread blocks, 0: as many as the host has (default 1). Results are the same if "
           "thread blocks do not race");
  table.runs(command, [s] {
    const std::vector<std::string> inputs{s->run.kernel_path, s->run.launch_path};
    refuse_two_tables(s->run, s->flags);
    event_file events(s->run, s->flags.events, inputs);
    std::vector<lab::dumped_file> dumps;
    for (const std::string& text : s->run.dumps)
      if (const std::size_t equals = text.find('='); equals != std::string::npos)
        lab::refuse_to_overwrite(text.substr(equals + 1), inputs);
    s->flags.rows.check(inputs);
    const lab::report result = [&] {
      const progress_line line(s->run);
      partial_result last;
      s->run.so_far = keep_in<lab::report>(last, s->flags.rows);
      return lab::run_kernel(s->run, &dumps);
    }();
    std::deque<lab::draft> files;
    for (const lab::dumped_file& dump : dumps) files.emplace_back(dump.path, dump.text);
    const int status = events.write([&] {
      return deliver(
          s->flags.rows, [&](report_format format) { return lab::to_text(result, format); }, result.good,
          result.remarks);
    });
    for (lab::draft& file : files) file.commit();
    return status;
  });
}

}  // namespace lab::cli
