// SPDX-License-Identifier: BSL-1.0
#include "lab/cli/tool.hpp"

#include "lab/cli/command_table.hpp"
#include "lab/cli/output.hpp"
#include "lab/cli/terminal.hpp"
#include "lab/own_parts.hpp"
#include "lab/signals.hpp"
#include "lab/spelling.hpp"
#include <simtflow/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#if __has_include(<unistd.h>)
#include <fcntl.h>
#include <unistd.h>
#endif

namespace lab {
namespace cli {
namespace {

// CLI11 reports missing options before unknown ones: for --lanch, or for a kernel that does not exist, it says that
// --launch is required. Here mistakes in what was written are reported first.
void explain_what_was_written(const CLI::App& app) {
  const CLI::App* command = app.get_subcommands().empty() ? &app : app.get_subcommands().front();
  for (const CLI::App* one : {command, &app})
    for (const std::string& word : one->remaining()) {
      if (word.ends_with(".csv") || word.ends_with(".json"))
        throw lab::input_error(fmt::format("{}: {} is one argument too many; a file of rows is written by {}={}",
                                           command->get_name(), word, word.ends_with(".csv") ? "--csv" : "--json",
                                           word));
      if (!word.starts_with('-') || word == "-" || word == "--") continue;
      std::vector<std::string> names;
      for (const CLI::Option* o : command->get_options())
        for (const std::string& name : o->get_lnames()) names.push_back("--" + name);
      const std::string option = word.substr(0, word.find('='));
      throw lab::input_error(fmt::format("{}: there is no option {}{}",
                                         command == &app ? "simtflow-lab" : command->get_name(), option,
                                         lab::did_you_mean(option, names)));
    }
  for (const CLI::Option* o : command->get_options())
    if (o->get_positional() && o->get_name(true) != "FOLDER" && o->get_name(true) != "PATHS" &&
        o->get_name(true) != "SHELL" && o->get_name(true) != "COMMAND")
      for (const std::string& path : o->results()) lab::must_exist(path);
}

// If a standard stream is closed, the next file that is opened would take its place and get the printed text. A device
// that takes nothing occupies the place instead.
void occupy_standard_streams() {
#if __has_include(<unistd.h>)
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) == -1 && open("/dev/null", O_RDONLY) == -1) return;
#endif
}

// In the order of the help.
constexpr void (*commands[])(command_table&) = {
    add_run,     add_replay,  add_record, add_time,      add_suite, add_draw,   add_timeline,
    add_explore, add_analyze, add_advise, add_transform, add_cost,  add_papers, add_accept,
    add_cuda,    add_plot,    add_init,   add_policies,  add_laws,  add_help,
};

int run_tool(int argc, char** argv) {
  lab::close_registrations();
  CLI::App app("simtflow-lab: kernels and traces under SIMT reconvergence policies");
  app.set_version_flag("--version", fmt::format("{}.{}.{}", simtflow::version.major_number,
                                                simtflow::version.minor_number, simtflow::version.patch_number));
  app.require_subcommand(1);
  app.formatter(std::make_shared<help_format>());
  for (int i = 1; i < argc; ++i)  // CLI11 takes an empty value of a flag for none
    if (const std::string word = argv[i]; word == "--csv=" || word == "--json=")
      throw lab::input_error(word + ": the name of a file is missing");
  command_table table(app, argv[0]);
  for (const auto add : commands) add(table);

  table.end_helps();
  if (argc > 1 && argv[1][0] != '-') (void)table.find(argv[1]);  // CLI11 would say that an argument was not expected
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0) explain_what_was_written(app);
    const int status = app.exit(e);
    if (status != 0) return bad_input;
    if (std::cout.flush()) return 0;
    throw lab::input_error("standard output: cannot be written");  // even help can fail to be printed
  }
  return table.run();
}

}  // namespace
}  // namespace cli

int tool_main(int argc, char** argv) {
  cli::occupy_standard_streams();
  signals::watch();
  try {
    const int status = cli::run_tool(argc, argv);
    return signals::caught() == 0 ? status : 128 + signals::caught();
  } catch (const no_reader&) {
    signals::end_without_reader();
  } catch (const input_error& e) {
    cli::say(e.what());
  } catch (const std::exception& e) {
    cli::say(std::string("simtflow-lab: ") + e.what());
  }
  return cli::bad_input;
}

}  // namespace lab
