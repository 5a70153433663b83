// SPDX-License-Identifier: BSL-1.0
//
// `analyze`: what the analyses say about control-flow graphs.
#include "lab/cli/command_table.hpp"
#include "lab/cli/options.hpp"
#include "lab/cli/output.hpp"
#include "lab/commands.hpp"
#include "lab/files.hpp"
#include "lab/source_listing.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lab::cli {

namespace {

int list(const lab::source_options& options, const row_output& rows, const std::string& page) {
  std::vector<std::string> inputs = options.paths;
  inputs.push_back(options.launch_path);
  lab::refuse_to_overwrite(page, inputs);
  rows.check(inputs);
  const lab::source_report made = lab::list_sources(options);
  std::optional<lab::draft> file;
  if (!page.empty()) file.emplace(page, lab::to_html(made));
  const bool prints = page.empty() || rows.format() != report_format::text;
  if (prints || !rows.files().empty())
    deliver(
        rows,
        [&](report_format format) {
          return format != report_format::text || prints ? lab::to_text(made, format) : std::string();
        },
        true, made.remarks);
  if (file) file->commit();
  if (!prints)  // else they are in the text
    for (const std::string& remark : made.remarks) say(remark);
  return 0;
}

}  // namespace

void add_analyze(command_table& table) {
  struct state {
    analyze_options analyze;
    source_options source;
    bool by_source = false;
    std::string page;
    row_output rows;
  };
  const auto s = std::make_shared<state>();
  CLI::App& command =
      table.add("analyze", "Report structure, loops and thread frontiers of control-flow graphs", judges::no,
                {"examples/kernels/figure1.ptx --blocks", "examples/kernels/figure1.ptx examples/kernels/bfs.ptx --csv",
                 "examples/insight/walk.ptx --source --launch examples/insight/walk.launch.json"});
  command.add_option("FILES", s->analyze.paths, "PTX modules (.ptx) and graph files (.cfg, .cfg.gz)")->required();
  command.add_option("--kernel", s->analyze.kernel, "Only the kernel or graph of this name")->option_text("NAME");
  add_order(command, s->analyze.order);
  auto* blocks = command.add_flag("--blocks", s->analyze.blocks, "List the blocks as well");
  add_rows(command, s->rows, "a row for each graph");
  for (const char* rows : {"--csv", "--json"}) command.get_option(rows)->excludes(blocks);
  for (const auto& [flag, what] : {std::pair("struct", "copies of blocks (STRUCT)"), std::pair("linearize", "guards")})
    command
        .add_flag_callback(
            fmt::format("--{}", flag), [s, flag = std::string(flag)] { s->analyze.transforms.push_back({flag}); },
            fmt::format("Instead, structure each graph by {}: a row for each graph, and totals", what))
        ->trigger_on_parse()
        ->excludes(blocks);
  command
      .add_option("--most-copies", s->analyze.most_copies,
                  fmt::format("With --struct: give up beyond so many blocks (default {})", s->analyze.most_copies))
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000'000}))
      ->needs("--struct")
      ->option_text("N");
  add_jobs(command, s->analyze.jobs,
           "With --struct, --linearize: host threads, 0: as many as the host has (default 1). Results are the same");
  auto* source = command.add_flag(
      "--source", s->by_source,
      "Instead, list the source lines that kernels were compiled from (nvcc -lineinfo), with their divergent branches");
  source->excludes(blocks);
  command
      .add_option("--launch", s->source.launch_path,
                  "With --source: run this launch, and show its costs in the margin of the listing")
      ->needs(source)
      ->option_text("LAUNCH.json");
  add_policy_names(command, s->source.policies, "pdom");
  command.get_option("--policy")->needs("--launch");
  command
      .add_option("--machine", s->source.machine,
                  "With --launch: also time the run on this machine: a name of `time --list-machines`, or a file")
      ->needs("--launch")
      ->option_text("MACHINE|FILE.json");
  add_launch(command, s->source);
  for (const char* changes : {"--launch-number", "--grid", "--block", "--dynamic-shared", "--arg", "--set"})
    command.get_option(changes)->needs("--launch");
  add_output(command, "--html", s->page, "With --source: write the listing here, as a page that needs nothing else")
      ->needs(source)
      ->option_text("FILE.html");
  command.footer(
      "A sentinel (the block of a graph file, or of a kernel, that stands for the end of a thread) is no block and no\n"
      "join of its own, but edges lead to it. From the first block of an endless loop an edge leads to the end that "
      "lies\n"
      "after the sentinel, not to the sentinel: such a loop alone reduces to one node (resid), and a branch with an "
      "endless\n"
      "loop on one of its ways has no immediate post-dominator (pdom_blocks does not count it; it does count the "
      "sentinel).");
  table.runs(command, [s, &command] {
    if (command.count("--jobs") != 0 && s->analyze.transforms.empty())
      throw lab::input_error("--jobs: goes with --struct or --linearize");
    if (s->by_source) {
      if (!s->analyze.transforms.empty()) throw lab::input_error("--source: does not go with --struct or --linearize");
      s->source.paths = s->analyze.paths;
      s->source.kernel = s->analyze.kernel;
      if (command.count("--order") != 0) s->source.order = s->analyze.order;
      return list(s->source, s->rows, s->page);
    }
    s->rows.check(s->analyze.paths);
    s->analyze.rows_only = s->rows.format() != report_format::text;
    const lab::analysis_report made = [&] {
      const progress_line line(s->analyze.progress);
      return lab::analyze_graphs(s->analyze);
    }();
    return deliver(
        s->rows, [&](report_format format) { return lab::to_text(made, format); }, true, made.remarks);
  });
}

}  // namespace lab::cli
