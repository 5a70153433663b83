// SPDX-License-Identifier: BSL-1.0
//
// Rows for programs: named values that are written as CSV or JSON. Every table that the tool writes for programs comes
// through here, so that all have the same form:
//
//   CSV   a line with the names, then a line for each row. The last two columns, `schema` and `version`, are the same
//         in each row: readers need no option to skip a head, and files of several runs can be put one after another.
//   JSON  an object with `schema` and `version`, the rows as objects in `rows`, and what else a command has to say.
//
// A value that is not there is an empty field in CSV and null in JSON. README.md of the tool, section "Columns", has
// the meaning and the unit of each name; a test holds it against what the commands write.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lab {

/// The kind of rows: a name and a number, as in "simtflow.run/1". The number is raised when a column goes or changes
/// its meaning; a new column does not raise it.
using row_schema = std::string_view;

/// The version of the tool: "0.1.0".
[[nodiscard]] std::string tool_version();

/// A number with a fraction, and its digits in CSV; JSON has all of them.
struct decimal {
  double value = 0;
  int digits = 6;
};
/// A number as it stands in a file that was read.
struct literal {
  std::string text;
};
using row_value = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, decimal, literal, std::string>;

/// Named values in the order of the columns.
class table_row {
 public:
  /// \{
  /// Adds a value. \pre the row has no such name yet
  table_row& word(std::string name, std::string_view text) {  ///< "" is no value
    return text.empty() ? none(std::move(name)) : add(std::move(name), std::string(text));
  }
  table_row& whole(std::string name, std::uint64_t n) { return add(std::move(name), n); }
  table_row& real(std::string name, double x, int digits = 6) { return add(std::move(name), decimal{x, digits}); }
  table_row& flag(std::string name, bool yes) { return add(std::move(name), yes); }  ///< 0 or 1 in CSV
  table_row& none(std::string name) { return add(std::move(name), std::monostate()); }
  table_row& add(std::string name, row_value value) {
    fields_.emplace_back(std::move(name), std::move(value));
    return *this;
  }
  table_row& add(const table_row& other) {
    fields_.insert(fields_.end(), other.fields_.begin(), other.fields_.end());
    return *this;
  }
  /// \}

  [[nodiscard]] std::span<const std::pair<std::string, row_value>> fields() const { return fields_; }
  /// Null if there is no such name.
  [[nodiscard]] const row_value* find(std::string_view name) const;
  /// The value as CSV has it, without quotation marks; empty if there is none.
  [[nodiscard]] std::string text(std::string_view name) const;
  /// The value as a number; 0 if it is none.
  [[nodiscard]] double number(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, row_value>> fields_;
};

/// A field of a CSV line: in quotation marks if it has to be.
[[nodiscard]] std::string csv_word(const std::string& s);

/// The names of the rows, each once: a name that only some have stands after the one it follows there.
[[nodiscard]] std::vector<std::string> names_of(std::span<const table_row> rows);

/// The rows as CSV. \param names of the columns if there is no row
[[nodiscard]] std::string csv_of(row_schema schema, std::span<const table_row> rows, const table_row& names = {});

/// The rows of CSV, without the last two columns. \param path for messages
/// \throws input_error if it is none, or if its schema or its version is another one
[[nodiscard]] std::vector<table_row> rows_of_csv(row_schema schema, const std::string& text, const std::string& path);

/// CSV as it stands: the names, then the fields of each line. Quotation marks are undone.
/// \throws input_error if there is no line, or if a line has another number of fields than the first one
[[nodiscard]] std::vector<std::vector<std::string>> fields_of_csv(const std::string& text, const std::string& path);

/// CSV that somebody else has made, with the last two columns; and an array of trace events as a document with them.
[[nodiscard]] std::string csv_with(row_schema schema, const std::string& csv);
[[nodiscard]] std::string trace_with(row_schema schema, const std::string& events);

/// A row as a JSON object.
[[nodiscard]] nlohmann::ordered_json json_of(const table_row& one);
/// A document with `schema` and `version`.
[[nodiscard]] nlohmann::ordered_json json_document(row_schema schema);
/// The text of a document, with a newline at its end. Bytes that are not UTF-8 become replacement characters.
[[nodiscard]] std::string text_of(const nlohmann::ordered_json& document);
/// A document of rows and remarks.
[[nodiscard]] std::string json_text_of(row_schema schema, std::span<const table_row> rows,
                                       const std::vector<std::string>& remarks = {});

}  // namespace lab
