// SPDX-License-Identifier: BSL-1.0
//
// `policies`: what policies there are.
#include "lab/policies.hpp"

#include "lab/cli/command_table.hpp"
#include "lab/cli/options.hpp"
#include "lab/cli/output.hpp"

#include <memory>

namespace lab::cli {

void add_policies(command_table& table) {
  CLI::App& command = table.add("policies", "List the policies: mechanism, origin, needs, progress", judges::no, {""});
  const auto rows = std::make_shared<row_output>();
  add_rows(command, *rows, "a row for each policy");
  table.runs(command, [rows] {
    rows->check({});
    return deliver(
        *rows,
        [](report_format format) {
          if (format == report_format::csv) return csv_of(policies_schema, policy_rows());
          return format == report_format::json ? json_text_of(policies_schema, policy_rows()) : policy_list();
        },
        true);
  });
}

}  // namespace lab::cli
