// SPDX-License-Identifier: BSL-1.0
//
// `suite`: all kernels of a folder.
#include "lab/cli/command_table.hpp"
#include "lab/cli/options.hpp"
#include "lab/cli/output.hpp"
#include "lab/cli/terminal.hpp"
#include "lab/commands.hpp"
#include "lab/cost.hpp"
#include "lab/files.hpp"
#include "lab/time.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace lab::cli {

namespace {

// A file of rows that grows while a suite runs: it is written again after each kernel, so that it is whole at any time.
// A device or a pipe is written at the end.
class growing_rows {
 public:
  explicit growing_rows(const row_output& rows) {
    std::error_code problem;
    for (const std::string& path : rows.files())
      if (!std::filesystem::exists(path, problem) || std::filesystem::is_regular_file(path, problem))
        files_.emplace_back(path, path == rows.csv ? report_format::csv : report_format::json);
  }
  template <class Report>
  void write(const Report& r) const {
    for (const auto& [path, format] : files_) draft(path, to_text(r, format)).commit();
  }

 private:
  std::vector<std::pair<std::string, report_format>> files_;
};

bool good(const suite_result& r) { return r.rows.good; }
bool good(const timed_suite& r) { return r.report.good; }
bool good(const stack_report& r) { return r.good; }
const std::vector<std::string>& remarks(const suite_result& r) { return r.rows.remarks; }
const std::vector<std::string>& remarks(const timed_suite& r) { return r.report.remarks; }
const std::vector<std::string>& remarks(const stack_report& r) { return r.remarks; }

// Runs a suite of any kind. \param run gets a function that is told what there is after each kernel
template <class Report, class Run>
int run_suite_of(lab::suite_options& options, const row_output& rows, const std::string& svg_path, Run run) {
  options.not_over = rows.files();
  options.not_over.push_back(svg_path);
  rows.check({});
  const growing_rows file(rows);
  const Report result = [&] {
    const progress_line line(options);
    partial_result last;
    const std::function<void(const Report&)> keep = keep_in<Report>(last, rows.printed());
    return run([&](const Report& there) {
      keep(there);
      file.write(there);
    });
  }();
  std::optional<lab::draft> picture;
  if constexpr (std::is_same_v<Report, timed_suite>)
    if (!svg_path.empty()) picture.emplace(svg_path, lab::to_bars(result.report));
  const int status = deliver(
      rows, [&](report_format format) { return to_text(result, format); }, good(result), remarks(result));
  if (picture) picture->commit();
  return status;
}

// The rows of the CSV file of a suite that was stopped; none if there is no file yet.
std::vector<table_row> rows_to_keep(const row_output& rows, bool timed) {
  if (rows.csv.empty() || rows.csv == "true") throw lab::input_error("--resume: goes with --csv=FILE");
  std::error_code problem;
  if (!std::filesystem::exists(rows.csv, problem)) return {};
  return rows_of_csv(timed ? time_rows : run_rows, read_text(rows.csv), rows.csv);
}

}  // namespace

void add_suite(command_table& table) {
  struct state {
    suite_options suite;
    row_output rows;
    std::string size = "test", svg;
    time_machine machine;
    bool times = false, costs = false, resumes = false;
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
  add_rows(command, s->rows, "a row for each run, with every metric");
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
           "Host threads that run kernels, 0: as many as the host has (default 1). Results are the same");
  for (const char* option : {"--machine", "--set", "--registers"}) command.get_option(option)->needs(timed);
  auto* stacks = command.add_flag("--cost", s->costs,
                                  "Print the entries of stacks that the kernels need instead (policies pdom,tf)");
  stacks->excludes("--tables")->excludes(timed);
  command
      .add_flag("--resume", s->resumes,
                "Go on where a suite was stopped: with --csv=FILE, kernels with all their rows in the file do not run "
                "again")
      ->excludes(stacks);
  command.add_option("--on-chip", s->on_chip, "With --cost: entries of a stack on chip (default 3)")
      ->check(CLI::Range(std::size_t{0}, std::size_t{65536}))
      ->needs(stacks)
      ->option_text("N");
  table.runs(command, [s] {
    s->suite.bench = s->size == "bench";
    if (s->rows.csv == "true" && s->suite.folder.ends_with(".csv"))
      throw lab::input_error(
          fmt::format("suite: {0} is no FOLDER: a file of rows is written by --csv={0}", s->suite.folder));
    if (s->resumes) s->suite.kept = rows_to_keep(s->rows, s->times);
    if (s->times) {
      for (const std::string& path : s->rows.files()) {
        lab::refuse_to_overwrite(path, std::span(&s->machine.name, 1));
        if (!s->svg.empty() && lab::same_file(path, s->svg))
          throw lab::input_error(fmt::format("{}: cannot take both rows and the picture", s->svg));
      }
      lab::refuse_to_overwrite(s->svg, std::span(&s->machine.name, 1));
      return run_suite_of<timed_suite>(
          s->suite, s->rows, s->svg, [&](const auto& so_far) { return lab::time_suite(s->suite, s->machine, so_far); });
    }
    if (s->costs)
      return run_suite_of<stack_report>(s->suite, s->rows, {}, [&](const auto& so_far) {
        return lab::stacks_of_suite(s->suite, s->on_chip, so_far);
      });
    s->suite.metrics = !s->rows.csv.empty() || !s->rows.json.empty();
    return run_suite_of<suite_result>(s->suite, s->rows, {}, [&](const auto& so_far) {
      s->suite.suite_so_far = so_far;
      return lab::run_suite(s->suite);
    });
  });
}

}  // namespace lab::cli
