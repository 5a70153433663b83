// SPDX-License-Identifier: BSL-1.0
#include "lab/branch_table.hpp"

#include "lab/report.hpp"
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
constexpr idle_cause causes_of_no_block[] = {idle_cause::ragged_warp, idle_cause::schedule};

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

std::string branch_csv_head() {
  return "kernel,policy,block,label,line,kind,executions,divergences,lanes,idle_lanes,exited_lanes,barrier_lanes,"
         "share,code,source\n";
}

std::string branch_csv(const std::string& kernel, const std::string& policy, const branch_rows& profile) {
  std::string out;
  const std::string run = csv_word(kernel) + ',' + csv_word(policy);
  for (const branch_row& row : profile.rows) {
    const branch_figures& f = row.figures;
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{:.6f},{},{}\n", run, row.block, csv_word(row.place.label),
                       row.place.line == 0 ? std::string() : fmt::format("{}", row.place.line), row.kind, f.executions,
                       f.divergences, f.lanes, f.idle_lanes, f.exited_lanes, f.barrier_lanes,
                       share_of(f.blamed(), profile), csv_word(row.place.code), csv_word(row.place.source));
  }
  for (const idle_cause cause : causes_of_no_block) {
    const std::uint64_t n = profile.idle[static_cast<std::size_t>(cause)];
    out += fmt::format("{},,,,{},,,,{},,,{:.6f},,\n", run, to_string(cause), n, share_of(n, profile));
  }
  return out;
}

void add_branches(nlohmann::ordered_json& row, const branch_rows& profile) {
  row["lane_slots"] = profile.lane_slots;
  for (const idle_cause cause : idle_causes)
    row["idle"][word_of(cause)] = profile.idle[static_cast<std::size_t>(cause)];
  row["branches"] = nlohmann::ordered_json::array();
  for (const branch_row& b : profile.rows) {
    nlohmann::ordered_json one;
    one["block"] = b.block;
    if (b.place.line != 0) {
      one["label"] = b.place.label;
      one["line"] = b.place.line;
      one["code"] = b.place.code;
      if (!b.place.source.empty()) one["source"] = b.place.source;
    }
    one["kind"] = b.kind;
    one["executions"] = b.figures.executions;
    one["divergences"] = b.figures.divergences;
    one["lanes"] = b.figures.lanes;
    one["idle_lanes"] = b.figures.idle_lanes;
    one["exited_lanes"] = b.figures.exited_lanes;
    one["barrier_lanes"] = b.figures.barrier_lanes;
    one["share"] = share_of(b.figures.blamed(), profile);
    row["branches"].push_back(std::move(one));
  }
}

}  // namespace lab
