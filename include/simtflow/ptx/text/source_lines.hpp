// SPDX-License-Identifier: BSL-1.0
//
// The lines of the sources that PTX was compiled from: the directives .file and .loc.
//
//   place   a line of a source file; code that was inlined has the place of the call as well
//   line    from a position in the PTX text on, instructions come from a place
//
// A function has lines, a module has places. An instruction has the place of the last line that stands before it in the
// text, so code that a transform copies keeps its place with its position.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, section "Debugging Directives".
#pragma once

#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/instruction.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// A source file: .file 1 "my.cu".
struct source_file {
  std::uint32_t number = 0;  ///< by which .loc names it
  std::string name;          ///< as the text has it between the quotes
  std::uint64_t time = 0;    ///< of the last change; 0: not said
  std::uint64_t bytes = 0;   ///< of the file; 0: not said
};

/// A place in a source file: .loc 1 17 3.
struct source_place {
  std::uint32_t file = 0;               ///< the number of the file
  std::uint32_t line = 0;               ///< from 1; 0: the compiler's own code
  std::uint32_t column = 0;             ///< from 1; 0: not said
  std::uint32_t function = no_index;    ///< of inlined code: its function, in source_map::functions
  std::uint32_t inlined_at = no_index;  ///< of inlined code: the place of the call, an earlier place
  friend bool operator==(const source_place&, const source_place&) = default;
};

/// The instructions from a position in the PTX text on come from a place.
struct source_line {
  position where;           ///< of the .loc
  std::uint32_t place = 0;  ///< in source_map::places
};

namespace detail {
/// A number for the spot in a file; few spots share one.
constexpr std::uint64_t spot_number(const source_place& p) {
  return (std::uint64_t{p.line} << 32 | p.column) ^ p.file * 0x9E37'79B9'7F4A'7C15U;
}
}  // namespace detail

/// The place of an instruction: the last line at or before its position.
/// \param lines of its function, in the order of the text. \param where the position of the instruction.
/// \returns no_index if there is none. O(log lines).
[[nodiscard]] inline std::uint32_t place_at(std::span<const source_line> lines, position where) {
  if (where.line == 0) return no_index;
  std::size_t low = 0, high = lines.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const position p = lines[middle].where;
    if (p.line < where.line || (p.line == where.line && p.column <= where.column))
      low = middle + 1;
    else
      high = middle;
  }
  return low == 0 ? no_index : lines[low - 1].place;
}

/// The places in the sources of a module.
struct source_map {
  std::vector<source_file> files;      ///< in the order of the text
  std::vector<source_place> places;    ///< a call before the code that was inlined there
  std::vector<std::string> functions;  ///< names of functions that were inlined, as the linker has them

  /// The file of that number; null if the text does not name it. O(files).
  [[nodiscard]] const source_file* file(std::uint32_t number) const {
    for (const source_file& f : files)
      if (f.number == number) return &f;
    return nullptr;
  }

  /// The place of the call in the code that nothing was inlined into; the place itself unless it is inlined code.
  /// \param place its number. \returns no_index for no_index. O(calls).
  [[nodiscard]] std::uint32_t outermost(std::uint32_t place) const {
    if (place >= places.size()) return no_index;
    while (places[place].inlined_at < place) place = places[place].inlined_at;
    return place;
  }

  /// The file and the line of a place, without folders and without the calls around it: "my.cu:17".
  /// \param place its number. \returns an empty text for no_index and for line 0. O(files).
  [[nodiscard]] std::string line_of(std::uint32_t place) const {
    if (place >= places.size() || places[place].line == 0) return {};
    return short_name(places[place].file) + ":" + std::to_string(places[place].line);
  }

  /// A place in words, without folders: "my.cu:17", or "my.cu:5 in '_Z4leafi', inlined at my.cu:17".
  /// \param place its number. \returns an empty text for no_index and for line 0. At most eight calls are named.
  [[nodiscard]] std::string describe(std::uint32_t place) const {
    std::string s;
    for (int calls = 0; place < places.size() && calls <= 8; ++calls) {
      const source_place& p = places[place];
      if (p.line == 0) break;
      if (calls != 0) s += ", inlined at ";
      s += line_of(place);
      if (p.function < functions.size()) s += " in '" + functions[p.function] + "'";
      place = p.inlined_at < place ? p.inlined_at : no_index;
    }
    return s;
  }

 private:
  std::string short_name(std::uint32_t number) const {
    const source_file* const f = file(number);
    if (f == nullptr) return "file " + std::to_string(number);
    const std::size_t folder = f->name.find_last_of("/\\");
    return folder == std::string::npos ? f->name : f->name.substr(folder + 1);
  }
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
