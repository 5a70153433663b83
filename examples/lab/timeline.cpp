// SPDX-License-Identifier: BSL-1.0
#include "lab/files.hpp"
#include "lab/view.hpp"
#include <simtflow/io/svg_beside.hpp>
#include <simtflow/io/svg_timeline.hpp>

#include <fmt/core.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lab {

using namespace simtflow;

timeline_picture draw_timeline(const timeline_options& options) {
  if (options.warp >= 0)
    for (const chosen_policy& c : chosen_policies(options.policies))
      if (scope_managed(c) != policy_scope::warp)
        throw input_error(fmt::format("--warp: {} forms warps of all threads of the thread block", c.name));
  const kernel_view view = view_runs(options);
  timeline_style style;
  style.title = fmt::format("{}, thread block {} of {}", view.name, options.thread_block, view.thread_blocks);
  for (const policy_view& r : view.runs)
    if (r.forms_warps()) style.clock = timeline_clock::shared;
  style.axis = style.clock == timeline_clock::shared ? "issue slots: one instruction of one warp each"
                                                     : "issue slots: one instruction of the warp each";
  style.first_slot = options.first_slot;
  style.end_slot = options.end_slot;
  svg_timeline picture(style);
  timeline_picture result{{}, view.remarks, view.good};
  for (const policy_view& r : view.runs) {
    const auto all = r.history->trace().records();
    std::vector<basic_trace_record<wide_mask>> of_warp;
    if (options.warp >= 0) {
      bool ran = false;
      for (const auto& record : all) {
        const bool of_all = record.kind == trace_kind::started || record.kind == trace_kind::released ||
                            record.kind == trace_kind::ended;
        if (of_all || record.warp == options.warp) of_warp.push_back(record);
        ran = ran || (record.kind == trace_kind::issued && record.warp == options.warp);
      }
      if (!ran)
        throw input_error(
            fmt::format("--warp {}: thread block {} has no such warp", options.warp, options.thread_block));
    }
    const std::span<const basic_trace_record<wide_mask>> records = options.warp >= 0 ? std::span(of_warp) : all;
    std::uint64_t warp_instructions = 0, thread_instructions = 0, off = 0;
    for (const auto& record : records) {
      if (record.kind == trace_kind::predicated_off) off += record.lanes.count();
      if (record.kind != trace_kind::issued) continue;
      warp_instructions += record.weight;
      thread_instructions += std::uint64_t{record.weight} * record.lanes.count();
    }
    std::string note = fmt::format("{} warp instructions", warp_instructions);
    if (warp_instructions != 0) {
      const double slots = static_cast<double>(warp_instructions) * view.warp_width;
      note += fmt::format(", SIMD efficiency {:.2f}", static_cast<double>(thread_instructions) / slots);
      if (off != 0)
        note += fmt::format(", {:.2f} predicated on", static_cast<double>(thread_instructions - off) / slots);
    }
    if (r.verdict != "finished") note += ", " + r.verdict;
    if (r.history->left_out() != 0) {
      note += fmt::format(", the first {} events", options.most_events);
      result.remarks.push_back(fmt::format("{}: the first {} events; {} more are left out", r.chosen.name,
                                           options.most_events, r.history->left_out()));
    }
    timeline_panel words{r.chosen.name, note, r.forms_warps() ? "threads" : "lanes"};
    if (r.forms_warps()) words.warp_width = view.warp_width;
    if (r.verdict != "finished" && r.history->left_out() == 0) words.bad_end = r.verdict;
    picture.add<wide_mask>(std::move(words), records);
  }
  if (picture.num_slots() == 0 && options.first_slot != 0)
    throw input_error(fmt::format("--slots {}: the runs are over before", options.first_slot));
  result.svg = picture.text([&](block_id b) { return view.block_name_with_source(b); });
  if (options.graph) result.svg = svg_beside(graph_picture(view), result.svg);
  return result;
}

}  // namespace lab
