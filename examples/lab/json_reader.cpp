// SPDX-License-Identifier: BSL-1.0
#include "lab/json_reader.hpp"

#include "lab/files.hpp"
#include <simtflow/diagnostic.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

namespace lab {

using nlohmann::json;

namespace {

// "FILE:LINE:COLUMN" of a byte of the text.
std::string place_in_json(std::size_t byte, std::string_view text, const std::string& path) {
  std::size_t line = 1, column = 1;
  for (std::size_t i = 0; i < std::min(byte, text.size()); ++i) {
    ++column;
    if (text[i] == '\n') ++line, column = 1;
  }
  return fmt::format("{}:{}:{}", path, line, column);
}

// "FILE:LINE:COLUMN: ..." from the library's message, which holds the position in words.
std::string located(const json::parse_error& e, std::string_view text, const std::string& path) {
  std::string words = e.what();
  if (const auto at = words.find("column "); at != std::string::npos)
    if (const auto colon = words.find(": ", at); colon != std::string::npos) words.erase(0, colon + 2);
  return fmt::format("{}: not JSON: {}", place_in_json(e.byte == 0 ? 0 : e.byte - 1, text, path), words);
}

}  // namespace

void json_reader::finish() const {
  if (!problems_.empty()) throw input_error(problems_);
}

void json_reader::fail(const std::string& where, std::string_view message) {
  if (++found_ > simtflow::max_diagnostics) return;
  if (!problems_.empty()) problems_ += '\n';
  if (found_ == simtflow::max_diagnostics) message = "too many diagnostics; the rest is left out";
  problems_ += fmt::format("{}: {}: {}", path_, where.empty() ? "/" : where, message);
}

std::string json_reader::kind(const json& j) {
  return j.is_null() ? std::string("null")
                     : fmt::format("{} {}", j.is_array() || j.is_object() ? "an" : "a", j.type_name());
}

bool json_reader::only(const json& j, const std::string& where, std::initializer_list<std::string_view> allowed) {
  if (!j.is_object()) {
    fail(where, fmt::format("must be an object, not {}", kind(j)));
    return false;
  }
  for (const auto& [key, value] : j.items())
    if (std::find(allowed.begin(), allowed.end(), key) == allowed.end())
      fail(where, fmt::format("unknown key \"{}\"; the keys here are {}", key, fmt::join(allowed, ", ")));
  return true;
}

bool json_reader::has(const json& j, const std::string& where, const char* key) {
  if (j.contains(key)) return true;
  fail(where, fmt::format("\"{}\" is missing", key));
  return false;
}

std::string json_reader::text(const json& j, const std::string& where) {
  if (!j.is_string()) {
    fail(where, fmt::format("must be a string, not {}", kind(j)));
    return {};
  }
  const auto& words = j.get_ref<const std::string&>();
  const auto is_control = [](char c) { return (c >= 0 && c < 0x20) || c == 0x7F; };
  if (words.empty()) fail(where, "must not be empty");
  if (std::none_of(words.begin(), words.end(), is_control)) return words;
  fail(where, fmt::format("must not hold control characters: {}", j.dump()));
  return {};
}

std::uint64_t json_reader::whole(const json& j, const std::string& where, std::uint64_t low, std::uint64_t high) {
  if (!j.is_number_integer()) {
    fail(where, fmt::format("must be a whole number, not {}", j.is_number() ? j.dump() : kind(j)));
  } else if ((!j.is_number_unsigned() && j.get<std::int64_t>() < 0) || j.get<std::uint64_t>() < low ||
             j.get<std::uint64_t>() > high) {
    fail(where, fmt::format("{} is out of range: {} to {}", j.dump(), low, high));
  } else {
    return j.get<std::uint64_t>();
  }
  return low;
}

json parse_json(std::string_view text, const std::string& path) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    throw input_error(fmt::format("{}:1:1: the file is empty", path));
  // The library keeps the last of two equal keys; here that is a mistake.
  std::vector<std::set<std::string>> keys;
  std::string twice;
  const auto watch = [&](int, json::parse_event_t what, json& parsed) {
    if (what == json::parse_event_t::object_start) keys.emplace_back();
    if (what == json::parse_event_t::object_end) keys.pop_back();
    if (what == json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second && twice.empty())
      twice = parsed.get<std::string>();
    return true;
  };
  json root;
  try {
    root = json::parse(text.begin(), text.end(), watch);
  } catch (const json::parse_error& e) {
    throw input_error(located(e, text, path));
  } catch (const json::exception& e) {  // a number beyond every type: "... number overflow parsing '1e400'"
    const std::string_view words = e.what();
    const std::size_t quote = std::min(words.find('\''), words.size() - 1);
    const std::string_view number = words.substr(quote + 1, words.rfind('\'') - quote - 1);
    throw input_error(fmt::format("{}: not usable: {}", place_in_json(text.find(number), text, path),
                                  words.substr(std::min(words.size(), words.find("] ") + 2))));
  }
  if (!twice.empty()) throw input_error(fmt::format("{}: the key \"{}\" stands twice in one object", path, twice));
  return root;
}

}  // namespace lab
