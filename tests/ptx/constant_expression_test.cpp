// SPDX-License-Identifier: BSL-1.0
#include "ptx/support.hpp"
#include <simtflow/ptx/text/constant_expression.hpp>

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

using namespace simtflow;
using simtflow_tests::random_bits;

namespace {

using type = ptx::constant_value::type;

ptx::constant_result read(std::string_view text) {
  const std::vector<ptx::token> tokens = ptx::tokenize(text);
  return ptx::read_constant(tokens, 0);
}

/// The value of a text that is one integer expression.
std::int64_t value(std::string_view text) {
  const std::vector<ptx::token> tokens = ptx::tokenize(text);
  const ptx::constant_result r = ptx::read_constant(tokens, 0);
  CAPTURE(text);
  REQUIRE(r.ok());
  CHECK(r.value.is_integer());
  CHECK(r.next + 1 == tokens.size());
  return static_cast<std::int64_t>(r.value.bits);
}

}  // namespace

TEST_CASE("constant expressions: values that ptxas gives") {
  struct row {
    const char* text;
    std::int64_t value;
  };
  constexpr row rows[] = {{"(1+2)*4", 12},
                          {"-7 % 3", 0},
                          {"7 % -3", 7},
                          {"-7 / 2", -3},
                          {"-7 % 3U", 0},
                          {"-1 >> 1", -1},
                          {"-1 >> 1U", -1},
                          {"(-1) > 0U", 1},
                          {"-1 > 0", 0},
                          {"~0", -1},
                          {"!5", 0},
                          {"1 << 64", 1},
                          {"1 << 65", 2},
                          {"1<<-1", INT64_MIN},
                          {"-1 >> 64", -1},
                          {"0?2:0?4:5", 5},
                          {"1?2:3?4:5", 2},
                          {"1||0&&0", 1},
                          {"(.u64)-1 / 2", INT64_MAX},
                          {"(.s64)18446744073709551615 / 2", 0},
                          {"(1 ? -1 : 1U) / 2", 0},
                          {"-8 / 2U", 9223372036854775804},
                          {"-1 & 7", 7},
                          {"(-1 & -1) / 2", 0},
                          {"(-1 | 0)>>1", -1},
                          {"(~0)/2", INT64_MAX},
                          {"(-1^0) >> 1", -1},
                          {"-(1U) / 2", INT64_MAX},
                          {"5 > 3 > 1", 0},
                          {"1==1==1", 1},
                          {"6 & 3 == 3", 0},
                          {"1 | 2 ^ 3 & 4", 3},
                          {"2 + 3 << 1", 10},
                          {"7 - 2 - 1", 4},
                          {"7 / 2 * 2", 6},
                          {"-2 + 3", 1},
                          {"!0 + 1", 2},
                          {"- -1", 1},
                          {"--3", 3},
                          {"(-2 % -1)/2", INT64_MAX},
                          {"(-2 % -1) > 0", 1},
                          {"(7U % 3) - 8 > 0", 1},
                          {"(1U & 1) - 2 > 0", 1},
                          {"(1<<3U)-9 > 0", 0},
                          {"(1U<<3)-9 > 0", 1},
                          {"(1U+0)-2>0", 1},
                          {"(1U ? 1:1)-2 > 0", 0},
                          {"(+1U)-2>0", 1},
                          {"(!1U)-2>0", 0},
                          {"0b101 + 017 + 0xF", 35},
                          {"-9223372036854775808", INT64_MIN},
                          {"1.0 > 0.5", 1},
                          {"3<=4 && 1 != 2", 1}};
  for (const row& r : rows) CHECK(value(r.text) == r.value);
}

TEST_CASE("constant expressions: floating point") {
  const auto real = [](std::string_view text) {
    const ptx::constant_result r = read(text);
    CAPTURE(text);
    CHECK(r.ok());
    return r.value.number();
  };
  CHECK(real("1.0+.5") == 1.5);
  CHECK(real("1.0/3.0") == 1.0 / 3.0);
  CHECK(real("-(1.e5)") == -1e5);
  CHECK(real("2 * 1.5 - 1") == 2.0);
  CHECK(real("1 ? 2.5 : 3.5") == 2.5);
  CHECK(read("0f3F800000").value.kind == type::single);
  CHECK(read("-0f3F800000").value.bits == std::bit_cast<std::uint32_t>(-1.0F));
  CHECK(real("0f3F800000 + 0d3FF0000000000000") == 2.0);
}

TEST_CASE("constant expressions: where they end, what is missing") {
  CHECK(read("3)+4").next == 1);
  CHECK(read("1:2").next == 1);
  CHECK(read("5 x").next == 1);
  CHECK(read("1,2").next == 1);
  CHECK(read("1+").expected == "a constant");
  CHECK(read("").expected == "a constant");
  CHECK(read("((1)").expected == "')'");
  CHECK(read("1?2").expected == "':'");
  CHECK(read("(1?2)").expected == "':'");
  CHECK(read("1/0").problem == "it divides by zero");
  CHECK(read("1%(2-2)").problem == "it divides by zero");
  CHECK(read("1.5/0").problem == "it divides by zero");
  CHECK(read("0 ? 1/0 : 3").value.bits == 3);
  CHECK(read("1 ? 1/0 : 3").problem == "it divides by zero");
  CHECK(read("1.5 << 1").problem == "floating point has no such operator");
  CHECK(read("~1.5").problem == "floating point has no such operator");
  CHECK(read("1.5 ? 1 : 2").problem == "its condition is no integer");
}

