// SPDX-License-Identifier: BSL-1.0
#include "lab/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace lab {
namespace {

// Columns that only rows of a suite have.
constexpr const char *memory_column = "memory", *next_column = "try_next";

double ratio(const report_row& r) {
  return static_cast<double>(r.counts.warp_instructions) / static_cast<double>(r.bound);
}

std::string depth(const report_row& r, std::string_view absent) {
  return r.counts.max_depth != 0 ? fmt::format("{}", r.counts.max_depth) : std::string(absent);
}

std::string shown(const metric& m) { return m.whole ? fmt::format("{:.0f}", m.value) : fmt::format("{:.6f}", m.value); }

void add_metric(table_row& to, const metric& m) {
  if (m.whole)
    to.whole(m.name, static_cast<std::uint64_t>(m.value));
  else
    to.real(m.name, m.value);
}

// The names of all metrics, each once. Rows may lack some.
std::vector<std::string> metric_names(std::span<const report_row> rows) {
  std::vector<table_row> all;
  for (const report_row& one : rows) {
    table_row& metrics = all.emplace_back();
    for (const metric& m : one.metrics) add_metric(metrics, m);
  }
  return names_of(all);
}

const metric* metric_of(const report_row& row, const std::string& name) {
  for (const metric& m : row.metrics)
    if (m.name == name) return &m;
  return nullptr;
}

std::string to_csv(const report& r) {
  std::vector<table_row> rows;
  if (std::any_of(r.rows.begin(), r.rows.end(), [](const report_row& one) { return one.branches.has_value(); })) {
    for (const report_row& one : r.rows)
      if (one.branches) add_branch_rows(rows, one.kernel, one.policy, *one.branches);
    for (const report_row& one : r.rows)
      if (one.branches) return csv_of(branch_rows_of_runs, rows, branch_columns());
  }
  for (const report_row& one : r.rows) rows.push_back(one.columns());
  return csv_of(run_rows, rows, report_row{}.columns());
}

// The columns, with the metrics in a member of their own.
nlohmann::ordered_json json_of_run(const report_row& one) {
  static const table_row plain = report_row{}.columns();
  const table_row columns = one.columns();
  table_row own, metrics;
  for (const auto& [name, value] : columns.fields()) {
    const bool is_own = plain.find(name) != nullptr || name == memory_column || name == next_column;
    (is_own ? own : metrics).add(name, value);
  }
  nlohmann::ordered_json j = json_of(own);
  if (!metrics.fields().empty()) j["metrics"] = json_of(metrics);
  if (one.branches) add_branches(j, *one.branches);
  return j;
}

std::string to_json(const report& r) {
  nlohmann::ordered_json all = json_document(run_rows);
  all["rows"] = nlohmann::ordered_json::array();
  for (const report_row& one : r.rows) all["rows"].push_back(json_of_run(one));
  all["remarks"] = r.remarks;
  all["good"] = r.good;
  return text_of(all);
}

// A line for each metric, a column for each policy; a few columns at a time. Metrics that are zero for all are counted.
std::string metric_tables(std::span<const report_row> rows) {
  constexpr std::size_t columns = 8;
  const auto names = metric_names(rows);
  std::string out;
  std::size_t zeros = 0;
  for (std::size_t first = 0; first < rows.size() && !names.empty(); first += columns) {
    const auto part = rows.subspan(first, std::min(columns, rows.size() - first));
    std::vector<std::vector<std::string>> lines{{"metric"}};
    for (const report_row& row : part) lines[0].push_back(row.policy);
    for (const std::string& name : names) {
      const bool zero = std::all_of(rows.begin(), rows.end(), [&](const report_row& row) {
        const metric* m = metric_of(row, name);
        return m == nullptr || m->value == 0;
      });
      if (zero && first == 0) ++zeros;
      if (zero) continue;
      lines.push_back({name});
      for (const report_row& row : part) {
        const metric* m = metric_of(row, name);
        lines.back().push_back(m == nullptr ? "-" : m->whole ? shown(*m) : fmt::format("{:.3f}", m->value));
      }
    }
    std::vector<std::size_t> width(part.size() + 1, 0);
    for (const auto& l : lines)
      for (std::size_t i = 0; i < l.size(); ++i) width[i] = std::max(width[i], l[i].size());
    for (const auto& l : lines) {
      out += fmt::format("{:<{}}", l[0], width[0]);
      for (std::size_t i = 1; i < l.size(); ++i) out += fmt::format("  {:>{}}", l[i], width[i]);
      out += '\n';
    }
  }
  if (zeros != 0)
    out += fmt::format("{} under every policy: not shown (--csv and --json have them)\n",
                       counted(zeros, "metric is 0", "metrics are 0"));
  return out;
}

std::string to_table(const report& r) {
  constexpr std::size_t columns = 12;
  using line = std::array<std::string, columns>;
  std::vector<line> lines;
  lines.push_back({"policy", "warp instr", "overhead", "thread instr", "pred. on", "SIMD eff.", "eff. on", "activity",
                   "depth", "merges", "x bound", "verdict"});
  for (const report_row& row : r.rows) {
    const auto& c = row.counts;
    lines.push_back({row.policy, fmt::format("{}", c.warp_instructions), fmt::format("{}", c.overhead_operations),
                     fmt::format("{}", c.thread_instructions), fmt::format("{}", c.thread_instructions_on()),
                     fmt::format("{:.3f}", c.simd_efficiency()), fmt::format("{:.3f}", c.simd_efficiency_on()),
                     fmt::format("{:.3f}", c.activity_factor()), depth(row, "-"), fmt::format("{}", c.merges),
                     row.bound == 0 ? std::string("-") : fmt::format("{:.3f}", ratio(row)), row.verdict});
  }
  std::array<std::size_t, columns> width{};
  for (const line& l : lines)
    for (std::size_t i = 0; i < columns; ++i) width[i] = std::max(width[i], l[i].size());
  const auto print = [&](const line& l) {
    std::string out = fmt::format("{:<{}}", l[0], width[0]);
    for (std::size_t i = 1; i + 1 < columns; ++i) out += fmt::format("  {:>{}}", l[i], width[i]);
    return out + "  " + l.back() + '\n';
  };
  std::string out;
  for (std::size_t i = 0; i < r.rows.size(); ++i) {  // the kernel's name stands above its rows
    if (i == 0 || r.rows[i].kernel != r.rows[i - 1].kernel) out += r.rows[i].kernel + '\n' + print(lines[0]);
    out += print(lines[i + 1]);
    std::size_t begin = i;
    while (begin > 0 && r.rows[begin - 1].kernel == r.rows[i].kernel) --begin;
    if (i + 1 == r.rows.size() || r.rows[i + 1].kernel != r.rows[i].kernel) {
      out += metric_tables(std::span<const report_row>(r.rows).subspan(begin, i + 1 - begin));
      for (std::size_t k = begin; k <= i; ++k)
        if (r.rows[k].branches) out += '\n' + branch_table(r.rows[k].policy, *r.rows[k].branches);
    }
  }
  for (const std::string& s : r.remarks) out += s + '\n';
  return out;
}

}  // namespace

