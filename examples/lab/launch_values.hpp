// SPDX-License-Identifier: BSL-1.0
//
// Values of launch files: elements of a type, structures, text, files of data. launch_file.hpp documents their JSON.
#pragma once

#include "lab/launch_file.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

class json_reader;

/// The largest buffer, and the most that all buffers of a file have together.
inline constexpr std::size_t most_buffer_bytes = std::size_t{1} << 28;

/// One value of the type in the low bytes; 0, with a diagnostic, if it does not fit.
[[nodiscard]] std::uint64_t read_value(json_reader& r, const nlohmann::json& j, scalar type, const std::string& where);

/// The same of a word of the command line: a number, "nan", "0x..."; nothing if it is none or does not fit.
[[nodiscard]] std::optional<std::uint64_t> value_of_word(const std::string& word, scalar type);

/// An array of values as raw memory.
[[nodiscard]] std::vector<unsigned char> read_values(json_reader& r, const nlohmann::json& list, scalar type,
                                                     const std::string& where);

/// Hexadecimal digits as bytes.
[[nodiscard]] std::vector<unsigned char> read_hexadecimal(json_reader& r, const nlohmann::json& j,
                                                          const std::string& where);
/// The characters of a string.
[[nodiscard]] std::vector<unsigned char> read_characters(json_reader& r, const nlohmann::json& j,
                                                         const std::string& where);
/// The elements of the file (data_file.hpp) that is named.
[[nodiscard]] std::vector<unsigned char> read_elements(json_reader& r, const nlohmann::json& j, scalar type,
                                                       const std::string& where);

/// Raw memory and the pointers in it, if the object has one of the keys of a value: a type, "bytes", "struct", "file",
/// "text", "buffer" or "variable". Keys in `beside` are none of the value's.
/// \param buffers of the launch file, for the names \returns nothing, with a diagnostic, if it is no value
[[nodiscard]] std::optional<raw_data> read_raw(json_reader& r, const nlohmann::json& j, const std::string& where,
                                               const std::vector<buffer>& buffers,
                                               std::initializer_list<std::string_view> beside = {});

/// A parameter of a kernel.
[[nodiscard]] parameter read_parameter(json_reader& r, const nlohmann::json& j, const std::string& where,
                                       const std::vector<buffer>& buffers);

/// Fills a buffer as "init" says. A count of 0 becomes as many elements as the values, the text or the file have.
/// \param buffers of the launch file, for the names in structures; `b` may be one of them
void read_init(json_reader& r, buffer& b, const nlohmann::json& init, const std::string& where,
               const std::vector<buffer>& buffers);

/// The number of the buffer of that name; nothing, with a diagnostic, if there is none.
[[nodiscard]] std::optional<std::size_t> read_buffer_name(json_reader& r, const nlohmann::json& j,
                                                          const std::string& where, const std::vector<buffer>& buffers);

/// Writes the low bytes of `bits` as element i. \pre the bytes hold it.
void store_element(std::vector<unsigned char>& bytes, scalar type, std::size_t i, std::uint64_t bits);
/// The element at i as a number; halves are widened. \pre the bytes hold it.
[[nodiscard]] double number_at(std::span<const unsigned char> bytes, scalar type, std::size_t i);
/// The same in words.
[[nodiscard]] std::string element_text(std::span<const unsigned char> bytes, scalar type, std::size_t i);
/// The bits of a number; floats are rounded to nearest even. \pre the type is a float
[[nodiscard]] std::uint64_t float_bits(double v, scalar type);

}  // namespace lab