TEST_CASE("constant expressions: a hundred thousand parentheses, signs and questions") {
  const std::size_t n = 100'000;
  CHECK(value(std::string(n, '(') + "1" + std::string(n, ')') + "+1") == 2);
  CHECK(value(std::string(n, '~') + "5") == 5);
  std::string chain = "0";
  for (std::size_t i = 0; i < n; ++i) chain += "?1:0";
  CHECK(value(chain) == 0);
  std::string nested;
  for (std::size_t i = 0; i < n; ++i) nested += "1?";
  nested += "7";
  for (std::size_t i = 0; i < n; ++i) nested += ":2";
  CHECK(value(nested) == 7);
  CHECK(!read(std::string(n, '(')).ok());
}

namespace {

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

/// A random expression as a tree, evaluated by walking the tree: another way than the two stacks.
struct tree {
  std::string text;  // without parentheses that precedence makes needless
  int precedence = 12;
  bool is_unsigned = false;
  std::uint64_t value = 0;
};

tree random_tree(random_bits& random, int depth) {
  struct binary {
    const char* text;
    int precedence;
  };
  constexpr binary operators[] = {{"||", 2}, {"&&", 3}, {"|", 4},  {"^", 5},  {"&", 6},  {"==", 7},
                                  {"!=", 7}, {"<", 8},  {">", 8},  {"<=", 8}, {">=", 8}, {"<<", 9},
                                  {">>", 9}, {"+", 10}, {"-", 10}, {"*", 11}, {"/", 11}, {" % ", 11}};
  if (depth == 0 || random() % 8 == 0) {
    tree t;
    t.value = random() % 3 == 0 ? random() : random() % 9;
    t.is_unsigned = t.value >> 63 != 0 || random() % 4 == 0;
    t.text = std::to_string(t.value) + (t.is_unsigned ? "U" : "");
    return t;
  }
  const auto inside = [](const tree& t, int least) { return t.precedence < least ? "(" + t.text + ")" : t.text; };
  const std::uint64_t form = random() % 10;
  if (form < 2) {
    tree t = random_tree(random, depth - 1);
    const char* prefix[] = {"-", "+", "!", "~", "(.s64)", "(.u64)"};
    const std::uint64_t which = random() % 6;
    t.text = prefix[which] + inside(t, 12);
    t.precedence = 12;
    if (which == 0) t.value = 0 - t.value;
    if (which == 2) t.value = t.value == 0 ? 1 : 0;
    if (which == 3) t.value = ~t.value;
    if (which == 2 || which == 4) t.is_unsigned = false;
    if (which == 3 || which == 5) t.is_unsigned = true;
    return t;
  }
  const tree a = random_tree(random, depth - 1);
  const tree b = random_tree(random, depth - 1);
  if (form == 2) {
    const tree c = random_tree(random, depth - 1);
    tree t = a.value != 0 ? b : c;
    t.text = inside(a, 2) + " ? " + inside(b, 1) + " : " + inside(c, 1);
    t.precedence = 1;
    return t;
  }
  const std::uint64_t which = random() % 18;
  if (which >= 16 && b.value == 0) return a;
  tree t;
  t.precedence = operators[which].precedence;
  t.text = inside(a, t.precedence) + operators[which].text + inside(b, t.precedence + 1);
  const std::uint64_t x = a.value;
  const std::uint64_t y = b.value;
  const bool either = a.is_unsigned || b.is_unsigned;
  const wide p = either ? static_cast<wide>(x) : static_cast<wide>(static_cast<std::int64_t>(x));
  const wide q = either ? static_cast<wide>(y) : static_cast<wide>(static_cast<std::int64_t>(y));
  t.is_unsigned = either && (which < 5 ? which > 1 : which > 12);
  switch (which) {
    case 0:
      t.value = x != 0 || y != 0;
      break;
    case 1:
      t.value = x != 0 && y != 0;
      break;
    case 2:
      t.value = x | y;
      break;
    case 3:
      t.value = x ^ y;
      break;
    case 4:
      t.value = x & y;
      break;
    case 5:
      t.value = x == y;
      break;
    case 6:
      t.value = x != y;
      break;
    case 7:
      t.value = p < q;
      break;
    case 8:
      t.value = p > q;
      break;
    case 9:
      t.value = p <= q;
      break;
    case 10:
      t.value = p >= q;
      break;
    case 11:
      t.value = x;
      for (std::uint64_t i = 0; i < y % 64; ++i) t.value *= 2;
      t.is_unsigned = a.is_unsigned;
      break;
    case 12:
      t.value = x;
      for (std::uint64_t i = 0; i < y % 64; ++i) t.value = t.value / 2 + (a.is_unsigned ? 0 : t.value & (1ULL << 63));
      t.is_unsigned = a.is_unsigned;
      break;
    case 13:
      t.value = static_cast<std::uint64_t>(p + q);
      break;
    case 14:
      t.value = static_cast<std::uint64_t>(p - q);
      break;
    case 15:
      t.value = static_cast<std::uint64_t>(static_cast<unsigned_wide>(p) * static_cast<unsigned_wide>(q));
      break;
    case 16:
      t.value = static_cast<std::uint64_t>(p / q);
      break;
    default:
      t.value = x % y;
      t.is_unsigned = true;
      break;
  }
  return t;
}

}  // namespace

TEST_CASE("constant expressions: random ones against a walk over the tree") {
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    random_bits random{seed};
    const tree t = random_tree(random, static_cast<int>(random() % 6));
    CAPTURE(seed);
    CAPTURE(t.text);
    REQUIRE(static_cast<std::uint64_t>(value(t.text)) == t.value);
    REQUIRE((read(t.text).value.kind == type::unsigned_integer) == t.is_unsigned);
  }
}
