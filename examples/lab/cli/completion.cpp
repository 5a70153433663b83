// SPDX-License-Identifier: BSL-1.0
//
// Scripts for shells, made from the tree of commands and options.
#include "lab/cli/command_table.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace lab::cli {
namespace {

// "--output", "-o": the ways to write an option; none for a positional.
std::vector<std::string> spellings(const CLI::Option& option) {
  std::vector<std::string> all;
  for (const std::string& name : option.get_lnames()) all.push_back("--" + name);
  for (const std::string& name : option.get_snames()) all.push_back("-" + name);
  return all;
}

bool is_flag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

bool takes_list(const CLI::Option& option) { return option.get_option_text().ends_with(",..."); }

// Whether shells should offer files: not for numbers and other words.
bool takes_file(const CLI::Option& option) {
  const std::string text = option.get_option_text() + option.get_single_name();
  for (const std::string_view word : {"FILE", "FOLDER", "OUT", "PATH", ".json", ".ptx", "TRACE", "PROGRAM", "DOT"})
    if (text.find(word) != std::string::npos) return true;
  return false;
}

std::string first_sentence(const std::string& text) {
  const std::size_t end = text.find_first_of(":;(\n");
  std::string s = text.substr(0, end);
  while (s.ends_with(' ')) s.pop_back();
  return s;
}

std::string in_quotes(std::string_view text) {  // of a POSIX shell
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string for_bash(const command_table& table) {
  std::string options, values;
  for (const CLI::App* command : table.app().get_subcommands({})) {
    std::vector<std::string> all;
    std::vector<std::string> positional;
    for (const CLI::Option* o : command->get_options()) {
      const std::vector<std::string> names = spellings(*o);
      all.insert(all.end(), names.begin(), names.end());
      const std::vector<std::string> words = words_of(*o);
      if (names.empty()) positional.insert(positional.end(), words.begin(), words.end());
      if (is_flag(*o) || names.empty()) continue;
      std::string patterns;
      for (const std::string& name : names)
        patterns += fmt::format("{}{}:{}", patterns.empty() ? "" : "|", command->get_name(), name);
      values += fmt::format("    {})\n      {}\n      return ;;\n", patterns,
                            !words.empty() ? fmt::format("_simtflow_lab_words {} {}{}", takes_list(*o) ? "list" : "one",
                                                         in_quotes(fmt::format("{}", fmt::join(words, " "))),
                                                         takes_file(*o) ? "; _simtflow_lab_files" : "")
                            : takes_file(*o) ? std::string("_simtflow_lab_files")
                                             : std::string("COMPREPLY=()"));
    }
    if (command->get_name() == "help") positional = table.names();
    options += fmt::format("    {}) options={} words={} ;;\n", command->get_name(),
                           in_quotes(fmt::format("{}", fmt::join(all, " "))),
                           in_quotes(fmt::format("{}", fmt::join(positional, " "))));
  }
  return fmt::format(R"(# Completes command lines of simtflow-lab in bash. Made by `simtflow-lab completion bash`.
_simtflow_lab_words() {{  # list or one, the words
  local before=
  if [[ $1 == list && $cur == *,* ]]; then before=${{cur%,*}},; fi
  local word
  for word in $2; do
    if [[ $word == "${{cur##*,}}"* ]]; then COMPREPLY+=("$before$word"); fi
  done
}}
_simtflow_lab_files() {{
  local file
  while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$cur")
  compopt -o filenames 2> /dev/null
}}
_simtflow_lab() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev= command=${{COMP_WORDS[1]}} options words
  if (( COMP_CWORD > 0 )); then prev=${{COMP_WORDS[COMP_CWORD-1]}}; fi
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  COMPREPLY=()
  if (( COMP_CWORD <= 1 )); then
    _simtflow_lab_words one {}
    return
  fi
  case $command:$prev in
{}  esac
  case $command in
{}  esac
  if [[ $cur == -* ]]; then
    _simtflow_lab_words one "$options"
  elif [[ -n $words ]]; then
    _simtflow_lab_words one "$words"
  else
    _simtflow_lab_files
  fi
}}
complete -F _simtflow_lab simtflow-lab
)",
                     in_quotes(fmt::format("{} --help --version", fmt::join(table.names(), " "))), values, options);
}

