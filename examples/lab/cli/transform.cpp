// SPDX-License-Identifier: BSL-1.0
//
// `transform`: a kernel rewritten, and what that saves.
#include "lab/transform.hpp"

#include "lab/cli/command_table.hpp"
#include "lab/cli/options.hpp"
#include "lab/cli/output.hpp"
#include "lab/cli/terminal.hpp"
#include "lab/transform_table.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lab::cli {

namespace {

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

// The table of every transform.
int transform_all(lab::transform_options& options, const std::optional<lab::time_machine>& machine,
                  const row_output& rows) {
  std::vector<std::string> inputs{options.kernel_path};
  if (!options.launch_path.empty()) inputs.push_back(options.launch_path);
  if (machine) inputs.push_back(machine->name);
  rows.check(inputs);
  const lab::transform_table table = [&] {
    const progress_line line(options.progress);
    partial_result last;
    options.so_far = keep_in<lab::transform_table>(last, rows);
    return lab::tabulate_transforms(options, machine);
  }();
  return deliver(
      rows, [&](lab::report_format format) { return lab::to_text(table, format); }, table.good, table.remarks);
}

int transform(const lab::transform_options& options, const std::string& output, const std::string& drawing,
              const row_output& rows) {
  std::vector<std::string> inputs{options.kernel_path};
  if (!options.launch_path.empty()) inputs.push_back(options.launch_path);
  for (const std::string& path : {output, drawing}) lab::refuse_to_overwrite(path, inputs);
  rows.check(inputs);
  const auto not_both = [](const std::string& one, const std::string& other, const char* what) {
    if (!one.empty() && !other.empty() && lab::same_file(one, other))
      throw lab::input_error(fmt::format("{}: cannot take both {}", one, what));
  };
  not_both(output, drawing, "the module and its drawing");
  for (const std::string& path : rows.files()) {
    not_both(output, path, "the module and its figures");
    not_both(drawing, path, "the drawing and the figures");
  }
  if (options.every_metric && options.launch_path.empty())
    throw lab::input_error(rows.json.empty() ? "--csv: goes with --launch" : "--json: goes with --launch");
  const lab::transform_result result = lab::transform_kernel(options);
  std::optional<lab::draft> file, picture;
  if (!drawing.empty() && result.good) {
    if (result.drawing.empty())
      throw lab::input_error("--draw: neither melding nor partial linearization has a plan to draw");
    picture.emplace(drawing, result.drawing);
  }
  if (!output.empty() && result.good) file.emplace(output, result.text);
  const int status =
      result.good ? deliver(
                        rows,
                        [&](lab::report_format format) {
                          return format == lab::report_format::text ? result.report : lab::to_text(result.rows, format);
                        },
                        true)
                  : deliver(
                        {}, [&](lab::report_format) { return result.report; }, false);
  if (file) file->commit();
  if (picture) picture->commit();
  return status;
}

}  // namespace

