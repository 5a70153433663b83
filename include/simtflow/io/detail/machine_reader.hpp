// SPDX-License-Identifier: BSL-1.0
//
// Reads the JSON of a machine file: objects in objects, strings and numbers. Without recursion, so that no nesting is
// too deep; values of unknown keys are skipped.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/io/detail/line_reader.hpp>
#include <simtflow/io/detail/utf8.hpp>
#include <simtflow/timing/machine_check.hpp>
#include <simtflow/timing/machine_fields.hpp>
#include <simtflow/timing/machines.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// A JSON text, token by token.
class json_scanner {
 public:
  explicit json_scanner(std::string_view text) : text_(text) {}

  // The next character that is no blank; 0 at the end.
  char peek() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        line_start_ = at_ + 1;
      } else if (c != ' ' && c != '\t' && c != '\r') {
        return c;
      }
    }
    return 0;
  }

  // Takes that character if it is c.
  bool take(char c) {
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }

  [[nodiscard]] position where() const { return {line_, static_cast<std::uint32_t>(at_ - line_start_ + 1)}; }

  // Reads a string. \returns what is wrong with it, or nullptr. \pre peek() is a quote.
  const char* string(std::string& out) {
    out.clear();
    ++at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return nullptr;
      }
      if (static_cast<unsigned char>(c) < 0x20) return "a string ends on its line, without control characters";
      if (c == '\\') {
        ++at_;
        if (!escape(out)) return "a backslash in a string begins an escape of JSON";
        continue;
      }
      const std::size_t length = utf8_length(text_, at_);
      if (length == 0) return "a string is UTF-8";
      out.append(text_.substr(at_, length));
      at_ += length;
    }
    return "a string ends with a quote";
  }

  // A number or a word: everything up to a blank, a bracket, a comma, a colon or a quote.
  std::string_view word() {
    peek();
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::string_view(" \t\r\n{}[],:\"").find(text_[at_]) == std::string_view::npos) ++at_;
    return text_.substr(begin, at_ - begin);
  }

 private:
  bool escape(std::string& out) {
    if (at_ == text_.size()) return false;
    const char c = text_[at_++];
    constexpr std::string_view letters = "\"\\/bfnrt", values = "\"\\/\b\f\n\r\t";
    if (const std::size_t i = letters.find(c); i != std::string_view::npos) {
      out += values[i];
      return true;
    }
    std::uint32_t code = 0, low = 0;
    if (c != 'u' || !hexadecimal(code)) return false;
    if (code >= 0xDC00 && code < 0xE000) return false;
    if (code >= 0xD800 && code < 0xDC00) {
      if (text_.substr(at_, 2) != "\\u") return false;
      at_ += 2;
      if (!hexadecimal(low) || low < 0xDC00 || low >= 0xE000) return false;
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    append_utf8(out, code);
    return true;
  }

  bool hexadecimal(std::uint32_t& code) {
    code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      if (at_ == text_.size()) return false;
      const char c = text_[at_];
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return false;
      code = code * 16 + static_cast<std::uint32_t>(digit);
    }
    return true;
  }

  static void append_utf8(std::string& out, std::uint32_t code) {
    const auto byte = [&](std::uint32_t bits) { out += static_cast<char>(static_cast<unsigned char>(bits)); };
    if (code < 0x80) return byte(code);
    if (code < 0x800) {
      byte(0xC0 | code >> 6);
    } else {
      if (code < 0x10000) {
        byte(0xE0 | code >> 12);
      } else {
        byte(0xF0 | code >> 18);
        byte(0x80 | (code >> 12 & 0x3F));
      }
      byte(0x80 | (code >> 6 & 0x3F));
    }
    byte(0x80 | (code & 0x3F));
  }

  std::string_view text_;
  std::size_t at_ = 0, line_start_ = 0;
  std::uint32_t line_ = 1;
};

class machine_reader {
 public:
  explicit machine_reader(std::string_view text) : in_(text), known_(timing::fields(machine_)) {
    if (text.size() >= 0xFFFF'FFFFU) {  // keeps lines and columns in 32 bits
      problem({}, "the text has 4 GiB or more and is not read");
      in_ = json_scanner({});
    }
  }

  result<timing::machine> read() {
    if (why_.empty()) read_objects();
    if (why_.empty()) apply();
    if (why_.empty()) diagnose_values();
    if (!why_.empty()) return std::move(why_);
    return std::move(machine_);
  }

 private:
  // A key with a value that is no object.
  struct setting {
    std::string name;
    std::string value;
    position where;
    bool is_string;
  };
  struct open_object {
    std::string prefix;             // "" or "l1."
    std::vector<std::string> keys;  // so far
  };

