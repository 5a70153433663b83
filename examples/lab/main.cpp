// SPDX-License-Identifier: BSL-1.0
//
// simtflow-lab: runs PTX kernels and recorded traces under reconvergence policies, draws and analyzes their
// control-flow graphs.
// Exit status: 0 all is well, 1 a verdict or a comparison is bad, 2 the input cannot be used.
#include "lab/accept.hpp"
#include "lab/commands.hpp"
#include "lab/cost.hpp"
#include "lab/cuda.hpp"
#include "lab/files.hpp"
#include "lab/init.hpp"
#include "lab/launch_parts.hpp"
#include "lab/module_file.hpp"
#include "lab/papers.hpp"
#include "lab/policies.hpp"
#include "lab/spelling.hpp"
#include "lab/time.hpp"
#include "lab/transform.hpp"
#include "lab/transform_table.hpp"
#include "lab/view.hpp"
#include <simtflow/io/machine_text.hpp>
#include <simtflow/version.hpp>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#if __has_include(<unistd.h>)
#include <fcntl.h>
#include <unistd.h>
#endif

namespace {

constexpr int bad_result = 1;
constexpr int bad_input = 2;
const std::string launch_says = "launch file", trace_says = "trace";

// A line to standard error; if nobody can hear it, so be it.
void say(const std::string& line) { std::fputs((line + '\n').c_str(), stderr); }

// If a standard stream is closed, the next file that is opened would take its place and get the printed text. A device
// that takes nothing occupies the place instead.
void occupy_standard_streams() {
#if __has_include(<unistd.h>)
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) == -1 && open("/dev/null", O_RDONLY) == -1) return;
#endif
}

void add_order(CLI::App& command, simtflow::priority_rule& order) {
  std::map<std::string, simtflow::priority_rule> names;
  std::string listed;
  for (const simtflow::priority_rule choice : simtflow::priority_rules()) {
    names.emplace(to_string(choice), choice);
    listed += fmt::format("{}{}{}", listed.empty() ? "" : ", ", to_string(choice), choice == order ? " (default)" : "");
  }
  command
      .add_option_function<std::string>(
          "--order", [&order, names](const std::string& name) { order = names.at(name); },
          "Priorities of thread frontiers: " + listed)
      ->check(CLI::IsMember(names))
      ->option_text("ORDER");
}

// An option for a file that is written: "" is a name that a script has forgotten.
CLI::Option* add_output(CLI::App& command, const std::string& flags, std::string& path, const std::string& what) {
  const auto is_name = [](const std::string& text) { return text.empty() ? "the name of a file is missing" : ""; };
  return command.add_option(flags, path, what)->check(is_name);
}

CLI::Option* add_jobs(CLI::App& command, std::uint32_t& jobs, const std::string& what) {
  return command.add_option("--jobs", jobs, what)->check(CLI::Range(0, 256))->option_text("N");
}

struct shared_flags {
  bool csv = false;
  bool json = false;
  std::string events;
  [[nodiscard]] lab::report_format format() const {
    return json ? lab::report_format::json : csv ? lab::report_format::csv : lab::report_format::text;
  }
};

// The options of every command that runs something. \param says where the machine is described: a launch file, a trace.
void add_conditions(CLI::App& command, lab::run_conditions& options, const std::string& says) {
  add_order(command, options.order);
  command
      .add_option("--warp-width", options.warp_width,
                  fmt::format("Threads of a warp (default: what the {} says, or 32)", says))
      ->check(CLI::Range(1, 1024))
      ->option_text("N");
  std::map<std::string, simtflow::barrier_model> models;
  for (const simtflow::barrier_model model : simtflow::barrier_models) models.emplace(to_string(model), model);
  command
      .add_option_function<std::string>(
          "--barriers", [&options, models](const std::string& name) { options.barriers = models.at(name); },
          "How warps come to a barrier: whole-warp (all live lanes or it is a deadlock), warp-arrival (before Volta), "
          "thread-arrival (Volta and later), uniform (an error in divergent flow); default: " +
              std::string(says == launch_says ? "" : "what the trace says, or ") + "what fits each policy")
      ->check(CLI::IsMember(models))
      ->option_text("MODEL");
  command
      .add_option(
          "--most-blocks", options.most_blocks,
          fmt::format("Give up after this many basic blocks in one thread block (default {})", options.most_blocks))
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000'000'000}))
      ->option_text("N");
}

// The options of every command that takes one launch file: which launch of it, and what the command line changes of it.
void add_launch(CLI::App& command, lab::run_conditions& options, bool sets = true) {
  lab::launch_overrides& changed = options.overrides;
  command
      .add_option("--launch-number", options.launch_number,
                  "Take this launch, from 1, of a file with several, on the memory that the launches before it leave")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}))
      ->option_text("N");
  command.add_option("--grid", changed.grid, "Launch this grid instead")->option_text("X[,Y[,Z]]");
  // `timeline` and `explore` have another --block, which chooses what they show.
  const bool is_free = command.get_option_no_throw("--block") == nullptr;
  command
      .add_option(is_free ? "--block,--block-size" : "--block-size", changed.block,
                  "Launch thread blocks of this size instead")
      ->option_text("X[,Y[,Z]]");
  command
      .add_option("--dynamic-shared", changed.dynamic_shared_bytes,
                  "Launch with so many bytes of dynamic shared memory")
      ->check(CLI::Range(0U, lab::most_shared_bytes))
      ->option_text("BYTES");
  command
      .add_option(
          "--arg", changed.arguments,
          "Pass this parameter instead: NAME, its last part (param_2) or its number from 0; a number, BUFFER or "
          "BUFFER+OFFSET")
      ->allow_extra_args(false)
      ->option_text("NAME=VALUE");
  if (sets)
    command
        .add_option(
            "--set", changed.data,
            "Start a buffer with this, or write it to a variable of the module: a number, @FILE, a word or JSON "
            "as in launch files")
        ->allow_extra_args(false)
        ->option_text("NAME=VALUE");
  command.add_flag_callback("--verbose", lab::show_commands, "Show the commands that are run, nvcc for instance");
}

// --set means the machine where there is one; what has no dot before the = means the launch.
void take_data(lab::time_machine& machine, lab::run_conditions& options) {
  std::vector<std::string> fields;
  for (std::string& text : machine.set) {
    const std::size_t dot = text.find('.');
    (dot < text.find('=') ? fields : options.overrides.data).push_back(std::move(text));
  }
  machine.set = std::move(fields);
}

