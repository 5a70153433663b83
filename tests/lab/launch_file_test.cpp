// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>
#include <lab/files.hpp>
#include <lab/launch_file.hpp>
#include <lab/launch_writer.hpp>
#include <lab/references.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
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
      {R"({"s32": -3})", R"({"f16": 70000})", "l.json: /params/2/f16: 70000 does not fit type f16"},
      {R"({"s32": -3})", R"({"f32": "Nan"})", "l.json: /params/2/f32: \"Nan\" is no value of type f32: \"nan\","},
      {R"({"s32": -3})", R"({"u16": "0x12345"})", "l.json: /params/2/u16: \"0x12345\" is no value of type u16"},
      {R"({"s32": -3})", R"({"buffer": "a", "offset": -4})", "l.json: /params/2/offset: -4 is out of range"},
      {R"({"s32": -3})", R"({"bytes": "0g"})", "l.json: /params/2/bytes: byte 0 has other characters"},
      {R"({"s32": -3})", R"({"bytes": "012"})", "l.json: /params/2/bytes: 3 hexadecimal digits"},
      {R"({"s32": -3})", R"({"struct": [{"u8": 1}, {"u33": 2}]})", "l.json: /params/2/struct/1: unknown key \"u33\""},
      {R"({"s32": -3})", R"({"struct": [{"u8": 1, "u16": 2}]})",
       "l.json: /params/2/struct/0: has the keys \"u16\" and"},
      {R"({"s32": -3})", R"({"struct": [{"u32": 1}], "size": 3})", "l.json: /params/2/size: 3 bytes for members of 4"},
      {R"({"s32": -3})", R"({"struct": [{"at": 1}]})", "l.json: /params/2/struct/0: has no key of a value"},
      {R"({"s32": -3})", R"({"struct": [{"u8": 1, "at": 1048576}]})",
       "l.json: /params/2/struct/0: the structure is larger"},
      {R"({"s32": -3})", R"({"file": "nowhere.bin"})", "l.json: /params/2/file: nowhere.bin: no such file"},
      {R"({"s32": -3})", R"({"file": "/dev/null"})", "l.json: /params/2/file: /dev/null: is no regular file"},
      {R"("iota")", R"({"text": "abcd"})", "l.json: /buffers/0/init/text: only buffers of type u8 and s8"},
      {R"("iota")", R"({"bytes": "00"})", "l.json: /buffers/0/init/bytes: 1 bytes for the 4 elements of \"a\""},
      {R"("count": 4, "init": "iota")", R"("init": {"fill": 1})",
       "l.json: /buffers/0/init: says not how many elements"},
      {R"("count": 4, "init": "iota")", R"("init": {"values": []})", "l.json: /buffers/0/init/values: is empty"},
      {R"("count": 4, "init": "iota")", R"("init": "iota")", "l.json: /buffers/0: \"count\" is missing"},
      {R"("count": 4)", R"("count": 4, "address": 16)", "l.json: /buffers/0/address: 16 is out of range"},
      {R"("kernel": "k")", R"("variables": 3)", "l.json: /variables: must be an object, not a number"},
      {R"("kernel": "k")", R"("variables": {"v": [[1]]})", "l.json: /variables/v: must be an array of numbers"},
      {R"("kernel": "k")", R"("variables": {"v": {}})", "l.json: /variables/v: has no key of a value"},
      {R"("kernel": "k")", R"("set": {"c": "zero"})", "l.json: /set/c: there is no buffer \"c\""},
      {R"("kernel": "k")", R"("set": {"a": {"values": [1]}})", "l.json: /set/a/values: 1 values for the 4 elements"},
      {R"("kernel": "k")", R"("launches": [])", "l.json: /launches: must not be empty"},
      {R"("kernel": "k")", R"("launches": 3)", "l.json: /launches: must be an array, not a number"},
      {R"("kernel": "k")", R"("launches": [{"grid": [0]}])", "l.json: /launches/0/grid/0: 0 is out of range"},
      {R"("kernel": "k")", R"("launches": [{"buffers": []}])", "l.json: /launches/0: unknown key \"buffers\""},
      {R"("kernel": "k")", R"("launches": [{"params": [{"buffer": "z"}]}])",
       "l.json: /launches/0/params/0/buffer: there is no buffer \"z\""},
      {R"({"buffer": "a", "values": [0, 1, 2, 3]})", R"({"buffer": "a", "variable": "v"})",
       "l.json: /expect/0: checks a buffer or a variable, not both"},
      {R"("values": [0, 1, 2, 3])", R"("command": [])", "l.json: /expect/0/command: must name a program"},
      {R"("values": [0, 1, 2, 3])", R"("command": [7])", "l.json: /expect/0/command/0: must be a string"},
      {R"("values": [0, 1, 2, 3])", R"("values": [0, 1, 2, 3], "fill": 0)", "l.json: /expect/0: must have either"},
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

