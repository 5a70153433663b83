// SPDX-License-Identifier: BSL-1.0
//
// `laws`: whether policies keep the laws of every mechanism.
#include "lab/laws.hpp"

#include "lab/cli/command_table.hpp"
#include "lab/cli/options.hpp"
#include "lab/cli/output.hpp"

#include <memory>
#include <string>

namespace lab {

// For keep_in(), which finds it beside the type.
static std::string to_text(const laws_result& r, report_format format) {
  if (format == report_format::csv) return csv_of(laws_rows, r.rows);
  return format == report_format::json ? json_text_of(laws_rows, r.rows) : r.text;
}

}  // namespace lab

namespace lab::cli {

void add_laws(command_table& table) {
  CLI::App& command = table.add("laws", "Run policies on random programs and check the laws of every mechanism",
                                judges::yes, {"--policy tf,volta --programs 20"});
  auto options = std::make_shared<lab::laws_options>();
  add_policy_names(command, options->policies, "those that are registered, else all");
  command.add_option("--programs", options->programs, "Random programs for each policy (default 300)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000'000}))
      ->option_text("N");
  command.add_option("--seed", options->seed, "Seed of the first program (default 1); the next has the next one")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000'000'000}))
      ->option_text("N");
  command.add_flag(
      "--never-joins", options->never_joins,
      "The policies run every thread alone on purpose: threads that go the same way need not run together");
  const auto rows = std::make_shared<row_output>();
  add_rows(command, *rows, "a row for each policy");
  table.runs(command, [options, rows] {
    rows->check({});
    lab::laws_result result;
    {
      const progress_line line(options->progress);
      partial_result last;
      options->so_far = keep_in<laws_result>(last, *rows);
      result = lab::try_laws(*options);
    }
    return deliver(
        *rows, [&](report_format format) { return lab::to_text(result, format); }, result.good);
  });
}

}  // namespace lab::cli
