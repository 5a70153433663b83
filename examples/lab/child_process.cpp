// SPDX-License-Identifier: BSL-1.0
#include "lab/child_process.hpp"

#include "lab/files.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <system_error>
#include <vector>

namespace lab {

scratch_folder::scratch_folder(const std::string& what) {
  std::error_code problem;
  std::string pattern = (std::filesystem::temp_directory_path(problem) / "simtflow-lab-XXXXXX").string();
  if (problem || mkdtemp(pattern.data()) == nullptr)
    throw input_error(fmt::format("no temporary folder for {}: {}", what, std::strerror(errno)));
  path_ = pattern;
  add_leftover(path_.string());
}

scratch_folder::~scratch_folder() {
  std::error_code problem;
  std::filesystem::remove_all(path_, problem);
  forget_leftover(path_.string());
}

usual_signals::usual_signals() {
  posix_spawnattr_init(&attributes_);
  sigset_t defaults, blocked;
  sigemptyset(&defaults);
  sigemptyset(&blocked);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes_, &defaults);
  posix_spawnattr_setsigmask(&attributes_, &blocked);
  posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
}

usual_signals::~usual_signals() { posix_spawnattr_destroy(&attributes_); }

child_result run_program(std::span<const std::string> words, const std::string& folder) {
  constexpr std::size_t most_output = 64 * 1024;
  const scratch_folder scratch(words[0]);
  const std::string output = scratch.file("output");
  std::vector<std::string> own(words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : own) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  if (!folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t child = 0;
  const usual_signals signals_of_child;
  const int problem =
      posix_spawnp(&child, own[0].c_str(), &actions, signals_of_child.attributes(), arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  child_result result;
  if (problem == ENOENT) {
    result.found = false;
    result.ending = "there is no such program";
    return result;
  }
  if (problem != 0) throw input_error(fmt::format("{} cannot be started: {}", own[0], std::strerror(problem)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw input_error(fmt::format("{} cannot be waited for: {}", own[0], std::strerror(errno)));
  result.good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  result.ending = WIFEXITED(status) ? fmt::format("exit status {}", WEXITSTATUS(status))
                                    : fmt::format("signal {}", WTERMSIG(status));
  result.output = read_bytes(output);
  if (result.output.size() > most_output) result.output.resize(most_output);
  while (!result.output.empty() && result.output.back() == '\n') result.output.pop_back();
  return result;
}

std::string command_text(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    const bool plain = !word.empty() && word.find_first_of(" \t\n\"'\\$&|;<>()*?[]{}#~`!") == std::string::npos;
    if (plain) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

}  // namespace lab
