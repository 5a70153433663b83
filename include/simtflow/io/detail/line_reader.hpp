// SPDX-License-Identifier: BSL-1.0
//
// Line-based text formats: lines without comments, words with their columns, numbers of 32 bits, and diagnostics.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace simtflow {
inline namespace v0 {

namespace detail {

/// The words of one line, with their columns.
class word_reader {
 public:
  word_reader(std::string_view line, std::uint32_t number) : line_(line), number_(number) {}

  /// The next word; empty at the end of the line.
  std::string_view next() {
    while (at_ < line_.size() && blank(line_[at_])) ++at_;
    begin_ = at_;
    while (at_ < line_.size() && !blank(line_[at_])) ++at_;
    return line_.substr(begin_, at_ - begin_);
  }

  /// The place of the last word; past the end of the line if the word was empty.
  [[nodiscard]] position where() const { return {number_, static_cast<std::uint32_t>(begin_ + 1)}; }

 private:
  static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

  std::string_view line_;
  std::uint32_t number_;
  std::size_t begin_ = 0, at_ = 0;
};

/// The lines of a text, without empty lines and comments.
class line_reader {
 public:
  explicit line_reader(std::string_view text) : text_(text) {}

  std::optional<word_reader> next() {
    while (at_ < text_.size()) {
      std::size_t end = text_.find('\n', at_);
      if (end == std::string_view::npos) end = text_.size();
      const std::string_view line = text_.substr(at_, end - at_);
      at_ = end + 1;
      ++number_;
      const std::size_t first = line.find_first_not_of(" \t\r");
      if (first != std::string_view::npos && line[first] != '#') return word_reader(line, number_);
    }
    return std::nullopt;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t number_ = 0;
};

/// A word of the text for use in a message: quoted, shortened, without control characters.
inline std::string quoted_word(std::string_view word) {
  std::string out = "'";
  for (const char c : word.substr(0, 40)) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  return out += word.size() > 40 ? "...'" : "'";
}

enum class number_problem : unsigned char { none, missing, malformed, too_large };

/// A decimal number of 32 bits.
inline number_problem read_number(std::string_view word, std::uint32_t& value) {
  if (word.empty()) return number_problem::missing;
  std::uint64_t all = 0;
  for (const char c : word) {
    if (c < '0' || c > '9') return number_problem::malformed;
    if (all <= 0xFFFF'FFFFU) all = all * 10 + static_cast<std::uint64_t>(c - '0');
  }
  if (all > 0xFFFF'FFFFU) return number_problem::too_large;
  value = static_cast<std::uint32_t>(all);
  return number_problem::none;
}

inline std::string name_in(std::string_view word) { return word == "-" ? std::string() : std::string(word); }

/// A text that is read line by line, and the diagnostics about it. The base of both readers.
class diagnosing_reader {
 public:
  explicit diagnosing_reader(std::string_view text) : lines_(text) {
    if (text.size() >= 0xFFFF'FFFFU) {  // keeps lines, columns and edge ids in 32 bits
      problem({}, "the text has 4 GiB or more and is not read");
      lines_ = line_reader({});
    }
  }

 protected:
  // Adds a diagnostic. Returns false.
  bool problem(position where, std::string message) {
    if (!add_diagnostic(diagnostics_, where, std::move(message))) full_ = true;
    return false;
  }

  // Reads a number; `what` names it in messages. False after a diagnostic.
  bool number(word_reader& words, const char* what, std::uint32_t& value) {
    const std::string_view word = words.next();
    switch (read_number(word, value)) {
      case number_problem::none:
        return true;
      case number_problem::missing:
        return problem(words.where(), std::string(what) + " is missing");
      case number_problem::malformed:
        return problem(words.where(), std::string(what) + " is not a number: " + quoted_word(word));
      case number_problem::too_large:
        break;
    }
    return problem(words.where(), std::string(what) + " does not fit into 32 bits: " + quoted_word(word));
  }

  bool end_of_line(word_reader& words) {
    const std::string_view word = words.next();
    return word.empty() || problem(words.where(), "unexpected " + quoted_word(word) + " at the end of the line");
  }

  // Appends the diagnostics to `why`.
  void append(diagnostics& why) {
    for (diagnostic& d : diagnostics_) why.push_back(std::move(d));
    diagnostics_.clear();
  }

  line_reader lines_;
  diagnostics diagnostics_;
  bool full_ = false;  // no room for more diagnostics: reading stops
};

}  // namespace detail

}  // namespace v0
}  // namespace simtflow
