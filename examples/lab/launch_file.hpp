// SPDX-License-Identifier: BSL-1.0
//
// Launch files: which kernel runs, on which grid, with which data, and what must come out. JSON:
//
//   kernel                name of the entry; optional if the module has one
//   grid, block           [x], [x, y] or [x, y, z]
//   dynamic_shared_bytes  default 0
//   warp_width            1 to 1024, default 32
//   buffers               device memory: {"name", "type", "count", "init"}, see below
//   params                the kernel's parameters in order: {"buffer": NAME} or {TYPE: value}
//   expect                checks of the final memory: {"buffer": NAME, "values": [...]} or
//                         {"buffer": NAME, "reference": NAME}; "tolerance" for floats, default 0: the same bits
//   verdicts              {POLICY: words}: a policy that must not finish, for instance {"pdom": "barrier deadlock"}
//
// TYPE is one of u8 s8 u16 s16 u32 s32 u64 s64 f32 f64. How a buffer starts, "init":
//
//   "zero"                              all bits zero (the default)
//   "iota"                              0, 1, 2, ...
//   {"fill": v}                         the same value everywhere
//   {"values": [...]}                   these values, as many as "count"
//   {"random": {seed, low, high}}       integers in low .. high, both included; floats in low .. high
//   {"offsets": {seed, low, high}}      running sums of random integers, starting at 0: rows of a ragged array
//
// Random numbers come from splitmix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014) started at `seed`; an integer is low +
// next % (high - low + 1), a float is low + (high - low) * (next >> 40) / 2^24.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

enum class scalar : unsigned char { u8, s8, u16, s16, u32, s32, u64, s64, f32, f64 };

[[nodiscard]] std::string_view name_of(scalar type);
[[nodiscard]] std::optional<scalar> scalar_named(std::string_view name);
[[nodiscard]] std::size_t size_of(scalar type);
[[nodiscard]] bool is_float(scalar type);

/// Elements of one type as raw memory, in the byte order of this machine (little-endian, as the device's).
struct buffer {
  std::string name;
  scalar type = scalar::u32;
  std::size_t count = 0;
  std::vector<unsigned char> bytes;
};

/// A kernel parameter: a buffer's address, or a value in the low bytes of `bits`.
struct parameter {
  std::optional<std::size_t> buffer;  ///< index into launch_file::buffers
  scalar type = scalar::u64;
  std::uint64_t bits = 0;
};

/// The values that a buffer must hold at the end: either `values`, or the results of the named reference program.
struct expectation {
  std::size_t buffer = 0;
  std::string reference;
  std::vector<unsigned char> values;
  double tolerance = 0;
};

struct launch_file {
  std::string path;
  std::string kernel;
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t warp_width = 32;
  std::vector<buffer> buffers;
  std::vector<parameter> params;
  std::vector<expectation> expect;
  std::map<std::string, std::string> verdicts;

  [[nodiscard]] std::uint64_t thread_blocks() const { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
  [[nodiscard]] std::uint32_t threads_per_block() const { return block[0] * block[1] * block[2]; }
};

/// Reads a launch file's text; `path` names it in messages.
/// \throws input_error with every diagnostic on a line of its own: FILE:LINE:COLUMN for text that is not JSON, and the
///         JSON pointer (FILE: /buffers/0/count: ...) for JSON that is not a launch file.
[[nodiscard]] launch_file parse_launch_file(std::string_view text, const std::string& path);

}  // namespace lab
