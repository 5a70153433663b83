// SPDX-License-Identifier: BSL-1.0
#include "lab/launch_values.hpp"

#include "lab/data_file.hpp"
#include "lab/files.hpp"
#include "lab/json_reader.hpp"
#include <simtflow/ptx/machine/values/half.hpp>
#include <simtflow/testing/random.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <system_error>

namespace lab {

using nlohmann::json;

namespace {

struct scalar_facts {
  std::string_view name;
  std::size_t size;
  bool is_float;
  bool is_signed;
};
constexpr std::array<scalar_facts, 12> scalar_table{{{"u8", 1, false, false},
                                                     {"s8", 1, false, true},
                                                     {"u16", 2, false, false},
                                                     {"s16", 2, false, true},
                                                     {"u32", 4, false, false},
                                                     {"s32", 4, false, true},
                                                     {"u64", 8, false, false},
                                                     {"s64", 8, false, true},
                                                     {"f32", 4, true, true},
                                                     {"f64", 8, true, true},
                                                     {"f16", 2, true, true},
                                                     {"bf16", 2, true, true}}};
constexpr const scalar_facts& facts_of(scalar type) { return scalar_table[static_cast<std::size_t>(type)]; }

constexpr std::size_t most_struct_bytes = std::size_t{1} << 20;
constexpr unsigned most_nesting = 32;

using f16 = simtflow::ptx::detail::f16_format;
using bf16 = simtflow::ptx::detail::bf16_format;

void store(std::vector<unsigned char>& bytes, scalar type, std::size_t i, std::uint64_t bits) {
  const std::size_t size = facts_of(type).size;
  std::memcpy(bytes.data() + i * size, &bits, size);
}

// True if a finite number stays finite in the type.
bool is_in_range(double v, scalar type) {
  if (!std::isfinite(v) || type == scalar::f64) return true;
  if (type == scalar::f32) return std::abs(v) <= static_cast<double>(std::numeric_limits<float>::max());
  const std::uint64_t infinity = type == scalar::f16 ? f16::infinity : bf16::infinity;
  return (float_bits(v, type) & 0x7FFFU) < infinity;
}

// The bits of a number; nothing if it does not fit the type. \pre j is a number
std::optional<std::uint64_t> bits_of_number(const json& j, scalar type) {
  const scalar_facts& t = facts_of(type);
  if (t.is_float) {
    const double v = j.get<double>();
    return is_in_range(v, type) ? std::optional(float_bits(v, type)) : std::nullopt;
  }
  const unsigned width = static_cast<unsigned>(8 * t.size);
  const std::uint64_t most = ~std::uint64_t{0} >> (64 - width + (t.is_signed ? 1 : 0));
  bool fits = j.is_number_integer();
  if (fits && j.is_number_unsigned())
    fits = j.get<std::uint64_t>() <= most;
  else if (fits)
    fits = t.is_signed && j.get<std::int64_t>() >= -static_cast<std::int64_t>(most) - 1;
  if (!fits) return std::nullopt;
  return j.is_number_unsigned() ? j.get<std::uint64_t>() : static_cast<std::uint64_t>(j.get<std::int64_t>());
}

// Hexadecimal digits as bytes.
std::vector<unsigned char> read_hexadecimal(json_reader& r, const json& j, const std::string& where) {
  std::vector<unsigned char> bytes;
  if (!j.is_string()) {
    r.fail(where, fmt::format("must be a string of hexadecimal digits, not {}", json_reader::kind(j)));
    return bytes;
  }
  std::string digits;
  for (const char c : j.get_ref<const std::string&>())
    if (c != ' ') digits += c;
  if (digits.size() % 2 != 0) r.fail(where, fmt::format("{} hexadecimal digits: a byte has two", digits.size()));
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    unsigned char byte = 0;
    const char* const end = digits.data() + i + 2;
    const auto [rest, problem] = std::from_chars(digits.data() + i, end, byte, 16);
    if (problem != std::errc() || rest != end) {
      r.fail(where, fmt::format("byte {} has other characters than hexadecimal digits", i / 2));
      break;
    }
    bytes.push_back(byte);
  }
  return bytes;
}

std::vector<unsigned char> read_file(json_reader& r, const json& j, scalar type, const std::string& where) {
  const std::string name = r.text(j, where);
  if (name.empty()) return {};
  try {
    return read_data_file((std::filesystem::path(r.folder()) / name).string(), type);
  } catch (const input_error& e) {
    r.fail(where, e.what());
  } catch (const std::filesystem::filesystem_error& e) {
    r.fail(where, e.what());
  }
  return {};
}

std::vector<unsigned char> read_characters(json_reader& r, const json& j, const std::string& where) {
  if (!j.is_string()) {
    r.fail(where, fmt::format("must be a string, not {}", json_reader::kind(j)));
    return {};
  }
  const auto& text = j.get_ref<const std::string&>();
  return {text.begin(), text.end()};
}

void read_random(json_reader& r, buffer& b, const json& j, const std::string& where, bool sums) {
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
      store(b.bytes, b.type, i,
            float_bits(low + span * std::ldexp(static_cast<double>(random.next() >> 40), -24), b.type));
    return;
  }
  const std::uint64_t low = read_value(r, j["low"], b.type, where + "/low");
  const std::uint64_t high = read_value(r, j["high"], b.type, where + "/high");
  const bool ordered =
      facts_of(b.type).is_signed ? static_cast<std::int64_t>(low) <= static_cast<std::int64_t>(high) : low <= high;
  if (!ordered) return r.fail(where, "\"low\" is above \"high\"");
  const std::uint64_t choices = high - low + 1;  // 0: all 2^64 values
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < b.count; ++i) {
    const std::uint64_t v = random.next();
    const std::uint64_t drawn = low + (choices == 0 ? v : v % choices);
    store(b.bytes, b.type, i, sums ? sum : drawn);
    sum += drawn;
  }
}

