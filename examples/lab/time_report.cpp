// SPDX-License-Identifier: BSL-1.0
#include "lab/source_text.hpp"
#include "lab/time.hpp"
#include <simtflow/block_name.hpp>
#include <simtflow/timing/accounting.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace lab {

using namespace simtflow;
using timing::cycle_class;

namespace {

double part(std::uint64_t some, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(some) / static_cast<double>(all);
}

// The columns that say which run it is.
table_row run_of(const timed_row& one) { return table_row().word("kernel", one.kernel).word("policy", one.policy); }

}  // namespace

table_row columns_of(const time_report& all, const timed_row& one) {
  if (one.kept) return *one.kept;
  const timing::machine& m = all.machine;
  const timing::report& r = one.report;
  table_row out;
  const auto word = [&](const char* name, std::string_view text) { out.word(name, text); };
  const auto whole = [&](const std::string& name, std::uint64_t n) { out.whole(name, n); };
  const auto real = [&](const std::string& name, double x) { out.real(name, x); };
  word("kernel", one.kernel);
  word("machine", m.name);
  word("policy", one.policy);
  whole("cycles", r.cycles);
  real("ipc", r.ipc());
  real("speedup", one.speedup);
  whole("warp_instructions", r.instructions);
  whole("overhead", r.overhead);
  whole("replays", r.replays);
  whole("thread_instructions", r.schedulers.lanes);
  whole("predicated_off", r.schedulers.predicated_off);
  whole("scheduler_cycles", r.schedulers.total());
  for (std::size_t k = 0; k < timing::num_cycle_classes; ++k)
    whole(to_string(static_cast<cycle_class>(k)), r.schedulers.by_class[k]);
  for (std::uint32_t n = 0; n < 4; ++n) {  // quarters of a warp, as the papers have them
    const std::uint32_t width = m.core.warp_width;
    std::uint64_t issued = 0;
    for (std::uint32_t lanes = width * n / 4 + 1; lanes <= width * (n + 1) / 4; ++lanes)
      if (lanes <= r.schedulers.by_lanes.size()) issued += r.schedulers.by_lanes[lanes - 1];
    whole(fmt::format("issued_quarter_{}", n + 1), issued);
  }
  whole("blocks_per_core", r.fit.blocks);
  whole("warps_per_core", r.fit.warps());
  word("limited_by", to_string(r.fit.limit));
  const auto cache = [&](const std::string& name, const timing::cache_counts& c) {
    whole(name + "_accesses", c.accesses);
    whole(name + "_hits", c.hits);
    whole(name + "_merges", c.merges);
    whole(name + "_misses", c.misses);
    real(name + "_hit_rate", part(c.hits, c.accesses));
  };
  cache("l1", r.core_memory.l1);
  cache("l2", r.memory.l2);
  cache("constant", r.core_memory.constant);
  whole("memory_instructions", r.core_memory.instructions);
  whole("shared_instructions", r.core_memory.shared_instructions);
  whole("shared_passes", r.core_memory.shared_passes);
  whole("atomics", r.memory.atomics);
  whole("bytes_core_to_l2", r.memory.bytes_to_partitions);
  whole("bytes_l2_to_core", r.memory.bytes_to_cores);
  whole("bytes_l2_to_dram", r.memory.bytes_to_dram);
  whole("bytes_dram_to_l2", r.memory.bytes_from_dram);
  real("row_hit_rate", part(r.memory.row_hits, r.memory.row_hits + r.memory.row_misses));
  whole("merge_conflicts", r.work.merge_conflicts);
  whole("pool_stalls", r.work.pool_stalls);
  whole("table_evictions", r.work.table_evictions);
  whole("registers", one.registers);
  whole("estimated_registers", one.estimated_registers);
  word("machine_changes", all.changes);
  return out.add(one.setting.columns());
}