TEST_CASE("buffers hold halves, special values, text and raw memory") {
  CHECK(elements<std::uint16_t>(filled("f16", R"({"values": [1, -2, 65504, 0.1, "nan"]})")) ==
        std::vector<std::uint16_t>{0x3C00, 0xC000, 0x7BFF, 0x2E66, 0x7FFF});
  CHECK(elements<std::uint16_t>(filled("bf16", R"({"values": [1, -2, 3.389e38, 0.1, "-inf"]})")) ==
        std::vector<std::uint16_t>{0x3F80, 0xC000, 0x7F80 - 1, 0x3DCD, 0xFF80});
  // Halfway between two halves and a little above: rounded once, not by way of a single.
  CHECK(elements<std::uint16_t>(filled("f16", R"({"fill": 1.00048828125000001})"))[0] == 0x3C00);
  CHECK(elements<std::uint16_t>(filled("f16", R"({"fill": 1.0004882812500002})"))[0] == 0x3C01);
  CHECK(elements<std::uint32_t>(filled("f32", R"({"fill": "0x7fc00001"})"))[4] == 0x7FC00001U);
  CHECK(elements<std::uint8_t>(filled("u8", R"({"text": "ab"})")) == std::vector<std::uint8_t>{'a', 'b', 0, 0, 0});
  CHECK(elements<std::uint16_t>(filled("u16", R"({"bytes": "0102 0304 0506 0708 090a"})"))[4] == 0x0A09);
}

TEST_CASE("a structure is laid out as in C") {
  const auto raw = [](std::string_view members) {
    const launch_file f = parse_launch_file(
        R"({"grid": [1], "block": [1], "buffers": [{"name": "b", "type": "u8", "count": 64}], "params": [)" +
            std::string(members) + "]}",
        "l.json");
    REQUIRE(f.params.size() == 1);
    REQUIRE(f.params[0].raw);
    return *f.params[0].raw;
  };
  struct c_layout {
    std::uint8_t a = 1;
    std::uint16_t b = 2;
    struct {
      double x = 0.5;
      std::uint8_t y[3] = {7, 8, 9};
    } c;
    void* p = nullptr;
    std::uint8_t d = 3;
  } const same;
  const raw_data s = raw(R"({"struct": [{"u8": 1}, {"u16": 2}, {"struct": [{"f64": 0.5}, {"u8": [7, 8, 9]}]},
                             {"buffer": "b", "offset": 5}, {"u8": 3}]})");
  REQUIRE(s.bytes.size() == sizeof same);
  REQUIRE(s.pointers.size() == 1);
  CHECK(s.pointers[0].at == offsetof(c_layout, p));
  CHECK(s.pointers[0].offset == 5);
  CHECK(s.bytes[offsetof(c_layout, a)] == same.a);
  CHECK(s.bytes[offsetof(c_layout, b)] == same.b);
  CHECK(std::memcmp(s.bytes.data() + offsetof(c_layout, c), &same.c.x, sizeof same.c.x) == 0);
  CHECK(std::memcmp(s.bytes.data() + offsetof(c_layout, c) + offsetof(decltype(c_layout::c), y), same.c.y, 3) == 0);
  CHECK(s.bytes[offsetof(c_layout, d)] == same.d);
  const raw_data placed = raw(R"({"struct": [{"u32": 9, "at": 6}, {"u8": 1, "at": 0}], "size": 12})");
  CHECK(placed.bytes == std::vector<unsigned char>{1, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0});
  std::string deep = R"({"u8": 1})";
  for (int i = 0; i < 5000; ++i) deep = R"({"struct": [)" + deep + "]}";
  CHECK(refusal(R"({"grid": [1], "block": [1], "params": [)" + deep + "]}").find("nested more than 32 deep") !=
        std::string::npos);
}