table_row run_setting::columns() const {
  table_row out;
  // Without commas, so that awk -F, and its like find all columns.
  std::string settings = parameters;
  std::replace(settings.begin(), settings.end(), ',', ' ');
  out.word("parameters", settings);
  const auto number = [&](const char* name, std::uint32_t n) {
    if (n == 0)
      out.none(name);
    else
      out.whole(name, n);
  };
  out.word("kernel_file", kernel_file).word("launch_file", launch_file);
  constexpr const char* grids[] = {"grid_x", "grid_y", "grid_z"};
  constexpr const char* blocks[] = {"block_x", "block_y", "block_z"};
  for (std::size_t i = 0; i < 3; ++i) number(grids[i], grid[i]);
  for (std::size_t i = 0; i < 3; ++i) number(blocks[i], block[i]);
  number("warp_width", warp_width);
  return out.word("order", order).word("barriers", barriers);
}

table_row report_row::columns() const {
  if (kept) return *kept;
  table_row out;
  out.word("kernel", kernel).word("policy", policy).whole("warp_instructions", counts.warp_instructions);
  out.whole("overhead", counts.overhead_operations).whole("thread_instructions", counts.thread_instructions);
  out.whole("thread_instructions_on", counts.thread_instructions_on());
  out.real("simd_efficiency", counts.simd_efficiency()).real("simd_efficiency_on", counts.simd_efficiency_on());
  out.real("activity_factor", counts.activity_factor());
  if (counts.max_depth != 0)
    out.whole("max_depth", counts.max_depth);
  else
    out.none("max_depth");
  out.whole("merges", counts.merges);
  if (bound != 0)
    out.whole("lower_bound", bound).real("ratio_to_bound", ratio(*this));
  else
    out.none("lower_bound").none("ratio_to_bound");
  out.word("verdict", verdict);
  for (const metric& m : metrics) add_metric(out, m);
  if (!memory.empty()) out.word(memory_column, memory);
  if (!next.empty()) out.word(next_column, next);
  out.whole("lane_slots", counts.lane_slots).whole("thread_slots", counts.thread_slots);
  return out.add(setting.columns());
}

std::string full_name(const simtflow::recorded_graph& g) {
  return g.suite.empty() && g.stem.empty() ? g.symbol
                                           : fmt::format("{}/{} {} {}", g.suite, g.stem, g.variant, g.symbol);
}

std::string counted(std::uint64_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string to_text(const report& r, report_format format) {
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
