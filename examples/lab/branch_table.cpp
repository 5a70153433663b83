// SPDX-License-Identifier: BSL-1.0
#include "lab/branch_table.hpp"

#include "lab/source_text.hpp"
#include <simtflow/block_name.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>

namespace lab {

using namespace simtflow;

namespace {

// Causes that are charged to no block, and so have rows of their own.

std::string kind_of(const branch_figures& figures, std::size_t ways, branch_kind said) {
  if (figures.divergences != 0) return "diverged";
  if (said == branch_kind::divergent) return "could";
  if (said == branch_kind::uniform) return "uniform";
  return ways < 2 ? "no branch" : "unknown";
}

double share_of(std::uint64_t some, const branch_rows& profile) {
  const std::uint64_t all = profile.all_idle();
  return all == 0 ? 0.0 : static_cast<double>(some) / static_cast<double>(all);
}

// As members of JSON are called.
std::string word_of(idle_cause cause) {
  std::string word = to_string(cause);
  std::replace(word.begin(), word.end(), ' ', '_');
  return word;
}

}  // namespace

std::uint64_t branch_rows::all_idle() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t n : idle) sum += n;
  return sum;
}

branch_rows branch_rows_of(const branch_profile& profile, const csr_graph& graph, std::span<const branch_kind> kinds,
                           const std::function<branch_place(block_id)>& place) {
  branch_rows out;
  for (const idle_cause cause : idle_causes) out.idle[static_cast<std::size_t>(cause)] = profile.idle(cause);
  for (const block_figures& b : profile.blocks()) out.lane_slots += b.lanes + b.idle_lanes;
  for (block_id b = 0; b < profile.branches().size(); ++b) {
    const branch_figures& figures = profile.branches()[b];
    const std::size_t ways = graph.successors(b).size() + (graph.is_exit(b) ? 1 : 0);
    if (figures.executions == 0 || (ways < 2 && figures.blamed() == 0)) continue;
    out.rows.push_back(
        {b, place(b), kind_of(figures, ways, b < kinds.size() ? kinds[b] : branch_kind::unmarked), figures});
  }
  std::stable_sort(out.rows.begin(), out.rows.end(),
                   [](const branch_row& a, const branch_row& b) { return a.figures.blamed() > b.figures.blamed(); });
  return out;
}

std::string branch_table(const std::string& policy, const branch_rows& profile) {
  const std::uint64_t idle = profile.all_idle();
  const auto percent = [](std::uint64_t some, std::uint64_t all) {
    return some == 0 ? std::string(".")
                     : fmt::format("{:.1f}", 100 * static_cast<double>(some) / static_cast<double>(all));
  };
  const auto number = [](std::uint64_t n) { return n == 0 ? std::string(".") : fmt::format("{}", n); };
  std::string out = fmt::format("{}, idle lanes by branch: {} of {} lane slots are idle ({} %)\n", policy, idle,
                                profile.lane_slots, percent(idle, profile.lane_slots));
  std::vector<std::vector<std::string>> lines{
      {"branch", "line", "kind", "executed", "diverged", "lanes", "idle lanes", "exited", "barrier", "share %"}};
  std::vector<std::string> code{"code"};
  for (const branch_row& row : profile.rows) {
    const branch_figures& f = row.figures;
    lines.push_back({block_name(row.block, row.place.label), number(row.place.line), row.kind,
                     fmt::format("{}", f.executions), number(f.divergences),
                     fmt::format("{:.1f}", static_cast<double>(f.lanes) / static_cast<double>(f.executions)),
                     number(f.idle_lanes), number(f.exited_lanes), number(f.barrier_lanes), percent(f.blamed(), idle)});
    std::string words = row.place.code;
    if (!row.place.source.empty()) words += fmt::format("  {}", with_text(row.place.source, row.place.source_text));
    code.push_back(std::move(words));
  }
  for (const idle_cause cause : causes_of_no_block) {
    const std::uint64_t n = profile.idle[static_cast<std::size_t>(cause)];
    if (n == 0) continue;
    lines.push_back({fmt::format("({})", to_string(cause)), "", "", "", "", "", number(n), "", "", percent(n, idle)});
    code.emplace_back();
  }
  std::vector<std::size_t> width(lines[0].size(), 0);
  for (const auto& l : lines)
    for (std::size_t i = 0; i < l.size(); ++i) width[i] = std::max(width[i], l[i].size());
  for (std::size_t k = 0; k < lines.size(); ++k) {
    std::string line = fmt::format("{:<{}}", lines[k][0], width[0]);
    for (std::size_t i = 1; i < lines[k].size(); ++i)
      line += i == 2 ? fmt::format("  {:<{}}", lines[k][i], width[i]) : fmt::format("  {:>{}}", lines[k][i], width[i]);
    out += (code[k].empty() ? line : line + "  " + code[k]) + '\n';
  }
  return out;
}

namespace {

// A row of a table; block and place are empty in a row of a cause.
table_row row_of(const branch_row& b, double share, bool of_block) {
  table_row out;
  const auto number = [&](const char* name, std::uint64_t n) {
    if (of_block)
      out.whole(name, n);
    else
      out.none(name);
  };
  number("block", b.block);
  out.word("label", b.place.label);
  if (b.place.line != 0)
    out.whole("line", b.place.line);
  else
    out.none("line");
  out.word("kind", b.kind);
  number("executions", b.figures.executions);
  number("divergences", b.figures.divergences);
  number("lanes", b.figures.lanes);
  out.whole("idle_lanes", b.figures.idle_lanes);
  number("exited_lanes", b.figures.exited_lanes);
  number("barrier_lanes", b.figures.barrier_lanes);
  return out.real("share", share).word("code", b.place.code).word("source", b.place.source);
}

}  // namespace

table_row branch_columns() { return table_row().none("kernel").none("policy").add(row_of({}, 0, true)); }

void add_branch_rows(std::vector<table_row>& rows, const std::string& kernel, const std::string& policy,
                     const branch_rows& profile) {
  const auto add = [&](const branch_row& b, std::uint64_t idle, bool of_block) {
    rows.push_back(
        table_row().word("kernel", kernel).word("policy", policy).add(row_of(b, share_of(idle, profile), of_block)));
  };
  for (const branch_row& b : profile.rows) add(b, b.figures.blamed(), true);
  for (const idle_cause cause : causes_of_no_block) {
    branch_row of_cause;
    of_cause.kind = to_string(cause);
    of_cause.figures.idle_lanes = profile.idle[static_cast<std::size_t>(cause)];
    add(of_cause, of_cause.figures.idle_lanes, false);
  }
}

void add_branches(nlohmann::ordered_json& run, const branch_rows& profile) {
  for (const idle_cause cause : idle_causes)
    run["idle"][word_of(cause)] = profile.idle[static_cast<std::size_t>(cause)];
  run["branches"] = nlohmann::ordered_json::array();
  for (const branch_row& b : profile.rows)
    run["branches"].push_back(json_of(row_of(b, share_of(b.figures.blamed(), profile), true)));
}

}  // namespace lab
