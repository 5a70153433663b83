// SPDX-License-Identifier: BSL-1.0
#include <simtflow/io/machine_text.hpp>
#include <simtflow/timing/machine_check.hpp>
#include <simtflow/timing/machines.hpp>

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <string_view>

using namespace simtflow;
using timing::machine;

namespace {

// Diagnostics, one a line.
std::string wrong(std::string_view text) {
  std::string out;
  const result<machine> r = read_machine(text);
  for (const diagnostic& d : r.diagnostics()) out += to_string(d) + '\n';
  return out;
}

void comes_back(const machine& m) {
  const std::string text = to_machine_text(m);
  const result<machine> again = read_machine(text);
  CAPTURE(text);
  if (!again) CAPTURE(to_string(again.diagnostics()[0]));
  REQUIRE(again);
  CHECK(*again == m);
  CHECK(to_machine_text(*again) == text);
}

}  // namespace

TEST_CASE("a machine file states what differs from its base") {
  const result<machine> m = read_machine(R"({
    "l1": {"size": "48K", "ways": 6, "mshrs": "unlimited"},
    "core": {"scheduler": "two-level", "active_warps": 8},
    "operations": {"fp_mad": {"latency": 6}},
    "base": "gtx480"
  })");
  REQUIRE(m);
  machine expected = timing::machines::gtx480();
  expected.l1.size = 49152;
  expected.l1.ways = 6;
  expected.l1.mshrs = timing::unlimited;
  expected.core.scheduler = timing::scheduler_kind::two_level;
  expected.core.active_warps = 8;
  expected.operations[timing::instruction_class::fp_mad].latency = 6;
  CHECK(*m == expected);

  const result<machine> plain = read_machine(" {\r\n} ");
  REQUIRE(plain);
  CHECK(*plain == machine{});
}

TEST_CASE("every shipped machine is written and read again") {
  for (const timing::shipped_machine& one : timing::shipped_machines()) comes_back(one.make());
  machine odd;
  odd.name = "a \"name\" \\ with\ttabs,\nlines, \x01 and \xc3\xa4";
  comes_back(odd);
  odd.name = "";
  comes_back(odd);
  odd.name = "\xff\xed\xa0\x80 \xc3";
  const result<machine> cut = read_machine(to_machine_text(odd));
  REQUIRE(cut);
  CHECK(cut->name == "???? ?");
}

TEST_CASE("random machines are written and read again") {
  std::mt19937_64 random(20261123);
  int changed = 0;
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const auto shipped = timing::shipped_machines();
    machine m = shipped[random() % shipped.size()].make();
    for (const timing::machine_field& f : timing::fields(m)) {
      if (random() % 4 != 0) continue;
      const machine before = m;
      if (f.choice != nullptr) *f.choice = static_cast<unsigned char>(random() % f.words.size());
      if (f.number != nullptr)
        *f.number = f.may_be_unlimited && random() % 3 == 0
                        ? timing::unlimited
                        : static_cast<std::uint32_t>(f.lowest + random() % (std::uint64_t{f.highest} - f.lowest + 1) /
                                                                    (std::uint64_t{1} << random() % 20));
      if (timing::diagnose(m).empty())
        ++changed;
      else
        m = before;
    }
    comes_back(m);
  }
  CHECK(changed > 5000);
}

TEST_CASE("strings of a machine file take the escapes of JSON") {
  const auto name = [](std::string_view text) {
    const result<machine> m = read_machine("{\"name\": \"" + std::string(text) + "\"}");
    return m ? m->name : "refused: " + m.diagnostics()[0].message;
  };
  CHECK(name(R"(\"\\\/\b\f\n\r\t)") == "\"\\/\b\f\n\r\t");
  CHECK(name(R"(\u0041\u00e4\u20AC)") == "A\xc3\xa4\xe2\x82\xac");
  CHECK(name(R"(\ud83d\ude00)") == "\xf0\x9f\x98\x80");
  const std::string refused = "refused: a backslash in a string begins an escape of JSON";
  CHECK(name(R"(\x)") == refused);
  CHECK(name(R"(\u12)") == refused);
  CHECK(name(R"(\ud83d)") == refused);
  CHECK(name(R"(\ud83dA)") == refused);
  CHECK(name(R"(\ude00)") == refused);
  CHECK(name("a\nb") == "refused: a string ends on its line, without control characters");
  CHECK(name("\xf0\x9f\x98\x80\xc3\xa4") == "\xf0\x9f\x98\x80\xc3\xa4");
  CHECK(name("\xc3") == "refused: a string is UTF-8");
  CHECK(name("a\x80") == "refused: a string is UTF-8");
}

