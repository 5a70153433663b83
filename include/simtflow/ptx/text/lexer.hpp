// SPDX-License-Identifier: BSL-1.0
//
// PTX text to tokens. A token keeps its spelling (a view into the text), its place and, for numbers, its value. Words
// that follow a dot (".reg", ".f32", ".x") are tokens of their own; an opcode is a word and the dotted words after it.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapter "Syntax" (comments, identifiers, constants).
#pragma once

#include <simtflow/diagnostic.hpp>

#include <bit>
#include <charconv>
#include <clocale>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// The kinds of tokens. A punctuation token is its one character.
enum class token_kind : std::uint8_t {
  end,          ///< after the last character
  word,         ///< an identifier: name, %register, $label
  dotted,       ///< '.' and a word: directive, modifier, component
  integer,      ///< decimal, 0x, 0b or octal, an optional U after it; bits hold the value
  single,       ///< 0f and eight hexadecimal digits; bits hold the IEEE single
  real,         ///< 0d and sixteen hexadecimal digits, or a decimal fraction; bits hold the IEEE double
  text,         ///< a string in double quotes
  punctuation,  ///< one of , ; : { } [ ] ( ) < > + - = @ ! | and the like
  bad           ///< something that no token starts with, or a malformed number, string or comment
};

/// The name of a kind of token.
[[nodiscard]] constexpr std::string_view to_string(token_kind e) {
  constexpr std::string_view names[] = {"end",  "word", "dotted",      "integer", "single",
                                        "real", "text", "punctuation", "bad"};
  return names[static_cast<std::size_t>(e)];
}

/// One token.
struct token {
  token_kind kind = token_kind::end;  ///< what it is
  position where;                     ///< of its first character
  std::string_view spelling;          ///< a view into the text; a string has its quotes
  std::uint64_t bits = 0;             ///< value of a number, else 0

  /// True if it is that character.
  [[nodiscard]] constexpr bool is(char punctuation) const {
    return kind == token_kind::punctuation && spelling.size() == 1 && spelling.front() == punctuation;
  }
  /// True if it is of that kind and spelling.
  [[nodiscard]] constexpr bool is(token_kind k, std::string_view s) const { return kind == k && spelling == s; }
};

namespace detail {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
struct word_characters {
  bool table[256] = {};
  constexpr word_characters() {
    for (int c = 0; c < 256; ++c)
      table[c] = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
                 c == '%';
  }
};
inline constexpr word_characters words;
constexpr bool is_word(char c) { return words.table[static_cast<unsigned char>(c)]; }

/// Does the work of std::from_chars for a double with strtod: libc++ has from_chars for integers only. strtod needs a
/// string with a terminator and uses the decimal point of the program's locale.
inline std::from_chars_result real_by_strtod(const char* first, const char* last, double& value) {
  const auto behind_digits = [last](const char* at) {
    while (at != last && is_digit(*at)) ++at;
    return at;
  };
  const char* end = behind_digits(first);
  std::string copy(first, end);
  bool has_digits = end != first;
  if (end != last && *end == '.') {
    const char* const behind = behind_digits(end + 1);
    has_digits = has_digits || behind != end + 1;
    copy.append(std::localeconv()->decimal_point).append(end + 1, behind);
    end = behind;
  }
  if (!has_digits) return {first, std::errc::invalid_argument};
  if (end != last && (*end == 'e' || *end == 'E')) {
    const char* power = end + 1;
    if (power != last && (*power == '+' || *power == '-')) ++power;
    if (const char* const behind = behind_digits(power); behind != power) {
      copy.append(end, behind);
      end = behind;
    }
  }
  const double read = std::strtod(copy.c_str(), nullptr);
  const bool is_zero = copy.find_first_of("123456789") >= copy.find_first_of("eE");
  if (read > (std::numeric_limits<double>::max)() || (read == 0 && !is_zero))
    return {end, std::errc::result_out_of_range};
  value = read;
  return {end, std::errc{}};
}
inline std::from_chars_result real_from_chars(const char* first, const char* last, double& value) {
#if defined(__cpp_lib_to_chars)
  return std::from_chars(first, last, value);
#else
  return real_by_strtod(first, last, value);
#endif
}

/// One past the number that starts at `begin`, and its meaning.
struct number {
  std::size_t end = 0;
  token_kind kind = token_kind::bad;
  std::uint64_t bits = 0;
};

/// True if the dot at `at` belongs to the digits before it: "1.5", "1.", "1.e5", but "4" in ".align 4.b8".
constexpr bool starts_fraction(std::string_view text, std::size_t at) {
  if (at >= text.size() || text[at] != '.') return false;
  if (at + 1 == text.size() || is_digit(text[at + 1]) || !is_word(text[at + 1])) return true;
  if (text[at + 1] != 'e' && text[at + 1] != 'E') return false;
  const std::size_t sign = at + 2 < text.size() && (text[at + 2] == '-' || text[at + 2] == '+') ? 1 : 0;
  return at + 2 + sign < text.size() && is_digit(text[at + 2 + sign]);
}

inline number lex_number(std::string_view text, std::size_t begin) {
  number n;
  std::size_t end = begin;
  while (end < text.size() && is_word(text[end]) && text[end] != '%') ++end;
  n.end = end;
  const char* first = text.data() + begin;
  const char* last = text.data() + end;
  const auto digits = [&](const char* from, int base) {
    const char* to = last;
    if (to > from + 1 && (to[-1] == 'U' || to[-1] == 'u')) --to;
    const auto r = std::from_chars(from, to, n.bits, base);
    if (from < to && r.ec == std::errc{} && r.ptr == to) n.kind = token_kind::integer;
  };
  const std::size_t size = end - begin;
  const char marker = size > 1 && *first == '0' ? first[1] : '\0';
  if (marker == 'x' || marker == 'X') {
    digits(first + 2, 16);
  } else if (marker == 'b' || marker == 'B') {
    digits(first + 2, 2);
  } else if (((marker == 'f' || marker == 'F') && size == 10) || ((marker == 'd' || marker == 'D') && size == 18)) {
    const auto r = std::from_chars(first + 2, last, n.bits, 16);
    if (r.ec == std::errc{} && r.ptr == last) n.kind = size == 10 ? token_kind::single : token_kind::real;
  } else if (marker != 'f' && marker != 'F' && marker != 'd' && marker != 'D') {
    bool all_digits = true;
    for (const char* c = first; c != last; ++c)
      all_digits = all_digits && (is_digit(*c) || (c + 1 == last && c != first && (*c == 'U' || *c == 'u')));
    if (all_digits && !starts_fraction(text, end)) {
      digits(first, *first == '0' && size > 1 && is_digit(first[1]) ? 8 : 10);
    } else {
      double value = 0;
      const auto r = real_from_chars(first, text.data() + text.size(), value);
      const auto stop = static_cast<std::size_t>(r.ptr - text.data());
      if (r.ec == std::errc{} && stop >= end && (stop == text.size() || !is_word(text[stop]))) {
        n.end = stop;
        n.kind = token_kind::real;
        n.bits = std::bit_cast<std::uint64_t>(value);
      } else {
        n.end = stop > end ? stop : end;
        while (n.end < text.size() && is_word(text[n.end])) ++n.end;
      }
    }
  }
  return n;
}

}  // namespace detail

