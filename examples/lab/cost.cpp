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

std::string parts_as_csv(const hardware_cost_table& table) {
  std::string out = "mechanism,part,bits,comparators,multiplexers,encoders,ports,depth,cycles,source,estimate\n";
  for (const cost_row& r : table)
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", r.mechanism, csv_word(std::string(r.part)), r.bits,
                       r.comparators, r.multiplexers, r.encoders, r.ports, r.depth, r.cycles,
                       csv_word(std::string(r.source)), r.is_estimate ? 1 : 0);
  return out;
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

std::string hardware_cost_text(const cost_options& options) {
  cost_parameters core = options.core;
  const std::uint64_t all = std::uint64_t{core.warp_width} * core.warps;
  core.threads_per_block =
      options.threads.value_or(static_cast<std::uint32_t>(std::min<std::uint64_t>(core.threads_per_block, all)));
  if (core.threads_per_block > all)
    throw input_error(fmt::format("--threads {}: {} warps of {} have {} threads", core.threads_per_block, core.warps,
                                  core.warp_width, all));
  const hardware_cost_table table(core);
  return options.csv ? parts_as_csv(table) : mechanisms_as_text(table, core);
}

}  // namespace lab
