// SPDX-License-Identifier: BSL-1.0
//
// The directives .loc, .file and the names of inlined functions.
#pragma once

#include <simtflow/ptx/text/detail/text_writer.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class source_printer {
 public:
  explicit source_printer(text_writer& out) : out_(out) {}

  void begin_function() {
    latest_.clear();
    last_ = no_index;
  }

  /// Says where the next instruction comes from, unless that was said before.
  void before(const instruction& i) {
    if (out_.current->lines.empty()) return;
    const std::uint32_t place = place_at(out_.current->lines, i.where);
    if (place == last_ || place >= map().places.size()) return;
    chain_.assign(1, place);
    for (std::uint32_t p = place; map().places[p].inlined_at < p; p = chain_.back())
      chain_.push_back(map().places[p].inlined_at);
    bool known = true;  // a call is named again if the calls around it are
    for (std::size_t n = chain_.size(); n-- > 0;) {
      const auto found = latest_.find(spot_number(map().places[chain_[n]]));
      known = known && found != latest_.end() && found->second == chain_[n];
      if (!known || n == 0) loc(chain_[n]);
    }
    last_ = place;
  }

  /// The files and the names of functions, at the end.
  void tables() {
    if (!map().files.empty()) out_.text += '\n';
    for (const source_file& f : map().files) {
      out_.text += ".file " + std::to_string(f.number) + " \"" + f.name + "\"";
      if (f.time != 0 || f.bytes != 0) out_.text += ", " + std::to_string(f.time) + ", " + std::to_string(f.bytes);
      out_.text += '\n';
    }
    if (map().functions.empty()) return;
    out_.text += "\n.section .debug_str\n{\n";
    for (std::size_t f = 0; f < map().functions.size(); ++f) {
      out_.text += label(f) + ":\n.b8 ";
      for (const char c : map().functions[f]) out_.text += std::to_string(static_cast<unsigned char>(c)) + ",";
      out_.text += "0\n";
    }
    out_.text += "}\n";
  }

 private:
  static std::string label(std::size_t function) { return "$L__info_string" + std::to_string(function); }
  const source_map& map() const { return out_.module.sources; }

  void loc(std::uint32_t place) {
    const source_place& p = map().places[place];
    latest_[spot_number(p)] = place;
    out_.indent();
    out_.text += ".loc ";
    numbers(p);
    if (p.function < map().functions.size() && p.inlined_at < place) {
      out_.text += ", function_name " + label(p.function) + ", inlined_at ";
      numbers(map().places[p.inlined_at]);
    }
    out_.text += '\n';
  }
  void numbers(const source_place& p) {
    out_.text += std::to_string(p.file) + " " + std::to_string(p.line) + " " + std::to_string(p.column);
  }

  text_writer& out_;
  std::unordered_map<std::uint64_t, std::uint32_t> latest_;  // the place that a spot means in the text so far
  std::uint32_t last_ = no_index;
  std::vector<std::uint32_t> chain_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
