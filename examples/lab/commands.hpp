// SPDX-License-Identifier: BSL-1.0
//
// The tool's subcommands as functions: options in, text out. Unusable input is an input_error; nothing has been written
// then.
#pragma once

#include "lab/conditions.hpp"
#include "lab/graph_transforms.hpp"
#include "lab/metrics.hpp"
#include "lab/policies.hpp"
#include "lab/report.hpp"
#include "lab/watch.hpp"
#include <simtflow/graph/csr.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/ptx/machine/memory.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lab {

class experiment;

/// Options that `run`, `replay` and `record` have in common.
struct policy_options : run_conditions {
  std::vector<std::string> policies;  ///< texts for chosen_policies()
  bool metrics = false;               ///< take every metric
  bool branches = false;              ///< also say which branches leave lanes idle, and what else does
  machine_model machine;              ///< for the metrics
  event_log* events = nullptr;        ///< the event trace of the one policy goes there
  /// Told what runs now: "tf, 12.5 million blocks". Nobody if empty.
  std::function<void(const std::string&)> progress;
  std::function<void(const report&)> so_far;  ///< gets the runs that are over, after each; nobody if empty
};

/// Runs a kernel's grid under each policy, the oracle first, and compares what is left in memory.
struct run_options : policy_options {
  std::string kernel_path;  ///< may be empty if the launch file names modules
  std::string launch_path;
  std::vector<std::string> dumps;  ///< NAME=FILE: a buffer or a variable of the module, written after the last launch
};
/// A file to be written after a run.
struct dumped_file {
  std::string path;
  std::string text;
};
/// All launches of the file, or the one that is named. Each begins with the memory that the judge's run of the launch
/// before left, so counts are comparable among policies; with several, sums of counts come last.
/// \param dumps gets what the options ask for
[[nodiscard]] report run_kernel(const run_options& options, std::vector<dumped_file>* dumps = nullptr);
/// The same for one launch of a kernel that is loaded already.
/// \param left gets the memory after the run that others are compared with; stays as it is if no run finished
[[nodiscard]] report compare_policies(experiment& e, const std::vector<chosen_policy>& chosen,
                                      const policy_options& options,
                                      std::optional<simtflow::ptx::device_memory>* left = nullptr);

struct suite_result;

/// Runs every kernel of a folder (NAME.ptx with NAME.launch.json, or NAME.bench.launch.json). The text is the overview
/// of suite.hpp, a line for each kernel; or the tables that put the figures of the papers side by side.
struct suite_options : policy_options {
  std::string program = "simtflow-lab";  ///< how the tool was called, for the commands that the overview names
  std::string folder = "examples/kernels";
  std::vector<std::string> kernels;   ///< names; empty: all that have a launch file
  bool bench = false;                 ///< the launch files of bench size
  bool tables = false;                ///< the papers' tables; they take every metric
  std::vector<std::string> not_over;  ///< files that must not be among the inputs; empty names are no files
  std::vector<table_row> kept;        ///< rows of a suite that was stopped: their kernels do not run again
  /// Gets what there is after each kernel, in the order of the kernels; nobody if empty.
  std::function<void(const suite_result&)> suite_so_far;
};
struct suite_result {
  std::string text;
  report rows;  ///< every run; if metrics were asked for, with all of them and the figures of the kernel's graph
};
[[nodiscard]] std::string to_text(const suite_result& r, report_format format);
/// Kernels run on as many host threads as `jobs` says; the result does not depend on them.
[[nodiscard]] suite_result run_suite(const suite_options& options);

/// Replays recorded traces under each policy.
struct replay_options : policy_options {
  std::vector<std::string> graph_paths;
  std::string trace_path;
  std::vector<graph_step> transforms;  ///< each trace is also replayed as these, one after the other, would leave it
  std::size_t most_copies = 65'536;    ///< with transforms: blocks of the result of `struct`
};
[[nodiscard]] report replay_traces(const replay_options& options);

/// The graph of a kernel with calls has another one beside it, in which a call is an edge over it: where branches
/// reconverge is seen there. Its name is the kernel's name with this suffix. Both have this variant, which tells replay
/// that it needs the graph.
inline constexpr const char* bodies_suffix = "@bodies";
inline constexpr const char* calls_variant = "calls";
inline constexpr const char* recorded_suite = "recorded";

/// Runs a kernel under one policy and writes down the blocks that each thread executed, as the text of a trace file
/// with the graph in it (io/trace_text.hpp).
struct record_options : run_conditions {
  std::string kernel_path;
  std::string launch_path;
  std::string policy = std::string(oracle_name);
  bool addresses = false;  ///< also write what time needs: instructions, registers, the address of each access
};
struct recording {
  std::string trace;  ///< with the graph inline
  std::string graph;  ///< the graph alone, as a graph file; for a kernel with calls with the one beside it
  bool has_calls = false;
  std::vector<std::string> remarks;  ///< what was done otherwise than asked for
};
/// \throws input_error if the run does not finish, or uses what a trace cannot say (named barriers).
[[nodiscard]] recording record_kernel(const record_options& options);

/// Draws a control-flow graph with priorities and thread frontiers.
struct draw_options {
  std::string path;    ///< .ptx, or a graph file
  std::string kernel;  ///< may be empty if there is only one
  simtflow::priority_rule order = simtflow::priority_rule::loop_contiguous;
  bool code = false;  ///< show the instructions of each block
};
/// A graph and how it is drawn.
struct drawing {
  simtflow::csr_graph graph;
  simtflow::dot_style style;
};
[[nodiscard]] drawing draw_graph(const draw_options& options);

/// As an SVG picture: laid out by Graphviz's `dot` if that is installed, else in layers (simtflow/io/svg_graph.hpp).
/// \throws input_error if dot fails.
[[nodiscard]] std::string to_svg(const drawing& d);

/// Reports what the analyses say about control-flow graphs, as text or as CSV.
struct analyze_options {
  std::vector<std::string> paths;  ///< .ptx: every kernel; or graph files
  std::string kernel;              ///< only the graphs of this name; empty: all
  simtflow::priority_rule order = simtflow::priority_rule::rpo;
  bool blocks = false;                                 ///< list the blocks as well
  bool rows_only = false;                              ///< the text is not wanted
  std::vector<graph_step> transforms;                  ///< instead, a row for each graph and each of these
  std::size_t most_copies = 65'536;                    ///< with transforms: blocks of the result of `struct`
  std::uint32_t jobs = 1;                              ///< with transforms: host threads; 0: as many as the host has
  std::function<void(const std::string&)> progress{};  ///< told how far it is, with transforms; nobody if empty
};
struct analysis_report {
  std::string text;                  ///< for people, with the remarks
  row_schema schema;                 ///< of the rows
  std::vector<table_row> rows;       ///< one for each graph, and each transform if there are some
  std::vector<std::string> remarks;  ///< what is left out
};
[[nodiscard]] std::string to_text(const analysis_report& r, report_format format);
[[nodiscard]] analysis_report analyze_graphs(const analyze_options& options);

/// Lays DOT text out as an SVG picture with Graphviz's `dot`; nothing if that is not installed.
/// \throws input_error if dot fails.
[[nodiscard]] std::optional<std::string> graphviz_svg(const std::string& dot);

}  // namespace lab