std::string for_zsh(const command_table& table) {
  // Inside [...] and in words, zsh takes these characters for its own.
  const auto escaped = [](const std::string& text) {
    std::string out;
    for (const char c : text) {
      if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
      out += c;
    }
    return out;
  };
  std::string commands, cases;
  for (const CLI::App* command : table.app().get_subcommands({})) {
    commands += fmt::format("    {}\n",
                            in_quotes(command->get_name() + ":" + escaped(first_sentence(command->get_description()))));
    cases += fmt::format("    {}) _arguments", command->get_name());
    std::string files = "*:file:_files";
    for (const CLI::Option* o : command->get_options()) {
      const std::vector<std::string> words = words_of(*o);
      const std::string list = fmt::format("{}", fmt::join(words, " "));
      std::string action;
      if (!words.empty() && takes_list(*o))
        action = fmt::format(":word:_values -s , word {}", list);
      else if (!words.empty() && !takes_file(*o))
        action = fmt::format(":word:({})", list);
      else if (!words.empty())
        action = fmt::format(":word or file:_alternative \"words:word:({})\" \"files:file:_files\"", list);
      else
        action = takes_file(*o) ? ":file:_files" : ":value: ";
      const std::vector<std::string> names = spellings(*o);
      if (names.empty() && !words.empty()) files = "1" + action;
      for (const std::string& name : names)
        cases += " \\\n      " + in_quotes(fmt::format("*{}[{}]{}", name, escaped(first_sentence(o->get_description())),
                                                       is_flag(*o) ? std::string() : action));
    }
    if (command->get_name() == "help") files = fmt::format("1:command:({})", fmt::join(table.names(), " "));
    cases += " \\\n      " + in_quotes(files) + " ;;\n";
  }
  return fmt::format(R"(#compdef simtflow-lab
# Completes command lines of simtflow-lab in zsh. Made by `simtflow-lab completion zsh`.
_simtflow_lab() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
{}  esac
}}
if [[ $funcstack[1] == _simtflow-lab ]]; then _simtflow_lab "$@"; else compdef _simtflow_lab simtflow-lab; fi
)",
                     commands, cases);
}

std::string for_fish(const command_table& table) {
  const auto quoted = [](std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
      if (c == '\'' || c == '\\') out += '\\';
      out += c;
    }
    return out + "'";
  };
  std::string out = "# Completes command lines of simtflow-lab in fish. Made by `simtflow-lab completion fish`.\n";
  for (const CLI::App* command : table.app().get_subcommands({}))
    out += fmt::format("complete -c simtflow-lab -n __fish_use_subcommand -f -a {} -d {}\n", command->get_name(),
                       quoted(first_sentence(command->get_description())));
  for (const CLI::App* command : table.app().get_subcommands({})) {
    const std::string when =
        fmt::format("complete -c simtflow-lab -n '__fish_seen_subcommand_from {}'", command->get_name());
    if (command->get_name() == "help")
      out += fmt::format("{} -f -a {}\n", when, quoted(fmt::format("{}", fmt::join(table.names(), " "))));
    for (const CLI::Option* o : command->get_options()) {
      const std::vector<std::string> words = words_of(*o);
      std::string operand = is_flag(*o) ? "" : takes_file(*o) ? " -r" : " -x";
      if (!words.empty() && takes_list(*o))
        operand += fmt::format(" -a '(__fish_append , {})'", fmt::join(words, " "));
      else if (!words.empty())
        operand += fmt::format(" -a {}", quoted(fmt::format("{}", fmt::join(words, " "))));
      std::string names;
      for (const std::string& name : o->get_lnames()) names += " -l " + name;
      for (const std::string& name : o->get_snames()) names += " -s " + name;
      if (names.empty() && words.empty()) continue;
      out += fmt::format("{}{}{} -d {}\n", when, names, names.empty() ? " -f" + operand.substr(3) : operand,
                         quoted(first_sentence(o->get_description())));
    }
  }
  return out;
}

}  // namespace

std::string completion_script(const command_table& table, const std::string& shell) {
  return shell == "bash" ? for_bash(table) : shell == "zsh" ? for_zsh(table) : for_fish(table);
}

}  // namespace lab::cli