void add_machine(CLI::App& command, lab::machine_model& machine) {
  command.add_option("--line-bytes", machine.line_bytes, "For the metrics: bytes of a memory line (default 128)")
      ->check(CLI::IsMember(std::vector<std::uint32_t>{16, 32, 64, 128, 256}))
      ->option_text("N");
  command.add_flag("--half-warps", machine.half_warps, "For the metrics: halves of a warp access memory in turn");
  command.add_option("--unit", machine.unit, "For the metrics: lanes of the execution unit (default 16)")
      ->check(CLI::Range(1, 1024))
      ->option_text("N");
}

void add_policy_names(CLI::App& command, std::vector<std::string>& policies, const std::string& normal) {
  std::vector<std::string> names{"all"};
  for (const simtflow::policy_info& p : simtflow::known_policies()) names.emplace_back(p.name);
  command
      .add_option("--policy", policies,
                  fmt::format("Policies to run: {}; with parameters as in pdom:order=larger,tf (default {}; "
                              "`simtflow-lab policies` explains)",
                              fmt::join(names, ", "), normal))
      ->allow_extra_args(false)
      ->option_text("NAME[:PARAMETER=VALUE,...],...");
}

void add_cuda_options(CLI::App& command, lab::cuda_options& options) {
  command.add_option("PROGRAM", options.program, "The program and its arguments, after --")->required();
  add_policy_names(command, options.policies, "pdom");
  command
      .add_option("--machine", options.machine,
                  "Take cycles on this machine (`simtflow-lab time --list-machines` has the names)")
      ->option_text("NAME");
  command.add_option("--jobs", options.jobs, "Host threads for the thread blocks of a grid (default 1; 0: all)")
      ->check(CLI::Range(0U, 1024U))
      ->option_text("N");
  command
      .add_option("--most-blocks", options.steps,
                  "Give a launch up after this many basic blocks in one thread block: cudaErrorLaunchTimeout")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000'000'000}))
      ->option_text("N");
  command
      .add_option("--transform", options.transforms, "Rewrite each kernel before it runs first: meld, linearize, ...")
      ->option_text("NAME,...");
  command.add_flag("--check", options.check, "Run every launch also under the oracle and compare memory");
  command.add_flag("--leaks", options.leaks, "List memory that the program has not freed");
  command.add_flag("--launches", options.launches, "Print a row for each launch instead of each kernel");
  command.add_option("--report", options.report, "Also write a row for each launch of each run: FILE.csv or FILE.json")
      ->option_text("FILE");
  command.add_option("--profile", options.profile, "Write how often each branch ran and diverged: FILE.csv")
      ->option_text("FILE");
  command
      .add_option("--record", options.record,
                  "Write each launch as a launch file with its data, for `simtflow-lab run`")
      ->option_text("FOLDER");
  command.add_option("--library", options.library, "The folder with libcudart.so.13 (default: beside this tool)")
      ->option_text("FOLDER");
}

void add_policies(CLI::App& command, lab::policy_options& options, shared_flags& flags, const std::string& says) {
  add_policy_names(command, options.policies, fmt::format("pdom,tf,volta,{}", lab::oracle_name));
  add_conditions(command, options, says);
  auto* csv = command.add_flag("--csv", flags.csv, "Print comma-separated values");
  command.add_flag("--json", flags.json, "Print JSON")->excludes(csv);
  command.add_flag("--metrics", options.metrics, "Take and print every metric");
  add_machine(command, options.machine);
  add_output(command, "--events", flags.events,
             "Write the event trace of the one policy named: .csv, or .json (Perfetto)")
      ->option_text("FILE");
}

// The event trace that was asked for, and the file that it goes to.
class event_file {
 public:
  event_file(lab::policy_options& options, const std::string& path, const std::vector<std::string>& inputs)
      : path_(path) {
    if (path.empty()) return;
    log_.json = path.ends_with(".json");
    if (!log_.json && !path.ends_with(".csv"))
      throw lab::input_error(fmt::format("{}: is neither .csv nor .json", path));
    lab::refuse_to_overwrite(path, inputs);
    options.events = &log_;
  }
  // Writes the file if show() could print the report, and returns what that returned.
  template <class Show>
  int write(Show&& show) const {
    if (path_.empty()) return show();
    lab::draft file(path_, log_.text);
    const int status = show();
    file.commit();
    if (!log_.cut.empty()) say(fmt::format("{}: {}", path_, log_.cut));
    if (log_.left_out != 0)
      say(fmt::format("{}: the first {} events; {} more are left out", path_, log_.most, log_.left_out));
    return status;
  }

 private:
  std::string path_;
  lab::event_log log_;
};

int show(const lab::report& r, lab::report_format format) {
  lab::print_whole(lab::to_text(r, format));
  if (format == lab::report_format::csv)  // the table and JSON have them in the text
    for (const auto& remark : r.remarks) say(remark);
  return r.good ? 0 : bad_result;
}

// To all the places that were asked for, or to none.
void write_drawing(const lab::draw_options& draw, const std::string& dot_path, const std::string& svg_path) {
  for (const std::string& path : {dot_path, svg_path}) lab::refuse_to_overwrite(path, std::span(&draw.path, 1));
  if (!dot_path.empty() && !svg_path.empty() && lab::same_file(dot_path, svg_path))
    throw lab::input_error(fmt::format("{}: cannot take both DOT and SVG", svg_path));
  const lab::drawing drawn = lab::draw_graph(draw);
  const std::string dot = simtflow::to_dot(drawn.graph, drawn.style);
  if (dot_path.empty() && svg_path.empty()) return lab::print_whole(dot);
  std::optional<lab::draft> picture, text;
  if (!svg_path.empty()) picture.emplace(svg_path, lab::to_svg(drawn));
  if (!dot_path.empty()) text.emplace(dot_path, dot);
  if (picture) picture->commit();
  if (text) text->commit();
}

void write_recording(const lab::record_options& record, const std::string& trace_path, const std::string& graph_path) {
  const std::vector<std::string> inputs{record.kernel_path, record.launch_path};
  for (const std::string& path : {trace_path, graph_path}) lab::refuse_to_overwrite(path, inputs);
  if (!graph_path.empty() && lab::same_file(trace_path, graph_path))
    throw lab::input_error(fmt::format("{}: cannot take both trace and graph", graph_path));
  const lab::recording made = lab::record_kernel(record);
  if (made.has_calls && graph_path.empty())
    throw lab::input_error(
        "a kernel with calls: --graph OUT.cfg is needed as well, and goes before the trace in replay");
  const auto as_named = [](const std::string& path, const std::string& text) {
    return path.ends_with(".gz") ? lab::compressed(text) : text;
  };
  lab::draft trace(trace_path, as_named(trace_path, made.trace));
  std::optional<lab::draft> graph;
  if (!graph_path.empty()) graph.emplace(graph_path, as_named(graph_path, made.graph));
  trace.commit();
  if (graph) graph->commit();
  for (const std::string& remark : made.remarks) fmt::print(stderr, "{}\n", remark);
}

