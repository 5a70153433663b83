// SPDX-License-Identifier: BSL-1.0
//
// The parts of pictures of runs: a kernel's control flow, and one thread block's run under each of some policies.
#pragma once

#include "lab/conditions.hpp"
#include "lab/history.hpp"
#include "lab/policies.hpp"
#include <simtflow/block_name.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/io/svg_timeline.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lab {

class experiment;

struct view_options : run_conditions {
  std::vector<std::string> files;  ///< KERNEL.ptx; or graph files, then a trace file
  std::string launch_path;         ///< of a kernel
  std::vector<std::string> policies;
  std::uint64_t thread_block = 0;
  std::size_t most_events = 1'000'000;  ///< kept of each run
};

/// One policy's run of the thread block.
struct policy_view {
  chosen_policy chosen;
  std::unique_ptr<run_history> history;
  std::string verdict;            ///< "finished"
  std::string words;              ///< on that, unless it finished
  simtflow::position where = {};  ///< in the PTX text, of a fault

  [[nodiscard]] bool forms_warps() const { return scope_managed(chosen) != simtflow::policy_scope::warp; }
};

struct kernel_view {
  std::string name;
  simtflow::csr_graph graph, bodies;              ///< where threads can go; a call being an edge over it
  std::vector<unsigned char> barriers;            ///< by block
  std::vector<std::uint32_t> weights;             ///< by block
  std::vector<std::string> labels;                ///< by block: where the text has one; may be empty
  std::vector<std::string> code;                  ///< by block: its instructions, a line each; may be empty
  std::vector<std::vector<std::string>> sources;  ///< by block and instruction: "my.cu:17", its text; may be empty
  std::vector<std::string> ends;                  ///< by block: the source line that it ends in; may be empty
  std::uint32_t warp_width = 32;
  std::uint64_t thread_blocks = 1;  ///< of the launch or the trace; one is shown
  std::vector<policy_view> runs;
  std::vector<std::string> remarks;  ///< on policies that are left out or did not finish
  bool good = true;                  ///< every verdict is as expected

  [[nodiscard]] std::string block_name(simtflow::block_id b) const {
    return simtflow::block_name(b, b < labels.size() ? labels[b] : std::string());
  }
  /// The same with the source line that the block ends in, if it is known: "BB6 $L__BB0_6 (my.cu:17)".
  [[nodiscard]] std::string block_name_with_source(simtflow::block_id b) const {
    const bool known = b < ends.size() && !ends[b].empty();
    return known ? block_name(b) + " (" + ends[b] + ")" : block_name(b);
  }
};

/// Runs everything. \throws input_error if there is nothing to show.
[[nodiscard]] kernel_view view_runs(const view_options& options);

/// The same for a kernel and its launch that have been read.
[[nodiscard]] kernel_view view_kernel(experiment& e, const view_options& options,
                                      const std::vector<chosen_policy>& chosen);

/// The same for a trace; called by view_runs(). \pre files is not empty.
[[nodiscard]] kernel_view view_traces(const view_options& options, const std::vector<chosen_policy>& chosen);

/// The control-flow graph as SVG, its blocks in the colours of the schedules.
[[nodiscard]] std::string graph_picture(const kernel_view& view);

/// Draws the schedule of one thread block: a row for each lane.
struct timeline_options : view_options {
  std::int64_t warp = -1;                      ///< only this one; -1: all
  std::uint64_t first_slot = 0;                ///< the picture begins there
  std::uint64_t end_slot = ~std::uint64_t{0};  ///< the slot after the last one
  bool graph = false;                          ///< draw the control-flow graph beside the schedule
};
struct timeline_picture {
  std::string svg;
  std::vector<std::string> remarks;
  bool good = true;
};
[[nodiscard]] timeline_picture draw_timeline(const timeline_options& options);

/// The view as JSON, for explore/page.js; nothing in it can end the script element of a page.
/// \param thread_block the number of the one that is shown. \param remarks are shown above the runs
[[nodiscard]] std::string explore_data(const kernel_view& view, std::uint64_t thread_block,
                                       const std::vector<std::string>& remarks);

/// A page in which a person steps through one thread block's runs: one HTML file that needs nothing else.
struct explore_page {
  std::string html;
  std::vector<std::string> remarks;
  bool good = true;
};
[[nodiscard]] explore_page explore_runs(const view_options& options);

}  // namespace lab
