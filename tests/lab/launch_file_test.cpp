// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>
#include <lab/files.hpp>
#include <lab/launch_file.hpp>
#include <lab/references.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace lab;

// A small launch file with one piece replaced.
std::string with(std::string_view what = {}, std::string_view by = {}) {
  std::string text = R"({
  "kernel": "k", "grid": [2, 3], "block": [32],
  "buffers": [{"name": "a", "type": "u32", "count": 4, "init": "iota"},
              {"name": "b", "type": "f32", "count": 2, "init": {"values": [1.5, -2]}}],
  "params": [{"buffer": "a"}, {"buffer": "b"}, {"s32": -3}, {"f32": 0.5}],
  "expect": [{"buffer": "a", "values": [0, 1, 2, 3]}]
})";
  if (what.empty()) return text;
  const auto at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

// The message that a text is refused with; empty if it is accepted.
std::string refusal(std::string_view text) {
  try {
    (void)parse_launch_file(text, "l.json");
  } catch (const input_error& e) {
    return e.what();
  }
  return {};
}

template <class T>
std::vector<T> elements(const buffer& b) {
  std::vector<T> v(b.count);
  std::memcpy(v.data(), b.bytes.data(), b.bytes.size());
  return v;
}

buffer filled(std::string_view type, std::string_view init) {
  const std::string text = R"({"grid": [1], "block": [1], "buffers": [{"name": "x", "count": 5, "type": ")" +
                           std::string(type) + R"(", "init": )" + std::string(init) + "}]}";
  return parse_launch_file(text, "l.json").buffers.at(0);
}

TEST_CASE("a launch file says what runs, on what, with what") {
  const launch_file f = parse_launch_file(with(), "l.json");
  CHECK(f.kernel == "k");
  CHECK(f.grid == std::array<std::uint32_t, 3>{2, 3, 1});
  CHECK(f.thread_blocks() == 6);
  CHECK(f.threads_per_block() == 32);
  CHECK(f.warp_width == 32);
  REQUIRE(f.buffers.size() == 2);
  CHECK(elements<std::uint32_t>(f.buffers[0]) == std::vector<std::uint32_t>{0, 1, 2, 3});
  CHECK(elements<float>(f.buffers[1]) == std::vector<float>{1.5f, -2.0f});
  REQUIRE(f.params.size() == 4);
  CHECK(f.params[1].buffer == 1);
  CHECK(static_cast<std::uint32_t>(f.params[2].bits) == 0xFFFFFFFDU);
  CHECK(f.params[3].bits == 0x3F000000U);
  REQUIRE(f.expect.size() == 1);
  CHECK(f.expect[0].values == f.buffers[0].bytes);
}

TEST_CASE("buffers start as told") {
  CHECK(elements<std::uint8_t>(filled("u8", R"("zero")")) == std::vector<std::uint8_t>(5, 0));
  CHECK(elements<double>(filled("f64", R"("iota")")) == std::vector<double>{0, 1, 2, 3, 4});
  CHECK(elements<std::int16_t>(filled("s16", R"({"fill": -7})")) == std::vector<std::int16_t>(5, -7));
  const auto random = elements<std::int32_t>(filled("s32", R"({"random": {"seed": 1, "low": -2, "high": 2}})"));
  for (const auto v : random) CHECK((v >= -2 && v <= 2));
  CHECK(elements<std::int32_t>(filled("s32", R"({"random": {"seed": 1, "low": -2, "high": 2}})")) == random);
  CHECK(elements<std::int32_t>(filled("s32", R"({"random": {"seed": 2, "low": -2, "high": 2}})")) != random);
  for (const auto v : elements<float>(filled("f32", R"({"random": {"seed": 1, "low": 2, "high": 3}})")))
    CHECK((v >= 2 && v <= 3));
  const auto offsets = elements<std::uint32_t>(filled("u32", R"({"offsets": {"seed": 1, "low": 3, "high": 4}})"));
  CHECK(offsets[0] == 0);
  for (std::size_t i = 1; i < offsets.size(); ++i)
    CHECK((offsets[i] - offsets[i - 1] == 3 || offsets[i] - offsets[i - 1] == 4));
  // splitmix64 from 0: its published first output.
  CHECK(elements<std::uint64_t>(filled(
            "u64", R"({"random": {"seed": 0, "low": 0, "high": 18446744073709551615}})"))[0] == 0xE220A8397B1DCDAFU);
}

