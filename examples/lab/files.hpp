// SPDX-License-Identifier: BSL-1.0
//
// Files of the tool: reading plain or gzip-compressed text, and writing a file so that either all of it is there or the
// old one is untouched. Every failure is an input_error whose text names the file.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace lab {

/// Something the user handed in cannot be used. what() is the whole message, ready to print: one or several lines.
class input_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The file's text; what ends in gzip's format is decompressed.
/// \throws input_error if it is missing, not a regular file, unreadable, damaged, or larger than 1 GiB.
[[nodiscard]] std::string read_text(const std::string& path);

/// Writes the text to a new file beside `path` and renames it over `path` once it is complete.
/// \throws input_error if that fails; nothing is left behind then.
void write_whole(const std::string& path, std::string_view text);

}  // namespace lab