TEST_CASE("diagnostics of machine files have places") {
  CHECK(wrong("") == "line 1, column 1: a machine file begins with an object: {\n");
  CHECK(wrong("[]") == "line 1, column 1: a machine file begins with an object: {\n");
  CHECK(wrong("{\n \"l1\": {\"sze\": 1}}") == "line 2, column 9: no field 'l1.sze' (did you mean l1.size?)\n");
  CHECK(wrong("{\"l2\": {\"size\": 3, \"size\": 4}}")
            .starts_with("line 1, column 20: the key 'size' stands twice in its object\n"));
  CHECK(wrong("{\"l1\": 5}") == "line 1, column 2: 'l1' is a part of a machine: name a field, such as l1.size\n");
  CHECK(wrong("{\"l1\": {\"size\": {\"x\": [1, {\"y\": \"}\"}]}}, \"cor\": {}}") ==
        "line 1, column 9: 'l1.size' is a value, not an object\n"
        "line 1, column 42: no field 'cor'\n");
  CHECK(wrong("{\"l1\": [1, 2]}") == "line 1, column 8: 'l1' is no list\n");
  CHECK(wrong("{\"base\": \"gtx48\"}") ==
        "line 1, column 10: no machine 'gtx48' (did you mean gtx480?): the machines are ideal, "
        "quadro_fx5800_plus_caches, quadro_fx5800_plus_caches_small_l2, gtx480, volta\n");
  CHECK(wrong("{\"base\": 480}") == "line 1, column 10: base is the name of a machine in quotes\n");
  CHECK(wrong("{\"name\": 480}") == "line 1, column 10: name is a text in quotes\n");
  CHECK(wrong("{\"core\": {\"mhz\": 0}}") == "line 1, column 18: core.mhz is from 1 to 100000 MHz, not '0'\n");
  CHECK(wrong("{\"core\": {\"mhz\": 1.5e3}}") ==
        "line 1, column 18: core.mhz needs a number, optionally with K or M, not '1.5e3'\n");
  CHECK(wrong("{\"core\": {\"mhz\": -700}}") ==
        "line 1, column 18: core.mhz needs a number, optionally with K or M, not '-700'\n");
  CHECK(wrong("{\"core\": {\"mhz\": true}}") ==
        "line 1, column 18: core.mhz needs a number, optionally with K or M, not 'true'\n");
  CHECK(wrong("{\"core\": {\"mhz\": 1K}}") ==
        "line 1, column 18: a value that is no number stands in quotes: \"1K\"\n");
  CHECK(wrong("{\"l1\": {\"ways\": 3, \"size\": 16384}}") ==
        "line 1, column 17: l1.ways: 3 does not divide the number of lines (128)\n");
  CHECK(wrong("{\"l1\": {\"size\": 16384}, \"l2\": {\"line\": 512}}") ==
        "partition.interleave: 256 is no multiple of l2.line (512)\n");
  CHECK(wrong("{} x") == "line 1, column 4: unexpected text after the object\n");
  CHECK(wrong("{\"l1\" {}}") == "line 1, column 7: expected : after a key\n");
  CHECK(wrong("{\"l1\": {},}") == "line 1, column 11: expected a key in quotes\n");
  CHECK(wrong("{\"l1\": {} \"l2\": {}}") == "line 1, column 11: expected , or }\n");
  CHECK(wrong("{\"l1\": }") == "line 1, column 8: expected a value\n");
  CHECK(wrong("{l1: 1}") == "line 1, column 2: expected a key in quotes\n");
}

TEST_CASE("broken machine files never crash") {
  const std::string text = to_machine_text(timing::machines::volta());
  for (std::size_t length = 0; length + 2 < text.size(); ++length)  // without the last bracket and line
    CHECK(!read_machine(std::string_view(text).substr(0, length)));

  for (const std::string_view piece : {"{\"l1\":", "[", "{\"x\":{", "{\"x\":[", "{\"operations\":{\"int_add\":"}) {
    std::string deep;
    for (int i = 0; i < 200'000; ++i) deep += piece;
    CHECK(!read_machine(deep));
    CHECK(!read_machine("{\"x\":" + deep));
    CHECK(!read_machine("{\"l1\":{\"size\":" + deep));
  }
  CHECK(!read_machine("{\"l1\": {\"size\": " + std::string(1'000'000, '9') + "}}"));
  CHECK(!read_machine("{\"l1\": {\"size\": \"" + std::string(1'000'000, '9') + "\"}}"));
  CHECK(!read_machine("{\"" + std::string(1'000'000, 'l') + "\": 1}"));
  std::string many = "{\"name\": \"x\"";
  for (int i = 0; i < 300'000; ++i) many += ",\"name\": \"x\"";
  const result<machine> twice = read_machine(many + '}');
  REQUIRE(!twice);
  CHECK(twice.diagnostics().size() == max_diagnostics);

  std::mt19937_64 random(7);
  const std::string_view letters = "{}[]\",:\\u0019KM \n\x80";
  for (int round = 0; round < 20'000; ++round) {
    std::string broken = R"({"base": "gtx480", "l1": {"size": "48K", "ways": 6}, "core": {"scheduler": "oldest"}})";
    for (std::size_t n = 1 + random() % 4; n > 0; --n) {
      const std::size_t at = random() % broken.size();
      switch (random() % 3) {
        case 0:
          broken[at] = letters[random() % letters.size()];
          break;
        case 1:
          broken.insert(at, 1, letters[random() % letters.size()]);
          break;
        default:
          broken.erase(at, 1 + random() % 5);
          if (broken.empty()) broken = "{";
      }
    }
    CAPTURE(broken);
    if (const result<machine> m = read_machine(broken)) {
      CHECK(timing::diagnose(*m).empty());
      comes_back(*m);
    }
  }
}
