// SPDX-License-Identifier: BSL-1.0
//
// `replay`: recorded traces under each policy.
#include "lab/cli/command_table.hpp"
#include "lab/cli/options.hpp"
#include "lab/cli/output.hpp"
#include "lab/commands.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace lab::cli {

namespace {

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

}  // namespace

void add_replay(command_table& table) {
  struct state {
    replay_options replay;
    shared_flags flags;
    std::vector<std::string> files;
  };
  const auto s = std::make_shared<state>();
  CLI::App& command = table.add("replay", "Replay recorded block traces under each policy", judges::yes,
                                {"run.trace --policy pdom,tf,volta"});
  command.add_option("FILES", s->files, "Graph files (plain or .gz), then the trace file")
      ->required()
      ->option_text("GRAPHS... TRACE");
  add_policy_runs(command, s->replay, s->flags, trace_says);
  add_graph_steps(command, s->replay);
  table.runs(command, [s] {
    refuse_two_tables(s->replay, s->flags);
    event_file events(s->replay, s->flags.events, s->files);
    s->replay.trace_path = s->files.back();
    s->files.pop_back();
    s->replay.graph_paths = std::move(s->files);
    std::vector<std::string> inputs = s->replay.graph_paths;
    inputs.push_back(s->replay.trace_path);
    s->flags.rows.check(inputs);
    const lab::report result = [&] {
      const progress_line line(s->replay);
      partial_result last;
      s->replay.so_far = keep_in<lab::report>(last, s->flags.rows);
      return lab::replay_traces(s->replay);
    }();
    return events.write([&] {
      return deliver(
          s->flags.rows, [&](report_format format) { return lab::to_text(result, format); }, result.good,
          result.remarks);
    });
  });
}

}  // namespace lab::cli
