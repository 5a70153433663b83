// SPDX-License-Identifier: BSL-1.0
#include "lab/rows.hpp"

#include "lab/files.hpp"
#include <simtflow/io/detail/csv.hpp>
#include <simtflow/version.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <type_traits>
#include <unordered_set>

namespace lab {
namespace {

using nlohmann::ordered_json;

std::string text_of(const row_value& value) {
  return std::visit(
      [](const auto& v) -> std::string {
        using type = std::remove_cvref_t<decltype(v)>;
        if constexpr (std::is_same_v<type, std::monostate>)
          return {};
        else if constexpr (std::is_same_v<type, bool>)
          return v ? "1" : "0";
        else if constexpr (std::is_same_v<type, decimal>)
          return fmt::format("{:.{}f}", v.value, v.digits);
        else if constexpr (std::is_same_v<type, literal>)
          return v.text;
        else
          return fmt::format("{}", v);
      },
      value);
}

ordered_json json_of(const row_value& value) {
  return std::visit(
      [](const auto& v) -> ordered_json {
        using type = std::remove_cvref_t<decltype(v)>;
        if constexpr (std::is_same_v<type, std::monostate>)
          return nullptr;
        else if constexpr (std::is_same_v<type, decimal>)
          return v.value;
        else if constexpr (std::is_same_v<type, literal>)
          return ordered_json::parse(v.text);
        else
          return v;
      },
      value);
}

bool is_number(const std::string& text) {
  char* end = nullptr;
  (void)std::strtod(text.c_str(), &end);
  const bool plain = text.find_first_not_of("0123456789.-+e") == std::string::npos;
  return plain && end != text.c_str() && *end == '\0' && ordered_json::accept(text);
}

}  // namespace

std::string tool_version() {
  return fmt::format("{}.{}.{}", simtflow::version.major_number, simtflow::version.minor_number,
                     simtflow::version.patch_number);
}

const row_value* table_row::find(std::string_view name) const {
  for (const auto& [field, value] : fields_)
    if (field == name) return &value;
  return nullptr;
}

std::string table_row::text(std::string_view name) const {
  const row_value* value = find(name);
  return value == nullptr ? std::string() : text_of(*value);
}

double table_row::number(std::string_view name) const { return std::strtod(text(name).c_str(), nullptr); }

std::vector<std::string> names_of(std::span<const table_row> rows) {
  std::vector<std::string> names;
  std::unordered_set<std::string> known;
  for (const table_row& one : rows) {
    std::size_t next = 0;  // the place of a new name
    for (const auto& [name, value] : one.fields()) {
      if (next < names.size() && names[next] == name) {
        ++next;
        continue;
      }
      if (known.insert(name).second) {
        names.insert(names.begin() + static_cast<std::ptrdiff_t>(next++), name);
        continue;
      }
      next = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin()) + 1;
    }
  }
  return names;
}

std::string csv_of(row_schema schema, std::span<const table_row> rows, const table_row& names) {
  const std::vector<std::string> columns = names_of(rows.empty() ? std::span(&names, 1) : rows);
  std::string out;
  for (const std::string& name : columns) out += simtflow::detail::csv_word(name) + ',';
  out += "schema,version\n";
  const std::string end = fmt::format("{},{}\n", schema, tool_version());
  for (const table_row& one : rows) {
    const auto fields = one.fields();
    std::size_t next = 0;  // most rows have all columns, in their order
    for (const std::string& name : columns) {
      const bool here = next < fields.size() && fields[next].first == name;
      out += simtflow::detail::csv_word(here ? text_of(fields[next].second) : one.text(name)) + ',';
      if (here) ++next;
    }
    out += end;
  }
  return out;
}

std::vector<std::vector<std::string>> fields_of_csv(const std::string& text, const std::string& path) {
  std::vector<std::vector<std::string>> lines;
  std::size_t number = 1;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t first = number;
    std::vector<std::string> line(1);
    bool quoted = false, ends = false;
    for (; at < text.size() && !ends; ++at) {
      const char c = text[at];
      if (c == '\n') ++number;
      if (quoted) {
        if (c != '"')
          line.back() += c;
        else if (at + 1 < text.size() && text[at + 1] == '"')
          line.back() += text[at++];
        else
          quoted = false;
      } else if (c == '"') {
        quoted = true;
      } else if (c == ',') {
        line.emplace_back();
      } else if (c == '\n') {
        ends = true;
      } else if (c != '\r') {
        line.back() += c;
      }
    }
    if (quoted) throw input_error(fmt::format("{}:{}: quotation marks are not closed", path, first));
    if (!lines.empty() && line.size() != lines.front().size())
      throw input_error(
          fmt::format("{}:{}: {} fields, but the first line has {}", path, first, line.size(), lines.front().size()));
    lines.push_back(std::move(line));
  }
  if (lines.empty()) throw input_error(fmt::format("{}: is empty, no CSV", path));
  return lines;
}

std::vector<table_row> rows_of_csv(row_schema schema, const std::string& text, const std::string& path) {
  const std::vector<std::vector<std::string>> lines = fields_of_csv(text, path);
  const std::vector<std::string>& names = lines.front();
  const std::size_t own = names.size() - std::min<std::size_t>(names.size(), 2);
  if (names.size() < 2 || names[own] != "schema" || names[own + 1] != "version")
    throw input_error(fmt::format("{}:1: the last columns are not schema and version", path));
  std::vector<table_row> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string>& line = lines[i];
    if (line[own] != schema || line[own + 1] != tool_version())
      throw input_error(fmt::format("{}: row {} is {} of version {}; this is {} of version {}", path, i, line[own],
                                    line[own + 1], schema, tool_version()));
    table_row& one = rows.emplace_back();
    for (std::size_t c = 0; c < own; ++c) {
      if (line[c].empty())
        one.none(names[c]);
      else if (is_number(line[c]))
        one.add(names[c], literal{line[c]});
      else
        one.word(names[c], line[c]);
    }
  }
  return rows;
}

std::string csv_with(row_schema schema, const std::string& csv) {
  const std::string end = fmt::format(",{},{}\n", schema, tool_version());
  std::string out;
  for (std::size_t at = 0; at < csv.size();) {
    const std::size_t line = std::min(csv.find('\n', at), csv.size());
    out.append(csv, at, line - at);
    out += at == 0 ? ",schema,version\n" : end;
    at = line + 1;
  }
  return out;
}

std::string trace_with(row_schema schema, const std::string& events) {
  return fmt::format("{{\"otherData\":{{\"schema\":\"{}\",\"version\":\"{}\"}},\n\"traceEvents\":{}}}\n", schema,
                     tool_version(), events);
}

nlohmann::ordered_json json_of(const table_row& one) {
  ordered_json out = ordered_json::object();
  for (const auto& [name, value] : one.fields()) out[name] = json_of(value);
  return out;
}

nlohmann::ordered_json json_document(row_schema schema) { return {{"schema", schema}, {"version", tool_version()}}; }

std::string text_of(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

std::string json_text_of(row_schema schema, std::span<const table_row> rows, const std::vector<std::string>& remarks) {
  ordered_json all = json_document(schema);
  all["rows"] = ordered_json::array();
  for (const table_row& one : rows) all["rows"].push_back(json_of(one));
  all["remarks"] = remarks;
  return text_of(all);
}

}  // namespace lab
