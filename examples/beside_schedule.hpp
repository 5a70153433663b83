// SPDX-License-Identifier: BSL-1.0
//
// Shared by the course programs: a graph beside the schedule of its run. A block has one name and one colour in both.
#pragma once

#include <simtflow/graph/snapshot.hpp>
#include <simtflow/io/block_colours.hpp>
#include <simtflow/io/svg_beside.hpp>
#include <simtflow/io/svg_graph.hpp>
#include <simtflow/io/svg_timeline.hpp>

#include <string>
#include <utility>
#include <vector>

/// The picture; names[b] names block b, notes[b] stands below the name.
inline std::string beside_schedule(const simtflow::csr_graph& cfg, const std::vector<std::string>& names,
                                   const simtflow::svg_timeline& schedule, std::vector<std::string> notes = {}) {
  simtflow::dot_style style;
  style.labels = names;
  style.notes = std::move(notes);
  for (simtflow::block_id b = 0; b < names.size(); ++b) style.colours.push_back(to_string(simtflow::block_colour(b)));
  return simtflow::svg_beside(to_svg(cfg, style), schedule.text([&](simtflow::block_id b) { return names[b]; }));
}

/// The same for a graph that is a list of successors.
inline std::string beside_schedule(const std::vector<std::vector<int>>& cfg, const std::vector<std::string>& names,
                                   const simtflow::svg_timeline& schedule, std::vector<std::string> notes = {}) {
  return beside_schedule(simtflow::snapshot(cfg), names, schedule, std::move(notes));
}
