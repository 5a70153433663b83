// SPDX-License-Identifier: BSL-1.0
//
// Directives that mean nothing to the behaviour of a kernel: .file and .loc, which say where code comes from, and
// .section and .pragma. The strings of section .debug_str count: they are the names of inlined functions.
#pragma once

#include <simtflow/ptx/text/detail/token_reader.hpp>
#include <simtflow/ptx/text/lexer.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class note_reader {
 public:
  explicit note_reader(token_reader& in) : in_(in) {}

  /// An inlined place names a place of the same function.
  void begin_function() { latest_.clear(); }

  /// Reads a directive if it is one of these. `lines` are of the function that is read; null between functions.
  bool read(std::vector<source_line>* lines) {
    const std::string_view s = in_.peek().spelling;
    if (s == ".loc")
      loc(lines);
    else if (s == ".file")
      file();
    else if (s == ".section")
      section();
    else if (s == ".pragma")
      pragma();
    else
      return false;
    return true;
  }

  /// All that was read, with the names of the functions.
  source_map take() {
    for (std::size_t f = 0; f < labels_.size(); ++f) {
      const auto found = label_at_.find(labels_[f].name);
      if (found == label_at_.end() || labels_[f].offset >= strings_.size() - found->second) {
        map_.functions.emplace_back(labels_[f].name);
        continue;
      }
      const std::size_t at = found->second + static_cast<std::size_t>(labels_[f].offset);
      map_.functions.push_back(strings_.substr(at, strings_.find('\0', at) - at));
      for (char& c : map_.functions.back())
        if (c < ' ' || c > '~') c = '?';
    }
    return std::move(map_);
  }

 private:
  struct label {
    std::string_view name;
    std::uint64_t offset;
  };
  // Calls inside calls of inlined code; more would make a printed text much longer than the text that was read.
  static constexpr std::uint32_t max_depth = 32;

  /// FILE LINE [COLUMN]; false if there is none.
  bool numbers(source_place& p) {
    std::uint32_t* const parts[] = {&p.file, &p.line, &p.column};
    int n = 0;
    for (; n < 3 && in_.peek().kind == token_kind::integer; ++n, in_.advance())
      *parts[n] = in_.peek().bits > 0xFFFF'FFFEU ? 0 : static_cast<std::uint32_t>(in_.peek().bits);
    return n >= 2;
  }

  /// .loc FILE LINE COLUMN [, function_name LABEL [+ offset], inlined_at FILE LINE COLUMN]
  void loc(std::vector<source_line>* lines) {
    const position where = in_.peek().where;
    in_.advance();
    source_place here;
    const bool known = numbers(here);
    if (in_.peek().is(',') && in_.peek(1).is(token_kind::word, "function_name")) {
      for (int i = 0; i < 2; ++i) in_.next();
      label l{in_.peek().spelling, 0};
      in_.next();
      if (in_.take('+')) {
        l.offset = in_.peek().bits;
        in_.next();
      }
      if (in_.peek().is(',') && in_.peek(1).is(token_kind::word, "inlined_at")) {
        in_.advance(2);
        source_place call;
        if (numbers(call)) here.inlined_at = place_of_call(call);
      }
      here.function = number_of(l);
    }
    in_.take(';');
    if (!known || lines == nullptr) return;
    const std::uint32_t place = add(here);
    if (lines->empty() || lines->back().place != place) lines->push_back({where, place});
  }

  static bool same_spot(const source_place& a, const source_place& b) {
    return a.file == b.file && a.line == b.line && a.column == b.column;
  }
  /// A call stands at the spot that a .loc before has named last.
  std::uint32_t place_of_call(const source_place& spot) {
    const auto found = latest_.find(spot_number(spot));
    const bool known = found != latest_.end() && same_spot(map_.places[found->second], spot);
    return known ? found->second : add(spot);
  }
  std::uint32_t add(source_place p) {
    if (p.inlined_at != no_index && depth_[p.inlined_at] >= max_depth) p.inlined_at = no_index;
    const auto [last, fresh] = latest_.emplace(spot_number(p), 0);
    if (!fresh && map_.places[last->second] == p) return last->second;
    last->second = static_cast<std::uint32_t>(map_.places.size());
    map_.places.push_back(p);
    depth_.push_back(p.inlined_at == no_index ? 0 : depth_[p.inlined_at] + 1);
    return last->second;
  }
  std::uint32_t number_of(const label& l) {
    const auto [found, fresh] = function_of_.emplace(std::string(l.name) + "+" + std::to_string(l.offset),
                                                     static_cast<std::uint32_t>(labels_.size()));
    if (fresh) labels_.push_back(l);
    return found->second;
  }

  /// .file NUMBER "name" [, time, bytes]
  void file() {
    in_.advance();
    source_file f;
    int n = 0;
    for (; in_.peek().kind == token_kind::integer || in_.peek().kind == token_kind::text || in_.peek().is(',');
         in_.advance()) {
      const token& t = in_.peek();
      if (t.kind == token_kind::text) f.name = std::string(t.spelling.substr(1, t.spelling.size() - 2));
      if (t.kind != token_kind::integer) continue;
      if (n == 0) f.number = t.bits > 0xFFFF'FFFEU ? 0 : static_cast<std::uint32_t>(t.bits);
      if (n == 1) f.time = t.bits;
      if (n == 2) f.bytes = t.bits;
      ++n;
    }
    in_.take(';');
    if (n > 0 && numbers_.emplace(f.number, 0).second) map_.files.push_back(std::move(f));
  }

  void section() {
    const std::uint32_t line = in_.peek().where.line;
    in_.advance();
    const bool has_strings = in_.peek().spelling == ".debug_str";
    while (!in_.at_end() && !in_.peek().is('{') && in_.peek().where.line == line) in_.advance();
    if (!in_.peek().is('{')) return;
    const std::size_t begin = in_.at();
    in_.skip_balanced('{', '}');
    if (!has_strings) return;
    for (std::size_t i = begin; i < in_.at(); ++i) {
      const token& t = in_.token_at(i);
      if (t.kind == token_kind::integer) strings_ += static_cast<char>(t.bits);
      if (t.kind == token_kind::word && i + 1 < in_.at() && in_.token_at(i + 1).is(':'))
        label_at_.emplace(t.spelling, strings_.size());
    }
  }

  void pragma() {
    in_.advance();
    while (in_.peek().kind == token_kind::text || in_.peek().is(',')) in_.advance();
    in_.end_statement();
  }

  token_reader& in_;
  source_map map_;
  std::vector<std::uint32_t> depth_;                         // by place
  std::unordered_map<std::uint64_t, std::uint32_t> latest_;  // by spot: the place in this function
  std::unordered_map<std::uint32_t, int> numbers_;           // of files
  std::unordered_map<std::string, std::uint32_t> function_of_;
  std::vector<label> labels_;  // by function
  std::unordered_map<std::string_view, std::size_t> label_at_;
  std::string strings_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