// One line that tells what runs now, where somebody watches; gone when this is.
class progress_line {
 public:
  explicit progress_line(lab::policy_options& options) : progress_line(options.progress) {}
  explicit progress_line(std::function<void(const std::string&)>& progress) {
#if __has_include(<unistd.h>)
    if (isatty(STDERR_FILENO) == 0) return;
    progress = [this](const std::string& what) {
      shown_ = true;
      std::fputs(("\r\x1b[K" + what).c_str(), stderr);
      std::fflush(stderr);
    };
#else
    (void)progress;
#endif
  }
  ~progress_line() {
    if (shown_) std::fputs("\r\x1b[K", stderr);
  }
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

 private:
  bool shown_ = false;
};

int run_suite(lab::suite_options& options, const std::string& csv_path) {
  options.not_over = {csv_path};
  options.metrics = !csv_path.empty();
  const lab::suite_result result = [&] {
    const progress_line line(options);
    return lab::run_suite(options);
  }();
  std::optional<lab::draft> rows;
  if (!csv_path.empty()) rows.emplace(csv_path, lab::to_text(result.rows, lab::report_format::csv));
  lab::print_whole(result.text);
  if (rows) rows->commit();
  return result.rows.good ? 0 : bad_result;
}

// The machine of timed runs.
void add_timed_machine(CLI::App& command, lab::time_machine& machine, bool with_launch) {
  command
      .add_option(
          "--machine", machine.name,
          fmt::format("The machine: a name of --list-machines of `time`, or a machine file (default {})", machine.name))
      ->option_text("NAME|FILE.json");
  command
      .add_option("--set", machine.set,
                  with_launch
                      ? "Change a field of the machine, as in l1.size=16K; or, without a dot, what a buffer or a "
                        "variable of the module starts with, as in `run`"
                      : "Change a field of the machine, as in l1.size=16K")
      ->allow_extra_args(false)
      ->option_text(with_launch ? "FIELD=VALUE|NAME=VALUE" : "FIELD=VALUE");
  command
      .add_option_function<std::string>(
          "--registers",
          [&machine](const std::string& text) {
            machine.estimates = text == "estimate";
            if (!machine.estimates) machine.registers = static_cast<std::uint32_t>(std::stoul(text));
          },
          "Registers of a thread, for the occupancy: a number, or `estimate`: as many as ptxas is expected to take "
          "(default: no limit; PTX does not say how many)")
      ->check(CLI::IsMember({"estimate"}) | CLI::Range(1, 1'000'000))
      ->option_text("N|estimate");
}

// \pre files are given
int run_timed(lab::time_options& options, lab::report_format format, const std::string& svg_path,
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
  if (format == lab::report_format::csv && options.lines && options.branches)
    throw lab::input_error("--csv prints one table: --lines or --branches");
  const lab::time_report result = [&] {
    const progress_line line(options);
    return is_kernel ? lab::time_kernel(options) : lab::time_traces(options);
  }();
  std::optional<lab::draft> picture;
  if (!svg_path.empty()) picture.emplace(svg_path, lab::to_bars(result));
  const int status = events.write([&] {
    lab::print_whole(lab::to_text(result, format));
    return result.good ? 0 : bad_result;
  });
  if (picture) picture->commit();
  if (format == lab::report_format::csv)
    for (const auto& remark : result.remarks) say(remark);
  return status;
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
  lab::print_whole(result.text);
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
  lab::print_whole(result.text);
  if (rows) rows->commit();
  return result.good ? 0 : bad_result;
}

// Options that `timeline` and `explore` have in common.
void add_view(CLI::App& command, lab::view_options& view, std::string& output, const std::string& kind,
              const std::string& policies) {
  command.add_option("FILES", view.files, "PTX module (KERNEL.ptx); or graph files, then a trace file")
      ->required()
      ->option_text("KERNEL.ptx | [GRAPHS...] TRACE");
  command.add_option("--launch", view.launch_path, "Launch file of a kernel")->option_text("LAUNCH.json");
  add_policy_names(command, view.policies, policies);
  command.add_option("--block", view.thread_block, "The thread block to show (default 0)")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1'000'000'000'000'000}))
      ->option_text("N");
  add_output(command, "-o,--output", output, fmt::format("Write {} here (default: standard output)", kind))
      ->option_text("OUT");
  add_conditions(command, view, launch_says + " or the " + trace_says);
  add_launch(command, view);
}

// Shows or writes what was made, then says what there is to say about it. An empty path is standard output.
int show_view(const std::string& text, const std::vector<std::string>& remarks, bool good, const std::string& path) {
  if (path.empty())
    lab::print_whole(text);
  else
    lab::draft(path, text).commit();
  for (const std::string& remark : remarks) say(remark);
  return good ? 0 : bad_result;
}

void refuse_to_overwrite_view(const lab::view_options& view, const std::string& output) {
  std::vector<std::string> inputs = view.files;
  if (!view.launch_path.empty()) inputs.push_back(view.launch_path);
  lab::refuse_to_overwrite(output, inputs);
}

// The steps, in the order of the command line.
void add_transforms(CLI::App& command, std::vector<lab::transform_step>& steps) {
  for (const lab::transform_info& t : lab::transforms()) {
    const std::string option = "--" + std::string(t.option);
    const auto add = [&steps, kind = t.kind](const std::string& operand) { steps.push_back({kind, operand}); };
    if (t.operand.empty())
      command
          .add_flag_callback(
              option, [add] { add(""); }, std::string(t.what))
          ->trigger_on_parse();
    else if (t.otherwise.empty())
      command.add_option_function<std::string>(option, add, std::string(t.what))
          ->trigger_on_parse()
          ->option_text(std::string(t.operand));
    else  // a flag that may be given a value with =
      command.add_flag(fmt::format("{}{{{}}}", option, t.otherwise))
          ->description(std::string(t.what))
          ->each(add)
          ->trigger_on_parse();
  }
}

