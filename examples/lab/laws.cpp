// SPDX-License-Identifier: BSL-1.0
#include "lab/laws.hpp"

#include "lab/policy_box.hpp"
#include "lab/progress.hpp"
#include <simtflow/testing/policy_laws.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace lab {

laws_result try_laws(const laws_options& options) {
  std::vector<std::string> names = options.policies;
  if (names.empty())
    for (const simtflow::policy_info* own : simtflow::registered_policies()) names.emplace_back(own->name);
  if (names.empty()) names = {"all"};
  const std::vector<chosen_policy> chosen = chosen_policies(names);
  std::size_t longest = 0;
  for (const chosen_policy& c : chosen) longest = std::max(longest, c.name.size());

  laws_result result;
  const time_left clock;
  for (const chosen_policy& c : chosen) {
    if (options.progress) {
      const std::size_t done = result.rows.size();
      options.progress(
          fmt::format("[{}/{}{}] laws: {}", done, chosen.size(), clock.words(done, chosen.size()), c.name));
    }
    if (options.so_far && !result.rows.empty()) options.so_far(result);
    std::size_t ran = 0;
    const auto make = [&](const simtflow::testing::law_case& program, auto use) {
      const simtflow::policy_facts facts(program.graph);
      const auto policy = box_policy(c, facts, program.shape);
      if (!policy) return;
      if (program.seed != 0) ++ran;
      use(*policy);
    };
    // These two run threads apart: that is what they are.
    const bool apart = options.never_joins || c.info->name == oracle_name || c.info->name == "mimd";
    const auto broken = simtflow::testing::check_policy_laws(
        make, {.first_seed = options.seed, .programs = options.programs, .merges = !apart});
    table_row& one = result.rows.emplace_back();
    one.word("policy", c.name).word("parameters", c.settings.text()).flag("keeps", !broken);
    one.word("broken", broken ? simtflow::testing::describe(*broken) : "");
    if (broken && broken->program.seed != 0)
      one.whole("broken_seed", broken->program.seed);
    else
      one.none("broken_seed");
    one.whole("programs", ran).whole("asked", options.programs).whole("seed", options.seed);
    if (!broken) {
      result.text += fmt::format("{:<{}} keeps the laws in {} random programs{}\n", c.name, longest, ran,
                                 ran == options.programs ? "" : fmt::format(" ({} left out)", options.programs - ran));
    } else {
      result.good = false;
      result.text += fmt::format("{:<{}} BREAKS A LAW: {}", c.name, longest, simtflow::testing::describe(*broken));
      if (broken->program.seed != 0)
        result.text += fmt::format("again: laws --policy {} --seed {} --programs 1\n", c.name, broken->program.seed);
    }
  }
  return result;
}

}  // namespace lab