void add_transform(command_table& table) {
  struct state {
    transform_options transformation;
    row_output rows;
    std::string transformed_path, plan_path, unpredicate = "auto", score = "expected";
    bool every = false;
    time_machine machine;
  };
  const auto s = std::make_shared<state>();
  CLI::App& command = table.add(
      "transform", "Rewrite a PTX kernel (control flow structured, arms melded) and compare it with what it was",
      judges::yes,
      {"examples/kernels/short_circuit.ptx --linearize -o flat.ptx",
       "examples/kernels/figure1.ptx --launch examples/kernels/figure1.launch.json --all"});
  command.add_option("KERNEL.ptx", s->transformation.kernel_path, "PTX module")->required();
  add_transforms(command, s->transformation.steps);
  auto* every = command.add_flag(
      "--all", s->every,
      "A table in place of a transform: every transform and every combination that makes sense, what each costs and "
      "saves (under the first policy), and whether memory stays the same (policies pdom,tf,volta,serial)");
  command.add_option("--kernel,--entry", s->transformation.entry, "The kernel, if there are several")
      ->option_text("NAME");
  add_output(command, "-o,--output", s->transformed_path, "Write the module with the transformed kernel here")
      ->option_text("OUT.ptx");
  add_output(command, "--draw", s->plan_path, "Write the plan of the last transform that has one here, as DOT")
      ->option_text("PLAN.dot");
  add_rows(command, s->rows, "every run with every metric, before and after (with --launch), or the table of --all");
  add_timed_machine(command, s->machine, true);
  command.get_option("--registers")->needs(every);
  command
      .add_option(
          "--most-copies", s->transformation.most_copies,
          fmt::format("With --struct: give up beyond so many blocks (default {})", s->transformation.most_copies))
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000'000}))
      ->option_text("N");
  command
      .add_option(
          "--threshold", s->transformation.melding.threshold,
          "With --meld, --fuse: the least part of two pieces' weight that melding them has to save (default 0.2)")
      ->check([](const std::string& text) {
        double value = 0;  // "nan" is in every CLI::Range
        const bool fits = CLI::detail::lexical_cast(text, value) && value >= 0 && value <= 1;
        return fits ? std::string() : fmt::format("{} is no number from 0 to 1", text);
      })
      ->option_text("T");
  command.add_flag_callback(
      "--no-growth", [s] { s->transformation.melding.code.may_grow = false; },
      "With --meld, --fuse, --tail-merge: no more instructions than both arms have");
  std::vector<std::string> level_names;
  for (const simtflow::guard_optimization level : lab::guard_levels) level_names.emplace_back(to_string(level));
  command
      .add_option_function<std::string>(
          "--guards",
          [s](const std::string& name) {
            for (const simtflow::guard_optimization level : lab::guard_levels)
              if (to_string(level) == name) s->transformation.guards = level;
          },
          "With --linearize, --merge-loops=all (default o4), --interleave ORDER, --stack-depth (default none): how "
          "much "
          "is done to have few guards, as the paper names it")
      ->check(one_of(level_names))
      ->option_text("none|o1|o2|o3|o4");
  command
      .add_option("--unpredicate", s->unpredicate,
                  "With --meld, --fuse, --tail-merge: branches around what only one arm has: always, never, or auto "
                  "(default): where that is expected to cost less")
      ->check(one_of({"auto", "always", "never"}))
      ->option_text("auto|always|never");
  command
      .add_option("--most-predicated", s->transformation.melding.code.most_predicated,
                  "With --unpredicate auto: longer runs always get a branch (default: no limit)")
      ->check(CLI::Range(0U, 1'000'000U))
      ->option_text("N");
  command
      .add_option("--score", s->score,
                  "With --meld, --fuse, --tail-merge: choose by expected cost (default), or as the melding paper does")
      ->check(one_of({"expected", "paper"}))
      ->option_text("expected|paper");
  command.add_flag("--always", s->transformation.always,
                   "With --linearize: all unstructured regions, also where guards cost more than they save");
  command.add_flag("--profile", s->transformation.profiles,
                   "With --launch and --linearize, --meld, --fuse, --tail-merge, --merge-loops or "
                   "--interleave auto: run it under pdom first, and choose by how often threads diverge and "
                   "loops repeat");
  command.add_flag_callback(
      "--no-proof", [s] { s->transformation.proves = false; },
      "Do not prove that each plan does what the code did (a plan that fails is not applied)");
  command
      .add_option("--launch", s->transformation.launch_path, "Run it before and after under each policy, and compare")
      ->option_text("LAUNCH.json");
  command.add_option("--policy", s->transformation.policies, "With --launch: only these policies, as in run")
      ->allow_extra_args(false)
      ->option_text("NAME[:PARAMETER=VALUE,...],...");
  add_conditions(command, s->transformation, launch_says);
  add_launch(command, s->transformation, false);
  table.runs(command, [s, &command] {
    const auto set_melding = [&] {
      if (command.count("--most-predicated") != 0 && s->unpredicate != "auto")
        throw lab::input_error("--most-predicated: goes with --unpredicate auto");
      using simtflow::meld_unpredication;
      s->transformation.melding.code.unpredicate = s->unpredicate == "always"  ? meld_unpredication::always
                                                   : s->unpredicate == "never" ? meld_unpredication::never
                                                                               : meld_unpredication::automatic;
      if (s->score == "paper") s->transformation.melding.score = simtflow::meld_score::paper;
    };
    take_data(s->machine, s->transformation);
    if (s->transformation.launch_path.empty() &&
        (s->transformation.overrides.any() || s->transformation.launch_number != 0))
      throw lab::input_error("--launch-number, --grid, --block, --dynamic-shared, --arg, --set: go with --launch");
    if (s->every) {
      if (!s->transformation.steps.empty())
        throw lab::input_error(fmt::format("--all: goes without {}", lab::option_of(s->transformation.steps.front())));
      for (const char* option : {"--output", "--draw", "--guards", "--always"})
        if (command.count(option) != 0) throw lab::input_error(fmt::format("--all: goes without {}", option));
      const bool is_timed =
          command.count("--machine") != 0 || !s->machine.set.empty() || command.count("--registers") != 0;
      if (s->transformation.launch_path.empty())
        for (const char* option : {"--profile", "--machine", "--set", "--registers"})
          if (command.count(option) != 0) throw lab::input_error(fmt::format("{}: goes with --launch", option));
      set_melding();
      if (command.count("--most-copies") == 0) s->transformation.most_copies = 2000;
      return transform_all(s->transformation, is_timed ? std::optional(s->machine) : std::nullopt, s->rows);
    }
    const auto has = [&](auto... kinds) {
      return std::any_of(s->transformation.steps.begin(), s->transformation.steps.end(),
                         [&](const lab::transform_step& t) { return ((t.kind == kinds) || ...); });
    };
    using kind = lab::transform_kind;
    if (s->transformation.guards && std::none_of(s->transformation.steps.begin(), s->transformation.steps.end(),
                                                 [](const auto& t) { return lab::info_of(t.kind).guards; }))
      throw lab::input_error("--guards: goes with --linearize, --merge-loops, --interleave or --stack-depth");
    if (command.count("--threshold") != 0 && !has(kind::meld, kind::fuse))
      throw lab::input_error("--threshold: goes with --meld or --fuse");
    if (s->transformation.always && !has(kind::linearize)) throw lab::input_error("--always: goes with --linearize");
    if (command.count("--profile") != 0 &&
        !has(kind::linearize, kind::meld, kind::fuse, kind::tail_merge, kind::merge_loops, kind::interleave))
      throw lab::input_error(
          "--profile: goes with --linearize, --meld, --fuse, --tail-merge, --merge-loops or --interleave");
    for (const char* option : {"--no-growth", "--unpredicate", "--most-predicated", "--score"})
      if (command.count(option) != 0 && !has(kind::meld, kind::fuse, kind::tail_merge))
        throw lab::input_error(fmt::format("{}: goes with --meld, --fuse or --tail-merge", option));
    if (s->transformation.profiles && s->transformation.launch_path.empty())
      throw lab::input_error("--profile: goes with --launch");
    set_melding();
    if (command.count("--most-copies") != 0 && !has(kind::copies))
      throw lab::input_error("--most-copies: goes with --struct");
    const bool on_machine = command.count("--machine") != 0 || !s->machine.set.empty();
    if (on_machine && s->transformation.launch_path.empty())
      throw lab::input_error("--machine, --set: go with --launch");
    if (on_machine) s->transformation.machine = s->machine;
    s->transformation.draws = !s->plan_path.empty();
    s->transformation.every_metric = !s->rows.csv.empty() || !s->rows.json.empty();
    return transform(s->transformation, s->transformed_path, s->plan_path, s->rows);
  });
}

}  // namespace lab::cli
