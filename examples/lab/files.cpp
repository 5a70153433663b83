// SPDX-License-Identifier: BSL-1.0
#include "lab/files.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

namespace lab {
namespace {

constexpr std::size_t largest_file = std::size_t{1} << 30;

struct close_gzip {
  void operator()(gzFile_s* f) const { gzclose(f); }
};

struct close_file {
  void operator()(std::FILE* f) const { std::fclose(f); }
};

}  // namespace

std::string read_text(const std::string& path) {
  std::error_code problem;
  const auto status = std::filesystem::status(path, problem);
  if (!std::filesystem::exists(status)) throw input_error(fmt::format("{}: no such file", path));
  if (std::filesystem::is_directory(status)) throw input_error(fmt::format("{}: is a directory, not a file", path));

  errno = 0;
  const std::unique_ptr<gzFile_s, close_gzip> file(gzopen(path.c_str(), "rb"));
  if (!file) throw input_error(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
  std::string text;
  std::array<char, 1 << 16> chunk{};
  while (true) {
    const int got = gzread(file.get(), chunk.data(), static_cast<unsigned>(chunk.size()));
    if (got > 0) {
      text.append(chunk.data(), static_cast<std::size_t>(got));
      if (text.size() > largest_file) throw input_error(fmt::format("{}: longer than 1 GiB of text", path));
      continue;
    }
    int code = Z_OK;
    const char* words = gzerror(file.get(), &code);
    if (code == Z_OK || code == Z_STREAM_END) return text;
    if (code == Z_ERRNO) words = std::strerror(errno);
    std::string_view reason = words;
    if (reason.starts_with(path + ": ")) reason.remove_prefix(path.size() + 2);
    throw input_error(fmt::format("{}: cannot be read: {}", path, reason));
  }
}

void write_whole(const std::string& path, std::string_view text) {
  const std::string draft = path + ".part";
  std::error_code problem;
  errno = 0;
  std::unique_ptr<std::FILE, close_file> file(std::fopen(draft.c_str(), "wbx"));
  if (!file) throw input_error(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
  const bool written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  const bool closed = std::fclose(file.release()) == 0;
  if (!written || !closed) {
    std::filesystem::remove(draft, problem);
    throw input_error(fmt::format("{}: cannot be written: the device is full or failed", path));
  }
  std::filesystem::rename(draft, path, problem);
  if (problem) {
    const std::string words = problem.message();
    std::filesystem::remove(draft, problem);
    throw input_error(fmt::format("{}: cannot be written: {}", path, words));
  }
}

}  // namespace lab
