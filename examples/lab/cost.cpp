// SPDX-License-Identifier: BSL-1.0
#include "lab/cost.hpp"

#include "lab/files.hpp"
#include "lab/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace lab {
namespace {

using namespace simtflow::timing;

std::vector<table_row> rows_of(const hardware_cost_table& table, const cost_parameters& core) {
  std::vector<table_row> rows;
  for (const cost_row& r : table) {
    table_row& out = rows.emplace_back();
    out.word("mechanism", r.mechanism).word("part", r.part).whole("bits", r.bits).whole("comparators", r.comparators);
    out.whole("multiplexers", r.multiplexers).whole("encoders", r.encoders).whole("ports", r.ports);
    out.whole("depth", r.depth).whole("cycles", r.cycles).word("source", r.source).flag("estimate", r.is_estimate);
    out.whole("warps", core.warps).whole("warp_width", core.warp_width).whole("thread_blocks", core.blocks);
    out.whole("threads_per_block", core.threads_per_block).whole("pc_bits", core.pc_bits);
    out.whole("stack_entries", core.stack_entries).whole("table_entries", core.table_entries);
  }
  return rows;
}

std::string mechanisms_as_text(const hardware_cost_table& table, const cost_parameters& core) {
  std::string out = fmt::format(
      "A core of {} warps of {}: {} thread blocks of at most {} threads, PCs of {} bits, {} entries a stack, {} a "
      "table\n{:<11} {:>9} {:>6} {:>11} {:>12} {:>8} {:>5} {:>5} {:>6}  {}\n",
      core.warps, core.warp_width, core.blocks, core.threads_per_block, core.pc_bits, core.stack_entries,
      core.table_entries, "mechanism", "bits", "x pdom", "comparators", "multiplexers", "encoders", "ports", "depth",
      "cycles", "estimate");
  const double pdom = static_cast<double>(table.sum("pdom").bits);
  std::string_view last;
  for (const cost_row& r : table) {
    if (r.mechanism == last) continue;
    last = r.mechanism;
    const cost_sum s = table.sum(r.mechanism);
    out += fmt::format("{:<11} {:>9} {:>6.2f} {:>11} {:>12} {:>8} {:>5} {:>5} {:>6}  {}\n", r.mechanism, s.bits,
                       static_cast<double>(s.bits) / pdom, s.comparators, s.multiplexers, s.encoders, s.ports, s.depth,
                       s.cycles, s.is_estimate ? "in part" : "no");
  }
  return out;
}

}  // namespace

std::string hardware_cost_text(const cost_options& options, report_format format) {
  cost_parameters core = options.core;
  const std::uint64_t all = std::uint64_t{core.warp_width} * core.warps;
  core.threads_per_block =
      options.threads.value_or(static_cast<std::uint32_t>(std::min<std::uint64_t>(core.threads_per_block, all)));
  if (core.threads_per_block > all)
    throw input_error(fmt::format("--threads {}: {} warps of {} have {} threads", core.threads_per_block, core.warps,
                                  core.warp_width, all));
  const hardware_cost_table table(core);
  if (format == report_format::csv) return csv_of(cost_rows, rows_of(table, core));
  if (format == report_format::json) return json_text_of(cost_rows, rows_of(table, core));
  return mechanisms_as_text(table, core);
}

}  // namespace lab
