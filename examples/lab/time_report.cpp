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

// One column: its name, and its value as text.
struct figure {
  std::string name, text;
  bool is_number = true;
};

std::vector<figure> figures_of(const timing::machine& m, const timed_row& row) {
  const timing::report& r = row.report;
  std::vector<figure> all;
  const auto word = [&](const char* name, const std::string& text) { all.push_back({name, text, false}); };
  const auto whole = [&](const std::string& name, std::uint64_t n) { all.push_back({name, fmt::format("{}", n)}); };
  const auto real = [&](const std::string& name, double x) { all.push_back({name, fmt::format("{:.6f}", x)}); };
  word("kernel", row.kernel);
  word("machine", m.name);
  word("policy", row.policy);
  whole("cycles", r.cycles);
  real("ipc", r.ipc());
  real("speedup", row.speedup);
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
  whole("registers", row.registers);
  whole("estimated_registers", row.estimated_registers);
  return all;
}

bool has_lines(const time_report& r) {
  return std::any_of(r.rows.begin(), r.rows.end(), [](const timed_row& row) { return !row.lines.empty(); });
}

std::string lines_csv(const time_report& r) {
  std::string out = "kernel,policy,line,issues,lanes,predicated_off,wait_cycles,memory_cycles,code,source\n";
  for (const timed_row& row : r.rows)
    for (const line_costs& l : row.lines)
      out += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", csv_word(row.kernel), csv_word(row.policy), l.line,
                         l.costs.issues, l.costs.lanes, l.costs.predicated_off, l.costs.wait_cycles,
                         l.costs.memory_cycles, csv_word(l.code), csv_word(l.source));
  return out;
}

bool has_branches(const time_report& r) {
  return std::any_of(r.rows.begin(), r.rows.end(), [](const timed_row& row) { return !row.branches.empty(); });
}

// A group issues or waits in each of its cycles.
std::uint64_t cycles_of(const timing::branch_cost& c) { return c.issues + c.wait_cycles; }

std::string branches_csv(const time_report& r) {
  std::string out =
      "kernel,policy,block,label,line,executions,divergences,cycles,issues,idle_lanes,wait_cycles,memory_cycles,code,"
      "source\n";
  for (const timed_row& row : r.rows)
    for (const branch_line& b : row.branches) {
      const std::string where =
          b.block == no_block ? ",," : fmt::format("{},{},{}", b.block, csv_word(b.label), b.line);
      const timing::branch_cost& c = b.costs;
      out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_word(row.kernel), csv_word(row.policy), where,
                         c.executions, c.divergences, cycles_of(c), c.issues, c.idle_lanes, c.wait_cycles,
                         c.memory_cycles, csv_word(b.code), csv_word(b.source));
    }
  return out;
}

std::string to_csv(const time_report& r) {
  if (has_lines(r)) return lines_csv(r);
  if (has_branches(r)) return branches_csv(r);
  std::string out;
  const timed_row nothing{};
  const auto append = [&](const std::vector<figure>& figures, bool names) {
    for (std::size_t i = 0; i < figures.size(); ++i)
      out += (i == 0 ? "" : ",") + csv_word(names ? figures[i].name : figures[i].text);
    out += '\n';
  };
  append(figures_of(r.machine, nothing), true);
  for (const timed_row& row : r.rows) append(figures_of(r.machine, row), false);
  return out;
}

std::string to_json(const time_report& r) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const timed_row& row : r.rows) {
    nlohmann::ordered_json j;
    for (const figure& f : figures_of(r.machine, row)) {
      if (f.is_number)
        j[f.name] = nlohmann::ordered_json::parse(f.text);
      else
        j[f.name] = f.text;
    }
    const auto add_costs = [](nlohmann::ordered_json& one, const timing::instruction_costs& c) {
      one["issues"] = c.issues;
      one["lanes"] = c.lanes;
      one["predicated_off"] = c.predicated_off;
      one["wait_cycles"] = c.wait_cycles;
      one["memory_cycles"] = c.memory_cycles;
    };
    for (const line_costs& l : row.lines) {
      nlohmann::ordered_json one{{"line", l.line}, {"code", l.code}};
      if (!l.source.empty()) one["source"] = l.source;
      add_costs(one, l.costs);
      j["lines"].push_back(std::move(one));
    }
    for (const source_line_costs& l : row.source_lines) {
      nlohmann::ordered_json one{{"source", l.source}, {"instructions", l.instructions}};
      if (!l.text.empty()) one["text"] = l.text;
      add_costs(one, l.costs);
      j["source_lines"].push_back(std::move(one));
    }
    for (const branch_line& b : row.branches) {
      nlohmann::ordered_json one;
      if (b.block != no_block) one = {{"block", b.block}, {"label", b.label}, {"line", b.line}, {"code", b.code}};
      if (!b.source.empty()) one["source"] = b.source;
      const timing::branch_cost& c = b.costs;
      one["executions"] = c.executions;
      one["divergences"] = c.divergences;
      one["cycles"] = cycles_of(c);
      one["issues"] = c.issues;
      one["idle_lanes"] = c.idle_lanes;
      one["wait_cycles"] = c.wait_cycles;
      one["memory_cycles"] = c.memory_cycles;
      j["branches"].push_back(std::move(one));
    }
    rows.push_back(std::move(j));
  }
  nlohmann::ordered_json all;
  all["rows"] = std::move(rows);
  all["remarks"] = r.remarks;
  all["good"] = r.good;
  return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
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
  std::vector<line> lines{{"branch", "line", "executed", "diverged", "cycles", "issues", "idle lanes", "memory"}};
  std::vector<std::string> code;
  for (const branch_line& b : row.branches) {
    const timing::branch_cost& c = b.costs;
    const bool none = b.block == no_block;
    lines.push_back({none ? "(none)" : block_name(b.block, b.label), none ? "" : fmt::format("{}", b.line),
                     none ? "" : fmt::format("{}", c.executions), none ? "" : fmt::format("{}", c.divergences),
                     fmt::format("{}", cycles_of(c)), fmt::format("{}", c.issues), fmt::format("{}", c.idle_lanes),
                     fmt::format("{}", c.memory_cycles)});
    std::string words = none ? "instructions and idle lanes of no branch" : b.code;
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
