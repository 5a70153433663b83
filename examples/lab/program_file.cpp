// SPDX-License-Identifier: BSL-1.0
//
// Literature: System V Application Binary Interface, chapters 4 and 5 (object files, program loading).
#include "lab/program_file.hpp"

#include <simtflow/cuda/fat_binary.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>

namespace lab {
namespace {

class elf_file {
 public:
  explicit elf_file(std::span<const std::byte> bytes) : bytes_(bytes) {}

  // The little-endian number of so many bytes; 0 if the file ends before.
  std::uint64_t number(std::uint64_t at, unsigned size) const {
    std::uint64_t value = 0;
    if (at > bytes_.size() || size > bytes_.size() - at) return 0;
    for (unsigned i = size; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes_[at + i]);
    return value;
  }

  bool is_64_bit_little_endian() const { return number(0, 4) == 0x464C'457F && number(4, 2) == 0x0102; }

  struct section {
    std::uint64_t name = 0, type = 0, flags = 0, offset = 0, size = 0, link = 0;
  };
  std::uint64_t num_sections() const { return number(60, 2); }
  section section_at(std::uint64_t i) const {
    const std::uint64_t at = number(40, 8) + i * number(58, 2);
    return {number(at, 4),      number(at + 4, 4),  number(at + 8, 8),
            number(at + 24, 8), number(at + 32, 8), number(at + 40, 4)};
  }

  std::string text(const section& strings, std::uint64_t offset) const {
    std::string out;
    for (std::uint64_t at = strings.offset + offset; at < bytes_.size() && out.size() < 4096; ++at) {
      const char c = static_cast<char>(number(at, 1));
      if (c == '\0') break;
      out += c;
    }
    return out;
  }

  std::span<const std::byte> content(const section& s) const {
    if (s.offset > bytes_.size() || s.size > bytes_.size() - s.offset) return {};
    return bytes_.subspan(s.offset, s.size);
  }

 private:
  std::span<const std::byte> bytes_;
};

constexpr std::uint64_t dynamic_section = 6, needed_tag = 1, executable_flag = 4;

// True if an image of machine code has instructions. nvcc links an image without any into each program that has no
// kernels of its own. An image that is packed counts as one with instructions.
bool has_instructions(const simtflow::cuda::fat_image& image) {
  const elf_file file(image.payload);
  if (image.packing != simtflow::cuda::image_packing::none || !file.is_64_bit_little_endian()) return true;
  for (std::uint64_t i = 0; i < file.num_sections(); ++i) {
    const auto section = file.section_at(i);
    if ((section.flags & executable_flag) != 0 && section.size != 0) return true;
  }
  return false;
}

void read_images(std::span<const std::byte> section, program_facts& facts) {
  while (!section.empty()) {
    const auto binary = simtflow::cuda::read_fat_binary(section);
    if (!binary) {  // padding stands between containers
      section = section.subspan(std::min<std::size_t>(8, section.size()));
      continue;
    }
    facts.has_fat_binary = facts.has_fat_binary || !binary->images.empty();
    for (const auto& image : binary->images) {
      if (image.kind == simtflow::cuda::image_kind::ptx) facts.has_ptx = true;
      if (image.kind == simtflow::cuda::image_kind::elf && has_instructions(image))
        facts.machine_code.push_back(image.architecture);
    }
    section = section.subspan(std::min<std::size_t>(binary->bytes, section.size()));
  }
}

}  // namespace

program_facts facts_of_program(std::span<const std::byte> bytes) {
  program_facts facts;
  const elf_file file(bytes);
  if (!file.is_64_bit_little_endian()) return facts;
  facts.is_elf = true;
  const auto names = file.section_at(file.number(62, 2));
  for (std::uint64_t i = 0; i < file.num_sections(); ++i) {
    const auto section = file.section_at(i);
    if (section.type == dynamic_section) {
      const auto strings = file.section_at(section.link);
      const auto entries = file.content(section).size() / 16;
      for (std::uint64_t entry = 0; entry < entries; ++entry)
        if (file.number(section.offset + entry * 16, 8) == needed_tag)
          facts.needed.push_back(file.text(strings, file.number(section.offset + entry * 16 + 8, 8)));
    }
    const std::string name = file.text(names, section.name);
    if (name == ".nv_fatbin" || name == "__nv_relfatbin") read_images(file.content(section), facts);
  }
  std::sort(facts.machine_code.begin(), facts.machine_code.end());
  facts.machine_code.erase(std::unique(facts.machine_code.begin(), facts.machine_code.end()), facts.machine_code.end());
  return facts;
}

std::string why_not_simulated(std::string_view path, const program_facts& facts) {
  if (!facts.is_elf || !facts.has_fat_binary) return {};  // its libraries may have the kernels
  const auto loads = [&](std::string_view name) {
    return std::any_of(facts.needed.begin(), facts.needed.end(),
                       [&](const std::string& library) { return library.starts_with(name); });
  };
  if (!loads("libcudart.so") && !loads("libcuda.so"))
    return fmt::format(
        "{}: has NVIDIA's runtime linked into it, so that no other can take its place; link it again with "
        "-cudart shared (nvcc -cudart shared ...; CMake: -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared)",
        path);
  if (!facts.has_ptx && !facts.machine_code.empty())
    return fmt::format(
        "{}: holds machine code for sm_{} and no PTX; compile it with nvcc's -arch=sm_{}, which embeds both, instead "
        "of -gencode with code=sm_{} alone",
        path, fmt::join(facts.machine_code, ", sm_"), facts.machine_code.back(), facts.machine_code.back());
  return {};
}

std::string find_program(const std::string& word) {
  const auto runs = [](const std::string& path) {
    std::error_code ignored;
    return access(path.c_str(), X_OK) == 0 && !std::filesystem::is_directory(path, ignored);
  };
  if (word.find('/') != std::string::npos) return runs(word) ? word : std::string();
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string candidate = std::string(rest.substr(0, end)) + '/' + word;
    if (runs(candidate)) return candidate;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

}  // namespace lab