// Structures and what they are made of.
class raw_reader {
 public:
  raw_reader(json_reader& r, const std::vector<buffer>& buffers) : r_(r), buffers_(buffers) {}

  std::optional<raw_data> read(const json& j, const std::string& where, std::initializer_list<std::string_view> beside,
                               unsigned depth) {
    static constexpr std::string_view ways = "a type, buffer, variable, bytes, struct, text or file";
    if (!j.is_object()) {
      r_.fail(where, fmt::format("must be an object with the key of a value ({}), not {}", ways, json_reader::kind(j)));
      return std::nullopt;
    }
    std::string way;
    for (const auto& [key, value] : j.items()) {
      if (std::find(beside.begin(), beside.end(), key) != beside.end()) continue;
      if (key == "offset" && (j.contains("buffer") || j.contains("variable"))) continue;
      if (key == "size" && j.contains("struct")) continue;
      if (!way.empty()) {
        r_.fail(where, fmt::format("has the keys \"{}\" and \"{}\": one is too many", way, key));
        return std::nullopt;
      }
      way = key;
    }
    if (way.empty()) {
      r_.fail(where, fmt::format("has no key of a value: {}", ways));
      return std::nullopt;
    }
    const json& detail = j[way];
    const std::string at = where + '/' + way;
    raw_data raw;
    if (const auto type = scalar_named(way)) {
      raw.align = size_of(*type);
      if (detail.is_array()) {
        raw.bytes = read_values(r_, detail, *type, at);
      } else {
        raw.bytes.resize(size_of(*type));
        store(raw.bytes, *type, 0, read_value(r_, detail, *type, at));
      }
    } else if (way == "buffer" || way == "variable") {
      pointer p;
      if (way == "buffer")
        p.buffer = read_buffer_name(r_, detail, at, buffers_);
      else
        p.variable = r_.text(detail, at);
      if (!p.buffer && p.variable.empty()) return std::nullopt;
      if (j.contains("offset")) p.offset = r_.whole(j["offset"], where + "/offset", 0, most_buffer_bytes);
      raw.bytes.resize(8);
      raw.align = 8;
      raw.pointers.push_back(p);
    } else if (way == "bytes") {
      raw.bytes = read_hexadecimal(r_, detail, at);
    } else if (way == "text") {
      raw.bytes = read_characters(r_, detail, at);
      raw.bytes.push_back(0);
    } else if (way == "file") {
      raw.bytes = read_file(r_, detail, scalar::u8, at);
    } else if (way == "struct") {
      return read_struct(j, where, depth);
    } else {
      r_.fail(where, fmt::format("unknown key \"{}\": a value has one of {}", way, ways));
      return std::nullopt;
    }
    return raw;
  }

 private:
  std::optional<raw_data> read_struct(const json& j, const std::string& where, unsigned depth) {
    raw_data all;
    if (depth == most_nesting) {
      r_.fail(where, fmt::format("structures are nested more than {} deep", most_nesting));
      return std::nullopt;
    }
    const std::size_t found_before = r_.found();
    r_.for_each(j["struct"], where + "/struct", [&](const json& member, const std::string& place) {
      const std::optional<raw_data> one = read(member, place, {"at"}, depth + 1);
      if (!one) return;
      std::size_t at = (all.bytes.size() + one->align - 1) / one->align * one->align;
      if (member.contains("at"))
        at = static_cast<std::size_t>(r_.whole(member["at"], place + "/at", 0, most_struct_bytes));
      if (at + one->bytes.size() > most_struct_bytes)
        return r_.fail(place, fmt::format("the structure is larger than {} bytes", most_struct_bytes));
      all.bytes.resize(std::max(all.bytes.size(), at + one->bytes.size()));
      std::copy(one->bytes.begin(), one->bytes.end(), all.bytes.begin() + static_cast<std::ptrdiff_t>(at));
      for (pointer p : one->pointers) {
        p.at += at;
        all.pointers.push_back(p);
      }
      all.align = std::max(all.align, one->align);
    });
    if (j.contains("size")) {
      const auto size = static_cast<std::size_t>(r_.whole(j["size"], where + "/size", 0, most_struct_bytes));
      if (size < all.bytes.size() && r_.found() == found_before)
        r_.fail(where + "/size", fmt::format("{} bytes for members of {}", size, all.bytes.size()));
      all.bytes.resize(std::max(size, all.bytes.size()));
    } else {
      all.bytes.resize((all.bytes.size() + all.align - 1) / all.align * all.align);
    }
    return r_.found() == found_before ? std::optional(std::move(all)) : std::nullopt;
  }

