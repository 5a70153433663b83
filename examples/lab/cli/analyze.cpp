// SPDX-License-Identifier: BSL-1.0
//
// `analyze`: what the analyses say about control-flow graphs.
#include "lab/cli/command_table.hpp"
#include "lab/cli/options.hpp"
#include "lab/cli/output.hpp"
#include "lab/commands.hpp"

#include <memory>
#include <string>
#include <utility>

namespace lab::cli {

void add_analyze(command_table& table) {
  struct state {
    analyze_options analyze;
  };
  const auto s = std::make_shared<state>();
  CLI::App& command = table.add(
      "analyze", "Report structure, loops and thread frontiers of control-flow graphs", judges::no,
      {"examples/kernels/figure1.ptx --blocks", "examples/kernels/figure1.ptx examples/kernels/bfs.ptx --csv"});
  command.add_option("FILES", s->analyze.paths, "PTX modules (.ptx) and graph files (.cfg, .cfg.gz)")->required();
  command.add_option("--kernel", s->analyze.kernel, "Only the kernel or graph of this name")->option_text("NAME");
  add_order(command, s->analyze.order);
  auto* blocks = command.add_flag("--blocks", s->analyze.blocks, "List the blocks as well");
  command.add_flag("--csv", s->analyze.csv, "Print comma-separated values, a row for each graph")->excludes(blocks);
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
    const lab::analysis_report made = lab::analyze_graphs(s->analyze);
    lab::print_whole(made.text);
    if (s->analyze.csv)  // else they are in the text
      for (const auto& remark : made.remarks) say(remark);
    return 0;
  });
}

}  // namespace lab::cli
