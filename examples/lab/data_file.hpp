// SPDX-License-Identifier: BSL-1.0
//
// Elements of one type in a file: .npy (NumPy's format, version 1 to 3), .csv and .txt (numbers between commas, blanks
// and line ends; a line that begins with # is a remark), anything else: raw memory.
//
// Literature: NumPy documentation, "numpy.lib.format". NumPy has no bf16: its elements are written as '<u2' and read
// from '<u2' and '<V2'.
#pragma once

#include "lab/launch_file.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

/// The elements of a regular file. \throws input_error that begins with the path: there is no such file, it is larger
/// than most_buffer_bytes or damaged, or it has elements of another type.
[[nodiscard]] std::vector<unsigned char> read_data_file(const std::string& path, scalar type);

/// The elements as the text of a file of that name.
[[nodiscard]] std::string data_file_text(std::string_view path, std::span<const unsigned char> bytes, scalar type);

}  // namespace lab
