// SPDX-License-Identifier: BSL-1.0
//
// The tool refuses a program before it runs if its kernels are machine code only, and no other program.
#include "lab/program_file.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

void put(std::string& to, std::uint64_t value, unsigned size) {
  for (unsigned i = 0; i < size; ++i) to += static_cast<char>(value >> 8 * i & 0xFF);
}

struct part {
  std::string name;
  std::uint64_t type = 1, flags = 0;
  std::string bytes = {};
  std::uint64_t link = 0;
};

// An object file of these sections, and of their names as the last one.
std::string elf_of(std::vector<part> parts) {
  std::string names(1, '\0'), content;
  parts.insert(parts.begin(), {"", 0});
  parts.push_back({".shstrtab", 3});
  std::vector<std::size_t> at;
  for (const part& p : parts) {
    at.push_back(names.size());
    names += p.name + '\0';
  }
  parts.back().bytes = names;
  std::string table;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const part& p = parts[i];
    put(table, at[i], 4);
    put(table, p.type, 4);
    put(table, p.flags, 8);
    put(table, 0, 8);
    put(table, 64 + content.size(), 8);
    put(table, p.bytes.size(), 8);
    put(table, p.link, 4);
    table.append(20, '\0');
    content += p.bytes;
  }
  std::string head =
      "\x7F"
      "ELF\x02\x01\x01";
  head.resize(40, '\0');
  put(head, 64 + content.size(), 8);
  head.resize(58, '\0');
  put(head, 64, 2);
  put(head, parts.size(), 2);
  put(head, parts.size() - 1, 2);
  return head + content + table;
}

// An image of a fat binary: kind 1 is PTX, 2 machine code.
std::string image(unsigned kind, unsigned architecture, const std::string& payload, std::uint64_t flags = 1) {
  std::string out;
  put(out, kind, 2);
  put(out, 0x101, 2);
  put(out, 64, 4);
  put(out, payload.size(), 8);
  out.resize(28, '\0');
  put(out, architecture, 4);
  out.resize(40, '\0');
  put(out, flags, 8);
  out.resize(64, '\0');
  return out + payload;
}

std::string fat_binary(const std::string& images) {
  std::string out;
  put(out, 0xBA55'ED50U, 4);
  put(out, 1, 2);
  put(out, 16, 2);
  put(out, images.size(), 8);
  return out + images;
}

// A program that loads the library and has these containers.
std::string why(const std::string& containers, const std::string& library = "libcuda.so.1") {
  std::string needed;
  put(needed, 1, 8);
  put(needed, 1, 8);
  const std::string bytes = elf_of(
      {{".dynstr", 3, 0, '\0' + library + '\0'}, {".dynamic", 6, 0, needed, 1}, {".nv_fatbin", 1, 0, containers}});
  return lab::why_not_simulated("program", lab::facts_of_program(std::as_bytes(std::span(bytes))));
}

const std::string code = elf_of({{".text.k", 1, 6, "code"}}), no_code = elf_of({{".nv.info", 0x7000'0000, 0, "facts"}});

}  // namespace

TEST_CASE("program_file: machine code without PTX is refused, with its architectures") {
  CHECK(why(fat_binary(image(2, 75, code))).find("program: holds machine code for sm_75 and no PTX") == 0);
  CHECK(why(fat_binary(image(2, 75, code)) + fat_binary(image(2, 90, code))).find("for sm_75, sm_90 and no PTX") !=
        std::string::npos);
  CHECK(why(fat_binary(image(2, 80, "packed", 0x8001))).find("for sm_80 and") != std::string::npos);
  CHECK(why(fat_binary(image(2, 75, code) + image(1, 75, ".version 7.0"))).empty());
}

TEST_CASE("program_file: a program that has no kernels of its own is not refused") {
  CHECK(why(fat_binary("")).empty());
  CHECK(why(fat_binary(image(2, 75, no_code))).empty());
  CHECK(why(fat_binary(image(2, 75, no_code)) + fat_binary("")).empty());
  CHECK(why(fat_binary(""), "libc.so.6").empty());
  CHECK(why(fat_binary(image(7, 75, "something else"))).empty());
}

TEST_CASE("program_file: a runtime that is linked into the program is refused") {
  const std::string kernels = fat_binary(image(1, 75, ".version 7.0"));
  CHECK(why(kernels, "libc.so.6").find("program: has NVIDIA's runtime linked into it") == 0);
  CHECK(why(kernels, "libcudart.so.13").empty());
  CHECK(why(kernels).empty());
}
