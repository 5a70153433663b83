// SPDX-License-Identifier: BSL-1.0
//
// Reads JSON that a person wrote: collects what is wrong with it, each mistake with its place.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace lab {

/// Collects diagnostics about one document: "FILE: /json/pointer: message". A harmless value replaces a value that
/// cannot be used, and reading goes on.
class json_reader {
 public:
  /// \param path names the document in messages \param folder of files that the document names; empty: the current one
  json_reader(std::string path, std::string folder) : path_(std::move(path)), folder_(std::move(folder)) {}

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& folder() const { return folder_; }
  /// Diagnostics up to now, those that are left out also.
  [[nodiscard]] std::size_t found() const { return found_; }
  /// \throws input_error with a line for each diagnostic, if there are any.
  void finish() const;

  /// Adds a diagnostic. After simtflow::max_diagnostics the rest is left out.
  void fail(const std::string& where, std::string_view message);

  /// "an array", "null".
  [[nodiscard]] static std::string kind(const nlohmann::json& j);

  /// Checks that j is an object with no other keys than these. \returns false if it is not even an object.
  bool only(const nlohmann::json& j, const std::string& where, std::initializer_list<std::string_view> allowed);

  /// Checks that an object has the key. \pre j is an object.
  bool has(const nlohmann::json& j, const std::string& where, const char* key);

  /// Calls f(element, pointer) for each element of an array. \returns false if it is none.
  template <class F>
  bool for_each(const nlohmann::json& list, const std::string& where, F&& f) {
    if (!list.is_array()) {
      fail(where, "must be an array, not " + kind(list));
      return false;
    }
    for (std::size_t i = 0; i < list.size(); ++i) f(list[i], where + '/' + std::to_string(i));
    return true;
  }

  /// A string that is not empty and has no control characters; else empty.
  [[nodiscard]] std::string text(const nlohmann::json& j, const std::string& where);

  /// A whole number from low to high; else low.
  [[nodiscard]] std::uint64_t whole(const nlohmann::json& j, const std::string& where, std::uint64_t low,
                                    std::uint64_t high);

 private:
  std::string path_, folder_;
  std::string problems_;
  std::size_t found_ = 0;
};

/// Parses a text. A key that stands twice in one object is a mistake.
/// \throws input_error as FILE:LINE:COLUMN for text that is not JSON.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, const std::string& path);

}  // namespace lab