// The table of every transform, to standard output, and as CSV if there is a path.
int transform_all(const lab::transform_options& options, const std::optional<lab::time_machine>& machine,
                  const std::string& csv_path) {
  for (const std::string& input : {options.kernel_path, options.launch_path, machine ? machine->name : std::string()})
    if (!input.empty()) lab::refuse_to_overwrite(csv_path, std::span(&input, 1));
  const lab::transform_table table = lab::tabulate_transforms(options, machine);
  std::optional<lab::draft> rows;
  if (!csv_path.empty()) rows.emplace(csv_path, lab::to_text(table, true));
  lab::print_whole(lab::to_text(table, false));
  if (rows) rows->commit();
  return table.good ? 0 : bad_result;
}

int transform(const lab::transform_options& options, const std::string& output, const std::string& drawing,
              const std::string& csv_path) {
  const std::string inputs[] = {options.kernel_path, options.launch_path};
  for (const std::string& path : {output, drawing, csv_path})
    lab::refuse_to_overwrite(path, std::span(inputs).first(options.launch_path.empty() ? 1 : 2));
  const auto not_both = [](const std::string& one, const std::string& other, const char* what) {
    if (!one.empty() && !other.empty() && lab::same_file(one, other))
      throw lab::input_error(fmt::format("{}: cannot take both {}", one, what));
  };
  not_both(output, drawing, "the module and its drawing");
  not_both(output, csv_path, "the module and its figures");
  not_both(drawing, csv_path, "the drawing and the figures");
  if (!csv_path.empty() && options.launch_path.empty()) throw lab::input_error("--csv: goes with --launch");
  const lab::transform_result result = lab::transform_kernel(options);
  std::optional<lab::draft> file, picture, rows;
  if (!drawing.empty() && result.good) {
    if (result.drawing.empty())
      throw lab::input_error("--draw: neither melding nor partial linearization has a plan to draw");
    picture.emplace(drawing, result.drawing);
  }
  if (!output.empty() && result.good) file.emplace(output, result.text);
  if (!csv_path.empty() && result.good) rows.emplace(csv_path, lab::to_text(result.rows, lab::report_format::csv));
  lab::print_whole(result.report);
  if (file) file->commit();
  if (picture) picture->commit();
  if (rows) rows->commit();
  return result.good ? 0 : bad_result;
}

void add_core(CLI::App& command, lab::cost_options& options) {
  const auto size = [&](const char* flag, auto& value, const std::string& what) {
    command.add_option(flag, value, what)->check(CLI::Range(1, 65536))->option_text("N");
  };
  simtflow::timing::cost_parameters& core = options.core;
  size("--warp-width", core.warp_width, fmt::format("Lanes of a warp (default {})", core.warp_width));
  size("--warps", core.warps, fmt::format("Warps of a core (default {})", core.warps));
  size("--blocks", core.blocks, fmt::format("Thread blocks of a core (default {})", core.blocks));
  size("--threads", options.threads,
       fmt::format("Threads of the largest thread block (default {}, or all of the core)", core.threads_per_block));
  size("--pc-bits", core.pc_bits, fmt::format("Bits of a program counter (default {})", core.pc_bits));
  size("--entries", core.stack_entries, fmt::format("Entries of a stack (default {})", core.stack_entries));
  size("--table-entries", core.table_entries, fmt::format("Entries of a table (default {})", core.table_entries));
  command.add_flag("--csv", options.csv, "Print comma-separated values, a row for each part of a mechanism");
}

// CLI11 reports missing options before unknown ones: for --lanch, or for a kernel that does not exist, it says that
// --launch is required. Here mistakes in what was written are reported first.
void explain_what_was_written(const CLI::App& app) {
  const CLI::App* command = app.get_subcommands().empty() ? &app : app.get_subcommands().front();
  for (const CLI::App* one : {command, &app})
    for (const std::string& word : one->remaining()) {
      if (!word.starts_with('-') || word == "-" || word == "--") continue;
      std::vector<std::string> names;
      for (const CLI::Option* o : command->get_options())
        for (const std::string& name : o->get_lnames()) names.push_back("--" + name);
      const std::string option = word.substr(0, word.find('='));
      throw lab::input_error(fmt::format("{}: there is no option {}{}",
                                         command == &app ? "simtflow-lab" : command->get_name(), option,
                                         lab::did_you_mean(option, names)));
    }
  for (const CLI::Option* o : command->get_options())
    if (o->get_positional() && o->get_name(true) != "FOLDER" && o->get_name(true) != "PATHS")
      for (const std::string& path : o->results()) lab::must_exist(path);
}

// Transforms of traces.
void add_graph_steps(CLI::App& command, lab::replay_options& options) {
  command
      .add_option_function<std::vector<std::string>>(
          "--transform",
          [&options](const std::vector<std::string>& texts) {
            for (const std::string& text : texts)
              options.transforms.push_back(lab::parse_graph_step(text, "--transform"));
          },
          fmt::format("Also replay each trace as these transforms, one after the other, leave it: {}",
                      lab::graph_steps))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("STEP,...");
  command
      .add_option(
          "--most-copies", options.most_copies,
          fmt::format("With --transform struct: give up beyond so many blocks (default {})", options.most_copies))
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000'000}))
      ->needs("--transform")
      ->option_text("N");
}