  json_reader& r_;
  const std::vector<buffer>& buffers_;
};

}  // namespace

std::string_view name_of(scalar type) { return facts_of(type).name; }
std::size_t size_of(scalar type) { return facts_of(type).size; }
bool is_float(scalar type) { return facts_of(type).is_float; }

std::optional<scalar> scalar_named(std::string_view name) {
  for (std::size_t i = 0; i < scalar_table.size(); ++i)
    if (scalar_table[i].name == name) return static_cast<scalar>(i);
  return std::nullopt;
}

std::uint64_t float_bits(double v, scalar type) {
  if (type == scalar::f64) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &v, sizeof v);
    return bits;
  }
  if (type == scalar::f16 || type == scalar::bf16) {
    const float single = simtflow::ptx::detail::single_to_odd(v);  // so that it is rounded once
    return type == scalar::f16 ? f16::narrow(single) : bf16::narrow(single);
  }
  const float narrow = static_cast<float>(v);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &narrow, sizeof narrow);
  return bits;
}

double number_at(std::span<const unsigned char> bytes, scalar type, std::size_t i) {
  const auto as = [&](auto value) {
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    return value;
  };
  switch (type) {
    case scalar::u8:
      return static_cast<double>(as(std::uint8_t{}));
    case scalar::s8:
      return static_cast<double>(as(std::int8_t{}));
    case scalar::u16:
      return static_cast<double>(as(std::uint16_t{}));
    case scalar::s16:
      return static_cast<double>(as(std::int16_t{}));
    case scalar::u32:
      return static_cast<double>(as(std::uint32_t{}));
    case scalar::s32:
      return static_cast<double>(as(std::int32_t{}));
    case scalar::u64:
      return static_cast<double>(as(std::uint64_t{}));
    case scalar::s64:
      return static_cast<double>(as(std::int64_t{}));
    case scalar::f32:
      return static_cast<double>(as(float{}));
    case scalar::f16:
      return static_cast<double>(f16::widen(as(std::uint16_t{})));
    case scalar::bf16:
      return static_cast<double>(bf16::widen(as(std::uint16_t{})));
    case scalar::f64:
      break;
  }
  return as(double{});
}

std::string element_text(std::span<const unsigned char> bytes, scalar type, std::size_t i) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + i * size_of(type), size_of(type));
  if (type == scalar::u64) return fmt::format("{}", bits);
  if (type == scalar::s64) return fmt::format("{}", static_cast<std::int64_t>(bits));
  const double v = number_at(bytes, type, i);
  if (!is_float(type)) return fmt::format("{}", static_cast<std::int64_t>(v));
  return type == scalar::f64 ? fmt::format("{}", v) : fmt::format("{}", static_cast<float>(v));
}

std::optional<std::uint64_t> value_of_word(const std::string& word, scalar type) {
  const char *const begin = word.c_str(), *const end = begin + word.size();
  if (word.empty()) return std::nullopt;
  if (word.starts_with("0x") || word.starts_with("0X")) {
    std::uint64_t bits = 0;
    const auto [rest, problem] = std::from_chars(begin + 2, end, bits, 16);
    const bool fits = problem == std::errc() && rest == end && word.size() > 2 &&
                      (size_of(type) == 8 || bits >> (8 * size_of(type)) == 0);
    return fits ? std::optional(bits) : std::nullopt;
  }
  if (is_float(type)) {
    double v = 0;
    const char* const digits = *begin == '+' ? begin + 1 : begin;
    const auto [rest, problem] = std::from_chars(digits, end, v);
    return problem == std::errc() && rest == end && is_in_range(v, type) ? std::optional(float_bits(v, type))
                                                                         : std::nullopt;
  }
  if (*begin == '-') {
    std::int64_t v = 0;
    const auto [rest, problem] = std::from_chars(begin, end, v);
    return problem == std::errc() && rest == end ? bits_of_number(json(v), type) : std::nullopt;
  }
  std::uint64_t v = 0;
  const auto [rest, problem] = std::from_chars(begin, end, v);
  return problem == std::errc() && rest == end ? bits_of_number(json(v), type) : std::nullopt;
}

