// SPDX-License-Identifier: BSL-1.0
//
// Files of the tool: reading plain or gzip-compressed text, and writing a file so that either all of it is there or the
// old one is untouched. Every failure is an input_error with a text that names the file.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace lab {

/// Something the user handed in cannot be used. what() is the whole message, ready to print: one or several lines.
class input_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// \throws input_error if there is no such file, or it is a directory.
void must_exist(const std::string& path);

/// The file's text without a byte order mark; what is in gzip's format is decompressed.
/// \throws input_error if it is missing, a directory, unreadable, damaged, or larger than 1 GiB.
[[nodiscard]] std::string read_text(const std::string& path);

/// The file's bytes as they are.
/// \throws input_error if it is missing, a directory, unreadable, or larger than 1 GiB.
[[nodiscard]] std::string read_bytes(const std::string& path);

/// The text in gzip's format.
[[nodiscard]] std::string compressed(std::string_view text);

/// A file that is written in two steps: the text goes to PATH.part, commit() renames that over PATH. Without a commit
/// no file remains. A device, a pipe or a link is written in place by commit().
class draft {
 public:
  /// \throws input_error if the text cannot be written.
  draft(std::string path, std::string_view text);
  ~draft() { discard(); }
  draft(const draft&) = delete;
  draft& operator=(const draft&) = delete;

  /// \throws input_error if the file cannot be renamed or written in place.
  void commit();

 private:
  void discard();

  std::string path_, part_;
  std::string in_place_;  // the text, if it does not go to a part first
  bool pending_ = false;
};

/// \{
/// A file or folder that must not remain if a signal ends the tool, from now on or not any more; the removal of all of
/// them, parts of drafts included.
void add_leftover(const std::string& path);
void forget_leftover(const std::string& path);
void remove_leftovers();
/// \}

/// The reader of standard output has gone away.
class no_reader : public input_error {
 public:
  using input_error::input_error;
};

/// Writes the text to standard output. \throws input_error if not all of it gets there, no_reader if nobody reads it.
void print_whole(std::string_view text);

/// Whether two paths name the same file, which need not exist yet.
[[nodiscard]] bool same_file(const std::string& a, const std::string& b);

/// \throws input_error if an output is one of the inputs. An empty path is none.
void refuse_to_overwrite(const std::string& output, std::span<const std::string> inputs);

}  // namespace lab
