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

double ratio(const report_row& r) {
  return static_cast<double>(r.counts.warp_instructions) / static_cast<double>(r.bound);
}

std::string depth(const report_row& r, std::string_view absent) {
  return r.counts.max_depth != 0 ? fmt::format("{}", r.counts.max_depth) : std::string(absent);
}

std::string shown(const metric& m) { return m.whole ? fmt::format("{:.0f}", m.value) : fmt::format("{:.6f}", m.value); }

// The names of all metrics, each once. Rows may lack some.
std::vector<std::string> metric_names(std::span<const report_row> rows) {
  std::vector<std::string> names;
  for (const report_row& row : rows) {
    auto at = names.begin();
    for (const metric& m : row.metrics) {
      const auto known = std::find(names.begin(), names.end(), m.name);
      at = known != names.end() ? known + 1 : names.insert(at, m.name) + 1;
    }
  }
  return names;
}

const metric* metric_of(const report_row& row, const std::string& name) {
  for (const metric& m : row.metrics)
    if (m.name == name) return &m;
  return nullptr;
}

std::string branches_csv(const report& r) {
  std::string out = branch_csv_head();
  for (const report_row& row : r.rows)
    if (row.branches) out += branch_csv(row.kernel, row.policy, *row.branches);
  return out;
}

std::string to_csv(const report& r) {
  for (const report_row& row : r.rows)
    if (row.branches) return branches_csv(r);
  const auto names = metric_names(r.rows);
  std::string out =
      "kernel,policy,warp_instructions,overhead,thread_instructions,thread_instructions_on,simd_efficiency,"
      "simd_efficiency_on,activity_factor,max_depth,merges,lower_bound,ratio_to_bound,verdict";
  for (const std::string& name : names) out += ',' + name;
  out += '\n';
  for (const report_row& row : r.rows) {
    const auto& c = row.counts;
    const std::string bound = row.bound == 0 ? std::string(",") : fmt::format("{},{:.6f}", row.bound, ratio(row));
    out += fmt::format("{},{},{},{},{},{},{:.6f},{:.6f},{:.6f},{},{},{},{}", csv_word(row.kernel), csv_word(row.policy),
                       c.warp_instructions, c.overhead_operations, c.thread_instructions, c.thread_instructions_on(),
                       c.simd_efficiency(), c.simd_efficiency_on(), c.activity_factor(), depth(row, ""), c.merges,
                       bound, csv_word(row.verdict));
    for (const std::string& name : names) {
      const metric* m = metric_of(row, name);
      out += ',' + (m == nullptr ? std::string() : shown(*m));
    }
    out += '\n';
  }
  return out;
}

std::string to_json(const report& r) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const report_row& row : r.rows) {
    const auto& c = row.counts;
    nlohmann::ordered_json j;
    j["kernel"] = row.kernel;
    j["policy"] = row.policy;
    j["warp_instructions"] = c.warp_instructions;
    j["overhead"] = c.overhead_operations;
    j["thread_instructions"] = c.thread_instructions;
    j["thread_instructions_on"] = c.thread_instructions_on();
    j["simd_efficiency"] = c.simd_efficiency();
    j["simd_efficiency_on"] = c.simd_efficiency_on();
    j["activity_factor"] = c.activity_factor();
    if (c.max_depth != 0) j["max_depth"] = c.max_depth;
    j["merges"] = c.merges;
    if (row.bound != 0) j["lower_bound"] = row.bound;
    if (row.bound != 0) j["ratio_to_bound"] = ratio(row);
    j["verdict"] = row.verdict;
    for (const metric& m : row.metrics) {
      if (m.whole)
        j["metrics"][m.name] = static_cast<std::uint64_t>(m.value);
      else
        j["metrics"][m.name] = m.value;
    }
    if (row.branches) add_branches(j, *row.branches);
    rows.push_back(std::move(j));
  }
  nlohmann::ordered_json all;
  all["rows"] = std::move(rows);
  all["remarks"] = r.remarks;
  all["good"] = r.good;
  return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
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

std::string full_name(const simtflow::recorded_graph& g) {
  return g.suite.empty() && g.stem.empty() ? g.symbol
                                           : fmt::format("{}/{} {} {}", g.suite, g.stem, g.variant, g.symbol);
}

std::string counted(std::uint64_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string csv_word(const std::string& s) {
  if (s.find_first_of(",\"\r\n") == std::string::npos) return s;
  std::string out = "\"";
  for (const char c : s) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
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
