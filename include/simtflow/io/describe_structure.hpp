// SPDX-License-Identifier: BSL-1.0
//
// The unstructured parts of a graph, in words for a person:
//
//   unstructured: 2 unstructured edges, 1 region of 4 blocks
//   region 1: 4 blocks between BB1 and BB6: BB2 BB3 BB4 BB5
//     BB2 -> BB5  out of a loop: leaves the loop at BB2 (3 blocks), but BB2 does not post-dominate all of it
//     ...
//
// A header of its own because it needs <string>.
#pragma once

#include <simtflow/analysis/unstructured.hpp>
#include <simtflow/block_name.hpp>
#include <simtflow/config.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace simtflow {
inline namespace v0 {

/// "crossing, out of a loop": the reasons as words, empty if there is no reason.
[[nodiscard]] inline std::string describe(unstructured_reasons why) {
  std::string text;
  const auto add = [&text](bool holds, const char* what) {
    if (!holds) return;
    if (!text.empty()) text += ", ";
    text += what;
  };
  add(why.crossing(), "crossing");
  add(why.into_loop(), "into a loop");
  add(why.out_of_loop(), "out of a loop");
  return text;
}

namespace detail {

inline std::string count_of(std::size_t n, const char* one) {
  return std::to_string(n) + ' ' + one + (n == 1 ? "" : "s");
}

}  // namespace detail

/// One edge in a line, as above. `name(block)` names a block; the virtual exit is called "end". \pre e is an edge of
/// `found`.
template <class Name>
  requires requires(Name& name, block_id b, std::string& s) { s += name(b); }
[[nodiscard]] inline std::string describe(const unstructured_edge& e, const dense::unstructured_flow& found,
                                          Name&& name) {
  const block_id u = e.where.from, v = e.to;
  const std::string from(name(u)), to = v == no_block ? std::string("end") : std::string(name(v));
  const dense::loop_forest& loops = found.loops();
  const auto loop = [&](loop_id l) {
    return "the loop at " + std::string(name(loops.header(l))) + " (" +
           detail::count_of(loops.blocks(l).size(), "block") + ")";
  };
  std::string text = from + " -> " + to + "  " + describe(e.why) + ": ", why;
  const auto add = [&why](const std::string& one) {
    if (!why.empty()) why += "; ";
    why += one;
  };
  if (e.why.crossing()) add(to + " is also reached without " + from + ", and the end from " + from + " without " + to);
  if (e.why.into_loop())
    add("enters " + loop(found.loop_not_below(v)) + ", but " + to + " does not dominate all of it");
  if (e.why.out_of_loop())
    add("leaves " + loop(found.loop_not_above(u)) + ", but " + from + " does not post-dominate all of it");
  return text + why;
}

/// The report as lines: a summary, then the regions, largest first, each with its edges. It names at most `most`
/// regions, and at most `most` blocks and edges of each region. "structured" alone if there is nothing to report.
template <flow_graph G, class Name>
  requires requires(Name& name, block_id b, std::string& s) { s += name(b); }
[[nodiscard]] inline std::string describe(const unstructured_flow<G>& found, Name&& name, std::size_t most = 16) {
  if (found.is_structured()) return "structured\n";
  const dense::unstructured_flow& ids = found.ids();
  std::size_t blocks = 0;
  for (const unstructured_region& r : ids.regions()) blocks += r.size;
  std::string text = "unstructured: " + detail::count_of(ids.edges().size(), "unstructured edge") + ", " +
                     detail::count_of(ids.regions().size(), "region") + " of " + detail::count_of(blocks, "block") +
                     (ids.regions().size() > 1 ? " together\n" : "\n");
  std::uint32_t number = 0;
  for (const unstructured_region& r : ids.regions()) {
    if (number == most) {
      text += "and " + detail::count_of(ids.regions().size() - most, "smaller region") + '\n';
      break;
    }
    text += "region " + std::to_string(number + 1) + ": " + detail::count_of(r.size, "block");
    if (r.parts != r.size) text += " in " + detail::count_of(r.parts, "part");
    text += r.dominator == no_block ? std::string(" from the start") : " between " + std::string(name(r.dominator));
    text += r.dominator == no_block ? " to " : " and ";
    text += r.post_dominator == no_block ? std::string("the end") : std::string(name(r.post_dominator));
    text += ":";
    std::size_t named = 0;
    for (const block_id b : ids.blocks(r)) {
      if (named++ == most) {
        text += " and " + std::to_string(r.size - most) + " more";
        break;
      }
      text += ' ';
      text += name(b);
    }
    text += '\n';
    std::size_t edges = 0;
    for (const unstructured_edge& e : ids.edges()) {
      if (ids.region_of(e) != number) continue;
      if (edges++ == most) break;
      text += "  " + describe(e, ids, name) + '\n';
    }
    if (r.edges > most) text += "  and " + std::to_string(r.edges - most) + " more\n";
    if (r.hidden)
      text += r.edges == 0 ? "  no edge of it is unstructured, but its ways share blocks and do not reduce\n"
                           : "  and without these edges its ways share blocks and do not reduce\n";
    ++number;
  }
  return text;
}

/// The report, blocks named BB0, BB1, ...
template <flow_graph G>
[[nodiscard]] inline std::string describe(const unstructured_flow<G>& found) {
  return describe(found, [](block_id b) { return block_name(b); });
}

}  // namespace v0
}  // namespace simtflow
