// SPDX-License-Identifier: BSL-1.0
//
// `record`: the blocks of each thread of a kernel, as a trace.
#include "lab/cli/command_table.hpp"
#include "lab/cli/options.hpp"
#include "lab/cli/output.hpp"
#include "lab/commands.hpp"
#include "lab/files.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lab::cli {

namespace {

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

}  // namespace

void add_record(command_table& table) {
  struct state {
    record_options record;
    std::string trace_path, graph_path;
  };
  const auto s = std::make_shared<state>();
  CLI::App& command =
      table.add("record", "Run a PTX kernel and write down the blocks of each thread", judges::yes,
                {"examples/kernels/figure1.ptx --launch examples/kernels/figure1.launch.json -o run.trace"});
  command.add_option("KERNEL.ptx", s->record.kernel_path, "PTX module")->required();
  command.add_option("--launch", s->record.launch_path, "Launch file")->required()->option_text("LAUNCH.json");
  add_output(command, "-o,--output", s->trace_path, "Write the trace here, compressed if it ends in .gz")
      ->required()
      ->option_text("OUT.trace[.gz]");
  add_output(command, "--graph", s->graph_path, "Write the graph, which is in the trace, here as well")
      ->option_text("OUT.cfg[.gz]");
  command
      .add_option("--policy", s->record.policy, fmt::format("Record this policy's run (default {})", lab::oracle_name))
      ->option_text("NAME[:PARAMETER=VALUE,...]");
  command.add_flag("--addresses", s->record.addresses,
                   "Also write what `time` needs: instructions, registers, the address of each access");
  add_conditions(command, s->record, launch_says);
  add_launch(command, s->record);
  table.runs(command, [s] {
    write_recording(s->record, s->trace_path, s->graph_path);
    return 0;
  });
}

}  // namespace lab::cli