TEST_CASE("several launches share what stands beside them") {
  launch_file f = parse_launch_file(R"({"kernel": "k", "block": [8], "params": [{"u32": 1}], "variables": {"v": 1},
      "buffers": [{"name": "a", "type": "u8", "count": 2}],
      "launches": [{"grid": [1]}, {"grid": [2], "kernel": "l", "module": "m.ptx", "params": [], "set": {"a": "iota"}}],
      "expect": [{"buffer": "a", "values": [0, 1]}, {"variable": "v", "u32": 1}]})",
                                    "folder/l.json");
  REQUIRE(f.launches.size() == 2);
  CHECK(f.kernel == "k");
  CHECK(f.variables.size() == 1);
  CHECK(f.expect.empty());
  f.take(1);
  CHECK(f.kernel == "l");
  CHECK(f.module == "folder/m.ptx");
  CHECK(f.grid[0] == 2);
  CHECK(f.block[0] == 8);
  CHECK(f.params.empty());
  CHECK(f.variables.empty());
  CHECK(f.set.size() == 1);
  CHECK(f.expect.size() == 2);
  CHECK(f.place() == "folder/l.json: /launches/1");
}

TEST_CASE("a written launch is read again: buffers at their addresses, pointers by buffer") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "simtflow-launch-writer-test";
  const std::vector<unsigned char> before{1, 2, 3, 4, 5, 6, 7, 8}, after{1, 2, 3, 4, 5, 6, 7, 9}, zero(16);
  const std::uint64_t inside = 0x7F00'0000'1004;
  const std::int32_t count = -8;
  unsigned char pair[24] = {1};
  std::memcpy(pair + 8, &inside, sizeof inside);
  const auto bytes = [](const auto& v) {
    return std::span<const unsigned char>(reinterpret_cast<const unsigned char*>(&v), sizeof v);
  };
  recorded_launch one;
  one.name = "case";
  one.ptx = ".version 7.0\n";
  one.kernel = "k";
  one.grid[1] = 3;
  one.parameters = {{"b64", bytes(inside)}, {"s32", bytes(count)}, {"b8", bytes(pair)}};
  one.buffers = {{0x7F00'0000'1000, before, after, {}}, {0x1000'0000, zero, zero, "zeros"}};
  one.variables = {{"v", before, before}};
  REQUIRE(write_launch(folder.string(), one) == "");
  const std::string path = (folder / "case.launch.json").string();
  const launch_file f = parse_launch_file(read_text(path), path);
  CHECK(f.kernel == "k");
  CHECK(f.module == (folder / "case.ptx").string());
  CHECK(f.grid[1] == 3);
  REQUIRE(f.buffers.size() == 2);
  CHECK(f.buffers[0].bytes == before);
  CHECK(f.buffers[0].address == 0x7F00'0000'1000);
  CHECK(f.buffers[1].bytes == zero);
  REQUIRE(f.params.size() == 3);
  CHECK(f.params[0].buffer == 0);
  CHECK(f.params[0].offset == 4);
  CHECK(static_cast<std::int32_t>(f.params[1].bits) == count);
  REQUIRE(f.params[2].raw);
  CHECK(f.params[2].raw->bytes.size() == 24);
  CHECK(f.params[2].raw->pointers.at(0).at == 8);
  REQUIRE(f.expect.size() == 3);
  CHECK(f.expect[0].values == after);
  CHECK(f.expect[2].variable->raw.bytes == before);
  CHECK(f.variables.at(0).raw.bytes == before);
  std::filesystem::remove_all(folder);
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
