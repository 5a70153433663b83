// SPDX-License-Identifier: BSL-1.0
#include "lab/source_text.hpp"

#include "lab/files.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

namespace lab {

using namespace simtflow;

namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(std::move(line));
    at = end + 1;
  }
  return lines;
}

std::optional<std::vector<std::string>> read_lines(const std::string& name, const std::string& ptx_path) {
  const std::filesystem::path asked(name), folder = std::filesystem::path(ptx_path).parent_path();
  // A relative name is relative to the folder where the compiler ran, which is the PTX's folder more often than ours.
  for (const std::filesystem::path& path :
       {asked.is_absolute() ? asked : folder / asked, folder / asked.filename(), asked}) {
    std::error_code problem;
    if (!std::filesystem::is_regular_file(path, problem)) continue;
    try {
      return split(read_text(path.string()));
    } catch (const input_error&) {
    }
  }
  return std::nullopt;
}

}  // namespace

std::string with_text(const std::string& place, const std::string& text) {
  return text.empty() ? place : place + ": " + text;
}

std::vector<std::uint32_t> line_key(const ptx::source_map& map, std::uint32_t place) {
  std::vector<std::uint32_t> key;
  while (place < map.places.size() && map.places[place].line != 0) {
    const ptx::source_place& p = map.places[place];
    key.insert(key.begin(), {p.file, p.line});
    place = p.inlined_at < place ? p.inlined_at : ptx::no_index;
  }
  return key;
}

const std::vector<std::string>* source_text::lines(std::uint32_t file) {
  auto known = std::find_if(files_.begin(), files_.end(), [&](const one_file& f) { return f.number == file; });
  if (known == files_.end()) {
    const ptx::source_file* const named = map_.file(file);
    files_.push_back({file, named == nullptr ? std::nullopt : read_lines(named->name, ptx_path_)});
    known = files_.end() - 1;
  }
  return known->lines ? &*known->lines : nullptr;
}

std::string source_text::line(std::uint32_t place) {
  if (place >= map_.places.size()) return {};
  const ptx::source_place& p = map_.places[place];
  const std::vector<std::string>* const text = lines(p.file);
  if (text == nullptr || p.line == 0 || p.line > text->size()) return {};
  const std::string& line = (*text)[p.line - 1];
  const std::size_t first = line.find_first_not_of(" \t"), last = line.find_last_not_of(" \t");
  return first == std::string::npos ? std::string() : line.substr(first, last + 1 - first);
}

}  // namespace lab
