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

/// The exit status when a verdict or a comparison is bad, and when the input cannot be used.
inline constexpr int bad_result = 1;
inline constexpr int bad_input = 2;

/// The commands of the tool while their options are declared.
class command_table {
 public:
  /// \param app gets the subcommands \param program how the tool was called
  command_table(CLI::App& app, std::string program) : app_(&app), program_(std::move(program)) {}

  /// One more command. Its options are declared on the result.
  CLI::App& add(const std::string& name, const std::string& what) { return *app_->add_subcommand(name, what); }
  /// A command runs this if it is called. \param run returns the exit status
  void runs(const CLI::App& command, std::function<int()> run) { actions_.emplace_back(&command, std::move(run)); }

  /// Runs the command that was called. \pre the options are read: there is one.
  [[nodiscard]] int run() const {
    for (const auto& [command, run] : actions_)
      if (command->parsed()) return run();
    return bad_input;
  }
  [[nodiscard]] const std::string& program() const { return program_; }

 private:
  CLI::App* app_;
  std::string program_;
  std::vector<std::pair<const CLI::App*, std::function<int()>>> actions_;
};

void add_run(command_table& table);
void add_replay(command_table& table);
void add_record(command_table& table);
void add_time(command_table& table);
void add_suite(command_table& table);
void add_draw(command_table& table);
void add_timeline(command_table& table);
void add_explore(command_table& table);
void add_analyze(command_table& table);
void add_transform(command_table& table);
void add_cost(command_table& table);
void add_papers(command_table& table);
void add_accept(command_table& table);
void add_cuda(command_table& table);
void add_init(command_table& table);
void add_policies(command_table& table);

}  // namespace lab::cli
