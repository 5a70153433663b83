// SPDX-License-Identifier: BSL-1.0
//
// Plain C++ programs that compute what a shipped kernel must leave in memory. They read a launch file's own inputs, so
// they stay right when somebody changes the grid or the data, and they share no code with the interpreter.
//
// Each is a file references/KERNEL.cpp that holds a function and `const reference registered("KERNEL", function);`;
// kernels that differ little share a file.
#pragma once

#include "lab/launch_file.hpp"

#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

namespace lab {

// The part that is the same for all element types.
class host_array_base {
 protected:
  explicit host_array_base(buffer& b) : buffer_(&b) {}
  [[noreturn]] void refuse_type() const;
  [[noreturn]] void refuse_index(std::size_t i) const;
  buffer* buffer_;
};

/// The elements of one buffer. T is an arithmetic type as wide as the buffer's type, and a float if that is one (signed
/// or not does not matter); another one, or access beyond the end, is an input_error: the launch file does not fit the
/// reference program.
template <class T>
class host_array : host_array_base {
 public:
  explicit host_array(buffer& b) : host_array_base(b) {
    if (size_of(b.type) != sizeof(T) || is_float(b.type) != std::is_floating_point_v<T>) refuse_type();
  }
  [[nodiscard]] std::size_t size() const { return buffer_->count; }
  [[nodiscard]] T get(std::size_t i) const {
    T v{};
    std::memcpy(&v, at(i), sizeof v);
    return v;
  }
  void set(std::size_t i, T v) { std::memcpy(at(i), &v, sizeof v); }

 private:
  [[nodiscard]] unsigned char* at(std::size_t i) const {
    if (i >= buffer_->count) refuse_index(i);
    return buffer_->bytes.data() + i * sizeof(T);
  }
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
  [[nodiscard]] std::uint32_t u32(std::size_t i) const { return value<std::uint32_t>(i, scalar::u32); }
  /// The same of a size that the program divides by. \throws input_error also if it is 0.
  [[nodiscard]] std::uint32_t size(std::size_t i) const;
  [[nodiscard]] std::int32_t s32(std::size_t i) const { return value<std::int32_t>(i, scalar::s32); }
  [[nodiscard]] std::uint64_t u64(std::size_t i) const { return value<std::uint64_t>(i, scalar::u64); }
  [[nodiscard]] float f32(std::size_t i) const { return value<float>(i, scalar::f32); }
  [[nodiscard]] double f64(std::size_t i) const { return value<double>(i, scalar::f64); }
  /// The buffer at the address in parameter i. \throws input_error if it is no buffer.
  template <class T>
  [[nodiscard]] host_array<T> array(std::size_t i) {
    return host_array<T>(buffer_of(i));
  }

  [[nodiscard]] const std::vector<buffer>& buffers() const { return buffers_; }

 private:
  template <class T>
  [[nodiscard]] T value(std::size_t i, scalar type) const {
    T v{};
    std::memcpy(&v, &value_of(i, type).bits, sizeof v);
    return v;
  }
  [[nodiscard]] const parameter& value_of(std::size_t i, scalar type) const;
  [[nodiscard]] buffer& buffer_of(std::size_t i);

  const launch_file& file_;
  std::vector<buffer> buffers_;
};

using reference_program = void (*)(host_launch&);

/// Makes a reference program known under its kernel's name, as an object at namespace scope does before main().
class reference {
 public:
  reference(std::string_view name, reference_program program);
};

/// The program of that name; nullptr if there is none.
[[nodiscard]] reference_program find_reference(std::string_view name);
/// All names, sorted.
[[nodiscard]] std::vector<std::string_view> reference_names();

}  // namespace lab
