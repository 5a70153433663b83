// SPDX-License-Identifier: BSL-1.0
#include "lab/launch_values.hpp"

#include "lab/data_file.hpp"
#include "lab/files.hpp"
#include "lab/json_reader.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace lab {

namespace {

constexpr std::size_t most_struct_bytes = std::size_t{1} << 20;
constexpr unsigned most_nesting = 32;

// Structures and what they are made of.
class raw_reader {
 public:
  raw_reader(json_reader& r, const std::vector<buffer>& buffers) : r_(r), buffers_(buffers) {}

  std::optional<raw_data> read(const nlohmann::json& j, const std::string& where,
                               std::initializer_list<std::string_view> beside, unsigned depth) {
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
    const nlohmann::json& detail = j[way];
    const std::string at = where + '/' + way;
    raw_data raw;
    if (const auto type = scalar_named(way)) {
      raw.align = size_of(*type);
      if (detail.is_array()) {
        raw.bytes = read_values(r_, detail, *type, at);
      } else {
        raw.bytes.resize(size_of(*type));
        store_element(raw.bytes, *type, 0, read_value(r_, detail, *type, at));
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
      raw.bytes = read_elements(r_, detail, scalar::u8, at);
    } else if (way == "struct") {
      return read_struct(j, where, depth);
    } else {
      r_.fail(where, fmt::format("unknown key \"{}\": a value has one of {}", way, ways));
      return std::nullopt;
    }
    return raw;
  }

 private:
  std::optional<raw_data> read_struct(const nlohmann::json& j, const std::string& where, unsigned depth) {
    raw_data all;
    if (depth == most_nesting) {
      r_.fail(where, fmt::format("structures are nested more than {} deep", most_nesting));
      return std::nullopt;
    }
    const std::size_t found_before = r_.found();
    r_.for_each(j["struct"], where + "/struct", [&](const nlohmann::json& member, const std::string& place) {
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

std::vector<unsigned char> read_hexadecimal(json_reader& r, const nlohmann::json& j, const std::string& where) {
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

std::vector<unsigned char> read_elements(json_reader& r, const nlohmann::json& j, scalar type,
                                         const std::string& where) {
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

std::vector<unsigned char> read_characters(json_reader& r, const nlohmann::json& j, const std::string& where) {
  if (!j.is_string()) {
    r.fail(where, fmt::format("must be a string, not {}", json_reader::kind(j)));
    return {};
  }
  const auto& text = j.get_ref<const std::string&>();
  return {text.begin(), text.end()};
}

std::vector<unsigned char> read_values(json_reader& r, const nlohmann::json& list, scalar type,
                                       const std::string& where) {
  std::vector<unsigned char> bytes(list.is_array() ? list.size() * size_of(type) : 0);
  std::size_t i = 0;
  r.for_each(list, where, [&](const nlohmann::json& j, const std::string& place) {
    store_element(bytes, type, i++, read_value(r, j, type, place));
  });
  return bytes;
}

std::optional<std::size_t> read_buffer_name(json_reader& r, const nlohmann::json& j, const std::string& where,
                                            const std::vector<buffer>& buffers) {
  const std::string name = r.text(j, where);
  for (std::size_t i = 0; i < buffers.size(); ++i)
    if (!name.empty() && buffers[i].name == name) return i;
  if (!name.empty()) r.fail(where, fmt::format("there is no buffer \"{}\"", name));
  return std::nullopt;
}

std::optional<raw_data> read_raw(json_reader& r, const nlohmann::json& j, const std::string& where,
                                 const std::vector<buffer>& buffers, std::initializer_list<std::string_view> beside) {
  return raw_reader(r, buffers).read(j, where, beside, 0);
}

parameter read_parameter(json_reader& r, const nlohmann::json& j, const std::string& where,
                         const std::vector<buffer>& buffers) {
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

}  // namespace lab
