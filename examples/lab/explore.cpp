// SPDX-License-Identifier: BSL-1.0
//
// The page is explore/page.html with its style and its script, which CMake embeds (explore_page.hpp), and the runs as
// JSON. page.js describes the JSON where it reads it.
#include "lab/files.hpp"
#include "lab/view.hpp"
#include <simtflow/io/block_colours.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/io/detail/xml.hpp>
#include <simtflow/io/event_trace.hpp>

#include <explore_page.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lab {
namespace {

using namespace simtflow;
using nlohmann::ordered_json;

std::string hexadecimal(const wide_mask& lanes) {
  std::string text;
  detail::append_lanes(text, lanes);
  return text;
}

ordered_json block_or_null(block_id b) { return b == no_block ? ordered_json() : ordered_json(b); }

ordered_json blocks_of(const kernel_view& view) {
  ordered_json blocks = ordered_json::array();
  for (block_id b = 0; b < view.graph.num_blocks(); ++b)
    blocks.push_back({{"name", view.block_name(b)},
                      {"code", b < view.code.size() ? view.code[b] : ""},
                      {"sources", b < view.sources.size() ? view.sources[b] : std::vector<std::string>()},
                      {"colour", to_string(block_colour(b))},
                      {"ink", block_colour(b).is_light() ? "#000000" : "#ffffff"}});
  return blocks;
}

ordered_json held_of(std::span<const run_history::entry> entries) {
  ordered_json held = ordered_json::array();
  for (const run_history::entry& s : entries)
    held.push_back(
        {block_or_null(s.block), block_or_null(s.until), block_or_null(s.likely), hexadecimal(s.lanes), s.role});
  return held;
}

std::string words_of(const basic_standing<wide_mask>& s, std::string_view verdict) {
  switch (s.reason) {
    case standing_reason::at_barrier:
      return s.barrier == 0 ? "wait at the barrier that ends it"
                            : fmt::format("wait at barrier {} that ends it", s.barrier);
    case standing_reason::faulted:
      return "faulted";
    case standing_reason::at_collective:
      return "wait inside it for others of the warp";
    case standing_reason::blocked:
      return "held for others";
    case standing_reason::spinning:
      return "go round";
    case standing_reason::ready:
      break;
  }
  return verdict == to_string(outcome::livelock) ? "ready, but never run" : "ready to run";
}

// The places where threads stood when the run was over, and the state that the policy of each warp (instance) held
// then.
ordered_json end_of(const policy_view& r) {
  std::map<std::uint32_t, std::uint32_t> warps;  // by first thread
  for (const auto& e : r.history->trace().records())
    if (e.kind == trace_kind::issued) warps[e.first_thread] = e.warp;
  ordered_json standing = ordered_json::array(), held = ordered_json::array();
  for (const basic_standing<wide_mask>& s : r.history->standing())
    standing.push_back({s.warp, block_or_null(s.block), hexadecimal(s.lanes), words_of(s, r.verdict)});
  if (!r.history->standing().empty())
    for (const run_history::last_state& s : r.history->last_states())
      if (const auto warp = warps.find(s.first_thread); warp != warps.end())
        held.push_back({warp->second, s.has_named, held_of(s.entries)});
  return {{"standing", std::move(standing)}, {"held", std::move(held)}};
}

ordered_json run_of(const policy_view& r, std::uint32_t& most_warps) {
  const run_history& history = *r.history;
  ordered_json events = ordered_json::array(), lists = ordered_json::array();
  std::map<std::string, std::size_t> known;  // lists of entries: most come again
  std::uint32_t warps = 0;
  std::size_t issue = 0;
  for (const auto& e : history.trace().records()) {
    switch (e.kind) {
      case trace_kind::issued: {
        ordered_json held = held_of(history.state(issue));
        ++issue;
        const auto [at, fresh] = known.try_emplace(held.dump(), lists.size());
        if (fresh) lists.push_back(std::move(held));
        warps = e.warp >= warps ? e.warp + 1 : warps;
        events.push_back(
            {"i", e.time, e.warp, e.block, e.weight, hexadecimal(e.lanes), hexadecimal(e.live), e.value, at->second});
        break;
      }
      case trace_kind::exited:
        events.push_back({"x", e.time, e.warp, hexadecimal(e.lanes)});
        break;
      case trace_kind::waits:
        events.push_back({"w", e.time, e.warp, hexadecimal(e.lanes)});
        break;
      case trace_kind::released:
        events.push_back({"r", e.time});
        break;
      case trace_kind::started:
      case trace_kind::predicated_off:
      case trace_kind::diverged:
      case trace_kind::ended:
        break;
    }
  }
  if (!r.forms_warps() && warps > most_warps) most_warps = warps;
  return {{"name", r.chosen.name},
          {"what", r.chosen.info->what},
          {"scope", r.forms_warps() ? "block" : "warp"},
          {"warps", warps},
          {"verdict", r.verdict},
          {"words", r.words},
          {"truncated", history.left_out() != 0},
          {"state", history.state_name()},
          {"withRunning", history.state_has_running()},
          {"lists", std::move(lists)},
          {"events", std::move(events)},
          {"end", end_of(r)}};
}

// The page with every {{part}} in its place.
std::string filled(std::string_view page, const ordered_json& parts) {
  std::string out;
  while (true) {
    const std::size_t at = page.find("{{");
    out += page.substr(0, at);
    if (at == std::string_view::npos) return out;
    const std::size_t end = page.find("}}", at);
    out += parts.at(std::string(page.substr(at + 2, end - at - 2))).get_ref<const std::string&>();
    page.remove_prefix(end + 2);
  }
}

}  // namespace

std::string explore_data(const kernel_view& view, std::uint64_t thread_block, const std::vector<std::string>& remarks) {
  ordered_json policies = ordered_json::array();
  std::uint32_t warps = 1;
  for (const policy_view& r : view.runs) policies.push_back(run_of(r, warps));
  const ordered_json data{{"kernel", view.name},
                          {"threadBlock", thread_block},
                          {"remarks", remarks},
                          {"warpWidth", view.warp_width},
                          {"warps", warps},
                          {"blocks", blocks_of(view)},
                          {"graph", graph_picture(view)},
                          {"policies", std::move(policies)}};
  std::string embedded;
  for (const char c : data.dump(-1, ' ', false, ordered_json::error_handler_t::replace))
    if (c == '<')
      embedded += "\\u003c";
    else
      embedded += c;
  return embedded;
}

explore_page explore_runs(const view_options& options) {
  const kernel_view view = view_runs(options);
  explore_page page{{}, view.remarks, view.good};
  for (const policy_view& r : view.runs)
    if (r.history->left_out() != 0)
      page.remarks.push_back(fmt::format("{}: the first {} events; {} more are left out (--most-events allows more)",
                                         r.chosen.name, options.most_events, r.history->left_out()));
  std::string title;
  detail::append_xml(title,
                     fmt::format("{}, thread block {} of {}", view.name, options.thread_block, view.thread_blocks));
  page.html = filled(page_html, {{"title", title},
                                 {"style", page_css},
                                 {"data", explore_data(view, options.thread_block, page.remarks)},
                                 {"script", page_js}});
  return page;
}

}  // namespace lab
