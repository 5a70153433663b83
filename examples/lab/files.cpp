// SPDX-License-Identifier: BSL-1.0
#include "lab/files.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace lab {
namespace {

constexpr std::size_t largest_file = std::size_t{1} << 30;

// Files and folders that a signal must not leave.
std::mutex leftovers_change;
std::set<std::string> leftovers;

struct close_gzip {
  void operator()(gzFile_s* f) const { gzclose(f); }
};

struct close_file {
  void operator()(std::FILE* f) const { std::fclose(f); }
};

bool write_all(std::unique_ptr<std::FILE, close_file> file, std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  return std::fclose(file.release()) == 0 && written;
}

}  // namespace

void must_exist(const std::string& path) {
  std::error_code problem;
  const auto status = std::filesystem::status(path, problem);
  if (status.type() == std::filesystem::file_type::not_found) throw input_error(fmt::format("{}: no such file", path));
  if (std::filesystem::is_directory(status)) throw input_error(fmt::format("{}: is a directory, not a file", path));
}

std::string read_text(const std::string& path) {
  must_exist(path);
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
    if (code == Z_OK || code == Z_STREAM_END) {
      if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);  // a byte order mark
      return text;
    }
    if (code == Z_ERRNO) words = std::strerror(errno);
    std::string_view reason = words;
    if (reason.starts_with(path + ": ")) reason.remove_prefix(path.size() + 2);
    throw input_error(fmt::format("{}: cannot be read: {}", path, reason));
  }
}

std::string read_bytes(const std::string& path) {
  must_exist(path);
  errno = 0;
  const std::unique_ptr<std::FILE, close_file> file(std::fopen(path.c_str(), "rb"));
  if (!file) throw input_error(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
  std::string bytes;
  std::array<char, 1 << 16> chunk{};
  while (const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), file.get())) {
    bytes.append(chunk.data(), got);
    if (bytes.size() > largest_file) throw input_error(fmt::format("{}: longer than 1 GiB", path));
  }
  if (std::ferror(file.get()) != 0)
    throw input_error(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  return bytes;
}

std::string compressed(std::string_view text) {
  z_stream z{};
  constexpr int gzip_window = 15 + 16;
  if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("no memory for compression");
  std::string out;
  std::array<unsigned char, 1 << 16> chunk{};
  std::size_t given = 0;
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    if (z.avail_in == 0 && given < text.size()) {
      const std::size_t n = std::min<std::size_t>(text.size() - given, 1 << 20);
      // zlib reads through a pointer that is not const in older versions, and writes nothing there.
      z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data() + given));
      z.avail_in = static_cast<uInt>(n);
      given += n;
    }
    z.next_out = chunk.data();
    z.avail_out = static_cast<uInt>(chunk.size());
    state = deflate(&z, given == text.size() ? Z_FINISH : Z_NO_FLUSH);
    out.append(reinterpret_cast<const char*>(chunk.data()), chunk.size() - z.avail_out);
  }
  deflateEnd(&z);
  return out;
}

draft::draft(std::string path, std::string_view text) : path_(std::move(path)) {
  std::error_code problem;
  const auto status = std::filesystem::status(path_, problem);
  // A device, a pipe or a link is written as it stands; renaming a file over it would destroy it.
  const bool in_place =
      std::filesystem::is_symlink(path_, problem) || (exists(status) && !std::filesystem::is_regular_file(status));
  if (std::filesystem::is_directory(status)) throw input_error(fmt::format("{}: is a directory, not a file", path_));
  pending_ = true;
  if (in_place) {
    in_place_ = text;
    return;
  }
  part_ = path_ + ".part";
  const std::scoped_lock lock(leftovers_change);
  errno = 0;
  std::unique_ptr<std::FILE, close_file> file(std::fopen(part_.c_str(), "wbx"));
  const int why = errno;
  if (!file) part_.clear();
  if (!file && why == EEXIST)
    throw input_error(fmt::format("{}: cannot be written: {}.part is in the way", path_, path_));
  if (!file) throw input_error(fmt::format("{}: cannot be written: {}", path_, std::strerror(why)));
  leftovers.insert(part_);
  if (!write_all(std::move(file), text)) {
    leftovers.erase(part_);
    std::filesystem::remove(part_, problem);
    part_.clear();
    throw input_error(fmt::format("{}: cannot be written: the device is full or failed", path_));
  }
}

void draft::discard() {
  if (part_.empty()) return;
  const std::scoped_lock lock(leftovers_change);
  std::error_code problem;
  std::filesystem::remove(part_, problem);
  leftovers.erase(part_);
  part_.clear();
}

void add_leftover(const std::string& path) {
  const std::scoped_lock lock(leftovers_change);
  leftovers.insert(path);
}

void forget_leftover(const std::string& path) {
  const std::scoped_lock lock(leftovers_change);
  leftovers.erase(path);
}

void remove_leftovers() {
  const std::scoped_lock lock(leftovers_change);
  std::error_code problem;
  for (const std::string& path : leftovers) std::filesystem::remove_all(path, problem);
}

void draft::commit() {
  if (!pending_) return;
  pending_ = false;
  if (part_.empty()) {
    errno = 0;
    std::unique_ptr<std::FILE, close_file> file(std::fopen(path_.c_str(), "wb"));
    if (!file) throw input_error(fmt::format("{}: cannot be written: {}", path_, std::strerror(errno)));
    if (!write_all(std::move(file), in_place_))
      throw input_error(fmt::format("{}: cannot be written: the device is full or failed", path_));
    return;
  }
  {
    const std::scoped_lock lock(leftovers_change);
    std::error_code problem;
    std::filesystem::rename(part_, path_, problem);
    if (problem) throw input_error(fmt::format("{}: cannot be written: {}", path_, problem.message()));
    leftovers.erase(part_);
  }
  part_.clear();
}

void print_whole(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return;
  if (errno == EPIPE) throw no_reader("standard output: nobody reads it");
  throw input_error(fmt::format("standard output: cannot be written: {}", std::strerror(errno)));
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code problem;
  if (std::filesystem::equivalent(a, b, problem) && !problem) return true;
  const auto whole = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, problem), problem);
  };
  return whole(a) == whole(b);
}

void refuse_to_overwrite(const std::string& output, std::span<const std::string> inputs) {
  if (output.empty()) return;
  for (const std::string& input : inputs)
    if (same_file(output, input)) throw input_error(fmt::format("{}: is the input, not written", output));
}

}  // namespace lab
