// SPDX-License-Identifier: BSL-1.0
//
// A position over the tokens of a text and the diagnostics about them: the part of the parser that all others share.
#pragma once

#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/constant_expression.hpp>
#include <simtflow/ptx/text/lexer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// A token for a message: 'spelling', cut after 40 characters.
inline std::string quoted(const token& t) {
  if (t.kind == token_kind::end) return "the end of the text";
  std::string s = "'";
  for (const char c : t.spelling.substr(0, 40)) s += c >= ' ' && c <= '~' ? c : '?';
  if (t.spelling.size() > 40) s += "...";
  return s + "'";
}

/// A position over tokens, and the diagnostics about them.
class token_reader {
 public:
  explicit token_reader(std::string_view text) : tokens_(tokenize(text)) {}

  const token& peek() const { return tokens_[at_]; }
  const token& peek(std::size_t ahead) const { return tokens_[(std::min)(at_ + ahead, tokens_.size() - 1)]; }
  bool at_end() const { return peek().kind == token_kind::end; }
  bool at_dotted(std::string_view s) const { return peek().is(token_kind::dotted, s); }
  bool at_dotted() const { return peek().kind == token_kind::dotted; }
  bool at_word() const { return peek().kind == token_kind::word; }
  void next() {
    if (!at_end()) ++at_;
  }
  /// The position among the tokens, to compare with or to go back to.
  std::size_t at() const { return at_; }
  void go_to(std::size_t at) { at_ = at; }
  const token& token_at(std::size_t at) const { return tokens_[at]; }
  /// \pre a token has been taken
  const token& previous() const { return tokens_[at_ - 1]; }
  /// Past `n` tokens. \pre none of them is the end
  void advance(std::size_t n = 1) { at_ += n; }
  /// Returns the next token and goes past it. \pre it is not the end
  const token& take_any() { return tokens_[at_++]; }

  /// False once there are max_diagnostics, or after give_up().
  bool has_room() const { return room_; }
  void give_up() { room_ = false; }
  simtflow::diagnostics take_diagnostics() { return std::move(diagnostics_); }

  void fail(position where, std::string message) {
    room_ = add_diagnostic(diagnostics_, where, std::move(message)) && room_;
  }
  void expected(std::string_view what) {
    fail(peek().where, "expected " + std::string(what) + " instead of " + quoted(peek()));
  }
  bool take(char c) {
    if (!peek().is(c)) return false;
    ++at_;
    return true;
  }
  bool take_or_fail(char c) {
    if (take(c)) return true;
    expected(std::string("'") + c + "'");
    return false;
  }
  bool take_dotted(std::string_view s) {
    if (!at_dotted(s)) return false;
    ++at_;
    return true;
  }

  /// Skips to after the next semicolon; stops before a brace, unless the brace belongs to a vector.
  void recover() {
    while (!at_end() && !peek().is('}')) {
      if (peek().is('{')) {
        std::size_t close = at_ + 1;
        while (!ends_vector(tokens_[close])) ++close;
        if (!tokens_[close].is('}')) return;
        at_ = close;
      }
      if (tokens_[at_++].is(';')) return;
    }
  }
  /// Takes the semicolon of a statement. If only the semicolon is missing, the next line is a statement of its own.
  bool end_statement() {
    if (take_or_fail(';')) return true;
    if (at_ == 0 || peek().where.line == tokens_[at_ - 1].where.line) recover();
    return false;
  }
  void skip_line() {
    const std::uint32_t line = peek().where.line;
    while (!at_end() && peek().where.line == line) ++at_;
  }
  /// Skips a balanced pair. \pre the opening bracket is next
  void skip_balanced(char open, char close) {
    std::size_t depth = 0;
    const position start = peek().where;
    while (!at_end()) {
      if (peek().is(open)) ++depth;
      const bool closes = peek().is(close) && --depth == 0;
      ++at_;
      if (closes) return;
    }
    fail(start, std::string("this '") + open + "' is never closed");
  }

  bool unsigned_value(std::uint64_t& value) {
    if (peek().kind != token_kind::integer) {
      expected("a number");
      return false;
    }
    value = peek().bits;
    ++at_;
    return true;
  }

  /// Reads a constant expression; false with a diagnostic if there is none.
  bool constant(constant_value& v) {
    const constant_result r = read_constant(tokens_, at_);
    if (!r.problem.empty()) fail(peek().where, "this constant expression has no value: " + std::string(r.problem));
    at_ = r.next;
    if (!r.expected.empty()) expected(r.expected);
    v = r.value;
    return r.ok();
  }
  bool integer_constant(std::uint64_t& value, std::string_view what) {
    const token& first = peek();
    constant_value v;
    if (!constant(v)) return false;
    if (!v.is_integer()) fail(first.where, "expected " + std::string(what) + " instead of " + quoted(first));
    value = v.bits;
    return v.is_integer();
  }

 private:
  static bool ends_vector(const token& t) {
    return t.kind == token_kind::end || t.is('{') || t.is('}') || t.is(';') || t.is(':');
  }

  std::vector<token> tokens_;
  std::size_t at_ = 0;
  bool room_ = true;
  simtflow::diagnostics diagnostics_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
