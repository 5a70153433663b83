// SPDX-License-Identifier: BSL-1.0
//
// The tool's subcommands as functions: options in, text out. Unusable input is an input_error; nothing has been written
// then.
#pragma once

#include "lab/policies.hpp"
#include "lab/report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace lab {

/// What `run` and `replay` have in common.
struct policy_options {
  std::vector<std::string> policies;  ///< names of policies(), or "all"; empty: see chosen_policies()
  order_choice order = order_choice::loop_contiguous;
  std::uint64_t most_blocks = 200'000'000;  ///< basic blocks one thread block may execute
};

/// Runs a kernel's grid under each policy, the oracle first, and compares what is left in memory.
struct run_options : policy_options {
  std::string kernel_path;
  std::string launch_path;
};
[[nodiscard]] report run_kernel(const run_options& options);

/// Replays recorded traces under each policy.
struct replay_options : policy_options {
  std::vector<std::string> graph_paths;
  std::string trace_path;
  std::uint32_t warp_width = 32;
};
[[nodiscard]] report replay_traces(const replay_options& options);

/// Draws a control-flow graph with priorities and thread frontiers.
struct draw_options {
  std::string path;    ///< .ptx, or a graph file
  std::string kernel;  ///< may be empty if there is only one
  order_choice order = order_choice::loop_contiguous;
  bool code = false;  ///< show the instructions of each block
};
[[nodiscard]] std::string draw_graph(const draw_options& options);

/// Reports what the analyses say about control-flow graphs, as text or as CSV.
struct analyze_options {
  std::vector<std::string> paths;  ///< .ptx: every kernel; or graph files
  std::string kernel;              ///< only the graphs of this name; empty: all
  order_choice order = order_choice::rpo;
  bool blocks = false;  ///< list the blocks as well
  bool csv = false;
};
[[nodiscard]] std::string analyze_graphs(const analyze_options& options);

/// Lays DOT text out as an SVG picture with Graphviz's `dot`.
/// \throws input_error if dot is not installed or fails.
[[nodiscard]] std::string to_svg(const std::string& dot);

}  // namespace lab
