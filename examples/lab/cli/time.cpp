// SPDX-License-Identifier: BSL-1.0
//
// `time`: a kernel or a trace on a machine, cycle by cycle.
#include "lab/time.hpp"

#include "lab/cli/command_table.hpp"
#include "lab/cli/options.hpp"
#include "lab/cli/output.hpp"
#include "lab/cli/terminal.hpp"
#include "lab/module_file.hpp"
#include <simtflow/io/machine_text.hpp>

#include <memory>
#include <string>
#include <vector>

namespace lab::cli {

namespace {

// \pre files are given
int run_timed(lab::time_options& options, const row_output& rows, const std::string& svg_path,
              const std::string& events_path) {
  const std::string& file = options.files.front();
  const bool is_kernel = !options.launch_path.empty() || lab::is_module_path(file);
  if (is_kernel && options.launch_path.empty()) throw lab::input_error("--launch is required");
  if (is_kernel && options.files.size() > 1)
    throw lab::input_error(
        fmt::format("{}: one kernel at a time; {} is too many (a trace has no --launch)", file, options.files[1]));
  if (!is_kernel && (options.lines || options.branches || !events_path.empty()))
    throw lab::input_error(fmt::format("{}: is no .ptx; a trace has no --lines, --branches and --events", file));
  if (!is_kernel && options.machine.estimates)
    throw lab::input_error(
        fmt::format("{}: is no .ptx; a trace does not tell registers, so --registers takes a number", file));
  if (!is_kernel && options.jobs != 1)
    throw lab::input_error(fmt::format("{}: is no .ptx; a trace runs on one host thread, without --jobs", file));
  options.kernel_path = file;
  std::vector<std::string> inputs = options.files;
  inputs.insert(inputs.end(), {options.launch_path, options.machine.name});
  lab::refuse_to_overwrite(svg_path, inputs);
  event_file events(options, events_path, inputs);
  if (!svg_path.empty() && !events_path.empty() && lab::same_file(svg_path, events_path))
    throw lab::input_error(fmt::format("{}: cannot take both the picture and the events", svg_path));
  if (rows.asked_for_csv() && options.lines && options.branches)
    throw lab::input_error("--csv prints one table: --lines or --branches");
  rows.check(inputs);
  for (const std::string& path : rows.files())
    for (const std::string* other : {&svg_path, &events_path})
      if (!other->empty() && lab::same_file(path, *other))
        throw lab::input_error(
            fmt::format("{}: cannot take both rows and {}", path, other == &svg_path ? "the picture" : "the events"));
  const lab::time_report result = [&] {
    const progress_line line(options);
    partial_result last;
    options.timed_so_far = keep_in<lab::time_report>(last, rows);
    return is_kernel ? lab::time_kernel(options) : lab::time_traces(options);
  }();
  std::optional<lab::draft> picture;
  if (!svg_path.empty()) picture.emplace(svg_path, lab::to_bars(result));
  const int status = events.write([&] {
    return deliver(
        rows, [&](lab::report_format format) { return lab::to_text(result, format); }, result.good, result.remarks);
  });
  if (picture) picture->commit();
  return status;
}

}  // namespace

void add_time(command_table& table) {
  struct state {
    time_options time;
    shared_flags flags;
    std::string bars_path, machine_path, events;
    bool list_machines = false;
  };
  const auto s = std::make_shared<state>();
  CLI::App& command = table.add(
      "time", "Run a PTX kernel on a machine, cycle by cycle: how long it takes under each policy, and why",
      judges::yes,
      {"examples/kernels/figure1.ptx --launch examples/kernels/figure1.launch.json --machine gtx480 --policy pdom,tf",
       "--list-machines"});
  command
      .add_option("FILES", s->time.files,
                  "PTX module (.ptx) with --launch; or graph files, then a trace (record --addresses)")
      ->option_text("KERNEL.ptx|GRAPHS... TRACE");
  command.add_option("--launch", s->time.launch_path, "Launch file: grid, data, parameters, checks")
      ->option_text("LAUNCH.json");
  add_timed_machine(command, s->time.machine, true);
  command.add_flag("--list-machines", s->list_machines, "List the shipped machines, and nothing else");
  add_output(command, "--write-machine", s->machine_path, "Write the machine here as a machine file")
      ->option_text("FILE.json");
  add_policy_names(command, s->time.policies, lab::timed_policies);
  add_conditions(command, s->time, launch_says);
  add_launch(command, s->time, false);
  add_jobs(command, s->time.jobs,
           "Host threads that run policies, 0: as many as the host has (default 1). Results are the same");
  command.add_flag("--lines", s->time.lines, "Also print the costs of each line of the PTX text");
  command.add_flag("--branches", s->time.branches, "Also print the costs of divergence, by branch");
  add_rows(command, s->flags.rows, "a row for each run");
  add_output(command, "--events", s->events,
             "Write what each scheduler did in each cycle, and the traffic of the memory, under the one policy named: "
             ".csv, or .json (Perfetto)")
      ->option_text("FILE");
  add_output(command, "--svg", s->bars_path, "Draw the cycles by class as stacked bars")->option_text("FILE.svg");
  command.footer(
      "PTX is not SASS: the model times the instructions of the PTX text. It leaves out translation of addresses,\n"
      "error correction, conflicts of register banks and the width of fetch. README.md of the tool has the rest.");
  table.runs(command, [s] {
    take_data(s->time.machine, s->time);
    if (s->list_machines) {
      lab::print_whole(lab::machine_list());
      return 0;
    }
    if (!s->machine_path.empty()) {
      std::vector<std::string> inputs = s->time.files;
      inputs.insert(inputs.end(), {s->time.launch_path, s->time.machine.name});
      lab::refuse_to_overwrite(s->machine_path, inputs);
      lab::draft(s->machine_path, simtflow::to_machine_text(lab::machine_of(s->time.machine))).commit();
      if (s->time.files.empty()) return 0;
    }
    if (s->time.files.empty()) throw lab::input_error("KERNEL.ptx is required");
    return run_timed(s->time, s->flags.rows, s->bars_path, s->events);
  });
}

}  // namespace lab::cli
