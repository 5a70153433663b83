// SPDX-License-Identifier: BSL-1.0
//
// Launch files: which kernels run, on which grids, with which data, and what must come out. JSON:
//
//   kernel                name of the entry, mangled, "scale(float*, int)" or "scale"; optional if the module has one
//   module                a PTX or CUDA file, relative to the launch file, in place of the command line's
//   grid, block           [x], [x, y] or [x, y, z]
//   dynamic_shared_bytes  default 0
//   params                the kernel's parameters in order: values, see below
//   variables             what variables of the module (.global, .const) hold: {NAME: value}
//   set                   what buffers hold, other than what was left there: {NAME: start}
//   expect                checks of the memory after the launch, see below
//
//   launches              several launches, one after another: objects with the keys above. A kernel, a module, a
//                         grid, a block, shared bytes and parameters beside `launches` hold for each launch that has
//                         none of its own; variables beside it belong to the first launch, checks to the last one
//   warp_width            1 to 1024, default 32
//   buffers               device memory: {"name", "type", "count", "init", "address"}; init is a start, see below.
//                         Without a count there are as many elements as the values, the text or the file have
//   verdicts              {POLICY: words}: a policy that must not finish, for instance {"pdom": "barrier deadlock"}
//
// TYPE is one of u8 s8 u16 s16 u32 s32 u64 s64 f16 bf16 f32 f64. A number of a float type can also be "nan", "inf" or
// "-inf", and a number of any type "0x...", its bits. A value, of a parameter, a variable or a member of a structure:
//
//   {TYPE: v}, {TYPE: [v, ...]}         numbers
//   {"buffer": NAME, "offset": n}       the address of a byte of a buffer; the offset is 0 unless given
//   {"variable": NAME, "offset": n}     the same of a variable of the module
//   {"bytes": "00ff..."}                two hexadecimal digits for each byte, blanks between them if you like
//   {"struct": [value, ...]}            members, laid out as in C; {..., "at": n} puts one at byte n, and "size" beside
//                                       "struct" says how large it is
//   {"text": "..."}                     characters and a zero
//   {"file": NAME}                      data, see below
//   v, [v, ...]                         only of a variable: numbers of the type in its declaration, all of them
//
// A start, of a buffer:
//
//   "zero"                              all bits zero (the default)
//   "iota"                              0, 1, 2, ...
//   {"fill": v}                         the same value everywhere
//   {"values": [...]}                   these values, as many as "count"
//   {"random": {seed, low, high}}       integers in low .. high, both included; floats in low .. high
//   {"offsets": {seed, low, high}}      running sums of random integers, starting at 0: rows of a ragged array
//   {"text": "..."}                     characters, then zeros; of u8 and s8
//   {"bytes": "00ff..."}                raw memory, as many bytes as the buffer has
//   {"struct": [...]}                   a structure, with pointers to buffers of any place in the list
//   {"file": NAME}                      data
//
// A file of data is named relative to the launch file. It is .npy (NumPy's format: the same type, any shape), .csv or
// .txt (numbers between commas, blanks and line ends), or anything else: raw memory.
//
// A check is {"buffer": NAME} or {"variable": NAME} with one of
//
//   "values": [...], "fill": v, "text", "bytes", "file"    as above; of a variable also TYPE and "struct"
//   "reference": NAME                   a program of the tool (references.hpp), given this launch's data
//   "command": [WORD, ...]              a program of yours (reference_command.hpp)
//
// and, for floats, "tolerance" t and "relative" r: elements differ if |have - want| > t + r * |want|. Both are 0 unless
// given: the same bits.
//
// Random numbers come from splitmix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014) started at `seed`; an integer is low +
// next % (high - low + 1), a float is low + (high - low) * (next >> 40) / 2^24.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
class device_memory;
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

