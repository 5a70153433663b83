// SPDX-License-Identifier: BSL-1.0
#include "lab/data_file.hpp"

#include "lab/files.hpp"
#include "lab/launch_values.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>

namespace lab {
namespace {

constexpr std::string_view npy_magic("\x93NUMPY", 6);

// NumPy's name for a type, without the byte order.
std::string npy_name(scalar type) {
  const std::string_view name = name_of(type);
  const char kind = name[0] == 's' ? 'i' : name[0] == 'u' || type == scalar::bf16 ? 'u' : 'f';
  return fmt::format("{}{}", kind, size_of(type));
}

// The text between the quotes, or up to the end, that follows KEY in the header of a .npy file.
std::optional<std::string_view> npy_field(std::string_view header, std::string_view key, std::string_view open,
                                          std::string_view close) {
  const std::size_t at = header.find(fmt::format("'{}'", key));
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t begin = header.find(open, at + key.size() + 2);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t end = header.find_first_of(close, begin + open.size());
  if (end == std::string_view::npos) return std::nullopt;
  return header.substr(begin + open.size(), end - begin - open.size());
}

std::vector<unsigned char> read_npy(const std::string& path, std::string_view text, scalar type) {
  const auto refuse_file = [&](const std::string& why) { throw input_error(fmt::format("{}: {}", path, why)); };
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(text[i])); };
  if (!text.starts_with(npy_magic) || text.size() < 12) refuse_file("is no .npy file");
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) refuse_file(fmt::format("a .npy file of version {}; 1 to 3 are known", version));
  const std::size_t begin = version == 1 ? 10 : 12;
  const std::size_t size =
      version == 1 ? byte(8) | byte(9) << 8 : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  if (size > text.size() - begin) refuse_file("the header of the .npy file is cut off");
  const std::string_view header = text.substr(begin, size), data = text.substr(begin + size);
  const auto descr = npy_field(header, "descr", "'", "'");
  const auto fortran = npy_field(header, "fortran_order", ":", ",}");
  const auto shape = npy_field(header, "shape", "(", ")");
  if (!descr || !fortran || !shape) refuse_file("the header of the .npy file lacks descr, fortran_order or shape");
  std::size_t count = 1, axes = 0;
  const char *at = shape->data(), *const end = at + shape->size();
  while (at != end) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    std::size_t extent = 0;
    const auto [rest, problem] = std::from_chars(at, end, extent);
    if (problem != std::errc() || extent > most_buffer_bytes) refuse_file(fmt::format("a shape of ({})", *shape));
    at = rest;
    count *= extent;
    if (count > most_buffer_bytes) refuse_file(fmt::format("a shape of ({})", *shape));
    axes += extent > 1 ? 1 : 0;
  }
  const std::string known = npy_name(type);
  const std::string_view name = descr->substr(descr->empty() ? 0 : 1);
  const bool fits = name == known || (type == scalar::u8 && name == "b1") || (type == scalar::bf16 && name == "V2");
  if (descr->starts_with('>') && size_of(type) > 1) refuse_file(fmt::format("is big-endian ({})", *descr));
  if (!fits)
    refuse_file(
        fmt::format("has elements of type '{}', not '<{}', which {} is in NumPy", *descr, known, name_of(type)));
  if (fortran->find("True") != std::string_view::npos && axes > 1)
    refuse_file("is in Fortran's order; numpy.ascontiguousarray makes it C's");
  if (data.size() != count * size_of(type))
    refuse_file(fmt::format("{} bytes of data for the {} elements of its shape", data.size(), count));
  return {data.begin(), data.end()};
}

std::vector<unsigned char> read_numbers(const std::string& path, std::string_view text, scalar type) {
  constexpr std::string_view between = ",; \t\r";
  std::vector<unsigned char> raw;
  std::size_t line = 0;
  while (!text.empty()) {
    ++line;
    const std::size_t line_end = std::min(text.find('\n'), text.size());
    const std::string_view row = text.substr(0, line_end);
    text.remove_prefix(std::min(line_end + 1, text.size()));
    if (row.starts_with('#')) continue;
    for (std::size_t at = row.find_first_not_of(between); at < row.size(); at = row.find_first_not_of(between, at)) {
      const std::size_t end = std::min(row.find_first_of(between, at), row.size());
      const std::string word(row.substr(at, end - at));
      const std::optional<std::uint64_t> bits = value_of_word(word, type);
      if (!bits)
        throw input_error(
            fmt::format("{}:{}:{}: \"{}\" is no number of type {}", path, line, at + 1, word, name_of(type)));
      const std::size_t size = size_of(type);
      raw.resize(raw.size() + size);
      std::memcpy(raw.data() + raw.size() - size, &*bits, size);
      if (raw.size() > most_buffer_bytes) throw input_error(fmt::format("{}: too many numbers", path));
      at = end;
    }
  }
  return raw;
}

bool is_numbers(std::string_view path) { return path.ends_with(".csv") || path.ends_with(".txt"); }

}  // namespace

std::vector<unsigned char> read_data_file(const std::string& path, scalar type) {
  must_exist(path);
  std::error_code problem;
  if (!std::filesystem::is_regular_file(path, problem)) throw input_error(fmt::format("{}: is no regular file", path));
  // Numbers take more characters than bytes.
  if (const auto size = std::filesystem::file_size(path, problem); problem || size > 4 * most_buffer_bytes)
    throw input_error(fmt::format("{}: is larger than {} bytes", path, 4 * most_buffer_bytes));
  std::string text = read_bytes(path);
  std::vector<unsigned char> bytes;
  if (path.ends_with(".npy")) {
    bytes = read_npy(path, text, type);
  } else if (is_numbers(path)) {
    bytes = read_numbers(path, text, type);
  } else {
    bytes.assign(text.begin(), text.end());
    if (bytes.size() % size_of(type) != 0)
      throw input_error(
          fmt::format("{}: {} bytes are no whole number of elements of type {}", path, bytes.size(), name_of(type)));
  }
  if (bytes.size() > most_buffer_bytes)
    throw input_error(fmt::format("{}: more than {} bytes of data", path, most_buffer_bytes));
  return bytes;
}

std::string data_file_text(std::string_view path, std::span<const unsigned char> bytes, scalar type) {
  const std::size_t count = bytes.size() / size_of(type);
  std::string text;
  if (is_numbers(path)) {
    for (std::size_t i = 0; i < count; ++i) text += element_text(bytes, type, i) + '\n';
    return text;
  }
  if (path.ends_with(".npy")) {
    std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({},), }}",
                                     size_of(type) == 1 ? '|' : '<', npy_name(type), count);
    while ((npy_magic.size() + 4 + header.size() + 1) % 64 != 0) header += ' ';
    header += '\n';
    text = npy_magic;
    text += '\1';
    text += '\0';
    text += static_cast<char>(header.size() & 0xFF);
    text += static_cast<char>(header.size() >> 8);
    text += header;
  }
  text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text;
}

}  // namespace lab
