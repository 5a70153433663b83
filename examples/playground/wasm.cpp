// SPDX-License-Identifier: BSL-1.0
//
// The functions that page.js calls in the compiled library, and what the tool's files are there: nothing.
#include "lab/files.hpp"
#include "playground/play.hpp"

#include <fmt/core.h>

namespace {

// The last answer; it stays until the next call.
const char* kept(std::string text) {
  static std::string answer;
  answer = std::move(text);
  return answer.c_str();
}

}  // namespace

extern "C" {

/// play() in play.hpp. \param policies their names, with commas between
const char* playground_play(bool is_ptx, const char* text, const char* launch, const char* policies) {
  using playground::notation;
  return kept(playground::play({is_ptx ? notation::ptx : notation::flow, text, launch, {policies}}));
}

/// policies() in play.hpp.
const char* playground_policies() { return kept(playground::policies()); }
}

namespace lab {

void must_exist(const std::string& path) { throw input_error(fmt::format("{}: a page has no files", path)); }
std::string read_text(const std::string& path) {
  must_exist(path);
  return {};
}
std::string read_bytes(const std::string& path) { return read_text(path); }

}  // namespace lab