std::uint64_t read_value(json_reader& r, const json& j, scalar type, const std::string& where) {
  if (j.is_string()) {
    const auto& word = j.get_ref<const std::string&>();
    const bool special =
        word.starts_with("0x") || (is_float(type) && (word == "nan" || word == "inf" || word == "-inf"));
    if (const auto bits = special ? value_of_word(word, type) : std::nullopt) return *bits;
    r.fail(where, fmt::format("{} is no value of type {}: {}\"0x...\" is its bits",
                              j.dump(-1, ' ', true, json::error_handler_t::replace), name_of(type),
                              is_float(type) ? "\"nan\", \"inf\", \"-inf\", or " : ""));
    return 0;
  }
  if (!j.is_number()) {
    r.fail(where, fmt::format("must be a number of type {}, not {}", name_of(type), json_reader::kind(j)));
    return 0;
  }
  if (const auto bits = bits_of_number(j, type)) return *bits;
  r.fail(where, fmt::format("{} does not fit type {}", j.dump(), name_of(type)));
  return 0;
}

std::vector<unsigned char> read_values(json_reader& r, const json& list, scalar type, const std::string& where) {
  std::vector<unsigned char> bytes(list.is_array() ? list.size() * size_of(type) : 0);
  std::size_t i = 0;
  r.for_each(list, where,
             [&](const json& j, const std::string& place) { store(bytes, type, i++, read_value(r, j, type, place)); });
  return bytes;
}

std::optional<std::size_t> read_buffer_name(json_reader& r, const json& j, const std::string& where,
                                            const std::vector<buffer>& buffers) {
  const std::string name = r.text(j, where);
  for (std::size_t i = 0; i < buffers.size(); ++i)
    if (!name.empty() && buffers[i].name == name) return i;
  if (!name.empty()) r.fail(where, fmt::format("there is no buffer \"{}\"", name));
  return std::nullopt;
}

std::optional<raw_data> read_raw(json_reader& r, const json& j, const std::string& where,
                                 const std::vector<buffer>& buffers, std::initializer_list<std::string_view> beside) {
  return raw_reader(r, buffers).read(j, where, beside, 0);
}

parameter read_parameter(json_reader& r, const json& j, const std::string& where, const std::vector<buffer>& buffers) {
  parameter p;
  const bool has_offset = j.is_object() && j.contains("buffer") && j.contains("offset");
  if (!j.is_object() || (j.size() != 1 && !has_offset && !j.contains("struct") && !j.contains("variable"))) {
    r.fail(where, "must be an object with one key: \"buffer\", or the type of the value");
    return p;
  }
  const std::string key = j.contains("buffer") ? "buffer" : j.contains("struct") ? "struct" : j.begin().key();
  const std::string at = fmt::format("{}/{}", where, key);
  if (key == "buffer" && j.size() == (has_offset ? 2 : 1)) {
    p.buffer = read_buffer_name(r, j["buffer"], at, buffers);
    if (has_offset) p.offset = r.whole(j["offset"], where + "/offset", 0, most_buffer_bytes);
  } else if (const auto type = scalar_named(key); type && !j[key].is_array()) {
    p.type = *type;
    p.bits = read_value(r, j[key], p.type, at);
  } else if (type || key == "bytes" || key == "struct" || key == "text" || key == "file" || j.contains("variable")) {
    p.raw = read_raw(r, j, where, buffers);
  } else {
    r.fail(where,
           fmt::format("unknown key \"{}\": it is \"buffer\" or the type of the value, \"u32\" for instance", key));
  }
  return p;
}

void read_init(json_reader& r, buffer& b, const json& init, const std::string& where,
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
        store(b.bytes, b.type, i, is_float(b.type) ? float_bits(static_cast<double>(i), b.type) : i);
    return;
  }
  if (!init.is_object() || (init.size() != 1 && !(init.size() == 2 && init.contains("struct"))))
    return r.fail(where, fmt::format("must be a word or an object with one key, one of {}", ways));
  const std::string way = init.contains("struct") ? "struct" : init.begin().key();
  const json& detail = init[way];
  const std::string at = fmt::format("{}/{}", where, way);
  b.pointers.clear();
  if (way == "fill") {
    if (!needs_count()) return;
    const std::uint64_t bits = read_value(r, detail, b.type, at);
    b.bytes.assign(b.count * size, 0);
    for (std::size_t i = 0; i < b.count; ++i) store(b.bytes, b.type, i, bits);
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
    take(read_file(r, detail, b.type, at), at, false, "values");
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
