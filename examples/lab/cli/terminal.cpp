// SPDX-License-Identifier: BSL-1.0
#include "lab/cli/terminal.hpp"

#include "lab/files.hpp"
#include <simtflow/simt/verdict.hpp>

#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <vector>

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

namespace lab::cli {
namespace {

struct colour_rule {
  std::string_view words;
  const char* code;
};

constexpr const char* red = "\x1b[1;31m";
constexpr const char* green = "\x1b[32m";
constexpr colour_rule rules[] = {
    {"WRONG", red},
    {"FAILS", red},
    {"differs", red},
    {to_string(simtflow::outcome::barrier_deadlock), red},
    {to_string(simtflow::outcome::barrier_misaligned), red},
    {to_string(simtflow::outcome::barrier_misuse), red},
    {to_string(simtflow::outcome::nothing_runnable), red},
    {to_string(simtflow::outcome::livelock), red},
    {to_string(simtflow::outcome::lost_threads), red},
    {to_string(simtflow::outcome::policy_error), red},
    {to_string(simtflow::outcome::step_limit), red},
    {to_string(simtflow::outcome::finished), green},
    {"holds", green},
};

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; }

}  // namespace

bool has_colours(int stream) {
  const auto says = [](const char* name) -> std::string_view {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (!says("NO_COLOR").empty()) return false;
  if (!says("CLICOLOR_FORCE").empty() && says("CLICOLOR_FORCE") != "0") return true;
#if __has_include(<unistd.h>)
  return isatty(stream) != 0 && says("TERM") != "dumb";
#else
  (void)stream;
  return false;
#endif
}

std::string coloured(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const colour_rule* found = nullptr;
    if (at == 0 || !is_letter(text[at - 1]))
      for (const colour_rule& rule : rules) {
        const std::size_t end = at + rule.words.size();
        if (text.substr(at).starts_with(rule.words) && (end == text.size() || !is_letter(text[end]))) found = &rule;
      }
    if (found == nullptr) {
      out += text[at++];
      continue;
    }
    out.append(found->code).append(found->words).append("\x1b[0m");
    at += found->words.size();
  }
  return out;
}

void print_for_people(const std::string& text) { print_whole(has_colours(1) ? coloured(text) : text); }

std::string help_format::make_option_desc(const CLI::Option* option) const {
  constexpr std::size_t width = 80;
  const std::string text = option->get_description();
  std::string out;
  std::size_t used = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string word = text.substr(at, end - at);
    if (used != 0 && used + 1 + word.size() > width) {
      out += '\n';
      used = 0;
    }
    out += (used == 0 ? "" : " ") + word;
    used += (used == 0 ? 0 : 1) + word.size();
    at = end + 1;
  }
  return out;
}

}  // namespace lab::cli