namespace {

bool has_lines(const time_report& r) {
  return std::any_of(r.rows.begin(), r.rows.end(), [](const timed_row& row) { return !row.lines.empty(); });
}

table_row columns_of(const line_costs& l) {
  table_row out;
  out.whole("line", l.line).whole("issues", l.costs.issues).whole("lanes", l.costs.lanes);
  out.whole("predicated_off", l.costs.predicated_off).whole("wait_cycles", l.costs.wait_cycles);
  return out.whole("memory_cycles", l.costs.memory_cycles).word("code", l.code).word("source", l.source);
}

table_row columns_of(const source_line_costs& l) {
  table_row out;
  out.word("source", l.source).whole("instructions", l.instructions).word("text", l.text);
  out.whole("issues", l.costs.issues).whole("lanes", l.costs.lanes).whole("predicated_off", l.costs.predicated_off);
  return out.whole("wait_cycles", l.costs.wait_cycles).whole("memory_cycles", l.costs.memory_cycles);
}

bool has_branches(const time_report& r) {
  return std::any_of(r.rows.begin(), r.rows.end(), [](const timed_row& row) { return !row.branches.empty(); });
}

// A group issues or waits in each of its cycles.
std::uint64_t cycles_of(const timing::lost_time& t) { return t.issues + t.wait_cycles; }

table_row columns_of(const branch_line& b) {
  table_row out;
  const timing::branch_cost& c = b.costs;
  const auto number = [&](const char* name, std::uint64_t n) {
    if (b.block == no_block)
      out.none(name);
    else
      out.whole(name, n);
  };
  number("block", b.block);
  out.word("label", b.label);
  number("line", b.line);
  out.word("kind", b.kind);
  number("executions", c.executions);
  number("divergences", c.divergences);
  number("lanes", c.lanes);
  out.whole("cycles", cycles_of(c.lost)).whole("issues", c.lost.issues).whole("idle_lanes", c.idle_lanes);
  number("exited_lanes", c.exited_lanes);
  number("barrier_lanes", c.barrier_lanes);
  out.whole("wait_cycles", c.lost.wait_cycles).whole("memory_cycles", c.lost.memory_cycles);
  return out.word("code", b.code).word("source", b.source);
}

std::string to_csv(const time_report& r) {
  std::vector<table_row> rows;
  const bool lines = has_lines(r), branches = has_branches(r);
  for (const timed_row& one : r.rows) {
    if (!lines && !branches) rows.push_back(columns_of(r, one));
    for (const line_costs& l : one.lines) rows.push_back(run_of(one).add(columns_of(l)));
    if (lines) continue;
    for (const branch_line& b : one.branches) rows.push_back(run_of(one).add(columns_of(b)));
  }
  return csv_of(lines ? line_rows_of_time : branches ? branch_rows_of_time : time_rows, rows, columns_of(r, {}));
}

std::string to_json(const time_report& r) {
  nlohmann::ordered_json all = json_document(time_rows);
  all["rows"] = nlohmann::ordered_json::array();
  for (const timed_row& one : r.rows) {
    nlohmann::ordered_json j = json_of(columns_of(r, one));
    for (const line_costs& l : one.lines) j["lines"].push_back(json_of(columns_of(l)));
    for (const source_line_costs& l : one.source_lines) j["source_lines"].push_back(json_of(columns_of(l)));
    for (const branch_line& b : one.branches) j["branches"].push_back(json_of(columns_of(b)));
    all["rows"].push_back(std::move(j));
  }
  all["remarks"] = r.remarks;
  all["good"] = r.good;
  return text_of(all);
}

// --- tables for people --------------------------------------------------------------------------

using line = std::vector<std::string>;

// The first column is flush left, the others flush right.
std::string aligned(const std::vector<line>& lines) {
  std::vector<std::size_t> width(lines.front().size(), 0);
  for (const line& l : lines)
    for (std::size_t i = 0; i < l.size(); ++i) width[i] = std::max(width[i], l[i].size());
  std::string out;
  for (const line& l : lines) {
    out += fmt::format("{:<{}}", l[0], width[0]);
    for (std::size_t i = 1; i < l.size(); ++i) out += fmt::format("  {:>{}}", l[i], width[i]);
    out += '\n';
  }
  return out;
}

std::string percent(std::uint64_t some, std::uint64_t all) {
  return some == 0 ? "." : fmt::format("{:.1f}", 100 * part(some, all));
}

std::string cycles_table(std::span<const timed_row> rows) {
  constexpr const char* heads[timing::num_cycle_classes] = {"issued", "unit",    "bank",       "coalesce",
                                                            "MSHR",   "queue",   "network",    "memory",
                                                            "score",  "barrier", "reconverge", "idle"};
  std::vector<std::size_t> shown;  // classes that occur; the classes of the paper always
  for (std::size_t k = 0; k < timing::num_cycle_classes; ++k) {
    const bool stall = k > 0 && k < static_cast<std::size_t>(cycle_class::memory);
    if (!stall || std::any_of(rows.begin(), rows.end(),
                              [&](const timed_row& row) { return row.report.schedulers.by_class[k] != 0; }))
      shown.push_back(k);
  }
  std::vector<line> lines{{"policy", "cycles", "IPC", "x pdom", "lanes"}};
  for (const std::size_t k : shown) lines[0].emplace_back(heads[k]);
  for (const timed_row& row : rows) {
    const timing::report& r = row.report;
    const std::uint64_t all = r.schedulers.total();
    line l{row.policy, fmt::format("{}", r.cycles), fmt::format("{:.3f}", r.ipc()),
           row.speedup == 0 ? std::string("-") : fmt::format("{:.3f}", row.speedup),
           fmt::format("{:.1f}", part(r.schedulers.lanes, r.instructions))};
    for (const std::size_t k : shown) l.push_back(percent(r.schedulers.by_class[k], all));
    lines.push_back(std::move(l));
  }
  return aligned(lines);
}

std::string memory_table(std::span<const timed_row> rows) {
  std::vector<line> lines{{"policy", "L1 acc.", "hit %", "L2 acc.", "hit %", "B core>L2", "B L2>core", "B L2>DRAM",
                           "B DRAM>L2", "row hit %"}};
  for (const timed_row& row : rows) {
    const timing::cache_counts& l1 = row.report.core_memory.l1;
    const timing::memory_counts& m = row.report.memory;
    lines.push_back({row.policy, fmt::format("{}", l1.accesses), percent(l1.hits, l1.accesses),
                     fmt::format("{}", m.l2.accesses), percent(m.l2.hits, m.l2.accesses),
                     fmt::format("{}", m.bytes_to_partitions), fmt::format("{}", m.bytes_to_cores),
                     fmt::format("{}", m.bytes_to_dram), fmt::format("{}", m.bytes_from_dram),
                     percent(m.row_hits, m.row_hits + m.row_misses)});
  }
  return aligned(lines);
}

// An aligned table with a last column of text, flush left. \pre code has an element for each line but the first
std::string with_code(const std::string& title, const std::vector<line>& lines, const std::vector<std::string>& code) {
  const std::string text = aligned(lines);
  std::string out = title + '\n';
  std::size_t at = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t end = text.find('\n', at);
    out += fmt::format("{}  {}\n", text.substr(at, end - at), i == 0 ? "code" : code[i - 1]);
    at = end + 1;
  }
  return out;
}