int lab_main(int argc, char** argv) {
  CLI::App app("simtflow-lab: kernels and traces under SIMT reconvergence policies");
  app.set_version_flag("--version", fmt::format("{}.{}.{}", simtflow::version.major_number,
                                                simtflow::version.minor_number, simtflow::version.patch_number));
  app.require_subcommand(1);

  lab::run_options run;
  shared_flags run_flags;
  auto* run_command = app.add_subcommand("run", "Run a PTX kernel under each policy and compare the results");
  run_command->add_option("KERNEL.ptx", run.kernel_path,
                          "PTX module, or CUDA source for nvcc; may be left out if the launch file names it");
  run_command->add_option("--launch", run.launch_path, "Launch file: grid, data, parameters, checks")
      ->required()
      ->option_text("LAUNCH.json");
  add_policies(*run_command, run, run_flags, launch_says);
  add_launch(*run_command, run);
  run_command
      ->add_option("--dump", run.dumps,
                   "Write a buffer or a variable of the module as it is at the end: .npy, .csv, .txt, or raw")
      ->allow_extra_args(false)
      ->option_text("NAME=FILE");
  add_jobs(*run_command, run.jobs,
           "Host threads that run thread blocks, 0: as many as the host has (default 1). Results are the same if "
           "thread blocks do not race");

  lab::replay_options replay;
  shared_flags replay_flags;
  std::vector<std::string> replay_files;
  auto* replay_command = app.add_subcommand("replay", "Replay recorded block traces under each policy");
  replay_command->add_option("FILES", replay_files, "Graph files (plain or .gz), then the trace file")
      ->required()
      ->option_text("GRAPHS... TRACE");
  add_policies(*replay_command, replay, replay_flags, trace_says);
  add_graph_steps(*replay_command, replay);

  lab::record_options record;
  std::string trace_path, graph_path;
  auto* record_command = app.add_subcommand("record", "Run a PTX kernel and write down the blocks of each thread");
  record_command->add_option("KERNEL.ptx", record.kernel_path, "PTX module")->required();
  record_command->add_option("--launch", record.launch_path, "Launch file")->required()->option_text("LAUNCH.json");
  add_output(*record_command, "-o,--output", trace_path, "Write the trace here, compressed if it ends in .gz")
      ->required()
      ->option_text("OUT.trace[.gz]");
  add_output(*record_command, "--graph", graph_path, "Write the graph, which is in the trace, here as well")
      ->option_text("OUT.cfg[.gz]");
  record_command
      ->add_option("--policy", record.policy, fmt::format("Record this policy's run (default {})", lab::oracle_name))
      ->option_text("NAME[:PARAMETER=VALUE,...]");
  record_command->add_flag("--addresses", record.addresses,
                           "Also write what `time` needs: instructions, registers, the address of each access");
  add_conditions(*record_command, record, launch_says);
  add_launch(*record_command, record);

  lab::time_options time;
  shared_flags time_flags;
  std::string bars_path, machine_path, time_events;
  bool list_machines = false;
  auto* time_command = app.add_subcommand(
      "time", "Run a PTX kernel on a machine, cycle by cycle: how long it takes under each policy, and why");
  time_command
      ->add_option("FILES", time.files,
                   "PTX module (.ptx) with --launch; or graph files, then a trace (record --addresses)")
      ->option_text("KERNEL.ptx|GRAPHS... TRACE");
  time_command->add_option("--launch", time.launch_path, "Launch file: grid, data, parameters, checks")
      ->option_text("LAUNCH.json");
  add_timed_machine(*time_command, time.machine, true);
  time_command->add_flag("--list-machines", list_machines, "List the shipped machines, and nothing else");
  add_output(*time_command, "--write-machine", machine_path, "Write the machine here as a machine file")
      ->option_text("FILE.json");
  add_policy_names(*time_command, time.policies, lab::timed_policies);
  add_conditions(*time_command, time, launch_says);
  add_launch(*time_command, time, false);
  add_jobs(*time_command, time.jobs,
           "Host threads that run policies, 0: as many as the host has (default 1). Results are the same");
  time_command->add_flag("--lines", time.lines, "Also print the costs of each line of the PTX text");
  time_command->add_flag("--branches", time.branches, "Also print the costs of divergence, by branch");
  auto* time_csv = time_command->add_flag("--csv", time_flags.csv, "Print comma-separated values");
  time_command->add_flag("--json", time_flags.json, "Print JSON")->excludes(time_csv);
  add_output(*time_command, "--events", time_events,
             "Write what each scheduler did in each cycle, and the traffic of the memory, under the one policy named: "
             ".csv, or .json (Perfetto)")
      ->option_text("FILE");
  add_output(*time_command, "--svg", bars_path, "Draw the cycles by class as stacked bars")->option_text("FILE.svg");
  time_command->footer(
      "PTX is not SASS: the model times the instructions of the PTX text. It leaves out translation of addresses,\n"
      "error correction, conflicts of register banks and the width of fetch. README.md of the tool has the rest.");

  lab::suite_options suite;
  std::string suite_csv, suite_size = "test";
  auto* suite_command = app.add_subcommand("suite", "Run all kernels of a folder: a line for each, or tables");
  suite_command->add_option("FOLDER", suite.folder, "Kernels with launch files (default examples/kernels)");
  suite_command->add_option("--kernels", suite.kernels, "Only these")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("NAME,...");
  suite_command
      ->add_option("--policy", suite.policies,
                   "Policies to compare, as in run (default all; with --tables "
                   "pdom,lcp,tf-sandy,tf,dwf-majority,dwf-barrier,tbc,tbc-lcp)")
      ->allow_extra_args(false)
      ->option_text("NAME[:PARAMETER=VALUE,...],...");
  suite_command->add_flag("--tables", suite.tables, "Print the papers' tables instead, a column for each policy");
  suite_command->add_option("--size", suite_size, "Size of the launches: test (default) or bench")
      ->check(CLI::IsMember(std::vector<std::string>{"test", "bench"}))
      ->option_text("SIZE");
  add_output(*suite_command, "--csv", suite_csv, "Write every run with every metric here")->option_text("FILE");
  add_conditions(*suite_command, suite, launch_says);
  add_machine(*suite_command, suite.machine);
  lab::time_machine suite_machine;
  std::string suite_svg;
  bool suite_time = false;
  auto* timed = suite_command->add_flag(
      "--time", suite_time, fmt::format("Time the kernels instead, as `time` does (policies {})", lab::timed_policies));
  timed->excludes("--tables");
  add_timed_machine(*suite_command, suite_machine, false);
  add_output(*suite_command, "--svg", suite_svg, "With --time: draw the cycles by class as stacked bars")
      ->needs(timed)
      ->option_text("FILE.svg");
  add_jobs(*suite_command, suite.jobs,
           "With --time: host threads that run kernels and policies, 0: as many as the host has (default 1). Results "
           "are the same")
      ->needs(timed);
  for (const char* option : {"--machine", "--set", "--registers"}) suite_command->get_option(option)->needs(timed);
  bool suite_cost = false;
  std::size_t on_chip = 3;
  auto* stacks = suite_command->add_flag(
      "--cost", suite_cost, "Print the entries of stacks that the kernels need instead (policies pdom,tf)");
  stacks->excludes("--tables")->excludes(timed);
  suite_command->add_option("--on-chip", on_chip, "With --cost: entries of a stack on chip (default 3)")
      ->check(CLI::Range(std::size_t{0}, std::size_t{65536}))
      ->needs(stacks)
      ->option_text("N");

  lab::draw_options draw;
  std::string dot_path, svg_path;
  auto* draw_command = app.add_subcommand("draw", "Draw a control-flow graph with priorities and thread frontiers");
  draw_command->add_option("FILE", draw.path, "PTX module (.ptx) or graph file (.cfg, .cfg.gz)")->required();
  draw_command->add_option("--kernel", draw.kernel, "The kernel or graph, if there are several")->option_text("NAME");
  add_output(*draw_command, "-o,--output", dot_path, "Write DOT text here (default: standard output)")
      ->option_text("OUT.dot");
  add_output(*draw_command, "--svg", svg_path, "Write a picture here, laid out by Graphviz if that is installed")
      ->option_text("OUT.svg");
  draw_command->add_flag("--code", draw.code, "Show the instructions of each block");
  add_order(*draw_command, draw.order);

  lab::timeline_options timeline;
  timeline.policies = {"pdom", "tf"};
  std::string timeline_path;
  auto* timeline_command =
      app.add_subcommand("timeline", "Draw what each lane did in each issue slot, one policy under the other, as SVG");
  add_view(*timeline_command, timeline, timeline_path, "the picture", "pdom,tf");
  timeline_command->add_option("--warp", timeline.warp, "Only this warp of the thread block (default: all)")
      ->check(CLI::Range(0, 1'000'000))
      ->option_text("N");

  lab::view_options explore;
  explore.policies = {"pdom", "tf", "volta", "min-pc", "multi-path", "none"};
  explore.most_events = 20'000;
  std::string explore_path;
  auto* explore_command = app.add_subcommand(
      "explore", "Write an HTML page in which a person steps through the runs, with graph, stack and lanes");
  add_view(*explore_command, explore, explore_path, "the page", "pdom,tf,volta,min-pc,multi-path,none");
  explore_command->add_option("--most-events", explore.most_events, "Events of each run, at most (default 20000)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}))
      ->option_text("N");

  lab::analyze_options analyze;
  auto* analyze_command =
      app.add_subcommand("analyze", "Report structure, loops and thread frontiers of control-flow graphs");
  analyze_command->add_option("FILES", analyze.paths, "PTX modules (.ptx) and graph files (.cfg, .cfg.gz)")->required();
  analyze_command->add_option("--kernel", analyze.kernel, "Only the kernel or graph of this name")->option_text("NAME");
  add_order(*analyze_command, analyze.order);
  auto* blocks = analyze_command->add_flag("--blocks", analyze.blocks, "List the blocks as well");
  analyze_command->add_flag("--csv", analyze.csv, "Print comma-separated values, a row for each graph")
      ->excludes(blocks);
  for (const auto& [flag, what] : {std::pair("struct", "copies of blocks (STRUCT)"), std::pair("linearize", "guards")})
    analyze_command
        ->add_flag_callback(
            fmt::format("--{}", flag), [&analyze, flag = std::string(flag)] { analyze.transforms.push_back({flag}); },
            fmt::format("Instead, structure each graph by {}: a row for each graph, and totals", what))
        ->trigger_on_parse()
        ->excludes(blocks);
  analyze_command
      ->add_option("--most-copies", analyze.most_copies,
                   fmt::format("With --struct: give up beyond so many blocks (default {})", analyze.most_copies))
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000'000}))
      ->needs("--struct")
      ->option_text("N");
  add_jobs(*analyze_command, analyze.jobs,
           "With --struct, --linearize: host threads, 0: as many as the host has (default 1). Results are the same");
  analyze_command->footer(
      "A sentinel (the block of a graph file, or of a kernel, that stands for the end of a thread) is no block and no\n"
      "join of its own, but edges lead to it. From the first block of an endless loop an edge leads to the end that "
      "lies\n"
      "after the sentinel, not to the sentinel: such a loop alone reduces to one node (resid), and a branch with an "
      "endless\n"
      "loop on one of its ways has no immediate post-dominator (pdom_blocks does not count it; it does count the "
      "sentinel).");

  lab::transform_options transformation;
  std::string transformed_path, plan_path, transform_csv;
  auto* transform_command = app.add_subcommand(
      "transform", "Rewrite a PTX kernel (control flow structured, arms melded) and compare it with what it was");
  transform_command->add_option("KERNEL.ptx", transformation.kernel_path, "PTX module")->required();
  add_transforms(*transform_command, transformation.steps);
  bool every_transform = false;
  auto* every = transform_command->add_flag(
      "--all", every_transform,
      "A table in place of a transform: every transform and every combination that makes sense, what each costs and "
      "saves (under the first policy), and whether memory stays the same (policies pdom,tf,volta,serial)");
  transform_command->add_option("--entry", transformation.entry, "The kernel, if there are several")
      ->option_text("NAME");
  add_output(*transform_command, "-o,--output", transformed_path, "Write the module with the transformed kernel here")
      ->option_text("OUT.ptx");
  add_output(*transform_command, "--draw", plan_path, "Write the plan of the last transform that has one here, as DOT")
      ->option_text("PLAN.dot");
  add_output(*transform_command, "--csv", transform_csv,
             "With --launch: write every run, before and after, with every metric here; with --all: the table")
      ->option_text("FILE");
  lab::time_machine transform_machine;
  add_timed_machine(*transform_command, transform_machine, true);
  transform_command->get_option("--registers")->needs(every);
  transform_command
      ->add_option("--most-copies", transformation.most_copies,
                   fmt::format("With --struct: give up beyond so many blocks (default {})", transformation.most_copies))
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000'000}))
      ->option_text("N");
  transform_command
      ->add_option(
          "--threshold", transformation.melding.threshold,
          "With --meld, --fuse: the least part of two pieces' weight that melding them has to save (default 0.2)")
      ->check([](const std::string& text) {
        double value = 0;  // "nan" is in every CLI::Range
        const bool fits = CLI::detail::lexical_cast(text, value) && value >= 0 && value <= 1;
        return fits ? std::string() : fmt::format("{} is no number from 0 to 1", text);
      })
      ->option_text("T");
  transform_command->add_flag_callback(
      "--no-growth", [&] { transformation.melding.code.may_grow = false; },
      "With --meld, --fuse, --tail-merge: no more instructions than both arms have");
  std::string unpredicate = "auto", score = "expected";
  std::vector<std::string> level_names;
  for (const simtflow::guard_optimization level : lab::guard_levels) level_names.emplace_back(to_string(level));
  transform_command
      ->add_option_function<std::string>(
          "--guards",
          [&](const std::string& name) {
            for (const simtflow::guard_optimization level : lab::guard_levels)
              if (to_string(level) == name) transformation.guards = level;
          },
          "With --linearize, --merge-loops=all (default o4), --interleave ORDER, --stack-depth (default none): how "
          "much "
          "is done to have few guards, as the paper names it")
      ->check(CLI::IsMember(level_names))
      ->option_text("none|o1|o2|o3|o4");
  transform_command
      ->add_option("--unpredicate", unpredicate,
                   "With --meld, --fuse, --tail-merge: branches around what only one arm has: always, never, or auto "
                   "(default): where that is expected to cost less")
      ->check(CLI::IsMember(std::vector<std::string>{"auto", "always", "never"}))
      ->option_text("WHEN");
  transform_command
      ->add_option("--most-predicated", transformation.melding.code.most_predicated,
                   "With --unpredicate auto: longer runs always get a branch (default: no limit)")
      ->check(CLI::Range(0U, 1'000'000U))
      ->option_text("N");
  transform_command
      ->add_option("--score", score,
                   "With --meld, --fuse, --tail-merge: choose by expected cost (default), or as the melding paper does")
      ->check(CLI::IsMember(std::vector<std::string>{"expected", "paper"}))
      ->option_text("expected|paper");
  transform_command->add_flag("--always", transformation.always,
                              "With --linearize: all unstructured regions, also where guards cost more than they save");
  transform_command->add_flag("--profile", transformation.profiles,
                              "With --launch and --linearize, --meld, --fuse, --tail-merge, --merge-loops or "
                              "--interleave auto: run it under pdom first, and choose by how often threads diverge and "
                              "loops repeat");
  transform_command->add_flag_callback(
      "--no-proof", [&] { transformation.proves = false; },
      "Do not prove that each plan does what the code did (a plan that fails is not applied)");
  transform_command
      ->add_option("--launch", transformation.launch_path, "Run it before and after under each policy, and compare")
      ->option_text("LAUNCH.json");
  transform_command->add_option("--policy", transformation.policies, "With --launch: only these policies, as in run")
      ->allow_extra_args(false)
      ->option_text("NAME[:PARAMETER=VALUE,...],...");
  add_conditions(*transform_command, transformation, launch_says);
  add_launch(*transform_command, transformation, false);

  lab::cost_options cost;
  auto* cost_command = app.add_subcommand("cost", "Print the storage and the logic that the mechanisms add to a core");
  add_core(*cost_command, cost);

  lab::papers_options papers;
  auto* papers_command = app.add_subcommand("papers", "Print figures and tables of the papers beside ours");
  papers_command->add_option("FOLDER", papers.folder, "Kernels with launch files (default examples/kernels)");
  papers_command
      ->add_option("--graphs", papers.graphs,
                   "A graph file with the kernels of the thread frontiers paper, for its Figure 5")
      ->option_text("FILE");
  papers_command
      ->add_option("--only", papers.only, fmt::format("Only these tables: {}", fmt::join(lab::paper_tables(), ", ")))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("TABLE,...");
  papers_command->add_flag("--csv", papers.csv, "Print comma-separated values, a row for each figure");

  lab::accept_options accept;
  shared_flags accept_flags;
  auto* accept_command = app.add_subcommand("accept", "Count the kernels of PTX files that can be executed, by reason");
  accept_command->add_option("PATHS", accept.paths, "PTX files (.ptx, .ptx.gz), and folders with such files")
      ->required();
  auto* accept_csv =
      accept_command->add_flag("--csv", accept_flags.csv, "Print comma-separated values, a row a reason");
  accept_command->add_flag("--json", accept_flags.json, "Print JSON")->excludes(accept_csv);

  lab::cuda_options cuda;
  cuda.tool = argv[0];
  auto* cuda_command = app.add_subcommand(
      "cuda", "Run a CUDA program, unmodified, under each policy: cuda [options] -- ./a.out arguments");
  add_cuda_options(*cuda_command, cuda);

  lab::init_options init;
  std::string init_path;
  auto* init_command = app.add_subcommand("init", "Write a launch file for a kernel, from its signature");
  init_command->add_option("KERNEL.ptx", init.kernel_path, "PTX module, or CUDA source for nvcc")->required();
  init_command->add_option("--kernel", init.kernel, "The kernel, if there are several")->option_text("NAME");
  add_output(*init_command, "-o,--output", init_path, "Write the launch file here (default: standard output)")
      ->option_text("LAUNCH.json");
  init_command->add_flag_callback("--verbose", lab::show_commands, "Show the commands that are run, nvcc for instance");

  auto* policies_command = app.add_subcommand("policies", "List the policies: mechanism, origin, needs, progress");

  if (argc > 1 && argv[1][0] != '-') {  // what it would say itself is that an argument was not expected
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
    if (std::find(names.begin(), names.end(), argv[1]) == names.end())
      throw lab::input_error(fmt::format("there is no subcommand \"{}\"{}; there are {}", argv[1],
                                         lab::did_you_mean(argv[1], names), fmt::join(names, ", ")));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0) explain_what_was_written(app);
    const int status = app.exit(e);
    if (status != 0) return bad_input;
    if (std::cout.flush()) return 0;
    throw lab::input_error("standard output: cannot be written");  // even help can fail to be printed
  }
  if (policies_command->parsed()) {
    lab::print_whole(lab::policy_list());
    return 0;
  }
  if (accept_command->parsed()) {
    lab::print_whole(lab::to_text(lab::accept_files(accept), accept_flags.format()));
    return 0;
  }
  if (cuda_command->parsed()) {
    const progress_line line(cuda.progress);
    const lab::cuda_result result = lab::run_cuda_program(cuda);
    lab::print_whole(result.text);
    return result.good ? 0 : bad_result;
  }
  if (init_command->parsed()) {
    lab::refuse_to_overwrite(init_path, std::span(&init.kernel_path, 1));
    const lab::launch_template made = lab::make_launch_template(init);
    return show_view(made.text, made.remarks, true, init_path);
  }
  if (papers_command->parsed()) {
    const lab::papers_result result = lab::compare_with_papers(papers);
    lab::print_whole(result.text);
    return result.good ? 0 : bad_result;
  }
  if (cost_command->parsed()) {
    lab::print_whole(lab::hardware_cost_text(cost));
    return 0;
  }
  if (run_command->parsed()) {
    const std::vector<std::string> inputs{run.kernel_path, run.launch_path};
    event_file events(run, run_flags.events, inputs);
    std::vector<lab::dumped_file> dumps;
    for (const std::string& text : run.dumps)
      if (const std::size_t equals = text.find('='); equals != std::string::npos)
        lab::refuse_to_overwrite(text.substr(equals + 1), inputs);
    const lab::report result = [&] {
      const progress_line line(run);
      return lab::run_kernel(run, &dumps);
    }();
    std::deque<lab::draft> files;
    for (const lab::dumped_file& dump : dumps) files.emplace_back(dump.path, dump.text);
    const int status = events.write([&] { return show(result, run_flags.format()); });
    for (lab::draft& file : files) file.commit();
    return status;
  }
  if (time_command->parsed()) {
    take_data(time.machine, time);
    if (list_machines) {
      lab::print_whole(lab::machine_list());
      return 0;
    }
    if (!machine_path.empty()) {
      std::vector<std::string> inputs = time.files;
      inputs.insert(inputs.end(), {time.launch_path, time.machine.name});
      lab::refuse_to_overwrite(machine_path, inputs);
      lab::draft(machine_path, simtflow::to_machine_text(lab::machine_of(time.machine))).commit();
      if (time.files.empty()) return 0;
    }
    if (time.files.empty()) throw lab::input_error("KERNEL.ptx is required");
    return run_timed(time, time_flags.format(), bars_path, time_events);
  }
  if (suite_command->parsed()) {
    suite.program = argv[0];
    suite.bench = suite_size == "bench";
    if (suite_time) return run_timed_suite(suite, suite_machine, suite_csv, suite_svg);
    if (suite_cost) return run_stacks(suite, on_chip, suite_csv);
    return run_suite(suite, suite_csv);
  }
  if (record_command->parsed()) {
    write_recording(record, trace_path, graph_path);
    return 0;
  }
  if (replay_command->parsed()) {
    event_file events(replay, replay_flags.events, replay_files);
    replay.trace_path = replay_files.back();
    replay_files.pop_back();
    replay.graph_paths = std::move(replay_files);
    const lab::report result = lab::replay_traces(replay);
    return events.write([&] { return show(result, replay_flags.format()); });
  }
  const auto set_melding = [&] {
    if (transform_command->count("--most-predicated") != 0 && unpredicate != "auto")
      throw lab::input_error("--most-predicated: goes with --unpredicate auto");
    using simtflow::meld_unpredication;
    transformation.melding.code.unpredicate = unpredicate == "always"  ? meld_unpredication::always
                                              : unpredicate == "never" ? meld_unpredication::never
                                                                       : meld_unpredication::automatic;
    if (score == "paper") transformation.melding.score = simtflow::meld_score::paper;
  };
  if (transform_command->parsed()) {
    take_data(transform_machine, transformation);
    if (transformation.launch_path.empty() && (transformation.overrides.any() || transformation.launch_number != 0))
      throw lab::input_error("--launch-number, --grid, --block, --dynamic-shared, --arg, --set: go with --launch");
  }
  if (transform_command->parsed() && every_transform) {
    if (!transformation.steps.empty())
      throw lab::input_error(fmt::format("--all: goes without {}", lab::option_of(transformation.steps.front())));
    for (const char* option : {"--output", "--draw", "--guards", "--always"})
      if (transform_command->count(option) != 0) throw lab::input_error(fmt::format("--all: goes without {}", option));
    const bool is_timed = transform_command->count("--machine") != 0 || !transform_machine.set.empty() ||
                          transform_command->count("--registers") != 0;
    if (transformation.launch_path.empty())
      for (const char* option : {"--profile", "--machine", "--set", "--registers"})
        if (transform_command->count(option) != 0)
          throw lab::input_error(fmt::format("{}: goes with --launch", option));
    set_melding();
    if (transform_command->count("--most-copies") == 0) transformation.most_copies = 2000;
    return transform_all(transformation, is_timed ? std::optional(transform_machine) : std::nullopt, transform_csv);
  }
  if (transform_command->parsed()) {
    const auto has = [&](auto... kinds) {
      return std::any_of(transformation.steps.begin(), transformation.steps.end(),
                         [&](const lab::transform_step& t) { return ((t.kind == kinds) || ...); });
    };
    using kind = lab::transform_kind;
    if (transformation.guards && std::none_of(transformation.steps.begin(), transformation.steps.end(),
                                              [](const auto& t) { return lab::info_of(t.kind).guards; }))
      throw lab::input_error("--guards: goes with --linearize, --merge-loops, --interleave or --stack-depth");
    if (transform_command->count("--threshold") != 0 && !has(kind::meld, kind::fuse))
      throw lab::input_error("--threshold: goes with --meld or --fuse");
    if (transformation.always && !has(kind::linearize)) throw lab::input_error("--always: goes with --linearize");
    if (transform_command->count("--profile") != 0 &&
        !has(kind::linearize, kind::meld, kind::fuse, kind::tail_merge, kind::merge_loops, kind::interleave))
      throw lab::input_error(
          "--profile: goes with --linearize, --meld, --fuse, --tail-merge, --merge-loops or --interleave");
    for (const char* option : {"--no-growth", "--unpredicate", "--most-predicated", "--score"})
      if (transform_command->count(option) != 0 && !has(kind::meld, kind::fuse, kind::tail_merge))
        throw lab::input_error(fmt::format("{}: goes with --meld, --fuse or --tail-merge", option));
    if (transformation.profiles && transformation.launch_path.empty())
      throw lab::input_error("--profile: goes with --launch");
    set_melding();
    if (transform_command->count("--most-copies") != 0 && !has(kind::copies))
      throw lab::input_error("--most-copies: goes with --struct");
    const bool on_machine = transform_command->count("--machine") != 0 || !transform_machine.set.empty();
    if (on_machine && transformation.launch_path.empty()) throw lab::input_error("--machine, --set: go with --launch");
    if (on_machine) transformation.machine = transform_machine;
    transformation.draws = !plan_path.empty();
    transformation.every_metric = !transform_csv.empty();
    return transform(transformation, transformed_path, plan_path, transform_csv);
  }
  if (analyze_command->parsed()) {
    if (analyze_command->count("--jobs") != 0 && analyze.transforms.empty())
      throw lab::input_error("--jobs: goes with --struct or --linearize");
    const lab::analysis_report made = lab::analyze_graphs(analyze);
    lab::print_whole(made.text);
    if (analyze.csv)  // else they are in the text
      for (const auto& remark : made.remarks) say(remark);
    return 0;
  }
  if (timeline_command->parsed()) {
    refuse_to_overwrite_view(timeline, timeline_path);
    const lab::timeline_picture made = lab::draw_timeline(timeline);
    return show_view(made.svg, made.remarks, made.good, timeline_path);
  }
  if (explore_command->parsed()) {
    refuse_to_overwrite_view(explore, explore_path);
    const lab::explore_page made = lab::explore_runs(explore);
    return show_view(made.html, made.remarks, made.good, explore_path);
  }
  write_drawing(draw, dot_path, svg_path);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_streams();
  try {
    return lab_main(argc, argv);
  } catch (const lab::input_error& e) {
    say(e.what());
  } catch (const std::exception& e) {
    say(std::string("simtflow-lab: ") + e.what());
  }
  return bad_input;
}
