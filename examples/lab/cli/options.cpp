// SPDX-License-Identifier: BSL-1.0
#include "lab/cli/options.hpp"

#include "lab/files.hpp"
#include "lab/launch_parts.hpp"
#include "lab/policies.hpp"
#include "lab/spelling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lab::cli {

std::function<std::string(const std::string&)> one_of(std::vector<std::string> words) {
  return [words = std::move(words)](const std::string& word) {
    if (std::find(words.begin(), words.end(), word) != words.end()) return std::string();
    return fmt::format("there is no \"{}\"{}; there are {}", word, did_you_mean(word, words), fmt::join(words, ", "));
  };
}

void add_order(CLI::App& command, simtflow::priority_rule& order) {
  std::map<std::string, simtflow::priority_rule> rules;
  std::vector<std::string> names;
  for (const simtflow::priority_rule choice : simtflow::priority_rules()) {
    rules.emplace(to_string(choice), choice);
    names.emplace_back(to_string(choice));
  }
  command
      .add_option_function<std::string>(
          "--order", [&order, rules](const std::string& name) { order = rules.at(name); },
          fmt::format("Priorities of thread frontiers (default {})", to_string(order)))
      ->check(one_of(names))
      ->option_text(fmt::format("{}", fmt::join(names, "|")));
}

CLI::Option* add_output(CLI::App& command, const std::string& flags, std::string& path, const std::string& what) {
  const auto is_name = [](const std::string& text) { return text.empty() ? "the name of a file is missing" : ""; };
  return command.add_option(flags, path, what)->check(is_name);
}

void add_rows(CLI::App& command, row_output& rows, const std::string& of) {
  const auto add = [&](const char* flag, std::string& to, const char* format) {
    command
        .add_flag(
            flag, to,
            fmt::format("Print {}, {}, in place of the text; with =FILE write them there, beside the text", format, of))
        ->option_text("[=FILE]");
  };
  add("--csv", rows.csv, "comma-separated values");
  add("--json", rows.json, "JSON");
}

CLI::Option* add_jobs(CLI::App& command, std::uint32_t& jobs, const std::string& what) {
  return command.add_option("--jobs", jobs, what)->check(CLI::Range(0, 256))->option_text("N");
}

void add_conditions(CLI::App& command, lab::run_conditions& options, const std::string& says) {
  add_order(command, options.order);
  command
      .add_option("--warp-width", options.warp_width,
                  fmt::format("Threads of a warp (default: what the {} says, or 32)", says))
      ->check(CLI::Range(1, 1024))
      ->option_text("N");
  std::map<std::string, simtflow::barrier_model> models;
  std::vector<std::string> names;
  for (const simtflow::barrier_model model : simtflow::barrier_models) {
    models.emplace(to_string(model), model);
    names.emplace_back(to_string(model));
  }
  command
      .add_option_function<std::string>(
          "--barriers", [&options, models](const std::string& name) { options.barriers = models.at(name); },
          "How warps come to a barrier: whole-warp (all live lanes or it is a deadlock), warp-arrival (before Volta), "
          "thread-arrival (Volta and later), uniform (an error in divergent flow); default: " +
              std::string(says == launch_says ? "" : "what the trace says, or ") + "what fits each policy")
      ->check(one_of(names))
      ->option_text(fmt::format("{}", fmt::join(names, "|")));
  command
      .add_option(
          "--most-blocks", options.most_blocks,
          fmt::format("Give up after this many basic blocks in one thread block (default {})", options.most_blocks))
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000'000'000}))
      ->option_text("N");
}

void add_launch(CLI::App& command, lab::run_conditions& options, bool sets) {
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
  command
      .add_option("--policy", policies,
                  fmt::format("Policies, or all; with parameters as in pdom:order=larger,tf (default {}). "
                              "`simtflow-lab policies` lists them",
                              normal))
      ->allow_extra_args(false)
      ->option_text("NAME[:PARAMETER=VALUE,...],...");
}

void add_policy_runs(CLI::App& command, lab::policy_options& options, shared_flags& flags, const std::string& says) {
  add_policy_names(command, options.policies, fmt::format("pdom,tf,volta,{}", lab::oracle_name));
  add_conditions(command, options, says);
  add_rows(command, flags.rows, "a row for each run");
  command.add_flag("--metrics", options.metrics, "Take and print every metric");
  command.add_flag("--branches", options.branches,
                   "Also say which branches leave lanes idle, and what else does; with --csv in place of the runs");
  add_machine(command, options.machine);
  add_output(command, "--events", flags.events,
             "Write the event trace of the one policy named: .csv, or .json (Perfetto)")
      ->option_text("FILE");
}

void refuse_two_tables(const lab::policy_options& options, const shared_flags& flags) {
  if (flags.rows.asked_for_csv() && options.metrics && options.branches)
    throw lab::input_error("--csv prints one table: --metrics or --branches");
}

void add_timed_machine(CLI::App& command, lab::time_machine& machine, bool with_launch) {
  command
      .add_option(
          "--machine", machine.name,
          fmt::format("The machine: a name of `time --list-machines`, or a machine file (default {})", machine.name))
      ->option_text("MACHINE|FILE.json");
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

}  // namespace lab::cli
