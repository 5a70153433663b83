// SPDX-License-Identifier: BSL-1.0
//
// simtflow-lab: runs PTX kernels and recorded traces under reconvergence policies, draws and analyzes their
// control-flow graphs.
// Exit status: 0 all is well, 1 a verdict or a comparison is bad, 2 the input cannot be used.
#include "lab/commands.hpp"
#include "lab/files.hpp"
#include "lab/policies.hpp"
#include <simtflow/version.hpp>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr int bad_result = 1;
constexpr int bad_input = 2;

void add_order(CLI::App& command, lab::order_choice& order) {
  std::map<std::string, lab::order_choice> names;
  std::string listed;
  for (const lab::order_choice choice : lab::order_choices()) {
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

struct shared_flags {
  bool csv = false;
  bool json = false;
  [[nodiscard]] lab::report_format format() const {
    return json ? lab::report_format::json : csv ? lab::report_format::csv : lab::report_format::text;
  }
};

void add_policies(CLI::App& command, lab::policy_options& options, shared_flags& flags) {
  std::vector<std::string> names{"all"};
  for (const lab::policy_info& p : lab::policies()) names.emplace_back(p.name);
  command
      .add_option("--policy", options.policies,
                  fmt::format("Policies to run: {} (default pdom,tf,{}; `simtflow-lab policies` explains)",
                              fmt::join(names, ", "), lab::oracle_name))
      ->check(CLI::IsMember(names))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("NAME,...");
  add_order(command, options.order);
  command.add_option("--most-blocks", options.most_blocks, "Give up after this many basic blocks in one thread block")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000'000'000}))
      ->option_text("N");
  auto* csv = command.add_flag("--csv", flags.csv, "Print comma-separated values");
  command.add_flag("--json", flags.json, "Print JSON")->excludes(csv);
}

int show(const lab::report& r, lab::report_format format) {
  lab::print_whole(lab::to_text(r, format));
  if (format == lab::report_format::csv && !r.good)
    for (const auto& remark : r.remarks) fmt::print(stderr, "{}\n", remark);
  return r.good ? 0 : bad_result;
}

// To all the places that were asked for, or to none.
void write_drawing(const lab::draw_options& draw, const std::string& dot_path, const std::string& svg_path) {
  for (const std::string& path : {dot_path, svg_path})
    if (!path.empty() && lab::same_file(path, draw.path))
      throw lab::input_error(fmt::format("{}: is the input, not written", path));
  if (!dot_path.empty() && !svg_path.empty() && lab::same_file(dot_path, svg_path))
    throw lab::input_error(fmt::format("{}: cannot take both DOT and SVG", svg_path));
  const std::string dot = lab::draw_graph(draw);
  if (dot_path.empty() && svg_path.empty()) return lab::print_whole(dot);
  std::optional<lab::draft> picture, text;
  if (!svg_path.empty()) picture.emplace(svg_path, lab::to_svg(dot));
  if (!dot_path.empty()) text.emplace(dot_path, dot);
  if (picture) picture->commit();
  if (text) text->commit();
}

int lab_main(int argc, char** argv) {
  CLI::App app("simtflow-lab: kernels and traces under SIMT reconvergence policies");
  app.set_version_flag("--version", fmt::format("{}.{}.{}", simtflow::version.major_number,
                                                simtflow::version.minor_number, simtflow::version.patch_number));
  app.require_subcommand(1);

  lab::run_options run;
  shared_flags run_flags;
  auto* run_command = app.add_subcommand("run", "Run a PTX kernel under each policy and compare the results");
  run_command->add_option("KERNEL.ptx", run.kernel_path, "PTX module")->required();
  run_command->add_option("--launch", run.launch_path, "Launch file: grid, data, parameters, checks")
      ->required()
      ->option_text("LAUNCH.json");
  add_policies(*run_command, run, run_flags);

  lab::replay_options replay;
  shared_flags replay_flags;
  std::vector<std::string> replay_files;
  auto* replay_command = app.add_subcommand("replay", "Replay recorded block traces under each policy");
  replay_command->add_option("FILES", replay_files, "Graph files (plain or .gz), then the trace file")
      ->required()
      ->option_text("GRAPHS... TRACE");
  replay_command->add_option("--warp-width", replay.warp_width, "Threads of a warp (default 32)")
      ->check(CLI::Range(1, 64))
      ->option_text("N");
  add_policies(*replay_command, replay, replay_flags);

  lab::draw_options draw;
  std::string dot_path, svg_path;
  auto* draw_command = app.add_subcommand("draw", "Draw a control-flow graph with priorities and thread frontiers");
  draw_command->add_option("FILE", draw.path, "PTX module (.ptx) or graph file (.cfg, .cfg.gz)")->required();
  draw_command->add_option("--kernel", draw.kernel, "Which kernel or graph, if there are several")->option_text("NAME");
  draw_command->add_option("-o,--output", dot_path, "Write DOT text here (default: standard output)")
      ->option_text("OUT.dot");
  draw_command->add_option("--svg", svg_path, "Write a picture here; needs Graphviz")->option_text("OUT.svg");
  draw_command->add_flag("--code", draw.code, "Show the instructions of each block");
  add_order(*draw_command, draw.order);

  lab::analyze_options analyze;
  auto* analyze_command =
      app.add_subcommand("analyze", "Report structure, loops and thread frontiers of control-flow graphs");
  analyze_command->add_option("FILES", analyze.paths, "PTX modules (.ptx) and graph files (.cfg, .cfg.gz)")->required();
  analyze_command->add_option("--kernel", analyze.kernel, "Only the kernel or graph of this name")->option_text("NAME");
  add_order(*analyze_command, analyze.order);
  auto* blocks = analyze_command->add_flag("--blocks", analyze.blocks, "List the blocks as well");
  analyze_command->add_flag("--csv", analyze.csv, "Print comma-separated values, a row for each graph")
      ->excludes(blocks);

  auto* policies_command = app.add_subcommand("policies", "List the policies: mechanism, origin, needs, progress");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : bad_input;
  }
  if (policies_command->parsed()) {
    lab::print_whole(lab::policy_list());
    return 0;
  }
  if (run_command->parsed()) return show(lab::run_kernel(run), run_flags.format());
  if (replay_command->parsed()) {
    replay.trace_path = replay_files.back();
    replay_files.pop_back();
    replay.graph_paths = std::move(replay_files);
    return show(lab::replay_traces(replay), replay_flags.format());
  }
  if (analyze_command->parsed()) {
    lab::print_whole(lab::analyze_graphs(analyze));
    return 0;
  }
  write_drawing(draw, dot_path, svg_path);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return lab_main(argc, argv);
  } catch (const lab::input_error& e) {
    fmt::print(stderr, "{}\n", e.what());
  } catch (const std::exception& e) {
    fmt::print(stderr, "simtflow-lab: {}\n", e.what());
  }
  return bad_input;
}
