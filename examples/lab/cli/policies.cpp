// SPDX-License-Identifier: BSL-1.0
//
// `policies`: what policies there are.
#include "lab/policies.hpp"

#include "lab/cli/command_table.hpp"
#include "lab/cli/output.hpp"
#include "lab/files.hpp"

namespace lab::cli {

void add_policies(command_table& table) {
  CLI::App& command = table.add("policies", "List the policies: mechanism, origin, needs, progress", judges::no, {""});
  table.runs(command, [] {
    lab::print_whole(lab::policy_list());
    return 0;
  });
}

}  // namespace lab::cli
