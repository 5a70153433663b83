// SPDX-License-Identifier: BSL-1.0
//
// Runs Graphviz's `dot`, without a shell in between.
#include "lab/commands.hpp"
#include "lab/files.hpp"

#include <fmt/core.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>

namespace lab {
namespace {

// A folder of our own, gone at the end.
class scratch_folder {
 public:
  scratch_folder() {
    std::error_code problem;
    std::string pattern = (std::filesystem::temp_directory_path(problem) / "simtflow-lab-XXXXXX").string();
    if (problem || mkdtemp(pattern.data()) == nullptr)
      throw input_error(fmt::format("no temporary folder for dot: {}", std::strerror(errno)));
    path_ = pattern;
  }
  ~scratch_folder() {
    std::error_code problem;
    std::filesystem::remove_all(path_, problem);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace

std::optional<std::string> graphviz_svg(const std::string& dot) {
  const scratch_folder folder;
  std::string in = folder.file("graph.dot"), out = folder.file("graph.svg");
  draft(in, dot).commit();
  std::string program = "dot", format = "-Tsvg", output = "-o";
  std::array<char*, 6> arguments{program.data(), format.data(), output.data(), out.data(), in.data(), nullptr};
  pid_t child = 0;
  if (const int problem = posix_spawnp(&child, "dot", nullptr, nullptr, arguments.data(), environ); problem != 0) {
    if (problem == ENOENT) return std::nullopt;
    throw input_error(fmt::format("dot cannot be started: {}", std::strerror(problem)));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw input_error(fmt::format("dot cannot be waited for: {}", std::strerror(errno)));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw input_error("dot failed to draw the graph");
  return read_text(out);
}

}  // namespace lab