/// The tokens of a text, the last of them `end`. Views into the text: it must outlive them. Malformed pieces become
/// `bad` tokens, so every text has tokens. Complexity: linear.
[[nodiscard]] inline std::vector<token> tokenize(std::string_view text) {
  std::vector<token> out;
  out.reserve(text.size() / 4 + 1);
  std::uint32_t line = 1;
  std::size_t line_begin = 0;
  std::size_t i = 0;
  const auto here = [&](std::size_t at) { return position{line, static_cast<std::uint32_t>(at - line_begin + 1)}; };
  const auto newline = [&](std::size_t at) {
    ++line;
    line_begin = at + 1;
  };
  // ".5"; but ".1d" after "tex" is a modifier
  const auto lex_fraction = [&] {
    double value = 0;
    const auto r = detail::real_from_chars(text.data() + i, text.data() + text.size(), value);
    const auto stop = static_cast<std::size_t>(r.ptr - text.data());
    if (r.ec != std::errc{} || (stop < text.size() && detail::is_word(text[stop]))) return false;
    out.push_back({token_kind::real, here(i), text.substr(i, stop - i), std::bit_cast<std::uint64_t>(value)});
    i = stop;
    return true;
  };
  while (i < text.size()) {
    const char c = text[i];
    if (c == '\n') {
      newline(i++);
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++i;
    } else if (c == '/' && i + 1 < text.size() && text[i + 1] == '/') {
      while (i < text.size() && text[i] != '\n') ++i;
    } else if (c == '/' && i + 1 < text.size() && text[i + 1] == '*') {
      const position start = here(i);
      const std::size_t begin = i;
      i += 2;
      while (i + 1 < text.size() && !(text[i] == '*' && text[i + 1] == '/')) {
        if (text[i] == '\n') newline(i);
        ++i;
      }
      if (i + 1 < text.size()) {
        i += 2;
      } else {
        i = text.size();
        out.push_back({token_kind::bad, start, text.substr(begin, 2), 0});
      }
    } else if (c == '"') {
      const position start = here(i);
      std::size_t end = i + 1;
      while (end < text.size() && text[end] != '"' && text[end] != '\n') {
        if (text[end] == '\\' && end + 1 < text.size() && text[end + 1] != '\n') ++end;
        ++end;
      }
      const bool closed = end < text.size() && text[end] == '"';
      out.push_back(
          {closed ? token_kind::text : token_kind::bad, start, text.substr(i, (closed ? end + 1 : end) - i), 0});
      i = closed ? end + 1 : end;
    } else if (detail::is_digit(c)) {
      const detail::number n = detail::lex_number(text, i);
      out.push_back({n.kind, here(i), text.substr(i, n.end - i), n.bits});
      i = n.end;
    } else if (detail::is_word(c)) {
      std::size_t end = i + 1;
      while (end < text.size() && detail::is_word(text[end])) ++end;
      out.push_back({token_kind::word, here(i), text.substr(i, end - i), 0});
      i = end;
    } else if (c == '.' && i + 1 < text.size() && detail::is_digit(text[i + 1]) &&
               (i == 0 || !detail::is_word(text[i - 1])) && lex_fraction()) {
    } else if (c == '.' && i + 1 < text.size() && detail::is_word(text[i + 1])) {
      std::size_t end = i + 1;
      // A scoped modifier such as .shared::cta or .L1::no_allocate is one word.
      while (end < text.size() &&
             (detail::is_word(text[end]) ||
              (text[end] == ':' && end + 2 < text.size() && text[end + 1] == ':' && detail::is_word(text[end + 2])))) {
        end += text[end] == ':' ? std::size_t{2} : std::size_t{1};
      }
      out.push_back({token_kind::dotted, here(i), text.substr(i, end - i), 0});
      i = end;
    } else {
      const bool known = std::string_view(",;:{}[]()<>+-=@!|&^~*/%?.").find(c) != std::string_view::npos;
      out.push_back({known ? token_kind::punctuation : token_kind::bad, here(i), text.substr(i, 1), 0});
      ++i;
    }
  }
  out.push_back({token_kind::end, here(text.size()), text.substr(text.size()), 0});
  return out;
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
