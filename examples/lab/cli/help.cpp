// SPDX-License-Identifier: BSL-1.0
//
// `help`, `completion` and `man`: what the options say of themselves, for people and for shells.
#include "lab/cli/command_table.hpp"
#include "lab/cli/options.hpp"
#include "lab/files.hpp"
#include <simtflow/version.hpp>

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lab::cli {

namespace {

// Text in roff: no character starts a request or an escape.
std::string roff(std::string_view text) {
  std::string out;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    at_start = c == '\n';
  }
  return out;
}

std::string roff_option(const CLI::Option& option) {
  const CLI::Formatter words;
  const bool positional = option.get_positional() && option.get_lnames().empty() && option.get_snames().empty();
  const std::string operand = words.make_option_opts(&option);
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(words.make_option_name(&option, positional)), roff(operand),
                     roff(option.get_description()));
}

}  // namespace

std::string manual_page(const command_table& table) {
  const CLI::App& app = table.app();
  std::string out = fmt::format(
      ".TH SIMTFLOW-LAB 1 \"\" \"simtflow {}.{}.{}\" \"User Commands\"\n.SH NAME\nsimtflow-lab \\- {}\n"
      ".SH SYNOPSIS\n\\fBsimtflow-lab\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]...\n.SH COMMANDS\n",
      simtflow::version.major_number, simtflow::version.minor_number, simtflow::version.patch_number,
      roff("kernels and traces under SIMT reconvergence policies"));
  for (const CLI::App* command : app.get_subcommands({})) {
    out += fmt::format(".SS {}\n{}.\n", roff(command->get_name()), roff(command->get_description()));
    for (const CLI::Option* option : command->get_options()) out += roff_option(*option);
    if (!table.examples(*command).empty()) {
      out += ".PP\nExamples:\n.nf\n";
      for (const std::string& example : table.examples(*command))
        out += roff(fmt::format("  simtflow-lab {} {}\n", command->get_name(), example));
      out += ".fi\n";
    }
    out += fmt::format(".PP\nExit status: {}\n", roff(table.statuses(*command)));
  }
  return out +
         ".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\nIf not empty, nothing is coloured.\n.TP\n\\fBCLICOLOR_FORCE\\fR\n"
         "If neither empty nor 0, text is coloured although standard output is no terminal.\n.TP\n"
         "\\fBNVCC_APPEND_FLAGS\\fR\nMore options for nvcc, where a kernel is CUDA source.\n";
}

void add_help(command_table& table) {
  {
    const auto name = std::make_shared<std::string>();
    CLI::App& command = table.add("help", "Explain the tool or one of its commands", judges::no, {"run"});
    command.add_option("COMMAND", *name, "The command; none: all, a line for each");
    table.runs(command, [&table, name] {
      // app().help() would be this command's.
      const CLI::App& app = name->empty() ? table.app() : table.find(*name);
      print_whole(app.get_formatter()->make_help(&app, name->empty() ? "simtflow-lab" : "simtflow-lab " + *name,
                                                 CLI::AppFormatMode::Normal));
      return 0;
    });
  }
  {
    const auto shell = std::make_shared<std::string>();
    CLI::App& command = table.add("completion", "Print a script with which a shell completes command lines", judges::no,
                                  {"bash > ~/.local/share/bash-completion/completions/simtflow-lab"});
    command.add_option("SHELL", *shell, "The shell")
        ->required()
        ->check(one_of({"bash", "zsh", "fish"}))
        ->option_text("bash|zsh|fish");
    command.footer(
        "zsh: simtflow-lab completion zsh > DIRECTORY/_simtflow-lab, the directory being in $fpath.\n"
        "fish: simtflow-lab completion fish > ~/.config/fish/completions/simtflow-lab.fish");
    table.runs(command, [&table, shell] {
      print_whole(completion_script(table, *shell));
      return 0;
    });
  }
  CLI::App& command = table.add("man", "Print the manual page, for man", judges::no, {"| man -l -"});
  table.runs(command, [&table] {
    print_whole(manual_page(table));
    return 0;
  });
}

}  // namespace lab::cli
