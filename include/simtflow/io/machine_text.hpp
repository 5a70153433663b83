// SPDX-License-Identifier: BSL-1.0
//
// Reads and writes *machine files*: the parameters of a device (timing/machine.hpp) as JSON. Dots of the field names
// are objects; a field that is left out keeps the value of the machine that `base` names, or the default.
//
//   {
//     "base": "gtx480",
//     "name": "gtx480 with a large L1",
//     "core": {"shared_bytes": "16K"},
//     "l1": {"size": "48K", "ways": 6}
//   }
//
//   A number is an integer, or a string with a suffix K or M; "unlimited" and the words of enumerations are strings.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/io/detail/json.hpp>
#include <simtflow/io/detail/machine_reader.hpp>
#include <simtflow/timing/machine.hpp>
#include <simtflow/timing/machine_fields.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Reads a machine file. The base is taken first, wherever it stands; no machine is one that cannot be simulated.
/// \returns diagnostics with line and column for text that is no JSON object, keys that are no fields (with the nearest
/// name) or stand twice, wrong values, and values that do not fit together (timing::diagnose; without a place if the
/// text does not state the field). Never fails otherwise, whatever the text. Complexity: linear in the text.
[[nodiscard]] inline result<timing::machine> read_machine(std::string_view text) {
  return detail::machine_reader(text).read();
}

/// Writes a machine file with every field, one part of the machine on a line. read_machine() gives the same machine
/// back if timing::diagnose(m) is empty and the name is UTF-8; bytes that are not become question marks. Complexity:
/// linear in what is written.
[[nodiscard]] inline std::string to_machine_text(const timing::machine& m) {
  timing::machine copy = m;
  std::string out = "{";
  std::vector<std::string_view> open;  // names of the objects that are open
  const std::vector<timing::machine_field> all = timing::fields(copy);
  for (const timing::machine_field& f : all) {
    std::vector<std::string_view> parts;
    std::string_view rest = f.name;
    for (std::size_t dot; (dot = rest.find('.')) != std::string_view::npos; rest.remove_prefix(dot + 1))
      parts.push_back(rest.substr(0, dot));
    std::size_t common = 0;
    while (common < parts.size() && common < open.size() && parts[common] == open[common]) ++common;
    const bool same_line = common == open.size() && common == parts.size() && common > 0;
    for (; open.size() > common; open.pop_back()) out += '}';
    out += all.data() == &f ? "" : ",";
    if (same_line) out += ' ';
    const auto new_line = [&] { (out += '\n').append(2 + 2 * open.size(), ' '); };
    for (; common < parts.size(); ++common) {
      new_line();
      open.push_back(parts[common]);
      out += '"' + std::string(parts[common]) + "\": {";
    }
    if (parts.empty()) new_line();
    out += '"' + std::string(rest) + "\": ";
    const std::string value = timing::value_text(f);
    if (f.number == nullptr || value == "unlimited")
      detail::append_json_string(out, value);
    else
      out += value;
  }
  for (; !open.empty(); open.pop_back()) out += '}';
  return out += "\n}\n";
}

}  // namespace v0
}  // namespace simtflow
