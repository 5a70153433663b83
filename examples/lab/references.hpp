// SPDX-License-Identifier: BSL-1.0
//
// Plain C++ programs that compute what a shipped kernel must leave in memory. They read a launch file's own inputs, so
// they stay right when somebody changes the grid or the data, and they share no code with the interpreter.
#pragma once

#include "lab/launch_file.hpp"

#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

namespace lab {

/// The elements of one buffer. Access beyond its end, or to a buffer of another element size, is an input_error: the
/// launch file does not fit the reference program.
template <class T>
class host_array {
 public:
  explicit host_array(buffer& b);
  [[nodiscard]] T get(std::size_t i) const {
    T v{};
    std::memcpy(&v, at(i), sizeof v);
    return v;
  }
  void set(std::size_t i, T v) { std::memcpy(at(i), &v, sizeof v); }

 private:
  [[nodiscard]] unsigned char* at(std::size_t i) const;
  buffer* buffer_;
};

/// A launch as a host program sees it: its own copy of the buffers, and the parameters by number.
class host_launch {
 public:
  explicit host_launch(const launch_file& file) : file_(file), buffers_(file.buffers) {}

  [[nodiscard]] std::uint32_t grid(std::size_t axis) const { return file_.grid.at(axis); }
  [[nodiscard]] std::uint32_t block(std::size_t axis) const { return file_.block.at(axis); }
  /// Threads along x in the whole grid.
  [[nodiscard]] std::uint32_t threads() const { return grid(0) * block(0); }

  /// Parameter i. \throws input_error if the launch file has no such parameter or another kind of one.
  [[nodiscard]] std::uint32_t u32(std::size_t i) const;
  [[nodiscard]] float f32(std::size_t i) const;
  template <class T>
  [[nodiscard]] host_array<T> array(std::size_t i) {
    return host_array<T>(buffer_of(i));
  }

  [[nodiscard]] const std::vector<buffer>& buffers() const { return buffers_; }

 private:
  [[nodiscard]] const parameter& value_of(std::size_t i, scalar type) const;
  [[nodiscard]] buffer& buffer_of(std::size_t i);

  const launch_file& file_;
  std::vector<buffer> buffers_;
};

using reference_program = void (*)(host_launch&);

/// The program of that name; nullptr if there is none.
[[nodiscard]] reference_program find_reference(std::string_view name);
[[nodiscard]] std::vector<std::string_view> reference_names();

}  // namespace lab
