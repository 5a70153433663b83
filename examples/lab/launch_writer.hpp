// SPDX-License-Identifier: BSL-1.0
//
// Writes one launch of a running program as a case of its own: a folder with the PTX text, the memory before and after
// as raw files, and a launch file (launch_file.hpp) that `simtflow-lab run` executes and checks.
//
//   FOLDER/NAME.ptx             the module
//   FOLDER/NAME.launch.json     the launch
//   FOLDER/NAME.BUFFER.bin      a buffer before the launch; left out if all of its bytes are zero
//   FOLDER/NAME.BUFFER.after    the same buffer after the launch; left out if the launch leaves it as it was
//   FOLDER/NAME.variable_K.bin  a variable of the module before the launch; `.after` as for a buffer
//
// Buffers keep their device addresses, so pointers inside of them stay valid. A parameter of 8 bytes that lies inside
// an allocation, and each such word of a larger parameter, is written as that buffer and an offset.
//
// The header needs the standard library only and throws nothing of its own, so that a runtime library can include it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace lab {

/// A parameter as the kernel got it.
struct recorded_parameter {
  std::string type;  ///< of the PTX declaration: "u32", "f32", "b64"; unknown or of a structure: "b8"
  std::span<const unsigned char> bytes;
};

/// An allocation that the kernel could reach.
struct recorded_buffer {
  std::uint64_t address = 0;  ///< device address of the first byte, a multiple of 256 unless it is host memory
  std::span<const unsigned char> before;  ///< its bytes before the launch
  std::span<const unsigned char> after;   ///< and after; empty: they are not compared
  std::string name = {};                  ///< a word; empty: "buffer_K"
};

/// A .global or .const variable of the module.
struct recorded_variable {
  std::string name;
  std::span<const unsigned char> before;
  std::span<const unsigned char> after;  ///< empty: they are not compared
};

/// One launch with all that it reads, and all that it must leave.
struct recorded_launch {
  std::string name;    ///< of the files
  std::string ptx;     ///< the text of the module
  std::string kernel;  ///< as the module names it
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t block[3] = {1, 1, 1};
  std::uint64_t dynamic_shared_bytes = 0;
  std::uint32_t warp_width = 32;
  std::vector<recorded_parameter> parameters;  ///< in the order of the signature
  std::vector<recorded_buffer> buffers;
  std::vector<recorded_variable> variables;
};

namespace writer_detail {

/// Writes a whole file. Returns an empty string, or in words why it could not.
inline std::string write_file(const std::filesystem::path& path, std::span<const unsigned char> bytes) {
  std::FILE* file = std::fopen(path.string().c_str(), "wb");
  if (file == nullptr) return path.string() + ": cannot be written";
  const bool written = bytes.empty() || std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const bool closed = std::fclose(file) == 0;
  return written && closed ? std::string() : path.string() + ": cannot be written: the device is full or failed";
}

/// A JSON string. Bytes that are no ASCII characters are written as they are: names of PTX have none.
inline std::string json_word(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + '"';
}

/// Two hexadecimal digits for each byte, in the order of memory.
inline std::string hexadecimal(std::span<const unsigned char> bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (const unsigned char b : bytes) {
    out += digits[b >> 4];
    out += digits[b & 15];
  }
  return out;
}

/// The number in the bytes of a parameter, as JSON; empty if the type is none of a plain integer.
inline std::string plain_value(const std::string& type, std::span<const unsigned char> bytes) {
  const bool is_signed = type == "s8" || type == "s16" || type == "s32" || type == "s64";
  if (!is_signed && type != "u8" && type != "u16" && type != "u32" && type != "u64") return {};
  if (bytes.size() > 8 || std::to_string(8 * bytes.size()) != type.substr(1)) return {};
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) bits |= std::uint64_t{bytes[i]} << (8 * i);
  const unsigned unused = static_cast<unsigned>(64 - 8 * bytes.size());
  if (is_signed) return std::to_string(static_cast<std::int64_t>(bits << unused) >> unused);
  return std::to_string(bits);
}

/// The number of the buffer that an address lies in; as many as there are if it lies in none.
inline std::size_t buffer_at(std::span<const recorded_buffer> buffers, std::uint64_t address) {
  std::size_t i = 0;
  while (i < buffers.size() && address - buffers[i].address >= buffers[i].before.size()) ++i;
  return i;
}

}  // namespace writer_detail

