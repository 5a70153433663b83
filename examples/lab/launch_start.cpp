// SPDX-License-Identifier: BSL-1.0
//
// The start of a buffer: "init", and what the command line says.
#include "lab/json_reader.hpp"
#include "lab/launch_values.hpp"
#include <simtflow/testing/random.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace lab {

namespace {

void read_random(json_reader& r, buffer& b, const nlohmann::json& j, const std::string& where, bool sums) {
  if (!r.only(j, where, {"seed", "low", "high"})) return;
  for (const char* key : {"seed", "low", "high"})
    if (!r.has(j, where, key)) return;
  simtflow::testing::rng random(r.whole(j["seed"], where + "/seed", 0, std::numeric_limits<std::uint64_t>::max()));
  if (is_float(b.type)) {
    if (sums) return r.fail(where, "offsets are whole numbers: the buffer's type must be an integer type");
    if (!j["low"].is_number() || !j["high"].is_number() || j["low"].get<double>() > j["high"].get<double>())
      return r.fail(where, "\"low\" and \"high\" must be numbers, the lower one first");
    (void)read_value(r, j["low"], b.type, where + "/low");
    (void)read_value(r, j["high"], b.type, where + "/high");
    const double low = j["low"].get<double>();
    const double span = j["high"].get<double>() - low;
    if (!std::isfinite(span)) return r.fail(where, "\"low\" and \"high\" are too far apart");
    for (std::size_t i = 0; i < b.count; ++i)
      store_element(b.bytes, b.type, i,
                    float_bits(low + span * std::ldexp(static_cast<double>(random.next() >> 40), -24), b.type));
    return;
  }
  const std::uint64_t low = read_value(r, j["low"], b.type, where + "/low");
  const std::uint64_t high = read_value(r, j["high"], b.type, where + "/high");
  const bool ordered =
      name_of(b.type)[0] == 's' ? static_cast<std::int64_t>(low) <= static_cast<std::int64_t>(high) : low <= high;
  if (!ordered) return r.fail(where, "\"low\" is above \"high\"");
  const std::uint64_t choices = high - low + 1;  // 0: all 2^64 values
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < b.count; ++i) {
    const std::uint64_t v = random.next();
    const std::uint64_t drawn = low + (choices == 0 ? v : v % choices);
    store_element(b.bytes, b.type, i, sums ? sum : drawn);
    sum += drawn;
  }
}

}  // namespace

void read_init(json_reader& r, buffer& b, const nlohmann::json& init, const std::string& where,
               const std::vector<buffer>& buffers) {
  static constexpr std::string_view ways = "zero, iota, fill, values, random, offsets, text, bytes, struct or file";
  const std::size_t size = size_of(b.type), found_before = r.found();
  const auto needs_count = [&] {
    if (b.count == 0) r.fail(where, "says not how many elements there are: the buffer needs a \"count\"");
    return b.count != 0;
  };
  // Takes raw memory; a buffer without a count gets as many elements as there are.
  const auto take = [&](std::vector<unsigned char> bytes, const std::string& at, bool may_be_shorter,
                        const char* what) {
    if (r.found() != found_before) return;
    if (b.count == 0) b.count = (bytes.size() + size - 1) / size;
    if (b.count == 0) return r.fail(at, "is empty");
    const bool fits = may_be_shorter ? bytes.size() <= b.count * size : bytes.size() == b.count * size;
    if (!fits)
      return r.fail(at, fmt::format("{} {} for the {} elements of \"{}\"", bytes.size() / (what[0] == 'b' ? 1 : size),
                                    what, b.count, b.name));
    bytes.resize(b.count * size);
    b.bytes = std::move(bytes);
  };
  if (init.is_string()) {
    const std::string way = init.get<std::string>();
    if (way != "iota" && way != "zero")
      return r.fail(where, fmt::format("unknown start \"{}\": it is one of {}", way, ways));
    if (!needs_count()) return;
    b.bytes.assign(b.count * size, 0);
    if (way == "iota")
      for (std::size_t i = 0; i < b.count; ++i)
        store_element(b.bytes, b.type, i, is_float(b.type) ? float_bits(static_cast<double>(i), b.type) : i);
    return;
  }
  if (!init.is_object() || (init.size() != 1 && !(init.size() == 2 && init.contains("struct"))))
    return r.fail(where, fmt::format("must be a word or an object with one key, one of {}", ways));
  const std::string way = init.contains("struct") ? "struct" : init.begin().key();
  const nlohmann::json& detail = init[way];
  const std::string at = fmt::format("{}/{}", where, way);
  b.pointers.clear();
  if (way == "fill") {
    if (!needs_count()) return;
    const std::uint64_t bits = read_value(r, detail, b.type, at);
    b.bytes.assign(b.count * size, 0);
    for (std::size_t i = 0; i < b.count; ++i) store_element(b.bytes, b.type, i, bits);
  } else if (way == "values") {
    take(read_values(r, detail, b.type, at), at, false, "values");
  } else if (way == "random" || way == "offsets") {
    if (!needs_count()) return;
    b.bytes.assign(b.count * size, 0);
    read_random(r, b, detail, at, way == "offsets");
  } else if (way == "text") {
    if (size != 1) return r.fail(at, "only buffers of type u8 and s8 hold text");
    std::vector<unsigned char> text = read_characters(r, detail, at);
    if (b.count == 0) text.push_back(0);
    take(std::move(text), at, true, "bytes");
  } else if (way == "bytes") {
    take(read_hexadecimal(r, detail, at), at, false, "bytes");
  } else if (way == "file") {
    take(read_elements(r, detail, b.type, at), at, false, "values");
  } else if (way == "struct") {
    const std::optional<raw_data> raw = read_raw(r, init, where, buffers);
    if (!raw) return;
    take(raw->bytes, at, false, "bytes");
    b.pointers = raw->pointers;
  } else {
    r.fail(where, fmt::format("unknown start \"{}\": it is one of {}", way, ways));
  }
}

}  // namespace lab
