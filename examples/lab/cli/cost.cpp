// SPDX-License-Identifier: BSL-1.0
//
// `cost`: what the mechanisms add to a core.
#include "lab/cost.hpp"

#include "lab/cli/command_table.hpp"
#include "lab/cli/options.hpp"
#include "lab/cli/output.hpp"

#include <memory>
#include <string>

namespace lab::cli {

namespace {

void add_core(CLI::App& command, lab::cost_options& options) {
  const auto size = [&](const char* flag, auto& value, const std::string& what) {
    command.add_option(flag, value, what)->check(CLI::Range(1, 65536))->option_text("N");
  };
  simtflow::timing::cost_parameters& core = options.core;
  size("--warp-width", core.warp_width, fmt::format("Lanes of a warp (default {})", core.warp_width));
  size("--warps", core.warps, fmt::format("Warps of a core (default {})", core.warps));
  size("--blocks", core.blocks, fmt::format("Thread blocks of a core (default {})", core.blocks));
  size("--threads", options.threads,
       fmt::format("Threads of the largest thread block (default {}, or all of the core)", core.threads_per_block));
  size("--pc-bits", core.pc_bits, fmt::format("Bits of a program counter (default {})", core.pc_bits));
  size("--entries", core.stack_entries, fmt::format("Entries of a stack (default {})", core.stack_entries));
  size("--table-entries", core.table_entries, fmt::format("Entries of a table (default {})", core.table_entries));
}

}  // namespace

void add_cost(command_table& table) {
  struct state {
    cost_options cost;
    row_output rows;
  };
  const auto s = std::make_shared<state>();
  CLI::App& command =
      table.add("cost", "Print the storage and the logic that the mechanisms add to a core", judges::no, {"", "--csv"});
  add_core(command, s->cost);
  add_rows(command, s->rows, "a row for each part of a mechanism");
  table.runs(command, [s] {
    s->rows.check({});
    return deliver(
        s->rows, [&](report_format format) { return lab::hardware_cost_text(s->cost, format); }, true);
  });
}

}  // namespace lab::cli