/// Writes a launch into a folder, which is made if it is not there; files of the same names are replaced.
/// \returns an empty string; or, in words that name the file, why not all of it could be written.
/// \pre buffers do not overlap; after is empty or as large as before. Complexity: linear in all bytes.
[[nodiscard]] inline std::string write_launch(const std::string& folder, const recorded_launch& launch) {
  using namespace writer_detail;
  const std::filesystem::path base(folder);
  std::error_code problem;
  std::filesystem::create_directories(base, problem);
  if (problem) return folder + ": cannot be made: " + problem.message();

  std::string wrong, buffers, variables, expect;
  const auto put = [&](const std::string& file, std::span<const unsigned char> bytes) {
    if (const std::string why = write_file(base / file, bytes); !why.empty() && wrong.empty()) wrong = why;
    return json_word(file);
  };
  const auto add = [](std::string& list, const std::string& line) {
    list += list.empty() ? "\n    " : ",\n    ";
    list += line;
  };
  const auto is_zero = [](unsigned char b) { return b == 0; };
  const auto changed = [](std::span<const unsigned char> before, std::span<const unsigned char> after) {
    return !after.empty() && !std::equal(before.begin(), before.end(), after.begin(), after.end());
  };

  std::vector<std::string> names;
  for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
    const recorded_buffer& b = launch.buffers[i];
    names.push_back(b.name.empty() ? "buffer_" + std::to_string(i) : b.name);
    if (b.before.empty()) continue;  // nothing to point at
    const std::string file = launch.name + '.' + names.back();
    const bool zero = std::all_of(b.before.begin(), b.before.end(), is_zero);
    add(buffers, "{\"name\": " + json_word(names.back()) + ", \"type\": \"u8\", \"count\": " +
                     std::to_string(b.before.size()) + ", \"address\": " + std::to_string(b.address) +
                     ", \"init\": " + (zero ? "\"zero\"" : "{\"file\": " + put(file + ".bin", b.before) + "}") + "}");
    if (b.after.empty()) continue;
    const std::string want = changed(b.before, b.after) ? put(file + ".after", b.after)
                             : zero                     ? std::string()
                                                        : json_word(file + ".bin");
    add(expect,
        "{\"buffer\": " + json_word(names.back()) + ", " + (want.empty() ? "\"fill\": 0}" : "\"file\": " + want + "}"));
  }
  for (std::size_t i = 0; i < launch.variables.size(); ++i) {
    const recorded_variable& v = launch.variables[i];
    const std::string file = launch.name + ".variable_" + std::to_string(i);
    const std::string before = put(file + ".bin", v.before);
    add(variables, json_word(v.name) + ": {\"file\": " + before + "}");
    if (!v.after.empty())
      add(expect, "{\"variable\": " + json_word(v.name) +
                      ", \"file\": " + (changed(v.before, v.after) ? put(file + ".after", v.after) : before) + "}");
  }

  std::string params;
  for (const recorded_parameter& p : launch.parameters) {
    std::string members;  // of a structure with pointers
    std::size_t plain = 0;
    const auto add_member = [&](const std::string& text) { members += (members.empty() ? "" : ", ") + text; };
    const auto add_bytes = [&](std::size_t end) {
      if (plain < end)
        add_member("{\"bytes\": \"" + hexadecimal(p.bytes.subspan(plain, end - plain)) +
                   "\", \"at\": " + std::to_string(plain) + "}");
    };
    std::string pointer;
    for (std::size_t at = 0; at + 8 <= p.bytes.size(); at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, p.bytes.data() + at, sizeof word);
      const std::size_t b = buffer_at(launch.buffers, word);
      if (b == launch.buffers.size()) continue;
      add_bytes(at);
      const std::uint64_t offset = word - launch.buffers[b].address;
      pointer = "\"buffer\": " + json_word(names[b]) + (offset == 0 ? "" : ", \"offset\": " + std::to_string(offset));
      add_member("{" + pointer + ", \"at\": " + std::to_string(at) + "}");
      plain = at + 8;
    }
    const std::string value = plain_value(p.type, p.bytes);
    if (!pointer.empty() && p.bytes.size() == 8) {
      add(params, "{" + pointer + "}");
    } else if (!pointer.empty()) {
      add_bytes(p.bytes.size());
      add(params, "{\"struct\": [" + members + "], \"size\": " + std::to_string(p.bytes.size()) + "}");
    } else if (!value.empty()) {
      add(params, "{\"" + p.type + "\": " + value + "}");
    } else {
      add(params, "{\"bytes\": \"" + hexadecimal(p.bytes) + "\"}");
    }
  }

  const auto extent = [](const std::uint32_t(&n)[3]) {
    return "[" + std::to_string(n[0]) + ", " + std::to_string(n[1]) + ", " + std::to_string(n[2]) + "]";
  };
  const auto text_of = [](std::string_view text) {
    return std::span<const unsigned char>(reinterpret_cast<const unsigned char*>(text.data()), text.size());
  };
  (void)put(launch.name + ".ptx", text_of(launch.ptx));
  const std::string json = "{\n  \"kernel\": " + json_word(launch.kernel) +
                           ",\n  \"module\": " + json_word(launch.name + ".ptx") +
                           ",\n  \"grid\": " + extent(launch.grid) + ",\n  \"block\": " + extent(launch.block) +
                           ",\n  \"dynamic_shared_bytes\": " + std::to_string(launch.dynamic_shared_bytes) +
                           ",\n  \"warp_width\": " + std::to_string(launch.warp_width) + ",\n  \"buffers\": [" +
                           buffers + "\n  ],\n  \"variables\": {" + variables + "\n  },\n  \"params\": [" + params +
                           "\n  ],\n  \"expect\": [" + expect + "\n  ]\n}\n";
  (void)put(launch.name + ".launch.json", text_of(json));
  return wrong;
}

}  // namespace lab
