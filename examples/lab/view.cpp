// SPDX-License-Identifier: BSL-1.0
#include "lab/view.hpp"

#include "lab/experiment.hpp"
#include "lab/files.hpp"
#include "lab/source_text.hpp"
#include <simtflow/io/block_colours.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/io/dot_style.hpp>
#include <simtflow/io/svg_graph.hpp>

#include <fmt/core.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lab {

using namespace simtflow;

namespace {

kernel_view view_kernel_file(const view_options& options, const std::vector<chosen_policy>& chosen) {
  if (options.launch_path.empty()) {
    must_exist(options.files[0]);
    throw input_error(fmt::format("{}: a kernel needs --launch", options.files[0]));
  }
  if (options.files.size() > 1)
    throw input_error(fmt::format("{}: one kernel at a time; {} is too many", options.files[0], options.files[1]));
  experiment e(options.files[0], options.launch_path, options);
  return view_kernel(e, options, chosen);
}

}  // namespace

kernel_view view_kernel(experiment& e, const view_options& options, const std::vector<chosen_policy>& chosen) {
  if (options.thread_block >= e.launch().thread_blocks())
    throw input_error(fmt::format("--block {}: the launch has thread blocks 0 to {}", options.thread_block,
                                  e.launch().thread_blocks() - 1));
  kernel_view view;
  view.name = e.kernel().name;
  view.graph = e.graph();
  view.bodies = e.bodies();
  view.barriers = e.barrier_blocks();
  view.warp_width = e.launch().warp_width;
  view.thread_blocks = e.launch().thread_blocks();
  source_text text(e.kernel().sources, e.file().path);
  for (block_id b = 0; b < e.kernel().blocks.size(); ++b) {
    view.weights.push_back(e.kernel().weight(b));
    view.labels.emplace_back(e.kernel().blocks[b].label);
    view.code.push_back(e.file().code_of(b));
    view.ends.push_back(e.kernel().source_of_end(b));
    std::vector<std::string>& sources = view.sources.emplace_back();
    const ptx::decoded_block& block = e.kernel().blocks[b];
    if (!e.kernel().places.empty())
      for (std::uint32_t n = block.weight; n > 0; --n)
        sources.push_back(text.describe(e.kernel().place_of(block.last_instruction + 1 - n)));
  }
  bool profile = false;
  for (const chosen_policy& c : chosen) profile = profile || c.identity().find("profile") != std::string::npos;
  if (profile) (void)e.oracle();
  for (const chosen_policy& c : chosen) {
    if (const std::string reason = e.not_applicable(c); !reason.empty()) {
      view.remarks.push_back(fmt::format("{}: left out, {}", c.name, reason));
      continue;
    }
    auto history = std::make_unique<run_history>(options.thread_block, options.most_events);
    const grid_run run = e.run(c, {.history = history.get()});
    if (!run.other_order.empty()) view.remarks.push_back(fmt::format("{}: {}", c.name, run.other_order));
    if (run.how != outcome::finished) view.remarks.push_back(fmt::format("{}: {}", c.name, run.words));
    const bool is_oracle = c.info->name == oracle_name;
    if (to_string(run.how) != (is_oracle ? std::string(to_string(outcome::finished)) : e.expected_verdict(c)))
      view.good = false;
    view.runs.push_back({c, std::move(history), std::string(to_string(run.how)), run.words, run.where});
  }
  return view;
}

kernel_view view_runs(const view_options& options) {
  const std::vector<chosen_policy> chosen = chosen_policies(options.policies);  // a mistake there is found first
  if (options.files.empty()) throw input_error("a file is missing: KERNEL.ptx, or a trace");
  const bool is_kernel = is_module_path(options.files[0]);
  if (!is_kernel && !options.launch_path.empty())
    throw input_error(fmt::format("{}: is no .ptx; a trace has no --launch", options.files[0]));
  kernel_view view = is_kernel ? view_kernel_file(options, chosen) : view_traces(options, chosen);
  std::string reasons;
  for (const std::string& r : view.remarks) reasons += '\n' + r;
  bool any = false;
  for (const policy_view& r : view.runs) any = any || !r.history->trace().records().empty();
  if (!any)
    throw input_error(fmt::format("{}: no policy ran thread block {}{}", view.name, options.thread_block, reasons));
  return view;
}

std::string graph_picture(const kernel_view& view) {
  dot_style style;
  for (block_id b = 0; b < view.graph.num_blocks(); ++b) {
    style.labels.push_back(
        fmt::format("{}: {} instr", view.block_name(b), b < view.weights.size() ? view.weights[b] : 0));
    style.colours.push_back(to_string(block_colour(b)));
    style.notes.emplace_back(b < view.barriers.size() && view.barriers[b] != 0 ? "barrier" : "");
  }
  return to_svg(view.graph, style);
}

}  // namespace lab
