// SPDX-License-Identifier: BSL-1.0
#include "lab/cli/command_table.hpp"

#include "lab/files.hpp"
#include "lab/own_parts.hpp"
#include "lab/policies.hpp"
#include "lab/spelling.hpp"
#include <simtflow/timing/machines.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace lab::cli {

CLI::App& command_table::add(const std::string& name, const std::string& what, judges judged,
                             std::vector<std::string> examples) {
  CLI::App& command = *app_->add_subcommand(name, what);
  facts_.push_back({&command, judged, std::move(examples)});
  return command;
}

std::vector<std::string> command_table::names() const {
  std::vector<std::string> names;
  for (const facts& f : facts_) names.push_back(f.command->get_name());
  return names;
}

const command_table::facts& command_table::of(const CLI::App& command) const {
  return *std::find_if(facts_.begin(), facts_.end(), [&](const facts& f) { return f.command == &command; });
}

const std::vector<std::string>& command_table::examples(const CLI::App& command) const { return of(command).examples; }

std::string command_table::statuses(const CLI::App& command) const {
  return of(command).judged == judges::yes
             ? "0 all is well, 1 a verdict or a comparison is bad, 2 the input cannot be used, 130 stopped by ctrl-C."
             : "0 all is well, 2 the input cannot be used, 130 stopped by ctrl-C.";
}

const CLI::App& command_table::find(const std::string& name) const {
  for (const facts& f : facts_)
    if (f.command->get_name() == name) return *f.command;
  throw input_error(fmt::format("there is no subcommand \"{}\"{}; there are {}", name, did_you_mean(name, names()),
                                fmt::join(names(), ", ")));
}

void command_table::end_helps() {
  app_->footer("simtflow-lab help COMMAND has the options, examples and exit statuses of a command.");
  for (CLI::App* command : app_->get_subcommands({})) {
    std::string text = command->get_footer();
    if (!text.empty()) text += "\n\n";
    for (const std::string& example : examples(*command))
      text += fmt::format("{}  simtflow-lab {} {}", text.ends_with("\n\n") || text.empty() ? "Examples:\n" : "\n",
                          command->get_name(), example);
    command->footer(fmt::format("{}{}Exit status: {}", text, text.empty() ? "" : "\n\n", statuses(*command)));
  }
}

std::vector<std::string> words_of(const CLI::Option& option) {
  const std::string& text = option.get_option_text();
  std::vector<std::string> words;
  if (text.starts_with("NAME[:PARAMETER")) {
    words = {"all"};
    for (const simtflow::policy_info* p : all_policies()) words.emplace_back(p->name);
  } else if (text.starts_with("MACHINE")) {
    for (const simtflow::timing::shipped_machine& m : simtflow::timing::shipped_machines()) words.emplace_back(m.name);
    for (const own_machine& m : own_machines()) words.push_back(m.name);
  } else if (text.find('|') != std::string::npos &&
             text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-|") == std::string::npos) {
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find('|', at), text.size());
      words.push_back(text.substr(at, end - at));
      at = end + 1;
    }
  }
  return words;
}

}  // namespace lab::cli