  bool problem(position where, std::string message) {
    add_diagnostic(why_, where, std::move(message));
    return false;
  }
  // A problem after which the text cannot be followed.
  bool broken(std::string message) { return problem(in_.where(), std::move(message)); }

  // True if a field begins with these letters.
  bool is_part(const std::string& prefix) const {
    for (const timing::machine_field& f : known_)
      if (f.name.starts_with(prefix)) return true;
    return false;
  }

  bool read_objects() {
    if (!in_.take('{')) return broken("a machine file begins with an object: {");
    open_.push_back({});
    bool first = true;
    while (!open_.empty()) {
      if (why_.size() >= max_diagnostics) return false;
      if (in_.take('}')) {
        open_.pop_back();
        first = false;
        continue;
      }
      if (!first && !in_.take(',')) return broken("expected , or }");
      first = false;
      if (!read_member(first)) return false;
    }
    return in_.peek() == 0 || broken("unexpected text after the object");
  }

  // Reads a key and its value; an object is only opened, and `first` says so.
  bool read_member(bool& first) {
    if (in_.peek() != '"') return broken("expected a key in quotes");
    const position where = in_.where();
    std::string key;
    if (const char* wrong = in_.string(key)) return broken(wrong);
    for (const std::string& earlier : open_.back().keys)
      if (earlier == key) problem(where, "the key " + quoted_word(key) + " stands twice in its object");
    open_.back().keys.push_back(key);
    const std::string name = open_.back().prefix + key;
    if (!in_.take(':')) return broken("expected : after a key");
    const char c = in_.peek();
    if (c == '{') {
      if (!is_part(name + '.')) {
        unknown(where, name, true);
        return skip();
      }
      in_.take('{');
      open_.push_back({name + '.', {}});
      first = true;
      return true;
    }
    if (c == '[') {
      problem(in_.where(), quoted_word(name) + " is no list");
      return skip();
    }
    setting s{name, {}, in_.where(), c == '"'};
    if (s.is_string) {
      if (const char* wrong = in_.string(s.value)) return broken(wrong);
    } else {
      s.value = std::string(in_.word().substr(0, 1000));
      if (s.value.empty()) return broken("expected a value");
    }
    if (name != "base" && !is_field(name)) {
      unknown(where, name, false);
      return true;
    }
    settings_.push_back(std::move(s));
    return true;
  }

  bool is_field(const std::string& name) const {
    for (const timing::machine_field& f : known_)
      if (f.name == name) return true;
    return false;
  }

  void unknown(position where, const std::string& name, bool object) {
    if (object && (is_field(name) || name == "base"))
      problem(where, quoted_word(name) + " is a value, not an object");
    else
      problem(where, timing::unknown_field(known_, name));
  }

  // Skips a value that begins with a bracket.
  bool skip() {
    std::size_t depth = 0;
    std::string ignored;
    do {
      const char c = in_.peek();
      if (c == '{' || c == '[') {
        ++depth;
        in_.take(c);
      } else if (c == '}' || c == ']') {
        --depth;
        in_.take(c);
      } else if (c == '"') {
        if (const char* wrong = in_.string(ignored)) return broken(wrong);
      } else if (!in_.take(',') && !in_.take(':') && in_.word().empty()) {
        return broken("the text ends within a value");
      }
    } while (depth > 0);
    return true;
  }

  void apply() {
    for (const setting& s : settings_)
      if (s.name == "base") {
        if (!s.is_string) {
          problem(s.where, "base is the name of a machine in quotes");
        } else if (result<timing::machine> base = timing::machine_named(s.value)) {
          machine_ = *std::move(base);  // the fields stay where they are
        } else {
          problem(s.where, base.diagnostics()[0].message);
        }
      }
    for (const setting& s : settings_)
      for (const timing::machine_field& f : known_)
        if (f.name == s.name) {
          if (f.text != nullptr && !s.is_string)
            problem(s.where, f.name + " is a text in quotes");
          else if (std::string wrong = timing::assign(f, s.value); !wrong.empty())
            problem(s.where, std::move(wrong));
          else if (!s.is_string && (s.value.back() < '0' || s.value.back() > '9'))
            problem(s.where, "a value that is no number stands in quotes: \"" + s.value + '"');
        }
  }

  // Values that do not fit together; at the place of the field if the text states it.
  void diagnose_values() {
    for (diagnostic& d : timing::diagnose(machine_)) {
      const std::string_view field = std::string_view(d.message).substr(0, d.message.find(':'));
      for (const setting& s : settings_)
        if (s.name == field) d.where = s.where;
      problem(d.where, std::move(d.message));
    }
  }

  json_scanner in_;
  timing::machine machine_;
  std::vector<timing::machine_field> known_;  // of machine_
  std::vector<open_object> open_;
  std::vector<setting> settings_;
  diagnostics why_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