TEST_CASE("text that is not JSON is refused with line and column") {
  CHECK(refusal("") == "l.json:1:1: the file is empty");
  CHECK(refusal(" \n ") == "l.json:1:1: the file is empty");
  CHECK(refusal("grid = 4").starts_with("l.json:1:1: not JSON: "));
  CHECK(refusal("{\n  \"grid\": [1,\n").starts_with("l.json:3:1: not JSON: "));
  CHECK(refusal("{\"grid\": [1e999]}").starts_with("l.json:1:11: not usable: "));
  CHECK(refusal(R"({"grid": [1], "grid": [2], "block": [1]})") ==
        "l.json: the key \"grid\" stands twice in one object");
  CHECK(refusal(std::string(200000, '[')).starts_with("l.json:1:200001: not JSON: "));
}

TEST_CASE("each mistake is named with its place") {
  struct mistake {
    std::string_view what, by, message;
  };
  const mistake mistakes[] = {
      {R"("grid": [2, 3])", R"("gird": [2, 3])", "l.json: /: unknown key \"gird\""},
      {R"("grid": [2, 3], )", "", "l.json: /: \"grid\" is missing"},
      {"[2, 3]", "[0]", "l.json: /grid/0: 0 is out of range: 1 to 2147483647"},
      {"[2, 3]", "[-1]", "l.json: /grid/0: -1 is out of range"},
      {"[2, 3]", "[2, 65536]", "l.json: /grid/1: 65536 is out of range"},
      {"[2, 3]", "[2147483647, 65535, 65535]", "l.json: /grid: more than"},
      {"[2, 3]", "[99999999999999999999]", "l.json: /grid/0: must be a whole number"},
      {"[2, 3]", "[1.5]", "l.json: /grid/0: must be a whole number, not 1.5"},
      {"[2, 3]", "[]", "l.json: /grid: must be an array of one to three"},
      {"[2, 3]", "7", "l.json: /grid: must be an array of one to three"},
      {"[32]", "[32, 33]", "l.json: /block: 1056 threads: at most 1024 fit"},
      {"[32]", "[\"32\"]", "l.json: /block/0: must be a whole number, not a string"},
      {R"("kernel": "k")", R"("kernel": 3)", "l.json: /kernel: must be a string, not a number"},
      {R"("kernel": "k")", R"("warp_width": 1025)", "l.json: /warp_width: 1025 is out of range: 1 to 1024"},
      {R"("kernel": "k")", R"("dynamic_shared_bytes": 999999)",
       "l.json: /dynamic_shared_bytes: 999999 is out of range"},
      {R"("type": "u32")", R"("type": "u33")", "l.json: /buffers/0/type: unknown type \"u33\""},
      {R"("type": "u32", )", "", "l.json: /buffers/0: \"type\" is missing"},
      {R"("count": 4)", R"("count": 0)", "l.json: /buffers/0/count: 0 is out of range"},
      {R"("count": 4)", R"("count": 4611686018427387904)",
       "l.json: /buffers/0/count: 4611686018427387904 is out of range"},
      {R"("count": 4)", R"("count": 67108864)", "l.json: /buffers/1/count: all buffers together are larger"},
      {R"("name": "b")", R"("name": "a")", "l.json: /buffers/1/name: there is a buffer \"a\" already"},
      {R"("iota")", R"("itoa")", "l.json: /buffers/0/init: unknown start \"itoa\""},
      {R"("iota")", "[1]", "l.json: /buffers/0/init: must be a word or an object"},
      {R"("iota")", R"({"fill": -1})", "l.json: /buffers/0/init/fill: -1 does not fit type u32"},
      {R"("iota")", R"({"values": [1, 2]})", "l.json: /buffers/0/init/values: 2 values for the 4 elements of \"a\""},
      {R"("iota")", R"({"random": {"seed": 1, "low": 5, "high": 4}})",
       "l.json: /buffers/0/init/random: \"low\" is above"},
      {R"("iota")", R"({"random": {"seed": 1, "low": 5}})", "l.json: /buffers/0/init/random: \"high\" is missing"},
      {"[1.5, -2]", "[1.5, 1e39]", "l.json: /buffers/1/init/values/1: 1e+39 does not fit type f32"},
      {"[1.5, -2]", "[1.5, null]", "l.json: /buffers/1/init/values/1: must be a number of type f32, not null"},
      {R"([{"buffer": "a"}, )", R"([{"buffer": "c"}, )", "l.json: /params/0/buffer: there is no buffer \"c\""},
      {R"({"s32": -3})", R"({"s8": -129})", "l.json: /params/2/s8: -129 does not fit type s8"},
      {R"({"s32": -3})", R"({"u32": -3})", "l.json: /params/2/u32: -3 does not fit type u32"},
      {R"({"s32": -3})", R"({"s32": 2147483648})", "l.json: /params/2/s32: 2147483648 does not fit type s32"},
      {R"({"s32": -3})", R"({"i32": 3})", "l.json: /params/2: unknown key \"i32\""},
      {R"({"s32": -3})", "3", "l.json: /params/2: must be an object with one key"},
      {"[0, 1, 2, 3]", "[0, 1]", "l.json: /expect/0/values: 2 values for the 4 elements"},
      {R"("values": [0, 1, 2, 3])", R"("reference": "nobody")",
       "l.json: /expect/0/reference: unknown reference program"},
      {R"("values": [0, 1, 2, 3])", R"("tolerance": 1)", "l.json: /expect/0: must have either"},
      {R"([0, 1, 2, 3])", R"([0, 1, 2, 3], "tolerance": 1)", "l.json: /expect/0/tolerance: only floats"},
      {R"("kernel": "k")", R"("verdicts": {"fast": "finished"})", "l.json: /verdicts: \"fast\" is no policy"},
      {R"("kernel": "k")", R"("verdicts": {"pdom": "stuck"})", "l.json: /verdicts/pdom: unknown verdict \"stuck\""},
      {R"("kernel": "k")", R"("kernel": "k\u0000")", "l.json: /kernel: must not hold control characters"},
      {R"("kernel": "k")", R"("warp_width": 1e400)", "l.json:2:17: not usable: number overflow parsing '1e400'"},
      {R"("type": "f32", "count": 2, "init": {"values": [1.5, -2]})",
       R"("type": "f64", "count": 2, "init": {"random": {"seed": 1, "low": -1.7e308, "high": 1.7e308}})",
       "l.json: /buffers/1/init/random: \"low\" and \"high\" are too far apart"},
  };
  for (const mistake& m : mistakes) {
    const std::string said = refusal(with(m.what, m.by));
    CAPTURE(m.by);
    CHECK_MESSAGE(said.find(m.message) != std::string::npos, said, "\n  does not say\n", m.message);
  }
  CHECK(refusal("[1]") == "l.json: /: a launch file is an object, not an array");
}