namespace lab {

enum class scalar : unsigned char { u8, s8, u16, s16, u32, s32, u64, s64, f32, f64, f16, bf16 };

[[nodiscard]] std::string_view name_of(scalar type);
[[nodiscard]] std::optional<scalar> scalar_named(std::string_view name);
[[nodiscard]] std::size_t size_of(scalar type);
[[nodiscard]] bool is_float(scalar type);

/// An address that raw memory holds.
struct pointer {
  std::size_t at = 0;                 ///< byte where it stands; it has 8 bytes
  std::optional<std::size_t> buffer;  ///< index into launch_file::buffers
  std::string variable;               ///< else the name of a variable of the module
  std::uint64_t offset = 0;           ///< bytes from the beginning of the target
};

/// Raw memory, in the byte order of this machine (little-endian, as the device's).
struct raw_data {
  std::vector<unsigned char> bytes;
  std::vector<pointer> pointers;  ///< addresses that are put into the bytes when they are known
  std::size_t align = 1;          ///< of C, a power of two
};

/// Elements of one type as raw memory.
struct buffer {
  std::string name;
  scalar type = scalar::u32;
  std::size_t count = 0;
  std::vector<unsigned char> bytes;
  std::vector<pointer> pointers = {};
  std::optional<std::uint64_t> address = {};  ///< on the device; none: wherever there is room
};

/// A kernel parameter: a buffer's address, a value in the low bytes of `bits`, or raw memory.
struct parameter {
  std::optional<std::size_t> buffer;  ///< index into launch_file::buffers
  std::uint64_t offset = 0;           ///< bytes from the beginning of the buffer
  scalar type = scalar::u64;
  std::uint64_t bits = 0;
  std::optional<raw_data> raw = {};  ///< if it is there, nothing else counts
};

/// The contents of a variable of a module, before a launch or after it.
struct variable_value {
  std::string name;
  std::string where;           ///< JSON pointer, for messages
  raw_data raw;                ///< unless there are numbers
  std::string numbers;         ///< JSON: numbers of the type in the variable's declaration
  std::optional<scalar> type;  ///< of its elements, if that was given
};

/// The values that a buffer or a variable must hold at the end.
struct expectation {
  std::size_t buffer = 0;  ///< unless a variable is checked
  std::optional<variable_value> variable;
  std::string reference;             ///< a program of the tool
  std::vector<std::string> command;  ///< a program of the user's; neither: `values`
  std::vector<unsigned char> values;
  double tolerance = 0;
  double relative = 0;
  bool of_file = false;  ///< the command is given the data that the file begins with
};

/// The results of reference programs, by what was run: computed once for each launch.
using reference_results = std::map<std::string, std::vector<buffer>>;

/// One launch of a kernel.
struct kernel_launch {
  std::string where;  ///< JSON pointer: "", "/launches/2"
  std::string kernel;
  std::string module;  ///< path; empty: the one of the command line
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<parameter> params;
  std::vector<variable_value> variables;            ///< written before the launch
  std::vector<std::pair<std::size_t, buffer>> set;  ///< buffers written before the launch, by index
  std::vector<expectation> expect;

  [[nodiscard]] std::uint64_t thread_blocks() const { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
  [[nodiscard]] std::uint32_t threads_per_block() const { return block[0] * block[1] * block[2]; }
};

/// A launch file. One of its launches is taken: the base is a copy of that launch.
struct launch_file : kernel_launch {
  std::string path;
  std::uint32_t warp_width = 32;
  std::vector<buffer> buffers;  ///< as they are before the launch that is taken
  std::map<std::string, std::string> verdicts;
  std::vector<kernel_launch> launches;                         ///< all of them, in order; at least one
  std::size_t taken = 0;                                       ///< which of them
  std::shared_ptr<const simtflow::ptx::device_memory> before;  ///< what earlier launches left; null: nothing ran yet
  std::shared_ptr<const std::vector<buffer>> first;  ///< the buffers at the beginning, if there are several launches
  std::shared_ptr<reference_results> references = std::make_shared<reference_results>();  ///< of this launch

  /// Takes another launch. \pre there are more
  void take(std::size_t number);
  /// The path with the place of the launch that is taken, for messages: "l.json: /launches/2".
  [[nodiscard]] std::string place() const { return path + ": " + where; }
};

/// Reads a launch file's text; `path` names it in messages. The first launch is taken.
/// \throws input_error with every diagnostic on a line of its own: FILE:LINE:COLUMN for text that is not JSON, and the
///         JSON pointer (FILE: /buffers/0/count: ...) for JSON that is not a launch file.
[[nodiscard]] launch_file parse_launch_file(std::string_view text, const std::string& path);

/// Changes of a launch by the command line. Empty: none.
struct launch_overrides {
  std::string grid, block;  ///< "4", "4,2,1"
  std::optional<std::uint32_t> dynamic_shared_bytes;
  std::vector<std::string> arguments;  ///< NAME=VALUE: a parameter, by name or number from 0
  std::vector<std::string> data;       ///< NAME=START: a buffer, or NAME=VALUE: a variable of the module
  [[nodiscard]] bool any() const {
    return !grid.empty() || !block.empty() || dynamic_shared_bytes || !arguments.empty() || !data.empty();
  }
};

/// Changes shape and data of the launch that is taken, as the command line says; arguments wait for the kernel
/// (device.hpp). \throws input_error
void override_launch(launch_file& file, const launch_overrides& overrides);

}  // namespace lab