std::string lines_table(const timed_row& row) {
  std::vector<line> lines{{"line", "issues", "lanes", "wait", "memory"}};
  std::vector<std::string> code;
  for (const line_costs& l : row.lines) {
    lines.push_back({fmt::format("{}", l.line), fmt::format("{}", l.costs.issues),
                     fmt::format("{:.1f}", part(l.costs.lanes, l.costs.issues)), fmt::format("{}", l.costs.wait_cycles),
                     fmt::format("{}", l.costs.memory_cycles)});
    code.push_back(l.source.empty() ? l.code : l.code + "  " + l.source);
  }
  return with_code(row.policy + ", by line of the PTX text", lines, code);
}

std::string source_lines_table(const timed_row& row) {
  std::vector<line> lines{{"source", "PTX", "issues", "lanes", "wait", "memory"}};
  std::vector<std::string> text;
  for (const source_line_costs& l : row.source_lines) {
    lines.push_back({l.source.empty() ? "(no line)" : l.source, fmt::format("{}", l.instructions),
                     fmt::format("{}", l.costs.issues), fmt::format("{:.1f}", part(l.costs.lanes, l.costs.issues)),
                     fmt::format("{}", l.costs.wait_cycles), fmt::format("{}", l.costs.memory_cycles)});
    text.push_back(l.text);
  }
  return with_code(row.policy + ", by line of the source", lines, text);
}

std::string branches_table(const timed_row& row) {
  std::vector<line> lines{
      {"branch", "line", "executed", "diverged", "cycles", "issues", "idle lanes", "exited", "barrier", "memory"}};
  std::vector<std::string> code;
  for (const branch_line& b : row.branches) {
    const timing::branch_cost& c = b.costs;
    const bool none = b.block == no_block;
    if (none && cycles_of(c.lost) == 0 && c.idle_lanes == 0) continue;
    const auto of_block = [&](std::uint64_t n) { return none ? std::string() : fmt::format("{}", n); };
    lines.push_back({none ? fmt::format("({})", b.kind) : block_name(b.block, b.label), of_block(b.line),
                     of_block(c.executions), of_block(c.divergences), fmt::format("{}", cycles_of(c.lost)),
                     fmt::format("{}", c.lost.issues), fmt::format("{}", c.idle_lanes), of_block(c.exited_lanes),
                     of_block(c.barrier_lanes), fmt::format("{}", c.lost.memory_cycles)});
    std::string words = b.code;
    if (!b.source.empty()) words += "  " + with_text(b.source, b.text);
    code.push_back(std::move(words));
  }
  return with_code(row.policy + ", by branch", lines, code);
}

std::string to_table(const time_report& r) {
  std::string out;
  for (std::size_t first = 0, last = 0; first < r.rows.size(); first = last) {
    while (last < r.rows.size() && r.rows[last].kernel == r.rows[first].kernel) ++last;
    const auto rows = std::span<const timed_row>(r.rows).subspan(first, last - first);
    const timing::occupancy& fit = rows.front().report.fit;
    out += fmt::format("{} on {}: {} a core ({} resident), limited by {}\n", rows.front().kernel, r.machine.name,
                       counted(fit.blocks, "thread block", "thread blocks"), counted(fit.warps(), "warp", "warps"),
                       to_string(fit.limit));
    out += cycles_table(rows) + "(classes from `issued` on: % of scheduler-cycles)\n\n" + memory_table(rows);
    for (const timed_row& row : rows)
      if (!row.lines.empty()) out += '\n' + lines_table(row);
    for (const timed_row& row : rows)
      if (!row.source_lines.empty()) out += '\n' + source_lines_table(row);
    for (const timed_row& row : rows)
      if (!row.branches.empty()) out += '\n' + branches_table(row);
  }
  for (const std::string& s : r.remarks) out += s + '\n';
  return out;
}

}  // namespace

std::string to_text(const time_report& r, report_format format) {
  switch (format) {
    case report_format::csv:
      return to_csv(r);
    case report_format::json:
      return to_json(r);
    case report_format::text:
      break;
  }
  return to_table(r);
}

}  // namespace lab
