// SPDX-License-Identifier: BSL-1.0
//
// `suite`: all kernels of a folder.
#include "lab/cli/command_table.hpp"
#include "lab/cli/options.hpp"
#include "lab/cli/output.hpp"
#include "lab/cli/terminal.hpp"
#include "lab/commands.hpp"
#include "lab/cost.hpp"
#include "lab/time.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lab::cli {

namespace {

int run_suite(lab::suite_options& options, const std::string& csv_path) {
  options.not_over = {csv_path};
  options.metrics = !csv_path.empty();
  const lab::suite_result result = [&] {
    const progress_line line(options);
    return lab::run_suite(options);
  }();
  std::optional<lab::draft> rows;
  if (!csv_path.empty()) rows.emplace(csv_path, lab::to_text(result.rows, lab::report_format::csv));
  print_for_people(result.text);
  if (rows) rows->commit();
  return result.rows.good ? 0 : bad_result;
}

int run_timed_suite(lab::suite_options& options, const lab::time_machine& machine, const std::string& csv_path,
                    const std::string& svg_path) {
  options.not_over = {csv_path, svg_path};
  for (const std::string& path : options.not_over) lab::refuse_to_overwrite(path, std::span(&machine.name, 1));
  if (!csv_path.empty() && !svg_path.empty() && lab::same_file(csv_path, svg_path))
    throw lab::input_error(fmt::format("{}: cannot take both rows and the picture", svg_path));
  const lab::timed_suite result = [&] {
    const progress_line line(options);
    return lab::time_suite(options, machine);
  }();
  std::optional<lab::draft> rows, picture;
  if (!csv_path.empty()) rows.emplace(csv_path, lab::to_text(result.report, lab::report_format::csv));
  if (!svg_path.empty()) picture.emplace(svg_path, lab::to_bars(result.report));
  print_for_people(result.text);
  if (rows) rows->commit();
  if (picture) picture->commit();
  return result.report.good ? 0 : bad_result;
}

int run_stacks(lab::suite_options& options, std::size_t on_chip, const std::string& csv_path) {
  options.not_over = {csv_path};
  const lab::stack_report result = [&] {
    const progress_line line(options);
    return lab::stacks_of_suite(options, on_chip);
  }();
  std::optional<lab::draft> rows;
  if (!csv_path.empty()) rows.emplace(csv_path, result.csv);
  print_for_people(result.text);
  if (rows) rows->commit();
  return result.good ? 0 : bad_result;
}

}  // namespace

void add_suite(command_table& table) {
  struct state {
    suite_options suite;
    std::string csv, size = "test", svg;
    time_machine machine;
    bool times = false, costs = false;
    std::size_t on_chip = 3;
  };
  const auto s = std::make_shared<state>();
  s->suite.program = table.program();
  CLI::App& command = table.add("suite", "Run all kernels of a folder: a line for each, or tables", judges::yes,
                                {"--kernels figure1,mandelbrot --policy pdom,tf", "--time --machine volta --jobs 0"});
  command.add_option("FOLDER", s->suite.folder, "Kernels with launch files (default examples/kernels)");
  command.add_option("--kernels", s->suite.kernels, "Only these")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("NAME,...");
  command
      .add_option("--policy", s->suite.policies,
                  "Policies to compare, as in run (default all; with --tables "
                  "pdom,lcp,tf-sandy,tf,dwf-majority,dwf-barrier,tbc,tbc-lcp)")
      ->allow_extra_args(false)
      ->option_text("NAME[:PARAMETER=VALUE,...],...");
  command.add_flag("--tables", s->suite.tables, "Print the papers' tables instead, a column for each policy");
  command.add_option("--size", s->size, "Size of the launches: test (default) or bench")
      ->check(one_of({"test", "bench"}))
      ->option_text("test|bench");
  add_output(command, "--csv", s->csv, "Write every run with every metric here")->option_text("FILE");
  add_conditions(command, s->suite, launch_says);
  add_machine(command, s->suite.machine);
  auto* timed = command.add_flag(
      "--time", s->times, fmt::format("Time the kernels instead, as `time` does (policies {})", lab::timed_policies));
  timed->excludes("--tables");
  add_timed_machine(command, s->machine, false);
  add_output(command, "--svg", s->svg, "With --time: draw the cycles by class as stacked bars")
      ->needs(timed)
      ->option_text("FILE.svg");
  add_jobs(command, s->suite.jobs,
           "With --time: host threads that run kernels and policies, 0: as many as the host has (default 1). Results "
           "are the same")
      ->needs(timed);
  for (const char* option : {"--machine", "--set", "--registers"}) command.get_option(option)->needs(timed);
  auto* stacks = command.add_flag("--cost", s->costs,
                                  "Print the entries of stacks that the kernels need instead (policies pdom,tf)");
  stacks->excludes("--tables")->excludes(timed);
  command.add_option("--on-chip", s->on_chip, "With --cost: entries of a stack on chip (default 3)")
      ->check(CLI::Range(std::size_t{0}, std::size_t{65536}))
      ->needs(stacks)
      ->option_text("N");
  table.runs(command, [s] {
    s->suite.bench = s->size == "bench";
    if (s->times) return run_timed_suite(s->suite, s->machine, s->csv, s->svg);
    if (s->costs) return run_stacks(s->suite, s->on_chip, s->csv);
    return run_suite(s->suite, s->csv);
  });
}

}  // namespace lab::cli
