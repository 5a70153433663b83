// SPDX-License-Identifier: BSL-1.0
//
// Recorded runs (simt/observers/event_trace.hpp) as one SVG picture: the schedule figures of the papers. A row for each
// lane, time to the right in issue slots (instructions of a warp); every executed block in its colour
// (io/block_colours.hpp), with dark stripes where the guard of its instruction is false. Idle lanes that are live have
// three signs: hatched where the lane is masked (its warp runs others), dashed where it is not scheduled (other warps
// run, or nobody does), dotted where it waits at a barrier. It is blank where it has ended. Several runs share one
// scale:
//
//   svg_timeline picture({.title = "mandelbrot"});
//   picture.add({.title = "pdom"}, stack_trace);
//   picture.add({.title = "tf"}, frontier_trace);
//   std::puts(picture.text([](block_id b) { return names[b]; }).c_str());
//
// A run with more issue slots than the picture has points is drawn in columns of several slots, in the colour of the
// block that the lane ran most, and paler the fewer slots the lane ran in. Such columns have no stripes for false
// guards; the picture says so. The same runs always give the same text.
//
// Format: W3C, Scalable Vector Graphics (SVG) 1.1, second edition; presentation attributes only, no scripts, no style
// sheets, nothing from outside, so that every program that reads SVG shows it.
#pragma once

#include <simtflow/block_name.hpp>
#include <simtflow/config.hpp>
#include <simtflow/io/detail/timeline_drawing.hpp>
#include <simtflow/io/detail/timeline_run.hpp>
#include <simtflow/io/timeline_style.hpp>
#include <simtflow/simt/observers/event_trace.hpp>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Collects runs and draws them.
class svg_timeline {
 public:
  /// A picture without runs. \pre width and widest_slot are positive, first_slot <= end_slot.
  explicit svg_timeline(timeline_style style = {}) : style_(std::move(style)) {
    SIMTFLOW_EXPECTS(style_.first_slot <= style_.end_slot, "a picture ends after it begins");
    SIMTFLOW_EXPECTS(style_.width > 0 && style_.widest_slot > 0, "a picture has a width, and so has a slot");
  }

  /// Adds a run below the earlier runs. A lane is live from the start of its thread block until it exits; a lane that
  /// never exits (the run was given up) is live to the end of the run. Blocks without instructions take no slot and are
  /// invisible. If several thread blocks run at the same time, a barrier of one ends the waiting of all at that number.
  /// Complexity: linear in the records times the lanes of a warp.
  template <class Mask>
  void add(timeline_panel words, std::span<const basic_trace_record<Mask>> records) {
    runs_.push_back(detail::timeline_reader<Mask>(style_, std::move(words), records).take());
    detail::clip(runs_.back(), style_.first_slot, style_.end_slot);
  }
  /// The same.
  template <class Mask>
  void add(timeline_panel words, const basic_event_trace<Mask>& trace) {
    add<Mask>(std::move(words), trace.records());
  }

  /// Issue slots of the longest run that the picture shows; 0 without runs.
  [[nodiscard]] std::uint64_t num_slots() const { return detail::timeline_scale(style_, runs_).num_slots; }

  /// Issue slots in one column of the picture: 1 unless the runs are too long for its width.
  [[nodiscard]] std::uint64_t slots_per_column() const {
    return detail::timeline_scale(style_, runs_).slots_per_column;
  }

  /// The picture as SVG text. `name(block)` names a block, in any characters. The legend has the names; the runs have
  /// the name or its first word where it fits ("BB6" of "BB6 $L__BB0_6"). Complexity: linear in the executed blocks
  /// times lanes.
  template <class Name>
    requires requires(Name& name, block_id b, std::string& s) { s += name(b); }
  [[nodiscard]] std::string text(Name&& name) const {
    std::map<block_id, std::string> names;
    for (const detail::timeline_run& p : runs_)
      for (const detail::timeline_run::fetch& f : p.fetches)
        if (!names.contains(f.block)) names[f.block] = std::string(name(f.block));
    return detail::timeline_drawing(style_, runs_, names).text();
  }

  /// The same, blocks named BB0, BB1, ...
  [[nodiscard]] std::string text() const {
    return text([](block_id b) { return block_name(b); });
  }

 private:
  timeline_style style_;
  std::vector<detail::timeline_run> runs_;
};

}  // namespace v0
}  // namespace simtflow