TEST_CASE("several mistakes come at once, a line each") {
  const std::string said = refusal(R"({"grid": [0], "block": [0], "buffers": 3})");
  CHECK(said ==
        "l.json: /grid/0: 0 is out of range: 1 to 2147483647\n"
        "l.json: /block/0: 0 is out of range: 1 to 1024\n"
        "l.json: /buffers: must be an array, not a number");
}

TEST_CASE("a buffer's mistake is not said again by what expects its values") {
  CHECK(refusal(with("\"count\": 4", "\"count\": 0")) == "l.json: /buffers/0/count: 0 is out of range: 1 to 67108864");
}

TEST_CASE("a hundred mistakes are enough") {
  std::string params;
  for (int i = 0; i < 1000; ++i) params += i == 0 ? "0" : ", 0";
  const std::string said = refusal(R"({"grid": [1], "block": [1], "params": [)" + params + "]}");
  CHECK(std::count(said.begin(), said.end(), '\n') == 99);
  CHECK(said.ends_with("/params/99: too many diagnostics; the rest is left out"));
}

TEST_CASE("a reference program that does not fit the launch says so") {
  const std::string text = R"({"grid": [2], "block": [8], "buffers": [{"name": "keys", "type": "u32", "count": 15}],
                               "params": [{"buffer": "keys"}]})";
  const launch_file f = parse_launch_file(text, "l.json");
  host_launch run(f);
  CHECK_THROWS_WITH_AS(find_reference("bitonic_sort")(run),
                       "the reference program needs element 15 of buffer \"keys\", which has 15", input_error);
  const launch_file none =
      parse_launch_file(R"({"grid": [1], "block": [1], "params": [{"u32": 0}, {"u32": 0}]})", "l.json");
  const host_launch sizes(none);
  CHECK_THROWS_WITH_AS((void)sizes.size(1), "the reference program expects parameter 1 not to be 0", input_error);
  CHECK_THROWS_WITH_AS(find_reference("figure1")(run), "the reference program expects a buffer as parameter 1",
                       input_error);
}

}  // namespace
