// SPDX-License-Identifier: BSL-1.0
#include <simtflow/ptx/text/lexer.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <clocale>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace simtflow;
using ptx::token_kind;

namespace {

std::vector<token_kind> kinds(std::string_view text) {
  std::vector<token_kind> k;
  for (const ptx::token& t : ptx::tokenize(text)) k.push_back(t.kind);
  return k;
}

ptx::token only(std::string_view text) {
  const std::vector<ptx::token> t = ptx::tokenize(text);
  REQUIRE(t.size() == 2);
  REQUIRE(t[1].kind == token_kind::end);
  return t[0];
}

}  // namespace

TEST_CASE("lexer: an empty text has an end at line 1, column 1") {
  const auto t = ptx::tokenize("");
  REQUIRE(t.size() == 1);
  CHECK(t[0].kind == token_kind::end);
  CHECK(t[0].where == position{1, 1});
}

TEST_CASE("lexer: words, dotted words and punctuation with their places") {
  const auto t = ptx::tokenize("@%p1 ld.shared::cta.u32\t{%r1, $L_2}, [%rd1+-4];\n  // note\nbra L;");
  const std::vector<std::string_view> spelled = {
      "@", "%p1", "ld", ".shared::cta", ".u32", "{", "%r1", ",", "$L_2", "}", ",", "[", "%rd1", "+", "-",
      "4", "]",   ";",  "bra",          "L",    ";", ""};
  REQUIRE(t.size() == spelled.size());
  for (std::size_t i = 0; i < t.size(); ++i) CHECK(t[i].spelling == spelled[i]);
  CHECK(t[2].where == position{1, 6});
  CHECK(t[18].where == position{3, 1});
}

TEST_CASE("lexer: integers in every base") {
  CHECK(only("0").bits == 0);
  CHECK(only("42U").bits == 42);
  CHECK(only("0x1F").bits == 31);
  CHECK(only("0XffffFFFFffffFFFFU").bits == ~std::uint64_t{0});
  CHECK(only("0b101").bits == 5);
  CHECK(only("0777").bits == 511);
  CHECK(only("18446744073709551615").bits == ~std::uint64_t{0});
  for (const char* bad : {"18446744073709551616", "0x", "0b2", "08", "12ab", "0xg", "0U1"}) {
    CAPTURE(bad);
    CHECK(only(bad).kind == token_kind::bad);
  }
}

TEST_CASE("lexer: floating-point constants") {
  CHECK(only("0f3F800000").kind == token_kind::single);
  CHECK(only("0F3f800000").bits == std::bit_cast<std::uint32_t>(1.0F));
  CHECK(only("0d3FF0000000000000").kind == token_kind::real);
  CHECK(only("0D3ff0000000000000").bits == std::bit_cast<std::uint64_t>(1.0));
  CHECK(only("1.5").bits == std::bit_cast<std::uint64_t>(1.5));
  CHECK(only("1.5e-3").bits == std::bit_cast<std::uint64_t>(1.5e-3));
  CHECK(only("2e10").bits == std::bit_cast<std::uint64_t>(2e10));
  for (const char* bad : {"0f3F80", "0f3F8000000", "0d3FF0", "0fG0000000", "1e", "1.5x"}) {
    CAPTURE(bad);
    CHECK(only(bad).kind == token_kind::bad);
  }
}

TEST_CASE("lexer: without from_chars for doubles, strtod reads the same") {
  const auto both = [](const std::string& text) {
    CAPTURE(text);
    double a = -7, b = -7;
    const auto read = ptx::detail::real_by_strtod(text.data(), text.data() + text.size(), a);
    const auto expected = ptx::detail::real_from_chars(text.data(), text.data() + text.size(), b);
    REQUIRE(read.ec == expected.ec);
    REQUIRE(read.ptr - text.data() == expected.ptr - text.data());
    REQUIRE(std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b));
  };
  for (const char* text : {".",      "0.",     "5.e-5",  "1e",       "1e+",     "1.e5",     "1.e",    ".5",
                           "1.5.5",  "1e400",  "1e-400", "0e5",      "0.0e-9",  "4.9e-324", "2e-324", "00.5",
                           "123abc", "1e-320", "0e9999", "1e999999", "1e-9999", "1,5",      ".e1",    "2.5e-324"})
    both(text);
  std::mt19937_64 random(17);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const char* const all = std::setlocale(LC_NUMERIC, nullptr);
  const std::string before = all == nullptr ? "C" : all;
  for (int i = 0; i < 20'000; ++i) {
    if (i == 10'000) std::setlocale(LC_NUMERIC, "de_DE.UTF-8");  // a decimal comma, where there is that locale
    std::string text(1, "0123456789."[below(11)]);
    for (std::size_t n = below(25); n != 0; --n) text += "0123456789.e+-0123456789"[below(24)];
    both(text);
  }
  std::setlocale(LC_NUMERIC, before.c_str());
}

TEST_CASE("lexer: dots belong to numbers, modifiers or nothing") {
  CHECK(only(".5").bits == std::bit_cast<std::uint64_t>(0.5));
  CHECK(only("1.").bits == std::bit_cast<std::uint64_t>(1.0));
  CHECK(only("1.e5").bits == std::bit_cast<std::uint64_t>(1e5));
  CHECK(only(".1d").kind == token_kind::dotted);
  CHECK(kinds("tex.1d.v4 .25,1.5") == std::vector<token_kind>{token_kind::word, token_kind::dotted, token_kind::dotted,
                                                              token_kind::real, token_kind::punctuation,
                                                              token_kind::real, token_kind::end});
  CHECK(kinds(".align 4.b8") ==
        std::vector<token_kind>{token_kind::dotted, token_kind::integer, token_kind::dotted, token_kind::end});
  CHECK(kinds("7%(3)")[1] == token_kind::word);
  CHECK(kinds("%r1.x")[1] == token_kind::dotted);
}

TEST_CASE("lexer: comments count lines; what is not closed is bad") {
  const auto t = ptx::tokenize("/* a\n b */ x /* never");
  REQUIRE(t.size() == 3);
  CHECK(t[0].where == position{2, 7});
  CHECK(t[1].kind == token_kind::bad);
  CHECK(kinds("\"closed\\\" \"") == std::vector<token_kind>{token_kind::text, token_kind::end});
  CHECK(kinds("\"open\nx") == std::vector<token_kind>{token_kind::bad, token_kind::word, token_kind::end});
  CHECK(kinds("#") == std::vector<token_kind>{token_kind::bad, token_kind::end});
  CHECK(kinds(std::string_view("\0", 1)) == std::vector<token_kind>{token_kind::bad, token_kind::end});
}
