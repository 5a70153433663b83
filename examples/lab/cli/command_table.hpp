// SPDX-License-Identifier: BSL-1.0
//
// The commands of the tool: a file for each, which adds its options to a table and says what runs once they are read.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace lab::cli {

/// The exit status when a verdict or a comparison is bad, when the input cannot be used, and after SIGINT or SIGTERM.
inline constexpr int bad_result = 1;
inline constexpr int bad_input = 2;
inline constexpr int interrupted = 130;

/// Whether a command compares something: then it can end with bad_result.
enum class judges : bool { no, yes };

/// The commands of the tool while their options are declared.
class command_table {
 public:
  /// \param app gets the subcommands \param program how the tool was called
  command_table(CLI::App& app, std::string program) : app_(&app), program_(std::move(program)) {}

  /// One more command. Its options are declared on the result.
  /// \param examples its arguments on the command line, one string for each; they work in the root of the repository
  CLI::App& add(const std::string& name, const std::string& what, judges judged, std::vector<std::string> examples);
  /// A command runs this if it is called. \param run returns the exit status
  void runs(const CLI::App& command, std::function<int()> run) { actions_.emplace_back(&command, std::move(run)); }

  /// Runs the command that was called. \pre the options are read: there is one.
  [[nodiscard]] int run() const {
    for (const auto& [command, run] : actions_)
      if (command->parsed()) return run();
    return bad_input;
  }
  [[nodiscard]] const CLI::App& app() const { return *app_; }
  [[nodiscard]] const std::string& program() const { return program_; }
  [[nodiscard]] std::vector<std::string> names() const;

  /// How to call the command.
  [[nodiscard]] const std::vector<std::string>& examples(const CLI::App& command) const;
  /// Its exit statuses, in words.
  [[nodiscard]] std::string statuses(const CLI::App& command) const;
  /// A command by its name. \throws input_error if there is none
  [[nodiscard]] const CLI::App& find(const std::string& name) const;

  /// Puts examples and exit statuses below the help of each command. \pre all commands are there
  void end_helps();

 private:
  struct facts {
    const CLI::App* command;
    judges judged;
    std::vector<std::string> examples;
  };
  [[nodiscard]] const facts& of(const CLI::App& command) const;

  CLI::App* app_;
  std::string program_;
  std::vector<facts> facts_;
  std::vector<std::pair<const CLI::App*, std::function<int()>>> actions_;
};

/// The words that an option takes, if it takes a few: policies, machines, and choices that its help lists as a|b|c.
[[nodiscard]] std::vector<std::string> words_of(const CLI::Option& option);

/// A script that completes command lines, made from the options. \param shell bash, zsh or fish
[[nodiscard]] std::string completion_script(const command_table& table, const std::string& shell);

/// The manual page in roff, made from the same texts as the help.
[[nodiscard]] std::string manual_page(const command_table& table);

/// \{
/// Each adds its command.
void add_run(command_table& table);
void add_replay(command_table& table);
void add_record(command_table& table);
void add_time(command_table& table);
void add_suite(command_table& table);
void add_draw(command_table& table);
void add_timeline(command_table& table);
void add_explore(command_table& table);
void add_analyze(command_table& table);
void add_advise(command_table& table);
void add_transform(command_table& table);
void add_cost(command_table& table);
void add_papers(command_table& table);
void add_accept(command_table& table);
void add_cuda(command_table& table);
void add_plot(command_table& table);
void add_init(command_table& table);
void add_policies(command_table& table);
void add_laws(command_table& table);
void add_help(command_table& table);  ///< `help`, `completion` and `man`
/// \}

}  // namespace lab::cli
